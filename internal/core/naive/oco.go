package naive

import "bourse/internal/schema"

func (t *trading) placeOCO(c *schema.PlaceOCO) schema.Result {
	trader, r := t.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	limit, stop, r := t.checkOCO(trader, c)
	if refused(r) {
		return reject(r)
	}
	t.lastOrder++
	limit.group, limit.role = t.lastOrder, schema.LimitLeg
	stop.group, stop.role = t.lastOrder, schema.StopLeg
	t.open(limit)
	t.rest(limit)
	t.open(stop)
	t.changed(schema.Opened, stop, schema.ByRequest)
	return schema.Result{ID: uint64(limit.group), Items: []schema.Item{{Order: limit.view()}, {Order: stop.view()}}}
}

// stopPriceReasons are how the price of the stop is refused, where that of the limit order is refused otherwise.
var stopPriceReasons = map[schema.Reason]schema.Reason{
	schema.PriceNotPositive: schema.StopPriceNotPositive,
	schema.PriceTooPrecise:  schema.StopPriceTooPrecise,
	schema.PriceTooLarge:    schema.StopPriceTooLarge,
	schema.PriceOffTick:     schema.StopPriceOffTick,
	schema.PriceOutOfBand:   schema.StopPriceOutOfBand,
}

// checkOCO runs the checks of both orders and makes them.
func (t *trading) checkOCO(a *schema.Account, c *schema.PlaceOCO) (limit, stop *order, r schema.Rejection) {
	first := schema.OrderRequest{
		Market: c.Market, Type: schema.Limit, Side: c.Side, Amount: c.Amount, Price: c.Price, STP: c.STP, ClientID: c.LimitClientID,
		Collateral: true, ReduceOnly: c.ReduceOnly, PositionSide: c.PositionSide,
	}
	second := first
	second.Type, second.Price, second.ActivationPrice, second.ClientID = schema.StopLimit, c.StopPrice, c.ActivationPrice, c.StopClientID
	m, r := t.checkMarket(a, &first)
	if refused(r) {
		return nil, nil, r
	}
	region, alone := t.accounts.region(a), circumstances{}
	r = firstRefusal(
		t.checkBounded,
		func() schema.Rejection { return checkWords(&second, alone) },
		func() schema.Rejection { return checkRegion(region, &second, alone) },
		func() schema.Rejection { return t.checkWindow(m, &second, alone) },
		func() schema.Rejection { return checkClientIDs(c) },
		func() schema.Rejection { return t.checkLeg(a, m, &first) },
		func() schema.Rejection {
			r := t.checkLeg(a, m, &second)
			if reason, is := stopPriceReasons[r.Reason]; is {
				r.Reason = reason
			}
			return r
		},
		func() schema.Rejection { return checkStops(a, m, &second, alone) },
		func() schema.Rejection {
			if wouldTake(makeOrder(a, m, &first)) {
				return because(schema.LimitWouldTake)
			}
			return accepted
		},
		func() schema.Rejection {
			if !worseThan(c.Side == schema.Buy, of(c.ActivationPrice), t.reference(m)) {
				return because(schema.StopActivationWrong)
			}
			return accepted
		},
	)
	if refused(r) {
		return nil, nil, r
	}
	limit, stop = makeOrder(a, m, &first), makeOrder(a, m, &second)
	return limit, stop, t.margins.checkOCO(limit, stop)
}

// checkBounded refuses what needs the order in which bounded work lets things happen.
func (t *trading) checkBounded() schema.Rejection {
	if !t.features.boundedWork {
		return because(schema.OrderTypeUnavailable)
	}
	return accepted
}

func checkClientIDs(c *schema.PlaceOCO) schema.Rejection {
	if c.LimitClientID != none && c.LimitClientID == c.StopClientID {
		return because(schema.ClientIDsEqual)
	}
	return accepted
}

// checkLeg runs the checks of one of the two orders as far as they know nothing of the other. Both must find a place
// among the open orders.
func (t *trading) checkLeg(a *schema.Account, m *market, r *schema.OrderRequest) schema.Rejection {
	return firstRefusal(
		func() schema.Rejection { return t.margins.checkPositionSide(a, m, r) },
		func() schema.Rejection { return checkAmount(m, r) },
		func() schema.Rejection { return checkPrice(m, r) },
		func() schema.Rejection { return checkActivation(m, r) },
		func() schema.Rejection { return t.checkSteps(m, r) },
		func() schema.Rejection { return t.margins.checkReduceOnly(a, m, r) },
		func() schema.Rejection { return t.margins.checkMark(m, r) },
		func() schema.Rejection { return checkTotal(m, r) },
		func() schema.Rejection { return checkRoom(m, r) },
		func() schema.Rejection { return checkClientID(a, m, r, circumstances{}) },
		func() schema.Rejection { return checkOpenMore(a.ID, m, 2) },
	)
}

// reference is what activation prices are compared with: the last price, or the mark where there was none.
func (t *trading) reference(m *market) num {
	if m.last.sign() != 0 {
		return m.last
	}
	mark, _ := t.prices.mark(m.ID)
	return mark
}

// checkOCO is check 15 of both: only the dearer one counts.
func (g *margins) checkOCO(limit, stop *order) schema.Rejection {
	dear, other, uncovered := limit, stop, schema.LimitNotCovered
	if dearer(stop, limit) {
		dear, other, uncovered = stop, limit, schema.StopNotCovered
	}
	mark, _ := g.prices.mark(limit.market.ID)
	other.worse = g.asks(other, mark).worse
	r := g.checkMargin(dear, nil)
	if r.Reason == schema.NotEnoughBalance {
		return because(uncovered)
	}
	return r
}

// dearer reports whether of the two orders of an OCO this is the one that counts.
func dearer(o, other *order) bool {
	if o.price.cmp(other.price) == 0 {
		return !isStop(o.kind)
	}
	return dearerLeg(o.side == schema.Buy, o.price, other.price).cmp(o.price) == 0
}
