package conform

import (
	"strconv"
	"testing"
)

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
