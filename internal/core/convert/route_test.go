package convert_test

import (
	"strings"
	"testing"

	"bourse/internal/schema"
)

// TestRoutesGoOverHubs: what the walk gives at the end of the last hop, and a spread for each.
func TestRoutesGoOverHubs(t *testing.T) {
	for _, tt := range []struct {
		name string
		hubs []schema.AssetID
		ask  *schema.QuoteConversion
		want string
	}{
		// 10 x 9.9 = 99 USDT, for 99 / 2510 = 0.03944223 ETH; the index gives 0.04; less 0.4 %.
		{"over one", []schema.AssetID{usdt}, ask(alice, gem, eth, "10"), "0.03928446 for 10 at 0.00392844 by 5>1 9.9 1>3 0.0003984"},
		// 0.04 x 2510 = 100.4 USDT, for 100.4 / 9.9 = 10.14141415 GEM, rounded up; / 0.996.
		{"over one, backward", []schema.AssetID{usdt}, ask(alice, gem, eth, "0.04", true), "0.04 for 10.18214273 at 0.00392844 by 5>1 9.89999999 1>3 0.0003984"},
		// 10 GEM, 99 USDT, 99 / 50010 = 0.0019796 BTC, / 0.0502 = 0.03943426 ETH.
		{"over two", []schema.AssetID{btc, usdt}, ask(alice, gem, eth, "10"), "0.03928446 for 10 at 0.00392844 by 5>1 9.9 1>3 0.0003984"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := crossing(t, over(tt.hubs...))
			x.says(x.quote(tt.ask), tt.want)
		})
	}
}

// crossing is an exchange with books of gems, ethers and bitcoins for USDT, and of ethers for bitcoins.
func crossing(t *testing.T, edits ...func(*schema.SetConversion)) *exchange {
	x := open(t, edits...)
	x.alone = true
	x.list("ETH_BTC", 4, 6)
	for _, market := range []string{"GEM_USDT 9.9 10.1", "ETH_USDT 2490 2510", "BTC_USDT 49990 50010", "ETH_BTC 0.0498 0.0502"} {
		words := strings.Fields(market)
		x.rest(maker, words[0], schema.Buy, "1000", words[1])
		x.rest(maker, words[0], schema.Sell, "1000", words[2])
	}
	x.alone = false
	return x
}

// TestTheBestRouteCounts: that which gives most or costs least, and the first of equal ones.
func TestTheBestRouteCounts(t *testing.T) {
	x := crossing(t, over(usdt))
	// Directly 2 ETH are 0.0996 BTC; over USDT 4980 / 50010 = 0.09958008.
	x.says(x.quote(ask(alice, eth, btc, "2")), "0.0994008 for 2 at 0.0497004 by 3>2 0.0498")
	// A better bid for ethers: 2 x 2495 / 50010 = 0.09978004.
	x.rest(ben, "ETH_USDT", schema.Buy, "2", "2495")
	x.says(x.quote(ask(alice, eth, btc, "2")), "0.09938091 for 2 at 0.04969045 by 3>1 2495 1>2 0.00001999")
	// Backward: 0.0996 BTC cost 0.0996 x 50010 / 2495, which is less than the 2 ETH of the direct route.
	x.says(x.quote(ask(alice, eth, btc, "0.0996", true)), "0.0996 for 2.00440883 at 0.04969046 by 3>1 2494.99999045 1>2 0.00001999")
	x.do(settings(over(usdt), func(m *schema.SetConversion) { m.Spread = d("0") }))
	// As good as the direct one, to the last digit: 2 ETH for 1 x 49800 USDT... the direct one comes first.
	x.rest(ben, "GEM_USDT", schema.Sell, "10", "10")
	x.list("GEM_ETH", 4, 6)
	x.rest(maker, "GEM_ETH", schema.Sell, "1000", "0.004016")
	x.says(x.quote(ask(alice, eth, gem, "1")), "249.00398406 for 1 at 249.00398406 by 3>5 249.00398406")
}

// TestHubsAreNeitherEndOfARoute, and routes over them need each market.
func TestHubsAreNeitherEndOfARoute(t *testing.T) {
	x := crossing(t, over(gem, eth))
	x.refused(schema.ConversionUnavailable, ask(alice, gem, eth, "1")) // no market joins them
	x.refused(schema.ConversionUnavailable, ask(alice, gem, btc, "1"))
	x.do(settings(over(usdt, gem, eth, btc)))
	x.says(x.quote(ask(alice, gem, btc, "10")), "0.00197168 for 10 at 0.00019716 by 5>1 9.9 1>2 0.00001999")
	// Without the market of bitcoins and USDT it takes two hubs.
	x.list("BTC_USDT", 4, 4, func(m *schema.MarketInfo) { m.Enabled = false })
	// 99 USDT / 2510 = 0.03944223 ETH x 0.0498 = 0.00196422 BTC, less 0.6 %.
	x.says(x.quote(ask(alice, gem, btc, "10")), "0.00195243 for 10 at 0.00019524 by 5>1 9.9 1>3 0.0003984 3>2 0.04979992")
	// And backward: 0.00196422 / 0.0498 = 0.03944217 ETH, x 2510 = 98.9998467 USDT, / 9.9 = 9.99998452; / 0.994.
	x.says(x.quote(ask(alice, gem, btc, "0.00196422", true)), "0.00196422 for 10.0603466 at 0.00019524 by 5>1 9.89999999 1>3 0.0003984 3>2 0.04979999")
}

// TestOfTwoMarketsTheLowerIdIsUsed while it can be, and else the other one.
func TestOfTwoMarketsTheLowerIdIsUsed(t *testing.T) {
	x := crossing(t)
	x.list("BTC_ETH", 4, 4)
	x.rest(maker, "BTC_ETH", schema.Buy, "1000", "20")
	x.rest(maker, "BTC_ETH", schema.Sell, "1000", "20.05")
	x.says(x.quote(ask(alice, eth, btc, "2")), "0.0994008 for 2 at 0.0497004 by 3>2 0.0498")
	x.do(&schema.PlanMaintenance{Market: x.markets["ETH_BTC"], From: x.at + 1, To: x.at + schema.Second})
	x.pass(1)
	// 2 / 20.05 = 0.09975062.
	x.says(x.quote(ask(alice, eth, btc, "2")), "0.09955111 for 2 at 0.04977555 by 3>2 0.04987531")
	x.pass(schema.Second)
	x.refused(schema.ConversionUnavailable, ask(alice, eth, btc, "2")) // maintenance emptied the book, and the lower id it is
}

// TestMarketsThatCannotBeUsed are none.
func TestMarketsThatCannotBeUsed(t *testing.T) {
	for name, edit := range map[string]func(*exchange){
		"disabled": func(x *exchange) { x.list("BTC_USDT", 4, 4, func(m *schema.MarketInfo) { m.Enabled = false }) },
		"elsewhere": func(x *exchange) {
			x.list("BTC_USDT", 4, 4, func(m *schema.MarketInfo) { m.Regions = schema.In(schema.EU) })
		},
		"in maintenance": func(x *exchange) {
			x.do(&schema.PlanMaintenance{Market: x.markets["BTC_USDT"], From: x.at + 1, To: x.at + schema.Second})
			x.pass(1)
		},
		"delisted": func(x *exchange) {
			x.do(&schema.PlanDelisting{Market: x.markets["BTC_USDT"], At: x.at + 1})
			x.pass(1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := crossing(t)
			x.quote(ask(alice, btc, usdt, "1"))
			edit(x)
			x.refused(schema.ConversionUnavailable, ask(alice, btc, usdt, "1"))
		})
	}
	// The region of the caller is the stricter one.
	x := crossing(t)
	x.list("BTC_USDT", 4, 4, func(m *schema.MarketInfo) { m.Regions = schema.In(schema.EU) })
	x.refusedIn(schema.EU, schema.OK, ask(alice, btc, usdt, "1"))
	x.list("BTC_USDT", 4, 4, func(m *schema.MarketInfo) { m.Regions = schema.In(schema.Global) })
	x.refusedIn(schema.EU, schema.ConversionUnavailable, ask(alice, btc, usdt, "1"))
}

// TestRoutesFailForTheGravestReason: too large where a book ended, even if another route gave nothing.
func TestRoutesFailForTheGravestReason(t *testing.T) {
	x := open(t, over(usdt))
	x.list("ETH_BTC", 4, 6)
	x.rest(maker, "ETH_BTC", schema.Buy, "0.0001", "0.0498")
	x.rest(maker, "ETH_USDT", schema.Buy, "0.0001", "2490")
	x.refused(schema.ConversionTooLarge, ask(alice, eth, btc, "1"))
	// The direct one gives nothing; on the other route the second market has no order, and so no ideal.
	x.refused(schema.ConversionTooSmall, ask(alice, eth, btc, "0.0000001"))
	x.rest(maker, "BTC_USDT", schema.Sell, "1", "50010")
	x.refused(schema.ConversionTooSmall, ask(alice, eth, btc, "0.0000001"))
	x.refused(schema.ConversionTooLarge, ask(alice, eth, btc, "0.0002"))
}

// TestConversionsWaitForBooksThatAreHalfDone.
func TestConversionsWaitForBooksThatAreHalfDone(t *testing.T) {
	x := crossing(t, over(usdt))
	x.alone = true
	for range 600 {
		x.rest(ben, "BTC_USDT", schema.Buy, "1", "40000")
	}
	x.do(&schema.CancelAll{Account: ben, Market: x.markets["BTC_USDT"]})
	if !x.m.Busy() {
		t.Fatal("600 orders were canceled at once")
	}
	for _, c := range []schema.Command{ask(alice, btc, usdt, "1"), ask(alice, gem, btc, "1"), auto(alice, usdt, btc, "1")} {
		hash := x.m.Hash()
		if !x.m.Blocks(c) {
			t.Errorf("%+v is not to wait", c)
		}
		x.refused(schema.MarketBusy, c)
		if x.m.Hash() != hash {
			t.Error("something changed")
		}
	}
	x.quote(ask(alice, gem, usdt, "1")) // goes on elsewhere
	for x.m.Busy() {
		x.do(&schema.Continue{})
	}
	x.quote(ask(alice, btc, usdt, "1"))
}
