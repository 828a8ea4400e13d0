package core

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// compareMining compares the pool, the accounts that miners work for, the links by which they are seen, and what operators watch.
func (tr *trial) compareMining() error {
	pool := tr.fast.Mining()
	terms, rate := pool.Terms()
	if want, worth := tr.slow.Pool(); terms != want || rate != worth {
		return fmt.Errorf("the pool:\n got %+v %s\nwant %+v %s", terms, rate, want, worth)
	}
	all := tr.slow.Minings()
	for _, want := range all {
		if got, is := pool.Account(want.ID); !is || got != want {
			return fmt.Errorf("mining account:\n got %+v\nwant %+v", got, want)
		}
		if got, is := pool.Named(want.Name); !is || got != want {
			return fmt.Errorf("the mining account %s:\n got %+v\nwant %+v", want.Name, got, want)
		}
		if err := tr.compareLinks(want.ID); err != nil {
			return err
		}
		if err := tr.compareLuck(want.ID); err != nil {
			return err
		}
	}
	if got, is := pool.Account(schema.MiningID(len(all) + 1)); is {
		return fmt.Errorf("a mining account too much: %+v", got)
	}
	for _, a := range tr.fast.Accounts().All() {
		mine := slices.DeleteFunc(slices.Clone(all), func(m schema.MiningAccount) bool { return m.Account != a.ID })
		slices.Reverse(mine)
		if got := pool.Of(a.ID); !slices.Equal(got, mine) {
			return fmt.Errorf("mining accounts of %d:\n got %+v\nwant %+v", a.ID, got, mine)
		}
	}
	if got, want := pool.Blocks(), tr.slow.PoolBlocks(); !slices.Equal(got, want) {
		return fmt.Errorf("blocks of the pool:\n got %+v\nwant %+v", got, want)
	}
	n, sum := pool.Pending()
	if want, all := tr.slow.PendingRewards(); n != want || sum != all {
		return fmt.Errorf("%d rewards of %s are not paid, want %d of %s", n, sum, want, all)
	}
	health := pool.Health()
	day, worth, short, unlucky := tr.slow.PoolHealth()
	if health.Day != day || health.Worth != worth || health.Short != short || health.Unlucky != unlucky {
		return fmt.Errorf("what operators watch:\n got %+v\nwant day %d, worth %s, short %d, %d unlucky", health, day, worth, short, unlucky)
	}
	return nil
}

// compareLuck compares the blocks that were expected of a mining account and that it found.
func (tr *trial) compareLuck(id schema.MiningID) error {
	luck := tr.fast.Mining().Luck(id)
	if expected, found, low := tr.slow.MiningLuck(id); luck.Expected != expected || luck.Found != found || luck.Low() != low {
		return fmt.Errorf("luck of mining account %d:\n got %+v %t\nwant %d %d %t", id, luck, luck.Low(), expected, found, low)
	}
	return nil
}

// compareLinks compares the links that show a mining account.
func (tr *trial) compareLinks(id schema.MiningID) error {
	var links []schema.Watch
	for _, l := range tr.slow.Watches() {
		if slices.Contains(l.Minings, id) {
			links = append(links, l)
		}
		if got, is := tr.fast.Mining().Watch(l.ID); !is || !sameLink(got, l) {
			return fmt.Errorf("link:\n got %+v\nwant %+v", got, l)
		}
	}
	if got := tr.fast.Mining().Watches(id); !slices.EqualFunc(got, links, sameLink) {
		return fmt.Errorf("links to mining account %d:\n got %+v\nwant %+v", id, got, links)
	}
	return nil
}

func sameLink(a, b schema.Watch) bool { return bytes.Equal(wire.Append(nil, &a), wire.Append(nil, &b)) }

// mirrorMining is what events tell of the mining pool.
type mirrorMining struct {
	terms   schema.PoolTerms
	rate    fixed.Decimal
	minings map[schema.MiningID]schema.MiningAccount
	rewards map[schema.RewardID]schema.Reward // that are not paid
	last    schema.RewardID
}

func (r *mirrorMining) see(event schema.Event) error {
	switch e := event.(type) {
	case *schema.PoolChanged:
		r.terms, r.rate = e.Terms, e.Rate
	case *schema.MiningChanged:
		r.minings[e.Mining.ID] = e.Mining
	case *schema.RewardChanged:
		return r.seeReward(&e.Reward)
	}
	return nil
}

// seeReward holds a reward against what it was: it is made once, gets a withdrawal at most once, and ends once.
func (r *mirrorMining) seeReward(now *schema.Reward) error {
	was, pending := r.rewards[now.ID]
	if now.ID == r.last+1 {
		if r.last++; now.Status != schema.RewardPending || now.Withdrawal != 0 || now.Total != now.Fee.Add(now.Amount) || now.Amount.Sign() <= 0 {
			return fmt.Errorf("a reward begins as %+v", *now)
		}
		r.rewards[now.ID] = *now
		return nil
	}
	bound := was.Withdrawal == 0 && now.Withdrawal != 0
	if bound {
		was.Withdrawal, was.Address = now.Withdrawal, now.Address
	}
	if now.Status != schema.RewardPending {
		was.Status, was.Paid, was.Tx = now.Status, now.Paid, now.Tx
	}
	if !pending || was != *now || bound != (now.Status == schema.RewardPending) || (now.Status == schema.RewardSuccessful) != (now.Paid != 0) {
		return fmt.Errorf("a reward that was %+v became %+v", r.rewards[now.ID], *now)
	}
	if r.rewards[now.ID] = *now; now.Status != schema.RewardPending {
		delete(r.rewards, now.ID)
	}
	return nil
}

// same holds what events say against a machine.
func (r *mirrorMining) same(m *Machine) error {
	if terms, rate := m.Mining().Terms(); terms != r.terms || rate != r.rate {
		return fmt.Errorf("by its events the pool is %+v %s, in truth %+v %s", r.terms, r.rate, terms, rate)
	}
	count := 0
	for _, a := range m.Accounts().All() {
		for _, got := range m.Mining().Of(a.ID) {
			if count++; r.minings[got.ID] != got {
				return fmt.Errorf("by its events a mining account is %+v, in truth %+v", r.minings[got.ID], got)
			}
		}
	}
	if count != len(r.minings) {
		return fmt.Errorf("by its events there are %d mining accounts, in truth %d", len(r.minings), count)
	}
	sum := fixed.Zero
	for _, reward := range r.rewards {
		sum = sum.Add(reward.Amount)
	}
	if n, all := m.Mining().Pending(); n != len(r.rewards) || all != sum {
		return fmt.Errorf("by their events %d rewards of %s are not paid, in truth %d of %s", len(r.rewards), sum, n, all)
	}
	return nil
}

// TestMiningAgainstNaive is TestAgainstNaive for the mining pool. The naive exchange adds up with fractions of any size and finds what is due by looking
// at everything; the core does neither.
func TestMiningAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(slice)
		w := &mineWorld{now: start, oracle: tr.slow}
		var log []moment
		send := func(m moment) {
			log = append(log, m)
			if err := sender(tr.apply).run(m); err != nil {
				t.Fatalf("%s", longStory(slices.Clone(log), func() sender { return newTrial(slice).apply }))
			}
			if tr.answer.Rejection.Refused() { // it changed nothing
				log = log[:len(log)-1]
			}
		}
		for _, m := range w.birth(r) {
			m.at = w.now
			send(m)
		}
		for range w.length(r) {
			m := w.next(r)
			send(m)
			w.learn(r, m, tr.answer)
		}
	})
}

// length is for how many commands a world goes on: where rewards wait, until a hundred of them do.
func (w *mineWorld) length(t *dice) int {
	if w.patient {
		return 330
	}
	return 1 + chance(t, 150)
}
