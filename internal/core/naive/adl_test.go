package naive

import (
	"testing"

	"pgregory.net/rapid"
)

// deleveraged is a position of 1 on the first market of an account, to be deleveraged.
func deleveraged(p *portfolio, last string) deleverage {
	return deleverage{
		account: p, seat: p.seats[0], long: p.seats[0].net().sign() > 0,
		last: n(last), taker: n("0.0005"), markBand: n("0.005"),
	}
}

func TestPriceOfDeleveragingAShort(t *testing.T) {
	v := newVenue()
	v.perp.mark = n("42000")
	short := v.account(100, "840", "0")
	short.trade(0, "-1", "42000", "0")
	d := deleveraged(short, "42000")
	same(t, "published", d.published(), "42798")
	same(t, "bound", d.bankruptcy(), "42818.59")
	same(t, "price", d.price(), "42798")

	v.perp.mark = n("40000")
	short = v.account(100, "800", "0")
	short.trade(0, "-1", "40000", "0")
	d = deleveraged(short, "42000")
	same(t, "published, with a last price that is too far away", d.published(), "40963.8")
	same(t, "bound", d.bankruptcy(), "40779.61")
	same(t, "price", d.price(), "40779.61")
	short.trade(0, "1", "40779.61", "0.0005")
	same(t, "what is left", short.total(), "0.000195")
}

func TestPriceOfDeleveragingAfterAGap(t *testing.T) {
	v := newVenue()
	bob := newBob(v)
	v.perp.mark = n("25000")
	same(t, "total", bob.total(), "-24025")
	d := deleveraged(bob, "25000")
	same(t, "published", d.published(), "49050")
	same(t, "bound", d.bankruptcy(), "49049.53")
	same(t, "price", d.price(), "49049.53")

	winner := func(usdt, entry string) *portfolio {
		p := v.account(10, usdt, "0")
		p.trade(0, "-1", entry, "0")
		return p
	}
	close := func(price num) *portfolio {
		closed := bob.copied()
		value := v.perp.value(one, price)
		closed.settle(closed.seats[0].fill(one.neg(), value, value.times(n("0.0005"))))
		return closed
	}
	rich := winner("20000", "50000")
	price := d.bounded(d.price(), rich, rich.seats[0], one)
	same(t, "price with a winner who has enough", price, "49049.53")
	same(t, "what is left of bob", close(price).total(), "0.005235")

	first := winner("100000", "45000")
	price = d.bounded(d.price(), first, first.seats[0], one)
	same(t, "price with one who entered below", price, "45000")
	same(t, "what is left of bob", close(price).total(), "-4047.5")

	v.other.brackets, v.other.mark = nil, n("100000")
	second := winner("2000", "45000")
	second.leverage = 100
	second.seats[1].fill(n("5"), n("500000"), num{}) // a maintenance margin of 2500
	same(t, "total", second.total(), "22000")
	same(t, "maintenance after the cut", second.without(second.seats[0], false, one).maintenance(), "2500")
	price = d.bounded(d.price(), second, second.seats[0], one)
	same(t, "price with one who needs margin elsewhere", price, "44500")
	same(t, "what is left of bob", close(price).total(), "-4547.25")
	second.trade(0, "1", "44500", "0")
	same(t, "what is left of the winner", second.total(), "2500")

	called := winner("2000", "45000")
	called.leverage = 100
	called.seats[1].fill(n("50"), n("5000000"), num{}) // 25000
	same(t, "price with one who is unsafe already", d.bounded(d.price(), called, called.seats[0], one), "25000")
}

// TestBoundsOfAWinnerAreTicksInItsFavour: its entry and what its margin allows lie between ticks.
func TestBoundsOfAWinnerAreTicksInItsFavour(t *testing.T) {
	v := newVenue()
	winner := func(usdt, size, value string) *portfolio {
		p := v.account(10, usdt, "0")
		p.seats[0].fill(n(size), n(value), num{})
		return p
	}
	v.perp.mark = n("25000")
	short := winner("90000", "-3", "134999.99") // 44999.9966
	same(t, "entry of a short", short.worstPrice(short.seats[0], false, one), "44999.99")
	short = winner("-57000.001", "-3", "135000") // 2999.999 of 1710.00003 for its loan and 2250
	same(t, "margin of a short", short.worstPrice(short.seats[0], false, one), "25000")
	short = winner("-55000.001", "-3", "135000") // 4999.999 less 1650.00003 and 1500
	same(t, "margin of a short that is safe", short.worstPrice(short.seats[0], false, one), "26849.99")

	v.perp.mark = n("60000")
	long := winner("90000", "3", "135000.01") // 45000.0033
	same(t, "entry of a long", long.worstPrice(long.seats[0], true, one), "45000.01")
	long = winner("-35000.001", "3", "135000") // 9999.999 less 1050.00003 and 3600
	same(t, "margin of a long", long.worstPrice(long.seats[0], true, one), "54650.01")
}

// TestShareOfADeficit: a position bears the part of the deficit that its notional has.
func TestShareOfADeficit(t *testing.T) {
	v := newVenue()
	p := v.account(100, "1000", "0")
	p.trade(0, "1", "50000", "0")
	p.trade(1, "1", "50000", "0")
	v.perp.mark, v.other.mark = n("40000"), n("10000")
	same(t, "total", p.total(), "-49000")
	same(t, "bound", deleveraged(p, "40000").bankruptcy(), "79239.62") // (40000+39200)/0.9995
}

func TestOrderOfDeleveraging(t *testing.T) {
	list := []ranked{
		{5, n("10"), n("100")},
		{3, n("20"), n("200")}, // even with 5
		{7, n("30"), n("100")},
		{2, n("1"), n("-5")}, // no equity: first
		{8, n("2"), n("0")},
		{4, n("0"), n("50")},
		{1, n("-5"), n("50")},
		{6, n("-5"), n("-50")},
	}
	want := []int{2, 8, 7, 3, 5}
	got := adlOrder(list)
	if len(got) != len(want) {
		t.Fatalf("chosen are %v", got)
	}
	for i, r := range got {
		if r.position != want[i] {
			t.Errorf("place %d has position %d, want %d", i, r.position, want[i])
		}
	}
}

func TestGrades(t *testing.T) {
	ratings := func(count int) []ranked {
		var list []ranked
		for i := range count {
			list = append(list, ranked{i, whole(int64(i - 1)), one})
		}
		return list
	}
	for count, want := range map[int][]int{
		1:  {4},
		4:  {0, 1, 2, 4},
		20: {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 4},
	} {
		got := grades(ratings(count))
		for position, grade := range want {
			if got[position] != grade {
				t.Errorf("of %d the position %d has grade %d, want %d", count, position, got[position], grade)
			}
		}
	}
	even := grades([]ranked{{1, one, one}, {2, one, one}})
	if even[1] != 4 || even[2] != 1 {
		t.Errorf("even ratings go by id: %v", even)
	}
}

// TestDeleveragingSparesTheWinner: whatever the deficit is, a winner realizes no loss, and keeps its
// maintenance margin or, if it had less, what it had.
func TestDeleveragingSparesTheWinner(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		v := newVenue()
		s, winner := randomFuture(t, v)
		if s.unrealized().sign() <= 0 {
			return
		}
		checked++
		long := s.net().sign() > 0
		loser := v.account(100, "0", "0")
		loser.credit(positives(2).Draw(t, "lost").neg())
		loser.seats[0].fill(s.net().neg(), s.market.value(s.net(), s.market.mark), num{})
		size := s.net().abs().times(whole(rapid.Int64Range(1, 1000).Draw(t, "part"))).over(whole(1000)).ceil(unit(9))
		d := deleverage{
			account: loser, seat: loser.seats[0], long: !long, taker: n("0.0005"), markBand: n("0.005"),
			last: s.market.tick.times(whole(rapid.Int64Range(1, 1e9).Draw(t, "last"))),
		}
		price := d.bounded(d.price(), winner, s, size)
		if !price.multipleOf(s.market.tick) {
			t.Fatalf("%v is no tick", price.rat())
		}
		if limit := d.price(); long == price.less(limit) && price.cmp(limit) != 0 {
			t.Fatalf("%v is better for the loser than %v", price.rat(), limit.rat())
		}
		had, needed, covered := winner.total(), winner.maintenance(), winner.covers(one)
		cut := winner.copied()
		change := cut.seats[0].fill(signed(!long, size), s.market.value(size, price), num{})
		cut.settle(change)
		if change[0].realized.sign() < 0 {
			t.Fatalf("the winner realized %v", change[0].realized.rat())
		}
		// The cut position's product is rounded once more.
		if covered && cut.total().plus(smallest).less(cut.maintenance()) {
			t.Fatalf("the winner had %v of %v and has %v of %v", had.rat(), needed.rat(), cut.total().rat(), cut.maintenance().rat())
		}
		if !covered && cut.total().plus(smallest).less(had) {
			t.Fatalf("the winner had %v and has %v", had.rat(), cut.total().rat())
		}
	})
	if checked == 0 {
		t.Error("nobody won")
	}
}

// TestDeleveragingLeavesTheLoserNothing: as long as no winner holds the price back, the account ends with
// what the tick leaves, not below zero, and a long is not sold above what it needs or the mark gives.
func TestDeleveragingLeavesTheLoserNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := newVenue()
		s, p := randomFuture(t, v)
		long := s.net().sign() > 0
		other := p.seats[1]
		p.credit(other.unrealized())
		other.long, other.short = position{}, position{} // all of a deficit is this position's
		p.holdings[1].collateral, p.holdings[1].debt = num{}, num{}
		usdt := p.holdings[0]
		usdt.weight = one
		if usdt.debt.sign() > 0 {
			p.credit(usdt.debt) // no naked loan
		}
		d := deleverage{
			account: p, seat: s, long: long, taker: n("0.0005"), markBand: n("0.005"),
			last: s.market.tick.times(whole(rapid.Int64Range(1, 1e9).Draw(t, "last"))),
		}
		price := d.price()
		if price.sign() <= 0 {
			return // there is more than can be lost
		}
		value := s.net().abs().times(price)
		closed := p.copied()
		closed.settle(closed.seats[0].fill(s.net().neg(), value, value.times(d.taker)))
		if closed.total().plus(smallest).sign() < 0 {
			t.Fatalf("%v is left", closed.total().rat())
		}
		bound := d.bankruptcy()
		if long && price.more(greatest(s.market.mark, bound)) || !long && price.less(least(s.market.mark, bound)) {
			t.Fatalf("closed at %v, the mark is %v and the bound %v", price.rat(), s.market.mark.rat(), bound.rat())
		}
	})
}

// TestRoundingsOfPrices: what prices are divided by is rounded against the account, a margin and a deficit down.
func TestRoundingsOfPrices(t *testing.T) {
	taker, liquidation := n("0.000500000000000001"), n("0.002")
	for _, c := range []struct {
		usdt, size, cost        string
		total                   string
		limit, published, bound string
	}{
		{"1", "0.001", "50.000000000000000001", "1", "49122.807017543859700354", "49050.000000000000150981", "49024.512256128113082054"},
		{"1", "-0.001", "50.000000000000000001", "1", "50872.81795511221940061", "50949.999999999999851018", "50974.512743628134959007"},
		{"0", "0.001", "51.000000000000000002", "-1.000000000000000001", "51025.512756378240147587", "51050.000000000000151021", "51025.512756378240147587"},
		{"0", "-0.001", "49", "-1.000000000000000001", "48975.512243878012018478", "48949.999999999999850978", "48975.512243878012018478"},
	} {
		v := newVenue()
		v.perp.mark, v.perp.tick = n("50000.000000000000001"), smallest
		p := v.account(10, c.usdt, "0")
		p.seats[0].fill(n(c.size), n(c.cost), num{})
		same(t, "total", p.total(), c.total)
		d := deleverage{account: p, seat: p.seats[0], long: n(c.size).sign() > 0, last: v.perp.mark, taker: taker, markBand: n("0.005")}
		same(t, "limit", p.closingLimit(d.seat, d.long, n("0.001"), taker, liquidation), c.limit)
		same(t, "published", d.published(), c.published)
		same(t, "bound", d.bankruptcy(), c.bound)
		if p.total().sign() < 0 { // beside a position that bears two thirds of the deficit
			p.seats[1].fill(n("0.002"), n("100"), num{})
			shared := map[bool]string{true: "50358.512589628197792409", false: "49641.845743794719665321"}
			same(t, "bound with a share", d.bankruptcy(), shared[d.long])
		}
	}
}
