package spot

import (
	"cmp"
	"net/http"
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/core"
	"bourse/internal/schema"
)

type cancelOrder struct{ ticket.Reference }

var aboutCancel = &api.About{
	Summary:  "Cancel an order",
	Text:     "Identify the order by exactly one of orderId and clientOrderId. Returns the final state of the order. The orders of an OCO, and the primary of an OTO, are canceled with their group: order/conditional-cancel.",
	Response: ticket.Order,
	Refusals: []schema.Reason{schema.MarketUnavailable, schema.OrderNotFound, schema.OrderRefInvalid, schema.CancelOfGroup},
}

func cancel(c api.WriteCall, q *cancelOrder) (api.Answer, error) {
	ref, err := q.Resolve(c)
	if err != nil {
		return nil, err
	}
	var result schema.Result
	if err := c.Submit(&schema.CancelOrder{Account: c.Account.ID, Order: ref}, &result); err != nil {
		return nil, err
	}
	return ticket.Answer{Directory: c.Directory(), Order: &result.Order, Position: true}, nil
}

// cancelBulk is the request to cancel many orders. Each is looked at by itself.
type cancelBulk struct {
	items []cancelItem
}

// cancelItem is an order to be canceled, or what is wrong with it.
type cancelItem struct {
	ticket.Reference
	ref schema.OrderRef
	err *api.Error
}

func (q *cancelBulk) Read(f *api.Form) {
	s := f.List("orders", func(item *api.Form) error {
		var i cancelItem
		i.Read(item)
		q.items = append(q.items, i)
		return nil
	})
	f.Schema().Require("orders")
	f.Schema().Count("orders", 1, schema.MaxBulkCancels)
	if s != api.Good {
		f.Fail(422, 30, "orders", "validation.required")
	}
}

// Read reads an item, with texts of its own.
func (i *cancelItem) Read(f *api.Form) {
	wrong := func(field, text string) { i.err = api.NewError(422, 30, api.ValidationFailed, field, text) }
	if f == nil {
		wrong("request", "Invalid order format")
		return
	}
	market, s := f.Text("market")
	f.Schema().Require("market")
	f.Schema().Alternatives("orderId | clientOrderId")
	i.IDs(f)
	i.Market = market
	switch {
	case s != api.Good || market == "":
		wrong("market", "validation.required")
	case i.HasID && i.HasName:
		wrong("request", "api.validation.order.chooseOneId")
	case f.Err() != nil:
		i.err = api.ErrorOf(f.Err())
	case !i.HasID && !i.HasName:
		wrong("request", "validation.required")
	}
}

// notFound is what an item gets whose order is not there, or not to be canceled by itself.
func notFound(why schema.Reason) *api.Error {
	text := "Order does not exist or already cancelled"
	if why == schema.CancelOfGroup {
		text = schema.Refuse(why).Text()
	}
	return api.NewError(404, 404, "Order not found", "orderId", text)
}

var (
	canceledEncoder = api.Encode("CanceledOrder", "A canceled order.",
		api.IntegerField("orderId", "Order id.", func(o *ticket.Outcome) int64 { return int64(o.Order.ID) }),
		api.TextField("clientOrderId", "Client order id, empty if there is none.", func(o *ticket.Outcome) []byte { return o.Order.ClientID.Bytes() }),
		api.StringField("market", "Market name.", func(o *ticket.Outcome) string { return o.Directory.MarketName(o.Order.Market) }))
	canceledItemEncoder = ticket.EncodeItem("CancelItem", canceledEncoder.Schema(), canceledEncoder.Append)
)

var aboutCancelMany = &api.About{
	Summary:    "Cancel up to 100 orders",
	Text:       "Identify each order by exactly one of orderId and clientOrderId. Returns one result per order, in the order of the request.",
	Parameters: map[string]string{"orders": "Orders to cancel."},
	Response:   api.ArrayOf(canceledItemEncoder.Schema()),
	Refusals:   []schema.Reason{schema.CancelBulkEmpty, schema.CancelBulkTooMany},
}

func cancelMany(c api.WriteCall, q *cancelBulk) (api.Answer, error) {
	switch {
	case len(q.items) == 0:
		return nil, api.Refusal(schema.Refuse(schema.CancelBulkEmpty))
	case len(q.items) > schema.MaxBulkCancels:
		return nil, api.Refusal(schema.Refuse(schema.CancelBulkTooMany))
	}
	command := &schema.CancelBulk{Account: c.Account.ID}
	for i := range q.items {
		item := &q.items[i]
		if item.err != nil {
			continue
		}
		if c.Directory().Market(item.Market) == nil {
			item.err = api.NewError(422, 30, api.ValidationFailed, "market", "validation.market_not_exist")
			continue
		}
		ref, err := item.Resolve(c)
		if err != nil {
			item.err = notFound(schema.OrderNotFound)
			continue
		}
		item.ref = ref
		command.Orders = append(command.Orders, ref)
	}
	var result schema.Result
	if len(command.Orders) > 0 {
		if err := c.Submit(command, &result); err != nil {
			if api.ErrorOf(err).Status != http.StatusServiceUnavailable {
				return nil, err
			}
			q.unavailable()
		}
	}
	list, done := make([]ticket.Outcome, len(q.items)), result.Items
	for i := range q.items {
		o := &list[i]
		o.Directory, o.Err = c.Directory(), q.items[i].err
		if o.Err == nil {
			o.Order = &done[0].Order
			if why := done[0].Rejection; why.Refused() {
				o.Err = notFound(why.Reason)
			}
			done = done[1:]
		}
	}
	return canceledItemEncoder.Array(list), nil
}

// unavailable fails all items that were good so far: the exchange did not take them.
func (q *cancelBulk) unavailable() {
	const text = "Service temporary unavailable"
	for i := range q.items {
		if q.items[i].err == nil {
			q.items[i].err = api.NewError(500, 500, text, "error", text)
		}
	}
}

// cancelEverything is the request to cancel all orders of some kinds.
type cancelEverything struct {
	market   string
	products schema.Products
	sides    schema.PositionSides
}

func (q *cancelEverything) Read(f *api.Form) {
	q.market = ticket.MarketOf(f)
	q.products = products(f, "type")
	word, s := f.Choice("positionSide", positionWords)
	switch s {
	case api.Malformed:
		f.Fail(422, 30, "positionSide", "The selected positionSide is invalid.")
	case api.Good:
		q.sides = schema.SidesOf(schema.PositionSide(slices.Index(positionWords, word)))
	}
}

// positionWords are the sides of positions, as this endpoint spells them.
var positionWords = []string{schema.BothSides: "both", schema.LongSide: "long", schema.ShortSide: "short"}

// productKinds are the kinds of orders, as requests and answers spell them.
var (
	productKinds = []schema.Products{schema.SpotOrders, schema.MarginOrders, schema.FuturesOrders}
	productWords = []string{"spot", "margin", "futures"}
)

// products reads which kinds of orders are meant; none means all.
func products(f *api.Form, name string) (p schema.Products) {
	f.Schema().OneOf(name, productWords)
	words, s := f.Texts(name)
	if s == api.Malformed {
		f.Fail(422, 30, name, "The "+name+" must be an array.")
	}
	for _, w := range words {
		i := slices.Index(productWords, w)
		if i < 0 {
			f.Fail(422, 30, name, schema.Refuse(schema.ProductsInvalid).Text())
			continue
		}
		p |= productKinds[i]
	}
	return p
}

var aboutCancelAll = &api.About{
	Summary: "Cancel all orders",
	Text:    "Cancels all open orders of one market, or of all markets if none is given.",
	Parameters: map[string]string{
		"market":       "Market name. Defaults to all markets.",
		"type":         "Order types. Defaults to all.",
		"positionSide": "Cancel only orders of this side. Needs a futures market.",
	},
	Response: api.Done,
	Refusals: []schema.Reason{schema.MarketUnavailable, schema.ProductsInvalid},
	Faults:   []*api.Error{errSpotSide},
}

var errSpotSide = api.NewError(422, 30, api.ValidationFailed, "positionSide", "PositionSide is for futures markets only.")

func cancelAll(c api.WriteCall, q *cancelEverything) (api.Answer, error) {
	command := &schema.CancelAll{Account: c.Account.ID, Products: q.products, Sides: q.sides}
	var market *schema.MarketInfo
	if q.market != "" {
		if market = c.Directory().Market(q.market); market == nil {
			return nil, api.Refusal(schema.Refuse(schema.MarketUnavailable))
		}
		command.Market = market.ID
	}
	if q.sides != 0 && (market == nil || market.Type == schema.Spot) {
		return nil, errSpotSide
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		return nil, err
	}
	return api.Empty, nil
}

// activeOrders asks for open orders.
type activeOrders struct {
	ticket.Reference
	limit, offset int
}

func (q *activeOrders) Read(f *api.Form) {
	q.Market = f.MarketFilter()
	q.IDs(f)
	q.limit, q.offset = f.Page(50, 100, api.MaxOffset, api.MustBe)
}

var aboutListOrders = &api.About{
	Summary: "List open orders",
	Text:    "Newest first. A page with fewer orders than the limit is the last one.",
	Parameters: map[string]string{
		"market":        "Return only orders of this market.",
		"orderId":       "Return only this order.",
		"clientOrderId": "Return only orders with this client order id.",
		"limit":         "Maximum number of orders to return.",
		"offset":        "Number of newest orders to skip.",
	},
	Response: api.ArrayOf(ticket.Order),
	Faults:   []*api.Error{api.NewError(422, 31, api.ValidationFailed, "market", "Market is not available")},
}

func listOrders(c *api.Call, q *activeOrders) (api.Answer, error) {
	var market schema.MarketID
	if q.Market != "" {
		m := c.Directory().Market(q.Market)
		if m == nil {
			return nil, api.NewError(422, 31, api.ValidationFailed, "market", "Market is not available")
		}
		market = m.ID
	}
	var orders []schema.Order
	c.API.Read(func(m core.View) {
		if q.HasID || q.HasName {
			orders = q.find(m, c.Account.ID, market)
		} else {
			orders = m.Trading().Newest(c.Account.ID, market, q.offset, q.limit)
		}
	})
	return api.Array(orders, func(dst []byte, o *schema.Order) []byte {
		return ticket.Append(dst, c.Directory(), o, true)
	}), nil
}

// find is the page of the orders that have an id, newest first. A client id is unique on one
// market only, so there may be several.
func (q *activeOrders) find(m core.View, account schema.AccountID, market schema.MarketID) []schema.Order {
	var orders []schema.Order
	for _, info := range m.Listing().Markets() {
		if market != 0 && market != info.ID {
			continue
		}
		ref := schema.OrderRef{Market: info.ID, ID: q.ID, ClientID: q.ByClient}
		if q.HasID {
			ref.ClientID = schema.ClientID{} // the number says more
		}
		if o, found := m.Trading().Find(account, &ref); found {
			orders = append(orders, o)
		}
	}
	slices.SortFunc(orders, func(a, b schema.Order) int { return cmp.Compare(b.ID, a.ID) })
	orders = orders[min(q.offset, len(orders)):]
	return orders[:min(q.limit, len(orders))]
}
