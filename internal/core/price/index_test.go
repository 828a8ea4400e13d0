package price

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

var num = fixed.MustParse

const (
	start  = 1_800_000_000 * schema.Second
	maxAge = 30 * schema.Second
)

func wantPrice(t *testing.T, x *Index, price string, fresh bool) {
	t.Helper()
	if got, is := x.Price(); got != num(price) || is != fresh {
		t.Errorf("the index is %v, fresh %v; want %s, %v", got, is, price, fresh)
	}
}

func TestIndexIsTheMedianOfItsSources(t *testing.T) {
	var x Index
	wantPrice(t, &x, "0", false)
	for i, tt := range []struct{ price, want string }{
		{"51000", "51000"},
		{"49990", "50495"},
		{"50010.3", "50010.3"},
		{"50000.1", "50005.2"}, // the mean of 50000.1 and 50010.3
	} {
		if !x.Set(i, num(tt.price), start, maxAge) {
			t.Fatalf("%s is refused", tt.price)
		}
		wantPrice(t, &x, tt.want, true)
	}
	// A source that speaks again takes its own place; one at zero leaves.
	x.Set(0, num("50000.2"), start, maxAge)
	wantPrice(t, &x, "50000.15", true)
	x.Set(1, fixed.Zero, start, maxAge)
	wantPrice(t, &x, "50000.2", true)
	if x.Quote(1) != (Quote{}) || x.Quote(2) != (Quote{num("50010.3"), start}) {
		t.Errorf("sources say %+v and %+v", x.Quote(1), x.Quote(2))
	}
}

func TestMeanOfTwoIsCutOff(t *testing.T) {
	var x Index
	x.Set(0, num("0.000000000000000001"), start, maxAge)
	x.Set(8, num("0.000000000000000004"), start, maxAge)
	wantPrice(t, &x, "0.000000000000000002", true)
	x.Set(0, Limit, start, maxAge)
	x.Set(8, Limit, start, maxAge)
	wantPrice(t, &x, Limit.String(), true)
}

// TestSourcesGrowOld: a source counts until it has reached its maximum age, and the last price stays.
func TestSourcesGrowOld(t *testing.T) {
	var x Index
	x.Set(0, num("100"), start, maxAge)
	x.Set(1, num("110"), start+10*schema.Second, maxAge)
	x.Refresh(start+maxAge-1, maxAge)
	wantPrice(t, &x, "105", true)
	x.Refresh(start+maxAge, maxAge)
	wantPrice(t, &x, "110", true)
	x.Refresh(start+maxAge+10*schema.Second, maxAge)
	wantPrice(t, &x, "110", false)
	x.Set(1, fixed.Zero, start+50*schema.Second, maxAge)
	wantPrice(t, &x, "110", false)
	x.Set(0, num("90"), start+50*schema.Second, maxAge)
	wantPrice(t, &x, "90", true)
}

func TestPricesThatCannotBe(t *testing.T) {
	var x Index
	x.Set(0, num("100"), start, maxAge)
	before := x
	for _, tt := range []struct {
		source int
		price  fixed.Decimal
	}{
		{-1, fixed.One}, {Sources, fixed.One}, {0, fixed.One.Neg()}, {0, Limit.Add(fixed.FromUnits(1, 18))}, {0, fixed.Min},
	} {
		if x.Set(tt.source, tt.price, start, maxAge) || x != before {
			t.Errorf("source %d says %v: the index is %+v", tt.source, tt.price, x)
		}
	}
}

func TestMedianMatchesASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x Index
		now, last := start, fixed.Zero
		quotes := map[int]Quote{}
		for range rapid.IntRange(1, 40).Draw(t, "moments") {
			now += schema.Time(rapid.Int64Range(0, int64(maxAge)/2).Draw(t, "later"))
			if rapid.Bool().Draw(t, "quote") {
				source := rapid.IntRange(0, Sources-1).Draw(t, "source")
				q := Quote{fixed.FromUnits(rapid.Int64Range(0, 1000).Draw(t, "price"), 18), now}
				quotes[source] = q
				if q.Price.IsZero() {
					delete(quotes, source)
				}
				x.Set(source, q.Price, now, maxAge)
			} else {
				x.Refresh(now, maxAge)
			}
			var list []int64
			for _, q := range quotes {
				if now-q.At < maxAge {
					n, _ := q.Price.Units(18)
					list = append(list, n)
				}
			}
			slices.Sort(list)
			if n := len(list); n%2 == 1 {
				last = fixed.FromUnits(list[n/2], 18)
			} else if n > 0 {
				last = fixed.FromUnits((list[n/2-1]+list[n/2])/2, 18)
			}
			if got, fresh := x.Price(); got != last || fresh != (len(list) > 0) {
				t.Fatalf("of %v: %v, fresh %v", list, got, fresh)
			}
		}
	})
}
