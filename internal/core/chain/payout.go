package chain

import (
	"slices"

	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// payout is a transaction of the exchange on a chain of others. It is planned, then signed, then sent by those who read the state, and
// it is over when its block cannot be rewound any more, or when operators hold it to be dead.
//
// What must hold: a withdrawal is paid once. It is bound to one payout until that is over, and all variants of a payout spend its anchor,
// which is its first coin or its nonce: the chain takes at most one of them. What a variant spends is reserved before it is signed. So
// nothing that was ever signed can pay a withdrawal that another payout pays as well, whatever is rewound, and however often it is sent.
type payout struct {
	schema.Payout
	native schema.AssetID  // that its fee is paid in
	booked fixed.Decimal   // what of its fee is booked
	spent  slab.List       // coins, while it is in a block
	inputs int             // coins that it reserves or spent
	parent schema.PayoutID // whose change it was planned to spend while that was in no block; 0: none
}

// payer is an address that pays, where there are accounts instead of coins, and the number of its next transaction.
type payer struct {
	site
	next uint64
}

// variantKey names a variant of a payout.
type variantKey struct {
	payout  schema.PayoutID
	variant uint32
}

// mined reports whether a payout is in a block.
func (p *payout) mined() bool { return p.Height != 0 }

// pays reports whether a payout in a block paid what it was made for.
func (p *payout) pays() bool { return p.Status == schema.PayoutMined && !p.Variants[p.Mined].GiveUp }

func (p *payout) site() site { return site{p.Index, p.Own} }

// anchor is the coin that all variants spend.
func (p *payout) anchor() holdingKey { return holdingKey{p.Asset, p.Variants[0].Inputs[0]} }

// dearest is the highest fee of its variants: each one's is higher than those before.
func (p *payout) dearest() fixed.Decimal { return p.Variants[len(p.Variants)-1].Fee }

// amount that a payout pays in its asset, less fees: to others, or, where there are accounts instead of coins, from one address of ours to
// another.
func (c *Chains) amount(p *payout) fixed.Decimal {
	if c.find(p.Chain).Driver == schema.EVMNode && len(p.Withdrawals) == 0 {
		return p.Variants[0].Outputs[0].Amount
	}
	return c.sum(p.Withdrawals)
}

// sum of withdrawals, which are frozen money: it cannot be more than all there is.
func (c *Chains) sum(withdrawals []schema.WithdrawalID) (sum fixed.Decimal) {
	for _, id := range withdrawals {
		sum = sum.Add(c.withdrawals.At(c.byNumber[id]).Amount)
	}
	return sum
}

// native is the asset that fees of a chain are paid in; 0: none is offered.
func (c *Chains) native(ch *chain) schema.AssetID {
	for _, a := range c.listing.Assets() {
		if n := a.NetworkOn(ch.ID); n != nil && n.Contract == "" {
			return a.ID
		}
	}
	return 0
}

// plan reserves what a transaction spends, and binds the withdrawals that it pays to it.
func (c *Chains) plan(m *schema.PlanPayout) schema.Rejection {
	ch, r := c.planning(m.Chain)
	if r.Refused() {
		return r
	}
	p, r := c.numbered(ch, m)
	if r.Refused() {
		return r
	}
	native := c.native(ch)
	if !c.wellFormed(ch, native, p, m) {
		return schema.Refuse(schema.PayoutInvalid)
	}
	if p == nil && !c.payable(m) {
		return schema.Refuse(schema.WithdrawalNotQueued)
	}
	var parent *payout
	var coins []schema.Coin
	if ch.Driver == schema.BitcoinNode {
		parent, coins, r = c.spends(ch, p, m)
	} else {
		r = c.affords(ch, native, p, m)
	}
	if r.Refused() {
		return r
	}
	if !c.bears(native, p, m.Fee) {
		return schema.Refuse(schema.PayoutInvalid)
	}
	if p == nil {
		p = c.bind(ch, native, m)
		if parent != nil {
			c.await(ch, p, parent, coins)
		}
		c.refilled(ch, m)
	}
	c.vary(ch, p, m)
	c.payoutChanged(p)
	c.out.Result.ID = uint64(p.ID)
	return schema.Rejection{}
}

// planning is a chain on which a payout can be planned.
func (c *Chains) planning(id schema.ChainID) (*chain, schema.Rejection) {
	ch, r := c.watched(id)
	switch {
	case r.Refused():
		return nil, r
	case !ch.begun:
		return nil, schema.Refuse(schema.CoinUnavailable)
	case ch.block.parts != 0:
		return nil, schema.Refuse(schema.ChainBusy)
	}
	return ch, schema.Rejection{}
}

// numbered is the payout that a plan is a variant of; nil if it is a new one.
func (c *Chains) numbered(ch *chain, m *schema.PlanPayout) (*payout, schema.Rejection) {
	if m.Payout == c.lastPayout+1 && len(ch.payouts) < mostKept {
		return nil, schema.Rejection{}
	}
	p := c.payouts[m.Payout]
	if p == nil || p.Chain != ch.ID || p.mined() {
		return nil, schema.Refuse(schema.PayoutElsewhere)
	}
	return p, schema.Rejection{}
}

// wellFormed reports whether a plan is one that its chain can make and, if it is a variant of a payout, of that.
func (c *Chains) wellFormed(ch *chain, native schema.AssetID, p *payout, m *schema.PlanPayout) bool {
	if native == 0 || m.Fee.Sign() <= 0 || m.Fee.Decimals() > int(c.network(ch, native).Decimals) || len(m.Unsigned) == 0 || len(m.Unsigned) > schema.MaxTransaction ||
		len(m.Withdrawals) > schema.MaxPaid || repeats(m.Withdrawals) || len(m.Inputs) > schema.MaxInputs || repeats(m.Inputs) || len(m.Tx) > schema.MaxTx {
		return false
	}
	givesUp := p != nil && p.GivingUp
	formed := c.formedAccount
	if ch.Driver == schema.BitcoinNode {
		formed = c.formedCoins
	}
	return formed(ch, native, givesUp, m) && (p == nil || p.varies(native, m))
}

// formedCoins is what must be true of a plan on Bitcoin: it spends coins, and pays withdrawals, then ourselves.
func (c *Chains) formedCoins(ch *chain, native schema.AssetID, givesUp bool, m *schema.PlanPayout) bool {
	_, known := ch.txs[m.Tx]
	switch {
	case m.Asset != native || len(m.Inputs) == 0 || m.Index != 0 || m.Own != 0 || m.Nonce != 0 || m.Tx == "" || known:
		return false
	case len(m.Outputs) == 0 && len(m.Withdrawals) == 0, givesUp && len(m.Withdrawals) != 0:
		return false
	}
	return c.formedOutputs(ch, givesUp, m)
}

// formedAccount is what must be true of a plan where there are accounts instead of coins: an address pays one withdrawal, or another
// address of ours; what is cold and the one that pays withdrawals only pay each other. To give up it pays nothing to itself.
func (c *Chains) formedAccount(ch *chain, native schema.AssetID, givesUp bool, m *schema.PlanPayout) bool {
	from, asset := site{m.Index, m.Own}, c.listing.Asset(m.Asset)
	if len(m.Inputs) != 0 || m.Tx != "" || !c.validSite(ch, from) || asset == nil || c.network(ch, m.Asset) == nil {
		return false
	}
	if len(m.Withdrawals) == 1 && !givesUp {
		return len(m.Outputs) == 0 && from.own == schema.Hot
	}
	if len(m.Withdrawals) != 0 || len(m.Outputs) != 1 {
		return false
	}
	out := &m.Outputs[0]
	to := site{out.Index, out.Own}
	if givesUp {
		return m.Asset == native && to == from && out.Amount.IsZero()
	}
	if from.own.IsCold() && to.own != schema.Hot || to.own.IsCold() && from.own != schema.Hot {
		return false
	}
	return c.validSite(ch, to) && to != from && out.Amount.Sign() > 0 && out.Amount.Decimals() <= int(c.network(ch, m.Asset).Decimals)
}

// varies reports whether a plan that is well formed for itself is a variant of a payout: it spends the same anchor, pays more for being
// taken, and pays the same, or, to give up, nobody else.
func (p *payout) varies(native schema.AssetID, m *schema.PlanPayout) bool {
	first := &p.Variants[0]
	switch {
	case len(p.Variants) == schema.MaxVariants || native != p.native || m.Fee.Cmp(p.dearest()) <= 0:
		return false
	case m.Index != p.Index || m.Own != p.Own || m.Nonce != p.Nonce || len(first.Inputs) > 0 && m.Inputs[0] != first.Inputs[0]:
		return false
	case p.GivingUp:
		return len(first.Inputs) == 0 || len(m.Outputs) == 1
	}
	if m.Asset != p.Asset || !slices.Equal(m.Withdrawals, p.Withdrawals) {
		return false
	}
	if len(first.Inputs) > 0 {
		return stores(m.Outputs) == stores(first.Outputs)
	}
	return slices.Equal(m.Outputs, first.Outputs)
}

// repeats reports whether something is in a list twice.
func repeats[T comparable](list []T) bool {
	seen := make(map[T]bool, len(list))
	for _, v := range list {
		if seen[v] {
			return true
		}
		seen[v] = true
	}
	return false
}

// payable reports whether all withdrawals of a plan wait to be paid by it.
func (c *Chains) payable(m *schema.PlanPayout) bool {
	for _, id := range m.Withdrawals {
		place, known := c.byNumber[id]
		if !known {
			return false
		}
		w := c.withdrawals.At(place)
		if w.Status != schema.WithdrawalQueued || w.Chain != m.Chain || w.Asset != m.Asset || c.accounts.Barred(w.Account) {
			return false
		}
	}
	return true
}

// spends checks the coins of a plan, and that they are what it pays, to the last unit. It gives them, and the parent of a plan of a child.
func (c *Chains) spends(ch *chain, p *payout, m *schema.PlanPayout) (parent *payout, coins []schema.Coin, r schema.Rejection) {
	if p == nil {
		parent, coins = c.change(ch, m)
	}
	if parent == nil {
		if coins, r = c.reservable(ch, p, m); r.Refused() {
			return nil, nil, r
		}
	}
	var in fixed.Decimal
	cold, fits := 0, true
	for i := range coins {
		if fits {
			in, fits = in.AddChecked(coins[i].Amount)
		}
		if coins[i].Own.IsCold() {
			cold++
		}
	}
	if cold > 0 && (cold < len(coins) || len(m.Withdrawals) > 0 || stores(m.Outputs)) || parent != nil && (len(m.Withdrawals) > 0 || len(m.Outputs) != 1 || stores(m.Outputs)) {
		return nil, nil, schema.Refuse(schema.PayoutInvalid)
	}
	out := c.sum(m.Withdrawals)
	if fits {
		out, fits = out.AddChecked(m.Fee)
	}
	for i := range m.Outputs {
		if fits {
			out, fits = out.AddChecked(m.Outputs[i].Amount)
		}
	}
	if !fits || in != out {
		return nil, nil, schema.Refuse(schema.PayoutInvalid)
	}
	return parent, coins, schema.Rejection{}
}

// reservable are the coins of a plan, if all are there: free and deep enough, or those that the payout has already.
func (c *Chains) reservable(ch *chain, p *payout, m *schema.PlanPayout) (coins []schema.Coin, r schema.Rejection) {
	for _, id := range m.Inputs {
		h := c.holding(ch, holdingKey{m.Asset, id})
		again := p != nil && h != nil && h.by == p.ID && (ch.unspent(h) || c.mayCome(ch, p, h))
		if h == nil || !again && !c.spendable(ch, m.Asset, h) {
			return nil, schema.Refuse(schema.CoinUnavailable)
		}
		coins = append(coins, h.Coin)
	}
	return coins, schema.Rejection{}
}

// affords checks that the address that pays has what a plan may take, beyond all that is under way from there, and that it is the
// address's next transaction. Of a variant only what it costs more is new.
func (c *Chains) affords(ch *chain, native schema.AssetID, p *payout, m *schema.PlanPayout) schema.Rejection {
	from := site{m.Index, m.Own}
	if p != nil {
		if c.available(ch, native, from).Less(m.Fee.Sub(p.dearest())) {
			return schema.Refuse(schema.CoinUnavailable)
		}
		return schema.Rejection{}
	}
	amount := c.sum(m.Withdrawals)
	if len(m.Outputs) == 1 {
		amount = m.Outputs[0].Amount
	}
	fee, fits := m.Fee, true
	if m.Asset == native {
		fee, fits = amount.AddChecked(m.Fee)
	}
	switch {
	case !fits || ch.sentBy(from) || c.available(ch, m.Asset, from).Less(amount) || c.available(ch, native, from).Less(fee):
		return schema.Refuse(schema.CoinUnavailable)
	case m.Nonce != ch.nextNonce(from):
		return schema.Refuse(schema.PayoutElsewhere)
	}
	return schema.Rejection{}
}

// nextNonce is the number of the next transaction of an address.
func (ch *chain) nextNonce(s site) uint64 {
	at, known := ch.payerAt[s]
	if !known {
		return 0
	}
	return ch.payers[at].next
}

// bind makes a payout, and binds the withdrawals to it that it pays.
func (c *Chains) bind(ch *chain, native schema.AssetID, m *schema.PlanPayout) *payout {
	c.lastPayout++
	p := &payout{native: native, Payout: schema.Payout{
		ID: c.lastPayout, Chain: ch.ID, Asset: m.Asset, Status: schema.PayoutPlanned, Created: c.out.Time,
		Index: m.Index, Own: m.Own, Nonce: m.Nonce, Withdrawals: slices.Clone(m.Withdrawals),
	}}
	c.payouts[p.ID] = p
	ch.payouts = append(ch.payouts, p)
	if ch.Driver == schema.EVMNode {
		ch.pay(payer{p.site(), p.Nonce + 1})
	}
	l := ch.lane(p.Asset)
	for _, id := range p.Withdrawals {
		place := c.byNumber[id]
		w := c.withdrawals.At(place)
		c.withdrawals.Pull(place)
		c.withdrawals.Push(&l.planned, place)
		w.Payout, w.Tx = p.ID, ""
		c.turn(w, schema.WithdrawalPlanned)
	}
	return p
}

// pay keeps the number of the next transaction of an address. One that has none behind it is forgotten: the last of the list takes its place.
func (ch *chain) pay(next payer) {
	at, known := ch.payerAt[next.site]
	switch {
	case known && next.next == 0:
		last := len(ch.payers) - 1
		ch.payers[at] = ch.payers[last]
		ch.payerAt[ch.payers[at].site] = at
		ch.payers = ch.payers[:last]
		delete(ch.payerAt, next.site)
	case known:
		ch.payers[at] = next
	default:
		ch.payerAt[next.site] = len(ch.payers)
		ch.payers = append(ch.payers, next)
	}
}

// vary adds a variant to a payout, and reserves what it spends.
func (c *Chains) vary(ch *chain, p *payout, m *schema.PlanPayout) {
	p.Variants = append(p.Variants, schema.Variant{
		Inputs: slices.Clone(m.Inputs), Outputs: slices.Clone(m.Outputs), Fee: m.Fee, Tx: m.Tx, Unsigned: slices.Clone(m.Unsigned),
		Height: ch.cursor.height, GiveUp: p.GivingUp,
	})
	if m.Tx != "" {
		ch.txs[m.Tx] = variantKey{p.ID, uint32(len(p.Variants) - 1)}
	}
	for _, id := range m.Inputs {
		c.reserve(p, c.holding(ch, holdingKey{p.Asset, id}))
	}
}

// reserve lets a payout have a coin.
func (c *Chains) reserve(p *payout, h *holding) {
	if h.by == 0 {
		h.by = p.ID
		p.inputs++
	}
}

// payoutChanged says what became of a payout, without the bytes of its transactions.
func (c *Chains) payoutChanged(p *payout) {
	e := &schema.PayoutChanged{Payout: p.Payout}
	e.Payout.Variants = slices.Clone(p.Variants)
	for i := range e.Payout.Variants {
		e.Payout.Variants[i].Unsigned, e.Payout.Variants[i].Raw = nil, nil
	}
	c.out.Events.Add(e)
}

// sign keeps the signed form of a variant: from now on it may be sent.
func (c *Chains) sign(m *schema.SignPayout) schema.Rejection {
	p := c.payouts[m.Payout]
	if p == nil {
		return schema.Refuse(schema.PayoutUnknown)
	}
	exists := int64(m.Variant) < int64(len(p.Variants))
	if p.mined() || exists && len(p.Variants[m.Variant].Raw) > 0 {
		return schema.Refuse(schema.PayoutDecided)
	}
	if !exists || len(m.Raw) == 0 || len(m.Raw) > schema.MaxTransaction || m.Tx == "" || len(m.Tx) > schema.MaxTx {
		return schema.Refuse(schema.PayoutInvalid)
	}
	ch, v := c.find(p.Chain), &p.Variants[m.Variant]
	if _, known := ch.txs[m.Tx]; ch.Driver == schema.BitcoinNode && m.Tx != v.Tx || ch.Driver == schema.EVMNode && known {
		return schema.Refuse(schema.PayoutInvalid)
	}
	v.Raw, v.Tx = slices.Clone(m.Raw), m.Tx
	ch.txs[m.Tx] = variantKey{p.ID, m.Variant}
	p.Status = schema.PayoutSent
	if !v.GiveUp {
		c.send(ch.lane(p.Asset), p, m.Tx)
	}
	c.payoutChanged(p)
	return schema.Rejection{}
}

// send says of the withdrawals of a payout which transaction pays them.
func (c *Chains) send(l *lane, p *payout, tx string) {
	for _, id := range p.Withdrawals {
		place := c.byNumber[id]
		w := c.withdrawals.At(place)
		w.Tx = tx
		if w.Status == schema.WithdrawalPlanned {
			c.withdrawals.Pull(place)
			c.withdrawals.Push(&l.sent, place)
			w.Status, w.Changed = schema.WithdrawalSent, c.out.Time
		}
		c.out.Events.Add(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
	}
}

// abandon does what operators decided about a payout that does not get into a block.
func (c *Chains) abandon(m *schema.AbandonPayout) schema.Rejection {
	if c.out.Operator == "" {
		return schema.Refuse(schema.OperatorMissing)
	}
	p := c.payouts[m.Payout]
	switch {
	case p == nil:
		return schema.Refuse(schema.PayoutUnknown)
	case p.mined() || !m.Dead && p.GivingUp || m.Dead && !c.hopeless(p):
		return schema.Refuse(schema.PayoutDecided)
	case !m.Dead:
		p.GivingUp = true
	case p.Approver == "":
		p.Approver = c.out.Operator
	case p.Approver == c.out.Operator:
		return schema.Refuse(schema.ApprovedBefore)
	default:
		c.bury(p)
	}
	c.payoutChanged(p)
	if p.Status == schema.PayoutDead {
		budget := c.Steps
		c.endChildren(c.find(p.Chain), p.ID, &budget)
	}
	return schema.Rejection{}
}

// hopeless reports whether the anchor of a payout has been in no block for so long that nobody expects it back.
func (c *Chains) hopeless(p *payout) bool {
	ch := c.find(p.Chain)
	if ch.Driver != schema.BitcoinNode {
		return false
	}
	anchor := c.holding(ch, p.anchor())
	return anchor.Height == 0 && ch.cursor.height >= anchor.since+c.lossAfter(ch, p.native)
}

// lossAfter is how many blocks a coin may be in none before it can be held to be gone for good.
func (c *Chains) lossAfter(ch *chain, native schema.AssetID) uint64 {
	if native == 0 {
		return remembered
	}
	confirmations, _ := c.depths(ch, native)
	return max(2*confirmations, remembered)
}

// bury ends a payout that can never be in a block. What was booked for it is not paid.
func (c *Chains) bury(p *payout) {
	ch := c.find(p.Chain)
	p.Status = schema.PayoutDead
	c.book(ch, p)
	c.release(ch, p)
	c.unbind(ch, p)
	c.dismiss(ch, p)
}

// unbind lets operators decide again about what a payout did not pay. What was final before a rewind stays so.
func (c *Chains) unbind(ch *chain, p *payout) {
	l := ch.lane(p.Asset)
	for _, id := range p.Withdrawals {
		if place := c.byNumber[id]; c.withdrawals.At(place).Status != schema.WithdrawalDone {
			c.review(l, place)
		}
	}
}

// dismiss forgets a payout that is over.
func (c *Chains) dismiss(ch *chain, p *payout) {
	for i := range p.Variants {
		if tx := p.Variants[i].Tx; tx != "" {
			delete(ch.txs, tx)
		}
	}
	at, _ := slices.BinarySearchFunc(ch.payouts, p.ID, func(q *payout, id schema.PayoutID) int { return int(int64(q.ID) - int64(id)) })
	ch.payouts = slices.Delete(ch.payouts, at, at+1)
	delete(c.payouts, p.ID)
}
