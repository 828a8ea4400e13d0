package conform

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestFirstVersion(t *testing.T) {
	p := publicOpen(Start(t, publicWorld(t, "NONE", "DAY", "PAST"), "--no-limits"))

	t.Run("answers stand in an envelope", func(t *testing.T) {
		for _, path := range []string{"markets", "tickers", "symbols", "ticker?market=DAY_USDT", "kline?market=DAY_USDT", "history?market=DAY_USDT&lastId=0"} {
			answer := p.json("/api/v1/public/" + path).(map[string]any)
			if len(answer) != 3 || answer["success"] != true || answer["message"] != nil || answer["result"] == nil {
				t.Errorf("%s: %v", path, answer)
			}
		}
	})

	t.Run("a ticker before the first trade", func(t *testing.T) {
		publicSame(t, publicAt(t, p.json("/api/v1/public/ticker?market=NONE_USDT"), "result"),
			`{"open":"0","bid":"0","ask":"0","low":"0","high":"0","last":"0","volume":"0","deal":"0","change":"0"}`)
		publicSame(t, publicAt(t, p.json("/api/v1/public/tickers"), "result", "NONE_USDT", "ticker"),
			`{"bid":"0","ask":"0","low":"0","high":"0","last":"0","vol":"0","deal":"0","change":"0"}`)
	})

	t.Run("tickers tell the day, and name its volume differently", func(t *testing.T) {
		p.deal("DAY_USDT", "buy", "1", "100")
		p.deal("DAY_USDT", "sell", "2", "80.5")
		p.deal("DAY_USDT", "buy", "0.5", "120")
		p.order(p.alice, "DAY_USDT", "sell", "1", "121", nil)
		p.order(p.bob, "DAY_USDT", "buy", "1", "90", nil)
		publicSame(t, publicAt(t, p.json("/api/v1/public/ticker?market=DAY_USDT"), "result"),
			`{"open":"100","bid":"90","ask":"121","low":"80.5","high":"120","last":"120","volume":"3.5","deal":"321","change":"20"}`)
		before := time.Now().Unix()
		entry := publicAt(t, p.json("/api/v1/public/tickers"), "result", "DAY_USDT").(map[string]any)
		publicSame(t, entry["ticker"], `{"bid":"90","ask":"121","low":"80.5","high":"120","last":"120","vol":"3.5","deal":"321","change":"20"}`)
		if at := publicInt(t, entry["at"]); len(entry) != 2 || at < before || at > time.Now().Unix() {
			t.Errorf("%v", entry)
		}
		publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "DAY_USDT"),
			`{"base_id":0,"quote_id":0,"last_price":"120","quote_volume":"321","base_volume":"3.5","isFrozen":false,"change":"20"}`)
	})

	t.Run("history tells trades behind an id, newest first", func(t *testing.T) {
		for i := range 6 {
			publicBulk(p, p.alice, "PAST_USDT", "sell", 100+20*i)
		}
		p.order(p.bob, "PAST_USDT", "buy", "119", "300", nil)
		p.deal("PAST_USDT", "sell", "0.5", "50.5")
		history := func(query string) []any {
			t.Helper()
			return publicAt(t, p.json("/api/v1/public/history?market=PAST_USDT&"+query), "result").([]any)
		}
		all := history("lastId=0&limit=100")
		first := all[0].(map[string]any)
		id, moment := publicInt(t, first["id"]), string(first["time"].(json.Number))
		if seconds, micros, found := strings.Cut(moment, "."); !found || len(micros) != 6 || len(seconds) != 10 {
			t.Errorf("time %s is not seconds with microseconds", moment)
		}
		if len(all) != 100 || len(first) != 5 || id <= 0 {
			t.Errorf("%d trades, the newest %v", len(all), first)
		}
		publicSame(t, first["price"], `"50.5"`)
		publicSame(t, first["amount"], `"0.5"`)
		publicSame(t, first["type"], `"sell"`)
		publicSame(t, publicAt(t, all, 1, "price"), `"218"`)
		publicSame(t, publicAt(t, all, 1, "type"), `"buy"`)
		if few := history("lastId=0"); !reflect.DeepEqual(few, all[:50]) {
			t.Errorf("without a limit there are %d", len(few))
		}
		if few := history("lastId=0&limit=3"); !reflect.DeepEqual(few, all[:3]) {
			t.Errorf("limit=3: %v", few)
		}
		if later := history(fmt.Sprintf("lastId=%d&limit=100", publicInt(t, publicAt(t, all, 7, "id")))); !reflect.DeepEqual(later, all[:7]) {
			t.Errorf("behind the eighth there are %v", later)
		}
		if none := history(fmt.Sprintf("lastId=%d", id)); len(none) != 0 {
			t.Errorf("behind the newest there are %v", none)
		}
		if same := publicAt(t, p.json("/api/v4/public/trades/PAST_USDT"), 0, "tradeID"); publicInt(t, same) != id {
			t.Errorf("ids differ: %v and %d", same, id)
		}
	})

	t.Run("what is wrong is told in an envelope", func(t *testing.T) {
		for query, text := range map[string]string{
			"ticker":                                                   "Market field is required.",
			"ticker?market=":                                           "Market field is required.",
			"depth/result":                                             "Market field is required.",
			"depth/result?market=DAY_USDT&limit=0":                     "The limit must be at least 1.",
			"depth/result?market=DAY_USDT&limit=101":                   "The limit may not be greater than 100.",
			"depth/result?market=DAY_USDT&limit=x":                     "The limit must be an integer.",
			"depth/result?market=DAY_USDT&limit=":                      "The limit must be an integer.",
			"history":                                                  "Market field is required.",
			"history?lastId=0":                                         "Market field is required.",
			"history?market=DAY_USDT":                                  "LastId field is required.",
			"history?market=DAY_USDT&lastId=x":                         "The lastId must be an integer.",
			"history?market=DAY_USDT&lastId=-1":                        "The lastId must be at least 0.",
			"history?market=DAY_USDT&lastId=0&limit=101":               "The limit may not be greater than 100.",
			"history?market=DAY_USDT&lastId=0&limit=0":                 "The limit must be at least 1.",
			"ticker?market=NOPE_USDT":                                  "Market is not available.",
			"depth/result?market=NOPE_USDT":                            "Market is not available.",
			"history?market=NOPE_USDT&lastId=0&limit=5":                "Market is not available.",
			"history?market=" + strings.Repeat("%22", 5) + "&lastId=0": "Market is not available.",
		} {
			publicError(t, p.Venue, "/api/v1/public/"+query, 422, fmt.Sprintf(`{"success":false,"message":%q,"params":[]}`, text))
		}
	})
}
