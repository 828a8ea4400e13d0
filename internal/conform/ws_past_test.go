package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"testing"
)

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
		{"BTC_USDT", 10_001, 1},
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
