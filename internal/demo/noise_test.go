package demo

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
)

// TestNoiseFits: the market takes every order of the noise, and each reaches the makers' best
// quotes.
func TestNoiseFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMarket(t)
		side := rapid.SampledFrom([]string{buy, sell}).Draw(t, "side")
		path, f := m.order(side, rapid.Int64Range(1, biteMax).Draw(t, "units"), rapid.IntRange(0, 2).Draw(t, "form"))
		number := func(name string) fixed.Decimal { return fixed.MustParse(f[name].(string)) }
		best := map[string]int64{}
		for _, l := range ladder(m.mid.Load(), m.gap, m.grid) {
			if _, seen := best[l.side]; !seen {
				best[l.side] = l.ticks
			}
		}
		ask, bid := m.price(best[sell]), m.price(best[buy])
		switch {
		case path == "/api/v4/order/new" && !m.future || path == "/api/v4/order/collateral/limit" && m.future:
			m.takes(t, number("price"), number("amount"))
			if f["ioc"] != true {
				t.Fatal("it would rest")
			}
			if side == buy && number("price").Cmp(ask) < 0 || side == sell && number("price").Cmp(bid) > 0 && best[buy] > 0 {
				t.Fatalf("a %s at %s between %s and %s", side, number("price"), bid, ask)
			}
		case path == "/api/v4/order/market" && side == buy: // its amount is money
			money := number("amount")
			affords, _ := fixed.Div(money, ask, fixed.Places, fixed.Down)
			if money.Decimals() > m.moneyPrec || money.Cmp(m.minTotal) < 0 || affords.Cmp(m.step) < 0 {
				t.Fatalf("%s buys %s at %s", money, affords, ask)
			}
		case strings.Contains(path, "collateral") != m.future:
			t.Fatalf("%s, of a future: %v", path, m.future)
		default: // an order at the market has no least total
			if amount := number("amount"); !amount.MultipleOf(m.step) || amount.Sign() <= 0 || amount.Cmp(m.minAmount) < 0 {
				t.Fatalf("an amount of %s with steps of %s and at least %s", amount, m.step, m.minAmount)
			}
		}
	})
}

// TestLeaning: the more it has, the less it buys, so that nothing runs out.
func TestLeaning(t *testing.T) {
	for have, want := range map[string]int64{
		"200": 500, "210": 250, "190": 750, "220": 0, "180": 1000, "0": 1000, "100000": 0, "200.01": 500, "201": 475,
	} {
		if got := leaning(dec("200"), dec(have)); got != want {
			t.Errorf("with %s of 200 it leans %d, not %d", have, got, want)
		}
	}
	if got := leaning(fixed.Zero, dec("5")); got != 500 {
		t.Errorf("who began with nothing leans %d", got)
	}
}

// TestInventoryStaysNearItsStart plays a month of trades of one noise trader.
func TestInventoryStaysNearItsStart(t *testing.T) {
	chance, start := seeded(11), dec("200")
	have, unit := start, dec("0.005")
	low, high := have, have
	for range 30 * 24 * 3600 {
		bite := times(unit, 1+chance.Int64N(biteMax))
		if chance.Int64N(1000) < leaning(start, have) {
			have = have.Add(bite)
		} else {
			have = have.Sub(bite)
		}
		low = fixed.MinOf(low, have)
		if have.Cmp(high) > 0 {
			high = have
		}
	}
	if low.Cmp(dec("185")) < 0 || high.Cmp(dec("215")) > 0 {
		t.Errorf("it had between %s and %s", low, high)
	}
}
