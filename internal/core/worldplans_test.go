package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Assets of a world of payers, and its chains.
const (
	payerBTC schema.AssetID = 1 + iota
	payerETH
	payerToken
	payerAssets = 3

	payerNode schema.ChainID = 1
	payerEVM  schema.ChainID = 2
	payerSand schema.ChainID = 3
	payerSide schema.ChainID = 4 // with the addresses of the EVM chain
)

// payers draws what happens on chains of others: blocks with money that comes and payouts that go, plans of all kinds, signatures, rewinds.
// It composes plans from what the naive exchange knows, so that most are good.
type payers struct {
	now    schema.Time
	slow   online
	all    []*worldChain // by id, from 1
	assets []schema.Asset
	side   bool // there is a second EVM chain
	kin    bool // payouts have children as often as there are blocks
	asking bool // bounds are loosened and tightened all the time
	two    int  // after so many commands some take two operators; 0: from birth
	sent   int  // how many commands were drawn
	named  int
	next   []moment         // what comes next in any case
	later  []schema.Command // what comes when no blocks are in a hurry
	then   []follower       // what comes of payouts of cold storage, and of blocks of the pool
	gone   []string         // receipts that do not come again soon
}

func newPayers(t *dice, slow *naive.Exchange) *payers {
	w := &payers{now: start, slow: online{slow}, side: coin(t), kin: chance(t, 3) == 0, asking: chance(t, 3) == 0, two: pick(t, 0, 0, 1+chance(t, 300), 1_000_000)}
	w.all = []*worldChain{
		{Chain: schema.Chain{ID: payerNode, Name: "NODE", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, FeeRateMax: pick[uint64](t, 0, 100)}},
		{Chain: schema.Chain{ID: payerEVM, Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 5}},
		{Chain: schema.Chain{ID: payerSand, Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}},
	}
	if w.side {
		w.all = append(w.all, &worldChain{Chain: schema.Chain{ID: payerSide, Name: "SIDE", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 6}})
	}
	w.assets = []schema.Asset{
		{Ticker: "BTC", Scale: pick[uint8](t, 8, 10, 18), Precision: pick[uint8](t, 4, 8), Class: schema.Crypto},
		{Ticker: "ETH", Scale: 18, Precision: pick[uint8](t, 8, 18), Class: schema.Crypto},
		{Ticker: "TOK", Scale: pick[uint8](t, 6, 12), Precision: 6, Class: schema.Crypto},
	}
	for i := range w.assets {
		w.assets[i].CanDeposit, w.assets[i].CanWithdraw = true, true
		w.assets[i].Networks = w.networks(t, schema.AssetID(i+1))
	}
	if chance(t, 4) != 0 {
		w.next = w.firstKeys(t)
	}
	if chance(t, 10) == 0 {
		w.then = w.stillborn(t)
	}
	return w
}

// networks are those of an asset on the chains.
func (w *payers) networks(t *dice, asset schema.AssetID) (list []schema.Network) {
	for _, c := range w.all {
		n := schema.Network{
			Name: c.Name, Chain: c.ID, CanDeposit: true, CanWithdraw: true, Confirmations: uint32(1 + chance(t, 3)),
			DepositFixed:    pick(t, fixed.Zero, fixed.Zero, fixed.FromUnits(1, 4)),
			WithdrawFixed:   pick(t, fixed.Zero, fixed.Zero, fixed.FromUnits(1, 2), fixed.FromUnits(3, 6)),
			WithdrawPercent: pick(t, fixed.Zero, fixed.Zero, fixed.FromUnits(333, 3)),
			ApproveAbove:    pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(40)),
			HotCap:          pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(50)),
		}
		n.ConfirmationsForTrading = 1 + uint32(chance(t, int(n.Confirmations)))
		switch {
		case asset == payerBTC && c.Driver == schema.BitcoinNode:
			n.Decimals = 8
		case asset == payerETH && c.Driver == schema.EVMNode:
			n.Decimals = 18
		case asset == payerToken && c.Driver == schema.EVMNode:
			n.Decimals, n.Contract = 6, "0xtoken"
		default:
			continue
		}
		list = append(list, n)
	}
	return list
}

// birth is the commands with which the world begins.
func (w *payers) birth() (list []schema.Command) {
	for _, cmd := range schemaFeatures() {
		if cmd.(*schema.SetFeature).Feature != schema.TwoOperators || w.two == 0 {
			list = append(list, cmd)
		}
	}
	for _, c := range w.all {
		list = append(list, &schema.SetChain{Chain: c.Chain})
	}
	for _, a := range w.assets {
		list = append(list, &schema.SetAsset{Asset: a})
	}
	list = append(list, payerAccounts(func() schema.Region { return schema.Global })...)
	for i := range worldAccounts {
		account := schema.FirstCustomer + schema.AccountID(i)
		list = append(list, &schema.OpenAddress{Account: account, Chain: payerNode}, &schema.OpenAddress{Account: account, Chain: payerEVM})
		for asset := range schema.AssetID(payerAssets) {
			list = append(list, &schema.Deposit{Account: account, Asset: asset + 1, Amount: fixed.FromInt(500)})
		}
	}
	return list
}

// schemaFeatures switch on what a new exchange has.
func schemaFeatures() (list []schema.Command) {
	for _, birth := range schema.BirthFeatures() {
		list = append(list, &schema.SetFeature{Feature: birth.Feature, On: true})
	}
	return list
}

// wrong is for what is wrong on purpose, one time in n.
func (w *payers) wrong(t *dice, n int) bool { return chance(t, n) == 0 }

// name is something that nothing else is called.
func (w *payers) name(what string) string {
	w.named++
	return fmt.Sprintf("%s%d", what, w.named)
}

func (w *payers) digest() (d schema.Digest) {
	copy(d[:], fmt.Sprintf("%032d", len(w.name(""))*1_000_000+w.named))
	return d
}

// foreign is one of the chains of others.
func (w *payers) foreign(t *dice) *worldChain {
	if w.side && chance(t, 5) == 0 {
		return w.all[payerSide-1]
	}
	return w.all[pick(t, payerNode, payerEVM)-1]
}

func (w *payers) account(t *dice) schema.AccountID {
	return schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts))
}

// draw draws what happens next.
func (w *payers) draw(t *dice) moment {
	w.now += schema.Time(chance(t, 3000)) * schema.Second / 1000
	if chance(t, 60) == 0 {
		w.now += schema.Time(chance(t, 3600)) * schema.Second
	}
	if len(w.next) > 0 && chance(t, 10) != 0 {
		m := w.next[0]
		w.next = w.next[1:]
		m.at = w.now
		return m
	}
	m := moment{at: w.now}
	if w.sent++; w.sent == w.two {
		m.cmd = &schema.SetFeature{Feature: schema.TwoOperators, On: true}
		return m
	}
	if chance(t, 12) == 0 && w.awaitSettings(t) {
		m.at, m.cmd = w.now, &schema.Tick{}
		return m
	}
	m.cmd = w.command(t)
	if proposable(m.cmd) {
		m.from.Operator = anyOperator(t)
	}
	switch m.cmd.(type) {
	case *schema.AbandonPayout, *schema.DecideWithdrawal, *schema.ResumeChain, *schema.AdoptSpend, *schema.BookSurplus:
		if !w.wrong(t, 12) {
			m.from.Operator = pick(t, "olga", "oscar", "otto", "ann")
		}
	case *schema.SetKeys, *schema.RefillHot:
		m.from.Operator = pick(t, "", "olga")
	}
	return m
}

func (w *payers) command(t *dice) schema.Command {
	for _, c := range w.all {
		switch at, busy, _ := w.slow.ChainAt(c.ID); {
		case busy && chance(t, 4) != 0:
			return &schema.Tick{}
		case at.Halted && chance(t, 3) != 0:
			if coin(t) {
				return w.adopt(t, c)
			}
			return w.resume(t, c)
		case c.hurry > 0 && chance(t, 8) != 0:
			return w.block(t, c)
		}
	}
	c := w.foreign(t)
	if len(w.later) > 0 && chance(t, 3) != 0 {
		cmd := w.later[0]
		w.later = w.later[1:]
		return cmd
	}
	if chance(t, 40) == 0 {
		if cmd := w.loseAnchor(t, w.all[payerNode-1]); cmd != nil {
			return cmd
		}
	}
	if w.asking && chance(t, 5) == 0 || chance(t, 50) == 0 {
		return w.ask(t)
	}
	if w.kin && chance(t, 4) == 0 {
		if cmd := w.breed(t, w.all[payerNode-1]); cmd != nil {
			return cmd
		}
	}
	if len(w.then) > 0 && chance(t, 4) != 0 {
		next := w.then[0]
		w.then = w.then[1:]
		return next(t)
	}
	if chance(t, 10) == 0 {
		return w.guard(t, c)
	}
	switch n := chance(t, 100); {
	case n < 26:
		return w.block(t, c)
	case n < 44:
		return w.anyPlan(t, c)
	case n < 56:
		return w.sign(t, c)
	case n < 70:
		return w.withdraw(t, c)
	case n < 75:
		return w.rewind(t, c)
	case n < 79:
		return w.abandon(t, c)
	case n < 83:
		return w.judge(t, c)
	case n < 85:
		return w.decide(t, c)
	case n < 87:
		return payerSettings(t, w.account(t), w.slow.Exchange)
	case n < 89:
		return w.keys(t)
	case n < 90:
		c.hurry = pick(t, 3, 10, 105, 112)
		return w.block(t, c)
	case n < 92:
		return w.setAsset(t)
	case n < 93:
		return w.setChain(t)
	case n < 95:
		return w.refund(t, c)
	case n < 96:
		return &schema.OpenAddress{Account: w.account(t), Chain: c.ID, Fresh: coin(t)}
	case n < 98:
		return w.surplus(t, c)
	}
	return &schema.Tick{}
}

// block draws the next block of a chain, or a part of it, with money that comes and payouts of ours.
func (w *payers) block(t *dice, c *worldChain) schema.Command {
	b := &schema.ChainBlock{Chain: c.ID, Height: pick[uint64](t, 1, 7, 1000), Hash: w.digest(), Parts: pick[uint32](t, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3)}
	switch {
	case c.part != nil:
		b.Height, b.Hash, b.Parent, b.Part, b.Parts = c.part.Height, c.part.Hash, c.part.Parent, c.part.Part+1, c.part.Parts
	case len(c.blocks) > 0:
		last := c.blocks[len(c.blocks)-1]
		b.Height, b.Parent = last.height+1, last.hash
	}
	if c.still > 0 && c.part == nil {
		c.still--
		b.Parts = 1
		c.hurry = max(c.hurry-1, 0)
		return b
	}
	if c.hurry > 0 {
		c.hurry--
		if c.part == nil {
			b.Parts = 1
		}
		if chance(t, 20) != 0 {
			return b
		}
	}
	for range pick(t, 0, 0, 1, 1, 2, 4) {
		r := w.receipt(t, c)
		if !slices.ContainsFunc(b.Receipts, func(other schema.Receipt) bool { return other.ID == r.ID }) || w.wrong(t, 25) {
			b.Receipts = append(b.Receipts, r)
		}
	}
	if slices.ContainsFunc(b.Receipts, func(r schema.Receipt) bool { return r.Own == schema.PoolOwn }) && chance(t, 4) == 0 {
		w.hold(c)
	}
	if b.Part+1 >= b.Parts && chance(t, 4) != 0 || w.wrong(t, 60) {
		b.Adopted = w.spends(t, c, b)
	}
	if b.Part+1 >= b.Parts && chance(t, 4) != 0 || w.wrong(t, 20) {
		b.Results = w.results(t, c, b)
	}
	if len(b.Adopted) > 0 && w.wrong(t, 5) {
		w.breakSpend(t, c, b)
	}
	if w.wrong(t, 15) {
		w.breakBlock(t, b)
	}
	return b
}

// breakBlock makes a block wrong, mostly.
func (w *payers) breakBlock(t *dice, b *schema.ChainBlock) {
	if len(b.Results) > 0 && chance(t, 3) != 0 {
		r := &b.Results[chance(t, len(b.Results))]
		switch chance(t, 7) {
		case 0:
			r.Payout = pick(t, 0, r.Payout+1, w.slow.NextPayout())
		case 1:
			r.Variant = pick(t, r.Variant+1, 0, 40)
		case 2:
			r.Failed = !r.Failed
		case 3:
			r.Fee = pick(t, fixed.Zero, r.Fee.Add(smallest), r.Fee.Neg(), r.Fee.Add(r.Fee), smallest)
		case 4:
			b.Results = append(b.Results, *r)
		case 5:
			slices.Reverse(b.Results)
		case 6:
			b.Results = slices.Repeat(b.Results, 17)
		}
		return
	}
	switch chance(t, 7) {
	case 0:
		b.Height++
	case 1:
		b.Parent = w.digest()
	case 2:
		b.Part++
	case 3:
		b.Hash = schema.Digest{}
	case 4:
		b.Foreign = strings.Repeat("f", schema.MaxTx+1)
	case 5:
		b.Foreign = "theft"
	case 6:
		b.Chain = pick(t, schema.ChainID(0), payerSand, 9)
	}
}

// receipt draws money that comes: something new, or what a block paid that was rewound, rarely something else by its name.
func (w *payers) receipt(t *dice, c *worldChain) schema.Receipt {
	if len(c.missing) > 0 && chance(t, 3) != 0 {
		r := c.missing[chance(t, len(c.missing))]
		if slices.Contains(w.gone, r.ID) && chance(t, 100) != 0 {
			return w.payment(t, c)
		}
		switch chance(t, 40) {
		case 0:
			r.Amount = r.Amount.Add(fixed.One)
		case 1:
			r.Index, r.Own = w.payee(t, c)
		case 2:
			r.Asset = schema.AssetID(1 + chance(t, payerAssets))
		case 3:
			r.Text = "elsewhere"
		}
		return r
	}
	return w.payment(t, c)
}

// payment draws money that comes for the first time.
func (w *payers) payment(t *dice, c *worldChain) schema.Receipt {
	r := schema.Receipt{ID: w.name("r"), Asset: payerBTC, Text: "address"}
	if c.Driver == schema.EVMNode {
		r.Asset = pick(t, payerETH, payerToken)
	}
	if w.wrong(t, 40) {
		r.Asset = schema.AssetID(1 + chance(t, payerAssets))
	}
	r.Index, r.Own = w.payee(t, c)
	r.Amount = pick(t, fixed.FromInt(int64(1+chance(t, 30))), fixed.FromInt(int64(1+chance(t, 200))), fixed.FromUnits(int64(1+chance(t, 9_000_000)), 6))
	if w.wrong(t, 40) {
		r.Amount = pick(t, fixed.Zero, fixed.FromInt(-1), smallest, fixed.Max)
	}
	for _, known := range w.slow.ChainDeposits(c.ID) {
		if w.wrong(t, 400) { // it is there already
			r.ID = known.Receipt
		}
	}
	for _, k := range w.slow.CoinsOf(c.ID, payerBTC) {
		if c.Driver == schema.BitcoinNode && w.wrong(t, 600) {
			r.ID = k.ID
		}
	}
	return r
}

// payee draws who is paid: mostly a customer, or one of our own addresses.
func (w *payers) payee(t *dice, c *worldChain) (schema.AddressIndex, schema.OwnAddress) {
	if w.wrong(t, 40) {
		last, own := w.slow.LastIndex(c.ID), schema.OwnAddress(w.slow.NextPayout())
		return pick(t, schema.AddressIndex(0), 0, 1, last+1), pick(t, schema.OwnAddress(0), 1, 2, own, own+1, schema.PoolOwn+pick(t, schema.OwnAddress(0), 0, 1, 1<<64-1), w.wrongCold(t))
	}
	if chance(t, 3) == 0 {
		own := schema.Hot
		if w.stores(c) && chance(t, 3) == 0 {
			return 0, w.coldPayee(t, c)
		}
		if c.Driver == schema.BitcoinNode && chance(t, 3) == 0 {
			return 0, schema.PoolOwn
		}
		if c.Driver == schema.BitcoinNode && coin(t) {
			own += schema.OwnAddress(chance(t, int(w.slow.NextPayout())))
		}
		return 0, own
	}
	return schema.AddressIndex(1 + chance(t, int(w.slow.LastIndex(c.ID)))), 0
}

// results draws which payouts of ours a block carries: those that can be, mostly.
func (w *payers) results(t *dice, c *worldChain, b *schema.ChainBlock) (list []schema.PayoutResult) {
	there := map[string]bool{}
	for _, k := range w.slow.CoinsOf(c.ID, payerBTC) {
		there[k.ID] = k.Height != 0
	}
	for _, r := range b.Receipts {
		there[r.ID] = true
	}
	for _, f := range b.Adopted {
		for _, id := range f.Inputs {
			there[id] = w.wrong(t, 30)
		}
	}
	stopped := map[schema.Coin]bool{} // payers with a payout that stays out
	for _, p := range w.slow.Payouts(c.ID) {
		if p.Status != schema.PayoutPlanned && p.Status != schema.PayoutSent {
			continue
		}
		var signed []int
		for i, v := range p.Variants {
			if len(v.Raw) > 0 && (c.Driver == schema.EVMNode || !slices.ContainsFunc(v.Inputs, func(id string) bool { return !there[id] })) {
				signed = append(signed, i)
			}
		}
		from := schema.Coin{Index: p.Index, Own: p.Own}
		if c.Driver == schema.EVMNode && !w.wrong(t, 30) && (w.usesNonce(c, b, &p) || w.lacks(c, &p)) {
			stopped[from] = stopped[from] || !w.usesNonce(c, b, &p)
			continue
		}
		if len(signed) == 0 || chance(t, 4) == 0 || c.Driver == schema.EVMNode && stopped[from] || len(list) == schema.MaxResults {
			stopped[from] = !w.wrong(t, 30)
			continue
		}
		i := signed[chance(t, len(signed))]
		v := p.Variants[i]
		r := schema.PayoutResult{Payout: p.ID, Variant: uint32(i), Fee: v.Fee}
		if c.Driver == schema.EVMNode {
			r.Failed = chance(t, 6) == 0
			if half, _ := fixed.Div(v.Fee, fixed.FromInt(2), 18, fixed.Down); half.Sign() > 0 && coin(t) {
				r.Fee = half
			}
		}
		for _, id := range v.Inputs {
			there[id] = false
		}
		for _, k := range changeOf(&p, &v) { // a child may spend it in the same block
			there[k.ID] = !w.wrong(t, 5)
		}
		list = append(list, r)
	}
	return list
}

// learn notes what became of the chains.
func (w *payers) learn(cmd schema.Command, answer *schema.Result) {
	if answer.Rejection.Refused() || answer.Proposal != 0 {
		return
	}
	switch cmd := cmd.(type) {
	case *schema.SetChain:
		if answer.ID <= uint64(len(w.all)) {
			w.all[answer.ID-1].Paused = cmd.Chain.Paused
		}
	case *schema.ChainBlock:
		if cmd.Foreign == "" {
			w.all[cmd.Chain-1].took(cmd)
		}
		if len(cmd.Adopted) > 0 {
			w.outlive(w.all[cmd.Chain-1], cmd)
		}
	case *schema.ChainRewind:
		if at, _, _ := w.slow.ChainAt(cmd.Chain); !at.Halted {
			w.all[cmd.Chain-1].rewound(cmd)
		}
	case *schema.ResumeChain:
		if at, _, _ := w.slow.ChainAt(cmd.Chain); !at.Halted {
			w.all[cmd.Chain-1].resumed(cmd)
		}
	case *schema.AdoptSpend:
		if at, _, _ := w.slow.ChainAt(cmd.Chain); !at.Halted {
			w.all[cmd.Chain-1].resumed(&schema.ResumeChain{Chain: cmd.Chain, Height: at.Height, Hash: at.Hash})
			w.await(w.all[cmd.Chain-1])
		}
	case *schema.BookSurplus:
		w.booked(cmd, answer.ID)
	}
}

// TestPlansAgainstNaive is TestAgainstNaive for money that goes by chains of others. Most commands may do less at once than others.
func TestPlansAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(slice)
		tr.limitChains(pick(r, tr.steps, tr.steps, 1, 2, 3, 5, 8))
		tr.pay(t, r, newPayers(r, tr.slow), 1+chance(r, 600))
	})
}

// pay lets a world of payers live on both machines for a while, and prints what happened if they come to differ.
func (tr *trial) pay(t *rapid.T, r *dice, w *payers, commands int) {
	var log []moment
	send := func(m moment) {
		log = append(log, m)
		if err := sender(tr.applyCold).run(m); err != nil {
			t.Fatalf("%d steps\n%s", tr.steps, longStory(log, func() sender {
				again := newTrial(tr.slice)
				again.limitChains(tr.steps)
				return again.applyCold
			}))
		}
		if tr.answer.Rejection.Refused() { // it changed nothing
			log = log[:len(log)-1]
		}
	}
	for _, cmd := range w.birth() {
		send(moment{at: w.now, cmd: cmd})
	}
	for range commands {
		m := w.draw(r)
		send(m)
		w.learn(m.cmd, &tr.answer)
	}
}

// longStory is story for logs of hundreds of commands: it leaves out many at once, and gives up when so many were sent again.
func longStory(log []moment, begin func() sender) string {
	const most = 6_000
	sent := 0
	for size := len(log) / 2; size > 1; size /= 2 {
		for i := len(log) - 1 - size; i >= 0 && sent < most; i -= size {
			shorter := slices.Delete(slices.Clone(log), i, i+size)
			sent += len(shorter)
			if begin().run(shorter...) != nil {
				log = shorter
			}
		}
	}
	if len(log) > 100 {
		return fmt.Sprintf("%d commands, the last %+v\n%v", len(log), log[len(log)-1].cmd, begin().run(log...))
	}
	return story(log, begin)
}
