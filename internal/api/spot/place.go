package spot

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// placement is what the requests that place an order have in common.
type placement struct {
	market     string
	order      schema.OrderRequest
	amount     api.Number
	price      api.Number
	activation api.Number
}

// begin reads what every order has. Fields are read in the order in which the core checks them:
// the first that is wrong decides the code of the answer.
func (p *placement) begin(f *api.Form, kind schema.OrderType) {
	p.market = market(f)
	p.order.Type, p.order.Side = kind, side(f)
	p.amount = amount(f)
	p.order.ClientID, p.order.STP = clientID(f), stp(f)
}

// priceOrRole reads the price, or the role that picks it from the book and makes a price that was
// sent count for nothing.
func (p *placement) priceOrRole(f *api.Form) {
	f.Schema().Alternatives("price | bboRole")
	if p.order.BBO = bboRole(f); !f.Has("bboRole") {
		f.Required("price")
		p.price = price(f)
	}
}

type limitOrder struct{ placement }

func (q *limitOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount")
	q.begin(f, schema.Limit)
	q.priceOrRole(f)
	q.order.PostOnly, q.order.IOC = flag(f, "postOnly"), flag(f, "ioc")
	q.order.RPI, q.order.Retail = flag(f, "rpi"), flag(f, "retail")
}

type marketOrder struct{ placement }

func (q *marketOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount")
	q.begin(f, schema.Market)
}

type stockMarketOrder struct{ placement }

func (q *stockMarketOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount")
	q.begin(f, schema.StockMarket)
}

type stopLimitOrder struct{ placement }

func (q *stopLimitOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount", "activation_price")
	q.begin(f, schema.StopLimit)
	q.priceOrRole(f)
	q.activation = activation(f, "activation_price")
}

type stopMarketOrder struct{ placement }

func (q *stopMarketOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount", "activation_price")
	q.begin(f, schema.StopMarket)
	q.activation = activation(f, "activation_price")
}

// Why the core refuses orders.
var (
	anyOrder = []schema.Reason{
		schema.MarketUnavailable, schema.TradingNotAllowed, schema.OrderTypeUnavailable, schema.AmountNotPositive,
		schema.AmountTooPrecise, schema.AmountBelowMin, schema.AmountTooLarge, schema.AmountOffStep, schema.ClientIDTaken, schema.NotEnoughBalance,
	}
	inMoney = []schema.Reason{schema.MoneyTooPrecise, schema.MoneyBelowMin, schema.MoneyAboveMax, schema.AmountTooSmall}
	priced  = []schema.Reason{
		schema.PriceNotPositive, schema.PriceTooPrecise, schema.PriceTooLarge, schema.PriceOffTick,
		schema.TotalBelowMin, schema.TotalAboveMax, schema.BBOEmpty,
	}
	flagged = []schema.Reason{
		schema.IOCWithPostOnly, schema.IOCWithRPI, schema.RPIWithPostOnly, schema.RetailNotEnabled, schema.RPINotEnabled,
		schema.BBOWithPostOnly, schema.BBOWithRPI, schema.BBOQueueWithIOC, schema.PostOnlyWouldTake,
	}
	waiting = []schema.Reason{
		schema.ActivationNotPositive, schema.ActivationTooPrecise, schema.ActivationTooLarge, schema.ActivationOffTick,
		schema.ActivationEqualsLast, schema.EmptyHistory,
	}
)

var aboutPlaceLimit = &api.About{
	Summary:  "Place a limit order",
	Text:     "Trades at its price or better; the remainder rests in the order book.",
	Response: newOrderSchema,
	Refusals: slices.Concat(anyOrder, priced, flagged),
}

// spend is the amount of orders that buy for an amount of money.
var spend = map[string]string{"amount": "What to spend, in quote, when buying; how much base to sell when selling."}

var aboutPlaceMarket = &api.About{
	Summary:    "Place a market order",
	Text:       "Trades immediately with the best orders of the book, within the taker band of the market; the remainder is canceled.",
	Parameters: spend,
	Response:   newOrderSchema,
	Refusals:   slices.Concat(anyOrder, inMoney),
}

var aboutPlaceStockMarket = &api.About{
	Summary:  "Place a market order with the amount in base",
	Text:     "Like a market order, with the amount in the base asset for buys and sells alike.",
	Response: newOrderSchema,
	Refusals: anyOrder,
}

var aboutPlaceStopLimit = &api.About{
	Summary:  "Place a stop limit order",
	Text:     "Becomes a limit order when the last price reaches the activation price. Its funds are held from the start.",
	Response: newOrderSchema,
	Refusals: slices.Concat(anyOrder, priced, waiting),
}

var aboutPlaceStopMarket = &api.About{
	Summary:    "Place a stop market order",
	Text:       "Becomes a market order when the last price reaches the activation price. Its funds are held from the start.",
	Parameters: spend,
	Response:   newOrderSchema,
	Refusals:   slices.Concat(anyOrder, inMoney, waiting),
}

func placeLimit(c api.WriteCall, q *limitOrder) (api.Answer, error) { return place(c, &q.placement) }

func placeMarket(c api.WriteCall, q *marketOrder) (api.Answer, error) { return place(c, &q.placement) }

func placeStockMarket(c api.WriteCall, q *stockMarketOrder) (api.Answer, error) {
	return place(c, &q.placement)
}

func placeStopLimit(c api.WriteCall, q *stopLimitOrder) (api.Answer, error) {
	return place(c, &q.placement)
}

func placeStopMarket(c api.WriteCall, q *stopMarketOrder) (api.Answer, error) {
	return place(c, &q.placement)
}

func place(c api.WriteCall, p *placement) (api.Answer, error) {
	if err := p.resolve(c); err != nil {
		return nil, err
	}
	var result schema.Result
	if err := c.Submit(&schema.PlaceOrder{Account: c.Account.ID, Order: p.order}, &result); err != nil {
		return nil, err
	}
	return orderAnswer{encoder{c.Directory()}, &result.Order, true}, nil
}

// resolve finds the market and fits the numbers into the order.
func (p *placement) resolve(c api.WriteCall) error {
	m := c.Offered(p.market)
	if m == nil {
		return api.Refusal(schema.Refuse(schema.MarketUnavailable))
	}
	o := &p.order
	o.Market = m.ID
	if o.BBO == schema.BBOQueue && o.PostOnly { // the core takes it: over WebSocket the one means the other
		return api.Refusal(schema.Refuse(schema.BBOWithPostOnly))
	}
	if r := api.FitOrder(o, m, p.amount, p.price, p.activation); r.Refused() {
		return api.Refusal(r)
	}
	return nil
}

// bulk is the request of several limit orders at once.
type bulk struct {
	items      []bulkItem
	stopOnFail bool
}

// bulkItem is an order, or what is wrong with it.
type bulkItem struct {
	order limitOrder
	err   *api.Error
}

func (q *bulk) Read(f *api.Form) {
	s := f.List("orders", func(item *api.Form) error {
		if item == nil {
			q.items = append(q.items, bulkItem{err: api.NewError(422, 30, api.ValidationFailed, "request", "Invalid order format")})
			return nil
		}
		var i bulkItem
		i.order.Read(item)
		if err := item.Err(); err != nil {
			i.err = api.ErrorOf(err)
		}
		q.items = append(q.items, i)
		return nil
	})
	f.Schema().Require("orders")
	f.Schema().Count("orders", 1, schema.MaxBulkOrders)
	if s != api.Good {
		f.Fail(422, 30, "orders", "The orders must be an array.")
	}
	q.stopOnFail = flag(f, "stopOnFail")
}

// outcome is what became of one order of a bulk request.
type outcome struct {
	encoder encoder
	order   *schema.Order
	err     *api.Error // nil: it was done
}

// itemEncoder writes an element of the answer to a bulk request.
func itemEncoder(name string, result *api.ResponseSchema, order func(dst []byte, o *outcome) []byte) *api.Encoder[outcome] {
	return api.Encode(name, "What became of one order of the request.",
		api.NewField("result", api.Nullable(result), "The order, null on failure.", func(dst []byte, o *outcome) []byte {
			if o.err != nil {
				return append(dst, `null`...)
			}
			return order(dst, o)
		}),
		api.NewField("error", api.Nullable(api.Private.Schema()), "Error, null on success.", func(dst []byte, o *outcome) []byte {
			if o.err == nil {
				return append(dst, `null`...)
			}
			dst, _ = api.AppendError(dst, api.Private, o.err)
			return dst
		}))
}

var placedEncoder = itemEncoder("BulkItem", newOrderSchema, func(dst []byte, o *outcome) []byte {
	return o.encoder.appendOrder(dst, o.order, true)
})

var aboutPlaceBulk = &api.About{
	Summary: "Place up to 20 limit orders",
	Text: "Orders are placed one after the other. Returns one result per order, in the order of the request. " +
		"An order that fails does not stop the others unless stopOnFail is set; then the results end with it.",
	Parameters: map[string]string{
		"orders":     "Orders, each with the fields of /api/v4/order/new.",
		"stopOnFail": "If true, the first order that fails ends the request.",
	},
	Response: api.ArrayOf(placedEncoder.Schema()),
	Refusals: []schema.Reason{schema.BulkEmpty, schema.BulkTooMany},
}

func placeBulk(c api.WriteCall, q *bulk) (api.Answer, error) {
	switch {
	case len(q.items) == 0:
		return nil, api.Refusal(schema.Refuse(schema.BulkEmpty))
	case len(q.items) > schema.MaxBulkOrders:
		return nil, api.Refusal(schema.Refuse(schema.BulkTooMany))
	}
	command := &schema.PlaceBulk{Account: c.Account.ID, StopOnFail: q.stopOnFail}
	for i := range q.items {
		item := &q.items[i]
		if item.err == nil {
			if err := item.order.resolve(c); err != nil {
				item.err = api.ErrorOf(err)
			}
		}
		if item.err == nil {
			command.Orders = append(command.Orders, item.order.order)
		} else if q.stopOnFail {
			q.items = q.items[:i+1]
			break
		}
	}
	var result schema.Result
	if len(command.Orders) > 0 {
		if err := c.Submit(command, &result); err != nil {
			return nil, err
		}
	}
	list, done := make([]outcome, 0, len(q.items)), result.Items
	for i := range q.items {
		o := outcome{encoder: encoder{c.Directory()}, err: q.items[i].err}
		if o.err == nil {
			o.order = &done[0].Order
			if done[0].Rejection.Refused() {
				o.err = api.Refusal(done[0].Rejection)
			}
			done = done[1:]
		}
		list = append(list, o)
		if o.err != nil && q.stopOnFail { // what follows was not tried
			break
		}
	}
	return placedEncoder.Array(list), nil
}

// unprocessable makes what the engine found a 422 as well: stop_market documents no 400.
func unprocessable(e *api.Error) *api.Error {
	if e.Status != 400 {
		return e
	}
	changed := *e
	changed.Status = 422
	return &changed
}
