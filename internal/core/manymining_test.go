package core

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// crowdMines is a machine and the naive exchange with more mining accounts than a tick deals with: 280 of each of four customers.
type crowdMines struct {
	*testing.T
	*trial
	now schema.Time
}

const (
	crowdMiners = 4
	crowdRigs   = 280
)

func newCrowdMines(t *testing.T) *crowdMines {
	c := &crowdMines{T: t, trial: newTrial(slice), now: start - start%aDay + 10*anHour}
	for _, birth := range schema.BirthFeatures() {
		c.do(&schema.SetFeature{Feature: birth.Feature, On: true})
	}
	c.do(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	c.do(&schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true, Networks: []schema.Network{
		{Name: "sand", Chain: 1, CanDeposit: true, CanWithdraw: true, Confirmations: 1, ConfirmationsForTrading: 1, WithdrawFixed: fixed.One},
	}}})
	c.do(&schema.SetPool{Terms: schema.PoolTerms{Open: true, Asset: 1, Chain: 1, Fee: fixed.FromUnits(5, 2), Least: fixed.One, Accounts: crowdRigs, Links: 100}})
	c.doFrom(schema.Origin{Operator: "olga"}, &schema.SetPoolRate{Rate: fixed.FromInt(4)})
	c.do(&schema.FundSystem{Account: schema.Pool, Asset: 1, Amount: fixed.FromInt(100_000)})
	c.do(&schema.LeasePool{})
	for i := range crowdMiners {
		c.do(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("p", i), Region: schema.Global}})
		for n := range crowdRigs {
			c.do(&schema.OpenMining{Account: schema.FirstCustomer + schema.AccountID(i), Name: fmt.Sprintf("rig_%d_%d", i, n)})
		}
	}
	return c
}

// do applies a command on both, and counts the events of the pool.
func (c *crowdMines) do(cmd schema.Command) (mined int) { return c.doFrom(schema.Origin{}, cmd) }

func (c *crowdMines) doFrom(from schema.Origin, cmd schema.Command) (mined int) {
	c.Helper()
	got, want := c.fast.ApplyFrom(c.now, from, cmd), c.slow.Apply(c.now, from, cmd)
	if r := want.Result.Rejection; r.Refused() {
		c.Fatalf("%T %+v: %s", cmd, cmd, r.Text())
	}
	if err := sameResult(&got.Result, &want.Result); err != nil {
		c.Fatalf("%T %+v: %v", cmd, cmd, err)
	}
	var events []schema.Event
	for e := range got.Events.All() {
		events = append(events, kept(e))
		switch e.(type) {
		case *schema.MiningMeasured, *schema.RewardChanged:
			mined++
		}
	}
	if err := c.sameEvents(events, want.Events); err != nil {
		c.Fatalf("%T %+v: %v", cmd, cmd, err)
	}
	return mined
}

// tick lets a tick happen at a moment that leaves so many events of the pool, on a machine that begins again from its snapshot.
func (c *crowdMines) tick(at schema.Time, want int) {
	c.Helper()
	restored, err := Restore(c.fast.Snapshot())
	if err != nil {
		c.Fatal(err)
	}
	c.fast, c.now = restored, at
	if got := c.do(&schema.Tick{}); got != want {
		c.Errorf("at %s there were %d events instead of %d", at, got, want)
	}
	if err := c.fast.Verify(); err != nil {
		c.Error(err)
	}
	if err := c.compareTimers(); err != nil {
		c.Error(err)
	}
	if err := c.compareMining(); err != nil {
		c.Error(err)
	}
}

// work lets every mining account bring work that is worth four bitcoins, the last first, and the five minutes end.
func (c *crowdMines) work() {
	c.Helper()
	_, reports := c.slow.Leases()
	for part, size := range []int{crowdMiners*crowdRigs - 200, 200} {
		report := &schema.ReportShares{Lease: 1, Seq: reports[0] + 1 + uint64(part)}
		for i := range size {
			id := schema.MiningID(crowdMiners*crowdRigs - i)
			if part == 1 {
				id = schema.MiningID(size - i)
			}
			report.Shares = append(report.Shares, schema.Shares{Mining: id, Bits: mineBits[0], Work: 1, Accepted: 1})
		}
		c.do(report)
	}
	c.tick(c.now+5*aMinute, 1000)
	c.tick(c.now+1, 120)
	c.tick(c.now+1, 0)
}

// TestManyMinersAgainstNaive: what a tick leaves the next does, whatever comes between them.
func TestManyMinersAgainstNaive(t *testing.T) {
	t.Parallel()
	c := newCrowdMines(t)
	midnight := c.now + 14*anHour
	c.work()

	// The accounts of the last customer are paid to addresses, most from 20:00 of the next day on, thirty of them a minute later.
	evening := midnight - 4*anHour
	for _, later := range []bool{false, true} {
		c.now = evening
		if later {
			c.now += aMinute
		}
		for i := range schema.MiningID(crowdRigs) {
			if (i%9 == 0 && i < 270) == later {
				id := crowdMiners*crowdRigs - i
				c.do(&schema.SetMiningPayout{Account: schema.FirstCustomer + crowdMiners - 1, Mining: id, External: true, Address: fmt.Sprint("r", id)})
			}
		}
	}

	// Those of the last customer are closed first, and wait; 720 are paid in the tick that closes them.
	c.tick(midnight, 1000+720)
	c.tick(midnight+1, 120+120)
	c.tick(midnight+2, 0)
	c.tick(evening+aDay, 100)
	c.tick(evening+aDay+1, 100)
	c.tick(evening+aDay+2, 50)
	c.tick(evening+aDay+3, 0)
	c.tick(evening+aDay+aMinute, 30)
	c.do(&schema.MineSandbox{Chain: 1, Blocks: 3})

	// Of two days nothing is paid, and then all of it, a thousand rewards a tick.
	available, _, _ := c.slow.Balance(schema.Pool, schema.Main, 1)
	c.do(&schema.FundSystem{Account: schema.Pool, Asset: 1, Amount: available.Neg()})
	for day := range schema.Time(2) {
		c.work()
		c.tick(midnight+(1+day)*aDay, 1000)
		c.tick(midnight+(1+day)*aDay+1, 120)
		c.tick(midnight+(1+day)*aDay+2, 0)
	}
	c.do(&schema.FundSystem{Account: schema.Pool, Asset: 1, Amount: fixed.FromInt(100_000)})
	c.tick(c.now+1, 1000)
	c.do(&schema.SetMiningPayout{Account: schema.FirstCustomer + crowdMiners - 1, Mining: crowdMiners * crowdRigs})
	c.tick(c.now+1, 1000)
	c.tick(c.now+1, 240)
	c.tick(c.now+1, 0)
}

// TestManyLinksAgainstNaive: links are forgotten a thousand a tick.
func TestManyLinksAgainstNaive(t *testing.T) {
	t.Parallel()
	c := newCrowdMines(t)
	for i := range schema.MiningID(1100) {
		life := 3600 + uint32(i*7%3)
		c.do(&schema.WatchMining{Account: schema.FirstCustomer, Name: "l", Minings: []schema.MiningID{1 + i/100}, Rights: 1, Life: life})
	}
	over := c.now + anHour + 2*schema.Second // of those that live longest; all others are over before, and forgotten first
	c.tick(over, 0)
	if list := c.slow.Watches(); len(list) != 100 || list[0].Until != over || list[99].ID != 1098 {
		c.Errorf("%d links are left, the first until %s", len(list), list[0].Until)
	}
	c.tick(over+1, 0)
	if list := c.slow.Watches(); len(list) != 0 {
		c.Errorf("%d links are left", len(list))
	}
	c.do(&schema.WatchMining{Account: schema.FirstCustomer, Name: "l", Minings: []schema.MiningID{1}, Rights: 1})
}
