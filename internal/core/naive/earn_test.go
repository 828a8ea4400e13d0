package naive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	fixedID schema.PlanID = iota + 1
	flexID
)

// today is a midnight.
const today = noon - noon%fullDay

// newEarn is a world at 10:00 where anna and ben are partners and have 1000 USD in main, which has 2 decimals, and interest has 500 USD. The fixed
// plan pays 3 % of dollars after 2 hours, the flex plan 0.876 in a year: a ten thousandth in an hour.
func newEarn(t *testing.T) *world {
	w := newWorld(t)
	w.time = today + 10*hour - 100
	for i, name := range []string{"anna", "ben"} {
		id := anna + schema.AccountID(i)
		w.must(&schema.SetAccount{Account: schema.Account{ID: id, Name: name, Region: schema.Global, Partner: true}})
		w.must(&schema.Deposit{Account: id, Asset: usd, Amount: d("1000")})
	}
	w.must(fund("500"))
	if w.must(&schema.SetPlan{Plan: fixedPlan()}).ID != uint64(fixedID) || w.must(&schema.SetPlan{Plan: flexPlan()}).ID != uint64(flexID) {
		t.Errorf("the last plan is %d", w.last.Result.ID)
	}
	w.time = today + 10*hour - 1
	return w
}

func fixedPlan() schema.Plan {
	return schema.Plan{
		Name: "fixed", Kind: schema.FixedPlan, Asset: usd, Payout: usd, Percent: d("3"), Minutes: 120, Ratio: d("1"),
		Min: d("10"), Status: schema.PlanActive,
	}
}

func flexPlan() schema.Plan {
	return schema.Plan{Name: "flex", Kind: schema.FlexPlan, Asset: usd, Payout: usd, Rate: d("0.876"), Min: d("10"), Status: schema.PlanActive}
}

func fund(amount string) *schema.FundSystem {
	return &schema.FundSystem{Account: schema.Interest, Asset: usd, Amount: d(amount)}
}

func invests(a schema.AccountID, plan schema.PlanID, amount string) *schema.Invest {
	return &schema.Invest{Account: a, Plan: plan, Amount: d(amount)}
}

func drawn(a schema.AccountID, amount string) *schema.Divest {
	return &schema.Divest{Account: a, Plan: flexID, Amount: d(amount)}
}

// at applies a command at a moment of the day with which the world begins.
func (w *world) at(moment schema.Time, c schema.Command) schema.Result {
	w.t.Helper()
	w.time = today + moment - 1
	result := w.must(c)
	if err := w.Verify(); err != nil {
		w.t.Error(err)
	}
	return result
}

// earned compares what the last command made happen to investments and to what belongs to plans.
func (w *world) earned(want ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.InvestmentChanged:
			v := e.Investment
			what := fmt.Sprintf("%d has %s", v.ID, v.Amount)
			if v.Closed {
				what += " closed"
			}
			if !v.Interest.IsZero() {
				what += fmt.Sprintf(" for %s, paid %s", v.Interest, v.Paid)
			}
			if v.Reinvest {
				what += " again"
			}
			got = append(got, what)
		case *schema.Earned:
			got = append(got, fmt.Sprintf("%d: %d %s %s", e.ID, e.Investment, e.Action, e.Amount))
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("this happened:\n got %q\nwant %q", got, want)
	}
}

// saved compares what an account has in main and in earn, and what interest has.
func (w *world) saved(a schema.AccountID, main, earn, interest, frozen string) {
	w.t.Helper()
	inMain, _, _ := w.Balance(a, schema.Main, usd)
	inEarn, _, _ := w.Balance(a, schema.Earn, usd)
	available, kept, _ := w.Balance(schema.Interest, schema.Main, usd)
	got := []fixed.Decimal{inMain, inEarn, available, kept}
	if want := []fixed.Decimal{d(main), d(earn), d(interest), d(frozen)}; !slices.Equal(got, want) {
		w.t.Errorf("account %d has in main and earn, and interest available and frozen:\n got %v\nwant %v", a, got, want)
	}
}

// TestTerm: 3 % of 100.99 are 3.0297, of which 3.02 can be paid.
func TestTerm(t *testing.T) {
	w := newEarn(t)
	if id := w.at(10*hour, invests(anna, fixedID, "100.99")).ID; id != 1 {
		t.Errorf("the investment is %d", id)
	}
	w.happened(
		"101 main of 2 by investment for 1: 899.01 0", "101 earn of 2 by investment for 1: 100.99 0", "11 main of 2 by investment for 1: 496.98 3.02",
		"*schema.InvestmentChanged", "*schema.Earned",
	)
	w.earned("1 has 100.99 for 3.02, paid 0", "1: 1 began 100.99")
	want := schema.Investment{
		ID: 1, Account: anna, Plan: fixedID, Amount: d("100.99"), Interest: d("3.02"), Due: today + 12*hour, Created: today + 10*hour, Updated: today + 10*hour,
	}
	if got := w.Investments(); len(got) != 1 || got[0] != want {
		t.Errorf("investments: %+v", got)
	}
	w.timer(today + 12*hour)
	w.refused(because(schema.InvestmentExists), invests(anna, fixedID, "10"))
	w.refused(about(schema.MoveNotCovered, whole(49698).over(hundred)), fund("-496.99"))

	w.at(12*hour-1, &schema.Tick{})
	w.earned()
	w.must(&schema.SetPlan{Plan: *with(ptr(fixedPlan()), func(p *schema.Plan) { p.ID, p.Status = fixedID, schema.PlanInactive })}) // it is paid all the same
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global, Blocked: true}})
	w.at(12*hour+2, &schema.Tick{})
	w.earned("1 has 100.99 closed for 3.02, paid 3.02", "2: 1 principal 100.99", "3: 1 interest 3.02")
	w.saved(anna, "1003.02", "0", "496.98", "0")
	w.noTimer()
}

func ptr[T any](v T) *T { return &v }

// TestTermInAnotherAsset: 2.5 % of 300 USD are 7.5 USD, at 40000 USD for a bitcoin 0.0001875.
func TestTermInAnotherAsset(t *testing.T) {
	w := newEarn(t)
	p := fixedPlan()
	p.Name, p.Payout, p.Percent, p.Ratio = "other", btc, d("2.5"), d("40000")
	w.must(&schema.SetPlan{Plan: p})
	w.refused(because(schema.InterestNotCovered), invests(anna, 3, "300"))
	w.must(&schema.FundSystem{Account: schema.Interest, Asset: btc, Amount: d("0.0001875")})
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global, Partner: true, MultiInvest: true}})
	w.refused(because(schema.InterestNotCovered), invests(anna, 3, "300.02")) // 0.00018751 25
	w.at(10*hour, invests(anna, 3, "300.01"))                                 // 0.00018750 625
	w.refused(because(schema.InterestNotCovered), invests(anna, 3, "10"))
	w.at(12*hour+10, &schema.Tick{})
	w.earned("1 has 300.01 closed for 0.0001875, paid 0.0001875", "2: 1 principal 300.01", "3: 1 interest 0.0001875")
	w.main(anna, btc, "0.0001875")
	w.saved(anna, "1000", "0", "500", "0")
}

func TestTermGivenUp(t *testing.T) {
	w := newEarn(t)
	w.at(10*hour, invests(anna, fixedID, "100"))
	gives := &schema.Divest{Account: anna, Investment: 1}
	w.refused(because(schema.InvestmentUnknown), &schema.Divest{Account: ben, Investment: 1})
	w.refused(because(schema.InvestmentUnknown), &schema.Divest{Account: anna, Investment: 2})
	w.refused(because(schema.InvestmentUnknown), &schema.Divest{Account: anna, Plan: fixedID, All: true})
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global}}) // no partner any more
	if id := w.at(12*hour-1, gives).ID; id != 1 {
		t.Errorf("the result is %d", id)
	}
	w.earned("1 has 100 closed for 3, paid 0", "2: 1 principal 100")
	w.saved(anna, "1000", "0", "500", "0")
	w.refused(because(schema.InvestmentUnknown), gives)

	w.at(13*hour, invests(ben, fixedID, "100"))
	w.time = today + 15*hour - 1
	w.refused(because(schema.InvestmentUnknown), &schema.Divest{Account: ben, Investment: 2}) // its term is over, though no tick paid it yet
}

// TestTermsEndInOrder: by their ends, then by their numbers, so many with a tick.
func TestTermsEndInOrder(t *testing.T) {
	w := newEarn(t)
	w.EarnEnds = 2
	p := fixedPlan()
	p.Name, p.Minutes = "short", 60
	w.must(&schema.SetPlan{Plan: p})
	w.at(10*hour, invests(anna, fixedID, "10"))
	w.at(11*hour, invests(ben, 3, "10"))
	w.at(11*hour-30*minute, invests(anna, 3, "10")) // at 11:00 all the same
	w.at(11*hour+30*minute, invests(ben, fixedID, "10"))
	w.at(14*hour, &schema.Tick{})
	w.earned("1 has 10 closed for 0.3, paid 0.3", "5: 1 principal 10", "6: 1 interest 0.3", "2 has 10 closed for 0.3, paid 0.3", "7: 2 principal 10", "8: 2 interest 0.3")
	w.at(14*hour+1, &schema.Tick{})
	w.earned("3 has 10 closed for 0.3, paid 0.3", "9: 3 principal 10", "10: 3 interest 0.3", "4 has 10 closed for 0.3, paid 0.3", "11: 4 principal 10", "12: 4 interest 0.3")
}

func TestInvestRefusals(t *testing.T) {
	w := newEarn(t)
	set := func(id schema.PlanID, change func(*schema.Plan)) {
		t.Helper()
		p := fixedPlan()
		if id == flexID {
			p = flexPlan()
		}
		p.ID = id
		change(&p)
		w.must(&schema.SetPlan{Plan: p})
	}
	both := func(fixed, flex schema.Rejection, change func(*schema.Plan)) {
		t.Helper()
		set(fixedID, change)
		set(flexID, change)
		w.refused(fixed, invests(anna, fixedID, "100"))
		w.refused(flex, invests(anna, flexID, "100"))
	}
	w.refused(because(schema.AccountUnknown), invests(99, fixedID, "100"))
	w.refused(because(schema.NoPermission), invests(carl, 9, "100"))
	w.refused(because(schema.PlanUnknown), invests(anna, 9, "100"))
	w.refused(because(schema.PlanUnknown), invests(anna, 0, "100"))
	both(because(schema.PlanUnknown), because(schema.PlanUnknown), func(p *schema.Plan) { p.Regions, p.Status = 4, schema.PlanPaused })
	both(because(schema.PlanUnknown), because(schema.PlanPrivate), func(p *schema.Plan) { p.Private, p.Status = true, schema.PlanPaused })
	both(because(schema.PlanIsInactive), because(schema.PlanUnknown), func(p *schema.Plan) { p.Status = schema.PlanInactive })
	both(because(schema.PlanIsPaused), because(schema.PlanIsPaused), func(p *schema.Plan) { p.Status = schema.PlanPaused })
	both(because(schema.PlanIsSoldOut), because(schema.PlanIsSoldOut), func(p *schema.Plan) { p.Status = schema.PlanSoldOut })
	both(about(schema.PlanSpent, whole(50)), because(schema.InvestmentAboveLimit), func(p *schema.Plan) { p.Cap, p.Max = d("50"), d("60") })
	both(because(schema.InvestmentBelowMin), because(schema.InvestmentBelowMin), func(p *schema.Plan) { p.Min = d("100.01") })
	both(because(schema.InvestmentAboveMax), because(schema.InvestmentAboveMax), func(p *schema.Plan) { p.Max = d("99.99") })
	set(fixedID, func(p *schema.Plan) { p.Percent = d("0.000001") })
	w.refused(because(schema.InterestTooSmall), invests(anna, fixedID, "10"))
	for _, id := range []schema.PlanID{fixedID, flexID} {
		w.refused(about(schema.MoveNotPositive, unit(2)), invests(anna, id, "-1"))
		w.refused(about(schema.MoveTooPrecise, whole(2)), invests(anna, id, "100.001"))
	}
	if got := w.Investments(); len(got) != 0 {
		t.Errorf("investments: %+v", got)
	}
}

// TestInvestedMustBeFree: 900 of 1900 are held.
func TestInvestedMustBeFree(t *testing.T) {
	w := newEarn(t)
	w.must(&schema.Deposit{Account: anna, Asset: usd, Amount: d("900"), Held: true})
	for _, id := range []schema.PlanID{fixedID, flexID} {
		w.refused(about(schema.InvestmentNotCovered, whole(1000)), invests(anna, id, "1000.01"))
	}
	w.must(&schema.Transfer{Account: anna, Asset: usd, Amount: d("1001"), From: schema.Main, To: schema.Trade})
	w.refused(about(schema.InvestmentNotCovered, num{}), invests(anna, fixedID, "10"))
	w.must(&schema.Transfer{Account: anna, Asset: usd, Amount: d("1001"), From: schema.Trade, To: schema.Main})
	w.must(invests(anna, fixedID, "400"))
	w.must(invests(anna, flexID, "600"))
}

// TestHundredInvestments: more money for an investment that there is makes none more.
func TestHundredInvestments(t *testing.T) {
	w := newEarn(t)
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global, Partner: true, MultiInvest: true}})
	p := fixedPlan()
	p.Min, p.Percent, p.ID = d("1"), d("100"), fixedID
	w.must(&schema.SetPlan{Plan: p})
	w.at(10*hour, invests(anna, flexID, "100"))
	for range 99 {
		w.must(invests(anna, fixedID, "1"))
	}
	w.refused(about(schema.InvestmentsTooMany, whole(100)), invests(anna, fixedID, "1"))
	w.must(invests(anna, flexID, "1"))
	w.must(&schema.Divest{Account: anna, Investment: 2})
	w.must(invests(anna, fixedID, "1"))
}

// TestFamilyInvests: a sub-account is a partner if its master is, and sees what was assigned to it; it has a right to several of its own.
func TestFamilyInvests(t *testing.T) {
	w := newFamily(t)
	w.must(fund("500"))
	p := fixedPlan()
	p.Private = true
	w.must(&schema.SetPlan{Plan: p})
	w.must(&schema.Deposit{Account: kid, Asset: usd, Amount: d("100")})
	w.refused(because(schema.NoPermission), invests(kid, 1, "10"))
	w.must(w.sets(anna, func(a *schema.Account) { a.Partner = true }))
	w.refused(because(schema.PlanUnknown), invests(kid, 1, "10"))
	assign := func(a schema.AccountID, on bool) *schema.AssignPlan {
		return &schema.AssignPlan{Plan: 1, Account: a, On: on}
	}
	w.must(assign(anna, false))
	w.happened("*schema.PlanAssigned")
	w.must(assign(anna, true))
	w.must(assign(ben, true))
	w.must(assign(anna, true))
	if got := w.Assigned(1); !slices.Equal(got, []schema.AccountID{anna, ben}) {
		t.Errorf("assigned to %v", got)
	}
	w.must(invests(kid, 1, "10"))
	w.must(w.sets(anna, func(a *schema.Account) { a.MultiInvest = true }))
	w.refused(because(schema.InvestmentExists), invests(kid, 1, "10"))
	w.must(w.sets(kid, func(a *schema.Account) { a.MultiInvest = true }))
	w.must(assign(anna, false))
	w.refused(because(schema.PlanUnknown), invests(kid, 1, "10"))
	w.must(assign(kid, true))
	w.must(invests(kid, 1, "10"))
	w.refused(because(schema.PlanUnknown), &schema.AssignPlan{Plan: 2, Account: anna, On: true})
	w.refused(because(schema.AccountUnknown), assign(schema.Interest, true))
	w.must(w.sets(anna, func(a *schema.Account) { a.Region = schema.EU }))
	p.ID, p.Regions = 1, 2
	w.must(&schema.SetPlan{Plan: p})
	w.refused(because(schema.PlanUnknown), invests(kid, 1, "10"))
}

// TestOwedKeepsAnAccount: one that is owed interest has nothing else, and is not deleted.
func TestOwedKeepsAnAccount(t *testing.T) {
	w := newFamily(t)
	w.must(w.sets(anna, func(a *schema.Account) { a.Partner = true }))
	w.time = today
	for _, asset := range w.Assets() {
		if available, _, _ := w.Balance(kid, schema.Main, asset.ID); available.Sign() > 0 {
			w.must(&schema.Withdraw{Account: kid, Asset: asset.ID, Amount: available})
		}
	}
	w.must(&schema.SetPlan{Plan: flexPlan()})
	w.must(fund("500"))
	w.must(&schema.Deposit{Account: kid, Asset: usd, Amount: d("1000")})
	w.must(invests(kid, 1, "1000"))
	ends := &schema.DeleteSub{Master: anna, Sub: kid}
	w.refused(because(schema.SubNotEmpty), ends)
	w.must(fund("-500"))
	w.at(3*hour, &schema.Divest{Account: kid, Plan: 1, All: true})
	w.must(&schema.Withdraw{Account: kid, Asset: usd, Amount: d("1000")})
	w.refused(because(schema.SubNotEmpty), ends)
	w.must(fund("0.2"))
	w.must(&schema.Tick{})
	w.must(&schema.Withdraw{Account: kid, Asset: usd, Amount: d("0.2")})
	w.must(ends)
}

func TestPlans(t *testing.T) {
	w := newEarn(t)
	for _, change := range []func(*schema.Plan){
		func(p *schema.Plan) { p.Name = "" },
		func(p *schema.Plan) { p.Name = strings.Repeat("a", 65) },
		func(p *schema.Plan) { p.Name = "a b" },
		func(p *schema.Plan) { p.Name = "flex" },
		func(p *schema.Plan) { p.Kind = 3 },
		func(p *schema.Plan) { p.Status = 5 },
		func(p *schema.Plan) { p.Status = 0 },
		func(p *schema.Plan) { p.Regions = 1 },
		func(p *schema.Plan) { p.Asset, p.Payout = 9, 9 },
		func(p *schema.Plan) { p.Payout = 9 },
		func(p *schema.Plan) { p.Min = d("0") },
		func(p *schema.Plan) { p.Min = d("0.001") },
		func(p *schema.Plan) { p.Max = d("9.99") },
		func(p *schema.Plan) { p.Max = d("20.001") },
		func(p *schema.Plan) { p.Cap = d("-1") },
		func(p *schema.Plan) { p.Cap = d("0.001") },
		func(p *schema.Plan) { p.Percent = d("0") },
		func(p *schema.Plan) { p.Percent = d("1000.000001") },
		func(p *schema.Plan) { p.Percent = d("1.0000001") },
		func(p *schema.Plan) { p.Minutes = 0 },
		func(p *schema.Plan) { p.Minutes = 5_256_001 },
		func(p *schema.Plan) { p.Ratio = d("2") },
		func(p *schema.Plan) { p.Payout, p.Ratio = btc, d("0") },
		func(p *schema.Plan) { p.Payout, p.Ratio = btc, d("0.000000001") },
		func(p *schema.Plan) { p.Rate = d("0.1") },
	} {
		p := fixedPlan()
		p.Name = "new"
		change(&p)
		w.refused(because(schema.PlanInvalid), &schema.SetPlan{Plan: p})
	}
	for _, change := range []func(*schema.Plan){
		func(p *schema.Plan) { p.Payout = btc },
		func(p *schema.Plan) { p.Rate = d("-0.1") },
		func(p *schema.Plan) { p.Rate = d("10.000000001") },
		func(p *schema.Plan) { p.Rate = d("0.0000000001") },
		func(p *schema.Plan) { p.Percent = d("1") },
		func(p *schema.Plan) { p.Minutes = 1 },
		func(p *schema.Plan) { p.Ratio = d("1") },
	} {
		p := flexPlan()
		p.Name = "new"
		change(&p)
		w.refused(because(schema.PlanInvalid), &schema.SetPlan{Plan: p})
	}
	w.refused(because(schema.PlanUnknown), &schema.SetPlan{Plan: *with(ptr(fixedPlan()), func(p *schema.Plan) { p.ID = 3 })})

	changed := fixedPlan()
	changed.ID, changed.Created = fixedID, 5
	changed.Percent, changed.Minutes, changed.Max, changed.Cap, changed.Name = d("1000"), 5_256_000, d("10"), d("0.01"), strings.Repeat("aZ9_", 16)
	w.must(&schema.SetPlan{Plan: changed})
	w.happened("*schema.PlanChanged")
	changed.Created = w.Plans()[0].Created
	if got := w.Plans()[0]; got != changed || got.Created < today || got.Created > w.time-2 {
		t.Errorf("the plan is %+v", got)
	}
	changed.Cap = d("0")
	w.must(&schema.SetPlan{Plan: changed})
	w.must(invests(anna, fixedID, "10"))
	w.must(&schema.Divest{Account: anna, Investment: 1})
	for _, change := range []func(*schema.Plan){
		func(p *schema.Plan) { p.Percent = d("3") },
		func(p *schema.Plan) { p.Minutes = 5 },
		func(p *schema.Plan) { p.Payout = btc },
		func(p *schema.Plan) { p.Asset, p.Payout = btc, btc },
		func(p *schema.Plan) { *p = flexPlan(); p.ID, p.Name = fixedID, "other" },
	} {
		w.refused(because(schema.PlanInvalid), &schema.SetPlan{Plan: *with(ptr(changed), change)})
	}
	changed.Name, changed.Max, changed.Min, changed.Private, changed.Regions, changed.Status = "n", d("0"), d("0.01"), true, 6, schema.PlanPaused
	w.must(&schema.SetPlan{Plan: changed})
}
