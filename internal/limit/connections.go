package limit

import (
	"net/netip"
	"sync"
)

// Connections gives places to addresses: so many in all, and so many to each. An address gets one more only
// while there are more free places than it has already. So one that takes all it can get leaves as
// many as it has, and of k that do so each ends up with a share of 1/(k+1) and the same is left: an
// address that has none gets a place while there is any. Its memory is bounded by the places.
type Connections struct {
	most, each int

	mu    sync.Mutex
	taken int
	has   map[visitor]int
}

// visitor is who is counted: see customer.
type visitor struct {
	prefix uint64
	kind   kind
}

func visitorAt(addr netip.Addr) visitor {
	prefix, kind := customer(addr)
	return visitor{prefix, kind}
}

// NewConnections makes room for so many connections, and so many for each address.
func NewConnections(most, each int) *Connections {
	return &Connections{most: most, each: each, has: map[visitor]int{}}
}

// Enter gives a place to an address, if it may have one more.
func (c *Connections) Enter(addr netip.Addr) bool {
	v := visitorAt(addr)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.has[v]; n >= c.each || n >= c.most-c.taken {
		return false
	}
	c.take(v)
	return true
}

// Take gives a place to an address that has as many as it likes.
func (c *Connections) Take(addr netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(visitorAt(addr))
}

func (c *Connections) take(v visitor) {
	c.has[v]++
	c.taken++
}

// Leave takes back a place that Enter or Take gave.
func (c *Connections) Leave(addr netip.Addr) {
	v := visitorAt(addr)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken--
	if c.has[v]--; c.has[v] == 0 {
		delete(c.has, v)
	}
}
