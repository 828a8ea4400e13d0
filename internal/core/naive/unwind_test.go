package naive

import "testing"

func TestOrdersThatAreNotCovered(t *testing.T) {
	c := newClearing()
	m := c.join(10)
	c.deposit(m, n("5000"))
	if c.place(m, true, n("1"), n("50000")) || !c.place(m, true, n("0.9"), n("50000")) {
		t.Error("5000 cover 45000 at a leverage of 10, and not 50000 with a fee")
	}
	if c.place(m, true, n("0.2"), n("50000")) {
		t.Error("beside the other order")
	}
	if c.deposit(m, n("-501")) || !c.deposit(m, n("-500")) {
		t.Error("what an order binds cannot leave")
	}
}

// TestOrdersWithoutRoomEnd: both were covered when they were placed and are not when they meet.
func TestOrdersWithoutRoomEnd(t *testing.T) {
	c := newClearing()
	poor, rich, taker := c.join(100), c.join(10), c.join(10)
	c.deposit(poor, n("600"))
	c.deposit(rich, n("100000"))
	c.deposit(taker, n("100000"))
	c.place(poor, true, n("1"), n("50000"))
	c.place(rich, true, n("1"), n("49900"))
	c.market.mark = n("49800") // poor would lose 200 at once and have 400 for 498
	c.place(taker, false, n("1"), n("49900"))
	c.holds(t)
	same(t, "the maker without room has", poor.seat().net(), "0")
	same(t, "the next one has", rich.seat().net(), "1")
	same(t, "the last price is", c.last, "49900")
	if len(c.book) != 0 {
		t.Errorf("%d orders are left", len(c.book))
	}

	// An order against the position at the mark binds nothing, but closing would leave a debt to others.
	owner := c.join(100)
	c.deposit(owner, n("600"))
	c.place(taker, false, n("1"), n("49800"))
	c.place(owner, true, n("1"), n("49800"))
	same(t, "its owner has", owner.total(), "575.1")
	c.market.mark = n("49000")
	c.place(rich, true, n("1"), n("49000"))
	if !c.place(owner, false, n("1"), n("49000")) {
		t.Error("it binds nothing")
	}
	same(t, "a taker without room keeps", owner.seat().net(), "1")
	if len(c.book) != 1 {
		t.Errorf("%d orders are left", len(c.book))
	}
	c.holds(t)
}

func TestLiquidationEndsOrders(t *testing.T) {
	c, bob, winner := story(t, "20000")
	c.place(bob, false, n("1"), n("52000"))
	c.place(winner, false, n("0.001"), n("53000"))
	c.place(winner, true, n("0.001"), n("1000"))
	c.market.mark, c.last = n("25000"), n("25000")
	c.unwindAll()
	c.holds(t)
	if len(c.book) != 0 {
		t.Errorf("%d orders of those that were closed are left", len(c.book))
	}
	same(t, "bob has", bob.seat().net(), "0")
	same(t, "the winner has", winner.seat().net(), "0")
}

// TestOnlyTheOtherSidePays: carol wins more than anybody, on bob's own side.
func TestOnlyTheOtherSidePays(t *testing.T) {
	c := newClearing()
	c.market.mark = n("20000")
	carol, dave := c.join(10), c.join(10)
	c.deposit(carol, n("2100"))
	c.deposit(dave, n("100000"))
	c.place(dave, false, n("1"), n("20000"))
	c.place(carol, true, n("1"), n("20000"))
	c.market.mark = n("50000")
	bob, winner := c.join(100), c.join(10)
	c.deposit(bob, n("1000"))
	c.deposit(winner, n("20000"))
	c.place(winner, false, n("1"), n("50000"))
	c.place(bob, true, n("1"), n("50000"))
	c.market.mark, c.last = n("25000"), n("25000")
	c.unwindAll()
	c.holds(t)
	for _, want := range []struct {
		*member
		net string
	}{{carol, "1"}, {dave, "-1"}, {bob, "0"}, {winner, "0"}} {
		same(t, "a position", want.seat().net(), want.net)
	}
}

// TestWriteOffPaysTheInterestToo: the fund pays what bob owes to the minute.
func TestWriteOffPaysTheInterestToo(t *testing.T) {
	c, bob, _ := story(t, "20000")
	c.credit(bob, n("-40975"), false)
	c.outside = c.outside.plus(n("40975"))
	c.tick(90 * minute)
	bob.seat().fill(n("-1"), n("50000"), num{}) // out of the way
	c.finish(bob)
	same(t, "insurance", c.insurance, "-40001.4625")
	same(t, "lending", c.lending, "1.4625")
	same(t, "bob owes", bob.holding().debt, "0")
	same(t, "nor anything unbooked", bob.holding().accrued, "0")
}
