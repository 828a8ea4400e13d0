package core

import (
	"fmt"
	"reflect"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// crowd is a new exchange with two markets, AAA_BBB (1) and AAA_CCC (2), on which traders 101 and
// up have money, and whose commands do little at once.
func crowd(t *testing.T, traders, slice int) *Machine {
	t.Helper()
	m := NewExchange()
	m.SetSlice(slice)
	var list []schema.Command
	for _, ticker := range []string{"AAA", "BBB", "CCC"} {
		list = append(list, &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Scale: 18, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}})
	}
	for quote := schema.AssetID(2); quote <= 3; quote++ {
		list = append(list, &schema.SetMarket{Market: schema.MarketInfo{
			Name: "AAA_" + map[schema.AssetID]string{2: "BBB", 3: "CCC"}[quote], Base: 1, Quote: quote, Type: schema.Spot,
			StockPrec: 4, MoneyPrec: 2, FeePrec: 6, Enabled: true,
		}})
	}
	for i := range traders {
		id := schema.FirstCustomer + schema.AccountID(i)
		list = append(list, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("trader", i), Region: schema.Global}})
		for asset := schema.AssetID(1); asset <= 3; asset++ {
			list = append(list, &schema.Deposit{Account: id, Asset: asset, Amount: d("100000")},
				&schema.Transfer{Account: id, Asset: asset, Amount: d("100000"), From: schema.Main, To: schema.Trade})
		}
	}
	apply(t, m, start, list...)
	return m
}

func limit(account schema.AccountID, market schema.MarketID, side schema.Side, amount, price string) *schema.PlaceOrder {
	return &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
		Market: market, Type: schema.Limit, Side: side, Amount: d(amount), Price: d(price),
	}}
}

// complete sends Continue until nothing is busy, and returns the answer to the work and how many
// slices it took.
func complete(t *testing.T, m *Machine, work schema.WorkID) (answer schema.Result, slices int) {
	t.Helper()
	for m.Busy() {
		out := m.Apply(m.Time(), &schema.Continue{})
		slices++
		if err := m.Verify(); err != nil {
			t.Fatalf("after slice %d: %v", slices, err)
		}
		if work != 0 && out.Finished == work {
			answer = out.Result
			work = 0
		}
	}
	if work != 0 {
		t.Fatalf("work %d was never answered", work)
	}
	return answer, slices
}

// busy checks that a command has to wait and leaves no trace.
func busy(t *testing.T, m *Machine, c schema.Command) {
	t.Helper()
	before := m.Hash()
	out := m.Apply(m.Time()+1, c)
	if out.Result.Rejection.Reason != schema.MarketBusy || out.Events.Len() != 0 || m.Hash() != before {
		t.Errorf("%T: %q with %d events", c, out.Result.Rejection.Text(), out.Events.Len())
	}
}

func TestCancelAllGoesInSlices(t *testing.T) {
	m := crowd(t, 2, 10)
	for i := range 25 {
		apply(t, m, start, limit(101, 1, schema.Sell, "1", fmt.Sprint(100+i)), limit(101, 2, schema.Sell, "1", fmt.Sprint(100+i)))
	}
	out := m.Apply(m.Time(), &schema.CancelAll{Account: 101})
	work := out.Work
	if work == 0 || m.Trading().CountOf(101, 1) != 15 || m.Trading().CountOf(101, 2) != 25 {
		t.Fatalf("work %d; %d and %d orders are open", work, m.Trading().CountOf(101, 1), m.Trading().CountOf(101, 2))
	}
	busy(t, m, limit(102, 1, schema.Buy, "1", "200"))
	busy(t, m, limit(102, 2, schema.Buy, "1", "200"))
	busy(t, m, &schema.CancelAll{Account: 101})
	busy(t, m, &schema.SetMarket{Market: *m.Listing().Market(1)})
	apply(t, m, m.Time(), &schema.Transfer{Account: 102, Asset: 1, Amount: d("1"), From: schema.Trade, To: schema.Main})
	if _, slices := complete(t, m, work); slices != 4 {
		t.Errorf("%d slices for the 40 orders that were left", slices)
	}
	if m.Trading().CountOf(101, 1)+m.Trading().CountOf(101, 2) != 0 {
		t.Error("orders are left")
	}
	apply(t, m, m.Time(), limit(102, 1, schema.Buy, "1", "200"))
}

func TestMarketIsFreeOnceItsPartIsDone(t *testing.T) {
	m := crowd(t, 2, 10)
	for i := range 15 {
		apply(t, m, start, limit(101, 1, schema.Sell, "1", fmt.Sprint(100+i)), limit(101, 2, schema.Sell, "1", fmt.Sprint(100+i)))
	}
	m.Apply(m.Time(), &schema.CancelAll{Account: 101})
	apply(t, m, m.Time(), &schema.Continue{})
	apply(t, m, m.Time(), limit(102, 1, schema.Buy, "1", "200"))
	busy(t, m, limit(102, 2, schema.Buy, "1", "200"))
}

// TestSweepGoesInSlices: a taker that meets more makers than a slice takes gets exactly what it
// would get at once, and its money cannot be used elsewhere meanwhile.
func TestSweepGoesInSlices(t *testing.T) {
	for _, tt := range []struct {
		name  string
		order schema.OrderRequest
	}{
		{"limit", schema.OrderRequest{Type: schema.Limit, Side: schema.Buy, Amount: d("30"), Price: d("150")}},
		{"market", schema.OrderRequest{Type: schema.Market, Side: schema.Buy, Amount: d("3000")}},
		{"stock market", schema.OrderRequest{Type: schema.StockMarket, Side: schema.Buy, Amount: d("23.5")}},
		{"ioc", schema.OrderRequest{Type: schema.Limit, Side: schema.Buy, Amount: d("30"), Price: d("110"), IOC: true}},
		{"sell", schema.OrderRequest{Type: schema.StockMarket, Side: schema.Sell, Amount: d("24.5")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sliced, whole := crowd(t, 2, 7), crowd(t, 2, 1000)
			c := &schema.PlaceOrder{Account: 102, Order: tt.order}
			c.Order.Market = 1
			var deals, want []schema.Deal
			for _, m := range []*Machine{sliced, whole} {
				for i := range 25 {
					apply(t, m, start, limit(101, 1, schema.Sell, "1", fmt.Sprint(100+i)), limit(101, 1, schema.Buy, "1", fmt.Sprint(99-i)))
				}
			}
			full := whole.Apply(start, c)
			want = append(want, full.Events.Deals()...)
			answer := full.Result
			out := sliced.Apply(start, c)
			deals = append(deals, out.Events.Deals()...)
			work := out.Work
			if work == 0 || len(deals) != 7 {
				t.Fatalf("work %d after %d deals", work, len(deals))
			}
			busy(t, sliced, limit(101, 1, schema.Sell, "1", "90"))
			for sliced.Busy() {
				sliced = restored(t, sliced)
				out := sliced.Apply(start, &schema.Continue{})
				deals = append(deals, out.Events.Deals()...)
				if err := sliced.Verify(); err != nil {
					t.Fatal(err)
				}
				if out.Finished == work && !reflect.DeepEqual(out.Result, answer) {
					t.Errorf("the answer:\n got %+v\nwant %+v", out.Result, answer)
				}
			}
			if !reflect.DeepEqual(deals, want) {
				t.Errorf("deals:\n got %+v\nwant %+v", deals, want)
			}
			for asset := schema.AssetID(1); asset <= 2; asset++ {
				a, f, _ := sliced.Balance(102, schema.Trade, asset)
				b, g, _ := whole.Balance(102, schema.Trade, asset)
				if a != b || f != g {
					t.Errorf("asset %d: %s and %s frozen instead of %s and %s", asset, a, f, b, g)
				}
			}
		})
	}
}

// TestSweepSaysOnceWhatItChanged: what a fill adds to the events of a sweep is its deal, its maker's
// order and the two balances of its maker; the taker's and those of the fees stand there once.
func TestSweepSaysOnceWhatItChanged(t *testing.T) {
	const makers = 40
	m := crowd(t, makers+1, 1000)
	for i := range makers {
		apply(t, m, start, limit(schema.FirstCustomer+1+schema.AccountID(i), 1, schema.Sell, "1", "100"))
	}
	out := m.Apply(start, limit(schema.FirstCustomer, 1, schema.Buy, "40", "100"))
	counts := map[string]int{}
	balances := map[schema.AccountID]int{}
	for event := range out.Events.All() {
		counts[fmt.Sprintf("%T", event)]++
		if b, is := event.(*schema.BalanceChanged); is {
			balances[b.Account]++
		}
	}
	want := map[string]int{
		"*schema.Deal": makers, "*schema.OrderChanged": makers + 1, "*schema.BalanceChanged": 2*makers + 2, "*schema.LevelChanged": 1,
	}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("events %v, want %v", counts, want)
	}
	for account, n := range balances {
		if n != 2 {
			t.Errorf("%d events about the balances of account %d", n, account)
		}
	}
}

// restored is a machine made from the snapshot of another, with the same slice.
func restored(t *testing.T, m *Machine) *Machine {
	t.Helper()
	again, err := Restore(m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	again.features.Slice = m.features.Slice
	return again
}

func TestMoneyOfASuspendedTakerStays(t *testing.T) {
	m := crowd(t, 2, 5)
	for i := range 20 {
		apply(t, m, start, limit(101, 1, schema.Sell, "1", fmt.Sprint(100+i)))
	}
	m.Apply(start, &schema.PlaceOrder{Account: 102, Order: schema.OrderRequest{Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: d("20"), Price: d("200")}})
	// 5 were bought for 510; 15 at 200 each are still to be paid.
	available, frozen, _ := m.Balance(102, schema.Trade, 2)
	if available != d("96490") || frozen != d("3000") {
		t.Errorf("%s is available and %s frozen", available, frozen)
	}
	out := m.Apply(start, &schema.Transfer{Account: 102, Asset: 2, Amount: d("96491"), From: schema.Trade, To: schema.Main})
	if out.Result.Rejection.Reason != schema.MoveNotCovered {
		t.Errorf("money of the taker left: %+v", out.Result.Rejection)
	}
	complete(t, m, 0)
}

func TestStopsWakeUpInSlices(t *testing.T) {
	m := crowd(t, 3, 10)
	apply(t, m, start, limit(101, 1, schema.Sell, "1", "100"), limit(102, 1, schema.Buy, "1", "100"))
	for i := range 30 {
		apply(t, m, start, &schema.PlaceOrder{Account: 101, Order: schema.OrderRequest{
			Market: 1, Type: schema.StopLimit, Side: schema.Buy, Amount: d("1"), Price: d("50"), ActivationPrice: d(fmt.Sprint(200 - i)),
		}})
	}
	apply(t, m, start, limit(102, 1, schema.Sell, "1", "300"))
	out := m.Apply(start, limit(103, 1, schema.Buy, "1", "300"))
	if out.Work == 0 || len(out.Events.Deals()) != 1 {
		t.Fatalf("work %d, %d deals", out.Work, len(out.Events.Deals()))
	}
	// The nearest activation price goes first.
	var woken []string
	for m.Busy() {
		for e := range m.Apply(start, &schema.Continue{}).Events.All() {
			if c, is := e.(*schema.OrderChanged); is && c.Change == schema.Activated {
				woken = append(woken, c.Order.ActivationPrice.String())
			}
		}
	}
	// The first slice had the fill and nine stops.
	if len(woken) != 21 || woken[0] != "180" || woken[20] != "200" {
		t.Errorf("woken: %v", woken)
	}
}

func TestMarketClosesInSlices(t *testing.T) {
	m := crowd(t, 2, 10)
	for i := range 25 {
		apply(t, m, start, limit(101, 1, schema.Sell, "1", fmt.Sprint(100+i)), limit(101, 2, schema.Sell, "1", fmt.Sprint(100+i)))
	}
	begin := start + schema.Second
	apply(t, m, start, &schema.PlanMaintenance{Market: 1, From: begin, To: begin + schema.Second}, &schema.PlanDelisting{Market: 2, At: begin})
	apply(t, m, begin, &schema.Tick{})
	if !m.Listing().Market(1).InMaintenance || !m.Listing().Market(2).Delisted || m.Trading().Count(1) != 15 {
		t.Errorf("%+v", m.Listing().Market(1))
	}
	busy(t, m, &schema.PlanMaintenance{Market: 1})
	// Its end is due too, and waits until the orders are gone.
	apply(t, m, begin+schema.Second, &schema.Tick{})
	if !m.Listing().Market(1).InMaintenance {
		t.Error("the maintenance ended before all orders did")
	}
	if _, slices := complete(t, m, 0); slices != 5 {
		t.Errorf("%d slices for 40 orders", slices)
	}
	apply(t, m, begin+schema.Second+1, &schema.Tick{})
	if m.Listing().Market(1).InMaintenance || m.Trading().Count(1)+m.Trading().Count(2) != 0 {
		t.Error("the maintenance did not end")
	}
}

// TestKillSwitchesFireInSlices: orders whose kill switch is due do not trade, although it has not
// fired yet.
func TestKillSwitchesFireInSlices(t *testing.T) {
	m := crowd(t, 30, 4)
	for i := range 29 {
		account := schema.FirstCustomer + schema.AccountID(i)
		apply(t, m, start, limit(account, 1, schema.Sell, "1", fmt.Sprint(100+i)), &schema.SetKillSwitch{
			Account: account, Market: 1, Timeout: 5 * schema.Second, Products: schema.SpotOrders,
		})
	}
	now := start + 5*schema.Second
	apply(t, m, now, &schema.Tick{})
	if n := m.Trading().Count(1); n != 27 { // each takes a unit to fire and one for its order
		t.Fatalf("%d orders are left", n)
	}
	busy(t, m, limit(129, 1, schema.Sell, "1", "50")) // its kill switch is due
	out := m.Apply(now, limit(130, 1, schema.Buy, "10", "200"))
	if len(out.Events.Deals()) != 0 {
		t.Errorf("traded with orders that are to end: %+v", out.Events.Deals())
	}
	complete(t, m, 0)
	if n := m.Trading().Count(1); n != 1 || m.Trading().CountOf(130, 1) != 1 || len(m.Trading().KillSwitches()) != 0 {
		t.Errorf("%d orders and %d kill switches are left", n, len(m.Trading().KillSwitches()))
	}
}

func TestBulkGoesInSlices(t *testing.T) {
	m := crowd(t, 2, 6)
	for i := range 10 {
		apply(t, m, start, limit(101, 1, schema.Sell, "1", fmt.Sprint(100+i)), limit(101, 2, schema.Sell, "1", fmt.Sprint(100+i)))
	}
	c := &schema.PlaceBulk{Account: 102}
	for _, market := range []schema.MarketID{1, 9, 2, 1} {
		r := limit(102, market, schema.Buy, "10", "150").Order
		c.Orders = append(c.Orders, r)
	}
	work := m.Apply(start, c).Work
	busy(t, m, limit(101, 2, schema.Sell, "1", "90")) // the bulk gets there later
	answer, _ := complete(t, m, work)
	if len(answer.Items) != 4 {
		t.Fatalf("%d answers", len(answer.Items))
	}
	for i, want := range []struct {
		status schema.Status
		reason schema.Reason
	}{{schema.Filled, schema.OK}, {0, schema.MarketUnavailable}, {schema.Filled, schema.OK}, {schema.Open, schema.OK}} {
		if got := answer.Items[i]; got.Order.Status != want.status || got.Rejection.Reason != want.reason {
			t.Errorf("item %d: %+v", i, got)
		}
	}
}

func TestBusyCommandKeepsItsNonce(t *testing.T) {
	m := crowd(t, 2, 2)
	apply(t, m, start, &schema.SetKey{Key: schema.Key{Key: "k", Account: 102, Sealed: []byte("s"), Enabled: true}})
	for i := range 5 {
		apply(t, m, start, limit(101, 1, schema.Sell, "1", fmt.Sprint(100+i)))
	}
	m.Apply(start, &schema.CancelAll{Account: 101})
	from := schema.Origin{Key: 1, Nonce: 7}
	if r := m.ApplyFrom(start, from, limit(102, 1, schema.Buy, "1", "90")).Result.Rejection; r.Reason != schema.MarketBusy {
		t.Fatal(r.Text())
	}
	complete(t, m, 0)
	if r := m.ApplyFrom(start, from, limit(102, 1, schema.Buy, "1", "90")).Result.Rejection; r.Refused() {
		t.Error(r.Text())
	}
}

func TestOpenOrdersOfAnAccountAreLimited(t *testing.T) {
	m := crowd(t, 2, 100)
	info := *m.Listing().Market(1)
	info.MaxOrders = 3
	apply(t, m, start, &schema.SetMarket{Market: info})
	apply(t, m, start, limit(101, 1, schema.Sell, "1", "100"), limit(102, 1, schema.Buy, "1", "100"))
	for i := range 3 {
		apply(t, m, start, limit(101, 1, schema.Sell, "1", fmt.Sprint(100+i)))
	}
	want := schema.Rejection{Reason: schema.TooManyOrders, Value: fixed.FromInt(3)}
	ioc, stop := limit(101, 1, schema.Sell, "1", "200"), limit(101, 1, schema.Sell, "1", "50")
	ioc.Order.IOC = true
	stop.Order.Type, stop.Order.ActivationPrice = schema.StopLimit, d("70")
	for _, c := range []*schema.PlaceOrder{limit(101, 1, schema.Sell, "1", "200"), stop} {
		if got := m.Apply(start, c).Result.Rejection; got != want {
			t.Errorf("%s: %+v", c.Order.Type, got)
		}
	}
	apply(t, m, start, ioc, limit(101, 2, schema.Sell, "1", "200"), limit(102, 1, schema.Sell, "1", "200"))
	modify := &schema.ModifyOrder{Account: 101, Order: schema.OrderRef{Market: 1, ID: 3}, Price: schema.Some(d("150"))}
	apply(t, m, start, modify)
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	info.MaxOrders = schema.HighestMaxOrders + 1
	if r := m.Apply(start, &schema.SetMarket{Market: info}).Result.Rejection; r.Reason != schema.OrdersLimitInvalid {
		t.Error(r.Text())
	}
}
