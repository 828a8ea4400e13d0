package identity

import (
	"slices"

	"bourse/internal/core/slab"
	"bourse/internal/schema"
)

// invitation is a link that is open.
type invitation struct {
	schema.Invitation
	slab.Links
}

func (i *Identity) invite(m *schema.Invite) schema.Rejection {
	if i.accounts.Living(m.Account) == nil {
		return schema.Refuse(schema.AccountUnknown)
	}
	if r := i.accounts.MayInvite(m.Account); r.Refused() {
		return r
	}
	// A way back in for somebody is given by those who run the exchange alone: a master would take the sub-account from its user.
	if i.accounts.Caller() != nil && i.byAccount[m.Account] != nil {
		return schema.Refuse(schema.UserExists)
	}
	made := schema.Invitation{Account: m.Account, Digest: m.Digest, Login: m.Login, Name: slices.Clone(m.Name), Expires: i.out.Time + invitationLife}
	if r := i.mayInvite(&made); r.Refused() {
		return r
	}
	if old := i.invited[m.Account]; old != 0 {
		i.withdraw(old)
	}
	if old := i.wanted[m.Login]; old != 0 { // of another account, and over
		i.withdraw(old)
	}
	i.addInvitation(&made)
	i.out.Result.ID = uint64(m.Account)
	return schema.Rejection{}
}

// mayInvite checks an invitation for itself, and against others.
func (i *Identity) mayInvite(m *schema.Invitation) schema.Rejection {
	if m.Digest.IsZero() || m.Login.IsZero() || len(m.Name) == 0 || len(m.Name) > schema.MaxSealedFactor || i.byLink[m.Digest] != 0 {
		return schema.Refuse(schema.InvitationInvalid)
	}
	if u := i.byLogin[m.Login]; u != nil && u.Account != m.Account {
		return schema.Refuse(schema.LoginTaken)
	}
	if place := i.wanted[m.Login]; place != 0 {
		if other := i.invitations.At(place); other.Account != m.Account && i.out.Time < other.Expires {
			return schema.Refuse(schema.LoginTaken)
		}
	}
	return schema.Rejection{}
}

func (i *Identity) addInvitation(m *schema.Invitation) {
	place, at := i.invitations.Take()
	at.Invitation = *m
	i.invitations.Push(&i.open, place)
	i.invited[m.Account], i.byLink[m.Digest], i.wanted[m.Login] = place, place, place
}

// withdraw ends an invitation.
func (i *Identity) withdraw(place uint32) {
	m := i.invitations.At(place)
	delete(i.invited, m.Account)
	delete(i.byLink, m.Digest)
	delete(i.wanted, m.Login)
	i.invitations.Pull(place)
	i.invitations.Give(place)
}

// Invitation is the one with a digest, if it is open at a moment.
func (i *Identity) Invitation(digest schema.Digest, now schema.Time) (schema.Invitation, bool) {
	place := i.byLink[digest]
	if place == 0 || i.invitations.At(place).Expires <= now {
		return schema.Invitation{}, false
	}
	return i.invitations.At(place).Invitation, true
}

// Invited is when the invitation of an account ends, 0 if none is open at a moment.
func (i *Identity) Invited(id schema.AccountID, now schema.Time) schema.Time {
	if place := i.invited[id]; place != 0 && now < i.invitations.At(place).Expires {
		return i.invitations.At(place).Expires
	}
	return 0
}

func (i *Identity) enrol(m *schema.Enrol) schema.Rejection {
	link, known := i.Invitation(m.Digest, i.out.Time)
	if !known {
		return schema.Refuse(schema.InvitationUnknown)
	}
	if _, r := i.accounts.Customer(link.Account); r.Refused() && (i.accounts.Get(link.Account).Status != schema.SubPending || i.accounts.Barred(link.Account)) {
		return r
	}
	f := &m.Factors
	if len(f.Passkeys) > 1 || len(f.Passkeys) == 0 && len(f.Password) == 0 || (len(f.Password) == 0) != (len(f.TOTP) == 0) || (len(f.TOTP) == 0) != (f.Step == 0) {
		return schema.Refuse(schema.FactorInvalid)
	}
	old := i.byAccount[link.Account]
	if !validFactors(f) || !i.newPasskeys(f.Passkeys, old) {
		return schema.Refuse(schema.FactorInvalid)
	}
	if r := i.mayBegin(m.Session, m.Device); r.Refused() {
		return r
	}
	i.withdraw(i.byLink[m.Digest])
	i.endAll(link.Account, 0) // also those that began by the button of a demo
	u := &schema.User{ID: schema.UserID(len(i.users) + 1), Created: i.out.Time}
	if old != nil {
		i.unindex(old)
		i.OnFactor(old.Account)
		i.accounts.Restrict(old.Account, i.out.Time+restriction, i.out)
		*u = schema.User{ID: old.ID, Generation: old.Generation, Created: old.Created}
		i.users[u.ID-1] = u
	} else {
		i.users = append(i.users, u)
	}
	u.Account, u.Login, u.Name, u.Generation = link.Account, link.Login, link.Name, u.Generation+1
	u.Password, u.TOTP, u.Step, u.Passkeys = slices.Clone(f.Password), slices.Clone(f.TOTP), f.Step, i.made(f.Passkeys)
	i.index(u)
	i.changed(u)
	i.accounts.Activate(u.Account)
	i.begin(u.Account, u.ID, m.Session, m.Device, i.out.Time)
	return schema.Rejection{}
}

// made are passkeys as they are kept: the command's memory belongs to the caller.
func (i *Identity) made(list []schema.Passkey) []schema.Passkey {
	var all []schema.Passkey
	for _, p := range list {
		p.ID, p.Key, p.Created = slices.Clone(p.ID), slices.Clone(p.Key), i.out.Time
		all = append(all, p)
	}
	return all
}

// newPasskeys reports whether nobody has these passkeys, but for a user who loses all of his.
func (i *Identity) newPasskeys(list []schema.Passkey, loser *schema.User) bool {
	for p := range list {
		if owner := i.byPasskey[string(list[p].ID)]; owner != 0 && (loser == nil || owner != loser.ID) {
			return false
		}
	}
	return true
}

// validFactors reports whether each factor can be kept.
func validFactors(f *schema.Factors) bool {
	for p := range f.Passkeys {
		if !validPasskey(&f.Passkeys[p]) {
			return false
		}
	}
	return len(f.Password) <= schema.MaxSealedFactor && len(f.TOTP) <= schema.MaxSealedFactor
}

func validPasskey(p *schema.Passkey) bool {
	return len(p.ID) > 0 && len(p.ID) <= schema.MaxPasskeyID && len(p.Key) > 0 && len(p.Key) <= schema.MaxPasskeyKey && len(p.Title) <= schema.MaxDevice
}
