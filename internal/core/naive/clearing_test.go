package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
	"pgregory.net/rapid"
)

// newClearing is a clearing of the first market, whose maker pays 0.02 % and whose taker pays 0.05 %.
func newClearing() *clearing {
	v := newVenue()
	return &clearing{
		market: v.perp, usdt: v.usdt, maker: n("0.0002"), taker: n("0.0005"), liquidation: n("0.002"), markBand: n("0.005"),
		interest: accrual{rate: n(usdtRate)}, last: n("50000"),
	}
}

// sum is over all accounts.
func (c *clearing) sum(of func(*member) num) num {
	sum := num{}
	for _, m := range c.members {
		sum = sum.plus(of(m))
	}
	return sum
}

// worth is what everyone together has. At a fixed mark only deposits change it.
func (c *clearing) worth() num {
	return c.sum(func(m *member) num {
		return m.holding().collateral.plus(m.seat().unrealized()) // the debt is a claim of the pool
	}).plus(c.fees).plus(c.insurance).plus(c.lending)
}

// holds checks what must hold after each command.
func (c *clearing) holds(t interface{ Fatalf(string, ...any) }) {
	money := c.sum(func(m *member) num { return m.holding().collateral }).
		plus(c.balance).plus(c.insurance).plus(c.fees).plus(c.lending).plus(c.outside)
	if money.sign() != 0 {
		t.Fatalf("all money sums up to %v", money.rat())
	}
	if net := c.sum(func(m *member) num { return m.seat().net() }); net.sign() != 0 {
		t.Fatalf("all positions sum up to %v", net.rat())
	}
	if cost := c.sum(func(m *member) num { return m.seat().cost() }); cost.plus(c.balance).sign() != 0 {
		t.Fatalf("the costs are %v, the clearing account has %v", cost.rat(), c.balance.rat())
	}
	for _, m := range c.members {
		h := m.holding()
		if h.collateral.sign() < 0 || h.debt.sign() < 0 || h.collateral.sign() > 0 && h.debt.sign() > 0 {
			t.Fatalf("account %d has %v and owes %v", m.id, h.collateral.rat(), h.debt.rat())
		}
		if h.debt.cmp(m.loan.debt()) != 0 {
			t.Fatalf("account %d owes %v, its loan is %v", m.id, h.debt.rat(), m.loan.debt().rat())
		}
	}
}

// story is a clearing with bob long 1 at 50000 with a leverage of 100 and 975 USDT left, and a winner
// against him.
func story(t *testing.T, winnerUSDT string) (c *clearing, bob, winner *member) {
	c = newClearing()
	bob, winner = c.join(100), c.join(10)
	c.deposit(bob, n("1000"))
	c.deposit(winner, n(winnerUSDT))
	if !c.place(winner, false, n("1"), n("50000")) || !c.place(bob, true, n("1"), n("50000")) {
		t.Fatal("not covered")
	}
	c.holds(t)
	same(t, "bob has", bob.equity(), "975")
	same(t, "the winner has", winner.equity(), n(winnerUSDT).minus(n("10")).decimal().String())
	return c, bob, winner
}

func TestLiquidationInTheBook(t *testing.T) {
	c, bob, _ := story(t, "20000")
	maker := c.join(10)
	c.deposit(maker, n("100000"))
	c.place(maker, true, n("3"), n("49260"))
	c.market.mark = n("49270")
	worth := c.worth()
	c.unwindAll()
	c.holds(t)
	same(t, "equity", bob.equity(), "759.2125")
	same(t, "total", bob.total(), "211.7125")
	same(t, "position", bob.seat().net(), "0.75")
	same(t, "insurance", c.insurance, "24.63")
	if c.worth().cmp(worth) != 0 {
		t.Errorf("worth %v was %v", c.worth().rat(), worth.rat())
	}
	c.unwindAll()
	same(t, "a safe account is left alone", bob.seat().net(), "0.75")
}

func TestGapWithAWinner(t *testing.T) {
	c, bob, winner := story(t, "20000")
	c.market.mark, c.last = n("25000"), n("25000")
	worth := c.worth()
	c.unwindAll()
	c.holds(t)
	same(t, "bob has", bob.total(), "0.005235")
	same(t, "the winner has", winner.total(), "20940.47") // 19990 and 950.47
	same(t, "insurance", c.insurance, "0")
	same(t, "clearing", c.balance, "0")
	if c.worth().cmp(worth) != 0 {
		t.Errorf("worth %v was %v", c.worth().rat(), worth.rat())
	}
}

// TestGapBeyondTheWinner: the winner entered at 45000 and is closed there; the fund pays the rest.
func TestGapBeyondTheWinner(t *testing.T) {
	c, bob, first := story(t, "20000")
	second := c.join(10)
	c.deposit(second, n("20000"))
	c.market.mark = n("45000")
	c.place(second, false, n("1"), n("45000"))
	c.place(first, true, n("1"), n("45000")) // what the first won is the second's now
	c.holds(t)
	c.market.mark, c.last = n("25000"), n("25000")
	worth := c.worth()
	c.unwindAll()
	c.holds(t)
	same(t, "insurance", c.insurance, "-4047.5")
	same(t, "bob owes", bob.holding().debt, "0")
	if bob.loan.status() != "liquidated" {
		t.Errorf("bob's loan is %s", bob.loan.status())
	}
	same(t, "second", second.total(), "19991")
	same(t, "clearing", c.balance, "0")
	if c.worth().cmp(worth) != 0 {
		t.Errorf("worth %v was %v", c.worth().rat(), worth.rat())
	}
}

// TestNoWinner: bob is unsafe by funding, and nobody has a profit. His position stays until somebody wins.
func TestNoWinner(t *testing.T) {
	c, bob, winner := story(t, "20000")
	c.settleFunding(n("0.016"))
	c.holds(t)
	same(t, "bob has", bob.total(), "175")
	c.unwindAll()
	same(t, "bob's position", bob.seat().net(), "1")
	c.market.mark = n("49990")
	c.unwindAll()
	c.holds(t)
	same(t, "bob's position then", bob.seat().net(), "0")
	same(t, "bob has then", bob.total(), "35.01752") // closed at 49884.96: 50000 less (165/49990-0.001) of it
	same(t, "the winner has", winner.total(), "20905.04")
}

func TestInterestIsCountedToTheHour(t *testing.T) {
	c, bob, _ := story(t, "20000")
	c.credit(bob, n("-40975"), false)
	c.outside = c.outside.plus(n("40975"))
	same(t, "bob has", bob.equity(), "-40000.975")
	c.tick(hour - 1)
	same(t, "bob has within the hour", bob.equity(), "-40000.975")
	c.tick(hour)
	same(t, "bob has at the hour", bob.equity(), "-40001.95")
	c.deposit(bob, n("100"))
	same(t, "paid to the pool", c.lending, "-39900")
	same(t, "bob owes", bob.holding().debt, "39900.975")
	c.holds(t)
}

// TestRandomClearing: whatever accounts do and prices become, money and positions are conserved, what all
// have together changes by deposits alone while the mark stands still, no mark within the range of an
// account makes it unsafe, book fills never take what is left of a liquidated account, nobody is left
// below zero without a position, and when all is closed nothing is left in the clearing account.
func TestRandomClearing(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := newClearing()
		thousandths := func(name string, of num, parts ...int64) num {
			return of.times(whole(rapid.SampledFrom(parts).Draw(t, name))).over(whole(1000))
		}
		for _, leverage := range []int64{100, 100, 50, 20, 10} {
			c.deposit(c.join(leverage), thousandths("deposit", whole(1_000_000), 1, 5, 20, 100))
		}
		now := schema.Time(0)
		for range rapid.IntRange(10, 40).Draw(t, "commands") {
			m := rapid.SampledFrom(c.members).Draw(t, "account")
			worth := c.worth()
			switch rapid.SampledFrom([]string{"deposit", "fund", "tick", "mark", "gap", "order", "order", "order", "order", "order", "order"}).Draw(t, "command") {
			case "deposit":
				amount := whole(rapid.Int64Range(-500_000, 500_000).Draw(t, "amount")).times(unit(2))
				if c.deposit(m, amount) {
					worth = worth.plus(amount)
				}
			case "fund":
				c.settleFunding(whole(rapid.Int64Range(-3e12, 3e12).Draw(t, "rate")).times(unit(16)))
			case "tick":
				now += schema.Time(rapid.Int64Range(0, int64(3*hour)).Draw(t, "passed"))
				c.tick(now)
			case "mark":
				c.moveChecked(t, thousandths("moved", c.market.mark, 950, 980, 990, 995, 1005, 1010, 1020, 1050).ceil(c.market.tick))
				worth = c.worth()
				c.unwindChecked(t, seen)
			case "gap":
				c.moveChecked(t, thousandths("moved", c.market.mark, 500, 700, 1500, 2000).ceil(c.market.tick))
				worth = c.worth()
				c.unwindChecked(t, seen)
			case "order":
				price := thousandths("price", c.market.mark, 990, 999, 1000, 1001, 1010).ceil(c.market.tick)
				size := thousandths("size", m.equity().over(price).times(whole(m.leverage)), 50, 200, 500, 900).truncate(c.market.step)
				if size.sign() > 0 && c.place(m, rapid.Bool().Draw(t, "buy"), size, price) {
					seen["placed"]++
				}
			}
			c.holds(t)
			if c.worth().cmp(worth) != 0 {
				t.Fatalf("all have %v and had %v", c.worth().rat(), worth.rat())
			}
		}
		worth := c.worth()
		c.delist()
		c.holds(t)
		if c.balance.sign() != 0 || c.worth().cmp(worth) != 0 {
			t.Fatalf("the clearing account has %v, all have %v and had %v", c.balance.rat(), c.worth().rat(), worth.rat())
		}
	})
	if seen["placed"] == 0 || seen["liquidated"] == 0 {
		t.Errorf("too little happened: %v", seen)
	}
	t.Log(seen)
}

// moveChecked moves the mark and holds the ranges of all accounts against a look at each.
func (c *clearing) moveChecked(t *rapid.T, mark num) {
	ranges := map[*member][]watch{}
	for _, m := range c.members {
		if m.covers(callFactor) {
			_, ranges[m] = m.watches(callFactor)
		}
	}
	c.market.mark = mark
	for m, all := range ranges {
		inside := !slices.ContainsFunc(all, func(w watch) bool { return !w.safe(c.market.price()) })
		if inside && !m.covers(callFactor) {
			t.Fatalf("account %d has %v of %v within its range", m.id, m.total().rat(), m.maintenance().rat())
		}
	}
}

// unwindChecked liquidates and looks at each account before and after.
func (c *clearing) unwindChecked(t *rapid.T, seen map[string]int) {
	type before struct {
		unsafe, quoted bool
		net            num
	}
	were := map[*member]before{}
	for _, m := range c.members {
		quoted := slices.ContainsFunc(c.book, func(o *quote) bool { return o.owner == m })
		were[m] = before{!m.covers(one), quoted, m.seat().net()}
	}
	insurance := c.insurance
	for _, m := range c.unsafe() {
		total := m.total()
		c.closeInBook(m)
		if total.sign() > 0 && m.total().sign() < 0 {
			t.Fatalf("the book took %v of account %d to %v", total.rat(), m.id, m.total().rat())
		}
		c.finish(m)
	}
	if c.insurance.less(insurance) {
		seen["written off"]++
	}
	for m, was := range were {
		changed := m.seat().net().cmp(was.net) != 0
		switch {
		case was.unsafe && changed:
			seen["liquidated"]++
		case !was.quoted && changed:
			seen["deleveraged"]++
		}
		if was.unsafe && !m.covers(one) {
			seen["left open"]++
			if m.seat().empty() {
				t.Fatalf("account %d has %v without a position", m.id, m.total().rat())
			}
		}
	}
}
