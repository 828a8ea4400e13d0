package price

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// The results go to package variables so that the compiler cannot drop the calls that produce them.
var (
	sinkDecimal fixed.Decimal
	sinkBool    bool
)

// work is what is done at every tick, at every price and for every position of a settlement.
func work() map[string]func() {
	var x Index
	var s Sampler
	for i := range Sources {
		x.Set(i, fixed.FromInt(int64(50_000+i*7%5)), start, maxAge)
	}
	now, m := start, market("50010", "50020")
	s.Tick(now, m, band)
	split := Split{Rate: num("0.0003")}
	value := num("25006.17")
	return map[string]func(){
		"Set":     func() { sinkBool = x.Set(4, fixed.FromInt(50_002), start+schema.Second, maxAge) },
		"Refresh": func() { x.Refresh(start+schema.Second, maxAge) },
		"Tick": func() {
			now += Slot
			s.Tick(now, m, band)
		},
		"Mark":  func() { sinkDecimal, sinkBool = s.Mark(m.Index, band, 2) },
		"Rate":  func() { sinkDecimal = s.Rate(eightHours) },
		"Share": func() { sinkDecimal, sinkBool = split.Share(value, 8) },
		"Impact": func() {
			i := NewImpact(num("10000"))
			sinkBool = i.Level(m.Bid, num("0.1"))
			sinkBool = i.Level(m.Ask, fixed.One)
			sinkDecimal = i.Price()
		},
	}
}

func TestPricesAllocateNothing(t *testing.T) {
	for name, f := range work() {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkPrice(b *testing.B) {
	for name, f := range work() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
