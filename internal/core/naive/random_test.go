package naive

import (
	"math/rand/v2"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestRandomCommands drives the exchange with random commands and looks at what must hold
// after each of them.
func TestRandomCommands(t *testing.T) {
	for seed := range uint64(8) {
		w := newWorld(t)
		if seed >= 3 {
			w = newBounded(t)
		}
		random := rand.New(rand.NewPCG(seed, 1))
		listed := btcUSD()
		listed.TakerBand, listed.MakerFee, listed.RPIPremium = d("10"), d("-0.05"), schema.Some(d("0.1"))
		listed.StepSize, listed.TickSize, listed.MinTotal = d("0.005"), d("0.05"), d("1")
		w.must(&schema.SetMarket{Market: listed})
		if seed%2 == 0 {
			w.time = schema.StepRuleFrom
		}
		reasons := map[schema.Reason]int{}
		for range 500 {
			reasons[w.apply(w.randomCommand(random)).Rejection.Reason]++
			w.consistent()
		}
		if reasons[schema.OK] < 150 {
			t.Errorf("seed %d: too few commands were accepted: %v", seed, reasons)
		}
	}
}

func (w *world) randomCommand(random *rand.Rand) schema.Command {
	number := func(least, most int64, places int) fixed.Decimal {
		return fixed.FromUnits(least+random.Int64N(most-least+1), places)
	}
	once := func(in int) bool { return random.IntN(in) == 0 }
	optional := func(v fixed.Decimal) schema.Optional {
		if once(2) {
			return schema.Some(v)
		}
		return schema.Optional{}
	}
	account := anna + schema.AccountID(random.IntN(3))
	ref := schema.OrderRef{Market: spot, ID: 1}
	if open := w.trading.market(spot).orders; len(open) > 0 && !once(10) {
		o := open[random.IntN(len(open))]
		account, ref.ID = o.account, o.id
	}
	price := func() fixed.Decimal { return number(180, 220, 1) }
	switch random.IntN(20) {
	case 0:
		return &schema.CancelOrder{Account: account, Order: ref}
	case 1, 2, 3:
		return &schema.ModifyOrder{
			Account: account, Order: ref, STP: schema.STP(random.IntN(4)),
			Amount: optional(number(1, 200, 2)), Price: optional(price()), ActivationPrice: optional(price()),
		}
	case 4:
		switch random.IntN(20) {
		case 0:
			return &schema.CancelAll{Account: account}
		case 1:
			return &schema.PlanMaintenance{Market: spot, From: w.time + 10, To: w.time + 20}
		case 2:
			return &schema.SetKillSwitch{Account: account, Market: spot, Timeout: schema.MinKillSwitch}
		}
		return &schema.Tick{}
	case 5:
		return &schema.Transfer{Account: account, Asset: usd, Amount: number(1, 100, 2), From: schema.Trade, To: schema.Main}
	}
	r := schema.OrderRequest{
		Market: spot, Type: schema.OrderType(1 + random.IntN(5)), Side: schema.Side(1 + random.IntN(2)),
		Amount: number(1, 400, 2), Price: price(), ActivationPrice: price(), STP: schema.STP(random.IntN(4)),
	}
	if once(3) {
		r.Type = schema.Limit
		r.PostOnly, r.IOC, r.RPI, r.Retail = once(8), once(8), once(4), once(2)
	}
	if once(6) {
		r.BBO = schema.BBORole(random.IntN(3))
	}
	if inQuote(r.Type, r.Side) {
		r.Amount = number(1, 5000, 1)
	}
	return &schema.PlaceOrder{Account: account, Order: r}
}

// consistent checks that no money comes or goes, that exactly what orders need is frozen, and
// that the public book is not crossed.
func (w *world) consistent() {
	w.t.Helper()
	frozen := map[balanceKey]num{}
	for _, m := range w.trading.all() {
		for _, o := range m.orders {
			key := balanceKey{o.account, schema.Trade, o.paysWith()}
			frozen[key] = frozen[key].plus(o.needs())
			if o.waiting() == o.resting {
				w.t.Fatalf("order %d neither waits nor rests: %+v", o.id, o)
			}
		}
		bid, bids := bestPrice(m, schema.Buy)
		ask, asks := bestPrice(m, schema.Sell)
		if bids && asks && !bid.less(ask) {
			w.t.Fatalf("the book is crossed: %v %v", bid.decimal(), ask.decimal())
		}
	}
	sums := map[schema.AssetID]num{}
	for key, b := range w.ledger.balances {
		sums[key.asset] = sums[key.asset].plus(b.available).plus(b.frozen)
		if key.account >= schema.FirstCustomer && b.available.sign() < 0 {
			w.t.Fatalf("%+v is negative", key)
		}
		if b.frozen.cmp(frozen[key]) != 0 {
			w.t.Fatalf("%+v has frozen %v, orders need %v", key, b.frozen.decimal(), frozen[key].decimal())
		}
	}
	for asset, sum := range sums {
		if sum.sign() != 0 {
			w.t.Fatalf("the balances of asset %d sum up to %v", asset, sum.decimal())
		}
	}
}

func BenchmarkRandomCommands(b *testing.B) {
	w := newWorld(&testing.T{})
	random := rand.New(rand.NewPCG(1, 1))
	for i := range int64(100) {
		w.place(anna, limit(schema.Buy, "0.01", fixed.FromUnits(1000+i, 2).String()))
	}
	for b.Loop() {
		w.apply(w.randomCommand(random))
	}
}
