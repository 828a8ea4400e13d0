package bench

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"bourse/internal/core"
	"bourse/internal/core/book"
	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// Books as someone would build them who wants to hurt: every level far from the next, placed in the
// orders that sorted lists suffer from, and cancelled as a cancellation of all orders does, in the
// order in which they were placed.
const (
	sparseGap   = 1009
	worstRounds = 3
)

// size is how large what is tried is.
type size struct {
	name  string
	count int
}

var sparseSizes = []size{{"10k", 10_000}, {"100k", 100_000}}

func sparseNames(prefix string) (names []string) {
	for _, z := range sparseSizes {
		for _, part := range []string{"rising", "falling", "cancel"} {
			names = append(names, prefix+"."+part+"."+z.name)
		}
	}
	return names
}

// rising is the prices of bids from the worst to the best.
func rising(i int) int64 { return int64(i+1) * sparseGap }

// worst measures operations on something fresh: how long they take on average, and in Max the one
// that takes longest. The rounds do the same, so the least time of each operation is without what
// the machine did meanwhile.
func worst(name, unit string, count int, fresh func() (operation func(i int), err error)) (Result, error) {
	result := Result{Name: name, Unit: unit, Value: math.Inf(1)}
	least := make([]time.Duration, count)
	for i := range least {
		least[i] = math.MaxInt64
	}
	for range worstRounds {
		do, err := fresh()
		if err != nil {
			return result, err
		}
		runtime.GC()
		began := time.Now()
		for i := range count {
			do(i)
		}
		result.Value = min(result.Value, float64(time.Since(began))/float64(count))
		if do, err = fresh(); err != nil {
			return result, err
		}
		runtime.GC()
		for i := range least {
			began := time.Now()
			do(i)
			least[i] = min(least[i], time.Since(began))
		}
	}
	var times Latency
	for _, d := range least {
		times.Add(d)
	}
	times.fill(&result)
	return result, nil
}

// worsts adds several figures.
func worsts(r *report, figures ...func() (Result, error)) error {
	for _, figure := range figures {
		result, err := figure()
		if err != nil {
			return err
		}
		r.add(result)
	}
	return nil
}

// sparse makes the three figures of a book of one size. Something fresh can place a level and cancel
// it.
func sparse(r *report, prefix string, z size, fresh func() (place func(i int, price int64), cancel func(i int))) error {
	placing := func(name string, price func(int) int64) func() (Result, error) {
		return func() (Result, error) {
			return worst(prefix+"."+name+"."+z.name, "ns/order", z.count, func() (func(int), error) {
				place, _ := fresh()
				return func(i int) { place(i, price(i)) }, nil
			})
		}
	}
	return worsts(r, placing("rising", rising), placing("falling", func(i int) int64 { return rising(z.count - 1 - i) }), func() (Result, error) {
		return worst(prefix+".cancel."+z.name, "ns/order", z.count, func() (func(int), error) {
			place, cancel := fresh()
			for i := range z.count {
				place(i, rising(i))
			}
			return cancel, nil
		})
	})
}

// worstLadder is the order book alone.
func worstLadder(r *report) error {
	for _, z := range sparseSizes {
		if err := sparse(r, "core.worst.ladder", z, func() (func(int, int64), func(int)) {
			v := newBookVenue()
			place := func(i int, price int64) {
				slot, _ := v.book.Add(uint64(i+1), 1, 1)
				v.book.Link(slot, book.Bids, book.Ticks(price))
			}
			cancel := func(i int) {
				slot := v.book.Find(uint64(i + 1))
				v.book.Unlink(slot)
				v.book.Remove(slot)
			}
			return place, cancel
		}); err != nil {
			return err
		}
	}
	return nil
}

// sparseBytes is the memory of the order book alone for an order that has its price, and the 64
// around it, for itself.
func sparseBytes(r *report) error {
	before := heap()
	v := newBookVenue()
	for i := range million {
		slot, _ := v.book.Add(uint64(i+1), 1, 1)
		v.book.Link(slot, book.Bids, book.Ticks((i*7919%million+1)*sparseGap))
	}
	r.add(Result{Name: "core.worst.ladder.bytes", Value: float64(heap()-before) / million, Unit: "bytes/order"})
	runtime.KeepAlive(v)
	return nil
}

// worstIndex adds a million entries to an index that has a million: it grows once on the way.
func worstIndex(r *report) error {
	return worsts(r, func() (Result, error) {
		return worst("core.worst.index", "ns/entry", million, func() (func(int), error) {
			var x slab.Index
			add := func(i int) { x.Add(slab.HashRun(uint64(i+1)), uint32(i+1)) }
			for i := range million {
				add(i)
			}
			return func(i int) { add(million + i) }, nil
		})
	})
}

// switches are as many kill switches as accounts and markets make possible.
const (
	switchMarkets  = 8
	switchAccounts = 12_500
	switches       = switchMarkets * switchAccounts
)

// worstKillSwitches arms kill switches, later and later ones in turn with earlier ones, and lets all
// of them fire in one tick.
func worstKillSwitches(r *report) error {
	armed := func() (*core.Machine, func(int), error) {
		m := core.NewExchange()
		arm := func(i int) {
			timeout := 60*schema.Second + schema.Time(i)
			if i%2 == 1 {
				timeout = 60*schema.Second - schema.Time(i)
			}
			m.Apply(trafficStart, &schema.SetKillSwitch{
				Account: schema.FirstCustomer + schema.AccountID(i/switchMarkets), Market: schema.MarketID(1 + i%switchMarkets), Timeout: timeout,
			})
		}
		return m, arm, setUp(m, trafficStart, switchMarkets, switchAccounts)
	}
	return worsts(r, func() (Result, error) {
		return worst("core.worst.killswitch.arm", "ns/switch", switches, func() (func(int), error) {
			_, arm, err := armed()
			return arm, err
		})
	}, func() (Result, error) {
		return longWork("core.worst.killswitch.fire", "ns/switch", switches, func() (*core.Machine, schema.Time, schema.Command, error) {
			m, arm, err := armed()
			for i := range switches {
				arm(i)
			}
			if n := len(m.Trading().KillSwitches()); err == nil && n != switches {
				err = fmt.Errorf("%d of %d kill switches run", n, switches)
			}
			return m, trafficStart + 600*schema.Second, &schema.Tick{}, err
		})
	})
}

// worstMarketData is the public book, a batch for each level.
func worstMarketData(r *report) error {
	for _, z := range sparseSizes {
		if err := sparse(r, "marketdata.worst", z, func() (func(int, int64), func(int)) {
			d := new(marketdata.Data)
			seq := uint64(0)
			set := func(price int64, amount fixed.Decimal) {
				seq++
				d.Take(seq, trafficStart, &schema.LevelChanged{Market: 1, Side: schema.Buy, Price: fixed.FromInt(price), Amount: amount})
			}
			place := func(_ int, price int64) { set(price, fixed.One) }
			cancel := func(i int) { set(rising(i), fixed.Zero) }
			return place, cancel
		}); err != nil {
			return err
		}
	}
	return nil
}

// worstWindows are what subscribers of a deep book are sent: its front, and all of it that is looked
// at in one level.
func worstWindows(r *report) error {
	z := sparseSizes[len(sparseSizes)-1]
	d := new(marketdata.Data)
	for i := range z.count {
		d.Take(uint64(i+1), trafficStart, &schema.LevelChanged{Market: 1, Side: schema.Buy, Price: fixed.FromUnits(int64(i+1)*sparseGap, 18), Amount: fixed.One})
	}
	window := func(name string, width fixed.Decimal, count int) func() (Result, error) {
		return func() (Result, error) {
			return worst("marketdata.worst.window."+name, "ns/window", count, func() (func(int), error) {
				return func(int) { d.Window(1, 100, width) }, nil
			})
		}
	}
	return worsts(r, window("front", fixed.Zero, 1000), window("gathered", fixed.FromUnits(1, 1), 20))
}
