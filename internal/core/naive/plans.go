package naive

import (
	"slices"

	"bourse/internal/schema"
)

// Bounds of payouts.
const (
	paidMost        = 100
	inputsMost      = 200
	variantsMost    = 32
	changeMost      = 8         // outputs that are change
	transactionMost = 100 << 10 // bytes
	resultsMost     = 64
	txMost          = 80   // bytes
	payoutsKeptMost = 1000 // of a chain
	coinDecimals    = 8    // of chains with coins
)

// payout is a transaction of ours with what nobody is shown of it.
type payout struct {
	schema.Payout
	native schema.AssetID  // that its fee is paid in
	parent schema.PayoutID // whose change it was planned to spend while that is in no block; 0: it is no child
	turn   int             // at which it came into its block
	cost   num             // what the house paid for it
	over   bool            // nobody can ask for it any more
}

// houseBears reports whether the house may pay the fee of a plan beside all that it will pay: it may owe as much as a ledger holds.
func (s *chains) houseBears(c *chain, p *schema.PlanPayout) bool {
	return !s.houseLeft(s.native(c).ID, p.Payout).minus(of(p.Fee)).less(owedMost.neg())
}

// houseLeft is what the house has of an asset without the fees of all payouts that are not over, each at its highest, but one that is
// planned again, and without what it will bear of transactions that no plan made.
func (s *chains) houseLeft(asset schema.AssetID, again schema.PayoutID) num {
	left := s.ledger.balance(house, schema.Main, asset).available.minus(s.lossesToBook(asset))
	for _, other := range s.payouts {
		if other.over || other.native != asset {
			continue
		}
		left = left.plus(other.cost)
		switch {
		case other.Height != 0:
			left = left.minus(of(other.Paid))
		case other.ID != again:
			left = left.minus(of(other.Variants[len(other.Variants)-1].Fee))
		}
	}
	return left
}

// drawn records a payout as it is now, without the bytes of its transactions.
func (s *chains) drawn(p *payout) {
	shown := p.Payout
	shown.Withdrawals = slices.Clone(p.Withdrawals)
	shown.Variants = slices.Clone(p.Variants)
	for i := range shown.Variants {
		shown.Variants[i].Unsigned, shown.Variants[i].Raw = nil, nil
	}
	s.call.record(&schema.PayoutChanged{Payout: shown})
}

// payout finds one that can be asked for, or nil.
func (s *chains) payout(id schema.PayoutID) *payout {
	for _, p := range s.payouts {
		if p.ID == id && !p.over {
			return p
		}
	}
	return nil
}

// waits reports whether a payout is in no block.
func (p *payout) waits() bool {
	return p.Status == schema.PayoutPlanned || p.Status == schema.PayoutSent
}

func (s *chains) plan(p *schema.PlanPayout) schema.Result {
	c, r := s.heard(p.Chain)
	switch {
	case refused(r):
		return reject(r)
	case len(c.points) == 0:
		return refuse(schema.CoinUnavailable)
	case c.incomplete != nil:
		return refuse(schema.ChainBusy)
	}
	known := s.payout(p.Payout)
	isNew := p.Payout == schema.PayoutID(len(s.payouts)+1)
	var parent *payout
	if isNew {
		parent, _ = s.parentOf(c, p)
	}
	switch {
	case isNew && len(s.kept(c)) >= payoutsKeptMost,
		!isNew && (known == nil || known.Chain != c.ID || !known.waits()):
		return refuse(schema.PayoutElsewhere)
	case !s.formed(c, p, known):
		return refuse(schema.PayoutInvalid)
	case isNew && !s.allQueued(c, p):
		return refuse(schema.WithdrawalNotQueued)
	case !s.covers(c, p, known):
		return refuse(schema.CoinUnavailable)
	case parent != nil && !formedChild(p):
		return refuse(schema.PayoutInvalid)
	case c.hasCoins() && (!s.coldApart(c, p) || !s.addsUp(c, p)):
		return refuse(schema.PayoutInvalid)
	case isNew && c.hasAccounts() && p.Nonce != s.nextNonce(c, place{p.Index, p.Own}):
		return refuse(schema.PayoutElsewhere)
	case !s.houseBears(c, p):
		return refuse(schema.PayoutInvalid)
	}
	if isNew {
		known = &payout{native: s.native(c).ID, Payout: schema.Payout{
			ID: p.Payout, Chain: c.ID, Asset: p.Asset, Status: schema.PayoutPlanned, Created: s.call.at,
			Index: p.Index, Own: p.Own, Nonce: p.Nonce, Withdrawals: slices.Clone(p.Withdrawals),
		}}
		if parent != nil {
			known.parent = parent.ID
			for _, id := range p.Inputs {
				c.left[id] = c.height()
			}
		} else {
			s.bring(c, p)
		}
		s.payouts = append(s.payouts, known)
		for _, id := range p.Withdrawals {
			w := s.withdrawal(id)
			w.Payout, w.Tx = p.Payout, ""
			s.turnTo(w, schema.WithdrawalPlanned)
			s.noted(w)
		}
	}
	known.Variants = append(known.Variants, schema.Variant{
		Inputs: slices.Clone(p.Inputs), Outputs: slices.Clone(p.Outputs), Fee: p.Fee, Tx: p.Tx, Unsigned: slices.Clone(p.Unsigned),
		Height: c.height(), GiveUp: known.GivingUp,
	})
	s.drawn(known)
	return schema.Result{ID: uint64(p.Payout)}
}

// formed looks at what can be seen of a plan without looking at withdrawals and coins.
func (s *chains) formed(c *chain, p *schema.PlanPayout, known *payout) bool {
	native := s.native(c)
	switch {
	case native == nil,
		of(p.Fee).sign() <= 0, !of(p.Fee).multipleOf(unit(s.network(c.ID, native.ID).Decimals)),
		len(p.Unsigned) < 1, len(p.Unsigned) > transactionMost, len(p.Tx) > txMost,
		len(p.Withdrawals) > paidMost, twice(p.Withdrawals), len(p.Inputs) > inputsMost, twice(p.Inputs),
		known != nil && !s.follows(c, p, known):
		return false
	case c.hasCoins():
		return s.formedCoins(c, p, known)
	}
	return s.formedAccounts(c, p, known)
}

// twice reports whether anything is in a list more than once.
func twice[T comparable](list []T) bool {
	for i := range list {
		if slices.Contains(list[:i], list[i]) {
			return true
		}
	}
	return false
}

// formedCoins is formed where coins are spent.
func (s *chains) formedCoins(c *chain, p *schema.PlanPayout, known *payout) bool {
	switch {
	case p.Asset != s.native(c).ID, len(p.Inputs) == 0, p.Index != 0, p.Own != 0, p.Nonce != 0,
		p.Tx == "", s.namesTx(c, p.Tx),
		len(p.Outputs)+len(p.Withdrawals) == 0:
		return false
	}
	for _, o := range p.Outputs {
		if o.Index != 0 || of(o.Amount).sign() <= 0 || !of(o.Amount).multipleOf(unit(coinDecimals)) {
			return false
		}
	}
	change := p.Outputs
	if storesSome(p.Outputs) {
		if p.Outputs[0].Own != coldFirst+schema.OwnAddress(p.Payout) || !s.stores(c) || len(p.Withdrawals) > 0 || known != nil && known.GivingUp {
			return false
		}
		change = p.Outputs[1:]
	}
	elsewhere := func(o schema.OwnOutput) bool { return o.Own != schema.OwnAddress(p.Payout)+1 }
	return len(change) <= changeMost && !slices.ContainsFunc(change, elsewhere)
}

// storesSome reports whether the first of the outputs of a plan goes to cold storage.
func storesSome(list []schema.OwnOutput) bool { return len(list) > 0 && isCold(list[0].Own) }

// namesTx reports whether a transaction is a variant of a payout of a chain.
func (s *chains) namesTx(c *chain, tx string) bool {
	return slices.ContainsFunc(s.kept(c), func(p *payout) bool {
		return slices.ContainsFunc(p.Variants, func(v schema.Variant) bool { return v.Tx == tx })
	})
}

// formedAccounts is formed where an account pays.
func (s *chains) formedAccounts(c *chain, p *schema.PlanPayout, known *payout) bool {
	from := place{p.Index, p.Own}
	if len(p.Inputs) > 0 || p.Tx != "" || !s.exists(c, from) || s.listing.asset(p.Asset) == nil || s.network(c.ID, p.Asset) == nil {
		return false
	}
	if known != nil && known.GivingUp {
		return true
	}
	switch {
	case len(p.Withdrawals) == 1 && len(p.Outputs) == 0:
		return p.Own == schema.Hot
	case len(p.Withdrawals) == 0 && len(p.Outputs) == 1:
		to := place{p.Outputs[0].Index, p.Outputs[0].Own}
		amount := of(p.Outputs[0].Amount)
		coldMeetsHot := !isCold(from.own) && !isCold(to.own) || from.own == schema.Hot || to.own == schema.Hot
		return s.exists(c, to) && to != from && coldMeetsHot && amount.sign() > 0 && amount.multipleOf(unit(s.network(c.ID, p.Asset).Decimals))
	}
	return false
}

// follows looks at whether a plan is a variant of a payout: it takes the same anchor for more, and pays the same, or only ourselves when
// the payout is given up.
func (s *chains) follows(c *chain, p *schema.PlanPayout, known *payout) bool {
	first, from := known.Variants[0], known.from()
	switch {
	case len(known.Variants) >= variantsMost,
		!of(p.Fee).more(known.dearest()),
		c.hasCoins() && (len(p.Inputs) == 0 || p.Inputs[0] != first.Inputs[0]),
		c.hasAccounts() && (from != place{p.Index, p.Own} || p.Nonce != known.Nonce):
		return false
	case known.GivingUp:
		self := len(p.Outputs) == 1 && (c.hasCoins() || p.Asset == s.native(c).ID && p.Outputs[0] == schema.OwnOutput{Index: from.index, Own: from.own})
		return len(p.Withdrawals) == 0 && self
	}
	outputs := slices.Equal(p.Outputs, first.Outputs)
	if c.hasCoins() {
		outputs = storesSome(p.Outputs) == storesSome(first.Outputs)
	}
	return slices.Equal(p.Withdrawals, known.Withdrawals) && p.Asset == known.Asset && outputs
}

// allQueued looks at the withdrawals that a new payout is for.
func (s *chains) allQueued(c *chain, p *schema.PlanPayout) bool {
	for _, id := range p.Withdrawals {
		w := s.withdrawal(id)
		if w == nil || w.Status != schema.WithdrawalQueued || w.Chain != c.ID || w.Asset != p.Asset {
			return false
		}
		if s.accounts.barred(w.Account) {
			return false
		}
	}
	return true
}

// covers looks at what a plan spends: coins that are free or that its payout has already, or change of a parent, or what is available where accounts
// pay. A new payout waits there until no transaction of its address that no plan made can be rewound.
func (s *chains) covers(c *chain, p *schema.PlanPayout, known *payout) bool {
	native := s.native(c).ID
	if c.hasCoins() {
		if parent, _ := s.parentOf(c, p); known == nil && parent != nil {
			return true
		}
		coins := map[string]schema.Coin{}
		for _, k := range s.coinsOf(c, native) {
			coins[k.ID] = k
		}
		for _, id := range p.Inputs {
			k, is := coins[id]
			if !is || k.Height == 0 && !s.mayMiss(known, id) || !s.spendable(c, &k) && (known == nil || s.reserves(c, id) != known) {
				return false
			}
		}
		return true
	}
	from := place{p.Index, p.Own}
	if known == nil && slices.ContainsFunc(s.keptSpends(c), func(f *spend) bool { return sender(&f.ForeignSpend) == from }) {
		return false
	}
	if known != nil {
		return !of(p.Fee).minus(known.dearest()).more(s.available(c, native, from))
	}
	amount, fee := s.sumOf(p.Withdrawals).plus(outputs(p.Outputs)), of(p.Fee)
	if p.Asset == native {
		return !amount.plus(fee).more(s.available(c, native, from))
	}
	return !amount.more(s.available(c, p.Asset, from)) && !fee.more(s.available(c, native, from))
}

// coldApart looks at whether coins in cold storage come back whole: a plan that spends one spends no other coins, and all goes to change.
func (s *chains) coldApart(c *chain, p *schema.PlanPayout) bool {
	cold := 0
	for _, k := range s.coinsOf(c, p.Asset) {
		if isCold(k.Own) && slices.Contains(p.Inputs, k.ID) {
			cold++
		}
	}
	return cold == 0 || cold == len(p.Inputs) && len(p.Withdrawals) == 0 && !storesSome(p.Outputs)
}

// addsUp looks at whether a plan spends exactly what it pays.
func (s *chains) addsUp(c *chain, p *schema.PlanPayout) bool {
	rest := of(p.Fee).plus(outputs(p.Outputs)).plus(s.sumOf(p.Withdrawals))
	coins := s.coinsOf(c, p.Asset)
	if parent, made := s.parentOf(c, p); parent != nil {
		coins = made
	}
	for _, k := range coins {
		if slices.Contains(p.Inputs, k.ID) {
			rest = rest.minus(of(k.Amount))
		}
	}
	return rest.sign() == 0
}

func (s *chains) sign(c *schema.SignPayout) schema.Rejection {
	p := s.payout(c.Payout)
	if p == nil {
		return because(schema.PayoutUnknown)
	}
	exists := c.Variant < uint32(len(p.Variants))
	if !p.waits() || exists && len(p.Variants[c.Variant].Raw) > 0 {
		return because(schema.PayoutDecided)
	}
	on := s.chain(p.Chain)
	switch {
	case !exists, len(c.Raw) < 1, len(c.Raw) > transactionMost, len(c.Tx) < 1, len(c.Tx) > txMost,
		on.hasCoins() && c.Tx != p.Variants[c.Variant].Tx, on.hasAccounts() && s.namesTx(on, c.Tx):
		return because(schema.PayoutInvalid)
	}
	v := &p.Variants[c.Variant]
	v.Raw, v.Tx, p.Status = slices.Clone(c.Raw), c.Tx, schema.PayoutSent
	if !v.GiveUp {
		for _, w := range s.paidBy(p) {
			w.Tx = c.Tx
			if w.Status == schema.WithdrawalPlanned {
				s.turnTo(w, schema.WithdrawalSent)
			}
			s.noted(w)
		}
	}
	s.drawn(p)
	return accepted
}

// paidBy is the withdrawals of a payout, in its order.
func (s *chains) paidBy(p *payout) (list []*withdrawal) {
	for _, id := range p.Withdrawals {
		list = append(list, s.withdrawals[id-1])
	}
	return list
}

func (s *chains) abandon(c *schema.AbandonPayout) schema.Rejection {
	if s.call.operator == "" {
		return because(schema.OperatorMissing)
	}
	p := s.payout(c.Payout)
	switch {
	case p == nil:
		return because(schema.PayoutUnknown)
	case !p.waits(), !c.Dead && p.GivingUp, c.Dead && !s.anchorGone(p):
		return because(schema.PayoutDecided)
	case c.Dead && p.Approver == s.call.operator:
		return because(schema.ApprovedBefore)
	}
	switch {
	case !c.Dead:
		p.GivingUp = true
	case p.Approver == "":
		p.Approver = s.call.operator
	default:
		s.endDead(s.chain(p.Chain), p)
		return accepted
	}
	s.drawn(p)
	return accepted
}

// endDead lets a payout be unknown that can never be in a block, and its children with it. A fee of it that was booked before a rewind was never spent.
func (s *chains) endDead(c *chain, p *payout) {
	p.Status, p.over = schema.PayoutDead, true
	s.book(c, p)
	s.free(p)
	s.drawn(p)
	s.endOrphans(c, p)
}

// anchorGone reports whether the anchor of a payout left the chain so long ago that it does not come again. One that was spent did not.
func (s *chains) anchorGone(p *payout) bool {
	c := s.chain(p.Chain)
	if !c.hasCoins() {
		return false
	}
	anchor := s.coin(c, p.Asset, p.Variants[0].Inputs[0])
	return anchor != nil && anchor.Height == 0 && c.height() >= c.left[anchor.ID]+s.window(c)
}

// free lets operators decide again about the withdrawals of a payout that did not pay them.
func (s *chains) free(p *payout) {
	for _, w := range s.paidBy(p) {
		if w.Status != schema.WithdrawalDone {
			w.Payout, w.Tx = 0, ""
			s.review(w, 1, "")
		}
	}
}
