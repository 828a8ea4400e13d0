package position_test

import (
	"testing"

	"bourse/internal/core/position"
	"bourse/internal/fixed"
)

// brackets are those at 100, 50 and 20.
func brackets(at100, at50, at20 int64) position.Tiers {
	return position.Tiers{Max: 100, Brackets: [3]fixed.Decimal{fixed.FromInt(at100), fixed.FromInt(at50), fixed.FromInt(at20)}}
}

func TestLargePositionsNeedMoreMargin(t *testing.T) {
	one, two := brackets(50_000, 0, 0), brackets(50_000, 100_000, 0)
	for _, tt := range []struct {
		tiers                position.Tiers
		leverage             position.Leverage
		notional             string
		initial, maintenance string
	}{
		{one, 100, "200000", "15500", "4750"},
		{one, 50, "200000", "16000", "5000"},
		{one, 20, "200000", "17500", "5750"},
		{two, 100, "200000", "11500", "3750"},
		{two, 50, "200000", "12000", "4000"},
		{two, 20, "200000", "15000", "5500"},
		// At 10 and below brackets make no difference.
		{two, 10, "200000", "20000", "6000"},
		{two, 1, "200000", "200000", "6000"},
		// A gap: nothing at 50, which counts at 20.
		{brackets(50_000, 0, 250_000), 100, "300000", "15500", "6750"}, // 500 + 10000 + 5000; 250 + 5000 + 1500
		{brackets(50_000, 0, 250_000), 50, "300000", "16000", "7000"},  // 1000 + 10000 + 5000; 500 + 5000 + 1500
		// Without brackets the leverage holds throughout.
		{brackets(0, 0, 0), 100, "200000", "2000", "1000"},
		{brackets(0, 0, 0), 20, "200000", "10000", "5000"},
		// The edges of a bracket.
		{one, 100, "50000", "500", "250"},
		{one, 100, "50000.000000000000000001", "500.000000000000000001", "250.000000000000000001"},
		{one, 100, "0", "0", "0"},
		// A market with a lower maximum.
		{position.Tiers{Max: 20, Brackets: one.Brackets}, 100, "200000", "17500", "5750"},
		// Thirds are rounded up, once for what lies at one leverage.
		{two, 3, "200000", "66666.666666666666666667", "6000"},
	} {
		if !tt.tiers.Valid() {
			t.Errorf("%+v cannot be", tt.tiers)
		}
		equal(t, "initial margin", tt.tiers.Initial(num(tt.notional), tt.leverage), true, tt.initial)
		equal(t, "maintenance margin", tt.tiers.Maintenance(num(tt.notional), tt.leverage), true, tt.maintenance)
	}
}

func TestTiersThatCannotBe(t *testing.T) {
	for name, tiers := range map[string]position.Tiers{
		"a bracket that does not grow": brackets(50_000, 50_000, 0),
		"one that falls over a gap":    brackets(50_000, 0, 40_000),
		"a negative one":               brackets(-1, 0, 0),
		"no maximum":                   {},
		"a maximum between":            {Max: 15},
		"too high a maximum":           {Max: 101},
	} {
		if tiers.Valid() {
			t.Errorf("%s is let in", name)
		}
	}
}

// TestReachOfOrders: one BTC long, buys of 0.5, sells of 3.
func TestReachOfOrders(t *testing.T) {
	for _, tt := range []struct {
		held, buys, sells, reducing, want string
	}{
		{"1", "0.5", "3", "0", "2"},
		{"1", "0.5", "3", "0.4", "2.4"},
		{"1", "0.5", "3", "1", "3"},
		{"-1", "3", "0.5", "0", "2"},
		{"-1", "3", "0.5", "0.4", "2.4"},
		{"-1", "3", "0.5", "1", "3"},
		{"0", "3", "0.5", "0", "3"},
		{"0", "0.5", "3", "0", "3"},
		{"1", "0.5", "0", "0", "1.5"},
		{"1", "0", "0", "1", "1"},
	} {
		o := position.Orders{Buys: lots(t, tt.buys), Sells: lots(t, tt.sells), Reducing: lots(t, tt.reducing)}
		if got, ok := o.Exposure(lots(t, tt.held)); !ok || got != lots(t, tt.want) {
			t.Errorf("%+v: %d lots, %v", tt, got, ok)
		}
	}
	o := position.Orders{Buys: 5, Sells: 30}
	if got, ok := o.Hedged(40, 10); !ok || got != 45 {
		t.Errorf("the long side: %d, %v", got, ok)
	}
	if got, ok := o.Hedged(20, 10); !ok || got != 40 {
		t.Errorf("the short side: %d, %v", got, ok)
	}
	if _, ok := (&position.Orders{Buys: 1}).Exposure(most); ok {
		t.Error("more lots than can be counted")
	}
	if _, ok := (&position.Orders{Sells: 1}).Exposure(-most); ok {
		t.Error("more short lots than can be counted")
	}
	if _, ok := (&position.Orders{Sells: 1}).Hedged(0, most); ok {
		t.Error("more lots of a side than can be counted")
	}
	if got, ok := (&position.Orders{Sells: most}).Exposure(most); !ok || got != most {
		t.Errorf("all lots: %d, %v", got, ok)
	}
}

// TestOrdersWorseThanTheMark: at 50000 a buy of 1 at 50100 has lost 100 when it is filled, one at 49000 nothing.
func TestOrdersWorseThanTheMark(t *testing.T) {
	one := lots(t, "1")
	for _, tt := range []struct {
		orders   position.Orders
		at, rate string
		want     string
	}{
		{position.Orders{WorseBuys: one, WorseBuyValue: num("50100")}, "50000", "1", "100"},
		{position.Orders{WorseBuys: one, WorseBuyValue: num("50100")}, "50200", "1", "0"},
		{position.Orders{WorseSells: one, WorseSellValue: num("49900")}, "50000", "1", "100"},
		{position.Orders{WorseSells: one, WorseSellValue: num("49900")}, "49000", "1", "0"},
		{position.Orders{WorseBuys: one, WorseBuyValue: num("50100"), WorseSells: 2 * one, WorseSellValue: num("99900")}, "50000", "1", "200"},
		{position.Orders{WorseBuys: one, WorseBuyValue: num("16700")}, "50000", "3", "100"},
		// Rounded up where nothing is exact.
		{position.Orders{WorseBuys: 1, WorseBuyValue: num("0.05")}, "49999.9999999999999", "1", "0.000000000000000001"},
	} {
		got, ok := tt.orders.Loss(num(tt.at), num(tt.rate), perp)
		equal(t, "the loss", got, ok, tt.want)
	}
	if _, ok := (&position.Orders{WorseBuyValue: fixed.Max}).Loss(fixed.One, num("2"), perp); ok {
		t.Error("a loss that does not fit")
	}
	both := position.Orders{WorseBuyValue: fixed.Max, WorseSells: one}
	if _, ok := both.Loss(fixed.One, fixed.One, perp); ok {
		t.Error("two losses that do not fit together")
	}
}

// TestRoomOfFills: Bob with 1000 USDT buys a BTC at 50000; later, when 200 are left, he sells half.
func TestRoomOfFills(t *testing.T) {
	tiers := brackets(50_000, 0, 0)
	health := func(total, notional string) position.Health {
		n := num(notional)
		return position.Health{Total: num(total), Initial: tiers.Initial(n, 100), Maintenance: tiers.Maintenance(n, 100)}
	}
	one := lots(t, "1")
	opened := health("975", "50000")
	equal(t, "initial margin", opened.Initial, true, "500")
	if !health("1000", "0").Room(opened, 0, one) {
		t.Error("Bob may not open")
	}
	weak := health("200", "49270")
	equal(t, "maintenance margin", weak.Maintenance, true, "246.35")
	half := health("187.6825", "24635")
	equal(t, "maintenance margin of half", half.Maintenance, true, "123.175")
	for _, tt := range []struct {
		name          string
		before, after position.Health
		from, to      int64
		want          bool
	}{
		{"half is sold", weak, half, one, one / 2, true},
		{"half is bought back by a short", weak, half, -one, -one / 2, true},
		{"half is sold too cheaply", weak, health("99.9", "24635"), one, one / 2, false},
		{"sold to where it was", weak, health("100", "24635"), one, one / 2, true}, // 100 × 246.35 = 200 × 123.175
		{"grows without initial margin", health("1000", "0"), health("499.99", "50000"), 0, one, false},
		{"grows to initial margin", health("1000", "0"), health("500", "50000"), 0, one, true},
		{"a flip of one size with maintenance margin", weak, health("246.35", "49270"), one, -one, true},
		{"a flip of one size without", health("100", "49270"), health("246.34", "49270"), one, -one, false},
		{"all is closed at a loss beyond all", weak, health("-0.01", "0"), one, 0, false},
		{"all is closed", weak, health("0", "0"), one, 0, true},
		{"what is owed grows less than the position falls", health("-200", "49270"), health("-101", "24635"), one, one / 2, false},
		{"what is owed falls with the position", health("-200", "49270"), health("-100", "24635"), one, one / 2, true},
	} {
		if got := tt.before.Room(tt.after, tt.from, tt.to); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
