package naive

import (
	"testing"

	"bourse/internal/schema"
)

// visitors is a world in which people sign in; sessions and links have digests in the order in which they come.
type visitors struct {
	*world
	asked int // what came by sessions
}

func newVisitors(t *testing.T) *visitors { return &visitors{world: newWorld(t)} }

func invites(a schema.AccountID, link int) *schema.Invite {
	return &schema.Invite{Account: a, Digest: digest(link), Login: digest(int(a)), Name: []byte("sealed")}
}

func enrols(link, session int) *schema.Enrol {
	return &schema.Enrol{Digest: digest(link), Factors: schema.Factors{Password: []byte("p"), TOTP: []byte("s"), Step: 10}, Session: digest(session), Device: "phone"}
}

// enrolled is a world whose user 1 is anna, with the session of digest 1000, which is key 1.
func enrolled(t *testing.T) *visitors {
	w := newVisitors(t)
	w.must(invites(anna, 1))
	w.must(enrols(1, 1000))
	return w
}

func byCode(generation uint32, step uint64, session int) *schema.SignIn {
	return &schema.SignIn{User: 1, Generation: generation, Proof: schema.Proof{Kind: schema.ByTOTP, Step: step}, Session: digest(session)}
}

func wrongCode() *schema.SignIn {
	return &schema.SignIn{User: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Wrong: true}}
}

// signs applies a command that must have an outcome.
func (w *visitors) signs(want schema.SignOutcome, c schema.Command) schema.Result {
	w.t.Helper()
	result := w.must(c)
	if result.Sign != want {
		w.t.Errorf("%T: %s, want %s", c, result.Sign, want)
	}
	return result
}

// later lets the next command come after a while.
func (w *visitors) later(after schema.Time) { w.time += after - 1 }

func (w *visitors) sessions(a schema.AccountID) (list []schema.KeyID) {
	for _, k := range w.accounts.keysOf(a) {
		if k.Web {
			list = append(list, k.ID)
		}
	}
	return list
}

func TestInvitations(t *testing.T) {
	w := newVisitors(t)
	w.refused(because(schema.AccountUnknown), invites(9, 1))
	for _, broken := range []*schema.Invite{
		with(invites(anna, 1), func(c *schema.Invite) { c.Digest = schema.Digest{} }),
		with(invites(anna, 1), func(c *schema.Invite) { c.Login = schema.Digest{} }),
		with(invites(anna, 1), func(c *schema.Invite) { c.Name = nil }),
		with(invites(anna, 1), func(c *schema.Invite) { c.Name = make([]byte, 513) }),
	} {
		w.refused(because(schema.InvitationInvalid), broken)
	}
	w.must(with(invites(anna, 1), func(c *schema.Invite) { c.Name = make([]byte, 512) }))
	w.must(invites(anna, 2))
	invited := w.time
	w.refused(because(schema.InvitationUnknown), enrols(1, 1000)) // a newer one ended it
	stolen := with(invites(ben, 3), func(c *schema.Invite) { c.Login = digest(int(anna)) })
	w.refused(because(schema.LoginTaken), stolen)
	w.time = invited + 72*hour - 2
	w.refused(because(schema.LoginTaken), stolen)
	w.refused(because(schema.InvitationUnknown), enrols(2, 1000))
	w.must(stolen)
	w.signs(schema.SignedIn, enrols(3, 1000))
	w.refused(because(schema.InvitationUnknown), enrols(3, 1001))
	w.refused(because(schema.LoginTaken), invites(anna, 4))
}

func TestFactorsOfAnEnrolment(t *testing.T) {
	w := newVisitors(t)
	w.must(invites(anna, 1))
	for _, broken := range []schema.Factors{
		{},
		{Password: []byte("p")},
		{TOTP: []byte("s")},
		{Password: []byte("p"), Passkeys: []schema.Passkey{keyOfDevice(1)}},
		{Password: make([]byte, 513), TOTP: []byte("s")},
		{Passkeys: []schema.Passkey{keyOfDevice(1), keyOfDevice(1)}},
		{Passkeys: []schema.Passkey{{ID: []byte{1}}}},
		{Passkeys: []schema.Passkey{{Key: []byte{1}}}},
		{Passkeys: []schema.Passkey{{ID: make([]byte, 1024), Key: []byte{1}}}},
		{Passkeys: []schema.Passkey{{ID: []byte{1}, Key: make([]byte, 1025)}}},
	} {
		w.refused(because(schema.FactorInvalid), &schema.Enrol{Digest: digest(1), Factors: broken, Session: digest(1000)})
	}
	w.refused(because(schema.SessionInvalid), with(enrols(1, 1000), func(c *schema.Enrol) { c.Session = schema.Digest{} }))
	w.refused(because(schema.SessionInvalid), with(enrols(1, 1000), func(c *schema.Enrol) { c.Device = string(make([]byte, 65)) }))
	w.signs(schema.SignedIn, &schema.Enrol{Digest: digest(1), Factors: schema.Factors{Passkeys: []schema.Passkey{keyOfDevice(1)}}, Session: digest(1000)})
	w.must(invites(ben, 2))
	w.refused(because(schema.FactorInvalid), &schema.Enrol{Digest: digest(2), Factors: schema.Factors{Passkeys: []schema.Passkey{keyOfDevice(1)}}, Session: digest(1001)})
}

func keyOfDevice(id byte) schema.Passkey {
	return schema.Passkey{ID: []byte{id}, Key: []byte("cose"), Title: "phone"}
}

func TestReset(t *testing.T) {
	w := enrolled(t)
	if u := w.Users()[0]; u.ID != 1 || u.Generation != 1 || u.Step != 10 || u.Created != w.time {
		t.Errorf("the user is %+v", u)
	}
	w.must(invites(anna, 2))
	w.signs(schema.SignedIn, byCode(1, 11, 1001)) // the old factors count until there are new ones
	w.signs(schema.SignedIn, enrols(2, 1002))
	account, _ := w.accounts.customer(anna)
	if u := w.Users()[0]; len(w.Users()) != 1 || u.Generation != 2 || account.RestrictedUntil != w.time+3*24*hour {
		t.Errorf("the user is %+v of %+v", u, *account)
	}
	if got := w.sessions(anna); len(got) != 1 || got[0] != 3 {
		t.Errorf("sessions %v", got)
	}
	w.refused(because(schema.GenerationOld), byCode(1, 12, 1003))
	w.refused(because(schema.SessionUnknown), &schema.StepUp{Key: 1, Generation: 2, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 12}})

	// Operators may have frozen it for longer.
	w.must(w.sets(anna, func(a *schema.Account) { a.RestrictedUntil = w.time + 30*24*hour }))
	until := account.RestrictedUntil
	w.must(invites(anna, 3))
	w.signs(schema.SignedIn, enrols(3, 1004))
	if account.RestrictedUntil != until {
		t.Errorf("it is frozen until %d instead of %d", account.RestrictedUntil, until)
	}
}

func TestPendingSubIsActiveOnceItsUserIsThere(t *testing.T) {
	w := newVisitors(t)
	w.must(&schema.SetSub{Master: anna, Alias: "a", External: "sub", Email: "e"})
	w.must(invites(kid, 1))
	w.signs(schema.SignedIn, enrols(1, 1000))
	if a, _ := w.accounts.customer(kid); a.Status != schema.SubActive || a.RestrictedUntil != 0 {
		t.Errorf("it is %+v", *a)
	}
	w.must(&schema.DeleteSub{Master: anna, Sub: kid})
	if u := w.Users()[0]; u.Login != (schema.Digest{}) || u.Generation != 2 || len(u.Password) != 0 || len(w.sessions(kid)) != 0 {
		t.Errorf("users %+v, sessions %v", w.Users(), w.sessions(kid))
	}
	w.refused(because(schema.AccountUnknown), invites(kid, 2))
	w.must(with(invites(ben, 3), func(c *schema.Invite) { c.Login = digest(int(kid)) }))
}

func TestMastersInvite(t *testing.T) {
	w := enrolled(t)
	w.must(&schema.SetSub{Master: anna, Alias: "a", External: "sub", Email: "e"})
	w.sends(once(1), invites(kid, 2), schema.OK)
	w.sends(once(2), invites(anna, 3), schema.SubUnknown)
	w.sends(once(3), invites(ben, 3), schema.SubUnknown)
	w.must(w.sets(kid, func(a *schema.Account) { a.Blocked = true }))
	w.sends(once(4), invites(kid, 3), schema.SubInactive)
	w.must(w.sets(kid, func(a *schema.Account) { a.Blocked = false }))
	w.must(w.sets(anna, func(a *schema.Account) { a.Blocked = true }))
	w.sends(once(5), invites(kid, 3), schema.AccountBlocked)
	w.must(w.sets(anna, func(a *schema.Account) { a.Blocked = false }))
	w.signs(schema.SignedIn, enrols(2, 1001))
	w.sends(once(6), invites(kid, 3), schema.UserExists)
	w.must(invites(kid, 3)) // operators let him back in
	w.must(&schema.BlockSub{Master: anna, Sub: kid, Blocked: true})
	w.sends(once(7), invites(kid, 4), schema.SubInactive)
	w.key("anna", anna, true)
	w.sends(schema.Origin{Key: w.accounts.lastKey, Nonce: 1}, invites(kid, 4), schema.KeyNotAllowed)
	w.later(5 * minute)
	w.sends(once(8), invites(kid, 4), schema.StepUpNeeded)
}

func TestLocks(t *testing.T) {
	w := enrolled(t)
	for _, want := range []schema.Time{15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 16 * hour, 24 * hour, 24 * hour} {
		for range 5 {
			w.signs(schema.FactorWrong, wrongCode())
		}
		if got := w.Users()[0].LockedUntil - w.time; got != want {
			t.Errorf("locked for %d, want %d", got, want)
		}
		w.later(want - 1)
		w.refused(because(schema.SignInLocked), wrongCode())
	}
	known := byCode(1, 11, 1001)
	for range 5 {
		w.signs(schema.FactorWrong, wrongCode())
	}
	known.Known = true
	w.refused(because(schema.SignInLocked), byCode(1, 11, 1002))
	w.signs(schema.SignedIn, known)
	u := w.Users()[0]
	if u.Locks != 0 || u.Wrong != 0 || u.LockedUntil <= w.time {
		t.Errorf("after the right code: %+v", u)
	}
	// A lock does not become shorter by wrong codes from a known device.
	wrong := wrongCode()
	wrong.Known = true
	for range 5 {
		w.signs(schema.FactorWrong, wrong)
	}
	if got := w.Users()[0]; got.LockedUntil != u.LockedUntil || got.Locks != 1 {
		t.Errorf("after five wrong codes more: %+v", got)
	}
}

func TestCodesCountOnce(t *testing.T) {
	w := enrolled(t)
	w.signs(schema.FactorUsed, byCode(1, 10, 1001))
	w.signs(schema.SignedIn, byCode(1, 11, 1001))
	w.signs(schema.FactorUsed, byCode(1, 11, 1002))
	w.refused(because(schema.SessionInvalid), byCode(1, 12, 1001))
	if u := w.Users()[0]; u.Step != 11 || u.Wrong != 1 {
		t.Errorf("the user is %+v", u)
	}
	w.refused(because(schema.UserUnknown), with(byCode(1, 12, 1003), func(c *schema.SignIn) { c.User = 2 }))
	w.refused(because(schema.GenerationOld), byCode(2, 12, 1003))
	w.refused(because(schema.FactorInvalid), with(byCode(1, 12, 1003), func(c *schema.SignIn) { c.Proof.Kind = schema.ByPassword }))
	w.refused(because(schema.FactorInvalid), with(byCode(1, 12, 1003), func(c *schema.SignIn) { c.Proof.Kind = schema.ByDemo }))
}

// answers is a sign-in by a passkey.
func answers(id byte, counter uint32, challenge, session int) *schema.SignIn {
	p := schema.Proof{Kind: schema.ByPasskey, Passkey: []byte{id}, Counter: counter, Challenge: digest(challenge)}
	return &schema.SignIn{User: 1, Generation: 2, Proof: p, Session: digest(session)}
}

func TestPasskeys(t *testing.T) {
	w := enrolled(t)
	add := &schema.SetFactor{Key: 1, Generation: 1, Change: schema.AddPasskey, Factors: schema.Factors{Passkeys: []schema.Passkey{keyOfDevice(7)}}, Session: digest(1001)}
	w.signs(schema.SignedIn, add)
	w.refused(because(schema.PasskeyRefused), answers(8, 1, 2000, 1002))
	w.signs(schema.SignedIn, answers(7, 0, 2000, 1002)) // it does not count
	w.signs(schema.SignedIn, answers(7, 3, 2001, 1003))
	answered := w.time
	w.refused(because(schema.PasskeyRefused), answers(7, 3, 2002, 1004))
	w.refused(because(schema.PasskeyRefused), answers(7, 0, 2002, 1004))
	w.refused(because(schema.ChallengeUsed), answers(7, 4, 2001, 1004))
	w.time = answered + 5*minute - 2
	w.refused(because(schema.ChallengeUsed), answers(7, 4, 2001, 1004))
	w.must(&schema.Tick{})
	w.signs(schema.SignedIn, answers(7, 4, 2001, 1004))
	w.Exchange.Challenges = 1
	w.refused(because(schema.ChallengesTooMany), answers(7, 5, 2002, 1005))
	w.later(5 * minute)
	w.must(&schema.Tick{})
	w.signs(schema.SignedIn, answers(7, 5, 2002, 1005))
}

func TestChangesOfFactors(t *testing.T) {
	w := enrolled(t)
	set := func(key schema.KeyID, generation uint32, what schema.FactorChange, f schema.Factors, session int) *schema.SetFactor {
		return &schema.SetFactor{Key: key, Generation: generation, Change: what, Factors: f, Session: digest(session)}
	}
	password := schema.Factors{Password: []byte("other")}
	w.signs(schema.SignedIn, byCode(1, 11, 1001))
	w.refused(because(schema.SessionUnknown), set(9, 1, schema.ChangePassword, password, 1002))
	w.refused(because(schema.GenerationOld), set(1, 2, schema.ChangePassword, password, 1002))
	w.refused(because(schema.SessionInvalid), set(1, 1, schema.ChangePassword, password, 1000))
	w.refused(because(schema.FactorInvalid), set(1, 1, schema.ChangePassword, schema.Factors{}, 1002))
	w.refused(because(schema.FactorInvalid), set(1, 1, schema.ChangeTOTP, password, 1002))
	w.refused(because(schema.FactorInvalid), set(1, 1, schema.RemoveTOTP, password, 1002))
	w.refused(because(schema.FactorInvalid), set(1, 1, schema.RemovePasskey, schema.Factors{Passkeys: []schema.Passkey{keyOfDevice(1)}}, 1002))
	w.refused(because(schema.FactorInvalid), set(1, 1, 6, password, 1002))
	proven := w.accounts.key(1).AuthAt
	w.signs(schema.SignedIn, set(1, 1, schema.ChangePassword, password, 1002))
	if got := w.sessions(anna); len(got) != 1 || got[0] != 3 || w.accounts.key(3).AuthAt != proven || w.accounts.key(3).Title != "phone" {
		t.Errorf("sessions %v, of which %+v", got, w.accounts.key(3))
	}
	if a, _ := w.accounts.customer(anna); a.RestrictedUntil != w.time+3*24*hour {
		t.Errorf("it is frozen until %d", a.RestrictedUntil)
	}
	w.time = proven + 5*minute - 2
	w.refused(because(schema.FactorInvalid), set(3, 2, schema.ChangePassword, schema.Factors{}, 1003))
	w.refused(because(schema.StepUpNeeded), set(3, 2, schema.RemoveTOTP, schema.Factors{}, 1003))
	w.signs(schema.SignedIn, &schema.StepUp{Key: 3, Generation: 2, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 12}})
	w.signs(schema.SignedIn, set(3, 2, schema.RemoveTOTP, schema.Factors{}, 1003))
	alone := &schema.SignIn{User: 1, Generation: 3, Proof: schema.Proof{Kind: schema.ByPassword}, Session: digest(1004)}
	w.signs(schema.SignedIn, alone)
	for i := range 10 {
		w.signs(schema.SignedIn, set(w.accounts.lastKey, uint32(3+i), schema.AddPasskey, schema.Factors{Passkeys: []schema.Passkey{keyOfDevice(byte(i))}}, 1100+i))
	}
	w.refused(because(schema.FactorInvalid), set(w.accounts.lastKey, 13, schema.AddPasskey, schema.Factors{Passkeys: []schema.Passkey{keyOfDevice(99)}}, 1200))
	alone.Generation, alone.Session = 13, digest(1300)
	w.refused(because(schema.FactorInvalid), alone) // a password is not enough for one who has a passkey
	w.signs(schema.SignedIn, set(w.accounts.lastKey, 13, schema.RemovePasskey, schema.Factors{Passkeys: []schema.Passkey{keyOfDevice(4)}}, 1200))
	if u := w.Users()[0]; len(u.Passkeys) != 9 || passkeyOf(&u, []byte{4}) >= 0 || u.Generation != 14 {
		t.Errorf("the user is %+v", u)
	}
}
