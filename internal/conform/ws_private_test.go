package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

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
		{"ADLQuantile_subscribe", []any{7}},
	} {
		s.Refused(1, "invalid argument", c.method, c.params...)
	}
	for _, name := range []string{"BTC_USDT", "NO_PERP"} {
		s.Refused(1, "the market is not futures", "ADLQuantile_subscribe", name)
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
