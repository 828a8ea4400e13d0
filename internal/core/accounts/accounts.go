// Package accounts keeps the customers of the exchange and their API keys: who they are, what
// they may do, where they are, and what fees they pay by default.
//
// What must hold: names and keys are unique; ids count from schema.FirstCustomer without gaps.
package accounts

import (
	"bourse/internal/core/listing"
	"bourse/internal/core/position"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Accounts is the set of customers and keys. The maps are only ever asked, never gone through.
type Accounts struct {
	product.Base
	Out *schema.Outcome // of the command
	// OnBlock ends what a sub-account that its master blocked must not keep.
	OnBlock func(schema.AccountID)
	// Judged is whether the core asks for what operators give accounts, as the doors do (schema.JudgedKeys).
	Judged *bool
	// PartnerOn reports whether a client of OAuth, which is there, is switched on.
	PartnerOn func(schema.PartnerID) bool
	// OnBar ends what an account that an operator blocks must not keep.
	OnBar func(schema.AccountID)
	// OnDelete ends what lets anybody into a sub-account that is deleted.
	OnDelete func(schema.AccountID)
	// Empty reports whether an account has nothing and waits for nothing.
	Empty func(schema.AccountID) bool

	list  []*schema.Account // account FirstCustomer+i
	names map[string]schema.AccountID
	keys  map[string]*KeyRecord
	byID  []*KeyRecord // key i+1, nil when it was deleted
	// last is the last key that was handed out. Those behind the end of byID were deleted.
	last schema.KeyID
	// families are the sub-accounts of masters, in the order of their making, also those that were deleted.
	families map[schema.AccountID][]schema.AccountID
	// externals are the sub-accounts and the keys by the ids that customers know.
	externals    map[string]schema.AccountID
	keyExternals map[string]*KeyRecord
	// keysOf are the keys of accounts, in the order of their making.
	keysOf map[schema.AccountID][]*KeyRecord
	// caller is the key that signed the command; nil: none did.
	caller   *KeyRecord
	sessions map[schema.AccountID][]schema.KeyID // the oldest first
	idle     idleness
	// UseSession uses up what makes a command of a session unique, if the session lives: see core/identity. The origin is passed by value: by
	// a pointer every command would put its origin on the heap.
	UseSession func(from schema.Origin, at, clock schema.Time) schema.Rejection
}

// New makes an empty set.
func New() *Accounts {
	nothing := func(schema.AccountID) {}
	return &Accounts{
		OnBar: nothing, OnBlock: nothing, OnDelete: nothing, Empty: func(schema.AccountID) bool { return true },
		PartnerOn: func(schema.PartnerID) bool { return true }, Judged: new(bool),
		names: map[string]schema.AccountID{}, keys: map[string]*KeyRecord{}, families: map[schema.AccountID][]schema.AccountID{},
		externals: map[string]schema.AccountID{}, keyExternals: map[string]*KeyRecord{}, keysOf: map[schema.AccountID][]*KeyRecord{},
		sessions: map[schema.AccountID][]schema.KeyID{},
	}
}

// Offers reports whether an asset comes and goes for an account, by the stricter rules of its region and that of the deployment which took
// the command. The region of a sub-account is no laxer than that of its master.
func (a *Accounts) Offers(asset *schema.Asset, account *schema.Account) bool {
	return asset.Offered(schema.Stricter(account.Region, a.Out.Region))
}

// maxName is the longest name of an account, in bytes.
const maxName = 64

// Commands registers what operators do with accounts and keys, and what masters do with sub-accounts and keys of theirs.
func (a *Accounts) Commands(h *product.Handlers) {
	product.On(h, a.setAccount)
	product.On(h, func(c *schema.SetKey) schema.Rejection { return a.SetKey(c.Key, a.Out) })
	product.On(h, func(c *schema.DeleteKey) schema.Rejection { return a.DeleteKey(c.Key) })
	product.On(h, a.setSub)
	product.On(h, a.deleteSub)
	product.On(h, a.blockSub)
	product.On(h, a.verifySub)
	product.On(h, a.openKey)
	product.On(h, a.editKey)
	product.On(h, a.setKeyAddress)
	product.On(h, a.closeKey)
	product.On(h, a.resetKey)
	product.On(h, a.touchKeys)
}

// Get is the account with an id, or nil: system accounts are nobody's to use.
func (a *Accounts) Get(id schema.AccountID) *schema.Account {
	if id < schema.FirstCustomer || int(id-schema.FirstCustomer) >= len(a.list) {
		return nil
	}
	return a.list[id-schema.FirstCustomer]
}

// Customer is the account with an id if it may act.
func (a *Accounts) Customer(id schema.AccountID) (*schema.Account, schema.Rejection) {
	account := a.Get(id)
	if account == nil {
		return nil, schema.Refuse(schema.AccountUnknown)
	}
	if account.Blocked || account.IsSub() && (account.Status != schema.SubActive || a.Get(account.Parent).Blocked) {
		return nil, schema.Refuse(schema.AccountBlocked)
	}
	return account, schema.Rejection{}
}

// ByName is the account with a name, or nil.
func (a *Accounts) ByName(name string) *schema.Account { return a.Get(a.names[name]) }

// All are the accounts, by id.
func (a *Accounts) All() []*schema.Account { return a.list }

func (a *Accounts) setAccount(c *schema.SetAccount) schema.Rejection {
	account := c.Account
	if old := a.Get(account.ID); old != nil {
		if c.KeepRestriction {
			account.RestrictedUntil = old.RestrictedUntil
		}
		if c.KeepVerified {
			account.Verified = old.Verified
		}
	}
	return a.Set(account, a.Out)
}

// Set opens an account or replaces the settings of one. What the master of a sub-account chooses stays.
func (a *Accounts) Set(account schema.Account, out *schema.Outcome) schema.Rejection {
	var old *schema.Account
	if account.ID != 0 {
		if old = a.Get(account.ID); old == nil {
			return schema.Refuse(schema.AccountUnknown)
		}
		account.Parent, account.External, account.Alias, account.Email = old.Parent, old.External, old.Alias, old.Email
		account.Status, account.ShareKYC, account.Spot, account.Margin = old.Status, old.ShareKYC, old.Spot, old.Margin
	} else if account.IsSub() || a.checkFamily(&account).Refused() { // masters make sub-accounts
		return schema.Refuse(schema.NameInvalid)
	}
	if r := a.check(&account); r.Refused() {
		return r
	}
	barred := old != nil && old.Blocked
	if old == nil {
		account.ID, account.Created = a.next(), out.Time
		a.add(account)
	} else {
		if account.IsSub() {
			cut(&account, a.Get(account.Parent))
		}
		account.Created = old.Created
		delete(a.names, old.Name)
		a.names[account.Name] = account.ID
		*old = account
	}
	out.Result.ID = uint64(account.ID)
	out.Events.Add(&schema.AccountChanged{Account: account})
	a.cutFamily(&account)
	if account.Blocked && !barred {
		a.OnBar(account.ID)
	}
	return schema.Rejection{}
}

// next is the number of the next account.
func (a *Accounts) next() schema.AccountID {
	return schema.FirstCustomer + schema.AccountID(len(a.list))
}

func (a *Accounts) check(account *schema.Account) schema.Rejection {
	holder, taken := a.names[account.Name]
	switch {
	case account.Name == "" || len(account.Name) > maxName:
		return schema.Refuse(schema.NameInvalid)
	case taken && holder != account.ID:
		return schema.Refuse(schema.NameTaken)
	case !schema.Valid(account.Region):
		return schema.Refuse(schema.RegionInvalid)
	case account.Tier > schema.MaxTier || account.RestrictedUntil < 0:
		return schema.Refuse(schema.TierInvalid)
	case !ValidFees(account.MakerFee, account.TakerFee):
		return schema.Refuse(schema.FeeInvalid)
	case account.MaxLeverage != 0 && !position.Leverage(account.MaxLeverage).Valid():
		return schema.Rejection{Reason: schema.LeverageInvalid, Value: fixed.FromInt(int64(position.Highest))}
	}
	return schema.Rejection{}
}

func (a *Accounts) add(account schema.Account) {
	a.list = append(a.list, &account)
	a.names[account.Name] = account.ID
	if account.IsSub() {
		a.families[account.Parent] = append(a.families[account.Parent], account.ID)
		a.externals[account.External] = account.ID
	}
}

// Restore puts an account back; they must come in the order of their ids.
func (a *Accounts) Restore(account schema.Account) schema.Rejection {
	if account.ID != a.next() {
		return schema.Refuse(schema.AccountUnknown)
	}
	if r := a.check(&account); r.Refused() {
		return r
	}
	if r := a.checkFamily(&account); r.Refused() {
		return r
	}
	a.add(account)
	return schema.Rejection{}
}

// ValidFees takes fees that may be absent; takers are never paid for taking.
func ValidFees(maker, taker schema.Optional) bool {
	return listing.ValidFee(maker.Value()) && listing.ValidFee(taker.Value()) && taker.Value().Sign() >= 0
}
