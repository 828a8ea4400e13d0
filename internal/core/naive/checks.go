package naive

import "bourse/internal/schema"

// circumstances are what the checks of an order need to know beyond the request.
type circumstances struct {
	bulk     bool   // it comes in a bulk
	replaces *order // the order that it replaces in a modify
}

// customer finds an account that is a customer.
func (x *Exchange) customer(id schema.AccountID) (*schema.Account, schema.Rejection) {
	a := x.account(id)
	if a == nil {
		return nil, schema.Refuse(schema.AccountUnknown)
	}
	return a, accepted
}

// trader finds a customer that is not blocked: check 1.
func (x *Exchange) trader(id schema.AccountID) (*schema.Account, schema.Rejection) {
	a, r := x.customer(id)
	if r.Refused() {
		return nil, r
	}
	if a.Blocked {
		return nil, schema.Refuse(schema.AccountBlocked)
	}
	return a, accepted
}

// check runs the checks 2 to 17 of a new order, in this order, and makes the order that passes.
func (x *Exchange) check(a *schema.Account, r schema.OrderRequest, c circumstances) (*order, schema.Rejection) {
	m := x.market(r.Market)
	if m == nil || !m.Enabled || m.Delisted || !m.Regions.Include(a.Region) {
		return nil, schema.Refuse(schema.MarketUnavailable)
	}
	if m.InMaintenance {
		return nil, schema.Refuse(schema.TradingNotAllowed)
	}
	for _, check := range []func() schema.Rejection{
		func() schema.Rejection { return checkWords(&r, c) },
		func() schema.Rejection { return checkRegion(a, &r, c) },
		func() schema.Rejection { return x.checkWindow(m, &r, c) },
		func() schema.Rejection { return checkFlags(a, &r) },
		func() schema.Rejection { return checkBBO(&r) },
		func() schema.Rejection { return checkAmount(m, &r) },
		func() schema.Rejection { return checkPrice(m, &r) },
		func() schema.Rejection { return checkActivation(m, &r) },
		func() schema.Rejection { return x.checkSteps(m, &r) },
		func() schema.Rejection { return pickPrice(m, &r) },
		func() schema.Rejection { return checkTotal(m, &r) },
		func() schema.Rejection { return checkRoom(m, &r) },
		func() schema.Rejection { return checkClientID(a, m, &r, c) },
		func() schema.Rejection { return x.checkOpen(a, m, &r, c) },
		func() schema.Rejection { return checkTrigger(m, &r, c) },
	} {
		if rejection := check(); rejection.Refused() {
			return nil, rejection
		}
	}
	o := makeOrder(a, m, &r)
	if rejection := x.checkMoney(o, c); rejection.Refused() {
		return nil, rejection
	}
	if rejection := checkOneStep(o); rejection.Refused() {
		return nil, rejection
	}
	if rejection := checkMaker(o); rejection.Refused() {
		return nil, rejection
	}
	return o, accepted
}

// makeOrder makes the order that was asked for. It takes only the numbers that are looked at.
func makeOrder(a *schema.Account, m *market, r *schema.OrderRequest) *order {
	o := &order{
		account: a.ID, market: m,
		kind: r.Type, side: r.Side, stp: r.STP,
		postOnly: r.PostOnly, ioc: r.IOC, rpi: r.RPI, retail: r.Retail,
		client: r.ClientID,
		amount: of(r.Amount), left: of(r.Amount),
	}
	if hasPrice(r) {
		o.price = of(r.Price)
	}
	if r.Type.IsStop() {
		o.activation = of(r.ActivationPrice)
		o.bbo = r.BBO
	}
	return o
}

// hasPrice reports whether the price of the request counts. That of a BBO-priced limit order
// does after it was picked.
func hasPrice(r *schema.OrderRequest) bool {
	return r.Type == schema.Limit || r.Type == schema.StopLimit && r.BBO == schema.BBONone
}

// checkWords is check 3.
func checkWords(r *schema.OrderRequest, c circumstances) schema.Rejection {
	switch {
	case !schema.Valid(r.Side):
		return schema.Refuse(schema.SideInvalid)
	case !schema.Valid(r.Type), c.bulk && r.Type != schema.Limit:
		return schema.Refuse(schema.TypeInvalid)
	case !schema.Valid(r.STP):
		return schema.Refuse(schema.STPInvalid)
	}
	return accepted
}

// checkRegion is check 4.
func checkRegion(a *schema.Account, r *schema.OrderRequest, c circumstances) schema.Rejection {
	if a.Region != schema.EU {
		return accepted
	}
	switch r.Type {
	case schema.Market, schema.StockMarket, schema.StopMarket, schema.StopStockMarket:
		return accepted
	case schema.Limit:
		if r.IOC && r.BBO == schema.BBOCounterparty && !r.RPI && !c.bulk {
			return accepted
		}
	}
	return schema.Refuse(schema.OrderTypeUnavailable)
}

// checkWindow is check 5.
func (x *Exchange) checkWindow(m *market, r *schema.OrderRequest, c circumstances) schema.Rejection {
	if x.at >= m.OpensAt || r.Type == schema.Limit && r.PostOnly && !c.bulk {
		return accepted
	}
	return schema.Refuse(schema.OrderTypeUnavailable)
}

// checkFlags is the first part of check 6.
func checkFlags(a *schema.Account, r *schema.OrderRequest) schema.Rejection {
	switch {
	case r.Type != schema.Limit && (r.PostOnly || r.IOC || r.RPI || r.Retail):
		return schema.Refuse(schema.FlagNotAllowed)
	case r.IOC && r.PostOnly:
		return schema.Refuse(schema.IOCWithPostOnly)
	case r.IOC && r.RPI:
		return schema.Refuse(schema.IOCWithRPI)
	case r.RPI && r.PostOnly:
		return schema.Refuse(schema.RPIWithPostOnly)
	case r.Retail && !a.Retail:
		return schema.Refuse(schema.RetailNotEnabled)
	case r.RPI && !a.RPI:
		return schema.Refuse(schema.RPINotEnabled)
	}
	return accepted
}

// checkBBO is the second part of check 6.
func checkBBO(r *schema.OrderRequest) schema.Rejection {
	switch {
	case r.BBO == schema.BBONone:
		return accepted
	case r.BBO != schema.BBOQueue && r.BBO != schema.BBOCounterparty:
		return schema.Refuse(schema.BBOInvalid)
	case r.Type != schema.Limit && r.Type != schema.StopLimit:
		return schema.Refuse(schema.BBONotAllowed)
	case r.PostOnly && r.BBO == schema.BBOCounterparty:
		return schema.Refuse(schema.BBOWithPostOnly)
	case r.RPI:
		return schema.Refuse(schema.BBOWithRPI)
	case r.BBO == schema.BBOQueue && r.IOC:
		return schema.Refuse(schema.BBOQueueWithIOC)
	}
	return accepted
}

// checkAmount is check 7.
func checkAmount(m *market, r *schema.OrderRequest) schema.Rejection {
	amount := of(r.Amount)
	if amount.sign() <= 0 {
		return schema.Refuse(schema.AmountNotPositive)
	}
	if r.Type.InQuote(r.Side) {
		switch {
		case !amount.multipleOf(m.priceUnit()):
			return about(schema.MoneyTooPrecise, m.priceUnit())
		case amount.less(of(m.MinTotal)):
			return about(schema.MoneyBelowMin, of(m.MinTotal))
		case m.MaxTotal.Sign() != 0 && amount.more(of(m.MaxTotal)):
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
	if !r.Type.HasPrice() || r.BBO != schema.BBONone {
		return accepted
	}
	price := of(r.Price)
	most := maxInt64.times(m.priceUnit())
	switch {
	case price.sign() <= 0:
		return schema.Refuse(schema.PriceNotPositive)
	case !price.multipleOf(m.priceUnit()):
		return about(schema.PriceTooPrecise, m.priceUnit())
	case price.more(most):
		return about(schema.PriceTooLarge, most)
	}
	return accepted
}

// checkActivation is check 9.
func checkActivation(m *market, r *schema.OrderRequest) schema.Rejection {
	if !r.Type.IsStop() {
		return accepted
	}
	price := of(r.ActivationPrice)
	most := maxInt64.times(m.priceUnit())
	switch {
	case price.sign() <= 0:
		return schema.Refuse(schema.ActivationNotPositive)
	case !price.multipleOf(m.priceUnit()):
		return about(schema.ActivationTooPrecise, m.priceUnit())
	case price.more(most):
		return about(schema.ActivationTooLarge, most)
	}
	return accepted
}

// checkSteps is check 10.
func (x *Exchange) checkSteps(m *market, r *schema.OrderRequest) schema.Rejection {
	if !x.stepRule || x.at < schema.StepRuleFrom {
		return accepted
	}
	switch {
	case !r.Type.InQuote(r.Side) && !of(r.Amount).multipleOf(m.step()):
		return about(schema.AmountOffStep, m.step())
	case r.Type.HasPrice() && r.BBO == schema.BBONone && !of(r.Price).multipleOf(m.tick()):
		return about(schema.PriceOffTick, m.tick())
	case r.Type.IsStop() && !of(r.ActivationPrice).multipleOf(m.tick()):
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
		return schema.Refuse(schema.BBOEmpty)
	}
	r.Price = price.decimal()
	return accepted
}

// checkTotal is check 12.
func checkTotal(m *market, r *schema.OrderRequest) schema.Rejection {
	if !r.Type.HasPrice() && (r.Type != schema.StopStockMarket || r.Side != schema.Buy) {
		return accepted
	}
	price := of(r.Price)
	if !hasPrice(r) {
		price = of(r.ActivationPrice)
	}
	total := of(r.Amount).times(price)
	switch {
	case m.MaxTotal.Sign() == 0 && total.more(largest):
		return about(schema.TotalAboveMax, largest)
	case total.less(of(m.MinTotal)):
		return about(schema.TotalBelowMin, of(m.MinTotal))
	case m.MaxTotal.Sign() != 0 && total.more(of(m.MaxTotal)):
		return about(schema.TotalAboveMax, of(m.MaxTotal))
	}
	return accepted
}

// checkRoom is the end of check 12: the orders that stand at a price can be counted in lots. A
// stop stands at its activation price while it waits.
func checkRoom(m *market, r *schema.OrderRequest) schema.Rejection {
	fits := true
	switch {
	case r.Type.IsStop():
		fits = fitsWaiting(m, r)
	case r.Type.HasPrice():
		fits = fitsLevel(m, r.Side, r.RPI, of(r.Price), of(r.Amount))
	}
	if !fits {
		return about(schema.AmountTooLarge, maxInt64.times(m.lot()))
	}
	return accepted
}

// fitsWaiting is the same for stops with one trigger; those that count quote count no lots.
func fitsWaiting(m *market, r *schema.OrderRequest) bool {
	sum := num{}
	if !r.Type.InQuote(r.Side) {
		sum = of(r.Amount)
	}
	for _, o := range m.orders {
		if o.waiting() && o.side == r.Side && !o.inQuote() && o.activation.cmp(of(r.ActivationPrice)) == 0 {
			sum = sum.plus(o.left)
		}
	}
	return !sum.more(maxInt64.times(m.lot()))
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

// checkClientID is check 13. A replacement takes over the id of its original.
func checkClientID(a *schema.Account, m *market, r *schema.OrderRequest, c circumstances) schema.Rejection {
	if r.ClientID.IsZero() {
		return accepted
	}
	for _, o := range m.orders {
		if o != c.replaces && o.account == a.ID && o.client == r.ClientID {
			return schema.Refuse(schema.ClientIDTaken)
		}
	}
	return accepted
}

// checkOpen stands between checks 13 and 14: an account may have so many open orders on a market.
// It is for orders that may become one more of them; a replacement is none.
func (x *Exchange) checkOpen(a *schema.Account, m *market, r *schema.OrderRequest, c circumstances) schema.Rejection {
	stays := r.Type == schema.Limit && !r.IOC || r.Type.IsStop()
	if !x.boundedWork || !stays || c.replaces != nil {
		return accepted
	}
	open := int64(0)
	for _, o := range m.orders {
		if o.account == a.ID {
			open++
		}
	}
	if limit := int64(m.OrderLimit()); open >= limit {
		return about(schema.TooManyOrders, whole(limit))
	}
	return accepted
}

// checkTrigger is check 14.
func checkTrigger(m *market, r *schema.OrderRequest, c circumstances) schema.Rejection {
	switch {
	case !r.Type.IsStop():
		return accepted
	case m.last.sign() == 0:
		return schema.Refuse(schema.EmptyHistory)
	case of(r.ActivationPrice).cmp(m.last) != 0:
		return accepted
	case c.replaces != nil:
		return schema.Refuse(schema.ModifyActivationEqualsLast)
	}
	return schema.Refuse(schema.ActivationEqualsLast)
}

// checkMoney is check 15.
func (x *Exchange) checkMoney(o *order, c circumstances) schema.Rejection {
	available := x.balance(o.account, schema.Trade, o.paysWith()).available
	if c.replaces != nil {
		available = available.plus(c.replaces.hold)
	}
	cost := o.needs()
	if o.kind == schema.StockMarket && o.side == schema.Buy {
		cost = x.sweepCost(o)
	}
	if cost.more(available) {
		return schema.Refuse(schema.NotEnoughBalance)
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
		return schema.Refuse(schema.AmountTooSmall)
	}
	return accepted
}

// checkMaker is check 17.
func checkMaker(o *order) schema.Rejection {
	if !o.postOnly && !o.rpi {
		return accepted
	}
	best, ok := bestPrice(o.market, o.side.Opposite())
	if ok && !beyond(o.side, best, o.price) {
		return schema.Refuse(schema.PostOnlyWouldTake)
	}
	return accepted
}
