package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"bourse/internal/schema"
)

// Store keeps records. It may be read while it is written.
//
// Writers continue from a Seq that the store had, batch by batch without gaps. Several may do so
// at once: what one of them has written already, the store takes from no other.
type Store interface {
	// Seq says that everything up to this batch of the log is in the store.
	Seq(ctx context.Context) (uint64, error)
	// Write takes the records of batches up to seq, all of them or none. Records of batches that
	// the store has already change nothing.
	Write(ctx context.Context, seq uint64, records []Record) error
	// Page is what a query asks for, newest first: by time, then id, then order.
	Page(ctx context.Context, q *Query) ([]Record, error)
	// Prune removes records older than a moment and returns how many. Those of operators stay: who
	// runs an exchange is asked about it for ever.
	Prune(ctx context.Context, before schema.Time) (int, error)
	// Trouble is why the store cannot keep what it is given at the moment, nil when it can. It
	// may still take writes and answer pages.
	Trouble() error
	// Close takes a bounded time, whatever the state of the store.
	Close() error
}

// Query is what every listing of the API asks for. The zero value of a filter chooses all. It is
// fast whatever its filters choose: stores go only through records that are chosen, of which they
// pass over Offset.
type Query struct {
	Kind    Kind
	Account schema.AccountID
	Market  schema.MarketID
	Classes []Class
	// Ref is the order that records belong to. It beats Tag: an order has one client order id.
	Ref uint64
	Tag string
	// From and To are the first moment and the last one.
	From, To schema.Time
	Offset   int
	Limit    int
}

// errQuery is wrapped by the errors of queries that make no sense.
var errQuery = errors.New("history cannot be asked for this")

func (q *Query) check() error {
	switch {
	case !q.Kind.known():
		return fmt.Errorf("%w: there is no kind %d of records", errQuery, q.Kind)
	case q.Offset < 0 || q.Limit < 0:
		return fmt.Errorf("%w: a page at offset %d of %d records", errQuery, q.Offset, q.Limit)
	}
	return nil
}

// times are the first and the last moment.
func (q *Query) times() (from, to schema.Time) {
	from, to = q.From, q.To
	if from == 0 {
		from = math.MinInt64
	}
	if to == 0 {
		to = math.MaxInt64
	}
	return from, to
}

// empty reports whether nothing can be chosen.
func (q *Query) empty() bool {
	from, to := q.times()
	return q.Limit == 0 || from > to
}

// classes are those that are asked for and that the kind has, once each.
func (q *Query) classes() []Class {
	if len(q.Classes) == 0 {
		return kinds[q.Kind].classes
	}
	var list []Class
	for _, c := range q.Classes {
		if slices.Contains(kinds[q.Kind].classes, c) && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// chooses reports whether a group of records of one market and class is asked for.
func (q *Query) chooses(g group) bool {
	return (q.Market == 0 || q.Market == g.market) && (len(q.Classes) == 0 || slices.Contains(q.Classes, g.class))
}

// index is a way to the records of an account, newest first within each group of it.
type index uint8

const (
	byTime   index = iota // all of a kind in one group
	byMarket              // groups of one market and one class
	byRef                 // groups of one order, market and class
	byTag                 // groups of one client order id, market and class
	byClass               // groups of one class; not for records without a choice
)

// group of an index.
type group struct {
	market schema.MarketID
	class  Class
}

// index that leads to what is asked for and to nothing else.
func (q *Query) index() index {
	switch {
	case q.Ref != 0:
		return byRef
	case q.Tag != "":
		return byTag
	case q.Market != 0:
		return byMarket
	case len(q.Classes) == 0, kinds[q.Kind].classes[0] == 0 && slices.Contains(q.Classes, 0):
		return byTime
	default:
		return byClass
	}
}

// groups of the index that hold what is asked for. Those of orders and client order ids are not
// known beforehand; the store has to find them.
func (q *Query) groups(find func() ([]group, error)) ([]group, error) {
	switch q.index() {
	case byTime:
		return []group{{}}, nil
	case byRef, byTag:
		all, err := find()
		return slices.DeleteFunc(all, func(g group) bool { return !q.chooses(g) }), err
	default:
		var list []group
		for _, class := range q.classes() {
			list = append(list, group{q.Market, class})
		}
		return list, nil
	}
}
