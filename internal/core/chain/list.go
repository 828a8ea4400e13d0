package chain

import "bourse/internal/core/slab"

// list is things on a shelf in an order, by their places. Each thing is in one list.
type list struct{ first, last uint32 }

// links are where a thing is in its list.
type links struct {
	where         *list
	before, after uint32
}

func (l *links) link() *links { return l }

// shelf is where deposits, or withdrawals, are kept.
type shelf[T any, P interface {
	*T
	link() *links
}] struct{ slab.Slab[T] }

// push puts a thing at the end of a list.
func (s *shelf[T, P]) push(l *list, place uint32) {
	*P(s.At(place)).link() = links{where: l, before: l.last}
	if l.last == 0 {
		l.first = place
	} else {
		P(s.At(l.last)).link().after = place
	}
	l.last = place
}

// pull takes a thing out of its list.
func (s *shelf[T, P]) pull(place uint32) {
	at := P(s.At(place)).link()
	if at.before == 0 {
		at.where.first = at.after
	} else {
		P(s.At(at.before)).link().after = at.after
	}
	if at.after == 0 {
		at.where.last = at.before
	} else {
		P(s.At(at.after)).link().before = at.before
	}
	*at = links{}
}
