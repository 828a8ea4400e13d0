package ws

import "github.com/prometheus/client_golang/prometheus"

// premium is the channel of mark prices, index prices and funding of futures. There are none, so
// that all of them are an empty list, and no market can be named.
type premium struct {
	groups[struct{}, struct{}] // those who want all futures
}

func newPremium(pushes prometheus.Counter) *premium {
	return &premium{newGroups[struct{}, struct{}](pushes)}
}

// noPremiums is the frame for all futures.
var noPremiums = pushed(append(push("premiumIndex_update"), `[]`...))

func (ch *premium) subscribe(q *call) ([]byte, func(), *Error) {
	names, err := q.texts()
	switch {
	case err != nil:
		return nil, nil, err
	case len(names) > 0:
		return nil, nil, argument("the market is not futures")
	}
	return success, ch.replace(q.conn, []struct{}{{}}, func(_ struct{}, c *conn) struct{} {
		ch.push(c, noPremiums)
		return struct{}{}
	}), nil
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
