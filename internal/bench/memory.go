package bench

import (
	"fmt"
	"runtime"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const million = 1_000_000

// fill places a million resting orders on the markets of a machine that was set up: a thousand
// prices a side and market, so that levels are queues.
func fill(m *core.Machine) error {
	t := newTraffic(5)
	for i := range million {
		side := schema.Buy
		price := int64(100_000 - 1 - t.draw(1000))
		if i%2 == 1 {
			side, price = schema.Sell, int64(100_000+t.draw(1000))
		}
		c := schema.PlaceOrder{
			Account: schema.FirstCustomer + schema.AccountID(i%mixedAccounts),
			Order: schema.OrderRequest{
				Market: schema.MarketID(1 + i%mixedMarkets), Type: schema.Limit, Side: side,
				Amount: t.amount(), Price: fixed.FromInt(price),
			},
		}
		t.at += 10
		if r := m.Apply(t.at, &c).Result.Rejection; r.Refused() {
			return fmt.Errorf("order %d: %s", i, r.Text())
		}
	}
	return nil
}

// heap is the memory in use after a collection.
func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

func restingBytes(r *report) error {
	m := core.NewExchange()
	if err := setUp(m, trafficStart, mixedMarkets, mixedAccounts); err != nil {
		return err
	}
	before := heap()
	if err := fill(m); err != nil {
		return err
	}
	used := heap() - before
	began := time.Now()
	runtime.GC()
	mark := time.Since(began)
	r.add(Result{Name: "core.resting_order.bytes", Value: float64(used) / million, Unit: "bytes"})
	r.add(Result{Name: "core.resting_order.gc", Value: float64(mark.Microseconds()) / 1000, Unit: "ms"})
	runtime.KeepAlive(m)
	return nil
}

// allocations counts what a busy exchange allocates once its memory has grown to size.
func allocations(r *report) error {
	all, _, err := newTraffic(23).record(mixedResting/10, mixedCommands/3)
	if err != nil {
		return err
	}
	grown := len(all) - 50_000
	m, err := replay(all[:grown])
	if err != nil {
		return err
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	oneByOne(m, all[grown:], func(*schema.Outcome) {})
	runtime.ReadMemStats(&after)
	r.add(Result{Name: "core.allocs", Value: float64(after.Mallocs-before.Mallocs) / float64(len(all)-grown), Unit: "per command"})
	return nil
}

func snapshots(r *report) error {
	m := core.NewExchange()
	if err := setUp(m, trafficStart, mixedMarkets, mixedAccounts); err != nil {
		return err
	}
	if err := fill(m); err != nil {
		return err
	}
	began := time.Now()
	snapshot := m.Snapshot()
	wrote := time.Since(began)
	hash := m.Hash()
	began = time.Now()
	restored, err := core.Restore(snapshot)
	if err != nil {
		return err
	}
	read := time.Since(began)
	if restored.Hash() != hash {
		return fmt.Errorf("the restored machine has another hash")
	}
	r.add(Result{Name: "core.snapshot", Value: wrote.Seconds(), Unit: "s/M orders"})
	r.add(Result{Name: "core.snapshot.bytes", Value: float64(len(snapshot)) / million, Unit: "bytes/order"})
	r.add(Result{Name: "core.restore", Value: read.Seconds(), Unit: "s/M orders"})
	return nil
}
