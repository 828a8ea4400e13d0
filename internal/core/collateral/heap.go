package collateral

import (
	"bourse/internal/core/slab"
	"bourse/internal/fixed"
)

// heap has the watches of one price by one end of their ranges, the one that is left first in front, of equal ones that
// of the lower account. Each watch knows its place, so that it can be moved and taken out.
type heap struct {
	at     []uint32
	rising bool // it is about the upper ends
}

// ways is how many children a place has: with four, half as many places are looked at as with two on the way up, and
// those of one parent lie together.
const ways = 4

// key is the end of a range.
func (h *heap) key(w *watch) fixed.Decimal {
	if h.rising {
		return w.high
	}
	return w.low
}

// place is where a watch keeps its place, from 1.
func (h *heap) place(w *watch) *uint32 {
	if h.rising {
		return &w.highAt
	}
	return &w.lowAt
}

// first reports whether one watch comes before another.
func (h *heap) first(a, b *watch) bool {
	c := h.key(a).Cmp(h.key(b))
	if c == 0 {
		return a.account < b.account
	}
	return (c < 0) == h.rising
}

// put puts a watch in, or where it belongs after its range changed.
func (h *heap) put(all *slab.Slab[watch], at uint32) {
	w := all.At(at)
	i := int(*h.place(w)) - 1
	if i < 0 {
		i = len(h.at)
		h.at = append(h.at, at)
	}
	h.fix(all, i, at)
}

// remove takes a watch out, if it is in.
func (h *heap) remove(all *slab.Slab[watch], at uint32) {
	place := h.place(all.At(at))
	i := int(*place) - 1
	if i < 0 {
		return
	}
	*place = 0
	last := len(h.at) - 1
	moved := h.at[last]
	h.at = h.at[:last]
	if i < last {
		h.fix(all, i, moved)
	}
}

// fix moves a watch from a place, whose own may be gone, up or down to where it belongs.
func (h *heap) fix(all *slab.Slab[watch], i int, at uint32) {
	w := all.At(at)
	for i > 0 {
		parent := (i - 1) / ways
		if !h.first(w, all.At(h.at[parent])) {
			break
		}
		h.settle(all, i, h.at[parent])
		i = parent
	}
	for {
		child := i*ways + 1
		if child >= len(h.at) {
			break
		}
		for c := child + 1; c < min(i*ways+1+ways, len(h.at)); c++ {
			if h.first(all.At(h.at[c]), all.At(h.at[child])) {
				child = c
			}
		}
		if !h.first(all.At(h.at[child]), w) {
			break
		}
		h.settle(all, i, h.at[child])
		i = child
	}
	h.settle(all, i, at)
}

func (h *heap) settle(all *slab.Slab[watch], i int, at uint32) {
	h.at[i] = at
	*h.place(all.At(at)) = uint32(i + 1)
}
