package api

import (
	"cmp"
	"net/http"
	"slices"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// reference names an open order by exactly one of its two ids.
type reference struct {
	market   string
	id       schema.OrderID
	hasID    bool
	hasName  bool
	misnamed bool // by something that is not a text
	byClient schema.ClientID
}

// read reads a reference with the texts of cancel and modify.
func (r *reference) read(f *Form) {
	f.required("market")
	r.market = f.marketOf()
	f.blank.either("orderId | clientOrderId")
	r.ids(f)
	if !r.hasName && !r.misnamed && !f.has("orderId") {
		f.lack(422, 30, "orderId", "OrderId field is required.")
	}
	if r.hasID && r.hasName {
		f.fail(422, 30, "orderId", schema.Refuse(schema.OrderRefInvalid).Text())
	}
}

// ids reads the two ids. A client id that no order can have names none.
func (r *reference) ids(f *Form) {
	r.id, r.hasID = f.orderID()
	name, s := f.Text("clientOrderId")
	if r.misnamed = s == malformed; r.misnamed {
		f.fail(422, 36, "clientOrderId", "ClientOrderId field should be a string.")
	}
	r.hasName = name != ""
	r.byClient, _ = schema.ParseClientID(name)
}

// resolve is the reference as the core takes it. Markets that are closed count: what stands
// there can be taken back.
func (r *reference) resolve(c *Call) (schema.OrderRef, error) {
	m := c.API.directory.Market(r.market)
	if m == nil {
		return schema.OrderRef{}, refusal(schema.Refuse(schema.MarketUnavailable))
	}
	if r.hasID && r.id == 0 || r.hasName && r.byClient.IsZero() {
		return schema.OrderRef{}, refusal(schema.Refuse(schema.OrderNotFound))
	}
	return schema.OrderRef{Market: m.ID, ID: r.id, ClientID: r.byClient}, nil
}

type cancelOrder struct{ reference }

var aboutCancel = &About{
	Summary:  "Cancel an order",
	Text:     "Identify the order by exactly one of orderId and clientOrderId. Returns the final state of the order.",
	Answer:   orderShape,
	Refusals: []schema.Reason{schema.MarketUnavailable, schema.OrderNotFound, schema.OrderRefInvalid},
}

func cancel(c *Call, q *cancelOrder) (Answer, error) {
	ref, err := q.resolve(c)
	if err != nil {
		return nil, err
	}
	var result schema.Result
	if err := c.submit(&schema.CancelOrder{Account: c.Account.ID, Order: ref}, &result); err != nil {
		return nil, err
	}
	return orderAnswer{c.API.directory, &result.Order, false}, nil
}

// cancelBulk is the request to cancel many orders. Each is looked at by itself.
type cancelBulk struct {
	items []cancelItem
}

// cancelItem is an order to be canceled, or what is wrong with it.
type cancelItem struct {
	reference
	ref schema.OrderRef
	err *Error
}

func (q *cancelBulk) read(f *Form) {
	s := f.List("orders", func(item *Form) error {
		var i cancelItem
		i.read(item)
		q.items = append(q.items, i)
		return nil
	})
	f.blank.must("orders")
	f.blank.lengths("orders", 1, schema.MaxBulkCancels)
	if s != good {
		f.fail(422, 30, "orders", "validation.required")
	}
}

// read reads an item, with texts of its own.
func (i *cancelItem) read(f *Form) {
	wrong := func(field, text string) { i.err = fault(422, 30, invalid, field, text) }
	if f == nil {
		wrong("request", "Invalid order format")
		return
	}
	market, s := f.Text("market")
	f.blank.must("market")
	f.blank.either("orderId | clientOrderId")
	i.ids(f)
	i.market = market
	switch {
	case s != good || market == "":
		wrong("market", "validation.required")
	case i.hasID && i.hasName:
		wrong("request", "api.validation.order.chooseOneId")
	case f.Err() != nil:
		i.err = failure(f.Err())
	case !i.hasID && !i.hasName:
		wrong("request", "validation.required")
	}
}

// notFound is what an item gets whose order is not there.
func notFound() *Error {
	return fault(404, 404, "Order not found", "orderId", "Order does not exist or already cancelled")
}

var aboutCancelMany = &About{
	Summary: "Cancel up to 100 orders",
	Text:    "Identify each order by exactly one of orderId and clientOrderId. Returns one result per order, in the order of the request.",
	Fields:  map[string]string{"orders": "Orders to cancel."},
	Answer: listOf(itemShape("CancelItem", record("CanceledOrder", "A canceled order.",
		always("orderId", whole, "Order id."),
		always("clientOrderId", anyText, "Client order id, empty if there is none."),
		always("market", anyText, "Market name.")))),
	Refusals: []schema.Reason{schema.CancelBulkEmpty, schema.CancelBulkTooMany},
}

func cancelMany(c *Call, q *cancelBulk) (Answer, error) {
	switch {
	case len(q.items) == 0:
		return nil, refusal(schema.Refuse(schema.CancelBulkEmpty))
	case len(q.items) > schema.MaxBulkCancels:
		return nil, refusal(schema.Refuse(schema.CancelBulkTooMany))
	}
	command := &schema.CancelBulk{Account: c.Account.ID}
	for i := range q.items {
		item := &q.items[i]
		if item.err != nil {
			continue
		}
		if c.API.directory.Market(item.market) == nil {
			item.err = fault(422, 30, invalid, "market", "validation.market_not_exist")
			continue
		}
		ref, err := item.resolve(c)
		if err != nil {
			item.err = notFound()
			continue
		}
		item.ref = ref
		command.Orders = append(command.Orders, ref)
	}
	var result schema.Result
	if len(command.Orders) > 0 {
		if err := c.submit(command, &result); err != nil {
			if failure(err).Status != http.StatusServiceUnavailable {
				return nil, err
			}
			q.unavailable()
		}
	}
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, '[')
		done := result.Items
		for i := range q.items {
			dst = appendComma(dst, i)
			if err := q.items[i].err; err != nil {
				dst = appendItemError(dst, err)
				continue
			}
			item := &done[0]
			done = done[1:]
			if item.Rejection.Refused() {
				dst = appendItemError(dst, notFound())
				continue
			}
			dst = append(dst, `{"result":{"orderId":`...)
			dst = AppendInt(dst, int64(item.Order.ID))
			dst = append(dst, `,"clientOrderId":"`...)
			dst = append(dst, item.Order.ClientID.Bytes()...)
			dst = append(dst, `","market":"`...)
			dst = append(dst, q.items[i].market...)
			dst = append(dst, `"},"error":null}`...)
		}
		return append(dst, ']')
	}), nil
}

// unavailable fails all items that were good so far: the exchange did not take them.
func (q *cancelBulk) unavailable() {
	const text = "Service temporary unavailable"
	for i := range q.items {
		if q.items[i].err == nil {
			q.items[i].err = fault(500, 500, text, "error", text)
		}
	}
}

// cancelEverything is the request to cancel all orders of some kinds.
type cancelEverything struct {
	market       string
	products     schema.Products
	positionSide bool
}

func (q *cancelEverything) read(f *Form) {
	q.market = f.marketOf()
	q.products = f.products("type")
	_, s := f.choice("positionSide", positionWords)
	q.positionSide = s != missing
	if s == malformed {
		f.fail(422, 30, "positionSide", "The selected positionSide is invalid.")
	}
}

// positionWords are the sides of positions.
var positionWords = []string{"both", "long", "short"}

// productKinds are the kinds of orders, as requests and answers spell them.
var (
	productKinds = []schema.Products{schema.SpotOrders, schema.MarginOrders, schema.FuturesOrders}
	productWords = []string{"spot", "margin", "futures"}
)

// products reads which kinds of orders are meant; none means all.
func (f *Form) products(name string) (p schema.Products) {
	f.blank.words(name, productWords)
	words, s := f.Texts(name)
	if s == malformed {
		f.fail(422, 30, name, "The "+name+" must be an array.")
	}
	for _, w := range words {
		i := slices.Index(productWords, w)
		if i < 0 {
			f.fail(422, 30, name, schema.Refuse(schema.ProductsInvalid).Text())
			continue
		}
		p |= productKinds[i]
	}
	return p
}

var aboutCancelAll = &About{
	Summary: "Cancel all orders",
	Text:    "Cancels all open orders of one market, or of all markets if none is given.",
	Fields: map[string]string{
		"market":       "Market name. Defaults to all markets.",
		"type":         "Order types. Defaults to all.",
		"positionSide": "Position side. Futures markets only.",
	},
	Answer:   doneShape,
	Refusals: []schema.Reason{schema.MarketUnavailable, schema.ProductsInvalid},
	Faults:   []*Error{fault(422, 30, invalid, "positionSide", "PositionSide is for futures markets only.")},
}

func cancelAll(c *Call, q *cancelEverything) (Answer, error) {
	command := &schema.CancelAll{Account: c.Account.ID, Products: q.products}
	if q.market != "" {
		m := c.API.directory.Market(q.market)
		if m == nil {
			return nil, refusal(schema.Refuse(schema.MarketUnavailable))
		}
		command.Market = m.ID
	}
	if q.positionSide { // only perpetual markets have positions with sides
		return nil, fault(422, 30, invalid, "positionSide", "PositionSide is for futures markets only.")
	}
	var result schema.Result
	if err := c.submit(command, &result); err != nil {
		return nil, err
	}
	return none, nil
}

// activeOrders asks for open orders.
type activeOrders struct {
	reference
	limit, offset int
}

func (q *activeOrders) read(f *Form) {
	q.market = f.marketFilter()
	q.ids(f)
	q.limit, q.offset = f.page(50, 100, maxOffset, laravel)
}

var aboutListOrders = &About{
	Summary: "List open orders",
	Text:    "Newest first. A page with fewer orders than the limit is the last one.",
	Fields: map[string]string{
		"market":        "Return only orders of this market.",
		"orderId":       "Return only this order.",
		"clientOrderId": "Return only orders with this client order id.",
		"limit":         "Maximum number of orders to return.",
		"offset":        "Number of newest orders to skip.",
	},
	Answer: listOf(orderShape),
	Faults: []*Error{fault(422, 31, invalid, "market", "Market is not available")},
}

func listOrders(c *Call, q *activeOrders) (Answer, error) {
	var market schema.MarketID
	if q.market != "" {
		m := c.API.directory.Market(q.market)
		if m == nil {
			return nil, fault(422, 31, invalid, "market", "Market is not available")
		}
		market = m.ID
	}
	var orders []schema.Order
	c.API.node.Read(func(m *core.Machine) {
		if q.hasID || q.hasName {
			orders = q.find(m, c.Account.ID, market)
		} else {
			orders = m.Trading().Newest(c.Account.ID, market, q.offset, q.limit)
		}
	})
	return list(orders, func(dst []byte, o *schema.Order) []byte {
		return c.API.directory.appendOrder(dst, o, false)
	}), nil
}

// find is the page of the orders that have an id, newest first. A client id is unique on one
// market only, so there may be several.
func (q *activeOrders) find(m *core.Machine, account schema.AccountID, market schema.MarketID) []schema.Order {
	var orders []schema.Order
	for _, info := range m.Listing().Markets() {
		if market != 0 && market != info.ID {
			continue
		}
		ref := schema.OrderRef{Market: info.ID, ID: q.id, ClientID: q.byClient}
		if q.hasID {
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
