package position

import (
	"slices"

	"bourse/internal/fixed"
)

// Leverage is how many times its margin a position may be worth.
type Leverage uint8

// leverages are those that an account can choose and a market can have as its maximum. That there is none
// between 10 and 20 keeps the maintenance margin of every slice at 3 % or less.
var leverages = [...]Leverage{1, 2, 3, 5, 10, 20, 50, 100}

// Highest is the highest leverage that there is.
const Highest Leverage = 100

// Valid reports whether a leverage can be chosen.
func (l Leverage) Valid() bool { return slices.Contains(leverages[:], l) }

// unbracketed is the highest leverage that notional above all brackets can have.
const unbracketed Leverage = 10

var (
	// steps are the leverages that have brackets.
	steps = [...]Leverage{100, 50, 20}
	// base is the maintenance margin at leverages up to 10.
	base = fixed.FromUnits(3, 2)
)

// maintenance is the maintenance margin of a unit of notional: above 10, half of the initial one.
func (l Leverage) maintenance() fixed.Decimal {
	if l <= unbracketed {
		return base
	}
	return fixed.FromUnits(500/int64(l), 3) // exact for 20, 50 and 100, and there are no others
}

// initial is the initial margin of a notional. All leverages but 3 divide 100, and a product with a number of two
// decimals costs a fraction of a division and is the same.
func (l Leverage) initial(notional fixed.Decimal) (margin fixed.Decimal) {
	if 100%l == 0 {
		margin, _ = fixed.Mul(notional, fixed.FromUnits(100/int64(l), 2), fixed.Places, fixed.Up)
	} else {
		margin, _ = fixed.Div(notional, fixed.FromInt(int64(l)), fixed.Places, fixed.Up)
	}
	return margin
}

// Tiers are what a market asks of positions by their size: the larger a position, the lower the leverage
// of what comes on top.
type Tiers struct {
	Max Leverage // of the market
	// Brackets are up to which notional, in USDT, the leverages 100, 50 and 20 can be had; zero: none at it.
	Brackets [len(steps)]fixed.Decimal
}

// Valid reports whether a market can have these tiers: brackets grow as leverage falls.
func (t *Tiers) Valid() bool {
	top := fixed.Zero
	for _, b := range t.Brackets {
		if b.IsZero() {
			continue
		}
		if !top.Less(b) {
			return false
		}
		top = b
	}
	return t.Max.Valid()
}

// Leverage is what an account with a leverage has on the market.
func (t *Tiers) Leverage(account Leverage) Leverage { return min(account, t.Max) }

// Initial is the initial margin of a notional at an account's leverage. Every quotient is rounded up.
func (t *Tiers) Initial(notional fixed.Decimal, account Leverage) fixed.Decimal {
	sum := fixed.Zero
	list, n := t.slices(notional, account)
	for _, s := range list[:n] {
		// A quotient by 1 is exact and by more leaves room, so that the sum is never above Max.
		sum = sum.Add(s.leverage.initial(s.size))
	}
	return sum
}

// Maintenance is the maintenance margin of a notional at an account's leverage. Every product is rounded up.
func (t *Tiers) Maintenance(notional fixed.Decimal, account Leverage) fixed.Decimal {
	sum := fixed.Zero
	list, n := t.slices(notional, account)
	for _, s := range list[:n] {
		part, _ := fixed.Mul(s.size, s.leverage.maintenance(), fixed.Places, fixed.Up)
		sum = sum.Add(part)
	}
	return sum
}

// slice is a part of a notional at one leverage.
type slice struct {
	size     fixed.Decimal
	leverage Leverage
}

// slices cuts a notional at the brackets, from the leverage of the account down. What lies below a bracket
// of a higher leverage counts at that of the account; above the last bracket there is none above 10.
// Neighbours at one leverage are one slice, so that they are rounded once.
func (t *Tiers) slices(notional fixed.Decimal, account Leverage) (list [len(steps) + 1]slice, n int) {
	l := t.Leverage(account)
	if l == 0 {
		panic("position: a leverage of 0; leverages of accounts and markets are checked when they are set")
	}
	from, rest := fixed.Zero, l
	add := func(to fixed.Decimal, at Leverage) {
		if !from.Less(to) {
			return
		}
		if n == 0 || list[n-1].leverage != at {
			list[n].leverage = at
			n++
		}
		list[n-1].size = list[n-1].size.Add(to.Sub(from))
		from = to
	}
	for i, b := range t.Brackets {
		if !b.IsZero() {
			add(fixed.MinOf(b, notional), min(l, steps[i]))
			rest = min(l, unbracketed)
		}
	}
	add(notional, rest)
	return list, n
}
