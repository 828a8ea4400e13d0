package naive

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/schema"
)

const (
	onETH   schema.MarketID = 2 // ETH_USDT
	onCross schema.MarketID = 3 // ETH_BTC
)

// newConversions is an exchange with BTC at 50000 and ETH at 2500 USDT, where anna, ben and carl have a lot of each to trade with, and so has the inventory.
// Anna has a sub-account.
func newConversions(t *testing.T) *world {
	w := &world{Exchange: New(), t: t, time: noon}
	for _, ticker := range []string{"BTC", "USDT", "ETH"} {
		w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}})
	}
	w.must(pairOf("BTC_USDT", btc, usdt))
	w.must(pairOf("ETH_USDT", eth, usdt))
	w.must(pairOf("ETH_BTC", eth, btc))
	for _, asset := range []schema.AssetID{btc, eth} {
		w.must(&schema.SetCollateral{Asset: asset, Weight: d("0.9"), IndexMaxAge: 3600 * schema.Second})
	}
	w.must(&schema.SetIndex{Market: spot, Price: d("50000")})
	w.must(&schema.SetIndex{Market: onETH, Price: d("2500")})
	for _, name := range []string{"anna", "ben", "carl"} {
		w.must(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global, RPI: true}})
	}
	w.must(child("kid", "first"))
	for _, asset := range []schema.AssetID{btc, usdt, eth} {
		for _, a := range []schema.AccountID{anna, ben, carl, kid} {
			w.must(&schema.Deposit{Account: a, Asset: asset, Amount: d("10000000")})
			w.must(&schema.Transfer{Account: a, Asset: asset, Amount: d("10000000"), From: schema.Main, To: schema.Trade})
		}
		w.must(&schema.FundSystem{Account: schema.Convert, Asset: asset, Amount: d("10000000")})
	}
	w.must(conversion())
	return w
}

func pairOf(name string, base, quote schema.AssetID) *schema.SetMarket {
	return &schema.SetMarket{Market: schema.MarketInfo{Name: name, Base: base, Quote: quote, Type: schema.Spot, StockPrec: 3, MoneyPrec: 6, FeePrec: 6, Enabled: true}}
}

func conversion() *schema.SetConversion {
	return &schema.SetConversion{On: true, Spread: d("0.002"), Hubs: []schema.AssetID{usdt}, OpenMost: d("100000"), DayMost: d("1000000"), LossMost: d("10000")}
}

// stands lets an order of an account stand in a book.
func (w *world) stands(a schema.AccountID, m schema.MarketID, side schema.Side, amount, price string) schema.Order {
	w.t.Helper()
	r := limit(side, amount, price)
	r.Market = m
	return w.must(&schema.PlaceOrder{Account: a, Order: r}).Order
}

// swaps is what an account wants to give, or to receive.
func swaps(a schema.AccountID, from, to schema.AssetID, amount string) schema.Exchange {
	return schema.Exchange{Account: a, From: from, To: to, Amount: d(amount)}
}

func inTo(e schema.Exchange) schema.Exchange {
	e.InTo = true
	return e
}

func quotes(e schema.Exchange) *schema.QuoteConversion { return &schema.QuoteConversion{Exchange: e} }

func confirmed(a schema.AccountID, q schema.ConversionID) *schema.ConfirmConversion {
	return &schema.ConfirmConversion{Account: a, Quote: q}
}

// quoteOf asks for a quote and returns what it says: give, receive, rate and the rates of the hops.
func (w *world) quoteOf(e schema.Exchange) string {
	w.t.Helper()
	result := w.must(quotes(e))
	c := result.Conversion
	if c.ID != schema.ConversionID(result.ID) || c.Account != e.Account || c.From != e.From || c.To != e.To || c.Expires != w.time+10*second || c.Done != 0 {
		w.t.Errorf("the quote is %+v", c)
	}
	said := fmt.Sprintf("%s %s %s", c.Give, c.Receive, c.Rate)
	for _, h := range c.Path {
		said += fmt.Sprintf(" %d-%d %s", h.From, h.To, h.Rate)
	}
	return said
}

// says compares what a quote says.
func (w *world) says(want string, e schema.Exchange) {
	w.t.Helper()
	if got := w.quoteOf(e); got != want {
		w.t.Errorf("the quote is %s, want %s", got, want)
	}
}

// wantsNot asks for a quote that is refused.
func (w *world) wantsNot(want schema.Reason, e schema.Exchange) {
	w.t.Helper()
	w.refused(because(want), quotes(e))
}

func TestConversionSettings(t *testing.T) {
	w := newConversions(t)
	for _, change := range []func(*schema.SetConversion){
		func(c *schema.SetConversion) { c.Spread = d("-0.000001") },
		func(c *schema.SetConversion) { c.Spread = d("1") },
		func(c *schema.SetConversion) { c.Spread = d("0.0000001") },
		func(c *schema.SetConversion) { c.Hubs = []schema.AssetID{4} },
		func(c *schema.SetConversion) { c.Hubs = []schema.AssetID{btc, usdt, btc} },
		func(c *schema.SetConversion) { c.OpenMost = d("0") },
		func(c *schema.SetConversion) { c.DayMost = d("-1") },
		func(c *schema.SetConversion) { c.LossMost = d("0.000000001") },
	} {
		c := conversion()
		change(c)
		w.refused(about(schema.ConversionInvalid, whole(4)), c)
	}
	c := conversion()
	c.On, c.Spread, c.Hubs, c.LossMost = false, d("0.999999"), []schema.AssetID{eth, btc, usdt}, d("0.00000001")
	w.must(c)
	w.happened("*schema.ConversionChanged")
	if set, ever := w.Conversion(); !ever || set.On || !slices.Equal(set.Hubs, c.Hubs) {
		t.Errorf("the settings are %+v, %t", set, ever)
	}
	w.wantsNot(schema.ConversionsOff, swaps(anna, btc, usdt, "1"))
	w.refused(because(schema.ConversionsOff), confirmed(anna, 1))
	w.refused(because(schema.ConversionsOff), &schema.AutoConvert{Exchange: swaps(anna, btc, usdt, "1")})
}

func TestQuotesFromBooks(t *testing.T) {
	for name, c := range map[string]struct {
		books func(*world)
		asked schema.Exchange
		want  string
	}{
		// 50000 + 0.5 x 49900 = 74950, less than 75000 by the index; less 0.2 %.
		"sells a given amount": {func(w *world) {
			w.stands(ben, spot, schema.Buy, "1", "50000")
			w.stands(ben, spot, schema.Buy, "1", "49900")
		}, swaps(anna, btc, usdt, "1.5"), "1.5 74800.1 49866.73333333 1-2 49966.66666666"},
		// 50100 for the first, and 25100 / 50200 of the second; by the index it would be 1.504.
		"buys for a given amount": {func(w *world) {
			w.stands(ben, spot, schema.Sell, "1", "50100")
			w.stands(ben, spot, schema.Sell, "1", "50200")
		}, swaps(anna, usdt, btc, "75200"), "75200 1.497 0.0000199 2-1 0.00001994"},
		// The same costs 75200 / 0.998, rounded up.
		"buys so much": {func(w *world) {
			w.stands(ben, spot, schema.Sell, "1", "50100")
			w.stands(ben, spot, schema.Sell, "1", "50200")
		}, inTo(swaps(anna, usdt, btc, "1.5")), "75350.70140281 1.5 0.0000199 2-1 0.00001994"},
		"sells for so much": {func(w *world) {
			w.stands(ben, spot, schema.Buy, "1", "50000")
			w.stands(ben, spot, schema.Buy, "1", "49900")
		}, inTo(swaps(anna, btc, usdt, "74950")), "1.50300602 74950 49866.7330687 1-2 49966.66666666"},
		// 10000.123456789012 would be too precise: 1 / 3 of the last order, rounded down and up.
		"rounds down what is bought": {func(w *world) {
			w.stands(ben, spot, schema.Sell, "1", "51000")
		}, swaps(anna, usdt, btc, "100"), "100 0.00195685 0.00001956 2-1 0.0000196"}, // 0.00196078 x 0.998
		"rounds up what is sold": {func(w *world) {
			w.stands(ben, spot, schema.Buy, "1", "49000")
		}, inTo(swaps(anna, btc, usdt, "100")), "0.00204491 100 48901.90766341 1-2 48999.91180015"}, // 0.00204082 / 0.998
		"the index is worse": {func(w *world) {
			w.stands(ben, spot, schema.Buy, "1", "60000")
		}, swaps(anna, btc, usdt, "1"), "1 49900 49900 1-2 60000"},
		"what does not count is cut off": {func(w *world) {
			w.stands(ben, spot, schema.Buy, "1", "50000")
		}, swaps(anna, btc, usdt, "0.000000029"), "0.00000002 0.000998 49900 1-2 50000"},
		// 10 x 2500 / 49000 = 0.51020408, but by the index 0.5; two hops cost 0.4 %.
		"over a hub": {func(w *world) {
			w.stands(ben, onCross, schema.Buy, "10", "0.05")
			w.stands(ben, onETH, schema.Buy, "10", "2500")
			w.stands(ben, spot, schema.Sell, "1", "49000")
		}, swaps(anna, eth, btc, "10"), "10 0.498 0.0498 3-2 2500 2-1 0.0000204"},
		"of equal routes the direct one": {func(w *world) {
			w.stands(ben, onCross, schema.Buy, "10", "0.05")
			w.stands(ben, onETH, schema.Buy, "10", "2500")
			w.stands(ben, spot, schema.Sell, "1", "50000")
		}, swaps(anna, eth, btc, "10"), "10 0.499 0.0499 3-1 0.05"},
		"the cheaper route to receive so much": {func(w *world) {
			w.stands(ben, onCross, schema.Buy, "100", "0.04")
			w.stands(ben, onETH, schema.Buy, "100", "2500")
			w.stands(ben, spot, schema.Sell, "1", "50000")
		}, inTo(swaps(anna, eth, btc, "0.498")), "10 0.498 0.0498 3-2 2500 2-1 0.00002"},
		// Neither the orders of the family count, nor those of RPI, nor stops.
		"passes over": {func(w *world) {
			w.stands(anna, spot, schema.Buy, "5", "50003")
			w.stands(kid, spot, schema.Buy, "5", "50002")
			r := limit(schema.Buy, "5", "50001")
			r.RPI = true
			w.place(ben, r)
			w.stands(ben, spot, schema.Buy, "1", "50000")
		}, swaps(anna, btc, usdt, "1"), "1 49900 49900 1-2 50000"},
		// 49000 is just 2 % less than 50000.
		"as deep as it must be": {func(w *world) {
			w.stands(ben, spot, schema.Buy, "0.5", "50000")
			w.stands(ben, spot, schema.Buy, "0.5", "48000")
		}, swaps(anna, btc, usdt, "1"), "1 48902 48902 1-2 49000"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newConversions(t)
			c.books(w)
			w.says(c.want, c.asked)
		})
	}
}

func TestWhatIsNotQuoted(t *testing.T) {
	deep := func(w *world) { w.stands(ben, spot, schema.Buy, "100", "50000") }
	one := swaps(anna, btc, usdt, "1")
	for name, c := range map[string]struct {
		books func(*world)
		asked schema.Exchange
		want  schema.Reason
	}{
		"no account":        {deep, swaps(9, btc, usdt, "1"), schema.AccountUnknown},
		"no asset":          {deep, swaps(anna, btc, 9, "1"), schema.ConversionUnavailable},
		"the same asset":    {deep, swaps(anna, btc, btc, "1"), schema.ConversionUnavailable},
		"nothing":           {deep, swaps(anna, btc, usdt, "0.000000009"), schema.ConversionTooSmall},
		"less than nothing": {deep, swaps(anna, btc, usdt, "-1"), schema.ConversionTooSmall},
		"no book":           {func(*world) {}, one, schema.ConversionUnavailable},
		"no market": {func(w *world) {
			w.must(conversion())
		}, swaps(anna, eth, btc, "1"), schema.ConversionUnavailable},
		"a market that is off": {func(w *world) {
			deep(w)
			m := pairOf("BTC_USDT", btc, usdt)
			m.Market.Enabled = false
			w.must(m)
		}, one, schema.ConversionUnavailable},
		"a market of another region": {func(w *world) {
			deep(w)
			m := pairOf("BTC_USDT", btc, usdt)
			m.Market.Regions = schema.In(schema.EU)
			w.must(m)
		}, one, schema.ConversionUnavailable},
		"a book of the family": {func(w *world) {
			w.stands(kid, spot, schema.Buy, "100", "50000")
		}, one, schema.ConversionUnavailable},
		"a book that ends": {func(w *world) {
			w.stands(ben, spot, schema.Buy, "0.999", "50000")
		}, one, schema.ConversionTooLarge},
		"a book that ends behind another": {func(w *world) {
			w.stands(ben, onETH, schema.Buy, "1", "2500")
			w.stands(ben, spot, schema.Sell, "0.049", "50000")
		}, swaps(anna, eth, btc, "1"), schema.ConversionTooLarge},
		"a book that ends behind none": {func(w *world) {
			w.stands(ben, onETH, schema.Buy, "0.5", "2500")
		}, swaps(anna, eth, btc, "1"), schema.ConversionUnavailable},
		"a hop that gives nothing": {func(w *world) {
			w.stands(ben, spot, schema.Sell, "1", "50000")
		}, swaps(anna, usdt, btc, "0.00049999"), schema.ConversionTooSmall},
		"nothing after the spread": {func(w *world) {
			w.stands(ben, spot, schema.Sell, "1", "50000")
		}, swaps(anna, usdt, btc, "0.00050001"), schema.ConversionTooSmall},
		"a stale index": {func(w *world) {
			deep(w)
			w.must(&schema.SetIndex{Market: spot})
		}, one, schema.ConversionUnavailable},
		"a book that is not deep": {func(w *world) {
			w.stands(ben, spot, schema.Buy, "0.5", "50000")
			w.stands(ben, spot, schema.Buy, "0.5", "47999.999999")
		}, one, schema.ConversionTooLarge},
		"a spread that takes all": {func(w *world) {
			w.stands(ben, onETH, schema.Buy, "1", "2500")
			w.stands(ben, spot, schema.Sell, "1", "50000")
			c := conversion()
			c.Spread = d("0.5")
			w.must(c)
		}, swaps(anna, eth, btc, "1"), schema.ConversionUnavailable},
		"more than may be open": {deep, swaps(anna, btc, usdt, "2.00000001"), schema.ConversionTooLarge},
		"more than a day allows": {func(w *world) {
			deep(w)
			c := conversion()
			c.DayMost = d("49999.99999999")
			w.must(c)
		}, one, schema.ConversionTooLarge},
		"a twentieth of the inventory": {func(w *world) {
			deep(w)
			w.must(&schema.FundSystem{Account: schema.Convert, Asset: usdt, Amount: d("-9002000.00000001")}) // 5 % of the rest are less than 49900
		}, one, schema.ConversionTooLarge},
		"more than there is to give": {func(w *world) {
			deep(w)
			w.must(&schema.Transfer{Account: anna, Asset: btc, Amount: d("9999999.00000001"), From: schema.Trade, To: schema.Main})
		}, one, schema.ConversionNotCovered},
	} {
		t.Run(name, func(t *testing.T) {
			w := newConversions(t)
			c.books(w)
			w.wantsNot(c.want, c.asked)
			if err := w.Verify(); err != nil || len(w.Quotes(anna)) != 0 {
				t.Errorf("%v, open quotes: %v", err, w.Quotes(anna))
			}
		})
	}
}

func TestMostThatIsQuoted(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Buy, "100", "50000")
	w.must(&schema.FundSystem{Account: schema.Convert, Asset: usdt, Amount: d("-9002000")}) // 998000 are left
	w.says("1 49900 49900 1-2 50000", swaps(anna, btc, usdt, "1"))
	w.wantsNot(schema.ConversionTooLarge, swaps(kid, btc, usdt, "0.00000001")) // the family has it all
	w.says("1 49900 49900 1-2 50000", swaps(carl, btc, usdt, "1"))             // another has not
	w.says("0.5 24950 49900 1-2 50000", swaps(anna, btc, usdt, "0.5"))         // the quote before is over then
	w.says("0.5 24950 49900 1-2 50000", swaps(kid, btc, usdt, "0.5"))
}

func TestStepsOfAQuote(t *testing.T) {
	w := newConversions(t)
	w.ConversionSteps = 3
	w.stands(anna, spot, schema.Buy, "1", "50002")
	w.stands(ben, spot, schema.Buy, "1", "50001")
	w.stands(ben, spot, schema.Buy, "0.5", "50000")
	w.says("1.5 74850 49900 1-2 50000.66666666", swaps(anna, btc, usdt, "1.5"))
	w.ConversionSteps = 2
	w.wantsNot(schema.ConversionTooLarge, swaps(anna, btc, usdt, "1.5"))
	w.says("1 49900 49900 1-2 50001", swaps(anna, btc, usdt, "1"))
	w.ConversionSteps = 1
	w.wantsNot(schema.ConversionTooLarge, swaps(anna, btc, usdt, "1")) // the first order that counts has an ideal
	w.says("1 49900 49900 1-2 50002", swaps(carl, btc, usdt, "1"))
}

// moves lets the index of BTC be another at a moment.
func (w *world) moves(at schema.Time, price string) {
	w.t.Helper()
	w.time = at - 1
	w.must(&schema.SetIndex{Market: spot, Price: d(price)})
}

func TestSpreadFollowsTheIndex(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Buy, "100", "60000")
	at := (noon/(10*second) + 10) * 10 * second
	later := func(moment schema.Time, want string) {
		t.Helper()
		w.time = moment - 1
		w.says(want, swaps(anna, btc, usdt, "1"))
	}
	w.moves(at, "50500")                                     // 1 %
	later(at, "1 49995 49995 1-2 60000")                     // 50500 x 0.99
	w.moves(at+10*second, "51005")                           // 2.01 % of 50000, in two buckets
	later(at+20*second, "1 49979.7995 49979.7995 1-2 60000") // 51005 x 0.9799
	later(at+310*second-1, "1 49979.7995 49979.7995 1-2 60000")
	later(at+310*second, "1 50494.95 50494.95 1-2 60000") // the second bucket alone: 1 % of 50500
	later(at+320*second-1, "1 50494.95 50494.95 1-2 60000")
	later(at+320*second, "1 50902.99 50902.99 1-2 60000") // 0.2 %
	w.moves(at+400*second, "51005.000000000000000001")    // a change too small to count
	w.moves(at+430*second, "45904.5")
	later(at+439*second, "1 40803.99999999 40803.99999999 1-2 60000")
}

func TestQuoteEnds(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Buy, "100", "50000")
	w.stands(ben, spot, schema.Sell, "100", "50001")
	w.must(quotes(swaps(anna, btc, usdt, "1")))
	w.happened("10 main of 2 by conversion for 1: 9950100 49900")
	w.must(quotes(swaps(anna, btc, usdt, "0.1"))) // of the same pair
	w.happened("10 main of 2 by conversion for 1: 10000000 0", "10 main of 2 by conversion for 2: 9995010 4990")
	made := w.time
	w.refused(because(schema.QuoteExpired), confirmed(anna, 1))
	w.refused(because(schema.QuoteUnknown), confirmed(anna, 3))
	w.refused(because(schema.QuoteUnknown), confirmed(ben, 2))
	w.refused(because(schema.QuoteUnknown), confirmed(kid, 2))
	w.must(quotes(swaps(anna, usdt, btc, "1000")))
	if next, is := w.NextTimer(); !is || next != made+10*second {
		t.Errorf("the next timer is %d, want %d", next, made+10*second)
	}
	w.tick(made + 10*second - 1)
	w.happened()
	w.time = made + 10*second - 2
	w.must(confirmed(anna, 2))
	w.happened(
		"101 trade of 1 by conversion for 2: 9999999.9 0", "10 main of 1 by conversion for 2: 10000000.0800404 0.0199596",
		"10 main of 2 by conversion for 2: 9995010 0", "101 trade of 2 by conversion for 2: 10004990 0", "*schema.Converted",
	)
}

// TestQuoteIsUsedOnce: it has an answer for an hour after, and is known among the 20 newest numbers of its account.
func TestQuoteIsUsedOnce(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Buy, "100", "50000")
	w.must(quotes(swaps(anna, btc, usdt, "1")))
	w.must(&schema.Transfer{Account: anna, Asset: btc, Amount: d("9999999.00000001"), From: schema.Trade, To: schema.Main})
	w.refused(because(schema.ConversionNotCovered), confirmed(anna, 1))
	w.must(&schema.Transfer{Account: anna, Asset: btc, Amount: d("1"), From: schema.Main, To: schema.Trade})
	got := w.must(confirmed(anna, 1))
	if c := got.Conversion; got.ID != 1 || c.ID != 1 || c.Give != d("1") || c.Receive != d("49900") || c.Done != w.time {
		t.Errorf("the answer is %+v", c)
	}
	done := w.time
	w.refused(because(schema.QuoteUsed), confirmed(anna, 1))
	w.time = done + hour - 2
	w.refused(because(schema.QuoteUsed), confirmed(anna, 1))
	w.refused(because(schema.QuoteUnknown), confirmed(anna, 1))

	w.must(&schema.SetIndex{Market: spot, Price: d("50000")})
	for range 21 {
		w.must(quotes(swaps(carl, btc, usdt, "0.1"))) // the numbers 2 to 22
	}
	w.refused(because(schema.QuoteUnknown), confirmed(carl, 2))
	w.refused(because(schema.QuoteExpired), confirmed(carl, 3))
	w.must(confirmed(carl, 22))
}

func TestExpiredQuote(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Buy, "100", "50000")
	w.must(quotes(swaps(anna, btc, usdt, "1")))
	w.time += 10*second - 1
	w.refused(because(schema.QuoteExpired), confirmed(anna, 1))
	w.wantsNot(schema.ConversionTooLarge, swaps(kid, btc, usdt, "1.1")) // a tick ends it, and none came
	w.tick(w.time + 1)
	w.happened("10 main of 2 by conversion for 1: 10000000 0")
	w.must(quotes(swaps(kid, btc, usdt, "1.1")))
}

func TestFiveOpenQuotes(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Buy, "100", "50000")
	w.stands(ben, spot, schema.Sell, "100", "50001")
	w.stands(ben, onETH, schema.Buy, "100", "2500")
	w.stands(ben, onETH, schema.Sell, "100", "2501")
	w.stands(ben, onCross, schema.Buy, "100", "0.05")
	w.stands(ben, onCross, schema.Sell, "100", "0.0501")
	for _, pair := range [][2]schema.AssetID{{btc, usdt}, {usdt, btc}, {eth, usdt}, {usdt, eth}, {eth, btc}, {btc, eth}} {
		w.must(quotes(swaps(anna, pair[0], pair[1], "1")))
	}
	// The sixth goes over USDT, 50000 / 2501 = 19.99200319 less 0.4 %; the fourth keeps 0.00039904.
	w.happened("10 main of 2 by conversion for 1: 9997505 2495", "10 main of 3 by conversion for 6: 9999980.08756579 19.91243421")
	var open []schema.ConversionID
	for _, q := range w.Quotes(anna) {
		open = append(open, q.ID)
	}
	if !slices.Equal(open, []schema.ConversionID{2, 3, 4, 5, 6}) {
		t.Errorf("open are %v", open)
	}
}

func TestAutoConvert(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Buy, "100", "50000")
	key := schema.Digest{1}
	auto := func(e schema.Exchange, key schema.Digest) *schema.AutoConvert {
		return &schema.AutoConvert{Exchange: e, Key: key}
	}
	first := w.must(auto(swaps(anna, btc, usdt, "1"), key))
	made := w.time
	w.happened(
		"101 trade of 1 by conversion for 1: 9999999 0", "10 main of 1 by conversion for 1: 10000001 0",
		"10 main of 2 by conversion for 1: 9950100 0", "101 trade of 2 by conversion for 1: 10049900 0", "*schema.Converted",
	)
	w.must(conversionOff())
	again := w.must(auto(swaps(anna, btc, usdt, "1.000000009"), key))
	w.happened()
	if a, b := *first.Conversion, *again.Conversion; a.ID != 1 || b.ID != 1 || a.Receive != d("49900") || b.Receive != a.Receive || b.Done != made || again.ID != 1 {
		t.Errorf("the answers are %+v and %+v", a, b)
	}
	w.refused(because(schema.ConversionKeyUsed), auto(swaps(anna, btc, usdt, "2"), key))
	w.refused(because(schema.ConversionKeyUsed), auto(inTo(swaps(anna, btc, usdt, "1")), key))
	w.refused(because(schema.ConversionsOff), auto(swaps(anna, btc, usdt, "1"), schema.Digest{2}))
	w.must(conversion())
	w.refused(because(schema.QuoteUnknown), confirmed(anna, 1)) // it was none
	w.must(auto(swaps(anna, btc, usdt, "1"), schema.Digest{}))
	if got := w.must(auto(swaps(anna, btc, usdt, "1"), schema.Digest{})).ID; got != 3 {
		t.Errorf("without a key it has number %d", got)
	}
	w.refused(because(schema.ConversionTooLarge), auto(swaps(anna, btc, usdt, "3"), schema.Digest{3}))
	w.must(auto(swaps(anna, btc, usdt, "0.5"), schema.Digest{3})) // a refusal keeps no key

	w.time = made + 24*hour - 2
	if got := w.must(auto(swaps(anna, btc, usdt, "1"), key)).ID; got != 1 {
		t.Errorf("the answer is number %d", got)
	}
	w.must(&schema.SetIndex{Market: spot, Price: d("50000")})
	if got := w.must(auto(swaps(anna, btc, usdt, "1"), key)).ID; got != 5 {
		t.Errorf("the key is used again for number %d", got)
	}
}

func conversionOff() *schema.SetConversion {
	c := conversion()
	c.On = false
	return c
}

// TestConvertedInADay: the hour of the clock under way and the 23 before count.
func TestConvertedInADay(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Buy, "100", "50000")
	c := conversion()
	c.DayMost = d("75000")
	w.must(c)
	auto := func(a schema.AccountID, amount string) *schema.AutoConvert {
		return &schema.AutoConvert{Exchange: swaps(a, btc, usdt, amount)}
	}
	w.must(auto(anna, "1"))
	w.refused(because(schema.ConversionTooLarge), auto(kid, "0.50000001"))
	w.must(quotes(swaps(kid, btc, usdt, "0.5")))
	w.refused(because(schema.ConversionTooLarge), auto(anna, "0.00000001"))
	w.time = noon + 24*hour - 3
	w.must(&schema.Tick{})
	w.must(&schema.SetIndex{Market: spot, Price: d("50000")})
	w.time -= 1
	w.refused(because(schema.ConversionTooLarge), auto(kid, "0.50000001"))
	w.must(auto(kid, "0.50000001"))
}

// TestLossesSwitchOff: the inventory gives bitcoins that became dearer while the quote was open, and may lose 900 USDT by that.
func TestLossesSwitchOff(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Sell, "100", "50000")
	c := conversion()
	c.LossMost = d("900.00000001")
	w.must(c)
	w.must(quotes(swaps(anna, usdt, btc, "50000"))) // 0.998 BTC
	w.must(&schema.SetIndex{Market: spot, Price: d("51002.00400802")})
	w.must(confirmed(anna, 1)) // worth 50900.0000000040, which counts 900.00000001
	if set, _ := w.Conversion(); !set.On {
		t.Fatalf("switched off at once: %+v", set)
	}
	w.must(&schema.SetIndex{Market: spot, Price: d("50000")})
	w.time += 301 * second
	w.must(&schema.SetIndex{Market: spot, Price: d("50000")})
	w.must(quotes(swaps(anna, usdt, btc, "0.1")))
	w.must(&schema.SetIndex{Market: spot, Price: d("60000")})
	w.must(confirmed(anna, 2))
	if got := w.listed(); got[len(got)-1] != "*schema.ConversionChanged" || got[len(got)-2] != "*schema.Converted" {
		t.Errorf("events: %q", got)
	}
	if set, _ := w.Conversion(); set.On || len(set.Hubs) != 1 {
		t.Errorf("after the loss: %+v", set)
	}
	w.must(c) // forgets
	w.must(&schema.SetIndex{Market: spot, Price: d("50000")})
	w.time += 311 * second
	w.must(quotes(swaps(anna, usdt, btc, "0.1")))
	w.must(confirmed(anna, 3))
	if set, _ := w.Conversion(); !set.On {
		t.Errorf("the losses are not forgotten")
	}
}

func TestOpenQuoteKeepsSub(t *testing.T) {
	w := newConversions(t)
	w.stands(ben, spot, schema.Buy, "100", "50000")
	w.must(quotes(swaps(kid, btc, usdt, "1")))
	for _, asset := range []schema.AssetID{btc, usdt, eth} {
		w.must(&schema.Transfer{Account: kid, Asset: asset, Amount: d("10000000"), From: schema.Trade, To: schema.Main})
		w.must(&schema.Withdraw{Account: kid, Asset: asset, Amount: d("10000000")})
	}
	remove := &schema.DeleteSub{Master: anna, Sub: kid}
	w.refused(because(schema.SubNotEmpty), remove)
	w.tick(w.time + 11*second)
	w.must(remove)
}
