package naive

import "bourse/internal/schema"

// isFuture reports whether a market is one of futures, whatever their prices are in.
func isFuture(m *schema.MarketInfo) bool { return m.Type == schema.Futures || isTradFi(m) }

// isTradFi reports whether a market is a future whose prices are in USD. What is dealt there is paid in USDT all the same.
func isTradFi(m *schema.MarketInfo) bool { return m.Type == schema.TradFiFutures }

// named finds an asset by its ticker, or nil.
func (l *listing) named(ticker string) *schema.Asset {
	for i := range l.assets {
		if l.assets[i].Ticker == ticker {
			return &l.assets[i]
		}
	}
	return nil
}

// money is the asset that deals on a market are paid in.
func (l *listing) money(m *schema.MarketInfo) *schema.Asset {
	if isTradFi(m) {
		return l.named("USDT")
	}
	return l.asset(m.Quote)
}

// checkTradFi is the last of what is asked about the market of an order.
func checkTradFi(a *schema.Account, m *market) schema.Rejection {
	if isTradFi(m.MarketInfo) && !a.TradFi {
		return because(schema.TradFiNotEnabled)
	}
	return accepted
}

// usd is what USD was worth in USDT when a future whose prices are in it was last marked.
func (p *prices) usd(m *schema.MarketInfo) num { return of(p.future(m.ID).shown.Money) }

// settled is what a deal moves for its money, cut off once for both sides: the same, unless that is in USD.
func (p *prices) settled(m *schema.MarketInfo, money num) num {
	if !isTradFi(m) {
		return money
	}
	return money.times(p.usd(m)).truncate(unit(p.listing.money(m).Scale))
}

// futureIndex is the index of a future in the money of its prices, and whether it is fresh. What is no price is none.
func (p *prices) futureIndex(m *schema.MarketInfo) (index num, fresh bool) {
	index, fresh = p.asset(m.Base)
	if !isTradFi(m) {
		return index, fresh
	}
	usd, freshUSD := p.asset(m.Quote)
	if usd.sign() == 0 {
		return num{}, false
	}
	index = index.over(usd).truncate(smallest)
	if index.sign() == 0 || index.more(highestPrice) {
		return num{}, false
	}
	return index, fresh && freshUSD
}

// said is what a price that a source says on a market is in USDT. On a market of USD it must be known what that is worth.
func (p *prices) said(m *schema.MarketInfo, price num) (num, schema.Rejection) {
	if !isTradFi(m) || price.sign() == 0 {
		return price, accepted
	}
	usd, _ := p.asset(m.Quote)
	if usd.sign() == 0 {
		return num{}, because(schema.QuoteUnpriced)
	}
	price = inUSDT(price, &currency{index: usd})
	if price.sign() == 0 || price.more(highestPrice) {
		return num{}, because(schema.IndexInvalid)
	}
	return price, accepted
}

// quoted is what is kept of a position in the money of the prices where deals are paid in another, for the prices of the position
// alone.
type quoted struct {
	cost     num
	paid     num
	realized num
}

// inQuote is a seat of an account with what its positions cost in the money of the prices.
func (g *margins) inQuote(a schema.AccountID, m *schema.MarketInfo, s *seat) *seat {
	market := *s.market
	market.scale = g.listing.asset(m.Quote).Scale
	other := &seat{market: &market}
	for _, long := range []bool{true, false} {
		if h := g.find(a, m.ID, long); h != nil {
			*other.side(long) = position{size: h.size, cost: h.quoted.cost}
		}
	}
	return other
}

// quote writes into the changes of a seat what the same does to it in the money of the prices, where that is another.
func (g *margins) quote(a schema.AccountID, m *schema.MarketInfo, s *seat, changes []change, by func(*seat) []change) {
	if !isTradFi(m) {
		return
	}
	other := g.inQuote(a, m, s)
	for i, c := range by(other) {
		q := quoted{cost: other.side(c.long).cost, realized: c.realized}
		if !c.closes {
			q.paid = c.value
		}
		changes[i].quoted = q
	}
}
