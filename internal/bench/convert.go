package bench

import (
	"fmt"
	"runtime"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	conversions  = 20_000
	convertDepth = 1_000 // orders of one each on every side of a book
)

// converts converts over a hub, some orders deep in each book.
func converts(r *report) error { return convertDeep(r, "core.convert", 20, conversions) }

// worstConvert converts with almost all the steps that a quote has.
func worstConvert(r *report) error {
	return convertDeep(r, "core.worst.convert", convertDepth*95/100, conversions/20)
}

// convertDeep converts one coin into another and back, over two books of which each conversion needs so many orders.
func convertDeep(r *report, name string, orders int64, times int) error {
	m := core.NewExchange()
	if err := setUp(m, trafficStart, 2, 2); err != nil {
		return err
	}
	const maker, converter = schema.FirstCustomer, schema.FirstCustomer + 1
	most := fixed.FromInt(1e15)
	commands := []schema.Command{&schema.SetConversion{On: true, Spread: fixed.FromUnits(2, 3), Hubs: []schema.AssetID{1}, OpenMost: most, DayMost: most, LossMost: most}}
	for asset := schema.AssetID(1); asset <= 3; asset++ {
		commands = append(commands, &schema.SetCollateral{Asset: asset, IndexMaxAge: 3600 * schema.Second},
			&schema.FundSystem{Account: schema.Convert, Asset: asset, Amount: most})
	}
	for market := schema.MarketID(1); market <= 2; market++ {
		commands = append(commands, &schema.SetIndex{Market: market, Price: fixed.FromInt(1000)})
		for range convertDepth {
			for side, price := range map[schema.Side]int64{schema.Buy: 999, schema.Sell: 1001} {
				commands = append(commands, &schema.PlaceOrder{Account: maker, Order: schema.OrderRequest{
					Market: market, Type: schema.Limit, Side: side, Amount: fixed.One, Price: fixed.FromInt(price),
				}})
			}
		}
	}
	for _, c := range commands {
		if r := m.Apply(trafficStart, c).Result.Rejection; r.Refused() {
			return fmt.Errorf("%T: %s", c, r.Text())
		}
	}
	amount := fixed.FromInt(orders)
	trips := [2]*schema.AutoConvert{
		{Exchange: schema.Exchange{Account: converter, From: 2, To: 3, Amount: amount}},
		{Exchange: schema.Exchange{Account: converter, From: 3, To: 2, Amount: amount}},
	}
	runtime.GC()
	var latency Latency
	for i := range times {
		began := time.Now()
		refused := m.Apply(trafficStart, trips[i%2]).Result.Rejection
		latency.Add(time.Since(began))
		if refused.Refused() {
			return fmt.Errorf("a conversion was refused: %s", refused.Text())
		}
	}
	if err := m.Verify(); err != nil {
		return err
	}
	result := Result{Name: name, Unit: "µs"}
	latency.fill(&result)
	result.Value = result.P50
	r.add(result)
	return nil
}
