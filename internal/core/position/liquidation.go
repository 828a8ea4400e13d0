package position

import (
	"math"

	"bourse/internal/fixed"
)

// Stake is what the liquidation price of a position depends on, besides the position.
type Stake struct {
	// Rest is the account without the position: its equity with the unrealized PnL of all others, less
	// their maintenance margin.
	Rest fixed.Decimal
	// PriceRate and CostRate are what units of the moneys of the price and of the cost are worth in USDT.
	PriceRate, CostRate fixed.Decimal
	Tiers               *Tiers
	Leverage            Leverage
	Scale               Scale
}

// highest is above every price that is looked at.
const highest = math.MaxInt64

// Liquidation is the first price at which the account is liquidated for this position, all else being
// fixed: at and below it a long is unsafe, at and above it a short. Prices are counted in units of their last
// decimal, as marks are. It is false when all prices that can be counted are safe, or all are unsafe.
func (p Position) Liquidation(at *Stake) (fixed.Decimal, bool) {
	if p.Lots == 0 {
		return fixed.Zero, false
	}
	cost, fits := fixed.Mul(p.Cost, at.CostRate, fixed.Places, fixed.Ceil)
	if !fits {
		return fixed.Zero, false
	}
	left, fits := at.Rest.SubChecked(cost)
	if !fits || left == fixed.Min {
		return fixed.Zero, false
	}
	w := watch{at, Position{Lots: p.Lots}, left}
	price := w.edge()
	if price == 0 || price >= highest-2 {
		return fixed.Zero, false
	}
	if p.Lots < 0 {
		price++
	}
	return fixed.FromUnits(price, int(at.Scale.Money)), true
}

// watch looks at an account with one position at different prices.
type watch struct {
	*Stake
	position Position      // without its cost
	left     fixed.Decimal // what the account has but for the value of the position and its margin
}

// edge is the highest price on the low side, where a long is unsafe and a short is safe; 0 if there is none.
func (w *watch) edge() int64 {
	low, high := int64(0), int64(highest)
	// Steps away from the guess, which is rarely more than one off, double until the edge lies between two.
	for at, step := w.guess(), int64(1); low < at && at < high; step *= 2 {
		if w.unsafe(at) == (w.position.Lots > 0) {
			low, at = at, at+min(step, highest-at)
		} else {
			high, at = at, at-min(step, at)
		}
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		if w.unsafe(middle) == (w.position.Lots > 0) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// unsafe reports whether the account has less than its maintenance margin at a price. Where the value of
// the position is more than can be counted, a long has won more than an account may owe, and a short
// has lost more than an account can have.
func (w *watch) unsafe(price int64) bool {
	beyond := w.position.Lots < 0
	x, fits := fixed.Mul(fixed.FromUnits(price, int(w.Scale.Money)), w.PriceRate, fixed.Places, fixed.Down)
	if !fits {
		return beyond
	}
	notional, fits := w.position.Notional(x, w.Scale)
	value, too := w.position.Unrealized(x, fixed.One, w.Scale)
	if !fits || !too {
		return beyond
	}
	total, fits := w.left.AddChecked(value)
	if !fits {
		return beyond
	}
	return total.Less(w.Tiers.Maintenance(notional, w.Leverage))
}

// guess is about the price at which equity equals maintenance margin.
func (w *watch) guess() int64 {
	notional, ok1 := w.balance()
	x, ok2 := fixed.Div(notional, w.PriceRate, fixed.Places, fixed.Down)
	price, ok3 := w.Scale.Average(x, abs(w.position.Lots))
	units, ok4 := price.Units(int(w.Scale.Money))
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return highest - 1
	}
	return max(1, min(units, highest-1))
}

// balance is about the notional at which equity equals maintenance margin: for a long where notional less
// its margin makes up for what is owed, for a short where notional and its margin use up what is there.
func (w *watch) balance() (notional fixed.Decimal, fits bool) {
	need, long := w.left, w.position.Lots > 0
	if long {
		need = need.Neg()
	}
	list, n := w.Tiers.slices(fixed.Max, w.Leverage)
	for i, s := range list[:n] {
		slope := fixed.One.Add(s.leverage.maintenance())
		if long {
			slope = fixed.One.Sub(s.leverage.maintenance())
		}
		covers, _ := fixed.Mul(s.size, slope, fixed.Places, fixed.Down)
		if i == n-1 || need.Less(covers) {
			part, _ := fixed.Div(need, slope, fixed.Places, fixed.Down)
			return notional.AddChecked(part)
		}
		need, notional = need.Sub(covers), notional.Add(s.size)
	}
	return fixed.Zero, false // there is always a last slice
}
