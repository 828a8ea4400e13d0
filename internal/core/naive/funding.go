package naive

import "bourse/internal/schema"

// fundingRules are the settings of a market. Rates are fractions.
type fundingRules struct {
	intervalMinutes int64
	floor, cap      num
}

var (
	baseRate       = unit(4)                 // the rate of a market without a premium, for eight hours
	interestWithin = whole(5).times(unit(4)) // how far the premium is pulled toward it
	referenceTime  = whole(480)              // the eight hours, in minutes
)

// fundingRate is the rate of the samples since the last settlement, cut off. Without any that saw the book
// it is zero.
func fundingRate(samples []sample, rules fundingRules) num {
	sum, seen := num{}, false
	for _, s := range samples {
		if s.seen {
			sum, seen = sum.plus(s.premium), true
		}
	}
	if !seen {
		return num{}
	}
	premium := sum.over(whole(int64(len(samples))))
	pull := baseRate.minus(premium).within(interestWithin.neg(), interestWithin)
	rate := premium.plus(pull).times(whole(rules.intervalMinutes)).over(referenceTime)
	return rate.within(rules.floor, rules.cap).truncate(unit(16))
}

// fundingDue reports whether a settlement is due: a whole interval has passed since the last. However many
// have, it is one settlement.
func fundingDue(last, now schema.Time, rules fundingRules) bool {
	interval := schema.Time(rules.intervalMinutes) * minute
	return now/interval > last/interval
}

// funding is what a position gets, negative if it pays. With a positive rate longs pay shorts. What is paid
// is rounded up and what is received down. The price is in USDT.
func funding(size, price, rate num, feePrec uint8) num {
	return size.times(price).times(rate).neg().floor(unit(feePrec))
}

// settleFunding is what each position gets, and what is left for the insurance fund.
func settleFunding(sizes []num, price, rate num, feePrec uint8) (amounts []num, rest num) {
	for _, size := range sizes {
		amount := funding(size, price, rate, feePrec)
		amounts = append(amounts, amount)
		rest = rest.minus(amount)
	}
	return amounts, rest
}
