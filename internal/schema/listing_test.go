package schema

import (
	"testing"

	"bourse/internal/fixed"
)

func TestStandardNetwork(t *testing.T) {
	for _, tt := range []struct {
		networks []Network
		want     string
	}{
		{nil, ""},
		{[]Network{{Name: "A"}}, "A"},
		{[]Network{{Name: "A"}, {Name: "B"}}, ""},
		{[]Network{{Name: "A"}, {Name: "B", Default: true}}, "B"},
	} {
		got := ""
		if n := (&Asset{Networks: tt.networks}).StandardNetwork(); n != nil {
			got = n.Name
		}
		if got != tt.want {
			t.Errorf("%v: %q", tt.networks, got)
		}
	}
}

// TestDepositBounds: the narrower of two bind, and zero does not.
func TestDepositBounds(t *testing.T) {
	for _, tt := range [][6]int64{ // of the asset, of the network, of both
		{0, 0, 0, 0, 0, 0},
		{1, 9, 0, 0, 1, 9},
		{0, 0, 1, 9, 1, 9},
		{1, 9, 2, 8, 2, 8},
		{2, 8, 1, 9, 2, 8},
		{1, 0, 2, 9, 2, 9},
	} {
		n := func(i int) fixed.Decimal { return fixed.FromInt(tt[i]) }
		a := Asset{MinDeposit: n(0), MaxDeposit: n(1)}
		if low, high := a.DepositBounds(&Network{MinDeposit: n(2), MaxDeposit: n(3)}); low != n(4) || high != n(5) {
			t.Errorf("%v: %s to %s", tt, low, high)
		}
	}
}
