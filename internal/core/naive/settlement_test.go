package naive

import (
	"testing"

	"bourse/internal/schema"
)

// newFunded is an exchange with traders whose BTC_PERP settles every five minutes, at a rate, with a mark of 50012.34
// and a book around it.
func newFunded(t *testing.T, rate string) *world {
	w := newTraders(t)
	w.fundedAt(rate)
	w.index(perp, 0, "50012.34")
	w.place(ben, bid("0.2", "50012.33"))
	w.place(carl, ask("0.2", "50012.35"))
	return w
}

// fundedAt makes a rate the only one that there can be.
func (w *world) fundedAt(rate string) {
	w.t.Helper()
	listed := btcPerp()
	listed.FundingMinutes, listed.FundingFloor, listed.FundingCap = 5, d(rate), d(rate)
	w.must(&schema.SetMarket{Market: listed})
}

// newSplit has a position of 0.003 of anna, the second, against 0.001 of ben, the first, and 0.002 of carl.
func newSplit(t *testing.T) *world {
	w := newFunded(t, "0.0000333333333333")
	w.cross(ben, anna, bid("0.001", "50012.34"))
	w.cross(carl, anna, bid("0.002", "50012.34"))
	return w
}

// timer compares when something is due next.
func (w *world) timer(want schema.Time) {
	w.t.Helper()
	if next, running := w.NextTimer(); !running || next != want {
		w.t.Errorf("the next timer is at %d, %t, want %d", next-noon, running, want-noon)
	}
}

// funds compares what was paid for each position that is open.
func (w *world) funds(want ...string) {
	w.t.Helper()
	positions := w.Positions()
	if len(positions) != len(want) {
		w.t.Fatalf("open: %+v", positions)
	}
	for i, p := range positions {
		if p.Funding != d(want[i]) {
			w.t.Errorf("for position %d %s was paid, want %s", p.ID, p.Funding, want[i])
		}
	}
}

// TestLongPaysShort: 0.5 at 50012.34 and 0.0003.
func TestLongPaysShort(t *testing.T) {
	w := newFunded(t, "0.0003")
	w.cross(ben, anna, bid("0.5", "50012.34"))
	opened := w.time
	w.tick(noon + 5*minute - 1)
	w.happened("*schema.MarkChanged")
	w.has(anna, usdt, "987.496915", "0")
	w.tick(noon + 5*minute)
	w.happened(
		"*schema.MarkChanged",
		"funding on 1: 0.0003 at 50012.34, from +0 to +5",
		"6 collateral of 2 by funding for 1: -7.501851 0",
		"102 collateral of 2 by funding for 1: 100002.500617 0",
		"funding of position 1 of 102: 7.501851 for -0.5 at 50012.34, -7.501851 in all",
		"101 collateral of 2 by funding for 2: 979.995064 0",
		"6 collateral of 2 by funding for 2: 0 0",
		"funding of position 2 of 101: -7.501851 for 0.5 at 50012.34, 7.501851 in all",
	)
	p := w.last.Events[7].(*schema.PositionChanged)
	if p.Settled != noon+5*minute || p.Position.Opened != opened || p.Position.Updated != noon+5*minute {
		t.Errorf("%+v", p)
	}
	if p.Position != w.Positions()[1] {
		t.Errorf("open: %+v", w.Positions())
	}
	w.timer(noon + 5*minute + 5*second)
	w.holds()

	// Two intervals without a tick are one settlement, of the end that was announced.
	w.tick(noon + 16*minute)
	w.happened(
		"*schema.MarkChanged",
		"funding on 1: 0.0003 at 50012.34, from +5 to +10",
		"6 collateral of 2 by funding for 1: -7.501851 0",
		"102 collateral of 2 by funding for 1: 100010.002468 0",
		"funding of position 1 of 102: 7.501851 for -0.5 at 50012.34, -15.003702 in all",
		"101 collateral of 2 by funding for 2: 972.493213 0",
		"6 collateral of 2 by funding for 2: 0 0",
		"funding of position 2 of 101: -7.501851 for 0.5 at 50012.34, 15.003702 in all",
	)
	if settles := w.Mark(perp).Settles; settles != noon+20*minute {
		t.Errorf("the next one is at +%d", (settles-noon)/minute)
	}
	w.holds()

	// What was paid goes with the position to its end.
	w.cross(ben, anna, ask("0.5", "50012.34"))
	for _, e := range w.last.Events {
		if e, is := e.(*schema.PositionChanged); is && e.Position.Account == anna && e.Position.Funding != d("15.003702") {
			t.Errorf("%+v", e)
		}
	}
	w.holds()
}

// TestFundingIsOfTheMarkAfterTheTick: its own sample moves it by a sixtieth of 12.
func TestFundingIsOfTheMarkAfterTheTick(t *testing.T) {
	w := newFunded(t, "0.0003")
	w.cross(ben, anna, bid("0.5", "50012.34"))
	w.must(&schema.CancelAll{Account: carl})
	w.place(carl, ask("0.2", "50036.35"))
	w.tick(noon + 5*minute)
	if e := w.last.Events[1].(*schema.FundingSettled); e.Mark != d("50012.54") || e.Mark != w.Mark(perp).Mark {
		t.Errorf("%+v", e)
	}
	w.funds("-7.501881", "7.501881")
	w.holds()
}

// TestFundLeavesTheRest: 0.005002 = 0.001667 + 0.003334 + 0.000001.
func TestFundLeavesTheRest(t *testing.T) {
	w := newSplit(t)
	w.tick(noon + 5*minute)
	w.happened(
		"*schema.MarkChanged",
		"funding on 1: 0.0000333333333333 at 50012.34, from +0 to +5",
		"6 collateral of 2 by funding for 1: -0.001667 0",
		"102 collateral of 2 by funding for 1: 99999.991665 0",
		"funding of position 1 of 102: 0.001667 for -0.001 at 50012.34, -0.001667 in all",
		"101 collateral of 2 by funding for 2: 999.91998 0",
		"6 collateral of 2 by funding for 2: 0.003335 0",
		"funding of position 2 of 101: -0.005002 for 0.003 at 50012.34, 0.005002 in all",
		"6 collateral of 2 by funding for 3: 0.000001 0",
		"103 collateral of 2 by funding for 3: 99999.98333 0",
		"funding of position 3 of 103: 0.003334 for -0.002 at 50012.34, -0.003334 in all",
		"6 collateral of 2 by funding for 1: 0 0",
		"3 main of 2 by funding for 1: 0.000001 0",
	)
	w.holds()
}

// TestFillBetweenSlices: both sides are booked before it changes them, at the size before, and what it opens is not
// in the settlement.
func TestFillBetweenSlices(t *testing.T) {
	w := newSplit(t)
	w.FundingSlice = 1
	w.tick(noon + 5*minute)
	w.funds("-0.001667", "0", "0")
	w.timer(noon + 5*minute + 1)
	w.holds()
	w.index(perp, 0, "51000") // the mark of the settlement stays
	w.cross(carl, anna, ask("0.005", "50012.34"))
	w.happened(
		"6 collateral of 2 by funding for 3: -0.005001 0",
		"103 collateral of 2 by funding for 3: 99999.98333 0",
		"funding of position 3 of 103: 0.003334 for -0.002 at 50012.34, -0.003334 in all",
		"103 collateral of 2 by fee for 3: 99999.933318 0",
		"2 main of 2 by fee for 3: 0.155036 0",
		"position 3 of 103 BOTH: 0 for 0, 0.002 at 50012.34 realized 0 fee 0.020004",
		"position 4 of 103 BOTH: 0.003 for 150.03702, 0.003 at 50012.34 realized 0 fee 0.030008",
		"101 collateral of 2 by funding for 2: 999.91998 0",
		"6 collateral of 2 by funding for 2: 0.000001 0",
		"funding of position 2 of 101: -0.005002 for 0.003 at 50012.34, 0.005002 in all",
		"101 collateral of 2 by fee for 3: 999.79495 0",
		"2 main of 2 by fee for 3: 0.280066 0",
		"position 2 of 101 BOTH: 0 for 0, 0.003 at 50012.34 realized 0 fee 0.075018",
		"position 5 of 101 BOTH: -0.002 for -100.02468, 0.002 at 50012.34 realized 0 fee 0.050012",
		"deal 3: 0.005 at 50012.34",
		"level buy 50012.34: 0",
		"order 7 closed by trade: FILLED left 0",
		"order 8 closed by trade: FILLED left 0",
	)
	w.holds()
	w.timer(noon + 5*minute + 1) // only a tick ends it
	w.tick(noon + 5*minute + 10)
	w.happened("6 collateral of 2 by funding for 1: 0 0", "3 main of 2 by funding for 1: 0.000001 0")
	w.funds("-0.001667", "0", "0")
	w.timer(noon + 5*minute + 5*second)
	w.holds()
}

// TestTurnsOfASlice: a position that was booked early has a turn, and so has one that gets nothing; one that was
// closed has none.
func TestTurnsOfASlice(t *testing.T) {
	w := newSplit(t)
	w.FundingSlice = 1
	w.tick(noon + 5*minute)
	w.cross(ben, anna, bid("0.001", "50012.34")) // booked early, and open
	w.funds("-0.001667", "0.005002", "0")
	w.tick(noon + 5*minute + 10)
	w.happened()
	w.tick(noon + 5*minute + 20)
	w.funds("-0.001667", "0.005002", "-0.003334")
	w.timer(noon + 5*minute + 5*second)
	w.holds()

	w.tick(noon + 10*minute)
	w.cross(anna, ben, bid("0.002", "50012.34")) // closes position 1, whose turn is over
	w.cross(ben, anna, ask("0.002", "50012.34")) // closes position 2, whose turn it would be
	w.positions(anna)
	w.tick(noon + 10*minute + 10)
	w.happened(
		"6 collateral of 2 by funding for 3: 0.000001 0",
		"103 collateral of 2 by funding for 3: 99999.986664 0",
		"funding of position 3 of 103: 0.003334 for -0.002 at 50012.34, -0.006668 in all",
		"6 collateral of 2 by funding for 1: 0 0",
		"3 main of 2 by funding for 1: 0.000002 0", // 0.006669 of 0.004, less 0.003334 twice
	)
	w.holds()

	// 0.0000000000000001 of 50 and 100 are less than a unit: shorts get nothing, and the long pays one.
	w = newFunded(t, "0.0000000000000001")
	w.cross(ben, anna, bid("0.001", "50012.34"))
	w.cross(carl, anna, bid("0.002", "50012.34"))
	updated := w.Positions()[0].Updated
	w.FundingSlice = 1
	w.tick(noon + 5*minute)
	w.happened("*schema.MarkChanged", "funding on 1: 0.0000000000000001 at 50012.34, from +0 to +5")
	if p := w.Positions()[0]; p.Updated != updated {
		t.Errorf("%+v", p)
	}
	w.tick(noon + 5*minute + 10)
	w.funds("0", "0.000001", "0")
	w.timer(noon + 5*minute + 11)
	w.tick(noon + 5*minute + 20)
	w.happened("6 collateral of 2 by funding for 1: 0 0", "3 main of 2 by funding for 1: 0.000001 0")
	w.timer(noon + 5*minute + 5*second)
	w.holds()
}

// TestNextSettlementWaits: what is due while one is under way stays due until a tick finds that booked.
func TestNextSettlementWaits(t *testing.T) {
	w := newSplit(t)
	w.FundingSlice = 1
	settles := func(minutes int) {
		t.Helper()
		if m := w.Mark(perp); m.Settles != noon+schema.Time(minutes)*minute {
			t.Errorf("the next one is at +%d", (m.Settles-noon)/minute)
		}
	}
	w.tick(noon + 5*minute)
	settles(10)
	w.tick(noon + 11*minute)
	settles(10)
	w.funds("-0.001667", "0.005002", "0")
	w.tick(noon + 11*minute + 1) // books the last of the earlier one
	settles(10)
	w.funds("-0.001667", "0.005002", "-0.003334")
	w.timer(noon + 11*minute + 5*second)
	w.fundedAt("0.0003")
	w.tick(noon + 16*minute)
	settles(20)
	w.happened(
		"*schema.MarkChanged",
		"funding on 1: 0.0003 at 50012.34, from +5 to +10",
		"6 collateral of 2 by funding for 1: -0.015003 0",
		"102 collateral of 2 by funding for 1: 100000.006668 0",
		"funding of position 1 of 102: 0.015003 for -0.001 at 50012.34, -0.01667 in all",
	)
	w.holds()
}

// TestFundingIsLent: what a payer has not is lent after interest was counted, and what a receiver owes is repaid.
func TestFundingIsLent(t *testing.T) {
	w := newFunded(t, "0.0003")
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), Rate: d("0.6"), IndexMaxAge: second})
	w.collateral(anna, btc, "1")
	w.must(out(anna, usdt, "1000"))
	w.cross(ben, anna, bid("0.5", "50012.34")) // its fee is lent
	w.has(anna, usdt, "0", "12.503085")
	w.tick(noon + 5*minute)
	w.happened(
		"*schema.MarkChanged",
		"funding on 1: 0.0003 at 50012.34, from +0 to +5",
		"6 collateral of 2 by funding for 1: -7.501851 0",
		"102 collateral of 2 by funding for 1: 100002.500617 0",
		"funding of position 1 of 102: 7.501851 for -0.5 at 50012.34, -7.501851 in all",
		"5 debt of 2 by interest for 2: -13.12823925 0", // a hundredth for each minute
		"101 debt of 2 by interest for 2: 13.12823925 0",
		"5 main of 2 by loan for 2: -20.004936 0",
		"101 collateral of 2 by loan for 2: 7.501851 0",
		"5 debt of 2 by loan for 2: -20.63009025 0",
		"101 debt of 2 by loan for 2: 20.63009025 0",
		"loan of 101: 20.004936 and 0.62515425",
		"101 collateral of 2 by funding for 2: 0 0",
		"6 collateral of 2 by funding for 2: 0 0",
		"funding of position 2 of 101: -7.501851 for 0.5 at 50012.34, 7.501851 in all",
	)
	w.holds()
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), IndexMaxAge: second})
	w.fundedAt("-0.0003")
	w.tick(noon + 10*minute)
	w.happened(
		"*schema.MarkChanged",
		"funding on 1: -0.0003 at 50012.34, from +5 to +10",
		"102 collateral of 2 by funding for 1: 99994.998766 0",
		"6 collateral of 2 by funding for 1: 7.501851 0",
		"funding of position 1 of 102: -7.501851 for -0.5 at 50012.34, 0 in all",
		"6 collateral of 2 by funding for 2: 0 0",
		"101 collateral of 2 by funding for 2: 7.501851 0",
		"101 collateral of 2 by repayment for 2: 0 0",
		"5 main of 2 by repayment for 2: -12.503085 0",
		"101 debt of 2 by repayment for 2: 13.12823925 0",
		"5 debt of 2 by repayment for 2: -13.12823925 0",
		"loan of 101: 13.12823925 and 0",
		"funding of position 2 of 101: 7.501851 for 0.5 at 50012.34, 0 in all",
	)
	w.holds()
}

// TestSlicesOfTwoMarkets: they are one number, which the first market uses first.
func TestSlicesOfTwoMarkets(t *testing.T) {
	w := newFunded(t, "0.0003")
	eth := btcPerp()
	eth.Name, eth.Base, eth.FundingMinutes, eth.FundingFloor = "ETH_PERP", 3, 5, d("0.0003")
	id := schema.MarketID(w.must(&schema.SetMarket{Market: eth}).ID)
	w.must(&schema.SetCollateral{Asset: 3, IndexMaxAge: hour})
	w.index(id, 0, "3000")
	onETH := func(a schema.AccountID, r schema.OrderRequest) {
		r.Market = id
		w.must(&schema.PlaceOrder{Account: a, Order: r})
	}
	onETH(ben, ask("1", "3000"))
	onETH(anna, bid("1", "3000"))
	onETH(ben, bid("4", "2999"))
	onETH(carl, ask("4", "3001"))
	w.cross(ben, anna, bid("0.5", "50012.34"))
	w.FundingSlice = 3
	w.tick(noon + 5*minute)
	w.happened(
		"*schema.MarkChanged",
		"*schema.MarkChanged",
		"funding on 1: 0.0003 at 50012.34, from +0 to +5",
		"funding on 3: 0.0003 at 3000, from +0 to +5",
		"6 collateral of 2 by funding for 3: -7.501851 0",
		"102 collateral of 2 by funding for 3: 100001.900617 0",
		"funding of position 3 of 102: 7.501851 for -0.5 at 50012.34, -7.501851 in all",
		"101 collateral of 2 by funding for 4: 978.495064 0",
		"6 collateral of 2 by funding for 4: 0 0",
		"funding of position 4 of 101: -7.501851 for 0.5 at 50012.34, 7.501851 in all",
		"6 collateral of 2 by funding for 1: -0.9 0",
		"102 collateral of 2 by funding for 1: 100002.800617 0",
		"funding of position 1 of 102: 0.9 for -1 at 3000, -0.9 in all",
	)
	w.holds()
	w.tick(noon + 5*minute + 1)
	w.happened(
		"101 collateral of 2 by funding for 2: 977.595064 0",
		"6 collateral of 2 by funding for 2: 0 0",
		"funding of position 2 of 101: -0.9 for 1 at 3000, 0.9 in all",
	)
	w.timer(noon + 5*minute + 5*second)
	w.holds()
}

// TestNothingToSettle: a rate of zero is said and over, and without a mark there is nothing to say.
func TestNothingToSettle(t *testing.T) {
	w := newFunded(t, "0")
	w.cross(ben, anna, bid("0.5", "50012.34"))
	w.FundingSlice = 0
	w.tick(noon + 5*minute)
	w.happened("*schema.MarkChanged", "funding on 1: 0 at 50012.34, from +0 to +5")
	w.timer(noon + 5*minute + 5*second)
	w.holds()

	w = newFutures(t)
	w.tick(noon + 480*minute)
	w.happened("*schema.MarkChanged")
	w.tick(noon + 960*minute)
	w.happened("*schema.MarkChanged")
	w.timer(noon + 960*minute + 5*second)

	// Nobody has a position, and the last mark counts, stale as it is.
	w.index(perp, 0, "50000")
	w.tick(noon + 1440*minute)
	w.happened("*schema.AssetPriced", "*schema.MarkChanged", "funding on 1: 0 at 50000, from +960 to +1440")
	w.timer(noon + 1440*minute + 5*second)
}
