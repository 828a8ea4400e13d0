package ranking

import (
	"slices"
	"testing"

	"bourse/internal/core/collateral"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestGrades(t *testing.T) {
	for n, want := range map[int][]int{
		1:  {4},
		2:  {1, 4},
		4:  {0, 1, 2, 4},
		20: {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 4},
	} {
		var got []int
		for place := 1; place <= n; place++ {
			got = append(got, grade(place, n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("the grades of %d are %v, want %v", n, got, want)
		}
	}
}

// Positions are ordered by PnL for equity: 1/10, 30/100, -5/1000, then one without equity, and of two equal ones the
// older is closed first.
func TestOrderOfDeleveraging(t *testing.T) {
	rating := func(id schema.PositionID, pnl, equity int64) collateral.Rating {
		return collateral.Rating{Position: id, Long: true, Unrealized: fixed.FromInt(pnl), Equity: fixed.FromInt(equity)}
	}
	list := []collateral.Rating{rating(1, 1, 10), rating(2, 30, 100), rating(3, -5, 1000), rating(4, -7, 0), rating(5, 3, 10), rating(6, 9, -1)}
	slices.SortFunc(list, later)
	var got []schema.PositionID
	for _, r := range list {
		got = append(got, r.Position)
	}
	if want := []schema.PositionID{3, 1, 5, 2, 6, 4}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
	k := &ranking{longs: list, grades: map[schema.PositionID]int{1: 3}}
	if g := k.grade(rating(1, 1000, 1)); g != 3 {
		t.Errorf("a ranked position has grade %d", g)
	}
	// The first of seven, and the fifth: 0.71.
	if low, high := k.grade(rating(7, -1, 1)), k.grade(rating(8, 5, 1)); low != 0 || high != 1 {
		t.Errorf("new positions have the grades %d and %d", low, high)
	}
}
