package core

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What worlds of people try just before and after something ends.

// around is just before a moment, at it, or just after.
func around(t *dice, at schema.Time) schema.Time { return at + schema.Time(chance(t, 3)-1) }

// learnEnds plans that something is tried just before or after it ends.
func (w *peopleWorld) learnEnds(t *dice, m moment, answer schema.Result) {
	if m.from.Once != (schema.Digest{}) && chance(t, 10) == 0 {
		w.plan = append(w.plan, moment{at: around(t, w.now+10*aMinute), from: m.from, cmd: &schema.SetHedgeMode{Account: schema.FirstCustomer}})
	}
	switch c := m.cmd.(type) {
	case *schema.Invite:
		if a := w.known(c.Account); a.Status == schema.SubPending && coin(t) { // somebody enrols while an operator blocks it or its master
			blocked := *w.known(pick(t, a.ID, a.Parent))
			free := blocked
			blocked.Blocked = true
			w.plan = append(w.plan, moment{cmd: &schema.SetAccount{Account: blocked}},
				moment{cmd: &schema.Enrol{Digest: c.Digest, Factors: w.factors(t), Session: w.fresh()}}, moment{cmd: &schema.SetAccount{Account: free}})
		}
		if chance(t, 6) == 0 {
			other := *c
			other.Account, other.Digest = w.account(t), w.fresh()
			at := around(t, w.now+72*anHour)
			w.plan = append(w.plan, moment{at: at, cmd: pick[schema.Command](t, &other, &schema.Enrol{Digest: c.Digest, Factors: w.factors(t), Session: w.fresh()})})
		}
	case *schema.SignIn:
		w.learnSignIn(t, c, answer)
	case *schema.SetFactor:
		if c.Change == schema.RemoveTOTP || c.Change == schema.RemovePasskey {
			w.withdrawAll(schema.KeyID(answer.ID))
		}
	case *schema.StepUp:
		if answer.Sign == schema.SignedIn && chance(t, 6) == 0 {
			w.plan = append(w.plan, moment{at: around(t, w.now+5*aMinute), cmd: &schema.SetFactor{
				Key: c.Key, Generation: c.Generation, Change: schema.ChangePassword, Factors: schema.Factors{Password: []byte("q")}, Session: w.fresh(),
			}})
		}
	}
}

// withdrawAll plans that all of the family of a session withdraw, each by a key of its own.
func (w *peopleWorld) withdrawAll(session schema.KeyID) {
	var master schema.AccountID
	for _, k := range w.oracle.Keys() {
		if k.ID == session {
			master = k.Account
		}
	}
	for _, k := range w.oracle.Keys() {
		if a := w.known(k.Account); !k.Web && k.Title == "" && (a.ID == master || a.Parent == master) {
			w.plan = append(w.plan, moment{from: schema.Origin{Key: k.ID, Authorized: true}, cmd: &schema.RequestWithdrawal{Account: a.ID, Asset: peopleAsset, Amount: fixed.One}})
		}
	}
}

// guesses are wrong codes, as many as lock, from a moment on.
func (w *peopleWorld) guesses(u *schema.User, from schema.Time, known bool) []moment {
	list := make([]moment, 5)
	for i := range list {
		list[i].cmd = &schema.SignIn{User: u.ID, Generation: u.Generation, Proof: schema.Proof{Kind: schema.ByTOTP, Wrong: true}, Known: known}
	}
	list[0].at = from
	return list
}

// learnSignIn plans that a session is used when it ends, that one who is locked out tries again when the lock ends, and that an answer of a passkey comes
// again.
func (w *peopleWorld) learnSignIn(t *dice, c *schema.SignIn, answer schema.Result) {
	key := schema.KeyID(answer.ID)
	again := *c
	again.Session = w.fresh()
	switch {
	case answer.Sign != schema.SignedIn:
		for _, u := range w.oracle.Users() {
			if u.ID != c.User || u.Wrong != 0 || u.LockedUntil <= w.now {
				continue
			}
			switch chance(t, 4) {
			case 0, 1:
				again.Known, again.Proof = false, w.right(&u)
				w.plan = append(w.plan, moment{at: around(t, u.LockedUntil), cmd: &again})
			case 2: // locked once more, for longer; then a known device comes, and is wrong, too
				w.plan = append(w.plan, w.guesses(&u, u.LockedUntil, false)...)
				again.Known, again.Proof = true, w.right(&u)
				w.plan = append(w.plan, moment{cmd: &again})
				w.plan = append(w.plan, w.guesses(&u, 0, true)...)
			}
		}
	case c.Proof.Kind == schema.ByPasskey && chance(t, 4) == 0:
		again.Proof.Counter = min(again.Proof.Counter, 1) * (again.Proof.Counter + 5)
		w.plan = append(w.plan, moment{at: around(t, w.now+5*aMinute), cmd: &schema.Tick{}}, moment{cmd: &again})
	case chance(t, 12) == 0:
		at := around(t, w.now+aDay)
		w.plan = append(w.plan, pick(t,
			moment{at: at, cmd: &schema.TouchSession{Key: key}},
			moment{at: at, cmd: &schema.Tick{}},
			moment{at: at, from: schema.Origin{Key: key, Authorized: true, Once: pick(t, schema.Digest{}, w.fresh())}, cmd: &schema.SetHedgeMode{Account: schema.FirstCustomer}},
			moment{at: at, from: schema.Origin{Key: key, Once: w.fresh()}, cmd: &schema.SetHedgeMode{Account: schema.FirstCustomer}},
		))
	case chance(t, 60) == 0: // to the end, touched every day
		for day := range schema.Time(30) {
			w.plan = append(w.plan, moment{at: w.now + (day+1)*(aDay-aMinute), cmd: &schema.TouchSession{Key: key}})
		}
		w.plan = append(w.plan, moment{at: around(t, w.now+30*aDay), cmd: pick[schema.Command](t, &schema.TouchSession{Key: key}, &schema.Tick{})})
	}
}
