package collateral

import (
	"cmp"
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/core/position"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// winner is a position that deleveraging may close: it gains at the mark what the liquidated one loses.
type winner struct {
	slot       uint32
	id         schema.PositionID
	unrealized fixed.Decimal
	equity     fixed.Decimal
}

// before is the order in which winners are taken: the most profit for the equity of the account first. One without equity
// comes before all others.
func (w winner) before(other winner) int {
	rich, richer := w.equity.Sign() > 0, other.equity.Sign() > 0
	switch {
	case rich && richer:
		return cmp.Or(fixed.CmpProducts(other.unrealized, w.equity, w.unrealized, other.equity), cmp.Compare(w.id, other.id))
	case rich != richer:
		if richer {
			return -1
		}
		return 1
	}
	return cmp.Compare(w.id, other.id)
}

// ranking is who wins on one side of a market, those who are taken first at the end.
//
// Going through all positions for each account that falls would take too long in a crash, where thousands do. So a ranking is
// made once in a run and serves all who fall on that side. The mark stays during a run: what changes are accounts that trade or pay,
// and those are rated again. An entry that is not what its position is worth now was replaced by another, and is dropped where it comes up.
type ranking struct {
	side    side
	winners []winner
	seen    int // so many of the run's stirred accounts were rated again
}

// side is a side of a market: of those who lose.
type side struct {
	market schema.MarketID
	long   bool
}

// add puts a winner where it belongs.
func (r *ranking) add(w winner) {
	i, _ := slices.BinarySearchFunc(r.winners, w, last)
	r.winners = slices.Insert(r.winners, i, w)
}

// last orders winners so that the first to be taken is the last.
func last(a, b winner) int { return b.before(a) }

// deleverage closes what the book did not take of a position against those who win by it. It is false if the units of the run
// did not last.
func (e *Engine) deleverage(account schema.AccountID, seat uint32, of schema.PositionSide, stands *standing) bool {
	s := e.seats.At(seat)
	long := e.lots(*s.side(of)) > 0
	r := e.rank(side{s.market, long})
	if r == nil {
		return true
	}
	price, ok := e.deleveragingPrice(account, s, of, stands)
	if !ok {
		return true
	}
	e.spared = e.spared[:0]
	lasted := e.closeAgainst(r, account, s, of, price)
	for _, w := range e.spared {
		r.add(w)
	}
	return lasted
}

// closeAgainst closes a position against winners until nothing is left of it, or of them.
func (e *Engine) closeAgainst(r *ranking, account schema.AccountID, s *seat, of schema.PositionSide, price fixed.Decimal) bool {
	order := schema.Buy
	if r.side.long {
		order = schema.Sell
	}
	for *s.side(of) != 0 && len(r.winners) != 0 {
		end := len(r.winners) - 1
		w := r.winners[end]
		if now, wins := e.rated(r.side, w.slot); !wins || now != w {
			r.winners = r.winners[:end]
			continue
		}
		o := e.positions.At(w.slot)
		other := e.seats.At(o.seat)
		if other.account == account {
			e.spare(r, w)
			continue
		}
		if !e.Markets.Sweep(other.account, s.market, schema.ByDeleveraging, &e.units) {
			return false
		}
		lots := min(abs(e.lots(*s.side(of))), abs(o.Lots))
		p, ok := e.bearable(other, w.slot, lots, price, r.side.long)
		if !ok {
			e.spare(r, w)
			continue
		}
		if !e.spend() {
			return false
		}
		dealt := e.Markets.Pair(trading.Pairing{
			Market: s.market, Price: p, Lots: book.Lots(lots), Side: order,
			Liquidated: trading.Party{Account: account, Of: of},
			Other:      trading.Party{Account: other.account, Of: e.sideOf(w.slot)},
		})
		e.paired = dealt || e.paired
		if !dealt {
			e.spare(r, w)
		}
	}
	return true
}

// spare passes a winner over for the account that is being closed. The next one may meet it.
func (e *Engine) spare(r *ranking, w winner) {
	r.winners = r.winners[:len(r.winners)-1]
	e.spared = append(e.spared, w)
}

// A ranking rates so many winners at most, or passes over so many times more positions that do not win. Where a market has more, they
// are ranked by as many at a time, going on where the last ranking ended.
const (
	longestRanking  = 5000
	passesPerRating = 32
)

// rank is the ranking of those who win by what a side loses, nil if nobody does.
//
// A side on which nobody wins is ranked once in a run. When a run has rated all that it may, what is left waits for the next one, which
// begins with that market: those who wait for a winner in vain never keep the others from theirs.
func (e *Engine) rank(of side) *ranking {
	if of.market < e.rankFrom {
		return nil
	}
	i := slices.IndexFunc(e.rankings, func(r ranking) bool { return r.side == of })
	switch {
	case i >= 0:
		e.rateAgain(&e.rankings[i])
	case e.ranks <= 0:
		e.postponed = min(e.postponed, of.market)
		return nil
	default:
		i = len(e.rankings)
		e.rankings = append(e.rankings, e.rankAll(of))
	}
	if r := &e.rankings[i]; len(r.winners) != 0 {
		return r
	}
	return nil
}

// rankAll goes through the positions of a market.
func (e *Engine) rankAll(of side) ranking {
	f, r := e.market(of.market), ranking{side: of, seen: len(e.stirred)}
	start := f.first
	for start != 0 && e.positions.At(start).id < f.ranked {
		start = e.positions.At(start).next
	}
	if start == 0 {
		start = f.first
	}
	at, skipped := start, 0
	for left := longestRanking; at != 0 && left > 0; {
		if w, wins := e.rated(of, at); wins {
			r.winners = append(r.winners, w)
			left--
			e.ranks--
		} else if skipped++; skipped%passesPerRating == 0 {
			left--
			e.ranks--
		}
		if at = e.positions.At(at).next; at == 0 {
			at = f.first
		}
		if at == start {
			break
		}
	}
	e.ranks-- // the first costs something, however few there are
	if f.ranked = 0; at != start && at != 0 {
		f.ranked = e.positions.At(at).id
	}
	slices.SortFunc(r.winners, last)
	return r
}

// rateAgain adds what the positions of accounts that traded or paid are worth now.
func (e *Engine) rateAgain(r *ranking) {
	for _, account := range e.stirred[r.seen:] {
		for at := e.member(account).seats; at != 0; at = e.seats.At(at).next {
			s := e.seats.At(at)
			if s.market != r.side.market {
				continue
			}
			for _, slot := range [...]uint32{s.long, s.short} {
				if slot == 0 {
					continue
				}
				if w, wins := e.rated(r.side, slot); wins {
					r.add(w)
				}
			}
		}
	}
	r.seen = len(e.stirred)
}

// rated is what a position is worth to deleveraging. It is false for one that does not win by what a side loses.
func (e *Engine) rated(of side, slot uint32) (winner, bool) {
	o := e.positions.At(slot)
	if o.Lots == 0 || (o.Lots > 0) == of.long {
		return winner{}, false
	}
	f := e.market(of.market)
	r, _ := e.rates(f)
	gain := f.unrealized(o.Position, r)
	if gain.Sign() <= 0 {
		return winner{}, false
	}
	stands := e.atRisk(e.member(e.seats.At(o.seat).account), 0)
	return winner{slot, o.id, gain, stands.equity}, true
}

// deleveragingPrice is the price at which a position is closed without the book: the published one, as far as it leaves the
// account nothing less than nothing, and no worse for the others than the mark does.
//
// A position that is small beside what the account owes has a price beyond all that a market can count. It stays at the end of
// what can be counted: who closes against it is bounded by its own entry, which is nearer.
func (e *Engine) deleveragingPrice(account schema.AccountID, s *seat, of schema.PositionSide, stands *standing) (fixed.Decimal, bool) {
	f, held := e.market(s.market), e.position(*s.side(of))
	mark, _ := e.prices.Mark(s.market)
	r, _ := e.rates(f)
	total, all, fee := stands.total(), e.notional(e.member(account)), e.Markets.TakerRate(account, s.market).Percent()
	size := fixed.FromUnits(abs(held.Lots), int(f.scale.Stock))
	value, fits := held.Notional(r.base, f.scale)
	if !fits {
		return fixed.Zero, false
	}
	move := plus(quotient(total, all, fixed.Floor), fee.Neg().Sub(fee))
	last := e.Markets.Last(s.market)
	if last.IsZero() {
		last = mark
	}
	band, _ := fixed.Mul(mark, f.info.MarkBand.Percent(), fixed.Places, fixed.Down)
	last = fixed.MaxOf(mark.Sub(band), fixed.MinOf(last, mark.Add(band)))

	share := total
	if total.Sign() < 0 {
		if share, fits = fixed.MulDiv(total, value, all, fixed.Places, fixed.Floor); !fits {
			return fixed.Zero, false
		}
	}
	if held.Lots > 0 {
		kept, fits := fixed.Mul(divisor(size, r, fixed.Down), fixed.One.Sub(fee), fixed.Places, fixed.Down)
		if !fits || kept.Sign() <= 0 {
			return fixed.Zero, false
		}
		published := times(last, plus(fixed.One, move.Neg()))
		bound := e.rounded(f, quotient(plus(value, share.Neg()), kept, fixed.Ceil), fixed.Ceil)
		return e.rounded(f, fixed.MinOf(fixed.MaxOf(published, bound), fixed.MaxOf(mark, bound)), fixed.Floor), true
	}
	kept, fits := fixed.Mul(divisor(size, r, fixed.Up), fixed.One.Add(fee), fixed.Places, fixed.Up)
	if !fits {
		return fixed.Zero, false
	}
	published := times(last, plus(fixed.One, move))
	bound := e.rounded(f, quotient(plus(value, share), kept, fixed.Floor), fixed.Floor)
	return e.rounded(f, fixed.MaxOf(fixed.MinOf(published, bound), fixed.MinOf(mark, bound)), fixed.Ceil), true
}

// quotient is a / b, or the end of what can be counted on its side.
func quotient(a, b fixed.Decimal, r fixed.Rounding) fixed.Decimal {
	q, fits := fixed.Div(a, b, fixed.Places, r)
	if !fits {
		return extreme(a.Sign() < 0)
	}
	return q
}

// times is a · b for a positive a, or the end of what can be counted on its side.
func times(a, b fixed.Decimal) fixed.Decimal {
	p, fits := fixed.Mul(a, b, fixed.Places, fixed.Down)
	if !fits {
		return extreme(b.Sign() < 0)
	}
	return p
}

// rounded is a price of a future in whole ticks. One that has too many stays as it is.
func (e *Engine) rounded(f *market, price fixed.Decimal, r fixed.Rounding) fixed.Decimal {
	ticks, fits := e.Markets.Ticks(f.info.ID, price, r)
	if !fits {
		return price
	}
	return e.Markets.Price(f.info.ID, ticks)
}

// bearable is the price at which a winner closes some lots: no worse than its entry, so that nobody who wins is made to
// lose, and no worse than what leaves it its maintenance margin, so that deleveraging never liquidates. It is false where that
// is no price.
func (e *Engine) bearable(other *seat, slot uint32, lots int64, price fixed.Decimal, long bool) (book.Ticks, bool) {
	m, f, o := e.member(other.account), e.market(other.market), e.positions.At(slot)
	mark, _ := e.prices.Mark(other.market)
	r, _ := e.rates(f)
	held := o.Position
	s := e.atRisk(m, 0)
	spare := fixed.Zero
	if total := s.total(); total.Cmp(s.maintenance) >= 0 {
		after := e.maintenanceWithout(m, other, slot, lots)
		left := plus(total, after.Neg())
		spare = quotient(left, divisor(fixed.FromUnits(lots, int(f.scale.Stock)), r, fixed.Up), fixed.Down)
	}
	size := fixed.FromUnits(abs(held.Lots), int(f.scale.Stock))
	var worst fixed.Decimal
	if long { // the winner is short
		entry := quotient(held.Cost.Abs(), divisor(size, r, fixed.Up), fixed.Floor)
		worst = fixed.MinOf(price, e.rounded(f, fixed.MinOf(entry, plus(mark, spare)), fixed.Floor))
	} else {
		entry := quotient(held.Cost.Abs(), divisor(size, r, fixed.Down), fixed.Ceil)
		worst = fixed.MaxOf(price, e.rounded(f, fixed.MaxOf(entry, plus(mark, spare.Neg())), fixed.Ceil))
	}
	ticks, fits := e.Markets.Ticks(other.market, worst, fixed.Down)
	return ticks, fits && ticks > 0
}

// maintenanceWithout is the maintenance margin of an account with some lots of a position less.
func (e *Engine) maintenanceWithout(m *member, s *seat, slot uint32, lots int64) fixed.Decimal {
	at := e.positions.At(slot).seat
	rest := e.atRisk(m, at)
	f, l := e.market(s.market), m.chosen()
	r, _ := e.rates(f)
	long, short := e.position(s.long), e.position(s.short)
	smaller := func(p position.Position) position.Position {
		if p.Lots > 0 {
			p.Lots -= lots
		} else {
			p.Lots += lots
		}
		return p
	}
	if slot == s.short {
		short = smaller(short)
	} else {
		long = smaller(long)
	}
	return plus(rest.maintenance, f.value(long, short, r, l).maintenance)
}
