package naive

import (
	"fmt"
	"testing"

	"bourse/internal/schema"
)

// reorgs replaces the last blocks of the sandbox; what they paid comes again.
func reorgs(depth uint32) *schema.ReorgSandbox {
	return &schema.ReorgSandbox{Chain: sand, Depth: depth}
}

// coins compares what is in blocks of the sandbox.
func (w *chainWorld) coins(want string) {
	w.t.Helper()
	if got := w.Coins(sand, btc); got != d(want) {
		w.t.Errorf("%s is in blocks, want %s", got, want)
	}
	w.audit()
}

func TestBlocksPay(t *testing.T) {
	w := newPayouts(t)
	w.network(func(n *schema.Network) { n.WithdrawFixed = d("1") })
	w.must(asks("a", "10"))
	created := w.time
	w.must(pays(0, "2"))
	w.must(mines(1))
	mined := w.time
	w.happened("deposit 1 of 0: 2 confirming at 1", "withdrawal 1 of 104: 9 for 1 mined at 1", "chain 1 at 1")
	want := schema.Withdrawal{
		ID: 1, Account: dora, Chain: sand, Asset: btc, Amount: d("9"), Fee: d("1"), Status: schema.WithdrawalMined, Height: 1,
		Tx: schema.SandboxPayout("SAND", 1), Created: created, Changed: mined, Address: "r9", Memo: "7", Unique: "a",
	}
	if e := w.last.Events[1].(*schema.WithdrawalChanged); e.Withdrawal != want {
		t.Errorf("the event is %+v", e.Withdrawal)
	}
	w.frozen("90", "10")
	w.coins("-7")
	w.must(mines(1))
	w.happened("chain 1 at 2", "deposit 1 of 0: 2 uncredited at 1")
	w.must(mines(1))
	w.happened("chain 1 at 3", "8 main of 1 by deposit for 0: -2 0", "9 main of 1 by deposit for 0: 2 0",
		"104 main of 1 by withdrawal for 0: 90 1", "8 main of 1 by withdrawal for 0: 7 0",
		"104 main of 1 by withdrawal for 0: 90 0", "2 main of 1 by withdrawal for 0: 1 0",
		"withdrawal 1 of 104: 9 for 1 done at 1")
	want.Status, want.Changed = schema.WithdrawalDone, w.time
	if e := w.last.Events[7].(*schema.WithdrawalChanged); e.Withdrawal != want {
		t.Errorf("the event is %+v", e.Withdrawal)
	}
	w.frozen("90", "0")
	w.coins("-7")
	w.noTimer()

	// A hundred blocks above its own it is forgotten.
	w.must(mines(97))
	w.withdrawal(1, schema.WithdrawalDone, 1)
	w.must(mines(1))
	w.happened("chain 1 at 101")
	if w.chains.withdrawal(1) != nil {
		t.Error("the withdrawal is known")
	}
	w.stays(schema.WithdrawalUnknown, "olga", 1, schema.CancelWithdrawal)
	w.coins("-7")
}

// TestBlocksPayAHundred: the first lane first, those of blocked accounts among them.
func TestBlocksPayAHundred(t *testing.T) {
	w := newPayouts(t)
	w.must(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "LTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8, Networks: []schema.Network{w.net},
	}})
	w.must(&schema.Deposit{Account: dora, Asset: 3, Amount: d("5")})
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("5")})
	w.must(with(asks("ltc", "1"), func(c *schema.RequestWithdrawal) { c.Asset = 3 })) // 1
	w.must(with(asks("anna", "1"), func(c *schema.RequestWithdrawal) { c.Account = anna }))
	for i := range 99 {
		w.must(asks(fmt.Sprint(i), "0.1")) // 3 to 101
	}
	w.decided("olga", 3, schema.FreezeWithdrawal)
	w.decided("olga", 3, schema.ReleaseWithdrawal)
	w.decided("olga", 3, schema.ApproveWithdrawal) // it is the last now
	w.must(asks("last", "0.2"))                    // 102
	w.block(anna, "anna")
	w.must(mines(1))
	if e := w.last.Events[0].(*schema.WithdrawalChanged).Withdrawal; e.ID != 2 || e.Status != schema.WithdrawalReview || e.Needed != 1 || e.Approver != "" || e.Changed != w.time || e.Tx != "" {
		t.Errorf("the first event is %+v", e)
	}
	if got := len(w.last.Events); got != 101 {
		t.Errorf("%d events", got)
	}
	w.withdrawal(4, schema.WithdrawalMined, 1)
	w.withdrawal(101, schema.WithdrawalMined, 1)
	w.withdrawal(3, schema.WithdrawalMined, 1)
	w.withdrawal(102, schema.WithdrawalQueued, 0)
	w.withdrawal(1, schema.WithdrawalQueued, 0)
	w.must(mines(1))
	w.happened("withdrawal 102 of 104: 0.2 for 0 mined at 2", "withdrawal 1 of 104: 1 for 0 mined at 2", "chain 1 at 2")
	// Approved while it is blocked it comes back, until it is not.
	w.decided("olga", 2, schema.ApproveWithdrawal)
	w.must(mines(1))
	w.withdrawal(2, schema.WithdrawalReview, 0)
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global}})
	w.decided("olga", 2, schema.ApproveWithdrawal)
	w.must(mines(1))
	w.withdrawal(2, schema.WithdrawalMined, 4)
	// What is sent already is paid again in any case.
	w.block(anna, "anna")
	w.must(reorgs(1))
	w.withdrawal(2, schema.WithdrawalMined, 4)
	w.must(mines(2))
	w.withdrawal(2, schema.WithdrawalDone, 4)
}

// TestPayoutsCountAsSteps: those that go back to the operators too.
func TestPayoutsCountAsSteps(t *testing.T) {
	w := newPayouts(t)
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("5")})
	w.must(with(asks("anna", "1"), func(c *schema.RequestWithdrawal) { c.Account = anna }))
	w.must(asks("a", "1"))
	w.block(anna, "anna")
	w.must(pays(1, "1"))
	w.ChainSteps = 4 // the block, its receipt and two payouts
	w.must(mines(2))
	if c := w.chains.all[0]; c.busy || c.toMine != 1 || c.height() != 1 {
		t.Errorf("%t, %d are to be made after %d", c.busy, c.toMine, c.height())
	}
	w.ChainSteps = 5
	w.tickNow() // a block, and the deposit can be traded
	if c := w.chains.all[0]; c.busy || c.toMine != 0 || c.height() != 2 {
		t.Errorf("%t, %d are to be made after %d", c.busy, c.toMine, c.height())
	}
	w.ChainSteps = 2
	w.must(mines(1)) // a block, the deposit is credited, the payout waits
	if c := w.chains.all[0]; !c.busy {
		t.Error("the chain is not busy")
	}
	w.deposit(1, schema.DepositCredited, 1, "0")
	w.withdrawal(2, schema.WithdrawalMined, 1)
	w.timer(w.time)
	w.tickNow()
	w.withdrawal(2, schema.WithdrawalDone, 1)
}

// TestRewindOfMined: it is sent, and the next block pays it again, before those that were never paid.
func TestRewindOfMined(t *testing.T) {
	w := newPayouts(t)
	w.must(asks("a", "1"))
	w.must(mines(1))
	w.must(asks("b", "2"))
	w.must(asks("c", "3"))
	w.must(mines(1))
	mined := w.time
	w.must(asks("d", "4"))
	w.must(reorgs(2))
	w.happened("chain 1 at 0",
		"withdrawal 3 of 104: 3 for 0 sent at 0", "withdrawal 2 of 104: 2 for 0 sent at 0", "withdrawal 1 of 104: 1 for 0 sent at 0",
		"withdrawal 3 of 104: 3 for 0 mined at 1", "withdrawal 2 of 104: 2 for 0 mined at 1", "withdrawal 1 of 104: 1 for 0 mined at 1",
		"withdrawal 4 of 104: 4 for 0 mined at 1", "chain 1 at 1", "chain 1 at 2", "chain 1 at 3",
		"104 main of 1 by withdrawal for 0: 90 7", "8 main of 1 by withdrawal for 0: 3 0", "withdrawal 3 of 104: 3 for 0 done at 1",
		"104 main of 1 by withdrawal for 0: 90 5", "8 main of 1 by withdrawal for 0: 5 0", "withdrawal 2 of 104: 2 for 0 done at 1",
		"104 main of 1 by withdrawal for 0: 90 4", "8 main of 1 by withdrawal for 0: 6 0", "withdrawal 1 of 104: 1 for 0 done at 1",
		"104 main of 1 by withdrawal for 0: 90 0", "8 main of 1 by withdrawal for 0: 10 0", "withdrawal 4 of 104: 4 for 0 done at 1")
	sent := w.last.Events[1].(*schema.WithdrawalChanged).Withdrawal
	if sent.Tx != schema.SandboxPayout("SAND", 3) || sent.Changed != w.time || sent.Changed == mined {
		t.Errorf("the event is %+v", sent)
	}
	w.coins("-10")
}

// TestSentWithdrawals: they are open, and nothing is decided about them.
func TestSentWithdrawals(t *testing.T) {
	w := newPayouts(t)
	w.must(asks("a", "10"))
	w.must(mines(1))
	w.ChainSteps = 1
	w.must(reorgs(1))
	w.happened("chain 1 at 0", "withdrawal 1 of 104: 10 for 0 sent at 0")
	w.withdrawal(1, schema.WithdrawalSent, 0)
	w.coins("0")
	w.frozen("90", "10")
	for _, v := range []schema.Verdict{schema.ApproveWithdrawal, schema.CancelWithdrawal, schema.FreezeWithdrawal, schema.ReleaseWithdrawal} {
		w.stays(schema.WithdrawalDecided, "olga", 1, v)
	}
	w.ChainSteps = 1000
	w.tickNow()
	w.withdrawal(1, schema.WithdrawalMined, 1)
}

// TestRewindOfDone: it stays done, but is paid again.
func TestRewindOfDone(t *testing.T) {
	w := newPayouts(t)
	w.must(asks("a", "10"))
	w.must(mines(3))
	done := w.time
	w.withdrawal(1, schema.WithdrawalDone, 1)
	w.ChainSteps = 1
	w.must(reorgs(3))
	w.happened("chain 1 at 0", "withdrawal 1 of 104: 10 for 0 done at 0")
	w.coins("0")
	w.frozen("90", "0")
	w.ChainSteps = 1000
	w.tickNow()
	w.happened("withdrawal 1 of 104: 10 for 0 done at 1", "chain 1 at 1", "chain 1 at 2", "chain 1 at 3", "chain 1 at 4")
	if got := w.chains.withdrawal(1); got.Changed != done || got.Tx != schema.SandboxPayout("SAND", 1) {
		t.Errorf("it is %+v", got)
	}
	w.coins("-10")
	w.main(custody, btc, "10")
	w.must(mines(97))
	w.must(mines(1)) // 102
	if w.chains.withdrawal(1) != nil {
		t.Error("the withdrawal is known")
	}
}

// TestPhasesOfPayouts: they are unseated after deposits and before anything is lost, and final before anything is forgotten.
func TestPhasesOfPayouts(t *testing.T) {
	w := newPayouts(t)
	w.must(asks("a", "10"))
	w.must(pays(1, "1"))
	w.must(mines(1))
	w.must(reorgs(1))
	w.happened("chain 1 at 0", "deposit 1 of 104: 1 confirming at 0", "withdrawal 1 of 104: 10 for 0 sent at 0",
		"deposit 1 of 104: 1 confirming at 1", "withdrawal 1 of 104: 10 for 0 mined at 1", "chain 1 at 1",
		"chain 1 at 2", "8 main of 1 by deposit for 0: -1 0", "104 main of 1 by deposit for 0: 91 10", "104 main of 1 by deposit for 0: 91 10", "deposit 1 of 104: 1 held at 1")
	w.must(mines(1))
	w.happened("chain 1 at 3", "104 main of 1 by deposit for 0: 91 10", "deposit 1 of 104: 1 credited at 1",
		"104 main of 1 by withdrawal for 0: 91 0", "8 main of 1 by withdrawal for 0: 9 0", "withdrawal 1 of 104: 10 for 0 done at 1")

	// Where there is no network, six blocks confirm.
	w.must(asks("b", "1"))
	w.must(mines(1)) // 4
	w.setBTC(func(a *schema.Asset) { a.Networks = nil })
	w.must(mines(4))
	w.withdrawal(2, schema.WithdrawalMined, 4)
	w.must(mines(1))
	w.withdrawal(2, schema.WithdrawalDone, 4)
}

// TestCoinsAreBoundedBelow: a payout that would be too much waits, and all behind it.
func TestCoinsAreBoundedBelow(t *testing.T) {
	w := newPayouts(t)
	most := owedMost.truncate(unit(8))
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: most.minus(whole(400)).decimal()})
	w.must(with(asks("a", "1"), func(c *schema.RequestWithdrawal) { c.Account, c.Amount = anna, most.minus(whole(400)).decimal() }))
	w.must(mines(3))
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("400")})
	w.must(with(asks("b", "400"), func(c *schema.RequestWithdrawal) { c.Account = anna })) // the lowest that there may be
	w.must(asks("c", "0.00000001"))
	w.must(mines(1))
	w.withdrawal(2, schema.WithdrawalMined, 4)
	w.withdrawal(3, schema.WithdrawalQueued, 0)
	w.coins(most.neg().decimal().String())
	w.must(asks("d", "2"))
	w.must(asks("e", "1"))
	w.decided("olga", 3, schema.CancelWithdrawal)
	w.must(pays(0, "1.5"))
	w.must(mines(1))
	w.withdrawal(4, schema.WithdrawalQueued, 0)
	w.withdrawal(5, schema.WithdrawalQueued, 0) // it waits for the one before it
	w.must(pays(0, "0.5"))
	w.must(mines(1))
	w.happened("deposit 2 of 0: 0.5 confirming at 6", "withdrawal 4 of 104: 2 for 0 mined at 6", "chain 1 at 6",
		"deposit 1 of 0: 1.5 uncredited at 5",
		"101 main of 1 by withdrawal for 0: 0 0", "8 main of 1 by withdrawal for 0: "+most.decimal().String()+" 0", "withdrawal 2 of 101: 400 for 0 done at 4")
	w.withdrawal(5, schema.WithdrawalQueued, 0)
}

// TestPayoutsMakeRoom: for as much as can be counted.
func TestPayoutsMakeRoom(t *testing.T) {
	w := newPayouts(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "OTHER", Driver: schema.Sandbox, Family: schema.XRP, Net: schema.Testnet}})
	w.setBTC(func(a *schema.Asset) {
		other := w.net
		other.Name, other.Chain = "other", 2
		a.Networks = []schema.Network{w.net, other}
	})
	most := owedMost.truncate(unit(8)).minus(whole(400)).decimal()
	for _, on := range []schema.ChainID{sand, 2} {
		w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: most})
		w.refused(because(schema.MoveTooLarge), &schema.Deposit{Account: anna, Asset: btc, Amount: d("0.00000001")})
		w.must(with(asks(fmt.Sprint(on), "1"), func(c *schema.RequestWithdrawal) { c.Account, c.Chain, c.Amount = anna, on, most }))
		w.must(&schema.MineSandbox{Chain: on, Blocks: 3})
		w.audit()
	}
	w.refused(because(schema.MoveTooLarge), &schema.Deposit{Account: anna, Asset: btc, Amount: most})
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("1")})
}

// TestSandboxIsOpenWhileItPays: it makes blocks by itself until all withdrawals are done.
func TestSandboxIsOpenWhileItPays(t *testing.T) {
	w := newPayouts(t)
	w.setSandbox(10*schema.Second, false)
	w.noTimer()
	w.network(func(n *schema.Network) { n.ApproveAbove = d("10") })
	w.must(asks("a", "11"))
	w.noTimer() // it waits for an operator
	w.decided("olga", 1, schema.ApproveWithdrawal)
	w.timer(w.time + 10*schema.Second)
	w.decided("olga", 1, schema.FreezeWithdrawal)
	w.noTimer()
	w.decided("olga", 1, schema.ReleaseWithdrawal)
	w.decided("olga", 1, schema.ApproveWithdrawal)
	w.timer(w.time + 10*schema.Second)
	w.decided("olga", 1, schema.CancelWithdrawal)
	w.noTimer()
	w.must(sends("b", "1"))
	w.timer(w.time + 24*hour)
	asked := w.time
	w.must(asks("c", "1"))
	w.timer(w.time + 10*schema.Second)
	for range 3 {
		next, _ := w.NextTimer()
		w.time = next - 1
		w.tickNow()
	}
	w.withdrawal(3, schema.WithdrawalDone, 1)
	w.timer(asked + 24*hour)
	w.ChainSteps = 1
	w.must(reorgs(3))
	if w.chains.all[0].next != w.time+10*schema.Second {
		t.Errorf("the next block is at %d", w.chains.all[0].next)
	}
}

// newLoss is a world where dora has 20 that are held and withdraws 10: withdrawals of 1 and 4 are queued, one of 2 is frozen and one of
// 3 waits for operators. So much of the rest is in an order. Then the 20 are lost.
func newLoss(t *testing.T, ordered string) *chainWorld {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.DepositFixed, n.CanWithdraw, n.ApproveAbove = d("0"), true, d("7") })
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("10")})
	w.grow(paid("a", 1, "20"))
	w.grow()
	for _, amount := range []string{"1", "2", "3", "4"} {
		w.must(asks(amount, amount))
	}
	w.decided("olga", 2, schema.FreezeWithdrawal)
	w.decided("olga", 3, schema.FreezeWithdrawal)
	w.decided("olga", 3, schema.ReleaseWithdrawal)
	w.decided("olga", 4, schema.ApproveWithdrawal)
	w.has(dora, "20", "20", "0", "0")
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d(ordered), From: schema.Main, To: schema.Trade})
	w.place(dora, limit(schema.Sell, ordered, "1000"))
	w.fall(2)
	w.growBy(8)
	return w
}

// TestLossCancelsWithdrawals: the newest first, and no more than are needed.
func TestLossCancelsWithdrawals(t *testing.T) {
	w := newLoss(t, "5")
	w.happened("chain 1 at 1009", "104 main of 1 by deposit for 0: 15 10",
		"104 main of 1 by reversal for 0: 0 10", "8 main of 1 by reversal for 0: -5 0",
		"104 main of 1 by withdrawal for 0: 4 6", "withdrawal 4 of 104: 4 for 0 canceled at 0",
		"104 main of 1 by reversal for 0: 0 6", "8 main of 1 by reversal for 0: -1 0",
		"104 main of 1 by withdrawal for 0: 3 3", "withdrawal 3 of 104: 3 for 0 canceled at 0",
		"104 main of 1 by reversal for 0: 2 3", "8 main of 1 by reversal for 0: 0 0",
		"deposit 1 of 104: 20 lost at 0")
	w.has(dora, "2", "0", "0", "0")
	w.stays(schema.WithdrawalUnknown, "olga", 3, schema.CancelWithdrawal)
	w.withdrawal(1, schema.WithdrawalQueued, 0)
	w.withdrawal(2, schema.WithdrawalFrozen, 0)
}

// TestLossBeyondWithdrawals: what they do not cover is owed.
func TestLossBeyondWithdrawals(t *testing.T) {
	w := newLoss(t, "19")
	w.has(dora, "0", "0", "0", "9")
	w.frozen("0", "0")
	for id := range schema.WithdrawalID(4) {
		w.stays(schema.WithdrawalUnknown, "olga", id+1, schema.CancelWithdrawal)
	}
	w.main(schema.House, btc, "-9")
}
