package core

import (
	"testing"

	"bourse/internal/schema"
)

// owning is an exchange that judges keys or not yet, with ada, ben, a sub-account of ada, and a key of each: 1, 2 and 3.
func owning(t *testing.T, judged bool) *club {
	c := &club{t, New(), start}
	for _, name := range []string{"ada", "ben"} {
		c.do(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}}, schema.OK)
	}
	sub := c.subOf("one", true)
	for i, a := range []schema.AccountID{ada, ben, sub} {
		c.do(&schema.SetKey{Key: schema.Key{Key: keyName(i), Account: a, Sealed: []byte("s"), Enabled: true, URLs: []string{schema.AllURLs}}}, schema.OK)
	}
	if judged {
		c.do(&schema.SetFeature{Feature: schema.JudgedKeys, On: true}, schema.OK)
	}
	return c
}

// signs lets a command come by a key, and returns why it was refused. Every nonce is another.
func (c *club) signs(key schema.KeyID, cmd schema.Command) schema.Reason {
	c.t.Helper()
	c.now++
	before := c.Snapshot()
	r := c.ApplyFrom(c.now, schema.Origin{Key: key, Nonce: uint64(c.now)}, cmd).Result.Rejection.Reason
	twin, err := Restore(before)
	if err != nil {
		c.t.Fatal(err)
	}
	if again := twin.ApplyFrom(c.now, schema.Origin{Key: key, Nonce: uint64(c.now)}, cmd).Result.Rejection.Reason; again != r || twin.Hash() != c.Hash() {
		c.t.Fatalf("%T: %s, and %s after a restore", cmd, r, again)
	}
	return r
}

// A key acts on its own account. What is wrong with the command itself is looked at after that.
func TestKeysActOnTheirAccount(t *testing.T) {
	own := func(a schema.AccountID) []schema.Command {
		return []schema.Command{
			&schema.SetHedgeMode{Account: a, On: true}, &schema.CancelAll{Account: a}, &schema.SetSub{Master: a, Alias: "new", External: "new", ShareKYC: true},
			&schema.OpenKey{By: a, Account: a, External: "e", Key: "p", Sealed: []byte("s"), Type: schema.KeyTrading}, &schema.SignOut{Account: a},
		}
	}
	c := owning(t, true)
	for _, other := range []schema.AccountID{ben, ben + 1, 0, 99} { // also of a sub-account: its own keys trade for it
		for _, cmd := range own(other) {
			if r := c.signs(1, cmd); r != schema.KeyNotAllowed {
				t.Errorf("%T about account %d: %s", cmd, other, r)
			}
		}
	}
	for _, cmd := range own(ada) {
		if r := c.signs(1, cmd); r != schema.OK {
			t.Errorf("%T: %s", cmd, r)
		}
	}
	if r := c.signs(3, &schema.SetHedgeMode{Account: ada}); r != schema.KeyNotAllowed {
		t.Errorf("a sub-account acts on its master: %s", r)
	}
	old := owning(t, false)
	for _, cmd := range own(ben) {
		if r := old.signs(1, cmd); r != schema.OK {
			t.Errorf("%T in an old log: %s", cmd, r)
		}
	}
}

// What a master does for its sub-accounts as for itself may be about one of those, and about nobody else's.
func TestMastersActOnTheirSubAccounts(t *testing.T) {
	about := func(a schema.AccountID) map[schema.Command]schema.Reason {
		return map[schema.Command]schema.Reason{ // and what is wrong with it
			&schema.SetWebhook{Account: a, Delete: true}:                    schema.WebhookUnknown,
			&schema.VerifyWebhook{Account: a}:                               schema.WebhookUnknown,
			&schema.RevokePartner{Account: a, Partner: 1}:                   schema.GrantUnknown,
			&schema.Invite{Account: a, Digest: digest(1), Login: digest(2)}: schema.KeyNotAllowed,
		}
	}
	const sub = ben + 1
	for _, who := range []struct {
		key     schema.KeyID
		account schema.AccountID
		may     bool
	}{{1, ada, true}, {1, sub, true}, {1, ben, false}, {1, 99, false}, {2, sub, false}, {3, sub, true}, {3, ada, false}} {
		c := owning(t, true)
		for cmd, wrong := range about(who.account) {
			want := schema.SubUnknown
			if who.may {
				want = wrong
			}
			if r := c.signs(who.key, cmd); r != want {
				t.Errorf("%T by key %d about %d: %s, want %s", cmd, who.key, who.account, r, want)
			}
		}
	}
}

// Who pays by an express token is another than who made it, and who moves money between a sub-account and itself is the master.
func TestTheAccountOfACommandIsWhoActs(t *testing.T) {
	c := owning(t, true)
	for _, tt := range []struct {
		key  schema.KeyID
		cmd  schema.Command
		want schema.Reason
	}{
		{1, &schema.PayExpress{Account: ada, Partner: ben, Digest: digest(1)}, schema.ExpressUnknown},
		{2, &schema.PayExpress{Account: ada, Partner: ben, Digest: digest(1)}, schema.KeyNotAllowed},
		{1, &schema.MoveSub{Master: ada, Sub: ben + 1, Asset: 1}, schema.AssetUnknown},
		{3, &schema.MoveSub{Master: ada, Sub: ben + 1, Asset: 1}, schema.KeyNotAllowed},
		{1, &schema.MoveSub{Master: ada, Sub: ben, Asset: 1}, schema.SubUnknown},
		{1, &schema.ConfirmWithdrawal{Master: ada, Withdrawal: 1}, schema.NoPermission},
		{3, &schema.ConfirmWithdrawal{Master: ada, Withdrawal: 1}, schema.KeyNotAllowed},
	} {
		if r := c.signs(tt.key, tt.cmd); r != tt.want {
			t.Errorf("%T by key %d: %s, want %s", tt.cmd, tt.key, r, tt.want)
		}
	}
}

// No key gives a command that is not the customers', whatever it says, but a tick: by it requests that change nothing use up their nonce.
func TestKeysGiveNoCommandsOfOthers(t *testing.T) {
	c := owning(t, true)
	for _, cmd := range schema.Commands() {
		if _, owned := cmd.(schema.Owned); owned {
			continue
		}
		want := schema.KeyNotAllowed
		if _, tick := cmd.(*schema.Tick); tick {
			want = schema.OK
		}
		if r := c.signs(1, cmd); r != want {
			t.Errorf("%T: %s, want %s", cmd, r, want)
		}
	}
	used := schema.Origin{Key: 1, Nonce: uint64(c.now)}
	if r := c.ApplyFrom(c.now+1, used, &schema.Tick{}).Result.Rejection.Reason; r == schema.OK {
		t.Error("a nonce was used twice by ticks")
	}
	if r := c.signs(1, &schema.Deposit{Account: ada, Asset: 1}); r != schema.KeyNotAllowed {
		t.Errorf("a deposit by a key: %s", r)
	}
}
