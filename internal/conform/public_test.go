package conform

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// publicCoin is a crypto asset that needs no further thought.
func publicCoin(ticker string) Fields {
	return Fields{
		"ticker": ticker, "name": ticker + " coin", "class": "crypto", "scale": 18, "precision": 8,
		"can_deposit": true, "can_withdraw": true,
		"networks": []Fields{{"name": ticker, "can_deposit": true, "can_withdraw": true, "confirmations": 2, "confirmations_for_trading": 1}},
	}
}

// publicMarket is a market with a tick of 0.5 and a step of 0.005, changed by more.
func publicMarket(name string, more Fields) Fields {
	m := Fields{
		"name": name, "type": "spot", "tick_size": "0.5", "step_size": "0.005", "stock_prec": 3, "money_prec": 2, "fee_prec": 4,
		"min_amount": "0.005", "min_total": "0.001", "max_total": "10000000000", "maker_fee": "0.1", "taker_fee": "0.2", "enabled": true,
	}
	for name, value := range more {
		m[name] = value
	}
	return m
}

// publicWorld has markets of some coins against USDT, and two who own plenty: alice, and bob, who
// may place RPI and retail orders.
func publicWorld(t testing.TB, coins ...string) string {
	t.Helper()
	assets, markets := []Fields{publicCoin("USDT")}, []Fields{}
	money := Fields{"USDT": "1000000000"}
	for _, coin := range coins {
		assets, markets = append(assets, publicCoin(coin)), append(markets, publicMarket(coin+"_USDT", nil))
		money[coin] = "1000000"
	}
	return publicFile(t, assets, markets, publicAccount("alice", money), publicAccount("bob", money))
}

func publicAccount(name string, money Fields) Fields {
	return Fields{
		"name": name, "region": "global", "retail": true, "rpi": true, "deposits": money, "trade": money,
		"keys": []Fields{{"key": name, "secret": name + "-secret", "enabled": true}},
	}
}

func publicFile(t testing.TB, assets, markets []Fields, accounts ...Fields) string {
	t.Helper()
	b, err := json.Marshal(Fields{"assets": assets, "markets": markets, "accounts": accounts})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// publicFloor is a venue with its two traders.
type publicFloor struct {
	*Venue
	alice, bob *Client
}

func publicOpen(v *Venue) *publicFloor {
	return &publicFloor{v, v.Client("alice", "alice-secret"), v.Client("bob", "bob-secret")}
}

// order places a limit order and returns the answer.
func (p *publicFloor) order(c *Client, market, side, amount, price string, more Fields) map[string]any {
	p.t.Helper()
	fields := Fields{"market": market, "side": side, "amount": amount, "price": price}
	for name, value := range more {
		fields[name] = value
	}
	reply := c.Post("/api/v4/order/new", fields)
	if reply.Status != 200 {
		p.t.Fatalf("%s %s @ %s on %s: %d %s", side, amount, price, market, reply.Status, reply.Body)
	}
	var order map[string]any
	reply.Read(p.t, &order)
	return order
}

// deal lets bob take what alice offers.
func (p *publicFloor) deal(market, taker, amount, price string) {
	p.t.Helper()
	maker := map[string]string{"buy": "sell", "sell": "buy"}[taker]
	p.order(p.alice, market, maker, amount, price, nil)
	if order := p.order(p.bob, market, taker, amount, price, nil); order["status"] != "FILLED" {
		p.t.Fatalf("no deal: %v", order)
	}
}

// json gets something that must be there.
func (p *publicFloor) json(path string) any {
	p.t.Helper()
	return publicGet(p.t, p.Venue, path)
}

func publicGet(t testing.TB, v *Venue, path string) any {
	t.Helper()
	reply := v.Get(path)
	if reply.Status != 200 || !strings.HasPrefix(reply.Header.Get("Content-Type"), "application/json") {
		t.Fatalf("%s: %d %s %s", path, reply.Status, reply.Header.Get("Content-Type"), reply.Body)
	}
	var answer any
	reply.Read(t, &answer)
	return answer
}

// publicSame checks that a value is a JSON text: names, order of lists, types and all.
func publicSame(t testing.TB, got any, want string) {
	t.Helper()
	var wanted any
	Reply{Body: want}.Read(t, &wanted)
	if !reflect.DeepEqual(got, wanted) {
		b, _ := json.Marshal(got)
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

// at is what is found in a value along names and places.
func publicAt(t testing.TB, v any, way ...any) any {
	t.Helper()
	for _, step := range way {
		switch step := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			found, there := object[step]
			if !there {
				t.Fatalf("no %q in %v", step, v)
			}
			v = found
		case int:
			array, _ := v.([]any)
			if step >= len(array) {
				t.Fatalf("no item %d in %v", step, v)
			}
			v = array[step]
		}
	}
	return v
}

func publicInt(t testing.TB, v any) int64 {
	t.Helper()
	number, _ := v.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		t.Fatalf("%v (%T) is not an integer", v, v)
	}
	return n
}

// publicError checks an answer that says no.
func publicError(t testing.TB, v *Venue, path string, status int, want string) {
	t.Helper()
	reply := v.Get(path)
	if reply.Status != status {
		t.Errorf("%s: status %d, want %d: %s", path, reply.Status, status, reply.Body)
	}
	if contentType := reply.Header.Get("Content-Type"); !strings.HasPrefix(contentType, "application/json") {
		t.Errorf("%s: %s is not JSON", path, contentType)
	}
	var got any
	reply.Read(t, &got)
	publicSame(t, got, want)
}

// Errors about a market, in the forms of version 4, of version 1 and of candles.
const (
	publicNoMarket = `{"success":false,"message":"Market is not available.","errors":["Market is not available."],"market":["Market is not available."]}`
	firstNoMarket  = `{"success":false,"message":"Market is not available.","params":[]}`
	klineNoMarket  = `{"success":false,"message":{"market":["Market is not available."]},"result":null}`
)

// publicHidden checks that nothing tells of a market.
func publicHidden(t testing.TB, v *Venue, market string) {
	t.Helper()
	for _, path := range []string{"orderbook/", "orderbook/depth/", "trades/", "funding-history/"} {
		publicError(t, v, "/api/v4/public/"+path+market, 422, publicNoMarket)
	}
	for _, path := range []string{"ticker?", "depth/result?", "history?lastId=0&"} {
		publicError(t, v, "/api/v1/public/"+path+"market="+market, 422, firstNoMarket)
	}
	publicError(t, v, "/api/v1/public/kline?market="+market, 200, klineNoMarket)
	for _, path := range publicLists {
		if body := v.Get(path).Body; strings.Contains(body, market) {
			t.Errorf("%s tells of %s: %s", path, market, body)
		}
	}
}

var publicLists = []string{
	"/api/v4/public/markets", "/api/v4/public/ticker", "/api/v1/public/markets", "/api/v1/public/tickers", "/api/v1/public/symbols",
}

// publicShown checks that every list tells of a market, and that it can be asked for.
func publicShown(t testing.TB, v *Venue, market string) {
	t.Helper()
	for _, path := range publicLists {
		if body := v.Get(path).Body; !strings.Contains(body, `"`+market+`"`) {
			t.Errorf("%s does not tell of %s: %s", path, market, body)
		}
	}
	for _, path := range []string{"v4/public/orderbook/", "v4/public/orderbook/depth/", "v4/public/trades/", "v1/public/ticker?market=", "v1/public/kline?market="} {
		publicGet(t, v, "/api/"+path+market)
	}
}

// publicClock is a time of day that a test sets.
type publicClock struct{ now atomic.Int64 }

func (c *publicClock) set(t time.Time) { c.now.Store(t.UnixMicro()) }

func (c *publicClock) pass(d time.Duration) { c.now.Add(d.Microseconds()) }

func (c *publicClock) time() schema.Time { return schema.Time(c.now.Load()) }

// publicInside is a venue inside the test, whose clock begins at a moment.
func publicInside(t testing.TB, world string, begin time.Time) (*publicFloor, *publicClock) {
	t.Helper()
	clock := &publicClock{}
	clock.set(begin)
	v := Inside(t, world, func(o *exchange.Options) { o.Node.Clock = clock.time })
	return publicOpen(v), clock
}

func TestPublicBasics(t *testing.T) {
	v := Start(t, publicWorld(t, "BTC"), "--no-limits")

	t.Run("ping is an array of one pong", func(t *testing.T) {
		publicSame(t, publicGet(t, v, "/api/v4/public/ping"), `["pong"]`)
	})

	t.Run("time is whole seconds of now", func(t *testing.T) {
		before := time.Now().Unix()
		answer := publicGet(t, v, "/api/v4/public/time").(map[string]any)
		now := publicInt(t, publicAt(t, answer, "time"))
		if len(answer) != 1 || now < before || now > time.Now().Unix() {
			t.Errorf("%v, not between %d and now", answer, before)
		}
	})

	t.Run("the platform works", func(t *testing.T) {
		publicSame(t, publicGet(t, v, "/api/v4/public/platform/status"), `{"status":"system operational"}`)
	})

	t.Run("products that are not there are truthfully empty", func(t *testing.T) {
		for _, path := range []string{"collateral/markets", "futures"} {
			publicSame(t, publicGet(t, v, "/api/v4/public/"+path), `{"success":true,"message":null,"result":[]}`)
		}
		publicSame(t, publicGet(t, v, "/api/v4/public/mining-pool"), `{"data":{"connection_links":[],"location":"","assets":[],"reward_schemes":[],
			"workers":0,"current_hash_rate":"0","last7days_hash_rate":[],"blocks":[]}}`)
		publicError(t, v, "/api/v4/public/funding-history/BTC_USDT", 422, publicNoMarket)
		publicError(t, v, "/api/v4/public/funding-history/BTC_PERP?limit=100&offset=1000000&startDate=0&endDate=1", 422, publicNoMarket)
	})

	t.Run("funding history tells what is wrong with numbers as bare texts", func(t *testing.T) {
		for query, fault := range map[string][2]string{
			"limit=101":              {"limit", "limit must be less than or equal to 100"},
			"limit=0":                {"limit", "limit must be greater than or equal to 1"},
			"limit=ten":              {"limit", "limit must be an integer"},
			"offset=1000001":         {"offset", "offset must be less than or equal to 1000000"},
			"offset=-1":              {"offset", "offset must be greater than or equal to 0"},
			"startDate=5&endDate=5":  {"endDate", "endDate must be greater than to startDate"},
			"startDate=5&endDate=0":  {"endDate", "endDate must be greater than to startDate"},
			"startDate=-1&endDate=5": {"startDate", "startDate must be greater than or equal to 0"},
		} {
			publicError(t, v, "/api/v4/public/funding-history/BTC_PERP?"+query, 422,
				fmt.Sprintf(`{"success":false,"message":%q,"errors":[%q],%q:%q}`, fault[1], fault[1], fault[0], fault[1]))
		}
	})

	t.Run("paths that are not there are 404 as JSON", func(t *testing.T) {
		for _, path := range []string{"", "nothing", "ping/", "ping/x", "orderbook", "orderbook/", "orderbook/depth/", "trades", "trades/", "trades/BTC_USDT/x", "funding-history", "kline", "Ping"} {
			publicError(t, v, "/api/v4/public/"+path, 404, `{"success":false,"message":"Not Found","errors":[]}`)
		}
		for _, path := range []string{"nothing", "depth", "kline/BTC_USDT", "ping"} {
			publicError(t, v, "/api/v1/public/"+path, 404, `{"success":false,"message":"Not Found","params":[]}`)
		}
	})

	t.Run("markets that are not there are told everywhere", func(t *testing.T) {
		for _, market := range []string{"NOPE_USDT", "btc_usdt", "BTCUSDT", "BTC-USDT", "depth", "%20", "%00", "%FF%FE", "BTC_USDT%20", "%22%7D", strings.Repeat("A", 3000)} {
			publicHiddenName(t, v, market)
		}
	})

	t.Run("percent-encoded names are names", func(t *testing.T) {
		for _, market := range []string{"BTC%5FUSDT", "%42TC_USDT", "BTC%5fUSDT"} {
			for _, path := range []string{"v4/public/orderbook/", "v4/public/orderbook/depth/", "v4/public/trades/", "v1/public/ticker?market=", "v1/public/depth/result?market=", "v1/public/kline?%6Darket="} {
				publicGet(t, v, "/api/"+path+market)
			}
		}
		publicSame(t, publicAt(t, publicGet(t, v, "/api/v4/public/orderbook/BTC%5FUSDT"), "ticker_id"), `"BTC_USDT"`)
	})

	t.Run("of a parameter that comes twice the last counts, and the path beats the query", func(t *testing.T) {
		publicGet(t, v, "/api/v4/public/orderbook/BTC_USDT?level=x&level=0&market=NOPE_USDT")
		publicGet(t, v, "/api/v1/public/ticker?market=NOPE_USDT&market=BTC_USDT")
		publicError(t, v, "/api/v1/public/ticker?market=BTC_USDT&market=NOPE_USDT", 422, firstNoMarket)
	})

	t.Run("parameters that nobody reads are ignored", func(t *testing.T) {
		for _, query := range []string{"?", "?a", "?&&&", "?=x", "?%", "?%zz=%zz", "?a=%00&b[]=1&b[]=2", "?limit", "?" + strings.Repeat("x=1&", 2000)} {
			publicSame(t, publicGet(t, v, "/api/v4/public/ping"+query), `["pong"]`)
		}
	})

	t.Run("browsers of other sites are not let in", func(t *testing.T) {
		reply := v.Send("GET", "/api/v4/public/ticker", map[string]string{"Origin": "https://elsewhere.example"}, nil)
		if header := reply.Header.Get("Access-Control-Allow-Origin"); reply.Status != 200 || header != "" {
			t.Errorf("%d, Access-Control-Allow-Origin %q", reply.Status, header)
		}
	})

	t.Run("everything is a GET", func(t *testing.T) {
		for _, path := range []string{"/api/v4/public/ping", "/api/v4/public/trades/BTC_USDT", "/api/v1/public/symbols"} {
			if reply := v.Send("POST", path, nil, []byte("{}")); reply.Status != 405 || !json.Valid([]byte(reply.Body)) {
				t.Errorf("POST %s: %d %s", path, reply.Status, reply.Body)
			}
		}
	})
}

// publicHiddenName checks that a name that may need encoding is no market.
func publicHiddenName(t *testing.T, v *Venue, market string) {
	t.Helper()
	for _, path := range []string{"orderbook/", "orderbook/depth/", "trades/", "funding-history/"} {
		publicError(t, v, "/api/v4/public/"+path+market, 422, publicNoMarket)
	}
	for _, path := range []string{"ticker?", "depth/result?", "history?lastId=0&"} {
		publicError(t, v, "/api/v1/public/"+path+"market="+market, 422, firstNoMarket)
	}
	publicError(t, v, "/api/v1/public/kline?market="+market, 200, klineNoMarket)
}

func TestPublicMarkets(t *testing.T) {
	coins := []Fields{publicCoin("SON"), publicCoin("USD"), publicCoin("ETH"), publicCoin("OFF"), publicCoin("EUX"), publicCoin("GLO")}
	world := publicFile(t, coins, []Fields{
		publicMarket("SON_USD", Fields{"tick_size": "0.01", "step_size": "0.001"}),
		publicMarket("ETH_USD", Fields{"tick_size": "0", "step_size": "0", "max_total": "0", "maker_fee": "-0.025"}),
		publicMarket("OFF_USD", Fields{"enabled": false}),
		publicMarket("EUX_USD", Fields{"regions": []string{"eu"}}),
		publicMarket("GLO_USD", Fields{"regions": []string{"global"}}),
	})
	son := `{"name":"SON_USD","stock":"SON","money":"USD","stockPrec":"3","moneyPrec":"2","feePrec":"4","makerFee":"0.1","takerFee":"0.2",
		"minAmount":"0.005","tickSize":"0.01","stepSize":"0.001","minTotal":"0.001","maxTotal":"10000000000","tradesEnabled":true,
		"isCollateral":false,"type":"spot","isTradFiFutures":false,"delistedAt":null}`
	eth := `{"name":"ETH_USD","stock":"ETH","money":"USD","stockPrec":"3","moneyPrec":"2","feePrec":"4","makerFee":"-0.025","takerFee":"0.2",
		"minAmount":"0.005","tickSize":"","stepSize":"","minTotal":"0.001","maxTotal":"0","tradesEnabled":true,
		"isCollateral":false,"type":"spot","isTradFiFutures":false,"delistedAt":null}`
	other := func(name string) string {
		s := strings.NewReplacer("SON", name, `"tickSize":"0.01"`, `"tickSize":"0.5"`, `"stepSize":"0.001"`, `"stepSize":"0.005"`).Replace(son)
		return s
	}
	first := func(name, maker string) string {
		return fmt.Sprintf(`{"name":"%s_USD","stock":%q,"money":"USD","stockPrec":"3","moneyPrec":"2","feePrec":"4","makerFee":%q,"takerFee":"0.2","minAmount":"0.005"}`, name, name, maker)
	}
	for region, own := range map[string][2]string{"global": {"GLO", "EUX"}, "eu": {"EUX", "GLO"}} {
		t.Run(region, func(t *testing.T) {
			v := Start(t, world, "--no-limits", "--region", region)
			publicSame(t, publicGet(t, v, "/api/v4/public/markets"), "["+son+","+eth+","+other(own[0])+"]")
			publicSame(t, publicGet(t, v, "/api/v1/public/markets"),
				`{"success":true,"message":null,"result":[`+first("SON", "0.1")+","+first("ETH", "-0.025")+","+first(own[0], "0.1")+`]}`)
			publicSame(t, publicGet(t, v, "/api/v1/public/symbols"), fmt.Sprintf(`{"success":true,"message":null,"result":["SON_USD","ETH_USD","%s_USD"]}`, own[0]))
			publicShown(t, v, "SON_USD")
			publicShown(t, v, own[0]+"_USD")
			publicHidden(t, v, own[1]+"_USD")
			publicHidden(t, v, "OFF_USD")
		})
	}
}
