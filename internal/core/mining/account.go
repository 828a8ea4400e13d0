package mining

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of mining accounts.
const (
	maxName     = 255
	maxReferral = 50
	patience    = 24 * 3600 * schema.Second // until a new address counts
)

func (p *Pool) open(m *schema.OpenMining) schema.Rejection {
	if _, r := p.accounts.Customer(m.Account); r.Refused() {
		return r
	}
	switch {
	case !p.terms.Open:
		return schema.Refuse(schema.PoolOff)
	case !validName(m.Name) || len(m.Referral) > maxReferral:
		return schema.Refuse(schema.MiningInvalid)
	case p.names[m.Name] != 0:
		return schema.Refuse(schema.MiningNameTaken)
	case p.count(m.Account) >= p.terms.Accounts:
		return schema.Rejection{Reason: schema.MiningTooMany, Value: fixed.FromInt(int64(p.terms.Accounts))}
	}
	a := p.add(schema.MiningAccount{Account: m.Account, Name: m.Name, Referral: m.Referral, Created: p.out.Time})
	p.changed(a)
	p.out.Result.ID = uint64(a.ID)
	return schema.Rejection{}
}

// count is how many mining accounts a customer has.
func (p *Pool) count(account schema.AccountID) uint32 {
	if newest := p.newest[account]; newest != 0 {
		return p.at(newest).nth
	}
	return 0
}

// add makes a mining account, with the next number.
func (p *Pool) add(settings schema.MiningAccount) *mining {
	place, a := p.minings.Take()
	a.MiningAccount = settings
	a.ID = schema.MiningID(place)
	a.before, a.nth = p.newest[a.Account], p.count(a.Account)+1
	p.newest[a.Account], p.names[a.Name] = a.ID, a.ID
	return a
}

// bar stops a mining account from earning, or lets it go on.
func (p *Pool) bar(m *schema.BarMining) schema.Rejection {
	a := p.find(m.Mining)
	if a == nil {
		return schema.Refuse(schema.MiningUnknown)
	}
	a.Barred = m.Barred
	p.changed(a)
	return schema.Rejection{}
}

// setPayout says where a mining account is paid. An address counts some time after it was named, so that somebody who names it without right
// can be stopped.
func (p *Pool) setPayout(m *schema.SetMiningPayout) schema.Rejection {
	if _, r := p.accounts.Customer(m.Account); r.Refused() {
		return r
	}
	a := p.find(m.Mining)
	switch {
	case a == nil || a.Account != m.Account:
		return schema.Refuse(schema.MiningUnknown)
	case m.External && p.terms.Chain == 0:
		return schema.Refuse(schema.PoolPayoutOff)
	case m.External && !validAddress(m.Address):
		return schema.Refuse(schema.WithdrawAddressInvalid)
	}
	switch {
	case !m.External:
		p.release(a)
		a.External, a.Address, a.Index, a.Since = false, "", 0, 0
	case !a.External || a.Address != m.Address || a.Index != m.Index:
		wasDue := a.due
		p.notDue(a)
		a.External, a.Address, a.Index, a.Since = true, m.Address, m.Index, p.out.Time+patience
		if wasDue {
			p.isDue(a)
		}
	}
	p.changed(a)
	return schema.Rejection{}
}

func validAddress(address string) bool {
	return address != "" && len(address) <= schema.MaxAddressText
}

// counts reports whether a mining account is paid to an address that counts.
func (p *Pool) counts(a *mining) bool { return a.External && a.Since <= p.out.Time }

func (p *Pool) changed(a *mining) {
	p.out.Events.Add(&schema.MiningChanged{Mining: a.MiningAccount})
}

// validName reports whether this can be the name of a mining account or a link.
func validName(name string) bool { return within(name, maxName, false) }

// validWorker reports whether this can be the name of a worker.
func validWorker(name string) bool { return within(name, schema.MaxWorkerName, true) }

// within reports whether a text is not empty, not longer than so much, and has nothing but letters, digits, underscores, and dashes where
// they are permitted.
func within(text string, most int, dashes bool) bool {
	if text == "" || len(text) > most {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-' && dashes:
		default:
			return false
		}
	}
	return true
}
