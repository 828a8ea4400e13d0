package ws

import (
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
)

// premium is the channel of mark prices, index prices and funding of futures. There are none, so
// that all of them are an empty list, and no market can be named.
type premium struct {
	groups[struct{}, struct{}] // those who want all futures
}

const premiumChannel = "premiumIndex"

var premiumMethods = channel(
	&Group{premiumChannel, "Premium index", "Mark price, index price and funding of futures markets, pushed every half second. There is no futures market yet."}, "",
	subscribing(`[]`, Method{
		Summary: "Subscribe to the premium index", Text: "Pushes all futures markets at once and every half second. The list is empty as long as there are none.",
		handling: asks(func(q *call, _ *futuresSubscription) ([]byte, func(), *Error) {
			ch := q.conn.server.premium
			return success, ch.replace(q.conn, []struct{}{{}}, ch.first), nil
		}),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.premium })),
	Method{
		Kind: Push, Summary: "Premium index", Text: "All futures markets: an empty list.",
		Result: api.TupleOf(), Example: Example{Params: `[]`},
	},
)

// futuresSubscription is a subscription to all futures markets. Only such can be named.
type futuresSubscription struct{}

func (*futuresSubscription) read(a *arguments) {
	names := a.texts("market", 0)
	if a.schema != nil {
		a.schema.Rest, a.schema.Most = nil, 0
	}
	a.check(len(names) == 0, argument("the market is not futures"))
}

func newPremium(pushes prometheus.Counter) *premium {
	return &premium{newGroups[struct{}, struct{}](pushes)}
}

// noPremiums is the frame for all futures.
var noPremiums = pushed(append(push(premiumChannel), `[]`...))

func (ch *premium) first(_ struct{}, c *conn) struct{} {
	ch.push(c, noPremiums)
	return struct{}{}
}

func (ch *premium) tick() {
	ch.each(func(_ struct{}, conns map[*conn]struct{}) {
		for c := range conns {
			if !behind(c) {
				ch.push(c, noPremiums)
			}
		}
	})
}
