package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"bourse/internal/archive"
	"bourse/internal/core"
	"bourse/internal/exchange"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// program is a client of OAuth to which alice, who is verified, can give keys.
func (w *world) program(name string) {
	w.t.Helper()
	alice := *w.account("alice")
	alice.Verified = true
	w.Do(&schema.SetAccount{Account: alice})
	w.Do(&schema.SetPartner{Partner: schema.Partner{
		Client: name, Title: name, Secret: login.Hash(name), URIs: []string{"https://" + name + ".example/back"}, Scopes: []string{schema.ScopeReadKey, schema.ScopeDeleteKey},
		Addresses: []string{"127.0.0.1"}, On: true,
	}})
}

// asked is the ticket for the request of a client.
func (b *browser) asked(client string) obj {
	b.t.Helper()
	query := url.Values{
		"client_id": {client}, "redirect_uri": {"https://" + client + ".example/back"}, "state": {"s"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}
	shown := b.gets(200, "POST", "oauth/request", obj{"query": query.Encode()})
	if shown["title"] != client || shown["problem"] != nil {
		b.t.Fatalf("shown: %v", shown)
	}
	return obj{"ticket": shown["ticket"], "urls": []string{balance}}
}

// approves approves a ticket by a code, and is what the client is sent.
func (b *browser) approves(ticket obj, code string) string {
	b.t.Helper()
	ticket["factor"] = obj{"code": code}
	defer delete(ticket, "factor")
	return b.sentBack(b.gets(200, "POST", "oauth/approve", ticket), "code")
}

// redeems is the access token that a client gets for a code.
func (w *world) redeems(client, code string) string {
	w.t.Helper()
	answer, err := http.PostForm(w.URL+"/oauth2/token", url.Values{
		"client_id": {client}, "client_secret": {client}, "code": {code}, "code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct {
		Data struct {
			Token string `json:"access_token"`
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || answer.StatusCode != 200 {
		w.t.Fatal(answer.Status, err)
	}
	return got.Data.Token
}

// sentBack holds where a browser goes next to what it must carry.
func (b *browser) sentBack(answer obj, parameter string) string {
	b.t.Helper()
	at, err := url.Parse(answer["location"].(string))
	if err != nil || at.Path != "/back" || at.Query().Get(parameter) == "" {
		b.t.Fatalf("sent to %v: %v", answer, err)
	}
	return at.Query().Get(parameter)
}

// grants is how many clients alice lets in.
func (w *world) grants() (n int) {
	w.Exchange.Node.Read(func(m core.View) { n = len(m.OAuth().Grants(w.account("alice").ID)) })
	return n
}

const wrongCode = "The code is wrong, or was used already."

func TestOneFactorAnswersOneTicket(t *testing.T) {
	w, alice := open(t)
	w.program("tax")
	w.program("bots")
	one, two := alice.asked("tax"), alice.asked("bots")
	alice.refused(412, 2, "", needed, "POST", "oauth/approve", one)
	alice.gets(200, "POST", "session/factor", alice.factor())
	alice.refused(412, 2, "", needed, "POST", "oauth/approve", one) // that was for something else
	alice.refused(412, 2, "", needed, "POST", "oauth/approve", two)
	one["factor"] = obj{"code": "000000"}
	alice.refused(422, 30, "code", wrongCode, "POST", "oauth/approve", one)
	one["factor"] = alice.factor()
	alice.once = "one"
	code := alice.sentBack(alice.gets(200, "POST", "oauth/approve", one), "code")
	alice.once = "one"
	if again := alice.sentBack(alice.gets(200, "POST", "oauth/approve", one), "code"); again != code {
		t.Errorf("the same request was answered otherwise: %s, %s", again, code)
	}
	alice.refused(412, 2, "", needed, "POST", "oauth/approve", two)
	two["factor"] = one["factor"]
	alice.refused(422, 30, "code", wrongCode, "POST", "oauth/approve", two)
	if n := w.grants(); n != 1 {
		t.Errorf("%d clients were let in by one factor", n)
	}
	alice.approves(two, alice.code())
	if n := w.grants(); n != 2 {
		t.Errorf("%d clients were let in by two factors", n)
	}
}

// The clock of the door need not be that of the log: a factor of before does not count, one of after does.
func TestApprovalsWhileClocksDiffer(t *testing.T) {
	w, alice := open(t)
	w.program("tax")
	w.program("bots")
	// Into the middle of a step of authenticators.
	w.later(45*time.Second - time.Duration(w.time.Load()%30_000_000)*time.Microsecond)
	alice.gets(200, "GET", "session", nil) // the log heard of the session
	w.later(30 * time.Second)
	ahead := alice.asked("tax")
	w.later(-30 * time.Second)
	alice.refused(412, 2, "", needed, "POST", "oauth/approve", ahead)
	alice.approves(ahead, alice.codeIn(0))

	w.later(31 * time.Second)
	alice.gets(200, "POST", "session/factor", obj{"code": alice.codeIn(0)})
	w.later(-30 * time.Second)
	behind := alice.asked("bots")
	alice.refused(412, 2, "", needed, "POST", "oauth/approve", behind)
	w.later(29 * time.Second) // and still behind the log, where no time passed
	alice.approves(behind, alice.codeIn(31*time.Second))
	if n := w.grants(); n != 2 {
		t.Errorf("%d clients were let in", n)
	}
}

// During maintenance nobody is let in, as nothing could be redeemed; what is denied and ended is.
func TestApprovalsDuringMaintenance(t *testing.T) {
	w, alice := open(t)
	w.program("tax")
	w.program("bots")
	alice.approves(alice.asked("tax"), alice.code())
	ticket := alice.asked("bots")
	w.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance, On: true})
	ticket["factor"] = alice.factor()
	alice.gets(503, "POST", "oauth/approve", ticket)
	if got := alice.sentBack(alice.gets(200, "POST", "oauth/deny", ticket), "error"); got != "access_denied" {
		t.Errorf("denied: %s", got)
	}
	alice.gets(200, "DELETE", "oauth/grants", obj{"client": "tax"})
	if n := w.grants(); n != 0 {
		t.Errorf("%d clients are let in", n)
	}
	w.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance})
	alice.approves(ticket, alice.code())
}

// A session that the log knows to be over ends nothing, though the door takes it for one that lives.
func TestSessionsThatAreOverEndNothing(t *testing.T) {
	w, alice := open(t)
	w.program("tax")
	alice.approves(alice.asked("tax"), alice.code())
	w.later(24*time.Hour - time.Minute)
	other := &browser{t: t, w: w, cookies: map[string]string{}, secret: alice.secret}
	other.gets(200, "POST", "session", obj{"login": "alice", "password": password, "code": other.code()})
	w.later(time.Hour) // after the last use of the first session a day is over
	const over = "The session is over. Please sign in again."
	alice.refused(401, 0, "", over, "DELETE", "oauth/grants", obj{"client": "tax"})
	alice.refused(401, 0, "", over, "DELETE", "sessions", obj{})
	if shown := other.gets(200, "GET", "session", nil); shown["signed_in"] != true || w.grants() != 1 {
		t.Errorf("the other session: %v, %d grants", shown, w.grants())
	}
	alice.gets(200, "DELETE", "session", obj{}) // it is over in any case
	other.gets(200, "DELETE", "oauth/grants", obj{"client": "tax"})
	other.gets(200, "DELETE", "sessions", obj{})
	other.gets(200, "DELETE", "session", obj{})
	if shown := other.gets(200, "GET", "session", nil); shown["signed_in"] != false || w.grants() != 0 {
		t.Errorf("after the end: %v, %d grants", shown, w.grants())
	}
}

// Who deletes a key that was issued names it in the log, and the token or the session by which that is asked: another key may have been issued
// by the time that the log has the request.
func TestDeletionsNameTheirKey(t *testing.T) {
	dir := ""
	w := openWith(t, func(o *exchange.Options) { dir = o.Node.Journal.Dir })
	alice := w.user("alice")
	w.program("tax")
	account := w.account("alice").ID
	token := w.redeems("tax", alice.approves(alice.asked("tax"), alice.code()))
	first, _ := w.Exchange.API.Issued(account, 1)
	r, err := http.NewRequest("DELETE", w.URL+"/oauth2/api-key/"+first.External, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != 200 {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	w.redeems("tax", alice.approves(alice.asked("tax"), alice.code()))
	second, _ := w.Exchange.API.Issued(account, 1)
	alice.gets(200, "DELETE", "keys", obj{"id": second.External})
	w.Close()

	a, err := archive.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var export strings.Builder
	if _, err := a.Export(t.Context(), &export); err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(export.String()) {
		if strings.Contains(line, `"revoke_partner"`) {
			found = append(found, line)
		}
	}
	if len(found) != 2 || !strings.Contains(found[0], `"external":"`+first.External+`","token":"`) || !strings.Contains(found[1], `"external":"`+second.External+`"`) ||
		strings.Contains(found[1], `"token"`) || !strings.Contains(found[1], `"once"`) {
		t.Errorf("the log has %q", found)
	}
}

// button is the cookie of a session of bob that a button began.
func (w *world) button() string {
	w.t.Helper()
	cookie := login.Random()
	w.Do(&schema.SignIn{Account: w.account("bob").ID, Proof: schema.Proof{Kind: schema.ByDemo}, Session: login.Hash(cookie)})
	return cookie
}

// A session of a button counts where the button is: not when the data are served without it, and not from afar.
func TestSessionsOfButtonsCountWhereTheyAre(t *testing.T) {
	w, _ := open(t)
	bob := &browser{t: t, w: w, cookies: map[string]string{"bourse": w.button()}}
	if shown := bob.gets(200, "GET", "session", nil); shown["signed_in"] != false {
		t.Errorf("where there is no button: %v", shown)
	}
	bob.gets(401, "GET", "keys", nil)
}

func TestSessionsOfButtonsInADemo(t *testing.T) {
	w := openWith(t, func(o *exchange.Options) {
		o.Guests = func() []byte { return []byte(`[{"Name":"bob"}]`) }
		o.WebURL = "https://bourse.example"
	})
	cookie := w.button()
	for host, want := range map[string]bool{"127.0.0.1": true, "bourse.example": false} {
		r, err := http.NewRequest("GET", w.URL+"/web/session", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.AddCookie(&http.Cookie{Name: "__Host-bourse", Value: cookie})
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body := new(strings.Builder)
		if err := answer.Write(body); err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if got := strings.Contains(body.String(), `"signed_in":true,"account":"bob"`); got != want || answer.StatusCode != 200 {
			t.Errorf("at %s: %s", host, body)
		}
	}
}
