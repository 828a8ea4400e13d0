package tier

import (
	"math"
	"strings"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/hours"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	btc   schema.AssetID = 1
	usdt  schema.AssetID = 2
	gem   schema.AssetID = 3 // has no price
	alice                = schema.FirstCustomer
	ben                  = alice + 1
	hour                 = 3600 * schema.Second
)

// exchange is tiers of an exchange where alice, who is verified and in tier 1, and ben, who is neither, are rich. The index price of a
// bitcoin is 100 USDT, the last one 90.
type exchange struct {
	*Tiers
	t           *testing.T
	handlers    product.Handlers
	index, last fixed.Decimal
}

func open(t *testing.T) *exchange {
	t.Helper()
	out, whole := &schema.Outcome{}, true
	l, listed, a := ledger.New(&out.Events), listing.New(), accounts.New()
	listed.Out, a.Out = out, out
	listed.MarketChanged = func(schema.MarketID) {}
	x := &exchange{t: t, index: fixed.FromInt(100), last: fixed.FromInt(90)}
	w := &wallet.Wallets{
		Ledger: l, Listing: listed, Accounts: a, Out: out, WholeAccount: &whole,
		Index: func(schema.MarketID) (index, last fixed.Decimal) { return x.index, x.last },
	}
	x.Tiers = New(a, w, out)
	x.Clock = func() schema.Time { return out.Time }
	for _, p := range []product.Product{listed, a, w, x.Tiers} {
		p.Commands(&x.handlers)
	}
	for _, ticker := range []string{"BTC", "USDT", "GEM"} {
		x.do(0, &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 8, Precision: 8, CanWithdraw: true}}, schema.OK)
	}
	x.do(0, &schema.SetMarket{Market: schema.MarketInfo{Name: "BTC_USDT", Base: btc, Quote: usdt, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8}}, schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global, Tier: 1, Verified: true}}, schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{Name: "ben", Region: schema.Global, Tier: 1}}, schema.OK)
	for _, asset := range []schema.AssetID{btc, usdt, gem} {
		for _, account := range []schema.AccountID{alice, ben} {
			x.do(0, &schema.Deposit{Account: account, Asset: asset, Amount: fixed.FromInt(1_000_000)}, schema.OK)
		}
	}
	return x
}

func (x *exchange) do(at schema.Time, c schema.Command, want schema.Reason) {
	x.t.Helper()
	x.out.Reset(at)
	if r := x.handlers[c.Kind()](c); r.Reason != want {
		x.t.Errorf("%T %+v: %v, want %v", c, c, r.Reason, want)
	}
}

func tier(number uint8, day, month string) *schema.SetTier {
	return &schema.SetTier{Tier: schema.Tier{Number: number, Day: fixed.MustParse(day), Month: fixed.MustParse(month)}}
}

// leaves lets an amount leave an account at a moment if it may.
func (x *exchange) leaves(at schema.Time, account schema.AccountID, asset schema.AssetID, amount string, want schema.Reason, value string) (counted fixed.Decimal) {
	x.t.Helper()
	x.out.Reset(at)
	sum := fixed.MustParse(amount)
	r := x.MayLeave(account, asset, sum)
	if r.Reason != want || r.Value != fixed.MustParse(value) {
		x.t.Errorf("%s of asset %d: %v %s, want %v %s", amount, asset, r.Reason, r.Value, want, value)
	}
	if !r.Refused() {
		counted = x.Count(account, asset, sum)
	}
	if err := x.Verify(); err != nil {
		x.t.Error(err)
	}
	return counted
}

func TestTiersAreSet(t *testing.T) {
	x := open(t)
	x.do(1, tier(2, "10", "20"), schema.OK)
	x.do(1, tier(0, "0", "0"), schema.OK)
	x.do(1, tier(2, "5.00000001", "0"), schema.OK)
	if x.out.Result.ID != 2 {
		t.Errorf("the result names tier %d", x.out.Result.ID)
	}
	said := 0
	for e := range x.out.Events.All() {
		if e, is := e.(*schema.TierChanged); is && e.Tier == tier(2, "5.00000001", "0").Tier {
			said++
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
	for _, wrong := range []*schema.SetTier{
		tier(10, "1", "1"), tier(1, "-1", "1"), tier(1, "1", "-1"), tier(1, "0.000000001", "1"), tier(1, "1", "2.000000001"), tier(1, "2", "1"),
		{Tier: schema.Tier{Number: 1, Month: ledger.Limit.Add(fixed.FromUnits(1, 8))}},
	} {
		x.do(1, wrong, schema.TierInvalid)
	}
	x.do(1, tier(9, "1", "1"), schema.OK)
	if all := x.All(); len(all) != 3 || all[0] != tier(0, "0", "0").Tier || all[1] != tier(2, "5.00000001", "0").Tier || all[2].Number != 9 {
		t.Errorf("%+v", all)
	}
}

func TestADayAndAMonthOfHours(t *testing.T) {
	x := open(t)
	x.do(0, tier(1, "1000", "2500"), schema.OK)
	at := 1000*hour + hour/2
	if got := x.leaves(at, alice, btc, "4.00000000001", schema.OK, "0"); got != fixed.MustParse("400.00000001") {
		t.Errorf("counted %s", got)
	}
	x.leaves(at, alice, usdt, "500", schema.OK, "0")
	x.leaves(at, alice, usdt, "100", schema.DayLimit, "99.99999999")
	x.leaves(at, alice, usdt, "99.99999999", schema.OK, "0")
	x.leaves(1024*hour-1, alice, usdt, "0.00000001", schema.DayLimit, "0")
	x.leaves(1024*hour, alice, usdt, "1000", schema.OK, "0") // the hour of the first is not one of the last 24
	x.leaves(1048*hour, alice, usdt, "500.1", schema.MonthLimit, "500")
	x.leaves(1048*hour, alice, usdt, "1000.1", schema.DayLimit, "1000")
	x.leaves(1720*hour-1, alice, usdt, "501", schema.MonthLimit, "500")
	x.out.Reset(1720*hour - 1)
	if bounds, left := x.Of(alice); bounds != tier(1, "1000", "2500").Tier || left != tier(1, "1000", "500").Tier {
		t.Errorf("%+v %+v", bounds, left)
	}
	x.leaves(1720*hour, alice, usdt, "1000", schema.OK, "0") // 720 hours after the first
	if kept := x.outflows[alice]; len(kept) != 2 || kept[0].Hour != 1024 || kept[1] != (hours.Sum{Hour: 1720, Sum: fixed.FromInt(1000)}) {
		t.Errorf("%+v", kept)
	}
}

func TestTheHigherPriceCounts(t *testing.T) {
	x := open(t)
	x.do(0, tier(1, "1000", "0"), schema.OK)
	x.last = fixed.FromInt(300)
	if got := x.leaves(0, alice, btc, "3", schema.OK, "0"); got != fixed.FromInt(900) {
		t.Errorf("counted %s", got)
	}
	x.leaves(0, alice, btc, "1", schema.DayLimit, "100")
}

// A tier counts once the account is verified; before, tier 0 does.
func TestTheTierThatCounts(t *testing.T) {
	x := open(t)
	x.do(0, tier(0, "10", "0"), schema.OK)
	x.do(0, tier(1, "0", "30"), schema.OK)
	x.leaves(0, alice, usdt, "31", schema.MonthLimit, "30")
	x.leaves(0, alice, usdt, "30", schema.OK, "0")
	x.leaves(0, ben, usdt, "11", schema.DayLimit, "10")
	x.do(0, &schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global, Tier: 3, Verified: true}}, schema.OK)
	x.leaves(0, ben, usdt, "11", schema.OK, "0") // tier 3 was never set
	x.do(0, tier(3, "5", "0"), schema.OK)
	x.leaves(0, ben, usdt, "1", schema.DayLimit, "0") // what left before counts: other tiers had bounds
	if bounds, left := x.Of(ben); bounds.Number != 3 || bounds.Day != fixed.FromInt(5) || !left.Day.IsZero() || !left.Month.IsZero() {
		t.Errorf("%+v %+v", bounds, left)
	}
}

func TestNothingCountsWhereNothingIsBound(t *testing.T) {
	x := open(t)
	x.do(0, tier(1, "0", "0"), schema.OK)
	x.leaves(0, alice, usdt, "100", schema.OK, "0")
	x.leaves(0, alice, gem, "100", schema.OK, "0")
	if len(x.outflows) != 0 {
		t.Errorf("%+v", x.outflows)
	}
	x.do(0, tier(1, "100", "0"), schema.OK)
	x.leaves(0, alice, usdt, "100", schema.OK, "0")
}

func TestWhatHasNoPrice(t *testing.T) {
	x := open(t)
	x.do(0, tier(1, "10", "0"), schema.OK)
	x.leaves(0, alice, gem, "1", schema.RateUnknown, "0")
	x.leaves(0, ben, gem, "1", schema.OK, "0") // nothing bounds tier 0
	withdraw := func(account schema.AccountID, asset schema.AssetID, amount string, approval bool, want schema.Reason) {
		t.Helper()
		if needs, r := x.MayWithdraw(account, asset, fixed.MustParse(amount)); needs != approval || r.Reason != want {
			t.Errorf("%v %v, want %v %v", needs, r.Reason, approval, want)
		}
	}
	withdraw(alice, gem, "1", true, schema.OK)
	withdraw(alice, usdt, "10", false, schema.OK)
	withdraw(alice, usdt, "11", false, schema.DayLimit)
	withdraw(alice, gem, "2000000", false, schema.WithdrawNotCovered)
	if got := x.Count(alice, gem, fixed.One); !got.IsZero() || len(x.outflows) != 0 {
		t.Errorf("counted %s", got)
	}
	x.do(0, tier(0, "10", "0"), schema.OK)
	withdraw(ben, gem, "1", false, schema.RateUnknown)
	x.index, x.last = fixed.Zero, fixed.Zero
	withdraw(ben, btc, "1", false, schema.RateUnknown)
	withdraw(ben, usdt, "1", false, schema.OK)
}

// What was counted and did not leave counts no more, while its hour is in the month.
func TestGivenBack(t *testing.T) {
	x := open(t)
	x.do(0, tier(1, "100", "150"), schema.OK)
	x.leaves(5*hour, alice, usdt, "60", schema.OK, "0")
	x.leaves(6*hour, alice, usdt, "40", schema.OK, "0")
	x.GiveBack(alice, 5*hour+7, fixed.FromInt(50))
	x.leaves(6*hour, alice, usdt, "51", schema.DayLimit, "50")
	x.GiveBack(alice, 6*hour, fixed.FromInt(40))
	if kept := x.outflows[alice]; len(kept) != 1 || kept[0] != (hours.Sum{Hour: 5, Sum: fixed.FromInt(10)}) {
		t.Errorf("%+v", kept)
	}
	x.out.Reset(724 * hour)
	x.GiveBack(alice, 5*hour, fixed.FromInt(4))
	if _, left := x.Of(alice); left.Month != fixed.FromInt(144) {
		t.Errorf("%s is left", left.Month)
	}
	x.out.Reset(725 * hour)
	x.GiveBack(alice, 5*hour, fixed.FromInt(5)) // it is over
	if _, left := x.Of(alice); left.Month != fixed.FromInt(150) {
		t.Errorf("%s is left", left.Month)
	}
}

func TestAnAccountIsRestricted(t *testing.T) {
	x := open(t)
	restrict := func(until schema.Time) {
		x.do(0, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Tier: 1, Verified: true, RestrictedUntil: until}}, schema.OK)
	}
	restrict(90*schema.Second + 1)
	x.leaves(90*schema.Second, alice, usdt, "1", schema.Restricted, "91")
	x.leaves(90*schema.Second+1, alice, usdt, "1", schema.OK, "0")
	restrict(90 * schema.Second)
	x.leaves(schema.Second, alice, usdt, "1", schema.Restricted, "90")
	restrict(math.MaxInt64)
	x.leaves(schema.Second, alice, usdt, "1", schema.Restricted, "9223372036855")
	x.do(0, tier(1, "10", "0"), schema.OK)
	x.leaves(schema.Second, alice, usdt, "11", schema.DayLimit, "10")
	x.leaves(schema.Second, alice, usdt, "2000000", schema.WithdrawNotCovered, "1000000")
	x.leaves(schema.Second, alice, gem, "1", schema.RateUnknown, "0")
	if _, r := x.MayWithdraw(alice, gem, fixed.One); r.Reason != schema.Restricted {
		t.Errorf("%v", r.Reason)
	}
	x.do(schema.Second, &schema.Withdraw{Account: alice, Asset: usdt, Amount: fixed.FromInt(11)}, schema.OK) // an operator's act is not bound
}

// A value that is no number is above every bound, and counts as the greatest number.
func TestValuesBeyondNumbers(t *testing.T) {
	x := open(t)
	x.index = fixed.FromInt(1_000_000_000_000_000_000)
	x.do(0, &schema.SetTier{Tier: schema.Tier{Number: 0, Month: fixed.FromInt(1_000_000_000)}}, schema.OK)
	x.leaves(0, ben, btc, "1000", schema.MonthLimit, "1000000000")
	for range 2 {
		if got := x.leaves(0, alice, btc, "1000", schema.OK, "0"); got != fixed.Max {
			t.Errorf("counted %s", got)
		}
	}
	x.leaves(hour, alice, usdt, "5", schema.OK, "0")
	x.do(hour, tier(1, "0", "5"), schema.OK)
	x.leaves(hour, alice, usdt, "1", schema.MonthLimit, "0")
	x.GiveBack(alice, 0, fixed.Max)
	x.GiveBack(alice, 0, fixed.Max)
	if kept := x.outflows[alice]; len(kept) != 1 || kept[0] != (hours.Sum{Hour: 1, Sum: fixed.FromInt(5)}) {
		t.Errorf("%+v", kept)
	}
}

func (x *exchange) written() []byte {
	w := &product.Writer{}
	for _, s := range x.Sections() {
		w.Section(&s)
	}
	return w.Bytes
}

// TestSectionsComeBack restores what was written, without what is over, and refuses what no command could have brought about.
func TestSectionsComeBack(t *testing.T) {
	x := open(t)
	if len(x.written()) != 0 {
		t.Error("an exchange without tiers has sections")
	}
	x.do(0, tier(0, "0", "0"), schema.OK)
	x.do(0, tier(1, "100", "0"), schema.OK)
	x.leaves(0, ben, usdt, "3", schema.OK, "0")
	x.leaves(5*hour, alice, usdt, "4", schema.OK, "0")
	x.leaves(719*hour, alice, btc, "0.05", schema.OK, "0")
	restored := func() *exchange {
		t.Helper()
		back := open(t)
		back.out.Reset(x.out.Time)
		if err := (&product.Reader{Rest: x.written()}).Sections(back.Sections()); err != nil {
			t.Fatal(err)
		}
		if string(back.written()) != string(x.written()) {
			t.Error("another snapshot")
		}
		return back
	}
	if back := restored(); back.outflows[ben][0] != (hours.Sum{Hour: 0, Sum: fixed.FromInt(3)}) || back.outflows[alice][1] != (hours.Sum{Hour: 719, Sum: fixed.FromInt(5)}) || len(back.tiers) != 2 {
		t.Errorf("%+v", back.Tiers)
	}
	x.out.Reset(720 * hour)
	if back := restored(); len(back.outflows) != 1 || len(back.outflows[alice]) != 2 {
		t.Errorf("%+v", back.outflows)
	}

	for name, tt := range map[string]struct {
		change func(*exchange)
		says   string
	}{
		"a tier twice":            {func(x *exchange) { x.tiers = append(x.tiers, x.tiers[1]) }, "tier 1 cannot be, or stands in the wrong place"},
		"a tier below zero":       {func(x *exchange) { x.tiers[0].Month = fixed.FromInt(-1) }, "tier 0 cannot be"},
		"hours in another order":  {func(x *exchange) { x.outflows[alice][0].Hour = 720 }, "stands in the wrong place"},
		"an hour twice":           {func(x *exchange) { x.outflows[alice][0].Hour = 719 }, "in the wrong place, twice"},
		"a sum of nothing":        {func(x *exchange) { x.outflows[alice][0].Sum = fixed.Zero }, "a sum cannot be"},
		"an hour that is to come": {func(x *exchange) { x.outflows[alice][1].Hour = 721 }, "a sum cannot be"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := restored()
			tt.change(bad)
			back := open(t)
			back.out.Reset(x.out.Time)
			err := (&product.Reader{Rest: bad.written()}).Sections(back.Sections())
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
	over := open(t)
	over.out.Reset(725 * hour)
	if err := (&product.Reader{Rest: x.written()}).Sections(over.Sections()); err == nil || !strings.Contains(err.Error(), "is over") {
		t.Error(err)
	}
}

func TestVerifyFindsSumsThatAreNone(t *testing.T) {
	x := open(t)
	x.outflows[alice] = []hours.Sum{{Hour: 3, Sum: fixed.One}, {Hour: 3, Sum: fixed.One}}
	if err := x.Verify(); err == nil || err.Error() != "tiers: account 101: 1 in hour 3 is no sum, or stands in the wrong place" {
		t.Error(err)
	}
}
