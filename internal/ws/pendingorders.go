package ws

import (
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// pendingOrders pushes what happens to the open orders of an account.
type pendingOrders struct {
	server  *Server
	private *private[markets]
	// opened are the primaries of OTOs that were opened at a moment: one that ends at the moment at which it was placed was either among them, or never open.
	opened []schema.OrderID
	at     schema.Time
}

// What can happen to an open order, numbered as on the wire.
const (
	orderNew      = '1'
	orderChanged  = '2'
	orderFinished = '3'
)

const (
	pendingChannel = "ordersPending"
	pendingRight   = "/api/v4/orders"
	otoChannel     = "otoOrdersPending"
)

const examplePending = `{"id":7002,"market":"BTC_USDT","type":1,"side":2,"post_only":false,"ioc":false,"ctime":1790000003.250000,"mtime":1790000003.250000,` +
	`"price":"51000.5","amount":"0.01","left":"0.01","deal_stock":"0","deal_money":"0","deal_fee":"0","client_order_id":"a-1","stp":"no","status":"OPEN",` +
	`"position_side":"BOTH","reduce_only":false,"rpi":false}`

var pendingPageEncoder = pageOf("PendingPage", "A page of open orders.", orderPending,
	api.IntegerField("total", "Number of open orders on the market.", func(r *records) int64 { return int64(r.total) }))

var pendingMethods = channel(
	&Group{pendingChannel, "Open orders", "What happens to the open orders of the account, as it happens."}, pendingRight,
	Method{
		Kind: Request, Summary: "Query open orders", Text: "Returns a page of the open orders of the account on a market, newest first.",
		Result:   pendingPageEncoder.Schema(),
		Example:  Example{`["BTC_USDT",0,50]`, `{"limit":50,"offset":0,"total":1,"records":[` + examplePending + `]}`},
		handling: answers(func(q *call, p *marketPage) ([]byte, *Error) { return q.conn.server.pendingPage(q.account, p), nil }),
	},
	subscribing(`["BTC_USDT"]`, Method{
		Summary: "Subscribe to open orders", Text: "Without any market it subscribes to all.",
		handling: asks(func(q *call, p *marketsScope) ([]byte, func(), *Error) {
			return q.conn.server.personal.pending.private.subscribe(q, p.markets)
		}),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.personal.pending.private })),
	Method{
		Kind: Push, Summary: "Open order",
		Text: "What happened, and the order: 1 new, 2 changed, 3 over. An order that is filled at once is only a 3; a modify is a 3 and a 1; " +
			"a stop that is activated is a second 1.",
		Result:  api.TupleOf(api.Described("1 new, 2 changed, 3 over.", api.Integer), orderPending),
		Example: Example{Params: `[1,` + examplePending + `]`},
	},
	Method{
		Name: otoChannel + update, Kind: Push, Summary: "Open OTO",
		Text: "What happened, and the OTO: 1 its primary order was placed, 3 the primary is over. Pushed to those who subscribed to ordersPending, behind what happened to the primary. " +
			"The take profit and the stop loss that follow are orders of their own.",
		Result: api.TupleOf(api.Described("1 new, 3 over.", api.Integer), otoPendingEncoder.Schema()),
		Example: Example{Params: `[1,{"id":7001,"trigger_order":` + strings.Replace(strings.Replace(examplePending, "BTC_USDT", "BTC_PERP", 1), `"type":1`, `"type":7`, 1) +
			`,"conditional_order_type":"margin_take_profit","take_profit_price":"56000"}]`},
	},
)

// marketsScope is a subscription to markets.
type marketsScope struct{ markets markets }

func (p *marketsScope) read(a *arguments) { p.markets = a.selected() }

func (s *Server) openPending() *pendingOrders {
	return &pendingOrders{server: s, private: openPrivate[markets](s, pendingChannel, pendingRight)}
}

func (o *pendingOrders) happened(step *node.Step, h *node.CommandEvents) {
	if o.private.idle(step.Seq) {
		return
	}
	var awake schema.OrderID // the stop that was woken up last
	for id, event := range step.Events(h) {
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
		o.tell(id, pendingChannel, what, &e.Order)
		if e.Order.Role == schema.Primary {
			o.primary(id, h.Time, e)
		}
	}
}

// primary pushes the OTO of a primary when it opens and when it ends. One that ends at once was there, too.
func (o *pendingOrders) primary(id schema.EventID, now schema.Time, e *schema.OrderChanged) {
	if now != o.at {
		o.opened, o.at = o.opened[:0], now
	}
	order := &e.Order
	known := order.Created != now || slices.Contains(o.opened, order.ID)
	if !known {
		o.opened = append(o.opened, order.ID)
		o.tell(id, otoChannel, orderNew, order)
	}
	if e.Change == schema.Closed {
		o.tell(id, otoChannel, orderFinished, order)
	}
}

// tell pushes what happened to an order, or to the OTO of which it is the primary.
func (o *pendingOrders) tell(id schema.EventID, channel string, what byte, order *schema.Order) {
	var f []byte
	o.private.each(order.Account, id, func(sub *subscription[markets]) {
		if !sub.scope.include(order.Market) {
			return
		}
		if f == nil {
			b := append(push(channel), '[', what, ',')
			if channel == otoChannel {
				b = otoPendingEncoder.Append(b, o.server.otoOf(order))
			} else {
				b = o.server.appendOrder(b, order, asPending)
			}
			f = pushed(append(b, ']'))
		}
		o.private.push(sub, f)
	})
}

// pendingPage answers a request for open orders, newest first.
func (s *Server) pendingPage(account *schema.Account, p *marketPage) []byte {
	var orders []schema.Order
	var total int
	s.options.Node.Read(func(m core.View) {
		orders = m.Trading().Newest(account.ID, p.market, p.offset, p.limit)
		total = m.Trading().CountOf(account.ID, p.market)
	})
	return pendingPageEncoder.Append(nil, &records{page: p.page, total: total, n: len(orders), one: func(dst []byte, i int) []byte {
		return s.appendOrder(dst, &orders[i], asPending)
	}})
}
