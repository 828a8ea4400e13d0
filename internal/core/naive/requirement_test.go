package naive

import (
	"testing"

	"pgregory.net/rapid"
)

func buy(size, price string) pending {
	return pending{buy: true, size: n(size), value: n(size).times(n(price)), worse: worseThan(true, n(price), n("50000"))}
}

func sell(size, price string) pending {
	return pending{size: n(size), value: n(size).times(n(price)), worse: worseThan(false, n(price), n("50000"))}
}

func reduceOnly(o pending) pending {
	o.reduceOnly = true
	return o
}

func forLong(o pending) pending {
	o.long = true
	return o
}

func TestReachOfAPosition(t *testing.T) {
	long, short := position{size: n("1"), cost: n("50000")}, position{size: n("-1"), cost: n("-50000")}
	for _, c := range []struct {
		name   string
		seat   seat
		hedge  bool
		orders []pending
		want   string
	}{
		{"sells close the position first", seat{long: long}, false, []pending{buy("0.5", "49000"), sell("3", "51000")}, "2"},
		{
			"reduce-only orders leave less to close",
			seat{long: long},
			false,
			[]pending{buy("0.5", "49000"), sell("3", "51000"), reduceOnly(sell("0.4", "51000"))},
			"2.4",
		},
		{
			"those for the whole position leave nothing",
			seat{long: long},
			false,
			[]pending{buy("0.5", "49000"), sell("3", "51000"), reduceOnly(sell("1", "51000"))},
			"3",
		},
		{
			"no more than the position",
			seat{long: long},
			false,
			[]pending{sell("3", "51000"), reduceOnly(sell("1", "51000")), reduceOnly(sell("1", "49000"))},
			"3",
		},
		{"mirrored for a short", seat{short: short}, false, []pending{sell("0.5", "51000"), buy("3", "49000"), reduceOnly(buy("0.4", "49000"))}, "2.4"},
		{"orders without a position", seat{}, false, []pending{buy("0.5", "49000"), sell("3", "51000")}, "3"},
		{"a position without orders", seat{long: long}, false, nil, "1"},
		{
			"the larger side of a hedge",
			seat{long: long, short: short},
			true,
			[]pending{forLong(buy("0.5", "49000")), sell("3", "51000"), reduceOnly(forLong(sell("1", "51000"))), reduceOnly(buy("9", "49000"))},
			"4",
		},
		{"of a hedge with buys", seat{long: long, short: short}, true, []pending{forLong(buy("0.5", "49000"))}, "1.5"},
	} {
		c.seat.market, c.seat.orders = newVenue().perp, c.orders
		same(t, c.name, c.seat.reach(c.hedge), c.want)
	}
	pair := seat{market: newVenue().pair, long: long, orders: []pending{buy("0.5", "49000"), sell("3", "51000")}}
	same(t, "pairs know no hedge", pair.reach(true), "2")
	s := seat{long: long, orders: []pending{reduceOnly(sell("0.4", "51000")), sell("9", "51000")}}
	same(t, "what is reduced", s.reducing(), "0.4")
	s.orders = append(s.orders, reduceOnly(sell("1", "49000")))
	same(t, "what is reduced at most", s.reducing(), "1")
}

func TestOpenLoss(t *testing.T) {
	v := newVenue()
	s := &seat{market: v.perp, orders: []pending{buy("1", "50100"), buy("1", "49000")}}
	same(t, "only the buy above the mark loses", s.openLoss(), "100")
	v.perp.mark = n("50150")
	same(t, "at a higher mark", s.openLoss(), "0")
	v.perp.mark = n("49900")
	same(t, "at a lower one", s.openLoss(), "200")
	v.perp.mark = n("50000")
	s.orders = append(s.orders, sell("2", "49950"), reduceOnly(sell("1", "40000")))
	same(t, "with a sell below it", s.openLoss(), "200")
	same(t, "pending value", s.pendingValue(), "239000")
	p := &portfolio{leverage: 50, seats: []*seat{s}}
	same(t, "margin of both", p.margin(), "2200") // 100000/50 and the loss

	eth := &currency{id: 4, index: n("2500")}
	cross := &seat{market: &instrument{base: eth, quote: v.btc, maxLeverage: 10}}
	cross.orders = []pending{{buy: true, size: n("2"), value: n("0.102"), worse: true}}
	same(t, "of a pair that is not quoted in USDT", cross.openLoss(), "100") // 5100-5000
	third := &currency{id: 5, index: n("0.333333333333333333")}
	rounded := &seat{market: &instrument{base: third, quote: &currency{id: 6, index: n("0.777777777777777777")}, maxLeverage: 10}}
	rounded.orders = []pending{{buy: true, size: n("0.5"), value: n("0.5"), worse: true}}
	same(t, "each product rounded by itself", rounded.openLoss(), "0.222222222222222223")
}

// TestReachIsTheWorstOfAllFills: whichever of its plain orders are filled, in whichever order, and whatever
// reduce-only orders close in between, the position never becomes larger than what margin is asked for.
func TestReachIsTheWorstOfAllFills(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := func(name string) num { return whole(rapid.Int64Range(0, 20).Draw(t, name)) }
		s := &seat{market: newVenue().perp}
		position := size("position")
		if rapid.Bool().Draw(t, "short") {
			position = position.neg()
		}
		if position.sign() != 0 {
			s.fill(position, position.abs(), num{})
		}
		for range rapid.IntRange(0, 6).Draw(t, "orders") {
			o := pending{buy: rapid.Bool().Draw(t, "buy"), size: size("size").plus(one)}
			o.reduceOnly = position.sign() != 0 && o.buy == (position.sign() < 0) && rapid.Bool().Draw(t, "reduceOnly")
			s.orders = append(s.orders, o)
		}
		reach := s.reach(false)
		for _, i := range rapid.Permutation(indices(len(s.orders))).Draw(t, "filled in this order") {
			o := s.orders[i]
			filled := signed(o.buy, o.size)
			if o.reduceOnly {
				if s.net().sign()*filled.sign() >= 0 {
					continue // nothing to reduce
				}
				filled = signed(o.buy, least(o.size, s.net().abs()))
			}
			s.fill(filled, filled.abs(), num{})
			if s.net().abs().more(reach) {
				t.Fatalf("the position is %v, margin was asked for %v", s.net().rat(), reach.rat())
			}
		}
	})
}

func indices(n int) []int {
	var all []int
	for i := range n {
		all = append(all, i)
	}
	return all
}
