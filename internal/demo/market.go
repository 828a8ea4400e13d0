package demo

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"bourse/internal/fixed"
)

// scene is what is played on a market.
type scene struct {
	name  string
	start fixed.Decimal // the price at the very first start
	// cross are the markets whose prices make that of this one: the first over the second, or the first
	// alone, of a future; "" for a price of its own.
	cross      [2]string
	volatility int64         // in percent of what package walk takes for usual
	unit       fixed.Decimal // the size of a small order, in base
	future     bool          // it is traded from collateral, in positions
}

// scenes are the markets of the demo. XRP_USDT has a tick and a step that are coarser than its
// digits, for those who want to meet the rules about them; everywhere else they are the digits.
var scenes = []scene{
	{name: "BTC_USDT", start: fixed.MustParse("97250"), volatility: 100, unit: fixed.MustParse("0.005")},
	{name: "ETH_USDT", start: fixed.MustParse("3450"), volatility: 130, unit: fixed.MustParse("0.1")},
	{name: "ETH_BTC", start: fixed.MustParse("0.035475"), cross: [2]string{"ETH_USDT", "BTC_USDT"}, unit: fixed.MustParse("0.1")},
	{name: "PEPE_USDT", start: fixed.MustParse("0.00000123"), volatility: 200, unit: fixed.MustParse("100000000")},
	{name: "XRP_USDT", start: fixed.MustParse("2.4"), volatility: 150, unit: fixed.MustParse("50")},
	{name: "BTC_PERP", start: fixed.MustParse("97250"), cross: [2]string{"BTC_USDT"}, unit: fixed.MustParse("0.005"), future: true},
	{name: "ETH_PERP", start: fixed.MustParse("3450"), cross: [2]string{"ETH_USDT"}, unit: fixed.MustParse("0.1"), future: true},
}

// Quotes are relative to the price, in millionths of it: a spread of half a basis point, and best
// quotes a basis point apart, which is about how far the price goes in a second. On a coarse tick
// ten ticks between the sides remain.
const (
	gapShare  = 25
	gapMin    = 5
	gridShare = 100
)

// distances are how far from the price nobody quotes and how far apart the best quotes are, in ticks.
func (s *scene) distances(tick fixed.Decimal) (gap, grid int64) {
	price := count(s.start, tick, fixed.Down)
	share := func(millionths int64) int64 { return price/1_000_000*millionths + price%1_000_000*millionths/1_000_000 }
	return max(share(gapShare), gapMin), max(share(gridShare), 1)
}

// market is a market by the rules that the API publishes, with prices counted in ticks and amounts in
// steps.
type market struct {
	scene
	base      string
	tick      fixed.Decimal
	step      fixed.Decimal
	gap       int64 // how far from the price nobody quotes, in ticks
	grid      int64 // how far apart the best quotes are, in ticks
	moneyPrec int
	minAmount fixed.Decimal
	minTotal  fixed.Decimal

	mid atomic.Int64 // what it is worth now, in ticks
}

// rules is a market as the API returns it.
type rules struct {
	Name      string  `json:"name"`
	Stock     string  `json:"stock"`
	StockPrec int     `json:"stockPrec,string"`
	MoneyPrec int     `json:"moneyPrec,string"`
	TickSize  decimal `json:"tickSize"`
	StepSize  decimal `json:"stepSize"`
	MinAmount decimal `json:"minAmount"`
	MinTotal  decimal `json:"minTotal"`
}

func newMarket(s scene, r *rules) *market {
	m := &market{
		scene: s, base: r.Stock, tick: r.TickSize.Decimal, step: r.StepSize.Decimal, moneyPrec: r.MoneyPrec,
		minAmount: r.MinAmount.Decimal, minTotal: r.MinTotal.Decimal,
	}
	if m.tick.IsZero() {
		m.tick = fixed.FromUnits(1, r.MoneyPrec)
	}
	if m.step.IsZero() {
		m.step = fixed.FromUnits(1, r.StockPrec)
	}
	m.gap, m.grid = m.distances(m.tick)
	return m
}

// readMarkets asks for the rules of scenes.
func readMarkets(ctx context.Context, g *gate, scenes []scene) ([]*market, error) {
	var all []rules
	if err := g.get(ctx, "/api/v4/public/markets", &all); err != nil {
		return nil, err
	}
	var found []*market
	var missing []string
	for _, s := range scenes {
		before := len(found)
		for i := range all {
			if all[i].Name == s.name {
				found = append(found, newMarket(s, &all[i]))
			}
		}
		if len(found) == before {
			missing = append(missing, s.name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("the exchange does not offer %s", strings.Join(missing, ", "))
	}
	return found, nil
}

// value is what the market is worth now.
func (m *market) value() fixed.Decimal { return m.price(m.mid.Load()) }

// price is a number of ticks as money.
func (m *market) price(ticks int64) fixed.Decimal { return times(m.tick, ticks) }

// amount is a number of steps in base.
func (m *market) amount(steps int64) fixed.Decimal { return times(m.step, steps) }

// ticks is a price as ticks, rounded down.
func (m *market) ticks(price fixed.Decimal) int64 { return count(price, m.tick, fixed.Down) }

// ratio is a price as a walk has it, and at is the price of such a ratio, in ticks and rounded down.
func (m *market) ratio(ticks int64) int64 {
	return count(m.price(ticks), multiply(m.start, fixed.FromUnits(1, ratioPlaces)), fixed.Down)
}

func (m *market) at(ratio int64) int64 {
	return max(m.ticks(multiply(m.start, fixed.FromUnits(ratio, ratioPlaces))), 1)
}

// ratioPlaces are the decimals of a walk's ratio.
const ratioPlaces = 9

// steps is the size of an order of so many units at a price: whole steps, and no less than the
// market takes.
func (m *market) steps(units, ticks int64) int64 {
	value := multiply(m.price(ticks), m.step) // of a step
	return max(
		count(times(m.unit, units), m.step, fixed.Down),
		count(m.minAmount, m.step, fixed.Up),
		count(m.minTotal, value, fixed.Up),
		1,
	)
}

// roomUnits are how far positions may go: a tenth of so many units either way is all that a bot wants to have.
const roomUnits = 2000

// room is what the position on a future is steered by, as stock is on other markets; see leaning.
func (m *market) room() fixed.Decimal { return times(m.unit, roomUnits) }

// times is exact: n units.
func times(unit fixed.Decimal, n int64) fixed.Decimal { return multiply(unit, fixed.FromInt(n)) }

// multiply is exact for a price and an amount: a market's digits together are at most 18.
func multiply(a, b fixed.Decimal) fixed.Decimal {
	product, fits := fixed.Mul(a, b, fixed.Places, fixed.Down)
	if !fits {
		panic("demo: a price or an amount of the demo is beyond all money")
	}
	return product
}

// count is how many units a number has.
func count(d, unit fixed.Decimal, r fixed.Rounding) int64 {
	quotient, fits := fixed.Div(d, unit, 0, r)
	n, whole := quotient.Units(0)
	if !fits || !whole {
		panic("demo: a price or an amount of the demo cannot be counted")
	}
	return n
}
