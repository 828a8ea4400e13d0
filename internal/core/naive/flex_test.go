package naive

import (
	"fmt"
	"testing"

	"bourse/internal/schema"
)

// TestDailyEarning: 600 from 11:00 earn 0.06 in an hour. 13 of these hours are 0.78.
func TestDailyEarning(t *testing.T) {
	w := newEarn(t)
	if id := w.at(10*hour, invests(anna, flexID, "600")).ID; id != 1 {
		t.Errorf("the action is %d", id)
	}
	w.earned("1 has 600", "1: 1 opened 600")
	w.timer(today + fullDay)
	w.at(fullDay-1, &schema.Tick{})
	w.earned()
	w.at(fullDay, &schema.Tick{})
	w.earned("2: 1 daily earning 0.78")
	w.saved(anna, "400.78", "600", "499.22", "0")
	w.at(fullDay+1, &schema.Tick{})
	w.earned()
	if updated := w.Investments()[0].Updated; updated != today+10*hour {
		t.Errorf("it changed at %d", updated)
	}

	// 24 hours of 0.06, and 22 of 0.0033, which come to 0.0726 and so leave 0.0026.
	w.at(fullDay+90*minute, invests(anna, flexID, "33"))
	w.earned("1 has 633", "3: 1 invested 33")
	w.at(2*fullDay, &schema.Tick{})
	w.earned("4: 1 daily earning 1.51")
	w.at(3*fullDay, &schema.Tick{}) // 24 of 0.0633 are 1.5192, with the rest 1.5218
	w.earned("5: 1 daily earning 1.52")
	w.at(5*fullDay+10*hour, &schema.Tick{}) // two days are 3.0384, with the rest 3.0402
	w.earned("6: 1 daily earning 3.04")
}

// TestRatesCountFromTheNextHour: of the hours from 11:00 to 15:00, the first two have the old rate.
func TestRatesCountFromTheNextHour(t *testing.T) {
	w := newEarn(t)
	p := flexPlan()
	p.ID = flexID
	w.at(10*hour+1, invests(anna, flexID, "1000"))
	p.Rate = d("8.76")
	w.at(12*hour, &schema.SetPlan{Plan: p})
	p.Rate = d("1.752")
	w.at(13*hour-1, &schema.SetPlan{Plan: p})
	p.Rate = d("10")
	w.at(14*hour, &schema.SetPlan{Plan: p})
	p.Rate = d("0")
	w.at(15*hour-1, &schema.SetPlan{Plan: p})
	w.at(30*hour, &schema.Tick{})
	w.earned("2: 1 daily earning 0.6") // 0.1 + 0.1 + 0.2 + 0.2 + 0
}

func TestWithdrawFromFlex(t *testing.T) {
	w := newEarn(t)
	w.at(10*hour, invests(anna, flexID, "500"))
	w.at(11*hour, invests(anna, flexID, "100")) // waits until 12:00
	w.refused(because(schema.DivestTooMuch), drawn(anna, "600.01"))
	w.refused(because(schema.DivestLeavesTooLittle), drawn(anna, "590.01"))
	w.refused(about(schema.MoveNotPositive, unit(2)), drawn(anna, "0"))
	w.refused(about(schema.MoveTooPrecise, whole(2)), drawn(anna, "0.001"))
	w.refused(because(schema.InvestmentUnknown), drawn(ben, "1"))
	w.refused(because(schema.InvestmentUnknown), &schema.Divest{Account: anna, Investment: 1})
	if id := w.at(11*hour+30*minute, drawn(anna, "150")).ID; id != 3 { // 100 that wait and 50 that earn
		t.Errorf("the action is %d", id)
	}
	w.earned("1 has 450", "3: 1 withdrawn 150")
	w.at(12*hour-1, invests(anna, flexID, "20"))
	w.at(12*hour-1, drawn(anna, "20"))
	w.saved(anna, "550", "450", "500", "0")
	w.at(13*hour+1, drawn(anna, "440")) // two hours of 0.045
	w.at(fullDay, &schema.Tick{})       // and eleven of 0.001
	w.earned("7: 1 daily earning 0.1")
	w.saved(anna, "990.1", "10", "499.9", "0")

	// The rest of 0.001 and 9 hours of it make one unit.
	if id := w.at(fullDay+9*hour, drawn(anna, "10")).ID; id != 8 {
		t.Errorf("the action is %d", id)
	}
	w.earned("1 has 0 closed", "8: 1 closed 10", "9: 1 daily earning 0.01")
	w.saved(anna, "1000.11", "0", "499.89", "0")
	w.noTimer()
	w.at(fullDay+9*hour, invests(anna, flexID, "10"))
	w.earned("2 has 10", "10: 2 opened 10")
	w.at(fullDay+10*hour, &schema.Divest{Account: anna, Plan: flexID, All: true})
	w.earned("2 has 0 closed", "11: 2 closed 10")
}

// TestReinvest: what is reinvested earns from midnight on, however late it is credited, and max bounds it.
func TestReinvest(t *testing.T) {
	w := newEarn(t)
	w.at(10*hour, invests(anna, flexID, "1000"))
	w.must(&schema.SetReinvest{Account: anna, Plan: flexID, On: true})
	w.earned("1 has 1000 again")
	w.refused(because(schema.InvestmentUnknown), &schema.SetReinvest{Account: ben, Plan: flexID, On: true})
	w.at(13*hour, invests(ben, flexID, "1000")) // no reinvest: 10 hours are 1
	w.at(30*hour, &schema.Tick{})               // 13 hours of 0.1
	w.earned("1 has 1001.3 again", "3: 1 daily earning 1.3", "4: 1 reinvested 1.3", "5: 2 daily earning 1")
	w.saved(anna, "0", "1001.3", "497.7", "0")

	// Five days of 1001.3 are 12.0156; a setting is of the time when it is credited.
	p := flexPlan()
	p.ID, p.Max, p.Rate = flexID, d("1003"), d("0")
	w.at(5*fullDay+23*hour, &schema.SetPlan{Plan: p})
	w.at(6*fullDay+1, &schema.SetReinvest{Account: anna, Plan: flexID})
	w.earned("1 has 1003 again", "6: 1 daily earning 12.01", "7: 1 reinvested 1.7", "1 has 1003")
	w.saved(anna, "10.31", "1003", "485.69", "0")
	w.at(7*fullDay, &schema.Tick{})
	w.earned("8: 2 daily earning 12")
}

// TestReinvestedEarnsFromMidnight: 10000 earn 1 in an hour and so 13 until midnight; these earn 0.0013 in an hour, which are 0.013 in ten.
func TestReinvestedEarnsFromMidnight(t *testing.T) {
	w := newEarn(t)
	w.must(&schema.Deposit{Account: anna, Asset: usd, Amount: d("9000")})
	w.at(10*hour, with(invests(anna, flexID, "10000"), func(c *schema.Invest) { c.Reinvest = true }))
	w.at(34*hour, &schema.Divest{Account: anna, Plan: flexID, All: true})
	w.earned("1 has 10013 again", "2: 1 daily earning 13", "3: 1 reinvested 13", "1 has 0 closed again", "4: 1 closed 10013", "5: 1 daily earning 10.01")
	w.saved(anna, "10023.01", "0", "476.99", "0")
}

// TestTouchedBeforeItsTurn: a command is judged by what is there after the credit, and one that is refused undoes it.
func TestTouchedBeforeItsTurn(t *testing.T) {
	w := newEarn(t)
	w.at(10*hour, with(invests(anna, flexID, "1000"), func(c *schema.Invest) { c.Reinvest = true }))
	w.time = today + fullDay
	w.refused(because(schema.DivestTooMuch), drawn(anna, "1001.31"))
	w.refused(because(schema.DivestLeavesTooLittle), drawn(anna, "1000"))
	w.saved(anna, "0", "1000", "500", "0")
	w.must(drawn(anna, "1001.3"))
	w.earned("1 has 1001.3 again", "2: 1 daily earning 1.3", "3: 1 reinvested 1.3", "1 has 0 closed again", "4: 1 closed 1001.3")
	w.saved(anna, "1001.3", "0", "498.7", "0")
}

// TestInterestRunsOut: what is owed is paid by number and whole, and before it nothing else.
func TestInterestRunsOut(t *testing.T) {
	w := newEarn(t)
	w.at(10*hour, invests(anna, flexID, "1000"))
	w.at(10*hour+1, invests(ben, flexID, "500"))
	w.must(fund("-499"))
	w.refused(because(schema.InterestNotCovered), invests(ben, fixedID, "100"))
	w.at(fullDay, &schema.Tick{}) // 1.3 are more than 1; after that nobody is paid at once
	w.earned()
	w.refused(because(schema.InterestNotCovered), invests(ben, flexID, "1"))
	w.at(fullDay+2*hour, &schema.Divest{Account: anna, Plan: flexID, All: true}) // 0.2 more
	w.earned("1 has 0 closed", "3: 1 closed 1000")
	if got := w.InterestOwed(); len(got) != 2 || got[1] != d("1.5") || got[2] != d("0.65") {
		t.Errorf("owed: %v", got)
	}
	if got := w.Accrued()[2]; got != d("0.1") {
		t.Errorf("accrued: %v", got)
	}
	w.must(fund("0.49"))
	w.at(fullDay+3*hour, &schema.Tick{})
	w.earned() // 1.49 are less than 1.5, though enough for the second
	w.must(fund("0.01"))
	w.at(fullDay+4*hour, &schema.Tick{})
	w.earned("4: 1 daily earning 1.5")
	w.main(anna, usd, "1001.5")
	w.must(fund("100"))
	w.at(fullDay+5*hour, &schema.Tick{})
	w.earned("5: 2 daily earning 0.65")
	w.at(2*fullDay, &schema.Tick{})
	w.earned("6: 2 daily earning 1.2")
}

// TestLooks: so many investments are looked at with a tick, in the order of their numbers, and those of which little accrued count.
func TestLooks(t *testing.T) {
	w := newEarn(t)
	w.EarnLooks = 2
	p := flexPlan()
	for i := range 3 {
		p.Name = fmt.Sprint("flex", i)
		w.must(&schema.SetPlan{Plan: p})
		w.must(invests(anna, flexID+1+schema.PlanID(i), "100"))
	}
	for i := range schema.PlanID(3) {
		w.at(23*hour, invests(ben, flexID+1+i, "100"))
	}
	w.at(fullDay, &schema.Tick{})
	w.earned("7: 1 daily earning 0.13", "8: 2 daily earning 0.13")
	w.timer(today + fullDay + 1)
	w.at(fullDay+1, &schema.Tick{})
	w.earned("9: 3 daily earning 0.13")
	w.at(2*fullDay, &schema.Tick{}) // it begins with the first again
	w.earned("10: 1 daily earning 0.24", "11: 2 daily earning 0.24")
	w.at(2*fullDay+1, &schema.Tick{})
	w.earned("12: 3 daily earning 0.24", "13: 4 daily earning 0.24")
	w.at(2*fullDay+2, &schema.Tick{})
	w.earned("14: 5 daily earning 0.24", "15: 6 daily earning 0.24")
	w.timer(today + 3*fullDay)
}

// TestCreditIsNotInvestedAtOnce: interest that an investment is credited first counts for its bounds, not for what main has.
func TestCreditIsNotInvestedAtOnce(t *testing.T) {
	w := newEarn(t)
	p := flexPlan()
	p.ID, p.Max = flexID, d("950")
	w.must(&schema.SetPlan{Plan: p})
	w.at(10*hour+10, invests(anna, flexID, "900")) // 13 hours of 0.09 are 1.17
	w.time = today + fullDay
	w.refused(because(schema.InvestmentAboveLimit), invests(anna, flexID, "50.01"))
	w.must(&schema.Transfer{Account: anna, Asset: usd, Amount: d("60"), From: schema.Main, To: schema.Trade})
	w.refused(about(schema.InvestmentNotCovered, whole(40)), invests(anna, flexID, "41"))
	w.must(&schema.Transfer{Account: anna, Asset: usd, Amount: d("60"), From: schema.Trade, To: schema.Main})
	w.must(with(invests(anna, flexID, "48"), func(c *schema.Invest) { c.Reinvest = true }))
	w.earned("2: 1 daily earning 1.17", "1 has 948 again", "3: 1 invested 48")
	w.time = today + 2*fullDay
	w.refused(because(schema.InvestmentAboveLimit), invests(anna, flexID, "0.01")) // 948 and 2 of 2.16 + 0.1104
	w.at(3*fullDay, &schema.Tick{})
	w.earned("1 has 950 again", "4: 1 daily earning 4.54", "5: 1 reinvested 2")
}

// TestADayOfInterest: 0.876 in a year are 0.0024 in a day, of 375 0.9 and of 375.01 0.900024.
func TestADayOfInterest(t *testing.T) {
	w := newEarn(t)
	w.must(fund("-499.1"))
	w.at(10*hour, invests(anna, flexID, "370"))
	w.refused(because(schema.InterestNotCovered), invests(ben, flexID, "10"))
	w.must(invests(anna, flexID, "5"))
	w.refused(because(schema.InterestNotCovered), invests(anna, flexID, "0.01"))
}

func TestFlexLimits(t *testing.T) {
	w := newEarn(t)
	p := flexPlan()
	p.ID, p.Max, p.Cap = flexID, d("100"), d("150")
	w.must(&schema.SetPlan{Plan: p})
	w.at(10*hour, invests(anna, flexID, "90"))
	w.refused(because(schema.InvestmentAboveLimit), invests(anna, flexID, "10.01"))
	w.refused(because(schema.InvestmentBelowMin), invests(ben, flexID, "1"))
	w.must(invests(anna, flexID, "1"))
	w.refused(because(schema.InvestmentAboveLimit), invests(ben, flexID, "59.01"))
	w.must(invests(ben, flexID, "59"))
	p.Cap = d("100")
	w.must(&schema.SetPlan{Plan: p})
	w.refused(because(schema.InvestmentAboveLimit), invests(ben, flexID, "10"))
}
