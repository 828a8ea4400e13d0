package chain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	bank schema.ChainID = 3 // a provider
	card schema.ChainID = 4 // another one
	euro schema.AssetID = 3
)

// banked is an exchange with euros that come and go by two providers. By the bank a deposit costs 1 % and 0.5, a withdrawal 2 %.
func banked(t *testing.T, edits ...func(*schema.Asset, *schema.Network)) *exchange {
	t.Helper()
	x := open(t)
	for _, name := range []string{"SEPA", "CARD"} {
		x.do(&schema.SetChain{Chain: schema.Chain{Name: name, Driver: schema.Provider}}, schema.OK)
	}
	x.euros(edits...)
	return x
}

// euros lists them; what is special is said by edits.
func (x *exchange) euros(edits ...func(*schema.Asset, *schema.Network)) {
	x.t.Helper()
	n := schema.Network{
		Name: "SEPA", Chain: bank, CanDeposit: true, CanWithdraw: true, DepositFixed: fixed.MustParse("0.5"), DepositPercent: fixed.One,
		WithdrawPercent: fixed.FromInt(2), MaxDeposit: fixed.FromInt(1000),
	}
	a := schema.Asset{Ticker: "EUR", Class: schema.Fiat, Scale: 4, Precision: 2, CanDeposit: true, CanWithdraw: true, MinDeposit: fixed.MustParse("0.5")}
	for _, edit := range edits {
		edit(&a, &n)
	}
	a.Networks = []schema.Network{n, {Name: "CARD", Chain: card, CanDeposit: true, CanWithdraw: true}}
	x.do(&schema.SetAsset{Asset: a}, schema.OK)
}

func bill(unique, amount string, edits ...func(*schema.RequestInvoice)) *schema.RequestInvoice {
	c := &schema.RequestInvoice{
		Account: alice, Chain: bank, Asset: euro, Amount: fixed.MustParse(amount), Unique: unique, Digest: schema.Digest{1, 31: 1},
		Success: "https://a.example", Failure: "https://b.example", Return: "https://c.example",
	}
	copy(c.Digest[2:], unique)
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func send(unique, amount string, edits ...func(*schema.RequestWithdrawal)) *schema.RequestWithdrawal {
	c := &schema.RequestWithdrawal{Account: alice, Asset: euro, Chain: bank, Amount: fixed.MustParse(amount), Address: "DE1", Unique: unique}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func partly(c *schema.RequestWithdrawal) { c.Partial = true }

func (x *exchange) settles(id schema.DepositID, paid bool, want schema.Reason) {
	x.t.Helper()
	x.do(&schema.SettleInvoice{Invoice: id, Paid: paid}, want)
}

func (x *exchange) paidOut(id schema.WithdrawalID, amount string, want schema.Reason) {
	x.t.Helper()
	x.do(&schema.SettleWithdrawal{Withdrawal: id, Amount: fixed.MustParse(amount)}, want)
}

// hasEuros holds a main wallet to what is available and frozen of euros.
func (x *exchange) hasEuros(account schema.AccountID, available, frozen string) {
	x.t.Helper()
	got, on, _ := x.ledger.Balance(x.ledger.Find(account, schema.Main, euro))
	if got != fixed.MustParse(available) || on != fixed.MustParse(frozen) {
		x.t.Errorf("account %d has %s and %s frozen, want %s and %s", account, got, on, available, frozen)
	}
}

// billed are the changes of invoices that the last command announced, and of the deposits that they are.
func (x *exchange) billed(want ...string) {
	x.t.Helper()
	var list []string
	for e := range x.out.Events.All() {
		switch e := e.(type) {
		case *schema.InvoiceChanged:
			list = append(list, fmt.Sprintf("invoice %d %s", e.Invoice.ID, e.Invoice.Status))
		case *schema.ChainDepositChanged:
			list = append(list, fmt.Sprintf("deposit %d %s %s less %s", e.Deposit.ID, e.Deposit.Status, e.Deposit.Amount, e.Deposit.Fee))
		}
	}
	if !slices.Equal(list, want) {
		x.t.Errorf("said %q, want %q", list, want)
	}
}

func TestAProviderIsAChainWithoutBlocks(t *testing.T) {
	x := banked(t)
	for name, edit := range map[string]func(*schema.Chain){
		"a family":        func(c *schema.Chain) { c.Family = schema.Bitcoin },
		"a net":           func(c *schema.Chain) { c.Net = schema.Testnet },
		"an interval":     func(c *schema.Chain) { c.Interval = schema.Second },
		"stuck":           func(c *schema.Chain) { c.Stuck = true },
		"a number":        func(c *schema.Chain) { c.Number = 1 },
		"a bound of fees": func(c *schema.Chain) { c.FeeRateMax = 1 },
		"no name":         func(c *schema.Chain) { c.Name = "" },
	} {
		c := schema.Chain{Name: "ZEN", Driver: schema.Provider}
		edit(&c)
		if r := x.do(&schema.SetChain{Chain: c}, schema.ChainInvalid); r.Reason != schema.ChainInvalid {
			t.Error(name)
		}
	}
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "SEPA", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}}, schema.ImmutableChanged)
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "SEPA", Driver: schema.Provider, Paused: true}}, schema.OK)
	x.do(&schema.ChainBlock{Chain: bank, Height: 1, Hash: hash(1, 1)}, schema.ChainOwnBlocks)
	x.do(&schema.ChainRewind{Chain: bank}, schema.ChainOwnBlocks)
	x.do(&schema.OpenAddress{Account: alice, Chain: bank}, schema.AddressTypeInvalid)
	x.do(&schema.PaySandbox{Chain: bank, Receipt: receipt("", "1", 1)}, schema.ChainNotSandbox)
	x.do(&schema.MineSandbox{Chain: bank, Blocks: 1}, schema.ChainNotSandbox)
	x.do(&schema.ReorgSandbox{Chain: bank, Depth: 1}, schema.ChainNotSandbox)
	if spaces := x.Spaces(); len(spaces) != 2 {
		t.Errorf("there are %v", spaces)
	}

	x.do(asset("COIN", bank), schema.NetworkChainInvalid)
	x.do(asset("GBP", play, func(a *schema.Asset, _ *schema.Network) { a.Class = schema.Fiat }), schema.NetworkChainInvalid)
	x.do(asset("GBP", 9, func(a *schema.Asset, _ *schema.Network) { a.Class = schema.Fiat }), schema.NetworkChainInvalid)
	twice := asset("GBP", bank, func(a *schema.Asset, _ *schema.Network) { a.Class = schema.Fiat })
	twice.Asset.Networks = append(twice.Asset.Networks, schema.Network{Name: "AGAIN", Chain: bank})
	x.do(twice, schema.NetworkChainInvalid)
	for _, class := range []schema.AssetClass{schema.Fiat, schema.PaymentMethod} {
		x.do(asset(fmt.Sprint("GBP", uint8(class)), bank, func(a *schema.Asset, n *schema.Network) {
			a.Class, n.Confirmations, n.ConfirmationsForTrading = class, 0, 0
		}), schema.OK)
	}
}

func TestAnInvoiceIsPaidOnce(t *testing.T) {
	x := banked(t)
	x.do(bill("one", "100"), schema.OK)
	if x.out.Result.ID != 1 {
		t.Errorf("it is %d", x.out.Result.ID)
	}
	x.billed("invoice 1 open", "deposit 1 confirming 100 less 1.5")
	v, known := x.Invoice(1)
	if want := (schema.Invoice{
		ID: 1, Account: alice, Chain: bank, Asset: euro, Amount: fixed.FromInt(100), Fee: fixed.MustParse("1.5"), Status: schema.InvoiceOpen, Created: x.now, Changed: x.now,
		Expires: x.now + schema.MaxLifetime, Unique: "one", Digest: bill("one", "1").Digest, Success: "https://a.example", Failure: "https://b.example", Return: "https://c.example",
	}); !known || v != want {
		t.Errorf("%+v, want %+v", v, want)
	}
	if same, known := x.InvoiceByDigest(v.Digest); !known || same != v {
		t.Errorf("%+v", same)
	}
	x.hasEuros(alice, "0", "0")
	x.do(bill("two", "10", func(c *schema.RequestInvoice) { c.Account, c.Chain = ben, card }), schema.OK)
	var listed []schema.DepositID
	for v := range x.Invoices(bank) {
		listed = append(listed, v.ID)
	}
	if !slices.Equal(listed, []schema.DepositID{1}) {
		t.Errorf("%v", listed)
	}
	x.settles(1, true, schema.OK)
	x.billed("invoice 1 paid", "deposit 1 credited 100 less 1.5")
	x.hasEuros(alice, "98.5", "0")
	x.hasEuros(schema.Fees, "1.5", "0")
	x.hasEuros(schema.Custody, "-100", "0")
	if b := x.Bookings(bank); len(b) != 1 || b[0].Coins != fixed.FromInt(100) || b[0].Booked != b[0].Coins {
		t.Errorf("%+v", b)
	}
	x.settles(1, true, schema.InvoiceUnknown)
	x.settles(1, false, schema.InvoiceUnknown)
	x.settles(9, true, schema.InvoiceUnknown)
	x.do(bill("one", "100"), schema.UniqueTaken)
	x.do(&schema.RefundDeposit{Account: alice, Deposit: 1, Address: "a"}, schema.DepositUnknown)
	x.settles(2, false, schema.OK)
	x.billed("invoice 2 failed", "deposit 2 canceled 10 less 0")
	x.hasEuros(ben, "0", "0")
	if _, known := x.InvoiceByDigest(v.Digest); known {
		t.Error("a paid one is known")
	}
	x.do(bill("three", "10"), schema.OK)
	if x.out.Result.ID != 3 {
		t.Errorf("it is %d", x.out.Result.ID)
	}
	x.payToy("1", 1)
	x.mines(1)
	x.is(4, schema.DepositConfirming, 1) // deposits of all kinds share their numbers
}

func TestWhichInvoicesAreRefused(t *testing.T) {
	x := banked(t)
	x.do(bill("used", "10"), schema.OK)
	for name, c := range map[string]struct {
		edit func(*schema.RequestInvoice)
		want schema.Reason
	}{
		"nobody":              {func(c *schema.RequestInvoice) { c.Account = 999 }, schema.AccountUnknown},
		"no asset":            {func(c *schema.RequestInvoice) { c.Asset = 9 }, schema.AssetUnknown},
		"no chain":            {func(c *schema.RequestInvoice) { c.Chain = 9 }, schema.InvoiceInvalid},
		"a chain of blocks":   {func(c *schema.RequestInvoice) { c.Chain, c.Asset = play, toy }, schema.InvoiceInvalid},
		"another asset":       {func(c *schema.RequestInvoice) { c.Asset = toy }, schema.InvoiceInvalid},
		"no name":             {func(c *schema.RequestInvoice) { c.Unique = "" }, schema.InvoiceInvalid},
		"a name of 1021":      {func(c *schema.RequestInvoice) { c.Unique = strings.Repeat("u", 1021) }, schema.InvoiceInvalid},
		"a link of 2001":      {func(c *schema.RequestInvoice) { c.Return = strings.Repeat("u", 2001) }, schema.InvoiceInvalid},
		"no secret":           {func(c *schema.RequestInvoice) { c.Digest = schema.Digest{} }, schema.InvoiceInvalid},
		"another's secret":    {func(c *schema.RequestInvoice) { c.Digest = bill("used", "1").Digest }, schema.InvoiceInvalid},
		"ended":               {func(c *schema.RequestInvoice) { c.Expires = x.now + 1 }, schema.InvoiceInvalid},
		"more than a day":     {func(c *schema.RequestInvoice) { c.Expires = x.now + 2 + schema.MaxLifetime }, schema.InvoiceInvalid},
		"a name that is used": {func(c *schema.RequestInvoice) { c.Unique = "used" }, schema.UniqueTaken},
		"nothing":             {func(c *schema.RequestInvoice) { c.Amount = fixed.Zero }, schema.MoveNotPositive},
		"too fine":            {func(c *schema.RequestInvoice) { c.Amount = fixed.MustParse("1.001") }, schema.MoveTooPrecise},
		"too little":          {func(c *schema.RequestInvoice) { c.Amount = fixed.MustParse("0.49") }, schema.DepositBelowMin},
		"eaten by the fee":    {func(c *schema.RequestInvoice) { c.Amount = fixed.MustParse("0.5") }, schema.DepositBelowMin},
		"too much":            {func(c *schema.RequestInvoice) { c.Amount = fixed.MustParse("1000.01") }, schema.DepositAboveMax},
	} {
		before := x.snapshot()
		r := x.do(bill("new", "10", c.edit), c.want)
		if r.Reason != c.want || !slices.Equal(before, x.snapshot()) || x.out.Events.Len() != 0 {
			t.Errorf("%s: %v, or something changed", name, r.Reason)
		}
		if name == "eaten by the fee" && r.Value != fixed.MustParse("0.505") || name == "too little" && r.Value != fixed.MustParse("0.5") {
			t.Errorf("%s: %s", name, r.Value)
		}
	}
	x.do(bill("last", "10", func(c *schema.RequestInvoice) { c.Expires = x.now + 1 + schema.MaxLifetime }), schema.OK)
	x.do(bill("short", "10", func(c *schema.RequestInvoice) { c.Expires = x.now + 2 }), schema.OK)
	for _, edit := range []func(*schema.Asset, *schema.Network){
		func(a *schema.Asset, _ *schema.Network) { a.CanDeposit = false },
		func(_ *schema.Asset, n *schema.Network) { n.CanDeposit = false },
	} {
		x.euros(edit)
		x.do(bill("off", "10"), schema.DepositDisabled)
	}
	x.euros()
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "SEPA", Driver: schema.Provider, Paused: true}}, schema.OK)
	x.do(bill("off", "10"), schema.DepositDisabled)
	x.settles(1, true, schema.OK) // what is paid is paid
	x.hasEuros(alice, "9.4", "0")
	x.accounts.Get(alice).Blocked = true
	x.do(bill("blocked", "10"), schema.AccountBlocked)
	x.settles(2, true, schema.OK)
	x.hasEuros(alice, "18.8", "0")
}

func TestAPaidInvoiceThatCannotBeCreditedIsInSuspense(t *testing.T) {
	for _, edit := range []func(*schema.Asset, *schema.Network){
		func(a *schema.Asset, _ *schema.Network) { a.CanDeposit = false },
		func(_ *schema.Asset, n *schema.Network) { n.CanDeposit = false },
		func(_ *schema.Asset, n *schema.Network) { n.Chain = 0 },
	} {
		x := banked(t)
		x.do(bill("one", "10"), schema.OK)
		decide := func(d schema.Decision, account schema.AccountID, want schema.Reason) {
			t.Helper()
			x.do(&schema.DecideDeposit{Deposit: 1, Decision: d, Account: account}, want)
		}
		decide(schema.CreditDeposit, 0, schema.DepositDecided)
		x.euros(edit)
		x.settles(1, true, schema.OK)
		x.billed("invoice 1 suspended", "deposit 1 uncredited 10 less 0")
		x.hasEuros(alice, "0", "0")
		x.hasEuros(schema.Suspense, "10", "0")
		x.hasEuros(schema.Fees, "0", "0")
		x.settles(1, true, schema.InvoiceSettled)
		x.settles(1, false, schema.InvoiceSettled)
		x.tick(2 * schema.MaxLifetime) // it ends no more
		x.billed()
		if at, running := x.NextTimer(); running {
			t.Errorf("a timer runs at %d", at)
		}
		decide(schema.CancelDeposit, 0, schema.DepositDecided)
		decide(schema.FreezeDeposit, 0, schema.DepositDecided)
		decide(0, 0, schema.DepositDecided)
		decide(schema.CreditDeposit, ben, schema.DepositOwner)
		x.do(&schema.RefundDeposit{Account: alice, Deposit: 1, Address: "a"}, schema.NotRefundable)
		x.do(&schema.RefundDeposit{Account: ben, Deposit: 1, Address: "a"}, schema.DepositUnknown)
		decide(schema.CreditDeposit, alice, schema.OK)
		x.billed("invoice 1 paid", "deposit 1 credited 10 less 0")
		x.hasEuros(alice, "10", "0")
		x.hasEuros(schema.Suspense, "0", "0")
		decide(schema.CreditDeposit, alice, schema.DepositUnknown)
	}
}

func TestWhatIsPaidPaysWhatIsOwed(t *testing.T) {
	x := banked(t)
	owe := func(amount int64) {
		x.ledger.Move(x.ledger.Open(schema.House, schema.Owed, euro), x.ledger.Open(alice, schema.Owed, euro), fixed.FromInt(amount), byReversal)
	}
	x.do(bill("one", "10"), schema.OK)
	owe(4)
	x.settles(1, true, schema.OK)
	x.hasEuros(alice, "5.4", "0")
	x.do(bill("two", "10"), schema.OK)
	x.euros(func(_ *schema.Asset, n *schema.Network) { n.CanDeposit = false })
	x.settles(2, true, schema.OK)
	owe(4)
	x.do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit}, schema.OK)
	x.hasEuros(alice, "11.4", "0")
}

func TestInvoicesEndInOrder(t *testing.T) {
	x := banked(t)
	at := x.now + schema.Second
	for i, end := range []schema.Time{at + 2, at + 1, at + 2, at, at + 3} {
		x.do(bill(fmt.Sprint(i), "10", func(c *schema.RequestInvoice) { c.Expires = end }), schema.OK)
	}
	next := func(want schema.Time) {
		t.Helper()
		if got, running := x.NextTimer(); !running || got != want {
			t.Errorf("the next timer is at %d, %v, want %d", got, running, want)
		}
	}
	next(at)
	x.tick(at - 1 - x.now)
	x.billed()
	x.tick(1)
	x.billed("invoice 4 expired", "deposit 4 canceled 10 less 0.6")
	x.settles(4, true, schema.InvoiceUnknown)
	next(at + 1)
	x.Steps = 2
	x.tick(at + 2 - x.now)
	x.billed("invoice 2 expired", "deposit 2 canceled 10 less 0.6", "invoice 1 expired", "deposit 1 canceled 10 less 0.6")
	next(at + 2)
	x.settles(3, true, schema.OK) // its end was not announced: the money is there
	x.hasEuros(alice, "9.4", "0")
	next(at + 3)
	x.tick(schema.Second)
	x.billed("invoice 5 expired", "deposit 5 canceled 10 less 0.6")
}

func TestAnAccountHasSoManyOpenInvoices(t *testing.T) {
	x := banked(t)
	x.now = 1
	for i := range mostInvoices {
		x.out.Reset(x.now)
		if r := x.requestInvoice(bill(fmt.Sprint(i), "1")); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	if r := x.do(bill("more", "1"), schema.InvoicesTooMany); r.Value != fixed.FromInt(1000) {
		t.Error(r.Value)
	}
	x.do(bill("more", "1", func(c *schema.RequestInvoice) { c.Account = ben }), schema.OK)
	x.settles(7, false, schema.OK)
	x.do(bill("again", "1"), schema.OK)
}

func TestNoMoreIsPaidInThanThereIsRoomFor(t *testing.T) {
	x := banked(t, func(_ *schema.Asset, n *schema.Network) {
		n.MaxDeposit, n.DepositFixed, n.DepositPercent = fixed.Zero, fixed.Zero, fixed.Zero
	})
	most, _ := ledger.Limit.Round(2, fixed.Down)
	x.do(bill("one", most.String()), schema.OK)
	x.do(bill("two", most.String()), schema.OK)
	x.settles(1, true, schema.OK)
	before := x.snapshot()
	x.settles(2, true, schema.MoveTooLarge)
	if !slices.Equal(before, x.snapshot()) {
		t.Error("something changed")
	}
	// What left by one provider lets no more come by the other than a number holds.
	x.do(send("a", most.String(), func(c *schema.RequestWithdrawal) { c.Chain = card }), schema.OK)
	x.paidOut(1, most.String(), schema.OK)
	x.settles(2, true, schema.MoveTooLarge)
	x.settles(2, false, schema.OK)
}

func TestAProviderPaysAllOrNothing(t *testing.T) {
	x := banked(t)
	x.do(&schema.Deposit{Account: alice, Asset: euro, Amount: fixed.FromInt(1000)}, schema.OK)
	x.do(send("a", "100", func(c *schema.RequestWithdrawal) { c.BIC, c.Memo = "COBADEFF", "rent" }), schema.OK)
	w := x.out.Result.Withdrawal
	if w.Amount != fixed.FromInt(98) || w.Fee != fixed.FromInt(2) || w.Status != schema.WithdrawalQueued || w.BIC != "COBADEFF" || w.Partial || w.Address != "DE1" || w.Chain != bank {
		t.Errorf("%+v", w)
	}
	x.do(send("b", "50", pay), schema.OK)
	x.hasEuros(alice, "849", "151")
	for _, amount := range []string{"-1", "97", "98.01", "0.001", "97.999"} {
		x.paidOut(1, amount, schema.SettlementInvalid)
	}
	x.paidOut(9, "1", schema.WithdrawalUnknown)
	x.accounts.Get(alice).Blocked = true
	x.paidOut(1, "98", schema.OK)
	x.leaves("1 done at 0")
	x.hasEuros(alice, "849", "51")
	x.hasEuros(schema.Fees, "2", "0")
	x.hasEuros(schema.Custody, "98", "0")
	if b := x.Bookings(bank); b[0].Coins != fixed.FromInt(-98) || b[0].Booked != b[0].Coins {
		t.Errorf("%+v", b)
	}
	x.paidOut(1, "98", schema.WithdrawalUnknown)
	x.do(&schema.SetChain{Chain: schema.Chain{Name: "SEPA", Driver: schema.Provider, Paused: true}}, schema.OK)
	x.paidOut(2, "0", schema.OK)
	x.leaves("2 canceled at 0")
	x.hasEuros(alice, "900", "0")
	x.accounts.Get(alice).Blocked = false
	x.do(send("c", "50"), schema.WithdrawDisabled)
	x.do(send("c", "50", func(c *schema.RequestWithdrawal) { c.Chain = card }), schema.OK)
}

func TestAProviderPaysAPart(t *testing.T) {
	x := banked(t, func(_ *schema.Asset, n *schema.Network) { n.WithdrawPercent = fixed.FromInt(1) })
	x.do(&schema.Deposit{Account: alice, Asset: euro, Amount: fixed.FromInt(1000)}, schema.OK)
	x.do(send("a", "0.3", pay, partly), schema.OK) // costs 0.003
	x.hasEuros(alice, "999.697", "0.303")
	x.paidOut(1, "0.1", schema.OK)
	x.leaves("1 partial at 0")
	for e := range x.out.Events.All() {
		if e, is := e.(*schema.WithdrawalChanged); is {
			if w := e.Withdrawal; w.Asked != fixed.MustParse("0.3") || w.Amount != fixed.MustParse("0.1") || w.Fee != fixed.MustParse("0.001") || w.Changed != x.now {
				t.Errorf("%+v", w)
			}
		}
	}
	x.hasEuros(alice, "999.899", "0")
	x.do(send("b", "0.03", pay, partly), schema.OK) // costs 0.0003: a third of it, rounded down
	x.paidOut(2, "0.02", schema.OK)
	x.hasEuros(schema.Fees, "0.0012", "0")
	x.hasEuros(alice, "999.8788", "0")
	x.do(send("c", "5", pay, partly), schema.OK)
	x.paidOut(3, "5", schema.OK)
	x.leaves("3 done at 0")
	x.hasEuros(schema.Custody, "5.12", "0")
	if b := x.Bookings(bank); b[0].Coins != fixed.MustParse("-5.12") {
		t.Errorf("%+v", b)
	}
	if len(x.open) != 0 || len(x.byNumber) != 0 {
		t.Error("something is remembered")
	}
}

func TestWhichWithdrawalsAProviderDoesNotTake(t *testing.T) {
	x := banked(t, func(_ *schema.Asset, n *schema.Network) { n.ApproveAbove = fixed.FromInt(50) })
	x.do(&schema.Deposit{Account: alice, Asset: euro, Amount: fixed.FromInt(1000)}, schema.OK)
	for name, c := range map[string]struct {
		edit func(*schema.RequestWithdrawal)
		want schema.Reason
	}{
		"an asset elsewhere":    {func(c *schema.RequestWithdrawal) { c.Asset = toy }, schema.WithdrawDisabled},
		"an index":              {func(c *schema.RequestWithdrawal) { c.Index = 1 }, schema.WithdrawAddressInvalid},
		"no address":            {func(c *schema.RequestWithdrawal) { c.Address = "" }, schema.WithdrawAddressInvalid},
		"an address of 129":     {func(c *schema.RequestWithdrawal) { c.Address = strings.Repeat("a", 129) }, schema.WithdrawAddressInvalid},
		"a BIC of 7":            {func(c *schema.RequestWithdrawal) { c.BIC = "COBADEF" }, schema.BICInvalid},
		"a BIC of 12":           {func(c *schema.RequestWithdrawal) { c.BIC = "DEUTDEFF5000" }, schema.BICInvalid},
		"a BIC of small ones":   {func(c *schema.RequestWithdrawal) { c.BIC = "cobadeff" }, schema.BICInvalid},
		"a BIC of other things": {func(c *schema.RequestWithdrawal) { c.BIC = "COBADEF[" }, schema.BICInvalid},
	} {
		if r := x.do(send("a", "10", c.edit), c.want); r.Reason != c.want {
			t.Error(name)
		}
	}
	x.do(send("a", "60", func(c *schema.RequestWithdrawal) { c.BIC = "COBADEFF123" }), schema.OK)
	x.leaves("1 review at 0")
	x.paidOut(1, "58.8", schema.SettlementInvalid)
	x.as("ann", 1, schema.ApproveWithdrawal, schema.OK)
	x.as("ann", 1, schema.FreezeWithdrawal, schema.OK)
	x.paidOut(1, "58.8", schema.SettlementInvalid)
	x.as("ann", 1, schema.CancelWithdrawal, schema.OK)
	x.accounts.Get(alice).Region = schema.EU
	x.do(send("b", "10", partly), schema.OK) // the travel rule is about chains
	x.leaves("2 queued at 0")
	x.accounts.Get(alice).Region = schema.Global

	x.network(func(_ *schema.Asset, n *schema.Network) { n.CanWithdraw = true })
	x.do(&schema.Deposit{Account: alice, Asset: toy, Amount: fixed.FromInt(10)}, schema.OK)
	x.do(request("c", "1", func(c *schema.RequestWithdrawal) { c.BIC, c.Partial = "x", true }), schema.OK)
	if w, _ := x.Withdrawal(3); w.BIC != "" || w.Partial {
		t.Errorf("a sandbox keeps %+v", w)
	}
	x.paidOut(3, "0.5", schema.SettlementInvalid)
}

func TestInvoicesThatCannotBeAreNotRead(t *testing.T) {
	x := banked(t)
	x.do(bill("one", "10"), schema.OK)
	x.do(bill("two", "10"), schema.OK)
	x.do(&schema.Deposit{Account: alice, Asset: euro, Amount: fixed.FromInt(100)}, schema.OK)
	x.do(send("a", "10"), schema.OK)
	v, w := x.invoices.get(2), x.withdrawals.At(x.byNumber[1])
	good, sent := *v, *w
	for name, change := range map[string]func(){
		"status":   func() { v.Status = schema.InvoicePaid },
		"chain":    func() { v.Chain = play },
		"account":  func() { v.Account = 999 },
		"asset":    func() { v.Asset = 9 },
		"amount":   func() { v.Amount = fixed.Zero },
		"fee":      func() { v.Fee = v.Amount },
		"scale":    func() { v.Amount = fixed.MustParse("1.00001") },
		"end":      func() { v.Expires = v.Created },
		"life":     func() { v.Expires = v.Created + schema.MaxLifetime + 1 },
		"unique":   func() { v.Unique = "" },
		"link":     func() { v.Success = strings.Repeat("x", 2001) },
		"digest":   func() { v.Digest = x.invoices.get(1).Digest },
		"suspense": func() { v.Status = schema.InvoiceSuspended },
	} {
		t.Run(name, func(*testing.T) { x.unreadable("invoice 2: ", change) })
		*v = good
	}
	x.unreadable("invoice 1: ", func() { v.ID = 1 })
	x.unreadable("invoice 3: ", func() { v.ID = 3 })
	*v = good
	x.unreadable("invoice 2 is not where it should be", func() { v.Unique = "three" })
	*v = good
	for _, change := range []func(){
		func() { w.BIC = "x" }, func() { w.Asked = fixed.One }, func() { w.To = ben }, func() { w.travel = []byte("x") },
	} {
		x.unreadable("withdrawal 1: ", change)
		*w = sent
	}
	x.check()
}
