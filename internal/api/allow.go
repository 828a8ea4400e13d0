package api

import (
	"net/http"
	"net/netip"
	"slices"

	"bourse/internal/directory"
	"bourse/internal/schema"
)

// Auth is how a caller is known. An operation takes one kind of proof and ignores all others.
type Auth uint8

const (
	AuthPublic  Auth = iota // nobody has to say who calls
	AuthSigned              // a request that is signed with the secret of an API key
	AuthBearer              // an access token of OAuth
	AuthClient              // a client of OAuth, by form or Basic
	AuthJWT                 // a token that the exchange signed
	AuthSession             // the session of a user who signed in
)

// Tier is the type of an API key. A key of type 2 may also have what moves money out.
type Tier uint8

const (
	Tier1 Tier = iota + 1
	Tier2
)

// Sub is whether the key of a sub-account may call an operation.
type Sub uint8

const (
	SubAlways Sub = iota
	SubNever
	SubByFlag // if the master account enabled it
)

// Gate is a feature that an account must have.
type Gate struct {
	Open func(*schema.Account) bool
	// Status of the answer to accounts without it: 403, or 404 where they are not to know of it.
	Status int
}

// refusal is what accounts without the feature see.
func (g *Gate) refusal() *Error {
	if g.Status == http.StatusNotFound {
		return ErrNotThere
	}
	return ErrNoPermission
}

// Caller is who calls, as far as that was found out, and what was given to them.
type Caller struct {
	Proof   Auth
	Address netip.Addr
	Region  schema.Region // whose rules hold: the stricter one of the account's and the deployment's
	// Account is nil if it is not known who calls.
	Account *schema.Account
	// Enabled, Rights and Tier are those of the API key.
	Enabled bool
	Rights  *directory.Rights
	Tier    Tier
	// Sub says that the account is a sub-account, and SubFlag that its master enabled what is SubByFlag.
	Sub, SubFlag bool
	// Scopes are those of the access token.
	Scopes []string
}

// Admit says why a caller may call nothing at all; nil if it may call something.
func Admit(c *Caller) *Error {
	switch {
	case c.Account == nil:
		return ErrUnknownKey
	case c.Rights != nil && (!c.Enabled || !c.Rights.From(c.Address)):
		return ErrKeyOff
	case c.Account.Blocked:
		return ErrBlocked
	}
	return nil
}

// Allow says why a caller may not call an operation; nil if it may. It is the one place that decides, for
// both doors.
func Allow(c *Caller, o *Operation) *Error {
	if o.Auth == AuthPublic {
		if !o.Regions.Include(c.Region) {
			return ErrNotThere
		}
		return nil
	}
	if c.Proof != o.Auth {
		return ErrUnknownKey
	}
	if err := Admit(c); err != nil {
		return err
	}
	switch {
	case o.Auth == AuthSigned && (c.Rights == nil || !c.Rights.May(o.Path)):
		return ErrNotAllowed
	case c.Tier < o.Tier:
		return ErrNotAllowed
	case c.Sub && (o.Sub == SubNever || o.Sub == SubByFlag && !c.SubFlag):
		return ErrNotAllowed
	case o.Scope != "" && !slices.Contains(c.Scopes, o.Scope):
		return ErrNotAllowed
	case !o.Regions.Include(c.Region):
		return ErrNotThere
	case o.Gate != nil && !o.Gate.Open(c.Account):
		return o.Gate.refusal()
	}
	return nil
}

// Caller is who uses an API key, nil if there is no such key, from an address.
func (a *API) Caller(k *directory.Key, from netip.Addr) Caller {
	c := Caller{Proof: AuthSigned, Address: from, Region: a.options.Region}
	if k == nil {
		return c
	}
	if c.Account = a.directory.Account(k.Account); c.Account != nil {
		c.Region = schema.Stricter(c.Account.Region, a.options.Region)
	}
	c.Enabled, c.Rights, c.Tier = k.Enabled, &k.Rights, Tier1
	return c
}
