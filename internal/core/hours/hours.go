// Package hours sums up by the hour of the clock, so that a day is the hour under way and the 23 before it, and what is over is forgotten
// without a list of all that was summed up.
//
// What must hold: a list has at most one sum for an hour, in the order of the hours.
package hours

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Day is how many hours a day has.
const Day = 24

const hour = 3600 * schema.Second

// Sum is what came together in an hour.
type Sum struct {
	Hour int64 // since 1970
	Sum  fixed.Decimal
}

// Of is the hour of the clock in which a moment is, since 1970.
func Of(at schema.Time) int64 { return int64(at / hour) }

// Live are the sums of the last so many hours, with the one in which a moment is.
func Live(list []Sum, now schema.Time, hours int64) []Sum {
	over := 0
	for over < len(list) && list[over].Hour <= Of(now)-hours {
		over++
	}
	return list[over:]
}

// Add is a list with more in the hour of a moment, which is none before the last.
func Add(list []Sum, now schema.Time, value fixed.Decimal) []Sum {
	if last := len(list) - 1; last >= 0 && list[last].Hour == Of(now) {
		list[last].Sum = Plus(list[last].Sum, value)
		return list
	}
	return append(list, Sum{Of(now), value})
}

// Total is the sum of a list.
func Total(list []Sum) (total fixed.Decimal) {
	for _, s := range list {
		total = Plus(total, s.Sum)
	}
	return total
}

// Plus is a sum, or where it does not fit the greatest number or its opposite.
func Plus(a, b fixed.Decimal) fixed.Decimal {
	if sum, fits := a.AddChecked(b); fits {
		return sum
	}
	if a.Sign() < 0 {
		return fixed.Max.Neg()
	}
	return fixed.Max
}
