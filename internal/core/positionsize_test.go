package core

import (
	"fmt"
	"runtime"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// A position may take so many bytes, with all that is kept because of it: the ranges in which its account is safe among them.
const positionBytes = 256

func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // what the first one found in pools
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// TestAPositionIsSmall opens 100,000 positions of accounts that have traded before, so that their desks and seats are there.
func TestAPositionIsSmall(t *testing.T) {
	const count = 100_000
	m := newVenue(t, nil).m
	do := func(c schema.Command) *schema.Outcome {
		out := m.Apply(m.Time()+1, c)
		if r := out.Result.Rejection; r.Refused() {
			t.Fatalf("%T was refused: %s", c, r.Text())
		}
		return out
	}
	open := func(usdt fixed.Decimal) schema.AccountID {
		id := schema.FirstCustomer + schema.AccountID(len(m.Accounts().All()))
		do(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("trader", id), Region: schema.Global}})
		do(&schema.Deposit{Account: id, Asset: venueUSDT, Amount: usdt})
		do(&schema.Transfer{Account: id, Asset: venueUSDT, Amount: usdt, From: schema.Main, To: schema.Collateral})
		order := do(bet(id, schema.Buy, "0.0001", "45000")).Result.Order.ID
		do(&schema.CancelOrder{Account: id, Order: schema.OrderRef{Market: perp, ID: order}})
		return id
	}
	short := open(d("1000000000"))
	traders := make([]schema.AccountID, count)
	for i := range traders {
		traders[i] = open(d("100"))
	}
	do(&schema.Tick{})
	before := liveHeap()
	do(bet(short, schema.Sell, "100", "50000"))
	for _, id := range traders {
		do(bet(id, schema.Buy, "0.001", "50000"))
	}
	do(&schema.Tick{}) // which begins to look at all of them
	for next, running := m.NextTimer(); running && next <= m.Trading().Counters().Tick+1; next, running = m.NextTimer() {
		do(&schema.Tick{})
	}
	grown := liveHeap() - before
	if n := len(m.Collateral().Positions(traders[count-1])); n != 1 {
		t.Fatalf("the last trader has %d positions", n)
	}
	if each := grown / count; each > positionBytes {
		t.Errorf("a position takes %d bytes", each)
	} else {
		t.Logf("a position takes %d bytes", each)
	}
	runtime.KeepAlive(m)
}
