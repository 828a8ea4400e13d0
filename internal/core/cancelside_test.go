package core

import (
	"testing"

	"bourse/internal/schema"
)

// TestCancelAllOfASide: orders of the other side stay, in hedge mode as in one-way mode, and so do those on spot. It goes in
// slices, and a machine that is restored between two of them goes on with the same side.
func TestCancelAllOfASide(t *testing.T) {
	f := newVenue(t, nil)
	alice, bob := f.trader("alice", "1000000", 100), f.trader("bob", "1000000", 100)
	f.do(&schema.SetHedgeMode{Account: alice, On: true})
	f.do(&schema.Deposit{Account: alice, Asset: venueUSDT, Amount: d("1000")})
	f.do(&schema.Transfer{Account: alice, Asset: venueUSDT, Amount: d("1000"), From: schema.Main, To: schema.Trade})
	f.do(&schema.PlaceOrder{Account: alice, Order: schema.OrderRequest{Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: d("0.01"), Price: d("49000")}})
	f.do(bet(bob, schema.Buy, "0.01", "49000"))
	for range 25 {
		long, short := bet(alice, schema.Buy, "0.001", "49000"), bet(alice, schema.Sell, "0.001", "51000")
		long.Order.PositionSide, short.Order.PositionSide = schema.LongSide, schema.ShortSide
		f.do(short)
		f.do(long)
	}
	open := func(m *Machine) (long, short, spot, both int) {
		for _, o := range m.Trading().Open(alice, perp) {
			switch o.PositionSide {
			case schema.LongSide:
				long++
			case schema.ShortSide:
				short++
			}
		}
		return long, short, int(m.Trading().CountOf(alice, 1)), int(m.Trading().CountOf(bob, perp))
	}
	is := func(m *Machine, want [4]int) {
		t.Helper()
		long, short, spot, both := open(m)
		if got := [4]int{long, short, spot, both}; got != want {
			t.Errorf("long, short, spot and bob's orders that are open: %v, want %v", got, want)
		}
	}
	f.refused(&schema.CancelAll{Account: alice, Market: perp, Sides: 8}, schema.PositionSidesInvalid)
	f.do(&schema.CancelAll{Account: alice, Sides: schema.SidesOf(schema.BothSides)})
	f.do(&schema.CancelAll{Account: alice, Products: schema.SpotOrders, Sides: schema.SidesOf(schema.LongSide)})
	f.do(&schema.CancelAll{Account: bob, Sides: schema.SidesOf(schema.LongSide, schema.ShortSide)})
	is(f.m, [4]int{25, 25, 1, 1})

	f.m.SetSlice(10)
	work := f.do(&schema.CancelAll{Account: alice, Sides: schema.SidesOf(schema.LongSide)}).Work
	is(f.m, [4]int{15, 25, 1, 1})
	restored, err := Restore(f.m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	restored.SetSlice(10)
	for _, m := range []*Machine{f.m, restored} {
		if _, slices := complete(t, m, work); slices != 2 {
			t.Errorf("%d slices for the 15 orders that were left", slices)
		}
		is(m, [4]int{0, 25, 1, 1})
	}
	if restored.Hash() != f.m.Hash() {
		t.Error("a machine that was restored in the middle has another hash")
	}
	f.m.SetSlice(slice)
	f.do(&schema.CancelAll{Account: bob, Sides: schema.SidesOf(schema.BothSides)})
	f.do(&schema.CancelAll{Account: alice, Sides: schema.SidesOf(schema.ShortSide, schema.LongSide)})
	is(f.m, [4]int{0, 0, 1, 0})
	f.agrees()
}

// TestOrdersThatStayAreGoneThroughOnce: an account with more orders that stay than a slice may look at comes to the one that
// has to end, for it is not begun with again in every slice; a restart in between changes nothing.
func TestOrdersThatStayAreGoneThroughOnce(t *testing.T) {
	f := newVenue(t, nil)
	alice, bob := f.trader("alice", "1000000", 100), f.trader("bob", "1000000", 100)
	f.trade(alice, bob, "0.01", "50000")
	for range 150 { // 64 looks are one unit
		if r := f.m.Apply(f.m.Time(), bet(alice, schema.Buy, "0.001", "49000")).Result.Rejection; r.Refused() {
			t.Fatal(r.Text())
		}
	}
	f.do(reduceOnly(bet(alice, schema.Sell, "0.01", "51000")))
	f.do(bet(bob, schema.Buy, "0.01", "50000"))
	f.m.SetSlice(2)
	work := f.do(bet(alice, schema.Sell, "0.01", "50000")).Work
	restored, err := Restore(f.m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	restored.SetSlice(2)
	for _, m := range []*Machine{f.m, restored} {
		_, slices := complete(t, m, work)
		if open := m.Trading().CountOf(alice, perp); slices != 1 || open != 150 {
			t.Errorf("%d orders are open after %d slices", open, slices)
		}
	}
	if restored.Hash() != f.m.Hash() {
		t.Error("a machine that was restored in the middle has another hash")
	}
}
