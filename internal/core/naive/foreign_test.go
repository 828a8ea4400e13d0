package naive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// names lets an operator name a transaction on the watched chain that no plan made.
func (w *chainWorld) names(operator, tx string, want schema.Reason) {
	w.t.Helper()
	if r := w.from(schema.Origin{Operator: operator}, &schema.AdoptSpend{Chain: watched, Tx: tx}); r != because(want) {
		w.t.Errorf("%s about %s: got %d %q, want %d", operator, tx, r.Reason, r.Text(), want)
	}
}

// adopts halts the watched chain, and two operators adopt a transaction.
func (w *chainWorld) adopts(list ...string) {
	w.t.Helper()
	for _, tx := range list {
		w.theft()
		w.names("olga", tx, schema.OK)
		w.names("oscar", tx, schema.OK)
	}
}

// foreign is the next block, with transactions that no plan made.
func (w *chainWorld) foreign(list ...schema.ForeignSpend) *schema.ChainBlock {
	b := w.nextBlock()
	b.Adopted = list
	return b
}

// taken takes a block.
func (w *chainWorld) taken(b *schema.ChainBlock) {
	w.t.Helper()
	w.must(b)
	w.tip = point{b.Height, b.Hash}
}

// spends is a transaction that spends bitcoins where they are coins.
func spends(tx string, inputs ...string) schema.ForeignSpend {
	return schema.ForeignSpend{Tx: tx, Asset: btc, Inputs: inputs}
}

// fromHot is a transaction of the hot account that takes bitcoins from it.
func fromHot(tx string, nonce uint64, amount string) schema.ForeignSpend {
	return schema.ForeignSpend{Tx: tx, Own: schema.Hot, Nonce: nonce, Takes: []schema.ForeignTake{{Asset: btc, Own: schema.Hot, Amount: d(amount)}}}
}

// bears compares what the house and custody have of bitcoins.
func (w *chainWorld) bears(houseHas, custodyHas string) {
	w.t.Helper()
	w.main(house, btc, houseHas)
	w.main(custody, btc, custodyHas)
	if err := w.Verify(); err != nil {
		w.t.Error(err)
	}
}

// nonce compares the number of the next transaction of an address.
func (w *chainWorld) nonce(index schema.AddressIndex, own schema.OwnAddress, want uint64) {
	w.t.Helper()
	if got := w.NextNonce(watched, index, own); got != want {
		w.t.Errorf("the next nonce is %d, want %d", got, want)
	}
}

func TestAdoptIsRefused(t *testing.T) {
	w := newStore(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "BANK", Driver: schema.Provider}})
	about := func(chain schema.ChainID, operator string, want schema.Reason) {
		t.Helper()
		if r := w.from(schema.Origin{Operator: operator}, &schema.AdoptSpend{Chain: chain}); r != because(want) {
			t.Errorf("got %d %q, want %d", r.Reason, r.Text(), want)
		}
	}
	about(9, "", schema.OperatorMissing)
	about(9, "olga", schema.ChainUnknown)
	about(2, "olga", schema.ChainOwnBlocks)
	about(3, "olga", schema.ChainOwnBlocks)
	about(watched, "olga", schema.ChainNotHalted)
	w.must(plans(1, "planned", []string{"a"}, own(2, "9")))
	w.theft()
	about(watched, "", schema.OperatorMissing)
	w.names("olga", "", schema.AdoptionInvalid)
	w.names("olga", strings.Repeat("t", 81), schema.AdoptionInvalid)
	w.names("olga", "planned", schema.AdoptionInvalid)
	w.names("olga", strings.Repeat("t", 80), schema.OK)
	w.names("oscar", strings.Repeat("t", 80), schema.OK)
	w.theft()
	w.names("olga", strings.Repeat("t", 80), schema.AdoptionInvalid)
	w.stands(1002, true, false)
	w.names("olga", "1", schema.OK)
	w.names("oscar", "1", schema.OK)
	for i := range 98 {
		w.adopts(fmt.Sprint(i + 2))
	}
	w.theft()
	w.names("olga", "101", schema.AdoptionInvalid)
	if got := len(w.Adopted(watched)); got != 100 {
		t.Errorf("%d are adopted", got)
	}
}

// TestAdopt: two operators name the same, one after the other. What else is said replaces it, or does not.
func TestAdopt(t *testing.T) {
	w := newStore(t)
	w.theft()
	w.names("olga", "x", schema.OK)
	w.happened(audited)
	if got := w.Adopting(watched); got != "olga" {
		t.Errorf("%q adopts", got)
	}
	w.names("olga", "x", schema.ApprovedBefore)
	w.names("oscar", "y", schema.OK) // instead
	w.names("olga", "x", schema.OK)
	w.says("oscar", w.tip, schema.OK) // that is something else
	w.names("olga", "x", schema.ApprovedBefore)
	w.stands(1002, true, false)
	w.names("oscar", "x", schema.OK)
	w.happened("chain 1 at 1002", audited)
	w.stands(1002, false, false)
	if got := w.Adopted(watched); !slices.Equal(got, []string{"x"}) || w.Adopting(watched) != "" || w.Resuming(watched) != "" {
		t.Errorf("adopted: %q, %q adopts, %q resumes", got, w.Adopting(watched), w.Resuming(watched))
	}
	// Going on by ResumeChain forgets what was named.
	w.theft()
	w.names("olga", "y", schema.OK)
	w.says("olga", w.tip, schema.OK)
	w.says("oscar", w.tip, schema.OK)
	w.theft()
	w.names("oscar", "y", schema.OK)
	w.stands(1002, true, false)
	w.names("olga", "y", schema.OK)
	w.stands(1002, false, false)
}

// TestAdoptUndoesHalfABlock: as ResumeChain at the last point does.
func TestAdoptUndoesHalfABlock(t *testing.T) {
	w := newChains(t)
	part := with(w.nextBlock(paid("a", 1, "2")), func(b *schema.ChainBlock) { b.Parts = 2 })
	w.must(part)
	rest := *part
	rest.Part, rest.Receipts, rest.Foreign = 1, nil, "x"
	w.must(&rest)
	w.names("olga", "x", schema.OK)
	w.names("oscar", "x", schema.OK)
	w.happened("chain 1 at 1001", "deposit 1 of 104: 2 confirming at 0", audited)
	if w.Half(watched) {
		t.Error("parts of a block are missing")
	}
	// Before the first block it goes on from nothing.
	w = newUnborn(t)
	w.adopts("x")
	w.happened("chain 1 at 0", audited)
	w.grow()
	w.stands(1001, false, false)
}

// TestForeignSpendsAreRefused where there are coins.
func TestForeignSpendsAreRefused(t *testing.T) {
	w := newStore(t)
	w.adopts("x", "y")
	invalid := func(b *schema.ChainBlock) {
		t.Helper()
		w.refused(because(schema.BlockInvalid), b)
	}
	for _, change := range []func(*schema.ForeignSpend){
		func(f *schema.ForeignSpend) { f.Tx = "z" },
		func(f *schema.ForeignSpend) { f.Tx = "" },
		func(f *schema.ForeignSpend) { f.Asset = 0 },
		func(f *schema.ForeignSpend) { f.Asset = usdt },
		func(f *schema.ForeignSpend) { f.Inputs = nil },
		func(f *schema.ForeignSpend) { f.Inputs = []string{"c"} },
		func(f *schema.ForeignSpend) { f.Inputs = []string{"a", "a"} },
		func(f *schema.ForeignSpend) { f.Index = 1 },
		func(f *schema.ForeignSpend) { f.Own = schema.Hot },
		func(f *schema.ForeignSpend) { f.Nonce = 1 },
		func(f *schema.ForeignSpend) {
			f.Takes = []schema.ForeignTake{{Asset: btc, Own: schema.Hot, Amount: d("1")}}
		},
	} {
		f := spends("x", "a")
		change(&f)
		invalid(w.foreign(f))
	}
	invalid(w.foreign(spends("x", "a"), spends("x", "b")))
	invalid(w.foreign(spends("x", "a"), spends("y", "a")))
	part := w.foreign(spends("x", "a"))
	part.Parts = 2
	invalid(part)
	w.refused(schema.Rejection{Reason: schema.ChainElsewhere, Value: d("1002")}, with(w.foreign(spends("z", "a")), func(b *schema.ChainBlock) { b.Height++ }))
	w.taken(w.foreign(spends("x", "a")))
	invalid(w.foreign(spends("x", "b"))) // it is in a block already
	invalid(w.foreign(spends("y", "a")))
	invalid(w.nextBlock(paid("a", 1, "10"))) // it was there before something that can be rewound spent it
	w.taken(w.foreign(spends("y", "b")))
}

// TestForeignInputs: as many as there may be.
func TestForeignInputs(t *testing.T) {
	w := newStore(t)
	w.ChainSteps = 100_000
	var ids []string
	for i := range 5001 { // by blocks it would take long here
		ids = append(ids, fmt.Sprint(i))
		w.chains.deposits = append(w.chains.deposits, &chainDeposit{own: schema.Hot, ChainDeposit: schema.ChainDeposit{
			ID: schema.DepositID(3 + i), Chain: watched, Asset: btc, Amount: d("0.01"), Status: schema.DepositUncredited, Height: 1002, Receipt: ids[i],
		}})
	}
	w.adopts("x")
	w.refused(because(schema.BlockInvalid), w.foreign(spends("x", ids...)))
	w.taken(w.foreign(spends("x", ids[1:]...)))
	if got := w.Spends(watched)[0].Losses; !slices.Equal(got, []schema.ForeignTake{{Asset: btc, Own: schema.Hot, Amount: d("50")}}) {
		t.Errorf("lost: %+v", got)
	}
}

// TestForeignSpend is the life of one where there are coins: in a block, booked, rewound, and in another block.
func TestForeignSpend(t *testing.T) {
	w := newStored(t) // b of 5 and x:1 of 3 in hot addresses, x:0 of 6 and c of 2 in cold ones
	w.grow(paid("e", 1, "4"))
	w.network(func(n *schema.Network) { n.Confirmations = 2 })
	w.adopts("t")
	there := w.CoinsOf(watched, btc)
	w.bears("-1", "-20") // the fee of a payout
	b := w.foreign(spends("t", "b", "e", "x:0", "new", "c"))
	b.Receipts = []schema.Receipt{paid("new", 0, "1")}
	w.taken(b)
	w.happened("deposit 5 of 0: 1 confirming at 1006",
		"spend t at 1006, 6 of 1 at 0 1, 4 of 1 at 1 0, 8 of 1 at 0 4294967297",
		"chain 1 at 1006", "deposit 5 of 0: 1 uncredited at 1006")
	w.holds(schema.Coin{ID: "x:1", Amount: d("3"), Height: 1003, Own: 2})
	to := w.tip
	w.grow()
	w.happened("chain 1 at 1007", "8 main of 1 by deposit for 0: -21 0", "9 main of 1 by deposit for 0: 18 0",
		"4 main of 1 by withdrawal for 0: -19 0", "8 main of 1 by withdrawal for 0: -3 0")
	w.bears("-19", "-3")
	// A block without it changes nothing, and it is in no block twice.
	w.adopts("u")
	w.refused(because(schema.BlockInvalid), w.foreign(spends("t", "x:1")))
	w.taken(w.foreign(spends("u", "x:1")))
	w.holds()
	w.tip = to
	w.must(&schema.ChainRewind{Chain: watched, Height: to.height, Hash: to.hash})
	w.happened("chain 1 at 1006", "spend u at 0, 3 of 1 at 0 2") // the other one stays booked
	w.bears("-19", "-3")
	w.fall(1)
	w.happened("chain 1 at 1005", "4 main of 1 by withdrawal for 0: -1 0", "8 main of 1 by withdrawal for 0: -21 0",
		"spend t at 0, 6 of 1 at 0 1, 4 of 1 at 1 0, 8 of 1 at 0 4294967297", "deposit 5 of 0: 1 uncredited at 0")
	w.bears("-1", "-21")
	w.holds(there...)
	if got := w.Adopted(watched); !slices.Equal(got, []string{"t", "u"}) || len(w.Spends(watched)) > 0 {
		t.Errorf("adopted: %q", got)
	}
	w.taken(w.foreign(spends("u", "b"), spends("t", "x:1", "x:0"))) // another transaction by the same name
	w.happened("spend u at 1006, 5 of 1 at 0 1", "spend t at 1006, 3 of 1 at 0 2, 6 of 1 at 0 4294967297", "chain 1 at 1006")
	w.fall(1)
	w.happened("chain 1 at 1005", "spend t at 0, 3 of 1 at 0 2, 6 of 1 at 0 4294967297", "spend u at 0, 5 of 1 at 0 1")
	w.bears("-1", "-21")
}

// TestForeignSpendOfResults: what payouts of the block make is there, and what they spend is not.
func TestForeignSpendOfResults(t *testing.T) {
	block := func(f ...schema.ForeignSpend) (*chainWorld, *schema.ChainBlock) {
		w := newStore(t)
		w.must(plans(1, "p", []string{"a"}, own(2, "9")))
		w.must(&schema.SignPayout{Payout: 1, Tx: "p", Raw: []byte("raw")})
		w.adopts("t")
		b := w.foreign(f...)
		b.Results = []schema.PayoutResult{{Payout: 1, Fee: d("1")}}
		return w, b
	}
	w, b := block(spends("t", "a"))
	w.refused(because(schema.BlockInvalid), b)
	w, b = block(spends("t", "p:0"))
	w.taken(b)
	w.happened("*schema.PayoutChanged", "spend t at 1003, 9 of 1 at 0 2", "chain 1 at 1003",
		"4 main of 1 by withdrawal for 0: -1 0", "8 main of 1 by withdrawal for 0: -14 0", "4 main of 1 by withdrawal for 0: -10 0", "8 main of 1 by withdrawal for 0: -5 0")
	w.holds(schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1})
	w.fall(1)
	w.happened("chain 1 at 1002", "4 main of 1 by withdrawal for 0: -1 0", "8 main of 1 by withdrawal for 0: -14 0",
		"spend t at 0, 9 of 1 at 0 2", "*schema.PayoutChanged")
	w.holds(schema.Coin{ID: "a", Amount: d("10"), Height: 1002, Own: 1}, schema.Coin{ID: "b", Amount: d("5"), Height: 1002, Own: 1})
}

// newRobbed is a world where b and c, which one payout reserved, were spent by another transaction: of a payout that spends a, and c if it
// must pay more, and of one whose anchor is b.
func newRobbed(t *testing.T) *chainWorld {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.Confirmations, n.ConfirmationsForTrading, n.CanWithdraw = 1, 1, true })
	w.grow(paid("a", 0, "10"), paid("b", 0, "5"), paid("c", 0, "7"), paid("e", 0, "1"))
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("9")})
	w.must(asks("a", "2"))
	w.must(plans(1, "p", []string{"a"}, own(2, "9")))
	w.must(with(plans(1, "q", []string{"a", "c"}, own(2, "15")), func(p *schema.PlanPayout) { p.Fee = d("2") }))
	w.must(with(plans(2, "r", []string{"b"}, own(3, "2")), func(p *schema.PlanPayout) { p.Withdrawals = []schema.WithdrawalID{1} }))
	w.must(&schema.SignPayout{Payout: 1, Variant: 1, Tx: "q", Raw: []byte("raw")})
	w.must(&schema.SignPayout{Payout: 2, Tx: "r", Raw: []byte("raw")})
	w.adopts("t")
	w.taken(w.foreign(spends("t", "b", "c", "e")))
	return w
}

// TestForeignSpendOfReserved: payouts that cannot be in a block any more stay until the spend is forgotten.
func TestForeignSpendOfReserved(t *testing.T) {
	w := newRobbed(t)
	a := schema.Coin{ID: "a", Amount: d("10"), Height: 1002, Own: 1}
	w.holds(a)
	for _, r := range []schema.PayoutResult{{Payout: 1, Variant: 1, Fee: d("2")}, {Payout: 2, Fee: d("1")}} {
		w.refused(because(schema.BlockInvalid), with(w.nextBlock(), func(b *schema.ChainBlock) { b.Results = []schema.PayoutResult{r} }))
	}
	w.refused(because(schema.CoinUnavailable), with(plans(2, "s", []string{"b"}, own(3, "1")), func(p *schema.PlanPayout) {
		p.Fee, p.Withdrawals = d("2"), []schema.WithdrawalID{1}
	}))
	dead := &schema.AbandonPayout{Payout: 2, Dead: true}
	for range 99 {
		if r := w.from(schema.Origin{Operator: "olga"}, dead); r != because(schema.PayoutDecided) {
			t.Fatalf("got %q", r.Text())
		}
		w.grow()
	}
	w.withdrawal(1, schema.WithdrawalSent, 0)
	w.names("olga", "t", schema.ChainNotHalted)
	w.theft()
	w.names("olga", "t", schema.AdoptionInvalid)
	w.says("olga", w.tip, schema.OK)
	w.says("oscar", w.tip, schema.OK)
	w.grow() // 1103: no rewind goes below 1003
	w.happened("chain 1 at 1103", "withdrawal 1 of 104: 2 for 0 review at 0", "*schema.PayoutChanged")
	if e := w.last.Events[2].(*schema.PayoutChanged).Payout; e.ID != 2 || e.Status != schema.PayoutDead {
		t.Errorf("the payout is %+v", e)
	}
	w.holds(a, schema.Coin{ID: "c", Amount: d("7"), Own: 1}) // reserved, and in no block
	if len(w.Adopted(watched)) > 0 || len(w.Spends(watched)) > 0 || len(w.Payouts(watched)) != 1 {
		t.Error("it is not forgotten")
	}
	w.bears("-13", "-10")
	w.must(&schema.SignPayout{Payout: 1, Tx: "p", Raw: []byte("raw")})
	w.taken(with(w.nextBlock(), func(b *schema.ChainBlock) { b.Results = []schema.PayoutResult{{Payout: 1, Fee: d("1")}} }))
	c := schema.Coin{ID: "c", Amount: d("7"), Own: 1}
	w.holds(c, schema.Coin{ID: "p:0", Amount: d("9"), Height: 1104, Own: 2})
	w.adopts("t") // its name is free again
	w.taken(w.foreign(spends("t", "p:0")))
	w.holds(c)
	w.growBy(99)
	w.holds() // the payout is forgotten
}

// TestForeignSpendOfReservedIsRewound: nothing happened to the payouts.
func TestForeignSpendOfReservedIsRewound(t *testing.T) {
	w := newRobbed(t)
	w.fall(1)
	w.taken(with(w.nextBlock(), func(b *schema.ChainBlock) {
		b.Results = []schema.PayoutResult{{Payout: 1, Variant: 1, Fee: d("2")}, {Payout: 2, Fee: d("1")}}
	}))
	w.withdrawal(1, schema.WithdrawalDone, 1003)
	w.holds(schema.Coin{ID: "e", Amount: d("1"), Height: 1002, Own: 1},
		schema.Coin{ID: "q:0", Amount: d("15"), Height: 1003, Own: 2}, schema.Coin{ID: "r:1", Amount: d("2"), Height: 1003, Own: 3})
}

// TestForeignSpendsTakeSteps: as many as they have inputs, and one more; each of them is taken back or forgotten at once.
func TestForeignSpendsTakeSteps(t *testing.T) {
	w := newRobbed(t) // three inputs
	w.adopts("u")
	w.ChainSteps = 1
	w.taken(w.foreign(spends("u", "a")))
	w.stands(1004, false, false)
	w.bears("-23", "0")
	to := w.chains.all[0].points[1]
	w.ChainSteps = 3
	w.must(&schema.ChainRewind{Chain: watched, Height: to.height, Hash: to.hash})
	w.happened("chain 1 at 1002", "4 main of 1 by withdrawal for 0: -13 0", "8 main of 1 by withdrawal for 0: -10 0", "spend u at 0, 10 of 1 at 0 1",
		"4 main of 1 by withdrawal for 0: 0 0", "8 main of 1 by withdrawal for 0: -23 0", "spend t at 0, 13 of 1 at 0 1")
	w.stands(1002, false, false)
	w.ChainSteps = 1000
	w.tip = to
	w.taken(w.foreign(spends("t", "b", "c", "e"), spends("u", "a")))
	w.growBy(99)
	w.ChainSteps = 3 // the payout is dead: one, one for its withdrawal, and one for its input
	w.grow()
	w.happened("chain 1 at 1103", "withdrawal 1 of 104: 2 for 0 review at 0", "*schema.PayoutChanged")
	w.stands(1103, false, true)
	w.ChainSteps = 1
	w.tickNow()
	w.happened()
	w.stands(1103, false, true)
	if got := w.Adopted(watched); !slices.Equal(got, []string{"u"}) {
		t.Errorf("adopted: %q", got)
	}
	w.tickNow()
	w.happened("*schema.PayoutChanged") // that whose anchor is a
	w.tickNow()
	w.happened()
	w.stands(1103, false, false)
	if len(w.Adopted(watched)) > 0 || len(w.Payouts(watched)) > 0 {
		t.Errorf("they are not forgotten")
	}
}

// TestForeignSpendInTheFirstBlock: no rewind reaches it, so it is booked and forgotten at once.
func TestForeignSpendInTheFirstBlock(t *testing.T) {
	w := newUnborn(t)
	w.net = schema.Network{Name: "bitcoin", CanDeposit: true, Confirmations: 4, ConfirmationsForTrading: 2, Chain: watched, Decimals: 8}
	w.network(func(*schema.Network) {})
	w.adopts("t")
	b := w.foreign(spends("t", "a"))
	b.Receipts = []schema.Receipt{paid("a", 1, "2")}
	w.taken(b)
	w.happened("deposit 1 of 104: 2 confirming at 1001", "spend t at 1001, 2 of 1 at 1 0", "chain 1 at 1001",
		"4 main of 1 by withdrawal for 0: -2 0", "8 main of 1 by withdrawal for 0: 2 0")
	w.growBy(3)
	w.has(dora, "2", "0", "0", "0")
	w.bears("-2", "0")
	w.holds()
	if len(w.Adopted(watched)) > 0 {
		t.Error("it is not forgotten")
	}
}

// TestForeignTakesAreRefused where there are accounts.
func TestForeignTakesAreRefused(t *testing.T) {
	w := newAccounts(t)
	w.adopts("x", "y")
	hot := func(amount string) schema.ForeignTake {
		return schema.ForeignTake{Asset: btc, Own: schema.Hot, Amount: d(amount)}
	}
	var many []schema.ForeignTake
	for range 65 {
		w.must(&schema.OpenAddress{Account: emil, Chain: watched, Fresh: true})
		many = append(many, schema.ForeignTake{Asset: btc, Index: schema.AddressIndex(len(many) + 1), Amount: d("1")})
	}
	for _, change := range []func(*schema.ForeignSpend){
		func(f *schema.ForeignSpend) { f.Tx = "z" },
		func(f *schema.ForeignSpend) { f.Asset = btc },
		func(f *schema.ForeignSpend) { f.Inputs = []string{"a"} },
		func(f *schema.ForeignSpend) { f.Index = 1 },
		func(f *schema.ForeignSpend) { f.Own = 2 },
		func(f *schema.ForeignSpend) { f.Own = coldOne },
		func(f *schema.ForeignSpend) { f.Own, f.Index = 0, 68 },
		func(f *schema.ForeignSpend) { f.Own = 0 }, // a nonce of nobody's
		func(f *schema.ForeignSpend) { f.Nonce = 1<<63 + 1 },
		func(f *schema.ForeignSpend) { f.Own, f.Nonce, f.Takes = 0, 0, nil },
		func(f *schema.ForeignSpend) { f.Takes = []schema.ForeignTake{hot("1"), hot("1")} },
		func(f *schema.ForeignSpend) { f.Takes = many },
		func(f *schema.ForeignSpend) { f.Takes[0].Asset = 0 },
		func(f *schema.ForeignSpend) { f.Takes[0].Asset = usdt }, // never on the chain
		func(f *schema.ForeignSpend) { f.Takes[0].Index = 1 },
		func(f *schema.ForeignSpend) { f.Takes[0].Own = 0 },
		func(f *schema.ForeignSpend) { f.Takes[0].Own = coldOne },
		func(f *schema.ForeignSpend) { f.Takes[0].Own, f.Takes[0].Index = 0, 68 },
		func(f *schema.ForeignSpend) { f.Takes[0].Amount = d("0") },
		func(f *schema.ForeignSpend) { f.Takes[0].Amount = d("-1") },
		func(f *schema.ForeignSpend) { f.Takes[0].Amount = d("0.000000001") },
	} {
		f := fromHot("x", 3, "1")
		change(&f)
		w.refused(because(schema.BlockInvalid), w.foreign(f))
	}
	w.refused(because(schema.BlockInvalid), w.foreign(fromHot("x", 0, "1"), fromHot("x", 1, "1")))
	w.taken(w.foreign(schema.ForeignSpend{Tx: "x", Index: 67, Nonce: 1 << 63}, schema.ForeignSpend{Tx: "y", Takes: many[:64]}))
	w.happened("spend x at 1003", "spend y at 1003, 1 of 1 at 1 0", "chain 1 at 1003",
		"4 main of 1 by withdrawal for 0: -1 0", "8 main of 1 by withdrawal for 0: "+w.custodyHas()+" 0")
	w.nonce(67, 0, 1<<63+1)
	w.refused(because(schema.BlockInvalid), w.foreign(schema.ForeignSpend{Tx: "x", Index: 67}))
}

// custodyHas is what custody has of bitcoins.
func (w *chainWorld) custodyHas() string {
	available, _, _ := w.Balance(custody, schema.Main, btc)
	return available.String()
}

// TestForeignTakes is the life of spends where there are accounts: no more is lost than there is.
func TestForeignTakes(t *testing.T) {
	w := newAccounts(t)
	w.network(func(n *schema.Network) { n.Confirmations = 2 })
	w.must(accountPays(1, schema.Hot, 0, own(coldFirst, "4")))
	w.mined(1, 0)
	w.grow()
	w.adopts("t", "u", "v")
	w.bears("-1", "-14")
	w.holds(schema.Coin{ID: "address 1", Amount: d("5"), Index: 1}, schema.Coin{ID: "own 1", Amount: d("5"), Own: schema.Hot}, schema.Coin{ID: "own 4294967296", Amount: d("4"), Own: coldFirst})
	b := w.foreign(fromHot("t", 2, "5.5"),
		schema.ForeignSpend{Tx: "u", Takes: []schema.ForeignTake{
			{Asset: btc, Own: schema.Hot, Amount: d("1")},
			{Asset: btc, Index: 2, Amount: d("3")},
			{Asset: btc, Own: coldFirst, Amount: d("4")},
			{Asset: btc, Index: 1, Amount: d("9")},
		}},
		schema.ForeignSpend{Tx: "v", Index: 1, Nonce: 7, Takes: []schema.ForeignTake{{Asset: btc, Index: 1, Amount: d("1")}}})
	b.Receipts = []schema.Receipt{paid("c", 0, "1")}
	w.taken(b)
	w.happened("deposit 3 of 0: 1 confirming at 1005",
		"spend t at 1005, 5.5 of 1 at 0 1", "spend u at 1005, 0.5 of 1 at 0 1, 4 of 1 at 0 4294967296, 5 of 1 at 1 0", "spend v at 1005",
		"chain 1 at 1005", "deposit 3 of 0: 1 uncredited at 1005")
	w.holds()
	w.nonce(0, schema.Hot, 3)
	w.nonce(1, 0, 8)
	w.nonce(2, 0, 0)
	w.nonce(0, coldFirst, 0)
	w.refused(because(schema.CoinUnavailable), accountPays(2, schema.Hot, 3, own(coldFirst, "1")))
	w.grow(paid("e", 0, "10"), schema.Receipt{ID: "f", Asset: btc, Amount: d("3"), Own: coldFirst})
	w.bears("-16", "0")
	w.refused(because(schema.CoinUnavailable), accountPays(2, schema.Hot, 3, own(coldFirst, "1"))) // its nonce may be given out twice
	w.must(accountPays(2, coldFirst, 0, own(schema.Hot, "1")))
	w.fall(2)
	w.happened("chain 1 at 1004", "spend v at 0",
		"4 main of 1 by withdrawal for 0: -6.5 0", "8 main of 1 by withdrawal for 0: -9.5 0", "spend u at 0, 0.5 of 1 at 0 1, 4 of 1 at 0 4294967296, 5 of 1 at 1 0",
		"4 main of 1 by withdrawal for 0: -1 0", "8 main of 1 by withdrawal for 0: -15 0", "spend t at 0, 5.5 of 1 at 0 1",
		"deposit 5 of 0: 3 uncredited at 0", "deposit 4 of 0: 10 uncredited at 0", "deposit 3 of 0: 1 uncredited at 0")
	w.holds(schema.Coin{ID: "address 1", Amount: d("5"), Index: 1}, schema.Coin{ID: "own 1", Amount: d("5"), Own: schema.Hot}, schema.Coin{ID: "own 4294967296", Amount: d("4"), Own: coldFirst})
	w.nonce(0, schema.Hot, 1)
	w.nonce(1, 0, 0)
	w.must(accountPays(3, schema.Hot, 1, own(coldFirst, "1")))
}

// TestForeignNonces: a payout whose nonce was used is in no block, and those behind it do not wait.
func TestForeignNonces(t *testing.T) {
	results := func(b *schema.ChainBlock, list ...schema.PayoutID) *schema.ChainBlock {
		for _, id := range list {
			b.Results = append(b.Results, schema.PayoutResult{Payout: id, Fee: d("1")})
		}
		return b
	}
	w := newAccounts(t)
	w.network(func(n *schema.Network) { n.Confirmations = 2 })
	w.grow()
	w.must(&schema.Deposit{Account: dora, Asset: btc, Amount: d("9")})
	w.must(asks("a", "2"))
	pays := func(id schema.PayoutID, nonce uint64) *schema.PlanPayout {
		return accountPays(id, schema.Hot, nonce, own(coldFirst, "1"))
	}
	w.must(pays(1, 0))
	w.must(with(pays(2, 1), func(p *schema.PlanPayout) { p.Withdrawals, p.Outputs = []schema.WithdrawalID{1}, nil }))
	w.must(pays(3, 2))
	for id := range schema.PayoutID(3) {
		w.must(&schema.SignPayout{Payout: id + 1, Tx: fmt.Sprint("signed ", id), Raw: []byte("raw")})
	}
	w.adopts("t", "u")
	invalid := func(b *schema.ChainBlock) {
		t.Helper()
		w.refused(because(schema.BlockInvalid), b)
	}
	invalid(results(w.nextBlock(), 1, 3))
	invalid(results(w.foreign(fromHot("t", 1, "1")), 1, 2)) // both in one block
	to := w.tip
	w.taken(results(w.foreign(fromHot("t", 1, "1")), 1, 3))
	w.fall(1)
	w.taken(w.foreign(fromHot("t", 1, "1")))
	w.nonce(0, schema.Hot, 3)
	invalid(results(w.nextBlock(), 1, 2))
	invalid(results(w.nextBlock(), 3))
	w.taken(results(w.nextBlock(), 1, 3))
	w.tip = to
	w.must(&schema.ChainRewind{Chain: watched, Height: to.height, Hash: to.hash})
	w.taken(results(w.nextBlock(), 1, 2, 3))
	w.fall(1)
	w.taken(results(w.foreign(fromHot("u", 8, "1"), fromHot("t", 1, "1")), 1)) // 1004
	w.nonce(0, schema.Hot, 9)
	// A variant of what is planned is planned still.
	w.must(with(pays(3, 2), func(p *schema.PlanPayout) { p.Fee = d("2") }))
	w.refused(because(schema.CoinUnavailable), pays(4, 9))
	w.growBy(99)
	w.withdrawal(1, schema.WithdrawalSent, 0)
	w.refused(because(schema.CoinUnavailable), pays(4, 9))
	w.grow()
	w.happened("chain 1 at 1104", "withdrawal 1 of 104: 2 for 0 review at 0", "*schema.PayoutChanged")
	if e := w.last.Events[2].(*schema.PayoutChanged).Payout; e.ID != 2 || e.Status != schema.PayoutDead {
		t.Errorf("the payout is %+v", e)
	}
	w.nonce(0, schema.Hot, 9)
	w.refused(because(schema.PayoutElsewhere), with(pays(4, 3), func(p *schema.PlanPayout) { p.Outputs[0].Amount = d("0.5") }))
	w.must(with(pays(4, 9), func(p *schema.PlanPayout) { p.Outputs[0].Amount = d("0.5") }))
	w.must(with(results(w.nextBlock(), 3), func(b *schema.ChainBlock) { b.Results[0].Fee = d("1") })) // it does not wait for the second
	if err := w.Verify(); err != nil {
		t.Error(err)
	}
}

// TestForeignTakesLeaveLessThanPayoutsNeed: what is available is below zero then.
func TestForeignTakesLeaveLessThanPayoutsNeed(t *testing.T) {
	w := newAccounts(t)
	w.must(accountPays(1, schema.Hot, 0, own(coldFirst, "6")))
	w.must(&schema.SignPayout{Payout: 1, Tx: "signed", Raw: []byte("raw")})
	w.adopts("t")
	b := w.foreign(fromHot("t", 5, "4"))
	b.Results = []schema.PayoutResult{{Payout: 1, Fee: d("0.5")}}
	w.taken(b) // the payout comes first, whatever the nonce
	w.happened("*schema.PayoutChanged", "spend t at 1003, 3.5 of 1 at 0 1", "chain 1 at 1003",
		"4 main of 1 by withdrawal for 0: -0.5 0", "8 main of 1 by withdrawal for 0: -14.5 0", "4 main of 1 by withdrawal for 0: -4 0", "8 main of 1 by withdrawal for 0: -11 0")
	w.fall(1)
	w.taken(w.foreign(fromHot("t", 5, "4")))
	if got := w.Available(watched, btc, 0, schema.Hot); got != d("-1") {
		t.Errorf("%s is available", got)
	}
	b = w.nextBlock()
	b.Results = []schema.PayoutResult{{Payout: 1, Fee: d("0.5")}}
	w.refused(because(schema.BlockInvalid), b)
}

// TestHouseBearsForeignSpends: as far as a ledger goes, beside all fees and losses that it did not pay yet.
func TestHouseBearsForeignSpends(t *testing.T) {
	w := newStore(t)
	w.must(plans(1, "p", []string{"a"}, own(2, "9")))
	w.network(func(n *schema.Network) { n.Confirmations = 2 })
	w.grow(paid("c", 0, "0.5"))
	w.adopts("t", "u")
	most := owedMost.truncate(unit(8))
	balance := w.ledger.balance(house, schema.Main, btc)
	balance.available = most.neg().plus(of(d("6")))
	w.refused(because(schema.BlockInvalid), w.foreign(spends("t", "b"), spends("u", "c"))) // a fee of 1, 5 and 0.5
	w.taken(w.foreign(spends("t", "b")))
	w.refused(because(schema.BlockInvalid), w.foreign(spends("u", "c")))
	w.grow() // it is booked
	w.refused(because(schema.BlockInvalid), w.foreign(spends("u", "c")))
	balance.available = balance.available.plus(of(d("0.5")))
	w.refused(because(schema.PayoutInvalid), with(plans(1, "q", []string{"a"}, own(2, "8")), func(p *schema.PlanPayout) { p.Fee = d("2") }))
	w.taken(w.foreign(spends("u", "c")))
	w.fall(1)
	w.must(with(plans(1, "q", []string{"a"}, own(2, "8.5")), func(p *schema.PlanPayout) { p.Fee = d("1.5") }))
	w.refused(because(schema.BlockInvalid), w.foreign(spends("u", "c")))
}
