package conform_test

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/oauth2"

	"bourse/internal/archive"
	"bourse/internal/exchange"
	"bourse/internal/operator"
	"bourse/internal/schema"
)

// secrets are what nobody may find in anything that the exchange keeps or tells, by what they are.
type secrets struct {
	t     *testing.T
	forms map[string][][]byte
}

// add adds one: in clear, in hex and in base64, also of the bytes that a text stands for, wherever in a longer text it may stand.
func (s *secrets) add(name, text string) {
	s.t.Helper()
	if _, twice := s.forms[name]; len(text) < 12 || twice {
		s.t.Fatalf("%s is %q", name, text)
	}
	plain := [][]byte{[]byte(text)}
	for _, decode := range []func(string) ([]byte, error){hex.DecodeString, base64.RawURLEncoding.DecodeString, base32.StdEncoding.DecodeString, uuidBytes} {
		if raw, err := decode(text); err == nil && len(raw) >= 12 {
			plain = append(plain, raw)
		}
	}
	var forms [][]byte
	for _, b := range plain {
		forms = append(forms, b, []byte(hex.EncodeToString(b)), []byte(strings.ToUpper(hex.EncodeToString(b))))
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			for before := range 3 { // bytes of a longer text, which share a character with the first of these
				encoded := encoding.EncodeToString(append(make([]byte, before), b...))
				end := (before + len(b)) * 8 / 6
				forms = append(forms, []byte(encoded[(before*8+5)/6:end]))
			}
		}
	}
	s.forms[name] = forms
}

var aUUIDText = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// uuidBytes is the UUID in a text.
func uuidBytes(text string) ([]byte, error) {
	return hex.DecodeString(strings.ReplaceAll(aUUIDText.FindString(text), "-", ""))
}

// in are those that are in a text, with what is around them.
func (s *secrets) in(text []byte) (found []string) {
	for name, forms := range s.forms {
		for _, form := range forms {
			if at := bytes.Index(text, form); at >= 0 {
				found = append(found, fmt.Sprintf("%s: %q", name, text[max(0, at-40):min(len(text), at+len(form)+40)]))
				break
			}
		}
	}
	return found
}

// absent looks for all of them in something.
func (s *secrets) absent(where string, text []byte) {
	s.t.Helper()
	for _, found := range s.in(text) {
		s.t.Errorf("%s has the %s", where, found)
	}
}

// absentBelow looks for them in all files below a directory, and in the values of the stores there, whose blocks are compressed. It returns
// how many files and values there were, by the first part of their path. Operators get their tokens from files, which it leaves out.
func (s *secrets) absentBelow(dir string) (files, values map[string]int) {
	s.t.Helper()
	files, values = map[string]int{}, map[string]int{}
	var stores []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "operators":
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files[s.part(dir, path)]++
		s.absent(path, text)
		if strings.HasPrefix(entry.Name(), "MANIFEST-") {
			stores = append(stores, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(stores)
	for _, store := range slices.Compact(stores) {
		values[s.part(dir, filepath.Join(store, "x"))] += s.absentFromStore(store)
	}
	return files, values
}

func (s *secrets) part(dir, path string) string {
	s.t.Helper()
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		s.t.Fatal(err)
	}
	part, _, _ := strings.Cut(rel, string(filepath.Separator))
	return part
}

func (s *secrets) absentFromStore(dir string) (values int) {
	s.t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{ReadOnly: true, FormatMajorVersion: pebble.FormatNewest, Logger: complaints{s.t}})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	all, err := db.NewIter(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer all.Close()
	for all.First(); all.Valid(); all.Next() {
		values++
		s.absent(fmt.Sprintf("%s at %q", dir, all.Key()), slices.Concat(all.Key(), all.Value()))
	}
	if err := all.Error(); err != nil {
		s.t.Error(err)
	}
	return values
}

// complaints are what a store says that fails a test.
type complaints struct{ *testing.T }

func (complaints) Infof(string, ...any) {}

// said keeps what a process says.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *said) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *said) bytes() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.text.Bytes())
}

// event is what a webhook sends.
type event struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

// shop is the server of a customer: it shows the key of a webhook, and takes events.
type shop struct {
	*httptest.Server
	key    atomic.Pointer[string]
	events chan event
}

func openShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{events: make(chan event, 100)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/service-verification":
			_ = json.NewEncoder(w).Encode([]string{*s.key.Load()})
		case "/hook":
			var e event
			body := json.NewDecoder(r.Body)
			body.UseNumber()
			if err := body.Decode(&e); err != nil {
				t.Error(err)
			}
			s.events <- e
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// hears waits for an event, and returns what it says.
func (s *shop) hears(t *testing.T, want string) map[string]any {
	t.Helper()
	select {
	case got := <-s.events:
		if got.Method != want {
			t.Fatalf("%s arrived, want %s", got.Method, want)
		}
		return got.Params
	case <-time.After(time.Minute):
		t.Fatalf("%s does not arrive", want)
		return nil
	}
}

// after is what follows a part of a text.
func after(t *testing.T, text any, part string) string {
	t.Helper()
	_, rest, found := strings.Cut(text.(string), part)
	if !found {
		t.Fatalf("%v has no %q", text, part)
	}
	return rest
}

// What is looked for is found, however it is written.
func TestSecretsAreFound(t *testing.T) {
	s := &secrets{t, map[string][][]byte{}}
	s.add("text", "correct horse battery")
	s.add("number", "00112233445566778899aabbccddeeff")
	s.add("UUID", "WB0188a1b2-c3d4-4e5f-8a6b-7c8d9eafb0c1USDT")
	number := []byte{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}
	id := []byte{0x01, 0x88, 0xa1, 0xb2, 0xc3, 0xd4, 0x4e, 0x5f, 0x8a, 0x6b, 0x7c, 0x8d, 0x9e, 0xaf, 0xb0, 0xc1}
	for name, plain := range map[string][][]byte{"text": {[]byte("correct horse battery")}, "number": {number, []byte(hex.EncodeToString(number))}, "UUID": {id}} {
		for _, b := range plain {
			for _, before := range []string{"", "a", "ab", "abc"} {
				within := slices.Concat([]byte(before), b, []byte("after"))
				for form, text := range map[string]string{
					"clear": string(within), "hex": hex.EncodeToString(within), "HEX": strings.ToUpper(hex.EncodeToString(within)),
					"base64": base64.StdEncoding.EncodeToString(within), "base64 of URLs": base64.RawURLEncoding.EncodeToString(within),
				} {
					if found := s.in([]byte(text)); len(found) != 1 || !strings.HasPrefix(found[0], name+": ") {
						t.Errorf("%s of %q and %q: %q", form, before, b, found)
					}
				}
			}
		}
	}
	if found := s.in([]byte("correct horse batter, 00112233445566778899aabbccddeefe")); found != nil {
		t.Errorf("found %q", found)
	}
}

// One of each secret that there is: none is to be read in anything that an exchange keeps, tells its operators or says of itself.
func TestNothingSecretIsKept(t *testing.T) {
	out := &said{}
	v := newSignIn(t, func(o *exchange.Options) {
		o.Webhooks.Loopback, o.PublicURL = true, "https://exchange.example"
		o.Log = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	s := &secrets{t, map[string][][]byte{}}
	d := servedDesk(t, v)
	set := func(name string, change func(*schema.Account)) {
		account := *v.Exchange.API.AccountByName(name)
		change(&account)
		v.Do(&schema.SetAccount{Account: account})
	}
	set("alice", func(a *schema.Account) {
		a.Verified, a.Partner, a.Invoices, a.KYCLinks, a.Approvals = true, true, true, true, true
	})
	aliceAPI, bobAPI := venue{v.Venue}.trader(t, "alice"), venue{v.Venue}.trader(t, "bob")
	s.add("secret of a key of the set-up", "alice-secret")
	s.add("token of an operator", d.token)

	// People.
	alice := v.person("127.0.0.1")
	token := v.invite("alice", aliceLogin)
	alice.enrol(token)
	s.add("taken invitation", token)
	s.add("login of a user", aliceLogin)
	s.add("password", rightPassword)
	s.add("form of a hash of a password", "$argon2id$v=")
	s.add("seed of an authenticator", alice.secret)
	s.add("first session", alice.cookies["bourse"])
	var invited struct{ Link string }
	d.acts("POST", "/v1/accounts/bob/invitations", obj{"login": "robert.tables@example.com"}, &invited)
	s.add("invitation", after(t, invited.Link, "#"))
	s.add("login of who is invited", "robert.tables")

	// Keys of customers.
	once := 0
	signedIn := func(path string, body obj) map[string]any {
		t.Helper()
		once++
		status, answer := alice.send("POST", path, body, map[string]string{"Idempotency-Key": fmt.Sprint("once", once)})
		if status != 200 {
			t.Fatalf("%s: %d %v", path, status, answer)
		}
		return answer
	}
	s.add("secret of a key", signedIn("/web/keys", obj{"type": 1})["secret"].(string))
	desk := aliceAPI.opens("desk")
	pair := aliceAPI.must("sub-account/api-key/create", obj{"subAccountId": desk, "type": 1, "title": "bot"})
	s.add("secret of a key of a sub-account", pair["apiSecret"].(string))
	aliceAPI.must("sub-account/create", obj{"alias": "lab", "email": "laboratory@sub.example", "permissions": both})
	s.add("e-mail of a sub-account", "laboratory@sub.example")
	v.Do(&schema.SetSub{Master: v.Exchange.API.AccountByName("alice").ID, Alias: "own", External: "own", Email: "sealed", Active: true})
	s.add("link to a verification", after(t, aliceAPI.must("sub-account/kyc-url", obj{"id": "own"})["url"], "/verify/"))
	s.add("token for a socket", aliceAPI.must("profile/websocket_token", nil)["websocket_token"].(string))
	s.add("token for a socket of a session", signedIn("/web/v4/profile/websocket_token", obj{})["websocket_token"].(string))
	jwt := aliceAPI.must("jwt", nil)["data"].(map[string]any)["token"].(string)
	s.add("JWT", jwt)
	s.add("signature of a JWT", jwt[strings.LastIndexByte(jwt, '.')+1:])

	// Clients of OAuth.
	client := func(id string, scopes ...string) *oauth2.Config {
		var made struct{ Secret string }
		d.acts("POST", "/v1/partners", obj{"client": id, "title": "Tax", "uris": []string{backTo}, "scopes": scopes, "addresses": []string{"127.0.0.1"}}, &made)
		s.add("secret of the client "+id, made.Secret)
		return &oauth2.Config{
			ClientID: id, ClientSecret: made.Secret, RedirectURL: backTo, Endpoint: oauth2.Endpoint{AuthURL: v.URL + "/auth/login", TokenURL: v.URL + "/oauth2/token"},
		}
	}
	tax, data := client("tax", keyScopes...), client("data", dataScopes...)
	verifier := oauth2.GenerateVerifier()
	code := alice.approves(tax.AuthCodeURL("xyz", oauth2.S256ChallengeOption(verifier)), plainBalance)
	access, err := tax.Exchange(t.Context(), code, oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	issued, _ := v.Exchange.API.Issued(v.Exchange.API.AccountByName("alice").ID, 1)
	_, body := asks(t, "GET", v.URL+"/oauth2/api-key/"+issued.External+"/secret", access.AccessToken)
	secret := strings.TrimSuffix(after(t, body, `{"data":{"apiSecret":"`), `"}}`)
	if r := v.Client(issued.External, secret).Post(plainBalance, nil); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	s.add("code for a key", code)
	s.add("verifier", verifier)
	s.add("token for a key", access.AccessToken)
	s.add("secret of an issued key", secret)
	code = alice.approves(data.AuthCodeURL("xyz"))
	s.add("code for data", code)
	first, err := data.Exchange(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	second, err := data.TokenSource(t.Context(), &oauth2.Token{RefreshToken: first.RefreshToken}).Token()
	if err != nil {
		t.Fatal(err)
	}
	for nth, given := range map[string]*oauth2.Token{"first": first, "second": second} {
		s.add(nth+" token for data", given.AccessToken)
		s.add(nth+" refresh token", given.RefreshToken)
		for i, part := range strings.Split(given.RefreshToken, ".") {
			if nth == "first" || i > 0 { // a family has its first part in common
				s.add(fmt.Sprint(nth, " refresh token, part ", i), part)
			}
		}
	}
	if status, body := asks(t, "POST", v.URL+"/api/v4/accounts/orders", second.AccessToken); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	d.act("PATCH", "/v1/partners/tax", `{"title":"Tax and more"}`)

	// A webhook, whose queue keeps a code that was applied: one event is delivered, the other waits.
	shop := openShop(t)
	var hook struct{ Key, Secret string }
	d.acts("PUT", "/v1/accounts/alice/webhook", obj{"url": shop.URL + "/hook"}, &hook)
	s.add("secret of a webhook", hook.Secret)
	shop.key.Store(&hook.Key)
	d.act("POST", "/v1/accounts/alice/webhook/verification", `{}`)
	spent := aliceAPI.promises("USDT", "10", nil)
	locked := aliceAPI.promises("USDT", "10", obj{"passphrase": "open-sesame,please!"})
	open := aliceAPI.promises("USDT", "10", nil)
	for name, c := range map[string]promise{"applied code": spent, "applied code with a passphrase": locked, "open code": open} {
		s.add(name, c.text)
		s.add("UUID of the "+name, aUUIDText.FindString(c.text))
	}
	s.add("passphrase of a code", "open-sesame,please!")
	bobAPI.gets(spent, "USDT", "10", nil)
	shop.hears(t, "code.apply")
	d.act("POST", "/v1/accounts/alice/webhook/pause", `{"paused":true}`)
	bobAPI.gets(locked, "USDT", "10", obj{"passphrase": "open-sesame,please!"})

	// What people pay with.
	v.Do(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "EUR", Name: "Euro", Class: schema.Fiat, Scale: 4, Precision: 2, CanDeposit: true,
		Networks: []schema.Network{{Name: "SEPA", Chain: schema.ChainID(v.Do(&schema.SetChain{Chain: schema.Chain{Name: "BANK", Driver: schema.Provider}}).ID), CanDeposit: true}},
	}})
	s.add("page of an invoice", after(t, aliceAPI.must(fiatURL, bills("order-1", "100", nil))["url"], "/pay/"))
	s.add("express token", after(t, aliceAPI.must("main-account/express-withdraw/token", obj{"ticker": "USDT", "amount": "10", "externalId": "rent"})["url"], "token="))

	// Another password: nothing leaves for three days after it.
	v.clock.advance(31 * schema.Second)
	alice.gets(200, "POST", "/web/session/factor", obj{"code": alice.code(0)})
	alice.gets(200, "POST", "/web/password", obj{"password": "another long password"})
	s.add("changed password", "another long password")
	s.add("session", alice.cookies["bourse"])

	// What operators see. They know who their users are.
	for _, path := range []string{
		"/metrics", "/v1/accounts", "/v1/accounts/alice", "/v1/accounts/alice/keys", "/v1/accounts/" + desk + "/keys", "/v1/accounts/alice/sessions", "/v1/accounts/alice/grants",
		"/v1/accounts/alice/webhook/deliveries", "/v1/audit?limit=1000", "/v1/deposits", "/v1/withdrawals", "/v1/invoices", "/v1/partners", "/v1/webhooks", "/v1/chains",
	} {
		s.absent("GET "+path, []byte(d.act("GET", path, "")))
	}
	users := *s
	users.forms = maps.Clone(s.forms)
	delete(users.forms, "login of a user")
	users.absent("GET /v1/users", []byte(d.act("GET", "/v1/users", "")))
	for what, where := range map[string]string{"set_partner": "/v1/audit?limit=1000", "oauth": "/metrics", "webhook": "/metrics", "code.apply": "/v1/accounts/alice/webhook/deliveries"} {
		if text := d.act("GET", where, ""); !strings.Contains(text, what) {
			t.Errorf("GET %s has no %q: %s", where, what, text)
		}
	}
	queue := v.Exchange.Webhooks.Waiting(v.Exchange.API.AccountByName("alice").ID)
	if queue != 1 {
		t.Errorf("%d events wait", queue)
	}
	v.Close()
	s.absent("the log of the process", out.bytes())
	if len(out.bytes()) == 0 {
		t.Error("the process said nothing")
	}
	files, values := s.absentBelow(v.dir)
	for part, of := range map[string]map[string]int{"journal": files, "snapshots": files, "history": values, "webhooks": values} {
		if of[part] == 0 {
			t.Errorf("there is nothing in %s: %v %v", part, files, values)
		}
	}
	a, err := archive.Open(v.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var export bytes.Buffer
	if _, err := a.Export(t.Context(), &export); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"redeem_grant", "apply_code", "set_webhook", "request_invoice", "request_express", "enrol"} {
		if !strings.Contains(export.String(), what) {
			t.Errorf("the export has no %q", what)
		}
	}
	s.absent("the export", export.Bytes())
}

// servedDesk is the first operator of an exchange on which people sign in.
func servedDesk(t *testing.T, v *signInVenue) *desk {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = v.Exchange.ServeOperators(ln) }()
	d := &desk{venue: venue{v.Venue}, t: t, clock: v.clock, url: "http://" + ln.Addr().String()}
	if d.token, err = v.Exchange.Tokens.Read(operator.First); err != nil {
		t.Fatal(err)
	}
	return d
}

// acts does something, and reads the answer.
func (d *desk) acts(method, path string, body obj, into any) {
	d.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(d.act(method, path, string(text))), into); err != nil {
		d.t.Fatal(err)
	}
}
