package api

import (
	"cmp"
	"slices"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// Access is what a client of OAuth has of an account: a key, tokens, or both.
type Access struct {
	Partner schema.Partner
	Key     *schema.Key // nil: there is none
	Until   schema.Time // when its tokens end, unless they are refreshed before; 0: there are none that count
	Created schema.Time
}

// URLs are those of the key.
func (a *Access) URLs() []string {
	if a.Key == nil || a.Key.URLs == nil {
		return []string{}
	}
	return a.Key.URLs
}

// Accesses are what clients have of an account, in the order of their ids.
func (a *API) Accesses(account schema.AccountID) (list []Access) {
	a.node.Read(func(m core.View) { list = AccessesOf(m, account, a.Now()) })
	return list
}

// AccessesOf is Accesses at a moment. It goes by what the account has, which is little: the exchange may have very many clients.
func AccessesOf(m core.View, account schema.AccountID, now schema.Time) (list []Access) {
	of := func(id schema.PartnerID) *Access {
		at, there := slices.BinarySearchFunc(list, id, func(a Access, id schema.PartnerID) int { return cmp.Compare(a.Partner.ID, id) })
		if !there {
			list = slices.Insert(list, at, Access{Partner: *m.OAuth().Partner(id)})
		}
		return &list[at]
	}
	for _, r := range m.Accounts().KeysOf(account) {
		if r.Key.Partner != 0 {
			key, access := r.Key, of(r.Key.Partner)
			key.URLs = slices.Clone(key.URLs)
			access.Key, access.Created = &key, key.Created
		}
	}
	for _, g := range m.OAuth().Grants(account) {
		if until := max(g.AccessUntil, min(g.RefreshUntil, g.FamilyUntil)); until > now {
			access := of(g.Partner)
			access.Until, access.Created = until, g.Created
		}
	}
	return list
}
