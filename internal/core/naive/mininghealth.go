package naive

import (
	"math"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

var (
	uint32Most = whole(math.MaxUint32)
	// millionths are those of a block.
	millionths = whole(1_000_000)
	// fourDeviations is the square of four standard deviations, in millionths, for each millionth that is expected.
	fourDeviations = whole(16).times(millionths)
)

// addWorth adds a reward to what its day is worth, if no later day was closed with one.
func (s *mining) addWorth(r *schema.Reward) {
	if r.Day > s.worthDay {
		s.worthDay, s.worth = r.Day, num{}
	}
	if r.Day == s.worthDay {
		s.worth = s.worth.plus(of(r.Amount))
	}
}

// tooSmall reports whether the pool has less than the latest day was worth, or than is next in the queue.
func (s *mining) tooSmall() bool {
	if s.worth.sign() == 0 {
		return false
	}
	available := s.ledger.balance(miners, schema.Main, s.terms.Asset).available
	return available.less(s.worth) || len(s.queue) > 0 && available.less(total(s.queue[0].rewards))
}

// lookAtFund notes since when the pool has too little.
func (s *mining) lookAtFund() {
	switch small := s.tooSmall(); {
	case !small:
		s.short = 0
	case s.short == 0:
		s.short = s.call.at
	}
}

// fundChanged reports whether the pool has too little, or enough again, and no tick saw it yet.
func (s *mining) fundChanged() bool { return s.tooSmall() != (s.short != 0) }

// expect adds the blocks that work of a day should have found, for what it is worth.
func (s *mining) expect(m *miner, gross num) {
	m.expected = least(uint64Most, m.expected.plus(gross.times(millionths).over(s.rate).floor(one)))
}

// unlucky reports whether a mining account found so few blocks that it can hardly be chance.
func (m *miner) unlucky() bool {
	missing := m.expected.minus(m.found.times(millionths))
	return missing.sign() > 0 && missing.times(missing).more(fourDeviations.times(m.expected))
}

// PoolHealth is the latest day that was closed with a reward and what its rewards are together, since when the pool has too little (0: it has enough),
// and how many mining accounts are unlucky.
func (x *Exchange) PoolHealth() (day schema.Time, worth fixed.Decimal, short schema.Time, unlucky int) {
	for _, m := range x.mining.all {
		if m.unlucky() {
			unlucky++
		}
	}
	return x.mining.worthDay, x.mining.worth.decimal(), x.mining.short, unlucky
}

// MiningLuck is how many blocks a mining account should have found, in millionths, how many it found, and whether it is unlucky.
func (x *Exchange) MiningLuck(id schema.MiningID) (expected uint64, found uint32, low bool) {
	m := x.mining.miner(id)
	return m.expected.uint64(), uint32(m.found.uint64()), m.unlucky()
}
