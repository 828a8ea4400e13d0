package ws

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// tops pushes the best prices of books whenever they or their amounts change.
//
// The market data may be ahead of the step that is being pushed. So what counts as a change is what
// differs from the top that was pushed last, and who subscribes gets that one as well: then nobody
// gets the same twice, and nobody misses the newest.
type tops struct {
	books     books
	directory *directory.Directory
	now       func() schema.Time

	touched map[schema.MarketID]struct{} // and not yet pushed

	*followers
	last map[schema.MarketID]top // of markets that somebody follows
}

// top is the front of a book.
type top struct {
	bid, ask marketdata.Level
	version  uint64
	changed  schema.Time
}

const topsChannel = "bookTicker"

var topMethods = channel(
	&Group{topsChannel, "Best bid and ask", "The best prices of order books and their amounts, pushed whenever one of them changes."}, "",
	subscribing(`["BTC_USDT"]`, Method{
		Summary: "Subscribe to best bid and ask",
		Text: "Pushes the best prices of each market at once, then every change. Without any market it subscribes to all, " +
			"also to those that are listed later.",
		handling: fresh(asks(func(q *call, p *followSubscription) ([]byte, func(), *Error) {
			return q.conn.server.tops.subscribe(q, p)
		})),
	}),
	unsubscribingMarkets(asks(func(q *call, p *unsubscription) ([]byte, func(), *Error) {
		t := q.conn.server.tops
		return p.end(q.conn, &t.mu, t.remove, t.drop)
	})),
	Method{
		Kind: Push, Summary: "Best bid and ask", Text: "The best prices of one market. An empty side has price and amount 0.",
		Result: api.TupleOf(api.TupleOf(
			api.Described("Time of the last change of the book, Unix time in seconds.", api.Timestamp), api.Described("Time of sending, Unix time in seconds.", api.Timestamp),
			api.Described("Market name.", api.String), api.Described("Update id of the book, as in depth.", api.Integer),
			api.Described("Best bid price.", api.Decimal), api.Described("Amount at the best bid.", api.Decimal),
			api.Described("Best ask price.", api.Decimal), api.Described("Amount at the best ask.", api.Decimal),
		)),
		Example: Example{Params: `[[1790000001.250000,1790000001.250300,"BTC_USDT",80671,"51230","0.4","51231","1.1"]]`},
	},
)

// openTops makes the channel.
func (s *Server) openTops(ctx context.Context) listener {
	s.tops = newTops(s.options.Data, s.options.API.Directory(), s.now, s.pushes(topsChannel))
	s.channels = append(s.channels, s.tops)
	s.every(ctx, owedPause, s.tops.payAll)
	return s.tops
}

func newTops(b books, d *directory.Directory, now func() schema.Time, pushes prometheus.Counter) *tops {
	t := &tops{books: b, directory: d, now: now, touched: map[schema.MarketID]struct{}{}, last: map[schema.MarketID]top{}}
	t.followers = newFollowers(pushes, t.state)
	return t
}

// happened implements listener.
func (t *tops) happened(step *node.Step) {
	for i := range step.Commands {
		for _, e := range step.Events(&step.Commands[i]) {
			if e, is := e.(*schema.LevelChanged); is {
				t.touched[e.Market] = struct{}{}
			}
		}
	}
}

// tell implements listener.
func (t *tops) tell() {
	if len(t.touched) == 0 {
		return
	}
	defer clear(t.touched)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byConn) == 0 {
		clear(t.last)
		return
	}
	for id := range t.touched {
		t.renew(t.directory.MarketByID(id))
	}
}

// renew pushes the top of a book if it is another one than before.
func (t *tops) renew(m *schema.MarketInfo) {
	list, owed := t.of(m)
	if len(list)+owed == 0 {
		delete(t.last, m.ID)
		return
	}
	old, known := t.last[m.ID]
	now := t.read(m.ID)
	if known && old.bid == now.bid && old.ask == now.ask {
		return
	}
	t.last[m.ID] = now
	var frame []byte
	for _, f := range list {
		if f.conn.backlog() > fallsBehind {
			t.owe(f, m)
			continue
		}
		if frame == nil {
			frame = t.frame(m, &now)
		}
		t.push(f, frame)
	}
}

// state is the frame of the top that counts as pushed.
func (t *tops) state(_ *follower, m *schema.MarketInfo) []byte {
	last, known := t.last[m.ID]
	if !known {
		last = t.read(m.ID)
		t.last[m.ID] = last
	}
	return t.frame(m, &last)
}

func (t *tops) read(id schema.MarketID) top {
	w := t.books.Window(id, 1, fixed.Zero)
	now := top{version: w.Version, changed: w.Changed}
	if len(w.Bids) > 0 {
		now.bid = w.Bids[0]
	}
	if len(w.Asks) > 0 {
		now.ask = w.Asks[0]
	}
	return now
}

func (t *tops) frame(m *schema.MarketInfo, now *top) []byte {
	b := append(push(topsChannel), `[[`...)
	b = api.AppendMoment(b, now.changed)
	b = api.AppendMoment(append(b, ','), t.now())
	b = api.AppendText(append(b, ','), m.Name)
	b = api.AppendInt(append(b, ','), int64(now.version))
	for _, d := range [...]fixed.Decimal{now.bid.Price, now.bid.Amount, now.ask.Price, now.ask.Amount} {
		b = api.AppendDecimal(append(b, ','), d)
	}
	return pushed(append(b, `]]`...))
}
