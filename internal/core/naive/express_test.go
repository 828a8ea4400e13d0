package naive

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// newExpress is a world where anna is a partner, ben has 100 BTC in main, and one is worth 10 USD.
func newExpress(t *testing.T) *world {
	w := newCredits(t)
	w.must(&schema.Deposit{Account: ben, Asset: btc, Amount: d("100")})
	return w
}

func wants(n int, amount string) *schema.RequestExpress {
	return &schema.RequestExpress{Account: anna, Asset: btc, Amount: d(amount), External: fmt.Sprint("order ", n), Digest: digest(n), Sealed: []byte("sealed")}
}

func paysToken(n int) *schema.PayExpress { return &schema.PayExpress{Account: ben, Digest: digest(n)} }

func TestExpress(t *testing.T) {
	w := newExpress(t)
	got := w.must(wants(1, "3"))
	want := schema.Express{Account: anna, Asset: btc, Amount: d("3"), External: "order 1", Expires: w.time + 90*schema.Second, Sealed: []byte("sealed")}
	if !reflect.DeepEqual(*got.Express, want) || got.ID != 0 {
		t.Errorf("the result is %+v", *got.Express)
	}
	w.happened()
	w.timer(want.Expires)
	if list := w.Expresses(anna); len(list) != 1 || !reflect.DeepEqual(list[0], want) {
		t.Errorf("these wait: %+v", list)
	}

	// The same again is answered with the same, and another is refused.
	again := w.must(with(wants(2, "3"), func(c *schema.RequestExpress) { c.External = "order 1" }))
	if !reflect.DeepEqual(*again.Express, want) {
		t.Errorf("the result is %+v", *again.Express)
	}
	w.happened()
	for _, change := range []func(*schema.RequestExpress){
		func(c *schema.RequestExpress) { c.Amount = d("3.00000001") },
		func(c *schema.RequestExpress) { c.Asset = 3 },
	} {
		w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "LTC", CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8}})
		other := with(wants(2, "3"), func(c *schema.RequestExpress) { c.External = "order 1" })
		w.refused(because(schema.ExpressPending), with(other, change))
	}
	w.refused(because(schema.ExpressUnknown), paysToken(2)) // the second token was not needed

	w.must(paysToken(1))
	w.happened("102 main of 1 by withdrawal for 0: 97 0", "101 main of 1 by withdrawal for 0: 3 0")
	if r := w.last.Result; r.Express != nil || r.ID != 0 {
		t.Errorf("the result is %+v", r)
	}
	if list := w.Expresses(anna); len(list) != 0 {
		t.Errorf("these wait: %+v", list)
	}
	w.noTimer()
	w.refused(because(schema.ExpressUnknown), paysToken(1))
	w.refused(because(schema.ExpressPaid), with(wants(3, "5"), func(c *schema.RequestExpress) { c.External = "order 1" }))
	w.must(with(wants(1, "1"), func(c *schema.RequestExpress) { c.External = "order 9" })) // the token is free again
}

// TestExpressIsOver: it can be paid for 90 seconds, whatever ticks there were.
func TestExpressIsOver(t *testing.T) {
	w := newExpress(t)
	w.must(wants(1, "3"))
	expires := w.time + 90*schema.Second
	w.must(wants(2, "3"))
	w.time = expires - 2
	w.must(paysToken(2))
	w.refused(because(schema.ExpressUnknown), paysToken(1))
	w.must(with(wants(1, "4"), func(c *schema.RequestExpress) { c.External = "order 1" })) // both are free again
	w.timer(w.time + 90*schema.Second)                                                     // what was over is forgotten
	w.must(&schema.Tick{})
	w.timer(w.time - 1 + 90*schema.Second)
	w.must(paysToken(1))
	w.main(anna, btc, "7")
	w.noTimer()
}

func TestExpressIsCheckedInOrder(t *testing.T) {
	w := newExpress(t)
	w.must(wants(1, "1"))
	w.must(wants(2, "1"))
	w.must(paysToken(2))
	c := &schema.RequestExpress{Account: schema.House, Asset: 9, Amount: d("-1")}
	refuses := func(reason schema.Reason, value string) {
		t.Helper()
		w.refused(schema.Rejection{Reason: reason, Value: d(value)}, c)
	}
	refuses(schema.AccountUnknown, "0")
	c.Account = anna
	w.isAnna(func(a *schema.Account) { a.Blocked, a.Partner = true, false })
	refuses(schema.AccountBlocked, "0")
	w.isAnna(func(a *schema.Account) { a.Partner = false })
	refuses(schema.ExpressUnavailable, "0")
	w.isAnna(func(*schema.Account) {})
	refuses(schema.AssetUnknown, "0")
	c.Asset = usd
	refuses(schema.ExpressDisabled, "0")
	c.Asset = btc
	w.setBTC(func(a *schema.Asset) { a.CanWithdraw, a.Precision = false, 4 })
	refuses(schema.ExpressDisabled, "0")
	w.setBTC(func(a *schema.Asset) { a.Precision = 4 })
	refuses(schema.MoveNotPositive, "0.0001")
	c.Amount = d("0.00001")
	refuses(schema.MoveTooPrecise, "4")
	c.Amount, c.Digest, c.Sealed = d("1000.0001"), digest(7), []byte("s")
	for _, external := range []string{"", strings.Repeat("e", 1021)} {
		c.External = external
		refuses(schema.ExpressInvalid, "0")
	}
	c.External = "order 2"
	for _, n := range []int{0, 1} {
		c.Digest = digest(n)
		refuses(schema.ExpressInvalid, "0")
	}
	c.Digest = digest(7)
	for _, n := range []int{0, 257} {
		c.Sealed = bytes.Repeat([]byte{1}, n)
		refuses(schema.ExpressInvalid, "0")
	}
	c.Sealed = bytes.Repeat([]byte{1}, 256)
	refuses(schema.ExpressPaid, "0")
	c.External = "order 1"
	refuses(schema.ExpressPending, "0")
	c.External = strings.Repeat("e", 1020)
	w.must(&schema.SetIndex{Market: spot, Price: d("0")})
	refuses(schema.RateUnknown, "0")
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	refuses(schema.ExpressAboveCap, "10000")
	c.Amount = d("1000")
	w.must(c)
	w.main(anna, btc, "1")
}

// TestExpressesAreBounded: those of a partner that can be paid; and a tick forgets a thousand.
func TestExpressesAreBounded(t *testing.T) {
	w := newExpress(t)
	w.must(&schema.SetAccount{Account: schema.Account{ID: carl, Name: "carl", Region: schema.Global, Partner: true}})
	for n := range 1000 {
		w.must(wants(n+1, "1"))
	}
	full := schema.Rejection{Reason: schema.ExpressTooMany, Value: d("1000")}
	w.refused(full, wants(1001, "1"))
	carls := with(wants(1001, "1"), func(c *schema.RequestExpress) { c.Account, c.External = carl, "order 1" })
	w.must(carls)
	w.must(paysToken(5))
	w.must(wants(1002, "1"))
	last := w.time
	w.refused(full, wants(1003, "1"))
	w.time = last + 90*schema.Second
	w.must(&schema.Tick{})
	w.timer(last + 90*schema.Second)
	w.must(wants(1003, "1")) // what is over does not count
	w.must(&schema.Tick{})
	w.timer(w.time - 1 + 90*schema.Second)
}

// TestPayExpressIsCheckedInOrder: each has the fault that is refused, and all that are looked at later.
func TestPayExpressIsCheckedInOrder(t *testing.T) {
	w := newExpress(t)
	w.must(wants(1, "100"))
	w.must(&schema.Withdraw{Account: ben, Asset: btc, Amount: d("1")})
	isBen := func(change func(*schema.Account)) {
		t.Helper()
		w.must(&schema.SetAccount{Account: *with(&schema.Account{ID: ben, Name: "ben", Region: schema.Global}, change)})
	}
	until := func(a *schema.Account) { a.RestrictedUntil = 5 * schema.Second }
	isBen(func(a *schema.Account) { until(a); a.Blocked = true })
	w.must(&schema.SetTier{Tier: schema.Tier{Day: d("999.99")}})
	w.must(&schema.SetIndex{Market: spot, Price: d("0")})
	w.isAnna(func(a *schema.Account) { a.Blocked = true })
	pay := paysToken(9)
	refuses := func(reason schema.Reason, value string) {
		t.Helper()
		w.refused(schema.Rejection{Reason: reason, Value: d(value)}, pay)
	}
	pay.Account = schema.House
	refuses(schema.AccountUnknown, "0")
	pay.Account = ben
	refuses(schema.AccountBlocked, "0")
	isBen(until)
	refuses(schema.ExpressUnknown, "0")
	pay.Digest = digest(1)
	pay.Partner, pay.Asset, pay.Amount = anna, btc, d("99")
	refuses(schema.ExpressUnknown, "0") // it asks for 100
	pay.Amount = d("100")
	refuses(schema.ExpressUnknown, "0") // anna is blocked
	w.isAnna(func(a *schema.Account) { a.Partner = false })
	pay.Account = anna
	refuses(schema.ExpressOwn, "0")
	pay.Account = ben
	refuses(schema.RateUnknown, "0")
	w.must(&schema.SetIndex{Market: spot, Price: d("100.00000001")})
	refuses(schema.ExpressAboveCap, "10000")
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	refuses(schema.WithdrawNotCovered, "99")
	w.must(&schema.Deposit{Account: ben, Asset: btc, Amount: d("1")})
	refuses(schema.DayLimit, "999.99")
	w.must(&schema.SetTier{Tier: schema.Tier{Day: d("1000")}})
	refuses(schema.Restricted, "5")
	isBen(func(*schema.Account) {})
	w.must(pay)
	if day, month := w.Leaves(ben); day != d("1000") || month != d("1000") {
		t.Errorf("%s and %s left", day, month)
	}
	w.main(anna, btc, "100")
}

// TestExpressRepaysWhatIsOwed: what a partner gets is money for good.
func TestExpressRepaysWhatIsOwed(t *testing.T) {
	w := newExpress(t)
	w.ledger.move(holder{house, schema.Owed}, holder{anna, schema.Owed}, btc, of(d("2")), byReversal)
	w.must(wants(1, "3"))
	w.must(paysToken(1))
	w.main(anna, btc, "1")
	w.main(house, btc, "2")
}
