package naive

import "bourse/internal/schema"

// impactLevels is how many prices of a side of the book are looked at for a sample.
const impactLevels = 1000

// future is what is known of the price of a future.
type future struct {
	sampler
	settled  int // how many samples were of intervals that are over
	settling *settlement
	shown    schema.MarkChanged
}

func (p *prices) future(id schema.MarketID) *future {
	if p.futures[id] == nil {
		p.futures[id] = &future{shown: schema.MarkChanged{Market: id}}
	}
	return p.futures[id]
}

// mark is what a market with margin is priced at, zero before there was an index, and whether it is fresh. That of a pair is what the
// indices of its assets say.
func (p *prices) mark(id schema.MarketID) (mark num, fresh bool) {
	if m := p.trading.market(id); isPair(m.MarketInfo) {
		_, base := p.asset(m.Base)
		_, quote := p.asset(m.Quote)
		mark, _ = p.market(m)
		return mark, base && quote
	}
	shown := p.future(id).shown
	return of(shown.Mark), shown.Fresh
}

// sample fills the slot of a future if it is due. While the index is stale nothing is seen.
func (p *prices) sample(m *market) {
	f := p.future(m.ID)
	if !f.due(p.call.at) {
		return
	}
	seen := sample{}
	if index, fresh := p.futureIndex(m.MarketInfo); fresh {
		bids, asks := stakes(m, schema.Buy), stakes(m, schema.Sell)
		seen = sampleOf(bids, asks, of(m.ImpactNotional), index, of(m.MarkBand).over(hundred))
	}
	f.fill(p.call.at, seen)
}

// stakes are the best prices of a side of the public book.
func stakes(m *market, s schema.Side) (found []stake) {
	for _, l := range levels(m, s) {
		if len(found) < impactLevels {
			found = append(found, stake{of(l.Price), of(l.Amount)})
		}
	}
	return found
}

// remake makes the mark of a future and what is shown with it, and says so if anything of it is different. Only a
// tick ends an interval of funding, and none while the one before is being settled; until one does the interval goes
// on and its end stays. What ends after there was a mark is settled.
func (p *prices) remake(m *market, tick bool) {
	f := p.future(m.ID)
	index, fresh := p.futureIndex(m.MarketInfo)
	shown := f.shown
	if isTradFi(m.MarketInfo) {
		usd, _ := p.asset(m.Quote)
		shown.Money = usd.decimal()
	}
	shown.Index, shown.Fresh = index.decimal(), fresh
	mark := markPrice(index, f.basis(), of(m.MarkBand).over(hundred), m.MoneyPrec)
	if index.sign() > 0 && mark.sign() > 0 && !mark.more(highestPrice) {
		shown.Mark = mark.decimal()
	}
	over := shown.Settles != 0 && shown.Settles <= p.call.at
	interval := schema.Time(m.FundingMinutes) * minute
	if over && tick && f.settling == nil {
		if mark := of(shown.Mark); mark.sign() > 0 {
			f.settling = &settlement{rate: f.rate(m), mark: mark, at: shown.Settles, since: shown.Settles - interval}
		}
		f.settled = len(f.samples)
		over = false
	}
	if !over {
		shown.Settles = (p.call.at/interval + 1) * interval
	}
	shown.Rate = f.rate(m).decimal()
	if shown != f.shown {
		f.shown = shown
		p.call.record(&shown)
	}
}

// rate is that of the interval so far.
func (f *future) rate(m *market) num {
	return fundingRate(f.samples[f.settled:], fundingRules{
		intervalMinutes: int64(m.FundingMinutes), floor: of(m.FundingFloor), cap: of(m.FundingCap),
	})
}
