package bench

import (
	"math"
	"runtime"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Commands that have as much to do as the limits allow. Max is how long the longest single command
// held the core, the slices that follow included.
const (
	worstAccounts = 100
	worstOrders   = 1_000 // of each
	worstAll      = worstAccounts * worstOrders
)

// longWork measures a command and the slices that it leaves, on something fresh.
func longWork(name, unit string, count int, fresh func() (*core.Machine, schema.Time, schema.Command, error)) (Result, error) {
	result := Result{Name: name, Unit: unit, Value: math.Inf(1), Max: math.Inf(1)}
	for range worstRounds {
		m, at, c, err := fresh()
		if err != nil {
			return result, err
		}
		runtime.GC()
		var times Latency
		began := time.Now()
		for {
			one := time.Now()
			m.Apply(at, c)
			times.Add(time.Since(one))
			if !m.Busy() {
				break
			}
			c = &schema.Continue{}
		}
		result.Value = min(result.Value, float64(time.Since(began))/float64(count))
		if float64(times.max)/1000 < result.Max {
			times.fill(&result)
		}
	}
	return result, nil
}

// crowded is an exchange on whose first market many accounts have orders, each at a price of its own.
func crowded(order func(i int) schema.OrderRequest) (*core.Machine, error) {
	m := core.NewExchange()
	if err := setUp(m, trafficStart, 1, worstAccounts+1); err != nil {
		return nil, err
	}
	// A first trade, so that stops have a price to wait for.
	for _, side := range []schema.Side{schema.Sell, schema.Buy} {
		m.Apply(trafficStart, &schema.PlaceOrder{Account: stranger, Order: limitOrder(side, 1, 1_000_000_000)})
	}
	for i := range worstAll {
		m.Apply(trafficStart, &schema.PlaceOrder{Account: schema.FirstCustomer + schema.AccountID(i/worstOrders), Order: order(i)})
	}
	return m, nil
}

// stranger is the account that has no orders.
const stranger = schema.FirstCustomer + worstAccounts

func limitOrder(side schema.Side, amount, price int64) schema.OrderRequest {
	return schema.OrderRequest{Market: 1, Type: schema.Limit, Side: side, Amount: fixed.FromInt(amount), Price: fixed.FromInt(price)}
}

// ask is an offer far from the next one.
func ask(i int) schema.OrderRequest { return limitOrder(schema.Sell, 1, 1_000_000_000+rising(i)) }

// waits is a stop that a trade at a high price wakes up, and that trades with nobody.
func waits(i int) schema.OrderRequest {
	o := limitOrder(schema.Buy, 1, 1)
	o.Type, o.ActivationPrice = schema.StopLimit, fixed.FromInt(1_000_000_000+rising(i))
	return o
}

func worstWork(r *report) error {
	long := func(name, unit string, count int, order func(int) schema.OrderRequest, prepare ...schema.Command) func(at schema.Time, c schema.Command) func() (Result, error) {
		return func(at schema.Time, c schema.Command) func() (Result, error) {
			return func() (Result, error) {
				return longWork(name, unit, count, func() (*core.Machine, schema.Time, schema.Command, error) {
					m, err := crowded(order)
					if err != nil {
						return nil, 0, nil, err
					}
					for _, p := range prepare {
						m.Apply(trafficStart, p)
					}
					return m, at, c, nil
				})
			}
		}
	}
	high := 1_000_000_000 + rising(worstAll)
	return worsts(r,
		long("core.worst.sweep", "ns/fill", worstAll, ask)(trafficStart,
			&schema.PlaceOrder{Account: stranger, Order: limitOrder(schema.Buy, worstAll, high)}),
		long("core.worst.cancelall", "ns/order", worstOrders, ask)(trafficStart,
			&schema.CancelAll{Account: schema.FirstCustomer}),
		long("core.worst.closing", "ns/order", worstAll, ask, &schema.PlanDelisting{Market: 1, At: trafficStart + 1})(trafficStart+1,
			&schema.Tick{}),
		long("core.worst.stops", "ns/stop", worstAll, waits, &schema.PlaceOrder{Account: stranger, Order: limitOrder(schema.Sell, 1, high)})(trafficStart,
			&schema.PlaceOrder{Account: stranger, Order: limitOrder(schema.Buy, 1, high)}),
		long("core.worst.stockmarket", "ns/look", worstAll, ask)(trafficStart,
			&schema.PlaceOrder{Account: stranger, Order: schema.OrderRequest{Market: 1, Type: schema.StockMarket, Side: schema.Buy, Amount: fixed.FromInt(math.MaxInt32)}}),
	)
}
