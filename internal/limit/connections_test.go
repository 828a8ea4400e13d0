package limit

import (
	"net/netip"
	"testing"
)

func TestConnectionsLeaveRoomForOthers(t *testing.T) {
	for _, greedy := range []int{1, 2, 3, 10} {
		c := NewConnections(1000, 1000)
		addr := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}) }
		got := map[int]int{}
		for more := true; more; {
			more = false
			for i := range greedy {
				if c.Enter(addr(i)) {
					got[i]++
					more = true
				}
			}
		}
		share := 1000 / (greedy + 1)
		for i := range greedy {
			if got[i] < share-greedy || got[i] > share+greedy {
				t.Errorf("%d greedy ones: one got %d places, want about %d", greedy, got[i], share)
			}
		}
		// Everyone else still gets in, one by one.
		for i := range 1000 - c.taken {
			if !c.Enter(netip.AddrFrom4([4]byte{192, 168, byte(i >> 8), byte(i)})) {
				t.Fatalf("%d greedy ones: newcomer %d was refused with %d of 1000 places taken", greedy, i, c.taken)
			}
		}
	}
}

func TestConnectionsCountByCustomer(t *testing.T) {
	c := NewConnections(100, 2)
	enters := func(text string, want bool) {
		t.Helper()
		if got := c.Enter(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	enters("2001:db8::1", true)
	enters("2001:db8::2", true)
	enters("2001:db8::ffff:3", false) // the same /64
	enters("2001:db8:0:1::1", true)
	enters("10.0.0.1", true)
	enters("::ffff:10.0.0.1", true)
	enters("10.0.0.1", false)
	c.Leave(netip.MustParseAddr("10.0.0.1"))
	enters("10.0.0.1", true)
	c.Take(netip.MustParseAddr("10.0.0.1"))
	c.Leave(netip.MustParseAddr("10.0.0.1"))
	enters("10.0.0.1", false)
	for _, text := range []string{"2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "10.0.0.1", "10.0.0.1"} {
		c.Leave(netip.MustParseAddr(text))
	}
	if c.taken != 0 || len(c.has) != 0 {
		t.Errorf("%d places are taken by %v after all left", c.taken, c.has)
	}
}
