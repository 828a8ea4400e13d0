package conform_test

import (
	"testing"

	"github.com/gobwas/ws"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// TestSocketLosesRights: a connection can do no more than its key and its account can now.
func TestSocketLosesRights(t *testing.T) {
	t.Parallel()
	const m = "WSX_USDT"
	key := func(name string, more obj) obj {
		return changed(obj{"key": name + "-key", "secret": name + "-secret", "title": name, "enabled": true}, more)
	}
	accounts := with(plain("alice", "bob"), "carol", obj{"keys": []obj{
		key("carol", obj{"urls": arr{"/api/v4/profile/websocket_token", "/api/v4/order/new", "/api/v4/order/cancel"}}),
	}})
	v := operate(t, newClock(), plain(m), accounts)
	order := obj{"market": m, "side": "buy", "amount": "1", "price": "90"}
	const anonymous = "require authentication"

	// A key may do over the socket what it may do by REST.
	carol := v.trader(t, "carol").socket()
	placed := carol.must("order_limit_place", order)
	carol.refuses(6, anonymous, "order_market_place", obj{"market": m, "side": "buy", "amount": "50"})
	carol.refuses(6, anonymous, "order_modify", obj{"market": m, "order_id": placed["id"], "price": "91"})
	carol.refuses(6, anonymous, "order_cancel_all", obj{"market": m, "type": arr{"spot"}})
	carol.must("order_cancel", obj{"market": m, "order_id": placed["id"]})

	// An account that is blocked in the middle.
	alice := v.trader(t, "alice").socket()
	alice.must("order_limit_place", order)
	account := v.account("alice")
	account.Blocked = true
	v.Do(&schema.SetAccount{Account: account})
	alice.refuses(6, anonymous, "order_limit_place", order)
	account.Blocked = false
	v.Do(&schema.SetAccount{Account: account})
	alice.must("order_limit_place", order)

	// A key that is switched off in the middle, bound to another place, and deleted.
	bob := v.trader(t, "bob").socket()
	bob.must("order_limit_place", order)
	var settings schema.Key
	v.Exchange.Node.Read(func(m core.View) {
		for _, k := range m.Accounts().Keys() {
			if k.Key.Key == "bob-key" {
				settings = k.Key
			}
		}
	})
	for _, change := range []func(*schema.Key){
		func(k *schema.Key) { k.Enabled = false },
		func(k *schema.Key) { k.Addresses = []string{"10.1.2.3"} },
		func(k *schema.Key) { k.URLs = []string{"/api/v4/orders"} },
	} {
		changed := settings
		change(&changed)
		v.Do(&schema.SetKey{Key: changed})
		bob.refuses(6, anonymous, "order_limit_place", order)
		v.Do(&schema.SetKey{Key: settings})
		bob.must("order_limit_place", order)
	}

	v.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance, On: true})
	bob.refuses(3, "service unavailable", "order_limit_place", order)
	v.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance})
	v.Do(&schema.DeleteKey{Key: "bob-key"})
	bob.refuses(6, anonymous, "order_cancel_all", obj{"market": m, "type": arr{"spot"}})
}

// TestSocketCancelsOnDisconnect: a connection may ask for the orders of its account to end with it.
func TestSocketCancelsOnDisconnect(t *testing.T) {
	t.Parallel()
	v := operate(t, newClock(), plain("WSD_USDT", "WSF_USDT"), plain("alice", "bob"))
	order := obj{"market": "WSD_USDT", "side": "buy", "amount": "1", "price": "90"}
	authorized := func(c trader, more ...any) socketed {
		token := c.must("profile/websocket_token", nil)["websocket_token"]
		s := socketed{v.Socket(), t}
		s.Must("authorize", append([]any{token, "public"}, more...)...)
		return s
	}
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")

	// Bob did not ask for it, or took it back; whatever else follows the token means nothing.
	for _, more := range [][]any{nil, {obj{"cancel_on_disconnect": false}}, {obj{"anything": 1}}, {"cancel_on_disconnect"}} {
		s := authorized(bob, more...)
		s.must("order_limit_place", order)
		if err := s.Conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	token := alice.must("profile/websocket_token", nil)["websocket_token"]
	v.Socket().Refused(1, "cancel_on_disconnect is invalid", "authorize", token, "public", obj{"cancel_on_disconnect": "yes"})

	for _, end := range []struct {
		name string
		do   func(socketed) error
	}{
		{"without a word", func(s socketed) error { return s.Conn.Close() }},
		{"with a close frame", func(s socketed) error { return ws.WriteFrame(s.Conn, ws.MaskFrame(ws.NewCloseFrame(nil))) }},
		{"by something that is no JSON", func(s socketed) error { s.Send("bye"); return nil }},
	} {
		s := authorized(alice, obj{"cancel_on_disconnect": true})
		s.must("order_limit_place", order)
		alice.limit("WSF_USDT", "sell", "1", "90") // by REST: all orders of the account are meant
		// Not even answered when the connection ends.
		s.Send(`{"id":1,"method":"order_limit_place","params":[{"market":"WSD_USDT","side":"buy","amount":"2","price":"80"}]}`)
		reader := v.Exchange.Node.Reader(v.Exchange.Node.Applied())
		if err := end.do(s); err != nil {
			t.Fatal(err)
		}
		id := v.account("alice").ID
		for open := -1; open != 0; {
			if _, err := reader.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			v.Exchange.Node.Read(func(m core.View) { open = len(m.Trading().Newest(id, 0, 0, 100)) })
		}
		alice.holds("USDT", "1000000", "0")
	}
	if got := bob.orders("WSD_USDT"); len(got) != 4 {
		t.Errorf("bob has %d orders, want 4", len(got))
	}
}

// TestSocketCancelsCollateralOrdersOnDisconnect: all orders of the account are meant, those on futures too.
func TestSocketCancelsCollateralOrdersOnDisconnect(t *testing.T) {
	t.Parallel()
	v, _ := margined(t, plain("WSC_PERP"), plain("alice"))
	alice := v.trader(t, "alice").backed("100000")
	alice.bet("WSC_PERP", "buy", "0.1", "49000")
	token := alice.must("profile/websocket_token", nil)["websocket_token"]
	s := v.Socket()
	s.Must("authorize", token, "public", obj{"cancel_on_disconnect": true})
	reader := v.Exchange.Node.Reader(v.Exchange.Node.Applied())
	if err := s.Conn.Close(); err != nil {
		t.Fatal(err)
	}
	id := v.account("alice").ID
	for open := -1; open != 0; {
		if _, err := reader.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		v.Exchange.Node.Read(func(m core.View) { open = len(m.Trading().Newest(id, 0, 0, 100)) })
	}
}

// TestSocketCancelsWhenTheExchangeStops: an exchange that stops ends its connections and does what
// they asked for; one that is killed cannot.
func TestSocketCancelsWhenTheExchangeStops(t *testing.T) {
	t.Parallel()
	v := serve(t, plain("WSS_USDT"), plain("alice"))
	alice := v.trader(t, "alice")
	// A key that may no longer cancel everything cannot do so by leaving either.
	may := func(urls string) {
		d := &desk{venue: v, t: t, url: v.Operators, token: v.Token}
		d.act("PATCH", "/v1/keys/alice-key", `{"urls":[`+urls+`]}`)
	}
	restricted := func() {
		may(`"/api/v4/order/new","/api/v4/orders"`)
		v.Stop()
	}
	for _, end := range []struct {
		do   func()
		left int
	}{{v.Stop, 0}, {restricted, 1}, {v.Kill, 2}} {
		may(`"*"`)
		s := socketed{v.Socket(), t}
		s.Must("authorize", alice.must("profile/websocket_token", nil)["websocket_token"], "public", obj{"cancel_on_disconnect": true})
		s.must("order_limit_place", obj{"market": "WSS_USDT", "side": "buy", "amount": "1", "price": "90"})
		end.do()
		v.Restart()
		if got := alice.orders("WSS_USDT"); len(got) != end.left {
			t.Errorf("%d orders are left, want %d", len(got), end.left)
		}
	}
}
