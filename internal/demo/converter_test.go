package demo

import (
	"slices"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestTheConverterConverts by a quote and in one step, and waits where it is refused.
func TestTheConverterConverts(t *testing.T) {
	h := enter(t, t.TempDir())
	c := &converter{newClient(h.gate, h.world.converters[0]), seeded(1)}
	past := func() (paths []string) {
		var page struct {
			Records []struct {
				Give, Receive decimal
				Path          []struct{ From, To string }
			}
		}
		h.ask(c.client, "/api/v4/convert/history", nil, &page)
		for _, r := range page.Records {
			path := r.Path[0].From
			for _, hop := range r.Path {
				path += " " + hop.To
			}
			if r.Give.IsZero() || r.Receive.IsZero() {
				t.Errorf("%s gave %s for %s", path, r.Receive, r.Give)
			}
			paths = append(paths, path)
		}
		return paths
	}
	act := func(give exchanged, to string, atOnce bool) {
		t.Helper()
		if err := c.act(t.Context(), give, to, atOnce); err != nil {
			t.Fatal(err)
		}
	}
	act(pieces[0], "BTC", true) // there are no prices yet
	if list := past(); len(list) != 0 {
		t.Fatalf("it converted %q", list)
	}
	var market schema.MarketID
	h.Node.Read(func(m core.View) { market = m.Listing().MarketByName("BTC_USDT").ID })
	h.command(&schema.SetIndex{Market: market, Price: fixed.FromInt(100_000), Source: 1})
	maker := newClient(h.gate, h.world.makers[0])
	for side, price := range map[string]string{"buy": "99990", "sell": "100010"} {
		var placed struct{}
		h.ask(maker, "/api/v4/order/new", fields{"market": "BTC_USDT", "side": side, "amount": "1", "price": price}, &placed)
	}
	act(pieces[0], "BTC", true)
	act(pieces[1], "USDT", false)
	if list := past(); !slices.Equal(list, []string{"BTC USDT", "USDT BTC"}) {
		t.Errorf("it converted %q", list)
	}
	h.command(&schema.SetConversion{OpenMost: fixed.One, DayMost: fixed.One, LossMost: fixed.One})
	act(pieces[0], "BTC", false)
	act(pieces[0], "BTC", true)
	if list := past(); len(list) != 2 {
		t.Errorf("it converted %q", list)
	}
}
