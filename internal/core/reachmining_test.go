package core

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestMiningWorldsReachTheirRules: a comparison is worth what its worlds come to. These are the answers and outcomes that a few hundred worlds of miners
// must see.
func TestMiningWorldsReachTheirRules(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(200) {
		r := &dice{rand.New(rand.NewPCG(seed, 0))}
		w := &mineWorld{now: start, oracle: naive.New()}
		s := &mineSeer{mineWorld: w, seen: seen}
		apply := func(m moment) naive.Outcome {
			out := w.oracle.Apply(m.at, m.from, m.cmd)
			s.see(m, &out)
			return out
		}
		for _, m := range w.birth(r) {
			m.at = w.now
			apply(m)
		}
		for range w.length(r) {
			m := w.next(r)
			w.learn(r, m, apply(m).Result)
		}
	}
	want := []string{
		"*schema.Tick: new to pending", "*schema.ReportShares: new to pending", "*schema.Tick: pending to bound", "*schema.Tick: pending to main",
		"*schema.Tick: bound to successful", "*schema.MineSandbox: bound to successful", "*schema.SettleWithdrawal: bound to successful",
		"*schema.SettleWithdrawal: bound to canceled", "*schema.DecideWithdrawal: bound to canceled", "*schema.Tick: bound at once to successful",
		"*schema.BlockSub: bound to canceled", "a master confirms a payout", "a payout waits for a master", "a payout is reviewed", "an address does not count",
		"*schema.Tick: five minutes end", "*schema.ReportShares: five minutes end", "the greatest sum of five minutes", "the greatest work of a day",
		"several rewards leave together", "a hundred rewards leave together", "a payout is refused", "a payout is one of the node", "the pool is dry",
		"the first is paid and more wait", "mining repays what a chain is owed", "somebody blocked is paid", "a sub-account is paid", "work of who is barred",
		"a reward of the least", "a day of a million", "a reward in 18 decimals", "a link is forgotten",
		"the fund becomes too small", "the fund is large enough again", "somebody becomes unlucky", "somebody becomes lucky again", "a day is closed after a later one",
	}
	for command, reasons := range map[schema.Command][]schema.Reason{
		&schema.SetPool{}:     {schema.OK, schema.PoolInvalid},
		&schema.SetPoolRate{}: {schema.OK, schema.PoolOff, schema.PoolRateInvalid, schema.PoolRateJumps},
		&schema.OpenMining{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.PoolOff, schema.MiningInvalid, schema.MiningNameTaken, schema.MiningTooMany,
		},
		&schema.BarMining{}: {schema.OK, schema.MiningUnknown},
		&schema.SetMiningPayout{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.MiningUnknown, schema.PoolPayoutOff, schema.WithdrawAddressInvalid,
		},
		&schema.WatchMining{}:  {schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.WatchInvalid, schema.MiningUnknown, schema.WatchesTooMany},
		&schema.LeasePool{}:    {schema.OK},
		&schema.ReportShares{}: {schema.OK, schema.PoolLeaseUnknown, schema.PoolReportOutOfOrder, schema.PoolOff, schema.PoolReportInvalid},
		&schema.FoundBlock{}:   {schema.OK, schema.PoolLeaseUnknown, schema.PoolReportInvalid, schema.BlockKnown},
		&schema.FundSystem{}:   {schema.OK, schema.MoveNotCovered},
		&schema.DeleteSub{}:    {schema.OK, schema.SubNotEmpty},
	} {
		for _, reason := range reasons {
			want = append(want, fmt.Sprintf("%T %s", command, reason))
		}
	}
	slices.Sort(want)
	for _, what := range want {
		if seen[what] < 3 {
			t.Errorf("the worlds came %d times to: %s", seen[what], what)
		}
		t.Logf("%s: %d times", what, seen[what])
	}
}

// mineSeer notes what worlds come to.
type mineSeer struct {
	*mineWorld
	seen    map[string]int
	rewards []schema.Reward // as they were last told
	links   int
	short   schema.Time
	unlucky int
}

// see notes what became of a command.
func (s *mineSeer) see(m moment, out *naive.Outcome) {
	s.seen[fmt.Sprintf("%T %s", m.cmd, out.Result.Rejection.Reason)]++
	at := fmt.Sprintf("%T", m.cmd)
	bound := map[schema.WithdrawalID]bool{} // by this command
	together, mined := 0, false
	for _, e := range out.Events {
		switch e := e.(type) {
		case *schema.MiningMeasured:
			s.note(at+": five minutes end", true)
			s.note("the greatest sum of five minutes", e.Work == math.MaxUint64)
		case *schema.RewardChanged:
			if int(e.Reward.ID) > len(s.rewards) {
				s.rewards = append(s.rewards, schema.Reward{})
			}
			was := s.rewards[e.Reward.ID-1]
			s.seeReward(at, was, e.Reward, bound[e.Reward.Withdrawal])
			if s.rewards[e.Reward.ID-1] = e.Reward; was.Status == schema.RewardPending && was.Withdrawal == 0 {
				together++
				bound[e.Reward.Withdrawal] = e.Reward.Withdrawal != 0
			}
			s.note("several rewards leave together", together == 2)
			s.note("a hundred rewards leave together", together == 100)
		case *schema.BalanceChanged:
			if e.Cause == schema.ByMining {
				together, mined = 0, true
			}
			s.note("mining repays what a chain is owed", mined && e.Wallet == schema.Owed && e.Account != schema.House)
		case *schema.WithdrawalChanged:
			_, confirms := m.cmd.(*schema.ConfirmWithdrawal)
			payout := strings.HasPrefix(e.Withdrawal.Unique, "mining-")
			s.note("a payout waits for a master", payout && e.Withdrawal.Status == schema.WithdrawalUnconfirmed)
			s.note("a master confirms a payout", payout && confirms)
			s.note("a payout is one of the node", payout && e.Withdrawal.Chain == mineNode)
			s.note("a payout is reviewed", payout && e.Withdrawal.Status == schema.WithdrawalReview)
		case *schema.SharesReported:
			for _, row := range e.Shares {
				s.note("work of who is barred", s.oracle.Minings()[row.Mining-1].Barred)
			}
		}
	}
	s.seeAfter(m, mined)
}

func (s *mineSeer) note(what string, is bool) {
	if is {
		s.seen[what]++
	}
}

// seeAfter notes what is left after a command.
func (s *mineSeer) seeAfter(m moment, mined bool) {
	links := len(s.oracle.Watches())
	s.note("a link is forgotten", links < s.links)
	s.links = links
	day, _, short, unlucky := s.oracle.PoolHealth()
	s.note("the fund becomes too small", s.short == 0 && short != 0)
	s.note("the fund is large enough again", s.short != 0 && short == 0)
	s.note("somebody becomes unlucky", unlucky > s.unlucky)
	s.note("somebody becomes lucky again", unlucky < s.unlucky)
	s.note("a day is closed after a later one", len(s.rewards) > 0 && s.rewards[len(s.rewards)-1].Day < day)
	s.short, s.unlucky = short, unlucky
	queued := slices.ContainsFunc(s.rewards, func(r schema.Reward) bool {
		return r.Status == schema.RewardPending && r.Withdrawal == 0 && !s.oracle.Minings()[r.Mining-1].External
	})
	_, tick := m.cmd.(*schema.Tick)
	s.note("the pool is dry", tick && queued)
	s.note("the first is paid and more wait", tick && queued && mined)
}

// seeReward notes what became of a reward.
func (s *mineSeer) seeReward(at string, was, now schema.Reward, atOnce bool) {
	what, became := "pending", now.Status.String()
	switch {
	case was.Status == 0:
		what = "new"
	case atOnce:
		what = "bound at once"
	case was.Withdrawal != 0:
		what = "bound"
	}
	switch {
	case was.Withdrawal == 0 && now.Withdrawal != 0:
		became = "bound"
	case now.Status == schema.RewardSuccessful && now.Withdrawal == 0:
		became = "main"
		s.seePaid(now)
	}
	s.note(fmt.Sprintf("%s: %s to %s", at, what, became), true)
	if what == "new" {
		s.note("the greatest work of a day", now.Work == math.MaxUint64)
		s.note("a day of a million", now.Total == fixed.FromInt(1_000_000))
		s.note("a reward of the least", now.Amount == fixed.FromUnits(1, mineScale(now.Asset)))
		s.note("a reward in 18 decimals", cut(now.Amount, 17) != now.Amount)
	}
}

// seePaid notes to whom a reward was paid that stays in main.
func (s *mineSeer) seePaid(r schema.Reward) {
	m := s.oracle.Minings()[r.Mining-1]
	s.note("a payout is refused", m.External && m.Since <= r.Paid)
	s.note("an address does not count", m.External && m.Since > r.Paid)
	for _, a := range s.oracle.Accounts() {
		if a.ID == r.Account {
			s.note("somebody blocked is paid", a.Blocked)
			s.note("a sub-account is paid", a.Parent != 0)
		}
	}
}
