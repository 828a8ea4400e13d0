package marketdata

import (
	"sync"

	"bourse/internal/schema"
)

// market is the models of one market.
type market struct {
	id schema.MarketID

	// What follows belongs to the goroutine that follows the exchange: what the batch being applied
	// holds for this market. It is gathered first, so that readers are locked out once per batch and
	// see whole batches only.
	pending bool
	deals   []pendingDeal
	levels  []pendingLevel
	marked  *schema.MarkChanged // the last; nil: none

	mu      sync.RWMutex // guards what follows
	seq     uint64       // the last batch that changed the market
	book    book
	trades  ring[Trade]
	candles [Month1]series // by Interval, from 1s
	prices  schema.MarkChanged
}

// Prices are the last prices of a future. They are zero for other markets.
func (d *Data) Prices(id schema.MarketID) schema.MarkChanged {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.prices
}

type pendingDeal struct {
	at   schema.Time
	deal *schema.Deal
}

type pendingLevel struct {
	at    schema.Time
	level *schema.LevelChanged
}

// settle applies what was gathered. The events are the exchange's: nothing of them is kept.
func (m *market) settle(seq uint64) {
	m.apply(seq)
	clear(m.deals)
	clear(m.levels)
	m.deals, m.levels, m.marked, m.pending = m.deals[:0], m.levels[:0], nil, false
}

func (m *market) apply(seq uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	// The file may hold a later state of a market than of the whole; see save.
	if seq <= m.seq {
		return
	}
	m.seq = seq
	for _, p := range m.deals {
		m.deal(p.at, p.deal)
	}
	for _, p := range m.levels {
		m.book.set(p.level.Side, p.level.Price, p.level.Amount)
	}
	if n := len(m.levels); n > 0 {
		m.book.commit(m.levels[n-1].at)
	}
	if m.marked != nil {
		m.prices = *m.marked
	}
}

// deal lets a deal into the trades and into the candles of every interval.
func (m *market) deal(at schema.Time, e *schema.Deal) {
	m.trade(&Trade{ID: e.ID, Time: at, Price: e.Price, Amount: e.Amount, Money: e.Money, Side: e.TakerSide, RPI: e.RPI})
}

func (m *market) trade(t *Trade) {
	m.trades.push(t, TradesKept)
	for i := range m.candles {
		m.candles[i].add(Interval(i+1), t)
	}
}
