package check

import (
	"fmt"
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
	euro   schema.AssetID = 2
	dollar schema.AssetID = 3
	alice                 = schema.FirstCustomer
	ben                   = alice + 1
)

// exchange is checks for two customers, of whom alice may have addresses checked and has 10 dollars.
type exchange struct {
	*Checks
	t        *testing.T
	handlers product.Handlers
}

func bare(t *testing.T) *exchange {
	t.Helper()
	out, whole := &schema.Outcome{}, true
	l, listed, a := ledger.New(&out.Events), listing.New(), accounts.New()
	listed.Out, a.Out = out, out
	listed.Chains = func(*schema.Asset) schema.Rejection { return schema.Rejection{} }
	w := &wallet.Wallets{
		Ledger: l, Listing: listed, Accounts: a, Out: out, WholeAccount: &whole,
		Index: func(schema.MarketID) (index, last fixed.Decimal) { return fixed.Zero, fixed.Zero },
	}
	x := &exchange{t: t, Checks: New(l, listed, a, w, out)}
	for _, p := range []product.Product{listed, a, w, x.Checks} {
		p.Commands(&x.handlers)
	}
	x.do(0, &schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", Class: schema.Crypto, Scale: 8, Networks: []schema.Network{{Name: "BTC", Default: true}}}}, schema.OK)
	x.do(0, &schema.SetAsset{Asset: schema.Asset{Ticker: "EUR", Class: schema.Fiat, Scale: 2}}, schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global, Checker: true}}, schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{Name: "ben", Region: schema.Global}}, schema.OK)
	return x
}

func open(t *testing.T) *exchange {
	t.Helper()
	x := bare(t)
	x.do(0, &schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", Class: schema.Crypto, Scale: 8, Precision: 2}}, schema.OK)
	x.do(0, &schema.Deposit{Account: alice, Asset: dollar, Amount: fixed.FromInt(10)}, schema.OK)
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

// tick runs the timer at a moment and holds what became of checks to a list.
func (x *exchange) tick(at schema.Time, want ...string) {
	x.t.Helper()
	x.out.Reset(at)
	x.Tick()
	x.said(want...)
	if err := x.Verify(); err != nil {
		x.t.Error(err)
	}
}

// said holds the events about checks to a list.
func (x *exchange) said(want ...string) {
	x.t.Helper()
	var list []string
	for e := range x.out.Events.All() {
		switch e := e.(type) {
		case *schema.CheckChanged:
			list = append(list, say(&e.Check))
		case *schema.BalanceChanged:
			if e.Cause != schema.ByFee {
				x.t.Errorf("money moved by %s", e.Cause)
			}
		}
	}
	if got := strings.Join(list, "\n"); got != strings.Join(want, "\n") {
		x.t.Errorf("it was said\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func say(c *schema.Check) string {
	text := fmt.Sprintf("%d of %d: %d %q %s %s, created %d", c.ID, c.Account, c.Asset, c.Network, c.Address, c.Status, c.Created)
	if c.Checked != 0 || c.Risk != 0 || c.Description != "" {
		text += fmt.Sprintf(", checked %d: %d %q", c.Checked, c.Risk, c.Description)
	}
	return text
}

// has holds the money of alice and the fees to amounts.
func (x *exchange) has(mine, fees int64) {
	x.t.Helper()
	got, taken := x.ledger.Available(x.ledger.Find(alice, schema.Main, dollar)), x.ledger.Available(x.ledger.Find(schema.Fees, schema.Main, dollar))
	if got != fixed.FromInt(mine) || taken != fixed.FromInt(fees) {
		x.t.Errorf("alice has %s and %s is taken, want %d and %d", got, taken, mine, fees)
	}
}

func check(address string, edits ...func(*schema.CheckAddress)) *schema.CheckAddress {
	c := &schema.CheckAddress{Account: alice, Asset: coin, Address: address}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func verdict(address string, risk schema.Risk, description string) *schema.SetVerdict {
	return &schema.SetVerdict{Verdict: schema.AddressVerdict{Address: address, Risk: risk, Description: description}}
}

func failing(address string) *schema.SetVerdict {
	return &schema.SetVerdict{Verdict: schema.AddressVerdict{Address: address, Fails: true}}
}

const wait = 3 * schema.Second

// TestACheckEndsAfterThreeSeconds: with what is said about the address then, and costs 2 dollars if it succeeds.
func TestACheckEndsAfterThreeSeconds(t *testing.T) {
	x := open(t)
	x.do(5, check("a", func(c *schema.CheckAddress) { c.Network = "BTC" }), schema.OK)
	x.said(`1 of 101: 1 "BTC" a in_progress, created 5`)
	if x.out.Result.ID != 1 {
		t.Errorf("the result is check %d", x.out.Result.ID)
	}
	x.do(5, check("b"), schema.OK)
	x.do(6, check("c", func(c *schema.CheckAddress) { c.Asset = dollar }), schema.OK)
	x.has(10, 0)
	x.do(7, verdict("b", schema.HighRisk, "Stolen."), schema.OK)
	x.do(7, failing("c"), schema.OK)
	if at, running := x.NextTimer(); !running || at != 5+wait {
		t.Errorf("the timer is at %d", at)
	}
	if list := x.Running(alice); len(list) != 3 || list[0].ID != 1 || list[2].Address != "c" {
		t.Errorf("%+v runs", list)
	}
	if list := x.Running(ben); len(list) != 0 {
		t.Errorf("%+v runs for ben", list)
	}
	x.tick(4 + wait)
	x.tick(5+wait,
		`1 of 101: 1 "BTC" a success, created 5, checked 3000005: 1 "No risk was found."`,
		`2 of 101: 1 "" b success, created 5, checked 3000005: 3 "Stolen."`)
	x.has(6, 4)
	if list := x.Running(alice); len(list) != 1 || list[0].ID != 3 {
		t.Errorf("%+v runs", list)
	}
	x.tick(9+wait, `3 of 101: 3 "" c failed, created 6, checked 3000009: 0 ""`)
	x.has(6, 4)
	if _, running := x.NextTimer(); running {
		t.Error("a timer runs for nothing")
	}
	x.do(9+wait, check("a"), schema.OK)
	if x.out.Result.ID != 4 {
		t.Errorf("the result is check %d", x.out.Result.ID)
	}
}

// TestACheckThatCannotBePaidFails: two begin with the money for one, and one ends after the account was blocked.
func TestACheckThatCannotBePaidFails(t *testing.T) {
	x := open(t)
	x.do(0, &schema.Withdraw{Account: alice, Asset: dollar, Amount: fixed.FromInt(7)}, schema.OK)
	x.do(1, check("a"), schema.OK)
	x.do(1, check("b"), schema.OK)
	x.tick(1+wait,
		`1 of 101: 1 "" a success, created 1, checked 3000001: 1 "No risk was found."`,
		`2 of 101: 1 "" b failed, created 1, checked 3000001: 0 ""`)
	x.has(1, 2)
	x.do(2+wait, check("a"), schema.CheckNotCovered)
	x.do(2+wait, &schema.Deposit{Account: alice, Asset: dollar, Amount: fixed.One}, schema.OK)
	x.do(2+wait, check("a"), schema.OK)
	x.do(2+wait, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Checker: true, Blocked: true}}, schema.OK)
	x.tick(2+2*wait, `3 of 101: 1 "" a failed, created 3000002, checked 6000002: 0 ""`)
	x.has(2, 2)
	x.do(2+2*wait, check("a"), schema.AccountBlocked)
}

func TestWhatCannotBeChecked(t *testing.T) {
	x := bare(t)
	x.do(0, check("a"), schema.CheckNotCovered) // there is nothing to pay with
	x = open(t)
	x.do(0, check("a", func(c *schema.CheckAddress) { c.Account = 999 }), schema.AccountUnknown)
	x.do(0, check("a", func(c *schema.CheckAddress) { c.Account = ben }), schema.CheckUnavailable)
	x.do(0, check("a", func(c *schema.CheckAddress) { c.Asset = 9 }), schema.AssetUnknown)
	x.do(0, check("a", func(c *schema.CheckAddress) { c.Asset = euro }), schema.CheckInvalid)
	x.do(0, check("a", func(c *schema.CheckAddress) { c.Network = "ETH" }), schema.CheckInvalid)
	x.do(0, check("a", func(c *schema.CheckAddress) { c.Asset, c.Network = dollar, "BTC" }), schema.CheckInvalid)
	x.do(0, check(""), schema.CheckInvalid)
	x.do(0, check(strings.Repeat("a", schema.MaxAddressText+1)), schema.CheckInvalid)
	x.do(0, check(strings.Repeat("a", schema.MaxAddressText)), schema.OK)
	if x.last != 1 {
		t.Errorf("refused checks were numbered: %d", x.last)
	}
	x.do(0, &schema.Deposit{Account: alice, Asset: dollar, Amount: fixed.FromInt(5), Held: true}, schema.OK)
	x.do(0, &schema.Withdraw{Account: alice, Asset: dollar, Amount: fixed.MustParse("8.01")}, schema.OK)
	x.do(0, check("a"), schema.CheckNotCovered)
}

// TestOneAccountHasSoManyChecks: a hundred at a time.
func TestOneAccountHasSoManyChecks(t *testing.T) {
	x := open(t)
	for range mostRunning {
		x.do(1, check("a"), schema.OK)
	}
	if r := x.do(1, check("a"), schema.ChecksTooMany); r.Value != fixed.FromInt(100) {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(1, &schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global, Checker: true}}, schema.OK)
	x.do(1, &schema.Deposit{Account: ben, Asset: dollar, Amount: fixed.FromInt(2)}, schema.OK)
	x.do(1, check("a", func(c *schema.CheckAddress) { c.Account = ben }), schema.OK)
	x.do(1, failing("a"), schema.OK)
	x.out.Reset(1 + wait)
	x.Tick()
	x.do(1+wait, check("a"), schema.OK)
}

// TestATickEndsSoMany: a hundred; the timer stays due for the others.
func TestATickEndsSoMany(t *testing.T) {
	x := open(t)
	x.do(1, failing("a"), schema.OK)
	for i := range slice + 1 {
		account := schema.FirstCustomer + schema.AccountID(i/mostRunning)
		if i%mostRunning == 0 {
			if account > ben {
				x.do(1, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprint(account), Region: schema.Global}}, schema.OK)
			}
			a := *x.accounts.Get(account)
			a.Checker = true
			x.do(1, &schema.SetAccount{Account: a}, schema.OK)
			x.do(1, &schema.Deposit{Account: account, Asset: dollar, Amount: fixed.FromInt(2)}, schema.OK)
		}
		x.out.Reset(1)
		if r := x.begin(check("a", func(c *schema.CheckAddress) { c.Account = account })); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	x.out.Reset(1 + wait)
	x.Tick()
	if len(x.running) != 1 || x.running[0].ID != slice+1 {
		t.Errorf("%d run", len(x.running))
	}
	if at, running := x.NextTimer(); !running || at != 1+wait {
		t.Errorf("the timer is at %d", at)
	}
	x.tick(1+wait, fmt.Sprintf(`101 of %d: 1 "" a failed, created 1, checked 3000001: 0 ""`, alice+1))
}

func TestVerdictsAreSetAndTakenBack(t *testing.T) {
	x := open(t)
	is := func(want ...schema.AddressVerdict) {
		t.Helper()
		if got := x.Verdicts(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v is said, want %v", got, want)
		}
		if n := x.out.Events.Len(); n != 0 {
			t.Errorf("%d events", n)
		}
	}
	b := schema.AddressVerdict{Address: "b", Risk: schema.MediumRisk, Description: strings.Repeat("x", schema.MaxVerdict)}
	a := schema.AddressVerdict{Address: "a", Fails: true}
	x.do(0, &schema.SetVerdict{Verdict: b}, schema.OK)
	x.do(0, &schema.SetVerdict{Verdict: a}, schema.OK)
	x.do(0, verdict("c", 0, ""), schema.OK)
	is(a, b)
	a = schema.AddressVerdict{Address: "a", Risk: schema.LowRisk}
	x.do(0, &schema.SetVerdict{Verdict: a}, schema.OK)
	is(a, b)
	for _, bad := range []schema.AddressVerdict{
		{},
		{Risk: schema.LowRisk},
		{Fails: true},
		{Address: strings.Repeat("a", schema.MaxAddressText+1)},
		{Address: "a", Description: "No risk."},
		{Address: "a", Risk: schema.HighRisk + 1},
		{Address: "a", Risk: schema.LowRisk, Description: strings.Repeat("x", schema.MaxVerdict+1)},
		{Address: "a", Fails: true, Risk: schema.LowRisk},
		{Address: "a", Fails: true, Description: "No."},
	} {
		x.do(0, &schema.SetVerdict{Verdict: bad}, schema.VerdictInvalid)
	}
	is(a, b)
	x.do(0, verdict("a", 0, ""), schema.OK)
	is(b)
}

// TestThereAreSoManyVerdicts: ten thousand; those that are there can be changed.
func TestThereAreSoManyVerdicts(t *testing.T) {
	x := open(t)
	for i := range mostVerdicts {
		x.verdicts = append(x.verdicts, schema.AddressVerdict{Address: fmt.Sprintf("%05d", i), Risk: schema.LowRisk})
	}
	if r := x.do(0, failing("a"), schema.VerdictsTooMany); r.Value != fixed.FromInt(10_000) {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(0, failing("00700"), schema.OK)
	x.do(0, verdict("00701", 0, ""), schema.OK)
	x.do(0, failing("a"), schema.OK)
	x.do(0, failing("b"), schema.VerdictsTooMany)
}

func written(c *Checks) []byte {
	w := &product.Writer{}
	for _, s := range c.Sections() {
		w.Section(&s)
	}
	return w.Bytes
}

// TestSectionsComeBack restores what was written, and refuses what no command could have brought about.
func TestSectionsComeBack(t *testing.T) {
	x := open(t)
	if len(written(x.Checks)) != 0 {
		t.Error("there are sections of nothing")
	}
	x.do(1, check("a"), schema.OK)
	x.do(2, check("b"), schema.OK)
	x.do(2, check("c", func(c *schema.CheckAddress) { c.Network = "BTC" }), schema.OK)
	x.do(2, failing("b"), schema.OK)
	x.do(2, verdict("a", schema.HighRisk, "Stolen."), schema.OK)
	x.tick(1+wait, `1 of 101: 1 "" a success, created 1, checked 3000001: 3 "Stolen."`)
	back := open(t)
	if err := (&product.Reader{Rest: written(x.Checks)}).Sections(back.Sections()); err != nil {
		t.Fatal(err)
	}
	if string(written(back.Checks)) != string(written(x.Checks)) {
		t.Error("another snapshot")
	}
	if back.last != 3 || len(back.running) != 2 || back.counts[alice] != 2 || len(back.verdicts) != 2 {
		t.Errorf("%+v", back.Checks)
	}
	back.tick(2+wait,
		`2 of 101: 1 "" b failed, created 2, checked 3000002: 0 ""`,
		`3 of 101: 1 "BTC" c success, created 2, checked 3000002: 1 "No risk was found."`)

	good := func() schema.Check {
		return schema.Check{ID: 9, Account: alice, Asset: coin, Address: "a", Status: schema.CheckRunning, Created: 9}
	}
	for want, write := range map[string]func(*Checks, schema.Check){
		"check 9: it stands in the wrong place": func(c *Checks, m schema.Check) { c.add(&m); c.add(&m) },
		"in the wrong place":                    func(c *Checks, m schema.Check) { c.add(&m); m.ID, m.Created = 10, 8; c.add(&m) },
		"its account, its asset":                func(c *Checks, m schema.Check) { m.Account = 999; c.add(&m) },
		"its asset or its address":              func(c *Checks, m schema.Check) { m.Asset = euro; c.add(&m) },
		"or its address cannot be":              func(c *Checks, m schema.Check) { m.Address = ""; c.add(&m) },
		"it should have ended":                  func(c *Checks, m schema.Check) { m.Status = schema.CheckFailed; c.add(&m) },
		"should have ended, or":                 func(c *Checks, m schema.Check) { m.Checked = 9; c.add(&m) },
		"or not have begun": func(c *Checks, m schema.Check) {
			for i := range mostRunning + 1 {
				m.ID = schema.CheckID(9 + i)
				c.add(&m)
			}
		},
		"it cannot be said": func(c *Checks, _ schema.Check) { c.verdicts = []schema.AddressVerdict{{Address: "a"}} },
		"wrong place or twice": func(c *Checks, _ schema.Check) {
			c.verdicts = []schema.AddressVerdict{{Address: "a", Fails: true}, {Address: "a", Fails: true}}
		},
		"stands in the wrong": func(c *Checks, _ schema.Check) {
			c.verdicts = []schema.AddressVerdict{{Address: "b", Fails: true}, {Address: "a", Fails: true}}
		},
		"less than a number that was given": func(c *Checks, m schema.Check) { c.add(&m); c.last = 8 },
	} {
		bad := New(nil, nil, nil, nil, nil)
		write(bad, good())
		err := (&product.Reader{Rest: written(bad)}).Sections(open(t).Sections())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestVerifyFindsWhatCannotBe(t *testing.T) {
	for want, spoil := range map[string]func(*Checks){
		"check 1 does not run":         func(c *Checks) { c.running[0].Status = schema.CheckFailed },
		"check 2 does not run":         func(c *Checks) { c.last = 1 },
		"check 1 stands in the wrong":  func(c *Checks) { c.running[0], c.running[1] = c.running[1], c.running[0] },
		"1 accounts have some, and 2":  func(c *Checks) { c.counts[ben] = 1 },
		"account 101 has 2, and 1 are": func(c *Checks) { c.counts[alice] = 1 },
		`the verdict about "a"`:        func(c *Checks) { c.verdicts = append(c.verdicts, c.verdicts[0]) },
	} {
		x := open(t)
		x.do(1, check("a"), schema.OK)
		x.do(2, check("b"), schema.OK)
		x.do(2, failing("a"), schema.OK)
		spoil(x.Checks)
		if err := x.Verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
