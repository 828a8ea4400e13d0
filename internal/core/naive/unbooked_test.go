package naive

import (
	"testing"

	"bourse/internal/schema"
)

// TestTransferBooksFunding: all positions of the account, before money leaves collateral and not if it does not.
func TestTransferBooksFunding(t *testing.T) {
	w := newFunded(t, "0.0003")
	w.must(&schema.SetHedgeMode{Account: anna, On: true})
	w.place(ben, bid("0.2", "50012.34"))
	w.place(anna, onSide(schema.ShortSide, ask("0.2", "50012.34"))) // position 2
	w.place(carl, ask("0.5", "50012.34"))
	w.place(anna, onSide(schema.LongSide, bid("0.5", "50012.34"))) // position 4
	w.FundingSlice = 1
	w.tick(noon + 5*minute)
	w.funds("3.000741", "0", "0", "0") // ben's long

	// 1000 less fees of 5.001234 and 12.503085, less 7.501851 and with 3.00074 of funding, less 250.0617 of margin.
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("727.93287")}, out(anna, usdt, "727.93287001"))
	w.happened()
	w.must(out(anna, usdt, "727.93287"))
	w.happened(
		"101 collateral of 2 by funding for 4: 974.99383 0", // the long side is the first
		"6 collateral of 2 by funding for 4: 10.502592 0",
		"funding of position 4 of 101: -7.501851 for 0.5 at 50012.34, 7.501851 in all",
		"6 collateral of 2 by funding for 2: 7.501852 0",
		"101 collateral of 2 by funding for 2: 977.99457 0",
		"funding of position 2 of 101: 3.00074 for -0.2 at 50012.34, -3.00074 in all",
		"101 collateral of 2 by transfer for 0: 250.0617 0",
		"101 main of 2 by transfer for 0: 727.93287 0",
		"*schema.Transferred",
	)
	w.holds()
	w.must(&schema.Transfer{Account: carl, Asset: usdt, Amount: d("1"), From: schema.Collateral, To: schema.Main})
	w.funds("3.000741", "-3.00074", "-7.501851", "7.501851")
	w.must(out(ben, usdt, "1"))
	for i := range schema.Time(3) { // all three have their turn yet
		w.timer(noon + 5*minute + i*10 + 1)
		w.tick(noon + 5*minute + i*10 + 10)
	}
	w.happened("6 collateral of 2 by funding for 1: 0 0", "3 main of 2 by funding for 1: 0.000001 0")
	w.timer(noon + 5*minute + 5*second)
	w.holds()
}

// TestDueFundingCounts: nothing of what an account may do depends on whether what is due was booked.
func TestDueFundingCounts(t *testing.T) {
	for _, slice := range []int{0, 5000} {
		w := newFunded(t, "0.0003")
		w.cross(ben, anna, bid("0.5", "50012.34"))
		w.FundingSlice = slice
		w.tick(noon + 5*minute)
		if _, is := w.last.Events[len(w.last.Events)-1].(*schema.FundingSettled); is != (slice == 0) {
			t.Fatalf("%q", w.listed())
		}
		same(t, "E of the long", w.margins.portfolio(anna).equity(), "979.995064") // 987.496915 less 7.501851
		same(t, "E of the short", w.margins.portfolio(ben).equity(), "100002.500617")
		w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("729.933364")}, out(anna, usdt, "729.933365"))
		// Ben's bid binds nothing beside a tenth of 25006.17.
		w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("97501.883617")}, out(ben, usdt, "97501.883618"))

		// With 0.955 more 955.359094 are bound, 500 for the first 50000 and a fiftieth of the rest, and 23.880892 are
		// the fee: 979.239986. With 0.956 it would be 980.265239.
		w.refused(because(schema.NotEnoughBalance), order1(anna, bid("0.956", "50012.34")))
		w.place(anna, bid("0.955", "50012.34"))
		w.must(&schema.CancelAll{Account: anna})
		w.refused(because(schema.LeverageNotCovered), &schema.SetLeverage{Account: anna, Leverage: 20}) // 1250.3085
		w.must(&schema.SetLeverage{Account: anna, Leverage: 50})                                        // 500.1234
		w.must(&schema.SetLeverage{Account: anna, Leverage: 100})

		w.must(out(anna, usdt, "729.933364"))
		w.has(anna, usdt, "250.0617", "0")
		w.holds()
	}
}

// TestRoomCountsDueFunding: an order that rested is not filled if funding took what it needs.
func TestRoomCountsDueFunding(t *testing.T) {
	for _, slice := range []int{0, 5000} {
		w := newFunded(t, "0.0003")
		w.cross(ben, anna, bid("0.5", "50012.34"))
		w.FundingSlice = slice
		o := w.place(anna, bid("0.96", "50012.34"))
		w.must(&schema.SetFee{Account: anna, Market: perp, Maker: schema.Some(d("0.05")), Taker: schema.Some(d("0.05"))})
		w.tick(noon + 5*minute)
		w.place(ben, ask("0.96", "50012.34"))
		if got := w.ended(schema.Canceled); len(got) != 1 || got[0] != o.ID {
			t.Errorf("with %d: %q", slice, w.listed())
		}
		w.holds()
	}
}

// TestDueFundingLeaves: an account whose margin is BTC may take out the USDT that it is due, and not what it owes then.
func TestDueFundingLeaves(t *testing.T) {
	for _, slice := range []int{0, 5000} {
		w := newFunded(t, "0.0003")
		w.collateral(anna, btc, "1")
		w.cross(ben, anna, ask("0.5", "50012.34"))
		w.must(out(anna, usdt, "987.496915"))
		w.FundingSlice = slice
		w.tick(noon + 5*minute)
		w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("7.501851")}, out(anna, usdt, "7.501852"))
		w.must(out(anna, usdt, "7.501851"))
		w.has(anna, usdt, "0", "0")
		w.fundedAt("-0.0003")
		w.FundingSlice = 5000
		w.tick(noon + 5*minute + 5*second)
		w.FundingSlice = slice
		w.tick(noon + 10*minute)
		w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("0")}, out(anna, usdt, "0.000001"))
		w.must(out(anna, btc, "0.1"))
		w.has(anna, usdt, "0", "7.501851")
		w.holds()
	}
}
