package conform_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/kyc"
	"bourse/internal/schema"
)

// newVerification is an exchange on which alice may ask for links, with an active sub-account that shares nothing.
func newVerification(t *testing.T, play bool) (f family, id string) {
	t.Helper()
	people := map[string]obj{"alice": {"deposits": obj{}, "trade": obj{}}, "bob": {"deposits": obj{}, "trade": obj{}}}
	clock := newClock()
	v := venue{conform.Inside(t, worldOf(t, plain("DEP_USDT"), people), func(o *exchange.Options) {
		o.Node.Clock, o.Sandbox, o.PublicURL = clock.read, play, "https://exchange.example"
	})}
	f = family{depositWorld{venue: v, clock: clock}, v.trader(t, "alice"), v.trader(t, "bob")}
	f.set("alice", func(a *schema.Account) { a.KYCLinks = true })
	f.Do(&schema.SetSub{Master: f.account("alice").ID, Alias: "desk", External: "desk", Email: "sealed", Active: true})
	return f, "desk"
}

// link asks for one, and returns the path of its page.
func (f family) link(id string) string {
	f.alice.t.Helper()
	answer := f.alice.must("sub-account/kyc-url", obj{"id": id})
	is(f.alice.t, "link", answer, obj{"url": pattern(`"https://exchange\.example/verify/[A-Za-z0-9_-]+"`), "expiresIn": 3600})
	return strings.TrimPrefix(answer["url"].(string), "https://exchange.example")
}

func (f family) status(id string) any {
	f.alice.t.Helper()
	for _, sub := range f.alice.must("sub-account/list", nil)["data"].([]any) {
		if sub := sub.(map[string]any); sub["id"] == id {
			return sub["kyc"].(map[string]any)["kycStatus"]
		}
	}
	return nil
}

// says sends the form of a page.
func (f family) says(path, outcome string) conform.Reply {
	return f.Send("POST", path, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, []byte(url.Values{"outcome": {outcome}}.Encode()))
}

func shows(t *testing.T, r conform.Reply, status int, title string) {
	t.Helper()
	if r.Status != status || !strings.Contains(r.Body, "<title>"+title+"</title>") {
		t.Errorf("%d %s, want %d %s", r.Status, r.Body, status, title)
	}
}

// TestASubAccountIsVerified: the link leads to a page where a person passes or fails, and what passed stays (sub-accounts 4, KYC URL).
func TestASubAccountIsVerified(t *testing.T) {
	t.Parallel()
	f, id := newVerification(t, true)
	page := f.link(id)
	is(t, "status", f.status(id), "unverified")
	got := f.Get(page)
	shows(t, got, 200, "Verification")
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q", name, got.Header.Get(name))
		}
	}
	if !strings.Contains(got.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Error("the page can be framed")
	}
	refusal := f.says(page, "perhaps")
	if refusal.Status != http.StatusBadRequest {
		t.Errorf("an outcome that there is not: %d %s", refusal.Status, refusal.Body)
	}
	shows(t, f.says(page, "failed"), 200, "Not verified")
	is(t, "status", f.status(id), "unverified")
	shows(t, f.says(page, "passed"), 200, "Verified")
	is(t, "status", f.status(id), "verified")
	shows(t, f.says(page, "failed"), 200, "Verified")
	shows(t, f.Get(page), 200, "Verified")
	if answer := f.Send("DELETE", page, nil, nil); answer.Status != 405 || answer.Header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("%d, allowed is %q", answer.Status, answer.Header.Get("Allow"))
	}
}

// TestLinksToVerificationEnd: after an hour, when the sub-account is blocked, and when it is not what was sealed.
func TestLinksToVerificationEnd(t *testing.T) {
	t.Parallel()
	f, id := newVerification(t, true)
	page := f.link(id)
	f.clock.advance(kyc.Life - 1)
	shows(t, f.Get(page), 200, "Verification")
	f.clock.advance(1)
	shows(t, f.Get(page), 404, "Link not found")
	shows(t, f.says(page, "passed"), 404, "Link not found")
	page = f.link(id)
	shows(t, f.Get(page[:len(page)-2]), 404, "Link not found")
	f.alice.must("sub-account/block", obj{"id": id})
	shows(t, f.says(page, "passed"), 404, "Link not found")
	f.alice.must("sub-account/unblock", obj{"id": id})
	f.set("alice", func(a *schema.Account) { a.Blocked = true })
	shows(t, f.says(page, "passed"), 200, "Link not found")
	f.set("alice", func(a *schema.Account) { a.Blocked = false })
	is(t, "status", f.status(id), "unverified")
}

// TestPeopleOfARealExchangeDoNotVerifyThemselves: operators do.
func TestPeopleOfARealExchangeDoNotVerifyThemselves(t *testing.T) {
	t.Parallel()
	f, id := newVerification(t, false)
	page := f.link(id)
	got := f.Get(page)
	shows(t, got, 200, "Verification")
	if strings.Contains(got.Body, "<form") {
		t.Error("the page has a form")
	}
	if answer := f.says(page, "passed"); answer.Status != 405 || answer.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("%d, allowed is %q", answer.Status, answer.Header.Get("Allow"))
	}
	f.set(id, func(a *schema.Account) { a.Verified = true })
	shows(t, f.Get(page), 200, "Verified")
}

// TestWrongLinksToVerification: who may ask, and for whom (sub-accounts 5).
func TestWrongLinksToVerification(t *testing.T) {
	t.Parallel()
	f, id := newVerification(t, true)
	cannot := func(text string) refusal { return refusal{400, 400, text, obj{}} }
	notYours := broken("id", "validation.exists")
	refuses(t, f.alice.ask("sub-account/kyc-url", nil), broken("id", "The id field is required."))
	refuses(t, f.alice.ask("sub-account/kyc-url", obj{"id": noID}), notYours)
	refuses(t, f.bob.ask("sub-account/kyc-url", obj{"id": id}), refusal{404, 0, "", obj{}})
	f.set("bob", func(a *schema.Account) { a.KYCLinks = true })
	refuses(t, f.bob.ask("sub-account/kyc-url", obj{"id": id}), notYours)
	f.Do(&schema.SetSub{Master: f.account("alice").ID, Alias: "guest", External: "guest", Email: "sealed"})
	refuses(t, f.alice.ask("sub-account/kyc-url", obj{"id": "guest"}), cannot("Account is not confirmed"))
	refuses(t, f.alice.ask("sub-account/kyc-url", obj{"id": f.alice.opens("shares")}), cannot("Sub-account has shared KYC"))
	f.alice.must("sub-account/block", obj{"id": id})
	refuses(t, f.alice.ask("sub-account/kyc-url", obj{"id": id}), cannot("Sub-account is not active"))
	f.alice.must("sub-account/unblock", obj{"id": id})
	f.set(id, func(a *schema.Account) { a.Blocked = true })
	refuses(t, f.alice.ask("sub-account/kyc-url", obj{"id": id}), cannot("Sub-account is not active"))
	stranger := trader{f.Client("nobody", "nothing"), t}
	refuses(t, stranger.ask("sub-account/kyc-url", obj{"id": id}), refusal{401, 0, "Invalid API key, signature, or nonce", obj{}})
	refuses(t, f.masterKey(t, "clerk", "orders").ask("sub-account/kyc-url", obj{"id": id}), notAllowed)
}
