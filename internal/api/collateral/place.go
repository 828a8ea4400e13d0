package collateral

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/schema"
)

// placement is what all requests share that place an order which is paid from collateral.
type placement struct{ ticket.Ticket }

// begin reads what every such order has.
func (p *placement) begin(f *api.Form, kind schema.OrderType) {
	p.Begin(f, kind)
	p.Order.Collateral = true
}

// position reads what an order has to do with a position. In one-way mode the core does not look at its side.
func (p *placement) position(f *api.Form) {
	p.Order.PositionSide, _ = positionSide(f)
	p.Order.ReduceOnly = ticket.Flag(f, "reduceOnly")
}

type limitOrder struct{ placement }

func (q *limitOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount", "price")
	q.begin(f, schema.Limit)
	q.Price(f)
	q.Flags(f)
	q.position(f)
	q.Protection(f)
}

type marketOrder struct{ placement }

func (q *marketOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount")
	q.begin(f, schema.StockMarket)
	q.position(f)
	q.Protection(f)
}

type stopLimitOrder struct{ placement }

func (q *stopLimitOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount", "price", "activation_price")
	q.begin(f, schema.StopLimit)
	q.Price(f)
	q.Activation(f)
	q.position(f)
	q.Protection(f)
}

type triggerMarketOrder struct{ placement }

func (q *triggerMarketOrder) Read(f *api.Form) {
	f.Required("market", "side", "amount", "activation_price")
	q.begin(f, schema.StopStockMarket)
	q.Activation(f)
	q.position(f)
	q.Protection(f)
}

// Why the core refuses orders that are paid from collateral, beside what it refuses of all.
var (
	anyOrder = append(slices.Clone(ticket.AnyOrder),
		schema.CollateralUnavailable, schema.TradFiNotEnabled, schema.PositionSideMismatch, schema.ReduceOnlyNothing, schema.PositionTooBig, schema.PendingTooBig, schema.PriceUnknown,
		schema.BaseNotLent, schema.QuoteNotLent)
	priced  = append(slices.Clone(ticket.Priced), schema.PriceOutOfBand)
	waiting = append(slices.Clone(ticket.Waiting), schema.TooManyStops)
	// protected is for orders that a take profit and a stop loss may follow.
	protected = []schema.Reason{
		schema.ProtectionWithReduceOnly,
		schema.TakeProfitNotPositive, schema.TakeProfitTooPrecise, schema.TakeProfitTooLarge, schema.TakeProfitOffTick, schema.TakeProfitWrong,
		schema.StopLossNotPositive, schema.StopLossTooPrecise, schema.StopLossTooLarge, schema.StopLossOffTick, schema.StopLossWrong,
		schema.TotalAboveMax,
	}
)

// ofCollateral is how all such orders are paid.
const ofCollateral = " It is paid from the collateral balance: the account needs the margin of what it comes to." +
	" With stopLoss or takeProfit the order is the primary of an OTO: once it has ended, what it bought or sold is protected by reduce-only orders at these prices, of which the first that trades ends the other." +
	tradfi

// tradfi is what is said of orders that may be on TradFi futures.
const tradfi = " TradFi futures, as AAPL_USD, need an account that is enabled for them; they are priced in USD, and fees, profits and losses are paid in USDT."

// limited is what a limit means where nothing else can stand in its place.
var limited = map[string]string{"price": "Limit price in the quote asset: a multiple of the market's tickSize, within the price band around the mark."}

var aboutPlaceLimit = &api.About{
	Summary:    "Place a collateral limit order",
	Text:       "Trades at its price or better; the remainder rests in the order book." + ofCollateral,
	Parameters: limited,
	Response:   ticket.Order,
	Refusals:   slices.Concat(anyOrder, priced, ticket.Flagged, protected, []schema.Reason{schema.ProtectionWithRPI}),
}

var aboutPlaceMarket = &api.About{
	Summary:  "Place a collateral market order",
	Text:     "Trades immediately with the best orders of the book, within the taker band around the mark; the remainder is canceled." + ofCollateral,
	Response: ticket.Order,
	Refusals: slices.Concat(anyOrder, protected),
}

var aboutPlaceStopLimit = &api.About{
	Summary:    "Place a collateral stop limit order",
	Text:       "Becomes a limit order when the last price reaches the activation price." + ofCollateral,
	Parameters: limited,
	Response:   ticket.Order,
	Refusals:   slices.Concat(anyOrder, priced, waiting, protected),
}

var aboutPlaceTriggerMarket = &api.About{
	Summary:  "Place a collateral trigger market order",
	Text:     "Becomes a market order when the last price reaches the activation price." + ofCollateral,
	Response: ticket.Order,
	Refusals: slices.Concat(anyOrder, waiting, protected),
}

func placeLimit(c api.WriteCall, q *limitOrder) (api.Answer, error) { return q.Place(c) }

func placeMarket(c api.WriteCall, q *marketOrder) (api.Answer, error) { return q.Place(c) }

func placeStopLimit(c api.WriteCall, q *stopLimitOrder) (api.Answer, error) { return q.Place(c) }

func placeTriggerMarket(c api.WriteCall, q *triggerMarketOrder) (api.Answer, error) {
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

var placedEncoder = ticket.EncodeItem("CollateralBulkItem", ticket.Order, func(dst []byte, o *ticket.Outcome) []byte {
	return ticket.Append(dst, o.Directory, o.Order, true)
})

var aboutPlaceBulk = ticket.AboutBulk("Place up to 20 collateral limit orders", "/api/v4/order/collateral/limit", placedEncoder)

func placeBulk(c api.WriteCall, q *bulk) (api.Answer, error) { return q.Place(c, placedEncoder) }

// stopLimitPrice is how this endpoint speaks of a price that is out of its band.
func stopLimitPrice(e *api.Error) *api.Error {
	if e.Code != 250 {
		return e
	}
	changed := *e
	changed.Code, changed.Fields = 251, []api.FieldError{{Field: "stopLimitPrice", Texts: e.Fields[0].Texts}}
	return &changed
}
