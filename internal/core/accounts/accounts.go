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

	list  []*schema.Account // account FirstCustomer+i
	names map[string]schema.AccountID
	keys  map[string]*KeyRecord
	byID  []*KeyRecord // key i+1, nil when it was deleted
	// last is the last key that was handed out. Those behind the end of byID were deleted.
	last schema.KeyID
}

// New makes an empty set.
func New() *Accounts {
	return &Accounts{names: map[string]schema.AccountID{}, keys: map[string]*KeyRecord{}}
}

// Commands registers what operators do with accounts and keys.
func (a *Accounts) Commands(h *product.Handlers) {
	product.On(h, func(c *schema.SetAccount) schema.Rejection { return a.Set(c.Account, a.Out) })
	product.On(h, func(c *schema.SetKey) schema.Rejection { return a.SetKey(c.Key, a.Out) })
	product.On(h, func(c *schema.DeleteKey) schema.Rejection { return a.DeleteKey(c.Key, a.Out) })
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
	if account.Blocked {
		return nil, schema.Refuse(schema.AccountBlocked)
	}
	return account, schema.Rejection{}
}

// ByName is the account with a name, or nil.
func (a *Accounts) ByName(name string) *schema.Account { return a.Get(a.names[name]) }

// All are the accounts, by id.
func (a *Accounts) All() []*schema.Account { return a.list }

// Set opens an account or replaces the settings of one.
func (a *Accounts) Set(account schema.Account, out *schema.Outcome) schema.Rejection {
	var old *schema.Account
	if account.ID != 0 {
		if old = a.Get(account.ID); old == nil {
			return schema.Refuse(schema.AccountUnknown)
		}
	}
	if r := a.check(&account); r.Refused() {
		return r
	}
	if old == nil {
		account.ID = schema.FirstCustomer + schema.AccountID(len(a.list))
		account.Created = out.Time
		a.add(account)
	} else {
		account.Created = old.Created
		delete(a.names, old.Name)
		a.names[account.Name] = account.ID
		*old = account
	}
	out.Result.ID = uint64(account.ID)
	out.Events.Add(&schema.AccountChanged{Account: account})
	return schema.Rejection{}
}

func (a *Accounts) check(account *schema.Account) schema.Rejection {
	holder, taken := a.names[account.Name]
	switch {
	case account.Name == "" || len(account.Name) > 64:
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
}

// Restore puts an account back; they must come in the order of their ids.
func (a *Accounts) Restore(account schema.Account) schema.Rejection {
	if account.ID != schema.FirstCustomer+schema.AccountID(len(a.list)) {
		return schema.Refuse(schema.AccountUnknown)
	}
	if r := a.check(&account); r.Refused() {
		return r
	}
	a.add(account)
	return schema.Rejection{}
}

// ValidFees takes fees that may be absent; takers are never paid for taking.
func ValidFees(maker, taker schema.Optional) bool {
	return listing.ValidFee(maker.Value()) && listing.ValidFee(taker.Value()) && taker.Value().Sign() >= 0
}
