package api

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"bourse/internal/core"
	"bourse/internal/core/accounts"
	"bourse/internal/schema"
)

// OwnKey is an API key as who looks after it sees it. Its memory is its own: what the exchange has changes.
type OwnKey struct {
	schema.Key
	Used schema.Time // as far as that is known; 0: never
}

func ownKey(r *accounts.KeyRecord) OwnKey {
	k := OwnKey{r.Key, r.Used}
	k.URLs, k.Addresses = slices.Clone(k.URLs), slices.Clone(k.Addresses)
	return k
}

// KeysOf are the API keys of an account, the newest first. Sessions are not among them.
func (a *API) KeysOf(account schema.AccountID) (list []OwnKey) {
	a.node.Read(func(m core.View) {
		list = pageOfKeys(m, []schema.AccountID{account}, func(k *schema.Key) bool { return !k.Web }, math.MaxInt, 0)
	})
	return list
}

// MadeKeys is a page of the API keys of accounts that customers made, the newest first.
func (a *API) MadeKeys(accounts []schema.AccountID, limit, offset int) (page []OwnKey) {
	a.node.Read(func(m core.View) {
		page = pageOfKeys(m, accounts, func(k *schema.Key) bool { return !k.Web && k.External != "" && k.Partner == 0 }, limit, offset)
	})
	return page
}

// pageOfKeys is a page of the keys of accounts that are wanted. Only what is on it is copied: accounts may have thousands of keys, each with
// a hundred URLs, and the exchange stands still meanwhile.
func pageOfKeys(m core.View, of []schema.AccountID, want func(*schema.Key) bool, limit, offset int) (page []OwnKey) {
	var list []*accounts.KeyRecord
	for _, account := range of {
		for _, r := range m.Accounts().KeysOf(account) {
			if want(&r.Key) {
				list = append(list, r)
			}
		}
	}
	slices.SortFunc(list, func(x, y *accounts.KeyRecord) int { return cmp.Compare(y.Key.ID, x.Key.ID) })
	list = list[min(offset, len(list)):]
	for _, r := range list[:min(limit, len(list))] {
		page = append(page, ownKey(r))
	}
	return page
}

// KeyByExternal is the API key that customers know by an id.
func (a *API) KeyByExternal(external string) (k OwnKey, there bool) {
	a.node.Read(func(m core.View) {
		if r := m.Accounts().ByExternal(external); r != nil {
			k, there = ownKey(r), true
		}
	})
	return k, there
}

// ValidKeyTitle reports whether a key can be called so.
func ValidKeyTitle(text string) bool {
	return len(text) <= schema.MaxKeyTitle && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}
