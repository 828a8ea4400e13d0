package oauth

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/identity"
	"bourse/internal/core/product"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

const (
	ada schema.AccountID = schema.FirstCustomer
	ben                  = ada + 1 // has no user
	sub                  = ada + 2 // a sub-account of ada's, with a user
	now                  = 1_790_000_000 * schema.Second
)

func digest(n byte) schema.Digest { return schema.Digest{0: 1, 1: n} }

// people is accounts and users for what clients are given.
func people(t *testing.T) *OAuth {
	t.Helper()
	out := &schema.Outcome{}
	a := accounts.New()
	a.Out = out
	i := identity.New(a, out)
	o := New(a, i, out)
	i.OnFactor = o.EndAll
	var handlers product.Handlers
	for _, p := range []product.Product{a, i, o} {
		p.Commands(&handlers)
	}
	do := func(m schema.Command) {
		t.Helper()
		out.Reset(now)
		if r := handlers[m.Kind()](m); r.Refused() {
			t.Fatalf("%T: %s", m, r.Text())
		}
	}
	do(&schema.SetAccount{Account: schema.Account{Name: "ada", Region: schema.Global, Verified: true}})
	do(&schema.SetAccount{Account: schema.Account{Name: "ben", Region: schema.Global, Verified: true}})
	do(&schema.SetSub{Master: ada, External: "desk", Alias: "desk", ShareKYC: true})
	for n, account := range []schema.AccountID{ada, sub} {
		do(&schema.Invite{Account: account, Digest: digest(byte(n)), Login: digest(byte(n)), Name: []byte{1}})
		do(&schema.Enrol{Digest: digest(byte(n)), Factors: schema.Factors{Password: []byte{1}, TOTP: []byte{1}, Step: 1}, Session: digest(byte(n))})
	}
	return o
}

func issuingClient() schema.Partner {
	return schema.Partner{
		ID: 1, Client: "issuer", Title: "Issuer", Secret: digest(1), URIs: []string{"https://a.example/"}, Scopes: []string{schema.ScopeReadKey},
		Addresses: []string{"192.0.2.1"}, On: true, Created: now,
	}
}

func readingClient() schema.Partner {
	p := issuingClient()
	p.ID, p.Client, p.Scopes = 2, "reader", []string{"general"}
	return p
}

// openGrant is one whose code was not redeemed, issuedGrant one for which a key was issued, and readGrant one with tokens for data.
func openGrant() schema.Grant {
	return schema.Grant{
		Account: ada, Partner: 1, Generation: 1, Code: digest(10), CodeUntil: now + codeLife, Redirect: "https://a.example/", Challenge: digest(11),
		URLs: []string{"/api/v4/orders"}, Created: now,
	}
}

func issuedGrant() schema.Grant {
	g := openGrant()
	g.Spent, g.Access, g.AccessUntil = true, digest(12), now+issuedLife
	return g
}

func readGrant() schema.Grant {
	g := openGrant()
	g.Partner, g.Code, g.Challenge, g.URLs = 2, digest(20), schema.Digest{}, nil
	g.Spent, g.Access, g.AccessUntil = true, digest(22), now+accessLife
	g.Family, g.FamilyUntil, g.Refresh, g.RefreshUntil = digest(23), now+familyLife, digest(24), now+refreshLife
	return g
}

// section is a list of messages as it stands in a snapshot.
func section[T any, M interface {
	*T
	wire.Message
}](list []T) *product.Reader {
	w := &product.Writer{}
	for i := range list {
		w.Message(M(&list[i]))
	}
	w.End()
	return &product.Reader{Rest: w.Bytes, Version: 1}
}

// restore reads clients and grants.
func (o *OAuth) restore(clients []schema.Partner, grants []schema.Grant) error {
	sections := o.Sections()
	if err := sections[0].Read(section(clients)); err != nil {
		return err
	}
	if err := sections[1].Read(section(grants)); err != nil {
		return err
	}
	return o.Verify()
}

func TestGrantsComeBack(t *testing.T) {
	clients := []schema.Partner{issuingClient(), readingClient()}
	for name, grants := range map[string][]schema.Grant{
		"none": nil, "open": {openGrant()}, "issued": {issuedGrant()}, "open and read": {openGrant(), readGrant()}, "issued and read": {issuedGrant(), readGrant()},
	} {
		o := people(t)
		if err := o.restore(clients, grants); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w := &product.Writer{}
		o.writeGrants(w)
		w.End()
		if !bytes.Equal(w.Bytes, section(grants).Rest) {
			t.Errorf("%s: other grants are written than were read", name)
		}
	}
}

// No snapshot brings about what commands refuse.
func TestBrokenClients(t *testing.T) {
	for name, change := range map[string]func([]schema.Partner) []schema.Partner{
		"a number too much":   func(p []schema.Partner) []schema.Partner { p[1].ID = 3; return p },
		"a number twice":      func(p []schema.Partner) []schema.Partner { p[1].ID = 1; return p },
		"an id twice":         func(p []schema.Partner) []schema.Partner { p[1].Client = "issuer"; return p },
		"no secret":           func(p []schema.Partner) []schema.Partner { p[0].Secret = schema.Digest{}; return p },
		"no address":          func(p []schema.Partner) []schema.Partner { p[0].Addresses = nil; return p },
		"an unknown scope":    func(p []schema.Partner) []schema.Partner { p[0].Scopes = []string{"x"}; return p },
		"two URIs, no key":    func(p []schema.Partner) []schema.Partner { p[1].URIs = slices.Repeat(p[1].URIs, 2); return p },
		"a birthday too soon": func(p []schema.Partner) []schema.Partner { p[0].Created = -1; return p },
	} {
		if err := people(t).restore(change([]schema.Partner{issuingClient(), readingClient()}), nil); err == nil {
			t.Errorf("%s: it is restored", name)
		}
	}
}

func TestBrokenGrants(t *testing.T) {
	for name, change := range map[string]func(g []schema.Grant) []schema.Grant{
		"an unknown account":        func(g []schema.Grant) []schema.Grant { g[0].Account = 999; return g[:1] },
		"an account without a user": func(g []schema.Grant) []schema.Grant { g[0].Account = ben; return g[:1] },
		"a sub-account":             func(g []schema.Grant) []schema.Grant { g[0].Account = sub; return g[:1] },
		"an unknown client":         func(g []schema.Grant) []schema.Grant { g[1].Partner = 3; return g },
		"no client":                 func(g []schema.Grant) []schema.Grant { g[0].Partner = 0; return g },
		"another generation":        func(g []schema.Grant) []schema.Grant { g[0].Generation = 2; return g },
		"a client twice":            func(g []schema.Grant) []schema.Grant { g[1].Partner = 1; return g },
		"another order":             func(g []schema.Grant) []schema.Grant { slices.Reverse(g); return g },
		"no code":                   func(g []schema.Grant) []schema.Grant { g[0].Code = schema.Digest{}; return g },
		"a code twice":              func(g []schema.Grant) []schema.Grant { g[1].Code = g[0].Code; return g },
		"a code without an end":     func(g []schema.Grant) []schema.Grant { g[0].CodeUntil = 0; return g },
		"no address":                func(g []schema.Grant) []schema.Grant { g[0].Redirect = ""; return g },
		"a long address": func(g []schema.Grant) []schema.Grant {
			g[0].Redirect = string(make([]byte, schema.MaxRedirect+1))
			return g
		},
		"a key without a challenge": func(g []schema.Grant) []schema.Grant { g[0].Challenge = schema.Digest{}; return g },
		"a URL that is none":        func(g []schema.Grant) []schema.Grant { g[0].URLs = []string{"/x"}; return g },
		"a URL of sub-accounts":     func(g []schema.Grant) []schema.Grant { g[0].URLs = []string{"/api/v4/sub-account/create"}; return g },
		"a URL twice":               func(g []schema.Grant) []schema.Grant { g[0].URLs = slices.Repeat(g[0].URLs, 2); return g },
		"spent without a token":     func(g []schema.Grant) []schema.Grant { g[0].Access, g[0].AccessUntil = schema.Digest{}, 0; return g },
		"a token and not spent":     func(g []schema.Grant) []schema.Grant { g[0].Spent = false; return g },
		"a token without an end":    func(g []schema.Grant) []schema.Grant { g[0].AccessUntil = 0; return g },
		"a token twice":             func(g []schema.Grant) []schema.Grant { g[1].Access = g[0].Access; return g },
		"a family for a key": func(g []schema.Grant) []schema.Grant {
			r := readGrant()
			g[0].Family, g[0].FamilyUntil, g[0].Refresh, g[0].RefreshUntil = digest(30), r.FamilyUntil, r.Refresh, r.RefreshUntil
			return g
		},
		"a family without a token":   func(g []schema.Grant) []schema.Grant { g[1].Refresh, g[1].RefreshUntil = schema.Digest{}, 0; return g },
		"a refresh without a family": func(g []schema.Grant) []schema.Grant { g[1].Family, g[1].FamilyUntil = schema.Digest{}, 0; return g },
		"a family without an end":    func(g []schema.Grant) []schema.Grant { g[1].FamilyUntil = 0; return g },
		"a refresh without an end":   func(g []schema.Grant) []schema.Grant { g[1].RefreshUntil = 0; return g },
		"a family that is not spent": func(g []schema.Grant) []schema.Grant {
			g[1].Spent, g[1].Access, g[1].AccessUntil = false, schema.Digest{}, 0
			return g
		},
		"a moment before all others": func(g []schema.Grant) []schema.Grant { g[0].Created = -1; return g },
		"an end before all others":   func(g []schema.Grant) []schema.Grant { g[0].AccessUntil = -1; return g },
	} {
		if err := people(t).restore([]schema.Partner{issuingClient(), readingClient()}, change([]schema.Grant{issuedGrant(), readGrant()})); err == nil {
			t.Errorf("%s: it is restored", name)
		}
	}
	many := people(t)
	var clients []schema.Partner
	var grants []schema.Grant
	for n := range schema.MaxGrants + 1 {
		p, g := readingClient(), openGrant()
		p.ID, p.Client = schema.PartnerID(n+1), string(rune('a'+n))
		g.Partner, g.Code, g.Challenge, g.URLs = p.ID, digest(byte(100+n)), schema.Digest{}, nil
		clients, grants = append(clients, p), append(grants, g)
	}
	if err := many.restore(clients, grants); err == nil {
		t.Error("an account gave to too many clients")
	}
}

// Keys of clients are as they were issued, and an account has one of a client.
func TestBrokenKeysOfClients(t *testing.T) {
	key := func(n byte) schema.Key {
		name := string(rune('a' + n))
		return schema.Key{
			ID: 10 + schema.KeyID(n), Key: name, External: name, Account: ada, Sealed: []byte{1}, Enabled: true, Type: schema.KeyMoney, Partner: 1,
			URLs: []string{"/api/v4/orders"},
		}
	}
	for name, c := range map[string]struct {
		change func([]schema.Key) []schema.Key
		good   bool
	}{
		"a key":              {func(k []schema.Key) []schema.Key { return k[:1] }, true},
		"a key without URLs": {func(k []schema.Key) []schema.Key { k[0].URLs = nil; return k[:1] }, true},
		"two of a client":    {func(k []schema.Key) []schema.Key { return k }, false},
		"two of two":         {func(k []schema.Key) []schema.Key { k[1].Partner = 2; return k }, true},
		"an unknown client":  {func(k []schema.Key) []schema.Key { k[0].Partner = 3; return k[:1] }, false},
		"another id":         {func(k []schema.Key) []schema.Key { k[0].External = "x"; return k[:1] }, false},
		"no id":              {func(k []schema.Key) []schema.Key { k[0].External = ""; return k[:1] }, false},
		"another type":       {func(k []schema.Key) []schema.Key { k[0].Type = schema.KeyTrading; return k[:1] }, false},
		"of a sub-account":   {func(k []schema.Key) []schema.Key { k[0].Account = sub; return k[:1] }, false},
	} {
		o := people(t)
		o.accounts.SetLastKey(20)
		err := error(nil)
		for _, k := range c.change([]schema.Key{key(0), key(1)}) {
			if r := o.accounts.RestoreKey(accounts.KeyRecord{Key: k}); r.Refused() {
				err = errors.New(r.Text())
			}
		}
		if err == nil {
			err = o.restore([]schema.Partner{issuingClient(), readingClient()}, nil)
		}
		if (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
