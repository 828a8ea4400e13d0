package demo

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

var visitors = []string{"alice", "bob", "carol"}

// money checks what a visitor has, to the digit, by the API.
func (h *house) money(name string, main, trade map[string]string) {
	h.t.Helper()
	c := h.visitor(name)
	var inMain map[string]struct {
		Balance string `json:"main_balance"`
	}
	var inTrade map[string]struct {
		Available string `json:"available"`
		Freeze    string `json:"freeze"`
	}
	h.ask(c, "/api/v4/main-account/balance", nil, &inMain)
	h.ask(c, "/api/v4/trade-account/balance", nil, &inTrade)
	gotMain, gotTrade := map[string]string{}, map[string]string{}
	for ticker, b := range inMain {
		gotMain[ticker] = b.Balance
	}
	for ticker, b := range inTrade {
		gotTrade[ticker] = b.Available
		if b.Freeze != "0" {
			h.t.Errorf("%s has %s %s frozen", name, b.Freeze, ticker)
		}
	}
	if !maps.Equal(gotMain, main) || !maps.Equal(gotTrade, trade) {
		h.t.Errorf("%s has %v and %v, want %v and %v", name, gotMain, gotTrade, main, trade)
	}
}

var (
	firstMain  = map[string]string{"BTC": "5", "ETH": "50", "USDT": "500000", "PEPE": "5000000000", "XRP": "50000"}
	firstTrade = map[string]string{"BTC": "1", "ETH": "10", "USDT": "100000", "PEPE": "1000000000", "XRP": "10000"}
)

func TestVisitorsHaveMoneyAndFlags(t *testing.T) {
	h := enter(t, t.TempDir())
	for _, name := range visitors {
		h.money(name, firstMain, firstTrade)
		var collateral map[string]string
		if h.ask(h.visitor(name), "/api/v4/collateral-account/balance", nil, &collateral); !maps.Equal(collateral, map[string]string{"USDT": "20000"}) {
			t.Errorf("%s has %v as collateral", name, collateral)
		}
		var got schema.Account
		h.Node.Read(func(m core.View) { got = *m.Accounts().ByName(name) })
		all := name == "carol"
		if got.Retail != all || got.RPI != all || got.Partner != all || got.Mining != all || got.TradFi != all || got.Blocked {
			t.Errorf("%s has the flags %+v", name, got)
		}
	}
}

// TestFaucetsRun: every start leaves the limits as they are meant, also those of a demo that an older program
// began.
func TestFaucetsRun(t *testing.T) {
	h := enter(t, t.TempDir())
	limits := func() map[string]string {
		got := map[string]string{}
		h.Node.Read(func(m core.View) {
			for _, a := range m.Listing().Assets() {
				got[a.Ticker] = m.FaucetLimit(a.ID).String()
			}
		})
		return got
	}
	want := map[string]string{
		"USDT": "10000", "BTC": "0.1", "ETH": "2", "PEPE": "100000000", "XRP": "5000", "EUR": "0", "USD": "0", "USD_VISAMASTER": "0",
	}
	if got := limits(); !maps.Equal(got, want) {
		t.Errorf("the faucets give %v, want %v", got, want)
	}
	var result schema.Result
	if err := h.Node.Submit(t.Context(), &schema.SetFaucet{Asset: 1, Limit: fixed.FromInt(7)}, &result); err != nil || result.Rejection.Refused() {
		t.Fatal(err, result.Rejection.Text())
	}
	if err := fillFaucets(t.Context(), h.Node); err != nil {
		t.Fatal(err)
	}
	if got := limits(); !maps.Equal(got, want) {
		t.Errorf("after a limit was changed the faucets give %v, want %v", got, want)
	}
}

func TestKeysOpenEveryGroup(t *testing.T) {
	h := enter(t, t.TempDir())
	for _, name := range visitors {
		c := h.visitor(name)
		for _, call := range []struct {
			path string
			f    fields
		}{
			{"/api/v4/order/new", fields{"market": "BTC_USDT", "side": "buy", "amount": "0.005", "price": "50000"}},
			{"/api/v4/orders", nil},
			{"/api/v4/order/cancel/all", nil},
			{"/api/v4/trade-account/order/history", nil},
			{"/api/v4/market/fee", nil},
			{"/api/v4/main-account/balance", nil},
			{"/api/v4/main-account/transfer", fields{"ticker": "BTC", "amount": "1", "from": "main", "to": "spot"}},
			{"/api/v4/main-account/transfer/history", nil},
			{"/api/v4/jwt", nil},
			{"/api/v4/profile/websocket_token", nil},
		} {
			var answer any
			h.ask(c, call.path, call.f, &answer)
		}
	}
	// What only carol may do.
	f := fields{"market": "BTC_USDT", "side": "buy", "amount": "0.005", "price": "50000", "rpi": true}
	var order struct{ RPI bool }
	if h.ask(h.visitor("carol"), "/api/v4/order/new", f, &order); !order.RPI {
		t.Error("carol's order is no RPI order")
	}
	if err := h.visitor("alice").post(t.Context(), "/api/v4/order/new", f, &order); err == nil || unsure(err) {
		t.Errorf("alice's RPI order: %v", err)
	}
}

func TestFileHasItsShape(t *testing.T) {
	h := enter(t, t.TempDir())
	path := filepath.Join(h.dir, "demo.json")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	var accounts []any
	for _, v := range h.world.visitors {
		if len(v.Key) != 32 || len(v.Secret) != 64 || v.Key == v.Secret {
			t.Errorf("%+v is no key", v)
		}
		accounts = append(accounts, map[string]any{"name": v.Name, "apiKey": v.Key, "secret": v.Secret})
	}
	want := map[string]any{
		"rest": h.place.REST, "ws": h.place.WS, "accounts": accounts,
		"operator": map[string]any{"url": h.place.Operator, "token": h.place.Token},
	}
	if a, b := text(t, got), text(t, want); a != b {
		t.Errorf("%s, want %s", a, b)
	}
}

// text is a value as JSON with its members in order.
func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// spend lets alice lose something, so that a second gift would be seen.
func (h *house) spend() {
	h.t.Helper()
	var answer any
	f := fields{"ticker": "USDT", "amount": "1000", "from": "main", "to": "spot"}
	h.ask(h.visitor("alice"), "/api/v4/main-account/transfer", f, &answer)
}

func TestSecondStartKeepsKeysAndGivesNothing(t *testing.T) {
	dir := t.TempDir()
	h := enter(t, dir)
	h.spend()
	visitors, makers := h.world.visitors, h.world.makers
	h.leave()

	h = enter(t, dir)
	for i, v := range h.world.visitors {
		if v != visitors[i] {
			t.Errorf("%s has another key", v.Name)
		}
	}
	main, trade := maps.Clone(firstMain), maps.Clone(firstTrade)
	main["USDT"], trade["USDT"] = "499000", "101000"
	h.money("alice", main, trade)
	h.money("bob", firstMain, firstTrade)
	for i, v := range h.world.makers {
		var old *schema.Key
		h.Node.Read(func(m core.View) { old = m.Accounts().Key(makers[i].Key) })
		if v.Key == makers[i].Key || old != nil {
			t.Errorf("%s still has the key of the first start", v.Name)
		}
	}
	if n := h.keys(); n != len(visitors)+len(h.world.makers)+len(h.world.noise)+len(h.world.gamblers)+len(h.world.depositors)+len(h.world.converters)+len(h.world.investors) {
		t.Errorf("there are %d keys", n)
	}
}

func (h *house) keys() (n int) {
	h.Node.Read(func(m core.View) { n = len(m.Accounts().Keys()) })
	return n
}

// TestLostFile: after demo.json is lost or spoiled, there are other keys to the same accounts.
func TestLostFile(t *testing.T) {
	for what, lose := range map[string]func(path string) error{
		"removed": os.Remove,
		"not JSON": func(path string) error {
			return os.WriteFile(path, []byte(`{"accounts":`), 0o600)
		},
		"another secret": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, []byte(strings.ReplaceAll(string(data), `"secret": "`, `"secret": "0`)), 0o600)
		},
		"another's keys": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			swap := strings.NewReplacer(`"alice"`, `"bob"`, `"bob"`, `"carol"`, `"carol"`, `"alice"`)
			return os.WriteFile(path, []byte(swap.Replace(string(data))), 0o600)
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			h := enter(t, dir)
			h.spend()
			visitors, keys := h.world.visitors, h.keys()
			h.leave()
			if err := lose(filepath.Join(dir, "demo.json")); err != nil {
				t.Fatal(err)
			}

			h = enter(t, dir)
			for i, v := range h.world.visitors {
				if v.Name != visitors[i].Name || v.Key == visitors[i].Key {
					t.Errorf("%+v was %+v", v, visitors[i])
				}
			}
			if n := h.keys(); n != keys {
				t.Errorf("%d keys, %d before", n, keys)
			}
			main, trade := maps.Clone(firstMain), maps.Clone(firstTrade)
			main["USDT"], trade["USDT"] = "499000", "101000"
			h.money("alice", main, trade)
			h.money("carol", firstMain, firstTrade)
		})
	}
}

// TestKeysOfOthersStay: a key that somebody else made for an account of the demo is not touched.
func TestKeysOfOthersStay(t *testing.T) {
	dir := t.TempDir()
	h := enter(t, dir)
	key := schema.Key{Key: "own", Title: "mine", Sealed: h.Node.Key().Seal([]byte("s"), "api secret"), Enabled: true}
	h.Node.Read(func(m core.View) { key.Account = m.Accounts().ByName("bob").ID })
	var result schema.Result
	if err := h.Node.Submit(t.Context(), &schema.SetKey{Key: key}, &result); err != nil || result.Rejection.Refused() {
		t.Fatal(err, result.Rejection.Text())
	}
	h.leave()
	h = enter(t, dir)
	h.Node.Read(func(m core.View) {
		if m.Accounts().Key("own") == nil {
			t.Error("bob's own key is gone")
		}
	})
}

func TestBannerSaysWhereAndWho(t *testing.T) {
	w := &World{dir: "data", scenes: scenes, visitors: []identity{{"alice", "ka", "sa"}, {"bob", "kb", "sb"}}}
	var out strings.Builder
	w.Banner(&out, Place{REST: "http://127.0.0.1:8080", WS: "ws://127.0.0.1:8080/ws", Operator: "http://127.0.0.1:8081", Token: "tok"})
	const want = `A living exchange: 7 markets with perpetual futures, makers, noise traders and a gambler, and three accounts for you.
Candles and trades of the time before its first start are synthetic.

  REST      http://127.0.0.1:8080
  WebSocket ws://127.0.0.1:8080/ws
  operator  http://127.0.0.1:8081  token tok

  alice     key ka  secret sa
  bob       key kb  secret sb
            also in data/demo.json

Try:
  curl      curl -s 'http://127.0.0.1:8080/api/v4/public/orderbook/BTC_USDT?limit=3'
  futures   curl -s 'http://127.0.0.1:8080/api/v4/public/futures'
  ccxt      node -e "const x=new(require('ccxt').whitebit)({apiKey:'ka',secret:'sa'});for(const v of Object.values(x.urls.api))for(const s in v)v[s]=v[s].replace(/^https:..[^/]+/,'http://127.0.0.1:8080');x.createOrder('BTC/USDT','market','sell',0.01).then(o=>console.log(o.status,o.average))"
  browser   http://127.0.0.1:8080/docs
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	w.scenes = scenes[:5]
	out.Reset()
	w.Banner(&out, Place{})
	if first, _, _ := strings.Cut(out.String(), "\n"); first != "A living exchange: 5 markets, makers and noise traders, and three accounts for you." || strings.Contains(out.String(), "futures") {
		t.Errorf("without futures it says\n%s", out.String())
	}
}

// The docs page gets the visitors, and never the bots.
func TestGuestsAreTheVisitors(t *testing.T) {
	w := &World{visitors: []identity{{"alice", "ka", "sa"}}, makers: []identity{{"maker-one", "km", "sm"}}}
	if got := string(w.Guests()); got != `[{"name":"alice","apiKey":"ka","secret":"sa"}]` {
		t.Error(got)
	}
}

func TestARealExchangeIsNoDemo(t *testing.T) {
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	var result schema.Result
	if err := n.Submit(t.Context(), &schema.SetAccount{Account: schema.Account{Name: "customer", Region: schema.Global}}, &result); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Prepare(t.Context(), n, dir); err == nil || !strings.Contains(err.Error(), "is no demo") {
		t.Errorf("a real exchange was made a demo: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it was given %v, %v", left, err)
	}
	n.Read(func(m core.View) {
		if all := len(m.Accounts().All()); all != 1 || len(m.Listing().Assets()) != 0 {
			t.Errorf("it has %d accounts and %d assets now", all, len(m.Listing().Assets()))
		}
	})
}
