package naive

import (
	"math"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// newLimits is a world where bitcoins can go by a sandbox and are worth 10 USD each, and what is not verified may leave for 100 USD in a
// day and 250 in a month.
func newLimits(t *testing.T) *chainWorld {
	w := newPayouts(t)
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	w.tier(0, "100", "250")
	return w
}

// tier sets the bounds of a tier.
func (w *chainWorld) tier(number uint8, day, month string) {
	w.t.Helper()
	w.must(&schema.SetTier{Tier: schema.Tier{Number: number, Day: d(day), Month: d(month)}})
}

// isDora changes the settings of dora.
func (w *chainWorld) isDora(change func(*schema.Account)) {
	w.t.Helper()
	w.must(&schema.SetAccount{Account: *with(&schema.Account{ID: dora, Name: "dora", Region: schema.Global}, change)})
}

// left compares what left dora's account in a day and in a month.
func (w *chainWorld) left(day, month string) {
	w.t.Helper()
	if gotDay, gotMonth := w.Leaves(dora); gotDay != d(day) || gotMonth != d(month) {
		w.t.Errorf("%s and %s left, want %s and %s", gotDay, gotMonth, day, month)
	}
}

// codeOf is a code of dora's.
func codeOf(n int, amount string) *schema.CreateCode { return coded(dora, n, amount) }

func dayLimit(left string) schema.Rejection {
	return schema.Rejection{Reason: schema.DayLimit, Value: d(left)}
}

func monthLimit(left string) schema.Rejection {
	return schema.Rejection{Reason: schema.MonthLimit, Value: d(left)}
}

func TestSetTier(t *testing.T) {
	w := newWorld(t)
	for _, wrong := range []schema.Tier{
		{Number: 10},
		{Number: 255},
		{Day: d("-1")},
		{Month: d("-1")},
		{Day: d("0.000000001")},
		{Month: d("0.000000001")},
		{Day: d("2"), Month: d("1.99999999")},
		{Day: owedMost.truncate(unit(8)).plus(unit(8)).decimal()},
		{Month: cutMax(8)},
	} {
		w.refused(because(schema.TierInvalid), &schema.SetTier{Tier: wrong})
	}
	if got := w.Tiers(); len(got) != 0 {
		t.Errorf("the tiers are %+v", got)
	}
	most := owedMost.truncate(unit(8)).decimal()
	for _, good := range []schema.Tier{
		{Number: 9, Day: most, Month: most}, {Number: 2, Day: d("5")}, {Number: 4, Month: d("0.00000001")}, {Number: 0, Day: d("2"), Month: d("2")}, {Number: 2, Month: d("7")},
	} {
		if id := w.must(&schema.SetTier{Tier: good}).ID; id != uint64(good.Number) {
			t.Errorf("the id is %d", id)
		}
		if e := w.last.Events; len(e) != 1 || e[0].(*schema.TierChanged).Tier != good {
			t.Errorf("the events are %+v", e)
		}
	}
	got, want := w.Tiers(), []schema.Tier{
		{Number: 0, Day: d("2"), Month: d("2")}, {Number: 2, Month: d("7")}, {Number: 4, Month: d("0.00000001")}, {Number: 9, Day: most, Month: most},
	}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("the tiers are %+v, want %+v", got, want)
		}
	}
}

func TestTiersOfAccounts(t *testing.T) {
	w := newWorld(t)
	set := func(change func(*schema.Account)) *schema.SetAccount {
		return &schema.SetAccount{Account: *with(&schema.Account{ID: anna, Name: "anna", Region: schema.Global}, change)}
	}
	w.refused(because(schema.TierInvalid), set(func(a *schema.Account) { a.Tier = 10 }))
	w.refused(because(schema.TierInvalid), set(func(a *schema.Account) { a.RestrictedUntil = -1 }))
	w.refused(because(schema.NameTaken), set(func(a *schema.Account) { a.Tier, a.Name = 10, "ben" }))
	w.refused(because(schema.RegionInvalid), set(func(a *schema.Account) { a.Tier, a.Region = 10, 0 }))
	want := schema.Account{
		ID: anna, Name: "anna", Region: schema.Global, Tier: 9, Verified: true, RestrictedUntil: math.MaxInt64,
		NewAddresses: true, Checker: true, CreditLine: true, Invoices: true, Created: w.Accounts()[0].Created,
	}
	w.must(set(func(a *schema.Account) { *a = want }))
	if got := w.Accounts()[0]; got != want {
		t.Errorf("the account is %+v", got)
	}
}

// TestLimitsOfADay: to the last unit, with the fee, over the hours of the clock.
func TestLimitsOfADay(t *testing.T) {
	w := newLimits(t)
	w.network(func(n *schema.Network) { n.WithdrawFixed = d("1") })
	w.time = 10 * hour
	w.must(with(asks("a", "5"), func(c *schema.RequestWithdrawal) { c.Pay = true })) // with the fee 6
	w.left("60", "60")
	w.refused(dayLimit("40"), asks("b", "4.00000001"))
	w.refused(dayLimit("40"), codeOf(1, "4.00000001"))
	w.must(sends("c", "1")) // between accounts too
	w.must(codeOf(1, "3"))
	w.left("100", "100")
	w.refused(dayLimit("0"), codeOf(2, "0.00000001"))
	w.refused(dayLimit("0"), asks("d", "1.1"))

	// The whole hour counts until 24 hours after it began.
	w.time = 34*hour - 2
	w.refused(dayLimit("0"), codeOf(2, "0.00000001"))
	w.tickNow()
	w.must(codeOf(2, "10"))
	w.left("100", "200")
	// In 30 days 250 may leave.
	w.time = 58 * hour
	w.refused(monthLimit("50"), codeOf(3, "5.00000001"))
	w.refused(dayLimit("100"), codeOf(3, "10.00000001")) // the day comes first
	w.must(codeOf(3, "5"))
	w.left("50", "250")
	w.time = (10+720)*hour - 2
	w.refused(monthLimit("0"), codeOf(4, "0.00000001"))
	w.tickNow()
	w.left("0", "150")
	w.must(codeOf(4, "10"))
	w.left("100", "250")
	w.tier(0, "20", "0") // less than what left already
	w.refused(dayLimit("0"), codeOf(5, "0.00000001"))
	w.tier(0, "0", "20")
	w.refused(monthLimit("0"), codeOf(5, "0.00000001"))
	w.tier(0, "0", "0")
	w.must(codeOf(5, "20"))
	w.left("100", "250") // nothing counts where nothing is bounded
}

// TestTierThatCounts: that of the account once it is verified; another bound lets all be counted.
func TestTierThatCounts(t *testing.T) {
	w := newLimits(t)
	w.tier(3, "0", "150")
	w.isDora(func(a *schema.Account) { a.Tier = 3 })
	w.refused(dayLimit("100"), codeOf(1, "10.00000001"))
	w.isDora(func(a *schema.Account) { a.Tier, a.Verified = 3, true })
	w.must(codeOf(1, "14"))
	w.refused(monthLimit("10"), codeOf(2, "1.00000001"))
	w.isDora(func(a *schema.Account) { a.Tier, a.Verified = 4, true })
	w.must(codeOf(2, "50"))
	w.left("640", "640")
	w.isDora(func(a *schema.Account) { a.Verified = true })
	w.refused(dayLimit("0"), codeOf(3, "1"))
}

// TestValuesAreRoundedUp: to 8 decimals, at the higher of index and last price.
func TestValuesAreRoundedUp(t *testing.T) {
	w := newLimits(t)
	w.must(&schema.SetIndex{Market: spot, Price: d("0.333333333")})
	w.must(codeOf(1, "0.1"))
	w.left("0.03333334", "0.03333334")
	w.place(anna, limit(schema.Sell, "1", "20"))
	w.place(ben, limit(schema.Buy, "1", "20"))
	w.must(codeOf(2, "2"))
	w.left("40.03333334", "40.03333334")
	w.must(&schema.SetIndex{Market: spot, Price: d("25")})
	w.must(codeOf(3, "2"))
	w.left("90.03333334", "90.03333334")
	if got := w.limits.wallet.value(usd, of(d("7.000000001"))); got.decimal() != d("7.00000001") {
		t.Errorf("what all is counted in is worth %s", got.decimal())
	}
}

// TestLimitsWithoutPrice: a verified account waits for an operator, others and codes do not get through.
func TestLimitsWithoutPrice(t *testing.T) {
	w := newPayouts(t)
	w.must(asks("a", "1")) // without tiers nobody asks what it is worth
	w.must(codeOf(1, "1"))
	w.tier(5, "7", "0")
	w.must(asks("b", "1")) // where another tier is bounded neither
	w.must(codeOf(2, "1"))
	w.tier(0, "0", "7")
	w.refused(because(schema.RateUnknown), asks("c", "1"))
	w.refused(because(schema.RateUnknown), codeOf(3, "1"))
	w.isDora(func(a *schema.Account) { a.Verified = true })
	w.refused(because(schema.RateUnknown), codeOf(3, "1"))
	if got := w.must(asks("c", "1")).Withdrawal; got.Needed != 1 || got.Status != schema.WithdrawalReview {
		t.Errorf("it is %+v", got)
	}
	w.network(func(n *schema.Network) { n.Approve2Above = d("1") })
	if got := w.must(asks("d", "2")).Withdrawal; got.Needed != 2 {
		t.Errorf("it is %+v", got)
	}
	w.left("0", "0")
	w.must(&schema.SetIndex{Market: spot, Price: d("1")})
	w.decided("olga", 3, schema.ApproveWithdrawal) // also later it counts nothing
	w.left("0", "0")
	w.must(codeOf(3, "7"))
	w.isDora(func(a *schema.Account) { a.Verified, a.RestrictedUntil = true, w.time+hour })
	w.must(&schema.SetIndex{Market: spot, Price: d("0")})
	if r := w.apply(asks("e", "1")).Rejection; r.Reason != schema.Restricted {
		t.Errorf("a restricted account without a price: %q", r.Text())
	}
}

// TestCanceledWithdrawalsAreGivenBack: to the hour they were counted in; codes are not.
func TestCanceledWithdrawalsAreGivenBack(t *testing.T) {
	w := newLimits(t)
	w.time = 5*hour - 10
	w.must(asks("a", "4"))
	w.must(asks("b", "2"))
	w.time = 5 * hour
	w.must(asks("c", "1"))
	w.left("70", "70")
	w.decided("olga", 1, schema.CancelWithdrawal)
	w.left("30", "30")
	w.decided("olga", 3, schema.FreezeWithdrawal)
	w.decided("olga", 3, schema.ReleaseWithdrawal)
	w.decided("olga", 3, schema.CancelWithdrawal)
	w.left("20", "20")
	w.time = 28 * hour
	w.tickNow()
	w.left("0", "20")
	w.time = (4 + 720) * hour
	w.tickNow()
	w.left("0", "0")
	w.decided("olga", 2, schema.CancelWithdrawal)
	w.left("0", "0")

	w.must(codeOf(1, "4"))
	w.time += aYear
	w.tickNow()
	w.must(codeOf(2, "4"))
	for range 50 {
		w.must(applies(emil, 2, digest(1)))
	}
	w.left("40", "40")
}

// TestLostDepositGivesBack: what a lost deposit stops counts no more.
func TestLostDepositGivesBack(t *testing.T) {
	w := newLimits(t)
	w.must(&schema.Withdraw{Account: dora, Asset: btc, Amount: d("95")})
	w.left("0", "0") // the operator's
	w.must(pays(1, "5"))
	w.must(mines(2))
	w.must(asks("a", "4"))
	w.must(&schema.Transfer{Account: dora, Asset: btc, Amount: d("5"), From: schema.Main, To: schema.Trade})
	w.place(dora, limit(schema.Sell, "5", "1000"))
	w.left("40", "40")
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.XRP, Net: schema.Testnet, Stuck: true}})
	w.must(&schema.ReorgSandbox{Chain: sand, Depth: 2, DropAll: true})
	w.must(mines(20))
	w.deposit(1, schema.DepositLost, 0, "0")
	if w.chains.withdrawal(1) != nil {
		t.Error("the withdrawal was not stopped")
	}
	w.left("0", "0")
}

// TestValuesThatAreNoNumber: they are above every bound, and count as the greatest number.
func TestValuesThatAreNoNumber(t *testing.T) {
	w := newLimits(t)
	most := owedMost.truncate(unit(8)).decimal()
	w.must(&schema.SetIndex{Market: spot, Price: d("1000000000")})
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("400000000001")})
	w.tier(0, most.String(), "0")
	huge := func(n int) *schema.CreateCode { return coded(anna, n, "200000000000") }
	w.refused(dayLimit(most.String()), huge(1))
	w.tier(0, "0", most.String())
	w.refused(monthLimit(most.String()), huge(1))
	w.tier(0, "0", "0")
	w.tier(1, "1", "0")
	w.must(huge(1))
	w.must(huge(2))
	if day, month := w.Leaves(anna); day != fixed.Max || month != fixed.Max {
		t.Errorf("%s and %s left", day, month)
	}
	w.tier(0, "1", "0")
	w.refused(dayLimit("0"), coded(anna, 3, "1"))
}

// TestRestricted: nothing that the customer sends leaves, whatever the tier; the operator's may.
func TestRestricted(t *testing.T) {
	w := newLimits(t)
	until := func(seconds string) schema.Rejection {
		return schema.Rejection{Reason: schema.Restricted, Value: d(seconds)}
	}
	w.isDora(func(a *schema.Account) { a.RestrictedUntil = 2*schema.Second + 1 })
	w.refused(dayLimit("100"), codeOf(1, "10.00000001")) // limits come first
	w.refused(until("3"), codeOf(1, "10"))
	w.refused(until("3"), asks("a", "10"))
	w.refused(until("3"), sends("a", "10"))
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("100")}, asks("a", "101"))
	w.must(&schema.Withdraw{Account: dora, Asset: btc, Amount: d("10")})
	w.tier(0, "0", "0")
	w.refused(until("3"), codeOf(1, "10"))
	w.left("0", "0")
	w.isDora(func(a *schema.Account) { a.RestrictedUntil = 2 * schema.Second })
	w.refused(until("2"), codeOf(1, "10"))
	w.time = 2*schema.Second - 2
	w.refused(until("2"), codeOf(1, "10"))
	w.must(codeOf(1, "10"))
	w.isDora(func(a *schema.Account) { a.RestrictedUntil = math.MaxInt64 })
	w.refused(until("9223372036855"), codeOf(2, "10"))
}

// TestHourCap: what all withdraw without approval in an hour of the clock.
func TestHourCap(t *testing.T) {
	w := newPayouts(t)
	w.must(&schema.Deposit{Account: anna, Asset: btc, Amount: d("100")})
	w.network(func(n *schema.Network) { n.HourCap, n.WithdrawFixed = d("10"), d("1") })
	needs := func(c *schema.RequestWithdrawal, want uint8) schema.WithdrawalID {
		t.Helper()
		got := w.must(c).Withdrawal
		if got.Needed != want || (got.Status == schema.WithdrawalReview) != (want > 0) {
			t.Errorf("%s is %s and needs %d, want %d", c.Unique, got.Status, got.Needed, want)
		}
		return got.ID
	}
	annas := func(unique, amount string) *schema.RequestWithdrawal {
		return with(asks(unique, amount), func(c *schema.RequestWithdrawal) { c.Account = anna })
	}
	w.time = 3*hour - 20
	w.must(with(asks("a", "4"), func(c *schema.RequestWithdrawal) { c.Pay = true })) // 5 with the fee
	needs(annas("b", "5.00000001"), 1)
	w.decided("olga", 2, schema.ApproveWithdrawal) // it does not count
	needs(sends("c", "2"), 0)
	needs(annas("d", "3"), 0)
	w.decided("olga", 1, schema.CancelWithdrawal) // what is canceled still does
	needs(asks("e", "1.00000001"), 1)
	w.network(func(n *schema.Network) { n.Approve2Above = d("1") })
	needs(asks("f", "2"), 2)
	w.network(func(n *schema.Network) { n.Approve2Above, n.HourCap = d("0"), d("0") })
	needs(asks("g", "20"), 0)
	w.network(func(n *schema.Network) { n.HourCap = d("12") })
	needs(asks("h", "2"), 0) // g came where nothing was bounded
	needs(asks("i", "1.00000001"), 1)
	w.time = 3*hour - 1
	needs(asks("j", "12"), 0)
	needs(asks("k", "1.00000001"), 1)
	w.frozen("58.99999997", "39.00000003")
}
