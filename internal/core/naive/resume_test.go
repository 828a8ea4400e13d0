package naive

import (
	"testing"

	"bourse/internal/schema"
)

// theft halts the watched chain.
func (w *chainWorld) theft() {
	w.t.Helper()
	w.must(with(w.nextBlock(), func(b *schema.ChainBlock) { b.Foreign = "theft" }))
}

// says lets an operator say where the watched chain goes on.
func (w *chainWorld) says(operator string, at point, want schema.Reason) {
	w.t.Helper()
	r := w.from(schema.Origin{Operator: operator}, &schema.ResumeChain{Chain: watched, Height: at.height, Hash: at.hash})
	if r != because(want) {
		w.t.Errorf("%s about %d: got %d %q, want %d", operator, at.height, r.Reason, r.Text(), want)
	}
}

// stands compares where the watched chain stands.
func (w *chainWorld) stands(height uint64, halted, busy bool) {
	w.t.Helper()
	at, works, _ := w.ChainAt(watched)
	if at.Height != height || at.Halted != halted || works != busy {
		w.t.Errorf("the chain is at %d, halted %t, busy %t; want %d, %t, %t", at.Height, at.Halted, works, height, halted, busy)
	}
}

// audited is what an operator's command leaves beside other events.
const audited = "*schema.AuditRecord"

func TestResumeIsRefused(t *testing.T) {
	w := newChains(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "BANK", Driver: schema.Provider}})
	says := func(chain schema.ChainID, operator string, want schema.Reason) {
		t.Helper()
		if r := w.from(schema.Origin{Operator: operator}, &schema.ResumeChain{Chain: chain, Height: 7}); r != because(want) {
			t.Errorf("got %d %q, want %d", r.Reason, r.Text(), want)
		}
	}
	says(9, "", schema.OperatorMissing)
	says(9, "olga", schema.ChainUnknown)
	says(2, "olga", schema.ChainOwnBlocks)
	says(3, "olga", schema.ChainOwnBlocks)
	says(watched, "olga", schema.ChainNotHalted)
	w.theft()
	says(watched, "", schema.OperatorMissing)
	says(watched, "olga", schema.RewindUnknown)
	w.says("olga", point{}, schema.RewindUnknown)
	w.says("olga", point{w.tip.height, digest(1)}, schema.RewindUnknown)
	w.says("olga", point{w.tip.height + 1, w.tip.hash}, schema.RewindUnknown)
	w.stands(1001, true, false)
}

// TestResume: two operators say the same, one after the other.
func TestResume(t *testing.T) {
	w := newChains(t)
	before := w.tip
	w.grow(paid("a", 1, "2"))
	w.theft()
	w.says("olga", w.tip, schema.OK)
	w.happened(audited)
	w.says("olga", w.tip, schema.ApprovedBefore)
	w.says("oscar", before, schema.OK) // instead
	w.happened(audited)
	w.says("oscar", before, schema.ApprovedBefore)
	w.says("olga", w.tip, schema.OK)
	w.says("olga", before, schema.OK)
	w.says("olga", w.tip, schema.OK)
	w.says("oscar", point{}, schema.RewindUnknown) // and nothing else is said by that
	w.stands(1002, true, false)
	w.says("oscar", w.tip, schema.OK)
	w.happened("chain 1 at 1002", audited)
	w.stands(1002, false, false)
	w.deposit(1, schema.DepositConfirming, 1002, "0")
	w.says("oscar", w.tip, schema.ChainNotHalted)
	// What was said before counts for nothing, also about the same point.
	w.theft()
	w.says("olga", w.tip, schema.OK)
	w.stands(1002, true, false)
	w.says("oscar", w.tip, schema.OK)
	w.stands(1002, false, false)
	w.grow()
	w.stands(1003, false, false)
}

// TestResumeUndoes: what is above the point goes as in a rewind, step by step, and is waited for.
func TestResumeUndoes(t *testing.T) {
	w := newChains(t)
	to := w.tip
	w.grow(paid("a", 1, "2"))
	w.grow(paid("b", 1, "3"))
	w.theft()
	w.ChainSteps = 1
	w.says("olga", to, schema.OK)
	w.says("oscar", to, schema.OK)
	w.happened("chain 1 at 1001", "deposit 2 of 104: 3 confirming at 0", audited)
	w.stands(1001, false, true)
	w.tickNow()
	w.stands(1001, false, false)
	w.tip = to
	w.ChainSteps = 1000
	w.growBy(7)
	w.deposit(2, schema.DepositConfirming, 0, "0")
	w.grow() // 1009 is six above where it was
	w.deposit(1, schema.DepositLost, 0, "0.1")
	w.deposit(2, schema.DepositLost, 0, "0")
}

// TestResumeAfterDeepRewind: the oldest point that it remembers is one from which it goes on.
func TestResumeAfterDeepRewind(t *testing.T) {
	w := newChains(t)
	w.growBy(110) // 1111: it knows 1011 and higher
	w.must(&schema.ChainRewind{Chain: watched, Height: 1010, Hash: digest(1)})
	oldest := w.chains.all[watched-1].points[0]
	w.says("olga", oldest, schema.OK)
	w.says("oscar", oldest, schema.OK)
	w.happened("chain 1 at 1011", audited)
	w.tip = oldest
	w.grow()
	w.stands(1012, false, false)
}

// TestResumeWithoutTheRestOfABlock: at the cursor, parts of a block are undone too.
func TestResumeWithoutTheRestOfABlock(t *testing.T) {
	w := newChains(t)
	part := with(w.nextBlock(paid("a", 1, "2")), func(b *schema.ChainBlock) { b.Parts = 2 })
	w.must(part)
	rest := *part
	rest.Part, rest.Receipts, rest.Foreign = 1, nil, "theft"
	w.must(&rest)
	w.stands(1001, true, false)
	w.says("olga", w.tip, schema.OK)
	w.says("oscar", w.tip, schema.OK)
	w.happened("chain 1 at 1001", "deposit 1 of 104: 2 confirming at 0", audited)
	if w.Half(watched) {
		t.Error("parts of a block are missing")
	}
	w.growBy(6)
	w.deposit(1, schema.DepositConfirming, 0, "0")
	w.grow()
	w.deposit(1, schema.DepositLost, 0, "0")
}

// newUnborn is a world with a chain that took no block.
func newUnborn(t *testing.T) *chainWorld {
	w := &chainWorld{world: newWorld(t), tip: point{height: 1000}}
	w.must(&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}})
	w.must(&schema.OpenAddress{Account: dora, Chain: watched})
	return w
}

// TestResumeBeforeTheFirstBlock: it goes on from nothing.
func TestResumeBeforeTheFirstBlock(t *testing.T) {
	w := newUnborn(t)
	w.theft()
	w.says("olga", point{1000, digest(1)}, schema.RewindUnknown)
	w.says("olga", point{0, digest(1)}, schema.RewindUnknown)
	w.says("olga", point{1, schema.Digest{}}, schema.RewindUnknown)
	w.says("olga", point{}, schema.OK)
	w.says("oscar", point{}, schema.OK)
	w.happened("chain 1 at 0", audited)
	if e := w.last.Events[0].(*schema.ChainMoved); *e != (schema.ChainMoved{Chain: watched}) {
		t.Errorf("the event is %+v", e)
	}
	w.grow()
	w.stands(1001, false, false)
}

// TestResumeBeforeTheRestOfTheFirstBlock: what its parts paid is waited for from its height on.
func TestResumeBeforeTheRestOfTheFirstBlock(t *testing.T) {
	w := newUnborn(t)
	part := with(w.nextBlock(paid("a", 1, "2")), func(b *schema.ChainBlock) { b.Parts = 2 })
	w.must(part)
	rest := *part
	rest.Part, rest.Receipts, rest.Foreign = 1, nil, "theft"
	w.must(&rest)
	w.says("olga", w.tip, schema.RewindUnknown)
	w.says("olga", point{}, schema.OK)
	w.says("oscar", point{}, schema.OK)
	w.happened("chain 1 at 0", "deposit 1 of 104: 2 confirming at 0", audited)
	w.growBy(6)
	w.deposit(1, schema.DepositConfirming, 0, "0")
	w.grow() // 1007
	w.deposit(1, schema.DepositLost, 0, "0")
}

// TestResumePaused: it is not halted any more, and still paused.
func TestResumePaused(t *testing.T) {
	w := newChains(t)
	w.theft()
	paused := schema.Chain{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, Paused: true}
	w.must(&schema.SetChain{Chain: paused})
	w.says("olga", w.tip, schema.OK)
	w.says("oscar", w.tip, schema.OK)
	w.happened("chain 1 at 1001", audited)
	w.refused(because(schema.ChainPaused), w.nextBlock())
	paused.Paused = false
	w.must(&schema.SetChain{Chain: paused})
	w.grow()
	w.stands(1002, false, false)
}

// TestResumeRecallsPayouts: what they spent is there again.
func TestResumeRecallsPayouts(t *testing.T) {
	w := newStore(t)
	to := w.tip
	w.must(plans(1, "x", []string{"a"}, own(coldOne, "6"), own(2, "3")))
	w.mined(1, 0)
	w.must(refills("6"))
	w.theft()
	w.says("olga", to, schema.OK)
	w.says("oscar", to, schema.OK)
	w.holds(schema.Coin{ID: "a", Amount: d("10"), Height: 1002, Own: 1}, schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1})
	w.wants("6")
	if p := w.chains.payout(1); p.Status != schema.PayoutSent || p.Height != 0 {
		t.Errorf("the payout is %+v", p.Payout)
	}
}
