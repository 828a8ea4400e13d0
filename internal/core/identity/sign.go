package identity

import (
	"bytes"
	"slices"

	"bourse/internal/schema"
)

func (i *Identity) signIn(m *schema.SignIn) schema.Rejection {
	if m.User == 0 {
		return i.demo(m)
	}
	u := i.User(m.User)
	if u == nil {
		return schema.Refuse(schema.UserUnknown)
	}
	if _, r := i.accounts.Customer(u.Account); r.Refused() {
		return r
	}
	switch {
	case u.Generation != m.Generation:
		return schema.Refuse(schema.GenerationOld)
	case m.Proof.Kind != schema.ByPasskey && !m.Known && i.out.Time < u.LockedUntil:
		return schema.Refuse(schema.SignInLocked)
	}
	outcome, r := i.judge(u, &m.Proof)
	if r.Refused() {
		return r
	}
	if outcome != schema.SignedIn {
		i.count(u)
		i.out.Result.Sign = outcome
		return schema.Rejection{}
	}
	if r := i.mayBegin(m.Session, m.Device); r.Refused() {
		return r
	}
	i.accept(u, &m.Proof)
	u.Wrong, u.Locks = 0, 0
	i.changed(u)
	i.begin(u.Account, u.ID, m.Session, m.Device, i.out.Time)
	return schema.Rejection{}
}

// demo signs in to an account without a user, by the button of a demo.
func (i *Identity) demo(m *schema.SignIn) schema.Rejection {
	if _, r := i.accounts.Customer(m.Account); r.Refused() {
		return r
	}
	if m.Proof.Kind != schema.ByDemo || i.byAccount[m.Account] != nil {
		return schema.Refuse(schema.UserUnknown)
	}
	if r := i.mayBegin(m.Session, m.Device); r.Refused() {
		return r
	}
	i.begin(m.Account, 0, m.Session, m.Device, i.out.Time)
	return schema.Rejection{}
}

// judge says what a proof is worth now. It changes nothing.
func (i *Identity) judge(u *schema.User, p *schema.Proof) (schema.SignOutcome, schema.Rejection) {
	switch {
	case p.Kind == schema.ByPassword && !p.Wrong && len(u.Password) > 0 && !u.Protected():
		return schema.SignedIn, schema.Rejection{}
	case p.Kind == schema.ByTOTP && len(u.TOTP) > 0:
		switch {
		case p.Wrong:
			return schema.FactorWrong, schema.Rejection{}
		case p.Step <= u.Step:
			return schema.FactorUsed, schema.Rejection{}
		}
		return schema.SignedIn, schema.Rejection{}
	case p.Kind == schema.ByPasskey && !p.Wrong:
		return schema.SignedIn, i.judgePasskey(u, p)
	}
	return 0, schema.Refuse(schema.FactorInvalid)
}

// judgePasskey refuses what a copy of a passkey would say, and what was said before. Devices that do not count say 0 always.
func (i *Identity) judgePasskey(u *schema.User, p *schema.Proof) schema.Rejection {
	at := passkeyOf(u, p.Passkey)
	switch {
	case at < 0, (p.Counter > 0 || u.Passkeys[at].Counter > 0) && p.Counter <= u.Passkeys[at].Counter:
		return schema.Refuse(schema.PasskeyRefused)
	case p.Challenge.IsZero() || i.answered[p.Challenge]:
		return schema.Refuse(schema.ChallengeUsed)
	case len(i.challenges) >= challengesMost:
		return schema.Refuse(schema.ChallengesTooMany)
	}
	return schema.Rejection{}
}

func passkeyOf(u *schema.User, id []byte) int {
	return slices.IndexFunc(u.Passkeys, func(p schema.Passkey) bool { return bytes.Equal(p.ID, id) })
}

// accept uses a proof up that was judged to be good.
func (i *Identity) accept(u *schema.User, p *schema.Proof) {
	switch p.Kind {
	case schema.ByTOTP:
		u.Step = p.Step
	case schema.ByPasskey:
		u.Passkeys[passkeyOf(u, p.Passkey)].Counter = p.Counter
		i.challenges = append(i.challenges, once{p.Challenge, i.out.Time})
		i.answered[p.Challenge] = true
	}
}

func (i *Identity) forgetChallenge() {
	delete(i.answered, i.challenges[0].Digest)
	i.challenges = i.challenges[1:]
}

// count counts a wrong factor of one who knows the password. The fifth locks sign-in by password from unknown devices, each time for
// twice as long. One that runs does not become shorter: a known device may have signed in meanwhile, which counts as a beginning.
func (i *Identity) count(u *schema.User) {
	u.Wrong++
	if u.Wrong >= wrongMost {
		u.Wrong, u.LockedUntil = 0, max(u.LockedUntil, i.out.Time+lockLife(u.Locks))
		u.Locks = min(u.Locks+1, locksMost)
	}
	i.changed(u)
}

// locksMost is how many locks in a row make the longest one.
const locksMost = 7

// lockLife is how long a lock lasts after so many others.
func lockLife(locks uint8) schema.Time { return min(lockFirst<<locks, lockLongest) }

func (i *Identity) stepUp(m *schema.StepUp) schema.Rejection {
	s, u, r := i.signedIn(m.Key, m.Generation)
	if r.Refused() {
		return r
	}
	outcome, r := i.judge(u, &m.Proof)
	if r.Refused() {
		return r
	}
	i.out.Result.Sign = outcome
	if outcome != schema.SignedIn {
		// Nobody locks the user out: what ends is the session of one who guesses.
		if s.Wrong++; s.Wrong >= wrongMost {
			i.end(m.Key)
		}
		return schema.Rejection{}
	}
	s.Wrong = 0
	i.accept(u, &m.Proof)
	i.changed(u)
	i.accounts.Authenticated(m.Key, i.out)
	return schema.Rejection{}
}

// signedIn is a session that lives, of a user whose factors are still those of a generation.
func (i *Identity) signedIn(key schema.KeyID, generation uint32) (*session, *schema.User, schema.Rejection) {
	s, r := i.alive(key, i.out.Time)
	if r.Refused() {
		return nil, nil, r
	}
	u := i.User(i.accounts.Session(key).User)
	if u == nil {
		return nil, nil, schema.Refuse(schema.UserUnknown)
	}
	if _, r := i.accounts.Customer(u.Account); r.Refused() {
		return nil, nil, r
	}
	if u.Generation != generation {
		return nil, nil, schema.Refuse(schema.GenerationOld)
	}
	return s, u, schema.Rejection{}
}
