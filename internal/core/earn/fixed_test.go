package earn

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestAFixedPlanPays at the very microsecond, and not before.
func TestAFixedPlanPays(t *testing.T) {
	x := open(t)
	x.do(noon+7, invest(alice, term, "123.45"), schema.OK)
	x.tells("1 has 123.45", "1: began 123.45 of 1")
	if x.out.Result.ID != 1 {
		t.Errorf("the result is %d", x.out.Result.ID)
	}
	due := noon + 7 + 30*60*schema.Second
	want := schema.Investment{ID: 1, Account: alice, Plan: term, Amount: d("123.45"), Interest: d("12.34"), Due: due, Created: noon + 7, Updated: noon + 7}
	if got, _ := x.Investment(1); got != want {
		t.Errorf("%+v", got)
	}
	x.has(alice, schema.Main, dollar, "9876.55", "0")
	x.has(alice, schema.Earn, dollar, "123.45", "0")
	x.has(schema.Interest, schema.Main, dollar, "987.66", "12.34")
	if at, running := x.NextTimer(); !running || at != due {
		t.Errorf("the timer is at %d", at)
	}
	x.at(due - 1)
	x.tells()
	x.at(due)
	x.tells("1 is closed with 123.45 and 12.34 paid", "2: principal 123.45 of 1", "3: interest 12.34 of 1")
	x.has(alice, schema.Main, dollar, "10012.34", "0")
	x.has(alice, schema.Earn, dollar, "0", "0")
	x.has(schema.Interest, schema.Main, dollar, "987.66", "0")
	if _, is := x.Investment(1); is || x.Holds(alice) {
		t.Error("it is still there")
	}
	x.do(due, end(alice, 1), schema.InvestmentUnknown)
	if _, running := x.NextTimer(); running {
		t.Error("a timer runs")
	}
}

// TestInterestInAnotherAsset is rounded down once, at the precision of that asset.
func TestInterestInAnotherAsset(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, mixed, "99.99"), schema.OK)
	x.has(schema.Interest, schema.Main, coin, "0.99992501", "0.00007499") // 99.99 x 0.03 / 40,000 = 0.0000749925
	x.at(noon + hour)
	x.has(alice, schema.Main, coin, "0.00007499", "0")
	x.do(noon+hour, invest(alice, mixed, "0.01"), schema.InterestTooSmall) // 0.0000000075
	x.do(noon+hour, invest(alice, mixed, "0.02"), schema.OK)               // 0.000000015
	x.has(schema.Interest, schema.Main, coin, "0.999925", "0.00000001")

	x.with(term, func(p *schema.Plan) {
		p.Asset, p.Ratio, p.Max, p.Cap = coin, fixed.Max.Sub(fixed.FromUnits(303715884105727, 18)), fixed.Zero, fixed.Zero
	}) // whose hundredfold is no number
	x.must(noon+hour, &schema.Deposit{Account: alice, Asset: coin, Amount: d("2")})
	x.do(noon+hour, invest(alice, term, "1"), schema.InterestTooSmall)
	x.with(term, func(p *schema.Plan) { p.Ratio, p.Percent = d("0.00000001"), d("1000") })
	x.must(noon+hour, &schema.Deposit{Account: alice, Asset: coin, Amount: d("1000000000000")})
	x.do(noon+hour, invest(alice, term, "1000000000000"), schema.InterestNotCovered) // 10^21, which is no number
}

// TestInterestMustBeThere for all that fixed plans promised.
func TestInterestMustBeThere(t *testing.T) {
	x := open(t)
	x.fund(dollar, "-900")
	x.do(noon, invest(alice, term, "999.9"), schema.OK) // 99.99
	x.do(noon, invest(ben, term, "1"), schema.InterestNotCovered)
	x.do(noon, end(alice, 1), schema.OK)
	x.do(noon, invest(ben, term, "1"), schema.OK)
	x.fund(dollar, "0.1")
	x.do(noon, invest(alice, term, "1000"), schema.OK) // 100 of 100
	x.has(schema.Interest, schema.Main, dollar, "0", "100.1")
	x.at(noon + hour)
	x.has(schema.Interest, schema.Main, dollar, "0", "0")
}

// TestClosingEarlyGivesInterestUp. What is due is over: it is paid, and cannot be closed any more.
func TestClosingEarlyGivesInterestUp(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, term, "100"), schema.OK)
	x.do(noon, invest(alice, flexed, "100"), schema.OK)
	x.do(noon, end(ben, 1), schema.InvestmentUnknown)
	x.do(noon, end(alice, 2), schema.InvestmentUnknown)
	x.do(noon, end(alice, 3), schema.InvestmentUnknown)
	x.do(noon, end(999, 1), schema.AccountUnknown)
	due := noon + 30*60*schema.Second
	x.do(due, end(alice, 1), schema.InvestmentUnknown)
	x.at(due)
	x.has(alice, schema.Main, dollar, "9910", "0")

	x.with(term, func(p *schema.Plan) { p.Status = schema.PlanInactive })
	x.with(term, func(p *schema.Plan) { p.Status = schema.PlanActive })
	x.do(due, invest(alice, term, "100"), schema.OK)
	x.with(term, func(p *schema.Plan) { p.Status, p.Private, p.Regions = schema.PlanInactive, true, schema.In(schema.EU) })
	x.must(due, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global}}) // no partner any more
	x.do(due+30*60*schema.Second-1, end(alice, 3), schema.OK)
	x.tells("3 is closed with 100 and 0 paid", "6: principal 100 of 3")
	if x.out.Result.ID != 3 {
		t.Errorf("the result is %d", x.out.Result.ID)
	}
	x.has(alice, schema.Main, dollar, "9910", "0")
	x.has(schema.Interest, schema.Main, dollar, "990", "0")
}

// TestBlockedAccountsArePaid, and cannot act.
func TestBlockedAccountsArePaid(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, term, "100"), schema.OK)
	x.do(noon, invest(alice, flexed, "100"), schema.OK)
	x.must(noon, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Partner: true, Blocked: true}})
	for _, c := range []schema.Command{
		invest(alice, term, "1"), end(alice, 1), divest(alice, flexed, "1"), all(alice, flexed), &schema.SetReinvest{Account: alice, Plan: flexed, On: true}, invest(sub, term, "1"),
	} {
		x.do(noon, c, schema.AccountBlocked)
	}
	x.at(noon + 12*hour)
	x.has(alice, schema.Main, dollar, "9911.1", "0") // 10, and 11 hours of 0.1
}

// TestManyEndAtOnce: a thousand at a tick, in the order of their ends and then of their numbers.
func TestManyEndAtOnce(t *testing.T) {
	x := open(t)
	x.quiet = true
	x.fund(dollar, "100000")
	x.must(noon, &schema.SetPlan{Plan: termPlan(func(p *schema.Plan) { p.Name, p.Minutes = "short", 29 })})
	x.with(term, func(p *schema.Plan) { p.Cap = fixed.Zero })
	many := func(plan schema.PlanID, from, to int) {
		for i := from; i < to; i++ {
			name := schema.Account{Name: "x" + string(rune('a'+i/26)) + string(rune('a'+i%26)), Region: schema.Global, Partner: true, MultiInvest: true}
			if x.accounts.ByName(name.Name) == nil {
				x.must(noon, &schema.SetAccount{Account: name})
				x.must(noon, &schema.Deposit{Account: schema.AccountID(x.out.Result.ID), Asset: dollar, Amount: d("1000")})
			}
			for range 50 {
				x.must(noon, invest(x.accounts.ByName(name.Name).ID, plan, "1"))
			}
		}
	}
	many(term, 0, 20)
	x.must(noon, invest(alice, term, "1")) // the thousand and first
	x.must(noon+60*schema.Second, invest(ben, 4, "1"))
	x.quiet = false
	due := noon + 30*60*schema.Second
	x.at(due - 1)
	x.tells()
	x.at(due)
	if got := x.story(); len(got) != 3000 || got[0] != "1 is closed with 1 and 0.1 paid" || got[2997] != "1000 is closed with 1 and 0.1 paid" {
		t.Errorf("%d events, %q", len(got), got[:3])
	}
	if at, running := x.NextTimer(); !running || at != due {
		t.Errorf("the timer is at %d", at)
	}
	x.at(due + 1)
	x.tells("1001 is closed with 1 and 0.1 paid", "3003: principal 1 of 1001", "3004: interest 0.1 of 1001",
		"1002 is closed with 1 and 0.1 paid", "3005: principal 1 of 1002", "3006: interest 0.1 of 1002")
}

// TestEndsComeInTheirOrder, whatever the numbers.
func TestEndsComeInTheirOrder(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, mixed, "100"), schema.OK)
	x.do(noon, invest(alice, term, "100"), schema.OK)
	x.do(noon, invest(ben, term, "100"), schema.OK)
	x.at(noon + hour)
	x.tells("2 is closed with 100 and 10 paid", "4: principal 100 of 2", "5: interest 10 of 2",
		"3 is closed with 100 and 10 paid", "6: principal 100 of 3", "7: interest 10 of 3",
		"1 is closed with 100 and 0.000075 paid", "8: principal 100 of 1", "9: interest 0.000075 of 1")
}
