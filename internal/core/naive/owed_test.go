package naive

import (
	"testing"

	"bourse/internal/schema"
)

// newOwing is a world where dora owes 6 BTC, which she traded for 600 dollars of ben's, and nothing is to be collected.
func newOwing(t *testing.T) *chainWorld {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.DepositFixed = d("0") })
	w.place(ben, limit(schema.Buy, "6", "100"))
	w.grow(paid("a", 1, "6"))
	w.grow()
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("6"), From: schema.Main, To: schema.Trade})
	w.place(dora, limit(schema.Sell, "6", "100"))
	w.fall(2)
	w.growBy(8)
	w.has(dora, "0", "0", "0", "6")
	w.tickNow()
	w.happened()
	w.noTimer()
	return w
}

// paysBack compares what dora owes and has left.
func (w *chainWorld) paysBack(main, owed string) {
	w.t.Helper()
	gotMain, _, _ := w.Balance(dora, schema.Main, btc)
	gotOwed, _, _ := w.Balance(dora, schema.Owed, btc)
	house, _, _ := w.Balance(schema.House, schema.Owed, btc)
	if gotMain != d(main) || gotOwed != d(owed) || house != d(owed).Neg() {
		w.t.Errorf("dora has %s and owes %s (house %s), want %s and %s", gotMain, gotOwed, house, main, owed)
	}
	w.audit()
}

func TestMoneyThatComesToMainPaysWhatIsOwed(t *testing.T) {
	w := newOwing(t)
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("1")})
	w.happened("1 main of 1 by deposit for 0: -301 0", "104 main of 1 by deposit for 0: 1 0",
		"104 main of 1 by reversal for 0: 0 0", "4 main of 1 by reversal for 0: -5 0",
		"104 owed of 1 by reversal for 0: 5 0", "4 owed of 1 by reversal for 0: -5 0")
	w.paysBack("0", "5")
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("2"), Held: true})
	w.paysBack("2", "5")
	w.must(&schema.ConfirmDeposit{Account: dora, Asset: btc, Amount: d("0.5")})
	w.paysBack("1.5", "4.5")
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("1"), From: schema.Main, To: schema.Trade})
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("1"), From: schema.Trade, To: schema.Main})
	w.paysBack("1.5", "4.5") // it is held
	w.must(&schema.ConfirmDeposit{Account: dora, Asset: btc, Amount: d("1.5")})
	w.paysBack("0", "3")
	w.must(&schema.SetFaucet{Asset: btc, Limit: d("10")})
	w.must(&schema.TakeFaucet{Account: dora, Asset: btc, Amount: d("0.25")})
	w.paysBack("0", "3")
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("0.25"), From: schema.Trade, To: schema.Main})
	w.paysBack("0", "2.75")
	w.must(&schema.Transfer{Account: ben, Asset: btc, Amount: d("2"), From: schema.Trade, To: schema.Main})
	w.must(coded(ben, 1, "0.5"))
	w.must(with(applies(dora, 1, noLock), func(c *schema.ApplyCode) {}))
	w.paysBack("0", "2.25")
	w.grow(paid("b", 1, "1"))
	w.grow()
	w.paysBack("1", "2.25")
	w.growBy(2)
	w.paysBack("0", "1.25")
	w.grow(paid("c", 0, "0.25"))
	w.growBy(3)
	w.must(&schema.DecideDeposit{Deposit: 3, Decision: schema.CreditDeposit, Account: dora})
	w.paysBack("0", "1")
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("3")}) // another asset
	w.main(dora, usd, "3")
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("3")})
	w.paysBack("2", "0")
}

// TestCodesThatReturnPayWhatIsOwed: after too many tries and after a year.
func TestCodesThatReturnPayWhatIsOwed(t *testing.T) {
	w := newChains(t)
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("3")})
	w.must(with(coded(dora, 1, "1"), func(c *schema.CreateCode) { c.Lock = digest(9) }))
	w.must(coded(dora, 2, "2"))
	created := w.time
	w.grow(paid("a", 1, "10.1"))
	w.grow()
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("10"), From: schema.Main, To: schema.Trade})
	w.place(ben, limit(schema.Buy, "10", "100"))
	w.place(dora, limit(schema.Sell, "10", "100"))
	w.fall(2)
	w.growBy(8)
	w.paysBack("0", "10")
	for range 50 {
		w.must(applies(ben, 1, noLock))
	}
	w.paysBack("0", "9")
	w.Apply(created+aYear, &schema.Tick{})
	w.paysBack("0", "7")
}

// TestNothingLeavesWhileSomethingIsOwed: of any asset, and that is looked at last.
func TestNothingLeavesWhileSomethingIsOwed(t *testing.T) {
	w := newOwing(t)
	owing := because(schema.Owing)
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("10")})
	out := &schema.Withdraw{Account: dora, Asset: usd, Amount: d("10.01")}
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("10")}, out)
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("1"), Held: true})
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("10")}, out)
	out.Amount = d("10")
	w.refused(owing, out)
	w.refused(owing, &schema.Transfer{Account: dora, Asset: usd, Amount: d("10"), From: schema.Main, To: schema.Collateral})
	w.must(&schema.Transfer{Account: dora, Asset: usd, Amount: d("1"), From: schema.Main, To: schema.Trade})
	w.must(&schema.SetFeature{Feature: schema.ExactMoney, On: true})
	w.refused(owing, &schema.Withdraw{Account: dora, Asset: usd, Amount: d("1")})
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "LTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8, Codes: true}})
	w.must(&schema.Deposit{Account: dora, Asset: 3, Amount: d("1")})
	code := with(coded(dora, 1, "1"), func(c *schema.CreateCode) { c.Asset = 3 })
	w.refused(owing, code)
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("1")}, with(coded(dora, 1, "2"), func(c *schema.CreateCode) { c.Asset = 3 }))
	w.must(&schema.ForgiveOwed{Account: dora, Asset: btc, Amount: d("5.99999999")})
	w.refused(owing, code)
	w.must(&schema.ForgiveOwed{Account: dora, Asset: btc, Amount: d("0.00000001")})
	w.must(code)
	w.must(&schema.Withdraw{Account: dora, Asset: usd, Amount: d("1")})
}

func TestForgiveOwed(t *testing.T) {
	w := newOwing(t)
	forgive := func(a schema.AccountID, s schema.AssetID, amount string) *schema.ForgiveOwed {
		return &schema.ForgiveOwed{Account: a, Asset: s, Amount: d(amount)}
	}
	w.refused(because(schema.AccountUnknown), forgive(schema.House, 9, "-1"))
	w.refused(because(schema.AssetUnknown), forgive(dora, 9, "-1"))
	w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.00000001")}, forgive(dora, usd, "-1"))
	w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.00000001")}, forgive(dora, usd, "0"))
	w.refused(schema.Rejection{Reason: schema.MoveTooPrecise, Value: d("8")}, forgive(dora, usd, "7.000000001"))
	w.refused(schema.Rejection{Reason: schema.OwedLess, Value: d("6")}, forgive(dora, btc, "6.00000001"))
	w.refused(because(schema.OwedLess), forgive(dora, usd, "1"))
	w.refused(because(schema.OwedLess), forgive(emil, btc, "1"))
	w.block(dora, "dora")
	w.must(forgive(dora, btc, "2"))
	w.happened("104 owed of 1 by reversal for 0: 4 0", "4 owed of 1 by reversal for 0: -4 0")
	w.main(schema.House, btc, "-6")
	w.paysBack("0", "4")
}

// TestConfirmDepositLeavesWhatChainsHold.
func TestConfirmDepositLeavesWhatChainsHold(t *testing.T) {
	w := newChains(t)
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("1"), Held: true})
	w.grow(paid("a", 1, "2"), paid("b", 1, "3"))
	w.grow()
	w.has(dora, "5.8", "5.8", "0", "0")
	w.refused(schema.Rejection{Reason: schema.ConfirmTooMuch, Value: d("1")}, &schema.ConfirmDeposit{Account: dora, Asset: btc, Amount: d("1.00000001")})
	w.must(&schema.ConfirmDeposit{Account: dora, Asset: btc, Amount: d("1")})
	w.refused(because(schema.ConfirmTooMuch), &schema.ConfirmDeposit{Account: dora, Asset: btc, Amount: d("0.00000001")})
	w.growBy(2)
	w.has(dora, "5.8", "0", "0", "0")
}

// newDebts is a world where dora and emil put what they got into many orders before the chain took it back. Each sells bitcoins
// in orders of 0.01.
func newDebts(t *testing.T, orders int) *chainWorld {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.DepositFixed = d("0") })
	w.grow(paid("b", 2, "1"), paid("a", 1, "2")) // the last is lost first
	w.grow()
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("2"), From: schema.Main, To: schema.Trade})
	w.must(&schema.Transfer{Account: emil, Asset: btc, Amount: d("1"), From: schema.Main, To: schema.Trade})
	for range orders {
		w.place(dora, limit(schema.Sell, "0.01", "1000"))
	}
	w.place(emil, limit(schema.Sell, "1", "1000"))
	w.fall(2)
	w.growBy(8)
	return w
}

// TestCollectingInTurn: 100 orders at once, and of one account after the other.
func TestCollectingInTurn(t *testing.T) {
	w := newDebts(t, 150)
	joined := w.time
	w.has(dora, "0", "0", "0", "1.5")
	w.has(emil, "0", "0", "0", "1")
	w.timer(joined)
	w.tickNow()
	w.has(dora, "0", "0", "0", "0.5")
	w.has(emil, "0", "0", "0", "1")
	if open := w.Orders(spot); len(open) != 51 || open[0].ID != 1 || open[49].ID != 50 {
		t.Errorf("%d orders are open", len(open))
	}
	w.timer(joined)
	w.tickNow()
	w.has(dora, "0", "0", "0", "0")
	w.has(emil, "0", "0", "0", "1")
	w.timer(joined)
	w.tickNow()
	w.has(emil, "0", "0", "0", "0")
	w.noTimer()
}

// TestCollectingEnds: where nothing is owed any more, also if 100 orders were just enough, and where nothing is left.
func TestCollectingEnds(t *testing.T) {
	w := newDebts(t, 100)
	w.has(dora, "0", "0", "0", "1")
	w.must(&schema.ForgiveOwed{Account: emil, Asset: btc, Amount: d("1")})
	w.tickNow()
	w.has(dora, "0", "0", "0", "0")
	w.tickNow()
	w.happened()
	w.noTimer()
	if open := w.Orders(spot); len(open) != 1 || open[0].Account != emil {
		t.Errorf("open: %+v", open)
	}
}

// TestCollectingTakesOrdersThatPayInTheAsset: a stop that waits too, and not those that pay with dollars or from collateral. What
// is not there is owed on.
func TestCollectingTakesOrdersThatPayInTheAsset(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.DepositFixed = d("0") })
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("100")})
	w.must(&schema.Transfer{Account: dora, Asset: usd, Amount: d("100"), From: schema.Main, To: schema.Trade})
	w.grow(paid("a", 1, "3"))
	w.grow()
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("3"), From: schema.Main, To: schema.Trade})
	w.place(ben, limit(schema.Buy, "1", "100"))
	w.place(dora, limit(schema.Sell, "1", "100"))
	w.place(dora, limit(schema.Buy, "1", "10"))
	w.place(dora, stopMarket(schema.Sell, "1", "50"))
	w.place(dora, limit(schema.Sell, "1", "1000"))
	w.fall(2)
	w.growBy(8)
	w.has(dora, "0", "0", "0", "3")
	w.tickNow()
	w.happened("104 trade of 1 by reversal for 5: 1 1", "level sell 1000: 0", "order 5 closed by reversal: CANCELED left 1",
		"104 trade of 1 by reversal for 4: 2 0", "order 4 closed by reversal: CANCELED left 1",
		"104 trade of 1 by reversal for 0: 0 0", "4 main of 1 by reversal for 0: -1 0",
		"104 owed of 1 by reversal for 0: 1 0", "4 owed of 1 by reversal for 0: -1 0")
	w.noTimer()
	w.has(dora, "0", "0", "0", "1")
	// It is not collected again before more is lost.
	w.must(&schema.SetFaucet{Asset: btc, Limit: d("10")})
	w.must(&schema.TakeFaucet{Account: dora, Asset: btc, Amount: d("0.25")})
	w.tickNow()
	w.has(dora, "0", "0", "0.25", "1")
	w.grow(paid("b", 1, "0.5"))
	w.grow()
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("0.5"), From: schema.Main, To: schema.Trade})
	w.place(dora, limit(schema.Sell, "0.75", "1000"))
	w.fall(2)
	w.growBy(8)
	w.has(dora, "0", "0", "0", "1.5")
	w.timer(w.time)
	w.tickNow()
	w.has(dora, "0", "0", "0", "0.75")
	w.noTimer()
}
