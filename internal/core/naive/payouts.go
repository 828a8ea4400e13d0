package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// payoutsMost is how many withdrawals a block of a sandbox pays.
const payoutsMost = 100

// picked are the withdrawals of an asset by a chain that are meant, by one of their turns.
func (s *chains) picked(c *chain, asset schema.AssetID, turn func(*withdrawal) int) (list []*withdrawal) {
	for _, w := range s.withdrawals {
		if w.Chain == c.ID && w.Asset == asset && turn(w) != 0 {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *withdrawal) int { return cmp.Compare(turn(a), turn(b)) })
	return list
}

// paid is the withdrawals of an asset in blocks of a chain that may still be rewound, as they came there.
func (s *chains) paid(c *chain, asset schema.AssetID) []*withdrawal {
	return s.picked(c, asset, func(w *withdrawal) int { return w.seat })
}

// toPay is the withdrawals of an asset that the next blocks pay: first those whose blocks were rewound, as they left them, then
// those that were never paid, as they were queued.
func (s *chains) toPay(c *chain, asset schema.AssetID) []*withdrawal {
	sent := s.picked(c, asset, func(w *withdrawal) int { return w.line })
	queued := s.picked(c, asset, func(w *withdrawal) int { return w.queue })
	return slices.Concat(sent, queued)
}

// payOut lets a block of a sandbox pay withdrawals, and returns how many it dealt with. Those of blocked accounts go back to the
// operators. Where the coins of an asset would fall too low, its withdrawals wait; where a sandbox is stuck, all do.
func (s *chains) payOut(c *chain, height uint64) (n int) {
	if c.Stuck {
		return 0
	}
	for _, asset := range s.listing.assets {
		for _, w := range s.toPay(c, asset.ID) {
			if n == payoutsMost {
				return n
			}
			if w.queue != 0 && s.accounts.barred(w.Account) {
				s.review(w, 1, "")
				n++
				continue
			}
			if s.coins(c, asset.ID).minus(of(w.Amount)).less(owedMost.neg()) {
				break
			}
			s.payIn(w, c, height)
			n++
		}
	}
	return n
}

// payIn puts a withdrawal into a block. One that was done before its block was rewound stays that.
func (s *chains) payIn(w *withdrawal, c *chain, height uint64) {
	if w.Status != schema.WithdrawalDone {
		s.turnTo(w, schema.WithdrawalMined)
	}
	s.turns++
	w.Tx, w.Height = schema.SandboxPayout(c.Name, w.ID), height
	w.seat, w.line, w.final = s.turns, 0, false
	s.noted(w)
}

// nextUnpaid is the last withdrawal that was paid, if its block is no part of the chain any more.
func (s *chains) nextUnpaid(c *chain, asset schema.AssetID) *withdrawal {
	paid := s.paid(c, asset)
	if len(paid) == 0 || paid[len(paid)-1].Height <= c.height() {
		return nil
	}
	return paid[len(paid)-1]
}

// unpay takes a withdrawal out of its block. The next blocks pay it again.
func (s *chains) unpay(_ *chain, w *withdrawal) {
	if w.Status != schema.WithdrawalDone {
		s.turnTo(w, schema.WithdrawalSent)
	}
	s.turns++
	w.Height, w.seat, w.line = 0, 0, s.turns
	s.noted(w)
}

// nextFinal is the first withdrawal that was not looked at with all confirmations, if it has them.
func (s *chains) nextFinal(c *chain, asset schema.AssetID) *withdrawal {
	_, full := s.depths(c, asset)
	for _, w := range s.paid(c, asset) {
		if !w.final {
			if c.depth(w.Height) >= full {
				return w
			}
			return nil
		}
	}
	return nil
}

// finish takes what a withdrawal set aside out of its account, or what a refund gives back out of Suspense, unless that happened before
// its block was rewound.
func (s *chains) finish(_ *chain, w *withdrawal) {
	w.final = true
	if w.Status == schema.WithdrawalDone {
		return
	}
	if w.Refund != 0 {
		s.ledger.move(in(suspense), in(custody), w.Asset, of(w.Amount), byWithdrawal)
		s.ledger.move(in(suspense), in(schema.Fees), w.Asset, of(w.Fee), byWithdrawal)
	} else {
		s.ledger.spend(in(w.Account), w.Asset, of(w.Amount), byWithdrawal)
		s.ledger.receive(custody, schema.Main, w.Asset, of(w.Amount), byWithdrawal)
		s.ledger.spend(in(w.Account), w.Asset, of(w.Fee), byWithdrawal)
		s.ledger.receive(schema.Fees, schema.Main, w.Asset, of(w.Fee), byWithdrawal)
	}
	s.turnTo(w, schema.WithdrawalDone)
	s.noted(w)
}

// nextPast is the first withdrawal that was paid, if it is final and no rewind to a known block reaches it.
func (s *chains) nextPast(c *chain, asset schema.AssetID) *withdrawal {
	paid := s.paid(c, asset)
	if len(paid) == 0 || !paid[0].final || paid[0].Height > c.points[0].height {
		return nil
	}
	return paid[0]
}

// letGo lets a withdrawal be unknown that stays where it is.
func (s *chains) letGo(_ *chain, w *withdrawal) { w.seat, w.forgotten = 0, true }
