package naive

import "bourse/internal/schema"

// Bounds of sandboxes.
const (
	askedMost   = 100     // blocks, made or replaced by a command
	toMineMost  = 1000    // blocks that may be still to make
	mempoolMost = 100_000 // payments that wait
	minedMost   = 1000    // payments in a block
)

// sandbox is what a chain has whose blocks are made here.
type sandbox struct {
	mempool  []schema.Receipt // what the next blocks pay
	payments uint64           // that there ever were
	blocks   uint64           // so of these
	toMine   uint32           // blocks
	next     schema.Time      // when it makes one by itself; 0: never
	drop     string           // the id of a receipt that does not come again when its block is replaced
	dropAll  bool
}

// drops reports whether a receipt does not come again.
func (b *sandbox) drops(id string) bool { return b.dropAll || id == b.drop }

// ours finds a sandbox.
func (s *chains) ours(id schema.ChainID) (*chain, schema.Rejection) {
	c := s.chain(id)
	switch {
	case c == nil:
		return nil, because(schema.ChainUnknown)
	case c.Driver != schema.Sandbox:
		return nil, because(schema.ChainNotSandbox)
	}
	return c, accepted
}

func (s *chains) paySandbox(p *schema.PaySandbox) schema.Result {
	c, r := s.ours(p.Chain)
	if refused(r) {
		return reject(r)
	}
	receipt := p.Receipt
	sum := s.coins(c, receipt.Asset).plus(of(receipt.Amount))
	for _, waiting := range c.mempool {
		if waiting.Asset == receipt.Asset {
			sum = sum.plus(of(waiting.Amount))
		}
	}
	switch {
	case receipt.ID != "", !s.validPayment(c, &receipt), sum.more(owedMost):
		return refuse(schema.BlockInvalid)
	case len(c.mempool) >= mempoolMost:
		return reject(about(schema.SandboxFull, whole(mempoolMost)))
	}
	c.payments++
	receipt.ID = schema.SandboxReceipt(c.Name, c.payments)
	c.mempool = append(c.mempool, receipt)
	s.arm(c)
	return schema.Result{ID: c.payments}
}

func (s *chains) mineSandbox(m *schema.MineSandbox) schema.Rejection {
	c, r := s.ours(m.Chain)
	switch {
	case refused(r):
		return r
	case c.Paused:
		return because(schema.ChainPaused)
	case m.Blocks < 1, m.Blocks > askedMost, c.toMine+m.Blocks > toMineMost:
		return about(schema.MineInvalid, whole(askedMost))
	}
	c.toMine += m.Blocks
	s.mine(c)
	s.arm(c)
	return accepted
}

func (s *chains) reorgSandbox(m *schema.ReorgSandbox) schema.Rejection {
	c, r := s.ours(m.Chain)
	switch {
	case refused(r):
		return r
	case c.Paused:
		return because(schema.ChainPaused)
	case c.busy, c.toMine > 0:
		return because(schema.ChainBusy)
	}
	most := min(askedMost, len(c.points)-1)
	switch {
	case m.Depth < 1, m.Depth > uint32(most):
		return about(schema.ReorgTooDeep, whole(int64(most)))
	case len(m.Drop) > receiptIDMost:
		return because(schema.BlockInvalid)
	}
	c.drop, c.dropAll = m.Drop, m.DropAll
	c.toMine = m.Depth + 1
	s.back(c, len(c.points)-int(m.Depth))
	s.mine(c)
	s.arm(c)
	return accepted
}

// mine makes blocks that were asked for, as far as the budget allows.
func (s *chains) mine(c *chain) {
	c.worked = s.call.at
	for c.toMine > 0 && !c.busy && !c.Paused && s.budget > 0 {
		n := min(minedMost, len(c.mempool))
		paid := c.mempool[:n]
		c.mempool = c.mempool[n:]
		c.blocks++
		height := c.height() + 1
		s.pay(c, height, paid)
		s.budget = max(0, s.budget-1-n-s.payOut(c, height))
		s.advance(c, point{height, schema.SandboxBlock(c.Name, height, c.blocks)})
		c.toMine--
	}
}

// mineInTime lets a sandbox make a block when its interval is over.
func (s *chains) mineInTime(c *chain) {
	if c.next != 0 && s.call.at >= c.next && !c.busy && c.toMine == 0 {
		c.next, c.toMine = 0, 1
	}
}

// arm sets when a sandbox makes the next block by itself: it does while anything is waited for.
func (s *chains) arm(c *chain) {
	switch {
	case c.Interval == 0, c.Paused, !s.open(c):
		c.next = 0
	case c.next == 0:
		c.next = s.call.at + c.Interval
	}
}

// open reports whether the next blocks of a sandbox change anything.
func (s *chains) open(c *chain) bool {
	for _, d := range s.deposits {
		if d.Chain == c.ID && (d.line != 0 || d.seat != 0 && !d.full) {
			return true
		}
	}
	for _, w := range s.withdrawals {
		if w.Chain == c.ID && (w.queue != 0 || w.line != 0 || w.seat != 0 && !w.final) {
			return true
		}
	}
	return len(c.mempool) > 0
}
