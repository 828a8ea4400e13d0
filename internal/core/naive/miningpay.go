package naive

import (
	"cmp"
	"fmt"
	"slices"

	"bourse/internal/schema"
)

// Bounds of what ticks pay.
const (
	daysATick      = 1000
	addressesATick = 100
	rewardsATick   = 1000
	waitMost       = 100
)

// closeDays closes the days that are over, so many with a tick.
func (s *mining) closeDays() {
	for _, d := range firstOf(s.days, daysATick, func(d *minedDay) bool { return d.begin+fullDay <= s.call.at }) {
		s.closeDay(d)
	}
}

// closeDay makes a reward of what a mining account brought on a day, and counts the blocks that are expected of it.
func (s *mining) closeDay(d *minedDay) {
	s.days = slices.DeleteFunc(s.days, func(other *minedDay) bool { return other == d })
	gross := s.gross(d.sum)
	s.expect(d.miner, gross)
	fee := gross.times(of(s.terms.Fee)).floor(s.smallest())
	if gross.minus(fee).sign() == 0 {
		return
	}
	m := d.miner
	r := &schema.Reward{
		ID: schema.RewardID(len(s.rewards) + 1), Mining: m.ID, Account: m.Account, Asset: s.terms.Asset,
		Day: d.begin, Work: d.work.uint64(), Unit: s.terms.Unit, Rate: s.rate.decimal(),
		Total: gross.decimal(), Fee: fee.decimal(), Amount: gross.minus(fee).decimal(), Status: schema.RewardPending,
	}
	s.rewards = append(s.rewards, r)
	s.rewarded(r)
	s.addWorth(r)
	if !m.External {
		s.queue = append(s.queue, &rewardPayment{miner: m, rewards: []*schema.Reward{r}})
		return
	}
	m.waiting = append(m.waiting, r)
	if many := len(m.waiting) >= waitMost; many || !total(m.waiting).less(of(s.terms.Least)) {
		m.due = true
		if many || s.addressCounts(m) {
			s.enqueueWaiting(m)
		}
	}
}

// rewarded records a reward as it is now.
func (s *mining) rewarded(r *schema.Reward) { s.call.record(&schema.RewardChanged{Reward: *r}) }

// total is what rewards are together.
func total(rewards []*schema.Reward) (sum num) {
	for _, r := range rewards {
		sum = sum.plus(of(r.Amount))
	}
	return sum
}

// enqueueWaiting makes one payment of all that waits.
func (s *mining) enqueueWaiting(m *miner) {
	s.queue = append(s.queue, &rewardPayment{miner: m, rewards: m.waiting, waited: true})
	m.waiting, m.due = nil, false
}

// lookAtAddresses lets what waits for addresses go that count by now, of so many mining accounts with a tick.
func (s *mining) lookAtAddresses() {
	var due []*miner
	for _, m := range s.all {
		if m.due && s.addressCounts(m) {
			due = append(due, m)
		}
	}
	slices.SortFunc(due, func(a, b *miner) int { return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.ID, b.ID)) })
	for _, m := range due[:min(len(due), addressesATick)] {
		s.enqueueWaiting(m)
	}
}

// canPayFirst reports whether the pool has what is next in the queue.
func (s *mining) canPayFirst() bool {
	if len(s.queue) == 0 {
		return false
	}
	return !total(s.queue[0].rewards).more(s.ledger.balance(miners, schema.Main, s.terms.Asset).available)
}

// payQueue pays the first of the queue, as far as the pool has enough, and so many rewards with a tick.
func (s *mining) payQueue() {
	for paid := 0; paid < rewardsATick && s.canPayFirst(); {
		first := s.queue[0]
		s.queue = s.queue[1:]
		paid += len(first.rewards)
		s.pay(first)
	}
}

func (s *mining) pay(p *rewardPayment) {
	m, sum, first := p.miner, total(p.rewards), p.rewards[0].ID
	s.ledger.move(in(miners), in(m.Account), s.terms.Asset, sum, why{schema.ByMining, uint64(first)})
	s.ledger.repay(m.Account, s.terms.Asset)
	if s.addressCounts(m) && p.waited && !sum.less(of(s.terms.Least)) {
		result := s.chains.requestFree(&schema.RequestWithdrawal{
			Account: m.Account, Asset: s.terms.Asset, Chain: s.terms.Chain, Amount: sum.decimal(),
			Address: m.Address, Index: m.Index, Unique: fmt.Sprintf("mining-%d", first),
		})
		if !refused(result.Rejection) {
			for _, r := range p.rewards {
				r.Withdrawal, r.Address = result.Withdrawal.ID, m.Address
				s.rewarded(r)
			}
			s.listen()
			return
		}
	}
	for _, r := range p.rewards {
		r.Status, r.Paid = schema.RewardSuccessful, s.call.at
		s.rewarded(r)
	}
}

// listen lets rewards follow their withdrawals, as far as the command brought these.
func (s *mining) listen() {
	for _, e := range s.call.events {
		changed, is := e.(*schema.WithdrawalChanged)
		if !is {
			continue
		}
		w := changed.Withdrawal
		for _, r := range s.rewards {
			if r.Status != schema.RewardPending || r.Withdrawal == 0 || r.Withdrawal != w.ID {
				continue
			}
			switch w.Status {
			case schema.WithdrawalDone:
				r.Status, r.Tx, r.Paid = schema.RewardSuccessful, w.Tx, s.call.at
			case schema.WithdrawalCanceled, schema.WithdrawalPartial:
				r.Status = schema.RewardCanceled
			default:
				continue
			}
			s.rewarded(r)
		}
	}
}

// pending are the rewards that are not paid, by number.
func (s *mining) pending() (list []*schema.Reward) {
	for _, r := range s.rewards {
		if r.Status == schema.RewardPending {
			list = append(list, r)
		}
	}
	return list
}

// verify holds what is not paid against the places where it can be, and looks at the money of the pool.
func (s *mining) verify() error {
	places := map[schema.RewardID]int{}
	for _, m := range s.all {
		for _, r := range m.waiting {
			places[r.ID]++
		}
		if len(m.waiting) > 0 && !m.External {
			return fmt.Errorf("naive: rewards of mining account %d wait for no address", m.ID)
		}
	}
	for _, p := range s.queue {
		for _, r := range p.rewards {
			places[r.ID]++
		}
	}
	for _, r := range s.rewards {
		if r.Withdrawal != 0 && s.chains.withdrawal(r.Withdrawal) != nil && s.chains.withdrawal(r.Withdrawal).open() {
			places[r.ID]++
		}
		want := 0
		if r.Status == schema.RewardPending {
			want = 1
		}
		if places[r.ID] != want {
			return fmt.Errorf("naive: reward %d is %s and in %d places", r.ID, r.Status, places[r.ID])
		}
	}
	for _, asset := range s.listing.assets {
		if b := s.ledger.balance(miners, schema.Main, asset.ID); b.available.sign() < 0 || b.frozen.sign() != 0 {
			return fmt.Errorf("naive: the pool has %v of asset %d, and %v frozen", b.available.rat(), asset.ID, b.frozen.rat())
		}
	}
	return nil
}
