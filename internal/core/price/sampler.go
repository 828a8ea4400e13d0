package price

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// A market is sampled once in each slot, and a mark is made of the last slots. Slots begin at whole multiples
// of their length.
const (
	Slot  = 5 * schema.Second
	Slots = 60
)

// Sample is a market at one moment.
type Sample struct {
	Index fixed.Decimal
	// Bid and Ask are the average prices at which the impact notional can be sold and bought; zero where the
	// book has not so much.
	Bid, Ask fixed.Decimal
}

// counts reports whether a sample says anything: a book with one side does not.
func (m *Sample) counts() bool { return Valid(m.Index) && Valid(m.Bid) && Valid(m.Ask) }

// Sampler keeps how far the book of a market is from its index. Slots that were missed, and those
// in which the book had one side, count as no distance.
type Sampler struct {
	// spreads of the last slots, each at the place of its number: bid and ask less the index, so twice the
	// distance of the middle, which is exact where the middle is not.
	spreads [Slots]fixed.Decimal
	sum     fixed.Decimal // of spreads
	next    int64         // the number of the first slot that is not filled; 0: none ever was

	// Since the last settlement of funding:
	premium fixed.Decimal // the sum of the premiums
	passed  int64         // slots, with those that were missed
	sampled int64         // slots with a sample that counts
}

// Due reports whether the slot of a moment is still to be filled.
func (s *Sampler) Due(now schema.Time) bool { return int64(now/Slot) >= s.next }

// Next is when the first slot begins that is not filled.
func (s *Sampler) Next() schema.Time { return schema.Time(s.next) * Slot }

// Tick fills the slot of a moment, if it is still to be filled, and counts those that were missed before it. The
// premium of a slot is at most the band, a ratio up to 1, to either side.
func (s *Sampler) Tick(now schema.Time, m Sample, band fixed.Decimal) {
	if !s.Due(now) {
		return
	}
	slot := int64(now / Slot)
	first := s.next
	if first == 0 {
		first = slot // what was before the first slot was not missed
	}
	s.passed += slot - first + 1
	for i := max(first, slot-Slots+1); i < slot; i++ {
		s.put(i, fixed.Zero)
	}
	s.next = slot + 1
	if !m.counts() {
		s.put(slot, fixed.Zero)
		return
	}
	s.sampled++
	s.put(slot, m.Bid.Sub(m.Index).Add(m.Ask.Sub(m.Index)))
	s.premium = s.premium.Add(m.premium(band))
}

// put is O(1): the spread takes the place of the one that leaves the window.
func (s *Sampler) put(slot int64, spread fixed.Decimal) {
	at := &s.spreads[slot%Slots]
	s.sum = s.sum.Sub(*at).Add(spread)
	*at = spread
}

// premium is how far the book lies above the index, or below it, as a ratio cut off at the last decimal.
func (m *Sample) premium(band fixed.Decimal) fixed.Decimal {
	above := fixed.MaxOf(fixed.Zero, m.Bid.Sub(m.Index))
	below := fixed.MaxOf(fixed.Zero, m.Index.Sub(m.Ask))
	ratio, fits := fixed.Div(above.Sub(below), m.Index, fixed.Places, fixed.Down)
	if !fits {
		return band // prices are not negative, so that only what is above can be so far off
	}
	return clamp(ratio, band.Neg(), band)
}

// Mark is the mark of a market at an index: the index and the mean distance of the middle of the book from
// it over the last slots, at most the band, a ratio up to 1, of the index to either side; cut toward the index at
// the decimals of a price. It is false where that is no price.
func (s *Sampler) Mark(index, band fixed.Decimal, places int) (fixed.Decimal, bool) {
	if !Valid(index) {
		return fixed.Zero, false
	}
	// Neither can overflow, nor can their sum with the index: one is a part of a price, the other a mean of
	// distances. That they are cut off before the mark is makes no difference, because all goes toward the index.
	most, _ := fixed.Mul(index, band, fixed.Places, fixed.Down)
	off, _ := fixed.Div(s.sum, fixed.FromInt(2*Slots), fixed.Places, fixed.Down)
	off = clamp(off, most.Neg(), most)
	toward := fixed.Floor
	if off.Sign() < 0 {
		toward = fixed.Ceil
	}
	if mark, _ := index.Add(off).Round(places, toward); Valid(mark) {
		return mark, true
	}
	return fixed.Zero, false
}

// clamp needs low to be at most high.
func clamp(d, low, high fixed.Decimal) fixed.Decimal {
	return fixed.MaxOf(low, fixed.MinOf(d, high))
}
