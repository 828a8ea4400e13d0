package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// Bounds of tiers, and how far back what left is counted.
const (
	tierMost    = 9
	tierPlaces  = 8 // decimals of bounds and of what leaves
	hoursADay   = 24
	hoursAMonth = 30 * hoursADay
)

// hourOf numbers the hours of the clock.
func hourOf(at schema.Time) schema.Time { return at / hour }

// limits is how much may leave accounts, by their tiers and until when they are restricted. What leaves a sub-account leaves its master. It is counted in the quote asset of the
// first market, hour by hour.
type limits struct {
	call     *call
	accounts *accounts
	wallet   *wallet // knows what assets are worth
	tiers    []schema.Tier
	counted  []*outflow // one of an account and an hour
}

// outflow is what left an account in an hour. It stays below the greatest number.
type outflow struct {
	account schema.AccountID
	hour    schema.Time
	value   num
}

func (l *limits) apply(cmd schema.Command) *schema.Result {
	c, is := cmd.(*schema.SetTier)
	if !is {
		return nil
	}
	result := l.set(c.Tier)
	return &result
}

// checkTierSet looks at the bounds of a tier.
func checkTierSet(t schema.Tier) schema.Rejection {
	day, month := of(t.Day), of(t.Month)
	for _, bound := range []num{day, month} {
		if bound.sign() < 0 || bound.more(owedMost) || !bound.multipleOf(unit(tierPlaces)) {
			return because(schema.TierInvalid)
		}
	}
	if t.Number > tierMost || day.sign() != 0 && month.sign() != 0 && day.more(month) {
		return because(schema.TierInvalid)
	}
	return accepted
}

func (l *limits) set(t schema.Tier) schema.Result {
	if r := checkTierSet(t); refused(r) {
		return reject(r)
	}
	l.tiers = slices.DeleteFunc(l.tiers, func(old schema.Tier) bool { return old.Number == t.Number })
	l.tiers = append(l.tiers, t)
	slices.SortFunc(l.tiers, func(a, b schema.Tier) int { return cmp.Compare(a.Number, b.Number) })
	l.call.record(&schema.TierChanged{Tier: t})
	return schema.Result{ID: uint64(t.Number)}
}

// verified reports whether an account is, and so is its master.
func (l *limits) verified(a *schema.Account) bool { return a.Verified && l.accounts.master(a).Verified }

// of is the tier that counts for an account: that of its master, and the lowest before both are verified.
func (l *limits) of(a *schema.Account) schema.Tier {
	counts := uint8(0)
	if l.verified(a) {
		counts = l.accounts.master(a).Tier
	}
	for _, t := range l.tiers {
		if t.Number == counts {
			return t
		}
	}
	return schema.Tier{Number: counts}
}

// bounded reports whether a tier bounds anything.
func bounded(t schema.Tier) bool { return of(t.Day).sign() != 0 || of(t.Month).sign() != 0 }

// checkWithdrawal reports whether a withdrawal may leave, and what that counts. If nobody knows what it is worth, that of a verified account
// needs an operator.
func (l *limits) checkWithdrawal(id schema.AccountID, asset schema.AssetID, gross num) (value num, unpriced bool, r schema.Rejection) {
	a, _ := l.accounts.customer(id)
	value, r = l.checkTier(a, asset, gross)
	if r == because(schema.RateUnknown) && l.verified(a) {
		unpriced, r = true, accepted
	}
	if refused(r) {
		return num{}, false, r
	}
	return value, unpriced, l.checkRestricted(a)
}

// check reports whether a code or an express payment may leave, and what that counts.
func (l *limits) check(id schema.AccountID, asset schema.AssetID, amount num) (value num, r schema.Rejection) {
	a, _ := l.accounts.customer(id)
	if value, r = l.checkTier(a, asset, amount); refused(r) {
		return num{}, r
	}
	return value, l.checkRestricted(a)
}

// checkTier holds what leaves against the bounds of the tier of an account, and says what it counts: nothing where no tier has a bound,
// or where nobody knows what it is worth.
func (l *limits) checkTier(a *schema.Account, asset schema.AssetID, amount num) (value num, r schema.Rejection) {
	if !slices.ContainsFunc(l.tiers, bounded) {
		return num{}, accepted
	}
	value, t := l.wallet.value(asset, amount), l.of(a)
	day, month := l.sums(l.accounts.master(a).ID, l.call.at)
	above := func(bound, sum num) bool { return bound.sign() != 0 && sum.plus(value).more(bound) }
	switch {
	case bounded(t) && value.sign() == 0:
		return num{}, because(schema.RateUnknown)
	case above(of(t.Day), day):
		return num{}, about(schema.DayLimit, greatest(num{}, of(t.Day).minus(day)))
	case above(of(t.Month), month):
		return num{}, about(schema.MonthLimit, greatest(num{}, of(t.Month).minus(month)))
	}
	return value, accepted
}

// checkRestricted refuses while nothing may leave an account or its master. The moment is rounded up to whole seconds.
func (l *limits) checkRestricted(a *schema.Account) schema.Rejection {
	if until := max(a.RestrictedUntil, l.accounts.master(a).RestrictedUntil); until > l.call.at {
		return about(schema.Restricted, whole(int64(until)).over(whole(1_000_000)).ceil(one))
	}
	return accepted
}

// value is what an amount of an asset is worth at the higher of index and last price, rounded up; 0: nobody knows. What is too much for
// a number is the greatest.
func (w *wallet) value(asset schema.AssetID, amount num) num {
	_, high := w.worth(asset)
	return least(largest, amount.times(high).ceil(unit(tierPlaces)))
}

// sums are what left an account in the hours of a day and of a month, up to that of a moment.
func (l *limits) sums(a schema.AccountID, at schema.Time) (day, month num) {
	for _, f := range l.counted {
		if f.account == a && f.hour > hourOf(at)-hoursADay {
			day = day.plus(f.value)
		}
		if f.account == a && f.hour > hourOf(at)-hoursAMonth {
			month = month.plus(f.value)
		}
	}
	return least(largest, day), least(largest, month)
}

// count adds to what left the master of an account in this hour, and returns what is taken back if it does not leave.
func (l *limits) count(a schema.AccountID, value num) outflow {
	account, _ := l.accounts.customer(a)
	f := l.inHour(l.accounts.master(account).ID, hourOf(l.call.at))
	f.value = least(largest, f.value.plus(value))
	return outflow{f.account, f.hour, value}
}

// uncount takes back what was counted. Where the sum was too much for a number it may be less than that.
func (l *limits) uncount(n outflow) {
	f := l.inHour(n.account, n.hour)
	f.value = greatest(num{}, f.value.minus(n.value))
}

// inHour is what left an account in an hour.
func (l *limits) inHour(a schema.AccountID, hour schema.Time) *outflow {
	for _, f := range l.counted {
		if f.account == a && f.hour == hour {
			return f
		}
	}
	f := &outflow{account: a, hour: hour}
	l.counted = append(l.counted, f)
	return f
}
