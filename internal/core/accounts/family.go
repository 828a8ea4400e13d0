package accounts

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// A family is a master and its sub-accounts. What a sub-account may do is never more than what its master may: the settings of a
// sub-account are cut to those of its master whenever either is set, so that nobody has to ask for both. Blocks alone are looked at on
// use, because they come and go.
//
// What must hold: a sub-account has a master that is no sub-account itself; the aliases of a family are unique among those that are not
// deleted; no setting of a sub-account exceeds that of its master.

// Root is the account that answers for another one: its master, or itself.
func (a *Accounts) Root(id schema.AccountID) *schema.Account {
	account := a.Get(id)
	if account != nil && account.IsSub() {
		return a.Get(account.Parent)
	}
	return account
}

// Living is the account with an id that money can still come to, or nil.
func (a *Accounts) Living(id schema.AccountID) *schema.Account {
	if account := a.Get(id); account != nil && account.Status != schema.SubDeleted {
		return account
	}
	return nil
}

// Barred reports whether an operator blocked an account or its master. What such an account asked for before waits.
func (a *Accounts) Barred(id schema.AccountID) bool {
	return a.Get(id).Blocked || a.Root(id).Blocked
}

// Confirms reports whether withdrawals of an account have to be confirmed by its master.
func (a *Accounts) Confirms(account *schema.Account) bool {
	return account.IsSub() && a.Get(account.Parent).Approvals
}

// Subs are the sub-accounts that a master has, in the order of their making.
func (a *Accounts) Subs(master schema.AccountID) (list []*schema.Account) {
	for _, id := range a.families[master] {
		if sub := a.Get(id); sub.Status != schema.SubDeleted {
			list = append(list, sub)
		}
	}
	return list
}

// BySubID is the sub-account of a master that customers know by an id, or nil.
func (a *Accounts) BySubID(master schema.AccountID, external string) *schema.Account {
	if sub := a.Get(a.externals[external]); sub != nil && sub.Parent == master && sub.Status != schema.SubDeleted {
		return sub
	}
	return nil
}

// Sub is the sub-account with an id if a master that may act has it.
func (a *Accounts) Sub(master, id schema.AccountID) (*schema.Account, schema.Rejection) {
	if _, r := a.Customer(master); r.Refused() {
		return nil, r
	}
	sub := a.Get(id)
	if sub == nil || sub.Parent != master || sub.Status == schema.SubDeleted {
		return nil, schema.Refuse(schema.SubUnknown)
	}
	return sub, schema.Rejection{}
}

// setSub makes a sub-account, or changes what its master may change.
func (a *Accounts) setSub(m *schema.SetSub) schema.Rejection {
	if m.Sub == 0 {
		return a.openSub(m)
	}
	sub, r := a.Sub(m.Master, m.Sub)
	if r.Refused() {
		return r
	}
	if r := a.checkAlias(m.Master, m.Sub, m.Alias); r.Refused() {
		return r
	}
	sub.Alias, sub.Spot, sub.Margin = m.Alias, m.Spot, m.Margin
	a.Out.Result.ID = uint64(sub.ID)
	a.changed(sub)
	return schema.Rejection{}
}

func (a *Accounts) openSub(m *schema.SetSub) schema.Rejection {
	master, r := a.Customer(m.Master)
	if r.Refused() {
		return r
	}
	if r := a.mayOpen(master, m); r.Refused() {
		return r
	}
	sub := schema.Account{
		ID: a.next(), Name: m.External, Created: a.Out.Time, Region: master.Region, Retail: master.Retail, RPI: master.RPI, Mining: master.Mining,
		TradFi: master.TradFi, MaxLeverage: master.MaxLeverage, NewAddresses: master.NewAddresses, MakerFee: master.MakerFee, TakerFee: master.TakerFee,
		Parent: m.Master, External: m.External, Alias: m.Alias, Email: m.Email, Status: schema.SubPending,
		ShareKYC: m.ShareKYC, Spot: m.Spot, Margin: m.Margin,
	}
	if m.Active || m.ShareKYC && m.Email == "" {
		sub.Status = schema.SubActive
	}
	cut(&sub, master)
	a.add(sub)
	a.Out.Result.ID = uint64(sub.ID)
	a.changed(&sub)
	return schema.Rejection{}
}

func (a *Accounts) mayOpen(master *schema.Account, m *schema.SetSub) schema.Rejection {
	_, named := a.names[m.External]
	_, known := a.externals[m.External]
	switch {
	case master.IsSub():
		return schema.Refuse(schema.SubNested)
	case m.External == "" || len(m.External) > maxName || named || known:
		return schema.Refuse(schema.NameTaken)
	}
	if r := a.checkAlias(m.Master, 0, m.Alias); r.Refused() {
		return r
	}
	switch {
	case m.Email == "" && !m.ShareKYC || len(m.Email) > schema.MaxEmail:
		return schema.Refuse(schema.SubEmailMissing)
	case len(a.Subs(m.Master)) >= schema.MaxSubs:
		return schema.Rejection{Reason: schema.SubsTooMany, Value: fixed.FromInt(schema.MaxSubs)}
	case len(a.families[m.Master]) >= schema.MaxSubsEver:
		return schema.Rejection{Reason: schema.SubsTooMany, Value: fixed.FromInt(schema.MaxSubsEver)}
	}
	return schema.Rejection{}
}

// checkAlias checks what a master calls a sub-account; id is 0 for one to be.
func (a *Accounts) checkAlias(master, id schema.AccountID, alias string) schema.Rejection {
	if alias == "" || len(alias) > schema.MaxAlias {
		return schema.Refuse(schema.SubAliasInvalid)
	}
	for _, other := range a.families[master] {
		if sub := a.Get(other); other != id && sub.Alias == alias && sub.Status != schema.SubDeleted {
			return schema.Refuse(schema.SubAliasTaken)
		}
	}
	return schema.Rejection{}
}

// cut takes from a sub-account what its master has not, and reports whether it had more.
func cut(sub, master *schema.Account) (changed bool) {
	if r := schema.Stricter(sub.Region, master.Region); r != sub.Region {
		sub.Region, changed = r, true
	}
	for _, flag := range []struct {
		sub    *bool
		master bool
	}{
		{&sub.Retail, master.Retail},
		{&sub.RPI, master.RPI},
		{&sub.Partner, master.Partner},
		{&sub.Mining, master.Mining},
		{&sub.TradFi, master.TradFi},
		{&sub.NewAddresses, master.NewAddresses},
		{&sub.Checker, master.Checker},
		{&sub.CreditLine, master.CreditLine},
		{&sub.Invoices, master.Invoices},
		{&sub.Approvals, false},
		{&sub.KYCLinks, false},
	} {
		if *flag.sub && !flag.master {
			*flag.sub, changed = false, true
		}
	}
	if top := master.MaxLeverage; top != 0 && (sub.MaxLeverage == 0 || sub.MaxLeverage > top) {
		sub.MaxLeverage, changed = top, true
	}
	if sub.ShareKYC && (sub.Verified != master.Verified || sub.Tier != master.Tier) {
		sub.Verified, sub.Tier, changed = master.Verified, master.Tier, true
	}
	return changed
}

// cutFamily cuts the sub-accounts of a master that was set. There are at most schema.MaxSubsEver.
func (a *Accounts) cutFamily(master *schema.Account) {
	for _, id := range a.families[master.ID] {
		if sub := a.Get(id); sub.Status != schema.SubDeleted && cut(sub, master) {
			a.changed(sub)
		}
	}
}

// verifySub notes that the person who uses a sub-account was verified. It is asked for what links to verification need, when one is used.
func (a *Accounts) verifySub(m *schema.VerifySub) schema.Rejection {
	sub := a.Get(m.Sub)
	switch {
	case sub == nil || !sub.IsSub() || sub.Status == schema.SubDeleted:
		return schema.Refuse(schema.SubUnknown)
	case sub.Status == schema.SubPending:
		return schema.Refuse(schema.SubNotConfirmed)
	case sub.ShareKYC:
		return schema.Refuse(schema.SubSharesKYC)
	}
	if _, r := a.Customer(m.Sub); r.Refused() {
		return schema.Refuse(schema.SubInactive)
	}
	if !sub.Verified {
		sub.Verified = true
		a.changed(sub)
	}
	return schema.Rejection{}
}

// blockSub blocks a sub-account or lifts the block. It is a flag that counts at once; orders and withdrawals that must not stay are ended
// by those who keep them (OnBlock).
func (a *Accounts) blockSub(m *schema.BlockSub) schema.Rejection {
	sub, r := a.Sub(m.Master, m.Sub)
	if r.Refused() {
		return r
	}
	switch {
	case m.Blocked && sub.Status == schema.SubBlocked:
		return schema.Refuse(schema.SubBlockedBefore)
	case m.Blocked && sub.Status == schema.SubPending:
		return schema.Refuse(schema.SubNotConfirmed)
	case !m.Blocked && sub.Status != schema.SubBlocked:
		return schema.Refuse(schema.SubNotBlocked)
	case !m.Blocked:
		sub.Status = schema.SubActive
		a.changed(sub)
		return schema.Rejection{}
	}
	sub.Status = schema.SubBlocked
	a.changed(sub)
	a.OnBlock(sub.ID)
	return schema.Rejection{}
}

// deleteSub ends a sub-account that nothing is left of. Its number stays taken.
func (a *Accounts) deleteSub(m *schema.DeleteSub) schema.Rejection {
	sub, r := a.Sub(m.Master, m.Sub)
	if r.Refused() {
		return r
	}
	if sub.Blocked || !a.Empty(m.Sub) {
		return schema.Refuse(schema.SubNotEmpty)
	}
	a.OnDelete(m.Sub)
	for _, k := range slices.Clone(a.keysOf[m.Sub]) {
		a.removeKey(k)
	}
	sub.Status = schema.SubDeleted
	a.changed(sub)
	return schema.Rejection{}
}

// Activate says that somebody accepted the invitation of an account. It matters to sub-accounts that wait for it alone.
func (a *Accounts) Activate(id schema.AccountID) {
	if account := a.Get(id); account.Status == schema.SubPending {
		account.Status = schema.SubActive
		a.changed(account)
	}
}

func (a *Accounts) changed(account *schema.Account) {
	a.Out.Events.Add(&schema.AccountChanged{Account: *account})
}

// checkFamily checks what a snapshot says of a sub-account; masters come before their sub-accounts.
func (a *Accounts) checkFamily(account *schema.Account) schema.Rejection {
	if !account.IsSub() {
		if account.External != "" || account.Alias != "" || account.Email != "" || account.Status != 0 || account.ShareKYC || account.Spot || account.Margin {
			return schema.Refuse(schema.NameInvalid)
		}
		return schema.Rejection{}
	}
	master := a.Get(account.Parent)
	_, known := a.externals[account.External]
	switch {
	case master == nil || master.IsSub():
		return schema.Refuse(schema.SubNested)
	case account.External == "" || len(account.External) > maxName || known || account.Status == 0 || account.Status > schema.SubDeleted:
		return schema.Refuse(schema.NameTaken)
	case len(account.Email) > schema.MaxEmail || account.Email == "" && !account.ShareKYC:
		return schema.Refuse(schema.SubEmailMissing)
	case len(a.families[master.ID]) >= schema.MaxSubsEver:
		return schema.Rejection{Reason: schema.SubsTooMany, Value: fixed.FromInt(schema.MaxSubsEver)}
	case account.Status == schema.SubDeleted:
		return schema.Rejection{}
	case len(a.Subs(master.ID)) >= schema.MaxSubs:
		return schema.Rejection{Reason: schema.SubsTooMany, Value: fixed.FromInt(schema.MaxSubs)}
	}
	if next := *account; cut(&next, master) {
		return schema.Refuse(schema.SubNotPermitted)
	}
	return a.checkAlias(master.ID, account.ID, account.Alias)
}
