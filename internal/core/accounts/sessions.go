package accounts

import (
	"slices"

	"bourse/internal/schema"
)

// SessionsMost is how many sessions an account may have; the oldest ends when another begins.
const SessionsMost = 20

// OpenSession makes a session: a key without a secret. Its digest must be new (SessionTaken).
func (a *Accounts) OpenSession(set schema.Key, out *schema.Outcome) schema.KeyID {
	set.ID, set.Created, set.Web, set.Enabled, set.URLs = a.last+1, out.Time, true, true, []string{schema.AllURLs}
	a.SetLastKey(set.ID)
	a.addKey(KeyRecord{Key: set})
	out.Events.Add(&schema.KeyChanged{Key: set})
	return set.ID
}

// SessionTaken reports whether a key with the public part of a session is there.
func (a *Accounts) SessionTaken(public string) bool { return a.keys[public] != nil }

// Session is the session with an id, or nil.
func (a *Accounts) Session(id schema.KeyID) *schema.Key {
	if k := a.key(id); k != nil && k.Key.Web {
		return &k.Key
	}
	return nil
}

// Owner is whose key an id is, which is there.
func (a *Accounts) Owner(id schema.KeyID) schema.AccountID { return a.key(id).Key.Account }

// Sessions of an account, the oldest first.
func (a *Accounts) Sessions(id schema.AccountID) []schema.KeyID { return a.sessions[id] }

// Authenticated notes that the user of a session, which is there, gave a factor. It comes after every other one of the session, also while
// the clock of the exchange stands still.
func (a *Accounts) Authenticated(id schema.KeyID, out *schema.Outcome) {
	k := a.key(id)
	k.Key.AuthAt = max(out.Time, k.Key.AuthAt+1)
	out.Events.Add(&schema.KeyChanged{Key: k.Key})
}

// EndSession ends a session that is there.
func (a *Accounts) EndSession(id schema.KeyID) {
	k := a.key(id)
	of := a.sessions[k.Key.Account]
	at := slices.Index(of, id)
	if of = slices.Delete(of, at, at+1); len(of) == 0 {
		delete(a.sessions, k.Key.Account)
	} else {
		a.sessions[k.Key.Account] = of
	}
	a.removeKey(k)
}

// Restrict lets nothing leave an account before a moment.
func (a *Accounts) Restrict(id schema.AccountID, until schema.Time, out *schema.Outcome) {
	account := a.Get(id)
	if account.RestrictedUntil < until {
		account.RestrictedUntil = until
		out.Events.Add(&schema.AccountChanged{Account: *account})
	}
}

// checkKept checks a key of a snapshot, which may be a session.
func (a *Accounts) checkKept(k *KeyRecord) schema.Rejection {
	set := &k.Key
	if !set.Web {
		return a.checkKey(set)
	}
	if a.Get(set.Account) == nil {
		return schema.Refuse(schema.AccountUnknown)
	}
	if !ValidSession(set) || len(set.Sealed) > 0 || !set.Enabled || len(set.URLs) != 1 || set.URLs[0] != schema.AllURLs || len(set.Addresses) > 0 ||
		len(a.sessions[set.Account]) >= SessionsMost || k.Nonces.highest > 0 {
		return schema.Refuse(schema.KeyInvalid)
	}
	return schema.Rejection{}
}

// ValidSession reports whether a session has a digest for its public part, and a device that can be kept.
func ValidSession(k *schema.Key) bool { return len(k.Key) == 64 && len(k.Title) <= schema.MaxDevice }
