package custody

import (
	"time"

	"bourse/internal/fixed"
)

// window sums what was signed, by hours of the clock.
type window struct {
	hours []hour // the oldest first
}

type hour struct {
	at  int64 // since 1970
	sum fixed.Decimal
}

const dayHours = 24

func hourOf(t time.Time) int64 { return t.Unix() / 3600 }

// add counts an amount. Time never goes back.
func (w *window) add(t time.Time, amount fixed.Decimal) {
	at := hourOf(t)
	for len(w.hours) > 0 && w.hours[0].at <= at-dayHours {
		w.hours = w.hours[1:]
	}
	if last := len(w.hours) - 1; last >= 0 && w.hours[last].at == at {
		w.hours[last].sum = w.hours[last].sum.Add(amount)
		return
	}
	w.hours = append(w.hours, hour{at, amount})
}

// sums of the hour of a time, and of it and the 23 before.
func (w *window) sums(t time.Time) (thisHour, day fixed.Decimal) {
	at := hourOf(t)
	for _, h := range w.hours {
		if h.at == at {
			thisHour = h.sum
		}
		if h.at > at-dayHours {
			day = day.Add(h.sum)
		}
	}
	return thisHour, day
}
