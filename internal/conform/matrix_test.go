package conform_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"bourse/internal/api"
	"bourse/internal/api/table"
	"bourse/internal/conform"
	"bourse/internal/directory"
	"bourse/internal/login"
	"bourse/internal/schema"
	"bourse/internal/ws"
)

// caller is a column of the matrix: somebody who proves who they are in one way, and what happened to them since.
type caller struct {
	name string
	// who is the caller as the doors know it now.
	who func() api.Caller
	// ask calls an operation with the proof of the caller.
	ask func(*api.Operation) conform.Reply
	// socket is the one that the caller authorized, if it could.
	socket *conform.Socket
}

// makeKey makes a key of an account as customers do on their page, with all endpoints that it can have.
func (f family) makeKey(t *testing.T, account schema.AccountID, name string, kind uint8) trader {
	t.Helper()
	sealed := f.Exchange.Node.Key().Seal([]byte(name+"-secret"), directory.Purpose)
	f.Do(&schema.OpenKey{By: account, Account: account, External: name, Key: name + "-key", Sealed: sealed, Type: kind})
	var urls []string
	for _, r := range schema.Rights() {
		if r.Type() <= kind {
			urls = append(urls, r.Path)
		}
	}
	f.Do(&schema.EditKey{By: account, External: name, Enable: urls})
	return f.trader(t, name)
}

// whole is a key of a sub-account with all endpoints that it can have.
func (f family) whole(sub string, kind int) trader {
	var urls []string
	for _, g := range keyGroups {
		if g.kind <= kind {
			urls = append(urls, g.paths...)
		}
	}
	return f.key(sub, kind, urls...).trader
}

// operators makes a key of an account by operators, who give everything.
func (f family) operators(t *testing.T, account, name string) trader {
	t.Helper()
	sealed := f.Exchange.Node.Key().Seal([]byte(name+"-secret"), directory.Purpose)
	f.Do(&schema.SetKey{Key: schema.Key{Key: name + "-key", Account: f.account(account).ID, Sealed: sealed, Enabled: true, URLs: []string{schema.AllURLs}}})
	return f.trader(t, name)
}

// home is where all callers are.
var home = netip.MustParseAddr("127.0.0.1")

// signing is somebody with an API key.
func (f family) signing(name string, key trader) caller {
	return caller{
		name: name,
		who:  func() api.Caller { return f.Exchange.API.Caller(f.Exchange.API.Directory().Key([]byte(key.Key)), home) },
		ask:  func(o *api.Operation) conform.Reply { return key.Post(o.Path, nil) },
	}
}

// bearing is somebody with an access token.
func (f family) bearing(name, token string) caller {
	header := "Bearer " + token
	return caller{
		name: name,
		who: func() api.Caller {
			who, _ := f.Exchange.API.Bearer([]byte(header), home)
			return who
		},
		ask: func(o *api.Operation) conform.Reply {
			return f.Send("POST", o.Path, map[string]string{"Authorization": header, "Content-Type": "application/json"}, []byte("{}"))
		},
	}
}

// signedIn is somebody with a session, who calls what is signed elsewhere by the door for browsers.
func (f family) signedIn(name string, p *visitor) caller {
	asked := 0
	return caller{
		name: name,
		who: func() api.Caller {
			return f.Exchange.API.Caller(f.Exchange.API.Directory().Session(hexDigest(p.cookies["bourse"])), home)
		},
		ask: func(o *api.Operation) conform.Reply {
			asked++
			r, err := http.NewRequest("POST", f.URL+strings.Replace(o.Path, "/api/", "/web/", 1), strings.NewReader("{}"))
			if err != nil {
				p.t.Fatal(err)
			}
			for name, value := range map[string]string{
				"Cookie": "bourse=" + p.cookies["bourse"], "X-Bourse-CSRF": p.csrf, "Sec-Fetch-Site": "same-origin", "Origin": f.URL,
				"Content-Type": "application/json", "Idempotency-Key": fmt.Sprint(asked),
			} {
				r.Header.Set(name, value)
			}
			answer, err := p.client.Do(r)
			if err != nil {
				p.t.Fatal(err)
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				p.t.Fatal(err)
			}
			return conform.Reply{Status: answer.StatusCode, Header: answer.Header, Body: string(body)}
		},
	}
}

// enrols lets somebody have a user for an account, who signs in.
func (f family) enrols(t *testing.T, account string) *visitor {
	t.Helper()
	v := &signInVenue{Venue: f.Venue, t: t, clock: f.clock}
	p := v.person(home.String())
	p.enrol(v.invite(account, account+"@example.com"))
	return p
}

// keyCallers are the columns with an API key that its owner made, or an operator.
func (f family) keyCallers(t *testing.T) []caller {
	t.Helper()
	f.set("alice", func(a *schema.Account) { a.Checker, a.NewAddresses = true, true })
	desk, deposits, blocked, locked := f.alice.opens("desk"), f.alice.opens("deposits"), f.alice.opens("blocked"), f.alice.opens("locked")
	pending := f.alice.invites("pending")
	f.set(deposits, func(a *schema.Account) { a.Deposits = true })
	carol := family{f.depositWorld, f.trader(t, "carol"), f.bob} // a master who confirms
	f.set("carol", func(a *schema.Account) { a.Approvals, a.Partner, a.CreditLine, a.Invoices = true, true, true, true })
	asked := carol.alice.opens("asked")
	f.set("bob", func(a *schema.Account) { a.Region = schema.EU })
	europe := family{f.depositWorld, f.bob, f.alice}
	eu := f.bob.opens("eu")
	keys := []struct {
		name string
		key  trader
	}{
		{"the operators' key of a master", f.alice},
		{"a master's key of type 1", f.makeKey(t, f.account("alice").ID, "one", 1)},
		{"a master's key of type 2", f.makeKey(t, f.account("alice").ID, "two", 2)},
		{"a master who confirms", carol.alice},
		{"a master in Europe", f.bob},
		{"the operators' key of a sub-account", f.operators(t, desk, "desk")},
		{"a sub-account's key of type 1", f.whole(desk, 1)},
		{"a sub-account's key of type 2", f.whole(desk, 2)},
		{"a sub-account's key with one endpoint", f.key(desk, 2, "profile/websocket_token", "orders").trader},
		{"a sub-account with deposits", f.whole(deposits, 2)},
		{"a sub-account whose master confirms", carol.whole(asked, 2)},
		{"a sub-account in Europe", europe.whole(eu, 2)},
		{"a blocked sub-account", f.whole(blocked, 2)},
		{"a locked sub-account", f.whole(locked, 2)},
		{"a blocked master", f.trader(t, "erin")},
	}
	var list []caller
	for _, k := range keys {
		c := f.signing(k.name, k.key)
		c.socket = k.key.Authorized()
		list = append(list, c)
	}
	answers(t, f.alice.ask("sub-account/block", obj{"id": blocked}), obj{})
	f.set(locked, func(a *schema.Account) { a.Blocked = true })
	f.set("erin", func(a *schema.Account) { a.Blocked = true })
	return append(list, f.signing("nobody", f.trader(t, "nobody")), f.signing("a pending sub-account", f.operators(t, pending, "pending")))
}

// peopleCallers are the columns with a session, and with what somebody who is signed in gave a client of OAuth.
func (f family) peopleCallers(t *testing.T) []caller {
	t.Helper()
	f.set("dave", func(a *schema.Account) { a.Verified = true })
	dave := f.enrols(t, "dave")
	seat := family{f.depositWorld, f.trader(t, "dave"), f.bob}.alice.opens("seat")
	bare := f.enrols(t, "bare")
	bare.gets(200, "DELETE", "/web/totp", obj{})
	blocked := f.enrols(t, "gone")
	list := []caller{
		f.signedIn("a session", dave),
		f.signedIn("a session of the user of a sub-account", f.enrols(t, seat)),
		f.signedIn("a session without a second factor", bare),
		f.signing("a key of somebody without a second factor", f.trader(t, "bare")),
		f.signedIn("a session of a blocked account", blocked),
	}
	f.set("gone", func(a *schema.Account) { a.Blocked = true })

	session := f.Exchange.API.Directory().Session(hexDigest(dave.cookies["bourse"]))
	l := &lender{Venue: f.Venue, t: t, clock: f.clock, alice: f.account("dave").ID, session: session.ID, signedIn: session.Created, step: uint64(f.clock.read()/schema.Second)/30 + 1}
	partner := schema.Partner{Client: "tax", Title: "tax", Secret: login.Hash(partnerSecret), URIs: []string{backTo}, Scopes: keyScopes, Addresses: []string{home.String()}, On: true}
	partner.ID = schema.PartnerID(l.Do(&schema.SetPartner{Partner: partner}).ID)
	var urls []string
	for _, r := range schema.Rights() {
		if r.Type() == 1 {
			urls = append(urls, r.Path)
		}
	}
	token := l.issues(urls...)
	issued, _ := l.key()
	key := trader{f.Client(issued.Key, l.secretIn(l.secret(token.Access))), t}
	list = append(list, f.signing("a key of a client of OAuth", key), f.bearing("a token for keys", token.Access))
	for _, scope := range dataScopes {
		reader := partner
		reader.ID, reader.Client, reader.Scopes = 0, scope, []string{scope}
		reader.ID = schema.PartnerID(l.Do(&schema.SetPartner{Partner: reader}).ID)
		list = append(list, f.bearing("a token for "+scope, l.readsFor(scope).Access))
	}
	return append(list, f.bearing("no token", "x"))
}

// TestWhoMayCallWhat calls every operation with every kind of proof, by all doors: what is refused is what api.Allow refuses, in its words. What Allow
// says of whom is written out in its own test.
func TestWhoMayCallWhat(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice", "bob", "carol", "dave", "erin", "bare", "gone")
	f := family{w, w.trader(t, "alice"), w.trader(t, "bob")}
	for _, c := range slices.Concat(f.keyCallers(t), f.peopleCallers(t)) {
		t.Run(c.name, func(t *testing.T) { c.callsAll(t) })
	}
	// Some time later a session has to give its factor again for what moves money out.
	stale := f.enrols(t, "alice")
	f.clock.advance(api.FactorLife)
	t.Run("a session whose factor is old", func(t *testing.T) { f.signedIn("", stale).callsAll(t) })
}

// callsAll asks for everything.
func (c caller) callsAll(t *testing.T) {
	paths := map[string]*api.Operation{}
	allowed := 0
	operations := table.Operations()
	for i := range operations {
		o := &operations[i]
		paths[o.Path] = o
		if o.Auth == api.AuthPublic {
			continue
		}
		who := c.who()
		r := c.ask(o)
		refused := api.Allow(&who, o)
		switch {
		case who.Proof == api.AuthSession && (o.Auth == api.AuthBearer || !strings.HasPrefix(o.Path, "/api/v4/")): // not at this door
			if r.Status != 404 {
				t.Errorf("%s: %d %s", o.Path, r.Status, r.Body)
			}
		case o.Auth == api.AuthSigned && who.Proof == api.AuthBearer: // nothing is signed
			refusesWith(t, r, o, api.ErrNoPayload)
		case refused != nil:
			refusesWith(t, r, o, refused)
		case r.Status == 401 || r.Status == 403 || r.Status == 404 || r.Status == 412 || r.Status >= 500:
			t.Errorf("%s: %d %s", o.Path, r.Status, r.Body)
		default:
			allowed++
		}
	}
	t.Logf("%d operations are allowed", allowed)
	if c.socket == nil {
		return
	}
	who := c.who()
	for name, path := range ws.Rights() {
		if name == "authorize" || name == "cancel_on_disconnect" {
			continue
		}
		refused := api.Allow(&who, paths[path]) != nil
		a := c.socket.Ask(name)
		if got := a.Error != nil && a.Error.Code == 6 && a.Error.Message == "require authentication"; got != refused {
			t.Errorf("%s: %s %+v, refused should be %v", name, a.Result, a.Error, refused)
		}
	}
}

// refusesWith holds an answer to an error, as the operation words it.
func refusesWith(t *testing.T, r conform.Reply, o *api.Operation, e *api.Error) {
	t.Helper()
	e = o.Error(e)
	if o.Auth == api.AuthBearer {
		if want := map[int]string{401: notAuthorized}[e.Status]; r.Status != e.Status || want != "" && r.Body != want {
			t.Errorf("%s: %d %s, should be %d %s", o.Path, r.Status, r.Body, e.Status, want)
		}
		return
	}
	errors := obj{}
	for _, field := range e.Fields {
		maps.Copy(errors, fault(field.Field, field.Texts...))
	}
	refuses(t, r, refusal{e.Status, e.Code, e.Message, errors})
}
