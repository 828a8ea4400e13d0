package naive

import (
	"slices"

	"bourse/internal/schema"
)

// failure is why a walk came to no end.
type failure int

const (
	walked failure = iota
	tooSmall
	tooLarge // the book ended, steps were used up, or a number was none
)

// hop is a market of a route.
type hop struct {
	from, to   schema.AssetID
	market     *market
	took, gave num
}

// sells reports whether a hop sells the base of its market.
func (h *hop) sells() bool { return h.from == h.market.Base }

// route is a chain of markets with what the books give for an amount there, or cost.
type route struct {
	hops    []*hop
	failure failure
	result  num
	ideal   num
}

// path is a route as customers are shown it.
func (r *route) path() (list []schema.Hop) {
	for _, h := range r.hops {
		list = append(list, schema.Hop{From: h.from, To: h.to, Rate: rate(h.gave, h.took).decimal()})
	}
	return list
}

// best is the route that gives most or costs least, the first of those that do.
func (s *conversions) best(account *schema.Account, asked *schema.Exchange) (best *route, why schema.Rejection) {
	steps, none := *s.steps, schema.ConversionUnavailable
	var tooLong []*route
	for _, hops := range s.routes(account, asked.From, asked.To) {
		r := &route{hops: hops}
		s.walk(r, account, asked, &steps)
		switch {
		case r.failure == tooLarge:
			tooLong = append(tooLong, r)
		case r.failure == tooSmall:
			none = schema.ConversionTooSmall
		case best == nil, asked.InTo && r.result.less(best.result), !asked.InTo && r.result.more(best.result):
			best = r
		}
	}
	if best != nil {
		s.look(best, account, asked)
		return best, accepted
	}
	steps = *s.steps
	for _, r := range tooLong {
		if s.hasIdeal(r, account, asked, &steps) {
			none = schema.ConversionTooLarge
		}
	}
	return nil, because(none)
}

// routes are all chains of markets from an asset to another, in the order in which they are tried.
func (s *conversions) routes(account *schema.Account, from, to schema.AssetID) (routes [][]*hop) {
	hubs := slices.Clone(s.set.Hubs)
	slices.Sort(hubs)
	hubs = slices.DeleteFunc(hubs, func(hub schema.AssetID) bool { return hub == from || hub == to })
	chains := [][]schema.AssetID{{from, to}}
	for _, hub := range hubs {
		chains = append(chains, []schema.AssetID{from, hub, to})
	}
	for _, first := range hubs {
		for _, second := range hubs {
			if first != second {
				chains = append(chains, []schema.AssetID{from, first, second, to})
			}
		}
	}
	for _, chain := range chains {
		var hops []*hop
		for i := range len(chain) - 1 {
			if m := s.between(account, chain[i], chain[i+1]); m != nil {
				hops = append(hops, &hop{from: chain[i], to: chain[i+1], market: m})
			}
		}
		if len(hops) == len(chain)-1 {
			routes = append(routes, hops)
		}
	}
	return routes
}

// between finds the first market that joins two assets and can be used by an account, or nil.
func (s *conversions) between(account *schema.Account, a, b schema.AssetID) *market {
	for _, m := range s.trading.all() {
		joins := m.Base == a && m.Quote == b || m.Base == b && m.Quote == a
		open := m.Enabled && !m.InMaintenance && !m.Delisted
		if joins && open && m.Type == schema.Spot && offeredIn(m.Regions, s.accounts.region(account)) {
			return m
		}
	}
	return nil
}

// book is what a hop meets: the public orders of the other side, best first, with those of the family.
func (h *hop) book() (book []*order) {
	side := schema.Sell
	if h.sells() {
		side = schema.Buy
	}
	for _, o := range h.market.orders {
		if o.resting && !o.rpi && o.side == side {
			book = append(book, o)
		}
	}
	slices.SortFunc(book, priority)
	return book
}

// related reports whether an order is of the family of an account.
func (s *conversions) related(o *order, account *schema.Account) bool {
	owner, _ := s.accounts.customer(o.account)
	return s.accounts.master(owner).ID == s.accounts.master(account).ID
}

// inOrder are the hops as they are walked: from the first, or from the last if the amount counts what is received.
func (r *route) inOrder(asked *schema.Exchange) []*hop {
	hops := slices.Clone(r.hops)
	if asked.InTo {
		slices.Reverse(hops)
	}
	return hops
}

// walk goes hop by hop through the books.
func (s *conversions) walk(r *route, account *schema.Account, asked *schema.Exchange, steps *int) {
	r.result = of(asked.Amount)
	for _, h := range r.inOrder(asked) {
		amount := r.result
		if r.result, r.failure = s.meet(h, account, amount, asked.InTo, steps); r.failure != walked {
			return
		}
		h.took, h.gave = amount, r.result
		if asked.InTo {
			h.took, h.gave = r.result, amount
		}
	}
}

// meet goes through the book of a hop, order by order, for an amount that is given or, backward, received.
func (s *conversions) meet(h *hop, account *schema.Account, amount num, backward bool, steps *int) (num, failure) {
	rest, sum := amount, num{}
	for _, o := range h.book() {
		if rest.sign() == 0 {
			break
		}
		if *steps == 0 {
			return num{}, tooLarge
		}
		*steps--
		if s.related(o, account) {
			continue
		}
		all := o.price.times(o.left)
		switch {
		case h.sells() != backward: // the amount counts the base
			taken := least(rest, o.left)
			rest = rest.minus(taken)
			if all = o.price.times(taken); all.more(largest) {
				return num{}, tooLarge
			}
			sum = sum.plus(all)
		case all.more(largest):
			return num{}, tooLarge
		case !all.more(rest):
			rest = rest.minus(all)
			sum = sum.plus(o.left)
		default:
			sum = sum.plus(s.round(h.market.Base, rest.over(o.price), backward))
			rest = num{}
		}
		if sum.more(largest) {
			return num{}, tooLarge
		}
	}
	if rest.sign() != 0 {
		return num{}, tooLarge
	}
	if sum = s.round(h.other(backward), sum, backward); sum.more(largest) {
		return num{}, tooLarge
	}
	if sum.sign() == 0 {
		return num{}, tooSmall
	}
	return sum, walked
}

// other is the asset that the result of a hop counts.
func (h *hop) other(backward bool) schema.AssetID {
	if backward {
		return h.from
	}
	return h.to
}

// round rounds what is received down and what is given up.
func (s *conversions) round(asset schema.AssetID, n num, backward bool) num {
	if backward {
		return n.ceil(s.precision(asset))
	}
	return n.floor(s.precision(asset))
}

// look finds out what the amount would give, or cost, if the first order of each book that is not of the family had no end.
func (s *conversions) look(r *route, account *schema.Account, asked *schema.Exchange) {
	r.ideal = of(asked.Amount)
	for _, h := range r.inOrder(asked) {
		book := h.book()
		price := book[slices.IndexFunc(book, func(o *order) bool { return !s.related(o, account) })].price
		if h.sells() != asked.InTo {
			r.ideal = r.ideal.times(price)
		} else {
			r.ideal = r.ideal.over(price)
		}
		r.ideal = s.round(h.other(asked.InTo), r.ideal, asked.InTo)
	}
}

// hasIdeal reports whether each book of a route has an order that is not of the family. When the steps are used up, the books that are left have one.
func (s *conversions) hasIdeal(r *route, account *schema.Account, asked *schema.Exchange, steps *int) bool {
	for _, h := range r.inOrder(asked) {
		if *steps == 0 {
			return true
		}
		found := false
		for _, o := range h.book() {
			if *steps == 0 {
				return true
			}
			*steps--
			if found = !s.related(o, account); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}
