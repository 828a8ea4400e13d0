package core

import (
	"testing"

	"bourse/internal/schema"
)

// TestExitOfExactlyWhatIsFree: unconfirmed money was traded. What is worth no more than the account owns
// beyond it may leave, to the last unit, and nothing after that.
func TestExitOfExactlyWhatIsFree(t *testing.T) {
	tr := newTrial(slice)
	send := func(want schema.Rejection, commands ...schema.Command) {
		t.Helper()
		for _, c := range commands {
			if err := sender(tr.apply).run(moment{at: start, cmd: c}); err != nil {
				t.Fatal(err)
			}
			if tr.answer.Rejection != want {
				t.Errorf("%T %+v: %q", c, c, tr.answer.Rejection.Text())
			}
		}
	}
	asset := func(ticker string, precision uint8) *schema.SetAsset {
		return &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: precision}}
	}
	send(schema.Rejection{}, &schema.SetFeature{Feature: schema.ExactMoney, On: true}, asset("BTC", 8), asset("USD", 2),
		&schema.SetMarket{Market: schema.MarketInfo{Name: "BTC_USD", Base: 1, Quote: 2, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 5, Enabled: true}},
		&schema.SetAccount{Account: schema.Account{Name: "ben", Region: schema.Global}},
		&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}},
		&schema.Deposit{Account: 101, Asset: 1, Amount: d("10")},
		&schema.Transfer{Account: 101, Asset: 1, Amount: d("10"), From: schema.Main, To: schema.Trade},
		&schema.Deposit{Account: 102, Asset: 2, Amount: d("1000"), Held: true},
		&schema.Deposit{Account: 102, Asset: 2, Amount: d("100")},
		&schema.Transfer{Account: 102, Asset: 2, Amount: d("1100"), From: schema.Main, To: schema.Trade},
		limit(101, 1, schema.Sell, "10", "100"), limit(102, 1, schema.Buy, "10", "100"),
		&schema.Transfer{Account: 102, Asset: 1, Amount: d("10"), From: schema.Trade, To: schema.Main},
		&schema.SetIndex{Market: 1, Price: d("120")})
	out := func(amount string) schema.Command {
		return &schema.Withdraw{Account: 102, Asset: 1, Amount: d(amount)}
	}
	// 10 × 120 + 100 − 1000 = 300, at 120 each.
	send(schema.Rejection{Reason: schema.MoveHeld, Value: d("2.5")}, out("2.50000001"))
	send(schema.Rejection{}, out("2.49999999"), out("0.00000001"))
	send(schema.Refuse(schema.MoveHeld), out("0.00000001"))
}
