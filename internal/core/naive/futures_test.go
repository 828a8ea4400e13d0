package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

// newTraders is an exchange with BTC at 50000, where customers have collateral: 1000 USDT for anna, who has a leverage
// of 100, 100000 USDT for ben and carl, who have that of 10.
func newTraders(t *testing.T) *world {
	w := newFutures(t)
	w.index(perp, 0, "50000")
	w.newCustomers(false)
	return w
}

// newCustomers opens the accounts of newTraders, which may trade TradFi futures or not.
func (w *world) newCustomers(tradFi bool) {
	w.t.Helper()
	for i, name := range []string{"anna", "ben", "carl"} {
		id := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global, TradFi: tradFi}}).ID)
		w.collateral(id, usdt, []string{"1000", "100000", "100000"}[i])
	}
	w.must(&schema.SetLeverage{Account: anna, Leverage: 100})
}

// collateral brings money in.
func (w *world) collateral(a schema.AccountID, s schema.AssetID, amount string) {
	w.t.Helper()
	w.must(&schema.Deposit{Account: a, Asset: s, Amount: d(amount)})
	w.must(&schema.Transfer{Account: a, Asset: s, Amount: d(amount), From: schema.Main, To: schema.Collateral})
}

// out takes collateral out.
func out(a schema.AccountID, s schema.AssetID, amount string) *schema.Transfer {
	return &schema.Transfer{Account: a, Asset: s, Amount: d(amount), From: schema.Collateral, To: schema.Main}
}

// bid and ask are orders on the future.
func bid(amount, price string) schema.OrderRequest { return onFuture(limit(schema.Buy, amount, price)) }

func ask(amount, price string) schema.OrderRequest {
	return onFuture(limit(schema.Sell, amount, price))
}

func onFuture(r schema.OrderRequest) schema.OrderRequest {
	r.Collateral = true
	return r
}

// atMarket is an order at the market, of an amount of the base.
func atMarket(s schema.Side, amount string) schema.OrderRequest {
	return onFuture(schema.OrderRequest{Type: schema.StockMarket, Side: s, Amount: d(amount)})
}

func reducing(r schema.OrderRequest) schema.OrderRequest {
	r.ReduceOnly = true
	return r
}

func stopping(r schema.OrderRequest, activation string) schema.OrderRequest {
	r.ActivationPrice = d(activation)
	r.Type = schema.StopLimit
	if r.Price == d("0") {
		r.Type = schema.StopStockMarket
	}
	return r
}

func onSide(s schema.PositionSide, r schema.OrderRequest) schema.OrderRequest {
	r.PositionSide = s
	return r
}

// cross lets an order meet one of the other side.
func (w *world) cross(maker, taker schema.AccountID, r schema.OrderRequest) schema.Order {
	w.t.Helper()
	against := r
	against.Side = opposite(r.Side)
	against.TakeProfit, against.StopLoss = d("0"), d("0")
	w.place(maker, against)
	return w.place(taker, r)
}

// positions compares what an account has open: amount and cost of each.
func (w *world) positions(a schema.AccountID, want ...string) {
	w.t.Helper()
	var got []string
	for _, p := range w.Positions() {
		if p.Account == a {
			got = append(got, p.Amount.String(), p.Cost.String())
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("account %d has %v, want %v", a, got, want)
	}
}

// has compares what an account has in its collateral wallet, and what it owes.
func (w *world) has(a schema.AccountID, s schema.AssetID, collateral, debt string) {
	w.t.Helper()
	has, _, _ := w.Balance(a, schema.Collateral, s)
	owes, _, _ := w.Balance(a, schema.Debt, s)
	if has != d(collateral) || owes != d(debt) {
		w.t.Errorf("account %d has %v and owes %v of asset %d, want %s and %s", a, has, owes, s, collateral, debt)
	}
}

// ended are the orders that ended with the last command, by status.
func (w *world) ended(status schema.Status) (ids []schema.OrderID) {
	for _, e := range w.last.Events {
		if e, is := e.(*schema.OrderChanged); is && e.Change == schema.Closed && e.Order.Status == status {
			ids = append(ids, e.Order.ID)
		}
	}
	return ids
}

// TestBobOpens: 975 of 1000 USDT are left after the fee for 1 BTC.
func TestBobOpens(t *testing.T) {
	w := newTraders(t)
	w.place(ben, ask("1", "50000"))
	w.happened("level sell 50000: 1", "order 1 opened by request: OPEN left 1")
	w.order(w.place(anna, bid("1", "50000")), schema.Filled, "0", "1", "50000", "25")
	w.happened(
		"102 collateral of 2 by fee for 1: 99990 0",
		"2 main of 2 by fee for 1: 10 0",
		"position 1 of 102 BOTH: -1 for -50000, 1 at 50000 realized 0 fee 10",
		"101 collateral of 2 by fee for 1: 975 0",
		"2 main of 2 by fee for 1: 35 0",
		"position 2 of 101 BOTH: 1 for 50000, 1 at 50000 realized 0 fee 25",
		"deal 1: 1 at 50000",
		"level sell 50000: 0",
		"order 1 closed by trade: FILLED left 0",
		"order 2 closed by trade: FILLED left 0",
	)
	p := w.margins.portfolio(anna)
	same(t, "E", p.equity(), "975")
	same(t, "margin", p.margin(), "500")
	w.holds()
	// What the margin does not need may leave.
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("475")}, out(anna, usdt, "475.00000001"))
	w.must(out(anna, usdt, "475"))
	w.index(perp, 0, "49800") // 300 for 498
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("0")}, out(anna, usdt, "1"))
}

// TestAlice: the numbers of an account with two assets and a mark above its index.
func TestAlice(t *testing.T) {
	w := newTraders(t)
	w.must(&schema.SetLeverage{Account: anna, Leverage: 20})
	w.collateral(anna, usdt, "4000")
	w.collateral(anna, btc, "0.2")
	w.cross(carl, anna, bid("1", "50000"))
	w.place(carl, bid("1", "50024.68"))
	w.place(carl, ask("1", "50024.7"))
	for i := range schema.Time(30) {
		w.tick(noon + (i+1)*slot)
	}
	p := w.margins.portfolio(anna)
	same(t, "E", p.equity(), "14475")
	same(t, "U", p.unrealized(), "12.34")
	same(t, "IM", p.margin(), "2500.617")
	same(t, "free", p.freeMargin(), "11986.723")
	same(t, "MM", p.maintenance(), "1250.3085")
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("4975")}, out(anna, usdt, "4975.1"))
	w.must(out(anna, btc, "0.2"))
	same(t, "E without BTC", w.margins.portfolio(anna).equity(), "4975")
	// 2474.383 are free, and a profit cannot leave.
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("2474.383")}, out(anna, usdt, "2475"))
	w.tick(noon + 2*hour) // the index is stale
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("0")}, out(anna, usdt, "1"))
	w.holds()
}

// TestCostOfAPosition: what is realized is never too high.
func TestCostOfAPosition(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("0.3", "50000"))
	w.cross(carl, ben, bid("0.1", "50100.01"))
	w.positions(ben, "0.4", "20010.001")
	w.positions(carl, "-0.4", "-20010.001")
	w.cross(carl, ben, ask("0.1", "50200"))
	w.positions(ben, "0.3", "15007.50075")
	w.has(ben, usdt, "100004.98475", "0") // fees of 7.5, 2.505 (cut off) and 2.51, and 17.49975
	w.holds()
	w.cross(carl, ben, ask("0.3", "50000"))
	for _, e := range w.last.Events {
		e, is := e.(*schema.PositionChanged)
		if !is || e.Position.Account != ben {
			continue
		}
		// All that was paid and got, and the fees of 0.4 bought and sold.
		if p := e.Position; p.Realized != d("9.999") || p.Entered != d("0.4") || p.Paid != d("20010.001") || p.Fees != d("20.015") {
			t.Errorf("%+v", p)
		}
	}
	w.positions(ben)
	w.positions(carl)
	if left, _, _ := w.Balance(schema.Clearing, schema.Collateral, usdt); left != d("0") {
		t.Errorf("%v are left", left)
	}
	w.holds()
}

// TestFlip: one deal and two positions, whose fee is split.
func TestFlip(t *testing.T) {
	w := newTraders(t)
	w.cross(carl, ben, bid("0.002", "50000"))
	w.cross(carl, ben, ask("0.005", "50010.01"))
	// The taker's fee is 250.05005 * 0.05 % = 0.125025, of which 2/5 are 0.05001; the maker's 0.05001, of it 0.020004.
	w.happened(
		"103 collateral of 2 by realized PnL for 2: 99999.95998 0",
		"6 collateral of 2 by realized PnL for 2: 0.02002 0",
		"103 collateral of 2 by fee for 2: 99999.90997 0",
		"2 main of 2 by fee for 2: 0.12001 0",
		"position 1 of 103 BOTH: 0 for 0, 0.002 at 50010.01 realized -0.02002 fee 0.020004",
		"position 3 of 103 BOTH: 0.003 for 150.03003, 0.003 at 50010.01 realized 0 fee 0.030006",
		"6 collateral of 2 by realized PnL for 2: 0 0",
		"102 collateral of 2 by realized PnL for 2: 99999.97002 0",
		"102 collateral of 2 by fee for 2: 99999.844995 0",
		"2 main of 2 by fee for 2: 0.245035 0",
		"position 2 of 102 BOTH: 0 for 0, 0.002 at 50010.01 realized 0.02002 fee 0.05001",
		"position 4 of 102 BOTH: -0.003 for -150.03003, 0.003 at 50010.01 realized 0 fee 0.075015",
		"deal 2: 0.005 at 50010.01",
		"level buy 50010.01: 0",
		"order 3 closed by trade: FILLED left 0",
		"order 4 closed by trade: FILLED left 0",
	)
	p := w.Positions()[1]
	if p.ID != 4 || p.Entered != d("0.003") || p.Paid != d("150.03003") || p.Fees != d("0.075015") || p.Opened != w.time {
		t.Errorf("%+v", p)
	}
	w.holds()
}

// TestForcedLoan: a loss that is not there is lent, 40000 cost 1.4625 in 90 minutes, and what comes in repays.
func TestForcedLoan(t *testing.T) {
	w := newTraders(t)
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), Rate: d("0.000024375"), IndexMaxAge: second})
	w.tick(noon + minute)
	w.collateral(anna, btc, "2")
	w.must(out(anna, usdt, "1000"))
	for _, a := range []schema.AccountID{anna, ben} {
		w.must(&schema.SetFee{Account: a, Market: perp, Maker: schema.Some(d("0")), Taker: schema.Some(d("0"))})
	}
	w.must(&schema.SetLeverage{Account: anna, Leverage: 10})
	w.cross(ben, anna, bid("8", "50000"))
	w.place(ben, bid("8", "45000"))
	w.place(anna, reducing(ask("8", "45000")))
	w.happened(
		"6 collateral of 2 by realized PnL for 2: -40000 0",
		"102 collateral of 2 by realized PnL for 2: 140000 0",
		"position 1 of 102 BOTH: 0 for 0, 8 at 45000 realized 40000 fee 0",
		"5 main of 2 by loan for 2: -40000 0",
		"101 collateral of 2 by loan for 2: 40000 0",
		"5 debt of 2 by loan for 2: -40000 0",
		"101 debt of 2 by loan for 2: 40000 0",
		"loan of 101: 40000 and 0",
		"101 collateral of 2 by realized PnL for 2: 0 0",
		"6 collateral of 2 by realized PnL for 2: 0 0",
		"position 2 of 101 BOTH: 0 for 0, 8 at 45000 realized -40000 fee 0",
		"deal 2: 8 at 45000",
		"level buy 45000: 0",
		"order 3 closed by trade: FILLED left 0",
		"order 4 closed by trade: FILLED left 0",
	)
	opened := w.time
	w.tick(noon + 31*minute - 1)
	w.tick(noon + 91*minute)
	same(t, "E", w.margins.portfolio(anna).equity(), "54998.5375") // 95000 less 40001.4625
	w.must(&schema.Transfer{Account: anna, Asset: usdt, Amount: d("100"), From: schema.Main, To: schema.Collateral})
	w.happened(
		"101 main of 2 by transfer for 0: 900 0",
		"101 collateral of 2 by transfer for 0: 100 0",
		"5 debt of 2 by interest for 0: -40001.4625 0",
		"101 debt of 2 by interest for 0: 40001.4625 0",
		"101 collateral of 2 by repayment for 0: 0 0",
		"5 main of 2 by repayment for 0: -39900 0",
		"101 debt of 2 by repayment for 0: 39901.4625 0",
		"5 debt of 2 by repayment for 0: -39901.4625 0",
		"loan of 101: 39901.4625 and 0",
		"*schema.Transferred",
	)
	if l := w.Loans(); len(l) != 1 || l[0].MostOwed != d("40001.4625") || l[0].MostLent != d("40000") || l[0].Cost != d("1.4625") || l[0].Opened != opened {
		t.Errorf("loans: %+v", l)
	}
	w.has(anna, usdt, "0", "39901.4625")
	w.holds()

	// Without a fresh price nothing leaves; with one what is neither owed nor bound.
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("0")}, out(anna, btc, "1"))
	w.index(perp, 0, "50000")
	// 95000 less 39901.4625, less a tenth of the loan, of 47500 each.
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("1.07596613")}, out(anna, btc, "2"))

	// What repays all of it ends it.
	w.collateral(anna, usdt, "39901.4625")
	w.has(anna, usdt, "0", "0")
	if len(w.Loans()) != 0 {
		t.Errorf("loans: %+v", w.Loans())
	}
	w.holds()
}

// TestInterestCountsFromTheMinuteOfTheLoan: what was before it is nobody's.
func TestInterestCountsFromTheMinuteOfTheLoan(t *testing.T) {
	w := newTraders(t)
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), Rate: d("0.6"), IndexMaxAge: second})
	w.collateral(anna, btc, "1")
	w.must(out(anna, usdt, "1000"))
	w.cross(ben, anna, bid("1", "50000"))
	w.has(anna, usdt, "0", "25")
	owes := func(want string) {
		t.Helper()
		same(t, "accrued", w.margins.accrued(anna, usdt), want)
	}
	w.tick(noon + 3*minute + 1)
	owes("0.75")
	w.tick(noon + 4*minute - 1)
	owes("0.75")
	w.tick(noon + 4*minute)
	owes("1")
	w.must(&schema.SetCollateral{Asset: usdt, Weight: d("1"), Rate: d("0.06"), IndexMaxAge: second})
	w.tick(noon + 6*minute)
	owes("1.05")
	w.must(&schema.Transfer{Account: anna, Asset: usdt, Amount: d("0.2"), From: schema.Main, To: schema.Collateral})
	w.has(anna, usdt, "0", "25.85")
	if l := w.Loans()[0]; l.Principal != d("25") || l.Interest != d("0.85") { // interest is paid first
		t.Errorf("%+v", l)
	}
	w.tick(noon + 7*minute)
	owes("0.025") // of the principal alone
}

// holds checks what must hold after each command.
func (w *world) holds() {
	w.t.Helper()
	w.consistent()
	debts := map[schema.AssetID]num{}
	for key, b := range w.ledger.balances {
		if key.wallet != schema.Debt || key.account < schema.FirstCustomer {
			continue
		}
		debts[key.asset] = debts[key.asset].plus(b.available)
		has := w.ledger.balance(key.account, schema.Collateral, key.asset).available
		if has.sign() > 0 && b.available.sign() > 0 {
			w.t.Fatalf("%+v owes %v and has %v", key, b.available.decimal(), has.decimal())
		}
		loan := num{}
		if d := w.margins.debts[debtor{key.account, key.asset}]; d != nil {
			loan = d.debt()
		}
		if loan.cmp(b.available) != 0 {
			w.t.Fatalf("%+v owes %v, its loan is %v", key, b.available.decimal(), loan.decimal())
		}
	}
	for asset, sum := range debts {
		if mirror := w.ledger.balance(lending, schema.Debt, asset).available; mirror.plus(sum).sign() != 0 {
			w.t.Fatalf("customers owe %v, the pool has %v", sum.decimal(), mirror.decimal())
		}
	}
	sizes, cost := map[schema.MarketID]num{}, num{}
	for _, h := range w.margins.open {
		if !isPair(w.listing.market(h.market)) { // whose positions are against nobody
			sizes[h.market] = sizes[h.market].plus(h.size)
			cost = cost.plus(h.cost)
		}
		if h.empty() || h.side == longSide && !h.long() || h.side == shortSide && h.long() {
			w.t.Fatalf("position %+v", h.view())
		}
	}
	open := num{} // the worth of what is left of delisted futures, whose other side was closed
	for m, sum := range sizes {
		switch {
		case w.listing.market(m).Delisted:
			open = open.plus(sum.times(w.margins.lastPrice(w.trading.market(m))))
		case sum.sign() != 0:
			w.t.Fatalf("the positions on market %d sum up to %v", m, sum.decimal())
		}
	}
	balance, collected := w.ledger.balance(clearer, schema.Collateral, usdt).available, w.collected()
	if balance.plus(cost).cmp(collected.plus(open)) != 0 {
		w.t.Fatalf("the costs are %v, the clearing account has %v, %v of them for funding and %v for delisting",
			cost.decimal(), balance.decimal(), collected.decimal(), open.decimal())
	}
	for _, m := range w.trading.all() {
		w.groupsHold(m)
		for _, o := range m.orders {
			if w.margins.reducesNothing(o) {
				w.t.Fatalf("order %+v reduces nothing", o.view())
			}
		}
	}
}

// collected is what the clearing account has of settlements of funding that are under way.
func (w *world) collected() num {
	sum := num{}
	for _, f := range w.prices.futures {
		if f.settling != nil {
			sum = sum.plus(f.settling.collected)
		}
	}
	return sum
}

// worth is what everyone together has, by the mark. Only deposits and withdrawals change it while that stands.
func (w *world) worth() num {
	sum := w.collected()
	for key, b := range w.ledger.balances {
		if key.asset == usdt && key.account != schema.Outside && key.account != clearer {
			money := b.available.plus(b.frozen)
			if key.wallet == schema.Debt {
				money = money.neg()
			}
			sum = sum.plus(money)
		}
	}
	for _, a := range w.Accounts() {
		sum = sum.plus(w.margins.portfolio(a.ID).unrealized())
	}
	for _, h := range w.margins.open { // what is delisted is closed at a price that may be cut off
		if m := w.trading.market(h.market); m.Delisted && isFuture(m.MarketInfo) {
			cut := w.margins.lastPrice(m).minus(w.margins.instrument(m, w.margins.currencies()).price())
			sum = sum.plus(h.size.times(cut))
		}
	}
	return sum
}

// inUSD reports whether the first market has its prices in USD.
func (w *world) inUSD() bool { return isTradFi(w.listing.market(perp)) }
