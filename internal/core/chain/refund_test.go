package chain

import (
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// declined is a rich exchange that canceled a deposit of 4 toys of alice in block 1, and has it in Suspense.
func declined(t *testing.T, edits ...func(*schema.Asset, *schema.Network)) *exchange {
	x := rich(t, edits...)
	x.payToy("4", 1)
	x.mines(1)
	x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit}, schema.OK)
	x.mines(2)
	x.is(1, schema.DepositCanceled, 1)
	x.toys(schema.Suspense, "4", "0")
	return x
}

func refund(edits ...func(*schema.RefundDeposit)) *schema.RefundDeposit {
	c := &schema.RefundDeposit{Account: alice, Deposit: 1, Address: "elsewhere", Memo: "sorry"}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

// set changes how the sandbox behaves.
func (x *exchange) set(stuck bool) {
	x.t.Helper()
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet, Stuck: stuck}}, schema.OK)
}

// books holds what there is of toys on the sandbox, and what of it is booked, to amounts.
func (x *exchange) books(coins, booked string) {
	x.t.Helper()
	b := x.Bookings(play)[0]
	if b.Coins != fixed.MustParse(coins) || b.Booked != fixed.MustParse(booked) {
		x.t.Errorf("there are %s, %s booked, want %s and %s", b.Coins, b.Booked, coins, booked)
	}
}

func TestARefundLeavesWithABlock(t *testing.T) {
	x := declined(t)
	x.do(refund(), schema.OK)
	x.leaves("1 queued at 0")
	w := *x.out.Result.Withdrawal
	want := schema.Withdrawal{
		ID: 1, Account: alice, Chain: play, Asset: toy, Amount: fixed.MustParse("3.86"), Fee: fixed.MustParse("0.14"), Status: schema.WithdrawalQueued,
		Created: x.now, Changed: x.now, Address: "elsewhere", Memo: "sorry", Refund: 1, Deposited: w.Deposited,
	}
	if deposit, _ := x.Deposit(1); w != want || w.Deposited != deposit.Created {
		t.Errorf("%+v, want %+v", w, want)
	}
	x.toys(alice, "10", "0")
	x.toys(schema.Suspense, "4", "0")
	x.do(refund(), schema.NotRefundable)
	x.mines(1)
	x.leaves("1 mined at 4")
	x.books("0.14", "4")
	x.toys(schema.Suspense, "4", "0")
	x.do(refund(), schema.NotRefundable)
	x.mines(2)
	x.leaves("1 done at 4")
	x.books("0.14", "0.14")
	x.toys(schema.Suspense, "0", "0")
	x.toys(schema.Custody, "-0.14", "0")
	x.toys(schema.Fees, "0.14", "0")
	x.toys(alice, "10", "0")
	x.do(refund(), schema.NotRefundable)
	x.mines(99)
	if _, known := x.Withdrawal(1); known {
		t.Error("a refund is remembered whose block cannot be rewound")
	}
	x.do(refund(), schema.NotRefundable)
	x.is(1, schema.DepositCanceled, 1)
	x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit}, schema.DepositDecided)
}

func TestWhatCannotBeRefunded(t *testing.T) {
	x := declined(t)
	for _, c := range []struct {
		edit func(*schema.RefundDeposit)
		want schema.Reason
	}{
		{func(c *schema.RefundDeposit) { c.Account = 999 }, schema.AccountUnknown},
		{func(c *schema.RefundDeposit) { c.Deposit = 2 }, schema.DepositUnknown},
		{func(c *schema.RefundDeposit) { c.Account = ben }, schema.DepositUnknown},
		{func(c *schema.RefundDeposit) { c.Address = "" }, schema.WithdrawAddressInvalid},
		{func(c *schema.RefundDeposit) { c.Address = strings.Repeat("x", schema.MaxAddressText+1) }, schema.WithdrawAddressInvalid},
		{func(c *schema.RefundDeposit) { c.Memo = strings.Repeat("x", schema.MaxMemo+1) }, schema.WithdrawAddressInvalid},
		{func(c *schema.RefundDeposit) { c.Index = 2 }, schema.WithdrawAddressInvalid},
		{func(c *schema.RefundDeposit) { c.Index = 77 }, schema.WithdrawAddressInvalid},
	} {
		x.do(refund(c.edit), c.want)
	}
	x.accounts.Get(alice).Blocked = true
	x.do(refund(), schema.AccountBlocked)
	x.accounts.Get(alice).Blocked = false
	for _, edit := range []func(*schema.Asset, *schema.Network){
		func(_ *schema.Asset, n *schema.Network) {
			n.WithdrawFixed, n.WithdrawPercent = fixed.FromInt(4), fixed.Zero
		},
		func(_ *schema.Asset, n *schema.Network) {
			n.WithdrawFixed, n.WithdrawPercent = fixed.MustParse("170141183460469231731"), fixed.FromInt(100)
		},
		func(_ *schema.Asset, n *schema.Network) { n.Chain = 0 },
	} {
		x.network(edit)
		x.do(refund(), schema.NotRefundable)
	}
	x.network()

	// Not deep enough, not canceled, and in no block.
	x.payToy("2", 1)
	x.payToy("3", 1)
	x.mines(1)
	second := func(c *schema.RefundDeposit) { c.Deposit = 2 }
	x.do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit}, schema.OK)
	x.do(&schema.DecideDeposit{Deposit: 3, Decision: schema.FreezeDeposit}, schema.OK)
	x.do(refund(second), schema.NotRefundable)
	x.mines(2)
	x.do(refund(func(c *schema.RefundDeposit) { c.Deposit = 3 }), schema.NotRefundable)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 3, DropAll: true}, schema.OK)
	x.do(refund(second), schema.NotRefundable)
	x.do(refund(), schema.OK)
	if w := x.out.Result.Withdrawal; w.ID != 1 {
		t.Errorf("refused refunds were numbered: %d", w.ID)
	}
}

// Nothing that bounds what accounts withdraw binds a refund, and it counts for none of it.
func TestNothingBoundsARefund(t *testing.T) {
	x := declined(t, func(a *schema.Asset, n *schema.Network) {
		a.MinWithdraw, n.HourCap, n.ApproveAbove = fixed.FromInt(9), fixed.One, fixed.One
	})
	x.listing.MarketChanged = func(schema.MarketID) {}
	x.do(&schema.SetMarket{Market: schema.MarketInfo{Name: "COIN_TOY", Base: coin, Quote: toy, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8}}, schema.OK)
	x.do(&schema.SetTier{Tier: schema.Tier{Day: fixed.One}}, schema.OK)
	x.accounts.Get(alice).RestrictedUntil = day
	x.do(refund(), schema.OK)
	x.leaves("1 queued at 0")
	l := x.find(play).lane(toy)
	if _, left := x.tiers.Of(alice); left.Day != fixed.One || len(x.recent.list) != 0 || l.hourly != (hourly{}) || len(x.open) != 0 {
		t.Errorf("%+v, %+v, %+v, %+v", left, x.recent.list, l.hourly, x.open)
	}
	x.as("ann", 1, schema.CancelWithdrawal, schema.OK)
	if _, left := x.tiers.Of(alice); left.Day != fixed.One {
		t.Errorf("%+v", left)
	}
}

func TestOperatorsDecideAboutRefunds(t *testing.T) {
	x := declined(t)
	x.do(refund(), schema.OK)
	x.as("ann", 1, schema.CancelWithdrawal, schema.OK)
	x.leaves("1 canceled at 0")
	x.toys(alice, "10", "0")
	x.toys(schema.Suspense, "4", "0")
	x.do(refund(), schema.OK)
	x.leaves("2 queued at 0")
	x.as("ann", 2, schema.FreezeWithdrawal, schema.OK)
	x.as("ann", 2, schema.ReleaseWithdrawal, schema.OK)
	x.leaves("2 review at 0")
	x.as("ann", 2, schema.ApproveWithdrawal, schema.OK)
	x.leaves("2 queued at 0")
	x.accounts.Get(alice).Blocked = true
	x.mines(1)
	x.leaves("2 review at 0")
	if w, _ := x.Withdrawal(2); w.Needed != 1 {
		t.Errorf("%+v", w)
	}
	x.as("ann", 2, schema.ApproveWithdrawal, schema.OK)
	x.accounts.Get(alice).Blocked = false
	x.mines(1)
	x.leaves("2 mined at 5")
	x.as("ann", 2, schema.CancelWithdrawal, schema.WithdrawalDecided)
}

// While a deposit is in no block, nothing of it is sent back.
func TestARewoundDepositCancelsItsRefund(t *testing.T) {
	release := func(x *exchange) {
		x.as("ann", 1, schema.FreezeWithdrawal, schema.OK)
		x.as("ann", 1, schema.ReleaseWithdrawal, schema.OK)
	}
	freeze := func(x *exchange) { x.as("ann", 1, schema.FreezeWithdrawal, schema.OK) }
	for _, decide := range []func(*exchange){func(*exchange) {}, freeze, release} {
		x := declined(t)
		x.set(true)
		x.do(refund(), schema.OK)
		decide(x)
		x.do(&schema.ReorgSandbox{Chain: play, Depth: 2}, schema.OK) // the block of the deposit stays
		x.leaves()
		x.do(&schema.ReorgSandbox{Chain: play, Depth: 4}, schema.OK)
		x.leaves("1 canceled at 0")
		if len(x.byNumber) != 0 {
			t.Errorf("%+v", x.byNumber)
		}
	}
	x := declined(t)
	x.set(true)
	x.do(refund(), schema.OK)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 3}, schema.OK)
	x.leaves("1 canceled at 0")
	x.is(1, schema.DepositCanceled, 1)
	x.toys(schema.Suspense, "4", "0")
	x.do(refund(), schema.OK)
	x.as("ann", 2, schema.FreezeWithdrawal, schema.OK)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 4, DropAll: true}, schema.OK)
	x.leaves("2 canceled at 0")
	x.mines(6)
	x.is(1, schema.DepositLost, 0)
	x.toys(schema.Suspense, "0", "0")
	x.toys(schema.House, "0", "0")
	x.books("0", "0")
	x.do(refund(), schema.NotRefundable)
}

// What was sent back is the exchange's loss when the chain takes the deposit.
func TestALostDepositThatWasSentBack(t *testing.T) {
	t.Run("and is done", func(t *testing.T) {
		x := declined(t)
		x.do(refund(), schema.OK)
		x.mines(3)
		x.leaves("1 mined at 4", "1 done at 4")
		x.do(&schema.ReorgSandbox{Chain: play, Depth: 6, DropAll: true}, schema.OK)
		x.leaves("1 done at 0", "1 done at 1")
		x.mines(4)
		x.toys(schema.House, "0", "0")
		x.mines(1)
		x.is(1, schema.DepositLost, 0)
		x.toys(schema.House, "-4", "0")
		x.toys(schema.Suspense, "0", "0")
		x.toys(schema.Custody, "3.86", "0")
		x.books("-3.86", "-3.86")
		x.do(refund(), schema.NotRefundable)
	})
	t.Run("and is not final", func(t *testing.T) {
		x := declined(t)
		x.do(refund(), schema.OK)
		x.mines(1)
		x.leaves("1 mined at 4")
		x.set(true)
		x.do(&schema.ReorgSandbox{Chain: play, Depth: 4, DropAll: true}, schema.OK)
		x.leaves("1 sent at 0")
		x.mines(5)
		x.is(1, schema.DepositLost, 0)
		x.toys(schema.House, "-4", "0")
		x.toys(schema.Suspense, "4", "0")
		x.toys(schema.Custody, "0", "0")
		x.books("0", "0")
		x.set(false)
		x.mines(3)
		x.leaves("1 mined at 11", "1 done at 11")
		x.toys(schema.Suspense, "0", "0")
		x.toys(schema.Fees, "0.14", "0")
		x.toys(schema.Custody, "3.86", "0")
		x.books("-3.86", "-3.86")
		x.mines(100)
		x.toys(schema.House, "-4", "0")
	})
}

// sentBack is an exchange whose watched chain lost a deposit of 4 coins of alice that was sent back.
func sentBack(t *testing.T) *exchange {
	x := open(t)
	x.block(10, 0, 0, receipt("b", "1", 2))
	x.block(11, 0, 0, receipt("a", "4", 1))
	x.do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit}, schema.OK)
	x.block(12, 0, 0)
	x.block(13, 0, 0)
	x.do(refund(func(c *schema.RefundDeposit) { c.Deposit = 2 }), schema.OK)
	x.do(&schema.PlanPayout{
		Chain: bitcoin, Payout: 1, Asset: coin, Withdrawals: []schema.WithdrawalID{1}, Inputs: []string{"a", "b"}, Fee: fixed.One, Tx: "tx", Unsigned: []byte("u"),
	}, schema.OK)
	x.do(&schema.SignPayout{Payout: 1, Tx: "tx", Raw: []byte("raw")}, schema.OK)
	x.rewound(10, 0)
	x.leaves()
	x.block(11, 1, 0)
	for height := uint64(12); height <= 19; height++ {
		x.block(height, 1, 1)
	}
	x.is(2, schema.DepositLost, 0)
	x.has(schema.House, schema.Main, "-4", "0")
	x.has(schema.Suspense, schema.Main, "4", "0")
	return x
}

// What the exchange lost comes back with the receipt, and only what is more is the account's.
func TestALostDepositThatWasSentBackReturns(t *testing.T) {
	x := sentBack(t)
	x.block(20, 1, 1, receipt("a", "5", 1))
	x.block(21, 1, 1)
	x.has(alice, schema.Main, "0", "0")
	x.block(22, 1, 1)
	x.is(3, schema.DepositCredited, 20)
	x.has(schema.House, schema.Main, "0", "0")
	x.has(alice, schema.Main, "1", "0")
	x.has(schema.Suspense, schema.Main, "4", "0") // of the refund that is under way
}

func TestRefundsThatCannotBeAreNotRead(t *testing.T) {
	parts := func() (*exchange, *deposit, *withdrawal) {
		x := declined(t)
		x.do(refund(), schema.OK)
		return x, x.deposits.At(x.places[1]), x.withdrawals.At(x.byNumber[1])
	}
	for says, change := range map[string]func(*exchange, *deposit, *withdrawal){
		"withdrawal 1: it stands in the wrong place": func(_ *exchange, d *deposit, _ *withdrawal) { d.refund = 2 },
		"withdrawal 1: it stands in the wrong":       func(_ *exchange, _ *deposit, w *withdrawal) { w.Refund = 2 },
		"withdrawal 1: it stands in the":             func(_ *exchange, _ *deposit, w *withdrawal) { w.Account = ben },
		"withdrawal 1: it stands in":                 func(_ *exchange, _ *deposit, w *withdrawal) { w.Fee = fixed.Zero },
		"withdrawal 1: it stands":                    func(_ *exchange, _ *deposit, w *withdrawal) { w.Unique = "mine" },
		"withdrawal 1: it":                           func(_ *exchange, _ *deposit, w *withdrawal) { w.To = ben },
		"withdrawal 1:":                              func(_ *exchange, _ *deposit, w *withdrawal) { w.counted = fixed.One },
		"deposit 1: it stands in the wrong place":    func(_ *exchange, d *deposit, _ *withdrawal) { d.posted = false },
		"deposit 1: it stands in the wrong":          func(_ *exchange, d *deposit, _ *withdrawal) { d.Status = schema.DepositFrozen },
		"deposit 1: it stands in the":                func(_ *exchange, d *deposit, _ *withdrawal) { d.Status = schema.DepositLost },
		"refund 7 of deposit 1 was never made": func(x *exchange, d *deposit, _ *withdrawal) {
			x.as("ann", 1, schema.CancelWithdrawal, schema.OK)
			d.refund = 7
		},
		"refund 2 of deposit 1 was never made, or is of something else": func(x *exchange, d *deposit, _ *withdrawal) {
			x.as("ann", 1, schema.CancelWithdrawal, schema.OK)
			x.do(request("mine", "4"), schema.OK)
			d.refund = 2
		},
		"refund 1 of deposit 1 was never made, or is of something else": func(x *exchange, d *deposit, _ *withdrawal) {
			x.mines(100)
			x.payToy("3", 1)
			x.mines(1)
			x.do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit}, schema.OK)
			x.mines(3)
			x.deposits.At(x.places[2]).refund = d.refund
		},
		"suspense has 4 of TOY, and 0 waits there": func(x *exchange, d *deposit, _ *withdrawal) {
			x.as("ann", 1, schema.CancelWithdrawal, schema.OK)
			d.refund = 1
		},
		"account 101 has 0 of asset 2 frozen, and 4 ": func(_ *exchange, d *deposit, w *withdrawal) { d.refund, w.Refund, w.Unique = 0, 0, "mine" },
	} {
		t.Run(says, func(t *testing.T) {
			x, d, w := parts()
			x.t = t
			x.unreadable(says, func() { change(x, d, w) })
		})
	}
	x := sentBack(t)
	x.unreadable("withdrawal 1 of payout 1 is not bound to it", func() {
		l := x.find(bitcoin).lane(coin)
		place := l.sent.First
		x.withdrawals.Pull(place)
		x.withdrawals.Push(&l.queued, place)
		x.withdrawals.At(place).Status = schema.WithdrawalQueued
	})
}
