package spot

import (
	"maps"
	"slices"
	"time"

	"bourse/internal/api"
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
	q.id, q.hasID = orderID(f)
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
	Response: api.MapOf(api.ArrayOf(api.Object("FinishedOrder", "A finished order.",
		api.Required("amount", api.Decimal, "Original amount of the order."),
		api.Required("price", api.Decimal, "Limit price, 0 for market orders."),
		api.Required("type", api.Enum(kindWords...), "Order type."),
		api.Required("id", api.Integer, "Order id."),
		api.Required("clientOrderId", api.String, "Client order id, empty if there is none."),
		api.Required("side", api.Enum(api.SideWords...), "Side of the order."),
		api.Required("ctime", api.Timestamp, "Time at which the order was placed."),
		api.Required("ftime", api.Timestamp, "Time at which the order ended."),
		api.Required("dealFee", api.Decimal, "Fee in feeAsset. Negative: rebate."),
		api.Required("dealStock", api.Decimal, "Filled amount in the base asset."),
		api.Required("dealMoney", api.Decimal, "Filled amount in the quote asset."),
		api.Required("postOnly", api.Boolean, "Whether the order was post-only."),
		api.Required("ioc", api.Boolean, "Whether the order was immediate-or-cancel."),
		api.Required("status", api.Enum("FILLED", "CANCELED", "CANCELED_STP", "AUTO_CANCELED_REDUCE_ONLY", "AUTO_CANCELED_LIQUIDATION", "MAINTENANCE"), "How it ended."),
		api.Required("feeAsset", api.String, "Asset of the fee."),
		api.Required("rpi", api.Boolean, "Whether the order was an RPI order (retail price improvement)."),
		api.Required("reduceOnly", api.Boolean, "Whether the order was reduce-only."),
		api.Required("stp", api.Enum("no", "cb", "cn", "co"), "Self-trade prevention mode."),
		api.Optional("activated", api.Timestamp, "Time of activation, 0 if it was not activated. Stop orders only."),
		api.Optional("activationPrice", api.Decimal, "Activation price. Stop orders only."),
		api.Optional("activationCondition", api.Enum(">=", "<="), "In which direction; of stop orders.")))),
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
	return byMarket(c.Directory(), orders, encoder{c.Directory()}.appendFinished), nil
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
	case floor && from < sixMonthsBefore(now):
		return 0, 0, api.NewError(422, 30, api.ValidationFailed, "startDate", "StartDate should not be more than 6 months ago.")
	}
	return from, to, nil
}

// sixMonthsBefore is the midnight from which on finished orders may be asked for.
func sixMonthsBefore(now schema.Time) schema.Time {
	t := time.UnixMicro(int64(now)).UTC().AddDate(0, -6, 0)
	return schema.Time(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).UnixMicro())
}

// finishedStatus is the status of an order that is over, as its history shows it.
func finishedStatus(s schema.Status) schema.Status {
	if s == schema.CanceledTakerBand {
		return schema.Canceled
	}
	return s
}

// appendFinished writes an order of the history.
func (d encoder) appendFinished(dst []byte, r *history.Record) []byte {
	o := r.Payload.(*schema.Order)
	dst = append(dst, `{"amount":`...)
	dst = api.AppendDecimal(dst, o.Amount)
	dst = append(dst, `,"price":`...)
	dst = api.AppendDecimal(dst, o.Price)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, kindWord(o.Type)...)
	dst = append(dst, `","id":`...)
	dst = api.AppendInt(dst, int64(o.ID))
	dst = append(dst, `,"clientOrderId":"`...)
	dst = append(dst, o.ClientID.Bytes()...)
	dst = append(dst, `","side":"`...)
	dst = append(dst, o.Side.String()...)
	dst = append(dst, `","ctime":`...)
	dst = api.AppendMoment(dst, o.Created)
	dst = append(dst, `,"ftime":`...)
	dst = api.AppendMoment(dst, o.Updated)
	dst = append(dst, `,"dealFee":`...)
	dst = api.AppendDecimal(dst, o.DealFee)
	dst = append(dst, `,"dealStock":`...)
	dst = api.AppendDecimal(dst, o.DealStock)
	dst = append(dst, `,"dealMoney":`...)
	dst = api.AppendDecimal(dst, o.DealMoney)
	dst = append(dst, `,"postOnly":`...)
	dst = api.AppendBool(dst, o.PostOnly)
	dst = append(dst, `,"ioc":`...)
	dst = api.AppendBool(dst, o.IOC)
	dst = append(dst, `,"status":"`...)
	dst = append(dst, finishedStatus(o.Status).String()...)
	dst = append(dst, `","feeAsset":"`...)
	dst = append(dst, d.FeeAsset(d.MarketByID(o.Market), o.Side)...)
	dst = append(dst, `","rpi":`...)
	dst = api.AppendBool(dst, o.RPI)
	dst = append(dst, `,"reduceOnly":false,"stp":"`...)
	dst = append(dst, o.STP.String()...)
	dst = append(dst, '"')
	if o.Type.IsStop() {
		dst = append(dst, `,"activated":`...)
		if o.ActivatedAt != 0 {
			dst = api.AppendMoment(dst, o.ActivatedAt)
		} else {
			dst = append(dst, '0')
		}
		dst = append(dst, `,"activationPrice":`...)
		dst = api.AppendDecimal(dst, o.ActivationPrice)
		dst = append(dst, `,"activationCondition":"`...)
		dst = append(dst, condition(o.Side, ">=", "<=")...)
		dst = append(dst, '"')
	}
	return append(dst, '}')
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

var aboutEnded = &api.About{
	Summary: "List orders ended by delisting or maintenance",
	Text:    "Newest first. The date range is at most 31 days; offset and limit together are at most 10,000.",
	Parameters: map[string]string{
		"market":    "Return only orders of this market.",
		"status":    "What ended the orders. Defaults to all. There are none with FILLED, which is for closed positions.",
		"startDate": "Return orders that ended at or after this Unix time in seconds. Defaults to 30 days before endDate.",
		"endDate":   "Return orders that ended at or before this Unix time in seconds. Defaults to now.",
	},
	Response: api.ArrayOf(api.Object("EndedOrder", "An order that the exchange ended.",
		api.Required("id", api.Integer, "Order id."),
		api.Required("clientOrderId", api.String, "Client order id, empty if there is none."),
		api.Required("createdAt", api.Timestamp, "Time at which the order was placed."),
		api.Required("finishAt", api.Timestamp, "Time at which the order ended."),
		api.Required("market", api.String, "Market name."),
		api.Required("side", api.Enum(api.SideWords...), "Side of the order."),
		api.Required("type", api.Enum(kindWords...), "Order type."),
		api.Required("price", api.Decimal, "Limit price, 0 for market orders."),
		api.Required("amount", api.Decimal, "Original amount of the order."),
		api.Required("dealStock", api.Decimal, "Filled amount in the base asset."),
		api.Required("dealMoney", api.Decimal, "Filled amount in the quote asset."),
		api.Required("fee", api.Decimal, "Fee in feeAsset."),
		api.Required("feeAsset", api.String, "Asset of the fee."),
		api.Required("status", api.Enum("filled", "canceled", "maintenance"), "How it ended."),
		api.Required("delistingKind", api.Enum("canceled", "reverse", ""), "How delisting ended it; empty: it was not delisting."))),
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
	return api.Array(orders, encoder{c.Directory()}.appendEnded), nil
}

// appendEnded writes an order that the platform ended.
func (d encoder) appendEnded(dst []byte, r *history.Record) []byte {
	e := r.Payload.(*schema.OrderChanged)
	o := &e.Order
	status, kind := "canceled", "canceled"
	if e.Cause == schema.ByMaintenance {
		status, kind = "maintenance", ""
	}
	dst = append(dst, `{"id":`...)
	dst = api.AppendInt(dst, int64(o.ID))
	dst = append(dst, `,"clientOrderId":"`...)
	dst = append(dst, o.ClientID.Bytes()...)
	dst = append(dst, `","createdAt":`...)
	dst = api.AppendMoment(dst, o.Created)
	dst = append(dst, `,"finishAt":`...)
	dst = api.AppendMoment(dst, o.Updated)
	dst = append(dst, `,"market":"`...)
	dst = append(dst, d.MarketName(o.Market)...)
	dst = append(dst, `","side":"`...)
	dst = append(dst, o.Side.String()...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, kindWord(o.Type)...)
	dst = append(dst, `","price":`...)
	dst = api.AppendDecimal(dst, o.Price)
	dst = append(dst, `,"amount":`...)
	dst = api.AppendDecimal(dst, o.Amount)
	dst = append(dst, `,"dealStock":`...)
	dst = api.AppendDecimal(dst, o.DealStock)
	dst = append(dst, `,"dealMoney":`...)
	dst = api.AppendDecimal(dst, o.DealMoney)
	dst = append(dst, `,"fee":`...)
	dst = api.AppendDecimal(dst, o.DealFee)
	dst = append(dst, `,"feeAsset":"`...)
	dst = append(dst, d.FeeAsset(d.MarketByID(o.Market), o.Side)...)
	dst = append(dst, `","status":"`...)
	dst = append(dst, status...)
	dst = append(dst, `","delistingKind":"`...)
	dst = append(dst, kind...)
	return append(dst, `"}`...)
}
