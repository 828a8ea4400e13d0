package core

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// payScript sends commands that are as large as commands of payouts can be.
type payScript struct {
	*payers
	t   *rapid.T
	tr  *trial
	log []moment
}

// newPayScript is a world where one block confirms and nothing costs anything.
func newPayScript(t *rapid.T, r *dice, tr *trial) *payScript {
	s := &payScript{payers: newPayers(r, tr.slow), t: t, tr: tr}
	for i := range s.assets {
		for j := range s.assets[i].Networks {
			n := &s.assets[i].Networks[j]
			n.Confirmations, n.ConfirmationsForTrading, n.ApproveAbove = 1, 1, fixed.Zero
			n.WithdrawFixed, n.WithdrawPercent, n.DepositFixed = fixed.Zero, fixed.Zero, fixed.Zero
		}
	}
	for _, cmd := range s.birth() {
		s.send(cmd)
	}
	return s
}

func (s *payScript) send(cmd schema.Command) *schema.Result {
	switch cmd.(type) {
	case *schema.AbandonPayout, *schema.DecideWithdrawal:
		return s.say("olga", cmd)
	}
	return s.say("", cmd)
}

// say sends a command of an operator.
func (s *payScript) say(operator string, cmd schema.Command) *schema.Result {
	s.now += schema.Second / 10
	m := moment{at: s.now, cmd: cmd, from: schema.Origin{Operator: operator}}
	if err := sender(s.tr.apply).run(m); err != nil {
		s.t.Fatalf("%d steps, command %d: %v", s.tr.steps, len(s.log), err)
	}
	s.log = append(s.log, m)
	s.learn(cmd, &s.tr.answer)
	for range 2000 { // until no chain is busy
		busy := false
		for _, c := range s.slow.Chains() {
			_, works, _ := s.slow.ChainAt(c.ID)
			busy = busy || works
		}
		if !busy {
			break
		}
		s.now += schema.Second / 10
		if err := sender(s.tr.apply).run(moment{at: s.now, cmd: &schema.Tick{}}); err != nil {
			s.t.Fatalf("%d steps, tick after command %d: %v", s.tr.steps, len(s.log), err)
		}
		s.tr.answer = schema.Result{}
	}
	return &s.tr.answer
}

// grow takes a block.
func (s *payScript) grow(id schema.ChainID, receipts []schema.Receipt, results ...schema.PayoutResult) {
	b := s.empty(id)
	b.Receipts, b.Results = receipts, results
	s.send(b)
}

// empty is the next block, with nothing in it.
func (s *payScript) empty(id schema.ChainID) *schema.ChainBlock {
	b := &schema.ChainBlock{Chain: id, Height: 5, Hash: s.digest(), Parts: 1}
	if c := s.all[id-1]; len(c.blocks) > 0 {
		last := c.blocks[len(c.blocks)-1]
		b.Height, b.Parent = last.height+1, last.hash
	}
	return b
}

// back rewinds a chain by some blocks.
func (s *payScript) back(id schema.ChainID, depth int) {
	blocks := s.all[id-1].blocks
	to := blocks[len(blocks)-1-depth]
	s.send(&schema.ChainRewind{Chain: id, Height: to.height, Hash: to.hash})
}

// TestLargestPayoutAgainstNaive is about payouts with as many withdrawals, inputs and variants as there can be, and with the largest and the
// smallest amounts.
func TestLargestPayoutAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(slice)
		tr.limitChains(pick(r, tr.steps, tr.steps, 50, 300))
		s := newPayScript(t, r, tr)
		if chance(r, 6) == 0 {
			s.manyInputs(r)
		} else {
			s.edges(r)
		}
	})
}

// manyInputs pays as many withdrawals as a payout can with as many coins, in as many variants.
func (s *payScript) manyInputs(r *dice) {
	var receipts []schema.Receipt
	for i := range schema.MaxInputs + 5 {
		receipts = append(receipts, schema.Receipt{ID: fmt.Sprintf("in%03d", i), Asset: payerBTC, Amount: fixed.One, Own: schema.Hot, Text: "hot"})
	}
	s.grow(payerNode, receipts)
	for range schema.MaxPaid + 1 {
		s.send(&schema.RequestWithdrawal{
			Account: s.account(r), Asset: payerBTC, Chain: payerNode, Amount: fixed.One, Pay: true, Address: "out", Unique: s.name("u"),
		})
	}
	p := schema.PlanPayout{Chain: payerNode, Payout: 1, Asset: payerBTC, Tx: "a", Fee: fixed.FromInt(1), Unsigned: []byte{1}}
	for i := range schema.MaxInputs {
		p.Inputs = append(p.Inputs, receipts[i].ID)
	}
	for i := range schema.WithdrawalID(schema.MaxPaid) {
		p.Withdrawals = append(p.Withdrawals, i+1)
	}
	change := fixed.FromInt(int64(schema.MaxInputs - schema.MaxPaid - 1))
	p.Outputs = divided(r, schema.OwnOutput{Own: 2, Amount: change}, schema.MaxChange)
	many := p
	many.Inputs = append(many.Inputs[:len(many.Inputs):len(many.Inputs)], receipts[schema.MaxInputs].ID)
	s.send(&many)
	many = p
	many.Withdrawals = append(many.Withdrawals[:len(many.Withdrawals):len(many.Withdrawals)], schema.MaxPaid+1)
	s.send(&many)
	for i := range schema.MaxVariants + 1 {
		v := p
		v.Tx, v.Fee = fmt.Sprintf("tx%d", i), p.Fee.Add(fixed.FromUnits(int64(i), 8))
		v.Outputs = divided(r, schema.OwnOutput{Own: 2, Amount: change.Sub(fixed.FromUnits(int64(i), 8))}, schema.MaxChange)
		if i == schema.MaxVariants {
			v.Tx += "beyond"
		}
		if i == 1 {
			v.Unsigned = make([]byte, schema.MaxTransaction)
		}
		if i == 3 { // another coin besides
			v.Inputs = append(append([]string{}, p.Inputs[:len(p.Inputs)-1]...), receipts[schema.MaxInputs+1].ID)
		}
		s.send(&v)
	}
	mined := uint32(pick(r, 0, 3, schema.MaxVariants-1))
	s.send(&schema.SignPayout{Payout: 1, Variant: mined, Tx: fmt.Sprintf("tx%d", mined), Raw: make([]byte, schema.MaxTransaction)})
	result := schema.PayoutResult{Payout: 1, Variant: mined, Fee: p.Fee.Add(fixed.FromUnits(int64(mined), 8))}
	for range pick(r, 1, 2) {
		s.grow(payerNode, nil, result)
		s.grow(payerNode, nil)
		s.back(payerNode, 2)
	}
	if coin(r) { // the coins go, too
		s.grow(payerNode, nil)
		s.back(payerNode, 1)
	}
	s.grow(payerNode, nil, result)
	for range 102 {
		s.grow(payerNode, nil)
	}
}

// edges pays the most and the least that there can be.
func (s *payScript) edges(r *dice) {
	most, least := cut(ledger.Limit, 8), fixed.FromUnits(1, 8)
	s.grow(payerNode, []schema.Receipt{
		{ID: "most", Asset: payerBTC, Amount: most.Sub(least), Own: schema.Hot, Text: "hot"},
		{ID: "least", Asset: payerBTC, Amount: least, Index: 1, Text: "customer"},
	})
	s.grow(payerNode, []schema.Receipt{{ID: "more", Asset: payerBTC, Amount: least, Index: 1, Text: "customer"}})
	s.grow(payerEVM, []schema.Receipt{
		{ID: "most", Asset: payerETH, Amount: ledger.Limit.Sub(smallest), Own: schema.Hot, Text: "hot"},
		{ID: "least", Asset: payerETH, Amount: smallest, Index: 2, Text: "customer"},
		{ID: "token", Asset: payerToken, Amount: fixed.FromUnits(1, 6), Own: schema.Hot, Text: "hot"},
	})
	s.send(&schema.RequestWithdrawal{Account: 101, Asset: payerBTC, Chain: payerNode, Amount: fixed.FromUnits(1, int(s.assets[0].Precision)), Pay: true, Address: "out", Unique: "b"})
	s.send(&schema.RequestWithdrawal{Account: 101, Asset: payerETH, Chain: payerEVM, Amount: fixed.FromUnits(1, int(s.assets[1].Precision)), Pay: true, Address: "out", Unique: "e"})
	s.send(&schema.RequestWithdrawal{Account: 101, Asset: payerToken, Chain: payerEVM, Amount: fixed.FromUnits(1, 6), Pay: true, Address: "out", Unique: "t"})
	fee := pick(r, least, most.Sub(fixed.One), fixed.FromInt(7))
	plan := func(p schema.PlanPayout) {
		p.Payout, p.Unsigned = s.slow.NextPayout(), []byte{1}
		s.send(&p)
	}
	rest := most.Sub(fee)
	paid := fixed.FromUnits(1, int(s.assets[0].Precision))
	if rest = rest.Sub(paid); rest.Sign() > 0 {
		plan(schema.PlanPayout{
			Chain: payerNode, Asset: payerBTC, Tx: "b", Fee: fee, Withdrawals: []schema.WithdrawalID{1}, Inputs: []string{"most", "least"},
			Outputs: []schema.OwnOutput{{Own: schema.ChangeOf(s.slow.NextPayout()), Amount: rest}},
		})
	}
	eth := fixed.FromUnits(1, int(s.assets[1].Precision))
	wei := pick(r, smallest, ledger.Limit.Sub(smallest).Sub(eth), ledger.Limit.Sub(eth), fixed.One)
	plan(schema.PlanPayout{Chain: payerEVM, Asset: payerETH, Fee: wei, Own: schema.Hot, Withdrawals: []schema.WithdrawalID{2}})
	plan(schema.PlanPayout{Chain: payerEVM, Asset: payerToken, Fee: smallest, Own: schema.Hot, Nonce: s.slow.NextNonce(payerEVM, 0, schema.Hot), Withdrawals: []schema.WithdrawalID{3}})
	plan(schema.PlanPayout{Chain: payerEVM, Asset: payerETH, Fee: smallest, Index: 2, Outputs: []schema.OwnOutput{{Own: schema.Hot, Amount: smallest}}})
	for _, c := range []schema.ChainID{payerNode, payerEVM} {
		var results []schema.PayoutResult
		for _, p := range s.slow.Payouts(c) {
			tx := p.Variants[0].Tx
			if c == payerEVM {
				tx = s.name("t")
			}
			s.send(&schema.SignPayout{Payout: p.ID, Tx: tx, Raw: []byte{1}})
			results = append(results, schema.PayoutResult{Payout: p.ID, Fee: p.Variants[0].Fee})
		}
		for range 2 {
			s.grow(c, nil, results...)
			s.grow(c, nil)
			s.back(c, 2)
		}
		s.grow(c, nil, results...)
		for range 102 {
			s.grow(c, nil)
		}
	}
}
