// Package walk is the price process of the demo: a random walk that moves a few percent a day and
// changes its temper as markets do. For some hours it is calm, then it rises or falls, or it is
// volatile for a while. Around that it swings by half a percent or so within minutes, in all tempers: who trades
// with a hundred times the money they have is ruined by that, now and then.
//
// A walk knows no money. It is a ratio to a price that it calls home, in billionths, and all its
// arithmetic is on whole numbers, so that one seed gives one walk on every machine.
//
// What must hold: the ratio stays between half and twice of home, and over days it is drawn back.
package walk

import "math/rand/v2"

// Home is the ratio of a price that is at home.
const Home = 1_000_000_000

// homeSeconds is how long the pull home takes: ten days, so that a trend of a day is left alone.
const homeSeconds = 10 * 24 * 3600

// regime is a temper of the market, in billionths of the price and per second.
type regime struct {
	pace  int64 // the longest step
	drift int64
	stay  int64 // how many seconds it lasts, on the average
}

// regimes make 3.4 percent a day together, as a standard deviation.
var regimes = [...]regime{
	{pace: 90_000, stay: 4 * 3600},               // calm
	{pace: 140_000, drift: 900, stay: 2 * 3600},  // rising
	{pace: 140_000, drift: -900, stay: 2 * 3600}, // falling
	{pace: 400_000, stay: 40 * 60},               // volatile
}

// A swing goes from one side to the other, so far from the middle at least and at most, at its own pace. In
// billionths, and per second: a way takes some two minutes.
const (
	swingLeast = 3_000_000
	swingMost  = 7_000_000
	swingPace  = 80_000
)

// Walk is a price on its way.
type Walk struct {
	at         int64 // without the swing
	swing      int64 // how far it is from there
	turn       int64 // where the swing turns
	regime     int
	volatility int64
	chance     *rand.Rand
}

// New is a walk that begins calm, at a ratio. Volatility is in percent of what the regimes say.
func New(at, volatility int64, chance *rand.Rand) *Walk {
	return &Walk{at: bounded(at), volatility: volatility, chance: chance}
}

// At is where the price is.
func (w *Walk) At() int64 { return bounded(w.at + w.at*(w.swing*w.volatility/100)/Home) }

// Stride is a length of time that a walk takes in one step.
type Stride struct {
	seconds int64
	root    int64 // of the seconds, in thousandths: chance adds up like that
}

// Strides of a price that is watched, and of one of which candles are made.
var (
	Second        = Stride{1, 1000}
	QuarterMinute = Stride{15, 3873}
	Quarter       = Stride{225, 15_000} // of a quarter of an hour, as the other is of a minute
)

// Step lets time pass.
func (w *Walk) Step(s Stride) {
	r := &regimes[w.regime]
	move := (w.chance.Int64N(2*r.pace+1)-r.pace)*s.root/1000 + r.drift*s.seconds
	w.at += w.at * (move * w.volatility / 100) / Home
	w.at += (Home - w.at) * s.seconds / homeSeconds
	w.at = bounded(w.at)
	w.swings(s.seconds)
	if w.chance.Int64N(r.stay) < s.seconds {
		// To any of the others.
		w.regime = (w.regime + 1 + w.chance.IntN(len(regimes)-1)) % len(regimes)
	}
}

// swings lets the swing go on, up to where it turns.
func (w *Walk) swings(seconds int64) {
	if w.swing == w.turn {
		w.turn = swingLeast + w.chance.Int64N(swingMost-swingLeast+1)
		if w.swing > 0 || w.swing == 0 && w.chance.IntN(2) == 0 {
			w.turn = -w.turn
		}
	}
	w.swing += min(max(w.turn-w.swing, -swingPace*seconds), swingPace*seconds)
}

func bounded(at int64) int64 { return min(max(at, Home/2), 2*Home) }
