package core

import (
	"fmt"
	"slices"
	"strings"

	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// peopleWorld draws the commands of a small exchange where people sign in and let clients of OAuth have something: few accounts with their
// sub-accounts, few clients, and moments just before, at and after the ends of things.
type peopleWorld struct {
	now    schema.Time
	oracle *naive.Exchange // that the commands are for, too
	drawn  int             // digests and ids
	nonce  uint64
	plan   []moment      // what comes next in most cases; without a time: now
	marks  []schema.Time // when something ends
	links  []schema.Digest
	codes  []schema.RedeemGrant  // that redeem what was approved
	tokens []schema.RefreshGrant // that could be sent
	used   []schema.Origin       // of sessions
	asked  []schema.Digest       // challenges
}

const (
	peopleAsset    = 1
	peopleAccounts = 3
	peoplePartners = 4
)

// birth is the commands with which the world begins.
func (w *peopleWorld) birth(t *dice) (list []schema.Command) {
	for _, birth := range schema.BirthFeatures() {
		list = append(list, &schema.SetFeature{Feature: birth.Feature, On: true})
	}
	list = append(list, &schema.SetAsset{Asset: schema.Asset{Ticker: "AAA", Scale: 8, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true, Codes: true}})
	for i := range schema.AccountID(peopleAccounts) {
		list = append(list, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("p%d", i), Region: schema.Global, Verified: chance(t, 5) != 0}},
			&schema.Deposit{Account: schema.FirstCustomer + i, Asset: peopleAsset, Amount: fixed.FromInt(1000)},
			&schema.SetKey{Key: schema.Key{Key: keyName(int(i)), Account: schema.FirstCustomer + i, Sealed: []byte("s"), Enabled: true, URLs: []string{schema.AllURLs}}})
	}
	list = append(list, &schema.SetSub{Master: schema.FirstCustomer, Alias: "a", External: "sub0", ShareKYC: true, Active: true},
		&schema.SetSub{Master: schema.FirstCustomer, Alias: "b", External: "sub1", Email: "e"},
		&schema.SetKey{Key: schema.Key{Key: "sub", Account: schema.FirstCustomer + peopleAccounts, Sealed: []byte("s"), Enabled: true, URLs: []string{schema.AllURLs}}})
	for i := range peoplePartners {
		p := w.partner(t, i)
		p.On = true
		list = append(list, &schema.SetPartner{Partner: p})
	}
	if chance(t, 3) == 0 { // about as many keys as an account can have
		for range schema.MaxKeys - 4 + chance(t, 4) {
			w.drawn++
			list = append(list, &schema.OpenKey{
				By: schema.FirstCustomer, Account: schema.FirstCustomer, External: fmt.Sprint("e", w.drawn), Key: fmt.Sprint("p", w.drawn), Sealed: []byte("s"), Type: schema.KeyMoney, Title: "t",
			})
		}
	}
	for i := range schema.AccountID(peopleAccounts - chance(t, 2)) {
		invited := &schema.Invite{Account: schema.FirstCustomer + i, Digest: w.fresh(), Login: login(schema.FirstCustomer + i), Name: []byte("name")}
		list = append(list, invited, &schema.Enrol{Digest: invited.Digest, Factors: w.factors(t), Session: w.fresh(), Device: "d"})
	}
	return list
}

// login is the usual one of an account.
func login(a schema.AccountID) schema.Digest { return digest(900_000 + int(a)) }

// fresh is a digest that nothing had before.
func (w *peopleWorld) fresh() schema.Digest {
	w.drawn++
	return digest(w.drawn)
}

// some is mostly a fresh digest, rarely none or one that something has or had.
func (w *peopleWorld) some(t *dice) schema.Digest {
	if chance(t, 20) == 0 {
		return pick(t, schema.Digest{}, digest(1+chance(t, w.drawn+1)), digest(max(1, w.drawn-chance(t, 6))))
	}
	return w.fresh()
}

func (w *peopleWorld) mark(at schema.Time) { w.marks = append(w.marks, at) }

// next draws a command, when it comes and how.
func (w *peopleWorld) next(t *dice) moment {
	w.pass(t)
	if len(w.plan) > 0 && chance(t, 6) != 0 {
		m := w.plan[0]
		w.plan = w.plan[1:]
		if m.at != 0 {
			w.now = m.at
		}
		m.at = w.now
		return m
	}
	cmd := w.command(t)
	return moment{at: w.now, cmd: cmd, from: w.origin(t, cmd)}
}

// pass lets time pass: mostly little, sometimes until just before or after something ends, rarely a day.
func (w *peopleWorld) pass(t *dice) {
	switch n := chance(t, 100); {
	case n < 2:
		w.now -= schema.Second // a clock that goes back
	case n < 20:
		w.collect()
		far := 11 * aMinute // mostly what ends soon, so that the rest goes on
		switch chance(t, 30) {
		case 0:
			far = 40 * aDay
		case 1, 2:
			far = aDay + aMinute
		}
		near, _ := slices.BinarySearch(w.marks, w.now+far)
		if near > 0 {
			w.now = w.marks[chance(t, near)] + schema.Time(chance(t, 3)-1)
		}
	case n < 21:
		w.now += pick(t, anHour, anHour, 11*anHour, aDay)
	default:
		w.now += pick[schema.Time](t, 0, 1, schema.Second, 5*schema.Second, 20*schema.Second)
	}
}

// collect finds out when things end.
func (w *peopleWorld) collect() {
	w.marks = slices.DeleteFunc(w.marks, func(at schema.Time) bool { return at <= w.now || at > w.now+40*aDay })
	if len(w.marks) > 200 {
		w.marks = w.marks[len(w.marks)-50:]
	}
	found := slices.Clone(w.marks)
	for _, u := range w.oracle.Users() {
		found = append(found, u.LockedUntil)
	}
	for _, a := range w.oracle.Accounts() {
		found = append(found, a.RestrictedUntil)
	}
	for _, i := range w.oracle.Invitations() {
		found = append(found, i.Expires)
	}
	for _, k := range w.oracle.Keys() {
		if k.Web {
			found = append(found, k.Expires, k.AuthAt+5*aMinute, w.oracle.SessionUsed(k.ID)+aDay, w.oracle.SessionUsed(k.ID)+10*aMinute)
		}
	}
	for _, g := range w.oracle.Grants() {
		found = append(found, g.CodeUntil, g.AccessUntil, g.RefreshUntil, g.FamilyUntil)
	}
	w.marks = slices.DeleteFunc(found, func(at schema.Time) bool { return at <= w.now })
	slices.Sort(w.marks)
	w.marks = slices.Compact(w.marks)
}

func (w *peopleWorld) command(t *dice) schema.Command {
	if _, living := w.sessions(); len(living) == 0 && chance(t, 4) != 0 {
		u := w.user(t)
		if u.Account == 0 {
			return w.invite(t)
		}
		return &schema.SignIn{User: u.ID, Generation: u.Generation, Proof: w.right(&u), Known: coin(t), Session: w.fresh()}
	}
	switch n := chance(t, 100); {
	case n < 2:
		return w.invite(t)
	case n < 3:
		return w.inviteSub(t)
	case n < 7:
		return w.enrol(t)
	case n < 19:
		return w.signIn(t)
	case n < 28:
		return w.stepUp(t)
	case n < 33:
		return w.setFactor(t)
	case n < 35:
		return w.signOut(t)
	case n < 38:
		return &schema.TouchSession{Key: w.session(t).ID}
	case n < 41:
		return &schema.SetPartner{Partner: w.partner(t, chance(t, peoplePartners))}
	case n < 59:
		return w.authorize(t)
	case n < 63:
		return w.redeem(t)
	case n < 70:
		return w.refresh(t)
	case n < 73:
		return w.takeSecret(t)
	case n < 76:
		return w.revoke(t)
	case n < 84:
		return w.operation(t)
	case n < 88:
		return w.setAccount(t)
	case n < 91:
		return w.family(t)
	case n < 94:
		return w.apiKey(t)
	}
	return &schema.Tick{}
}

// account is one of those that there are, rarely none.
func (w *peopleWorld) account(t *dice) schema.AccountID {
	if rarely(t) {
		return pick(t, schema.AccountID(0), schema.Fees, 999)
	}
	all := w.oracle.Accounts()
	if len(all) > peopleAccounts && chance(t, 4) == 0 {
		return all[peopleAccounts+chance(t, len(all)-peopleAccounts)].ID
	}
	return schema.FirstCustomer + schema.AccountID(chance(t, peopleAccounts))
}

func (w *peopleWorld) known(id schema.AccountID) *schema.Account {
	for _, a := range w.oracle.Accounts() {
		if a.ID == id {
			return &a
		}
	}
	return nil
}

func (w *peopleWorld) partnerID(t *dice) schema.PartnerID {
	if rarely(t) {
		return pick[schema.PartnerID](t, 0, peoplePartners+1, 77)
	}
	return schema.PartnerID(1 + chance(t, peoplePartners))
}

// user is one of those that there are; of none, there is nothing but an id.
func (w *peopleWorld) user(t *dice) schema.User {
	all := w.oracle.Users()
	if len(all) == 0 || chance(t, 40) == 0 {
		return schema.User{ID: schema.UserID(len(all) + 1)}
	}
	return all[chance(t, len(all))]
}

// session is mostly one of the last that began and are not over.
func (w *peopleWorld) session(t *dice) schema.Key {
	all, living := w.sessions()
	if len(living) > 0 && chance(t, 12) != 0 {
		all = living
	}
	if len(all) == 0 || chance(t, 40) == 0 {
		return schema.Key{ID: schema.KeyID(chance(t, 40)), Account: schema.FirstCustomer}
	}
	return all[max(0, len(all)-1-chance(t, 5))]
}

// sessions are those that there are, and those of them that are not over.
func (w *peopleWorld) sessions() (all, living []schema.Key) {
	for _, k := range w.oracle.Keys() {
		if k.Web {
			all = append(all, k)
			if w.now < k.Expires && w.now < w.oracle.SessionUsed(k.ID)+aDay {
				living = append(living, k)
			}
		}
	}
	return all, living
}

// of is the user of a session, if there is one.
func (w *peopleWorld) of(k schema.Key) schema.User {
	for _, u := range w.oracle.Users() {
		if u.ID == k.User {
			return u
		}
	}
	return schema.User{ID: k.User}
}

func (w *peopleWorld) invite(t *dice) schema.Command {
	a := w.account(t)
	c := &schema.Invite{Account: a, Digest: w.some(t), Login: login(a), Name: []byte("name")}
	w.links = append(w.links, c.Digest)
	switch chance(t, 10) {
	case 0:
		c.Login = login(w.account(t))
	case 1:
		c.Login = pick(t, schema.Digest{}, w.fresh())
	case 2:
		c.Name = slices.Repeat([]byte{1}, pick(t, 0, schema.MaxSealedFactor, schema.MaxSealedFactor+1))
	case 3:
		if open := w.oracle.Invitations(); len(open) > 0 {
			c.Digest = open[chance(t, len(open))].Digest
		}
	}
	if coin(t) {
		w.plan = append(w.plan, moment{cmd: &schema.Enrol{Digest: c.Digest, Factors: w.factors(t), Session: w.fresh(), Device: "d"}})
	}
	return c
}

// inviteSub plans that a master gives a factor and invites to a sub-account, maybe one that was just made, later, or twice.
func (w *peopleWorld) inviteSub(t *dice) schema.Command {
	var sub schema.Account
	for _, a := range w.oracle.Accounts() {
		if a.IsSub() && (sub.ID == 0 || chance(t, 3) != 0) {
			sub = a
		}
	}
	_, living := w.sessions()
	for _, k := range living {
		if k.Account != sub.Parent || k.User == 0 {
			continue
		}
		u := w.of(k)
		if chance(t, 6) == 0 { // while an operator blocks it
			free := *w.known(k.Account)
			blocked := free
			blocked.Blocked = true
			w.plan = append(w.plan, moment{cmd: &schema.SetAccount{Account: blocked}})
			defer func() { w.plan = append(w.plan, moment{cmd: &schema.SetAccount{Account: free}}) }()
		}
		for range 1 + chance(t, 2) {
			c := &schema.Invite{Account: sub.ID, Digest: w.fresh(), Login: login(sub.ID), Name: []byte("name")}
			w.links = append(w.links, c.Digest)
			m := moment{cmd: c, from: schema.Origin{Key: k.ID, Once: w.fresh()}}
			if rarely(t) {
				m.at = around(t, w.now+5*aMinute)
			}
			w.plan = append(w.plan, m)
			if coin(t) {
				w.plan = append(w.plan, moment{cmd: &schema.Enrol{Digest: c.Digest, Factors: w.factors(t), Session: w.fresh(), Device: "d"}})
			}
		}
		return &schema.StepUp{Key: k.ID, Generation: u.Generation, Proof: w.right(&u)}
	}
	return w.invite(t)
}

func (w *peopleWorld) enrol(t *dice) schema.Command {
	c := &schema.Enrol{Digest: w.fresh(), Factors: w.factors(t), Session: w.some(t), Device: w.device(t)}
	if len(w.links) > 0 && coin(t) {
		c.Digest = w.links[max(0, len(w.links)-1-chance(t, 3))]
	}
	if open := w.oracle.Invitations(); len(open) > 0 && chance(t, 4) != 0 {
		c.Digest = open[chance(t, len(open))].Digest
	}
	for _, u := range w.oracle.Users() { // with a passkey that somebody has, maybe the one who begins again
		if len(c.Factors.Passkeys) == 1 && len(u.Passkeys) > 0 && chance(t, 4) == 0 {
			c.Factors.Passkeys[0].ID = u.Passkeys[0].ID
		}
	}
	return c
}

func (w *peopleWorld) device(t *dice) string {
	if chance(t, 30) == 0 {
		return strings.Repeat("d", pick(t, schema.MaxDevice, schema.MaxDevice+1))
	}
	return pick(t, "", "d")
}

func (w *peopleWorld) passkey(t *dice) schema.Passkey {
	p := schema.Passkey{ID: []byte{byte(chance(t, 30))}, Key: []byte("k"), Counter: uint32(chance(t, 3)), Backup: coin(t), Title: "t", Created: schema.Time(chance(t, 2))}
	switch chance(t, 60) {
	case 0:
		p.ID = make([]byte, pick(t, 0, schema.MaxPasskeyID, schema.MaxPasskeyID+1))
	case 1:
		p.Key = make([]byte, pick(t, 0, schema.MaxPasskeyKey, schema.MaxPasskeyKey+1))
	case 2:
		p.Title = strings.Repeat("t", pick(t, schema.MaxDevice, schema.MaxDevice+1))
	}
	return p
}

// factors are those of an enrolment, mostly such as can be.
func (w *peopleWorld) factors(t *dice) (f schema.Factors) {
	secrets, passkeys := true, 0
	switch chance(t, 10) {
	case 0, 1, 2, 3:
	case 4, 5:
		passkeys = 1
	case 6, 7:
		secrets, passkeys = false, 1+chance(t, 2)
	case 8:
		secrets, passkeys = coin(t), pick(t, 0, 2, schema.MaxPasskeys, schema.MaxPasskeys+1)
	case 9:
		f.Password = []byte("p")
		secrets, passkeys = false, chance(t, 2)
	}
	if secrets {
		f.Password, f.TOTP, f.Step = []byte("p"), []byte("s"), uint64(1+chance(t, 3))
		if rarely(t) {
			f.Step = 0
		}
	}
	for i := range passkeys {
		p := w.passkey(t)
		if len(p.ID) == 1 && passkeys > 1 && !rarely(t) {
			p.ID = []byte{byte(30 + 2*chance(t, 100)), byte(i)}
		}
		f.Passkeys = append(f.Passkeys, p)
	}
	if chance(t, 40) == 0 {
		f.Password = make([]byte, pick(t, 0, schema.MaxSealedFactor, schema.MaxSealedFactor+1))
	}
	if chance(t, 40) == 0 {
		f.TOTP = make([]byte, pick(t, 0, schema.MaxSealedFactor, schema.MaxSealedFactor+1))
	}
	return f
}

// proof is what a door found, mostly of a factor that the user has.
func (w *peopleWorld) proof(t *dice, u *schema.User) (p schema.Proof) {
	if len(w.asked) > 40 {
		w.asked = w.asked[20:]
	}
	switch {
	case len(u.Passkeys) > 0 && (len(u.TOTP) == 0 || chance(t, 3) == 0):
		known := u.Passkeys[chance(t, len(u.Passkeys))]
		p = schema.Proof{Kind: schema.ByPasskey, Passkey: known.ID, Counter: known.Counter + uint32(chance(t, 3)), Challenge: w.fresh()}
		if chance(t, 6) == 0 {
			p.Counter = uint32(chance(t, 3))
		}
		if chance(t, 4) == 0 && len(w.asked) > 0 {
			p.Challenge = w.asked[max(0, len(w.asked)-1-chance(t, 3))]
		}
		w.asked = append(w.asked, p.Challenge)
		w.mark(w.now + 5*aMinute)
	case len(u.TOTP) > 0:
		p = schema.Proof{Kind: schema.ByTOTP, Step: u.Step + uint64(chance(t, 5)), Wrong: chance(t, 3) == 0}
		if chance(t, 8) == 0 {
			p.Step = uint64(chance(t, 4))
		}
	default:
		p = schema.Proof{Kind: schema.ByPassword}
	}
	switch chance(t, 40) {
	case 0:
		p.Kind = schema.ProofKind(chance(t, 7))
	case 1:
		p.Wrong = true
	case 2:
		p.Passkey = []byte{byte(chance(t, 30))}
	case 3:
		p.Challenge = schema.Digest{}
	}
	return p
}

// right is what proves who a user is.
func (w *peopleWorld) right(u *schema.User) schema.Proof {
	switch {
	case len(u.TOTP) > 0:
		return schema.Proof{Kind: schema.ByTOTP, Step: u.Step + 1}
	case len(u.Passkeys) > 0:
		return schema.Proof{Kind: schema.ByPasskey, Passkey: u.Passkeys[0].ID, Counter: u.Passkeys[0].Counter + 1, Challenge: w.fresh()}
	}
	return schema.Proof{Kind: schema.ByPassword}
}

func (w *peopleWorld) signIn(t *dice) schema.Command {
	u := w.user(t)
	c := &schema.SignIn{User: u.ID, Generation: u.Generation, Proof: w.proof(t, &u), Known: chance(t, 4) == 0, Session: w.some(t), Device: w.device(t)}
	if chance(t, 20) == 0 {
		c.Generation += pick[uint32](t, 1, ^uint32(0))
	}
	if chance(t, 8) == 0 { // a button
		c.User, c.Account, c.Proof = 0, w.account(t), schema.Proof{Kind: schema.ByDemo}
		if rarely(t) {
			c.Proof.Kind = schema.ProofKind(chance(t, 6))
		}
	}
	switch {
	case c.Proof.Kind == schema.ByTOTP && c.Proof.Wrong && chance(t, 4) == 0: // somebody guesses
		for range 5 {
			again := *c
			w.plan = append(w.plan, moment{cmd: &again})
		}
	case rarely(t):
		w.visitOften(t, &u)
	}
	return c
}

// visitOften plans that a user signs in as often as he can have sessions, or nearly.
func (w *peopleWorld) visitOften(t *dice, u *schema.User) {
	for i := range 16 + chance(t, 8) {
		c := &schema.SignIn{User: u.ID, Generation: u.Generation, Proof: schema.Proof{Kind: schema.ByTOTP, Step: u.Step + uint64(i) + 1}, Session: w.fresh(), Known: true}
		if len(u.TOTP) == 0 {
			c.Proof = schema.Proof{Kind: schema.ByPassword}
			if len(u.Passkeys) > 0 {
				c.Proof = schema.Proof{Kind: schema.ByPasskey, Passkey: u.Passkeys[0].ID, Counter: u.Passkeys[0].Counter + uint32(i) + 1, Challenge: w.fresh()}
			}
		}
		w.plan = append(w.plan, moment{cmd: c})
	}
}

func (w *peopleWorld) stepUp(t *dice) schema.Command {
	k := w.session(t)
	u := w.of(k)
	c := &schema.StepUp{Key: k.ID, Generation: u.Generation, Proof: w.proof(t, &u)}
	if chance(t, 20) == 0 {
		c.Generation += pick[uint32](t, 1, ^uint32(0))
	}
	if chance(t, 40) == 0 {
		c.Key = schema.KeyID(1 + chance(t, 6)) // an API key, maybe
	}
	if c.Proof.Wrong && chance(t, 4) == 0 {
		for range 5 {
			again := *c
			w.plan = append(w.plan, moment{cmd: &again})
		}
	}
	return c
}

func (w *peopleWorld) setFactor(t *dice) schema.Command {
	k := w.session(t)
	u := w.of(k)
	c := &schema.SetFactor{Key: k.ID, Generation: u.Generation, Change: schema.FactorChange(1 + chance(t, 5)), Session: w.some(t)}
	if chance(t, 20) == 0 {
		c.Generation += pick[uint32](t, 1, ^uint32(0))
	}
	switch c.Change {
	case schema.ChangePassword:
		c.Factors.Password = []byte("q")
	case schema.ChangeTOTP:
		c.Factors.TOTP, c.Factors.Step = []byte("r"), uint64(chance(t, 5))
	case schema.AddPasskey:
		c.Factors.Passkeys = []schema.Passkey{w.passkey(t)}
		if chance(t, 10) == 0 {
			w.addMany(t, k, &u)
		}
	case schema.RemovePasskey:
		c.Factors.Passkeys = []schema.Passkey{{ID: []byte{byte(chance(t, 30))}}}
		if len(u.Passkeys) > 0 {
			c.Factors.Passkeys = []schema.Passkey{{ID: u.Passkeys[chance(t, len(u.Passkeys))].ID}}
		}
	}
	switch chance(t, 30) {
	case 0:
		c.Factors = w.factors(t)
	case 1:
		c.Change = pick[schema.FactorChange](t, 0, 6)
	case 2:
		c.Factors.Step = 9
	}
	if chance(t, 3) != 0 && w.now >= k.AuthAt+5*aMinute { // with a factor before it
		w.plan = append(w.plan, moment{cmd: c})
		return &schema.StepUp{Key: k.ID, Generation: u.Generation, Proof: w.right(&u)}
	}
	return c
}

// addMany plans that a user has passkeys until he can have no more. The sessions are those that come of it.
func (w *peopleWorld) addMany(t *dice, k schema.Key, u *schema.User) {
	last := schema.KeyID(0)
	for _, known := range w.oracle.Keys() {
		last = max(last, known.ID)
	}
	generation := u.Generation
	for i := range schema.MaxPasskeys + 1 - len(u.Passkeys) {
		c := &schema.SetFactor{
			Key: k.ID, Generation: generation, Change: schema.AddPasskey, Session: w.fresh(),
			Factors: schema.Factors{Passkeys: []schema.Passkey{{ID: []byte{byte(chance(t, 250)), byte(i), 7}, Key: []byte("k")}}},
		}
		w.plan = append(w.plan, moment{cmd: c})
		last++
		generation++
		k.ID = last
	}
}

func (w *peopleWorld) signOut(t *dice) schema.Command {
	k := w.session(t)
	c := &schema.SignOut{Account: k.Account, Key: pick(t, k.ID, k.ID, 0), Except: pick(t, 0, k.ID, w.session(t).ID)}
	if chance(t, 4) == 0 {
		c.Account = w.account(t)
	}
	return c
}

// setAccount is what an operator says of an account: that it is verified, frozen or blocked.
func (w *peopleWorld) setAccount(t *dice) schema.Command {
	a := w.known(w.account(t))
	if a == nil {
		a = &schema.Account{ID: 999, Name: "none", Region: schema.Global}
	}
	c := &schema.SetAccount{Account: *a}
	switch chance(t, 4) {
	case 0:
		c.Account.Verified = !a.Verified
		if !a.Verified || coin(t) {
			back := *c
			back.Account.Verified = true
			w.plan = append(w.plan, moment{cmd: &back})
		}
	case 1, 2:
		c.Account.RestrictedUntil = pick(t, 0, 0, 0, w.now+aMinute, w.now+10*aDay)
	case 3:
		c.Account.Blocked = !a.Blocked
		if !a.Blocked {
			back := *c
			back.Account.Blocked = false
			if coin(t) {
				w.plan = append(w.plan, w.somethingOf(t, a.ID))
			}
			w.plan = append(w.plan, moment{cmd: &back})
		}
	}
	return c
}

// somethingOf is something that an account asks for, maybe while it is blocked.
func (w *peopleWorld) somethingOf(t *dice, a schema.AccountID) moment {
	for _, k := range w.oracle.Keys() {
		if k.Account == a && k.Web && coin(t) {
			return moment{cmd: w.approval(t, k), from: schema.Origin{Key: k.ID, Once: w.fresh()}}
		}
	}
	return moment{cmd: w.redeem(t)}
}
