package naive

import (
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	anna = schema.FirstCustomer + iota
	ben
	carl
)

const (
	btc schema.AssetID = iota + 1
	usd
)

const spot schema.MarketID = 1

var d = fixed.MustParse

// world is an exchange with one market (3 decimals of amounts, 2 of prices; maker 0.1 %, taker
// 0.2 %) and three customers with 100 BTC and 100000 USD each to trade with.
type world struct {
	*Exchange
	t    *testing.T
	time schema.Time
	last Outcome // of the last command
}

func newWorld(t *testing.T) *world {
	w := &world{Exchange: New(), t: t, time: 1000}
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8}})
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "USD", CanDeposit: true, CanWithdraw: true, Class: schema.Fiat, Scale: 8, Precision: 2}})
	w.must(&schema.SetMarket{Market: btcUSD()})
	for _, name := range []string{"anna", "ben", "carl"} {
		id := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{
			Name: name, Region: schema.Global, Retail: true, RPI: true,
		}}).ID)
		for asset, amount := range map[schema.AssetID]fixed.Decimal{btc: d("100"), usd: d("100000")} {
			w.must(&schema.Deposit{Account: id, Asset: asset, Amount: amount})
			w.must(&schema.Transfer{Account: id, Asset: asset, Amount: amount, From: schema.Main, To: schema.Trade})
		}
	}
	return w
}

func btcUSD() schema.MarketInfo {
	return schema.MarketInfo{
		Name: "BTC_USD", Base: btc, Quote: usd, Type: schema.Spot,
		StockPrec: 3, MoneyPrec: 2, FeePrec: 5,
		MinAmount: d("0.001"), MakerFee: d("0.1"), TakerFee: d("0.2"), Enabled: true,
	}
}

func (w *world) apply(c schema.Command) schema.Result {
	w.time++
	return w.Apply(w.time, c)
}

// Apply runs a command of the exchange itself.
func (w *world) Apply(at schema.Time, c schema.Command) schema.Result {
	w.last = w.Exchange.Apply(at, schema.Origin{}, c)
	return w.last.Result
}

// Deals are the deals of the last command.
func (w *world) Deals() (deals []schema.Deal) {
	for _, e := range w.last.Events {
		if deal, is := e.(*schema.Deal); is {
			deals = append(deals, *deal)
		}
	}
	return deals
}

func (w *world) must(c schema.Command) schema.Result {
	w.t.Helper()
	result := w.apply(c)
	if result.Rejection.Refused() {
		w.t.Fatalf("%T was refused: %s", c, result.Rejection.Text())
	}
	return result
}

func (w *world) refused(want schema.Rejection, c schema.Command) {
	w.t.Helper()
	if got := w.apply(c).Rejection; got != want {
		w.t.Errorf("%T: got %d %q, want %d %q", c, got.Reason, got.Text(), want.Reason, want.Text())
	}
}

// place places an order and returns it.
func (w *world) place(a schema.AccountID, r schema.OrderRequest) schema.Order {
	w.t.Helper()
	return w.must(order1(a, r)).Order
}

func order1(a schema.AccountID, r schema.OrderRequest) *schema.PlaceOrder {
	r.Market = spot
	return &schema.PlaceOrder{Account: a, Order: r}
}

func limit(s schema.Side, amount, price string) schema.OrderRequest {
	return schema.OrderRequest{Type: schema.Limit, Side: s, Amount: d(amount), Price: d(price)}
}

func market1(s schema.Side, amount string) schema.OrderRequest {
	return schema.OrderRequest{Type: schema.Market, Side: s, Amount: d(amount)}
}

func stopMarket(s schema.Side, amount, activation string) schema.OrderRequest {
	return schema.OrderRequest{Type: schema.StopMarket, Side: s, Amount: d(amount), ActivationPrice: d(activation)}
}

// balance compares what an account can trade with.
func (w *world) balance(a schema.AccountID, s schema.AssetID, available, frozen string) {
	w.t.Helper()
	gotAvailable, gotFrozen, _ := w.Balance(a, schema.Trade, s)
	if gotAvailable != d(available) || gotFrozen != d(frozen) {
		w.t.Errorf("account %d has %v + %v of asset %d, want %s + %s", a, gotAvailable, gotFrozen, s, available, frozen)
	}
}

// order compares the state of an order.
func (w *world) order(o schema.Order, status schema.Status, left, stock, money, fee string) {
	w.t.Helper()
	if o.Status != status || o.Left != d(left) || o.DealStock != d(stock) || o.DealMoney != d(money) || o.DealFee != d(fee) {
		w.t.Errorf("order %d: %v left %v stock %v money %v fee %v, want %v %s %s %s %s", o.ID,
			o.Status, o.Left, o.DealStock, o.DealMoney, o.DealFee, status, left, stock, money, fee)
	}
}

// levels compares one side of the book: price, amount, price, amount …
func (w *world) levels(s schema.Side, want ...string) {
	w.t.Helper()
	var got []string
	for _, l := range w.Levels(spot, s) {
		got = append(got, l.Price.String(), l.Amount.String())
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("%v levels are %v, want %v", s, got, want)
	}
}

func TestPartialFillWithFees(t *testing.T) {
	w := newWorld(t)
	w.place(anna, limit(schema.Sell, "1", "100.01"))
	bid := w.place(ben, limit(schema.Buy, "3", "100.02"))
	// 0.2 % of 1 BTC for the taker, 0.1 % of 100.01 USD = 0.10001 for the maker.
	w.order(bid, schema.PartiallyFilled, "2", "1", "100.01", "0.002")
	w.balance(anna, btc, "99", "0")
	w.balance(anna, usd, "100099.90999", "0")
	w.balance(ben, btc, "100.998", "0")
	w.balance(ben, usd, "99699.95", "200.04")
	w.levels(schema.Sell)
	w.levels(schema.Buy, "100.02", "2")
	deals := w.Deals()
	if len(deals) != 1 || deals[0].Price != d("100.01") || deals[0].Maker.Fee != d("0.10001") || deals[0].Taker.Fee != d("0.002") {
		t.Errorf("deals: %+v", deals)
	}
	if fees, _, _ := w.Balance(schema.Fees, schema.Main, usd); fees != d("0.10001") {
		t.Errorf("fees are %v", fees)
	}
	if canceled := w.must(&schema.CancelOrder{Account: ben, Order: schema.OrderRef{Market: spot, ID: bid.ID}}).Order; canceled.Status != schema.Canceled {
		t.Errorf("canceled: %+v", canceled)
	}
	w.balance(ben, usd, "99899.99", "0")
}

func TestFeeRates(t *testing.T) {
	w := newWorld(t)
	listed := btcUSD()
	listed.MakerFee, listed.RPIPremium = d("-0.1"), schema.Some(d("0.3"))
	w.must(&schema.SetMarket{Market: listed})
	w.must(&schema.SetFee{Account: carl, Market: spot, Taker: schema.Some(d("1"))})
	w.place(anna, limit(schema.Sell, "1", "10"))
	rpi := limit(schema.Sell, "1", "10")
	rpi.RPI = true
	w.place(ben, rpi)
	w.levels(schema.Sell, "10", "1")

	taker := limit(schema.Buy, "2", "10")
	taker.Retail = true
	w.order(w.place(carl, taker), schema.Filled, "0", "2", "20", "0.02")
	w.balance(anna, usd, "100010.01", "0") // a rebate of 0.1 %
	w.balance(ben, usd, "100009.98", "0")  // −0.1 % + 0.3 %
}

func TestMarketBuyByBudget(t *testing.T) {
	w := newWorld(t)
	w.place(anna, limit(schema.Sell, "1", "100"))
	w.place(anna, limit(schema.Sell, "1", "300"))
	// After 1 BTC for 100 the remaining 100.25 buy 0.334 of 300 each: 100.2.
	w.order(w.place(ben, market1(schema.Buy, "200.25")), schema.Filled, "0.05", "1.334", "200.2", "0.00266")
	w.refused(because(schema.AmountTooSmall), order1(ben, market1(schema.Buy, "0.29")))
	w.order(w.place(ben, market1(schema.Buy, "1000")), schema.Canceled, "800.2", "0.666", "199.8", "0.00133")
	w.order(w.place(ben, market1(schema.Buy, "1000")), schema.Canceled, "1000", "0", "0", "0")
}

func TestStopCascade(t *testing.T) {
	w := newWorld(t)
	w.refused(because(schema.EmptyHistory), order1(anna, stopMarket(schema.Sell, "1", "90")))
	w.place(anna, limit(schema.Sell, "1", "100"))
	w.place(ben, limit(schema.Buy, "1", "100"))
	w.refused(because(schema.ActivationEqualsLast), order1(anna, stopMarket(schema.Sell, "1", "100")))

	// The first stop sells into 80 and so triggers the second, which becomes an order to sell
	// at 70 and takes what is bid above.
	first := w.place(anna, stopMarket(schema.Sell, "2", "90"))
	second := w.place(ben, schema.OrderRequest{
		Type: schema.StopLimit, Side: schema.Sell, Amount: d("3"), Price: d("70"), ActivationPrice: d("85"),
	})
	w.balance(ben, btc, "97.998", "3")
	w.place(carl, limit(schema.Buy, "1", "90"))
	w.place(carl, limit(schema.Buy, "2", "80"))
	resting := w.place(carl, limit(schema.Buy, "1", "75"))
	w.order(w.place(ben, limit(schema.Sell, "1", "90")), schema.Filled, "0", "1", "90", "0.18")

	var makers, takers []schema.OrderID
	for _, deal := range w.Deals() {
		makers = append(makers, deal.Maker.Order)
		takers = append(takers, deal.Taker.Order)
	}
	if !slices.Equal(takers, []schema.OrderID{resting.ID + 1, first.ID, second.ID}) ||
		!slices.Equal(makers, []schema.OrderID{resting.ID - 2, resting.ID - 1, resting.ID}) {
		t.Errorf("takers %v met makers %v", takers, makers)
	}
	if w.LastPrice(spot) != d("75") {
		t.Errorf("the last price is %v", w.LastPrice(spot))
	}
	left := w.Orders(spot)
	if len(left) != 1 || left[0].ID != second.ID || left[0].ActivatedAt == 0 || left[0].Created != second.Created {
		t.Fatalf("open orders: %+v", left)
	}
	w.order(left[0], schema.PartiallyFilled, "2", "1", "75", "0.15")
	w.levels(schema.Sell, "70", "2")
	w.balance(ben, btc, "96.998", "2")
}

func TestBBOStopWithoutMoney(t *testing.T) {
	w := newWorld(t)
	w.place(anna, limit(schema.Sell, "1", "100"))
	w.place(ben, limit(schema.Buy, "1", "100"))
	stop := w.place(ben, schema.OrderRequest{
		Type: schema.StopLimit, Side: schema.Buy, Amount: d("900"), ActivationPrice: d("110"), BBO: schema.BBOCounterparty,
	})
	w.balance(ben, usd, "900", "99000")
	if stop.Price != fixed.Zero || stop.Status != schema.Open {
		t.Errorf("waiting: %+v", stop)
	}
	w.place(anna, limit(schema.Sell, "1", "110"))
	w.place(anna, limit(schema.Sell, "1", "120"))
	w.place(carl, limit(schema.Buy, "1", "110")) // 900 × 120 is more than ben has
	w.balance(ben, usd, "99900", "0")
	w.levels(schema.Sell, "120", "1")
}

func TestSelfTradePrevention(t *testing.T) {
	for _, test := range []struct {
		mode    schema.STP
		status  schema.Status
		left    string
		asks    []string
		dealing int
	}{
		{schema.STPNo, schema.Filled, "0", nil, 3},
		{schema.STPCancelNew, schema.CanceledSTP, "2", []string{"11", "1", "12", "1"}, 1},
		{schema.STPCancelBoth, schema.CanceledSTP, "2", []string{"12", "1"}, 1},
		{schema.STPCancelOld, schema.PartiallyFilled, "1", nil, 2},
	} {
		w := newWorld(t)
		w.place(anna, limit(schema.Sell, "1", "10"))
		w.place(ben, limit(schema.Sell, "1", "11"))
		w.place(anna, limit(schema.Sell, "1", "12"))
		taker := limit(schema.Buy, "3", "12")
		taker.STP = test.mode
		o := w.place(ben, taker)
		if o.Status != test.status || o.Left != d(test.left) || len(w.Deals()) != test.dealing {
			t.Errorf("%v: %v, left %v, %d deals", test.mode, o.Status, o.Left, len(w.Deals()))
		}
		w.levels(schema.Sell, test.asks...)
	}
}

func TestTakerBand(t *testing.T) {
	w := newWorld(t)
	listed := btcUSD()
	listed.TakerBand = d("5")
	w.must(&schema.SetMarket{Market: listed})
	for _, price := range []string{"100", "105", "105.01"} {
		w.place(anna, limit(schema.Sell, "1", price))
	}
	o := w.place(ben, schema.OrderRequest{Type: schema.StockMarket, Side: schema.Buy, Amount: d("3")})
	w.order(o, schema.CanceledTakerBand, "1", "2", "205", "0.004")
	w.levels(schema.Sell, "105.01", "1")

	// What the sweep costs is counted up to the band only: the million is beyond it.
	w.place(anna, limit(schema.Sell, "1", "1000000"))
	o = w.place(ben, schema.OrderRequest{Type: schema.StockMarket, Side: schema.Buy, Amount: d("2")})
	w.order(o, schema.CanceledTakerBand, "1", "1", "105.01", "0.002")
}

func TestSweepCost(t *testing.T) {
	w := newWorld(t)
	w.place(anna, limit(schema.Sell, "10", "9000"))
	w.place(anna, limit(schema.Sell, "10", "9999"))
	buy := func(amount string) *schema.PlaceOrder {
		return order1(ben, schema.OrderRequest{Type: schema.StockMarket, Side: schema.Buy, Amount: d(amount)})
	}
	w.refused(because(schema.NotEnoughBalance), buy("11.001")) // 90000 + 10008.999
	w.must(buy("11"))
	w.balance(ben, usd, "1", "0")
}

func TestModify(t *testing.T) {
	w := newWorld(t)
	client, _ := schema.ParseClientID("mine")
	bid := limit(schema.Buy, "900", "100")
	bid.ClientID = client
	old := w.place(ben, bid)
	w.place(anna, limit(schema.Sell, "100", "100"))
	w.balance(ben, usd, "10000", "80000")
	ref := schema.OrderRef{Market: spot, ClientID: client}

	w.refused(because(schema.ModifyNothing), &schema.ModifyOrder{Account: ben, Order: ref})
	w.refused(because(schema.ActivationOnLimit), &schema.ModifyOrder{Account: ben, Order: ref, ActivationPrice: schema.Some(d("1"))})
	w.refused(because(schema.TotalNotAllowed), &schema.ModifyOrder{Account: ben, Order: ref, Total: schema.Some(d("1"))})
	w.refused(because(schema.NotEnoughBalance), &schema.ModifyOrder{Account: ben, Order: ref, Price: schema.Some(d("112.51"))})
	changed := w.must(&schema.ModifyOrder{Account: ben, Order: ref, Price: schema.Some(d("112.5"))}).Order
	w.order(changed, schema.Open, "800", "0", "0", "0")
	if changed.ID != old.ID+2 || changed.ClientID != client || changed.Amount != d("800") {
		t.Errorf("changed: %+v", changed)
	}
	w.balance(ben, usd, "0", "90000")
	if orders := w.Orders(spot); len(orders) != 1 || orders[0] != changed {
		t.Errorf("open orders: %+v", orders)
	}
}

func TestHeldDeposits(t *testing.T) {
	w := newWorld(t)
	w.must(&schema.Deposit{Account: anna, Asset: usd, Amount: d("30")})
	w.must(&schema.Deposit{Account: anna, Asset: usd, Amount: d("70"), Held: true})
	out := func(amount string) *schema.Withdraw {
		return &schema.Withdraw{Account: anna, Asset: usd, Amount: d(amount)}
	}
	move := func(from, to schema.Wallet, amount string) *schema.Transfer {
		return &schema.Transfer{Account: anna, Asset: usd, Amount: d(amount), From: from, To: to}
	}
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("100")}, out("100.01"))
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("30")}, out("30.01"))
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("30")}, move(schema.Main, schema.Collateral, "31"))
	w.refused(schema.Rejection{Reason: schema.MoveTooPrecise, Value: d("2")}, out("0.001"))
	w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.01")}, out("0"))
	w.must(move(schema.Main, schema.Trade, "60"))
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("0")}, out("1"))
	w.must(move(schema.Trade, schema.Main, "60"))
	w.must(&schema.ConfirmDeposit{Account: anna, Asset: usd, Amount: d("50")})
	w.refused(schema.Rejection{Reason: schema.ConfirmTooMuch, Value: d("20")}, &schema.ConfirmDeposit{Account: anna, Asset: usd, Amount: d("20.01")})
	w.must(out("80"))
	if available, _, held := w.Balance(anna, schema.Main, usd); available != d("20") || held != d("20") {
		t.Errorf("main has %v, %v held", available, held)
	}
	w.refused(because(schema.MoveTooLarge), &schema.Deposit{Account: anna, Asset: usd, Amount: d("170141183460469231731")})
}

func TestKillSwitch(t *testing.T) {
	w := newWorld(t)
	w.place(anna, limit(schema.Buy, "1", "10"))
	w.place(ben, limit(schema.Buy, "1", "11"))
	arm := &schema.SetKillSwitch{Account: anna, Market: spot, Timeout: 5 * schema.Second}
	w.must(arm)
	timer := w.must(arm).Timer
	if timer.Deadline != w.time+5*schema.Second || len(w.KillSwitches()) != 1 {
		t.Errorf("timers: %+v", w.KillSwitches())
	}
	w.refused(because(schema.TimeoutTooShort), &schema.SetKillSwitch{Account: anna, Market: spot, Timeout: -1})
	w.Apply(timer.Deadline-1, &schema.Tick{})
	w.levels(schema.Buy, "11", "1", "10", "1")
	w.Apply(timer.Deadline, &schema.Tick{})
	w.levels(schema.Buy, "11", "1")
	if len(w.KillSwitches()) != 0 {
		t.Errorf("timers: %+v", w.KillSwitches())
	}
}

func TestMaintenanceAndDelisting(t *testing.T) {
	w := newWorld(t)
	w.place(anna, limit(schema.Buy, "1", "10"))
	w.must(&schema.PlanMaintenance{Market: spot, From: 5000, To: 6000})
	w.must(&schema.PlanDelisting{Market: spot, At: 7000})
	w.Apply(5000, &schema.Tick{})
	w.levels(schema.Buy)
	w.balance(anna, usd, "100000", "0")
	w.refused(because(schema.TradingNotAllowed), order1(anna, limit(schema.Buy, "1", "10")))
	w.Apply(6000, &schema.Tick{})
	w.place(anna, limit(schema.Buy, "1", "10"))
	w.Apply(7000, &schema.Tick{})
	w.levels(schema.Buy)
	w.refused(because(schema.MarketUnavailable), order1(anna, limit(schema.Buy, "1", "10")))
	w.refused(because(schema.MarketDelisted), &schema.SetMarket{Market: btcUSD()})
}

func TestBulkShowsEachItemAsItWas(t *testing.T) {
	w := newWorld(t)
	first, second := limit(schema.Sell, "1", "10"), limit(schema.Buy, "1", "10")
	bad := market1(schema.Buy, "1")
	first.Market, second.Market, bad.Market = spot, spot, spot
	bulk := &schema.PlaceBulk{Account: anna, Orders: []schema.OrderRequest{first, second, bad, first}, StopOnFail: true}
	items := w.must(bulk).Items
	if len(items) != 3 || items[0].Order.Status != schema.Open || items[1].Order.Status != schema.Filled ||
		items[2].Rejection.Reason != schema.TypeInvalid {
		t.Errorf("items: %+v", items)
	}
}

func TestRPICrossing(t *testing.T) {
	w := newWorld(t)
	rpi := limit(schema.Sell, "1", "10")
	rpi.RPI = true
	w.place(anna, rpi)
	bid := w.place(ben, limit(schema.Buy, "1", "11")) // not retail: they stand crossed
	w.order(bid, schema.Open, "1", "0", "0", "0")
	w.refused(because(schema.PostOnlyWouldTake), order1(carl, rpi))
	maker := limit(schema.Buy, "1", "10")
	maker.PostOnly, maker.Retail = true, true
	w.order(w.place(carl, maker), schema.Open, "1", "0", "0", "0")
	retail := limit(schema.Buy, "1", "10")
	retail.Retail = true
	w.order(w.place(carl, retail), schema.Filled, "0", "1", "10", "0.002")
}
