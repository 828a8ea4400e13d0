package marketdata

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

// TestModelsAreWhatTheEventsSay: random trading, against the machine's own book and a list of all
// trades. A second set of models is restarted from its file again and again, from a file that
// some markets are ahead in, and must not differ by a byte.
func TestModelsAreWhatTheEventsSay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		draw := chance(func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "n") })
		world := newNaive(t)
		live, restarted := new(Data), new(Data)
		var steps []*step
		same := func(seq uint64) {
			if string(restarted.encode(seq)) != string(live.encode(seq)) {
				rt.Fatal("models that were restarted are other ones")
			}
		}
		orders := uint64(0)
		for range 5 + draw(80) {
			before := [3]bookOf{1: naiveBook(world, 1), 2: naiveBook(world, 2)}
			s := &step{seq: uint64(len(steps) + 1)}
			world.now += draw.later()
			for range draw(6) {
				out := world.apply(draw.command(orders))
				orders = max(orders, uint64(out.Result.Order.ID))
				s.add(out)
			}
			steps = append(steps, s)
			versions := [3]uint64{1: live.Version(1), 2: live.Version(2)}
			s.applyTo(live)
			for m := schema.MarketID(1); m <= 2; m++ {
				checkBook(rt, live, world, m, versions[m], before[m])
			}
			s.applyTo(restarted)
			if draw(4) == 0 {
				restarted = restart(rt, restarted, steps, draw(4))
				same(s.seq)
			}
		}
		same(uint64(len(steps)))
		for m := schema.MarketID(1); m <= 2; m++ {
			checkTrades(rt, draw, live, world, m)
			checkCandles(rt, draw, live, world, m)
			checkSummaries(rt, draw, live, world, m)
		}
	})
}

// restart makes models of the file of others. The file says that it stands for a batch a little
// before the last, as it does when batches come while it is made.
func restart(t *rapid.T, d *Data, steps []*step, behind int) *Data {
	place := len(steps) - min(len(steps), behind)
	file := d.encode(uint64(place))
	fresh := new(Data)
	if err := fresh.restore(file, uint64(len(steps))); err != nil {
		t.Fatal(err)
	}
	if fresh.at.Load() != uint64(place) {
		t.Fatalf("the file of place %d gives %d", place, fresh.at.Load())
	}
	for _, s := range steps[place:] {
		s.applyTo(fresh)
	}
	return fresh
}

type bookOf struct{ asks, bids []Level }

func naiveBook(n *naive, m schema.MarketID) bookOf {
	asks, bids := n.book(m)
	return bookOf{asks, bids}
}

func (b bookOf) equal(o bookOf) bool {
	return slices.Equal(b.asks, o.asks) && slices.Equal(b.bids, o.bids)
}

func checkBook(t *rapid.T, d *Data, n *naive, m schema.MarketID, version uint64, before bookOf) {
	want := naiveBook(n, m)
	asks, bids, got := d.Depth(m, 1<<30)
	if !want.equal(bookOf{asks, bids}) {
		t.Fatalf("market %d: asks %v bids %v, want %v", m, asks, bids, want)
	}
	if !want.equal(before) {
		version++
	}
	if got != version || d.Version(m) != version {
		t.Fatalf("market %d: version %d, want %d", m, got, version)
	}
	bid, ask := d.Best(m)
	if len(bids) > 0 && bid != bids[0] || len(bids) == 0 && bid != (Level{}) || len(asks) > 0 && ask != asks[0] || len(asks) == 0 && ask != (Level{}) {
		t.Fatalf("market %d: best %v and %v", m, bid, ask)
	}
	few, _, _ := d.Depth(m, 2)
	if !slices.Equal(few, want.asks[:min(2, len(want.asks))]) {
		t.Fatalf("market %d: the two best asks are %v", m, few)
	}
}

func checkTrades(t *rapid.T, draw chance, d *Data, n *naive, m schema.MarketID) {
	limit := draw(40)
	side := schema.Side(draw(3))
	want := n.newest(m, limit, func(t Trade) bool { return side == 0 || t.Side == side })
	if got := d.Trades(m, side, limit); !slices.Equal(got, want) {
		t.Fatalf("market %d: the last %d trades of side %d are %v, want %v", m, limit, side, got, want)
	}
	after := schema.DealID(draw(30))
	want = n.newest(m, limit, func(t Trade) bool { return t.ID > after })
	if got := d.TradesAfter(m, after, limit); !slices.Equal(got, want) {
		t.Fatalf("market %d: %d trades after %d are %v, want %v", m, limit, after, got, want)
	}
	if got := d.Last(m); got != n.machine.Trading().Market(m).Last {
		t.Fatalf("market %d: the last price is %s", m, got)
	}
}

func checkCandles(t *rapid.T, draw chance, d *Data, n *naive, m schema.MarketID) {
	for i := Sec1; i <= Month1; i++ {
		want := n.candles(m, i)
		if got := d.Candles(m, i, 0, ever, CandlesKept); !slices.Equal(got, want) {
			t.Fatalf("market %d, %s: %v, want %v", m, i, got, want)
		}
		if len(want) == 0 {
			continue
		}
		first := draw(len(want))
		last := first + draw(len(want)-first)
		limit := draw(5)
		part := want[first : last+1]
		part = part[max(0, len(part)-limit):]
		if got := d.Candles(m, i, want[first].Start, want[last].Start, limit); !slices.Equal(got, part) {
			t.Fatalf("market %d, %s: %d from %d to %d are %v, want %v", m, i, limit, first, last, got, part)
		}
	}
}

func checkSummaries(t *rapid.T, draw chance, d *Data, n *naive, m schema.MarketID) {
	for range 5 {
		now := n.now + draw.later() - draw.later()
		// A clock that is behind the exchange's does not see into the past.
		at := max(now, append([]Trade{{}}, n.trades[m]...)[len(n.trades[m])].Time)
		want := n.summary(m, candleStart(Min1, at)-24*hour)
		if got := d.Day(m, now); got != want {
			t.Fatalf("market %d: the day before %s is %+v, want %+v", m, now, got, want)
		}
		want = n.summary(m, candleStart(Day1, at))
		if got := d.Today(m, now); got != want {
			t.Fatalf("market %d: the day of %s is %+v, want %+v", m, now, got, want)
		}
		length := draw.later() + 1
		want = n.summary(m, at-length)
		if got := d.Over(m, now, length); got != want {
			t.Fatalf("market %d: the %d µs before %s are %+v, want %+v", m, length, now, got, want)
		}
	}
}
