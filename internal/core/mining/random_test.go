package mining

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestRestartsChangeNothing: a pool that is restored from its snapshot after every command does what one does that never was. What went
// out of the pool is what was earned and is paid.
func TestRestartsChangeNothing(t *testing.T) {
	for seed := range uint64(10) {
		x, y := open(t), open(t)
		x.quiet, y.quiet = true, true
		r := rand.New(rand.NewPCG(seed, 7))
		var rewarded fixed.Decimal
		funded := d("1000")
		for step := range 250 {
			at, c := x.random(r)
			if r.IntN(12) == 0 {
				amount := fixed.FromInt(r.Int64N(40))
				x.fund(amount.String())
				y.fund(amount.String())
				funded = funded.Add(amount)
			}
			rx, ry := x.apply(at, c), y.apply(at, c)
			if rx != ry || !slices.Equal(x.story(), y.story()) {
				t.Fatalf("seed %d, step %d, %T %+v: %s\n%v, restored %s\n%v", seed, step, c, c, rx.Text(), x.story(), ry.Text(), y.story())
			}
			if !slices.Equal(written(x.Pool), written(y.Pool)) {
				t.Fatalf("seed %d, step %d, %T %+v: the states are not the same", seed, step, c, c)
			}
			if err := x.Verify(); err != nil {
				t.Fatalf("seed %d, step %d, %T %+v: %v", seed, step, c, c, err)
			}
			for _, m := range x.rewards() {
				if m.Status == schema.RewardPending && m.Withdrawal == 0 {
					rewarded = rewarded.Add(m.Amount)
				}
			}
			y.use(y.restarted())
		}
		unpaid := x.owed
		for place := x.leaving.First; place != 0; place = x.payments.At(place).After {
			unpaid = unpaid.Sub(x.payments.At(place).sum)
		}
		if left := x.ledger.Available(x.house()); left != funded.Sub(rewarded).Add(unpaid) || x.lastReward < 10 {
			t.Errorf("seed %d: of %s %s are left, and %s of %s are not paid; %d rewards", seed, funded, left, unpaid, rewarded, x.lastReward)
		}
	}
}

// random is a command, and its moment.
func (x *exchange) random(r *rand.Rand) (schema.Time, schema.Command) {
	at := x.clock + []schema.Time{0, 1, schema.WorkBucket / 2, 3 * hour, 9 * hour, 25 * hour}[r.IntN(6)]
	id := schema.MiningID(1 + r.IntN(3))
	owner := []schema.AccountID{anna, ben, anna}[id-1]
	switch n := r.IntN(20); {
	case n < 7:
		var rows []schema.Shares
		for range 1 + r.IntN(4) {
			rows = append(rows, schema.Shares{
				Mining: schema.MiningID(1 + r.IntN(3)), Bits: []uint32{one, 0x1c00ffff, 0x1b0404cb}[r.IntN(3)], Work: uint64(r.IntN(4)), Accepted: uint32(r.IntN(3)),
			})
		}
		return at, x.shares(rows...)
	case n < 12:
		return at, &schema.Tick{}
	case n < 14:
		return at, external(owner, id, fmt.Sprint("a", r.IntN(2)))
	case n == 14:
		return at, inside(owner, id)
	case n == 15:
		return at, &schema.MineSandbox{Chain: play, Blocks: uint32(1 + r.IntN(3))}
	case n == 16:
		return at, &schema.BarMining{Mining: id, Barred: r.IntN(3) == 0}
	case n == 17:
		terms := usual()
		terms.Least = []fixed.Decimal{d("0.1"), d("2"), d("60")}[r.IntN(3)]
		return at, &schema.SetPool{Terms: terms}
	case n == 18:
		return at, link(owner, "name", uint32(r.IntN(2)*7200), id)
	}
	return at, &schema.ReorgSandbox{Chain: play, Depth: 1}
}

// TestSumsAreExact: whatever the order and the division of rows, a day is worth what its rows add up to.
func TestSumsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		unit := uint8(r.IntN(33))
		x := open(t, func(m *schema.PoolTerms) { m.Unit, m.Fee = unit, fixed.Zero })
		x.quiet = true
		sum := new(big.Int)
		rate := int64(50 * 100_000_000)
		for range 1 + r.IntN(8) {
			bits := uint32(0x18+r.IntN(5))<<24 | uint32(1+r.IntN(0x7fffff))
			work := r.Uint64N(1 << (uint(r.IntN(20)) + uint(unit)/2))
			if r := x.apply(noon, x.shares(schema.Shares{Mining: rig, Bits: bits, Work: work})); r.Refused() {
				x.seq--
				continue
			}
			product := new(big.Int).Mul(big.NewInt(rate), new(big.Int).SetUint64(work))
			exponent := uint(bits>>24) - 3
			sum.Add(sum, product.Mul(product, new(big.Int).Lsh(big.NewInt(int64(bits&0xffffff)), 8*exponent)))
		}
		whole := new(big.Int).Quo(sum, new(big.Int).Lsh(big.NewInt(0xffff), 208+uint(unit)))
		x.apply(midnight+day, &schema.Tick{})
		got := fixed.Zero
		if list := x.rewards(); len(list) > 0 {
			got = list[0].Total
		}
		if want := fixed.FromUnits(whole.Int64(), 8); got != want {
			t.Errorf("unit %d: %s, want %s", unit, got, want)
		}
	}
}
