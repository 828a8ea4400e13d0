package position_test

import (
	"testing"
	"unsafe"

	"bourse/internal/core/position"
	"bourse/internal/fixed"
)

var num = fixed.MustParse

// perp is a future on BTC: lots of 0.000001, prices of two decimals.
var perp = position.Scale{Stock: 6, Money: 2, Fee: 6, Quote: 8}

// lots is an amount of BTC.
func lots(t *testing.T, amount string) int64 {
	t.Helper()
	n, ok := num(amount).Units(int(perp.Stock))
	if !ok {
		t.Fatalf("%s is not a number of lots", amount)
	}
	return n
}

// deal is one at a price, with a minus for a sale.
func deal(t *testing.T, amount, price, fee string) position.Deal {
	t.Helper()
	n := lots(t, amount)
	money, ok := fixed.Mul(num(amount).Abs(), num(price), 18, fixed.Down)
	if !ok {
		t.Fatal("the deal is too large")
	}
	return position.Deal{Lots: n, Money: money, Fee: num(fee)}
}

func filled(t *testing.T, p position.Position, d position.Deal, s position.Scale) (position.Position, position.Change) {
	t.Helper()
	after, change, ok := p.Fill(d, s)
	if !ok {
		t.Fatalf("%+v does not fit %+v", d, p)
	}
	return after, change
}

// equal fails when a number is not what it has to be.
func equal(t *testing.T, what string, got fixed.Decimal, ok bool, want string) {
	t.Helper()
	if !ok || got != num(want) {
		t.Errorf("%s is %v, %v; want %s", what, got, ok, want)
	}
}

// TestAverageEntryAndPartialClose: 0.3 bought at 50000 and 0.1 at 50100.01, then 0.1 sold at 50200.
func TestAverageEntryAndPartialClose(t *testing.T) {
	p, _ := filled(t, position.Position{}, deal(t, "0.3", "50000", "0"), perp)
	p, change := filled(t, p, deal(t, "0.1", "50100.01", "5.01"), perp)
	equal(t, "the cost", p.Cost, true, "20010.001")
	if want := (position.Change{Opened: position.Part{Lots: 100_000, Money: num("5010.001"), Fee: num("5.01")}}); change != want {
		t.Errorf("opening did %+v, want %+v", change, want)
	}
	entry, ok := p.Entry(perp)
	equal(t, "the entry", entry, ok, "50025") // 50025.0025

	p, change = filled(t, p, deal(t, "-0.1", "50200", "5.02"), perp)
	equal(t, "realized", change.Realized, true, "17.49975")
	equal(t, "what is left of the cost", p.Cost, true, "15007.50075")
	if p.Lots != lots(t, "0.3") || change.Opened != (position.Part{}) || change.Closed != (position.Part{Lots: 100_000, Money: num("5020"), Fee: num("5.02")}) {
		t.Errorf("left is %+v after %+v", p, change)
	}
	p, change = filled(t, p, deal(t, "-0.3", "50200", "0"), perp)
	equal(t, "realized by the rest", change.Realized, true, "52.49925")
	if p != (position.Position{}) {
		t.Errorf("left is %+v", p)
	}
}

// TestCostOfAPartIsRoundedAgainstTheAccount: a third of 100, for a long and for a short.
func TestCostOfAPartIsRoundedAgainstTheAccount(t *testing.T) {
	for _, tt := range []struct {
		open           position.Position
		sell           int64
		realized, cost string
	}{
		{position.Position{Lots: 3, Cost: num("100")}, -1, "6.66666666", "66.66666666"},    // 40 - 33.33333334
		{position.Position{Lots: -3, Cost: num("-100")}, 1, "-6.66666667", "-66.66666667"}, // 33.33333333 - 40
	} {
		after, change := filled(t, tt.open, position.Deal{Lots: tt.sell, Money: num("40")}, perp)
		equal(t, "realized", change.Realized, true, tt.realized)
		equal(t, "the cost", after.Cost, true, tt.cost)
	}
}

// TestFlipIsOneDealInTwoParts: fee and money go by lots, and the new position takes what does not divide.
func TestFlipIsOneDealInTwoParts(t *testing.T) {
	long, _ := filled(t, position.Position{}, deal(t, "0.000001", "50000", "0"), perp)
	short, change := filled(t, long, deal(t, "-0.000003", "50010", "0.00001"), perp)
	want := position.Change{
		Closed:   position.Part{Lots: 1, Money: num("0.05001"), Fee: num("0.000003")},
		Opened:   position.Part{Lots: 2, Money: num("0.10002"), Fee: num("0.000007")},
		Realized: num("0.00001"),
	}
	if change != want {
		t.Errorf("the flip did %+v, want %+v", change, want)
	}
	if short != (position.Position{Lots: -2, Cost: num("-0.10002")}) {
		t.Errorf("left is %+v", short)
	}
	_, change = filled(t, short, position.Deal{Lots: 3, Money: num("0.15"), Fee: num("-0.00001")}, perp)
	if change.Closed.Fee != num("-0.000006") || change.Opened.Fee != num("-0.000004") {
		t.Errorf("the rebate is split into %v and %v", change.Closed.Fee, change.Opened.Fee)
	}
}

// TestCostInAnotherMoney: a future priced in USD, where a USDT is worth 1/0.9995: what enters the cost is the
// USDT of the deal.
func TestCostInAnotherMoney(t *testing.T) {
	dollars, _ := fixed.Product(2, 23010, 2)
	money, _ := fixed.Mul(dollars, num("0.9995"), 8, fixed.Down)
	p, _ := filled(t, position.Position{}, position.Deal{Lots: 2, Money: money}, position.Scale{Money: 2, Fee: 6, Quote: 8})
	equal(t, "the cost", p.Cost, true, "459.9699")
	odd := position.Deal{Lots: -3, Money: num("0.00000010")}
	_, change := filled(t, p, odd, position.Scale{Money: 2, Fee: 6, Quote: 8})
	if change.Closed.Money != num("0.00000006") || change.Opened.Money != num("0.00000004") {
		t.Errorf("the money is split into %v and %v", change.Closed.Money, change.Opened.Money)
	}
}

// TestValueOfAPosition: of Alice, who bought a BTC at 50000 before the mark rose to 50012.34.
func TestValueOfAPosition(t *testing.T) {
	tiers := position.Tiers{Max: 100, Brackets: [3]fixed.Decimal{num("50000"), num("250000"), fixed.Zero}}
	alice := position.Position{Lots: lots(t, "1"), Cost: num("50000")}
	mark := num("50012.34")
	u, ok := alice.Unrealized(mark, fixed.One, perp)
	equal(t, "unrealized", u, ok, "12.34")
	notional, ok := alice.Notional(mark, perp)
	equal(t, "the notional", notional, ok, "50012.34")
	equal(t, "initial margin", tiers.Initial(notional, 20), true, "2500.617")
	equal(t, "maintenance margin", tiers.Maintenance(notional, 20), true, "1250.3085")
	percent, ok := alice.PnlPercent(u, fixed.One, 20)
	equal(t, "the percentage", percent, ok, "0.49") // 0.4936

	short := position.Position{Lots: -alice.Lots, Cost: alice.Cost.Neg()}
	u, ok = short.Unrealized(mark, fixed.One, perp)
	equal(t, "unrealized by a short", u, ok, "-12.34")
	percent, ok = short.PnlPercent(u, fixed.One, 20)
	equal(t, "the percentage of a short", percent, ok, "-0.49")

	// A pair quoted in something worth 3 USDT.
	u, ok = alice.Unrealized(num("150003.5"), num("3"), perp)
	equal(t, "unrealized on a pair", u, ok, "3.5")
	percent, ok = alice.PnlPercent(num("1500"), num("3"), 5)
	equal(t, "the percentage on a pair", percent, ok, "5")
}

func TestNothingOpenHasNoPrice(t *testing.T) {
	var none position.Position
	if p, ok := none.Entry(perp); ok {
		t.Errorf("the entry of nothing is %v", p)
	}
	if p, ok := none.PnlPercent(fixed.One, fixed.One, 10); ok {
		t.Errorf("the percentage of nothing is %v", p)
	}
	if p, ok := none.Liquidation(&position.Stake{}); ok {
		t.Errorf("nothing is liquidated at %v", p)
	}
}

const most = 1<<63 - 1

func TestFillsThatCannotBe(t *testing.T) {
	least := fixed.FromUnits(1, 18)
	for name, tt := range map[string]struct {
		open position.Position
		deal position.Deal
	}{
		"no lots":                    {position.Position{}, position.Deal{Money: fixed.One}},
		"less than no money":         {position.Position{}, position.Deal{Lots: 1, Money: fixed.One.Neg()}},
		"more lots than there are":   {position.Position{}, position.Deal{Lots: -most - 1}},
		"one lot too many":           {position.Position{Lots: most}, position.Deal{Lots: 1}},
		"one lot too many, short":    {position.Position{Lots: -most}, position.Deal{Lots: -1}},
		"a cost that does not fit":   {position.Position{Lots: 1, Cost: fixed.Max}, position.Deal{Lots: 1, Money: least}},
		"a cost without an opposite": {position.Position{Lots: -1, Cost: fixed.Max.Neg()}, position.Deal{Lots: -1, Money: least}},
	} {
		after, change, ok := tt.open.Fill(tt.deal, perp)
		if ok || after != (position.Position{}) || change != (position.Change{}) {
			t.Errorf("%s: %+v, %+v, %v", name, after, change, ok)
		}
	}
}

func TestLargestFills(t *testing.T) {
	huge := position.Position{Lots: most, Cost: fixed.Max}
	if p, _ := filled(t, position.Position{}, position.Deal{Lots: most, Money: fixed.Max}, perp); p != huge {
		t.Errorf("%+v", p)
	}
	p, change := filled(t, huge, position.Deal{Lots: -most}, perp)
	if p != (position.Position{}) || change.Realized != fixed.Max.Neg() {
		t.Errorf("sold for nothing: %+v, %+v", p, change)
	}
	short := position.Position{Lots: -most}
	p, change = filled(t, short, position.Deal{Lots: most, Money: fixed.Max}, perp)
	if p != (position.Position{}) || change.Realized != fixed.Max.Neg() {
		t.Errorf("bought back for all: %+v, %+v", p, change)
	}
	one := position.Position{Lots: -1, Cost: fixed.Max.Neg()}
	p, change = filled(t, one, position.Deal{Lots: most}, perp)
	if p != (position.Position{Lots: most - 1}) || change.Realized != fixed.Max {
		t.Errorf("flipped for nothing: %+v, %+v", p, change)
	}
}

func TestPositionsThatCannotBe(t *testing.T) {
	for _, p := range []position.Position{
		{Cost: fixed.One},
		{Lots: 1, Cost: fixed.One.Neg()},
		{Lots: -1, Cost: fixed.One},
		{Lots: -most - 1},
		{Lots: -1, Cost: fixed.Min},
	} {
		if p.Valid() {
			t.Errorf("%+v is let in", p)
		}
	}
}

// TestPositionsAreSmall: what others add to it has to stay below 256 bytes together with it.
func TestPositionsAreSmall(t *testing.T) {
	if size := unsafe.Sizeof(position.Position{}); size > 24 {
		t.Errorf("a position has %d bytes", size)
	}
}
