package spot

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// balances asks for what is in a wallet.
type balances struct{ ticker string }

func (q *balances) Read(f *api.Form) {
	ticker, s := f.Text("ticker")
	if s == api.Malformed {
		f.Fail(422, 30, "ticker", "Ticker field should be a string.")
	}
	q.ticker = ticker
}

var errNoCurrency = api.NewError(422, 30, api.ValidationFailed, "ticker", "Currency was not found.")

var aboutTradeBalance = &api.About{
	Summary: "Get trade balances",
	Text:    "Keyed by ticker. Without a ticker, assets with a zero balance are omitted.",
	Response: api.MapOf(api.Object("TradeBalance", "Trade balance of an asset.",
		api.Required("available", api.Decimal, "Available balance."),
		api.Required("freeze", api.Decimal, "Amount held by open orders."))),
	Faults: []*api.Error{errNoCurrency},
}

func tradeBalance(c *api.Call, q *balances) (api.Answer, error) {
	assets, _, _ := c.Directory().Listing()
	if q.ticker != "" {
		a := c.Directory().Asset(q.ticker)
		if a == nil {
			return nil, errNoCurrency
		}
		assets = []*schema.Asset{a}
	}
	type balance struct{ available, frozen fixed.Decimal }
	have := make([]balance, len(assets))
	c.API.Read(func(m core.View) {
		for i, a := range assets {
			have[i].available, have[i].frozen, _ = m.Balance(c.Account.ID, schema.Trade, a.ID)
		}
	})
	return api.AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, '{')
		written := 0
		for i, b := range have {
			if q.ticker == "" && b.available.IsZero() && b.frozen.IsZero() {
				continue
			}
			dst = api.AppendText(api.AppendComma(dst, written), assets[i].Ticker)
			dst = append(dst, `:{"available":`...)
			dst = api.AppendDecimal(dst, b.available)
			dst = append(dst, `,"freeze":`...)
			dst = api.AppendDecimal(dst, b.frozen)
			dst = append(dst, '}')
			written++
		}
		return append(dst, '}')
	}), nil
}

// dates reads startDate and endDate, in seconds; 0 where there is none.
func dates(f *api.Form) (from, to schema.Time) {
	read := func(name string) schema.Time {
		n, s := f.Between(name, 0, api.MaxSeconds)
		if s == api.Malformed {
			f.Fail(422, 30, name, api.Title(name)+" field should be an integer.")
			return 0
		}
		return schema.Time(n) * schema.Second
	}
	from, to = read("startDate"), read("endDate")
	if to != 0 {
		to += schema.Second - 1 // the whole of the last second
	}
	return from, to
}

// backwards is the answer to a span of time that ends before it begins.
func backwards() *api.Error {
	return api.NewError(422, 30, api.ValidationFailed, "startDate", "StartDate should not be greater than endDate.")
}

// filter is the market that narrows a query, 0 for all.
func filter(c *api.Call, name string) (schema.MarketID, error) {
	if name == "" {
		return 0, nil
	}
	m := c.Directory().Market(name)
	if m == nil {
		return 0, api.Refusal(schema.Refuse(schema.MarketUnavailable))
	}
	return m.ID, nil
}

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

var dealSchema = api.Object("Deal", "An executed trade of the account.",
	api.Required("id", api.Integer, "Trade id."),
	api.Required("clientOrderId", api.String, "Client order id, empty if there is none."),
	api.Required("time", api.Timestamp, "Time of the event."),
	api.Required("side", api.Enum(api.SideWords...), "Side of the order."),
	api.Required("role", api.Integer, roleText),
	api.Required("amount", api.Decimal, "Traded amount in the base asset."),
	api.Required("price", api.Decimal, "Price in the quote asset."),
	api.Required("deal", api.Decimal, "Total in the quote asset (price × amount)."),
	api.Required("fee", api.Decimal, "Fee in feeAsset. Negative: rebate."),
	api.Required("orderId", api.Integer, "Order id."),
	api.Required("feeAsset", api.String, "Asset of the fee."))

var aboutExecutedDeals = &api.About{
	Summary: "List executed trades",
	Text:    "Newest first: a list if a market is given, otherwise lists keyed by market.",
	Parameters: map[string]string{
		"market":        "Return only trades of this market.",
		"clientOrderId": "Return only trades of the order with this client order id: the open one, otherwise the latest.",
	},
	Response: api.OneOf(api.ArrayOf(dealSchema), api.MapOf(api.ArrayOf(dealSchema))),
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
		return api.Array(deals, encoder{c.Directory()}.appendDeal), nil
	}
	return byMarket(c.Directory(), deals, encoder{c.Directory()}.appendDeal), nil
}

// named is the order that a client order id names: the open one, or else the last that had it.
func named(c *api.Call, client string, market schema.MarketID) (schema.OrderID, error) {
	if id, err := schema.ParseClientID(client); err == nil {
		q := &activeOrders{reference: reference{byClient: id, hasName: true}, limit: 1}
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
func byMarket(d *directory.Directory, records []history.Record, one func([]byte, *history.Record) []byte) api.Answer {
	return api.AnswerFunc(func(dst []byte) []byte {
		var order []schema.MarketID
		lists := map[schema.MarketID][]*history.Record{}
		for i := range records {
			m := records[i].Market
			if lists[m] == nil {
				order = append(order, m)
			}
			lists[m] = append(lists[m], &records[i])
		}
		dst = append(dst, '{')
		for i, m := range order {
			dst = api.AppendText(api.AppendComma(dst, i), d.MarketName(m))
			dst = append(dst, `:[`...)
			for j, r := range lists[m] {
				dst = one(api.AppendComma(dst, j), r)
			}
			dst = append(dst, ']')
		}
		return append(dst, '}')
	})
}

// appendDeal writes a deal of executed-history.
func (d encoder) appendDeal(dst []byte, r *history.Record) []byte {
	deal := r.Payload.(*history.Deal)
	dst = append(dst, `{"id":`...)
	dst = api.AppendInt(dst, int64(deal.ID))
	dst = append(dst, `,"clientOrderId":"`...)
	dst = append(dst, deal.ClientID.Bytes()...)
	dst = append(dst, `","time":`...)
	dst = api.AppendMoment(dst, r.Time)
	dst = append(dst, `,"side":"`...)
	dst = append(dst, deal.Side.String()...)
	dst = append(dst, `","role":`...)
	dst = api.AppendInt(dst, int64(deal.Role))
	dst = append(dst, `,"amount":`...)
	dst = api.AppendDecimal(dst, deal.Amount)
	dst = append(dst, `,"price":`...)
	dst = api.AppendDecimal(dst, deal.Price)
	dst = append(dst, `,"deal":`...)
	dst = api.AppendDecimal(dst, deal.Money)
	dst = append(dst, `,"fee":`...)
	dst = api.AppendDecimal(dst, deal.Fee)
	dst = append(dst, `,"orderId":`...)
	dst = api.AppendInt(dst, int64(deal.Order))
	dst = append(dst, `,"feeAsset":"`...)
	dst = append(dst, d.FeeAsset(d.MarketByID(r.Market), deal.Side)...)
	return append(dst, `"}`...)
}

// orderDeals asks for the deals of one order.
type orderDeals struct {
	id            schema.OrderID
	limit, offset int
}

func (q *orderDeals) Read(f *api.Form) {
	f.Required("orderId")
	q.id, _ = orderID(f)
	q.limit, q.offset = f.Page(50, 500, api.MaxOffset, api.ShouldBe)
}

var aboutDealsOfOrder = &api.About{
	Summary: "List the trades of an order",
	Text:    "Newest first. Empty for an order that does not exist or belongs to another account.",
	Response: api.Object("OrderDeals", "A page of the trades of an order.",
		api.Required("records", api.ArrayOf(api.Object("OrderDeal", "A trade of an order.",
			api.Required("time", api.Timestamp, "Time of the event."),
			api.Required("fee", api.Decimal, "Fee in feeAsset. Negative: rebate."),
			api.Required("price", api.Decimal, "Price in the quote asset."),
			api.Required("amount", api.Decimal, "Traded amount in the base asset."),
			api.Required("id", api.Integer, "Trade id."),
			api.Required("dealOrderId", api.Integer, "Order id of the counterparty."),
			api.Required("clientOrderId", api.String, "Client order id, empty if there is none."),
			api.Required("role", api.Integer, roleText),
			api.Required("deal", api.Decimal, "Total in the quote asset (price × amount)."),
			api.Required("feeAsset", api.String, "Asset of the fee."),
			api.Required("rpi", api.Boolean, "Whether the maker's order was an RPI order (retail price improvement)."))), "Trades."),
		api.Required("offset", api.Integer, "As requested."),
		api.Required("limit", api.Integer, "As requested.")),
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
	return api.AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"records":`...)
		dst = api.Array(deals, encoder{c.Directory()}.appendOrderDeal).AppendTo(dst)
		dst = append(dst, `,"offset":`...)
		dst = api.AppendInt(dst, int64(q.offset))
		dst = append(dst, `,"limit":`...)
		dst = api.AppendInt(dst, int64(q.limit))
		return append(dst, '}')
	}), nil
}

// appendOrderDeal writes a deal of trade-account/order.
func (d encoder) appendOrderDeal(dst []byte, r *history.Record) []byte {
	deal := r.Payload.(*history.Deal)
	dst = append(dst, `{"time":`...)
	dst = api.AppendMoment(dst, r.Time)
	dst = append(dst, `,"fee":`...)
	dst = api.AppendDecimal(dst, deal.Fee)
	dst = append(dst, `,"price":`...)
	dst = api.AppendDecimal(dst, deal.Price)
	dst = append(dst, `,"amount":`...)
	dst = api.AppendDecimal(dst, deal.Amount)
	dst = append(dst, `,"id":`...)
	dst = api.AppendInt(dst, int64(deal.ID))
	dst = append(dst, `,"dealOrderId":`...)
	dst = api.AppendInt(dst, int64(deal.Counter))
	dst = append(dst, `,"clientOrderId":"`...)
	dst = append(dst, deal.ClientID.Bytes()...)
	dst = append(dst, `","role":`...)
	dst = api.AppendInt(dst, int64(deal.Role))
	dst = append(dst, `,"deal":`...)
	dst = api.AppendDecimal(dst, deal.Money)
	dst = append(dst, `,"feeAsset":"`...)
	dst = append(dst, d.FeeAsset(d.MarketByID(r.Market), deal.Side)...)
	dst = append(dst, `","rpi":`...)
	dst = api.AppendBool(dst, deal.RPI)
	return append(dst, '}')
}
