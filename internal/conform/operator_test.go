package conform_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"bourse/internal/api"
	"bourse/internal/api/table"
	"bourse/internal/conform"
	"bourse/internal/operator"
	"bourse/internal/schema"
)

// What operators do, as it is seen at the door of the clients.

// desk is an operator of an exchange inside the test.
type desk struct {
	venue
	t     *testing.T
	clock *clock
	url   string
	token string
}

func newDesk(t *testing.T, accounts map[string]obj) *desk {
	t.Helper()
	clock := newClock()
	d := &desk{venue: operate(t, clock, plain("OPA_USDT", "OPB_USDT"), accounts), t: t, clock: clock}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := d.Exchange
	go func() { _ = x.ServeOperators(ln) }()
	if d.token, err = x.Tokens.Read(operator.First); err != nil {
		t.Fatal(err)
	}
	d.url = "http://" + ln.Addr().String()
	return d
}

// act does something, and returns the answer.
func (d *desk) act(method, path, body string) string {
	d.t.Helper()
	request, err := http.NewRequest(method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+d.token)
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		d.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		d.t.Fatalf("%s %s %s: %d %s, %v", method, path, body, response.StatusCode, text, err)
	}
	return string(text)
}

// denied holds an answer to a refusal about who asks.
func denied(t *testing.T, r conform.Reply, code int, message string) {
	t.Helper()
	if want := fmt.Sprintf(`{"code":%d,"message":%q,"errors":{}}`, code, message); r.Status != 401 || r.Body != want {
		t.Errorf("got %d %s instead of 401 %s", r.Status, r.Body, want)
	}
}

func TestOperatorBlocksAndUnblocks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, plain("alice", "bob"))
	alice := d.trader(t, "alice")
	alice.limit("OPA_USDT", "buy", "1", "10")
	d.act("PATCH", "/v1/accounts/alice", `{"blocked":true}`)
	for _, o := range table.Operations() {
		if o.Auth == api.AuthSigned {
			code, want := 2, "This action is unauthorized. The account is blocked."
			if o.Path == "/api/v4/jwt" || o.Path == "/api/v4/sub-account/kyc-url" { // one text for all that is wrong with who calls
				code, want = 0, "Invalid API key, signature, or nonce"
			}
			denied(t, alice.Post(o.Path, nil), code, want)
		}
	}
	d.trader(t, "bob").limit("OPA_USDT", "buy", "1", "10")
	d.act("PATCH", "/v1/accounts/alice", `{"blocked":false}`)
	if n := len(alice.orders("OPA_USDT")); n != 1 {
		t.Errorf("alice has %d orders", n)
	}
}

func TestOperatorChangesKeys(t *testing.T) {
	t.Parallel()
	d := newDesk(t, plain("alice"))
	var made struct{ Key, Secret string }
	if err := json.Unmarshal([]byte(d.act("POST", "/v1/accounts/alice/keys", `{"title":"made up"}`)), &made); err != nil {
		t.Fatal(err)
	}
	if len(made.Key) != 32 || len(made.Secret) != 64 {
		t.Errorf("the key is %q with %q", made.Key, made.Secret)
	}
	client := trader{d.Client(made.Key, made.Secret), t}
	client.must("trade-account/balance", nil) // works at once
	at := "/v1/keys/" + made.Key

	d.act("PATCH", at, `{"enabled":false}`)
	denied(t, client.ask("trade-account/balance", nil), 2, "This action is unauthorized. Enable your key in API settings")
	d.act("PATCH", at, `{"enabled":true}`)
	client.must("trade-account/balance", nil)

	d.act("PATCH", at, `{"urls":["/api/v4/trade-account/balance"]}`)
	client.must("trade-account/balance", nil)
	denied(t, client.ask("main-account/balance", nil), 4, "This API Key is not authorized to perform this action.")
	denied(t, client.ask("order/new", obj{"market": "OPA_USDT", "side": "buy", "amount": "1", "price": "10"}), 4, "This API Key is not authorized to perform this action.")
	d.act("PATCH", at, `{"urls":[]}`)
	denied(t, client.ask("trade-account/balance", nil), 4, "This API Key is not authorized to perform this action.")
	d.act("PATCH", at, `{"urls":["*"]}`)
	client.must("main-account/balance", nil)

	d.act("PATCH", at, `{"addresses":["203.0.113.7"]}`)
	denied(t, client.ask("main-account/balance", nil), 2, "This action is unauthorized. Enable your key in API settings")
	d.act("PATCH", at, `{"addresses":["203.0.113.7","127.0.0.1"]}`)
	client.must("main-account/balance", nil)
	d.act("PATCH", at, `{"addresses":["::ffff:127.0.0.1"]}`)
	client.must("main-account/balance", nil)

	d.act("DELETE", at, "")
	denied(t, client.ask("main-account/balance", nil), 0, "This action is unauthorized.")
	d.trader(t, "alice").must("main-account/balance", nil) // the other key is as it was
}

func TestOperatorClosesMarkets(t *testing.T) {
	t.Parallel()
	d := newDesk(t, plain("alice"))
	alice := d.trader(t, "alice")
	place := func() conform.Reply {
		return alice.ask("order/new", obj{"market": "OPA_USDT", "side": "buy", "amount": "1", "price": "10"})
	}
	shown := func() string {
		t.Helper()
		var list []map[string]any
		d.Get("/api/v4/public/markets").Read(t, &list)
		for _, m := range list {
			if m["name"] == "OPA_USDT" {
				return fmt.Sprint(m["tradesEnabled"], " ", m["delistedAt"])
			}
		}
		return "not there"
	}
	is := func(want string) {
		t.Helper()
		if got := shown(); got != want {
			t.Errorf("the market is shown as %q instead of %q", got, want)
		}
	}
	is("true <nil>")

	d.act("PATCH", "/v1/markets/OPA_USDT", `{"enabled":false}`)
	is("not there")
	refuses(t, place(), invalid(31, "market", "Market is not available."))
	d.act("PATCH", "/v1/markets/OPA_USDT", `{"enabled":true}`)
	is("true <nil>")
	alice.limit("OPA_USDT", "buy", "1", "10")

	now := int64(d.clock.seconds())
	d.act("PUT", "/v1/markets/OPA_USDT/maintenance", fmt.Sprintf(`{"from":%d,"to":%d}`, now, now+100))
	d.Do(&schema.Tick{})
	if r := place(); r.Status != 400 || !strings.Contains(r.Body, `"code":51`) {
		t.Errorf("in maintenance: %d %s", r.Status, r.Body)
	}
	if n := len(alice.orders("OPA_USDT")); n != 0 {
		t.Errorf("%d orders are left by the maintenance", n)
	}
	alice.limit("OPB_USDT", "buy", "1", "10")
	d.act("DELETE", "/v1/markets/OPA_USDT/maintenance", "")
	alice.limit("OPA_USDT", "buy", "1", "10")

	d.act("PUT", "/v1/markets/OPA_USDT/delisting", fmt.Sprintf(`{"at":%d}`, now+3600))
	is(fmt.Sprintf("true %d", now+3600))
	d.act("DELETE", "/v1/markets/OPA_USDT/delisting", "")
	is("true <nil>")
	d.act("PUT", "/v1/markets/OPA_USDT/delisting", fmt.Sprintf(`{"at":%d}`, now+3600))
	d.clock.advance(3600 * schema.Second)
	d.Do(&schema.Tick{})
	is("not there")
	refuses(t, place(), invalid(31, "market", "Market is not available."))
}

// Maintenance of the platform: nothing is answered but that, and no nonce is used up.
func TestOperatorClosesThePlatform(t *testing.T) {
	t.Parallel()
	d := newDesk(t, plain("alice"))
	alice := d.trader(t, "alice")
	status := func(want string) {
		t.Helper()
		if r := d.Get("/api/v4/public/platform/status"); r.Status != 200 || r.Body != `{"status":"`+want+`"}` {
			t.Errorf("the status is %d %s", r.Status, r.Body)
		}
	}
	status("system operational")
	d.act("PATCH", "/v1/platform", `{"maintenance":true}`)
	status("system maintenance")

	const told = "The platform is in maintenance. Please try again later."
	bodies := map[api.ErrorFormat]string{
		api.Private:          `{"code":0,"message":"System maintenance","errors":{"error":["` + told + `"]}}`,
		api.Token:            `{"code":0,"message":"System maintenance","errors":{"error":["` + told + `"]}}`,
		api.Public:           `{"success":false,"message":"` + told + `","errors":["` + told + `"]}`,
		api.PublicWithFields: `{"success":false,"message":"` + told + `","errors":["` + told + `"],"error":["` + told + `"]}`,
		api.Funding:          `{"success":false,"message":"` + told + `","errors":["` + told + `"],"error":["` + told + `"]}`,
		api.V1:               `{"success":false,"message":"` + told + `","params":[]}`,
		api.Kline:            `{"success":false,"message":"` + told + `","params":[]}`,
	}
	batch := d.Exchange.Node.Applied()
	var kept [][]byte // requests that were turned away
	for _, o := range table.Operations() {
		if o.Open {
			continue
		}
		path := strings.NewReplacer("{market}", "OPA_USDT").Replace(o.Path)
		var r conform.Reply
		if o.Auth == api.AuthPublic {
			r = d.Get(path)
		} else {
			body := alice.Body(o.Path, nil)
			r = d.Send("POST", path, alice.Sign(body), body)
			if o.Path == "/api/v4/trade-account/balance" {
				kept = append(kept, body)
			}
		}
		if r.Status != 503 || r.Body != bodies[o.ErrorFormat] || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s %s\nshould be %s", o.Path, r.Status, r.Header.Get("Content-Type"), r.Body, bodies[o.ErrorFormat])
		}
	}
	if d.Exchange.Node.Applied() != batch {
		t.Error("something came into the log")
	}
	// Who has no right gets no other answer, and learns nothing.
	if r := d.Client("nobody", "x").Post("/api/v4/orders", nil); r.Status != 503 {
		t.Errorf("a stranger gets %d %s", r.Status, r.Body)
	}

	d.act("PATCH", "/v1/platform", `{"maintenance":false}`)
	status("system operational")
	for _, body := range kept {
		if r := d.Send("POST", "/api/v4/trade-account/balance", alice.Sign(body), body); r.Status != 200 {
			t.Errorf("the nonce of a request that was turned away is used up: %d %s", r.Status, r.Body)
		}
		if r := d.Send("POST", "/api/v4/trade-account/balance", alice.Sign(body), body); r.Status != 401 {
			t.Errorf("and now it is not: %d %s", r.Status, r.Body)
		}
	}
	alice.limit("OPA_USDT", "buy", "1", "10")
}

func TestOperatorSetsFees(t *testing.T) {
	t.Parallel()
	d := newDesk(t, plain("alice", "bob"))
	alice, bob := d.trader(t, "alice"), d.trader(t, "bob")
	d.act("PUT", "/v1/accounts/alice/fees/OPA_USDT", `{"maker":"-0.05","taker":"0.5"}`)
	d.act("PATCH", "/v1/accounts/bob", `{"taker_fee":"0.02"}`)
	bob.limit("OPA_USDT", "sell", "1", "100")
	if o := alice.limit("OPA_USDT", "buy", "1", "100"); o["dealFee"] != "0.005" {
		t.Errorf("alice takes for %v", o["dealFee"])
	}
	alice.limit("OPA_USDT", "buy", "1", "100")
	if o := bob.limit("OPA_USDT", "sell", "1", "100"); o["dealFee"] != "0.02" {
		t.Errorf("bob takes for %v", o["dealFee"])
	}
	alice.holds("OPA", "1001.9955", "0") // two bought, 0.005 paid, 0.0005 received
	d.act("DELETE", "/v1/accounts/alice/fees/OPA_USDT", "")
	bob.limit("OPA_USDT", "sell", "1", "100")
	if o := alice.limit("OPA_USDT", "buy", "1", "100"); o["dealFee"] != "0.002" {
		t.Errorf("without a fee of her own alice takes for %v", o["dealFee"])
	}
	d.act("PATCH", "/v1/markets/OPA_USDT", `{"taker_fee":"0.4"}`)
	bob.limit("OPA_USDT", "sell", "1", "100")
	if o := alice.limit("OPA_USDT", "buy", "1", "100"); o["dealFee"] != "0.004" {
		t.Errorf("with the market's new fee alice takes for %v", o["dealFee"])
	}
}

func TestOperatorMovesMoney(t *testing.T) {
	t.Parallel()
	d := newDesk(t, with(plain(), "alice", obj{"deposits": obj{}, "trade": obj{}}))
	alice := d.trader(t, "alice")
	main := func(want obj) {
		t.Helper()
		answers(t, alice.ask("main-account/balance", nil), want)
	}
	main(obj{})
	d.act("POST", "/v1/accounts/alice/deposits", `{"asset":"USDT","amount":"100.5"}`)
	main(obj{"USDT": mainEntry("100.5", "0")})
	d.act("POST", "/v1/accounts/alice/deposits", `{"asset":"USDT","amount":"50","held":true}`)
	main(obj{"USDT": mainEntry("150.5", "50")})
	refuses(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "101", "from": "main", "to": "collateral"}),
		refusal{422, 20, "Inner validation failed", fault("amount", "Part of this amount waits for network confirmation (free 100.5).")})
	d.act("POST", "/v1/accounts/alice/confirmations", `{"asset":"USDT","amount":"20"}`)
	main(obj{"USDT": mainEntry("150.5", "30")})
	d.act("POST", "/v1/accounts/alice/confirmations", `{"asset":"USDT","amount":"30"}`)
	main(obj{"USDT": mainEntry("150.5", "0")})
	d.act("POST", "/v1/accounts/alice/withdrawals", `{"asset":"USDT","amount":"150"}`)
	main(obj{"USDT": mainEntry("0.5", "0")})
}

// An account that moves to the EU trades by its rules from the next order on.
func TestOperatorMovesAnAccountToTheEU(t *testing.T) {
	t.Parallel()
	d := newDesk(t, plain("alice", "bob"))
	alice := d.trader(t, "alice")
	order := obj{"market": "OPA_USDT", "side": "buy", "amount": "1", "price": "10"}
	alice.must("order/new", order)
	d.act("PATCH", "/v1/accounts/alice", `{"region":"eu"}`)
	if r := alice.ask("order/new", order); r.Status != 453 {
		t.Errorf("an account of the EU places %d %s", r.Status, r.Body)
	}
	d.trader(t, "bob").must("order/new", order)
	d.act("PATCH", "/v1/markets/OPA_USDT", `{"regions":["global"]}`)
	refuses(t, alice.ask("order/market", obj{"market": "OPA_USDT", "side": "sell", "amount": "1"}), invalid(31, "market", "Market is not available."))
	d.trader(t, "bob").must("order/new", order)
	d.act("PATCH", "/v1/accounts/alice", `{"region":"global"}`)
	alice.must("order/new", order)
}

// The real program: the token that it made opens its door, and what was done is there after a
// kill.
func TestOperatorOfTheProgram(t *testing.T) {
	t.Parallel()
	v := conform.Start(t, worldOf(t, plain("OPA_USDT"), plain("alice")))
	d := &desk{venue: venue{v}, t: t, url: v.Operators, token: v.Token}
	d.act("POST", "/v1/accounts", `{"name":"carol","retail":true}`)
	d.act("PUT", "/v1/markets/OPA_USDT/index", `{"price":"12.5"}`)
	before := d.act("GET", "/v1/audit?operator="+operator.First, "")
	v.Kill()
	v.Restart()
	if d.token != v.Token {
		t.Error("the token is another one")
	}
	d.url = v.Operators
	if after := d.act("GET", "/v1/audit?operator="+operator.First, ""); after != before || strings.Count(after, `"command"`) != 2 {
		t.Errorf("the audit became %s from %s", after, before)
	}
	for path, want := range map[string]string{"/v1/accounts/carol": `"retail":true`, "/v1/markets/OPA_USDT": `"index":"12.5"`} {
		if got := d.act("GET", path, ""); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}
