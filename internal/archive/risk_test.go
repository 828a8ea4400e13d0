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

// recorded is a log of commands, and what the insurance fund has after them.
func recorded(t *testing.T, commands []schema.Command) (dir string, fund fixed.Decimal) {
	t.Helper()
	dir = t.TempDir()
	now := start
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: dir}, Clock: func() schema.Time { now += schema.Second; return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		var r schema.Result
		if err := n.Submit(t.Context(), c, &r); err != nil || r.Rejection.Refused() {
			t.Fatalf("%T: %v %s", c, err, r.Rejection.Text())
		}
	}
	n.Read(func(m core.View) { fund, _, _ = m.Balance(schema.Insurance, schema.Main, usdt) })
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, fund
}

func TestRiskIsExplainedLineByLine(t *testing.T) {
	dir, fund := recorded(t, crash())
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

// slump is a day on which ten longs of 0.1 at 50000 fall: three into the book, which leaves fees, and then all that are left through an
// empty one, against a short that was entered at 46000 and gives no more than it won.
func slump() []schema.Command {
	number := fixed.MustParse
	const second = bob
	order := func(account schema.AccountID, side schema.Side, amount, price string) schema.Command {
		return &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
			Market: 1, Type: schema.Limit, Side: side, Amount: number(amount), Price: number(price), Collateral: true,
		}}
	}
	list := crash()[:7]
	for i := range 12 {
		id, amount := alice+schema.AccountID(i), fixed.FromInt(1_000_000)
		if i >= 2 {
			list = append(list, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("long", i), Region: schema.Global}},
				&schema.SetLeverage{Account: id, Leverage: 100})
			amount = fixed.FromInt(int64(94 + i))
		}
		list = append(list, &schema.Deposit{Account: id, Asset: usdt, Amount: amount},
			&schema.Transfer{Account: id, Asset: usdt, Amount: amount, From: schema.Main, To: schema.Collateral})
	}
	list = append(list, order(alice, schema.Sell, "1", "50000"))
	for i := range schema.AccountID(10) {
		list = append(list, order(alice+2+i, schema.Buy, "0.1", "50000"))
	}
	return append(list,
		order(alice, schema.Buy, "0.5", "49250"),
		&schema.SetIndex{Market: 1, Price: number("49260")},
		&schema.CancelAll{Account: alice},
		order(second, schema.Sell, "1", "46000"),
		order(alice, schema.Buy, "1", "46000"),
		&schema.SetIndex{Market: 1, Price: number("30000")},
		&schema.Tick{})
}

// TestEveryChangeOfTheFundIsExplained: by the operator's money, by a deal of liquidation in the same batch, or by the account that it paid for.
func TestEveryChangeOfTheFundIsExplained(t *testing.T) {
	dir, fund := recorded(t, slump())
	deals := map[schema.DealID]archive.RiskLine{}
	var brought, fees, shortfalls, unexplained, last fixed.Decimal
	explain := func(l *archive.RiskLine) error {
		switch l.Event {
		case archive.RiskDeal:
			deals[l.Deal] = *l
		case archive.RiskShortfall:
			if l.Amount != unexplained || l.Fund != last || l.Account == "" {
				t.Errorf("the fund paid %s and has %s; the line is %+v", unexplained, last, *l)
			}
			shortfalls, unexplained = shortfalls.Add(l.Amount), fixed.Zero
		case archive.RiskFund:
			if l.Fund != last.Add(l.Amount) {
				t.Errorf("the fund had %s; the line is %+v", last, *l)
			}
			last = l.Fund
			switch l.Cause {
			case schema.ByTransfer:
				brought = brought.Add(l.Amount)
			case schema.ByShortfall:
				unexplained = unexplained.Sub(l.Amount)
			case schema.ByLiquidation:
				deal, known := deals[l.Deal]
				money, _ := fixed.Mul(deal.Price, deal.Amount, fixed.Places, fixed.Down)
				most, _ := fixed.Mul(money, fixed.MustParse("0.002"), 6, fixed.Down)
				if !known || deal.Batch != l.Batch || l.Amount.Sign() <= 0 || l.Amount.Cmp(most) > 0 {
					t.Errorf("a fee of %s for %+v", l.Amount, deal)
				}
				fees = fees.Add(l.Amount)
			default:
				t.Errorf("nothing explains %+v", *l)
			}
		}
		return nil
	}
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		if err := a.Risk(ctx, archive.Limit{}, explain); err != nil {
			t.Fatal(err)
		}
	})
	if fees.Sign() <= 0 || shortfalls.Sign() <= 0 || !unexplained.IsZero() || last != fund || brought.Add(fees).Sub(shortfalls) != fund {
		t.Errorf("the fund has %s: brought %s, fees %s, shortfalls %s, unexplained %s", fund, brought, fees, shortfalls, unexplained)
	}
}
