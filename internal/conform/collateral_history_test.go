package conform_test

import (
	"strconv"
	"testing"

	"bourse/internal/schema"
)

// funded is a future whose funding rate is known beforehand.
var funded = obj{"funding_minutes": 5, "funding_cap": "0.0003", "funding_floor": "0.0003", "impact_notional": "100"}

// settle lets the clock pass the next settlement of a future at a mark; there are orders on both sides when it does.
func (v venue) settle(t *testing.T, c *clock, quotes trader, market, mark, bid, ask string) (at schema.Time) {
	t.Helper()
	const interval = 300 * schema.Second
	at = (c.read()/interval + 1) * interval
	both := []map[string]any{quotes.bet(market, "buy", "0.1", bid), quotes.bet(market, "sell", "0.1", ask)}
	for _, moment := range []schema.Time{at - 2*schema.Second, at - schema.Second, at} {
		c.set(moment)
		v.mark(t, market, mark)
		v.Do(&schema.Tick{})
	}
	for _, o := range both {
		quotes.must("order/cancel", obj{"market": market, "orderId": o["orderId"]})
	}
	c.advance(schema.Second)
	v.mark(t, market, mark)
	v.Do(&schema.Tick{})
	return at
}

func seconds(at schema.Time) string { return strconv.FormatInt(int64(at/schema.Second), 10) }

// TestPastPositions follows a long and the short against it through the histories of positions and funding (5.3 to 5.5), and
// the public history of funding.
func TestPastPositions(t *testing.T) {
	t.Parallel()
	v, clock := margined(t, map[string]obj{"BTC_PERP": funded, "ETH_PERP": nil}, plain("alice", "maker", "nobody"))
	alice, maker, nobody := v.trader(t, "alice").backed("10000"), v.trader(t, "maker").backed("500000"), v.trader(t, "nobody")
	opened := clock.read()
	meet(alice, maker, "BTC_PERP", "0.1", "50000")
	at := v.settle(t, clock, maker, "BTC_PERP", "50000", "49999", "50001")
	sell := func(amount, price string) any {
		t.Helper()
		maker.bet("BTC_PERP", "buy", amount, price)
		return alice.must("order/collateral/market", obj{"market": "BTC_PERP", "side": "sell", "amount": amount})["orderId"]
	}
	part := sell("0.04", "50500")
	clock.advance(2 * schema.Second)
	v.mark(t, "BTC_PERP", "50000")
	last := sell("0.06", "50400")
	closed := int(clock.read() / schema.Second)

	long := func(amount, base, funding string, detail obj) obj {
		return obj{
			"positionId": 1, "market": "BTC_PERP", "openDate": aMoment, "modifyDate": aMoment, "amount": amount, "basePrice": base, "realizedFunding": funding,
			"liquidationPrice": nil, "liquidationState": nil, "orderDetail": detail, "side": "BOTH", "isHedge": false,
		}
	}
	detail := func(id any, amount, price, fee string, funding, pnl any) obj {
		return obj{"id": id, "tradeAmount": amount, "price": price, "tradeFee": fee, "fundingFee": funding, "realizedPnl": pnl}
	}
	all := arr{
		long("0", "50000", "1.5", detail(seen(last), "0.06", "50400", "1.512", nil, "24")),
		long("0.06", "50000", "1.5", detail(seen(part), "0.04", "50500", "1.01", nil, "20")),
		long("0.1", "50000", "1.5", detail(0, "0", "50000", "0", "1.5", nil)),
		long("0.1", "50000", "0", detail(anID, "0.1", "50000", "2.5", nil, "0")),
	}
	id := alice.list("collateral-account/positions/history", nil)[0].(map[string]any)["positionId"]
	for _, r := range all {
		r.(obj)["positionId"] = seen(id)
	}

	t.Run("positions/history", func(t *testing.T) {
		const path = "collateral-account/positions/history"
		answers(t, alice.ask(path, nil), all)
		answers(t, alice.ask(path, obj{"market": "BTC_PERP", "limit": 2, "offset": 1}), all[1:3])
		answers(t, alice.ask(path, obj{"positionId": id, "market": "ETH_PERP"}), all) // a position beats the market
		answers(t, alice.ask(path, obj{"positionId": 99}), arr{})
		answers(t, maker.ask(path, obj{"positionId": id}), arr{}) // of another account
		answers(t, alice.ask(path, obj{"market": "ETH_PERP"}), arr{})
		answers(t, alice.ask(path, obj{"startDate": closed}), all[:1])
		answers(t, alice.ask(path, obj{"startDate": int(at / schema.Second), "endDate": closed - 1}), all[1:3])
		answers(t, alice.ask(path, obj{"endDate": int(opened / schema.Second)}), all[3:])
		answers(t, nobody.ask(path, nil), arr{})
	})

	pnl := func(gross, net, fee, funding string) obj {
		return obj{
			"positionId": anID, "market": "BTC_PERP", "grossPnl": gross, "netPnl": net, "totalTradeFee": fee, "totalFunding": funding, "avgEntryPrice": "50000",
			"avgExitPrice": "50440", "closedSize": "0.1", "amount": "0", "side": "BOTH", "isHedge": false, "openDate": int(opened / schema.Second), "closeDate": closed,
		}
	}
	t.Run("positions/closed-pnl", func(t *testing.T) {
		const path = "collateral-account/positions/closed-pnl"
		long, short := pnl("38.978", "37.478", "5.022", "1.5"), pnl("-46.0088", "-44.5088", "2.0088", "-1.5")
		answers(t, alice.ask(path, nil), arr{long})
		answers(t, maker.ask(path, obj{"startDate": closed, "endDate": closed}), arr{short})
		answers(t, alice.ask(path, obj{"endDate": closed - 1}), arr{})
		answers(t, alice.ask(path, obj{"offset": 1}), arr{})
		answers(t, nobody.ask(path, nil), arr{})
		refuses(t, alice.ask(path, obj{"limit": 100, "offset": 9901}), bad("offset", "The sum of limit and offset should not be greater than 10000."))
	})

	t.Run("funding-history", func(t *testing.T) {
		const path = "collateral-account/funding-history"
		record := func(amount, size string) obj {
			return obj{
				"market": "BTC_PERP", "fundingTime": seconds(at), "fundingRate": "0.0003", "fundingAmount": amount, "positionAmount": size,
				"settlementPrice": "50000", "rateCalculatedTime": seconds(at - 300*schema.Second),
			}
		}
		answers(t, alice.ask(path, obj{"market": "BTC_PERP"}), obj{"records": arr{record("-1.5", "0.1")}, "limit": 100, "offset": 0})
		answers(t, maker.ask(path, obj{"market": "BTC_PERP", "limit": 1}), obj{"records": arr{record("1.5", "-0.1")}, "limit": 1, "offset": 0})
		answers(t, alice.ask(path, obj{"market": "BTC_PERP", "offset": 1}), obj{"records": arr{}, "limit": 100, "offset": 1})
		answers(t, alice.ask(path, obj{"market": "BTC_PERP", "startDate": int(at/schema.Second) + 1}), obj{"records": arr{}, "limit": 100, "offset": 0})
		answers(t, alice.ask(path, obj{"market": "BTC_PERP", "endDate": int(at / schema.Second)}), obj{"records": arr{record("-1.5", "0.1")}, "limit": 100, "offset": 0})
		answers(t, nobody.ask(path, obj{"market": "ETH_PERP"}), obj{"records": arr{}, "limit": 100, "offset": 0})
		refuses(t, alice.ask(path, nil), invalid(31, "market", "The Market field is required."))
		for _, market := range []any{"BTC_USDT", "NO_PERP", "?", 7} {
			refuses(t, alice.ask(path, obj{"market": market}), invalid(31, "market", "Incorrect market"))
		}
		refuses(t, alice.ask(path, obj{"market": "BTC_PERP", "limit": 101}), invalid(30, "limit", "Limit should not be greater than 100."))
		refuses(t, alice.ask(path, obj{"market": "BTC_PERP", "startDate": 2, "endDate": 1}), invalid(30, "startDate", "StartDate should not be greater than endDate."))
	})

	t.Run("settlements are public", func(t *testing.T) {
		const path = "/api/v4/public/funding-history/"
		want := arr{obj{
			"fundingTime": seconds(at), "fundingRate": "0.0003", "market": "BTC_PERP", "settlementPrice": "50000", "rateCalculatedTime": seconds(at - 300*schema.Second),
		}}
		answers(t, v.Get(path+"BTC_PERP"), want)
		answers(t, v.Get(path+"BTC_PERP?startDate="+seconds(at)+"&endDate="+seconds(at+schema.Second)), want)
		answers(t, v.Get(path+"BTC_PERP?endDate="+seconds(at-schema.Second)), arr{})
		answers(t, v.Get(path+"BTC_PERP?offset=1"), arr{})
		answers(t, v.Get(path+"ETH_PERP"), arr{})
		for _, market := range []string{"BTC_USDT", "NO_PERP"} {
			if r := v.Get(path + market); r.Status != 422 {
				t.Errorf("%s: %d %s", market, r.Status, r.Body)
			}
		}
	})

	t.Run("what is wrong", func(t *testing.T) {
		for _, path := range []string{"collateral-account/positions/history", "collateral-account/positions/closed-pnl"} {
			for _, c := range []struct {
				fields obj
				want   refusal
			}{
				{obj{"limit": 0}, bad("limit", "Limit should be at least 1.")},
				{obj{"limit": 101}, bad("limit", "Limit should not be greater than 100.")},
				{obj{"offset": -1}, bad("offset", "Offset should be at least 0.")},
				{obj{"startDate": "x"}, bad("startDate", "StartDate field should be an integer.")},
				{obj{"startDate": closed, "endDate": closed - 1}, bad("startDate", "StartDate should not be greater than endDate.")},
				{obj{"endDate": closed + 2}, bad("endDate", "EndDate should not be in the future.")},
			} {
				refuses(t, alice.ask(path, c.fields), c.want)
			}
			if r := alice.ask(path, obj{"endDate": closed + 1}); r.Status != 200 {
				t.Errorf("%s: %d %s", path, r.Status, r.Body)
			}
		}
		const path = "collateral-account/positions/history"
		refuses(t, alice.ask(path, obj{"market": "NO_PERP"}), invalid(31, "market", noMarket))
		refuses(t, alice.ask(path, obj{"positionId": "x"}), bad("positionId", "The PositionId must be an integer."))
	})
}

// bad is what is wrong with a field of the histories that answer 400 for it.
func bad(field, text string) refusal {
	return refusal{400, 30, "Validation failed", fault(field, text)}
}

// A position that turns around is one that ended and one that began.
func TestPastPositionsOfHedgesAndFlips(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, map[string]obj{"BTC_PERP": nil}, plain("alice", "maker"))
	alice, maker := v.trader(t, "alice").backed("10000"), v.trader(t, "maker").backed("500000")
	meet(maker, alice, "BTC_PERP", "0.1", "50000") // alice is short
	meet(alice, maker, "BTC_PERP", "0.3", "49000") // and long now
	for _, c := range []struct {
		who               trader
		entry, exit, gain string
	}{{alice, "50000", "49000", "96.55"}, {maker, "50000", "49000", "-103.48"}} {
		list := c.who.list("collateral-account/positions/closed-pnl", nil)
		if len(list) != 1 {
			t.Fatalf("%d positions were closed", len(list))
		}
		got := list[0].(map[string]any)
		is(t, "avgEntryPrice", got["avgEntryPrice"], c.entry)
		is(t, "avgExitPrice", got["avgExitPrice"], c.exit)
		is(t, "closedSize", got["closedSize"], "0.1")
		is(t, "grossPnl", got["grossPnl"], c.gain)
	}
	history := alice.list("collateral-account/positions/history", nil)
	if len(history) != 3 {
		t.Fatalf("%d changes", len(history))
	}
	is(t, "the new position", history[0].(map[string]any)["amount"], "0.2")
	is(t, "the old position", history[1].(map[string]any)["amount"], "0")

	hedger := v.trader(t, "maker")
	meet(hedger, alice, "BTC_PERP", "0.2", "49000") // all is closed
	answers(t, alice.ask("collateral-account/hedge-mode/update", obj{"hedgeMode": true}), obj{"hedgeMode": true})
	alice.bet("BTC_PERP", "sell", "0.1", "49000", obj{"positionSide": "SHORT"})
	hedger.bet("BTC_PERP", "buy", "0.1", "49000")
	hedger.bet("BTC_PERP", "sell", "0.1", "49500")
	alice.bet("BTC_PERP", "buy", "0.1", "49500", obj{"positionSide": "SHORT"})
	got := alice.list("collateral-account/positions/closed-pnl", obj{"limit": 1})[0].(map[string]any)
	is(t, "side", got["side"], "SHORT")
	is(t, "isHedge", got["isHedge"], true)
	is(t, "avgExitPrice", got["avgExitPrice"], "49500")
}

// TestBorrowHistory follows loans that losses forced on an account (5.6).
func TestBorrowHistory(t *testing.T) {
	t.Parallel()
	v, clock := margined(t, map[string]obj{"BTC_PERP": nil}, with(plain("maker"), "alice", obj{"deposits": obj{"USDT": "6000", "BTC": "1"}}))
	alice, maker := v.trader(t, "alice").backed("10"), v.trader(t, "maker").backed("500000")
	v.Do(&schema.SetCollateral{Asset: v.asset("BTC"), Weight: decimal(t, "0.95"), IndexMaxAge: 30 * schema.Second})
	alice.list("main-account/transfer", obj{"ticker": "BTC", "amount": "1", "from": "main", "to": "collateral"})
	const path = "collateral-account/borrow-history"
	answers(t, alice.ask(path, nil), obj{"records": arr{}, "limit": 100, "offset": 0})
	loss := func() int {
		t.Helper()
		clock.advance(2 * schema.Second)
		v.mark(t, "BTC_PERP", "50000")
		meet(alice, maker, "BTC_PERP", "0.1", "50000")
		meet(maker, alice, "BTC_PERP", "0.1", "49900")
		return clock.seconds()
	}
	// 10 less fees of 2.5 and 0.998 and the loss of 10.
	first := loss()
	loan := func(amount, status string, at int) obj {
		return obj{"asset": "USDT", "amount": amount, "principal": amount, "interest": "0", "status": status, "timestamp": at}
	}
	answers(t, alice.ask(path, nil), obj{"records": arr{loan("3.498", "active", first)}, "limit": 100, "offset": 0})
	alice.backed("3.498")
	answers(t, alice.ask(path, obj{"asset": "USDT"}), obj{"records": arr{loan("3.498", "repaid", first)}, "limit": 100, "offset": 0})
	second := loss()

	both := arr{loan("3.498", "repaid", first), loan("13.498", "active", second)}
	answers(t, alice.ask(path, obj{"asset": ""}), obj{"records": both, "limit": 100, "offset": 0})
	answers(t, alice.ask(path, obj{"limit": 1, "offset": 1}), obj{"records": both[1:], "limit": 1, "offset": 1})
	answers(t, alice.ask(path, obj{"startTime": first, "endTime": second - 1}), obj{"records": both[:1], "limit": 100, "offset": 0})
	answers(t, alice.ask(path, obj{"startTime": first + 1, "endTime": second}), obj{"records": both[1:], "limit": 100, "offset": 0})
	answers(t, alice.ask(path, obj{"asset": "BTC"}), obj{"records": arr{}, "limit": 100, "offset": 0})
	answers(t, maker.ask(path, nil), obj{"records": arr{}, "limit": 100, "offset": 0})
	for _, c := range []struct {
		fields obj
		want   refusal
	}{
		{obj{"asset": "NONE"}, bad("asset", "Asset is not available.")},
		{obj{"asset": 7}, bad("asset", "Asset field should be a string.")},
		{obj{"limit": 101}, bad("limit", "Limit should not be greater than 100.")},
		{obj{"offset": 10001}, bad("offset", "Offset should not be greater than 10000.")},
		{obj{"startTime": first, "endTime": first}, bad("endTime", "EndTime should be greater than startTime.")},
		{obj{"startTime": clock.seconds()}, bad("endTime", "EndTime should be greater than startTime.")},
	} {
		refuses(t, alice.ask(path, c.fields), c.want)
	}
}
