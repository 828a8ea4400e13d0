package conform_test

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// invests offers plans, in which alice invests: one ends after a minute, with its interest.
func (v venue) invests() {
	usdt := v.asset("USDT")
	v.Do(&schema.FundSystem{Account: schema.Interest, Asset: usdt, Amount: fixed.FromInt(10000)})
	for _, p := range []schema.Plan{
		{Name: "minute", Kind: schema.FixedPlan, Percent: fixed.FromUnits(5, 1), Minutes: 1, Ratio: fixed.One, Max: fixed.FromInt(1000)},
		{Name: "ten-days", Kind: schema.FixedPlan, Percent: fixed.FromUnits(25, 1), Minutes: 14400, Ratio: fixed.One, Max: fixed.FromInt(5000), Cap: fixed.FromInt(100000)},
		{Name: "flex", Kind: schema.FlexPlan, Rate: fixed.FromUnits(15, 2), Max: fixed.FromInt(50000)},
		{Name: "flex-low", Kind: schema.FlexPlan, Rate: fixed.FromUnits(12, 2), Max: fixed.FromInt(50000)},
	} {
		p.Asset, p.Payout, p.Min, p.Status = usdt, usdt, fixed.FromInt(10), schema.PlanActive
		v.Do(&schema.SetPlan{Plan: p})
	}
	account := v.account("alice").ID
	v.Do(&schema.Invest{Account: account, Plan: 1, Amount: fixed.FromInt(400)})
	v.Do(&schema.Invest{Account: account, Plan: 3, Amount: fixed.FromInt(2500), Reinvest: true})
	v.Do(&schema.Invest{Account: account, Plan: 3, Amount: fixed.FromInt(500), Reinvest: true})
	v.Do(&schema.Invest{Account: account, Plan: 4, Amount: fixed.FromInt(100)})
}

// divests closes what alice has in a plan, hours later, with what it earned, and begins again.
func (v venue) divests() {
	account := v.account("alice").ID
	v.Do(&schema.Divest{Account: account, Plan: 4, All: true})
	v.Do(&schema.Invest{Account: account, Plan: 4, Amount: fixed.FromInt(100)})
}
