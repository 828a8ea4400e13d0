package naive

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// fall is a random life of two futures and a spot market whose prices jump, and what was seen of it.
type fall struct {
	*world
	random *rand.Rand
	groups bool                                  // of orders are placed too
	ticks  bool                                  // have units too, for what accounts owe too much
	states map[schema.AccountID]schema.RiskState // as events said
	seen   map[string]int
}

// TestRandomLiquidation: however prices jump and however few units there are, money and positions are conserved, deals
// in the book take nothing from an account that it has not, who is deleveraged does not lose, and nobody keeps a debt
// without a position but those who wait.
func TestRandomLiquidation(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(15) {
		traders := newTraders(t)
		if seed >= 13 {
			traders = newTradFi(t, "0.9995", "50000")
		}
		w := newFall(traders, seed, seen)
		w.groups = seed >= 8 && seed < 11
		w.ticks = seed >= 11
		for range 250 {
			w.step()
		}
		w.delist([][]schema.MarketID{{perp}, {ethPerp}, {perp, ethPerp}}[seed%3]...)
	}
	for _, what := range []string{
		"called", "liquidated", "recovered", "dealt in a book", "sold", "paired", "closed an overlap", "written off", "took dust",
		"spent all units", "waits", "ended by liquidation", "ended by deleveraging", "ended a loan", "paid a fee", "activated",
		"closed by delisting", "waits for its delisting", "paid an excess",
	} {
		if seen[what] == 0 {
			t.Errorf("nothing %s: %v", what, seen)
		}
	}
	t.Log(seen)
}

func newFall(traders *world, seed uint64, seen map[string]int) *fall {
	w := &fall{
		world: traders, random: rand.New(rand.NewPCG(seed, 3)),
		states: map[schema.AccountID]schema.RiskState{}, seen: seen,
	}
	if seed%2 == 0 || seed >= 8 {
		for _, f := range []schema.Feature{schema.BoundedWork, schema.ExactMoney} {
			w.must(&schema.SetFeature{Feature: f, On: true})
		}
	}
	w.FundingSlice = 2
	listed := *w.listing.market(perp)
	listed.FundingMinutes, listed.MakerFee = 5, d("-0.01")
	w.must(&schema.SetMarket{Market: listed})
	pair := *w.listing.market(btcUSDT)
	pair.MinAmount, pair.MakerFee, pair.TakerFee = d("0.005"), d("0.05"), d("0.1")
	w.must(&schema.SetMarket{Market: pair})
	w.listETH("2000")
	w.must(&schema.SetCollateral{Asset: eth, IndexMaxAge: 180 * schema.Second})
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), Rate: d("0.001"), IndexMaxAge: second})
	for _, name := range []string{"dora", "eve"} {
		id := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global, TradFi: true}}).ID)
		w.collateral(id, btc, "0.02")
		w.collateral(id, usdt, "500")
		w.must(&schema.SetLeverage{Account: id, Leverage: 100})
	}
	w.must(&schema.SetHedgeMode{Account: anna + 3, On: true})
	for _, a := range []schema.AccountID{ben, carl} {
		w.must(&schema.Deposit{Account: a, Asset: usdt, Amount: d("1000000")})
		w.must(&schema.Transfer{Account: a, Asset: usdt, Amount: d("1000000"), From: schema.Main, To: schema.Trade})
	}
	return w
}

// delist lets the fall go on while futures end, until nothing is open there.
func (w *fall) delist(markets ...schema.MarketID) {
	w.t.Helper()
	for _, m := range markets {
		w.must(&schema.PlanDelisting{Market: m, At: w.time + second})
	}
	for range 80 {
		w.step()
		for _, h := range w.margins.open {
			if w.listing.market(h.market).Delisted && w.Risk(h.account) == schema.Liquidation {
				w.seen["waits for its delisting"]++
			}
		}
	}
	for w.margins.delisting() || w.margins.settling() {
		w.must(&schema.Tick{})
		w.look()
	}
	for _, m := range markets {
		if !w.listing.market(m).Delisted || slices.ContainsFunc(w.Positions(), func(p schema.Position) bool { return p.Market == m }) {
			w.t.Fatalf("market %d is not over", m)
		}
	}
}

func (w *fall) once(in int) bool { return w.random.IntN(in) == 0 }

func (w *fall) account() schema.AccountID { return anna + schema.AccountID(w.random.IntN(5)) }

// near is a price so many thousandths around another at most.
func (w *fall) near(price num, thousandths int64) fixed.Decimal {
	moved := price.times(whole(1000 - thousandths + w.random.Int64N(2*thousandths+1))).over(whole(1000))
	return moved.truncate(unit(2)).decimal()
}

// command is the next one.
func (w *fall) command() schema.Command {
	a, m := w.account(), []schema.MarketID{perp, perp, ethPerp}[w.random.IntN(3)]
	switch w.random.IntN(20) {
	case 0, 1, 2:
		return w.moved(m)
	case 3, 4:
		w.time += schema.Time(w.random.Int64N(int64(30 * second)))
		if w.once(8) {
			w.time += 6 * minute
		}
		return &schema.Tick{}
	case 5:
		amount := fixed.FromUnits(w.random.Int64N(800)+1, 0)
		w.must(&schema.Deposit{Account: a, Asset: usdt, Amount: amount})
		return &schema.Transfer{Account: a, Asset: usdt, Amount: amount, From: schema.Main, To: schema.Collateral}
	case 6:
		amount := fixed.FromUnits(w.random.Int64N(100)+1, 4)
		w.must(&schema.Deposit{Account: a, Asset: btc, Amount: amount})
		return &schema.Transfer{Account: a, Asset: btc, Amount: amount, From: schema.Main, To: schema.Collateral}
	case 7:
		return &schema.SetLeverage{Account: a, Leverage: []uint8{10, 50, 100, 100}[w.random.IntN(4)]}
	case 8:
		if w.once(3) {
			return &schema.PlanMaintenance{Market: m, From: w.time + 2, To: w.time + 40*second}
		}
		for _, p := range w.Positions() {
			if p.Account == a && w.once(2) {
				return &schema.ClosePosition{Account: a, Market: p.Market, Position: p.ID}
			}
		}
		return &schema.CancelAll{Account: a}
	case 9:
		index, _ := w.Index(btcUSDT)
		return on(btcUSDT, ben+schema.AccountID(w.random.IntN(2)), schema.OrderRequest{
			Type: schema.Limit, Side: schema.Buy, Amount: fixed.FromUnits(w.random.Int64N(20)+5, 3), Price: w.near(of(index), 30),
		})
	}
	mark := of(w.Mark(m).Mark)
	r := schema.OrderRequest{
		Type: schema.Limit, Side: schema.Side(1 + w.random.IntN(2)), Collateral: true,
		Amount: fixed.FromUnits(w.random.Int64N(800)+1, 3), Price: w.near(mark, 10), ActivationPrice: w.near(mark, 10),
		ReduceOnly: w.once(6), PositionSide: schema.PositionSide(1 + w.random.IntN(2)),
	}
	if m == ethPerp {
		r.Amount = fixed.FromUnits(w.random.Int64N(20000)+1, 3)
	}
	switch w.random.IntN(5) {
	case 0:
		r.Type = schema.StockMarket
	case 1:
		r.Type = []schema.OrderType{schema.StopLimit, schema.StopStockMarket}[w.random.IntN(2)]
	}
	if w.groups && w.once(3) {
		r.Market = m
		return w.randomGroup(w.random, a, r, func() fixed.Decimal { return w.near(mark, 10) })
	}
	return on(m, a, r)
}

// moved is another index: a little away, or a gap.
func (w *fall) moved(m schema.MarketID) *schema.SetIndex {
	if w.inUSD() && w.once(4) {
		return &schema.SetIndex{Market: usdUSDT, Price: fixed.FromUnits(980_000+w.random.Int64N(40_001), 6)}
	}
	if m == perp {
		m = btcUSDT // where BTC has a price without its future too
	}
	index, _ := w.Index(m)
	by := int64(15)
	if w.once(4) {
		by = 150
	}
	least, most := n("20000"), n("90000")
	if m == ethPerp {
		least, most = n("800"), n("3600")
	}
	return &schema.SetIndex{Market: m, Price: of(w.near(of(index), by)).within(least, most).decimal()}
}

// step does a command. One that lets accounts be liquidated is done in two: without units, which shows how accounts are,
// and then by the same index with units.
func (w *fall) step() {
	w.t.Helper()
	c := w.command()
	w.LiquidationUnits = 0
	marks := func() [3]fixed.Decimal {
		return [3]fixed.Decimal{w.Mark(perp).Mark, w.Mark(perp).Money, w.Mark(ethPerp).Mark}
	}
	worth, were := w.worth(), marks()
	w.apply(c)
	w.look()
	if marks() == were && w.worth().cmp(worth) != 0 {
		w.t.Fatalf("%T: all have %v and had %v", c, w.worth().decimal(), worth.decimal())
	}
	switch c.(type) {
	case *schema.SetIndex, *schema.Tick:
	default:
		return
	}
	if refused(w.last.Result.Rejection) { // the index of ETH, which has no market but its future
		return
	}
	before := map[schema.AccountID]*portfolio{}
	for _, a := range w.Accounts() {
		p := w.margins.atRisk(a.ID)
		before[a.ID] = p
		if unsafe := w.Risk(a.ID) == schema.Liquidation; unsafe == p.covers(one) || unsafe && w.couldDo(p) && !w.risks() {
			w.t.Fatalf("account %d is in %v with %v of %v", a.ID, w.Risk(a.ID), p.total().decimal(), p.maintenance().decimal())
		}
	}
	worth = w.worth()
	w.LiquidationUnits = []int{1, 2, 3, 5, 8, 1000, 1000}[w.random.IntN(7)]
	index, _ := w.Index(btcUSDT)
	w.must(&schema.SetIndex{Market: btcUSDT, Price: index})
	if w.risks() {
		w.seen["spent all units"]++
	}
	w.look()
	if w.worth().cmp(worth) != 0 {
		w.t.Fatalf("all have %v and had %v", w.worth().decimal(), worth.decimal())
	}
	w.lookAtAccounts(before)
	w.payExcess()
}

// payExcess lets a tick come with units, and looks at the accounts that are still noted, and at those that are not in liquidation
// and were made to deal.
func (w *fall) payExcess() {
	w.t.Helper()
	if !w.ticks || !w.once(3) {
		return
	}
	was := maps.Clone(w.margins.overdrawn)
	w.must(&schema.Tick{})
	w.look()
	for _, a := range w.Accounts() {
		liquidated := w.Risk(a.ID) == schema.Liquidation
		if w.margins.overdrawn[a.ID] && !w.margins.owesTooMuch(a.ID) && !liquidated && !w.risks() {
			w.t.Fatalf("account %d is still noted", a.ID)
		}
		if w.margins.owesTooMuch(a.ID) && was[a.ID] && !w.margins.overdrawn[a.ID] {
			w.t.Fatalf("account %d is no longer noted", a.ID)
		}
	}
	for _, deal := range w.Deals() {
		if deal.Taker.ClientID != none && !deal.OffBook && was[deal.Taker.Account] && deal.Market == btcUSDT && w.Risk(deal.Taker.Account) != schema.Liquidation {
			w.seen["paid an excess"]++
		}
	}
}

// couldDo reports whether something of an account can be done without anybody else: an order to cancel.
func (w *fall) couldDo(p *portfolio) bool {
	for _, s := range p.seats {
		m := w.trading.market(schema.MarketID(s.market.id))
		if !s.empty() && !s.market.stale() && tradable(m) && len(s.orders) > 0 {
			return true
		}
	}
	return false
}

// look checks what must hold, and counts what happened.
func (w *fall) look() {
	w.t.Helper()
	w.holds()
	w.lookAtGroups(w.seen)
	deals, reduced := map[schema.DealID]*schema.Deal{}, map[schema.DealID]bool{}
	for _, e := range w.last.Events {
		if deal, is := e.(*schema.Deal); is {
			deals[deal.ID] = deal
		}
	}
	for _, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.RiskChanged:
			if w.states[e.Account] == e.State {
				w.t.Fatalf("%+v is nothing new", e)
			}
			w.states[e.Account] = e.State
			w.seen[map[schema.RiskState]string{schema.RiskNone: "recovered", schema.MarginCall: "called", schema.Liquidation: "liquidated"}[e.State]]++
		case *schema.Deal:
			forced := e.Taker.ClientID != none
			if e.OffBook {
				w.seen["paired"]++
			} else if forced && e.Market == btcUSDT {
				w.seen["sold"]++
			} else if forced {
				w.seen["dealt in a book"]++
			}
		case *schema.PositionChanged:
			switch e.Cause {
			case schema.ByLiquidation:
				w.seen["closed an overlap"]++
			case schema.ByDelisting:
				w.seen["closed by delisting"]++
			}
			if deal := deals[e.Deal]; deal != nil && deal.OffBook && deal.Maker.Order == e.Order {
				reduced[e.Deal] = true
				// What is paid in another money than prices are in may be a unit less than the entry was.
				if of(e.Realized).less(unit(8).neg()) || !w.inUSD() && of(e.Realized).sign() < 0 || of(e.Fee).sign() != 0 {
					w.t.Fatalf("who won lost: %+v", e)
				}
			}
		case *schema.OrderChanged:
			switch {
			case e.Order.Status == schema.AutoCanceledLiquidation:
				w.seen["ended by liquidation"]++
			case e.Cause == schema.ByDeleveraging && e.Order.Status != schema.Filled:
				w.seen["ended by deleveraging"]++
			case e.Change == schema.Activated:
				w.seen["activated"]++
			}
		case *schema.LoanChanged:
			if e.Liquidated {
				w.seen["ended a loan"]++
			}
		case *schema.Shortfall:
			w.seen["written off"]++
		case *schema.BalanceChanged:
			if e.Account == insurance && e.Cause == schema.ByLiquidation {
				w.seen["paid a fee"]++
			}
			if e.Account == insurance && e.Cause == schema.ByShortfall && e.Asset != usdt {
				w.seen["took dust"]++
			}
		}
	}
	for id, deal := range deals {
		if deal.OffBook && !reduced[id] {
			w.t.Fatalf("no position changed by %+v", deal)
		}
	}
	for _, a := range w.Accounts() {
		if w.states[a.ID] != w.Risk(a.ID) {
			w.t.Fatalf("account %d is in %v, events said %v", a.ID, w.Risk(a.ID), w.states[a.ID])
		}
	}
}

// lookAtAccounts compares what accounts had before a run with what they have.
func (w *fall) lookAtAccounts(before map[schema.AccountID]*portfolio) {
	w.t.Helper()
	for _, a := range w.Accounts() {
		was, is := before[a.ID], w.margins.atRisk(a.ID)
		onlyBook := !slices.ContainsFunc(w.Deals(), func(deal schema.Deal) bool {
			return deal.Maker.Account == a.ID || deal.Taker.Account == a.ID && (deal.OffBook || deal.Market == btcUSDT || deal.Taker.ClientID == none)
		})
		if was.total().sign() > 0 && is.total().sign() < 0 && onlyBook {
			w.t.Fatalf("account %d had %v and has %v", a.ID, was.total().decimal(), is.total().decimal())
		}
		exposed := slices.ContainsFunc(is.seats, func(s *seat) bool { return !s.empty() })
		if is.total().sign() >= 0 || exposed || w.risks() || is.covers(one) {
			continue
		}
		if is.ended(w.Exchange.risk.sellable, w.Exchange.risk.buyable) && w.Risk(a.ID) == schema.Liquidation {
			w.t.Fatalf("account %d was not written off: %v", a.ID, is.total().decimal())
		}
		w.seen["waits"]++
	}
}
