package demo

import "math/rand/v2"

// homeSteps is how many steps it takes to be drawn home: with one a second, about a day.
const homeSteps = 86_400

// walk is a price that goes where chance takes it, in ticks. It is gently drawn home, and stays
// between half and twice of that.
type walk struct {
	at     int64
	home   int64
	pace   int64 // the longest step
	chance *rand.Rand
}

// step moves the price.
func (w *walk) step() {
	w.at += w.chance.Int64N(2*w.pace+1) - w.pace
	// Of the way home, one part in homeSteps; the part of a tick is left to chance, so that the
	// pull is the same at every distance.
	way := w.home - w.at + w.chance.Int64N(homeSteps)
	w.at += floor(way, homeSteps) / homeSteps
	w.begin(w.at)
}

// begin puts the price somewhere.
func (w *walk) begin(at int64) { w.at = min(max(at, w.home/2, 1), 2*w.home) }

// floor is the next multiple of a grid that is not above n, also where n is negative.
func floor(n, grid int64) int64 { return n - ((n%grid)+grid)%grid }
