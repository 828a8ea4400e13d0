package core

import (
	"strings"
	"testing"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// fiatAccounts are the accounts of genesis, the third blocked, and euros (asset 4) of which the first has some. They come and go by the
// provider SEPA (chain 1), not by CARD (2); PLAY (3) is a sandbox. Invoice 1 is open and 2 suspended; withdrawal 1 is queued, 2 in review.
func fiatAccounts() []schema.Command {
	euros := func(deposits bool) *schema.SetAsset {
		return &schema.SetAsset{Asset: schema.Asset{
			Ticker: "EUR", Class: schema.Fiat, Scale: 4, Precision: 2, CanDeposit: true, CanWithdraw: true,
			Networks: []schema.Network{{
				Name: "SEPA", Chain: 1, CanDeposit: deposits, CanWithdraw: true, MinDeposit: d("1"), MaxDeposit: d("1000"), DepositFixed: d("2"), ApproveAbove: d("50"),
			}},
		}}
	}
	bill := func(unique string, n int) *schema.RequestInvoice {
		return &schema.RequestInvoice{Account: 101, Chain: 1, Asset: 4, Amount: d("10"), Unique: unique, Digest: codeDigest(n)}
	}
	leave := func(unique, amount string) *schema.RequestWithdrawal {
		return &schema.RequestWithdrawal{Account: 101, Asset: 4, Chain: 1, Amount: d(amount), Address: "a", Unique: unique}
	}
	return []schema.Command{
		&schema.SetChain{Chain: schema.Chain{Name: "SEPA", Driver: schema.Provider}},
		&schema.SetChain{Chain: schema.Chain{Name: "CARD", Driver: schema.Provider}},
		&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}},
		euros(true),
		&schema.SetAccount{Account: schema.Account{ID: 103, Name: "trader2", Region: schema.Global, Blocked: true}},
		&schema.Deposit{Account: 101, Asset: 4, Amount: d("100")},
		bill("open", 1), bill("suspended", 2),
		euros(false), &schema.SettleInvoice{Invoice: 2, Paid: true}, euros(true),
		leave("queued", "20"), leave("review", "40"),
	}
}

func TestFiatIsRefused(t *testing.T) {
	bill := func(change func(*schema.RequestInvoice)) *schema.RequestInvoice {
		c := changed(schema.RequestInvoice{Account: 101, Chain: 1, Asset: 4, Amount: d("10"), Unique: "u", Digest: codeDigest(7)}, change)
		return &c
	}
	settle := func(id schema.WithdrawalID, amount string) *schema.SettleWithdrawal {
		return &schema.SettleWithdrawal{Withdrawal: id, Amount: d(amount)}
	}
	provider := func(change func(*schema.Chain)) *schema.SetChain {
		return &schema.SetChain{Chain: changed(schema.Chain{Name: "ZEN", Driver: schema.Provider}, change)}
	}
	bank := func(bic string) *schema.RequestWithdrawal {
		return &schema.RequestWithdrawal{Account: 101, Asset: 4, Chain: 1, Amount: d("1"), Address: "a", Unique: "u", BIC: bic}
	}
	refuse(t, []refusal{
		{"for nobody", bill(func(c *schema.RequestInvoice) { c.Account = 999 }), schema.AccountUnknown},
		{"for the house", bill(func(c *schema.RequestInvoice) { c.Account = schema.House }), schema.AccountUnknown},
		{"for a blocked account", bill(func(c *schema.RequestInvoice) { c.Account = 103 }), schema.AccountBlocked},
		{"of nothing known", bill(func(c *schema.RequestInvoice) { c.Asset = 9 }), schema.AssetUnknown},
		{"by no chain", bill(func(c *schema.RequestInvoice) { c.Chain = 9 }), schema.InvoiceInvalid},
		{"by another provider", bill(func(c *schema.RequestInvoice) { c.Chain = 2 }), schema.InvoiceInvalid},
		{"by a sandbox", bill(func(c *schema.RequestInvoice) { c.Chain = 3 }), schema.InvoiceInvalid},
		{"of another asset", bill(func(c *schema.RequestInvoice) { c.Asset = 1 }), schema.InvoiceInvalid},
		{"without a name", bill(func(c *schema.RequestInvoice) { c.Unique = "" }), schema.InvoiceInvalid},
		{"a name of 1021 bytes", bill(func(c *schema.RequestInvoice) { c.Unique = strings.Repeat("u", 1021) }), schema.InvoiceInvalid},
		{"a success of 2001 bytes", bill(func(c *schema.RequestInvoice) { c.Success = strings.Repeat("u", 2001) }), schema.InvoiceInvalid},
		{"a failure of 2001 bytes", bill(func(c *schema.RequestInvoice) { c.Failure = strings.Repeat("u", 2001) }), schema.InvoiceInvalid},
		{"a return of 2001 bytes", bill(func(c *schema.RequestInvoice) { c.Return = strings.Repeat("u", 2001) }), schema.InvoiceInvalid},
		{"without a secret", bill(func(c *schema.RequestInvoice) { c.Digest = schema.Digest{} }), schema.InvoiceInvalid},
		{"the secret of an open one", bill(func(c *schema.RequestInvoice) { c.Digest = codeDigest(1) }), schema.InvoiceInvalid},
		{"the secret of a suspended one", bill(func(c *schema.RequestInvoice) { c.Digest = codeDigest(2) }), schema.InvoiceInvalid},
		{"that ended", bill(func(c *schema.RequestInvoice) { c.Expires = 1 }), schema.InvoiceInvalid},
		{"that ends never", bill(func(c *schema.RequestInvoice) { c.Expires = 1 << 62 }), schema.InvoiceInvalid},
		{"that ends before all time", bill(func(c *schema.RequestInvoice) { c.Expires = -1 }), schema.InvoiceInvalid},
		{"a name that is used", bill(func(c *schema.RequestInvoice) { c.Unique = "suspended" }), schema.UniqueTaken},
		{"of zero", bill(func(c *schema.RequestInvoice) { c.Amount = d("0") }), schema.MoveNotPositive},
		{"finer than people may", bill(func(c *schema.RequestInvoice) { c.Amount = d("1.001") }), schema.MoveTooPrecise},
		{"too small", bill(func(c *schema.RequestInvoice) { c.Amount = d("0.99") }), schema.DepositBelowMin},
		{"all of it for the fee", bill(func(c *schema.RequestInvoice) { c.Amount = d("2") }), schema.DepositBelowMin},
		{"too large", bill(func(c *schema.RequestInvoice) { c.Amount = d("1000.01") }), schema.DepositAboveMax},
		{"no invoice paid", &schema.SettleInvoice{Invoice: 3, Paid: true}, schema.InvoiceUnknown},
		{"a suspended one paid", &schema.SettleInvoice{Invoice: 2, Paid: true}, schema.InvoiceSettled},
		{"a suspended one failed", &schema.SettleInvoice{Invoice: 2}, schema.InvoiceSettled},
		{"an open one credited", &schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit}, schema.DepositDecided},
		{"a suspended one canceled", &schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit}, schema.DepositDecided},
		{"a suspended one for another", &schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit, Account: 102}, schema.DepositOwner},
		{"a suspended one sent back", &schema.RefundDeposit{Account: 101, Deposit: 2, Address: "a"}, schema.NotRefundable},
		{"an open one sent back", &schema.RefundDeposit{Account: 101, Deposit: 1, Address: "a"}, schema.NotRefundable},
		{"another's sent back", &schema.RefundDeposit{Account: 102, Deposit: 2, Address: "a"}, schema.DepositUnknown},
		{"no withdrawal settled", settle(3, "1"), schema.WithdrawalUnknown},
		{"one in review", settle(2, "40"), schema.SettlementInvalid},
		{"less than nothing", settle(1, "-1"), schema.SettlementInvalid},
		{"more than was asked", settle(1, "20.01"), schema.SettlementInvalid},
		{"a part that is not wanted", settle(1, "19.99"), schema.SettlementInvalid},
		{"finer than people may be paid", settle(1, "19.999"), schema.SettlementInvalid},
		{"a BIC of 9", bank("COBADEFF1"), schema.BICInvalid},
		{"a BIC with a space", bank("COBA EFF"), schema.BICInvalid},
		{"a provider of a family", provider(func(c *schema.Chain) { c.Family = schema.EVM }), schema.ChainInvalid},
		{"a provider of a net", provider(func(c *schema.Chain) { c.Net = schema.Mainnet }), schema.ChainInvalid},
		{"a provider with blocks", provider(func(c *schema.Chain) { c.Interval = schema.Second }), schema.ChainInvalid},
		{"a provider that is stuck", provider(func(c *schema.Chain) { c.Stuck = true }), schema.ChainInvalid},
		{"a provider with a number", provider(func(c *schema.Chain) { c.Number = 1 }), schema.ChainInvalid},
		{"a provider with a rate", provider(func(c *schema.Chain) { c.FeeRateMax = 1 }), schema.ChainInvalid},
		{"an address of a provider", &schema.OpenAddress{Account: 101, Chain: 1}, schema.AddressTypeInvalid},
		{"a block of a provider", &schema.ChainBlock{Chain: 1, Height: 1, Hash: schema.Digest{1}}, schema.ChainOwnBlocks},
	}, fiatAccounts()...)

	refuse(t, []refusal{{"by a provider that is paused", bill(func(*schema.RequestInvoice) {}), schema.DepositDisabled}, {"away by it", bank(""), schema.WithdrawDisabled}},
		append(fiatAccounts(), &schema.SetChain{Chain: schema.Chain{Name: "SEPA", Driver: schema.Provider, Paused: true}})...)

	room := ledger.Limit.Sub(d("112"))
	room, _ = room.Round(2, fixed.Down)
	refuse(t, []refusal{{"no room for it", &schema.SettleInvoice{Invoice: 1, Paid: true}, schema.MoveTooLarge}},
		append(fiatAccounts(), &schema.Deposit{Account: 102, Asset: 4, Amount: room})...)
}
