package ws

import (
	"bourse/internal/api"
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

// sideCode is the number of a side on the wire.
func sideCode(s schema.Side) int64 {
	if s == schema.Sell {
		return 1
	}
	return 2
}

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
	dst = api.AppendInt(dst, orderTypes[o.Type])
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
	dst = append(dst, `","position_side":"BOTH"`...)
	if over {
		dst = append(dst, `,"fee_asset":`...)
		dst = api.AppendText(dst, d.FeeAsset(m, o.Side))
		dst = append(dst, `,"source":"api"`...)
	}
	if more != asReply {
		dst = append(dst, `,"reduce_only":false,"rpi":`...)
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
	condition, activated := `,"activation_condition":"gte"`, `,"activated":0`
	if o.Side == schema.Sell {
		condition = `,"activation_condition":"lte"`
	}
	if o.ActivatedAt != 0 {
		activated = `,"activated":1`
	}
	return append(append(dst, condition...), activated...)
}
