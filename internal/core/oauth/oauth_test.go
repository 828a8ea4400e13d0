package oauth_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"bourse/internal/core"
	"bourse/internal/schema"
)

const (
	start  = 1_790_000_000 * schema.Second
	minute = 60 * schema.Second
	hour   = 60 * minute
	day    = 24 * hour

	ada = schema.FirstCustomer
	ben = ada + 1

	issuer schema.PartnerID = 1 // has keys issued
	reader schema.PartnerID = 2 // reads data

	back = "https://a.example/back"

	trade    = "/api/v4/trade-account/balance"
	orders   = "/api/v4/orders"
	withdraw = "/api/v4/main-account/withdraw"
	codes    = "/api/v4/main-account/codes"
	subs     = "/api/v4/sub-account/create"
)

// world is an exchange with a client of each flow, and ada and ben, who are verified and signed in by the keys 1 and 2.
type world struct {
	t *testing.T
	*core.Machine
	now  schema.Time
	once int
	step uint64 // of the authenticators
}

func open(t *testing.T) *world {
	w := &world{t: t, Machine: core.NewExchange(), now: start, step: 10}
	for i, name := range []string{"ada", "ben"} {
		w.do(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global, Verified: true}}, schema.OK)
		w.enrol(ada+schema.AccountID(i), i+1, schema.Factors{Password: []byte("hash"), TOTP: []byte("seed"), Step: 10})
	}
	w.do(client(func(p *schema.Partner) {}), schema.OK)
	w.do(client(func(p *schema.Partner) { p.Client, p.Scopes = "reader", []string{"users.orders.read"} }), schema.OK)
	return w
}

// client is the command that makes one that has keys issued, changed.
func client(change func(*schema.Partner)) *schema.SetPartner {
	m := &schema.SetPartner{Partner: schema.Partner{
		Client: "issuer", Title: "Issuer", Secret: digest(1), URIs: []string{back}, Scopes: []string{schema.ScopeCreateKey, schema.ScopeReadKey, schema.ScopeDeleteKey},
		Addresses: []string{"192.0.2.1"}, On: true,
	}}
	change(&m.Partner)
	return m
}

func (w *world) enrol(a schema.AccountID, session int, f schema.Factors) {
	w.t.Helper()
	w.do(&schema.Invite{Account: a, Digest: digest(session + 500), Login: digest(int(a)), Name: []byte("sealed")}, schema.OK)
	w.do(&schema.Enrol{Digest: digest(session + 500), Factors: f, Session: digest(session + 600)}, schema.OK)
}

func digest(n int) schema.Digest { return schema.Digest{0: 1, 1: byte(n), 2: byte(n >> 8)} }

func (w *world) do(cmd schema.Command, want schema.Reason) schema.Result {
	w.t.Helper()
	return w.from(schema.Origin{}, cmd, want)
}

// from lets a command happen now. What is refused changes nothing, and an exchange of a snapshot does the same.
func (w *world) from(o schema.Origin, cmd schema.Command, want schema.Reason) schema.Result {
	w.t.Helper()
	before := w.Snapshot()
	again, err := core.Restore(before)
	if err != nil {
		w.t.Fatal(err)
	}
	got := w.ApplyFrom(w.now, o, cmd).Result
	again.ApplyFrom(w.now, o, cmd)
	if got.Rejection.Reason != want {
		w.t.Fatalf("%T: %v, want %v", cmd, got.Rejection.Reason, want)
	}
	if want != schema.OK && o.Key == 0 && !bytes.Equal(before, w.Snapshot()) {
		w.t.Fatalf("%T was refused and changed something", cmd)
	}
	if w.Hash() != again.Hash() {
		w.t.Fatalf("%T: an exchange of a snapshot is another one after it", cmd)
	}
	if err := w.Verify(); err != nil {
		w.t.Fatal(err)
	}
	return got
}

// approve is the approval of a client by ada, now, with a code.
func (w *world) approve(p schema.PartnerID, code int, urls ...string) *schema.AuthorizePartner {
	m := &schema.AuthorizePartner{Account: ada, Partner: p, Code: digest(code), Redirect: back, URLs: urls, Since: start}
	if p == issuer {
		m.Challenge = digest(900)
	}
	return m
}

// factor lets one be given in a session.
func (w *world) factor(session schema.KeyID) {
	w.t.Helper()
	w.step++
	w.do(&schema.StepUp{Key: session, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: w.step}}, schema.OK)
}

// approves lets ada or ben approve by a factor.
func (w *world) approves(m *schema.AuthorizePartner, want schema.Reason) schema.Result {
	w.t.Helper()
	w.factor(schema.KeyID(m.Account-ada) + 1)
	w.once++
	return w.from(schema.Origin{Key: schema.KeyID(m.Account-ada) + 1, Once: digest(20_000 + w.once)}, m, want)
}

// redeem is a code that comes back from a client; what it gets is numbered by the code.
func redeem(p schema.PartnerID, code int) *schema.RedeemGrant {
	m := &schema.RedeemGrant{Partner: p, Code: digest(code), Access: digest(code + 1000)}
	if p == issuer {
		m.Challenge, m.External, m.Sealed = digest(900), fmt.Sprintf("key-%d", code), []byte("sealed")
	} else {
		m.Family, m.Refresh = digest(code+2000), digest(code+3000)
	}
	return m
}

// redeems redeems a code and says what became of it.
func (w *world) redeems(m *schema.RedeemGrant, want schema.GrantOutcome) {
	w.t.Helper()
	if got := w.do(m, schema.OK).Grant; got != want {
		w.t.Fatalf("the code is %v, want %v", got, want)
	}
}

// grant is what ada gave a client, or nil.
func (w *world) grant(p schema.PartnerID) *schema.Grant {
	for _, g := range w.OAuth().Grants(ada) {
		if g.Partner == p {
			return g
		}
	}
	return nil
}

// key is the key that ada has for a client, or nil.
func (w *world) key(p schema.PartnerID) *schema.Key { return w.keyOf(ada, p) }

func (w *world) keyOf(a schema.AccountID, p schema.PartnerID) *schema.Key {
	for _, r := range w.Accounts().KeysOf(a) {
		if r.Key.Partner == p {
			return &r.Key
		}
	}
	return nil
}

// has holds what ada gave a client to what is expected.
func (w *world) has(p schema.PartnerID, grant, key bool) {
	w.t.Helper()
	if (w.grant(p) != nil) != grant || (w.key(p) != nil) != key {
		w.t.Errorf("grant %v, key %v; want %v, %v", w.grant(p), w.key(p), grant, key)
	}
}

// issued is a world in which ada has a key of the issuer, whose secret was not fetched; the code was 1.
func issued(t *testing.T) *world {
	w := open(t)
	w.approves(w.approve(issuer, 1, trade, orders), schema.OK)
	w.redeems(redeem(issuer, 1), schema.GrantRedeemed)
	return w
}

// reading is a world in which the reader has tokens of ada; the code was 1.
func reading(t *testing.T) *world {
	w := open(t)
	w.approves(w.approve(reader, 1), schema.OK)
	w.redeems(redeem(reader, 1), schema.GrantRedeemed)
	return w
}

func TestSettingsOfClients(t *testing.T) {
	w := open(t)
	for name, change := range map[string]func(*schema.Partner){
		"an id that is taken":     func(p *schema.Partner) { p.Client = "issuer" },
		"no id":                   func(p *schema.Partner) { p.Client = "" },
		"a long id":               func(p *schema.Partner) { p.Client = text(101) },
		"no title":                func(p *schema.Partner) { p.Title = "" },
		"a long title":            func(p *schema.Partner) { p.Title = text(101) },
		"no secret":               func(p *schema.Partner) { p.Secret = schema.Digest{} },
		"no URI":                  func(p *schema.Partner) { p.URIs = nil },
		"an empty URI":            func(p *schema.Partner) { p.URIs = []string{""} },
		"a long URI":              func(p *schema.Partner) { p.URIs = []string{text(2001)} },
		"too many URIs":           func(p *schema.Partner) { p.URIs = times(21, back) },
		"two URIs and no keys":    func(p *schema.Partner) { p.URIs, p.Scopes = times(2, back), []string{"general"} },
		"no scope":                func(p *schema.Partner) { p.Scopes = nil },
		"an unknown scope":        func(p *schema.Partner) { p.Scopes = []string{"users.write"} },
		"a scope twice":           func(p *schema.Partner) { p.Scopes = times(2, "general") },
		"no address":              func(p *schema.Partner) { p.Addresses = nil },
		"too many addresses":      func(p *schema.Partner) { p.Addresses = times(51, "192.0.2.1") },
		"an address with a zone":  func(p *schema.Partner) { p.Addresses = []string{"fe80::1%eth0"} },
		"an address that is none": func(p *schema.Partner) { p.Addresses = []string{"192.0.2.0/24"} },
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			w.do(client(func(p *schema.Partner) { p.Client = "other"; change(p) }), schema.PartnerInvalid)
		})
	}
	w.t = t
	w.do(client(func(p *schema.Partner) { p.ID = 9 }), schema.PartnerUnknown)
	if id := w.do(client(func(p *schema.Partner) {
		p.Client, p.Title, p.URIs, p.Addresses, p.Scopes = text(100), text(100), times(20, text(2000)), times(50, "2001:db8::1"), slices.Clone(schema.Scopes)
	}), schema.OK).ID; id != 3 {
		t.Errorf("the new client is %d", id)
	}
}

func text(n int) string { return string(bytes.Repeat([]byte{'x'}, n)) }

func times(n int, text string) []string { return slices.Repeat([]string{text}, n) }

// A client keeps its id and its birthday, and its secret if it gets no other; its scopes only become fewer.
func TestClientsChange(t *testing.T) {
	w := open(t)
	w.now += minute
	change := func(edit func(*schema.Partner)) *schema.SetPartner {
		return client(func(p *schema.Partner) { p.ID, p.Client, p.Secret = issuer, "ignored", schema.Digest{}; edit(p) })
	}
	w.do(change(func(p *schema.Partner) { p.Scopes = append(p.Scopes, "general") }), schema.PartnerInvalid)
	w.do(change(func(p *schema.Partner) { p.Title, p.On, p.Scopes = "Another", false, p.Scopes[:2] }), schema.OK)
	if p := w.OAuth().Partner(issuer); p.Client != "issuer" || p.Secret != digest(1) || p.Created != start || p.Title != "Another" || p.On || len(p.Scopes) != 2 {
		t.Errorf("the client is %+v", p)
	}
	w.do(change(func(p *schema.Partner) {}), schema.PartnerInvalid) // the third scope does not come back
	w.do(change(func(p *schema.Partner) { p.Scopes, p.Secret = p.Scopes[:1], digest(2) }), schema.OK)
	if p := w.OAuth().Partner(issuer); p.Secret != digest(2) || !p.On {
		t.Errorf("the client is %+v", p)
	}
}

func TestThereAreOnlySoManyClients(t *testing.T) {
	w := open(t)
	for n := len(w.OAuth().Partners()); n < schema.MaxPartners; n++ { // without looking each time
		if r := w.Apply(w.now, client(func(p *schema.Partner) { p.Client = fmt.Sprint(n) })); r.Result.Rejection.Refused() {
			t.Fatal(r.Result.Rejection.Text())
		}
	}
	w.do(client(func(p *schema.Partner) { p.Client = "one more" }), schema.PartnerInvalid)
	w.do(client(func(p *schema.Partner) { p.ID, p.Title = issuer, "Another" }), schema.OK)
}

func TestWhoMayApprove(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*world, *schema.AuthorizePartner)
		want   schema.Reason
	}{
		"nothing wrong":            {func(*world, *schema.AuthorizePartner) {}, schema.OK},
		"another account":          {func(_ *world, m *schema.AuthorizePartner) { m.Account = ben }, schema.KeyNotAllowed},
		"a factor of before":       {func(_ *world, m *schema.AuthorizePartner) { m.Since = start + 1 }, schema.StepUpNeeded},
		"a factor of long ago":     {func(w *world, _ *schema.AuthorizePartner) { w.now += 5 * minute }, schema.StepUpNeeded},
		"no moment":                {func(_ *world, m *schema.AuthorizePartner) { m.Since = 0 }, schema.StepUpNeeded},
		"no client":                {func(_ *world, m *schema.AuthorizePartner) { m.Partner = 0 }, schema.PartnerUnknown},
		"an unknown client":        {func(_ *world, m *schema.AuthorizePartner) { m.Partner = 9 }, schema.PartnerUnknown},
		"a client that is off":     {func(w *world, _ *schema.AuthorizePartner) { w.off(issuer) }, schema.PartnerUnknown},
		"another address":          {func(_ *world, m *schema.AuthorizePartner) { m.Redirect += "/" }, schema.PartnerUnknown},
		"no address":               {func(_ *world, m *schema.AuthorizePartner) { m.Redirect = "" }, schema.PartnerUnknown},
		"no code":                  {func(_ *world, m *schema.AuthorizePartner) { m.Code = schema.Digest{} }, schema.GrantInvalid},
		"no challenge":             {func(_ *world, m *schema.AuthorizePartner) { m.Challenge = schema.Digest{} }, schema.GrantInvalid},
		"a code that is known":     {func(w *world, _ *schema.AuthorizePartner) { w.approves(w.approve(reader, 1), schema.OK); w.factor(1) }, schema.GrantInvalid},
		"a factor for another":     {func(w *world, _ *schema.AuthorizePartner) { w.approves(w.approve(reader, 2), schema.OK) }, schema.StepUpNeeded},
		"URLs for a reader":        {func(_ *world, m *schema.AuthorizePartner) { m.Partner = reader }, schema.GrantInvalid},
		"a blocked account":        {func(w *world, _ *schema.AuthorizePartner) { w.account(func(a *schema.Account) { a.Blocked = true }) }, schema.AccountBlocked},
		"no KYC":                   {func(w *world, _ *schema.AuthorizePartner) { w.account(func(a *schema.Account) { a.Verified = false }) }, schema.NotVerified},
		"a URL that is none":       {func(_ *world, m *schema.AuthorizePartner) { m.URLs = []string{"/api/v4/public/ping"} }, schema.KeyURLsInvalid},
		"all URLs":                 {func(_ *world, m *schema.AuthorizePartner) { m.URLs = []string{schema.AllURLs} }, schema.KeyURLsInvalid},
		"a URL of sub-accounts":    {func(_ *world, m *schema.AuthorizePartner) { m.URLs = []string{subs} }, schema.KeyURLsInvalid},
		"a URL twice":              {func(_ *world, m *schema.AuthorizePartner) { m.URLs = []string{trade, trade} }, schema.KeyURLsInvalid},
		"more URLs than there are": {func(_ *world, m *schema.AuthorizePartner) { m.URLs = times(len(schema.Rights())+1, trade) }, schema.KeyURLsInvalid},
		"no URL":                   {func(_ *world, m *schema.AuthorizePartner) { m.URLs = nil }, schema.OK},
		"withdrawals":              {func(_ *world, m *schema.AuthorizePartner) { m.URLs = []string{withdraw, codes} }, schema.OK},
		"50 keys": {func(w *world, _ *schema.AuthorizePartner) {
			for n := range schema.MaxKeys {
				w.do(&schema.OpenKey{By: ada, Account: ada, External: fmt.Sprint(n), Key: fmt.Sprint(n), Sealed: []byte{1}, Type: schema.KeyTrading}, schema.OK)
			}
		}, schema.KeysTooMany},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			m := w.approve(issuer, 1, trade)
			c.change(w, m)
			w.from(schema.Origin{Key: 1, Once: digest(30_000)}, m, c.want)
			if w.do(&schema.Tick{}, schema.OK); c.want != schema.OK && w.grant(issuer) != nil {
				t.Error("there is a grant")
			}
		})
	}
	t.Run("no session", func(t *testing.T) {
		w := open(t)
		w.do(w.approve(issuer, 1), schema.SessionUnknown)
	})
	t.Run("an API key", func(t *testing.T) {
		w := open(t)
		w.do(&schema.SetKey{Key: schema.Key{Key: "k", Account: ada, Sealed: []byte{1}, Enabled: true, URLs: []string{schema.AllURLs}}}, schema.OK)
		w.from(schema.Origin{Key: 3, Nonce: 1}, w.approve(issuer, 1), schema.SessionUnknown)
	})
	t.Run("a user without a second factor", func(t *testing.T) {
		w := open(t)
		id := w.do(&schema.SetFactor{Key: 1, Generation: 1, Change: schema.RemoveTOTP, Session: digest(800)}, schema.OK).ID
		w.from(schema.Origin{Key: schema.KeyID(id), Once: digest(2)}, w.approve(reader, 1), schema.FactorMissing)
	})
	t.Run("the button of a demo", func(t *testing.T) {
		w := open(t)
		w.do(&schema.SetAccount{Account: schema.Account{Name: "cyd", Region: schema.Global, Verified: true}}, schema.OK)
		id := w.do(&schema.SignIn{Account: ben + 1, Proof: schema.Proof{Kind: schema.ByDemo}, Session: digest(77)}, schema.OK).ID
		m := w.approve(issuer, 1)
		m.Account = ben + 1
		w.from(schema.Origin{Key: schema.KeyID(id), Once: digest(30_000)}, m, schema.SessionUnknown)
	})
}

// One factor lets one client in, whatever the clock does: each is newer than the one before, also while the clock stands still.
func TestOneFactorLetsOneClientIn(t *testing.T) {
	w := open(t)
	authAt := func() schema.Time { return w.Accounts().Session(1).AuthAt }
	by := func(once int) schema.Origin { return schema.Origin{Key: 1, Once: digest(once)} }
	tickets := []*schema.AuthorizePartner{w.approve(issuer, 1), w.approve(reader, 2)} // both were shown before the factor
	for _, m := range tickets {
		m.Since = authAt() + 1
		w.from(by(30_000+int(m.Partner)), m, schema.StepUpNeeded)
	}
	if w.factor(1); authAt() != start+1 {
		t.Errorf("the factor is of %d, want %d", authAt(), start+1)
	}
	w.from(by(30_010), w.approve(issuer, 1, subs), schema.KeyURLsInvalid) // what was refused used nothing up
	w.from(by(30_011), tickets[0], schema.OK)
	w.from(by(30_012), tickets[1], schema.StepUpNeeded)
	w.do(&schema.RevokePartner{Account: ada, Partner: issuer, Whole: true}, schema.OK) // nor does the end of a grant give the factor back
	w.from(by(30_013), tickets[1], schema.StepUpNeeded)
	if w.factor(1); authAt() != start+2 {
		t.Errorf("the factor is of %d, want %d", authAt(), start+2)
	}
	w.from(by(30_014), tickets[1], schema.OK)
	// The session that a change of a factor begins has the factor of the one before, used up or not.
	w.do(&schema.SetFactor{Key: 1, Generation: 1, Change: schema.ChangePassword, Factors: schema.Factors{Password: []byte("other")}, Session: digest(800)}, schema.OK)
	w.from(schema.Origin{Key: 3, Once: digest(1)}, w.approve(issuer, 3), schema.StepUpNeeded)
	w.now += minute
	w.do(&schema.StepUp{Key: 3, Generation: 2, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 20}}, schema.OK)
	if at := w.Accounts().Session(3).AuthAt; at != w.now {
		t.Errorf("the factor is of %d, want %d", at, w.now)
	}
	w.from(schema.Origin{Key: 3, Once: digest(2)}, w.approve(issuer, 3), schema.OK)
}

// off switches a client off.
func (w *world) off(id schema.PartnerID) {
	w.t.Helper()
	p := *w.OAuth().Partner(id)
	p.On = false
	w.do(&schema.SetPartner{Partner: p}, schema.OK)
}

// account changes ada's.
func (w *world) account(change func(*schema.Account)) {
	w.t.Helper()
	a := *w.Accounts().Get(ada)
	change(&a)
	w.do(&schema.SetAccount{Account: a}, schema.OK)
}

// Sub-accounts give nothing, also if they have users of their own.
func TestSubAccountsApproveNothing(t *testing.T) {
	w := open(t)
	w.do(&schema.SetSub{Master: ada, External: "desk", Alias: "desk", ShareKYC: true, Spot: true}, schema.OK)
	desk := ben + 1
	w.enrol(desk, 3, schema.Factors{Password: []byte("hash"), TOTP: []byte("seed"), Step: 10})
	m := w.approve(reader, 1)
	m.Account = desk
	w.from(schema.Origin{Key: 3, Once: digest(1)}, m, schema.SubNotPermitted)
}

// After a change of a factor nothing leaves for three days: no client gets what money leaves by, either.
func TestExitsWaitAfterAChangeOfAFactor(t *testing.T) {
	for url, want := range map[string]schema.Reason{trade: schema.OK, withdraw: schema.Restricted, codes: schema.Restricted} {
		w := open(t)
		w.account(func(a *schema.Account) { a.RestrictedUntil = start + 3*day })
		w.now += 3*day - 1
		step := &schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 11}}
		w.do(&schema.SignIn{User: 1, Generation: 1, Proof: step.Proof, Session: digest(700)}, schema.OK)
		m := w.approve(issuer, 1, url)
		m.Since = w.now
		w.from(schema.Origin{Key: 3, Once: digest(1)}, m, want)
		if w.now++; want != schema.OK {
			m.Since = w.now - 1
			w.from(schema.Origin{Key: 3, Once: digest(2)}, m, schema.OK)
		}
		w.redeems(redeem(issuer, 1), schema.GrantRedeemed)
	}
}

// What is asked at the approval is asked again when the code comes back, and the code still counts when it is right again.
func TestRedeemingAsksAgain(t *testing.T) {
	for name, c := range map[string]struct {
		spoil, mend func(*world)
		want        schema.Reason
	}{
		"no KYC": {
			func(w *world) { w.account(func(a *schema.Account) { a.Verified = false }) },
			func(w *world) { w.account(func(a *schema.Account) { a.Verified = true }) }, schema.NotVerified,
		},
		"restricted": {
			func(w *world) { w.account(func(a *schema.Account) { a.RestrictedUntil = w.now + hour }) },
			func(w *world) { w.account(func(a *schema.Account) { a.RestrictedUntil = 0 }) }, schema.Restricted,
		},
		"too many keys": {
			func(w *world) {
				for n := range schema.MaxKeys {
					w.do(&schema.OpenKey{By: ada, Account: ada, External: fmt.Sprint(n), Key: fmt.Sprint(n), Sealed: []byte{1}, Type: schema.KeyTrading}, schema.OK)
				}
			},
			func(w *world) { w.do(&schema.CloseKey{By: ada, External: "7"}, schema.OK) }, schema.KeysTooMany,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			w.approves(w.approve(issuer, 1, withdraw), schema.OK)
			c.spoil(w)
			w.do(redeem(issuer, 1), c.want)
			w.has(issuer, true, false)
			c.mend(w)
			w.redeems(redeem(issuer, 1), schema.GrantRedeemed)
			w.has(issuer, true, true)
		})
	}
}

func TestWhatACodeGives(t *testing.T) {
	w := issued(t)
	if g := w.grant(issuer); !g.Spent || g.Access != digest(1001) || g.AccessUntil != start+4*hour || !g.Family.IsZero() || !g.Refresh.IsZero() || g.Generation != 1 {
		t.Errorf("the grant is %+v", g)
	}
	k := w.key(issuer)
	if k.Key != "key-1" || k.External != "key-1" || k.Account != ada || k.Title != "Issuer" || !k.Enabled || k.Type != schema.KeyMoney || k.SecretTaken ||
		!slices.Equal(k.URLs, []string{trade, orders}) || k.Addresses != nil || k.Web {
		t.Errorf("the key is %+v", k)
	}
	w = reading(t)
	if g := w.grant(reader); !g.Spent || g.AccessUntil != start+300*schema.Second || g.Family != digest(2001) || g.FamilyUntil != start+30*day ||
		g.Refresh != digest(3001) || g.RefreshUntil != start+600*schema.Second {
		t.Errorf("the grant is %+v", g)
	}
	w.has(reader, true, false)
}

func TestHowCodesEnd(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*world, *schema.RedeemGrant)
		refused schema.Reason
		outcome schema.GrantOutcome
		left    bool // the grant
	}{
		"in the last moment":    {func(w *world, _ *schema.RedeemGrant) { w.now += 60*schema.Second - 1 }, schema.OK, schema.GrantRedeemed, true},
		"after a minute":        {func(w *world, _ *schema.RedeemGrant) { w.now += 60 * schema.Second }, schema.GrantUnknown, 0, true},
		"another code":          {func(_ *world, m *schema.RedeemGrant) { m.Code = digest(2) }, schema.GrantUnknown, 0, true},
		"no code":               {func(_ *world, m *schema.RedeemGrant) { m.Code = schema.Digest{} }, schema.GrantUnknown, 0, true},
		"an unknown client":     {func(_ *world, m *schema.RedeemGrant) { m.Partner = 9 }, schema.PartnerUnknown, 0, true},
		"a client that is off":  {func(w *world, _ *schema.RedeemGrant) { w.off(issuer) }, schema.PartnerUnknown, 0, true},
		"another client":        {func(_ *world, m *schema.RedeemGrant) { m.Partner = reader }, schema.OK, schema.GrantBurned, false},
		"another address":       {func(_ *world, m *schema.RedeemGrant) { m.Redirect = back + "/" }, schema.OK, schema.GrantBurned, false},
		"its address":           {func(_ *world, m *schema.RedeemGrant) { m.Redirect = back }, schema.OK, schema.GrantRedeemed, true},
		"another verifier":      {func(_ *world, m *schema.RedeemGrant) { m.Challenge = digest(901) }, schema.OK, schema.GrantBurned, false},
		"no verifier":           {func(_ *world, m *schema.RedeemGrant) { m.Challenge = schema.Digest{} }, schema.OK, schema.GrantBurned, false},
		"no token":              {func(_ *world, m *schema.RedeemGrant) { m.Access = schema.Digest{} }, schema.GrantInvalid, 0, true},
		"no id of the key":      {func(_ *world, m *schema.RedeemGrant) { m.External = "" }, schema.GrantInvalid, 0, true},
		"no secret of the key":  {func(_ *world, m *schema.RedeemGrant) { m.Sealed = nil }, schema.GrantInvalid, 0, true},
		"a key that is known":   {func(w *world, m *schema.RedeemGrant) { w.other(m.External) }, schema.GrantInvalid, 0, true},
		"a token that is known": {func(w *world, m *schema.RedeemGrant) { m.Access = w.token() }, schema.GrantInvalid, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			w.approves(w.approve(issuer, 1, trade), schema.OK)
			m := redeem(issuer, 1)
			c.change(w, m)
			if got := w.do(m, c.refused).Grant; got != c.outcome {
				t.Errorf("the outcome is %v, want %v", got, c.outcome)
			}
			w.has(issuer, c.left, c.outcome == schema.GrantRedeemed)
			if c.outcome == schema.GrantBurned {
				w.do(redeem(issuer, 1), schema.GrantUnknown) // it is over for its own client, too
			}
		})
	}
}

// other makes a key of ben's with a public part.
func (w *world) other(public string) {
	w.do(&schema.OpenKey{By: ben, Account: ben, External: public, Key: public, Sealed: []byte{1}, Type: schema.KeyTrading}, schema.OK)
}

// token is the access token that the reader has of ada.
func (w *world) token() schema.Digest {
	w.approves(w.approve(reader, 50), schema.OK)
	w.redeems(redeem(reader, 50), schema.GrantRedeemed)
	return digest(1050)
}

// Of a reader without PKCE a verifier is refused, and what it lacks for its tokens, too.
func TestCodesOfReaders(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*schema.RedeemGrant)
		refused schema.Reason
		outcome schema.GrantOutcome
	}{
		"a verifier that nobody announced": {func(m *schema.RedeemGrant) { m.Challenge = digest(900) }, schema.OK, schema.GrantBurned},
		"no family":                        {func(m *schema.RedeemGrant) { m.Family = schema.Digest{} }, schema.GrantInvalid, 0},
		"no refresh token":                 {func(m *schema.RedeemGrant) { m.Refresh = schema.Digest{} }, schema.GrantInvalid, 0},
		"nothing wrong":                    {func(*schema.RedeemGrant) {}, schema.OK, schema.GrantRedeemed},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			w.approves(w.approve(reader, 1), schema.OK)
			m := redeem(reader, 1)
			c.change(m)
			if got := w.do(m, c.refused).Grant; got != c.outcome {
				t.Errorf("the outcome is %v, want %v", got, c.outcome)
			}
		})
	}
	w := reading(t)
	m := w.approve(reader, 2)
	m.Account = ben
	w.approves(m, schema.OK)
	same := redeem(reader, 2)
	same.Family = digest(2001) // ada's
	w.do(same, schema.GrantInvalid)
}

// A code that comes again ends the token, and the key unless its secret was fetched.
func TestACodeThatComesAgain(t *testing.T) {
	w := issued(t)
	w.now += 10 * minute // also long after it was good
	w.redeems(redeem(issuer, 1), schema.GrantReplayed)
	w.has(issuer, false, false)
	w.do(redeem(issuer, 1), schema.GrantUnknown)

	w = issued(t)
	w.redeems(redeem(reader, 1), schema.GrantReplayed) // another client has it: somebody saw it
	w.has(issuer, false, false)

	w = issued(t)
	w.do(take(1), schema.OK)
	w.redeems(redeem(issuer, 1), schema.GrantReplayed)
	w.has(issuer, false, true)

	w = reading(t)
	w.redeems(redeem(reader, 1), schema.GrantReplayed)
	w.has(reader, false, false)
	w.do(refresh(1, 2), schema.GrantUnknown)
}

// refresh is a refresh token that comes back; what is given for it is numbered.
func refresh(token, next int) *schema.RefreshGrant {
	return &schema.RefreshGrant{Partner: reader, Family: digest(2001), Token: digest(token + 3000), Access: digest(next + 1000), Refresh: digest(next + 3000)}
}
