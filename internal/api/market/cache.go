package market

import (
	"sync"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// caches are answers that many ask for. An answer is kept with a stamp of what it was made from;
// it is good as long as the stamp is the same. The stamp is read first and the answer made from
// what is there then, so an answer may be newer than its stamp, and never older.
type caches struct {
	markets, tickers, assets, fees     cache[listingStamp, api.Bytes]
	collateral, futures                cache[listingStamp, api.Bytes]
	firstMarkets, firstTickers, symbol cache[listingStamp, api.Bytes]
	books                              books
}

// listingStamp is what lists of markets and assets are made from.
type listingStamp struct {
	generation uint64
	batch      uint64
	period     schema.Time
}

// cache is one answer. Those who come while it is made wait for it.
type cache[S comparable, V any] struct {
	mu    sync.RWMutex
	made  bool
	stamp S
	value V
}

// get is the answer for a stamp, made again from the last one when that has another stamp. What
// was given out is not changed any more.
func (c *cache[S, V]) get(stamp S, renew func(last V) V) V {
	c.mu.RLock()
	value, good := c.value, c.made && c.stamp == stamp
	c.mu.RUnlock()
	if good {
		return value
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.made || c.stamp != stamp {
		c.value, c.stamp, c.made = renew(c.value), stamp, true
	}
	return c.value
}

// written renews an answer that is a text: it will be about as long as the last one.
func written(write func(dst []byte) []byte) func(api.Bytes) api.Bytes {
	return func(last api.Bytes) api.Bytes { return write(make([]byte, 0, len(last)+64)) }
}
