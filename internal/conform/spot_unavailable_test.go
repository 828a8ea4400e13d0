package conform_test

import "testing"

// TestSpotUnavailable: while the exchange takes no commands, nothing is done and clients hear so.
func TestSpotUnavailable(t *testing.T) {
	t.Parallel()
	v := operate(t, newClock(), plain("UNA_USDT"), plain("alice"))
	alice := v.trader(t, "alice")
	if err := v.Exchange.Node.Close(); err != nil {
		t.Fatal(err)
	}
	v.Exchange.Node = nil // the exchange has none to close any more
	want := refusal{503, 0, "Service temporary unavailable", fault("error", "Please try again later.")}
	for path, fields := range creations("UNA_USDT") {
		refuses(t, alice.ask(path, fields), want)
	}
	refuses(t, alice.ask("order/cancel", obj{"market": "UNA_USDT", "orderId": 1}), want)
	refuses(t, alice.ask("order/bulk", obj{"orders": arr{obj{"market": "UNA_USDT", "side": "buy", "amount": "1", "price": "10"}}}), want)
	busy := refusal{200, 500, "Service temporary unavailable", fault("error", "Service temporary unavailable")}
	answers(t, alice.ask("order/cancel/bulk", obj{"orders": arr{
		obj{"market": "UNA_USDT", "orderId": 1}, "x", obj{"market": "UNA_USDT", "clientOrderId": "a"},
	}}), arr{busy.item(), invalid(30, "request", "Invalid order format").item(), busy.item()})
}
