package convert

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	amountPlaces = 8 // of what customers ask for
	valuePlaces  = 8 // of values and bounds
	ratePlaces   = 8
)

// leastDepth is what a walk must give of what it would give at the first orders.
var leastDepth = fixed.FromUnits(98, 2)

// deal is a conversion as it is kept: without memory of its own.
type deal struct {
	id       schema.ConversionID
	account  schema.AccountID
	from, to schema.AssetID
	give     fixed.Decimal
	receive  fixed.Decimal
	rate     fixed.Decimal
	path     [mostHops]schema.Hop
	hops     int
	expires  schema.Time
	done     schema.Time
}

// message is a deal as the world sees it.
func (d *deal) message() schema.Conversion {
	m := schema.Conversion{
		ID: d.id, Account: d.account, From: d.from, To: d.to, Give: d.give, Receive: d.receive, Rate: d.rate, Expires: d.expires, Done: d.done,
	}
	m.Path = append(m.Path, d.path[:d.hops]...)
	return m
}

// offer is what an exchange gives, and its value.
type offer struct {
	deal
	family schema.AccountID
	value  fixed.Decimal
}

// cut is an exchange without the decimals that do not count.
func (c *Conversions) cut(x schema.Exchange) schema.Exchange {
	of := x.From
	if x.InTo {
		of = x.To
	}
	places := amountPlaces
	if asset := c.listing.Asset(of); asset != nil {
		places = min(places, int(asset.Precision))
	}
	x.Amount, _ = x.Amount.Round(places, fixed.Down) // toward zero: it fits
	return x
}

// offer prices an exchange, whose amount is cut. The bounds and the balance are left to be checked.
func (c *Conversions) offer(account *schema.Account, x *schema.Exchange) (o offer, r schema.Rejection) {
	from, to := c.listing.Asset(x.From), c.listing.Asset(x.To)
	switch {
	case from == nil || to == nil || from == to:
		return o, schema.Refuse(schema.ConversionUnavailable)
	case x.Amount.Sign() <= 0:
		return o, schema.Refuse(schema.ConversionTooSmall)
	}
	family := c.accounts.Root(account.ID).ID
	c.plan(account, x.From, x.To)
	best, r := c.best(family, x)
	if r.Refused() {
		return o, r
	}
	result, r := c.worse(best, x)
	if r.Refused() {
		return o, r
	}
	if !c.deep(best, x) {
		return o, schema.Refuse(schema.ConversionTooLarge)
	}
	o.deal = deal{account: account.ID, from: x.From, to: x.To, give: x.Amount, receive: result, hops: best.hops, expires: c.out.Time + schema.QuoteLife}
	if r := c.spread(&o.deal, x.InTo, result); r.Refused() {
		return o, r
	}
	if o.give.IsZero() || o.receive.IsZero() {
		return o, schema.Refuse(schema.ConversionTooSmall)
	}
	o.rate = rate(o.give, o.receive)
	for i := range best.hops {
		l := &best.legs[i]
		o.path[i] = schema.Hop{From: l.from.ID, To: l.to.ID, Rate: rate(l.took, l.gave)}
	}
	index, _ := c.prices.Index(x.From)
	value, fits := fixed.Mul(o.give, index, valuePlaces, fixed.Ceil)
	if !fits {
		return o, schema.Refuse(schema.ConversionTooLarge)
	}
	o.family, o.value = family, value
	return o, schema.Rejection{}
}

// worse is what a route gives or costs, or what the indices say if that is worse for the customer.
func (c *Conversions) worse(r *route, x *schema.Exchange) (fixed.Decimal, schema.Rejection) {
	above, fresh := c.prices.Index(x.From)
	below, too := c.prices.Index(x.To)
	if !fresh || !too {
		return fixed.Zero, schema.Refuse(schema.ConversionUnavailable)
	}
	var fair fixed.Decimal
	var fits bool
	if x.InTo {
		fair, fits = fixed.MulDiv(x.Amount, below, above, int(c.listing.Asset(x.From).Precision), fixed.Ceil)
	} else {
		fair, fits = fixed.MulDiv(x.Amount, above, below, int(c.listing.Asset(x.To).Precision), fixed.Floor)
	}
	switch {
	case !fits:
		return fixed.Zero, schema.Refuse(schema.ConversionTooLarge)
	case x.InTo:
		return fixed.MaxOf(r.took(), fair), schema.Rejection{}
	}
	return fixed.MinOf(r.gave(), fair), schema.Rejection{}
}

// deep reports whether the books of a route are deep enough for the amount.
func (c *Conversions) deep(r *route, x *schema.Exchange) bool {
	w := walk{c: c, inTo: x.InTo}
	ideal, fits := w.ideal(r, x.Amount)
	switch {
	case !fits:
		return false
	case x.InTo:
		return fixed.CmpProducts(ideal, fixed.One, r.took(), leastDepth) >= 0
	}
	return fixed.CmpProducts(r.gave(), fixed.One, ideal, leastDepth) >= 0
}

// spread takes the price of the risk: each hop costs the spread that is set, or as much as an index moved within about ten seconds.
func (c *Conversions) spread(d *deal, inTo bool, worse fixed.Decimal) schema.Rejection {
	each := fixed.MaxOf(c.settings.Spread, fixed.MaxOf(c.move(d.from), c.move(d.to)))
	rest := fixed.One
	for range d.hops {
		if rest.Cmp(each) <= 0 {
			return schema.Refuse(schema.ConversionUnavailable)
		}
		rest = rest.Sub(each)
	}
	fits := true
	if inTo {
		d.receive = d.give // the amount that was asked for
		d.give, fits = fixed.Div(worse, rest, int(c.listing.Asset(d.from).Precision), fixed.Ceil)
	} else {
		d.receive, fits = fixed.Mul(worse, rest, int(c.listing.Asset(d.to).Precision), fixed.Floor)
	}
	if !fits {
		return schema.Refuse(schema.ConversionTooLarge)
	}
	return schema.Rejection{}
}

// rate is what one of what is given is worth, cut off.
func rate(give, receive fixed.Decimal) fixed.Decimal {
	rate, fits := fixed.Div(receive, give, ratePlaces, fixed.Floor)
	if !fits {
		return fixed.Max
	}
	return rate
}
