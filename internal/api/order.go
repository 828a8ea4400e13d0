package api

import (
	"slices"

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
var orderMembers = []Member{
	always("orderId", whole, "Order id."),
	always("clientOrderId", anyText, "Client order id, empty if there is none."),
	always("market", anyText, "Market name."),
	always("side", oneWord(sideWords...), "Side of the order."),
	always("type", oneWord(kindWords...), "Order type."),
	always("timestamp", moment, "Time at which the order was placed."),
	always("dealMoney", decimal, "Filled amount in the quote asset."),
	always("dealStock", decimal, "Filled amount in the base asset."),
	always("amount", decimal, "Original amount: in the base asset, or in the quote asset for market and stop-market buys."),
	always("left", decimal, "Unfilled amount."),
	always("dealFee", decimal, "Fee so far in feeAsset. Negative: rebate."),
	always("feeAsset", anyText, "Asset of the fee: the asset that the order receives."),
	sometimes("price", decimal, "Limit price. Limit and stop-limit orders only."),
	sometimes("postOnly", justYes, "Present if the order is post-only."),
	always("ioc", yesOrNo, "Whether the order was immediate-or-cancel."),
	always("status", oneWord(statusWords...), "OPEN and PARTIALLY_FILLED orders are active; the other values say how the order ended."),
	always("stp", oneWord("no", "cb", "cn", "co"), "Self-trade prevention mode."),
	always("rpi", yesOrNo, "Whether the order is an RPI order (retail price improvement)."),
	sometimes("retail", justYes, "Present if the order is a retail order."),
}

// stopMembers are those that only stop orders have.
var stopMembers = []Member{
	sometimes("activated", whole, "1 once the order is activated, 0 before. Stop orders only."),
	sometimes("activationCondition", oneWord("gte", "lte"), "Whether it wakes up at or above, or at or below the price; of stop orders."),
	sometimes("activation_price", decimal, "Activation price. Stop orders only."),
}

// newOrderShape is an order as creation answers it, and orderShape as all others do.
var (
	newOrderShape = record("NewOrder", "A new order.", slices.Concat(orderMembers, stopMembers)...)
	orderShape    = record("Order", "An order.", slices.Concat(orderMembers, []Member{
		always("positionSide", oneWord("BOTH", "LONG", "SHORT"), "Position side, BOTH on markets without positions."),
		always("reduceOnly", yesOrNo, "Whether the order is reduce-only."),
	}, stopMembers)...)
)

// appendOrder writes the shape that creation, cancel, modify and the list of active orders share.
// Creation leaves out what only positions have.
func (d *Directory) appendOrder(dst []byte, o *schema.Order, creation bool) []byte {
	m := d.MarketByID(o.Market)
	dst = append(dst, `{"orderId":`...)
	dst = AppendInt(dst, int64(o.ID))
	dst = append(dst, `,"clientOrderId":"`...)
	dst = append(dst, o.ClientID.Bytes()...)
	dst = append(dst, `","market":"`...)
	dst = append(dst, m.Name...)
	dst = append(dst, `","side":"`...)
	dst = append(dst, o.Side.String()...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, kindWord(o.Type)...)
	dst = append(dst, `","timestamp":`...)
	dst = AppendMoment(dst, o.Created)
	dst = append(dst, `,"dealMoney":`...)
	dst = AppendDecimal(dst, o.DealMoney)
	dst = append(dst, `,"dealStock":`...)
	dst = AppendDecimal(dst, o.DealStock)
	dst = append(dst, `,"amount":`...)
	dst = AppendDecimal(dst, o.Amount)
	dst = append(dst, `,"left":`...)
	dst = AppendDecimal(dst, o.Left)
	dst = append(dst, `,"dealFee":`...)
	dst = AppendDecimal(dst, o.DealFee)
	dst = append(dst, `,"feeAsset":"`...)
	dst = append(dst, d.FeeAsset(m, o.Side)...)
	dst = append(dst, '"')
	if o.Type.HasPrice() && !o.Price.IsZero() {
		dst = append(dst, `,"price":`...)
		dst = AppendDecimal(dst, o.Price)
	}
	if o.PostOnly {
		dst = append(dst, `,"postOnly":true`...)
	}
	dst = append(dst, `,"ioc":`...)
	dst = AppendBool(dst, o.IOC)
	dst = append(dst, `,"status":"`...)
	dst = append(dst, o.Status.String()...)
	dst = append(dst, `","stp":"`...)
	dst = append(dst, o.STP.String()...)
	dst = append(dst, `","rpi":`...)
	dst = AppendBool(dst, o.RPI)
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
		dst = AppendDecimal(dst, o.ActivationPrice)
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

// FeeAsset is what a side of a market pays its fee in: what it receives.
func (d *Directory) FeeAsset(m *schema.MarketInfo, side schema.Side) string {
	if side == schema.Buy {
		return d.Ticker(m.Base)
	}
	return d.Ticker(m.Quote)
}

// orderAnswer is an order as an answer.
type orderAnswer struct {
	directory *Directory
	order     *schema.Order
	creation  bool
}

func (a orderAnswer) AppendTo(dst []byte) []byte {
	return a.directory.appendOrder(dst, a.order, a.creation)
}
