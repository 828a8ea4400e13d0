package conform_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/hotp"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/login"
	"bourse/internal/schema"
)

const signInWorld = `{
"assets":[{"ticker":"BTC","name":"Bitcoin","class":"crypto","scale":18,"precision":8,"can_deposit":true,"can_withdraw":true,"codes":true},
 {"ticker":"USDT","name":"Tether","class":"crypto","scale":18,"precision":6,"can_deposit":true,"can_withdraw":true,"codes":true}],
"markets":[{"name":"BTC_USDT","type":"spot","stock_prec":6,"money_prec":2,"fee_prec":8,"maker_fee":"0.1","taker_fee":"0.1","enabled":true}],
"accounts":[
 {"name":"alice","region":"global","keys":[{"key":"alice-key","secret":"alice-secret","enabled":true}],"deposits":{"USDT":"1000"},"trade":{"USDT":"500"}},
 {"name":"bob","region":"global","keys":[{"key":"bob-key","secret":"bob-secret","enabled":true}],"deposits":{"USDT":"1000"},"trade":{"USDT":"500"}}]
}`

const (
	rightPassword = "correct horse battery"
	aliceLogin    = "alice.liddell@example.com"
)

// signInVenue is an exchange to sign in to, and its clock.
type signInVenue struct {
	*conform.Venue
	t     *testing.T
	clock *clock
	dir   string
}

func newSignIn(t *testing.T, change func(*exchange.Options)) *signInVenue {
	t.Helper()
	v := &signInVenue{t: t, clock: &clock{}}
	v.clock.set(schema.Time(time.Now().UnixMicro()))
	v.Venue = conform.Inside(t, signInWorld, func(o *exchange.Options) {
		o.Node.Clock, o.Node.ClockBound = v.clock.read, 100*24*time.Hour
		o.REST.Now = func() time.Time { return time.UnixMicro(int64(v.clock.read())) }
		v.dir = o.Node.Journal.Dir
		if change != nil {
			change(o)
		}
	})
	return v
}

// invite is the token of a new invitation.
func (v *signInVenue) invite(name, as string) string {
	key, token := v.Exchange.Node.Key(), login.Random()
	account := v.Exchange.API.AccountByName(name)
	v.Do(&schema.Invite{Account: account.ID, Digest: login.Hash(token), Login: login.Digest(key, as), Name: login.SealName(key, as)})
	return token
}

// visitor is somebody with a browser, at an address of this machine.
type visitor struct {
	t       *testing.T
	v       *signInVenue
	client  http.Client
	cookies map[string]string
	csrf    string
	secret  string // of the authenticator
	set     []*http.Cookie
	asked   int // what was done once
}

func (v *signInVenue) person(address string) *visitor {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	p := &visitor{t: v.t, v: v, cookies: map[string]string{}, client: http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}}
	v.t.Cleanup(p.client.CloseIdleConnections)
	return p
}

// send sends a request as the browser would for a page of the exchange; header changes what it says.
func (p *visitor) send(method, path string, body any, header map[string]string) (int, map[string]any) {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequest(method, p.v.URL+path, bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Origin", p.v.URL)
	r.Header.Set("X-Bourse-CSRF", p.csrf)
	r.Header.Set("Idempotency-Key", login.Random())
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")
	for name, value := range header {
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	for name, value := range p.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	answer, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if answer.Header.Get("Cache-Control") != "no-store" && answer.StatusCode != 429 {
		p.t.Errorf("%s %s may be stored: %v", method, path, answer.Header)
	}
	p.set = answer.Cookies()
	for _, c := range p.set {
		if p.cookies[c.Name] = c.Value; c.Value == "" {
			delete(p.cookies, c.Name)
		}
	}
	object := map[string]any{}
	_ = json.Unmarshal(said, &object) // lists are looked at by nobody here
	if token, is := object["csrf"].(string); is {
		p.csrf = token
	}
	return answer.StatusCode, object
}

// gets is send with the status that must come back.
func (p *visitor) gets(status int, method, path string, body any) map[string]any {
	p.t.Helper()
	got, answer := p.send(method, path, body, nil)
	if got != status {
		p.t.Fatalf("%s %s: %d %v, want %d", method, path, got, answer, status)
	}
	return answer
}

// code is that of the authenticator for the running step, or one beside it.
func (p *visitor) code(beside int64) string {
	p.t.Helper()
	step := uint64(int64(p.v.clock.read()/schema.Second)/30 + beside)
	text, err := hotp.GenerateCode(p.secret, step)
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

func (p *visitor) enrol(token string) {
	p.t.Helper()
	shown := p.gets(200, "POST", "/web/invitation", obj{"token": token})
	offer := shown["totp"].(map[string]any)
	p.secret = offer["secret"].(string)
	if _, err := base32.StdEncoding.DecodeString(p.secret); err != nil || !strings.HasPrefix(offer["uri"].(string), "otpauth://totp/Bourse:") {
		p.t.Errorf("the offer is %v", offer)
	}
	p.gets(422, "POST", "/web/enrol", obj{"token": token, "password": "short", "ticket": offer["ticket"], "code": p.code(0)})
	p.gets(200, "POST", "/web/enrol", obj{"token": token, "password": rightPassword, "ticket": offer["ticket"], "code": p.code(-1)})
}

func (p *visitor) signIn(status int, as, password, code string) map[string]any {
	p.t.Helper()
	return p.gets(status, "POST", "/web/session", obj{"login": as, "password": password, "code": code})
}

// enrolled is an exchange with alice, who is signed in at 127.0.0.1.
func enrolledAlice(t *testing.T) (*signInVenue, *visitor) {
	v := newSignIn(t, nil)
	alice := v.person("127.0.0.1")
	alice.enrol(v.invite("alice", aliceLogin))
	return v, alice
}

func TestASessionBeginsAndEnds(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	for _, c := range alice.set {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || c.Domain != "" {
			t.Errorf("the cookie is %+v", c)
		}
	}
	who := alice.gets(200, "GET", "/web/session", nil)
	if who["account"] != "alice" || who["login"] != aliceLogin || who["signed_in"] != true || who["fresh"] != true || who["passkeys"] != false {
		t.Errorf("who is signed in: %v", who)
	}
	v.clock.advance(31 * schema.Second)
	other := v.person("127.0.0.2")
	other.secret = alice.secret
	code := other.code(0)
	other.signIn(200, strings.ToUpper(aliceLogin), rightPassword, code)
	v.person("127.0.0.3").signIn(401, aliceLogin, rightPassword, code) // a code counts once
	alice.gets(200, "DELETE", "/web/sessions", obj{})
	if who := other.gets(200, "GET", "/web/session", nil); who["signed_in"] != false {
		t.Errorf("a session that was ended elsewhere: %v", who)
	}
	other.gets(401, "POST", "/web/v4/trade-account/balance", obj{})
	alice.gets(200, "POST", "/web/v4/trade-account/balance", obj{})
	alice.gets(200, "DELETE", "/web/session", obj{})
	alice.gets(401, "POST", "/web/v4/trade-account/balance", obj{})
}

func TestSessionsEndByThemselves(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	v.clock.advance(24*3600*schema.Second - schema.Second)
	alice.gets(200, "POST", "/web/v4/trade-account/balance", obj{})
	v.Do(&schema.Tick{}) // comes behind the use, for which nobody waits
	v.clock.advance(24*3600*schema.Second - schema.Second)
	alice.gets(200, "GET", "/web/session", nil)
	alice.gets(200, "POST", "/web/v4/trade-account/balance", obj{})
	v.Do(&schema.Tick{})
	v.clock.advance(24 * 3600 * schema.Second)
	v.Do(&schema.Tick{})
	alice.gets(401, "POST", "/web/v4/trade-account/balance", obj{})
}

// Only pages of the exchange itself are heard.
func TestPagesOfOthersAreNotHeard(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	for name, tt := range map[string]struct {
		header map[string]string
		status int
	}{
		"ours":                           {nil, 200},
		"of an old browser":              {map[string]string{"Sec-Fetch-Site": ""}, 200},
		"of no browser":                  {map[string]string{"Sec-Fetch-Site": "", "Origin": ""}, 403},
		"of another site":                {map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, 403},
		"of another port":                {map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"}, 403},
		"of another port, old browser":   {map[string]string{"Sec-Fetch-Site": "", "Origin": "http://127.0.0.1:1"}, 403},
		"typed by hand":                  {map[string]string{"Sec-Fetch-Site": "none"}, 403},
		"of nowhere":                     {map[string]string{"Origin": "null"}, 403},
		"a form":                         {map[string]string{"Content-Type": "text/plain"}, 415},
		"without the token":              {map[string]string{"X-Bourse-CSRF": ""}, 403},
		"with a token that was made up":  {map[string]string{"X-Bourse-CSRF": "00000000000000000000000000000000"}, 403},
		"that have a name resolved here": {map[string]string{"Host": "evil.example", "Origin": "http://evil.example"}, 403},
		"through a proxy":                {map[string]string{"X-Forwarded-For": "192.0.2.1"}, 403},
		"through another proxy":          {map[string]string{"Via": "1.1 x"}, 403},
	} {
		if status, answer := alice.send("POST", "/web/v4/trade-account/balance", obj{}, tt.header); status != tt.status {
			t.Errorf("%s: %d %v, want %d", name, status, answer, tt.status)
		}
	}
	stranger := v.person("127.0.0.9")
	if status, _ := stranger.send("POST", "/web/session", obj{"login": "x"}, map[string]string{"Sec-Fetch-Site": "cross-site"}); status != 403 {
		t.Errorf("signing in from a page of others: %d", status)
	}
	stranger.gets(404, "POST", "/web/session/demo", obj{"account": "alice"}) // there is no demo
	stranger.gets(404, "POST", "/web/v4/public/time", obj{})
	stranger.gets(405, "PUT", "/web/session", obj{})
}

// At a public URL the cookie is bound to the host and to HTTPS, whatever a request says where it is.
func TestAPublicURL(t *testing.T) {
	t.Parallel()
	v := newSignIn(t, func(o *exchange.Options) { o.WebURL = "https://bourse.example" })
	alice := v.person("127.0.0.1")
	alice.secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	token := v.invite("alice", aliceLogin)
	at := map[string]string{"Origin": "https://bourse.example", "X-Forwarded-For": "192.0.2.7"}
	status, shown := alice.send("POST", "/web/invitation", obj{"token": token}, at)
	if status != 200 || shown["passkeys"] != true {
		t.Fatalf("%d %v", status, shown)
	}
	offer := shown["totp"].(map[string]any)
	alice.secret = offer["secret"].(string)
	if status, _ := alice.send("POST", "/web/enrol", obj{"token": token, "password": rightPassword, "ticket": offer["ticket"], "code": alice.code(0)}, nil); status != 403 {
		t.Errorf("from the address of this machine: %d", status)
	}
	if status, answer := alice.send("POST", "/web/enrol", obj{"token": token, "password": rightPassword, "ticket": offer["ticket"], "code": alice.code(0)}, at); status != 200 {
		t.Fatalf("%d %v", status, answer)
	}
	if len(alice.set) != 2 {
		t.Fatalf("cookies %v", alice.set)
	}
	for _, c := range alice.set {
		if !strings.HasPrefix(c.Name, "__Host-bourse") || !c.Secure {
			t.Errorf("the cookie is %+v", c)
		}
	}
	insecure := newSignIn(t, func(o *exchange.Options) { o.WebURL = "http://bourse.example" })
	insecure.person("127.0.0.1").gets(403, "GET", "/web/session", nil)
}

// Nobody learns who there is, and nobody locks a stranger out.
func TestGuessesStopWhoGuesses(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	v.clock.advance(31 * schema.Second)
	thief := v.person("127.0.0.66")
	wrong := thief.signIn(401, aliceLogin, "not the password", "123456")
	if nobody := thief.signIn(401, "nobody@example.com", "not the password", "123456"); wrong["message"] != nobody["message"] {
		t.Errorf("%v and %v", wrong, nobody)
	}
	for range 4 {
		thief.signIn(401, aliceLogin, "not the password", "")
	}
	thief.signIn(429, aliceLogin, rightPassword, "")
	owner := v.person("127.0.0.2")
	owner.secret = alice.secret
	owner.signIn(200, aliceLogin, rightPassword, owner.code(0))
	// Ten wrong ones of an address in a minute, whatever the name.
	for range 4 {
		thief.signIn(401, "somebody", "not the password", "")
	}
	thief.signIn(429, "anybody", "not the password", "")
	v.clock.advance(61 * schema.Second)
	thief.signIn(401, "anybody", "not the password", "")
	thief.signIn(429, aliceLogin, rightPassword, "")
	v.clock.advance(15 * 60 * schema.Second)
	thief.signIn(401, aliceLogin, "not the password", "")
	// Fifty wrong ones for a name, from many addresses: devices that signed in before go on.
	for i := range 44 {
		v.person(fmt.Sprintf("127.0.1.%d", i+1)).signIn(401, aliceLogin, "not the password", "")
	}
	v.person("127.0.3.1").signIn(429, aliceLogin, rightPassword, alice.code(0))
	owner.gets(200, "DELETE", "/web/session", obj{})
	owner.signIn(200, aliceLogin, rightPassword, owner.code(0))
}

func TestWrongCodesLockUnknownDevices(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	v.clock.advance(31 * schema.Second)
	thief := v.person("127.0.0.66") // who knows the password
	for range 5 {
		thief.signIn(401, aliceLogin, rightPassword, "000000")
	}
	thief.signIn(429, aliceLogin, rightPassword, alice.code(0))
	alice.gets(200, "DELETE", "/web/session", obj{})
	alice.signIn(200, aliceLogin, rightPassword, alice.code(0))
	v.clock.advance(15 * 60 * schema.Second)
	thief.signIn(200, aliceLogin, rightPassword, alice.code(0))
}

// What moves money out asks for the factor once more after five minutes, and for one at all.
func TestMoneyLeavesWithAFreshFactor(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	create := func(once string) (int, map[string]any) {
		return alice.send("POST", "/web/v4/main-account/codes", obj{"ticker": "USDT", "amount": "1"}, map[string]string{"Idempotency-Key": once})
	}
	if status, answer := create("a"); status != 200 {
		t.Fatalf("%d %v", status, answer)
	}
	v.clock.advance(5 * 60 * schema.Second)
	status, answer := create("b")
	if status != 412 || answer["code"] != 2.0 || answer["message"] != "This action needs your second factor again: it was given more than 5 minutes ago." {
		t.Errorf("%d %v", status, answer)
	}
	alice.gets(422, "POST", "/web/session/factor", obj{"code": "000000"})
	alice.gets(412, "DELETE", "/web/totp", obj{})
	alice.gets(200, "POST", "/web/session/factor", obj{"code": alice.code(0)})
	if status, answer := create("b"); status != 200 { // the refusal used nothing up
		t.Errorf("%d %v", status, answer)
	}
	for _, path := range []string{"/api/v4/main-account/withdraw", "/api/v4/main-account/withdraw-pay"} {
		if reply := v.Client("alice-key", "alice-secret").Post(path, nil); reply.Status == 412 {
			t.Errorf("%s with a second factor: %s", path, reply.Body)
		}
	}
	alice.gets(200, "DELETE", "/web/totp", obj{})
	for _, path := range []string{"/api/v4/main-account/withdraw", "/api/v4/main-account/withdraw-pay"} {
		reply := v.Client("alice-key", "alice-secret").Post(path, nil)
		if reply.Status != 412 || reply.Body != `{"code":1,"message":"This action is unauthorized. Please, enable Two-Factor authentication.","errors":{}}` {
			t.Errorf("%s: %d %s", path, reply.Status, reply.Body)
		}
		if reply := v.Client("bob-key", "bob-secret").Post(path, nil); reply.Status == 412 {
			t.Errorf("%s of an account without a user: %s", path, reply.Body)
		}
	}
}

func TestAnIdempotencyKeyCountsOnce(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	order := func(once, price string) (int, map[string]any) {
		return alice.send("POST", "/web/v4/order/new", obj{"market": "BTC_USDT", "side": "buy", "amount": "0.1", "price": price}, map[string]string{"Idempotency-Key": once})
	}
	if status, _ := order("", "100"); status != 400 {
		t.Errorf("without one: %d", status)
	}
	_, first := order("one", "100")
	status, again := order("one", "100")
	if status != 200 || first["orderId"] == nil || again["orderId"] != first["orderId"] {
		t.Errorf("%v, and again %d %v", first, status, again)
	}
	if status, other := order("one", "101"); status != 422 {
		t.Errorf("another request: %d %v", status, other)
	}
	// Another node took a request with this key, and its answer is not known here.
	session := v.Exchange.API.Directory().Session(hexDigest(alice.cookies["bourse"]))
	var result schema.Result
	once := schema.Origin{Key: session.ID, Once: sha256.Sum256([]byte("two"))}
	if err := v.Exchange.Node.SubmitFrom(context.Background(), once, &schema.CancelAll{Account: session.Account}, &result); err != nil {
		t.Fatal(err)
	}
	if status, answer := order("two", "100"); status != 409 {
		t.Errorf("%d %v", status, answer)
	}
	v.clock.advance(10 * 60 * schema.Second)
	if status, answer := order("one", "100"); status != 200 || answer["orderId"] == first["orderId"] {
		t.Errorf("after ten minutes: %d %v", status, answer)
	}
}

// A request that came to one node is not done by another, which has no answer to it.
func TestAnIdempotencyKeyAtTwoNodes(t *testing.T) {
	t.Parallel()
	log := conform.LogServer(t)
	v := newSignIn(t, func(o *exchange.Options) { o.Node.Journal.URL = log })
	alice := v.person("127.0.0.1")
	alice.enrol(v.invite("alice", aliceLogin))
	other := *v
	other.Venue = conform.Inside(t, "{}", func(o *exchange.Options) {
		o.Node.Journal.URL, o.Node.Clock, o.Node.ClockBound = log, v.clock.read, 100*24*time.Hour
	})
	other.Do(&schema.Tick{}) // what a node answers to a write, it knows
	there := other.person("127.0.0.1")
	there.cookies, there.csrf = alice.cookies, alice.csrf
	order := func(p *visitor, status int) {
		t.Helper()
		body := obj{"market": "BTC_USDT", "side": "buy", "amount": "0.1", "price": "100"}
		if got, answer := p.send("POST", "/web/v4/order/new", body, map[string]string{"Idempotency-Key": "one"}); got != status {
			t.Errorf("%d %v, should be %d", got, answer, status)
		}
	}
	order(alice, 200)
	order(there, 409)
	order(alice, 200) // the same answer
	orders := v.Client("alice-key", "alice-secret").Post("/api/v4/orders", conform.Fields{"market": "BTC_USDT"})
	if strings.Count(orders.Body, `"orderId"`) != 1 {
		t.Errorf("the orders are %s", orders.Body)
	}
}

func hexDigest(cookie string) string {
	const digits = "0123456789abcdef"
	var text []byte
	for _, b := range sha256.Sum256([]byte(cookie)) {
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}

// A session signs nothing, and an API key is nothing at the door for browsers.
func TestEachDoorKnowsItsOwnKeys(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	for _, secret := range []string{"", alice.cookies["bourse"]} {
		if reply := v.Client(hexDigest(alice.cookies["bourse"]), secret).Post("/api/v4/trade-account/balance", nil); reply.Status != 401 ||
			!strings.Contains(reply.Body, `"This action is unauthorized."`) {
			t.Errorf("%d %s", reply.Status, reply.Body)
		}
	}
	stranger := v.person("127.0.0.5")
	stranger.cookies["bourse"] = "alice-key"
	stranger.gets(401, "POST", "/web/v4/trade-account/balance", obj{})
}

// A WebSocket that a session authorized loses its rights with the session, and does not keep it alive.
func TestASocketEndsWithItsSession(t *testing.T) {
	t.Parallel()
	_, alice := enrolledAlice(t)
	_, answer := alice.send("POST", "/web/v4/profile/websocket_token", obj{}, map[string]string{"Idempotency-Key": "token"})
	token := answer["websocket_token"]
	socket := alice.v.Socket()
	socket.Must("authorize", token, "public")
	socket.Must("balanceSpot_request", "USDT")
	alice.gets(200, "DELETE", "/web/session", obj{})
	if answer := socket.Ask("balanceSpot_request", "USDT"); answer.Error == nil {
		t.Errorf("after the end of the session: %s", answer.Result)
	}
	if answer := alice.v.Socket().Ask("authorize", token, "public"); answer.Error == nil {
		t.Errorf("authorized after the end of the session: %s", answer.Result)
	}
}

func TestABlockedAccountIsRefused(t *testing.T) {
	t.Parallel()
	v, alice := enrolledAlice(t)
	account := *v.Exchange.API.AccountByName("alice")
	account.Blocked = true
	v.Do(&schema.SetAccount{Account: account})
	alice.gets(401, "POST", "/web/v4/trade-account/balance", obj{})
	v.clock.advance(31 * schema.Second)
	v.person("127.0.0.2").signIn(401, aliceLogin, rightPassword, alice.code(0))
}

// TestBrowsersAtADeafNode: a node that hears nothing of the log it shares shows nothing of accounts, nor who is signed in: what it knows may
// be old. It does not note that sessions are in use, either: that can wait.
func TestBrowsersAtADeafNode(t *testing.T) {
	t.Parallel()
	var elapsed atomic.Int64
	log := conform.LogServer(t)
	v := newSignIn(t, func(o *exchange.Options) {
		o.Node.Journal.URL, o.Node.Elapsed = log, func() schema.Time { return schema.Time(elapsed.Load()) }
	})
	alice := v.person("127.0.0.1")
	alice.enrol(v.invite("alice", aliceLogin))
	reads := [][2]string{
		{"POST", "/web/v4/trade-account/balance"},
		{"GET", "/web/session"},
		{"GET", "/web/sessions"},
		{"GET", "/web/keys"},
		{"GET", "/web/webhook"},
		{"GET", "/web/webhook/log"},
		{"GET", "/web/oauth/grants"},
		{"POST", "/web/express"},
		{"POST", "/web/oauth/request"},
	}
	elapsed.Add(int64(5 * schema.Second))
	for _, read := range reads {
		alice.gets(503, read[0], read[1], obj{})
	}
	if who := v.person("127.0.0.2").gets(200, "GET", "/web/session", nil); who["signed_in"] != false {
		t.Errorf("a stranger is shown %v", who)
	}
	v.Do(&schema.Tick{}) // the log was heard of
	for _, read := range reads {
		if status, answer := alice.send(read[0], read[1], obj{}, nil); status == 503 {
			t.Errorf("%v: %v", read, answer)
		}
	}
}
