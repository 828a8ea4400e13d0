package convert_test

import (
	"math/rand/v2"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestRoundTripsNeverGain: who converts there and back, any amount and over any hubs, has no more than before, not by a
// single unit, while prices stand still.
func TestRoundTripsNeverGain(t *testing.T) {
	x := crossing(t, over(usdt, btc), bounded("100000000", "1000000000", "10000"), func(m *schema.SetConversion) { m.Spread = d("0") })
	x.alone = true
	x.list("EUR_USDT", 4, 4)
	x.rest(maker, "EUR_USDT", schema.Buy, "10000", "1.0999")
	x.rest(maker, "EUR_USDT", schema.Sell, "10000", "1.1")
	const seed = 20240717
	random := rand.New(rand.NewPCG(seed, 1))
	holdings := func() (list [gem + 1]fixed.Decimal) {
		for asset := usdt; asset <= gem; asset++ {
			list[asset], _, _ = x.m.Balance(alice, schema.Trade, asset)
		}
		return list
	}
	trips := 0
	for range 2000 {
		from, to := usdt+schema.AssetID(random.IntN(5)), usdt+schema.AssetID(random.IntN(5))
		amount := fixed.FromUnits(1+random.Int64N([]int64{10, 1000, 1_000_000, 100_000_000}[random.IntN(4)]), 8)
		before := holdings()
		there := auto(alice, from, to, "0")
		there.Exchange.Amount, there.Exchange.InTo = amount, random.IntN(2) == 0
		out := x.m.Apply(x.at, there)
		if out.Result.Rejection.Refused() {
			continue
		}
		got := out.Result.Conversion.Receive
		back := auto(alice, to, from, "0")
		back.Exchange.Amount = got
		if !got.IsZero() && got.Decimals() > 8 {
			t.Fatalf("seed %d: %s was received", seed, got)
		}
		if random.IntN(2) == 0 {
			if out := x.m.Apply(x.at, back); out.Result.Rejection.Refused() {
				x.refused(schema.ConversionTooSmall, back)
			}
		} else { // as much as was given costs at least what was received
			back.Exchange.InTo, back.Exchange.Amount = true, out.Result.Conversion.Give
			if x.m.Apply(x.at, back).Result.Rejection.Refused() { // the book has not so much on this side
				continue
			}
		}
		after := holdings()
		gains, loses := 0, 0
		for asset := usdt; asset <= gem; asset++ {
			switch after[asset].Cmp(before[asset]) {
			case 1:
				gains++
			case -1:
				loses++
			}
		}
		trips++
		// What is too small to be converted back stays where it is, and is less worth than what was given for it.
		if gains > 0 && loses == 0 {
			t.Fatalf("seed %d, trip %d: %v became %v by %+v and back", seed, trips, before, after, there.Exchange)
		}
	}
	if trips < 1000 {
		t.Errorf("%d trips were made", trips)
	}
	if err := x.m.Verify(); err != nil {
		t.Error(err)
	}
}

// TestRandomCommandsKeepTheInvariants: a machine that is restored again and again stays the same as one that never was, whatever is asked for.
func TestRandomCommandsKeepTheInvariants(t *testing.T) {
	for seed := range uint64(4) {
		x := crossing(t, over(usdt, btc), bounded("3000", "20000", "50"))
		x.alone = true
		random := rand.New(rand.NewPCG(seed, 2))
		shadow, err := core.Restore(x.m.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		last, done := map[schema.AccountID]schema.ConversionID{}, map[schema.Kind]int{}
		for step := range 1000 {
			if pace := random.IntN(200); pace < 60 {
				x.at += schema.Time(pace) * schema.Second / 20
			} else if pace > 196 {
				x.at += []schema.Time{400 * schema.Second, 1000 * schema.Second, 3600 * schema.Second, 20 * 3600 * schema.Second}[random.IntN(4)]
			}
			asset := func() schema.AssetID { return usdt + schema.AssetID(random.IntN(6)) }
			account := []schema.AccountID{alice, ben, sub}[random.IntN(3)]
			exchange := schema.Exchange{
				Account: account, From: asset(), To: asset(), InTo: random.IntN(2) == 0, Amount: fixed.FromUnits(random.Int64N(1000), random.IntN(6)),
			}
			var c schema.Command
			switch random.IntN(12) {
			case 0, 1, 2:
				c = &schema.QuoteConversion{Exchange: exchange}
			case 3, 4:
				c = &schema.AutoConvert{Exchange: exchange, Key: schema.Digest{byte(random.IntN(40))}}
			case 5, 6:
				c = &schema.ConfirmConversion{Account: account, Quote: last[account] - min(last[account], schema.ConversionID(random.IntN(2)))}
			case 7:
				c = &schema.Tick{}
			case 8, 9:
				prices := map[string]int64{"BTC": 500_000, "ETH": 25_000, "GEM": 100}
				name := []string{"BTC", "ETH", "GEM"}[random.IntN(3)]
				c = &schema.SetIndex{Market: x.markets[name+"_USDT"], Price: fixed.FromUnits(prices[name]+random.Int64N(3)-1, 1)}
			case 10:
				c = settings(over(usdt, btc), bounded("3000", "20000", "50"), func(m *schema.SetConversion) { m.On = random.IntN(8) != 0 })
			default:
				c = &schema.FundSystem{Account: schema.Convert, Asset: usdt, Amount: fixed.FromInt(random.Int64N(200) - 100)}
			}
			one, other := x.m.Apply(x.at, c), shadow.Apply(x.at, c)
			if one.Result.Rejection != other.Result.Rejection || one.Events.Len() != other.Events.Len() {
				t.Fatalf("seed %d, step %d: %T is %v and %v", seed, step, c, one.Result.Rejection, other.Result.Rejection)
			}
			if !one.Result.Rejection.Refused() {
				done[c.Kind()]++
			}
			if one.Result.Conversion != nil {
				last[one.Result.Conversion.Account] = one.Result.Conversion.ID
			}
			if err := x.m.Verify(); err != nil {
				t.Fatalf("seed %d, step %d: after %T: %v", seed, step, c, err)
			}
			if step%7 == 0 {
				if shadow, err = core.Restore(shadow.Snapshot()); err != nil {
					t.Fatalf("seed %d, step %d: %v", seed, step, err)
				}
				if shadow.Hash() != x.m.Hash() {
					t.Fatalf("seed %d, step %d: after %T a restored machine is another one", seed, step, c)
				}
			}
		}
		for _, c := range []schema.Command{&schema.QuoteConversion{}, &schema.AutoConvert{}, &schema.ConfirmConversion{}} {
			if done[c.Kind()] < 5 {
				t.Errorf("seed %d: %T was accepted %d times", seed, c, done[c.Kind()])
			}
		}
	}
}
