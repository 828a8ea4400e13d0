package fixed_test

import (
	"testing"

	"bourse/internal/fixed"
)

// The results go to package variables so that the compiler cannot drop the
// calls that produce them.
var (
	sinkDecimal fixed.Decimal
	sinkBytes   []byte
	sinkInt     int64
	sinkBool    bool
)

const typical = "64250.125"

func TestHotOperationsDoNotAllocate(t *testing.T) {
	a, b := num(typical), num("-0.000000000000000021")
	text, buf := []byte(maxText), make([]byte, 0, 64)
	for name, f := range map[string]func(){
		"Parse":       func() { sinkDecimal, _ = fixed.Parse(maxText) },
		"ParseBytes":  func() { sinkDecimal, _ = fixed.ParseBytes(text) },
		"Append":      func() { sinkBytes = fixed.Min.Append(buf[:0]) },
		"Add":         func() { sinkDecimal = a.Add(b) },
		"Sub":         func() { sinkDecimal = a.Sub(b) },
		"AddChecked":  func() { sinkDecimal, sinkBool = fixed.Max.AddChecked(a) },
		"Units":       func() { sinkInt, sinkBool = a.Units(3) },
		"FromUnits":   func() { sinkDecimal = fixed.FromUnits(64250125, 3) },
		"Product":     func() { sinkDecimal, sinkBool = fixed.Product(64250125, 21, 8) },
		"Quotient":    func() { sinkInt = fixed.Quotient(a, 21, 8) },
		"Mul":         func() { sinkDecimal, sinkBool = fixed.Mul(a, b, 18, fixed.Up) },
		"Div":         func() { sinkDecimal, sinkBool = fixed.Div(b, a, 18, fixed.Up) },
		"MulDiv":      func() { sinkDecimal, sinkBool = fixed.MulDiv(fixed.Max, a, fixed.Min, 18, fixed.Up) },
		"CmpProducts": func() { sinkInt = int64(fixed.CmpProducts(a, b, b, a)) },
		"Round":       func() { sinkDecimal, sinkBool = a.Round(2, fixed.Ceil) },
		"MultipleOf":  func() { sinkBool = a.MultipleOf(fixed.One) },
		"Decimals":    func() { sinkInt = int64(a.Decimals()) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, s := range []string{typical, maxText} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkDecimal, _ = fixed.Parse(s)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, s := range []string{typical, maxText} {
		b.Run(s, func(b *testing.B) {
			d, buf := num(s), make([]byte, 0, 64)
			b.ReportAllocs()
			for b.Loop() {
				buf = d.Append(buf[:0])
			}
			sinkBytes = buf
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	d, e := num(typical), num(ulp)
	for b.Loop() {
		d = d.Add(e)
	}
	sinkDecimal = d
}

func BenchmarkUnits(b *testing.B) {
	d := num(typical)
	for b.Loop() {
		sinkInt, sinkBool = d.Units(3)
	}
}

func BenchmarkProduct(b *testing.B) {
	x, y := int64(64250125), int64(1)
	for b.Loop() {
		sinkDecimal, sinkBool = fixed.Product(x, y, 8)
		y++
	}
}

func BenchmarkQuotient(b *testing.B) {
	budget := num("1000000")
	for b.Loop() {
		sinkInt = fixed.Quotient(budget, 64250125, 8)
	}
}

func BenchmarkMul(b *testing.B) {
	x, y := num(typical), num("0.001")
	for b.Loop() {
		sinkDecimal, sinkBool = fixed.Mul(x, y, 8, fixed.Up)
	}
}

func BenchmarkDiv(b *testing.B) {
	x, y := num(typical), num("3")
	for b.Loop() {
		sinkDecimal, sinkBool = fixed.Div(x, y, 8, fixed.Down)
	}
}

// BenchmarkMulDiv has a divisor of one word, and one of two, which is a long division.
func BenchmarkMulDiv(b *testing.B) {
	x, y := num(typical), num("12.5")
	for _, by := range []string{"3", "30000"} {
		b.Run(by, func(b *testing.B) {
			z := num(by)
			for b.Loop() {
				sinkDecimal, sinkBool = fixed.MulDiv(x, y, z, 8, fixed.Ceil)
			}
		})
	}
}

func BenchmarkCmpProducts(b *testing.B) {
	x, y := num(typical), num("12.5")
	for b.Loop() {
		sinkInt = int64(fixed.CmpProducts(x, y, y, x))
	}
}
