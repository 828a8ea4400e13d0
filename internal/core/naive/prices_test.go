package naive

import (
	"fmt"
	"testing"

	"bourse/internal/schema"
)

const usdt schema.AssetID = 2

const (
	perp    schema.MarketID = iota + 1 // BTC_PERP
	btcUSDT                            // spot
)

// noon is a whole hour, and a whole interval of funding.
const noon = 500_000 * hour

// newFutures is an exchange with BTC_PERP, with the brackets and fees of the demo and funding every eight hours,
// and the spot market beside it. An index of BTC counts for an hour.
func newFutures(t *testing.T) *world {
	w := &world{Exchange: New(), t: t, time: noon}
	for _, ticker := range []string{"BTC", "USDT", "ETH"} {
		w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8}})
	}
	w.must(&schema.SetMarket{Market: btcPerp()})
	w.must(&schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USDT", Base: btc, Quote: usdt, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 6, Enabled: true,
	}})
	w.must(btcCollateral())
	return w
}

func btcPerp() schema.MarketInfo {
	return schema.MarketInfo{
		Name: "BTC_PERP", Base: btc, Quote: usdt, Type: schema.Futures, StockPrec: 3, MoneyPrec: 2, FeePrec: 6,
		MinAmount: d("0.001"), MakerFee: d("0.02"), TakerFee: d("0.05"), Enabled: true,
		Margin: schema.Margin{
			MaxLeverage: 100, Bracket100: d("50000"), Bracket50: d("250000"),
			PriceBand: d("10"), MarkBand: d("0.5"), ImpactNotional: d("10000"),
			FundingMinutes: 480, FundingCap: d("0.0003"), FundingFloor: d("-0.0003"),
			LiquidationFee: d("0.2"), LiquidationBand: d("2"),
		},
	}
}

func btcCollateral() *schema.SetCollateral {
	return &schema.SetCollateral{Asset: btc, Weight: d("0.95"), IndexMaxAge: 3600 * schema.Second}
}

// index says what a source says.
func (w *world) index(m schema.MarketID, source uint8, price string) {
	w.t.Helper()
	w.must(&schema.SetIndex{Market: m, Source: source, Price: d(price)})
}

// tick lets time pass up to a moment.
func (w *world) tick(at schema.Time) {
	w.t.Helper()
	w.time = at - 1
	w.must(&schema.Tick{})
}

// priced is what the last command said about prices, in words.
func (w *world) priced(want ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.IndexChanged:
			got = append(got, fmt.Sprintf("source %d of %d: %s", e.Index.Source, e.Index.Market, e.Index.Price))
		case *schema.AssetPriced:
			got = append(got, fmt.Sprintf("asset %d: %s %t", e.Asset, e.Price, e.Fresh))
		case *schema.MarkChanged:
			got = append(got, fmt.Sprintf("mark of %d: %s of %s %t, %s at +%d", e.Market, e.Mark, e.Index, e.Fresh, e.Rate, (e.Settles-noon)/minute))
		default:
			got = append(got, fmt.Sprintf("%T", e))
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("prices:\n got %q\nwant %q", got, want)
	}
}

// book makes the public book of the future one order on each side, or empties it.
func (w *world) book(bid, ask string) {
	m := w.trading.market(perp)
	m.orders = nil
	for side, price := range map[schema.Side]string{schema.Buy: bid, schema.Sell: ask} {
		if price != "" {
			m.orders = append(m.orders, &order{market: m, side: side, price: n(price), left: n("10"), resting: true})
		}
	}
}

func TestIndexThroughCommands(t *testing.T) {
	w := newFutures(t)
	w.index(btcUSDT, 0, "50010.3")
	w.priced("source 0 of 2: 50010.3", "asset 1: 50010.3 true", "mark of 1: 50010.3 of 50010.3 true, 0 at +480")
	w.index(perp, 1, "49990")
	w.index(btcUSDT, 7, "51000")
	w.index(perp, 8, "50000.1")
	w.priced("source 8 of 1: 50000.1", "asset 1: 50005.2 true", "mark of 1: 50005.2 of 50005.2 true, 0 at +480")
	w.index(btcUSDT, 8, "50000.1")
	w.priced("source 8 of 2: 50000.1")
	for _, m := range []schema.MarketID{perp, btcUSDT} {
		if price, since := w.Index(m); price != d("50005.2") || since != noon+10 {
			t.Errorf("the index of market %d is %s since %d", m, price, since-noon)
		}
	}
	w.index(perp, 7, "0") // withdrawn
	w.priced("source 7 of 1: 0", "asset 1: 50000.1 true", "mark of 1: 50000.1 of 50000.1 true, 0 at +480")

	w.refused(because(schema.IndexSourceInvalid), &schema.SetIndex{Market: perp, Source: 9, Price: d("1")})
	w.refused(because(schema.IndexInvalid), &schema.SetIndex{Market: perp, Source: 9, Price: d("-1")})
	w.refused(because(schema.IndexInvalid), &schema.SetIndex{Market: btcUSDT, Price: highestPrice.plus(smallest).decimal()})
	w.must(&schema.SetIndex{Market: btcUSDT, Source: 6, Price: highestPrice.decimal()})
	w.refused(because(schema.MarketUnavailable), &schema.SetIndex{Market: 9, Source: 9, Price: d("-1")})
}

func TestStaleIndex(t *testing.T) {
	w := newFutures(t)
	set := btcCollateral()
	set.IndexMaxAge = 10 * second
	w.must(set)
	w.time = noon + second - 1
	w.index(perp, 0, "50000")
	w.time = noon + 2*second - 1
	w.index(perp, 1, "50001")
	w.tick(noon + 5*second)
	w.priced()
	if next, _ := w.NextTimer(); next != noon+10*second {
		t.Errorf("the next timer is at %d", next-noon) // the slot
	}
	w.tick(noon + 10*second)
	if next, _ := w.NextTimer(); next != noon+11*second {
		t.Errorf("the next timer is at %d", next-noon) // the first source
	}
	w.tick(noon + 11*second)
	w.priced("asset 1: 50001 true", "mark of 1: 50001 of 50001 true, 0 at +480")
	w.tick(noon + 12*second)
	w.priced("asset 1: 50001 false", "mark of 1: 50001 of 50001 false, 0 at +480")
	if price, fresh := w.AssetPrice(btc); price != d("50001") || fresh {
		t.Errorf("BTC is %s, %t", price, fresh)
	}
	if next, _ := w.NextTimer(); next != noon+15*second {
		t.Errorf("the next timer is at %d", next-noon)
	}
	// An index of the default age, of an asset that only a future is about.
	eth := btcPerp()
	eth.Name, eth.Base = "ETH_PERP", 3
	id := schema.MarketID(w.must(&schema.SetMarket{Market: eth}).ID)
	w.index(id, 0, "3000")
	at := w.time
	w.tick(at + 30*second - 1)
	if _, fresh := w.AssetPrice(3); !fresh {
		t.Error("ETH is stale")
	}
	w.tick(at + 30*second)
	w.priced("asset 3: 3000 false", "mark of 3: 3000 of 3000 false, 0 at +480")
	if price, fresh := w.AssetPrice(usdt); price != d("1") || !fresh {
		t.Errorf("USDT is %s, %t", price, fresh)
	}
}

// TestMarkThroughCommands: 30 slots of 24.69 and 30 that saw nothing make 12.345.
func TestMarkThroughCommands(t *testing.T) {
	w := newFutures(t)
	w.index(perp, 0, "50000")
	w.book("50024.68", "50024.7")
	for i := range schema.Time(30) {
		w.tick(noon + (i+1)*slot)
	}
	w.priced("mark of 1: 50012.34 of 50000 true, 0.0001 at +480")
	w.tick(noon + 30*slot + 1) // no slot
	w.priced()
	w.index(perp, 0, "50000.5")
	w.priced("source 0 of 1: 50000.5", "asset 1: 50000.5 true", "mark of 1: 50012.84 of 50000.5 true, 0.0001 at +480")
	w.book("", "50024.7")
	w.tick(noon + 60*slot)
	w.priced() // what was missed counts too, and nothing of the first 30 is too old yet
	w.tick(noon + 61*slot)
	w.priced("mark of 1: 50012.43 of 50000.5 true, 0.0001 at +480") // 29 of 24.69
	w.book("60000", "60001")
	w.tick(noon + 62*slot)
	w.priced("mark of 1: 50178.68 of 50000.5 true, 0.0001 at +480")
	w.tick(noon + 63*slot)
	w.priced("mark of 1: 50250.5 of 50000.5 true, 0.0001 at +480") // as far as the band goes
}

// TestFundingRateThroughCommands: half of the slots with a premium of 0.0024 and half without any.
func TestFundingRateThroughCommands(t *testing.T) {
	w := newFutures(t)
	w.index(perp, 0, "50000")
	w.tick(noon + slot)
	w.book("50120", "50121")
	w.tick(noon + 2*slot)
	if rate := w.Mark(perp).Rate; rate != d("0.0003") {
		t.Errorf("the rate is %s", rate)
	}
	m := btcPerp()
	m.FundingCap = d("1")
	w.must(&schema.SetMarket{Market: m})
	w.index(perp, 0, "50000")
	if rate := w.Mark(perp).Rate; rate != d("0.0007") {
		t.Errorf("the rate is %s", rate)
	}
	w.book("50010", "50011")
	w.tick(noon + 480*minute - slot) // what was missed makes the premium nearly nothing
	if rate := w.Mark(perp).Rate; rate != d("0.0001") {
		t.Errorf("the rate is %s", rate)
	}
	w.index(perp, 0, "50000")

	// An index between the end of the interval and the tick that settles it changes nothing of it.
	w.time = noon + 480*minute + 1
	w.index(perp, 0, "50001")
	if shown := w.Mark(perp); shown.Settles != noon+480*minute || shown.Rate != d("0.0001") {
		t.Errorf("funding of %s is settled at +%d", shown.Rate, (shown.Settles-noon)/minute)
	}
	w.tick(noon + 480*minute + second)
	if shown := w.Mark(perp); shown.Settles != noon+960*minute || shown.Rate != d("0") {
		t.Errorf("funding of %s is settled at +%d", shown.Rate, (shown.Settles-noon)/minute)
	}
	w.tick(noon + 480*minute + slot)
	if rate := w.Mark(perp).Rate; rate != d("0.0001") {
		t.Errorf("the rate is %s", rate)
	}
}

func TestMarkBeforeAnIndex(t *testing.T) {
	w := newFutures(t)
	w.book("50120", "50121")
	w.tick(noon + slot)
	w.priced("mark of 1: 0 of 0 false, 0 at +480")
	if next, _ := w.NextTimer(); next != noon+2*slot {
		t.Errorf("the next timer is at %d", next-noon)
	}
	w.tick(noon + 2*slot)
	w.priced()
	w.index(perp, 0, "0.001") // less than a unit of the price
	w.priced("source 0 of 1: 0.001", "asset 1: 0.001 true", "mark of 1: 0 of 0.001 true, 0 at +480")
	w.index(perp, 0, "50000")
	w.index(perp, 0, "0.001")
	w.priced("source 0 of 1: 0.001", "asset 1: 0.001 true", "mark of 1: 50000 of 0.001 true, 0 at +480")
}

func TestDelistedFuture(t *testing.T) {
	w := newFutures(t)
	w.index(perp, 0, "50000")
	w.must(&schema.PlanDelisting{Market: perp, At: noon + minute})
	w.tick(noon + minute)
	w.priced("*schema.MarketChanged")
	w.index(btcUSDT, 0, "50001") // still known
	w.priced("source 0 of 2: 50001", "asset 1: 50001 true")
	w.refused(because(schema.MarketDelisted), &schema.SetIndex{Market: perp, Price: d("1")})
}

func TestIndexOfPairs(t *testing.T) {
	w := newFutures(t)
	pair := schema.MarketInfo{Name: "ETH_BTC", Base: 3, Quote: btc, Type: schema.Spot, StockPrec: 3, MoneyPrec: 5, FeePrec: 6, Enabled: true}
	cross := schema.MarketID(w.must(&schema.SetMarket{Market: pair}).ID)
	w.index(cross, 0, "0.07")
	w.priced(fmt.Sprintf("source 0 of %d: 0.07", cross))
	w.refused(because(schema.IndexSourceInvalid), &schema.SetIndex{Market: cross, Source: 1, Price: d("1")})
	index := func(want string) {
		t.Helper()
		if price, _ := w.Index(cross); price != d(want) {
			t.Errorf("the index of ETH_BTC is %s, want %s", price, want)
		}
	}
	index("0.07") // ETH is not known
	w.must(&schema.SetCollateral{Asset: 3, IndexMaxAge: second})
	index("0")
	ethUSDT := pair
	ethUSDT.Name, ethUSDT.Quote = "ETH_USDT", usdt
	ethUSDT.MoneyPrec = 2
	id := schema.MarketID(w.must(&schema.SetMarket{Market: ethUSDT}).ID)
	w.index(id, 0, "2000")
	index("0")
	w.index(btcUSDT, 0, "30000")
	index("0.066666666666666666")
}

func TestCollateralSettings(t *testing.T) {
	w := newFutures(t)
	w.refused(because(schema.AssetUnknown), &schema.SetCollateral{Asset: 9})
	for name, change := range map[string]func(*schema.SetCollateral){
		"weight below 0":    func(c *schema.SetCollateral) { c.Weight = d("-0.1") },
		"weight above 1":    func(c *schema.SetCollateral) { c.Weight = d("1.000000000000000001") },
		"rate below 0":      func(c *schema.SetCollateral) { c.Rate = d("-0.1") },
		"rate of 1":         func(c *schema.SetCollateral) { c.Rate = d("1") },
		"pool cap below 0":  func(c *schema.SetCollateral) { c.PoolCap = d("-1") },
		"cap below 0":       func(c *schema.SetCollateral) { c.AccountCap = d("-1") },
		"age below 1 s":     func(c *schema.SetCollateral) { c.IndexMaxAge = second - 1 },
		"age above an hour": func(c *schema.SetCollateral) { c.IndexMaxAge = hour + 1 },
	} {
		set := btcCollateral()
		change(set)
		if got := w.apply(set).Rejection; got != because(schema.CollateralInvalid) {
			t.Errorf("%s: %q", name, got.Text())
		}
	}
	set := &schema.SetCollateral{Asset: usdt, Weight: d("1"), Rate: d("0.999999999999999999"), IndexMaxAge: second}
	w.must(set)
	w.priced("*schema.CollateralChanged")
	if got, ok := w.Collateral(usdt); !ok || got != *set {
		t.Errorf("USDT: %+v", got)
	}
}

// TestHeldMoneyIsWorthTheIndexOfItsAsset: what was held and sold counts by the sources of the asset, whichever
// market they spoke on, and by deals of the spot market alone.
func TestHeldMoneyIsWorthTheIndexOfItsAsset(t *testing.T) {
	w := newTraders(t)
	w.must(&schema.SetFeature{Feature: schema.ExactMoney, On: true})
	w.index(perp, 0, "30000")
	w.index(perp, 1, "31000")
	w.cross(ben, carl, bid("0.001", "33000"))
	w.must(&schema.Deposit{Account: ben, Asset: btc, Amount: d("1"), Held: true})
	w.must(&schema.Transfer{Account: ben, Asset: btc, Amount: d("1"), From: schema.Main, To: schema.Trade})
	w.must(&schema.Deposit{Account: carl, Asset: usdt, Amount: d("30700")})
	w.must(&schema.Transfer{Account: carl, Asset: usdt, Amount: d("30700"), From: schema.Main, To: schema.Trade})
	sell, buy := limit(schema.Sell, "1", "30700"), limit(schema.Buy, "1", "30700")
	sell.Market, buy.Market = btcUSDT, btcUSDT
	w.must(&schema.PlaceOrder{Account: ben, Order: sell})
	w.must(&schema.PlaceOrder{Account: carl, Order: buy})
	w.must(&schema.Transfer{Account: ben, Asset: usdt, Amount: d("30700"), From: schema.Trade, To: schema.Main})
	w.must(&schema.Deposit{Account: ben, Asset: usdt, Amount: d("100")})
	leave := &schema.Withdraw{Account: ben, Asset: usdt, Amount: d("100.01")}
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("100")}, leave) // held at the last price, 30700
	w.index(btcUSDT, 2, "30800")                                                 // the median
	w.refused(because(schema.MoveHeld), leave)
}

// TestTermsOfAFutureChange: what is shown of it follows with its own index or a tick, not with that of another.
func TestTermsOfAFutureChange(t *testing.T) {
	w := newFutures(t)
	eth := btcPerp()
	eth.Name, eth.Base = "ETH_PERP", 3
	id := schema.MarketID(w.must(&schema.SetMarket{Market: eth}).ID)
	w.index(id, 0, "3000")
	w.priced("source 0 of 3: 3000", "asset 3: 3000 true", "mark of 3: 3000 of 3000 true, 0 at +480")
	eth.FundingMinutes = 5
	w.must(&schema.SetMarket{Market: eth})
	w.index(perp, 0, "50000")
	w.priced("source 0 of 1: 50000", "asset 1: 50000 true", "mark of 1: 50000 of 50000 true, 0 at +480")
	w.index(id, 0, "3000")
	w.priced("source 0 of 3: 3000", "mark of 3: 3000 of 3000 true, 0 at +5")
	w.tick(noon + 5*second)
	w.priced()
}

// TestDelistedFutureLeavesItsAssetKnown: ETH is no collateral, and only its future has made it known.
func TestDelistedFutureLeavesItsAssetKnown(t *testing.T) {
	w := newFutures(t)
	spot := schema.MarketInfo{Name: "ETH_USDT", Base: 3, Quote: usdt, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2, FeePrec: 6, Enabled: true}
	pair := schema.MarketID(w.must(&schema.SetMarket{Market: spot}).ID)
	w.index(pair, 0, "2900") // the market's own, and ignored from now on
	eth := btcPerp()
	eth.Name, eth.Base = "ETH_PERP", 3
	id := schema.MarketID(w.must(&schema.SetMarket{Market: eth}).ID)
	if price, _ := w.Index(pair); price != d("0") {
		t.Errorf("the index is %s", price)
	}
	w.index(id, 3, "3000")
	w.trading.market(id).last = n("3500") // deals of a future say nothing of its asset
	index, high := w.products[2].(*wallet).worth(3)
	same(t, "index", index, "3000")
	same(t, "the higher of index and last", high, "3000")
	w.must(&schema.PlanDelisting{Market: id, At: noon + second})
	w.tick(noon + second)
	w.index(pair, 4, "3001")
	w.priced("source 4 of 3: 3001", "asset 3: 3000.5 true")
}

// TestSamplesThatDoNotCount: with a stale index, and with too many prices to the impact notional.
func TestSamplesThatDoNotCount(t *testing.T) {
	w := newFutures(t)
	w.index(perp, 0, "50000")
	w.book("50024.68", "50024.7")
	w.tick(noon + hour + second)
	w.priced("asset 1: 50000 false", "mark of 1: 50000 of 50000 false, 0 at +480")

	m := w.trading.market(perp)
	m.orders = nil
	for i := range int64(1001) { // 1 BTC at a thousand prices, and more at the next
		m.orders = append(m.orders, &order{market: m, side: schema.Sell, price: whole(50000 + i), left: n("0.001"), resting: true})
	}
	m.orders[1000].left = n("100")
	if _, ok := impact(stakes(m, schema.Sell), n("50000")); !ok {
		t.Error("the first thousand prices do not count")
	}
	if _, ok := impact(stakes(m, schema.Sell), n("51000")); ok {
		t.Error("the next price counts")
	}
}
