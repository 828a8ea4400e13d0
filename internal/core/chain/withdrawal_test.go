package chain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// rich is an exchange where alice has 10 toys, which leave by the sandbox after three blocks, for 0.1 and 1 %.
func rich(t *testing.T, edits ...func(*schema.Asset, *schema.Network)) *exchange {
	x := open(t)
	x.network(edits...)
	x.do(&schema.Deposit{Account: alice, Asset: toy, Amount: fixed.FromInt(10)}, schema.OK)
	return x
}

func (x *exchange) network(edits ...func(*schema.Asset, *schema.Network)) {
	x.t.Helper()
	usual := func(_ *schema.Asset, n *schema.Network) {
		n.CanWithdraw, n.WithdrawFixed, n.WithdrawPercent = true, fixed.MustParse("0.1"), fixed.One
	}
	x.do(asset("TOY", play, append([]func(*schema.Asset, *schema.Network){usual}, edits...)...), schema.OK)
}

func request(unique, amount string, edits ...func(*schema.RequestWithdrawal)) *schema.RequestWithdrawal {
	c := &schema.RequestWithdrawal{Account: alice, Asset: toy, Chain: play, Amount: fixed.MustParse(amount), Address: "elsewhere", Unique: unique}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func toBen(c *schema.RequestWithdrawal) { c.Index = 2 }

func pay(c *schema.RequestWithdrawal) { c.Pay = true }

// toys holds a main wallet to what is available and frozen of toys.
func (x *exchange) toys(account schema.AccountID, available, frozen string) {
	x.t.Helper()
	got, on, _ := x.ledger.Balance(x.ledger.Find(account, schema.Main, toy))
	if got != fixed.MustParse(available) || on != fixed.MustParse(frozen) {
		x.t.Errorf("account %d has %s and %s frozen, want %s and %s", account, got, on, available, frozen)
	}
}

// as applies a command of an operator.
func (x *exchange) as(operator string, id schema.WithdrawalID, v schema.Verdict, want schema.Reason) {
	x.t.Helper()
	x.out.Operator = operator
	x.do(&schema.DecideWithdrawal{Withdrawal: id, Decision: v}, want)
	x.out.Operator = ""
}

func (x *exchange) mines(blocks uint32) {
	x.t.Helper()
	x.do(&schema.MineSandbox{Chain: play, Blocks: blocks}, schema.OK)
}

// leaves are the changes of withdrawals that the last command announced.
func (x *exchange) leaves(want ...string) {
	x.t.Helper()
	var list []string
	for e := range x.out.Events.All() {
		if e, is := e.(*schema.WithdrawalChanged); is {
			list = append(list, fmt.Sprintf("%d %s at %d", e.Withdrawal.ID, e.Withdrawal.Status, e.Withdrawal.Height))
		}
	}
	if got := strings.Join(list, ", "); got != strings.Join(want, ", ") {
		x.t.Errorf("said %q, want %q", got, want)
	}
}

func TestAWithdrawalLeavesWithABlock(t *testing.T) {
	x := rich(t)
	x.do(request("one", "2"), schema.OK)
	w := x.out.Result.Withdrawal
	if w.ID != 1 || w.Amount != fixed.MustParse("1.88") || w.Fee != fixed.MustParse("0.12") || w.Status != schema.WithdrawalQueued || w.Created != x.now || w.Unique != "one" || w.Address != "elsewhere" || w.Needed != 0 {
		t.Errorf("%+v", w)
	}
	x.toys(alice, "8", "2")
	x.do(request("two", "2", pay), schema.OK)
	if w := x.out.Result.Withdrawal; w.Amount != fixed.FromInt(2) || w.Fee != fixed.MustParse("0.12") {
		t.Errorf("%+v", w)
	}
	x.toys(alice, "5.88", "4.12")
	x.mines(1)
	x.leaves("1 mined at 1", "2 mined at 1")
	if w, known := x.Withdrawal(1); !known || w.Tx != schema.SandboxPayout("PLAY", 1) {
		t.Errorf("%+v", w)
	}
	x.mines(2)
	x.leaves("1 done at 1", "2 done at 1")
	x.toys(alice, "5.88", "0")
	x.toys(schema.Fees, "0.24", "0")
	x.toys(schema.Custody, "3.88", "0") // a sandbox pays what operators booked
	if b := x.Bookings(play); len(b) != 1 || b[0].Coins != fixed.MustParse("-3.88") || b[0].Booked != b[0].Coins {
		t.Errorf("%+v", b)
	}
	if _, known := x.Withdrawal(1); !known {
		t.Error("a withdrawal is forgotten while its block can be rewound")
	}
	x.mines(99)
	if _, known := x.Withdrawal(1); known {
		t.Error("a withdrawal is remembered whose block cannot be rewound")
	}
	x.do(request("one", "2"), schema.UniqueTaken)
}

// A withdrawal is in at most one block of the chain, whatever is rewound when.
func TestARewoundWithdrawalIsPaidAgainAndOnce(t *testing.T) {
	x := rich(t)
	x.do(request("one", "2"), schema.OK)
	x.mines(2)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 2, DropAll: true}, schema.OK)
	x.leaves("1 sent at 0", "1 mined at 1", "1 done at 1") // three blocks came for two
	x.toys(alice, "8", "0")
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 3}, schema.OK)
	x.leaves("1 done at 0", "1 done at 1")
	x.toys(alice, "8", "0")
	x.toys(schema.Custody, "1.88", "0")
	if b := x.Bookings(play); b[0].Coins != fixed.MustParse("-1.88") {
		t.Errorf("%+v", b)
	}
}

func TestAnotherCustomersAddressIsPaidAtOnce(t *testing.T) {
	x := rich(t)
	x.do(request("one", "2", toBen), schema.OK)
	x.leaves("1 queued at 0", "1 done at 0")
	if w := x.out.Result.Withdrawal; w.Status != schema.WithdrawalDone || w.To != ben || w.Amount != fixed.FromInt(2) || !w.Fee.IsZero() {
		t.Errorf("%+v", w)
	}
	x.says("1 credited at 0")
	x.toys(alice, "8", "0")
	x.toys(ben, "2", "0")
	x.toys(schema.Fees, "0", "0")
	if _, known := x.Withdrawal(1); known {
		t.Error("it is remembered")
	}
	x.do(request("two", "2", func(c *schema.RequestWithdrawal) { c.Index = 1 }), schema.WithdrawOwnAddress)
	x.do(request("one", "2", toBen), schema.UniqueTaken)
}

func TestWhatCannotBeWithdrawn(t *testing.T) {
	x := rich(t, func(a *schema.Asset, n *schema.Network) {
		a.MinWithdraw, n.MinWithdraw, n.MaxWithdraw = fixed.MustParse("0.01"), fixed.MustParse("0.05"), fixed.FromInt(50)
	})
	for _, c := range []struct {
		edit  func(*schema.RequestWithdrawal)
		want  schema.Reason
		value string
	}{
		{func(c *schema.RequestWithdrawal) { c.Account = 999 }, schema.AccountUnknown, "0"},
		{func(c *schema.RequestWithdrawal) { c.Asset = 9 }, schema.AssetUnknown, "0"},
		{func(c *schema.RequestWithdrawal) { c.Chain = bitcoin }, schema.WithdrawDisabled, "0"},
		{func(c *schema.RequestWithdrawal) { c.Chain = 0 }, schema.WithdrawDisabled, "0"},
		{func(c *schema.RequestWithdrawal) { c.Unique = "" }, schema.UniqueTaken, "0"},
		{func(c *schema.RequestWithdrawal) { c.Unique = strings.Repeat("x", schema.MaxUniqueID+1) }, schema.UniqueTaken, "0"},
		{func(c *schema.RequestWithdrawal) { c.Address = "" }, schema.WithdrawAddressInvalid, "0"},
		{func(c *schema.RequestWithdrawal) { c.Address = strings.Repeat("x", schema.MaxAddressText+1) }, schema.WithdrawAddressInvalid, "0"},
		{func(c *schema.RequestWithdrawal) { c.Memo = strings.Repeat("x", schema.MaxMemo+1) }, schema.WithdrawAddressInvalid, "0"},
		{func(c *schema.RequestWithdrawal) { c.Index = 3 }, schema.WithdrawAddressInvalid, "0"},
		{func(c *schema.RequestWithdrawal) { c.Amount = fixed.Zero }, schema.MoveNotPositive, "0.0001"},
		{func(c *schema.RequestWithdrawal) { c.Amount = fixed.FromUnits(100001, 5) }, schema.WithdrawTooPrecise, "4"},
		{func(c *schema.RequestWithdrawal) { c.Amount = fixed.FromUnits(4, 2) }, schema.WithdrawBelowMin, "0.05"},
		{func(c *schema.RequestWithdrawal) { c.Amount = fixed.FromInt(51) }, schema.WithdrawAboveMax, "50"},
		{func(c *schema.RequestWithdrawal) { c.Amount = fixed.FromUnits(1, 1) }, schema.WithdrawBelowFee, "0.101"},
		{func(c *schema.RequestWithdrawal) { c.Amount = fixed.FromInt(11) }, schema.WithdrawNotCovered, "10"},
		{func(c *schema.RequestWithdrawal) { c.Amount, c.Pay = fixed.FromInt(10), true }, schema.WithdrawNotCovered, "10"},
	} {
		if r := x.do(request("one", "2", c.edit), c.want); r.Value != fixed.MustParse(c.value) {
			t.Errorf("%v: %s, want %s", c.want, r.Value, c.value)
		}
	}
	x.network(func(a *schema.Asset, _ *schema.Network) { a.CanWithdraw = false })
	x.do(request("one", "2"), schema.WithdrawDisabled)
	x.network(func(_ *schema.Asset, n *schema.Network) { n.CanWithdraw = false })
	x.do(request("one", "2"), schema.WithdrawDisabled)
	x.network()
	x.accounts.Get(alice).Blocked = true
	x.do(request("one", "2"), schema.AccountBlocked)
	x.accounts.Get(alice).Blocked = false
	x.toys(alice, "10", "0")
	for i := range mostOpen {
		x.open[alice] = append(x.open[alice], uint32(i))
	}
	x.out.Reset(x.now)
	if r := x.request(request("one", "2")); r.Reason != schema.WithdrawalsTooMany || r.Value != fixed.FromInt(mostOpen) {
		t.Errorf("%v %s", r.Reason, r.Value)
	}
}

func TestOperatorsApproveWhatIsMuch(t *testing.T) {
	x := rich(t, func(_ *schema.Asset, n *schema.Network) {
		n.ApproveAbove, n.Approve2Above = fixed.FromInt(3), fixed.FromInt(5)
	})
	x.do(request("a", "2"), schema.OK)
	x.do(request("b", "1.5"), schema.OK) // 3.5 in a day
	x.leaves("2 review at 0")
	x.do(request("c", "1"), schema.OK)
	x.leaves("3 queued at 0")
	x.do(request("d", "2.5", toBen), schema.OK)
	x.leaves("4 review at 0")
	x.toys(alice, "3", "7")
	x.mines(1)
	x.leaves("1 mined at 1", "3 mined at 1")

	x.as("", 2, schema.ApproveWithdrawal, schema.OperatorMissing)
	x.as("ann", 9, schema.ApproveWithdrawal, schema.WithdrawalUnknown)
	x.as("ann", 2, 0, schema.WithdrawalDecided)
	x.as("ann", 2, schema.ReleaseWithdrawal, schema.WithdrawalDecided)
	x.as("ann", 1, schema.CancelWithdrawal, schema.WithdrawalDecided)
	x.as("ann", 1, schema.FreezeWithdrawal, schema.WithdrawalDecided)
	x.as("ann", 2, schema.ApproveWithdrawal, schema.OK)
	x.leaves("2 queued at 0")
	x.as("ann", 2, schema.ApproveWithdrawal, schema.WithdrawalDecided)
	x.as("ann", 4, schema.ApproveWithdrawal, schema.OK)
	x.leaves("4 review at 0")
	x.as("ann", 4, schema.ApproveWithdrawal, schema.ApprovedBefore)
	x.as("ann", 4, schema.FreezeWithdrawal, schema.OK) // nor does holding it back make one operator two
	x.as("ann", 4, schema.ReleaseWithdrawal, schema.OK)
	x.as("ann", 4, schema.ApproveWithdrawal, schema.ApprovedBefore)
	x.as("bob", 4, schema.ApproveWithdrawal, schema.OK)
	x.leaves("4 queued at 0", "4 done at 0")
	x.toys(ben, "2.5", "0")

	// A day later what was not approved by hand counts no more.
	if at, running := x.NextTimer(); !running || at > x.now+day {
		t.Errorf("a timer runs at %d, %v", at, running)
	}
	x.tick(day)
	x.do(request("e", "3"), schema.OK)
	x.leaves("5 queued at 0")
}

func TestOperatorsHoldBackAndCancel(t *testing.T) {
	x := rich(t)
	x.do(request("a", "2"), schema.OK)
	x.do(request("b", "3"), schema.OK)
	x.as("ann", 1, schema.FreezeWithdrawal, schema.OK)
	x.as("ann", 1, schema.ApproveWithdrawal, schema.WithdrawalDecided)
	x.as("ann", 2, schema.CancelWithdrawal, schema.OK)
	x.toys(alice, "8", "2")
	x.as("ann", 2, schema.CancelWithdrawal, schema.WithdrawalUnknown)
	x.mines(1)
	x.leaves()
	x.as("ann", 1, schema.ReleaseWithdrawal, schema.OK)
	x.leaves("1 review at 0")
	x.as("ann", 1, schema.ApproveWithdrawal, schema.OK)
	x.accounts.Get(alice).Blocked = true
	x.mines(1) // what a blocked account asked for is looked at again
	x.leaves("1 review at 0")
	x.as("ann", 1, schema.CancelWithdrawal, schema.OK)
	x.toys(alice, "10", "0")
}

func TestABlockPaysSoManyAndNoMore(t *testing.T) {
	x := rich(t)
	x.network(func(_ *schema.Asset, n *schema.Network) { n.WithdrawFixed, n.WithdrawPercent = fixed.Zero, fixed.Zero })
	for i := range mostPayouts + 1 {
		x.do(request(fmt.Sprint(i), "0.01"), schema.OK)
	}
	x.mines(1)
	if left := len(x.open[alice]); left != mostPayouts+1 {
		t.Fatalf("%d are under way", left)
	}
	if w, _ := x.Withdrawal(mostPayouts); w.Height != 1 {
		t.Errorf("%+v", w)
	}
	if w, _ := x.Withdrawal(mostPayouts + 1); w.Status != schema.WithdrawalQueued {
		t.Errorf("%+v", w)
	}
	x.mines(1)
	x.leaves(fmt.Sprintf("%d mined at 2", mostPayouts+1))
}

// What a chain took back is taken out of withdrawals that are not sent, the newest first, before the exchange pays for it.
func TestALostDepositStopsWithdrawals(t *testing.T) {
	x := rich(t)
	x.payToy("4", 1)
	x.mines(2)
	x.toys(alice, "14", "0")
	x.do(request("a", "6"), schema.OK)
	x.do(request("b", "3"), schema.OK)
	x.do(request("c", "1"), schema.OK)
	x.do(&schema.Transfer{Account: alice, Asset: toy, Amount: fixed.MustParse("4"), From: schema.Main, To: schema.Trade}, schema.OK)
	trade := x.ledger.Find(alice, schema.Trade, toy)
	x.ledger.Move(trade, x.ledger.Open(ben, schema.Trade, toy), fixed.FromInt(4), byDeposit)
	x.as("ann", 2, schema.FreezeWithdrawal, schema.OK)
	x.as("ann", 1, schema.FreezeWithdrawal, schema.OK)
	x.as("ann", 3, schema.FreezeWithdrawal, schema.OK)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 2, DropAll: true}, schema.OK)
	x.mines(5)
	x.leaves("3 canceled at 0", "2 canceled at 0")
	x.toys(alice, "0", "6")
	x.toys(schema.House, "0", "0")
}

// A chain that somebody watches pays nothing yet: what waits there can be canceled.
func TestWithdrawalsByWatchedChainsWait(t *testing.T) {
	x := open(t)
	x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) { n.CanWithdraw = true }), schema.OK)
	x.do(&schema.Deposit{Account: alice, Asset: coin, Amount: fixed.FromInt(2)}, schema.OK)
	x.do(request("a", "2", func(c *schema.RequestWithdrawal) { c.Asset, c.Chain = coin, bitcoin }), schema.OK)
	x.block(10, 0, 0)
	x.leaves()
	x.as("ann", 1, schema.CancelWithdrawal, schema.OK)
	x.has(alice, schema.Main, "2", "0")
}

// A sandbox may have paid what it never got when a reorganisation takes back what it did get: sums below the usual bound come back with a
// snapshot.
func TestADeepReorganisationBelowZeroCanBeRestored(t *testing.T) {
	x := rich(t, func(_ *schema.Asset, n *schema.Network) { n.WithdrawFixed, n.WithdrawPercent = fixed.Zero, fixed.Zero })
	half, _ := fixed.Div(ledger.Limit, fixed.FromInt(2), 4, fixed.Down)
	half = half.Sub(fixed.FromInt(20))
	x.payToy(half.String(), 1)
	x.mines(3)
	x.do(request("a", half.String()), schema.OK)
	x.mines(3)
	for _, unique := range []string{"b", "c"} {
		x.do(&schema.Deposit{Account: alice, Asset: toy, Amount: half}, schema.OK)
		x.do(request(unique, half.String()), schema.OK)
	}
	x.mines(3)
	x.Steps = 1
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 9}, schema.OK)
	if b := x.Bookings(play); b[0].Coins.Cmp(ledger.Limit.Neg()) >= 0 {
		t.Errorf("the deposit went first and leaves %s", b[0].Coins)
	}
	for range 40 {
		x.tick(1)
	}
	if b := x.Bookings(play); b[0].Coins != half.Add(half).Neg() {
		t.Errorf("%+v", b)
	}
}

// What leaves by a network in an hour of the clock is bounded over all accounts; beyond, an operator looks at it.
func TestAnHourHasACap(t *testing.T) {
	const hour = 3600 * schema.Second
	cap := func(_ *schema.Asset, n *schema.Network) { n.HourCap = fixed.FromInt(5) }
	x := rich(t)
	x.do(request("a", "3"), schema.OK) // before there was a cap
	x.network(cap)
	x.do(&schema.Deposit{Account: ben, Asset: toy, Amount: fixed.FromInt(10)}, schema.OK)
	x.do(request("b", "2", toBen), schema.OK)
	x.do(request("c", "1.9", pay, func(c *schema.RequestWithdrawal) { c.Account = ben }), schema.OK) // and 0.119
	x.leaves("3 queued at 0")
	x.do(request("d", "0.9811"), schema.OK)
	x.leaves("4 review at 0")
	if w := x.out.Result.Withdrawal; w.Needed != 1 {
		t.Errorf("%+v", w)
	}
	x.do(request("e", "0.981"), schema.OK) // what is looked at does not count
	x.leaves("5 queued at 0")
	x.as("ann", 5, schema.CancelWithdrawal, schema.OK) // and is not given back
	x.do(request("f", "0.5"), schema.OK)
	x.leaves("6 review at 0")
	x.now = hour - 2
	x.do(request("g", "0.5"), schema.OK)
	x.leaves("7 review at 0")
	x.do(request("h", "0.5"), schema.OK)
	x.leaves("8 queued at 0")
	if h := x.find(play).lane(toy).hourly; h != (hourly{1, fixed.MustParse("0.5")}) {
		t.Errorf("%+v", h)
	}
	x.network()
	x.do(request("i", "1"), schema.OK)
	x.network(cap, func(_ *schema.Asset, n *schema.Network) { n.Approve2Above = fixed.MustParse("0.5") })
	x.do(request("j", "0.6"), schema.OK)
	if w := x.out.Result.Withdrawal; w.Needed != 2 {
		t.Errorf("%+v", w)
	}
	if h := x.find(play).lane(toy).hourly; h != (hourly{1, fixed.MustParse("0.5")}) {
		t.Errorf("%+v", h)
	}
	l := x.find(play).lane(toy)
	for _, wrong := range []hourly{{-1, fixed.One}, {1, fixed.Zero}, {1, fixed.FromInt(-1)}, {1, fixed.FromUnits(1, 9)}} {
		x.unreadable("what left in an hour cannot be", func() { l.hourly = wrong })
	}
}

// A stuck sandbox makes blocks as ever, and pays nothing in them.
func TestAStuckSandboxPaysNothing(t *testing.T) {
	x := rich(t)
	stuck := schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet, Interval: schema.Second, Stuck: true}
	x.do(request("a", "2"), schema.OK)
	x.mines(1)
	x.do(&schema.SetChain{Chain: stuck}, schema.OK)
	x.do(request("b", "1"), schema.OK)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 1}, schema.OK)
	x.leaves("1 sent at 0")
	x.accounts.Get(alice).Blocked = true
	x.payToy("4", 2)
	x.mines(3)
	x.leaves()
	x.toys(ben, "4", "0")
	if at, running := x.NextTimer(); !running || at == 0 {
		t.Error("a stuck sandbox makes no blocks")
	}
	stuck.Stuck = false
	x.do(&schema.SetChain{Chain: stuck}, schema.OK)
	x.mines(1)
	x.leaves("1 mined at 6", "2 review at 0")
}

// TestSendingIsFree: what is sent without a request passes all checks of one, costs nothing and is in no answer.
func TestSendingIsFree(t *testing.T) {
	x := rich(t)
	for _, m := range []*schema.RequestWithdrawal{
		request("one", "2", func(c *schema.RequestWithdrawal) { c.Account = 99 }),
		request("one", "2", func(c *schema.RequestWithdrawal) { c.Asset = 99 }),
		request("one", "2", func(c *schema.RequestWithdrawal) { c.Chain = bitcoin }),
		request("", "2"),
		request("one", "2", func(c *schema.RequestWithdrawal) { c.Address = "" }),
		request("one", "2", func(c *schema.RequestWithdrawal) { c.Index = 1 }),
		request("one", "0"),
		request("one", "0.00001"),
		request("one", "10.1"),
		request("one", "11"),
	} {
		asked := x.request(m)
		sent, r := x.Send(m)
		if sent != nil || r != asked || !r.Refused() {
			t.Errorf("%+v: %s, and asked for: %s", m, r.Text(), asked.Text())
		}
	}
	var heard []schema.WithdrawalStatus
	x.Withdrew = func(w *schema.Withdrawal, was schema.WithdrawalStatus) { heard = append(heard, was, w.Status) }
	x.now++
	x.out.Reset(x.now)
	sent, r := x.Send(request("one", "2"))
	if r.Refused() || sent.ID != 1 || sent.Amount != fixed.FromInt(2) || !sent.Fee.IsZero() || sent.Status != schema.WithdrawalQueued || sent.Unique != "one" {
		t.Errorf("%+v, %s", sent, r.Text())
	}
	if x.out.Result.Withdrawal != nil {
		t.Error("it is in the answer")
	}
	x.check()
	x.toys(alice, "8", "2")
	if sent, r := x.Send(request("two", "3", toBen)); r.Refused() || sent.Status != schema.WithdrawalDone || !sent.Fee.IsZero() {
		t.Errorf("%+v, %s", sent, r.Text())
	}
	x.check()
	x.toys(alice, "5", "2")
	x.toys(ben, "3", "0")
	if want := []schema.WithdrawalStatus{0, schema.WithdrawalQueued, 0, schema.WithdrawalQueued, schema.WithdrawalQueued, schema.WithdrawalDone}; !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
	x.do(request("one", "2"), schema.UniqueTaken)
	// All of a main wallet can be sent.
	if sent, r := x.Send(request("three", "5")); r.Refused() || sent.Amount != fixed.FromInt(5) {
		t.Errorf("%+v, %s", sent, r.Text())
	}
	x.check()
	x.mines(3)
	x.toys(alice, "0", "0")
	if fees := x.ledger.Available(x.ledger.Find(schema.Fees, schema.Main, toy)); !fees.IsZero() {
		t.Errorf("%s were charged", fees)
	}
}
