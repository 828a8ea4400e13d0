package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// Order is the state of an order as everyone outside the core sees it.
type Order struct {
	ID       OrderID
	Account  AccountID
	Market   MarketID
	Type     OrderType
	Side     Side
	STP      STP
	Status   Status
	PostOnly bool
	IOC      bool
	RPI      bool
	Retail   bool
	// ActivatedAt is when the trigger of a stop order was reached, 0 while it waits.
	ActivatedAt Time
	// Price is zero for orders at the market and for waiting stops priced by BBO.
	Price           fixed.Decimal
	ActivationPrice fixed.Decimal
	// Amount and Left count the base asset, or the quote asset where OrderType.InQuote.
	Amount    fixed.Decimal
	Left      fixed.Decimal
	DealStock fixed.Decimal // filled, in base
	DealMoney fixed.Decimal // filled, in quote
	DealFee   fixed.Decimal // in base for buys, in quote for sells and for futures; negative for rebates
	Created   Time
	Updated   Time
	ClientID  ClientID
	// Collateral orders are paid from the collateral wallet; what follows is theirs.
	Collateral   bool
	ReduceOnly   bool
	PositionSide PositionSide
	// Group is the id of the OCO or OTO that the order is part of, from the counter of orders, and Role what it is there. A primary has
	// the prices of the orders that are to follow it. An amount of zero is that of the whole position.
	Group      OrderID
	Role       Role
	StopLoss   fixed.Decimal
	TakeProfit fixed.Decimal
}

// Alive reports whether the order is still open.
func (o *Order) Alive() bool { return o.Status == Open || o.Status == PartiallyFilled }

func (o *Order) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &o.ID)
	wire.Uint(c, 2, "account", &o.Account)
	wire.Uint(c, 3, "market", &o.Market)
	wire.Uint(c, 4, "type", &o.Type)
	wire.Uint(c, 5, "side", &o.Side)
	wire.Uint(c, 6, "stp", &o.STP)
	wire.Uint(c, 7, "status", &o.Status)
	c.Bool(8, "post_only", &o.PostOnly)
	c.Bool(9, "ioc", &o.IOC)
	c.Bool(10, "rpi", &o.RPI)
	c.Bool(11, "retail", &o.Retail)
	wire.Int(c, 12, "activated_at", &o.ActivatedAt)
	c.Decimal(13, "price", &o.Price)
	c.Decimal(14, "activation_price", &o.ActivationPrice)
	c.Decimal(15, "amount", &o.Amount)
	c.Decimal(16, "left", &o.Left)
	c.Decimal(17, "deal_stock", &o.DealStock)
	c.Decimal(18, "deal_money", &o.DealMoney)
	c.Decimal(19, "deal_fee", &o.DealFee)
	wire.Int(c, 20, "created", &o.Created)
	wire.Int(c, 21, "updated", &o.Updated)
	o.ClientID.Field(c, 22, "client_id")
	c.Bool(23, "collateral", &o.Collateral)
	c.Bool(24, "reduce_only", &o.ReduceOnly)
	wire.Uint(c, 25, "position_side", &o.PositionSide)
	wire.Uint(c, 26, "group", &o.Group)
	wire.Uint(c, 27, "role", &o.Role)
	c.Decimal(28, "stop_loss", &o.StopLoss)
	c.Decimal(29, "take_profit", &o.TakeProfit)
}
