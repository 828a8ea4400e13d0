package directory

import (
	"net/netip"
	"testing"

	"bourse/internal/schema"
)

var home, away = netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")

// A key that was issued for a client can be used as long as the client is on, from its addresses of the moment.
func TestIssuedKeysFollowTheirClient(t *testing.T) {
	n, do := open(t)
	d := Follow(n, func(schema.KeyID) {})
	set := schema.Partner{
		Client: "tax", Title: "Tax", Secret: schema.Digest{1}, URIs: []string{"https://tax.example/back"}, Scopes: []string{schema.ScopeReadKey},
		Addresses: []string{home.String()}, On: true,
	}
	set.ID = schema.PartnerID(do(&schema.SetPartner{Partner: set}))
	key := d.KeyOf(schema.Key{ID: 7, Key: "k", Enabled: true, Partner: set.ID})
	off := d.KeyOf(schema.Key{ID: 8, Key: "o", Partner: set.ID})
	if !key.On() || off.On() || !key.From(home) || key.From(away) {
		t.Errorf("on %v, off %v", key.On(), off.On())
	}
	set.Addresses = []string{"::ffff:" + away.String()}
	do(&schema.SetPartner{Partner: set})
	if !key.On() || key.From(home) || !key.From(away) {
		t.Error("the addresses are not those of the client")
	}
	set.On = false
	do(&schema.SetPartner{Partner: set})
	if key.On() || d.PartnerByClient("tax").On || d.Partner(set.ID).Title != "Tax" {
		t.Error("the client is off, and its key is not")
	}
	if stray := d.KeyOf(schema.Key{Key: "s", Enabled: true, Partner: 99}); stray.On() || stray.From(home) {
		t.Error("a key of a client that there is not can be used")
	}
	if again := Follow(n, func(schema.KeyID) {}); again.PartnerByClient("tax").On || !again.Partner(set.ID).From(away) || again.PartnerByClient("x") != nil || again.Partner(9) != nil {
		t.Error("a directory that came later does not know the client")
	}
}

// Grants are found by the access token that counts, and by no earlier one.
func TestGrantsAreFoundByTheirToken(t *testing.T) {
	p := newPartners()
	d := &Directory{partners: p}
	grant := schema.Grant{Account: 101, Partner: 1, Code: schema.Digest{1}}
	p.grant(grant, false)
	if d.Token(schema.Digest{}) != nil {
		t.Error("a grant without a token is found by none")
	}
	first, second := schema.Digest{2}, schema.Digest{3}
	grant.Access = first
	p.grant(grant, false)
	if g := d.Token(first); g == nil || g.Account != 101 {
		t.Errorf("found %+v", g)
	}
	grant.Access = second
	p.grant(grant, false)
	if d.Token(first) != nil || d.Token(second) == nil {
		t.Error("a token that was replaced is found, or the new one is not")
	}
	p.grant(grant, true)
	if d.Token(second) != nil || len(p.grants) != 0 || len(p.tokens) != 0 {
		t.Error("what ended is found")
	}
}
