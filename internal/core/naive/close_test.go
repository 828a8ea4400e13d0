package naive

import (
	"testing"

	"bourse/internal/schema"
)

// TestClosePosition: all of it, whatever the least amounts are, at the market.
func TestClosePosition(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("0.3", "50000")) // positions 1 of carl and 2 of ben
	listed := btcPerp()
	listed.MinAmount, listed.MinTotal, listed.TakerBand, listed.StepSize = d("1"), d("100000"), d("1"), d("0.25")
	w.must(&schema.SetMarket{Market: listed})
	closing := &schema.ClosePosition{Account: ben, Market: perp, Position: 2}

	w.refused(because(schema.AccountUnknown), &schema.ClosePosition{Account: 999, Market: perp, Position: 2})
	w.refused(because(schema.MarketUnavailable), &schema.ClosePosition{Account: ben, Market: 99, Position: 2})
	w.refused(because(schema.PositionUnknown), &schema.ClosePosition{Account: ben, Market: btcUSDT, Position: 2})
	w.refused(because(schema.PositionUnknown), &schema.ClosePosition{Account: ben, Market: perp, Position: 1})
	w.refused(because(schema.PositionUnknown), &schema.ClosePosition{Account: ben, Market: perp, Position: 3})
	w.must(&schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global, Blocked: true}})
	w.refused(because(schema.AccountBlocked), closing)
	w.must(&schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.EU}})
	listed.Regions = 2
	w.must(&schema.SetMarket{Market: listed})
	w.refused(because(schema.MarketUnavailable), closing)
	w.must(&schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global}})
	w.must(&schema.PlanMaintenance{Market: perp, From: noon + minute, To: noon + 2*minute})
	w.tick(noon + minute)
	w.refused(because(schema.TradingNotAllowed), closing)
	w.tick(noon + 2*minute)

	o := w.must(closing).Order
	w.order(o, schema.Canceled, "0.3", "0", "0", "0")
	if o.Type != schema.StockMarket || o.Side != schema.Sell || !o.IOC || !o.Collateral || !o.ReduceOnly || o.STP != schema.STPNo ||
		o.PositionSide != schema.BothSides || o.ClientID.String() != "" || o.Amount != d("0.3") {
		t.Errorf("%+v", o)
	}
	listed.MinAmount, listed.MinTotal, listed.StepSize = d("0"), d("0"), d("0")
	w.must(&schema.SetMarket{Market: listed})
	w.place(carl, bid("0.1", "49500"))
	w.place(carl, bid("0.1", "49499.99")) // outside the band
	w.order(w.must(closing).Order, schema.CanceledTakerBand, "0.2", "0.1", "4950", "2.475")
	w.place(carl, bid("0.2", "49600"))
	w.order(w.must(closing).Order, schema.Filled, "0", "0.2", "9920", "4.96")
	w.refused(because(schema.PositionUnknown), closing)
	w.positions(ben)
	w.holds()
}

// TestCloseOneSide: in hedge mode each position is closed by itself.
func TestCloseOneSide(t *testing.T) {
	w := newTraders(t)
	w.must(&schema.SetHedgeMode{Account: ben, On: true})
	w.place(carl, ask("0.3", "50000"))
	w.place(ben, onSide(schema.LongSide, bid("0.3", "50000"))) // position 2
	w.place(carl, bid("0.3", "50000"))
	w.place(ben, onSide(schema.ShortSide, ask("0.3", "50000"))) // position 3: carl closed 1
	w.place(carl, ask("1", "50001"))
	short := w.Positions()[1]
	o := w.must(&schema.ClosePosition{Account: ben, Market: perp, Position: short.ID}).Order
	w.order(o, schema.Filled, "0", "0.3", "15000.3", "7.50015")
	if o.Side != schema.Buy || o.PositionSide != schema.ShortSide {
		t.Errorf("%+v", o)
	}
	w.positions(ben, "0.3", "15000")
	w.holds()
}
