package naive

import "bourse/internal/schema"

// find looks an open order of an account up.
func (t *trading) find(a schema.AccountID, ref *schema.OrderRef) (*order, schema.Rejection) {
	m := t.market(ref.Market)
	if m == nil {
		return nil, because(schema.MarketUnavailable)
	}
	if !exactlyOne(ref) {
		return nil, because(schema.OrderRefInvalid)
	}
	for _, o := range m.orders {
		if o.account == a && (o.id == ref.ID || ref.ClientID != none && o.client == ref.ClientID) {
			return o, accepted
		}
	}
	return nil, because(schema.OrderNotFound)
}

// none is the client id of an order that has none.
var none schema.ClientID

// exactlyOne reports whether the order is named by one id and not by two or none.
func exactlyOne(ref *schema.OrderRef) bool { return (ref.ID != 0) != (ref.ClientID != none) }

// cancel ends one order at the wish of its owner.
func (t *trading) cancel(a schema.AccountID, ref *schema.OrderRef) schema.Item {
	o, r := t.find(a, ref)
	if refused(r) {
		return schema.Item{Rejection: r}
	}
	if groupKind(o.role) != schema.AnyGroup && !protects(o.role) {
		return schema.Item{Rejection: because(schema.CancelOfGroup)}
	}
	t.end(o, schema.Canceled, schema.ByRequest)
	return schema.Item{Order: o.view()}
}

func (t *trading) cancelOrder(c *schema.CancelOrder) schema.Result {
	if _, r := t.accounts.trader(c.Account); refused(r) {
		return reject(r)
	}
	item := t.cancel(c.Account, &c.Order)
	return schema.Result{Rejection: item.Rejection, Order: item.Order}
}

func (t *trading) cancelBulk(c *schema.CancelBulk) schema.Result {
	_, r := t.accounts.trader(c.Account)
	switch {
	case refused(r):
		return reject(r)
	case len(c.Orders) == 0:
		return refuse(schema.CancelBulkEmpty)
	case len(c.Orders) > 100:
		return refuse(schema.CancelBulkTooMany)
	}
	var result schema.Result
	for i := range c.Orders {
		result.Items = append(result.Items, t.cancel(c.Account, &c.Orders[i]))
	}
	return result
}

func (t *trading) cancelAll(c *schema.CancelAll) schema.Result {
	_, r := t.accounts.trader(c.Account)
	switch {
	case refused(r):
		return reject(r)
	case c.Market != 0 && t.market(c.Market) == nil:
		return refuse(schema.MarketUnavailable)
	case !validProducts(c.Products):
		return refuse(schema.ProductsInvalid)
	case c.Sides > 7:
		return refuse(schema.PositionSidesInvalid)
	}
	for _, m := range t.all() {
		if c.Market == 0 || c.Market == m.ID {
			t.cancelProducts(m, c.Account, c.Products, c.Sides, schema.ByRequest)
		}
	}
	return schema.Result{}
}

// cancelProducts cancels the orders of an account on a market that are meant. Those of some sides, if there are any, are orders on
// futures. A kill switch leaves what protects positions.
func (t *trading) cancelProducts(m *market, a schema.AccountID, p schema.Products, sides schema.PositionSides, cause schema.Cause) {
	t.endAll(m, schema.Canceled, cause, func(o *order) bool {
		left := cause == schema.ByKillSwitch && protects(o.role)
		return o.account == a && !left && o.among(p) && (sides == 0 || isFuture(m.MarketInfo) && sides>>o.positionSide&1 == 1)
	})
}

// among reports whether an order is one of some products: futures, or on a spot market margin or spot by the wallet that pays
// for it.
func (o *order) among(p schema.Products) bool {
	switch {
	case isFuture(o.market.MarketInfo):
		return meansFutures(p)
	case o.collateral:
		return meansMargin(p)
	}
	return meansSpot(p)
}
