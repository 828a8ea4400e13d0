package history

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Role of an account in a deal, numbered as the API numbers it.
type Role uint8

const (
	Maker Role = iota + 1
	Taker
)

// Deal is one side of a deal as its account sees it.
type Deal struct {
	ID       schema.DealID
	Order    schema.OrderID // of the account
	Counter  schema.OrderID // of the other party
	Market   schema.MarketID
	Side     schema.Side // of the account
	Role     Role
	RPI      bool // the maker was an RPI order
	Price    fixed.Decimal
	Amount   fixed.Decimal // in base
	Money    fixed.Decimal // in quote
	Fee      fixed.Decimal // in base for buyers, in quote for sellers and on margin; negative for rebates
	ClientID schema.ClientID
	Margin   bool // on a spot market it was paid from collateral
}

func (d *Deal) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &d.ID)
	wire.Uint(c, 2, "order", &d.Order)
	wire.Uint(c, 3, "counter", &d.Counter)
	wire.Uint(c, 4, "market", &d.Market)
	wire.Uint(c, 5, "side", &d.Side)
	wire.Uint(c, 6, "role", &d.Role)
	c.Bool(7, "rpi", &d.RPI)
	c.Decimal(8, "price", &d.Price)
	c.Decimal(9, "amount", &d.Amount)
	c.Decimal(10, "money", &d.Money)
	c.Decimal(11, "fee", &d.Fee)
	d.ClientID.Field(c, 12, "client_id")
	c.Bool(13, "margin", &d.Margin)
}
