package ws

import (
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
	"bourse/internal/fixed"
)

// prices is the channel of last prices. Everyone gets a price that is another than the one that
// he got last, no matter who else knew it already.
type prices struct {
	outlook
	groups[listed, fixed.Decimal]
}

func newPrices(v outlook, pushes prometheus.Counter) *prices {
	return &prices{v, newGroups[listed, fixed.Decimal](pushes)}
}

func (ch *prices) request(q *call) ([]byte, func(), *Error) {
	if len(q.params) != 1 {
		return nil, nil, errArgument
	}
	m, err := q.listed(0)
	if err != nil {
		return nil, nil, err
	}
	return api.AppendDecimal(nil, ch.data.Last(m.id)), nil, nil
}

func (ch *prices) subscribe(q *call) ([]byte, func(), *Error) {
	markets, err := q.allListed()
	if err != nil {
		return nil, nil, err
	}
	return success, ch.replace(q.conn, markets, ch.first), nil
}

func (ch *prices) first(m listed, c *conn) fixed.Decimal {
	price := ch.data.Last(m.id)
	ch.push(c, priceFrame(m, price))
	return price
}

func (ch *prices) tick() {
	ch.each(func(m listed, conns map[*conn]fixed.Decimal) {
		price := ch.data.Last(m.id)
		var f []byte
		for c, last := range conns {
			if last == price || behind(c) {
				continue
			}
			if f == nil {
				f = priceFrame(m, price)
			}
			ch.push(c, f)
			conns[c] = price
		}
	})
}

func priceFrame(m listed, price fixed.Decimal) []byte {
	b := api.AppendText(append(push("lastprice_update"), '['), m.name)
	b = api.AppendDecimal(append(b, ','), price)
	return pushed(append(b, ']'))
}
