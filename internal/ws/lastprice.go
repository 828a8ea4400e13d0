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

const pricesChannel = "lastprice"

var priceMethods = channel(
	&Group{pricesChannel, "Last price", "The last price of markets, pushed when it changed, each second."}, "",
	Method{
		Kind: Request, Summary: "Query the last price", Text: "Returns the last price of a market, 0 if it never traded.",
		Result: api.Decimal, Example: Example{`["BTC_USDT"]`, `"51234.5"`},
		handling: fresh(answers(func(q *call, p *marketRequest) ([]byte, *Error) {
			return api.AppendDecimal(nil, q.conn.server.prices.data.Last(p.market.id)), nil
		})),
	},
	subscribing(`["BTC_USDT","ETH_USDT"]`, Method{
		Summary: "Subscribe to last prices", Text: "Pushes the last price of each market at once, and then each second if it changed.",
		handling: fresh(asks(func(q *call, p *marketsSubscription) ([]byte, func(), *Error) {
			ch := q.conn.server.prices
			return success, ch.replace(q.conn, p.markets, ch.first), nil
		})),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.prices })),
	Method{
		Kind: Push, Summary: "Last price", Text: "The market and its last price.",
		Result: api.TupleOf(api.Described("Market name.", api.String), api.Described("Last price.", api.Decimal)), Example: Example{Params: `["BTC_USDT","51234.5"]`},
	},
)

func newPrices(v outlook, pushes prometheus.Counter) *prices {
	return &prices{v, newGroups[listed, fixed.Decimal](pushes)}
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
	b := api.AppendText(append(push(pricesChannel), '['), m.name)
	b = api.AppendDecimal(append(b, ','), price)
	return pushed(append(b, ']'))
}
