package api

import (
	"net/netip"
	"slices"
	"strings"

	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// BearerChallenge is the header WWW-Authenticate of answers to access tokens that do not permit a call (RFC 6750, 3).
const BearerChallenge = `Bearer realm="oauth2"`

// Bearer is who calls with an access token of OAuth from an address, as the header Authorization says, and the client that the token was
// given to. The account is not known if the token is none, is over, or its client is off or elsewhere: that is not told apart. What the token
// is good for are the scopes that its client has now.
func (a *API) Bearer(header []byte, from netip.Addr) (Caller, *directory.Partner) {
	c := Caller{Proof: AuthBearer, Address: from, Region: a.options.Region}
	scheme, token, _ := strings.Cut(string(header), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return c, nil
	}
	digest := login.Hash(token)
	g := a.directory.Token(digest)
	if g == nil || a.Now() >= g.AccessUntil {
		return c, nil
	}
	p := a.directory.Partner(g.Partner)
	if p == nil || !p.On || !p.From(from) {
		return c, nil
	}
	account := a.directory.Account(g.Account)
	c.Account, c.Scopes, c.Token, c.Region = account, p.Scopes, digest, schema.Stricter(account.Region, a.options.Region)
	return c, p
}

// Issued is the API key that an account has for a client of OAuth, if there is one.
func (a *API) Issued(account schema.AccountID, partner schema.PartnerID) (key schema.Key, there bool) {
	a.node.Read(func(m core.View) {
		for _, r := range m.Accounts().KeysOf(account) {
			if r.Key.Partner == partner {
				key, there = r.Key, true
				key.URLs = slices.Clone(key.URLs)
			}
		}
	})
	return key, there
}
