package naive

import (
	"testing"

	"bourse/internal/schema"
)

// TestEveryCommandIsDone: each command belongs to one product or to the exchange, and an empty one is
// refused, except for those that are empty always.
func TestEveryCommandIsDone(t *testing.T) {
	for _, c := range schema.Commands() {
		x := New()
		got := x.Apply(1, schema.Origin{}, c)
		owners := 0
		for _, p := range New().products {
			if p.apply(c) != nil {
				owners++
			}
		}
		switch c.(type) {
		case *schema.Tick, *schema.Continue:
			if owners != 0 || refused(got.Result.Rejection) {
				t.Errorf("%T is of %d products: %q", c, owners, got.Result.Rejection.Text())
			}
		case *schema.SetTier, *schema.LeasePool: // the lowest tier, without bounds; a lease has nothing to be wrong
			if owners != 1 || refused(got.Result.Rejection) {
				t.Errorf("%T is of %d products: %q", c, owners, got.Result.Rejection.Text())
			}
		case *schema.SetFeature:
			if owners != 0 || got.Result.Rejection != because(schema.FeatureInvalid) {
				t.Errorf("%T is of %d products: %q", c, owners, got.Result.Rejection.Text())
			}
		default:
			if owners != 1 || !refused(got.Result.Rejection) || len(got.Events) != 0 {
				t.Errorf("%T is of %d products: %q", c, owners, got.Result.Rejection.Text())
			}
		}
	}
}

// TestClock: a command that comes too early happens at the time of the last accepted one, and a refused
// one does not move the clock.
func TestClock(t *testing.T) {
	w := newWorld(t)
	w.Apply(5000, &schema.Tick{})
	w.Apply(9000, &schema.Withdraw{Account: anna, Asset: usd, Amount: d("1")})
	if w.last.Time != 9000 || w.Time() != 5000 {
		t.Errorf("a refused command happened at %d, the clock is %d", w.last.Time, w.Time())
	}
	w.Apply(4000, &schema.SetIndex{Market: spot, Price: d("7")})
	if price, at := w.Index(spot); w.last.Time != 5000 || at != 5000 || price != d("7") {
		t.Errorf("it happened at %d, the index is %v of %d", w.last.Time, price, at)
	}
}
