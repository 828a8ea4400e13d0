package naive

import (
	"cmp"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Level is a price of the public book and what stands there.
type Level struct {
	Price  fixed.Decimal
	Amount fixed.Decimal
}

// view is the order as everyone outside sees it.
func (o *order) view() schema.Order {
	return schema.Order{
		ID: o.id, Account: o.account, Market: o.market.ID,
		Type: o.kind, Side: o.side, STP: o.stp, Status: o.status,
		PostOnly: o.postOnly, IOC: o.ioc, RPI: o.rpi, Retail: o.retail,
		ActivatedAt: o.activatedAt,
		Price:       o.price.decimal(), ActivationPrice: o.activation.decimal(),
		Amount: o.amount.decimal(), Left: o.left.decimal(),
		DealStock: o.stock.decimal(), DealMoney: o.money.decimal(), DealFee: o.fee.decimal(),
		Created: o.created, Updated: o.updated, ClientID: o.client,
	}
}

// Balance is what an account has of an asset in a wallet. Held is the account's unconfirmed
// money and shown with main only. System accounts keep everything in main.
func (x *Exchange) Balance(a schema.AccountID, w schema.Wallet, s schema.AssetID) (available, frozen, held fixed.Decimal) {
	b := x.balance(a, w, s)
	if w == schema.Main {
		held = x.held[heldKey{a, s}].decimal()
	}
	return b.available.decimal(), b.frozen.decimal(), held
}

// Orders are the open orders of a market, with waiting stops and RPI orders, by id.
func (x *Exchange) Orders(id schema.MarketID) []schema.Order {
	m := x.market(id)
	if m == nil {
		return nil
	}
	var orders []schema.Order
	for _, o := range m.orders {
		orders = append(orders, o.view())
	}
	return orders
}

// Levels is one side of the public book, best first.
func (x *Exchange) Levels(id schema.MarketID, s schema.Side) []Level {
	m := x.market(id)
	if m == nil {
		return nil
	}
	var book []*order
	for _, o := range m.orders {
		if o.resting && !o.rpi && o.side == s {
			book = append(book, o)
		}
	}
	slices.SortFunc(book, priority)
	var levels []Level
	amount := num{}
	for i, o := range book {
		amount = amount.plus(o.left)
		if i+1 == len(book) || book[i+1].price.cmp(o.price) != 0 {
			levels = append(levels, Level{Price: o.price.decimal(), Amount: amount.decimal()})
			amount = num{}
		}
	}
	return levels
}

// LastPrice is the price of the last deal on a market, 0 when there was none.
func (x *Exchange) LastPrice(id schema.MarketID) fixed.Decimal {
	if m := x.market(id); m != nil {
		return m.last.decimal()
	}
	return fixed.Zero
}

// Deals are the deals of the last applied command, in order.
func (x *Exchange) Deals() []schema.Deal { return x.deals }

// Change is something that happened to an order, and what the order was like after it.
type Change struct {
	Change schema.Change
	Order  schema.Order
}

// changed takes down what happens to an order.
func (x *Exchange) changed(what schema.Change, o *order) {
	x.changes = append(x.changes, Change{what, o.view()})
}

// Changes are what happened to orders by the last applied command, in order.
func (x *Exchange) Changes() []Change { return x.changes }

// KillSwitches are the running timers, by account and market.
func (x *Exchange) KillSwitches() []schema.KillSwitch {
	timers := slices.Clone(x.switches)
	slices.SortFunc(timers, func(a, b schema.KillSwitch) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Market, b.Market))
	})
	return timers
}
