package collateral

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// watch is the range of one price in which an account is certainly safe.
//
// What an account has above a multiple k of its maintenance margin, T - k·MM, less a reserve for what it may lose otherwise, is a sum of functions of one price each.
// For each price it loses at most D per unit of a fall and A per unit of a rise. If no price moves by more than a part phi
// of itself, it loses at most phi times the sum of max(D, A)·price; phi is what there is to lose divided by that sum. As long as
// every price is in its range the account therefore still has k times its margin, whatever the prices do together. k is 1.5 until
// the account was called, and 1 after that.
//
// A range that is narrower than it has to be is as safe as the right one. It is kept unless it is less than half as wide, so
// that most looks at an account change no heap. Which ranges are kept depends on the past: they are part of the state.
type watch struct {
	account schema.AccountID
	next    uint32 // the account's watch of the next price
	price   priceID
	low     fixed.Decimal
	high    fixed.Decimal
	// Places in the heaps of the price, from 1; 0 where the account cannot lose on that side.
	lowAt  uint32
	highAt uint32
}

// priceID is a price that accounts depend on: the mark of a future, or (below zero) the index of an asset. Futures come
// first, then assets, each by id.
type priceID int32

func markOf(id schema.MarketID) priceID { return priceID(id) }
func indexOf(id schema.AssetID) priceID { return -priceID(id) }

// before is the order of prices.
func (p priceID) before(other priceID) bool {
	if p > 0 && other > 0 {
		return p < other
	}
	return p > other
}

// watched is who has to be looked at when a price leaves a range.
type watched struct {
	lows  heap // the highest first
	highs heap // the lowest first
}

// watched are the heaps of a price.
func (e *Engine) watched(p priceID) *watched {
	list, i := &e.marks, int(p)-1
	if p < 0 {
		list, i = &e.indexes, int(-p)-1
	}
	for len(*list) <= i {
		*list = append(*list, watched{highs: heap{rising: true}})
	}
	return &(*list)[i]
}

// valued is what a price is now.
func (e *Engine) valued(p priceID) fixed.Decimal {
	if p > 0 {
		worth, _ := e.prices.Worth(schema.MarketID(p))
		return worth
	}
	index, _ := e.prices.Index(schema.AssetID(-p))
	return index
}

// lookAtCrossed looks at the accounts whose ranges prices have left.
func (e *Engine) lookAtCrossed() bool {
	for i := range e.marks {
		if !e.lookBeyond(priceID(i + 1)) {
			return false
		}
	}
	for i := range e.indexes {
		if !e.lookBeyond(-priceID(i + 1)) {
			return false
		}
	}
	return true
}

func (e *Engine) lookBeyond(p priceID) bool {
	w := e.watched(p)
	if len(w.lows.at) == 0 && len(w.highs.at) == 0 {
		return true
	}
	price := e.valued(p)
	for {
		crossed := uint32(0)
		if len(w.lows.at) > 0 && e.watches.At(w.lows.at[0]).low.Cmp(price) > 0 {
			crossed = w.lows.at[0]
		} else if len(w.highs.at) > 0 && e.watches.At(w.highs.at[0]).high.Cmp(price) < 0 {
			crossed = w.highs.at[0]
		}
		if crossed == 0 {
			return true
		}
		if e.looks <= 0 {
			return false
		}
		e.look(e.watches.At(crossed).account, false)
	}
}

var (
	// slack is for everything that is rounded.
	slack = fixed.FromUnits(1, 9)
	// widest is how far a range reaches at most.
	widest = fixed.FromInt(1000)
	two    = fixed.FromInt(2)
	eight  = fixed.FromInt(8)
	// steepest is how much the maintenance margin grows with a unit of value at most, once and one and a half times.
	steepest     = fixed.FromUnits(3, 2)
	steepestCall = fixed.FromUnits(45, 3)
)

// stake is what an account loses by a price.
type stake struct {
	price priceID
	at    fixed.Decimal
	falls fixed.Decimal // at most, by a unit of a fall
	rises fixed.Decimal // at most, by a unit of a rise
}

// value is what is lost if the price moves by all of itself.
func (s *stake) value() fixed.Decimal {
	v, fits := fixed.Mul(fixed.MaxOf(s.falls, s.rises), s.at, fixed.Places, fixed.Ceil)
	if !fits {
		return fixed.Max
	}
	return v
}

// watch makes the ranges of an account that was just looked at.
func (e *Engine) watch(account schema.AccountID, m *member, s *standing) {
	link := &m.watches
	m.reserve = fixed.Zero
	if m.state != schema.Liquidation {
		e.collect(m)
		phi := e.reach(m, s)
		for i := range e.stakes {
			link = e.place(account, link, &e.stakes[i], phi)
		}
	}
	for *link != 0 {
		e.unwatch(link)
	}
}

// reach is how far all prices may move together, as a part of each. An eighth of what there is to lose is kept for what is
// lost otherwise.
func (e *Engine) reach(m *member, s *standing) (phi fixed.Decimal) {
	sum := fixed.Zero
	for i := range e.stakes {
		sum = plus(sum, e.stakes[i].value())
	}
	asked := s.maintenance
	if m.state == schema.RiskNone {
		half, _ := fixed.Div(asked, two, fixed.Places, fixed.Ceil)
		asked = plus(asked, half)
	}
	spare := plus(plus(s.total(), asked.Neg()), slack.Neg())
	if spare.Sign() <= 0 || sum.IsZero() {
		return fixed.Zero
	}
	m.reserve, _ = fixed.Div(spare, eight, fixed.Places, fixed.Down)
	phi, fits := fixed.Div(spare.Sub(m.reserve), sum, fixed.Places, fixed.Down)
	if !fits {
		return widest
	}
	return fixed.MinOf(phi, widest)
}

// collect finds what an account loses by each price that it depends on, in the order of prices.
func (e *Engine) collect(m *member) {
	e.stakes = e.stakes[:0]
	steep := steepest
	if m.state == schema.RiskNone {
		steep = steepestCall
	}
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		long, short := e.lots(s.long), e.lots(s.short)
		if long == 0 && short == 0 || e.market(s.market).spot {
			continue
		}
		stock := int(e.market(s.market).scale.Stock)
		net := fixed.FromUnits(long, stock).Add(fixed.FromUnits(short, stock))
		margin, fits := fixed.Mul(fixed.FromUnits(max(abs(long), abs(short)), stock), steep, fixed.Places, fixed.Ceil)
		if !fits {
			margin = fixed.Max
		}
		k := stake{price: markOf(s.market), falls: fixed.MaxOf(fixed.Zero, net), rises: fixed.MaxOf(fixed.Zero, plus(margin, net.Neg()))}
		k.at = e.valued(k.price)
		e.stakes = append(e.stakes, k)
	}
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		h := e.holdings.At(at)
		if e.listing.IsUSDT(h.asset) {
			continue
		}
		k := stake{price: indexOf(h.asset)}
		k.at = e.valued(k.price)
		owed := fixed.Zero
		if own := e.own(h, byHour); own.Sign() > 0 {
			weight, _ := e.prices.Weight(h.asset)
			k.falls, _ = fixed.Mul(own, weight, fixed.Places, fixed.Ceil) // a part of what fits
		} else {
			owed = own.Neg()
		}
		if m.pairs != 0 {
			e.addPairs(&k, &owed, m, h.asset)
		}
		more, fits := fixed.Mul(owed, plus(fixed.One, steep), fixed.Places, fixed.Ceil)
		if k.rises = plus(k.rises, more); !fits {
			k.rises = fixed.Max
		}
		if !k.value().IsZero() {
			e.stakes = append(e.stakes, k)
		}
	}
}

// addPairs adds what positions on spot markets lose by the price of an asset. A long loses when its base falls, or when what
// it was paid in rises; a short loses when its base rises, and with it the margin that it asks for, or when what it was sold for falls.
func (e *Engine) addPairs(k *stake, owed *fixed.Decimal, m *member, asset schema.AssetID) {
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		s := e.seats.At(at)
		f := e.market(s.market)
		if !f.spot || s.long == 0 {
			continue
		}
		held := e.position(s.long)
		size := fixed.FromUnits(abs(held.Lots), int(f.scale.Stock))
		switch long := held.Lots > 0; {
		case f.info.Base == asset && long:
			k.falls = plus(k.falls, size)
		case f.info.Base == asset:
			*owed = plus(*owed, size)
		case f.info.Quote == asset && long:
			k.rises = plus(k.rises, held.Cost)
		case f.info.Quote == asset:
			k.falls = plus(k.falls, held.Cost.Neg())
		}
	}
}

// place makes the range of one price, in the account's list behind a link, and returns the link behind it. Ranges of
// prices that come before it and are not asked for any more end.
func (e *Engine) place(account schema.AccountID, link *uint32, k *stake, phi fixed.Decimal) *uint32 {
	for *link != 0 && e.watches.At(*link).price.before(k.price) {
		e.unwatch(link)
	}
	if *link == 0 || e.watches.At(*link).price != k.price {
		i, w := e.watches.Take()
		w.account, w.price, w.next = account, k.price, *link
		*link = i
	}
	at := *link
	w, heaps := e.watches.At(at), e.watched(k.price)
	width, fits := fixed.Mul(k.at, phi, fixed.Places, fixed.Down) // toward the price: narrower is safe
	if !fits {
		width = fixed.Max
	}
	switch {
	case k.falls.Sign() == 0:
		heaps.lows.remove(&e.watches, at)
	case w.lowAt == 0 || !keeps(plus(k.at, w.low.Neg()), width):
		w.low = plus(k.at, width.Neg())
		heaps.lows.put(&e.watches, at)
	}
	switch {
	case k.rises.Sign() == 0:
		heaps.highs.remove(&e.watches, at)
	case w.highAt == 0 || !keeps(plus(w.high, k.at.Neg()), width):
		w.high = plus(k.at, width)
		heaps.highs.put(&e.watches, at)
	}
	return &w.next
}

// keeps reports whether a range that reaches so far may stay where one could reach further.
func keeps(old, width fixed.Decimal) bool {
	return old.Sign() >= 0 && old.Cmp(width) <= 0 && width.Cmp(plus(old, old)) <= 0
}

// unwatch ends the watch that a link leads to.
func (e *Engine) unwatch(link *uint32) {
	at := *link
	w := e.watches.At(at)
	heaps := e.watched(w.price)
	heaps.lows.remove(&e.watches, at)
	heaps.highs.remove(&e.watches, at)
	*link = w.next
	e.watches.Give(at)
}
