package ws

import (
	"context"
	"time"

	"bourse/internal/api"
	"bourse/internal/ranking"
	"bourse/internal/schema"
)

// ranks pushes at which place of the queue for auto-deleveraging the positions of an account are, again and again.
type ranks struct {
	server  *Server
	private *private[rankScope]
}

// rankScope is which positions a client wants to hear of, and when it does next.
type rankScope struct {
	account schema.AccountID
	market  schema.MarketID // 0: all on which there are positions
	begin   []byte          // the frame to begin with
	due     time.Time
}

const (
	ranksPause = 30 * time.Second
	ranksLook  = time.Second
)

const (
	ranksChannel = "ADLQuantile"
	ranksRight   = "/api/v4/collateral-account/adl-quantile"
)

var rankShape = api.Nullable(api.Integer)

var rankMethods = channel(
	&Group{ranksChannel, "Auto-deleveraging rank", "Rank of the positions of the account in the queue for auto-deleveraging, pushed every 30 seconds."}, ranksRight,
	subscribing(`[]`, Method{
		Summary: "Subscribe to ranks", Text: "Pushes the ranks at once and every 30 seconds, of one futures market or of all with an open position.",
		Meanings: map[string]string{"market": "Name of a futures market, as BASE_PERP. Without it, all with an open position."},
		handling: asks(func(q *call, p *ranksSubscription) ([]byte, func(), *Error) {
			return q.conn.server.personal.ranks.subscribe(q, p)
		}),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.personal.ranks.private })),
	Method{
		Kind: Push, Summary: "Ranks", Text: "The ranks, from 0 (closed last) to 4 (closed first). A market that was named is listed also without a position.",
		Result: api.ArrayOf(named("Rank", "Ranks of the positions on a market.", api.TupleOf(
			api.Described("Market name.", api.String), api.Described("Rank of the long position, null without one.", rankShape),
			api.Described("Rank of the short position, null without one.", rankShape),
		))),
		Example: Example{Params: `[["BTC_PERP",null,4]]`},
	},
)

// ranksSubscription is a subscription to one future, or to all.
type ranksSubscription struct{ market schema.MarketID }

func (p *ranksSubscription) read(a *arguments) {
	a.count(0, 1)
	if a.schema == nil && len(a.params) == 0 {
		return
	}
	if m := a.future(a.text(0, "market")); m != nil {
		p.market = m.ID
	}
}

func (s *Server) openRanks(ctx context.Context) *ranks {
	r := &ranks{s, openPrivate[rankScope](s, ranksChannel, ranksRight)}
	r.private.first = func(x *rankScope) []byte {
		x.due = time.Now().Add(ranksPause)
		return x.begin
	}
	s.every(ctx, ranksLook, func() { r.tick(time.Now()) })
	return r
}

// subscribe looks at the ranks before it locks the channel: to make a ranking may take a while.
func (r *ranks) subscribe(q *call, p *ranksSubscription) ([]byte, func(), *Error) {
	x := rankScope{account: q.account.ID, market: p.market}
	x.begin = r.frame(&x)
	return r.private.subscribe(q, x)
}

// tick pushes to those whose time has come. The channel is not locked while ranks are looked at.
func (r *ranks) tick(now time.Time) {
	var due []*subscription[rankScope]
	r.private.all(func(sub *subscription[rankScope]) {
		if sub.begun && !now.Before(sub.scope.due) {
			sub.scope.due = now.Add(ranksPause)
			due = append(due, sub)
		}
	})
	for _, sub := range due {
		f := r.frame(&sub.scope)
		r.private.mu.Lock()
		if r.private.conns[sub.conn] == sub {
			r.private.push(sub, f)
		}
		r.private.mu.Unlock()
	}
}

func (r *ranks) frame(x *rankScope) []byte {
	list := r.server.options.API.Quantiles(x.account)
	if x.market != 0 {
		one := ranking.Quantile{Market: x.market, Long: -1, Short: -1}
		for _, q := range list {
			if q.Market == x.market {
				one = q
			}
		}
		list = []ranking.Quantile{one}
	}
	b := append(push(ranksChannel), '[')
	for i, q := range list {
		b = api.AppendText(append(api.AppendComma(b, i), '['), r.server.options.API.Directory().MarketName(q.Market))
		b = appendRank(append(b, ','), q.Long)
		b = append(appendRank(append(b, ','), q.Short), ']')
	}
	return pushed(append(b, ']'))
}

func appendRank(b []byte, rank int) []byte {
	if rank < 0 {
		return append(b, `null`...)
	}
	return api.AppendInt(b, int64(rank))
}
