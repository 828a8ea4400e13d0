package demo

import (
	"math/rand/v2"

	"bourse/internal/fixed"
)

// A side of the book is levels of three kinds: a fine grid near the price, a coarser one behind it
// and a still coarser one behind that. Grids are fixed and the price moves through them, so that
// a small move changes a few levels and leaves the rest where they are.
const (
	tiers      = 3
	tierLevels = 8
	tierFactor = 4
	sideLevels = tiers * tierLevels
)

// level is a price at which somebody should quote.
type level struct {
	side  string
	ticks int64
	tier  int
}

const (
	buy  = "buy"
	sell = "sell"
)

// ladder is where to quote around a price: bids and asks, the best of each first, the sides at least
// 2 × gap ticks apart.
func ladder(mid, gap, grid int64) []level {
	levels := make([]level, 0, 2*sideLevels)
	bid, ask := mid-gap, mid+gap
	for tier := range tiers {
		for range tierLevels {
			bid, ask = floor(bid, grid), -floor(-ask, grid)
			if bid > 0 {
				levels = append(levels, level{buy, bid, tier})
			}
			levels = append(levels, level{sell, ask, tier})
			bid, ask = bid-1, ask+1
		}
		grid *= tierFactor
	}
	return levels
}

// How far makers shift their quotes against what they hold on a future: a step of the grid for so many units, and so many
// steps at most.
const (
	skewUnits = 200
	skewMax   = 5
)

// skew is the shift of quotes, in ticks: who is long asks for less, so that others buy.
func (m *market) skew(position fixed.Decimal) int64 {
	shift := count(position, m.unit, fixed.Down) * m.grid / skewUnits
	return -min(max(shift, -skewMax*m.grid), skewMax*m.grid)
}

// floor is the next multiple of a grid that is not above n, also where n is negative.
func floor(n, grid int64) int64 { return n - ((n%grid)+grid)%grid }

// size is how much a quote offers, in steps: more behind than in front.
func (m *market) size(l level, chance *rand.Rand) int64 {
	least := [tiers]int64{10, 40, 120}[l.tier]
	return m.steps(least+chance.Int64N(4*least), l.ticks)
}
