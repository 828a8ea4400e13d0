package bench

import (
	"fmt"
	"runtime"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// investments is how many earn interest, each of an account of its own.
const investments = 1_000_000

// investors is an exchange with so many accounts that have money, and a flex plan whose interest is there.
func investors(count int) (*core.Machine, error) {
	m := core.NewExchange()
	commands := []schema.Command{
		asset("USDT"),
		&schema.FundSystem{Account: schema.Interest, Asset: 1, Amount: fixed.FromInt(1e12)},
		&schema.SetPlan{Plan: schema.Plan{
			Name: "flex", Kind: schema.FlexPlan, Asset: 1, Payout: 1, Rate: fixed.FromUnits(5, 2), Min: fixed.One, Status: schema.PlanActive,
		}},
	}
	for i := range count {
		commands = append(commands, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("investor%d", i), Region: schema.Global, Partner: true}},
			&schema.Deposit{Account: schema.FirstCustomer + schema.AccountID(i), Asset: 1, Amount: fixed.FromInt(1000)})
	}
	for _, c := range commands {
		if r := m.Apply(futuresStart, c).Result.Rejection; r.Refused() {
			return nil, fmt.Errorf("%T: %s", c, r.Text())
		}
	}
	return m, nil
}

// interest credits a day of very many investments, tick by tick. Every other one is reinvested.
func interest(r *report) error {
	m, err := investors(investments)
	if err != nil {
		return err
	}
	before := heap()
	for i := range investments {
		c := &schema.Invest{Account: schema.FirstCustomer + schema.AccountID(i), Plan: 1, Amount: fixed.FromInt(500), Reinvest: i%2 == 0}
		if r := m.Apply(futuresStart, c).Result.Rejection; r.Refused() {
			return fmt.Errorf("%T: %s", c, r.Text())
		}
	}
	r.add(Result{Name: "core.interest.bytes", Value: float64(heap()-before) / investments, Unit: "bytes/investment"})
	at := futuresStart + 24*3600*schema.Second
	var times Latency
	total := time.Duration(0)
	runtime.GC()
	for ; ; at++ {
		began := time.Now()
		m.Apply(at, &schema.Tick{})
		took := time.Since(began)
		total += took
		times.Add(took)
		if next, running := m.NextTimer(); !running || next != at+1 {
			break
		}
	}
	// 23 hours of 500 at 5 percent a year.
	paid, _, _ := m.Balance(schema.FirstCustomer+investments-1, schema.Main, 1)
	if want := fixed.FromInt(500).Add(fixed.FromUnits(6563926, 8)); paid != want {
		return fmt.Errorf("the last investment brought its account to %s instead of %s", paid, want)
	}
	if err := m.Verify(); err != nil {
		return err
	}
	result := Result{Name: "core.interest", Value: float64(total.Microseconds()) / 1000, Unit: "ms"}
	times.fill(&result)
	r.add(result)
	return nil
}
