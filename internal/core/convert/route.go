package convert

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// mostHops is how many markets a route can have.
const mostHops = schema.MaxHops

// route is a chain of markets, and what came of walking it.
type route struct {
	legs  [mostHops]leg
	hops  int
	fault fault
}

// leg is one market of a route.
type leg struct {
	market   schema.MarketID
	from, to *schema.Asset
	sells    bool          // from is the base
	first    fixed.Decimal // the price of the first order that counts, zero while none was found
	took     fixed.Decimal
	gave     fixed.Decimal
}

// fault is why a walk failed.
type fault uint8

const (
	sound fault = iota
	short       // a book ended, steps were used up or a number was too large
	small       // a hop gives nothing
)

// plan lists the routes between two assets in the order in which they are tried.
func (c *Conversions) plan(account *schema.Account, from, to schema.AssetID) {
	c.routes = c.routes[:0]
	c.chain(account, from, to)
	for _, hub := range c.hubs {
		if hub != from && hub != to {
			c.chain(account, from, hub, to)
		}
	}
	for _, one := range c.hubs {
		for _, two := range c.hubs {
			if one != two && one != from && one != to && two != from && two != to {
				c.chain(account, from, one, two, to)
			}
		}
	}
}

// chain is the route over some assets, if there is one.
func (c *Conversions) chain(account *schema.Account, assets ...schema.AssetID) {
	r := route{hops: len(assets) - 1}
	for i := range r.hops {
		var joined bool
		if r.legs[i], joined = c.leg(account, assets[i], assets[i+1]); !joined {
			return
		}
	}
	c.routes = append(c.routes, r)
}

// leg is the market that joins two assets: of two that can be used the one with the lower id.
func (c *Conversions) leg(account *schema.Account, from, to schema.AssetID) (leg, bool) {
	selling, buying := c.listing.Spot(from, to), c.listing.Spot(to, from)
	if selling != nil && !c.trading.Takes(account, selling.ID) {
		selling = nil
	}
	if buying != nil && !c.trading.Takes(account, buying.ID) {
		buying = nil
	}
	l := leg{from: c.listing.Asset(from), to: c.listing.Asset(to)}
	switch {
	case selling != nil && (buying == nil || selling.ID < buying.ID):
		l.market, l.sells = selling.ID, true
	case buying != nil:
		l.market = buying.ID
	default:
		return l, false
	}
	return l, true
}

// best walks all routes for an exchange and returns the one that gives most, or costs least; of equal ones the first.
func (c *Conversions) best(family schema.AccountID, x *schema.Exchange) (*route, schema.Rejection) {
	var best *route
	w := walk{c: c, family: family, inTo: x.InTo, steps: mostSteps}
	for i := range c.routes {
		r := &c.routes[i]
		if r.fault = w.route(r, x.Amount); r.fault != sound {
			continue
		}
		if best == nil || x.InTo && r.took().Less(best.took()) || !x.InTo && best.gave().Less(r.gave()) {
			best = r
		}
	}
	if best != nil {
		return best, schema.Rejection{}
	}
	reason := schema.ConversionUnavailable
	w.steps = mostSteps // to find ideals
	for i := range c.routes {
		switch r := &c.routes[i]; {
		case r.fault == short && w.priced(r):
			return nil, schema.Refuse(schema.ConversionTooLarge)
		case r.fault == small:
			reason = schema.ConversionTooSmall
		}
	}
	return nil, schema.Refuse(reason)
}

// took and gave are what a route takes and gives.
func (r *route) took() fixed.Decimal { return r.legs[0].took }
func (r *route) gave() fixed.Decimal { return r.legs[r.hops-1].gave }
