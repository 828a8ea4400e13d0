package core

import (
	"testing"

	"bourse/internal/schema"
)

// TestHeadroomDecidesNothing lets accounts order, trade and cancel at one mark until their margin is used up. Every command also
// goes to a machine that was just restored: it kept nothing of what the accounts had before, and says the same.
func TestHeadroomDecidesNothing(t *testing.T) {
	f := newVenue(t, nil)
	bob, maker := f.trader("bob", "1000", 20), f.trader("maker", "3000", 10)
	refused, filled := 0, 0
	var resting []schema.OrderID
	both := func(c schema.Command) {
		t.Helper()
		fresh, err := Restore(f.m.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		want := fresh.Apply(f.m.Time()+schema.Second, c).Result.Rejection.Reason
		out := f.try(c)
		if got := out.Result.Rejection.Reason; got != want || f.m.Hash() != fresh.Hash() {
			t.Fatalf("%T %+v: %v, a machine that kept nothing says %v", c, c, got, want)
		}
		switch order := out.Result.Order; {
		case out.Result.Rejection.Refused():
			refused++
		case order.Status == schema.Filled:
			filled++
		case order.Account == bob && order.Status == schema.Open:
			resting = append(resting, order.ID)
		}
	}
	for i := range 60 {
		both(bet(maker, schema.Sell, "0.03", "50010")) // bob buys above the mark
		both(bet(bob, schema.Buy, "0.03", "50010"))
		both(bet(bob, schema.Buy, "0.02", "49900"))
		both(bet(bob, schema.Sell, "0.01", "49950"))
		if i%4 == 3 && len(resting) > 0 {
			both(&schema.CancelOrder{Account: bob, Order: schema.OrderRef{Market: perp, ID: resting[0]}})
			resting = resting[1:]
		}
	}
	if refused < 20 || filled < 10 {
		t.Errorf("%d commands were refused and %d orders filled", refused, filled)
	}
}
