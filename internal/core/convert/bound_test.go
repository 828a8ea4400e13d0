package convert_test

import (
	"testing"

	"bourse/internal/schema"
)

const hour = 3600 * schema.Second

func bounded(open, day, loss string) func(*schema.SetConversion) {
	return func(m *schema.SetConversion) { m.OpenMost, m.DayMost, m.LossMost = d(open), d(day), d(loss) }
}

// TestAFamilyHasSoMuchInOpenQuotes: the values of all its accounts count, and the one that a newer quote ends does not.
func TestAFamilyHasSoMuchInOpenQuotes(t *testing.T) {
	x := crossing(t, bounded("1000", "1000000", "10000"))
	x.refused(schema.ConversionTooLarge, ask(alice, gem, usdt, "100.00000001"))
	x.quote(ask(alice, gem, usdt, "60")) // 600 USDT
	x.refused(schema.ConversionTooLarge, ask(sub, gem, usdt, "40.00000001"))
	x.quote(ask(sub, gem, usdt, "40"))
	x.refused(schema.ConversionTooLarge, auto(alice, gem, usdt, "0.00000001"))
	x.quote(ask(ben, gem, usdt, "100"))
	x.refused(schema.ConversionTooLarge, ask(alice, gem, usdt, "60.00000001"))
	x.refused(schema.ConversionTooLarge, ask(alice, usdt, gem, "0.01"))
	x.quote(ask(alice, gem, usdt, "60"))
	x.pass(10 * schema.Second)
	x.quote(ask(alice, gem, usdt, "100"))
}

// TestValuesAreRoundedUp to 8 decimals.
func TestValuesAreRoundedUp(t *testing.T) {
	x := open(t, bounded("1.1", "1000000", "10000"))
	x.do(&schema.SetIndex{Market: x.markets["EUR_USDT"], Price: d("1.10000000001")})
	x.rest(maker, "EUR_USDT", schema.Buy, "1000", "1.1")
	x.refused(schema.ConversionTooLarge, ask(alice, eur, usdt, "1")) // 1.10000001
	x.do(settings(bounded("1.10000001", "1000000", "10000")))
	x.quote(ask(alice, eur, usdt, "1"))
}

// TestAFamilyConvertsSoMuchInADay: the hour under way and the 23 before, and what is open.
func TestAFamilyConvertsSoMuchInADay(t *testing.T) {
	x := crossing(t, bounded("1000", "1500", "10000"))
	x.do(&schema.SetCollateral{Asset: gem, IndexMaxAge: hour})
	x.at = start - start%hour + hour - 1 // the last moment of an hour
	x.index("GEM", "10")
	x.do(auto(alice, gem, usdt, "60"))
	x.at++
	x.do(auto(sub, gem, usdt, "40"))
	x.refused(schema.ConversionTooLarge, auto(alice, gem, usdt, "50.00000001"))
	x.quote(ask(alice, gem, usdt, "50"))
	x.refused(schema.ConversionTooLarge, auto(sub, gem, usdt, "0.00000001"))
	x.do(auto(ben, gem, usdt, "100"))
	x.pass(10 * schema.Second)
	x.do(auto(alice, gem, usdt, "50"))
	x.pass(23*hour - 10*schema.Second - 1) // the last moment of the day of the first
	x.index("GEM", "10")
	x.refused(schema.ConversionTooLarge, auto(alice, gem, usdt, "0.00000001"))
	x.at++
	x.refused(schema.ConversionTooLarge, auto(alice, gem, usdt, "60.00000001"))
	x.do(auto(alice, gem, usdt, "60"))
}

// TestTheInventoryHasWhatItGives, and no family more than five percent of it frozen.
func TestTheInventoryHasWhatItGives(t *testing.T) {
	x := crossing(t)
	drain := func(asset schema.AssetID, amount string) {
		x.do(&schema.FundSystem{Account: schema.Convert, Asset: asset, Amount: d("-" + amount)})
	}
	drain(usdt, "99998016") // 1984 are left, of which 99.2 are five percent
	// 10 GEM are 99 USDT, less 0.2 % 98.802; 10.04 are 99.19721 and 10.05 are 99.29601.
	x.refused(schema.ConversionTooLarge, ask(alice, gem, usdt, "10.05"))
	x.quote(ask(alice, gem, usdt, "10.04"))
	x.refused(schema.ConversionTooLarge, ask(sub, gem, usdt, "0.01"))
	x.refused(schema.ConversionTooLarge, auto(alice, btc, usdt, "0.0001"))
	x.quote(ask(alice, gem, usdt, "10")) // the older one of the pair does not count
	x.quote(ask(ben, gem, usdt, "10"))
	x.refused(schema.MoveNotCovered, &schema.FundSystem{Account: schema.Convert, Asset: usdt, Amount: d("-1786.39600001")})
	drain(usdt, "1786.396")
	x.has(schema.Convert, schema.Main, usdt, "0 197.604")
	// What is frozen for others cannot be given, however little it is of all.
	x.refused(schema.ConversionTooLarge, ask(x.poor(), gem, usdt, "0.00001"))
	x.confirm(schema.OK, alice, 2)
	x.confirm(schema.OK, ben, 3)
	x.has(schema.Convert, schema.Main, usdt, "0 0")
	x.refused(schema.ConversionTooLarge, ask(alice, gem, usdt, "0.00001"))
}

// TestLossesSwitchConversionsOff: in the command that makes them, and forgotten when they are switched on.
func TestLossesSwitchConversionsOff(t *testing.T) {
	x := crossing(t, bounded("100000", "1000000", "100"))
	c := x.quote(ask(alice, btc, usdt, "1")) // for 49890.02
	x.index("BTC", "49790.02")
	x.confirm(schema.OK, alice, c.ID) // 100 lost
	if !x.m.Conversion().On {
		t.Fatal("a loss that is not above the bound switched conversions off")
	}
	x.at += 301 * schema.Second
	x.do(&schema.Tick{})
	x.index("BTC", "50000")
	x.pass(310 * schema.Second)
	c = x.quote(ask(ben, btc, usdt, "0.5"))
	x.index("BTC", "49890.02")
	x.confirm(schema.OK, ben, c.ID) // none: 24945.01 for what is worth as much
	if !x.m.Conversion().On {
		t.Fatal("no loss switched conversions off")
	}
	x.pass(310 * schema.Second)
	c = x.quote(ask(ben, usdt, btc, "5001")) // 0.1 BTC less 0.2 %: 0.0998
	x.index("BTC", "50110.22044089")         // 0.0998 are worth 5001.0000000008…, rounded up 0.00000001 more than what was given
	out := x.do(&schema.ConfirmConversion{Account: ben, Quote: c.ID})
	var kinds []string
	for e := range out.Events.All() {
		switch e := e.(type) {
		case *schema.Converted:
			kinds = append(kinds, "converted")
		case *schema.ConversionChanged:
			kinds = append(kinds, "changed")
			if e.Conversion.On || e.Conversion.LossMost != d("100") {
				t.Errorf("%+v was set", e.Conversion)
			}
		}
	}
	if len(kinds) != 2 || kinds[0] != "converted" || kinds[1] != "changed" || x.m.Conversion().On {
		t.Fatalf("%v, and conversions are %+v", kinds, x.m.Conversion())
	}
	x.refused(schema.ConversionsOff, ask(ben, usdt, btc, "5001"))
	x.do(settings(bounded("100000", "1000000", "100")))
	x.index("BTC", "50000")
	x.pass(310 * schema.Second)
	c = x.quote(ask(alice, btc, usdt, "1"))
	x.index("BTC", "49790.02")
	x.confirm(schema.OK, alice, c.ID)
	if !x.m.Conversion().On {
		t.Error("what was lost before was not forgotten")
	}
}

// TestLossesAreOfADay: after 24 hours of the clock they count no more, and what is gained counts against them.
func TestLossesAreOfADay(t *testing.T) {
	x := crossing(t, bounded("100000", "1000000", "100"))
	lose := func() {
		x.at += 10 * schema.Second
		x.index("BTC", "50000")
		x.pass(310 * schema.Second)
		c := x.quote(ask(alice, btc, usdt, "1"))
		x.index("BTC", "49790.02")
		x.confirm(schema.OK, alice, c.ID)
	}
	x.at = start - start%hour
	lose()
	x.pass(23 * hour)
	x.at = start - start%hour + 24*hour
	lose()
	if !x.m.Conversion().On {
		t.Fatal("a loss of yesterday counts")
	}
	x.index("BTC", "50000")
	x.pass(310 * schema.Second)
	x.do(auto(ben, btc, usdt, "1")) // gains 109.98
	lose()
	if !x.m.Conversion().On {
		t.Error("a gain does not count")
	}
	lose()
	if x.m.Conversion().On {
		t.Error("a loss of 190.02 does not count")
	}
}

// TestALossThatIsNoNumberIsKept: what was received is worth more than can be counted, so the loss is the greatest number less what was given, which
// has decimals that no value has. A snapshot with it is restored.
func TestALossThatIsNoNumberIsKept(t *testing.T) {
	x := open(t)
	x.do(&schema.FundSystem{Account: schema.Convert, Asset: gem, Amount: d("1000000000000")})
	x.do(&schema.Deposit{Account: maker, Asset: gem, Amount: d("1000000000")})
	x.do(&schema.Transfer{Account: maker, Asset: gem, Amount: d("1000000000"), From: schema.Main, To: schema.Trade})
	x.index("GEM", "0.0001")
	x.pass(310 * schema.Second)
	x.rest(maker, "GEM_USDT", schema.Sell, "1000000000", "0.0001")
	c := x.quote(ask(alice, usdt, gem, "50000"))
	x.index("GEM", "1000000000000")
	x.confirm(schema.OK, alice, c.ID)
	if x.m.Conversion().On {
		t.Error("such a loss did not switch conversions off")
	}
	x.refused(schema.ConversionsOff, ask(alice, usdt, gem, "5000")) // a restored machine says the same
}
