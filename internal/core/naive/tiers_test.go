package naive

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTiers(t *testing.T) {
	first := []bracket{{100, n("50000")}}
	second := []bracket{{100, n("50000")}, {50, n("100000")}}
	for _, c := range []struct {
		name                 string
		brackets             []bracket
		leverage             int64
		notional             string
		initial, maintenance string
	}{
		{"one bracket, at it", first, 100, "200000", "15500", "4750"},
		{"one bracket, below it", first, 50, "200000", "16000", "5000"},
		{"one bracket, far below it", first, 20, "200000", "17500", "5750"},
		{"two brackets, at the first", second, 100, "200000", "11500", "3750"},
		{"two brackets, at the second", second, 50, "200000", "12000", "4000"},
		{"two brackets, below both", second, 20, "200000", "15000", "5500"},
		{"brackets above a leverage of 10", second, 10, "200000", "20000", "6000"},
		{"a leverage of 1", second, 1, "200000", "200000", "6000"},
		{"no brackets", nil, 100, "200000", "2000", "1000"},
		{"a bracket of zero is none", []bracket{{100, num{}}}, 100, "200000", "2000", "1000"},
		{"no bracket at the leverage nor above it", []bracket{{50, n("100000")}}, 100, "200000", "12000", "4000"},
		{"all of the notional in the first", second, 100, "50000", "500", "250"},
		{"nothing", second, 100, "0", "0", "0"},
		{"quotients are rounded up", nil, 3, "10", "3.333333333333333334", "0.3"},
		{"also above a leverage of 10", nil, 100, "0.000000000000000001", "0.000000000000000001", "0.000000000000000001"},
		{"of each slice", first, 100, "50000.000000000000000001", "500.000000000000000001", "250.000000000000000001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			same(t, "initial margin", initialMargin(n(c.notional), c.leverage, c.brackets), c.initial)
			same(t, "maintenance margin", maintenanceMargin(n(c.notional), c.leverage, c.brackets), c.maintenance)
		})
	}
}

func TestLeverageOnAMarket(t *testing.T) {
	for _, c := range []struct {
		name          string
		market        instrument
		account, want int64
	}{
		{"of the account", instrument{future: true, maxLeverage: 100}, 20, 20},
		{"of the market", instrument{future: true, maxLeverage: 50}, 100, 50},
		{"of a pair", instrument{maxLeverage: 100}, 100, 10},
		{"of a pair's market", instrument{maxLeverage: 5}, 100, 5},
	} {
		if got := c.market.leverage(c.account); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// brackets generates brackets that grow as the leverage falls; each may be missing.
func brackets() *rapid.Generator[[]bracket] {
	return rapid.Custom(func(t *rapid.T) []bracket {
		var found []bracket
		upTo := num{}
		for _, leverage := range []int64{100, 50, 20} {
			if rapid.Bool().Draw(t, "bracketed") {
				upTo = upTo.plus(positives(18).Draw(t, "more"))
				found = append(found, bracket{leverage, upTo})
			}
		}
		return found
	})
}

// positives generates numbers with so many decimals: the smallest, the largest that a price or an amount
// can have, round ones, those beside them, and any in between.
func positives(places int) *rapid.Generator[num] {
	return rapid.Custom(func(t *rapid.T) num {
		units := int64(1)
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			units = rapid.SampledFrom([]int64{1, 2, 3, 1<<63 - 1}).Draw(t, "edge")
		case 1:
			for range rapid.IntRange(0, 17).Draw(t, "zeros") {
				units *= 10
			}
			units += rapid.Int64Range(0, 2).Draw(t, "beside")
		default:
			units += rapid.Int64Range(0, 1<<62).Draw(t, "any") >> rapid.IntRange(0, 61).Draw(t, "shift")
		}
		return whole(units).times(unit(uint8(places)))
	})
}

// TestTiersAreMonotone: more notional never costs less, more leverage never costs more than the last
// decimal of each slice, an account that may open may stay open, and the maintenance margin never grows
// faster than the risk of an account assumes.
func TestTiersAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := brackets().Draw(t, "brackets")
		places := rapid.IntRange(0, 18).Draw(t, "places")
		less := positives(places).Draw(t, "notional")
		step := positives(places).Draw(t, "step")
		more := less.plus(step)
		rounding := smallest.times(whole(4))
		margins := func(notional num, leverage int64) (initial, maintenance num) {
			return initialMargin(notional, leverage, set), maintenanceMargin(notional, leverage, set)
		}
		before, maintenanceBefore := num{}, num{}
		for i, leverage := range leverages {
			initial, maintenance := margins(less, leverage)
			if i > 0 && (initial.more(before.plus(rounding)) || maintenance.more(maintenanceBefore.plus(rounding))) {
				t.Fatalf("a leverage of %d costs more than less", leverage)
			}
			before, maintenanceBefore = initial, maintenance
			if initial.less(less.over(whole(leverage))) {
				t.Fatalf("rounded in favour of the customer")
			}
			if maintenance.more(initial) {
				t.Fatalf("a maintenance margin of %v is above the initial one of %v", maintenance.rat(), initial.rat())
			}
			larger, maintenanceLarger := margins(more, leverage)
			if larger.less(initial) || maintenanceLarger.less(maintenance) {
				t.Fatalf("more notional costs less")
			}
			grown := maintenanceLarger.minus(maintenance)
			if grown.more(threePercent.times(step).plus(rounding)) {
				t.Fatalf("the maintenance margin grew by %v for %v of notional", grown.rat(), step.rat())
			}
		}
	})
}
