package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// privateWorld has two traders, one of whom has two keys, and a market of futures without a use.
const privateWorld = `{"assets":[{"ticker":"BTC","class":"crypto","scale":18,"precision":8,"can_deposit":true,"can_withdraw":true},
	{"ticker":"ETH","class":"crypto","scale":18,"precision":8,"can_deposit":true,"can_withdraw":true},
	{"ticker":"USDT","class":"crypto","scale":18,"precision":6,"can_deposit":true,"can_withdraw":true}],
	"markets":[{"name":"BTC_USDT","type":"spot","stock_prec":6,"money_prec":2,"fee_prec":8,"maker_fee":"0.1","taker_fee":"0.2","enabled":true},
	{"name":"ETH_USDT","type":"spot","stock_prec":6,"money_prec":2,"fee_prec":8,"maker_fee":"0","taker_fee":"0","enabled":true}],
	"accounts":[{"name":"alice","region":"global","keys":[{"key":"alice","secret":"a","enabled":true},{"key":"second","secret":"s","enabled":true}],
		"deposits":{"BTC":"100","USDT":"1000000"},"trade":{"BTC":"10","USDT":"100000"}},
	{"name":"bob","region":"global","keys":[{"key":"bob","secret":"b","enabled":true}],"deposits":{"BTC":"100","USDT":"1000000"},"trade":{"BTC":"10","USDT":"100000"}}]}`

// privateFloor is an exchange whose clock stands still, with its two traders.
type privateFloor struct {
	*Venue
	now        atomic.Int64
	alice, bob *Client
	fences     int
}

const privateNoon = 1_790_000_000

func privateOpen(t *testing.T) *privateFloor {
	t.Helper()
	p := &privateFloor{}
	p.now.Store(privateNoon)
	p.Venue = Inside(t, privateWorld, func(o *exchange.Options) {
		o.Node.Clock = func() schema.Time { return schema.Time(p.now.Load()) * schema.Second }
	})
	p.alice, p.bob = p.Client("alice", "a"), p.Client("bob", "b")
	return p
}

// place places an order over HTTP and returns its number.
func (c *Client) place(kind, market, side, amount string, more Fields) int64 {
	c.venue.t.Helper()
	fields := Fields{"market": market, "side": side, "amount": amount}
	maps.Copy(fields, more)
	return c.act("/api/v4/order/"+kind, fields)
}

// act does something to an order over HTTP and returns the number of the order that came of it.
func (c *Client) act(path string, fields Fields) int64 {
	c.venue.t.Helper()
	r := c.Post(path, fields)
	var order struct {
		ID int64 `json:"orderId"`
	}
	if r.Read(c.venue.t, &order); r.Status != 200 {
		c.venue.t.Fatalf("%s %v: %d %s", path, fields, r.Status, r.Body)
	}
	return order.ID
}

// limit places a limit order on BTC_USDT.
func (c *Client) limit(side, amount, price string, more Fields) int64 {
	c.venue.t.Helper()
	fields := Fields{"price": price}
	maps.Copy(fields, more)
	return c.place("new", "BTC_USDT", side, amount, fields)
}

// frames are the pushes up to now. The fence is an order on a market of its own, which comes last;
// balances come when they like and are left out.
func (p *privateFloor) frames(c *Client, s *Socket) (list []Push) {
	p.t.Helper()
	p.fences++
	name := "fence-" + strconv.Itoa(p.fences)
	c.place("new", "ETH_USDT", "buy", "0.001", Fields{"price": "1", "clientOrderId": name})
	pushes := s.pushes
	s.pushes = nil
	for {
		for _, f := range pushes {
			if f.Method == "ordersPending_update" && strings.Contains(string(f.Params), name) {
				return list
			}
			if !strings.HasPrefix(f.Method, "balance") {
				list = append(list, f)
			}
		}
		f, is := push(s.Next())
		if !is {
			p.t.Fatal("a reply that nobody asked for")
		}
		pushes = []Push{f}
	}
}

// sameJSON reports whether two values are the same JSON.
func sameJSON(t *testing.T, got, want any) bool {
	t.Helper()
	plain := func(v any) (out any) {
		text, is := v.(json.RawMessage)
		if s, isText := v.(string); isText {
			text, is = json.RawMessage(s), true
		}
		if !is {
			text, _ = json.Marshal(v)
		}
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return out
	}
	return reflect.DeepEqual(plain(got), plain(want))
}

// expected is a push that must come.
type expected struct {
	method string
	params any
}

func (p *privateFloor) expect(t *testing.T, got []Push, want ...expected) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			text, _ := json.Marshal(want[i].params)
			t.Errorf("frame %d is missing: %s %s", i, want[i].method, text)
		case i >= len(want):
			t.Errorf("frame %d is too much: %s %s", i, got[i].Method, got[i].Params)
		case got[i].Method != want[i].method+"_update" || !sameJSON(t, got[i].Params, want[i].params):
			text, _ := json.Marshal(want[i].params)
			t.Errorf("frame %d: %s %s\nwant %s %s", i, got[i].Method, got[i].Params, want[i].method, text)
		}
	}
}

// order is a limit order of 1 BTC for 100 that was placed now and rests, changed.
func (p *privateFloor) order(id int64, changes Fields) Fields {
	order := Fields{
		"id": id, "market": "BTC_USDT", "type": 1, "side": 2, "post_only": false, "ioc": false, "ctime": p.now.Load(), "mtime": p.now.Load(),
		"price": "100", "amount": "1", "left": "1", "deal_stock": "0", "deal_money": "0", "deal_fee": "0", "client_order_id": "",
		"stp": "no", "status": "OPEN", "position_side": "BOTH", "reduce_only": false, "rpi": false,
	}
	maps.Copy(order, changes)
	return order
}

func pendingFrame(event int, order Fields) expected {
	return expected{"ordersPending", []any{event, order}}
}

// over are the frames of an order that ends: among open orders, and among finished ones.
func over(order Fields) (pending, executed expected) {
	final := Fields{"ftime": order["mtime"], "source": "api", "fee_asset": "BTC"}
	if order["side"] == 1 {
		final["fee_asset"] = "USDT"
	}
	maps.Copy(final, order)
	return pendingFrame(3, order), expected{"ordersExecuted", []any{final}}
}

func TestSocketOrdersOfEverySituation(t *testing.T) {
	p := privateOpen(t)
	s := p.alice.Authorized()
	for method, params := range map[string][]any{"ordersPending": {}, "ordersExecuted": {[]any{}, 0}, "deals": {[]any{}}} {
		s.Must(method+"_subscribe", params...)
	}
	aliceAt := func() []Push { return p.frames(p.alice, s) }
	// deal is a frame of 100 USDT and an amount, whose number is not known beforehand.
	deal := func(got []Push, i int, order int64, price, amount, fee, client string, side, role int, asset string) expected {
		t.Helper()
		var params []any
		if i >= len(got) || json.Unmarshal(got[i].Params, &params) != nil || len(params) != 11 {
			t.Fatalf("frame %d is no deal: %+v", i, got)
		}
		return expected{"deals", []any{params[0], p.now.Load(), "BTC_USDT", order, price, amount, fee, client, side, role, asset}}
	}
	reset := func() {
		for _, c := range []*Client{p.alice, p.bob} {
			c.Post("/api/v4/order/cancel/all", Fields{"market": "BTC_USDT"})
		}
		aliceAt()
	}

	t.Run("rests", func(t *testing.T) {
		defer reset()
		id := p.alice.limit("buy", "1.0", "100.00", Fields{"clientOrderId": "rest-1", "postOnly": true, "stp": "cb"})
		p.expect(t, aliceAt(), pendingFrame(1, p.order(id, Fields{"client_order_id": "rest-1", "post_only": true, "stp": "cb"})))
	})
	t.Run("fully matched on arrival", func(t *testing.T) {
		defer reset()
		p.bob.limit("sell", "1", "100", nil)
		id := p.alice.limit("buy", "1", "101", nil)
		got := aliceAt()
		pending, executed := over(p.order(id, Fields{
			"price": "101", "left": "0", "deal_stock": "1", "deal_money": "100", "deal_fee": "0.002", "status": "FILLED",
		}))
		p.expect(t, got, deal(got, 0, id, "100", "1", "0.002", "", 2, 2, "BTC"), pending, executed)
	})
	t.Run("partly matched, the rest rests", func(t *testing.T) {
		defer reset()
		p.bob.limit("buy", "0.4", "100", nil)
		id := p.alice.limit("sell", "1", "100", Fields{"clientOrderId": "part"})
		got := aliceAt()
		p.expect(t, got, deal(got, 0, id, "100", "0.4", "0.08", "part", 1, 2, "USDT"), pendingFrame(1, p.order(id, Fields{
			"side": 1, "left": "0.6", "deal_stock": "0.4", "deal_money": "40", "deal_fee": "0.08", "status": "PARTIALLY_FILLED", "client_order_id": "part",
		})))
	})
	t.Run("later fills, the last one too", func(t *testing.T) {
		defer reset()
		id := p.alice.limit("buy", "1", "100", nil)
		aliceAt()
		p.bob.limit("sell", "0.25", "100", nil)
		got := aliceAt()
		p.expect(t, got, deal(got, 0, id, "100", "0.25", "0.00025", "", 2, 1, "BTC"), pendingFrame(2, p.order(id, Fields{
			"left": "0.75", "deal_stock": "0.25", "deal_money": "25", "deal_fee": "0.00025", "status": "PARTIALLY_FILLED",
		})))
		p.bob.limit("sell", "0.75", "100", nil)
		got = aliceAt()
		pending, executed := over(p.order(id, Fields{
			"left": "0", "deal_stock": "1", "deal_money": "100", "deal_fee": "0.001", "status": "FILLED",
		}))
		p.expect(t, got, deal(got, 0, id, "100", "0.75", "0.00075", "", 2, 1, "BTC"), pending, executed)
	})
	t.Run("several fills of one taker", func(t *testing.T) {
		defer reset()
		p.bob.limit("sell", "0.5", "100", nil)
		p.bob.limit("sell", "0.5", "99", nil)
		id := p.alice.limit("buy", "1", "100", nil)
		got := aliceAt()
		pending, executed := over(p.order(id, Fields{
			"left": "0", "deal_stock": "1", "deal_money": "99.5", "deal_fee": "0.002", "status": "FILLED",
		}))
		p.expect(t, got, deal(got, 0, id, "99", "0.5", "0.001", "", 2, 2, "BTC"), deal(got, 1, id, "100", "0.5", "0.001", "", 2, 2, "BTC"), pending, executed)
	})
	t.Run("canceled", func(t *testing.T) {
		defer reset()
		id := p.alice.limit("buy", "1", "100", nil)
		aliceAt()
		placed := p.now.Load()
		p.now.Add(1)
		p.alice.act("/api/v4/order/cancel", Fields{"market": "BTC_USDT", "orderId": id})
		pending, executed := over(p.order(id, Fields{"ctime": placed, "status": "CANCELED"}))
		p.expect(t, aliceAt(), pending, executed)
	})
	t.Run("the rest of ioc is dropped", func(t *testing.T) {
		defer reset()
		p.bob.limit("sell", "0.4", "100", nil)
		id := p.alice.limit("buy", "1", "100", Fields{"ioc": true})
		got := aliceAt()
		pending, executed := over(p.order(id, Fields{
			"ioc": true, "left": "0.6", "deal_stock": "0.4", "deal_money": "40", "deal_fee": "0.0008", "status": "CANCELED",
		}))
		p.expect(t, got, deal(got, 0, id, "100", "0.4", "0.0008", "", 2, 2, "BTC"), pending, executed)
	})
	t.Run("the rest of a market order is dropped", func(t *testing.T) {
		defer reset()
		p.bob.limit("buy", "0.4", "100", nil)
		id := p.alice.place("stock_market", "BTC_USDT", "sell", "1", nil)
		got := aliceAt()
		pending, executed := over(p.order(id, Fields{
			"type": 202, "side": 1, "price": "0", "left": "0.6", "deal_stock": "0.4", "deal_money": "40", "deal_fee": "0.08", "status": "CANCELED",
		}))
		p.expect(t, got, deal(got, 0, id, "100", "0.4", "0.08", "", 1, 2, "USDT"), pending, executed)
	})
	t.Run("modified", func(t *testing.T) {
		defer reset()
		id := p.alice.limit("buy", "1", "100", Fields{"clientOrderId": "mod"})
		aliceAt()
		placed := p.now.Load()
		p.now.Add(2)
		other := p.alice.act("/api/v4/order/modify", Fields{"market": "BTC_USDT", "orderId": id, "price": "90"})
		pending, executed := over(p.order(id, Fields{"ctime": placed, "status": "CANCELED", "client_order_id": "mod"}))
		p.expect(t, aliceAt(), pending,
			pendingFrame(1, p.order(other, Fields{"price": "90", "client_order_id": "mod"})), executed)
	})
	trade := func(price string) {
		p.bob.limit("sell", "0.01", price, nil)
		p.bob.limit("buy", "0.01", price, nil)
	}
	waiting := Fields{"type": 3, "price": "120", "activation_price": "110", "activation_condition": "gte", "activated": 0}
	awake := Fields{"type": 3, "price": "120", "activation_price": "110", "activation_condition": "gte", "activated": 1}
	with := func(base, more Fields) Fields {
		all := maps.Clone(base)
		maps.Copy(all, more)
		return all
	}
	t.Run("a stop wakes up and rests", func(t *testing.T) {
		defer reset()
		trade("100")
		id := p.alice.place("stop_limit", "BTC_USDT", "buy", "1", Fields{"price": "120", "activation_price": "110"})
		p.expect(t, aliceAt(), pendingFrame(1, p.order(id, waiting)))
		trade("110")
		p.expect(t, aliceAt(), pendingFrame(1, p.order(id, awake)))
	})
	t.Run("a stop wakes up and trades a part", func(t *testing.T) {
		defer reset()
		trade("100")
		id := p.alice.place("stop_limit", "BTC_USDT", "buy", "1", Fields{"price": "120", "activation_price": "110"})
		aliceAt()
		p.bob.limit("sell", "0.5", "115", nil)
		trade("110")
		got := aliceAt()
		p.expect(t, got, deal(got, 0, id, "115", "0.5", "0.001", "", 2, 2, "BTC"), pendingFrame(1, p.order(id, awake)),
			pendingFrame(2, p.order(id, with(awake, Fields{
				"left": "0.5", "deal_stock": "0.5", "deal_money": "57.5", "deal_fee": "0.001", "status": "PARTIALLY_FILLED",
			}))))
		// What takes its place is a new order, awake or not.
		other := p.alice.act("/api/v4/order/modify", Fields{"market": "BTC_USDT", "orderId": id, "price": "105"})
		got = aliceAt()
		if len(got) != 3 || !strings.HasPrefix(string(got[1].Params), fmt.Sprintf(`[1,{"id":%d,`, other)) {
			t.Errorf("after modifying %d to %d: %+v", id, other, got)
		}
	})
	t.Run("a stop at the market wakes up and ends", func(t *testing.T) {
		defer reset()
		trade("100")
		id := p.alice.place("stop_market", "BTC_USDT", "sell", "0.5", Fields{"activation_price": "90"})
		stop := Fields{
			"type": 4, "side": 1, "price": "0", "amount": "0.5", "left": "0.5", "activation_price": "90", "activation_condition": "lte", "activated": 0,
		}
		p.expect(t, aliceAt(), pendingFrame(1, p.order(id, stop)))
		p.bob.limit("buy", "1", "80", nil)
		trade("90")
		got := aliceAt()
		pending, executed := over(p.order(id, with(stop, Fields{
			"activated": 1, "left": "0", "deal_stock": "0.5", "deal_money": "40", "deal_fee": "0.08", "status": "FILLED",
		})))
		p.expect(t, got, deal(got, 0, id, "80", "0.5", "0.08", "", 1, 2, "USDT"),
			pendingFrame(1, p.order(id, with(stop, Fields{"activated": 1}))), pending, executed)
	})
	t.Run("self-trade prevention", func(t *testing.T) {
		defer reset()
		old := p.alice.limit("buy", "1", "100", nil)
		aliceAt()
		id := p.alice.limit("sell", "1", "100", Fields{"stp": "co"})
		pending, executed := over(p.order(old, Fields{"status": "CANCELED_STP"}))
		p.expect(t, aliceAt(), pending, pendingFrame(1, p.order(id, Fields{"side": 1, "stp": "co"})), executed)
	})
	t.Run("a trade with oneself", func(t *testing.T) {
		defer reset()
		maker := p.alice.limit("buy", "1", "100", nil)
		aliceAt()
		taker := p.alice.limit("sell", "1", "100", nil)
		got := aliceAt()
		filled := Fields{"left": "0", "deal_stock": "1", "deal_money": "100", "status": "FILLED"}
		bought, boughtOver := over(p.order(maker, with(filled, Fields{"deal_fee": "0.001"})))
		sold, soldOver := over(p.order(taker, with(filled, Fields{"side": 1, "deal_fee": "0.2"})))
		p.expect(t, got, deal(got, 0, maker, "100", "1", "0.001", "", 2, 1, "BTC"), deal(got, 1, taker, "100", "1", "0.2", "", 1, 2, "USDT"),
			bought, sold, boughtOver, soldOver)
	})
	t.Run("maintenance", func(t *testing.T) {
		id := p.alice.limit("buy", "1", "100", nil)
		aliceAt()
		market := p.Exchange.API.Directory().Market("BTC_USDT").ID
		placed := p.now.Load()
		at := schema.Time(placed+5) * schema.Second
		p.Do(&schema.PlanMaintenance{Market: market, From: at, To: at + 60*schema.Second})
		p.now.Add(5)
		p.Do(&schema.Tick{})
		pending, executed := over(p.order(id, Fields{"ctime": placed, "status": "MAINTENANCE"}))
		p.expect(t, aliceAt(), pending, executed)
	})
}

func TestSocketScopes(t *testing.T) {
	p := privateOpen(t)
	p.alice.limit("buy", "1", "50", nil) // before anybody listens
	s, other := p.alice.Authorized(), p.bob.Authorized()
	s.Must("ordersPending_subscribe")
	other.Must("ordersPending_subscribe")
	other.Must("ordersExecuted_subscribe", []any{}, 0)
	other.Must("deals_subscribe", []any{[]any{}}...)
	finish := func(kind, market, side, amount string, more Fields) { // an order that ends at once
		p.alice.place(kind, market, side, amount, more)
	}
	methods := func(list []Push) (names []string) {
		for _, f := range list {
			names = append(names, strings.TrimSuffix(f.Method, "_update"))
		}
		return names
	}
	for _, c := range []struct {
		markets []string
		filter  int
		want    int // frames of finished orders
	}{
		{nil, 0, 2},
		{nil, 1, 1},
		{nil, 2, 1},
		{[]string{"BTC_USDT"}, 0, 2},
		{[]string{"ETH_USDT"}, 0, 0},
		{[]string{"ETH_USDT", "BTC_USDT", "BTC_USDT"}, 2, 1},
	} {
		if c.markets == nil {
			c.markets = []string{}
		}
		s.Must("ordersExecuted_subscribe", c.markets, c.filter)
		finish("new", "BTC_USDT", "buy", "1", Fields{"price": "1", "ioc": true})
		finish("stock_market", "BTC_USDT", "sell", "0.1", nil)
		p.alice.limit("buy", "0.1", "50", nil)
		got := slices.DeleteFunc(methods(p.frames(p.alice, s)), func(name string) bool { return name != "ordersExecuted" })
		if len(got) != c.want {
			t.Errorf("%v %d: %d frames of finished orders, want %d", c.markets, c.filter, len(got), c.want)
		}
	}
	s.Must("ordersExecuted_unsubscribe", []any{"BTC_USDT"}, 0)
	s.Must("ordersExecuted_unsubscribe")
	s.Must("ordersPending_subscribe", "ETH_USDT")
	finish("new", "BTC_USDT", "buy", "1", Fields{"price": "1", "ioc": true})
	p.expect(t, p.frames(p.alice, s))
	// A list with a market that is not there changes nothing.
	s.Refused(9, "market NO_NO does not exist", "ordersPending_subscribe", "BTC_USDT", "NO_NO")
	s.Refused(9, "market NO_NO does not exist", "ordersExecuted_subscribe", []string{"NO_NO"}, 0)
	s.Refused(9, "market NO_NO does not exist", "deals_subscribe", []string{"NO_NO"})
	for _, c := range []struct {
		method string
		params []any
	}{
		{"ordersPending_subscribe", []any{7}},
		{"ordersPending_subscribe", []any{[]string{"BTC_USDT"}}},
		{"ordersExecuted_subscribe", []any{}},
		{"ordersExecuted_subscribe", []any{"BTC_USDT"}},
		{"ordersExecuted_subscribe", []any{[]string{"BTC_USDT"}}},
		{"ordersExecuted_subscribe", []any{[]string{"BTC_USDT"}, 3}},
		{"ordersExecuted_subscribe", []any{[]string{"BTC_USDT"}, -1}},
		{"ordersExecuted_subscribe", []any{[]string{"BTC_USDT"}, "0"}},
		{"deals_subscribe", []any{[]any{1}}},
		{"deals_subscribe", []any{1}},
		{"balanceSpot_subscribe", []any{1}},
		{"positionsMargin_subscribe", []any{"BTC_PERP"}},
		{"ADLQuantile_subscribe", []any{"BTC_PERP", "BTC_PERP"}},
		{"ADLQuantile_subscribe", []any{"BTC_USDT"}},
		{"ADLQuantile_subscribe", []any{"NO_PERP"}},
	} {
		s.Refused(1, "invalid argument", c.method, c.params...)
	}
	p.alice.limit("buy", "0.1", "50", nil)
	p.expect(t, p.frames(p.alice, s))
	for _, params := range [][]any{{[]string{"BTC_USDT"}}, {"BTC_USDT"}, {[]string{}}, {}} {
		s.Must("deals_subscribe", params...)
		p.alice.limit("sell", "0.01", "50", nil)
		if got := methods(p.frames(p.alice, s)); !slices.Equal(got, []string{"deals", "deals"}) {
			t.Errorf("%v: %v", params, got)
		}
	}
	s.Must("deals_subscribe", []string{"ETH_USDT"})
	p.alice.limit("sell", "0.01", "50", nil)
	p.expect(t, p.frames(p.alice, s))
	// Bob heard of none of that.
	p.expect(t, p.frames(p.bob, other))
}

func TestSocketBalances(t *testing.T) {
	p := privateOpen(t)
	s, narrow, other := p.alice.Authorized(), p.alice.Authorized(), p.bob.Authorized()
	s.Must("balanceSpot_subscribe")
	other.Must("balanceSpot_subscribe")
	narrow.Must("balanceSpot_subscribe", "BTC", "BTC")
	s.Refused(8, "unknown asset", "balanceSpot_subscribe", "BTC", "NONE")
	s.Refused(8, "unknown asset", "balanceSpot_request", "NONE")
	s.Refused(1, "invalid argument", "balanceSpot_request", 1)
	// Twenty orders at once change one balance twenty times: one frame, with what came of it.
	var orders []Fields
	for i := range 20 {
		orders = append(orders, Fields{"market": "BTC_USDT", "side": "buy", "amount": "1", "price": strconv.Itoa(10 + i)})
	}
	if r := p.alice.Post("/api/v4/order/bulk", Fields{"orders": orders}); r.Status != 200 {
		t.Fatal(r.Body)
	}
	if got := s.Pushed("balanceSpot_update"); got != `[{"USDT":{"available":"99610","freeze":"390"}}]` {
		t.Errorf("pushed %s", got)
	}
	p.bob.limit("sell", "1", "29", nil)
	if got := s.Pushed("balanceSpot_update"); got != `[{"BTC":{"available":"10.999","freeze":"0"},"USDT":{"available":"99610","freeze":"361"}}]` {
		t.Errorf("pushed %s", got)
	}
	if got := narrow.Pushed("balanceSpot_update"); got != `[{"BTC":{"available":"10.999","freeze":"0"}}]` {
		t.Errorf("pushed to one who wants BTC %s", got)
	}
	if got := other.Pushed("balanceSpot_update"); got != `[{"BTC":{"available":"9","freeze":"0"},"USDT":{"available":"100028.942","freeze":"0"}}]` {
		t.Errorf("pushed to bob %s", got)
	}
	for _, c := range []struct {
		params []any
		want   string
	}{
		{nil, `{"BTC":{"available":"10.999","freeze":"0"},"USDT":{"available":"99610","freeze":"361"}}`},
		{[]any{"ETH"}, `{"ETH":{"available":"0","freeze":"0"}}`},
		{[]any{"USDT", "ETH", "USDT"}, `{"USDT":{"available":"99610","freeze":"361"},"ETH":{"available":"0","freeze":"0"}}`},
	} {
		if got := s.Must("balanceSpot_request", c.params...); got != c.want {
			t.Errorf("%v: %s, want %s", c.params, got, c.want)
		}
	}
	// Who changes what to hear of misses nothing of it.
	p.alice.limit("buy", "1", "10", nil)
	s.Must("balanceSpot_subscribe", "ETH", "USDT")
	if got := s.Pushed("balanceSpot_update"); got != `[{"USDT":{"available":"99600","freeze":"371"}}]` {
		t.Errorf("pushed %s", got)
	}
	for _, pushes := range [][]Push{s.pushes, narrow.pushes, other.pushes} {
		if len(pushes) > 0 {
			t.Errorf("too much: %+v", pushes)
		}
	}
}

func TestSocketMarginIsEmpty(t *testing.T) {
	p := privateOpen(t)
	s := p.alice.Authorized()
	for _, name := range []string{"positionsMargin", "borrowsMargin"} {
		for range 2 {
			s.Must(name + "_subscribe")
			if got := s.Pushed(name + "_update"); got != `{"total":0,"records":[]}` {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	for range 2 {
		s.Must("ADLQuantile_subscribe")
		if got := s.Pushed("ADLQuantile_update"); got != `[]` {
			t.Errorf("ranks: %s", got)
		}
	}
	s.Must("positionsAccountMargin_subscribe")
	s.Must("borrowsAccountMargin_subscribe")
	s.Must("balanceMargin_subscribe")
	if got := s.Must("balanceMargin_request"); got != `{}` {
		t.Errorf("margin balances: %s", got)
	}
	if got := s.Must("balanceMargin_request", "USDT"); got != `{"USDT":{"balance":"0","borrow":"0","available_without_borrow":"0","available_with_borrow":"0"}}` {
		t.Errorf("margin balances: %s", got)
	}
	s.Refused(8, "unknown asset", "balanceMargin_request", "NONE")
	// What is moved there is there, even if nothing can be done with it.
	p.alice.Post("/api/v4/main-account/transfer", Fields{"ticker": "USDT", "amount": "12.5", "from": "main", "to": "collateral"})
	if got := s.Pushed("balanceMargin_update"); got != `[{"a":"USDT","B":"12.5","b":"0","av":"12.5","ab":"12.5"}]` {
		t.Errorf("pushed %s", got)
	}
	if got := s.Must("balanceMargin_request"); got != `{"USDT":{"balance":"12.5","borrow":"0","available_without_borrow":"12.5","available_with_borrow":"12.5"}}` {
		t.Errorf("margin balances: %s", got)
	}
	for _, name := range []string{"positionsMargin", "borrowsMargin", "positionsAccountMargin", "borrowsAccountMargin", "balanceMargin", "ADLQuantile"} {
		s.Must(name + "_unsubscribe")
	}
	if len(s.pushes) > 0 {
		t.Errorf("too much: %+v", s.pushes)
	}
}

func TestSocketPagesOfThePast(t *testing.T) {
	p := privateOpen(t)
	var ids []int64
	for i := range 5 {
		p.now.Add(1)
		ids = append(ids, p.alice.limit("buy", "1", "100", Fields{"clientOrderId": "page-" + strconv.Itoa(i)}))
	}
	s := p.alice.Authorized()
	type pageOf struct {
		Limit, Offset int
		Total         *int
		Records       []Fields
	}
	ask := func(method string, params ...any) (page pageOf) {
		t.Helper()
		if err := json.Unmarshal([]byte(s.Must(method, params...)), &page); err != nil {
			t.Fatal(err)
		}
		return page
	}
	got := ask("ordersPending_request", "BTC_USDT", 1, 2)
	if got.Limit != 2 || got.Offset != 1 || got.Total == nil || *got.Total != 5 || len(got.Records) != 2 {
		t.Fatalf("open orders: %+v", got)
	}
	for i, r := range got.Records {
		want := p.order(ids[3-i], Fields{"client_order_id": fmt.Sprint("page-", 3-i), "ctime": privateNoon + 4 - i, "mtime": privateNoon + 4 - i})
		if !sameJSON(t, r, want) {
			t.Errorf("record %d: %v, want %v", i, r, want)
		}
	}
	if got := s.Must("ordersPending_request", "ETH_USDT", 0, 100); got != `{"limit":100,"offset":0,"total":0,"records":[]}` {
		t.Errorf("no open orders: %s", got)
	}
	p.now.Add(1) // 6
	taker := p.bob.place("stock_market", "BTC_USDT", "sell", "1.5", nil)
	p.now.Add(1) // 7
	p.alice.act("/api/v4/order/cancel", Fields{"market": "BTC_USDT", "orderId": ids[4]})
	p.now.Add(1) // 8
	last := p.alice.place("stock_market", "BTC_USDT", "sell", "1", Fields{"stp": "cn"})

	finished := func(id int64, at int, changes Fields) Fields {
		order := p.order(id, Fields{"ftime": privateNoon + at, "fee_asset": "BTC", "source": "api"})
		delete(order, "mtime")
		delete(order, "left")
		maps.Copy(order, changes)
		return order
	}
	records := []Fields{
		finished(last, 8, Fields{"type": 202, "side": 1, "price": "0", "stp": "cn", "ctime": privateNoon + 8, "status": "CANCELED_STP", "fee_asset": "USDT"}),
		finished(ids[4], 7, Fields{"ctime": privateNoon + 5, "status": "CANCELED", "client_order_id": "page-4"}),
		finished(ids[0], 6, Fields{
			"ctime": privateNoon + 1, "status": "FILLED", "client_order_id": "page-0", "deal_stock": "1", "deal_money": "100", "deal_fee": "0.001",
		}),
	}
	for _, c := range []struct {
		filter        any
		offset, limit int
		want          []Fields
	}{
		{Fields{"market": "BTC_USDT", "order_types": nil}, 0, 100, records},
		{Fields{"market": "BTC_USDT"}, 1, 1, records[1:2]},
		{Fields{"market": "BTC_USDT", "order_types": []int{}}, 3, 1, nil},
		{Fields{"market": "BTC_USDT", "order_types": []int{202, 2, 7}}, 0, 10, records[:1]},
		{Fields{"market": "BTC_USDT", "order_types": []int{1}}, 0, 10, records[1:]},
		{Fields{"market": "BTC_USDT", "order_types": []int{1}}, 1, 10, records[2:]},
		{Fields{"market": "BTC_USDT", "order_types": []int{1}}, 0, 1, records[1:2]},
		{Fields{"market": "ETH_USDT", "order_types": []int{1}}, 0, 10, nil},
	} {
		got := ask("ordersExecuted_request", c.filter, c.offset, c.limit)
		if got.Limit != c.limit || got.Offset != c.offset || got.Total != nil || len(got.Records) != len(c.want) {
			t.Errorf("%v: %+v", c.filter, got)
			continue
		}
		for i, r := range got.Records {
			if !sameJSON(t, r, c.want[i]) {
				t.Errorf("%v, record %d: %v\nwant %v", c.filter, i, r, c.want[i])
			}
		}
	}
	deals := ask("deals_request", "BTC_USDT", 0, 100)
	if len(deals.Records) != 2 || deals.Total != nil || deals.Limit != 100 {
		t.Fatalf("deals: %+v", deals)
	}
	for i, want := range []Fields{
		{"amount": "0.5", "deal": "50", "fee": "0.0005", "order_id": ids[1], "client_order_id": "page-1"},
		{"amount": "1", "deal": "100", "fee": "0.001", "order_id": ids[0], "client_order_id": "page-0"},
	} {
		maps.Copy(want, Fields{
			"id": deals.Records[i]["id"], "time": privateNoon + 6, "side": 2, "role": 1, "price": "100", "deal_order_id": taker, "market": "BTC_USDT", "fee_asset": "BTC",
		})
		if !sameJSON(t, deals.Records[i], want) {
			t.Errorf("deal %d: %v\nwant %v", i, deals.Records[i], want)
		}
	}
	if got := ask("deals_request", "BTC_USDT", 1, 1); len(got.Records) != 1 || !sameJSON(t, got.Records[0], deals.Records[1]) {
		t.Errorf("the second deal: %+v", got)
	}
	bad := [][]any{
		{},
		{"BTC_USDT"},
		{"BTC_USDT", 0},
		{"BTC_USDT", 0, 101},
		{"BTC_USDT", 0, 0},
		{"BTC_USDT", 0, -1},
		{"BTC_USDT", -1, 1},
		{"BTC_USDT", "0", 1},
		{"BTC_USDT", 0, 1.5},
		{7, 0, 1},
		{"BTC_USDT", 0, 1, 1},
		{"BTC_USDT", int64(1) << 40, 1},
	}
	for _, params := range bad {
		s.Refused(1, "invalid argument", "ordersPending_request", params...)
		s.Refused(1, "invalid argument", "deals_request", params...)
		if len(params) > 0 && params[0] == "BTC_USDT" {
			params[0] = Fields{"market": "BTC_USDT"}
		}
		s.Refused(1, "invalid argument", "ordersExecuted_request", params...)
	}
	for _, filter := range []any{"BTC_USDT", Fields{}, Fields{"market": 1}, Fields{"market": "BTC_USDT", "order_types": 1}, Fields{"market": "BTC_USDT", "order_types": []any{"1"}}} {
		s.Refused(1, "invalid argument", "ordersExecuted_request", filter, 0, 10)
	}
	s.Refused(9, "market NO_NO does not exist", "ordersPending_request", "NO_NO", 0, 10)
	s.Refused(9, "market NO_NO does not exist", "deals_request", "NO_NO", 0, 10)
	s.Refused(9, "market NO_NO does not exist", "ordersExecuted_request", Fields{"market": "NO_NO"}, 0, 10)
}

// privateMethods are all methods that nobody may use without rights.
func privateMethods() (all []string) {
	for _, name := range []string{
		"balanceSpot", "balanceMargin", "ordersPending", "ordersExecuted", "deals", "positionsMargin", "positionsAccountMargin",
		"borrowsMargin", "borrowsAccountMargin", "ADLQuantile",
	} {
		all = append(all, name+"_subscribe", name+"_unsubscribe")
	}
	return append(all, "balanceSpot_request", "balanceMargin_request", "ordersPending_request", "ordersExecuted_request", "deals_request")
}

func TestSocketRights(t *testing.T) {
	p := privateOpen(t)
	for _, name := range privateMethods() {
		p.Socket().Refused(6, "require authentication", name)
	}
	directory := p.Exchange.API.Directory()
	listen := func(c *Client) *Socket {
		s := c.Authorized()
		s.Must("ordersPending_subscribe")
		s.Must("ordersExecuted_subscribe", []any{}, 0)
		s.Must("deals_subscribe")
		return s
	}
	off, on := listen(p.alice), listen(p.Client("second", "s"))
	key := directory.Key([]byte("alice")).Key
	key.Enabled = false
	p.Do(&schema.SetKey{Key: key})
	for _, name := range privateMethods() {
		off.Refused(6, "require authentication", name)
	}
	p.Client("second", "s").limit("buy", "1", "100", nil)
	if got := p.frames(p.Client("second", "s"), on); len(got) != 1 {
		t.Errorf("the key that is enabled heard %+v", got)
	}
	// Rights that come back do not bring back what was listened to: something would be missing.
	key.Enabled = true
	p.Do(&schema.SetKey{Key: key})
	p.Client("second", "s").limit("buy", "1", "100", nil)
	if got := p.frames(p.alice, on); len(got) != 1 {
		t.Errorf("the key that is enabled heard %+v", got)
	}
	if off.Must("ping"); len(off.pushes) > 0 {
		t.Errorf("a key that was disabled heard %+v", off.pushes)
	}
	off.Must("ordersPending_subscribe")
	id := p.alice.limit("buy", "1", "100", nil)
	p.expect(t, p.frames(p.alice, off), pendingFrame(1, p.order(id, nil)))

	// A blocked account hears nothing more, whatever still happens to it.
	p.frames(p.alice, on)
	account := *directory.Account(key.Account)
	account.Blocked = true
	p.Do(&schema.SetAccount{Account: account})
	bob := listen(p.bob)
	p.bob.limit("sell", "1", "100", nil)
	if got := p.frames(p.bob, bob); len(got) != 3 {
		t.Errorf("bob heard %+v", got)
	}
	p.frames(p.bob, bob)
	for _, s := range []*Socket{off, on} {
		s.Refused(6, "require authentication", "ordersPending_request", "BTC_USDT", 0, 1)
		if s.Must("ping"); slices.ContainsFunc(s.pushes, func(f Push) bool { return !strings.Contains(string(f.Params), "fence-") }) {
			t.Errorf("a blocked account heard %+v", s.pushes)
		}
	}
}

// TestSocketFollowsOrdersAndBalances lets two traders do anything, and one of them know of it by
// pushes alone.
func TestSocketFollowsOrdersAndBalances(t *testing.T) {
	p := privateOpen(t)
	s := p.alice.Authorized()
	s.Must("ordersPending_subscribe")
	s.Must("balanceSpot_subscribe")
	s.Must("deals_subscribe")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	var known []string
	for i := range 400 {
		c := []*Client{p.alice, p.bob}[random.IntN(2)]
		side := []string{"buy", "sell"}[random.IntN(2)]
		amount, price := fmt.Sprintf("0.%d", 1+random.IntN(9)), strconv.Itoa(90+random.IntN(20))
		path, fields := "/api/v4/order/", Fields{"market": "BTC_USDT", "side": side, "amount": amount}
		switch random.IntN(10) {
		case 0, 1, 2, 3, 4:
			known = append(known, fmt.Sprint("order-", i))
			path += "new"
			fields["price"], fields["clientOrderId"] = price, known[len(known)-1]
		case 5:
			path += "stock_market"
		case 6:
			path += "stop_limit"
			fields["price"], fields["activation_price"] = price, strconv.Itoa(90+random.IntN(20))
		case 7, 8:
			path += "cancel"
			if len(known) > 0 {
				fields["clientOrderId"] = known[random.IntN(len(known))]
			}
		default:
			path += "modify"
			if delete(fields, "side"); len(known) > 0 {
				fields["clientOrderId"] = known[random.IntN(len(known))]
			}
			fields["price"] = price
		}
		c.Post(path, fields) // some are refused
	}
	open := map[int64]string{}
	have := map[string]string{}
	follow := func(f Push) {
		var params []json.RawMessage
		if err := json.Unmarshal(f.Params, &params); err != nil {
			t.Fatal(err)
		}
		switch f.Method {
		case "ordersPending_update":
			var order struct {
				ID     int64
				Left   string
				Price  string
				Status string
				Stock  string `json:"deal_stock"`
			}
			if err := json.Unmarshal(params[1], &order); err != nil {
				t.Fatal(err)
			}
			if string(params[0]) == "3" {
				delete(open, order.ID)
			} else {
				open[order.ID] = fmt.Sprint(order.Left, " ", order.Price, " ", order.Status, " ", order.Stock)
			}
		case "balanceSpot_update":
			var changed map[string]map[string]string
			if err := json.Unmarshal(params[0], &changed); err != nil {
				t.Fatal(err)
			}
			for ticker, b := range changed {
				have[ticker] = b["available"] + " " + b["freeze"]
			}
		}
	}
	want := map[int64]string{}
	for offset := 0; ; offset += 100 {
		var orders []struct {
			ID     int64 `json:"orderId"`
			Left   string
			Price  string
			Status string
			Stock  string `json:"dealStock"`
		}
		p.alice.Post("/api/v4/orders", Fields{"limit": 100, "offset": offset}).Read(t, &orders)
		for _, o := range orders {
			want[o.ID] = fmt.Sprint(o.Left, " ", o.Price, " ", o.Status, " ", o.Stock)
		}
		if len(orders) < 100 {
			break
		}
	}
	var balances map[string]map[string]string
	p.alice.Post("/api/v4/trade-account/balance", nil).Read(t, &balances)
	wantHave := map[string]string{}
	for ticker, b := range balances {
		wantHave[ticker] = b["available"] + " " + b["freeze"]
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*socketTime)
	defer cancel()
	for !maps.Equal(open, want) || !maps.Equal(have, wantHave) {
		if ctx.Err() != nil {
			t.Fatalf("pushes told of\n%v\n%v\nthere are\n%v\n%v", open, have, want, wantHave)
		}
		var f Push
		if len(s.pushes) > 0 {
			f, s.pushes = s.pushes[0], s.pushes[1:]
		} else {
			f, _ = push(s.Next())
		}
		follow(f)
	}
}
