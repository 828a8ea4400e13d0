package web

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
)

// One password is tried at a time; 16 have a place, four of them for devices that are known, and an address has one.
func TestPlacesForPasswords(t *testing.T) {
	h := newHasher()
	at := func(n int) netip.Addr { return netip.MustParseAddr(fmt.Sprintf("192.0.2.%d", n)) }
	first, err := h.enter(at(0), false)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	turns := make(chan int, 20)
	wait := func(n int, known bool) {
		entered := make(chan struct{})
		all.Go(func() {
			h.mu.Lock()
			before := h.waiting
			h.mu.Unlock()
			go func() {
				for {
					h.mu.Lock()
					now := h.waiting
					h.mu.Unlock()
					if now > before {
						close(entered)
						return
					}
				}
			}()
			leave, err := h.enter(at(n), known)
			if err != nil {
				t.Error(n, err)
				return
			}
			turns <- n
			leave()
		})
		<-entered
	}
	for n := 1; n < 12; n++ {
		wait(n, false)
	}
	if _, err := h.enter(at(50), false); err != errCrowded {
		t.Errorf("a thirteenth stranger: %v", err)
	}
	if _, err := h.enter(at(3), true); err != errCrowded {
		t.Errorf("an address that has a place: %v", err)
	}
	for n := 12; n < 16; n++ {
		wait(n, true)
	}
	if _, err := h.enter(at(51), true); err != errCrowded {
		t.Errorf("a seventeenth: %v", err)
	}
	if len(turns) != 0 {
		t.Error("two passwords are tried at once")
	}
	first()
	all.Wait()
	if len(turns) != 15 || h.waiting != 0 || h.strangers != 0 || len(h.here) != 0 {
		t.Errorf("%d had their turn; %d wait", len(turns), h.waiting)
	}
}
