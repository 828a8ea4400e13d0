package conform

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// publicSides are the asks and bids of a book, without what else it tells.
func publicSides(t testing.TB, v any) any {
	t.Helper()
	return map[string]any{"asks": publicAt(t, v, "asks"), "bids": publicAt(t, v, "bids")}
}

// levels are asks and bids as JSON.
func publicLevels(asks, bids string) string {
	return fmt.Sprintf(`{"asks":[%s],"bids":[%s]}`, asks, bids)
}

func TestPublicBooks(t *testing.T) {
	p := publicOpen(Start(t, publicWorld(t, "EMPTY", "SHAPE", "MANY", "WIDE", "NEAR", "FRESH", "RPI"), "--no-limits"))

	t.Run("an empty book has both sides", func(t *testing.T) {
		for _, path := range []string{"v4/public/orderbook/EMPTY_USDT", "v4/public/orderbook/EMPTY_USDT?level=3", "v4/public/orderbook/depth/EMPTY_USDT", "v1/public/depth/result?market=EMPTY_USDT"} {
			publicSame(t, publicSides(t, p.json("/api/"+path)), publicLevels("", ""))
		}
	})

	t.Run("asks ascend, bids descend, orders of a price are one level", func(t *testing.T) {
		for _, price := range []string{"103", "101.5", "102", "101.5"} {
			p.order(p.alice, "SHAPE_USDT", "sell", "0.25", price, nil)
		}
		for _, price := range []string{"99", "100.5", "98", "99"} {
			p.order(p.bob, "SHAPE_USDT", "buy", "1.505", price, nil)
		}
		want := publicLevels(`["101.5","0.5"],["102","0.25"],["103","0.25"]`, `["100.5","1.505"],["99","3.01"],["98","1.505"]`)
		before := time.Now().Unix()
		for _, path := range []string{"orderbook/", "orderbook/depth/"} {
			book := p.json("/api/v4/public/" + path + "SHAPE_USDT").(map[string]any)
			at := publicInt(t, book["timestamp"])
			if len(book) != 4 || book["ticker_id"] != "SHAPE_USDT" || at < before || at > time.Now().Unix() {
				t.Errorf("%s: %v", path, book)
			}
			if path == "orderbook/" {
				publicSame(t, publicSides(t, book), want)
			}
		}
		publicSame(t, p.json("/api/v1/public/depth/result?market=SHAPE_USDT"), want)
	})

	t.Run("limit cuts each side; beyond a hundred and zero mean a hundred", func(t *testing.T) {
		for i := range 6 {
			publicBulk(p, p.alice, "MANY_USDT", "sell", 200+20*i)
			publicBulk(p, p.bob, "MANY_USDT", "buy", 60+20*i)
		}
		for query, want := range map[string]int{
			"": 100, "?limit=0": 100, "?limit=1": 1, "?limit=7": 7, "?limit=100": 100, "?limit=101": 100, "?limit=0007": 7,
			"?limit=99999999999999999999999": 100, "?limit=100&level=0": 100,
		} {
			book := p.json("/api/v4/public/orderbook/MANY_USDT" + query)
			asks, bids := publicAt(t, book, "asks").([]any), publicAt(t, book, "bids").([]any)
			if len(asks) != want || len(bids) != want {
				t.Errorf("%s: %d asks and %d bids, not %d", query, len(asks), len(bids), want)
			}
			publicSame(t, asks[0], `["200","1"]`)
			publicSame(t, bids[0], `["179","1"]`)
			publicSame(t, asks[want-1], fmt.Sprintf(`["%d","1"]`, 200+want-1))
			publicSame(t, bids[want-1], fmt.Sprintf(`["%d","1"]`, 179-want+1))
		}
		for query, want := range map[string]int{"": 100, "&limit=100": 100, "&limit=1": 1, "&limit=33": 33} {
			book := p.json("/api/v1/public/depth/result?market=MANY_USDT" + query)
			if asks := publicAt(t, book, "asks").([]any); len(asks) != want {
				t.Errorf("%s: %d asks, not %d", query, len(asks), want)
			}
		}
	})

	t.Run("limits and levels that are no integers, and limits below zero, are 422", func(t *testing.T) {
		refused := func(query, field, text string) {
			t.Helper()
			publicError(t, p.Venue, "/api/v4/public/orderbook/MANY_USDT?"+query, 422,
				fmt.Sprintf(`{"success":false,"message":%q,"errors":[%q],%q:[%q]}`, text, text, field, text))
		}
		for _, word := range []string{"x", "1.5", "1e2", "", "%2B1", "0x10", "+1", "1,000", "--1", "-", "%D9%A1", "999999999999999999999x"} {
			refused("level="+word, "level", "The level must be an integer.")
			refused("limit="+word, "limit", "The limit must be an integer.")
		}
		refused("limit=-1", "limit", "The limit must be at least 0.")
		refused("limit=-99999999999999999999", "limit", "The limit must be at least 0.")
		text := "The limit must be an integer."
		publicError(t, p.Venue, "/api/v4/public/orderbook/MANY_USDT?level=x&limit=y", 422,
			fmt.Sprintf(`{"success":false,"message":%q,"errors":[%q,"The level must be an integer."],"limit":[%q],"level":["The level must be an integer."]}`, text, text, text))
	})

	t.Run("levels gather prices away from the other side and are clamped", func(t *testing.T) {
		for _, price := range []string{"1000", "1000.5", "1004.5", "1005", "1005.5", "1049", "9999.5"} {
			p.order(p.alice, "WIDE_USDT", "sell", "1", price, nil)
		}
		for _, price := range []string{"999.5", "995.5", "995", "994.5", "951", "0.5"} {
			p.order(p.bob, "WIDE_USDT", "buy", "2", price, nil)
		}
		for query, want := range map[string]string{
			// A tick is 0.5: level 1 is 5, level 2 is 50 wide, and so on.
			"level=1":         publicLevels(`["1000","1"],["1005","3"],["1010","1"],["1050","1"],["10000","1"]`, `["995","6"],["990","2"],["950","2"],["0","2"]`),
			"level=2":         publicLevels(`["1000","1"],["1050","5"],["10000","1"]`, `["950","10"],["0","2"]`),
			"level=3":         publicLevels(`["1000","1"],["1500","5"],["10000","1"]`, `["500","10"],["0","2"]`),
			"level=4":         publicLevels(`["5000","6"],["10000","1"]`, `["0","12"]`),
			"level=5":         publicLevels(`["50000","7"]`, `["0","12"]`),
			"level=10":        publicLevels(`["5000000000","7"]`, `["0","12"]`),
			"level=1&limit=2": publicLevels(`["1000","1"],["1005","3"]`, `["995","6"],["990","2"]`),
		} {
			publicSame(t, publicSides(t, p.json("/api/v4/public/orderbook/WIDE_USDT?"+query)), want)
		}
		same := func(one, other string) {
			t.Helper()
			get := func(level string) any {
				return publicSides(t, p.json("/api/v4/public/orderbook/WIDE_USDT?level="+level))
			}
			b, _ := json.Marshal(get(other))
			publicSame(t, get(one), string(b))
		}
		for _, high := range []string{"11", "1000", "99999999999999999999999"} {
			same(high, "10")
		}
		for _, low := range []string{"-1", "-1000", "-99999999999999999999999"} {
			same(low, "0")
		}
	})

	t.Run("depth is within two percent of the last price, bounds included", func(t *testing.T) {
		for _, price := range []string{"101", "102", "102.5", "103"} {
			p.order(p.alice, "NEAR_USDT", "sell", "1", price, nil)
		}
		for _, price := range []string{"99", "98", "97.5", "97"} {
			p.order(p.bob, "NEAR_USDT", "buy", "1", price, nil)
		}
		depth := func() any { return publicSides(t, p.json("/api/v4/public/orderbook/depth/NEAR_USDT")) }
		// Before the first trade each side is measured from its own best price.
		publicSame(t, depth(), publicLevels(`["101","1"],["102","1"],["102.5","1"],["103","1"]`, `["99","1"],["98","1"],["97.5","1"]`))
		p.deal("NEAR_USDT", "buy", "0.5", "100")
		publicSame(t, depth(), publicLevels(`["101","1"],["102","1"]`, `["99","1"],["98","1"]`))
		// The last price moves the bounds, though the book is the same afterwards.
		p.deal("NEAR_USDT", "buy", "0.5", "100.5")
		publicSame(t, depth(), publicLevels(`["101","1"],["102","1"],["102.5","1"]`, `["99","1"]`))
	})

	t.Run("no book is older than the last answered order", func(t *testing.T) {
		for i := range 40 {
			price := fmt.Sprint(100 + i)
			p.order(p.alice, "FRESH_USDT", "sell", "1", price, nil)
			want := publicLevels(`["`+price+`","1"]`, "")
			for _, path := range []string{"v4/public/orderbook/FRESH_USDT", "v4/public/orderbook/depth/FRESH_USDT", "v1/public/depth/result?market=FRESH_USDT"} {
				publicSame(t, publicSides(t, p.json("/api/"+path)), want)
			}
			publicSame(t, publicAt(t, p.json("/api/v1/public/tickers"), "result", "FRESH_USDT", "ticker", "ask"), `"`+price+`"`)
			p.order(p.bob, "FRESH_USDT", "buy", "1", price, nil)
			publicSame(t, publicSides(t, p.json("/api/v4/public/orderbook/FRESH_USDT")), publicLevels("", ""))
			publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "FRESH_USDT", "last_price"), `"`+price+`"`)
			publicSame(t, publicAt(t, p.json("/api/v1/public/ticker?market=FRESH_USDT"), "result", "ask"), `"0"`)
			trades := p.json("/api/v4/public/trades/FRESH_USDT").([]any)
			if len(trades) != i+1 || publicAt(t, trades, 0, "price") != price {
				t.Fatalf("after %d trades the last at %s: %v", i+1, price, trades)
			}
			publicSame(t, publicAt(t, p.json("/api/v1/public/kline?market=FRESH_USDT&interval=1M"), "result", 0, 2), `"`+price+`"`)
		}
	})

	t.Run("RPI orders are in no book, and their trades are shown", func(t *testing.T) {
		p.order(p.alice, "RPI_USDT", "sell", "1", "102", nil)
		p.order(p.alice, "RPI_USDT", "buy", "1", "98", nil)
		p.order(p.alice, "RPI_USDT", "sell", "1", "101", Fields{"rpi": true})
		p.order(p.alice, "RPI_USDT", "buy", "1", "99", Fields{"rpi": true})
		unseen := func() {
			t.Helper()
			want := publicLevels(`["102","1"]`, `["98","1"]`)
			for _, path := range []string{"v4/public/orderbook/RPI_USDT", "v4/public/orderbook/RPI_USDT?limit=1", "v4/public/orderbook/depth/RPI_USDT", "v1/public/depth/result?market=RPI_USDT"} {
				publicSame(t, publicSides(t, p.json("/api/"+path)), want)
			}
			publicSame(t, publicSides(t, p.json("/api/v4/public/orderbook/RPI_USDT?level=1")), publicLevels(`["105","1"]`, `["95","1"]`))
			for _, ticker := range []any{
				publicAt(t, p.json("/api/v1/public/tickers"), "result", "RPI_USDT", "ticker"), publicAt(t, p.json("/api/v1/public/ticker?market=RPI_USDT"), "result"),
			} {
				publicSame(t, publicAt(t, ticker, "ask"), `"102"`)
				publicSame(t, publicAt(t, ticker, "bid"), `"98"`)
			}
		}
		unseen()
		// Who is not retail does not meet them.
		p.order(p.bob, "RPI_USDT", "buy", "0.5", "101", Fields{"ioc": true})
		publicSame(t, p.json("/api/v4/public/trades/RPI_USDT"), `[]`)
		p.order(p.bob, "RPI_USDT", "buy", "0.5", "101", Fields{"ioc": true, "retail": true})
		trade := publicAt(t, p.json("/api/v4/public/trades/RPI_USDT"), 0)
		publicSame(t, publicAt(t, trade, "price"), `"101"`)
		publicSame(t, publicAt(t, trade, "rpi"), `true`)
		publicSame(t, publicAt(t, trade, "type"), `"buy"`)
		publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "RPI_USDT", "last_price"), `"101"`)
		publicSame(t, publicAt(t, p.json("/api/v1/public/history?market=RPI_USDT&lastId=0"), "result", 0, "price"), `"101"`)
		// 98 and 102 are outside of two percent of 101 and inside.
		publicSame(t, publicSides(t, p.json("/api/v4/public/orderbook/depth/RPI_USDT")), publicLevels(`["102","1"]`, ``))
		p.order(p.bob, "RPI_USDT", "buy", "0.5", "102", Fields{"ioc": true})
		publicSame(t, publicAt(t, p.json("/api/v4/public/trades/RPI_USDT"), 0, "rpi"), `false`)
	})
}

// publicBulk places twenty orders of 1, at prices that go up by one.
func publicBulk(p *publicFloor, c *Client, market, side string, from int) {
	p.t.Helper()
	orders := make([]Fields, 20)
	for i := range orders {
		orders[i] = Fields{"market": market, "side": side, "amount": "1", "price": fmt.Sprint(from + i)}
	}
	if reply := c.Post("/api/v4/order/bulk", Fields{"orders": orders}); reply.Status != 200 {
		p.t.Fatalf("%d %s", reply.Status, reply.Body)
	}
}
