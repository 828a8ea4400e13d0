package bench

import (
	"fmt"
	"runtime"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// A busy exchange: accounts trade on several markets with every kind of order while the books
// stay about as full as they are.
const (
	mixedMarkets  = 8
	mixedAccounts = 1000
	mixedResting  = 100_000
	mixedCommands = 600_000
)

func mixed(r *report) error {
	fmt.Fprintf(r.progress, "%-26s making the commands\n", "")
	all, warm, err := newTraffic(17).record(mixedResting, mixedCommands)
	if err != nil {
		return err
	}
	kinds := [...]func(*core.Machine, []schema.Envelope, func(*schema.Outcome)){oneByOne, inTurn}
	var rates [len(kinds)]float64
	for range 3 {
		for i, run := range kinds {
			m, err := replay(all[:warm])
			if err != nil {
				return err
			}
			runtime.GC()
			began := time.Now()
			run(m, all[warm:], func(*schema.Outcome) {})
			rates[i] = max(rates[i], float64(len(all)-warm)/time.Since(began).Seconds())
		}
	}
	result := Result{Name: "core.mixed", Value: rates[1], Unit: "commands/s", Ratio: rates[1] / rates[0], RatioTo: "the same commands one by one"}
	m, err := replay(all[:warm])
	if err != nil {
		return err
	}
	var times Latency
	runtime.GC()
	began := time.Now()
	inTurn(m, all[warm:], func(*schema.Outcome) {
		now := time.Now()
		times.Add(now.Sub(began))
		began = now
	})
	times.fill(&result)
	if err := m.Verify(); err != nil {
		return err
	}
	r.add(result)
	return nil
}

// replay makes a machine that has gone through commands.
func replay(commands []schema.Envelope) (*core.Machine, error) {
	m := core.NewExchange()
	if err := setUp(m, trafficStart, mixedMarkets, mixedAccounts); err != nil {
		return nil, err
	}
	inTurn(m, commands, func(*schema.Outcome) {})
	return m, nil
}

// oneByOne applies commands that nobody announces.
func oneByOne(m *core.Machine, commands []schema.Envelope, applied func(*schema.Outcome)) {
	for i := range commands {
		applied(m.Apply(commands[i].Time, commands[i].Command))
	}
}

// inTurn applies commands as a node applies those of a batch.
func inTurn(m *core.Machine, commands []schema.Envelope, applied func(*schema.Outcome)) {
	for i := range m.InTurn(len(commands), func(i int) schema.Command { return commands[i].Command }) {
		applied(m.Apply(commands[i].Time, commands[i].Command))
	}
}

const trafficStart = schema.StepRuleFrom

// traffic draws commands while it watches what becomes of them, so that cancels and
// modifications name orders that are open.
type traffic struct {
	random uint64
	at     schema.Time
	open   []openOrder
	places map[schema.OrderID]int // in open
}

type openOrder struct {
	id      schema.OrderID
	account schema.AccountID
	market  schema.MarketID
	stop    bool
}

func newTraffic(seed uint64) *traffic {
	return &traffic{random: seed, at: trafficStart, places: map[schema.OrderID]int{}}
}

// draw is a number below n (splitmix64).
func (t *traffic) draw(n int) int {
	t.random += 0x9e3779b97f4a7c15
	z := t.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// record draws commands that fill the books to so many orders, then count more. It returns all
// of them and where the filling ends.
func (t *traffic) record(resting, count int) (all []schema.Envelope, warm int, err error) {
	m := core.NewExchange()
	if err := setUp(m, t.at, mixedMarkets, mixedAccounts); err != nil {
		return nil, 0, err
	}
	run := func(cmd schema.Command) {
		t.at += 10
		all = append(all, schema.Envelope{Time: t.at, Command: cmd})
		t.watch(m.Apply(t.at, cmd))
	}
	for len(t.open) < resting {
		run(t.limit())
	}
	warm = len(all)
	for len(all) < warm+count {
		run(t.next(len(t.open) - resting))
	}
	return all, warm, nil
}

// watch keeps the list of open orders.
func (t *traffic) watch(out *schema.Outcome) {
	for event := range out.Events.All() {
		e, ok := event.(*schema.OrderChanged)
		if !ok {
			continue
		}
		id := e.Order.ID
		switch e.Change {
		case schema.Opened:
			if _, known := t.places[id]; !known {
				t.places[id] = len(t.open)
				t.open = append(t.open, openOrder{id, e.Order.Account, e.Order.Market, e.Order.Type.IsStop()})
			}
		case schema.Closed:
			if at, known := t.places[id]; known {
				last := t.open[len(t.open)-1]
				t.open[at], t.places[last.id] = last, at
				t.open = t.open[:len(t.open)-1]
				delete(t.places, id)
			}
		}
	}
}

// next draws a command; surplus is by how much the books are fuller than they should be.
func (t *traffic) next(surplus int) schema.Command {
	n := t.draw(100)
	switch {
	case n < 40 && surplus <= 0, n < 25:
		return t.limit()
	case n < 65:
		o := t.open[t.draw(len(t.open))]
		return &schema.CancelOrder{Account: o.account, Order: schema.OrderRef{Market: o.market, ID: o.id}}
	case n < 82:
		o := t.open[t.draw(len(t.open))]
		c := &schema.ModifyOrder{Account: o.account, Order: schema.OrderRef{Market: o.market, ID: o.id}, STP: t.stp()}
		if o.stop {
			c.ActivationPrice = schema.Some(t.price(schema.Side(1 + t.draw(2))))
		} else {
			c.Amount = schema.Some(t.amount())
		}
		return c
	case n < 92:
		c := t.limit()
		c.Order.Type, c.Order.Price = schema.StockMarket, fixed.Zero
		if c.Order.Side == schema.Sell {
			c.Order.Type = schema.Market
		}
		return c
	default:
		c := t.limit()
		c.Order.Type, c.Order.ActivationPrice = schema.StopLimit, t.price(c.Order.Side)
		return c
	}
}

func (t *traffic) limit() *schema.PlaceOrder {
	side := schema.Side(1 + t.draw(2))
	return &schema.PlaceOrder{
		Account: schema.FirstCustomer + schema.AccountID(t.draw(mixedAccounts)),
		Order: schema.OrderRequest{
			Market: schema.MarketID(1 + t.draw(mixedMarkets)), Type: schema.Limit, Side: side,
			Amount: t.amount(), Price: t.price(side), STP: t.stp(), ClientID: t.client(),
		},
	}
}

// price is mostly away from the middle at 100,000, so that books fill up, and now and then
// across it.
func (t *traffic) price(side schema.Side) fixed.Decimal {
	distance := int64(t.draw(1500)) - 20
	if side == schema.Buy {
		distance = -distance
	}
	return fixed.FromInt(100_000 + distance)
}

func (t *traffic) amount() fixed.Decimal { return fixed.FromInt(int64(1 + t.draw(50))) }

func (t *traffic) stp() schema.STP {
	if t.draw(4) == 0 {
		return schema.STP(1 + t.draw(3))
	}
	return schema.STPNo
}

// client names every fourth order.
func (t *traffic) client() schema.ClientID {
	if t.draw(4) != 0 {
		return schema.ClientID{}
	}
	id, err := schema.ParseClientID(fmt.Sprintf("order-%d", t.draw(1<<40)))
	if err != nil {
		panic(err)
	}
	return id
}
