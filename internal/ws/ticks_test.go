package ws

import (
	"bytes"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// emptyView is an exchange on which nothing happened, at a moment that a test sets.
func emptyView(now *schema.Time) outlook {
	return outlook{data: new(marketdata.Data), now: func() schema.Time { return *now }}
}

// unread is a connection whose client reads nothing: what is queued stays.
func unread() *conn { return &conn{server: &Server{}, turn: writing} }

// took takes what is queued.
func (c *conn) took() [][]byte {
	list := c.queue
	c.queue, c.queued = nil, 0
	return list
}

func counter() prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: "pushes"})
}

// TestClientsThatAreBehindAreLeftOut: and what all others get is one frame, encoded once.
func TestClientsThatAreBehindAreLeftOut(t *testing.T) {
	now := 1_790_000_070 * schema.Second
	v := emptyView(&now)
	pushes := counter()
	charts, prices, day, premium := newCandles(v, pushes), newPrices(v, pushes), newStats(dayChannel, v.day, pushes), newPremium(func(b []byte, _ futures) []byte { return append(b, `[]`...) }, pushes)
	minutes, _ := marketdata.NewPeriod(60)
	quick, other, slow := unread(), unread(), unread()
	all := []*conn{quick, other, slow}
	market := listed{7, "BTC_USDT"}
	for _, c := range all {
		charts.replace(c, []chart{{market, minutes}}, charts.first)()
		prices.replace(c, []listed{market}, func(listed, *conn) fixed.Decimal { return fixed.FromInt(5) })()
		day.replace(c, []listed{market}, func(listed, *conn) struct{} { return struct{}{} })()
		premium.replace(c, []futures{{}}, func(futures, *conn) struct{} { return struct{}{} })()
		if got := c.took(); len(got) != 1 || !bytes.Contains(got[0], []byte(`"params":[[1790000040,"0","0","0","0","0","0","BTC_USDT"]]`)) {
			t.Fatalf("first: %q", got)
		}
	}
	tick := func() {
		charts.tick()
		prices.tick()
		day.tick()
		premium.tick()
	}
	slow.queued = fallsBehind + 1
	now += 60 * schema.Second
	tick()
	if got := slow.took(); len(got) != 0 {
		t.Errorf("who is behind got %q", got)
	}
	got, same := quick.took(), other.took()
	if len(got) != 4 || len(same) != 4 {
		t.Fatalf("%q and %q", got, same)
	}
	for i := range got {
		if &got[i][0] != &same[i][0] {
			t.Errorf("%q was encoded twice", got[i])
		}
	}
	// The price is old news for those who got it, and new for the one who did not.
	tick()
	if got := quick.took(); len(got) != 3 {
		t.Errorf("nothing changed: %q", got)
	}
	got = slow.took()
	if len(got) != 4 || !bytes.Contains(got[0], []byte(`[[1790000100,`)) || !bytes.Contains(got[1], []byte(`["BTC_USDT","0"]`)) {
		t.Errorf("who is not behind any more got %q", got)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(pushes)
	counted, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if n := counted[0].GetMetric()[0].GetCounter().GetValue(); n != 3+8+3+3+4 {
		t.Errorf("%v pushes were counted", n)
	}
	for _, c := range all {
		c.took()
		for _, ch := range []leaver{charts, prices, day, premium} {
			ch.leave(c)
		}
	}
	tick()
	for _, c := range all {
		if got := c.took(); len(got) != 0 {
			t.Errorf("who is gone got %q", got)
		}
	}
	if n := len(charts.of) + len(charts.conns) + len(prices.of) + len(prices.conns) + len(day.of) + len(day.conns) + len(premium.of) + len(premium.conns); n != 0 {
		t.Errorf("%d are kept of those who are gone", n)
	}
}
