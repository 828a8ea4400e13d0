package ws

import (
	"context"
	"time"
)

// Nobody has positions or borrows anything as long as there is no margin trading, and no alarm is
// raised about them. The channels say so: those that push a list push an empty one, once; those that
// push events have none.

// openMargin makes the channels of positions and borrows.
func (s *Server) openMargin() {
	for name, lists := range map[string]bool{
		"positionsMargin": true, "borrowsMargin": true, "positionsAccountMargin": false, "borrowsAccountMargin": false,
	} {
		var nothing []byte
		if lists {
			nothing = pushed(append(push(name+"_update"), `{"total":0,"records":[]}`...))
		}
		pushes := s.meters.pushes.WithLabelValues(name)
		s.answers(name+"_subscribe", method{private: true, do: func(q *call) ([]byte, func(), *Error) {
			if len(q.params) > 0 {
				return nil, nil, errArgument
			}
			c := q.conn
			return success, func() {
				if nothing != nil {
					pushes.Inc()
					c.sendAfter(nothing)
				}
			}, nil
		}})
		s.answers(name+"_unsubscribe", method{private: true, do: func(*call) ([]byte, func(), *Error) {
			return success, nil, nil
		}})
	}
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

var noRanks = pushed(append(push("ADLQuantile_update"), `[]`...))

func (s *Server) openRanks(ctx context.Context) *ranks {
	// Only markets of futures can be named, and there are none.
	read := func(q *call) (x rankScope, err *Error) {
		if len(q.params) > 0 {
			return x, errArgument
		}
		return x, nil
	}
	first := func(x *rankScope) []byte {
		x.due = time.Now().Add(ranksPause)
		return noRanks
	}
	r := &ranks{openPrivate(s, "ADLQuantile", read, nil, first)}
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
