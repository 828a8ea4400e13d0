package naive

import "bourse/internal/schema"

// prices is what assets and markets are worth: the indices of known assets and the marks of futures. Both
// change by an index that is set and by ticks alone, never while orders are matched.
type prices struct {
	call        *call
	listing     *listing
	trading     *trading // has the books, and the indices of markets whose assets are not known
	collaterals map[schema.AssetID]schema.SetCollateral
	indices     map[schema.AssetID]*index
	futures     map[schema.MarketID]*future
	convert     *conversions // follow how indices move
}

// highestPrice is 2^119-1 of the last decimal: no index is above it, and no mark.
var highestPrice = whole(1 << 60).times(whole(1 << 59)).minus(one).times(smallest)

// usualMaxAge is how long a source counts of an asset that nobody has set another age for.
const usualMaxAge = 30 * second

func (p *prices) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetCollateral:
		result = p.setCollateral(c)
	case *schema.SetIndex:
		result = p.setIndex(c)
	default:
		return nil
	}
	return &result
}

func (p *prices) setCollateral(c *schema.SetCollateral) schema.Result {
	weight, rate := of(c.Weight), of(c.Rate)
	switch {
	case p.listing.asset(c.Asset) == nil:
		return refuse(schema.AssetUnknown)
	case weight.sign() < 0, weight.more(one), weight.minus(weight.truncate(unit(4))).sign() != 0,
		rate.sign() < 0, !rate.less(one),
		of(c.PoolCap).sign() < 0, of(c.AccountCap).sign() < 0,
		c.IndexMaxAge < second, c.IndexMaxAge > hour:
		return refuse(schema.CollateralInvalid)
	}
	p.collaterals[c.Asset] = *c
	p.call.record(&schema.CollateralChanged{Collateral: *c})
	return schema.Result{}
}

// known reports whether an asset has an index of its own: it is collateral, a future is or was about it or has its prices in it, or it
// is traded with collateral on a spot market.
func (p *prices) known(asset schema.AssetID) bool {
	_, known := p.collaterals[asset]
	for _, m := range p.listing.markets {
		known = known || isFuture(m) && m.Base == asset || (isTradFi(m) || isPair(m)) && (m.Base == asset || m.Quote == asset)
	}
	return known
}

// isUSDT reports whether an asset is the one that everything is valued in.
func (p *prices) isUSDT(asset schema.AssetID) bool { return p.listing.asset(asset).Ticker == "USDT" }

// feeds reports whether a source of the index of a market's base speaks there.
func (p *prices) feeds(m *schema.MarketInfo) bool {
	return (p.isUSDT(m.Quote) || isTradFi(m)) && p.known(m.Base)
}

// index is that of a known asset. It begins without sources.
func (p *prices) index(asset schema.AssetID) *index {
	if p.indices[asset] == nil {
		p.indices[asset] = &index{stale: true}
	}
	x := p.indices[asset]
	x.maxAge = usualMaxAge
	if c, set := p.collaterals[asset]; set {
		x.maxAge = c.IndexMaxAge
	}
	return x
}

// asset is the index price of an asset in USDT, and whether it is fresh.
func (p *prices) asset(asset schema.AssetID) (price num, fresh bool) {
	switch {
	case p.isUSDT(asset):
		return one, true
	case !p.known(asset):
		return num{}, false
	}
	x := p.index(asset)
	return x.price, !x.stale
}

// market is the index price of a market and since when it is that; both are zero when there is none.
func (p *prices) market(m *market) (price num, since schema.Time) {
	switch {
	case p.feeds(m.MarketInfo) && p.isUSDT(m.Quote):
		x := p.index(m.Base)
		return x.price, x.since
	case p.known(m.Base) && p.known(m.Quote):
		base, _ := p.asset(m.Base)
		quote, _ := p.asset(m.Quote)
		if quote.sign() == 0 {
			return num{}, 0
		}
		cross := base.over(quote).truncate(smallest)
		if cross.sign() == 0 || cross.more(largest) {
			return num{}, 0
		}
		return cross, max(p.index(m.Base).since, p.index(m.Quote).since)
	}
	return m.index, m.indexAt
}

func (p *prices) setIndex(c *schema.SetIndex) schema.Result {
	m := p.trading.market(c.Market)
	price := of(c.Price)
	switch {
	case m == nil:
		return refuse(schema.MarketUnavailable)
	case m.Delisted:
		return refuse(schema.MarketDelisted)
	case price.sign() < 0, p.feeds(m.MarketInfo) && price.more(highestPrice):
		return refuse(schema.IndexInvalid)
	case c.Source > 8, c.Source != 0 && !p.feeds(m.MarketInfo):
		return refuse(schema.IndexSourceInvalid)
	}
	said, r := p.said(m.MarketInfo, price)
	if p.feeds(m.MarketInfo) && refused(r) {
		return reject(r)
	}
	p.call.record(&schema.IndexChanged{Index: *c})
	if !p.feeds(m.MarketInfo) {
		m.index, m.indexAt = price, p.call.at
		if price.sign() == 0 {
			m.indexAt = 0
		}
		return schema.Result{}
	}
	p.change(m.Base, func(x *index) { x.quote(int(c.Source), said, p.call.at) })
	for _, future := range p.live() {
		if future.Base == m.Base || future.Quote == m.Base {
			p.remake(future, false)
		}
	}
	return schema.Result{}
}

// change changes the index of an asset and says so if it is another then.
func (p *prices) change(asset schema.AssetID, by func(*index)) {
	x := p.index(asset)
	price, stale := x.price, x.stale
	by(x)
	if x.price.cmp(price) == 0 && x.stale == stale {
		return
	}
	x.since = p.call.at
	p.convert.moved(asset, price, x.price)
	p.call.record(&schema.AssetPriced{Asset: asset, Price: x.price.decimal(), Fresh: !x.stale})
}

// live are the futures that are listed and not delisted, by id.
func (p *prices) live() (futures []*market) {
	for _, m := range p.trading.all() {
		if isFuture(m.MarketInfo) && !m.Delisted {
			futures = append(futures, m)
		}
	}
	return futures
}

// tick looks at the age of all sources and then at the books of all futures.
func (p *prices) tick() {
	for _, asset := range p.listing.assets {
		if p.known(asset.ID) && !p.isUSDT(asset.ID) {
			p.change(asset.ID, func(x *index) { x.refresh(p.call.at) })
		}
	}
	for _, m := range p.live() {
		p.sample(m)
		p.remake(m, true)
	}
}

// due are the moments at which something of the prices is due.
func (p *prices) due() (moments []schema.Time) {
	for _, asset := range p.listing.assets {
		if !p.known(asset.ID) {
			continue
		}
		x := p.index(asset.ID)
		for _, s := range x.sources {
			if s.counts {
				moments = append(moments, s.at+x.maxAge)
			}
		}
	}
	for _, m := range p.live() {
		if last := p.future(m.ID).last; last == 0 { // it never had a slot: the first can be filled at once
			moments = append(moments, 0)
		} else {
			moments = append(moments, (last/slot+1)*slot)
		}
	}
	return moments
}
