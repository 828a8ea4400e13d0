package spot

import (
	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// executedHistory asks for the deals of an account.
type executedHistory struct {
	market        string
	client        string
	from, to      schema.Time
	limit, offset int
}

func (q *executedHistory) Read(f *api.Form) {
	q.market = f.MarketFilter()
	q.client = clientFilter(f)
	q.from, q.to = dates(f)
	q.limit, q.offset = f.Page(50, 500, api.MaxOffset, api.ShouldBe)
}

func clientFilter(f *api.Form) string {
	name, s := f.Text("clientOrderId")
	if s == api.Malformed {
		f.Fail(422, 36, "clientOrderId", "ClientOrderId field should be a string.")
	}
	return name
}

// roleText names the roles in a deal.
const roleText = "1: the order was the maker's, 2: the taker's."

// past is a record of the history, with the directory that names its market and its assets.
type past struct {
	*history.Record
	directory *directory.Directory
}

func pastOf(d *directory.Directory, records []history.Record) []past {
	list := make([]past, len(records))
	for i := range records {
		list[i] = past{&records[i], d}
	}
	return list
}

func (p *past) deal() *history.Deal { return p.Payload.(*history.Deal) }

// feeAsset is the asset of the fee of an order with a side.
func (p *past) feeAsset(side schema.Side, margin bool) string {
	return p.directory.FeeAsset(p.directory.MarketByID(p.Market), side, margin)
}

var dealEncoder = api.Encode("Deal", "An executed trade of the account.",
	api.IntegerField("id", "Trade id.", func(p *past) int64 { return int64(p.deal().ID) }),
	api.TextField("clientOrderId", "Client order id, empty if there is none.", func(p *past) []byte { return p.deal().ClientID.Bytes() }),
	api.TimestampField("time", "Time of the event.", func(p *past) schema.Time { return p.Time }),
	api.EnumField("side", api.SideWords, "Side of the order.", func(p *past) string { return p.deal().Side.String() }),
	api.IntegerField("role", roleText, func(p *past) int64 { return int64(p.deal().Role) }),
	api.DecimalField("amount", "Traded amount in the base asset.", func(p *past) fixed.Decimal { return p.deal().Amount }),
	api.DecimalField("price", "Price in the quote asset.", func(p *past) fixed.Decimal { return p.deal().Price }),
	api.DecimalField("deal", "Total in the quote asset (price × amount).", func(p *past) fixed.Decimal { return p.deal().Money }),
	api.DecimalField("fee", "Fee in feeAsset. Negative: rebate.", func(p *past) fixed.Decimal { return p.deal().Fee }),
	api.IntegerField("orderId", "Order id.", func(p *past) int64 { return int64(p.deal().Order) }),
	api.StringField("feeAsset", "Asset of the fee.", func(p *past) string { return p.feeAsset(p.deal().Side, p.deal().Margin) }))

var aboutExecutedDeals = &api.About{
	Summary: "List executed trades",
	Text:    "Newest first: a list if a market is given, otherwise lists keyed by market.",
	Parameters: map[string]string{
		"market":        "Return only trades of this market.",
		"clientOrderId": "Return only trades of the order with this client order id: the open one, otherwise the latest.",
	},
	Response: api.OneOf(api.ArrayOf(dealEncoder.Schema()), api.MapOf(api.ArrayOf(dealEncoder.Schema()))),
	Refusals: []schema.Reason{schema.MarketUnavailable},
	Faults:   []*api.Error{backwards(), historyNotFound()},
}

func executedDeals(c *api.Call, q *executedHistory) (api.Answer, error) {
	if q.to != 0 && q.from > q.to {
		return nil, backwards()
	}
	market, err := filter(c, q.market)
	if err != nil {
		return nil, err
	}
	query := &history.Query{Kind: history.Deals, Market: market, From: q.from, To: q.to, Offset: q.offset, Limit: q.limit}
	if q.client != "" {
		order, err := named(c, q.client, market)
		if err != nil {
			return nil, err
		}
		query.Ref = uint64(order)
	}
	deals, err := c.Past(query)
	if err != nil {
		return nil, err
	}
	if q.market != "" {
		return dealEncoder.Array(pastOf(c.Directory(), deals)), nil
	}
	return byMarket(dealEncoder, c.Directory(), deals), nil
}

// named is the order that a client order id names: the open one, or else the last that had it.
func named(c *api.Call, client string, market schema.MarketID) (schema.OrderID, error) {
	if id, err := schema.ParseClientID(client); err == nil {
		q := &activeOrders{Reference: ticket.Reference{ByClient: id, HasName: true}, limit: 1}
		var open []schema.Order
		c.API.Read(func(m core.View) { open = q.find(m, c.Account.ID, market) })
		if len(open) > 0 {
			return open[0].ID, nil
		}
	}
	over, err := c.Past(&history.Query{Kind: history.Orders, Market: market, Tag: client, Limit: 1})
	switch {
	case err != nil:
		return 0, err
	case len(over) == 0:
		return 0, historyNotFound()
	}
	return schema.OrderID(over[0].ID), nil
}

func historyNotFound() *api.Error {
	return api.NewError(422, 30, api.ValidationFailed, "orderHistory", "OrderHistory was not found.")
}

// byMarket writes records as an object of arrays, one for each market, in the order of records.
func byMarket(e *api.Encoder[past], d *directory.Directory, records []history.Record) api.Answer {
	return api.AnswerFunc(func(dst []byte) []byte {
		var order []schema.MarketID
		lists := map[schema.MarketID][]past{}
		for i := range records {
			m := records[i].Market
			if lists[m] == nil {
				order = append(order, m)
			}
			lists[m] = append(lists[m], past{&records[i], d})
		}
		dst = append(dst, '{')
		for i, m := range order {
			dst = append(api.AppendText(api.AppendComma(dst, i), d.MarketName(m)), ':')
			dst = e.Array(lists[m]).AppendTo(dst)
		}
		return append(dst, '}')
	})
}

// orderDeals asks for the deals of one order.
type orderDeals struct {
	id            schema.OrderID
	limit, offset int
}

func (q *orderDeals) Read(f *api.Form) {
	f.Required("orderId")
	q.id, _ = ticket.OrderID(f)
	q.limit, q.offset = f.Page(50, 500, api.MaxOffset, api.ShouldBe)
}

// dealPage is a part of the deals of an order.
type dealPage struct {
	deals         []past
	offset, limit int
}

var (
	orderDealEncoder = api.Encode("OrderDeal", "A trade of an order.",
		api.TimestampField("time", "Time of the event.", func(p *past) schema.Time { return p.Time }),
		api.DecimalField("fee", "Fee in feeAsset. Negative: rebate.", func(p *past) fixed.Decimal { return p.deal().Fee }),
		api.DecimalField("price", "Price in the quote asset.", func(p *past) fixed.Decimal { return p.deal().Price }),
		api.DecimalField("amount", "Traded amount in the base asset.", func(p *past) fixed.Decimal { return p.deal().Amount }),
		api.IntegerField("id", "Trade id.", func(p *past) int64 { return int64(p.deal().ID) }),
		api.IntegerField("dealOrderId", "Order id of the counterparty.", func(p *past) int64 { return int64(p.deal().Counter) }),
		api.TextField("clientOrderId", "Client order id, empty if there is none.", func(p *past) []byte { return p.deal().ClientID.Bytes() }),
		api.IntegerField("role", roleText, func(p *past) int64 { return int64(p.deal().Role) }),
		api.DecimalField("deal", "Total in the quote asset (price × amount).", func(p *past) fixed.Decimal { return p.deal().Money }),
		api.StringField("feeAsset", "Asset of the fee.", func(p *past) string { return p.feeAsset(p.deal().Side, p.deal().Margin) }),
		api.BooleanField("rpi", "Whether the maker's order was an RPI order (retail price improvement).", func(p *past) bool { return p.deal().RPI }))
	dealPageEncoder = api.Encode("OrderDeals", "A page of the trades of an order.",
		api.ArrayField("records", orderDealEncoder, "Trades.", func(p *dealPage) []past { return p.deals }),
		api.IntegerField("offset", "As requested.", func(p *dealPage) int64 { return int64(p.offset) }),
		api.IntegerField("limit", "As requested.", func(p *dealPage) int64 { return int64(p.limit) }))
)

var aboutDealsOfOrder = &api.About{
	Summary:  "List the trades of an order",
	Text:     "Newest first. Empty for an order that does not exist or belongs to another account.",
	Response: dealPageEncoder.Schema(),
}

func dealsOfOrder(c *api.Call, q *orderDeals) (api.Answer, error) {
	var deals []history.Record
	if q.id != 0 {
		var err error
		query := &history.Query{Kind: history.Deals, Ref: uint64(q.id), Offset: q.offset, Limit: q.limit}
		if deals, err = c.Past(query); err != nil {
			return nil, err
		}
	}
	return dealPageEncoder.Answer(&dealPage{pastOf(c.Directory(), deals), q.offset, q.limit}), nil
}
