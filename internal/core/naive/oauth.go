package naive

import (
	"cmp"
	"net/netip"
	"slices"

	"bourse/internal/schema"
)

// Bounds of clients of OAuth, and how long what they are given lasts.
const (
	partnersMost         = 1000
	partnerTextMost      = 100
	redirectMost         = 2000
	redirectsMost        = 20
	partnerAddressesMost = 50
	grantsMost           = 20 // of an account

	codeFor    = 60 * second
	keyToken   = 4 * hour     // of clients that have keys issued
	dataToken  = 300 * second // of the others
	refreshFor = 600 * second
	familyFor  = 30 * oneDay
)

// scopes are those that clients can have.
var scopes = []string{
	"general", "show.userinfo", "users.read", "users.email.read", "users.kyc.read", "orders.read", "orders.create", "orders.delete",
	"balances.read", "markets.read", "deals.read", "orders_history.read",
	"users.transactions.read", "users.converts.read", "users.balances.read", "users.orders.read", "users.deals.read", "codes.apply",
	"apikeys.create", "apikeys.read", "apikeys.delete",
}

// oauth is the clients of OAuth and what accounts gave them.
type oauth struct {
	call     *call
	accounts *accounts
	users    *users
	limits   *limits
	partners []*schema.Partner // by id
	grants   []*schema.Grant   // also those that are over, until something takes their place
}

func (o *oauth) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetPartner:
		result = o.setPartner(c.Partner)
	case *schema.AuthorizePartner:
		result = reject(o.authorize(c))
	case *schema.RedeemGrant:
		result = o.redeem(c)
	case *schema.RefreshGrant:
		result = o.refresh(c)
	case *schema.TakeSecret:
		result = o.takeSecret(c)
	case *schema.RevokePartner:
		result = reject(o.revoke(c))
	default:
		return nil
	}
	return &result
}

// partner finds a client, or nil.
func (o *oauth) partner(id schema.PartnerID) *schema.Partner {
	for _, p := range o.partners {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// on finds a client that is switched on, or nil.
func (o *oauth) on(id schema.PartnerID) *schema.Partner {
	if p := o.partner(id); p != nil && p.On {
		return p
	}
	return nil
}

// issues reports whether a client has keys issued.
func issues(p *schema.Partner) bool {
	return slices.Contains(p.Scopes, "apikeys.create") || slices.Contains(p.Scopes, "apikeys.read") || slices.Contains(p.Scopes, "apikeys.delete")
}

func (o *oauth) setPartner(set schema.Partner) schema.Result {
	known := o.partner(set.ID)
	if set.ID != 0 && known == nil {
		return refuse(schema.PartnerUnknown)
	}
	if known != nil {
		set.Client = known.Client
	}
	taken := slices.ContainsFunc(o.partners, func(p *schema.Partner) bool { return p.Client == set.Client && p.ID != set.ID })
	switch {
	case len(set.Client) < 1, len(set.Client) > partnerTextMost, len(set.Title) < 1, len(set.Title) > partnerTextMost, taken,
		known == nil && set.Secret == schema.Digest{}, known == nil && len(o.partners) >= partnersMost,
		!validURIs(&set), !validScopes(&set, known), !validAddresses(set.Addresses):
		return refuse(schema.PartnerInvalid)
	}
	set.URIs, set.Scopes, set.Addresses = slices.Clone(set.URIs), slices.Clone(set.Scopes), slices.Clone(set.Addresses)
	if known == nil {
		set.ID, set.Created = schema.PartnerID(len(o.partners)+1), o.call.at
		known = &schema.Partner{}
		o.partners = append(o.partners, known)
	} else {
		set.Created = known.Created
		if (set.Secret == schema.Digest{}) {
			set.Secret = known.Secret
		}
	}
	*known = set
	o.call.record(&schema.PartnerChanged{Partner: set})
	return schema.Result{ID: uint64(set.ID)}
}

func validURIs(p *schema.Partner) bool {
	if len(p.URIs) < 1 || len(p.URIs) > redirectsMost || !issues(p) && len(p.URIs) > 1 {
		return false
	}
	return !slices.ContainsFunc(p.URIs, func(uri string) bool { return len(uri) < 1 || len(uri) > redirectMost })
}

// validScopes reports whether scopes are known ones, each once, and none of them is new.
func validScopes(p, known *schema.Partner) bool {
	for i, scope := range p.Scopes {
		if !slices.Contains(scopes, scope) || slices.Index(p.Scopes, scope) != i || known != nil && !slices.Contains(known.Scopes, scope) {
			return false
		}
	}
	return len(p.Scopes) > 0
}

func validAddresses(list []string) bool {
	for _, address := range list {
		if a, err := netip.ParseAddr(address); err != nil || a.Zone() != "" {
			return false
		}
	}
	return len(list) >= 1 && len(list) <= partnerAddressesMost
}

// ends is when a grant is over if nothing happens: its code when that was not redeemed, and its tokens otherwise.
func ends(g *schema.Grant) schema.Time {
	if !g.Spent {
		return g.CodeUntil
	}
	return max(g.AccessUntil, min(g.RefreshUntil, g.FamilyUntil))
}

// grant is the one that an account gave a client, also if it is over; or nil.
func (o *oauth) grant(a schema.AccountID, p schema.PartnerID) *schema.Grant {
	for _, g := range o.grants {
		if g.Account == a && g.Partner == p {
			return g
		}
	}
	return nil
}

// end lets a grant be over.
func (o *oauth) end(g *schema.Grant) {
	o.grants = slices.DeleteFunc(o.grants, func(other *schema.Grant) bool { return other == g })
	o.call.record(&schema.GrantChanged{Grant: *g, Ended: true})
}

// keyOf is the key of an account that was issued for a client, or nil.
func (o *oauth) keyOf(a schema.AccountID, p schema.PartnerID) *key {
	for _, k := range o.accounts.keysOf(a) {
		if k.Partner == p && p != 0 {
			return k
		}
	}
	return nil
}

// consent looks whether an account may let a client have what it asks for.
func (o *oauth) consent(id schema.AccountID, p *schema.Partner, urls []string) schema.Rejection {
	account, r := o.accounts.trader(id)
	if refused(r) {
		return r
	}
	user := o.users.of(id)
	switch {
	case account.Parent != 0:
		return because(schema.SubNotPermitted)
	case user == nil, !protected(user):
		return because(schema.FactorMissing)
	case !issues(p):
		return accepted
	case !account.Verified:
		return because(schema.NotVerified)
	}
	for i, url := range urls {
		known := right(url)
		if known == nil || known.Group == schema.GroupSubs || slices.Contains(urls[:i], url) {
			return because(schema.KeyURLsInvalid)
		}
	}
	for _, url := range urls {
		if group := right(url).Group; group == schema.GroupWithdraw || group == schema.GroupCodes {
			if r := o.limits.checkRestricted(account); refused(r) {
				return r
			}
		}
	}
	issued, others := o.keyOf(id, p.ID), 0
	for _, k := range o.accounts.keysOf(id) {
		if !k.Web && k != issued {
			others++
		}
	}
	switch {
	case issued != nil && issued.SecretTaken:
		return because(schema.PartnerKeyExists)
	case others >= keysMost:
		return about(schema.KeysTooMany, whole(keysMost))
	}
	return accepted
}

func (o *oauth) authorize(c *schema.AuthorizePartner) schema.Rejection {
	k := o.accounts.session(o.call.key)
	switch {
	case k == nil, k.User == 0, k.Account != c.Account:
		return because(schema.SessionUnknown)
	case k.AuthAt < c.Since, c.Since <= 0, k.allowed == k.AuthAt:
		return because(schema.StepUpNeeded)
	}
	p := o.on(c.Partner)
	if p == nil || !slices.Contains(p.URIs, c.Redirect) {
		return because(schema.PartnerUnknown)
	}
	taken := slices.ContainsFunc(o.grants, func(g *schema.Grant) bool { return g.Code == c.Code })
	switch {
	case c.Code == schema.Digest{}, taken, issues(p) && c.Challenge == schema.Digest{}, !issues(p) && len(c.URLs) > 0:
		return because(schema.GrantInvalid)
	}
	if r := o.consent(c.Account, p, c.URLs); refused(r) {
		return r
	}
	if old := o.grant(c.Account, c.Partner); old != nil {
		o.end(old)
	} else if !o.roomFor(c.Account) {
		return about(schema.GrantsTooMany, whole(grantsMost))
	}
	made := &schema.Grant{
		Account: c.Account, Partner: c.Partner, Generation: o.users.of(c.Account).Generation, Code: c.Code, CodeUntil: o.call.at + codeFor,
		Redirect: c.Redirect, Challenge: c.Challenge, URLs: slices.Clone(c.URLs), Created: o.call.at,
	}
	o.grants = append(o.grants, made)
	k.allowed = k.AuthAt
	o.changed(made)
	return accepted
}

// roomFor reports whether an account may have one grant more. If it has too many, the first of them that is over gives way.
func (o *oauth) roomFor(a schema.AccountID) bool {
	var all []*schema.Grant
	for _, g := range o.grants {
		if g.Account == a {
			all = append(all, g)
		}
	}
	if len(all) < grantsMost {
		return true
	}
	slices.SortFunc(all, func(a, b *schema.Grant) int { return cmp.Compare(a.Partner, b.Partner) })
	for _, g := range all {
		if o.call.at >= ends(g) {
			o.end(g)
			return true
		}
	}
	return false
}

func (o *oauth) changed(g *schema.Grant) { o.call.record(&schema.GrantChanged{Grant: *g}) }

func (o *oauth) redeem(c *schema.RedeemGrant) schema.Result {
	p := o.on(c.Partner)
	if p == nil {
		return refuse(schema.PartnerUnknown)
	}
	i := slices.IndexFunc(o.grants, func(g *schema.Grant) bool { return g.Code == c.Code })
	if i < 0 || !o.grants[i].Spent && o.call.at >= o.grants[i].CodeUntil {
		return refuse(schema.GrantUnknown)
	}
	g := o.grants[i]
	switch {
	case g.Spent:
		return o.replayed(g)
	case g.Partner != c.Partner, c.Redirect != "" && c.Redirect != g.Redirect, c.Challenge != g.Challenge:
		o.end(g)
		return schema.Result{Grant: schema.GrantBurned}
	}
	if r := o.consent(g.Account, p, g.URLs); refused(r) {
		return reject(r)
	}
	if !o.validTokens(c, p) {
		return refuse(schema.GrantInvalid)
	}
	g.Spent, g.Access = true, c.Access
	if issues(p) {
		g.AccessUntil = o.call.at + keyToken
		if old := o.keyOf(g.Account, g.Partner); old != nil {
			o.accounts.endKey(old)
		}
		o.accounts.addKey(schema.Key{
			Key: c.External, Account: g.Account, Title: p.Title, Sealed: slices.Clone(c.Sealed), Enabled: true, URLs: slices.Clone(g.URLs),
			External: c.External, Type: moneyKey, Partner: p.ID,
		})
	} else {
		g.AccessUntil, g.Refresh, g.RefreshUntil = o.call.at+dataToken, c.Refresh, o.call.at+refreshFor
		g.Family, g.FamilyUntil = c.Family, o.call.at+familyFor
	}
	o.changed(g)
	return schema.Result{Grant: schema.GrantRedeemed, ID: uint64(g.Account)}
}

// replayed ends what a code or a refresh token gave that came again, and a key whose secret nobody has.
func (o *oauth) replayed(g *schema.Grant) schema.Result {
	if k := o.keyOf(g.Account, g.Partner); k != nil && !k.SecretTaken {
		o.accounts.endKey(k)
	}
	o.end(g)
	return schema.Result{Grant: schema.GrantReplayed}
}

// validTokens looks at what a client is to be given.
func (o *oauth) validTokens(c *schema.RedeemGrant, p *schema.Partner) bool {
	if !o.freeToken(c.Access) {
		return false
	}
	if issues(p) {
		return len(c.External) >= 1 && len(c.External) <= keyExternalMost && o.accounts.external(c.External) == nil &&
			o.accounts.freePublic(c.External, c.Sealed)
	}
	familyTaken := slices.ContainsFunc(o.grants, func(g *schema.Grant) bool { return g.Family == c.Family })
	return c.Refresh != schema.Digest{} && c.Family != schema.Digest{} && !familyTaken
}

// freeToken reports whether a token to read with is one, and new.
func (o *oauth) freeToken(d schema.Digest) bool {
	return d != schema.Digest{} && !slices.ContainsFunc(o.grants, func(g *schema.Grant) bool { return g.Access == d })
}

func (o *oauth) refresh(c *schema.RefreshGrant) schema.Result {
	if o.on(c.Partner) == nil {
		return refuse(schema.PartnerUnknown)
	}
	i := slices.IndexFunc(o.grants, func(g *schema.Grant) bool { return g.Family == c.Family && g.Partner == c.Partner })
	if i < 0 || c.Family == (schema.Digest{}) {
		return refuse(schema.GrantUnknown)
	}
	g := o.grants[i]
	switch {
	case g.Refresh != c.Token:
		return o.replayed(g)
	case o.call.at >= min(g.RefreshUntil, g.FamilyUntil):
		return refuse(schema.GrantUnknown)
	case !o.freeToken(c.Access), c.Refresh == schema.Digest{}, c.Refresh == c.Token:
		return refuse(schema.GrantInvalid)
	}
	if _, r := o.accounts.trader(g.Account); refused(r) {
		return reject(r)
	}
	g.Access, g.AccessUntil = c.Access, min(o.call.at+dataToken, g.FamilyUntil)
	g.Refresh, g.RefreshUntil = c.Refresh, o.call.at+refreshFor
	o.changed(g)
	return schema.Result{Grant: schema.GrantRedeemed, ID: uint64(g.Account)}
}

// refuseToken looks at the access token that a client comes with: it must be the one that the account gave that client last, not be over, and
// have a scope that the client still has.
func (o *oauth) refuseToken(token schema.Digest, a schema.AccountID, id schema.PartnerID, scope string) schema.Rejection {
	p, g := o.on(id), o.grant(a, id)
	switch {
	case p == nil:
		return because(schema.PartnerUnknown)
	case g == nil, !g.Spent, g.Access != token, o.call.at >= g.AccessUntil, !slices.Contains(p.Scopes, scope):
		return because(schema.GrantUnknown)
	}
	return accepted
}

func (o *oauth) takeSecret(c *schema.TakeSecret) schema.Result {
	if _, r := o.accounts.trader(c.Account); refused(r) {
		return reject(r)
	}
	if r := o.refuseToken(c.Token, c.Account, c.Partner, "apikeys.read"); refused(r) {
		return reject(r)
	}
	k := o.keyOf(c.Account, c.Partner)
	switch {
	case k == nil, k.External != c.External:
		return refuse(schema.KeyUnknown)
	case k.SecretTaken:
		return refuse(schema.SecretTaken)
	}
	k.SecretTaken = true
	o.call.record(&schema.KeyChanged{Key: k.Key})
	return schema.Result{}
}

func (o *oauth) revoke(c *schema.RevokePartner) schema.Rejection {
	if _, r := o.accounts.customer(c.Account); refused(r) {
		return r
	}
	if c.Token != (schema.Digest{}) { // the client asks for it
		if r := o.refuseToken(c.Token, c.Account, c.Partner, "apikeys.delete"); refused(r) {
			return r
		}
	}
	k, g := o.keyOf(c.Account, c.Partner), o.grant(c.Account, c.Partner)
	if c.External != "" && (k == nil || k.External != c.External) {
		return because(schema.KeyUnknown)
	}
	if k == nil && (g == nil || !c.Whole) {
		return because(schema.GrantUnknown)
	}
	if k != nil {
		o.accounts.endKey(k)
	}
	if g != nil && c.Whole {
		o.end(g)
	}
	return accepted
}

// endAll ends all that the clients of an account have.
func (o *oauth) endAll(a schema.AccountID) {
	for _, k := range o.accounts.keysOf(a) {
		if k.Partner != 0 {
			o.accounts.endKey(k)
		}
	}
	all := slices.DeleteFunc(slices.Clone(o.grants), func(g *schema.Grant) bool { return g.Account != a })
	slices.SortFunc(all, func(a, b *schema.Grant) int { return cmp.Compare(a.Partner, b.Partner) })
	for _, g := range all {
		o.end(g)
	}
}
