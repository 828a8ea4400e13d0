// Package faucet gives the traders of a sandbox play money: of every asset that has a faucet an account
// may take so much a day. It is paid to an address of the account on a sandbox, and the rest is what
// becomes of every deposit. Older versions gave it from the world outside into the trade wallet.
//
// What must hold: nobody takes more of an asset on one day than the limit that held when it was taken.
package faucet

import (
	"bourse/internal/core/accounts"
	"bourse/internal/core/chain"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Faucets are the limits and what was taken.
type Faucets struct {
	product.Base
	Ledger   *ledger.Ledger
	Listing  *listing.Listing
	Accounts *accounts.Accounts
	Chains   *chain.Chains
	Out      *schema.Outcome

	limits []schema.SetFaucet // in the order in which they were first set
	taken  []record           // in the order in which accounts first took of an asset
	places map[place]int      // in taken; only ever asked
}

type place struct {
	account schema.AccountID
	asset   schema.AssetID
}

// record is what an account took of an asset on the last day on which it took any.
type record struct {
	account schema.AccountID
	asset   schema.AssetID
	day     schema.Time // its number since 1970
	amount  fixed.Decimal
}

func (r *record) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &r.account)
	wire.Uint(c, 2, "asset", &r.asset)
	wire.Int(c, 3, "day", &r.day)
	c.Decimal(4, "amount", &r.amount)
}

// Commands registers what can be done with faucets.
func (f *Faucets) Commands(h *product.Handlers) {
	product.On(h, f.set)
	product.On(h, f.take)
	product.On(h, f.pay)
}

func (f *Faucets) set(c *schema.SetFaucet) schema.Rejection {
	asset := f.Listing.Asset(c.Asset)
	switch {
	case asset == nil:
		return schema.Refuse(schema.AssetUnknown)
	case !amountOf(asset, c.Limit):
		return schema.Refuse(schema.FaucetLimitInvalid)
	}
	if limit := f.limit(c.Asset); limit != nil {
		limit.Limit = c.Limit
	} else {
		f.limits = append(f.limits, *c)
	}
	f.Out.Events.Add(&schema.FaucetChanged{Faucet: *c})
	return schema.Rejection{}
}

// amountOf reports whether there can be so much of an asset.
func amountOf(a *schema.Asset, amount fixed.Decimal) bool {
	return amount.Sign() >= 0 && amount.Decimals() <= int(a.Scale)
}

// Limit is how much of an asset an account may take on one day.
func (f *Faucets) Limit(id schema.AssetID) fixed.Decimal {
	if limit := f.limit(id); limit != nil {
		return limit.Limit
	}
	return fixed.Zero
}

// limit of an asset, nil if none was ever set. There are as many as listed assets at most.
func (f *Faucets) limit(id schema.AssetID) *schema.SetFaucet {
	for i := range f.limits {
		if f.limits[i].Asset == id {
			return &f.limits[i]
		}
	}
	return nil
}

func (f *Faucets) take(c *schema.TakeFaucet) schema.Rejection {
	if r := f.offered(c); r.Refused() {
		return r
	}
	left, r := f.remainder(c)
	if r.Refused() {
		return r
	}
	if _, r := wallet.Bring(f.Ledger, c.Account, schema.Trade, c.Asset, c.Amount, ledger.Note{Cause: schema.ByFaucet}); r.Refused() {
		return r
	}
	f.count(c, left)
	return schema.Rejection{}
}

func (f *Faucets) pay(c *schema.PayFaucet) schema.Rejection {
	taken := c.Taken()
	if r := f.offered(&taken); r.Refused() {
		return r
	}
	if !f.Chains.Gives(c.Payment.Chain, f.Listing.Asset(taken.Asset)) {
		return schema.Refuse(schema.FaucetUnavailable)
	}
	left, r := f.remainder(&taken)
	if r.Refused() {
		return r
	}
	if r := f.Chains.Give(c.Account, &c.Payment); r.Refused() {
		return r
	}
	f.count(&taken, left)
	return schema.Rejection{}
}

// offered checks that an account may act and that the asset has a faucet.
func (f *Faucets) offered(c *schema.TakeFaucet) schema.Rejection {
	if _, r := f.Accounts.Customer(c.Account); r.Refused() {
		return r
	}
	if f.Limit(c.Asset).IsZero() {
		return schema.Refuse(schema.FaucetUnavailable)
	}
	return schema.Rejection{}
}

// remainder is what may still be taken that day when an amount was, or why it may not be.
func (f *Faucets) remainder(c *schema.TakeFaucet) (fixed.Decimal, schema.Rejection) {
	if r := wallet.CheckAmount(c.Amount, f.Listing.Asset(c.Asset).Precision); r.Refused() {
		return fixed.Zero, r
	}
	limit := f.Limit(c.Asset)
	left := limit.Sub(fixed.MinOf(f.takenToday(c.Account, c.Asset), limit))
	if c.Amount.Cmp(left) > 0 {
		return fixed.Zero, schema.Rejection{Reason: schema.FaucetSpent, Value: left}
	}
	return left.Sub(c.Amount), schema.Rejection{}
}

func (f *Faucets) today() schema.Time { return f.Out.Time / (24 * 3600 * schema.Second) }

// takenToday is what an account took of an asset on the day of the command.
func (f *Faucets) takenToday(account schema.AccountID, asset schema.AssetID) fixed.Decimal {
	if i, known := f.places[place{account, asset}]; known && f.taken[i].day == f.today() {
		return f.taken[i].amount
	}
	return fixed.Zero
}

// count keeps what was taken, and says so.
func (f *Faucets) count(c *schema.TakeFaucet, left fixed.Decimal) {
	f.Out.Result.Left = left
	f.Out.Events.Add(&schema.FaucetTaken{Taken: *c, Left: left})
	sum := f.takenToday(c.Account, c.Asset).Add(c.Amount) // at most a limit
	at := place{c.Account, c.Asset}
	if i, known := f.places[at]; known {
		f.taken[i].day, f.taken[i].amount = f.today(), sum
		return
	}
	f.add(record{c.Account, c.Asset, f.today(), sum})
}

func (f *Faucets) add(r record) {
	if f.places == nil {
		f.places = map[place]int{}
	}
	f.places[place{r.account, r.asset}] = len(f.taken)
	f.taken = append(f.taken, r)
}
