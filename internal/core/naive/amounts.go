package naive

import "bourse/internal/schema"

// checkAmount is check 7.
func checkAmount(m *market, r *schema.OrderRequest) schema.Rejection {
	amount := of(r.Amount)
	if amount.sign() <= 0 {
		return because(schema.AmountNotPositive)
	}
	if inQuote(r.Type, r.Side) {
		switch {
		case !amount.multipleOf(m.priceUnit()):
			return about(schema.MoneyTooPrecise, m.priceUnit())
		case amount.less(of(m.MinTotal)):
			return about(schema.MoneyBelowMin, of(m.MinTotal))
		case of(m.MaxTotal).sign() != 0 && amount.more(of(m.MaxTotal)):
			return about(schema.MoneyAboveMax, of(m.MaxTotal))
		}
		return accepted
	}
	most := maxInt64.times(m.lot())
	switch {
	case !amount.multipleOf(m.lot()):
		return about(schema.AmountTooPrecise, m.lot())
	case amount.more(most):
		return about(schema.AmountTooLarge, most)
	case amount.less(of(m.MinAmount)):
		return about(schema.AmountBelowMin, of(m.MinAmount))
	}
	return accepted
}

// checkPrice is check 8.
func checkPrice(m *market, r *schema.OrderRequest) schema.Rejection {
	if !hasPrice(r.Type) || r.BBO != schema.BBONone {
		return accepted
	}
	price := of(r.Price)
	most := maxInt64.times(m.priceUnit())
	switch {
	case price.sign() <= 0:
		return because(schema.PriceNotPositive)
	case !price.multipleOf(m.priceUnit()):
		return about(schema.PriceTooPrecise, m.priceUnit())
	case price.more(most):
		return about(schema.PriceTooLarge, most)
	}
	return accepted
}

// checkActivation is check 9.
func checkActivation(m *market, r *schema.OrderRequest) schema.Rejection {
	if !isStop(r.Type) {
		return accepted
	}
	price := of(r.ActivationPrice)
	most := maxInt64.times(m.priceUnit())
	switch {
	case price.sign() <= 0:
		return because(schema.ActivationNotPositive)
	case !price.multipleOf(m.priceUnit()):
		return about(schema.ActivationTooPrecise, m.priceUnit())
	case price.more(most):
		return about(schema.ActivationTooLarge, most)
	}
	return accepted
}

// stepRuleFrom is 2026-09-18 in UTC.
const stepRuleFrom schema.Time = 1_789_689_600_000_000

// stepRule reports whether prices are multiples of ticks, and amounts of steps.
func (t *trading) stepRule() bool { return t.features.stepRule && t.call.at >= stepRuleFrom }

// checkSteps is check 10.
func (t *trading) checkSteps(m *market, r *schema.OrderRequest) schema.Rejection {
	if !t.stepRule() {
		return accepted
	}
	switch {
	case !inQuote(r.Type, r.Side) && !of(r.Amount).multipleOf(m.step()):
		return about(schema.AmountOffStep, m.step())
	case hasPrice(r.Type) && r.BBO == schema.BBONone && !of(r.Price).multipleOf(m.tick()):
		return about(schema.PriceOffTick, m.tick())
	case isStop(r.Type) && !of(r.ActivationPrice).multipleOf(m.tick()):
		return about(schema.ActivationOffTick, m.tick())
	}
	return accepted
}

// pickPrice is check 11. It writes the price into the request.
func pickPrice(m *market, r *schema.OrderRequest) schema.Rejection {
	if r.Type != schema.Limit || r.BBO == schema.BBONone {
		return accepted
	}
	price, ok := bboPrice(m, r.Side, r.BBO)
	if !ok {
		return because(schema.BBOEmpty)
	}
	r.Price = price.decimal()
	return accepted
}

// checkTotal is check 12.
func checkTotal(m *market, r *schema.OrderRequest) schema.Rejection {
	if !hasPrice(r.Type) && (r.Type != schema.StopStockMarket || r.Side != schema.Buy) {
		return accepted
	}
	price := of(r.Price)
	if !priced(r) {
		price = of(r.ActivationPrice)
	}
	total := of(r.Amount).times(price)
	switch {
	case of(m.MaxTotal).sign() == 0 && total.more(largest):
		return about(schema.TotalAboveMax, largest)
	case total.less(of(m.MinTotal)) && !(r.Collateral && r.ReduceOnly):
		return about(schema.TotalBelowMin, of(m.MinTotal))
	case of(m.MaxTotal).sign() != 0 && total.more(of(m.MaxTotal)):
		return about(schema.TotalAboveMax, of(m.MaxTotal))
	}
	return accepted
}

// checkRoom is the end of check 12: the orders that stand at a price can be counted in lots. A
// stop stands at its activation price while it waits.
func checkRoom(m *market, r *schema.OrderRequest) schema.Rejection {
	fits := true
	switch {
	case isStop(r.Type):
		o := makeOrder(&schema.Account{}, m, r)
		fits = fitsWaiting(m, o.rises(), o.activation, o.standing())
	case hasPrice(r.Type):
		fits = fitsLevel(m, r.Side, r.RPI, of(r.Price), of(r.Amount))
	}
	if !fits {
		return about(schema.AmountTooLarge, maxInt64.times(m.lot()))
	}
	return accepted
}

// fitsWaiting is the same for stops that wait for a rise or a fall to one price.
func fitsWaiting(m *market, rise bool, activation, amount num) bool {
	for _, o := range m.orders {
		if o.waiting() && o.rises() == rise && o.activation.cmp(activation) == 0 {
			amount = amount.plus(o.standing())
		}
	}
	return !amount.more(maxInt64.times(m.lot()))
}

// standing is what a waiting stop counts in lots: nothing if it counts quote, and one if it is for a whole position.
func (o *order) standing() num {
	switch {
	case o.inQuote():
		return num{}
	case o.whole():
		return o.market.lot()
	}
	return o.left
}

// fitsLevel reports whether the orders at a price can still be counted in lots with one more.
func fitsLevel(m *market, side schema.Side, rpi bool, price, amount num) bool {
	for _, o := range m.orders {
		if o.resting && o.side == side && o.rpi == rpi && o.price.cmp(price) == 0 {
			amount = amount.plus(o.left)
		}
	}
	return !amount.more(maxInt64.times(m.lot()))
}
