package archive_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/archive"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// crash is a day on which bob, long 1 at 50000 with 1000 USDT at a leverage of 100, is caught by a gap: the book takes a
// quarter, and carol, on the other side, is closed for the rest.
func crash() []schema.Command {
	number := fixed.MustParse
	list := []schema.Command{
		&schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}},
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "BTC_PERP", Base: btc, Quote: usdt, Type: schema.Futures, StockPrec: 4, MoneyPrec: 2, FeePrec: 6, Enabled: true,
			Margin: schema.Margin{
				MaxLeverage: 100, Bracket100: number("50000"), PriceBand: number("10"), MarkBand: number("0.5"), ImpactNotional: number("10000"),
				FundingMinutes: 480, LiquidationFee: number("0.2"), LiquidationBand: number("2"),
			},
		}},
		&schema.SetAccount{Account: schema.Account{Name: "bob", Region: schema.Global}},
		&schema.SetAccount{Account: schema.Account{Name: "carol", Region: schema.Global}},
		&schema.FundSystem{Account: schema.Insurance, Asset: usdt, Amount: number("100")},
		&schema.SetIndex{Market: 1, Price: number("50000")},
		&schema.SetLeverage{Account: alice, Leverage: 100},
	}
	for account, amount := range []string{"1000", "100000"} {
		id := alice + schema.AccountID(account)
		list = append(list,
			&schema.Deposit{Account: id, Asset: usdt, Amount: number(amount)},
			&schema.Transfer{Account: id, Asset: usdt, Amount: number(amount), From: schema.Main, To: schema.Collateral},
			&schema.PlaceOrder{Account: id, Order: schema.OrderRequest{
				Market: 1, Type: schema.Limit, Side: []schema.Side{schema.Buy, schema.Sell}[account], Amount: fixed.One, Price: number("50000"), Collateral: true,
			}})
	}
	return append(list,
		&schema.PlaceOrder{Account: bob, Order: schema.OrderRequest{
			Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: number("0.25"), Price: number("49240"), Collateral: true,
		}},
		&schema.SetIndex{Market: 1, Price: number("49260")},
		&schema.SetIndex{Market: 1, Price: number("40000")})
}

func TestRiskIsExplainedLineByLine(t *testing.T) {
	dir, now := t.TempDir(), start
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: dir}, Clock: func() schema.Time { now += schema.Second; return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range crash() {
		var r schema.Result
		if err := n.Submit(t.Context(), c, &r); err != nil || r.Rejection.Refused() {
			t.Fatalf("%T: %v %s", c, err, r.Rejection.Text())
		}
	}
	var fund fixed.Decimal
	n.Read(func(m core.View) { fund, _, _ = m.Balance(schema.Insurance, schema.Main, usdt) })
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	sum := fixed.Zero
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		err := a.Risk(ctx, archive.Limit{}, func(l *archive.RiskLine) error {
			lines = append(lines, fmt.Sprint(l.Batch, " ", l.Event, " ", l.Account, " ", l.With, " ", l.Of, " ", l.Price, " ", l.Amount, " ", l.Deal, " ", l.Cause, " ", l.Total, " ", l.Maintenance, " ", l.Fund))
			if l.Event == archive.RiskFund {
				sum = sum.Add(l.Amount)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if sum != fund {
		t.Errorf("the lines of the fund add up to %s instead of %s", sum, fund)
	}
	want := []string{
		"6 fund   USDT 0 100 0 transfer 0 0 100",
		"16 margin_call bob   0 0 0 0 260 246.3 0",
		"17 liquidation bob   0 0 0 0 -9000 200 0",
		"17 deal bob  BTC_PERP 49240 0.25 2 0 0 0 0",
		"17 deleveraging bob carol BTC_PERP 48920 0.75 3 0 0 0 0",
		"17 none bob   0 0 0 0 0 0 0",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
