package naive

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// kid is the first sub-account of newFamily, and of others where carl is the last account.
const kid = carl + 1

// child is a command that makes a sub-account of anna's.
func child(external, alias string) *schema.SetSub {
	return &schema.SetSub{Master: anna, Alias: alias, External: external, ShareKYC: true, Spot: true, Margin: true}
}

// newFamily is a world where anna has an active sub-account, with 10 BTC in main.
func newFamily(t *testing.T) *world {
	w := newWorld(t)
	w.must(child("kid", "first"))
	w.must(&schema.Deposit{Account: kid, Asset: btc, Amount: d("10")})
	return w
}

// sets is what an operator lets an account do, beyond what it may.
func (w *world) sets(a schema.AccountID, change func(*schema.Account)) *schema.SetAccount {
	account, _ := w.accounts.customer(a)
	set := *account
	change(&set)
	return &schema.SetAccount{Account: set}
}

// is compares an account.
func (w *world) is(a schema.AccountID, want schema.Account) {
	w.t.Helper()
	if got, _ := w.accounts.customer(a); !reflect.DeepEqual(*got, want) {
		w.t.Errorf("the account is\n     %+v\nwant %+v", *got, want)
	}
}

func TestSubIsMade(t *testing.T) {
	w := newWorld(t)
	w.must(w.sets(anna, func(a *schema.Account) {
		a.Region, a.Partner, a.Mining, a.TradFi, a.MaxLeverage = schema.EU, true, true, true, 20
		a.MakerFee, a.TakerFee, a.Tier, a.Verified, a.RestrictedUntil = schema.Some(d("0.01")), schema.Some(d("0.02")), 3, true, 5
		a.NewAddresses, a.Checker, a.CreditLine, a.Invoices, a.Deposits, a.Approvals, a.KYCLinks = true, true, true, true, true, true, true
	}))
	made := w.must(&schema.SetSub{Master: anna, Alias: "first", External: "kid", Email: "sealed", Margin: true})
	if made.ID != uint64(kid) || len(w.last.Events) != 1 {
		t.Errorf("made %d, with %d events", made.ID, len(w.last.Events))
	}
	want := schema.Account{
		ID: kid, Name: "kid", Created: w.time, Parent: anna, External: "kid", Alias: "first", Email: "sealed", Status: schema.SubPending, Margin: true,
		Region: schema.EU, Retail: true, RPI: true, Mining: true, TradFi: true, MaxLeverage: 20, NewAddresses: true,
		MakerFee: schema.Some(d("0.01")), TakerFee: schema.Some(d("0.02")),
	}
	w.is(kid, want)
	for i, c := range []struct {
		email  string
		shares bool
		active bool
		want   schema.SubStatus
	}{
		{"", true, false, schema.SubActive},
		{"e", true, false, schema.SubPending},
		{"e", false, true, schema.SubActive},
		{"e", true, true, schema.SubActive},
	} {
		name := fmt.Sprint(i)
		id := schema.AccountID(w.must(&schema.SetSub{Master: anna, Alias: name, External: name, Email: c.email, ShareKYC: c.shares, Active: c.active}).ID)
		got, _ := w.accounts.customer(id)
		if got.Status != c.want || got.Verified != c.shares || got.Tier != 0 && !c.shares {
			t.Errorf("%+v: %+v", c, *got)
		}
	}
}

// TestSubsAreCheckedInOrder: each command has the fault that is refused, and all that are looked at later.
func TestSubsAreCheckedInOrder(t *testing.T) {
	w := newFamily(t)
	for i := range 97 {
		w.must(child(fmt.Sprintf("crowd%d", i), fmt.Sprint(i)))
	}
	w.must(child("second", "second"))
	w.must(child("last", "last"))
	c := &schema.SetSub{Master: 100, External: strings.Repeat("x", 65), Alias: strings.Repeat("a", 65)}
	w.refused(because(schema.AccountUnknown), c)
	w.must(w.sets(anna, func(a *schema.Account) { a.Blocked = true }))
	c.Master = kid
	w.refused(because(schema.AccountBlocked), c)
	w.must(w.sets(anna, func(a *schema.Account) { a.Blocked = false }))
	w.refused(because(schema.SubNested), c)
	c.Master = anna
	for _, name := range []string{strings.Repeat("x", 65), "", "ben", "kid"} {
		c.External = name
		w.refused(because(schema.NameTaken), c)
	}
	w.must(w.sets(kid, func(a *schema.Account) { a.Name = "renamed" }))
	w.refused(because(schema.NameTaken), c)
	c.External = strings.Repeat("x", 64)
	w.refused(because(schema.SubAliasInvalid), c)
	c.Alias = ""
	w.refused(because(schema.SubAliasInvalid), c)
	c.Alias = "first"
	w.refused(because(schema.SubAliasTaken), c)
	c.Alias = strings.Repeat("a", 64)
	w.refused(because(schema.SubEmailMissing), c)
	c.Email, c.ShareKYC = strings.Repeat("e", 1025), true
	w.refused(because(schema.SubEmailMissing), c)
	c.Email = strings.Repeat("e", 1024)
	w.refused(about(schema.SubsTooMany, whole(100)), c)
	w.must(&schema.DeleteSub{Master: anna, Sub: kid + 99})
	w.must(c)
}

func TestSubsThatThereEverWere(t *testing.T) {
	w := newWorld(t)
	for i := range 1000 {
		id := w.must(child(fmt.Sprint(i), "alias")).ID
		if i < 999 {
			w.must(&schema.DeleteSub{Master: anna, Sub: schema.AccountID(id)})
		}
	}
	w.refused(about(schema.SubsTooMany, whole(1000)), child("one more", "other"))
	w.must(&schema.SetSub{Master: ben, Alias: "alias", External: "one more", ShareKYC: true})
}

func TestSubIsEdited(t *testing.T) {
	w := newFamily(t)
	w.must(child("second", "second"))
	edit := &schema.SetSub{Master: ben, Sub: kid, Alias: "second", External: "none", Email: "none"}
	w.refused(because(schema.SubUnknown), edit)
	edit.Master = kid
	w.refused(because(schema.SubUnknown), edit)
	edit.Master, edit.Sub = anna, anna
	w.refused(because(schema.SubUnknown), edit)
	edit.Sub = kid
	w.refused(because(schema.SubAliasTaken), edit)
	edit.Alias = "first"
	before, _ := w.accounts.customer(kid)
	want := *before
	want.Spot, want.Margin = false, false
	if got := w.must(edit).ID; got != uint64(kid) {
		t.Errorf("changed %d", got)
	}
	w.is(kid, want)
	w.must(edit)
	w.happened("*schema.AccountChanged")
	w.must(&schema.DeleteSub{Master: anna, Sub: kid + 1})
	edit.Sub = kid + 1
	w.refused(because(schema.SubUnknown), edit)
	edit.Sub, edit.Alias = kid, "second"
	w.must(edit)
}

// TestClamp: a sub-account loses what its master loses, gets nothing back, and has nothing that only masters have.
func TestClamp(t *testing.T) {
	w := newWorld(t)
	all := func(a *schema.Account) {
		a.Region, a.Retail, a.RPI, a.Partner, a.Mining, a.TradFi = schema.Global, true, true, true, true, true
		a.NewAddresses, a.Checker, a.CreditLine, a.Invoices, a.Deposits = true, true, true, true, true
		a.MaxLeverage, a.Tier, a.Verified = 0, 2, true
	}
	w.must(w.sets(anna, all))
	w.must(child("kid", "first"))
	w.must(&schema.SetSub{Master: anna, Alias: "own", External: "own", Email: "e"})
	gone := w.must(child("gone", "gone")).ID
	w.must(&schema.DeleteSub{Master: anna, Sub: schema.AccountID(gone)})
	w.must(w.sets(kid, func(a *schema.Account) { all(a); a.Approvals, a.KYCLinks = true, true }))
	got, _ := w.accounts.customer(kid)
	full := *got
	if full.Approvals || full.KYCLinks || !full.Invoices || !full.Deposits {
		t.Errorf("the account is %+v", full)
	}
	w.must(w.sets(kid+1, func(a *schema.Account) { a.Tier, a.MaxLeverage = 9, 50 }))

	w.must(w.sets(anna, func(a *schema.Account) {
		a.Region, a.Retail, a.RPI, a.Partner, a.Mining, a.TradFi = schema.EU, false, false, false, false, false
		a.NewAddresses, a.Checker, a.CreditLine, a.Invoices, a.Deposits = false, false, false, false, false
		a.MaxLeverage, a.Tier, a.Verified = 20, 5, false
	}))
	w.happened("*schema.AccountChanged", "*schema.AccountChanged", "*schema.AccountChanged")
	clamped := full
	clamped.Region, clamped.Retail, clamped.RPI, clamped.Partner, clamped.Mining, clamped.TradFi = schema.EU, false, false, false, false, false
	clamped.NewAddresses, clamped.Checker, clamped.CreditLine, clamped.Invoices = false, false, false, false
	clamped.MaxLeverage, clamped.Tier, clamped.Verified = 20, 5, false
	w.is(kid, clamped)
	if own, _ := w.accounts.customer(kid + 1); own.Tier != 9 || own.MaxLeverage != 20 {
		t.Errorf("who shares nothing is %+v", *own)
	}
	w.must(w.sets(anna, func(a *schema.Account) { all(a); a.Tier, a.Verified, a.MaxLeverage = 5, false, 50 }))
	w.happened("*schema.AccountChanged")
	w.is(kid, clamped)
}

// TestWhatOperatorsCannotChoose: that an account is a sub-account, and all that its master chose.
func TestWhatOperatorsCannotChoose(t *testing.T) {
	w := newFamily(t)
	before, _ := w.accounts.customer(kid)
	want := *before
	steal := func(a *schema.Account) {
		a.Parent, a.External, a.Alias, a.Email, a.Status = ben, "x", "x", "x", schema.SubDeleted
		a.ShareKYC, a.Spot, a.Margin = false, false, false
	}
	w.must(w.sets(kid, steal))
	w.is(kid, want)
	for name, change := range map[string]func(*schema.Account){
		"parent":   func(a *schema.Account) { a.Parent = anna },
		"external": func(a *schema.Account) { a.External = "x" },
		"alias":    func(a *schema.Account) { a.Alias = "x" },
		"email":    func(a *schema.Account) { a.Email = "x" },
		"status":   func(a *schema.Account) { a.Status = schema.SubActive },
		"kyc":      func(a *schema.Account) { a.ShareKYC = true },
		"spot":     func(a *schema.Account) { a.Spot = true },
		"margin":   func(a *schema.Account) { a.Margin = true },
	} {
		made := schema.Account{Name: name, Region: schema.Global}
		change(&made)
		w.refused(because(schema.NameInvalid), &schema.SetAccount{Account: made})
	}
}

// TestWhoMayAct: nobody whom an operator blocked or whose master is blocked, and no sub-account that is not active.
func TestWhoMayAct(t *testing.T) {
	w := newFamily(t)
	w.must(&schema.SetSub{Master: anna, Alias: "later", External: "later", Email: "e"})
	acts := func(a schema.AccountID) schema.Command { return &schema.CancelAll{Account: a} }
	blocked := because(schema.AccountBlocked)
	w.refused(blocked, acts(kid+1))
	w.must(acts(kid))
	w.must(w.sets(anna, func(a *schema.Account) { a.Blocked = true }))
	w.refused(blocked, acts(kid))
	w.refused(blocked, &schema.ClosePosition{Account: kid, Market: spot})
	w.refused(because(schema.PositionUnknown), &schema.ClosePosition{Account: kid, Market: spot, Forced: true})
	w.must(w.sets(anna, func(a *schema.Account) { a.Blocked = false }))
	w.must(w.sets(kid, func(a *schema.Account) { a.Blocked = true }))
	w.refused(blocked, acts(kid))
	w.must(acts(anna))
	w.must(w.sets(kid, func(a *schema.Account) { a.Blocked = false }))
	w.must(&schema.BlockSub{Master: anna, Sub: kid, Blocked: true})
	w.refused(blocked, acts(kid))
	w.must(&schema.BlockSub{Master: anna, Sub: kid})
	w.must(acts(kid))
}

// TestWalletsOfSubs: what the master switched off bars the way in, never that back.
func TestWalletsOfSubs(t *testing.T) {
	w := newFamily(t)
	move := func(from, to schema.Wallet, amount string) schema.Command {
		return &schema.Transfer{Account: kid, Asset: btc, Amount: d(amount), From: from, To: to}
	}
	w.must(move(schema.Main, schema.Trade, "1"))
	w.must(move(schema.Main, schema.Collateral, "1"))
	w.must(&schema.SetSub{Master: anna, Sub: kid, Alias: "first"})
	w.refused(because(schema.SubNotPermitted), move(schema.Main, schema.Trade, "-1"))
	w.refused(because(schema.SubNotPermitted), move(schema.Main, schema.Collateral, "-1"))
	w.refused(because(schema.WalletsNotDirect), move(schema.Trade, schema.Collateral, "1"))
	w.must(move(schema.Trade, schema.Main, "1"))
	w.must(move(schema.Collateral, schema.Main, "1"))
	w.must(&schema.SetSub{Master: anna, Sub: kid, Alias: "first", Spot: true})
	w.must(move(schema.Main, schema.Trade, "1"))
	w.refused(because(schema.SubNotPermitted), move(schema.Main, schema.Collateral, "1"))
	w.must(&schema.SetSub{Master: anna, Sub: kid, Alias: "first", Margin: true})
	w.must(move(schema.Main, schema.Collateral, "1"))
}
