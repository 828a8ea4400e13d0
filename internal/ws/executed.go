package ws

import (
	"context"
	"slices"

	"github.com/go-faster/jx"

	"bourse/internal/api"
	"bourse/internal/history"
	"bourse/internal/node"
	"bourse/internal/schema"
)

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

const (
	executedChannel = "ordersExecuted"
	executedRight   = "/api/v4/trade-account/order/history"
)

const (
	executedBegins = `{"id":7001,"market":"BTC_USDT","type":1,"side":1,"post_only":false,"ioc":false,"ctime":1790000002.000000`
	executedPrices = `,"ftime":1790000002.500000,"price":"51230","amount":"0.01"`
	executedEnds   = `,"deal_stock":"0.01","deal_money":"512.3","deal_fee":"0.5123","client_order_id":"","stp":"no","status":"FILLED",` +
		`"position_side":"BOTH","fee_asset":"USDT","source":"api","reduce_only":false,"rpi":false}`
)

var executedPageEncoder = pageOf("ExecutedPage", "A page of finished orders.", orderRecord)

var executedMethods = channel(
	&Group{executedChannel, "Finished orders", "Orders of the account when they are over: filled or canceled."}, executedRight,
	Method{
		Kind: Request, Summary: "Query finished orders",
		Text: "Returns a page of the finished orders of the account on a market, newest first. With order_types it chooses from the newest 20,000 of them.",
		Meanings: map[string]string{
			"filter": "Which orders to return.", "order_types": "Order types by their numbers; without any, all types.", "order_type": "Order type, as in the records.",
		},
		Result: executedPageEncoder.Schema(), Faults: []*Error{errTimeout},
		Example: Example{
			`[{"market":"BTC_USDT","order_types":[1,3]},0,50]`,
			`{"limit":50,"offset":0,"records":[` + executedBegins + executedPrices + executedEnds + `]}`,
		},
		handling: answers(func(q *call, p *executedRequest) ([]byte, *Error) { return q.conn.server.executedPage(q.account, p) }),
	},
	subscribing(`[["BTC_USDT"],0]`, Method{
		Summary: "Subscribe to finished orders", Text: "An empty list of markets subscribes to all.",
		Meanings: map[string]string{"types": "Which types to push: 0 all, 1 limit orders, 2 market orders; stop orders count as what they become."},
		handling: asks(func(q *call, p *executedSubscription) ([]byte, func(), *Error) {
			return q.conn.server.personal.executed.private.subscribe(q, p.executedScope)
		}),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.personal.executed.private })),
	Method{
		Kind: Push, Summary: "Finished order", Text: "The order, as it ended.",
		Result:  api.TupleOf(orderExecuted),
		Example: Example{Params: `[` + executedBegins + `,"mtime":1790000002.500000` + executedPrices + `,"left":"0"` + executedEnds + `]`},
	},
)

func (s *Server) openExecuted() *executedOrders {
	return &executedOrders{s, openPrivate[executedScope](s, executedChannel, executedRight)}
}

// executedSubscription is a subscription to finished orders.
type executedSubscription struct{ executedScope }

func (p *executedSubscription) read(a *arguments) {
	a.count(2, 2)
	names := a.list(0, "markets", "market")
	p.group = a.between(1, "types", allOrders, marketOrders)
	p.markets = a.chosen(names)
}

func (o *executedOrders) happened(step *node.Step, h *node.CommandEvents) {
	if o.private.idle(step.Seq) {
		return
	}
	for id, event := range step.Events(h) {
		if e, is := event.(*schema.OrderChanged); is && e.Change == schema.Closed {
			o.tell(id, &e.Order)
		}
	}
}

func (o *executedOrders) tell(id schema.EventID, order *schema.Order) {
	var f []byte
	o.private.each(order.Account, id, func(sub *subscription[executedScope]) {
		if !sub.scope.include(order) {
			return
		}
		if f == nil {
			b := append(push(executedChannel), '[')
			f = pushed(append(o.server.appendOrder(b, order, asExecuted), ']'))
		}
		o.private.push(sub, f)
	})
}

// executedRequest is the request for a page of finished orders of a market, of some types as they are
// numbered on the wire; none means all.
type executedRequest struct {
	marketPage
	types []int64
}

func (p *executedRequest) read(a *arguments) {
	p.page = a.page()
	f := a.members(0, "filter")
	if a.schema != nil {
		f.note("market", TextParam).required()
		f.note("order_types", ListParam).Items = &Param{Name: "order_type", Kind: WholeParam}
		a.chosen(nil)
		return
	}
	if f.err != nil {
		a.wrong(f.err)
	}
	if list := f.find("order_types"); list.kind != jx.Null {
		types, err := list.list()
		for i := 0; err == nil && i < len(types); i++ {
			var n int64
			if n, err = types[i].whole(); err == nil {
				p.types = append(p.types, n)
			}
		}
		if err != nil {
			a.wrong(err)
		}
	}
	name := f.find("market")
	a.check(name.kind == jx.String, errArgument)
	if chosen := a.chosen([]string{string(name.value)}); len(chosen) > 0 {
		p.market = chosen[0]
	}
}

// executedPage answers a request for orders that are over, newest first.
func (s *Server) executedPage(account *schema.Account, p *executedRequest) ([]byte, *Error) {
	ctx, cancel := context.WithTimeout(s.past.ctx, pastTimeout)
	defer cancel()
	query := &history.Query{Kind: history.Orders, Account: account.ID, Market: p.market, Offset: p.offset, Limit: p.limit}
	read := func(q *history.Query) ([]history.Record, *Error) { return s.past.read(ctx, q) }
	var found []history.Record
	var err *Error
	if len(p.types) == 0 {
		found, err = read(query)
	} else {
		found, err = pastOf(read, query, p.types)
	}
	if err != nil {
		return nil, err
	}
	return executedPageEncoder.Append(nil, &records{page: p.page, n: len(found), one: func(dst []byte, i int) []byte {
		return s.appendOrder(dst, found[i].Payload.(*schema.Order), asRecord)
	}}), nil
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
			case !slices.Contains(types, typeCode(r.Payload.(*schema.Order))):
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
