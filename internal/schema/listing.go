package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Asset is something that can be owned. Ticker, Class and Scale never change.
type Asset struct {
	ID     AssetID
	Ticker string
	Name   string
	Class  AssetClass
	// Scale is how many decimals the ledger keeps; Precision how many a person may use when
	// moving money in, out or between wallets.
	Scale       uint8
	Precision   uint8
	CanDeposit  bool
	CanWithdraw bool
	MinDeposit  fixed.Decimal // bounds of zero do not bind
	MaxDeposit  fixed.Decimal
	MinWithdraw fixed.Decimal
	MaxWithdraw fixed.Decimal
	UnifiedID   uint32 // the number by which price aggregators know the asset
	DepositMemo bool
	PayoutMemo  bool
	Networks    []Network
	Providers   []string // payment providers of fiat money
	Codes       bool     // codes of it can be created, if it is crypto
	MinCode     fixed.Decimal
	NotInEU     bool // where the rules of the EU hold it neither comes nor goes, by any door
}

func (a *Asset) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &a.ID)
	wire.Text(c, 2, "ticker", &a.Ticker)
	wire.Text(c, 3, "name", &a.Name)
	wire.Uint(c, 4, "class", &a.Class)
	wire.Uint(c, 5, "scale", &a.Scale)
	wire.Uint(c, 6, "precision", &a.Precision)
	c.Bool(7, "can_deposit", &a.CanDeposit)
	c.Bool(8, "can_withdraw", &a.CanWithdraw)
	c.Decimal(9, "min_deposit", &a.MinDeposit)
	c.Decimal(10, "max_deposit", &a.MaxDeposit)
	c.Decimal(11, "min_withdraw", &a.MinWithdraw)
	c.Decimal(12, "max_withdraw", &a.MaxWithdraw)
	wire.Uint(c, 13, "unified_id", &a.UnifiedID)
	c.Bool(14, "deposit_memo", &a.DepositMemo)
	c.Bool(15, "payout_memo", &a.PayoutMemo)
	wire.List(c, 16, "networks", &a.Networks)
	c.Texts(17, "providers", &a.Providers)
	c.Bool(18, "codes", &a.Codes)
	c.Decimal(19, "min_code", &a.MinCode)
	c.Bool(20, "not_in_eu", &a.NotInEU)
}

// Offered reports whether the asset comes and goes for those of a region.
func (a *Asset) Offered(r Region) bool { return !a.NotInEU || r != EU }

// For is the asset as those of a region find it: what is not offered to them can be neither deposited nor withdrawn.
func (a *Asset) For(r Region) *Asset {
	if a.Offered(r) {
		return a
	}
	closed := *a
	closed.CanDeposit, closed.CanWithdraw = false, false
	return &closed
}

// Network is a way by which an asset comes and goes.
type Network struct {
	Name                    string
	Default                 bool
	CanDeposit              bool
	CanWithdraw             bool
	MinDeposit              fixed.Decimal // bounds of zero do not bind
	MaxDeposit              fixed.Decimal
	MinWithdraw             fixed.Decimal
	MaxWithdraw             fixed.Decimal
	Confirmations           uint32
	ConfirmationsForTrading uint32
	Chain                   ChainID // 0: none, what comes and goes is booked by operators
	// What a deposit costs: a fixed part, and a percentage between two bounds, of which the upper one does not bind if it is zero.
	DepositFixed   fixed.Decimal
	DepositPercent fixed.Decimal
	DepositMinFee  fixed.Decimal
	DepositMaxFee  fixed.Decimal
	// HeldCap bounds what of an account may be credited before it is confirmed; 0: no bound. What is more waits for all confirmations.
	HeldCap fixed.Decimal
	// The same for withdrawals.
	WithdrawFixed   fixed.Decimal
	WithdrawPercent fixed.Decimal
	WithdrawMinFee  fixed.Decimal
	WithdrawMaxFee  fixed.Decimal
	// ApproveAbove and Approve2Above are what an account may withdraw in 24 hours without the approval of one and of two operators; 0: no bound.
	ApproveAbove  fixed.Decimal
	Approve2Above fixed.Decimal
	// HourCap is what all accounts may withdraw in an hour of the clock without approval; 0: no bound.
	HourCap fixed.Decimal
	// HotCap is what the exchange keeps by keys that are online, on chains of others: what is more goes to cold storage; 0: all stays.
	HotCap fixed.Decimal
	// Contract of a token on a chain of contracts; "": it is the chain's own asset, in which its fees are paid.
	Contract string
	// Decimals that the chain keeps of it, on chains of others; 0 elsewhere.
	Decimals uint8
}

func (n *Network) Fields(c *wire.Coder) {
	wire.Text(c, 1, "name", &n.Name)
	c.Bool(2, "default", &n.Default)
	c.Bool(3, "can_deposit", &n.CanDeposit)
	c.Bool(4, "can_withdraw", &n.CanWithdraw)
	c.Decimal(5, "min_deposit", &n.MinDeposit)
	c.Decimal(6, "max_deposit", &n.MaxDeposit)
	c.Decimal(7, "min_withdraw", &n.MinWithdraw)
	c.Decimal(8, "max_withdraw", &n.MaxWithdraw)
	wire.Uint(c, 9, "confirmations", &n.Confirmations)
	wire.Uint(c, 10, "confirmations_for_trading", &n.ConfirmationsForTrading)
	wire.Uint(c, 11, "chain", &n.Chain)
	c.Decimal(12, "deposit_fixed", &n.DepositFixed)
	c.Decimal(13, "deposit_percent", &n.DepositPercent)
	c.Decimal(14, "deposit_min_fee", &n.DepositMinFee)
	c.Decimal(15, "deposit_max_fee", &n.DepositMaxFee)
	c.Decimal(16, "held_cap", &n.HeldCap)
	c.Decimal(17, "withdraw_fixed", &n.WithdrawFixed)
	c.Decimal(18, "withdraw_percent", &n.WithdrawPercent)
	c.Decimal(19, "withdraw_min_fee", &n.WithdrawMinFee)
	c.Decimal(20, "withdraw_max_fee", &n.WithdrawMaxFee)
	c.Decimal(21, "approve_above", &n.ApproveAbove)
	c.Decimal(22, "approve2_above", &n.Approve2Above)
	c.Decimal(23, "hour_cap", &n.HourCap)
	wire.Text(c, 24, "contract", &n.Contract)
	wire.Uint(c, 25, "decimals", &n.Decimals)
	c.Decimal(26, "hot_cap", &n.HotCap)
}

// NetworkNamed is the network of an asset with a name, or nil.
func (a *Asset) NetworkNamed(name string) *Network {
	return a.network(func(n *Network) bool { return n.Name == name })
}

// NetworkOn is the network of an asset on a chain, or nil.
func (a *Asset) NetworkOn(chain ChainID) *Network {
	for i := range a.Networks {
		if a.Networks[i].Chain == chain {
			return &a.Networks[i]
		}
	}
	return nil
}

// StandardNetwork is the network that is meant where none is named: the default, or the only one. It is nil if there is neither.
func (a *Asset) StandardNetwork() *Network {
	if len(a.Networks) == 1 {
		return &a.Networks[0]
	}
	return a.network(func(n *Network) bool { return n.Default })
}

func (a *Asset) network(is func(*Network) bool) *Network {
	for i := range a.Networks {
		if is(&a.Networks[i]) {
			return &a.Networks[i]
		}
	}
	return nil
}

// DepositBounds are the least and the most that is credited of an asset that comes by a network; those of both bind. A bound of zero
// does not.
func (a *Asset) DepositBounds(n *Network) (low, high fixed.Decimal) {
	return fixed.MaxOf(a.MinDeposit, n.MinDeposit), lesserBound(a.MaxDeposit, n.MaxDeposit)
}

// WithdrawBounds are the same for what leaves.
func (a *Asset) WithdrawBounds(n *Network) (low, high fixed.Decimal) {
	return fixed.MaxOf(a.MinWithdraw, n.MinWithdraw), lesserBound(a.MaxWithdraw, n.MaxWithdraw)
}

// lesserBound is the lesser one of those that bind; zero if none does.
func lesserBound(a, b fixed.Decimal) fixed.Decimal {
	if least := fixed.MinOf(a, b); !least.IsZero() {
		return least
	}
	return fixed.MaxOf(a, b)
}

// SetAsset lists an asset, or changes the one with the same ticker. The id is the core's.
type SetAsset struct {
	Asset Asset
}

func (*SetAsset) Kind() Kind { return 48 }

func (m *SetAsset) Fields(c *wire.Coder) { wire.Embed(c, 1, "asset", &m.Asset) }

// MarketInfo is the listing of a market. Name, assets, type and precisions never change: the
// book counts prices in units of 10^-MoneyPrec and amounts in units of 10^-StockPrec.
type MarketInfo struct {
	ID        MarketID
	Name      string // BASE_QUOTE, or BASE_PERP of a future
	Base      AssetID
	Quote     AssetID
	Type      MarketType
	TickSize  fixed.Decimal // zero: unavailable, 10^-MoneyPrec is used
	StepSize  fixed.Decimal // zero: unavailable, 10^-StockPrec is used
	StockPrec uint8
	MoneyPrec uint8
	FeePrec   uint8
	MinAmount fixed.Decimal
	MinTotal  fixed.Decimal
	MaxTotal  fixed.Decimal // zero: no bound
	MakerFee  fixed.Decimal // percent, may be negative
	TakerFee  fixed.Decimal // percent
	// RPIPremium is added to the maker fee of RPI orders, in percent.
	RPIPremium Optional
	// TakerBand is how far from the best price an order at the market may sweep, in percent.
	// Zero: no band.
	TakerBand fixed.Decimal
	Enabled   bool
	Regions   Regions // where it is offered
	// MaxOrders is how many open orders an account may have here; 0: DefaultMaxOrders.
	MaxOrders uint32
	// OpensAt ends the listing window in which only post-only limit orders are taken.
	OpensAt Time
	Margin  // of markets where one trades with collateral
	// What follows is set by PlanDelisting and PlanMaintenance and by the ticks that run them.
	DelistsAt       Time
	Delisted        bool
	MaintenanceFrom Time
	MaintenanceTo   Time
	InMaintenance   bool
}

func (m *MarketInfo) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Text(c, 2, "name", &m.Name)
	wire.Uint(c, 3, "base", &m.Base)
	wire.Uint(c, 4, "quote", &m.Quote)
	wire.Uint(c, 5, "type", &m.Type)
	c.Decimal(6, "tick_size", &m.TickSize)
	c.Decimal(7, "step_size", &m.StepSize)
	wire.Uint(c, 8, "stock_prec", &m.StockPrec)
	wire.Uint(c, 9, "money_prec", &m.MoneyPrec)
	wire.Uint(c, 10, "fee_prec", &m.FeePrec)
	c.Decimal(11, "min_amount", &m.MinAmount)
	c.Decimal(12, "min_total", &m.MinTotal)
	c.Decimal(13, "max_total", &m.MaxTotal)
	c.Decimal(14, "maker_fee", &m.MakerFee)
	c.Decimal(15, "taker_fee", &m.TakerFee)
	m.RPIPremium.field(c, 16, "rpi_premium")
	c.Decimal(17, "taker_band", &m.TakerBand)
	c.Bool(18, "enabled", &m.Enabled)
	wire.Int(c, 19, "opens_at", &m.OpensAt)
	wire.Int(c, 20, "delists_at", &m.DelistsAt)
	c.Bool(21, "delisted", &m.Delisted)
	wire.Int(c, 22, "maintenance_from", &m.MaintenanceFrom)
	wire.Int(c, 23, "maintenance_to", &m.MaintenanceTo)
	c.Bool(24, "in_maintenance", &m.InMaintenance)
	wire.Uint(c, 25, "regions", &m.Regions)
	wire.Uint(c, 26, "max_orders", &m.MaxOrders)
	m.Margin.fields(c)
}

// Bounds of the open orders that an account may have on a market.
const (
	DefaultMaxOrders = 10_000
	HighestMaxOrders = 1_000_000
)

// OrderLimit is how many open orders an account may have on the market.
func (m *MarketInfo) OrderLimit() uint32 {
	if m.MaxOrders == 0 {
		return DefaultMaxOrders
	}
	return m.MaxOrders
}

// Offered reports whether the market is open to those of a region.
func (m *MarketInfo) Offered(r Region) bool { return m.Enabled && !m.Delisted && m.Regions.Include(r) }

// Pair reports whether the market is a spot market where one also trades with margin.
func (m *MarketInfo) Pair() bool { return m.Type == Spot && m.MaxLeverage != 0 }

// Future reports whether the market is one of futures, which are traded from collateral alone and settled in USDT.
func (m *MarketInfo) Future() bool { return m.Type != Spot }

// SetMarket lists a market, or changes the one with the same name. The id and the plans of
// delisting and maintenance are the core's.
type SetMarket struct {
	Market MarketInfo
}

func (*SetMarket) Kind() Kind { return 49 }

func (m *SetMarket) Fields(c *wire.Coder) { wire.Embed(c, 1, "market", &m.Market) }

// PlanMaintenance closes a market between two moments; open orders end when it begins. From 0
// withdraws a plan and ends a maintenance that runs.
type PlanMaintenance struct {
	Market MarketID
	From   Time
	To     Time
}

func (*PlanMaintenance) Kind() Kind { return 50 }

func (m *PlanMaintenance) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &m.Market)
	wire.Int(c, 2, "from", &m.From)
	wire.Int(c, 3, "to", &m.To)
}

// PlanDelisting ends a market for good at a moment. At 0 withdraws the plan.
type PlanDelisting struct {
	Market MarketID
	At     Time
}

func (*PlanDelisting) Kind() Kind { return 51 }

func (m *PlanDelisting) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &m.Market)
	wire.Int(c, 2, "at", &m.At)
}

// SetFeature switches a behaviour on or off.
type SetFeature struct {
	Feature Feature
	On      bool
}

func (*SetFeature) Kind() Kind { return 52 }

func (m *SetFeature) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "feature", &m.Feature)
	c.Bool(2, "on", &m.On)
}

// SetIndex sets the price that a market's base has in the world outside, in its quote, as one source says
// it. Zero withdraws it. The sources of an asset that is collateral, or that a future is about, are the same on all
// its markets with USDT: the index of the asset is their median. Elsewhere there is source 0 alone.
type SetIndex struct {
	Market MarketID
	Price  fixed.Decimal
	Source uint8
}

func (*SetIndex) Kind() Kind { return 53 }

func (m *SetIndex) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &m.Market)
	c.Decimal(2, "price", &m.Price)
	wire.Uint(c, 3, "source", &m.Source)
}
