package bench

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	riskPositions = 100_000
	riskPrices    = 10_000
	fallen        = 1_000
)

// marks lets the price of a future change a little, again and again, while many have positions and nobody is near the end
// of its margin.
func marks(r *report) error {
	m, _, err := positions(riskPositions, func(int) fixed.Decimal { return fixed.FromInt(300) })
	if err != nil {
		return err
	}
	at := futuresStart + 2
	settle(m, &at)
	t := newTraffic(29)
	var times Latency
	runtime.GC()
	for range riskPrices {
		at++
		c := &schema.SetIndex{Market: futuresPerp, Price: fixed.FromUnits(int64(99_900+t.draw(200)), 2)}
		began := time.Now()
		m.Apply(at, c)
		times.Add(time.Since(began))
	}
	if err := m.Verify(); err != nil {
		return err
	}
	result := Result{Name: "core.mark", Unit: "µs"}
	times.fill(&result)
	result.Value = result.P50
	r.add(result)
	return nil
}

// liquidation lets a price fall so that many accounts are liquidated at once, in the book, while a hundred times as many stay safe.
func liquidation(r *report) error {
	result := Result{Name: "core.liquidation", Unit: "ms", Value: math.Inf(1), Max: math.Inf(1)}
	for range worstRounds {
		m, short, err := positions(riskPositions, func(i int) fixed.Decimal {
			if i%(riskPositions/fallen) == 0 {
				return fixed.FromInt(20)
			}
			return fixed.FromInt(300)
		})
		if err != nil {
			return err
		}
		at := futuresStart + 2
		settle(m, &at)
		// Orders of one each, so that every liquidation is a fill with a maker of its own.
		for range fallen {
			if err := bid(m, short, schema.Buy, 1, 985); err != nil {
				return err
			}
		}
		runtime.GC()
		var times Latency
		total := time.Duration(0)
		apply := func(c schema.Command) {
			at++
			began := time.Now()
			m.Apply(at, c)
			took := time.Since(began)
			total += took
			times.Add(took)
		}
		apply(&schema.SetIndex{Market: futuresPerp, Price: fixed.FromInt(985)})
		for rounds := 0; ; rounds++ {
			if next, running := m.NextTimer(); !running || next > m.Trading().Counters().Tick+1 {
				break
			}
			if rounds > 1000 {
				return errors.New("liquidation does not come to its end")
			}
			apply(&schema.Tick{})
		}
		for i := 0; i < riskPositions; i += riskPositions / fallen {
			if account := schema.FirstCustomer + schema.AccountID(i); len(m.Collateral().Positions(account)) != 0 {
				return fmt.Errorf("account %d still has a position", account)
			}
		}
		if err := m.Verify(); err != nil {
			return err
		}
		result.Value = min(result.Value, float64(total.Microseconds())/1000)
		if float64(times.max)/1000 < result.Max {
			times.fill(&result)
		}
	}
	r.add(result)
	return nil
}

// settle lets the exchange look at all accounts whose positions are new.
func settle(m *core.Machine, at *schema.Time) {
	for {
		*at++
		m.Apply(*at, &schema.Tick{})
		if next, running := m.NextTimer(); !running || next != *at+1 {
			return
		}
	}
}
