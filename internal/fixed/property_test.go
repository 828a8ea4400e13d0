package fixed_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
)

// same fails when an operation and its specification disagree. A refused
// result must also be zero, so that a caller who forgets the bool moves no money.
func same(t *rapid.T, op string, got fixed.Decimal, ok bool, want fixed.Decimal, wantOK bool) {
	t.Helper()
	if ok != wantOK || got != want {
		t.Fatalf("%s = %v, %v; want %v, %v", op, got, ok, want, wantOK)
	}
}

// panics returns the message f panics with, or "" when it returns.
func panics(f func()) (message string) {
	defer func() {
		if p := recover(); p != nil {
			message = p.(string)
		}
	}()
	f()
	return ""
}

func TestSumsMatchBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals().Draw(t, "a"), decimals().Draw(t, "b")

		sum, sumFits := fromBig(new(big.Int).Add(toBig(a), toBig(b)))
		got, ok := a.AddChecked(b)
		same(t, "AddChecked", got, ok, sum, sumFits)
		if sumFits && a.Add(b) != sum {
			t.Fatalf("Add = %v, want %v", a.Add(b), sum)
		}
		if !sumFits && !strings.Contains(panics(func() { a.Add(b) }), "sum does not fit") {
			t.Fatal("Add did not panic on overflow")
		}

		diff, diffFits := fromBig(new(big.Int).Sub(toBig(a), toBig(b)))
		got, ok = a.SubChecked(b)
		same(t, "SubChecked", got, ok, diff, diffFits)
		if diffFits && a.Sub(b) != diff {
			t.Fatalf("Sub = %v, want %v", a.Sub(b), diff)
		}
		if !diffFits && !strings.Contains(panics(func() { a.Sub(b) }), "difference does not fit") {
			t.Fatal("Sub did not panic on overflow")
		}
	})
}

func TestSignsMatchBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := decimals().Draw(t, "d")
		if d.Sign() != toBig(d).Sign() || d.IsZero() != (toBig(d).Sign() == 0) {
			t.Fatalf("Sign = %d, IsZero = %v", d.Sign(), d.IsZero())
		}
		if d == fixed.Min {
			return
		}
		if got := toBig(d.Neg()); got.Cmp(new(big.Int).Neg(toBig(d))) != 0 {
			t.Fatalf("Neg = %v", d.Neg())
		}
		if got := toBig(d.Abs()); got.Cmp(new(big.Int).Abs(toBig(d))) != 0 {
			t.Fatalf("Abs = %v", d.Abs())
		}
	})
}

func TestOrderMatchesBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals().Draw(t, "a"), decimals().Draw(t, "b")
		if rapid.Bool().Draw(t, "equal") {
			b = a
		}
		want := toBig(a).Cmp(toBig(b))
		if got := a.Cmp(b); got != want {
			t.Fatalf("Cmp = %d, want %d", got, want)
		}
		if got := a.Less(b); got != (want < 0) {
			t.Fatalf("Less = %v", got)
		}
		if got := a == b; got != (want == 0) {
			t.Fatalf("== is %v", got)
		}
		low := a
		if want > 0 {
			low = b
		}
		if fixed.MinOf(a, b) != low {
			t.Fatalf("MinOf = %v", fixed.MinOf(a, b))
		}
	})
}

func TestMulDivRoundMatchBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals().Draw(t, "a"), decimals().Draw(t, "b")
		for places := 0; places <= fixed.Places; places++ {
			for _, r := range roundings {
				got, ok := fixed.Mul(a, b, places, r)
				want, wantOK := wantMul(a, b, places, r)
				same(t, "Mul "+r.String(), got, ok, want, wantOK)

				got, ok = fixed.Div(a, b, places, r)
				want, wantOK = wantDiv(a, b, places, r)
				same(t, "Div "+r.String(), got, ok, want, wantOK)

				got, ok = a.Round(places, r)
				want, wantOK = wantRound(a, places, r)
				same(t, "Round "+r.String(), got, ok, want, wantOK)
			}
		}
	})
}

// TestRoundingBesideMultiples aims at numbers just below, at and above a multiple of a power of ten, where a
// quotient that is off by one shows.
func TestRoundingBesideMultiples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := places().Draw(t, "places")
		n := new(big.Int).Quo(toBig(decimals().Draw(t, "d")), tenTo(18-p))
		n.Mul(n, tenTo(18-p))
		n.Add(n, big.NewInt(rapid.Int64Range(-1, 1).Draw(t, "beside")))
		d, ok := fromBig(n)
		if !ok {
			return
		}
		for _, r := range roundings {
			got, ok := d.Round(p, r)
			want, wantOK := wantRound(d, p, r)
			same(t, "Round "+r.String(), got, ok, want, wantOK)
			// A product whose last 18 digits decide.
			factor := decimals().Draw(t, "factor")
			got, ok = fixed.Mul(d, factor, p, r)
			want, wantOK = wantMul(d, factor, p, r)
			same(t, "Mul "+r.String(), got, ok, want, wantOK)
		}
		q, rem := new(big.Int).QuoRem(n, tenTo(18-p), new(big.Int))
		units, ok := d.Units(p)
		if ok != (rem.Sign() == 0 && q.IsInt64()) || ok && units != q.Int64() {
			t.Fatalf("Units(%d) = %d, %v; want %v", p, units, ok, q)
		}
	})
}

// TestDivisionBesideWholeQuotients aims at divisors of two words with a
// quotient just below or above a whole number, where the estimated digits of
// the long division need correcting.
func TestDivisionBesideWholeQuotients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, q := decimals().Draw(t, "b"), decimals().Draw(t, "q")
		n := new(big.Int).Mul(toBig(b), toBig(q))
		n.Quo(n, tenTo(18))
		n.Add(n, big.NewInt(rapid.Int64Range(-1, 1).Draw(t, "beside")))
		a, ok := fromBig(n)
		if !ok {
			return
		}
		for _, r := range roundings {
			got, ok := fixed.Div(a, b, 18, r)
			want, wantOK := wantDiv(a, b, 18, r)
			same(t, "Div "+r.String(), got, ok, want, wantOK)
		}
	})
}

func TestMulDivMatchesBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := decimals().Draw(t, "a"), decimals().Draw(t, "b"), decimals().Draw(t, "c")
		for places := 0; places <= fixed.Places; places++ {
			for _, r := range roundings {
				got, ok := fixed.MulDiv(a, b, c, places, r)
				want, wantOK := wantMulDiv(a, b, c, places, r)
				same(t, "MulDiv "+r.String(), got, ok, want, wantOK)
			}
		}
	})
}

// TestMulDivBesideWholeQuotients aims at products just below or above a whole number of divisors, at the
// ends of the range too: c is chosen so that a × b / c lands beside q.
func TestMulDivBesideWholeQuotients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, q := decimals().Draw(t, "a"), decimals().Draw(t, "b"), decimals().Draw(t, "q")
		if q.IsZero() {
			return
		}
		n := new(big.Int).Mul(toBig(a), toBig(b))
		n.Quo(n, toBig(q))
		n.Add(n, big.NewInt(rapid.Int64Range(-1, 1).Draw(t, "beside")))
		c, ok := fromBig(n)
		if !ok {
			return
		}
		for _, places := range []int{0, 8, 18} {
			for _, r := range roundings {
				got, ok := fixed.MulDiv(a, b, c, places, r)
				want, wantOK := wantMulDiv(a, b, c, places, r)
				same(t, "MulDiv "+r.String(), got, ok, want, wantOK)
			}
		}
	})
}

func TestCmpProductsMatchesBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, d := decimals().Draw(t, "a"), decimals().Draw(t, "b"), decimals().Draw(t, "c"), decimals().Draw(t, "d")
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0: // equal
			c, d = b, a
		case 1: // one unit in one factor apart, or as near as whole units come
			if c.IsZero() {
				break
			}
			n := new(big.Int).Mul(toBig(a), toBig(b))
			n.Quo(n, toBig(c))
			n.Add(n, big.NewInt(rapid.Int64Range(-1, 1).Draw(t, "beside")))
			if near, ok := fromBig(n); ok {
				d = near
			}
		}
		want := new(big.Int).Mul(toBig(a), toBig(b)).Cmp(new(big.Int).Mul(toBig(c), toBig(d)))
		if got := fixed.CmpProducts(a, b, c, d); got != want {
			t.Fatalf("CmpProducts = %d, want %d", got, want)
		}
		if got := fixed.CmpProducts(c, d, a, b); got != -want {
			t.Fatalf("CmpProducts the other way round = %d, want %d", got, -want)
		}
	})
}

func TestProductMatchesBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, p := ints().Draw(t, "x"), ints().Draw(t, "y"), places().Draw(t, "places")
		n := new(big.Int).Mul(big.NewInt(x), big.NewInt(y))
		want, wantOK := fromBig(n.Mul(n, tenTo(18-p)))
		got, ok := fixed.Product(x, y, p)
		same(t, "Product", got, ok, want, wantOK)
	})
}

func TestQuotientMatchesBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := decimals().Filter(func(d fixed.Decimal) bool { return d.Sign() >= 0 }).Draw(t, "budget")
		price := ints().Filter(func(n int64) bool { return n > 0 }).Draw(t, "price")
		p := places().Draw(t, "places")

		cost := new(big.Int).Mul(big.NewInt(price), tenTo(18-p))
		want := new(big.Int).Quo(toBig(budget), cost)
		if !want.IsInt64() {
			want.SetInt64(math.MaxInt64)
		}
		got := fixed.Quotient(budget, price, p)
		if got != want.Int64() {
			t.Fatalf("Quotient = %d, want %v", got, want)
		}
		if paid, ok := fixed.Product(got, price, p); !ok || budget.Less(paid) {
			t.Fatalf("%d lots cost %v, more than %v", got, paid, budget)
		}
	})
}

func TestUnitsMatchBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, p := decimals().Draw(t, "d"), places().Draw(t, "places")
		q, rem := new(big.Int).QuoRem(toBig(d), tenTo(18-p), new(big.Int))
		wantOK := rem.Sign() == 0 && q.IsInt64()
		want := int64(0)
		if wantOK {
			want = q.Int64()
		}
		if n, ok := d.Units(p); n != want || ok != wantOK {
			t.Fatalf("Units = %d, %v; want %d, %v", n, ok, want, wantOK)
		}

		n := ints().Draw(t, "n")
		from := fixed.FromUnits(n, p)
		if toBig(from).Cmp(new(big.Int).Mul(big.NewInt(n), tenTo(18-p))) != 0 {
			t.Fatalf("FromUnits = %v", from)
		}
		if back, ok := from.Units(p); back != n || !ok {
			t.Fatalf("Units(FromUnits) = %d, %v", back, ok)
		}
	})
}

func TestMultipleOfMatchesBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := decimals().Filter(func(d fixed.Decimal) bool { return d.Sign() > 0 }).Draw(t, "step")
		d := decimals().Draw(t, "d")
		if rapid.Bool().Draw(t, "beside a multiple") {
			n := new(big.Int).Quo(toBig(d), toBig(step))
			n.Mul(n, toBig(step))
			n.Add(n, big.NewInt(rapid.Int64Range(-1, 1).Draw(t, "beside")))
			if near, ok := fromBig(n); ok {
				d = near
			}
		}
		want := new(big.Int).Rem(toBig(d), toBig(step)).Sign() == 0
		if got := d.MultipleOf(step); got != want {
			t.Fatalf("MultipleOf = %v, want %v", got, want)
		}
	})
}

func TestPrintedFormMatchesBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := decimals().Draw(t, "d")
		s := d.String()
		want := new(big.Rat).SetFrac(toBig(d), tenTo(18)).FloatString(18)
		want = strings.TrimRight(strings.TrimRight(want, "0"), ".")
		if s != want {
			t.Fatalf("String = %s, want %s", s, want)
		}
		_, frac, _ := strings.Cut(s, ".")
		if d.Decimals() != len(frac) {
			t.Fatalf("Decimals(%s) = %d", s, d.Decimals())
		}
		if got := string(d.Append([]byte("x="))); got != "x="+s {
			t.Fatalf("Append = %s", got)
		}
		if back, err := fixed.Parse(s); err != nil || back != d {
			t.Fatalf("Parse(%s) = %v, %v", s, back, err)
		}
		if back, err := fixed.ParseBytes([]byte(s)); err != nil || back != d {
			t.Fatalf("ParseBytes(%s) = %v, %v", s, back, err)
		}
		if back := fixed.FromBits(d.Bits()); back != d {
			t.Fatalf("FromBits(Bits) = %v", back)
		}
	})
}

// wantCarry is the specification of Carry.
func wantCarry(d fixed.Decimal, times, of, rest uint64) (whole fixed.Decimal, left uint64, ok bool) {
	n := new(big.Int).Mul(toBig(d), new(big.Int).SetUint64(times))
	n.Add(n, new(big.Int).SetUint64(rest))
	q, r := n.QuoRem(n, new(big.Int).SetUint64(of), new(big.Int))
	if whole, ok = fromBig(q); !ok {
		return fixed.Zero, 0, false
	}
	return whole, r.Uint64(), true
}

func TestCarryMatchesBig(t *testing.T) {
	words := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3), rapid.Just(uint64(math.MaxUint64)), rapid.Just(uint64(8_760_000_000_000)))
	rapid.Check(t, func(t *rapid.T) {
		d := decimals().Draw(t, "d")
		if d.Sign() < 0 {
			d = fixed.Zero.Sub(d.Add(num(ulp))) // Min has no opposite
		}
		times, of, rest := words.Draw(t, "times"), max(words.Draw(t, "of"), 1), words.Draw(t, "rest")
		got, left, ok := d.Carry(times, of, rest)
		want, wantLeft, wantOK := wantCarry(d, times, of, rest)
		same(t, "Carry", got, ok, want, wantOK)
		if left != wantLeft {
			t.Fatalf("Carry leaves %d, want %d", left, wantLeft)
		}
	})
	for name, bad := range map[string]func(){
		"needs a number of at least 0": func() { num("-"+ulp).Carry(1, 1, 0) },
		"a divisor above 0":            func() { fixed.One.Carry(1, 0, 0) },
	} {
		if message := panics(bad); !strings.Contains(message, name) {
			t.Errorf("the panic says %q", message)
		}
	}
}

// TestCarryingAddsUp: what is left over of many small products is in the wholes in the end.
func TestCarryingAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum fixed.Decimal
		rest, d, of := uint64(0), fixed.FromUnits(rapid.Int64Range(0, 1_000_000).Draw(t, "d"), 18), rapid.Uint64Range(1, 1_000_000).Draw(t, "of")
		all := uint64(0)
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			times := rapid.Uint64Range(0, 1000).Draw(t, "times")
			all += times
			var whole fixed.Decimal
			whole, rest, _ = d.Carry(times, of, rest)
			sum = sum.Add(whole)
		}
		if want, left, _ := d.Carry(all, of, 0); sum != want || rest != left {
			t.Fatalf("%v and %d, want %v and %d", sum, rest, want, left)
		}
	})
}

func TestShareIsMulDiv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, of := decimals().Draw(t, "d"), max(1, ints().Draw(t, "of"))
		part := min(of, max(0, rapid.OneOf(ints(), rapid.Int64Range(0, of)).Draw(t, "part")))
		for _, places := range []int{0, 8, 18} {
			for _, r := range roundings {
				got, ok := d.Share(part, of, places, r)
				want, wantOK := fixed.MulDiv(d, fixed.FromInt(part), fixed.FromInt(of), places, r)
				same(t, "Share "+r.String(), got, ok, want, wantOK)
			}
		}
	})
	for _, not := range [][2]int64{{1, 0}, {0, 0}, {-1, 5}, {6, 5}, {-2, -1}} {
		if panics(func() { fixed.One.Share(not[0], not[1], fixed.Places, fixed.Down) }) == "" {
			t.Errorf("a share of %d in %d", not[0], not[1])
		}
	}
}

func TestPercentIsAProduct(t *testing.T) {
	hundredth := fixed.FromUnits(1, 2)
	for _, d := range []fixed.Decimal{
		fixed.Zero, fixed.One, fixed.Max, fixed.Min, fixed.FromUnits(99, fixed.Places), fixed.FromUnits(-99, fixed.Places), fixed.FromUnits(-101, fixed.Places),
	} {
		if want, _ := fixed.Mul(d, hundredth, fixed.Places, fixed.Down); d.Percent() != want {
			t.Errorf("a hundredth of %v is %v, want %v", d, d.Percent(), want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := fixed.FromBits(rapid.Int64().Draw(t, "hi")>>rapid.IntRange(0, 63).Draw(t, "shift"), rapid.Uint64().Draw(t, "lo"))
		if want, _ := fixed.Mul(d, hundredth, fixed.Places, fixed.Down); d.Percent() != want {
			t.Errorf("a hundredth of %v is %v, want %v", d, d.Percent(), want)
		}
	})
}
