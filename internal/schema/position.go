package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// PositionSide is the position that an order belongs to. In one-way mode an account has one position on a
// market, whose sign can change; in hedge mode it has a long and a short one.
type PositionSide uint8

const (
	BothSides PositionSide = iota
	LongSide
	ShortSide
)

func (s PositionSide) String() string { return word(positionWords[:], s) }

var positionWords = [...]string{BothSides: "BOTH", LongSide: "LONG", ShortSide: "SHORT"}

// PositionSides is a set of sides of positions. The empty set means all of them.
type PositionSides uint8

// SidesOf is the set of some sides.
func SidesOf(sides ...PositionSide) (s PositionSides) {
	for _, side := range sides {
		s |= 1 << side
	}
	return s
}

// Include reports whether a side is in the set.
func (s PositionSides) Include(side PositionSide) bool { return s == 0 || s&(1<<side) != 0 }

// Known reports whether the set holds sides only.
func (s PositionSides) Known() bool { return s&^SidesOf(BothSides, LongSide, ShortSide) == 0 }

// Position is what an account has open on a future.
type Position struct {
	ID      PositionID
	Account AccountID
	Market  MarketID
	Side    PositionSide
	Amount  fixed.Decimal // below zero: short; zero: it is closed
	Cost    fixed.Decimal // of what is open, signed like the amount
	// Since it was opened:
	Entered  fixed.Decimal // amount of all fills that made it larger
	Paid     fixed.Decimal // what those were worth
	Realized fixed.Decimal // PnL before fees
	Fees     fixed.Decimal
	Funding  fixed.Decimal // that was paid; below zero: received
	Opened   Time
	Updated  Time
	// The same in the money of the market's prices, where deals are paid in another, for the prices of the position alone: zero
	// where there is one money.
	QuotedCost     fixed.Decimal
	QuotedPaid     fixed.Decimal
	QuotedRealized fixed.Decimal
}

// Priced is what the prices of a position are made of, in the money of its market's prices: its cost, what was paid for all that was
// ever opened, and what it realized.
func (p *Position) Priced() (cost, paid, realized fixed.Decimal) {
	if !p.QuotedPaid.IsZero() {
		return p.QuotedCost, p.QuotedPaid, p.QuotedRealized
	}
	return p.Cost, p.Paid, p.Realized
}

func (p *Position) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &p.ID)
	wire.Uint(c, 2, "account", &p.Account)
	wire.Uint(c, 3, "market", &p.Market)
	wire.Uint(c, 4, "side", &p.Side)
	c.Decimal(5, "amount", &p.Amount)
	c.Decimal(6, "cost", &p.Cost)
	c.Decimal(7, "entered", &p.Entered)
	c.Decimal(8, "paid", &p.Paid)
	c.Decimal(9, "realized", &p.Realized)
	c.Decimal(10, "fees", &p.Fees)
	c.Decimal(11, "funding", &p.Funding)
	wire.Int(c, 12, "opened", &p.Opened)
	wire.Int(c, 13, "updated", &p.Updated)
	c.Decimal(14, "quoted_cost", &p.QuotedCost)
	c.Decimal(15, "quoted_paid", &p.QuotedPaid)
	c.Decimal(16, "quoted_realized", &p.QuotedRealized)
}

// PositionChanged carries a position after something happened to it.
type PositionChanged struct {
	Position Position
	Cause    Cause
	// Of a fill: the order, the deal, how much was traded at which price, and what it cost and realized. What liquidation
	// closes of two sides against each other and what delisting closes has neither order nor deal, and the mark as its price; of delisting the
	// amount is below zero for a short.
	Order    OrderID
	Deal     DealID
	Price    fixed.Decimal
	Amount   fixed.Decimal
	Fee      fixed.Decimal
	Realized fixed.Decimal
	// Of funding: what the position got, below zero what it paid, for the settlement of a moment. Price is the
	// mark and Amount the size that it was reckoned with.
	Funding fixed.Decimal
	Settled Time
}

func (*PositionChanged) event() {}

func (e *PositionChanged) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "position", &e.Position)
	wire.Uint(c, 2, "cause", &e.Cause)
	wire.Uint(c, 3, "order", &e.Order)
	wire.Uint(c, 4, "deal", &e.Deal)
	c.Decimal(5, "price", &e.Price)
	c.Decimal(6, "amount", &e.Amount)
	c.Decimal(7, "fee", &e.Fee)
	c.Decimal(8, "realized", &e.Realized)
	c.Decimal(9, "funding", &e.Funding)
	wire.Int(c, 10, "settled", &e.Settled)
}

// FundingSettled says that funding of a future is settled: the rate and the mark hold for all positions that are
// open at that moment.
type FundingSettled struct {
	Market MarketID
	Rate   fixed.Decimal // what longs pay to shorts for a unit of notional
	Mark   fixed.Decimal
	At     Time
	Since  Time // the settlement before
}

func (*FundingSettled) event() {}

func (e *FundingSettled) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &e.Market)
	c.Decimal(2, "rate", &e.Rate)
	c.Decimal(3, "mark", &e.Mark)
	wire.Int(c, 4, "at", &e.At)
	wire.Int(c, 5, "since", &e.Since)
}

// LoanChanged carries what an account owes of an asset after it borrowed, repaid or was charged interest.
type LoanChanged struct {
	Account   AccountID
	Asset     AssetID
	Principal fixed.Decimal
	Interest  fixed.Decimal // booked and not paid
	// Since the loan began; a loan ends when nothing is owed.
	MostOwed fixed.Decimal
	MostLent fixed.Decimal
	Cost     fixed.Decimal // all interest that was booked
	Opened   Time
	// Liquidated says that liquidation or the insurance fund brought the loan to its end.
	Liquidated bool
}

func (*LoanChanged) event() {}

func (e *LoanChanged) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &e.Account)
	wire.Uint(c, 2, "asset", &e.Asset)
	c.Decimal(3, "principal", &e.Principal)
	c.Decimal(4, "interest", &e.Interest)
	c.Decimal(5, "most_owed", &e.MostOwed)
	c.Decimal(6, "most_lent", &e.MostLent)
	c.Decimal(7, "cost", &e.Cost)
	wire.Int(c, 8, "opened", &e.Opened)
	c.Bool(9, "liquidated", &e.Liquidated)
}

// RiskChanged carries how near an account is to the end of its margin after that changed: it is called when its
// total falls below one and a half times its maintenance margin, and liquidated below the maintenance margin.
type RiskChanged struct {
	Account     AccountID
	State       RiskState
	Total       fixed.Decimal
	Maintenance fixed.Decimal
}

func (*RiskChanged) event() {}

func (e *RiskChanged) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &e.Account)
	wire.Uint(c, 2, "state", &e.State)
	c.Decimal(3, "total", &e.Total)
	c.Decimal(4, "maintenance", &e.Maintenance)
}

// Shortfall says that the insurance fund paid what an account owed and had nothing left for.
type Shortfall struct {
	Account AccountID
	Asset   AssetID
	Amount  fixed.Decimal
	Fund    fixed.Decimal // what the fund has after it; below zero it is the operator's debt
}

func (*Shortfall) event() {}

func (e *Shortfall) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &e.Account)
	wire.Uint(c, 2, "asset", &e.Asset)
	c.Decimal(3, "amount", &e.Amount)
	c.Decimal(4, "fund", &e.Fund)
}

// ClosePosition closes a position at the market.
type ClosePosition struct {
	Account  AccountID
	Market   MarketID
	Position PositionID
	// Forced is for operators: the account may be blocked, or be from where the market is not offered.
	Forced bool
}

func (*ClosePosition) Kind() Kind { return 25 }

func (m *ClosePosition) Subject() Subject { return Subject{Account: m.Account, Market: m.Market} }

func (m *ClosePosition) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "market", &m.Market)
	wire.Uint(c, 3, "position", &m.Position)
	c.Bool(4, "forced", &m.Forced)
}

// SetLeverage sets the leverage of an account: 1, 2, 3, 5, 10, 20, 50 or 100.
type SetLeverage struct {
	Account  AccountID
	Leverage uint8
}

func (*SetLeverage) Kind() Kind { return 26 }

func (m *SetLeverage) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "leverage", &m.Leverage)
}

// SetHedgeMode switches an account between one-way mode and hedge mode.
type SetHedgeMode struct {
	Account AccountID
	On      bool
}

func (*SetHedgeMode) Kind() Kind { return 27 }

func (m *SetHedgeMode) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	c.Bool(2, "on", &m.On)
}

// DefaultLeverage is that of an account which never chose one.
const DefaultLeverage = 10

// MarginChanged carries how an account trades with collateral.
type MarginChanged struct {
	Account  AccountID
	Leverage uint8
	Hedge    bool
}

func (*MarginChanged) event() {}

func (e *MarginChanged) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &e.Account)
	wire.Uint(c, 2, "leverage", &e.Leverage)
	c.Bool(3, "hedge", &e.Hedge)
}

// FundSystem brings the operator's money into the main wallet of a system account, or (below zero) takes it out.
type FundSystem struct {
	Account AccountID // one that is Funded
	Asset   AssetID
	Amount  fixed.Decimal
}

func (*FundSystem) Kind() Kind { return 36 }

func (m *FundSystem) Subject() Subject { return Subject{Account: m.Account, Asset: m.Asset} }

func (m *FundSystem) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	c.Decimal(3, "amount", &m.Amount)
}
