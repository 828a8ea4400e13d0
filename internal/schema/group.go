package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Orders on collateral can depend on each other, in groups:
//
// OCO, one cancels the other: a limit order to take a profit and a stop limit order against a loss, both open from the
// beginning, of which the first fill ends the other.
//
// OTO, one triggers the other: a primary order, and the prices of a take profit and a stop loss that come for what it
// bought or sold.
//
// TP/SL: a take profit and a stop loss for a whole position, whatever its size is when they wake up.

// GroupKind says which of an account's groups are meant.
type GroupKind uint8

const (
	AnyGroup GroupKind = iota
	OCO
	OTO
)

// Role of an order among those that depend on each other. Take profits and stop losses belong to a position; those that
// an OTO left have its id as their group, those that were placed for a whole position have none.
type Role uint8

const (
	NoRole Role = iota
	Primary
	LimitLeg
	StopLeg
	TakeProfit
	StopLoss
)

func (r Role) String() string { return word(roleWords[:], r) }

var roleWords = [...]string{
	NoRole: "none", Primary: "primary", LimitLeg: "limit leg", StopLeg: "stop leg", TakeProfit: "take profit", StopLoss: "stop loss",
}

// Protects reports whether orders of the role close a position for profit or against loss.
func (r Role) Protects() bool { return r == TakeProfit || r == StopLoss }

// PlaceOCO places a limit order and a stop limit order on collateral, of which the first fill ends the other. The answer has the
// id of the group, and the limit order and the stop as items.
type PlaceOCO struct {
	Account         AccountID
	Market          MarketID
	Side            Side
	Amount          fixed.Decimal
	Price           fixed.Decimal // of the limit order, which must rest
	ActivationPrice fixed.Decimal // of the stop
	StopPrice       fixed.Decimal // at which the stop trades once it was reached
	STP             STP
	LimitClientID   ClientID
	StopClientID    ClientID
	ReduceOnly      bool
	PositionSide    PositionSide
}

func (*PlaceOCO) Kind() Kind { return 23 }

func (m *PlaceOCO) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "market", &m.Market)
	wire.Uint(c, 3, "side", &m.Side)
	c.Decimal(4, "amount", &m.Amount)
	c.Decimal(5, "price", &m.Price)
	c.Decimal(6, "activation_price", &m.ActivationPrice)
	c.Decimal(7, "stop_price", &m.StopPrice)
	wire.Uint(c, 8, "stp", &m.STP)
	m.LimitClientID.Field(c, 9, "limit_client_id")
	m.StopClientID.Field(c, 10, "stop_client_id")
	c.Bool(11, "reduce_only", &m.ReduceOnly)
	wire.Uint(c, 12, "position_side", &m.PositionSide)
}

// CancelGroup ends an OCO or an OTO, named by exactly one of its id and the client id of one of its orders. The answer has the
// id of the group, and the orders that it ended as items: of an OCO the limit order and the stop.
type CancelGroup struct {
	Account   AccountID
	Market    MarketID
	Group     OrderID
	ClientID  ClientID
	GroupKind GroupKind
}

func (*CancelGroup) Kind() Kind { return 24 }

func (m *CancelGroup) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "market", &m.Market)
	wire.Uint(c, 3, "group", &m.Group)
	m.ClientID.Field(c, 4, "client_id")
	wire.Uint(c, 5, "group_kind", &m.GroupKind)
}

// PlaceTPSL places a take profit, a stop loss or both for a whole position; what is zero is not placed. One takes the place of the order
// of its role that the position has. The answer has the orders as items, the take profit first.
type PlaceTPSL struct {
	Account      AccountID
	Market       MarketID
	PositionSide PositionSide
	STP          STP
	TakeProfit   fixed.Decimal
	StopLoss     fixed.Decimal
}

func (*PlaceTPSL) Kind() Kind { return 28 }

func (m *PlaceTPSL) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "market", &m.Market)
	wire.Uint(c, 3, "position_side", &m.PositionSide)
	wire.Uint(c, 4, "stp", &m.STP)
	c.Decimal(5, "take_profit", &m.TakeProfit)
	c.Decimal(6, "stop_loss", &m.StopLoss)
}
