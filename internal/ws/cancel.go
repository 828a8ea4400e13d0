package ws

import (
	"github.com/go-faster/jx"

	"bourse/internal/schema"
)

// cancel cancels an open order. Markets that are closed count: what stands there can be taken back.
func (s *Server) cancel(q *call) *Error {
	f := q.fields()
	m, ref := s.listed(f), f.reference()
	switch {
	case f.err != nil:
		return f.err
	case ref.ID == 0 && ref.ClientID.IsZero():
		return refused(schema.Refuse(schema.OrderNotFound))
	}
	ref.Market = m.ID
	return q.conn.begin(q, &schema.CancelOrder{Account: q.account.ID, Order: ref}, func(result *schema.Result) ([]byte, *Error) {
		if result.Rejection.Refused() {
			return nil, refused(result.Rejection)
		}
		return s.appendOrder(nil, &result.Order, asReply), nil
	})
}

// listed is the market that a request names, whether it is open or not.
func (s *Server) listed(f *fields) *schema.MarketInfo {
	m := s.options.API.Directory().Market(f.market())
	if m == nil {
		f.wrong(rows[schema.MarketUnavailable].text)
	}
	return m
}

// cancelAll cancels the orders of some kinds on a market. To find none is no error.
func (s *Server) cancelAll(q *call) *Error {
	f := q.fields()
	m, products := s.listed(f), f.products()
	if f.err != nil {
		return f.err
	}
	command := &schema.CancelAll{Account: q.account.ID, Market: m.ID, Products: products}
	return q.conn.begin(q, command, func(result *schema.Result) ([]byte, *Error) {
		if result.Rejection.Refused() {
			return nil, refused(result.Rejection)
		}
		return []byte(`{}`), nil
	})
}

// cancelConditional would cancel a group of orders that depend on each other. Only markets with
// margin have them, and there are none.
func (s *Server) cancelConditional(q *call) *Error {
	f := q.fields()
	s.listed(f)
	if id := f.required("order_id"); id.kind != jx.Null {
		f.orderID()
	}
	if f.err != nil {
		return f.err
	}
	return refused(schema.Refuse(schema.OrderNotFound))
}
