package web

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"bourse/internal/api"
	"bourse/internal/attempt"
)

// How many passwords may wait to be tried, and how many of the places are for devices that signed in before.
const (
	waitingMost = 16
	waitingKept = 4
)

// Those who find no place wait for one, but not for long, and so many at most. A flood of clients that ask again when they were
// turned away is slowed down by that, and people find a place more often.
const (
	patience  = 2 * time.Second
	lobbyMost = 1_000
)

// pace is how long after a stranger's password that of the next may be tried: five a second are enough for people who have a new device, and
// leave a flood too little of the machine for orders to notice.
const pace = 200 * time.Millisecond

// errCrowded is for those who find no place.
var errCrowded = &api.Error{Status: http.StatusServiceUnavailable, Message: "Too many people sign in at once. Please try again in a few seconds."}

// errUnhashed is for those whose password cannot be tried now.
var errUnhashed = &api.Error{Status: http.StatusServiceUnavailable, Message: "Passwords cannot be checked right now. Please try again in a few seconds."}

// cannotHash says why to the operator, and that it is so to who waits for it.
func (s *Server) cannotHash(err error) error {
	s.options.Log.Error("a password could not be checked", "error", err)
	return errUnhashed
}

// hasher tries passwords one at a time: each takes a core for a tenth of a second, and 19 MiB. An address has one place, so that a flood
// from a few leaves room for others.
type hasher struct {
	places    chan struct{} // one for each password that waits or is tried
	strangers chan struct{} // and one for each of those whose device is not known
	paced     chan struct{} // holds one from the turn of a stranger until the next may have theirs
	turn      chan struct{} // holds one while a password is tried

	mu   sync.Mutex
	here map[netip.Prefix]bool // who has a place, or waits for one
}

func newHasher() *hasher {
	return &hasher{
		places: make(chan struct{}, waitingMost), strangers: make(chan struct{}, waitingMost-waitingKept),
		paced: make(chan struct{}, 1), turn: make(chan struct{}, 1), here: map[netip.Prefix]bool{},
	}
}

// enter waits for the turn of an address. Who entered leaves.
func (h *hasher) enter(address netip.Addr, known bool) (leave func(), err error) {
	at := attempt.Customer(address)
	h.mu.Lock()
	full := h.here[at] || len(h.here) == lobbyMost
	if !full {
		h.here[at] = true
	}
	h.mu.Unlock()
	if full {
		return nil, errCrowded
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	lines := []chan struct{}{h.strangers, h.places}
	if known {
		lines = lines[1:]
	}
	for i, line := range lines {
		select {
		case line <- struct{}{}:
		case <-late.C:
			h.leave(at, lines[:i])
			return nil, errCrowded
		}
	}
	if !known {
		h.paced <- struct{}{}
		time.AfterFunc(pace, func() { <-h.paced })
	}
	h.turn <- struct{}{}
	return func() {
		<-h.turn
		h.leave(at, lines)
	}, nil
}

func (h *hasher) leave(at netip.Prefix, lines []chan struct{}) {
	for _, line := range lines {
		<-line
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.here, at)
}
