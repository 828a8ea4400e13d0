package core

import (
	"testing"

	"bourse/internal/schema"
)

// A right code from a known device begins again at 15 minutes, but leaves a running lock; wrong ones from there do not shorten it.
func TestALockNeverBecomesShorter(t *testing.T) {
	c := enrolled(t)
	for range 10 {
		c.do(wrongCode(1), schema.OK)
		c.now = max(c.now, c.Identity().UserOf(ada).LockedUntil)
	}
	for range 5 {
		c.do(wrongCode(1), schema.OK)
	}
	until := c.Identity().UserOf(ada).LockedUntil
	if until != c.now+anHour {
		t.Fatalf("locked for %d s", (until-c.now)/schema.Second)
	}
	known := byCode(1, 11, 1001)
	known.Known = true
	c.do(known, schema.OK)
	wrong := wrongCode(1)
	wrong.Known = true
	for range 5 {
		c.do(wrong, schema.OK)
	}
	if u := c.Identity().UserOf(ada); u.LockedUntil != until || u.Locks != 1 {
		t.Errorf("the lock of an hour ends %d s later", (u.LockedUntil-until)/schema.Second)
	}
}

// Who changes a password again and again gives no factor by that.
func TestAChangeOfAFactorIsNoFactor(t *testing.T) {
	c := enrolled(t)
	proven := c.now
	c.now += 4 * aMinute
	change := &schema.SetFactor{Key: 1, Generation: 1, Change: schema.ChangePassword, Factors: schema.Factors{Password: []byte("a")}, Session: digest(1001)}
	c.do(change, schema.OK)
	if got := c.Accounts().Session(2); got.AuthAt != proven || got.Expires != c.now+30*aDay {
		t.Errorf("the session is %+v", got)
	}
	c.now += aMinute
	change = &schema.SetFactor{Key: 2, Generation: 2, Change: schema.ChangePassword, Factors: schema.Factors{Password: []byte("b")}, Session: digest(1002)}
	c.do(change, schema.StepUpNeeded)
}

// subOf is a new sub-account of ada.
func (c *club) subOf(external string, active bool) schema.AccountID {
	c.t.Helper()
	return schema.AccountID(c.do(&schema.SetSub{Master: ada, Alias: external, External: external, Email: "sealed", Active: active}, schema.OK).ID)
}

func TestTheUserOfADeletedSubAccountEnds(t *testing.T) {
	c := newClub(t)
	sub := c.subOf("one", false)
	c.do(invite(sub, 1), schema.OK)
	c.do(&schema.Enrol{Digest: digest(1), Factors: schema.Factors{Passkeys: []schema.Passkey{passkey(7)}}, Session: digest(1000)}, schema.OK)
	again := invite(ben, 2)
	again.Login = invite(sub, 1).Login
	c.do(again, schema.LoginTaken)
	c.do(&schema.DeleteSub{Master: ada, Sub: sub}, schema.OK)
	if u := c.Identity().User(1); c.Identity().UserOf(sub) != nil || !u.Login.IsZero() || len(u.Passkeys) != 0 || u.Generation != 2 {
		t.Errorf("of the user is left %+v", u)
	}
	c.do(byPasskey(7, 1, 1, 1001), schema.AccountBlocked)
	c.do(again, schema.OK) // the same person with the same device
	c.do(&schema.Enrol{Digest: digest(2), Factors: schema.Factors{Passkeys: []schema.Passkey{passkey(7)}}, Session: digest(1001)}, schema.OK)
	if u := c.Identity().UserOf(ben); u == nil || u.ID != 2 {
		t.Errorf("the user of ben is %+v", u)
	}
}

// A master who is signed in invites to a sub-account that has no user. By the same commands operators do, to every account.
func TestMastersInviteToTheirSubAccounts(t *testing.T) {
	c := enrolled(t)
	sub, open := c.subOf("one", false), c.subOf("two", true)
	c.now += 5*aMinute - 1
	c.from(by(1), invite(sub, 1), schema.OK)
	c.from(by(2), invite(sub, 2), schema.OK)
	c.do(enrol(1, 1001), schema.InvitationUnknown) // a newer one ended it
	c.from(by(3), invite(sub, 2), schema.InvitationInvalid)
	c.from(by(4), invite(ada, 3), schema.SubUnknown) // a session is no way to other factors
	c.from(by(5), invite(ben, 3), schema.SubUnknown)
	taken := invite(open, 3)
	taken.Login = digest(int(ada))
	c.from(by(6), taken, schema.LoginTaken)
	c.from(by(7), invite(open, 3), schema.OK)
	for _, id := range []schema.AccountID{sub, open} {
		set := *c.Accounts().Get(id)
		set.Blocked = true
		c.do(&schema.SetAccount{Account: set}, schema.OK)
		c.from(by(10+int(id)), invite(id, 4), schema.SubInactive)
		set.Blocked = false
		c.do(&schema.SetAccount{Account: set}, schema.OK)
	}
	c.do(&schema.BlockSub{Master: ada, Sub: open, Blocked: true}, schema.OK)
	c.from(by(20), invite(open, 4), schema.SubInactive)
	c.do(&schema.BlockSub{Master: ada, Sub: open}, schema.OK)
	master := *c.Accounts().Get(ada)
	master.Blocked = true
	c.do(&schema.SetAccount{Account: master}, schema.OK)
	c.from(by(21), invite(sub, 4), schema.AccountBlocked)
	master.Blocked = false
	c.do(&schema.SetAccount{Account: master}, schema.OK)

	c.do(enrol(2, 1001), schema.OK)
	if a := c.Accounts().Get(sub); a.Status != schema.SubActive || a.RestrictedUntil != 0 || c.Identity().UserOf(sub) == nil {
		t.Errorf("the sub-account is %+v", a)
	}
	c.from(by(22), invite(sub, 4), schema.UserExists) // that would be a way in for the master
	c.do(invite(sub, 4), schema.OK)                   // and for operators it is one back

	of := c.Accounts().Sessions(sub)[0]
	c.from(schema.Origin{Key: of, Once: digest(3000)}, invite(open, 5), schema.SubUnknown) // a sub-account is nobody's master
	c.do(&schema.SetKey{Key: schema.Key{Key: "k", Account: ada, Sealed: []byte("s"), Enabled: true, URLs: []string{schema.AllURLs}}}, schema.OK)
	c.from(schema.Origin{Key: c.Accounts().Key("k").ID, Nonce: 1}, invite(open, 5), schema.KeyNotAllowed)
	c.now++
	c.from(by(23), invite(open, 5), schema.StepUpNeeded)
	c.do(&schema.DeleteSub{Master: ada, Sub: open}, schema.OK)
	c.do(enrol(3, 1002), schema.InvitationUnknown)
	c.do(&schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: 11}}, schema.OK)
	c.from(by(24), invite(open, 5), schema.AccountUnknown)
	c.do(&schema.SignOut{Account: ada}, schema.OK)
	c.from(by(25), invite(sub, 5), schema.KeyRefused)
}

func TestNobodyEnrolsWhereAnOperatorBlocked(t *testing.T) {
	c := newClub(t)
	sub := c.subOf("one", false)
	c.do(invite(sub, 1), schema.OK)
	for _, id := range []schema.AccountID{sub, ada} {
		blocked := *c.Accounts().Get(id)
		blocked.Blocked = true
		c.do(&schema.SetAccount{Account: blocked}, schema.OK)
		c.do(enrol(1, 1000), schema.AccountBlocked)
		blocked.Blocked = false
		c.do(&schema.SetAccount{Account: blocked}, schema.OK)
	}
	c.do(enrol(1, 1000), schema.OK)
}

// Sessions by the button of a demo are asked for no factor: they end when there is a user.
func TestButtonsEndWithTheFirstUser(t *testing.T) {
	c := newClub(t)
	c.do(&schema.SignIn{Account: ada, Proof: schema.Proof{Kind: schema.ByDemo}, Session: digest(2000)}, schema.OK)
	c.do(invite(ada, 1), schema.OK)
	c.do(enrol(1, 1000), schema.OK)
	if all := c.Accounts().Sessions(ada); len(all) != 1 || all[0] != 2 {
		t.Errorf("sessions %v", all)
	}
	c.from(by(1), &schema.SetHedgeMode{Account: ada}, schema.KeyRefused)
}

// A connection that a token of a session authorized does nothing once the session is over, also before a tick ends it, and does not prolong it.
func TestConnectionsDoNotOutliveSessions(t *testing.T) {
	c := enrolled(t)
	socket := schema.Origin{Key: 1, Authorized: true}
	c.now += aDay - 1
	c.from(socket, &schema.SetHedgeMode{Account: ada, On: true}, schema.OK)
	c.now++
	c.from(socket, &schema.SetHedgeMode{Account: ada}, schema.SessionUnknown)
}

func TestWebhooksAndConsentNeedAFreshFactor(t *testing.T) {
	c := enrolled(t)
	since := c.now
	c.now += 5*aMinute - 1
	c.from(by(1), &schema.SetWebhook{Account: ada, Delete: true}, schema.WebhookUnknown)
	c.from(by(2), &schema.AuthorizePartner{Account: ada, Since: since}, schema.PartnerUnknown)
	c.now++
	c.from(by(3), &schema.SetWebhook{Account: ada, Delete: true}, schema.StepUpNeeded)
	c.from(by(4), &schema.AuthorizePartner{Account: ada, Since: since}, schema.StepUpNeeded)
}

// What a session asks for once it is over is not done, also before a tick ends it: another session, and what clients have, live on.
func TestSessionsThatAreOverEndNothing(t *testing.T) {
	c := granted(t)
	over := schema.Origin{Key: 1, Authorized: true}
	c.now += aDay - aMinute
	c.do(byCode(1, 50, 2000), schema.OK)
	c.now += aMinute
	c.from(over, &schema.SignOut{Account: ada, Except: 1}, schema.SessionUnknown)
	c.from(over, &schema.RevokePartner{Account: ada, Partner: 1, Whole: true}, schema.SessionUnknown)
	if len(c.Accounts().Sessions(ada)) != 2 || len(c.OAuth().Grants(ada)) != 1 || c.Accounts().Key("key") == nil {
		t.Errorf("left are the sessions %v and the grants %v", c.Accounts().Sessions(ada), c.OAuth().Grants(ada))
	}
	c.do(&schema.SignOut{Account: ada, Key: 1}, schema.OK)
	c.from(over, &schema.SignOut{Account: ada, Except: 1}, schema.KeyRefused)
}

// granted is a club in which a client got a key of ada for a code with digest 3000, and another client is there.
func granted(t *testing.T) *club {
	c := enrolled(t)
	a := *c.Accounts().Get(ada)
	a.Verified = true
	c.do(&schema.SetAccount{Account: a}, schema.OK)
	for _, name := range []string{"one", "two"} {
		c.do(&schema.SetPartner{Partner: schema.Partner{
			Client: name, Title: name, Secret: digest(1), URIs: []string{"https://" + name}, Scopes: []string{schema.ScopeReadKey}, Addresses: []string{"10.0.0.1"}, On: true,
		}}, schema.OK)
	}
	c.from(by(1), &schema.AuthorizePartner{Account: ada, Partner: 1, Code: digest(3000), Redirect: "https://one", Challenge: digest(3001), Since: c.now}, schema.OK)
	if got := c.do(redemption(1), schema.OK); got.Grant != schema.GrantRedeemed {
		t.Fatalf("outcome %v", got.Grant)
	}
	return c
}

func redemption(p schema.PartnerID) *schema.RedeemGrant {
	return &schema.RedeemGrant{Partner: p, Code: digest(3000), Challenge: digest(3001), Access: digest(3002), External: "key", Sealed: []byte("s")}
}

// A code that comes again was seen by somebody else, whichever client sends it.
func TestACodeOfAnotherClientIsAReplay(t *testing.T) {
	c := granted(t)
	if got := c.do(redemption(2), schema.OK); got.Grant != schema.GrantReplayed || len(c.OAuth().Grants(ada)) != 0 || c.Accounts().Key("key") != nil {
		t.Errorf("outcome %v, left are %v", got.Grant, c.OAuth().Grants(ada))
	}
}

func TestNoSecretForAClientThatIsOff(t *testing.T) {
	c := granted(t)
	take := &schema.TakeSecret{Account: ada, Partner: 1, External: "key", Token: digest(3002)}
	for _, on := range []bool{false, true} {
		p := *c.OAuth().Partner(1)
		p.On = on
		c.do(&schema.SetPartner{Partner: p}, schema.OK)
		if on {
			c.do(take, schema.OK)
		} else {
			c.do(take, schema.PartnerUnknown)
		}
	}
}
