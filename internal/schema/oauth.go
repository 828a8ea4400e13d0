package schema

import "bourse/internal/wire"

// Bounds of clients of OAuth and of what they are given.
const (
	MaxPartners         = 1000
	MaxPartnerText      = 100  // bytes of an id or a title
	MaxRedirect         = 2000 // bytes of a redirect URI
	MaxRedirects        = 20
	MaxPartnerAddresses = 50
	MaxGrants           = 20 // of one account
)

// Scopes that clients can have. Those of API keys let a client have a key issued; those that begin with users. give the data of the account
// that they name; the others give nothing.
var Scopes = []string{
	"general", "show.userinfo", "users.read", "users.email.read", "users.kyc.read", "orders.read", "orders.create", "orders.delete", "balances.read",
	"markets.read", "deals.read", "orders_history.read", "users.transactions.read", "users.converts.read", "users.balances.read", "users.orders.read",
	"users.deals.read", "codes.apply", ScopeCreateKey, ScopeReadKey, ScopeDeleteKey,
}

// The scopes of API keys.
const (
	ScopeCreateKey = "apikeys.create"
	ScopeReadKey   = "apikeys.read"
	ScopeDeleteKey = "apikeys.delete"
)

// Partner is a client of OAuth: a program that customers let act for them.
type Partner struct {
	ID        PartnerID
	Client    string // the id that it is known by; unique
	Title     string // what people call it
	Secret    Digest // of its secret
	URIs      []string
	Scopes    []string
	Addresses []string // that it calls from, and that the keys it is given can be used from
	On        bool
	Created   Time
}

func (p *Partner) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &p.ID)
	wire.Text(c, 2, "client", &p.Client)
	wire.Text(c, 3, "title", &p.Title)
	c.Array(4, "secret", p.Secret[:])
	c.Texts(5, "uris", &p.URIs)
	c.Texts(6, "scopes", &p.Scopes)
	c.Texts(7, "addresses", &p.Addresses)
	c.Bool(8, "on", &p.On)
	wire.Int(c, 9, "created", &p.Created)
}

// Issues reports whether customers have API keys issued for the client. Others read data of accounts.
func (p *Partner) Issues() bool {
	for _, s := range p.Scopes {
		if s == ScopeCreateKey || s == ScopeReadKey || s == ScopeDeleteKey {
			return true
		}
	}
	return false
}

// SetPartner makes a client of OAuth (ID 0) or replaces the settings of one. Its id never changes, its secret
// only if one is given, and its scopes only by becoming fewer.
type SetPartner struct{ Partner Partner }

func (*SetPartner) Kind() Kind { return 113 }

func (m *SetPartner) Fields(c *wire.Coder) { wire.Embed(c, 1, "partner", &m.Partner) }

func (m *SetPartner) Subject() Subject { return Subject{Name: m.Partner.Client} }

// Redact removes the digest of the secret.
func (m *SetPartner) Redact() { m.Partner.Secret = Digest{} }

// PartnerChanged carries a client of OAuth that was made or changed.
type PartnerChanged struct{ Partner Partner }

func (*PartnerChanged) event()   {}
func (*PartnerChanged) setting() {}

func (e *PartnerChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "partner", &e.Partner) }

// Grant is what an account gave a client: a code that it can redeem once, and the tokens that it got for it. An account has one of a client;
// a newer one takes its place.
type Grant struct {
	Account    AccountID
	Partner    PartnerID
	Generation uint32 // of the user who approved it: it ends with a change of a factor
	Code       Digest
	CodeUntil  Time
	Spent      bool // the code was redeemed
	Redirect   string
	Challenge  Digest   // of PKCE; zero: there was none
	URLs       []string // of the key that is issued
	// Access is the token that data are read with. Refresh is that which new ones are got for, of a Family that ends at the latest at
	// FamilyUntil; zero where there is none.
	Access       Digest
	AccessUntil  Time
	Family       Digest
	FamilyUntil  Time
	Refresh      Digest
	RefreshUntil Time
	Created      Time
}

func (g *Grant) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &g.Account)
	wire.Uint(c, 2, "partner", &g.Partner)
	wire.Uint(c, 3, "generation", &g.Generation)
	c.Array(4, "code", g.Code[:])
	wire.Int(c, 5, "code_until", &g.CodeUntil)
	c.Bool(6, "spent", &g.Spent)
	wire.Text(c, 7, "redirect", &g.Redirect)
	c.Array(8, "challenge", g.Challenge[:])
	c.Texts(9, "urls", &g.URLs)
	c.Array(10, "access", g.Access[:])
	wire.Int(c, 11, "access_until", &g.AccessUntil)
	c.Array(12, "family", g.Family[:])
	wire.Int(c, 13, "family_until", &g.FamilyUntil)
	c.Array(14, "refresh", g.Refresh[:])
	wire.Int(c, 15, "refresh_until", &g.RefreshUntil)
	wire.Int(c, 16, "created", &g.Created)
}

// GrantChanged carries a grant after something about it changed.
type GrantChanged struct {
	Grant Grant
	Ended bool
}

func (*GrantChanged) event()   {}
func (*GrantChanged) setting() {}

func (e *GrantChanged) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "grant", &e.Grant)
	c.Bool(2, "ended", &e.Ended)
}

// AuthorizePartner is the approval of a client by the user of a session, who gave a factor for it, and for nothing else.
type AuthorizePartner struct {
	Account   AccountID
	Partner   PartnerID
	Code      Digest
	Redirect  string
	Challenge Digest
	URLs      []string
	Since     Time // the factor was given then or later: after the last one that the session had when the request was shown
}

func (*AuthorizePartner) Kind() Kind { return 114 }

func (m *AuthorizePartner) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "partner", &m.Partner)
	c.Array(3, "code", m.Code[:])
	wire.Text(c, 4, "redirect", &m.Redirect)
	c.Array(5, "challenge", m.Challenge[:])
	c.Texts(6, "urls", &m.URLs)
	wire.Int(c, 7, "since", &m.Since)
}

// Redact removes the code.
func (m *AuthorizePartner) Redact() { m.Code = Digest{} }

// GrantOutcome is what became of a code or of a refresh token. Attempts that end something are accepted commands, also where the client gets
// nothing.
type GrantOutcome uint8

const (
	GrantRedeemed GrantOutcome = iota + 1
	GrantBurned                // by a wrong client, redirect URI or verifier: the code is over
	GrantReplayed              // it was used before: the tokens are over, and a key whose secret was not fetched
)

func (o GrantOutcome) String() string { return word(grantWords[:], o) }

var grantWords = [...]string{GrantRedeemed: "redeemed", GrantBurned: "burned", GrantReplayed: "replayed"}

// RedeemGrant gives a client the tokens for a code. The client proved who it is.
type RedeemGrant struct {
	Partner   PartnerID
	Code      Digest
	Redirect  string // "": the client did not say
	Challenge Digest // of the verifier; zero: there was none
	Access    Digest
	Family    Digest
	Refresh   Digest
	External  string // of the key that is issued; its public part, too
	Sealed    []byte
}

func (*RedeemGrant) Kind() Kind { return 115 }

func (m *RedeemGrant) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "partner", &m.Partner)
	c.Array(2, "code", m.Code[:])
	wire.Text(c, 3, "redirect", &m.Redirect)
	c.Array(4, "challenge", m.Challenge[:])
	c.Array(5, "access", m.Access[:])
	c.Array(6, "family", m.Family[:])
	c.Array(7, "refresh", m.Refresh[:])
	wire.Text(c, 8, "external", &m.External)
	c.Bytes(9, "sealed", &m.Sealed)
}

// Redact removes what tokens are recognized by, and the secret of the key.
func (m *RedeemGrant) Redact() { *m = RedeemGrant{Partner: m.Partner} }

// RefreshGrant gives a client new tokens for its refresh token.
type RefreshGrant struct {
	Partner PartnerID
	Family  Digest
	Token   Digest
	Access  Digest // the new ones
	Refresh Digest
}

func (*RefreshGrant) Kind() Kind { return 116 }

func (m *RefreshGrant) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "partner", &m.Partner)
	c.Array(2, "family", m.Family[:])
	c.Array(3, "token", m.Token[:])
	c.Array(4, "access", m.Access[:])
	c.Array(5, "refresh", m.Refresh[:])
}

// Redact removes what tokens are recognized by.
func (m *RefreshGrant) Redact() { *m = RefreshGrant{Partner: m.Partner} }

// TakeSecret says that a client fetches the secret of a key that was issued for it, once, by an access token.
type TakeSecret struct {
	Account  AccountID
	Partner  PartnerID
	External string
	Token    Digest
}

func (*TakeSecret) Kind() Kind { return 117 }

func (m *TakeSecret) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "partner", &m.Partner)
	wire.Text(c, 3, "external", &m.External)
	c.Array(4, "token", m.Token[:])
}

// Redact removes what the token is recognized by.
func (m *TakeSecret) Redact() { m.Token = Digest{} }

// RevokePartner ends what an account gave a client: its key, and with Whole its tokens and its code, too.
type RevokePartner struct {
	Account  AccountID
	Partner  PartnerID
	Whole    bool
	External string // of the key that is to end; "": whichever it is
	Token    Digest // by which the client asks for it; zero: a person or an operator does
}

func (*RevokePartner) Kind() Kind { return 118 }

func (m *RevokePartner) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "partner", &m.Partner)
	c.Bool(3, "whole", &m.Whole)
	wire.Text(c, 4, "external", &m.External)
	c.Array(5, "token", m.Token[:])
}

// Redact removes what the token is recognized by.
func (m *RevokePartner) Redact() { m.Token = Digest{} }

func (m *RevokePartner) Subject() Subject { return Subject{Account: m.Account} }
