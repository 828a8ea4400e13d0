package webhook

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/schema"
)

// numbers are those of events, in the order in which they are taken out.
func (l *line) numbers() (list []uint64) {
	for _, w := range l.list[l.head:] {
		list = append(list, w.n)
	}
	return list
}

// TestALineIsInOrder holds it against a plain list.
func TestALineIsInOrder(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var l line
	var plain []uint64
	next := uint64(0)
	for step := range 20_000 {
		switch what := draw.IntN(10); {
		case what < 5 || len(plain) == 0:
			next++
			l.push(waiting{n: next})
			plain = append(plain, next)
		case what < 8:
			w := l.pop()
			if w.n != plain[0] {
				t.Fatalf("step %d: %d came for %d", step, w.n, plain[0])
			}
			if plain = plain[1:]; what == 7 {
				l.back(w)
				plain = slices.Insert(plain, 0, w.n)
			}
		default:
			n := plain[draw.IntN(len(plain))]
			if !l.remove(n) || l.remove(n) {
				t.Fatalf("step %d: %d is not taken out once", step, n)
			}
			plain = slices.DeleteFunc(plain, func(m uint64) bool { return m == n })
		}
		if !slices.Equal(l.numbers(), plain) {
			t.Fatalf("step %d: %v, want %v", step, l.numbers(), plain)
		}
	}
	if cap(l.list) > 4*len(l.list)+1000 {
		t.Errorf("%d places for %d events", cap(l.list), len(l.list))
	}
}

// TestTheFirstOfALineLeavesWithoutMovingTheRest, also when it is dropped because too many wait.
func TestTheFirstOfALineLeavesWithoutMovingTheRest(t *testing.T) {
	k := &hook{}
	for n := range uint64(10_000) {
		k.add(waiting{n: n + 1})
	}
	second, last := &k.fresh.list[1], &k.fresh.list[9_999]
	k.remove(1)
	if k.fresh.first() != second || last.n != 10_000 {
		t.Error("the others were moved")
	}
	w := k.fresh.pop()
	k.fresh.back(w)
	if k.fresh.first() != second || last.n != 10_000 {
		t.Error("putting one back moved the others")
	}
}

// TestRetriesAreFoundByNumber, and leave in the order in which they are due.
func TestRetriesAreFoundByNumber(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	var r retries
	var plain []waiting
	for n := range uint64(2000) {
		w := waiting{n: n, from: schema.Time(draw.IntN(100)), due: schema.Time(draw.IntN(500)), attempts: 1}
		r.add(w)
		plain = append(plain, w)
	}
	for _, n := range draw.Perm(2000)[:700] {
		r.remove(uint64(n))
		plain = slices.DeleteFunc(plain, func(w waiting) bool { return w.n == uint64(n) })
	}
	old := r.before(20)
	for _, w := range old {
		if w.from > 20 {
			t.Fatalf("%+v is not old", w)
		}
	}
	before := len(plain)
	plain = slices.DeleteFunc(plain, func(w waiting) bool { return w.from <= 20 })
	if len(old) != before-len(plain) || r.oldest != 21 {
		t.Errorf("%d of %d are old; the oldest of the others is of %d", len(old), before-len(plain), r.oldest)
	}
	slices.SortFunc(plain, func(a, b waiting) int {
		if a.due != b.due {
			return int(a.due - b.due)
		}
		return int(a.n) - int(b.n)
	})
	for _, want := range plain {
		if w := r.pop(); w != want {
			t.Fatalf("%+v, want %+v", w, want)
		}
	}
	if r.Len() != 0 || len(r.places) != 0 {
		t.Errorf("%d are left, %d places", r.Len(), len(r.places))
	}
}

// TestRetriesAreLookedThroughOnlyWhenOneMayBeOld: an event that stands among them as old, without their knowing, is not seen.
func TestRetriesAreLookedThroughOnlyWhenOneMayBeOld(t *testing.T) {
	k := &hook{}
	for n := range uint64(100) {
		k.add(waiting{n: n, from: 10, attempts: 1})
	}
	k.retries.list[50].from = 0
	if list := k.expired(day + 9); len(list) != 0 {
		t.Errorf("all were looked through: %d ended", len(list))
	}
	if list := k.expired(day + 10); len(list) != 100 {
		t.Errorf("%d ended", len(list))
	}
}
