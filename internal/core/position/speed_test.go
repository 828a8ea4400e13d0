package position_test

import (
	"testing"

	"bourse/internal/core/position"
	"bourse/internal/fixed"
)

// The results go to package variables so that the compiler cannot drop the calls that produce them.
var (
	sinkPosition position.Position
	sinkChange   position.Change
	sinkDecimal  fixed.Decimal
	sinkInt      int64
	sinkBool     bool
)

// work is what is done at every fill and at every look at an account.
func work() map[string]func() {
	p := position.Position{Lots: 3_000_000, Cost: num("150000.01")}
	tiers := brackets(50_000, 250_000, 0)
	flip := position.Deal{Lots: -7_000_000, Money: num("350070"), Fee: num("175.035")}
	mark, notional := num("50012.34"), num("300000")
	orders := position.Orders{Buys: 5, Sells: 6, WorseBuys: 7, WorseBuyValue: num("8")}
	at := stake("5000", &tiers)
	health := position.Health{Total: num("200"), Initial: num("500"), Maintenance: num("246.35")}
	return map[string]func(){
		"Fill":        func() { sinkPosition, sinkChange, sinkBool = p.Fill(flip, perp) },
		"Unrealized":  func() { sinkDecimal, sinkBool = p.Unrealized(mark, fixed.One, perp) },
		"Notional":    func() { sinkDecimal, sinkBool = p.Notional(mark, perp) },
		"Initial":     func() { sinkDecimal = tiers.Initial(notional, 100) },
		"Maintenance": func() { sinkDecimal = tiers.Maintenance(notional, 100) },
		"Exposure":    func() { sinkInt, sinkBool = orders.Exposure(3) },
		"Loss":        func() { sinkDecimal, sinkBool = orders.Loss(mark, fixed.One, perp) },
		"Liquidation": func() { sinkDecimal, sinkBool = p.Liquidation(at) },
		"Room":        func() { sinkBool = health.Room(health, 2, 1) },
		"PnlPercent":  func() { sinkDecimal, sinkBool = p.PnlPercent(mark, fixed.One, 20) },
	}
}

func TestPositionsAllocateNothing(t *testing.T) {
	for name, f := range work() {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkPosition(b *testing.B) {
	for name, f := range work() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
