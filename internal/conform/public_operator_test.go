package conform

import (
	"fmt"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// listing is a market as the exchange has it.
func (p *publicFloor) listing(name string) (m schema.MarketInfo) {
	p.Exchange.Node.Read(func(x core.View) { m = *x.Listing().MarketByName(name) })
	return m
}

func TestPublicMarketsInMaintenance(t *testing.T) {
	begin := time.Date(2027, 1, 15, 10, 0, 0, 0, time.UTC)
	p, clock := publicInside(t, publicWorld(t, "BTC", "ETH"), begin)
	p.deal("BTC_USDT", "buy", "1", "100")
	p.order(p.alice, "BTC_USDT", "sell", "1", "101", nil)
	frozen := func(want bool) {
		t.Helper()
		publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "BTC_USDT", "isFrozen"), fmt.Sprint(want))
		publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "ETH_USDT", "isFrozen"), "false")
		publicShown(t, p.Venue, "BTC_USDT")
	}
	now := clock.time()
	p.Do(&schema.PlanMaintenance{Market: p.listing("BTC_USDT").ID, From: now + 10*schema.Second, To: now + 20*schema.Second})
	frozen(false)
	clock.pass(10 * time.Second)
	p.Do(&schema.Tick{})
	frozen(true)
	publicSame(t, publicSides(t, p.json("/api/v4/public/orderbook/BTC_USDT")), publicLevels("", ""))
	publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "BTC_USDT", "last_price"), `"100"`)
	clock.pass(10 * time.Second)
	p.Do(&schema.Tick{})
	frozen(false)
}

func TestPublicMarketsComeAndGo(t *testing.T) {
	begin := time.Date(2027, 1, 15, 10, 0, 0, 0, time.UTC)
	p, clock := publicInside(t, publicWorld(t, "BTC", "ETH"), begin)
	p.deal("BTC_USDT", "buy", "1", "100")

	t.Run("a market that is switched off is nowhere, and comes back with its trades", func(t *testing.T) {
		market := p.listing("BTC_USDT")
		market.Enabled = false
		p.Do(&schema.SetMarket{Market: market})
		publicHidden(t, p.Venue, "BTC_USDT")
		publicShown(t, p.Venue, "ETH_USDT")
		market.Enabled = true
		p.Do(&schema.SetMarket{Market: market})
		publicShown(t, p.Venue, "BTC_USDT")
		publicSame(t, publicAt(t, p.json("/api/v4/public/trades/BTC_USDT"), 0, "price"), `"100"`)
	})

	t.Run("a delisting is announced, moved, withdrawn and run", func(t *testing.T) {
		id := p.listing("BTC_USDT").ID
		announced := func(want string) {
			t.Helper()
			publicSame(t, publicAt(t, p.json("/api/v4/public/markets"), 0, "delistedAt"), want)
			publicSame(t, publicAt(t, p.json("/api/v4/public/markets"), 1, "delistedAt"), "null")
		}
		at := clock.time() + 3600*schema.Second + 999_999
		p.Do(&schema.PlanDelisting{Market: id, At: at})
		announced(fmt.Sprint(begin.Unix() + 3600))
		p.Do(&schema.PlanDelisting{Market: id, At: at + 3600*schema.Second})
		announced(fmt.Sprint(begin.Unix() + 7200))
		p.Do(&schema.PlanDelisting{Market: id})
		announced("null")
		p.Do(&schema.PlanDelisting{Market: id, At: at})
		p.deal("BTC_USDT", "buy", "1", "101") // it trades until then
		clock.pass(2 * time.Hour)
		p.Do(&schema.Tick{})
		publicHidden(t, p.Venue, "BTC_USDT")
		publicShown(t, p.Venue, "ETH_USDT")
	})

	t.Run("a new market is there at once", func(t *testing.T) {
		market := p.listing("ETH_USDT")
		var usdt schema.AssetID
		p.Exchange.Node.Read(func(x core.View) { usdt = x.Listing().AssetByTicker("USDT").ID })
		coin := schema.Asset{Ticker: "NEW_X", Name: "Newcomer", Class: schema.Crypto, Scale: 18, Precision: 8}
		base := schema.AssetID(p.Do(&schema.SetAsset{Asset: coin}).ID)
		market.Name, market.Base, market.Quote = "NEW_X_USDT", base, usdt
		p.Do(&schema.SetMarket{Market: market})
		publicShown(t, p.Venue, "NEW_X_USDT")
		publicSame(t, publicAt(t, p.json("/api/v4/public/markets"), 1, "stock"), `"NEW_X"`)
	})
}

// A day rolls: what is older than 24 hours leaves the ticker by the minute, also when nothing
// happens.
func TestPublicTickerRolls(t *testing.T) {
	begin := time.Date(2027, 1, 15, 10, 30, 20, 0, time.UTC)
	p, clock := publicInside(t, publicWorld(t, "BTC"), begin)
	seen := func(first, volume, money, change, low, high string) {
		t.Helper()
		last := publicAt(t, p.json("/api/v4/public/ticker"), "BTC_USDT", "last_price").(string)
		publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "BTC_USDT"), fmt.Sprintf(
			`{"base_id":0,"quote_id":0,"last_price":%q,"quote_volume":%q,"base_volume":%q,"isFrozen":false,"change":%q}`, last, money, volume, change))
		publicSame(t, publicAt(t, p.json("/api/v1/public/ticker?market=BTC_USDT"), "result"), fmt.Sprintf(
			`{"open":%q,"bid":"0","ask":"0","low":%q,"high":%q,"last":%q,"volume":%q,"deal":%q,"change":%q}`, first, low, high, last, volume, money, change))
		publicSame(t, publicAt(t, p.json("/api/v1/public/tickers"), "result", "BTC_USDT"), fmt.Sprintf(
			`{"ticker":{"bid":"0","ask":"0","low":%q,"high":%q,"last":%q,"vol":%q,"deal":%q,"change":%q},"at":%d}`, low, high, last, volume, money, change, clock.time()/schema.Second))
	}
	p.deal("BTC_USDT", "buy", "1", "300")
	seen("300", "1", "300", "0", "300", "300")
	clock.pass(12 * time.Hour)
	p.deal("BTC_USDT", "buy", "2", "200")
	seen("300", "3", "700", "-33.33", "200", "300")
	// 24 hours after the first trade its minute is still in; a minute later it is not.
	clock.pass(12*time.Hour + 39*time.Second)
	seen("300", "3", "700", "-33.33", "200", "300")
	clock.pass(time.Second)
	seen("300", "2", "400", "-33.33", "200", "200")
	clock.pass(12 * time.Hour)
	seen("200", "0", "0", "0", "200", "200")
	p.deal("BTC_USDT", "sell", "1", "250")
	seen("200", "1", "250", "25", "250", "250")
}
