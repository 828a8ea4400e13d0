package ws

import (
	"context"
	"time"

	"bourse/internal/api"
)

// Nobody has positions or borrows anything as long as there is no margin trading, and no alarm is
// raised about them. The channels say so: those that push a list push an empty one, once; those that
// push events have none.

const (
	positionsRight = "/api/v4/collateral-account/positions/open"
	borrowsRight   = "/api/v4/collateral-account/borrow-history"
)

var noRecordsEncoder = api.Encode("NoRecords", "An empty list.",
	api.ConstantField[struct{}]("total", api.Integer, "Number of records: 0.", "0"),
	api.ConstantField[struct{}]("records", api.TupleOf(), "The records.", "[]"))

var noRecords = string(noRecordsEncoder.Append(nil, &struct{}{}))

var (
	positionMethods = silent("positionsMargin", positionsRight,
		"Positions", "Open positions of the account. There is no margin or futures market yet.", noRecordsEncoder.Schema(), noRecords)
	positionAlertMethods = silent("positionsAccountMargin", positionsRight,
		"Position alerts", "Margin calls and liquidations of positions. There is no margin or futures market yet, so nothing is pushed.", nil, "")
	borrowMethods = silent("borrowsMargin", borrowsRight,
		"Borrows", "What the account has borrowed. Nothing can be borrowed yet.", noRecordsEncoder.Schema(), noRecords)
	borrowAlertMethods = silent("borrowsAccountMargin", borrowsRight,
		"Borrow alerts", "Margin calls and liquidations of borrows. Nothing can be borrowed yet, so nothing is pushed.", nil, "")
)

// silent are the rows of a channel that has nothing to push but perhaps an empty list.
func silent(name, right, title, text string, sent *shape, params string) []Method {
	rows := []Method{
		subscribing(`[]`, Method{
			Summary: "Subscribe", Text: text,
			handling: asks(func(q *call, _ *nothing) ([]byte, func(), *Error) {
				c := q.conn
				return success, func() {
					if params != "" {
						c.server.pushes(name).Inc()
						c.sendAfter(pushed(append(push(name), params...)))
					}
				}, nil
			}),
		}),
		unsubscribing(answers(func(*call, *anything) ([]byte, *Error) { return success, nil })),
	}
	if sent != nil {
		rows = append(rows, Method{Kind: Push, Summary: title, Text: text, Result: sent, Example: Example{Params: params}})
	}
	return channel(&Group{name, title, text}, right, rows...)
}

// ranks pushes at which place of the queue for auto-deleveraging the positions of an account are,
// again and again. The list is empty: there are no positions.
type ranks struct{ private *private[rankScope] }

// rankScope is when a client gets the list next.
type rankScope struct{ due time.Time }

const (
	ranksPause = 30 * time.Second
	ranksLook  = time.Second
)

const (
	ranksChannel = "ADLQuantile"
	ranksRight   = "/api/v4/collateral-account/adl-quantile"
)

// Only markets of futures can be named, and there are none.
var rankMethods = channel(
	&Group{ranksChannel, "Auto-deleveraging rank", "Rank of the positions of the account in the queue for auto-deleveraging, pushed every 30 seconds. There is no futures market yet."}, ranksRight,
	subscribing(`[]`, Method{
		Summary: "Subscribe to ranks", Text: "Pushes the ranks at once and every 30 seconds. The list is empty as long as there is no futures market.",
		handling: asks(func(q *call, _ *nothing) ([]byte, func(), *Error) {
			return q.conn.server.personal.ranks.private.subscribe(q, rankScope{})
		}),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.personal.ranks.private })),
	Method{Kind: Push, Summary: "Ranks", Text: "The ranks: an empty list.", Result: api.TupleOf(), Example: Example{Params: `[]`}},
)

var noRanks = pushed(append(push(ranksChannel), `[]`...))

func (s *Server) openRanks(ctx context.Context) *ranks {
	r := &ranks{openPrivate[rankScope](s, ranksChannel, ranksRight)}
	r.private.first = func(x *rankScope) []byte {
		x.due = time.Now().Add(ranksPause)
		return noRanks
	}
	s.every(ctx, ranksLook, func() { r.tick(time.Now()) })
	return r
}

// tick pushes to those whose time has come.
func (r *ranks) tick(now time.Time) {
	r.private.all(func(sub *subscription[rankScope]) {
		if sub.begun && !now.Before(sub.scope.due) {
			sub.scope.due = now.Add(ranksPause)
			r.private.push(sub, noRanks)
		}
	})
}
