package earn

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// hourly is one flex investment as the contract says it, hour by hour and with numbers of any size.
type hourly struct {
	earns, waits *big.Int // units of the asset
	sum          *big.Int // of which perYear are a unit
	hour         int64    // that was reached
	rate, next   *big.Int // growth in the hour under way, and in the next
	credited     *big.Int
}

var perYear = new(big.Int).Mul(big.NewInt(8760), big.NewInt(1_000_000_000))

// to lets hours pass. At each midnight what accrued is credited.
func (h *hourly) to(at schema.Time) {
	for ; h.hour < int64(at/hour); h.hour++ {
		h.sum.Add(h.sum, new(big.Int).Mul(h.earns, h.rate))
		h.earns.Add(h.earns, h.waits)
		h.waits.SetInt64(0)
		h.rate = h.next
		if (h.hour+1)%24 == 0 {
			h.credit()
		}
	}
}

func (h *hourly) credit() {
	units, rest := new(big.Int).DivMod(h.sum, perYear, new(big.Int))
	h.credited.Add(h.credited, units)
	h.sum = rest
}

func units(amount fixed.Decimal, places int) *big.Int {
	hi, lo := amount.Bits()
	n := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(hi), 64), new(big.Int).SetUint64(lo))
	return n.Div(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(18-places)), nil))
}

// TestLazyInterestIsHourly: an investment that is looked at when somebody touches it earns what it would if it were looked at each hour.
func TestLazyInterestIsHourly(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		x := open(t)
		x.quiet = true
		x.fund(dollar, "1000000000000")
		x.with(flexed, func(p *schema.Plan) { p.Max, p.Cap, p.Min = fixed.Zero, fixed.Zero, d("0.01") })
		x.must(noon-day, &schema.Deposit{Account: alice, Asset: dollar, Amount: d("100000000000")})
		rate, _ := x.Plan(flexed).Rate.Units(9)
		h := &hourly{
			earns: new(big.Int), waits: new(big.Int), sum: new(big.Int), credited: new(big.Int),
			hour: int64(noon / hour), rate: big.NewInt(rate), next: big.NewInt(rate),
		}
		x.must(noon, invest(alice, flexed, "0.01"))
		h.waits.SetInt64(1)
		at := noon
		for range 120 {
			switch r.IntN(4) {
			case 0:
				at = (at/hour + 1) * hour
			case 1:
				at += schema.Time(r.Int64N(int64(9 * hour)))
			case 2:
				at = (at/day + 1) * day
			}
			if r.IntN(4) == 0 {
				at--
			}
			at = max(at, x.clock)
			for midnight := (x.clock/day + 1) * day; midnight <= at; midnight += day {
				x.must(midnight, &schema.Tick{})
			}
			h.to(at)
			has := new(big.Int).Add(h.earns, h.waits)
			switch r.IntN(3) {
			case 0:
				n := 1 + r.Int64N(1+r.Int64N(1_000_000_000))
				x.must(at, &schema.Invest{Account: alice, Plan: flexed, Amount: fixed.FromUnits(n, 2)})
				h.waits.Add(h.waits, big.NewInt(n))
			case 1:
				if has.Cmp(big.NewInt(2)) < 0 {
					continue
				}
				n := 1 + r.Int64N(has.Int64()-1)
				x.must(at, &schema.Divest{Account: alice, Plan: flexed, Amount: fixed.FromUnits(n, 2)})
				if h.waits.Sub(h.waits, big.NewInt(n)); h.waits.Sign() < 0 {
					h.earns.Add(h.earns, h.waits)
					h.waits.SetInt64(0)
				}
			default:
				rate := r.Int64N(10_000_000_001)
				x.clock = at
				x.with(flexed, func(p *schema.Plan) { p.Rate = fixed.FromUnits(rate, 9) })
				h.next = big.NewInt(rate)
			}
			got := x.Accrued(1)
			if want := new(big.Int).Div(h.sum, perYear); units(got, 2).Cmp(want) != 0 {
				t.Fatalf("seed %d at %s: %s accrued, want %s units", seed, at, got, want)
			}
		}
		before, _, _ := x.ledger.Balance(x.ledger.Find(schema.Interest, schema.Main, dollar))
		if paid := d("1000000001000").Sub(before); units(paid, 2).Cmp(h.credited) != 0 {
			t.Fatalf("seed %d: %s was credited, want %s units", seed, paid, h.credited)
		}
	}
}

// TestRestartsChangeNothing: an exchange that is restored from a snapshot before each command does what one does that never was.
func TestRestartsChangeNothing(t *testing.T) {
	reached := map[string]int{}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		one, other := open(t), open(t)
		for _, x := range []*exchange{one, other} {
			x.quiet = true
			x.with(flexed, func(p *schema.Plan) { p.Rate = d("10") })
			x.must(noon, &schema.SetPlan{Plan: flexPlan(func(p *schema.Plan) { p.Name, p.Asset, p.Payout, p.Min = "coins", coin, coin, d("0.01") })})
			x.must(noon, &schema.Deposit{Account: alice, Asset: coin, Amount: d("10")})
		}
		at := noon
		for range 150 {
			c := draw(r)
			switch r.IntN(6) {
			case 0:
				at += schema.Time(r.Int64N(int64(2 * hour)))
			case 1:
				at = (at/day + 1) * day
			case 2:
				at = (at/hour + 1) * hour
			}
			fund := ""
			if r.IntN(6) == 0 {
				fund = []string{"-5", "-100", "3", "200"}[r.IntN(4)]
			}
			other.use(other.restarted())
			var stories [2][]string
			for i, x := range []*exchange{one, other} {
				if has := x.ledger.Available(x.house(dollar)); fund != "" && has.Add(d(fund)).Sign() >= 0 {
					x.fund(dollar, fund)
				}
				before := x.state()
				rejection := x.apply(at, c)
				reached[fmt.Sprintf("%T %v", c, rejection.Reason)]++
				if rejection.Refused() && !slices.Equal(before, x.state()) {
					t.Fatalf("seed %d: %T %+v was refused and changed something", seed, c, c)
				}
				if err := x.Verify(); err != nil {
					t.Fatalf("seed %d after %T %+v: %v", seed, c, c, err)
				}
				stories[i] = append(x.story(), rejection.Text(), fmt.Sprint(x.out.Result.ID))
			}
			if !slices.Equal(one.state(), other.state()) || !slices.Equal(stories[0], stories[1]) {
				t.Fatalf("seed %d: after %T %+v\n%q and\n%q", seed, c, c, stories[0], stories[1])
			}
			if one.debts.count > 0 {
				reached["a debt"]++
			}
		}
	}
	for _, want := range []string{
		fmt.Sprintf("*schema.Invest %v", schema.OK), fmt.Sprintf("*schema.Divest %v", schema.OK), fmt.Sprintf("*schema.SetReinvest %v", schema.OK), "a debt", fmt.Sprintf("*schema.Invest %v", schema.InterestNotCovered),
		fmt.Sprintf("*schema.Divest %v", schema.DivestTooMuch), fmt.Sprintf("*schema.Invest %v", schema.InvestmentAboveLimit),
	} {
		if reached[want] == 0 {
			t.Errorf("nothing came to %s", want)
		}
	}
}

// draw is a command of a customer, or a tick.
func draw(r *rand.Rand) schema.Command {
	account := alice + schema.AccountID(r.IntN(4))
	plan := schema.PlanID(1 + r.IntN(4))
	amount := fixed.FromUnits(r.Int64N(50_000), 2)
	switch r.IntN(8) {
	case 0:
		return &schema.Divest{Account: account, Plan: plan, Amount: amount}
	case 1:
		return &schema.Divest{Account: account, Plan: plan, All: true}
	case 2:
		return &schema.Divest{Account: account, Investment: schema.InvestmentID(r.IntN(40))}
	case 3:
		return &schema.SetReinvest{Account: account, Plan: plan, On: r.IntN(2) == 0}
	case 4, 5:
		return &schema.Tick{}
	}
	if plan == 4 {
		amount = fixed.FromUnits(r.Int64N(500), 2)
	}
	return &schema.Invest{Account: account, Plan: plan, Amount: amount, Reinvest: r.IntN(2) == 0}
}
