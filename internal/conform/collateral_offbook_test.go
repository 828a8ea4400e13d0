package conform_test

import "testing"

// TestDealsOffTheBookAreNoTrades: what deleveraging closes has a price that is none of the market's. Its two sides see the deal;
// trades, prices and candles of the public, over both doors, go on as if it had not been.
func TestDealsOffTheBookAreNoTrades(t *testing.T) {
	t.Parallel()
	const market = "OFF_PERP"
	v, clock := margined(t, map[string]obj{market: brackets}, plain("bob", "carol"))
	bob, carol := v.trader(t, "bob").backed("1000"), v.trader(t, "carol").backed("500000")
	bob.must("collateral-account/leverage", obj{"leverage": 100})
	meet(bob, carol, market, "1", "50000")

	s := v.Socket()
	s.Must("trades_subscribe", market)
	shown := func(amount, price, side string) obj {
		return obj{"id": anID, "time": aMoment, "price": price, "amount": amount, "type": side, "rpi": false}
	}
	pushes(t, s, "trades", arr{market, arr{shown("1", "50000", "buy")}})
	begin := clock.seconds() / 3600 * 3600
	public := func() (list []string) {
		for _, path := range []string{
			"/api/v4/public/trades/" + market, "/api/v4/public/ticker", "/api/v1/public/ticker?market=" + market, "/api/v1/public/tickers",
			"/api/v1/public/history?lastId=1&market=" + market, "/api/v1/public/kline?interval=1h&market=" + market,
		} {
			r := v.Get(path)
			if r.Status != 200 {
				t.Fatalf("%s: %d %s", path, r.Status, r.Body)
			}
			list = append(list, path+": "+r.Body)
		}
		return append(list, s.Must("trades_request", market, 10, 0), s.Must("lastprice_request", market), s.Must("market_request", market, 86400),
			s.Must("candles_request", market, begin, begin+3600, 3600))
	}
	before := public()

	v.mark(t, market, "25000") // nobody is in the book
	answers(t, bob.ask("collateral-account/positions/open", obj{"market": market}), arr{})
	answers(t, carol.ask("collateral-account/positions/open", obj{"market": market}), arr{})
	for name, c := range map[string]trader{"liquidation_3_!": bob, "adl_4_!": carol} {
		for _, fields := range []obj{{"market": market}, {"market": market, "clientOrderId": name}} {
			newest := c.list("trade-account/executed-history", fields)[0].(map[string]any)
			is(t, "deal", map[string]any{"price": newest["price"], "amount": newest["amount"], "clientOrderId": newest["clientOrderId"]},
				obj{"price": "49049.53", "amount": "1", "clientOrderId": name})
		}
	}
	for i, after := range public() {
		if after != before[i] {
			t.Errorf("it was %s\nand is  %s", before[i], after)
		}
	}
	// The next trade is the next that is pushed.
	meet(carol, carol, market, "0.1", "25100")
	pushes(t, s, "trades", arr{market, arr{shown("0.1", "25100", "buy")}})
	if last := s.Must("lastprice_request", market); last != `"25100"` {
		t.Errorf("the last price is %s", last)
	}
}
