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
	always("orderId", whole, "The number of the order."),
	always("clientOrderId", anyText, "The name that the client gave it; empty: none."),
	always("market", anyText, "The market."),
	always("side", oneWord(sideWords...), "What it does."),
	always("type", oneWord(kindWords...), "The kind of order."),
	always("timestamp", moment, "When it was placed."),
	always("dealMoney", decimal, "What was traded so far, in quote."),
	always("dealStock", decimal, "What was traded so far, in base."),
	always("amount", decimal, "What it was placed for: in base, or in quote for market and stop market orders that buy."),
	always("left", decimal, "What of the amount is not traded."),
	always("dealFee", decimal, "The fee so far, in feeAsset; below zero it was received."),
	always("feeAsset", anyText, "What the fee is paid in: what the order receives."),
	sometimes("price", decimal, "The limit price; of limit and stop limit orders."),
	sometimes("postOnly", justYes, "Present if the order is post-only."),
	always("ioc", yesOrNo, "Whether what did not trade at once was canceled."),
	always("status", oneWord(statusWords...), "OPEN and PARTIALLY_FILLED orders are alive; the others say how the order ended."),
	always("stp", oneWord("no", "cb", "cn", "co"), "The mode of self-trade prevention."),
	always("rpi", yesOrNo, "Whether it is an order for retail price improvement."),
	sometimes("retail", justYes, "Present if the order was placed as a retail one."),
}

// stopMembers are those that only stop orders have.
var stopMembers = []Member{
	sometimes("activated", whole, "1 if the order woke up, 0 while it waits; of stop orders."),
	sometimes("activationCondition", oneWord("gte", "lte"), "Whether it wakes up at or above, or at or below the price; of stop orders."),
	sometimes("activation_price", decimal, "The last price at which it wakes up; of stop orders."),
}

// newOrderShape is an order as creation answers it, and orderShape as all others do.
var (
	newOrderShape = record("NewOrder", "An order that was just placed.", slices.Concat(orderMembers, stopMembers)...)
	orderShape    = record("Order", "An order.", slices.Concat(orderMembers, []Member{
		always("positionSide", oneWord("BOTH", "LONG", "SHORT"), "The side of the position; BOTH where there are no positions."),
		always("reduceOnly", yesOrNo, "Whether it may only make a position smaller."),
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
