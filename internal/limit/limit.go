// Package limit counts the requests of an address and refuses those above a limit.
//
// Windows are fixed: they begin at the multiples of their length since 1970, and with each the
// count begins again. A request is held against several rules at once, such as that of its scope
// and that of its endpoint. It is allowed when all of them allow it, and a request that is
// refused uses up nothing: a caller above the limit of one endpoint still has the whole of the
// others.
//
// What it promises: memory is taken once, at New and Rule, whatever comes later. Counters that
// were idle for a whole window are taken over by new addresses. When there are none, new
// addresses share counters and are limited together; an address that has a counter of its own
// and comes in every window keeps it. So a flood from a million addresses limits itself and
// not those who were there before.
//
// An address is an IPv4 address or the upper half of an IPv6 address: a customer has a whole /64
// and could come from another address of it each time.
//
// The package sees no clock; callers say what time it is.
package limit

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"
)

const (
	shards = 64
	// MaxRules is how many rules one request may be held against.
	MaxRules = 8
	// countersPerAddress is how many rules the usual address meets within two windows.
	countersPerAddress = 4
	// probes is how far from its place a counter may be. With half of the slots in use one in
	// a hundred thousand does not find a place; with all of them nobody waits for long.
	probes = 64
	// shared is the number of counters of one rule in one shard for those that found no place.
	shared = 8
)

// Rule is one limit: at most Count requests per Window and address.
type Rule struct {
	Count  int
	Window time.Duration
	id     uint16 // from 1
}

// Limiter counts.
type Limiter struct {
	// seeds keep it from clients which addresses share a place.
	seeds  [4]uint64
	rules  int
	shards [shards]shard
}

type shard struct {
	mu     sync.Mutex
	slots  []slot
	shared []counter      // of all rules, by their ids
	_      [128 - 56]byte // to each shard its own cache lines
}

// counter counts within one window.
type counter struct {
	// until is when the counter may be forgotten, in nanoseconds since 1970: one window after
	// the end of the one that it counts. So it is there for those who come in every window.
	until int64
	count uint32
	rule  uint16
	kind  kind
}

// slot is a counter of one address.
type slot struct {
	counter
	prefix uint64
}

type kind uint8

const (
	never kind = iota // the slot was never used
	ipv4
	ipv6
	none // the request has no address: all of those are one
)

// New makes a limiter that has room for so many addresses, each of which is met by a few rules.
func New(maxAddresses int) *Limiter {
	l := &Limiter{}
	for i := range l.seeds {
		l.seeds[i] = rand.Uint64()
	}
	// Twice what is needed, so that places are found, and a power of two, so that they are found
	// without a division.
	each := max(2*countersPerAddress*maxAddresses/shards, probes)
	size := 1 << bits.Len(uint(each-1))
	for i := range l.shards {
		l.shards[i].slots = make([]slot, size)
	}
	return l
}

// Rule adds a rule. All rules are added before the first request comes.
func (l *Limiter) Rule(count int, window time.Duration) *Rule {
	if window <= 0 || l.rules == math.MaxUint16 {
		panic("limit: a rule has a window that is longer than nothing, and there are at most 65535 of them")
	}
	l.rules++
	for i := range l.shards {
		s := &l.shards[i]
		s.shared = append(s.shared, make([]counter, shared)...)
	}
	return &Rule{Count: count, Window: window, id: uint16(l.rules)}
}

// Allow counts a request from an address, if each of the rules has room for it. The rules must
// differ, be of this limiter and not be more than MaxRules.
func (l *Limiter) Allow(addr netip.Addr, now time.Time, rules []*Rule) bool {
	prefix, kind := customer(addr)
	hash := mix(prefix^l.seeds[0], uint64(kind)^l.seeds[1])
	at := now.UnixNano()
	s := &l.shards[hash%shards]

	var counters [MaxRules]*counter
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range rules {
		c := s.counter(r, prefix, kind, mix(hash^l.seeds[2], uint64(r.id)^l.seeds[3]), at)
		c.turn(at, int64(r.Window))
		if int(c.count) >= r.Count {
			return false
		}
		counters[i] = c
	}
	for _, c := range counters[:len(rules)] {
		c.count++
	}
	return true
}

// counter is the counter of an address and a rule, or one that it shares with others.
func (s *shard) counter(r *Rule, prefix uint64, kind kind, hash uint64, at int64) *counter {
	mask := uint64(len(s.slots) - 1)
	var free *slot
	for i := range uint64(probes) {
		c := &s.slots[(hash+i)&mask]
		if c.prefix == prefix && c.rule == r.id && c.kind == kind {
			return &c.counter
		}
		if free == nil && c.until <= at {
			free = c
		}
		if c.kind == never {
			break // a search from here on would have taken this one
		}
	}
	if free == nil {
		return &s.shared[(uint64(r.id)-1)*shared+hash>>32%shared]
	}
	*free = slot{counter{rule: r.id, kind: kind}, prefix}
	return &free.counter
}

// turn begins to count again if the window is another one.
func (c *counter) turn(at, window int64) {
	until := at - at%window + 2*window
	// Requests at the border of a window may come in another order than that of their times: the
	// few that are late count for the new window. A counter that is further ahead is from before
	// the clock was put back.
	if ahead := c.until - until; ahead != 0 && ahead != window {
		c.until, c.count = until, 0
	}
}

// customer is what of an address tells customers apart.
func customer(addr netip.Addr) (uint64, kind) {
	switch {
	case addr.Is4(), addr.Is4In6():
		four := addr.As4()
		return uint64(binary.BigEndian.Uint32(four[:])), ipv4
	case addr.Is6():
		sixteen := addr.As16()
		return binary.BigEndian.Uint64(sixteen[:]), ipv6
	}
	return 0, none
}

// mix makes one number of two, from which neither can be guessed while one is a secret.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
