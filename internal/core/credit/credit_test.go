package credit

import (
	"strings"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	coin   schema.AssetID = 1
	dollar schema.AssetID = 2
	lone   schema.AssetID = 3 // has no price
	alice                 = schema.FirstCustomer
	ben                   = alice + 1
)

// exchange is credits for two customers, of whom alice has a credit line. A coin is worth 100 dollars.
type exchange struct {
	*Credits
	t        *testing.T
	handlers product.Handlers
	index    fixed.Decimal
}

func open(t *testing.T) *exchange {
	t.Helper()
	out, whole := &schema.Outcome{}, true
	l, listed, a := ledger.New(&out.Events), listing.New(), accounts.New()
	listed.Out, a.Out = out, out
	listed.MarketChanged = func(schema.MarketID) {}
	x := &exchange{t: t, index: fixed.FromInt(100)}
	w := &wallet.Wallets{
		Ledger: l, Listing: listed, Accounts: a, Out: out, WholeAccount: &whole,
		Index:     func(schema.MarketID) (index, last fixed.Decimal) { return x.index, fixed.FromInt(1000) },
		ChainHeld: func(schema.AccountID, schema.AssetID) fixed.Decimal { return fixed.Zero },
	}
	x.Credits = New(l, listed, a, w, out)
	for _, p := range []product.Product{listed, a, w, x.Credits} {
		p.Commands(&x.handlers)
	}
	for _, asset := range []schema.Asset{{Ticker: "BTC", Scale: 18, Precision: 8}, {Ticker: "USDT", Scale: 8, Precision: 2}, {Ticker: "OLD", Scale: 4}} {
		asset.Class, asset.CanDeposit, asset.CanWithdraw = schema.Crypto, true, true
		x.do(0, &schema.SetAsset{Asset: asset}, schema.OK)
	}
	x.do(0, &schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USDT", Base: coin, Quote: dollar, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8,
	}}, schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global, CreditLine: true}}, schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{Name: "ben", Region: schema.Global}}, schema.OK)
	return x
}

// do applies a command at a moment, says why it was refused and verifies.
func (x *exchange) do(at schema.Time, c schema.Command, want schema.Reason) schema.Rejection {
	x.t.Helper()
	x.out.Reset(at)
	r := x.handlers[c.Kind()](c)
	if r.Reason != want {
		x.t.Errorf("%T %+v: %v, want %v", c, c, r.Reason, want)
	}
	if err := x.Verify(); err != nil {
		x.t.Error(err)
	}
	return r
}

// has holds a main wallet to an amount.
func (x *exchange) has(account schema.AccountID, asset schema.AssetID, want string) {
	x.t.Helper()
	if got := x.ledger.Available(x.ledger.Find(account, schema.Main, asset)); got != d(want) {
		x.t.Errorf("account %d has %s, want %s", account, got, want)
	}
}

// became holds the last event about a credit to what a command left of it, and the causes of its movements to one.
func (x *exchange) became(want schema.Credit, cause schema.Cause) {
	x.t.Helper()
	events := 0
	for e := range x.out.Events.All() {
		switch e := e.(type) {
		case *schema.CreditChanged:
			events++
			if e.Credit != want {
				x.t.Errorf("the credit became %+v, want %+v", e.Credit, want)
			}
		case *schema.BalanceChanged:
			if e.Cause != cause {
				x.t.Errorf("money moved by %s, want %s", e.Cause, cause)
			}
		}
	}
	if events != 1 {
		x.t.Errorf("%d events", events)
	}
	got, active := x.Get(want.Account)
	if active != !want.Amount.IsZero() || active && got != want {
		x.t.Errorf("the credit is %+v (%v), want %+v", got, active, want)
	}
}

func d(s string) fixed.Decimal { return fixed.MustParse(s) }

func lend(asset schema.AssetID, amount string, edits ...func(*schema.OpenCredit)) *schema.OpenCredit {
	c := &schema.OpenCredit{Account: alice, Asset: asset, Amount: d(amount), Initial: d("50"), MarginCall: d("70.5"), Liquidation: d("85.25")}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func charge(amount string) *schema.ChargeCredit {
	return &schema.ChargeCredit{Account: alice, Amount: d(amount)}
}

func repay(amount string) *schema.RepayCredit {
	return &schema.RepayCredit{Account: alice, Amount: d(amount)}
}

func block(x *exchange) {
	x.do(9, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Blocked: true}}, schema.OK)
}

// TestACreditIsOpenedChargedAndRepaid: also by an account that is blocked meanwhile and lost its credit line.
func TestACreditIsOpenedChargedAndRepaid(t *testing.T) {
	x := open(t)
	x.do(7, lend(dollar, "1000.00000001"), schema.OK)
	credit := schema.Credit{
		Account: alice, Asset: dollar, Amount: d("1000.00000001"), Initial: d("50"), MarginCall: d("70.5"), Liquidation: d("85.25"), Created: 7,
	}
	x.became(credit, schema.ByLoan)
	if x.out.Result.ID != uint64(alice) {
		t.Errorf("the result is about %d", x.out.Result.ID)
	}
	x.has(alice, dollar, "1000.00000001")
	x.has(schema.House, dollar, "-1000.00000001")
	x.do(8, lend(coin, "1"), schema.CreditActive)

	block(x)
	x.do(9, charge("10.00000001"), schema.OK)
	credit.Funding = d("10.00000001")
	x.became(credit, schema.ByInterest)
	x.has(alice, dollar, "990")
	x.has(schema.House, dollar, "-990")
	x.do(9, charge("0.5"), schema.OK)
	credit.Funding = d("10.50000001")
	x.became(credit, schema.ByInterest)

	x.do(10, repay("400"), schema.OK)
	credit.Amount = d("600.00000001")
	x.became(credit, schema.ByRepayment)
	if r := x.do(10, repay("600.00000002"), schema.CreditLess); r.Value != credit.Amount {
		t.Errorf("the refusal says %s", r.Value)
	}
	if r := x.do(10, repay("600.00000001"), schema.WithdrawNotCovered); r.Value != d("589.5") {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(11, &schema.Deposit{Account: alice, Asset: dollar, Amount: d("20")}, schema.OK)
	x.do(12, repay("600.00000001"), schema.OK)
	credit.Amount = fixed.Zero
	x.became(credit, schema.ByRepayment)
	x.has(alice, dollar, "9.49999999")
	x.has(schema.House, dollar, "10.50000001")
	x.do(12, charge("1"), schema.CreditNone)
	x.do(12, repay("1"), schema.CreditNone)
	if all := x.All(); len(all) != 0 {
		t.Errorf("%+v is left", all)
	}
	x.do(13, lend(coin, "1"), schema.AccountBlocked)
}

func TestWhatCannotBeLent(t *testing.T) {
	x := open(t)
	x.do(0, lend(coin, "1", func(c *schema.OpenCredit) { c.Account = 999 }), schema.AccountUnknown)
	x.do(0, lend(coin, "1", func(c *schema.OpenCredit) { c.Account = schema.House }), schema.AccountUnknown)
	x.do(0, lend(coin, "1", func(c *schema.OpenCredit) { c.Account = ben }), schema.CreditUnavailable)
	x.do(0, lend(9, "1"), schema.AssetUnknown)
	x.do(0, lend(coin, "0"), schema.MoveNotPositive)
	x.do(0, lend(coin, "-1"), schema.MoveNotPositive)
	x.do(0, lend(dollar, "0.000000001"), schema.MoveTooPrecise)
	for _, p := range [][3]string{
		{"0", "70", "80"},
		{"-1", "70", "80"},
		{"71", "70", "80"},
		{"50", "81", "80"},
		{"50", "70", "100.01"},
		{"50.001", "70", "80"},
		{"50", "70", "80.001"},
		{"50", "0", "80"},
		{"50", "70", "0"},
	} {
		x.do(0, lend(coin, "1", func(c *schema.OpenCredit) { c.Initial, c.MarginCall, c.Liquidation = d(p[0]), d(p[1]), d(p[2]) }), schema.CreditInvalid)
	}
	x.do(0, charge("1"), schema.CreditNone)
	x.do(0, repay("1"), schema.CreditNone)
	x.do(0, &schema.ChargeCredit{Account: 999, Amount: fixed.One}, schema.AccountUnknown)
	x.do(0, &schema.RepayCredit{Account: 999, Amount: fixed.One}, schema.AccountUnknown)
	x.do(0, lend(dollar, "1", func(c *schema.OpenCredit) { c.Initial, c.MarginCall, c.Liquidation = d("100"), d("100"), d("100") }), schema.OK)
	for _, c := range []schema.Command{charge("0"), repay("0"), repay("-1")} {
		x.do(0, c, schema.MoveNotPositive)
	}
	for _, c := range []schema.Command{charge("0.000000001"), repay("0.000000001")} {
		x.do(0, c, schema.MoveTooPrecise)
	}
	x.do(0, charge("1.1"), schema.WithdrawNotCovered)
	x.has(alice, dollar, "1")
}

// TestHeldAndOwedMoneyPaysNoCredit: what may not leave the account does not leave it to the operator either.
func TestHeldAndOwedMoneyPaysNoCredit(t *testing.T) {
	x := open(t)
	x.do(0, lend(dollar, "10"), schema.OK)
	x.do(0, &schema.Deposit{Account: alice, Asset: dollar, Amount: d("5"), Held: true}, schema.OK)
	x.do(0, charge("10.01"), schema.MoveHeld)
	x.do(0, charge("10"), schema.OK)
	x.do(0, repay("1"), schema.MoveHeld)
	x.do(0, &schema.ConfirmDeposit{Account: alice, Asset: dollar, Amount: d("5")}, schema.OK)
	x.owe(dollar, "1")
	x.do(0, repay("1"), schema.Owing)
	x.do(0, charge("1"), schema.Owing)
}

// owe makes alice owe an amount as a deposit does that its chain took back.
func (x *exchange) owe(asset schema.AssetID, amount string) {
	x.ledger.Move(x.ledger.Open(schema.House, schema.Owed, asset), x.ledger.Open(alice, schema.Owed, asset), d(amount), ledger.Note{})
}

// TestWhatIsLentPaysWhatIsOwedFirst: it is there for good.
func TestWhatIsLentPaysWhatIsOwedFirst(t *testing.T) {
	x := open(t)
	x.owe(coin, "0.25")
	x.do(0, lend(coin, "1"), schema.OK)
	x.has(alice, coin, "0.75")
	x.has(schema.House, coin, "-0.75")
	if credit, _ := x.Get(alice); credit.Amount != d("1") {
		t.Errorf("the credit is %s", credit.Amount)
	}
}

// TestTheExchangeOwesSoMuchAndNoMore: with what the world outside owes for others, and for itself where what was lent left.
func TestTheExchangeOwesSoMuchAndNoMore(t *testing.T) {
	x := open(t)
	most := ledger.Limit
	half, _ := fixed.Div(most, fixed.FromInt(2), fixed.Places, fixed.Down)
	x.do(0, &schema.Deposit{Account: ben, Asset: coin, Amount: half}, schema.OK)
	rest := most.Sub(half)
	above := rest.Add(fixed.FromUnits(1, fixed.Places))
	x.do(0, lend(coin, above.String()), schema.MoveTooLarge)
	x.do(0, lend(coin, rest.String()), schema.OK)
	x.has(schema.House, coin, rest.Neg().String())

	y := open(t)
	y.do(0, lend(coin, most.String()), schema.OK)
	y.ledger.Move(y.ledger.Find(alice, schema.Main, coin), y.ledger.Open(schema.Outside, schema.Main, coin), most, ledger.Note{})
	y.do(0, &schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global, CreditLine: true}}, schema.OK)
	y.do(0, lend(coin, "0.000000000000000001", func(c *schema.OpenCredit) { c.Account = ben }), schema.MoveTooLarge)
}

// TestInterestFits: money that goes round may have been taken more often than a number holds.
func TestInterestFits(t *testing.T) {
	x := open(t)
	most := ledger.Limit
	x.do(0, lend(coin, most.String()), schema.OK)
	again := func() {
		x.ledger.Move(x.ledger.Find(schema.House, schema.Main, coin), x.ledger.Find(alice, schema.Main, coin), most, ledger.Note{})
	}
	for range 2 {
		x.do(0, charge(most.String()), schema.OK)
		again()
	}
	x.do(0, charge(most.String()), schema.MoveTooLarge)
	x.do(0, charge("0.000000000000000001"), schema.OK)
	if credit, _ := x.Get(alice); credit.Funding != fixed.Max {
		t.Errorf("%s was taken", credit.Funding)
	}
	x.do(0, charge("0.000000000000000001"), schema.MoveTooLarge)
}

// TestTheLTV is the value of the credit of all that the account owns, at index prices and rounded up.
func TestTheLTV(t *testing.T) {
	x := open(t)
	is := func(want string) {
		t.Helper()
		if got := x.LTV(alice); got != d(want) {
			t.Errorf("%s percent, want %s", got, want)
		}
	}
	is("0")
	x.do(0, lend(coin, "2"), schema.OK)
	is("100")
	x.do(0, &schema.Deposit{Account: alice, Asset: dollar, Amount: d("100")}, schema.OK)
	is("66.67")
	x.do(0, &schema.Transfer{Account: alice, Asset: dollar, Amount: d("100"), From: schema.Main, To: schema.Trade}, schema.OK)
	x.ledger.Freeze(x.ledger.Find(alice, schema.Trade, dollar), d("40"), ledger.Note{})
	x.ledger.Freeze(x.ledger.Find(alice, schema.Main, coin), d("1"), ledger.Note{})
	is("66.67")
	x.do(0, &schema.Deposit{Account: alice, Asset: lone, Amount: d("1000")}, schema.OK)
	is("66.67")
	x.index = d("200")
	is("80")
	x.index = fixed.Zero
	is("0")
	if got := x.LTV(ben); !got.IsZero() {
		t.Errorf("ben is at %s", got)
	}
}

// TestTheLTVOfTheSameAsset: where the price makes more decimals than a number has, twice as much is 50 percent and not more.
func TestTheLTVOfTheSameAsset(t *testing.T) {
	x := open(t)
	x.index = d("0.33")
	x.do(0, lend(coin, "1.000000000000000001"), schema.OK)
	x.do(0, &schema.Deposit{Account: alice, Asset: coin, Amount: d("1.000000000000000001")}, schema.OK)
	if got := x.LTV(alice); got != d("50") {
		t.Errorf("%s percent", got)
	}
}

// TestTheLTVEnds where hardly anything is left, or more than a number holds.
func TestTheLTVEnds(t *testing.T) {
	x := open(t)
	x.do(0, lend(coin, "1000"), schema.OK)
	x.do(0, &schema.Withdraw{Account: alice, Asset: coin, Amount: d("999.99999")}, schema.OK)
	if got := x.LTV(alice); got != d("999999.99") {
		t.Errorf("%s percent", got)
	}
	x.do(0, &schema.Withdraw{Account: alice, Asset: coin, Amount: d("0.00001")}, schema.OK)
	if got := x.LTV(alice); !got.IsZero() {
		t.Errorf("%s percent of nothing", got)
	}
	x.do(0, &schema.Deposit{Account: alice, Asset: coin, Amount: d("0.000000000000000001")}, schema.OK)
	x.index = d("100000000000000000")
	if got := x.LTV(alice); got != d("999999.99") {
		t.Errorf("%s percent", got)
	}
	x.do(0, &schema.Deposit{Account: alice, Asset: coin, Amount: d("1000000000000000000")}, schema.OK)
	if got := x.LTV(alice); got != d("58.78") { // 10^20 of 2^127 / 10^18
		t.Errorf("%s percent of the greatest number", got)
	}
}

func written(c *Credits) []byte {
	w := &product.Writer{}
	for _, s := range c.Sections() {
		w.Section(&s)
	}
	return w.Bytes
}

// TestSectionsComeBack restores what was written, and refuses what no command could have brought about.
func TestSectionsComeBack(t *testing.T) {
	x := open(t)
	if len(written(x.Credits)) != 0 {
		t.Error("there is a section of no credits")
	}
	x.do(0, &schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global, CreditLine: true}}, schema.OK)
	x.do(3, lend(coin, "1", func(c *schema.OpenCredit) { c.Account = ben }), schema.OK)
	x.do(4, lend(dollar, "10"), schema.OK)
	x.do(5, charge("1"), schema.OK)
	back := open(t)
	if err := (&product.Reader{Rest: written(x.Credits)}).Sections(back.Sections()); err != nil {
		t.Fatal(err)
	}
	if string(written(back.Credits)) != string(written(x.Credits)) {
		t.Error("another snapshot")
	}
	all := back.All()
	if len(all) != 2 || all[0].Account != alice || all[0].Funding != d("1") || all[1].Account != ben || all[1].Created != 3 {
		t.Errorf("%+v", all)
	}
	back.do(6, lend(dollar, "10"), schema.CreditActive)

	good := schema.Credit{Account: alice, Asset: coin, Amount: d("1"), Initial: d("50"), MarginCall: d("60"), Liquidation: d("70")}
	for want, edit := range map[string]func(*schema.Credit){
		"account 999: the account or the asset": func(c *schema.Credit) { c.Account = 999 },
		"account or the asset of its credit":    func(c *schema.Credit) { c.Asset = 9 },
		"the amount of its credit cannot be":    func(c *schema.Credit) { c.Amount = fixed.Zero },
		"the amount of its credit":              func(c *schema.Credit) { c.Asset, c.Amount = dollar, d("0.000000001") },
		"the interest of its credit":            func(c *schema.Credit) { c.Funding = d("-1") },
		"interest of its credit cannot be":      func(c *schema.Credit) { c.Asset, c.Funding = dollar, d("0.000000001") },
		"the percents of its credit":            func(c *schema.Credit) { c.MarginCall = d("71") },
	} {
		bad := good
		edit(&bad)
		refused(t, want, bad)
	}
	refused(t, "twice", good, good)
	bens := good
	bens.Account = ben
	refused(t, "wrong place", bens, good)
}

// refused holds the restore of credits to an error.
func refused(t *testing.T, want string, list ...schema.Credit) {
	t.Helper()
	w := &product.Writer{}
	w.Section(&product.Section{Tag: product.TagCredits, Version: 1, Write: func(w *product.Writer) {
		for i := range list {
			w.Message(&list[i])
		}
	}})
	if err := (&product.Reader{Rest: w.Bytes}).Sections(open(t).Sections()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestVerifyFindsWhatCannotBe(t *testing.T) {
	for want, spoil := range map[string]func(*Credits){
		"its credit cannot be": func(c *Credits) { c.active[alice].Amount = fixed.Zero },
		"the percents":         func(c *Credits) { c.active[alice].Initial = d("90") },
		"is found by 101":      func(c *Credits) { c.active[alice].Account = ben },
		"1 of 2 have":          func(c *Credits) { c.active[999] = &schema.Credit{} },
	} {
		x := open(t)
		x.do(0, lend(coin, "1"), schema.OK)
		spoil(x.Credits)
		if err := x.Verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
