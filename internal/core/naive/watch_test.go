package naive

import (
	"testing"

	"pgregory.net/rapid"
)

func TestRangeInWhichAliceIsSafe(t *testing.T) {
	v := newVenue()
	alice := newAlice(v)
	phi, all := alice.watches(callFactor)
	same(t, "phi", phi, "0.211920372312683386")
	if len(all) != 2 || all[0].market != v.perp || all[1].currency != v.btc {
		t.Fatalf("%d prices: %+v", len(all), all)
	}
	perp, btc := all[0], all[1]
	same(t, "per unit of a fall of the mark", perp.falls, "1")
	same(t, "per unit of a rise of the mark", perp.rises, "0")
	same(t, "per unit of a fall of the index", btc.falls, "0.19")
	same(t, "per unit of a rise of the index", btc.rises, "0")
	same(t, "lowest mark", perp.low, "39413.706286971492187017")
	same(t, "lowest index", btc.low, "39403.9813843658307")
	same(t, "the sum of all products", perp.price.plus(btc.falls.times(btc.price)), "59512.34")
	same(t, "what can be lost", alice.total().minus(callFactor.times(alice.maintenance())).minus(slack), "12611.877249999")
	if !perp.safe(largest) || perp.safe(perp.low.minus(smallest)) || !perp.safe(perp.low) {
		t.Error("only a fall below the lowest is not safe")
	}

	v.perp.mark, v.btc.index = perp.low, btc.low
	left := alice.total().minus(callFactor.times(alice.maintenance()))
	same(t, "what is left there", left.truncate(unit(3)), "397.448")
}

func TestRangesOfOtherAccounts(t *testing.T) {
	v := newVenue()
	saver := v.account(10, "1000", "0")
	if _, all := saver.watches(callFactor); all != nil {
		t.Errorf("an account that cannot lose has %+v", all)
	}
	bob := newBob(v)
	v.perp.mark = n("49271.35")
	if _, all := bob.watches(one); all != nil {
		t.Errorf("an account in liquidation has %+v", all)
	}
	v.perp.mark = n("49271.36")
	phi, all := bob.watches(one)
	same(t, "phi of a called account", phi, "0.000000064946431354") // 0.003199999/49271.36
	same(t, "its lowest", all[0].low, "49271.356800001000041779")

	// The smallest amount above the maintenance margin is less than the slack.
	edge := v.account(100, "0.00000000023", "0")
	v.perp.mark = n("0.00000001")
	edge.seats[0].fill(n("1"), n("0.00000001"), num{})
	edge.holdings[0].collateral = edge.maintenance()
	phi, all = edge.watches(one)
	same(t, "phi at the edge", phi, "0")
	same(t, "its lowest is its price", all[0].low, "0.00000001")

	v = newVenue()
	short := v.account(20, "1000000", "-1")
	short.trade(0, "-2", "50000", "0")
	_, all = short.watches(callFactor)
	same(t, "of a short per rise", all[0].rises, "2.09") // 2 and 4.5 % of it
	same(t, "of a short per fall", all[0].falls, "0")
	same(t, "of a debt per rise", all[1].rises, "1.045")
	_, all = short.watches(one)
	same(t, "of a called short per rise", all[0].rises, "2.06")

	hedged := v.account(20, "100000", "0")
	hedged.hedge = true
	hedged.seats[0].fillSide(true, n("3"), n("150000"), num{})
	hedged.seats[0].fillSide(false, n("-2.9"), n("145000"), num{})
	_, all = hedged.watches(callFactor)
	same(t, "of a hedge per fall", all[0].falls, "0.1")
	same(t, "of a hedge per rise", all[0].rises, "0.035") // 4.5 % of 3, less the net

	rich := v.account(20, "1000000000000", "0")
	rich.trade(0, "0.001", "50000", "0")
	phi, _ = rich.watches(callFactor)
	same(t, "the most", phi, "1000")
}

func TestRangesOfAPair(t *testing.T) {
	v := newVenue()
	eth := &currency{id: 4, scale: 8, index: n("2500")}
	cross := &instrument{id: 4, base: eth, quote: v.btc, scale: 8, feePrec: 8, maxLeverage: 10}
	p := v.account(10, "100000", "0")
	p.holdings = append(p.holdings, &holding{currency: eth})
	p.seats = append(p.seats, &seat{market: cross})
	p.seats[3].fill(n("20"), n("1"), num{})
	p.holdings[1].debt, p.holdings[2].collateral = n("1"), n("20")
	_, all := p.watches(callFactor)
	same(t, "a long's cost per rise of its quote", all[0].rises, "1")
	same(t, "per fall of its quote", all[0].falls, "0")
	same(t, "a long per fall of its base", all[1].falls, "20")
	same(t, "per rise of its base", all[1].rises, "0")

	p.seats[3].fill(n("-40"), n("2"), num{})
	p.holdings[1].debt, p.holdings[1].collateral = num{}, n("1")
	p.holdings[2].debt, p.holdings[2].collateral = n("20"), num{}
	_, all = p.watches(callFactor)
	same(t, "a short's proceeds per fall of its quote", all[0].falls, "1")
	same(t, "a short per rise of its base", all[1].rises, "20.9")
}

// randomAccount has positions on two futures, in hedge mode on both sides, a position on a pair that is not
// quoted in USDT, and owns or owes of each currency.
func randomAccount(t *rapid.T, v *venue) *portfolio {
	_, p := randomFuture(t, v)
	p.hedge = rapid.Bool().Draw(t, "hedge")
	if p.hedge {
		for _, s := range p.seats[:2] {
			opposite := s.net().times(whole(rapid.Int64Range(0, 2000).Draw(t, "opposite"))).over(whole(1000)).truncate(unit(9)).neg()
			if opposite.sign() != 0 {
				s.fillSide(opposite.sign() > 0, opposite, s.market.value(opposite, s.market.mark), num{})
			}
		}
	}
	eth := &currency{id: 4, scale: 8, index: positives(6).Draw(t, "eth"), weight: whole(rapid.Int64Range(0, 100).Draw(t, "weight")).over(hundred)}
	cross := &instrument{id: 4, base: eth, quote: v.btc, scale: 18, feePrec: 8, maxLeverage: 10}
	s := &seat{market: cross}
	p.seats = append(p.seats, s)
	size := positives(8).Draw(t, "pair")
	if rapid.Bool().Draw(t, "short pair") {
		size = size.neg()
	}
	value := size.abs().times(cross.fair()).truncate(unit(8))
	s.fill(size, value, num{})
	owned := positives(8).Draw(t, "owned eth").plus(size)
	p.holdings = append(p.holdings, &holding{currency: eth, collateral: greatest(num{}, owned), debt: greatest(num{}, owned.neg())})
	p.credit(p.notional().times(whole(rapid.Int64Range(0, 1000).Draw(t, "more"))).over(whole(1000)).truncate(unit(8)))
	return p
}

// TestInsideTheRangesAnAccountIsSafe is the proof of the ranges: wherever the prices go within them, to
// their very ends too, the account keeps so many maintenance margins.
func TestInsideTheRangesAnAccountIsSafe(t *testing.T) {
	tested, edges := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		v := newVenue()
		p := randomAccount(t, v)
		factor := rapid.SampledFrom([]num{one, callFactor}).Draw(t, "factor")
		if !p.covers(factor) {
			return
		}
		_, all := p.watches(factor)
		for _, w := range all {
			price := w.price
			switch rapid.IntRange(0, 4).Draw(t, "goes") {
			case 0:
				price = w.low
				edges++
			case 1:
				price = w.high
				edges++
			case 2:
				price = w.low.plus(w.high.minus(w.low).times(whole(rapid.Int64Range(0, 1000).Draw(t, "between"))).over(whole(1000)).truncate(smallest))
			case 3: // where there is no bound
				if w.falls.sign() == 0 {
					price = smallest
				} else if w.rises.sign() == 0 {
					price = largest
				}
			}
			price = greatest(smallest, price)
			if !w.safe(price) {
				t.Fatalf("%v is not within %v and %v", price.rat(), w.low.rat(), w.high.rat())
			}
			if w.market != nil {
				w.market.mark = price
			} else {
				w.currency.index = price
			}
		}
		tested += len(all)
		if !p.covers(factor) {
			t.Fatalf("%v of %v are left", p.total().rat(), p.maintenance().rat())
		}
	})
	if tested == 0 || edges == 0 {
		t.Errorf("%d prices, %d at an end", tested, edges)
	}
}
