package price

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// TestStateComesBack: a state that was written and read is the one that was written, and lives on like it.
func TestStateComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x Index
		var s Sampler
		now := start
		live := func(x *Index, s *Sampler, steps []int64) {
			for i, n := range steps {
				now := now + schema.Time(i+1)*3*schema.Second + schema.Time(n%7)*schema.Second
				x.Set(int(n%Sources), fixed.FromUnits(n%1000, 1), now, maxAge)
				index, _ := x.Price()
				s.Tick(now, Sample{index, fixed.FromUnits(n%501, 0), fixed.FromUnits(n%503, 0)}, band)
				if n%11 == 0 {
					s.Settled()
				}
			}
		}
		steps := rapid.SliceOfN(rapid.Int64Range(0, 1_000_000), 0, 150)
		live(&x, &s, steps.Draw(t, "before"))

		var index IndexRecord
		var sampler SamplerRecord
		xr, sr := x.Record(), s.Record()
		decode(t, wire.Append(nil, &xr), &index)
		decode(t, wire.Append(nil, &sr), &sampler)
		// What was there before is gone.
		x2, s2 := Index{value: fixed.One}, Sampler{sum: fixed.One, passed: 7}
		x2.quotes[3] = Quote{fixed.One, 1}
		s2.spreads[3] = fixed.One
		if err := x2.Restore(&index); err != nil {
			t.Fatal(err)
		}
		if err := s2.Restore(&sampler); err != nil {
			t.Fatal(err)
		}
		if x2 != x || s2 != s {
			t.Fatalf("%+v, %+v; want %+v, %+v", x2, s2, x, s)
		}
		now += 500 * schema.Second
		after := steps.Draw(t, "after")
		live(&x, &s, after)
		live(&x2, &s2, after)
		if x2 != x || s2 != s {
			t.Fatalf("later %+v, %+v; want %+v, %+v", x2, s2, x, s)
		}
	})
}

func decode(t *rapid.T, data []byte, m wire.Message) {
	t.Helper()
	if err := wire.Decode(data, m); err != nil {
		t.Fatal(err)
	}
	if again := wire.Append(nil, m); !bytes.Equal(again, data) {
		t.Fatalf("%x is written as %x", data, again)
	}
}

func TestSettlementUnderWayComesBack(t *testing.T) {
	s, back := Split{num("0.0003"), num("50012.34"), num("7.5"), num("7.4")}, Split{}
	if err := wire.Decode(wire.Append(nil, &s), &back); err != nil || back != s {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestRecordsThatCannotBe(t *testing.T) {
	one := fixed.One
	for name, r := range map[string]IndexRecord{
		"a source twice":         {Quotes: []QuoteRecord{{1, one, 1, false}, {1, one, 1, false}}, Price: one},
		"sources out of order":   {Quotes: []QuoteRecord{{2, one, 1, false}, {1, one, 1, false}}, Price: one},
		"a tenth source":         {Quotes: []QuoteRecord{{9, one, 1, false}}, Price: one},
		"a source without price": {Quotes: []QuoteRecord{{1, fixed.Zero, 1, false}}, Price: one},
		"a source before time":   {Quotes: []QuoteRecord{{1, one, -1, false}}, Price: one},
		"a negative price":       {Price: one.Neg()},
		"too high a price":       {Price: Limit.Add(one)},
		"another median":         {Quotes: []QuoteRecord{{1, one, 1, true}}, Price: one.Add(one)},
		"sources without price":  {Quotes: []QuoteRecord{{1, one, 1, false}}},
	} {
		if new(Index).Restore(&r) == nil {
			t.Errorf("%s is let in", name)
		}
	}
	for name, r := range map[string]SamplerRecord{
		"a slot twice":             {Next: 100, Spreads: []SpreadRecord{{1, one}, {1, one}}},
		"slots out of order":       {Next: 100, Spreads: []SpreadRecord{{2, one}, {1, one}}},
		"a slot too many":          {Next: 100, Spreads: []SpreadRecord{{60, one}}},
		"a slot without a spread":  {Next: 100, Spreads: []SpreadRecord{{1, fixed.Zero}}},
		"too wide a spread":        {Next: 100, Spreads: []SpreadRecord{{1, Limit.Add(Limit).Add(one)}}},
		"too wide a spread below":  {Next: 100, Spreads: []SpreadRecord{{1, Limit.Add(Limit).Add(one).Neg()}}},
		"spreads before any slot":  {Spreads: []SpreadRecord{{1, one}}},
		"time before time":         {Next: -1},
		"more sampled than passed": {Next: 100, Passed: 1, Sampled: 2},
		"more passed than were":    {Next: 1, Passed: 2},
		"less than none sampled":   {Next: 100, Passed: 1, Sampled: -1},
		"a premium of no slot":     {Next: 100, Premium: one},
		"a premium above all":      {Next: 100, Passed: 1, Sampled: 1, Premium: num("-1.1")},
	} {
		if new(Sampler).Restore(&r) == nil {
			t.Errorf("%s is let in", name)
		}
	}
}
