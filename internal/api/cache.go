package api

import (
	"sync"

	"bourse/internal/schema"
)

// caches are answers that many ask for. An answer is kept with a stamp of what it was made from;
// it is good as long as the stamp is the same.
type caches struct {
	markets, tickers, assets, fees     cache[listingStamp]
	firstMarkets, firstTickers, symbol cache[listingStamp]
	books                              sync.Map // of bookKey to *cache[bookStamp]
}

// listingStamp is what lists of markets and assets are made from.
type listingStamp struct {
	generation uint64
	batch      uint64
	period     schema.Time
}

// cache is one answer. Those who come while it is made wait for it.
type cache[S comparable] struct {
	mu    sync.RWMutex
	stamp S
	body  []byte
}

// get is the answer for a stamp, made anew when the one at hand has another.
func (c *cache[S]) get(stamp S, write func(dst []byte) []byte) Answer {
	c.mu.RLock()
	body, known := c.body, c.stamp
	c.mu.RUnlock()
	if body != nil && known == stamp {
		return Bytes(body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body == nil || c.stamp != stamp {
		c.body, c.stamp = write(make([]byte, 0, len(c.body)+64)), stamp
	}
	return Bytes(c.body)
}
