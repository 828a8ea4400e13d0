package core

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// leavingAccounts are the accounts of genesis: the first may all, the second nothing, the third is blocked, the fourth restricted and
// in tier 1. The first has some of an asset that has no price.
func leavingAccounts() (list []schema.Command) {
	for i, change := range []func(*schema.Account){
		func(a *schema.Account) { a.Checker, a.CreditLine, a.Partner = true, true, true },
		func(*schema.Account) {},
		func(a *schema.Account) { a.Blocked = true },
		func(a *schema.Account) {
			a.Verified, a.Tier, a.RestrictedUntil, a.CreditLine = true, 1, start+100*schema.Second, true
		},
	} {
		a := schema.Account{ID: schema.FirstCustomer + schema.AccountID(i), Name: fmt.Sprintf("trader%d", i), Region: schema.Global}
		change(&a)
		list = append(list, &schema.SetAccount{Account: a})
	}
	return append(list,
		&schema.SetAsset{Asset: schema.Asset{Ticker: "DDD", Scale: 8, Precision: 8, Class: schema.Crypto, CanWithdraw: true, Codes: true}},
		&schema.Deposit{Account: 101, Asset: 4, Amount: d("1")})
}

func TestTiersAreRefused(t *testing.T) {
	tier := func(n uint8, day, month fixed.Decimal) *schema.SetTier {
		return &schema.SetTier{Tier: schema.Tier{Number: n, Day: day, Month: month}}
	}
	account := func(change func(*schema.Account)) *schema.SetAccount {
		return &schema.SetAccount{Account: changed(schema.Account{Name: "newcomer", Region: schema.Global}, change)}
	}
	code := func(account schema.AccountID, asset schema.AssetID, amount string) *schema.CreateCode {
		return &schema.CreateCode{Account: account, Asset: asset, Amount: d(amount), Digest: codeDigest(1), Sealed: []byte(usualSealed)}
	}
	refuse(t, []refusal{
		{"a tenth tier", tier(10, fixed.Zero, fixed.Zero), schema.TierInvalid},
		{"a day below zero", tier(1, d("-1"), fixed.Zero), schema.TierInvalid},
		{"a month below zero", tier(1, fixed.Zero, d("-1")), schema.TierInvalid},
		{"a day of 9 decimals", tier(1, d("0.000000001"), fixed.Zero), schema.TierInvalid},
		{"a month beyond all money", tier(1, fixed.Zero, cut(ledger.Limit, 8).Add(d("0.00000001"))), schema.TierInvalid},
		{"more in a day than in a month", tier(1, d("2"), d("1")), schema.TierInvalid},
		{"an account in a tenth tier", account(func(a *schema.Account) { a.Tier = 10 }), schema.TierInvalid},
		{"restricted before all time", account(func(a *schema.Account) { a.RestrictedUntil = -1 }), schema.TierInvalid},
		{"more than a day", code(101, 2, "100.000001"), schema.DayLimit},
		{"more than a month", code(104, 2, "200.000001"), schema.MonthLimit},
		{"nobody knows for how much", code(101, 4, "1"), schema.RateUnknown},
		{"restricted", code(104, 2, "200"), schema.Restricted},
	}, append(leavingAccounts(), tier(0, d("100"), fixed.Zero), tier(1, fixed.Zero, d("200")))...)
}

func TestCreditsAreRefused(t *testing.T) {
	open := func(change func(*schema.OpenCredit)) *schema.OpenCredit {
		c := changed(schema.OpenCredit{Account: 101, Asset: 1, Amount: d("1"), Initial: d("50"), MarginCall: d("60"), Liquidation: d("70")}, change)
		return &c
	}
	charge := func(account schema.AccountID, amount string) *schema.ChargeCredit {
		return &schema.ChargeCredit{Account: account, Amount: d(amount)}
	}
	repay := func(account schema.AccountID, amount string) *schema.RepayCredit {
		return &schema.RepayCredit{Account: account, Amount: d(amount)}
	}
	refuse(t, []refusal{
		{"to nobody", open(func(c *schema.OpenCredit) { c.Account = 999 }), schema.AccountUnknown},
		{"to the house", open(func(c *schema.OpenCredit) { c.Account = schema.House }), schema.AccountUnknown},
		{"to a blocked account", open(func(c *schema.OpenCredit) { c.Account = 103 }), schema.AccountBlocked},
		{"without a line", open(func(c *schema.OpenCredit) { c.Account = 102 }), schema.CreditUnavailable},
		{"of nothing known", open(func(c *schema.OpenCredit) { c.Asset = 9 }), schema.AssetUnknown},
		{"of zero", open(func(c *schema.OpenCredit) { c.Amount = fixed.Zero }), schema.MoveNotPositive},
		{"too fine", open(func(c *schema.OpenCredit) { c.Asset, c.Amount = 2, d("0.0000000000001") }), schema.MoveTooPrecise},
		{"beyond all money", open(func(c *schema.OpenCredit) { c.Amount = ledger.Limit }), schema.MoveTooLarge},
		{"no first percent", open(func(c *schema.OpenCredit) { c.Initial = fixed.Zero }), schema.CreditInvalid},
		{"a percent of 3 decimals", open(func(c *schema.OpenCredit) { c.MarginCall = d("60.001") }), schema.CreditInvalid},
		{"percents that fall", open(func(c *schema.OpenCredit) { c.MarginCall = d("49.99") }), schema.CreditInvalid},
		{"above 100", open(func(c *schema.OpenCredit) { c.Liquidation = d("100.01") }), schema.CreditInvalid},
		{"a second one", open(func(c *schema.OpenCredit) { c.Account = 104 }), schema.CreditActive},
		{"interest of nobody", charge(999, "1"), schema.AccountUnknown},
		{"interest for nothing", charge(101, "1"), schema.CreditNone},
		{"interest of zero", charge(104, "0"), schema.MoveNotPositive},
		{"interest that is not there", charge(104, "99999"), schema.WithdrawNotCovered},
		{"nobody repays", repay(999, "1"), schema.AccountUnknown},
		{"nothing to repay", repay(101, "1"), schema.CreditNone},
		{"repays zero", repay(104, "0"), schema.MoveNotPositive},
		{"repays more than it owes", repay(104, "10.000000000000000001"), schema.CreditLess},
	}, append(leavingAccounts(), open(func(c *schema.OpenCredit) { c.Account, c.Amount = 104, d("10") }))...)
}

func TestChecksAreRefused(t *testing.T) {
	check := func(change func(*schema.CheckAddress)) *schema.CheckAddress {
		c := changed(schema.CheckAddress{Account: 101, Asset: 1, Address: "a"}, change)
		return &c
	}
	verdict := func(v schema.AddressVerdict) *schema.SetVerdict { return &schema.SetVerdict{Verdict: v} }
	refuse(t, []refusal{
		{"for nobody", check(func(c *schema.CheckAddress) { c.Account = 999 }), schema.AccountUnknown},
		{"for a blocked account", check(func(c *schema.CheckAddress) { c.Account = 103 }), schema.AccountBlocked},
		{"without access", check(func(c *schema.CheckAddress) { c.Account = 102 }), schema.CheckUnavailable},
		{"of nothing known", check(func(c *schema.CheckAddress) { c.Asset = 9 }), schema.AssetUnknown},
		{"of fiat money", check(func(c *schema.CheckAddress) { c.Asset = 3 }), schema.CheckInvalid},
		{"by no network", check(func(c *schema.CheckAddress) { c.Network = "none" }), schema.CheckInvalid},
		{"no address", check(func(c *schema.CheckAddress) { c.Address = "" }), schema.CheckInvalid},
		{"an address of 129 bytes", check(func(c *schema.CheckAddress) { c.Address = strings.Repeat("a", 129) }), schema.CheckInvalid},
		{"without USDT", check(func(*schema.CheckAddress) {}), schema.CheckNotCovered},
		{"a verdict of no address", verdict(schema.AddressVerdict{Risk: schema.LowRisk}), schema.VerdictInvalid},
		{"a verdict of 129 bytes", verdict(schema.AddressVerdict{Address: strings.Repeat("a", 129), Risk: schema.LowRisk}), schema.VerdictInvalid},
		{"an unknown risk", verdict(schema.AddressVerdict{Address: "a", Risk: 4}), schema.VerdictInvalid},
		{"a risk that fails", verdict(schema.AddressVerdict{Address: "a", Fails: true, Risk: schema.LowRisk}), schema.VerdictInvalid},
		{"words about nothing", verdict(schema.AddressVerdict{Address: "a", Description: "x"}), schema.VerdictInvalid},
		{"501 bytes", verdict(schema.AddressVerdict{Address: "a", Risk: schema.LowRisk, Description: strings.Repeat("x", 501)}), schema.VerdictInvalid},
	}, leavingAccounts()...)
}

func TestExpressesAreRefused(t *testing.T) {
	request := func(change func(*schema.RequestExpress)) *schema.RequestExpress {
		c := changed(schema.RequestExpress{Account: 101, Asset: 2, Amount: d("1"), External: "x", Digest: codeDigest(1), Sealed: []byte(usualSealed)}, change)
		return &c
	}
	pay := func(account schema.AccountID, n int) *schema.PayExpress {
		return &schema.PayExpress{Account: account, Digest: codeDigest(n)}
	}
	refuse(t, []refusal{
		{"for nobody", request(func(c *schema.RequestExpress) { c.Account = 999 }), schema.AccountUnknown},
		{"for a blocked account", request(func(c *schema.RequestExpress) { c.Account = 103 }), schema.AccountBlocked},
		{"for no partner", request(func(c *schema.RequestExpress) { c.Account = 102 }), schema.ExpressUnavailable},
		{"of nothing known", request(func(c *schema.RequestExpress) { c.Asset = 9 }), schema.AssetUnknown},
		{"of fiat money", request(func(c *schema.RequestExpress) { c.Asset = 3 }), schema.ExpressDisabled},
		{"of zero", request(func(c *schema.RequestExpress) { c.Amount = fixed.Zero }), schema.MoveNotPositive},
		{"finer than people may", request(func(c *schema.RequestExpress) { c.Amount = d("0.0000001") }), schema.MoveTooPrecise},
		{"without a reference", request(func(c *schema.RequestExpress) { c.External = "" }), schema.ExpressInvalid},
		{"a reference of 1021 bytes", request(func(c *schema.RequestExpress) { c.External = strings.Repeat("x", 1021) }), schema.ExpressInvalid},
		{"without a token", request(func(c *schema.RequestExpress) { c.Digest = schema.Digest{} }), schema.ExpressInvalid},
		{"the token of another", request(func(c *schema.RequestExpress) { c.Digest = codeDigest(7) }), schema.ExpressInvalid},
		{"without its text", request(func(c *schema.RequestExpress) { c.Sealed = nil }), schema.ExpressInvalid},
		{"a text of 257 bytes", request(func(c *schema.RequestExpress) { c.Sealed = bytes.Repeat([]byte{1}, 257) }), schema.ExpressInvalid},
		{"paid before", request(func(c *schema.RequestExpress) { c.External = "paid" }), schema.ExpressPaid},
		{"another amount", request(func(c *schema.RequestExpress) { c.External = "waits" }), schema.ExpressPending},
		{"too much", request(func(c *schema.RequestExpress) { c.Amount = d("10000.000001") }), schema.ExpressAboveCap},
		{"nobody knows how much", request(func(c *schema.RequestExpress) { c.Asset = 4 }), schema.RateUnknown},
		{"nobody pays", pay(999, 7), schema.AccountUnknown},
		{"a blocked account pays", pay(103, 7), schema.AccountBlocked},
		{"an unknown token", pay(102, 5), schema.ExpressUnknown},
		{"a token that was paid", pay(102, 8), schema.ExpressUnknown},
		{"one's own", pay(101, 7), schema.ExpressOwn},
		{"what is not there", pay(102, 9), schema.WithdrawNotCovered},
		{"restricted", pay(104, 7), schema.Restricted},
	}, append(leavingAccounts(),
		request(func(c *schema.RequestExpress) { c.External, c.Digest, c.Amount = "waits", codeDigest(7), d("2") }),
		request(func(c *schema.RequestExpress) { c.External, c.Digest = "paid", codeDigest(8) }), pay(102, 8),
		request(func(c *schema.RequestExpress) { c.External, c.Digest, c.Amount = "much", codeDigest(9), d("10000") }))...)
}
