package core

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"bourse/internal/core/price"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// The assets and markets of exchanges with a future.
const (
	btc, usdt, eth, eur                       schema.AssetID  = 1, 2, 3, 4
	btcUSDT, btcPerp, ethUSDT, ethBTC, btcEUR schema.MarketID = 1, 2, 3, 4, 5
)

// dawn begins a day, and with it an interval of funding.
const dawn = 20_000 * aDay

// terms are those of a future that nothing is wrong with.
func terms() schema.Margin {
	return schema.Margin{
		MaxLeverage: 100, Bracket100: d("50000"), Bracket50: d("250000"), PriceBand: d("10"), MarkBand: d("0.5"),
		ImpactNotional: d("10000"), FundingMinutes: 480, FundingCap: d("0.0003"), FundingFloor: d("-0.0003"),
		LiquidationFee: d("0.2"), LiquidationBand: d("2"),
	}
}

// perpetual is a future on BTC.
func perpetual() schema.MarketInfo {
	return schema.MarketInfo{
		Name: "BTC_PERP", Base: btc, Quote: usdt, Type: schema.Futures, StockPrec: 3, MoneyPrec: 2, FeePrec: 6,
		MakerFee: d("0.02"), TakerFee: d("0.05"), Enabled: true, Margin: terms(),
	}
}

// spotOf is a spot market.
func spotOf(name string, base, quote schema.AssetID) *schema.SetMarket {
	return &schema.SetMarket{Market: schema.MarketInfo{
		Name: name, Base: base, Quote: quote, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 6, Enabled: true,
	}}
}

// floor is an exchange with a future on BTC, whose book is what the test says.
type floor struct {
	*Machine
	t        *testing.T
	bid, ask fixed.Decimal
}

func newFloor(t *testing.T) *floor {
	t.Helper()
	f := &floor{Machine: NewExchange(), t: t}
	for _, ticker := range []string{"BTC", "USDT", "ETH", "EUR"} {
		f.at(dawn, &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 8, Precision: 8}})
	}
	for _, c := range []*schema.SetMarket{
		spotOf("BTC_USDT", btc, usdt), {Market: perpetual()}, spotOf("ETH_USDT", eth, usdt), spotOf("ETH_BTC", eth, btc), spotOf("BTC_EUR", btc, eur),
	} {
		f.at(dawn, c)
	}
	f.prices.Impact = func(id schema.MarketID, notional fixed.Decimal) (bid, ask fixed.Decimal) {
		if id != btcPerp || notional != f.Listing().Market(btcPerp).ImpactNotional {
			t.Errorf("the book of market %d is asked for %s", id, notional)
		}
		return f.bid, f.ask
	}
	return f
}

// at lets a command happen that must be accepted, and returns its events. What was restored is the same.
func (f *floor) at(now schema.Time, c schema.Command) []schema.Event {
	f.t.Helper()
	out := f.Apply(now, c)
	if r := out.Result.Rejection; r.Refused() {
		f.t.Fatalf("%+v: %s", c, r.Text())
	}
	return slices.Collect(out.Events.All())
}

func (f *floor) refuses(now schema.Time, c schema.Command, want schema.Reason) {
	f.t.Helper()
	before := f.Hash()
	if r := f.Apply(now, c).Result.Rejection; r.Reason != want || f.Hash() != before {
		f.t.Errorf("%+v is refused with %d, want %d", c, r.Reason, want)
	}
}

// says is what a source says of a market.
func says(market schema.MarketID, source uint8, price string) *schema.SetIndex {
	return &schema.SetIndex{Market: market, Source: source, Price: d(price)}
}

func wantEvents(t *testing.T, got []schema.Event, want ...schema.Event) {
	t.Helper()
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("events are\n got %s\nwant %s", shown(got), shown(want))
	}
}

func shown(list []schema.Event) (text string) {
	for _, e := range list {
		text += fmt.Sprintf("%T %+v; ", e, e)
	}
	return text
}

// marked is the prices of the future.
func marked(mark, index string, fresh bool, rate string, settles schema.Time) *schema.MarkChanged {
	return &schema.MarkChanged{Market: btcPerp, Mark: d(mark), Index: d(index), Fresh: fresh, Rate: d(rate), Settles: settles}
}

const eightHours = 8 * 3600 * schema.Second

// TestSourcesOfAnAsset: whichever market of the asset with USDT a source is asked on, it is the same source.
func TestSourcesOfAnAsset(t *testing.T) {
	f := newFloor(t)
	next := dawn + eightHours
	wantEvents(t, f.at(dawn+1, says(btcUSDT, 0, "50000.1")),
		&schema.IndexChanged{Index: *says(btcUSDT, 0, "50000.1")},
		&schema.AssetPriced{Asset: btc, Price: d("50000.1"), Fresh: true},
		marked("50000.1", "50000.1", true, "0", next))
	wantEvents(t, f.at(dawn+2, says(btcPerp, 8, "50010.3")),
		&schema.IndexChanged{Index: *says(btcPerp, 8, "50010.3")},
		&schema.AssetPriced{Asset: btc, Price: d("50005.2"), Fresh: true},
		marked("50005.2", "50005.2", true, "0", next))
	wantEvents(t, f.at(dawn+3, says(btcPerp, 0, "50020.5")),
		&schema.IndexChanged{Index: *says(btcPerp, 0, "50020.5")},
		&schema.AssetPriced{Asset: btc, Price: d("50015.4"), Fresh: true},
		marked("50015.4", "50015.4", true, "0", next))
	// A third one that says what is in the middle changes nothing.
	wantEvents(t, f.at(dawn+4, says(btcUSDT, 3, "50015.4")), &schema.IndexChanged{Index: *says(btcUSDT, 3, "50015.4")})
	for _, source := range []uint8{0, 8} {
		f.at(dawn+5, says(btcUSDT, source, "0"))
	}
	if price, fresh := f.Prices().Index(btc); price != d("50015.4") || !fresh {
		t.Errorf("the index is %s, fresh %t", price, fresh)
	}
	// The last price stays when all were taken back.
	wantEvents(t, f.at(dawn+6, says(btcUSDT, 3, "0")),
		&schema.IndexChanged{Index: *says(btcUSDT, 3, "0")},
		&schema.AssetPriced{Asset: btc, Price: d("50015.4")},
		marked("50015.4", "50015.4", false, "0", next))
	if mark, fresh := f.Prices().Mark(btcPerp); mark != d("50015.4") || fresh {
		t.Errorf("the mark is %s, fresh %t", mark, fresh)
	}
}

func TestSourcesThatCannotBe(t *testing.T) {
	f := newFloor(t)
	above := price.Limit.Add(fixed.FromUnits(1, 18)).String()
	for _, tt := range []struct {
		c    *schema.SetIndex
		want schema.Reason
	}{
		{says(9, 9, "-1"), schema.MarketUnavailable},
		{says(btcUSDT, 9, "-1"), schema.IndexInvalid},
		{says(btcUSDT, 9, above), schema.IndexInvalid},
		{says(btcUSDT, 9, "1"), schema.IndexSourceInvalid},
		{says(btcPerp, 9, "1"), schema.IndexSourceInvalid},
		{says(ethUSDT, 1, "1"), schema.IndexSourceInvalid}, // no future is about it, and it is no collateral
		{says(ethBTC, 1, "1"), schema.IndexSourceInvalid},
		{says(btcEUR, 1, "1"), schema.IndexSourceInvalid},
	} {
		f.refuses(dawn+1, tt.c, tt.want)
	}
	f.at(dawn+1, says(btcUSDT, 8, price.Limit.String()))
	f.at(dawn+1, says(ethUSDT, 0, above)) // as always on markets that have an index of their own
	f.at(dawn+1, &schema.PlanDelisting{Market: btcPerp, At: dawn + 2})
	f.at(dawn+2, &schema.Tick{})
	f.refuses(dawn+2, says(btcPerp, 9, "-1"), schema.MarketDelisted)
	f.at(dawn+2, says(btcUSDT, 8, "5")) // the asset keeps its sources
	if price, fresh := f.Prices().Index(btc); price != d("5") || !fresh {
		t.Errorf("the index is %s, fresh %t", price, fresh)
	}
	// And what has ended has the last prices it had.
	if last, _ := f.Prices().Future(btcPerp); last.Index != price.Limit {
		t.Errorf("the future ended with %+v", last)
	}
}

// TestIndexesOfMarkets: a market of assets that have an index has none of its own.
func TestIndexesOfMarkets(t *testing.T) {
	f := newFloor(t)
	want := func(id schema.MarketID, price string, at schema.Time) {
		t.Helper()
		if got := f.Trading().Market(id).Index; got.Price != d(price) || got.At != at {
			t.Errorf("the index of market %d is %s of %d, want %s of %d", id, got.Price, got.At, price, at)
		}
		if got, _ := f.wallets.Index(id); got != d(price) {
			t.Errorf("wallets know an index of %s for market %d, want %s", got, id, price)
		}
	}
	f.at(dawn+1, says(btcUSDT, 1, "60000"))
	want(btcUSDT, "60000", dawn+1)
	want(btcPerp, "60000", dawn+1)
	for i, id := range []schema.MarketID{ethUSDT, ethBTC, btcEUR} { // one side is unknown
		f.at(dawn+2, says(id, 0, fmt.Sprint(i+1)))
		want(id, fmt.Sprint(i+1), dawn+2)
	}

	f.at(dawn+3, asCollateral(eth))
	want(ethUSDT, "0", 0) // its sources are empty
	want(ethBTC, "0", 0)
	want(btcEUR, "3", dawn+2)
	f.at(dawn+4, says(ethUSDT, 5, "2000"))
	want(ethUSDT, "2000", dawn+4)
	want(ethBTC, "0.033333333333333333", dawn+1)
	f.at(dawn+5, says(ethBTC, 0, "0.05")) // kept, and passed over
	want(ethBTC, "0.033333333333333333", dawn+1)

	restored, err := Restore(f.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if got := restored.trading.Record(ethBTC).Index; got.Price != d("0.05") || got.At != dawn+5 {
		t.Errorf("what the market had is %+v", got)
	}
	if got := restored.Trading().Market(ethBTC).Index; got.Price != d("0.033333333333333333") {
		t.Errorf("what it has is %+v", got)
	}
}

// collateral is what is set of an asset that counts in full.
func asCollateral(id schema.AssetID) *schema.SetCollateral {
	return &schema.SetCollateral{Asset: id, Weight: fixed.One, Rate: d("0.000024375"), IndexMaxAge: schema.DefaultIndexMaxAge}
}

func TestCollateralIsSet(t *testing.T) {
	f := newFloor(t)
	if _, set := f.Prices().Collateral(eth); set {
		t.Error("something is set that nobody set")
	}
	c := asCollateral(eth)
	wantEvents(t, f.at(dawn, c), &schema.CollateralChanged{Collateral: *c})
	c.Weight, c.PoolCap, c.AccountCap = d("0.95"), d("100"), d("3")
	wantEvents(t, f.at(dawn, c), &schema.CollateralChanged{Collateral: *c})
	if got, set := f.Prices().Collateral(eth); !set || got != *c {
		t.Errorf("what is set is %+v", got)
	}
	if price, fresh := f.Prices().Index(usdt); price != fixed.One || !fresh {
		t.Errorf("USDT is worth %s, fresh %t", price, fresh)
	}
	f.at(dawn, asCollateral(usdt))
	wantEvents(t, f.at(dawn+aDay, &schema.Tick{}), marked("0", "0", false, "0", dawn+aDay+eightHours))
	if price, fresh := f.Prices().Index(usdt); price != fixed.One || !fresh {
		t.Errorf("USDT is worth %s, fresh %t", price, fresh)
	}
}

func TestCollateralThatCannotBe(t *testing.T) {
	f := newFloor(t)
	refuse := func(want schema.Reason, change func(c *schema.SetCollateral)) {
		t.Helper()
		c := asCollateral(eth)
		change(c)
		f.refuses(dawn, c, want)
	}
	refuse(schema.AssetUnknown, func(c *schema.SetCollateral) { c.Asset, c.Weight = 9, d("2") })
	refuse(schema.CollateralInvalid, func(c *schema.SetCollateral) { c.Weight = d("1.000000000000000001") })
	refuse(schema.CollateralInvalid, func(c *schema.SetCollateral) { c.Weight = d("-0.000000000000000001") })
	refuse(schema.CollateralInvalid, func(c *schema.SetCollateral) { c.Rate = d("1") })
	refuse(schema.CollateralInvalid, func(c *schema.SetCollateral) { c.Rate = d("-0.1") })
	refuse(schema.CollateralInvalid, func(c *schema.SetCollateral) { c.PoolCap = d("-1") })
	refuse(schema.CollateralInvalid, func(c *schema.SetCollateral) { c.AccountCap = d("-1") })
	refuse(schema.CollateralInvalid, func(c *schema.SetCollateral) { c.IndexMaxAge = schema.Second - 1 })
	refuse(schema.CollateralInvalid, func(c *schema.SetCollateral) { c.IndexMaxAge = 3600*schema.Second + 1 })
}

// TestSourcesGrowOldByTicks: a tick notices it, the moment of which is known before.
func TestSourcesGrowOldByTicks(t *testing.T) {
	f := newFloor(t)
	c := asCollateral(eth)
	c.IndexMaxAge = 10 * schema.Second
	f.at(dawn, &schema.PlanDelisting{Market: btcPerp, At: dawn + 1})
	f.at(dawn+1, &schema.Tick{})
	f.at(dawn+1, c)
	if next, running := f.NextTimer(); running {
		t.Errorf("a timer runs to %d", next)
	}
	f.at(dawn+2, says(ethUSDT, 0, "2000"))
	f.at(dawn+3, says(ethUSDT, 1, "2010"))
	timer := func(want schema.Time) {
		t.Helper()
		if next, running := f.NextTimer(); !running || next != want {
			t.Errorf("the next timer is at %d, %t; want %d", next, running, want)
		}
	}
	timer(dawn + 2 + 10*schema.Second)
	wantEvents(t, f.at(dawn+1+10*schema.Second, &schema.Tick{}))
	f.at(dawn+2+10*schema.Second, spotOf("ETH_EUR", eth, eur)) // nothing grows old without a tick
	timer(dawn + 2 + 10*schema.Second)
	wantEvents(t, f.at(dawn+2+10*schema.Second, &schema.Tick{}), &schema.AssetPriced{Asset: eth, Price: d("2010"), Fresh: true})
	timer(dawn + 3 + 10*schema.Second)
	c.IndexMaxAge = 20 * schema.Second
	f.at(dawn+2+10*schema.Second, c)
	timer(dawn + 3 + 20*schema.Second)
	// By the new age the first counts again.
	wantEvents(t, f.at(dawn+3+10*schema.Second, &schema.Tick{}), &schema.AssetPriced{Asset: eth, Price: d("2005"), Fresh: true})
	c.IndexMaxAge = schema.Second
	f.at(dawn+3+10*schema.Second, c)
	timer(dawn + 2 + schema.Second)
	wantEvents(t, f.at(dawn+4+10*schema.Second, &schema.Tick{}), &schema.AssetPriced{Asset: eth, Price: d("2005")})
	if next, running := f.NextTimer(); running {
		t.Errorf("a timer runs to %d", next)
	}
}

// TestMarkFollowsTheBook: one slot of sixty.
func TestMarkFollowsTheBook(t *testing.T) {
	f := newFloor(t)
	next := dawn + eightHours
	f.at(dawn, says(btcPerp, 0, "50000"))
	f.bid, f.ask = d("50055"), d("50065") // the middle is 60 above the index: 1 on average
	wantEvents(t, f.at(dawn+1, &schema.Tick{}), marked("50001", "50000", true, "0.0003", next))
	if at, _ := f.NextTimer(); at != dawn+price.Slot {
		t.Errorf("the next slot begins at %d", at)
	}
	f.bid, f.ask = d("60000"), d("60000")
	wantEvents(t, f.at(dawn+price.Slot-1, &schema.Tick{})) // the slot is filled
	f.bid, f.ask = fixed.Zero, d("60000")                  // one side
	wantEvents(t, f.at(dawn+price.Slot, &schema.Tick{}), marked("50001", "50000", true, "0.0001", next))
	// An index brings a mark at once, with the slots that there are.
	wantEvents(t, f.at(dawn+price.Slot, says(btcPerp, 0, "40000")),
		&schema.IndexChanged{Index: *says(btcPerp, 0, "40000")},
		&schema.AssetPriced{Asset: btc, Price: d("40000"), Fresh: true},
		marked("40001", "40000", true, "0.0001", next))
}

// TestStaleSamplesDoNotCount: without a fresh index the book says nothing.
func TestStaleSamplesDoNotCount(t *testing.T) {
	f := newFloor(t)
	f.bid, f.ask = d("50060"), d("50060")
	next := dawn + eightHours
	wantEvents(t, f.at(dawn, &schema.Tick{}), marked("0", "0", false, "0", next))
	f.at(dawn+1, says(btcUSDT, 0, "50000"))
	f.at(dawn+price.Slot, &schema.Tick{})
	wantEvents(t, f.at(dawn+1+schema.DefaultIndexMaxAge, &schema.Tick{}),
		&schema.AssetPriced{Asset: btc, Price: d("50000")},
		marked("50001", "50000", false, "0.0001", next)) // one of seven slots at 0.0012, and 0.0001 is in reach of its mean
	for slot := range schema.Time(60) {
		f.at(dawn+100*schema.Second+slot*price.Slot, &schema.Tick{})
	}
	if mark, fresh := f.Prices().Mark(btcPerp); mark != d("50000") || fresh {
		t.Errorf("the mark is %s, fresh %t", mark, fresh)
	}
}

// TestIntervalsOfFunding: the interval ends with the first tick at or after its end, the slot of which still counts, and
// also if a price came in between.
func TestIntervalsOfFunding(t *testing.T) {
	f := newFloor(t)
	m := perpetual()
	m.FundingMinutes = 5
	f.at(dawn, &schema.SetMarket{Market: m})
	end := dawn + 5*60*schema.Second
	f.at(dawn, says(btcPerp, 0, "50000"))
	f.bid, f.ask = d("50250"), d("50250") // 0.005, the band
	f.at(dawn, &schema.Tick{})
	rate := "0.000046875" // (0.005 - 0.0005) * 5 / 480
	if last, _ := f.Prices().Future(btcPerp); last.Rate != d(rate) || last.Settles != end {
		t.Errorf("the future has %+v", last)
	}
	f.at(end-1, &schema.Tick{})
	f.at(end+1, says(btcPerp, 0, "50000"))
	if last, _ := f.Prices().Future(btcPerp); last.Settles != end || last.Rate.IsZero() {
		t.Errorf("before the tick the future has %+v", last)
	}
	f.at(end+2, &schema.Tick{})
	after, _ := f.Prices().Future(btcPerp)
	if after.Settles != end+5*60*schema.Second || !after.Rate.IsZero() {
		t.Errorf("after the interval the future has %+v", after)
	}
	f.at(end+2+price.Slot, &schema.Tick{})
	if last, _ := f.Prices().Future(btcPerp); last.Rate != d(rate) {
		t.Errorf("of the new interval the rate is %s", last.Rate)
	}
	// Missed settlements are one.
	f.at(end+3*3600*schema.Second+1, says(btcPerp, 0, "50000"))
	f.at(end+3*3600*schema.Second+1, &schema.Tick{})
	if last, _ := f.Prices().Future(btcPerp); last.Settles != end+3*3600*schema.Second+5*60*schema.Second || !last.Rate.IsZero() {
		t.Errorf("after three hours of silence the future has %+v", last)
	}
}

// TestTermsOfFundingChange: the next settlement is that of the new terms, from the next price on.
func TestTermsOfFundingChange(t *testing.T) {
	f := newFloor(t)
	f.at(dawn+1, &schema.Tick{})
	m := perpetual()
	m.FundingMinutes = 5
	f.at(dawn+2, &schema.SetMarket{Market: m})
	if last, _ := f.Prices().Future(btcPerp); last.Settles != dawn+eightHours {
		t.Errorf("without a tick funding is settled at %d", last.Settles)
	}
	wantEvents(t, f.at(dawn+3, &schema.Tick{}), marked("0", "0", false, "0", dawn+5*60*schema.Second))
}

// TestImpactLooksAtTheBestLevels: public ones of either side, and no more than a thousand.
func TestImpactLooksAtTheBestLevels(t *testing.T) {
	m := New()
	apply(t, m, start, genesis()...)
	side := func(s schema.Side, price, amount string, rpi bool) {
		apply(t, m, start, order(102, schema.OrderRequest{Market: 2, Side: s, Price: d(price), Amount: d(amount), RPI: rpi}))
	}
	want := func(notional, bid, ask string) {
		t.Helper()
		if b, a := m.trading.Impact(2, d(notional)); b != d(bid) || a != d(ask) {
			t.Errorf("for %s the impact is %s and %s, want %s and %s", notional, b, a, bid, ask)
		}
	}
	want("100", "0", "0")
	side(schema.Buy, "10", "5", false)
	side(schema.Buy, "9", "10", false)
	side(schema.Sell, "20", "10", false)
	want("50", "10", "20")
	want("95", "9.5", "20") // 5 at 10 and 5 at 9
	want("140", "9.333333333333333333", "20")
	want("141", "0", "20")
	want("200", "0", "20")
	want("200.000000000000000001", "0", "0")
	for i := range 999 {
		apply(t, m, start, order(103, schema.OrderRequest{Market: 2, Side: schema.Sell, Price: d("21").Add(fixed.FromUnits(int64(i), 3)), Amount: fixed.One}))
	}
	all, _ := fixed.Mul(fixed.FromInt(999), d("21.499"), 3, fixed.Down) // the mean of the prices
	want(all.Add(d("200")).String(), "0", "21.484143706640237859")
	apply(t, m, start, order(103, schema.OrderRequest{Market: 2, Side: schema.Sell, Price: d("22"), Amount: fixed.One}))
	want(all.Add(d("200.001")).String(), "0", "0")
}
