package naive

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestRandomGroups is TestRandomFutures with groups of orders, which are whole after each command.
func TestRandomGroups(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(8) {
		w := newWalk(newTraders(t), seed, true, seen)
		w.groups = true
		for range 400 {
			w.step()
		}
		w.groups = false
		w.delist()
	}
	for _, what := range []string{
		"limit leg ended by its group", "stop leg ended by its group", "limit leg ended by self-trade prevention", "stop leg woke up",
		"primary ended and dealt", "primary ended by request", "take profit came", "stop loss came", "take profit woke up", "stop loss woke up",
		"take profit ended and dealt", "stop loss ended and dealt", "take profit ended by its group", "stop loss ended by its group",
		"take profit ended by reduce only", "stop loss ended by reduce only", "take profit ended by modify", "stop loss ended by modify",
		"take profit ended by remainder", "stop loss ended by remainder", "primary ended by delisting", "stop loss ended by delisting",
	} {
		if seen[what] == 0 {
			t.Errorf("no %s: %v", what, seen)
		}
	}
	t.Log(seen)
}

// randomGroup is a command about groups of orders on a future, of an order that was drawn for an account; prices come
// from where they are drawn.
func (w *world) randomGroup(random *rand.Rand, a schema.AccountID, r schema.OrderRequest, price func() fixed.Decimal) schema.Command {
	prices := []fixed.Decimal{price(), price(), price()}
	if random.IntN(8) != 0 {
		slices.SortFunc(prices, fixed.Decimal.Cmp)
	}
	maybe := func(d fixed.Decimal) fixed.Decimal {
		if random.IntN(4) == 0 {
			return fixed.Zero
		}
		return d
	}
	low, middle, high := prices[0], prices[1], prices[2]
	switch random.IntN(8) {
	case 0, 1:
		c := &schema.PlaceOCO{
			Account: a, Market: r.Market, Side: schema.Sell, Amount: r.Amount, STP: r.STP, ReduceOnly: r.ReduceOnly, PositionSide: r.PositionSide,
			Price: high, ActivationPrice: middle, StopPrice: low,
		}
		if random.IntN(2) == 0 {
			c.Side, c.Price, c.StopPrice = schema.Buy, low, high
		}
		return c
	case 2, 3, 4:
		r.Price, r.TakeProfit, r.StopLoss = middle, maybe(high), maybe(low)
		if r.Side == schema.Sell {
			r.TakeProfit, r.StopLoss = r.StopLoss, r.TakeProfit
		}
		r.ReduceOnly = random.IntN(20) == 0
		return &schema.PlaceOrder{Account: a, Order: r}
	case 5, 6:
		c := &schema.PlaceTPSL{Account: a, Market: r.Market, PositionSide: r.PositionSide, STP: r.STP, TakeProfit: maybe(high), StopLoss: maybe(low)}
		var all []schema.Position
		for _, p := range w.Positions() {
			if p.Market == r.Market {
				all = append(all, p)
			}
		}
		if len(all) > 0 && random.IntN(10) != 0 {
			p := all[random.IntN(len(all))]
			c.Account, c.PositionSide = p.Account, p.Side
			if p.Amount.Sign() < 0 {
				c.TakeProfit, c.StopLoss = c.StopLoss, c.TakeProfit
			}
		}
		return c
	}
	c := &schema.CancelGroup{Account: a, Market: r.Market, Group: 1, GroupKind: schema.GroupKind(random.IntN(3))}
	for _, o := range w.trading.market(r.Market).orders {
		if o.group != 0 && random.IntN(3) == 0 {
			c.Account, c.Group = o.account, o.group
		}
	}
	return c
}

// groupsHold checks that the groups of a market are whole: an OCO has two orders that never dealt and of which one
// counts, a primary is alone, and what protects a position is there once for each role.
func (w *world) groupsHold(m *market) {
	w.t.Helper()
	type place struct {
		group   schema.OrderID
		account schema.AccountID
		side    schema.PositionSide
		role    schema.Role
	}
	taken, kinds, sizes := map[place]bool{}, map[schema.OrderID]schema.GroupKind{}, map[schema.OrderID]int{}
	for _, o := range m.orders {
		p := place{o.group, o.account, o.positionSide, o.role}
		other := o.sibling()
		switch {
		case o.role == schema.NoRole && o.group == 0:
			continue
		case o.role == schema.NoRole, o.group == 0 && !protects(o.role), taken[p], !o.collateral,
			isLeg(o.role) && (other == nil || o.stock.sign() != 0 || other.role == o.role || other.account != o.account || other.side != o.side ||
				other.reduceOnly != o.reduceOnly || counts(o) == counts(other)),
			protects(o.role) && (!o.waiting() || !o.reduceOnly || o.whole() != (o.amount.sign() == 0) || other != nil && other.side != o.side),
			o.role == schema.Primary && (o.reduceOnly || o.takeProfit.sign() == 0 && o.stopLoss.sign() == 0):
			w.t.Fatalf("order %+v beside %+v", o.view(), other)
		}
		taken[p] = true
		if o.group != 0 {
			sizes[o.group]++
			if kind, known := kinds[o.group]; known && (kind != groupKind(o.role) || sizes[o.group] > 2 || o.role == schema.Primary) {
				w.t.Fatalf("order %+v is in a group of others", o.view())
			}
			kinds[o.group] = groupKind(o.role)
		}
	}
	if len(m.primaries) > 0 {
		w.t.Fatalf("a primary was not followed: %+v", m.primaries[0].view())
	}
}

// lookAtGroups counts what happened in groups.
func (w *world) lookAtGroups(seen map[string]int) {
	for _, e := range w.last.Events {
		e, is := e.(*schema.OrderChanged)
		if !is || e.Order.Role == schema.NoRole {
			continue
		}
		dealt := e.Order.DealStock.Sign() > 0
		switch role := e.Order.Role.String(); {
		case e.Cause == schema.ByGroup && e.Change == schema.Closed:
			seen[role+" ended by its group"]++
		case e.Cause == schema.ByGroup:
			seen[role+" came"]++
		case e.Change == schema.Activated:
			seen[role+" woke up"]++
		case e.Change == schema.Closed && dealt:
			seen[role+" ended and dealt"]++
		case e.Change == schema.Closed:
			seen[role+" ended by "+e.Cause.String()]++
		}
	}
}
