package naive

import (
	"testing"

	"bourse/internal/schema"
)

// newCredits is a world where anna has a credit line and bitcoins are worth 10 USD.
func newCredits(t *testing.T) *world {
	w := newWorld(t)
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	w.isAnna(func(*schema.Account) {})
	return w
}

// isAnna changes the settings of anna, who may borrow, check and be paid.
func (w *world) isAnna(change func(*schema.Account)) {
	w.t.Helper()
	w.must(&schema.SetAccount{Account: *with(&schema.Account{
		ID: anna, Name: "anna", Region: schema.Global, CreditLine: true, Checker: true, Partner: true,
	}, change)})
}

func lends(amount string) *schema.OpenCredit {
	return &schema.OpenCredit{Account: anna, Asset: usd, Amount: d(amount), Initial: d("50"), MarginCall: d("70.5"), Liquidation: d("90.25")}
}

func charges(amount string) *schema.ChargeCredit {
	return &schema.ChargeCredit{Account: anna, Amount: d(amount)}
}

func repays(amount string) *schema.RepayCredit {
	return &schema.RepayCredit{Account: anna, Amount: d(amount)}
}

func TestCredit(t *testing.T) {
	w := newCredits(t)
	got := w.must(lends("100"))
	if got.ID != uint64(anna) {
		t.Errorf("the id is %d", got.ID)
	}
	want := schema.Credit{
		Account: anna, Asset: usd, Amount: d("100"), Initial: d("50"), MarginCall: d("70.5"), Liquidation: d("90.25"), Created: w.time,
	}
	credited := func() {
		t.Helper()
		e := w.last.Events[len(w.last.Events)-1].(*schema.CreditChanged).Credit
		if e != want {
			t.Errorf("the event is %+v, want %+v", e, want)
		}
		if c, ok := w.Credit(anna); ok != (want.Amount != d("0")) || ok && c != want {
			t.Errorf("the credit is %+v, %t", c, ok)
		}
	}
	credited()
	w.happened("4 main of 2 by loan for 0: -100 0", "101 main of 2 by loan for 0: 100 0", "*schema.CreditChanged")
	w.refused(because(schema.CreditActive), lends("1"))

	w.must(charges("0.00000001"))
	w.happened("101 main of 2 by interest for 0: 99.99999999 0", "4 main of 2 by interest for 0: -99.99999999 0", "*schema.CreditChanged")
	want.Funding = d("0.00000001")
	credited()
	w.must(charges("2"))
	want.Funding = d("2.00000001")
	credited()

	w.must(repays("40"))
	w.happened("101 main of 2 by repayment for 0: 57.99999999 0", "4 main of 2 by repayment for 0: -57.99999999 0", "*schema.CreditChanged")
	want.Amount = d("60")
	credited()
	w.refused(schema.Rejection{Reason: schema.CreditLess, Value: d("60")}, repays("60.00000001"))
	w.refused(schema.Rejection{Reason: schema.WithdrawNotCovered, Value: d("57.99999999")}, repays("60"))
	w.must(&schema.Deposit{Account: anna, Asset: usd, Amount: d("10")})
	w.isAnna(func(a *schema.Account) { a.Blocked, a.CreditLine = true, false })
	w.must(charges("1"))
	w.must(repays("60"))
	want.Funding, want.Amount = d("3.00000001"), d("0")
	credited()
	w.refused(because(schema.CreditNone), repays("1"))
	w.refused(because(schema.CreditNone), charges("1"))
	w.isAnna(func(*schema.Account) {})
	w.must(lends("1"))
}

func TestCreditsAreCheckedInOrder(t *testing.T) {
	w := newCredits(t)
	c := &schema.OpenCredit{Account: schema.House, Asset: 9, Amount: d("-1")}
	refuses := func(reason schema.Reason, value string) {
		t.Helper()
		w.refused(schema.Rejection{Reason: reason, Value: d(value)}, c)
	}
	refuses(schema.AccountUnknown, "0")
	w.isAnna(func(a *schema.Account) { a.Blocked, a.CreditLine = true, false })
	c.Account = anna
	refuses(schema.AccountBlocked, "0")
	w.isAnna(func(a *schema.Account) { a.CreditLine = false })
	refuses(schema.CreditUnavailable, "0")
	w.isAnna(func(*schema.Account) {})
	refuses(schema.AssetUnknown, "0")
	c.Asset = usd
	refuses(schema.MoveNotPositive, "0.00000001")
	c.Amount = d("0.000000001")
	refuses(schema.MoveTooPrecise, "8")
	c.Amount = owedMost.truncate(unit(8)).decimal()
	for _, wrong := range [][3]string{
		{"0", "1", "1"},
		{"-1", "1", "1"},
		{"1", "0.99", "1"},
		{"1", "1", "0.99"},
		{"1", "1", "100.01"},
		{"0.001", "1", "1"},
		{"1", "1.001", "2"},
		{"1", "1", "1.001"},
	} {
		c.Initial, c.MarginCall, c.Liquidation = d(wrong[0]), d(wrong[1]), d(wrong[2])
		refuses(schema.CreditInvalid, "0")
	}
	c.Initial, c.MarginCall, c.Liquidation = d("0.01"), d("0.01"), d("100")
	refuses(schema.MoveTooLarge, "0") // 300000 are there already
	c.Amount = owedMost.minus(whole(300_000)).truncate(unit(8)).decimal()
	w.must(c)
	refuses(schema.CreditActive, "0")

	w.refused(because(schema.AccountUnknown), &schema.ChargeCredit{Account: schema.House})
	w.refused(because(schema.AccountUnknown), &schema.RepayCredit{Account: schema.House})
	w.refused(because(schema.CreditNone), &schema.ChargeCredit{Account: ben})
	w.refused(because(schema.CreditNone), &schema.RepayCredit{Account: ben})
	w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.00000001")}, charges("0"))
	w.refused(schema.Rejection{Reason: schema.MoveTooPrecise, Value: d("8")}, charges("0.000000001"))
	w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.00000001")}, repays("0"))
	w.refused(schema.Rejection{Reason: schema.MoveTooPrecise, Value: d("8")}, repays("0.000000001"))
	if all := w.Credits(); len(all) != 1 || all[0].Account != anna {
		t.Errorf("the credits are %+v", all)
	}
}

// TestCreditRepaysWhatIsOwed: it is money for good, and what is held cannot repay it.
func TestCreditRepaysWhatIsOwed(t *testing.T) {
	w := newCredits(t)
	w.ledger.move(holder{house, schema.Owed}, holder{anna, schema.Owed}, usd, of(d("30")), byReversal)
	w.must(lends("100"))
	w.main(anna, usd, "70")
	w.main(house, usd, "-70")
	w.must(&schema.Deposit{Account: anna, Asset: usd, Amount: d("10"), Held: true})
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("70")}, repays("70.00000001"))
	w.must(repays("70"))
}

func TestFundingThatIsNoNumber(t *testing.T) {
	w := newCredits(t)
	w.must(lends("100"))
	w.credits.active[0].Funding = cutMax(8)
	w.refused(because(schema.MoveTooLarge), charges("100"))
	w.main(anna, usd, "100")
}

// TestLTV: the credit as a part of all that is in main and trade, what orders and withdrawals hold too, at index prices.
func TestLTV(t *testing.T) {
	w := newCredits(t)
	ltv := func(want string) {
		t.Helper()
		if got := w.CreditLTV(anna); got != d(want) {
			t.Errorf("it is %s, want %s", got, want)
		}
	}
	ltv("0")
	w.must(lends("1000"))
	// 100 BTC at 10, and 101000 USD: 1000 / 102000
	ltv("0.99")
	w.place(anna, limit(schema.Sell, "100", "1000"))
	ltv("0.99")
	w.must(&schema.SetIndex{Market: spot, Price: d("3990")})
	ltv("0.2")
	w.must(&schema.SetIndex{Market: spot, Price: d("3990.01")}) // 1000 / 500001
	ltv("0.2")
	w.must(&schema.SetIndex{Market: spot, Price: d("3989.99")}) // 1000 / 499999
	ltv("0.21")
	w.must(&schema.SetIndex{Market: spot, Price: d("0")})
	ltv("1") // what the bitcoins are worth is not known: they count nothing
	w.must(&schema.SetIndex{Market: spot, Price: d("10")})
	w.must(repays("1000"))

	w.must(&schema.SetAccount{Account: schema.Account{Name: "dora", Region: schema.Global, CreditLine: true}})
	w.must(with(lends("100000000"), func(c *schema.OpenCredit) { c.Account = dora }))
	w.must(&schema.Withdraw{Account: dora, Asset: usd, Amount: d("99999999.99")})
	if got := w.CreditLTV(dora); got != d("999999.99") {
		t.Errorf("it is %s", got)
	}
	w.must(&schema.Withdraw{Account: dora, Asset: usd, Amount: d("0.01")})
	if got := w.CreditLTV(dora); got != d("0") {
		t.Errorf("of nothing it is %s", got)
	}
}
