package price

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
)

func TestImpactIsAnAverage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		levels [][2]string // prices and amounts
		want   string
	}{
		{"one level", [][2]string{{"50000", "1"}}, "50000"},
		{"exactly one level", [][2]string{{"50000", "0.2"}}, "50000"},
		{"two levels", [][2]string{{"50000", "0.1"}, {"50100", "1"}}, "50049.950049950049950049"}, // 10000 / (0.1 + 5000/50100)
		{"too little", [][2]string{{"50000", "0.1"}, {"50100", "0.09"}}, "0"},
		{"an empty side", nil, "0"},
	} {
		i := NewImpact(num("10000"))
		more := true
		for n, level := range tt.levels {
			if !more {
				t.Errorf("%s: level %d is not needed", tt.name, n)
			}
			more = i.Level(num(level[0]), num(level[1]))
		}
		if got := i.Price(); got != num(tt.want) || more != (tt.want == "0") {
			t.Errorf("%s: %v, more %v; want %s", tt.name, got, more, tt.want)
		}
	}
}

func TestImpactThatCannotBeCounted(t *testing.T) {
	i := NewImpact(num("10000"))
	least := fixed.FromUnits(1, 18)
	for range 18 {
		if !i.Level(least, fixed.FromInt(1<<63-1)) {
			t.Fatal("that is worth 9 each")
		}
	}
	if i.Level(least, fixed.FromInt(1<<63-1)) || !i.Price().IsZero() {
		t.Errorf("more than can be counted costs %v on average", i.Price())
	}
	i = NewImpact(num("10000"))
	i.Level(least, fixed.FromInt(1<<62))
	if i.Level(fixed.FromInt(1<<62), fixed.One) || !i.Price().IsZero() {
		t.Errorf("prices that far apart are %v on average", i.Price())
	}
	i = NewImpact(num("10000"))
	if i.Level(fixed.FromInt(1<<62), fixed.FromInt(1<<62)) || i.Price() != fixed.FromInt(1<<62) {
		t.Errorf("a level beyond all money costs %v", i.Price())
	}
}

func TestImpactMatchesFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		notional := fixed.FromInt(rapid.Int64Range(1, 100_000).Draw(t, "notional"))
		i := NewImpact(notional)
		left, amount, more := rat(notional), new(big.Rat), true
		for more && rapid.IntRange(0, 20).Draw(t, "end") != 0 {
			price := fixed.FromUnits(rapid.Int64Range(1, 10_000_000).Draw(t, "price"), 2)
			size := fixed.FromUnits(rapid.Int64Range(1, 10_000_000).Draw(t, "amount"), 6)
			more = i.Level(price, size)
			worth := new(big.Rat).Mul(rat(price), rat(size))
			if worth.Cmp(left) < 0 {
				left.Sub(left, worth)
				amount.Add(amount, rat(size))
				continue
			}
			amount.Add(amount, new(big.Rat).Quo(left, rat(price)))
			want := rounded(new(big.Rat).Quo(rat(notional), amount), 18, fixed.Down)
			if more || rat(i.Price()).Cmp(want) != 0 {
				t.Fatalf("%v, more %v; want %s", i.Price(), more, want.FloatString(18))
			}
			return
		}
		if !i.Price().IsZero() {
			t.Fatalf("a book that ends costs %v", i.Price())
		}
	})
}
