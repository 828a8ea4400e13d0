package trading

import (
	"slices"

	"bourse/internal/core/book"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// work is a command that one slice is too short for: an order that meets thousands of makers or
// wakes up thousands of stops, an account that cancels all it has, a market that closes.
//
// Every command may do so many fills, ends of orders and triggers (Engine.budget). What does not
// fit is kept here and goes on with each Continue, one slice at a time, so that no command holds
// up the exchange for long. Until the work is over the markets that it changes belong to it alone:
// commands for them are refused as busy before they change anything, and the node asks again. For
// everybody on such a market the work is therefore still one step, with nothing in between: orders
// that are to end do not trade any more, and nobody overtakes a taker. Everybody else goes on.
//
// What must hold: a market that is not busy has no entry and no stops that are due; every work has
// at least one market; a market belongs to one work at most.
type work struct {
	id      schema.WorkID
	kind    workKind
	markets []*market
	// order is the one that is being placed; the stops that it wakes up come after it.
	order schema.OrderID
	// bulk are the orders that order came with, from which the one at next follows; region is that
	// of the deployment that took them.
	bulk   *schema.PlaceBulk
	next   int
	region schema.Region
	// account, of which the orders of some products are being canceled; sides are those of the positions that they belong to.
	account  schema.AccountID
	products schema.Products
	sides    schema.PositionSides
	// status and cause of orders that end.
	status schema.Status
	cause  schema.Cause
	// result is the answer so far. It is for the caller, who is gone when a machine is restored,
	// and therefore in no snapshot.
	result schema.Result
}

type workKind uint8

const (
	placing  workKind = iota + 1 // an order, or several, and the stops that they wake up
	clearing                     // the orders of one account end
	closing                      // the orders of a whole market end
)

// entry is an order in the middle of its matching. It is in the book's store and in the list of its
// desk, but in no queue.
type entry struct {
	slot   book.Slot
	limit  book.Ticks // the worst price at which it may trade; see worstPrice
	banded bool
	held   fixed.Decimal
}

// Begin gives a command its budget.
func (e *Engine) Begin() {
	e.budget, e.late = unbounded, false
	if e.features.BoundedWork {
		e.budget, e.late = e.features.Slice, e.timersDue()
	}
}

const unbounded = 1 << 62

// Busy reports whether there is work that a Continue goes on with.
func (e *Engine) Busy() bool { return len(e.works) > 0 || e.timersDue() }

// postpone keeps what is left of a command for later slices. The result so far goes with it.
func (e *Engine) postpone(w *work) {
	e.leave(w)
	w.result = e.out.Result
	w.result.Items = slices.Clone(e.out.Result.Items)
	e.answer(w)
	e.out.Work = w.id
}

// leave is postpone for work that nobody waits for.
func (e *Engine) leave(w *work) {
	e.lastWork++
	w.id = e.lastWork
	e.works = append(e.works, w)
	for _, m := range w.markets {
		m.work = w
	}
}

// bulkWork is what is left of a bulk when the slice ended in the middle of an order.
func (e *Engine) bulkWork(c *schema.PlaceBulk, next int, order schema.OrderID) *work {
	// The command's memory is the caller's.
	left := &schema.PlaceBulk{Account: c.Account, StopOnFail: c.StopOnFail, Orders: slices.Clone(c.Orders[next:])}
	w := &work{kind: placing, order: order, bulk: left, region: e.out.Region}
	for i := next - 1; i < len(c.Orders); i++ {
		if m := e.market(c.Orders[i].Market); m != nil && !slices.Contains(w.markets, m) {
			w.markets = append(w.markets, m)
		}
	}
	return w
}

// suspend puts an order aside in the middle of its matching. What it may still spend is frozen, as
// other markets go on: an order that buys at whatever it costs may spend all there is.
func (e *Engine) suspend(m *market, o *order, limit book.Ticks, banded bool) {
	fresh := o.slot == 0
	e.describe(m, e.store(m, o), o)
	if fresh {
		e.enlist(m, o.slot)
	}
	if o.unpriced() {
		e.freeze(o, e.room(o), schema.ByRequest)
	} else {
		e.keep(m, o, schema.ByRequest)
	}
	m.entry = entry{slot: o.slot, limit: limit, banded: banded, held: o.held}
}

// Continue goes on with the work that waited longest, for one slice, and with kill switches that
// are due.
func (e *Engine) Continue(*schema.Continue) schema.Rejection {
	if len(e.works) > 0 {
		w := e.works[0]
		e.works = append(e.works[:0], e.works[1:]...)
		if e.goOn(w) {
			e.out.Finished, e.out.Result = w.id, w.result
		} else {
			e.works = append(e.works, w)
		}
	}
	e.fireTimers()
	return schema.Rejection{}
}

// goOn does a slice of work and reports whether it is over.
func (e *Engine) goOn(w *work) bool {
	switch w.kind {
	case placing:
		return e.goOnPlacing(w)
	case clearing:
		for len(w.markets) > 0 {
			m := w.markets[0]
			if !e.cancelDesk(e.desks.At(e.findDesk(w.account, m.info.ID)), w.products, w.sides, w.cause) {
				return false
			}
			if e.wake(m) {
				e.free(w, m)
				continue
			}
			if len(w.markets) == 1 { // what a kill switch left has a market of its own
				w.kind, w.products, w.sides = placing, 0, 0
				return false
			}
			e.free(w, m)
			e.leave(&work{kind: placing, markets: []*market{m}})
		}
		return true
	default:
		m := w.markets[0]
		if !e.empty(m, w.status, w.cause) {
			return false
		}
		e.free(w, m)
		e.reopen(m, e.lastTick)
		return true
	}
}

// free lets others use a market that a work is through with.
func (e *Engine) free(w *work, m *market) {
	m.work = nil
	w.markets = slices.DeleteFunc(w.markets, func(other *market) bool { return other == m })
}

// goOnPlacing goes on with the matching of an order, then with the stops that it woke up, then with
// the orders that came with it.
func (e *Engine) goOnPlacing(w *work) bool {
	done := e.goOnMatching(w)
	e.answer(w)
	if !done || w.bulk != nil && !e.goOnBulk(w) {
		return false
	}
	for _, m := range w.markets {
		m.work = nil
	}
	return true
}

// goOnBulk places the orders of a bulk that follow the last one. It is false if the slice ended in
// the middle of one.
func (e *Engine) goOnBulk(w *work) bool {
	account, r := e.accounts.Customer(w.bulk.Account)
	if r.Refused() { // blocked meanwhile: what is left of the bulk is refused
		for ; w.next < len(w.bulk.Orders); w.next++ {
			w.result.Items = append(w.result.Items, schema.Item{Rejection: r})
		}
		return true
	}
	// Of what the command brought only the region of the deployment is asked for again.
	e.out.Region = w.region
	w.next, w.order = e.placeFrom(w.bulk, account, w.next, &w.result)
	e.answer(w)
	return w.order == 0
}

// goOnMatching brings the order in the middle of its matching, and the stops that are due, to rest
// or to their end. It is false if the slice ended before.
func (e *Engine) goOnMatching(w *work) bool {
	for _, m := range w.markets {
		if at := m.entry; at.slot != 0 {
			m.entry = entry{}
			var o order
			e.load(m, at.slot, &o)
			o.held, o.counted = at.held, o.counts()
			if !e.trade(m, &o, at.limit, at.banded) {
				return false
			}
		}
		if !e.wake(m) {
			return false
		}
	}
	return true
}

// answer notes the state of the order that the work is about, if it changed in this slice.
func (e *Engine) answer(w *work) {
	last := e.out.Events.Order(w.order)
	switch {
	case w.order == 0 || last == nil:
	case w.bulk == nil:
		w.result.Order = *last
	default:
		w.result.Items[len(w.result.Items)-1].Order = *last
	}
}

// Blocks reports whether a command has to wait until a market is free: one that is busy, or whose
// orders of the same account a kill switch is about to cancel.
func (e *Engine) Blocks(cmd schema.Command) bool {
	switch c := cmd.(type) {
	case *schema.PlaceOrder:
		return e.blocks(c.Account, c.Order.Market)
	case *schema.PlaceBulk:
		return slices.ContainsFunc(c.Orders, func(o schema.OrderRequest) bool { return e.blocks(c.Account, o.Market) })
	case *schema.CancelOrder:
		return e.blocks(c.Account, c.Order.Market)
	case *schema.CancelBulk:
		return slices.ContainsFunc(c.Orders, func(o schema.OrderRef) bool { return e.blocks(c.Account, o.Market) })
	case *schema.CancelAll:
		if c.Market != 0 {
			return e.blocks(c.Account, c.Market)
		}
		for i := range e.desksOf(c.Account) {
			if e.blocks(c.Account, e.desks.At(i).market) {
				return true
			}
		}
		return false
	case *schema.BlockSub:
		for i := range e.desksOf(c.Sub) {
			if c.Blocked && e.blocks(c.Sub, e.desks.At(i).market) {
				return true
			}
		}
		return false
	case *schema.ModifyOrder:
		return e.blocks(c.Account, c.Order.Market)
	case *schema.PlaceOCO:
		return e.blocks(c.Account, c.Market)
	case *schema.PlaceTPSL:
		return e.blocks(c.Account, c.Market)
	case *schema.CancelGroup:
		return e.blocks(c.Account, c.Market)
	case *schema.ClosePosition:
		return e.blocks(c.Account, c.Market)
	case *schema.SetKillSwitch:
		return e.blocks(c.Account, c.Market)
	case *schema.SetMarket:
		m := e.listing.MarketByName(c.Market.Name)
		return m != nil && e.blocks(0, m.ID)
	case *schema.PlanMaintenance:
		return e.blocks(0, c.Market)
	case *schema.PlanDelisting:
		return e.blocks(0, c.Market)
	case *schema.SetFee:
		return e.blocks(0, c.Market)
	default:
		return false
	}
}

func (e *Engine) blocks(account schema.AccountID, id schema.MarketID) bool {
	m := e.market(id)
	if m == nil {
		return false
	}
	if m.work != nil {
		return true
	}
	desk := e.findDesk(account, id)
	if desk == 0 {
		return false
	}
	t := &e.desks.At(desk).timer
	return t.due(e.lastTick) && m.has(t.products)
}
