package mining

import (
	"slices"

	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of links.
const (
	mostWatched = 50
	mostLife    = 604_800 // seconds
	allRights   = schema.WatchDashboard | schema.WatchRewards | schema.WatchWorkers
)

// watch is a link that lives.
type watch struct {
	slab.Links
	schema.Watch
}

func (p *Pool) watchMining(m *schema.WatchMining) schema.Rejection {
	if _, r := p.accounts.Customer(m.Account); r.Refused() {
		return r
	}
	if !soundWatch(m.Name, m.Minings, m.Rights) || m.Life > mostLife {
		return schema.Refuse(schema.WatchInvalid)
	}
	if !p.ownedBy(m.Account, m.Minings) {
		return schema.Refuse(schema.MiningUnknown)
	}
	if slices.ContainsFunc(m.Minings, func(id schema.MiningID) bool { return len(p.at(id).links) >= int(p.terms.Links) }) {
		return schema.Rejection{Reason: schema.WatchesTooMany, Value: fixed.FromInt(int64(p.terms.Links))}
	}
	p.lastWatch++
	w := schema.Watch{
		ID: p.lastWatch, Account: m.Account, Name: m.Name, Minings: slices.Clone(m.Minings), Rights: m.Rights, Created: p.out.Time,
	}
	if m.Life != 0 {
		w.Until = p.out.Time + schema.Time(m.Life)*schema.Second
	}
	p.addWatch(w)
	p.out.Events.Add(&schema.WatchChanged{Watch: w})
	p.out.Result.ID = uint64(w.ID)
	return schema.Rejection{}
}

// soundWatch reports whether a link can be of these mining accounts and show this.
func soundWatch(name string, minings []schema.MiningID, rights schema.WatchRights) bool {
	if !validName(name) || len(minings) == 0 || len(minings) > mostWatched || rights == 0 || rights&^allRights != 0 {
		return false
	}
	for i, id := range minings {
		if slices.Contains(minings[:i], id) {
			return false
		}
	}
	return true
}

// ownedBy reports whether mining accounts are all those of an account.
func (p *Pool) ownedBy(account schema.AccountID, minings []schema.MiningID) bool {
	return !slices.ContainsFunc(minings, func(id schema.MiningID) bool {
		a := p.find(id)
		return a == nil || a.Account != account
	})
}

// addWatch puts a link behind all others: it has the highest number.
func (p *Pool) addWatch(m schema.Watch) {
	place, w := p.watches.Take()
	w.Watch = m
	p.watches.Push(&p.links, place)
	p.watchAt[m.ID] = place
	if m.Until != 0 {
		p.ends.order.Put(&p.ends.nodes, end{m.Until, m.ID}, place)
	}
	for _, id := range m.Minings {
		a := p.at(id)
		a.links = append(a.links, m.ID)
	}
}

// endLinks forgets links whose time is over, some at once; the timer stays due for the others.
func (p *Pool) endLinks() {
	for range linkSlice {
		first := p.ends.order.Last()
		if !first.Found() || p.watches.At(first.Item()).Until > p.out.Time {
			return
		}
		p.forget(first.Item())
	}
}

func (p *Pool) forget(place uint32) {
	w := p.watches.At(place)
	for _, id := range w.Minings {
		a := p.at(id)
		at := slices.Index(a.links, w.ID)
		a.links = slices.Delete(a.links, at, at+1)
	}
	p.ends.order.Remove(&p.ends.nodes, end{w.Until, w.ID})
	delete(p.watchAt, w.ID)
	p.watches.Pull(place)
	p.watches.Give(place)
}
