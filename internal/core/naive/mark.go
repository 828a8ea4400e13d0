package naive

import "bourse/internal/schema"

const (
	slot      = 5 * second
	markSlots = 60
)

// stake is a price of the public book and what stands there, best first in a list.
type stake struct {
	price num
	size  num
}

// impact is the average price of trading a notional against one side of the book, cut off, if there is
// that much.
func impact(side []stake, notional num) (price num, ok bool) {
	left, size := notional, num{}
	for _, s := range side {
		money := least(left, s.price.times(s.size))
		size = size.plus(money.over(s.price))
		left = left.minus(money)
		if left.sign() == 0 {
			return notional.over(size).truncate(smallest), true
		}
	}
	return num{}, false
}

// sample is what a slot saw: how far the middle of the book was from the index, and the premium. One that
// was missed, or saw only one side of the book, counts as zero.
type sample struct {
	seen    bool
	basis   num
	premium num
}

// sampleOf looks at a book. The band is a fraction.
func sampleOf(bids, asks []stake, notional, index, markBand num) sample {
	bid, hasBid := impact(bids, notional)
	ask, hasAsk := impact(asks, notional)
	if !hasBid || !hasAsk || index.sign() == 0 {
		return sample{}
	}
	above := greatest(num{}, bid.minus(index))
	below := greatest(num{}, index.minus(ask))
	premium := above.minus(below).over(index).within(markBand.neg(), markBand)
	return sample{
		seen:    true,
		basis:   bid.plus(ask).over(whole(2)).minus(index).truncate(smallest),
		premium: premium.truncate(smallest),
	}
}

// sampler fills the slots of a future.
type sampler struct {
	last    schema.Time // the slot that was filled last
	samples []sample    // of the slots up to it, oldest first, the missed ones too
}

// due reports whether a tick is the first at or after a whole slot.
func (s *sampler) due(now schema.Time) bool { return now/slot > s.last/slot }

// fill gives the newest slot its sample; those before it that saw no tick were missed.
func (s *sampler) fill(now schema.Time, seen sample) {
	if s.last != 0 {
		for missed := s.last/slot + 1; missed < now/slot; missed++ {
			s.samples = append(s.samples, sample{})
		}
	}
	s.samples = append(s.samples, seen)
	s.last = now / slot * slot
}

// basis is the mean over the last slots; those before the first count as missed.
func (s *sampler) basis() num {
	sum := num{}
	for i := max(0, len(s.samples)-markSlots); i < len(s.samples); i++ {
		sum = sum.plus(s.samples[i].basis)
	}
	return sum.over(whole(markSlots))
}

// markPrice is the index and the mean basis, as far as the band allows, cut toward the index.
func markPrice(index, basis, markBand num, moneyPrec uint8) num {
	most := index.times(markBand)
	basis = basis.within(most.neg(), most)
	if basis.sign() < 0 {
		return index.plus(basis).ceil(unit(moneyPrec))
	}
	return index.plus(basis).floor(unit(moneyPrec))
}
