package conform

import (
	"fmt"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// futuresWorld has BTC with a spot market and a future.
func futuresWorld(t testing.TB, more Fields) string {
	t.Helper()
	perp := publicMarket("BTC_PERP", Fields{
		"type": "futures", "bracket_100": "50000", "bracket_50": "250000.75", "maker_fee": "0.02", "taker_fee": "0.05", "funding_minutes": 5,
	})
	for name, value := range more {
		perp[name] = value
	}
	money := Fields{"BTC": "100", "USDT": "1000000"}
	trader := func(name string) Fields {
		return Fields{
			"name": name, "region": "global", "deposits": money, "trade": money,
			"keys": []Fields{{"key": name, "secret": name + "-secret", "enabled": true}},
		}
	}
	return publicFile(t, []Fields{publicCoin("BTC"), publicCoin("USDT")}, []Fields{publicMarket("BTC_USDT", nil), perp}, trader("alice"), trader("bob"))
}

func TestPublicFutures(t *testing.T) {
	begin := time.Date(2027, 1, 15, 10, 0, 0, 0, time.UTC)
	p, clock := publicInside(t, futuresWorld(t, nil), begin)
	perp := p.listing("BTC_PERP").ID
	// want is the one future, with its prices and the moment of its next settlement.
	want := func(last, index, mark, rate string, settles time.Time) {
		t.Helper()
		publicSame(t, p.json("/api/v4/public/futures"), fmt.Sprintf(`{"success":true,"message":null,"result":[{
			"ticker_id":"BTC_PERP","stock_currency":"BTC","money_currency":"USDT","last_price":%q,"stock_volume":"0","money_volume":"0",
			"bid":"0","ask":"0","high":"0","low":"0","product_type":"Perpetual","open_interest":"0","index_price":%q,"mark_price":%q,
			"index_name":"BTC coin","index_currency":"BTC","funding_rate":%q,"funding_cap":"0.0003","funding_floor":"-0.0003",
			"next_funding_rate_timestamp":"%d","brackets":{"1":0,"2":0,"3":0,"5":0,"10":0,"20":0,"50":250000,"100":50000},
			"max_leverage":100,"funding_interval_minutes":5}]}`, last, index, mark, rate, settles.UnixMilli()))
	}
	says := func(source uint8, price string) {
		p.Do(&schema.SetIndex{Market: perp, Source: source, Price: fixed.MustParse(price)})
	}
	first := begin.Add(5 * time.Minute)

	t.Run("before any price the index is that of the last trade, and there is no mark", func(t *testing.T) {
		want("0", "0", "", "0", first)
		p.deal("BTC_USDT", "buy", "1", "49000")
		want("0", "49000", "", "0", first)
	})
	t.Run("index, mark and funding", func(t *testing.T) {
		says(0, "50000.1")
		says(8, "50010.3")
		want("0", "50005.2", "50005.2", "0", first)
	})
	t.Run("a stale index is none", func(t *testing.T) {
		clock.pass(30 * time.Second)
		p.Do(&schema.Tick{})
		want("0", "49000", "", "0", first)
		says(0, "50000")
		want("0", "50000", "50000", "0", first)
	})
	t.Run("the next settlement comes after the last", func(t *testing.T) {
		clock.pass(5 * time.Minute)
		says(0, "50000")
		p.Do(&schema.Tick{})
		want("0", "50000", "50000", "0", begin.Add(10*time.Minute))
	})
	t.Run("listings say what it is", func(t *testing.T) {
		publicSame(t, p.json("/api/v4/public/collateral/markets"), `{"success":true,"message":null,"result":["BTC_PERP"]}`)
		publicSame(t, publicAt(t, p.json("/api/v4/public/markets"), 1), `{"name":"BTC_PERP","stock":"BTC","money":"USDT","stockPrec":"3","moneyPrec":"2",
			"feePrec":"4","makerFee":"0.02","takerFee":"0.05","minAmount":"0.005","tickSize":"0.5","stepSize":"0.005","minTotal":"0.001",
			"maxTotal":"10000000000","tradesEnabled":true,"isCollateral":true,"type":"futures","isTradFiFutures":false,"delistedAt":null}`)
		publicSame(t, publicAt(t, p.json("/api/v4/public/markets"), 0, "isCollateral"), "false")
		publicShown(t, p.Venue, "BTC_PERP")
	})
	t.Run("open interest is the size of all longs", func(t *testing.T) {
		says(0, "50000")
		for i, side := range []schema.Side{schema.Sell, schema.Buy} {
			id := schema.FirstCustomer + schema.AccountID(i)
			p.Do(&schema.Deposit{Account: id, Asset: 2, Amount: fixed.FromInt(100_000)})
			p.Do(&schema.Transfer{Account: id, Asset: 2, Amount: fixed.FromInt(100_000), From: schema.Main, To: schema.Collateral})
			p.Do(&schema.PlaceOrder{Account: id, Order: schema.OrderRequest{
				Market: perp, Type: schema.Limit, Side: side, Amount: fixed.FromUnits(5, 1), Price: fixed.FromInt(50_000), Collateral: true,
			}})
		}
		publicSame(t, publicAt(t, p.json("/api/v4/public/futures"), "result", 0, "open_interest"), `"0.5"`)
	})
	t.Run("one that is switched off is nowhere", func(t *testing.T) {
		m := p.listing("BTC_PERP")
		m.Enabled = false
		p.Do(&schema.SetMarket{Market: m})
		for _, path := range []string{"collateral/markets", "futures"} {
			publicSame(t, p.json("/api/v4/public/"+path), `{"success":true,"message":null,"result":[]}`)
		}
		publicHidden(t, p.Venue, "BTC_PERP")
	})
}

// TestPublicFuturesAreNotOfferedInTheEU: where nothing is traded from collateral the lists say so.
func TestPublicFuturesAreNotOfferedInTheEU(t *testing.T) {
	v := Start(t, futuresWorld(t, nil), "--no-limits", "--region", "eu")
	for path, message := range map[string]string{"collateral/markets": "api.margin.unavailable", "futures": "api.futures.unavailable"} {
		reply := v.Get("/api/v4/public/" + path)
		if want := `{"success":false,"message":"` + message + `","errors":[]}`; reply.Status != 451 || reply.Body != want {
			t.Errorf("%s: %d %s", path, reply.Status, reply.Body)
		}
	}
}

func TestPublicFuturesOfARegion(t *testing.T) {
	v := Start(t, futuresWorld(t, Fields{"regions": []string{"eu"}}), "--no-limits", "--region", "global")
	for _, path := range []string{"collateral/markets", "futures"} {
		publicSame(t, publicGet(t, v, "/api/v4/public/"+path), `{"success":true,"message":null,"result":[]}`)
	}
}
