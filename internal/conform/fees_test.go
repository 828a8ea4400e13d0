package conform_test

import (
	"testing"

	"bourse/internal/schema"
)

// TestFees goes through market/fee and market/fee/single (6.19, 6.20), and holds deals to what
// they say.
func TestFees(t *testing.T) {
	t.Parallel()
	markets := map[string]obj{
		"FEA_USDT": nil, // 0.1 and 0.2
		"FEB_USDT": {"maker_fee": "-0.02", "taker_fee": "0.05", "rpi_premium": "0"},
		"FEC_USDT": {"maker_fee": "0.3", "taker_fee": "0.4", "rpi_premium": "0.01"},
		"FEX_USDT": {"maker_fee": "9", "taker_fee": "9", "rpi_premium": "9", "enabled": false},
		"FEU_USDT": {"maker_fee": "9", "taker_fee": "9", "rpi_premium": "9", "regions": arr{"eu"}},
	}
	clock := newClock()
	accounts := with(with(plain("plain"), "lower", obj{"maker_fee": "0.08", "taker_fee": "0.15"}), "special", obj{
		"maker_fee": "0.08", "taker_fee": "0.15",
		"fees": obj{"FEA_USDT": obj{"maker": "0.5", "taker": "0.6"}, "FEC_USDT": obj{"maker": "-0.012"}},
	})
	v := operate(t, clock, markets, accounts)
	single := func(taker, maker string, premium any) obj {
		return obj{"error": nil, "taker": taker, "maker": maker, "rpi_maker_fee_premium": premium, "futures_rpi_maker_fee_premium": nil}
	}
	for _, c := range []struct {
		name, who, market string
		want              obj
	}{
		{"the market's own, no premium", "plain", "FEA_USDT", single("0.2", "0.1", nil)},
		{"a negative maker, a premium of zero", "plain", "FEB_USDT", single("0.05", "-0.02", "0")},
		{"a premium", "plain", "FEC_USDT", single("0.4", "0.3", "0.01")},
		{"the account's default where it is lower", "lower", "FEA_USDT", single("0.15", "0.08", nil)},
		{"the account's default where it is not lower", "lower", "FEB_USDT", single("0.05", "-0.02", "0")},
		{"assigned, though it is higher", "special", "FEA_USDT", single("0.6", "0.5", nil)},
		{"one side assigned", "special", "FEC_USDT", single("0.15", "-0.012", "0.01")},
		{"nothing assigned there", "special", "FEB_USDT", single("0.05", "-0.02", "0")},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers(t, v.trader(t, c.who).ask("market/fee/single", obj{"market": c.market}), c.want)
		})
	}

	t.Run("what is wrong", func(t *testing.T) {
		who := v.trader(t, "plain")
		for _, c := range []struct {
			fields obj
			want   refusal
		}{
			{nil, invalid(30, "market", "Market"+needed)},
			{obj{"market": nil}, invalid(30, "market", "Market"+needed)},
			{obj{"market": "NIX_USDT"}, invalid(31, "market", noMarket)},
			{obj{"market": "FEX_USDT"}, invalid(31, "market", noMarket)},
			{obj{"market": "FEU_USDT"}, invalid(31, "market", noMarket)},
			{obj{"market": ""}, invalid(31, "market", noMarket)},
			{obj{"market": 1}, invalid(31, "market", "Market field should be a string.")},
		} {
			refuses(t, who.ask("market/fee/single", c.fields), c.want)
		}
	})

	all := func(taker, maker string, custom obj) obj {
		return obj{
			"error": nil, "taker": taker, "maker": maker, "futures_taker": "0", "futures_maker": "0",
			"rpi_maker_fee_premium": "0.01", "futures_rpi_maker_fee_premium": nil, "custom_fee": custom,
		}
	}
	t.Run("all fees", func(t *testing.T) {
		answers(t, v.trader(t, "plain").ask("market/fee", nil), all("0.4", "0.3", obj{}))
		answers(t, v.trader(t, "plain").ask("market/fee", obj{"market": "FEA_USDT"}), all("0.4", "0.3", obj{})) // not a filter
		body := v.trader(t, "plain").Body("/api/v4/market/fee", nil)
		answers(t, v.Send("POST", "/api/v4/market/fee?market=FEA_USDT", v.trader(t, "plain").Sign(body), body), all("0.4", "0.3", obj{}))
		answers(t, v.trader(t, "lower").ask("market/fee", nil), all("0.15", "0.08", obj{}))
		answers(t, v.trader(t, "special").ask("market/fee", nil), all("0.15", "0.08", obj{
			"FEA_USDT": obj{"taker": "0.6", "maker": "0.5"}, "FEC_USDT": obj{"taker": "0.15", "maker": "-0.012"},
		}))
	})

	t.Run("an operator changes them", func(t *testing.T) {
		who := v.trader(t, "plain")
		change := &schema.SetFee{
			Account: v.account("plain").ID, Market: v.market("FEA_USDT").ID,
			Maker: schema.Some(decimal(t, "0")), Taker: schema.Some(decimal(t, "0.01")),
		}
		v.Do(change)
		answers(t, who.ask("market/fee/single", obj{"market": "FEA_USDT"}), single("0.01", "0", nil))
		change.Maker, change.Taker = schema.Optional{}, schema.Optional{}
		v.Do(change)
		answers(t, who.ask("market/fee/single", obj{"market": "FEA_USDT"}), single("0.2", "0.1", nil))
		answers(t, who.ask("market/fee", nil), all("0.4", "0.3", obj{}))
	})

	t.Run("deals cost what was told", func(t *testing.T) {
		special, lower := v.trader(t, "special"), v.trader(t, "lower")
		rests := special.limit("FEC_USDT", "sell", "1", "100")["orderId"]
		taken := lower.limit("FEC_USDT", "buy", "1", "100")
		is(t, "taker's fee", taken["dealFee"], "0.0015")
		made := special.must("trade-account/order", obj{"orderId": rests})["records"].([]any)[0].(map[string]any)
		is(t, "maker's fee", made["fee"], "-0.012") // a rebate of 0.012 % of 100
		rests = special.limit("FEA_USDT", "buy", "1", "100")["orderId"]
		lower.limit("FEA_USDT", "sell", "1", "100")
		made = special.must("trade-account/order", obj{"orderId": rests})["records"].([]any)[0].(map[string]any)
		is(t, "maker's fee", made["fee"], "0.005")
		is(t, "in", made["feeAsset"], "FEA")
	})
}

// TestFeesWhereAllMakersArePaid: the default is the highest rate, also below zero, and without a
// premium anywhere there is none to tell.
func TestFeesWhereAllMakersArePaid(t *testing.T) {
	t.Parallel()
	v := serve(t, map[string]obj{"NGA_USDT": {"maker_fee": "-0.02"}, "NGB_USDT": {"maker_fee": "-0.01"}}, plain("alice"))
	answers(t, v.trader(t, "alice").ask("market/fee", nil), obj{
		"error": nil, "taker": "0.2", "maker": "-0.01", "futures_taker": "0", "futures_maker": "0",
		"rpi_maker_fee_premium": nil, "futures_rpi_maker_fee_premium": nil, "custom_fee": obj{},
	})
}

// TestFeesOfFutures: they are shown apart from those of spot markets, and on a future both premiums are its own.
func TestFeesOfFutures(t *testing.T) {
	t.Parallel()
	v := serve(t, map[string]obj{
		"FUA_USDT": {"rpi_premium": "0.01"},
		"FUA_PERP": {"type": "futures", "maker_fee": "0.3", "taker_fee": "0.5", "rpi_premium": "0.03"},
		"FUB_PERP": {"type": "futures", "maker_fee": "0.02", "taker_fee": "0.05"},
	}, with(plain("plain"), "lower", obj{"maker_fee": "0.08", "taker_fee": "0.15"}))
	all := func(taker, maker, futuresTaker, futuresMaker string) obj {
		return obj{
			"error": nil, "taker": taker, "maker": maker, "futures_taker": futuresTaker, "futures_maker": futuresMaker,
			"rpi_maker_fee_premium": "0.01", "futures_rpi_maker_fee_premium": "0.03", "custom_fee": obj{},
		}
	}
	answers(t, v.trader(t, "plain").ask("market/fee", nil), all("0.2", "0.1", "0.5", "0.3"))
	answers(t, v.trader(t, "lower").ask("market/fee", nil), all("0.15", "0.08", "0.15", "0.08"))
	for market, want := range map[string]obj{
		"FUA_USDT": {"error": nil, "taker": "0.2", "maker": "0.1", "rpi_maker_fee_premium": "0.01", "futures_rpi_maker_fee_premium": nil},
		"FUA_PERP": {"error": nil, "taker": "0.5", "maker": "0.3", "rpi_maker_fee_premium": "0.03", "futures_rpi_maker_fee_premium": "0.03"},
		"FUB_PERP": {"error": nil, "taker": "0.05", "maker": "0.02", "rpi_maker_fee_premium": nil, "futures_rpi_maker_fee_premium": nil},
	} {
		answers(t, v.trader(t, "plain").ask("market/fee/single", obj{"market": market}), want)
	}
}
