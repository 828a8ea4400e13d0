package conform_test

import "testing"

// TestABlockSparesWhatReduces: orders that can only make a position smaller stay, and trade; the others end (sub-accounts 4).
func TestABlockSparesWhatReduces(t *testing.T) {
	t.Parallel()
	v, clock := margined(t, plain("SUB_PERP"), plain("alice", "bob"))
	f := family{depositWorld{venue: v, clock: clock}, v.trader(t, "alice"), v.trader(t, "bob").backed("500000")}
	id := f.alice.opens("desk")
	f.alice.feeds(id, "USDT", "100000")
	key := f.key(id, 1, "main-account/transfer", "order/collateral/limit", "orders", "conditional-orders", "collateral-account/positions/open").trader.backed("100000")
	meet(key, f.bob, "SUB_PERP", "1", "50000")
	opening := key.bet("SUB_PERP", "buy", "0.5", "49000")
	reducing := key.bet("SUB_PERP", "sell", "0.4", "51000", obj{"reduceOnly": true})
	adding := key.bet("SUB_PERP", "sell", "0.3", "52000")
	if n := len(key.orders("SUB_PERP")); n != 3 {
		t.Fatalf("%d orders are open", n)
	}
	answers(t, f.alice.ask("sub-account/block", obj{"id": id}), obj{})
	if o := f.bob.bet("SUB_PERP", "buy", "0.3", "51000"); o["dealStock"] != "0.3" {
		t.Errorf("the order that reduces did not trade: %v", o)
	}
	answers(t, f.alice.ask("sub-account/unblock", obj{"id": id}), obj{})
	open := key.orders("SUB_PERP")
	if len(open) != 1 {
		t.Fatalf("open are %v, should be only %v; gone should be %v and %v", open, reducing["orderId"], opening["orderId"], adding["orderId"])
	}
	if o := open[0].(map[string]any); o["orderId"] != reducing["orderId"] || o["left"] != "0.1" || o["reduceOnly"] != true {
		t.Errorf("open is %v", o)
	}
	if p := key.list("collateral-account/positions/open", obj{"market": "SUB_PERP"}); len(p) != 1 || p[0].(map[string]any)["amount"] != "0.7" {
		t.Errorf("the position is %v", p)
	}
}
