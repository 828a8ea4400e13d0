package spot

import (
	"maps"
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

const day = 24 * 3600 * schema.Second

// maxSpan is how many days one query of finished orders may cover.
const maxSpan = 31 * day

// orderHistory asks for orders that are over.
type orderHistory struct {
	market        string
	id            schema.OrderID
	hasID         bool
	client        string
	classes       []history.Class
	from, to      schema.Time
	limit, offset int
}

// historyFilters are the words by which finished orders are chosen. Orders that ended by
// maintenance are none of the canceled ones.
var historyFilters = map[string][]history.Class{
	"ALL": nil, "FILLED": {history.Filled}, "CANCELED": {history.Canceled, history.PartlyFilled},
	"PARTIALLY_FILLED": {history.PartlyFilled}, "MAINTENANCE": {history.Maintained},
}

// historyWords are those words; no word means all.
var historyWords = slices.Sorted(maps.Keys(historyFilters))

func (q *orderHistory) Read(f *api.Form) {
	q.market = f.MarketFilter()
	q.id, q.hasID = ticket.OrderID(f)
	q.client = clientFilter(f)
	word, s := f.Choice("status", historyWords)
	if s == api.Malformed {
		f.Fail(422, 30, "status", "The selected status is invalid.")
	}
	q.classes = historyFilters[word]
	q.from, q.to = dates(f)
	q.limit, q.offset = f.Page(50, 500, api.MaxOffset, api.ShouldBe)
}

var tooLong = api.NewError(422, 30, api.ValidationFailed, "endDate", "The time range should not be longer than 31 days.")

func (p *past) order() *schema.Order { return p.Payload.(*schema.Order) }

func (p *past) isStop() bool { return p.order().Type.IsStop() }

var finishedEncoder = api.Encode("FinishedOrder", "A finished order.",
	api.DecimalField("amount", "Original amount of the order.", func(p *past) fixed.Decimal { return p.order().Amount }),
	api.DecimalField("price", "Limit price, 0 for market orders.", func(p *past) fixed.Decimal { return p.order().Price }),
	api.EnumField("type", ticket.KindWords, "Order type.", func(p *past) string { return ticket.KindWord(p.order()) }),
	api.IntegerField("id", "Order id.", func(p *past) int64 { return int64(p.order().ID) }),
	api.TextField("clientOrderId", "Client order id, empty if there is none.", func(p *past) []byte { return p.order().ClientID.Bytes() }),
	api.EnumField("side", api.SideWords, "Side of the order.", func(p *past) string { return p.order().Side.String() }),
	api.TimestampField("ctime", "Time at which the order was placed.", func(p *past) schema.Time { return p.order().Created }),
	api.TimestampField("ftime", "Time at which the order ended.", func(p *past) schema.Time { return p.order().Updated }),
	api.DecimalField("dealFee", "Fee in feeAsset. Negative: rebate.", func(p *past) fixed.Decimal { return p.order().DealFee }),
	api.DecimalField("dealStock", "Filled amount in the base asset.", func(p *past) fixed.Decimal { return p.order().DealStock }),
	api.DecimalField("dealMoney", "Filled amount in the quote asset.", func(p *past) fixed.Decimal { return p.order().DealMoney }),
	api.BooleanField("postOnly", "Whether the order was post-only.", func(p *past) bool { return p.order().PostOnly }),
	api.BooleanField("ioc", "Whether the order was immediate-or-cancel.", func(p *past) bool { return p.order().IOC }),
	api.EnumField("status", []string{"FILLED", "CANCELED", "CANCELED_STP", "AUTO_CANCELED_REDUCE_ONLY", "AUTO_CANCELED_LIQUIDATION", "MAINTENANCE"}, "How it ended.",
		func(p *past) string { return finishedStatus(p.order().Status).String() }),
	api.StringField("feeAsset", "Asset of the fee.", func(p *past) string { return p.feeAsset(p.order().Side, p.order().Collateral) }),
	api.BooleanField("rpi", "Whether the order was an RPI order (retail price improvement).", func(p *past) bool { return p.order().RPI }),
	api.BooleanField("reduceOnly", "Whether the order was reduce-only.", func(p *past) bool { return p.order().ReduceOnly }),
	api.EnumField("stp", ticket.STPWords, "Self-trade prevention mode.", func(p *past) string { return p.order().STP.String() }),
	ticket.OTOField((*past).order),
	api.NewField("activated", api.Timestamp, "Time of activation, 0 if it was not activated. Stop orders only.", func(dst []byte, p *past) []byte {
		if at := p.order().ActivatedAt; at != 0 {
			return api.AppendMoment(dst, at)
		}
		return append(dst, '0')
	}).If((*past).isStop),
	api.DecimalField("activationPrice", "Activation price. Stop orders only.", func(p *past) fixed.Decimal { return p.order().ActivationPrice }).If((*past).isStop),
	api.EnumField("activationCondition", []string{">=", "<="}, "In which direction; of stop orders.", func(p *past) string {
		return ticket.Condition(p.order(), ">=", "<=")
	}).If((*past).isStop))

var aboutFinishedOrders = &api.About{
	Summary: "List finished orders",
	Text:    "Lists keyed by market, newest first. The date range is at most 31 days and reaches back at most six months. An order that is requested by orderId or clientOrderId is returned regardless of dates and status.",
	Parameters: map[string]string{
		"market":        "Return only orders of this market.",
		"orderId":       "Return only this order.",
		"clientOrderId": "Return only orders with this client order id.",
		"status":        "Final status. Defaults to ALL. CANCELED does not include orders that maintenance ended.",
		"startDate":     "Return orders that ended at or after this Unix time in seconds. Defaults to 30 days before endDate.",
		"endDate":       "Return orders that ended at or before this Unix time in seconds. Defaults to now.",
	},
	Response: api.MapOf(api.ArrayOf(finishedEncoder.Schema())),
	Refusals: []schema.Reason{schema.MarketUnavailable},
	Faults: []*api.Error{
		backwards(), tooLong, historyNotFound(),
		api.NewError(422, 30, api.ValidationFailed, "startDate", "StartDate should not be more than 6 months ago."),
	},
}

func finishedOrders(c *api.Call, q *orderHistory) (api.Answer, error) {
	market, err := filter(c, q.market)
	if err != nil {
		return nil, err
	}
	query := &history.Query{Kind: history.Orders, Market: market, Offset: q.offset, Limit: q.limit}
	switch {
	case q.hasID && q.id == 0:
		return api.Bytes("{}"), nil
	case q.hasID:
		query.Ref = uint64(q.id)
	case q.client != "":
		query.Tag = q.client
	default:
		query.Classes = q.classes
		if query.From, query.To, err = span(c.API.Now(), q.from, q.to, true); err != nil {
			return nil, err
		}
	}
	orders, err := c.Past(query)
	if err != nil {
		return nil, err
	}
	if query.Tag != "" && len(orders) == 0 && q.offset == 0 {
		return nil, historyNotFound()
	}
	return byMarket(finishedEncoder, c.Directory(), orders), nil
}

// span fills in what was not said of a span of time and refuses one that is too long or, where
// that counts, begins more than six months ago. Spans are counted in whole seconds, as they are
// asked for.
func span(now, from, to schema.Time, floor bool) (schema.Time, schema.Time, error) {
	// Ends in the future mean now, which is the whole of this second.
	end := to
	if end == 0 || end > now {
		end = now/schema.Second*schema.Second + schema.Second - 1
		// Nothing is newer than now, except by the clock of another node: no bound is needed, and
		// none loses what was done there.
		to = 0
	}
	if from == 0 {
		from = max(0, end+1-schema.Second-maxSpan+day)
	}
	switch {
	case from > end:
		return 0, 0, backwards()
	case end-from >= maxSpan+schema.Second:
		return 0, 0, tooLong
	case floor && from < api.SixMonthsBefore(now):
		return 0, 0, api.NewError(422, 30, api.ValidationFailed, "startDate", "StartDate should not be more than 6 months ago.")
	}
	return from, to, nil
}

// finishedStatus is the status of an order that is over, as its history shows it.
func finishedStatus(s schema.Status) schema.Status {
	if s == schema.CanceledTakerBand {
		return schema.Canceled
	}
	return s
}

// endedOrders asks for orders that delisting or maintenance ended.
type endedOrders struct {
	market        string
	classes       []history.Class
	nothing       bool // of a kind that does not exist
	from, to      schema.Time
	limit, offset int
}

// endedFilters are the words by which such orders are chosen. What is filled are the orders by
// which the platform closes positions, of which there are none.
var endedFilters = map[string][]history.Class{
	"filled": {}, "delisting": {history.Delisted}, "maintenance": {history.Maintained},
}

// endedWords are those words; no word means all.
var endedWords = slices.Sorted(maps.Keys(endedFilters))

func (q *endedOrders) Read(f *api.Form) {
	q.market = f.MarketFilter()
	word, s := f.Choice("status", endedWords)
	classes, known := endedFilters[word]
	if s == api.Malformed {
		f.Fail(422, 30, "status", "The selected status is invalid.")
	}
	q.classes, q.nothing = classes, known && len(classes) == 0
	q.from, q.to = dates(f)
	q.limit, q.offset = f.Page(500, 500, 9999, api.MustBe)
	if q.limit+q.offset > 10_000 {
		f.Fail(422, 30, "offset", "The sum of limit and offset may not be greater than 10000.")
	}
}

func (p *past) ended() *schema.OrderChanged { return p.Payload.(*schema.OrderChanged) }

var endedEncoder = api.Encode("EndedOrder", "An order that the exchange ended.",
	api.IntegerField("id", "Order id.", func(p *past) int64 { return int64(p.ended().Order.ID) }),
	api.TextField("clientOrderId", "Client order id, empty if there is none.", func(p *past) []byte { return p.ended().Order.ClientID.Bytes() }),
	api.TimestampField("createdAt", "Time at which the order was placed.", func(p *past) schema.Time { return p.ended().Order.Created }),
	api.TimestampField("finishAt", "Time at which the order ended.", func(p *past) schema.Time { return p.ended().Order.Updated }),
	api.StringField("market", "Market name.", func(p *past) string { return p.directory.MarketName(p.Market) }),
	api.EnumField("side", api.SideWords, "Side of the order.", func(p *past) string { return p.ended().Order.Side.String() }),
	api.EnumField("type", ticket.KindWords, "Order type.", func(p *past) string { return ticket.KindWord(&p.ended().Order) }),
	api.DecimalField("price", "Limit price, 0 for market orders.", func(p *past) fixed.Decimal { return p.ended().Order.Price }),
	api.DecimalField("amount", "Original amount of the order.", func(p *past) fixed.Decimal { return p.ended().Order.Amount }),
	api.DecimalField("dealStock", "Filled amount in the base asset.", func(p *past) fixed.Decimal { return p.ended().Order.DealStock }),
	api.DecimalField("dealMoney", "Filled amount in the quote asset.", func(p *past) fixed.Decimal { return p.ended().Order.DealMoney }),
	api.DecimalField("fee", "Fee in feeAsset.", func(p *past) fixed.Decimal { return p.ended().Order.DealFee }),
	api.StringField("feeAsset", "Asset of the fee.", func(p *past) string { return p.feeAsset(p.ended().Order.Side, p.ended().Order.Collateral) }),
	api.EnumField("status", []string{"filled", "canceled", "maintenance"}, "How it ended.", func(p *past) string {
		if p.ended().Cause == schema.ByMaintenance {
			return "maintenance"
		}
		return "canceled"
	}),
	api.EnumField("delistingKind", []string{"canceled", "reverse", ""}, "How delisting ended it; empty: it was not delisting.", func(p *past) string {
		if p.ended().Cause == schema.ByMaintenance {
			return ""
		}
		return "canceled"
	}))

var aboutEnded = &api.About{
	Summary: "List orders ended by delisting or maintenance",
	Text:    "Newest first. The date range is at most 31 days; offset and limit together are at most 10,000.",
	Parameters: map[string]string{
		"market":    "Return only orders of this market.",
		"status":    "What ended the orders. Defaults to all. There are none with FILLED, which is for closed positions.",
		"startDate": "Return orders that ended at or after this Unix time in seconds. Defaults to 30 days before endDate.",
		"endDate":   "Return orders that ended at or before this Unix time in seconds. Defaults to now.",
	},
	Response: api.ArrayOf(endedEncoder.Schema()),
	Refusals: []schema.Reason{schema.MarketUnavailable},
	Faults: []*api.Error{
		backwards(), tooLong,
		api.NewError(422, 30, api.ValidationFailed, "offset", "The sum of limit and offset may not be greater than 10000."),
	},
}

func ended(c *api.Call, q *endedOrders) (api.Answer, error) {
	market, err := filter(c, q.market)
	if err != nil {
		return nil, err
	}
	query := &history.Query{Kind: history.Ended, Market: market, Classes: q.classes, Offset: q.offset, Limit: q.limit}
	if query.From, query.To, err = span(c.API.Now(), q.from, q.to, false); err != nil {
		return nil, err
	}
	if q.nothing {
		return api.Empty, nil
	}
	orders, err := c.Past(query)
	if err != nil {
		return nil, err
	}
	return endedEncoder.Array(pastOf(c.Directory(), orders)), nil
}
