// Package past makes up a month of market data for a demo, which has none before its first trade:
// candles of thirty days, then a trade a second up to the moment at which the demo begins.
//
// It is synthetic and says so wherever it shows. It is made by seeded walks with whole numbers
// alone, so that the same markets and the same moment give the same past. It ends where the live
// makers take over, and a market whose price follows from others has a past that does too.
package past

import (
	"errors"
	"math/bits"
	"math/rand/v2"

	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
	"bourse/internal/walk"
)

// Market is a market that needs a past.
type Market struct {
	ID         schema.MarketID
	Tick       fixed.Decimal
	Step       fixed.Decimal
	Start      fixed.Decimal // the price that the walk calls home
	Unit       fixed.Decimal // the size of a small order, in base
	Gap        int64         // half of the spread, in ticks
	Volatility int64         // in percent of the usual one
	// Legs are the places of the markets whose prices make that of this one, the start too: the first over the second,
	// or the first alone. Without any it has a price of its own.
	Legs []int
}

// How long the parts are. The trades fill the kept candles of a second, as those of a busy exchange
// do. The minutes before them fill those of up to five minutes; what is older is made in quarters of
// an hour, because nothing finer of it would be kept.
const (
	minute = 60 * schema.Second
	tape   = marketdata.CandlesKept * schema.Second
	fine   = marketdata.CandlesKept * 5 * minute
	month  = 30 * 24 * 60 * minute
)

// seed of all walks: one whose prices end near home.
const seed = 78

var errNumbers = errors.New("a price, a tick or a step of the demo cannot be counted")

// Write makes up the past of markets up to a moment, in a data directory that nothing follows yet. A
// past that is there already stays as it is.
func Write(dir string, markets []Market, end schema.Time) error {
	if there, err := marketdata.Seeded(dir); there || err != nil {
		return err
	}
	made, err := invent(markets, end)
	if err != nil {
		return err
	}
	return made.Write(dir)
}

func invent(markets []Market, end schema.Time) (*marketdata.Seed, error) {
	p := &past{seed: &marketdata.Seed{}}
	for i, m := range markets {
		switch len(m.Legs) {
		case 1:
			m.Start = markets[m.Legs[0]].Start
		case 2:
			var fits bool
			m.Start, fits = fixed.Div(markets[m.Legs[0]].Start, markets[m.Legs[1]].Start, fixed.Places, fixed.Down)
			if !fits {
				return nil, errNumbers
			}
		}
		l := &line{Market: m, at: walk.Home, chance: rand.New(rand.NewPCG(seed, uint64(i)))}
		if err := l.count(); err != nil {
			return nil, err
		}
		l.walk = walk.New(walk.Home, m.Volatility, l.chance)
		p.lines = append(p.lines, l)
	}
	begin := (end - tape) - (end-tape)%minute
	middle := marketdata.Min15.Start(begin - fine)
	for at := marketdata.Min15.Start(begin - month); at < middle; at += marketdata.Min15.Length() {
		p.candle(at, marketdata.Min15, walk.Quarter)
	}
	for at := middle; at < begin; at += minute {
		p.candle(at, marketdata.Min1, walk.QuarterMinute)
	}
	for at := begin; at <= end; at += schema.Second {
		p.second(at, end)
	}
	return p.seed, nil
}

// past is a past in the making.
type past struct {
	seed  *marketdata.Seed
	lines []*line
}

// line is a market and how far its past is made. Prices are ratios to the start price, as in walks.
type line struct {
	Market
	chance *rand.Rand
	walk   *walk.Walk
	at     int64

	start  uint64 // the start price, in thousandths of a tick
	tick   int64  // in units of the price's last digit
	step   int64  // in units of the amount's last digit
	unit   int64  // in thousandths of a step
	digits [2]int // of prices and amounts

	open, high, low int64 // of the candle
}

// count brings the numbers of a market to whole ones.
func (l *line) count() error {
	var fits [4]bool
	l.digits = [2]int{l.Tick.Decimals(), l.Step.Decimals()}
	l.tick, fits[0] = l.Tick.Units(l.digits[0])
	l.step, fits[1] = l.Step.Units(l.digits[1])
	start, ok := thousandths(l.Start, l.Tick)
	l.start, fits[2] = uint64(start), ok
	l.unit, fits[3] = thousandths(l.Unit, l.Step)
	for _, ok := range fits {
		if !ok {
			return errNumbers
		}
	}
	return nil
}

// thousandths is how many thousandths of a unit a number has, rounded down.
func thousandths(d, unit fixed.Decimal) (int64, bool) {
	if unit.Sign() <= 0 {
		return 0, false
	}
	quotient, fits := fixed.Div(d, unit, 3, fixed.Down)
	n, whole := quotient.Units(3)
	return n, fits && whole && n > 0
}

// ticks is a ratio as a price, rounded down. A ratio is at most 4 × Home, so that it fits.
func (l *line) ticks(ratio int64) int64 {
	high, low := bits.Mul64(l.start, uint64(ratio))
	n, _ := bits.Div64(high, low, 1000*walk.Home)
	return max(int64(n), 1)
}

// price is a number of ticks as money.
func (l *line) price(ticks int64) fixed.Decimal { return fixed.FromUnits(ticks*l.tick, l.digits[0]) }

// amount is so many thousandths of a unit, in whole steps and at least one.
func (l *line) amount(units int64) fixed.Decimal {
	return fixed.FromUnits(max(units*l.unit/1_000_000, 1)*l.step, l.digits[1])
}

// move lets all prices go on.
func (p *past) move(s walk.Stride) {
	for _, l := range p.lines {
		if len(l.Legs) == 0 {
			l.walk.Step(s)
			l.at = l.walk.At()
		}
	}
	for _, l := range p.lines {
		switch len(l.Legs) {
		case 1:
			l.at = p.lines[l.Legs[0]].at
		case 2:
			l.at = p.lines[l.Legs[0]].at * walk.Home / p.lines[l.Legs[1]].at
		}
	}
}

// quarters is how many strides a candle has.
const quarters = 4

// candle makes a candle of every market.
func (p *past) candle(at schema.Time, i marketdata.Interval, s walk.Stride) {
	for _, l := range p.lines {
		l.open, l.high, l.low = l.at, l.at, l.at
	}
	for range quarters {
		p.move(s)
		for _, l := range p.lines {
			l.high, l.low = max(l.high, l.at), min(l.low, l.at)
		}
	}
	for _, l := range p.lines {
		// The more the price moves, the more is traded.
		units := int64(i.Length()/minute)*(250_000+l.chance.Int64N(300_000)) + (l.high-l.low)/5
		k := marketdata.Candle{
			Start: at, Open: l.price(l.ticks(l.open)), Close: l.price(l.ticks(l.at)),
			High: l.price(l.ticks(l.high)), Low: l.price(l.ticks(l.low)), Volume: l.amount(units),
		}
		k.Money = product(k.Volume, l.price(l.ticks((l.high+l.low)/2)))
		p.seed.Candle(l.ID, i, &k)
	}
}

// second makes a trade on every market, on either side of the spread and no later than the end: the last trades of
// all markets are of one second, so that a price that follows from others ends where theirs do.
func (p *past) second(at, end schema.Time) {
	p.move(walk.Second)
	length := min(schema.Second, end-at+1)
	for _, l := range p.lines {
		t := marketdata.Trade{Time: at + schema.Time(l.chance.Int64N(int64(length))), Side: schema.Buy, Amount: l.amount(1000 + l.chance.Int64N(15_000))}
		ticks := l.ticks(l.at)
		if l.chance.IntN(2) == 0 {
			t.Side, ticks = schema.Sell, ticks-l.Gap
		} else {
			ticks += l.Gap
		}
		t.Price = l.price(max(ticks, 1))
		t.Money = product(t.Amount, t.Price)
		p.seed.Trade(l.ID, t)
	}
}

// product is money; what does not fit is the largest number, as in candles.
func product(amount, price fixed.Decimal) fixed.Decimal {
	money, fits := fixed.Mul(amount, price, fixed.Places, fixed.Down)
	if !fits {
		return fixed.Max
	}
	return money
}
