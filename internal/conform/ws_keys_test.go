package conform

import (
	"maps"
	"slices"
	"testing"

	"bourse/internal/schema"
	"bourse/internal/ws"
)

// socketRights is the path whose right each private method needs, written out.
var socketRights = map[string][]string{
	"/api/v4/order/new":                         {"order_limit_place", "order_bbo_place"},
	"/api/v4/order/market":                      {"order_market_place"},
	"/api/v4/order/stock_market":                {"order_market_stock_place"},
	"/api/v4/order/stop_limit":                  {"order_stop_limit_place", "order_stop_bbo_place"},
	"/api/v4/order/stop_market":                 {"order_stop_market_place", "order_stop_market_stock_place"},
	"/api/v4/order/modify":                      {"order_modify"},
	"/api/v4/order/cancel":                      {"order_cancel"},
	"/api/v4/order/cancel/all":                  {"order_cancel_all", flagOfAuthorize},
	"/api/v4/order/conditional-cancel":          {"order_cancel_conditional"},
	"/api/v4/order/collateral/limit":            {"collateral_order_limit_place", "collateral_order_bbo_place", "collateral_order_oto_place", "collateral_order_tpsl_place"},
	"/api/v4/order/collateral/market":           {"collateral_order_market_place"},
	"/api/v4/order/collateral/stop-limit":       {"collateral_order_stop_limit_place", "collateral_order_stop_bbo_place"},
	"/api/v4/order/collateral/trigger-market":   {"collateral_order_stop_market_place"},
	"/api/v4/order/collateral/oco":              {"collateral_order_oco_place"},
	"/api/v4/orders":                            {"ordersPending_request", "ordersPending_subscribe", "ordersPending_unsubscribe"},
	"/api/v4/trade-account/balance":             {"balanceSpot_request", "balanceSpot_subscribe", "balanceSpot_unsubscribe"},
	"/api/v4/trade-account/order/history":       {"ordersExecuted_request", "ordersExecuted_subscribe", "ordersExecuted_unsubscribe"},
	"/api/v4/trade-account/executed-history":    {"deals_request", "deals_subscribe", "deals_unsubscribe"},
	"/api/v4/collateral-account/balance":        {"balanceMargin_request", "balanceMargin_subscribe", "balanceMargin_unsubscribe"},
	"/api/v4/collateral-account/positions/open": {"positionsMargin_subscribe", "positionsMargin_unsubscribe", "positionsAccountMargin_subscribe", "positionsAccountMargin_unsubscribe"},
	"/api/v4/collateral-account/borrow-history": {"borrowsMargin_subscribe", "borrowsMargin_unsubscribe", "borrowsAccountMargin_subscribe", "borrowsAccountMargin_unsubscribe"},
	"/api/v4/collateral-account/adl-quantile":   {"ADLQuantile_subscribe", "ADLQuantile_unsubscribe"},
	pathSocket: {"authorize"},
}

const flagOfAuthorize = "cancel_on_disconnect"

// restricted changes the key of alice.
func (p *privateFloor) restricted(change func(*schema.Key)) {
	p.t.Helper()
	key := p.Exchange.API.Directory().Key([]byte("alice")).Key
	key.Enabled, key.URLs, key.Addresses = true, []string{"*"}, nil
	change(&key)
	p.Do(&schema.SetKey{Key: key})
}

func onlyURLs(urls ...string) func(*schema.Key) {
	return func(k *schema.Key) { k.URLs = urls }
}

// TestSocketRightsOfEveryMethod holds every private method against a key that may call one path, on
// a connection that was open before the key was restricted.
func TestSocketRightsOfEveryMethod(t *testing.T) {
	p := privateOpen(t)
	right := map[string]string{}
	for path, methods := range socketRights {
		for _, m := range methods {
			right[m] = path
		}
	}
	if got := ws.Rights(); !maps.Equal(got, right) {
		t.Errorf("the table of rights is %v, want %v", got, right)
	}
	methods := slices.DeleteFunc(slices.Sorted(maps.Keys(right)), func(name string) bool { return name == "authorize" || name == flagOfAuthorize })
	paths := slices.Collect(maps.Keys(socketRights))
	for _, o := range operationsOf(true) {
		if socketRights[o.Path] == nil {
			paths = append(paths, o.Path)
		}
	}
	s := p.alice.Authorized()
	for _, path := range append(paths, "*") {
		p.restricted(onlyURLs(path))
		for _, name := range methods {
			a := s.Ask(name)
			refused := a.Error != nil && a.Error.Code == 6 && a.Error.Message == "require authentication"
			if allowed := path == "*" || right[name] == path; refused == allowed {
				t.Errorf("%s with a key that may call %s: %s %+v", name, path, a.Result, a.Error)
			}
		}
	}
}

// TestSocketAuthorizeNeedsTheKey: a token is worth what its key is worth, where it is used and when.
func TestSocketAuthorizeNeedsTheKey(t *testing.T) {
	p := privateOpen(t)
	var answer struct {
		Token string `json:"websocket_token"`
	}
	p.alice.Post(pathSocket, nil).Read(t, &answer)
	for _, change := range []func(*schema.Key){
		func(k *schema.Key) { k.Enabled = false },
		func(k *schema.Key) { k.Addresses = []string{"10.1.2.3"} },
		func(k *schema.Key) { k.Addresses = []string{"everywhere"} },
		onlyURLs("/api/v4/orders"),
	} {
		p.restricted(change)
		p.Socket().Refused(11, "invalid token", "authorize", answer.Token, "public")
	}
	flag := Fields{flagOfAuthorize: true}
	for _, c := range []struct {
		urls []string
		may  bool
	}{
		{[]string{pathSocket}, false},
		{[]string{pathSocket, "/api/v4/order/cancel"}, false},
		{[]string{pathSocket, "/api/v4/order/cancel/all"}, true},
		{[]string{"*"}, true},
	} {
		p.restricted(onlyURLs(c.urls...))
		s := p.Socket()
		if !c.may {
			s.Refused(6, "require authentication", "authorize", answer.Token, "public", flag)
			s.Refused(6, "require authentication", "balanceSpot_request")
			s.Must("authorize", answer.Token, "public", Fields{flagOfAuthorize: false})
			continue
		}
		s.Must("authorize", answer.Token, "public", flag)
	}
	p.restricted(func(k *schema.Key) { k.Addresses = []string{"127.0.0.1", "10.1.2.3"} })
	p.Socket().Must("authorize", answer.Token, "public")
}

// TestSocketSubscriptionsEndWithTheRight: what a key may no longer read is no longer pushed, and does
// not come back with the right.
func TestSocketSubscriptionsEndWithTheRight(t *testing.T) {
	p := privateOpen(t)
	second := p.Client("second", "s")
	all := second.Authorized()
	subscribe := func(s *Socket) {
		s.Must("ordersPending_subscribe")
		s.Must("ordersExecuted_subscribe", []any{}, 0)
		s.Must("deals_subscribe")
	}
	subscribe(all)
	for _, c := range []struct {
		change func(*schema.Key)
		heard  []string
	}{
		{onlyURLs("/api/v4/orders"), []string{"ordersPending_update"}},
		{onlyURLs("/api/v4/trade-account/order/history"), []string{"ordersExecuted_update"}},
		{onlyURLs("/api/v4/trade-account/executed-history"), []string{"deals_update"}},
		{onlyURLs("/api/v4/trade-account/balance"), nil},
		{func(k *schema.Key) { k.Addresses = []string{"10.1.2.3"} }, nil},
		{func(k *schema.Key) { k.Addresses = []string{"127.0.0.1"} }, []string{"deals_update", "ordersExecuted_update", "ordersPending_update"}},
	} {
		p.restricted(onlyURLs("*"))
		s := p.alice.Authorized()
		subscribe(s)
		p.restricted(c.change)
		trade := func() []string {
			p.bob.limit("sell", "0.1", "100", nil)
			second.limit("buy", "0.1", "100", nil)
			p.frames(second, all) // every push was sent by then
			p.frames(second, all)
			s.Must("ping")
			heard := map[string]bool{}
			for _, f := range s.pushes {
				heard[f.Method] = true
			}
			s.pushes = nil
			return slices.Sorted(maps.Keys(heard))
		}
		if got := trade(); !slices.Equal(got, c.heard) {
			t.Errorf("heard %v, want %v", got, c.heard)
		}
		p.restricted(onlyURLs("*"))
		if got := trade(); !slices.Equal(got, c.heard) {
			t.Errorf("after the rights came back: heard %v, want %v", got, c.heard)
		}
	}
}

// TestSocketAuthorizedByAnotherKey: the last token that was shown counts, for what was subscribed to before too.
func TestSocketAuthorizedByAnotherKey(t *testing.T) {
	p := privateOpen(t)
	second := p.Client("second", "s")
	all, s := second.Authorized(), second.Authorized()
	all.Must("ordersPending_subscribe")
	s.Must("ordersPending_subscribe")
	tokens := map[*Client]string{}
	for _, c := range []*Client{p.alice, second} {
		var answer struct {
			Token string `json:"websocket_token"`
		}
		c.Post(pathSocket, nil).Read(t, &answer)
		tokens[c] = answer.Token
	}
	p.restricted(onlyURLs(pathSocket))
	s.Must("authorize", tokens[p.alice], "public")
	s.Refused(6, "require authentication", "ordersPending_request", "BTC_USDT", 0, 1)
	s.Must("authorize", tokens[second], "public")
	second.limit("buy", "1", "100", nil)
	p.frames(second, all)
	p.frames(second, all)
	if s.Must("ping"); len(s.pushes) > 0 {
		t.Errorf("heard %+v of a subscription that another key could not have", s.pushes)
	}
}
