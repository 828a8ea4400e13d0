// Package slab keeps many small values without giving the garbage collector anything to look
// at: values live in pages, and what refers to them is a number. Values never move, so growing
// copies nothing and pointers stay good until the place is given back.
//
// No single operation does more than a page of work, however much there is: what was given back
// stands in pages too, and an index that grows moves to its new size a few entries at a time.
package slab

const (
	pageBits = 10
	pageSize = 1 << pageBits
	pageMask = pageSize - 1
)

// Slab hands out places for values of T. Place 0 is never handed out: it means "none".
type Slab[T any] struct {
	pages []*[pageSize]T
	next  uint32 // the first place that was never handed out
	// free is a stack of the places that were given back. It has pages as well: a long one is never
	// copied.
	free  []*[pageSize]uint32
	freed uint32
}

// Take hands out a place that holds the zero value, the one that was given back last if there is one.
func (s *Slab[T]) Take() (uint32, *T) {
	if s.freed > 0 {
		s.freed--
		i := s.free[s.freed>>pageBits][s.freed&pageMask]
		return i, s.At(i)
	}
	i := max(s.next, 1)
	s.next = i + 1
	if int(i>>pageBits) == len(s.pages) {
		s.pages = append(s.pages, new([pageSize]T))
	}
	return i, s.At(i)
}

// Give takes a place back.
func (s *Slab[T]) Give(i uint32) {
	var zero T
	*s.At(i) = zero
	if int(s.freed>>pageBits) == len(s.free) {
		s.free = append(s.free, new([pageSize]uint32))
	}
	s.free[s.freed>>pageBits][s.freed&pageMask] = i
	s.freed++
}

// At is the value at a place that was handed out.
func (s *Slab[T]) At(i uint32) *T { return &s.pages[i>>pageBits][i&pageMask] }

// End is the place behind the last one that was ever handed out. A slab whose places are never
// given back holds its values at 1 to End()-1, in the order they were taken.
func (s *Slab[T]) End() uint32 { return max(s.next, 1) }
