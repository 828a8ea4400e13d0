package naive

import (
	"slices"

	"bourse/internal/schema"
)

// Orders that are paid from collateral can depend on each other. The orders of an OCO and those that follow the primary of an OTO have its
// id as their group; a take profit and a stop loss of a whole position have none and are found by their position.

// whole reports whether the order closes a whole position, whatever its size is when it wakes up.
func (o *order) whole() bool { return protects(o.role) && o.group == 0 }

// sibling is the open order that ends with an order or because of it, or nil.
func (o *order) sibling() *order {
	for _, other := range o.market.orders {
		if other == o || other.group != o.group {
			continue
		}
		if isLeg(o.role) && isLeg(other.role) {
			return other
		}
		if protects(o.role) && protects(other.role) && other.role != o.role &&
			other.account == o.account && other.positionSide == o.positionSide {
			return other
		}
	}
	return nil
}

// dealtInGroup comes with each fill of an order, before its event: the first one of an order of an OCO ends the other, and what is
// left lives on alone.
func (t *trading) dealtInGroup(o *order) {
	if !isLeg(o.role) {
		return
	}
	other := o.sibling()
	o.group, o.role = 0, schema.NoRole
	t.end(other, schema.Canceled, schema.ByGroup)
}

// endedInGroup comes after the end of an order. One of an OCO that never dealt takes the other with it, a take profit or
// stop loss that dealt makes the other needless, and a primary that dealt is to be followed.
func (t *trading) endedInGroup(o *order, status schema.Status, cause schema.Cause) {
	other := o.sibling()
	switch {
	case isLeg(o.role) && other != nil && status != schema.Filled:
		t.end(other, status, cause)
	case protects(o.role) && other != nil && o.stock.sign() > 0:
		t.end(other, schema.Canceled, schema.ByGroup)
	case o.role == schema.Primary && leavesProtection(cause):
		o.market.primaries = append(o.market.primaries, o)
	}
}

// comeToRest lets all happen that follows from what was dealt or ended on a market: stops wake up until none is due,
// then each primary that ended is followed by its orders, which may be due, and by the stops that those wake up; and at last
// orders end that can reduce nothing.
func (t *trading) comeToRest(m *market) {
	t.runStops(m)
	for len(m.primaries) > 0 {
		t.protect(m)
		t.runStops(m)
	}
	t.margins.endReduceOnly(m)
}

func (t *trading) cancelGroup(c *schema.CancelGroup) schema.Result {
	_, r := t.accounts.trader(c.Account)
	m := t.market(c.Market)
	switch {
	case refused(r):
		return reject(r)
	case m == nil:
		return refuse(schema.MarketUnavailable)
	case !validGroupKind(c.GroupKind):
		return refuse(schema.GroupKindInvalid)
	case (c.Group != 0) == (c.ClientID != none):
		return refuse(schema.OrderRefInvalid)
	}
	group := c.Group
	for _, o := range m.orders {
		if o.account == c.Account && c.ClientID != none && o.client == c.ClientID {
			group = o.group
		}
	}
	members := slices.DeleteFunc(slices.Clone(m.orders), func(o *order) bool {
		return o.account != c.Account || o.group != group || group == 0 || c.GroupKind != schema.AnyGroup && groupKind(o.role) != c.GroupKind
	})
	if len(members) == 0 {
		return refuse(schema.OrderNotFound)
	}
	// Their ids are in the order in which they end: the limit order of an OCO and the take profit are older.
	result := schema.Result{ID: uint64(group)}
	for _, o := range members {
		if isOpen(o) {
			t.end(o, schema.Canceled, schema.ByRequest)
		}
		if o.role == schema.Primary {
			m.primaries = append(m.primaries, o)
		}
		result.Items = append(result.Items, schema.Item{Order: o.view()})
	}
	t.comeToRest(m)
	return result
}

// isOpen reports whether an order has not ended.
func isOpen(o *order) bool { return slices.Contains(o.market.orders, o) }
