package chain

import (
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// work does what the last block or rewind of a chain made due, as far as the budget goes: a unit for each step. It goes phase by
// phase, and in each through all lanes: what a rewind took away is away before anything is credited.
func (c *Chains) work(ch *chain, budget *int) {
	ch.busy = false
	done := c.recallLosses(ch, budget) && c.recallPayouts(ch, budget) &&
		c.each(ch, budget, c.unseatLast, c.recallLast, c.loseFirst, c.trade, c.credit, c.finish) &&
		c.bookFees(ch, budget) && c.bookLosses(ch, budget) &&
		c.each(ch, budget, c.forgetFirst, c.forgetPaid) &&
		c.forgetPayouts(ch, budget) && c.forgetLosses(ch, budget)
	if !done {
		ch.busy, ch.since = true, c.out.Time
	}
}

// step is a step of work in a lane. It says whether there is one, and takes it unless it is only tried.
type step func(ch *chain, l *lane, try bool) bool

// each takes steps, one kind after the other, again and again in every lane until there is none left; it is false if the budget ends
// before.
func (c *Chains) each(ch *chain, budget *int, steps ...step) bool {
	for _, step := range steps {
		for _, l := range ch.lanes {
			for step(ch, l, true) {
				if *budget <= 0 {
					return false
				}
				*budget--
				step(ch, l, false)
			}
		}
	}
	return true
}

// unseatLast takes the last deposit of a lane out of a block that is no part of the chain any more.
func (c *Chains) unseatLast(ch *chain, l *lane, try bool) bool {
	place := l.seated.Last
	if place == 0 || c.deposits.At(place).Height <= ch.cursor.height {
		return false
	}
	if try {
		return true
	}
	d := c.deposits.At(place)
	c.deposits.Pull(place)
	if l.tradable == place {
		l.tradable = 0
	}
	if l.full == place {
		l.full = 0
	}
	l.coins = l.coins.Sub(d.Amount)
	if ch.real() {
		c.unreceive(ch, l, d)
	}
	confirmations, _ := c.depths(ch, d.Asset)
	d.Height, d.unseated, d.deadline = 0, true, ch.tip+max(confirmations, patience)
	if l.unseated.Last != 0 {
		d.deadline = max(d.deadline, c.deposits.At(l.unseated.Last).deadline)
	}
	c.deposits.Push(&l.unseated, place)
	c.changed(d)
	c.recallRefund(d)
	if ch.Driver == schema.Sandbox {
		c.resend(ch, l, d)
	}
	return true
}

// loseFirst gives up a deposit whose block went and that did not come back in time.
func (c *Chains) loseFirst(ch *chain, l *lane, try bool) bool {
	place := l.unseated.First
	if place == 0 || c.deposits.At(place).deadline > ch.cursor.height {
		return false
	}
	if !try {
		c.lose(ch, place)
	}
	return true
}

// trade looks at the next deposit that is deep enough to be traded.
func (c *Chains) trade(ch *chain, l *lane, try bool) bool {
	_, depth := c.depths(ch, l.asset)
	if l.tradable == 0 || ch.depth(c.deposits.At(l.tradable).Height) < depth {
		return false
	}
	if !try {
		place := l.tradable
		l.tradable = c.deposits.At(place).After
		c.hold(ch, c.deposits.At(place))
	}
	return true
}

// credit looks at the next deposit that is deep enough to be credited for good.
func (c *Chains) credit(ch *chain, l *lane, try bool) bool {
	depth, _ := c.depths(ch, l.asset)
	if l.full == 0 || ch.depth(c.deposits.At(l.full).Height) < depth {
		return false
	}
	if !try {
		place := l.full
		l.full = c.deposits.At(place).After
		c.settle(ch, l, c.deposits.At(place))
	}
	return true
}

// forgetFirst lets a deposit go that cannot be unseated any more. It is forgotten wholly unless somebody may still ask for it: a
// decision, or a block with the same receipt.
func (c *Chains) forgetFirst(ch *chain, l *lane, try bool) bool {
	place := l.seated.First
	if place == 0 || place == l.full || c.deposits.At(place).Height > ch.points[0].height {
		return false
	}
	if try {
		return true
	}
	c.deposits.Pull(place)
	c.deposits.Push(&l.kept, place)
	c.forget(ch, place)
	return true
}

// forget forgets a deposit if it is kept for nothing. One whose receipt was lost before is kept, as that is: the receipt is known by the
// last of them, and must not be taken for another one after both.
func (c *Chains) forget(ch *chain, place uint32) {
	d := c.deposits.At(place)
	if d.Where != &ch.lane(d.Asset).kept || d.Status != schema.DepositCredited || d.Reversed || d.unseated || d.returning {
		return
	}
	c.deposits.Pull(place)
	delete(c.places, d.ID)
	delete(ch.receipts, d.Receipt)
	if c.kept[d.Account]--; c.kept[d.Account] == 0 {
		delete(c.kept, d.Account)
	}
	c.deposits.Give(place)
}

// depths are how deep a deposit of an asset must be to be credited for good, and to be traded.
func (c *Chains) depths(ch *chain, asset schema.AssetID) (confirmations, trading uint64) {
	n := c.network(ch, asset)
	if n == nil {
		return unknownDepth, unknownDepth
	}
	return uint64(n.Confirmations), uint64(n.ConfirmationsForTrading)
}

// depth of a block: 1 is the last one, 0 one of which parts are missing.
func (ch *chain) depth(height uint64) uint64 { return ch.cursor.height + 1 - height }

// Tick goes on with the work of chains, makes the blocks of sandboxes whose time has come, collects what is owed, ends invoices, and
// withdrawals that no master confirmed.
func (c *Chains) Tick() {
	budget := c.Steps
	for _, ch := range c.chains {
		if ch.busy {
			c.work(ch, &budget)
		}
		if ch.Driver == schema.Sandbox {
			c.run(ch, &budget)
		}
	}
	c.collect()
	c.recent.expire(c.out.Time)
	c.expireInvoices()
	c.expireUnconfirmed()
}

// NextTimer is when a tick has something to do.
func (c *Chains) NextTimer() (next schema.Time, running bool) {
	at := func(t schema.Time) {
		if !running || t < next {
			next, running = t, true
		}
	}
	for _, ch := range c.chains {
		if ch.busy || ch.sandbox.toMine > 0 && !ch.Paused {
			at(ch.since)
		}
		if ch.sandbox.next != 0 {
			at(ch.sandbox.next)
		}
	}
	if len(c.claims) > 0 {
		at(c.claims[0].since)
	}
	if len(c.recent.list) > 0 {
		at(c.recent.list[0].at + day)
	}
	if end, there := c.nextInvoice(); there {
		at(end)
	}
	if end, there := c.nextExpiry(); there {
		at(end)
	}
	return next, running
}

// room reports whether so much more can be booked.
func (c *Chains) room(asset schema.AssetID, amount fixed.Decimal) bool {
	return wallet.Room(c.ledger, asset, amount)
}
