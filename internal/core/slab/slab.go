// Package slab keeps many small values without giving the garbage collector anything to look
// at: values live in pages, and what refers to them is a number. Values never move, so growing
// copies nothing and pointers stay good until the place is given back.
package slab

const (
	pageBits = 10
	pageSize = 1 << pageBits
	pageMask = pageSize - 1
)

// Slab hands out places for values of T. Place 0 is never handed out: it means "none".
type Slab[T any] struct {
	pages []*[pageSize]T
	next  uint32   // the first place that was never handed out
	free  []uint32 // places given back, the last one first
}

// Take hands out a place that holds the zero value.
func (s *Slab[T]) Take() (uint32, *T) {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i, s.At(i)
	}
	if s.next == 0 {
		s.next = 1
	}
	i := s.next
	if int(i>>pageBits) == len(s.pages) {
		s.pages = append(s.pages, new([pageSize]T))
	}
	s.next++
	return i, s.At(i)
}

// Give takes a place back.
func (s *Slab[T]) Give(i uint32) {
	var zero T
	*s.At(i) = zero
	s.free = append(s.free, i)
}

// At is the value at a place that was handed out.
func (s *Slab[T]) At(i uint32) *T { return &s.pages[i>>pageBits][i&pageMask] }

// End is the place behind the last one that was ever handed out. A slab whose places are never
// given back holds its values at 1 to End()-1, in the order they were taken.
func (s *Slab[T]) End() uint32 { return max(s.next, 1) }
