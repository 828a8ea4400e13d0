package ws

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// premium is the channel of mark prices, index prices and funding of futures.
type premium struct {
	// write writes what a scope shows; nil if that is nothing.
	write func([]byte, futures) []byte
	groups[futures, struct{}]
}

// futures is what somebody wants to see of the futures that are offered in a region: all of them, or one.
type futures struct {
	region schema.Region
	market schema.MarketID // 0: all
}

const premiumChannel = "premiumIndex"

var premiumShape = named("PremiumIndex", "Prices and funding of a future.", api.TupleOf(
	api.Described("Market name.", api.String), api.Described("Mark price, empty while there is no fresh one.", api.MarkSchema),
	api.Described("Index price, or the price of the last trade on the spot market, then of the last trade here, then 0, while there is no fresh one.", api.Decimal),
	api.Described("Predicted funding rate of the next settlement, as a ratio.", api.Decimal),
	api.Described("Time of the next settlement, Unix time in milliseconds.", api.Integer), api.Described("Time of sending, Unix time in seconds.", api.Timestamp),
))

var premiumMethods = channel(
	&Group{premiumChannel, "Premium index", "Mark price, index price and funding of futures markets, pushed every half second."}, "",
	subscribing(`[]`, Method{
		Summary: "Subscribe to the premium index",
		Text: "Pushes futures markets at once and every half second, whether something changed or not. Without any market it subscribes to all, " +
			"also to those that are listed later.",
		Meanings: map[string]string{"market": "Name of a futures market, as BASE_PERP, or BASE_USD of a TradFi future. Without any, all."},
		handling: fresh(asks(func(q *call, p *futuresSubscription) ([]byte, func(), *Error) {
			ch := q.conn.server.premium
			return success, ch.replace(q.conn, p.scopes, ch.first), nil
		})),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.premium })),
	Method{
		Kind: Push, Summary: "Premium index",
		Text:    "One market to those who named some; to others all of them, in a list.",
		Result:  api.OneOf(premiumShape, api.ArrayOf(premiumShape)),
		Example: Example{Params: `["BTC_PERP","51234.5","51230.25","0.0001",1790006400000,1790000001.250300]`},
	},
)

// futuresSubscription is a subscription to some futures, or to all when none is named.
type futuresSubscription struct{ scopes []futures }

func (p *futuresSubscription) read(a *arguments) {
	names := a.texts("market", 0)
	if a.schema != nil {
		a.future("")
	}
	if !a.good() {
		return
	}
	region := a.conn.region()
	for _, name := range names {
		m := a.future(name)
		if m == nil {
			return
		}
		a.check(m.Offered(region), errNotFutures)
		if k := (futures{region, m.ID}); !slices.Contains(p.scopes, k) {
			p.scopes = append(p.scopes, k)
		}
	}
	if len(names) == 0 {
		p.scopes = []futures{{region: region}}
	}
}

var errNotFutures = argument("the market is not futures")

// future finds a future by its name, whether it is offered or not.
func (a *arguments) future(name string) *schema.MarketInfo {
	if a.schema != nil {
		a.schema.fault(errNotFutures)
	}
	if !a.good() {
		return nil
	}
	m := a.conn.server.options.API.Directory().Market(name)
	if m == nil || !m.Future() {
		a.wrong(errNotFutures)
		return nil
	}
	return m
}

func newPremium(write func([]byte, futures) []byte, pushes prometheus.Counter) *premium {
	return &premium{write, newGroups[futures, struct{}](pushes)}
}

func (ch *premium) first(k futures, c *conn) struct{} {
	if f := ch.frame(k); f != nil {
		ch.push(c, f)
	}
	return struct{}{}
}

func (ch *premium) tick() {
	ch.each(func(k futures, conns map[*conn]struct{}) {
		f := ch.frame(k)
		if f == nil {
			return
		}
		for c := range conns {
			if !behind(c) {
				ch.push(c, f)
			}
		}
	})
}

func (ch *premium) frame(k futures) []byte {
	b := ch.write(push(premiumChannel), k)
	if b == nil {
		return nil
	}
	return pushed(b)
}

// appendFutures writes futures as they are now. Those that are not offered any more are left out, as the public list of
// futures leaves them out; somebody who named one gets it again when it is.
func (s *Server) appendFutures(b []byte, k futures) []byte {
	d := s.options.API.Directory()
	if k.market != 0 {
		m := d.MarketByID(k.market)
		if !m.Offered(k.region) {
			return nil
		}
		return s.appendFuture(b, m)
	}
	b = append(b, '[')
	_, all, _ := d.Listing()
	n := 0
	for _, m := range all {
		if m.Future() && m.Offered(k.region) {
			b = s.appendFuture(api.AppendComma(b, n), m)
			n++
		}
	}
	return append(b, ']')
}

func (s *Server) appendFuture(b []byte, m *schema.MarketInfo) []byte {
	q := s.options.API.Quote(m)
	b = api.AppendText(append(b, '['), m.Name)
	b = q.AppendMark(append(b, ','))
	b = api.AppendDecimal(append(b, ','), q.Index)
	b = api.AppendDecimal(append(b, ','), q.Rate)
	b = api.AppendInt(append(b, ','), int64(q.Settles/1000))
	b = api.AppendMoment(append(b, ','), s.now())
	return append(b, ']')
}
