package naive

import "testing"

func n(s string) num { return of(d(s)) }

// same compares a number with its text.
func same(t *testing.T, what string, got num, want string) {
	t.Helper()
	if got.cmp(n(want)) != 0 {
		t.Errorf("%s is %s, want %s", what, got.rat().FloatString(20), want)
	}
}

// venue is two currencies and three markets: futures with the brackets and fees of the demo, and a pair.
type venue struct {
	usdt, btc *currency
	perp      *instrument
	other     *instrument
	pair      *instrument
}

func newVenue() *venue {
	v := &venue{
		usdt: &currency{id: 1, usdt: true, scale: 8, weight: one},
		btc:  &currency{id: 2, scale: 8, weight: n("0.95"), index: n("50000")},
	}
	v.perp = v.newPerp(1)
	v.other = v.newPerp(2)
	v.pair = &instrument{
		id: 3, base: v.btc, quote: v.usdt, scale: 8, feePrec: 6, moneyPrec: 2, tick: n("0.01"), step: n("0.001"),
		minAmount: n("0.001"), maxLeverage: 10,
	}
	return v
}

func (v *venue) newPerp(id int) *instrument {
	return &instrument{
		id: id, future: true, quote: v.usdt, mark: n("50000"), scale: 8, feePrec: 6, moneyPrec: 2,
		tick: n("0.01"), step: n("0.001"), minAmount: n("0.001"), maxLeverage: 100,
		brackets: []bracket{{100, n("50000")}, {50, n("250000")}},
	}
}

// account has USDT and BTC, debts if they are negative, and an empty seat on each market.
func (v *venue) account(leverage int64, usdt, btc string) *portfolio {
	p := &portfolio{id: 1, leverage: leverage}
	for _, held := range []struct {
		*currency
		amount num
	}{{v.usdt, n(usdt)}, {v.btc, n(btc)}} {
		p.holdings = append(p.holdings, &holding{
			currency:   held.currency,
			collateral: greatest(num{}, held.amount),
			debt:       greatest(num{}, held.amount.neg()),
		})
	}
	for _, market := range []*instrument{v.perp, v.other, v.pair} {
		p.seats = append(p.seats, &seat{market: market})
	}
	return p
}

// trade fills an order of one-way mode and books what it realizes on a future, and its fee, in USDT.
func (p *portfolio) trade(seat int, size, price, feeRate string) {
	s := p.seats[seat]
	value := s.market.value(n(size), n(price))
	p.settle(s.fill(n(size), value, value.times(n(feeRate)).truncate(unit(s.market.feePrec))))
}

// settle books changes of futures.
func (p *portfolio) settle(changes []change) {
	for _, c := range changes {
		p.credit(c.realized.minus(c.fee))
	}
}

// credit adds USDT, as a debt when it is less than there is.
func (p *portfolio) credit(amount num) {
	usdt := p.holdings[0]
	net := usdt.collateral.minus(usdt.debt).plus(amount)
	usdt.collateral, usdt.debt = greatest(num{}, net), greatest(num{}, net.neg())
}

// newBob has 975 USDT after the fee for 1 BTC long at 50000, with all of his leverage of 100.
func newBob(v *venue) *portfolio {
	bob := v.account(100, "1000", "0")
	bob.trade(0, "1", "50000", "0.0005")
	return bob
}

// newAlice has 4975 USDT, 0.2 BTC and 1 BTC long at 50000, and the mark is 50012.34.
func newAlice(v *venue) *portfolio {
	alice := v.account(20, "5000", "0.2")
	alice.trade(0, "1", "50000", "0.0005")
	v.perp.mark = n("50012.34")
	return alice
}
