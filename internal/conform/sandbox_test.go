package conform_test

import (
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// playground is an exchange inside the test that is a demo as far as its API goes, with a faucet of USDT. BTC and USDT come by sandboxes.
func playground(t *testing.T, clock *clock, limit string) venue {
	t.Helper()
	v := venue{conform.Inside(t, exampleWorld, func(o *exchange.Options) { o.Node.Clock, o.Sandbox = clock.read, true })}
	v.relist("BTC", func(a *schema.Asset) { a.Networks[0].Chain = v.sandbox(schema.Bitcoin) })
	v.relist("USDT", func(a *schema.Asset) {
		a.Networks[0].Chain, a.Networks[1].Chain = v.sandbox(schema.EVM), v.sandbox(schema.TRON)
	})
	v.Do(&schema.SetFaucet{Asset: v.asset("USDT"), Limit: decimal(t, limit)})
	return v
}

// taken is what the faucet answers when USDT was taken. Every hash is 32 bytes, and every account has its own address.
func taken(amount, left string) obj {
	return obj{
		"ticker": "USDT", "amount": amount, "left": left, "network": "ERC20", "address": pattern(`"0x[0-9a-fA-F]{40}"`), "transactionHash": pattern(`"[0-9a-f]{64}"`),
		"confirmationsForTrading": 6, "confirmations": 32,
	}
}

// TestFaucet goes through sandbox 1: what it gives, what it counts, and what it refuses.
func TestFaucet(t *testing.T) {
	t.Parallel()
	clock := newClock()
	day := 24 * 3600 * schema.Second
	clock.set(noon - noon%day + day - schema.Second)
	v := playground(t, clock, "1000")
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	answers(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "250.5"}), taken("250.5", "749.5"))
	answers(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": 0.000001}), taken("0.000001", "749.499999"))

	spent := func(left string) refusal {
		return refusal{422, 2, "Inner validation failed", fault("amount", "The faucet has "+left+" left for you today.")}
	}
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "749.5"}), spent("749.499999"))
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "1e40"}), spent("749.499999"))
	// Everyone has a limit of his own.
	answers(t, bob.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "1000"}), taken("1000", "0"))
	refuses(t, bob.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "0.01"}), spent("0"))

	unavailable := refusal{422, 1, "Validation failed", fault("ticker", "The faucet does not have this ticker.")}
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "BTC", "amount": "1"}), unavailable)
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "NIX", "amount": "1"}), unavailable)
	wrong := func(field, text string) refusal { return refusal{400, 0, "Validation failed", fault(field, text)} }
	for _, amount := range []any{"0", "-5", "-1e40"} {
		refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": amount}), wrong("amount", "The amount must be at least 0.000001."))
	}
	for _, amount := range []any{"0.0000001", "0.0000000000000000001"} {
		refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": amount}), wrong("amount", "The amount may not have more decimals than 6."))
	}
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "much"}), wrong("amount", "The amount must be a number."))
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": 7, "amount": "1"}), wrong("ticker", "The ticker must be a string."))
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT"}), wrong("amount", "The amount field is required."))
	refuses(t, alice.ask("sandbox/faucet", obj{"amount": "1"}), wrong("ticker", "The ticker field is required."))
	alice.holds("USDT", "100000", "0")

	// A limit that is set again counts for what is left; on the next day all of it is there.
	v.Do(&schema.SetFaucet{Asset: v.asset("USDT"), Limit: decimal(t, "100")})
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "1"}), spent("0"))
	clock.advance(2 * schema.Second) // past midnight
	answers(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "100"}), taken("100", "0"))
	v.Do(&schema.SetFaucet{Asset: v.asset("USDT")})
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "1"}), unavailable)
}

// TestFaucetIsADeposit: the first taking opens an address, which stays the account's; a taking is in the next block, confirms, can be
// traded and then withdrawn, like every deposit.
func TestFaucetIsADeposit(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := playground(t, clock, "1000")
	evm, alice := v.sandbox(schema.EVM), v.trader(t, "alice")
	alice.main("USDT", "500000", "0")
	first := alice.must("sandbox/faucet", obj{"ticker": "USDT", "amount": "250.5"})
	second := alice.must("sandbox/faucet", obj{"ticker": "USDT", "amount": "10"})
	to := alice.at("USDT", nil)
	if first["address"] != to.address || second["address"] != to.address {
		t.Errorf("sent to %v and %v, the address is %s", first["address"], second["address"], to.address)
	}
	seen := func(answer map[string]any, amount string, status, actual int) seenDeposit {
		return seenDeposit{
			ticker: "USDT", name: "Tether US", network: "ERC20", to: to, receipt: answer["transactionHash"].(string),
			amount: amount, fee: "0", status: status, actual: actual, required: 32, at: clock.seconds(),
		}
	}
	alice.received()
	v.Do(&schema.MineSandbox{Chain: evm, Blocks: 1})
	alice.received(seen(second, "10", 15, 1), seen(first, "250.5", 15, 1))
	alice.main("USDT", "500000", "0")
	v.Do(&schema.MineSandbox{Chain: evm, Blocks: 5})
	alice.main("USDT", "500260.5", "260.5")
	alice.list("main-account/transfer", obj{"ticker": "USDT", "amount": "500260.5", "from": "main", "to": "spot"})
	alice.holds("USDT", "600260.5", "0")
	v.Do(&schema.MineSandbox{Chain: evm, Blocks: 26})
	alice.received(seen(second, "10", 3, 32), seen(first, "250.5", 3, 32))
}

// TestFaucetGivesWhatIsCredited: the limits of deposits hold for it, and an asset that comes by no sandbox has no faucet, whatever its limit.
func TestFaucetGivesWhatIsCredited(t *testing.T) {
	t.Parallel()
	v := playground(t, newClock(), "1000")
	for _, ticker := range []string{"BTC", "ETH", "EUR"} {
		v.Do(&schema.SetFaucet{Asset: v.asset(ticker), Limit: decimal(t, "1000")})
	}
	v.relist("USDT", func(a *schema.Asset) {
		a.Networks[0].MinDeposit, a.Networks[0].MaxDeposit = decimal(t, "5"), decimal(t, "500")
	})
	alice := v.trader(t, "alice")
	wrong := func(text string) refusal { return refusal{400, 0, "Validation failed", fault("amount", text)} }
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "4.99"}), wrong("The amount is too small: at least 5 can be deposited."))
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "500.01"}), wrong("The amount is too large: at most 500 can be deposited."))
	answers(t, alice.ask("sandbox/faucet", obj{"ticker": "USDT", "amount": "500"}), taken("500", "500"))
	unavailable := refusal{422, 1, "Validation failed", fault("ticker", "The faucet does not have this ticker.")}
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "ETH", "amount": "10"}), unavailable)
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "EUR", "amount": "10"}), unavailable)
	v.relist("BTC", func(a *schema.Asset) { a.CanDeposit = false })
	refuses(t, alice.ask("sandbox/faucet", obj{"ticker": "BTC", "amount": "1"}), unavailable)
}

// TestFaucetHistory goes through sandbox 2.
func TestFaucetHistory(t *testing.T) {
	t.Parallel()
	clock := newClock()
	v := playground(t, clock, "1000")
	v.Do(&schema.SetFaucet{Asset: v.asset("BTC"), Limit: decimal(t, "1")})
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	began := clock.seconds()
	alice.must("sandbox/faucet", obj{"ticker": "USDT", "amount": "10"})
	clock.advance(schema.Second)
	alice.must("sandbox/faucet", obj{"ticker": "BTC", "amount": "0.5"})
	bob.must("sandbox/faucet", obj{"ticker": "BTC", "amount": "0.25"})
	clock.advance(schema.Second)
	alice.must("sandbox/faucet", obj{"ticker": "USDT", "amount": "20"})
	record := func(ticker, amount string, second int) obj {
		return obj{"ticker": ticker, "amount": amount, "timestamp": began + second}
	}
	for _, c := range []struct {
		fields obj
		want   arr
	}{
		{nil, arr{record("USDT", "20", 2), record("BTC", "0.5", 1), record("USDT", "10", 0)}},
		{obj{"ticker": "USDT"}, arr{record("USDT", "20", 2), record("USDT", "10", 0)}},
		{obj{"ticker": "ETH"}, arr{}},
		{obj{"limit": 1, "offset": 1}, arr{record("BTC", "0.5", 1)}},
	} {
		answers(t, alice.ask("sandbox/faucet/history", c.fields), c.want)
	}
	answers(t, bob.ask("sandbox/faucet/history", nil), arr{record("BTC", "0.25", 1)})
	refuses(t, alice.ask("sandbox/faucet/history", obj{"ticker": "NIX"}), refusal{422, 1, "Validation failed", fault("ticker", "The faucet does not have this ticker.")})
	refuses(t, alice.ask("sandbox/faucet/history", obj{"limit": 101}), refusal{400, 0, "Validation failed", fault("limit", "The limit may not be greater than 100.")})
	refuses(t, alice.ask("sandbox/faucet/history", obj{"offset": -1}), refusal{400, 0, "Validation failed", fault("offset", "The offset must be at least 0.")})
}

// TestOnlyDemosHaveAFaucet: elsewhere the paths are unknown, and nobody is said to have them.
func TestOnlyDemosHaveAFaucet(t *testing.T) {
	t.Parallel()
	v := venue{conform.Inside(t, exampleWorld, nil)}
	for _, path := range []string{"/api/v4/sandbox/faucet", "/api/v4/sandbox/faucet/history"} {
		if r := v.trader(t, "alice").Post(path, obj{"ticker": "USDT", "amount": "1"}); r.Status != 404 {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	if r := v.Get("/openapi.json"); r.Status != 200 || strings.Contains(string(r.Body), "sandbox") {
		t.Errorf("/openapi.json: %d, and it speaks of the sandbox", r.Status)
	}
}
