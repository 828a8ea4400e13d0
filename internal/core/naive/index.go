package naive

import (
	"slices"

	"bourse/internal/schema"
)

// The moments of margin. Samples and interest go by whole ones of them.
const (
	second schema.Time = 1_000_000
	minute             = 60 * second
	hour               = 60 * minute
)

// index is the price of an asset in the world outside, from up to nine sources. Sources are asked on any
// market of the asset; each has one price, its newest.
type index struct {
	maxAge  schema.Time
	sources [9]quotation
	price   num // the last that there was
	stale   bool
	since   schema.Time // when either changed
}

// quotation is what a source said last; a price of zero is none.
type quotation struct {
	price  num
	at     schema.Time
	counts bool // it was fresh when that was last looked at
}

// quote takes in what a source says, in USDT.
func (x *index) quote(source int, price num, at schema.Time) {
	x.sources[source] = quotation{price: price, at: at}
	x.refresh(at)
}

// refresh looks at how old the sources are. While none is fresh the last price stays and is stale.
func (x *index) refresh(now schema.Time) {
	var fresh []num
	for i := range x.sources {
		s := &x.sources[i]
		s.counts = s.price.sign() > 0 && now-s.at < x.maxAge
		if s.counts {
			fresh = append(fresh, s.price)
		}
	}
	x.stale = len(fresh) == 0
	if !x.stale {
		x.price = median(fresh)
	}
}

// inUSDT is a price in another currency.
func inUSDT(price num, in *currency) num { return price.times(in.price()).truncate(smallest) }

// median is the middle price, or the mean of the middle two, cut off.
func median(prices []num) num {
	slices.SortFunc(prices, num.cmp)
	middle := len(prices) / 2
	if len(prices)%2 == 1 {
		return prices[middle]
	}
	return prices[middle-1].plus(prices[middle]).over(whole(2)).truncate(smallest)
}
