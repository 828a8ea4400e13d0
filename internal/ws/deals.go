package ws

import (
	"github.com/go-faster/jx"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/fixed"
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

// pastDeal is a deal of the history, with the directory that names its market and its assets.
type pastDeal struct {
	*history.Deal
	directory *directory.Directory
	market    *schema.MarketInfo
	at        schema.Time
}

var dealEncoder = api.Encode("Deal", "A trade of the account.",
	api.TimestampField("time", "Time of the trade.", func(d *pastDeal) schema.Time { return d.at }),
	api.IntegerField("id", "Trade id.", func(d *pastDeal) int64 { return int64(d.ID) }),
	api.IntegerField("side", "Side of the account: 1 sell, 2 buy.", func(d *pastDeal) int64 { return sideCode(d.Side) }),
	api.IntegerField("role", "Role of the account: 1 maker, 2 taker.", func(d *pastDeal) int64 { return int64(d.Role) }),
	api.DecimalField("price", "Price.", func(d *pastDeal) fixed.Decimal { return d.Price }),
	api.DecimalField("amount", "Amount in the base asset.", func(d *pastDeal) fixed.Decimal { return d.Amount }),
	api.DecimalField("deal", "Amount in the quote asset.", func(d *pastDeal) fixed.Decimal { return d.Money }),
	api.DecimalField("fee", "Fee in fee_asset. Negative: rebate.", func(d *pastDeal) fixed.Decimal { return d.Fee }),
	api.IntegerField("order_id", "Order id.", func(d *pastDeal) int64 { return int64(d.Order) }),
	api.IntegerField("deal_order_id", "Order id of the counterparty.", func(d *pastDeal) int64 { return int64(d.Counter) }),
	api.StringField("market", "Market name.", func(d *pastDeal) string { return d.market.Name }),
	api.TextField("client_order_id", "Client order id, empty if there is none.", func(d *pastDeal) []byte { return d.ClientID.Bytes() }),
	api.StringField("fee_asset", "Asset of the fee: the asset that the account received, the quote asset with margin, USDT on futures.", func(d *pastDeal) string { return d.directory.FeeAsset(d.market, d.Side, d.Margin) }),
)

var dealPageEncoder = pageOf("DealsPage", "A page of trades.", dealEncoder.Schema())

var dealMethods = channel(
	&Group{dealsChannel, "Trades of the account", "Trades of the account as they happen, one push for each."}, dealsRight,
	Method{
		Kind: Request, Summary: "Query trades of the account", Text: "Returns a page of the trades of the account on a market, newest first.",
		Result: dealPageEncoder.Schema(), Faults: []*Error{errTimeout},
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
	b = api.AppendText(append(b, ','), directory.FeeAsset(m, side, own.Margin))
	return pushed(append(b, ']'))
}

// dealsPage answers a request for past deals.
func (s *Server) dealsPage(account *schema.Account, p *marketPage) ([]byte, *Error) {
	found, err := s.past.page(&history.Query{
		Kind: history.Deals, Account: account.ID, Market: p.market, Offset: p.offset, Limit: p.limit,
	})
	if err != nil {
		return nil, err
	}
	d := s.options.API.Directory()
	return dealPageEncoder.Append(nil, &records{page: p.page, n: len(found), one: func(dst []byte, i int) []byte {
		r := &found[i]
		return dealEncoder.Append(dst, &pastDeal{r.Payload.(*history.Deal), d, d.MarketByID(r.Market), r.Time})
	}}), nil
}
