package earn

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestWhatInterestLacksIsOwed, whole, and paid to main when it is there: first by number, whole sums only.
func TestWhatInterestLacksIsOwed(t *testing.T) {
	x := open(t)
	x.do(noon, invest(ben, mixed, "100"), schema.OK)
	x.do(noon, reinvest(alice, flexed, "1000"), schema.OK) // 11 a day
	x.do(noon, reinvest(ben, flexed, "100"), schema.OK)    // 1.1
	x.do(noon, reinvest(sub, flexed, "10"), schema.OK)     // 0.11
	x.fund(dollar, "-989.01")                              // 10.99
	x.at(midnight)
	x.tells("1 is closed with 100 and 0.000075 paid", "5: principal 100 of 1", "6: interest 0.000075 of 1") // the others wait for the first
	x.has(schema.Interest, schema.Main, dollar, "10.99", "0")
	if !x.Holds(alice) || !x.owes(dollar) || x.owes(coin) || x.debts.count != 3 {
		t.Errorf("%d debts", x.debts.count)
	}
	if at, running := x.NextTimer(); !running || at != midnight+day {
		t.Errorf("the timer is at %d", at)
	}
	x.do(midnight+1, invest(sub, flexed, "10"), schema.InterestNotCovered)
	x.with(flexed, func(p *schema.Plan) { p.Rate = d("0.000000001") })
	x.do(midnight+1, invest(sub, flexed, "10"), schema.InterestNotCovered) // though a day costs a cent
	x.with(flexed, func(p *schema.Plan) { p.Rate = d("8.76") })
	x.do(midnight+1, invest(sub, mixed, "10"), schema.OK) // another asset
	x.do(midnight+1, invest(sub, term, "10"), schema.OK)  // what is promised must be there, no more

	x.fund(dollar, "1.01")
	if at, running := x.NextTimer(); !running || at != x.tick+1 {
		t.Errorf("the timer is at %d", at)
	}
	x.at(midnight + 2)
	x.tells("9: daily earning 11 of 2")
	x.has(alice, schema.Main, dollar, "9011", "0")
	x.fund(dollar, "2")
	x.at(midnight + 3)
	x.tells("10: daily earning 1.1 of 3", "11: daily earning 0.11 of 4")
	x.do(midnight+4, invest(sub, flexed, "10"), schema.InterestNotCovered) // nothing is owed, but a day costs more than what is there
	x.fund(dollar, "500")
	x.do(midnight+4, invest(sub, flexed, "10"), schema.OK)
}

// TestDebtsAddUp over days; while anything is owed nothing of the asset is credited.
func TestDebtsAddUp(t *testing.T) {
	x := open(t)
	x.do(noon, reinvest(alice, flexed, "1000"), schema.OK)
	x.do(noon, reinvest(ben, flexed, "100"), schema.OK)
	x.fund(dollar, "-1000")
	x.at(midnight)
	x.fund(dollar, "10") // enough for ben
	x.at(midnight + day)
	x.tells()
	if x.debts.count != 2 || x.debts.first(dollar).amount != d("35") {
		t.Errorf("%d debts, the first of %s", x.debts.count, x.debts.first(dollar).amount)
	}
	x.fund(dollar, "25")
	x.at(midnight + 2*day) // the day is credited before debts are paid: it is owed, too
	x.tells()
	x.fund(dollar, "24")
	x.at(midnight + 2*day + 1)
	x.tells("3: daily earning 59 of 1")
	x.do(midnight+2*day+1, all(ben, flexed), schema.OK)
	x.tells("2 is closed with 0 and 0 paid and reinvests", "4: closed 100 of 2")
	x.fund(dollar, "5.9")
	x.at(midnight + 2*day + 2)
	x.tells("5: daily earning 5.9 of 2")
}

// TestDebtsToClosedInvestmentsStay, and keep their account.
func TestDebtsToClosedInvestmentsStay(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, flexed, "1000"), schema.OK)
	x.fund(dollar, "-999.5")
	x.do(noon+2*hour, all(alice, flexed), schema.OK) // a dollar
	x.tells("1 is closed with 0 and 0 paid", "2: closed 1000 of 1")
	if !x.Holds(alice) || x.Accrued(1) != fixed.Zero {
		t.Error("nothing is owed")
	}
	if _, running := x.NextTimer(); running {
		t.Error("a timer runs for what cannot be paid")
	}
	x.at(noon + 3*hour)
	x.tells()
	x.fund(dollar, "0.5")
	x.at(noon + 3*hour + 1)
	x.tells("3: daily earning 1 of 1")
	if x.Holds(alice) {
		t.Error("something is still owed")
	}

	x.fund(dollar, "1000")
	x.do(noon+4*hour, invest(alice, flexed, "1000"), schema.OK)
	x.fund(dollar, "-1000")
	x.do(midnight+hour, all(alice, flexed), schema.OK) // 7 by midnight and one since
	x.tells("2 is closed with 0 and 0 paid", "5: closed 1000 of 2")
	x.fund(dollar, "8")
	x.at(midnight + hour)
	x.tells("6: daily earning 8 of 2")
}

// TestDebtsOfAssetsAreApart: that of one holds back none of another.
func TestDebtsOfAssetsAreApart(t *testing.T) {
	x := open(t)
	x.must(noon, &schema.SetPlan{Plan: flexPlan(func(p *schema.Plan) { p.Name, p.Asset, p.Payout, p.Min = "coins", coin, coin, d("0.1") })})
	x.must(noon, &schema.Deposit{Account: alice, Asset: coin, Amount: d("10")})
	x.do(noon, invest(alice, flexed, "1000"), schema.OK)
	x.do(noon, invest(alice, 4, "1"), schema.OK)
	x.fund(dollar, "-1000")
	x.at(midnight)
	x.tells("3: daily earning 0.011 of 2")
	x.fund(coin, "-0.989")
	x.at(midnight + day)
	x.tells()
	x.fund(coin, "0.024")
	x.at(midnight + day + 1)
	x.tells("4: daily earning 0.024 of 2")
}

// TestManyAreCreditedInSlices in the order of their numbers; who is touched before is credited first, and a restart changes nothing.
func TestManyAreCreditedInSlices(t *testing.T) {
	x := open(t)
	x.quiet = true
	const many = creditSlice + 10
	x.fund(dollar, "1000000")
	x.with(flexed, func(p *schema.Plan) { p.Cap = fixed.Zero })
	for n := range many {
		x.must(noon, &schema.SetAccount{Account: schema.Account{Name: "n" + string(rune('a'+n/100)) + string(rune('a'+n%100)), Region: schema.Global, Partner: true}})
		x.must(noon, &schema.Deposit{Account: schema.AccountID(x.out.Result.ID), Asset: dollar, Amount: d("100")})
		x.must(noon, invest(sub+1+schema.AccountID(n), flexed, "100"))
	}
	touched, last := sub+creditSlice+5, sub+many
	x.at(midnight)
	if got := x.story(); len(got) != creditSlice || got[0] != "2011: daily earning 1.1 of 1" || got[creditSlice-1] != "4010: daily earning 1.1 of 2000" {
		t.Errorf("%d events", len(got))
	}
	if at, running := x.NextTimer(); !running || at != midnight+1 {
		t.Errorf("the timer is at %d", at)
	}
	x.Earn = x.wired(x.restarted())
	x.use(x.restarted())
	x.must(midnight+1, &schema.SetReinvest{Account: touched, Plan: flexed})
	x.tells("4011: daily earning 1.1 of 2005", "2005 has 100")
	x.must(midnight+1, all(sub+2001, flexed)) // which was next
	x.must(midnight+1, invest(alice, flexed, "100"))
	x.at(midnight + 2)
	if got := x.story(); len(got) != 8 || got[0] != "4015: daily earning 1.1 of 2002" || got[7] != "4022: daily earning 1.1 of 2010" {
		t.Errorf("%q", got)
	}
	if at, running := x.NextTimer(); !running || at != midnight+day {
		t.Errorf("the timer is at %d", at)
	}
	x.has(last, schema.Main, dollar, "1.1", "0")

	x.at(midnight + day) // the round of this day is not over when the next begins
	x.at(midnight + 2*day)
	x.has(sub+1, schema.Main, dollar, "5.9", "0")
	x.has(last, schema.Main, dollar, "1.1", "0")
	x.at(midnight + 2*day + 1)
	x.has(last, schema.Main, dollar, "5.9", "0")

	// The same with debts: two thousand are paid at once.
	x.fund(dollar, x.ledger.Available(x.house(dollar)).Neg().String())
	x.at(midnight + 3*day)
	x.at(midnight + 3*day + 1)
	x.tells()
	x.fund(dollar, "100000")
	x.at(midnight + 3*day + 2)
	if got := x.story(); len(got) != debtSlice {
		t.Errorf("%d debts were paid", len(got))
	}
	if at, running := x.NextTimer(); !running || at != midnight+3*day+3 {
		t.Errorf("the timer is at %d", at)
	}
	x.at(midnight + 3*day + 3)
	if got := x.story(); len(got) != 10 || x.owes(dollar) {
		t.Errorf("%d debts were paid", len(got))
	}
	x.has(last, schema.Main, dollar, "8.3", "0")
	x.quiet = false
	x.verify()
}
