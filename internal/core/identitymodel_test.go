package core

import (
	"fmt"
	"slices"

	"bourse/internal/schema"
)

// people is who signs in to three accounts, as the rules say it and no faster: lists, and a look at all of them.
type people struct {
	users    []*member // of account i
	invited  []*link   // every one that was ever made
	sessions []*visit
	answered map[schema.Digest]schema.Time
	keys     schema.KeyID
}

type member struct {
	account    schema.AccountID
	id         schema.UserID
	login      schema.Digest
	password   bool
	totp       bool
	step       uint64
	passkeys   []schema.Passkey
	generation uint32
	wrong      int
	locks      int
	locked     schema.Time
}

type link struct {
	schema.Invite
	until schema.Time
	gone  bool
}

type visit struct {
	key     schema.KeyID
	account schema.AccountID
	user    schema.UserID
	digest  schema.Digest
	began   schema.Time
	used    schema.Time
	proven  schema.Time
	wrong   int
	ended   bool
}

func (v *visit) lives(now schema.Time) bool {
	return !v.ended && now < v.used+aDay && now < v.began+30*aDay
}

// draw makes up a command, mostly one that could be.
func (m *people) draw(d *dice, n int) schema.Command {
	account := ada + schema.AccountID(chance(d, 3))
	fresh := digest(10_000 + n)
	if rarely(d) {
		fresh = digest(10_000 + chance(d, n+1))
	}
	var u *member
	if len(m.users) > 0 {
		u = m.users[chance(d, len(m.users))]
	}
	var v *visit
	if len(m.sessions) > 0 {
		v = m.sessions[max(0, len(m.sessions)-1-chance(d, 4))]
	}
	switch kind := chance(d, 10); {
	case kind == 0 || u == nil && kind < 6:
		login := digest(int(account))
		if rarely(d) {
			login = digest(int(ada))
		}
		return &schema.Invite{Account: account, Digest: digest(20_000 + n), Login: login, Name: []byte("name")}
	case kind == 1 || u == nil:
		m := &schema.Enrol{Digest: digest(20_000 + max(0, n-1-chance(d, 6))), Session: fresh, Factors: m.factors(d, n)}
		return m
	case kind < 6:
		return &schema.SignIn{User: u.id, Generation: u.generation - uint32(chance(d, 12)/11), Proof: u.proof(d, n), Known: chance(d, 4) == 0, Session: fresh}
	case v == nil:
		return &schema.TouchSession{Key: schema.KeyID(chance(d, 4))}
	case kind == 6:
		of := m.of(v.user)
		if of == nil {
			of = u
		}
		return &schema.StepUp{Key: v.key, Generation: of.generation, Proof: of.proof(d, n)}
	case kind == 7:
		of := m.of(v.user)
		if of == nil {
			of = u
		}
		return &schema.SetFactor{Key: v.key, Generation: of.generation, Change: schema.FactorChange(1 + chance(d, 5)), Factors: m.factors(d, n), Session: fresh}
	case kind == 8:
		return &schema.TouchSession{Key: v.key}
	}
	return &schema.SignOut{Account: v.account, Key: pick(d, v.key, v.key, 0), Except: pick(d, 0, v.key)}
}

// factors are new ones: those of a kind alone, or a mixture that cannot be.
func (m *people) factors(d *dice, n int) (f schema.Factors) {
	kind := chance(d, 6)
	if kind == 0 || kind == 1 || kind == 5 {
		f.Password = []byte("hash")
	}
	if kind == 0 || kind == 2 {
		f.TOTP, f.Step = []byte("seed"), uint64(1+n)
	}
	if kind == 3 || kind == 5 {
		id := byte(n)
		if rarely(d) && len(m.users) > 0 && len(m.users[0].passkeys) > 0 {
			id = m.users[0].passkeys[0].ID[0]
		}
		f.Passkeys = []schema.Passkey{{ID: []byte{id}, Key: []byte("cose")}}
	}
	return f
}

func (u *member) proof(d *dice, n int) (p schema.Proof) {
	switch {
	case len(u.passkeys) > 0 && coin(d):
		key := u.passkeys[chance(d, len(u.passkeys))]
		return schema.Proof{Kind: schema.ByPasskey, Passkey: key.ID, Counter: key.Counter + uint32(chance(d, 3)), Challenge: digest(30_000 + max(0, n-chance(d, 8)/6))}
	case u.totp:
		return schema.Proof{Kind: schema.ByTOTP, Wrong: coin(d), Step: u.step + uint64(chance(d, 4))}
	}
	return schema.Proof{Kind: schema.ByPassword}
}

func (m *people) of(id schema.UserID) *member {
	if id == 0 || int(id) > len(m.users) {
		return nil
	}
	return m.users[id-1]
}

func (m *people) userOf(a schema.AccountID) *member {
	for _, u := range m.users {
		if u.account == a {
			return u
		}
	}
	return nil
}

// apply says what becomes of a command, and lets it happen.
func (m *people) apply(cmd schema.Command, now schema.Time) (schema.Reason, schema.SignOutcome) {
	switch c := cmd.(type) {
	case *schema.Invite:
		for _, l := range m.invited {
			if l.Login == c.Login && l.Account != c.Account && !l.gone && now < l.until {
				return schema.LoginTaken, 0
			}
		}
		for _, u := range m.users {
			if u.login == c.Login && u.account != c.Account {
				return schema.LoginTaken, 0
			}
		}
		for _, l := range m.invited {
			l.gone = l.gone || l.Account == c.Account
		}
		m.invited = append(m.invited, &link{Invite: *c, until: now + 72*anHour})
		return schema.OK, 0
	case *schema.Enrol:
		return m.enrol(c, now)
	case *schema.SignIn:
		return m.signIn(c, now)
	case *schema.StepUp:
		v, u, r := m.session(c.Key, c.Generation, now)
		if r != schema.OK {
			return r, 0
		}
		r, sign := m.prove(u, &c.Proof, now)
		if r == schema.OK && sign == schema.SignedIn {
			v.wrong, v.proven = 0, max(now, v.proven+1)
		} else if r == schema.OK {
			v.wrong++
			v.ended = v.wrong == 5
		}
		return r, sign
	case *schema.SetFactor:
		return m.setFactor(c, now)
	case *schema.TouchSession:
		for _, v := range m.sessions {
			if v.key == c.Key && v.lives(now) {
				if now >= v.used+10*aMinute {
					v.used = now
				}
				return schema.OK, 0
			}
		}
		return schema.SessionUnknown, 0
	case *schema.SignOut:
		found := c.Key == 0
		for _, v := range m.sessions {
			if v.lives(now) && v.account == c.Account && (v.key == c.Key || c.Key == 0 && v.key != c.Except) {
				v.ended, found = true, true
			}
		}
		if !found {
			return schema.SessionUnknown, 0
		}
		return schema.OK, 0
	}
	panic("a command that nobody drew")
}

func (m *people) enrol(c *schema.Enrol, now schema.Time) (schema.Reason, schema.SignOutcome) {
	at := slices.IndexFunc(m.invited, func(l *link) bool { return l.Digest == c.Digest && !l.gone && now < l.until })
	if at < 0 {
		return schema.InvitationUnknown, 0
	}
	f, l := &c.Factors, m.invited[at]
	old := m.userOf(l.Account)
	both := len(f.Password) > 0 && len(f.TOTP) > 0
	if !(both && len(f.Passkeys) == 0 || both && len(f.Passkeys) == 1 || len(f.Password)+len(f.TOTP) == 0 && len(f.Passkeys) == 1) || m.has(f.Passkeys, old) {
		return schema.FactorInvalid, 0
	}
	if m.taken(c.Session, now) {
		return schema.SessionInvalid, 0
	}
	l.gone = true
	if old == nil {
		old = &member{account: l.Account, id: schema.UserID(len(m.users) + 1)}
		m.users = append(m.users, old)
	}
	*old = member{account: old.account, id: old.id, login: l.Login, generation: old.generation + 1, password: both, totp: both, step: f.Step, passkeys: slices.Clone(f.Passkeys)}
	m.endAll(old.account)
	m.begin(old, c.Session, now, now)
	return schema.OK, schema.SignedIn
}

func (m *people) has(list []schema.Passkey, but *member) bool {
	for _, u := range m.users {
		for _, p := range u.passkeys {
			if len(list) > 0 && u != but && string(p.ID) == string(list[0].ID) {
				return true
			}
		}
	}
	return false
}

func (m *people) taken(d schema.Digest, now schema.Time) bool {
	return slices.ContainsFunc(m.sessions, func(v *visit) bool { return v.digest == d && v.lives(now) })
}

func (m *people) endAll(a schema.AccountID) {
	for _, v := range m.sessions {
		v.ended = v.ended || v.account == a
	}
}

func (m *people) begin(u *member, d schema.Digest, now, proven schema.Time) {
	m.keys++
	live := []*visit{}
	for _, v := range m.sessions {
		if v.lives(now) && v.account == u.account {
			live = append(live, v)
		}
	}
	if len(live) == 20 {
		live[0].ended = true
	}
	m.sessions = append(m.sessions, &visit{key: m.keys, account: u.account, user: u.id, digest: d, began: now, used: now, proven: proven})
}

func (m *people) signIn(c *schema.SignIn, now schema.Time) (schema.Reason, schema.SignOutcome) {
	u := m.of(c.User)
	switch {
	case u.generation != c.Generation:
		return schema.GenerationOld, 0
	case c.Proof.Kind != schema.ByPasskey && !c.Known && now < u.locked:
		return schema.SignInLocked, 0
	}
	step, keys, answered := u.step, slices.Clone(u.passkeys), len(m.answered)
	r, sign := m.prove(u, &c.Proof, now)
	switch {
	case r != schema.OK:
		return r, 0
	case sign != schema.SignedIn:
		if u.wrong++; u.wrong == 5 {
			u.wrong, u.locked = 0, now+min(15*aMinute<<u.locks, aDay)
			u.locks = min(u.locks+1, 7)
		}
		return r, sign
	case m.taken(c.Session, now): // nothing was used up
		u.step, u.passkeys = step, keys
		if len(m.answered) > answered || c.Proof.Kind == schema.ByPasskey {
			delete(m.answered, c.Proof.Challenge)
		}
		return schema.SessionInvalid, 0
	}
	u.wrong, u.locks = 0, 0
	m.begin(u, c.Session, now, now)
	return schema.OK, schema.SignedIn
}

// prove uses a proof up, or says what is wrong with it.
func (m *people) prove(u *member, p *schema.Proof, now schema.Time) (schema.Reason, schema.SignOutcome) {
	switch p.Kind {
	case schema.ByPassword:
		if u.password && !u.totp && len(u.passkeys) == 0 {
			return schema.OK, schema.SignedIn
		}
	case schema.ByTOTP:
		switch {
		case !u.totp:
		case p.Wrong:
			return schema.OK, schema.FactorWrong
		case p.Step <= u.step:
			return schema.OK, schema.FactorUsed
		default:
			u.step = p.Step
			return schema.OK, schema.SignedIn
		}
	case schema.ByPasskey:
		for i := range u.passkeys {
			k := &u.passkeys[i]
			if string(k.ID) != string(p.Passkey) {
				continue
			}
			if (p.Counter != 0 || k.Counter != 0) && p.Counter <= k.Counter {
				return schema.PasskeyRefused, 0
			}
			if at, used := m.answered[p.Challenge]; used && now < at+5*aMinute {
				return schema.ChallengeUsed, 0
			}
			if m.answered == nil {
				m.answered = map[schema.Digest]schema.Time{}
			}
			m.answered[p.Challenge], k.Counter = now, p.Counter
			return schema.OK, schema.SignedIn
		}
		return schema.PasskeyRefused, 0
	}
	return schema.FactorInvalid, 0
}

func (m *people) session(key schema.KeyID, generation uint32, now schema.Time) (*visit, *member, schema.Reason) {
	for _, v := range m.sessions {
		if v.key == key && v.lives(now) {
			if u := m.of(v.user); u.generation != generation {
				return nil, nil, schema.GenerationOld
			}
			return v, m.of(v.user), schema.OK
		}
	}
	return nil, nil, schema.SessionUnknown
}

func (m *people) setFactor(c *schema.SetFactor, now schema.Time) (schema.Reason, schema.SignOutcome) {
	v, u, r := m.session(c.Key, c.Generation, now)
	if r != schema.OK {
		return r, 0
	}
	if now >= v.proven+5*aMinute {
		return schema.StepUpNeeded, 0
	}
	f := &c.Factors
	says := fmt.Sprint(len(f.Password) > 0, len(f.TOTP) > 0, len(f.Passkeys))
	next := *u
	next.passkeys = slices.Clone(u.passkeys)
	good := false
	switch c.Change {
	case schema.ChangePassword:
		good, next.password = says == "true false 0", true
	case schema.ChangeTOTP:
		good, next.totp, next.step = says == "false true 0" && u.password, true, f.Step
	case schema.RemoveTOTP:
		good, next.totp, next.step = says == "false false 0" && u.totp, false, 0
	case schema.AddPasskey:
		good = says == "false false 1" && !m.has(f.Passkeys, nil) && len(u.passkeys) < 10
		next.passkeys = append(next.passkeys, f.Passkeys...)
	case schema.RemovePasskey:
		if says != "false false 1" {
			break
		}
		next.passkeys = slices.DeleteFunc(next.passkeys, func(p schema.Passkey) bool { return string(p.ID) == string(f.Passkeys[0].ID) })
		good = len(next.passkeys) < len(u.passkeys) && (len(next.passkeys) > 0 || u.password)
	}
	if !good {
		return schema.FactorInvalid, 0
	}
	if m.taken(c.Session, now) {
		return schema.SessionInvalid, 0
	}
	next.generation++
	*u = next
	m.endAll(u.account)
	m.begin(u, c.Session, now, v.proven)
	return schema.OK, schema.SignedIn
}

// same compares what the exchange knows with the lists.
func (m *people) same(x *Machine, now schema.Time) error {
	for _, u := range m.users {
		got := x.Identity().User(u.id)
		if got.Account != u.account || got.Generation != u.generation || got.Step != u.step || int(got.Wrong) != u.wrong || int(got.Locks) != u.locks ||
			got.LockedUntil != u.locked || len(got.Passkeys) != len(u.passkeys) || (len(got.Password) > 0) != u.password || (len(got.TOTP) > 0) != u.totp {
			return fmt.Errorf("user %d is %+v, want %+v", u.id, got, u)
		}
	}
	if len(x.Identity().Users()) != len(m.users) {
		return fmt.Errorf("%d users, want %d", len(x.Identity().Users()), len(m.users))
	}
	for a := ada; a < ada+3; a++ {
		var want []schema.KeyID
		for _, v := range m.sessions {
			if v.account == a && v.lives(now) {
				want = append(want, v.key)
				if got := x.Accounts().Session(v.key); got == nil || got.AuthAt != v.proven || got.Expires != v.began+30*aDay || x.Identity().LastUsed(v.key) != v.used {
					return fmt.Errorf("session %d is %+v, want %+v", v.key, got, v)
				}
			}
		}
		if got := x.Accounts().Sessions(a); !slices.Equal(got, want) {
			return fmt.Errorf("sessions of %d are %v, want %v", a, got, want)
		}
	}
	return nil
}
