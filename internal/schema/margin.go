package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Margin is what a market asks of those who trade there with collateral, a part of its listing. Its zero value
// belongs to markets where nobody does. Bands and fees are percents, as they are elsewhere in a listing; rates of funding are
// ratios, as the API shows them.
type Margin struct {
	MaxLeverage uint8
	// Brackets are up to which notional, in USDT, the leverages 100, 50 and 20 can be had; zero: none at it.
	Bracket100 fixed.Decimal
	Bracket50  fixed.Decimal
	Bracket20  fixed.Decimal
	// Bounds in USDT; zero: none.
	MaxPosition     fixed.Decimal // of one account, with its orders
	MaxPending      fixed.Decimal // of the open orders of one account
	MaxOpenInterest fixed.Decimal // of all accounts
	// PriceBand is how far from the mark an order may be priced, MarkBand how far from the index a mark can be.
	PriceBand      fixed.Decimal
	MarkBand       fixed.Decimal
	ImpactNotional fixed.Decimal // for which the book is sampled, in USDT
	FundingMinutes uint32        // between two settlements
	FundingCap     fixed.Decimal
	FundingFloor   fixed.Decimal
	// LiquidationFee goes to the insurance fund, from what is left of a position that is liquidated.
	LiquidationFee fixed.Decimal
	// LiquidationBand is how far from the index a liquidation on a spot pair may trade.
	LiquidationBand fixed.Decimal
}

// fields are a part of those of a listing.
func (m *Margin) fields(c *wire.Coder) {
	wire.Uint(c, 27, "max_leverage", &m.MaxLeverage)
	c.Decimal(28, "bracket_100", &m.Bracket100)
	c.Decimal(29, "bracket_50", &m.Bracket50)
	c.Decimal(30, "bracket_20", &m.Bracket20)
	c.Decimal(31, "max_position", &m.MaxPosition)
	c.Decimal(32, "max_pending", &m.MaxPending)
	c.Decimal(33, "max_open_interest", &m.MaxOpenInterest)
	c.Decimal(34, "price_band", &m.PriceBand)
	c.Decimal(35, "mark_band", &m.MarkBand)
	c.Decimal(36, "impact_notional", &m.ImpactNotional)
	wire.Uint(c, 37, "funding_minutes", &m.FundingMinutes)
	c.Decimal(38, "funding_cap", &m.FundingCap)
	c.Decimal(39, "funding_floor", &m.FundingFloor)
	c.Decimal(40, "liquidation_fee", &m.LiquidationFee)
	c.Decimal(41, "liquidation_band", &m.LiquidationBand)
}

// SetCollateral says what an asset is worth as collateral and how it is lent.
type SetCollateral struct {
	Asset AssetID
	// Weight is the part of what an account owns of the asset that counts as equity, from 0 to 1, with at most
	// WeightPlaces decimals.
	Weight fixed.Decimal
	// Rate is the interest of a loan for one hour.
	Rate fixed.Decimal
	// PoolCap is what may be lent in all, AccountCap what one account may borrow of its own will.
	PoolCap    fixed.Decimal
	AccountCap fixed.Decimal
	// IndexMaxAge is how long what a source says of the price of the asset counts.
	IndexMaxAge Time
}

func (*SetCollateral) Kind() Kind { return 54 }

func (m *SetCollateral) Subject() Subject { return Subject{Asset: m.Asset} }

func (m *SetCollateral) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "asset", &m.Asset)
	c.Decimal(2, "weight", &m.Weight)
	c.Decimal(3, "rate", &m.Rate)
	c.Decimal(4, "pool_cap", &m.PoolCap)
	c.Decimal(5, "account_cap", &m.AccountCap)
	wire.Int(c, 6, "index_max_age_us", &m.IndexMaxAge)
}

// WeightPlaces is how many decimals a weight can have.
const WeightPlaces = 4

// DefaultIndexMaxAge holds for assets that nobody has set another for.
const DefaultIndexMaxAge = 30 * Second

// CollateralChanged carries what an asset is worth as collateral.
type CollateralChanged struct{ Collateral SetCollateral }

func (*CollateralChanged) event()   {}
func (*CollateralChanged) setting() {}

func (e *CollateralChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "collateral", &e.Collateral) }

// AssetPriced carries the index price of an asset, in USDT, that several sources agree on. One that is not
// fresh is the last there was.
type AssetPriced struct {
	Asset AssetID
	Price fixed.Decimal
	Fresh bool
}

func (*AssetPriced) event() {}

func (e *AssetPriced) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "asset", &e.Asset)
	c.Decimal(2, "price", &e.Price)
	c.Bool(3, "fresh", &e.Fresh)
}

// MarkChanged carries the prices of a future that positions are valued by.
type MarkChanged struct {
	Market MarketID
	Mark   fixed.Decimal
	Index  fixed.Decimal
	// Fresh is false while the index is stale; both prices are the last there were.
	Fresh bool
	// Rate is what longs would pay to shorts if funding was settled now; Settles is when it is.
	Rate    fixed.Decimal
	Settles Time
	// Money is what a unit of the quote is worth in USDT, where that is not USDT itself: zero otherwise.
	Money fixed.Decimal
}

func (*MarkChanged) event() {}

func (e *MarkChanged) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &e.Market)
	c.Decimal(2, "mark", &e.Mark)
	c.Decimal(3, "index", &e.Index)
	c.Bool(4, "fresh", &e.Fresh)
	c.Decimal(5, "rate", &e.Rate)
	wire.Int(c, 6, "settles", &e.Settles)
	c.Decimal(7, "money", &e.Money)
}
