package core

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// crowdInvests is a machine and the naive exchange with more investments than a tick deals with: 1,120 terms that end at once, and 2,240 investments in
// flex plans.
type crowdInvests struct {
	*testing.T
	*trial
	now schema.Time
}

const (
	crowdAccounts = 40
	crowdFlex     = 56
	crowdTerms    = 28
)

func newCrowdInvests(t *testing.T) *crowdInvests {
	c := &crowdInvests{T: t, trial: newTrial(slice), now: start - start%aDay + 10*anHour}
	for _, birth := range schema.BirthFeatures() {
		c.do(&schema.SetFeature{Feature: birth.Feature, On: true})
	}
	c.do(&schema.SetAsset{Asset: schema.Asset{Ticker: "USD", Class: schema.Crypto, Scale: 8, Precision: 2, CanDeposit: true, CanWithdraw: true}})
	c.do(&schema.FundSystem{Account: schema.Interest, Asset: 1, Amount: fixed.FromInt(1_000_000)})
	term := schema.Plan{
		Name: "term", Kind: schema.FixedPlan, Asset: 1, Payout: 1, Percent: fixed.One, Minutes: 60, Ratio: fixed.One, Min: fixed.One, Status: schema.PlanActive,
	}
	c.do(&schema.SetPlan{Plan: term})
	for i := range crowdFlex {
		c.do(&schema.SetPlan{Plan: schema.Plan{
			Name: fmt.Sprint("flex", i), Kind: schema.FlexPlan, Asset: 1, Payout: 1, Rate: fixed.FromInt(int64(i % 7)), Min: fixed.One, Status: schema.PlanActive,
		}})
	}
	for i := range schema.AccountID(crowdAccounts) {
		a := schema.FirstCustomer + i
		c.do(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("p", i), Region: schema.Global, Partner: true, MultiInvest: true}})
		c.do(&schema.Deposit{Account: a, Asset: 1, Amount: fixed.FromInt(1_000_000)})
	}
	for plan := range schema.PlanID(crowdFlex) {
		for a := range schema.AccountID(crowdAccounts) {
			c.do(&schema.Invest{Account: schema.FirstCustomer + a, Plan: 2 + plan, Amount: fixed.FromInt(int64(100 + a)), Reinvest: (int(a)+int(plan))%3 == 0})
		}
	}
	for range crowdTerms {
		for a := range schema.AccountID(crowdAccounts) {
			c.do(&schema.Invest{Account: schema.FirstCustomer + a, Plan: 1, Amount: fixed.FromInt(int64(100 + a))})
		}
	}
	return c
}

// do applies a command on both.
func (c *crowdInvests) do(cmd schema.Command) (earned int) {
	c.Helper()
	got, want := c.fast.Apply(c.now, cmd), c.slow.Apply(c.now, schema.Origin{}, cmd)
	if r := want.Result.Rejection; r.Refused() {
		c.Fatalf("%T %+v: %s", cmd, cmd, r.Text())
	}
	if err := sameResult(&got.Result, &want.Result); err != nil {
		c.Fatalf("%T %+v: %v", cmd, cmd, err)
	}
	var events []schema.Event
	for e := range got.Events.All() {
		events = append(events, kept(e))
		if _, is := e.(*schema.Earned); is {
			earned++
		}
	}
	if err := c.sameEvents(events, want.Events); err != nil {
		c.Fatalf("%T %+v: %v", cmd, cmd, err)
	}
	return earned
}

// tick lets a tick happen at a moment that leaves so many events of investments, on a machine that begins again from its snapshot.
func (c *crowdInvests) tick(at schema.Time, want int) {
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
	if err := c.compareEarn(); err != nil {
		c.Error(err)
	}
}

// TestManyInvestmentsAgainstNaive: what a tick leaves the next does, whatever comes between them.
func TestManyInvestmentsAgainstNaive(t *testing.T) {
	t.Parallel()
	c := newCrowdInvests(t)
	hour := c.now
	c.tick(hour+anHour, 2000)
	c.tick(hour+anHour+1, 240)
	c.tick(hour+anHour+2, 0)

	// Of seven rates one is zero. A third is reinvested: that is one event more.
	midnight := hour + 14*anHour
	c.tick(midnight-1, 0)
	c.tick(midnight, c.credits(0, 2000))
	c.tick(midnight+1, c.credits(2000, 2240))
	c.tick(midnight+2, 0)

	// The second day is over before the ticks of the first come to an end.
	c.tick(midnight+aDay, c.credits(0, 2000))
	c.tick(midnight+2*aDay, c.credits(0, 2000))
	c.tick(midnight+2*aDay+1, c.credits(2000, 2240))
	c.tick(midnight+2*aDay+2, 0)

	// Nothing is there to pay the next day from, and commands come between the ticks.
	available, _, _ := c.slow.Balance(schema.Interest, schema.Main, 1)
	c.do(&schema.FundSystem{Account: schema.Interest, Asset: 1, Amount: available.Neg()})
	c.tick(midnight+3*aDay, 0)
	c.do(&schema.Divest{Account: schema.FirstCustomer + 39, Plan: 57, All: true})
	c.do(&schema.SetReinvest{Account: schema.FirstCustomer + 38, Plan: 57, On: true})
	c.tick(midnight+3*aDay+1, 0)
	c.do(&schema.FundSystem{Account: schema.Interest, Asset: 1, Amount: fixed.FromInt(1_000_000)})
	owed := len(c.slow.InterestOwed())
	c.tick(midnight+3*aDay+2, owed)
	c.tick(midnight+3*aDay+3, 0)
}

// credits is how many events the credits of the investments between two places leave.
func (c *crowdInvests) credits(from, to int) (events int) {
	for i := from; i < to; i++ {
		plan, account := i/crowdAccounts, i%crowdAccounts
		if plan%7 == 0 {
			continue
		}
		events++
		if (account+plan)%3 == 0 {
			events++
		}
	}
	return events
}
