package ws

import (
	"github.com/go-faster/jx"

	"bourse/internal/api"
	"bourse/internal/history"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// deals pushes the trades of an account as they happen, a frame for each.
type deals struct {
	server  *Server
	private *private[markets]
}

const (
	dealsChannel = "deals"
	dealsRight   = "/api/v4/trade-account/executed-history"
)

var dealShape = api.Object("Deal", "A trade of the account.",
	api.Required("time", api.Timestamp, "Time of the trade."),
	api.Required("id", api.Integer, "Trade id."),
	api.Required("side", api.Integer, "Side of the account: 1 sell, 2 buy."),
	api.Required("role", api.Integer, "Role of the account: 1 maker, 2 taker."),
	api.Required("price", api.Decimal, "Price."),
	api.Required("amount", api.Decimal, "Amount in the base asset."),
	api.Required("deal", api.Decimal, "Amount in the quote asset."),
	api.Required("fee", api.Decimal, "Fee in fee_asset. Negative: rebate."),
	api.Required("order_id", api.Integer, "Order id."),
	api.Required("deal_order_id", api.Integer, "Order id of the counterparty."),
	api.Required("market", api.String, "Market name."),
	api.Required("client_order_id", api.String, "Client order id, empty if there is none."),
	api.Required("fee_asset", api.String, "Asset of the fee: the asset that the account received."),
)

var dealMethods = channel(
	&Group{dealsChannel, "Trades of the account", "Trades of the account as they happen, one push for each."}, dealsRight,
	Method{
		Kind: Request, Summary: "Query trades of the account", Text: "Returns a page of the trades of the account on a market, newest first.",
		Result: pageOf("DealsPage", "A page of trades.", dealShape), Faults: []*Error{errTimeout},
		Example: Example{`["BTC_USDT",0,50]`, `{"limit":50,"offset":0,"records":[{"time":1790000002.500000,"id":55001,"side":1,"role":2,"price":"51230","amount":"0.01",` +
			`"deal":"512.3","fee":"0.5123","order_id":7001,"deal_order_id":6990,"market":"BTC_USDT","client_order_id":"","fee_asset":"USDT"}]}`},
		handling: answers(func(q *call, p *marketPage) ([]byte, *Error) { return q.conn.server.dealsPage(q.account, p) }),
	},
	subscribing(`[["BTC_USDT"]]`, Method{
		Summary: "Subscribe to trades of the account", Text: "Without any market it subscribes to all. The names may also stand in params themselves.",
		handling: asks(func(q *call, p *dealsSubscription) ([]byte, func(), *Error) {
			return q.conn.server.personal.deals.private.subscribe(q, p.markets)
		}),
	}),
	unsubscribing(leaves(func(s *Server) leaver { return s.personal.deals.private })),
	Method{
		Kind: Push, Summary: "Trade of the account", Text: "One trade. An account that trades with itself gets both sides.",
		Result: api.TupleOf(
			api.Described("Trade id.", api.Integer), api.Described("Time of the trade, Unix time in seconds.", api.Timestamp), api.Described("Market name.", api.String),
			api.Described("Order id.", api.Integer), api.Described("Price.", api.Decimal), api.Described("Amount in the base asset.", api.Decimal),
			api.Described("Fee. Negative: rebate.", api.Decimal), api.Described("Client order id, empty if there is none.", api.String),
			api.Described("Side of the account: 1 sell, 2 buy.", api.Integer), api.Described("Role of the account: 1 maker, 2 taker.", api.Integer), api.Described("Asset of the fee.", api.String),
		),
		Example: Example{Params: `[55001,1790000002.500000,"BTC_USDT",7001,"51230","0.01","0.5123","",1,2,"USDT"]`},
	},
)

// dealsSubscription is a subscription to markets, which stand in a list of their own or not.
type dealsSubscription struct{ markets markets }

func (p *dealsSubscription) read(a *arguments) {
	if a.schema != nil {
		a.schema.Rest, a.schema.Most = &Param{Name: "markets", Kind: TextsParam}, -1
		a.chosen(nil)
		return
	}
	if len(a.params) == 1 && a.params[0].kind == jx.Array {
		p.markets = a.chosen(a.list(0, "markets", "market"))
		return
	}
	p.markets = a.selected()
}

func (s *Server) openDeals() *deals {
	return &deals{s, openPrivate[markets](s, dealsChannel, dealsRight)}
}

// happened pushes the deals of a command. Somebody who trades with himself gets both sides.
func (d *deals) happened(step *node.Step, h *node.CommandEvents) {
	if d.private.idle(step.Seq) {
		return
	}
	for id, event := range step.Events(h) {
		if e, is := event.(*schema.Deal); is {
			d.side(id, h.Time, e, &e.Maker, history.Maker, e.TakerSide.Opposite())
			d.side(id, h.Time, e, &e.Taker, history.Taker, e.TakerSide)
		}
	}
}

// side pushes a deal to those who listen to one of its parties.
func (d *deals) side(id schema.EventID, at schema.Time, e *schema.Deal, own *schema.DealSide, role history.Role, side schema.Side) {
	var f []byte
	d.private.each(own.Account, id, func(sub *subscription[markets]) {
		if !sub.scope.include(e.Market) {
			return
		}
		if f == nil {
			f = d.frame(at, e, own, role, side)
		}
		d.private.push(sub, f)
	})
}

func (d *deals) frame(at schema.Time, e *schema.Deal, own *schema.DealSide, role history.Role, side schema.Side) []byte {
	directory := d.server.options.API.Directory()
	m := directory.MarketByID(e.Market)
	b := append(push(dealsChannel), '[')
	b = api.AppendInt(b, int64(e.ID))
	b = api.AppendMoment(append(b, ','), at)
	b = api.AppendText(append(b, ','), m.Name)
	b = api.AppendInt(append(b, ','), int64(own.Order))
	b = api.AppendDecimal(append(b, ','), e.Price)
	b = api.AppendDecimal(append(b, ','), e.Amount)
	b = api.AppendDecimal(append(b, ','), own.Fee)
	b = api.AppendText(append(b, ','), own.ClientID.Bytes())
	b = api.AppendInt(append(b, ','), sideCode(side))
	b = api.AppendInt(append(b, ','), int64(role))
	b = api.AppendText(append(b, ','), directory.FeeAsset(m, side))
	return pushed(append(b, ']'))
}

// dealsPage answers a request for past deals.
func (s *Server) dealsPage(account *schema.Account, p *marketPage) ([]byte, *Error) {
	records, err := s.past.page(&history.Query{
		Kind: history.Deals, Account: account.ID, Market: p.market, Offset: p.offset, Limit: p.limit,
	})
	if err != nil {
		return nil, err
	}
	return appendPage(nil, p.page, "", len(records), func(dst []byte, i int) []byte {
		return s.appendDeal(dst, &records[i])
	}), nil
}

// appendPage writes a page of records. Total is what stands before them, if anything does.
func appendPage(dst []byte, p page, total string, n int, one func(dst []byte, i int) []byte) []byte {
	dst = append(dst, `{"limit":`...)
	dst = api.AppendInt(dst, int64(p.limit))
	dst = append(dst, `,"offset":`...)
	dst = api.AppendInt(dst, int64(p.offset))
	dst = append(append(dst, total...), `,"records":[`...)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, i)
	}
	return append(dst, `]}`...)
}

// appendDeal writes a deal of the past.
func (s *Server) appendDeal(dst []byte, r *history.Record) []byte {
	directory := s.options.API.Directory()
	deal, m := r.Payload.(*history.Deal), directory.MarketByID(r.Market)
	dst = append(dst, `{"time":`...)
	dst = api.AppendMoment(dst, r.Time)
	dst = append(dst, `,"id":`...)
	dst = api.AppendInt(dst, int64(deal.ID))
	dst = append(dst, `,"side":`...)
	dst = api.AppendInt(dst, sideCode(deal.Side))
	dst = append(dst, `,"role":`...)
	dst = api.AppendInt(dst, int64(deal.Role))
	dst = append(dst, `,"price":`...)
	dst = api.AppendDecimal(dst, deal.Price)
	dst = append(dst, `,"amount":`...)
	dst = api.AppendDecimal(dst, deal.Amount)
	dst = append(dst, `,"deal":`...)
	dst = api.AppendDecimal(dst, deal.Money)
	dst = append(dst, `,"fee":`...)
	dst = api.AppendDecimal(dst, deal.Fee)
	dst = append(dst, `,"order_id":`...)
	dst = api.AppendInt(dst, int64(deal.Order))
	dst = append(dst, `,"deal_order_id":`...)
	dst = api.AppendInt(dst, int64(deal.Counter))
	dst = append(dst, `,"market":`...)
	dst = api.AppendText(dst, m.Name)
	dst = append(dst, `,"client_order_id":`...)
	dst = api.AppendText(dst, deal.ClientID.Bytes())
	dst = append(dst, `,"fee_asset":`...)
	dst = api.AppendText(dst, directory.FeeAsset(m, deal.Side))
	return append(dst, '}')
}
