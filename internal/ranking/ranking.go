// Package ranking says how soon the positions on futures would be closed to cover what other accounts cannot pay.
//
// What must hold: a ranking goes through all positions of a market, so it is made at most every half minute, by the first
// who asks then, in slices between which the exchange goes on. Both doors show the same one.
package ranking

import (
	"cmp"
	"slices"
	"sync"

	"bourse/internal/core"
	"bourse/internal/core/collateral"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// rankingAge is how long a ranking is good.
const rankingAge = 30 * schema.Second

// rankingSlice is how many positions are looked at in one go: the exchange waits meanwhile.
const rankingSlice = 500

// Rankings are who would be closed first, by market. All its methods may be called by many at once.
type Rankings struct {
	look func(func(core.View))
	now  func() schema.Time

	mu      sync.Mutex
	markets map[schema.MarketID]*ranking
}

// New makes the rankings of an exchange that look looks at.
func New(look func(func(core.View)), now func() schema.Time) *Rankings {
	return &Rankings{look: look, now: now, markets: map[schema.MarketID]*ranking{}}
}

// Quantile is where an account stands on a market: from 0, closed last, to 4, closed first.
type Quantile struct {
	Market      schema.MarketID
	Long, Short int // -1: it has no such position
}

// Quantiles are those of an account on the futures on which it has a position, by market.
func (r *Rankings) Quantiles(account schema.AccountID) (list []Quantile) {
	var open []collateral.Valuation
	var equity fixed.Decimal
	r.look(func(m core.View) {
		open = m.Collateral().Valuations(account, 0)
		equity = m.Collateral().Summary(account).Equity
	})
	for _, v := range open { // by market
		p := &v.Position
		if len(list) == 0 || list[len(list)-1].Market != p.Market {
			list = append(list, Quantile{p.Market, -1, -1})
		}
		q, long := &list[len(list)-1], p.Amount.Sign() > 0
		at := r.of(p.Market).grade(collateral.Rating{Position: p.ID, Long: long, Unrealized: v.Unrealized, Equity: equity})
		if long {
			q.Long = at
		} else {
			q.Short = at
		}
	}
	return list
}

// ranking is the order of the positions on a future in which they would be closed to cover what others cannot pay, longs
// and shorts apart. Those who come while it is made wait for it.
type ranking struct {
	mu            sync.Mutex
	made          bool
	at            schema.Time
	longs, shorts []collateral.Rating // the last is closed first
	grades        map[schema.PositionID]int
}

// of is the ranking of a market. It goes through all its positions when the last one is too old.
func (r *Rankings) of(market schema.MarketID) *ranking {
	r.mu.Lock()
	k := r.markets[market]
	if k == nil {
		k = new(ranking)
		r.markets[market] = k
	}
	r.mu.Unlock()
	return k.fresh(r, market)
}

// fresh is the ranking, made again if it is too old. What was given out is not changed any more.
func (k *ranking) fresh(r *Rankings, market schema.MarketID) *ranking {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := r.now(); !k.made || now-k.at >= rankingAge {
		k.made, k.at = true, now
		k.longs, k.shorts = r.read(market)
		k.grades = map[schema.PositionID]int{}
		for _, list := range [][]collateral.Rating{k.longs, k.shorts} {
			for i := range list {
				k.grades[list[i].Position] = grade(i+1, len(list))
			}
		}
	}
	return &ranking{longs: k.longs, shorts: k.shorts, grades: k.grades}
}

// read is the positions of a market in their order.
func (r *Rankings) read(market schema.MarketID) (longs, shorts []collateral.Rating) {
	last := schema.PositionID(0)
	for {
		var some []collateral.Rating
		r.look(func(m core.View) { some = m.Collateral().Ratings(market, last, rankingSlice) })
		for _, x := range some {
			if x.Long {
				longs = append(longs, x)
			} else {
				shorts = append(shorts, x)
			}
			last = x.Position
		}
		if len(some) < rankingSlice {
			break
		}
	}
	slices.SortFunc(longs, later)
	slices.SortFunc(shorts, later)
	return longs, shorts
}

// later orders positions by their rating, which is the unrealized PnL for the equity of the account: the one that is closed
// first comes last. An account without equity comes before all others, and the older one of two that are equal.
func later(a, b collateral.Rating) int {
	backed := func(r collateral.Rating) bool { return r.Equity.Sign() > 0 }
	older := cmp.Compare(b.Position, a.Position)
	switch {
	case backed(a) && backed(b):
		return cmp.Or(fixed.CmpProducts(a.Unrealized, b.Equity, b.Unrealized, a.Equity), older)
	case backed(a):
		return -1
	case backed(b):
		return 1
	}
	return older
}

// grade of the position at a place, counted from 1, among n.
func grade(place, n int) int {
	for g, below := range [...]int{50, 73, 87, 95} {
		if place*100 < below*n {
			return g
		}
	}
	return 4
}

// grade of a position. One that was opened since the ranking was made has the place that it would have had.
func (k *ranking) grade(r collateral.Rating) int {
	if g, ranked := k.grades[r.Position]; ranked {
		return g
	}
	list := k.shorts
	if r.Long {
		list = k.longs
	}
	at, _ := slices.BinarySearchFunc(list, r, later)
	return grade(at+1, len(list)+1)
}
