package earn

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const midnight = noon + 12*hour

// TestMoneyEarnsFromTheNextHour on, to the microsecond, and is credited at midnight.
func TestMoneyEarnsFromTheNextHour(t *testing.T) {
	for _, tt := range []struct {
		at   schema.Time
		paid string // for the hours up to midnight, of 1,000 dollars at a thousandth an hour
	}{
		{noon, "11"}, {noon + 1, "11"}, {noon + hour - 1, "11"}, {noon + hour, "10"}, {midnight - hour - 1, "1"},
	} {
		x := open(t)
		x.do(tt.at, invest(alice, flexed, "1000"), schema.OK)
		x.tells("1 has 1000", "1: opened 1000 of 1")
		if x.out.Result.ID != 1 {
			t.Errorf("the result is %d", x.out.Result.ID)
		}
		if at, running := x.NextTimer(); !running || at != midnight {
			t.Errorf("the timer is at %d", at)
		}
		x.at(midnight - 1)
		x.tells()
		x.at(midnight)
		x.tells("2: daily earning " + tt.paid + " of 1")
		x.has(alice, schema.Main, dollar, d("9000").Add(d(tt.paid)).String(), "0")
		x.at(midnight + 5)
		x.tells()
	}
	x := open(t)
	x.do(midnight-hour, invest(alice, flexed, "1000"), schema.OK)
	x.at(midnight)
	x.tells() // a credit of zero is none
	x.at(midnight + day)
	x.tells("2: daily earning 24 of 1")
}

// TestAccruedIsShown up to the last full hour, in whole units, and changes nothing.
func TestAccruedIsShown(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, flexed, "123.45"), schema.OK)
	before := string(x.state())
	for _, tt := range []struct {
		at   schema.Time
		want string
	}{
		{noon + 2*hour - 1, "0"}, {noon + 2*hour, "0.12"}, {noon + 10*hour, "1.11"}, {midnight + 2*hour, "1.6"},
	} {
		x.clock = tt.at
		if got := x.Accrued(1); got != d(tt.want) {
			t.Errorf("at %s %s accrued, want %s", tt.at, got, tt.want)
		}
	}
	if string(x.state()) != before {
		t.Error("looking changes something")
	}
	x.at(midnight + 2*hour)
	x.tells("2: daily earning 1.35 of 1")
	if got := x.Accrued(1); got != d("0.25") { // 13 hours are 1.60485
		t.Errorf("%s accrued", got)
	}
	x.do(x.clock, invest(alice, term, "10"), schema.OK)
	if x.Accrued(2) != fixed.Zero || x.Accrued(3) != fixed.Zero {
		t.Error("something else accrues")
	}
}

// TestARateCountsFromTheNextHour: that of an hour is the one that held when it began.
func TestARateCountsFromTheNextHour(t *testing.T) {
	rate := func(s string) func(*schema.Plan) { return func(p *schema.Plan) { p.Rate = d(s) } }
	for _, tt := range []struct {
		at   schema.Time // when the rate is halved
		paid string
	}{
		{noon + hour - 1, "5.5"}, {noon + hour, "6"}, {noon + 2*hour - 1, "6"}, {noon + 2*hour, "6.5"}, {midnight - 1, "11"},
	} {
		x := open(t)
		x.do(noon, invest(alice, flexed, "1000"), schema.OK)
		x.clock = tt.at
		x.with(flexed, rate("10"))
		x.with(flexed, rate("4.38")) // the last one of an hour counts
		x.verify()
		x.at(midnight)
		x.tells("2: daily earning " + tt.paid + " of 1")
	}
}

// TestMoreMoneyWaitsByItself: what is there goes on earning.
func TestMoreMoneyWaitsByItself(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, flexed, "500"), schema.OK)
	x.do(noon+hour+1, reinvest(alice, flexed, "5"), schema.OK) // below the least, which counts for the first money alone
	x.tells("1 has 505 and reinvests", "2: invested 5 of 1")
	x.do(noon+hour+2, invest(alice, flexed, "495"), schema.OK)
	x.tells("1 has 1000", "3: invested 495 of 1")
	x.do(noon+hour+3, invest(alice, flexed, "0.01"), schema.InvestmentAboveLimit)
	x.do(noon+hour+3, invest(alice, flexed, "1000.01"), schema.InvestmentAboveMax)
	x.at(midnight)
	x.tells("4: daily earning 10.5 of 1")
	want := schema.Investment{ID: 1, Account: alice, Plan: flexed, Amount: d("1000"), Created: noon, Updated: noon + hour + 2}
	if got, is := x.Flex(alice, flexed); !is || got != want {
		t.Errorf("%+v", got)
	}
	if _, is := x.Flex(ben, flexed); is {
		t.Error("ben has one")
	}
	if _, is := x.Flex(alice, term); is {
		t.Error("a fixed plan is flex")
	}
}

// TestTheCapBindsAll who are in a plan.
func TestTheCapBindsAll(t *testing.T) {
	x := open(t)
	x.with(flexed, func(p *schema.Plan) { p.Cap = d("150") })
	x.do(noon, invest(alice, flexed, "100"), schema.OK)
	x.do(noon, invest(ben, flexed, "50.01"), schema.InvestmentAboveLimit)
	x.do(noon, invest(ben, flexed, "50"), schema.OK)
	x.do(noon, invest(alice, flexed, "0.01"), schema.InvestmentAboveLimit)
	x.do(noon, divest(alice, flexed, "0.01"), schema.OK)
	x.do(noon, invest(ben, flexed, "0.01"), schema.OK)
}

// TestPartsAreTakenOut: what waits first, and what is taken earns nothing for the hour under way.
func TestPartsAreTakenOut(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, flexed, "500"), schema.OK)
	x.do(noon+hour, invest(alice, flexed, "300"), schema.OK)
	x.do(noon+hour, divest(alice, flexed, "100"), schema.OK) // 200 wait
	x.tells("1 has 700", "3: withdrawn 100 of 1")
	if x.out.Result.ID != 3 {
		t.Errorf("the result is %d", x.out.Result.ID)
	}
	x.do(noon+2*hour-1, divest(alice, flexed, "300"), schema.OK) // and 100 that earned
	x.has(alice, schema.Main, dollar, "9600", "0")
	x.has(alice, schema.Earn, dollar, "400", "0")
	x.do(noon+2*hour, divest(alice, flexed, "390.01"), schema.DivestLeavesTooLittle)
	x.do(noon+2*hour, divest(alice, flexed, "400.01"), schema.DivestTooMuch)
	x.do(noon+2*hour, divest(alice, flexed, "0"), schema.MoveNotPositive)
	x.do(noon+2*hour, divest(alice, flexed, "0.001"), schema.MoveTooPrecise)
	x.do(noon+2*hour, divest(alice, term, "1"), schema.InvestmentUnknown)
	x.do(noon+2*hour, divest(ben, flexed, "1"), schema.InvestmentUnknown)
	x.do(noon+2*hour, all(alice, 0), schema.InvestmentUnknown)
	x.do(noon+2*hour, divest(999, flexed, "1"), schema.AccountUnknown)
	x.do(noon+2*hour, divest(alice, flexed, "390"), schema.OK)
	x.at(midnight)
	x.tells("6: daily earning 0.5 of 1") // 400 for an hour and 10 for ten
	x.do(midnight, invest(alice, term, "1"), schema.OK)
	x.do(midnight, all(alice, term), schema.InvestmentUnknown)
	x.do(midnight, &schema.SetReinvest{Account: alice, Plan: term, On: true}, schema.InvestmentUnknown)
}

// TestWaitingMoneyJoins even if the rate is zero, and is not taken first any more.
func TestWaitingMoneyJoins(t *testing.T) {
	x := open(t)
	x.with(flexed, func(p *schema.Plan) { p.Rate = fixed.Zero })
	x.do(noon+hour, invest(alice, flexed, "100"), schema.OK)
	x.with(flexed, func(p *schema.Plan) { p.Rate = d("8.76") })
	x.do(noon+2*hour, invest(alice, flexed, "50"), schema.OK)
	x.do(noon+2*hour, divest(alice, flexed, "50"), schema.OK) // of what waits: the hundred earn
	x.do(noon+3*hour, all(alice, flexed), schema.OK)
	x.tells("1 is closed with 0 and 0 paid", "4: closed 100 of 1", "5: daily earning 0.1 of 1")
}

// TestClosingPays what accrued up to the last full hour, to main, and gives the rest up.
func TestClosingPays(t *testing.T) {
	for _, c := range []*schema.Divest{all(alice, flexed), divest(alice, flexed, "123.45")} {
		x := open(t)
		x.do(noon, reinvest(alice, flexed, "123.45"), schema.OK)
		x.do(noon+3*hour-1, c, schema.OK)
		x.tells("1 is closed with 0 and 0 paid and reinvests", "2: closed 123.45 of 1", "3: daily earning 0.12 of 1")
		if x.out.Result.ID != 2 {
			t.Errorf("the result is %d", x.out.Result.ID)
		}
		x.has(alice, schema.Main, dollar, "10000.12", "0")
		x.do(noon+3*hour, c, schema.InvestmentUnknown)
		if _, running := x.NextTimer(); running || x.Holds(alice) || x.Invested(flexed) != fixed.Zero {
			t.Error("something is left")
		}
		x.do(noon+3*hour, invest(alice, flexed, "10"), schema.OK)
		x.tells("2 has 10", "4: opened 10 of 2")
	}
}

// TestReinvest: interest earns from midnight on, as much as the most allows; the rest goes to main.
func TestReinvest(t *testing.T) {
	x := open(t)
	x.do(noon, invest(alice, flexed, "990"), schema.OK)
	x.do(noon, &schema.SetReinvest{Account: ben, Plan: flexed, On: true}, schema.InvestmentUnknown)
	x.do(noon, &schema.SetReinvest{Account: 999, Plan: flexed, On: true}, schema.AccountUnknown)
	x.do(noon+5, &schema.SetReinvest{Account: alice, Plan: flexed, On: true}, schema.OK)
	x.tells("1 has 990 and reinvests")
	x.at(midnight) // 10.89
	x.tells("1 has 1000 and reinvests", "2: daily earning 10.89 of 1", "3: reinvested 10 of 1")
	x.has(alice, schema.Main, dollar, "9010.89", "0")
	x.has(alice, schema.Earn, dollar, "1000", "0")
	if v, _ := x.Investment(1); v.Updated != midnight {
		t.Errorf("%+v", v)
	}
	x.at(midnight + day)
	x.tells("4: daily earning 24 of 1")
	x.with(flexed, func(p *schema.Plan) { p.Max, p.Cap = d("900"), d("900") }) // it has more
	x.at(midnight + 2*day)
	x.tells("5: daily earning 24 of 1")
	x.with(flexed, func(p *schema.Plan) { p.Max = fixed.Zero }) // the cap does not bind interest
	x.at(midnight + 3*day)
	x.tells("1 has 1024 and reinvests", "6: daily earning 24 of 1", "7: reinvested 24 of 1")
	x.do(midnight+3*day+1, &schema.SetReinvest{Account: alice, Plan: flexed}, schema.OK)
	x.at(midnight + 4*day)
	x.tells("8: daily earning 24.57 of 1") // 24.576
}

// TestWhatATouchFindsIsCreditedFirst, as of midnight: what is reinvested earned since then.
func TestWhatATouchFindsIsCreditedFirst(t *testing.T) {
	start := func() *exchange {
		x := open(t)
		x.do(noon, reinvest(alice, flexed, "900"), schema.OK)
		x.clock = midnight + 5*hour
		return x
	}
	x := start()
	x.do(x.clock, invest(alice, flexed, "90.11"), schema.InvestmentAboveLimit) // with the 9.9 of yesterday
	x.do(x.clock, invest(alice, flexed, "90.1"), schema.OK)
	x.tells("1 has 909.9 and reinvests", "2: daily earning 9.9 of 1", "3: reinvested 9.9 of 1", "1 has 1000", "4: invested 90.1 of 1")
	x.at(x.clock)
	x.tells()
	x.at(midnight + day)
	x.tells("5: daily earning 23.45 of 1") // 909.9 for 24 hours and 90.1 for 18 are 23.4594

	x = start()
	x.do(x.clock, divest(alice, flexed, "909.91"), schema.DivestTooMuch)
	x.do(x.clock, divest(alice, flexed, "899.91"), schema.DivestLeavesTooLittle)
	x.do(x.clock, divest(alice, flexed, "899.9"), schema.OK)
	x.tells("1 has 909.9 and reinvests", "2: daily earning 9.9 of 1", "3: reinvested 9.9 of 1", "1 has 10 and reinvests", "4: withdrawn 899.9 of 1")

	x = start()
	x.do(x.clock, all(alice, flexed), schema.OK)
	x.tells("1 has 909.9 and reinvests", "2: daily earning 9.9 of 1", "3: reinvested 9.9 of 1",
		"1 is closed with 0 and 0 paid and reinvests", "4: closed 909.9 of 1", "5: daily earning 4.54 of 1") // 4.5495
	x.has(alice, schema.Main, dollar, "10014.44", "0")

	x = start()
	x.do(x.clock, &schema.SetReinvest{Account: alice, Plan: flexed}, schema.OK)
	x.tells("1 has 909.9 and reinvests", "2: daily earning 9.9 of 1", "3: reinvested 9.9 of 1", "1 has 909.9")

	x = start() // the main wallet does not have the credit yet
	x.do(x.clock, &schema.SetReinvest{Account: alice, Plan: flexed}, schema.OK)
	x.clock = midnight + day
	x.with(flexed, func(p *schema.Plan) { p.Max, p.Cap = fixed.Zero, fixed.Zero })
	x.fund(dollar, "100000")
	if r := x.do(x.clock, invest(alice, flexed, "9100.01"), schema.InvestmentNotCovered); r.Value != d("9100") {
		t.Errorf("the refusal says %s", r.Value)
	}

	x = start() // a day of the plan must be there beside the credit: ceil(919.9 x 8.76 / 365) = 22.08
	x.fund(dollar, "-968.03")
	x.do(x.clock, invest(alice, flexed, "10"), schema.InterestNotCovered)
	x.fund(dollar, "0.01")
	x.do(x.clock, invest(alice, flexed, "10"), schema.OK)
	x.has(schema.Interest, schema.Main, dollar, "22.08", "0")
}

// TestADayOfThePlanMustBeThere, rounded up.
func TestADayOfThePlanMustBeThere(t *testing.T) {
	x := open(t)
	x.with(flexed, func(p *schema.Plan) { p.Rate = d("0.1") })
	x.fund(dollar, "-999.97")
	x.do(noon, invest(alice, flexed, "109.5"), schema.OK) // 0.03
	x.do(noon, invest(ben, flexed, "10"), schema.InterestNotCovered)
	x.do(noon, invest(alice, flexed, "0.01"), schema.InterestNotCovered)
	x.fund(dollar, "0.01")
	x.do(noon, invest(alice, flexed, "0.01"), schema.OK)
}

// TestMissedMidnightsAreCreditedAtOnce, as of the last one: nothing is reinvested for those before.
func TestMissedMidnightsAreCreditedAtOnce(t *testing.T) {
	x := open(t)
	x.do(noon, reinvest(alice, flexed, "500"), schema.OK)
	x.at(midnight + 3*day + 7)
	x.tells("1 has 541.5 and reinvests", "2: daily earning 41.5 of 1", "3: reinvested 41.5 of 1") // 83 hours
	x.do(midnight+3*day+hour, all(alice, flexed), schema.OK)
	x.tells("1 is closed with 0 and 0 paid and reinvests", "4: closed 541.5 of 1", "5: daily earning 0.54 of 1")
}

// TestTheRestIsCarried: three days of a third of a cent each are a cent.
func TestTheRestIsCarried(t *testing.T) {
	x := open(t)
	x.with(flexed, func(p *schema.Plan) { p.Rate = d("0.365") })
	x.do(midnight-hour, invest(alice, flexed, "10"), schema.OK)
	for n := range 9 {
		x.at(midnight + schema.Time(n+1)*day)
		x.do(x.clock, &schema.SetReinvest{Account: alice, Plan: flexed}, schema.OK)
	}
	x.has(alice, schema.Main, dollar, "9990.09", "0")
	y := open(t)
	y.with(flexed, func(p *schema.Plan) { p.Rate = d("0.121666666") })
	y.do(midnight-hour, invest(alice, flexed, "10"), schema.OK)
	for n, want := range []string{"9990", "9990", "9990", "9990.01", "9990.01", "9990.01", "9990.02"} {
		y.at(midnight + schema.Time(n+1)*day) // 0.00333333 a day
		y.has(alice, schema.Main, dollar, want, "0")
	}
}

// TestThePrecisionOfAnAssetMayChange: what was accrued is neither lost nor made up.
func TestThePrecisionOfAnAssetMayChange(t *testing.T) {
	x := open(t)
	precision := func(places uint8) {
		x.must(x.clock, &schema.SetAsset{Asset: schema.Asset{Ticker: "USD", Scale: 8, Precision: places, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true}})
	}
	x.do(noon, invest(alice, flexed, "123.45"), schema.OK)
	x.clock = noon + 3*hour
	precision(1)
	x.at(midnight)
	x.tells("2: daily earning 1.3 of 1") // 1.35795
	precision(4)
	x.do(midnight+2*hour, all(alice, flexed), schema.OK)
	x.tells("1 is closed with 0 and 0 paid", "3: closed 123.45 of 1", "4: daily earning 0.3048 of 1") // 0.05795 and 0.2469
}

// TestInterestThatIsNoNumber is the greatest one, and stays it.
func TestInterestThatIsNoNumber(t *testing.T) {
	v := &investment{amount: fixed.Max}
	v.settle(perUnit, 1)
	if v.interest != fixed.Max || v.rest != 0 {
		t.Errorf("%s and %d", v.interest, v.rest)
	}
	v.settle(perUnit+1, 2) // the sum does not fit
	if v.interest != fixed.Max || v.rest != 0 {
		t.Errorf("%s and %d", v.interest, v.rest)
	}
	v.settle(1<<60, 3) // nor the product
	if v.interest != fixed.Max || v.rest != 0 {
		t.Errorf("%s and %d", v.interest, v.rest)
	}
}
