package conform

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bourse/internal/fixed"
)

// tickBegin is half a minute past an hour, on a Friday.
var tickBegin = time.Date(2027, 1, 15, 10, 0, 30, 0, time.UTC)

// tickFloor is a venue with a few trades on BTC_USDT: 1 @ 100 three hours ago, 2 @ 110 and 0.5 @ 90
// within the minute. ETH_USDT and NEW_USDT did not trade.
func tickFloor(t *testing.T) (*publicFloor, *publicClock) {
	p, clock := publicInside(t, publicWorld(t, "BTC", "ETH", "NEW"), tickBegin.Add(-3*time.Hour))
	p.deal("BTC_USDT", "buy", "1", "100")
	clock.set(tickBegin.Add(-5 * time.Second))
	p.deal("BTC_USDT", "sell", "2", "110")
	clock.set(tickBegin)
	p.deal("BTC_USDT", "buy", "0.5", "90")
	return p, clock
}

// same holds a text to be the JSON of another.
func tickSame(t *testing.T, got, want string) {
	t.Helper()
	var value any
	Reply{Body: got}.Read(t, &value)
	publicSame(t, value, want)
}

// changed is the first push of a method that is not what was pushed before.
func (s *Socket) changed(method, before string) string {
	s.t.Helper()
	for range 20 {
		if got := s.Pushed(method); got != before {
			return got
		}
	}
	s.t.Fatalf("%s goes on with %s", method, before)
	return ""
}

// ticks waits until every channel of this file had a tick. The socket must have no other use for
// statistics of a day.
func (s *Socket) ticks() {
	s.t.Helper()
	s.Must("market_subscribe", "NEW_USDT")
	for range 3 { // the first one comes at once
		s.Pushed("market_update")
	}
	s.Must("market_unsubscribe")
}

// heard are the pushes of a method that came and were not looked at.
func (s *Socket) heard(method string) (list []string) {
	for _, p := range s.pushes {
		if p.Method == method {
			list = append(list, string(p.Params))
		}
	}
	return list
}

const (
	tickCandle = `[[1800007200,"110","90","110","90","2.5","265","BTC_USDT"]]`
	tickDay    = `{"period":86400,"last":"90","open":"100","close":"90","high":"110","low":"90","volume":"3.5","deal":"365"}`
	tickToday  = `{"last":"90","open":"100","high":"110","low":"90","volume":"3.5","deal":"365"}`
	tickZeros  = `"last":"0","open":"0","high":"0","low":"0","volume":"0","deal":"0"}`
)

func TestTicksAreAnsweredAndPushed(t *testing.T) {
	t.Parallel()
	p, _ := tickFloor(t)
	if begin := tickBegin.Unix() / 60 * 60; begin != 1800007200 {
		t.Fatal(begin)
	}

	t.Run("requests", func(t *testing.T) {
		s := p.Socket()
		tickSame(t, s.Must("lastprice_request", "BTC_USDT"), `"90"`)
		tickSame(t, s.Must("lastprice_request", "NEW_USDT"), `"0"`)
		tickSame(t, s.Must("market_request", "BTC_USDT", 86400), tickDay)
		tickSame(t, s.Must("market_request", "BTC_USDT", 5), strings.NewReplacer("86400", "5", "3.5", "2.5", "365", "265").Replace(tickDay))
		tickSame(t, s.Must("market_request", "BTC_USDT", 4),
			`{"period":4,"last":"90","open":"110","close":"90","high":"90","low":"90","volume":"0.5","deal":"45"}`)
		tickSame(t, s.Must("market_request", "BTC_USDT", 10800), strings.Replace(tickDay, "86400", "10800", 1))
		tickSame(t, s.Must("market_request", "BTC_USDT", 2592000), strings.Replace(tickDay, "86400", "2592000", 1))
		tickSame(t, s.Must("market_request", "NEW_USDT", 1), `{"period":1,"close":"0",`+tickZeros)
		for _, query := range []string{"marketToday_query", "marketToday_request"} {
			tickSame(t, s.Must(query, "BTC_USDT"), tickToday)
			tickSame(t, s.Must(query, "NEW_USDT"), "{"+tickZeros)
		}
		tickSame(t, s.Must("candles_request", "BTC_USDT", tickBegin.Unix()-60, tickBegin.Unix(), 60), tickCandle)
	})

	for _, c := range []struct {
		channel string
		params  []any
		pushes  []string
	}{
		{"candles", []any{"BTC_USDT", 60}, []string{tickCandle}},
		{"candles", []any{"BTC_USDT", 120}, []string{tickCandle}},
		{"candles", []any{"BTC_USDT", 2}, []string{`[[1800007230,"90","90","90","90","0.5","45","BTC_USDT"]]`}},
		{"candles", []any{"BTC_USDT", 604800}, []string{fmt.Sprintf(`[[%d,"100","90","110","90","3.5","365","BTC_USDT"]]`, klineBegin(tickBegin, 7*klineDay).Unix())}},
		{"candles", []any{"BTC_USDT", 2592000}, []string{fmt.Sprintf(`[[%d,"100","90","110","90","3.5","365","BTC_USDT"]]`, klineBegin(tickBegin, 0).Unix())}},
		{"candles", []any{"NEW_USDT", 3600}, []string{`[[1800007200,"0","0","0","0","0","0","NEW_USDT"]]`}},
		{"lastprice", []any{"BTC_USDT", "NEW_USDT", "BTC_USDT"}, []string{`["BTC_USDT","90"]`, `["NEW_USDT","0"]`}},
		{"market", []any{"BTC_USDT", "NEW_USDT"}, []string{`["BTC_USDT",` + tickDay + `]`, `["NEW_USDT",{"period":86400,"close":"0",` + tickZeros + `]`}},
		{"marketToday", []any{"NEW_USDT", "BTC_USDT"}, []string{`["NEW_USDT",{` + tickZeros + `]`, `["BTC_USDT",` + tickToday + `]`}},
		{"premiumIndex", []any{}, []string{`[]`}},
	} {
		t.Run(fmt.Sprint("the reply to ", c.channel, c.params, " comes first, then the state at once"), func(t *testing.T) {
			s := p.Socket()
			params, _ := json.Marshal(c.params)
			for id := 1; id <= 2; id++ { // and again when it is replaced
				s.Send(fmt.Sprintf(`{"id":%d,"method":"%s_subscribe","params":%s}`, id, c.channel, params))
				message := s.Next()
				for id == 2 && strings.Contains(message, "_update") { // of the first subscription
					message = s.Next()
				}
				if want := fmt.Sprintf(`{"error":null,"result":{"status":"success"},"id":%d}`, id); message != want {
					t.Fatalf("%s, want %s", message, want)
				}
				for _, want := range c.pushes {
					tickSame(t, s.Next(), fmt.Sprintf(`{"method":"%s_update","params":%s,"id":null}`, c.channel, want))
				}
			}
		})
	}
}

func TestTicksGoOn(t *testing.T) {
	t.Parallel()
	p, _ := tickFloor(t)

	t.Run("statistics come whether something changed or not, and candles", func(t *testing.T) {
		s := p.Socket()
		for channel, params := range map[string][]any{
			"candles": {"BTC_USDT", 60}, "market": {"BTC_USDT"}, "marketToday": {"BTC_USDT"}, "premiumIndex": {},
		} {
			s.Must(channel+"_subscribe", params...)
		}
		for channel, want := range map[string]string{
			"candles": tickCandle, "market": `["BTC_USDT",` + tickDay + `]`, "marketToday": `["BTC_USDT",` + tickToday + `]`, "premiumIndex": `[]`,
		} {
			for range 3 {
				tickSame(t, s.Pushed(channel+"_update"), want)
			}
		}
	})

	t.Run("prices come when they are others", func(t *testing.T) {
		s := p.Socket()
		s.Must("lastprice_subscribe", "BTC_USDT", "ETH_USDT")
		tickSame(t, s.Pushed("lastprice_update"), `["BTC_USDT","90"]`)
		tickSame(t, s.Pushed("lastprice_update"), `["ETH_USDT","0"]`)
		s.ticks()
		p.deal("BTC_USDT", "buy", "1", "90")
		s.ticks()
		if got := s.heard("lastprice_update"); len(got) != 0 {
			t.Errorf("nothing changed: %s", got)
		}
		p.deal("ETH_USDT", "buy", "1", "7.5")
		tickSame(t, s.Pushed("lastprice_update"), `["ETH_USDT","7.5"]`)
		p.deal("BTC_USDT", "buy", "1", "95")
		tickSame(t, s.Pushed("lastprice_update"), `["BTC_USDT","95"]`)
	})

	t.Run("a candle is told how it ended, and the next one begins at its close", func(t *testing.T) {
		p, clock := tickFloor(t)
		s := p.Socket()
		s.Must("candles_subscribe", "BTC_USDT", 60)
		before := s.Pushed("candles_update")
		tickSame(t, before, tickCandle)
		clock.pass(20 * time.Second)
		p.deal("BTC_USDT", "sell", "0.5", "120")
		ended := `[1800007200,"110","120","120","90","3","325","BTC_USDT"]`
		before = s.changed("candles_update", before)
		tickSame(t, before, "["+ended+"]")

		flat := func(begin int) string { return fmt.Sprintf(`[%d,"120","120","120","120","0","0","BTC_USDT"]`, begin) }
		clock.set(tickBegin.Add(30*time.Second + 999*time.Millisecond))
		before = s.changed("candles_update", before)
		tickSame(t, before, "["+ended+","+flat(1800007260)+"]")
		tickSame(t, s.Pushed("candles_update"), before) // trades may still be on their way into it
		clock.pass(2 * time.Minute)
		before = s.changed("candles_update", before)
		tickSame(t, before, "["+ended+","+flat(1800007260)+","+flat(1800007320)+","+flat(1800007380)+"]")
		clock.pass(time.Second)
		before = s.changed("candles_update", before)
		tickSame(t, before, "["+flat(1800007320)+","+flat(1800007380)+"]")
		before = s.changed("candles_update", before)
		tickSame(t, before, "["+flat(1800007380)+"]")
		p.deal("BTC_USDT", "sell", "0.5", "115")
		tickSame(t, s.changed("candles_update", before), `[[1800007380,"115","115","115","115","0.5","57.5","BTC_USDT"]]`)
	})
}

// At midnight a new day begins: nothing was traded, at the last price.
func TestTicksAtMidnight(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2027, 1, 16, 0, 0, 0, 0, time.UTC)
	p, clock := publicInside(t, publicWorld(t, "BTC", "NEW"), midnight.Add(-30*time.Second))
	p.deal("BTC_USDT", "buy", "1", "100")
	p.deal("BTC_USDT", "buy", "1", "80")
	p.deal("BTC_USDT", "buy", "1", "90")
	s := p.Socket()
	s.Must("marketToday_subscribe", "BTC_USDT")
	before := s.Pushed("marketToday_update")
	tickSame(t, before, `["BTC_USDT",{"last":"90","open":"100","high":"100","low":"80","volume":"3","deal":"270"}]`)
	clock.set(midnight.Add(-time.Microsecond))
	if got := s.Pushed("marketToday_update"); got != before {
		t.Errorf("a moment before midnight: %s", got)
	}
	clock.set(midnight)
	before = s.changed("marketToday_update", before)
	tickSame(t, before, `["BTC_USDT",{"last":"90","open":"90","high":"90","low":"90","volume":"0","deal":"0"}]`)
	tickSame(t, s.Must("marketToday_query", "BTC_USDT"), `{"last":"90","open":"90","high":"90","low":"90","volume":"0","deal":"0"}`)
	tickSame(t, s.Must("market_request", "BTC_USDT", 86400),
		`{"period":86400,"last":"90","open":"100","close":"90","high":"100","low":"80","volume":"3","deal":"270"}`)
	p.deal("BTC_USDT", "sell", "2", "70")
	tickSame(t, s.changed("marketToday_update", before), `["BTC_USDT",{"last":"70","open":"90","high":"70","low":"70","volume":"2","deal":"140"}]`)
}

func TestTicksAreReplacedAndEnd(t *testing.T) {
	t.Parallel()
	p, _ := tickFloor(t)

	t.Run("a new subscription replaces the one before", func(t *testing.T) {
		s := p.Socket()
		s.Must("lastprice_subscribe", "BTC_USDT")
		s.Must("marketToday_subscribe", "BTC_USDT", "ETH_USDT")
		s.Must("candles_subscribe", "BTC_USDT", 60)
		s.Must("lastprice_subscribe", "ETH_USDT")
		s.Must("marketToday_subscribe", "NEW_USDT")
		s.Must("candles_subscribe", "BTC_USDT", 3600)
		s.pushes = nil
		s.ticks()
		p.deal("BTC_USDT", "buy", "1", "99")
		p.deal("ETH_USDT", "buy", "1", "8")
		s.ticks()
		for _, got := range s.heard("lastprice_update") {
			if strings.Contains(got, "BTC") {
				t.Errorf("%s", got)
			}
		}
		if got := s.heard("lastprice_update"); len(got) != 1 || got[0] != `["ETH_USDT","8"]` {
			t.Errorf("%s", got)
		}
		if got := s.heard("marketToday_update"); len(got) < 3 || strings.Contains(fmt.Sprint(got), "BTC") || strings.Contains(fmt.Sprint(got), "ETH") {
			t.Errorf("%s", got)
		}
		candles := s.heard("candles_update")
		tickSame(t, candles[len(candles)-1], `[[1800007200,"110","99","110","90","3.5","364","BTC_USDT"]]`)
	})

	t.Run("one that is refused leaves the one before", func(t *testing.T) {
		s := p.Socket()
		s.Must("market_subscribe", "BTC_USDT")
		s.Must("lastprice_subscribe", "BTC_USDT")
		s.Must("candles_subscribe", "BTC_USDT", 60)
		for _, channel := range []string{"market", "lastprice", "marketToday"} {
			s.Refused(9, "market NOPE_USDT does not exist", channel+"_subscribe", "ETH_USDT", "NOPE_USDT")
			s.Refused(1, "invalid argument", channel+"_subscribe")
		}
		s.Refused(9, "market NOPE_USDT does not exist", "candles_subscribe", "NOPE_USDT", 60)
		s.pushes = nil
		p.deal("BTC_USDT", "buy", "1", "98")
		tickSame(t, s.Pushed("lastprice_update"), `["BTC_USDT","98"]`)
		for range 2 {
			if got := s.Pushed("market_update"); !strings.HasPrefix(got, `["BTC_USDT",`) {
				t.Errorf("%s", got)
			}
			if got := s.Pushed("candles_update"); !strings.HasPrefix(got, `[[1800007200,`) {
				t.Errorf("%s", got)
			}
		}
	})

	t.Run("nothing is pushed after the end", func(t *testing.T) {
		s := p.Socket()
		subscriptions := map[string][]any{
			"candles": {"BTC_USDT", 60}, "lastprice": {"BTC_USDT"}, "marketToday": {"BTC_USDT"}, "premiumIndex": {},
		}
		for channel, params := range subscriptions {
			s.Must(channel + "_unsubscribe") // there is none yet
			s.Must(channel+"_subscribe", params...)
			s.Pushed(channel + "_update")
		}
		s.Must("candles_unsubscribe", "ETH_USDT", 5) // whatever it says
		s.Must("lastprice_unsubscribe", "ETH_USDT")
		s.Must("marketToday_unsubscribe")
		s.Must("premiumIndex_unsubscribe")
		s.pushes = nil
		p.deal("BTC_USDT", "buy", "1", "97")
		s.ticks()
		for channel := range subscriptions {
			if got := s.heard(channel + "_update"); len(got) != 0 {
				t.Errorf("%s: %s", channel, got)
			}
		}
	})
}

func TestTicksRefuse(t *testing.T) {
	t.Parallel()
	p, _ := tickFloor(t)
	s := p.Socket()
	now := tickBegin.Unix()

	for _, c := range []struct {
		text, method string
		params       []any
	}{
		{"invalid argument", "candles_request", nil},
		{"invalid argument", "candles_request", []any{"BTC_USDT", now, now}},
		{"invalid argument", "candles_request", []any{"BTC_USDT", now, now, 60, 1}},
		{"invalid argument", "candles_request", []any{"BTC_USDT", "1", now, 60}},
		{"invalid argument", "candles_request", []any{"BTC_USDT", 1, 2.5, 60}},
		{"invalid argument", "candles_request", []any{7, 1, 2, 60}},
		{"start is after end", "candles_request", []any{"BTC_USDT", now, now - 1, 60}},
		{"invalid argument", "candles_subscribe", []any{"BTC_USDT"}},
		{"invalid argument", "candles_subscribe", []any{"BTC_USDT", "60"}},
		{"invalid argument", "candles_subscribe", []any{[]string{"BTC_USDT"}, 60}},
		{"invalid argument", "lastprice_request", nil},
		{"invalid argument", "lastprice_request", []any{"BTC_USDT", "ETH_USDT"}},
		{"invalid argument", "lastprice_request", []any{nil}},
		{"invalid argument", "lastprice_subscribe", nil},
		{"invalid argument", "lastprice_subscribe", []any{"BTC_USDT", 5}},
		{"invalid argument", "market_request", []any{"BTC_USDT"}},
		{"invalid argument", "market_request", []any{"BTC_USDT", "86400"}},
		{"invalid argument", "market_request", []any{"BTC_USDT", 86400, 1}},
		{"period must be in range 1..2592000", "market_request", []any{"BTC_USDT", 0}},
		{"period must be in range 1..2592000", "market_request", []any{"BTC_USDT", -1}},
		{"period must be in range 1..2592000", "market_request", []any{"BTC_USDT", 2592001}},
		{"invalid argument", "market_subscribe", nil},
		{"invalid argument", "market_subscribe", []any{true}},
		{"invalid argument", "marketToday_query", nil},
		{"invalid argument", "marketToday_query", []any{"BTC_USDT", "ETH_USDT"}},
		{"invalid argument", "marketToday_request", []any{"BTC_USDT", "ETH_USDT"}},
		{"invalid argument", "marketToday_subscribe", nil},
		{"invalid argument", "premiumIndex_subscribe", []any{5}},
		{"the market is not futures", "premiumIndex_subscribe", []any{"BTC_USDT"}},
		{"the market is not futures", "premiumIndex_subscribe", []any{"NOPE_PERP"}},
	} {
		s.Refused(1, c.text, c.method, c.params...)
	}
	for method, more := range map[string][]any{
		"candles_request": {1, 2, 60}, "candles_subscribe": {60}, "lastprice_request": nil, "lastprice_subscribe": nil,
		"market_request": {60}, "market_subscribe": nil, "marketToday_query": nil, "marketToday_request": nil, "marketToday_subscribe": nil,
	} {
		for _, name := range []string{"NOPE_USDT", "btc_usdt", ""} {
			s.Refused(9, "market "+name+" does not exist", method, append([]any{name}, more...)...)
		}
	}
	s.Refused(4, "method not found", "premiumIndex_request")
	s.Refused(4, "method not found", "market_query")

	valid := map[int64]bool{}
	for _, length := range []int64{
		1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800,
		3600, 7200, 10800, 14400, 21600, 28800, 43200, 86400, 172800, 259200, 345600, 432000, 518400, 604800, 2592000,
	} {
		valid[length] = true
	}
	for _, length := range []int64{
		-60, -1, 0, 7, 8, 9, 11, 16, 45, 59, 61, 90, 150, 420, 1799, 2400, 3599, 3660, 5400, 18000, 36000, 86399, 86401, 129600, 604799, 604801,
		691200, 1209600, 2591999, 2592001, 5184000, 1 << 60,
	} {
		valid[length] = false
	}
	for length, good := range valid {
		if !good {
			s.Refused(1, "interval is invalid", "candles_subscribe", "BTC_USDT", length)
			s.Refused(1, "interval is invalid", "candles_request", "BTC_USDT", now-1, now, length)
			continue
		}
		s.Must("candles_subscribe", "BTC_USDT", length)
		s.Must("candles_request", "BTC_USDT", now-1, now, length)
	}
}

// tickChart are the candles of a request: whole, and those in which something was traded, as the
// REST API has them.
func tickChart(t *testing.T, s *Socket, from, to time.Time, seconds int64) (all [][]any, traded []any) {
	t.Helper()
	traded = []any{}
	Reply{Body: s.Must("candles_request", "BTC_USDT", from.Unix(), to.Unix(), seconds)}.Read(t, &all)
	for _, k := range all {
		if len(k) != 8 || k[7] != "BTC_USDT" {
			t.Fatalf("%v", k)
		}
		if k[5] != "0" {
			traded = append(traded, any(k[:7]))
		}
	}
	return all, traded
}

func TestTicksHaveTheCandlesOfREST(t *testing.T) {
	t.Parallel()
	p, clock, trades := klineWorld(t)
	now := time.UnixMicro(int64(clock.time())).UTC()
	s := p.Socket()

	for _, i := range klineIntervals {
		length := i.length
		if length == 0 {
			length = 30 * klineDay
		}
		for _, around := range []int{0, 8, 16, len(trades) - 1} {
			from, to := trades[around].at.Add(-60*length).Truncate(time.Second), trades[around].at.Add(60*length)
			if to.After(now) {
				to = now
			}
			all, traded := tickChart(t, s, from, to, int64(length/time.Second))
			if from.Unix() < 0 {
				from = time.Unix(0, 0)
			}
			want := publicAt(t, p.json(fmt.Sprintf("/api/v1/public/kline?market=BTC_USDT&interval=%s&start=%d&end=%d", i.name, from.Unix(), to.Unix())), "result")
			text, _ := json.Marshal(want)
			publicSame(t, traded, string(text))
			tickNoGaps(t, all, i.length)
		}
	}
	for _, seconds := range []int64{2, 3, 4, 5, 6, 12, 15, 20, 120, 240, 360, 600, 720, 1200, 10800, 172800, 345600, 432000, 518400} {
		length := time.Duration(seconds) * time.Second
		for _, around := range []int{0, 8, 16, len(trades) - 1} {
			from, to := trades[around].at.Add(-60*length).Truncate(time.Second), trades[around].at.Add(60*length)
			all, traded := tickChart(t, s, from, to, seconds)
			publicSame(t, traded, klineOf(trades, length, from, to))
			tickNoGaps(t, all, length)
		}
	}
}

// tickNoGaps checks that every candle begins where the one before ends, those without trades at its
// close.
func tickNoGaps(t *testing.T, all [][]any, length time.Duration) {
	t.Helper()
	for n := 1; n < len(all); n++ {
		before, k := all[n-1], all[n]
		end := time.Unix(publicInt(t, before[0]), 0).UTC()
		if length == 0 {
			end = end.AddDate(0, 1, 0)
		} else {
			end = end.Add(length)
		}
		flat := fmt.Sprint(k[1:7]) == fmt.Sprint([]any{before[2], before[2], before[2], before[2], "0", "0"})
		if publicInt(t, k[0]) != end.Unix() || k[5] == "0" && !flat {
			t.Fatalf("%v after %v", k, before)
		}
	}
}

func TestTicksRequestBounds(t *testing.T) {
	t.Parallel()
	p, clock, trades := klineWorld(t)
	now := time.UnixMicro(int64(clock.time())).UTC()
	s := p.Socket()
	last := trades[len(trades)-1].price.String()

	t.Run("of more than 1440 candles the newest are told", func(t *testing.T) {
		all, _ := tickChart(t, s, trades[0].at, now, 1)
		if len(all) != 1440 || publicInt(t, all[0][0]) != now.Unix()-1439 || publicInt(t, all[1439][0]) != now.Unix() || all[1439][2] != last {
			t.Errorf("%d candles, %v … %v", len(all), all[0], all[len(all)-1])
		}
		end := trades[7].at
		all, _ = tickChart(t, s, trades[0].at, end, 1)
		if len(all) != 1440 || publicInt(t, all[1439][0]) != end.Unix() {
			t.Errorf("%d candles, %v … %v", len(all), all[0], all[len(all)-1])
		}
	})

	t.Run("both ends are in it", func(t *testing.T) {
		begin := klineBegin(trades[3].at, time.Minute)
		for _, c := range []struct {
			from, to time.Time
			count    int
		}{
			{begin, begin, 1},
			{begin, begin.Add(time.Minute), 2},
			{begin, begin.Add(time.Minute - time.Second), 1},
			{begin.Add(time.Second), begin.Add(time.Minute), 1},
			{begin.Add(time.Second), begin.Add(time.Minute - time.Second), 0},
		} {
			if all, _ := tickChart(t, s, c.from, c.to, 60); len(all) != c.count {
				t.Errorf("from %s to %s: %v", c.from, c.to, all)
			}
		}
	})

	t.Run("a chart goes from the first trade to now", func(t *testing.T) {
		first := klineBegin(trades[0].at, klineDay).Unix()
		for _, bounds := range [][2]int64{{0, 1 << 40}, {-1 << 62, 1 << 62}, {first, now.Unix()}} {
			var all [][]any
			Reply{Body: s.Must("candles_request", "BTC_USDT", bounds[0], bounds[1], 86400)}.Read(t, &all)
			if len(all) == 0 || publicInt(t, all[0][0]) != first || publicInt(t, all[len(all)-1][0]) != klineBegin(now, klineDay).Unix() {
				t.Errorf("%v: %v", bounds, all)
			}
		}
		for _, bounds := range [][2]int64{{now.Unix() + 1, 1 << 62}, {-1 << 62, -1}, {0, first - 1}} {
			tickSame(t, s.Must("candles_request", "BTC_USDT", bounds[0], bounds[1], 86400), `[]`)
		}
		tickSame(t, s.Must("candles_request", "NEW_USDT", 0, now.Unix(), 60), `[]`)
	})

	t.Run("statistics of any period", func(t *testing.T) {
		for _, seconds := range []int64{1, 2, 19, 20, 21, 30, 59, 61, 3601, 40000, 86399, 86401, 1000000, 2592000} {
			from := now.Add(-time.Duration(seconds) * time.Second)
			open, high, low, volume, money := last, fixed.Zero, fixed.Zero, fixed.Zero, fixed.Zero
			for i, d := range trades {
				if d.at.Before(from) {
					continue
				}
				if volume.IsZero() {
					high, low = d.price, d.price
					open = trades[max(i-1, 0)].price.String()
				}
				if high.Less(d.price) {
					high = d.price
				}
				low = fixed.MinOf(low, d.price)
				deal, _ := fixed.Mul(d.price, d.amount, fixed.Places, fixed.Down)
				volume, money = volume.Add(d.amount), money.Add(deal)
			}
			if volume.IsZero() {
				high, low = trades[len(trades)-1].price, trades[len(trades)-1].price
			}
			tickSame(t, s.Must("market_request", "BTC_USDT", seconds),
				fmt.Sprintf(`{"period":%d,"last":%q,"open":%q,"close":%q,"high":%q,"low":%q,"volume":%q,"deal":%q}`, seconds, last, open, last, high, low, volume, money))
		}
	})
}
