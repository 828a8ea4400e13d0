package hours

import (
	"slices"
	"testing"

	"bourse/internal/fixed"
)

func d(s string) fixed.Decimal { return fixed.MustParse(s) }

func TestADayIsTheHourUnderWayAnd23Before(t *testing.T) {
	list := Add(nil, 5*hour, d("1"))
	list = Add(list, 6*hour-1, d("2"))
	list = Add(list, 6*hour, d("-4"))
	if want := []Sum{{5, d("3")}, {6, d("-4")}}; !slices.Equal(list, want) {
		t.Errorf("the sums are %v, want %v", list, want)
	}
	if got := Live(list, 29*hour-1, Day); len(got) != 2 || Total(got) != d("-1") {
		t.Errorf("in the last microsecond of the day %v count", got)
	}
	if got := Live(list, 29*hour, Day); len(got) != 1 || got[0].Hour != 6 {
		t.Errorf("when an hour is over %v count", got)
	}
	if got := Live(list, 30*hour, Day); len(got) != 0 {
		t.Errorf("when all is over %v count", got)
	}
}

func TestWhatDoesNotFitStaysAtTheEnd(t *testing.T) {
	if got := Plus(fixed.Max, d("1")); got != fixed.Max {
		t.Errorf("above: %s", got)
	}
	if got := Plus(fixed.Min, d("-1")); got != fixed.Max.Neg() {
		t.Errorf("below: %s", got)
	}
	if got := Plus(d("1"), d("-3")); got != d("-2") {
		t.Errorf("between: %s", got)
	}
}
