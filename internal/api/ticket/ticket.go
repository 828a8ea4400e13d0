// Package ticket is what groups of operations share that deal with orders: the fields of a request that places
// one, several at once, and what an order looks like in answers.
package ticket

import (
	"bourse/internal/api"
	"bourse/internal/schema"
)

// Ticket is what the requests that place an order have in common.
type Ticket struct {
	market  string
	Order   schema.OrderRequest
	numbers api.OrderNumbers
}

// Begin reads what every order has. Fields are read in the order in which the core checks them:
// the first that is wrong decides the code of the answer.
func (t *Ticket) Begin(f *api.Form, kind schema.OrderType) {
	t.market = Market(f)
	t.Order.Type, t.Order.Side = kind, Side(f)
	t.numbers.Amount = Amount(f)
	t.Order.ClientID, t.Order.STP = ClientID(f), STP(f)
}

// Price reads the limit of the order, and Activation its trigger.
func (t *Ticket) Price(f *api.Form) { t.numbers.Price = Price(f) }

func (t *Ticket) Activation(f *api.Form) { t.numbers.Activation = Activation(f, "activation_price") }

// Flags reads what a limit order may have beside its price.
func (t *Ticket) Flags(f *api.Form) {
	t.Order.PostOnly, t.Order.IOC, t.Order.RPI = Flag(f, "postOnly"), Flag(f, "ioc"), Flag(f, "rpi")
}

// Protection reads the prices at which what the order bought or sold is closed again.
func (t *Ticket) Protection(f *api.Form) {
	t.numbers.TakeProfit, t.numbers.StopLoss = protective(f, "takeProfit"), protective(f, "stopLoss")
}

func protective(f *api.Form, name string) api.Number {
	return Numeric(f, name, 33, api.Title(name)+" field should be numeric string or number.")
}

// Resolve finds the market and fits the numbers into the order.
func (t *Ticket) Resolve(c api.WriteCall) error {
	m := c.Offered(t.market)
	if m == nil {
		return api.Refusal(schema.Refuse(schema.MarketUnavailable))
	}
	o := &t.Order
	o.Market = m.ID
	if o.BBO == schema.BBOQueue && o.PostOnly { // the core takes it: over WebSocket the one means the other
		return api.Refusal(schema.Refuse(schema.BBOWithPostOnly))
	}
	if r := api.FitOrder(o, m, &t.numbers); r.Refused() {
		return api.Refusal(r)
	}
	return nil
}

// Place places the order.
func (t *Ticket) Place(c api.WriteCall) (api.Answer, error) {
	if err := t.Resolve(c); err != nil {
		return nil, err
	}
	var result schema.Result
	if err := c.Submit(&schema.PlaceOrder{Account: c.Account.ID, Order: t.Order}, &result); err != nil {
		return nil, err
	}
	return Answer{c.Directory(), &result.Order, t.Order.Collateral}, nil
}

// Unprocessable makes what the engine found a 422 as well, for endpoints that document no 400.
func Unprocessable(e *api.Error) *api.Error {
	if e.Status != 400 {
		return e
	}
	changed := *e
	changed.Status = 422
	return &changed
}

// Why the core refuses orders.
var (
	// AnyOrder is for all orders.
	AnyOrder = []schema.Reason{
		schema.MarketUnavailable, schema.TradingNotAllowed, schema.OrderTypeUnavailable, schema.AmountNotPositive,
		schema.AmountTooPrecise, schema.AmountBelowMin, schema.AmountTooLarge, schema.AmountOffStep, schema.ClientIDTaken, schema.NotEnoughBalance,
		schema.TooManyOrders,
	}
	// Priced is for orders with a price, Flagged for those that may have flags, Waiting for stops.
	Priced = []schema.Reason{
		schema.PriceNotPositive, schema.PriceTooPrecise, schema.PriceTooLarge, schema.PriceOffTick, schema.TotalBelowMin, schema.TotalAboveMax,
	}
	Flagged = []schema.Reason{schema.IOCWithPostOnly, schema.IOCWithRPI, schema.RPIWithPostOnly, schema.RPINotEnabled, schema.PostOnlyWouldTake}
	Waiting = []schema.Reason{
		schema.ActivationNotPositive, schema.ActivationTooPrecise, schema.ActivationTooLarge, schema.ActivationOffTick,
		schema.ActivationEqualsLast, schema.EmptyHistory,
	}
)
