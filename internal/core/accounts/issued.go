package accounts

import (
	"slices"

	"bourse/internal/schema"
)

// Keys that were issued for a client of OAuth: what they may call is fixed for their lives, and they can be used from the addresses of the
// client alone. An account has at most one of a client.

// Caller is the key or session that the command came by, or nil.
func (a *Accounts) Caller() *schema.Key {
	if a.caller == nil {
		return nil
	}
	return &a.caller.Key
}

// issued is the key that an account has for a client, or nil.
func (a *Accounts) issued(account schema.AccountID, partner schema.PartnerID) *KeyRecord {
	for _, k := range a.keysOf[account] {
		if k.Key.Partner == partner && partner != 0 {
			return k
		}
	}
	return nil
}

// Issued is the key that an account has for a client, or nil.
func (a *Accounts) Issued(account schema.AccountID, partner schema.PartnerID) *schema.Key {
	if k := a.issued(account, partner); k != nil {
		return &k.Key
	}
	return nil
}

// CountKeys is how many keys an account has that are no sessions.
func (a *Accounts) CountKeys(account schema.AccountID) int { return a.countKeys(account) }

// Issuable reports whether a key can have this external id, which is its public part, too, and this secret.
func (a *Accounts) Issuable(external string, sealed []byte) bool {
	return len(external) <= maxName && a.fresh(external, sealed) && a.keyExternals[external] == nil
}

// Issue makes a key for a client. One whose secret was never fetched gives way.
func (a *Accounts) Issue(account schema.AccountID, p *schema.Partner, urls []string, external string, sealed []byte) {
	if old := a.issued(account, p.ID); old != nil {
		a.removeKey(old)
	}
	a.issue(schema.Key{
		Key: external, Account: account, Title: p.Title, Sealed: slices.Clone(sealed), Enabled: true, URLs: slices.Clone(urls),
		External: external, Type: schema.KeyMoney, Partner: p.ID,
	})
}

// TakeSecret notes that the secret of a key, which is there, was fetched.
func (a *Accounts) TakeSecret(account schema.AccountID, partner schema.PartnerID) {
	k := a.issued(account, partner)
	k.Key.SecretTaken = true
	a.keyChanged(k)
}

// EndIssued ends the key of a client, which is there.
func (a *Accounts) EndIssued(account schema.AccountID, partner schema.PartnerID) {
	a.removeKey(a.issued(account, partner))
}

// EndAllIssued ends the keys of all clients.
func (a *Accounts) EndAllIssued(account schema.AccountID) {
	for _, k := range slices.Clone(a.keysOf[account]) {
		if k.Key.Partner != 0 {
			a.removeKey(k)
		}
	}
}
