package core

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// overdrawn is a debtor for whose BTC somebody bids on the spot market, at 39500 with an index of 40000. Her margin is enough.
func overdrawn(t testing.TB, cap, bid string) (f *venue, alice schema.AccountID) {
	f, alice, rich := debtor(t, nil)
	if cap != "" {
		f.do(&schema.SetCollateral{Asset: venueUSDT, Weight: fixed.One, AccountCap: d(cap), IndexMaxAge: 30 * schema.Second})
	}
	f.do(&schema.Deposit{Account: rich, Asset: venueUSDT, Amount: d("100000")})
	f.do(&schema.Transfer{Account: rich, Asset: venueUSDT, Amount: d("100000"), From: schema.Main, To: schema.Trade})
	f.do(&schema.PlaceOrder{Account: rich, Order: schema.OrderRequest{Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: d("1"), Price: d(bid)}})
	return f, alice
}

// TestADebtAboveTheCapIsPaidBySales: a loss that was lent beyond what an account may borrow is paid by the next tick, which sells what
// the account owns, as far as it is above the cap.
func TestADebtAboveTheCapIsPaidBySales(t *testing.T) {
	for _, tt := range []struct {
		cap, sold, left string
	}{
		// 955.5 / 40000 = 0.0238875, in steps of 0.000001.
		{"", "0.023888", "11.924"},
		// 55.5 / 40000 = 0.0013875.
		{"900", "0.001388", "900.674"},
		{"955.5", "", "955.5"},
	} {
		f, alice := overdrawn(t, tt.cap, "39500")
		out := f.tick()
		f.has(risks(out))
		if tt.sold == "" {
			if list := closed(out); len(list) != 0 {
				t.Errorf("cap %s: %+v", tt.cap, list)
			}
		} else if list := closed(out); len(list) != 1 || list[0].Order.Amount != d(tt.sold) || list[0].Order.Status != schema.Filled ||
			list[0].Order.Account != alice || list[0].Cause != schema.ByLiquidation || !list[0].Order.Collateral {
			t.Errorf("cap %s: %+v", tt.cap, list)
		}
		f.balance(alice, schema.Debt, tt.left)
		f.agrees()
	}
}

// TestAnOverdraftWaits: where nobody buys near the index nothing happens, and an index does not sell; the tick after somebody came does.
func TestAnOverdraftWaits(t *testing.T) {
	f, alice := overdrawn(t, "900", "39199.99")
	for range 3 {
		if out := f.tick(); len(closed(out)) != 0 {
			t.Errorf("it was sold below the limit: %+v", closed(out))
		}
	}
	rich := f.m.Accounts().ByName("rich").ID
	f.do(&schema.PlaceOrder{Account: rich, Order: schema.OrderRequest{Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: d("1"), Price: d("40000")}})
	if out := f.priced("40000.01"); len(closed(out)) != 0 {
		t.Errorf("an index sold: %+v", closed(out))
	}
	f.tick()
	f.balance(alice, schema.Debt, "899.98")
	f.agrees()
}

// TestAnOverdraftEnds: one that was paid otherwise, or that may be owed by now, sells nothing; what is owed by a lower cap alone is none.
func TestAnOverdraftEnds(t *testing.T) {
	f, alice := overdrawn(t, "", "39500")
	f.give(alice, venueUSDT, "955.5")
	f.give(alice, venueUSDT, "0.000001")
	if out := f.tick(); len(closed(out)) != 0 {
		t.Errorf("nothing was owed: %+v", closed(out))
	}
	f.agrees()

	f, alice = overdrawn(t, "2000", "39500")
	f.tick() // that takes her off the list
	f.do(&schema.SetCollateral{Asset: venueUSDT, Weight: fixed.One, AccountCap: d("1"), IndexMaxAge: 30 * schema.Second})
	if out := f.tick(); len(closed(out)) != 0 {
		t.Errorf("a cap that was lowered sold: %+v", closed(out))
	}
	f.balance(alice, schema.Debt, "955.5")
	f.agrees()
}

// TestWhatAShortWasSoldWithIsNotSoldAgain: BTC that an account owns and sold as a short is hers and not there. Sold again it would be owed,
// and bought back by the tick after.
func TestWhatAShortWasSoldWithIsNotSoldAgain(t *testing.T) {
	f := newPairs(t)
	f.do(&schema.SetCollateral{Asset: venueUSDT, Weight: fixed.One, PoolCap: d(poolOfUSDT), AccountCap: d("60"), IndexMaxAge: 3600 * schema.Second})
	house, alice := f.house(), f.trader("alice", "1", 10)
	f.give(alice, venueBTC, "1")
	f.do(traded(pairBTC, house, schema.Buy, "2", "50000"))
	f.do(on(pairBTC, alice, schema.Sell, "1", "50000"))
	f.do(traded(pairEther, house, schema.Sell, "20", "2500"))
	f.do(on(pairEther, alice, schema.Buy, "20", "2500"))
	f.held(alice, venueUSDT, "0", "99") // 1 + 50000 - 50 - 50000 - 50
	f.stands(alice, "47401", "0", "10009.9")
	for range 2 {
		if out := f.tick(); len(closed(out)) != 0 {
			t.Errorf("it was sold: %+v", closed(out))
		}
	}
	f.give(alice, venueBTC, "0.1") // which is there: 39 / 50000
	if list := closed(f.tick()); len(list) != 1 || list[0].Order.Amount != d("0.00078") {
		t.Errorf("it was not sold: %+v", list)
	}
	f.agrees()
}

// TestADebtOfAnotherAssetAboveTheCapIsBought: fees in BTC are owed beyond what may be owed of BTC; they are bought with USDT.
func TestADebtOfAnotherAssetAboveTheCapIsBought(t *testing.T) {
	f := newPairs(t)
	f.do(&schema.SetCollateral{Asset: venueBTC, Weight: d("0.95"), PoolCap: d(poolOfBTC), AccountCap: d("0.2"), IndexMaxAge: 3600 * schema.Second})
	house, alice := f.house(), f.trader("alice", "5000", 10)
	f.do(traded(pairCross, house, schema.Sell, "4", "0.05"))
	f.do(on(pairCross, alice, schema.Buy, "4", "0.05"))
	f.held(alice, venueBTC, "0", "0.2002")
	f.do(traded(pairBTC, house, schema.Sell, "1", "50500"))
	list := closed(f.tick())
	if len(list) != 1 || list[0].Order.Amount != d("0.0002") || list[0].Order.Market != pairBTC || list[0].Order.Side != schema.Buy {
		t.Errorf("it was not bought: %+v", list)
	}
	f.held(alice, venueBTC, "0", "0.2")
	f.held(alice, venueUSDT, "4989.8899", "0") // 10.1 and 0.0101 of fee
	f.agrees()
}

// TestATickGoesThroughSoManyOverdrafts: a thousand accounts for whose BTC nobody bids are what a tick looks at; the next goes on behind
// them, and the one after it begins again.
func TestATickGoesThroughSoManyOverdrafts(t *testing.T) {
	const most = 1000
	f := newVenue(t, nil)
	rich := f.trader("rich", "100000000", 10)
	do := func(c schema.Command) *schema.Outcome {
		t.Helper()
		out := f.m.Apply(f.m.Time(), c)
		if out.Result.Rejection.Refused() {
			t.Fatalf("%T was refused: %s", c, out.Result.Rejection.Text())
		}
		return out
	}
	var debtors []schema.AccountID
	for i := range most + 1 {
		name := fmt.Sprint("debtor", i)
		do(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}})
		id := f.m.Accounts().ByName(name).ID
		for asset, amount := range map[schema.AssetID]string{venueUSDT: "49", venueBTC: "0.2"} {
			do(&schema.Deposit{Account: id, Asset: asset, Amount: d(amount)})
			do(&schema.Transfer{Account: id, Asset: asset, Amount: d(amount), From: schema.Main, To: schema.Collateral})
		}
		do(&schema.SetLeverage{Account: id, Leverage: 10})
		do(bet(rich, schema.Sell, "0.1", "50000"))
		do(bet(id, schema.Buy, "0.1", "50000"))
		debtors = append(debtors, id)
	}
	f.priced("40000")
	for _, id := range debtors {
		do(bet(rich, schema.Buy, "0.1", "40000"))
		do(bet(id, schema.Sell, "0.1", "40000"))
	}
	if deals := dealt(f.tick()); len(deals) != 0 {
		t.Fatalf("somebody bought: %+v", deals)
	}
	do(&schema.Deposit{Account: rich, Asset: venueUSDT, Amount: d("100000")})
	do(&schema.Transfer{Account: rich, Asset: venueUSDT, Amount: d("100000"), From: schema.Main, To: schema.Trade})
	do(&schema.PlaceOrder{Account: rich, Order: schema.OrderRequest{Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: d("1"), Price: d("39500")}})
	if deals := dealt(f.tick()); len(deals) != 1 || deals[0].Taker.Account != debtors[most] {
		t.Errorf("the last should have sold alone: %+v", deals)
	}
	if deals := dealt(f.tick()); len(deals) == 0 || deals[0].Taker.Account != debtors[0] {
		t.Errorf("the first should have sold first: %+v", deals)
	}
}

// TestWhatLiquidationWakesComesLast: alice is liquidated by a deal that reaches a stop; carol, who is overdrawn, does not sell to it in the
// same tick.
func TestWhatLiquidationWakesComesLast(t *testing.T) {
	f := newVenue(t, nil)
	f.do(&schema.SetCollateral{Asset: venueBTC, Weight: d("0.95"), IndexMaxAge: 3600 * schema.Second})
	alice, carol, rich := f.trader("alice", "49", 10), f.trader("carol", "49", 10), f.trader("rich", "1000000", 10)
	f.give(alice, venueBTC, "0.03")
	f.give(carol, venueBTC, "0.2")
	for _, id := range []schema.AccountID{alice, carol} {
		f.trade(id, rich, "0.1", "50000")
	}
	f.priced("40000")
	for _, id := range []schema.AccountID{alice, carol} {
		f.do(bet(rich, schema.Buy, "0.1", "40000"))
		f.do(bet(id, schema.Sell, "0.1", "40000"))
	}
	for asset, amount := range map[schema.AssetID]string{venueUSDT: "100000", venueBTC: "1"} {
		f.do(&schema.Deposit{Account: rich, Asset: asset, Amount: d(amount)})
		f.do(&schema.Transfer{Account: rich, Asset: asset, Amount: d(amount), From: schema.Main, To: schema.Trade})
	}
	spot := func(kind schema.OrderType, side schema.Side, amount, price, activation string) {
		t.Helper()
		o := schema.OrderRequest{Market: 1, Type: kind, Side: side, Amount: d(amount), Price: d(price)}
		if activation != "" {
			o.ActivationPrice = d(activation)
		}
		f.do(&schema.PlaceOrder{Account: rich, Order: o})
	}
	spot(schema.Limit, schema.Sell, "0.01", "36000", "")
	spot(schema.Limit, schema.Buy, "0.01", "36000", "") // a last price
	spot(schema.StopLimit, schema.Buy, "1", "33500", "33400")
	f.has(risks(f.priced("34000")), fmt.Sprint(alice, " liquidation 13.5 28.665"))
	spot(schema.Limit, schema.Buy, "0.01", "33400", "")
	if deals := dealt(f.tick()); len(deals) != 1 || deals[0].Taker.Account != alice || deals[0].Price != d("33400") {
		t.Errorf("the first tick: %+v", deals)
	}
	deals := dealt(f.tick())
	if len(deals) == 0 || deals[len(deals)-1].Taker.Account != carol || deals[len(deals)-1].Price != d("33500") {
		t.Errorf("the second tick: %+v", deals)
	}
	f.agrees()
}
