package conform_test

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// earnVenue is an exchange on which money is invested, in USDT and COD; interest is paid out of 1,000 USDT.
type earnVenue struct {
	venue
	t     *testing.T
	clock *clock
	alice trader // a partner
	bob   trader // none
}

// Moments of the clock: it begins at 14:13:20.
const (
	threePM  = schema.Time(1_790_002_800) * schema.Second
	midnight = schema.Time(1_790_035_200) * schema.Second
	hour     = 3600 * schema.Second
)

func newEarnVenue(t *testing.T) *earnVenue {
	t.Helper()
	clock := newClock()
	people := map[string]obj{}
	for name, more := range map[string]obj{"alice": {"partner": true}, "bob": {}, "eve": {"partner": true, "region": "eu"}} {
		people[name] = changed(obj{"deposits": obj{"USDT": "5000", "COD": "100"}, "trade": obj{}}, more)
	}
	v := &earnVenue{operate(t, clock, plain("COD_USDT"), people), t, clock, trader{}, trader{}}
	v.alice, v.bob = v.trader(t, "alice"), v.trader(t, "bob")
	v.Do(&schema.FundSystem{Account: schema.Interest, Asset: v.asset("USDT"), Amount: fixed.FromInt(1000)})
	return v
}

// offers makes a plan and returns its UUID, which lists show.
func (v *earnVenue) offers(p schema.Plan) (plan schema.Plan, id string) {
	v.t.Helper()
	p.Status = schema.PlanActive
	p.ID = schema.PlanID(v.Do(&schema.SetPlan{Plan: p}).ID)
	kind := "smart/plans"
	if p.Kind == schema.FlexPlan {
		kind = "smart-flex/plans"
	}
	all := v.alice.list("main-account/"+kind, nil)
	return p, all[len(all)-1].(map[string]any)["id"].(string)
}

// set changes a plan.
func (v *earnVenue) set(p schema.Plan, change func(*schema.Plan)) {
	change(&p)
	v.Do(&schema.SetPlan{Plan: p})
}

// tenDays pays 10 percent of an investment of USDT.
func (v *earnVenue) tenDays() schema.Plan {
	return schema.Plan{
		Name: "ten-days", Kind: schema.FixedPlan, Asset: v.asset("USDT"), Payout: v.asset("USDT"), Percent: fixed.FromInt(10), Minutes: 14400, Ratio: fixed.One,
		Min: fixed.FromInt(10), Max: fixed.FromInt(1000), Cap: fixed.FromInt(1500),
	}
}

// daily pays a hundred-thousandth of an investment of USDT in an hour.
func (v *earnVenue) daily() schema.Plan {
	return schema.Plan{
		Name: "daily", Kind: schema.FlexPlan, Asset: v.asset("USDT"), Payout: v.asset("USDT"), Rate: fixed.FromUnits(876, 4), Min: fixed.FromInt(10), Max: fixed.FromInt(2000),
	}
}

// goes lets time pass up to a moment, and timers run.
func (v *earnVenue) goes(to schema.Time) {
	v.clock.set(to)
	v.Do(&schema.Tick{})
}

func at(t schema.Time) int { return int(t / schema.Second) }

// noPermission answers who is no partner.
var noPermission = refusal{403, 0, "You don't have permission to use this endpoint. Please contact support for more details", obj{}}

// noPlan is a UUID that no plan has.
const noPlan = "01a0c21a-ac00-8005-8000-0000000000ff"
