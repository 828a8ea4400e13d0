package naive

import (
	"net/netip"
	"slices"

	"bourse/internal/schema"
)

// Bounds of the API keys of customers.
const (
	keysMost         = 50 // of an account
	keyAddressesMost = 50 // of a key
	keyTitleMost     = 100
	keyExternalMost  = 64  // bytes
	keyPublicMost    = 128 // bytes
	touchedMost      = 1000
	opMost           = 255
)

// The types of keys, and what stands for all URLs.
const (
	tradingKey uint8 = 1
	moneyKey   uint8 = 2
	allURLs          = "*"
)

// needs is the type of keys that can have an operation.
func needs(r *schema.Right) uint8 {
	switch r.Group {
	case schema.GroupDeposits, schema.GroupWithdraw, schema.GroupCodes, schema.GroupSubs:
		return moneyKey
	}
	return tradingKey
}

// right finds the operation of a URL, or nil.
func right(url string) *schema.Right {
	for _, r := range schema.Rights() {
		if r.Path == url {
			return &r
		}
	}
	return nil
}

// has reports whether a key has a URL.
func (k *key) has(url string) bool {
	return slices.Contains(k.URLs, url) || slices.Contains(k.URLs, allURLs)
}

// may reports whether a key has the URL of an operation.
func (k *key) may(op schema.Op) bool {
	if op <= opMost && slices.Contains(k.URLs, allURLs) {
		return true
	}
	return slices.ContainsFunc(schema.Rights(), func(r schema.Right) bool { return r.Op == op && slices.Contains(k.URLs, r.Path) })
}

// touch notes that a key is used. Of keys that only operators know nobody asks.
func (a *accounts) touch(k *key) {
	if k.External != "" {
		k.lastUsed = a.call.at
	}
}

// mine looks whether somebody may ask for the keys of an account: its own, or those of a sub-account.
func (a *accounts) mine(by, id schema.AccountID) schema.Rejection {
	if _, r := a.trader(by); refused(r) {
		return r
	}
	if by == id {
		return accepted
	}
	sub, r := a.sub(by, id)
	switch {
	case refused(r):
		return r
	case sub.Status == schema.SubPending:
		return because(schema.SubNotConfirmed)
	}
	return accepted
}

// external finds a key by the id that customers know, or nil.
func (a *accounts) external(id string) *key {
	for _, k := range a.keys {
		if k.External == id && id != "" {
			return k
		}
	}
	return nil
}

// managed finds a key for somebody who may ask for it.
func (a *accounts) managed(by schema.AccountID, external string) (*key, schema.Rejection) {
	if _, r := a.trader(by); refused(r) {
		return nil, r
	}
	k := a.external(external)
	if k == nil || k.Web || k.Partner != 0 || refused(a.mine(by, k.Account)) {
		return nil, because(schema.KeyUnknown)
	}
	if k.Account == by && k.Type == moneyKey && a.isSub(by) {
		return nil, because(schema.SubNotPermitted)
	}
	return k, accepted
}

func (a *accounts) openKey(c *schema.OpenKey) schema.Result {
	if r := a.mine(c.By, c.Account); refused(r) {
		return reject(r)
	}
	count := 0
	for _, k := range a.keys {
		if k.Account == c.Account && !k.Web {
			count++
		}
	}
	ofSub := c.By == c.Account && a.isSub(c.By)
	switch {
	case c.Type != tradingKey && c.Type != moneyKey, ofSub && c.Type != tradingKey:
		return refuse(schema.KeyTypeInvalid)
	case len(c.Title) > keyTitleMost:
		return refuse(schema.KeyTitleInvalid)
	case len(c.External) < 1, len(c.External) > keyExternalMost, a.external(c.External) != nil, !a.freePublic(c.Key, c.Sealed):
		return refuse(schema.KeyInvalid)
	case count >= keysMost:
		return reject(about(schema.KeysTooMany, whole(keysMost)))
	}
	return a.addKey(schema.Key{
		Key: c.Key, Account: c.Account, Title: c.Title, Sealed: slices.Clone(c.Sealed), Enabled: true, External: c.External, Type: c.Type,
		SecretTaken: true,
	})
}

// freePublic looks at the public part and the secret of a key that is to be made.
func (a *accounts) freePublic(public string, sealed []byte) bool {
	return len(public) >= 1 && len(public) <= keyPublicMost && a.public(public) == nil && len(sealed) > 0
}

func (a *accounts) editKey(c *schema.EditKey) schema.Rejection {
	k, r := a.managed(c.By, c.External)
	if refused(r) {
		return r
	}
	if len(c.Title) > keyTitleMost {
		return because(schema.KeyTitleInvalid)
	}
	for _, url := range slices.Concat(c.Enable, c.Disable) {
		if right(url) == nil {
			return because(schema.KeyURLsInvalid)
		}
	}
	for _, url := range c.Enable {
		if r := right(url); needs(r) > k.Type || a.isSub(k.Account) && r.Sub == schema.SubNever {
			return because(schema.KeyURLsInvalid)
		}
	}
	if caller := a.key(a.call.key); caller != nil {
		for _, r := range schema.Rights() {
			kept := k.Idle && k.has(r.Path) && (slices.Contains(k.URLs, allURLs) || !slices.Contains(c.Disable, r.Path)) // an edit switches it on
			if needs(&r) == moneyKey && (kept || slices.Contains(c.Enable, r.Path)) && !caller.has(r.Path) {
				return because(schema.KeyURLsNotYours)
			}
		}
	}
	var urls []string
	for _, url := range slices.Concat(k.URLs, c.Enable) {
		if !slices.Contains(urls, url) && !slices.Contains(c.Disable, url) {
			urls = append(urls, url)
		}
	}
	k.Title, k.URLs = c.Title, urls
	if k.Idle {
		k.Idle = false
		a.touch(k)
	}
	a.call.record(&schema.KeyChanged{Key: k.Key})
	return accepted
}

func (a *accounts) setKeyAddress(c *schema.SetKeyAddress) schema.Rejection {
	k, r := a.managed(c.By, c.External)
	if refused(r) {
		return r
	}
	parsed, err := netip.ParseAddr(c.Address)
	if err != nil || parsed.Zone() != "" {
		return because(schema.KeyAddressInvalid)
	}
	address := parsed.Unmap().String()
	known := slices.Contains(k.Addresses, address)
	switch {
	case c.Remove && !known:
		return because(schema.KeyAddressUnknown)
	case !c.Remove && known:
		return because(schema.KeyAddressKnown)
	case !c.Remove && len(k.Addresses) >= keyAddressesMost:
		return about(schema.KeyAddressesTooMany, whole(keyAddressesMost))
	}
	var addresses []string
	for _, other := range k.Addresses {
		if other != address {
			addresses = append(addresses, other)
		}
	}
	if !c.Remove {
		addresses = append(addresses, address)
	}
	k.Addresses = addresses
	a.call.record(&schema.KeyChanged{Key: k.Key})
	return accepted
}

func (a *accounts) closeKey(c *schema.CloseKey) schema.Rejection {
	k, r := a.managed(c.By, c.External)
	if refused(r) {
		return r
	}
	a.endKey(k)
	return accepted
}

func (a *accounts) resetKey(c *schema.ResetKey) schema.Result {
	k, r := a.managed(c.By, c.External)
	if refused(r) {
		return reject(r)
	}
	if c.Taken {
		if k.SecretTaken || c.Key != k.Key.Key || len(c.Sealed) > 0 {
			return refuse(schema.KeyInvalid)
		}
		k.SecretTaken = true
		a.call.record(&schema.KeyChanged{Key: k.Key})
		return schema.Result{}
	}
	if !a.freePublic(c.Key, c.Sealed) {
		return refuse(schema.KeyInvalid)
	}
	a.endKey(k)
	made := k.Key
	made.Key, made.Sealed, made.SecretTaken = c.Key, slices.Clone(c.Sealed), false
	made.Idle = false
	if caller := a.key(a.call.key); caller != nil && caller.Web {
		made.SecretTaken = true
	}
	return a.addKey(made)
}

func (a *accounts) touchKeys(c *schema.TouchKeys) schema.Rejection {
	if len(c.Keys) < 1 || len(c.Keys) > touchedMost {
		return because(schema.KeyInvalid)
	}
	for _, touched := range c.Keys {
		if k := a.key(touched.Key); k != nil {
			a.touch(k)
		}
	}
	return accepted
}
