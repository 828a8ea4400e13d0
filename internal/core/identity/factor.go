package identity

import (
	"slices"

	"bourse/internal/schema"
)

// fresh are the commands for which the user of a session must have given a factor within five minutes: what moves money out, and what is
// about sub-accounts, keys, webhooks and clients of OAuth.
var fresh = kinds(
	new(schema.RequestWithdrawal), new(schema.RefundDeposit), new(schema.CreateCode), new(schema.ApplyCode), new(schema.RequestExpress), new(schema.PayExpress),
	new(schema.SetSub), new(schema.DeleteSub), new(schema.BlockSub), new(schema.MoveSub), new(schema.ConfirmWithdrawal),
	new(schema.OpenKey), new(schema.EditKey), new(schema.SetKeyAddress), new(schema.CloseKey), new(schema.ResetKey),
	new(schema.SetWebhook), new(schema.AuthorizePartner), new(schema.Invite),
)

// protected are the commands that the user of an account needs a second factor for, by whatever key they come.
var protected = kinds(new(schema.RequestWithdrawal))

func kinds(list ...schema.Command) (all [1 << 8]bool) {
	for _, c := range list {
		all[c.Kind()] = true
	}
	return all
}

// exits are the commands by which money leaves an account, or comes in by a code: those of a sub-account are its master's to permit, who does
// so by making a key. A session of its user has none of them. Express payments no key makes: for sub-accounts their master pays.
var exits = kinds(new(schema.RequestWithdrawal), new(schema.RefundDeposit), new(schema.CreateCode), new(schema.ApplyCode), new(schema.PayExpress))

// Admits says why a command of a customer needs another proof than its key. It costs nothing for commands that need none.
func (i *Identity) Admits(key schema.KeyID, kind schema.Kind) schema.Rejection {
	if !fresh[kind] && !protected[kind] {
		return schema.Rejection{}
	}
	if protected[kind] {
		owner := i.accounts.Owner(key)
		u := i.byAccount[owner]
		if u == nil { // the master answers for a sub-account without a user
			u = i.byAccount[i.accounts.Root(owner).ID]
		}
		if u != nil && !u.Protected() {
			return schema.Refuse(schema.FactorMissing)
		}
	}
	s := i.accounts.Session(key)
	switch {
	case s == nil:
	case exits[kind] && i.accounts.Get(s.Account).IsSub():
		return schema.Refuse(schema.SubNotPermitted)
	case fresh[kind] && s.User != 0 && i.out.Time >= s.AuthAt+stepUpLife:
		return schema.Refuse(schema.StepUpNeeded)
	}
	return schema.Rejection{}
}

func (i *Identity) setFactor(m *schema.SetFactor) schema.Rejection {
	s, u, r := i.signedIn(m.Key, m.Generation)
	if r.Refused() {
		return r
	}
	key, allowed := *i.accounts.Session(m.Key), s.Allowed
	if i.out.Time >= key.AuthAt+stepUpLife {
		return schema.Refuse(schema.StepUpNeeded)
	}
	if !i.mayChange(u, m.Change, &m.Factors) {
		return schema.Refuse(schema.FactorInvalid)
	}
	if r := i.mayBegin(m.Session, key.Title); r.Refused() {
		return r
	}
	i.unindex(u)
	f := &m.Factors
	switch m.Change {
	case schema.ChangePassword:
		u.Password = slices.Clone(f.Password)
	case schema.ChangeTOTP:
		u.TOTP, u.Step = slices.Clone(f.TOTP), f.Step
	case schema.RemoveTOTP:
		u.TOTP, u.Step = nil, 0
	case schema.AddPasskey:
		u.Passkeys = append(slices.Clone(u.Passkeys), i.made(f.Passkeys)...)
	case schema.RemovePasskey:
		at := passkeyOf(u, f.Passkeys[0].ID)
		u.Passkeys = slices.Concat(u.Passkeys[:at], u.Passkeys[at+1:])
	}
	u.Generation++
	i.index(u)
	i.changed(u)
	i.endAll(u.Account, 0)
	i.OnFactor(u.Account)
	i.accounts.Restrict(u.Account, i.out.Time+restriction, i.out)
	i.begin(u.Account, u.ID, m.Session, key.Title, key.AuthAt) // nobody gave a factor
	i.sessions.At(i.byKey[schema.KeyID(i.out.Result.ID)]).Allowed = allowed
	return schema.Rejection{}
}

// mayChange reports whether a change of factors leaves a user who can sign in, and says nothing beside itself.
func (i *Identity) mayChange(u *schema.User, change schema.FactorChange, f *schema.Factors) bool {
	if !validFactors(&schema.Factors{Password: f.Password, TOTP: f.TOTP}) {
		return false
	}
	password, totp, passkeys := len(f.Password) > 0, len(f.TOTP) > 0, len(f.Passkeys)
	if totp != (f.Step > 0) {
		return false
	}
	switch change {
	case schema.ChangePassword:
		return password && !totp && passkeys == 0
	case schema.ChangeTOTP:
		return !password && totp && passkeys == 0 && len(u.Password) > 0
	case schema.RemoveTOTP:
		return !password && !totp && passkeys == 0 && len(u.TOTP) > 0
	case schema.AddPasskey:
		return !password && !totp && passkeys == 1 && validFactors(f) && i.newPasskeys(f.Passkeys, nil) && len(u.Passkeys) < schema.MaxPasskeys
	case schema.RemovePasskey:
		return !password && !totp && passkeys == 1 && passkeyOf(u, f.Passkeys[0].ID) >= 0 && (len(u.Passkeys) > 1 || len(u.Password) > 0)
	}
	return false
}
