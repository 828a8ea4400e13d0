package core

import (
	"math"
	"testing"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// vast is an exchange at the edge of what numbers can hold: amounts of 18 decimals, makers who
// are paid nearly half of what they trade, and two traders with all the money there may be.
func vast(t *testing.T) *Machine {
	t.Helper()
	m := New()
	hi, lo := ledger.Limit.Bits()
	half := fixed.FromBits(hi/2, lo)
	commands := []schema.Command{
		&schema.SetAsset{Asset: schema.Asset{Ticker: "DUST", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 18}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "GOLD", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 18}},
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "DUST_GOLD", Base: 1, Quote: 2, Type: schema.Spot, Enabled: true, StockPrec: 18, FeePrec: 18,
		}},
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "GOLD_DUST", Base: 2, Quote: 1, Type: schema.Spot, Enabled: true, MakerFee: fixed.FromInt(-49), FeePrec: 18,
		}},
		&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}},
		&schema.SetAccount{Account: schema.Account{Name: "bob", Region: schema.Global}},
	}
	for _, account := range []schema.AccountID{101, 102} {
		for _, asset := range []schema.AssetID{1, 2} {
			commands = append(commands,
				&schema.Deposit{Account: account, Asset: asset, Amount: half},
				&schema.Transfer{Account: account, Asset: asset, Amount: half, From: schema.Main, To: schema.Trade})
		}
	}
	for _, c := range commands {
		if r := m.Apply(start, c).Result.Rejection; r.Refused() {
			t.Fatalf("%T: %s", c, r.Text())
		}
	}
	return m
}

func place(account schema.AccountID, market schema.MarketID, side schema.Side, amount, price int64) *schema.PlaceOrder {
	return &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
		Market: market, Type: schema.Limit, Side: side, Amount: fixed.FromInt(amount), Price: fixed.FromInt(price),
	}}
}

// TestLevelThatCannotBeCountedTakesNoMore: a level counts lots in 63 bits, 9.22 units here.
func TestLevelThatCannotBeCountedTakesNoMore(t *testing.T) {
	m := vast(t)
	if r := m.Apply(start, place(101, 1, schema.Sell, 9, 100)).Result.Rejection; r.Refused() {
		t.Fatal(r.Text())
	}
	before := m.Hash()
	got := m.Apply(start, place(102, 1, schema.Sell, 1, 100)).Result.Rejection
	want := schema.Rejection{Reason: schema.AmountTooLarge, Value: fixed.MustParse("9.223372036854775807")}
	if got != want || m.Hash() != before {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if r := m.Apply(start, place(102, 1, schema.Sell, 1, 101)).Result.Rejection; r.Refused() {
		t.Errorf("another price: %s", r.Text())
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
}

// TestRebatesEndBeforeMoneyOverflows: the fee account owes at most ledger.Limit, so that what
// customers own always fits a number.
func TestRebatesEndBeforeMoneyOverflows(t *testing.T) {
	m := vast(t)
	const gold = 1e18
	paid := true
	for i := 0; paid; i++ {
		m.Apply(start, place(101, 2, schema.Buy, gold, 1))
		m.Apply(start, place(102, 2, schema.Sell, gold, 1))
		before, _, _ := m.Balance(schema.Fees, schema.Main, 2)
		m.Apply(start, place(102, 2, schema.Buy, gold, 1))
		m.Apply(start, place(101, 2, schema.Sell, gold, 1))
		after, _, _ := m.Balance(schema.Fees, schema.Main, 2)
		paid = before != after
		if after.Cmp(ledger.Limit.Neg()) < 0 {
			t.Fatalf("the fee account owes %s", after)
		}
		if i > 1000 {
			t.Fatal("rebates do not end")
		}
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
}

// TestStopThatWouldOverfillItsLevelIsCanceled: what waits is not counted, so two stops can meet
// at a level that has room for one of them.
func TestStopThatWouldOverfillItsLevelIsCanceled(t *testing.T) {
	m := vast(t)
	trade := func(price int64) *schema.Outcome {
		m.Apply(start, place(101, 1, schema.Sell, 1, price))
		return m.Apply(start, place(102, 1, schema.Buy, 1, price))
	}
	trade(50)
	var ids []schema.OrderID
	for i, account := range []schema.AccountID{101, 102} {
		stop := place(account, 1, schema.Sell, 9, 40)
		stop.Order.Type, stop.Order.ActivationPrice = schema.StopLimit, fixed.FromInt(45+int64(i))
		out := m.Apply(start, stop)
		if out.Result.Rejection.Refused() {
			t.Fatal(out.Result.Rejection.Text())
		}
		ids = append(ids, out.Result.Order.ID)
	}
	out := trade(45)
	first, second := out.Events.Order(ids[0]), out.Events.Order(ids[1])
	if first.Status != schema.Open || first.ActivatedAt == 0 || second.Status != schema.Canceled || second.ActivatedAt == 0 {
		t.Errorf("the stops are %s and %s", first.Status, second.Status)
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
}

// TestRebateThatNobodyCanPay: a maker who is paid nearly all that it trades brings the fee account
// near the most that it may owe. The next rebate together with that is more than a number can hold.
func TestRebateThatNobodyCanPay(t *testing.T) {
	tr := newTrial(slice)
	send := func(commands ...schema.Command) {
		t.Helper()
		for _, c := range commands {
			if err := sender(tr.apply).run(moment{at: start, cmd: c}); err != nil {
				t.Fatal(err)
			}
		}
	}
	asset := func(ticker string) *schema.SetAsset {
		return &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18}}
	}
	account := func(name string) *schema.SetAccount {
		return &schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global, RPI: true, Retail: true}}
	}
	give := func(account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) {
		t.Helper()
		send(&schema.Deposit{Account: account, Asset: asset, Amount: amount},
			&schema.Transfer{Account: account, Asset: asset, Amount: amount, From: schema.Main, To: schema.Trade})
	}
	send(asset("COIN"), asset("GOLD"), account("alice"), account("bob"),
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "COIN_GOLD", Base: 1, Quote: 2, Type: schema.Spot, Enabled: true, FeePrec: 18,
			MakerFee: mostPercent.Neg(), RPIPremium: schema.Some(mostPercent.Neg()),
		}})
	give(101, 2, cut(ledger.Limit, 0))

	// Each buys 20 coins for all that it has.
	for _, buyer := range []schema.AccountID{101, 102} {
		seller := 101 + 102 - buyer
		give(seller, 1, fixed.FromInt(20))
		money, _, _ := tr.fast.Balance(buyer, schema.Trade, 2)
		price, _ := fixed.Div(money, fixed.FromInt(20), 0, fixed.Down)
		sell := order(seller, schema.OrderRequest{Side: schema.Sell, Amount: fixed.FromInt(20), Price: price, RPI: true})
		buy := order(buyer, schema.OrderRequest{Side: schema.Buy, Amount: fixed.FromInt(20), Price: price, Retail: true})
		send(sell, buy)
	}
	if got, _, _ := tr.fast.Balance(101, schema.Trade, 2); got != d("170141183460469231545") {
		t.Errorf("alice has %s: a rebate that nobody can pay was paid", got)
	}
}

// TestBudgetBuysWhatCanBeCounted: an order in quote that could pay for two makers of the largest
// amount buys one of them and not a lot more.
func TestBudgetBuysWhatCanBeCounted(t *testing.T) {
	tr := newTrial(slice)
	send := func(commands ...schema.Command) {
		t.Helper()
		for _, c := range commands {
			if err := sender(tr.apply).run(moment{at: start, cmd: c}); err != nil {
				t.Fatal(err)
			}
		}
	}
	most, plenty := fixed.FromInt(math.MaxInt64), fixed.FromInt(1<<62)
	for _, f := range schema.BirthFeatures() {
		send(&schema.SetFeature{Feature: f.Feature, On: f.On})
	}
	send(
		&schema.SetAsset{Asset: schema.Asset{Ticker: "DUST", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "GOLD", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8}},
		&schema.SetMarket{Market: schema.MarketInfo{Name: "DUST_GOLD", Base: 1, Quote: 2, Type: schema.Spot, Enabled: true, MoneyPrec: 8}},
		&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}},
		&schema.SetAccount{Account: schema.Account{Name: "bob", Region: schema.Global}},
		&schema.Deposit{Account: 101, Asset: 2, Amount: plenty},
		&schema.Transfer{Account: 101, Asset: 2, Amount: plenty, From: schema.Main, To: schema.Trade},
	)
	for _, price := range []string{"0.00000001", "0.00000002"} {
		send(
			&schema.Deposit{Account: 102, Asset: 1, Amount: most},
			&schema.Transfer{Account: 102, Asset: 1, Amount: most, From: schema.Main, To: schema.Trade},
			order(102, schema.OrderRequest{Side: schema.Sell, Amount: most, Price: d(price)}),
		)
	}
	send(
		order(101, schema.OrderRequest{Side: schema.Buy, Amount: d("7"), Price: d("0.00000001")}),
		order(101, schema.OrderRequest{Type: schema.Market, Side: schema.Buy, Amount: fixed.FromInt(1e18)}),
	)
	bought, _, _ := tr.fast.Balance(101, schema.Trade, 1)
	if bought != most.Add(d("7")) {
		t.Errorf("alice has %s lots", bought)
	}
}

// TestSweepBeyondWhatIsLookedAt: the money of a stock market buy is checked for the first 4,096
// makers. Here it is enough for one and a half more.
func TestSweepBeyondWhatIsLookedAt(t *testing.T) {
	for _, bounded := range []bool{false, true} {
		m := New()
		apply(t, m, start, genesis()...)
		if bounded {
			apply(t, m, start, &schema.SetFeature{Feature: schema.BoundedWork, On: true})
		}
		for range 4096 + 3 {
			apply(t, m, start, order(101, schema.OrderRequest{Market: 2, Side: schema.Sell, Amount: d("0.03"), Price: d("10")}))
		}
		leave := func(money string) {
			available, _, _ := m.Balance(104, schema.Trade, 3)
			apply(t, m, start, &schema.Transfer{Account: 104, Asset: 3, Amount: available.Sub(d(money)), From: schema.Trade, To: schema.Main})
		}
		sweep := order(104, schema.OrderRequest{Market: 2, Type: schema.StockMarket, Side: schema.Buy, Amount: d("200")})
		leave("1229.25") // 4,096 makers cost 1228.8, the next 0.3, half of one more 0.15
		if !bounded {
			if r := m.Apply(start, sweep).Result.Rejection; r.Reason != schema.NotEnoughBalance {
				t.Errorf("without bounded work: %q", r.Text())
			}
			continue
		}
		o := finish(t, m, start, sweep).Order
		if o.Status != schema.Canceled || o.DealStock != d("122.925") || o.DealMoney != d("1229.25") {
			t.Errorf("it ended %s after %s for %s", o.Status, o.DealStock, o.DealMoney)
		}
		if left, _, _ := m.Balance(104, schema.Trade, 3); !left.IsZero() {
			t.Errorf("%s is left", left)
		}
	}
}
