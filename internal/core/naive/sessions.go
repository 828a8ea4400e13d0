package naive

import (
	"cmp"
	"encoding/hex"
	"slices"

	"bourse/internal/schema"
)

// Bounds of sessions.
const (
	sessionsMost = 20 // of an account
	onceMost     = 1000

	sessionFor = 30 * oneDay
	idleFor    = oneDay
	touchEvery = 10 * minute
	onceFor    = 10 * minute
)

// alive reports whether a session is not over at a moment. One that is over stays until a tick.
func (k *key) alive(at schema.Time) bool { return at < k.ends() }

// ends is when a session ends if it is not used before.
func (k *key) ends() schema.Time { return min(k.Expires, k.used+idleFor) }

// session finds one that is not over, or nil.
func (a *accounts) session(id schema.KeyID) *key {
	if k := a.key(id); k != nil && k.Web && k.alive(a.call.at) {
		return k
	}
	return nil
}

// publicOf is the public part of the key that a session is.
func publicOf(d schema.Digest) string { return hex.EncodeToString(d[:]) }

// freeSession looks at the digest and the device of a session that is to begin.
func (a *accounts) freeSession(d schema.Digest, device string) bool {
	return d != schema.Digest{} && len(device) <= deviceMost && a.public(publicOf(d)) == nil
}

// use notes that a session is used, to ten minutes.
func (a *accounts) use(k *key) {
	if k.Web && a.call.at >= k.used+touchEvery {
		a.used(k)
	}
}

// used notes when a session is used, and after which others.
func (a *accounts) used(k *key) {
	a.turns++
	k.used, k.turn = a.call.at, a.turns
}

// admitSession looks at a session that a command came by, and uses up what makes the command unique. It is remembered until the clock of the exchange,
// which refused commands do not move, is ten minutes on.
func (a *accounts) admitSession(k *key, from schema.Origin) schema.Rejection {
	if !k.alive(a.call.at) {
		return because(schema.SessionUnknown)
	}
	if from.Authorized {
		return accepted
	}
	if (from.Once == schema.Digest{}) {
		return because(schema.KeyRefused)
	}
	if slices.ContainsFunc(k.once, func(used usedUp) bool { return used.digest == from.Once && a.call.at < used.at+onceFor }) {
		return because(schema.OnceUsed)
	}
	k.once = slices.DeleteFunc(k.once, func(used usedUp) bool { return a.call.clock >= used.at+onceFor })
	if len(k.once) >= onceMost {
		return because(schema.OnceTooMany)
	}
	k.once = slices.DeleteFunc(k.once, func(used usedUp) bool { return used.digest == from.Once })
	k.once = append(k.once, usedUp{from.Once, a.call.at})
	return accepted
}

// judge looks whether a command needs a factor that the user does not have, or did not give lately.
func (u *users) judge(from schema.Origin, cmd schema.Command) schema.Rejection {
	k := u.accounts.key(from.Key)
	if k == nil {
		return accepted
	}
	if _, is := cmd.(*schema.RequestWithdrawal); is {
		if user := u.responsible(k.Account); user != nil && !protected(user) {
			return because(schema.FactorMissing)
		}
	}
	if account, _ := u.accounts.customer(k.Account); k.Web && account.Parent != 0 {
		switch cmd.(type) {
		case *schema.RequestWithdrawal, *schema.RefundDeposit, *schema.CreateCode, *schema.ApplyCode, *schema.PayExpress: // by keys that the master makes alone
			return because(schema.SubNotPermitted)
		}
	}
	if k.Web && k.User != 0 && sensitive(cmd) && u.call.at >= k.AuthAt+freshFor {
		return because(schema.StepUpNeeded)
	}
	return accepted
}

// responsible is the user of an account, or, of a sub-account that has none, that of its master; nil: there is none.
func (u *users) responsible(id schema.AccountID) *schema.User {
	account, _ := u.accounts.customer(id)
	if user := u.of(id); user != nil || account.Parent == 0 {
		return user
	}
	return u.of(account.Parent)
}

// sensitive reports whether sessions need a fresh factor for a command: what lets money leave, what masters do to sub-accounts, what changes
// keys and webhooks, and what clients are let in by.
func sensitive(cmd schema.Command) bool {
	switch cmd.(type) {
	case *schema.RequestWithdrawal, *schema.RefundDeposit, *schema.CreateCode, *schema.ApplyCode, *schema.RequestExpress, *schema.PayExpress, *schema.MoveSub,
		*schema.SetSub, *schema.DeleteSub, *schema.BlockSub, *schema.ConfirmWithdrawal,
		*schema.OpenKey, *schema.EditKey, *schema.SetKeyAddress, *schema.CloseKey, *schema.ResetKey, *schema.SetWebhook, *schema.AuthorizePartner,
		*schema.Invite:
		return true
	}
	return false
}

// begin makes a session. The oldest ends if there are too many.
func (u *users) begin(a schema.AccountID, user schema.UserID, d schema.Digest, device string, proven schema.Time) schema.Result {
	var all []*key
	for _, k := range u.accounts.keysOf(a) {
		if k.Web {
			all = append(all, k)
		}
	}
	if len(all) >= sessionsMost {
		u.accounts.endKey(all[0])
	}
	result := u.accounts.addKey(schema.Key{
		Key: publicOf(d), Account: a, Title: device, Enabled: true, URLs: []string{allURLs}, Web: true, User: user, AuthAt: proven,
		Expires: u.call.at + sessionFor,
	})
	u.accounts.used(u.accounts.key(schema.KeyID(result.ID)))
	result.Sign = schema.SignedIn
	return result
}

func (u *users) signIn(c *schema.SignIn) schema.Result {
	if c.User == 0 {
		return u.press(c)
	}
	user := u.user(c.User)
	switch {
	case user == nil:
		return refuse(schema.UserUnknown)
	case refused(u.acts(user.Account)):
		return reject(u.acts(user.Account))
	case c.Generation != user.Generation:
		return refuse(schema.GenerationOld)
	case c.Proof.Kind != schema.ByPasskey && !c.Known && u.call.at < user.LockedUntil:
		return refuse(schema.SignInLocked)
	}
	outcome, use, r := u.prove(user, &c.Proof)
	switch {
	case refused(r):
		return reject(r)
	case outcome != schema.SignedIn:
		user.Wrong++
		if user.Wrong == wrongMost {
			user.Wrong = 0
			user.LockedUntil = max(user.LockedUntil, u.call.at+min(firstLock<<user.Locks, longestLock))
			user.Locks = min(user.Locks+1, locksMost)
		}
		u.changed(user)
		return schema.Result{Sign: outcome}
	case !u.accounts.freeSession(c.Session, c.Device):
		return refuse(schema.SessionInvalid)
	}
	use()
	user.Wrong, user.Locks = 0, 0
	u.changed(user)
	return u.begin(user.Account, user.ID, c.Session, c.Device, u.call.at)
}

// press is the button of a demo, for accounts that have no user.
func (u *users) press(c *schema.SignIn) schema.Result {
	switch {
	case refused(u.acts(c.Account)):
		return reject(u.acts(c.Account))
	case c.Proof.Kind != schema.ByDemo, u.of(c.Account) != nil:
		return refuse(schema.UserUnknown)
	case !u.accounts.freeSession(c.Session, c.Device):
		return refuse(schema.SessionInvalid)
	}
	return u.begin(c.Account, 0, c.Session, c.Device, u.call.at)
}

// acts refuses people whose account may not act.
func (u *users) acts(a schema.AccountID) schema.Rejection {
	_, r := u.accounts.trader(a)
	return r
}

// bySession finds a session and its user, who must not have changed a factor since somebody looked.
func (u *users) bySession(id schema.KeyID, generation uint32) (*key, *schema.User, schema.Rejection) {
	k := u.accounts.session(id)
	if k == nil {
		return nil, nil, because(schema.SessionUnknown)
	}
	user := u.user(k.User)
	switch {
	case user == nil:
		return nil, nil, because(schema.UserUnknown)
	case refused(u.acts(user.Account)):
		return nil, nil, u.acts(user.Account)
	case user.Generation != generation:
		return nil, nil, because(schema.GenerationOld)
	}
	return k, user, accepted
}

func (u *users) stepUp(c *schema.StepUp) schema.Result {
	k, user, r := u.bySession(c.Key, c.Generation)
	if refused(r) {
		return reject(r)
	}
	outcome, use, r := u.prove(user, &c.Proof)
	if refused(r) {
		return reject(r)
	}
	if outcome != schema.SignedIn {
		k.wrong++
		if k.wrong == wrongMost {
			u.accounts.endKey(k)
		}
		return schema.Result{Sign: outcome}
	}
	use()
	u.changed(user)
	k.wrong, k.AuthAt = 0, max(u.call.at, k.AuthAt+1) // each is newer than the one before
	u.call.record(&schema.KeyChanged{Key: k.Key})
	return schema.Result{Sign: outcome}
}

func (u *users) signOut(c *schema.SignOut) schema.Rejection {
	if _, r := u.accounts.customer(c.Account); refused(r) {
		return r
	}
	if c.Key != 0 {
		k := u.accounts.key(c.Key)
		if k == nil || !k.Web || k.Account != c.Account {
			return because(schema.SessionUnknown)
		}
		u.accounts.endKey(k)
		return accepted
	}
	for _, k := range u.accounts.keysOf(c.Account) {
		if k.Web && k.ID != c.Except {
			u.accounts.endKey(k)
		}
	}
	return accepted
}

func (u *users) touch(c *schema.TouchSession) schema.Rejection {
	k := u.accounts.session(c.Key)
	if k == nil {
		return because(schema.SessionUnknown)
	}
	u.accounts.use(k)
	return accepted
}

// tick ends the sessions that are over, and forgets invitations and challenges that are.
func (u *users) tick() {
	u.invitations = u.invited()
	u.challenges = slices.DeleteFunc(u.challenges, func(used usedUp) bool { return u.call.at >= used.at+challengeFor })
	over := slices.DeleteFunc(slices.Clone(u.accounts.keys), func(k *key) bool { return !k.Web || k.alive(u.call.at) })
	slices.SortFunc(over, func(a, b *key) int { return cmp.Compare(a.turn, b.turn) })
	for _, k := range over { // those that nobody used first
		if u.call.at >= k.used+idleFor {
			u.accounts.endKey(k)
		}
	}
	slices.SortFunc(over, func(a, b *key) int { return cmp.Compare(a.ID, b.ID) })
	for _, k := range over {
		if u.call.at < k.used+idleFor {
			u.accounts.endKey(k)
		}
	}
}

// due are when sessions, invitations and challenges end.
func (u *users) due() (list []schema.Time) {
	for _, i := range u.invitations {
		list = append(list, i.Expires)
	}
	for _, used := range u.challenges {
		list = append(list, used.at+challengeFor)
	}
	for _, k := range u.accounts.keys {
		if k.Web {
			list = append(list, k.ends())
		}
	}
	return list
}
