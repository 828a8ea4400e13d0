package web

import (
	"net/http"
	"net/netip"
	"sync"

	"bourse/internal/api"
	"bourse/internal/attempt"
)

// How many passwords may wait to be tried, and how many of the places are for devices that signed in before.
const (
	waitingMost = 16
	waitingKept = 4
)

// errCrowded is for those who find no place.
var errCrowded = &api.Error{Status: http.StatusServiceUnavailable, Message: "Too many people sign in at once. Please try again in a few seconds."}

// hasher tries passwords one at a time: each takes a core for a tenth of a second, and the exchange needs its cores for orders. An address
// has one place, so that a flood from a few leaves room for others.
type hasher struct {
	turn chan struct{} // holds one while a password is tried

	mu        sync.Mutex
	waiting   int
	strangers int // of those that wait or are tried, the ones whose device is not known
	here      map[netip.Prefix]bool
}

func newHasher() *hasher {
	return &hasher{turn: make(chan struct{}, 1), here: map[netip.Prefix]bool{}}
}

// enter waits for the turn of an address. Who entered leaves.
func (h *hasher) enter(address netip.Addr, known bool) (leave func(), err error) {
	at := attempt.Customer(address)
	h.mu.Lock()
	if h.here[at] || h.waiting >= waitingMost || !known && h.strangers >= waitingMost-waitingKept {
		h.mu.Unlock()
		return nil, errCrowded
	}
	h.here[at] = true
	h.waiting++
	if !known {
		h.strangers++
	}
	h.mu.Unlock()
	h.turn <- struct{}{}
	return func() {
		<-h.turn
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.here, at)
		h.waiting--
		if !known {
			h.strangers--
		}
	}, nil
}
