package naive

import "bourse/internal/schema"

// circumstances are what the checks of an order need to know beyond the request.
type circumstances struct {
	bulk     bool   // it comes in a bulk
	replaces *order // the order that it replaces in a modify
}

// check runs the checks 2 to 17 of a new order, in this order, and makes the order that passes.
func (t *trading) check(a *schema.Account, r schema.OrderRequest, c circumstances) (*order, schema.Rejection) {
	m, rejection := t.checkMarket(a, &r)
	if refused(rejection) {
		return nil, rejection
	}
	region, protection := t.accounts.region(a), protectionOf(&r)
	rejection = firstRefusal(
		func() schema.Rejection { return checkWords(&r, c) },
		func() schema.Rejection { return checkRegion(region, &r, c) },
		func() schema.Rejection {
			if protection.none() {
				return accepted
			}
			return t.checkBounded()
		},
		func() schema.Rejection { return t.checkWindow(m, &r, c) },
		func() schema.Rejection { return checkFlags(a, &r) },
		func() schema.Rejection { return checkBBO(&r) },
		func() schema.Rejection { return t.margins.checkPositionSide(a, m, &r) },
		func() schema.Rejection { return checkProtected(&r) },
		func() schema.Rejection { return checkAmount(m, &r) },
		func() schema.Rejection { return checkPrice(m, &r) },
		func() schema.Rejection { return checkActivation(m, &r) },
		func() schema.Rejection { return t.checkSteps(m, &r) },
		func() schema.Rejection { return pickPrice(m, &r) },
		func() schema.Rejection { return protection.checkNumbers(m) },
		func() schema.Rejection { return protection.checkSteps(t, m) },
		func() schema.Rejection { return t.margins.checkReduceOnly(a, m, &r) },
		func() schema.Rejection { return t.margins.checkMark(m, &r) },
		func() schema.Rejection { return checkTotal(m, &r) },
		func() schema.Rejection { return protection.checkTotal(of(r.Amount)) },
		func() schema.Rejection { return protection.checkSides(r.Side == schema.Buy, t.primaryReference(m, &r)) },
		func() schema.Rejection { return checkRoom(m, &r) },
		func() schema.Rejection { return checkClientID(a, m, &r, c) },
		func() schema.Rejection { return t.checkOpen(a, m, &r, c) },
		func() schema.Rejection { return checkStops(a, m, &r, c) },
		func() schema.Rejection { return checkTrigger(m, &r, c) },
	)
	if refused(rejection) {
		return nil, rejection
	}
	o := makeOrder(a, m, &r)
	if rejection := t.checkMoney(o, c); refused(rejection) {
		return nil, rejection
	}
	if rejection := checkOneStep(o); refused(rejection) {
		return nil, rejection
	}
	if rejection := checkMaker(o); refused(rejection) {
		return nil, rejection
	}
	return o, accepted
}

// firstRefusal runs checks until one refuses.
func firstRefusal(checks ...func() schema.Rejection) schema.Rejection {
	for _, check := range checks {
		if r := check(); refused(r) {
			return r
		}
	}
	return accepted
}

// checkMarket is check 2, and what stands after it.
func (t *trading) checkMarket(a *schema.Account, r *schema.OrderRequest) (*market, schema.Rejection) {
	m := t.market(r.Market)
	if m == nil || !m.Enabled || m.Delisted || !offeredIn(m.Regions, t.accounts.region(a)) {
		return nil, because(schema.MarketUnavailable)
	}
	if m.InMaintenance {
		return nil, because(schema.TradingNotAllowed)
	}
	if r := checkWallet(m, r); refused(r) {
		return nil, r
	}
	return m, checkTradFi(a, m)
}

// makeOrder makes the order that was asked for. It takes only the numbers that are looked at.
func makeOrder(a *schema.Account, m *market, r *schema.OrderRequest) *order {
	o := &order{
		account: a.ID, market: m,
		kind: r.Type, side: r.Side, stp: r.STP,
		postOnly: r.PostOnly, ioc: r.IOC, rpi: r.RPI, retail: r.Retail,
		client: r.ClientID, collateral: r.Collateral,
		amount: of(r.Amount), left: of(r.Amount),
	}
	if priced(r) {
		o.price = of(r.Price)
	}
	if isStop(r.Type) {
		o.activation = of(r.ActivationPrice)
		o.bbo = r.BBO
	}
	if r.Collateral {
		o.reduceOnly, o.positionSide = r.ReduceOnly, r.PositionSide
	}
	if protection := protectionOf(r); !protection.none() {
		o.role, o.takeProfit, o.stopLoss = schema.Primary, protection.takeProfit, protection.stopLoss
	}
	return o
}

// priced reports whether the price of the request counts. That of a BBO-priced limit order
// does after it was picked.
func priced(r *schema.OrderRequest) bool {
	return r.Type == schema.Limit || r.Type == schema.StopLimit && r.BBO == schema.BBONone
}

// checkWords is check 3.
func checkWords(r *schema.OrderRequest, c circumstances) schema.Rejection {
	switch {
	case !validSide(r.Side):
		return because(schema.SideInvalid)
	case !validType(r.Type), c.bulk && r.Type != schema.Limit,
		r.Collateral && (r.Type == schema.Market || r.Type == schema.StopMarket):
		return because(schema.TypeInvalid)
	case !validSTP(r.STP):
		return because(schema.STPInvalid)
	}
	return accepted
}

// checkRegion is check 4.
func checkRegion(region schema.Region, r *schema.OrderRequest, c circumstances) schema.Rejection {
	if region != schema.EU {
		return accepted
	}
	if r.Collateral {
		return because(schema.OrderTypeUnavailable)
	}
	switch r.Type {
	case schema.Market, schema.StockMarket, schema.StopMarket, schema.StopStockMarket:
		return accepted
	case schema.Limit:
		if r.IOC && r.BBO == schema.BBOCounterparty && !r.RPI && !c.bulk {
			return accepted
		}
	}
	return because(schema.OrderTypeUnavailable)
}

// checkWindow is check 5.
func (t *trading) checkWindow(m *market, r *schema.OrderRequest, c circumstances) schema.Rejection {
	if t.call.at >= m.OpensAt || r.Type == schema.Limit && r.PostOnly && !c.bulk {
		return accepted
	}
	return because(schema.OrderTypeUnavailable)
}

// checkFlags is the first part of check 6.
func checkFlags(a *schema.Account, r *schema.OrderRequest) schema.Rejection {
	switch {
	case r.Type != schema.Limit && (r.PostOnly || r.IOC || r.RPI || r.Retail), r.Collateral && r.Retail:
		return because(schema.FlagNotAllowed)
	case r.IOC && r.PostOnly:
		return because(schema.IOCWithPostOnly)
	case r.IOC && r.RPI:
		return because(schema.IOCWithRPI)
	case r.RPI && r.PostOnly:
		return because(schema.RPIWithPostOnly)
	case r.Retail && !a.Retail:
		return because(schema.RetailNotEnabled)
	case r.RPI && !a.RPI:
		return because(schema.RPINotEnabled)
	}
	return accepted
}

// checkBBO is the second part of check 6.
func checkBBO(r *schema.OrderRequest) schema.Rejection {
	switch {
	case r.BBO == schema.BBONone:
		return accepted
	case r.BBO != schema.BBOQueue && r.BBO != schema.BBOCounterparty:
		return because(schema.BBOInvalid)
	case !hasPrice(r.Type):
		return because(schema.BBONotAllowed)
	case r.PostOnly && r.BBO == schema.BBOCounterparty:
		return because(schema.BBOWithPostOnly)
	case r.RPI:
		return because(schema.BBOWithRPI)
	case r.BBO == schema.BBOQueue && r.IOC:
		return because(schema.BBOQueueWithIOC)
	}
	return accepted
}

// checkClientID is check 13. A replacement takes over the id of its original.
func checkClientID(a *schema.Account, m *market, r *schema.OrderRequest, c circumstances) schema.Rejection {
	if r.ClientID == none {
		return accepted
	}
	for _, o := range m.orders {
		if o != c.replaces && o.account == a.ID && o.client == r.ClientID {
			return because(schema.ClientIDTaken)
		}
	}
	return accepted
}

// checkOpen stands between checks 13 and 14: an account may have so many open orders on a market.
// It is for orders that may become one more of them, and for those that others follow; a replacement is none.
func (t *trading) checkOpen(a *schema.Account, m *market, r *schema.OrderRequest, c circumstances) schema.Rejection {
	stays := r.Type == schema.Limit && !r.IOC || isStop(r.Type) || r.Collateral && (of(r.TakeProfit).sign() != 0 || of(r.StopLoss).sign() != 0)
	if !t.features.boundedWork || !stays || c.replaces != nil {
		return accepted
	}
	return checkOpenMore(a.ID, m, 1)
}

// checkOpenMore looks whether an account may have so many more.
func checkOpenMore(a schema.AccountID, m *market, more int64) schema.Rejection {
	open := int64(0)
	for _, o := range m.orders {
		if o.account == a {
			open++
		}
	}
	limit := int64(m.MaxOrders)
	if limit == 0 {
		limit = 10_000
	}
	if open+more > limit {
		return about(schema.TooManyOrders, whole(limit))
	}
	return accepted
}

// checkStops comes next: of the stops that are paid from collateral an account may have 100 waiting on a market.
func checkStops(a *schema.Account, m *market, r *schema.OrderRequest, c circumstances) schema.Rejection {
	if !r.Collateral || !isStop(r.Type) || c.replaces != nil {
		return accepted
	}
	waiting := 0
	for _, o := range m.orders {
		if o.account == a.ID && o.collateral && o.waiting() {
			waiting++
		}
	}
	if waiting >= 100 {
		return because(schema.TooManyStops)
	}
	return accepted
}

// checkTrigger is check 14.
func checkTrigger(m *market, r *schema.OrderRequest, c circumstances) schema.Rejection {
	switch {
	case !isStop(r.Type):
		return accepted
	case m.last.sign() == 0:
		return because(schema.EmptyHistory)
	case of(r.ActivationPrice).cmp(m.last) != 0:
		return accepted
	case c.replaces != nil:
		return because(schema.ModifyActivationEqualsLast)
	}
	return because(schema.ActivationEqualsLast)
}

// checkMoney is check 15.
func (t *trading) checkMoney(o *order, c circumstances) schema.Rejection {
	if o.collateral {
		return t.margins.checkMargin(o, c.replaces)
	}
	available := t.ledger.balance(o.account, schema.Trade, o.paysWith()).available
	if c.replaces != nil {
		available = available.plus(c.replaces.hold)
	}
	cost := o.needs()
	if o.kind == schema.StockMarket && o.side == schema.Buy {
		cost, _ = t.sweep(o)
	}
	if cost.more(available) {
		return because(schema.NotEnoughBalance)
	}
	return accepted
}

// checkOneStep is check 16.
func checkOneStep(o *order) schema.Rejection {
	if o.kind != schema.Market || o.side != schema.Buy {
		return accepted
	}
	best, ok := bestPrice(o.market, schema.Sell)
	if ok && o.amount.less(best.times(o.market.step())) {
		return because(schema.AmountTooSmall)
	}
	return accepted
}

// checkMaker is check 17.
func checkMaker(o *order) schema.Rejection {
	if (o.postOnly || o.rpi) && wouldTake(o) {
		return because(schema.PostOnlyWouldTake)
	}
	return accepted
}

// wouldTake reports whether an order with a price crosses the public book.
func wouldTake(o *order) bool {
	best, ok := bestPrice(o.market, opposite(o.side))
	return ok && !beyond(o.side, best, o.price)
}
