package spot

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/schema"
)

// priceOrRole reads the price, or the role that picks it from the book and makes a price that was
// sent count for nothing.
func priceOrRole(t *ticket.Ticket, f *api.Form) {
	f.Schema().Alternatives("price | bboRole")
	if t.Order.BBO = ticket.BBORole(f); !f.Has("bboRole") {
		f.Required("price")
		t.Price(f)
	}
}

type limitOrder struct{ ticket.Ticket }

func (q *limitOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount")
	q.Begin(f, schema.Limit)
	priceOrRole(&q.Ticket, f)
	q.Flags(f)
	q.Order.Retail = ticket.Flag(f, "retail")
}

type marketOrder struct{ ticket.Ticket }

func (q *marketOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount")
	q.Begin(f, schema.Market)
}

type stockMarketOrder struct{ ticket.Ticket }

func (q *stockMarketOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount")
	q.Begin(f, schema.StockMarket)
}

type stopLimitOrder struct{ ticket.Ticket }

func (q *stopLimitOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount", "activation_price")
	q.Begin(f, schema.StopLimit)
	priceOrRole(&q.Ticket, f)
	q.Activation(f)
}

type stopMarketOrder struct{ ticket.Ticket }

func (q *stopMarketOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount", "activation_price")
	q.Begin(f, schema.StopMarket)
	q.Activation(f)
}

// Why the core refuses spot orders beside what it refuses of all.
var (
	inMoney = []schema.Reason{schema.MoneyTooPrecise, schema.MoneyBelowMin, schema.MoneyAboveMax, schema.AmountTooSmall}
	priced  = append(slices.Clone(ticket.Priced), schema.BBOEmpty)
	flagged = append(slices.Clone(ticket.Flagged), schema.RetailNotEnabled, schema.BBOWithPostOnly, schema.BBOWithRPI, schema.BBOQueueWithIOC)
)

var aboutPlaceLimit = &api.About{
	Summary:  "Place a limit order",
	Text:     "Trades at its price or better; the remainder rests in the order book.",
	Response: ticket.NewOrder,
	Refusals: slices.Concat(ticket.AnyOrder, priced, flagged),
}

// spend is the amount of orders that buy for an amount of money.
var spend = map[string]string{"amount": "What to spend, in quote, when buying; how much base to sell when selling."}

var aboutPlaceMarket = &api.About{
	Summary:    "Place a market order",
	Text:       "Trades immediately with the best orders of the book, within the taker band of the market; the remainder is canceled.",
	Parameters: spend,
	Response:   ticket.NewOrder,
	Refusals:   slices.Concat(ticket.AnyOrder, inMoney),
}

var aboutPlaceStockMarket = &api.About{
	Summary:  "Place a market order with the amount in base",
	Text:     "Like a market order, with the amount in the base asset for buys and sells alike.",
	Response: ticket.NewOrder,
	Refusals: ticket.AnyOrder,
}

var aboutPlaceStopLimit = &api.About{
	Summary:  "Place a stop limit order",
	Text:     "Becomes a limit order when the last price reaches the activation price. Its funds are held from the start.",
	Response: ticket.NewOrder,
	Refusals: slices.Concat(ticket.AnyOrder, priced, ticket.Waiting),
}

var aboutPlaceStopMarket = &api.About{
	Summary:    "Place a stop market order",
	Text:       "Becomes a market order when the last price reaches the activation price. Its funds are held from the start.",
	Parameters: spend,
	Response:   ticket.NewOrder,
	Refusals:   slices.Concat(ticket.AnyOrder, inMoney, ticket.Waiting),
}

func placeLimit(c api.WriteCall, q *limitOrder) (api.Answer, error) { return q.Place(c) }

func placeMarket(c api.WriteCall, q *marketOrder) (api.Answer, error) { return q.Place(c) }

func placeStockMarket(c api.WriteCall, q *stockMarketOrder) (api.Answer, error) {
	return q.Place(c)
}

func placeStopLimit(c api.WriteCall, q *stopLimitOrder) (api.Answer, error) {
	return q.Place(c)
}

func placeStopMarket(c api.WriteCall, q *stopMarketOrder) (api.Answer, error) {
	return q.Place(c)
}

// bulk is the request of several limit orders at once.
type bulk struct{ ticket.Bulk }

func (q *bulk) Read(f *api.Form) {
	q.ReadOrders(f, func(item *api.Form) ticket.Ticket {
		var o limitOrder
		o.Read(item)
		return o.Ticket
	})
}

var placedEncoder = ticket.EncodeItem("BulkItem", ticket.NewOrder, func(dst []byte, o *ticket.Outcome) []byte {
	return ticket.Append(dst, o.Directory, o.Order, false)
})

var aboutPlaceBulk = ticket.AboutBulk("Place up to 20 limit orders", "/api/v4/order/new", placedEncoder)

func placeBulk(c api.WriteCall, q *bulk) (api.Answer, error) { return q.Place(c, placedEncoder) }
