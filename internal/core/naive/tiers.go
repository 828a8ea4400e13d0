package naive

// bracket lets a position have a leverage as far as its notional is not above upTo, in USDT.
type bracket struct {
	leverage int64
	upTo     num
}

// tier is a part of a notional and the leverage that it has.
type tier struct {
	notional num
	leverage int64
}

// tiers cuts a notional into the parts that have one leverage each. Brackets of 100, 50 and 20 grow as
// the leverage falls, and one of zero is none. Those above the given leverage count at it; what is above
// the last of them has a leverage of 10 at most. Without brackets all of it has the given leverage.
func tiers(notional num, leverage int64, brackets []bracket) []tier {
	var parts []tier
	reached := num{}
	take := func(upTo num, at int64) {
		part := least(notional, upTo).minus(reached)
		if part.sign() <= 0 {
			return
		}
		reached = reached.plus(part)
		if last := len(parts) - 1; last >= 0 && parts[last].leverage == at {
			parts[last].notional = parts[last].notional.plus(part)
			return
		}
		parts = append(parts, tier{part, at})
	}
	bracketed := false
	for _, of := range []int64{100, 50, 20} {
		for _, b := range brackets {
			if b.leverage == of && b.upTo.sign() > 0 {
				take(b.upTo, min(of, leverage))
				bracketed = true
			}
		}
	}
	if bracketed {
		take(notional, min(leverage, 10))
	} else {
		take(notional, leverage)
	}
	return parts
}

// initialMargin is what a position of the notional must be covered by to be opened.
func initialMargin(notional num, leverage int64, brackets []bracket) num {
	sum := num{}
	for _, part := range tiers(notional, leverage, brackets) {
		sum = sum.plus(part.initial())
	}
	return sum
}

// maintenanceMargin is what it must be covered by to stay open.
func maintenanceMargin(notional num, leverage int64, brackets []bracket) num {
	sum := num{}
	for _, part := range tiers(notional, leverage, brackets) {
		sum = sum.plus(part.maintenance())
	}
	return sum
}

// initial is rounded up, against the customer.
func (t tier) initial() num { return t.notional.over(whole(t.leverage)).ceil(smallest) }

// maintenance is half of the initial margin above a leverage of 10, otherwise 3 %. It is rounded up from
// the notional, not from the rounded initial margin.
func (t tier) maintenance() num {
	if t.leverage > 10 {
		return t.notional.over(whole(2 * t.leverage)).ceil(smallest)
	}
	return t.notional.times(threePercent).ceil(smallest)
}

// threePercent is the most that one more unit of notional can add to the maintenance margin.
var threePercent = whole(3).over(hundred)
