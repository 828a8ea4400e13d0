package chain

import (
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// sandbox is the world in which a chain without a network lives: payments out of nowhere wait here for blocks, which the exchange
// makes itself. It is part of the state, so it is the same on every node, and what dies with a node comes back with it.
type sandbox struct {
	queue    []schema.Receipt // that wait for a block
	taken    int              // of them, in front
	toMine   uint32           // blocks
	payments uint64           // that there ever were
	blocks   uint64           // that were ever made
	next     schema.Time      // when a block comes by itself; 0: none does
	// drop and dropAll are what does not come again after a reorganisation.
	drop    string
	dropAll bool
}

// len is how many payments wait.
func (s *sandbox) len() int { return len(s.queue) - s.taken }

// push lets a payment wait.
func (s *sandbox) push(r schema.Receipt) {
	if s.taken > len(s.queue)/2 {
		s.queue = append(s.queue[:0], s.queue[s.taken:]...)
		s.taken = 0
	}
	s.queue = append(s.queue, r)
}

// sandboxed is a chain that is a sandbox.
func (c *Chains) sandboxed(id schema.ChainID) (*chain, schema.Rejection) {
	ch := c.find(id)
	switch {
	case ch == nil:
		return nil, schema.Refuse(schema.ChainUnknown)
	case ch.Driver != schema.Sandbox:
		return nil, schema.Refuse(schema.ChainNotSandbox)
	}
	return ch, schema.Rejection{}
}

// pay sends money to an address.
func (c *Chains) pay(m *schema.PaySandbox) schema.Rejection {
	ch, refused := c.sandboxed(m.Chain)
	if refused.Refused() {
		return refused
	}
	r, s := m.Receipt, &ch.sandbox
	if r.ID != "" || !c.validReceipt(ch, &r) {
		return schema.Refuse(schema.BlockInvalid)
	}
	if sum, fits := ch.coins(r.Asset).AddChecked(r.Amount); !fits || sum.Cmp(ledger.Limit) > 0 {
		return schema.Refuse(schema.BlockInvalid)
	}
	if s.len() >= mostPayments {
		return schema.Rejection{Reason: schema.SandboxFull, Value: fixed.FromInt(mostPayments)}
	}
	s.payments++
	r.ID = schema.SandboxReceipt(ch.Name, s.payments)
	c.enqueue(ch, ch.lane(r.Asset), r)
	c.schedule(ch)
	c.out.Result.ID = s.payments
	return schema.Rejection{}
}

// SandboxOf is the network by which money of an asset comes out of nowhere: that which is used when none is named, if it is on a sandbox,
// otherwise the first that is; nil if there is none.
func (c *Chains) SandboxOf(asset *schema.Asset) (found *schema.Network) {
	for i := range asset.Networks {
		n := &asset.Networks[i]
		if ch := c.find(n.Chain); ch != nil && ch.Driver == schema.Sandbox && (found == nil || n.Default) {
			found = n
		}
	}
	return found
}

// Gives reports whether a chain is a sandbox by which deposits of an asset come.
func (c *Chains) Gives(id schema.ChainID, asset *schema.Asset) bool {
	if _, r := c.sandboxed(id); r.Refused() {
		return false
	}
	n := asset.NetworkOn(id)
	return n != nil && n.CanDeposit && asset.CanDeposit
}

// Give is pay to an address of an account, by a sandbox that gives the asset, of nothing that would not be credited as things stand.
func (c *Chains) Give(account schema.AccountID, m *schema.PaySandbox) schema.Rejection {
	ch, r := c.find(m.Chain), &m.Receipt
	asset := c.listing.Asset(r.Asset)
	if _, refused := creditable(asset, c.network(ch, r.Asset), r.Amount); refused.Refused() {
		return refused
	}
	addresses := c.space(ch.Space()).addresses
	switch {
	case !c.room(r.Asset, r.Amount):
		return schema.Refuse(schema.MoveTooLarge)
	case r.Index == 0 || int(r.Index) > len(addresses) || addresses[r.Index-1].account != account:
		return schema.Refuse(schema.BlockInvalid)
	}
	return c.pay(m)
}

func (c *Chains) enqueue(ch *chain, l *lane, r schema.Receipt) {
	l.waiting = l.waiting.Add(r.Amount)
	ch.sandbox.push(r)
}

// resend lets the receipt of a deposit wait again whose block is gone.
func (c *Chains) resend(ch *chain, l *lane, d *deposit) {
	if s := &ch.sandbox; !s.dropAll && s.drop != d.Receipt {
		c.enqueue(ch, l, schema.Receipt{ID: d.Receipt, Asset: d.Asset, Amount: d.Amount, Index: d.Index, Text: d.Address, Memo: d.Memo})
	}
}

// mineBlocks makes blocks now.
func (c *Chains) mineBlocks(m *schema.MineSandbox) schema.Rejection {
	ch, r := c.sandboxed(m.Chain)
	switch {
	case r.Refused():
		return r
	case ch.Paused:
		return schema.Refuse(schema.ChainPaused)
	case m.Blocks == 0 || m.Blocks > mostBlocks || ch.sandbox.toMine+m.Blocks > mostToMine:
		return schema.Rejection{Reason: schema.MineInvalid, Value: fixed.FromInt(mostBlocks)}
	}
	budget := c.Steps
	ch.sandbox.toMine += m.Blocks
	c.mine(ch, &budget)
	c.schedule(ch)
	return schema.Rejection{}
}

// reorganise replaces the last blocks by one more.
func (c *Chains) reorganise(m *schema.ReorgSandbox) schema.Rejection {
	ch, r := c.sandboxed(m.Chain)
	if r.Refused() {
		return r
	}
	most := min(mostBlocks, len(ch.points)-1)
	switch {
	case ch.Paused:
		return schema.Refuse(schema.ChainPaused)
	case ch.busy || ch.sandbox.toMine > 0:
		return schema.Refuse(schema.ChainBusy)
	case m.Depth == 0 || int64(m.Depth) > int64(most):
		return schema.Rejection{Reason: schema.ReorgTooDeep, Value: fixed.FromInt(int64(most))}
	case len(m.Drop) > schema.MaxReceiptID:
		return schema.Refuse(schema.BlockInvalid)
	}
	budget, s := c.Steps, &ch.sandbox
	s.drop, s.dropAll, s.toMine = m.Drop, m.DropAll, m.Depth+1
	c.back(ch, len(ch.points)-1-int(m.Depth))
	c.work(ch, &budget)
	c.mine(ch, &budget)
	c.schedule(ch)
	return schema.Rejection{}
}

// run is what a tick does for a sandbox: a block if its time has come, and those that wait to be made.
func (c *Chains) run(ch *chain, budget *int) {
	s := &ch.sandbox
	if s.next != 0 && c.out.Time >= s.next && !ch.busy && s.toMine == 0 {
		s.next, s.toMine = 0, 1
	}
	c.mine(ch, budget)
	c.schedule(ch)
}

// mine makes the blocks that wait to be made, as far as the budget goes: a unit for each, and one for each payment in it.
func (c *Chains) mine(ch *chain, budget *int) {
	s := &ch.sandbox
	for s.toMine > 0 && !ch.Paused && !ch.busy && *budget > 0 {
		receipts := s.queue[s.taken:min(s.taken+schema.MaxReceipts, len(s.queue))]
		s.taken += len(receipts)
		for i := range receipts {
			l := ch.lane(receipts[i].Asset)
			l.waiting = l.waiting.Sub(receipts[i].Amount)
		}
		s.blocks++
		to := point{ch.cursor.height + 1, schema.SandboxBlock(ch.Name, ch.cursor.height+1, s.blocks)}
		c.seat(ch, receipts, to.height)
		paid := c.payOut(ch, to.height)
		c.advance(ch, to)
		*budget = max(0, *budget-1-len(receipts)-paid)
		c.work(ch, budget)
		s.toMine--
	}
	if s.toMine > 0 {
		ch.since = c.out.Time
	}
}

// schedule sets when a block comes by itself: while something waits for one.
func (c *Chains) schedule(ch *chain) {
	s := &ch.sandbox
	if ch.Interval == 0 || ch.Paused || !ch.waits() {
		s.next = 0
	} else if s.next == 0 {
		s.next = c.out.Time + ch.Interval
	}
}

// waits reports whether a payment or a withdrawal waits for a block, or a deposit or a withdrawal for more of them.
func (ch *chain) waits() bool {
	if ch.sandbox.len() > 0 {
		return true
	}
	for _, l := range ch.lanes {
		if l.full != 0 || l.unseated.First != 0 || l.queued.First != 0 || l.sent.First != 0 || l.final != 0 {
			return true
		}
	}
	return false
}
