package naive

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// hub is a random life of two pairs, one of them quoted in BTC, beside a future and a spot market without margin.
type hub struct {
	*world
	random *rand.Rand
	seen   map[string]int
}

const (
	ethBTC  schema.MarketID = 3
	ethUSDT schema.MarketID = 4
)

// TestRandomPairs: whatever accounts do and prices become, money is conserved and nobody has and owes of one asset; what an
// account owns changes by what its deals realize and their fees alone; an order that may only reduce never makes a position
// larger; no order makes a safe account unsafe; and who has nothing left is written off.
func TestRandomPairs(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(8) {
		w := newHub(t, seed, seen)
		for range 300 {
			w.step()
		}
		w.delist([][]schema.MarketID{{btcUSDT}, {ethBTC}, {btcUSDT, ethBTC, ethUSDT}}[seed%3]...)
	}
	for _, what := range []string{
		"long", "short", "flipped", "closed", "reduced", "canceled by margin", "refused a loan of base", "refused a loan of quote",
		"lent base", "lent quote", "spot taker, margin maker", "margin taker, spot maker", "two margin orders", "liquidated a pair",
		"bought a loan", "sold an asset", "written off", "paid BTC for an account", "waits", "called", "activated", "delisted a long", "delisted a short",
		"take profit came", "stop loss woke up", "limit leg ended by its group", "spent all units",
	} {
		if seen[what] == 0 {
			t.Errorf("nothing %s: %v", what, seen)
		}
	}
	t.Log(seen)
}

func newHub(t *testing.T, seed uint64, seen map[string]int) *hub {
	w := &hub{world: newPairs(t), random: rand.New(rand.NewPCG(seed, 7)), seen: seen}
	if seed%4 != 0 {
		for _, f := range []schema.Feature{schema.BoundedWork, schema.ExactMoney} {
			w.must(&schema.SetFeature{Feature: f, On: true})
		}
	}
	w.FundingSlice = 2
	pair, cross, plain := btcPair(), btcPair(), btcPair()
	pair.TakerBand, pair.MakerFee = d("1"), d("-0.01")
	cross.Name, cross.Base, cross.Quote, cross.MoneyPrec, cross.MaxLeverage = "ETH_BTC", eth, btc, 5, 5
	plain.Name, plain.Base, plain.Margin = "ETH_USDT", eth, schema.Margin{}
	for _, m := range []schema.MarketInfo{pair, cross, plain} {
		w.must(&schema.SetMarket{Market: m})
	}
	w.index(ethUSDT, 0, "2500")
	w.caps(eth, "0", "100", "40")
	w.caps(usdt, "1", "1000000", "100000")
	w.must(&schema.FundSystem{Account: lending, Asset: eth, Amount: d("50")})
	for i, name := range []string{"dora", "eve"} {
		id := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}}).ID)
		w.collateral(id, usdt, "3000")
		w.collateral(id, btc, []string{"0.1", "1"}[i])
		w.collateral(id, eth, "2")
	}
	w.must(&schema.SetHedgeMode{Account: anna + 3, On: true})
	w.must(&schema.SetLeverage{Account: anna + 4, Leverage: 100})
	for _, a := range []schema.AccountID{ben, carl} {
		for asset, amount := range map[schema.AssetID]string{usdt: "10000000", btc: "300", eth: "5000"} {
			w.fundTrade(a, asset, amount)
		}
	}
	return w
}

func (w *hub) caps(asset schema.AssetID, weight, pool, account string) {
	w.must(&schema.SetCollateral{
		Asset: asset, Weight: d(weight), Rate: d("0.001"), IndexMaxAge: 300 * schema.Second, PoolCap: d(pool), AccountCap: d(account),
	})
}

func (w *hub) once(in int) bool { return w.random.IntN(in) == 0 }

func (w *hub) account() schema.AccountID { return anna + schema.AccountID(w.random.IntN(5)) }

// near is a price so many thousandths around another at most.
func (w *hub) near(price num, thousandths int64, places uint8) fixed.Decimal {
	moved := price.times(whole(1000 - thousandths + w.random.Int64N(2*thousandths+1))).over(whole(1000))
	return moved.truncate(unit(places)).decimal()
}

// command is the next one.
func (w *hub) command() schema.Command {
	a := w.account()
	switch w.random.IntN(24) {
	case 0, 1, 2:
		by := int64(15)
		if w.once(4) {
			by = 350
		}
		m, least, most := btcUSDT, n("20000"), n("90000")
		if w.once(2) {
			m, least, most = ethUSDT, n("800"), n("5000")
		}
		if w.listing.market(m).Delisted {
			m = perp
			least, most = n("20000"), n("90000")
		}
		index, _ := w.Index(m)
		return &schema.SetIndex{Market: m, Price: of(w.near(of(index), by, 2)).within(least, most).decimal()}
	case 3, 4:
		w.time += schema.Time(w.random.Int64N(int64(30 * second)))
		if w.once(10) {
			w.time += 20 * minute
		}
		return &schema.Tick{}
	case 5, 6:
		asset := schema.AssetID(1 + w.random.IntN(3))
		amount := fixed.FromUnits(w.random.Int64N(300)+1, map[schema.AssetID]int{btc: 4, usdt: 0, eth: 2}[asset])
		if w.once(2) {
			return &schema.Transfer{Account: a, Asset: asset, Amount: amount, From: schema.Collateral, To: schema.Main}
		}
		w.must(&schema.Deposit{Account: a, Asset: asset, Amount: amount})
		return &schema.Transfer{Account: a, Asset: asset, Amount: amount, From: schema.Main, To: schema.Collateral}
	case 7:
		return &schema.SetLeverage{Account: a, Leverage: []uint8{3, 10, 100}[w.random.IntN(3)]}
	case 8:
		return &schema.CancelAll{Account: a, Products: schema.Products(w.random.IntN(8))}
	case 9:
		if w.once(3) {
			return &schema.PlanMaintenance{Market: w.pair(), From: w.time + 2, To: w.time + 40*second}
		}
		for _, p := range w.Positions() {
			if p.Account == a && w.once(2) {
				return &schema.ClosePosition{Account: a, Market: p.Market, Position: p.ID}
			}
		}
	case 10:
		amount := fixed.FromUnits(w.random.Int64N(2001)-1000, 1)
		return &schema.FundSystem{Account: lending, Asset: schema.AssetID(1 + w.random.IntN(3)), Amount: amount}
	case 11, 12, 13, 14, 15, 16, 17:
		m := []schema.MarketID{btcUSDT, btcUSDT, ethBTC, ethUSDT}[w.random.IntN(4)]
		r := w.request(m)
		r.Collateral, r.Type = false, schema.Limit
		return on(m, ben+schema.AccountID(w.random.IntN(2)), r)
	case 18:
		return on(perp, a, w.request(perp))
	}
	m := w.pair()
	r := w.request(m)
	if w.once(3) {
		r.Market = m
		return w.randomGroup(w.random, a, r, func() fixed.Decimal { return w.near(w.fair(m), 15, w.listing.market(m).MoneyPrec) })
	}
	return on(m, a, r)
}

func (w *hub) pair() schema.MarketID {
	return []schema.MarketID{btcUSDT, btcUSDT, ethBTC}[w.random.IntN(3)]
}

// fair is what a market is worth.
func (w *hub) fair(m schema.MarketID) num {
	index, _ := w.Index(m)
	return of(index)
}

func (w *hub) request(m schema.MarketID) schema.OrderRequest {
	price := func() fixed.Decimal { return w.near(w.fair(m), 15, w.listing.market(m).MoneyPrec) }
	r := schema.OrderRequest{
		Type: schema.Limit, Side: schema.Side(1 + w.random.IntN(2)), Collateral: true,
		Amount: fixed.FromUnits(w.random.Int64N(900)+1, 3), Price: price(), ActivationPrice: price(),
		ReduceOnly: w.once(6), PositionSide: schema.PositionSide(w.random.IntN(3)),
	}
	if m != btcUSDT && m != perp {
		r.Amount = fixed.FromUnits(w.random.Int64N(9000)+1, 3)
	}
	if w.once(20) { // more than the pool has, for those who could pay
		r.Amount = fixed.FromUnits(w.random.Int64N(60)+1, 0)
	}
	switch w.random.IntN(6) {
	case 0:
		r.Type = schema.StockMarket
	case 1:
		r.Type = []schema.OrderType{schema.StopLimit, schema.StopStockMarket}[w.random.IntN(2)]
	}
	if w.once(2) {
		r.STP = schema.STP(w.random.IntN(4))
	}
	return r
}

// owned is what accounts own of each asset.
func (w *hub) owned() map[debtor]num {
	all := map[debtor]num{}
	for _, a := range w.Accounts() {
		p := w.margins.portfolio(a.ID)
		for _, h := range p.holdings {
			all[debtor{a.ID, schema.AssetID(h.id)}] = p.own(h)
		}
	}
	return all
}

// step does a command and looks at everything.
func (w *hub) step() {
	w.t.Helper()
	c := w.command()
	owned, sizes, safe := w.owned(), map[schema.PositionID]num{}, map[schema.AccountID]bool{}
	for _, p := range w.Positions() {
		sizes[p.ID] = of(p.Amount).abs()
	}
	for _, a := range w.Accounts() {
		safe[a.ID] = w.margins.portfolio(a.ID).covers(one)
	}
	w.LiquidationUnits = []int{1, 3, 8, 1000, 1000, 1000}[w.random.IntN(6)]
	w.apply(c)
	w.look(sizes)
	switch c.(type) {
	case *schema.PlaceOrder, *schema.ClosePosition, *schema.PlaceOCO, *schema.PlaceTPSL, *schema.CancelGroup, *schema.CancelAll:
		w.lookAtTrading(owned, safe)
	case *schema.Tick, *schema.SetIndex:
		if w.risks() {
			w.seen["spent all units"]++
			return
		}
		for _, a := range w.Accounts() {
			p := w.margins.atRisk(a.ID)
			if !p.covers(one) && p.ended(w.Exchange.risk.sellable, w.Exchange.risk.buyable) && !refused(w.last.Result.Rejection) {
				w.t.Fatalf("account %d was not written off: %v", a.ID, p.total().decimal())
			}
			if !p.covers(one) {
				w.seen["waits"]++
			}
		}
	}
}

// lookAtTrading compares what accounts own with what they owned before a command of theirs.
func (w *hub) lookAtTrading(owned map[debtor]num, safe map[schema.AccountID]bool) {
	w.t.Helper()
	selfTraded := slices.ContainsFunc(w.Deals(), func(deal schema.Deal) bool { return deal.Maker.Account == deal.Taker.Account })
	for _, e := range w.last.Events {
		if e, is := e.(*schema.PositionChanged); is {
			who := debtor{e.Position.Account, w.listing.market(e.Position.Market).Quote}
			owned[who] = owned[who].plus(of(e.Realized)).minus(of(e.Fee))
		}
	}
	for who, own := range w.owned() {
		if own.cmp(owned[who]) != 0 {
			w.t.Fatalf("%+v owns %v, want %v", who, own.decimal(), owned[who].decimal())
		}
	}
	for _, a := range w.Accounts() {
		if safe[a.ID] && !selfTraded && !w.margins.portfolio(a.ID).covers(one) {
			w.t.Fatalf("account %d is not safe any more", a.ID)
		}
	}
}

// look checks what must hold, and counts what happened.
func (w *hub) look(sizes map[schema.PositionID]num) {
	w.t.Helper()
	w.holds()
	w.lookAtGroups(w.seen)
	switch w.last.Result.Rejection.Reason {
	case schema.BaseNotLent:
		w.seen["refused a loan of base"]++
	case schema.QuoteNotLent:
		w.seen["refused a loan of quote"]++
	}
	orders, positioned := map[schema.OrderID]schema.Order{}, map[schema.OrderID]bool{}
	for _, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.OrderChanged:
			orders[e.Order.ID] = e.Order
			switch {
			case e.Cause == schema.ByMargin:
				w.seen["canceled by margin"]++
			case e.Change == schema.Activated:
				w.seen["activated"]++
			}
		case *schema.PositionChanged:
			positioned[e.Order] = true
		}
	}
	for i, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.PositionChanged:
			w.lookAtPosition(e, orders[e.Order], sizes)
			if i+1 < len(w.last.Events) && e.Position.Amount.Sign() == 0 {
				if next, two := w.last.Events[i+1].(*schema.PositionChanged); two && next.Order == e.Order && e.Order != 0 {
					w.seen["flipped"]++
				}
			}
		case *schema.Deal:
			w.lookAtDeal(e, orders[e.Maker.Order], orders[e.Taker.Order], positioned)
		case *schema.BalanceChanged:
			if e.Cause == schema.ByLoan && e.Wallet == schema.Collateral {
				w.seen[map[schema.AssetID]string{btc: "lent base", eth: "lent base", usdt: "lent quote"}[e.Asset]]++
			}
			if e.Account == insurance && e.Cause == schema.ByShortfall && e.Asset == btc && of(e.Available).sign() < 0 {
				w.seen["paid BTC for an account"]++
			}
		case *schema.RiskChanged:
			if e.State == marginCall {
				w.seen["called"]++
			}
		case *schema.Shortfall:
			w.seen["written off"]++
		}
	}
}

func (w *hub) lookAtPosition(e *schema.PositionChanged, o schema.Order, sizes map[schema.PositionID]num) {
	w.t.Helper()
	if !isPair(w.listing.market(e.Position.Market)) {
		return
	}
	if e.Position.Side != bothSides || e.Position.Funding != fixed.Zero {
		w.t.Fatalf("%+v on a pair", e.Position)
	}
	was, is := sizes[e.Position.ID], of(e.Position.Amount).abs()
	sizes[e.Position.ID] = is
	switch {
	case e.Cause == schema.ByDelisting && e.Amount.Sign() > 0:
		w.seen["delisted a long"]++
	case e.Cause == schema.ByDelisting:
		w.seen["delisted a short"]++
	case o.ReduceOnly && !is.less(was):
		w.t.Fatalf("a reduce-only order made a position %+v", e)
	case o.ReduceOnly:
		w.seen["reduced"]++
	}
	switch e.Position.Amount.Sign() {
	case 1:
		w.seen["long"]++
	case -1:
		w.seen["short"]++
	default:
		w.seen["closed"]++
	}
}

// lookAtDeal counts who dealt on spot markets. Orders of the risk engine for a loan have no position.
func (w *hub) lookAtDeal(e *schema.Deal, maker, taker schema.Order, positioned map[schema.OrderID]bool) {
	w.t.Helper()
	if w.listing.market(e.Market).Type == schema.Futures {
		return
	}
	forced := taker.ClientID != none
	for _, o := range []schema.Order{maker, taker} {
		if want := o.Collateral && (o.ClientID == none || o.ReduceOnly); positioned[o.ID] != want {
			w.t.Fatalf("a position of %+v: %t", o, positioned[o.ID])
		}
	}
	switch {
	case forced && taker.ReduceOnly:
		w.seen["liquidated a pair"]++
	case forced && taker.Side == schema.Buy:
		w.seen["bought a loan"]++
	case forced:
		w.seen["sold an asset"]++
	case maker.Collateral && taker.Collateral:
		w.seen["two margin orders"]++
	case maker.Collateral:
		w.seen["spot taker, margin maker"]++
	case taker.Collateral:
		w.seen["margin taker, spot maker"]++
	}
}

// delist lets markets end, until nothing is open there.
func (w *hub) delist(markets ...schema.MarketID) {
	w.t.Helper()
	for _, m := range markets {
		w.must(&schema.PlanDelisting{Market: m, At: w.time + second})
	}
	for range 60 {
		w.step()
	}
	w.LiquidationUnits = 1000
	for w.time += minute; w.margins.delisting(); {
		w.must(&schema.Tick{})
		w.look(map[schema.PositionID]num{})
	}
	for _, m := range markets {
		if !w.listing.market(m).Delisted || slices.ContainsFunc(w.Positions(), func(p schema.Position) bool { return p.Market == m }) {
			w.t.Fatalf("market %d is not over", m)
		}
	}
}
