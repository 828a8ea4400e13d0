package conform_test

import (
	"testing"

	"bourse/internal/api"
	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// TestOlderFormsEnd on the day that was announced, at every door, and not a moment before (Spec, Versioning; errors-and-limits 6).
func TestOlderFormsEnd(t *testing.T) {
	t.Parallel()
	clock := newClock()
	end := clock.read() + 60*schema.Second
	v := venue{conform.Inside(t, worldOf(t, plain("OLD_USDT"), plain("alice")), func(o *exchange.Options) {
		o.Node.Clock, o.Retire = clock.read, api.Retire{api.LongSTP: end, api.FlatTravelRule: end}
	})}
	alice := v.trader(t, "alice")
	s := alice.socket()
	order := func(stp string) obj {
		return obj{"market": "OLD_USDT", "side": "buy", "amount": "1", "price": "50", "stp": stp}
	}
	travel := obj{"ticker": "OLD", "amount": "1", "address": "x", "uniqueId": "a", "travelRule": obj{"type": "individual", "vasp": "acme", "name": "Ada", "address": "L"}}
	modified := func(id any, stp string) obj {
		return obj{"market": "OLD_USDT", "orderId": id, "price": "51", "stp": stp}
	}
	takes := func(stp string) (id any) {
		t.Helper()
		id = alice.must("order/new", order(stp))["orderId"]
		id = alice.must("order/modify", modified(id, stp))["orderId"]
		s.must("order_limit_place", order(stp))
		return id
	}
	clock.set(end - 1)
	id := takes("cancel_old")
	refuses(t, alice.ask("main-account/withdraw", travel), refusal{422, 1, "Inner validation failed", fault("ticker", "This currency cannot be withdrawn by this network at the moment.")})
	clock.set(end)
	wrong := refusal{422, 30, "Validation failed", fault("stp", schema.Refuse(schema.STPInvalid).Text())}
	for _, long := range []string{"cancel_both", "cancel_new", "cancel_old"} {
		refuses(t, alice.ask("order/new", order(long)), wrong)
		refuses(t, alice.ask("order/modify", modified(id, long)), wrong)
		s.refuses(1, "stp is invalid", "order_limit_place", order(long))
	}
	answers(t, alice.ask("order/bulk", obj{"orders": arr{order("cancel_both")}}), arr{wrong.item()})
	takes("co")
	refuses(t, alice.ask("main-account/withdraw", travel), refusal{400, 0, "Validation failed", obj{
		"travelRule.walletType": arr{"The travel rule wallet type field is required."}, "travelRule.beneficiary": arr{"The travel rule beneficiary field is required."},
	}})
}
