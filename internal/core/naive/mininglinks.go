package naive

import (
	"cmp"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Bounds of links by which mining accounts are seen.
const (
	linkNameMost = 255
	linkMinings  = 50
	linkRights   = 1 | 2 | 4 // dashboard, rewards and workers
	linkLifeMost = 604_800   // seconds
	linksATick   = 1000      // that are forgotten
)

func (s *mining) watch(c *schema.WatchMining) schema.Result {
	if _, r := s.accounts.trader(c.Account); refused(r) {
		return reject(r)
	}
	if !isName(c.Name, linkNameMost, "") || len(c.Minings) < 1 || len(c.Minings) > linkMinings ||
		c.Rights < 1 || c.Rights > linkRights || c.Life > linkLifeMost {
		return refuse(schema.WatchInvalid)
	}
	for i, id := range c.Minings {
		if slices.Contains(c.Minings[:i], id) {
			return refuse(schema.WatchInvalid)
		}
	}
	for _, id := range c.Minings {
		if s.owned(c.Account, id) == nil {
			return refuse(schema.MiningUnknown)
		}
	}
	for _, id := range c.Minings {
		if len(s.linksOf(id)) >= int(s.terms.Links) {
			return reject(about(schema.WatchesTooMany, whole(int64(s.terms.Links))))
		}
	}
	s.lastLink++
	made := &schema.Watch{ID: s.lastLink, Account: c.Account, Name: c.Name, Minings: slices.Clone(c.Minings), Rights: c.Rights, Created: s.call.at}
	if c.Life != 0 {
		made.Until = s.call.at + schema.Time(c.Life)*minute/60
	}
	s.links = append(s.links, made)
	s.call.record(&schema.WatchChanged{Watch: *made})
	return schema.Result{ID: uint64(made.ID)}
}

// linksOf are the links that show a mining account, by number.
func (s *mining) linksOf(id schema.MiningID) (list []*schema.Watch) {
	for _, l := range s.links {
		if slices.Contains(l.Minings, id) {
			list = append(list, l)
		}
	}
	return list
}

// forgetLinks forgets the links that are over, so many with a tick.
func (s *mining) forgetLinks() {
	var over []*schema.Watch
	for _, l := range s.links {
		if l.Until != 0 && l.Until <= s.call.at {
			over = append(over, l)
		}
	}
	slices.SortFunc(over, func(a, b *schema.Watch) int { return cmp.Or(cmp.Compare(a.Until, b.Until), cmp.Compare(a.ID, b.ID)) })
	for _, l := range over[:min(len(over), linksATick)] {
		s.links = slices.DeleteFunc(s.links, func(other *schema.Watch) bool { return other == l })
	}
}

// Pool is how the mining pool works, and what a block is worth to it.
func (x *Exchange) Pool() (schema.PoolTerms, fixed.Decimal) {
	return x.mining.terms, x.mining.rate.decimal()
}

// Minings are the accounts that miners work for, by number.
func (x *Exchange) Minings() (list []schema.MiningAccount) {
	for _, m := range x.mining.all {
		list = append(list, m.MiningAccount)
	}
	return list
}

// Watches are the links that live, by number.
func (x *Exchange) Watches() (list []schema.Watch) {
	for _, l := range x.mining.links {
		list = append(list, *l)
	}
	return list
}

// PoolBlocks are the last that were found, the newest first.
func (x *Exchange) PoolBlocks() []schema.PoolBlock {
	list := slices.Clone(x.mining.blocks[max(0, len(x.mining.blocks)-blocksKept):])
	slices.Reverse(list)
	return list
}

// Rewards are all that there ever were, by number.
func (x *Exchange) Rewards() (list []schema.Reward) {
	for _, r := range x.mining.rewards {
		list = append(list, *r)
	}
	return list
}

// PendingRewards is how many rewards are not paid, and their sum.
func (x *Exchange) PendingRewards() (int, fixed.Decimal) {
	list := x.mining.pending()
	return len(list), total(list).decimal()
}

// Leases are those that live, by number, with how many reports came with each.
func (x *Exchange) Leases() (ids []schema.LeaseID, reports []uint64) {
	for _, l := range x.mining.leases[max(0, len(x.mining.leases)-leasesLive):] {
		ids, reports = append(ids, l.id), append(reports, l.seq)
	}
	return ids, reports
}
