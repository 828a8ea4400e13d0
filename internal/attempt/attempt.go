// Package attempt counts wrong attempts at secrets and passwords, and says when there were too many.
//
// What it promises: memory is bounded, whatever comes. When too much is remembered, what is over is forgotten, and if that is not enough, all
// of it: a flood from that many addresses is no reason to run out of memory. Each node counts for itself.
//
// The package sees no clock but the one it is given.
package attempt

import (
	"net/netip"
	"sync"
	"time"
)

// Kept is how much is remembered.
const Kept = 1 << 16

// Rule is how many wrong ones there may be within a time from the first. Rules of different names count apart.
type Rule struct {
	Name   string
	Most   int
	Within time.Duration
}

// Counter counts attempts of whatever K tells apart.
type Counter[K comparable] struct {
	now func() time.Time

	mu     sync.Mutex
	counts map[counted[K]]count
}

type counted[K comparable] struct {
	rule string
	of   K
}

type count struct {
	wrong int
	until time.Time
}

// New makes a counter.
func New[K comparable](now func() time.Time) *Counter[K] {
	return &Counter[K]{now: now, counts: map[counted[K]]count{}}
}

// Over reports whether there were too many by a rule.
func (c *Counter[K]) Over(r Rule, of K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	got := c.counts[counted[K]{r.Name, of}]
	return got.wrong >= r.Most && c.now().Before(got.until)
}

// Add counts a wrong one.
func (c *Counter[K]) Add(r Rule, of K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := counted[K]{r.Name, of}
	got, known := c.counts[at]
	if !known && len(c.counts) >= Kept {
		c.forget()
	}
	if !known || !c.now().Before(got.until) {
		got = count{until: c.now().Add(r.Within)}
	}
	got.wrong++
	c.counts[at] = got
}

// forget makes room.
func (c *Counter[K]) forget() {
	now := c.now()
	for at, got := range c.counts {
		if !now.Before(got.until) {
			delete(c.counts, at)
		}
	}
	if len(c.counts) >= Kept {
		clear(c.counts)
	}
}

// Customer is who has an address: an IPv6 customer has a whole /64.
func Customer(address netip.Addr) netip.Prefix {
	address = address.Unmap()
	bits := 32
	if address.Is6() {
		bits = 64
	}
	prefix, _ := address.Prefix(bits) // the zero prefix for none
	return prefix
}
