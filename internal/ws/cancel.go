package ws

import "bourse/internal/schema"

// cancellation is the request to cancel an order.
type cancellation struct {
	market *schema.MarketInfo
	ref    schema.OrderRef
	err    *Error
}

func (r *cancellation) read(a *arguments) {
	f := a.fields()
	r.market, r.ref = a.named(f), f.reference()
	r.err = f.err
}

// named reads the market that a request names, whether it is open or not: what stands on a market that
// is closed can be taken back.
func (a *arguments) named(f *fields) *schema.MarketInfo {
	name := f.market()
	if f.schema != nil {
		return nil
	}
	m := a.conn.server.options.API.Directory().Market(name)
	f.check(m != nil, errNoSuchMarket.Message)
	return m
}

// cancel cancels an open order.
func (q *call) cancel(r *cancellation) *Error {
	s, method := q.conn.server, q.method
	switch {
	case r.err != nil:
		return r.err
	case r.ref.ID == 0 && r.ref.ClientID.IsZero():
		return errNoSuchOrder
	}
	r.ref.Market = r.market.ID
	return q.conn.begin(q, &schema.CancelOrder{Account: q.account.ID, Order: r.ref}, func(result *schema.Result) ([]byte, *Error) {
		if result.Rejection.Refused() {
			return nil, method.refused(result.Rejection)
		}
		return s.appendOrder(nil, &result.Order, asReply), nil
	})
}

// cancellations is the request to cancel the orders of some kinds on a market.
type cancellations struct {
	market   *schema.MarketInfo
	products schema.Products
	err      *Error
}

func (r *cancellations) read(a *arguments) {
	f := a.fields()
	r.market, r.products = a.named(f), f.products()
	r.err = f.err
}

// cancelAll cancels the orders of some kinds on a market. To find none is no error.
func (q *call) cancelAll(r *cancellations) *Error {
	if r.err != nil {
		return r.err
	}
	method := q.method
	command := &schema.CancelAll{Account: q.account.ID, Market: r.market.ID, Products: r.products}
	return q.conn.begin(q, command, func(result *schema.Result) ([]byte, *Error) {
		if result.Rejection.Refused() {
			return nil, method.refused(result.Rejection)
		}
		return []byte(`{}`), nil
	})
}

// dissolution is the request to cancel a group of orders.
type dissolution struct {
	market *schema.MarketInfo
	group  schema.OrderID
	err    *Error
}

func (r *dissolution) read(a *arguments) {
	f := a.fields()
	r.market = a.named(f)
	f.required("order_id")
	r.group, _ = f.orderID()
	r.err = f.err
}

// cancelConditional cancels an OCO or an OTO.
func (q *call) cancelConditional(r *dissolution) *Error {
	s, method := q.conn.server, q.method
	switch {
	case r.err != nil:
		return r.err
	case r.group == 0:
		return errNoSuchOrder
	}
	return q.conn.begin(q, &schema.CancelGroup{Account: q.account.ID, Market: r.market.ID, Group: r.group}, func(result *schema.Result) ([]byte, *Error) {
		if result.Rejection.Refused() {
			return nil, method.refused(result.Rejection)
		}
		return s.appendGroup(nil, result), nil
	})
}
