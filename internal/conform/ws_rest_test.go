package conform_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"bourse/internal/schema"
)

// spelled is how the socket spells the fields of a request by REST.
func spelled(fields obj) obj {
	names := map[string]string{
		"clientOrderId": "client_order_id", "orderId": "order_id", "activationPrice": "activation_price", "postOnly": "post_only", "bboRole": "bbo_role",
	}
	same := obj{}
	for name, value := range fields {
		same[cmp.Or(names[name], name)] = value
	}
	return same
}

// TestSocketAndREST drives the same orders by REST at one exchange and over the socket at another,
// and holds the two to the same orders, balances and books.
func TestSocketAndREST(t *testing.T) {
	t.Parallel()
	const seed, steps = 7, 300
	markets := func() map[string]obj { return plain("WSA_USDT", "WSB_USDT") }
	clock := newClock()
	one, other := operate(t, clock, markets(), plain("alice", "bob")), operate(t, clock, markets(), plain("alice", "bob"))
	names := []string{"alice", "bob"}
	byREST, checked, sockets := map[string]trader{}, map[string]trader{}, map[string]socketed{}
	for _, name := range names {
		byREST[name], checked[name] = one.trader(t, name), other.trader(t, name)
		sockets[name] = checked[name].socket()
	}
	r := rand.New(rand.NewPCG(seed, seed))
	price := func() string { return fmt.Sprintf("%d.%d", 90+r.IntN(20), r.IntN(10)) }
	same := func(step int) {
		t.Helper()
		for _, market := range []string{"WSA_USDT", "WSB_USDT"} {
			path := "/api/v4/public/orderbook/" + market
			if x, y := one.Get(path).Body, other.Get(path).Body; x != y {
				t.Fatalf("before step %d the books differ\n%s\n%s", step, x, y)
			}
		}
		for _, name := range names {
			for _, look := range []string{"orders", "trade-account/balance", "trade-account/order/history"} {
				if x, y := byREST[name].ask(look, nil).Body, checked[name].ask(look, nil).Body; x != y {
					t.Fatalf("before step %d: %s of %s differ\n%s\n%s", step, look, name, x, y)
				}
			}
		}
	}
	done, refused, placed := 0, 0, 0
	for step := range steps {
		if step%20 == 0 {
			same(step)
		}
		clock.advance(schema.Time(1 + r.IntN(1000)))
		who := names[r.IntN(2)]
		market := "WSA_USDT"
		if r.IntN(4) == 0 {
			market = "WSB_USDT"
		}
		fields := obj{"market": market, "side": []string{"buy", "sell"}[r.IntN(2)], "amount": fmt.Sprintf("%d.%d", r.IntN(4), r.IntN(10))}
		if r.IntN(3) == 0 {
			fields["clientOrderId"] = fmt.Sprintf("c-%d", r.IntN(20))
		}
		if r.IntN(3) == 0 {
			fields["stp"] = []string{"no", "cb", "cn", "co", "cancel_old"}[r.IntN(5)]
		}
		var path, method string
		switch r.IntN(12) {
		case 0, 1, 2, 3:
			path, method = "order/new", "order_limit_place"
			fields["price"] = price()
			if r.IntN(6) == 0 {
				fields[[]string{"postOnly", "ioc"}[r.IntN(2)]] = true
			}
		case 4:
			path, method = "order/new", "order_bbo_place"
			fields["bboRole"], fields["ioc"] = 2, r.IntN(2) == 0
		case 5:
			path, method = "order/market", "order_market_place"
			if fields["side"] == "buy" {
				fields["amount"] = fmt.Sprint(3 + r.IntN(300))
			}
		case 6:
			path, method = "order/stock_market", "order_market_stock_place"
		case 7:
			path, method = "order/stop_limit", "order_stop_limit_place"
			fields["price"], fields["activation_price"] = price(), price()
		case 8:
			path, method = "order/stop_market", "order_stop_market_place"
			fields["activation_price"] = price()
			if fields["side"] == "buy" {
				fields["amount"] = fmt.Sprint(3 + r.IntN(300))
			}
		case 9, 10:
			path, method = "order/modify", "order_modify"
			// REST forgets the stp that nobody sends again.
			fields = obj{"market": market, "orderId": max(1, placed-r.IntN(20)), "stp": "cn"}
			fields[[]string{"price", "activationPrice", "amount", "total"}[r.IntN(4)]] = price()
		case 11:
			path, method = "order/cancel", "order_cancel"
			fields = obj{"market": market, "orderId": max(1, placed-r.IntN(20))}
		}
		if step%100 == 99 {
			path, method, fields = "order/cancel/all", "order_cancel_all", obj{"market": market, "type": arr{"spot"}}
		}
		reply, answer := byREST[who].ask(path, fields), sockets[who].Ask(method, spelled(fields))
		if (reply.Status == 200) != (answer.Error == nil) {
			t.Fatalf("step %d, %s %v: %d %s, and over the socket %s %+v", step, path, fields, reply.Status, reply.Body, answer.Result, answer.Error)
		}
		if answer.Error != nil {
			refused++
			continue
		}
		done++
		if method == "order_cancel_all" {
			continue
		}
		var a map[string]any
		reply.Read(t, &a)
		b := read(t, string(answer.Result))
		for rest, here := range map[string]string{
			"orderId": "id", "clientOrderId": "client_order_id", "market": "market", "timestamp": "ctime", "dealMoney": "deal_money", "dealStock": "deal_stock",
			"amount": "amount", "left": "left", "dealFee": "deal_fee", "ioc": "ioc", "stp": "stp",
		} {
			if a[rest] != b[here] {
				t.Fatalf("step %d, %s %v: %s is %v by REST and %v over the socket", step, path, fields, rest, a[rest], b[here])
			}
		}
		if id, err := b["id"].(json.Number).Int64(); err == nil {
			placed = max(placed, int(id))
		}
	}
	same(steps)
	if done < steps/2 || refused < steps/20 {
		t.Errorf("%d done and %d refused of %d: that tells little", done, refused, steps)
	}
}
