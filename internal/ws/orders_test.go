package ws

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/history"
	"bourse/internal/schema"
)

// archive is a history of orders, newest first, that counts what it goes through.
type archive struct {
	records []history.Record
	passed  int
}

func (a *archive) page(q *history.Query) ([]history.Record, *Error) {
	list := a.records
	if q.To != 0 {
		i, _ := slices.BinarySearchFunc(list, q.To, func(r history.Record, to schema.Time) int { return cmp.Compare(to, r.Time) })
		list = list[i:]
	}
	end := min(q.Offset+q.Limit, len(list))
	a.passed += end
	return list[min(q.Offset, end):end], nil
}

// add puts a newer order in front.
func (a *archive) add(at schema.Time, kind schema.OrderType) {
	r := history.Record{Time: at, ID: uint64(len(a.records) + 1), Payload: &schema.Order{Type: kind}}
	a.records = slices.Insert(a.records, 0, r)
}

func TestPagesOfSomeTypesAreChosenFromThePast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &archive{}
		now := schema.Time(1)
		same := rapid.IntRange(0, 2000).Draw(t, "orders of one moment")
		for i := range rapid.IntRange(0, 3500).Draw(t, "orders") {
			kind := schema.Limit
			if i%3 == 0 {
				kind = schema.Market
			}
			a.add(now, kind)
			if same == 0 || i%same == 0 {
				now++
			}
		}
		offset, limit := rapid.IntRange(0, 1300).Draw(t, "offset"), rapid.IntRange(1, maxLimit).Draw(t, "limit")
		got, err := pastOf(a.page, &history.Query{Offset: offset, Limit: limit}, []int64{orderTypes[schema.Market]})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(a.records), func(r history.Record) bool { return r.Payload.(*schema.Order).Type != schema.Market })
		want = want[min(offset, len(want)):]
		want = want[:min(limit, len(want))]
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%d records instead of %d", len(got), len(want))
		}
	})
}

func TestPagesOfSomeTypesGoThroughABoundedPast(t *testing.T) {
	ask := func(a *archive) int {
		t.Helper()
		found, err := pastOf(a.page, &history.Query{Limit: maxLimit}, []int64{orderTypes[schema.Market]})
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	for _, tt := range []struct {
		name   string
		moment func(i int) schema.Time
		passed int
	}{
		{"each at a moment of its own", func(i int) schema.Time { return schema.Time(i + 1) }, searched + searched/searchedAtOnce},
		{"all at one moment", func(int) schema.Time { return 1 }, searched / 2 * (searched/searchedAtOnce + 1)},
	} {
		a := &archive{records: make([]history.Record, 3*searched)}
		for i := range a.records {
			a.records[i] = history.Record{Time: tt.moment(3*searched - i), Payload: &schema.Order{Type: schema.Limit}}
		}
		if found := ask(a); found != 0 || a.passed > tt.passed {
			t.Errorf("%s: %d found, went through %d records, want at most %d", tt.name, found, a.passed, tt.passed)
		}
		a.records[searched-1].Payload = &schema.Order{Type: schema.Market}
		a.records[searched].Payload = &schema.Order{Type: schema.Market}
		if found := ask(a); found != 1 {
			t.Errorf("%s: %d orders of the type are found among the newest %d, want 1", tt.name, found, searched)
		}
	}
}
