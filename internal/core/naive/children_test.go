package naive

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/schema"
)

// newParent is a world where payout 1 is signed and in no block: p spends a of 10 and pays 4, 3 and 2 to ourselves.
func newParent(t *testing.T) *chainWorld {
	w := newStore(t)
	w.must(plans(1, "p", []string{"a"}, own(2, "4"), own(2, "3"), own(2, "2")))
	w.signsVariant(1, 0)
	return w
}

// signsVariant signs a variant of a payout.
func (w *chainWorld) signsVariant(id schema.PayoutID, variant uint32) {
	w.t.Helper()
	w.must(&schema.SignPayout{Payout: id, Variant: variant, Tx: w.chains.payout(id).Variants[variant].Tx, Raw: []byte("raw")})
}

// carries is the next block, with payouts.
func (w *chainWorld) carries(results ...schema.PayoutResult) *schema.ChainBlock {
	b := w.nextBlock()
	b.Results = results
	return b
}

// carried is a variant of a payout in a block, for a fee of 1.
func carried(id schema.PayoutID, variant uint32) schema.PayoutResult {
	return schema.PayoutResult{Payout: id, Variant: variant, Fee: d("1")}
}

// costlier lets a plan cost 2.
func costlier(p *schema.PlanPayout) *schema.PlanPayout {
	p.Fee = d("2")
	return p
}

// paidOut lists payouts as the last command left them.
func (w *chainWorld) paidOut() (list []string) {
	for _, e := range w.last.Events {
		if e, is := e.(*schema.PayoutChanged); is {
			list = append(list, fmt.Sprint(e.Payout.ID, " ", e.Payout.Status))
		}
	}
	return list
}

// payoutsAre compares how far payouts are; "": that is unknown.
func (w *chainWorld) payoutsAre(want ...string) {
	w.t.Helper()
	for i, status := range want {
		got := ""
		if p := w.chains.payout(schema.PayoutID(i + 1)); p != nil {
			got = p.Status.String()
		}
		if got != status {
			w.t.Errorf("payout %d is %q, want %q", i+1, got, status)
		}
	}
	if err := w.Verify(); err != nil {
		w.t.Error(err)
	}
}

func TestChildrenAreRefused(t *testing.T) {
	w := newParent(t)
	w.must(costlier(plans(1, "q", []string{"a"}, own(2, "8"))))
	child := func(inputs ...string) *schema.PlanPayout { return plans(2, "c", inputs, own(3, "3")) }
	missing := func(p *schema.PlanPayout) {
		t.Helper()
		w.refused(because(schema.CoinUnavailable), p)
	}
	missing(child("p:3"))      // that is not there
	missing(child("q:0"))      // the variant is not signed
	missing(child("p:0", "b")) // both kinds
	missing(child("b", "p:0"))
	missing(child("p:0", "p:3"))
	w.must(&schema.SignPayout{Payout: 1, Variant: 1, Tx: "q", Raw: []byte("raw")})
	missing(child("p:0", "q:0")) // several variants
	missing(with(plans(1, "r", []string{"a", "p:0"}, own(2, "11")), func(p *schema.PlanPayout) { p.Fee = d("3") }))
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("9")})
	w.must(asks("a", "2"))
	w.must(asks("b", "1"))
	w.decided("olga", 2, schema.FreezeWithdrawal)
	w.refused(because(schema.WithdrawalNotQueued), with(child("p:3"), func(p *schema.PlanPayout) { p.Withdrawals = []schema.WithdrawalID{2} }))
	missing(with(child("p:3"), func(p *schema.PlanPayout) { p.Withdrawals = []schema.WithdrawalID{1} }))
	for _, outputs := range [][]schema.OwnOutput{
		{own(3, "1"), own(3, "2")},
		{own(coldTwo, "3")},
		{own(coldTwo, "1"), own(3, "2")},
		{own(2, "3")},
		{own(3, "2")},
		{own(3, "4")},
		{},
	} {
		w.invalid(plans(2, "c", []string{"p:0"}, outputs...))
	}
	w.invalid(with(plans(2, "c", []string{"p:0"}, own(3, "1")), func(p *schema.PlanPayout) { p.Withdrawals = []schema.WithdrawalID{1} }))
	w.invalid(with(plans(2, "c", []string{"p:0"}), func(p *schema.PlanPayout) { p.Withdrawals, p.Fee = []schema.WithdrawalID{1}, d("2") }))
	w.invalid(plans(2, "p", []string{"p:0"}, own(3, "3")))
	w.refused(because(schema.PayoutElsewhere), plans(3, "c", []string{"p:0"}, own(4, "3")))
	w.must(child("p:0"))
	if got := w.Parent(2); got != 1 || w.Parent(1) != 0 || w.Parent(3) != 0 {
		t.Errorf("the parent is %d", got)
	}
	missing(plans(3, "e", []string{"p:0"}, own(4, "3"))) // it is reserved
	missing(plans(3, "e", []string{"p:1", "p:0"}, own(4, "6")))
	w.signsVariant(2, 0)
	missing(plans(3, "e", []string{"c:0"}, own(4, "2"))) // its parent is a child
	// What another child does not take is there.
	w.must(plans(3, "e", []string{"p:2", "p:1"}, own(4, "4")))
	w.must(plans(4, "f", []string{"q:0"}, own(5, "7")))
	// A payout that is in a block has no children, also where the variant that is in none has outputs.
	w.taken(w.carries(carried(1, 0)))
	missing(plans(5, "g", []string{"q:0"}, own(6, "7")))
	w.payoutsAre("mined", "sent", "planned", "planned")
	// One that was planned as a child stays one.
	missing(plans(5, "g", []string{"c:0"}, own(6, "2")))
}

// TestChildOfColdStorage: what goes there stays there, also where all accounts are.
func TestChildOfColdStorage(t *testing.T) {
	w := newStore(t)
	w.must(plans(1, "p", []string{"a"}, own(coldOne, "6"), own(2, "3")))
	w.signsVariant(1, 0)
	w.refused(because(schema.CoinUnavailable), plans(2, "c", []string{"p:0"}, own(3, "5")))
	w.refused(because(schema.CoinUnavailable), plans(2, "c", []string{"p:1", "p:0"}, own(3, "8")))
	w.must(plans(2, "c", []string{"p:1"}, own(3, "2")))

	w = newAccounts(t)
	w.must(accountPays(1, schema.Hot, 0, own(coldFirst, "4")))
	w.must(&schema.SignPayout{Payout: 1, Tx: "p", Raw: []byte("raw")})
	w.refused(because(schema.PayoutInvalid), plans(2, "c", []string{"p:0"}, own(3, "3")))
}

// TestChild is the life of one: its coins are in no block until its parent is.
func TestChild(t *testing.T) {
	w := newParent(t)
	a, b := schema.Coin{ID: "a", Amount: d("10"), Height: 1002, Own: 1}, schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1}
	w.holds(a, b)
	w.must(plans(2, "c", []string{"p:1", "p:0"}, own(3, "6")))
	made := w.time
	w.happened("*schema.PayoutChanged")
	if e := w.last.Events[0].(*schema.PayoutChanged).Payout; e.ID != 2 || e.Status != schema.PayoutPlanned || e.Created != made || e.Asset != btc || len(e.Withdrawals) > 0 ||
		!slices.Equal(e.Variants[0].Inputs, []string{"p:1", "p:0"}) || e.Variants[0].Height != 1002 {
		t.Errorf("the event is %+v", e)
	}
	p0, p1 := schema.Coin{ID: "p:0", Amount: d("4"), Own: 2}, schema.Coin{ID: "p:1", Amount: d("3"), Own: 2}
	w.holds(a, b, p0, p1)
	if got := w.Coins(watched, btc); got != d("15") {
		t.Errorf("there are %s", got)
	}
	free := func(want ...schema.Coin) {
		t.Helper()
		if got := w.Free(watched); !slices.Equal(got, want) {
			t.Errorf("free: %+v", got)
		}
	}
	free(b)
	w.signsVariant(2, 0)
	// It is in no block before its parent, and not before it in the same one.
	w.refused(because(schema.BlockInvalid), w.carries(carried(2, 0)))
	w.refused(because(schema.BlockInvalid), w.carries(carried(2, 0), carried(1, 0)))
	w.taken(w.carries(carried(1, 0), carried(2, 0)))
	c0, p2 := schema.Coin{ID: "c:0", Amount: d("6"), Height: 1003, Own: 3}, schema.Coin{ID: "p:2", Amount: d("2"), Height: 1003, Own: 2}
	w.holds(b, c0, p2)
	w.bears("-2", "-13")
	w.fall(1)
	w.happened("chain 1 at 1002", "*schema.PayoutChanged", "*schema.PayoutChanged")
	if got := w.paidOut(); !slices.Equal(got, []string{"2 sent", "1 sent"}) {
		t.Errorf("payouts: %q", got)
	}
	w.bears("-2", "-13") // what was booked stays so until it is paid otherwise
	w.holds(a, b, p0, p1)
	// One after the other: in a block, and reserved.
	w.taken(w.carries(carried(1, 0)))
	p0.Height, p1.Height = 1003, 1003
	w.holds(b, p0, p1, p2)
	free(b, p2)
	w.taken(w.carries(carried(2, 0)))
	c0.Height = 1004
	w.holds(b, c0, p2)
	w.fall(1)
	w.holds(b, p0, p1, p2)
	w.payoutsAre("mined", "sent")
	w.bears("-2", "-13")
	w.taken(w.carries(carried(2, 0)))
	// The parent is forgotten, then the child.
	w.growBy(98)
	w.payoutsAre("mined", "mined")
	w.grow()
	w.payoutsAre("", "mined")
	w.grow()
	w.payoutsAre("", "")
	w.holds(b, c0, p2)
	w.bears("-2", "-13")
}

// TestVariantsOfChildren: they spend their anchor, and what else the child has of its parent, while that is in no block or with what they spend.
func TestVariantsOfChildren(t *testing.T) {
	w := newParent(t)
	w.grow(paid("e", 1, "1"), paid("f", 0, "2"))
	w.must(plans(2, "c", []string{"p:1", "p:0"}, own(3, "6")))
	again := func(tx, fee string, inputs []string, outputs ...schema.OwnOutput) *schema.PlanPayout {
		return with(plans(2, tx, inputs, outputs...), func(p *schema.PlanPayout) { p.Fee = d(fee) })
	}
	w.invalid(again("d", "2", []string{"p:0", "p:1"}, own(3, "5"))) // another anchor
	w.invalid(again("d", "1", []string{"p:1", "p:0"}, own(3, "6"))) // not dearer
	w.invalid(again("d", "2", []string{"p:1", "p:0"}))              // to nobody
	w.invalid(again("d", "2", []string{"p:1", "p:0"}, own(coldTwo, "5")))
	w.refused(because(schema.CoinUnavailable), again("d", "2", []string{"p:1", "p:2"}, own(3, "3"))) // it did not reserve that
	w.refused(because(schema.CoinUnavailable), again("d", "2", []string{"p:1", "nope"}, own(3, "3")))
	w.must(again("d", "2", []string{"p:1", "p:0"}, own(3, "2"), own(3, "3"))) // divided
	w.must(again("e2", "2.5", []string{"p:1"}, own(3, "0.5")))
	w.must(again("f2", "3", []string{"p:1", "e", "p:0"}, own(3, "5")))                      // and others
	w.refused(because(schema.CoinUnavailable), plans(3, "g", []string{"e"}, own(4, "0.5"))) // which are reserved
	w.refused(because(schema.CoinUnavailable), costlier(plans(1, "q", []string{"a", "e"}, own(2, "9"))))
	w.refused(because(schema.CoinUnavailable), plans(3, "g", []string{"p:2", "e"}, own(4, "2")))
	w.fall(1) // e is in no block
	w.refused(because(schema.CoinUnavailable), again("h", "4", []string{"p:1", "e"}, own(3, "0.1")))
	w.must(again("h", "3.5", []string{"p:1", "p:0"}, own(3, "3.5")))
	w.must(costlier(plans(1, "q", []string{"a"}, own(2, "8"))))
	w.signsVariant(1, 1)
	w.taken(w.carries(schema.PayoutResult{Payout: 1, Variant: 1, Fee: d("2")})) // the other variant
	w.refused(because(schema.CoinUnavailable), again("i", "4", []string{"p:1", "p:0"}, own(3, "3")))
	w.fall(1)
	w.must(again("i", "4", []string{"p:1", "p:0"}, own(3, "3")))
	w.taken(w.carries(carried(1, 0)))                                // the one that it spends
	w.must(again("j", "4.5", []string{"p:1", "p:2"}, own(3, "0.5"))) // all is in a block
	w.refused(because(schema.CoinUnavailable), plans(3, "g", []string{"p:2"}, own(4, "1")))
	w.fall(1) // p:2 is its parent's, too
	w.must(again("k", "4.8", []string{"p:1", "p:2"}, own(3, "0.2")))
	if r := w.from(schema.Origin{Operator: "olga"}, &schema.AbandonPayout{Payout: 2}); refused(r) {
		t.Fatal(r.Text())
	}
	w.invalid(again("l", "5", []string{"p:1", "p:0"}, own(3, "1"), own(3, "1")))
	w.must(again("l", "5", []string{"p:1", "p:0"}, own(3, "2")))
	w.signsVariant(2, 8)
	w.taken(w.carries(carried(1, 0)))
	w.taken(w.carries(schema.PayoutResult{Payout: 2, Variant: 8, Fee: d("5")}))
	w.growBy(101)
	w.payoutsAre("", "")
	w.bears("-6.9", "-9")
}

// TestUsualPayoutsMissNothing: one that spends what was in a block when it was planned is no child.
func TestUsualPayoutsMissNothing(t *testing.T) {
	w := newParent(t)
	w.must(costlier(plans(1, "q", []string{"a"}, own(2, "8"))))
	w.signsVariant(1, 1)
	w.taken(w.carries(carried(1, 0)))
	w.must(costlier(plans(2, "c", []string{"p:0"}, own(3, "1.5"), own(3, "0.5"))))
	w.signsVariant(2, 0)
	if w.Parent(2) != 0 {
		t.Error("it is a child")
	}
	w.fall(1)
	w.refused(because(schema.CoinUnavailable), with(plans(2, "d", []string{"p:0"}, own(3, "1")), func(p *schema.PlanPayout) { p.Fee = d("3") }))
	// It has children, as it is none.
	w.must(plans(3, "e", []string{"c:0"}, own(4, "0.5")))
}

// TestWithoutItsParent: children are dead with it where their anchor is in no block.
func TestWithoutItsParent(t *testing.T) {
	// The parent is forgotten in a block with another variant.
	w := newParent(t)
	w.must(costlier(plans(1, "q", []string{"a"}, own(2, "5"), own(2, "3"))))
	w.signsVariant(1, 1)
	w.must(plans(2, "c", []string{"p:0"}, own(3, "3")))
	w.must(plans(3, "e", []string{"q:1"}, own(4, "2")))
	w.must(plans(4, "f", []string{"p:2", "p:1"}, own(5, "4")))
	w.must(with(plans(4, "f2", []string{"p:2", "b"}, own(5, "5")), func(p *schema.PlanPayout) { p.Fee = d("2") }))
	w.taken(w.carries(schema.PayoutResult{Payout: 1, Variant: 1, Fee: d("2")}))
	w.growBy(99)
	w.payoutsAre("mined", "planned", "planned", "planned")
	b := schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1}
	q0, q1 := schema.Coin{ID: "q:0", Amount: d("5"), Height: 1003, Own: 2}, schema.Coin{ID: "q:1", Amount: d("3"), Height: 1003, Own: 2}
	w.holds(b, schema.Coin{ID: "p:0", Amount: d("4"), Own: 2}, schema.Coin{ID: "p:1", Amount: d("3"), Own: 2}, schema.Coin{ID: "p:2", Amount: d("2"), Own: 2}, q0, q1)
	w.ChainSteps = 2 // forgetting it is more, and one step
	w.grow()
	w.stands(1103, false, false)
	if got := w.paidOut(); !slices.Equal(got, []string{"2 dead", "4 dead"}) {
		t.Errorf("payouts: %q", got)
	}
	w.payoutsAre("", "", "planned", "")
	w.holds(b, q0, q1)
	if got := w.Free(watched); !slices.Equal(got, []schema.Coin{b, q0}) {
		t.Errorf("free: %+v", got)
	}
	w.signsVariant(3, 0)
	w.taken(w.carries(carried(3, 0)))

	// Operators hold the parent to be dead.
	w = newParent(t)
	w.must(plans(2, "c", []string{"p:0"}, own(3, "3")))
	w.fall(1)
	w.growBy(100)
	dead := func(operator string, id schema.PayoutID) schema.Rejection {
		return w.from(schema.Origin{Operator: operator}, &schema.AbandonPayout{Payout: id, Dead: true})
	}
	if r := dead("olga", 1); refused(r) {
		t.Fatal(r.Text())
	}
	if r := dead("oscar", 1); refused(r) {
		t.Fatal(r.Text())
	}
	w.happened("*schema.PayoutChanged", "*schema.PayoutChanged", audited)
	if got := w.paidOut(); !slices.Equal(got, []string{"1 dead", "2 dead"}) {
		t.Errorf("payouts: %q", got)
	}
	w.payoutsAre("", "")
	w.holds()

	// A spend that no plan made took the anchor of the parent, or that of the child.
	w = newParent(t)
	w.must(plans(2, "c", []string{"p:0"}, own(3, "3")))
	w.adopts("t")
	w.taken(w.foreign(spends("t", "a")))
	w.growBy(100)
	if got := w.paidOut(); !slices.Equal(got, []string{"1 dead", "2 dead"}) {
		t.Errorf("payouts: %q", got)
	}
	w = newParent(t)
	w.must(plans(2, "c", []string{"p:0"}, own(3, "3")))
	w.taken(w.carries(carried(1, 0)))
	w.adopts("t")
	w.taken(w.foreign(spends("t", "p:0")))
	w.growBy(99)
	w.payoutsAre("", "planned")
	w.grow()
	w.payoutsAre("", "")
}

// TestDeadChildren: operators hold a child to be dead when its coins are in no block for long enough, and give it up as others.
func TestDeadChildren(t *testing.T) {
	w := newParent(t)
	w.grow()
	w.must(plans(2, "c", []string{"p:0"}, own(3, "3")))
	dead := func(operator string) schema.Rejection {
		return w.from(schema.Origin{Operator: operator}, &schema.AbandonPayout{Payout: 2, Dead: true})
	}
	w.growBy(99)
	if r := dead("olga"); r != because(schema.PayoutDecided) {
		t.Errorf("got %q", r.Text())
	}
	w.grow()
	for _, operator := range []string{"olga", "oscar"} {
		if r := dead(operator); refused(r) {
			t.Errorf("got %q", r.Text())
		}
	}
	w.payoutsAre("sent", "")
	w.holds(schema.Coin{ID: "a", Amount: d("10"), Height: 1002, Own: 1}, schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1})
	// Its coins are there for another one, since then.
	w.must(plans(3, "e", []string{"p:0"}, own(4, "3")))
	if r := w.from(schema.Origin{Operator: "olga"}, &schema.AbandonPayout{Payout: 3, Dead: true}); r != because(schema.PayoutDecided) {
		t.Errorf("got %q", r.Text())
	}
	// In a block and out of it they are gone since that was rewound.
	w.taken(w.carries(carried(1, 0)))
	w.growBy(60)
	w.fall(61)
	w.growBy(99)
	if r := w.from(schema.Origin{Operator: "olga"}, &schema.AbandonPayout{Payout: 3, Dead: true}); r != because(schema.PayoutDecided) {
		t.Errorf("got %q", r.Text())
	}
	w.grow()
	if r := w.from(schema.Origin{Operator: "olga"}, &schema.AbandonPayout{Payout: 3, Dead: true}); refused(r) {
		t.Errorf("got %q", r.Text())
	}
}

// TestHouseBearsChildren beside what it bears of their parents.
func TestHouseBearsChildren(t *testing.T) {
	w := newParent(t)
	w.ledger.balance(house, schema.Main, btc).available = owedMost.truncate(unit(8)).neg().plus(whole(2))
	w.must(plans(2, "c", []string{"p:0"}, own(3, "3")))
	w.invalid(plans(3, "e", []string{"p:1"}, own(4, "2")))
	w.invalid(with(plans(2, "d", []string{"p:0"}, own(3, "2")), func(p *schema.PlanPayout) { p.Fee = d("2") }))
}
