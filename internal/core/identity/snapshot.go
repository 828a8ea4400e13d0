package identity

import (
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core/product"
	"bourse/internal/schema"
)

// Sections are the users, the open invitations, the sessions and the challenges that were answered.
func (i *Identity) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagUsers, Name: "users", Version: 1, Write: i.writeUsers, Read: i.readUsers},
		{Tag: product.TagInvitations, Name: "invitations", Version: 1, Write: i.writeInvitations, Read: i.readInvitations},
		{Tag: product.TagSessions, Name: "sessions", Version: 1, Write: i.writeSessions, Read: i.readSessions},
		{Tag: product.TagChallenges, Name: "challenges", Version: 1, Write: i.writeChallenges, Read: i.readChallenges},
	}
}

func (i *Identity) writeUsers(w *product.Writer) {
	for _, u := range i.users {
		w.Message(u)
	}
}

func (i *Identity) readUsers(r *product.Reader) error {
	for u, err := range product.Messages[schema.User](r) {
		if err != nil {
			return err
		}
		if err := i.checkUser(u); err != nil {
			return fmt.Errorf("user %d: %w", u.ID, err)
		}
		kept := *u
		i.users = append(i.users, &kept)
		if !ended(&kept) {
			i.index(&kept)
		}
	}
	return nil
}

// checkUser refuses a user whom no command could have left.
func (i *Identity) checkUser(u *schema.User) error {
	f := schema.Factors{Password: u.Password, TOTP: u.TOTP, Passkeys: u.Passkeys}
	switch {
	case u.ID != schema.UserID(len(i.users)+1):
		return errors.New("it stands in the wrong place")
	case ended(u) && u.Generation > 1 && i.accounts.Get(u.Account) != nil && i.accounts.Living(u.Account) == nil:
		return nil
	case i.accounts.Get(u.Account) == nil || i.byAccount[u.Account] != nil:
		return errors.New("its account is not there, or has another")
	case u.Login.IsZero() || i.byLogin[u.Login] != nil || len(u.Name) == 0 || len(u.Name) > schema.MaxSealedFactor:
		return errors.New("its login stands there twice, or cannot be one")
	case !validFactors(&f) || !i.newPasskeys(u.Passkeys, nil) || len(u.Passkeys) > schema.MaxPasskeys || len(u.Password) == 0 && len(u.Passkeys) == 0,
		len(u.TOTP) > 0 && len(u.Password) == 0, (u.Step == 0) != (len(u.TOTP) == 0):
		return errors.New("its factors cannot be")
	case u.Generation == 0 || u.Wrong >= wrongMost || u.Locks > locksMost || u.LockedUntil < 0:
		return errors.New("its counters cannot be")
	}
	for p := range u.Passkeys {
		if passkeyOf(u, u.Passkeys[p].ID) != p {
			return errors.New("it has a passkey twice")
		}
	}
	return nil
}

// ended reports whether only the number of a user is left, because the account was deleted.
func ended(u *schema.User) bool {
	return u.Login.IsZero() && len(u.Name)+len(u.Password)+len(u.TOTP)+len(u.Passkeys) == 0 && u.Step == 0 && u.Wrong == 0 && u.Locks == 0 && u.LockedUntil == 0
}

func (i *Identity) writeInvitations(w *product.Writer) {
	for place := i.open.First; place != 0; place = i.invitations.At(place).After {
		w.Message(&i.invitations.At(place).Invitation)
	}
}

func (i *Identity) readInvitations(r *product.Reader) error {
	last := schema.Time(0)
	for m, err := range product.Messages[schema.Invitation](r) {
		if err != nil {
			return err
		}
		if i.accounts.Get(m.Account) == nil || i.invited[m.Account] != 0 || i.wanted[m.Login] != 0 || m.Expires < last || i.mayInvite(m).Refused() {
			return fmt.Errorf("the invitation to account %d cannot be", m.Account)
		}
		last = m.Expires
		i.addInvitation(m)
	}
	return nil
}

func (i *Identity) writeSessions(w *product.Writer) {
	for place := i.used.First; place != 0; place = i.sessions.At(place).After {
		w.Message(i.sessions.At(place))
	}
}

func (i *Identity) readSessions(r *product.Reader) error {
	last := schema.Time(0)
	for s, err := range product.Messages[session](r) {
		if err != nil {
			return err
		}
		key := i.accounts.Session(s.Key)
		if key == nil || i.byKey[s.Key] != 0 || s.LastUsed < last || s.Wrong >= wrongMost || len(s.Once) > onceMost || !distinct(s.Once) ||
			s.Allowed < 0 || s.Allowed > key.AuthAt {
			return fmt.Errorf("session %d cannot be", s.Key)
		}
		if u := i.User(key.User); key.User != 0 && (u == nil || u.Account != key.Account) {
			return fmt.Errorf("session %d is of a user of another account", s.Key)
		}
		last = s.LastUsed
		i.addSession(*s)
		i.born = append(i.born, s.Key)
	}
	slices.Sort(i.born)
	return nil
}

func (i *Identity) writeChallenges(w *product.Writer) {
	for c := range i.challenges {
		w.Message(&i.challenges[c])
	}
}

func (i *Identity) readChallenges(r *product.Reader) error {
	for c, err := range product.Messages[once](r) {
		if err != nil {
			return err
		}
		n := len(i.challenges)
		if c.Digest.IsZero() || i.answered[c.Digest] || n >= challengesMost || n > 0 && c.At < i.challenges[n-1].At {
			return errors.New("a challenge cannot be, or stands there twice")
		}
		i.challenges = append(i.challenges, *c)
		i.answered[c.Digest] = true
	}
	return nil
}

// distinct reports whether nothing was used up twice.
func distinct(list []once) bool {
	seen := make(map[schema.Digest]bool, len(list))
	for _, o := range list {
		if o.Digest.IsZero() || seen[o.Digest] {
			return false
		}
		seen[o.Digest] = true
	}
	return true
}

// Verify holds what finds users and sessions against what there is.
func (i *Identity) Verify() error {
	passkeys := 0
	users := 0
	for _, u := range i.users {
		if ended(u) {
			continue
		}
		users++
		if i.byAccount[u.Account] != u || i.byLogin[u.Login] != u {
			return fmt.Errorf("identity: user %d is not found", u.ID)
		}
		for p := range u.Passkeys {
			if i.byPasskey[string(u.Passkeys[p].ID)] != u.ID {
				return fmt.Errorf("identity: a passkey of user %d is not found", u.ID)
			}
		}
		passkeys += len(u.Passkeys)
	}
	if users != len(i.byAccount) || users != len(i.byLogin) || passkeys != len(i.byPasskey) {
		return fmt.Errorf("identity: there are %d users, and %d accounts, %d logins and %d of %d passkeys of theirs are found", users, len(i.byAccount), len(i.byLogin), len(i.byPasskey), passkeys)
	}
	return i.verifySessions()
}

func (i *Identity) verifySessions() error {
	count, last := 0, schema.Time(0)
	for place := i.used.First; place != 0; place = i.sessions.At(place).After {
		s := i.sessions.At(place)
		if i.accounts.Session(s.Key) == nil || i.byKey[s.Key] != place || s.LastUsed < last || len(s.Once) != len(s.has) {
			return fmt.Errorf("identity: session %d has no key, is not found or stands in the wrong place", s.Key)
		}
		count, last = count+1, s.LastUsed
	}
	expires := schema.Time(0)
	for _, k := range i.accounts.Keys() {
		if !k.Key.Web {
			continue
		}
		if k.Key.Expires < expires {
			return fmt.Errorf("identity: session %d ends before one that is older", k.Key.ID)
		}
		count, expires = count-1, k.Key.Expires
	}
	if count != 0 {
		return fmt.Errorf("identity: there are %d more sessions than keys of sessions", count)
	}
	return nil
}
