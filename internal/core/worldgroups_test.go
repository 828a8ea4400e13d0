package core

import (
	"math"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// group is a command about orders that depend on each other, or about one of them.
func (p *pit) group(t *dice, account schema.AccountID) schema.Command {
	switch n := chance(t, 40); {
	case n < 12:
		return p.oco(t, account)
	case n < 22:
		r := p.request(t)
		r.Collateral, r.ReduceOnly = true, rarely(t)
		p.protect(t, account, &r)
		return &schema.PlaceOrder{Account: account, Order: r}
	case n < 30:
		return p.tpsl(t, account)
	case n < 35:
		return p.cancelGroup(t, account)
	case n < 39:
		return p.member(t, account)
	case !p.whole:
		return &schema.CancelAll{Account: account, Market: p.market(t)}
	case coin(t):
		return &schema.PlanMaintenance{Market: p.market(t), From: p.now, To: p.now + schema.Time(1+chance(t, 3))*schema.Second}
	default:
		return &schema.SetKillSwitch{Account: account, Market: p.market(t), Timeout: 5 * schema.Second}
	}
}

// oco is mostly one that can be placed: around the last price, and of the side of a position of the account.
func (p *pit) oco(t *dice, account schema.AccountID) schema.Command {
	c := &schema.PlaceOCO{
		Account: account, Market: p.market(t), Side: pick(t, schema.Buy, schema.Sell), ReduceOnly: chance(t, 4) == 0,
		STP: pick(t, schema.STPNo, schema.STPNo, schema.STPCancelOld, schema.STPCancelNew, schema.STPCancelBoth),
	}
	c.PositionSide = p.opens(t, account, c.Side)
	if held := p.held(account); len(held) > 0 && chance(t, 3) != 0 {
		against := held[chance(t, len(held))]
		c.Market, c.Side, c.PositionSide = against.Market, schema.Sell, against.Side
		if against.Amount.Sign() < 0 {
			c.Side = schema.Buy
		}
		c.ReduceOnly = coin(t)
	}
	up := 1
	if c.Side == schema.Buy {
		up = -1
	}
	reference := p.reference(c.Market)
	c.Amount, c.Price = p.amount(t, c.Market), p.beside(t, c.Market, reference, up)
	c.ActivationPrice, c.StopPrice = p.beside(t, c.Market, reference, -up), p.beside(t, c.Market, reference, -up)
	if chance(t, 5) == 0 {
		c.LimitClientID, c.StopClientID = p.clientID(t), p.clientID(t)
	}
	if rarely(t) {
		c.Market, c.Side, c.STP, c.PositionSide = pick(t, c.Market, pitSpot, 9), pick(t, c.Side, 0), pick(t, c.STP, 9), pick(t, c.PositionSide, 3)
	}
	if rarely(t) {
		c.Amount, c.Price = pick(t, c.Amount, p.odd(t, c.Market)), pick(t, c.Price, p.odd(t, c.Market))
		c.ActivationPrice, c.StopPrice = pick(t, c.ActivationPrice, p.odd(t, c.Market)), pick(t, c.StopPrice, p.odd(t, c.Market))
	}
	return c
}

// protect makes an order the primary of an OTO.
func (p *pit) protect(t *dice, account schema.AccountID, r *schema.OrderRequest) {
	if !rarely(t) {
		r.PositionSide, r.RPI = p.opens(t, account, r.Side), false
	}
	reference := p.reference(r.Market)
	switch {
	case r.Type.HasPrice() && r.BBO == schema.BBONone:
		reference = r.Price
	case r.Type == schema.Limit:
		reference = p.best(r)
	}
	up := 1
	if r.Side == schema.Sell {
		up = -1
	}
	r.TakeProfit, r.StopLoss = p.exits(t, r.Market, reference, up)
}

// best is the price that a limit order takes from the book, or any if there is none.
func (p *pit) best(r *schema.OrderRequest) fixed.Decimal {
	side := r.Side
	if r.BBO == schema.BBOCounterparty {
		side = side.Opposite()
	}
	if book := p.bank.Trading().Depth(r.Market, side, 1); len(book) > 0 {
		return book[0].Price
	}
	return r.Price
}

// tpsl is mostly for a position that there is.
func (p *pit) tpsl(t *dice, account schema.AccountID) schema.Command {
	c := &schema.PlaceTPSL{Account: account, Market: p.market(t), PositionSide: pick(t, schema.BothSides, schema.LongSide, schema.ShortSide), STP: pick(t, schema.STPNo, schema.STPNo, schema.STPCancelOld, schema.STPCancelNew)}
	up := 1
	var all []schema.Position
	for i := range schema.AccountID(worldAccounts) {
		all = append(all, p.held(schema.FirstCustomer+i)...)
	}
	if len(all) > 0 && !rarely(t) {
		of := all[chance(t, len(all))]
		c.Account, c.Market, c.PositionSide = of.Account, of.Market, pick(t, of.Side, of.Side, of.Side, c.PositionSide)
		up = of.Amount.Sign()
	}
	c.TakeProfit, c.StopLoss = p.exits(t, c.Market, p.reference(c.Market), up)
	if rarely(t) {
		c.Market, c.STP = pick(t, c.Market, pitSpot, 9), pick(t, c.STP, 9)
	}
	return c
}

// cancelGroup is mostly of one that there is.
func (p *pit) cancelGroup(t *dice, account schema.AccountID) schema.Command {
	c := &schema.CancelGroup{
		Account: account, Market: p.market(t), Group: p.orders - min(p.orders, schema.OrderID(chance(t, 20))),
		GroupKind: pick(t, schema.AnyGroup, schema.AnyGroup, schema.OCO, schema.OTO),
	}
	if o := p.grouped(t, c.Market); o != nil && o.Group != 0 && !rarely(t) {
		c.Account, c.Group = o.Account, o.Group
		if !o.ClientID.IsZero() && coin(t) {
			c.Group, c.ClientID = 0, o.ClientID
		}
	}
	if rarely(t) {
		c.Market, c.Group, c.GroupKind = pick(t, c.Market, 9), pick(t, c.Group, 0), pick(t, c.GroupKind, 3)
	}
	if rarely(t) {
		c.ClientID = pick(t, c.ClientID, p.clientID(t))
	}
	return c
}

// member asks for what orders of groups allow or not: to be canceled or modified by themselves.
func (p *pit) member(t *dice, account schema.AccountID) schema.Command {
	o := p.grouped(t, p.market(t))
	if o == nil {
		return &schema.Tick{}
	}
	ref := schema.OrderRef{Market: o.Market, ID: o.ID}
	switch chance(t, 3) {
	case 0:
		return &schema.CancelOrder{Account: o.Account, Order: ref}
	case 1:
		return &schema.CancelBulk{Account: o.Account, Orders: []schema.OrderRef{ref, p.ref(t), ref}}
	}
	return &schema.ModifyOrder{
		Account: pick(t, o.Account, o.Account, account), Order: ref, KeepSTP: true,
		Price: pick(t, schema.Optional{}, schema.Some(p.price(t, o.Market))), ActivationPrice: pick(t, schema.Optional{}, schema.Some(p.price(t, o.Market))),
	}
}

// grouped is an open order with a role, or nil.
func (p *pit) grouped(t *dice, market schema.MarketID) *schema.Order {
	if p.bank.Listing().Market(market) == nil {
		return nil
	}
	open := slices.DeleteFunc(p.bank.Trading().All(market), func(o schema.Order) bool { return o.Role == schema.NoRole })
	if len(open) == 0 {
		return nil
	}
	return &open[chance(t, len(open))]
}

// held are the positions of an account.
func (p *pit) held(account schema.AccountID) []schema.Position {
	return p.bank.Collateral().Positions(account)
}

// opens is the position that an order of a side opens, mostly as the mode of its account wants it.
func (p *pit) opens(t *dice, account schema.AccountID, side schema.Side) schema.PositionSide {
	switch {
	case rarely(t):
		return pick(t, schema.BothSides, schema.LongSide, schema.ShortSide)
	case !p.bank.Collateral().Summary(account).Hedge:
		return schema.BothSides
	case side == schema.Buy:
		return schema.LongSide
	}
	return schema.ShortSide
}

// reference is the price that activation prices are compared with: the last one, else the mark.
func (p *pit) reference(market schema.MarketID) fixed.Decimal {
	if p.bank.Listing().Market(market) == nil {
		return fixed.One
	}
	if last := p.bank.Trading().Market(market).Last; !last.IsZero() {
		return last
	}
	mark, _ := p.bank.Prices().Mark(market)
	return mark
}

// beside is a price a little above another or below it, sometimes the same and rarely on the wrong side.
func (p *pit) beside(t *dice, market schema.MarketID, price fixed.Decimal, up int) fixed.Decimal {
	places := 2
	if info := p.bank.Listing().Market(market); info != nil {
		places = int(info.MoneyPrec)
	}
	if rarely(t) {
		up = -up
	}
	by, fits := fixed.Mul(price, fixed.FromUnits(int64(chance(t, pick(t, 4, 8, 8, 60))*up), 3), places, fixed.Up)
	sum, counted := price.AddChecked(by)
	if !fits || !counted {
		return price
	}
	return sum
}

// exits are a take profit and a stop loss, or one of them.
func (p *pit) exits(t *dice, market schema.MarketID, reference fixed.Decimal, up int) (takeProfit, stopLoss fixed.Decimal) {
	takeProfit, stopLoss = p.beside(t, market, reference, up), p.beside(t, market, reference, -up)
	switch chance(t, 5) {
	case 0:
		takeProfit = fixed.Zero
	case 1:
		stopLoss = fixed.Zero
	}
	if rarely(t) {
		takeProfit, stopLoss = pick(t, takeProfit, p.odd(t, market)), pick(t, stopLoss, p.odd(t, market))
	}
	return takeProfit, stopLoss
}

// odd is a number at an edge of what can be.
func (p *pit) odd(t *dice, market schema.MarketID) fixed.Decimal {
	places := 2
	if info := p.bank.Listing().Market(market); info != nil {
		places = int(info.MoneyPrec)
	}
	most := fixed.FromUnits(math.MaxInt64, places)
	return pick(t, fixed.Zero, fixed.FromUnits(-1, places), fixed.FromUnits(1, places), fixed.FromUnits(1, places+1), most, most.Add(fixed.FromUnits(1, places)), fixed.Max)
}

// clientID is one of few, so that they meet.
func (p *pit) clientID(t *dice) schema.ClientID {
	name := pick(t, "", "a", "b", "c")
	if name == "" {
		return schema.ClientID{}
	}
	id, err := schema.ParseClientID(name)
	if err != nil {
		panic(err)
	}
	return id
}
