// Package credit lends accounts money of the operator: an operator opens a credit, takes interest for it, and takes it back. What the
// account may be asked for is between the operator and the account; the percents are kept for both to see.
//
// What must hold: an account has at most one credit, and a credit that is repaid is over.
package credit

import (
	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Credits are those that are not repaid.
type Credits struct {
	product.Base
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	wallets  *wallet.Wallets
	out      *schema.Outcome

	active map[schema.AccountID]*schema.Credit // only ever asked
}

// New makes credits of which there are none.
func New(l *ledger.Ledger, listed *listing.Listing, a *accounts.Accounts, w *wallet.Wallets, out *schema.Outcome) *Credits {
	return &Credits{ledger: l, listing: listed, accounts: a, wallets: w, out: out, active: map[schema.AccountID]*schema.Credit{}}
}

// Commands registers what operators do with credits.
func (c *Credits) Commands(h *product.Handlers) {
	product.On(h, c.open)
	product.On(h, c.charge)
	product.On(h, c.repay)
}

func (c *Credits) open(m *schema.OpenCredit) schema.Rejection {
	if r := c.mayOpen(m); r.Refused() {
		return r
	}
	credit := &schema.Credit{
		Account: m.Account, Asset: m.Asset, Amount: m.Amount, Created: c.out.Time,
		Initial: m.Initial, MarginCall: m.MarginCall, Liquidation: m.Liquidation,
	}
	c.active[m.Account] = credit
	house, main := c.cells(credit)
	c.ledger.Move(house, main, m.Amount, ledger.Note{Cause: schema.ByLoan})
	c.wallets.Repay(m.Account, m.Asset)
	c.out.Result.ID = uint64(m.Account)
	c.changed(credit)
	return schema.Rejection{}
}

func (c *Credits) mayOpen(m *schema.OpenCredit) schema.Rejection {
	account, r := c.accounts.Customer(m.Account)
	if r.Refused() {
		return r
	}
	asset := c.listing.Asset(m.Asset)
	switch {
	case !account.CreditLine:
		return schema.Refuse(schema.CreditUnavailable)
	case asset == nil:
		return schema.Refuse(schema.AssetUnknown)
	}
	if r := wallet.CheckAmount(m.Amount, asset.Scale); r.Refused() {
		return r
	}
	switch {
	case !percents(m.Initial, m.MarginCall, m.Liquidation):
		return schema.Refuse(schema.CreditInvalid)
	case c.active[m.Account] != nil:
		return schema.Refuse(schema.CreditActive)
	case !c.lendable(m.Asset, m.Amount):
		return schema.Refuse(schema.MoveTooLarge)
	}
	return schema.Rejection{}
}

// percents reports whether these can be the percents of a credit.
func percents(list ...fixed.Decimal) bool {
	var before fixed.Decimal
	for _, p := range list {
		if p.Sign() <= 0 || p.Less(before) || p.Cmp(fixed.FromInt(100)) > 0 || p.Decimals() > 2 {
			return false
		}
		before = p
	}
	return true
}

// lendable reports whether the exchange can owe so much more. What it lent may have left, and then is not among what the customers own:
// so what it owes is bounded for itself, too.
func (c *Credits) lendable(asset schema.AssetID, amount fixed.Decimal) bool {
	left, fits := c.ledger.Available(c.ledger.Find(schema.House, schema.Main, asset)).SubChecked(amount)
	return fits && !left.Less(ledger.Limit.Neg()) && wallet.Room(c.ledger, asset, amount)
}

func (c *Credits) charge(m *schema.ChargeCredit) schema.Rejection {
	credit, r := c.due(m.Account, m.Amount)
	if r.Refused() {
		return r
	}
	if r := c.wallets.MayLeave(m.Account, credit.Asset, m.Amount); r.Refused() {
		return r
	}
	funding, fits := credit.Funding.AddChecked(m.Amount)
	if !fits {
		return schema.Refuse(schema.MoveTooLarge)
	}
	credit.Funding = funding
	c.pay(credit, m.Amount, schema.ByInterest)
	return schema.Rejection{}
}

func (c *Credits) repay(m *schema.RepayCredit) schema.Rejection {
	credit, r := c.due(m.Account, m.Amount)
	if r.Refused() {
		return r
	}
	if m.Amount.Cmp(credit.Amount) > 0 {
		return schema.Rejection{Reason: schema.CreditLess, Value: credit.Amount}
	}
	if r := c.wallets.MayLeave(m.Account, credit.Asset, m.Amount); r.Refused() {
		return r
	}
	if credit.Amount = credit.Amount.Sub(m.Amount); credit.Amount.IsZero() {
		delete(c.active, m.Account)
	}
	c.pay(credit, m.Amount, schema.ByRepayment)
	return schema.Rejection{}
}

// Holds reports whether an account has a credit.
func (c *Credits) Holds(account schema.AccountID) bool { return c.active[account] != nil }

// due is the credit of an account, of which an operator takes an amount. A blocked account pays too: it is not the account that acts.
func (c *Credits) due(id schema.AccountID, amount fixed.Decimal) (*schema.Credit, schema.Rejection) {
	if c.accounts.Get(id) == nil {
		return nil, schema.Refuse(schema.AccountUnknown)
	}
	credit := c.active[id]
	if credit == nil {
		return nil, schema.Refuse(schema.CreditNone)
	}
	return credit, wallet.CheckAmount(amount, c.listing.Asset(credit.Asset).Scale)
}

// pay takes an amount of a credit from its account.
func (c *Credits) pay(credit *schema.Credit, amount fixed.Decimal, cause schema.Cause) {
	house, main := c.cells(credit)
	c.ledger.Move(main, house, amount, ledger.Note{Cause: cause})
	c.changed(credit)
}

// cells are the balances between which a credit moves.
func (c *Credits) cells(credit *schema.Credit) (house, main ledger.Cell) {
	return c.ledger.Open(schema.House, schema.Main, credit.Asset), c.ledger.Open(credit.Account, schema.Main, credit.Asset)
}

func (c *Credits) changed(credit *schema.Credit) {
	c.out.Events.Add(&schema.CreditChanged{Credit: *credit})
}

// Get is the credit of an account.
func (c *Credits) Get(account schema.AccountID) (schema.Credit, bool) {
	if credit := c.active[account]; credit != nil {
		return *credit, true
	}
	return schema.Credit{}, false
}

// All are the credits, by account.
func (c *Credits) All() []schema.Credit {
	var list []schema.Credit
	for _, account := range c.accounts.All() {
		if credit := c.active[account.ID]; credit != nil {
			list = append(list, *credit)
		}
	}
	return list
}

// mostLTV is the highest that is shown.
var mostLTV = fixed.FromUnits(99999999, 2)

// LTV is what the credit of an account is of all that the account owns in its main and its trade wallet, frozen too, at index prices, in
// percent and rounded up. What has no price counts nothing. It is 0 without a credit, without a price of it, and where nothing is owned.
func (c *Credits) LTV(account schema.AccountID) fixed.Decimal {
	credit := c.active[account]
	if credit == nil {
		return fixed.Zero
	}
	lent, _ := c.wallets.IndexValue(credit.Asset, credit.Amount)
	owned := c.owned(account)
	if owned.IsZero() {
		return fixed.Zero
	}
	ltv, fits := fixed.MulDiv(lent, fixed.FromInt(100), owned, 2, fixed.Up)
	if !fits {
		return mostLTV
	}
	return fixed.MinOf(ltv, mostLTV)
}

// owned is the value of what an account owns, at most the greatest number. Each asset is rounded down as a whole, as what is lent is: an
// account that owns twice what was lent of the same asset is at 50 percent.
func (c *Credits) owned(account schema.AccountID) fixed.Decimal {
	var sum fixed.Decimal
	for _, asset := range c.listing.Assets() {
		var amount fixed.Decimal
		for _, w := range []schema.Wallet{schema.Main, schema.Trade} {
			available, frozen, _ := c.ledger.Balance(c.ledger.Find(account, w, asset.ID))
			amount = amount.Add(available).Add(frozen)
		}
		if amount.IsZero() {
			continue
		}
		value, _ := c.wallets.IndexValue(asset.ID, amount)
		var fits bool
		if sum, fits = sum.AddChecked(value); !fits {
			return fixed.Max
		}
	}
	return sum
}
