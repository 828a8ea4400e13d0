package naive

import (
	"bytes"
	"slices"

	"bourse/internal/schema"
)

// Bounds of users and what they prove who they are by, and how long things of theirs last.
const (
	sealedFactorMost = 512
	passkeyIDMost    = 1023
	passkeyKeyMost   = 1024
	deviceMost       = 64
	passkeysMost     = 10 // of a user
	wrongMost        = 5  // factors, before something ends
	locksMost        = 7  // that are counted: longer than a day none is

	invitedFor   = 72 * hour
	frozenFor    = 3 * oneDay
	firstLock    = 15 * minute
	longestLock  = oneDay
	challengeFor = 5 * minute
	freshFor     = 5 * minute // a factor
)

// users are the people who sign in, one of an account, and the invitations of those who may.
type users struct {
	call        *call
	accounts    *accounts
	oauth       *oauth
	all         []*schema.User // by id
	last        schema.UserID
	invitations []schema.Invitation
	challenges  []usedUp // of passkeys; they are forgotten by the first tick after five minutes
	most        *int     // challenges that are remembered
}

// usedUp is what counts once, and when it was used.
type usedUp struct {
	digest schema.Digest
	at     schema.Time
}

func (u *users) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.Invite:
		result = u.invite(c)
	case *schema.Enrol:
		result = u.enrol(c)
	case *schema.SignIn:
		result = u.signIn(c)
	case *schema.StepUp:
		result = u.stepUp(c)
	case *schema.SignOut:
		result = reject(u.signOut(c))
	case *schema.SetFactor:
		result = u.setFactor(c)
	case *schema.TouchSession:
		result = reject(u.touch(c))
	default:
		return nil
	}
	return &result
}

// user finds one, or nil.
func (u *users) user(id schema.UserID) *schema.User {
	for _, known := range u.all {
		if known.ID == id {
			return known
		}
	}
	return nil
}

// of is the user of an account, or nil.
func (u *users) of(a schema.AccountID) *schema.User {
	for _, known := range u.all {
		if known.Account == a && known.Login != (schema.Digest{}) {
			return known
		}
	}
	return nil
}

func (u *users) changed(user *schema.User) {
	copied := *user
	copied.Passkeys = slices.Clone(user.Passkeys)
	u.call.record(&schema.UserChanged{User: copied})
}

// invited are the invitations that are not over.
func (u *users) invited() (list []schema.Invitation) {
	for _, i := range u.invitations {
		if u.call.at < i.Expires {
			list = append(list, i)
		}
	}
	return list
}

func (u *users) invite(c *schema.Invite) schema.Result {
	if _, r := u.accounts.living(c.Account); refused(r) {
		return reject(r)
	}
	if k := u.accounts.key(u.call.key); k != nil {
		if r := u.byMaster(k, c.Account); refused(r) {
			return reject(r)
		}
	}
	others := slices.DeleteFunc(u.invited(), func(i schema.Invitation) bool { return i.Account == c.Account })
	sameLink := slices.ContainsFunc(u.invitations, func(i schema.Invitation) bool { return i.Digest == c.Digest })
	sameLogin := slices.ContainsFunc(others, func(i schema.Invitation) bool { return i.Login == c.Login }) ||
		slices.ContainsFunc(u.all, func(user *schema.User) bool { return user.Account != c.Account && user.Login == c.Login })
	switch {
	case c.Digest == schema.Digest{}, c.Login == schema.Digest{}, len(c.Name) < 1, len(c.Name) > sealedFactorMost, sameLink:
		return refuse(schema.InvitationInvalid)
	case sameLogin:
		return refuse(schema.LoginTaken)
	}
	u.uninvite(c.Account)
	u.invitations = slices.DeleteFunc(u.invitations, func(i schema.Invitation) bool { return i.Login == c.Login }) // it is over
	u.invitations = append(u.invitations, schema.Invitation{
		Account: c.Account, Digest: c.Digest, Login: c.Login, Name: slices.Clone(c.Name), Expires: u.call.at + invitedFor,
	})
	return schema.Result{ID: uint64(c.Account)}
}

// byMaster looks whether a key may invite somebody to an account: only masters who are signed in do, to sub-accounts that nobody blocked and that
// have no user.
func (u *users) byMaster(k *key, a schema.AccountID) schema.Rejection {
	if !k.Web {
		return because(schema.KeyNotAllowed)
	}
	sub, r := u.accounts.asMaster(k.Account, a)
	switch {
	case refused(r):
		return r
	case sub.Blocked, sub.Status == schema.SubBlocked:
		return because(schema.SubInactive)
	case u.of(a) != nil:
		return because(schema.UserExists)
	}
	return accepted
}

// uninvite ends the invitation of an account.
func (u *users) uninvite(a schema.AccountID) {
	u.invitations = slices.DeleteFunc(u.invitations, func(i schema.Invitation) bool { return i.Account == a })
}

func (u *users) enrol(c *schema.Enrol) schema.Result {
	list := u.invited()
	i := slices.IndexFunc(list, func(i schema.Invitation) bool { return i.Digest == c.Digest })
	if i < 0 {
		return refuse(schema.InvitationUnknown)
	}
	by := list[i]
	account, _ := u.accounts.customer(by.Account)
	if _, r := u.accounts.trader(by.Account); refused(r) && (account.Status != schema.SubPending || u.accounts.barred(by.Account)) {
		return reject(r)
	}
	known := u.of(by.Account)
	f := &c.Factors
	secret := len(f.Password) > 0 && len(f.TOTP) > 0
	switch {
	case !validFactors(f), u.othersHave(f.Passkeys, known),
		!secret && len(f.Password)+len(f.TOTP) > 0, !secret && len(f.Passkeys) == 0, len(f.Passkeys) > 1, secret != (f.Step > 0):
		return refuse(schema.FactorInvalid)
	case !u.accounts.freeSession(c.Session, c.Device):
		return refuse(schema.SessionInvalid)
	}
	made := schema.User{
		Account: by.Account, Login: by.Login, Name: by.Name, Password: slices.Clone(f.Password), TOTP: slices.Clone(f.TOTP), Step: f.Step,
		Passkeys: slices.Clone(f.Passkeys), Generation: 1, Created: u.call.at,
	}
	for i := range made.Passkeys {
		made.Passkeys[i].Created = u.call.at
	}
	u.uninvite(by.Account)
	u.endAll(by.Account)
	before := *account
	if known == nil {
		u.last++
		made.ID = u.last
		u.all = append(u.all, &made)
		known = &made
	} else {
		made.ID, made.Created, made.Generation = known.ID, known.Created, known.Generation+1
		*known = made
		account.RestrictedUntil = max(account.RestrictedUntil, u.call.at+frozenFor)
	}
	if account.Status == schema.SubPending {
		account.Status = schema.SubActive
	}
	u.changed(known)
	if *account != before {
		u.call.record(&schema.AccountChanged{Account: *account})
	}
	return u.begin(known.Account, known.ID, c.Session, c.Device, u.call.at)
}

// endAll ends the sessions of an account and all that its clients of OAuth have.
func (u *users) endAll(a schema.AccountID) {
	for _, k := range u.accounts.keysOf(a) {
		if k.Web {
			u.accounts.endKey(k)
		}
	}
	u.oauth.endAll(a)
}

// validFactors looks at what new factors are, each by itself.
func validFactors(f *schema.Factors) bool {
	if len(f.Password) > sealedFactorMost || len(f.TOTP) > sealedFactorMost || len(f.Passkeys) > passkeysMost {
		return false
	}
	for i, p := range f.Passkeys {
		twice := slices.ContainsFunc(f.Passkeys[:i], func(other schema.Passkey) bool { return bytes.Equal(other.ID, p.ID) })
		if len(p.ID) < 1 || len(p.ID) > passkeyIDMost || len(p.Key) < 1 || len(p.Key) > passkeyKeyMost || len(p.Title) > deviceMost || twice {
			return false
		}
	}
	return true
}

// othersHave reports whether a user other than one has any of some passkeys.
func (u *users) othersHave(list []schema.Passkey, but *schema.User) bool {
	for _, user := range u.all {
		for _, p := range list {
			if user != but && passkeyOf(user, p.ID) >= 0 {
				return true
			}
		}
	}
	return false
}

// passkeyOf is where a user has a passkey; -1: nowhere.
func passkeyOf(user *schema.User, id []byte) int {
	return slices.IndexFunc(user.Passkeys, func(p schema.Passkey) bool { return bytes.Equal(p.ID, id) })
}

// protected reports whether a user has a second factor.
func protected(user *schema.User) bool { return len(user.TOTP) > 0 || len(user.Passkeys) > 0 }

// prove says what a proof is worth, and what using it up does.
func (u *users) prove(user *schema.User, p *schema.Proof) (outcome schema.SignOutcome, use func(), r schema.Rejection) {
	switch p.Kind {
	case schema.ByPassword:
		if p.Wrong || len(user.Password) == 0 || protected(user) {
			return 0, nil, because(schema.FactorInvalid)
		}
		return schema.SignedIn, func() {}, accepted
	case schema.ByTOTP:
		switch {
		case len(user.TOTP) == 0:
			return 0, nil, because(schema.FactorInvalid)
		case p.Wrong:
			return schema.FactorWrong, nil, accepted
		case p.Step <= user.Step:
			return schema.FactorUsed, nil, accepted
		}
		return schema.SignedIn, func() { user.Step = p.Step }, accepted
	case schema.ByPasskey:
		i := passkeyOf(user, p.Passkey)
		answered := slices.ContainsFunc(u.challenges, func(used usedUp) bool { return used.digest == p.Challenge })
		switch {
		case p.Wrong:
			return 0, nil, because(schema.FactorInvalid)
		case i < 0, !countsOn(&user.Passkeys[i], p.Counter):
			return 0, nil, because(schema.PasskeyRefused)
		case answered, p.Challenge == schema.Digest{}:
			return 0, nil, because(schema.ChallengeUsed)
		case len(u.challenges) >= *u.most:
			return 0, nil, because(schema.ChallengesTooMany)
		}
		return schema.SignedIn, func() {
			user.Passkeys[i].Counter = p.Counter
			u.challenges = append(u.challenges, usedUp{p.Challenge, u.call.at})
		}, accepted
	}
	return 0, nil, because(schema.FactorInvalid)
}

// countsOn reports whether a passkey counted on, or does not count.
func countsOn(p *schema.Passkey, counter uint32) bool {
	return counter > p.Counter || counter == 0 && p.Counter == 0
}

func (u *users) setFactor(c *schema.SetFactor) schema.Result {
	k, user, r := u.bySession(c.Key, c.Generation)
	if refused(r) {
		return reject(r)
	}
	if u.call.at >= k.AuthAt+freshFor {
		return refuse(schema.StepUpNeeded)
	}
	next, good := u.change(user, c.Change, &c.Factors)
	switch {
	case !good:
		return refuse(schema.FactorInvalid)
	case !u.accounts.freeSession(c.Session, ""):
		return refuse(schema.SessionInvalid)
	}
	next.Generation++
	*user = next
	account, _ := u.accounts.customer(user.Account)
	until := max(account.RestrictedUntil, u.call.at+frozenFor)
	u.endAll(user.Account)
	u.changed(user)
	if account.RestrictedUntil != until {
		account.RestrictedUntil = until
		u.call.record(&schema.AccountChanged{Account: *account})
	}
	result := u.begin(user.Account, user.ID, c.Session, k.Title, k.AuthAt)
	u.accounts.key(schema.KeyID(result.ID)).allowed = k.allowed
	return result
}

// change is a user after a change of a factor, if it can be made.
func (u *users) change(user *schema.User, what schema.FactorChange, f *schema.Factors) (next schema.User, good bool) {
	next = *user
	next.Passkeys = slices.Clone(user.Passkeys)
	password, totp, passkeys := len(f.Password) > 0, len(f.TOTP) > 0, len(f.Passkeys)
	if totp != (f.Step > 0) {
		return next, false
	}
	switch what {
	case schema.ChangePassword:
		next.Password = slices.Clone(f.Password)
		return next, password && !totp && passkeys == 0 && validFactors(f)
	case schema.ChangeTOTP:
		next.TOTP, next.Step = slices.Clone(f.TOTP), f.Step
		return next, !password && totp && passkeys == 0 && validFactors(f) && len(user.Password) > 0
	case schema.RemoveTOTP:
		next.TOTP, next.Step = nil, 0
		return next, !password && !totp && passkeys == 0 && len(user.TOTP) > 0
	case schema.AddPasskey:
		if password || totp || passkeys != 1 || !validFactors(f) || u.othersHave(f.Passkeys, nil) || len(user.Passkeys) >= passkeysMost {
			return next, false
		}
		made := f.Passkeys[0]
		made.Created = u.call.at
		next.Passkeys = append(next.Passkeys, made)
		return next, true
	case schema.RemovePasskey:
		if password || totp || passkeys != 1 {
			return next, false
		}
		i := passkeyOf(user, f.Passkeys[0].ID)
		if i < 0 || len(user.Passkeys) == 1 && len(user.Password) == 0 {
			return next, false
		}
		next.Passkeys = slices.Delete(next.Passkeys, i, i+1)
		return next, true
	}
	return next, false
}

// remove ends the user of an account that ends, of whom only the number stays, and its invitation.
func (u *users) remove(a schema.AccountID) {
	u.uninvite(a)
	u.endAll(a)
	if user := u.of(a); user != nil {
		*user = schema.User{ID: user.ID, Account: a, Generation: user.Generation + 1, Created: user.Created}
		u.changed(user)
	}
}
