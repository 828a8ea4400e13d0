package naive

import (
	"testing"

	"bourse/internal/schema"
	"pgregory.net/rapid"
)

// usdtRate is 0.0585 % a day.
const usdtRate = "0.000024375"

func TestInterestOfWholeMinutes(t *testing.T) {
	a := &accrual{rate: n(usdtRate), at: 10 * hour}
	l := &loan{scale: 8}
	l.lend(n("40000"), a)
	same(t, "counted to the next hour at once", l.accrued(a.toNextHour()), "0.975")
	a.advance(10*hour + minute - 1)
	same(t, "before a minute is over", l.accrued(a.sum), "0")
	a.advance(10*hour + 30*minute + 59*second)
	same(t, "after 30 minutes", l.accrued(a.sum), "0.4875")
	same(t, "then counted to the hour", l.accrued(a.toNextHour()), "0.975")
	a.advance(11*hour - 1)
	same(t, "until the hour", l.accrued(a.toNextHour()), "0.975")
	a.advance(11 * hour)
	same(t, "at the hour", l.accrued(a.toNextHour()), "1.95")
	a.advance(11*hour + 30*minute)
	same(t, "after 90 minutes", l.accrued(a.sum), "1.4625")
}

func TestRepaymentTakesInterestFirst(t *testing.T) {
	a := &accrual{rate: n(usdtRate)}
	l := &loan{scale: 8}
	l.lend(n("40000"), a)
	a.advance(90 * minute)
	same(t, "paid", l.repay(n("1"), a, false), "1")
	same(t, "interest", l.interest, "0.4625")
	same(t, "principal", l.principal, "40000")
	a.advance(150 * minute) // interest bears none
	same(t, "accrued", l.accrued(a.sum), "0.975")
	same(t, "paid", l.repay(n("10000"), a, false), "10000")
	same(t, "principal", l.principal, "30001.4375")
	same(t, "paid", l.repay(n("99999"), a, false), "30001.4375")
	same(t, "most owed", l.mostOwed, "40001.4625")
	same(t, "most lent", l.mostLent, "40000")
	same(t, "cost", l.cost, "2.4375")
	if l.status() != "repaid" {
		t.Errorf("the loan is %s", l.status())
	}
}

func TestStatusOfALoan(t *testing.T) {
	a := &accrual{}
	l := &loan{scale: 8}
	l.lend(n("5"), a)
	l.repay(n("4"), a, true)
	if l.status() != "active" {
		t.Errorf("with a debt left it is %s", l.status())
	}
	l.repay(n("1"), a, true)
	if l.status() != "liquidated" {
		t.Errorf("after a risk order brought zero it is %s", l.status())
	}
	l = &loan{scale: 8}
	l.lend(n("5"), a)
	l.repay(n("4"), a, true)
	l.repay(n("1"), a, false)
	if l.status() != "repaid" {
		t.Errorf("after anything else brought zero it is %s", l.status())
	}
}

func TestWhatCanBeLent(t *testing.T) {
	same(t, "shortfall", shortfall(n("10"), n("12.5")), "2.5")
	same(t, "no shortfall", shortfall(n("10"), n("10")), "0")
	same(t, "room under the cap", poolRoom(n("100"), n("70"), n("1000")), "30")
	same(t, "room in the pool", poolRoom(n("100"), n("70"), n("20")), "20")
	same(t, "a pool in debt", poolRoom(n("100"), n("70"), n("-5")), "0")
	same(t, "excess", excess(n("120"), n("100")), "20")
	same(t, "no excess", excess(n("100"), n("100")), "0")
	for _, c := range []struct {
		name, amount, debt string
		want               bool
	}{
		{"all of the room", "30", "0", true},
		{"more than the room", "30.00000001", "0", false},
		{"up to the cap", "10", "90", true},
		{"above the cap", "10.00000001", "90", false},
	} {
		if got := mayLend(n(c.amount), n("30"), n("100"), n(c.debt)); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// TestInterestIsNeverTooLow: however a loan changes, what is booked is not below the exact interest on the
// principal, and above it by less than a unit for each change; all that was repaid is what was lent and
// the cost; and inside an hour the interest to its end does not move.
func TestInterestIsNeverTooLow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := uint8(rapid.IntRange(0, 18).Draw(t, "scale"))
		a := &accrual{rate: positives(18).Draw(t, "rate").times(unit(9)).ceil(smallest)}
		l := &loan{scale: scale}
		exact, lent, paid, bookings := num{}, num{}, num{}, int64(0)
		now := schema.Time(rapid.Int64Range(0, int64(hour)).Draw(t, "start"))
		a.advance(now)
		a.sum = num{}
		for range rapid.IntRange(1, 10).Draw(t, "changes") {
			toHour, at := l.accrued(a.toNextHour()), a.at
			passed := schema.Time(rapid.Int64Range(0, int64(2*hour)).Draw(t, "passed"))
			exact = exact.plus(l.principal.times(a.rate).times(whole(int64((now+passed)/minute - now/minute))).over(whole(60)))
			now += passed
			a.advance(now)
			if a.at/hour == at/hour && l.accrued(a.toNextHour()).cmp(toHour) != 0 {
				t.Fatalf("time moved the interest inside an hour")
			}
			bookings++
			if rapid.Bool().Draw(t, "lends") {
				amount := positives(int(scale)).Draw(t, "amount")
				l.lend(amount, a)
				lent = lent.plus(amount)
			} else {
				took := l.repay(positives(int(scale)).Draw(t, "credit"), a, false)
				paid = paid.plus(took)
			}
			if l.cost.less(exact) || !l.cost.less(exact.plus(unit(scale).times(whole(bookings)))) {
				t.Fatalf("booked %v, exact is %v", l.cost.rat(), exact.rat())
			}
			if l.interest.sign() < 0 || l.principal.sign() < 0 || lent.plus(l.cost).minus(paid).cmp(l.debt()) != 0 {
				t.Fatalf("lent %v, cost %v, paid %v, debt %v", lent.rat(), l.cost.rat(), paid.rat(), l.debt().rat())
			}
			if l.debt().more(l.mostOwed) || l.principal.more(l.mostLent) {
				t.Fatalf("above a peak: %+v", l)
			}
		}
	})
}
