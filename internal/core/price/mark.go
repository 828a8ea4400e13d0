package price

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// future is what is known of a future.
type future struct {
	info    *schema.MarketInfo // the listing's
	asset   *asset
	quote   *asset // that its prices are in; nil: USDT
	sampler Sampler
	last    schema.MarkChanged // what was last made known
}

// index is the price of what the future is about, in its quote, and whether it is fresh.
func (f *future) index() (price fixed.Decimal, fresh bool) {
	price, fresh = f.asset.index.Price()
	if f.quote == nil {
		return price, fresh
	}
	money, too := f.quote.index.Price()
	if price = quotient(price, money); !Valid(price) {
		return fixed.Zero, false
	}
	return price, fresh && too
}

// money is what a unit of the quote is worth in USDT, zero if it is USDT.
func (f *future) money() fixed.Decimal {
	if f.quote == nil {
		return fixed.Zero
	}
	price, _ := f.quote.index.Price()
	return price
}

const minute = 60 * schema.Second

// terms are how the future settles funding.
func (f *future) terms() Terms {
	return Terms{Minutes: int64(f.info.FundingMinutes), Floor: f.info.FundingFloor, Cap: f.info.FundingCap}
}

// band is how far from its index the mark can be, as a ratio. It is exact: listings are checked.
func (f *future) band() fixed.Decimal {
	ratio, _ := fixed.Mul(f.info.MarkBand, fixed.FromUnits(1, 2), fixed.Places, fixed.Down)
	return ratio
}

// settlement is when funding is next settled after a moment: at whole multiples of the interval since 1970.
func (f *future) settlement(now schema.Time) schema.Time {
	interval := schema.Time(f.info.FundingMinutes) * minute
	return now - now%interval + interval
}

// Tick is what time does to prices: sources grow old, then the books of futures are sampled.
func (b *Board) Tick() {
	for _, a := range b.assets {
		if a != nil {
			b.change(a, func() { a.index.Refresh(b.Out.Time, a.maxAge()) })
		}
	}
	for _, f := range b.futures {
		if f != nil && !f.info.Delisted {
			b.sample(f)
		}
	}
}

// sample fills the slot of the moment, if it is still to be filled, and settles funding when its interval is over: the
// slot of its last moment counts for it. While the settlement before is under way the interval goes on.
func (b *Board) sample(f *future) {
	now := b.Out.Time
	if f.sampler.Due(now) {
		var m Sample
		if index, fresh := f.index(); fresh {
			m.Index = index
			m.Bid, m.Ask = b.Impact(f.info.ID, f.info.ImpactNotional)
		}
		f.sampler.Tick(now, m, f.band())
	}
	settles := f.last.Settles
	if settles != 0 && settles <= now && b.settle(f, settles) {
		f.sampler.Settled()
		settles = 0
	}
	b.mark(f, settles)
}

// settle settles funding at the mark of now. Without any mark there is nothing to settle.
func (b *Board) settle(f *future, at schema.Time) bool {
	mark := f.last.Mark
	index, _ := f.index()
	if now, is := f.sampler.Mark(index, f.band(), int(f.info.MoneyPrec)); is {
		mark = now
	}
	interval := schema.Time(f.info.FundingMinutes) * minute
	return mark.IsZero() || b.Settle(f.info.ID, f.sampler.Rate(f.terms()), mark, f.money(), at, at-interval)
}

// mark makes the prices of a future again and records them if any of them changed. A settlement that is due stays so
// until a tick runs it; any other is the next there is by the terms of now.
func (b *Board) mark(f *future, settles schema.Time) {
	next := f.last
	next.Index, next.Fresh = f.index()
	next.Money = f.money()
	if mark, is := f.sampler.Mark(next.Index, f.band(), int(f.info.MoneyPrec)); is {
		next.Mark = mark
	}
	next.Rate = f.sampler.Rate(f.terms())
	if settles == 0 || b.Out.Time < settles {
		next.Settles = f.settlement(b.Out.Time)
	}
	if next != f.last {
		f.last = next
		b.Out.Events.Add(&next)
	}
}

// NextTimer is when the next slot of a future begins or a source grows too old. Funding is settled when a slot begins.
func (b *Board) NextTimer() (next schema.Time, running bool) {
	note := func(at schema.Time) {
		if !running || at < next {
			next, running = at, true
		}
	}
	for _, a := range b.assets {
		if a == nil {
			continue
		}
		if at, counts := a.index.Expires(a.maxAge()); counts {
			note(at)
		}
	}
	for _, f := range b.futures {
		if f != nil && !f.info.Delisted {
			note(f.sampler.Next())
		}
	}
	return next, running
}
