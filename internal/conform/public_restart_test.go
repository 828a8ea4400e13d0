package conform

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// What the public sees is the same before and after the program stops, in whatever way.
func TestPublicSurvivesRestarts(t *testing.T) {
	p := publicOpen(Start(t, publicWorld(t, "BTC", "ETH"), "--no-limits"))
	begin := time.Now().Unix() - 60
	trade := func(from int) {
		for i := range 12 {
			market := []string{"BTC_USDT", "ETH_USDT"}[i%2]
			p.deal(market, []string{"buy", "sell"}[i%3%2], "0.25", fmt.Sprint(from+i*7%5))
		}
		p.order(p.alice, "BTC_USDT", "sell", "3", fmt.Sprint(from+50), nil)
		p.order(p.alice, "BTC_USDT", "sell", "3", fmt.Sprint(from+51), Fields{"rpi": true})
		p.order(p.bob, "BTC_USDT", "buy", "2", fmt.Sprint(from-50), nil)
	}
	look := func() map[string]any {
		t.Helper()
		end := time.Now().Unix()
		seen := map[string]any{}
		for _, path := range []string{
			"v4/public/markets", "v4/public/assets", "v4/public/fee", "v4/public/ticker", "v4/public/orderbook/BTC_USDT", "v4/public/orderbook/ETH_USDT",
			"v4/public/orderbook/BTC_USDT?level=2", "v4/public/orderbook/depth/BTC_USDT", "v4/public/trades/BTC_USDT", "v4/public/trades/ETH_USDT?type=sell",
			"v1/public/tickers", "v1/public/ticker?market=BTC_USDT", "v1/public/depth/result?market=BTC_USDT", "v1/public/history?market=ETH_USDT&lastId=0&limit=100",
		} {
			seen[path] = p.json("/api/" + path)
		}
		for _, i := range klineIntervals {
			// From one moment on, so that the answers differ by what was traded only.
			seen[i.name] = p.json(fmt.Sprintf("/api/v1/public/kline?market=BTC_USDT&interval=%s&start=%d&end=%d", i.name, klineBegin(time.Unix(begin, 0).UTC(), i.length).Unix(), end+1))
		}
		publicForgetTimes(seen)
		return seen
	}
	same := func(how string, before, after map[string]any) {
		t.Helper()
		for path := range before {
			if !reflect.DeepEqual(before[path], after[path]) {
				t.Errorf("%s: %s\nbefore %v\nafter  %v", how, path, before[path], after[path])
			}
		}
	}
	trade(100)
	before := look()
	p.Stop()
	p.Restart()
	same("SIGTERM", before, look())
	trade(110)
	before = look()
	p.Kill()
	p.Restart()
	same("kill -9", before, look())
	p.Kill()
	p.Restart()
	same("kill -9 right after a start", before, look())
	trade(120) // and it goes on
}

// publicForgetTimes removes when the answers were given.
func publicForgetTimes(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "timestamp")
		delete(v, "at")
		for _, inner := range v {
			publicForgetTimes(inner)
		}
	case []any:
		for _, inner := range v {
			publicForgetTimes(inner)
		}
	}
}
