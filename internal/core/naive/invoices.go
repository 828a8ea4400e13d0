package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// Bounds of invoices.
const (
	linkMost         = 2000 // bytes
	lifetimeMost     = 24 * 60 * minute
	invoicesOpenMost = 1000 // of an account
)

// invoice is money that a provider collects, with what nobody is shown of it.
type invoice struct {
	schema.Invoice
	forgotten bool
}

// invoice finds one that can be asked for, or nil.
func (s *chains) invoice(id schema.DepositID) *invoice {
	for _, v := range s.invoices {
		if v.ID == id && !v.forgotten {
			return v
		}
	}
	return nil
}

// came reports whether a provider has the money of an invoice.
func (v *invoice) came() bool {
	return v.Status == schema.InvoicePaid || v.Status == schema.InvoiceSuspended
}

// billed records an invoice as it is now, and the deposit that it is.
func (s *chains) billed(v *invoice, status schema.DepositStatus) {
	s.call.record(&schema.InvoiceChanged{Invoice: v.Invoice})
	s.call.record(&schema.ChainDepositChanged{Deposit: schema.ChainDeposit{
		ID: v.ID, Account: v.Account, Chain: v.Chain, Asset: v.Asset, Amount: v.Amount, Fee: v.Fee, Status: status,
		Created: v.Created, Changed: v.Changed, Receipt: v.Unique,
	}})
}

// end gives an invoice another status. Only those that are open or suspended can be asked for.
func (s *chains) end(v *invoice, status schema.InvoiceStatus) {
	v.Status, v.Changed = status, s.call.at
	v.forgotten = status != schema.InvoiceSuspended
}

func (s *chains) requestInvoice(c *schema.RequestInvoice) schema.Result {
	account, r := s.accounts.trader(c.Account)
	switch {
	case refused(r):
		return reject(r)
	case account.Parent != 0:
		return refuse(schema.SubNotPermitted)
	case !account.Invoices && s.asksFor():
		return refuse(schema.NoPermission)
	}
	asset, on := s.listing.asset(c.Asset), s.chain(c.Chain)
	if asset == nil {
		return refuse(schema.AssetUnknown)
	}
	if s.accounts.barsAsset(account, asset) {
		return refuse(schema.AssetNotOffered)
	}
	if on == nil || on.Driver != schema.Provider || s.network(c.Chain, c.Asset) == nil {
		return refuse(schema.InvoiceInvalid)
	}
	network := s.network(c.Chain, c.Asset)
	if !asset.CanDeposit || !network.CanDeposit || on.Paused {
		return refuse(schema.DepositDisabled)
	}
	expires := c.Expires
	if expires == 0 {
		expires = s.call.at + lifetimeMost
	}
	known := slices.ContainsFunc(s.invoices, func(v *invoice) bool { return !v.forgotten && v.Digest == c.Digest })
	used := slices.ContainsFunc(s.invoices, func(v *invoice) bool { return v.Account == c.Account && v.Unique == c.Unique })
	switch {
	case len(c.Unique) < 1, len(c.Unique) > uniqueMost,
		len(c.Success) > linkMost, len(c.Failure) > linkMost, len(c.Return) > linkMost,
		c.Digest == schema.Digest{}, known, expires <= s.call.at, expires > s.call.at+lifetimeMost:
		return refuse(schema.InvoiceInvalid)
	case used:
		return refuse(schema.UniqueTaken)
	}
	amount := of(c.Amount)
	if r := checkMove(amount, asset.Precision); refused(r) {
		return reject(r)
	}
	if r := creditable(asset, network, amount); refused(r) {
		return reject(r)
	}
	if s.openInvoices(c.Account) >= invoicesOpenMost {
		return reject(about(schema.InvoicesTooMany, whole(invoicesOpenMost)))
	}
	fee := depositFee(asset, network, amount)
	s.lastDeposit++
	made := &invoice{Invoice: schema.Invoice{
		ID: s.lastDeposit, Account: c.Account, Chain: c.Chain, Asset: c.Asset, Amount: c.Amount, Fee: fee.decimal(),
		Status: schema.InvoiceOpen, Created: s.call.at, Changed: s.call.at, Expires: expires, Unique: c.Unique, Digest: c.Digest,
		Success: c.Success, Failure: c.Failure, Return: c.Return,
	}}
	s.invoices = append(s.invoices, made)
	s.billed(made, schema.DepositConfirming)
	return schema.Result{ID: uint64(made.ID)}
}

// openInvoices is how many invoices of an account may still be paid.
func (s *chains) openInvoices(a schema.AccountID) (n int) {
	for _, v := range s.invoices {
		if v.Account == a && v.Status == schema.InvoiceOpen {
			n++
		}
	}
	return n
}

func (s *chains) settleInvoice(c *schema.SettleInvoice) schema.Rejection {
	v := s.invoice(c.Invoice)
	switch {
	case v == nil:
		return because(schema.InvoiceUnknown)
	case v.Status != schema.InvoiceOpen:
		return because(schema.InvoiceSettled)
	case !c.Paid:
		s.end(v, schema.InvoiceFailed)
		s.billed(v, schema.DepositCanceled)
		return accepted
	case !s.hasRoom(v.Asset, of(v.Amount)):
		return because(schema.MoveTooLarge)
	}
	network := s.network(v.Chain, v.Asset)
	if !s.listing.asset(v.Asset).CanDeposit || network == nil || !network.CanDeposit {
		v.Fee = num{}.decimal()
		s.ledger.move(in(custody), in(suspense), v.Asset, of(v.Amount), byDeposit)
		s.end(v, schema.InvoiceSuspended)
		s.billed(v, schema.DepositUncredited)
		return accepted
	}
	s.ledger.move(in(custody), in(v.Account), v.Asset, of(v.Amount).minus(of(v.Fee)), byDeposit)
	s.ledger.move(in(custody), in(schema.Fees), v.Asset, of(v.Fee), byDeposit)
	s.paidIn(v)
	return accepted
}

// paidIn ends the way of an invoice whose money the account has.
func (s *chains) paidIn(v *invoice) {
	s.end(v, schema.InvoicePaid)
	s.billed(v, schema.DepositCredited)
	s.ledger.repay(v.Account, v.Asset)
}

// decideInvoice is what an operator decides about money that Suspense has of an invoice: it can only be credited.
func (s *chains) decideInvoice(v *invoice, c *schema.DecideDeposit) schema.Rejection {
	switch {
	case v.Status != schema.InvoiceSuspended, c.Decision != schema.CreditDeposit:
		return because(schema.DepositDecided)
	case c.Account != 0 && c.Account != v.Account:
		return because(schema.DepositOwner)
	}
	s.ledger.move(in(suspense), in(v.Account), v.Asset, of(v.Amount), byDeposit)
	s.paidIn(v)
	return accepted
}

// expire ends invoices that nobody paid in time, the first first, so many in a tick.
func (s *chains) expire() {
	var due []*invoice
	for _, v := range s.invoices {
		if v.Status == schema.InvoiceOpen && v.Expires <= s.call.at {
			due = append(due, v)
		}
	}
	slices.SortFunc(due, func(a, b *invoice) int { return cmp.Or(cmp.Compare(a.Expires, b.Expires), cmp.Compare(a.ID, b.ID)) })
	for _, v := range due[:min(len(due), *s.steps)] {
		s.end(v, schema.InvoiceExpired)
		s.billed(v, schema.DepositCanceled)
	}
}
