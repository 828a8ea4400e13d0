package past

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/marketdata"
	"bourse/internal/node"
	"bourse/internal/schema"
)

func dec(s string) fixed.Decimal { return fixed.MustParse(s) }

// markets are like those of the demo.
func markets() []Market {
	return []Market{
		{ID: 1, Tick: dec("0.01"), Step: dec("0.000001"), Start: dec("97250"), Unit: dec("0.005"), Gap: 243, Volatility: 100},
		{ID: 2, Tick: dec("0.01"), Step: dec("0.0001"), Start: dec("3450"), Unit: dec("0.1"), Gap: 8, Volatility: 130},
		{ID: 3, Tick: dec("0.000001"), Step: dec("0.0001"), Unit: dec("0.1"), Gap: 5, Legs: []int{1, 0}},
		{ID: 4, Tick: dec("0.0000000001"), Step: dec("1"), Start: dec("0.00000123"), Unit: dec("100000000"), Gap: 5, Volatility: 200},
		{ID: 5, Tick: dec("0.0005"), Step: dec("5"), Start: dec("2.4"), Unit: dec("50"), Gap: 5, Volatility: 150},
		{ID: 6, Tick: dec("0.1"), Step: dec("0.00001"), Unit: dec("0.005"), Gap: 24, Legs: []int{0}},
	}
}

// end is a moment in the middle of a minute.
const end = schema.Time(1_790_000_000_123_456)

func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		if err := Write(b.TempDir(), markets(), end); err != nil {
			b.Fatal(err)
		}
	}
}

func write(t *testing.T, end schema.Time) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := Write(dir, some, end); err != nil {
		t.Fatal(err)
	}
	return dir
}

// some are markets of which one follows from the others.
var some = markets()[:3]

// made are market data of the past of the moment alone, without a batch: made once for all tests, which only look
// at them.
var made struct {
	data *marketdata.Data
	node *node.Node
	dir  string
}

func look(t *testing.T) *marketdata.Data {
	t.Helper()
	if made.data != nil {
		return made.data
	}
	var err error
	if made.dir, err = os.MkdirTemp("", "past"); err != nil {
		t.Fatal(err)
	}
	if err := Write(made.dir, markets(), end); err != nil {
		t.Fatal(err)
	}
	if made.node, err = node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: made.dir}}); err != nil {
		t.Fatal(err)
	}
	if made.data, err = marketdata.Follow(made.node, made.dir, marketdata.Options{}); err != nil {
		t.Fatal(err)
	}
	return made.data
}

func TestMain(m *testing.M) {
	code := m.Run()
	if made.data != nil {
		if err := errors.Join(made.data.Close(), made.node.Close()); err != nil {
			panic(err)
		}
	}
	os.RemoveAll(made.dir)
	os.Exit(code)
}

func content(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "marketdata.seed"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPastIsThatOfItsMoment: the same moment gives the same past, and one that is there stays.
func TestPastIsThatOfItsMoment(t *testing.T) {
	one := write(t, end)
	if content(t, one) != content(t, write(t, end)) {
		t.Error("two pasts of one moment differ")
	}
	was := content(t, one)
	if err := Write(one, some, end+hour); err != nil || content(t, one) != was {
		t.Errorf("a past that was there is another one: %v", err)
	}
	if was == content(t, write(t, end+hour)) {
		t.Error("two moments have one past")
	}
}

const (
	hour = 60 * minute
	day  = 24 * hour
)

// TestPastIsAMonth looks at it as the API does: every interval has candles without a gap, of prices and
// amounts that the market could have, and the last of them is now.
func TestPastIsAMonth(t *testing.T) {
	d := look(t)
	for _, m := range markets() {
		for i := marketdata.Sec1; i <= marketdata.Month1; i++ {
			list := d.Candles(m.ID, i, 0, end, marketdata.CandlesKept)
			reach := min(month, schema.Time(marketdata.CandlesKept-1)*i.Length())
			if i < marketdata.Min1 {
				reach = tape - minute
			}
			if list[0].Start > end-reach || list[len(list)-1].Start < i.Start(end-schema.Second) {
				t.Errorf("market %d: candles of %v reach from %d to %d", m.ID, i, list[0].Start, list[len(list)-1].Start)
			}
			for n, k := range list {
				if len(list) > 1000 && n%8 > 1 { // a part of so many is enough
					continue
				}
				if n%8 == 1 && k.Start != i.Next(list[n-1].Start) {
					t.Fatalf("market %d: after the candle of %v at %d comes %d", m.ID, i, list[n-1].Start, k.Start)
				}
				good := k.Low.Sign() > 0 && k.Low.Cmp(k.Open) <= 0 && k.Low.Cmp(k.Close) <= 0 && k.High.Cmp(k.Open) >= 0 && k.High.Cmp(k.Close) >= 0 &&
					k.Open.MultipleOf(m.Tick) && k.High.MultipleOf(m.Tick) && k.Low.MultipleOf(m.Tick) && k.Close.MultipleOf(m.Tick) &&
					k.Volume.Sign() > 0 && k.Volume.MultipleOf(m.Step)
				low, _ := fixed.Mul(k.Volume, k.Low, fixed.Places, fixed.Down)
				high, _ := fixed.Mul(k.Volume, k.High, fixed.Places, fixed.Up)
				if !good || k.Money.Cmp(low) < 0 || k.Money.Cmp(high) > 0 {
					t.Fatalf("market %d: a candle of %v is %+v", m.ID, i, k)
				}
			}
		}
	}
}

// TestPastMovesLikeAMarket: every day some percent, and the last day too, as the ticker tells it.
func TestPastMovesLikeAMarket(t *testing.T) {
	d := look(t)
	for _, m := range markets() {
		days := d.Candles(m.ID, marketdata.Day1, end-month+day, end-day, 40)
		if len(days) < 28 {
			t.Errorf("market %d has %d whole days", m.ID, len(days))
		}
		mean := fixed.Zero
		for _, k := range days {
			span, _ := fixed.Div(k.High.Sub(k.Low), k.Low, 4, fixed.Down)
			if span.Cmp(dec("0.015")) < 0 || span.Cmp(dec("0.4")) > 0 {
				t.Errorf("market %d moved by %s of its price on %d", m.ID, span, k.Start)
			}
			mean = mean.Add(span)
		}
		mean, _ = fixed.Div(mean, fixed.FromInt(int64(len(days))), 4, fixed.Down)
		if mean.Cmp(dec("0.035")) < 0 || mean.Cmp(dec("0.16")) > 0 {
			t.Errorf("market %d moves by %s of its price in a day", m.ID, mean)
		}
		s := d.Day(m.ID, end)
		span, _ := fixed.Div(s.High.Sub(s.Low), s.Low, 4, fixed.Down)
		if s.Volume.Sign() <= 0 || span.Cmp(dec("0.015")) < 0 || s.Change.Abs().Cmp(dec("20")) > 0 || s.Low.Cmp(s.Last) > 0 || s.High.Cmp(s.Last) < 0 {
			t.Errorf("the last day of market %d is %+v", m.ID, s)
		}
	}
}

// TestPastTradesUpToNow: as many trades as are kept, on both sides of a spread, the last of all markets in the last second.
func TestPastTradesUpToNow(t *testing.T) {
	d := look(t)
	for _, m := range markets() {
		trades := d.Trades(m.ID, 0, marketdata.TradesKept)
		if len(trades) != marketdata.TradesKept || trades[0].Time > end || trades[0].Time < end-end%schema.Second {
			t.Fatalf("market %d has %d trades, the last at %d", m.ID, len(trades), trades[0].Time)
		}
		sides := map[schema.Side]int{}
		for i, trade := range trades {
			sides[trade.Side]++
			money, _ := fixed.Mul(trade.Price, trade.Amount, fixed.Places, fixed.Down)
			if trade.ID != 0 || i > 0 && trade.Time > trades[i-1].Time || trade.Money != money || !trade.Price.MultipleOf(m.Tick) || !trade.Amount.MultipleOf(m.Step) {
				t.Fatalf("market %d: %+v", m.ID, trade)
			}
		}
		if sides[schema.Buy] < 800 || sides[schema.Sell] < 800 {
			t.Errorf("market %d: %v", m.ID, sides)
		}
	}
}

// TestPastCrossRate: at the close of every hour ether in bitcoin is ether over bitcoin and the future is bitcoin, within a tick.
func TestPastCrossRate(t *testing.T) {
	d := look(t)
	of := func(id schema.MarketID) []marketdata.Candle {
		return d.Candles(id, marketdata.Hour1, 0, end-2*hour, marketdata.CandlesKept) // made of candles
	}
	btc, eth, cross, future := of(1), of(2), of(3), of(6)
	for i := range cross {
		rate, _ := fixed.Div(eth[i].Close, btc[i].Close, 9, fixed.Down)
		if off := rate.Sub(cross[i].Close); off.Abs().Cmp(dec("0.0000015")) > 0 {
			t.Fatalf("hour %d: %s, and %s over %s is %s", cross[i].Start, cross[i].Close, eth[i].Close, btc[i].Close, rate)
		}
	}
	for i := range future {
		if off := btc[i].Close.Sub(future[i].Close); off.Sign() < 0 || off.Cmp(dec("0.1")) >= 0 {
			t.Fatalf("hour %d: the future is at %s, and bitcoin at %s", future[i].Start, future[i].Close, btc[i].Close)
		}
	}
	if len(cross) < 700 || len(future) != len(cross) {
		t.Errorf("there are %d hours, and %d of the future", len(cross), len(future))
	}
}

func TestNumbersThatCannotBeCounted(t *testing.T) {
	for _, m := range []Market{
		{ID: 1, Step: dec("1"), Start: dec("1"), Unit: dec("1")},
		{ID: 1, Tick: dec("1"), Start: dec("1"), Unit: dec("1")},
		{ID: 1, Tick: dec("1"), Step: dec("1"), Unit: dec("1")},
		{ID: 1, Tick: dec("1"), Step: dec("1"), Start: dec("1")},
	} {
		dir := t.TempDir()
		if err := Write(dir, []Market{m}, end); !errors.Is(err, errNumbers) {
			t.Errorf("%+v: %v", m, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("it left %v, %v", left, err)
		}
	}
}
