package position_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/position"
	"bourse/internal/fixed"
)

var (
	maxRat = rat(fixed.Max)
	minRat = rat(fixed.Min)
)

func inRange(r *big.Rat) bool { return r.Cmp(minRat) >= 0 && r.Cmp(maxRat) <= 0 }

// same fails when a number is not a fraction that fits, or when one is given where none fits.
func same(t *rapid.T, what string, got fixed.Decimal, ok bool, want *big.Rat) {
	t.Helper()
	switch fits := inRange(want); {
	case ok != fits:
		t.Fatalf("%s = %v, %v; want %s", what, got, ok, want.FloatString(20))
	case ok && rat(got).Cmp(want) != 0:
		t.Fatalf("%s = %v, want %s", what, got, want.FloatString(20))
	case !ok && !got.IsZero():
		t.Fatalf("%s is refused with %v", what, got)
	}
}

// TestLifeOfAPosition: whatever is bought and sold, what was realized and what the open lots cost is exactly
// what came in less what went out, nothing realized is higher than its exact value, and the parts of
// every deal make up the deal.
func TestLifeOfAPosition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scales().Draw(t, "scale")
		var p position.Position
		sum, realized := new(big.Rat), new(big.Rat) // received less paid; realized
		inLots := int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "deals") {
			d := position.Deal{
				Lots:  rapid.Int64Range(-1000, 1000).Filter(func(n int64) bool { return n != 0 }).Draw(t, "lots"),
				Money: fixed.FromUnits(rapid.Int64Range(0, 1_000_000).Draw(t, "money"), int(s.Quote)),
				Fee:   fixed.FromUnits(rapid.Int64Range(-1000, 1000).Draw(t, "fee"), int(s.Fee)),
			}
			if rapid.IntRange(0, 4).Draw(t, "close") == 0 && p.Lots != 0 {
				d.Lots = -p.Lots
			}
			after, c, ok := p.Fill(d, s)
			if !ok || !after.Valid() {
				t.Fatalf("%+v after %+v is %+v, %v", p, d, after, ok)
			}
			inLots += d.Lots
			moved := rat(d.Money)
			if d.Lots > 0 {
				moved = moved.Neg(moved)
			}
			sum, realized = add(sum, moved), add(realized, rat(c.Realized))
			if after.Lots != inLots {
				t.Fatalf("%d lots, want %d", after.Lots, inLots)
			}
			if add(sum, rat(after.Cost)).Cmp(realized) != 0 {
				t.Fatalf("received %v and open for %v, but realized %v", sum, after.Cost, realized)
			}
			checkParts(t, p, after, d, c, s)
			p = after
		}
	})
}

func checkParts(t *rapid.T, before, after position.Position, d position.Deal, c position.Change, s position.Scale) {
	t.Helper()
	size := max(d.Lots, -d.Lots)
	closed := int64(0)
	if before.Lots > 0 != (d.Lots > 0) {
		closed = min(size, max(before.Lots, -before.Lots))
	}
	if c.Closed.Lots != closed || c.Opened.Lots != size-closed {
		t.Fatalf("%+v of %+v closes %d and opens %d", d, before, c.Closed.Lots, c.Opened.Lots)
	}
	if c.Closed.Money.Add(c.Opened.Money) != d.Money || c.Closed.Fee.Add(c.Opened.Fee) != d.Fee {
		t.Fatalf("the parts %+v do not make up %+v", c, d)
	}
	share := ratio(closed, size)
	if want := rounded(mul(rat(d.Fee), share), int(s.Fee), fixed.Down); rat(c.Closed.Fee).Cmp(want) != 0 {
		t.Fatalf("fee of what is closed %v, want %v", c.Closed.Fee, want)
	}
	if want := rounded(mul(rat(d.Money), share), int(s.Quote), fixed.Down); rat(c.Closed.Money).Cmp(want) != 0 {
		t.Fatalf("money of what is closed %v, want %v", c.Closed.Money, want)
	}
	if closed == 0 {
		if !c.Realized.IsZero() {
			t.Fatalf("opening realizes %v", c.Realized)
		}
		return
	}
	// The exact profit, of which the realized one is at most a unit short.
	cost := mul(rat(before.Cost), ratio(closed, max(before.Lots, -before.Lots)))
	money := rat(c.Closed.Money)
	if before.Lots < 0 {
		money.Neg(money)
	}
	want := sub(money, rounded(cost, int(s.Quote), fixed.Ceil))
	if rat(c.Realized).Cmp(want) != 0 || rat(c.Realized).Cmp(sub(money, cost)) > 0 {
		t.Fatalf("realized %v, want %v", c.Realized, want)
	}
	if closed == max(before.Lots, -before.Lots) && size == closed && after != (position.Position{}) {
		t.Fatalf("left is %+v", after)
	}
}

func TestValuesMatchFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scales().Draw(t, "scale")
		p := position.Position{Lots: counts().Draw(t, "lots"), Cost: decimals().Draw(t, "cost")}
		if rapid.Bool().Draw(t, "short") {
			p.Lots, p.Cost = -p.Lots, p.Cost.Neg()
		}
		x, rate := decimals().Draw(t, "x"), decimals().Draw(t, "rate")
		if rapid.Bool().Draw(t, "future") {
			rate = fixed.One
		}
		held := size(p.Lots, s)

		got, ok := p.Notional(x, s)
		same(t, "Notional", got, ok, rounded(mul(new(big.Rat).Abs(held), rat(x)), 18, fixed.Ceil))

		value := rounded(mul(held, rat(x)), 18, fixed.Floor)
		cost := rounded(mul(rat(p.Cost), rat(rate)), 18, fixed.Ceil)
		got, ok = p.Unrealized(x, rate, s)
		if inRange(value) && inRange(cost) {
			same(t, "Unrealized", got, ok, sub(value, cost))
		} else if ok || !got.IsZero() {
			t.Fatalf("Unrealized = %v, %v", got, ok)
		}

		got, ok = p.Entry(s)
		same(t, "Entry", got, ok, rounded(new(big.Rat).Quo(rat(p.Cost), held), int(s.Money), fixed.Down))

		if cost.Sign() == 0 || !inRange(cost) {
			return
		}
		u, l := decimals().Draw(t, "unrealized"), rapid.SampledFrom(leverages).Draw(t, "leverage")
		if rapid.Bool().Draw(t, "lost") {
			u = u.Neg()
		}
		tied := rounded(mul(rat(p.Cost.Abs()), rat(rate)), 18, fixed.Up)
		if !inRange(tied) {
			return
		}
		want := mul(rat(u), ratio(100*int64(l), 1))
		got, ok = p.PnlPercent(u, rate, l)
		same(t, "PnlPercent", got, ok, rounded(want.Quo(want, tied), 2, fixed.Down))
	})
}

func TestMarginsMatchFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tiers, l := tierings().Draw(t, "tiers"), rapid.SampledFrom(leverages).Draw(t, "leverage")
		notional := decimals().Draw(t, "notional")
		if b := rapid.SampledFrom(tiers.Brackets[:]).Draw(t, "bracket"); rapid.Bool().Draw(t, "at a bracket") {
			notional = b.Add(fixed.FromUnits(rapid.Int64Range(0, 1).Draw(t, "above"), 18))
		}
		initial, maintenance := margins(&tiers, rat(notional), l)
		if got := tiers.Initial(notional, l); rat(got).Cmp(initial) != 0 {
			t.Fatalf("initial margin %v, want %s", got, initial.FloatString(18))
		}
		if got := tiers.Maintenance(notional, l); rat(got).Cmp(maintenance) != 0 {
			t.Fatalf("maintenance margin %v, want %s", got, maintenance.FloatString(18))
		}
		if tiers.Initial(notional, l).Less(tiers.Maintenance(notional, l)) {
			t.Fatal("maintenance margin is above the initial one")
		}
	})
}

func TestOrdersMatchFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scales().Draw(t, "scale")
		none := rapid.OneOf(rapid.Just(int64(0)), counts())
		o := position.Orders{
			Buys: none.Draw(t, "buys"), Sells: none.Draw(t, "sells"),
			WorseBuys: none.Draw(t, "worse buys"), WorseSells: none.Draw(t, "worse sells"),
			WorseBuyValue: decimals().Draw(t, "buy value"), WorseSellValue: decimals().Draw(t, "sell value"),
		}
		held := none.Draw(t, "held")
		o.Reducing = rapid.Int64Range(0, held).Draw(t, "reducing")
		wantLong := max(held+o.Buys, o.Sells-max(0, held-o.Reducing))
		if got, ok := o.Exposure(held); !ok || got != wantLong {
			t.Fatalf("Exposure = %d, %v; want %d", got, ok, wantLong)
		}
		wantShort := max(held+o.Sells, o.Buys-max(0, held-o.Reducing))
		if got, ok := o.Exposure(-held); !ok || got != wantShort {
			t.Fatalf("Exposure of a short = %d, %v; want %d", got, ok, wantShort)
		}

		x, rate := decimals().Draw(t, "x"), decimals().Draw(t, "rate")
		buys := rounded(mul(rat(o.WorseBuyValue), rat(rate)), 18, fixed.Ceil)
		bought := rounded(mul(size(o.WorseBuys, s), rat(x)), 18, fixed.Floor)
		sold := rounded(mul(size(o.WorseSells, s), rat(x)), 18, fixed.Ceil)
		sells := rounded(mul(rat(o.WorseSellValue), rat(rate)), 18, fixed.Floor)
		loss := new(big.Rat)
		for _, part := range []*big.Rat{sub(buys, bought), sub(sold, sells)} {
			if part.Sign() > 0 {
				loss = add(loss, part)
			}
		}
		got, ok := o.Loss(x, rate, s)
		if inRange(buys) && inRange(bought) && inRange(sold) && inRange(sells) {
			same(t, "Loss", got, ok, loss)
		} else if ok {
			t.Fatalf("Loss = %v where something does not fit", got)
		}
	})
}

// TestLiquidationIsTheFirstUnsafePrice: the account is unsafe there and safe one unit before. Where there is
// no such price, it is safe at all prices, or at none that can be counted.
func TestLiquidationIsTheFirstUnsafePrice(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		s := scales().Draw(t, "scale")
		p := position.Position{Lots: counts().Draw(t, "lots")}
		entry := fixed.FromUnits(counts().Draw(t, "entry"), int(s.Money))
		cost, ok := fixed.Mul(fixed.FromUnits(p.Lots, int(s.Stock)), entry, int(s.Quote), fixed.Down)
		if !ok {
			return
		}
		p.Cost = cost
		tiers := tierings().Draw(t, "tiers")
		at := &position.Stake{
			PriceRate: fixed.One, CostRate: fixed.One, Tiers: &tiers, Scale: s,
			Leverage: rapid.SampledFrom(leverages).Draw(t, "leverage"),
			Rest:     decimals().Draw(t, "rest"),
		}
		if rapid.Bool().Draw(t, "beside its cost") {
			part, _ := fixed.Mul(cost, fixed.FromUnits(rapid.Int64Range(0, 1200).Draw(t, "thousandths"), 3), 18, fixed.Down)
			at.Rest = part
		}
		if rapid.Bool().Draw(t, "owes") {
			at.Rest = at.Rest.Neg()
		}
		if rapid.Bool().Draw(t, "in another money") {
			at.PriceRate = fixed.FromUnits(rapid.Int64Range(1, 2_000_000).Draw(t, "price rate"), 6)
			at.CostRate = fixed.FromUnits(rapid.Int64Range(1, 2_000_000).Draw(t, "cost rate"), 6)
		}
		long := !rapid.Bool().Draw(t, "short")
		if !long {
			p.Lots, p.Cost = -p.Lots, p.Cost.Neg()
		}

		unsafe := func(price *big.Rat) bool {
			x := rounded(mul(price, rat(at.PriceRate)), 18, fixed.Down)
			notional := rounded(mul(new(big.Rat).Abs(size(p.Lots, s)), x), 18, fixed.Ceil)
			_, maintenance := margins(&tiers, notional, at.Leverage)
			total := add(rat(at.Rest), rounded(mul(size(p.Lots, s), x), 18, fixed.Floor))
			total = sub(total, rounded(mul(rat(p.Cost), rat(at.CostRate)), 18, fixed.Ceil))
			return total.Cmp(maintenance) < 0
		}
		unit := new(big.Rat).SetFrac(big.NewInt(1), tenTo(int(s.Money)))
		farthest := mul(unit, ratio(1<<62, 1))

		got, ok := p.Liquidation(at)
		if left := sub(rat(at.Rest), rounded(mul(rat(p.Cost), rat(at.CostRate)), 18, fixed.Ceil)); !inRange(left) {
			if ok {
				t.Fatalf("%v where the account cannot be counted", got)
			}
			return
		}
		if !ok {
			if long && unsafe(unit) && !unsafe(farthest) {
				t.Fatal("no liquidation price of a long, which is unsafe at the lowest price")
			}
			if !long && unsafe(farthest) && !unsafe(unit) {
				t.Fatal("no liquidation price of a short, which is safe at the lowest price and unsafe at the highest")
			}
			return
		}
		found++
		price := rat(got)
		before := add(price, unit)
		if !long {
			before = sub(price, unit)
		}
		if !unsafe(price) {
			t.Fatalf("the account is safe at %v", got)
		}
		if unsafe(before) {
			t.Fatalf("the account is unsafe before %v", got)
		}
	})
	if found == 0 {
		t.Error("no account had a liquidation price: this test saw nothing")
	}
}
