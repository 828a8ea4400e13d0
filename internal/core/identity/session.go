package identity

import (
	"encoding/hex"
	"slices"

	"bourse/internal/core/accounts"
	"bourse/internal/core/slab"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// session is what is kept of a session beside its key.
type session struct {
	Key      schema.KeyID
	LastUsed schema.Time // within touchEvery
	Wrong    uint8       // wrong factors at step-up, in a row
	Once     []once      // what was used up, the oldest first
	Allowed  schema.Time // the AuthAt by which a client was let in last
	has      map[schema.Digest]bool
	slab.Links
}

func (s *session) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "key", &s.Key)
	wire.Int(c, 2, "last_used", &s.LastUsed)
	wire.Uint(c, 3, "wrong", &s.Wrong)
	wire.List(c, 4, "once", &s.Once)
	wire.Int(c, 5, "allowed", &s.Allowed)
}

// once is something that counts once, and when it was used up.
type once struct {
	Digest schema.Digest
	At     schema.Time
}

func (o *once) Fields(c *wire.Coder) {
	c.Array(1, "digest", o.Digest[:])
	wire.Int(c, 2, "at", &o.At)
}

// firstBorn is the session that began first, or nil.
func (i *Identity) firstBorn() *schema.Key {
	for len(i.born) > 0 {
		if i.byKey[i.born[0]] != 0 {
			return i.accounts.Session(i.born[0])
		}
		i.born = i.born[1:]
	}
	return nil
}

// public is the public part of the key that a session is.
func public(digest schema.Digest) string { return hex.EncodeToString(digest[:]) }

// mayBegin checks what a session is to be recognized by.
func (i *Identity) mayBegin(digest schema.Digest, device string) schema.Rejection {
	name := public(digest)
	if digest.IsZero() || i.accounts.SessionTaken(name) || !accounts.ValidSession(&schema.Key{Key: name, Title: device}) {
		return schema.Refuse(schema.SessionInvalid)
	}
	return schema.Rejection{}
}

// begin begins a session that mayBegin, of one who gave a factor at a moment. If the account has too many, the oldest one ends.
func (i *Identity) begin(account schema.AccountID, user schema.UserID, digest schema.Digest, device string, proven schema.Time) {
	if all := i.accounts.Sessions(account); len(all) >= accounts.SessionsMost {
		i.end(all[0])
	}
	id := i.accounts.OpenSession(schema.Key{
		Key: public(digest), Account: account, Title: device, User: user, AuthAt: proven, Expires: i.out.Time + sessionLife,
	}, i.out)
	i.addSession(session{Key: id, LastUsed: i.out.Time})
	i.born = append(i.born, id)
	i.out.Result.ID, i.out.Result.Sign = uint64(id), schema.SignedIn
}

func (i *Identity) addSession(s session) {
	place, at := i.sessions.Take()
	s.has = make(map[schema.Digest]bool, len(s.Once))
	for _, o := range s.Once {
		s.has[o.Digest] = true
	}
	*at = s
	i.sessions.Push(&i.used, place)
	i.byKey[s.Key] = place
}

// end ends a session that is there.
func (i *Identity) end(key schema.KeyID) {
	place := i.byKey[key]
	i.sessions.Pull(place)
	*i.sessions.At(place) = session{}
	i.sessions.Give(place)
	delete(i.byKey, key)
	i.accounts.EndSession(key)
}

// endAll ends the sessions of an account but one.
func (i *Identity) endAll(account schema.AccountID, except schema.KeyID) {
	for _, key := range slices.Clone(i.accounts.Sessions(account)) {
		if key != except {
			i.end(key)
		}
	}
}

// Close ends what lets anybody into an account that is deleted. Of its user only the number stays: login and passkeys are free for others.
func (i *Identity) Close(account schema.AccountID) {
	i.endAll(account, 0)
	if u := i.byAccount[account]; u != nil {
		i.unindex(u)
		*u = schema.User{ID: u.ID, Account: u.Account, Generation: u.Generation + 1, Created: u.Created}
		i.changed(u)
	}
	if place := i.invited[account]; place != 0 {
		i.withdraw(place)
	}
}

// alive is a session that is not over at a moment.
func (i *Identity) alive(key schema.KeyID, at schema.Time) (*session, schema.Rejection) {
	place := i.byKey[key]
	if place == 0 {
		return nil, schema.Refuse(schema.SessionUnknown)
	}
	s := i.sessions.At(place)
	if at >= s.LastUsed+sessionIdle || at >= i.accounts.Session(key).Expires {
		return nil, schema.Refuse(schema.SessionUnknown)
	}
	return s, schema.Rejection{}
}

// useSession uses up what makes a command of a session unique, if the session lives at the moment of the command; what came by a connection
// that was authorized has nothing of that kind. No command comes from before the clock of the exchange.
func (i *Identity) useSession(from schema.Origin, at, clock schema.Time) schema.Rejection {
	s, r := i.alive(from.Key, at)
	digest := from.Once
	switch {
	case r.Refused() || from.Authorized:
		return r
	case digest.IsZero():
		return schema.Refuse(schema.KeyRefused)
	case s.has[digest] && slices.ContainsFunc(s.Once, func(o once) bool { return o.Digest == digest && at < o.At+onceLife }):
		return schema.Refuse(schema.OnceUsed)
	}
	old := 0
	for old < len(s.Once) && s.Once[old].At+onceLife <= clock {
		old++
	}
	if len(s.Once)-old >= onceMost {
		return schema.Refuse(schema.OnceTooMany)
	}
	for _, o := range s.Once[:old] {
		delete(s.has, o.Digest)
	}
	s.Once = append(slices.DeleteFunc(s.Once[old:], func(o once) bool { return o.Digest == digest }), once{digest, at})
	s.has[digest] = true
	return schema.Rejection{}
}

// Used notes that a command of a session was accepted.
func (i *Identity) Used(key schema.KeyID) {
	place := i.byKey[key]
	if place == 0 { // the command ended it
		return
	}
	if s := i.sessions.At(place); i.out.Time >= s.LastUsed+touchEvery {
		s.LastUsed = i.out.Time
		i.sessions.Pull(place)
		i.sessions.Push(&i.used, place)
	}
}

func (i *Identity) touch(m *schema.TouchSession) schema.Rejection {
	if _, r := i.alive(m.Key, i.out.Time); r.Refused() {
		return r
	}
	i.Used(m.Key)
	return schema.Rejection{}
}

func (i *Identity) signOut(m *schema.SignOut) schema.Rejection {
	if i.accounts.Get(m.Account) == nil {
		return schema.Refuse(schema.AccountUnknown)
	}
	if m.Key == 0 {
		i.endAll(m.Account, m.Except)
		return schema.Rejection{}
	}
	if i.byKey[m.Key] == 0 || i.accounts.Owner(m.Key) != m.Account {
		return schema.Refuse(schema.SessionUnknown)
	}
	i.end(m.Key)
	return schema.Rejection{}
}

// Unspent reports whether nothing was allowed yet by the last factor that was given in a session, which is there.
func (i *Identity) Unspent(key schema.KeyID) bool {
	return i.sessions.At(i.byKey[key]).Allowed < i.accounts.Session(key).AuthAt
}

// Spend notes that something was allowed by the last factor that was given in a session, which is there.
func (i *Identity) Spend(key schema.KeyID) {
	i.sessions.At(i.byKey[key]).Allowed = i.accounts.Session(key).AuthAt
}

// LastUsed is when a session was last used, within ten minutes; 0: it is none.
func (i *Identity) LastUsed(key schema.KeyID) schema.Time {
	if place := i.byKey[key]; place != 0 {
		return i.sessions.At(place).LastUsed
	}
	return 0
}
