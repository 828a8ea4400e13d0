package api

import (
	"bourse/internal/schema"
)

// appendOrder writes the shape that creation, cancel, modify and the list of active orders share.
// Creation leaves out what only positions have.
func (d *Directory) appendOrder(dst []byte, o *schema.Order, creation bool) []byte {
	m := d.marketByID(o.Market)
	dst = append(dst, `{"orderId":`...)
	dst = appendInt(dst, int64(o.ID))
	dst = append(dst, `,"clientOrderId":"`...)
	dst = append(dst, o.ClientID.Bytes()...)
	dst = append(dst, `","market":"`...)
	dst = append(dst, m.Name...)
	dst = append(dst, `","side":"`...)
	dst = append(dst, o.Side.String()...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, o.Type.String()...)
	dst = append(dst, `","timestamp":`...)
	dst = appendMoment(dst, o.Created)
	dst = append(dst, `,"dealMoney":`...)
	dst = appendDecimal(dst, o.DealMoney)
	dst = append(dst, `,"dealStock":`...)
	dst = appendDecimal(dst, o.DealStock)
	dst = append(dst, `,"amount":`...)
	dst = appendDecimal(dst, o.Amount)
	dst = append(dst, `,"left":`...)
	dst = appendDecimal(dst, o.Left)
	dst = append(dst, `,"dealFee":`...)
	dst = appendDecimal(dst, o.DealFee)
	dst = append(dst, `,"feeAsset":"`...)
	dst = append(dst, d.feeAsset(m, o.Side)...)
	dst = append(dst, '"')
	if o.Type.HasPrice() && !o.Price.IsZero() {
		dst = append(dst, `,"price":`...)
		dst = appendDecimal(dst, o.Price)
	}
	if o.PostOnly {
		dst = append(dst, `,"postOnly":true`...)
	}
	dst = append(dst, `,"ioc":`...)
	dst = appendBool(dst, o.IOC)
	dst = append(dst, `,"status":"`...)
	dst = append(dst, o.Status.String()...)
	dst = append(dst, `","stp":"`...)
	dst = append(dst, o.STP.String()...)
	dst = append(dst, `","rpi":`...)
	dst = appendBool(dst, o.RPI)
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
		dst = appendDecimal(dst, o.ActivationPrice)
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

// feeAsset is what a side of a market pays its fee in: what it receives.
func (d *Directory) feeAsset(m *schema.MarketInfo, side schema.Side) string {
	if side == schema.Buy {
		return d.ticker(m.Base)
	}
	return d.ticker(m.Quote)
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
