package trading

import (
	"errors"
	"fmt"
	"iter"

	"bourse/internal/core/accounts"
	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Counters are the last ids that were handed out, and the moment of the last tick.
type Counters struct {
	Order schema.OrderID
	Deal  schema.DealID
	Work  schema.WorkID
	Tick  schema.Time
}

// Counters of the engine.
func (e *Engine) Counters() Counters {
	return Counters{e.lastOrder, e.lastDeal, e.lastWork, e.lastTick}
}

// SetCounters makes the engine go on from the last ids that were handed out.
func (e *Engine) SetCounters(c Counters) {
	e.lastOrder, e.lastDeal, e.lastWork, e.lastTick = c.Order, c.Deal, c.Work, c.Tick
}

// MarketRecord is what snapshots keep of a market beside its listing.
type MarketRecord struct {
	Last  fixed.Decimal
	Index Index
}

func (r *MarketRecord) Fields(c *wire.Coder) {
	c.Decimal(1, "last", &r.Last)
	c.Decimal(2, "index", &r.Index.Price)
	wire.Int(c, 3, "index_at", &r.Index.At)
}

// DeskRecord is a desk as snapshots keep it.
type DeskRecord struct {
	Fee   schema.SetFee
	Timer schema.KillSwitch
}

func (r *DeskRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "fee", &r.Fee)
	wire.Embed(c, 2, "timer", &r.Timer)
}

// OrderRecord is an open order as snapshots keep it.
type OrderRecord struct {
	Order schema.Order
	BBO   schema.BBORole
	Worse bool // than the mark, when it was placed
}

func (r *OrderRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "order", &r.Order)
	wire.Uint(c, 2, "bbo", &r.BBO)
	c.Bool(3, "worse", &r.Worse)
}

// Record is the record of a market.
func (e *Engine) Record(id schema.MarketID) MarketRecord {
	m := e.market(id)
	return MarketRecord{Last: m.price(m.last), Index: m.index}
}

// RestoreMarket brings a market back to its record; it must be listed.
func (e *Engine) RestoreMarket(id schema.MarketID, r *MarketRecord) error {
	m := e.market(id)
	last, ok := r.Last.Units(m.moneyPrec)
	if !ok || last < 0 {
		return fmt.Errorf("market %s: a last price of %s", m.info.Name, r.Last)
	}
	if r.Index.Price.Sign() < 0 {
		return fmt.Errorf("market %s: an index price of %s", m.info.Name, r.Index.Price)
	}
	m.last, m.index = book.Ticks(last), r.Index
	return nil
}

// Desks goes through the records of all desks in the order of their making.
func (e *Engine) Desks() iter.Seq[DeskRecord] {
	return func(yield func(DeskRecord) bool) {
		for i := uint32(1); i < e.desks.End(); i++ {
			d := e.desks.At(i)
			r := DeskRecord{
				Fee:   schema.SetFee{Account: d.account, Market: d.market, Maker: d.maker, Taker: d.taker},
				Timer: e.killSwitch(i),
			}
			if !yield(r) {
				return
			}
		}
	}
}

// RestoreDesk makes a desk; they must come in the order of Desks, after the balances.
func (e *Engine) RestoreDesk(r *DeskRecord) error {
	m := e.market(r.Fee.Market)
	if m == nil || e.accounts.Get(r.Fee.Account) == nil {
		return errors.New("a desk names no account or market")
	}
	if e.findDesk(r.Fee.Account, r.Fee.Market) != 0 {
		return errors.New("a desk stands there twice")
	}
	if base, quote := e.findBalances(m, r.Fee.Account); (base == 0 || quote == 0) && !m.future() {
		return errors.New("a desk has no balances")
	}
	if !accounts.ValidFees(r.Fee.Maker, r.Fee.Taker) {
		return errors.New("a desk has fees that cannot be charged")
	}
	if t := &r.Timer; t.Account != r.Fee.Account || t.Market != r.Fee.Market || t.Products > allProducts {
		return errors.New("a desk has a timer that cannot run")
	}
	i := e.openDesk(r.Fee.Account, m)
	d := e.desks.At(i)
	d.maker, d.taker = r.Fee.Maker, r.Fee.Taker
	d.timer = timer{start: r.Timer.Start, deadline: r.Timer.Deadline, products: r.Timer.Products}
	if d.timer.deadline != 0 {
		e.startTimer(i)
	}
	return nil
}

// Orders goes through the records of a market's open orders: queue by queue, in each the one
// that is met first first.
func (e *Engine) Orders(id schema.MarketID) iter.Seq[*OrderRecord] {
	return func(yield func(*OrderRecord) bool) {
		m := e.market(id)
		var r OrderRecord
		for q := book.Bids; q <= book.Falling; q++ {
			for slot := range m.book.Orders(q) {
				var o order
				e.load(m, slot, &o)
				e.view(m, &o, o.status(), &r.Order)
				r.BBO, r.Worse = o.bbo, o.flags.has(worse)
				if !yield(&r) {
					return
				}
			}
		}
	}
}

// RestoreOrders puts the open orders of a market into the queues of its empty book.
func (e *Engine) RestoreOrders(id schema.MarketID, records iter.Seq2[*OrderRecord, error]) error {
	m := e.market(id)
	for r, err := range records {
		if err != nil {
			return err
		}
		if err := e.restoreOrder(m, r); err != nil {
			return fmt.Errorf("order %d: %w", r.Order.ID, err)
		}
	}
	return nil
}

// EnlistOrders puts all orders that were restored into the lists of their desks, and counts those that
// are paid from collateral. On markets in the middle of a command there may be some that can reduce nothing.
func (e *Engine) EnlistOrders() {
	for _, m := range e.markets {
		for _, slot := range m.slots() {
			e.enlist(m, slot)
			b := m.book.At(slot)
			if !b.Terms.flags.has(collateral) {
				continue
			}
			e.sit(m, b.Owner)
			var o order
			e.load(m, slot, &o)
			if e.isSpare(m, &o) {
				b.Terms.flags |= spare
				o.flags = b.Terms.flags
			}
			e.keep(m, &o, schema.ByRequest)
		}
	}
}

func (e *Engine) restoreOrder(m *market, r *OrderRecord) error {
	var o order
	if err := e.restoreWords(m, r, &o); err != nil {
		return err
	}
	if err := restoreShape(&r.Order, &o); err != nil {
		return err
	}
	if err := restoreNumbers(m, &r.Order, &o); err != nil {
		return err
	}
	e.store(m, &o)
	q, at := queue(o.side, o.flags.has(rpi)), o.price
	if o.waits() {
		q, at = waiting(o.side, o.flags), o.activation
	}
	if _, fits := m.book.Link(o.slot, q, at); !fits {
		return errors.New("its level cannot be counted")
	}
	return nil
}

// restoreWords begins to take the order of a record in hand: all but its numbers.
func (e *Engine) restoreWords(m *market, r *OrderRecord, o *order) error {
	v := &r.Order
	*o = order{
		id: v.ID, desk: e.findDesk(v.Account, m.info.ID), kind: v.Type, side: v.Side, stp: v.STP, bbo: r.BBO,
		dealMoney: v.DealMoney, dealFee: v.DealFee, created: v.Created, updated: v.Updated,
	}
	switch {
	case v.Market != m.info.ID:
		return errors.New("it belongs to another market")
	case o.desk == 0:
		return errors.New("its account has no desk")
	case v.ID == 0 || v.ID > e.lastOrder || m.book.Find(uint64(v.ID)) != 0:
		return errors.New("its id is not one that was handed out, or stands there twice")
	case !schema.Valid(v.Side) || !schema.Valid(v.Type) || !schema.Valid(v.STP) || r.BBO > schema.BBOCounterparty:
		return errors.New("its words are not those of an order")
	case !v.ClientID.IsZero() && e.clients.find(o.desk, &v.ClientID) != 0:
		return errors.New("its client id stands there twice")
	}
	if !v.ClientID.IsZero() {
		o.client = &v.ClientID
	}
	o.flags = flagSet(v.PostOnly, v.IOC, v.RPI, v.Retail, v.ActivatedAt != 0)
	o.activated = v.ActivatedAt
	switch {
	case v.Collateral && !m.margined(), !v.Collateral && m.future():
		return errors.New("it is paid from the wrong wallet")
	case !v.Collateral && (v.ReduceOnly || v.PositionSide != schema.BothSides || r.Worse),
		!schema.Valid(v.PositionSide), v.Collateral && (v.Retail || v.Type.InQuote(schema.Buy)):
		return errors.New("its words are not those of an order from that wallet")
	case v.Collateral:
		o.flags |= collateralFlags(v.ReduceOnly, v.PositionSide)
		if r.Worse {
			o.flags |= worse
		}
	}
	return e.restoreTie(m, v, o)
}

// restoreTie takes in hand what binds an order to others. Whether those are there is for Verify.
func (e *Engine) restoreTie(m *market, v *schema.Order, o *order) error {
	profit, okProfit := v.TakeProfit.Units(m.moneyPrec)
	loss, okLoss := v.StopLoss.Units(m.moneyPrec)
	if !okProfit || !okLoss || profit < 0 || loss < 0 || v.Group > e.lastOrder || v.Role != schema.NoRole && !(v.Collateral && e.features.BoundedWork) {
		return errors.New("it is part of a group that cannot be")
	}
	o.tie = tie{group: v.Group, takeProfit: book.Ticks(profit), stopLoss: book.Ticks(loss)}
	switch v.Role {
	case schema.NoRole:
	case schema.TakeProfit:
		o.flags |= takeProfit
	case schema.StopLoss:
		o.flags |= stopLoss
	default:
		o.flags |= member
	}
	if v.Role.Protects() && v.Group == 0 {
		o.flags |= whole
	}
	exits := profit != 0 || loss != 0
	switch {
	case o.role() != v.Role, exits != (v.Role == schema.Primary), o.flags.has(member) != (v.Group != 0) && !v.Role.Protects(),
		v.Role == schema.Primary && v.ReduceOnly, v.Role == schema.StopLeg && v.Type != schema.StopLimit,
		v.Role.Protects() && !(v.ReduceOnly && v.Type == schema.StopStockMarket):
		return errors.New("it cannot be what it is in its group")
	}
	for _, price := range [...]book.Ticks{o.tie.takeProfit, o.tie.stopLoss} {
		if amount, _ := v.Amount.Units(m.stockPrec); price != 0 {
			if _, fits := m.moneyUnit.Product(int64(price), amount); !fits {
				return errors.New("what follows it is more than can be held")
			}
		}
	}
	return nil
}

// restoreShape takes only what can stand in a book: limit orders with their flags, stops that
// wait, and stop limit orders that were activated.
func restoreShape(v *schema.Order, o *order) error {
	switch {
	case !o.kind.HasPrice() && !o.waits():
		return errors.New("an order at the market cannot be open")
	case v.IOC || v.RPI && v.PostOnly || v.Type != schema.Limit && (v.PostOnly || v.RPI || v.Retail):
		return errors.New("an order with such flags cannot be open")
	case v.ActivatedAt != 0 && v.Type != schema.StopLimit:
		return errors.New("only stop orders are activated")
	case o.bbo != schema.BBONone && (v.Type != schema.StopLimit || !o.waits()):
		return errors.New("only stop limit orders that wait take their price from the book")
	case o.waits() && v.Left != v.Amount:
		return errors.New("an order that waits was filled")
	case v.Left == v.Amount && !(v.DealMoney.IsZero() && v.DealFee.IsZero()) || v.DealMoney.Sign() < 0:
		return fmt.Errorf("%s is left of %s, and %s was paid", v.Left, v.Amount, v.DealMoney)
	}
	return nil
}

func restoreNumbers(m *market, v *schema.Order, o *order) error {
	price, okPrice := v.Price.Units(m.moneyPrec)
	activation, okActivation := v.ActivationPrice.Units(m.moneyPrec)
	o.price, o.activation = book.Ticks(price), book.Ticks(activation)
	priced := o.kind.HasPrice() && !(o.waits() && o.bbo != schema.BBONone)
	if !okPrice || !okActivation || price < 0 || activation < 0 || priced != (price > 0) || o.kind.IsStop() != (activation > 0) {
		return fmt.Errorf("its prices are %s and %s", v.Price, v.ActivationPrice)
	}
	if o.inQuote() {
		dealt, okDealt := v.DealStock.Units(m.stockPrec)
		if v.Amount.Sign() <= 0 || v.DealMoney.Sign() < 0 || v.DealMoney.Cmp(v.Amount) >= 0 || !okDealt || dealt < 0 {
			return fmt.Errorf("its amount is %s, of which %s was paid for %s", v.Amount, v.DealMoney, v.DealStock)
		}
		o.budget, o.dealt = v.Amount, book.Lots(dealt)
		return nil
	}
	amount, okAmount := v.Amount.Units(m.stockPrec)
	left, okLeft := v.Left.Units(m.stockPrec)
	if o.flags.has(whole) && o.waits() {
		amount, okAmount = amount+1, okAmount && amount == 0
		left, okLeft = left+1, okLeft && left == 0
	}
	if !okAmount || !okLeft || left <= 0 || left > amount {
		return fmt.Errorf("%s is left of %s", v.Left, v.Amount)
	}
	o.amount, o.left = book.Lots(amount), book.Lots(left)
	if _, fits := m.total(o); !fits {
		return fmt.Errorf("%s at %s is more than can be held", v.Amount, v.Price)
	}
	return nil
}
