package ticket

import (
	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/schema"
)

// Bulk is the request of several limit orders at once.
type Bulk struct {
	items      []item
	stopOnFail bool
}

// item is an order, or what is wrong with it.
type item struct {
	ticket Ticket
	err    *api.Error
}

// ReadOrders reads the orders, each as a single one is read.
func (q *Bulk) ReadOrders(f *api.Form, one func(*api.Form) Ticket) {
	s := f.List("orders", func(of *api.Form) error {
		if of == nil {
			q.items = append(q.items, item{err: api.NewError(422, 30, api.ValidationFailed, "request", "Invalid order format")})
			return nil
		}
		i := item{ticket: one(of)}
		if err := of.Err(); err != nil {
			i.err = api.ErrorOf(err)
		}
		q.items = append(q.items, i)
		return nil
	})
	f.Schema().Require("orders")
	f.Schema().Count("orders", 1, schema.MaxBulkOrders)
	if s != api.Good {
		f.Fail(422, 30, "orders", "The orders must be an array.")
	}
	q.stopOnFail = Flag(f, "stopOnFail")
}

// Outcome is what became of one order of a bulk request.
type Outcome struct {
	Directory *directory.Directory
	Order     *schema.Order
	Err       *api.Error // nil: it was done
}

// EncodeItem writes an element of the answer to a bulk request.
func EncodeItem(name string, result *api.ResponseSchema, order func(dst []byte, o *Outcome) []byte) *api.Encoder[Outcome] {
	return api.Encode(name, "What became of one order of the request.",
		api.NewField("result", api.Nullable(result), "The order, null on failure.", func(dst []byte, o *Outcome) []byte {
			if o.Err != nil {
				return append(dst, `null`...)
			}
			return order(dst, o)
		}),
		api.NewField("error", api.Nullable(api.Private.Schema()), "Error, null on success.", func(dst []byte, o *Outcome) []byte {
			if o.Err == nil {
				return append(dst, `null`...)
			}
			dst, _ = api.AppendError(dst, api.Private, o.Err)
			return dst
		}))
}

// AboutBulk describes an operation that places several orders as another places one.
func AboutBulk(summary, path string, e *api.Encoder[Outcome]) *api.About {
	return &api.About{
		Summary: summary,
		Text: "Orders are placed one after the other. Returns one result per order, in the order of the request. " +
			"An order that fails does not stop the others unless stopOnFail is set; then the results end with it.",
		Parameters: map[string]string{
			"orders":     "Orders, each with the fields of " + path + ".",
			"stopOnFail": "If true, the first order that fails ends the request.",
		},
		Response: api.ArrayOf(e.Schema()),
		Refusals: []schema.Reason{schema.BulkEmpty, schema.BulkTooMany},
	}
}

// Place places the orders one after the other and answers with what became of each.
func (q *Bulk) Place(c api.WriteCall, e *api.Encoder[Outcome]) (api.Answer, error) {
	switch {
	case len(q.items) == 0:
		return nil, api.Refusal(schema.Refuse(schema.BulkEmpty))
	case len(q.items) > schema.MaxBulkOrders:
		return nil, api.Refusal(schema.Refuse(schema.BulkTooMany))
	}
	command := &schema.PlaceBulk{Account: c.Account.ID, StopOnFail: q.stopOnFail}
	for i := range q.items {
		item := &q.items[i]
		if item.err == nil {
			if err := item.ticket.Resolve(c); err != nil {
				item.err = api.ErrorOf(err)
			}
		}
		if item.err == nil {
			command.Orders = append(command.Orders, item.ticket.Order)
		} else if q.stopOnFail {
			q.items = q.items[:i+1]
			break
		}
	}
	var result schema.Result
	if len(command.Orders) > 0 {
		if err := c.Submit(command, &result); err != nil {
			return nil, err
		}
	}
	list, done := make([]Outcome, 0, len(q.items)), result.Items
	for i := range q.items {
		o := Outcome{Directory: c.Directory(), Err: q.items[i].err}
		if o.Err == nil {
			o.Order = &done[0].Order
			if done[0].Rejection.Refused() {
				o.Err = api.Refusal(done[0].Rejection)
			}
			done = done[1:]
		}
		list = append(list, o)
		if o.Err != nil && q.stopOnFail { // what follows was not tried
			break
		}
	}
	return e.Array(list), nil
}
