package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// newBobs is the exchange of newTraders where anna has 1 BTC long at 50000, sold by ben, and 975 USDT.
func newBobs(t *testing.T) *world {
	w := newTraders(t)
	w.cross(ben, anna, bid("1", "50000"))
	w.has(anna, usdt, "975", "0")
	return w
}

// risk compares the state of an account.
func (w *world) risk(a schema.AccountID, want schema.RiskState) {
	w.t.Helper()
	if got := w.Risk(a); got != want {
		w.t.Errorf("account %d is in %v, want %v", a, got, want)
	}
}

// since is what happened with the last command after its prices.
func (w *world) since(want ...string) {
	w.t.Helper()
	got := slices.DeleteFunc(w.listed(), func(s string) bool {
		return slices.Contains([]string{"*schema.IndexChanged", "*schema.AssetPriced", "*schema.MarkChanged"}, s)
	})
	if !slices.Equal(got, want) {
		w.t.Errorf("events:\n got %q\nwant %q", got, want)
	}
}

// TestBobIsLiquidated: a quarter at 49260 is enough.
func TestBobIsLiquidated(t *testing.T) {
	w := newBobs(t)
	w.place(carl, bid("2", "49260"))
	w.index(perp, 0, "49270")
	w.since(
		"risk of 101: liquidation, 245 of 246.35",
		"103 collateral of 2 by fee for 2: 99997.537 0",
		"2 main of 2 by fee for 2: 37.463 0",
		"position 3 of 103 BOTH: 0.25 for 12315, 0.25 at 49260 realized 0 fee 2.463",
		"101 collateral of 2 by realized PnL for 2: 790 0",
		"6 collateral of 2 by realized PnL for 2: 185 0",
		"101 collateral of 2 by fee for 2: 783.8425 0",
		"2 main of 2 by fee for 2: 43.6205 0",
		"position 2 of 101 BOTH: 0.75 for 37500, 0.25 at 49260 realized -185 fee 6.1575",
		"deal 2: 0.25 at 49260",
		"level buy 49260: 1.75",
		"order 3 updated by trade: PARTIALLY_FILLED left 1.75",
		"101 collateral of 2 by liquidation for 2: 759.2125 0",
		"3 main of 2 by liquidation for 2: 24.63 0",
		"order 4 closed by liquidation: FILLED left 0",
		"risk of 101: margin_call, 211.7125 of 184.7625",
	)
	forced := w.last.Events[len(w.last.Events)-2].(*schema.OrderChanged).Order
	if forced.ClientID.String() != "liquidation_4_!" || forced.Type != schema.StockMarket || forced.Side != schema.Sell ||
		!forced.IOC || forced.STP != schema.STPCancelOld || !forced.Collateral || !forced.ReduceOnly ||
		forced.PositionSide != schema.BothSides || forced.Price != d("0") || forced.Amount != d("0.25") {
		t.Errorf("%+v", forced)
	}
	if side := w.Deals()[0].Taker; side.ClientID != forced.ClientID || side.Order != forced.ID || side.Fee != d("6.1575") {
		t.Errorf("%+v", side)
	}
	w.risk(anna, schema.MarginCall)
	w.holds()
}

// TestLimitOfBob: bids at 49147.87 and above are taken, in two rounds, and below nothing is.
func TestLimitOfBob(t *testing.T) {
	w := newBobs(t)
	w.place(carl, bid("3", "49147.87"))
	w.index(perp, 0, "49270")
	var amounts []string
	for _, deal := range w.Deals() {
		amounts = append(amounts, deal.Amount.String(), deal.Price.String())
	}
	if want := []string{"0.25", "49147.87", "0.75", "49147.87"}; !slices.Equal(amounts, want) {
		t.Errorf("sold %v, want %v", amounts, want)
	}
	w.positions(anna)
	// 975 - 213.0325 - 6.143483 - 24.573935, then -639.0975 - 18.430451 - 73.721805: the fee is cut to 0.000325 less.
	w.has(anna, usdt, "0.000326", "0")
	w.risk(anna, schema.RiskNone)
	w.holds()

	w = newBobs(t)
	w.place(carl, bid("3", "49147.86"))
	w.index(perp, 0, "49270")
	if deals := w.Deals(); len(deals) != 1 || !deals[0].OffBook {
		t.Errorf("deals: %+v", deals)
	}
	w.holds()
}

// TestOnlyPublicOrdersAreTaken: a bid for retail customers alone is none.
func TestOnlyPublicOrdersAreTaken(t *testing.T) {
	w := newBobs(t)
	account := schema.Account{ID: carl, Name: "carl", Region: schema.Global, RPI: true}
	w.must(&schema.SetAccount{Account: account})
	rpi := bid("1", "49269")
	rpi.RPI = true
	w.place(carl, rpi)
	w.place(carl, bid("0.01", "49260"))
	w.index(perp, 0, "49270")
	if deals := w.Deals(); len(deals) != 2 || deals[0].Amount != d("0.01") || !deals[1].OffBook {
		t.Errorf("deals: %+v", deals)
	}
	if ids := w.ended(schema.PartiallyFilled); len(ids) != 1 {
		t.Errorf("ended: %v", ids)
	}
	w.holds()
}

// TestMakersNeedRoom: one without it ends in the way of the forced order, and so does one that can reduce nothing.
func TestMakersNeedRoom(t *testing.T) {
	w := newBobs(t)
	dora := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}}).ID)
	w.collateral(dora, usdt, "5100")
	poor := w.place(dora, bid("1", "49260"))
	w.must(&schema.SetFee{Account: dora, Market: perp, Maker: schema.Some(d("49"))})
	w.place(carl, bid("1", "49250"))
	w.LiquidationUnits = 3 // an order, a maker that ends, a fill
	w.index(perp, 0, "49270")
	if ids := w.ended(schema.Canceled); !slices.Equal(ids, []schema.OrderID{poor.ID}) {
		t.Errorf("ended: %v", ids)
	}
	if deals := w.Deals(); len(deals) != 1 || deals[0].Price != d("49250") {
		t.Errorf("deals: %+v", deals)
	}
	w.holds()
}

// TestStatesOfAnAccount: a call is taken back by the first tick of a minute alone, liquidation at once.
func TestStatesOfAnAccount(t *testing.T) {
	w := newBobs(t)
	w.index(perp, 0, "49395.48")
	w.since()
	w.index(perp, 0, "49395.45")
	w.since("risk of 101: margin_call, 370.45 of 246.97725")
	w.index(perp, 0, "49271.36")
	w.since() // it is called already
	w.index(perp, 0, "50000")
	w.since()
	w.tick(noon + 10*second) // the first tick that there is
	w.since("risk of 101: none, 975 of 250")
	w.index(perp, 0, "49395.45")
	w.index(perp, 0, "50000")
	w.tick(noon + minute - 1)
	w.since()
	w.tick(noon + minute)
	w.since("risk of 101: none, 975 of 250")
	w.risk(anna, schema.RiskNone)

	// One that waits in liquidation, and recovers by a price.
	w.must(&schema.PlanMaintenance{Market: perp, From: noon + 2*minute, To: noon + 20*minute})
	w.tick(noon + 2*minute)
	w.index(perp, 0, "49000")
	w.since("risk of 101: liquidation, -25 of 245")
	w.index(perp, 0, "49001")
	w.since()
	w.index(perp, 0, "49300")
	w.since("risk of 101: margin_call, 275 of 246.5")
	w.index(perp, 0, "49000")
	w.since("risk of 101: liquidation, -25 of 245")
	w.index(perp, 0, "50000")
	w.since("risk of 101: none, 975 of 250")
	w.holds()
}

// newPair is newTraders with dora, who has a leverage of 100 and 1000 USDT like anna.
func newPair(t *testing.T) (w *world, dora schema.AccountID) {
	w = newTraders(t)
	dora = schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}}).ID)
	w.collateral(dora, usdt, "1000")
	w.must(&schema.SetLeverage{Account: dora, Leverage: 100})
	return w, dora
}

// TestWorstFirst: states by id before anything is done, then the account that has the least of its margin.
func TestWorstFirst(t *testing.T) {
	w, dora := newPair(t)
	w.cross(ben, anna, bid("1", "50000"))
	w.cross(ben, dora, bid("1", "50000.01"))
	w.place(carl, bid("2", "49260"))
	w.index(perp, 0, "49270")
	var order []schema.AccountID
	for _, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.RiskChanged:
			order = append(order, e.Account)
		case *schema.Deal:
			order = append(order, e.Taker.Account)
		}
	}
	if want := []schema.AccountID{anna, dora, dora, dora, anna, anna}; !slices.Equal(order, want) {
		t.Errorf("the order was %v, want %v", order, want)
	}
	w.holds()
}

// TestUnits: with few of them a run ends early, the next is due at once, and goes on.
func TestUnits(t *testing.T) {
	for units, want := range map[int]struct {
		runs  int    // that it takes
		first string // is left after the first of them
	}{
		0:    {-1, "1"},
		1:    {-1, "1"},  // after two orders are canceled, each run makes one that meets nobody
		2:    {3, "1"},   // two orders are canceled; an order and a fill, which is enough; nothing
		3:    {3, "1"},   // the forced order meets nobody in the first run
		4:    {2, "0.9"}, // it meets a maker
		5:    {2, "0.8"},
		6:    {1, "0.75"},
		1000: {1, "0.75"},
	} {
		w := newBobs(t)
		w.tick(noon + second)
		w.place(anna, ask("0.001", "51000"))
		w.place(anna, ask("0.001", "52000"))
		for range 3 {
			w.place(carl, bid("0.1", "49260"))
		}
		w.LiquidationUnits = units
		w.index(perp, 0, "49270")
		if got := w.Positions()[1].Amount; got != d(want.first) {
			t.Errorf("%d units: %v is left, want %s", units, got, want.first)
		}
		runs := 1
		for ; runs < 10 && w.risks(); runs++ {
			next, running := w.NextTimer()
			if !running || next != w.lastTick+1 {
				t.Fatalf("%d units: the next timer is %v", units, next)
			}
			w.must(&schema.Tick{})
			w.holds()
		}
		if runs == 10 {
			runs = -1
		}
		if runs != want.runs {
			t.Errorf("%d units: %d runs, want %d", units, runs, want.runs)
		}
	}
}

// risks reports whether the last run has work left over.
func (w *world) risks() bool { return w.Exchange.risk.spent }

// TestRefusedIndexRunsNothing: what was left over waits for the next run.
func TestRefusedIndexRunsNothing(t *testing.T) {
	w := newBobs(t)
	w.LiquidationUnits = 0
	w.index(perp, 0, "25000")
	w.LiquidationUnits = 1000
	w.refused(because(schema.IndexSourceInvalid), &schema.SetIndex{Market: perp, Source: 9, Price: d("25000")})
	w.happened()
	w.risk(anna, schema.Liquidation)
	w.must(&schema.Tick{})
	w.risk(anna, schema.RiskNone)
}

// TestFirstTickOfAll takes a call back, whatever the minute.
func TestFirstTickOfAll(t *testing.T) {
	w := &world{Exchange: New(), t: t}
	a := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: "anna", Region: schema.Global}}).ID)
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", Class: schema.Crypto, Scale: 8, Precision: 8}})
	w.Exchange.risk.states[a] = schema.MarginCall
	w.tick(30 * second)
	w.risk(a, schema.RiskNone)
}

// TestProfitOfAForcedOrderEndsALoan: and its record says who ended it.
func TestProfitOfAForcedOrderEndsALoan(t *testing.T) {
	w := newDebtor(t)
	w.must(btcCollateral())
	w.cross(ben, anna, bid("1", "50000"))
	w.index(perp, 0, "51100")
	w.place(carl, bid("1", "51200"))
	set := btcCollateral()
	set.Weight = d("0")
	w.must(set)
	w.index(perp, 0, "51100") // 100 of 285.5, then 99.4 of 213.393
	var loans []string
	for _, e := range w.last.Events {
		if e, is := e.(*schema.LoanChanged); is {
			loans = append(loans, e.Principal.String())
			if e.Liquidated != (e.Principal == d("0")) {
				t.Errorf("%+v", e)
			}
		}
	}
	if want := []string{"700", "725.6", "0"}; !slices.Equal(loans, want) {
		t.Errorf("loans were %v, want %v", loans, want)
	}
	w.has(anna, usdt, "97.6", "0")
	w.holds()
}

// TestRunIsOverAtOnce: dora is safe again by being deleveraged, but nobody looks at her before the next run.
func TestRunIsOverAtOnce(t *testing.T) {
	w, dora := newPair(t)
	w.listETH("2000")
	w.must(on(ethPerp, ben, ask("10", "2000")))
	w.must(on(ethPerp, dora, bid("10", "2000")))
	w.cross(dora, anna, bid("0.5", "50000"))
	w.cross(carl, anna, bid("0.5", "50000"))
	w.must(&schema.PlanMaintenance{Market: perp, From: noon + minute, To: noon + 3*minute})
	w.must(&schema.PlanMaintenance{Market: ethPerp, From: noon + minute, To: noon + 9*minute})
	w.tick(noon + minute)
	w.index(perp, 0, "49000")
	w.index(ethPerp, 0, "1865")
	w.risk(dora, schema.Liquidation) // 135 of 122.5 and 93.25
	w.LiquidationUnits = 1
	w.tick(noon + 3*minute)
	if deals := w.Deals(); len(deals) != 1 || deals[0].Maker.Account != dora || deals[0].Price != d("49000") {
		t.Errorf("deals: %+v", deals)
	}
	w.risk(dora, schema.Liquidation)
	w.must(&schema.Tick{})
	w.risk(dora, schema.MarginCall)
	w.holds()
}
