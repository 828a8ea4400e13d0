package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// OrderRequest is what a client asks for when it places an order.
type OrderRequest struct {
	Market MarketID
	Type   OrderType
	Side   Side
	// Amount counts the base asset, or the quote asset where OrderType.InQuote.
	Amount          fixed.Decimal
	Price           fixed.Decimal // of limit and stop limit orders; not looked at when BBO is given
	ActivationPrice fixed.Decimal // of stop orders
	STP             STP
	PostOnly        bool
	IOC             bool
	RPI             bool
	Retail          bool
	BBO             BBORole
	ClientID        ClientID
	// Collateral orders are paid from the collateral wallet. The rest is for them alone, and not looked at for
	// others.
	Collateral   bool
	ReduceOnly   bool
	PositionSide PositionSide
	// StopLoss and TakeProfit, where they are not zero, make the order the primary of an OTO: they are the prices at which what it
	// bought or sold is closed again.
	StopLoss   fixed.Decimal
	TakeProfit fixed.Decimal
}

func (r *OrderRequest) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &r.Market)
	wire.Uint(c, 2, "type", &r.Type)
	wire.Uint(c, 3, "side", &r.Side)
	c.Decimal(4, "amount", &r.Amount)
	c.Decimal(5, "price", &r.Price)
	c.Decimal(6, "activation_price", &r.ActivationPrice)
	wire.Uint(c, 7, "stp", &r.STP)
	c.Bool(8, "post_only", &r.PostOnly)
	c.Bool(9, "ioc", &r.IOC)
	c.Bool(10, "rpi", &r.RPI)
	c.Bool(11, "retail", &r.Retail)
	wire.Uint(c, 12, "bbo", &r.BBO)
	r.ClientID.Field(c, 13, "client_id")
	c.Bool(14, "collateral", &r.Collateral)
	c.Bool(15, "reduce_only", &r.ReduceOnly)
	wire.Uint(c, 16, "position_side", &r.PositionSide)
	c.Decimal(17, "stop_loss", &r.StopLoss)
	c.Decimal(18, "take_profit", &r.TakeProfit)
}

// Offered reports whether customers of a region may place such an order by itself. Those of the EU
// may place orders at the market, and limit orders that take the best price at once, and none with
// collateral.
func (r *OrderRequest) Offered(region Region) bool {
	if r.Collateral {
		return region != EU
	}
	switch r.Type {
	case Market, StockMarket, StopMarket, StopStockMarket:
		return true
	case Limit:
		return region != EU || r.IOC && r.BBO == BBOCounterparty && !r.RPI
	default:
		return region != EU
	}
}

// PlaceOrder places one order.
type PlaceOrder struct {
	Account AccountID
	Order   OrderRequest
}

func (*PlaceOrder) Kind() Kind { return 16 }

func (m *PlaceOrder) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Embed(c, 2, "order", &m.Order)
}

// MaxBulkOrders is the most orders that one PlaceBulk may hold.
const MaxBulkOrders = 20

// PlaceBulk places several limit orders, one after the other. Each gets its own answer.
type PlaceBulk struct {
	Account    AccountID
	Orders     []OrderRequest
	StopOnFail bool // the first refused order is the last one that is looked at
}

func (*PlaceBulk) Kind() Kind { return 17 }

func (m *PlaceBulk) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.List(c, 2, "orders", &m.Orders)
	c.Bool(3, "stop_on_fail", &m.StopOnFail)
}

// OrderRef names an open order of an account by exactly one of its two ids.
type OrderRef struct {
	Market   MarketID
	ID       OrderID
	ClientID ClientID
}

func (r *OrderRef) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &r.Market)
	wire.Uint(c, 2, "id", &r.ID)
	r.ClientID.Field(c, 3, "client_id")
}

// CancelOrder cancels one order.
type CancelOrder struct {
	Account AccountID
	Order   OrderRef
}

func (*CancelOrder) Kind() Kind { return 18 }

func (m *CancelOrder) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Embed(c, 2, "order", &m.Order)
}

// MaxBulkCancels is the most orders that one CancelBulk may name.
const MaxBulkCancels = 100

// CancelBulk cancels several orders. Each gets its own answer; none stops the others.
type CancelBulk struct {
	Account AccountID
	Orders  []OrderRef
}

func (*CancelBulk) Kind() Kind { return 19 }

func (m *CancelBulk) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.List(c, 2, "orders", &m.Orders)
}

// CancelAll cancels the open orders of an account on one market, or on all when Market is 0. With Sides it means
// orders on futures alone, those that belong to positions of these sides.
type CancelAll struct {
	Account  AccountID
	Market   MarketID
	Products Products
	Sides    PositionSides
}

func (*CancelAll) Kind() Kind { return 20 }

func (m *CancelAll) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "market", &m.Market)
	wire.Uint(c, 3, "products", &m.Products)
	wire.Uint(c, 4, "sides", &m.Sides)
}

// ModifyOrder replaces an open order: it is canceled, and a new one with a new id and the same
// client id takes its place at the back of the queue. What is absent stays as it is; Amount and
// Total exclude each other.
type ModifyOrder struct {
	Account         AccountID
	Order           OrderRef
	Amount          Optional
	Total           Optional // in quote, for buy stop market orders
	Price           Optional
	ActivationPrice Optional
	STP             STP
	KeepSTP         bool // STP stays as it is too
}

func (*ModifyOrder) Kind() Kind { return 21 }

func (m *ModifyOrder) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Embed(c, 2, "order", &m.Order)
	m.Amount.field(c, 3, "amount")
	m.Total.field(c, 4, "total")
	m.Price.field(c, 5, "price")
	m.ActivationPrice.field(c, 6, "activation_price")
	wire.Uint(c, 7, "stp", &m.STP)
	c.Bool(8, "keep_stp", &m.KeepSTP)
}

// Bounds of a kill switch's timeout.
const (
	MinKillSwitch = 5 * Second
	MaxKillSwitch = 600 * Second
)

// SetKillSwitch starts, restarts or (Timeout 0) removes the timer that cancels the orders of an
// account on a market unless it is restarted in time.
type SetKillSwitch struct {
	Account  AccountID
	Market   MarketID
	Timeout  Time
	Products Products
}

func (*SetKillSwitch) Kind() Kind { return 22 }

func (m *SetKillSwitch) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "market", &m.Market)
	wire.Int(c, 3, "timeout_us", &m.Timeout)
	wire.Uint(c, 4, "products", &m.Products)
}

// KillSwitch is a running timer.
type KillSwitch struct {
	Account  AccountID
	Market   MarketID
	Start    Time
	Deadline Time
	Products Products
}

func (k *KillSwitch) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &k.Account)
	wire.Uint(c, 2, "market", &k.Market)
	wire.Int(c, 3, "start", &k.Start)
	wire.Int(c, 4, "deadline", &k.Deadline)
	wire.Uint(c, 5, "products", &k.Products)
}

// Tick lets timers run up to the time of its envelope: kill switches, maintenance, delisting.
// Several nodes may propose ticks; one that is not later than the last is ignored.
type Tick struct{}

func (*Tick) Kind() Kind { return 15 }

func (m *Tick) Fields(*wire.Coder) {}

// Continue does the next slice of work that was too long for one command. Any node may propose it,
// as often as it likes; without such work it does nothing.
type Continue struct{}

func (*Continue) Kind() Kind { return 14 }

func (m *Continue) Fields(*wire.Coder) {}

// Optional is a number that may be absent, which is not the same as zero. A number that is absent
// has no value: two that are absent are equal.
type Optional struct {
	set   bool
	value fixed.Decimal
}

// Some is a number that is present.
func Some(d fixed.Decimal) Optional { return Optional{set: true, value: d} }

// Set reports whether there is a number.
func (o Optional) Set() bool { return o.set }

// Value is the number, zero when there is none.
func (o Optional) Value() fixed.Decimal { return o.value }

// Or is the number, or d when there is none.
func (o Optional) Or(d fixed.Decimal) fixed.Decimal {
	if o.set {
		return o.value
	}
	return d
}

func (o *Optional) field(c *wire.Coder, n int, name string) {
	c.Optional(n, name, &o.set, &o.value)
}
