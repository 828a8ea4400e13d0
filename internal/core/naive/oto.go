package naive

import "bourse/internal/schema"

// checkProtected stands after the position side.
func checkProtected(r *schema.OrderRequest) schema.Rejection {
	switch {
	case protectionOf(r).none():
	case r.ReduceOnly:
		return because(schema.ProtectionWithReduceOnly)
	case r.RPI:
		return because(schema.ProtectionWithRPI)
	}
	return accepted
}

// protection is the prices at which a position is closed for a profit or against a loss; zero is none.
type protection struct{ takeProfit, stopLoss num }

// protectionOf is that of an order. Prices of orders that are not paid from collateral do not count.
func protectionOf(r *schema.OrderRequest) protection {
	if !r.Collateral {
		return protection{}
	}
	return protection{of(r.TakeProfit), of(r.StopLoss)}
}

func (p protection) none() bool { return p.takeProfit.sign() == 0 && p.stopLoss.sign() == 0 }

// checkNumbers stands after the numbers of the order and the price that it picks.
func (p protection) checkNumbers(m *market) schema.Rejection {
	most := maxInt64.times(m.priceUnit())
	for _, n := range []struct {
		price                       num
		negative, precise, tooLarge schema.Reason
	}{
		{p.takeProfit, schema.TakeProfitNotPositive, schema.TakeProfitTooPrecise, schema.TakeProfitTooLarge},
		{p.stopLoss, schema.StopLossNotPositive, schema.StopLossTooPrecise, schema.StopLossTooLarge},
	} {
		switch {
		case n.price.sign() < 0:
			return because(n.negative)
		case !n.price.multipleOf(m.priceUnit()):
			return about(n.precise, m.priceUnit())
		case n.price.more(most):
			return about(n.tooLarge, most)
		}
	}
	return accepted
}

// checkSteps comes next.
func (p protection) checkSteps(t *trading, m *market) schema.Rejection {
	switch {
	case !t.stepRule():
	case !p.takeProfit.multipleOf(m.tick()):
		return about(schema.TakeProfitOffTick, m.tick())
	case !p.stopLoss.multipleOf(m.tick()):
		return about(schema.StopLossOffTick, m.tick())
	}
	return accepted
}

// checkTotal stands after the total of the order: what follows it can be counted too.
func (p protection) checkTotal(amount num) schema.Rejection {
	if amount.times(p.takeProfit).more(largest) || amount.times(p.stopLoss).more(largest) {
		return about(schema.TotalAboveMax, largest)
	}
	return accepted
}

// checkSides comes next: a long takes its profit above the reference and stops its loss below.
func (p protection) checkSides(long bool, reference num) schema.Rejection {
	switch profit, loss := validProtection(long, p.takeProfit, reference, p.stopLoss); {
	case !profit:
		return because(schema.TakeProfitWrong)
	case !loss:
		return because(schema.StopLossWrong)
	}
	return accepted
}

// primaryReference is what the prices that follow an order are compared with: its own, if it has one.
func (t *trading) primaryReference(m *market, r *schema.OrderRequest) num {
	if priced(r) {
		return of(r.Price)
	}
	return t.reference(m)
}

// leavesProtection reports whether a primary that ended so is followed for what it dealt. One that its owner cancels
// by its group is too; with all orders it is not.
func leavesProtection(cause schema.Cause) bool {
	switch cause {
	case schema.ByTrade, schema.BySTP, schema.ByMargin, schema.ByTakerBand, schema.ByRemainder, schema.ByKillSwitch, schema.ByBlock:
		return true
	}
	return false
}

// protect lets the orders come that follow the next primary which ended on a market.
func (t *trading) protect(m *market) {
	primary := m.primaries[0]
	m.primaries = m.primaries[1:]
	t.follow(primary, schema.TakeProfit, primary.takeProfit)
	t.follow(primary, schema.StopLoss, primary.stopLoss)
}

// follow lets one of them come, for as much of what the primary dealt as can be reduced. It is due if the last price
// has reached it already.
func (t *trading) follow(primary *order, role schema.Role, activation num) {
	m := primary.market
	o := &order{
		account: primary.account, market: m, kind: schema.StopStockMarket, side: opposite(primary.side), stp: primary.stp,
		collateral: true, reduceOnly: true, positionSide: primary.positionSide,
		group: primary.group, role: role, activation: activation,
	}
	amount, reduces := t.margins.reducing(o, primary.stock)
	if activation.sign() == 0 || !reduces || amount.sign() == 0 || !fitsWaiting(m, o.rises(), activation, amount) {
		return
	}
	o.amount, o.left = amount, amount
	o.due = o.reachedBy(m.last)
	t.open(o)
	t.changed(schema.Opened, o, schema.ByGroup)
}
