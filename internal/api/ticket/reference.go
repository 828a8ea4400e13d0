package ticket

import (
	"bourse/internal/api"
	"bourse/internal/schema"
)

// Reference names an open order, or a group of orders, by exactly one of its two ids.
type Reference struct {
	Market   string
	ID       schema.OrderID
	HasID    bool
	HasName  bool
	misnamed bool // by something that is not a text
	ByClient schema.ClientID
}

// Read reads a reference with the texts of cancel and modify.
func (r *Reference) Read(f *api.Form) {
	f.Required("market")
	r.Market = MarketOf(f)
	f.Schema().Alternatives("orderId | clientOrderId")
	r.IDs(f)
	if !r.HasName && !r.misnamed && !f.Has("orderId") {
		f.Lack(422, 30, "orderId", "OrderId field is required.")
	}
	if r.HasID && r.HasName {
		f.Fail(422, 30, "orderId", schema.Refuse(schema.OrderRefInvalid).Text())
	}
}

// IDs reads the two ids. A client id that no order can have names none.
func (r *Reference) IDs(f *api.Form) {
	r.ID, r.HasID = OrderID(f)
	name, s := f.Text("clientOrderId")
	if r.misnamed = s == api.Malformed; r.misnamed {
		f.Fail(422, 36, "clientOrderId", "ClientOrderId field should be a string.")
	}
	r.HasName = name != ""
	r.ByClient, _ = schema.ParseClientID(name)
}

// Resolve is the reference as the core takes it. Markets that are closed count: what stands
// there can be taken back.
func (r *Reference) Resolve(c api.WriteCall) (schema.OrderRef, error) {
	m := c.Directory().Market(r.Market)
	if m == nil {
		return schema.OrderRef{}, api.Refusal(schema.Refuse(schema.MarketUnavailable))
	}
	if r.HasID && r.ID == 0 || r.HasName && r.ByClient.IsZero() {
		return schema.OrderRef{}, api.Refusal(schema.Refuse(schema.OrderNotFound))
	}
	return schema.OrderRef{Market: m.ID, ID: r.ID, ClientID: r.ByClient}, nil
}
