package web_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bourse/internal/login"
	"bourse/internal/schema"
)

const (
	balance  = "/api/v4/trade-account/balance"
	orders   = "/api/v4/orders"
	withdraw = "/api/v4/main-account/withdraw"
	codes    = "/api/v4/main-account/codes"
	needed   = "This action needs your second factor again: it was given more than 5 minutes ago."
)

// pair is a key that was made.
type pair struct{ id, key, secret string }

func (b *browser) makes(fields obj) pair {
	b.t.Helper()
	made := b.gets(200, "POST", "keys", fields)
	p := pair{made["id"].(string), made["key"].(string), made["secret"].(string)}
	if len(p.id) != 36 || len(p.key) != 32 || len(p.secret) != 64 {
		b.t.Errorf("made %v", made)
	}
	return p
}

// listed are the keys of an account, by their ids.
func (b *browser) listed(account string) (all obj, keys map[string]obj) {
	b.t.Helper()
	all, keys = b.gets(200, "GET", "keys?account="+account, nil), map[string]obj{}
	for _, k := range all["keys"].([]any) {
		keys[k.(obj)["id"].(string)] = k.(obj)
	}
	return all, keys
}

// calls looks at what a request with a pair is answered with.
func (w *world) calls(p pair, path string, status int, body string) {
	w.t.Helper()
	reply := w.Client(p.key, p.secret).Post(path, nil)
	var said struct {
		Code    *int
		Message string
	}
	if status != 200 {
		reply.Read(w.t, &said)
	}
	if text := fmt.Sprint(said.Message); reply.Status != status || status != 200 && text != body {
		w.t.Errorf("%s: %d %s, want %d %s", path, reply.Status, reply.Body, status, body)
	}
}

const (
	notAllowed = "This API Key is not authorized to perform this action."
	switchedOn = "This action is unauthorized. Enable your key in API settings"
	noSuchKey  = "This action is unauthorized."
)

func TestAKeyIsMadeEditedResetAndDeleted(t *testing.T) {
	w, alice := open(t)
	all, keys := alice.listed("")
	if want := []any{obj{"id": "", "name": "alice"}, obj{"id": "desk-id", "name": "desk"}}; !reflect.DeepEqual(all["accounts"], want) {
		t.Errorf("accounts: %v", all["accounts"])
	}
	if !reflect.DeepEqual(all["types"], []any{1., 2.}) || all["most_keys"] != 50. || all["most_addresses"] != 50. || !reflect.DeepEqual(all["exits"], []any{"withdraw", "codes"}) {
		t.Errorf("what can be: %v", all)
	}
	groups := all["groups"].([]any)
	if first := groups[0].(obj); first["name"] != "trading" || first["title"] != "Trading" || first["type"] != 1. || !slices.Contains(first["urls"].([]any), any(orders)) || len(groups) != 12 {
		t.Errorf("groups: %v", groups)
	}
	if k := keys[""]; k["key"] != "alice-key" || k["editable"] != false || k["deletable"] != false || k["type"] != 0. || k["unseen"] != false {
		t.Errorf("the operators' key: %v", k)
	}

	p := alice.makes(obj{"type": 1, "title": "bot"})
	w.calls(p, balance, 401, notAllowed)
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "enable": []string{balance}})
	w.calls(p, balance, 200, "")
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "title": "robot", "enable": []string{orders}}) // it merges
	w.calls(p, balance, 200, "")
	if _, keys = alice.listed(""); keys[p.id]["title"] != "robot" || !reflect.DeepEqual(keys[p.id]["urls"], []any{balance, orders}) {
		t.Errorf("edited: %v", keys[p.id])
	}
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "disable": []string{balance}})
	w.calls(p, balance, 401, notAllowed)
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "enable": []string{balance}})

	alice.gets(200, "POST", "keys/addresses", obj{"id": p.id, "address": "::ffff:192.0.2.1"})
	w.calls(p, balance, 401, switchedOn)
	_, keys = alice.listed("")
	want := obj{
		"id": p.id, "key": p.key, "title": "robot", "type": 1., "enabled": true, "urls": []any{orders, balance}, "addresses": []any{"192.0.2.1"},
		"editable": true, "deletable": true, "unseen": false, "created": keys[p.id]["created"], "last_used": keys[p.id]["last_used"],
	}
	if !reflect.DeepEqual(keys[p.id], want) {
		t.Errorf("listed %v, want %v", keys[p.id], want)
	}
	alice.refused(400, 5, "", "This IP address is already in allowlist", "POST", "keys/addresses", obj{"id": p.id, "address": "192.0.2.1"})
	alice.refused(400, 0, "ip", "Invalid IP address.", "POST", "keys/addresses", obj{"id": p.id, "address": "192.0.2.0/24"})
	alice.gets(200, "POST", "keys/addresses", obj{"id": p.id, "address": "192.0.2.1", "remove": true})
	alice.refused(400, 5, "", "IP address is not in the allowlist", "POST", "keys/addresses", obj{"id": p.id, "address": "192.0.2.1", "remove": true})

	made := alice.gets(200, "POST", "keys/reset", obj{"id": p.id})
	next := pair{made["id"].(string), made["key"].(string), made["secret"].(string)}
	if next.id != p.id || next.key == p.key || next.secret == p.secret {
		t.Errorf("reset: %v", made)
	}
	w.calls(p, balance, 401, noSuchKey)
	w.calls(next, balance, 200, "")
	if _, keys = alice.listed(""); keys[p.id]["unseen"] != false {
		t.Errorf("what was just shown waits: %v", keys[p.id])
	}

	const restricted = "The following URLs are restricted for this API key: "
	alice.refused(400, 5, "", restricted+withdraw+", /api/v4/none, *", "POST", "keys/edit", obj{"id": p.id, "enable": []string{orders, withdraw, "/api/v4/none", "*"}})
	alice.refused(422, 30, "title", schema.Refuse(schema.KeyTitleInvalid).Text(), "POST", "keys/edit", obj{"id": p.id, "title": "a\nb"})
	alice.refused(422, 30, "title", schema.Refuse(schema.KeyTitleInvalid).Text(), "POST", "keys", obj{"type": 1, "title": "a\nb"})
	alice.refused(400, 5, "", "Type isn't allowed", "POST", "keys", obj{"type": 3})

	alice.gets(200, "DELETE", "keys", obj{"id": p.id})
	w.calls(next, balance, 401, noSuchKey)
	for _, path := range []string{"keys/edit", "keys/addresses", "keys/reset", "keys/secret"} {
		alice.refused(404, 0, "", "There is no such API key.", "POST", path, obj{"id": p.id})
	}
	alice.refused(404, 0, "", "There is no such API key.", "DELETE", "keys", obj{"id": p.id})
}

func TestKeysNeedAFreshFactor(t *testing.T) {
	w, alice := open(t)
	p := alice.makes(obj{"type": 1})
	w.stale()
	for path, body := range map[string]obj{
		"POST keys": {"type": 1}, "POST keys/edit": {"id": p.id, "enable": []string{balance}}, "POST keys/addresses": {"id": p.id, "address": "192.0.2.1"},
		"POST keys/reset": {"id": p.id}, "DELETE keys": {"id": p.id},
	} {
		var method, at string
		fmt.Sscan(path, &method, &at)
		alice.refused(412, 2, "", needed, method, at, body)
	}
	alice.gets(200, "GET", "keys", nil)
	alice.gets(200, "POST", "session/factor", alice.factor())
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "enable": []string{balance}})
	w.stale()
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "disable": []string{balance}, "factor": alice.factor()}) // one that comes along is as good
	w.stale()
	alice.gets(200, "POST", "keys/reset", obj{"id": p.id, "factor": alice.factor()})
	// The core asks for it as well, whatever a door says.
	w.stale()
	id := w.account("alice").ID
	session := w.Exchange.API.Sessions(id)[0].Key.ID
	for _, c := range []schema.Command{
		&schema.OpenKey{By: id}, &schema.EditKey{By: id}, &schema.SetKeyAddress{By: id}, &schema.ResetKey{By: id}, &schema.CloseKey{By: id},
		&schema.PayExpress{Account: id}, &schema.SetWebhook{Account: id},
	} {
		var result schema.Result
		err := w.Exchange.Node.SubmitFrom(context.Background(), schema.Origin{Key: session, Once: login.Hash(fmt.Sprintf("%T", c))}, c, &result)
		if err != nil || result.Rejection.Reason != schema.StepUpNeeded {
			t.Errorf("%T: %v, %v", c, result.Rejection, err)
		}
	}
}

// What lets a key take money out needs a factor in the very request, and so does a pair that can.
func TestMoneyLeavesByAKeyOnlyByAFactor(t *testing.T) {
	_, alice := open(t)
	p := alice.makes(obj{"type": 2})
	for _, path := range []string{withdraw, codes} {
		edit := obj{"id": p.id, "enable": []string{path}}
		alice.refused(412, 2, "", needed, "POST", "keys/edit", edit)
		edit["factor"] = obj{"code": "000000"}
		alice.refused(422, 30, "code", "The code is wrong, or was used already.", "POST", "keys/edit", edit)
		edit["factor"] = alice.factor()
		alice.gets(200, "POST", "keys/edit", edit)
		alice.refused(422, 30, "code", "The code is wrong, or was used already.", "POST", "keys/edit", edit)
	}
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "enable": []string{"/api/v4/main-account/address"}, "disable": []string{codes}})
	alice.refused(412, 2, "", needed, "POST", "keys/reset", obj{"id": p.id})
	alice.gets(200, "POST", "keys/reset", obj{"id": p.id, "factor": alice.factor()})
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "disable": []string{withdraw}})
	alice.gets(200, "POST", "keys/reset", obj{"id": p.id})
}

// An edit switches a key on that was off because nobody used it: what it keeps is enabled by that, and takes the factor that enabling it takes.
func TestAKeyThatTakesMoneyOutWakesOnlyByAFactor(t *testing.T) {
	w, alice := open(t)
	p := alice.makes(obj{"type": 2})
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "enable": []string{balance, withdraw}, "factor": alice.factor()})
	w.Do(&schema.SetFeature{Feature: schema.IdleKeys, On: true})
	sleeps := func() {
		t.Helper()
		for range 2 { // the look at the keys is once an hour
			w.later(15 * 24 * time.Hour)
			w.Do(&schema.Tick{})
		}
		alice.gets(200, "POST", "session", obj{"login": "alice", "password": password, "code": alice.code()})
		if _, keys := alice.listed(""); keys[p.id]["enabled"] != false {
			t.Fatalf("the key is %v", keys[p.id])
		}
	}
	sleeps()
	alice.refused(412, 2, "", needed, "POST", "keys/edit", obj{"id": p.id, "title": "awake"})
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "title": "awake", "factor": alice.factor()})
	w.calls(p, balance, 200, "")
	sleeps()
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "disable": []string{withdraw}})
	w.calls(p, balance, 200, "")
}

func TestKeysOfSubAccounts(t *testing.T) {
	w, alice := open(t)
	bob := w.user("bob")
	p := alice.makes(obj{"account": "desk-id", "type": 2, "title": "desk bot"})
	all, keys := alice.listed("desk-id")
	if k := keys[p.id]; k["title"] != "desk bot" || k["type"] != 2. || k["editable"] != true || len(keys) != 1 {
		t.Errorf("keys of the desk: %v", keys)
	}
	for _, g := range all["groups"].([]any) {
		if name := g.(obj)["name"]; name == "sub_account" || name == "address_checker" {
			t.Errorf("keys of a sub-account can have %v", name)
		}
	}
	alice.refused(400, 5, "", "The following URLs are restricted for this API key: /api/v4/main-account/fiat-deposit-url", "POST", "keys/edit",
		obj{"id": p.id, "enable": []string{"/api/v4/main-account/fiat-deposit-url"}})
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "enable": []string{balance}})
	w.calls(p, balance, 200, "")
	alice.refused(422, 30, "account", "There is no such sub-account.", "GET", "keys?account=other", nil)
	alice.refused(422, 30, "account", "There is no such sub-account.", "POST", "keys", obj{"account": "other", "type": 1})

	// Nobody else has anything to do with them.
	bob.refused(422, 30, "account", "There is no such sub-account.", "GET", "keys?account=desk-id", nil)
	for _, path := range []string{"keys/edit", "keys/addresses", "keys/reset", "keys/secret"} {
		bob.refused(404, 0, "", "There is no such API key.", "POST", path, obj{"id": p.id})
	}
	bob.refused(404, 0, "", "There is no such API key.", "DELETE", "keys", obj{"id": p.id})

	// The user of the sub-account makes keys that cannot move money, and leaves those alone that can.
	desk := w.user("desk-id")
	all, keys = desk.listed("")
	if k := keys[p.id]; !reflect.DeepEqual(all["types"], []any{1.}) || len(all["accounts"].([]any)) != 1 || k["editable"] != false || k["deletable"] != false {
		t.Errorf("the desk sees %v", all)
	}
	desk.refused(400, 5, "", "Type isn't allowed", "POST", "keys", obj{"type": 2})
	const not = "Not permitted for sub-account"
	desk.refused(401, 4, "", not, "POST", "keys/edit", obj{"id": p.id, "enable": []string{orders}})
	desk.refused(401, 4, "", not, "POST", "keys/addresses", obj{"id": p.id, "address": "192.0.2.1"})
	desk.refused(401, 4, "", not, "POST", "keys/reset", obj{"id": p.id})
	desk.refused(401, 4, "", not, "DELETE", "keys", obj{"id": p.id})
	own := desk.makes(obj{"type": 1})
	desk.gets(200, "POST", "keys/edit", obj{"id": own.id, "enable": []string{balance}})
	w.calls(own, balance, 200, "")
	alice.gets(200, "DELETE", "keys", obj{"id": own.id})
	w.calls(own, balance, 401, noSuchKey)
}

// A key that a program reset has a secret that nobody saw: its master's page shows it, once.
func TestASecretThatWasResetIsShownOnce(t *testing.T) {
	w, alice := open(t)
	p := alice.makes(obj{"account": "desk-id", "type": 2})
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "enable": []string{balance, withdraw}, "factor": alice.factor()})
	alice.refused(412, 2, "", needed, "POST", "keys/secret", obj{"id": p.id}) // it is not even said whether one waits
	alice.refused(409, 0, "", "The secret was shown already. Reset the key to have another one.", "POST", "keys/secret", obj{"id": p.id, "factor": alice.factor()})
	if reply := w.Client("alice-key", "alice-secret").Post("/api/v4/sub-account/api-key/reset", map[string]any{"apiKeyId": p.id}); reply.Status != 200 || reply.Body != "{}" {
		t.Fatalf("reset: %+v", reply)
	}
	_, keys := alice.listed("desk-id")
	if keys[p.id]["unseen"] != true || keys[p.id]["key"] == p.key {
		t.Errorf("after the reset: %v", keys[p.id])
	}
	request := obj{"id": p.id, "factor": alice.factor()}
	alice.once = "show"
	status, said := alice.sends("POST", "keys/secret", request)
	alice.once = "show" // the answer was lost on its way
	if again, same := alice.sends("POST", "keys/secret", request); status != 200 || again != 200 || same != said {
		t.Errorf("%d %s, and again %d %s", status, said, again, same)
	}
	var shown pair
	var answer obj
	_ = json.Unmarshal([]byte(said), &answer)
	shown = pair{answer["id"].(string), answer["key"].(string), answer["secret"].(string)}
	if shown.id != p.id || shown.key != keys[p.id]["key"] || len(shown.secret) != 64 {
		t.Errorf("shown %v", answer)
	}
	w.calls(shown, balance, 200, "")
	alice.refused(409, 0, "", "The secret was shown already. Reset the key to have another one.", "POST", "keys/secret", obj{"id": p.id, "factor": alice.factor()})
	if _, keys = alice.listed("desk-id"); keys[p.id]["unseen"] != false {
		t.Errorf("after it was shown: %v", keys[p.id])
	}
	// Whichever door says it, it is said once, and about the pair that is there.
	for _, public := range []string{shown.key, "other"} {
		var result schema.Result
		command := &schema.ResetKey{By: w.account("alice").ID, External: p.id, Key: public, Taken: true}
		if err := w.Exchange.Node.Submit(context.Background(), command, &result); err != nil || result.Rejection.Reason != schema.KeyInvalid {
			t.Errorf("%s: %v, %v", public, result.Rejection, err)
		}
	}
}

// A key that was issued for a program is listed with it, and can be deleted and nothing else.
func TestKeysThatWereIssued(t *testing.T) {
	w, alice := open(t)
	account := *w.account("alice")
	account.Verified = true
	w.Do(&schema.SetAccount{Account: account})
	const secret = "of the partner alone, and not known to anybody else"
	w.Do(&schema.SetPartner{Partner: schema.Partner{
		Client: "tax", Title: "Tax", Secret: login.Hash(secret), URIs: []string{"https://tax.example/back"}, Scopes: []string{schema.ScopeCreateKey}, Addresses: []string{"127.0.0.1"}, On: true,
	}})
	verifier := "a verifier that is long enough to be one, 43 characters"
	verifier = base64.RawURLEncoding.EncodeToString([]byte(verifier))
	digest := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"client_id": {"tax"}, "redirect_uri": {"https://tax.example/back"}, "state": {"s"}, "response_type": {"code"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(digest[:])}, "code_challenge_method": {"S256"},
	}
	shown := alice.gets(200, "POST", "oauth/request", obj{"query": query.Encode()})
	answer := alice.gets(200, "POST", "oauth/approve", obj{"ticket": shown["ticket"], "urls": []string{balance}, "factor": alice.factor()})
	back, err := url.Parse(answer["location"].(string))
	if err != nil {
		t.Fatal(err)
	}
	token, err := http.PostForm(w.URL+"/oauth2/token", url.Values{
		"client_id": {"tax"}, "client_secret": {secret}, "code": {back.Query().Get("code")}, "redirect_uri": {"https://tax.example/back"}, "code_verifier": {verifier},
	})
	if err != nil || token.StatusCode != 200 {
		t.Fatal(token, err)
	}
	token.Body.Close()
	issued, there := w.Exchange.API.Issued(account.ID, 1)
	_, keys := alice.listed("")
	k := keys[issued.External]
	if !there || k["program"] != "Tax" || k["editable"] != false || k["deletable"] != true || k["unseen"] != false ||
		!reflect.DeepEqual(k["addresses"], []any{"127.0.0.1"}) || !reflect.DeepEqual(k["urls"], []any{balance}) || k["enabled"] != true {
		t.Errorf("the issued key: %v", k)
	}
	alice.refused(422, 0, "key", "The key does not exist.", "POST", "keys/edit", obj{"id": issued.External, "enable": []string{orders}})
	alice.refused(422, 0, "key", "The key does not exist.", "POST", "keys/reset", obj{"id": issued.External})
	alice.refused(404, 0, "", "There is no such API key.", "POST", "keys/secret", obj{"id": issued.External})
	alice.refused(422, 0, "key", "The key does not exist.", "POST", "keys/addresses", obj{"id": issued.External, "address": "192.0.2.1"})
	alice.gets(200, "DELETE", "keys", obj{"id": issued.External})
	if _, there := w.Exchange.API.Issued(account.ID, 1); there {
		t.Error("the key is still there")
	}
}

func TestHowManyKeysThereCanBe(t *testing.T) {
	w, alice := open(t)
	id := w.account("alice").ID
	for i := range schema.MaxKeys - 1 { // beside the operators' one
		w.Do(&schema.OpenKey{By: id, Account: id, External: fmt.Sprint("e", i), Key: fmt.Sprint("k", i), Sealed: []byte{1}, Type: 1})
	}
	alice.refused(400, 5, "", "Limit of API keys is reached. Maximum allowed: 50", "POST", "keys", obj{"type": 1})
	for i := range schema.MaxKeyAddresses {
		w.Do(&schema.SetKeyAddress{By: id, External: "e0", Address: fmt.Sprint("192.0.2.", i)})
	}
	alice.refused(400, 5, "", "You have reached the maximum number of allowed IPs: 50", "POST", "keys/addresses", obj{"id": "e0", "address": "192.0.2.99"})
}

func TestWhoMayHaveKeysAtAll(t *testing.T) {
	w, alice := open(t)
	alice.gets(200, "DELETE", "totp", obj{})
	alice.refused(412, 1, "", "This action is unauthorized. Please, enable Two-Factor authentication.", "POST", "keys", obj{"type": 1})
	alice.once = strings.Repeat("x", 129)
	alice.refused(400, 0, "", "The header Idempotency-Key is needed, of 1 to 128 bytes: a new one for each request that is to be done.", "POST", "keys", obj{"type": 1})
	account := *w.account("alice")
	account.Blocked = true
	w.Do(&schema.SetAccount{Account: account})
	const blocked = "This action is unauthorized. The account is blocked."
	alice.refused(401, 2, "", blocked, "GET", "keys", nil)
	alice.refused(401, 2, "", blocked, "POST", "keys", obj{"type": 1})
	alice.refused(401, 2, "", blocked, "GET", "webhook", nil)
	alice.refused(401, 2, "", blocked, "POST", "express", obj{"token": "x"})
	stranger := &browser{t: t, w: w, cookies: map[string]string{}}
	stranger.gets(401, "GET", "keys", nil)
	stranger.gets(401, "POST", "keys", obj{"type": 1})
}
