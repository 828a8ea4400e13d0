package chain

import (
	"slices"

	"bourse/internal/core/ledger"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// claim is an account that owes an asset, which may be in its open orders.
type claim struct {
	account schema.AccountID
	asset   schema.AssetID
	since   schema.Time
}

func (m *claim) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.account)
	wire.Uint(c, 2, "asset", &m.asset)
	wire.Int(c, 3, "since", &m.since)
}

// claim looks for what an account owes in its orders, from the next tick on.
func (c *Chains) claim(account schema.AccountID, asset schema.AssetID) {
	if !slices.ContainsFunc(c.claims, func(q claim) bool { return q.account == account && q.asset == asset }) {
		c.claims = append(c.claims, claim{account, asset, c.out.Time})
	}
}

// collect cancels orders of the account that has owed for longest, the newest first and some at a tick, and takes what becomes
// available. What an order gives back is taken in the same command: it cannot go into a new order.
func (c *Chains) collect() {
	if len(c.claims) == 0 {
		return
	}
	q := c.claims[0]
	owed := c.ledger.Available(c.ledger.Find(q.account, schema.Owed, q.asset))
	more := false
	if !owed.IsZero() {
		more = c.Orders(q.account, q.asset, mostOrders) == mostOrders
		trade := c.ledger.Find(q.account, schema.Trade, q.asset)
		part := fixed.MinOf(owed, c.ledger.Available(trade))
		c.wallets.PayOwed(q.account, q.asset, trade, part)
		more = more && part.Less(owed)
	}
	if !more {
		c.claims = slices.Delete(c.claims, 0, 1)
	}
}

// forgive writes off what an account owes.
func (c *Chains) forgive(m *schema.ForgiveOwed) schema.Rejection {
	if r := c.CheckForgiven(m); r.Refused() {
		return r
	}
	account := c.ledger.Find(m.Account, schema.Owed, m.Asset)
	c.ledger.Move(account, c.ledger.Find(schema.House, schema.Owed, m.Asset), m.Amount, ledger.Note{Cause: schema.ByReversal})
	return schema.Rejection{}
}

// CheckForgiven is why what an account owes cannot be written off.
func (c *Chains) CheckForgiven(m *schema.ForgiveOwed) schema.Rejection {
	asset := c.listing.Asset(m.Asset)
	switch {
	case c.accounts.Get(m.Account) == nil:
		return schema.Refuse(schema.AccountUnknown)
	case asset == nil:
		return schema.Refuse(schema.AssetUnknown)
	}
	if r := wallet.CheckAmount(m.Amount, asset.Scale); r.Refused() {
		return r
	}
	if owed := c.ledger.Available(c.ledger.Find(m.Account, schema.Owed, m.Asset)); m.Amount.Cmp(owed) > 0 {
		return schema.Rejection{Reason: schema.OwedLess, Value: owed}
	}
	return schema.Rejection{}
}
