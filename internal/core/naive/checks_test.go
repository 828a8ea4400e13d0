package naive

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestOrderRefusals changes a good order in one way at a time, from the last check to the
// first. Changes pile up, so each refusal also shows that its check comes before the ones above.
func TestOrderRefusals(t *testing.T) {
	w := newWorld(t)
	listed := btcUSD()
	listed.TickSize, listed.StepSize = d("0.05"), d("0.005")
	listed.MinAmount, listed.MinTotal, listed.MaxTotal = d("0.01"), d("5"), d("1000000")
	w.must(&schema.SetMarket{Market: listed})
	w.time = schema.StepRuleFrom
	client, _ := schema.ParseClientID("taken")
	taken := limit(schema.Sell, "1", "100")
	taken.ClientID = client
	w.place(anna, taken)

	r := limit(schema.Buy, "2", "100")
	r.Market, r.PostOnly = spot, true
	account := anna
	for _, step := range []struct {
		change func()
		want   schema.Reason
		value  string
	}{
		{func() {}, schema.PostOnlyWouldTake, "0"},
		{func() { r.Price = d("60000") }, schema.NotEnoughBalance, "0"},
		{func() { r.ClientID = client }, schema.ClientIDTaken, "0"},
		{func() { r.Price = d("600000") }, schema.TotalAboveMax, "1000000"},
		{func() { r.Price = d("2") }, schema.TotalBelowMin, "5"},
		{func() { r.Price = d("2.01") }, schema.PriceOffTick, "0.05"},
		{func() { r.Amount = d("2.001") }, schema.AmountOffStep, "0.005"},
		{func() { r.Price = d("92233720368547758.08") }, schema.PriceTooLarge, "92233720368547758.07"},
		{func() { r.Price = d("2.001") }, schema.PriceTooPrecise, "0.01"},
		{func() { r.Price = d("-1") }, schema.PriceNotPositive, "0"},
		{func() { r.Amount = d("0.009") }, schema.AmountBelowMin, "0.01"},
		{func() { r.Amount = d("9223372036854775.808") }, schema.AmountTooLarge, "9223372036854775.807"},
		{func() { r.Amount = d("0.0001") }, schema.AmountTooPrecise, "0.001"},
		{func() { r.Amount = fixed.Zero }, schema.AmountNotPositive, "0"},
		{func() { r.BBO = schema.BBOCounterparty }, schema.BBOWithPostOnly, "0"},
		{func() { r.BBO = 3 }, schema.BBOInvalid, "0"},
		{func() { r.RPI = true }, schema.RPIWithPostOnly, "0"},
		{func() { r.IOC = true }, schema.IOCWithPostOnly, "0"},
		{func() { r.Type = schema.StopLimit }, schema.FlagNotAllowed, "0"},
		{func() { listed.OpensAt = w.time + 1000; w.must(&schema.SetMarket{Market: listed}) }, schema.OrderTypeUnavailable, "0"},
		{func() { r.STP = 9 }, schema.STPInvalid, "0"},
		{func() { r.Type = 9 }, schema.TypeInvalid, "0"},
		{func() { r.Side = 9 }, schema.SideInvalid, "0"},
		{func() { r.Market = 2 }, schema.MarketUnavailable, "0"},
		{func() { account = schema.Fees }, schema.AccountUnknown, "0"},
	} {
		step.change()
		w.refused(schema.Rejection{Reason: step.want, Value: d(step.value)}, &schema.PlaceOrder{Account: account, Order: r})
	}
}

func TestRegion(t *testing.T) {
	w := newWorld(t)
	w.must(&schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.EU}})
	w.place(anna, limit(schema.Sell, "5", "100"))
	r := limit(schema.Buy, "1", "100")
	w.refused(because(schema.OrderTypeUnavailable), order1(ben, r))
	r.IOC, r.BBO, r.Price = true, schema.BBOCounterparty, fixed.Zero
	o := w.place(ben, r)
	w.order(o, schema.Filled, "0", "1", "100", "0.002")
	if o.Price != d("100") {
		t.Errorf("the picked price is %v", o.Price)
	}
	w.place(ben, market1(schema.Buy, "100"))
}

func TestModifyStops(t *testing.T) {
	w := newWorld(t)
	w.place(anna, limit(schema.Sell, "1", "100"))
	w.place(ben, limit(schema.Buy, "1", "100"))

	waiting := w.place(ben, stopMarket(schema.Buy, "500", "120"))
	change := &schema.ModifyOrder{Account: ben, Order: schema.OrderRef{Market: spot, ID: waiting.ID}, Amount: schema.Some(d("1"))}
	w.refused(because(schema.AmountNotAllowed), change)
	change.Amount, change.ActivationPrice = schema.Optional{}, schema.Some(d("100"))
	w.refused(because(schema.ModifyActivationEqualsLast), change)
	change.Total = schema.Some(d("600"))
	change.ActivationPrice = schema.Some(d("130"))
	changed := w.must(change).Order
	if changed.Amount != d("600") || changed.ActivationPrice != d("130") || changed.ActivatedAt != 0 {
		t.Errorf("changed: %+v", changed)
	}
	w.balance(ben, usd, "99300", "600")

	// A stop limit that was triggered goes on as a triggered one.
	stop := w.place(carl, schema.OrderRequest{
		Type: schema.StopLimit, Side: schema.Sell, Amount: d("2"), Price: d("110"), ActivationPrice: d("105"),
	})
	w.place(anna, limit(schema.Sell, "1", "101"))
	w.place(ben, limit(schema.Buy, "1", "101"))
	w.levels(schema.Sell, "110", "2")
	change = &schema.ModifyOrder{Account: carl, Order: schema.OrderRef{Market: spot, ID: stop.ID}, ActivationPrice: schema.Some(d("90"))}
	w.refused(because(schema.ActivationOnLimit), change)
	change.ActivationPrice, change.Price = schema.Optional{}, schema.Some(d("111"))
	changed = w.must(change).Order
	if changed.Type != schema.StopLimit || changed.ActivatedAt == 0 || changed.ActivationPrice != d("105") || changed.Price != d("111") {
		t.Errorf("changed: %+v", changed)
	}
	w.levels(schema.Sell, "111", "2")
}
