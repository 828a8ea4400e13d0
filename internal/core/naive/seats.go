package naive

import (
	"slices"

	"bourse/internal/schema"
)

// held is an open position of an account and what is kept of its life.
type held struct {
	position
	account schema.AccountID
	market  schema.MarketID
	side    schema.PositionSide

	entered  num // size of what made it larger, and what that was worth
	paid     num
	realized num
	fees     num
	funding  num // that was paid
	quoted   quoted
	opened   schema.Time
	updated  schema.Time
}

// long reports which way the position goes.
func (h *held) long() bool { return h.size.sign() > 0 }

func (h *held) view() schema.Position {
	return schema.Position{
		ID: schema.PositionID(h.id), Account: h.account, Market: h.market, Side: h.side,
		Amount: h.size.decimal(), Cost: h.cost.decimal(),
		Entered: h.entered.decimal(), Paid: h.paid.decimal(), Realized: h.realized.decimal(), Fees: h.fees.decimal(),
		Funding: h.funding.decimal(), Opened: h.opened, Updated: h.updated,
		QuotedCost: h.quoted.cost.decimal(), QuotedPaid: h.quoted.paid.decimal(), QuotedRealized: h.quoted.realized.decimal(),
	}
}

// find finds the position of an account that goes one way, or nil. That is one of hedge mode, or the only one.
func (g *margins) find(a schema.AccountID, m schema.MarketID, long bool) *held {
	for _, h := range g.open {
		if h.account == a && h.market == m && h.long() == long {
			return h
		}
	}
	return nil
}

// position is the one that an order is about; it may be empty.
func (g *margins) position(o *order) position {
	for _, h := range g.open {
		if h.account == o.account && h.market == o.market.ID && h.side == o.positionSide {
			return h.position
		}
	}
	return position{}
}

// portfolio is an account as the rules of margin see it, with the interest to now and the funding that is due.
func (g *margins) portfolio(a schema.AccountID) *portfolio {
	return g.valued(a, g.accrued, g.unbooked(a))
}

// atRisk is an account as liquidation sees it: with the interest to the next whole hour, so that inside it time moves
// nothing, and without funding that is not booked yet.
func (g *margins) atRisk(a schema.AccountID) *portfolio {
	return g.valued(a, g.accruedToNextHour, num{})
}

// valued is an account with so much interest that is not booked, and so much funding.
func (g *margins) valued(a schema.AccountID, interest func(schema.AccountID, schema.AssetID) num, funding num) *portfolio {
	mode := g.mode(a)
	p := &portfolio{id: int(a), leverage: mode.leverage, hedge: mode.hedge}
	currencies := g.currencies()
	for i, asset := range g.listing.assets {
		h := &holding{
			currency:   currencies[i],
			collateral: g.ledger.balance(a, schema.Collateral, asset.ID).available,
			debt:       g.ledger.balance(a, schema.Debt, asset.ID).available,
			accrued:    interest(a, asset.ID),
		}
		if h.usdt {
			h.expect(funding)
		}
		if h.usdt || h.collateral.sign() != 0 || h.debt.sign() != 0 || g.paired(asset.ID) {
			p.holdings = append(p.holdings, h)
		}
	}
	for _, m := range g.trading.all() {
		if !isFuture(m.MarketInfo) && !isPair(m.MarketInfo) {
			continue
		}
		s := &seat{market: g.instrument(m, currencies), orders: g.pending(a, m)}
		for _, long := range []bool{true, false} {
			if h := g.find(a, m.ID, long); h != nil {
				*s.side(long) = h.position
			}
		}
		p.seats = append(p.seats, s)
	}
	return p
}

// paired reports whether an asset is traded with collateral on a spot market.
func (g *margins) paired(asset schema.AssetID) bool {
	return slices.ContainsFunc(g.listing.markets, func(m *schema.MarketInfo) bool {
		return isPair(m) && (m.Base == asset || m.Quote == asset)
	})
}

// seat is that of a market.
func (p *portfolio) seat(m schema.MarketID) *seat {
	for _, s := range p.seats {
		if s.market.id == int(m) {
			return s
		}
	}
	return nil
}

// usdt is the holding that futures settle in.
func (p *portfolio) usdt() *holding {
	for _, h := range p.holdings {
		if h.usdt {
			return h
		}
	}
	return nil
}

// holding is that of a currency.
func (p *portfolio) holding(c *currency) *holding {
	for _, h := range p.holdings {
		if h.currency == c {
			return h
		}
	}
	return nil
}

// add gives an account of a currency. What is below zero then will be lent.
func (h *holding) add(n num) { h.collateral = h.collateral.plus(n) }

// currencies are the assets as the rules of margin see them, by id. USDT counts wholly and other assets not at all until that
// is set.
func (g *margins) currencies() (all []*currency) {
	for _, asset := range g.listing.assets {
		price, fresh := g.prices.asset(asset.ID)
		c := &currency{id: int(asset.ID), usdt: g.prices.isUSDT(asset.ID), scale: asset.Scale, index: price, stale: !fresh}
		if c.usdt {
			c.weight = one
		}
		if set, is := g.prices.collaterals[asset.ID]; is {
			c.weight = of(set.Weight)
		}
		all = append(all, c)
	}
	return all
}

// instrument is a market as the rules of margin see it, with its assets among the currencies. USD is worth there what it was when the
// market was last marked.
func (g *margins) instrument(m *market, currencies []*currency) *instrument {
	quote := currencies[m.Quote-1]
	if isTradFi(m.MarketInfo) {
		quote = &currency{id: int(m.Quote), index: g.prices.usd(m.MarketInfo)}
	}
	i := &instrument{
		id: int(m.ID), future: isFuture(m.MarketInfo), quote: quote, scale: g.listing.money(m.MarketInfo).Scale, feePrec: m.FeePrec, moneyPrec: m.MoneyPrec,
		tick: m.tick(), step: m.step(), minAmount: of(m.MinAmount), maxLeverage: int64(m.MaxLeverage),
	}
	if !i.future {
		i.base = currencies[m.Base-1]
		return i
	}
	mark, fresh := g.prices.mark(m.ID)
	i.mark, i.staleMark = mark, !fresh
	i.brackets = []bracket{{100, of(m.Bracket100)}, {50, of(m.Bracket50)}, {20, of(m.Bracket20)}}
	return i
}

// pending are the open orders of an account on a market that count, without those that are being replaced.
func (g *margins) pending(a schema.AccountID, m *market, without ...*order) (found []pending) {
	for _, o := range m.orders {
		if o.account == a && o.collateral && counts(o) && !slices.Contains(without, o) {
			found = append(found, g.bound(o))
		}
	}
	return found
}

// counts reports whether margin looks at an open order: of an OCO it looks at the dearer one.
func counts(o *order) bool {
	return !isLeg(o.role) || dearer(o, o.sibling())
}

// bound is what an open order is to its seat. One of a whole position is as large as that, and worth nothing.
func (g *margins) bound(o *order) pending {
	if o.whole() {
		return o.pending(g.position(o).size.abs(), num{}, false)
	}
	return o.pending(o.left, o.left.times(o.boundPrice()), o.worse)
}

// pending is some of an order as the rules of margin see it.
func (o *order) pending(size, value num, worse bool) pending {
	return pending{
		buy: o.side == schema.Buy, long: o.positionSide == longSide,
		size: size, value: value, worse: worse, reduceOnly: o.reduceOnly,
	}
}

// boundPrice is what an open order is valued at: its limit, or the activation price of a stop without one or that has not
// picked it yet.
func (o *order) boundPrice() num {
	if o.price.sign() == 0 {
		return o.activation
	}
	return o.price
}

// interestIn is what is open on a future: all long positions, or all short ones.
func (g *margins) interestIn(m schema.MarketID) num {
	sum := num{}
	for _, h := range g.open {
		if h.market == m && h.long() {
			sum = sum.plus(h.size)
		}
	}
	return sum
}
