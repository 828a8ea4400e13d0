package marketdata

import (
	"sort"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// TradesKept is how many trades of a market are kept.
const TradesKept = 2000

// Trade is a deal as the public sees it.
type Trade struct {
	ID     schema.DealID
	Time   schema.Time
	Price  fixed.Decimal
	Amount fixed.Decimal // in base
	Money  fixed.Decimal // in quote
	Side   schema.Side   // of the taker
	RPI    bool          // the maker was an RPI order
}

// Fields of a trade in the file.
func (t *Trade) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &t.ID)
	wire.Int(c, 2, "time", &t.Time)
	c.Decimal(3, "price", &t.Price)
	c.Decimal(4, "amount", &t.Amount)
	c.Decimal(5, "money", &t.Money)
	wire.Uint(c, 6, "side", &t.Side)
	c.Bool(7, "rpi", &t.RPI)
}

// last is the last trade, zero when there was none.
func (m *market) last() (t Trade) {
	if n := m.trades.len(); n > 0 {
		t = *m.trades.at(n - 1)
	}
	return t
}

// Last is the price of the last trade of a market, zero when there was none.
func (d *Data) Last(id schema.MarketID) fixed.Decimal {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.last().Price
}

// Trades are the newest trades of a market, newest first, at most limit; only those whose taker
// was on a side, or all when side is 0. They are looked for among the trades that are kept.
func (d *Data) Trades(id schema.MarketID, side schema.Side, limit int) []Trade {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.newest(0, side, limit)
}

// TradesAfter are the newest trades of a market with higher ids than after, newest first, at most
// limit.
func (d *Data) TradesAfter(id schema.MarketID, after schema.DealID, limit int) []Trade {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	first := sort.Search(m.trades.len(), func(i int) bool { return m.trades.at(i).ID > after })
	return m.newest(first, 0, limit)
}

// TradesUpTo are the newest trades of a market with ids up to last, newest first, at most limit.
func (d *Data) TradesUpTo(id schema.MarketID, last schema.DealID, limit int) []Trade {
	m := d.market(id)
	m.mu.RLock()
	defer m.mu.RUnlock()
	n := sort.Search(m.trades.len(), func(i int) bool { return m.trades.at(i).ID > last })
	list := make([]Trade, 0, min(n, max(limit, 0)))
	for i := n - 1; i >= 0 && len(list) < limit; i-- {
		list = append(list, *m.trades.at(i))
	}
	return list
}

// newest are the newest of the trades from the place first on.
func (m *market) newest(first int, side schema.Side, limit int) []Trade {
	n := m.trades.len()
	list := make([]Trade, 0, min(n-first, max(limit, 0)))
	for i := n - 1; i >= first && len(list) < limit; i-- {
		if t := m.trades.at(i); side == 0 || t.Side == side {
			list = append(list, *t)
		}
	}
	return list
}
