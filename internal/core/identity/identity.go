// Package identity keeps the people who sign in to accounts: by what they prove who they are, the links that invite them, and their
// sessions. A session is a key of its account (core/accounts) with an end; what it uses up is kept here.
//
// The doors judge passwords, codes and signatures, because that takes secrets; they say by which Generation of a user they judged. What
// must hold at this place of the log is decided here: a code, a challenge and an invitation count once, a session that ended does nothing,
// and what was judged by factors that were changed meanwhile does not count.
//
// What must hold: an account has one user at most, a login, a passkey and an open invitation belong to one account; every web key has one
// session, and every session its key.
package identity

import (
	"slices"

	"bourse/internal/core/accounts"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/schema"
)

const (
	minute = 60 * schema.Second
	hour   = 60 * minute
	day    = 24 * hour
)

// Lives and bounds.
const (
	invitationLife = 72 * hour
	sessionLife    = 30 * day
	sessionIdle    = day
	touchEvery     = 10 * minute // how exactly it is known when a session was used
	stepUpLife     = 5 * minute  // of a factor that was given
	challengeLife  = 5 * minute
	onceLife       = 10 * minute
	restriction    = 3 * day // after a change of a factor
	lockFirst      = 15 * minute
	lockLongest    = day

	wrongMost      = 5 // factors in a row
	onceMost       = 1000
	challengesMost = 100_000
	slice          = 500 // things that a Tick ends
)

// Identity is all users, invitations and sessions. The maps are only ever asked, never gone through.
type Identity struct {
	product.Base
	accounts *accounts.Accounts
	out      *schema.Outcome
	// OnFactor ends what was approved with factors that changed.
	OnFactor func(schema.AccountID)

	users     []*schema.User // user i+1
	byAccount map[schema.AccountID]*schema.User
	byLogin   map[schema.Digest]*schema.User
	byPasskey map[string]schema.UserID

	invitations slab.Shelf[invitation, *invitation]
	open        slab.List // in the order in which they end
	invited     map[schema.AccountID]uint32
	byLink      map[schema.Digest]uint32
	wanted      map[schema.Digest]uint32 // by login

	sessions slab.Shelf[session, *session]
	used     slab.List // in the order in which they were last used
	byKey    map[schema.KeyID]uint32
	born     []schema.KeyID // sessions in the order in which they end at the latest; some may be over already

	challenges []once // that were answered, the oldest first
	answered   map[schema.Digest]bool
}

// New makes an identity without users.
func New(a *accounts.Accounts, out *schema.Outcome) *Identity {
	i := &Identity{
		accounts: a, out: out, byAccount: map[schema.AccountID]*schema.User{}, byLogin: map[schema.Digest]*schema.User{},
		byPasskey: map[string]schema.UserID{}, invited: map[schema.AccountID]uint32{}, byLink: map[schema.Digest]uint32{},
		wanted: map[schema.Digest]uint32{}, byKey: map[schema.KeyID]uint32{}, answered: map[schema.Digest]bool{},
	}
	a.UseSession = i.useSession
	return i
}

// Commands registers what can be done about users and sessions.
func (i *Identity) Commands(h *product.Handlers) {
	product.On(h, i.invite)
	product.On(h, i.enrol)
	product.On(h, i.signIn)
	product.On(h, i.stepUp)
	product.On(h, i.signOut)
	product.On(h, i.setFactor)
	product.On(h, i.touch)
}

// User is the user with an id, or nil.
func (i *Identity) User(id schema.UserID) *schema.User {
	if id == 0 || int(id) > len(i.users) {
		return nil
	}
	return i.users[id-1]
}

// UserOf is the user of an account, or nil.
func (i *Identity) UserOf(id schema.AccountID) *schema.User { return i.byAccount[id] }

// Users are all there are, by id.
func (i *Identity) Users() []*schema.User { return i.users }

// NextTimer is when the next session, invitation or challenge is over.
func (i *Identity) NextTimer() (next schema.Time, running bool) {
	due := func(at schema.Time) {
		if !running || at < next {
			next, running = at, true
		}
	}
	if i.used.First != 0 {
		due(i.sessions.At(i.used.First).LastUsed + sessionIdle)
	}
	if key := i.firstBorn(); key != nil {
		due(key.Expires)
	}
	if i.open.First != 0 {
		due(i.invitations.At(i.open.First).Expires)
	}
	if len(i.challenges) > 0 {
		due(i.challenges[0].At + challengeLife)
	}
	return next, running
}

// Tick ends what is over, some at once; the timer stays due for the others.
func (i *Identity) Tick() {
	left := slice
	for ; left > 0 && i.used.First != 0; left-- {
		s := i.sessions.At(i.used.First)
		if i.out.Time < s.LastUsed+sessionIdle {
			break
		}
		i.end(s.Key)
	}
	for ; left > 0; left-- {
		key := i.firstBorn()
		if key == nil || i.out.Time < key.Expires {
			break
		}
		i.end(key.ID)
	}
	for ; left > 0 && i.open.First != 0 && i.invitations.At(i.open.First).Expires <= i.out.Time; left-- {
		i.withdraw(i.open.First)
	}
	for ; left > 0 && len(i.challenges) > 0 && i.challenges[0].At+challengeLife <= i.out.Time; left-- {
		i.forgetChallenge()
	}
}

// changed lets everyone know a user. What is handed out is never changed.
func (i *Identity) changed(u *schema.User) {
	shown := *u
	shown.Passkeys = slices.Clone(u.Passkeys)
	i.out.Events.Add(&schema.UserChanged{User: shown})
}

// index makes a user findable.
func (i *Identity) index(u *schema.User) {
	i.byAccount[u.Account], i.byLogin[u.Login] = u, u
	for p := range u.Passkeys {
		i.byPasskey[string(u.Passkeys[p].ID)] = u.ID
	}
}

// unindex is the reverse.
func (i *Identity) unindex(u *schema.User) {
	delete(i.byAccount, u.Account)
	delete(i.byLogin, u.Login)
	for p := range u.Passkeys {
		delete(i.byPasskey, string(u.Passkeys[p].ID))
	}
}
