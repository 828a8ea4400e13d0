package naive

import "bourse/internal/schema"

func (t *trading) placeOrder(c *schema.PlaceOrder) schema.Result {
	trader, r := t.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	o, r := t.check(trader, c.Order, circumstances{})
	if refused(r) {
		return reject(r)
	}
	t.place(o)
	return schema.Result{Order: o.view()}
}

func (t *trading) placeBulk(c *schema.PlaceBulk) schema.Result {
	trader, r := t.accounts.trader(c.Account)
	switch {
	case refused(r):
		return reject(r)
	case len(c.Orders) == 0:
		return refuse(schema.BulkEmpty)
	case len(c.Orders) > 20:
		return refuse(schema.BulkTooMany)
	}
	var result schema.Result
	for _, request := range c.Orders {
		o, r := t.check(trader, request, circumstances{bulk: true})
		item := schema.Item{Rejection: r}
		if !refused(r) {
			t.place(o)
			item.Order = o.view()
		}
		result.Items = append(result.Items, item)
		if refused(r) && c.StopOnFail {
			break
		}
	}
	return result
}
