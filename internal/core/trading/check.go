package trading

import (
	"math"

	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// asked is a new order that is being checked: what was asked for, and what may be assumed.
type asked struct {
	*schema.OrderRequest
	account *schema.Account
	desk    uint32 // 0 when the account has none on the market yet
	bulk    bool   // it came with others
	// replaces is the order that a modification puts this one in the place of, or nil; its
	// hold counts as available, and its client id as free.
	replaces *order
	more     uint32 // how many orders are placed with this one, behind it
}

// name is the client id that the order is to have, nil if none. Callers put it into the order
// themselves: storing it through a pointer would make the compiler move requests to the heap.
func (a *asked) name() *schema.ClientID {
	if a.ClientID.IsZero() {
		return nil
	}
	return &a.ClientID
}

// activated reports whether the order takes the place of a stop whose trigger was reached: it
// is a limit order by now, whatever its type says.
func (a *asked) activated() bool { return a.replaces != nil && a.replaces.flags.has(activated) }

// guessed reports whether what the order will cost is not known before its trigger is reached, and
// neither is how much it may cost: until then the activation price stands for the price.
func (a *asked) guessed() bool { return a.Type == schema.StopStockMarket && a.Side == schema.Buy }

// inMoney reports whether such an order counts its amount in quote when it buys.
func (a *asked) inMoney() bool { return a.Type.InQuote(schema.Buy) }

// stops reports whether the order will wait for a trigger.
func (a *asked) stops() bool { return a.Type.IsStop() && !a.activated() }

// leads reports whether the order is to be the primary of an OTO.
func (a *asked) leads() bool { return a.Collateral && !(a.TakeProfit.IsZero() && a.StopLoss.IsZero()) }

// check goes through the checks of a new order in the order that docs/trading.md gives, and
// makes the order ready to enter. Nothing is changed.
func (e *Engine) check(m *market, a *asked, o *order) schema.Rejection {
	if r := e.checkTerms(m, a, o); r.Refused() {
		return r
	}
	if a.stops() {
		if r := checkActivation(m, a, o); r.Refused() {
			return r
		}
	}
	if r := e.checkFunds(m, a, o); r.Refused() {
		return r
	}
	if (o.flags.has(postOnly) || o.flags.has(rpi)) && m.takes(o) {
		return schema.Refuse(schema.PostOnlyWouldTake)
	}
	return schema.Rejection{}
}

// takes reports whether a limit order would take from the public book.
func (m *market) takes(o *order) bool {
	best, there := m.book.Best(queue(o.side.Opposite(), false))
	return there && crosses(o.side, o.price, best)
}

// checkTerms is the part of check that looks at the order by itself: all but its trigger, what it costs and whom it would meet.
func (e *Engine) checkTerms(m *market, a *asked, o *order) schema.Rejection {
	if r := e.checkMarket(m, a); r.Refused() {
		return r
	}
	if r := e.checkWords(m, a); r.Refused() {
		return r
	}
	if r := e.checkFlags(a); r.Refused() {
		return r
	}
	*o = order{
		desk: a.desk, kind: a.Type, side: a.Side, stp: a.STP, bbo: a.BBO,
		created: e.out.Time, updated: e.out.Time,
	}
	o.flags = flagSet(a.PostOnly, a.IOC, a.RPI, a.Retail, a.activated())
	if a.Collateral {
		if r := e.checkSide(m, a, o); r.Refused() {
			return r
		}
		if r := checkPrimary(a, o); r.Refused() {
			return r
		}
	}
	if a.activated() {
		o.activated = a.replaces.activated
	}
	if r := e.checkNumbers(m, a, o); r.Refused() {
		return r
	}
	if a.BBO != schema.BBONone && !a.stops() {
		best, there := bbo(m, o)
		if !there {
			return schema.Refuse(schema.BBOEmpty)
		}
		o.price, o.bbo = best, schema.BBONone
	}
	if a.Collateral {
		if o.flags.has(member) {
			if r := e.checkExits(m, a.TakeProfit, a.StopLoss, o); r.Refused() {
				return r
			}
		}
		if r := e.cut(a, o); r.Refused() {
			return r
		}
		if r := e.checkBand(m, o); r.Refused() {
			return r
		}
	}
	if r := e.checkTotal(m, a, o); r.Refused() {
		return r
	}
	if o.flags.has(member) {
		if r := m.checkWorth(o); r.Refused() {
			return r
		}
		if r := e.checkProtection(m, o.side, o.price, &o.tie); r.Refused() {
			return r
		}
	}
	if r := checkRoom(m, a, o); r.Refused() {
		return r
	}
	if r := e.checkClient(a); r.Refused() {
		return r
	}
	if r := e.checkCount(m, a); r.Refused() {
		return r
	}
	return e.checkStops(a)
}

func (e *Engine) checkMarket(m *market, a *asked) schema.Rejection {
	switch {
	case m == nil || !m.info.Offered(e.region(a.account)):
		return schema.Refuse(schema.MarketUnavailable)
	case m.info.InMaintenance:
		return schema.Refuse(schema.TradingNotAllowed)
	case m.future() && !a.Collateral:
		return schema.Refuse(schema.CollateralOnly)
	case a.Collateral && !m.margined():
		return schema.Refuse(schema.CollateralUnavailable)
	case m.info.Type == schema.TradFiFutures && !a.account.TradFi:
		return schema.Refuse(schema.TradFiNotEnabled)
	}
	return schema.Rejection{}
}

// region is that whose rules hold for an order.
func (e *Engine) region(account *schema.Account) schema.Region {
	return schema.Stricter(account.Region, e.out.Region)
}

// checkWords checks what kind of order it is and whether that kind is taken here and now.
func (e *Engine) checkWords(m *market, a *asked) schema.Rejection {
	switch {
	case !schema.Valid(a.Side):
		return schema.Refuse(schema.SideInvalid)
	case !schema.Valid(a.Type) || a.bulk && a.Type != schema.Limit || a.Collateral && a.inMoney():
		return schema.Refuse(schema.TypeInvalid)
	case !schema.Valid(a.STP):
		return schema.Refuse(schema.STPInvalid)
	case !a.Offered(e.region(a.account)) || a.bulk && e.region(a.account) == schema.EU, a.leads() && !e.features.BoundedWork:
		return schema.Refuse(schema.OrderTypeUnavailable)
	case e.out.Time < m.info.OpensAt && (a.Type != schema.Limit || !a.PostOnly || a.bulk):
		return schema.Refuse(schema.OrderTypeUnavailable)
	}
	return schema.Rejection{}
}

func (e *Engine) checkFlags(a *asked) schema.Rejection {
	switch {
	case a.Type != schema.Limit && (a.PostOnly || a.IOC || a.RPI || a.Retail), a.Collateral && a.Retail:
		return schema.Refuse(schema.FlagNotAllowed)
	case a.IOC && a.PostOnly:
		return schema.Refuse(schema.IOCWithPostOnly)
	case a.IOC && a.RPI:
		return schema.Refuse(schema.IOCWithRPI)
	case a.RPI && a.PostOnly:
		return schema.Refuse(schema.RPIWithPostOnly)
	case a.Retail && !a.account.Retail:
		return schema.Refuse(schema.RetailNotEnabled)
	case a.RPI && !a.account.RPI:
		return schema.Refuse(schema.RPINotEnabled)
	case a.BBO == schema.BBONone:
		return schema.Rejection{}
	case a.BBO > schema.BBOCounterparty:
		return schema.Refuse(schema.BBOInvalid)
	case !a.Type.HasPrice():
		return schema.Refuse(schema.BBONotAllowed)
	case a.PostOnly && a.BBO == schema.BBOCounterparty:
		return schema.Refuse(schema.BBOWithPostOnly)
	case a.RPI:
		return schema.Refuse(schema.BBOWithRPI)
	case a.BBO == schema.BBOQueue && a.IOC:
		return schema.Refuse(schema.BBOQueueWithIOC)
	}
	return schema.Rejection{}
}

// checkNumbers turns amount and prices into lots and ticks.
func (e *Engine) checkNumbers(m *market, a *asked, o *order) schema.Rejection {
	priced := a.Type.HasPrice() && a.BBO == schema.BBONone
	if a.Type.InQuote(a.Side) {
		if r := checkBudget(m, a.Amount); r.Refused() {
			return r
		}
		o.budget = a.Amount
	} else {
		n, r := count(a.Amount, m.info.StockPrec, &amountReasons)
		if r.Refused() {
			return r
		}
		if a.Amount.Cmp(m.info.MinAmount) < 0 {
			return schema.Rejection{Reason: schema.AmountBelowMin, Value: m.info.MinAmount}
		}
		o.amount, o.left = book.Lots(n), book.Lots(n)
	}
	if priced {
		n, r := count(a.Price, m.info.MoneyPrec, &priceReasons)
		if r.Refused() {
			return r
		}
		o.price = book.Ticks(n)
	}
	if a.stops() {
		n, r := count(a.ActivationPrice, m.info.MoneyPrec, &activationReasons)
		if r.Refused() {
			return r
		}
		o.activation = book.Ticks(n)
	} else if a.activated() {
		o.activation = a.replaces.activation
	}
	if !e.stepped() {
		return schema.Rejection{}
	}
	switch {
	case o.amount%m.step != 0:
		return schema.Rejection{Reason: schema.AmountOffStep, Value: m.info.StepSize}
	case priced && o.price%m.tick != 0:
		return schema.Rejection{Reason: schema.PriceOffTick, Value: m.info.TickSize}
	case a.stops() && o.activation%m.tick != 0:
		return schema.Rejection{Reason: schema.ActivationOffTick, Value: m.info.TickSize}
	}
	return schema.Rejection{}
}

// stepped reports whether prices and amounts must be multiples of what the market says.
func (e *Engine) stepped() bool { return e.features.StepRule && e.out.Time >= schema.StepRuleFrom }

// reasons are how the checks of a number are refused.
type reasons struct{ sign, precision, size schema.Reason }

var (
	amountReasons     = reasons{schema.AmountNotPositive, schema.AmountTooPrecise, schema.AmountTooLarge}
	priceReasons      = reasons{schema.PriceNotPositive, schema.PriceTooPrecise, schema.PriceTooLarge}
	activationReasons = reasons{schema.ActivationNotPositive, schema.ActivationTooPrecise, schema.ActivationTooLarge}
)

// count turns a number into units of 10^-prec.
func count(d fixed.Decimal, prec uint8, why *reasons) (int64, schema.Rejection) {
	n, ok := d.Units(int(prec))
	switch {
	case ok && n > 0:
		return n, schema.Rejection{}
	case d.Sign() <= 0:
		return 0, schema.Refuse(why.sign)
	case d.Decimals() > int(prec):
		return 0, schema.Rejection{Reason: why.precision, Value: fixed.FromUnits(1, int(prec))}
	default:
		return 0, schema.Rejection{Reason: why.size, Value: fixed.FromUnits(math.MaxInt64, int(prec))}
	}
}

func checkBudget(m *market, budget fixed.Decimal) schema.Rejection {
	switch {
	case budget.Sign() <= 0:
		return schema.Refuse(schema.AmountNotPositive)
	case budget.Decimals() > m.moneyPrec:
		return schema.Rejection{Reason: schema.MoneyTooPrecise, Value: fixed.FromUnits(1, m.moneyPrec)}
	case budget.Cmp(m.info.MinTotal) < 0:
		return schema.Rejection{Reason: schema.MoneyBelowMin, Value: m.info.MinTotal}
	case !m.info.MaxTotal.IsZero() && budget.Cmp(m.info.MaxTotal) > 0:
		return schema.Rejection{Reason: schema.MoneyAboveMax, Value: m.info.MaxTotal}
	}
	return schema.Rejection{}
}

// checkTotal checks what the order is worth.
func (e *Engine) checkTotal(m *market, a *asked, o *order) schema.Rejection {
	if !a.Type.HasPrice() && !a.guessed() {
		if _, fits := m.total(o); !fits {
			return schema.Rejection{Reason: schema.TotalAboveMax, Value: fixed.Max}
		}
		return schema.Rejection{}
	}
	total, fits := m.total(o)
	switch {
	case !fits && m.info.MaxTotal.IsZero():
		return schema.Rejection{Reason: schema.TotalAboveMax, Value: fixed.Max}
	case !fits || !m.info.MaxTotal.IsZero() && total.Cmp(m.info.MaxTotal) > 0:
		return schema.Rejection{Reason: schema.TotalAboveMax, Value: m.info.MaxTotal}
	case total.Cmp(m.info.MinTotal) < 0 && !o.flags.has(reduceOnly):
		return schema.Rejection{Reason: schema.TotalBelowMin, Value: m.info.MinTotal}
	}
	return schema.Rejection{}
}

// total is what an order is worth at its own price, or at its activation price while it has no
// other, and whether that can be held. It is the one rule for orders that come in and for those
// that a snapshot brings back: what is accepted can be restored. An order without any price of its
// own is worth what it finds in the book, where every price was checked with its amount.
func (m *market) total(o *order) (fixed.Decimal, bool) {
	price := o.price
	if price == 0 && (o.kind.HasPrice() || o.side == schema.Buy || o.flags.has(collateral)) {
		price = o.activation
	}
	return m.moneyUnit.Product(int64(price), int64(o.amount))
}

// checkRoom checks that the level where the order would stand can be counted with it.
func checkRoom(m *market, a *asked, o *order) schema.Rejection {
	q, price := queue(o.side, o.flags.has(rpi)), o.price
	if a.stops() {
		q, price = waiting(o.side, o.flags), o.activation
	} else if !a.Type.HasPrice() {
		return schema.Rejection{}
	}
	if !m.book.Fits(q, price, o.left) {
		return schema.Rejection{Reason: schema.AmountTooLarge, Value: m.amount(math.MaxInt64)}
	}
	return schema.Rejection{}
}

// bbo is the price that the order's role picks from the public book.
func bbo(m *market, o *order) (book.Ticks, bool) {
	side := o.side
	if o.bbo == schema.BBOCounterparty {
		side = side.Opposite()
	}
	return m.book.Best(queue(side, false))
}

func (e *Engine) checkClient(a *asked) schema.Rejection {
	if a.ClientID.IsZero() || a.desk == 0 {
		return schema.Rejection{}
	}
	slot := e.clients.find(a.desk, &a.ClientID)
	if slot != 0 && (a.replaces == nil || a.replaces.slot != slot) {
		return schema.Refuse(schema.ClientIDTaken)
	}
	return schema.Rejection{}
}

// checkCount checks that the account may have one more open order on the market. An order that
// takes the place of another adds none, and one that can only take is never open; but the primary of an OTO leaves others that are.
func (e *Engine) checkCount(m *market, a *asked) schema.Rejection {
	stays := !a.IOC && (a.Type.HasPrice() || a.Type.IsStop()) || a.leads()
	if !e.features.BoundedWork || a.desk == 0 || a.replaces != nil || !stays {
		return schema.Rejection{}
	}
	if limit := m.info.OrderLimit(); e.desks.At(a.desk).count+a.more >= limit {
		return schema.Rejection{Reason: schema.TooManyOrders, Value: fixed.FromInt(int64(limit))}
	}
	return schema.Rejection{}
}

// maxStops is how many stops that are paid from collateral may wait for an account on a market.
const maxStops = 100

// checkStops checks that one more stop may wait on margin. One that takes the place of another adds none.
func (e *Engine) checkStops(a *asked) schema.Rejection {
	if a.Collateral && a.stops() && a.replaces == nil && a.desk != 0 && e.desks.At(a.desk).stops >= maxStops {
		return schema.Refuse(schema.TooManyStops)
	}
	return schema.Rejection{}
}

func checkActivation(m *market, a *asked, o *order) schema.Rejection {
	switch {
	case m.last == 0:
		return schema.Refuse(schema.EmptyHistory)
	case o.activation == m.last && a.replaces != nil:
		return schema.Refuse(schema.ModifyActivationEqualsLast)
	case o.activation == m.last:
		return schema.Refuse(schema.ActivationEqualsLast)
	}
	return schema.Rejection{}
}

// checkFunds checks that the account can pay for the order, and that a budget buys something.
func (e *Engine) checkFunds(m *market, a *asked, o *order) schema.Rejection {
	if o.flags.has(collateral) {
		return e.checkMargin(m, a, o)
	}
	available := e.roomFor(m, a)
	if e.need(m, o, available).Cmp(available) > 0 {
		return schema.Refuse(schema.NotEnoughBalance)
	}
	if o.kind == schema.Market && o.side == schema.Buy {
		best, there := m.book.Best(book.Asks)
		if there && m.affordable(o.budget, best) == 0 {
			return schema.Refuse(schema.AmountTooSmall)
		}
	}
	return schema.Rejection{}
}

// need is what an order will hold, or spend at most; where that is more than what is available, it
// is any number above that. The order has no desk yet.
func (e *Engine) need(m *market, o *order, available fixed.Decimal) fixed.Decimal {
	switch {
	case o.side == schema.Sell:
		return m.amount(o.amount)
	case o.inQuote():
		return o.budget
	case o.kind == schema.StockMarket:
		_, cost := e.sweep(m, o, available)
		return cost
	case o.price == 0: // a stop that finds its price in the book when it wakes up
		return m.money(o.activation, o.amount)
	default:
		return m.money(o.price, o.amount)
	}
}
