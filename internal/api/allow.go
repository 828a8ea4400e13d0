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

// Gate is a feature that an account must have.
type Gate struct {
	Open func(*schema.Account) bool
	// Status of the answer to accounts without it: 403, or 404 where they are not to know of it.
	Status int
	// Family says that a sub-account has what its master has.
	Family bool
}

// admits reports whether a caller has the feature.
func (g *Gate) admits(c *Caller) bool {
	return g.Open(c.Account) || g.Family && c.Master != nil && g.Open(c.Master)
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
	// Master of the account, if it is a sub-account.
	Master *schema.Account
	// Enabled, Rights and Type are those of the API key. Type 0 is a key whose URLs an operator chose: no type binds it.
	Enabled bool
	Rights  *directory.Rights
	Type    uint8
	// Scopes are those of the access token, and Token what it is recognized by.
	Scopes []string
	Token  schema.Digest
	// Fresh says that the user of a session gave a factor not long ago, and Unprotected that the user of the account has no second one.
	Fresh, Unprotected bool
}

// Admit says why a caller may call nothing at all; nil if it may call something.
func Admit(c *Caller) *Error {
	switch {
	case c.Account == nil:
		return ErrUnknownKey
	case c.Rights != nil && (!c.Enabled || !c.Rights.From(c.Address)):
		return ErrKeyOff
	case c.Account.Blocked || c.Account.IsSub() && (c.Account.Status != schema.SubActive || c.Master == nil || c.Master.Blocked):
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
	if c.Proof != o.Auth && !(c.Proof == AuthSession && o.Auth == AuthSigned) {
		return ErrUnknownKey
	}
	if err := Admit(c); err != nil {
		return err
	}
	switch {
	case o.Auth == AuthSigned && (c.Rights == nil || !c.Rights.May(o.Path)):
		return ErrNotAllowed
	case o.Right != nil && c.Type != 0 && c.Type < o.Right.Type():
		return ErrNotAllowed
	case o.Right != nil && c.Account.IsSub() && !permitted(c, o):
		return ErrNotAllowed
	case o.Scope != "" && !slices.Contains(c.Scopes, o.Scope):
		return ErrNotAllowed
	case !o.Regions.Include(c.Region):
		return ErrNotThere
	case o.Gate != nil && !o.Gate.admits(c):
		return o.Gate.refusal()
	case o.Factor && c.Unprotected:
		return ErrNoFactor
	case o.Step && c.Proof == AuthSession && !c.Fresh:
		return ErrStepUp
	}
	return nil
}

// permitted reports whether a sub-account may call an operation. Where its master confirms withdrawals, nothing leaves by another way;
// and nothing leaves by a session of its user, but only by keys that the master made.
func permitted(c *Caller, o *Operation) bool {
	r := o.Right
	if exit := r.Group == schema.GroupWithdraw || r.Group == schema.GroupCodes; exit && c.Proof == AuthSession && o.Writes() {
		return false
	}
	switch r.Sub {
	case schema.SubNever:
		return false
	case schema.SubDeposited:
		return c.Account.Deposits
	}
	return !c.Master.Approvals || !slices.Contains(unconfirmable, r.Path)
}

// unconfirmable are exits that wait for nobody.
var unconfirmable = []string{"/api/v4/main-account/codes", "/api/v4/main-account/refund-deposit", "/api/v4/mining/payout-destination/edit"}

// Caller is who uses an API key, nil if there is no such key, from an address.
func (a *API) Caller(k *directory.Key, from netip.Addr) Caller {
	c := Caller{Proof: AuthSigned, Address: from, Region: a.options.Region}
	if k == nil {
		return c
	}
	if c.Account = a.directory.Account(k.Account); c.Account != nil {
		c.Region = schema.Stricter(c.Account.Region, a.options.Region)
		c.Master = a.directory.Account(c.Account.Parent)
	}
	c.Enabled, c.Rights, c.Type = k.On(), &k.Rights, k.Type
	a.authenticated(&c, k)
	return c
}
