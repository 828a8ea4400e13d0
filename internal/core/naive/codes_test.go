package naive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

const aYear schema.Time = 31_536_000_000_000

// digest is the digest of a text that has a number here.
func digest(n int) (d schema.Digest) {
	binary.BigEndian.PutUint64(d[:], uint64(n))
	return d
}

var noLock = digest(0)

// coded makes a code of bitcoins without a passphrase.
func coded(a schema.AccountID, n int, amount string) *schema.CreateCode {
	return &schema.CreateCode{Account: a, Asset: btc, Amount: d(amount), Digest: digest(n), Sealed: []byte("sealed")}
}

// with changes a command.
func with[T any](c *T, change func(*T)) *T {
	change(c)
	return c
}

func applies(a schema.AccountID, n int, lock schema.Digest) *schema.ApplyCode {
	return &schema.ApplyCode{Account: a, Digest: digest(n), Lock: lock}
}

// newCodes is a world where anna has 10 BTC in main.
func newCodes(t *testing.T) *world {
	w := newWorld(t)
	w.setBTC(func(*schema.Asset) {})
	w.must(&schema.Transfer{Account: anna, Asset: btc, Amount: d("10"), From: schema.Trade, To: schema.Main})
	return w
}

// main compares what there is in a main wallet.
func (w *world) main(a schema.AccountID, s schema.AssetID, want string) {
	w.t.Helper()
	if got, _, _ := w.Balance(a, schema.Main, s); got != d(want) {
		w.t.Errorf("account %d has %v of asset %d in main, want %s", a, got, s, want)
	}
}

// code compares the code that the last command answered with.
func (w *world) code(want schema.Code) {
	w.t.Helper()
	got := w.last.Result
	if got.Code == nil || !reflect.DeepEqual(*got.Code, want) {
		w.t.Errorf("the code is %+v, want %+v", got.Code, want)
	}
	if got.ID != 0 {
		w.t.Errorf("the result has the id %d", got.ID)
	}
}

// noTimer says that nothing is due.
func (w *world) noTimer() {
	w.t.Helper()
	if next, running := w.NextTimer(); running {
		w.t.Errorf("the next timer is at %d", next)
	}
}

// setBTC changes the settings of BTC.
func (w *world) setBTC(change func(*schema.Asset)) {
	w.t.Helper()
	asset := schema.Asset{Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8, Codes: true}
	w.must(&schema.SetAsset{Asset: *with(&asset, change)})
}

func (w *world) block(a schema.AccountID, name string) {
	w.t.Helper()
	w.must(&schema.SetAccount{Account: schema.Account{ID: a, Name: name, Region: schema.Global, Blocked: true}})
}

func TestCodeCarriesMoney(t *testing.T) {
	w := newCodes(t)
	w.must(with(coded(anna, 1, "2.5"), func(c *schema.CreateCode) { c.Lock, c.Description = digest(9), "for ben" }))
	want := schema.Code{
		ID: 1, Account: anna, Asset: btc, Amount: d("2.5"), Status: schema.CodeActive, Created: w.time,
		Sealed: []byte("sealed"), Description: "for ben",
	}
	w.code(want)
	w.happened("101 main of 1 by code for 0: 7.5 0", "7 main of 1 by code for 0: 2.5 0", "code 1 of 101: 2.5 of 1 active")
	if event := w.last.Events[2].(*schema.CodeChanged); !reflect.DeepEqual(event.Code, want) {
		t.Errorf("the event is %+v", event.Code)
	}

	w.must(applies(ben, 1, noLock)) // the wrong passphrase
	w.code(want)
	w.happened()
	w.main(ben, btc, "0")

	w.must(applies(ben, 1, digest(9)))
	want.Status, want.Ended, want.Redeemer = schema.CodeApplied, w.time, ben
	w.code(want)
	w.happened("7 main of 1 by code for 0: 0 0", "102 main of 1 by code for 0: 2.5 0", "code 1 of 101: 2.5 of 1 applied")
	if event := w.last.Events[2].(*schema.CodeChanged); !reflect.DeepEqual(event.Code, want) {
		t.Errorf("the event is %+v", event.Code)
	}
	w.refused(because(schema.CodeNotActive), applies(carl, 1, digest(9)))
	w.refused(because(schema.CodeNotActive), applies(anna, 1, digest(9)))
}

// TestCodesAreNumbered: those that are refused take no number.
func TestCodesAreNumbered(t *testing.T) {
	w := newCodes(t)
	w.must(coded(anna, 1, "1"))
	w.refused(because(schema.CodeInvalid), coded(anna, 1, "1"))
	w.refused(about(schema.WithdrawNotCovered, whole(9)), coded(anna, 2, "9.00000001"))
	if made := w.must(coded(anna, 2, "9")).Code; made.ID != 2 {
		t.Errorf("the code has the number %d", made.ID)
	}
}

// TestCodeOutlivesItsAnswer: what was answered and sent stays as it was.
func TestCodeOutlivesItsAnswer(t *testing.T) {
	w := newCodes(t)
	c := coded(anna, 1, "1")
	made := w.must(c).Code
	event := w.last.Events[2].(*schema.CodeChanged)
	c.Sealed[0] = 'X'
	ended := w.must(applies(ben, 1, noLock)).Code
	if made.Status != schema.CodeActive || event.Code.Status != schema.CodeActive || ended.Status != schema.CodeApplied {
		t.Errorf("the code became %s, %s, %s", made.Status, event.Code.Status, ended.Status)
	}
	for _, sealed := range [][]byte{made.Sealed, event.Code.Sealed, ended.Sealed} {
		if !bytes.Equal(sealed, []byte("sealed")) {
			t.Errorf("the sealed text became %q", sealed)
		}
	}
}

func TestCreateCodeChecksInOrder(t *testing.T) {
	w := newCodes(t)
	create := coded(99, 0, "-1")
	create.Asset = 9
	w.refused(because(schema.AccountUnknown), create)
	create.Account = anna
	w.refused(because(schema.AssetUnknown), create)
	create.Asset = usd
	w.refused(because(schema.CodeInvalid), create)
	create.Digest = digest(1)
	w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.01")}, create)
	create.Amount = d("0")
	w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.01")}, create)
	create.Amount = d("100000.001")
	w.refused(schema.Rejection{Reason: schema.MoveTooPrecise, Value: d("2")}, create)
	create.Amount = d("100000.01")
	w.refused(because(schema.CodesDisabled), create) // dollars
	create.Asset, create.Amount = btc, d("20")
	w.setBTC(func(a *schema.Asset) { a.Codes, a.CanWithdraw, a.MinCode = false, false, d("30") })
	w.refused(because(schema.CodesDisabled), create)
	w.setBTC(func(a *schema.Asset) { a.CanWithdraw, a.MinCode = false, d("30") })
	w.refused(because(schema.CodeNotWithdrawable), create)
	w.setBTC(func(a *schema.Asset) { a.MinCode = d("20.00000001") })
	w.refused(schema.Rejection{Reason: schema.CodeBelowMin, Value: d("20.00000001")}, create)
	w.setBTC(func(a *schema.Asset) { a.MinCode = d("20") })
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("10")}, create)
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("15"), Held: true})
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("10")}, create)
	w.must(&schema.ConfirmDeposit{Account: anna, Asset: btc, Amount: d("5")})
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("15")}, create)
	w.must(&schema.ConfirmDeposit{Account: anna, Asset: btc, Amount: d("5")})
	w.must(create)
	w.main(anna, btc, "5")
	w.block(anna, "anna")
	create.Asset = 9
	w.refused(because(schema.AccountBlocked), create)
}

func TestCodeOfAPaymentMethod(t *testing.T) {
	w := newCodes(t)
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "PAY", CanWithdraw: true, Class: schema.PaymentMethod, Scale: 2, Precision: 2, Codes: true}})
	w.must(&schema.Deposit{Account: anna, Asset: 3, Amount: d("1")})
	w.refused(because(schema.CodesDisabled), with(coded(anna, 1, "1"), func(c *schema.CreateCode) { c.Asset = 3 }))
}

func TestWhatComesWithACodeIsBounded(t *testing.T) {
	w := newCodes(t)
	create := coded(anna, 1, "1")
	for _, sealed := range [][]byte{nil, {}, bytes.Repeat([]byte{1}, 257)} {
		create.Sealed = sealed
		w.refused(because(schema.CodeInvalid), create)
	}
	create.Sealed, create.Description = bytes.Repeat([]byte{1}, 256), strings.Repeat("x", 1121)
	w.refused(because(schema.CodeInvalid), create)
	create.Description = strings.Repeat("x", 1120)
	w.must(create)
	w.must(with(coded(anna, 2, "1"), func(c *schema.CreateCode) { c.Sealed = []byte{0} }))
}

// TestCodeIsAnExit: dora trades money away that is not confirmed.
func TestCodeIsAnExit(t *testing.T) {
	w := newWorld(t)
	w.setBTC(func(*schema.Asset) {})
	w.must(&schema.SetFeature{Feature: schema.ExactMoney, On: true})
	dora := schema.AccountID(w.must(&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global}}).ID)
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("1000"), Held: true})
	w.must(&schema.Deposit{Account: dora, Asset: usd, Amount: d("100")})
	w.must(&schema.Transfer{Account: dora, Asset: usd, Amount: d("1100"), From: schema.Main, To: schema.Trade})
	w.place(ben, limit(schema.Sell, "10", "100"))
	w.place(dora, limit(schema.Buy, "10", "100"))
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("9.98"), From: schema.Trade, To: schema.Main})
	w.refused(because(schema.MoveHeld), coded(dora, 1, "0.01"))
	w.must(&schema.SetIndex{Market: spot, Price: d("120")})
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("2.48")}, coded(dora, 1, "2.48000001")) // (1197.6 + 100 - 1000) / 120
	w.must(coded(dora, 1, "2.48"))
	w.must(applies(ben, 1, noLock))
	w.must(&schema.Withdraw{Account: ben, Asset: btc, Amount: d("2.48")}) // it is not held any more
}

func TestApplyCodeChecksInOrder(t *testing.T) {
	w := newCodes(t)
	w.refused(because(schema.AccountUnknown), applies(99, 7, noLock))
	w.refused(because(schema.CodeUnknown), applies(anna, 7, noLock))
	w.refused(because(schema.CodeUnknown), applies(anna, 0, noLock))
	w.must(with(coded(anna, 1, "1"), func(c *schema.CreateCode) { c.Lock = digest(9) }))
	w.refused(because(schema.CodeOwn), applies(anna, 1, digest(9)))
	w.refused(because(schema.CodeOwn), applies(anna, 1, noLock))
	w.must(applies(ben, 1, digest(9)))
	w.refused(because(schema.CodeNotActive), applies(anna, 1, noLock))
	w.block(ben, "ben")
	w.refused(because(schema.AccountBlocked), applies(ben, 7, noLock))
}

// TestNothingKeepsACodeFromBeingApplied: settings that came after it, or that its creator was blocked.
func TestNothingKeepsACodeFromBeingApplied(t *testing.T) {
	w := newCodes(t)
	w.must(coded(anna, 1, "1"))
	w.setBTC(func(a *schema.Asset) {
		a.Codes, a.CanWithdraw, a.CanDeposit, a.MinCode, a.Precision = false, false, false, d("2"), 0
	})
	w.must(applies(ben, 1, noLock))
	w.main(ben, btc, "1")
}

// TestCodeOfABlockedAccountWaits: it cannot be applied, and wrong tries do not count.
func TestCodeOfABlockedAccountWaits(t *testing.T) {
	w := newCodes(t)
	w.must(coded(anna, 1, "1"))
	w.block(anna, "anna")
	w.refused(because(schema.AccountBlocked), applies(anna, 1, noLock))
	for range 60 {
		w.refused(because(schema.CodeSuspended), applies(ben, 1, digest(8)))
	}
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global}})
	w.must(applies(ben, 1, noLock))
	w.main(ben, btc, "1")
}

// wrong tries a code with a wrong passphrase, so often in a row.
func (w *world) wrong(times, n int, lock schema.Digest) {
	w.t.Helper()
	for i := range times {
		w.must(applies(ben+schema.AccountID(i%2), n, lock))
		w.happened()
		if got := w.last.Result.Code; got.Status != schema.CodeActive || got.Ended != 0 {
			w.t.Fatalf("after %d tries the code is %s", i+1, got.Status)
		}
	}
}

func TestCodeThatIsTriedTooOftenGoesBack(t *testing.T) {
	w := newCodes(t)
	w.must(with(coded(anna, 1, "1"), func(c *schema.CreateCode) { c.Lock = digest(9) }))
	w.must(coded(anna, 2, "2"))
	w.must(with(coded(anna, 3, "3"), func(c *schema.CreateCode) { c.Lock = digest(9) }))
	created := w.time
	w.wrong(49, 1, digest(8))
	w.wrong(49, 2, digest(8)) // it has none
	w.wrong(49, 3, noLock)    // there was none
	for range 60 {
		w.refused(because(schema.CodeOwn), applies(anna, 3, digest(8))) // does not count
	}
	w.must(applies(ben, 1, digest(9)))
	w.main(ben, btc, "1")
	w.must(applies(ben, 2, digest(8)))
	w.happened("7 main of 1 by code for 0: 3 0", "101 main of 1 by code for 0: 6 0", "code 2 of 101: 2 of 1 returned")
	w.must(applies(ben, 3, noLock))
	w.happened("7 main of 1 by code for 0: 0 0", "101 main of 1 by code for 0: 9 0", "code 3 of 101: 3 of 1 returned")
	w.code(schema.Code{
		ID: 3, Account: anna, Asset: btc, Amount: d("3"), Status: schema.CodeReturned, Created: created, Ended: w.time, Sealed: []byte("sealed"),
	})
	w.refused(because(schema.CodeUnknown), applies(ben, 3, digest(9)))
}

// TestSoManyAppliedCodesAreRemembered: then one is unknown, and its digest free.
func TestSoManyAppliedCodesAreRemembered(t *testing.T) {
	w := newCodes(t)
	w.RememberedCodes = 2
	for n := range 3 {
		w.must(coded(anna, n+1, "1"))
		w.must(applies(ben, n+1, noLock))
	}
	w.refused(because(schema.CodeUnknown), applies(carl, 1, noLock))
	w.refused(because(schema.CodeNotActive), applies(carl, 2, noLock))
	w.refused(because(schema.CodeInvalid), coded(anna, 3, "1"))
	w.must(coded(anna, 1, "1"))
}

// TestCodesGoBackAfterAYear: an applied one stays remembered.
func TestCodesGoBackAfterAYear(t *testing.T) {
	w := newCodes(t)
	w.noTimer()
	w.must(coded(anna, 1, "1"))
	first := w.time
	w.must(coded(anna, 2, "2"))
	w.must(coded(anna, 3, "3"))
	w.must(applies(ben, 1, noLock))
	w.timer(first + 1 + aYear)
	w.tick(first + aYear)
	w.happened()
	w.refused(because(schema.CodeInvalid), coded(anna, 1, "1"))
	w.refused(because(schema.CodeNotActive), applies(carl, 1, noLock))
	w.must(coded(anna, 4, "1"))
	again := w.time

	w.must(applies(ben, 3, noLock)) // late, and no tick came yet
	w.main(ben, btc, "4")
	w.block(anna, "anna")
	w.tick(again + 5)
	w.happened("7 main of 1 by code for 0: 1 0", "101 main of 1 by code for 0: 5 0", "code 2 of 101: 2 of 1 returned")
	want := schema.Code{
		ID: 2, Account: anna, Asset: btc, Amount: d("2"), Status: schema.CodeReturned, Created: first + 1, Ended: again + 5, Sealed: []byte("sealed"),
	}
	if event := w.last.Events[2].(*schema.CodeChanged); !reflect.DeepEqual(event.Code, want) {
		t.Errorf("the event is %+v", event.Code)
	}
	if w.last.Result.Code != nil {
		t.Errorf("a tick answers with %+v", w.last.Result.Code)
	}
	w.refused(because(schema.CodeUnknown), applies(ben, 2, noLock))
	w.refused(because(schema.CodeNotActive), applies(carl, 3, noLock))
	w.timer(again + aYear)
	w.tick(again + 2*aYear)
	w.happened("7 main of 1 by code for 0: 0 0", "101 main of 1 by code for 0: 6 0", "code 4 of 101: 1 of 1 returned")
	w.noTimer()
}

// TestActiveCodesOfAnAccountAreCounted, and a tick sends no more back than it may.
func TestActiveCodesOfAnAccountAreCounted(t *testing.T) {
	w := newCodes(t)
	w.must(&schema.Transfer{Account: ben, Asset: btc, Amount: d("1"), From: schema.Trade, To: schema.Main})
	var created []schema.Time
	create := func(c *schema.CreateCode) {
		w.must(c)
		created = append(created, w.time)
	}
	for n := range 1000 {
		create(coded(anna, n+1, "0.001"))
	}
	tooMany := schema.Rejection{Reason: schema.CodesTooMany, Value: d("1000")}
	w.refused(tooMany, coded(anna, 2001, "10"))
	w.setBTC(func(a *schema.Asset) { a.MinCode = d("11") })
	w.refused(schema.Rejection{Reason: schema.CodeBelowMin, Value: d("11")}, coded(anna, 2001, "10"))
	w.setBTC(func(*schema.Asset) {})
	create(coded(ben, 1001, "0.5"))
	w.must(applies(ben, 7, noLock))
	create(coded(anna, 1002, "0.001"))
	w.refused(tooMany, coded(anna, 1003, "10"))

	w.tick(created[1001] + aYear)
	w.main(codeKeeper, btc, "0.001")
	w.main(anna, btc, "9.998") // all but those that ben applied and that is still active
	var numbers, want []string
	for _, e := range w.last.Events {
		if e, is := e.(*schema.CodeChanged); is {
			numbers = append(numbers, fmt.Sprint(e.Code.ID, e.Code.Status))
		}
	}
	for n := range 1001 {
		if n+1 != 7 {
			want = append(want, fmt.Sprint(n+1, schema.CodeReturned))
		}
	}
	if !slices.Equal(numbers, want) {
		t.Errorf("the codes that changed: %v", numbers)
	}
	w.timer(created[1001] + aYear)
	w.refused(because(schema.CodeUnknown), applies(carl, 1001, noLock))
	w.tick(w.time + 1)
	w.happened("7 main of 1 by code for 0: 0 0", "101 main of 1 by code for 0: 9.999 0", "code 1002 of 101: 0.001 of 1 returned")
	w.noTimer()
}

func TestLeastAmountOfACode(t *testing.T) {
	w := newWorld(t)
	set := func(precision uint8, least string) *schema.SetAsset {
		return &schema.SetAsset{Asset: schema.Asset{
			Ticker: "USD", CanDeposit: true, CanWithdraw: true, Class: schema.Fiat, Scale: 8, Precision: precision, MinCode: d(least),
		}}
	}
	w.refused(because(schema.CodeMinInvalid), set(2, "-0.01"))
	w.refused(because(schema.CodeMinInvalid), set(2, "0.001"))
	w.refused(because(schema.CodeMinInvalid), set(0, "0.1"))
	w.must(set(2, "0.01"))
	w.must(set(0, "7"))
	w.must(set(0, "0"))
	limited := set(2, "-1")
	limited.Asset.MinDeposit = d("-1")
	w.refused(because(schema.LimitInvalid), limited)
	limited.Asset.MinDeposit, limited.Asset.Networks = d("0"), []schema.Network{{MinDeposit: d("-1")}}
	w.refused(because(schema.LimitInvalid), limited)
	limited.Asset.Networks = []schema.Network{{}}
	w.refused(because(schema.CodeMinInvalid), limited)
}

// TestNobodyElsePaysIntoCodes: what Codes has is in active codes.
func TestNobodyElsePaysIntoCodes(t *testing.T) {
	w := newCodes(t)
	w.must(coded(anna, 1, "1"))
	w.refused(because(schema.AccountUnknown), &schema.Deposit{Account: codeKeeper, Asset: btc, Amount: d("1")})
	w.refused(because(schema.AccountUnknown), &schema.Withdraw{Account: codeKeeper, Asset: btc, Amount: d("1")})
	w.refused(because(schema.SystemAccountInvalid), &schema.FundSystem{Account: codeKeeper, Asset: btc, Amount: d("1")})
	w.refused(because(schema.AccountUnknown), coded(codeKeeper, 2, "1"))
	w.refused(because(schema.AccountUnknown), applies(codeKeeper, 1, noLock))
	if codeKeeper != schema.Codes {
		t.Errorf("the account of codes is %d", schema.Codes)
	}
	w.main(codeKeeper, btc, "1")
}
