package trading

import (
	"bourse/internal/core/book"
	"bourse/internal/schema"
)

// Cancel cancels one order.
func (e *Engine) Cancel(c *schema.CancelOrder) schema.Rejection {
	if _, r := e.accounts.Customer(c.Account); r.Refused() {
		return r
	}
	m, slot, r := e.findSingle(c.Account, &c.Order)
	if r.Refused() {
		return r
	}
	e.out.Result.Order = *e.cancel(m, slot, schema.Canceled, schema.ByRequest)
	return schema.Rejection{}
}

// CancelBulk cancels several orders; none stops the others.
func (e *Engine) CancelBulk(c *schema.CancelBulk) schema.Rejection {
	_, r := e.accounts.Customer(c.Account)
	switch {
	case r.Refused():
		return r
	case len(c.Orders) == 0:
		return schema.Refuse(schema.CancelBulkEmpty)
	case len(c.Orders) > schema.MaxBulkCancels:
		return schema.Refuse(schema.CancelBulkTooMany)
	}
	for i := range c.Orders {
		m, slot, r := e.findSingle(c.Account, &c.Orders[i])
		item := schema.Item{Rejection: r}
		if !r.Refused() {
			item.Order = *e.cancel(m, slot, schema.Canceled, schema.ByRequest)
		}
		e.out.Result.Items = append(e.out.Result.Items, item)
	}
	return schema.Rejection{}
}

// CancelAll cancels an account's orders on one market or on all, or those of some positions.
func (e *Engine) CancelAll(c *schema.CancelAll) schema.Rejection {
	_, r := e.accounts.Customer(c.Account)
	switch {
	case r.Refused():
		return r
	case c.Market != 0 && e.market(c.Market) == nil:
		return schema.Refuse(schema.MarketUnavailable)
	case c.Products > allProducts:
		return schema.Refuse(schema.ProductsInvalid)
	case !c.Sides.Known():
		return schema.Refuse(schema.PositionSidesInvalid)
	}
	var left []*market
	for i := range e.desksOf(c.Account) {
		d := e.desks.At(i)
		m := e.market(d.market)
		meant := (c.Market == 0 || d.market == c.Market) && m.has(c.Products) && (c.Sides == 0 || m.future())
		if meant && !e.cancelDesk(d, c.Products, c.Sides, schema.ByRequest) {
			left = append(left, m)
		}
	}
	if left != nil {
		e.postpone(&work{kind: clearing, account: c.Account, products: c.Products, sides: c.Sides, cause: schema.ByRequest, markets: left})
	}
	return schema.Rejection{}
}

// product is which of the products that customers know an order belongs to.
func (m *market) product(f flags) schema.Products {
	switch {
	case m.future():
		return schema.FuturesOrders
	case f.has(collateral):
		return schema.MarginOrders
	default:
		return schema.SpotOrders
	}
}

// has reports whether orders of some products can be on a market.
func (m *market) has(p schema.Products) bool {
	return p.Includes(m.product(0)) || m.info.Pair() && p.Includes(schema.MarginOrders)
}

const allProducts = schema.SpotOrders | schema.MarginOrders | schema.FuturesOrders

// Block cancels the orders of an account that was blocked, but for those that can only reduce a position, also those that are to come.
func (e *Engine) Block(account schema.AccountID) {
	var left, heirs []*market
	for i := range e.desksOf(account) {
		d := e.desks.At(i)
		m := e.market(d.market)
		if !e.cancelDesk(d, 0, 0, schema.ByBlock) {
			left = append(left, m)
		} else if len(m.heirs) > 0 {
			heirs = append(heirs, m)
		}
	}
	if left != nil {
		e.postpone(&work{kind: clearing, account: account, cause: schema.ByBlock, markets: left})
	}
	for _, m := range heirs {
		if !e.wake(m) {
			e.leave(&work{kind: placing, markets: []*market{m}})
		}
	}
}

// cancelDesk cancels the orders of a desk of some products that belong to positions of some sides. Some causes
// leave some of them (spared), also those that are to come; who cancels all has none left, and none come. It is false if the slice ended before.
func (e *Engine) cancelDesk(d *desk, products schema.Products, sides schema.PositionSides, cause schema.Cause) bool {
	m := e.market(d.market)
	over := e.goThrough(m, d, func(b *book.Order[terms]) (schema.Status, bool) {
		f := b.Terms.flags
		return schema.Canceled, products.Includes(m.product(f)) && sides.Include(f.position()) && !f.spared(cause)
	}, cause)
	if over && cause == schema.ByRequest && products.Includes(m.product(collateral)) {
		m.heirs = m.heirs[:0]
	}
	return over
}

// spared reports whether an order stays when others of its account end: a kill switch leaves what protects a position, and a block
// whatever can only reduce one.
func (f flags) spared(cause schema.Cause) bool {
	switch cause {
	case schema.ByKillSwitch:
		return f.protects()
	case schema.ByBlock:
		return f.protects() || f.has(reduceOnly)
	}
	return false
}

// goThrough ends orders of a desk, in the order in which they were placed. It is false if the slice ended before; it goes on
// where it was then, since nothing else changes the orders of a market that is busy. A look at an order that stays costs a
// part of the slice too: an account may have more of them than a slice has room for.
func (e *Engine) goThrough(m *market, d *desk, ends func(*book.Order[terms]) (schema.Status, bool), cause schema.Cause) bool {
	slot := d.first
	if m.cursor != 0 {
		slot = m.cursor
	}
	for looked := 1; slot != 0; looked++ {
		if e.budget <= 0 {
			m.cursor = slot
			return false
		}
		b := m.book.At(slot)
		status, is := ends(b)
		next := b.Terms.next
		if is && b.Terms.flags.has(member) && next != 0 && e.tied(m, slot, next) {
			next = m.book.At(next).Terms.next // it ends with this one
		}
		if is {
			e.cancel(m, slot, status, cause)
		}
		if is || looked%looksPerUnit == 0 {
			e.budget--
		}
		slot = next
	}
	m.cursor = 0
	return true
}

// looksPerUnit is how many orders may be looked at for what one fill costs.
const looksPerUnit = 64

// find is the open order of an account that a reference names.
func (e *Engine) find(account schema.AccountID, ref *schema.OrderRef) (*market, book.Slot, schema.Rejection) {
	m := e.market(ref.Market)
	if m == nil {
		return nil, 0, schema.Refuse(schema.MarketUnavailable)
	}
	if (ref.ID == 0) == ref.ClientID.IsZero() {
		return nil, 0, schema.Refuse(schema.OrderRefInvalid)
	}
	var slot book.Slot
	if ref.ID == 0 {
		if desk := e.findDesk(account, ref.Market); desk != 0 {
			slot = e.clients.find(desk, &ref.ClientID)
		}
	} else if slot = m.book.Find(uint64(ref.ID)); slot != 0 && e.desks.At(m.book.At(slot).Owner).account != account {
		slot = 0
	}
	if slot == 0 {
		return nil, 0, schema.Refuse(schema.OrderNotFound)
	}
	return m, slot, schema.Rejection{}
}

// findSingle is find for an order that can be canceled by itself.
func (e *Engine) findSingle(account schema.AccountID, ref *schema.OrderRef) (*market, book.Slot, schema.Rejection) {
	m, slot, r := e.find(account, ref)
	if !r.Refused() && m.book.At(slot).Terms.flags.has(member) {
		return nil, 0, schema.Refuse(schema.CancelOfGroup)
	}
	return m, slot, r
}

// cancel ends an order that stands in a queue, gives back what it held, and returns its last
// state, which is valid until the next event.
func (e *Engine) cancel(m *market, slot book.Slot, status schema.Status, cause schema.Cause) *schema.Order {
	var o order
	e.take(m, slot, &o)
	e.end(m, &o, status, cause)
	return e.out.Events.Order(o.id)
}

// take takes an order in hand and out of its queue, with what is frozen for it; o must be zero.
func (e *Engine) take(m *market, slot book.Slot, o *order) {
	e.load(m, slot, o)
	e.kept(m, o)
	b := m.book.At(slot)
	q, price := b.Queue(), b.Price
	e.level(m, q, price, m.book.Unlink(slot))
}
