package convert_test

import (
	"reflect"
	"testing"

	"bourse/internal/schema"
)

// keyed is a conversion with a key.
func keyed(key byte, account schema.AccountID, from, to schema.AssetID, amount string, inTo ...bool) *schema.AutoConvert {
	c := auto(account, from, to, amount, inTo...)
	c.Key = schema.Digest{key}
	return c
}

// TestAConversionAtOnce: it freezes nothing, ends no quote, and is none that could be confirmed.
func TestAConversionAtOnce(t *testing.T) {
	x := bitcoins(t)
	x.quote(ask(alice, btc, usdt, "1"))
	out := x.do(auto(alice, btc, usdt, "0.5"))
	x.says(*out.Result.Conversion, "24945.01 for 0.5 at 49890.02 by 2>1 49990")
	if c := out.Result.Conversion; c.ID != 2 || out.Result.ID != 2 || c.Done != x.at || c.Expires != x.at+10*schema.Second {
		t.Errorf("%+v", c)
	}
	x.has(schema.Convert, schema.Main, usdt, "99925164.97 49890.02")
	x.has(alice, schema.Trade, usdt, "100024945.01 0")
	x.confirm(schema.QuoteUnknown, alice, 2)
	x.confirm(schema.OK, alice, 1)
	if again := x.do(auto(alice, btc, usdt, "0.5")).Result.Conversion; again.ID != 3 {
		t.Errorf("without a key the next is %+v", again)
	}
}

// TestARepetitionConvertsNothing for 24 hours, also when conversions are off by then; another exchange is refused.
func TestARepetitionConvertsNothing(t *testing.T) {
	x := bitcoins(t)
	first := *x.do(keyed(7, alice, btc, usdt, "0.5")).Result.Conversion
	repeated := func(c *schema.AutoConvert) {
		t.Helper()
		out := x.do(c)
		if got := out.Result.Conversion; !reflect.DeepEqual(*got, first) || out.Result.ID != 1 || out.Events.Len() != 0 {
			t.Errorf("the answer is %+v with %d events, want %+v", got, out.Events.Len(), first)
		}
		x.has(alice, schema.Trade, usdt, "100024945.01 0")
	}
	repeated(keyed(7, alice, btc, usdt, "0.5"))
	repeated(keyed(7, alice, btc, usdt, "0.500000009")) // the same when it is cut
	for _, other := range []*schema.AutoConvert{
		keyed(7, alice, btc, usdt, "0.50000001"), keyed(7, alice, btc, eth, "0.5"), keyed(7, alice, eth, usdt, "0.5"), keyed(7, sub, btc, usdt, "0.5"),
		keyed(7, alice, btc, usdt, "24945.01", true), keyed(7, alice, btc, 9, "0.5"), keyed(7, alice, 9, usdt, "0.5"), keyed(7, alice, btc, usdt, "0"),
	} {
		x.refused(schema.ConversionKeyUsed, other)
	}
	x.refused(schema.AccountUnknown, keyed(7, 999, btc, usdt, "0.5"))
	x.do(settings(func(m *schema.SetConversion) { m.On = false }))
	repeated(keyed(7, alice, btc, usdt, "0.5"))
	x.refused(schema.ConversionKeyUsed, keyed(7, alice, btc, usdt, "0.6"))
	x.refused(schema.ConversionsOff, keyed(8, alice, btc, usdt, "0.5"))
	x.do(settings())
	x.at += 24*3600*schema.Second - 1
	x.index("BTC", "50000")
	repeated(keyed(7, alice, btc, usdt, "0.5"))
	// It ends at its moment, also before a tick drops it.
	x.at++
	if next := x.do(keyed(7, alice, btc, usdt, "0.25")).Result.Conversion; next.ID != 2 {
		t.Errorf("%+v", next)
	}
	x.refused(schema.ConversionKeyUsed, keyed(7, alice, btc, usdt, "0.5"))
	x.pass(24 * 3600 * schema.Second)
	x.refused(schema.ConversionUnavailable, keyed(7, alice, btc, usdt, "0.5")) // dropped; there is no fresh index
}

// TestARepetitionOfWhatWasReceived: the amount that was asked for is the one that counts.
func TestARepetitionOfWhatWasReceived(t *testing.T) {
	x := bitcoins(t)
	first := x.do(keyed(1, alice, usdt, btc, "0.5", true)).Result.Conversion.ID
	if again := x.do(keyed(1, alice, usdt, btc, "0.5", true)).Result.Conversion.ID; again != first {
		t.Errorf("%d and %d", first, again)
	}
	x.refused(schema.ConversionKeyUsed, keyed(1, alice, usdt, btc, "25055.11022045"))
}

// TestWhatFailsFreesTheKey: it was never recorded.
func TestWhatFailsFreesTheKey(t *testing.T) {
	x := bitcoins(t)
	x.refused(schema.ConversionTooSmall, keyed(1, alice, btc, usdt, "0"))
	x.refused(schema.ConversionTooLarge, keyed(1, alice, btc, usdt, "9"))
	x.do(keyed(1, alice, btc, usdt, "0.5"))
}

// TestAnAccountHasSoManyKeys in 24 hours: 10,000. Others have theirs, and so have known ones.
func TestAnAccountHasSoManyKeys(t *testing.T) {
	x := bitcoins(t)
	x.alone = true
	key := func(i int, account schema.AccountID) *schema.AutoConvert {
		c := auto(account, btc, usdt, "0.00001")
		c.Key = schema.Digest{byte(i), byte(i >> 8), byte(account)}
		return c
	}
	for i := range 10_000 {
		x.do(key(i+1, alice))
	}
	x.alone = false
	x.refused(schema.ConversionKeysTooMany, key(0, alice))
	x.refused(schema.ConversionNotCovered, &schema.AutoConvert{Exchange: exchangeOf(x.poor(), btc, usdt, "0.00001"), Key: schema.Digest{1, 2, 3, 4}})
	x.do(key(1, alice))
	x.do(key(0, sub))
	x.do(auto(alice, btc, usdt, "0.00001"))
	x.alone = true
	x.pass(24*3600*schema.Second - 1)
	x.index("BTC", "50000")
	x.refused(schema.ConversionKeysTooMany, key(0, alice))
	x.pass(1)
	x.do(key(0, alice)) // a tick dropped 1000
	for i := range 999 {
		x.do(key(i+1, alice))
	}
	x.refused(schema.ConversionKeysTooMany, key(20_000, alice))
}

// poor is a new account that has nothing.
func (x *exchange) poor() schema.AccountID {
	return schema.AccountID(x.do(&schema.SetAccount{Account: schema.Account{Name: "poor", Region: schema.Global}}).Result.ID)
}
