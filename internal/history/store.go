package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"bourse/internal/schema"
)

// Store keeps records. It may be read while it is written.
//
// Writers continue from a Seq that the store had, in the order of the log, without gaps. Several may
// do so at once: what one of them has written already, the store takes from no other.
type Store interface {
	// Seq says that everything up to this batch of the log is in the store.
	Seq(ctx context.Context) (uint64, error)
	// Write takes the records of batches up to seq, of an account all of them or none. A write that failed
	// is repeated, or goes on from Seq. Records of batches that the store has already change nothing.
	Write(ctx context.Context, seq uint64, records []Record) error
	// Page is what a query asks for, newest first: by time, then id, then order.
	Page(ctx context.Context, q *Query) ([]Record, error)
	// Count is how many records the filters of a query choose, whatever its offset and limit. Of counted kinds
	// it is exact unless it is asked for a tag, a ref or bounds of time; otherwise it is MostCounted at most.
	Count(ctx context.Context, q *Query) (int, error)
	// Prune removes records older than a moment and returns how many. Those of operators stay: who
	// runs an exchange is asked about it for ever. One that changes after it was removed is there again
	// until the next time.
	Prune(ctx context.Context, before schema.Time) (int, error)
	// Trouble is why the store cannot keep what it is given at the moment, nil when it can. It
	// may still take writes and answer pages.
	Trouble() error
	// Close takes a bounded time, whatever the state of the store.
	Close() error
}

// Query is what every listing of the API asks for. The zero value of a filter chooses all. It is
// fast whatever its filters choose: stores go only through records that are chosen, of which they
// pass over Offset, or through those of one Ref or Tag.
type Query struct {
	Kind    Kind
	Account schema.AccountID
	Market  schema.MarketID
	Asset   schema.AssetID
	Classes []Class
	// Ref is the order or the position that records belong to. It beats Tag: an order has one client order id.
	Ref uint64
	Tag string
	// From and To are the first moment and the last one.
	From, To schema.Time
	Offset   int
	Limit    int
}

// MostCounted is how many records are counted one by one.
const MostCounted = 10_000

// errQuery is wrapped by the errors of queries that make no sense.
var errQuery = errors.New("history cannot be asked for this")

func (q *Query) check() error {
	switch {
	case !q.Kind.known():
		return fmt.Errorf("%w: there is no kind %d of records", errQuery, q.Kind)
	case q.Offset < 0 || q.Limit < 0:
		return fmt.Errorf("%w: a page at offset %d of %d records", errQuery, q.Offset, q.Limit)
	}
	for _, filter := range []struct {
		set  bool
		name string
		by   []index
	}{
		{q.Market != 0, "market", []index{byMarket}},
		{q.Asset != 0, "asset", []index{byAsset}},
		{q.Ref != 0, "ref", []index{byID, byRef}},
		{q.Tag != "", "tag", []index{byTag}},
	} {
		if filter.set && !slices.ContainsFunc(filter.by, q.Kind.foundBy) {
			return fmt.Errorf("%w: %s are not found by %s", errQuery, q.Kind, filter.name)
		}
	}
	return nil
}

// summed reports whether what is stored of the kind says how many records are chosen.
func (q *Query) summed() bool {
	i := q.index()
	return kinds[q.Kind].counted && q.From == 0 && q.To == 0 && (i == byClass || i == byAsset)
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

// fits reports whether a record of the kind and the account is chosen.
func (q *Query) fits(r *Record) bool {
	from, to := q.times()
	return (q.Market == 0 || q.Market == r.Market) && (q.Asset == 0 || q.Asset == r.Asset) &&
		(len(q.Classes) == 0 || slices.Contains(q.Classes, r.Class)) && from <= r.Time && r.Time <= to
}

// index is a way to the records of an account, newest first within each group of it.
type index uint8

const (
	byClass  index = iota // the records themselves, in groups of one class
	byMarket              // groups of one market and one class
	byAsset               // groups of one asset and one class
	byID                  // the record that has an id; its Ref is the same
	byRef                 // the records of one order or position
	byTag                 // groups of one tag and one market
)

// group of an index, as far as the index has groups.
type group struct {
	market schema.MarketID
	class  Class
}

// index that leads to what is asked for.
func (q *Query) index() index {
	switch {
	case q.Ref != 0 && q.Kind.foundBy(byID):
		return byID
	case q.Ref != 0:
		return byRef
	case q.Tag != "":
		return byTag
	case q.Market != 0:
		return byMarket
	case q.Asset != 0:
		return byAsset
	default:
		return byClass
	}
}

// filtered reports whether the index leads also to records that are not asked for.
func (q *Query) filtered() bool {
	switch q.index() {
	case byID:
		return true
	case byRef:
		return q.Market != 0 || q.Asset != 0 || len(q.Classes) > 0
	case byTag:
		return q.Asset != 0 || len(q.Classes) > 0
	case byMarket:
		return q.Asset != 0
	default:
		return false
	}
}

// groups of the index that hold what is asked for. The markets of a tag are not known beforehand;
// the store has to find them.
func (q *Query) groups(find func() ([]group, error)) ([]group, error) {
	switch q.index() {
	case byID, byRef:
		return []group{{}}, nil
	case byTag:
		if q.Market != 0 || !q.Kind.foundBy(byMarket) {
			return []group{{market: q.Market}}, nil
		}
		return find()
	default:
		var list []group
		for _, class := range q.classes() {
			list = append(list, group{q.Market, class})
		}
		return list, nil
	}
}

// identity of a record of a kind that changes.
type identity struct {
	kind    Kind
	account schema.AccountID
	id      uint64
}

// fresh are the records of batches after one, which the store has: of those that change the last
// state only.
func fresh(records []Record, after uint64) []Record {
	records = records[sort.Search(len(records), func(i int) bool { return records[i].Seq > after }):]
	var last map[identity]int // where the last state of a record is
	states := 0
	for i := range records {
		r := &records[i]
		if kinds[r.Kind].changes {
			if last == nil {
				last = map[identity]int{}
			}
			last[identity{r.Kind, r.Account, r.ID}] = i
			states++
		}
	}
	if states == len(last) {
		return records
	}
	list := make([]Record, 0, len(records)-states+len(last))
	for i := range records {
		r := &records[i]
		if !kinds[r.Kind].changes || last[identity{r.Kind, r.Account, r.ID}] == i {
			list = append(list, *r)
		}
	}
	return list
}
