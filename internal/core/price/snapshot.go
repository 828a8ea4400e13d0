package price

import (
	"errors"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// IndexRecord is an index as snapshots keep it.
type IndexRecord struct {
	Quotes []QuoteRecord // of sources that said something, by source
	Price  fixed.Decimal
}

func (r *IndexRecord) Fields(c *wire.Coder) {
	wire.List(c, 1, "quotes", &r.Quotes)
	c.Decimal(2, "price", &r.Price)
}

// QuoteRecord is what a source said.
type QuoteRecord struct {
	Source uint8
	Price  fixed.Decimal
	At     schema.Time
	Counts bool
}

func (r *QuoteRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "source", &r.Source)
	c.Decimal(2, "price", &r.Price)
	wire.Int(c, 3, "at", &r.At)
	c.Bool(4, "counts", &r.Counts)
}

// Record is the index for a snapshot.
func (x *Index) Record() IndexRecord {
	r := IndexRecord{Price: x.value}
	for i, q := range x.quotes {
		if !q.Price.IsZero() {
			r.Quotes = append(r.Quotes, QuoteRecord{uint8(i), q.Price, q.At, x.Counts(i)})
		}
	}
	return r
}

// Restore brings an index back.
func (x *Index) Restore(r *IndexRecord) error {
	*x = Index{value: r.Price}
	last := -1
	for _, q := range r.Quotes {
		if int(q.Source) <= last || q.Source >= Sources || !Valid(q.Price) || q.At < 0 {
			return errors.New("a source of an index cannot be one, or stands there twice")
		}
		last = int(q.Source)
		x.quotes[last] = Quote{q.Price, q.At}
		if q.Counts {
			x.counting |= 1 << last
		}
	}
	switch {
	case x.counting != 0 && r.Price != x.median():
		return errors.New("an index is not the median of its sources")
	case !r.Price.IsZero() && !Valid(r.Price), r.Price.IsZero() && len(r.Quotes) != 0:
		return errors.New("an index has a price that cannot be one, or sources and no price")
	}
	return nil
}

// SamplerRecord is a sampler as snapshots keep it. The sum of its spreads follows from them.
type SamplerRecord struct {
	Next    int64
	Spreads []SpreadRecord // that are not zero, by place
	Premium fixed.Decimal
	Passed  int64
	Sampled int64
}

func (r *SamplerRecord) Fields(c *wire.Coder) {
	wire.Int(c, 1, "next", &r.Next)
	wire.List(c, 2, "spreads", &r.Spreads)
	c.Decimal(3, "premium", &r.Premium)
	wire.Int(c, 4, "passed", &r.Passed)
	wire.Int(c, 5, "sampled", &r.Sampled)
}

// SpreadRecord is the spread of one slot.
type SpreadRecord struct {
	Place  uint8
	Spread fixed.Decimal
}

func (r *SpreadRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "place", &r.Place)
	c.Decimal(2, "spread", &r.Spread)
}

// Record is the sampler for a snapshot.
func (s *Sampler) Record() SamplerRecord {
	r := SamplerRecord{Next: s.next, Premium: s.premium, Passed: s.passed, Sampled: s.sampled}
	for i, spread := range s.spreads {
		if !spread.IsZero() {
			r.Spreads = append(r.Spreads, SpreadRecord{uint8(i), spread})
		}
	}
	return r
}

// Restore brings a sampler back.
func (s *Sampler) Restore(r *SamplerRecord) error {
	*s = Sampler{next: r.Next, premium: r.Premium, passed: r.Passed, sampled: r.Sampled}
	last := -1
	for _, spread := range r.Spreads {
		if int(spread.Place) <= last || spread.Place >= Slots || spread.Spread.IsZero() || !possible(spread.Spread) {
			return errors.New("a spread cannot be one, or stands there twice")
		}
		last = int(spread.Place)
		s.put(int64(last), spread.Spread)
	}
	if r.Next < 0 || r.Sampled < 0 || r.Sampled > r.Passed || r.Passed > r.Next || r.Next == 0 && len(r.Spreads) != 0 {
		return errors.New("a sampler counts slots that there were not")
	}
	if most := fixed.FromInt(r.Sampled); r.Premium.Cmp(most) > 0 || r.Premium.Cmp(most.Neg()) < 0 {
		return errors.New("a sampler has a higher premium than its slots can have")
	}
	return nil
}

// possible reports whether two prices and an index can be so far apart.
func possible(spread fixed.Decimal) bool {
	most := Limit.Add(Limit)
	return spread.Cmp(most) <= 0 && spread.Cmp(most.Neg()) >= 0
}

// Fields of a settlement under way.
func (s *Split) Fields(c *wire.Coder) {
	c.Decimal(1, "rate", &s.Rate)
	c.Decimal(2, "mark", &s.Mark)
	c.Decimal(3, "paid", &s.Paid)
	c.Decimal(4, "received", &s.Received)
}
