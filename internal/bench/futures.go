package bench

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// The same orders on a spot market and on a future, by accounts that all have positions.
const (
	futuresAccounts = 1000
	futuresCommands = 400_000
	futuresChunk    = 4_000
	futuresRounds   = 5
	futuresSpot     = schema.MarketID(1)
	futuresPerp     = schema.MarketID(2)
)

// futuresStart is a whole day, so that no settlement of funding is due while orders are placed.
const futuresStart = trafficStart / (24 * 3600 * schema.Second) * (24 * 3600 * schema.Second)

// wealth is so much that no order lacks anything.
var wealth = fixed.FromInt(1e12)

// futuresVenue is an exchange with a spot market and a future, and accounts with money for both: so much collateral, and
// plenty of everything else.
func futuresVenue(accounts int, collateral func(i int) fixed.Decimal) (*core.Machine, error) {
	m := core.NewExchange()
	if err := setUp(m, futuresStart, 1, 0); err != nil {
		return nil, err
	}
	commands := []schema.Command{
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "COIN0_PERP", Base: 2, Quote: 1, Type: schema.Futures, Enabled: true, FeePrec: 8,
			TickSize: fixed.FromInt(1), StepSize: fixed.FromInt(1), MakerFee: fixed.FromUnits(1, 1), TakerFee: fixed.FromUnits(1, 1),
			Margin: schema.Margin{
				MaxLeverage: 100, Bracket100: fixed.FromInt(50_000), Bracket50: fixed.FromInt(250_000), PriceBand: fixed.FromInt(100),
				MarkBand: fixed.FromUnits(5, 1), ImpactNotional: fixed.FromInt(1000), FundingMinutes: 24 * 60,
				FundingCap: fixed.FromUnits(3, 4), FundingFloor: fixed.FromUnits(3, 4),
			},
		}},
		&schema.SetCollateral{Asset: 1, Weight: fixed.One, IndexMaxAge: 3600 * schema.Second},
		&schema.SetCollateral{Asset: 2, Weight: fixed.FromUnits(95, 2), IndexMaxAge: 3600 * schema.Second},
		&schema.SetIndex{Market: futuresPerp, Price: fixed.FromInt(1000)},
	}
	for i := range accounts {
		account := schema.FirstCustomer + schema.AccountID(i)
		commands = append(commands, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("trader%d", i), Region: schema.Global}})
		for asset := range schema.AssetID(2) {
			commands = append(commands, &schema.Deposit{Account: account, Asset: asset + 1, Amount: wealth.Add(wealth)},
				&schema.Transfer{Account: account, Asset: asset + 1, Amount: wealth, From: schema.Main, To: schema.Trade})
		}
		commands = append(commands, &schema.Transfer{Account: account, Asset: 1, Amount: collateral(i), From: schema.Main, To: schema.Collateral},
			&schema.SetLeverage{Account: account, Leverage: 100})
	}
	for _, c := range commands {
		if r := m.Apply(futuresStart, c).Result.Rejection; r.Refused() {
			return nil, fmt.Errorf("%T: %s", c, r.Text())
		}
	}
	return m, nil
}

// futuresOrders are limit orders around a price, some of which meet, and cancels.
func futuresOrders(market schema.MarketID, collateral bool) []schema.Command {
	t := newTraffic(23)
	list := make([]schema.Command, 0, futuresCommands)
	orders := schema.OrderID(0)
	for range futuresCommands {
		account := schema.FirstCustomer + schema.AccountID(t.draw(futuresAccounts))
		if t.draw(3) == 0 && orders > 0 {
			ref := schema.OrderRef{Market: market, ID: orders - min(orders-1, schema.OrderID(t.draw(500)))}
			list = append(list, &schema.CancelOrder{Account: account, Order: ref})
			continue
		}
		r := schema.OrderRequest{Market: market, Type: schema.Limit, Side: schema.Buy, Amount: fixed.FromInt(int64(1 + t.draw(20))), Collateral: collateral}
		price := int64(1000 - t.draw(20))
		if t.draw(2) == 0 {
			r.Side, price = schema.Sell, int64(1000+t.draw(20))
		}
		if t.draw(3) == 0 { // it takes
			price = 2000 - price
		}
		r.Price = fixed.FromInt(price)
		orders++
		list = append(list, &schema.PlaceOrder{Account: account, Order: r})
	}
	return list
}

func futures(r *report) error {
	base, err := futuresVenue(futuresAccounts, func(int) fixed.Decimal { return wealth })
	if err != nil {
		return err
	}
	snapshot := base.Snapshot()
	kinds := [...][]schema.Command{futuresOrders(futuresPerp, true), futuresOrders(futuresSpot, false)}
	// The two take turns chunk by chunk, and of each chunk the best round counts: what else the machine does strikes both alike, and
	// never the same chunk in every round.
	var best [len(kinds)][futuresCommands / futuresChunk]time.Duration
	for range futuresRounds {
		var machines [len(kinds)]*core.Machine
		for i := range machines {
			if machines[i], err = core.Restore(snapshot); err != nil {
				return err
			}
		}
		runtime.GC()
		for chunk := range best[0] {
			for i, m := range machines {
				began := time.Now()
				commands, at := kinds[i][chunk*futuresChunk:(chunk+1)*futuresChunk], futuresStart+schema.Time(chunk*futuresChunk)
				for j := range m.InTurn(futuresChunk, func(j int) schema.Command { return commands[j] }) {
					m.Apply(at+schema.Time(j), commands[j])
				}
				if took := time.Since(began); best[i][chunk] == 0 || took < best[i][chunk] {
					best[i][chunk] = took
				}
			}
		}
		for _, m := range machines {
			if m.Trading().Counters().Deal < futuresCommands/10 {
				return errors.New("too few orders met")
			}
		}
	}
	var took [len(kinds)]time.Duration
	for i := range best {
		for _, chunk := range best[i] {
			took[i] += chunk
		}
	}
	r.add(Result{
		Name: "core.futures", Value: futuresCommands / took[0].Seconds(), Unit: "commands/s",
		Ratio: took[1].Seconds() / took[0].Seconds(), RatioTo: "the same orders on a spot market",
	})
	return nil
}

// fundingPositions is how many are settled.
const fundingPositions = 100_000

// positions is an exchange with so many longs of 1 at 1000, and one rich account that is short of all of them.
func positions(count int, collateral func(i int) fixed.Decimal) (m *core.Machine, short schema.AccountID, err error) {
	m, err = futuresVenue(count+1, func(i int) fixed.Decimal {
		if i == count {
			return wealth
		}
		return collateral(i)
	})
	if err != nil {
		return nil, 0, err
	}
	short = schema.FirstCustomer + schema.AccountID(count)
	err = bid(m, short, schema.Sell, int64(count), 1000)
	for i := 0; i < count && err == nil; i++ {
		err = bid(m, schema.FirstCustomer+schema.AccountID(i), schema.Buy, 1, 1000)
	}
	return m, short, err
}

// bid places an order on the future.
func bid(m *core.Machine, account schema.AccountID, side schema.Side, amount, price int64) error {
	out := m.Apply(futuresStart+1, &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
		Market: futuresPerp, Type: schema.Limit, Side: side, Amount: fixed.FromInt(amount), Price: fixed.FromInt(price), Collateral: true,
	}})
	if r := out.Result.Rejection; r.Refused() {
		return errors.New(r.Text())
	}
	return nil
}

// funding settles a market with many positions, tick by tick.
func funding(r *report) error {
	m, short, err := positions(fundingPositions, func(int) fixed.Decimal { return wealth })
	if err != nil {
		return err
	}
	// Both sides of the book, for a sample: without one the rate is zero.
	if err := errors.Join(bid(m, short, schema.Buy, 10, 999), bid(m, short, schema.Sell, 10, 1001)); err != nil {
		return err
	}
	at := futuresStart + 2
	settle(m, &at)
	at = futuresStart + 24*3600*schema.Second
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
	paid := m.Collateral().Positions(schema.FirstCustomer + fundingPositions - 1)[0].Funding
	if want := fixed.FromUnits(3, 1); paid != want {
		return fmt.Errorf("the last position paid %s instead of %s", paid, want)
	}
	if err := m.Verify(); err != nil {
		return err
	}
	result := Result{Name: "core.funding", Value: float64(total.Microseconds()) / 1000, Unit: "ms"}
	times.fill(&result)
	r.add(result)
	return nil
}
