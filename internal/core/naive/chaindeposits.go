package naive

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

var (
	byDeposit  = why{cause: schema.ByDeposit}
	byReversal = why{cause: schema.ByReversal}
	// byWithdrawal is for all that a withdrawal moves, also when it is canceled.
	byWithdrawal = why{cause: schema.ByWithdrawal}
)

// in is the main wallet of an account.
func in(a schema.AccountID) holder { return holder{a, schema.Main} }

// move moves money of the asset of a deposit, if it is any.
func (s *chains) move(d *chainDeposit, from, to holder, n num, y why) {
	if n.sign() > 0 {
		s.ledger.move(from, to, d.Asset, n, y)
	}
}

// become gives a deposit another status, in which nobody needs to know what was said about its sender.
func (s *chains) become(d *chainDeposit, status schema.DepositStatus) {
	d.Status, d.Changed, d.travel = status, s.call.at, nil
}

// depositFee is what a deposit of an amount costs.
func depositFee(asset *schema.Asset, n *schema.Network, amount num) num {
	return chargeFor(amount, asset.Scale, n.DepositFixed, n.DepositPercent, n.DepositMinFee, n.DepositMaxFee)
}

// chargeFor is a fixed part and a percentage between two bounds, of which an upper one of zero does not bind.
func chargeFor(amount num, scale uint8, fixedPart, percent, low, high fixed.Decimal) num {
	fee := amount.times(of(percent)).over(hundred).truncate(unit(scale))
	fee = greatest(fee, of(low))
	if of(high).sign() != 0 {
		fee = least(fee, of(high))
	}
	return of(fixedPart).plus(fee)
}

// terms are what a deposit costs, and whether it is credited at all.
func (s *chains) terms(d *chainDeposit) (fee num, credited bool) {
	asset, network, amount := s.listing.asset(d.Asset), s.network(d.Chain, d.Asset), of(d.Amount)
	if d.Account == 0 || !asset.CanDeposit || network == nil || !network.CanDeposit ||
		!allows(amount, of(asset.MinDeposit), of(asset.MaxDeposit)) || !allows(amount, of(network.MinDeposit), of(network.MaxDeposit)) {
		return num{}, false
	}
	fee = depositFee(asset, network, amount)
	return fee, fee.less(amount) && s.hasRoom(d.Asset, amount)
}

// creditable refuses an amount that is below or above what is credited by a network, or no more than it costs.
func creditable(asset *schema.Asset, network *schema.Network, amount num) schema.Rejection {
	low, high := greatest(of(asset.MinDeposit), of(network.MinDeposit)), of(asset.MaxDeposit)
	if other := of(network.MaxDeposit); high.sign() == 0 || other.sign() != 0 && other.less(high) {
		high = other
	}
	fee := depositFee(asset, network, amount)
	switch {
	case amount.less(low):
		return about(schema.DepositBelowMin, low)
	case high.sign() != 0 && amount.more(high):
		return about(schema.DepositAboveMax, high)
	case fee.more(largest):
		return about(schema.DepositBelowMin, num{})
	case !fee.less(amount):
		return about(schema.DepositBelowMin, fee)
	}
	return accepted
}

// hasRoom reports whether chains may bring so much more of an asset: what the world outside, the chains, the house and the fees owe
// together is bounded.
func (s *chains) hasRoom(asset schema.AssetID, amount num) bool {
	balance := func(a schema.AccountID) num { return s.ledger.balance(a, schema.Main, asset).available }
	owed := balance(schema.Outside).plus(balance(custody)).neg()
	for _, a := range []schema.AccountID{house, schema.Fees} {
		owed = owed.plus(greatest(num{}, balance(a).neg()))
	}
	return !owed.plus(amount).more(owedMost)
}

// allows reports whether an amount is within two bounds, of which those of zero do not bind.
func allows(amount, low, high num) bool {
	return !amount.less(low) && (high.sign() == 0 || !amount.more(high))
}

// trade lets a deposit be traded that is deep enough for it, and not leave.
func (s *chains) trade(c *chain, d *chainDeposit) {
	d.tradable = true
	if d.Status != schema.DepositConfirming || d.returning {
		return
	}
	fee, credited := s.terms(d)
	if !credited {
		s.become(d, schema.DepositUncredited)
		s.changed(d)
		return
	}
	if _, full := s.depths(c, d.Asset); c.depth(d.Height) >= full || s.asksSender(d) {
		return
	}
	net := of(d.Amount).minus(fee)
	bound := of(s.network(c.ID, d.Asset).HeldCap)
	if bound.sign() > 0 && s.heldBy(d.Account, c.ID, d.Asset).plus(net).more(bound) {
		return
	}
	s.move(d, in(custody), in(d.Account), net, byDeposit)
	s.move(d, in(custody), in(schema.Fees), fee, byDeposit)
	s.ledger.hold(d.Account, d.Asset, net, byDeposit)
	d.Fee = fee.decimal()
	s.become(d, schema.DepositHeld)
	s.changed(d)
}

// confirm gives a deposit with all confirmations to its account, or to Suspense if it is not to be credited, or not before it is said
// who sent it.
func (s *chains) confirm(_ *chain, d *chainDeposit) {
	d.full = true
	switch d.Status {
	case schema.DepositConfirming:
		fee, credited := s.terms(d)
		if !credited {
			s.suspend(d)
			s.become(d, schema.DepositUncredited)
			s.changed(d)
			s.givePool(d)
			return
		}
		if s.asksSender(d) {
			s.suspend(d)
			s.become(d, schema.DepositTravel)
			s.changed(d)
			return
		}
		net := of(d.Amount).minus(fee)
		back := least(net, d.carried)
		s.move(d, in(custody), in(house), back, byDeposit)
		s.move(d, in(custody), in(d.Account), net.minus(back), byDeposit)
		s.move(d, in(custody), in(schema.Fees), fee, byDeposit)
		d.Fee = fee.decimal()
		s.returned(d, net, back)
	case schema.DepositHeld:
		s.ledger.hold(d.Account, d.Asset, d.net().neg(), byDeposit)
		s.credited(d)
	case schema.DepositUncredited, schema.DepositFrozen, schema.DepositCanceled, schema.DepositTravel, schema.DepositReview:
		s.suspend(d)
		s.givePool(d)
	}
}

// credited ends the way of a deposit.
func (s *chains) credited(d *chainDeposit) {
	s.become(d, schema.DepositCredited)
	s.changed(d)
	s.ledger.repay(d.Account, d.Asset)
}

// returned ends the way of a deposit that had to give the house a part of what it brings. If that is everything, nothing is new.
func (s *chains) returned(d *chainDeposit, brought, back num) {
	if back.less(brought) {
		d.carried = num{}
	}
	s.credited(d)
	d.carried = num{}
}

// suspend gives a deposit to Suspense, unless there is too much money.
func (s *chains) suspend(d *chainDeposit) {
	if !d.posted && s.hasRoom(d.Asset, of(d.Amount)) {
		d.posted = true
		s.move(d, in(custody), in(suspense), of(d.Amount), byDeposit)
	}
}

// givePool gives the pool what Suspense just got of a deposit at the address for its blocks, unless an operator froze that before.
func (s *chains) givePool(d *chainDeposit) {
	if d.own == poolAddress && d.Status == schema.DepositUncredited && d.posted {
		d.Account = miners
		s.giveOut(d)
	}
}

// lose takes a deposit back that the chain took back. What was held is taken from where it is; what was the account's already,
// or was sent back, the house bears.
func (s *chains) lose(d *chainDeposit) {
	d.line = 0
	fee, net := of(d.Fee), d.net()
	switch d.Status {
	case schema.DepositHeld:
		s.ledger.hold(d.Account, d.Asset, net.neg(), byDeposit)
		s.move(d, in(schema.Fees), in(custody), fee, byReversal)
		net = s.takeBack(d, schema.Main, net)
		net = s.takeBack(d, schema.Trade, net)
		for _, w := range s.stoppable(d.Account, d.Asset) {
			if net.sign() > 0 {
				s.cancel(w)
				net = s.takeBack(d, schema.Main, net)
			}
		}
		if net.sign() > 0 {
			s.move(d, in(house), in(custody), net, byReversal)
			s.move(d, holder{house, schema.Owed}, holder{d.Account, schema.Owed}, net, byReversal)
			s.collectFrom(d.Account, d.Asset)
		}
	case schema.DepositCredited:
		s.move(d, in(house), in(custody), net, byReversal)
		s.move(d, in(schema.Fees), in(custody), fee, byReversal)
		d.Reversed, d.carried, d.Changed = true, net, s.call.at
		s.changed(d)
		return
	}
	switch {
	case d.refund != nil: // it was sent, and Suspense keeps what it needs
		d.carried = of(d.Amount)
		s.move(d, in(house), in(custody), d.carried, byReversal)
	case d.posted:
		s.move(d, in(suspense), in(custody), of(d.Amount), byReversal)
	}
	d.posted = false
	s.become(d, schema.DepositLost)
	s.changed(d)
}

// takeBack takes as much of a lost deposit as a wallet of its account has, and returns what is still missing.
func (s *chains) takeBack(d *chainDeposit, from schema.Wallet, missing num) num {
	there := greatest(num{}, s.ledger.balance(d.Account, from, d.Asset).available)
	taken := least(missing, there)
	s.move(d, holder{d.Account, from}, in(custody), taken, byReversal)
	return missing.minus(taken)
}

// deposit finds a deposit that can be asked for, or nil.
func (s *chains) deposit(id schema.DepositID) *chainDeposit {
	for _, d := range s.deposits {
		if d.ID == id && !d.forgotten {
			return d
		}
	}
	return nil
}

// checkDecision looks at a decision about a deposit by blocks.
func (s *chains) checkDecision(c *schema.DecideDeposit) schema.Rejection {
	d := s.deposit(c.Deposit)
	switch {
	case d == nil:
		return because(schema.DepositUnknown)
	case d.Height == 0, !decidable(d.Status, c.Decision):
		return because(schema.DepositDecided)
	case d.Account == 0 && (c.Decision == schema.CancelDeposit || (c.Decision == schema.CreditDeposit) != (c.Account != 0)),
		d.Account != 0 && c.Account != 0 && c.Account != d.Account:
		return because(schema.DepositOwner)
	}
	if c.Decision != schema.CreditDeposit {
		return accepted
	}
	if d.Account == 0 {
		if _, r := s.accounts.living(c.Account); refused(r) {
			return r
		}
	}
	if !d.posted {
		return because(schema.DepositShallow)
	}
	return accepted
}

func (s *chains) decide(c *schema.DecideDeposit) schema.Rejection {
	if v := s.invoice(c.Deposit); v != nil {
		return s.decideInvoice(v, c)
	}
	if r := s.checkDecision(c); refused(r) {
		return r
	}
	d := s.deposit(c.Deposit)
	switch c.Decision {
	case schema.CancelDeposit:
		s.become(d, schema.DepositCanceled)
	case schema.FreezeDeposit:
		s.become(d, schema.DepositFrozen)
	case schema.CreditDeposit:
		s.release(d, c.Account)
		return accepted
	}
	s.changed(d)
	return accepted
}

// decidable reports whether a decision can be made about a deposit with a status.
func decidable(status schema.DepositStatus, decision schema.Decision) bool {
	confirming, frozen := status == schema.DepositConfirming, status == schema.DepositFrozen
	waits := status == schema.DepositUncredited || status == schema.DepositTravel || status == schema.DepositReview
	switch decision {
	case schema.CreditDeposit:
		return waits || frozen
	case schema.CancelDeposit:
		return confirming || waits || frozen
	case schema.FreezeDeposit:
		return confirming || waits
	}
	return false
}

// release gives what Suspense has of a deposit to its account, or to one that is chosen if it is nobody's. It costs nothing.
func (s *chains) release(d *chainDeposit, to schema.AccountID) {
	if d.Account == 0 {
		d.Account = to
	}
	s.giveOut(d)
}

// giveOut gives what Suspense has of a deposit to its account, and to the house first what that carries of it.
func (s *chains) giveOut(d *chainDeposit) {
	d.posted = false
	back := least(of(d.Amount), d.carried)
	s.move(d, in(suspense), in(house), back, byDeposit)
	s.move(d, in(suspense), in(d.Account), of(d.Amount).minus(back), byDeposit)
	s.returned(d, of(d.Amount), back)
	s.forget(d)
}
