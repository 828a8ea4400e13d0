package naive

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// walk is a random life of a future, and what was seen of it.
type walk struct {
	*world
	random *rand.Rand
	groups bool                      // of orders are placed too
	steady bool                      // USD is worth the same all the time
	sizes  map[schema.PositionID]num // of the positions that are open
	due    map[schema.PositionID]num // what they get by the settlement of funding that is under way
	funded num                       // what all positions got
	fund   num                       // what the insurance fund has, and what of it funding left
	rest   num
	seen   map[string]int
}

// TestRandomFutures: whatever accounts do and the index becomes, money and positions are conserved, what all have
// together changes by deposits alone while the mark stands, an order that may only reduce never makes a position
// larger, no order makes a safe account unsafe, and funding is booked once for each position that was there.
func TestRandomFutures(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(8) {
		traders := newTraders(t)
		if seed >= 6 {
			traders = newTradFi(t, "0.9995", "50000")
		}
		w := newWalk(traders, seed, seed%2 == 0, seen)
		for range 400 {
			w.step()
		}
		w.delist()
	}
	for _, what := range []string{
		"filled", "flipped", "closed", "lent", "repaid", "canceled by margin", "ended by reduce only", "reduced", "activated", "moved out",
		"funded by a tick", "funded by an order", "funded by a transfer", "settled", "left to the fund",
		"closed by delisting", "left for the next tick",
	} {
		if seen[what] == 0 {
			t.Errorf("nothing was %s: %v", what, seen)
		}
	}
	t.Log(seen)
}

func newWalk(traders *world, seed uint64, bounded bool, seen map[string]int) *walk {
	w := &walk{
		world: traders, random: rand.New(rand.NewPCG(seed, 2)),
		sizes: map[schema.PositionID]num{}, due: map[schema.PositionID]num{}, seen: seen,
	}
	w.FundingSlice = 1 + int(seed%3)
	if bounded {
		for _, f := range []schema.Feature{schema.BoundedWork, schema.ExactMoney} {
			w.must(&schema.SetFeature{Feature: f, On: true})
		}
	}
	listed := *w.listing.market(perp)
	listed.TakerBand, listed.MakerFee, listed.FundingMinutes = d("1"), d("-0.01"), 5
	w.must(&schema.SetMarket{Market: listed})
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), Rate: d("0.001"), IndexMaxAge: second})
	dora := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global, TradFi: true}}).ID)
	w.collateral(dora, btc, "1") // its losses are lent
	w.must(&schema.Deposit{Account: dora, Asset: usdt, Amount: d("20000")})
	w.must(&schema.SetHedgeMode{Account: dora, On: true})
	return w
}

// delist lets the walk go on while its future ends, until nothing is open and nobody waits for money.
func (w *walk) delist() {
	w.t.Helper()
	w.must(&schema.PlanDelisting{Market: perp, At: w.time + minute})
	for range 80 {
		w.step()
		if w.margins.delisting() {
			w.seen["left for the next tick"]++
		}
	}
	for w.margins.delisting() || w.margins.settling() {
		w.must(&schema.Tick{})
		w.holds()
	}
	if balance, _, _ := w.Balance(clearer, schema.Collateral, usdt); !w.listing.market(perp).Delisted || balance != d("0") {
		w.t.Fatalf("the clearing account keeps %v", balance)
	}
}

func (w *walk) once(in int) bool { return w.random.IntN(in) == 0 }

func (w *walk) number(least, most int64, places int) fixed.Decimal {
	return fixed.FromUnits(least+w.random.Int64N(most-least+1), places)
}

// command is the next one.
func (w *walk) command() schema.Command {
	account := anna + schema.AccountID(w.random.IntN(4))
	ref := schema.OrderRef{Market: perp, ID: 1}
	if open := w.trading.market(perp).orders; len(open) > 0 {
		ref.ID = open[w.random.IntN(len(open))].id
	}
	if w.groups && w.once(3) {
		r := w.request()
		r.Market = perp
		return w.randomGroup(w.random, account, r, func() fixed.Decimal { return w.price(16) })
	}
	switch w.random.IntN(24) {
	case 0:
		return &schema.CancelOrder{Account: account, Order: ref}
	case 1, 2:
		for _, o := range w.trading.market(perp).orders {
			if o.id == ref.ID {
				account = o.account
			}
		}
		return &schema.ModifyOrder{Account: account, Order: ref, Amount: schema.Some(w.number(1, 4000, 3)), Price: schema.Some(w.price(60))}
	case 3, 4:
		if w.inUSD() && !w.steady && w.once(3) {
			return &schema.SetIndex{Market: usdUSDT, Price: w.number(990_000, 1_010_000, 6)}
		}
		index, _ := w.Index(perp)
		moved := of(index).times(whole(w.random.Int64N(41) + 980)).over(whole(1000)).truncate(unit(2))
		return &schema.SetIndex{Market: perp, Source: 0, Price: moved.within(n("20000"), n("90000")).decimal()}
	case 5, 10:
		if !w.margins.settling() && !w.margins.delisting() || w.once(3) {
			w.time += schema.Time(w.random.Int64N(int64(10 * minute)))
		}
		return &schema.Tick{}
	case 6:
		from, to := schema.Collateral, schema.Main
		if w.once(3) {
			from, to = to, from
			w.must(&schema.Deposit{Account: account, Asset: usdt, Amount: d("3000")}) // for those who lost all
		}
		return &schema.Transfer{Account: account, Asset: usdt, Amount: w.number(1, 300_000, 2), From: from, To: to}
	case 7:
		return &schema.SetLeverage{Account: account, Leverage: []uint8{5, 10, 20, 50, 100}[w.random.IntN(5)]}
	case 8:
		return &schema.SetHedgeMode{Account: account, On: w.once(2)}
	case 9:
		return &schema.CancelAll{Account: account, Products: schema.FuturesOrders}
	}
	return order1(account, w.request())
}

// price is one around the mark, in steps of so many thousandths of it in all.
func (w *walk) price(width int64) fixed.Decimal {
	mark := of(w.Mark(perp).Mark)
	return mark.times(whole(1000 - width/2 + w.random.Int64N(width+1))).over(whole(1000)).truncate(unit(0)).decimal()
}

func (w *walk) request() schema.OrderRequest {
	kinds := []schema.OrderType{schema.Limit, schema.Limit, schema.StockMarket, schema.StopLimit, schema.StopStockMarket}
	r := schema.OrderRequest{
		Type: kinds[w.random.IntN(len(kinds))], Side: schema.Side(1 + w.random.IntN(2)), Collateral: true,
		Amount: w.number(1, 4000, 3), Price: w.price(16), ActivationPrice: w.price(16),
		ReduceOnly: w.once(3), PositionSide: schema.PositionSide(w.random.IntN(3)),
	}
	if w.once(2) {
		r.STP = schema.STP(w.random.IntN(4))
	}
	return r
}

// step does a command and looks at everything.
func (w *walk) step() {
	w.t.Helper()
	c := w.command()
	worth, safe := w.worth(), map[schema.AccountID]bool{}
	for _, a := range w.Accounts() {
		safe[a.ID] = w.margins.portfolio(a.ID).covers(one)
	}
	mark, time, free, open := w.Mark(perp), w.time, w.free(), w.Positions()
	w.apply(c)
	w.holds()
	if w.Mark(perp).Mark == mark.Mark && w.Mark(perp).Money == mark.Money && w.worth().cmp(worth) != 0 {
		w.t.Fatalf("%T: all have %v and had %v", c, w.worth().decimal(), worth.decimal())
	}
	w.look()
	w.lookAtGroups(w.seen)
	w.lookAtFunding(c, open)
	if _, ticked := c.(*schema.Tick); ticked && len(w.Positions()) == len(open) && w.Mark(perp) == mark && w.time/minute == time/minute && !slices.Equal(w.free(), free) {
		w.t.Fatalf("a slice of funding made %v free, which were %v", w.free(), free)
	}
	_, placed := c.(*schema.PlaceOrder)
	_, modified := c.(*schema.ModifyOrder)
	_, moved := c.(*schema.Transfer)
	if !placed && !modified && !moved {
		return
	}
	for _, a := range w.Accounts() {
		if safe[a.ID] && !w.margins.portfolio(a.ID).covers(one) && !w.selfTraded() {
			w.t.Fatalf("%T made account %d unsafe", c, a.ID)
		}
	}
}

// look counts what happened, and looks at how positions changed.
func (w *walk) look() {
	w.t.Helper()
	reducing := map[schema.OrderID]bool{}
	for _, e := range w.last.Events {
		e, is := e.(*schema.OrderChanged)
		if !is {
			continue
		}
		reducing[e.Order.ID] = e.Order.ReduceOnly
		switch {
		case e.Cause == schema.ByMargin:
			w.seen["canceled by margin"]++
		case e.Cause == schema.ByReduceOnly:
			w.seen["ended by reduce only"]++
		case e.Change == schema.Activated:
			w.seen["activated"]++
		}
	}
	for i, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.Transferred:
			if e.Transfer.From == schema.Collateral {
				w.seen["moved out"]++
			}
		case *schema.LoanChanged:
			if e.Principal == e.MostLent {
				w.seen["lent"]++
			} else {
				w.seen["repaid"]++
			}
		case *schema.PositionChanged:
			if e.Cause == schema.ByFunding {
				continue
			}
			was, is := w.sizes[e.Position.ID], of(e.Position.Amount).abs()
			if e.Cause == schema.ByDelisting {
				if is.sign() != 0 || was.cmp(of(e.Amount).abs()) != 0 || e.Price != w.Mark(perp).Mark {
					w.t.Fatalf("%v were open: %+v", was.decimal(), e)
				}
				w.seen["closed by delisting"]++
				continue
			}
			if reducing[e.Order] && !is.less(was) {
				w.t.Fatalf("a reduce-only order made a position %+v", e)
			}
			if reducing[e.Order] {
				w.seen["reduced"]++
			}
			w.seen["filled"]++
			w.sizes[e.Position.ID] = is
			if is.sign() > 0 {
				continue
			}
			w.seen["closed"]++
			if next, two := w.last.Events[i+1].(*schema.PositionChanged); two && next.Order == e.Order {
				w.seen["flipped"]++
			}
		}
	}
}

// free is what each account may take out of collateral.
func (w *walk) free() (free []fixed.Decimal) {
	for _, a := range w.Accounts() {
		free = append(free, w.margins.free(a.ID, usdt).decimal())
	}
	return free
}

// lookAtFunding compares what was booked with what was due when the settlement began, to the positions that were open
// before the command, and the sum of it with what the insurance fund got.
func (w *walk) lookAtFunding(c schema.Command, open []schema.Position) {
	w.t.Helper()
	for _, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.FundingSettled:
			if len(w.due) != 0 {
				w.t.Fatalf("settled again before %v were booked", w.due)
			}
			for _, p := range open {
				if due := funding(of(p.Amount), w.margins.instrument(w.trading.market(perp), w.margins.currencies()).at(of(e.Mark)), of(e.Rate), btcPerp().FeePrec); due.sign() != 0 {
					w.due[p.ID] = due
				}
			}
			w.seen["settled"]++
		case *schema.PositionChanged:
			if e.Cause != schema.ByFunding {
				continue
			}
			id := e.Position.ID
			if due, is := w.due[id]; !is || due.cmp(of(e.Funding)) != 0 || e.Amount != e.Position.Amount {
				w.t.Fatalf("%v were due: %+v", w.due[id].decimal(), e)
			}
			delete(w.due, id)
			w.funded = w.funded.plus(of(e.Funding))
			switch c.(type) {
			case *schema.Tick:
				w.seen["funded by a tick"]++
			case *schema.Transfer:
				w.seen["funded by a transfer"]++
			default:
				w.seen["funded by an order"]++
			}
		case *schema.BalanceChanged:
			if e.Account != insurance || e.Asset != usdt {
				continue
			}
			if e.Cause == schema.ByFunding {
				w.rest = w.rest.plus(of(e.Available).minus(w.fund))
				w.seen["left to the fund"]++
			}
			w.fund = of(e.Available)
		}
	}
	if !w.margins.settling() && len(w.due) != 0 {
		w.t.Fatalf("%v were never booked", w.due)
	}
	if w.funded.plus(w.rest).plus(w.collected()).sign() != 0 {
		w.t.Fatalf("positions got %v, the fund %v, and %v are under way", w.funded.decimal(), w.rest.decimal(), w.collected().decimal())
	}
}

func (w *walk) selfTraded() bool {
	for _, deal := range w.Deals() {
		if deal.Maker.Account == deal.Taker.Account {
			return true
		}
	}
	return false
}
