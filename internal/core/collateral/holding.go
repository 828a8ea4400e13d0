package collateral

import (
	"bourse/internal/core/ledger"
	"bourse/internal/core/position"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// holding is what an account has of an asset as collateral and what it owes of it. A debt is a positive
// balance in the account's debt wallet against a negative one of the pool, so that every asset adds up to
// nothing and nobody is below zero.
type holding struct {
	asset schema.AssetID
	next  uint32 // the account's holding of the next higher asset
	cell  ledger.Cell
	// placed is what of the asset belongs to positions on spot markets: the size of those in it, less the cost of those that
	// are paid in it.
	placed fixed.Decimal
	// The loan, from its first unit to its last.
	principal fixed.Decimal
	interest  fixed.Decimal // booked and not paid
	since     fixed.Decimal // the accrual that is booked
	mostOwed  fixed.Decimal
	mostLent  fixed.Decimal
	cost      fixed.Decimal // all interest that was booked
	opened    schema.Time
}

// owed is what is booked of a loan.
func (h *holding) owed() fixed.Decimal { return h.principal.Add(h.interest) }

// accrual is the interest of an asset: the sum of its hourly rates, one for each whole minute. What a loan has accrued
// is a sixtieth of what was added since it last changed.
type accrual struct {
	sum   fixed.Decimal
	at    schema.Time // the minute to which it was counted
	loans uint32      // how many are open
}

const (
	minute = 60 * schema.Second
	hour   = 60 * minute
)

// horizon says to which moment interest that is not booked counts.
type horizon bool

const (
	// byNow is for what accounts see and may do.
	byNow horizon = false
	// byHour is for risk: interest counts to the next whole hour, so that within an hour time moves nothing, and
	// funding when it is booked.
	byHour horizon = true
)

// accrual is that of an asset.
func (e *Engine) accrual(asset schema.AssetID) *accrual {
	for len(e.accruals) < int(asset) {
		e.accruals = append(e.accruals, accrual{})
	}
	return &e.accruals[asset-1]
}

// holding is the place of what an account has of an asset, made if it is not there. It opens no balance.
func (e *Engine) holding(account schema.AccountID, m *member, asset schema.AssetID) uint32 {
	link := &m.holdings
	for *link != 0 && e.holdings.At(*link).asset < asset {
		link = &e.holdings.At(*link).next
	}
	if *link != 0 && e.holdings.At(*link).asset == asset {
		return *link
	}
	i, h := e.holdings.Take()
	h.asset, h.next, h.cell = asset, *link, e.ledger.Find(account, schema.Collateral, asset)
	*link = i
	return i
}

// cell is the balance of a holding, opened if it was never touched.
func (e *Engine) cell(account schema.AccountID, h *holding) ledger.Cell {
	if h.cell == 0 {
		h.cell = e.ledger.Open(account, schema.Collateral, h.asset)
	}
	return h.cell
}

// accrued is the interest of a loan that is not booked. Interest bears none.
func (e *Engine) accrued(h *holding, by horizon) fixed.Decimal {
	if h.principal.IsZero() {
		return fixed.Zero
	}
	a := e.accrual(h.asset)
	added := a.sum.Sub(h.since)
	if by == byHour {
		set, _ := e.prices.Collateral(h.asset)
		minutes := int64(hour-a.at%hour) / int64(minute)
		if more, fits := fixed.Mul(set.Rate, fixed.FromInt(minutes), fixed.Places, fixed.Down); fits {
			added = plus(added, more)
		}
	}
	// A loan that lasts so long that its interest does not fit accrues no more.
	interest, fits := fixed.MulDiv(h.principal, added, fixed.FromInt(60), int(e.listing.Asset(h.asset).Scale), fixed.Ceil)
	if !fits {
		return fixed.Zero
	}
	return interest
}

// own is what of an asset belongs to the account and to none of its positions, below zero if it owes more than it has.
func (e *Engine) own(h *holding, by horizon) fixed.Decimal {
	own := plus(e.ledger.Available(h.cell).Sub(h.owed()), e.accrued(h, by).Neg())
	if h.placed.IsZero() {
		return own
	}
	return plus(own, h.placed.Neg())
}

// worth is what an amount of an asset counts as equity, in USDT: assets by their weight, what is owed
// wholly. It is rounded once, against the account.
func (e *Engine) worth(asset schema.AssetID, own fixed.Decimal) fixed.Decimal {
	price, _ := e.prices.Index(asset)
	of := fixed.One
	if own.Sign() > 0 {
		price, of = e.weighted(asset)
	}
	if price == of { // USDT that counts wholly
		return own
	}
	value, fits := fixed.MulDiv(own, price, of, fixed.Places, fixed.Floor)
	if !fits {
		return extreme(own.Sign() < 0)
	}
	return value
}

// weighted is what units of an asset count as equity, as the value of how many: a product of price and weight has
// more decimals than a number can have. USDT counts wholly and other assets not at all until that is set.
func (e *Engine) weighted(asset schema.AssetID) (value, of fixed.Decimal) {
	price, _ := e.prices.Index(asset)
	weight, set := e.prices.Weight(asset)
	switch {
	case set && weight != fixed.One:
		n, _ := weight.Units(schema.WeightPlaces) // weights have no more
		value, fits := fixed.Mul(price, fixed.FromInt(n), fixed.Places, fixed.Down)
		if !fits { // no asset is worth so much
			return fixed.Zero, fixed.One
		}
		return value, weightUnits
	case !set && !e.listing.IsUSDT(asset):
		return fixed.Zero, fixed.One
	}
	return price, fixed.One
}

var weightUnits = fixed.FromInt(10_000) // 1 in units of schema.WeightPlaces decimals

// naked is the margin of a loan that nothing stands behind.
var naked = position.Tiers{Max: 10}

// loanMargin is what an amount that is owed beyond what is there asks for.
func (e *Engine) loanMargin(asset schema.AssetID, own fixed.Decimal, l position.Leverage) (initial, maintenance fixed.Decimal) {
	if own.Sign() >= 0 {
		return fixed.Zero, fixed.Zero
	}
	value := e.nakedLoan(asset, own)
	return naked.Initial(value, l), naked.Maintenance(value, l)
}

// nakedLoan is the value of what is owed beyond what is there.
func (e *Engine) nakedLoan(asset schema.AssetID, own fixed.Decimal) fixed.Decimal {
	if own.Sign() >= 0 {
		return fixed.Zero
	}
	price, _ := e.prices.Index(asset)
	value, fits := fixed.Mul(own.Neg(), price, fixed.Places, fixed.Ceil)
	if !fits {
		return fixed.Max
	}
	return value
}

// extreme stands for a value that does not fit.
func extreme(negative bool) fixed.Decimal {
	if negative {
		return fixed.Max.Neg()
	}
	return fixed.Max
}

// plus adds values; a sum that does not fit stays at the end of what does.
func plus(a, b fixed.Decimal) fixed.Decimal {
	sum, fits := a.AddChecked(b)
	if !fits || sum == fixed.Min {
		return extreme(a.Sign() < 0)
	}
	return sum
}
