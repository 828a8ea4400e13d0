package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// TestBobAfterAGap: nobody bids, and ben bears the price that leaves anna nothing.
func TestBobAfterAGap(t *testing.T) {
	w := newBobs(t)
	own := w.place(anna, ask("0.001", "50001"))
	resting := w.place(ben, bid("0.002", "49000"))
	shrinks := w.place(ben, reducing(bid("0.003", "48000")))
	w.index(perp, 0, "25000")
	w.since(
		"risk of 101: liquidation, -24025 of 125",
		"level sell 50001: 0",
		"order 3 closed by liquidation: AUTO_CANCELED_LIQUIDATION left 0.001",
		"level buy 49000: 0",
		"order 4 closed by deleveraging: CANCELED left 0.002",
		"level buy 48000: 0",
		"order 5 closed by deleveraging: AUTO_CANCELED_REDUCE_ONLY left 0.003",
		"6 collateral of 2 by realized PnL for 2: -950.47 0",
		"102 collateral of 2 by realized PnL for 2: 100940.47 0",
		"position 1 of 102 BOTH: 0 for 0, 1 at 49049.53 realized 950.47 fee 0",
		"101 collateral of 2 by realized PnL for 2: 24.53 0",
		"6 collateral of 2 by realized PnL for 2: 0 0",
		"101 collateral of 2 by fee for 2: 0.005235 0",
		"2 main of 2 by fee for 2: 59.524765 0",
		"position 2 of 101 BOTH: 0 for 0, 1 at 49049.53 realized -950.47 fee 24.524765",
		"off-book deal 2: 1 at 49049.53",
		"order 7 closed by deleveraging: FILLED left 0",
		"order 6 closed by liquidation: FILLED left 0",
		"risk of 101: none, 0.005235 of 0",
	)
	if own.ID != 3 || resting.ID != 4 || shrinks.ID != 5 || w.LastPrice(perp) != d("50000") {
		t.Errorf("the last price is %v", w.LastPrice(perp))
	}
	deal := w.Deals()[0]
	if deal.TakerSide != schema.Sell || deal.Money != d("49049.53") || deal.Maker.Fee != d("0") ||
		deal.Maker.ClientID.String() != "adl_7_!" || deal.Taker.ClientID.String() != "liquidation_6_!" {
		t.Errorf("%+v", deal)
	}
	winner := w.last.Events[len(w.last.Events)-3].(*schema.OrderChanged).Order
	if winner.Type != schema.StockMarket || winner.Side != schema.Buy || winner.STP != schema.STPNo || !winner.IOC ||
		!winner.Collateral || !winner.ReduceOnly || winner.Amount != d("1") || winner.DealMoney != d("49049.53") {
		t.Errorf("%+v", winner)
	}
	w.holds()
}

// newWinner is newTraders where ben is short 1 BTC from 45000 with 100000 USDT, anna is long from 50000 with 975, and carl,
// who stood between them, has nothing open. The index is 25000, and the future in maintenance from noon + 1 to noon + 2
// minutes, so that anna waits.
func newWinner(t *testing.T) *world {
	w := newTraders(t)
	for _, a := range []schema.AccountID{ben, carl} {
		w.must(&schema.SetFee{Account: a, Market: perp, Maker: schema.Some(d("0")), Taker: schema.Some(d("0"))})
	}
	w.index(perp, 0, "45000")
	w.cross(ben, carl, bid("1", "45000"))
	w.index(perp, 0, "50000")
	w.cross(carl, anna, bid("1", "50000"))
	w.has(anna, usdt, "975", "0")
	w.positions(carl)
	w.must(&schema.PlanMaintenance{Market: perp, From: noon + minute, To: noon + 2*minute})
	w.tick(noon + minute)
	w.index(perp, 0, "25000")
	w.since("risk of 101: liquidation, -24025 of 125")
	return w
}

// TestWinnerDoesNotLose: ben entered at 45000 and closes there; what anna owes then is the fund's.
func TestWinnerDoesNotLose(t *testing.T) {
	w := newWinner(t)
	w.tick(noon + 2*minute)
	w.since(
		"*schema.MarketChanged",
		"position 1 of 102 BOTH: 0 for 0, 1 at 45000 realized 0 fee 0",
		"5 main of 2 by loan for 3: -4025 0",
		"101 collateral of 2 by loan for 3: 5000 0",
		"5 debt of 2 by loan for 3: -4025 0",
		"101 debt of 2 by loan for 3: 4025 0",
		"loan of 101: 4025 and 0",
		"101 collateral of 2 by realized PnL for 3: 0 0",
		"6 collateral of 2 by realized PnL for 3: 0 0",
		"5 main of 2 by loan for 3: -4047.5 0",
		"101 collateral of 2 by loan for 3: 22.5 0",
		"5 debt of 2 by loan for 3: -4047.5 0",
		"101 debt of 2 by loan for 3: 4047.5 0",
		"loan of 101: 4047.5 and 0",
		"101 collateral of 2 by fee for 3: 0 0",
		"2 main of 2 by fee for 3: 47.5 0",
		"position 3 of 101 BOTH: 0 for 0, 1 at 45000 realized -5000 fee 22.5",
		"off-book deal 3: 1 at 45000",
		"order 6 closed by deleveraging: FILLED left 0",
		"order 5 closed by liquidation: FILLED left 0",
		"3 main of 2 by shortfall for 0: -4047.5 0",
		"101 collateral of 2 by shortfall for 0: 4047.5 0",
		"101 collateral of 2 by repayment for 0: 0 0",
		"5 main of 2 by repayment for 0: 0 0",
		"101 debt of 2 by repayment for 0: 0 0",
		"5 debt of 2 by repayment for 0: 0 0",
		"loan of 101: 0 and 0, liquidated",
		"shortfall of 101: 4047.5 of asset 2, the fund has -4047.5",
		"risk of 101: none, 0 of 0",
	)
	w.holds()
}

const (
	eth     schema.AssetID  = 3
	ethPerp schema.MarketID = 3
)

// listETH lists a future of ETH without brackets, at a price.
func (w *world) listETH(price string) {
	w.t.Helper()
	listed := btcPerp()
	listed.Name, listed.Base, listed.Bracket100, listed.Bracket50 = "ETH_PERP", eth, d("0"), d("0")
	w.must(&schema.SetMarket{Market: listed})
	w.must(&schema.SetCollateral{Asset: eth, IndexMaxAge: 3600 * schema.Second})
	w.index(ethPerp, 0, price)
}

// on is an order on another market.
func on(m schema.MarketID, a schema.AccountID, r schema.OrderRequest) *schema.PlaceOrder {
	r.Market = m
	return &schema.PlaceOrder{Account: a, Order: r}
}

// TestWinnerKeepsItsMargin: ben has 2000 and a maintenance margin of 2500 elsewhere, so that he closes at 44500.
func TestWinnerKeepsItsMargin(t *testing.T) {
	w := newWinner(t)
	w.listETH("100000")
	w.must(&schema.SetLeverage{Account: ben, Leverage: 100})
	w.must(out(ben, usdt, "98000"))
	for _, a := range []schema.AccountID{ben, carl} {
		w.must(&schema.SetFee{Account: a, Market: ethPerp, Maker: schema.Some(d("0")), Taker: schema.Some(d("0"))})
	}
	w.must(on(ethPerp, carl, ask("5", "100000")))
	w.must(on(ethPerp, ben, bid("5", "100000")))
	winner := w.margins.atRisk(ben)
	same(t, "E", winner.equity(), "2000")
	same(t, "T", winner.total(), "22000")
	same(t, "MM", winner.maintenance(), "2625")
	w.tick(noon + 2*minute)
	if deals := w.Deals(); len(deals) != 1 || deals[0].Price != d("44500") {
		t.Errorf("deals: %+v", deals)
	}
	winner = w.margins.atRisk(ben)
	same(t, "T of the winner", winner.total(), "2500")
	same(t, "MM of the winner", winner.maintenance(), "2500")
	if fund, _, _ := w.Balance(insurance, schema.Main, usdt); fund != d("-4547.25") {
		t.Errorf("the fund has %v", fund)
	}
	w.risk(ben, schema.RiskNone) // it is looked at by the next run
	w.index(perp, 0, "25000")
	w.risk(ben, schema.MarginCall)
	w.holds()
}

// TestDeleveragingOfAShort: at a fiftieth of its notional left, with a last price at the mark and with one too far away.
func TestDeleveragingOfAShort(t *testing.T) {
	for _, c := range []struct{ entry, more, mark, price, left string }{
		{"38000", "3859", "42000", "42798", "20.601"},
		{"37000", "2818.5", "40000", "40779.61", "0.000195"},
	} {
		w := newTraders(t)
		w.must(&schema.SetLeverage{Account: anna, Leverage: 10})
		w.collateral(anna, usdt, c.more)
		w.index(perp, 0, c.entry)
		w.cross(carl, anna, ask("1", c.entry))
		w.index(perp, 0, "39000")
		w.cross(carl, ben, ask("0.001", "42000"))
		w.index(perp, 0, c.mark)
		deals := w.Deals()
		if len(deals) != 1 || deals[0].Price != d(c.price) || deals[0].TakerSide != schema.Buy || deals[0].Maker.Account != carl {
			t.Errorf("deals: %+v", deals)
		}
		w.positions(anna)
		w.has(anna, usdt, c.left, "0")
		w.holds()
	}
}

// TestWinnersInTheirOrder: by profit for their equity, the last in part.
func TestWinnersInTheirOrder(t *testing.T) {
	w, dora := newPair(t)
	w.must(&schema.SetLeverage{Account: ben, Leverage: 100})
	w.must(&schema.SetLeverage{Account: carl, Leverage: 100})
	eve := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: "eve", Region: schema.Global}}).ID)
	w.collateral(eve, usdt, "10000")
	w.must(out(carl, usdt, "99100"))
	w.must(out(ben, usdt, "98000"))
	w.cross(ben, anna, bid("0.3", "50000"))
	w.cross(ben, eve, bid("0.2", "50000"))
	w.cross(dora, anna, bid("0.4", "50000"))
	w.cross(carl, anna, bid("0.4", "50000"))
	w.index(perp, 0, "49270")
	var makers []schema.AccountID
	var amounts []string
	for _, deal := range w.Deals() {
		makers = append(makers, deal.Maker.Account)
		amounts = append(amounts, deal.Amount.String())
	}
	if !slices.Equal(makers, []schema.AccountID{carl, dora, ben}) || !slices.Equal(amounts, []string{"0.4", "0.4", "0.3"}) {
		t.Errorf("%v closed %v", makers, amounts)
	}
	w.positions(ben, "-0.2", "-10000")
	w.holds()
}

// TestNobodyWins: the rest stays open until somebody does. Who has the other side lost as well, because it entered at
// another price.
func TestNobodyWins(t *testing.T) {
	w := newTraders(t)
	w.index(perp, 0, "45000")
	w.cross(ben, carl, bid("1", "45000"))
	w.index(perp, 0, "50000")
	w.cross(carl, anna, bid("1", "50000"))
	w.index(perp, 0, "49000")
	w.since("risk of 101: liquidation, -25 of 245")
	w.positions(anna, "1", "50000")
	w.index(perp, 0, "45000")
	w.since()
	w.tick(noon + minute)
	w.since()
	w.index(perp, 0, "44999.99")
	if deals := w.Deals(); len(deals) != 1 || deals[0].Price != d("45000") || !deals[0].OffBook {
		t.Errorf("deals: %+v", deals)
	}
	w.positions(anna)
	w.holds()
}

// TestOwnSideDoesNotPay: dora wins more than carl does, on anna's side.
func TestOwnSideDoesNotPay(t *testing.T) {
	w, dora := newPair(t)
	w.index(perp, 0, "45000")
	w.cross(ben, dora, bid("0.5", "45000"))
	w.index(perp, 0, "50000")
	w.cross(carl, anna, bid("1", "50000"))
	w.index(perp, 0, "49270")
	if deals := w.Deals(); len(deals) != 1 || deals[0].Maker.Account != carl || !deals[0].OffBook {
		t.Errorf("deals: %+v", deals)
	}
	w.positions(dora, "0.5", "22500")
	w.holds()
}
