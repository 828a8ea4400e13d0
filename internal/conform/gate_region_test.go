package conform

import (
	"strings"
	"testing"
)

// The European rules hold for accounts of that region everywhere, and for everybody at the
// European deployment.

func regionWorld() string {
	markets := strings.Join([]string{
		gateMarket("BTC_USDT", ""), gateMarket("EUR_USDT", `,"regions":["eu"]`), gateMarket("EUR_BTC", `,"regions":["global"]`),
		gateMarket("BTC_EUR", `,"regions":["global","eu"]`),
	}, ",")
	european := strings.Replace(gateAccount("european", "", gateKey("european", "")), `"region":"global"`, `"region":"eu"`, 1)
	return `{"assets":[` + gateAsset("BTC") + `,` + gateAsset("USDT") + `,` + gateAsset("EUR") + `],"markets":[` + markets + `],"accounts":[` +
		gateAccount("alice", `,"rpi":true`, gateKey("alice", "")) + `,` + european + `,` + gateAccount("maker", "", gateKey("maker", "")) + `]}`
}

const unavailable = `{"code":30,"message":"Validation failed","errors":{"orderType":["This order type is not available"]}}`

// ordersHere are orders of every type, and whether the European rules take them.
var ordersHere = []struct {
	name   string
	path   string
	fields Fields
	europe bool
}{
	{"limit", "new", Fields{"price": "10"}, false},
	{"post-only limit", "new", Fields{"price": "10", "postOnly": true}, false},
	{"ioc limit", "new", Fields{"price": "10", "ioc": true}, false},
	{"limit at the queue", "new", Fields{"bboRole": 1}, false},
	{"limit at the counterparty", "new", Fields{"bboRole": 2}, false},
	{"ioc limit at the counterparty", "new", Fields{"bboRole": 2, "ioc": true}, true},
	{"stop limit", "stop_limit", Fields{"price": "30", "activation_price": "30"}, false},
	{"stop market", "stop_market", Fields{"amount": "3", "activation_price": "30"}, true},
	{"market", "market", Fields{"amount": "3"}, true},
	{"stock market", "stock_market", nil, true},
}

func TestGateRegions(t *testing.T) {
	for _, place := range []struct {
		name   string
		flag   string
		key    string
		europe bool
	}{
		{"a global account at the global deployment", "global", "alice", false},
		{"a European account at the global deployment", "global", "european", true},
		{"a global account at the European deployment", "eu", "alice", true},
		{"a European account at the European deployment", "eu", "european", true},
	} {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			v := Start(t, regionWorld(), "--no-limits", "--region", "global")
			// Somebody to trade with, and a last price, which stop orders need.
			maker := v.gateClient("maker")
			for _, side := range []string{"sell", "buy"} {
				maker.Post(pathOrder, Fields{"market": "BTC_USDT", "side": side, "amount": "1", "price": "20"}).ok(t)
			}
			maker.Post(pathOrder, Fields{"market": "BTC_USDT", "side": "sell", "amount": "20", "price": "20"}).ok(t)
			maker.Post(pathOrder, Fields{"market": "BTC_USDT", "side": "buy", "amount": "20", "price": "5"}).ok(t)
			v.Stop()
			v.flags[2] = place.flag
			v.Restart()

			c := v.gateClient(place.key)
			for _, o := range ordersHere {
				fields := Fields{"market": "BTC_USDT", "side": "buy", "amount": "1"}
				for name, value := range o.fields {
					fields[name] = value
				}
				r := c.Post("/api/v4/order/"+o.path, fields)
				if o.europe || !place.europe {
					if r.Status != 200 {
						t.Errorf("%s: %d %s", o.name, r.Status, r.Body)
					}
				} else if r.Status != 453 || r.Body != unavailable {
					t.Errorf("%s: %d %s, want 453 %s", o.name, r.Status, r.Body, unavailable)
				}
			}
			t.Run("bulk", func(t *testing.T) {
				r := c.Post("/api/v4/order/bulk", Fields{"orders": []Fields{{"market": "BTC_USDT", "side": "buy", "amount": "1", "price": "10"}}})
				if place.europe {
					r.expect(t, 200, `[{"result":null,"error":`+unavailable+`}]`)
				} else if !strings.HasPrefix(r.ok(t).Body, `[{"result":{"orderId":`) {
					t.Error(r.Body)
				}
			})
			t.Run("markets of other regions", func(t *testing.T) {
				region := map[bool]string{true: "eu", false: "global"}[place.europe]
				for market, where := range map[string]string{"EUR_USDT": "eu", "EUR_BTC": "global"} {
					r := c.Post("/api/v4/order/market", Fields{"market": market, "side": "buy", "amount": "5"})
					if where == region {
						if strings.Contains(r.Body, "not available") {
							t.Errorf("%s: %d %s", market, r.Status, r.Body)
						}
						continue
					}
					r.expect(t, 422, `{"code":31,"message":"Validation failed","errors":{"market":["Market is not available."]}}`)
				}
			})
			t.Run("listings", func(t *testing.T) {
				listed := map[string]bool{"BTC_USDT": true, "BTC_EUR": true, "EUR_USDT": place.flag == "eu", "EUR_BTC": place.flag == "global"}
				for _, path := range []string{
					"/api/v4/public/markets", "/api/v4/public/ticker", "/api/v1/public/markets", "/api/v1/public/tickers", "/api/v1/public/symbols",
				} {
					body := v.Get(path).ok(t).Body
					for market, want := range listed {
						if strings.Contains(body, `"`+market+`"`) != want {
							t.Errorf("%s lists %s: %v, want %v", path, market, !want, want)
						}
					}
				}
				for market, want := range listed {
					for _, path := range []string{
						"/api/v4/public/orderbook/" + market, "/api/v4/public/orderbook/depth/" + market, "/api/v4/public/trades/" + market,
						"/api/v1/public/ticker?market=" + market, "/api/v1/public/depth/result?market=" + market,
						"/api/v1/public/history?lastId=1&market=" + market, "/api/v1/public/kline?interval=1h&market=" + market,
					} {
						r := v.Get(path)
						if got := !strings.Contains(r.Body, "Market is not available"); got != want || !got && r.Status == 200 && !strings.Contains(path, "kline") {
							t.Errorf("%s: %d %s", path, r.Status, r.Body)
						}
					}
				}
			})
		})
	}
}
