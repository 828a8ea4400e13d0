package conform_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bourse/internal/api"
	"bourse/internal/api/table"
	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/openapi"
	"bourse/internal/schema"
)

var rewrite = flag.Bool("rewrite", false, "write the answers of today into the examples of the document")

// exampleWorld is the exchange that answers the examples of the document.
const exampleWorld = `{
	"chains": [{"name": "SEPA", "driver": "provider"}],
	"assets": [
		{"ticker": "BTC", "name": "Bitcoin", "class": "crypto", "scale": 18, "precision": 8, "can_deposit": true, "can_withdraw": true,
		 "min_deposit": "0.0001", "min_withdraw": "0.001", "unified_id": 1,
		 "networks": [{"name": "BTC", "default": true, "can_deposit": true, "can_withdraw": true, "min_deposit": "0.0001", "min_withdraw": "0.001",
		               "confirmations": 2, "confirmations_for_trading": 1}]},
		{"ticker": "ETH", "name": "Ethereum", "class": "crypto", "scale": 18, "precision": 8, "can_deposit": true, "can_withdraw": false, "unified_id": 1027,
		 "networks": [{"name": "ERC20", "default": true, "can_deposit": true, "can_withdraw": true, "confirmations": 32, "confirmations_for_trading": 6}]},
		{"ticker": "USDT", "name": "Tether US", "class": "crypto", "scale": 18, "precision": 6, "can_deposit": true, "can_withdraw": true, "codes": true, "unified_id": 825,
		 "networks": [{"name": "ERC20", "default": true, "can_deposit": true, "can_withdraw": true, "min_withdraw": "10", "confirmations": 32, "confirmations_for_trading": 6},
		              {"name": "TRC20", "can_deposit": true, "can_withdraw": true, "min_withdraw": "5", "max_withdraw": "1000000", "confirmations": 20, "confirmations_for_trading": 20}]},
		{"ticker": "EUR", "name": "Euro", "class": "fiat", "scale": 18, "precision": 2, "can_deposit": true, "can_withdraw": true, "codes": true,
		 "networks": [{"name": "SEPA", "can_deposit": true, "can_withdraw": true, "chain": "SEPA", "min_deposit": "10", "deposit_fixed": "1", "withdraw_fixed": "0.5"}]}
	],
	"markets": [
		{"name": "BTC_USDT", "type": "spot", "tick_size": "0.5", "step_size": "0.005", "stock_prec": 6, "money_prec": 2, "fee_prec": 8,
		 "min_amount": "0.005", "min_total": "5.05", "max_total": "10000000", "maker_fee": "0.1", "taker_fee": "0.1", "rpi_premium": "0.02", "enabled": true},
		{"name": "ETH_USDT", "type": "spot", "stock_prec": 4, "money_prec": 2, "fee_prec": 8,
		 "min_amount": "0.001", "min_total": "5.05", "maker_fee": "0.1", "taker_fee": "0.1", "enabled": true},
		{"name": "BTC_PERP", "type": "futures", "tick_size": "0.5", "step_size": "0.001", "stock_prec": 4, "money_prec": 2, "fee_prec": 6,
		 "min_amount": "0.001", "min_total": "5.05", "maker_fee": "0.02", "taker_fee": "0.05", "bracket_100": "50000", "bracket_50": "250000",
		 "funding_minutes": 5, "funding_cap": "0.0003", "funding_floor": "0.0003", "impact_notional": "100", "enabled": true}
	],
	"accounts": [
		{"name": "alice", "region": "global", "verified": true, "invoices": true, "new_addresses": true, "checker": true, "credit_line": true, "partner": true, "mining": true, "approvals": true, "kyc_links": true, "keys": [{"key": "alice-key", "secret": "alice-secret", "enabled": true}],
		 "deposits": {"BTC": "6", "USDT": "600000", "ETH": "10"}, "trade": {"BTC": "1", "USDT": "100000", "ETH": "10"}},
		{"name": "bob", "region": "global", "new_addresses": true, "keys": [{"key": "bob-key", "secret": "bob-secret", "enabled": true}],
		 "deposits": {"BTC": "6", "USDT": "600000"}, "trade": {"BTC": "1", "USDT": "100000"}},
		{"name": "eve", "region": "eu", "keys": [{"key": "eve-key", "secret": "eve-secret", "enabled": true}]}
	],
	"vasps": [{"id": "acme", "name": "Acme Exchange"}, {"id": "zeta", "name": "Zeta Custody"}]
}`

// exampleAddress is one that was checked.
const exampleAddress = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

// exampleVenue is that exchange after a few orders. Its clock stands still after the past of a future, so that answers are the
// same every time.
func exampleVenue(t *testing.T) venue {
	clock := newClock()
	clock.set(noon - 24*hour)
	v := venue{conform.Inside(t, exampleWorld, func(o *exchange.Options) {
		o.Node.Clock, o.Sandbox, o.PublicURL = clock.read, true, "https://example.com"
		o.Stratum, o.PoolLocation = []string{"stratum+tcp://pool.example.com:3333"}, "Europe"
	})}
	v.mines(clock, noon-204*schema.Second-2*hour)
	alice, bob := v.trader(t, "alice"), v.trader(t, "bob")
	v.invests()
	clock.set(noon - 204*schema.Second) // 4 s before a settlement of funding
	v.divests()
	v.pastOf(t, clock, alice, bob)
	v.Do(&schema.SetVerdict{Verdict: schema.AddressVerdict{Address: exampleAddress, Risk: schema.MediumRisk, Description: "Funds of a mixer."}})
	alice.must("aml/checks/create", obj{"asset": "BTC", "network": "BTC", "address": exampleAddress})
	v.Do(&schema.OpenCredit{
		Account: v.account("alice").ID, Asset: v.asset("USDT"), Amount: decimal(t, "10000"), Initial: decimal(t, "50"), MarginCall: decimal(t, "70"), Liquidation: decimal(t, "85"),
	})
	clock.set(noon)
	bob.limit("BTC_USDT", "sell", "0.1", "10000")
	alice.limit("BTC_USDT", "buy", "0.05", "10000")
	alice.limit("BTC_USDT", "buy", "0.05", "10000")
	bob.limit("BTC_USDT", "sell", "0.2", "10100")
	bob.limit("BTC_USDT", "sell", "0.3", "10100.5")
	bob.limit("BTC_USDT", "sell", "0.1", "10500")
	bob.limit("BTC_USDT", "buy", "0.4", "9900")
	alice.must("order/new", obj{"market": "BTC_USDT", "side": "buy", "amount": "0.1", "price": "9890", "clientOrderId": "resting"})
	alice.must("order/new", obj{"market": "BTC_USDT", "side": "buy", "amount": "0.1", "price": "9000", "clientOrderId": "gone"})
	alice.must("order/cancel", obj{"market": "BTC_USDT", "clientOrderId": "gone"})
	alice.must("order/kill-switch", obj{"market": "BTC_USDT", "timeout": "30"})
	alice.list("main-account/transfer", obj{"ticker": "USDT", "amount": "25", "from": "main", "to": "spot"})
	alice.limit("ETH_USDT", "sell", "1", "2000")
	alice.promises("USDT", "15", nil)
	alice.gets(bob.promises("USDT", "15", nil), "USDT", "15", nil)
	v.arrives(t, alice)
	v.Do(&schema.SetFaucet{Asset: v.asset("USDT"), Limit: decimal(t, "10000")})
	alice.must("sandbox/faucet", obj{"ticker": "USDT", "amount": "250"})
	v.waits(t, v.trader(t, "eve"))
	v.Do(&schema.PlanMaintenance{Market: v.market("ETH_USDT").ID, From: clock.read(), To: clock.read() + 60*schema.Second})
	v.mark(t, "BTC_PERP", "10010")
	alice.backed("2000")
	bob.backed("2000")
	alice.must("collateral-account/leverage", obj{"leverage": 20})
	bob.bet("BTC_PERP", "sell", "1", "10000")
	alice.bet("BTC_PERP", "buy", "0.5", "10000")
	bob.bet("BTC_PERP", "buy", "0.5", "9990")
	v.Do(&schema.PlaceTPSL{Account: v.account("alice").ID, Market: v.market("BTC_PERP").ID, TakeProfit: decimal(t, "12000"), StopLoss: decimal(t, "9000")})
	alice.must("order/collateral/oco", obj{
		"market": "BTC_PERP", "side": "sell", "amount": "0.1", "price": "10500", "activation_price": "9700", "stop_limit_price": "9690", "reduceOnly": true, "clientOrderId": "profit",
	})
	alice.bet("BTC_PERP", "buy", "0.1", "9800", obj{"takeProfit": "10400", "stopLoss": "9500"})
	v.Do(&schema.Tick{})
	v.family(t)
	v.lends(t)
	v.converts(t, alice)
	return v
}

// arrives puts the other assets on sandboxes, where alice gets ETH and sends BTC; both wait for confirmations.
func (v venue) arrives(t *testing.T, alice trader) {
	v.relist("ETH", func(a *schema.Asset) { a.Networks[0].Chain = v.sandbox(schema.EVM) })
	v.relist("USDT", func(a *schema.Asset) {
		a.Networks[0].Chain, a.Networks[1].Chain = v.sandbox(schema.EVM), v.sandbox(schema.TRON)
	})
	chain := v.Exchange.API.Directory().Chain(v.sandbox(schema.EVM))
	to := alice.at("ETH", nil)
	owner, _ := v.Exchange.API.Book().Find(chain.Space(), to.address, "")
	pay := func(amount string) {
		v.Do(&schema.PaySandbox{Chain: chain.ID, Receipt: schema.Receipt{Asset: v.asset("ETH"), Amount: decimal(t, amount), Index: owner.Index, Text: to.address}})
		v.Do(&schema.MineSandbox{Chain: chain.ID, Blocks: 1})
	}
	for id, amount := range []string{"0.7", "0.9"} { // two that are not accepted; the first is sent back
		pay(amount)
		v.Do(&schema.DecideDeposit{Deposit: schema.DepositID(id + 1), Decision: schema.CancelDeposit})
	}
	v.Do(&schema.MineSandbox{Chain: chain.ID, Blocks: 64})
	v.Do(&schema.RefundDeposit{Account: v.account("alice").ID, Deposit: 1, Address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"})
	pay("0.5")
	v.Do(&schema.MineSandbox{Chain: chain.ID, Blocks: 7})
	alice.list("main-account/withdraw", leaving("BTC", "0.25", arrival{"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", ""}, "invoice-7", nil))
	v.Do(&schema.MineSandbox{Chain: v.sandbox(schema.Bitcoin), Blocks: 1})
}

// waits lets USDT come to eve, of which she has to say who sent it.
func (v venue) waits(t *testing.T, eve trader) {
	chain := v.Exchange.API.Directory().Chain(v.sandbox(schema.TRON))
	to := eve.at("USDT", obj{"network": "TRC20"})
	owner, _ := v.Exchange.API.Book().Find(chain.Space(), to.address, "")
	v.Do(&schema.PaySandbox{Chain: chain.ID, Receipt: schema.Receipt{Asset: v.asset("USDT"), Amount: decimal(t, "75"), Index: owner.Index, Text: to.address}})
	v.Do(&schema.MineSandbox{Chain: chain.ID, Blocks: 20})
}

// sandbox is the sandbox of a family.
func (v venue) sandbox(family schema.Family) schema.ChainID {
	name := strings.ToUpper(family.String())
	return schema.ChainID(v.Do(&schema.SetChain{Chain: schema.Chain{Name: name, Driver: schema.Sandbox, Family: family, Net: schema.Testnet}}).ID)
}

// exampleCode stands in the document for a code that bob created with the passphrase sesame. Codes are random.
const exampleCode = "WB2b0a2a1c-8c5f-4f0e-9d0b-5c8f6a3f7e11USDT"

// pastOf lets alice have a position that she closes with a profit. Her collateral is in BTC: the fee and the funding are lent
// to her, and the profit repays that.
func (v venue) pastOf(t *testing.T, clock *clock, alice, bob trader) {
	v.Do(&schema.SetCollateral{Asset: v.asset("BTC"), Weight: decimal(t, "0.95"), IndexMaxAge: 30 * schema.Second})
	v.mark(t, "BTC_PERP", "10000")
	alice.list("main-account/transfer", obj{"ticker": "BTC", "amount": "1", "from": "main", "to": "collateral"})
	bob.backed("2000")
	meet(alice, bob, "BTC_PERP", "0.1", "10000")
	v.settle(t, clock, bob, "BTC_PERP", "10000", "9999.5", "10000.5")
	bob.bet("BTC_PERP", "buy", "0.1", "10100")
	alice.must("order/collateral/market", obj{"market": "BTC_PERP", "side": "sell", "amount": "0.1"})
	alice.list("main-account/transfer", obj{"ticker": "BTC", "amount": "1", "from": "collateral", "to": "main"})
}

// TestExamples sends every example of the document: first those that only ask, in the order of the
// file, then the others. With -rewrite it writes what was answered into the file.
func TestExamples(t *testing.T) {
	v := exampleVenue(t)
	alice, eve := v.trader(t, "alice"), v.trader(t, "eve")
	examples := openapi.Examples()
	for _, writes := range []bool{false, true} {
		for i := range examples {
			e := &examples[i]
			o := operationOf(t, e.Operation)
			if o.Writes() != writes {
				continue
			}
			request := e.Request
			if request["code"] == exampleCode {
				request = changed(request, obj{"code": v.trader(t, "bob").promises("USDT", "25.5", obj{"passphrase": "sesame"}).text})
			}
			var r conform.Reply
			switch {
			case o.Method == "GET":
				r = v.Get(target(o, request))
			case o.Auth == api.AuthBearer:
				r = v.byToken(t, &o, request)
			case o.Regions != 0:
				r = eve.Post(o.Path, request)
			default:
				r = alice.Post(o.Path, request)
			}
			var got, want any
			r.Read(t, &got)
			conform.Reply{Body: string(e.Answer)}.Read(t, &want)
			switch {
			case r.Status == e.Status && alike(got, want, e.Varies):
			case *rewrite:
				e.Status, e.Answer = r.Status, json.RawMessage(r.Body)
			default:
				t.Errorf("%s (%s): %d %s\nthe document has %d %s\nif the new answer is meant, run the test with -rewrite",
					e.Operation, e.Summary, r.Status, r.Body, e.Status, e.Answer)
			}
		}
	}
	if *rewrite {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(examples); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../openapi/examples.json", text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEveryOperationHasAnExample that was done. Those that list the past show a record of it.
func TestEveryOperationHasAnExample(t *testing.T) {
	examples := openapi.Examples()
	for _, o := range table.Sandbox() {
		past := strings.Contains(o.Path, "history") || strings.Contains(o.Path, "closed-pnl")
		if !slices.ContainsFunc(examples, func(e openapi.Example) bool {
			var answer any
			conform.Reply{Body: string(e.Answer)}.Read(t, &answer)
			return e.Operation == o.Method+" "+o.Path && e.Status == 200 && (!past || lists(answer))
		}) {
			t.Errorf("%s %s has no example", o.Method, o.Path)
		}
	}
}

// lists reports whether an answer has a list with something in it.
func lists(answer any) bool {
	switch a := answer.(type) {
	case []any:
		return len(a) > 0
	case map[string]any:
		for _, member := range a {
			if lists(member) {
				return true
			}
		}
	}
	return false
}

// operationOf is the row of an example.
func operationOf(t *testing.T, name string) api.Operation {
	t.Helper()
	for _, o := range table.Sandbox() {
		if o.Method+" "+o.Path == name {
			return o
		}
	}
	t.Fatalf("there is no operation %s", name)
	return api.Operation{}
}

// target is a path with its parameter filled in and the others behind it.
func target(o api.Operation, parameters map[string]any) string {
	path, query := o.Path, url.Values{}
	for name, value := range parameters {
		text := fmt.Sprint(value)
		if in := "{" + name + "}"; strings.Contains(path, in) {
			path = strings.Replace(path, in, text, 1)
		} else {
			query.Set(name, text)
		}
	}
	return path + "?" + query.Encode()
}

// alike reports whether two values are the same, but for members that vary: those have the same
// type.
func alike(a, b any, varies []string) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name := range a {
			other, there := b[name]
			same := alike(a[name], other, varies) || slices.Contains(varies, name) && reflect.TypeOf(a[name]) == reflect.TypeOf(other)
			if !there || !same {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, func(x, y any) bool { return alike(x, y, varies) })
	}
	return a == b
}
