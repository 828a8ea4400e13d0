package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// trail is the list of events about orders of an outcome: who, what happened, why, and what the order is then.
func trail(out *schema.Outcome) (lines []string) {
	for e := range out.Events.All() {
		c, is := e.(*schema.OrderChanged)
		if !is {
			continue
		}
		o := &c.Order
		line := fmt.Sprintf("%d %s %s: %s %s %s of %s", o.ID, c.Change, c.Cause, o.Status, o.Side, o.Left, o.Amount)
		if o.Role != schema.NoRole {
			line += fmt.Sprintf(", %s of %d", o.Role, o.Group)
		}
		lines = append(lines, line)
	}
	return lines
}

// leaves applies a command that must be accepted and compares what happens to orders.
func (f *venue) leaves(c schema.Command, want ...string) *schema.Outcome {
	f.Helper()
	out := f.do(c)
	if got := trail(out); !slices.Equal(got, want) {
		f.Errorf("%T:\n%s\nwant:\n%s", c, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return out
}

// bench is a venue with two traders, alice and bob, who made a deal of 1 at 50000: bob bought, and alice sold.
type bench struct {
	*venue
	alice, bob schema.AccountID
}

func newBench(t testing.TB, edit func(*schema.MarketInfo)) *bench {
	f := newVenue(t, edit)
	p := &bench{f, f.trader("alice", "1000000", 20), f.trader("bob", "1000000", 20)}
	f.trade(p.bob, p.alice, "1", "50000") // orders 1 and 2
	return p
}

// oco is one that takes a profit of a long at 51000 and stops its loss at 49000.
func oco(id schema.AccountID) *schema.PlaceOCO {
	return &schema.PlaceOCO{
		Account: id, Market: perp, Side: schema.Sell, Amount: d("1"), Price: d("51000"), ActivationPrice: d("49000"), StopPrice: d("48900"),
	}
}

func TestAnOCOHasTwoOrders(t *testing.T) {
	f := newBench(t, nil)
	c := oco(f.bob)
	c.LimitClientID, c.StopClientID = clientID(t, "up"), clientID(t, "down")
	out := f.leaves(c,
		"4 opened request: OPEN sell 1 of 1, limit leg of 3",
		"5 opened request: OPEN sell 1 of 1, stop leg of 3")
	r := out.Result
	if r.ID != 3 || len(r.Items) != 2 || r.Items[0].Order.ID != 4 || r.Items[1].Order.ID != 5 || r.Items[1].Order.ActivationPrice != d("49000") {
		t.Errorf("the answer is %+v", r)
	}
	f.refused(&schema.CancelOrder{Account: f.bob, Order: schema.OrderRef{Market: perp, ID: 4}}, schema.CancelOfGroup)
	f.refused(&schema.ModifyOrder{Account: f.bob, Order: schema.OrderRef{Market: perp, ClientID: clientID(t, "down")}, Amount: schema.Some(d("0.5"))}, schema.ModifyOfGroup)
	out = f.do(&schema.CancelBulk{Account: f.bob, Orders: []schema.OrderRef{{Market: perp, ID: 5}}})
	if why := out.Result.Items[0].Rejection.Reason; why != schema.CancelOfGroup {
		t.Errorf("one of many: %s", why)
	}
	f.refused(&schema.CancelGroup{Account: f.alice, Market: perp, Group: 3}, schema.OrderNotFound)
	f.refused(&schema.CancelGroup{Account: f.bob, Market: perp, Group: 4}, schema.OrderNotFound)
	f.refused(&schema.CancelGroup{Account: f.bob, Market: perp, Group: 3, GroupKind: schema.OTO}, schema.OrderNotFound)
	f.refused(&schema.CancelGroup{Account: f.bob, Market: perp, Group: 3, ClientID: clientID(t, "up")}, schema.OrderRefInvalid)
	f.refused(&schema.CancelGroup{Account: f.bob, Market: perp}, schema.OrderRefInvalid)
	f.refused(&schema.CancelGroup{Account: f.bob, Market: perp, Group: 3, GroupKind: 3}, schema.GroupKindInvalid)
	f.refused(&schema.CancelGroup{Account: f.bob, Market: 9, Group: 3}, schema.MarketUnavailable)
	out = f.leaves(&schema.CancelGroup{Account: f.bob, Market: perp, ClientID: clientID(t, "down"), GroupKind: schema.OCO},
		"4 closed request: CANCELED sell 1 of 1, limit leg of 3",
		"5 closed request: CANCELED sell 1 of 1, stop leg of 3")
	if r := out.Result; r.ID != 3 || len(r.Items) != 2 || r.Items[0].Order.ID != 4 || r.Items[1].Order.Status != schema.Canceled {
		t.Errorf("the answer is %+v", r)
	}
	f.refused(&schema.CancelGroup{Account: f.bob, Market: perp, Group: 3}, schema.OrderNotFound)
	f.agrees()
}

// TestTheFirstFillOfAnOCODecides: a part of the limit order is bought, and the stop is gone; what is left rests alone.
func TestTheFirstFillOfAnOCODecides(t *testing.T) {
	f := newBench(t, nil)
	f.do(oco(f.bob))
	f.leaves(bet(f.alice, schema.Buy, "0.4", "51000"),
		"5 closed group: CANCELED sell 1 of 1, stop leg of 3",
		"4 updated trade: PARTIALLY_FILLED sell 0.6 of 1",
		"6 closed trade: FILLED buy 0 of 0.4")
	f.leaves(bet(f.alice, schema.Buy, "0.6", "51000"),
		"4 closed trade: FILLED sell 0 of 1",
		"7 closed trade: FILLED buy 0 of 0.6")

	f.do(bet(f.bob, schema.Buy, "1", "50900")) // bob has 0 now, and 1 again below
	f.do(bet(f.alice, schema.Sell, "1", ""))
	c := oco(f.bob) // 10, 11, 12
	f.leaves(c,
		"11 opened request: OPEN sell 1 of 1, limit leg of 10",
		"12 opened request: OPEN sell 1 of 1, stop leg of 10")
	f.leaves(bet(f.alice, schema.Buy, "2", "51000"),
		"12 closed group: CANCELED sell 1 of 1, stop leg of 10",
		"11 closed trade: FILLED sell 0 of 1",
		"13 opened request: PARTIALLY_FILLED buy 1 of 2")
	f.agrees()
}

// TestAStopOfAnOCOThatWakesUpLivesBesideTheLimit: only its first fill ends the other, whether it takes or is taken.
func TestAStopOfAnOCOThatWakesUpLivesBesideTheLimit(t *testing.T) {
	f := newBench(t, nil)
	f.do(oco(f.bob))                               // 3, 4, 5
	f.do(bet(f.alice, schema.Buy, "0.1", "48950")) // 6
	carol := f.trader("carol", "100000", 10)
	f.do(bet(carol, schema.Buy, "0.1", "49000")) // 7
	f.leaves(bet(carol, schema.Sell, "0.1", "49000"),
		"7 closed trade: FILLED buy 0 of 0.1",
		"8 closed trade: FILLED sell 0 of 0.1",
		"5 activated trigger: OPEN sell 1 of 1, stop leg of 3",
		"6 closed trade: FILLED buy 0 of 0.1",
		"4 closed group: CANCELED sell 1 of 1, limit leg of 3",
		"5 opened request: PARTIALLY_FILLED sell 0.9 of 1")
	f.agrees()

	f = newBench(t, nil)
	f.do(oco(f.bob))
	carol = f.trader("carol", "100000", 10)
	f.do(bet(carol, schema.Buy, "0.1", "49000"))
	f.leaves(bet(carol, schema.Sell, "0.1", "49000"),
		"6 closed trade: FILLED buy 0 of 0.1",
		"7 closed trade: FILLED sell 0 of 0.1",
		"5 activated trigger: OPEN sell 1 of 1, stop leg of 3",
		"5 opened request: OPEN sell 1 of 1, stop leg of 3")
	f.leaves(bet(f.alice, schema.Buy, "0.1", "48900"),
		"4 closed group: CANCELED sell 1 of 1, limit leg of 3",
		"5 updated trade: PARTIALLY_FILLED sell 0.9 of 1",
		"8 closed trade: FILLED buy 0 of 0.1")
	f.agrees()
}

// TestOnlyTheDearerOrderOfAnOCOCounts: bob has no position and sells 1, at 50900 or at 49100. A sale below the mark costs the
// difference at once.
func TestOnlyTheDearerOrderOfAnOCOCounts(t *testing.T) {
	f := newBench(t, nil)
	carol := f.trader("carol", "10000", 20)
	margin := func(want string) {
		t.Helper()
		if got := f.m.Collateral().Summary(carol).Margin; got != d(want) {
			t.Errorf("the margin is %s, want %s", got, want)
		}
	}
	c := oco(carol)
	c.Amount, c.StopPrice = d("1.5"), d("49000")
	// 1.5 at 50000, of which 50000 at 20x and the rest at 10x: 2500 + 2500; and 1.5 × 1000 are lost.
	f.do(c)
	margin("6500")
	f.leaves(bet(f.alice, schema.Buy, "0.5", "51000"),
		"5 closed group: CANCELED sell 1.5 of 1.5, stop leg of 3",
		"4 updated trade: PARTIALLY_FILLED sell 1 of 1.5",
		"6 closed trade: FILLED buy 0 of 0.5")
	margin("5000")
	f.do(&schema.CancelAll{Account: carol})
	margin("1250")

	// The stop needs 1500 more than the limit order, and carol has not that much.
	f.give(carol, venueUSDT, "1")
	dave := f.trader("dave", "5900", 20)
	c.Account = dave
	f.refused(c, schema.StopNotCovered)
	c.Price, c.ActivationPrice, c.StopPrice = d("50100"), d("49990"), d("50200")
	c.Amount = d("2")
	f.refused(c, schema.LimitNotCovered)
	f.agrees()
}

// TestAnOCOIsCheckedWhole: what is wrong with either order refuses both.
func TestAnOCOIsCheckedWhole(t *testing.T) {
	f := newBench(t, func(m *schema.MarketInfo) { m.MaxOrders = 3 })
	for _, tt := range []struct {
		change func(*schema.PlaceOCO)
		why    schema.Reason
	}{
		{func(c *schema.PlaceOCO) { c.Market = 1 }, schema.CollateralUnavailable},
		{func(c *schema.PlaceOCO) { c.Market = 7 }, schema.MarketUnavailable},
		{func(c *schema.PlaceOCO) { c.Account = 99 }, schema.AccountUnknown},
		{func(c *schema.PlaceOCO) { c.Side = 3 }, schema.SideInvalid},
		{func(c *schema.PlaceOCO) { c.STP = 9 }, schema.STPInvalid},
		{func(c *schema.PlaceOCO) { c.LimitClientID, c.StopClientID = clientID(t, "a"), clientID(t, "a") }, schema.ClientIDsEqual},
		{func(c *schema.PlaceOCO) { c.Amount = d("0") }, schema.AmountNotPositive},
		{func(c *schema.PlaceOCO) { c.Price = d("0.001") }, schema.PriceTooPrecise},
		{func(c *schema.PlaceOCO) { c.Price = d("56000") }, schema.PriceOutOfBand},
		{func(c *schema.PlaceOCO) { c.StopPrice = d("0") }, schema.StopPriceNotPositive},
		{func(c *schema.PlaceOCO) { c.StopPrice = d("48900.001") }, schema.StopPriceTooPrecise},
		{func(c *schema.PlaceOCO) { c.StopPrice = d("92233720368547758.08") }, schema.StopPriceTooLarge},
		{func(c *schema.PlaceOCO) { c.StopPrice = d("44000") }, schema.StopPriceOutOfBand},
		{func(c *schema.PlaceOCO) { c.ActivationPrice = d("-1") }, schema.ActivationNotPositive},
		{func(c *schema.PlaceOCO) { c.ActivationPrice = d("50000") }, schema.StopActivationWrong},
		{func(c *schema.PlaceOCO) { c.ActivationPrice = d("50000.01") }, schema.StopActivationWrong},
		{func(c *schema.PlaceOCO) { c.Price = d("49500") }, schema.LimitWouldTake},
		{func(c *schema.PlaceOCO) { c.Side, c.ReduceOnly = schema.Buy, true }, schema.ReduceOnlyNothing},
		{func(c *schema.PlaceOCO) { c.Account = f.alice }, schema.TooManyOrders},
	} {
		if tt.why == schema.LimitWouldTake {
			f.do(bet(f.alice, schema.Buy, "0.1", "49500"))
			f.do(bet(f.alice, schema.Buy, "0.1", "49400"))
		}
		c := oco(f.bob)
		tt.change(c)
		f.refused(c, tt.why)
	}
	c := oco(f.bob)
	c.Amount, c.ReduceOnly = d("5"), true
	if items := f.do(c).Result.Items; items[0].Order.Amount != d("1") || items[1].Order.Amount != d("1") || !items[1].Order.ReduceOnly {
		t.Errorf("cut to the position: %+v", items)
	}
	f.agrees()
}

// TestAnEndOfOneOrderOfAnOCOIsTheEndOfBoth, however it comes.
func TestAnEndOfOneOrderOfAnOCOIsTheEndOfBoth(t *testing.T) {
	for _, tt := range []struct {
		by   func(*bench) schema.Command
		want string
	}{
		{func(f *bench) schema.Command { return &schema.CancelAll{Account: f.bob} }, "request: CANCELED"},
		{func(f *bench) schema.Command {
			c := bet(f.bob, schema.Buy, "0.1", "51000")
			c.Order.STP = schema.STPCancelOld
			return c
		}, "self-trade prevention: CANCELED_STP"},
		{func(f *bench) schema.Command {
			f.do(&schema.SetKillSwitch{Account: f.bob, Market: perp, Timeout: 5 * schema.Second})
			f.m.Apply(f.m.Time()+10*schema.Second, &schema.Continue{})
			return &schema.Tick{}
		}, "kill switch: CANCELED"},
		{func(f *bench) schema.Command {
			f.do(&schema.PlanMaintenance{Market: perp, From: f.m.Time() + 2*schema.Second, To: f.m.Time() + 100*schema.Second})
			return &schema.Tick{}
		}, "maintenance: MAINTENANCE"},
		{func(f *bench) schema.Command {
			f.do(&schema.PlanDelisting{Market: perp, At: f.m.Time() + 2*schema.Second})
			return &schema.Tick{}
		}, "delisting: CANCELED"},
	} {
		f := newBench(t, nil)
		f.do(oco(f.bob))
		got := trail(f.do(tt.by(f)))
		want := []string{"4 closed " + tt.want + " sell 1 of 1, limit leg of 3", "5 closed " + tt.want + " sell 1 of 1, stop leg of 3"}
		if len(got) < 2 || !slices.Equal(got[:2], want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if n := f.m.Trading().CountOf(f.bob, perp); n > 1 {
			t.Errorf("%d orders are left", n)
		}
	}
}

// protected is an order that opens a position and asks for what is to close it.
func protected(c *schema.PlaceOrder, takeProfit, stopLoss string) *schema.PlaceOrder {
	c.Order.TakeProfit, c.Order.StopLoss = d(takeProfit), d(stopLoss)
	return c
}

func TestWhatFollowsAPrimary(t *testing.T) {
	f := newBench(t, nil)
	carol := f.trader("carol", "100000", 20)
	out := f.leaves(protected(bet(carol, schema.Buy, "1", "49900"), "51000", "49000"), // 3, 4
		"4 opened request: OPEN buy 1 of 1, primary of 3")
	if o := out.Result.Order; o.TakeProfit != d("51000") || o.StopLoss != d("49000") || o.Group != 3 {
		t.Errorf("the answer is %+v", o)
	}
	f.refused(&schema.CancelOrder{Account: carol, Order: schema.OrderRef{Market: perp, ID: 4}}, schema.CancelOfGroup)
	f.refused(&schema.ModifyOrder{Account: carol, Order: schema.OrderRef{Market: perp, ID: 4}, Amount: schema.Some(d("0.5"))}, schema.ModifyOfGroup)
	f.leaves(bet(f.alice, schema.Sell, "0.4", "49900"),
		"4 updated trade: PARTIALLY_FILLED buy 0.6 of 1, primary of 3",
		"5 closed trade: FILLED sell 0 of 0.4")
	f.leaves(bet(f.alice, schema.Sell, "0.6", "49900"),
		"4 closed trade: FILLED buy 0 of 1, primary of 3",
		"6 closed trade: FILLED sell 0 of 0.6",
		"7 opened group: OPEN sell 1 of 1, take profit of 3",
		"8 opened group: OPEN sell 1 of 1, stop loss of 3")
	f.refused(&schema.ModifyOrder{Account: carol, Order: schema.OrderRef{Market: perp, ID: 7}, Amount: schema.Some(d("0.5"))}, schema.ModifyOfProtection)

	// The price rises to 51000 and the take profit sells; the stop loss goes with it.
	f.do(bet(f.bob, schema.Buy, "1", "50900")) // 9
	f.do(bet(f.alice, schema.Sell, "0.1", "51000"))
	f.leaves(bet(f.bob, schema.Buy, "0.1", "51000"),
		"10 closed trade: FILLED sell 0 of 0.1",
		"11 closed trade: FILLED buy 0 of 0.1",
		"7 activated trigger: OPEN sell 1 of 1, take profit of 3",
		"9 closed trade: FILLED buy 0 of 1",
		"7 closed trade: FILLED sell 0 of 1, take profit of 3",
		"8 closed group: CANCELED sell 1 of 1, stop loss of 3")
	f.agrees()
}

// TestAPrimaryThatFillsAtOnce, and whose stop loss the last price has already reached, is closed again in the same command.
func TestAPrimaryThatFillsAtOnce(t *testing.T) {
	f := newBench(t, nil)
	carol := f.trader("carol", "100000", 20)
	f.do(bet(f.alice, schema.Sell, "1", "50000")) // 3
	f.leaves(protected(bet(carol, schema.Buy, "1", ""), "51000", "0"),
		"3 closed trade: FILLED sell 0 of 1",
		"5 closed trade: FILLED buy 0 of 1, primary of 4",
		"6 opened group: OPEN sell 1 of 1, take profit of 4")
	f.do(&schema.CancelOrder{Account: carol, Order: schema.OrderRef{Market: perp, ID: 6}})

	f.do(bet(f.alice, schema.Buy, "1", "49000"))                              // 7
	f.do(protected(bet(carol, schema.Buy, "0.5", "49600"), "51000", "49500")) // 8, 9
	f.leaves(bet(f.bob, schema.Sell, "1", ""),
		"9 closed trade: FILLED buy 0 of 0.5, primary of 8",
		"7 updated trade: PARTIALLY_FILLED buy 0.5 of 1",
		"10 closed trade: FILLED sell 0 of 1",
		"11 opened group: OPEN sell 0.5 of 0.5, take profit of 8",
		"12 opened group: OPEN sell 0.5 of 0.5, stop loss of 8",
		"12 activated trigger: OPEN sell 0.5 of 0.5, stop loss of 8",
		"7 closed trade: FILLED buy 0 of 1",
		"12 closed trade: FILLED sell 0 of 0.5, stop loss of 8",
		"11 closed group: CANCELED sell 0.5 of 0.5, take profit of 8")
	f.agrees()
}

// TestAPrimaryThatEndsHalfFilled is followed by orders for that half, but for one that is canceled with all others.
func TestAPrimaryThatEndsHalfFilled(t *testing.T) {
	half := func() (*bench, schema.AccountID) {
		f := newBench(t, nil)
		carol := f.trader("carol", "100000", 20)
		f.do(protected(bet(carol, schema.Buy, "1", "49900"), "51000", "49000")) // 3, 4
		f.do(bet(f.alice, schema.Sell, "0.4", "49900"))                         // 5
		return f, carol
	}
	follow := []string{
		"6 opened group: OPEN sell 0.4 of 0.4, take profit of 3",
		"7 opened group: OPEN sell 0.4 of 0.4, stop loss of 3",
	}
	f, carol := half()
	out := f.leaves(&schema.CancelGroup{Account: carol, Market: perp, Group: 3},
		append([]string{"4 closed request: CANCELED buy 0.6 of 1, primary of 3"}, follow...)...)
	if items := out.Result.Items; len(items) != 1 || items[0].Order.ID != 4 {
		t.Errorf("the answer is %+v", items)
	}
	out = f.leaves(&schema.CancelGroup{Account: carol, Market: perp, Group: 3, GroupKind: schema.OTO},
		"6 closed request: CANCELED sell 0.4 of 0.4, take profit of 3",
		"7 closed request: CANCELED sell 0.4 of 0.4, stop loss of 3")
	if items := out.Result.Items; len(items) != 2 || items[0].Order.ID != 6 || items[1].Order.ID != 7 {
		t.Errorf("the answer is %+v", items)
	}
	f.agrees()

	f, carol = half()
	f.leaves(&schema.CancelAll{Account: carol}, "4 closed request: CANCELED buy 0.6 of 1, primary of 3")
	f.agrees()

	f, carol = half()
	f.do(&schema.SetKillSwitch{Account: carol, Market: perp, Timeout: 5 * schema.Second})
	for range 4 {
		f.do(&schema.Continue{})
	}
	f.leaves(&schema.Tick{}, append([]string{"4 closed kill switch: CANCELED buy 0.6 of 1, primary of 3"}, follow...)...)
	f.leaves(&schema.CancelAll{Account: carol},
		"6 closed request: CANCELED sell 0.4 of 0.4, take profit of 3",
		"7 closed request: CANCELED sell 0.4 of 0.4, stop loss of 3")
	f.agrees()

	f, _ = half()
	f.do(&schema.PlanMaintenance{Market: perp, From: f.m.Time() + 2*schema.Second, To: f.m.Time() + 100*schema.Second})
	f.leaves(&schema.Tick{}, "4 closed maintenance: MAINTENANCE buy 0.6 of 1, primary of 3")
	f.agrees()
}

// TestProtectionNeedsAnOrderThatOpens checks what an OTO is refused for.
func TestProtectionNeedsAnOrderThatOpens(t *testing.T) {
	f := newBench(t, nil)
	for _, tt := range []struct {
		change func(*schema.OrderRequest)
		why    schema.Reason
	}{
		{func(r *schema.OrderRequest) { r.Side, r.ReduceOnly = schema.Sell, true }, schema.ProtectionWithReduceOnly},
		{func(r *schema.OrderRequest) { r.TakeProfit = d("-1") }, schema.TakeProfitNotPositive},
		{func(r *schema.OrderRequest) { r.TakeProfit = d("51000.001") }, schema.TakeProfitTooPrecise},
		{func(r *schema.OrderRequest) { r.TakeProfit = d("92233720368547758.08") }, schema.TakeProfitTooLarge},
		{func(r *schema.OrderRequest) { r.TakeProfit = d("49900") }, schema.TakeProfitWrong},
		{func(r *schema.OrderRequest) { r.StopLoss = d("-1") }, schema.StopLossNotPositive},
		{func(r *schema.OrderRequest) { r.StopLoss = d("49000.001") }, schema.StopLossTooPrecise},
		{func(r *schema.OrderRequest) { r.StopLoss = d("92233720368547758.08") }, schema.StopLossTooLarge},
		{func(r *schema.OrderRequest) { r.StopLoss = d("49900") }, schema.StopLossWrong},
		{func(r *schema.OrderRequest) { r.Type, r.Price, r.StopLoss = schema.StockMarket, d("0"), d("50000") }, schema.StopLossWrong},
		{func(r *schema.OrderRequest) { r.Side = schema.Sell }, schema.TakeProfitWrong},
		{func(r *schema.OrderRequest) { r.Side, r.TakeProfit = schema.Sell, d("0") }, schema.StopLossWrong},
		{func(r *schema.OrderRequest) { r.Amount, r.TakeProfit = d("100000000"), d("90000000000000000") }, schema.TotalAboveMax},
	} {
		c := protected(bet(f.bob, schema.Buy, "1", "49900"), "51000", "49000")
		tt.change(&c.Order)
		f.refused(c, tt.why)
	}
	f.do(&schema.SetAccount{Account: schema.Account{Name: "rpi", Region: schema.Global, RPI: true}})
	rpi := f.m.Accounts().ByName("rpi").ID
	f.give(rpi, venueUSDT, "100000")
	c := protected(bet(rpi, schema.Buy, "1", "49900"), "51000", "49000")
	c.Order.RPI = true
	f.refused(c, schema.ProtectionWithRPI)
	hedger := f.trader("hedger", "100000", 20)
	f.do(&schema.SetHedgeMode{Account: hedger, On: true})
	c = protected(bet(hedger, schema.Buy, "1", "49900"), "51000", "49000")
	c.Order.PositionSide = schema.ShortSide
	f.refused(c, schema.ProtectionWithReduceOnly)
	f.agrees()
}

func guard(id schema.AccountID, takeProfit, stopLoss string) *schema.PlaceTPSL {
	return &schema.PlaceTPSL{Account: id, Market: perp, TakeProfit: d(takeProfit), StopLoss: d(stopLoss)}
}

// TestAWholePositionIsProtected: the orders have no amount before they wake up, and are as large as the position then.
func TestAWholePositionIsProtected(t *testing.T) {
	f := newBench(t, nil)
	out := f.leaves(guard(f.bob, "51000", "49000"),
		"3 opened request: OPEN sell 0 of 0, take profit of 0",
		"4 opened request: OPEN sell 0 of 0, stop loss of 0")
	if items := out.Result.Items; len(items) != 2 || items[0].Order.ID != 3 || items[1].Order.ActivationPrice != d("49000") || !items[1].Order.ReduceOnly {
		t.Errorf("the answer is %+v", items)
	}
	f.leaves(guard(f.bob, "50900", "0"),
		"3 closed modify: CANCELED sell 0 of 0, take profit of 0",
		"5 opened request: OPEN sell 0 of 0, take profit of 0")
	f.refused(&schema.ModifyOrder{Account: f.bob, Order: schema.OrderRef{Market: perp, ID: 4}, ActivationPrice: schema.Some(d("48000"))}, schema.ModifyOfProtection)
	f.refused(&schema.CancelGroup{Account: f.bob, Market: perp, Group: 5}, schema.OrderNotFound)
	f.trade(f.bob, f.alice, "0.5", "50000") // 6, 7: bob has 1.5

	f.do(bet(f.alice, schema.Buy, "2", "48950")) // 8
	f.do(bet(f.alice, schema.Buy, "0.1", "49000"))
	carol := f.trader("carol", "100000", 20)
	f.leaves(bet(carol, schema.Sell, "0.1", "49000"),
		"9 closed trade: FILLED buy 0 of 0.1",
		"10 closed trade: FILLED sell 0 of 0.1",
		"4 activated trigger: OPEN sell 1.5 of 1.5, stop loss of 0",
		"8 updated trade: PARTIALLY_FILLED buy 0.5 of 2",
		"4 closed trade: FILLED sell 0 of 1.5, stop loss of 0",
		"5 closed group: CANCELED sell 0 of 0, take profit of 0")
	f.agrees()
}

// TestProtectionEndsWithItsPosition: a position that is closed or turned around needs none.
func TestProtectionEndsWithItsPosition(t *testing.T) {
	f := newBench(t, nil)
	f.do(guard(f.bob, "51000", "49000"))         // 3, 4
	f.do(bet(f.alice, schema.Buy, "5", "50000")) // 5
	f.leaves(bet(f.bob, schema.Sell, "0.5", ""),
		"5 updated trade: PARTIALLY_FILLED buy 4.5 of 5",
		"6 closed trade: FILLED sell 0 of 0.5")
	f.leaves(bet(f.bob, schema.Sell, "1", ""),
		"5 updated trade: PARTIALLY_FILLED buy 3.5 of 5",
		"7 closed trade: FILLED sell 0 of 1",
		"3 closed reduce only: CANCELED sell 0 of 0, take profit of 0",
		"4 closed reduce only: CANCELED sell 0 of 0, stop loss of 0")
	f.refused(guard(f.bob, "51000", "49000"), schema.TakeProfitWrong) // bob is short
	f.do(guard(f.bob, "49000", "51000"))
	f.agrees()
}

// TestWhatProtectionIsRefusedFor in the order of the checks.
func TestWhatProtectionIsRefusedFor(t *testing.T) {
	f := newBench(t, func(m *schema.MarketInfo) { m.MaxOrders = 3 })
	carol := f.trader("carol", "100000", 20)
	for _, tt := range []struct {
		c   *schema.PlaceTPSL
		why schema.Reason
	}{
		{guard(99, "51000", "49000"), schema.AccountUnknown},
		{&schema.PlaceTPSL{Account: f.bob, Market: 7, TakeProfit: d("1")}, schema.MarketUnavailable},
		{&schema.PlaceTPSL{Account: f.bob, Market: 1, TakeProfit: d("1")}, schema.CollateralUnavailable},
		{&schema.PlaceTPSL{Account: f.bob, Market: perp, TakeProfit: d("1"), STP: 9}, schema.STPInvalid},
		{guard(f.bob, "0", "0"), schema.ProtectionMissing},
		{guard(carol, "51000", "49000"), schema.PositionMissing},
		{guard(f.bob, "-1", "49000"), schema.TakeProfitNotPositive},
		{guard(f.bob, "51000", "49000.001"), schema.StopLossTooPrecise},
		{guard(f.bob, "50000", "50000"), schema.TakeProfitWrong},
		{guard(f.bob, "51000", "50000"), schema.StopLossWrong},
		{guard(f.alice, "0", "50000"), schema.StopLossWrong},
	} {
		f.refused(tt.c, tt.why)
	}
	f.do(bet(f.bob, schema.Buy, "0.1", "49000"))
	f.do(bet(f.bob, schema.Buy, "0.1", "49000"))
	f.refused(guard(f.bob, "51000", "49000"), schema.TooManyOrders)
	f.do(guard(f.bob, "51000", "0"))
	f.do(guard(f.bob, "51100", "0"))
	f.refused(guard(f.bob, "0", "49000"), schema.TooManyOrders)
	f.agrees()
}

// TestAProtectedPositionCanBeClosedWholly: sells that close a position count as if they opened one, once something else may have closed it before.
func TestAProtectedPositionCanBeClosedWholly(t *testing.T) {
	f := newBench(t, nil)
	carol := f.trader("carol", "7000", 20)
	f.trade(carol, f.alice, "1", "50000") // 2500 of margin, 25 of fees
	f.do(bet(carol, schema.Sell, "2", "50000"))
	// 3 could be sold once the position is closed by the other: 50000 at 20x and 50000 at 10x are 7500, which is more than there is.
	f.refused(guard(carol, "51000", "49000"), schema.NotEnoughBalance)
	f.do(&schema.CancelAll{Account: carol})
	f.do(bet(carol, schema.Sell, "1", "50000"))
	f.do(guard(carol, "51000", "49000"))
	if got := f.m.Collateral().Summary(carol).Margin; got != d("2500") {
		t.Errorf("the margin is %s", got)
	}
	f.agrees()
}

// TestWhatFollowsAPrimaryIsBounded: a primary that is never open itself leaves orders that are, so that one who has as many open orders as
// they may have cannot place it. What follows a primary that was let in comes in any case.
func TestWhatFollowsAPrimaryIsBounded(t *testing.T) {
	f := newBench(t, func(m *schema.MarketInfo) { m.MaxOrders = 3 })
	carol := f.trader("carol", "100000", 20)
	f.do(bet(f.alice, schema.Sell, "5", "50000"))
	f.do(protected(bet(carol, schema.Buy, "0.1", ""), "51000", "49000"))
	f.do(protected(bet(carol, schema.Buy, "0.1", ""), "51000", "49000"))
	if n := f.m.Trading().CountOf(carol, perp); n != 4 {
		t.Errorf("%d orders are open, want the two of each", n)
	}
	f.refused(protected(bet(carol, schema.Buy, "0.1", ""), "51000", "49000"), schema.TooManyOrders)
	ioc := protected(bet(carol, schema.Buy, "0.1", "50000"), "51000", "49000")
	ioc.Order.IOC = true
	f.refused(ioc, schema.TooManyOrders)
	f.do(bet(carol, schema.Buy, "0.1", "")) // nothing follows it
	f.agrees()
}
