package chain

import (
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

var (
	byDeposit  = ledger.Note{Cause: schema.ByDeposit}
	byReversal = ledger.Note{Cause: schema.ByReversal}
)

// hold credits a deposit that may be traded and not leave yet. One that is deep enough for more is left to settle, and so is one that
// would exceed what may be held of an account, or of which it must be said who sent it.
func (c *Chains) hold(ch *chain, d *deposit) {
	if d.Status != schema.DepositConfirming || d.returning {
		return
	}
	fee, credited := c.terms(ch, d)
	if !credited {
		c.become(d, schema.DepositUncredited)
		return
	}
	if c.traced(d) {
		return
	}
	net := d.Amount.Sub(fee)
	n := c.network(ch, d.Asset)
	if ch.depth(d.Height) >= uint64(n.Confirmations) {
		return
	}
	if cap := n.HeldCap; !cap.IsZero() {
		if sum, fits := c.held[purse{d.Account, ch.ID, d.Asset}].AddChecked(net); !fits || sum.Cmp(cap) > 0 {
			return
		}
	}
	main := c.post(ch, d, fee, fixed.Zero)
	c.ledger.Hold(main, net, byDeposit)
	c.count(d, net)
	c.become(d, schema.DepositHeld)
}

// settle does what full depth means for a deposit: it is the account's, or it is in Suspense.
func (c *Chains) settle(ch *chain, l *lane, d *deposit) {
	fee, credited := c.terms(ch, d)
	switch d.Status {
	case schema.DepositConfirming:
		if !credited {
			c.suspend(l, d)
			c.become(d, schema.DepositUncredited)
			c.earned(d)
			return
		}
		if c.traced(d) {
			c.suspend(l, d)
			c.become(d, schema.DepositTravel)
			return
		}
		net := d.Amount.Sub(fee)
		c.post(ch, d, fee, d.repay(net))
	case schema.DepositHeld:
		net := d.Amount.Sub(d.Fee)
		c.ledger.Hold(c.ledger.Find(d.Account, schema.Main, d.Asset), net.Neg(), byDeposit)
		c.count(d, net.Neg())
	case schema.DepositUncredited, schema.DepositFrozen, schema.DepositCanceled:
		c.suspend(l, d)
		c.earned(d)
		return
	default:
		return
	}
	c.become(d, schema.DepositCredited)
	d.carried = fixed.Zero
	c.wallets.Repay(d.Account, d.Asset)
}

// repay is what the exchange gets, for what it carries of an earlier loss of the same receipt, of an amount that a deposit credits. Where
// that is all of it, carried stays until the deposit has become credited: the account gets nothing that it did not have.
func (d *deposit) repay(amount fixed.Decimal) fixed.Decimal {
	back := fixed.MinOf(amount, d.carried)
	if back.Less(amount) {
		d.carried = fixed.Zero
	}
	return back
}

// terms are what a deposit costs, and whether it is credited by itself.
func (c *Chains) terms(ch *chain, d *deposit) (fee fixed.Decimal, credited bool) {
	asset, n := c.listing.Asset(d.Asset), c.network(ch, d.Asset)
	switch {
	case d.Account == 0 || !asset.CanDeposit || n == nil || !n.CanDeposit:
		return fixed.Zero, false
	case outside(d.Amount, asset.MinDeposit, asset.MaxDeposit) || outside(d.Amount, n.MinDeposit, n.MaxDeposit):
		return fixed.Zero, false
	}
	fee, fits := feeOf(d.Amount, asset, depositFee(n))
	return fee, fits && fee.Cmp(d.Amount) < 0 && c.room(d.Asset, d.Amount)
}

// creditable is what a deposit of an amount by a network costs, or why it would not be credited.
func creditable(asset *schema.Asset, n *schema.Network, amount fixed.Decimal) (fee fixed.Decimal, r schema.Rejection) {
	switch least, most := asset.DepositBounds(n); {
	case amount.Less(least):
		return fixed.Zero, schema.Rejection{Reason: schema.DepositBelowMin, Value: least}
	case !most.IsZero() && amount.Cmp(most) > 0:
		return fixed.Zero, schema.Rejection{Reason: schema.DepositAboveMax, Value: most}
	}
	fee, fits := feeOf(amount, asset, depositFee(n))
	if !fits || fee.Cmp(amount) >= 0 {
		return fixed.Zero, schema.Rejection{Reason: schema.DepositBelowMin, Value: fee}
	}
	return fee, schema.Rejection{}
}

// outside reports whether an amount is beyond bounds, where an upper one of zero does not bind.
func outside(amount, least, most fixed.Decimal) bool {
	return amount.Cmp(least) < 0 || !most.IsZero() && amount.Cmp(most) > 0
}

// charge is what moving money costs: a fixed part, and a percentage between bounds, of which the upper one does not bind if it is zero.
type charge struct{ fixed, percent, least, most fixed.Decimal }

func depositFee(n *schema.Network) charge {
	return charge{n.DepositFixed, n.DepositPercent, n.DepositMinFee, n.DepositMaxFee}
}

func withdrawalFee(n *schema.Network) charge {
	return charge{n.WithdrawFixed, n.WithdrawPercent, n.WithdrawMinFee, n.WithdrawMaxFee}
}

// feeOf is what an amount costs, rounded in favour of the customer.
func feeOf(amount fixed.Decimal, asset *schema.Asset, c charge) (fee fixed.Decimal, fits bool) {
	ratio, _ := fixed.Mul(c.percent, fixed.FromUnits(1, 2), fixed.Places, fixed.Down)
	part, fits := fixed.Mul(amount, ratio, int(asset.Scale), fixed.Down)
	if !fits {
		return fixed.Zero, false
	}
	part = fixed.MaxOf(part, c.least)
	if !c.most.IsZero() {
		part = fixed.MinOf(part, c.most)
	}
	return part.AddChecked(c.fixed)
}

// sendingFee is what it costs to send an amount by a network, which on a chain of others is no finer than the chain.
func sendingFee(amount fixed.Decimal, asset *schema.Asset, n *schema.Network) (fee fixed.Decimal, fits bool) {
	fee, fits = feeOf(amount, asset, withdrawalFee(n))
	if fits && n.Decimals != 0 {
		fee, _ = fee.Round(int(min(asset.Scale, n.Decimals)), fixed.Down)
	}
	return fee, fits
}

// post books a deposit for its account. What the exchange carries of an earlier one with the same receipt is paid first.
func (c *Chains) post(ch *chain, d *deposit, fee, carried fixed.Decimal) (main ledger.Cell) {
	custody := c.ledger.Open(schema.Custody, schema.Main, d.Asset)
	main = c.ledger.Open(d.Account, schema.Main, d.Asset)
	c.move(custody, c.ledger.Open(schema.House, schema.Main, d.Asset), carried, byDeposit)
	c.move(custody, main, d.Amount.Sub(fee).Sub(carried), byDeposit)
	c.move(custody, c.ledger.Open(schema.Fees, schema.Main, d.Asset), fee, byDeposit)
	l := ch.lane(d.Asset)
	l.booked = l.booked.Add(d.Amount)
	d.Fee, d.posted = fee, true
	return main
}

// suspend books a deposit that belongs to nobody yet.
func (c *Chains) suspend(l *lane, d *deposit) {
	if d.posted || !c.room(d.Asset, d.Amount) {
		return
	}
	c.move(c.ledger.Open(schema.Custody, schema.Main, d.Asset), c.ledger.Open(schema.Suspense, schema.Main, d.Asset), d.Amount, byDeposit)
	l.booked = l.booked.Add(d.Amount)
	d.posted = true
}

// earned credits what blocks of the mining pool brought to the account that miners are paid from, once it is booked.
func (c *Chains) earned(d *deposit) {
	if d.own == schema.PoolOwn && d.posted && d.Status == schema.DepositUncredited {
		c.give(d, schema.Pool)
	}
}

// give credits a deposit that lies in Suspense, one of nobody's to an account. What the exchange carries of an earlier loss of the same receipt
// is paid first, as without a decision.
func (c *Chains) give(d *deposit, account schema.AccountID) {
	if d.Account == 0 {
		d.Account = account
		c.kept[d.Account]++
	}
	suspense, back := c.ledger.Find(schema.Suspense, schema.Main, d.Asset), d.repay(d.Amount)
	c.move(suspense, c.ledger.Open(schema.House, schema.Main, d.Asset), back, byDeposit)
	c.move(suspense, c.ledger.Open(d.Account, schema.Main, d.Asset), d.Amount.Sub(back), byDeposit)
	c.become(d, schema.DepositCredited)
	d.carried = fixed.Zero
	c.wallets.Repay(d.Account, d.Asset)
}

// lose takes back an unseated deposit. What is held and was spent is owed: the exchange pays it at once, and the account pays the
// exchange. What was credited for good, or sent back, is the exchange's loss; Suspense keeps what a refund still needs.
func (c *Chains) lose(ch *chain, place uint32) {
	d, l := c.deposits.At(place), ch.lane(c.deposits.At(place).Asset)
	c.deposits.Pull(place)
	c.deposits.Push(&l.kept, place)
	custody := c.ledger.Find(schema.Custody, schema.Main, d.Asset)
	if d.posted {
		l.booked = l.booked.Sub(d.Amount)
		d.posted = false
		switch {
		case d.Status == schema.DepositHeld || d.Status == schema.DepositCredited:
			c.takeBack(d, custody)
		case d.refund != 0:
			d.carried = d.carried.Add(d.Amount)
			c.move(c.ledger.Open(schema.House, schema.Main, d.Asset), custody, d.Amount, byReversal)
		default:
			c.move(c.ledger.Find(schema.Suspense, schema.Main, d.Asset), custody, d.Amount, byReversal)
		}
	}
	if d.Status == schema.DepositCredited {
		d.Reversed, d.Changed = true, c.out.Time
		c.changed(d)
		return
	}
	c.become(d, schema.DepositLost)
}

// takeBack gives what was credited by a deposit back to Custody.
func (c *Chains) takeBack(d *deposit, custody ledger.Cell) {
	house := c.ledger.Open(schema.House, schema.Main, d.Asset)
	rest := d.Amount.Sub(d.Fee)
	c.move(c.ledger.Open(schema.Fees, schema.Main, d.Asset), custody, d.Fee, byReversal)
	if d.Status == schema.DepositCredited {
		d.carried = rest
		c.move(house, custody, rest, byReversal)
		return
	}
	main := c.ledger.Find(d.Account, schema.Main, d.Asset)
	c.ledger.Hold(main, rest.Neg(), byDeposit)
	c.count(d, rest.Neg())
	for _, from := range []ledger.Cell{main, c.ledger.Find(d.Account, schema.Trade, d.Asset)} {
		part := fixed.MinOf(rest, c.ledger.Available(from))
		c.move(from, custody, part, byReversal)
		rest = rest.Sub(part)
	}
	rest = c.stop(d, main, custody, rest)
	if rest.IsZero() {
		return
	}
	c.move(house, custody, rest, byReversal)
	c.move(c.ledger.Open(schema.House, schema.Owed, d.Asset), c.ledger.Open(d.Account, schema.Owed, d.Asset), rest, byReversal)
	c.claim(d.Account, d.Asset)
}

// move moves money, if it is any.
func (c *Chains) move(from, to ledger.Cell, amount fixed.Decimal, note ledger.Note) {
	if !amount.IsZero() {
		c.ledger.Move(from, to, amount, note)
	}
}

// count keeps what is held of an account.
func (c *Chains) count(d *deposit, net fixed.Decimal) {
	for _, p := range d.purses() {
		if sum := c.held[p].Add(net); sum.IsZero() {
			delete(c.held, p)
		} else {
			c.held[p] = sum
		}
	}
}

// become changes the status of a deposit. What was said about its sender is needed no more. What the exchange carries is not announced:
// the account has the money, or sent it back, whatever becomes of the receipt.
func (c *Chains) become(d *deposit, status schema.DepositStatus) {
	was := d.Status
	d.Status, d.Changed, d.travel = status, c.out.Time, nil
	c.changed(d)
	if d.carried.IsZero() {
		c.Deposited(&d.ChainDeposit, was)
	}
}

// decide does what an operator decided about a deposit.
func (c *Chains) decide(m *schema.DecideDeposit) schema.Rejection {
	if r := c.CheckDecision(m); r.Refused() {
		return r
	}
	if v := c.invoices.get(m.Deposit); v != nil {
		c.creditInvoice(v)
		return schema.Rejection{}
	}
	place := c.places[m.Deposit]
	d := c.deposits.At(place)
	switch m.Decision {
	case schema.CancelDeposit:
		c.become(d, schema.DepositCanceled)
	case schema.FreezeDeposit:
		c.become(d, schema.DepositFrozen)
	default:
		c.give(d, m.Account)
		c.forget(c.find(d.Chain), place)
	}
	return schema.Rejection{}
}

// CheckDecision is why it cannot be decided so about a deposit.
func (c *Chains) CheckDecision(m *schema.DecideDeposit) schema.Rejection {
	if v := c.invoices.get(m.Deposit); v != nil {
		return v.mayCredit(m)
	}
	place, known := c.places[m.Deposit]
	if !known {
		return schema.Refuse(schema.DepositUnknown)
	}
	return c.mayDecide(c.deposits.At(place), m)
}

func (c *Chains) mayDecide(d *deposit, m *schema.DecideDeposit) schema.Rejection {
	open := d.Height != 0 && (d.Status == schema.DepositUncredited || d.Status == schema.DepositTravel || d.Status == schema.DepositReview ||
		d.Status == schema.DepositFrozen && m.Decision != schema.FreezeDeposit ||
		d.Status == schema.DepositConfirming && m.Decision != schema.CreditDeposit)
	mine := m.Account == 0 || m.Account == d.Account
	if d.Account == 0 {
		switch m.Decision {
		case schema.CreditDeposit:
			mine = m.Account != 0
		case schema.CancelDeposit:
			mine = false
		}
	}
	switch {
	case !schema.Valid(m.Decision) || !open:
		return schema.Refuse(schema.DepositDecided)
	case !mine:
		return schema.Refuse(schema.DepositOwner)
	case m.Decision != schema.CreditDeposit:
		return schema.Rejection{}
	case d.Account == 0 && c.accounts.Living(m.Account) == nil:
		return schema.Refuse(schema.AccountUnknown)
	case !d.posted:
		return schema.Refuse(schema.DepositShallow)
	}
	return schema.Rejection{}
}
