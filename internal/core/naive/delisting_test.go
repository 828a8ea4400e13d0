package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// delisted plans the end of a future for a moment, and lets the tick come that ends it.
func (w *world) delisted(m schema.MarketID, at schema.Time) {
	w.t.Helper()
	w.must(&schema.PlanDelisting{Market: m, At: at})
	w.tick(at)
}

// open compares the ids of the positions that are open.
func (w *world) open(want ...schema.PositionID) {
	w.t.Helper()
	var got []schema.PositionID
	for _, p := range w.Positions() {
		got = append(got, p.ID)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("open are %v, want %v", got, want)
	}
}

// TestDelistingClosesAtTheMark: a short loses 400 and a long wins them, in the tick that ends the market and its orders.
func TestDelistingClosesAtTheMark(t *testing.T) {
	w := newTraders(t)
	w.cross(ben, anna, bid("1", "50000"))
	opened := w.time
	w.place(anna, reducing(ask("1", "51000")))
	w.index(perp, 0, "50400")
	w.delisted(perp, noon+minute)
	w.happened(
		"level sell 51000: 0",
		"order 3 closed by delisting: CANCELED left 1",
		"*schema.MarketChanged",
		"102 collateral of 2 by realized PnL for 0: 99590 0",
		"6 collateral of 2 by realized PnL for 0: 400 0",
		"delisted position 1 of 102 BOTH: 0 for 0, -1 at 50400 realized -400 fee 0",
		"6 collateral of 2 by realized PnL for 0: 0 0",
		"101 collateral of 2 by realized PnL for 0: 1375 0",
		"delisted position 2 of 101 BOTH: 0 for 0, 1 at 50400 realized 400 fee 0",
	)
	want := schema.PositionChanged{
		Position: schema.Position{
			ID: 1, Account: ben, Market: perp, Side: schema.BothSides,
			Entered: d("1"), Paid: d("50000"), Realized: d("-400"), Fees: d("10"), Opened: opened, Updated: noon + minute,
		},
		Cause: schema.ByDelisting, Price: d("50400"), Amount: d("-1"), Realized: d("-400"),
	}
	if got := *w.last.Events[5].(*schema.PositionChanged); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	w.open()
	w.holds()
	w.tick(noon + 2*minute)
	w.happened()
	w.must(out(anna, usdt, "1375"))
}

// TestDelistingLoses: a long that lost and a short that won, at a mark with decimals and after a part was closed.
func TestDelistingLoses(t *testing.T) {
	w := newTraders(t)
	w.cross(ben, anna, bid("0.003", "50000"))
	w.cross(carl, anna, ask("0.001", "50010"))
	w.has(anna, usdt, "999.909995", "0") // less 0.075 and 0.025005, and 0.01 won
	w.index(perp, 0, "49876.54")
	w.delisted(perp, noon+minute)
	w.happened(
		"*schema.MarketChanged",
		"6 collateral of 2 by realized PnL for 0: -0.38038 0", // it had paid 0.01
		"102 collateral of 2 by realized PnL for 0: 100000.34038 0",
		"delisted position 1 of 102 BOTH: 0 for 0, -0.003 at 49876.54 realized 0.37038 fee 0",
		"101 collateral of 2 by realized PnL for 0: 999.663075 0",
		"6 collateral of 2 by realized PnL for 0: -0.13346 0",
		"delisted position 2 of 101 BOTH: 0 for 0, 0.002 at 49876.54 realized -0.24692 fee 0",
		"103 collateral of 2 by realized PnL for 0: 99999.856538 0",
		"6 collateral of 2 by realized PnL for 0: 0 0",
		"delisted position 3 of 103 BOTH: 0 for 0, 0.001 at 49876.54 realized -0.13346 fee 0",
	)
	w.holds()
}

// TestDelistingInSlices: one position with each tick that counts, at the mark of the end whatever BTC is worth later.
func TestDelistingInSlices(t *testing.T) {
	w := newTraders(t)
	w.cross(ben, anna, bid("0.4", "50000"))
	w.cross(carl, anna, bid("0.6", "50000"))
	w.index(perp, 0, "50100")
	w.FundingSlice = 1
	w.delisted(perp, noon+minute)
	w.open(2, 3)
	w.has(ben, usdt, "99956", "0")
	w.timer(noon + minute + 1)
	w.holds()

	w.Apply(noon+minute, &schema.Tick{}) // no later than the last one
	w.open(2, 3)
	w.index(btcUSDT, 0, "49990")
	w.open(2, 3)
	w.refused(because(schema.MarketUnavailable), &schema.ClosePosition{Account: anna, Market: perp, Position: 2})
	w.tick(noon + minute + 10)
	w.happened(
		"6 collateral of 2 by realized PnL for 0: -60 0",
		"101 collateral of 2 by realized PnL for 0: 1075 0",
		"delisted position 2 of 101 BOTH: 0 for 0, 1 at 50100 realized 100 fee 0",
	)
	w.open(3)
	w.timer(noon + minute + 11)
	w.holds()

	w.index(btcUSDT, 0, "52000")
	last := w.time
	w.tick(noon + minute + 20)
	w.happened(
		"103 collateral of 2 by realized PnL for 0: 99934 0",
		"6 collateral of 2 by realized PnL for 0: 0 0",
		"delisted position 3 of 103 BOTH: 0 for 0, -0.6 at 50100 realized -60 fee 0",
	)
	w.open()
	w.timer(last + hour) // when the index is too old
	w.holds()
}

// TestDelistingOfTwo: the markets by id, not the positions, and one count for both.
func TestDelistingOfTwo(t *testing.T) {
	w := newTraders(t)
	w.listETH("2000")
	w.must(on(ethPerp, ben, ask("1", "2000")))
	w.must(on(ethPerp, carl, bid("1", "2000"))) // positions 1 and 2
	w.cross(ben, carl, bid("0.1", "50000"))     // 3 and 4
	w.FundingSlice = 3
	w.must(&schema.PlanDelisting{Market: ethPerp, At: noon + minute})
	w.delisted(perp, noon+minute)
	var closed []schema.PositionID
	for _, e := range w.last.Events {
		if e, is := e.(*schema.PositionChanged); is {
			closed = append(closed, e.Position.ID)
		}
	}
	if want := []schema.PositionID{3, 4, 1}; !slices.Equal(closed, want) {
		t.Errorf("closed %v, want %v", closed, want)
	}
	w.open(2)
	w.timer(noon + minute + 1)
	w.holds()
	w.must(&schema.Tick{})
	w.open()
	w.holds()
}

// TestDelistingLeavesOthers: what is open on another future stays, and what it is valued at.
func TestDelistingLeavesOthers(t *testing.T) {
	w := newTraders(t)
	w.listETH("2000")
	w.must(on(ethPerp, ben, ask("1", "2000")))
	w.must(on(ethPerp, carl, bid("1", "2000")))
	w.cross(ben, carl, bid("0.1", "50000"))
	w.delisted(perp, noon+minute)
	w.open(1, 2)
	same(t, "what is bound", w.margins.portfolio(carl).margin(), "200")
	w.timer(noon + minute + 5*second) // the next sample
	w.holds()
}

// TestDelistingAtAStaleMark: the last one counts, however old it is.
func TestDelistingAtAStaleMark(t *testing.T) {
	w := newTraders(t)
	w.cross(ben, anna, bid("1", "50000"))
	w.index(perp, 0, "49800")
	w.tick(noon + 2*hour)
	if m := w.Mark(perp); m.Fresh || m.Mark != d("49800") {
		t.Fatalf("%+v", m)
	}
	w.delisted(perp, noon+3*hour)
	w.has(ben, usdt, "100190", "0")
	w.has(anna, usdt, "775", "0")
	w.open()
	w.holds()
}

// TestDelistingLendsALoss: 1500 are lost, of which 525 are not there.
func TestDelistingLendsALoss(t *testing.T) {
	w := newTraders(t)
	w.collateral(anna, btc, "0.2")
	w.cross(ben, anna, bid("1", "50000"))
	w.index(perp, 0, "48500")
	w.delisted(perp, noon+minute)
	w.happened(
		"*schema.MarketChanged",
		"6 collateral of 2 by realized PnL for 0: -1500 0",
		"102 collateral of 2 by realized PnL for 0: 101490 0",
		"delisted position 1 of 102 BOTH: 0 for 0, -1 at 48500 realized 1500 fee 0",
		"5 main of 2 by loan for 0: -525 0",
		"101 collateral of 2 by loan for 0: 1500 0",
		"5 debt of 2 by loan for 0: -525 0",
		"101 debt of 2 by loan for 0: 525 0",
		"loan of 101: 525 and 0",
		"101 collateral of 2 by realized PnL for 0: 0 0",
		"6 collateral of 2 by realized PnL for 0: 0 0",
		"delisted position 2 of 101 BOTH: 0 for 0, 1 at 48500 realized -1500 fee 0",
	)
	w.risk(anna, schema.RiskNone)
	w.holds()
}

// TestDelistingRepays: 1100 are won, of which 1000 are owed. That is no liquidation.
func TestDelistingRepays(t *testing.T) {
	w := newDebtor(t)
	w.must(btcCollateral())
	w.cross(ben, anna, bid("1", "50000"))
	w.index(perp, 0, "51100")
	w.delisted(perp, noon+minute)
	var loans []string
	for _, e := range w.listed() {
		if len(e) > 4 && e[:4] == "loan" {
			loans = append(loans, e)
		}
	}
	if want := []string{"loan of 101: 0 and 0"}; !slices.Equal(loans, want) {
		t.Errorf("loans: %q, want %q", loans, want)
	}
	w.has(anna, usdt, "100", "0")
	w.holds()
}

// TestDelistingOfBothSides: each side of hedge mode is closed by itself, by id.
func TestDelistingOfBothSides(t *testing.T) {
	w := newTraders(t)
	listed := btcPerp()
	listed.MakerFee, listed.TakerFee = d("0"), d("0")
	w.must(&schema.SetMarket{Market: listed})
	w.must(&schema.SetHedgeMode{Account: ben, On: true})
	w.place(carl, bid("0.2", "50100"))
	w.place(ben, onSide(schema.ShortSide, ask("0.2", "50100"))) // positions 1 of carl and 2 of ben
	w.place(anna, ask("0.3", "50000"))
	w.place(ben, onSide(schema.LongSide, bid("0.3", "50000"))) // 3 of anna and 4 of ben
	w.index(perp, 0, "50200")
	w.FundingSlice = 2
	w.delisted(perp, noon+minute)
	w.happened(
		"*schema.MarketChanged",
		"6 collateral of 2 by realized PnL for 0: -20 0",
		"103 collateral of 2 by realized PnL for 0: 100020 0",
		"delisted position 1 of 103 BOTH: 0 for 0, 0.2 at 50200 realized 20 fee 0",
		"102 collateral of 2 by realized PnL for 0: 99980 0",
		"6 collateral of 2 by realized PnL for 0: 0 0",
		"delisted position 2 of 102 SHORT: 0 for 0, -0.2 at 50200 realized -20 fee 0",
	)
	w.positions(ben, "0.3", "15000")
	w.refused(because(schema.HedgeModeInUse), &schema.SetHedgeMode{Account: ben})
	w.holds()
	w.must(&schema.Tick{})
	w.happened(
		"101 collateral of 2 by realized PnL for 0: 940 0",
		"6 collateral of 2 by realized PnL for 0: 60 0",
		"delisted position 3 of 101 BOTH: 0 for 0, -0.3 at 50200 realized -60 fee 0",
		"6 collateral of 2 by realized PnL for 0: 0 0",
		"102 collateral of 2 by realized PnL for 0: 100040 0",
		"delisted position 4 of 102 LONG: 0 for 0, 0.3 at 50200 realized 60 fee 0",
	)
	w.must(&schema.SetHedgeMode{Account: ben})
	w.holds()
}

// TestDelistingBooksFunding: what is due of a settlement that has not come to a position is paid before it is closed, and
// its counts are two.
func TestDelistingBooksFunding(t *testing.T) {
	w := newSplit(t) // positions 1, 2 and 3 on BTC
	w.listETH("2000")
	listed := *w.listing.market(ethPerp)
	listed.MakerFee, listed.TakerFee, listed.ImpactNotional = d("0"), d("0"), d("1000")
	listed.FundingMinutes, listed.FundingFloor, listed.FundingCap = 5, d("0.0003"), d("0.0003")
	w.must(&schema.SetMarket{Market: listed})
	w.index(ethPerp, 0, "2000") // from which its terms hold
	w.must(on(ethPerp, ben, ask("2", "2000")))
	w.must(on(ethPerp, carl, bid("2", "2000"))) // 4 and 5
	w.must(on(ethPerp, ben, ask("1", "2000.01")))
	w.must(on(ethPerp, carl, bid("1", "1999.99")))
	w.FundingSlice = 1
	w.tick(noon + 5*minute)
	w.funds("-0.001667", "0", "0", "0", "0")
	w.index(ethPerp, 0, "2010") // of which the settlement knows nothing
	w.must(&schema.PlanDelisting{Market: ethPerp, At: noon + 5*minute + 10})
	w.tick(noon + 5*minute + 10)
	got := w.listed()
	if i := slices.Index(got, "*schema.MarketChanged"); i < 0 || !slices.Equal(got[i+1:], []string{
		"101 collateral of 2 by funding for 2: 999.91998 0",
		"6 collateral of 2 by funding for 2: 0.003335 0",
		"funding of position 2 of 101: -0.005002 for 0.003 at 50012.34, 0.005002 in all",
		"6 collateral of 2 by funding for 4: -1.196665 0",
		"102 collateral of 2 by funding for 4: 100001.191665 0",
		"funding of position 4 of 102: 1.2 for -2 at 2000, -1.2 in all",
		"102 collateral of 2 by realized PnL for 0: 99981.191665 0",
		"6 collateral of 2 by realized PnL for 0: 18.803335 0",
		"delisted position 4 of 102 BOTH: 0 for 0, -2 at 2010 realized -20 fee 0",
	}) {
		t.Errorf("events: %q", got)
	}
	w.holds()
	w.must(&schema.Tick{}) // books 3, and closes 5
	w.funds("-0.001667", "0.005002", "-0.003334")
	w.has(carl, usdt, "100018.78333", "0")
	w.timer(noon + 5*minute + 12) // of the settlement on ETH, which a tick ends
	w.holds()
	w.must(&schema.Tick{})
	w.happened()
	w.timer(noon + 5*minute + 5*second)
	w.holds()
}

// newWaiting is an exchange where anna waits in liquidation, with 1 BTC at 50000 and 975 USDT, on a market that is in
// maintenance.
func newWaiting(t *testing.T, price string) *world {
	w := newBobs(t)
	w.must(&schema.PlanMaintenance{Market: perp, From: noon + second, To: noon + hour})
	w.tick(noon + second)
	w.index(perp, 0, price)
	w.risk(anna, schema.Liquidation)
	return w
}

// TestDelistingEndsALiquidation: with 75 left and nothing open the account is safe, in the same tick.
func TestDelistingEndsALiquidation(t *testing.T) {
	w := newWaiting(t, "49100")
	w.delisted(perp, noon+minute)
	w.happened(
		"*schema.MarketChanged",
		"6 collateral of 2 by realized PnL for 0: -900 0",
		"102 collateral of 2 by realized PnL for 0: 100890 0",
		"delisted position 1 of 102 BOTH: 0 for 0, -1 at 49100 realized 900 fee 0",
		"101 collateral of 2 by realized PnL for 0: 75 0",
		"6 collateral of 2 by realized PnL for 0: 0 0",
		"delisted position 2 of 101 BOTH: 0 for 0, 1 at 49100 realized -900 fee 0",
		"risk of 101: none, 75 of 0",
	)
	w.holds()
}

// TestDelistingLeavesAShortfall: what the account lost and never had is the fund's, once its position is closed.
func TestDelistingLeavesAShortfall(t *testing.T) {
	w := newWaiting(t, "49000")
	w.FundingSlice = 1
	w.delisted(perp, noon+minute)
	w.open(2)
	w.risk(anna, schema.Liquidation)
	w.index(btcUSDT, 0, "60000")
	w.risk(anna, schema.Liquidation) // its mark does not move any more
	w.holds()
	w.must(&schema.Tick{})
	w.happened(
		"5 main of 2 by loan for 0: -25 0",
		"101 collateral of 2 by loan for 0: 1000 0",
		"5 debt of 2 by loan for 0: -25 0",
		"101 debt of 2 by loan for 0: 25 0",
		"loan of 101: 25 and 0",
		"101 collateral of 2 by realized PnL for 0: 0 0",
		"6 collateral of 2 by realized PnL for 0: 0 0",
		"delisted position 2 of 101 BOTH: 0 for 0, 1 at 49000 realized -1000 fee 0",
		"3 main of 2 by shortfall for 0: -25 0",
		"101 collateral of 2 by shortfall for 0: 25 0",
		"101 collateral of 2 by repayment for 0: 0 0",
		"5 main of 2 by repayment for 0: 0 0",
		"101 debt of 2 by repayment for 0: 0 0",
		"5 debt of 2 by repayment for 0: 0 0",
		"loan of 101: 0 and 0, liquidated",
		"shortfall of 101: 25 of asset 2, the fund has -25",
		"risk of 101: none, 0 of 0",
	)
	w.holds()
}
