// Package tier bounds the value of what accounts send away, by withdrawals, codes and express payments: in 24 hours and in 30 days, by
// the tier of an account, and nothing for a while after something that may have been done by somebody else.
//
// Values are in the quote asset of the first market, at the higher of index and last price, rounded up. What left is summed per hour of
// the clock, so that a day is the hour under way and the 23 before it, and a month the same with 719. What sub-accounts send away counts
// for their master.
//
// What must hold: an account has at most one sum for an hour, each more than zero, in the order of the hours. While no tier has a bound
// nothing is counted and nothing needs a price.
package tier

import (
	"slices"

	"bourse/internal/core/accounts"
	"bourse/internal/core/hours"
	"bourse/internal/core/ledger"
	"bourse/internal/core/product"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	month  = 30 * hours.Day // hours
	places = 8              // of bounds
)

// Tiers are the bounds, and what left of accounts.
type Tiers struct {
	product.Base
	accounts *accounts.Accounts
	wallets  *wallet.Wallets
	out      *schema.Outcome
	// Clock is the moment of the last accepted command.
	Clock func() schema.Time

	tiers    []schema.Tier                    // that were set, by number
	outflows map[schema.AccountID][]hours.Sum // by hour; only ever asked
}

// New makes tiers without bounds.
func New(a *accounts.Accounts, w *wallet.Wallets, out *schema.Outcome) *Tiers {
	return &Tiers{accounts: a, wallets: w, out: out, outflows: map[schema.AccountID][]hours.Sum{}}
}

// Commands registers what operators do with tiers.
func (t *Tiers) Commands(h *product.Handlers) { product.On(h, t.set) }

func (t *Tiers) set(m *schema.SetTier) schema.Rejection {
	next := m.Tier
	if r := t.Check(&next); r.Refused() {
		return r
	}
	at, known := t.find(next.Number)
	if known {
		t.tiers[at] = next
	} else {
		t.tiers = slices.Insert(t.tiers, at, next)
	}
	t.out.Result.ID = uint64(next.Number)
	t.out.Events.Add(&schema.TierChanged{Tier: next})
	return schema.Rejection{}
}

// Check is why a tier cannot be set.
func (t *Tiers) Check(m *schema.Tier) schema.Rejection {
	if !valid(m) {
		return schema.Refuse(schema.TierInvalid)
	}
	return schema.Rejection{}
}

func valid(m *schema.Tier) bool {
	for _, bound := range []fixed.Decimal{m.Day, m.Month} {
		if bound.Sign() < 0 || bound.Decimals() > places || bound.Cmp(ledger.Limit) > 0 {
			return false
		}
	}
	return m.Number <= schema.MaxTier && (m.Day.IsZero() || m.Month.IsZero() || m.Day.Cmp(m.Month) <= 0)
}

func (t *Tiers) find(number uint8) (at int, known bool) {
	return slices.BinarySearchFunc(t.tiers, number, func(m schema.Tier, n uint8) int { return int(m.Number) - int(n) })
}

// of is the tier that counts of an account. A family has the tier of its master.
func (t *Tiers) of(account *schema.Account) schema.Tier {
	number := uint8(0)
	if t.verified(account) {
		number = t.accounts.Root(account.ID).Tier
	}
	return t.Get(number)
}

// Get is the tier with a number; one that was never set has no bounds.
func (t *Tiers) Get(number uint8) schema.Tier {
	if at, known := t.find(number); known {
		return t.tiers[at]
	}
	return schema.Tier{Number: number}
}

// verified reports whether an account is verified, and its master.
func (t *Tiers) verified(account *schema.Account) bool {
	return account.Verified && t.accounts.Root(account.ID).Verified
}

func binds(m schema.Tier) bool { return !m.Day.IsZero() || !m.Month.IsZero() }

// MayLeave checks that a main wallet has an amount which may leave the account, and that its tier and its security wait let it. What
// leaves is then counted with Count.
func (t *Tiers) MayLeave(account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) schema.Rejection {
	unpriced, r := t.check(account, asset, amount)
	if unpriced {
		return schema.Refuse(schema.RateUnknown)
	}
	return r
}

// MayWithdraw is MayLeave for a withdrawal, which an operator can look at: that of a verified account needs no price then.
func (t *Tiers) MayWithdraw(account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) (approval bool, r schema.Rejection) {
	unpriced, r := t.check(account, asset, amount)
	if unpriced && !t.verified(t.accounts.Get(account)) {
		return false, schema.Refuse(schema.RateUnknown)
	}
	return unpriced, r
}

// check checks all but that there is a price where one is needed.
func (t *Tiers) check(id schema.AccountID, asset schema.AssetID, amount fixed.Decimal) (unpriced bool, r schema.Rejection) {
	if r := t.wallets.MayLeave(id, asset, amount); r.Refused() {
		return false, r
	}
	account := t.accounts.Get(id)
	if bounds := t.of(account); binds(bounds) {
		value, known := t.wallets.Value(asset, amount)
		if !known {
			unpriced = true
		} else if r := t.within(id, bounds, value); r.Refused() {
			return false, r
		}
	}
	return unpriced, t.Restricted(account)
}

// Restricted refuses while nothing may leave an account or its master. It says until when, rounded up to whole seconds.
func (t *Tiers) Restricted(account *schema.Account) schema.Rejection {
	until := max(account.RestrictedUntil, t.accounts.Root(account.ID).RestrictedUntil)
	if until <= t.out.Time {
		return schema.Rejection{}
	}
	seconds := int64(until / schema.Second)
	if until%schema.Second != 0 {
		seconds++
	}
	return schema.Rejection{Reason: schema.Restricted, Value: fixed.FromInt(seconds)}
}

// within checks a value against what may still leave.
func (t *Tiers) within(account schema.AccountID, bounds schema.Tier, value fixed.Decimal) schema.Rejection {
	left := t.left(account, bounds, t.out.Time)
	switch {
	case !bounds.Day.IsZero() && value.Cmp(left.Day) > 0:
		return schema.Rejection{Reason: schema.DayLimit, Value: left.Day}
	case !bounds.Month.IsZero() && value.Cmp(left.Month) > 0:
		return schema.Rejection{Reason: schema.MonthLimit, Value: left.Month}
	}
	return schema.Rejection{}
}

// left are bounds less what left of an account, where they are not zero.
func (t *Tiers) left(account schema.AccountID, bounds schema.Tier, now schema.Time) schema.Tier {
	inDay, inMonth := t.sums(account, now)
	return schema.Tier{
		Number: bounds.Number,
		Day:    fixed.MaxOf(fixed.Zero, bounds.Day.Sub(inDay)),
		Month:  fixed.MaxOf(fixed.Zero, bounds.Month.Sub(inMonth)),
	}
}

// sums are what left of an account in the day and the month that a moment ends.
func (t *Tiers) sums(account schema.AccountID, now schema.Time) (inDay, inMonth fixed.Decimal) {
	list := t.live(t.accounts.Root(account).ID, now)
	return hours.Total(hours.Live(list, now, hours.Day)), hours.Total(list)
}

// Count counts what leaves an account while any tier has a bound, unless it has no price, and returns the value that it counts with.
func (t *Tiers) Count(account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) (counted fixed.Decimal) {
	if !slices.ContainsFunc(t.tiers, binds) {
		return fixed.Zero
	}
	value, known := t.wallets.Value(asset, amount)
	if !known {
		return fixed.Zero
	}
	account = t.accounts.Root(account).ID
	t.outflows[account] = hours.Add(t.live(account, t.out.Time), t.out.Time, value)
	return value
}

// GiveBack lets a value that was counted at a moment count no more.
func (t *Tiers) GiveBack(account schema.AccountID, at schema.Time, counted fixed.Decimal) {
	account = t.accounts.Root(account).ID
	list := t.live(account, t.out.Time)
	i, known := slices.BinarySearchFunc(list, hours.Of(at), func(o hours.Sum, h int64) int { return int(o.Hour - h) })
	if !known {
		return
	}
	// A sum that reached the greatest number may be less than all that is in it.
	if list[i].Sum = list[i].Sum.Sub(fixed.MinOf(counted, list[i].Sum)); list[i].Sum.IsZero() {
		list = slices.Delete(list, i, i+1)
	}
	t.outflows[account] = list
}

// live are the sums of an account that are in the month.
func (t *Tiers) live(account schema.AccountID, now schema.Time) []hours.Sum {
	return hours.Live(t.outflows[account], now, month)
}

// All are the tiers that were set, by number.
func (t *Tiers) All() []schema.Tier { return t.tiers }

// Of are the bounds of an account, and what of them is left; a bound of zero does not bind.
func (t *Tiers) Of(id schema.AccountID) (bounds, left schema.Tier) {
	bounds = t.of(t.accounts.Get(id))
	return bounds, t.left(id, bounds, t.Clock())
}

// Outflow is the value of what left an account in the last day and the last month.
func (t *Tiers) Outflow(id schema.AccountID) (inDay, inMonth fixed.Decimal) {
	return t.sums(id, t.Clock())
}
