package mining

import (
	"fmt"

	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Verify holds money, payments, lists and indexes against each other.
func (p *Pool) Verify() error {
	for _, verify := range []func() error{p.verifyMinings, p.verifyWork, p.verifyPayments, p.verifyLinks, p.verifyMoney, p.verifyHealth} {
		if err := verify(); err != nil {
			return fmt.Errorf("mining: %w", err)
		}
	}
	return nil
}

func (p *Pool) verifyMinings() error {
	if p.terms.Asset == 0 {
		if p.terms != (schema.PoolTerms{}) || !p.rate.IsZero() || p.used || p.minings.End() != 1 {
			return fmt.Errorf("there are no terms, and something that needs them")
		}
		return nil
	}
	if err := p.checkTerms(); err != nil {
		return fmt.Errorf("terms: %w", err)
	}
	newest, dues := map[schema.AccountID]schema.MiningID{}, 0 // only ever asked
	for id := schema.MiningID(1); uint32(id) < p.minings.End(); id++ {
		a := p.at(id)
		if err := p.checkMining(&a.MiningAccount); err != nil {
			return fmt.Errorf("mining account %d: %w", id, err)
		}
		before := newest[a.Account]
		if a.ID != id || p.names[a.Name] != id || a.before != before || before == 0 && a.nth != 1 || before != 0 && a.nth != p.at(before).nth+1 || a.trial != 0 {
			return fmt.Errorf("mining account %d is not found by its name or by its account", id)
		}
		newest[a.Account] = id
		spot := p.dues.order.Find(&p.dues.nodes, due{a.Since, id})
		if a.due != spot.Found() || a.due && (schema.MiningID(spot.Item()) != id || a.waits == 0) {
			return fmt.Errorf("mining account %d waits for its address, and has nothing to wait for or is not found", id)
		}
		if a.due {
			dues++
		}
	}
	for range p.dues.order.Down(&p.dues.nodes) {
		dues--
	}
	for _, account := range p.accounts.All() {
		if p.newest[account.ID] != newest[account.ID] {
			return fmt.Errorf("account %d finds mining account %d, and its newest is %d", account.ID, p.newest[account.ID], newest[account.ID])
		}
	}
	if len(p.names) != int(p.minings.End())-1 || len(p.newest) != len(newest) || dues != 0 {
		return fmt.Errorf("there are %d mining accounts, %d names, %d customers who find one, %d more that wait", p.minings.End()-1, len(p.names), len(p.newest), -dues)
	}
	return nil
}

// verifyWork looks at days and buckets.
func (p *Pool) verifyWork() error {
	days, bins := 0, 0
	last := schema.Time(0)
	for place := p.days.First; place != 0; place = p.works.At(place).After {
		w := p.works.At(place)
		if p.at(w.mining).day != place || w.day < last || !p.used {
			return fmt.Errorf("work of mining account %d is not found, or stands in the wrong place", w.mining)
		}
		if err := p.checkWork(w); err != nil {
			return fmt.Errorf("work of mining account %d: %w", w.mining, err)
		}
		last = w.day
		days++
	}
	last = 0
	for place := p.bins.First; place != 0; place = p.buckets.At(place).After {
		b := p.buckets.At(place)
		if p.at(b.mining).bucket != place || b.time < last {
			return fmt.Errorf("five minutes of mining account %d are not found, or stand in the wrong place", b.mining)
		}
		if err := p.checkBucket(b); err != nil {
			return fmt.Errorf("five minutes of mining account %d: %w", b.mining, err)
		}
		last = b.time
		bins++
	}
	for id := uint32(1); id < p.minings.End(); id++ {
		if p.minings.At(id).day != 0 {
			days--
		}
		if p.minings.At(id).bucket != 0 {
			bins--
		}
	}
	if days != 0 || bins != 0 {
		return fmt.Errorf("%d days and %d five minutes more are in lists than mining accounts have", days, bins)
	}
	return nil
}

// tally is the rewards that were met: each once, and those of a mining account in the order of their days.
type tally struct {
	seen  map[schema.RewardID]bool
	last  map[schema.MiningID]schema.Reward
	count int
	sum   fixed.Decimal
}

// verifyPayments looks at all rewards that are pending. Those of a mining account leave before others stand in the queue, and these before
// others wait.
func (p *Pool) verifyPayments() error {
	t := &tally{seen: map[schema.RewardID]bool{}, last: map[schema.MiningID]schema.Reward{}}
	leaving := 0
	for _, list := range []*slab.List{&p.leaving, &p.queue} {
		for place := list.First; place != 0; place = p.payments.At(place).After {
			if err := p.verifyPayment(t, place, list == &p.leaving); err != nil {
				return err
			}
			if list == &p.leaving {
				leaving++
			}
		}
	}
	for id := schema.MiningID(1); uint32(id) < p.minings.End(); id++ {
		a := p.at(id)
		if a.waits != 0 {
			if err := p.verifyPayment(t, a.waits, false); err != nil {
				return err
			}
			if y := p.payments.At(a.waits); y.mining() != id || !y.waited || !a.External || len(y.rewards) >= mostWaiting || y.Where != nil {
				return fmt.Errorf("with mining account %d waits what cannot", id)
			}
		}
		if last := t.last[id]; last.ID != 0 && a.day != 0 && p.works.At(a.day).day <= last.Day {
			return fmt.Errorf("a day of mining account %d was closed and is not over", id)
		}
	}
	if t.count != p.pending || t.sum != p.owed || leaving != len(p.leavingAt) {
		return fmt.Errorf("%d rewards of %s are pending, and %d of %s counted; %d payments leave, and %d are found", t.count, t.sum, p.pending, p.owed, leaving, len(p.leavingAt))
	}
	return nil
}

// verifyPayment looks at a payment and meets its rewards.
func (p *Pool) verifyPayment(t *tally, place uint32, leaves bool) error {
	y := p.payments.At(place)
	if len(y.rewards) == 0 {
		return fmt.Errorf("there is a payment of no rewards")
	}
	if err := p.checkPayment(y, leaves); err != nil {
		return fmt.Errorf("the payment of reward %d: %w", y.reference(), err)
	}
	if leaves && p.leavingAt[y.rewards[0].Withdrawal] != place {
		return fmt.Errorf("the payment of reward %d is not found by its withdrawal", y.reference())
	}
	sum := fixed.Zero
	for i := range y.rewards {
		m := &y.rewards[i]
		if err := p.checkReward(m); err != nil {
			return fmt.Errorf("reward %d: %w", m.ID, err)
		}
		if last := t.last[m.Mining]; t.seen[m.ID] || m.ID <= last.ID || last.ID != 0 && m.Day <= last.Day {
			return fmt.Errorf("reward %d stands in the wrong place, or twice", m.ID)
		}
		t.seen[m.ID], t.last[m.Mining] = true, *m
		sum = sum.Add(m.Amount)
	}
	if sum != y.sum {
		return fmt.Errorf("the payment of reward %d is of %s, and its rewards of %s", y.reference(), y.sum, sum)
	}
	t.count += len(y.rewards)
	t.sum = t.sum.Add(sum)
	return nil
}

// verifyLinks looks at links, leases and blocks.
func (p *Pool) verifyLinks() error {
	links, ends := 0, 0
	of := map[schema.MiningID][]schema.WatchID{} // only ever asked
	last := schema.WatchID(0)
	for place := p.links.First; place != 0; place = p.watches.At(place).After {
		w := p.watches.At(place)
		if w.ID <= last || w.ID > p.lastWatch || p.watchAt[w.ID] != place {
			return fmt.Errorf("link %d is not found, or stands in the wrong place", w.ID)
		}
		if err := p.checkWatch(&w.Watch); err != nil {
			return fmt.Errorf("link %d: %w", w.ID, err)
		}
		if w.Until != 0 {
			if spot := p.ends.order.Find(&p.ends.nodes, end{w.Until, w.ID}); !spot.Found() || spot.Item() != place {
				return fmt.Errorf("link %d is not found by its end", w.ID)
			}
			ends++
		}
		for _, id := range w.Minings {
			of[id] = append(of[id], w.ID)
		}
		last = w.ID
		links++
	}
	for range p.ends.order.Down(&p.ends.nodes) {
		ends--
	}
	for id := schema.MiningID(1); uint32(id) < p.minings.End(); id++ {
		if fmt.Sprint(p.at(id).links) != fmt.Sprint(of[id]) {
			return fmt.Errorf("mining account %d is seen by %v, and finds %v", id, of[id], p.at(id).links)
		}
	}
	if links != len(p.watchAt) || ends != 0 {
		return fmt.Errorf("there are %d links, and %d are found; %d more end", links, len(p.watchAt), -ends)
	}
	for i := range p.blocks {
		if err := p.checkBlock(&p.blocks[i]); err != nil {
			return fmt.Errorf("block %x: %w", p.blocks[i].Hash, err)
		}
	}
	return p.checkLeases()
}

// verifyMoney looks at what rewards are paid from.
func (p *Pool) verifyMoney() error {
	for r := range p.ledger.Records() {
		if r.Account == schema.Pool && (r.Wallet != schema.Main || r.Available.Sign() < 0 || !r.Frozen.IsZero()) {
			return fmt.Errorf("the pool has %s of asset %d and %s frozen in %s", r.Available, r.Asset, r.Frozen, r.Wallet)
		}
	}
	return nil
}
