package position_test

import (
	"testing"

	"bourse/internal/core/position"
	"bourse/internal/fixed"
)

// stake is an account at leverage 100 with so much besides a position on the future.
func stake(rest string, tiers *position.Tiers) *position.Stake {
	return &position.Stake{Rest: num(rest), PriceRate: fixed.One, CostRate: fixed.One, Tiers: tiers, Leverage: 100, Scale: perp}
}

// TestLiquidationPrice: Bob has 975 USDT and a BTC bought at 50000. 975 + P - 50000 = 0.005 P at 49271.3567..
func TestLiquidationPrice(t *testing.T) {
	bracket := brackets(50_000, 0, 0)
	one := lots(t, "1")
	long, short := position.Position{Lots: one, Cost: num("50000")}, position.Position{Lots: -one, Cost: num("-50000")}
	for _, tt := range []struct {
		name     string
		position position.Position
		rest     string
		want     string
	}{
		{"Bob", long, "975", "49271.35"},
		// 975 - (P - 50000) = 250 + 0.03 (P - 50000): 725 / 1.03 above.
		{"a short over the bracket", short, "975", "50703.89"},
		// 200 - (P - 50000) = 0.005 P: 49950.248..
		{"a short within it", short, "200", "49950.25"},
		// T is exactly MM at 50000, which is safe.
		{"a long at the edge", long, "250", "49999.99"},
		{"a short at the edge", short, "250", "50000.01"},
		{"a long with more than it cost", long, "50000", ""},
		{"a long with almost that", long, "49999.99", "0.01"},
		{"a short that is unsafe at any price", short, "-50000", ""},
		{"a short that is safe at one price", short, "-49999.98", "0.02"},
		// -100000 + P - 50000 = 250 + 0.03 (P - 50000): 148750 / 0.97.
		{"a long that is unsafe here and safe far above", long, "-100000", "153350.51"},
	} {
		got, ok := tt.position.Liquidation(stake(tt.rest, &bracket))
		if tt.want == "" {
			if ok {
				t.Errorf("%s: %v, want none", tt.name, got)
			}
			continue
		}
		equal(t, tt.name, got, ok, tt.want)
	}

	beyond := position.Position{Lots: -1, Cost: fixed.Zero}
	if got, ok := beyond.Liquidation(stake("100000000000000", &bracket)); ok {
		t.Errorf("a short of one lot is liquidated at %v", got)
	}
	if got, ok := long.Liquidation(stake("-100000000000000000000", &bracket)); ok {
		t.Errorf("a long that owes everything is liquidated at %v", got)
	}
}

// TestLiquidationPriceInAnotherMoney: the same account when prices are in a money worth 2 USDT, and costs
// are in USDT (a future) or in that money (a pair).
func TestLiquidationPriceInAnotherMoney(t *testing.T) {
	bracket := brackets(50_000, 0, 0)
	one := lots(t, "1")
	at := stake("975", &bracket)
	at.PriceRate = num("2")
	got, ok := position.Position{Lots: one, Cost: num("50000")}.Liquidation(at)
	equal(t, "a future", got, ok, "24635.67") // 49271.3567.. / 2
	at.CostRate = num("2")
	got, ok = position.Position{Lots: one, Cost: num("25000")}.Liquidation(at)
	equal(t, "a pair", got, ok, "24635.67")
}
