package web_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// sub makes a sub-account of alice for somebody with an address of e-mail.
func (w *world) sub(alias, email string) {
	w.Do(&schema.SetSub{Master: w.account("alice").ID, External: alias + "-id", Alias: alias, Email: w.Exchange.API.SealEmail(email), Spot: true})
}

// subs are the sub-accounts that somebody sees, by their ids.
func (b *browser) subs() map[string]obj {
	b.t.Helper()
	all := map[string]obj{}
	for _, s := range b.gets(200, "GET", "subs", nil)["subs"].([]any) {
		all[s.(obj)["id"].(string)] = s.(obj)
	}
	return all
}

// invites makes an invitation and returns its token.
func (b *browser) invites(body obj) (token string, made obj) {
	b.t.Helper()
	made = b.gets(200, "POST", "invite", body)
	at, token, found := strings.Cut(made["link"].(string), "/welcome#")
	if public, err := url.Parse(at); !found || err != nil || public.Fragment != "" || at != b.w.Exchange.API.PublicURL() || len(token) != 43 {
		b.t.Errorf("the link is %v", made["link"])
	}
	return token, made
}

// enrolsBy is somebody who followed an invitation.
func (w *world) enrolsBy(token string) *browser {
	w.t.Helper()
	b := &browser{t: w.t, w: w, cookies: map[string]string{}}
	offer := b.gets(200, "POST", "invitation", obj{"token": token})["totp"].(obj)
	b.secret = offer["secret"].(string)
	b.gets(200, "POST", "enrol", obj{"token": token, "password": password, "ticket": offer["ticket"], "code": b.code()})
	return b
}

func TestAMasterInvites(t *testing.T) {
	w, alice := open(t)
	w.sub("fund", "Dora.Marsh@example.com")
	want := map[string]obj{
		"desk-id": {"id": "desk-id", "name": "desk", "status": "active", "email": "", "user": false, "invited": 0., "invitable": true, "named": false},
		"fund-id": {"id": "fund-id", "name": "fund", "status": "pending", "email": "D***@e***m", "user": false, "invited": 0., "invitable": true, "named": true},
	}
	if got := alice.subs(); !reflect.DeepEqual(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	first, _ := alice.invites(obj{"account": "fund-id"})
	second, made := alice.invites(obj{"account": "fund-id", "login": "somebody.else"})
	until := float64(w.time.Load()/1_000_000 + 72*3600)
	if made["login"] != "Dora.Marsh@example.com" || made["name"] != "fund" || made["account"] != "fund-id" || made["expires"] != until {
		t.Errorf("made %v, until %.0f", made, until)
	}
	if got := alice.subs()["fund-id"]; got["invited"] != until || got["status"] != "pending" {
		t.Errorf("invited: %v", got)
	}
	stranger := &browser{t: t, w: w, cookies: map[string]string{}}
	stranger.gets(404, "POST", "invitation", obj{"token": first})
	if shown := stranger.gets(200, "POST", "invitation", obj{"token": second}); shown["login"] != "Dora.Marsh@example.com" {
		t.Errorf("the person sees %v", shown)
	}
	dora := w.enrolsBy(second)
	if who := dora.gets(200, "GET", "session", nil); who["account"] != "fund" || who["login"] != "Dora.Marsh@example.com" {
		t.Errorf("signed in: %v", who)
	}
	if got := alice.subs()["fund-id"]; got["status"] != "active" || got["user"] != true || got["invitable"] != false || got["invited"] != 0. {
		t.Errorf("enrolled: %v", got)
	}
	alice.gets(200, "POST", "session/factor", alice.factor())
	alice.refused(400, 0, "account", "Sub-account has a user already", "POST", "invite", obj{"account": "fund-id"})
	dora.refused(422, 30, "account", "There is no such sub-account.", "POST", "invite", obj{"account": "desk-id"})
	if got := dora.subs(); len(got) != 0 {
		t.Errorf("a sub-account has %v", got)
	}

	// Where there is no address the master says by what the person signs in. The one of somebody else is no login.
	alice.refused(422, 30, "login", "A login has 1 to 254 bytes, and no spaces or characters that cannot be seen.", "POST", "invite", obj{"account": "desk-id"})
	alice.refused(422, 0, "login", "Somebody else has this login.", "POST", "invite", obj{"account": "desk-id", "login": "ALICE"})
	token, made := alice.invites(obj{"account": "desk-id", "login": "trader"})
	if made["login"] != "trader" || w.enrolsBy(token).gets(200, "GET", "session", nil)["account"] != "desk" {
		t.Errorf("made %v", made)
	}

	// The longest address there can be fits into the picture that an authenticator is shown.
	longest := strings.Repeat("ä", 121) + "@example.com"
	w.sub("long", longest)
	token, _ = alice.invites(obj{"account": "long-id"})
	if who := w.enrolsBy(token).gets(200, "GET", "session", nil); who["login"] != longest {
		t.Errorf("signed in: %v", who)
	}
}

func TestWhoMayNotInvite(t *testing.T) {
	w, alice := open(t)
	bob := w.user("bob")
	w.sub("fund", "dora@example.com")
	alice.gets(200, "POST", "session/factor", alice.factor())
	bob.gets(200, "POST", "session/factor", bob.factor())
	for _, id := range []string{"fund-id", "", "nothing"} {
		bob.refused(422, 30, "account", "There is no such sub-account.", "POST", "invite", obj{"account": id})
	}
	alice.refused(422, 30, "account", "There is no such sub-account.", "POST", "invite", obj{})
	nobody := &browser{t: t, w: w, cookies: map[string]string{}}
	nobody.gets(401, "POST", "invite", obj{"account": "fund-id"})
	nobody.gets(401, "GET", "subs", nil)
	alice.gets(405, "GET", "invite", nil)

	csrf := alice.csrf
	alice.csrf = "other"
	alice.gets(403, "POST", "invite", obj{"account": "fund-id"})
	alice.csrf = csrf

	// A repeat makes no other link.
	alice.once = "again"
	token, _ := alice.invites(obj{"account": "fund-id"})
	alice.once = "again"
	if repeated, _ := alice.invites(obj{"account": "fund-id"}); repeated != token {
		t.Errorf("%s and %s", token, repeated)
	}

	w.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance, On: true})
	alice.gets(503, "POST", "invite", obj{"account": "fund-id"})
	w.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance})

	set := func(id schema.AccountID, blocked bool) {
		a := *w.Exchange.API.Directory().Account(id)
		a.Blocked = blocked
		w.Do(&schema.SetAccount{Account: a})
	}
	fund := w.account("fund-id").ID
	set(fund, true)
	if got := alice.subs()["fund-id"]; got["status"] != "locked" || got["invitable"] != false {
		t.Errorf("locked: %v", got)
	}
	alice.refused(400, 0, "account", "Sub-account is not active", "POST", "invite", obj{"account": "fund-id"})
	set(fund, false)
	master := w.account("alice").ID
	set(master, true)
	alice.gets(401, "POST", "invite", obj{"account": "fund-id"})
	set(master, false)

	w.Do(&schema.BlockSub{Master: master, Sub: w.desk, Blocked: true})
	if got := alice.subs()["desk-id"]; got["status"] != "blocked" || got["invitable"] != false {
		t.Errorf("blocked: %v", got)
	}
	alice.refused(400, 0, "account", "Sub-account is not active", "POST", "invite", obj{"account": "desk-id", "login": "x"})
	w.Do(&schema.BlockSub{Master: master, Sub: w.desk})

	w.stale()
	alice.refused(412, 2, "", needed, "POST", "invite", obj{"account": "fund-id"})
	alice.gets(200, "POST", "session/factor", alice.factor())
	alice.gets(200, "POST", "invite", obj{"account": "fund-id"})

	w.Do(&schema.DeleteSub{Master: master, Sub: w.desk})
	alice.refused(422, 30, "account", "There is no such sub-account.", "POST", "invite", obj{"account": "desk-id", "login": "x"})
}

// Who asks for login after login would learn who there is.
func TestLoginsCannotBeTried(t *testing.T) {
	w, alice := open(t)
	w.user("bob")
	alice.gets(200, "POST", "session/factor", alice.factor())
	for range 10 {
		alice.refused(422, 0, "login", "Somebody else has this login.", "POST", "invite", obj{"account": "desk-id", "login": "bob"})
	}
	alice.refused(429, 0, "", "Too many wrong attempts. Please try again later.", "POST", "invite", obj{"account": "desk-id", "login": "nobody"})
}
