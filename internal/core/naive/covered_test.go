package naive

import (
	"testing"

	"bourse/internal/schema"
)

func TestOrdersOfTheWrongWallet(t *testing.T) {
	w := newTraders(t)
	w.refused(because(schema.CollateralOnly), order1(ben, limit(0, "1", "50000"))) // before the words
	wrong := bid("1", "50000")
	wrong.Market, wrong.Side = btcUSDT, 0
	w.refused(because(schema.CollateralUnavailable), &schema.PlaceOrder{Account: ben, Order: wrong})
	wrong.Market = 9
	w.refused(because(schema.MarketUnavailable), &schema.PlaceOrder{Account: ben, Order: wrong})
}

func TestWordsOfOrdersOnFutures(t *testing.T) {
	w := newTraders(t)
	for _, c := range []struct {
		name   string
		change func(*schema.OrderRequest)
		want   schema.Reason
	}{
		{"market", func(r *schema.OrderRequest) { r.Type = schema.Market }, schema.TypeInvalid},
		{"stop market", func(r *schema.OrderRequest) { r.Type = schema.StopMarket }, schema.TypeInvalid},
		{"retail", func(r *schema.OrderRequest) { r.Retail = true }, schema.FlagNotAllowed},
		{"at the best price of an empty book", func(r *schema.OrderRequest) { r.BBO = schema.BBOQueue }, schema.BBOEmpty},
		{"too little", func(r *schema.OrderRequest) { r.Amount = d("0.0001") }, schema.AmountTooPrecise},
		{"below the band", func(r *schema.OrderRequest) { r.Price = d("44999.99") }, schema.PriceOutOfBand},
		{"above the band", func(r *schema.OrderRequest) { r.Price = d("55000.01") }, schema.PriceOutOfBand},
		{"at the end of the band", func(r *schema.OrderRequest) { r.Price = d("45000") }, schema.OK},
		{"a side in one-way mode", func(r *schema.OrderRequest) { r.PositionSide = schema.ShortSide }, schema.OK},
		{"nothing to reduce", func(r *schema.OrderRequest) { r.ReduceOnly = true }, schema.ReduceOnlyNothing},
		{"nothing to reduce, before the band", func(r *schema.OrderRequest) {
			r.ReduceOnly, r.Price = true, d("44999.99")
		}, schema.ReduceOnlyNothing},
	} {
		r := bid("0.01", "50000")
		c.change(&r)
		if got := w.apply(order1(ben, r)); got.Rejection.Reason != c.want {
			t.Errorf("%s: %d %q", c.name, got.Rejection.Reason, got.Rejection.Text())
		} else if c.want == schema.OK && (!got.Order.Collateral || got.Order.PositionSide != schema.BothSides) {
			t.Errorf("%s: %+v", c.name, got.Order)
		}
	}
	european := schema.Origin{Region: schema.EU}
	w.time++
	if got := w.Exchange.Apply(w.time, european, order1(ben, atMarket(schema.Buy, "0.01"))).Result.Rejection; got.Reason != schema.OrderTypeUnavailable {
		t.Errorf("at the European deployment: %q", got.Text())
	}
}

func TestFutureWithoutAMark(t *testing.T) {
	w := newTraders(t)
	eth := btcPerp()
	eth.Name, eth.Base = "ETH_PERP", 3
	id := schema.MarketID(w.must(&schema.SetMarket{Market: eth}).ID)
	r := bid("0.01", "3000")
	r.Market = id
	w.refused(because(schema.PriceUnknown), &schema.PlaceOrder{Account: ben, Order: r})
	w.index(id, 0, "3000")
	w.must(&schema.PlaceOrder{Account: ben, Order: r})
	w.tick(w.time + 30*second) // stale
	w.refused(because(schema.PriceUnknown), &schema.PlaceOrder{Account: ben, Order: r})
	r.Side, r.Price = schema.Sell, d("3100") // binds nothing more
	w.must(&schema.PlaceOrder{Account: ben, Order: r})
}

// TestPlacementIsCovered: margin and fee must be there, as far as an order binds more.
func TestPlacementIsCovered(t *testing.T) {
	w := newTraders(t)
	w.must(out(ben, usdt, "90000"))
	w.refused(because(schema.NotEnoughBalance), order1(ben, bid("1.991", "50000"))) // 9955 and 49.775
	first := w.place(ben, bid("1.99", "50000"))                                     // 9950 and 49.75
	w.refused(because(schema.NotEnoughBalance), order1(ben, bid("0.01", "45000")))
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("50")}, out(ben, usdt, "51"))
	w.place(ben, ask("1.99", "50001")) // binds nothing more, and nothing for its fee is asked
	w.refused(because(schema.NotEnoughBalance), &schema.ModifyOrder{Account: ben, Order: schema.OrderRef{Market: perp, ID: first.ID}, Amount: schema.Some(d("1.991"))})
	if changed := w.must(&schema.ModifyOrder{Account: ben, Order: schema.OrderRef{Market: perp, ID: first.ID}, Price: schema.Some(d("49999"))}).Order; !changed.Collateral {
		t.Errorf("%+v", changed)
	}
	w.must(&schema.CancelAll{Account: ben, Products: schema.SpotOrders | schema.MarginOrders})
	if len(w.Orders(perp)) != 2 {
		t.Errorf("open: %+v", w.Orders(perp))
	}
	w.must(&schema.CancelAll{Account: ben, Products: schema.FuturesOrders})
	w.must(out(ben, usdt, "10000"))
	w.holds()
}

// TestOpenLossOfOrders: what an order loses at once counts from its placement on.
func TestOpenLossOfOrders(t *testing.T) {
	w := newTraders(t)
	w.place(ben, bid("1", "50100"))
	w.place(ben, bid("1", "49000"))
	same(t, "margin", w.margins.portfolio(ben).margin(), "10100") // 100000 at 10, and 100
	w.index(perp, 0, "49000")
	same(t, "margin below", w.margins.portfolio(ben).margin(), "10900") // the second was not worse
	w.index(perp, 0, "50200")
	same(t, "margin above", w.margins.portfolio(ben).margin(), "10040")
	w.index(perp, 0, "50000")
	w.place(carl, ask("1", "49900"))
	same(t, "margin of a sale that was dealt at 50100", w.margins.portfolio(carl).margin(), "5000")
}

// TestReachOfASeat: positions with the orders that add to them.
func TestReachOfASeat(t *testing.T) {
	w := newTraders(t)
	reach := func(want string) {
		t.Helper()
		p := w.margins.portfolio(ben)
		same(t, "W", p.seat(perp).reach(p.hedge), want)
	}
	w.cross(carl, ben, bid("1", "50000"))
	w.place(ben, bid("0.5", "49000"))
	w.place(ben, ask("3", "51000"))
	reach("2")
	o := w.place(ben, reducing(ask("0.4", "51000")))
	reach("2.4")
	w.must(&schema.ModifyOrder{Account: ben, Order: schema.OrderRef{Market: perp, ID: o.ID}, Amount: schema.Some(d("5"))})
	reach("3") // cut to the position
	w.holds()
}

// TestMarketOrderIsCovered: it is worth what the book takes of it.
func TestMarketOrderIsCovered(t *testing.T) {
	w := newTraders(t)
	listed := btcPerp()
	listed.TakerBand = d("2")
	w.must(&schema.SetMarket{Market: listed})
	w.must(&schema.SetFeature{Feature: schema.BoundedWork, On: true}) // nothing is asked of the trade wallet
	w.must(out(ben, usdt, "90000"))
	w.refused(because(schema.NotEnoughBalance), order1(ben, atMarket(schema.Buy, "1.991"))) // nothing is there: as at the mark
	w.order(w.place(ben, atMarket(schema.Buy, "1.99")), schema.Canceled, "1.99", "0", "0", "0")
	for _, price := range []string{"50500", "51000", "51000.01"} {
		w.place(carl, ask("1", price))
	}
	// The band is from the mark: 1.742 bind 8710 and are dealt for 88342, which loses 1242 and costs 44.171.
	w.refused(because(schema.NotEnoughBalance), order1(ben, atMarket(schema.Buy, "1.743"))) // 8715, 1243 and 44.1965
	w.order(w.place(ben, atMarket(schema.Buy, "1.742")), schema.Filled, "0", "1.742", "88342", "44.171")
	w.positions(ben, "1.742", "88342")
	w.holds()
}

func TestBoundsOfAFuture(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("0.5", "50000"))
	set := func(position, pending, interest string) {
		listed := btcPerp()
		listed.MaxPosition, listed.MaxPending, listed.MaxOpenInterest = d(position), d(pending), d(interest)
		w.must(&schema.SetMarket{Market: listed})
	}
	set("50000", "0", "0")
	w.refused(because(schema.PositionTooBig), order1(ben, bid("0.501", "45000")))
	o := w.place(ben, bid("0.5", "45000"))
	w.refused(because(schema.PositionTooBig), order1(ben, bid("0.001", "45000")))
	w.must(&schema.ModifyOrder{Account: ben, Order: schema.OrderRef{Market: perp, ID: o.ID}, Price: schema.Some(d("46000"))})
	set("0", "73000", "0") // 23000 are pending
	w.refused(because(schema.PendingTooBig), order1(ben, ask("1.001", "50000")))
	w.place(ben, ask("1", "50000"))
	w.place(ben, reducing(ask("0.5", "51000"))) // not asked, but it counts
	w.refused(because(schema.PendingTooBig), order1(ben, bid("0.001", "45000")))
	w.must(&schema.CancelAll{Account: ben})
	set("0", "0", "30000") // 25000 are open
	w.refused(because(schema.PositionTooBig), order1(ben, bid("0.101", "45000")))
	w.place(ben, bid("0.1", "45000"))
	w.place(ben, ask("1", "51000")) // up to as much as the position
	w.refused(because(schema.PositionTooBig), order1(ben, ask("0.201", "51000")))
	w.holds()
}

func TestLeverageAndHedgeMode(t *testing.T) {
	w := newTraders(t)
	lever := func(a schema.AccountID, leverage uint8) *schema.SetLeverage {
		return &schema.SetLeverage{Account: a, Leverage: leverage}
	}
	hedge := func(on bool) *schema.SetHedgeMode { return &schema.SetHedgeMode{Account: anna, On: on} }
	if m := w.Margin(ben); m.Leverage != 10 || m.Hedge {
		t.Errorf("%+v", m)
	}
	w.refused(because(schema.AccountUnknown), lever(99, 10))
	w.refused(schema.Rejection{Reason: schema.LeverageInvalid, Value: d("100")}, lever(anna, 4))
	w.must(lever(anna, 100))
	w.happened("margin of 101: 100 false")
	w.must(hedge(true))
	w.happened("margin of 101: 100 true")
	w.must(hedge(true))
	w.happened("margin of 101: 100 true")
	w.must(hedge(false))
	w.must(&schema.SetAccount{Account: schema.Account{ID: carl, Name: "carl", Region: schema.Global, MaxLeverage: 20}})
	w.refused(schema.Rejection{Reason: schema.LeverageInvalid, Value: d("20")}, lever(carl, 50))
	w.must(lever(carl, 20))

	w.cross(ben, anna, bid("1", "50000"))
	w.refused(because(schema.HedgeModeInUse), hedge(true))
	w.must(hedge(false))
	w.refused(because(schema.LeverageNotCovered), lever(anna, 50)) // 1000 of 975
	w.must(lever(anna, 100))
	listed := btcPerp()
	listed.MaxLeverage = 50
	w.must(&schema.SetMarket{Market: listed})
	w.refused(schema.Rejection{Reason: schema.LeverageInvalid, Value: d("50")}, lever(anna, 100))
	w.place(carl, bid("0.001", "45000"))
	w.refused(schema.Rejection{Reason: schema.LeverageInvalid, Value: d("20")}, lever(carl, 100))
	w.holds()
}
