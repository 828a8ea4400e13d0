package api

import (
	"context"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// balances asks for what is in a wallet.
type balances struct{ ticker string }

func (q *balances) read(f *Form) {
	ticker, s := f.Text("ticker")
	if s == malformed {
		f.fail(422, 30, "ticker", "Ticker field should be a string.")
	}
	q.ticker = ticker
}

var aboutTradeBalance = &About{
	Summary: "Get trade balances",
	Text:    "Keyed by ticker. Without a ticker, assets with a zero balance are omitted.",
	Answer: mapOf(record("TradeBalance", "Trade balance of an asset.",
		always("available", decimal, "Available balance."),
		always("freeze", decimal, "Amount held by open orders."))),
	Faults: []*Error{fault(422, 30, invalid, "ticker", "Currency was not found.")},
}

func tradeBalance(c *Call, q *balances) (Answer, error) {
	assets, _, _ := c.API.directory.Listing()
	if q.ticker != "" {
		a := c.API.directory.Asset(q.ticker)
		if a == nil {
			return nil, fault(422, 30, invalid, "ticker", "Currency was not found.")
		}
		assets = []*schema.Asset{a}
	}
	type balance struct{ available, frozen fixed.Decimal }
	have := make([]balance, len(assets))
	c.API.node.Read(func(m *core.Machine) {
		for i, a := range assets {
			have[i].available, have[i].frozen, _ = m.Balance(c.Account.ID, schema.Trade, a.ID)
		}
	})
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, '{')
		written := 0
		for i, b := range have {
			if q.ticker == "" && b.available.IsZero() && b.frozen.IsZero() {
				continue
			}
			dst = AppendText(appendComma(dst, written), assets[i].Ticker)
			dst = append(dst, `:{"available":`...)
			dst = AppendDecimal(dst, b.available)
			dst = append(dst, `,"freeze":`...)
			dst = AppendDecimal(dst, b.frozen)
			dst = append(dst, '}')
			written++
		}
		return append(dst, '}')
	}), nil
}

// maxOffset is how far a page may begin behind the newest record: what comes before it is walked
// through, and that of open orders while the exchange waits.
const maxOffset = 10_000

// dates reads startDate and endDate, in seconds; 0 where there is none.
func (f *Form) dates() (from, to schema.Time) {
	read := func(name string) schema.Time {
		n, s := f.between(name, 0, maxSeconds)
		if s == malformed {
			f.fail(422, 30, name, title(name)+" field should be an integer.")
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
func backwards() *Error {
	return fault(422, 30, invalid, "startDate", "StartDate should not be greater than endDate.")
}

// maxSeconds is the latest moment that can be asked for: year 9999.
const maxSeconds = 253_402_300_799

// filter is the market that narrows a query, 0 for all.
func (c *Call) filter(name string) (schema.MarketID, error) {
	if name == "" {
		return 0, nil
	}
	m := c.API.directory.Market(name)
	if m == nil {
		return 0, refusal(schema.Refuse(schema.MarketUnavailable))
	}
	return m.ID, nil
}

// pastTimeout is how long a page may wait for a history that is behind.
const pastTimeout = 5 * time.Second

// past is a page of the past.
func (c *Call) past(q *history.Query) ([]history.Record, error) {
	ctx, cancel := context.WithTimeout(c.Context, pastTimeout)
	defer cancel()
	q.Account = c.Account.ID
	records, err := c.API.history.Page(ctx, q)
	if err != nil {
		c.API.options.Log.Warn("reading the history", "error", err)
		return nil, Unavailable()
	}
	return records, nil
}

// executedHistory asks for the deals of an account.
type executedHistory struct {
	market        string
	client        string
	from, to      schema.Time
	limit, offset int
}

func (q *executedHistory) read(f *Form) {
	q.market = f.marketFilter()
	q.client = f.clientFilter()
	q.from, q.to = f.dates()
	q.limit, q.offset = f.page(50, 500, maxOffset, plain)
}

func (f *Form) clientFilter() string {
	name, s := f.Text("clientOrderId")
	if s == malformed {
		f.fail(422, 36, "clientOrderId", "ClientOrderId field should be a string.")
	}
	return name
}

// roleText names the roles in a deal.
const roleText = "1: the order was the maker's, 2: the taker's."

var dealShape = record("Deal", "An executed trade of the account.",
	always("id", whole, "Trade id."),
	always("clientOrderId", anyText, "Client order id, empty if there is none."),
	always("time", moment, "Time of the event."),
	always("side", oneWord(sideWords...), "Side of the order."),
	always("role", whole, roleText),
	always("amount", decimal, "Traded amount in the base asset."),
	always("price", decimal, "Price in the quote asset."),
	always("deal", decimal, "Total in the quote asset (price × amount)."),
	always("fee", decimal, "Fee in feeAsset. Negative: rebate."),
	always("orderId", whole, "Order id."),
	always("feeAsset", anyText, "Asset of the fee."))

var aboutExecutedDeals = &About{
	Summary: "List executed trades",
	Text:    "Newest first: a list if a market is given, otherwise lists keyed by market.",
	Fields: map[string]string{
		"market":        "Return only trades of this market.",
		"clientOrderId": "Return only trades of the order with this client order id: the open one, otherwise the latest.",
	},
	Answer:   oneOf(listOf(dealShape), mapOf(listOf(dealShape))),
	Refusals: []schema.Reason{schema.MarketUnavailable},
	Faults:   []*Error{backwards(), historyNotFound()},
}

func executedDeals(c *Call, q *executedHistory) (Answer, error) {
	if q.to != 0 && q.from > q.to {
		return nil, backwards()
	}
	market, err := c.filter(q.market)
	if err != nil {
		return nil, err
	}
	query := &history.Query{Kind: history.Deals, Market: market, From: q.from, To: q.to, Offset: q.offset, Limit: q.limit}
	if q.client != "" {
		order, err := c.named(q.client, market)
		if err != nil {
			return nil, err
		}
		query.Ref = uint64(order)
	}
	deals, err := c.past(query)
	if err != nil {
		return nil, err
	}
	if q.market != "" {
		return list(deals, c.API.directory.appendDeal), nil
	}
	return byMarket(c.API.directory, deals, c.API.directory.appendDeal), nil
}

// named is the order that a client order id names: the open one, or else the last that had it.
func (c *Call) named(client string, market schema.MarketID) (schema.OrderID, error) {
	if id, err := schema.ParseClientID(client); err == nil {
		q := &activeOrders{reference: reference{byClient: id, hasName: true}, limit: 1}
		var open []schema.Order
		c.API.node.Read(func(m *core.Machine) { open = q.find(m, c.Account.ID, market) })
		if len(open) > 0 {
			return open[0].ID, nil
		}
	}
	over, err := c.past(&history.Query{Kind: history.Orders, Market: market, Tag: client, Limit: 1})
	switch {
	case err != nil:
		return 0, err
	case len(over) == 0:
		return 0, historyNotFound()
	}
	return schema.OrderID(over[0].ID), nil
}

func historyNotFound() *Error {
	return fault(422, 30, invalid, "orderHistory", "OrderHistory was not found.")
}

// byMarket writes records as an object of arrays, one for each market, in the order of records.
func byMarket(d *Directory, records []history.Record, one func([]byte, *history.Record) []byte) Answer {
	return answerFunc(func(dst []byte) []byte {
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
			dst = AppendText(appendComma(dst, i), d.marketName(m))
			dst = append(dst, `:[`...)
			for j, r := range lists[m] {
				dst = one(appendComma(dst, j), r)
			}
			dst = append(dst, ']')
		}
		return append(dst, '}')
	})
}

// appendDeal writes a deal of executed-history.
func (d *Directory) appendDeal(dst []byte, r *history.Record) []byte {
	deal := r.Payload.(*history.Deal)
	dst = append(dst, `{"id":`...)
	dst = AppendInt(dst, int64(deal.ID))
	dst = append(dst, `,"clientOrderId":"`...)
	dst = append(dst, deal.ClientID.Bytes()...)
	dst = append(dst, `","time":`...)
	dst = AppendMoment(dst, r.Time)
	dst = append(dst, `,"side":"`...)
	dst = append(dst, deal.Side.String()...)
	dst = append(dst, `","role":`...)
	dst = AppendInt(dst, int64(deal.Role))
	dst = append(dst, `,"amount":`...)
	dst = AppendDecimal(dst, deal.Amount)
	dst = append(dst, `,"price":`...)
	dst = AppendDecimal(dst, deal.Price)
	dst = append(dst, `,"deal":`...)
	dst = AppendDecimal(dst, deal.Money)
	dst = append(dst, `,"fee":`...)
	dst = AppendDecimal(dst, deal.Fee)
	dst = append(dst, `,"orderId":`...)
	dst = AppendInt(dst, int64(deal.Order))
	dst = append(dst, `,"feeAsset":"`...)
	dst = append(dst, d.FeeAsset(d.MarketByID(r.Market), deal.Side)...)
	return append(dst, `"}`...)
}

// orderDeals asks for the deals of one order.
type orderDeals struct {
	id            schema.OrderID
	limit, offset int
}

func (q *orderDeals) read(f *Form) {
	f.required("orderId")
	q.id, _ = f.orderID()
	q.limit, q.offset = f.page(50, 500, maxOffset, plain)
}

var aboutDealsOfOrder = &About{
	Summary: "List the trades of an order",
	Text:    "Newest first. Empty for an order that does not exist or belongs to another account.",
	Answer: record("OrderDeals", "A page of the trades of an order.",
		always("records", listOf(record("OrderDeal", "A trade of an order.",
			always("time", moment, "Time of the event."),
			always("fee", decimal, "Fee in feeAsset. Negative: rebate."),
			always("price", decimal, "Price in the quote asset."),
			always("amount", decimal, "Traded amount in the base asset."),
			always("id", whole, "Trade id."),
			always("dealOrderId", whole, "Order id of the counterparty."),
			always("clientOrderId", anyText, "Client order id, empty if there is none."),
			always("role", whole, roleText),
			always("deal", decimal, "Total in the quote asset (price × amount)."),
			always("feeAsset", anyText, "Asset of the fee."),
			always("rpi", yesOrNo, "Whether the maker's order was an RPI order (retail price improvement)."))), "Trades."),
		always("offset", whole, "As requested."),
		always("limit", whole, "As requested.")),
}

func dealsOfOrder(c *Call, q *orderDeals) (Answer, error) {
	var deals []history.Record
	if q.id != 0 {
		var err error
		query := &history.Query{Kind: history.Deals, Ref: uint64(q.id), Offset: q.offset, Limit: q.limit}
		if deals, err = c.past(query); err != nil {
			return nil, err
		}
	}
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"records":`...)
		dst = list(deals, c.API.directory.appendOrderDeal).AppendTo(dst)
		dst = append(dst, `,"offset":`...)
		dst = AppendInt(dst, int64(q.offset))
		dst = append(dst, `,"limit":`...)
		dst = AppendInt(dst, int64(q.limit))
		return append(dst, '}')
	}), nil
}

// appendOrderDeal writes a deal of trade-account/order.
func (d *Directory) appendOrderDeal(dst []byte, r *history.Record) []byte {
	deal := r.Payload.(*history.Deal)
	dst = append(dst, `{"time":`...)
	dst = AppendMoment(dst, r.Time)
	dst = append(dst, `,"fee":`...)
	dst = AppendDecimal(dst, deal.Fee)
	dst = append(dst, `,"price":`...)
	dst = AppendDecimal(dst, deal.Price)
	dst = append(dst, `,"amount":`...)
	dst = AppendDecimal(dst, deal.Amount)
	dst = append(dst, `,"id":`...)
	dst = AppendInt(dst, int64(deal.ID))
	dst = append(dst, `,"dealOrderId":`...)
	dst = AppendInt(dst, int64(deal.Counter))
	dst = append(dst, `,"clientOrderId":"`...)
	dst = append(dst, deal.ClientID.Bytes()...)
	dst = append(dst, `","role":`...)
	dst = AppendInt(dst, int64(deal.Role))
	dst = append(dst, `,"deal":`...)
	dst = AppendDecimal(dst, deal.Money)
	dst = append(dst, `,"feeAsset":"`...)
	dst = append(dst, d.FeeAsset(d.MarketByID(r.Market), deal.Side)...)
	dst = append(dst, `","rpi":`...)
	dst = AppendBool(dst, deal.RPI)
	return append(dst, '}')
}
