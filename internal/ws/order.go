package ws

import (
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/schema"
)

// orderMore is what an order is written for. Each has members that the others lack.
type orderMore uint8

const (
	asReply    orderMore = iota // to the one who placed, changed or canceled it
	asPending                   // among the orders that are open
	asExecuted                  // when it is over
	asRecord                    // as one of the past
)

// orderTypes are the numbers of the types on the wire.
var orderTypes = [...]int64{
	schema.Limit: 1, schema.Market: 2, schema.StockMarket: 202, schema.StopLimit: 3, schema.StopMarket: 4, schema.StopStockMarket: 203,
}

// collateralTypes are those of orders that are paid from collateral.
var collateralTypes = [...]int64{schema.Limit: 7, schema.StockMarket: 8, schema.StopLimit: 9, schema.StopStockMarket: 10}

// typeCode is the number of the type of an order on the wire.
func typeCode(o *schema.Order) int64 {
	if o.Collateral {
		return collateralTypes[o.Type]
	}
	return orderTypes[o.Type]
}

// sideCode is the number of a side on the wire.
func sideCode(s schema.Side) int64 {
	if s == schema.Sell {
		return 1
	}
	return 2
}

// orderWords are what an order that is written can be.
var orderWords = func() (words []string) {
	for s := schema.Open; s <= schema.Maintenance; s++ {
		words = append(words, s.String())
	}
	return words
}()

// The schemas of an order. What stands in all of them is in parts, because the members are written in
// one order.
var (
	orderReply = api.Object("Order", "An order, as the reply to placing, modifying and canceling it.",
		slices.Concat(orderBegins, orderTimes, orderPrices, orderLeft, orderDeals, orderReduces, orderEnds)...)
	orderPending = api.Object("PendingOrder", "An open order.",
		slices.Concat(orderBegins, orderTimes, orderPrices, orderLeft, orderDeals, orderFlags, orderEnds)...)
	orderExecuted = api.Object("ExecutedOrder", "An order that is over: filled or canceled.",
		slices.Concat(orderBegins, orderTimes, orderEnded, orderPrices, orderLeft, orderDeals, orderFees, orderFlags, orderEnds)...)
	orderRecord = api.Object("OrderRecord", "An order of the past.",
		slices.Concat(orderBegins, orderEnded, orderPrices, orderDeals, orderFees, orderFlags, orderEnds)...)

	orderBegins = []api.Property{
		api.Required("id", api.Integer, "Order id."),
		api.Required("market", api.String, "Market name."),
		api.Required("type", api.Integer, "Order type: 1 limit, 2 market, 202 market in the base asset, 3 stop limit, 4 stop market, 203 stop market in the base asset; paid from collateral: 7 limit, 8 market, 9 stop limit, 10 stop market, take profit or stop loss."),
		api.Required("side", api.Integer, "Side: 1 sell, 2 buy."),
		api.Required("post_only", api.Boolean, "Whether the order is post-only."),
		api.Required("ioc", api.Boolean, "Whether the order is immediate-or-cancel."),
		api.Required("ctime", api.Timestamp, "Time at which the order was placed."),
	}
	orderTimes  = []api.Property{api.Required("mtime", api.Timestamp, "Time of the last change.")}
	orderEnded  = []api.Property{api.Required("ftime", api.Timestamp, "Time at which the order ended.")}
	orderPrices = []api.Property{
		api.Required("price", api.Decimal, "Limit price; 0 for market orders, and for stops that take it from the book."),
		api.Required("amount", api.Decimal, "Original amount: in the base asset, or in the quote asset for types 2 and 4 that buy; 0 for a take profit or stop loss of a whole position that waits."),
	}
	orderLeft  = []api.Property{api.Required("left", api.Decimal, "Unfilled amount.")}
	orderDeals = []api.Property{
		api.Required("deal_stock", api.Decimal, "Filled amount in the base asset."),
		api.Required("deal_money", api.Decimal, "Filled amount in the quote asset."),
		api.Required("deal_fee", api.Decimal, "Fee so far: in the asset that the order receives, in the quote asset with margin, in USDT on futures. Negative: rebate."),
		api.Required("client_order_id", api.String, "Client order id, empty if there is none."),
		api.Required("stp", api.Enum("no", "cb", "cn", "co"), "Self-trade prevention mode."),
		api.Required("status", api.Enum(orderWords...), "OPEN and PARTIALLY_FILLED orders are active; the other values say how the order ended."),
		api.Required("position_side", api.Enum("BOTH", "LONG", "SHORT"), "Position side; BOTH in one-way mode and on spot markets."),
	}
	orderFees = []api.Property{
		api.Required("fee_asset", api.String, "Asset of the fee: the asset that the order receives, the quote asset with margin, USDT on futures."),
		api.Required("source", api.String, "Where the order came from."),
	}
	orderFlags = []api.Property{
		api.Required("reduce_only", api.Boolean, "Whether the order is reduce-only."),
		api.Required("rpi", api.Boolean, "Whether the order is an RPI order (retail price improvement)."),
	}
	orderReduces = []api.Property{api.Optional("reduce_only", api.Boolean, "Whether the order is reduce-only. Orders that are paid from collateral only.")}
	orderEnds    = []api.Property{
		api.Optional("retail", api.True, "Present if the order is a retail order."),
		api.Optional("activation_price", api.Decimal, "Activation price. Stop orders only."),
		api.Optional("activation_condition", api.Enum("gte", "lte"), "Whether the order is activated at or above, or at or below its activation price. Stop orders only."),
		api.Optional("activated", api.Integer, "1 once the order is activated, 0 before. Stop orders only."),
	}
)

// exampleOrder is an order as a reply, for the examples.
func exampleOrder(kind, numbers, status, ends string) string {
	deals := `,"deal_stock":"0","deal_money":"0","deal_fee":"0"`
	if status == "FILLED" {
		deals = `,"deal_stock":"0.01","deal_money":"510.005","deal_fee":"0.510005"`
	}
	return `{"id":7002,"market":"BTC_USDT",` + kind + `,"post_only":false,"ioc":false,"ctime":1790000003.250000,"mtime":1790000003.250000,` +
		numbers + deals + `,"client_order_id":"a-1","stp":"no","status":"` + status + `","position_side":"BOTH"` + ends + `}`
}

// exampleBet is an order that is paid from collateral, for the examples.
func exampleBet(kind, numbers, status, ends string) string {
	return strings.Replace(exampleOrder(kind, numbers, status, `,"reduce_only":false`+ends), "BTC_USDT", "BTC_PERP", 1)
}

const exampleStop = `,"activation_price":"55000","activation_condition":"gte","activated":0`

// appendOrder writes an order.
func (s *Server) appendOrder(dst []byte, o *schema.Order, more orderMore) []byte {
	d := s.options.API.Directory()
	m := d.MarketByID(o.Market)
	over := more == asExecuted || more == asRecord
	dst = append(dst, `{"id":`...)
	dst = api.AppendInt(dst, int64(o.ID))
	dst = append(dst, `,"market":`...)
	dst = api.AppendText(dst, m.Name)
	dst = append(dst, `,"type":`...)
	dst = api.AppendInt(dst, typeCode(o))
	dst = append(dst, `,"side":`...)
	dst = api.AppendInt(dst, sideCode(o.Side))
	dst = append(dst, `,"post_only":`...)
	dst = api.AppendBool(dst, o.PostOnly)
	dst = append(dst, `,"ioc":`...)
	dst = api.AppendBool(dst, o.IOC)
	dst = append(dst, `,"ctime":`...)
	dst = api.AppendMoment(dst, o.Created)
	if more != asRecord {
		dst = append(dst, `,"mtime":`...)
		dst = api.AppendMoment(dst, o.Updated)
	}
	if over {
		dst = append(dst, `,"ftime":`...)
		dst = api.AppendMoment(dst, o.Updated)
	}
	dst = append(dst, `,"price":`...)
	dst = api.AppendDecimal(dst, o.Price)
	dst = append(dst, `,"amount":`...)
	dst = api.AppendDecimal(dst, o.Amount)
	if more != asRecord {
		dst = append(dst, `,"left":`...)
		dst = api.AppendDecimal(dst, o.Left)
	}
	dst = append(dst, `,"deal_stock":`...)
	dst = api.AppendDecimal(dst, o.DealStock)
	dst = append(dst, `,"deal_money":`...)
	dst = api.AppendDecimal(dst, o.DealMoney)
	dst = append(dst, `,"deal_fee":`...)
	dst = api.AppendDecimal(dst, o.DealFee)
	dst = append(dst, `,"client_order_id":`...)
	dst = api.AppendText(dst, o.ClientID.Bytes())
	dst = append(dst, `,"stp":"`...)
	dst = append(dst, o.STP.String()...)
	dst = append(dst, `","status":"`...)
	dst = append(dst, o.Status.String()...)
	dst = append(dst, `","position_side":"`...)
	dst = append(dst, o.PositionSide.String()...)
	dst = append(dst, '"')
	if over {
		dst = append(dst, `,"fee_asset":`...)
		dst = api.AppendText(dst, d.FeeAsset(m, o.Side, o.Collateral))
		dst = append(dst, `,"source":"api"`...)
	}
	if more != asReply || o.Collateral {
		dst = append(dst, `,"reduce_only":`...)
		dst = api.AppendBool(dst, o.ReduceOnly)
	}
	if more != asReply {
		dst = append(dst, `,"rpi":`...)
		dst = api.AppendBool(dst, o.RPI)
	}
	if o.Retail {
		dst = append(dst, `,"retail":true`...)
	}
	if o.Type.IsStop() {
		dst = appendActivation(dst, o)
	}
	return append(dst, '}')
}

// appendActivation writes what only stop orders have.
func appendActivation(dst []byte, o *schema.Order) []byte {
	dst = append(dst, `,"activation_price":`...)
	dst = api.AppendDecimal(dst, o.ActivationPrice)
	dst = append(dst, `,"activation_condition":"`...)
	dst = append(dst, ticket.Condition(o, "gte", "lte")...)
	if o.ActivatedAt != 0 {
		return append(dst, `","activated":1`...)
	}
	return append(dst, `","activated":0`...)
}
