package ws

import (
	"context"
	"math"
	"slices"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// maxTrades is how many trades a request or a first frame has, and maxBurst any other frame: what may
// wait for a connection has a bound.
const (
	maxTrades = 100
	maxBurst  = 1000
)

// trades pushes deals as the public sees them. The market data may be ahead of the step that is being
// pushed: a follower who got a trade in his first frame does not get it again with its step.
//
// Deals that happen while the ones before are being pushed come together in one frame: a market
// that is busier than its followers can take falls behind by no more than that.
type trades struct {
	server *Server
	recent func(market schema.MarketID, side schema.Side, limit int) []marketdata.Trade // newest first

	deals map[schema.MarketID][]marketdata.Trade // not yet pushed, oldest first
	order []schema.MarketID                      // of the first deal of each

	*followers
	firsts map[schema.MarketID]firstTrades
	pushed schema.DealID // the last one of all markets that was pushed
}

// firstTrades is the frame that a follower begins with, until there is another trade: when thousands come
// at once, it is made once.
type firstTrades struct {
	newest schema.DealID
	frame  []byte
}

const tradesChannel = "trades"

var tradeEncoder = api.Encode("Trade", "A trade as the public sees it.",
	api.IntegerField("id", "Trade id.", func(t *marketdata.Trade) int64 { return int64(t.ID) }),
	api.TimestampField("time", "Time of the trade.", func(t *marketdata.Trade) schema.Time { return t.Time }),
	api.DecimalField("price", "Price.", func(t *marketdata.Trade) fixed.Decimal { return t.Price }),
	api.DecimalField("amount", "Amount in the base asset.", func(t *marketdata.Trade) fixed.Decimal { return t.Amount }),
	api.EnumField("type", sideWords, "Side of the taker.", func(t *marketdata.Trade) string { return t.Side.String() }),
	api.BooleanField("rpi", "Whether the maker was an RPI order (retail price improvement).", func(t *marketdata.Trade) bool { return t.RPI }),
)

const exampleTrades = `[{"id":55001,"time":1790000002.500000,"price":"51230","amount":"0.01","type":"sell","rpi":false}]`

var tradeMethods = channel(
	&Group{tradesChannel, "Trades", "Trades of markets as they happen."}, "",
	Method{
		Kind: Request, Summary: "Query trades", Text: "Returns the newest trades of a market up to a trade id, newest first.",
		Meanings: map[string]string{"limit": "Maximum number of trades to return.", "last_id": "Id of the newest trade to return; 0 for the newest there is."},
		Result:   api.ArrayOf(tradeEncoder.Schema()), Example: Example{`["BTC_USDT",1,0]`, exampleTrades},
		handling: fresh(answers(func(q *call, p *tradesRequest) ([]byte, *Error) { return q.conn.server.trades.request(p), nil })),
	},
	subscribing(`["BTC_USDT"]`, Method{
		Summary: "Subscribe to trades",
		Text: "Pushes up to 100 trades of each market at once, then trades as they happen. Without any market it subscribes to all, " +
			"also to those that are listed later.",
		handling: fresh(asks(func(q *call, p *followSubscription) ([]byte, func(), *Error) {
			return q.conn.server.trades.subscribe(q, p)
		})),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.trades })),
	Method{
		Kind: Push, Summary: "Trades", Text: "The market and its trades, newest first.",
		Result: api.TupleOf(api.Described("Market name.", api.String), api.ArrayOf(tradeEncoder.Schema())), Example: Example{Params: `["BTC_USDT",` + exampleTrades + `]`},
	},
)

// openTrades makes the channel.
func (s *Server) openTrades(ctx context.Context) listener {
	t := &trades{
		server: s, recent: s.options.Data.Trades,
		deals: map[schema.MarketID][]marketdata.Trade{}, firsts: map[schema.MarketID]firstTrades{},
	}
	t.followers = newFollowers(s.pushes(tradesChannel), t.first)
	_, markets, _ := s.options.API.Directory().Listing()
	for _, m := range markets {
		for _, newest := range t.recent(m.ID, 0, 1) {
			t.pushed = max(t.pushed, newest.ID)
		}
	}
	s.trades = t
	s.channels = append(s.channels, t)
	s.every(ctx, owedPause, t.payAll)
	return t
}

type tradesRequest struct {
	market      *schema.MarketInfo
	limit, last int64
}

func (p *tradesRequest) read(a *arguments) {
	a.count(3, 3)
	p.limit = a.between(1, "limit", 1, maxTrades)
	p.last = a.between(2, "last_id", 0, math.MaxInt64)
	p.market = a.market(0)
}

// request answers with the newest trades up to one.
func (t *trades) request(p *tradesRequest) []byte {
	data := t.server.options.Data
	if p.last == 0 {
		return appendTrades(nil, data.Trades(p.market.ID, 0, int(p.limit)))
	}
	return appendTrades(nil, data.TradesUpTo(p.market.ID, schema.DealID(p.last), int(p.limit)))
}

// first is the first frame of a market; nil when there was no trade.
func (t *trades) first(f *follower, m *schema.MarketInfo) []byte {
	newest := t.recent(m.ID, 0, 1)
	if len(newest) == 0 {
		return nil
	}
	first := t.firsts[m.ID]
	if first.frame == nil || first.newest != newest[0].ID { // the trades of a seed have number 0
		list := t.recent(m.ID, 0, maxTrades)
		first = firstTrades{list[0].ID, tradesFrame(m, list)}
		t.firsts[m.ID] = first
	}
	if first.newest > t.pushed {
		if f.ahead == nil {
			f.ahead = map[schema.MarketID]schema.DealID{}
		}
		f.ahead[m.ID] = first.newest
	}
	return first.frame
}

// happened implements listener.
func (t *trades) happened(step *node.Step) {
	for i := range step.Commands {
		h := &step.Commands[i]
		for _, e := range step.Events(h) {
			if e, is := e.(*schema.Deal); is && !e.OffBook {
				if t.deals[e.Market] == nil {
					t.order = append(t.order, e.Market)
				}
				t.deals[e.Market] = append(t.deals[e.Market], marketdata.Trade{
					ID: e.ID, Time: h.Time, Price: e.Price, Amount: e.Amount, Money: e.Money, Side: e.TakerSide, RPI: e.RPI,
				})
			}
		}
	}
}

// tell implements listener.
func (t *trades) tell() {
	if len(t.order) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range t.order {
		m := t.server.options.API.Directory().MarketByID(id)
		for list := range slices.Chunk(t.deals[id], maxBurst) {
			t.pushAll(m, list)
		}
	}
	clear(t.deals)
	t.order = t.order[:0]
}

// pushAll pushes trades of a market, which come oldest first, in a frame that has the newest first.
func (t *trades) pushAll(m *schema.MarketInfo, list []marketdata.Trade) {
	slices.Reverse(list)
	newest := list[0].ID
	t.pushed = max(t.pushed, newest)
	var frame []byte
	following, _ := t.of(m)
	for _, f := range following {
		if seen := f.ahead[m.ID]; seen > 0 {
			if newest >= seen {
				delete(f.ahead, m.ID)
			}
			if n := slices.IndexFunc(list, func(t marketdata.Trade) bool { return t.ID <= seen }); n >= 0 {
				if n > 0 {
					t.push(f, tradesFrame(m, list[:n]))
				}
				continue
			}
		}
		if frame == nil {
			frame = tradesFrame(m, list)
		}
		t.push(f, frame)
	}
}

func tradesFrame(m *schema.MarketInfo, list []marketdata.Trade) []byte {
	b := api.AppendText(append(push(tradesChannel), '['), m.Name)
	return pushed(append(appendTrades(append(b, ','), list), ']'))
}

func appendTrades(b []byte, list []marketdata.Trade) []byte {
	return tradeEncoder.Array(list).AppendTo(b)
}
