package convert_test

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/schema"
)

// TestAQuoteIsConfirmedOnce: it freezes what it pays, and moves both amounts between the trade wallets and the inventory.
func TestAQuoteIsConfirmedOnce(t *testing.T) {
	x := bitcoins(t)
	c := x.quote(ask(alice, btc, usdt, "0.5"))
	x.has(schema.Convert, schema.Main, usdt, "99975054.99 24945.01")
	x.has(alice, schema.Trade, btc, "100000000 0")
	x.confirm(schema.QuoteUnknown, ben, c.ID)
	x.confirm(schema.QuoteUnknown, sub, c.ID)
	x.confirm(schema.QuoteUnknown, alice, c.ID+1)
	x.confirm(schema.QuoteUnknown, alice, 0)
	x.confirm(schema.AccountUnknown, 999, c.ID)
	x.at += 10*schema.Second - 1
	out := x.do(&schema.ConfirmConversion{Account: alice, Quote: c.ID})
	c.Done = x.at
	if got := out.Result.Conversion; got == nil || got.Done != x.at || got.Expires != start+10*schema.Second || out.Result.ID != 1 {
		t.Errorf("the answer is %+v", got)
	}
	x.says(*out.Result.Conversion, "24945.01 for 0.5 at 49890.02 by 2>1 49990")
	converted := 0
	for e := range out.Events.All() {
		switch e := e.(type) {
		case *schema.Converted:
			converted++
			x.says(e.Conversion, "24945.01 for 0.5 at 49890.02 by 2>1 49990")
		case *schema.BalanceChanged:
			if e.Cause != schema.ByConversion || e.Ref != 1 {
				t.Errorf("money moved by %s for %d", e.Cause, e.Ref)
			}
		default:
			t.Errorf("a %T", e)
		}
	}
	if converted != 1 {
		t.Errorf("it was converted %d times", converted)
	}
	x.has(schema.Convert, schema.Main, usdt, "99975054.99 0")
	x.has(schema.Convert, schema.Main, btc, "100000000.5 0")
	x.has(alice, schema.Trade, usdt, "100024945.01 0")
	x.has(alice, schema.Trade, btc, "99999999.5 0")
	x.confirm(schema.QuoteUsed, alice, c.ID)
	x.pass(3600*schema.Second - 1)
	x.confirm(schema.QuoteUsed, alice, c.ID)
	x.pass(1)
	x.confirm(schema.QuoteUnknown, alice, c.ID)
}

// TestAQuoteExpires at its moment, and a tick frees what it froze.
func TestAQuoteExpires(t *testing.T) {
	x := bitcoins(t)
	c := x.quote(ask(alice, btc, usdt, "0.5"))
	if next, is := x.m.NextTimer(); !is || next != c.Expires {
		t.Errorf("the next timer is at %s (%v)", next, is)
	}
	x.at += 10 * schema.Second
	x.confirm(schema.QuoteExpired, alice, c.ID)
	x.has(schema.Convert, schema.Main, usdt, "99975054.99 24945.01")
	x.pass(0)
	x.has(schema.Convert, schema.Main, usdt, "100000000 0")
	x.confirm(schema.QuoteExpired, alice, c.ID)
	x.at += 3600*schema.Second - 1
	x.confirm(schema.QuoteExpired, alice, c.ID)
	x.at++
	x.confirm(schema.QuoteUnknown, alice, c.ID) // before a tick forgets it, too
	x.pass(0)
	x.confirm(schema.QuoteUnknown, alice, c.ID)
}

// TestQuotesExpireInSlices: a thousand with a tick, which stays due for the others; what is remembered is forgotten likewise.
func TestQuotesExpireInSlices(t *testing.T) {
	x := crossing(t)
	x.alone = true
	for i := range 202 {
		id := schema.AccountID(x.do(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("trader", i), Region: schema.Global}}).Result.ID)
		for asset := usdt; asset <= gem; asset++ {
			x.do(&schema.Deposit{Account: id, Asset: asset, Amount: d("100")})
			x.do(&schema.Transfer{Account: id, Asset: asset, Amount: d("100"), From: schema.Main, To: schema.Trade})
		}
		for _, c := range []*schema.QuoteConversion{
			ask(id, btc, usdt, "0.001"), ask(id, usdt, btc, "1"), ask(id, eth, usdt, "0.01"), ask(id, usdt, eth, "1"), ask(id, gem, usdt, "1"),
		} {
			x.quote(c)
		}
	}
	frozen := func() (list []string) {
		for asset := usdt; asset <= gem; asset++ {
			_, frozen, _ := x.m.Balance(schema.Convert, schema.Main, asset)
			list = append(list, frozen.String())
		}
		return list
	}
	x.pass(10 * schema.Second)
	// Of the last two accounts each: 49.89002 + 24.8502 + 9.8802 USDT, 0.00001995 BTC, 0.0003976 ETH.
	if got, want := frozen(), []string{"169.24084", "0.0000399", "0.0007952", "0", "0"}; !slices.Equal(got, want) {
		t.Errorf("after a tick %v is frozen, want %v", got, want)
	}
	if next, is := x.m.NextTimer(); !is || next != x.at {
		t.Errorf("the next tick is at %s (%v)", next, is)
	}
	x.pass(1)
	if got, want := frozen(), []string{"0", "0", "0", "0", "0"}; !slices.Equal(got, want) {
		t.Errorf("after another %v is frozen", got)
	}
	last := schema.FirstCustomer + 4 + 201
	x.confirm(schema.QuoteExpired, last, 1010)
	x.alone = false
	x.pass(3600 * schema.Second)
	x.confirm(schema.QuoteUnknown, last, 1010)
	x.pass(1)
	x.confirm(schema.QuoteUnknown, last, 1010)
}

// TestAnAccountHasFiveOpenQuotes, and one of a pair: a newer one ends the older.
func TestAnAccountHasFiveOpenQuotes(t *testing.T) {
	x := crossing(t, over(usdt))
	pairs := []*schema.QuoteConversion{
		ask(alice, btc, usdt, "0.01"), ask(alice, usdt, btc, "100"), ask(alice, eth, usdt, "1"), ask(alice, usdt, eth, "100"), ask(alice, gem, usdt, "1"),
	}
	for _, pair := range pairs {
		x.quote(pair)
		x.at++
	}
	x.quote(ask(alice, usdt, eth, "200")) // 6, in the place of 4
	x.confirm(schema.QuoteExpired, alice, 4)
	x.quote(ask(alice, usdt, gem, "100")) // 7, in the place of 1, the oldest
	x.confirm(schema.QuoteExpired, alice, 1)
	x.quote(ask(sub, btc, usdt, "0.01")) // 8, of another account
	for _, id := range []schema.ConversionID{2, 3, 5, 6, 7} {
		x.confirm(schema.OK, alice, id)
	}
	x.confirm(schema.OK, sub, 8)
	for asset := usdt; asset <= gem; asset++ {
		if _, frozen, _ := x.m.Balance(schema.Convert, schema.Main, asset); !frozen.IsZero() {
			t.Errorf("%s of asset %d is frozen for nobody", frozen, asset)
		}
	}
}

// TestTwentyQuotesAreRemembered of an account, with the open ones.
func TestTwentyQuotesAreRemembered(t *testing.T) {
	x := crossing(t)
	x.quote(ask(alice, eth, usdt, "1"))
	for range 19 {
		x.quote(ask(alice, btc, usdt, "0.01"))
	}
	x.confirm(schema.OK, alice, 1)
	x.confirm(schema.QuoteUsed, alice, 1)
	x.quote(ask(alice, gem, usdt, "1")) // 21
	x.confirm(schema.QuoteUnknown, alice, 1)
	x.confirm(schema.QuoteExpired, alice, 2)
	for range 25 {
		x.quote(ask(alice, btc, usdt, "0.01")) // 22 to 46
	}
	x.confirm(schema.QuoteUnknown, alice, 26)
	x.confirm(schema.QuoteExpired, alice, 27)
	x.confirm(schema.OK, alice, 21) // it is open, so that it is known
	x.confirm(schema.QuoteUnknown, alice, 21)
	x.confirm(schema.OK, alice, 46)
}

// TestTheBalanceIsCheckedTwice: when the quote is asked for and when it is confirmed.
func TestTheBalanceIsCheckedTwice(t *testing.T) {
	x := bitcoins(t)
	take := func(amount string) {
		x.do(&schema.Transfer{Account: alice, Asset: btc, Amount: d(amount), From: schema.Trade, To: schema.Main})
	}
	take("99999999.5")
	x.refused(schema.ConversionNotCovered, ask(alice, btc, usdt, "0.50000001"))
	x.refused(schema.ConversionNotCovered, auto(alice, btc, usdt, "0.50000001"))
	c := x.quote(ask(alice, btc, usdt, "0.5"))
	take("0.00000001")
	x.confirm(schema.ConversionNotCovered, alice, c.ID)
	x.do(&schema.Transfer{Account: alice, Asset: btc, Amount: d("0.00000001"), From: schema.Main, To: schema.Trade})
	x.confirm(schema.OK, alice, c.ID)
	x.has(alice, schema.Trade, btc, "0 0")
}

// TestConversionsThatAreOff: never set, and switched off. Quotes live on and expire.
func TestConversionsThatAreOff(t *testing.T) {
	x := empty(t)
	x.alone = false
	x.rest(maker, "BTC_USDT", schema.Buy, "1", "49990")
	if got := x.m.Conversion(); got.On || !got.OpenMost.IsZero() || got.Hubs != nil {
		t.Errorf("there is %+v", got)
	}
	x.refused(schema.ConversionsOff, ask(alice, btc, usdt, "0.5"))
	x.refused(schema.ConversionsOff, ask(alice, 0, 0, "0"))
	x.refused(schema.ConversionsOff, auto(alice, btc, usdt, "0.5"))
	x.confirm(schema.ConversionsOff, alice, 1)
	x.do(settings())
	x.quote(ask(alice, btc, usdt, "0.5"))
	off := settings(func(m *schema.SetConversion) { m.On = false })
	out := x.do(off)
	for e := range out.Events.All() {
		if e, is := e.(*schema.ConversionChanged); !is || e.Conversion.On || e.Conversion.OpenMost != d("100000") {
			t.Errorf("%+v", e)
		}
	}
	x.confirm(schema.ConversionsOff, alice, 1)
	x.refused(schema.ConversionsOff, ask(alice, btc, usdt, "0.5"))
	x.do(settings())
	x.confirm(schema.OK, alice, 1)
	x.do(&schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Blocked: true}})
	x.refused(schema.AccountBlocked, ask(alice, btc, usdt, "0.5"))
	x.refused(schema.AccountBlocked, ask(sub, btc, usdt, "0.5"))
	x.refused(schema.AccountBlocked, auto(alice, btc, usdt, "0.5"))
	x.confirm(schema.AccountBlocked, alice, 1)
}

// TestSettingsThatCannotBe.
func TestSettingsThatCannotBe(t *testing.T) {
	x := open(t)
	for name, edit := range map[string]func(*schema.SetConversion){
		"a spread below zero":    func(m *schema.SetConversion) { m.Spread = d("-0.000001") },
		"all of it":              func(m *schema.SetConversion) { m.Spread = d("1") },
		"a spread of 7 decimals": func(m *schema.SetConversion) { m.Spread = d("0.0000001") },
		"five hubs":              over(usdt, btc, eth, eur, gem),
		"a hub twice":            over(usdt, btc, usdt),
		"a hub that is no asset": over(6),
		"no hub":                 over(0),
		"nothing may be open":    func(m *schema.SetConversion) { m.OpenMost = d("0") },
		"nothing in a day":       func(m *schema.SetConversion) { m.DayMost = d("-1") },
		"no loss":                func(m *schema.SetConversion) { m.LossMost = d("0") },
		"a bound of 9 decimals":  func(m *schema.SetConversion) { m.OpenMost = d("0.000000001") },
		"a day of 9 decimals":    func(m *schema.SetConversion) { m.DayMost = d("1.000000001") },
		"a loss of 9 decimals":   func(m *schema.SetConversion) { m.LossMost = d("1.000000001") },
	} {
		t.Run(name, func(t *testing.T) { x.refused(schema.ConversionInvalid, settings(edit)) })
	}
	x.do(settings(over(gem, usdt, btc, eth), func(m *schema.SetConversion) { m.Spread, m.LossMost = d("0.999999"), d("0.00000001") }))
	if got := x.m.Conversion(); len(got.Hubs) != 4 || got.Hubs[0] != gem || got.Spread != d("0.999999") {
		t.Errorf("there is %+v", got)
	}
}

// TestAnAccountWithAnOpenQuoteIsNotDeleted.
func TestAnAccountWithAnOpenQuoteIsNotDeleted(t *testing.T) {
	x := bitcoins(t)
	x.do(&schema.Transfer{Account: sub, Asset: btc, Amount: d("99999999"), From: schema.Trade, To: schema.Main})
	x.do(&schema.MoveSub{Master: alice, Sub: sub, Asset: btc, Amount: d("99999999")})
	x.quote(ask(sub, btc, usdt, "1"))
	for asset := usdt; asset <= gem; asset++ {
		amount, _, _ := x.m.Balance(sub, schema.Trade, asset)
		x.do(&schema.Transfer{Account: sub, Asset: asset, Amount: amount, From: schema.Trade, To: schema.Main})
		x.do(&schema.MoveSub{Master: alice, Sub: sub, Asset: asset, Amount: amount})
	}
	x.refused(schema.SubNotEmpty, &schema.DeleteSub{Master: alice, Sub: sub})
	x.pass(10 * schema.Second)
	x.do(&schema.DeleteSub{Master: alice, Sub: sub})
}
