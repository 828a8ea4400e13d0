package web_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"bourse/internal/attempt"
	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/web"
)

// Nobody finds out which password is right by leaving the code out: it counts as a wrong one.
func TestARightPasswordWithoutItsCodeCountsAsAWrongOne(t *testing.T) {
	for name, lacking := range map[string]obj{"a wrong password": {"password": "not the right one", "code": ""}, "no code": {"password": password, "code": ""}} {
		t.Run(name, func(t *testing.T) {
			w, alice := open(t)
			stranger := &browser{t: t, w: w, cookies: map[string]string{}, secret: alice.secret}
			lacking["login"] = "alice"
			for range 5 {
				stranger.refused(401, 0, "", "The login, the password or the code is wrong.", "POST", "session", lacking)
			}
			stranger.refused(429, 0, "", "Too many wrong attempts. Please try again later.", "POST", "session", obj{"login": "alice", "password": password, "code": alice.code()})
			w.later(15 * time.Minute)
			stranger.gets(200, "POST", "session", obj{"login": "alice", "password": password, "code": alice.code()})
		})
	}
}

// The user of a sub-account sees it by the name that its master gave it.
func TestASubAccountIsShownByItsAlias(t *testing.T) {
	w, alice := open(t)
	desk := w.user("desk-id")
	for who, name := range map[*browser]string{alice: "alice", desk: "desk"} {
		if shown := who.gets(200, "GET", "session", nil); shown["account"] != name {
			t.Errorf("%v, want %s", shown, name)
		}
	}
}

// TestGuessedInvitationsForgetNoWrongPasswords: invalid tokens cost nothing, so a client with very many addresses can fill
// the counter of invitations. The counter of wrong passwords keeps what it has.
func TestGuessedInvitationsForgetNoWrongPasswords(t *testing.T) {
	w, _ := open(t)
	s := web.New(web.Options{API: w.Exchange.API})
	login := schema.Digest{1}
	for range 50 {
		s.GuessPassword(login)
	}
	for i := range attempt.Kept + 1 {
		customer := netip.AddrFrom16([16]byte{0: 0x20, 5: byte(i >> 16), 6: byte(i >> 8), 7: byte(i)})
		if err := s.GuessInvitation(customer); err == nil || !strings.Contains(err.Error(), "This invitation was used, replaced by a newer one, or is over.") {
			t.Fatalf("guess %d: %v", i, err)
		}
	}
	if !s.TooManyGuesses(login) {
		t.Error("the wrong passwords were forgotten")
	}
}

// TestNobodyWaitsForTheUseOfASession: who reads is answered while nothing comes to the log, and the use is noted when something does.
func TestNobodyWaitsForTheUseOfASession(t *testing.T) {
	w, alice := open(t)
	w.later(11 * time.Minute)
	w.Exchange.Node.Read(func(core.View) { // nothing is applied meanwhile
		for range 2 {
			if shown := alice.gets(200, "GET", "session", nil); shown["signed_in"] != true {
				t.Errorf("%v", shown)
			}
		}
	})
	w.Do(&schema.Tick{}) // comes behind it
	now := schema.Time(w.time.Load())
	w.Exchange.Node.Read(func(m core.View) {
		for _, id := range m.Accounts().Sessions(w.account("alice").ID) {
			if used := m.Identity().LastUsed(id); used != now {
				t.Errorf("session %d was last used at %d, want %d", id, used, now)
			}
		}
	})
}
