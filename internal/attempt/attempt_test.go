package attempt

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

func TestAttemptsAreForgottenWhenTheirTimeIsOver(t *testing.T) {
	now := time.Unix(1000, 0)
	c := New[string](func() time.Time { return now })
	r := Rule{"r", 2, time.Minute}
	c.Add(r, "d")
	if c.Over(r, "d") {
		t.Error("one is too many")
	}
	now = now.Add(time.Minute - 1)
	c.Add(r, "d")
	if !c.Over(r, "d") || c.Over(Rule{"other", 2, time.Minute}, "d") || c.Over(r, "e") {
		t.Error("two are not counted where they belong")
	}
	now = now.Add(1) // a minute after the first
	if c.Over(r, "d") {
		t.Error("they count for ever")
	}
	c.Add(r, "d")
	if c.Over(r, "d") {
		t.Error("the count did not begin again")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	c := New[string](func() time.Time { return now })
	short, long := Rule{"short", 1, time.Second}, Rule{"long", 1, time.Hour}
	c.Add(long, "kept")
	for i := range Kept - 1 {
		c.Add(short, fmt.Sprint(i))
	}
	now = now.Add(time.Second)
	c.Add(long, "another")
	if len(c.counts) != 2 || !c.Over(long, "kept") { // what was over made room
		t.Errorf("%d are kept", len(c.counts))
	}
	for i := range 2 * Kept {
		c.Add(long, fmt.Sprint(i))
	}
	if len(c.counts) > Kept {
		t.Errorf("%d are kept", len(c.counts))
	}
}

func TestCustomers(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1/32", "::ffff:192.0.2.1": "192.0.2.1/32", "2001:db8:1:2:3::4": "2001:db8:1:2::/64", "::1": "::/64",
	} {
		if got := Customer(netip.MustParseAddr(text)); got.String() != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
