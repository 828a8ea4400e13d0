package slab

// List is values of a slab in an order, by their places. A value is in one list at a time.
type List struct{ First, Last uint32 }

// Links are where a value is in its list. Values of a Shelf embed them.
type Links struct {
	Where         *List
	Before, After uint32
}

func (l *Links) links() *Links { return l }

// Shelf is a slab of values that are in lists.
type Shelf[T any, P interface {
	*T
	links() *Links
}] struct{ Slab[T] }

// Push puts a value at the end of a list.
func (s *Shelf[T, P]) Push(l *List, place uint32) {
	*P(s.At(place)).links() = Links{Where: l, Before: l.Last}
	if l.Last == 0 {
		l.First = place
	} else {
		P(s.At(l.Last)).links().After = place
	}
	l.Last = place
}

// Pull takes a value out of its list.
func (s *Shelf[T, P]) Pull(place uint32) {
	at := P(s.At(place)).links()
	if at.Before == 0 {
		at.Where.First = at.After
	} else {
		P(s.At(at.Before)).links().After = at.After
	}
	if at.After == 0 {
		at.Where.Last = at.Before
	} else {
		P(s.At(at.After)).links().Before = at.Before
	}
	*at = Links{}
}
