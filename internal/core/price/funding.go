package price

import "bourse/internal/fixed"

var (
	interest = fixed.FromUnits(1, 4) // of a period of 480 minutes
	damping  = fixed.FromUnits(5, 4) // how much of the premium interest can take back
)

const (
	periodMinutes = 480
	// RatePlaces is how many decimals a rate of funding has.
	RatePlaces = 16
)

// Terms are how a market settles funding.
type Terms struct {
	Minutes    int64         // between two settlements
	Floor, Cap fixed.Decimal // of a rate; the floor is at most the cap
}

// Rate is what longs pay to shorts at a settlement now, for a unit of notional. A market without any sample
// since the last settlement has a rate of zero.
func (s *Sampler) Rate(t Terms) fixed.Decimal {
	if s.sampled == 0 {
		return fixed.Zero
	}
	// All is multiplied by the number of slots until the end, so that the mean premium is not rounded by itself.
	slots := fixed.FromInt(s.passed)
	pull, _ := fixed.Mul(interest, slots, fixed.Places, fixed.Down)
	most, _ := fixed.Mul(damping, slots, fixed.Places, fixed.Down)
	sum := s.premium.Add(clamp(pull.Sub(s.premium), most.Neg(), most))
	period := fixed.FromInt(periodMinutes * s.passed)
	rate, _ := fixed.MulDiv(sum, fixed.FromInt(t.Minutes), period, RatePlaces, fixed.Down) // of premiums up to 1, so it fits
	low, _ := t.Floor.Round(RatePlaces, fixed.Down)
	high, _ := t.Cap.Round(RatePlaces, fixed.Down)
	return clamp(rate, low, high)
}

// Settled starts the next interval: what comes counts for it alone.
func (s *Sampler) Settled() { s.premium, s.passed, s.sampled = fixed.Zero, 0, 0 }

// Split shares a settlement out among positions. Rate and mark are fixed by its first position.
//
// What must hold: what payers pay is rounded up and what receivers get is rounded down, so that once all
// positions of a market had their share, what is left over is not negative.
type Split struct {
	Rate, Mark     fixed.Decimal
	Paid, Received fixed.Decimal // so far
}

// Share is what the settlement changes for a position of a value, signed like the position: below zero if it
// pays. The value is that at the mark, in the money that is paid. It is false, and nothing is counted, when
// it does not fit.
func (s *Split) Share(value fixed.Decimal, places int) (change fixed.Decimal, fits bool) {
	change, fits = fixed.Mul(value, s.Rate.Neg(), places, fixed.Floor)
	if !fits || change == fixed.Min {
		return fixed.Zero, false
	}
	sum := &s.Received
	if change.Sign() < 0 {
		sum = &s.Paid
	}
	total, fits := sum.AddChecked(change.Abs())
	if !fits {
		return fixed.Zero, false
	}
	*sum = total
	return change, true
}

// Rest is what payers paid and receivers did not get.
func (s *Split) Rest() fixed.Decimal { return s.Paid.Sub(s.Received) }
