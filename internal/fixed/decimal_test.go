package fixed_test

import (
	"math"
	"strings"
	"testing"

	"bourse/internal/fixed"
)

const (
	maxText = "170141183460469231731.687303715884105727"
	minText = "-170141183460469231731.687303715884105728"
	ulp     = "0.000000000000000001"
)

var num = fixed.MustParse

func TestConstants(t *testing.T) {
	if fixed.Places != 18 {
		t.Errorf("Places = %d", fixed.Places)
	}
	for want, d := range map[string]fixed.Decimal{
		"0": fixed.Zero, "1": fixed.One, maxText: fixed.Max, minText: fixed.Min,
	} {
		if d.String() != want {
			t.Errorf("got %v, want %s", d, want)
		}
	}
	var zero fixed.Decimal
	if zero != fixed.Zero || !zero.IsZero() || zero.Sign() != 0 {
		t.Error("the zero value is not zero")
	}
}

func TestLargeAmountKeepsItsLastDecimal(t *testing.T) {
	a := num("400000000000000.000000000000000001")
	if got := a.Add(num(ulp)).String(); got != "400000000000000.000000000000000002" {
		t.Errorf("sum = %s", got)
	}
	// The exact product is 25700048000000000000.00000000000006425012.
	for r, want := range map[fixed.Rounding]string{
		fixed.Down:  "25700048000000000000.000000000000064250",
		fixed.Up:    "25700048000000000000.000000000000064251",
		fixed.Floor: "25700048000000000000.000000000000064250",
		fixed.Ceil:  "25700048000000000000.000000000000064251",
	} {
		if got, ok := fixed.Mul(a, num("64250.12"), 18, r); !ok || got != num(want) {
			t.Errorf("product %v = %v, %v; want %s", r, got, ok, want)
		}
	}
}

func TestRoundingDirections(t *testing.T) {
	tests := []struct {
		in                    string
		places                int
		down, up, floor, ceil string
	}{
		{"1.25", 1, "1.2", "1.3", "1.2", "1.3"},
		{"-1.25", 1, "-1.2", "-1.3", "-1.3", "-1.2"},
		{"1.2", 1, "1.2", "1.2", "1.2", "1.2"},
		{"-1.2", 1, "-1.2", "-1.2", "-1.2", "-1.2"},
		{ulp, 0, "0", "1", "0", "1"},
		{"-" + ulp, 0, "0", "-1", "-1", "0"},
		{"-" + ulp, 17, "0", "-0.00000000000000001", "-0.00000000000000001", "0"},
		{"9.999", 2, "9.99", "10", "9.99", "10"},
		{"0", 0, "0", "0", "0", "0"},
		{maxText, 18, maxText, maxText, maxText, maxText},
		{maxText, 0, "170141183460469231731", "", "170141183460469231731", ""},
		{minText, 0, "-170141183460469231731", "", "", "-170141183460469231731"},
	}
	for _, tt := range tests {
		d := num(tt.in)
		for r, want := range map[fixed.Rounding]string{
			fixed.Down: tt.down, fixed.Up: tt.up, fixed.Floor: tt.floor, fixed.Ceil: tt.ceil,
		} {
			check := func(op string, got fixed.Decimal, ok bool) {
				t.Helper()
				if want == "" && (ok || !got.IsZero()) {
					t.Errorf("%s(%s, %d, %v) = %v, want overflow", op, tt.in, tt.places, r, got)
				}
				if want != "" && (!ok || got.String() != want) {
					t.Errorf("%s(%s, %d, %v) = %v, %v; want %s", op, tt.in, tt.places, r, got, ok, want)
				}
			}
			got, ok := d.Round(tt.places, r)
			check("Round", got, ok)
			got, ok = fixed.Mul(d, fixed.One, tt.places, r)
			check("Mul by 1", got, ok)
			got, ok = fixed.Div(d, fixed.One, tt.places, r)
			check("Div by 1", got, ok)
		}
	}
}

func TestMulAndDivValues(t *testing.T) {
	tests := []struct {
		op     func(a, b fixed.Decimal, places int, r fixed.Rounding) (fixed.Decimal, bool)
		a, b   string
		places int
		r      fixed.Rounding
		want   string // empty when refused
	}{
		{fixed.Mul, "64250.12", "0.00021", 2, fixed.Up, "13.5"},
		{fixed.Mul, "64250.12", "0.00021", 2, fixed.Down, "13.49"},
		{fixed.Mul, "-64250.12", "0.00021", 2, fixed.Floor, "-13.5"},
		{fixed.Mul, ulp, ulp, 18, fixed.Down, "0"},
		{fixed.Mul, ulp, ulp, 18, fixed.Up, ulp},
		{fixed.Mul, "-" + ulp, ulp, 18, fixed.Ceil, "0"},
		{fixed.Mul, maxText, "-1", 18, fixed.Down, "-" + maxText},
		{fixed.Mul, minText, "-1", 18, fixed.Down, ""},
		{fixed.Mul, minText, minText, 18, fixed.Down, ""},
		{fixed.Mul, maxText, "2", 18, fixed.Down, ""},
		{fixed.Mul, maxText, "2", 0, fixed.Up, ""},
		{fixed.Div, "1", "3", 18, fixed.Down, "0.333333333333333333"},
		{fixed.Div, "1", "3", 18, fixed.Up, "0.333333333333333334"},
		{fixed.Div, "-1", "3", 18, fixed.Ceil, "-0.333333333333333333"},
		{fixed.Div, "-2", "3", 0, fixed.Floor, "-1"},
		{fixed.Div, "10", "4", 1, fixed.Down, "2.5"},
		{fixed.Div, "0", "-7", 3, fixed.Up, "0"},
		{fixed.Div, maxText, maxText, 18, fixed.Up, "1"},
		{fixed.Div, ulp, maxText, 18, fixed.Up, ulp},
		{fixed.Div, minText, "-1", 18, fixed.Down, ""},
		{fixed.Div, maxText, ulp, 18, fixed.Down, ""},
		{fixed.Div, maxText, "-0.5", 0, fixed.Floor, ""},
		{fixed.Div, "1", "0", 18, fixed.Down, ""},
		{fixed.Div, "0", "0", 18, fixed.Down, ""},
	}
	for i, tt := range tests {
		got, ok := tt.op(num(tt.a), num(tt.b), tt.places, tt.r)
		if ok != (tt.want != "") || ok && got.String() != tt.want {
			t.Errorf("case %d: (%s, %s, %d, %v) = %v, %v; want %q", i, tt.a, tt.b, tt.places, tt.r, got, ok, tt.want)
		}
	}
}

func TestUnitsValues(t *testing.T) {
	tests := []struct {
		in     string
		places int
		want   int64
		ok     bool
	}{
		{"64250.12", 2, 6425012, true},
		{"64250.12", 1, 0, false},
		{"-0.5", 1, -5, true},
		{"0", 18, 0, true},
		{"9.223372036854775807", 18, math.MaxInt64, true},
		{"9.223372036854775808", 18, 0, false},
		{"-9.223372036854775808", 18, math.MinInt64, true},
		{"-9.223372036854775809", 18, 0, false},
		{"9223372036854775807", 0, math.MaxInt64, true},
		{"9223372036854775808", 0, 0, false},
		{maxText, 18, 0, false},
		{"170141183460469231731", 0, 0, false},
	}
	for _, tt := range tests {
		if got, ok := num(tt.in).Units(tt.places); got != tt.want || ok != tt.ok {
			t.Errorf("%s.Units(%d) = %d, %v; want %d, %v", tt.in, tt.places, got, ok, tt.want, tt.ok)
		}
	}
	if got := fixed.FromInt(math.MinInt64).String(); got != "-9223372036854775808" {
		t.Errorf("FromInt = %s", got)
	}
	if got := fixed.FromUnits(-15, 1).String(); got != "-1.5" {
		t.Errorf("FromUnits = %s", got)
	}
}

func TestProductAndQuotientValues(t *testing.T) {
	if got, ok := fixed.Product(6425012, 21, 7); !ok || got.String() != "13.4925252" {
		t.Errorf("Product = %v, %v", got, ok)
	}
	if got, ok := fixed.Product(math.MinInt64, math.MinInt64, 18); !ok || got.String() != "85070591730234615865.843651857942052864" {
		t.Errorf("Product = %v, %v", got, ok)
	}
	if got, ok := fixed.Product(math.MaxInt64, -math.MaxInt64, 17); ok || !got.IsZero() {
		t.Errorf("Product = %v, %v; want overflow", got, ok)
	}
	tests := []struct {
		budget string
		price  int64
		places int
		want   int64
	}{
		{"100", 6425012, 7, 155},
		{"13.4925252", 6425012, 7, 21},
		{"13.492525199999999999", 6425012, 7, 20},
		{"0", 1, 0, 0},
		{maxText, 1, 18, math.MaxInt64},
		{maxText, math.MaxInt64, 0, 18},
		{maxText, math.MaxInt64, 18, math.MaxInt64},
		{"9.223372036854775806", 1, 18, math.MaxInt64 - 1},
	}
	for _, tt := range tests {
		if got := fixed.Quotient(num(tt.budget), tt.price, tt.places); got != tt.want {
			t.Errorf("Quotient(%s, %d, %d) = %d, want %d", tt.budget, tt.price, tt.places, got, tt.want)
		}
	}
}

func TestMultipleOfAndDecimals(t *testing.T) {
	tests := []struct {
		d, step  string
		multiple bool
		decimals int
	}{
		{"0", "0.1", true, 0},
		{"1.25", "0.25", true, 2},
		{"-1.25", "0.25", true, 2},
		{"1.26", "0.25", false, 2},
		{"300", "100", true, 0},
		{"301", "100", false, 0},
		{ulp, ulp, true, 18},
		{maxText, maxText, true, 18},
		{"0.000000001", "1", false, 9},
		{"0.0000000001", "1", false, 10},
	}
	for _, tt := range tests {
		d := num(tt.d)
		if got := d.MultipleOf(num(tt.step)); got != tt.multiple {
			t.Errorf("%s.MultipleOf(%s) = %v", tt.d, tt.step, got)
		}
		if got := d.Decimals(); got != tt.decimals {
			t.Errorf("%s.Decimals() = %d, want %d", tt.d, got, tt.decimals)
		}
	}
}

func TestRoundingNames(t *testing.T) {
	for r, want := range map[fixed.Rounding]string{
		fixed.Down: "down", fixed.Up: "up", fixed.Floor: "floor", fixed.Ceil: "ceil", 9: "Rounding(9)",
	} {
		if r.String() != want {
			t.Errorf("got %s, want %s", r, want)
		}
	}
}

func TestBrokenInvariantsPanic(t *testing.T) {
	const decimalsMessage = "number of decimals must be 0 to 18"
	tests := []struct {
		name, message string
		f             func()
	}{
		{"Add", "a sum does not fit 128 bits; amounts are checked", func() { fixed.Max.Add(num(ulp)) }},
		{"Sub", "a difference does not fit 128 bits; amounts are checked", func() { fixed.Min.Sub(num(ulp)) }},
		{"Neg", "Min has no opposite", func() { fixed.Min.Neg() }},
		{"Abs", "Min has no opposite", func() { fixed.Min.Abs() }},
		{"MultipleOf 0", "step above 0", func() { fixed.One.MultipleOf(fixed.Zero) }},
		{"MultipleOf -1", "step above 0", func() { fixed.One.MultipleOf(fixed.FromInt(-1)) }},
		{"Quotient budget", "budget of at least 0", func() { fixed.Quotient(fixed.FromInt(-1), 1, 0) }},
		{"Quotient price", "price above 0", func() { fixed.Quotient(fixed.One, 0, 0) }},
		{"Quotient places", decimalsMessage, func() { fixed.Quotient(fixed.One, 1, 19) }},
		{"FromUnits", decimalsMessage, func() { fixed.FromUnits(1, -1) }},
		{"Units", decimalsMessage, func() { fixed.One.Units(19) }},
		{"Product", decimalsMessage, func() { fixed.Product(1, 1, 19) }},
		{"Mul", decimalsMessage, func() { fixed.Mul(fixed.Max, fixed.Max, 19, fixed.Down) }},
		{"Div", decimalsMessage, func() { fixed.Div(fixed.One, fixed.Zero, -1, fixed.Down) }},
		{"Round", decimalsMessage, func() { fixed.One.Round(19, fixed.Down) }},
		{"direction", "must be Down, Up, Floor or Ceil", func() { fixed.One.Round(0, 4) }},
		{"MustParse", `"x" is not a decimal number`, func() { fixed.MustParse("x") }},
	}
	for _, tt := range tests {
		if got := panics(tt.f); !strings.Contains(got, tt.message) {
			t.Errorf("%s panicked with %q, want %q in it", tt.name, got, tt.message)
		}
	}
}
