package naive

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// opens is a key of anna's sub-account.
func opens(n int, kind uint8) *schema.OpenKey {
	return &schema.OpenKey{
		By: anna, Account: kid, External: fmt.Sprint("e", n), Key: fmt.Sprint("p", n), Sealed: []byte("sealed"), Title: "robot", Type: kind,
	}
}

// known compares the key that customers know by an id.
func (w *world) known(external string, want schema.Key) {
	w.t.Helper()
	if got := w.accounts.external(external); got == nil || !reflect.DeepEqual(got.Key, want) {
		w.t.Errorf("the key is %+v, want %+v", got, want)
	}
}

func TestOpenKey(t *testing.T) {
	w := newFamily(t)
	w.key("operator's", kid, true)
	made := w.must(opens(1, 2))
	w.happened("*schema.KeyChanged")
	if made.ID != 2 {
		t.Errorf("made %d", made.ID)
	}
	w.known("e1", schema.Key{
		ID: 2, Key: "p1", Account: kid, Title: "robot", Sealed: []byte("sealed"), Enabled: true, Created: w.time, External: "e1", Type: 2, SecretTaken: true,
	})
}

// TestKeysAreCheckedInOrder: each command has the fault that is refused, and all that are looked at later.
func TestKeysAreCheckedInOrder(t *testing.T) {
	w := newFamily(t)
	w.must(&schema.SetSub{Master: anna, Alias: "later", External: "later", Email: "e"})
	w.key("used", ben, true)
	for i := range 49 {
		w.must(opens(i, 1))
	}
	w.key("session", kid, true) // the 50th
	c := &schema.OpenKey{By: 9, Account: kid, Title: strings.Repeat("t", 101), External: strings.Repeat("e", 65), Key: strings.Repeat("p", 129)}
	w.refused(because(schema.AccountUnknown), c)
	c.By = ben
	w.refused(because(schema.SubUnknown), c)
	c.By, c.Account = anna, kid+1
	w.refused(because(schema.SubNotConfirmed), c)
	c.Account = kid
	w.refused(because(schema.KeyTypeInvalid), c)
	c.Type = 3
	w.refused(because(schema.KeyTypeInvalid), c)
	c.By, c.Type = kid, 2
	w.refused(because(schema.KeyTypeInvalid), c)
	c.By = anna
	w.refused(because(schema.KeyTitleInvalid), c)
	c.Title = strings.Repeat("t", 100)
	w.refused(because(schema.KeyInvalid), c)
	c.External, c.Key, c.Sealed = strings.Repeat("e", 64), strings.Repeat("p", 128), []byte("s")
	for _, change := range []func(*schema.OpenKey){
		func(c *schema.OpenKey) { c.External = "" },
		func(c *schema.OpenKey) { c.External = "e0" },
		func(c *schema.OpenKey) { c.Key = "" },
		func(c *schema.OpenKey) { c.Key = "used" },
		func(c *schema.OpenKey) { c.Sealed = nil },
	} {
		faulty := *c
		change(&faulty)
		w.refused(because(schema.KeyInvalid), &faulty)
	}
	w.refused(about(schema.KeysTooMany, whole(50)), c)
	w.accounts.public("session").Web = true
	w.must(c)
	w.must(&schema.OpenKey{By: anna, Account: anna, External: "own", Key: "own", Sealed: []byte("s"), Type: 2})
}

// edits changes the URLs of a key.
func edits(external string, enable, disable []string) *schema.EditKey {
	return &schema.EditKey{By: anna, External: external, Title: "robot", Enable: enable, Disable: disable}
}

func TestEditKey(t *testing.T) {
	const orders, withdraw, confirm, fiat = "/api/v4/orders", "/api/v4/main-account/withdraw", "/api/v4/sub-account/withdraw/confirm", "/api/v4/main-account/fiat-deposit-url"
	w := newFamily(t)
	w.must(opens(1, 1))
	w.must(opens(2, 2))
	w.must(&schema.OpenKey{By: anna, Account: anna, External: "own", Key: "own", Sealed: []byte("s"), Type: 2})
	has := func(external string, want ...string) {
		t.Helper()
		if got := w.accounts.external(external).URLs; !slices.Equal(got, want) {
			t.Errorf("%s has %q", external, got)
		}
	}
	invalid := because(schema.KeyURLsInvalid)
	for _, urls := range [][]string{{"*"}, {""}, {"/api/v4/none"}} {
		w.refused(invalid, edits("e2", urls, nil))
		w.refused(invalid, edits("e2", nil, urls))
	}
	w.refused(invalid, edits("e1", []string{withdraw}, nil))
	w.refused(invalid, edits("e2", []string{fiat}, nil))
	w.refused(invalid, edits("e2", []string{confirm}, nil))
	w.must(edits("e1", nil, []string{withdraw}))
	w.must(edits("own", []string{fiat, confirm}, nil))
	has("own", fiat, confirm)
	w.must(edits("e2", []string{withdraw, orders, withdraw}, nil))
	has("e2", withdraw, orders)
	w.must(edits("e2", []string{"/api/v4/order/new", orders}, []string{withdraw, "/api/v4/order/new"}))
	has("e2", orders)
	w.must(edits("e2", []string{withdraw}, []string{withdraw}))
	has("e2", orders)
	w.must(&schema.EditKey{By: anna, External: "e2"})
	has("e2", orders)
	if title := w.accounts.external("e2").Title; title != "" {
		t.Errorf("the title is %q", title)
	}
	w.refused(because(schema.KeyTitleInvalid), &schema.EditKey{By: anna, External: "e2", Title: strings.Repeat("t", 101), Enable: []string{"*"}})
}

// TestNobodyGivesWhatHeLacks: by what moves money or makes keys, that is. Who signs nothing may give all.
func TestNobodyGivesWhatHeLacks(t *testing.T) {
	const orders, withdraw, codes = "/api/v4/orders", "/api/v4/main-account/withdraw", "/api/v4/main-account/codes"
	w := newFamily(t)
	w.must(opens(1, 2))
	caller := schema.KeyID(w.must(&schema.OpenKey{By: anna, Account: anna, External: "own", Key: "own", Sealed: []byte("s"), Type: 2}).ID)
	nonce := uint64(0)
	edit := func(want schema.Reason, enable ...string) {
		t.Helper()
		nonce++
		if r := w.from(schema.Origin{Key: caller, Nonce: nonce}, edits("e1", enable, nil)); r != because(want) {
			t.Errorf("%q: got %q", enable, r.Text())
		}
	}
	edit(schema.OK, orders)
	edit(schema.KeyURLsNotYours, orders, withdraw)
	w.must(edits("own", []string{withdraw}, nil))
	edit(schema.OK, withdraw)
	edit(schema.KeyURLsNotYours, codes, withdraw)
	edit(schema.KeyURLsInvalid, codes, "*")
	w.must(&schema.SetKey{Key: schema.Key{Key: "own", Account: anna, Sealed: []byte("s"), Enabled: true, URLs: []string{"*"}}})
	edit(schema.OK, codes)
	w.must(edits("e1", []string{"/api/v4/main-account/address"}, nil))
}

// TestWhoSwitchesOnAnIdleKey: with the key he gives what it keeps.
func TestWhoSwitchesOnAnIdleKey(t *testing.T) {
	const orders, withdraw = "/api/v4/orders", "/api/v4/main-account/withdraw"
	w := newFamily(t)
	w.must(opens(1, 2))
	w.must(edits("e1", []string{orders, withdraw}, nil))
	caller := schema.KeyID(w.must(&schema.OpenKey{By: anna, Account: anna, External: "own", Key: "own", Sealed: []byte("s"), Type: 2}).ID)
	nonce := uint64(0)
	edit := func(want schema.Reason, enable, disable []string) {
		t.Helper()
		nonce++
		if r := w.from(schema.Origin{Key: caller, Nonce: nonce}, edits("e1", enable, disable)); r != because(want) {
			t.Errorf("%q, %q: got %q", enable, disable, r.Text())
		}
	}
	k := w.accounts.external("e1")
	edit(schema.OK, nil, nil) // it is on
	k.Idle = true
	edit(schema.KeyURLsNotYours, nil, nil)
	edit(schema.KeyURLsNotYours, []string{orders}, []string{orders})
	edit(schema.KeyURLsNotYours, []string{withdraw}, []string{withdraw})
	if !k.Idle || !slices.Equal(k.URLs, []string{orders, withdraw}) {
		t.Errorf("the key is %+v", k.Key)
	}
	edit(schema.OK, nil, []string{withdraw})
	if k.Idle || !slices.Equal(k.URLs, []string{orders}) {
		t.Errorf("the key is %+v", k.Key)
	}
	k.Idle, k.URLs = true, []string{"*"}
	edit(schema.KeyURLsNotYours, nil, []string{withdraw})
	w.must(edits("own", []string{withdraw}, nil))
	edit(schema.KeyURLsNotYours, nil, nil)
	k.URLs = []string{orders, withdraw}
	edit(schema.OK, nil, nil)
	k.Idle = true
	w.must(edits("e1", nil, nil)) // nobody's key
	if k.Idle {
		t.Error("the key is idle")
	}
}

// TestWhoseKeys: of an account and of its sub-accounts, and none that operators or partners made, or that is a session.
func TestWhoseKeys(t *testing.T) {
	w := newFamily(t)
	w.must(opens(1, 2))
	w.key("operator's", kid, true)
	commands := func(by schema.AccountID, external string) []schema.Command {
		return []schema.Command{
			&schema.EditKey{By: by, External: external},
			&schema.SetKeyAddress{By: by, External: external, Address: "10.0.0.1"},
			&schema.ResetKey{By: by, External: external, Key: fmt.Sprint("new", w.time), Sealed: []byte("s")},
			&schema.CloseKey{By: by, External: external},
		}
	}
	refuses := func(want schema.Reason, by schema.AccountID, external string) {
		t.Helper()
		for _, c := range commands(by, external) {
			w.refused(because(want), c)
		}
	}
	refuses(schema.AccountUnknown, 9, "e1")
	refuses(schema.KeyUnknown, ben, "e1")
	refuses(schema.KeyUnknown, anna, "")
	refuses(schema.KeyUnknown, anna, "none")
	w.accounts.external("e1").Web = true
	refuses(schema.KeyUnknown, anna, "e1")
	w.accounts.external("e1").Web = false
	w.accounts.external("e1").Partner = 1
	refuses(schema.KeyUnknown, anna, "e1")
	w.accounts.external("e1").Partner = 0
	w.must(&schema.BlockSub{Master: anna, Sub: kid, Blocked: true})
	refuses(schema.AccountBlocked, kid, "e1")
	w.must(&schema.EditKey{By: anna, External: "e1"})
	w.must(&schema.BlockSub{Master: anna, Sub: kid})
	refuses(schema.SubNotPermitted, kid, "e1") // it can move money
	w.must(opens(2, 1))
	for _, c := range commands(kid, "e2") {
		w.must(c)
	}
	refuses(schema.KeyUnknown, kid, "e2")
}

func TestAddressesOfKeys(t *testing.T) {
	w := newFamily(t)
	w.must(opens(1, 2))
	set := func(address string, remove bool) *schema.SetKeyAddress {
		return &schema.SetKeyAddress{By: anna, External: "e1", Address: address, Remove: remove}
	}
	for _, address := range []string{"", "10.0.0", "10.0.0.0/24", "10.0.0.1:80", "host", "fe80::1%eth0"} {
		w.refused(because(schema.KeyAddressInvalid), set(address, false))
		w.refused(because(schema.KeyAddressInvalid), set(address, true))
	}
	w.refused(because(schema.KeyAddressUnknown), set("10.0.0.1", true))
	w.must(set("::ffff:10.0.0.1", false))
	w.must(set("2001:DB8:0::1", false))
	w.refused(because(schema.KeyAddressKnown), set("10.0.0.1", false))
	if got := w.accounts.external("e1").Addresses; !slices.Equal(got, []string{"10.0.0.1", "2001:db8::1"}) {
		t.Errorf("the addresses are %q", got)
	}
	for i := range 48 {
		w.must(set(fmt.Sprintf("10.0.1.%d", i), false))
	}
	w.refused(because(schema.KeyAddressKnown), set("10.0.0.1", false))
	w.refused(about(schema.KeyAddressesTooMany, whole(50)), set("10.0.2.1", false))
	w.must(set("10.0.0.1", true))
	w.must(set("10.0.2.1", false))
}

func TestResetKey(t *testing.T) {
	w := newFamily(t)
	w.must(opens(1, 2))
	w.must(opens(2, 2))
	w.must(edits("e1", []string{"/api/v4/orders"}, nil))
	w.must(&schema.SetKeyAddress{By: anna, External: "e1", Address: "10.0.0.1"})
	if r := w.from(schema.Origin{Key: 1, Nonce: 100}, &schema.Tick{}); refused(r) {
		t.Error(r.Text())
	}
	reset := &schema.ResetKey{By: anna, External: "e1"}
	for _, c := range []struct {
		public string
		sealed string
	}{{"", "s"}, {"p1", "s"}, {"p2", "s"}, {strings.Repeat("p", 129), "s"}, {"new", ""}} {
		reset.Key, reset.Sealed = c.public, []byte(c.sealed)
		w.refused(because(schema.KeyInvalid), reset)
	}
	reset.Sealed = []byte("other")
	if got := w.must(reset).ID; got != 3 {
		t.Errorf("made %d", got)
	}
	if first, second := w.last.Events[0].(*schema.KeyChanged), w.last.Events[1].(*schema.KeyChanged); first.Key.ID != 1 || !first.Deleted || second.Key.ID != 3 || second.Deleted {
		t.Errorf("the events are %+v, %+v", first, second)
	}
	w.known("e1", schema.Key{
		ID: 3, Key: "new", Account: kid, Title: "robot", Sealed: []byte("other"), Enabled: true, Created: w.time, External: "e1", Type: 2,
		URLs: []string{"/api/v4/orders"}, Addresses: []string{"10.0.0.1"},
	})
	for key, want := range map[schema.KeyID]schema.Reason{1: schema.KeyRefused, 3: schema.OK} {
		if r := w.from(schema.Origin{Key: key, Nonce: 1}, &schema.Tick{}); r.Reason != want {
			t.Errorf("key %d: %q", key, r.Text())
		}
	}
}

// TestLastUse: by what the key signed, also if it was refused, and by what others say.
func TestLastUse(t *testing.T) {
	w := newFamily(t)
	w.must(opens(1, 2))
	w.key("operator's", kid, true)
	used := func(want schema.Time) {
		t.Helper()
		if got := w.LastUsed(1); got != want {
			t.Errorf("it was used at %d, want %d", got, want)
		}
	}
	used(0)
	w.from(schema.Origin{Key: 1, Nonce: 5}, &schema.CancelAll{Account: 9})
	signed := w.time
	used(signed)
	w.from(schema.Origin{Key: 1, Nonce: 5}, &schema.CancelAll{Account: kid})
	used(signed)
	w.from(schema.Origin{Key: 1, Nonce: 6, Op: 1}, &schema.CancelAll{Account: kid})
	used(w.time)
	w.must(&schema.TouchKeys{Keys: []schema.Touched{{Key: 9}, {Key: 2}, {Key: 1}}})
	used(w.time)
	if got := w.LastUsed(2); got != 0 {
		t.Errorf("an operator's key was used at %d", got)
	}
	w.refused(because(schema.KeyInvalid), &schema.TouchKeys{})
	w.refused(because(schema.KeyInvalid), &schema.TouchKeys{Keys: make([]schema.Touched, 1001)})
	w.must(&schema.TouchKeys{Keys: make([]schema.Touched, 1000)})
}

// TestOperationsOfKeys: what a key may not call it does not do, and the nonce is used up.
func TestOperationsOfKeys(t *testing.T) {
	w := newFamily(t)
	w.must(opens(1, 2))
	w.must(edits("e1", []string{"/api/v4/orders"}, nil)) // 13
	w.must(&schema.SetKey{Key: schema.Key{Key: "all", Account: kid, Sealed: []byte("s"), Enabled: true, URLs: []string{"*"}}})
	for op, want := range map[schema.Op]schema.Reason{0: schema.OK, 13: schema.OK, 1: schema.KeyNotAllowed} {
		for range 2 { // those of an authorized connection have no nonce
			if r := w.from(schema.Origin{Key: 1, Op: op, Authorized: true}, &schema.Tick{}); r.Reason != want {
				t.Errorf("%d: %q", op, r.Text())
			}
		}
	}
	if r := w.from(schema.Origin{Key: 9, Authorized: true}, &schema.Tick{}); r.Reason != schema.KeyRefused {
		t.Errorf("a key that is none: %q", r.Text())
	}
	nonce := uint64(0)
	for _, c := range []struct {
		key  schema.KeyID
		op   schema.Op
		want schema.Reason
	}{
		{1, 0, schema.OK},
		{1, 13, schema.OK},
		{1, 1, schema.KeyNotAllowed},
		{1, 28, schema.KeyNotAllowed},
		{2, 13, schema.OK},
		{2, 255, schema.OK},
		{2, 256, schema.KeyNotAllowed},
	} {
		nonce++
		if r := w.from(schema.Origin{Key: c.key, Nonce: nonce, Op: c.op}, &schema.Tick{}); r.Reason != c.want {
			t.Errorf("%+v: %q", c, r.Text())
		}
		if r := w.from(schema.Origin{Key: c.key, Nonce: nonce, Op: c.op}, &schema.Tick{}); r.Reason != schema.NonceUsed {
			t.Errorf("%+v: %q", c, r.Text())
		}
	}
}

// TestOperatorsAndTheKeysOfCustomers: operators change what a key may, and not whose and what it is.
func TestOperatorsAndTheKeysOfCustomers(t *testing.T) {
	w := newFamily(t)
	w.must(opens(1, 2))
	want := w.accounts.external("e1").Key
	set := schema.Key{Key: "p1", Account: kid, Sealed: []byte("other"), Title: "off", External: "x", Type: 1, Partner: 3, SecretTaken: true, Web: true, User: 1, AuthAt: 1, Expires: 1}
	w.must(&schema.SetKey{Key: set})
	want.Sealed, want.Title, want.Enabled = []byte("other"), "off", false
	w.known("e1", want)
	for name, change := range map[string]func(*schema.Key){
		"external": func(k *schema.Key) { k.External = "x" },
		"type":     func(k *schema.Key) { k.Type = 1 },
		"partner":  func(k *schema.Key) { k.Partner = 1 },
		"taken":    func(k *schema.Key) { k.SecretTaken = true },
		"web":      func(k *schema.Key) { k.Web = true },
		"user":     func(k *schema.Key) { k.User = 1 },
		"auth":     func(k *schema.Key) { k.AuthAt = 1 },
		"expires":  func(k *schema.Key) { k.Expires = 1 },
	} {
		made := schema.Key{Key: name, Account: kid, Sealed: []byte("s")}
		change(&made)
		w.refused(because(schema.KeyInvalid), &schema.SetKey{Key: made})
	}
}

// TestAuditLeavesOutWhatIsSealed: of keys and of addresses of e-mail.
func TestAuditLeavesOutWhatIsSealed(t *testing.T) {
	w := newFamily(t)
	for _, c := range []schema.Command{
		child("second", "second"), opens(1, 2),
		&schema.ResetKey{By: anna, External: "e1", Key: "other", Sealed: []byte("sealed")},
		&schema.SetSub{Master: anna, Alias: "third", External: "third", Email: "sealed"},
		&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global, Email: "sealed"}},
	} {
		w.from(schema.Origin{Operator: "olga"}, c)
		record := w.last.Events[len(w.last.Events)-1].(*schema.AuditRecord)
		if text := fmt.Sprintf("%+v", record.Command); strings.Contains(text, "sealed") || strings.Contains(text, fmt.Sprint([]byte("sealed"))) {
			t.Errorf("%T: %s", c, text)
		}
	}
}
