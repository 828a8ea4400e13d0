package core

import (
	"bytes"
	"fmt"
	"strings"

	"bourse/internal/schema"
)

// worldPaths are URLs of all kinds: for keys of both types, of masters only, of sub-accounts if they have deposits; and some that are none.
var worldPaths = []string{
	"/api/v4/orders", "/api/v4/order/new", "/api/v4/main-account/balance", "/api/v4/main-account/transfer",
	"/api/v4/main-account/withdraw", "/api/v4/main-account/codes", "/api/v4/main-account/address", "/api/v4/main-account/fiat-deposit-url",
	"/api/v4/aml/checks/create", "/api/v4/sub-account/create", "/api/v4/sub-account/withdraw/confirm", "/api/v4/sub-account/api-key/edit",
}

// url draws one, rarely one that no key has.
func (w *world) url(t *dice) string {
	if chance(t, 40) == 0 {
		return pick(t, "", schema.AllURLs, "/api/v4/orders/", "/api/v4/public/time")
	}
	return worldPaths[chance(t, len(worldPaths))]
}

func (w *world) urls(t *dice, most int) (list []string) {
	for range chance(t, most+1) {
		list = append(list, w.url(t))
	}
	return list
}

// keyCommand draws something that customers do with keys, and rarely what operators do with them.
func (w *world) keyCommand(t *dice) schema.Command {
	k := w.someKey(t)
	by := k.Account
	if a := w.known(by); a != nil && a.IsSub() && chance(t, 4) != 0 {
		by = a.Parent
	}
	if chance(t, 15) == 0 {
		by = w.account(t)
	}
	external := k.External
	if chance(t, 20) == 0 {
		external = pick(t, "", "e0", "none")
	}
	w.subs.opened++
	public, sealed := fmt.Sprintf("p%d", w.subs.opened), []byte("sealed")
	if chance(t, 15) == 0 {
		public = pick(t, "", "p0", k.Key, keyName(0), strings.Repeat("p", 128), strings.Repeat("p", 129))
	}
	if chance(t, 25) == 0 {
		sealed = nil
	}
	title := pick(t, "", "robot")
	if chance(t, 25) == 0 {
		title = strings.Repeat("t", pick(t, schema.MaxKeyTitle, schema.MaxKeyTitle+1))
	}
	switch n := chance(t, 30); {
	case n < 7:
		return w.openKey(t, title, public, sealed)
	case n < 17:
		return w.editKey(t, by, k, external, title)
	case n < 22:
		return w.keyAddress(t, by, k, external)
	case n < 23:
		return &schema.CloseKey{By: by, External: external}
	case n < 26:
		return w.resetKey(t, by, k, external, public, sealed)
	case n < 28:
		return w.touch(t)
	case n < 29:
		return w.idle(t, k)
	case chance(t, 4) == 0:
		return &schema.DeleteKey{Key: k.Key}
	}
	return w.setCustomersKey(t, k)
}

// idle lets the world come to the moment at which a key is idle, and to the look at it before and after. It mostly sees to it that idle
// keys are switched off.
func (w *world) idle(t *dice, k schema.Key) schema.Command {
	used := max(w.oracle.LastUsed(k.ID), k.Created)
	at := used + 14*24*hour
	w.mark(at)
	w.mark((at/hour + schema.Time(chance(t, 2))) * hour)
	if coin(t) {
		return &schema.Tick{}
	}
	return &schema.SetFeature{Feature: schema.IdleKeys, On: chance(t, 5) != 0}
}

// resetKey resets a key, or says that its owner is shown what an earlier reset made.
func (w *world) resetKey(t *dice, by schema.AccountID, k schema.Key, external, public string, sealed []byte) schema.Command {
	c := &schema.ResetKey{By: by, External: external, Key: public, Sealed: sealed}
	if chance(t, 3) == 0 {
		c.Taken, c.Key, c.Sealed = true, pick(t, k.Key, k.Key, public), nil
		if chance(t, 10) == 0 {
			c.Sealed = sealed
		}
	}
	return c
}

// someKey is a key, mostly one that customers made. If there is none, it is one that nobody has.
func (w *world) someKey(t *dice) schema.Key {
	var all, theirs []schema.Key
	for _, k := range w.oracle.Keys() {
		all = append(all, k)
		if k.External != "" {
			theirs = append(theirs, k)
		}
	}
	if len(theirs) > 0 && chance(t, 10) != 0 {
		all = theirs
	}
	if len(all) == 0 {
		return schema.Key{Key: "none", External: "none", Account: schema.FirstCustomer}
	}
	return all[chance(t, len(all))]
}

func (w *world) openKey(t *dice, title, public string, sealed []byte) schema.Command {
	master, sub := w.relatives(t)
	c := &schema.OpenKey{
		By: master, Account: pick(t, sub, sub, master), External: fmt.Sprintf("e%d", w.subs.opened), Key: public, Sealed: sealed, Title: title,
		Type: pick(t, schema.KeyTrading, schema.KeyMoney, schema.KeyMoney),
	}
	if chance(t, 5) == 0 {
		c.By = c.Account
	}
	switch chance(t, 25) {
	case 0:
		c.Type = pick[uint8](t, 0, 3, 255)
	case 1:
		c.External = pick(t, "", "e0", "e1", strings.Repeat("e", 64), strings.Repeat("e", 65))
	case 2:
		w.fillKeys(t, c)
	}
	return c
}

// fillKeys plans that an account comes to have as many keys as it can have, or one more.
func (w *world) fillKeys(t *dice, c *schema.OpenKey) {
	has := 0
	for _, k := range w.oracle.Keys() {
		if k.Account == c.Account {
			has++
		}
	}
	for range max(0, schema.MaxKeys-has+pick(t, -1, 0, 8, 15)) {
		w.subs.opened++
		again := *c
		again.External, again.Key = fmt.Sprintf("e%d", w.subs.opened), fmt.Sprintf("p%d", w.subs.opened)
		w.plan = append(w.plan, &again)
	}
}

// editKey draws URLs that a key gets and loses, mostly those that it can have.
func (w *world) editKey(t *dice, by schema.AccountID, k schema.Key, external, title string) schema.Command {
	c := &schema.EditKey{By: by, External: external, Title: title, Enable: w.urls(t, 3), Disable: w.urls(t, 2)}
	if len(k.URLs) > 0 && coin(t) {
		c.Disable = append(c.Disable, k.URLs[chance(t, len(k.URLs))])
	}
	if chance(t, 3) != 0 {
		a := w.known(k.Account)
		var can []string
		for _, url := range c.Enable {
			if r := schema.RightTo(url); r != nil && r.Type() <= k.Type && (r.Sub != schema.SubNever || a == nil || !a.IsSub()) {
				can = append(can, url)
			}
		}
		c.Enable = can
	}
	if len(c.Enable) > 0 && chance(t, 6) == 0 {
		c.Disable = append(c.Disable, c.Enable[0])
		c.Enable = append(c.Enable, c.Enable[0])
	}
	return c
}

// keyAddress draws an address in one of its spellings; few of them, so that some are known.
func (w *world) keyAddress(t *dice, by schema.AccountID, k schema.Key, external string) schema.Command {
	c := &schema.SetKeyAddress{By: by, External: external, Remove: chance(t, 3) == 0, Address: fmt.Sprintf("10.0.0.%d", chance(t, 4))}
	switch chance(t, 8) {
	case 0:
		c.Address = pick(t, "::ffff:10.0.0.1", "2001:db8::1", "2001:DB8:0::1", "fe80::1%eth0", "fe80::1", "::ffff:10.0.0.1%x")
	case 1:
		c.Address = pick(t, "", "10.0.0", "10.0.0.0/24", "10.0.0.1:80", "010.0.0.1", "[::1]", "host", " 10.0.0.1")
	case 2:
		if len(k.Addresses) > 0 {
			c.Address, c.Remove = k.Addresses[chance(t, len(k.Addresses))], coin(t)
		}
	}
	if chance(t, 30) == 0 {
		for i := range max(0, schema.MaxKeyAddresses-len(k.Addresses)+pick(t, 0, 8, 15)) {
			w.plan = append(w.plan, &schema.SetKeyAddress{By: by, External: k.External, Address: fmt.Sprintf("10.0.1.%d", i)})
		}
	}
	return c
}

// touch draws keys that were used, some of them unknown, rarely more than one command may name.
func (w *world) touch(t *dice) schema.Command {
	c := &schema.TouchKeys{}
	for range chance(t, 4) {
		c.Keys = append(c.Keys, schema.Touched{Key: pick(t, w.someKey(t).ID, w.someKey(t).ID, schema.KeyID(chance(t, 30)))})
	}
	if rarely(t) {
		c.Keys = make([]schema.Touched, pick(t, schema.MaxTouched, schema.MaxTouched+1))
		c.Keys[len(c.Keys)-1].Key = w.someKey(t).ID
	}
	return c
}

// setCustomersKey is what an operator does to a key of a customer, or to one of its own.
func (w *world) setCustomersKey(t *dice, k schema.Key) schema.Command {
	k.Enabled, k.Title = chance(t, 3) != 0, "operator"
	k.URLs = pick(t, k.URLs, []string{schema.AllURLs}, w.urls(t, 3))
	if k.Sealed == nil {
		k.Sealed = bytes.Repeat([]byte{1}, 3)
	}
	if chance(t, 3) == 0 {
		n := chance(t, worldAccounts)
		k = schema.Key{Key: keyName(n), Account: schema.FirstCustomer + schema.AccountID(n), Sealed: []byte("sealed"), Enabled: true, URLs: []string{schema.AllURLs}}
	}
	if chance(t, 3) == 0 { // of any key with that public part, or of another one that had it
		k.ID = pick(t, 0, 0, k.ID+1, 1)
	}
	return &schema.SetKey{Key: k}
}

// caller draws how a command comes in a world of families: from operators, unsigned, or signed by a key, mostly one that can give the command, with the operation that was called, which
// the key may have lost.
func (w *world) caller(t *dice, cmd schema.Command) (from schema.Origin) {
	if chance(t, 12) == 0 {
		return schema.Origin{Operator: pick(t, "olga", "oscar")}
	}
	if chance(t, 6) == 0 {
		from.Region = pick(t, schema.Global, schema.EU)
	}
	if chance(t, 3) == 0 {
		return from
	}
	k := w.someKey(t)
	if chance(t, 8) != 0 {
		signer := w.signer(t, cmd)
		var own []schema.Key
		for _, other := range w.oracle.Keys() {
			if other.Account == signer {
				own = append(own, other)
			}
		}
		if len(own) == 0 {
			return from
		}
		k = own[chance(t, len(own))]
	}
	w.nonce++
	from.Key, from.Nonce = k.ID, w.nonce
	switch chance(t, 4) {
	case 0:
		if len(k.URLs) > 0 {
			if r := schema.RightTo(k.URLs[chance(t, len(k.URLs))]); r != nil {
				from.Op = r.Op
			}
		}
	case 1:
		if chance(t, 3) == 0 {
			from.Op = pick[schema.Op](t, 1, 13, 28, 100, 150, schema.MaxOp, schema.MaxOp+1, 65535)
		}
	}
	if chance(t, 30) == 0 {
		from.Key = schema.KeyID(chance(t, 12))
	}
	if chance(t, 30) == 0 {
		from.Nonce = pick(t, 0, w.nonce-1)
	}
	if chance(t, 10) == 0 {
		from.Authorized, from.Nonce = true, pick(t, 0, 0, from.Nonce)
	}
	return from
}
