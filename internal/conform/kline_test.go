package conform

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// klineTrade is a trade that a test made.
type klineTrade struct {
	at            time.Time
	price, amount fixed.Decimal
}

// klineIntervals are all intervals and how far their candles go back when nobody says.
var klineIntervals = []struct {
	name   string
	length time.Duration // 0: a month of the calendar
	window time.Duration
}{
	{"1s", time.Second, 10 * time.Minute},
	{"10s", 10 * time.Second, 10 * time.Minute},
	{"30s", 30 * time.Second, 10 * time.Minute},
	{"1m", time.Minute, klineDay},
	{"3m", 3 * time.Minute, klineDay},
	{"5m", 5 * time.Minute, klineDay},
	{"15m", 15 * time.Minute, klineDay},
	{"30m", 30 * time.Minute, klineDay},
	{"1h", time.Hour, 7 * klineDay},
	{"2h", 2 * time.Hour, 7 * klineDay},
	{"4h", 4 * time.Hour, 7 * klineDay},
	{"6h", 6 * time.Hour, 7 * klineDay},
	{"8h", 8 * time.Hour, 7 * klineDay},
	{"12h", 12 * time.Hour, 7 * klineDay},
	{"1d", klineDay, 31 * klineDay},
	{"3d", 3 * klineDay, 31 * klineDay},
	{"1w", 7 * klineDay, 31 * klineDay},
	{"1M", 0, 366 * klineDay},
}

const klineDay = 24 * time.Hour

// klineBegin is when the candle of a moment begins.
func klineBegin(at time.Time, length time.Duration) time.Time {
	switch length {
	case 0:
		return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	case 7 * klineDay:
		midnight := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
		return midnight.AddDate(0, 0, -(int(at.Weekday())+6)%7) // Monday
	default:
		seconds := int64(length / time.Second)
		return time.Unix(at.Unix()/seconds*seconds, 0).UTC()
	}
}

// klineOf are the candles of trades that begin within bounds, as the API writes them.
func klineOf(trades []klineTrade, length time.Duration, from, to time.Time) string {
	type candle struct {
		begin                                 time.Time
		open, last, high, low, volume, amount fixed.Decimal
	}
	var all []*candle
	for _, d := range trades {
		begin := klineBegin(d.at, length)
		if begin.Before(from) || begin.After(to) {
			continue
		}
		if len(all) == 0 || !all[len(all)-1].begin.Equal(begin) {
			all = append(all, &candle{begin: begin, open: d.price, high: d.price, low: d.price})
		}
		k := all[len(all)-1]
		k.last = d.price
		if k.high.Less(d.price) {
			k.high = d.price
		}
		k.low = fixed.MinOf(k.low, d.price)
		money, _ := fixed.Mul(d.price, d.amount, fixed.Places, fixed.Down)
		k.volume, k.amount = k.volume.Add(d.amount), k.amount.Add(money)
	}
	list := []any{}
	for _, k := range all {
		list = append(list, []any{k.begin.Unix(), k.open.String(), k.last.String(), k.high.String(), k.low.String(), k.volume.String(), k.amount.String()})
	}
	b, _ := json.Marshal(list)
	return string(b)
}

// klineWorld is a market with trades over four months: the gaps between them go from less than a
// second to weeks. The clock stands a while after the last.
func klineWorld(t *testing.T) (*publicFloor, *publicClock, []klineTrade) {
	begin := time.Date(2026, 11, 2, 9, 59, 59, 250_000_000, time.UTC)
	p, clock := publicInside(t, publicWorld(t, "BTC", "NEW"), begin)
	var trades []klineTrade
	gaps := []time.Duration{
		0, 400 * time.Millisecond, 350 * time.Millisecond, 9 * time.Second, 25 * time.Second, 2 * time.Minute, 11 * time.Minute, 50 * time.Minute,
		3 * time.Hour, 11 * time.Hour, klineDay, 3 * klineDay, 6 * klineDay, 20 * klineDay, 35 * klineDay, 27 * klineDay, 6 * klineDay, 40 * time.Hour,
		23 * time.Hour, 5 * time.Hour, 59 * time.Minute, 14 * time.Minute, 4 * time.Minute, 61 * time.Second, 31 * time.Second, 9 * time.Second, time.Second,
		700 * time.Millisecond, 200 * time.Millisecond,
	}
	for i, gap := range gaps {
		clock.pass(gap)
		price, amount := fixed.FromUnits(int64(1000+i*i*37%151)*5, 1), fixed.FromUnits(int64(5+5*(i*7%11)), 3)
		side := "buy"
		if i%3 == 0 {
			side = "sell"
		}
		p.deal("BTC_USDT", side, amount.String(), price.String())
		trades = append(trades, klineTrade{time.UnixMicro(int64(clock.time())).UTC(), price, amount})
	}
	clock.pass(20 * time.Second)
	return p, clock, trades
}

func TestKline(t *testing.T) {
	p, clock, trades := klineWorld(t)
	now := time.UnixMicro(int64(clock.time())).UTC()
	first := trades[0].at
	get := func(t *testing.T, query string) any {
		t.Helper()
		return publicAt(t, p.json("/api/v1/public/kline?market=BTC_USDT"+query), "result")
	}

	t.Run("every interval, with the window that goes with it", func(t *testing.T) {
		for _, i := range klineIntervals {
			publicSame(t, get(t, "&interval="+i.name), klineOf(trades, i.length, now.Add(-i.window), now))
		}
	})

	t.Run("every interval, from the first trade on and between bounds", func(t *testing.T) {
		for _, i := range klineIntervals {
			length := i.length
			if length == 0 {
				length = 30 * klineDay
			}
			from := klineBegin(first, i.length)
			to := from.Add(1440*length - time.Second)
			if to.After(now) {
				to = now
			}
			publicSame(t, get(t, fmt.Sprintf("&interval=%s&start=%d", i.name, from.Unix())), klineOf(trades, i.length, from, to))
			if bounded := from.Add(30 * klineDay); bounded.Before(to) {
				publicSame(t, get(t, fmt.Sprintf("&interval=%s&start=%d&end=%d", i.name, from.Unix(), bounded.Unix())), klineOf(trades, i.length, from, bounded))
			}
		}
	})

	t.Run("candles are an hour long unless something else is said", func(t *testing.T) {
		publicSame(t, get(t, ""), klineOf(trades, time.Hour, now.Add(-7*klineDay), now))
	})

	t.Run("a candle is time, open, close, high, low and the volumes, oldest first", func(t *testing.T) {
		months := get(t, fmt.Sprintf("&interval=1M&start=%d", klineBegin(first, 0).Unix())).([]any)
		if len(months) < 3 {
			t.Fatalf("%v", months)
		}
		for i, month := range months {
			k := month.([]any)
			if len(k) != 7 {
				t.Fatalf("%v", k)
			}
			if begin := publicInt(t, k[0]); i > 0 && begin <= publicInt(t, publicAt(t, months, i-1, 0)) {
				t.Errorf("candle %d begins at %d", i, begin)
			}
			for _, v := range k[1:] {
				if _, text := v.(string); !text {
					t.Errorf("%v is not a text", v)
				}
			}
		}
	})

	t.Run("a limit alone counts back from the end", func(t *testing.T) {
		for _, i := range klineIntervals {
			if i.length == 0 {
				continue // months are counted as thirty days
			}
			for _, limit := range []int{1, 2, 5, 1440} {
				want := klineOf(trades, i.length, now.Add(-time.Duration(limit)*i.length), now)
				publicSame(t, get(t, fmt.Sprintf("&interval=%s&limit=%d", i.name, limit)), want)
			}
		}
		end := first.Add(2 * time.Hour)
		publicSame(t, get(t, fmt.Sprintf("&interval=1m&limit=30&end=%d", end.Unix())), klineOf(trades, time.Minute, time.Unix(end.Unix(), 0).Add(-30*time.Minute), end))
		year := get(t, "&interval=1M&limit=12").([]any)
		publicSame(t, year, klineOf(trades, 0, now.Add(-360*klineDay), now))
	})

	t.Run("a start and a limit are a span from the start", func(t *testing.T) {
		from := first.Truncate(time.Minute)
		for _, limit := range []int{1, 2, 15, 1440} {
			to := from.Add(time.Duration(limit)*time.Minute - time.Second)
			publicSame(t, get(t, fmt.Sprintf("&interval=1m&start=%d&limit=%d", from.Unix(), limit)), klineOf(trades, time.Minute, from, to))
		}
	})

	t.Run("an end alone has the window before it", func(t *testing.T) {
		end := first.Add(36 * time.Hour)
		publicSame(t, get(t, fmt.Sprintf("&interval=15m&end=%d", end.Unix())), klineOf(trades, 15*time.Minute, time.Unix(end.Unix(), 0).Add(-klineDay), end))
	})

	t.Run("a market without trades has no candles", func(t *testing.T) {
		publicSame(t, p.json("/api/v1/public/kline?market=NEW_USDT&interval=1m"), `{"success":true,"message":null,"result":[]}`)
	})

	t.Run("what is wrong is told with 200, by field", func(t *testing.T) {
		late := now.Unix()
		for query, want := range map[string]string{
			"":                 `{"market":["Market field is required."]}`,
			"market=":          `{"market":["Market field is required."]}`,
			"market=NOPE_USDT": `{"market":["Market is not available."]}`,
			"market=NOPE_USDT&start=5&end=6&limit=7&interval=1d":            `{"market":["Market is not available."]}`,
			"market=BTC_USDT&start=100&end=100":                             `{"end":["End field must be greater then start."]}`,
			"market=BTC_USDT&start=100&end=99":                              `{"end":["End field must be greater then start."]}`,
			"market=BTC_USDT&end=0":                                         `{"end":["End field must be greater then start."]}`,
			fmt.Sprintf("market=BTC_USDT&start=%d", late+1):                 `{"end":["End field must be greater then start."]}`,
			fmt.Sprintf("market=BTC_USDT&end=%d", late+2):                   `{"end":["End field must not be in the future."]}`,
			fmt.Sprintf("market=BTC_USDT&start=%d&end=%d", late+3, late+60): `{"end":["End field must not be in the future."]}`,
			"market=BTC_USDT&start=-1":                                      `{"start":["The start must be at least 0."]}`,
			"market=BTC_USDT&start=x":                                       `{"start":["The start must be an integer."]}`,
			"market=BTC_USDT&end=1.5":                                       `{"end":["The end must be an integer."]}`,
			"market=BTC_USDT&limit=0":                                       `{"limit":["The limit must be at least 1."]}`,
			"market=BTC_USDT&limit=1441":                                    `{"limit":["The limit may not be greater than 1440."]}`,
			"market=BTC_USDT&limit=x":                                       `{"limit":["The limit must be an integer."]}`,
			"market=BTC_USDT&interval=2m":                                   `{"interval":["Interval is not available."]}`,
			"market=BTC_USDT&interval=1D":                                   `{"interval":["Interval is not available."]}`,
			"market=BTC_USDT&interval=":                                     `{"interval":["Interval is not available."]}`,
			"market=BTC_USDT&interval=7s&limit=0":                           `{"interval":["Interval is not available."],"limit":["The limit must be at least 1."]}`,
		} {
			publicError(t, p.Venue, "/api/v1/public/kline?"+query, 200, `{"success":false,"message":`+want+`,"result":null}`)
		}
		// A client whose clock is a second ahead is let in.
		get(t, fmt.Sprintf("&end=%d", late+1))
	})
}

// No answer has more than 1,440 candles, and those are the ones from the start on.
func TestKlineHasABound(t *testing.T) {
	begin := time.Date(2027, 1, 15, 10, 0, 0, 0, time.UTC)
	p, clock := publicInside(t, publicWorld(t, "BTC"), begin)
	const count = 1500
	p.order(p.alice, "BTC_USDT", "sell", "1000", "100", nil)
	bob, market := p.Exchange.API.Directory().Key([]byte("bob")).Account, p.Exchange.API.Directory().Market("BTC_USDT").ID
	for range count {
		p.Do(&schema.PlaceOrder{Account: bob, Order: schema.OrderRequest{
			Market: market, Type: schema.Limit, Side: schema.Buy, Amount: fixed.MustParse("0.005"), Price: fixed.FromInt(100), IOC: true,
		}})
		clock.pass(time.Second)
	}
	get := func(query string) []any {
		t.Helper()
		return publicAt(t, p.json("/api/v1/public/kline?market=BTC_USDT&interval=1s"+query), "result").([]any)
	}
	for query, want := range map[string][3]int64{ // how many, the first and the last after begin
		fmt.Sprintf("&start=%d", begin.Unix()):                                         {1440, 0, 1439},
		fmt.Sprintf("&start=%d&end=%d", begin.Unix(), begin.Unix()+count):              {1440, 0, 1439},
		fmt.Sprintf("&start=%d&end=%d&limit=1440", begin.Unix(), begin.Unix()+count):   {1440, 0, 1439},
		fmt.Sprintf("&start=%d&end=%d&limit=10", begin.Unix()+100, begin.Unix()+count): {10, 100, 109},
		"&limit=1440": {1440, count - 1440, count - 1},
		"":            {600, count - 600, count - 1},
	} {
		list := get(query)
		if int64(len(list)) != want[0] || publicInt(t, publicAt(t, list, 0, 0)) != begin.Unix()+want[1] || publicInt(t, publicAt(t, list, len(list)-1, 0)) != begin.Unix()+want[2] {
			t.Errorf("%s: %d candles, %v … %v, want %v", query, len(list), list[0], list[len(list)-1], want)
		}
	}
}
