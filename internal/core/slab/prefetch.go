package slab

import "unsafe"

// Prefetch asks the processor to bring a value into its caches, and waits for nothing. What is asked for early enough is near when it is
// looked at; on processors for which there are no instructions here it does nothing. It can change no result.
func Prefetch[T any](p *T) { prefetch(unsafe.Pointer(p), unsafe.Sizeof(*p)) }

// Prefetch asks for the value at a place that was handed out, or at 0.
func (s *Slab[T]) Prefetch(i uint32) {
	if i != 0 {
		Prefetch(s.At(i))
	}
}

// Prefetch asks for where a search for a hash begins.
func (x *Index) Prefetch(hash uint32) {
	if x.used != 0 {
		Prefetch(x.now.at(hash))
	}
}

// Guess is a place that was added under a hash, or 0. It may be one of several, and one that still stands in the old table is not found:
// what comes of it is for Prefetch alone.
func (x *Index) Guess(hash uint32) uint32 {
	if x.used == 0 {
		return 0
	}
	for i := hash; ; i++ {
		if e := x.now.at(i); e.place == 0 || e.hash == hash {
			return e.place
		}
	}
}
