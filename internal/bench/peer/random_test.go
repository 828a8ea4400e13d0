package peer

import (
	"slices"
	"testing"
)

// The expected numbers of these tests come from a Java runtime.

func TestJavaRandomInt(t *testing.T) {
	for _, tt := range []struct {
		name  string
		bound int32
		want  []int32
	}{
		{"small bound", 10, []int32{0, 3, 8, 4, 0, 5, 5, 8, 9, 3, 2, 2}},
		{"power of two", 16, []int32{11, 0, 10, 0, 4, 15}},
		{"bound that rejects almost half of the draws", 1<<30 + 1, []int32{117392763, 102948884, 662969970, 595021505, 196118093, 969067502, 791955276, 819572292}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newJavaRandom(42)
			var got []int32
			for range tt.want {
				got = append(got, r.nextInt(tt.bound))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestJavaRandomDouble(t *testing.T) {
	r := newJavaRandom(-7)
	for i, want := range []float64{0.2691218093260761, 0.6731811902798038, 0.5214896372918163, 0.8518782305056931} {
		if got := r.nextDouble(); got != want {
			t.Errorf("draw %d: got %v, want %v", i, got, want)
		}
	}
}

func TestJavaHash(t *testing.T) {
	seed := int32(101572685)
	for symbol, want := range map[int32]int32{0: 1577989421, 5: 1550511486} {
		if got := javaHash(symbol*-177277, seed*10037+198267); got != want {
			t.Errorf("symbol %d: got %d, want %d", symbol, got, want)
		}
	}
}
