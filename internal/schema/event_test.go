package schema

import (
	"reflect"
	"slices"
	"testing"

	"bourse/internal/fixed"
)

// record puts one event of every frequent kind and two rare ones into e and returns what must
// come out of All.
func record(e *Events) []Event {
	order := OrderChanged{Change: Opened, Cause: ByRequest, Order: Order{ID: 7}}
	deal := Deal{ID: 3, Market: 1}
	balance := BalanceChanged{Account: 101, Wallet: Trade, Available: fixed.One}
	level := LevelChanged{Market: 1, Side: Sell, Price: fixed.One, Amount: fixed.One}
	feature, fee := &FeatureChanged{}, &FeeChanged{}
	setBalance(e, balance)
	e.Add(feature)
	*e.AddDeal() = deal
	*e.AddOrder() = order
	setLevel(e, level)
	other := balance
	other.Wallet = Main
	setBalance(e, other)
	e.Add(fee)
	return []Event{&balance, feature, &deal, &order, &level, &other, fee}
}

func setBalance(e *Events, b BalanceChanged) {
	var place uint32
	*e.SetBalance(&place, b.Account, b.Wallet, b.Asset) = b
}

func setLevel(e *Events, l LevelChanged) { e.SetLevel(l.Market, l.Side, l.Price, l.Amount) }

func TestAllGoesThroughEventsInTheirOrder(t *testing.T) {
	var e Events
	for range 3 { // memory that is used again must not change what comes out
		e.Reset()
		want := record(&e)
		if got := slices.Collect(e.All()); !reflect.DeepEqual(got, want) || e.Len() != len(want) {
			t.Fatalf("got %d events %+v, want %+v", e.Len(), got, want)
		}
	}
	e.Reset()
	if e.Len() != 0 || slices.Collect(e.All()) != nil {
		t.Error("events are left after Reset")
	}
}

func TestAllStopsWhenTheReaderDoes(t *testing.T) {
	var e Events
	record(&e)
	seen := 0
	for range e.All() {
		if seen++; seen == 2 {
			break
		}
	}
	if seen != 2 {
		t.Errorf("%d events were handed out", seen)
	}
}

func TestOrderIsTheLastStateOfAnOrder(t *testing.T) {
	var e Events
	for i, id := range []OrderID{1, 2, 1} {
		ev := e.AddOrder()
		*ev = OrderChanged{Order: Order{ID: id, Amount: fixed.FromInt(int64(i))}}
	}
	if o := e.Order(1); o == nil || o.Amount != fixed.FromInt(2) {
		t.Errorf("order 1: %+v", o)
	}
	if o := e.Order(2); o == nil || o.Amount != fixed.FromInt(1) {
		t.Errorf("order 2: %+v", o)
	}
	if o := e.Order(3); o != nil {
		t.Errorf("an order that was never recorded: %+v", o)
	}
	e.Reset()
	if o := e.Order(1); o != nil {
		t.Errorf("an order of an earlier command: %+v", o)
	}
}

func TestLevelThatChangesAgainAtOnceStaysOneEvent(t *testing.T) {
	level := func(market MarketID, side Side, price, amount int64) LevelChanged {
		return LevelChanged{Market: market, Side: side, Price: fixed.FromInt(price), Amount: fixed.FromInt(amount)}
	}
	var e Events
	for _, l := range []LevelChanged{
		level(1, Buy, 10, 5), level(1, Buy, 10, 3), level(1, Buy, 10, 0), // one level, three changes
		level(1, Sell, 10, 1), level(2, Sell, 10, 1), level(2, Sell, 11, 1), // another side, market, price
		level(1, Buy, 10, 4), // the first level, but not at once
	} {
		setLevel(&e, l)
	}
	want := []LevelChanged{level(1, Buy, 10, 0), level(1, Sell, 10, 1), level(2, Sell, 10, 1), level(2, Sell, 11, 1), level(1, Buy, 10, 4)}
	var got []LevelChanged
	for ev := range e.All() {
		got = append(got, *ev.(*LevelChanged))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	e.Reset()
	setLevel(&e, level(1, Buy, 10, 7))
	if e.Len() != 1 {
		t.Error("a level was merged with one of an earlier command")
	}
}

// A balance has one event in a command, also where its place was left by a command before, and
// one for each movement where they are itemized.
func TestOneEventForABalance(t *testing.T) {
	for _, itemized := range []bool{false, true} {
		var e Events
		if itemized {
			e.Itemize()
		}
		place := [2]uint32{5, 7} // left by an earlier command
		for round := range 3 {
			e.Reset()
			for ref := range uint64(4) {
				for i := range place {
					b := e.SetBalance(&place[i], AccountID(101+i), Trade, 1)
					b.Ref, b.Available = ref, fixed.FromInt(int64(ref))
				}
			}
			if itemized && e.Len() != 8 || !itemized && e.Len() != 2 {
				t.Fatalf("round %d, itemized %v: %d events", round, itemized, e.Len())
			}
			last := map[AccountID]BalanceChanged{}
			for event := range e.All() {
				b := *event.(*BalanceChanged)
				last[b.Account] = b
			}
			for i := range place {
				account := AccountID(101 + i)
				want := BalanceChanged{Account: account, Wallet: Trade, Asset: 1, Ref: 3, Available: fixed.FromInt(3)}
				if last[account] != want {
					t.Errorf("round %d, itemized %v: %+v, want %+v", round, itemized, last[account], want)
				}
			}
			slices.Reverse(place[:]) // the place of another balance
		}
	}
}

func TestResetKeepsTheMemory(t *testing.T) {
	var e Events
	fill := func() {
		e.Reset()
		for i := range 50 {
			e.AddOrder().Order.ID = OrderID(i)
			e.AddDeal().ID = DealID(i)
			e.SetBalance(new(uint32), AccountID(i), Trade, 1).Ref = uint64(i)
			e.SetLevel(1, Buy, fixed.FromInt(int64(i)), fixed.One)
		}
	}
	fill()
	if n := testing.AllocsPerRun(100, fill); n != 0 {
		t.Errorf("%v allocations for events whose memory was there", n)
	}
}

func TestOutcomeResetForgetsTheLastResult(t *testing.T) {
	out := Outcome{Time: 5, Result: Result{
		Rejection: Refuse(OrderNotFound), ID: 3, Order: Order{ID: 1}, Timer: KillSwitch{Account: 101},
		Items: make([]Item, 4, 8),
	}}
	record(&out.Events)
	out.Reset(9)
	if cap(out.Result.Items) != 8 || len(out.Result.Items) != 0 {
		t.Error("the memory of items is not kept or not empty")
	}
	out.Result.Items = nil
	if out.Time != 9 || !reflect.DeepEqual(out.Result, Result{}) || out.Events.Len() != 0 {
		t.Errorf("left after Reset: %+v", out)
	}
}
