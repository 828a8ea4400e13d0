package accounts

import (
	"testing"

	"bourse/internal/schema"
)

// noon is a time of day, and the nonce of that moment.
const (
	noon      = 1_800_000_000 * schema.Second
	noonNonce = 1_800_000_000_000
)

// copied is made of what another one says was used.
func copied(n *Nonces) *Nonces {
	other := &Nonces{}
	for number, window := range n.Used() {
		other.Remember(number, window)
	}
	return other
}

func TestWhatIsRememberedIsRefused(t *testing.T) {
	var n Nonces
	use := func(number uint64, window bool, at schema.Time) {
		t.Helper()
		if got := n.Use(number, window, at); got != schema.OK {
			t.Fatalf("%d: %v", number, got)
		}
	}
	use(noonNonce-3000, false, noon)
	use(noonNonce+4000, true, noon)
	use(noonNonce-2000, true, noon)
	for _, later := range []schema.Time{0, 3 * schema.Second, 20 * schema.Second} {
		n.Expire(noon + later)
		if !n.valid() {
			t.Fatalf("after %v: %+v", later, n)
		}
		for _, number := range []uint64{noonNonce - 3000, noonNonce - 2000, noonNonce + 4000} {
			c := copied(&n)
			at := schema.Time(number) * 1000 // when the number is in the middle of the window
			if c.Use(number, true, at) == schema.OK || c.Use(number, false, at) == schema.OK {
				t.Errorf("after %v: %d was used twice", later, number)
			}
			if !c.valid() {
				t.Errorf("after %v: %+v", later, c)
			}
		}
		c := copied(&n)
		if got := c.Use(noonNonce+4001, false, noon); got != schema.OK {
			t.Errorf("after %v: a new one was refused for %v", later, got)
		}
	}
}

func TestUsedStopsWhenAsked(t *testing.T) {
	n := Nonces{ordinary: 1, highest: 4, recent: []nonce{2, 3}}
	for stop := 1; stop <= 4; stop++ {
		seen := 0
		for range n.Used() {
			if seen++; seen == stop {
				break
			}
		}
		if seen != stop {
			t.Errorf("saw %d, want %d", seen, stop)
		}
	}
}
