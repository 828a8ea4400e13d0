package conform

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bourse/internal/fixed"
)

// publicModel is a market told from the answers to orders, in the simplest way.
type publicModel struct {
	resting []publicResting // in the order of arrival
	trades  []publicTrade
}

type publicResting struct {
	side          string
	price, amount fixed.Decimal
}

type publicTrade struct {
	klineTrade
	side string
}

// take lets an order meet what rests, best price first and oldest first, and returns what is left.
func (m *publicModel) take(side string, price, amount fixed.Decimal, at time.Time) fixed.Decimal {
	for amount.Sign() > 0 {
		best := -1
		for i, r := range m.resting {
			if r.side == side || publicWorse(side, r.price, price) {
				continue
			}
			if best < 0 || publicWorse(side, m.resting[best].price, r.price) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		maker := &m.resting[best]
		dealt := fixed.MinOf(amount, maker.amount)
		m.trades = append(m.trades, publicTrade{klineTrade{at, maker.price, dealt}, side})
		amount, maker.amount = amount.Sub(dealt), maker.amount.Sub(dealt)
		if maker.amount.IsZero() {
			m.resting = slices.Delete(m.resting, best, best+1)
		}
	}
	return amount
}

// publicWorse reports whether a price is worse for one on a side than another.
func publicWorse(side string, price, other fixed.Decimal) bool {
	if side == "buy" {
		return other.Less(price)
	}
	return price.Less(other)
}

// side of the book as JSON, best price first.
func (m *publicModel) side(side string) string {
	sums := map[fixed.Decimal]fixed.Decimal{}
	var prices []fixed.Decimal
	for _, r := range m.resting {
		if r.side == side {
			if _, known := sums[r.price]; !known {
				prices = append(prices, r.price)
			}
			sums[r.price] = sums[r.price].Add(r.amount)
		}
	}
	slices.SortFunc(prices, fixed.Decimal.Cmp)
	if side == "buy" {
		slices.Reverse(prices)
	}
	var levels []string
	for _, price := range prices {
		levels = append(levels, fmt.Sprintf(`[%q,%q]`, price, sums[price]))
	}
	return strings.Join(levels, ",")
}

// Two clients place random orders; what the public sees must follow from the answers they got.
func TestPublicDataFollowFromOrders(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	p := publicOpen(Start(t, publicWorld(t, "BTC"), "--no-limits"))
	var model publicModel
	begin := time.Now().Unix() - 1
	for range 250 {
		client, side := p.alice, "buy"
		if random.IntN(2) == 0 {
			client = p.bob
		}
		if random.IntN(2) == 0 {
			side = "sell"
		}
		price, amount := fixed.FromUnits(int64(200+random.IntN(20))*5, 1), fixed.FromUnits(int64(1+random.IntN(400))*5, 3)
		ioc := random.IntN(4) == 0
		order := p.order(client, "BTC_USDT", side, amount.String(), price.String(), Fields{"ioc": ioc})
		at := publicMoment(t, order["timestamp"])
		before := len(model.trades)
		left := model.take(side, price, amount, at)
		if left.Sign() > 0 && !ioc {
			model.resting = append(model.resting, publicResting{side, price, left})
		}
		var money fixed.Decimal
		for _, d := range model.trades[before:] {
			part, _ := fixed.Mul(d.price, d.amount, fixed.Places, fixed.Down)
			money = money.Add(part)
		}
		publicSame(t, order["dealStock"], fmt.Sprintf("%q", amount.Sub(left)))
		publicSame(t, order["dealMoney"], fmt.Sprintf("%q", money))
		if t.Failed() {
			t.FailNow()
		}
	}
	for _, path := range []string{"v4/public/orderbook/BTC_USDT", "v1/public/depth/result?market=BTC_USDT"} {
		publicSame(t, publicSides(t, p.json("/api/"+path)), publicLevels(model.side("sell"), model.side("buy")))
	}
	model.checkTrades(t, p)
	model.checkTicker(t, p)
	plain := make([]klineTrade, len(model.trades))
	for i := range plain {
		plain[i] = model.trades[i].klineTrade
	}
	for _, length := range []struct {
		name   string
		length time.Duration
	}{{"1s", time.Second}, {"1m", time.Minute}, {"1h", time.Hour}, {"1M", 0}} {
		from := klineBegin(time.Unix(begin, 0).UTC(), length.length)
		got := publicAt(t, p.json(fmt.Sprintf("/api/v1/public/kline?market=BTC_USDT&interval=%s&start=%d", length.name, from.Unix())), "result")
		publicSame(t, got, klineOf(plain, length.length, from, time.Now()))
	}
}

// publicMoment reads seconds with microseconds.
func publicMoment(t *testing.T, v any) time.Time {
	t.Helper()
	seconds, micros, found := strings.Cut(string(v.(json.Number)), ".")
	if !found || len(micros) != 6 {
		t.Fatalf("%v is not seconds with microseconds", v)
	}
	return time.UnixMicro(publicInt(t, json.Number(seconds+micros))).UTC()
}

func (m *publicModel) checkTrades(t *testing.T, p *publicFloor) {
	t.Helper()
	for query, side := range map[string]string{"": "", "?type=buy": "buy", "?type=sell": "sell"} {
		want := []any{}
		for _, d := range slices.Backward(m.trades) {
			if (side == "" || d.side == side) && len(want) < 100 {
				money, _ := fixed.Mul(d.price, d.amount, fixed.Places, fixed.Down)
				want = append(want, map[string]any{
					"price": d.price.String(), "quote_volume": d.amount.String(), "base_volume": money.String(),
					"trade_timestamp": d.at.Unix(), "type": d.side, "rpi": false,
				})
			}
		}
		got := p.json("/api/v4/public/trades/BTC_USDT" + query).([]any)
		for _, trade := range got {
			delete(trade.(map[string]any), "tradeID")
		}
		b, _ := json.Marshal(want)
		publicSame(t, got, string(b))
	}
}

func (m *publicModel) checkTicker(t *testing.T, p *publicFloor) {
	t.Helper()
	var volume, money fixed.Decimal
	first, last := m.trades[0].price, m.trades[len(m.trades)-1].price
	low, high := first, first
	for _, d := range m.trades {
		part, _ := fixed.Mul(d.price, d.amount, fixed.Places, fixed.Down)
		volume, money = volume.Add(d.amount), money.Add(part)
		if high.Less(d.price) {
			high = d.price
		}
		low = fixed.MinOf(low, d.price)
	}
	// In hundredths of a percent, toward zero.
	share, _ := fixed.Div(last.Sub(first), first, 4, fixed.Down)
	change, _ := fixed.Mul(share, fixed.FromInt(100), 2, fixed.Down)
	publicSame(t, publicAt(t, p.json("/api/v4/public/ticker"), "BTC_USDT"), fmt.Sprintf(
		`{"base_id":0,"quote_id":0,"last_price":%q,"quote_volume":%q,"base_volume":%q,"isFrozen":false,"change":%q}`, last, money, volume, change))
	ticker := publicAt(t, p.json("/api/v1/public/ticker?market=BTC_USDT"), "result")
	for name, want := range map[string]fixed.Decimal{"open": first, "low": low, "high": high, "last": last, "volume": volume, "deal": money, "change": change} {
		publicSame(t, publicAt(t, ticker, name), fmt.Sprintf("%q", want))
	}
}
