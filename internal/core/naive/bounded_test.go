package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// newBounded is the world of newWorld with both features that a new exchange begins with.
func newBounded(t *testing.T) *world {
	w := newWorld(t)
	for _, feature := range schema.BirthFeatures() {
		w.must(&schema.SetFeature{Feature: feature.Feature, On: true})
	}
	return w
}

func TestFeaturesThatStayOn(t *testing.T) {
	w := newBounded(t)
	for _, feature := range []schema.Feature{schema.BoundedWork, schema.ExactMoney} {
		w.refused(because(schema.FeatureForGood), &schema.SetFeature{Feature: feature})
		w.must(&schema.SetFeature{Feature: feature, On: true})
	}
}

func TestLimitOfOpenOrders(t *testing.T) {
	w := newBounded(t)
	listed := btcUSD()
	listed.MaxOrders = schema.HighestMaxOrders + 1
	w.refused(because(schema.OrdersLimitInvalid), &schema.SetMarket{Market: listed})
	listed.MaxOrders = 2
	w.must(&schema.SetMarket{Market: listed})
	w.place(ben, limit(schema.Sell, "1", "100"))
	w.place(anna, limit(schema.Buy, "1", "100"))

	first := w.place(anna, limit(schema.Buy, "1", "90"))
	w.place(anna, stopMarket(schema.Buy, "500", "120")) // what waits counts
	full := schema.Rejection{Reason: schema.TooManyOrders, Value: d("2")}
	w.refused(full, order1(anna, limit(schema.Buy, "1", "91")))
	w.refused(full, order1(anna, stopMarket(schema.Sell, "1", "80")))
	w.refused(full, order1(anna, stopMarket(schema.Sell, "1", "100"))) // before the check of the trigger
	w.place(ben, limit(schema.Sell, "1", "110"))
	ioc := limit(schema.Buy, "1", "80")
	ioc.IOC = true
	w.place(anna, ioc)
	w.place(anna, market1(schema.Buy, "55"))
	w.must(&schema.ModifyOrder{Account: anna, Order: schema.OrderRef{Market: spot, ID: first.ID}, Price: schema.Some(d("91"))})
	w.must(&schema.CancelAll{Account: anna})
	w.place(anna, limit(schema.Buy, "1", "91"))
}

// TestStopsWakeUpByPrice: buys from the lowest trigger, then sells from the highest, and by entry at
// one price; what one of them reaches is looked at before the next.
func TestStopsWakeUpByPrice(t *testing.T) {
	w := newBounded(t)
	w.place(ben, limit(schema.Sell, "1", "100"))
	w.place(carl, limit(schema.Buy, "1", "100"))
	for _, price := range []string{"110", "111", "112", "113", "114"} {
		w.place(ben, limit(schema.Sell, "1", price))
	}
	stop := func(s schema.Side, activation string) schema.OrderID {
		return w.place(carl, schema.OrderRequest{Type: schema.StopStockMarket, Side: s, Amount: d("1"), ActivationPrice: d(activation)}).ID
	}
	sell := stop(schema.Sell, "111")
	far := stop(schema.Buy, "112")
	near, later := stop(schema.Buy, "105"), stop(schema.Buy, "105")
	farthest := stop(schema.Buy, "113")

	taker := w.place(anna, schema.OrderRequest{Type: schema.StockMarket, Side: schema.Buy, Amount: d("1")})
	var takers []schema.OrderID
	for _, deal := range w.Deals() {
		takers = append(takers, deal.Taker.Order)
	}
	// The last one finds nobody to sell to, but is triggered by the deals at 110 all the same.
	if want := []schema.OrderID{taker.ID, near, later, far, farthest}; !slices.Equal(takers, want) {
		t.Errorf("takers were %v, want %v", takers, want)
	}
	if open := w.Orders(spot); len(open) != 0 {
		t.Errorf("still open, the sell stop is %d: %+v", sell, open)
	}
	w.consistent()
}

func TestMarketsCloseQueueByQueue(t *testing.T) {
	w := newBounded(t)
	w.place(ben, limit(schema.Sell, "1", "100"))
	w.place(carl, limit(schema.Buy, "1", "100"))
	rpi := func(s schema.Side, price string) schema.OrderRequest {
		r := limit(s, "1", price)
		r.RPI = true
		return r
	}
	requests := []schema.OrderRequest{
		stopMarket(schema.Sell, "1", "80"), stopMarket(schema.Sell, "1", "85"),
		stopMarket(schema.Buy, "50", "120"), stopMarket(schema.Buy, "50", "115"), stopMarket(schema.Buy, "60", "115"),
		rpi(schema.Sell, "104"), rpi(schema.Sell, "103"), rpi(schema.Buy, "96"), rpi(schema.Buy, "97"),
		limit(schema.Sell, "1", "106"), limit(schema.Sell, "1", "105"), limit(schema.Buy, "1", "90"), limit(schema.Buy, "1", "91"), limit(schema.Buy, "2", "91"),
	}
	first := w.place(anna, requests[0]).ID
	for _, r := range requests[1:] {
		w.place(anna, r)
	}
	m := w.trading.market(spot)
	slices.SortFunc(m.orders, queueOrder)
	var places []int
	for _, o := range m.orders {
		places = append(places, int(o.id-first))
	}
	if want := []int{12, 13, 11, 10, 9, 8, 7, 6, 5, 3, 4, 2, 1, 0}; !slices.Equal(places, want) {
		t.Errorf("they end in the order %v, want %v", places, want)
	}
}

func TestDelistingLeavesKillSwitches(t *testing.T) {
	w := newBounded(t)
	timer := w.must(&schema.SetKillSwitch{Account: anna, Market: spot, Timeout: 5 * schema.Second}).Timer
	w.must(&schema.PlanDelisting{Market: spot, At: timer.Deadline - 1})
	w.Apply(timer.Deadline-1, &schema.Tick{})
	if timers := w.KillSwitches(); len(timers) != 1 || timers[0] != timer {
		t.Errorf("timers: %+v", timers)
	}
	w.Apply(timer.Deadline, &schema.Tick{})
	if timers := w.KillSwitches(); len(timers) != 0 {
		t.Errorf("timers: %+v", timers)
	}
}

// TestSweepBeyondWhatIsLookedAt: carl can pay for the makers that are looked at and for one and a
// half more.
func TestSweepBeyondWhatIsLookedAt(t *testing.T) {
	w := newBounded(t)
	w.trading.sweepMost = 3
	for range 6 {
		w.place(ben, limit(schema.Sell, "0.003", "100"))
	}
	sweep := schema.OrderRequest{Type: schema.StockMarket, Side: schema.Buy, Amount: d("10")}
	w.must(&schema.Transfer{Account: carl, Asset: usd, Amount: d("99999.11"), From: schema.Trade, To: schema.Main})
	w.refused(because(schema.NotEnoughBalance), order1(carl, sweep))
	w.must(&schema.Transfer{Account: carl, Asset: usd, Amount: d("0.55"), From: schema.Main, To: schema.Trade})
	o := w.place(carl, sweep)
	// Four makers wholly, of the next two thousandths for 0.20; 0.04 is left.
	w.order(o, schema.Canceled, "9.986", "0.014", "1.4", "0")
	w.balance(carl, usd, "0.04", "0")
	w.levels(schema.Sell, "100", "0.004")
}
