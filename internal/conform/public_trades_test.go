package conform

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestPublicTrades(t *testing.T) {
	p := publicOpen(Start(t, publicWorld(t, "NONE", "SHAPE", "MANY"), "--no-limits"))

	t.Run("a market without trades has an empty list", func(t *testing.T) {
		publicSame(t, p.json("/api/v4/public/trades/NONE_USDT"), `[]`)
		publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "NONE_USDT"),
			`{"base_id":0,"quote_id":0,"last_price":"0","quote_volume":"0","base_volume":"0","isFrozen":false,"change":"0"}`)
	})

	t.Run("names of volumes are the other way round than in the ticker", func(t *testing.T) {
		before := time.Now().Unix()
		p.deal("SHAPE_USDT", "buy", "0.5", "200")
		trade := publicAt(t, p.json("/api/v4/public/trades/SHAPE_USDT"), 0).(map[string]any)
		at := publicInt(t, trade["trade_timestamp"])
		if at < before || at > time.Now().Unix() {
			t.Errorf("traded at %d", at)
		}
		if publicInt(t, trade["tradeID"]) <= 0 {
			t.Errorf("%v", trade)
		}
		delete(trade, "trade_timestamp")
		delete(trade, "tradeID")
		publicSame(t, trade, `{"price":"200","quote_volume":"0.5","base_volume":"100","type":"buy","rpi":false}`)
		publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "SHAPE_USDT"),
			`{"base_id":0,"quote_id":0,"last_price":"200","quote_volume":"100","base_volume":"0.5","isFrozen":false,"change":"0"}`)
	})

	t.Run("the newest hundred, newest first; type is the side of the taker", func(t *testing.T) {
		for i := range 6 {
			publicBulk(p, p.alice, "MANY_USDT", "sell", 100+20*i)
		}
		// One buyer takes 120 makers, then a bid is hit.
		p.order(p.bob, "MANY_USDT", "buy", "120", "300", nil)
		p.deal("MANY_USDT", "sell", "0.005", "90")
		trades := p.json("/api/v4/public/trades/MANY_USDT").([]any)
		if len(trades) != 100 {
			t.Fatalf("%d trades", len(trades))
		}
		publicSame(t, publicAt(t, trades, 0, "type"), `"sell"`)
		publicSame(t, publicAt(t, trades, 0, "price"), `"90"`)
		publicSame(t, publicAt(t, trades, 0, "base_volume"), `"0.45"`)
		for i := 1; i < 100; i++ {
			if price := publicAt(t, trades, i, "price"); price != fmt.Sprint(220-i) || publicAt(t, trades, i, "type") != "buy" {
				t.Fatalf("trade %d: %v", i, trades[i])
			}
			if publicInt(t, publicAt(t, trades, i, "tradeID")) >= publicInt(t, publicAt(t, trades, i-1, "tradeID")) {
				t.Fatalf("trades %d and %d are not newest first", i-1, i)
			}
		}
		// A side is looked for among all trades, not among the hundred newest.
		buys := p.json("/api/v4/public/trades/MANY_USDT?type=buy").([]any)
		if len(buys) != 100 || !reflect.DeepEqual(buys[:99], trades[1:]) {
			t.Errorf("%d buys, the first %v", len(buys), buys[0])
		}
		if sells := p.json("/api/v4/public/trades/MANY_USDT?type=sell").([]any); len(sells) != 1 || !reflect.DeepEqual(sells[0], trades[0]) {
			t.Errorf("sells: %v", sells)
		}
		for _, query := range []string{"?type=", "?limit=3", "?type=x&type="} {
			if all := p.json("/api/v4/public/trades/MANY_USDT" + query); !reflect.DeepEqual(all, any(trades)) {
				t.Errorf("%s: %v", query, all)
			}
		}
	})

	t.Run("another type is told", func(t *testing.T) {
		text := "Type should be 'sell' or 'buy'."
		for _, word := range []string{"both", "BUY", "buy%20", "1", "%00"} {
			publicError(t, p.Venue, "/api/v4/public/trades/MANY_USDT?type="+word, 422,
				fmt.Sprintf(`{"success":false,"message":%q,"errors":[%q],"type":[%q]}`, text, text, text))
		}
	})
}
