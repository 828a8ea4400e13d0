package core

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// answer is the order that meets the last one, if that one rests.
func (w *world) answer(account schema.AccountID) schema.Command {
	r := w.last.Order
	w.last = nil
	r.Type, r.Side, r.ClientID = schema.Limit, r.Side.Opposite(), schema.ClientID{}
	r.PostOnly, r.IOC, r.RPI, r.Retail, r.BBO = false, false, false, true, schema.BBONone
	return &schema.PlaceOrder{Account: account, Order: r}
}

func (w *world) request(t *dice) schema.OrderRequest {
	r := schema.OrderRequest{
		Market: w.market(t),
		Type:   pick(t, schema.Limit, schema.Limit, schema.Limit, schema.Limit, schema.Market, schema.StockMarket, schema.StopLimit, schema.StopMarket, schema.StopStockMarket),
		Side:   pick(t, schema.Buy, schema.Sell),
		STP:    pick(t, schema.STPNo, schema.STPNo, schema.STPCancelBoth, schema.STPCancelNew, schema.STPCancelOld),
	}
	r.Amount, r.Price, r.ActivationPrice = w.amount(t), w.price(t), w.price(t)
	if r.Type.InQuote(r.Side) {
		r.Amount = fixed.FromUnits(int64(chance(t, pick(t, 1_000, 100_000, 100_000, 1_000_000))), 2)
	}
	w.suit(t, &r)
	flagged := r.Type == schema.Limit || rarely(t)
	if flagged {
		switch chance(t, 10) {
		case 0:
			r.PostOnly = true
		case 1:
			r.IOC = true
		case 2:
			r.RPI = true
		case 3:
			r.RPI, r.PostOnly, r.IOC = coin(t), coin(t), coin(t)
		}
		r.Retail = chance(t, 4) == 0
	}
	if chance(t, 10) == 0 {
		r.BBO = pick(t, schema.BBOQueue, schema.BBOCounterparty, schema.BBOCounterparty, 3)
	}
	if chance(t, 5) == 0 {
		r.ClientID = w.clientID(t)
	}
	if w.edges != nil {
		w.edges.request(t, &r)
	}
	if cost, ok := w.cost(t, r.Market); ok && r.Type.InQuote(r.Side) && coin(t) {
		r.Amount = cost
	}
	if rarely(t) {
		r.Type, r.Side, r.STP = pick(t, r.Type, 0, 9), pick(t, r.Side, 0, 3), pick(t, r.STP, 7)
	}
	return r
}

// suit makes most orders such as the market takes them: no more decimals than it has, and stops only
// where there is a last price, most of them close to it.
func (w *world) suit(t *dice, r *schema.OrderRequest) {
	if w.bank == nil || w.bank.Listing().Market(r.Market) == nil || chance(t, 6) == 0 {
		return
	}
	if m := w.bank.Listing().Market(r.Market); r.Amount.Sign() > 0 && !r.Type.InQuote(r.Side) {
		r.Amount = cut(r.Amount, int(m.StockPrec))
	}
	last := w.bank.Trading().Market(r.Market).Last
	switch {
	case !r.Type.IsStop():
	case last.IsZero():
		r.Type = schema.Limit
	case coin(t) && w.edges == nil:
		r.ActivationPrice = last.Add(fixed.FromUnits(int64(chance(t, 11)-5), 1))
	}
}

// cost is what the best asks of a market cost together, or a little more or less.
func (w *world) cost(t *dice, market schema.MarketID) (fixed.Decimal, bool) {
	if w.bank == nil || w.bank.Listing().Market(market) == nil {
		return fixed.Zero, false
	}
	places := int(w.bank.Listing().Market(market).MoneyPrec)
	sum := pick(t, fixed.Zero, fixed.Zero, fixed.FromUnits(1, places), fixed.FromUnits(int64(chance(t, 1000)), places))
	levels := w.bank.Trading().Depth(market, schema.Sell, 1+chance(t, 3))
	for _, level := range levels {
		cost, countable := fixed.Mul(level.Price, level.Amount, places, fixed.Up)
		total, fits := sum.AddChecked(cost)
		if !countable || !fits {
			return fixed.Zero, false
		}
		sum = total
	}
	return sum, len(levels) > 0
}

func (w *world) modify(t *dice, account schema.AccountID) schema.Command {
	if o := w.open(t); o != nil && chance(t, 5) != 0 {
		c, _ := w.replace(t, o)
		c.Order, c.KeepSTP = w.refTo(t, o), coin(t)
		if chance(t, 8) == 0 {
			any := schema.Some(w.price(t))
			c.Amount, c.Total, c.Price, c.ActivationPrice = pick(t, c.Amount, any), pick(t, c.Total, any), pick(t, c.Price, any), pick(t, c.ActivationPrice, any)
		}
		if w.edges != nil {
			w.edges.modify(t, c)
		}
		return c
	}
	c := &schema.ModifyOrder{Account: account, Order: w.ref(t), STP: pick(t, schema.STPNo, schema.STPCancelOld, schema.STPCancelBoth), KeepSTP: coin(t)}
	if rarely(t) {
		c.STP = 9
	}
	maybe := func(d fixed.Decimal) schema.Optional {
		if chance(t, 3) == 0 {
			return schema.Some(d)
		}
		return schema.Optional{}
	}
	c.Amount, c.Price, c.ActivationPrice = maybe(w.amount(t)), maybe(w.price(t)), maybe(w.price(t))
	if chance(t, 5) == 0 {
		c.Total = maybe(fixed.FromUnits(int64(chance(t, 100000)), 2))
	}
	if w.edges != nil {
		w.edges.modify(t, c)
	}
	return c
}

// open is an order that is open, or nil: nobody knows one, or it should be another.
func (w *world) open(t *dice) *schema.Order {
	market := w.market(t)
	if w.bank == nil || w.bank.Listing().Market(market) == nil || rarely(t) {
		return nil
	}
	open := w.bank.Trading().All(market)
	if len(open) == 0 {
		return nil
	}
	return &open[chance(t, len(open))]
}

// refTo names an order, by its client id if it has one.
func (w *world) refTo(t *dice, o *schema.Order) schema.OrderRef {
	if !o.ClientID.IsZero() && coin(t) {
		return schema.OrderRef{Market: o.Market, ClientID: o.ClientID}
	}
	return schema.OrderRef{Market: o.Market, ID: o.ID}
}

// ref names an order that probably exists: one of the latest, or one with a client id.
func (w *world) ref(t *dice) schema.OrderRef {
	ref := schema.OrderRef{Market: w.market(t)}
	if chance(t, 4) == 0 {
		ref.ClientID = w.clientID(t)
	} else {
		ref.ID = w.orders - min(w.orders, schema.OrderID(chance(t, 40))) + 1
	}
	if rarely(t) {
		ref.ID, ref.ClientID = pick(t, 0, w.orders), pick(t, schema.ClientID{}, w.clientID(t))
	}
	return ref
}

func (w *world) clientID(t *dice) schema.ClientID {
	id, err := schema.ParseClientID(pick(t, "a", "b", "c-1.x_Y"))
	if err != nil {
		panic(err)
	}
	return id
}
