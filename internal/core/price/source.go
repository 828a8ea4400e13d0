package price

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Feeds reports whether an index price that is set on a market is what a source says of the market's base: on the spot
// market of the asset with USDT, and on its futures.
func (b *Board) Feeds(info *schema.MarketInfo) bool {
	return b.find(info.Base) != nil && (info.Future() || b.Listing.IsUSDT(info.Quote))
}

// Said is what a price that is set on a market which feeds its base says of it in USDT.
func (b *Board) Said(info *schema.MarketInfo, price fixed.Decimal) (fixed.Decimal, schema.Rejection) {
	if b.Listing.IsUSDT(info.Quote) || price.IsZero() {
		return price, schema.Rejection{}
	}
	money, _ := b.Index(info.Quote)
	if money.IsZero() {
		return fixed.Zero, schema.Refuse(schema.QuoteUnpriced)
	}
	said := InUSDT(price, money)
	if !Valid(said) {
		return fixed.Zero, schema.Refuse(schema.IndexInvalid)
	}
	return said, schema.Rejection{}
}

// Set lets a source say the price of an asset in USDT, or take it back if it is zero. Price and source must be possible.
func (b *Board) Set(id schema.AssetID, source uint8, price fixed.Decimal) {
	a := b.find(id)
	b.change(a, func() { a.index.Set(int(source), price, b.Out.Time, a.maxAge()) })
	for _, f := range a.futures {
		if !f.info.Delisted {
			b.mark(f, f.last.Settles)
		}
	}
}

// change does something to the index of an asset and records what became of it.
func (b *Board) change(a *asset, do func()) {
	price, fresh := a.index.Price()
	do()
	now, is := a.index.Price()
	if now != price || is != fresh {
		b.Out.Events.Add(&schema.AssetPriced{Asset: a.id, Price: now, Fresh: is})
	}
	if now != price {
		b.Moved(a.id, price, now)
	}
}

// Market is the index of a market whose assets have one, in its quote, and when a source last said something of it. It
// is false for a market that has an index of its own: one of its assets has none.
func (b *Board) Market(info *schema.MarketInfo) (price fixed.Decimal, at schema.Time, known bool) {
	base, quote := b.find(info.Base), b.find(info.Quote)
	switch {
	case b.Feeds(info) && b.Listing.IsUSDT(info.Quote):
		price, _ = base.index.Price()
		return price, base.index.Newest(), true
	case base == nil || quote == nil:
		return fixed.Zero, 0, false
	}
	at = quote.index.Newest()
	if !b.Listing.IsUSDT(base.id) {
		at = min(at, base.index.Newest())
	}
	above, _ := b.Index(base.id)
	below, _ := b.Index(quote.id)
	if price = quotient(above, below); price.IsZero() {
		at = 0
	}
	return price, at, true
}

// Pair is the price of the base of a market in its quote by what both are worth, zero if one of them never had an index,
// and whether both are fresh.
func (b *Board) Pair(info *schema.MarketInfo) (price fixed.Decimal, fresh bool) {
	base, fresh := b.Index(info.Base)
	quote, too := b.Index(info.Quote)
	return quotient(base, quote), fresh && too
}

// quotient is a price in units of another, cut off at 18 decimals, and zero where there is none.
func quotient(base, quote fixed.Decimal) fixed.Decimal {
	switch {
	case quote == fixed.One:
		return base
	case quote.IsZero():
		return fixed.Zero
	}
	price, fits := fixed.Div(base, quote, fixed.Places, fixed.Down)
	if !fits { // a price that nobody could write down
		return fixed.Zero
	}
	return price
}
