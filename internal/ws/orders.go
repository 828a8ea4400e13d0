package ws

import (
	"context"
	"slices"
	"strconv"

	"github.com/go-faster/jx"

	"bourse/internal/core"
	"bourse/internal/history"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// pendingOrders pushes what happens to the open orders of an account.
type pendingOrders struct {
	server  *Server
	private *private[markets]
}

// What can happen to an open order, numbered as on the wire.
const (
	orderNew      = '1'
	orderChanged  = '2'
	orderFinished = '3'
)

func (s *Server) openPending() *pendingOrders {
	read := func(q *call) (markets, *Error) { return s.markets(q.params) }
	s.answers("ordersPending_request", method{private: true, do: s.pendingPage})
	return &pendingOrders{s, openPrivate(s, "ordersPending", read, nil, nil)}
}

func (o *pendingOrders) happened(step *node.Step, h *node.CommandEvents) {
	if o.private.idle(step.Seq) {
		return
	}
	var awake schema.OrderID // the stop that was woken up last
	for event := range step.Events(h) {
		e, is := event.(*schema.OrderChanged)
		if !is {
			continue
		}
		what := byte(orderFinished)
		switch e.Change {
		case schema.Opened:
			what = orderNew
			if e.Order.ID == awake {
				// That a stop woke up was pushed already. That it rests now is news only if it traded.
				if e.Order.DealStock.IsZero() {
					continue
				}
				what = orderChanged
			}
		case schema.Activated:
			what, awake = orderNew, e.Order.ID
		case schema.Updated:
			what = orderChanged
		}
		o.tell(step.Seq, what, &e.Order)
	}
}

func (o *pendingOrders) tell(seq uint64, what byte, order *schema.Order) {
	var f []byte
	o.private.each(order.Account, seq, func(sub *subscription[markets]) {
		if !sub.scope.include(order.Market) {
			return
		}
		if f == nil {
			b := append(push("ordersPending_update"), '[', what, ',')
			f = pushed(append(o.server.appendOrder(b, order, asPending), ']'))
		}
		o.private.push(sub, f)
	})
}

// pendingPage answers a request for open orders, newest first.
func (s *Server) pendingPage(q *call) ([]byte, func(), *Error) {
	market, p, err := s.marketPage(q)
	if err != nil {
		return nil, nil, err
	}
	var orders []schema.Order
	var total int
	s.options.Node.Read(func(m *core.Machine) {
		orders = m.Trading().Newest(q.account.ID, market, p.offset, p.limit)
		total = m.Trading().CountOf(q.account.ID, market)
	})
	return appendPage(nil, p, `,"total":`+strconv.Itoa(total), len(orders), func(dst []byte, i int) []byte {
		return s.appendOrder(dst, &orders[i], asPending)
	}), nil, nil
}

// executedOrders pushes orders when they are over.
type executedOrders struct {
	server  *Server
	private *private[executedScope]
}

// executedScope is which finished orders somebody wants to hear of.
type executedScope struct {
	markets markets
	group   int64
}

// Groups of order types.
const (
	allOrders int64 = iota
	limitOrders
	marketOrders
)

func (x *executedScope) include(o *schema.Order) bool {
	return x.markets.include(o.Market) && (x.group == allOrders || (x.group == limitOrders) == o.Type.HasPrice())
}

func (s *Server) openExecuted(ctx context.Context) *executedOrders {
	s.answers("ordersExecuted_request", method{private: true, do: func(q *call) ([]byte, func(), *Error) {
		result, err := s.executedPage(ctx, q)
		return result, nil, err
	}})
	return &executedOrders{s, openPrivate(s, "ordersExecuted", s.executedScope, nil, nil)}
}

func (s *Server) executedScope(q *call) (x executedScope, err *Error) {
	if len(q.params) != 2 {
		return x, errArgument
	}
	names, err := q.list(0)
	if err != nil {
		return x, err
	}
	if x.group, err = q.whole(1); err != nil || x.group < allOrders || x.group > marketOrders {
		return x, errArgument
	}
	x.markets, err = s.markets(names)
	return x, err
}

func (o *executedOrders) happened(step *node.Step, h *node.CommandEvents) {
	if o.private.idle(step.Seq) {
		return
	}
	for event := range step.Events(h) {
		if e, is := event.(*schema.OrderChanged); is && e.Change == schema.Closed {
			o.tell(step.Seq, &e.Order)
		}
	}
}

func (o *executedOrders) tell(seq uint64, order *schema.Order) {
	var f []byte
	o.private.each(order.Account, seq, func(sub *subscription[executedScope]) {
		if !sub.scope.include(order) {
			return
		}
		if f == nil {
			b := append(push("ordersExecuted_update"), '[')
			f = pushed(append(o.server.appendOrder(b, order, asExecuted), ']'))
		}
		o.private.push(sub, f)
	})
}

// executedPage answers a request for orders that are over, newest first.
func (s *Server) executedPage(ctx context.Context, q *call) ([]byte, *Error) {
	if len(q.params) != 3 {
		return nil, errArgument
	}
	p, err := q.page()
	if err != nil {
		return nil, err
	}
	market, types, err := s.executedFilter(q.params[0])
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pastTimeout)
	defer cancel()
	query := &history.Query{Kind: history.Orders, Account: q.account.ID, Market: market, Offset: p.offset, Limit: p.limit}
	var records []history.Record
	if len(types) == 0 {
		records, err = s.past(ctx, query)
	} else {
		records, err = pastOf(func(q *history.Query) ([]history.Record, *Error) { return s.past(ctx, q) }, query, types)
	}
	if err != nil {
		return nil, err
	}
	return appendPage(nil, p, "", len(records), func(dst []byte, i int) []byte {
		return s.appendOrder(dst, records[i].Payload.(*schema.Order), asRecord)
	}), nil
}

// executedFilter reads which finished orders are asked for: the market, and the types as they are
// numbered on the wire; none means all.
func (s *Server) executedFilter(filter param) (market schema.MarketID, types []int64, err *Error) {
	if filter.kind != jx.Object {
		return 0, nil, errArgument
	}
	var name, list param
	_ = jx.DecodeBytes(filter.value).ObjBytes(func(d *jx.Decoder, key []byte) error {
		kind := d.Next()
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		switch string(key) {
		case "market":
			name = makeParam(kind, raw)
		case "order_types":
			list = makeParam(kind, raw)
		}
		return nil
	})
	if list.kind != jx.Invalid && list.kind != jx.Null {
		inner := call{params: []param{list}}
		if inner.params, err = inner.list(0); err != nil {
			return 0, nil, err
		}
		for i := range inner.params {
			n, err := inner.whole(i)
			if err != nil {
				return 0, nil, err
			}
			types = append(types, n)
		}
	}
	chosen, err := s.markets([]param{name})
	if err != nil {
		return 0, nil, err
	}
	return chosen[0], types, nil
}

// The history is not sorted by type, so pages of some types are chosen from the newest finished
// orders of the market: searched of them at most, which is twice as far as other pages reach, and
// searchedAtOnce with each question to the history.
const (
	searched       = 2 * maxOffset
	searchedAtOnce = 1000
)

// pastOf is a page of finished orders of some types.
func pastOf(past func(*history.Query) ([]history.Record, *Error), q *history.Query, types []int64) ([]history.Record, *Error) {
	skip, limit := q.Offset, q.Limit
	var found []history.Record
	q.Offset, q.Limit = 0, searchedAtOnce
	for range searched / searchedAtOnce {
		records, err := past(q)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			switch {
			case !slices.Contains(types, orderTypes[r.Payload.(*schema.Order).Type]):
			case skip > 0:
				skip--
			default:
				found = append(found, r)
			}
			if len(found) == limit {
				break
			}
		}
		if len(found) == limit || len(records) < searchedAtOnce {
			break
		}
		goOn(q, records)
	}
	return found, nil
}

// goOn asks for what comes behind the records of a query: those from the moment of the last one on,
// without the ones of that moment that were seen. What ends meanwhile is newer and shifts nothing.
func goOn(q *history.Query, seen []history.Record) {
	last := seen[len(seen)-1].Time
	if q.To != last {
		q.To, q.Offset = last, 0
	}
	for i := len(seen) - 1; i >= 0 && seen[i].Time == last; i-- {
		q.Offset++
	}
}
