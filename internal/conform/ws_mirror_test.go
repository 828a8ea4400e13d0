package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

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
