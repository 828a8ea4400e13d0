package naive

import (
	"testing"

	"bourse/internal/schema"
	"pgregory.net/rapid"
)

func TestIndexIsTheMedianOfFreshSources(t *testing.T) {
	x := &index{maxAge: 30 * second, stale: true}
	at := 1000 * second
	for i, price := range []string{"50010.3", "49990", "51000", "50000.1"} {
		x.quote(i, n(price), at+schema.Time(i)*second)
	}
	same(t, "the mean of the middle two", x.price, "50005.2")
	x.quote(1, n("50020"), at+4*second) // each source has one price
	same(t, "after a source spoke again", x.price, "50015.15")

	x.refresh(at + 30*second - 1)
	same(t, "with a source just fresh", x.price, "50015.15")
	x.refresh(at + 30*second)
	same(t, "without it", x.price, "50020")
	x.refresh(at + 33*second)
	same(t, "with the last one", x.price, "50020")
	if x.stale {
		t.Error("stale with a fresh source")
	}
	x.refresh(at + 34*second)
	same(t, "the last value stays", x.price, "50020")
	if !x.stale {
		t.Error("fresh without a source")
	}
	x.quote(8, n("49000"), at+60*second)
	same(t, "of one source", x.price, "49000")
	x.quote(0, n("50000"), at+60*second)
	x.quote(8, num{}, at+60*second)
	same(t, "after a source took its price back", x.price, "50000")
}

func TestMedianIsCutOff(t *testing.T) {
	same(t, "the mean", median([]num{n("0.000000000000000002"), n("0.000000000000000001")}), "0.000000000000000001")
	same(t, "a price in USD", inUSDT(n("0.000000000000000003"), &currency{index: n("0.9995")}), "0.000000000000000002")
	same(t, "a price in USDT", inUSDT(n("7"), newVenue().usdt), "7")
}

// TestMedianStaysAmongThePrices: at least half of the prices are on either side of it.
func TestMedianStaysAmongThePrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var prices []num
		for range rapid.IntRange(1, 9).Draw(t, "sources") {
			prices = append(prices, positives(18).Draw(t, "price"))
		}
		middle := median(prices)
		notAbove, notBelow := 0, 0
		for _, p := range prices {
			if !p.more(middle.plus(smallest)) {
				notAbove++
			}
			if !p.less(middle) {
				notBelow++
			}
		}
		if 2*notAbove < len(prices) || 2*notBelow < len(prices) {
			t.Fatalf("%d of %d are not above, %d not below", notAbove, len(prices), notBelow)
		}
	})
}
