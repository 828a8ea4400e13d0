package convert_test

import (
	"testing"

	"bourse/internal/schema"
)

// bitcoins is an exchange with a book of bitcoins.
func bitcoins(t *testing.T, edits ...func(*schema.SetConversion)) *exchange {
	x := open(t, edits...)
	x.alone = true
	x.rest(maker, "BTC_USDT", schema.Buy, "1", "49990", "2", "49980")
	x.rest(maker, "BTC_USDT", schema.Sell, "1", "50010", "2", "50020")
	x.alone = false
	return x
}

// TestABookIsWalkedForwardAndBackward: sums of the orders, cut down for what is received and up for what is given, less 0.2 %.
func TestABookIsWalkedForwardAndBackward(t *testing.T) {
	for _, tt := range []struct {
		name string
		ask  *schema.QuoteConversion
		want string
	}{
		{"a part of the first bid", ask(alice, btc, usdt, "0.5"), "24945.01 for 0.5 at 49890.02 by 2>1 49990"},
		{"a bid and a half", ask(alice, btc, usdt, "1.5"), "74830.04 for 1.5 at 49886.69333333 by 2>1 49986.66666666"},
		{"an ask and as much of the next as the rest pays", ask(alice, usdt, btc, "50020"), "0.99819952 for 50020 at 0.00001995 by 1>2 0.00001999"},
		{"an ask, to the last cent", ask(alice, usdt, btc, "50010"), "0.998 for 50010 at 0.00001995 by 1>2 0.00001999"},
		{"a part of the first ask", ask(alice, usdt, btc, "0.5", true), "0.5 for 25055.11022045 at 0.00001995 by 1>2 0.00001999"},
		{"for money, a bid and as much of the next as is missing", ask(alice, btc, usdt, "49995", true), "49995 for 1.00210426 at 49890.01842981 by 2>1 49989.99850065"},
		{"amounts are cut to 8 decimals", ask(alice, btc, usdt, "0.500000009"), "24945.01 for 0.5 at 49890.02 by 2>1 49990"},
		{"amounts are cut, also what is received", ask(alice, usdt, btc, "0.500000009", true), "0.5 for 25055.11022045 at 0.00001995 by 1>2 0.00001999"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := bitcoins(t)
			c := x.quote(tt.ask)
			x.says(c, tt.want)
			if c.ID != 1 || c.Account != alice || c.From != tt.ask.Exchange.From || c.To != tt.ask.Exchange.To || c.Expires != start+10*schema.Second || c.Done != 0 {
				t.Errorf("%+v", c)
			}
		})
	}
}

// TestAmountsAreCutToThePrecisionOfTheirAsset, which of euros is cents; so is what comes of them rounded, and what is given for them.
func TestAmountsAreCutToThePrecisionOfTheirAsset(t *testing.T) {
	x := open(t)
	x.rest(maker, "EUR_USDT", schema.Buy, "1000", "1.0999")
	x.rest(maker, "EUR_USDT", schema.Sell, "1000", "1.1001")
	// 10.01 x 1.0999 = 11.009999, less 0.2 %.
	x.says(x.quote(ask(alice, eur, usdt, "10.019")), "10.987979 for 10.01 at 1.09770019 by 4>1 1.0999")
	// 10 / 1.1001 = 9.09008…, cut to cents 9.09; the index gives 9.09, too; less 0.2 % 9.07.
	x.says(x.quote(ask(alice, usdt, eur, "10")), "9.07 for 10 at 0.907 by 1>4 0.909")
	// 10 EUR cost 10.999 USDT on the book and 11 by the index: the other way round; for 12.345 USDT 11.2237… euros are sold, and 11.2228 by the index.
	x.says(x.quote(ask(alice, eur, usdt, "12.345", true)), "12.345 for 11.26 at 1.09635879 by 4>1 1.09928762")
	x.refused(schema.ConversionTooSmall, ask(alice, eur, usdt, "0.009"))
	x.refused(schema.ConversionTooSmall, ask(alice, usdt, eur, "0.009", true))
	x.refused(schema.ConversionTooSmall, ask(alice, usdt, eur, "-1"))
}

// TestTheIndexCountsIfItIsWorse, and only then.
func TestTheIndexCountsIfItIsWorse(t *testing.T) {
	x := bitcoins(t)
	x.index("BTC", "49000")
	x.pass(400 * schema.Second) // so that its move counts no more
	x.says(x.quote(ask(alice, btc, usdt, "1")), "48902 for 1 at 48902 by 2>1 49990")
	x.says(x.quote(ask(alice, btc, usdt, "49000", true)), "49000 for 1.00200401 at 48901.99990317 by 2>1 49989.99995959")
	x.index("BTC", "51000")
	x.pass(400 * schema.Second)
	x.says(x.quote(ask(alice, usdt, btc, "51000")), "0.998 for 51000 at 0.00001956 by 1>2 0.00001999")
}

// TestOrdersOfTheFamilyAreNoMarket: those of the account, of its sub-accounts and of its master; hidden orders are none either.
func TestOrdersOfTheFamilyAreNoMarket(t *testing.T) {
	x := bitcoins(t)
	x.rest(alice, "BTC_USDT", schema.Buy, "1", "49999")
	x.rest(sub, "BTC_USDT", schema.Buy, "1", "49998")
	x.do(&schema.SetAccount{Account: schema.Account{ID: maker, Name: "maker", Region: schema.Global, Verified: true, RPI: true}})
	x.do(&schema.PlaceOrder{Account: maker, Order: schema.OrderRequest{
		Market: x.markets["BTC_USDT"], Type: schema.Limit, Side: schema.Buy, Amount: d("1"), Price: d("49997"), RPI: true,
	}})
	x.says(x.quote(ask(alice, btc, usdt, "0.5")), "24945.01 for 0.5 at 49890.02 by 2>1 49990")
	x.says(x.quote(ask(sub, btc, usdt, "0.5")), "24945.01 for 0.5 at 49890.02 by 2>1 49990")
	x.says(x.quote(ask(ben, btc, usdt, "0.5")), "24949.501 for 0.5 at 49899.002 by 2>1 49999")
}

// TestOrdersCountByWhatIsOpenOfThem, in the order of their prices and their age.
func TestOrdersCountByWhatIsOpenOfThem(t *testing.T) {
	x := bitcoins(t)
	x.rest(ben, "BTC_USDT", schema.Sell, "0.75", "49990")
	// A quarter of the first bid is left, then 49980: 0.25 x 49990 + 0.25 x 49980 = 24992.5.
	x.says(x.quote(ask(alice, btc, usdt, "0.5")), "24942.515 for 0.5 at 49885.03 by 2>1 49985")
}

// TestStepsAreUsedUp: a quote looks at 2000 orders, also at those that do not count.
func TestStepsAreUsedUp(t *testing.T) {
	x := open(t)
	x.alone = true
	for range 1998 {
		x.rest(alice, "GEM_USDT", schema.Buy, "1", "10")
	}
	x.rest(maker, "GEM_USDT", schema.Buy, "1", "10", "1", "9.99", "1", "9.98")
	x.alone = false
	x.says(x.quote(ask(alice, gem, usdt, "2")), "19.95002 for 2 at 9.97501 by 5>1 9.995")
	x.refused(schema.ConversionTooLarge, ask(alice, gem, usdt, "2.00000001"))
	x.says(x.quote(ask(ben, gem, usdt, "1998")), "19940.04 for 1998 at 9.98 by 5>1 10")
	x.alone = true
	x.rest(alice, "GEM_USDT", schema.Buy, "1", "11", "1", "11")
	x.alone = false
	x.refused(schema.ConversionTooLarge, ask(alice, gem, usdt, "1"))
}

// TestABookMustBeDeep: what the walk gives is at least 0.98 of what the first price would.
func TestABookMustBeDeep(t *testing.T) {
	for _, tt := range []struct {
		name, second string
		ask          *schema.QuoteConversion
		side         schema.Side
		reason       schema.Reason
	}{
		{"sold at the edge", "9.6", ask(alice, gem, usdt, "2"), schema.Buy, schema.OK}, // 19.6 of 20
		{"sold beyond it", "9.5999", ask(alice, gem, usdt, "2"), schema.Buy, schema.ConversionTooLarge},
		{"bought for it at the edge", "10.4081", ask(alice, usdt, gem, "20.4081"), schema.Sell, schema.OK},               // 2 of 2.04081
		{"bought for it beyond it", "10.4082", ask(alice, usdt, gem, "20.4082"), schema.Sell, schema.ConversionTooLarge}, // 2 of 2.04082
		{"bought at the edge", "10.4081", ask(alice, usdt, gem, "2", true), schema.Sell, schema.OK},                      // 20 of 20.4081 x 0.98 = 19.999938
		{"bought beyond it", "10.4082", ask(alice, usdt, gem, "2", true), schema.Sell, schema.ConversionTooLarge},        // 20.000036
		{"sold for it at the edge", "9.6", ask(alice, gem, usdt, "19.6", true), schema.Buy, schema.OK},                   // 1.96 of 2
		{"sold for it beyond it", "9.5999", ask(alice, gem, usdt, "19.5999", true), schema.Buy, schema.ConversionTooLarge},
		{"more than there is", "10", ask(alice, gem, usdt, "2.1"), schema.Buy, schema.ConversionTooLarge},
		{"more is asked for than there is", "10", ask(alice, gem, usdt, "20.1", true), schema.Buy, schema.ConversionTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := open(t)
			x.rest(maker, "GEM_USDT", tt.side, "1", "10", "1", tt.second)
			x.refused(tt.reason, tt.ask)
		})
	}
}

// TestNothingIsUnavailable: what cannot be priced at all.
func TestNothingIsUnavailable(t *testing.T) {
	x := bitcoins(t)
	for _, c := range []*schema.QuoteConversion{
		ask(alice, btc, btc, "1"), ask(alice, 0, btc, "1"), ask(alice, btc, 9, "1"), ask(alice, btc, 9, "0"), // assets
		ask(alice, btc, eth, "1"),          // no market
		ask(alice, gem, usdt, "1"),         // an empty book
		ask(alice, gem, usdt, "0.1", true), // backward, too
		ask(alice, btc, eur, "1"),          // no hub
	} {
		x.refused(schema.ConversionUnavailable, c)
	}
	x.refused(schema.AccountUnknown, ask(999, btc, usdt, "1"))
	x.refused(schema.ConversionTooSmall, ask(alice, btc, usdt, "0"))
	x.refused(schema.ConversionTooSmall, ask(alice, gem, usdt, "0")) // before the books are looked at
	// The index is fresh up to its end.
	x.pass(3600*schema.Second - 1)
	x.quote(ask(alice, btc, usdt, "1"))
	x.pass(1)
	x.refused(schema.ConversionUnavailable, ask(alice, btc, usdt, "1"))
}

// TestTheSmallestThatConverts: a hop, or what is left of it, that is less than the smallest unit is too small.
func TestTheSmallestThatConverts(t *testing.T) {
	x := bitcoins(t)
	// 0.0005 USDT buy 0.00000000999… bitcoins on the book: nothing.
	x.refused(schema.ConversionTooSmall, ask(alice, usdt, btc, "0.0005"))
	// 0.00050011 buy one unit, of which the spread leaves none.
	x.refused(schema.ConversionTooSmall, ask(alice, usdt, btc, "0.00050011"))
	// 0.0010003 buy two, of which one is left.
	x.says(x.quote(ask(alice, usdt, btc, "0.0010003")), "0.00000001 for 0.0010003 at 0.00000999 by 1>2 0.00001999")
	x.says(x.quote(ask(alice, btc, usdt, "0.00000001")), "0.0004989 for 0.00000001 at 49890 by 2>1 49990")
}
