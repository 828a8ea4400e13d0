package accounts

import (
	"net/netip"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Customers make keys of their own, and masters those of their sub-accounts. Such a key may call nothing at first, knows a type that
// bounds what it can ever be allowed, and has an id that outlives its secret.
//
// What must hold: nobody gives what he lacks. URLs that move money in or out are enabled only by a key that has them, or by a person, and a
// key that is idle is switched on only by who could enable what it keeps; the
// user of a sub-account has nothing to do with keys that can move money, which are its master's to give.

// mine checks that an account may make keys of another: itself, or a sub-account.
func (a *Accounts) mine(by, account schema.AccountID) schema.Rejection {
	if by == account {
		_, r := a.Customer(by)
		return r
	}
	sub, r := a.Sub(by, account)
	if !r.Refused() && sub.Status == schema.SubPending {
		return schema.Refuse(schema.SubNotConfirmed)
	}
	return r
}

// Admits refuses a command that its key cannot give: one about an account that is neither the key's nor, where the command allows it, a
// sub-account of it, and one that customers do not give at all. The doors send no such command; logs from before keys were judged may have some.
// A tick is about nobody: by it a request that changes nothing, such as one for a token, uses up its nonce.
func (a *Accounts) Admits(cmd schema.Command) schema.Rejection {
	if !*a.Judged {
		return schema.Rejection{}
	}
	if _, tick := cmd.(*schema.Tick); tick {
		return schema.Rejection{}
	}
	own := a.caller.Key.Account
	c, owned := cmd.(schema.Owned)
	if !owned {
		return schema.Refuse(schema.KeyNotAllowed)
	}
	account, family := c.Owner()
	switch {
	case account == own:
		return schema.Rejection{}
	case !family:
		return schema.Refuse(schema.KeyNotAllowed)
	}
	if sub := a.Get(account); sub == nil || sub.Parent != own {
		return schema.Refuse(schema.SubUnknown)
	}
	return schema.Rejection{}
}

// Called reports whether a key sent the command: that of a customer, a session or a partner.
func (a *Accounts) Called() bool { return a.caller != nil }

// MayManage checks that who sent a command looks after an account: it is the caller's own, or that of a sub-account. What comes by no key
// comes from those who run the exchange.
func (a *Accounts) MayManage(account schema.AccountID) schema.Rejection {
	if a.caller == nil {
		return schema.Rejection{}
	}
	return a.mine(a.caller.Key.Account, account)
}

// CallerHas refuses a command that came with a key which lacks an operation. People have all, and so have those who run the exchange.
func (a *Accounts) CallerHas(op schema.Op) schema.Rejection {
	if a.caller != nil && !a.caller.Key.Web && !a.caller.ops.Has(op) {
		return schema.Refuse(schema.KeyNotAllowed)
	}
	return schema.Rejection{}
}

// CallerNeeds refuses what a customer asks for whose account was not given it. Commands without a key, and those of logs from before keys were
// judged, were asked by nobody but the door.
func (a *Accounts) CallerNeeds(given bool) schema.Rejection {
	if !given && a.caller != nil && *a.Judged {
		return schema.Refuse(schema.NoPermission)
	}
	return schema.Rejection{}
}

// MayInvite checks that who sent a command may invite a user of a sub-account: its master, who is signed in, while nobody blocks it. What comes
// by no key comes from those who run the exchange.
func (a *Accounts) MayInvite(account schema.AccountID) schema.Rejection {
	switch {
	case a.caller == nil:
		return schema.Rejection{}
	case !a.caller.Key.Web:
		return schema.Refuse(schema.KeyNotAllowed)
	}
	sub, r := a.Sub(a.caller.Key.Account, account)
	if !r.Refused() && (sub.Blocked || sub.Status == schema.SubBlocked) {
		return schema.Refuse(schema.SubInactive)
	}
	return r
}

// own is the key that an account knows by an external id and may change. Sessions, what operators made and what partners were given
// are not among them.
func (a *Accounts) own(by schema.AccountID, external string) (*KeyRecord, schema.Rejection) {
	if _, r := a.Customer(by); r.Refused() {
		return nil, r
	}
	k := a.keyExternals[external]
	if k == nil || k.Key.Web || k.Key.Partner != 0 || a.mine(by, k.Key.Account).Refused() {
		return nil, schema.Refuse(schema.KeyUnknown)
	}
	if by == k.Key.Account && k.Key.Type == schema.KeyMoney && a.Get(by).IsSub() {
		return nil, schema.Refuse(schema.SubNotPermitted)
	}
	return k, schema.Rejection{}
}

func (a *Accounts) openKey(m *schema.OpenKey) schema.Rejection {
	if r := a.mine(m.By, m.Account); r.Refused() {
		return r
	}
	switch {
	case m.Type != schema.KeyTrading && (m.Type != schema.KeyMoney || m.By == m.Account && a.Get(m.By).IsSub()):
		return schema.Refuse(schema.KeyTypeInvalid)
	case len(m.Title) > schema.MaxKeyTitle:
		return schema.Refuse(schema.KeyTitleInvalid)
	case m.External == "" || len(m.External) > maxName || a.keyExternals[m.External] != nil || !a.fresh(m.Key, m.Sealed):
		return schema.Refuse(schema.KeyInvalid)
	case a.countKeys(m.Account) >= schema.MaxKeys:
		return schema.Rejection{Reason: schema.KeysTooMany, Value: fixed.FromInt(schema.MaxKeys)}
	}
	a.issue(schema.Key{
		Key: m.Key, Account: m.Account, Title: m.Title, Sealed: slices.Clone(m.Sealed), Enabled: true, External: m.External, Type: m.Type,
		SecretTaken: true, // by who asked for the key
	})
	return schema.Rejection{}
}

// fresh reports whether a pair can be that of a new key.
func (a *Accounts) fresh(public string, sealed []byte) bool {
	return public != "" && len(public) <= maxKey && len(sealed) > 0 && a.keys[public] == nil
}

// issue makes a key.
func (a *Accounts) issue(key schema.Key) {
	key.ID, key.Created = a.last+1, a.Out.Time
	a.SetLastKey(key.ID)
	a.keyChanged(a.addKey(KeyRecord{Key: key}))
	a.Out.Result.ID = uint64(key.ID)
}

// keyChanged carries the key after something about it changed. Readers keep the event: what the key has stays its own.
func (a *Accounts) keyChanged(k *KeyRecord) {
	key := k.Key
	key.URLs, key.Addresses = slices.Clone(key.URLs), slices.Clone(key.Addresses)
	a.Out.Events.Add(&schema.KeyChanged{Key: key})
}

// countKeys is how many keys an account has that are no sessions.
func (a *Accounts) countKeys(account schema.AccountID) (n int) {
	for _, k := range a.keysOf[account] {
		if !k.Key.Web {
			n++
		}
	}
	return n
}

func (a *Accounts) editKey(m *schema.EditKey) schema.Rejection {
	k, r := a.own(m.By, m.External)
	if r.Refused() {
		return r
	}
	if len(m.Title) > schema.MaxKeyTitle {
		return schema.Refuse(schema.KeyTitleInvalid)
	}
	if r := a.mayEnable(k, m.Enable, m.Disable); r.Refused() {
		return r
	}
	var urls []string
	for _, url := range without(slices.Concat(k.Key.URLs, m.Enable), m.Disable) {
		if !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	k.Key.Title, k.Key.URLs, k.ops = m.Title, urls, schema.OpsOf(urls)
	if k.Key.Idle {
		k.Key.Idle, k.Used = false, a.Out.Time
	}
	a.keyChanged(k)
	return schema.Rejection{}
}

// mayEnable checks that a key can have some URLs, and that who asks has those among them that move money.
func (a *Accounts) mayEnable(k *KeyRecord, enable, disable []string) schema.Rejection {
	if len(enable)+len(disable) > 2*len(schema.Rights()) {
		return schema.Refuse(schema.KeyURLsInvalid)
	}
	for _, url := range disable {
		if schema.RightTo(url) == nil {
			return schema.Refuse(schema.KeyURLsInvalid)
		}
	}
	sub := a.Get(k.Key.Account).IsSub()
	for _, url := range enable {
		if right := schema.RightTo(url); right == nil || right.Type() > k.Key.Type || sub && right.Sub == schema.SubNever {
			return schema.Refuse(schema.KeyURLsInvalid)
		}
	}
	given := schema.OpsOf(enable)
	if k.Key.Idle { // it is switched on, and with it what it keeps
		given = schema.OpsOf(slices.Concat(enable, without(k.Key.URLs, disable)))
	}
	for _, right := range schema.Rights() {
		if right.Type() == schema.KeyMoney && given.Has(right.Op) && a.CallerHas(right.Op).Refused() {
			return schema.Refuse(schema.KeyURLsNotYours)
		}
	}
	return schema.Rejection{}
}

// without are URLs less others.
func without(urls, others []string) (list []string) {
	for _, url := range urls {
		if !slices.Contains(others, url) {
			list = append(list, url)
		}
	}
	return list
}

func (a *Accounts) setKeyAddress(m *schema.SetKeyAddress) schema.Rejection {
	k, r := a.own(m.By, m.External)
	if r.Refused() {
		return r
	}
	address, valid := canonical(m.Address)
	if !valid {
		return schema.Refuse(schema.KeyAddressInvalid)
	}
	at := slices.Index(k.Key.Addresses, address)
	switch {
	case m.Remove && at < 0:
		return schema.Refuse(schema.KeyAddressUnknown)
	case m.Remove:
		k.Key.Addresses = slices.Delete(k.Key.Addresses, at, at+1)
	case at >= 0:
		return schema.Refuse(schema.KeyAddressKnown)
	case len(k.Key.Addresses) >= schema.MaxKeyAddresses:
		return schema.Rejection{Reason: schema.KeyAddressesTooMany, Value: fixed.FromInt(schema.MaxKeyAddresses)}
	default:
		k.Key.Addresses = append(k.Key.Addresses, address)
	}
	a.keyChanged(k)
	return schema.Rejection{}
}

// canonical is the one text of an address.
func canonical(text string) (string, bool) {
	address, err := netip.ParseAddr(text)
	if err != nil || address.Zone() != "" {
		return "", false
	}
	return address.Unmap().String(), true
}

func (a *Accounts) closeKey(m *schema.CloseKey) schema.Rejection {
	k, r := a.own(m.By, m.External)
	if r.Refused() {
		return r
	}
	a.removeKey(k)
	return schema.Rejection{}
}

// resetKey makes another key of one, with another pair and another number: what the old one signed and authorized is over. A person sees the
// secret at once; what a program reset waits for a person.
func (a *Accounts) resetKey(m *schema.ResetKey) schema.Rejection {
	k, r := a.own(m.By, m.External)
	if r.Refused() {
		return r
	}
	if m.Taken {
		return a.takeReset(k, m)
	}
	if !a.fresh(m.Key, m.Sealed) {
		return schema.Refuse(schema.KeyInvalid)
	}
	key := k.Key
	a.removeKey(k)
	key.Key, key.Sealed, key.SecretTaken = m.Key, slices.Clone(m.Sealed), a.caller != nil && a.caller.Key.Web
	key.Idle = false
	a.issue(key)
	return schema.Rejection{}
}

// takeReset notes that a person is shown the secret of a key that was reset, once. The key must be the one that the person saw.
func (a *Accounts) takeReset(k *KeyRecord, m *schema.ResetKey) schema.Rejection {
	if k.Key.SecretTaken || m.Key != k.Key.Key || len(m.Sealed) > 0 {
		return schema.Refuse(schema.KeyInvalid)
	}
	k.Key.SecretTaken = true
	a.keyChanged(k)
	return schema.Rejection{}
}

func (a *Accounts) touchKeys(m *schema.TouchKeys) schema.Rejection {
	if len(m.Keys) == 0 || len(m.Keys) > schema.MaxTouched {
		return schema.Refuse(schema.KeyInvalid)
	}
	for _, touched := range m.Keys {
		if k := a.key(touched.Key); k != nil {
			k.touch(a.Out.Time)
		}
	}
	return schema.Rejection{}
}

// ByExternal is the key that customers know by an id, or nil.
func (a *Accounts) ByExternal(external string) *KeyRecord { return a.keyExternals[external] }

// KeysOf are the keys of an account, in the order of their making.
func (a *Accounts) KeysOf(account schema.AccountID) []*KeyRecord { return a.keysOf[account] }
