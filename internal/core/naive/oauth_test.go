package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

const (
	bots   schema.PartnerID = 1 // has keys issued
	charts schema.PartnerID = 2 // reads data
)

func partner(client string, scopes ...string) schema.Partner {
	return schema.Partner{
		Client: client, Title: client + " title", Secret: digest(1), URIs: []string{"https://" + client}, Scopes: scopes,
		Addresses: []string{"10.0.0.1"}, On: true,
	}
}

// newClients is a world in which anna, who is verified, is signed in with key 1, and two clients ask for something.
func newClients(t *testing.T) *visitors {
	w := enrolled(t)
	w.must(w.sets(anna, func(a *schema.Account) { a.Verified = true }))
	w.must(&schema.SetPartner{Partner: partner("bots", "apikeys.create", "apikeys.read", "apikeys.delete")})
	w.must(&schema.SetPartner{Partner: partner("charts", "general", "users.orders.read")})
	return w
}

func (w *visitors) approves(p schema.PartnerID, code int, urls ...string) *schema.AuthorizePartner {
	return &schema.AuthorizePartner{
		Account: anna, Partner: p, Code: digest(code), Redirect: w.oauth.partner(p).URIs[0], Challenge: digest(9), URLs: urls,
		Since: w.accounts.key(1).AuthAt,
	}
}

// consents approves by the session with key 1, with a factor that is given for it if one was used up.
func (w *visitors) consents(c *schema.AuthorizePartner, want schema.Reason) {
	w.t.Helper()
	w.asked++
	if k := w.accounts.key(1); k.allowed == k.AuthAt {
		w.fresh()
	}
	w.sends(once(w.asked), c, want)
}

func redeems(p schema.PartnerID, code int) *schema.RedeemGrant {
	return &schema.RedeemGrant{
		Partner: p, Code: digest(code), Challenge: digest(9), Access: digest(3000 + code), Family: digest(4000 + code), Refresh: digest(5000 + code),
		External: "external" + string(rune('a'+code)), Sealed: []byte("s"),
	}
}

// switches is a client on or off.
func (w *visitors) switches(p schema.PartnerID, on bool) *schema.SetPartner {
	set := *w.oauth.partner(p)
	set.On = on
	return &schema.SetPartner{Partner: set}
}

func (w *visitors) grants(want schema.GrantOutcome, c schema.Command) schema.Result {
	w.t.Helper()
	result := w.must(c)
	if result.Grant != want {
		w.t.Errorf("%T: %s, want %s", c, result.Grant, want)
	}
	return result
}

func TestPartners(t *testing.T) {
	w := newClients(t)
	other := func(change func(*schema.Partner)) *schema.SetPartner {
		p := partner("third", "general")
		change(&p)
		return &schema.SetPartner{Partner: p}
	}
	w.refused(because(schema.PartnerUnknown), other(func(p *schema.Partner) { p.ID = 3 }))
	for name, change := range map[string]func(*schema.Partner){
		"client":    func(p *schema.Partner) { p.Client = "" },
		"taken":     func(p *schema.Partner) { p.Client = "bots" },
		"title":     func(p *schema.Partner) { p.Title = string(make([]byte, 101)) },
		"secret":    func(p *schema.Partner) { p.Secret = schema.Digest{} },
		"no uri":    func(p *schema.Partner) { p.URIs = nil },
		"two uris":  func(p *schema.Partner) { p.URIs = []string{"https://a", "https://b"} },
		"scope":     func(p *schema.Partner) { p.Scopes = []string{"all"} },
		"twice":     func(p *schema.Partner) { p.Scopes = []string{"general", "general"} },
		"zone":      func(p *schema.Partner) { p.Addresses = []string{"fe80::1%eth0"} },
		"no scope":  func(p *schema.Partner) { p.Scopes = nil },
		"addresses": func(p *schema.Partner) { p.Addresses = nil },
		"host":      func(p *schema.Partner) { p.Addresses = []string{"host"} },
	} {
		t.Run(name, func(*testing.T) { w.refused(because(schema.PartnerInvalid), other(change)) })
	}
	fewer := partner("charts", "general")
	fewer.ID, fewer.Secret, fewer.On = charts, schema.Digest{}, false
	w.must(&schema.SetPartner{Partner: fewer})
	if p := w.Partners()[1]; p.Secret != digest(1) || p.On || len(p.Scopes) != 1 || p.Created == w.time {
		t.Errorf("the client is %+v", p)
	}
	fewer.Scopes = []string{"general", "users.orders.read"}
	w.refused(because(schema.PartnerInvalid), &schema.SetPartner{Partner: fewer})
}

func TestConsent(t *testing.T) {
	w := newClients(t)
	const withdraw = "/api/v4/main-account/withdraw"
	w.refused(because(schema.SessionUnknown), w.approves(charts, 1))
	w.consents(with(w.approves(charts, 1), func(c *schema.AuthorizePartner) { c.Account = 9 }), schema.SessionUnknown)
	w.consents(with(w.approves(charts, 1), func(c *schema.AuthorizePartner) { c.Partner = 9 }), schema.PartnerUnknown)
	w.consents(with(w.approves(charts, 1), func(c *schema.AuthorizePartner) { c.Redirect += "/" }), schema.PartnerUnknown)
	w.consents(with(w.approves(charts, 1), func(c *schema.AuthorizePartner) { c.Since++ }), schema.StepUpNeeded)
	w.consents(with(w.approves(charts, 1), func(c *schema.AuthorizePartner) { c.Account = ben }), schema.SessionUnknown)
	w.consents(with(w.approves(charts, 1), func(c *schema.AuthorizePartner) { c.Code = schema.Digest{} }), schema.GrantInvalid)
	w.consents(w.approves(charts, 1, "/api/v4/orders"), schema.GrantInvalid)
	w.consents(with(w.approves(bots, 1), func(c *schema.AuthorizePartner) { c.Challenge = schema.Digest{} }), schema.GrantInvalid)
	w.consents(w.approves(bots, 1, "*"), schema.KeyURLsInvalid)
	w.consents(w.approves(bots, 1, "/api/v4/sub-account/create"), schema.KeyURLsInvalid)
	w.must(w.sets(anna, func(a *schema.Account) { a.Verified = false }))
	w.consents(w.approves(bots, 1), schema.NotVerified)
	w.must(w.sets(anna, func(a *schema.Account) { a.Verified, a.RestrictedUntil = true, w.time+hour }))
	w.consents(w.approves(bots, 1, withdraw), schema.Restricted)
	w.consents(w.approves(bots, 1, withdraw, withdraw), schema.KeyURLsInvalid)
	w.consents(w.approves(bots, 1, "/api/v4/orders"), schema.OK)
	g := w.Grants()[0]
	if g.CodeUntil != w.time+60*second || g.Generation != 1 || g.Created != w.time || !slices.Equal(g.URLs, []string{"/api/v4/orders"}) {
		t.Errorf("the grant is %+v", g)
	}
	w.consents(w.approves(bots, 1), schema.GrantInvalid) // there is one with this code
	w.consents(w.approves(bots, 2), schema.OK)
	if got := w.Grants(); len(got) != 1 || got[0].Code != digest(2) {
		t.Errorf("the grants are %+v", got)
	}
	w.sends(once(97), w.approves(charts, 3), schema.StepUpNeeded) // the factor was for the one before
	w.fresh()
	w.later(5*minute - 1)
	w.sends(once(98), w.approves(charts, 3), schema.OK)
	w.fresh()
	w.later(5 * minute)
	w.sends(once(99), w.approves(charts, 4), schema.StepUpNeeded)
	w.must(&schema.SetFactor{Key: w.fresh(), Generation: 1, Change: schema.RemoveTOTP, Session: digest(1001)})
	from := schema.Origin{Key: w.accounts.lastKey, Once: digest(1)}
	w.sends(from, &schema.AuthorizePartner{Account: anna, Partner: charts, Code: digest(3), Redirect: "https://charts", Since: 1}, schema.FactorMissing)
}

// fresh lets the session with key 1 have a factor given.
func (w *visitors) fresh() schema.KeyID {
	w.t.Helper()
	w.signs(schema.SignedIn, &schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: w.Users()[0].Step + 1}})
	return 1
}

func TestKeyIsIssued(t *testing.T) {
	w := newClients(t)
	w.consents(w.approves(bots, 1, "/api/v4/orders"), schema.OK)
	if len(w.accounts.keysOf(anna)) != 1 {
		t.Error("there is a key before the code is redeemed")
	}
	w.refused(because(schema.PartnerUnknown), redeems(9, 1))
	w.refused(because(schema.GrantUnknown), redeems(bots, 2))
	w.refused(because(schema.GrantInvalid), with(redeems(bots, 1), func(c *schema.RedeemGrant) { c.Sealed = nil }))
	w.grants(schema.GrantRedeemed, redeems(bots, 1))
	k, g := w.accounts.external("externalb"), w.Grants()[0]
	if k.Key.Key != "externalb" || k.Partner != bots || k.SecretTaken || !slices.Equal(k.URLs, []string{"/api/v4/orders"}) || g.AccessUntil != w.time+4*hour || g.Refresh != (schema.Digest{}) {
		t.Errorf("the key is %+v, the grant %+v", k.Key, g)
	}
	first := w.time
	w.sends(schema.Origin{Key: k.ID, Nonce: 1, Op: 13}, &schema.Tick{}, schema.OK)
	w.sends(schema.Origin{Key: k.ID, Nonce: 2, Op: 1}, &schema.Tick{}, schema.KeyNotAllowed)
	w.must(w.switches(bots, false))
	w.sends(schema.Origin{Key: k.ID, Nonce: 3}, &schema.Tick{}, schema.KeyRefused)
	w.must(w.switches(bots, true))
	w.sends(schema.Origin{Key: k.ID, Nonce: 3}, &schema.Tick{}, schema.OK)
	w.refused(because(schema.KeyUnknown), &schema.CloseKey{By: anna, External: "externalb"})
	w.consents(w.approves(bots, 2), schema.OK) // its secret was never taken
	w.grants(schema.GrantRedeemed, redeems(bots, 2))
	if w.accounts.external("externalb") != nil {
		t.Error("the key was not replaced")
	}
	take := &schema.TakeSecret{Account: anna, Partner: bots, External: "externalc", Token: digest(3002)}
	w.refused(because(schema.KeyUnknown), &schema.TakeSecret{Account: anna, Partner: bots, External: "externalb", Token: digest(3002)})
	w.refused(because(schema.GrantUnknown), &schema.TakeSecret{Account: anna, Partner: charts, External: "externalc", Token: digest(3002)})
	w.refused(because(schema.GrantUnknown), &schema.TakeSecret{Account: anna, Partner: bots, External: "externalc", Token: digest(3001)})
	w.refused(because(schema.GrantUnknown), &schema.TakeSecret{Account: anna, Partner: bots, External: "externalc"})
	w.must(take)
	w.refused(because(schema.SecretTaken), take)
	w.consents(w.approves(bots, 3), schema.PartnerKeyExists)
	w.must(w.switches(bots, false))
	w.refused(because(schema.PartnerUnknown), take)
	w.must(w.switches(bots, true))
	w.grants(schema.GrantReplayed, redeems(charts, 2)) // by whom it comes does not matter
	if w.accounts.external("externalc") == nil || len(w.Grants()) != 0 {
		t.Error("a key whose secret was taken ended with its token")
	}
	if first+60*second < w.time {
		t.Error("the code was over")
	}
	revoke := &schema.RevokePartner{Account: anna, Partner: bots, External: "externalc"}
	w.refused(because(schema.KeyUnknown), &schema.RevokePartner{Account: anna, Partner: bots, External: "externalb"})
	w.refused(because(schema.GrantUnknown), &schema.RevokePartner{Account: anna, Partner: bots, External: "externalc", Token: digest(3002)}) // it is over
	w.must(revoke)
	w.refused(because(schema.KeyUnknown), revoke)
	w.refused(because(schema.GrantUnknown), &schema.RevokePartner{Account: anna, Partner: bots})
	w.refused(because(schema.GrantUnknown), &schema.RevokePartner{Account: anna, Partner: bots, Whole: true})
}

func TestFiftyKeysWithThoseIssued(t *testing.T) {
	w := newClients(t)
	opens := func(n int) *schema.OpenKey {
		return &schema.OpenKey{By: anna, Account: anna, External: string(rune('A' + n)), Key: "k" + string(rune('A'+n)), Sealed: []byte("s"), Type: tradingKey}
	}
	for n := range 49 {
		w.must(opens(n))
	}
	w.consents(w.approves(bots, 1), schema.OK)
	w.grants(schema.GrantRedeemed, redeems(bots, 1))
	w.refused(about(schema.KeysTooMany, whole(50)), opens(50))
	w.consents(w.approves(bots, 2), schema.OK)
	w.grants(schema.GrantRedeemed, redeems(bots, 2)) // in the place of the other
	w.must(&schema.RevokePartner{Account: anna, Partner: bots, Whole: true})
	w.consents(w.approves(bots, 3), schema.OK)
	w.must(opens(50))
	w.refused(about(schema.KeysTooMany, whole(50)), redeems(bots, 3))
	w.consents(w.approves(bots, 4), schema.KeysTooMany)
}

func TestCodesAreBurned(t *testing.T) {
	w := newClients(t)
	for i, broken := range []*schema.RedeemGrant{
		with(redeems(charts, 1), func(c *schema.RedeemGrant) { c.Partner = bots }),
		with(redeems(charts, 2), func(c *schema.RedeemGrant) { c.Redirect = "https://charts/" }),
		with(redeems(charts, 3), func(c *schema.RedeemGrant) { c.Challenge = digest(8) }),
		with(redeems(charts, 4), func(c *schema.RedeemGrant) { c.Challenge = schema.Digest{} }),
	} {
		w.consents(w.approves(charts, 1+i), schema.OK)
		w.grants(schema.GrantBurned, broken)
		w.refused(because(schema.GrantUnknown), redeems(charts, 1+i))
	}
	plain := w.approves(charts, 5)
	plain.Challenge = schema.Digest{}
	w.consents(plain, schema.OK)
	w.grants(schema.GrantBurned, redeems(charts, 5)) // a verifier where there was no challenge
	w.consents(w.approves(charts, 6), schema.OK)
	w.later(60 * second)
	w.refused(because(schema.GrantUnknown), redeems(charts, 6))
	w.consents(w.approves(charts, 7), schema.OK)
	w.later(60*second - 1)
	w.grants(schema.GrantRedeemed, with(redeems(charts, 7), func(c *schema.RedeemGrant) { c.Redirect = "https://charts" }))
	g := w.Grants()[0]
	if g.AccessUntil != w.time+300*second || g.RefreshUntil != w.time+600*second || g.FamilyUntil != w.time+30*24*hour {
		t.Errorf("the grant is %+v", g)
	}
}

func TestRefresh(t *testing.T) {
	w := newClients(t)
	w.consents(w.approves(charts, 1), schema.OK)
	w.grants(schema.GrantRedeemed, redeems(charts, 1))
	born := w.time
	refresh := func(n int) *schema.RefreshGrant {
		return &schema.RefreshGrant{Partner: charts, Family: digest(4001), Token: digest(5000 + n), Access: digest(6001 + n), Refresh: digest(5001 + n)}
	}
	w.refused(because(schema.GrantUnknown), with(refresh(1), func(c *schema.RefreshGrant) { c.Family = digest(1) }))
	w.refused(because(schema.GrantUnknown), with(refresh(1), func(c *schema.RefreshGrant) { c.Partner = bots }))
	w.refused(because(schema.GrantInvalid), with(refresh(1), func(c *schema.RefreshGrant) { c.Access = schema.Digest{} }))
	for n := 1; w.time+599*second < born+30*24*hour; n++ {
		w.later(599 * second)
		w.grants(schema.GrantRedeemed, refresh(n))
		if n == 2 {
			if g := w.Grants()[0]; g.AccessUntil != w.time+300*second || g.RefreshUntil != w.time+600*second || g.Access != digest(6003) || g.FamilyUntil != born+30*24*hour {
				t.Errorf("the grant is %+v", g)
			}
		}
	}
	g := w.Grants()[0]
	if g.AccessUntil != born+30*24*hour {
		t.Errorf("the grant is %+v", g)
	}
	w.time = born + 30*24*hour - 1
	w.refused(because(schema.GrantUnknown), &schema.RefreshGrant{Partner: charts, Family: digest(4001), Token: g.Refresh, Access: digest(1), Refresh: digest(2)})
	w.must(&schema.Tick{})
	w.consents(w.reborn(2), schema.OK)
	w.grants(schema.GrantRedeemed, redeems(charts, 2))
	again := with(refresh(2), func(c *schema.RefreshGrant) { c.Family = digest(4002) })
	w.grants(schema.GrantRedeemed, again)
	again.Access, again.Refresh = digest(1), digest(2)
	w.grants(schema.GrantReplayed, again)
	w.refused(because(schema.GrantUnknown), again)
}

// reborn signs in once more, so that there is a session of key 1 again, and approves the client that reads data.
func (w *visitors) reborn(code int) *schema.AuthorizePartner {
	w.t.Helper()
	w.signs(schema.SignedIn, byCode(1, w.Users()[0].Step+1, 1500))
	k := w.accounts.key(w.accounts.lastKey)
	k.ID = 1
	return w.approves(charts, code)
}

// TestWhatEndsClients: a change of a factor, a reset, a block and a deletion end all that the clients of an account have, but not hand-made keys.
func TestWhatEndsClients(t *testing.T) {
	for name, end := range map[string]func(w *visitors){
		"factor": func(w *visitors) {
			w.must(&schema.SetFactor{Key: 1, Generation: 1, Change: schema.ChangePassword, Factors: schema.Factors{Password: []byte("o")}, Session: digest(1001)})
		},
		"reset": func(w *visitors) { w.must(invites(anna, 2)); w.must(enrols(2, 1001)) },
		"block": func(w *visitors) { w.must(w.sets(anna, func(a *schema.Account) { a.Blocked = true })) },
		"revoke": func(w *visitors) {
			w.must(&schema.RevokePartner{Account: anna, Partner: bots, Whole: true})
			w.must(&schema.RevokePartner{Account: anna, Partner: charts, Whole: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newClients(t)
			w.key("mine", anna, true)
			w.consents(w.approves(bots, 1), schema.OK)
			w.grants(schema.GrantRedeemed, redeems(bots, 1))
			w.consents(w.approves(charts, 2), schema.OK)
			end(w)
			if len(w.Grants()) != 0 || w.accounts.external("externalb") != nil || w.accounts.public("mine") == nil {
				t.Errorf("there are %+v and %+v", w.Grants(), w.Keys())
			}
		})
	}
}

func TestTwentyGrants(t *testing.T) {
	w := newClients(t)
	for n := range 21 {
		client := "c" + string(rune('a'+n))
		w.must(&schema.SetPartner{Partner: partner(client, "general")})
		want := schema.OK
		if n == 20 {
			want = schema.GrantsTooMany
		}
		w.consents(w.approves(charts+1+schema.PartnerID(n), 100+n), want)
	}
	w.consents(w.approves(charts+1, 200), schema.OK)
}
