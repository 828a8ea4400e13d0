package schema

import "testing"

func TestSetsOfPositionSides(t *testing.T) {
	for _, tt := range []struct {
		set               PositionSides
		both, long, short bool
	}{
		{0, true, true, true},
		{SidesOf(BothSides), true, false, false},
		{SidesOf(LongSide), false, true, false},
		{SidesOf(LongSide, ShortSide), false, true, true},
	} {
		if both, long, short := tt.set.Include(BothSides), tt.set.Include(LongSide), tt.set.Include(ShortSide); both != tt.both || long != tt.long || short != tt.short {
			t.Errorf("%b has BOTH %v, LONG %v, SHORT %v", tt.set, both, long, short)
		}
		if !tt.set.Known() {
			t.Errorf("%b is not known", tt.set)
		}
	}
	if PositionSides(8).Known() {
		t.Error("8 is a set of sides")
	}
}
