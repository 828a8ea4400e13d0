package ws

import (
	"context"
	"slices"

	"bourse/internal/api"
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

// openTrades makes the channel.
func (s *Server) openTrades(ctx context.Context) listener {
	t := &trades{
		server: s, recent: s.options.Data.Trades,
		deals: map[schema.MarketID][]marketdata.Trade{}, firsts: map[schema.MarketID]firstTrades{},
	}
	t.followers = newFollowers(s.meters.pushes.WithLabelValues("trades"), t.first)
	_, markets, _ := s.options.API.Directory().Listing()
	for _, m := range markets {
		for _, newest := range t.recent(m.ID, 0, 1) {
			t.pushed = max(t.pushed, newest.ID)
		}
	}
	s.channels = append(s.channels, t)
	s.answers("trades_request", method{do: s.fresh(t.request)})
	s.answers("trades_subscribe", method{do: s.fresh(t.subscribe)})
	s.answers("trades_unsubscribe", method{do: func(q *call) ([]byte, func(), *Error) {
		t.leave(q.conn)
		return success, nil, nil
	}})
	s.every(ctx, owedPause, t.payAll)
	return t
}

// request answers with the newest trades up to one.
func (t *trades) request(q *call) ([]byte, func(), *Error) {
	name, err := q.text(0)
	if err != nil {
		return nil, nil, err
	}
	limit, err := q.whole(1)
	if err != nil {
		return nil, nil, err
	}
	last, err := q.whole(2)
	if err != nil {
		return nil, nil, err
	}
	if len(q.params) != 3 || limit < 1 || limit > maxTrades || last < 0 {
		return nil, nil, errArgument
	}
	m, err := q.conn.market(name)
	if err != nil {
		return nil, nil, err
	}
	data := t.server.options.Data
	if last == 0 {
		return appendTrades(nil, data.Trades(m.ID, 0, int(limit))), nil, nil
	}
	return appendTrades(nil, data.TradesUpTo(m.ID, schema.DealID(last), int(limit))), nil, nil
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
		for e := range step.Events(h) {
			if e, is := e.(*schema.Deal); is {
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
	b := api.AppendText(append(push("trades_update"), '['), m.Name)
	return pushed(append(appendTrades(append(b, ','), list), ']'))
}

func appendTrades(b []byte, list []marketdata.Trade) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		t := &list[i]
		b = append(b, `{"id":`...)
		b = api.AppendInt(b, int64(t.ID))
		b = append(b, `,"time":`...)
		b = api.AppendMoment(b, t.Time)
		b = append(b, `,"price":`...)
		b = api.AppendDecimal(b, t.Price)
		b = append(b, `,"amount":`...)
		b = api.AppendDecimal(b, t.Amount)
		b = append(b, `,"type":"`...)
		b = append(b, t.Side.String()...)
		b = append(b, `","rpi":`...)
		b = api.AppendBool(b, t.RPI)
		b = append(b, '}')
	}
	return append(b, ']')
}
