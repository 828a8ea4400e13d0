package web_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/login"
	"bourse/internal/schema"
)

// receiver is the server of a customer.
type receiver struct {
	*httptest.Server
	key   atomic.Pointer[string] // that it shows; nil: none
	heard chan *http.Request
	text  chan string
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{heard: make(chan *http.Request, 10), text: make(chan string, 10)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, q *http.Request) {
		switch key := r.key.Load(); {
		case q.URL.Path == "/service-verification" && key != nil:
			fmt.Fprintf(to, "[%q]", *key)
		case q.URL.Path == "/hook":
			body, _ := io.ReadAll(q.Body)
			r.heard <- q
			r.text <- string(body)
		default:
			http.NotFound(to, q)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func TestAWebhookIsMadeVerifiedAndSends(t *testing.T) {
	w, alice := open(t)
	server := receive(t)
	empty := alice.gets(200, "GET", "webhook", nil)
	if empty["webhook"] != nil || len(empty["events"].([]any)) != 14 || empty["events"].([]any)[0] != "code.apply" || len(empty["accounts"].([]any)) != 2 {
		t.Errorf("before: %v", empty)
	}
	alice.refused(404, 0, "", "The account has no webhook.", "POST", "webhook/verify", obj{})
	alice.refused(422, 0, "", "The account has no webhook.", "DELETE", "webhook", obj{})
	const badURL = "The URL of a webhook begins with https://, names a host and no address, port 443 or none, no user and no fragment."
	for _, at := range []string{"", "http://example.com/", "https://192.0.2.1/", "https://example.com:8443/", "https://u@example.com/", "https://example.com/#x"} {
		alice.refused(422, 30, "url", badURL, "POST", "webhook", obj{"url": at})
	}
	alice.refused(422, 30, "events", `There is no event "deposit.lost".`, "POST", "webhook", obj{"url": server.URL + "/hook", "events": []string{"deposit.lost"}})

	made := alice.gets(200, "POST", "webhook", obj{"url": server.URL + "/hook", "events": []string{"code.apply", "deposit.processed"}})
	key, secret := made["key"].(string), made["secret"].(string)
	want := obj{
		"url": server.URL + "/hook", "host": strings.TrimPrefix(server.URL, "http://"), "key": key, "secret": secret, "events": []any{"code.apply", "deposit.processed"},
		"on": true, "verified": false, "checked": 0., "active": false, "paused": false, "waiting": 0.,
	}
	if !reflect.DeepEqual(made, want) || len(key) != 64 || len(secret) != 64 {
		t.Errorf("made %v, want %v", made, want)
	}
	delete(want, "secret") // it is shown once
	if now := alice.gets(200, "GET", "webhook", nil)["webhook"]; !reflect.DeepEqual(now, want) {
		t.Errorf("is %v, want %v", now, want)
	}
	alice.refused(422, 30, "host", "The key was not found: put it into a TXT record of the host, into /service-verification.txt, or into the JSON array that /service-verification answers with.",
		"POST", "webhook/verify", obj{})
	server.key.Store(&key)
	verified := alice.gets(200, "POST", "webhook/verify", obj{})
	want["verified"], want["active"], want["checked"] = true, true, float64(w.time.Load()/1_000_000)
	if !reflect.DeepEqual(verified, want) {
		t.Errorf("verified: %v, want %v", verified, want)
	}

	// Bob applies a code of alice, and her server hears of it.
	w.applies("10")
	heard, body := <-server.heard, <-server.text
	mac := hmac.New(sha512.New, []byte(secret))
	mac.Write([]byte(base64.StdEncoding.EncodeToString([]byte(body))))
	if heard.Header.Get("X-TXC-APIKEY") != key || heard.Header.Get("X-TXC-SIGNATURE") != hex.EncodeToString(mac.Sum(nil)) || !strings.HasPrefix(body, `{"method":"code.apply",`) {
		t.Errorf("heard %v %s", heard.Header, body)
	}
	entry := alice.settled("")
	for _, name := range []string{"happened", "tried", "milliseconds"} {
		if _, is := entry[name].(float64); !is {
			t.Errorf("%s: %v", name, entry)
		}
		delete(entry, name)
	}
	if !reflect.DeepEqual(entry, obj{"n": 1., "event": "code.apply", "outcome": "delivered", "attempts": 1., "status": 200., "due": 0.}) {
		t.Errorf("the log: %v", entry)
	}
	if status, said := alice.sends("GET", "webhook/log?before=1", nil); status != 200 || said != "[]" {
		t.Errorf("before the first: %d %s", status, said)
	}
	alice.refused(422, 30, "before", "It must be the number of an event.", "GET", "webhook/log?before=x", nil)

	// Other events, another path: it stays verified. Another key must be verified again.
	changed := alice.gets(200, "POST", "webhook", obj{"url": server.URL + "/other", "events": []string{}, "on": false})
	if changed["verified"] != true || changed["active"] != false || changed["on"] != false || changed["secret"] != nil || changed["key"] != key || len(changed["events"].([]any)) != 0 {
		t.Errorf("changed: %v", changed)
	}
	rotated := alice.gets(200, "POST", "webhook", obj{"rotate": true, "on": true})
	if rotated["verified"] != false || rotated["key"] == key || len(rotated["secret"].(string)) != 64 || rotated["url"] != server.URL+"/other" {
		t.Errorf("rotated: %v", rotated)
	}
	if err := w.Exchange.Webhooks.Pause(context.Background(), schema.Origin{}, w.account("alice").ID, true); err != nil {
		t.Fatal(err)
	}
	if now := alice.gets(200, "GET", "webhook", nil)["webhook"].(obj); now["paused"] != true {
		t.Errorf("paused: %v", now)
	}
	alice.gets(200, "DELETE", "webhook", obj{})
	if now := alice.gets(200, "GET", "webhook", nil); now["webhook"] != nil {
		t.Errorf("after: %v", now)
	}
}

// applies lets bob apply a code of alice.
func (w *world) applies(amount string) {
	w.t.Helper()
	var made struct{ Code string }
	w.Client("alice-key", "alice-secret").Post("/api/v4/main-account/codes", map[string]any{"ticker": "USDT", "amount": amount}).Read(w.t, &made)
	if reply := w.Client("bob-key", "bob-secret").Post("/api/v4/main-account/codes/apply", map[string]any{"code": made.Code}); reply.Status != 200 {
		w.t.Fatal(reply)
	}
}

// settled waits until the log has what became of the newest event.
func (b *browser) settled(account string) obj {
	b.t.Helper()
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); {
		status, said := b.sends("GET", "webhook/log?account="+account, nil)
		var list []obj
		if err := json.Unmarshal([]byte(said), &list); status != 200 || err != nil {
			b.t.Fatal(status, said)
		}
		if len(list) > 0 && list[0]["outcome"] != "waiting" {
			return list[0]
		}
	}
	b.t.Fatal("the event is not settled")
	return nil
}

func TestWebhooksOfSubAccounts(t *testing.T) {
	w, alice := open(t)
	bob, desk := w.user("bob"), w.user("desk-id")
	made := alice.gets(200, "POST", "webhook", obj{"account": "desk-id", "url": "https://desk.example/hook"})
	if made["url"] != "https://desk.example/hook" || made["secret"] == nil || len(made["events"].([]any)) != 14 {
		t.Errorf("of the desk: %v", made)
	}
	if own := alice.gets(200, "GET", "webhook", nil); own["webhook"] != nil {
		t.Errorf("alice has %v", own)
	}
	for who, path := range map[*browser]string{alice: "webhook?account=desk-id", desk: "webhook"} {
		if now := who.gets(200, "GET", path, nil)["webhook"].(obj); now["key"] != made["key"] || now["secret"] != nil {
			t.Errorf("%s: %v", path, now)
		}
	}
	const unknown = "There is no such sub-account."
	bob.refused(422, 30, "account", unknown, "GET", "webhook?account=desk-id", nil)
	bob.refused(422, 30, "account", unknown, "GET", "webhook/log?account=desk-id", nil)
	for _, path := range []string{"POST webhook", "POST webhook/verify", "DELETE webhook"} {
		method, at, _ := strings.Cut(path, " ")
		bob.refused(422, 30, "account", unknown, method, at, obj{"account": "desk-id", "url": "https://bob.example/"})
	}
	// The core refuses it as well, whatever a door says.
	session := w.Exchange.API.Sessions(w.account("bob").ID)[0].Key.ID
	for i, c := range []schema.Command{
		&schema.SetWebhook{Account: w.desk, Delete: true}, &schema.SetWebhook{Account: w.account("alice").ID, URL: "https://bob.example/", Key: "k", Sealed: []byte{1}},
		&schema.VerifyWebhook{Account: w.desk, Host: "desk.example", Key: made["key"].(string)},
	} {
		var result schema.Result
		err := w.Exchange.Node.SubmitFrom(context.Background(), schema.Origin{Key: session, Once: login.Hash(fmt.Sprint(i))}, c, &result)
		if err != nil || result.Rejection.Reason != schema.SubUnknown {
			t.Errorf("%T: %v, %v", c, result.Rejection, err)
		}
	}
	desk.gets(200, "DELETE", "webhook", obj{})
	alice.refused(422, 0, "", "The account has no webhook.", "DELETE", "webhook", obj{"account": "desk-id"})
}

func TestWebhooksNeedAFreshFactor(t *testing.T) {
	w, alice := open(t)
	alice.gets(200, "POST", "webhook", obj{"url": "https://alice.example/hook"})
	w.stale()
	alice.refused(412, 2, "", needed, "POST", "webhook", obj{"on": false})
	alice.refused(412, 2, "", needed, "DELETE", "webhook", obj{})
	alice.gets(200, "GET", "webhook", nil)
	alice.gets(200, "POST", "session/factor", alice.factor())
	alice.gets(200, "POST", "webhook", obj{"on": false})
}
