package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// terms is what the engine keeps of every open order beside what the book needs. It is small
// because there are many; what few orders have is in detail: an order that was never filled and is no stop, which
// most are, needs none. The list of a desk runs through next and prev, so that cancel-all, kill switches and open
// orders of an account cost what they touch and nothing for the size of the book.
type terms struct {
	amount  book.Lots
	created schema.Time
	next    book.Slot // in the list of the desk
	prev    book.Slot
	detail  uint32 // place of the detail, 0 when there is none
	client  uint32 // place of the client id, 0 when there is none
	kind    schema.OrderType
	side    schema.Side
	stp     schema.STP
	flags   flags
}

// waitsOnMargin reports whether the order is a stop that is paid from collateral and whose trigger was not reached.
func (t *terms) waitsOnMargin() bool {
	return t.flags.has(collateral) && !t.flags.has(activated) && t.kind.IsStop()
}

type flags uint16

const (
	postOnly flags = 1 << iota
	ioc
	rpi
	retail
	activated
	collateral // paid from the collateral wallet; the rest is for those alone
	reduceOnly
	longSide // of the position in hedge mode
	shortSide
	worse  // than the mark, when the order was placed; see Pending
	forced // by liquidation; such an order is never in the book
	member // of an OCO, or the primary of an OTO
	takeProfit
	stopLoss
	whole // of a take profit or stop loss: it is for all of a position, and has one lot until it wakes up
	spare // of the two orders of an OCO: the other one counts for margin
)

// grouped are the flags of orders that others depend on.
const grouped = member | takeProfit | stopLoss

func (f flags) has(flag flags) bool { return f&flag != 0 }

func flagSet(isPostOnly, isIOC, isRPI, isRetail, isActivated bool) (f flags) {
	if isPostOnly {
		f |= postOnly
	}
	if isIOC {
		f |= ioc
	}
	if isRPI {
		f |= rpi
	}
	if isRetail {
		f |= retail
	}
	if isActivated {
		f |= activated
	}
	return f
}

// position is the position that an order belongs to.
func (f flags) position() schema.PositionSide {
	switch {
	case f.has(longSide):
		return schema.LongSide
	case f.has(shortSide):
		return schema.ShortSide
	default:
		return schema.BothSides
	}
}

// collateralFlags are those of an order that is paid from collateral.
func collateralFlags(reduces bool, of schema.PositionSide) flags {
	f := collateral
	if reduces {
		f |= reduceOnly
	}
	switch of {
	case schema.LongSide:
		f |= longSide
	case schema.ShortSide:
		f |= shortSide
	}
	return f
}

// detail is what an open order has once it was partly filled, or because it is a stop.
type detail struct {
	dealMoney  fixed.Decimal
	dealFee    fixed.Decimal
	budget     fixed.Decimal // amount in quote
	dealt      book.Lots     // bought for that
	activation book.Ticks
	limit      book.Ticks // the price it will have, while it waits in the book under another
	updated    schema.Time
	activated  schema.Time // when its trigger was reached
	bbo        schema.BBORole
	tie        tie
}

// tie is what binds an order to others; see group.go.
type tie struct {
	group schema.OrderID // 0 for none
	// Of a primary: the prices of what is to follow it, 0 for none.
	takeProfit book.Ticks
	stopLoss   book.Ticks
}

// order is an order in hand: one that is being placed, matched, or looked at.
type order struct {
	slot       book.Slot // 0 while it is not in the book
	id         schema.OrderID
	desk       uint32
	kind       schema.OrderType
	side       schema.Side
	stp        schema.STP
	flags      flags
	bbo        schema.BBORole
	price      book.Ticks // the limit; 0 at the market
	activation book.Ticks
	amount     book.Lots
	left       book.Lots
	// budget is the amount of orders that count it in quote; dealt is what those bought.
	budget    fixed.Decimal
	dealt     book.Lots
	dealMoney fixed.Decimal
	dealFee   fixed.Decimal
	created   schema.Time
	updated   schema.Time
	activated schema.Time      // when the trigger of a stop was reached
	client    *schema.ClientID // nil when it has none
	held      fixed.Decimal    // what is frozen for it, while it is in hand
	counted   book.Lots        // how many of its lots count for margin, while it is in hand
	tie       tie
}

// inQuote reports whether the amount counts the quote asset.
func (o *order) inQuote() bool { return o.kind.InQuote(o.side) }

// unpriced reports whether the order buys an amount of base at whatever it costs: nothing but the
// book says what it will pay.
func (o *order) unpriced() bool {
	return o.side == schema.Buy && !o.inQuote() && !o.kind.HasPrice() && !o.waits() && !o.flags.has(collateral)
}

// filled is what was bought or sold, in lots.
func (o *order) filled() book.Lots {
	if o.inQuote() {
		return o.dealt
	}
	return o.amount - o.left
}

// done reports whether nothing is left to be filled.
func (o *order) done() bool {
	if o.inQuote() {
		return o.budget == o.dealMoney
	}
	return o.left == 0
}

// waits reports whether the order is a stop whose trigger was not reached.
func (o *order) waits() bool { return o.kind.IsStop() && !o.flags.has(activated) }

// status of an order that is open.
func (o *order) status() schema.Status {
	if o.filled() > 0 {
		return schema.PartiallyFilled
	}
	return schema.Open
}

// load takes the order in a slot in hand; o must be zero.
func (e *Engine) load(m *market, slot book.Slot, o *order) {
	b := m.book.At(slot)
	t := &b.Terms
	o.slot, o.id, o.desk = slot, schema.OrderID(b.ID), b.Owner
	o.kind, o.side, o.stp, o.flags = t.kind, t.side, t.stp, t.flags
	o.price, o.amount, o.left = b.Price, t.amount, b.Left
	o.created, o.updated = t.created, t.created
	if t.client != 0 {
		o.client = &e.clients.names.At(t.client).id
	}
	if t.detail != 0 {
		d := e.details.At(t.detail)
		o.dealMoney, o.dealFee, o.budget = d.dealMoney, d.dealFee, d.budget
		o.activation, o.bbo, o.updated, o.activated = d.activation, d.bbo, d.updated, d.activated
		o.dealt, o.tie = d.dealt, d.tie
		if o.waits() || b.Queue() == book.None {
			o.price = d.limit
		}
	}
}

// store puts an order that is in hand into the book, unlinked, or brings its slot up to date.
func (e *Engine) store(m *market, o *order) *book.Order[terms] {
	var b *book.Order[terms]
	if o.slot == 0 {
		o.slot, b = m.book.Add(uint64(o.id), o.desk, o.left)
		b.Terms = terms{
			amount: o.amount, created: o.created, kind: o.kind, side: o.side, stp: o.stp,
		}
		if o.client != nil {
			b.Terms.client = e.clients.add(o.desk, o.client, o.slot)
		}
	} else {
		b = m.book.At(o.slot)
		b.Left = o.left
	}
	b.Terms.flags = o.flags
	if o.kind.IsStop() || o.filled() > 0 || o.flags.has(member) {
		e.describe(m, b, o)
	}
	return b
}

// describe writes the detail of an order.
func (e *Engine) describe(m *market, b *book.Order[terms], o *order) {
	d := e.detail(b)
	if o.tie.group != d.tie.group { // it is new: what leaves a group is untied by decide
		m.groups.Add(groupKey(o.tie.group), o.slot)
	}
	d.tie = o.tie
	d.dealMoney, d.dealFee, d.budget, d.dealt = o.dealMoney, o.dealFee, o.budget, o.dealt
	d.activation, d.limit, d.bbo, d.updated, d.activated = o.activation, o.price, o.bbo, o.updated, o.activated
}

// detail is the detail of an order in the book, made if it has none.
func (e *Engine) detail(b *book.Order[terms]) *detail {
	if b.Terms.detail != 0 {
		return e.details.At(b.Terms.detail)
	}
	i, d := e.details.Take()
	b.Terms.detail = i
	d.updated = b.Terms.created
	return d
}

// forget removes an order from the book, its desk and the names.
func (e *Engine) forget(m *market, slot book.Slot) {
	e.strike(m, slot)
	t := &m.book.At(slot).Terms
	if t.client != 0 {
		e.clients.remove(t.client)
	}
	if t.detail != 0 {
		if group := e.details.At(t.detail).tie.group; group != 0 {
			m.groups.Remove(groupKey(group), slot)
		}
		e.details.Give(t.detail)
	}
	m.book.Remove(slot)
}

// name is the client id, zero when the order has none.
func (o *order) name() schema.ClientID {
	if o.client == nil {
		return schema.ClientID{}
	}
	return *o.client
}

// view is the order as the world sees it.
func (e *Engine) view(m *market, o *order, status schema.Status, v *schema.Order) {
	d := e.desks.At(o.desk)
	v.ID, v.Account, v.Market = o.id, d.account, d.market
	v.Type, v.Side, v.STP, v.Status = o.kind, o.side, o.stp, status
	v.PostOnly, v.IOC = o.flags.has(postOnly), o.flags.has(ioc)
	v.RPI, v.Retail = o.flags.has(rpi), o.flags.has(retail)
	v.Collateral, v.ReduceOnly, v.PositionSide = o.flags.has(collateral), o.flags.has(reduceOnly), o.flags.position()
	v.Price, v.ActivationPrice = m.price(o.price), m.price(o.activation)
	switch {
	case o.inQuote():
		v.Amount, v.Left = o.budget, o.budget.Sub(o.dealMoney)
	case o.flags.has(whole) && o.waits():
		v.Amount, v.Left = fixed.Zero, fixed.Zero
	default:
		v.Amount, v.Left = m.amount(o.amount), m.amount(o.left)
	}
	v.DealStock, v.DealMoney, v.DealFee = m.amount(o.filled()), o.dealMoney, o.dealFee
	v.Created, v.Updated, v.ActivatedAt = o.created, o.updated, o.activated
	if o.client != nil {
		v.ClientID = *o.client
	} else if !v.ClientID.IsZero() { // left there by an earlier command
		v.ClientID = schema.ClientID{}
	}
	if o.flags.has(grouped) || v.Role != schema.NoRole {
		v.Group, v.Role = o.tie.group, o.role()
		v.TakeProfit, v.StopLoss = m.price(o.tie.takeProfit), m.price(o.tie.stopLoss)
	}
}

// changed records that something happened to an order.
func (e *Engine) changed(m *market, o *order, change schema.Change, cause schema.Cause, status schema.Status) {
	ev := e.out.Events.AddOrder()
	ev.Change, ev.Cause = change, cause
	e.view(m, o, status, &ev.Order)
}
