package ticket

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/schema"
)

// StatusWords are what an order that was asked about can be, and STPWords its modes of self-trade prevention.
var StatusWords = func() (words []string) {
	for s := schema.Open; s <= schema.Maintenance; s++ {
		words = append(words, s.String())
	}
	return words
}()

var STPWords = []string{"no", "cb", "cn", "co"}

// KindWords are the kinds of orders that clients of REST know.
var KindWords = []string{"limit", "market", "stock market", "stop limit", "stop market"}

// KindWord is the word for the kind of an order. Orders that are paid from collateral always count base, so
// that there it goes without saying, as it does for a stop that comes by the WebSocket.
func KindWord(o *schema.Order) string {
	switch {
	case o.Type == schema.StopStockMarket:
		return schema.StopMarket.String()
	case o.Type == schema.StockMarket && o.Collateral:
		return schema.Market.String()
	}
	return o.Type.String()
}

// orderMembers are the members that Append writes.
var orderMembers = []api.Property{
	api.Required("orderId", api.Integer, "Order id."),
	api.Required("clientOrderId", api.String, "Client order id, empty if there is none."),
	api.Required("market", api.String, "Market name."),
	api.Required("side", api.Enum(api.SideWords...), "Side of the order."),
	api.Required("type", api.Enum(KindWords...), "Order type."),
	api.Required("timestamp", api.Timestamp, "Time at which the order was placed."),
	api.Required("dealMoney", api.Decimal, "Filled amount in the quote asset."),
	api.Required("dealStock", api.Decimal, "Filled amount in the base asset."),
	api.Required("amount", api.Decimal, "Original amount: in the base asset, or in the quote asset for spot market and stop-market buys."),
	api.Required("left", api.Decimal, "Unfilled amount."),
	api.Required("dealFee", api.Decimal, "Fee so far in feeAsset. Negative: rebate."),
	api.Required("feeAsset", api.String, "Asset of the fee: the asset that the order receives, the quote asset with margin, USDT on futures."),
	api.Optional("price", api.Decimal, "Limit price. Limit and stop-limit orders only."),
	api.Optional("postOnly", api.True, "Present if the order is post-only."),
	api.Required("ioc", api.Boolean, "Whether the order was immediate-or-cancel."),
	api.Required("status", api.Enum(StatusWords...), "OPEN and PARTIALLY_FILLED orders are active; the other values say how the order ended."),
	api.Required("stp", api.Enum(STPWords...), "Self-trade prevention mode."),
	api.Required("rpi", api.Boolean, "Whether the order is an RPI order (retail price improvement)."),
	api.Optional("retail", api.True, "Present if the order is a retail order."),
}

// stopMembers are those that only stop orders have.
var stopMembers = []api.Property{
	api.Optional("activated", api.Integer, "1 once the order is activated, 0 before. Stop orders only."),
	api.Optional("activationCondition", api.Enum("gte", "lte"), "Whether the order is activated at or above (gte), or at or below (lte) its activation price. Stop orders only."),
	api.Optional("activation_price", api.Decimal, "Activation price. Stop orders only."),
}

// NewOrder is an order as the creation of spot orders answers it, and Order as all others do.
var (
	NewOrder = api.Object("NewOrder", "A new order.", slices.Concat(orderMembers, stopMembers)...)
	Order    = api.Object("Order", "An order.", slices.Concat(orderMembers, []api.Property{
		api.Required("positionSide", api.Enum(SideWords...), "Position side, BOTH in one-way mode and on markets without positions."),
		api.Required("reduceOnly", api.Boolean, "Whether the order is reduce-only."),
		otoField.Property(),
	}, stopMembers)...)
)

// SideWords are the sides of positions.
var SideWords = []string{schema.BothSides.String(), schema.LongSide.String(), schema.ShortSide.String()}

// Append writes an order, with names from a directory. Without its position it is a NewOrder, with it an Order.
func Append(dst []byte, d *directory.Directory, o *schema.Order, position bool) []byte {
	m := d.MarketByID(o.Market)
	dst = append(dst, `{"orderId":`...)
	dst = api.AppendInt(dst, int64(o.ID))
	dst = append(dst, `,"clientOrderId":"`...)
	dst = append(dst, o.ClientID.Bytes()...)
	dst = append(dst, `","market":"`...)
	dst = append(dst, m.Name...)
	dst = append(dst, `","side":"`...)
	dst = append(dst, o.Side.String()...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, KindWord(o)...)
	dst = append(dst, `","timestamp":`...)
	dst = api.AppendMoment(dst, o.Created)
	dst = append(dst, `,"dealMoney":`...)
	dst = api.AppendDecimal(dst, o.DealMoney)
	dst = append(dst, `,"dealStock":`...)
	dst = api.AppendDecimal(dst, o.DealStock)
	dst = append(dst, `,"amount":`...)
	dst = api.AppendDecimal(dst, o.Amount)
	dst = append(dst, `,"left":`...)
	dst = api.AppendDecimal(dst, o.Left)
	dst = append(dst, `,"dealFee":`...)
	dst = api.AppendDecimal(dst, o.DealFee)
	dst = append(dst, `,"feeAsset":"`...)
	dst = append(dst, d.FeeAsset(m, o.Side, o.Collateral)...)
	dst = append(dst, '"')
	if o.Type.HasPrice() && !o.Price.IsZero() {
		dst = append(dst, `,"price":`...)
		dst = api.AppendDecimal(dst, o.Price)
	}
	if o.PostOnly {
		dst = append(dst, `,"postOnly":true`...)
	}
	dst = append(dst, `,"ioc":`...)
	dst = api.AppendBool(dst, o.IOC)
	dst = append(dst, `,"status":"`...)
	dst = append(dst, o.Status.String()...)
	dst = append(dst, `","stp":"`...)
	dst = append(dst, o.STP.String()...)
	dst = append(dst, `","rpi":`...)
	dst = api.AppendBool(dst, o.RPI)
	if o.Retail {
		dst = append(dst, `,"retail":true`...)
	}
	if position {
		dst = append(dst, `,"positionSide":"`...)
		dst = append(dst, o.PositionSide.String()...)
		dst = append(dst, `","reduceOnly":`...)
		dst = api.AppendBool(dst, o.ReduceOnly)
		dst = otoField.Append(dst, o)
	}
	if o.Type.IsStop() {
		dst = append(dst, `,"activated":`...)
		if o.ActivatedAt != 0 {
			dst = append(dst, '1')
		} else {
			dst = append(dst, '0')
		}
		dst = append(dst, `,"activationCondition":"`...)
		dst = append(dst, Condition(o, "gte", "lte")...)
		dst = append(dst, `","activation_price":`...)
		dst = api.AppendDecimal(dst, o.ActivationPrice)
	}
	return append(dst, '}')
}

// Condition is the word for the direction that wakes up a stop order: buys wait for higher prices and sells for lower ones, but for
// a take profit, which waits for better ones.
func Condition(o *schema.Order, rising, falling string) string {
	if (o.Side == schema.Buy) != (o.Role == schema.TakeProfit) {
		return rising
	}
	return falling
}

// Answer is an order as an answer: a NewOrder, or with its position an Order.
type Answer struct {
	Directory *directory.Directory
	Order     *schema.Order
	Position  bool
}

// AppendTo implements api.Answer.
func (a Answer) AppendTo(dst []byte) []byte { return Append(dst, a.Directory, a.Order, a.Position) }
