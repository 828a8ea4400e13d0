package core

import (
	"testing"

	"bourse/internal/schema"
)

// An operator looks at a key and changes it. If the key was reset, deleted or became another one meanwhile, the change is none: what ended
// does not come back as a key that nobody bounds.
func TestAChangeOfAKeyThatEndedMeanwhile(t *testing.T) {
	const anna = schema.FirstCustomer
	for name, ends := range map[string]schema.Command{
		"reset":   &schema.ResetKey{By: anna, External: "e", Key: "new", Sealed: []byte("s")},
		"closed":  &schema.CloseKey{By: anna, External: "e"},
		"deleted": &schema.DeleteKey{Key: "old"},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewExchange()
			done(t, m, &schema.SetAccount{Account: schema.Account{Name: "anna", Region: schema.Global}})
			done(t, m, &schema.OpenKey{By: anna, Account: anna, External: "e", Key: "old", Sealed: []byte("s"), Type: schema.KeyTrading})
			set := &schema.SetKey{Key: schema.Key{ID: 1, Key: "old", Account: anna, Sealed: []byte("s"), Enabled: true, Title: "seen", URLs: []string{schema.AllURLs}}}
			done(t, m, set)
			if k := m.Accounts().Key("old"); k.Title != "seen" || k.External != "e" || k.Type != schema.KeyTrading {
				t.Errorf("changed, the key is %+v", k)
			}
			done(t, m, ends)
			before := m.Hash()
			if r := m.Apply(m.Time()+1, set).Result.Rejection; r.Reason != schema.KeyUnknown || m.Hash() != before || m.Accounts().Key("old") != nil {
				t.Errorf("%q, the key is %+v", r.Text(), m.Accounts().Key("old"))
			}
			// Another one with that public part is another key.
			set.Key.ID = 0
			done(t, m, set)
			set.Key.ID = 1
			if r := m.Apply(m.Time()+1, set).Result.Rejection; r.Reason != schema.KeyUnknown {
				t.Errorf("of another key: %q", r.Text())
			}
		})
	}
}

// An operator looks at an account and changes it. What the exchange set itself meanwhile stays, unless the operator named it; commands of
// older logs replace everything.
func TestAChangeOfAnAccountThatChangedMeanwhile(t *testing.T) {
	c := enrolled(t)
	sub := c.subOf("one", true)
	seen, seenSub := *c.Accounts().Get(ada), *c.Accounts().Get(sub)
	c.do(&schema.SetFactor{Key: 1, Generation: 1, Change: schema.ChangePassword, Factors: schema.Factors{Password: []byte("a")}, Session: digest(1001)}, schema.OK)
	c.do(&schema.VerifySub{Sub: sub}, schema.OK)
	until := c.now + 3*aDay
	want := func(tier uint8, restricted schema.Time, verified bool) {
		t.Helper()
		a, s := c.Accounts().Get(ada), c.Accounts().Get(sub)
		if a.Tier != tier || a.RestrictedUntil != restricted || s.Verified != verified {
			t.Errorf("tier %d, restricted until %d, verified %v", a.Tier, a.RestrictedUntil, s.Verified)
		}
	}
	want(0, until, true)
	seen.Tier = 1
	c.do(&schema.SetAccount{Account: seen, KeepRestriction: true}, schema.OK)
	c.do(&schema.SetAccount{Account: seenSub, KeepVerified: true}, schema.OK)
	want(1, until, true)
	seen.Tier = 2
	c.do(&schema.SetAccount{Account: seen, KeepVerified: true}, schema.OK)
	c.do(&schema.SetAccount{Account: seenSub, KeepRestriction: true}, schema.OK)
	want(2, 0, false)
}
