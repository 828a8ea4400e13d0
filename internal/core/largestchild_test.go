package core

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestLargestChildAgainstNaive is about parents with as much change as there can be, spent one by one or together, by children with many inputs and
// variants, and about the largest and the smallest change.
func TestLargestChildAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(slice)
		tr.limitChains(pick(r, tr.steps, 1, 10, 50, 300))
		s := newPayScript(t, r, tr)
		switch chance(r, 3) {
		case 0:
			s.manyChildren(r)
		case 1:
			s.largeChild(r)
		default:
			s.childEdges(r)
		}
	})
}

// planned sends a plan of coins that costs a fee and pays the rest of them to where its change goes, in parts.
func (s *payScript) planned(id schema.PayoutID, fee fixed.Decimal, sum fixed.Decimal, parts int64, inputs ...string) *schema.PlanPayout {
	p := &schema.PlanPayout{Chain: payerNode, Payout: id, Asset: payerBTC, Tx: s.name("tx"), Fee: fee, Unsigned: []byte{1}, Inputs: inputs}
	each, _ := fixed.Div(sum.Sub(fee), fixed.FromInt(parts), 8, fixed.Down)
	rest := sum.Sub(fee)
	for range parts - 1 {
		p.Outputs = append(p.Outputs, schema.OwnOutput{Own: schema.ChangeOf(id), Amount: each})
		rest = rest.Sub(each)
	}
	p.Outputs = append(p.Outputs, schema.OwnOutput{Own: schema.ChangeOf(id), Amount: rest})
	s.send(p)
	return p
}

// signed signs a variant.
func (s *payScript) signed(p *schema.PlanPayout, variant uint32) {
	s.send(&schema.SignPayout{Payout: p.Payout, Variant: variant, Tx: p.Tx, Raw: []byte{1}})
}

// manyChildren spends each part of the change of several variants by a child of its own, and lets one of the variants be in a block for good.
func (s *payScript) manyChildren(r *dice) {
	s.grow(payerNode, nil)
	s.grow(payerNode, []schema.Receipt{
		{ID: "anchor", Asset: payerBTC, Amount: fixed.FromInt(100), Own: schema.Hot, Text: "hot"},
		{ID: "more", Asset: payerBTC, Amount: fixed.FromInt(5), Own: schema.Hot, Text: "hot"},
	})
	s.grow(payerNode, nil)
	variants := uint32(1 + chance(r, 3))
	var first []*schema.PlanPayout
	for v := range variants {
		p := s.planned(1, fixed.FromInt(int64(1+v)), fixed.FromInt(100), schema.MaxChange, "anchor")
		s.signed(p, v)
		first = append(first, p)
	}
	for _, parent := range first {
		for i, out := range parent.Outputs {
			fee := fixed.FromUnits(int64(1+chance(r, 5)), 8)
			child := s.planned(s.slow.NextPayout(), fee, out.Amount, pick[int64](r, 1, 1, 1, 1, 2), schema.OutputID(parent.Tx, i))
			if coin(r) {
				s.signed(child, 0)
			}
			if chance(r, 12) == 0 { // one of them has a coin in a block
				s.planned(child.Payout, fee.Add(fee), out.Amount.Add(fixed.FromInt(5)), 1+chance64(r, 8), child.Inputs[0], "more")
			}
		}
	}
	mined := uint32(chance(r, int(variants)))
	with := schema.PayoutResult{Payout: 1, Variant: mined, Fee: first[mined].Fee}
	for range pick(r, 0, 1) {
		s.grow(payerNode, nil, with)
		s.grow(payerNode, nil)
		s.back(payerNode, 2)
	}
	results := []schema.PayoutResult{with}
	for _, p := range s.waiting(s.all[payerNode-1]) {
		if p.ID != 1 && p.Status == schema.PayoutSent && coin(r) && p.Variants[0].Inputs[0][:len(first[mined].Tx)+1] == first[mined].Tx+":" {
			results = append(results, schema.PayoutResult{Payout: p.ID, Fee: p.Variants[0].Fee})
		}
	}
	switch chance(r, 3) {
	case 0: // the anchor is gone for good
		s.back(payerNode, len(s.all[payerNode-1].blocks)-1)
	default:
		s.grow(payerNode, nil, results...)
	}
	for range 102 {
		s.grow(payerNode, nil)
	}
	s.both(&schema.AbandonPayout{Payout: 1, Dead: true})
	s.both(&schema.AbandonPayout{Payout: 2, Dead: true})
	s.grow(payerNode, nil)
}

func chance64(r *dice, n int) int64 { return int64(chance(r, n)) }

// largeChild spends all change at once, and in variants as many coins as a payout can.
func (s *payScript) largeChild(r *dice) {
	var receipts []schema.Receipt
	var ids []string
	for i := range schema.MaxInputs + 3 {
		ids = append(ids, fmt.Sprintf("in%03d", i))
		receipts = append(receipts, schema.Receipt{ID: ids[i], Asset: payerBTC, Amount: fixed.One, Own: schema.Hot, Text: "hot"})
	}
	s.grow(payerNode, nil)
	s.grow(payerNode, receipts)
	parent := s.planned(1, fixed.FromUnits(4, 1), fixed.FromInt(2), schema.MaxChange, ids[:2]...)
	s.signed(parent, 0)
	var change []string
	for i := range parent.Outputs {
		change = append(change, schema.OutputID(parent.Tx, i))
	}
	sum := fixed.FromUnits(16, 1)
	child := s.planned(2, fixed.FromUnits(1, 8), sum, 1, change...)
	more := schema.MaxInputs - len(change) + pick(r, -1, 0, 0, 1)
	all := append(append([]string(nil), change...), ids[2:2+more]...)
	large := s.planned(2, fixed.FromUnits(2, 8), sum.Add(fixed.FromInt(int64(more))), schema.MaxChange, all...)
	s.signed(child, 0)
	s.signed(large, 1)
	for range schema.MaxVariants {
		known := s.slow.Payouts(payerNode)[1]
		s.planned(2, dearest(&known).Add(fixed.FromUnits(1, 8)), sum, 1, change...)
	}
	s.planned(3, fixed.FromUnits(1, 8), fixed.One, 1, ids[len(ids)-1])
	born := schema.PayoutResult{Payout: 1, Fee: parent.Fee}
	if coin(r) {
		s.grow(payerNode, nil, born, schema.PayoutResult{Payout: 2, Variant: 1, Fee: large.Fee})
		s.back(payerNode, 1)
	}
	if coin(r) { // without its parent all of it is free, but what its block paid
		s.back(payerNode, pick(r, 0, len(s.all[payerNode-1].blocks)-1))
	} else {
		s.grow(payerNode, nil, born)
		s.grow(payerNode, nil, schema.PayoutResult{Payout: 2, Variant: uint32(chance(r, 2)), Fee: pick(r, child.Fee, large.Fee)})
	}
	for range 102 {
		s.grow(payerNode, nil)
	}
	for _, id := range []schema.PayoutID{1, 2} {
		s.both(&schema.AbandonPayout{Payout: id, Dead: true})
	}
	s.grow(payerNode, receipts[:3])
}

// childEdges spends the most and the least change that there can be, and lets the house bear as much as it can.
func (s *payScript) childEdges(r *dice) {
	most, least := cut(ledger.Limit, 8), fixed.FromUnits(1, 8)
	s.grow(payerNode, nil)
	s.grow(payerNode, []schema.Receipt{{ID: "most", Asset: payerBTC, Amount: most, Own: schema.Hot, Text: "hot"}})
	s.grow(payerNode, nil)
	fee := pick(r, least, fixed.One, most.Sub(least), most.Sub(least).Sub(least))
	parent := s.planned(1, fee, most, pick[int64](r, 1, 2), "most")
	s.signed(parent, 0)
	out := parent.Outputs[0]
	for _, again := range []fixed.Decimal{out.Amount.Sub(least), least, fixed.One, out.Amount} {
		child := s.planned(2, again, out.Amount, 1, schema.OutputID(parent.Tx, 0))
		s.signed(child, uint32(max(0, len(s.childVariants())-1)))
	}
	s.grow(payerNode, nil, schema.PayoutResult{Payout: 1, Fee: fee})
	if list := s.childVariants(); len(list) > 0 {
		last := uint32(len(list) - 1)
		s.grow(payerNode, nil, schema.PayoutResult{Payout: 2, Variant: last, Fee: list[last].Fee})
	}
	s.grow(payerNode, nil)
	s.back(payerNode, pick(r, 1, 2, 3))
	for range 102 {
		s.grow(payerNode, nil)
	}
}

// childVariants are those of payout 2, if it waits.
func (s *payScript) childVariants() []schema.Variant {
	for _, p := range s.waiting(s.all[payerNode-1]) {
		if p.ID == 2 {
			return p.Variants
		}
	}
	return nil
}
