package naive

import (
	"slices"

	"bourse/internal/schema"
)

// Bounds of sub-accounts.
const (
	subsMost  = 100  // of a master that are not deleted
	subsEver  = 1000 // of a master
	subIDMost = 64   // bytes
	aliasMost = 64   // bytes
	emailMost = 1024 // bytes, sealed
)

// master is that of a sub-account. Other accounts are their own.
func (a *accounts) master(account *schema.Account) *schema.Account {
	if account.Parent == 0 {
		return account
	}
	master, _ := a.customer(account.Parent)
	return master
}

// subs are the sub-accounts of a master that are not deleted, by id.
func (a *accounts) subs(master schema.AccountID) (list []*schema.Account) {
	for i := range a.all {
		if a.all[i].Parent == master && master != 0 && a.all[i].Status != schema.SubDeleted {
			list = append(list, &a.all[i])
		}
	}
	return list
}

// sub finds a sub-account of a master that is not deleted.
func (a *accounts) sub(master, id schema.AccountID) (*schema.Account, schema.Rejection) {
	for _, sub := range a.subs(master) {
		if sub.ID == id {
			return sub, accepted
		}
	}
	return nil, because(schema.SubUnknown)
}

// asMaster finds a sub-account for a customer who may act and asks for it as its master.
func (a *accounts) asMaster(master, id schema.AccountID) (*schema.Account, schema.Rejection) {
	if _, r := a.trader(master); refused(r) {
		return nil, r
	}
	return a.sub(master, id)
}

// verifySub marks a sub-account as verified, if it is one that can be: active, with a verification of its own.
func (a *accounts) verifySub(c *schema.VerifySub) schema.Rejection {
	sub, r := a.customer(c.Sub)
	switch {
	case refused(r), sub.Parent == 0, sub.Status == schema.SubDeleted:
		return because(schema.SubUnknown)
	case sub.Status == schema.SubPending:
		return because(schema.SubNotConfirmed)
	case sub.ShareKYC:
		return because(schema.SubSharesKYC)
	}
	if _, r := a.trader(c.Sub); refused(r) {
		return because(schema.SubInactive)
	}
	if !sub.Verified {
		sub.Verified = true
		a.call.record(&schema.AccountChanged{Account: *sub})
	}
	return accepted
}

// ofNobody reports whether nothing of an account is what only sub-accounts have and their masters choose.
func ofNobody(a *schema.Account) bool {
	return a.Parent == 0 && a.External == "" && a.Alias == "" && a.Email == "" && a.Status == 0 && !a.ShareKYC && !a.Spot && !a.Margin
}

// clamp lets a sub-account have nothing that its master has not. What a master is not given back, its sub-accounts are not either.
func (a *accounts) clamp(sub *schema.Account) {
	if sub.Parent == 0 {
		return
	}
	master := a.master(sub)
	if master.Region == schema.EU {
		sub.Region = schema.EU
	}
	for _, flag := range []struct {
		of *bool
		by bool
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
		if !flag.by {
			*flag.of = false
		}
	}
	if most := master.MaxLeverage; most != 0 && (sub.MaxLeverage == 0 || sub.MaxLeverage > most) {
		sub.MaxLeverage = most
	}
	if sub.ShareKYC {
		sub.Verified, sub.Tier = master.Verified, master.Tier
	}
}

func (a *accounts) setSub(c *schema.SetSub) schema.Result {
	if c.Sub == 0 {
		return a.createSub(c)
	}
	sub, r := a.asMaster(c.Master, c.Sub)
	if refused(r) {
		return reject(r)
	}
	if r := a.checkAlias(c); refused(r) {
		return reject(r)
	}
	sub.Alias, sub.Spot, sub.Margin = c.Alias, c.Spot, c.Margin
	a.call.record(&schema.AccountChanged{Account: *sub})
	return schema.Result{ID: uint64(sub.ID)}
}

// checkAlias looks at what a sub-account is to be called.
func (a *accounts) checkAlias(c *schema.SetSub) schema.Rejection {
	if len(c.Alias) < 1 || len(c.Alias) > aliasMost {
		return because(schema.SubAliasInvalid)
	}
	for _, other := range a.subs(c.Master) {
		if other.Alias == c.Alias && other.ID != c.Sub {
			return because(schema.SubAliasTaken)
		}
	}
	return accepted
}

func (a *accounts) createSub(c *schema.SetSub) schema.Result {
	master, r := a.trader(c.Master)
	if refused(r) {
		return reject(r)
	}
	taken := slices.ContainsFunc(a.all, func(other schema.Account) bool { return other.Name == c.External || other.External == c.External })
	switch {
	case master.Parent != 0:
		return refuse(schema.SubNested)
	case len(c.External) < 1, len(c.External) > subIDMost, taken:
		return refuse(schema.NameTaken)
	}
	if r := a.checkAlias(c); refused(r) {
		return reject(r)
	}
	ever := 0
	for _, other := range a.all {
		if other.Parent == c.Master {
			ever++
		}
	}
	switch {
	case !c.ShareKYC && c.Email == "", len(c.Email) > emailMost:
		return refuse(schema.SubEmailMissing)
	case len(a.subs(c.Master)) >= subsMost:
		return reject(about(schema.SubsTooMany, whole(subsMost)))
	case ever >= subsEver:
		return reject(about(schema.SubsTooMany, whole(subsEver)))
	}
	made := schema.Account{
		Name: c.External, Created: a.call.at, Parent: c.Master, External: c.External, Alias: c.Alias, Email: c.Email,
		Status: schema.SubPending, ShareKYC: c.ShareKYC, Spot: c.Spot, Margin: c.Margin,
		Region: master.Region, Retail: master.Retail, RPI: master.RPI, Mining: master.Mining, TradFi: master.TradFi,
		MaxLeverage: master.MaxLeverage, NewAddresses: master.NewAddresses, MakerFee: master.MakerFee, TakerFee: master.TakerFee,
	}
	if c.ShareKYC && c.Email == "" || c.Active {
		made.Status = schema.SubActive
	}
	if c.ShareKYC {
		made.Verified, made.Tier = master.Verified, master.Tier
	}
	return a.add(made)
}

// isSub reports whether an account is a sub-account.
func (a *accounts) isSub(id schema.AccountID) bool {
	account, _ := a.customer(id)
	return account.Parent != 0
}

// approved reports whether the master of a sub-account confirms what leaves it.
func (a *accounts) approved(id schema.AccountID) bool {
	account, _ := a.customer(id)
	return account.Parent != 0 && a.master(account).Approvals
}
