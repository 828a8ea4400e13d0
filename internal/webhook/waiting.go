package webhook

import (
	"cmp"
	"container/heap"
	"slices"

	"bourse/internal/schema"
)

// The two orders in which events of a webhook wait. A webhook may have ten thousand of them, and all webhooks share one lock: nothing here looks
// through all of them, or moves them, for one event.

// line has events by number, the lowest first.
type line struct {
	list []waiting
	head int // where the first stands
}

func (l *line) len() int        { return len(l.list) - l.head }
func (l *line) first() *waiting { return &l.list[l.head] }

// push puts an event at the end. What was taken from the head makes room when it is half of the list.
func (l *line) push(w waiting) {
	if l.head > len(l.list)/2 {
		n := copy(l.list, l.list[l.head:])
		l.list, l.head = l.list[:n], 0
	}
	l.list = append(l.list, w)
}

func (l *line) pop() waiting {
	w := l.list[l.head]
	l.head++
	return w
}

// back puts an event before the first.
func (l *line) back(w waiting) {
	if l.head == 0 {
		l.list = slices.Insert(l.list, 0, w)
		return
	}
	l.head--
	l.list[l.head] = w
}

// remove takes an event out, if it is there. It is nearly always the first.
func (l *line) remove(n uint64) bool {
	i, there := slices.BinarySearchFunc(l.list[l.head:], n, func(w waiting, n uint64) int { return cmp.Compare(w.n, n) })
	switch {
	case !there:
		return false
	case i == 0:
		l.head++
	default:
		l.list = slices.Delete(l.list, l.head+i, l.head+i+1)
	}
	return true
}

// retries has what was tried before, the next due first. It is a heap that knows where each event stands.
type retries struct {
	list   []waiting
	places map[uint64]int
	// oldest is not later than any event began to wait.
	oldest schema.Time
}

func (r *retries) Len() int { return len(r.list) }
func (r *retries) Less(i, j int) bool {
	a, b := &r.list[i], &r.list[j]
	return a.due < b.due || a.due == b.due && a.n < b.n
}

func (r *retries) Swap(i, j int) {
	r.list[i], r.list[j] = r.list[j], r.list[i]
	r.places[r.list[i].n], r.places[r.list[j].n] = i, j
}

func (r *retries) Push(x any) {
	w := x.(waiting)
	r.places[w.n] = len(r.list)
	r.list = append(r.list, w)
}

func (r *retries) Pop() any {
	w := r.list[len(r.list)-1]
	r.list = r.list[:len(r.list)-1]
	delete(r.places, w.n)
	return w
}

func (r *retries) first() *waiting { return &r.list[0] }
func (r *retries) pop() waiting    { return heap.Pop(r).(waiting) }

func (r *retries) add(w waiting) {
	if r.places == nil {
		r.places = map[uint64]int{}
	}
	if len(r.list) == 0 || w.from < r.oldest {
		r.oldest = w.from
	}
	heap.Push(r, w)
}

func (r *retries) remove(n uint64) {
	if i, there := r.places[n]; there {
		heap.Remove(r, i)
	}
}

// before takes out the events that began to wait at a moment or earlier. It looks through all of them only if there may be one.
func (r *retries) before(at schema.Time) (list []waiting) {
	if len(r.list) == 0 || r.oldest > at {
		return nil
	}
	r.oldest = never
	kept := r.list[:0]
	clear(r.places)
	for _, w := range r.list {
		if w.from <= at {
			list = append(list, w)
			continue
		}
		r.oldest = min(r.oldest, w.from)
		r.places[w.n] = len(kept)
		kept = append(kept, w)
	}
	r.list = kept
	heap.Init(r)
	return list
}
