package book

import (
	"math/bits"

	"bourse/internal/core/slab"
)

// A ladder is the sorted set of the price levels of one queue. Prices are turned into ranks, so
// that for every queue the greater rank is the better price.
//
// Sixty-four neighbouring ranks share a block: a word that says which of them have a level, and
// where those are. The blocks stand in a slice sorted by rank with the best at the end, where
// most changes are, so that little has to move. In a dense book the blocks are neighbours too,
// and the place of a block follows from the distance to the last one without a search.
type ladder struct {
	blocks   []place
	best     uint32 // the best level, 0 when the ladder is empty
	bestRank int64
}

type place struct {
	key   int64 // rank / 64 of all its levels
	block uint32
}

type block struct {
	used   uint64
	levels [64]uint32
}

type level struct {
	rank int64
	lots Lots
	head Slot
	tail Slot
}

// levels is where the ladders of one book keep their levels and blocks.
type levels struct {
	levels slab.Slab[level]
	blocks slab.Slab[block]
}

func sign(q Queue) Ticks {
	if q.Descending() {
		return 1
	}
	return -1
}

func rank(q Queue, price Ticks) int64 { return int64(sign(q) * price) }

// find is where the block with the key stands, or would have to be inserted.
func (l *ladder) find(key int64) (int, bool) {
	n := len(l.blocks)
	if n == 0 {
		return 0, false
	}
	last := l.blocks[n-1].key
	if key > last {
		return n, false
	}
	if guess := int64(n-1) - (last - key); guess >= 0 && l.blocks[guess].key == key {
		return int(guess), true
	}
	lo, hi := 0, n-1
	for lo < hi {
		if mid := (lo + hi) / 2; l.blocks[mid].key < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, l.blocks[lo].key == key
}

// open is the level of a rank, made if it is not there.
func (l *ladder) open(s *levels, rank int64) (uint32, *level) {
	key, bit := rank>>6, uint(rank&63)
	at, found := l.find(key)
	if !found {
		i, _ := s.blocks.Take()
		l.blocks = append(l.blocks, place{})
		copy(l.blocks[at+1:], l.blocks[at:])
		l.blocks[at] = place{key, i}
	}
	b := s.blocks.At(l.blocks[at].block)
	if b.used&(1<<bit) != 0 {
		return b.levels[bit], s.levels.At(b.levels[bit])
	}
	i, lv := s.levels.Take()
	lv.rank = rank
	b.used |= 1 << bit
	b.levels[bit] = i
	if l.best == 0 || rank > l.bestRank {
		l.best, l.bestRank = i, rank
	}
	return i, lv
}

// level is the level of a rank, or 0.
func (l *ladder) level(s *levels, rank int64) uint32 {
	at, found := l.find(rank >> 6)
	if !found {
		return 0
	}
	b := s.blocks.At(l.blocks[at].block)
	if b.used&(1<<uint(rank&63)) == 0 {
		return 0
	}
	return b.levels[rank&63]
}

// close removes a level that is empty.
func (l *ladder) close(s *levels, i uint32) {
	rank := s.levels.At(i).rank
	s.levels.Give(i)
	at, _ := l.find(rank >> 6)
	b := s.blocks.At(l.blocks[at].block)
	b.used &^= 1 << uint(rank&63)
	if b.used == 0 {
		s.blocks.Give(l.blocks[at].block)
		l.blocks = append(l.blocks[:at], l.blocks[at+1:]...)
	}
	if l.best == i {
		l.restoreBest(s)
	}
}

func (l *ladder) restoreBest(s *levels) {
	n := len(l.blocks)
	if n == 0 {
		l.best, l.bestRank = 0, 0
		return
	}
	last := l.blocks[n-1]
	b := s.blocks.At(last.block)
	top := 63 - bits.LeadingZeros64(b.used)
	l.best, l.bestRank = b.levels[top], last.key<<6|int64(top)
}

// worse is the next worse level, or 0.
func (l *ladder) worse(s *levels, i uint32) uint32 {
	rank := s.levels.At(i).rank
	at, _ := l.find(rank >> 6)
	b := s.blocks.At(l.blocks[at].block)
	used := b.used & (1<<uint(rank&63) - 1)
	if used == 0 {
		if at == 0 {
			return 0
		}
		b = s.blocks.At(l.blocks[at-1].block)
		used = b.used
	}
	return b.levels[63-bits.LeadingZeros64(used)]
}
