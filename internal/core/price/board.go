package price

import (
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Board keeps the index of every asset that has one and the mark of every future. An asset has an index from when it
// can be collateral, a future is about it, or it is traded with margin, and never loses it again. That of USDT is 1.
type Board struct {
	product.Base
	Listing *listing.Listing
	Out     *schema.Outcome
	// Impact is at which average prices so much money's worth can be sold and bought in the public book of a market;
	// zero where a side has not so much.
	Impact func(market schema.MarketID, notional fixed.Decimal) (bid, ask fixed.Decimal)

	// Settle begins the settlement of funding on a market, where a unit of its quote is worth so much (zero: it is USDT). It is
	// false while the one before is under way.
	Settle func(market schema.MarketID, rate, mark, money fixed.Decimal, at, since schema.Time) bool

	// Moved says that the index of an asset has another price; zero: there was or is none.
	Moved func(asset schema.AssetID, before, now fixed.Decimal)

	// Weighed says that what an asset is worth as collateral was set.
	Weighed func()

	assets  []*asset  // asset i+1; nil: it has no index
	futures []*future // market i+1; nil: it is no future
}

// asset is what is known of an asset.
type asset struct {
	id      schema.AssetID
	index   Index     // of USDT: nothing
	futures []*future // whose prices depend on it
	// collateral is what was set, if something was.
	collateral schema.SetCollateral
	set        bool
}

// maxAge is how long what a source says of an asset counts.
func (a *asset) maxAge() schema.Time {
	if a.set {
		return a.collateral.IndexMaxAge
	}
	return schema.DefaultIndexMaxAge
}

// Commands registers what operators set of assets. SetIndex comes through trading, whose markets it names.
func (b *Board) Commands(h *product.Handlers) { product.On(h, b.setCollateral) }

// The bounds of how long what a source says may count.
const (
	leastMaxAge   = schema.Second
	highestMaxAge = 3600 * schema.Second
)

func (b *Board) setCollateral(c *schema.SetCollateral) schema.Rejection {
	switch {
	case b.Listing.Asset(c.Asset) == nil:
		return schema.Refuse(schema.AssetUnknown)
	case !validCollateral(c):
		return schema.Refuse(schema.CollateralInvalid)
	}
	a := b.learn(c.Asset)
	a.collateral, a.set = *c, true
	b.Out.Events.Add(&schema.CollateralChanged{Collateral: *c})
	b.Weighed()
	return schema.Rejection{}
}

func validCollateral(c *schema.SetCollateral) bool {
	return c.Weight.Sign() >= 0 && c.Weight.Cmp(fixed.One) <= 0 && c.Weight.Decimals() <= schema.WeightPlaces &&
		c.Rate.Sign() >= 0 && c.Rate.Cmp(fixed.One) < 0 &&
		c.PoolCap.Sign() >= 0 && c.AccountCap.Sign() >= 0 &&
		c.IndexMaxAge >= leastMaxAge && c.IndexMaxAge <= highestMaxAge
}

// Listed takes notice of a market that was listed or changed. Restored ones come in the order of their ids.
func (b *Board) Listed(id schema.MarketID) {
	for len(b.futures) < int(id) {
		b.futures = append(b.futures, nil)
	}
	info := b.Listing.Market(id)
	if info.Pair() {
		b.learn(info.Base)
		b.learn(info.Quote)
	}
	if !info.Future() || b.futures[id-1] != nil {
		return
	}
	a := b.learn(info.Base)
	f := &future{info: info, asset: a, last: schema.MarkChanged{Market: id}}
	b.futures[id-1] = f
	a.futures = append(a.futures, f)
	if !b.Listing.IsUSDT(info.Quote) {
		f.quote = b.learn(info.Quote)
		f.quote.futures = append(f.quote.futures, f)
	}
}

// learn is an asset that has an index from now on.
func (b *Board) learn(id schema.AssetID) *asset {
	for len(b.assets) < int(id) {
		b.assets = append(b.assets, nil)
	}
	if b.assets[id-1] == nil {
		b.assets[id-1] = &asset{id: id}
	}
	return b.assets[id-1]
}

// find is an asset that has an index, or nil.
func (b *Board) find(id schema.AssetID) *asset {
	if i := int(id) - 1; i >= 0 && i < len(b.assets) {
		return b.assets[i]
	}
	return nil
}

// Index is the price of an asset in USDT, zero if there never was one, and whether it is fresh.
func (b *Board) Index(id schema.AssetID) (price fixed.Decimal, fresh bool) {
	if b.Listing.IsUSDT(id) {
		return fixed.One, true
	}
	if a := b.find(id); a != nil {
		return a.index.Price()
	}
	return fixed.Zero, false
}

// Source is what a source last said of the price of an asset, and whether it counts. It is false for an asset that
// has no sources.
func (b *Board) Source(id schema.AssetID, source int) (said Quote, counts, known bool) {
	a := b.find(id)
	if a == nil || b.Listing.IsUSDT(id) {
		return Quote{}, false, false
	}
	return a.index.Quote(source), a.index.Counts(source), true
}

// Collateral is what an asset is worth as collateral, if it was ever set.
func (b *Board) Collateral(id schema.AssetID) (schema.SetCollateral, bool) {
	if a := b.find(id); a != nil {
		return a.collateral, a.set
	}
	return schema.SetCollateral{}, false
}

// Weight is the part of an asset's worth that counts as collateral, if it was ever set.
func (b *Board) Weight(id schema.AssetID) (weight fixed.Decimal, set bool) {
	if a := b.find(id); a != nil {
		return a.collateral.Weight, a.set
	}
	return fixed.Zero, false
}

// Mark is what positions on a future are valued by, zero if there never was an index, and whether it is fresh.
func (b *Board) Mark(id schema.MarketID) (mark fixed.Decimal, fresh bool) {
	if f := b.future(id); f != nil {
		return f.last.Mark, f.last.Fresh && !f.last.Mark.IsZero()
	}
	return fixed.Zero, false
}

// Worth is what a unit of the base and of the quote of a future are worth in USDT: its mark, and 1, unless its prices are in another
// money.
func (b *Board) Worth(id schema.MarketID) (base, quote fixed.Decimal) {
	f := b.future(id)
	switch {
	case f == nil:
		return fixed.Zero, fixed.Zero
	case f.quote == nil:
		return f.last.Mark, fixed.One
	}
	return InUSDT(f.last.Mark, f.last.Money), f.last.Money
}

// InUSDT is a price in a money that is worth so much, in USDT and cut off at 18 decimals. What does not fit stays at the end of what
// does.
func InUSDT(price, money fixed.Decimal) fixed.Decimal {
	worth, fits := fixed.Mul(price, money, fixed.Places, fixed.Down)
	if !fits {
		return fixed.Max
	}
	return worth
}

// Future is all that is known of the prices of a future. It is false for other markets.
func (b *Board) Future(id schema.MarketID) (schema.MarkChanged, bool) {
	if f := b.future(id); f != nil {
		return f.last, true
	}
	return schema.MarkChanged{}, false
}

// future is a future, or nil.
func (b *Board) future(id schema.MarketID) *future {
	if i := int(id) - 1; i >= 0 && i < len(b.futures) {
		return b.futures[i]
	}
	return nil
}
