package api

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// placement is what the requests that place an order have in common.
type placement struct {
	market     string
	order      schema.OrderRequest
	amount     Number
	price      Number
	activation Number
}

// begin reads what every order has. Fields are read in the order in which the core checks them:
// the first that is wrong decides the code of the answer.
func (p *placement) begin(f *Form, kind schema.OrderType) {
	p.market = f.market()
	p.order.Type, p.order.Side = kind, f.side()
	p.amount = f.amount()
	p.order.ClientID, p.order.STP = f.clientID(), f.stp()
}

// priceOrRole reads the price, or the role that picks it from the book and makes a price that was
// sent count for nothing.
func (p *placement) priceOrRole(f *Form) {
	f.blank.either("price | bboRole")
	if p.order.BBO = f.bboRole(); !f.has("bboRole") {
		f.required("price")
		p.price = f.price()
	}
}

type limitOrder struct{ placement }

func (q *limitOrder) read(f *Form) {
	f.required("market", "side", "amount")
	q.begin(f, schema.Limit)
	q.priceOrRole(f)
	q.order.PostOnly, q.order.IOC = f.flag("postOnly"), f.flag("ioc")
	q.order.RPI, q.order.Retail = f.flag("rpi"), f.flag("retail")
}

type marketOrder struct{ placement }

func (q *marketOrder) read(f *Form) {
	f.required("market", "side", "amount")
	q.begin(f, schema.Market)
}

type stockMarketOrder struct{ placement }

func (q *stockMarketOrder) read(f *Form) {
	f.required("market", "side", "amount")
	q.begin(f, schema.StockMarket)
}

type stopLimitOrder struct{ placement }

func (q *stopLimitOrder) read(f *Form) {
	f.required("market", "side", "amount", "activation_price")
	q.begin(f, schema.StopLimit)
	q.priceOrRole(f)
	q.activation = f.activation("activation_price")
}

type stopMarketOrder struct{ placement }

func (q *stopMarketOrder) read(f *Form) {
	f.required("market", "side", "amount", "activation_price")
	q.begin(f, schema.StopMarket)
	q.activation = f.activation("activation_price")
}

func (f *Form) activation(name string) Number {
	return f.numeric(name, 30, "Activation price should be numeric string.")
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

var aboutPlaceLimit = &About{
	Summary:  "Place a limit order",
	Text:     "Trades at its price or better; the remainder rests in the order book.",
	Answer:   newOrderShape,
	Refusals: slices.Concat(anyOrder, priced, flagged),
}

// spend is the amount of orders that buy for an amount of money.
var spend = map[string]string{"amount": "What to spend, in quote, when buying; how much base to sell when selling."}

var aboutPlaceMarket = &About{
	Summary:  "Place a market order",
	Text:     "Trades immediately with the best orders of the book, within the taker band of the market; the remainder is canceled.",
	Fields:   spend,
	Answer:   newOrderShape,
	Refusals: slices.Concat(anyOrder, inMoney),
}

var aboutPlaceStockMarket = &About{
	Summary:  "Place a market order with the amount in base",
	Text:     "Like a market order, with the amount in the base asset for buys and sells alike.",
	Answer:   newOrderShape,
	Refusals: anyOrder,
}

var aboutPlaceStopLimit = &About{
	Summary:  "Place a stop limit order",
	Text:     "Becomes a limit order when the last price reaches the activation price. Its funds are held from the start.",
	Answer:   newOrderShape,
	Refusals: slices.Concat(anyOrder, priced, waiting),
}

var aboutPlaceStopMarket = &About{
	Summary:  "Place a stop market order",
	Text:     "Becomes a market order when the last price reaches the activation price. Its funds are held from the start.",
	Fields:   spend,
	Answer:   newOrderShape,
	Refusals: slices.Concat(anyOrder, inMoney, waiting),
}

func placeLimit(c *Call, q *limitOrder) (Answer, error) { return place(c, &q.placement) }

func placeMarket(c *Call, q *marketOrder) (Answer, error) { return place(c, &q.placement) }

func placeStockMarket(c *Call, q *stockMarketOrder) (Answer, error) { return place(c, &q.placement) }

func placeStopLimit(c *Call, q *stopLimitOrder) (Answer, error) { return place(c, &q.placement) }

func placeStopMarket(c *Call, q *stopMarketOrder) (Answer, error) { return place(c, &q.placement) }

func place(c *Call, p *placement) (Answer, error) {
	if err := p.resolve(c); err != nil {
		return nil, err
	}
	var result schema.Result
	if err := c.submit(&schema.PlaceOrder{Account: c.Account.ID, Order: p.order}, &result); err != nil {
		return nil, err
	}
	return orderAnswer{c.API.directory, &result.Order, true}, nil
}

// resolve finds the market and fits the numbers into the order.
func (p *placement) resolve(c *Call) error {
	m := c.offered(p.market)
	if m == nil {
		return refusal(schema.Refuse(schema.MarketUnavailable))
	}
	o := &p.order
	o.Market = m.ID
	if o.BBO == schema.BBOQueue && o.PostOnly { // the core takes it: over WebSocket the one means the other
		return refusal(schema.Refuse(schema.BBOWithPostOnly))
	}
	if r := FitOrder(o, m, p.amount, p.price, p.activation); r.Refused() {
		return refusal(r)
	}
	return nil
}

// FitOrder puts the numbers of a request into an order for a market, as far as they are there.
func FitOrder(o *schema.OrderRequest, m *schema.MarketInfo, amount, price, activation Number) schema.Rejection {
	fine, places := schema.AmountTooPrecise, m.StockPrec
	if o.Type.InQuote(o.Side) {
		fine, places = schema.MoneyTooPrecise, m.MoneyPrec
	}
	for _, n := range []struct {
		number Number
		to     *fixed.Decimal
		reason schema.Reason
		places uint8
	}{
		{amount, &o.Amount, fine, places},
		{price, &o.Price, schema.PriceTooPrecise, m.MoneyPrec},
		{activation, &o.ActivationPrice, schema.ActivationTooPrecise, m.MoneyPrec},
	} {
		value, r := n.number.Fit(n.reason, n.places)
		if r.Refused() {
			return r
		}
		*n.to = value
	}
	return schema.Rejection{}
}

// Fit is the number as the core takes it. One that is finer than all money is refused here, for
// the reason that the core would have; one that is larger is made the largest whole number there
// is, which the core refuses as too large and not as too fine, and one below all money is made -1.
func (n Number) Fit(reason schema.Reason, places uint8) (fixed.Decimal, schema.Rejection) {
	switch n.state {
	case tooFine:
		return fixed.Zero, schema.Rejection{Reason: reason, Value: fixed.FromUnits(1, int(places))}
	case tooLarge:
		if n.Value.Sign() > 0 {
			return largest, schema.Rejection{}
		}
	}
	return n.Value, schema.Rejection{}
}

// largest is the largest whole number.
var largest, _ = fixed.Max.Round(0, fixed.Down)

// bulk is the request of several limit orders at once.
type bulk struct {
	items      []bulkItem
	stopOnFail bool
}

// bulkItem is an order, or what is wrong with it.
type bulkItem struct {
	order limitOrder
	err   *Error
}

func (q *bulk) read(f *Form) {
	s := f.List("orders", func(item *Form) error {
		if item == nil {
			q.items = append(q.items, bulkItem{err: fault(422, 30, invalid, "request", "Invalid order format")})
			return nil
		}
		var i bulkItem
		i.order.read(item)
		if err := item.Err(); err != nil {
			i.err = failure(err)
		}
		q.items = append(q.items, i)
		return nil
	})
	f.blank.must("orders")
	f.blank.lengths("orders", 1, schema.MaxBulkOrders)
	if s != good {
		f.fail(422, 30, "orders", "The orders must be an array.")
	}
	q.stopOnFail = f.flag("stopOnFail")
}

// itemShape is an element of the answer to a bulk request.
func itemShape(name string, result *Shape) *Shape {
	return record(name, "What became of one order of the request.",
		always("result", orNull(result), "The order, null on failure."),
		always("error", orNull(Private.Shape()), "Error, null on success."))
}

var aboutPlaceBulk = &About{
	Summary: "Place up to 20 limit orders",
	Text: "Orders are placed one after the other. Returns one result per order, in the order of the request. " +
		"An order that fails does not stop the others unless stopOnFail is set; then the results end with it.",
	Fields: map[string]string{
		"orders":     "Orders, each with the fields of /api/v4/order/new.",
		"stopOnFail": "If true, the first order that fails ends the request.",
	},
	Answer:   listOf(itemShape("BulkItem", newOrderShape)),
	Refusals: []schema.Reason{schema.BulkEmpty, schema.BulkTooMany},
}

func placeBulk(c *Call, q *bulk) (Answer, error) {
	switch {
	case len(q.items) == 0:
		return nil, refusal(schema.Refuse(schema.BulkEmpty))
	case len(q.items) > schema.MaxBulkOrders:
		return nil, refusal(schema.Refuse(schema.BulkTooMany))
	}
	command := &schema.PlaceBulk{Account: c.Account.ID, StopOnFail: q.stopOnFail}
	for i := range q.items {
		item := &q.items[i]
		if item.err == nil {
			if err := item.order.resolve(c); err != nil {
				item.err = failure(err)
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
		if err := c.submit(command, &result); err != nil {
			return nil, err
		}
	}
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, '[')
		done := result.Items
		for i := range q.items {
			err := q.items[i].err
			var item *schema.Item
			if err == nil {
				item, done = &done[0], done[1:]
				if item.Rejection.Refused() {
					err = refusal(item.Rejection)
				}
			}
			dst = appendComma(dst, i)
			if err != nil {
				dst = appendItemError(dst, err)
			} else {
				dst = append(dst, `{"result":`...)
				dst = c.API.directory.appendOrder(dst, &item.Order, true)
				dst = append(dst, `,"error":null}`...)
			}
			if err != nil && q.stopOnFail { // what follows was not tried
				break
			}
		}
		return append(dst, ']')
	}), nil
}

// appendItemError writes the item of a bulk answer that failed.
func appendItemError(dst []byte, err *Error) []byte {
	dst = append(dst, `{"result":null,"error":`...)
	dst, _ = AppendError(dst, Private, err)
	return append(dst, '}')
}

// unprocessable makes what the engine found a 422 as well: stop_market documents no 400.
func unprocessable(e *Error) *Error {
	if e.Status != 400 {
		return e
	}
	changed := *e
	changed.Status = 422
	return &changed
}
