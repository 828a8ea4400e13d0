package conform

import (
	"fmt"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestPublicTradFi: a TradFi future is listed with its type, shows its prices in USD, and is nowhere in a region that it is not for.
func TestPublicTradFi(t *testing.T) {
	begin := time.Date(2027, 1, 15, 10, 0, 0, 0, time.UTC)
	stock := func(name string, more Fields) Fields {
		m := publicMarket(name, Fields{"type": "tradfiFutures", "tick_size": "0.01", "maker_fee": "0.02", "taker_fee": "0.05", "funding_minutes": 5})
		for key, value := range more {
			m[key] = value
		}
		return m
	}
	p, clock := publicInside(t, publicFile(t, []Fields{publicCoin("AAPL"), publicCoin("TSLA"), publicCoin("USD"), publicCoin("USDT")}, []Fields{
		publicMarket("USD_USDT", nil), stock("AAPL_USD", nil), stock("TSLA_USD", Fields{"regions": []string{"eu"}}),
	}, publicAccount("alice", Fields{"USDT": "1000"})), begin)
	says := func(market, price string) {
		p.Do(&schema.SetIndex{Market: p.listing(market).ID, Price: fixed.MustParse(price)})
	}
	want := func(index, mark string) {
		t.Helper()
		publicSame(t, p.json("/api/v4/public/futures"), fmt.Sprintf(`{"success":true,"message":null,"result":[{
			"ticker_id":"AAPL_USD","stock_currency":"AAPL","money_currency":"USD","last_price":"0","stock_volume":"0","money_volume":"0",
			"bid":"0","ask":"0","high":"0","low":"0","product_type":"Perpetual","open_interest":"0","index_price":%q,"mark_price":%q,
			"index_name":"AAPL coin","index_currency":"AAPL","funding_rate":"0","funding_cap":"0.0003","funding_floor":"-0.0003",
			"next_funding_rate_timestamp":"%d","brackets":{"1":0,"2":0,"3":0,"5":0,"10":0,"20":0,"50":0,"100":0},
			"max_leverage":100,"funding_interval_minutes":5}]}`, index, mark, begin.Add(5*time.Minute).UnixMilli()))
	}

	t.Run("listings", func(t *testing.T) {
		publicSame(t, p.json("/api/v4/public/collateral/markets"), `{"success":true,"message":null,"result":["AAPL_USD"]}`)
		publicSame(t, publicAt(t, p.json("/api/v4/public/markets"), 1), `{"name":"AAPL_USD","stock":"AAPL","money":"USD","stockPrec":"3","moneyPrec":"2",
			"feePrec":"4","makerFee":"0.02","takerFee":"0.05","minAmount":"0.005","tickSize":"0.01","stepSize":"0.005","minTotal":"0.001",
			"maxTotal":"10000000000","tradesEnabled":true,"isCollateral":true,"type":"tradfiFutures","isTradFiFutures":true,"delistedAt":null}`)
		publicShown(t, p.Venue, "AAPL_USD")
	})
	t.Run("one of another region is nowhere", func(t *testing.T) { publicHidden(t, p.Venue, "TSLA_USD") })
	t.Run("prices are in USD", func(t *testing.T) {
		want("0", "")
		says("USD_USDT", "0.9995")
		says("AAPL_USD", "230.1")
		want("230.1", "230.1")
		// What a share is worth in USDT stays when USD moves.
		says("USD_USDT", "1")
		want("229.98495", "229.98")
	})
	t.Run("the premium index has it", func(t *testing.T) {
		all, one := p.Socket(), p.Socket()
		record := fmt.Sprintf(`["AAPL_USD","229.98","229.98495","0",%d,%d.000000]`, begin.Add(5*time.Minute).UnixMilli(), clock.time()/schema.Second)
		all.Must("premiumIndex_subscribe")
		if got := all.Pushed("premiumIndex_update"); got != "["+record+"]" {
			t.Errorf("all: %s, want [%s]", got, record)
		}
		one.Must("premiumIndex_subscribe", "AAPL_USD")
		if got := one.Pushed("premiumIndex_update"); got != record {
			t.Errorf("one: %s, want %s", got, record)
		}
		one.Refused(1, "the market is not futures", "premiumIndex_subscribe", "TSLA_USD")
	})
	t.Run("no price without that of USD", func(t *testing.T) {
		clock.pass(30 * time.Second)
		p.Do(&schema.Tick{})
		says("AAPL_USD", "231") // at the last that is known of USD
		want("0", "")
		says("USD_USDT", "1")
		want("231", "231")
	})
}
