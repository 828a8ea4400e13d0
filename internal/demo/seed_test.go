package demo

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/setup"
	"bourse/internal/sheet"
)

const seedFile = "marketdata.seed"

// candles are those of an interval, as the API tells them.
func (h *house) candles(market, interval string) (list [][]any) {
	h.t.Helper()
	var answer struct{ Result [][]any }
	h.get("/api/v1/public/kline?limit=1440&market="+market+"&interval="+interval, &answer)
	return answer.Result
}

type publicTrade struct {
	ID    uint64 `json:"tradeID"`
	Price decimal
}

func (h *house) trades(market string) (list []publicTrade) {
	h.t.Helper()
	h.get("/api/v4/public/trades/"+market, &list)
	return list
}

// TestPast lets one demo live through all that its past, which takes long to make, has to do with.
func TestPast(t *testing.T) {
	dir := t.TempDir()
	h := enterWithPast(t, dir)
	pastShowsInMarketDataAlone(t, h)
	makersTakeOverAtThePast(t, h)
	pastSurvives(t, h, dir)
}

// pastShowsInMarketDataAlone: before anyone traded there are candles, trades and a day, over HTTP and over
// the socket; and nobody has a deal, an order or another balance than before.
func pastShowsInMarketDataAlone(t *testing.T, h *house) {
	t.Helper()
	var tickers map[string]struct {
		Last   decimal `json:"last_price"`
		Volume decimal `json:"base_volume"`
		Change decimal
	}
	h.get("/api/v4/public/ticker", &tickers)
	conn, _, _, err := ws.Dial(t.Context(), h.place.WS)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	changed := 0 // markets whose price is not that of a day before: one can come back to it, to two decimals of a percent
	for _, s := range scenes {
		for interval, least := range map[string]int{"1s": 600, "1m": 1430, "15m": 1440, "1h": 719, "1d": 30, "1w": 5, "1M": 2} {
			if n := len(h.candles(s.name, interval)); n < least {
				t.Errorf("%s has %d candles of %s", s.name, n, interval)
			}
		}
		trades := h.trades(s.name)
		if len(trades) != 100 || slices.ContainsFunc(trades, func(t publicTrade) bool { return t.ID != 0 }) {
			t.Errorf("%s has the trades %+v", s.name, trades)
		}
		if now := tickers[s.name]; now.Last != trades[0].Price || now.Volume.Sign() <= 0 {
			t.Errorf("%s: %+v after a trade at %s", s.name, now, trades[0].Price)
		} else if !now.Change.IsZero() {
			changed++
		}
		if err := wsutil.WriteClientText(conn, []byte(`{"id":1,"method":"trades_subscribe","params":["`+s.name+`"]}`)); err != nil {
			t.Fatal(err)
		}
		for {
			text, err := wsutil.ReadServerText(conn)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), `"trades_update"`) {
				if !strings.Contains(string(text), s.name) || strings.Count(string(text), `{"id":0,`) != 100 {
					t.Errorf("the socket begins with %s", text)
				}
				break
			}
		}
	}
	if changed == 0 {
		t.Error("no price is another than a day before")
	}
	for _, id := range append(slices.Clone(h.world.makers), h.world.visitors...) {
		var deals, orders any
		h.ask(newClient(h.gate, id), "/api/v4/trade-account/executed-history", nil, &deals)
		h.ask(newClient(h.gate, id), "/api/v4/trade-account/order/history", nil, &orders)
		if a, b := text(t, deals), text(t, orders); len(a) > 2 || len(b) > 2 {
			t.Errorf("%s has the deals %s and the orders %s", id.Name, a, b)
		}
	}
	h.money("alice", firstMain, firstTrade)
	h.Node.Read(func(m core.View) {
		if c := m.Trading().Counters(); c.Deal != 0 || c.Order != 0 {
			t.Errorf("the exchange counts %+v", c)
		}
	})
}

// makersTakeOverAtThePast: the first price of every market is where the made-up trades end.
func makersTakeOverAtThePast(t *testing.T, h *house) {
	t.Helper()
	for _, s := range scenes {
		stage, _ := openDesk(t, h, s.name)
		m := stage.market
		last := m.ticks(h.trades(s.name)[0].Price.Decimal)
		// The trade was on one side of the spread, and a cross rate has the spreads of its legs in it.
		if off := m.mid.Load() - last; max(off, -off) > 3*m.gap {
			t.Errorf("%s: the makers begin at %d ticks, the last trade was at %d", s.name, m.mid.Load(), last)
		}
	}
}

// pastSurvives: after trades, a restart and the loss of the saved market data, the past is the same.
func pastSurvives(t *testing.T, h *house, dir string) {
	t.Helper()
	w := h.live(nil)
	eventually(t, soon, "alive", func() bool { return w.every(alive(1)) })
	before := map[string]string{}
	past := func(market string) string {
		list := h.candles(market, "1h")
		return text(t, list[:700])
	}
	for _, s := range scenes {
		before[s.name] = past(s.name)
	}
	h.leave()
	saved, err := os.ReadFile(filepath.Join(dir, seedFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "marketdata.snapshot")); err != nil {
		t.Fatal(err)
	}

	h = enterWithPast(t, dir)
	for _, s := range scenes {
		if past(s.name) != before[s.name] {
			t.Errorf("%s has another past", s.name)
		}
		if trades := h.trades(s.name); trades[0].ID == 0 || trades[len(trades)-1].ID != 0 {
			t.Errorf("%s has the trades %+v", s.name, trades)
		}
	}
	if again, err := os.ReadFile(filepath.Join(dir, seedFile)); err != nil || !bytes.Equal(saved, again) {
		t.Errorf("the seed was written again: %v", err)
	}
}

// TestOlderDemo: a demo that began with fewer markets and has traded goes on with them, and gets no past, no collateral and
// no gambler.
func TestOlderDemo(t *testing.T) {
	dir := t.TempDir()
	file, err := setup.Read(bytes.NewReader(venue))
	if err != nil {
		t.Fatal(err)
	}
	file.Markets = slices.DeleteFunc(file.Markets, func(m sheet.Market) bool { return m.Name == "XRP_USDT" || m.Type == "futures" })
	file.Collateral, file.Funds = nil, setup.Funds{}
	file.Accounts = slices.DeleteFunc(file.Accounts, func(a setup.Account) bool { return a.Name == "gambler-one" })
	for i := range file.Accounts {
		a := &file.Accounts[i]
		delete(a.Deposits, "XRP")
		delete(a.Trade, "XRP")
		a.Collateral = nil
		a.Keys = []setup.Key{{Key: sheet.Key{Key: a.Name, Title: title, Enabled: true}, Secret: "s"}}
	}
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Apply(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	trade(t, n)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}

	h := enterWithPast(t, dir)
	w := h.live(nil)
	eventually(t, soon, "alive", func() bool { return w.every(alive(1)) })
	var all []rules
	if h.get("/api/v4/public/markets", &all); len(all) != 4 || len(h.world.scenes) != 4 {
		t.Errorf("it has %d markets and plays %d", len(all), len(h.world.scenes))
	}
	h.Node.Read(func(m core.View) {
		fund, _, _ := m.Balance(schema.Insurance, schema.Main, m.Listing().AssetByTicker("USDT").ID)
		if _, set := m.Prices().Collateral(m.Listing().AssetByTicker("USDT").ID); set || !fund.IsZero() || m.Accounts().ByName("gambler-one") != nil {
			t.Errorf("it has collateral: %v, a fund of %s, or a gambler", set, fund)
		}
	})
	if _, err := os.Stat(filepath.Join(dir, seedFile)); !os.IsNotExist(err) {
		t.Errorf("it has a past: %v", err)
	}
	if lines := h.log.lines(); len(lines) > 0 {
		t.Errorf("the bots complained: %s", strings.Join(lines, ""))
	}
}

// trade lets two customers of a demo trade.
func trade(t *testing.T, n *node.Node) {
	t.Helper()
	for name, side := range map[string]schema.Side{"alice": schema.Sell, "bob": schema.Buy} {
		order := &schema.PlaceOrder{Order: schema.OrderRequest{Type: schema.Limit, Side: side, Amount: dec("0.1"), Price: dec("90000")}}
		n.Read(func(m core.View) {
			order.Account, order.Order.Market = m.Accounts().ByName(name).ID, m.Listing().MarketByName("BTC_USDT").ID
		})
		var result schema.Result
		if err := n.Submit(t.Context(), order, &result); err != nil || result.Rejection.Refused() {
			t.Fatal(err, result.Rejection.Text())
		}
	}
}

// TestDayOfQuotes plays a day of every market without an exchange: each price goes somewhere and stays in
// sight, the cross rate is that of its legs within the spread, and a future is worth what its asset is, down to a tick.
func TestDayOfQuotes(t *testing.T) {
	stages := map[string]*stage{}
	low, high := map[string]int64{}, map[string]int64{}
	for i, r := range listed(t) {
		m := newMarket(scenes[i], r)
		s := &stage{desk: newDesk(m, nil, seeded(uint64(i)))}
		if m.cross[0] == "" {
			s.begin(m.ticks(m.start))
		} else {
			for leg, name := range m.cross {
				if name != "" {
					s.legs[leg] = stages[name].market
				}
			}
			s.move()
		}
		stages[m.name] = s
		low[m.name], high[m.name] = m.mid.Load(), m.mid.Load()
	}
	eth, btc, cross := stages["ETH_USDT"].market, stages["BTC_USDT"].market, stages["ETH_BTC"].market
	for range 24 * 3600 {
		for _, s := range scenes {
			stages[s.name].move()
			mid := stages[s.name].market.mid.Load()
			low[s.name], high[s.name] = min(low[s.name], mid), max(high[s.name], mid)
		}
		rate, _ := fixed.Div(eth.value(), btc.value(), fixed.Places, fixed.Down)
		if rate.Cmp(cross.price(cross.mid.Load()-cross.gap)) < 0 || rate.Cmp(cross.price(cross.mid.Load()+cross.gap)) > 0 {
			t.Fatalf("ETH_BTC is quoted around %s, and its legs make %s", cross.value(), rate)
		}
		if future := stages["BTC_PERP"].market; future.mid.Load() != btc.mid.Load()/10 {
			t.Fatalf("BTC_PERP is quoted around %s, and BTC_USDT around %s", future.value(), btc.value())
		}
	}
	for _, s := range scenes {
		if span := (high[s.name] - low[s.name]) * 1000 / low[s.name]; span < 15 || span > 300 {
			t.Errorf("%s moved by %d thousandths in a day", s.name, span)
		}
	}
}

// listed are the rules of the demo's markets, by scene, as the API would tell them.
func listed(t *testing.T) (all []*rules) {
	t.Helper()
	var file struct {
		Markets []struct {
			Name string
			Tick decimal `json:"tick_size"`
			Step decimal `json:"step_size"`
		}
	}
	if err := json.Unmarshal(venue, &file); err != nil {
		t.Fatal(err)
	}
	for _, s := range scenes {
		for _, m := range file.Markets {
			if m.Name == s.name {
				all = append(all, &rules{Name: m.Name, TickSize: m.Tick, StepSize: m.Step})
			}
		}
	}
	return all
}
