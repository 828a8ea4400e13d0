package core

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	aMinute = 60 * schema.Second
	ada     = schema.FirstCustomer
	ben     = ada + 1
)

// club is an exchange with the accounts ada, ben and cyd, who are not invited yet, and its time.
type club struct {
	t *testing.T
	*Machine
	now schema.Time
}

func newClub(t *testing.T) *club {
	c := &club{t, NewExchange(), start}
	for _, name := range []string{"ada", "ben", "cyd"} {
		c.do(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}}, schema.OK)
	}
	return c
}

// do lets a command happen now; the exchange that a snapshot of it gives does the same.
func (c *club) do(cmd schema.Command, want schema.Reason) schema.Result {
	c.t.Helper()
	return c.from(schema.Origin{}, cmd, want)
}

func (c *club) from(o schema.Origin, cmd schema.Command, want schema.Reason) schema.Result {
	c.t.Helper()
	before := c.Snapshot()
	again, err := Restore(before)
	if err != nil {
		c.t.Fatal(err)
	}
	got := c.ApplyFrom(c.now, o, cmd).Result
	again.ApplyFrom(c.now, o, cmd)
	if got.Rejection.Reason != want {
		c.t.Fatalf("%T: %v, want %v", cmd, got.Rejection.Reason, want)
	}
	if want != schema.OK && o.Key == 0 && !bytes.Equal(before, c.Snapshot()) {
		c.t.Fatalf("%T was refused and changed something", cmd)
	}
	if c.Hash() != again.Hash() {
		c.t.Fatalf("%T: a machine of a snapshot is another one after it", cmd)
	}
	if err := c.Verify(); err != nil {
		c.t.Fatal(err)
	}
	return got
}

func (c *club) pass(d schema.Time) {
	c.t.Helper()
	c.now += d
	c.do(&schema.Tick{}, schema.OK)
}

func digest(n int) schema.Digest {
	return schema.Digest{0: 1, 1: byte(n), 2: byte(n >> 8), 3: byte(n >> 16)}
}

func invite(a schema.AccountID, n int) *schema.Invite {
	return &schema.Invite{Account: a, Digest: digest(n), Login: digest(int(a)), Name: []byte("sealed name")}
}

func enrol(link, session int) *schema.Enrol {
	return &schema.Enrol{Digest: digest(link), Factors: schema.Factors{Password: []byte("hash"), TOTP: []byte("seed"), Step: 10}, Session: digest(session), Device: "Firefox"}
}

// enrolled is a club whose user 1 is ada, with the session of digest 1000, which is key 1.
func enrolled(t *testing.T) *club {
	c := newClub(t)
	c.do(invite(ada, 1), schema.OK)
	c.do(enrol(1, 1000), schema.OK)
	return c
}

func byCode(generation uint32, step uint64, session int) *schema.SignIn {
	return &schema.SignIn{User: 1, Generation: generation, Proof: schema.Proof{Kind: schema.ByTOTP, Step: step}, Session: digest(session)}
}

func wrongCode(generation uint32) *schema.SignIn {
	m := byCode(generation, 0, 0)
	m.Proof.Wrong = true
	return m
}

func TestInvitationsCountOnceAndForThreeDays(t *testing.T) {
	c := newClub(t)
	c.do(invite(99, 1), schema.AccountUnknown)
	c.do(&schema.Invite{Account: ada, Digest: digest(1), Login: digest(5)}, schema.InvitationInvalid)
	c.do(invite(ada, 1), schema.OK)
	c.do(invite(ada, 2), schema.OK)
	c.do(enrol(1, 1000), schema.InvitationUnknown) // a newer one ended it
	taken := invite(ben, 3)
	taken.Login = digest(int(ada))
	c.do(taken, schema.LoginTaken)
	c.now += 72*anHour - 1
	c.do(&schema.Enrol{Digest: digest(2), Factors: schema.Factors{Password: []byte("p")}, Session: digest(1000)}, schema.FactorInvalid)
	c.do(&schema.Enrol{Digest: digest(2), Session: digest(1000)}, schema.FactorInvalid)
	c.now++
	c.do(enrol(2, 1000), schema.InvitationUnknown)
	c.do(taken, schema.OK) // nobody ticked, and it is over all the same
	c.do(enrol(3, 1000), schema.OK)
	c.do(enrol(3, 1001), schema.InvitationUnknown)
	c.do(invite(ada, 4), schema.LoginTaken) // ben has it as a user now
}

func TestAResetEndsEverythingOfBefore(t *testing.T) {
	c := enrolled(t)
	if u := c.Identity().UserOf(ada); u.Generation != 1 || c.Accounts().Get(ada).RestrictedUntil != 0 {
		t.Fatalf("the user is %+v", u)
	}
	c.do(invite(ada, 2), schema.OK)
	c.do(byCode(1, 11, 1001), schema.OK) // the old factors count until the new ones are there
	c.do(enrol(2, 1002), schema.OK)
	u := c.Identity().UserOf(ada)
	if u.ID != 1 || u.Generation != 2 || c.Accounts().Get(ada).RestrictedUntil != start+3*aDay || len(c.Accounts().Sessions(ada)) != 1 {
		t.Errorf("after a reset the user is %+v, with %v", u, c.Accounts().Sessions(ada))
	}
	c.do(byCode(1, 12, 1003), schema.GenerationOld)
	c.do(&schema.StepUp{Key: 1, Generation: 2, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 12}}, schema.SessionUnknown)
}

func TestACodeCountsOnce(t *testing.T) {
	c := enrolled(t)
	if got := c.do(byCode(1, 10, 1001), schema.OK); got.Sign != schema.FactorUsed { // that of the enrolment
		t.Errorf("outcome %v", got.Sign)
	}
	if got := c.do(byCode(1, 11, 1001), schema.OK); got.Sign != schema.SignedIn || got.ID != 2 {
		t.Errorf("outcome %v, session %d", got.Sign, got.ID)
	}
	if got := c.do(byCode(1, 11, 1002), schema.OK); got.Sign != schema.FactorUsed {
		t.Errorf("outcome %v", got.Sign)
	}
	c.do(byCode(1, 12, 1001), schema.SessionInvalid) // its id is taken
	if got := c.Identity().UserOf(ada); got.Step != 11 || got.Wrong != 1 {
		t.Errorf("step %d, %d wrong", got.Step, got.Wrong)
	}
	password := byCode(1, 0, 1003)
	password.Proof = schema.Proof{Kind: schema.ByPassword}
	c.do(password, schema.FactorInvalid) // who has a second factor needs it
}

func TestWrongFactorsLockUnknownDevicesOnly(t *testing.T) {
	c := enrolled(t)
	for range 5 {
		c.do(wrongCode(1), schema.OK)
	}
	c.now += 15*aMinute - 1
	c.do(wrongCode(1), schema.SignInLocked)
	c.do(byCode(1, 11, 1001), schema.SignInLocked)
	known := byCode(1, 11, 1001)
	known.Known = true
	if got := c.do(known, schema.OK); got.Sign != schema.SignedIn {
		t.Errorf("a known device is locked out: %v", got.Sign)
	}
	if u := c.Identity().UserOf(ada); u.Locks != 0 || u.Wrong != 0 {
		t.Errorf("after the right code %d locks and %d wrong", u.Locks, u.Wrong)
	}
	c.do(byCode(1, 12, 1002), schema.SignInLocked) // others wait for the end of the lock
	c.now++
	c.do(byCode(1, 12, 1002), schema.OK)
}

func TestLocksDouble(t *testing.T) {
	c := enrolled(t)
	for i, want := range []schema.Time{15 * aMinute, 30 * aMinute, anHour, 2 * anHour, 4 * anHour, 8 * anHour, 16 * anHour, aDay, aDay} {
		for range 5 {
			c.do(wrongCode(1), schema.OK)
		}
		if got := c.Identity().UserOf(ada).LockedUntil - c.now; got != want {
			t.Errorf("lock %d lasts %d s, want %d", i+1, got/schema.Second, want/schema.Second)
		}
		c.now = c.Identity().UserOf(ada).LockedUntil
	}
}

func passkey(id byte) schema.Passkey {
	return schema.Passkey{ID: []byte{id}, Key: []byte("cose"), Title: "phone"}
}

func byPasskey(id byte, counter uint32, challenge, session int) *schema.SignIn {
	return &schema.SignIn{User: 1, Generation: 2, Proof: schema.Proof{Kind: schema.ByPasskey, Passkey: []byte{id}, Counter: counter, Challenge: digest(challenge)}, Session: digest(session)}
}

func TestPasskeysCountUpAndChallengesOnce(t *testing.T) {
	c := enrolled(t)
	c.do(&schema.SetFactor{Key: 1, Generation: 1, Change: schema.AddPasskey, Factors: schema.Factors{Passkeys: []schema.Passkey{passkey(7)}}, Session: digest(1001)}, schema.OK)
	for range 5 {
		c.do(wrongCode(2), schema.OK)
	}
	c.do(byCode(2, 11, 1002), schema.SignInLocked)
	c.do(byPasskey(7, 3, 1, 1002), schema.OK) // never locked
	c.do(byPasskey(7, 3, 2, 1003), schema.PasskeyRefused)
	c.do(byPasskey(8, 4, 2, 1003), schema.PasskeyRefused)
	c.do(byPasskey(7, 4, 1, 1003), schema.ChallengeUsed)
	c.pass(5*aMinute - 1)
	c.do(byPasskey(7, 4, 1, 1003), schema.ChallengeUsed)
	c.pass(1)
	c.do(byPasskey(7, 4, 1, 1003), schema.OK) // whose cookie ended long ago
	c.do(&schema.SetFactor{Key: 4, Generation: 2, Change: schema.AddPasskey, Factors: schema.Factors{Passkeys: []schema.Passkey{passkey(7)}}, Session: digest(1005)}, schema.FactorInvalid)
}

func TestSessionsEndWhenIdleAndAfterAMonth(t *testing.T) {
	c := enrolled(t)
	c.pass(aDay - 1)
	c.do(&schema.TouchSession{Key: 1}, schema.OK)
	c.pass(aDay - 1)
	if len(c.Accounts().Sessions(ada)) != 1 {
		t.Fatal("a session that was used ended")
	}
	c.now++
	c.do(&schema.TouchSession{Key: 1}, schema.SessionUnknown) // before a tick, too
	c.pass(1)
	if len(c.Accounts().Sessions(ada)) != 0 || c.Accounts().Key(fmt.Sprintf("%x", digest(1000))) != nil {
		t.Error("an idle session goes on")
	}
	got := c.do(byCode(1, 11, 1001), schema.OK)
	key, born := schema.KeyID(got.ID), c.now
	for c.now+12*anHour < born+30*aDay {
		c.pass(12 * anHour)
		c.do(&schema.TouchSession{Key: key}, schema.OK)
	}
	c.now = born + 30*aDay - 1
	c.do(&schema.TouchSession{Key: key}, schema.OK)
	if next, is := c.NextTimer(); !is || next != born+30*aDay {
		t.Errorf("the next timer is %v, %v", next, is)
	}
	c.pass(1)
	if len(c.Accounts().Sessions(ada)) != 0 {
		t.Error("a session lives longer than a month")
	}
}

func TestTheOldestOfTooManySessionsEnds(t *testing.T) {
	c := enrolled(t)
	for i := range 20 {
		c.do(byCode(1, uint64(11+i), 1001+i), schema.OK)
	}
	if all := c.Accounts().Sessions(ada); len(all) != 20 || all[0] != 2 || all[19] != 21 {
		t.Errorf("sessions %v", all)
	}
	c.do(&schema.SignOut{Account: ben, Key: 5}, schema.SessionUnknown)
	c.do(&schema.SignOut{Account: ada, Key: 5}, schema.OK)
	c.do(&schema.SignOut{Account: ada, Except: 9}, schema.OK)
	if all := c.Accounts().Sessions(ada); len(all) != 1 || all[0] != 9 {
		t.Errorf("sessions %v", all)
	}
}

// by is a command of the session with key 1.
func by(once int) schema.Origin { return schema.Origin{Key: 1, Once: digest(once)} }

func TestWhatMakesACommandUniqueIsUsedUpOnce(t *testing.T) {
	c := enrolled(t)
	order := &schema.SetHedgeMode{Account: ada, On: true}
	c.from(schema.Origin{Key: 1}, order, schema.KeyRefused)
	c.from(by(1), order, schema.OK)
	c.from(by(1), order, schema.OnceUsed)
	c.from(by(2), &schema.SetHedgeMode{Account: 99}, schema.KeyNotAllowed)
	c.from(by(2), order, schema.OnceUsed) // used up by whatever it came with
	c.now += 10*aMinute - 1
	c.from(by(1), order, schema.OnceUsed)
	c.now++
	c.from(by(1), order, schema.OK)
	for i := range 999 {
		c.ApplyFrom(c.now, by(10+i), order)
	}
	c.from(by(5000), order, schema.OnceTooMany)
	c.now += 10 * aMinute
	c.pass(0)
	c.from(by(5000), order, schema.OK)
	c.do(&schema.SignOut{Account: ada}, schema.OK)
	c.from(by(6000), order, schema.KeyRefused)
}

func TestACommandKeepsItsSessionAlive(t *testing.T) {
	c := enrolled(t)
	c.pass(23 * anHour)
	c.from(by(1), &schema.SetHedgeMode{Account: ada, On: true}, schema.OK)
	c.pass(23 * anHour)
	c.from(by(2), &schema.SetHedgeMode{Account: ada}, schema.OK)
	if got := c.Identity().LastUsed(1); got != c.now {
		t.Errorf("last used at %v", got)
	}
}

// What moves money out needs a factor of the last five minutes, and of every user that there is one.
func TestExitsNeedAFreshFactor(t *testing.T) {
	c := enrolled(t)
	c.do(&schema.SetKey{Key: schema.Key{Key: "api", Account: ada, Enabled: true, Sealed: []byte("s")}}, schema.OK)
	exit := &schema.CreateCode{Account: ada, Asset: 1, Amount: fixed.One}
	c.now += 5*aMinute - 1
	c.from(by(1), exit, schema.AssetUnknown) // it came as far as the operation itself
	c.now++
	c.from(by(2), exit, schema.StepUpNeeded)
	c.from(by(3), &schema.RequestWithdrawal{Account: ada}, schema.StepUpNeeded)
	if got := c.do(&schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 10}}, schema.OK); got.Sign != schema.FactorUsed {
		t.Errorf("outcome %v", got.Sign)
	}
	c.from(by(4), exit, schema.StepUpNeeded)
	c.do(&schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 11}}, schema.OK)
	c.from(by(5), exit, schema.AssetUnknown)
	c.do(&schema.SetFactor{Key: 1, Generation: 1, Change: schema.RemoveTOTP, Session: digest(1001)}, schema.OK)
	for nonce, from := range []schema.Origin{{Key: 2, Nonce: 1}, {Key: 3, Once: digest(1)}} {
		if got := c.from(from, &schema.RequestWithdrawal{Account: ada}, schema.FactorMissing); got.Rejection.Text() != "This action is unauthorized. Please, enable Two-Factor authentication." {
			t.Errorf("%d: %s", nonce, got.Rejection.Text())
		}
	}
	c.do(&schema.SetKey{Key: schema.Key{Key: "other", Account: ben, Enabled: true, Sealed: []byte("s")}}, schema.OK)
	if got := c.ApplyFrom(c.now, schema.Origin{Key: 4, Nonce: 1}, &schema.RequestWithdrawal{Account: ben}).Result.Rejection.Reason; got == schema.FactorMissing {
		t.Error("an account without a user needs a factor")
	}
}

func TestGuessingAtStepUpEndsTheSession(t *testing.T) {
	c := enrolled(t)
	for i := range 5 {
		c.do(&schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Wrong: true}}, schema.OK)
		if lives := len(c.Accounts().Sessions(ada)) == 1; lives != (i < 4) {
			t.Errorf("after %d wrong codes the session lives: %v", i+1, lives)
		}
	}
	if u := c.Identity().UserOf(ada); u.LockedUntil != 0 {
		t.Error("it locked the user out")
	}
}

func TestAChangeOfFactors(t *testing.T) {
	c := enrolled(t)
	set := func(key schema.KeyID, generation uint32, what schema.FactorChange, f schema.Factors, session int, want schema.Reason) {
		t.Helper()
		c.do(&schema.SetFactor{Key: key, Generation: generation, Change: what, Factors: f, Session: digest(session)}, want)
	}
	c.do(byCode(1, 11, 1001), schema.OK)
	set(1, 1, schema.ChangePassword, schema.Factors{Password: []byte("other")}, 1000, schema.SessionInvalid)
	set(1, 1, schema.ChangePassword, schema.Factors{}, 1002, schema.FactorInvalid)
	set(1, 1, schema.RemovePasskey, schema.Factors{Passkeys: []schema.Passkey{passkey(1)}}, 1002, schema.FactorInvalid)
	set(1, 1, schema.ChangePassword, schema.Factors{Password: []byte("other")}, 1002, schema.OK)
	if all := c.Accounts().Sessions(ada); len(all) != 1 || all[0] != 3 || c.Accounts().Get(ada).RestrictedUntil != c.now+3*aDay {
		t.Errorf("sessions %v", all)
	}
	set(3, 1, schema.RemoveTOTP, schema.Factors{}, 1003, schema.GenerationOld)
	c.pass(5 * aMinute)
	set(3, 2, schema.RemoveTOTP, schema.Factors{}, 1003, schema.StepUpNeeded)
	c.do(&schema.StepUp{Key: 3, Generation: 2, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 12}}, schema.OK)
	set(3, 2, schema.RemoveTOTP, schema.Factors{}, 1003, schema.OK)
	alone := &schema.SignIn{User: 1, Generation: 3, Proof: schema.Proof{Kind: schema.ByPassword}, Session: digest(1004)}
	c.do(alone, schema.OK)
	for i := range schema.MaxPasskeys {
		all := c.Accounts().Sessions(ada)
		set(all[len(all)-1], uint32(3+i), schema.AddPasskey, schema.Factors{Passkeys: []schema.Passkey{passkey(byte(i))}}, 1100+i, schema.OK)
	}
	all := c.Accounts().Sessions(ada)
	set(all[0], 13, schema.AddPasskey, schema.Factors{Passkeys: []schema.Passkey{passkey(99)}}, 1200, schema.FactorInvalid)
	alone.Generation, alone.Session = 13, digest(1300)
	c.do(alone, schema.FactorInvalid) // a password is not enough for one who has a passkey
}

func TestTheButtonOfADemo(t *testing.T) {
	c := enrolled(t)
	press := func(a schema.AccountID, want schema.Reason) {
		t.Helper()
		c.do(&schema.SignIn{Account: a, Proof: schema.Proof{Kind: schema.ByDemo}, Session: digest(2000 + int(a))}, want)
	}
	press(ada, schema.UserUnknown) // who has a user signs in as one
	press(99, schema.AccountUnknown)
	press(ben, schema.OK)
	c.now += anHour
	c.from(schema.Origin{Key: 2, Once: digest(1)}, &schema.CreateCode{Account: ben, Asset: 1, Amount: fixed.One}, schema.AssetUnknown)
}

func TestKeysOfSessionsAreNobodysToSet(t *testing.T) {
	c := enrolled(t)
	public := fmt.Sprintf("%x", digest(1000))
	c.do(&schema.DeleteKey{Key: public}, schema.KeyUnknown)
	c.do(&schema.SetKey{Key: schema.Key{Key: public, Account: ada, Enabled: true, Sealed: []byte("s")}}, schema.KeyInvalid)
	c.do(&schema.SetKey{Key: schema.Key{Key: "k", Account: ada, Web: true, Sealed: []byte("s")}}, schema.KeyInvalid)
}

// TestIdentityAgainstAModel holds random commands against the rules, written down as simply as they could be.
func TestIdentityAgainstAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := roll(rt)
		c := newClub(t)
		m := &people{}
		for n := range 120 {
			c.now += pick(d, 0, 1, schema.Second, aMinute, 5*aMinute, 11*aMinute, anHour, 23*anHour, aDay, 8*aDay)
			c.Apply(c.now, &schema.Tick{})
			cmd := m.draw(d, n)
			want, sign := m.apply(cmd, c.now)
			got := c.Apply(c.now, cmd).Result
			if got.Rejection.Reason != want || want == schema.OK && got.Sign != sign {
				rt.Fatalf("%d: %T %+v: %v, %v, want %v, %v", n, cmd, cmd, got.Rejection.Reason, got.Sign, want, sign)
			}
			if err := m.same(c.Machine, c.now); err != nil {
				rt.Fatalf("%d: %T %+v: %v", n, cmd, cmd, err)
			}
			if n%20 == 0 {
				again, err := Restore(c.Snapshot())
				if err != nil {
					rt.Fatal(err)
				}
				c.Machine = again
			}
		}
	})
}
