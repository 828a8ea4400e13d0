package spot

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/schema"
)

// statusWords are what an order that was asked about can be.
var statusWords = func() (words []string) {
	for s := schema.Open; s <= schema.Maintenance; s++ {
		words = append(words, s.String())
	}
	return words
}()

// kindWords are the kinds of orders that clients of REST know.
var kindWords = []string{"limit", "market", "stock market", "stop limit", "stop market"}

// kindWord is the word for a kind of order. A stop market order that counts base comes by the
// WebSocket only, and here it is a stop market order like others.
func kindWord(t schema.OrderType) string {
	if t == schema.StopStockMarket {
		t = schema.StopMarket
	}
	return t.String()
}

// orderMembers are the members that appendOrder writes.
var orderMembers = []api.Property{
	api.Required("orderId", api.Integer, "Order id."),
	api.Required("clientOrderId", api.String, "Client order id, empty if there is none."),
	api.Required("market", api.String, "Market name."),
	api.Required("side", api.Enum(api.SideWords...), "Side of the order."),
	api.Required("type", api.Enum(kindWords...), "Order type."),
	api.Required("timestamp", api.Timestamp, "Time at which the order was placed."),
	api.Required("dealMoney", api.Decimal, "Filled amount in the quote asset."),
	api.Required("dealStock", api.Decimal, "Filled amount in the base asset."),
	api.Required("amount", api.Decimal, "Original amount: in the base asset, or in the quote asset for market and stop-market buys."),
	api.Required("left", api.Decimal, "Unfilled amount."),
	api.Required("dealFee", api.Decimal, "Fee so far in feeAsset. Negative: rebate."),
	api.Required("feeAsset", api.String, "Asset of the fee: the asset that the order receives."),
	api.Optional("price", api.Decimal, "Limit price. Limit and stop-limit orders only."),
	api.Optional("postOnly", api.True, "Present if the order is post-only."),
	api.Required("ioc", api.Boolean, "Whether the order was immediate-or-cancel."),
	api.Required("status", api.Enum(statusWords...), "OPEN and PARTIALLY_FILLED orders are active; the other values say how the order ended."),
	api.Required("stp", api.Enum("no", "cb", "cn", "co"), "Self-trade prevention mode."),
	api.Required("rpi", api.Boolean, "Whether the order is an RPI order (retail price improvement)."),
	api.Optional("retail", api.True, "Present if the order is a retail order."),
}

// stopMembers are those that only stop orders have.
var stopMembers = []api.Property{
	api.Optional("activated", api.Integer, "1 once the order is activated, 0 before. Stop orders only."),
	api.Optional("activationCondition", api.Enum("gte", "lte"), "Whether it wakes up at or above, or at or below the price; of stop orders."),
	api.Optional("activation_price", api.Decimal, "Activation price. Stop orders only."),
}

// newOrderSchema is an order as creation answers it, and orderSchema as all others do.
var (
	newOrderSchema = api.Object("NewOrder", "A new order.", slices.Concat(orderMembers, stopMembers)...)
	orderSchema    = api.Object("Order", "An order.", slices.Concat(orderMembers, []api.Property{
		api.Required("positionSide", api.Enum("BOTH", "LONG", "SHORT"), "Position side, BOTH on markets without positions."),
		api.Required("reduceOnly", api.Boolean, "Whether the order is reduce-only."),
	}, stopMembers)...)
)

// encoder writes answers, with names from the directory.
type encoder struct{ *directory.Directory }

// appendOrder writes what creation, cancel, modify and the list of active orders share.
// Creation leaves out what only positions have.
func (d encoder) appendOrder(dst []byte, o *schema.Order, creation bool) []byte {
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
	dst = append(dst, kindWord(o.Type)...)
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
	dst = append(dst, d.FeeAsset(m, o.Side)...)
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
	if !creation {
		dst = append(dst, `,"positionSide":"BOTH","reduceOnly":false`...)
	}
	if o.Type.IsStop() {
		dst = append(dst, `,"activated":`...)
		if o.ActivatedAt != 0 {
			dst = append(dst, '1')
		} else {
			dst = append(dst, '0')
		}
		dst = append(dst, `,"activationCondition":"`...)
		dst = append(dst, condition(o.Side, "gte", "lte")...)
		dst = append(dst, `","activation_price":`...)
		dst = api.AppendDecimal(dst, o.ActivationPrice)
	}
	return append(dst, '}')
}

// condition is the word for the direction that wakes up a stop order.
func condition(side schema.Side, buy, sell string) string {
	if side == schema.Buy {
		return buy
	}
	return sell
}

// orderAnswer is an order as an answer.
type orderAnswer struct {
	encoder  encoder
	order    *schema.Order
	creation bool
}

func (a orderAnswer) AppendTo(dst []byte) []byte {
	return a.encoder.appendOrder(dst, a.order, a.creation)
}
