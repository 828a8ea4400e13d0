package naive

import (
	"testing"

	"bourse/internal/schema"
)

// sends applies a command that comes by a key.
func (w *visitors) sends(from schema.Origin, c schema.Command, want schema.Reason) schema.Result {
	w.t.Helper()
	w.time++
	w.last = w.Exchange.Apply(w.time, from, c)
	if got := w.last.Result.Rejection; got.Reason != want {
		w.t.Errorf("%T: %s, want %s", c, got.Reason, want)
	}
	return w.last.Result
}

// once is a command of the session with key 1.
func once(n int) schema.Origin { return schema.Origin{Key: 1, Once: digest(n)} }

func TestSessionsEnd(t *testing.T) {
	w := enrolled(t)
	born := w.time
	k := w.accounts.key(1)
	if k.Expires != born+30*24*hour || k.AuthAt != born || k.User != 1 || !k.Web || k.Title != "phone" {
		t.Errorf("the session is %+v", k.Key)
	}
	touch := &schema.TouchSession{Key: 1}
	w.time = born + 10*minute - 2
	w.must(touch)
	if k.used != born {
		t.Errorf("used at %d", k.used)
	}
	w.must(touch)
	if k.used != born+10*minute {
		t.Errorf("used at %d", k.used)
	}
	w.time = k.used + 24*hour - 2
	w.must(touch)
	w.time = k.used + 24*hour - 1
	w.refused(because(schema.SessionUnknown), touch)
	if len(w.sessions(anna)) != 1 {
		t.Error("it ended before a tick")
	}
	w.must(&schema.Tick{})
	if len(w.sessions(anna)) != 0 {
		t.Error("it goes on")
	}
	w.happened("*schema.KeyChanged")
	second := schema.KeyID(w.signs(schema.SignedIn, byCode(1, 11, 1001)).ID)
	born = w.time
	for w.time+12*hour < born+30*24*hour {
		w.later(12 * hour)
		w.must(&schema.TouchSession{Key: second})
	}
	w.time = born + 30*24*hour - 2
	w.must(&schema.TouchSession{Key: second})
	if next, _ := w.NextTimer(); next != born+30*24*hour {
		t.Errorf("the next timer is %d", next)
	}
	w.refused(because(schema.SessionUnknown), &schema.TouchSession{Key: second})
}

func TestTwentySessions(t *testing.T) {
	w := enrolled(t)
	for i := range 20 {
		w.signs(schema.SignedIn, byCode(1, uint64(11+i), 1001+i))
	}
	if got := w.sessions(anna); len(got) != 20 || got[0] != 2 || got[19] != 21 {
		t.Errorf("sessions %v", got)
	}
	w.refused(because(schema.AccountUnknown), &schema.SignOut{Account: 9})
	w.refused(because(schema.SessionUnknown), &schema.SignOut{Account: ben, Key: 5})
	w.must(&schema.SignOut{Account: anna, Key: 5})
	w.must(&schema.SignOut{Account: anna, Except: 9})
	if got := w.sessions(anna); len(got) != 1 || got[0] != 9 {
		t.Errorf("sessions %v", got)
	}
}

func TestOnce(t *testing.T) {
	w := enrolled(t)
	hedge := &schema.SetHedgeMode{Account: anna, On: true}
	w.sends(schema.Origin{Key: 1}, hedge, schema.KeyRefused)
	w.sends(schema.Origin{Key: 1, Nonce: 1}, hedge, schema.KeyRefused)
	w.sends(once(1), hedge, schema.OK)
	first := w.time
	w.sends(once(1), hedge, schema.OnceUsed)
	w.sends(once(2), &schema.SetHedgeMode{Account: 9}, schema.AccountUnknown)
	w.sends(once(2), hedge, schema.OnceUsed) // used up by what was refused
	w.sends(schema.Origin{Key: 1, Authorized: true}, hedge, schema.OK)
	w.time = first + 10*minute - 2
	w.sends(once(1), hedge, schema.OnceUsed)
	w.sends(once(1), hedge, schema.OK)
	w.time = first + 30*minute
	for i := range 1000 {
		w.sends(once(10+i), hedge, schema.OK)
	}
	w.sends(once(5000), hedge, schema.OnceTooMany)
	w.time += 10 * minute
	w.sends(once(5000), hedge, schema.OnceTooMany) // the clock did not move
	w.must(&schema.Tick{})
	w.sends(once(5000), hedge, schema.OK)
	w.must(&schema.SignOut{Account: anna})
	w.sends(once(6000), hedge, schema.KeyRefused)
}

func TestWhatIsAcceptedKeepsASessionAlive(t *testing.T) {
	w := enrolled(t)
	born := w.time
	w.later(23 * hour)
	w.sends(once(1), &schema.SetHedgeMode{Account: 9}, schema.AccountUnknown)
	if got := w.SessionUsed(1); got != born {
		t.Errorf("used at %d", got)
	}
	w.sends(once(2), &schema.SetHedgeMode{Account: anna}, schema.OK)
	if got := w.SessionUsed(1); got != w.time {
		t.Errorf("used at %d", got)
	}
}

func TestExitsNeedAFreshFactor(t *testing.T) {
	w := enrolled(t)
	born := w.time
	exit := &schema.CreateCode{Account: anna, Asset: 9}
	w.time = born + 5*minute - 2
	w.sends(once(1), exit, schema.AssetUnknown)
	for i, c := range []schema.Command{exit, &schema.RequestWithdrawal{Account: anna}, &schema.MoveSub{Master: anna}, &schema.SetSub{Master: anna}, &schema.OpenKey{By: anna}} {
		w.sends(once(2+i), c, schema.StepUpNeeded)
	}
	stepUp := &schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 10}}
	w.signs(schema.FactorUsed, stepUp)
	w.sends(once(20), exit, schema.StepUpNeeded)
	stepUp.Proof.Step = 11
	w.signs(schema.SignedIn, stepUp)
	w.sends(once(21), exit, schema.AssetUnknown)

	// A user without a second factor withdraws by no key, and neither does a sub-account of his that has no user.
	w.key("api", anna, true)
	w.must(child("kid", "a"))
	w.key("sub", kid, true)
	w.must(&schema.SetFactor{Key: 1, Generation: 1, Change: schema.RemoveTOTP, Session: digest(1001)})
	w.sends(schema.Origin{Key: w.accounts.lastKey, Once: digest(1)}, &schema.RequestWithdrawal{Account: anna}, schema.FactorMissing)
	w.sends(schema.Origin{Key: 2, Nonce: 1}, &schema.RequestWithdrawal{Account: anna}, schema.FactorMissing)
	w.sends(schema.Origin{Key: 3, Nonce: 1}, &schema.RequestWithdrawal{Account: kid}, schema.FactorMissing)
	w.key("other", ben, true)
	w.sends(schema.Origin{Key: w.accounts.lastKey, Nonce: 1}, &schema.RequestWithdrawal{Account: ben}, schema.AssetUnknown)
}

func TestGuessingAtStepUp(t *testing.T) {
	w := enrolled(t)
	wrong := &schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Wrong: true}}
	for range 4 {
		w.signs(schema.FactorWrong, wrong)
	}
	w.signs(schema.SignedIn, &schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 11}})
	for range 5 {
		w.signs(schema.FactorWrong, wrong)
	}
	w.refused(because(schema.SessionUnknown), wrong)
	if u := w.Users()[0]; u.LockedUntil != 0 || u.Wrong != 0 {
		t.Errorf("the user is %+v", u)
	}
}

func TestButtonOfADemo(t *testing.T) {
	w := enrolled(t)
	press := func(a schema.AccountID) *schema.SignIn {
		return &schema.SignIn{Account: a, Proof: schema.Proof{Kind: schema.ByDemo}, Session: digest(2000 + int(a))}
	}
	w.refused(because(schema.UserUnknown), press(anna))
	w.refused(because(schema.AccountUnknown), press(9))
	w.signs(schema.SignedIn, press(ben))
	w.later(hour)
	w.sends(schema.Origin{Key: 2, Once: digest(1)}, &schema.CreateCode{Account: ben, Asset: 9}, schema.AssetUnknown)
}

func TestSessionsAreNobodysToSet(t *testing.T) {
	w := enrolled(t)
	public := publicOf(digest(1000))
	w.refused(because(schema.KeyUnknown), &schema.DeleteKey{Key: public})
	w.refused(because(schema.KeyInvalid), &schema.SetKey{Key: schema.Key{Key: public, Account: anna, Enabled: true, Sealed: []byte("s")}})
	w.refused(because(schema.KeyInvalid), &schema.OpenKey{By: anna, Account: anna, External: "e", Key: public, Sealed: []byte("s"), Type: tradingKey})
}
