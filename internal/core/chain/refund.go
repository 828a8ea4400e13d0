package chain

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// A refund sends a deposit back that was not accepted. It is a withdrawal out of Suspense: nothing is frozen for it in a main wallet, no
// bound of what an account may withdraw is asked, and it is not among those that are open for the account. Suspense keeps the deposit
// until the refund is final.
//
// A deposit whose receipt was lost before, at the cost of the exchange, is not sent back: it was paid once.
//
// What must hold: a deposit has at most one refund that is not canceled. While its refund is not sent, the deposit is in a block, unless
// the refund was bound to a payout once and that was given up.

// refund lets an account have a canceled deposit sent back, less what sending costs.
func (c *Chains) refund(m *schema.RefundDeposit) schema.Rejection {
	account, r := c.accounts.Customer(m.Account)
	if r.Refused() {
		return r
	}
	if c.accounts.Confirms(account) { // a refund would leave without the master
		return schema.Refuse(schema.SubNotPermitted)
	}
	if v := c.invoices.get(m.Deposit); v != nil && v.Account == m.Account {
		return schema.Refuse(schema.NotRefundable)
	}
	place, known := c.places[m.Deposit]
	if !known || c.deposits.At(place).Account != m.Account {
		return schema.Refuse(schema.DepositUnknown)
	}
	d := c.deposits.At(place)
	ch := c.find(d.Chain)
	n := c.network(ch, d.Asset)
	switch {
	case d.Status != schema.DepositCanceled || !d.posted || d.Height == 0 || d.refund != 0 || !d.carried.IsZero() || n == nil:
		return schema.Refuse(schema.NotRefundable)
	case !validTarget(m.Address, m.Memo) || m.Index != 0:
		return schema.Refuse(schema.WithdrawAddressInvalid)
	}
	fee, fits := sendingFee(d.Amount, c.listing.Asset(d.Asset), n)
	if !fits || fee.Cmp(d.Amount) >= 0 {
		return schema.Refuse(schema.NotRefundable)
	}
	c.lastWithdrawal++
	d.refund = c.lastWithdrawal
	at, w := c.withdrawals.Take()
	*w = withdrawal{Withdrawal: schema.Withdrawal{
		ID: d.refund, Account: d.Account, Chain: d.Chain, Asset: d.Asset, Amount: d.Amount.Sub(fee), Fee: fee, Status: schema.WithdrawalQueued,
		Created: c.out.Time, Changed: c.out.Time, Address: m.Address, Memo: m.Memo, Refund: d.ID, Deposited: d.Created,
	}}
	c.byNumber[w.ID] = at
	c.withdrawals.Push(&ch.lane(w.Asset).queued, at)
	c.out.Events.Add(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
	result := w.Withdrawal
	c.out.Result.Withdrawal = &result
	c.schedule(ch)
	return schema.Rejection{}
}

// recallRefund cancels the refund of a deposit that is in no block any more, unless it is sent.
func (c *Chains) recallRefund(d *deposit) {
	if place, known := c.byNumber[d.refund]; known && c.withdrawals.At(place).Status <= schema.WithdrawalQueued {
		c.cancel(place)
	}
}

// returned gives the money of a refund back that is not sent, to its deposit. If that was lost meanwhile the exchange paid for it, and gets
// it back; what a later deposit of the same receipt paid already is the account's.
func (c *Chains) returned(d *deposit) {
	d.refund = 0
	if d.posted {
		return
	}
	to := c.ledger.Open(schema.House, schema.Main, d.Asset)
	if d.carried.Less(d.Amount) {
		to = c.ledger.Open(d.Account, schema.Main, d.Asset)
	} else {
		d.carried = d.carried.Sub(d.Amount)
	}
	c.move(c.ledger.Find(schema.Suspense, schema.Main, d.Asset), to, d.Amount, byReversal)
}

// validRefund reports whether a refund can be, of the deposit that it names.
func (c *Chains) validRefund(w *withdrawal) bool {
	place, known := c.places[w.Refund]
	if !known || w.To != 0 || !w.counted.IsZero() {
		return false
	}
	d := c.deposits.At(place)
	return d.refund == w.ID && d.Account == w.Account && d.Chain == w.Chain && d.Asset == w.Asset && d.Amount == w.gross() && d.Created == w.Deposited &&
		(d.Height != 0 || w.Status > schema.WithdrawalQueued || c.find(d.Chain).real())
}

// suspended is what Suspense has of a deposit: all of it until its refund is final, whatever became of the deposit since; without one,
// while it is posted and nobody's.
func (c *Chains) suspended(d *deposit) fixed.Decimal {
	waits := d.posted && d.Status != schema.DepositHeld && d.Status != schema.DepositCredited
	if d.refund != 0 {
		place, known := c.byNumber[d.refund]
		waits = known && !c.withdrawals.At(place).over()
	}
	if !waits {
		return fixed.Zero
	}
	return d.Amount
}
