package code

import (
	"strings"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/tier"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	coin   schema.AssetID = 1
	dollar schema.AssetID = 2
	alice                 = schema.FirstCustomer
	ben                   = alice + 1
	carl                  = alice + 2
)

// exchange is codes of a crypto asset and a fiat asset, with three customers. Alice has 10 coins.
type exchange struct {
	*Codes
	t        *testing.T
	handlers product.Handlers
}

func open(t *testing.T) *exchange {
	t.Helper()
	out, whole := &schema.Outcome{}, true
	l, listed, a := ledger.New(&out.Events), listing.New(), accounts.New()
	listed.Out, a.Out = out, out
	w := &wallet.Wallets{
		Ledger: l, Listing: listed, Accounts: a, Out: out, WholeAccount: &whole,
		Index: func(schema.MarketID) (index, last fixed.Decimal) { return fixed.Zero, fixed.Zero },
	}
	x := &exchange{t: t, Codes: New(l, listed, a, w, tier.New(a, w, out), out)}
	for _, p := range []product.Product{listed, a, w, x.tiers, x.Codes} {
		p.Commands(&x.handlers)
	}
	x.do(0, asset(), schema.OK)
	x.do(0, &schema.SetAsset{Asset: schema.Asset{Ticker: "USD", Class: schema.Fiat, Scale: 2, Precision: 2, CanWithdraw: true, Codes: true}}, schema.OK)
	for _, name := range []string{"alice", "ben", "carl"} {
		x.do(0, &schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}}, schema.OK)
	}
	x.do(0, &schema.Deposit{Account: alice, Asset: coin, Amount: fixed.FromInt(10)}, schema.OK)
	return x
}

func asset(change ...func(*schema.Asset)) *schema.SetAsset {
	a := schema.Asset{Ticker: "BTC", Class: schema.Crypto, Scale: 8, Precision: 4, CanWithdraw: true, Codes: true}
	for _, edit := range change {
		edit(&a)
	}
	return &schema.SetAsset{Asset: a}
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

// has holds main wallets to amounts.
func (x *exchange) has(account schema.AccountID, want string) {
	x.t.Helper()
	if got := x.ledger.Available(x.ledger.Find(account, schema.Main, coin)); got != fixed.MustParse(want) {
		x.t.Errorf("account %d has %s, want %s", account, got, want)
	}
}

// became holds the code of the last result to its status, and the events to one that says the same, if there is to be one.
func (x *exchange) became(status schema.CodeStatus, said bool) *schema.Code {
	x.t.Helper()
	code, events := x.out.Result.Code, 0
	if code == nil {
		x.t.Fatal("the result has no code")
	}
	if code.Status != status {
		x.t.Errorf("the code is %s, want %s", code.Status, status)
	}
	for e := range x.out.Events.All() {
		if changed, is := e.(*schema.CodeChanged); is {
			events++
			if c := changed.Code; c.ID != code.ID || c.Status != status || c.Ended != code.Ended || c.Redeemer != code.Redeemer {
				x.t.Errorf("the event says %+v, the result %+v", c, code)
			}
		}
	}
	if (events == 1) != said || events > 1 {
		x.t.Errorf("%d events", events)
	}
	return code
}

func digest(n byte) schema.Digest { return schema.Digest{n, 31: 1} }

func create(n byte, amount string) *schema.CreateCode {
	return &schema.CreateCode{Account: alice, Asset: coin, Amount: fixed.MustParse(amount), Digest: digest(n), Sealed: []byte{n}, Description: "rent"}
}

func locked(n byte, amount string) *schema.CreateCode {
	c := create(n, amount)
	c.Lock = digest(100 + n)
	return c
}

func apply(account schema.AccountID, n byte) *schema.ApplyCode {
	return &schema.ApplyCode{Account: account, Digest: digest(n)}
}

func TestACodeGoesToTheFirstWhoAppliesIt(t *testing.T) {
	x := open(t)
	x.do(7, create(1, "2.5"), schema.OK)
	if c := x.became(schema.CodeActive, true); c.ID != 1 || c.Created != 7 || c.Account != alice || c.Description != "rent" || c.Sealed[0] != 1 {
		t.Errorf("%+v", c)
	}
	x.has(alice, "7.5")
	x.has(schema.Codes, "2.5")
	x.do(8, apply(alice, 1), schema.CodeOwn)
	x.do(8, apply(ben, 2), schema.CodeUnknown)
	x.do(9, apply(ben, 1), schema.OK)
	if c := x.became(schema.CodeApplied, true); c.Redeemer != ben || c.Ended != 9 || c.Created != 7 {
		t.Errorf("%+v", c)
	}
	x.has(ben, "2.5")
	x.has(schema.Codes, "0")
	x.do(9, apply(carl, 1), schema.CodeNotActive)
	x.do(9, create(1, "1"), schema.CodeInvalid)
	if _, running := x.NextTimer(); running {
		t.Error("a timer runs for a code that ended")
	}
}

func TestWhatCannotBeCreated(t *testing.T) {
	x := open(t)
	edit := func(change func(*schema.CreateCode)) *schema.CreateCode {
		c := create(1, "1")
		change(c)
		return c
	}
	x.do(0, edit(func(c *schema.CreateCode) { c.Account = 999 }), schema.AccountUnknown)
	x.do(0, edit(func(c *schema.CreateCode) { c.Asset = 9 }), schema.AssetUnknown)
	x.do(0, edit(func(c *schema.CreateCode) { c.Digest = schema.Digest{} }), schema.CodeInvalid)
	x.do(0, edit(func(c *schema.CreateCode) { c.Sealed = nil }), schema.CodeInvalid)
	x.do(0, edit(func(c *schema.CreateCode) { c.Sealed = make([]byte, schema.MaxSealedCode+1) }), schema.CodeInvalid)
	x.do(0, edit(func(c *schema.CreateCode) { c.Description = strings.Repeat("x", schema.MaxDescription+1) }), schema.CodeInvalid)
	x.do(0, create(1, "0"), schema.MoveNotPositive)
	x.do(0, create(1, "0.00001"), schema.MoveTooPrecise)
	x.do(0, edit(func(c *schema.CreateCode) { c.Asset = dollar }), schema.CodesDisabled)
	x.do(0, asset(func(a *schema.Asset) { a.Codes = false }), schema.OK)
	x.do(0, create(1, "1"), schema.CodesDisabled)
	x.do(0, asset(func(a *schema.Asset) { a.CanWithdraw = false }), schema.OK)
	x.do(0, create(1, "1"), schema.CodeNotWithdrawable)
	x.do(0, asset(func(a *schema.Asset) { a.MinCode = fixed.MustParse("1.0001") }), schema.OK)
	if r := x.do(0, create(1, "1"), schema.CodeBelowMin); r.Value != fixed.MustParse("1.0001") {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(0, create(1, "1.0001"), schema.OK)
	x.do(0, asset(func(a *schema.Asset) { a.MinCode = fixed.MustParse("-1") }), schema.CodeMinInvalid)
	x.do(0, asset(func(a *schema.Asset) { a.MinCode = fixed.MustParse("0.00001") }), schema.CodeMinInvalid)
	if r := x.do(0, create(2, "9"), schema.WithdrawNotCovered); r.Value != fixed.MustParse("8.9999") {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(0, asset(), schema.OK)
	x.do(0, &schema.Deposit{Account: alice, Asset: coin, Amount: fixed.FromInt(5), Held: true}, schema.OK)
	if r := x.do(0, create(2, "9"), schema.MoveHeld); r.Value != fixed.MustParse("8.9999") {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(0, create(2, "8.9999"), schema.OK)
	x.do(0, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Blocked: true}}, schema.OK)
	x.do(0, create(3, "1"), schema.AccountBlocked)
	x.do(0, apply(alice, 9), schema.AccountBlocked)
	x.do(0, apply(ben, 2), schema.CodeSuspended)
	x.do(0, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global}}, schema.OK)
	x.do(0, asset(func(a *schema.Asset) { a.Codes, a.CanWithdraw, a.MinCode = false, false, fixed.FromInt(99) }), schema.OK)
	x.do(0, apply(ben, 2), schema.OK) // what was created before stays good
	if x.last != 2 {
		t.Errorf("refused codes were numbered: %d", x.last)
	}
}

// TestOneAccountHasSoManyCodes: a thousand; one that ended makes room.
func TestOneAccountHasSoManyCodes(t *testing.T) {
	x := open(t)
	for n := range 1000 {
		c := create(0, "0.0001")
		c.Digest = schema.Digest{byte(n), byte(n >> 8), 1}
		x.out.Reset(0)
		if r := x.create(c); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	if r := x.do(0, create(1, "1"), schema.CodesTooMany); r.Value != fixed.FromInt(1000) {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(0, &schema.ApplyCode{Account: ben, Digest: schema.Digest{5, 0, 1}}, schema.OK)
	x.do(0, create(1, "1"), schema.OK)
	x.do(0, create(2, "1"), schema.CodesTooMany)
}

// TestAWrongPassphraseCounts: the fiftieth sends the money back.
func TestAWrongPassphraseCounts(t *testing.T) {
	x := open(t)
	x.do(1, locked(1, "1"), schema.OK)
	x.do(1, create(2, "1"), schema.OK)
	wrong := func(n byte, lock schema.Digest) *schema.ApplyCode {
		return &schema.ApplyCode{Account: ben, Digest: digest(n), Lock: lock}
	}
	x.do(2, wrong(2, digest(9)), schema.OK) // a passphrase for a code that has none
	x.became(schema.CodeActive, false)
	for range 48 {
		x.do(2, wrong(1, digest(9)), schema.OK)
		x.became(schema.CodeActive, false)
	}
	x.do(2, apply(carl, 1), schema.OK) // none for one that has one, by another account
	x.became(schema.CodeActive, false)
	x.has(schema.Codes, "2")
	x.do(3, wrong(1, digest(9)), schema.OK)
	if c := x.became(schema.CodeReturned, true); c.Ended != 3 || c.Redeemer != 0 {
		t.Errorf("%+v", c)
	}
	x.has(alice, "9")
	x.do(3, wrong(1, digest(101)), schema.CodeUnknown)

	x.do(4, locked(3, "1"), schema.OK)
	for range 49 {
		x.do(4, wrong(3, digest(9)), schema.OK)
	}
	x.do(5, wrong(3, digest(103)), schema.OK)
	x.became(schema.CodeApplied, true)
	x.has(ben, "1")
}

// TestACodeLivesAYear: then its money goes back, also to a blocked account, a thousand codes at a time.
func TestACodeLivesAYear(t *testing.T) {
	x := open(t)
	const year = 365 * 24 * 3600 * schema.Second
	x.do(5, create(1, "1"), schema.OK)
	x.do(6, create(2, "1"), schema.OK)
	x.do(7, create(3, "1"), schema.OK)
	x.do(8, apply(ben, 2), schema.OK)
	x.do(8, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, Blocked: true}}, schema.OK)
	tick := func(at schema.Time, kept int) {
		t.Helper()
		x.out.Reset(at)
		x.Tick()
		if n := len(x.places) - len(x.applied); n != kept {
			t.Errorf("%d codes are active, want %d", n, kept)
		}
		if err := x.Verify(); err != nil {
			t.Error(err)
		}
	}
	if at, running := x.NextTimer(); !running || at != 5+year {
		t.Errorf("the timer is at %d", at)
	}
	tick(4+year, 2)
	tick(5+year, 1)
	var events []schema.Code
	for e := range x.out.Events.All() {
		if changed, is := e.(*schema.CodeChanged); is {
			events = append(events, changed.Code)
		}
	}
	if len(events) != 1 || events[0].ID != 1 || events[0].Ended != 5+year || events[0].Status != schema.CodeReturned {
		t.Errorf("%+v", events)
	}
	x.has(alice, "8")
	if at, running := x.NextTimer(); !running || at != 7+year {
		t.Errorf("the timer is at %d", at)
	}
	tick(7+year, 0)
	x.has(alice, "9")
	x.do(7+year, apply(ben, 1), schema.CodeUnknown)
	x.do(7+year, apply(carl, 2), schema.CodeNotActive)

	x.do(7+year, &schema.Deposit{Account: ben, Asset: coin, Amount: fixed.FromInt(10)}, schema.OK)
	x.do(7+year, &schema.Deposit{Account: carl, Asset: coin, Amount: fixed.FromInt(10)}, schema.OK)
	for n := range 1001 {
		c := create(0, "0.0001")
		c.Account, c.Digest = ben+schema.AccountID(n%2), schema.Digest{byte(n), byte(n >> 8), 1}
		x.out.Reset(8 + year)
		if r := x.create(c); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	tick(9+2*year, 1)
	if at, running := x.NextTimer(); !running || at != 8+2*year {
		t.Errorf("the timer is at %d", at)
	}
	tick(9+2*year, 0)
}

// TestSoManyAppliedCodesAreRemembered: after so many more a code is unknown, and its digest free.
func TestSoManyAppliedCodesAreRemembered(t *testing.T) {
	x := open(t)
	x.Remembered = 2
	for n := range byte(3) {
		x.do(0, create(n, "1"), schema.OK)
		x.do(0, apply(ben, n), schema.OK)
	}
	x.do(0, apply(carl, 0), schema.CodeUnknown)
	x.do(0, apply(carl, 1), schema.CodeNotActive)
	x.do(0, apply(carl, 2), schema.CodeNotActive)
	x.do(0, create(0, "1"), schema.OK)
	x.do(0, apply(ben, 0), schema.OK)
	x.do(0, apply(carl, 1), schema.CodeUnknown)
}

// TestSectionsComeBack restores what was written, and refuses what no command could have brought about.
func TestSectionsComeBack(t *testing.T) {
	x := open(t)
	for n := range byte(4) {
		x.do(schema.Time(n), locked(n, "1"), schema.OK)
	}
	x.do(5, &schema.ApplyCode{Account: ben, Digest: digest(1), Lock: digest(9)}, schema.OK)
	x.do(5, &schema.ApplyCode{Account: ben, Digest: digest(2), Lock: digest(102)}, schema.OK)
	x.do(5, &schema.ApplyCode{Account: ben, Digest: digest(3), Lock: digest(103)}, schema.OK)
	written := func(c *Codes) []byte {
		w := &product.Writer{}
		for _, s := range c.Sections() {
			w.Section(&s)
		}
		return w.Bytes
	}
	back := open(t)
	if err := (&product.Reader{Rest: written(x.Codes)}).Sections(back.Sections()); err != nil {
		t.Fatal(err)
	}
	if string(written(back.Codes)) != string(written(x.Codes)) {
		t.Error("another snapshot")
	}
	if at := back.places[digest(1)]; at == 0 || back.active.At(at).tries != 1 || back.last != 4 || back.counts[alice] != 2 || len(back.applied) != 2 {
		t.Errorf("%+v", back.Codes)
	}

	good := func() *active {
		return &active{digest: digest(9), Code: schema.Code{
			ID: 9, Account: alice, Asset: coin, Amount: fixed.One, Status: schema.CodeActive, Created: 9, Sealed: []byte{9},
		}}
	}
	for want, write := range map[string]func(*Codes, *active){
		"code 9: it stands in the wrong place": func(c *Codes, a *active) {
			c.add(a)
			again := *a
			again.digest = digest(8)
			c.add(&again)
		},
		"in the wrong place": func(c *Codes, a *active) {
			c.add(a)
			again := *a
			again.ID, again.Created, again.digest = 10, 8, digest(8)
			c.add(&again)
		},
		"it cannot be one":                  func(c *Codes, a *active) { a.Sealed = nil; c.add(a) },
		"its digest stands there twice":     func(c *Codes, a *active) { c.add(a); again := *a; again.ID = 10; c.add(&again) },
		"its account or its asset":          func(c *Codes, a *active) { a.Account = 999; c.add(a) },
		"account or its asset cannot be":    func(c *Codes, a *active) { a.Asset = dollar; c.add(a) },
		"its amount cannot be":              func(c *Codes, a *active) { a.Amount = fixed.Zero; c.add(a) },
		"it should have ended":              func(c *Codes, a *active) { a.Status = schema.CodeApplied; c.add(a) },
		"or not have been created":          func(c *Codes, a *active) { a.tries = mostTries; c.add(a) },
		"a digest stands there twice":       func(c *Codes, a *active) { c.add(a); c.remember(a.digest) },
		"less than a number that was given": func(c *Codes, a *active) { c.add(a); c.last = 8 },
	} {
		bad := New(nil, nil, nil, nil, nil, nil)
		write(bad, good())
		err := (&product.Reader{Rest: written(bad)}).Sections(open(t).Sections())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestCodesCountForTheTier: what goes back later has been counted all the same.
func TestCodesCountForTheTier(t *testing.T) {
	x := open(t)
	x.listing.MarketChanged = func(schema.MarketID) {}
	x.do(0, &schema.SetMarket{Market: schema.MarketInfo{Name: "USD_BTC", Base: dollar, Quote: coin, Type: schema.Spot, StockPrec: 2, MoneyPrec: 2, FeePrec: 2}}, schema.OK)
	x.do(0, create(1, "1"), schema.OK)
	x.do(0, &schema.SetTier{Tier: schema.Tier{Day: fixed.FromInt(4)}}, schema.OK)
	x.do(0, locked(2, "3"), schema.OK)
	for range mostTries {
		x.do(0, apply(ben, 2), schema.OK)
	}
	x.has(alice, "9")
	if r := x.do(0, create(3, "1.0001"), schema.DayLimit); r.Value != fixed.One {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(0, create(3, "1"), schema.OK)
	const day = 24 * 3600 * schema.Second
	x.do(day-1, create(4, "1"), schema.DayLimit)
	x.do(day, create(4, "1"), schema.OK)
	x.do(day, asset(func(a *schema.Asset) { a.Ticker = "ETC" }), schema.OK)
	x.do(day, &schema.Deposit{Account: alice, Asset: 3, Amount: fixed.One}, schema.OK)
	c := create(5, "1")
	c.Asset = 3
	x.do(day, c, schema.RateUnknown)
	x.do(day, &schema.SetAccount{Account: schema.Account{ID: alice, Name: "alice", Region: schema.Global, RestrictedUntil: day + 1}}, schema.OK)
	if r := x.do(day, create(6, "1"), schema.Restricted); r.Value != fixed.FromInt(86401) {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(day+1, create(6, "1"), schema.OK)
}

func TestVerifyFindsMissingMoney(t *testing.T) {
	x := open(t)
	x.do(0, create(1, "1"), schema.OK)
	x.ledger.Move(x.ledger.Find(schema.Codes, schema.Main, coin), x.ledger.Find(alice, schema.Main, coin), fixed.FromUnits(1, 8), ledger.Note{})
	if err := x.Verify(); err == nil || !strings.Contains(err.Error(), "there is 0.99999999 of BTC, and 1 in active codes") {
		t.Error(err)
	}
}

// TestCodesWhereAnAssetIsNotOffered: in the EU nobody creates a code of it or applies one. That is said before the passphrase is looked at,
// and the code is there for others.
func TestCodesWhereAnAssetIsNotOffered(t *testing.T) {
	x := open(t)
	give := func(n byte) *schema.CreateCode {
		return &schema.CreateCode{Account: alice, Asset: coin, Amount: fixed.One, Digest: schema.Digest{n}, Lock: schema.Digest{9}, Sealed: []byte("sealed")}
	}
	try := func(account schema.AccountID, lock byte) *schema.ApplyCode {
		return &schema.ApplyCode{Account: account, Digest: schema.Digest{1}, Lock: schema.Digest{lock}}
	}
	x.do(1, give(1), schema.OK)
	x.do(1, asset(func(a *schema.Asset) { a.NotInEU = true }), schema.OK)
	x.do(1, &schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.EU}}, schema.OK)
	for range mostTries + 1 {
		x.do(2, try(ben, 7), schema.AssetNotOffered)
	}
	x.do(2, try(ben, 9), schema.AssetNotOffered)
	x.do(2, &schema.ApplyCode{Account: ben, Digest: schema.Digest{5}}, schema.CodeUnknown)
	x.out.Region = schema.EU
	x.do(2, give(2), schema.AssetNotOffered)
	x.do(2, try(carl, 9), schema.AssetNotOffered)
	x.do(2, try(alice, 9), schema.CodeOwn)
	x.out.Region = schema.Global
	x.do(2, give(2), schema.OK)
	x.do(2, try(carl, 9), schema.OK)
	x.has(carl, "1")
	x.has(ben, "0")
}
