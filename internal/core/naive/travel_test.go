package naive

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// moves puts an account into a region.
func (w *chainWorld) moves(a schema.AccountID, name string, region schema.Region) {
	w.t.Helper()
	w.must(&schema.SetAccount{Account: schema.Account{ID: a, Name: name, Region: region}})
}

// newTravel is newChains with dora in the EU, and a deposit of 2 of hers that waits for who sent it, in block 1002 of 1005.
func newTravel(t *testing.T) *chainWorld {
	w := newChains(t)
	w.moves(dora, "dora", schema.EU)
	w.grow(paid("a", 1, "2"))
	w.growBy(3)
	w.deposit(1, schema.DepositTravel, 1002, "0")
	return w
}

// says is what dora says about her first deposit.
func says(sealed string) *schema.SubmitTravel {
	return &schema.SubmitTravel{Account: dora, Deposit: 1, Sealed: []byte(sealed)}
}

// keeps compares what is kept of what was said about a deposit.
func (w *chainWorld) keeps(id schema.DepositID, want string) {
	w.t.Helper()
	if got := w.Travel(id); string(got) != want || want == "" && got != nil {
		w.t.Errorf("of deposit %d %q is kept, want %q", id, got, want)
	}
}

// keepsOf compares what is kept of what was said about a withdrawal.
func (w *chainWorld) keepsOf(id schema.WithdrawalID, want string) {
	w.t.Helper()
	if got := w.TravelOf(id); string(got) != want || want == "" && got != nil {
		w.t.Errorf("of withdrawal %d %q is kept, want %q", id, got, want)
	}
}

func (w *chainWorld) suspended(amount string) {
	w.t.Helper()
	if got, _, _ := w.Balance(schema.Suspense, schema.Main, btc); got != d(amount) {
		w.t.Errorf("Suspense has %s, want %s", got, amount)
	}
}

func setVASP(id, name string) *schema.SetVASP {
	return &schema.SetVASP{VASP: schema.VASP{ID: id, Name: name}}
}

func TestSetVASP(t *testing.T) {
	w := newChains(t)
	w.must(setVASP("b", "Bank"))
	w.happened()
	w.must(setVASP(strings.Repeat("a", 100), strings.Repeat("n", 200)))
	w.must(setVASP("b", "Better bank"))
	w.must(setVASP("c", "Custodian"))
	w.must(setVASP("c", ""))
	w.must(setVASP("unknown", ""))
	for _, wrong := range []*schema.SetVASP{
		setVASP("", "n"), setVASP("", ""), setVASP(strings.Repeat("a", 101), "n"), setVASP(strings.Repeat("a", 101), ""), setVASP("b", strings.Repeat("n", 201)),
	} {
		w.refused(because(schema.VASPInvalid), wrong)
	}
	if want := []schema.VASP{{ID: strings.Repeat("a", 100), Name: strings.Repeat("n", 200)}, {ID: "b", Name: "Better bank"}}; !slices.Equal(w.VASPs(), want) {
		t.Errorf("there are %+v", w.VASPs())
	}
	for n := range 998 {
		w.must(setVASP(fmt.Sprintf("v%03d", n), "n"))
	}
	w.refused(schema.Rejection{Reason: schema.VASPsTooMany, Value: d("1000")}, setVASP("one more", "n"))
	w.refused(because(schema.VASPInvalid), setVASP("one more", strings.Repeat("n", 201)))
	w.must(setVASP("one more", "")) // it was not known
	w.must(setVASP("b", "Bank"))
	w.must(setVASP("v000", ""))
	w.must(setVASP("one more", "n"))
	if got := w.VASPs(); len(got) != 1000 || got[1].Name != "Bank" || got[2].ID != "one more" || got[3].ID != "v001" {
		t.Errorf("there are %d, the second to fourth are %+v", len(got), got[1:4])
	}
}

// TestTravelDeposit: it is never held, and waits in Suspense with all of it until an operator knows who sent it. Then it costs nothing.
func TestTravelDeposit(t *testing.T) {
	w := newChains(t)
	w.moves(dora, "dora", schema.EU)
	w.grow(paid("a", 1, "2"), paid("b", 2, "2"))
	w.grow()
	w.deposit(1, schema.DepositConfirming, 1002, "0")
	w.deposit(2, schema.DepositHeld, 1002, "0.1") // emil is elsewhere
	w.has(dora, "0", "0", "0", "0")
	w.growBy(2)
	w.happened("chain 1 at 1005", "8 main of 1 by deposit for 0: -4 0", "9 main of 1 by deposit for 0: 2 0", "deposit 1 of 104: 2 travel at 1002",
		"105 main of 1 by deposit for 0: 1.9 0", "deposit 2 of 105: 2 credited at 1002")
	w.deposit(1, schema.DepositTravel, 1002, "0")
	if got := w.chains.deposit(1); got.Changed != w.time {
		t.Errorf("the deposit changed at %d", got.Changed)
	}
	w.keeps(1, "")

	sent := says("sealed")
	if got := w.must(sent); got.ID != 1 {
		t.Errorf("the result is %+v", got)
	}
	w.happened("deposit 1 of 104: 2 review at 1002")
	if got := w.chains.deposit(1); got.Changed != w.time {
		t.Errorf("the deposit changed at %d", got.Changed)
	}
	sent.Sealed[0] = 'S' // the exchange has its own
	w.keeps(1, "sealed")
	w.refused(because(schema.TravelNotAsked), says("again"))
	w.suspended("2")
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit})
	w.happened("9 main of 1 by deposit for 0: 0 0", "104 main of 1 by deposit for 0: 2 0", "deposit 1 of 104: 2 credited at 1002")
	w.keeps(1, "")
	w.has(dora, "2", "0", "0", "0")
	w.suspended("0")
}

func TestSubmitTravelIsCheckedInOrder(t *testing.T) {
	w := newChains(t)
	w.moves(dora, "dora", schema.EU)
	w.grow(paid("a", 1, "2"))
	c := &schema.SubmitTravel{Account: schema.House, Deposit: 9}
	w.refused(because(schema.AccountUnknown), c)
	c.Account = carl
	w.block(carl, "carl")
	w.refused(because(schema.AccountBlocked), c)
	c.Account = emil
	w.refused(because(schema.DepositUnknown), c)
	c.Deposit = 1
	w.refused(because(schema.DepositUnknown), c)
	c.Account = dora
	w.refused(because(schema.TravelNotAsked), c) // it is confirming
	w.growBy(3)
	w.fall(4)
	w.refused(because(schema.TravelNotAsked), c) // it is in no block
	w.grow(paid("a", 1, "2"))
	w.refused(because(schema.TravelInvalid), c)
	c.Sealed = make([]byte, 8193)
	w.refused(because(schema.TravelInvalid), c)
	w.deposit(1, schema.DepositTravel, 1002, "0")
	w.moves(dora, "dora", schema.Global) // what was asked stays so
	c.Sealed = bytes.Repeat([]byte{7}, 8192)
	w.must(c)
	w.deposit(1, schema.DepositReview, 1002, "0")
	w.keeps(1, string(c.Sealed))
}

// TestTravelOnlyWhereItWouldBeCredited: what is uncredited is that in the EU too, as early as elsewhere.
func TestTravelOnlyWhereItWouldBeCredited(t *testing.T) {
	w := newChains(t)
	w.moves(dora, "dora", schema.EU)
	w.network(func(n *schema.Network) { n.MinDeposit, n.HeldCap = d("1"), d("1") })
	w.grow(paid("a", 1, "0.9"), paid("b", 1, "2"))
	w.grow()
	w.deposit(1, schema.DepositUncredited, 1002, "0")
	w.deposit(2, schema.DepositConfirming, 1002, "0")
	w.network(func(n *schema.Network) { n.CanDeposit = false })
	w.growBy(2)
	w.deposit(2, schema.DepositUncredited, 1002, "0") // it is not offered any more
	w.suspended("2.9")
	w.refused(because(schema.TravelNotAsked), says("x"))

	// The fee alone takes all of it.
	w.network(func(n *schema.Network) { n.CanDeposit, n.MinDeposit = true, d("0") })
	w.grow(paid("c", 1, "0.1"), paid("d", 1, "0.10000001"))
	w.growBy(3)
	w.deposit(3, schema.DepositUncredited, 1006, "0")
	w.deposit(4, schema.DepositTravel, 1006, "0")
}

// TestRegionWhenItMatters: what is held already is credited, and what is not waits.
func TestRegionWhenItMatters(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"))
	w.grow(paid("b", 1, "3"))
	w.deposit(1, schema.DepositHeld, 1002, "0.1")
	w.moves(dora, "dora", schema.EU)
	w.growBy(3)
	w.deposit(1, schema.DepositCredited, 1002, "0.1")
	w.deposit(2, schema.DepositTravel, 1003, "0")
	w.has(dora, "1.9", "0", "0", "0")
	w.grow(paid("c", 1, "4"))
	w.grow()
	w.moves(dora, "dora", schema.Global)
	w.growBy(2)
	w.deposit(3, schema.DepositCredited, 1007, "0.1") // it was not held when it could have been
	w.has(dora, "5.8", "0", "0", "0")
	w.deposit(2, schema.DepositTravel, 1003, "0")
	w.must(&schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit})
	w.has(dora, "8.8", "0", "0", "0")

	// What is nobody's is the business of operators, also where an account in the EU gets it.
	w.moves(emil, "emil", schema.EU)
	w.grow(paid("n", 0, "1"))
	w.growBy(3)
	w.must(&schema.DecideDeposit{Deposit: 4, Decision: schema.CreditDeposit, Account: emil})
	w.has(emil, "1", "0", "0", "0")
}

// TestOriginDoesNotMatterForDeposits: blocks come from no region.
func TestOriginDoesNotMatterForDeposits(t *testing.T) {
	w := newChains(t)
	b := w.nextBlock(paid("a", 1, "2"))
	w.from(schema.Origin{Region: schema.EU}, b)
	w.tip = point{b.Height, b.Hash}
	for range 3 {
		b := w.nextBlock()
		w.from(schema.Origin{Region: schema.EU}, b)
		w.tip = point{b.Height, b.Hash}
	}
	w.deposit(1, schema.DepositCredited, 1002, "0.1")
}

// TestTravelDepositsAreDecided: as uncredited ones, said or not, and what was said is forgotten.
func TestTravelDepositsAreDecided(t *testing.T) {
	decision := func(d schema.Decision) *schema.DecideDeposit {
		return &schema.DecideDeposit{Deposit: 1, Decision: d}
	}
	for _, said := range []bool{false, true} {
		for what, want := range map[schema.Decision]schema.DepositStatus{
			schema.CreditDeposit: schema.DepositCredited, schema.CancelDeposit: schema.DepositCanceled, schema.FreezeDeposit: schema.DepositFrozen,
		} {
			w := newTravel(t)
			if said {
				w.must(says("sealed"))
			}
			w.refused(because(schema.DepositOwner), &schema.DecideDeposit{Deposit: 1, Decision: what, Account: emil})
			w.must(decision(what))
			w.deposit(1, want, 1002, "0")
			w.keeps(1, "")
			w.refused(because(schema.TravelNotAsked), says("sealed"))
			w.refused(because(schema.DepositDecided), decision(schema.FreezeDeposit))
			switch what {
			case schema.FreezeDeposit:
				w.must(decision(schema.CreditDeposit))
				w.has(dora, "2", "0", "0", "0")
			case schema.CancelDeposit:
				w.suspended("2")
				w.must(&schema.RefundDeposit{Account: dora, Deposit: 1, Address: "r"})
			}
		}
	}
	w := newTravel(t)
	w.must(says("sealed"))
	w.fall(4)
	for _, what := range []schema.Decision{schema.CreditDeposit, schema.CancelDeposit, schema.FreezeDeposit} {
		w.refused(because(schema.DepositDecided), decision(what)) // it is in no block
	}
	w.keeps(1, "sealed")
}

// TestFrozenBeforeItIsAsked: the operator decides about it alone.
func TestFrozenBeforeItIsAsked(t *testing.T) {
	w := newChains(t)
	w.moves(dora, "dora", schema.EU)
	w.grow(paid("a", 1, "2"))
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.FreezeDeposit})
	w.growBy(3)
	w.deposit(1, schema.DepositFrozen, 1002, "0")
	w.refused(because(schema.TravelNotAsked), says("sealed"))
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit})
	w.has(dora, "2", "0", "0", "0")
}

// TestTravelGoesOnInAnotherBlock: what is waited for stays what it is, with what was said.
func TestTravelGoesOnInAnotherBlock(t *testing.T) {
	w := newTravel(t)
	w.fall(4)
	w.happened("chain 1 at 1001", "deposit 1 of 104: 2 travel at 0")
	w.suspended("2")
	w.grow(paid("a", 1, "2"))
	w.happened("deposit 1 of 104: 2 travel at 1002", "chain 1 at 1002")
	w.must(says("sealed")) // as deep as it was before
	w.fall(1)
	w.happened("chain 1 at 1001", "deposit 1 of 104: 2 review at 0")
	w.keeps(1, "sealed")
	w.grow(paid("a", 1, "2"))
	w.growBy(3)
	w.happened("chain 1 at 1005") // Suspense has it
	w.keeps(1, "sealed")
	w.deposit(1, schema.DepositReview, 1002, "0")
	w.suspended("2")
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit})
	w.has(dora, "2", "0", "0", "0")
}

// TestLostTravel: Suspense gives it back, and what returns waits again.
func TestLostTravel(t *testing.T) {
	w := newTravel(t)
	w.must(says("sealed"))
	w.fall(4)
	w.growBy(9) // 1010
	w.keeps(1, "sealed")
	w.grow()
	w.happened("chain 1 at 1011", "9 main of 1 by reversal for 0: 0 0", "8 main of 1 by reversal for 0: 0 0", "deposit 1 of 104: 2 lost at 0")
	w.keeps(1, "")
	w.refused(because(schema.TravelNotAsked), says("sealed"))
	w.grow(paid("a", 1, "2"))
	w.growBy(3)
	w.deposit(2, schema.DepositTravel, 1012, "0")
	w.suspended("2")
	w.keeps(2, "")

	// One whose receipt changes is lost at once.
	w.must(&schema.SubmitTravel{Account: dora, Deposit: 2, Sealed: []byte("more")})
	w.fall(4)
	w.grow(paid("a", 1, "3"))
	w.deposit(2, schema.DepositLost, 0, "0")
	w.keeps(2, "")
	w.suspended("0")
}

// TestTravelOfWhatTheHouseBore: the house gets it when it is credited, not before.
func TestTravelOfWhatTheHouseBore(t *testing.T) {
	w := newChains(t)
	w.grow(paid("a", 1, "2"))
	w.growBy(3)
	w.fall(4)
	w.growBy(10) // 1011: the house bears 1.9
	w.main(schema.House, btc, "-1.9")
	w.moves(dora, "dora", schema.EU)
	w.grow(paid("a", 1, "2"))
	w.growBy(3)
	w.deposit(2, schema.DepositTravel, 1012, "0")
	w.main(schema.House, btc, "-1.9")
	w.must(&schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit})
	w.main(schema.House, btc, "0")
	w.has(dora, "2", "0", "0", "0") // 1.9 of before and 0.1
}

// TestTravelOfWithdrawals: who sends money out of the exchange by European rules says who gets it, and an operator looks where that is not
// known.
func TestTravelOfWithdrawals(t *testing.T) {
	w := newPayouts(t)
	w.must(setVASP("v", "Bank"))
	said := func(unique, vasp string) *schema.RequestWithdrawal {
		return with(asks(unique, "1"), func(c *schema.RequestWithdrawal) { c.Travel, c.VASP = []byte("sealed "+unique), vasp })
	}
	w.must(said("a", "w"))
	w.withdrawal(1, schema.WithdrawalQueued, 0) // not in the EU
	w.keepsOf(1, "")
	w.moves(dora, "dora", schema.EU)
	w.refused(because(schema.TravelMissing), asks("b", "1"))
	w.refused(because(schema.TravelMissing), with(asks("b", "1"), func(c *schema.RequestWithdrawal) { c.VASP = "v" }))
	sent := said("b", "v")
	got := w.must(sent)
	if want := (schema.Withdrawal{
		ID: 2, Account: dora, Chain: sand, Asset: btc, Amount: d("1"), Status: schema.WithdrawalQueued, Created: w.time, Changed: w.time,
		Address: "r9", Memo: "7", Unique: "b",
	}); *got.Withdrawal != want {
		t.Errorf("the result is %+v", *got.Withdrawal)
	}
	sent.Travel[0] = 'S'
	w.keepsOf(2, "sealed b")
	for i, vasp := range []string{"", "w", "V"} {
		id := schema.WithdrawalID(3 + i)
		if got := w.must(said(fmt.Sprint("c", i), vasp)).Withdrawal; got.ID != id || got.Status != schema.WithdrawalReview || got.Needed != 1 {
			t.Errorf("to %q: %+v", vasp, *got)
		}
		w.keepsOf(id, fmt.Sprint("sealed c", i))
	}
	w.must(setVASP("v", ""))
	if got := w.must(said("d", "v")).Withdrawal; got.Needed != 1 {
		t.Errorf("to a VASP that was forgotten: %+v", *got)
	}
	// It is kept as long as the withdrawal is known.
	w.decided("olga", 3, schema.CancelWithdrawal)
	w.keepsOf(3, "")
	w.decided("olga", 4, schema.ApproveWithdrawal)
	w.must(mines(3))
	w.withdrawal(4, schema.WithdrawalDone, 1)
	w.keepsOf(4, "sealed c1")
	w.must(mines(97))
	w.keepsOf(4, "sealed c1")
	w.must(mines(1))
	w.keepsOf(4, "")
}

// TestTravelByTheOrigin: at the deployment of the EU its rules hold for all.
func TestTravelByTheOrigin(t *testing.T) {
	w := newPayouts(t)
	european := schema.Origin{Region: schema.EU}
	if r := w.from(european, asks("a", "1")); r != because(schema.TravelMissing) {
		t.Errorf("got %q", r.Text())
	}
	if r := w.from(european, with(asks("a", "1"), func(c *schema.RequestWithdrawal) { c.Travel = []byte("x") })); refused(r) {
		t.Errorf("got %q", r.Text())
	}
	w.withdrawal(1, schema.WithdrawalReview, 0)
	w.keepsOf(1, "x")
	w.moves(dora, "dora", schema.EU)
	if r := w.from(schema.Origin{Region: schema.Global}, asks("b", "1")); r != because(schema.TravelMissing) {
		t.Errorf("got %q", r.Text())
	}
}

// TestTravelBetweenAccounts: nothing is asked for, and nothing kept; who gets it has it at once.
func TestTravelBetweenAccounts(t *testing.T) {
	w := newPayouts(t)
	w.moves(dora, "dora", schema.EU)
	w.moves(emil, "emil", schema.EU)
	w.must(sends("a", "1"))
	w.has(emil, "1", "0", "0", "0")
	w.network(func(n *schema.Network) { n.ApproveAbove = d("1") })
	w.must(with(sends("b", "2"), func(c *schema.RequestWithdrawal) { c.Travel, c.VASP = []byte("x"), "v" }))
	w.withdrawal(2, schema.WithdrawalReview, 0)
	w.keepsOf(2, "")
}

// TestTravelIsBounded: everywhere, after the address and before the amount.
func TestTravelIsBounded(t *testing.T) {
	w := newPayouts(t)
	for _, region := range []schema.Region{schema.Global, schema.EU} {
		w.moves(dora, "dora", region)
		for _, c := range []*schema.RequestWithdrawal{asks("a", "0"), sends("a", "0")} {
			c.Travel = make([]byte, 8193)
			w.refused(because(schema.TravelInvalid), c)
			c.Travel, c.VASP = nil, strings.Repeat("v", 101)
			w.refused(because(schema.TravelInvalid), c)
			c.Address = ""
			w.refused(because(schema.WithdrawAddressInvalid), c)
			c.Address, c.Travel, c.VASP = "a", make([]byte, 8192), strings.Repeat("v", 100)
			w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.00000001")}, c)
		}
	}
	w.refused(because(schema.TravelMissing), asks("a", "0"))
}

// TestUnknownVASPAndOtherApprovals: one approval at least, and what is approved does not count for the hour.
func TestUnknownVASPAndOtherApprovals(t *testing.T) {
	w := newPayouts(t)
	w.must(setVASP("v", "Bank"))
	w.moves(dora, "dora", schema.EU)
	w.network(func(n *schema.Network) { n.Approve2Above, n.HourCap = d("50"), d("5") })
	for _, tt := range []struct {
		amount, vasp string
		needed       uint8
	}{
		{"4", "", 1},
		{"60", "", 2},
		{"5", "v", 0}, // the first 4 do not count
		{"1", "v", 1},
		{"1", "", 1},
	} {
		c := with(asks(tt.amount+tt.vasp, tt.amount), func(c *schema.RequestWithdrawal) { c.Travel, c.VASP = []byte("x"), tt.vasp })
		if got := w.must(c).Withdrawal.Needed; got != tt.needed {
			t.Errorf("%s to %q needs %d approvals, want %d", tt.amount, tt.vasp, got, tt.needed)
		}
	}
}

// TestAuditsKeepNothingOfTravel: what operators do is shown without it.
func TestAuditsKeepNothingOfTravel(t *testing.T) {
	w := newTravel(t)
	olga := schema.Origin{Operator: "olga"}
	for _, c := range []schema.Command{
		says("sealed"), &schema.RequestWithdrawal{Account: dora, Travel: []byte("sealed"), VASP: "v"},
	} {
		w.from(olga, c)
		switch kept := w.last.Events[len(w.last.Events)-1].(*schema.AuditRecord).Command.(type) {
		case *schema.SubmitTravel:
			if kept.Sealed != nil || kept.Account != dora || kept.Deposit != 1 {
				t.Errorf("it is %+v", *kept)
			}
		case *schema.RequestWithdrawal:
			if kept.Travel != nil || kept.Account != dora || kept.VASP != "v" {
				t.Errorf("it is %+v", *kept)
			}
		}
	}
	w.keeps(1, "sealed")
}
