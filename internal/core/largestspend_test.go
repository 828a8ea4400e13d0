package core

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestLargestSpendAgainstNaive is about what the log does not know, with as many transactions, inputs and balances as there can be, and with
// the largest and the smallest amounts.
func TestLargestSpendAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(slice)
		tr.limitChains(pick(r, tr.steps, tr.steps, 50, 300))
		s := newPayScript(t, r, tr)
		switch chance(r, 20) {
		case 0:
			s.manySpends(r)
		case 1, 2:
			s.manySpent(r)
		default:
			s.spendEdges(r)
		}
	})
}

// both lets two operators say the same.
func (s *payScript) both(cmd schema.Command) {
	s.say("olga", cmd)
	s.say("oscar", cmd)
}

// steal lets a chain be halted by a transaction that operators adopt.
func (s *payScript) steal(id schema.ChainID, tx string) {
	b := s.empty(id)
	b.Foreign = tx
	s.send(b)
	s.both(&schema.AdoptSpend{Chain: id, Tx: tx})
}

// with sends the next block with transactions that no plan made, and says whether it was taken.
func (s *payScript) with(id schema.ChainID, list ...schema.ForeignSpend) bool {
	b := s.empty(id)
	b.Adopted = list
	return !s.send(b).Rejection.Refused()
}

// manySpends adopts as many transactions as can be, which take from as many balances as one can.
func (s *payScript) manySpends(r *dice) {
	for range schema.MaxForeignTakes {
		s.send(&schema.OpenAddress{Account: s.account(r), Chain: payerEVM, Fresh: true})
	}
	var receipts []schema.Receipt
	wide := schema.ForeignSpend{Tx: "0"}
	for i := range schema.AddressIndex(schema.MaxForeignTakes) {
		receipts = append(receipts, schema.Receipt{ID: fmt.Sprint("in ", i), Asset: payerToken, Amount: fixed.FromInt(int64(i)), Index: i + 1, Text: "customer"})
		wide.Takes = append(wide.Takes, schema.ForeignTake{Asset: payerToken, Index: i + 1, Amount: fixed.FromInt(30)})
	}
	s.grow(payerEVM, receipts[1:])
	list := []schema.ForeignSpend{wide}
	for i := range schema.MaxAdopted {
		s.steal(payerEVM, fmt.Sprint(i))
		if i > 0 {
			list = append(list, schema.ForeignSpend{Tx: fmt.Sprint(i), Own: schema.Hot, Nonce: uint64(i)})
		}
	}
	b := s.empty(payerEVM)
	b.Foreign = "more"
	s.send(b)
	s.both(&schema.AdoptSpend{Chain: payerEVM, Tx: "more"})
	at, _, _ := s.slow.ChainAt(payerEVM)
	s.both(&schema.ResumeChain{Chain: payerEVM, Height: at.Height, Hash: at.Hash})
	wide.Takes = append(wide.Takes, schema.ForeignTake{Asset: payerETH, Index: 1, Amount: smallest})
	s.with(payerEVM, wide)
	for range 2 {
		s.with(payerEVM, list...)
		s.grow(payerEVM, nil)
		s.back(payerEVM, 2)
	}
	s.with(payerEVM, list[len(list)/2:]...)
	s.with(payerEVM, list[:len(list)/2]...)
	for range 102 {
		s.grow(payerEVM, nil)
	}
	s.steal(payerEVM, "more")
}

// manySpent spends more coins at once than a command may deal with, those that payouts have reserved among them.
func (s *payScript) manySpent(r *dice) {
	const coins = 305
	var receipts []schema.Receipt
	f := schema.ForeignSpend{Tx: "theft", Asset: payerBTC}
	for i := range coins {
		receipts = append(receipts, schema.Receipt{ID: fmt.Sprintf("in%03d", i), Asset: payerBTC, Amount: fixed.One, Index: schema.AddressIndex(1 + i%3), Text: "customer"})
		f.Inputs = append(f.Inputs, receipts[i].ID)
	}
	s.grow(payerNode, receipts)
	for range schema.MaxPaid {
		s.send(&schema.RequestWithdrawal{
			Account: s.account(r), Asset: payerBTC, Chain: payerNode, Amount: fixed.One, Pay: true, Address: "out", Unique: s.name("u"),
		})
	}
	large := &schema.PlanPayout{Chain: payerNode, Payout: 1, Asset: payerBTC, Tx: "a", Fee: fixed.One, Unsigned: []byte{1}, Inputs: f.Inputs[:schema.MaxInputs]}
	for i := range schema.WithdrawalID(schema.MaxPaid) {
		large.Withdrawals = append(large.Withdrawals, i+1)
	}
	large.Outputs = []schema.OwnOutput{{Own: 2, Amount: fixed.FromInt(int64(schema.MaxInputs - schema.MaxPaid - 1))}}
	s.send(large)
	other := &schema.PlanPayout{Chain: payerNode, Payout: 2, Asset: payerBTC, Tx: "b", Fee: fixed.One, Unsigned: []byte{1}, Inputs: f.Inputs[schema.MaxInputs : schema.MaxInputs+3]}
	other.Outputs = []schema.OwnOutput{{Own: 3, Amount: fixed.FromInt(2)}}
	s.send(other)
	for i, tx := range []string{"a", "b"} {
		s.send(&schema.SignPayout{Payout: schema.PayoutID(i + 1), Tx: tx, Raw: []byte{1}})
	}
	s.steal(payerNode, f.Tx)
	anchor := pick(r, 0, 1) // of the large payout, which is dead with it
	f.Inputs = append(f.Inputs[anchor:schema.MaxInputs:schema.MaxInputs], f.Inputs[schema.MaxInputs+1:]...)
	for range pick(r, 1, 2) {
		s.with(payerNode, f)
		s.grow(payerNode, nil)
		s.back(payerNode, 2)
	}
	s.with(payerNode, f)
	for range 102 {
		s.grow(payerNode, nil)
	}
}

// spendEdges takes and books the most and the least that there can be.
func (s *payScript) spendEdges(r *dice) {
	most, least := cut(ledger.Limit, 8), fixed.FromUnits(1, 8)
	s.grow(payerNode, []schema.Receipt{
		{ID: "most", Asset: payerBTC, Amount: most.Sub(least), Own: schema.Hot, Text: "hot"},
		{ID: "least", Asset: payerBTC, Amount: least, Index: 1, Text: "customer"},
	})
	s.grow(payerEVM, []schema.Receipt{
		{ID: "most", Asset: payerETH, Amount: ledger.Limit.Sub(smallest), Own: schema.Hot, Text: "hot"},
		{ID: "least", Asset: payerETH, Amount: smallest, Index: 2, Text: "customer"},
		{ID: "token", Asset: payerToken, Amount: fixed.FromUnits(1, 6), Index: 1, Text: "customer"},
	})
	// There is no room for more, and then there is.
	s.both(&schema.BookSurplus{Chain: payerNode, Asset: payerBTC, Amount: least, Own: schema.Hot, Coin: "more"})
	s.both(&schema.BookSurplus{Chain: payerEVM, Asset: payerETH, Amount: smallest, Own: schema.Hot})
	s.both(&schema.BookSurplus{Chain: payerEVM, Asset: payerToken, Amount: cut(ledger.Limit.Sub(fixed.FromUnits(1, 6)), 6), Index: 1})
	if coin(r) { // the fee of a payout must be borne, too
		fee := pick(r, least, fixed.One)
		s.send(&schema.PlanPayout{
			Chain: payerNode, Payout: s.slow.NextPayout(), Asset: payerBTC, Tx: "b", Fee: fee, Unsigned: []byte{1}, Inputs: []string{"most"},
			Outputs: []schema.OwnOutput{{Own: schema.ChangeOf(s.slow.NextPayout()), Amount: most.Sub(least).Sub(fee)}},
		})
	}
	if coin(r) {
		s.send(&schema.PlanPayout{
			Chain: payerEVM, Payout: s.slow.NextPayout(), Asset: payerETH, Fee: pick(r, smallest, fixed.One), Unsigned: []byte{1}, Own: schema.Hot,
			Outputs: []schema.OwnOutput{{Index: 1, Amount: fixed.One}},
		})
	}
	for _, c := range []schema.ChainID{payerNode, payerEVM} {
		s.steal(c, "all")
		s.steal(c, "more")
	}
	all := schema.ForeignSpend{Tx: "all", Asset: payerBTC, Inputs: []string{"most", "least"}}
	some := schema.ForeignSpend{Tx: "all", Asset: payerBTC, Inputs: []string{pick(r, "most", "least")}}
	rest := schema.ForeignSpend{Tx: "more", Asset: payerBTC, Inputs: []string{pick(r, "most", "least")}}
	s.live(payerNode, all, some, rest)
	amount := pick(r, fixed.Max, ledger.Limit, ledger.Limit.Sub(smallest), ledger.Limit.Sub(fixed.One), smallest)
	take := func(tx string, index schema.AddressIndex, asset schema.AssetID, amount fixed.Decimal) schema.ForeignSpend {
		f := schema.ForeignSpend{Tx: tx, Nonce: pick[uint64](r, 0, 1, 1<<63), Own: schema.Hot, Takes: []schema.ForeignTake{{Asset: asset, Index: index, Amount: amount}}}
		if index == 0 {
			f.Takes[0].Own = schema.Hot
		}
		return f
	}
	s.live(payerEVM, take("all", 0, payerETH, amount), take("all", 2, payerETH, fixed.Max), take("more", 1, payerToken, cut(fixed.Max, 6)))
}

// live lets blocks with spends come, be rewound and come again, and then so many others that they are forgotten.
func (s *payScript) live(id schema.ChainID, all, some, rest schema.ForeignSpend) {
	for _, f := range []schema.ForeignSpend{all, some} {
		if s.with(id, f, rest) || s.with(id, f) {
			s.grow(id, nil)
			s.with(id, rest)
			blocks := s.all[id-1].blocks
			s.back(id, len(blocks)-1)
		}
	}
	s.both(&schema.BookSurplus{Chain: id, Asset: payerToken, Amount: fixed.FromUnits(1, 6), Own: schema.Hot})
	s.with(id, rest, some)
	s.with(id, all)
	for range 102 {
		s.grow(id, nil)
	}
	s.with(id, rest)
}
