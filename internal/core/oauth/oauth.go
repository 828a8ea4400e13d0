// Package oauth keeps the clients of OAuth and what accounts gave them: codes that are redeemed once, tokens, and API keys that are issued.
// Texts of codes and tokens never come here: digests do.
//
// What must hold: an account has at most one grant of a client and at most one key that was issued for it; a factor that a person gave lets one
// client in; a code gives tokens once; a code that comes again ends what it gave. What was approved ends when a factor of the user changes, when
// an operator blocks the account, and when the client is revoked; while a client is switched off, what it was given does nothing. A client acts
// by a token that lives at that place of the log.
package oauth

import (
	"net/netip"
	"slices"

	"bourse/internal/core/accounts"
	"bourse/internal/core/identity"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	codeLife    = 60 * schema.Second
	issuedLife  = 4 * 3600 * schema.Second // of the token of a client that has keys issued
	accessLife  = 300 * schema.Second      // of others
	refreshLife = 600 * schema.Second
	familyLife  = 30 * 24 * 3600 * schema.Second
)

// OAuth is the clients and what they were given. The maps are only ever asked, never gone through.
type OAuth struct {
	product.Base
	accounts *accounts.Accounts
	identity *identity.Identity
	out      *schema.Outcome

	partners []*schema.Partner // client i+1
	clients  map[string]*schema.Partner
	grants   map[schema.AccountID][]*schema.Grant // in the order of their clients
	codes    map[schema.Digest]*schema.Grant
	tokens   map[schema.Digest]*schema.Grant // by access token
	families map[schema.Digest]*schema.Grant
}

// New makes an OAuth without clients.
func New(a *accounts.Accounts, i *identity.Identity, out *schema.Outcome) *OAuth {
	o := &OAuth{
		accounts: a, identity: i, out: out, clients: map[string]*schema.Partner{}, grants: map[schema.AccountID][]*schema.Grant{},
		codes: map[schema.Digest]*schema.Grant{}, tokens: map[schema.Digest]*schema.Grant{}, families: map[schema.Digest]*schema.Grant{},
	}
	a.PartnerOn = func(id schema.PartnerID) bool { return o.partners[id-1].On }
	return o
}

// Commands registers what can be done about clients and what they are given.
func (o *OAuth) Commands(h *product.Handlers) {
	product.On(h, o.set)
	product.On(h, o.authorize)
	product.On(h, o.redeem)
	product.On(h, o.refresh)
	product.On(h, o.takeSecret)
	product.On(h, o.revoke)
}

// Partner is the client with an id, or nil.
func (o *OAuth) Partner(id schema.PartnerID) *schema.Partner {
	if id == 0 || int(id) > len(o.partners) {
		return nil
	}
	return o.partners[id-1]
}

// Partners are all clients, by id.
func (o *OAuth) Partners() []*schema.Partner { return o.partners }

// Grants are what an account gave clients, in the order of their ids.
func (o *OAuth) Grants(account schema.AccountID) []*schema.Grant { return o.grants[account] }

// set makes a client or replaces its settings. What the new settings do not allow is looked at on use.
func (o *OAuth) set(m *schema.SetPartner) schema.Rejection {
	next := m.Partner
	old := o.Partner(next.ID)
	switch {
	case next.ID != 0 && old == nil:
		return schema.Refuse(schema.PartnerUnknown)
	case old != nil:
		next.Client, next.Created = old.Client, old.Created
		if next.Secret.IsZero() {
			next.Secret = old.Secret
		}
	case o.clients[next.Client] != nil || len(o.partners) >= schema.MaxPartners:
		return schema.Refuse(schema.PartnerInvalid)
	default:
		next.ID, next.Created = schema.PartnerID(len(o.partners)+1), o.out.Time
	}
	// Customers approved the scopes that there were: no client gets more without being asked about again.
	if !valid(&next) || old != nil && slices.ContainsFunc(next.Scopes, func(scope string) bool { return !slices.Contains(old.Scopes, scope) }) {
		return schema.Refuse(schema.PartnerInvalid)
	}
	// The command's memory belongs to the caller.
	next.URIs, next.Scopes, next.Addresses = slices.Clone(next.URIs), slices.Clone(next.Scopes), slices.Clone(next.Addresses)
	if old == nil {
		o.add(&next)
	} else {
		*old = next
	}
	o.out.Result.ID = uint64(next.ID)
	o.out.Events.Add(&schema.PartnerChanged{Partner: next})
	return schema.Rejection{}
}

func (o *OAuth) add(p *schema.Partner) {
	o.partners = append(o.partners, p)
	o.clients[p.Client] = p
}

// valid reports whether a client can have these settings.
func valid(p *schema.Partner) bool {
	for _, uri := range p.URIs {
		if uri == "" || len(uri) > schema.MaxRedirect {
			return false
		}
	}
	for i, scope := range p.Scopes {
		if !slices.Contains(schema.Scopes, scope) || slices.Contains(p.Scopes[:i], scope) {
			return false
		}
	}
	for _, text := range p.Addresses {
		if a, err := netip.ParseAddr(text); err != nil || a.Zone() != "" {
			return false
		}
	}
	few := len(p.URIs) >= 1 && len(p.URIs) <= schema.MaxRedirects && (p.Issues() || len(p.URIs) == 1)
	return p.Client != "" && len(p.Client) <= schema.MaxPartnerText && p.Title != "" && len(p.Title) <= schema.MaxPartnerText && !p.Secret.IsZero() &&
		p.Created >= 0 && few && len(p.Scopes) >= 1 && len(p.Addresses) >= 1 && len(p.Addresses) <= schema.MaxPartnerAddresses
}

// authorize keeps a code for a client that the user of a session approved.
func (o *OAuth) authorize(m *schema.AuthorizePartner) schema.Rejection {
	session := o.accounts.Caller()
	switch {
	case session == nil || !session.Web || session.User == 0 || session.Account != m.Account:
		return schema.Refuse(schema.SessionUnknown)
	case session.AuthAt < m.Since || m.Since <= 0 || !o.identity.Unspent(session.ID):
		return schema.Refuse(schema.StepUpNeeded)
	}
	p := o.Partner(m.Partner)
	if p == nil || !p.On || !slices.Contains(p.URIs, m.Redirect) {
		return schema.Refuse(schema.PartnerUnknown)
	}
	if m.Code.IsZero() || o.codes[m.Code] != nil || p.Issues() && m.Challenge.IsZero() || !p.Issues() && len(m.URLs) > 0 || len(m.Redirect) > schema.MaxRedirect {
		return schema.Refuse(schema.GrantInvalid)
	}
	if r := o.mayGive(m.Account, p, m.URLs); r.Refused() {
		return r
	}
	old := o.of(m.Account, m.Partner)
	if old == nil && len(o.grants[m.Account]) >= schema.MaxGrants && !o.forgetOld(m.Account) {
		return schema.Rejection{Reason: schema.GrantsTooMany, Value: fixed.FromInt(schema.MaxGrants)}
	}
	if old != nil {
		o.end(old)
	}
	g := &schema.Grant{
		Account: m.Account, Partner: m.Partner, Generation: o.identity.UserOf(m.Account).Generation, Code: m.Code, CodeUntil: o.out.Time + codeLife,
		Redirect: m.Redirect, Challenge: m.Challenge, URLs: slices.Clone(m.URLs), Created: o.out.Time,
	}
	o.addGrant(g)
	o.identity.Spend(session.ID)
	o.changed(g)
	return schema.Rejection{}
}

// mayGive checks that an account may give a client what it asks for. It is asked at the approval and again when the code is redeemed.
func (o *OAuth) mayGive(id schema.AccountID, p *schema.Partner, urls []string) schema.Rejection {
	account, r := o.accounts.Customer(id)
	if r.Refused() {
		return r
	}
	user := o.identity.UserOf(id)
	switch {
	case account.IsSub():
		return schema.Refuse(schema.SubNotPermitted)
	case user == nil || !user.Protected():
		return schema.Refuse(schema.FactorMissing)
	case !p.Issues():
		return schema.Rejection{}
	case !account.Verified:
		return schema.Refuse(schema.NotVerified)
	case !giveable(urls):
		return schema.Refuse(schema.KeyURLsInvalid)
	}
	for _, url := range urls {
		if right := schema.RightTo(url); account.RestrictedUntil > o.out.Time && (right.Group == schema.GroupWithdraw || right.Group == schema.GroupCodes) {
			return schema.Rejection{Reason: schema.Restricted, Value: fixed.FromInt(int64((account.RestrictedUntil + schema.Second - 1) / schema.Second))}
		}
	}
	key := o.accounts.Issued(id, p.ID)
	switch {
	case key != nil && key.SecretTaken:
		return schema.Refuse(schema.PartnerKeyExists)
	case key == nil && o.accounts.CountKeys(id) >= schema.MaxKeys:
		return schema.Rejection{Reason: schema.KeysTooMany, Value: fixed.FromInt(schema.MaxKeys)}
	}
	return schema.Rejection{}
}

// giveable reports whether keys that are issued can have these URLs. What manages sub-accounts is never given.
func giveable(urls []string) bool {
	if len(urls) > len(schema.Rights()) {
		return false
	}
	for i, url := range urls {
		if right := schema.RightTo(url); right == nil || right.Group == schema.GroupSubs || slices.Contains(urls[:i], url) {
			return false
		}
	}
	return true
}

// of is what an account gave a client, or nil.
func (o *OAuth) of(account schema.AccountID, partner schema.PartnerID) *schema.Grant {
	for _, g := range o.grants[account] {
		if g.Partner == partner {
			return g
		}
	}
	return nil
}

// addGrant keeps a grant in the order of clients.
func (o *OAuth) addGrant(g *schema.Grant) {
	list := o.grants[g.Account]
	at, _ := slices.BinarySearchFunc(list, g.Partner, func(g *schema.Grant, id schema.PartnerID) int { return int(g.Partner) - int(id) })
	o.grants[g.Account] = slices.Insert(list, at, g)
	o.index(g)
}

func (o *OAuth) index(g *schema.Grant) {
	o.codes[g.Code] = g
	if !g.Access.IsZero() {
		o.tokens[g.Access] = g
	}
	if !g.Family.IsZero() {
		o.families[g.Family] = g
	}
}

// end ends what an account gave a client, but for the key.
func (o *OAuth) end(g *schema.Grant) {
	delete(o.codes, g.Code)
	delete(o.tokens, g.Access)
	delete(o.families, g.Family)
	list := slices.DeleteFunc(o.grants[g.Account], func(other *schema.Grant) bool { return other == g })
	if len(list) == 0 {
		delete(o.grants, g.Account)
	} else {
		o.grants[g.Account] = list
	}
	o.out.Events.Add(&schema.GrantChanged{Grant: *g, Ended: true})
}

// forgetOld ends the first grant of an account of which nothing is good any more, and reports whether there was one.
func (o *OAuth) forgetOld(account schema.AccountID) bool {
	for _, g := range o.grants[account] {
		if now := o.out.Time; (g.Spent || g.CodeUntil <= now) && g.AccessUntil <= now && min(g.RefreshUntil, g.FamilyUntil) <= now {
			o.end(g)
			return true
		}
	}
	return false
}

func (o *OAuth) changed(g *schema.Grant) { o.out.Events.Add(&schema.GrantChanged{Grant: *g}) }

// current reports whether what was given still counts: the user's factors are those that it was approved with.
func (o *OAuth) current(g *schema.Grant) bool {
	user := o.identity.UserOf(g.Account)
	return user != nil && user.Generation == g.Generation
}

// redeem gives a client tokens for a code, and has a key issued where it asked for one.
func (o *OAuth) redeem(m *schema.RedeemGrant) schema.Rejection {
	p, g := o.Partner(m.Partner), o.codes[m.Code]
	switch {
	case p == nil || !p.On:
		return schema.Refuse(schema.PartnerUnknown)
	case g == nil || !g.Spent && (g.CodeUntil <= o.out.Time || !o.current(g)):
		return schema.Refuse(schema.GrantUnknown)
	case g.Spent: // whichever client has it: nobody guesses codes, so somebody else saw this one
		o.replayed(g)
		return schema.Rejection{}
	case g.Partner != m.Partner || m.Redirect != "" && m.Redirect != g.Redirect || m.Challenge != g.Challenge:
		o.end(g)
		o.out.Result.Grant = schema.GrantBurned
		return schema.Rejection{}
	}
	if r := o.mayGive(g.Account, p, g.URLs); r.Refused() {
		return r
	}
	if m.Access.IsZero() || o.tokens[m.Access] != nil || !p.Issues() && (m.Family.IsZero() || o.families[m.Family] != nil || m.Refresh.IsZero()) ||
		p.Issues() && !o.accounts.Issuable(m.External, m.Sealed) {
		return schema.Refuse(schema.GrantInvalid)
	}
	g.Spent, g.Access, g.AccessUntil = true, m.Access, o.out.Time+accessLife
	if p.Issues() {
		g.AccessUntil = o.out.Time + issuedLife
		o.accounts.Issue(g.Account, p, g.URLs, m.External, m.Sealed)
	} else {
		g.Family, g.FamilyUntil, g.Refresh, g.RefreshUntil = m.Family, o.out.Time+familyLife, m.Refresh, o.out.Time+refreshLife
	}
	o.index(g)
	o.changed(g)
	o.out.Result.Grant, o.out.Result.ID = schema.GrantRedeemed, uint64(g.Account)
	return schema.Rejection{}
}

// replayed ends what a code gave that comes again: somebody else has it.
func (o *OAuth) replayed(g *schema.Grant) {
	if key := o.accounts.Issued(g.Account, g.Partner); key != nil && !key.SecretTaken {
		o.accounts.EndIssued(g.Account, g.Partner)
	}
	o.end(g)
	o.out.Result.Grant = schema.GrantReplayed
}

// refresh gives a client new tokens for its refresh token. One that was used before ends all that followed it.
func (o *OAuth) refresh(m *schema.RefreshGrant) schema.Rejection {
	p, g := o.Partner(m.Partner), o.families[m.Family]
	switch {
	case p == nil || !p.On:
		return schema.Refuse(schema.PartnerUnknown)
	case m.Family.IsZero() || g == nil || g.Partner != m.Partner || !o.current(g):
		return schema.Refuse(schema.GrantUnknown)
	case m.Token != g.Refresh:
		o.replayed(g)
		return schema.Rejection{}
	case min(g.RefreshUntil, g.FamilyUntil) <= o.out.Time:
		return schema.Refuse(schema.GrantUnknown)
	case m.Access.IsZero() || m.Refresh.IsZero() || m.Refresh == g.Refresh || o.tokens[m.Access] != nil:
		return schema.Refuse(schema.GrantInvalid)
	}
	if _, r := o.accounts.Customer(g.Account); r.Refused() {
		return r
	}
	delete(o.tokens, g.Access)
	g.Access, g.AccessUntil = m.Access, min(o.out.Time+accessLife, g.FamilyUntil)
	g.Refresh, g.RefreshUntil = m.Refresh, o.out.Time+refreshLife
	o.index(g)
	o.changed(g)
	o.out.Result.Grant, o.out.Result.ID = schema.GrantRedeemed, uint64(g.Account)
	return schema.Rejection{}
}

// permits reports whether an access token lets a client do something for an account now: what the door found may have ended since. The client
// is one that is on.
func (o *OAuth) permits(token schema.Digest, account schema.AccountID, p *schema.Partner, scope string) bool {
	g := o.tokens[token]
	return g != nil && g.Account == account && g.Partner == p.ID && o.out.Time < g.AccessUntil && o.current(g) && slices.Contains(p.Scopes, scope)
}

func (o *OAuth) takeSecret(m *schema.TakeSecret) schema.Rejection {
	if _, r := o.accounts.Customer(m.Account); r.Refused() {
		return r
	}
	p, key := o.Partner(m.Partner), o.accounts.Issued(m.Account, m.Partner)
	switch {
	case p == nil || !p.On:
		return schema.Refuse(schema.PartnerUnknown)
	case !o.permits(m.Token, m.Account, p, schema.ScopeReadKey):
		return schema.Refuse(schema.GrantUnknown)
	case key == nil || key.External != m.External:
		return schema.Refuse(schema.KeyUnknown)
	case key.SecretTaken:
		return schema.Refuse(schema.SecretTaken)
	}
	o.accounts.TakeSecret(m.Account, m.Partner)
	return schema.Rejection{}
}

// revoke ends what an account gave a client.
func (o *OAuth) revoke(m *schema.RevokePartner) schema.Rejection {
	if o.accounts.Get(m.Account) == nil {
		return schema.Refuse(schema.AccountUnknown)
	}
	if !m.Token.IsZero() {
		switch p := o.Partner(m.Partner); {
		case p == nil || !p.On:
			return schema.Refuse(schema.PartnerUnknown)
		case !o.permits(m.Token, m.Account, p, schema.ScopeDeleteKey):
			return schema.Refuse(schema.GrantUnknown)
		}
	}
	key, g := o.accounts.Issued(m.Account, m.Partner), o.of(m.Account, m.Partner)
	switch {
	case m.External != "" && (key == nil || key.External != m.External): // another may have been issued meanwhile
		return schema.Refuse(schema.KeyUnknown)
	case m.Partner == 0 || key == nil && (g == nil || !m.Whole):
		return schema.Refuse(schema.GrantUnknown)
	}
	if key != nil {
		o.accounts.EndIssued(m.Account, m.Partner)
	}
	if g != nil && m.Whole {
		o.end(g)
	}
	return schema.Rejection{}
}

// EndAll ends all that an account gave clients, with the keys: its user's factors changed, or an operator blocked it.
func (o *OAuth) EndAll(account schema.AccountID) {
	for _, g := range slices.Clone(o.grants[account]) {
		o.end(g)
	}
	o.accounts.EndAllIssued(account)
}
