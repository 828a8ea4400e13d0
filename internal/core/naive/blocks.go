package naive

import (
	"slices"

	"bourse/internal/schema"
)

// Bounds of what a block may carry, in receipts and in bytes, and of where it stands.
const (
	receiptsMost    = 1000
	receiptIDMost   = 100
	addressTextMost = 128
	memoMost        = 255
	heightMost      = 1 << 62
)

// heard finds a chain of which something may be heard from outside.
func (s *chains) heard(id schema.ChainID) (*chain, schema.Rejection) {
	c := s.chain(id)
	switch {
	case c == nil:
		return nil, because(schema.ChainUnknown)
	case !c.foreign():
		return nil, because(schema.ChainOwnBlocks)
	case c.halted:
		return nil, because(schema.ChainHalted)
	case c.Paused:
		return nil, because(schema.ChainPaused)
	case c.busy:
		return nil, because(schema.ChainBusy)
	}
	return c, accepted
}

func (s *chains) block(b *schema.ChainBlock) schema.Rejection {
	c, r := s.heard(b.Chain)
	if refused(r) {
		return r
	}
	parts := max(b.Parts, 1)
	switch {
	case b.Part >= parts, len(b.Receipts) > receiptsMost, len(b.Foreign) > txMost, b.Hash == schema.Digest{}, b.Height == 0, b.Height > heightMost,
		len(b.Results) > resultsMost, b.Part+1 < parts && len(b.Results)+len(b.Adopted) > 0:
		return because(schema.BlockInvalid)
	case !c.expects(b, parts):
		return about(schema.ChainElsewhere, wholeUint64(c.height()))
	case b.Foreign != "":
		c.halted = true
		s.moved(c)
		return accepted
	case !s.validReceipts(c, b.Receipts), !s.validResults(c, b), !s.validAdopted(c, b):
		return because(schema.BlockInvalid)
	}
	s.pay(c, b.Height, b.Receipts)
	if b.Part+1 < parts {
		c.incomplete = &schema.ChainBlock{Height: b.Height, Hash: b.Hash, Parent: b.Parent, Part: b.Part, Parts: parts}
		return accepted
	}
	s.settle(b.Height, b.Results)
	s.takeForeign(c, b.Height, b.Adopted)
	s.advance(c, point{b.Height, b.Hash})
	return accepted
}

// expects reports whether a part of a block is the next that a chain takes.
func (c *chain) expects(b *schema.ChainBlock, parts uint32) bool {
	if known := c.incomplete; known != nil {
		return b.Height == known.Height && b.Hash == known.Hash && b.Parent == known.Parent && parts == known.Parts && b.Part == known.Part+1
	}
	if b.Part != 0 {
		return false
	}
	if len(c.points) == 0 {
		return true
	}
	at := c.points[len(c.points)-1]
	return b.Parent == at.hash && b.Height == at.height+1
}

func (s *chains) validReceipts(c *chain, list []schema.Receipt) bool {
	ids, sums := map[string]bool{}, map[schema.AssetID]num{}
	for i := range list {
		r := &list[i]
		known := s.withReceipt(c, r.ID)
		if len(r.ID) < 1 || len(r.ID) > receiptIDMost || ids[r.ID] || known != nil && known.Height != 0 || s.isCoin(c, r.Asset, r.ID) || s.makes(c, r.ID) || !s.validPayment(c, r) {
			return false
		}
		ids[r.ID] = true
		sums[r.Asset] = sums[r.Asset].plus(of(r.Amount))
		if s.coins(c, r.Asset).plus(sums[r.Asset]).more(owedMost) {
			return false
		}
	}
	return true
}

// validPayment looks at what is paid and to whom.
func (s *chains) validPayment(c *chain, r *schema.Receipt) bool {
	asset, amount := s.listing.asset(r.Asset), of(r.Amount)
	return asset != nil && asset.Class == schema.Crypto && amount.sign() > 0 && amount.multipleOf(unit(asset.Scale)) &&
		r.Index <= s.lastIndex(c) && s.validOwn(c, r) && len(r.Text) <= addressTextMost && len(r.Memo) <= memoMost
}

// validOwn looks at which address of ours is paid. On a chain of others nothing is ours that is paid to nobody's.
func (s *chains) validOwn(c *chain, r *schema.Receipt) bool {
	switch {
	case !c.foreign():
		return r.Own == 0
	case (r.Index == 0) == (r.Own == 0):
		return false
	case isCold(r.Own):
		return s.stores(c) && (c.hasAccounts() && r.Own == coldFirst || c.hasCoins() && s.coldOfPayout(r.Own))
	case c.hasAccounts():
		return r.Own <= schema.Hot
	case r.Own == poolAddress:
		return true
	}
	return uint64(r.Own) <= uint64(len(s.payouts))+ownAhead+1
}

// ownAhead is how many payouts there may be that the log does not know (yet) and whose addresses are ours already.
const ownAhead = 1000

// coldOfPayout reports whether an address in cold storage is that of a payout, whatever its chain.
func (s *chains) coldOfPayout(a schema.OwnAddress) bool {
	return a > coldFirst && uint64(a-coldFirst) <= uint64(len(s.payouts))+ownAhead
}

// withReceipt finds the deposit of a chain to which an id belongs, or nil.
func (s *chains) withReceipt(c *chain, id string) *chainDeposit {
	for _, d := range s.deposits {
		if d.Chain == c.ID && d.Receipt == id && !d.handedOn && !d.forgotten {
			return d
		}
	}
	return nil
}

// pay takes what a block paid. A receipt that was in a block before comes into this one, if it is still what it was. One that
// was lost makes a new deposit.
func (s *chains) pay(c *chain, height uint64, list []schema.Receipt) {
	for _, r := range list {
		known := s.withReceipt(c, r.ID)
		if known != nil && !known.gone() {
			if known.Asset == r.Asset && known.Amount == r.Amount && known.Index == r.Index && known.own == r.Own {
				s.seat(known, height)
				continue
			}
			s.lose(known)
		}
		s.lastDeposit++
		made := &chainDeposit{own: r.Own, ChainDeposit: schema.ChainDeposit{
			ID: s.lastDeposit, Account: s.owner(c, r.Index), Chain: c.ID, Asset: r.Asset, Amount: r.Amount,
			Status: schema.DepositConfirming, Created: s.call.at, Changed: s.call.at,
			Index: r.Index, Receipt: r.ID, Address: r.Text, Memo: r.Memo,
		}}
		if known != nil {
			made.returning, known.handedOn = true, true
			if known.Asset == r.Asset && known.Index == r.Index && known.own == r.Own {
				made.carried, known.carried = known.carried, num{}
			}
		}
		s.deposits = append(s.deposits, made)
		s.seat(made, height)
	}
}

// gone reports whether the chain took a deposit back for good.
func (d *chainDeposit) gone() bool { return d.Status == schema.DepositLost || d.Reversed }

// seat puts a deposit into a block.
func (s *chains) seat(d *chainDeposit, height uint64) {
	s.turns++
	d.Height, d.seat, d.line = height, s.turns, 0
	d.tradable, d.full = false, false
	s.changed(d)
}

// advance lets a chain stand at a block of which all is known.
func (s *chains) advance(c *chain, to point) {
	c.incomplete = nil
	c.points = append(c.points, to)
	if keep := s.remembered(c) + 1; uint64(len(c.points)) > keep {
		c.points = c.points[uint64(len(c.points))-keep:]
	}
	s.moved(c)
	s.work(c)
}

func (s *chains) rewind(b *schema.ChainRewind) schema.Rejection {
	c, r := s.heard(b.Chain)
	switch {
	case refused(r):
		return r
	case len(c.points) == 0:
		return because(schema.RewindUnknown)
	case b.Height < c.points[0].height:
		c.halted = true
		s.moved(c)
		return accepted
	}
	i := slices.Index(c.points, point{b.Height, b.Hash})
	if i < 0 || i+1 == len(c.points) && c.incomplete == nil {
		return because(schema.RewindUnknown)
	}
	s.back(c, i+1)
	return accepted
}

// back lets a chain stand again where it stood when the first of its points were all.
func (s *chains) back(c *chain, points int) {
	c.tip = c.height()
	if c.incomplete != nil {
		c.tip = c.incomplete.Height
	}
	c.points, c.incomplete = c.points[:points], nil
	s.moved(c)
	s.work(c)
}

// phase is one of the things that follow from where a chain stands: what it does next to a deposit or a withdrawal of an asset, or to a
// payout, and how much work that is; or nil.
type phase func(c *chain, asset schema.AssetID) (do func(), work int)

// does is a phase that does one thing after the other to what is next.
func does[T any](next func(*chain, schema.AssetID) *T, do func(*chain, *T)) phase {
	return func(c *chain, asset schema.AssetID) (func(), int) {
		if x := next(c, asset); x != nil {
			return func() { do(c, x) }, 1
		}
		return nil, 0
	}
}

// doesToPayouts is a phase that looks at the payouts of a chain, whatever they pay, when it comes to the first asset.
func doesToPayouts(next func(*chain) *payout, do func(*chain, *payout)) phase {
	return func(c *chain, asset schema.AssetID) (func(), int) {
		if p := next(c); asset == 1 && p != nil {
			return func() { do(c, p) }, p.work()
		}
		return nil, 0
	}
}

// work does all that follows from where a chain stands, phase by phase and asset by asset, as far as the budget allows. The last step may
// be more than is left of it.
func (s *chains) work(c *chain) {
	c.busy, c.worked = false, s.call.at
	phases := []phase{
		s.recallSpends,
		doesToPayouts(s.nextRecalled, s.recall),
		does(s.nextAbove, s.unseat),
		does(s.nextUnpaid, s.unpay),
		does(s.nextOverdue, func(_ *chain, d *chainDeposit) { s.lose(d) }),
		does(s.nextTradable, s.trade),
		does(s.nextFull, s.confirm),
		does(s.nextFinal, s.finish),
		doesToPayouts(s.nextUnbooked, s.book),
		s.bookSpends,
		does(s.nextBuried, func(_ *chain, d *chainDeposit) { s.bury(d) }),
		does(s.nextPast, s.letGo),
		s.forgetPayouts,
		s.forgetSpends,
	}
	for _, next := range phases {
		for _, asset := range s.listing.assets {
			for do, work := next(c, asset.ID); do != nil; do, work = next(c, asset.ID) {
				if s.budget == 0 {
					c.busy = true
					return
				}
				s.budget = max(0, s.budget-work)
				do()
			}
		}
	}
}

// nextAbove is the last deposit, if its block is no part of the chain any more.
func (s *chains) nextAbove(c *chain, asset schema.AssetID) *chainDeposit {
	lane := s.lane(c, asset)
	if len(lane) == 0 || lane[len(lane)-1].Height <= c.height() {
		return nil
	}
	return lane[len(lane)-1]
}

// unseat takes a deposit out of its block. It is waited for, but not before those that left theirs earlier are lost. A refund that was
// not sent is canceled.
func (s *chains) unseat(c *chain, d *chainDeposit) {
	_, full := s.depths(c, d.Asset)
	d.deadline = wholeUint64(c.tip).plus(wholeUint64(max(full, usualDepth)))
	if before := s.missing(c, d.Asset); len(before) > 0 {
		d.deadline = greatest(d.deadline, before[len(before)-1].deadline)
	}
	s.turns++
	d.Height, d.seat, d.line, d.wasUnseated = 0, 0, s.turns, true
	c.left[d.Receipt] = c.height()
	s.changed(d)
	if c.Driver == schema.Sandbox && !c.drops(d.Receipt) {
		c.mempool = append(c.mempool, schema.Receipt{ID: d.Receipt, Asset: d.Asset, Amount: d.Amount, Index: d.Index, Text: d.Address, Memo: d.Memo})
	}
	if d.refund != nil && d.refund.stoppable() {
		s.cancel(d.refund)
	}
}

// nextOverdue is the deposit that is waited for the longest, if that was too long.
func (s *chains) nextOverdue(c *chain, asset schema.AssetID) *chainDeposit {
	missing := s.missing(c, asset)
	if len(missing) == 0 || missing[0].deadline.more(wholeUint64(c.height())) {
		return nil
	}
	return missing[0]
}

// depth is how many blocks confirm what is in a block, with its own.
func (c *chain) depth(height uint64) uint64 { return c.height() - height + 1 }

// nextTradable is the first deposit that was not looked at for trading, if it is deep enough.
func (s *chains) nextTradable(c *chain, asset schema.AssetID) *chainDeposit {
	trading, _ := s.depths(c, asset)
	for _, d := range s.lane(c, asset) {
		if !d.tradable {
			if c.depth(d.Height) >= trading {
				return d
			}
			return nil
		}
	}
	return nil
}

// nextFull is the first deposit that was not looked at with all confirmations, if it has them.
func (s *chains) nextFull(c *chain, asset schema.AssetID) *chainDeposit {
	_, full := s.depths(c, asset)
	for _, d := range s.lane(c, asset) {
		if !d.full {
			if d.tradable && c.depth(d.Height) >= full {
				return d
			}
			return nil
		}
	}
	return nil
}

// nextBuried is the first deposit, if nothing is left to do and no rewind to a known block reaches it.
func (s *chains) nextBuried(c *chain, asset schema.AssetID) *chainDeposit {
	lane := s.lane(c, asset)
	if len(lane) == 0 || !lane[0].full || lane[0].Height > c.points[0].height {
		return nil
	}
	return lane[0]
}

// bury takes a deposit out of what may be rewound.
func (s *chains) bury(d *chainDeposit) {
	d.seat = 0
	s.forget(d)
}

// forget lets a deposit be unknown that is where it belongs and whose receipt cannot come again, and never was lost.
func (s *chains) forget(d *chainDeposit) {
	if d.seat == 0 && d.Status == schema.DepositCredited && !d.Reversed && !d.wasUnseated && !d.returning {
		d.forgotten = true
	}
}
