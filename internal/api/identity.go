package api

import (
	"context"

	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/schema"
)

// FactorLife is how long what moves money out may be asked for by a session after its user gave a factor.
const FactorLife = 5 * 60 * schema.Second

// authenticated says what is known about the user behind a key.
func (a *API) authenticated(c *Caller, k *directory.Key) {
	if k.Web {
		c.Proof, c.Fresh = AuthSession, k.User == 0 || a.Now() < k.AuthAt+FactorLife
	}
	u := a.directory.UserOf(k.Account)
	if u == nil && c.Master != nil { // the master answers for a sub-account without a user
		u = a.directory.UserOf(c.Master.ID)
	}
	c.Unprotected = u != nil && !u.Protected()
}

// Identify lets a command about who somebody is happen. A refusal of the core comes back as an *Error.
func (a *API) Identify(ctx context.Context, command schema.Command) (result schema.Result, err error) {
	return a.identify(ctx, schema.Origin{Region: a.options.Region}, command)
}

// IdentifyBy is Identify for a command that the user of a session gives, once.
func (a *API) IdentifyBy(ctx context.Context, session schema.KeyID, once schema.Digest, command schema.Command) (schema.Result, error) {
	return a.identify(ctx, schema.Origin{Key: session, Once: once, Region: a.options.Region}, command)
}

// IdentifyIn is Identify for a command that the user of a session gives and that may come twice. It counts as no use of the session, and is
// done also when that had its most commands.
func (a *API) IdentifyIn(ctx context.Context, session schema.KeyID, command schema.Command) error {
	_, err := a.identify(ctx, schema.Origin{Key: session, Authorized: true, Region: a.options.Region}, command)
	return err
}

func (a *API) identify(ctx context.Context, from schema.Origin, command schema.Command) (result schema.Result, err error) {
	ctx, cancel := a.limited(ctx)
	defer cancel()
	if err := a.node.SubmitFrom(ctx, from, command, &result); err != nil {
		return result, err
	}
	if result.Rejection.Refused() {
		return result, Refusal(result.Rejection)
	}
	return result, nil
}

// Invitation is the one with a digest, if it is open.
func (a *API) Invitation(digest schema.Digest) (found schema.Invitation, open bool) {
	a.node.Read(func(m core.View) { found, open = m.Identity().Invitation(digest, a.Now()) })
	return found, open
}

// AccountByName is the account with a name, or nil.
func (a *API) AccountByName(name string) (found *schema.Account) {
	a.node.Read(func(m core.View) {
		if account := m.Accounts().ByName(name); account != nil {
			found = a.directory.Account(account.ID)
		}
	})
	return found
}

// Session is a session as its account sees it.
type Session struct {
	Key      schema.Key
	LastUsed schema.Time // within ten minutes
}

// Sessions are those of an account, the oldest first.
func (a *API) Sessions(account schema.AccountID) (list []Session) {
	a.node.Read(func(m core.View) {
		for _, id := range m.Accounts().Sessions(account) {
			list = append(list, Session{*m.Accounts().Session(id), m.Identity().LastUsed(id)})
		}
	})
	return list
}
