package book

import (
	"math/bits"

	"bourse/internal/core/slab"
	"bourse/internal/core/tree"
)

// A ladder is the sorted set of the price levels of one queue. Prices are turned into ranks, so
// that for every queue the greater rank is the better price.
//
// Sixty-four neighbouring ranks are a band. A band with several levels has a block: a word that
// says which ranks have a level, and where those are. A band with one level needs none, so that a
// book whose prices lie far apart costs no memory for the prices between them. The bands stand in a
// tree, which opens and closes levels in O(log n) wherever they are; a sorted slice moves all that
// is better than a new level, and a trie of bitmaps has as many nodes on the way to a lonely price
// as its rank has digits. In a dense book the bands at the front are neighbours, and the place of
// a band follows from the distance to the last one without a search.
type ladder struct {
	bands    tree.Tree[band]
	best     uint32 // the best level, 0 when the ladder is empty
	bestRank int64
}

// band is a rank / 64.
type band int64

func (b band) Less(other band) bool { return b < other }

// lone marks, in the tree, the number of a level that is alone in its band; other numbers are those
// of blocks.
const lone = 1 << 31

type block struct {
	used   uint64
	levels [64]uint32
}

type level struct {
	rank  int64
	lots  Lots
	head  Slot
	tail  Slot
	block uint32 // 0 while it is alone in its band
}

// levels is where the ladders of one book keep their levels, blocks and bands.
type levels struct {
	levels slab.Slab[level]
	blocks slab.Slab[block]
	bands  tree.Store[band]
}

func sign(q Queue) Ticks {
	if q.Descending() {
		return 1
	}
	return -1
}

func rank(q Queue, price Ticks) int64 { return int64(sign(q) * price) }

// split is the band of a rank and which of its ranks it is.
func split(rank int64) (band, uint) { return band(rank >> 6), uint(rank & 63) }

// find is where a band stands.
func (l *ladder) find(s *levels, b band) tree.Spot[band] {
	front := l.bands.Front()
	n := len(front)
	if n == 0 || b > front[n-1].Key {
		return tree.Spot[band]{}
	}
	if guess := int64(n-1) - int64(front[n-1].Key-b); guess >= 0 && front[guess].Key == b {
		return l.bands.InFront(int(guess))
	}
	return l.bands.Find(&s.bands, b)
}

// open is the level of a rank, made if it is not there.
func (l *ladder) open(s *levels, rank int64) (uint32, *level) {
	band, bit := split(rank)
	spot := l.find(s, band)
	var item uint32
	if spot.Found() {
		if item = spot.Item(); item&lone == 0 {
			if b := s.blocks.At(item); b.used&(1<<bit) != 0 {
				return b.levels[bit], s.levels.At(b.levels[bit])
			}
		} else if lv := s.levels.At(item &^ lone); lv.rank == rank {
			return item &^ lone, lv
		}
	}
	i, lv := s.levels.Take()
	lv.rank = rank
	if l.best == 0 || rank > l.bestRank {
		l.best, l.bestRank = i, rank
	}
	if !spot.Found() {
		l.bands.Put(&s.bands, band, i|lone)
		return i, lv
	}
	if item&lone != 0 {
		item = s.block(item &^ lone)
		spot.Set(item)
	}
	lv.block = item
	b := s.blocks.At(item)
	b.used |= 1 << bit
	b.levels[bit] = i
	return i, lv
}

// block makes a block for a level that was alone in its band.
func (s *levels) block(i uint32) uint32 {
	at, b := s.blocks.Take()
	lv := s.levels.At(i)
	_, bit := split(lv.rank)
	b.used, b.levels[bit] = 1<<bit, i
	lv.block = at
	return at
}

// level is the level of a rank, or 0.
func (l *ladder) level(s *levels, rank int64) uint32 {
	band, bit := split(rank)
	spot := l.find(s, band)
	if !spot.Found() {
		return 0
	}
	if item := spot.Item(); item&lone == 0 {
		if b := s.blocks.At(item); b.used&(1<<bit) != 0 {
			return b.levels[bit]
		}
	} else if i := item &^ lone; s.levels.At(i).rank == rank {
		return i
	}
	return 0
}

// close removes a level that is empty.
func (l *ladder) close(s *levels, i uint32) {
	lv := s.levels.At(i)
	band, bit := split(lv.rank)
	at := lv.block
	s.levels.Give(i)
	if at != 0 {
		b := s.blocks.At(at)
		b.used &^= 1 << bit
		if b.used != 0 {
			if l.best == i { // the next best is in the same band
				bit = top(b.used)
				l.best, l.bestRank = b.levels[bit], int64(band)<<6|int64(bit)
			}
			return
		}
		s.blocks.Give(at)
	}
	l.bands.Remove(&s.bands, band)
	if l.best == i {
		l.restoreBest(s)
	}
}

// restoreBest finds the best level after the last of a band was closed.
func (l *ladder) restoreBest(s *levels) {
	l.best, l.bestRank = 0, 0
	if last := l.bands.Last(); last.Found() {
		l.best = s.first(last.Item())
		l.bestRank = s.levels.At(l.best).rank
	}
}

// first is the best level of a band.
func (s *levels) first(item uint32) uint32 {
	if item&lone != 0 {
		return item &^ lone
	}
	b := s.blocks.At(item)
	return b.levels[top(b.used)]
}

// worse is the next worse level, or 0.
func (l *ladder) worse(s *levels, i uint32) uint32 {
	lv := s.levels.At(i)
	band, bit := split(lv.rank)
	if lv.block != 0 {
		b := s.blocks.At(lv.block)
		if used := b.used & (1<<bit - 1); used != 0 {
			return b.levels[top(used)]
		}
	}
	if lower := s.bands.Lower(l.find(s, band)); lower.Found() {
		return s.first(lower.Item())
	}
	return 0
}

// top is the greatest of the ranks that are used.
func top(used uint64) uint { return uint(63 - bits.LeadingZeros64(used)) }
