package marketdata

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"bourse/internal/disk"
	"bourse/internal/schema"
)

// seedName is the file that a seed is written to, beside the other one. It has the same form, as of
// a place before the first batch of the log.
const seedName = "marketdata.seed"

// Seed is a made-up past of an exchange that has none: candles, then single trades up to the moment
// at which it begins. Only public market data ever show it; no order, balance, deal or history does.
//
// Models that are made from the log begin with the seed of their directory, and so it is there again
// however often the other file is lost. The zero value is an empty seed.
type Seed struct{ data Data }

// Candle adds a candle of an interval to a market, and to the longer ones that such candles fill.
// Candles come in the order of time, and before all trades.
func (s *Seed) Candle(id schema.MarketID, of Interval, k *Candle) {
	m := s.data.open(id)
	for i := of; i <= Month1; i++ {
		if i.Length()%of.Length() == 0 {
			m.of(i).join(i, k)
		}
	}
}

// Trade adds a trade to a market. Trades come in the order of time. Their number is 0: they are no
// deals, and the first deal of an exchange has number 1.
func (s *Seed) Trade(id schema.MarketID, t Trade) {
	t.ID = 0
	s.data.open(id).trade(&t)
}

// Write writes the file into the data directory of an exchange that nothing follows yet.
func (s *Seed) Write(dir string) error {
	return disk.Replace(filepath.Join(dir, seedName), s.data.encode(0))
}

// Seeded reports whether there is a seed in a data directory.
func Seeded(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, seedName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// loadSeed begins with the seed. One that cannot be read costs a demo its past, and nobody else has
// one.
func (d *Data) loadSeed() {
	path := filepath.Join(filepath.Dir(d.path), seedName)
	data, err := os.ReadFile(path)
	if err == nil {
		err = d.restore(data, 0)
	}
	switch {
	case err == nil:
		d.options.Log.Info("the market data begin with a synthetic past", "file", path)
	case !errors.Is(err, fs.ErrNotExist):
		d.options.Log.Warn("the synthetic past of the market data is passed over", "file", path, "problem", err)
		d.markets.Store(nil)
	}
}

// join lets a shorter candle into the last one, or into a new one.
func (s *series) join(i Interval, k *Candle) {
	if k.Start < s.end {
		s.live.add(k)
		return
	}
	if s.end != 0 {
		s.closed.push(&s.live, CandlesKept-1)
	}
	s.live = *k
	s.live.Start = i.Start(k.Start)
	s.end = i.Next(s.live.Start)
}
