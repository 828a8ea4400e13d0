package earn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestPlansAreChecked(t *testing.T) {
	x := open(t)
	edit := func(p schema.Plan, edits ...func(*schema.Plan)) *schema.SetPlan {
		p.Name = "other"
		return &schema.SetPlan{Plan: edited(p, edits)}
	}
	for i, tt := range []struct {
		plan schema.Plan
		edit func(*schema.Plan)
		want schema.Reason
	}{
		{termPlan(), func(*schema.Plan) {}, schema.OK},
		{termPlan(), func(p *schema.Plan) { p.ID = 9 }, schema.PlanUnknown},
		{termPlan(), func(p *schema.Plan) { p.Name = "" }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Name = "a b" }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Name = "ä" }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Name = strings.Repeat("x", 65) }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Name = strings.Repeat("x", 64) }, schema.OK},
		{termPlan(), func(p *schema.Plan) { p.Name = "aZ09_-." }, schema.OK},
		{termPlan(), func(p *schema.Plan) { p.Name = "flex" }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.ID, p.Name = term, "flex" }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.ID, p.Name = term, "renamed" }, schema.OK},
		{termPlan(), func(p *schema.Plan) { p.ID, p.Name = term, "term" }, schema.OK},
		{termPlan(), func(p *schema.Plan) { p.Kind = 0 }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Kind = 3 }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Status = 0 }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Status = 5 }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Regions = 1 }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Asset = 3 }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Payout = 0 }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Min = fixed.Zero }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Min = d("-1") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Min = d("1.001") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Max = d("1000.001") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Cap = d("3000.001") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Max = d("0.99") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Name, p.Max = "same", d("1") }, schema.OK},
		{termPlan(), func(p *schema.Plan) { p.Max = d("-1") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Name, p.Max, p.Cap = "unbound", fixed.Zero, fixed.Zero }, schema.OK},
		{termPlan(), func(p *schema.Plan) { p.Cap = d("-1") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Percent = fixed.Zero }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Percent = d("1000.000001") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Percent = d("0.0000001") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Name, p.Percent = "most", d("1000") }, schema.OK},
		{termPlan(), func(p *schema.Plan) { p.Minutes = 0 }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Minutes = 5_256_001 }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Name, p.Minutes = "long", 5_256_000 }, schema.OK},
		{termPlan(), func(p *schema.Plan) { p.Ratio = d("2") }, schema.PlanInvalid},
		{termPlan(), func(p *schema.Plan) { p.Rate = d("1") }, schema.PlanInvalid},
		{mixedPlan(), func(p *schema.Plan) { p.Ratio = fixed.Zero }, schema.PlanInvalid},
		{mixedPlan(), func(p *schema.Plan) { p.Ratio = d("0.000000001") }, schema.PlanInvalid},
		{mixedPlan(), func(p *schema.Plan) { p.Name, p.Ratio = "ratio", d("0.00000001") }, schema.OK},
		{flexPlan(), func(p *schema.Plan) { p.Payout = coin }, schema.PlanInvalid},
		{flexPlan(), func(p *schema.Plan) { p.Percent = d("1") }, schema.PlanInvalid},
		{flexPlan(), func(p *schema.Plan) { p.Minutes = 1 }, schema.PlanInvalid},
		{flexPlan(), func(p *schema.Plan) { p.Ratio = fixed.One }, schema.PlanInvalid},
		{flexPlan(), func(p *schema.Plan) { p.Rate = d("-0.1") }, schema.PlanInvalid},
		{flexPlan(), func(p *schema.Plan) { p.Rate = d("10.000000001") }, schema.PlanInvalid},
		{flexPlan(), func(p *schema.Plan) { p.Rate = d("0.0000000001") }, schema.PlanInvalid},
		{flexPlan(), func(p *schema.Plan) { p.Name, p.Rate = "fast", d("10") }, schema.OK},
		{flexPlan(), func(p *schema.Plan) { p.Name, p.Rate = "slow", d("0.000000001") }, schema.OK},
		{flexPlan(), func(p *schema.Plan) { p.Name, p.Rate = "nothing", fixed.Zero }, schema.OK},
	} {
		if r := x.do(noon, edit(tt.plan, tt.edit), tt.want); r.Reason != tt.want {
			t.Errorf("plan %d", i)
		}
	}
	if p := x.PlanByName("renamed"); p != nil {
		t.Errorf("%+v", p)
	}
	if p := x.PlanByName("term"); p == nil || p.ID != term || p.Created != noon-day {
		t.Errorf("%+v", p)
	}
}

// TestAPlanIsAnnounced with the number and the moment that are the exchange's.
func TestAPlanIsAnnounced(t *testing.T) {
	x := open(t)
	p := flexPlan(func(p *schema.Plan) { p.Name, p.Created, p.Regions, p.Private = "eu", 5, schema.In(schema.EU), true })
	x.do(noon, &schema.SetPlan{Plan: p}, schema.OK)
	p.ID, p.Created = 4, noon
	if x.out.Result.ID != 4 || *x.Plan(4) != p || x.PlanByName("eu") != x.Plan(4) || len(x.Plans()) != 4 {
		t.Errorf("%d %+v", x.out.Result.ID, x.Plan(4))
	}
	if events := x.out.Events.Settings(); len(events) != 1 || events[0].(*schema.PlanChanged).Plan != p {
		t.Errorf("%+v", events)
	}
}

func TestSoManyPlans(t *testing.T) {
	x := open(t)
	for n := len(x.Plans()); n < mostPlans; n++ {
		x.must(noon, &schema.SetPlan{Plan: termPlan(func(p *schema.Plan) { p.Name = fmt.Sprint(n) })})
	}
	next := &schema.SetPlan{Plan: termPlan(func(p *schema.Plan) { p.Name = "next" })}
	if r := x.do(noon, next, schema.PlansTooMany); r.Value != d("1000") {
		t.Errorf("the refusal says %s", r.Value)
	}
	next.Plan.ID = 1000
	x.do(noon, next, schema.OK)
}

// TestAUsedPlanKeepsItsTerms, also when nobody has anything there any more; what is not part of the terms may change.
func TestAUsedPlanKeepsItsTerms(t *testing.T) {
	x := open(t)
	x.do(noon, &schema.SetPlan{Plan: mixedPlan(func(p *schema.Plan) { p.ID, p.Percent = mixed, d("4") })}, schema.OK)
	x.do(noon, invest(alice, mixed, "100"), schema.OK)
	x.do(noon, end(alice, 1), schema.OK)
	x.do(noon, invest(alice, flexed, "100"), schema.OK)
	for _, edit := range []func(*schema.Plan){
		func(p *schema.Plan) { p.Percent = d("3") },
		func(p *schema.Plan) { p.Minutes = 61 },
		func(p *schema.Plan) { p.Ratio = d("39999") },
		func(p *schema.Plan) { p.Asset = coin },
		func(p *schema.Plan) { p.Payout, p.Ratio = dollar, fixed.One },
	} {
		x.do(noon, &schema.SetPlan{Plan: edited(*x.Plan(mixed), []func(*schema.Plan){edit})}, schema.PlanInvalid)
	}
	x.do(noon, &schema.SetPlan{Plan: flexPlan(func(p *schema.Plan) { p.ID, p.Asset, p.Payout = flexed, coin, coin })}, schema.PlanInvalid)
	x.do(noon, &schema.SetPlan{Plan: termPlan(func(p *schema.Plan) { p.ID, p.Name = flexed, "flex" })}, schema.PlanInvalid)
	x.do(noon, &schema.SetPlan{Plan: flexPlan(func(p *schema.Plan) {
		p.ID, p.Rate, p.Min, p.Max, p.Cap, p.Status, p.Regions, p.Private = flexed, d("1"), d("1"), d("2"), d("3"), schema.PlanPaused, schema.In(schema.EU), true
	})}, schema.OK)
	x.do(noon, &schema.SetPlan{Plan: flexPlan(func(p *schema.Plan) { p.ID, p.Name = term, "term" })}, schema.OK) // nobody invested in it
}

// TestPrivatePlansAreAssigned to accounts, and seen by their sub-accounts, too.
func TestPrivatePlansAreAssigned(t *testing.T) {
	x := open(t)
	assign := func(plan schema.PlanID, account schema.AccountID, on bool) *schema.AssignPlan {
		return &schema.AssignPlan{Plan: plan, Account: account, On: on}
	}
	x.with(term, func(p *schema.Plan) { p.Private = true })
	sees := func(want ...schema.AccountID) {
		t.Helper()
		for _, account := range []schema.AccountID{alice, ben, carl, sub, schema.House, 999} {
			if got := x.Sees(account, term); got != slices.Contains(want, account) {
				t.Errorf("account %d sees it: %v", account, got)
			}
		}
	}
	sees()
	x.do(noon, assign(9, alice, true), schema.PlanUnknown)
	x.do(noon, assign(term, schema.House, true), schema.AccountUnknown)
	x.do(noon, assign(term, 999, true), schema.AccountUnknown)
	x.do(noon, assign(term, ben, false), schema.OK)
	x.do(noon, assign(term, sub, true), schema.OK)
	sees(sub)
	x.do(noon, assign(term, ben, true), schema.OK)
	x.do(noon, assign(term, alice, true), schema.OK)
	if e := x.out.Events.Settings(); len(e) != 1 || e[0].(*schema.PlanAssigned).Assigned != *assign(term, alice, true) {
		t.Errorf("%+v", e)
	}
	x.do(noon, assign(term, sub, false), schema.OK)
	sees(alice, ben, sub)
	if got := x.Assigned(term); !slices.Equal(got, []schema.AccountID{alice, ben}) {
		t.Errorf("assigned to %d", got)
	}
	x.with(term, func(p *schema.Plan) { p.Regions = schema.In(schema.EU) })
	sees()
	for n := len(x.Assigned(term)); n < mostAssigned; n++ {
		x.must(noon, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprint(n), Region: schema.EU}})
		x.must(noon, assign(term, schema.AccountID(x.out.Result.ID), true))
	}
	if r := x.do(noon, assign(term, carl, true), schema.PlansTooMany); r.Value != d("1000") {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(noon, assign(term, ben, true), schema.OK) // has it already
	x.do(noon, assign(term, ben, false), schema.OK)
	x.do(noon, assign(term, carl, true), schema.OK)
}
