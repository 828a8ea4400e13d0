// Package slab keeps many small values without giving the garbage collector anything to look
// at: values live in pages, and what refers to them is a number. Values never move, so growing
// copies nothing and pointers stay good until the place is given back.
//
// No single operation does more than a page of work, however much there is: pages are small, and
// an index that grows moves to its new size a few entries at a time.
package slab

// A page is small enough that making one is no pause, and that a market with few orders takes
// little memory.
const (
	pageBits = 8
	pageSize = 1 << pageBits
	pageMask = pageSize - 1
)

type page[T any] struct {
	values [pageSize]T
	next   [pageSize]uint32 // of a place that was given back: the one that was given back before it
}

// Slab hands out places for values of T. Place 0 is never handed out: it means "none".
type Slab[T any] struct {
	pages []*page[T]
	next  uint32 // the first place that was never handed out
	free  uint32 // the place that was given back last, or 0
}

// Take hands out a place that holds the zero value, the one that was given back last if there is one.
func (s *Slab[T]) Take() (uint32, *T) {
	i := s.free
	if i == 0 {
		return s.fresh()
	}
	p := s.pages[i>>pageBits]
	s.free = p.next[i&pageMask]
	return i, &p.values[i&pageMask]
}

func (s *Slab[T]) fresh() (uint32, *T) {
	i := max(s.next, 1)
	s.next = i + 1
	if int(i>>pageBits) == len(s.pages) {
		s.pages = append(s.pages, new(page[T]))
	}
	return i, s.At(i)
}

// Give takes a place back.
func (s *Slab[T]) Give(i uint32) {
	var zero T
	p := s.pages[i>>pageBits]
	p.values[i&pageMask] = zero
	p.next[i&pageMask] = s.free
	s.free = i
}

// At is the value at a place that was handed out.
func (s *Slab[T]) At(i uint32) *T { return &s.pages[i>>pageBits].values[i&pageMask] }

// End is the place behind the last one that was ever handed out. A slab whose places are never
// given back holds its values at 1 to End()-1, in the order they were taken.
func (s *Slab[T]) End() uint32 { return max(s.next, 1) }
