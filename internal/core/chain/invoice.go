package chain

import (
	"errors"
	"fmt"
	"iter"

	"bourse/internal/core/ledger"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/core/tree"
	"bourse/internal/core/unique"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// mostInvoices of an account can be open at the same time.
const mostInvoices = 1000

// An invoice is money that a provider was asked to collect from a customer. To all others it is a deposit, whose number it has. It moves
// no money until the provider says that it was paid.
//
// What must hold: open invoices are in the order of their ends; those that are paid and could not be credited are in Suspense; all others
// are forgotten. Names of invoices are never forgotten.
type invoice struct {
	schema.Invoice
	slab.Links
}

// invoices are those that are open or suspended.
type invoices struct {
	shelf    slab.Shelf[invoice, *invoice]
	order    slab.List                   // by id
	byID     map[schema.DepositID]uint32 // only ever asked
	byDigest map[schema.Digest]uint32    // only ever asked
	open     map[schema.AccountID]int    // how many of an account; only ever asked
	nodes    tree.Store[due]
	due      tree.Tree[due] // the open ones
	names    unique.Names
}

// due is when an open invoice ends. The first to end is the greatest: it is in front of the tree.
type due struct {
	at schema.Time
	id schema.DepositID
}

func (d due) Less(other due) bool { return d.at > other.at || d.at == other.at && d.id > other.id }

func newInvoices() invoices {
	return invoices{byID: map[schema.DepositID]uint32{}, byDigest: map[schema.Digest]uint32{}, open: map[schema.AccountID]int{}}
}

// get is an invoice that is kept, or nil.
func (v *invoices) get(id schema.DepositID) *invoice {
	if place := v.byID[id]; place != 0 {
		return v.shelf.At(place)
	}
	return nil
}

// add keeps an invoice.
func (v *invoices) add(m *schema.Invoice) *invoice {
	place, at := v.shelf.Take()
	at.Invoice = *m
	v.shelf.Push(&v.order, place)
	v.byID[m.ID], v.byDigest[m.Digest] = place, place
	if m.Status == schema.InvoiceOpen {
		v.open[m.Account]++
		v.due.Put(&v.nodes, due{m.Expires, m.ID}, place)
	}
	return at
}

// end lets an open invoice be open no more.
func (v *invoices) end(m *invoice) {
	v.due.Remove(&v.nodes, due{m.Expires, m.ID})
	if v.open[m.Account]--; v.open[m.Account] == 0 {
		delete(v.open, m.Account)
	}
}

// forget forgets an invoice that is not open.
func (v *invoices) forget(m *invoice) {
	place := v.byID[m.ID]
	delete(v.byID, m.ID)
	delete(v.byDigest, m.Digest)
	v.shelf.Pull(place)
	v.shelf.Give(place)
}

// all are the invoices and their places, by id.
func (v *invoices) all() iter.Seq2[uint32, *invoice] {
	return func(yield func(uint32, *invoice) bool) {
		for place := v.order.First; place != 0; {
			m := v.shelf.At(place)
			if !yield(place, m) {
				return
			}
			place = m.After
		}
	}
}

// requestInvoice lets an account have money collected by a provider.
func (c *Chains) requestInvoice(m *schema.RequestInvoice) schema.Rejection {
	fee, r := c.mayInvoice(m)
	if r.Refused() {
		return r
	}
	c.invoices.names.Add(m.Account, m.Unique)
	c.last++
	expires := m.Expires
	if expires == 0 {
		expires = c.out.Time + schema.MaxLifetime
	}
	made := c.invoices.add(&schema.Invoice{
		ID: c.last, Account: m.Account, Chain: m.Chain, Asset: m.Asset, Amount: m.Amount, Fee: fee, Status: schema.InvoiceOpen,
		Created: c.out.Time, Changed: c.out.Time, Expires: expires, Unique: m.Unique, Digest: m.Digest, Success: m.Success, Failure: m.Failure, Return: m.Return,
	})
	c.invoiced(made, schema.DepositConfirming)
	c.out.Result.ID = uint64(made.ID)
	return schema.Rejection{}
}

// mayInvoice checks a request for an invoice, and returns what it costs.
func (c *Chains) mayInvoice(m *schema.RequestInvoice) (fee fixed.Decimal, r schema.Rejection) {
	account, r := c.accounts.Customer(m.Account)
	if r.Refused() {
		return fixed.Zero, r
	}
	if account.IsSub() {
		return fixed.Zero, schema.Refuse(schema.SubNotPermitted)
	}
	if r := c.accounts.CallerNeeds(account.Invoices); r.Refused() {
		return fixed.Zero, r
	}
	asset, ch := c.listing.Asset(m.Asset), c.find(m.Chain)
	if asset == nil {
		return fixed.Zero, schema.Refuse(schema.AssetUnknown)
	}
	if !c.accounts.Offers(asset, account) {
		return fixed.Zero, schema.Refuse(schema.AssetNotOffered)
	}
	if ch == nil || ch.Driver != schema.Provider || asset.NetworkOn(m.Chain) == nil {
		return fixed.Zero, schema.Refuse(schema.InvoiceInvalid)
	}
	n := asset.NetworkOn(m.Chain)
	switch {
	case !asset.CanDeposit || !n.CanDeposit || ch.Paused:
		return fixed.Zero, schema.Refuse(schema.DepositDisabled)
	case !validInvoice(m.Unique, m.Digest, m.Success, m.Failure, m.Return) || c.invoices.byDigest[m.Digest] != 0:
		return fixed.Zero, schema.Refuse(schema.InvoiceInvalid)
	case m.Expires != 0 && (m.Expires <= c.out.Time || m.Expires > c.out.Time+schema.MaxLifetime):
		return fixed.Zero, schema.Refuse(schema.InvoiceInvalid)
	case c.invoices.names.Has(m.Account, m.Unique):
		return fixed.Zero, schema.Refuse(schema.UniqueTaken)
	}
	if r := wallet.CheckAmount(m.Amount, asset.Precision); r.Refused() {
		return fixed.Zero, r
	}
	if fee, r = creditable(asset, n, m.Amount); r.Refused() {
		return fixed.Zero, r
	}
	if c.invoices.open[m.Account] >= mostInvoices {
		return fixed.Zero, schema.Rejection{Reason: schema.InvoicesTooMany, Value: fixed.FromInt(mostInvoices)}
	}
	return fee, schema.Rejection{}
}

// validInvoice reports whether this can be kept of an invoice.
func validInvoice(unique string, digest schema.Digest, links ...string) bool {
	for _, link := range links {
		if len(link) > schema.MaxLink {
			return false
		}
	}
	return unique != "" && len(unique) <= schema.MaxUniqueID && !digest.IsZero()
}

// settleInvoice does what a provider says of an invoice. Money that cannot be credited waits in Suspense, free of charge.
func (c *Chains) settleInvoice(m *schema.SettleInvoice) schema.Rejection {
	v := c.invoices.get(m.Invoice)
	switch {
	case v == nil:
		return schema.Refuse(schema.InvoiceUnknown)
	case v.Status != schema.InvoiceOpen:
		return schema.Refuse(schema.InvoiceSettled)
	case !m.Paid:
		c.conclude(v, schema.InvoiceFailed, schema.DepositCanceled)
		return schema.Rejection{}
	}
	ch, asset := c.find(v.Chain), c.listing.Asset(v.Asset)
	coins, fits := ch.coins(v.Asset).AddChecked(v.Amount)
	if !fits || coins.Cmp(ledger.Limit) > 0 || !c.room(v.Asset, v.Amount) {
		return schema.Refuse(schema.MoveTooLarge)
	}
	l, n := ch.lane(v.Asset), c.network(ch, v.Asset)
	l.coins, l.booked = coins, l.booked.Add(v.Amount)
	custody := c.ledger.Open(schema.Custody, schema.Main, v.Asset)
	if !asset.CanDeposit || n == nil || !n.CanDeposit {
		c.move(custody, c.ledger.Open(schema.Suspense, schema.Main, v.Asset), v.Amount, byDeposit)
		c.invoices.end(v)
		v.Fee, v.Status, v.Changed = fixed.Zero, schema.InvoiceSuspended, c.out.Time
		c.invoiced(v, schema.DepositUncredited)
		return schema.Rejection{}
	}
	c.move(custody, c.ledger.Open(v.Account, schema.Main, v.Asset), v.Amount.Sub(v.Fee), byDeposit)
	c.move(custody, c.ledger.Open(schema.Fees, schema.Main, v.Asset), v.Fee, byDeposit)
	account, of := v.Account, v.Asset
	c.conclude(v, schema.InvoicePaid, schema.DepositCredited)
	c.wallets.Repay(account, of)
	return schema.Rejection{}
}

// conclude ends an open invoice, and forgets it.
func (c *Chains) conclude(v *invoice, status schema.InvoiceStatus, as schema.DepositStatus) {
	c.invoices.end(v)
	v.Status, v.Changed = status, c.out.Time
	c.invoiced(v, as)
	c.invoices.forget(v)
}

// creditInvoice does what an operator decided about an invoice that is kept.
func (c *Chains) creditInvoice(v *invoice) {
	account, of := v.Account, v.Asset
	c.move(c.ledger.Find(schema.Suspense, schema.Main, of), c.ledger.Open(account, schema.Main, of), v.Amount, byDeposit)
	v.Status, v.Changed = schema.InvoicePaid, c.out.Time
	c.invoiced(v, schema.DepositCredited)
	c.invoices.forget(v)
	c.wallets.Repay(account, of)
}

func (v *invoice) mayCredit(m *schema.DecideDeposit) schema.Rejection {
	switch {
	case m.Decision != schema.CreditDeposit || v.Status != schema.InvoiceSuspended:
		return schema.Refuse(schema.DepositDecided)
	case m.Account != 0 && m.Account != v.Account:
		return schema.Refuse(schema.DepositOwner)
	}
	return schema.Rejection{}
}

// expireInvoices ends invoices that were not paid in time, some at once; the timer stays due for the others.
func (c *Chains) expireInvoices() {
	for range c.Steps {
		first := c.invoices.due.Last()
		if !first.Found() {
			return
		}
		v := c.invoices.shelf.At(first.Item())
		if v.Expires > c.out.Time {
			return
		}
		c.conclude(v, schema.InvoiceExpired, schema.DepositCanceled)
	}
}

// nextInvoice is when the first open invoice ends.
func (c *Chains) nextInvoice() (at schema.Time, there bool) {
	first := c.invoices.due.Last()
	if !first.Found() {
		return 0, false
	}
	return c.invoices.shelf.At(first.Item()).Expires, true
}

// invoiced says what became of an invoice, and of the deposit that it is to others. That one was asked for is announced to nobody.
func (c *Chains) invoiced(v *invoice, status schema.DepositStatus) {
	d := schema.ChainDeposit{
		ID: v.ID, Account: v.Account, Chain: v.Chain, Asset: v.Asset, Amount: v.Amount, Fee: v.Fee, Status: status,
		Created: v.Created, Changed: v.Changed, Receipt: v.Unique,
	}
	c.out.Events.Add(&schema.InvoiceChanged{Invoice: v.Invoice})
	c.out.Events.Add(&schema.ChainDepositChanged{Deposit: d})
	if status != schema.DepositConfirming {
		d.Receipt = "" // the customer's name for it is no transaction
		c.Deposited(&d, schema.DepositConfirming)
	}
}

// Invoice is an invoice that is open or suspended.
func (c *Chains) Invoice(id schema.DepositID) (schema.Invoice, bool) {
	if v := c.invoices.get(id); v != nil {
		return v.Invoice, true
	}
	return schema.Invoice{}, false
}

// InvoiceByDigest is the invoice whose page has a secret with this digest, while it is open or suspended.
func (c *Chains) InvoiceByDigest(digest schema.Digest) (schema.Invoice, bool) {
	if place := c.invoices.byDigest[digest]; place != 0 {
		return c.invoices.shelf.At(place).Invoice, true
	}
	return schema.Invoice{}, false
}

// Invoices are those of a provider that are open or suspended, by id.
func (c *Chains) Invoices(chain schema.ChainID) iter.Seq[*schema.Invoice] {
	return func(yield func(*schema.Invoice) bool) {
		for _, v := range c.invoices.all() {
			if v.Chain == chain && !yield(&v.Invoice) {
				return
			}
		}
	}
}

func (c *Chains) writeInvoices(w *product.Writer) {
	for _, v := range c.invoices.all() {
		w.Message(&v.Invoice)
	}
}

func (c *Chains) readInvoices(r *product.Reader) error {
	var last schema.DepositID
	for m, err := range product.Messages[schema.Invoice](r) {
		if err != nil {
			return err
		}
		ch, asset := c.find(m.Chain), c.listing.Asset(m.Asset)
		_, known := c.places[m.ID]
		switch {
		case m.ID <= last || m.ID > c.last || known || c.invoices.byDigest[m.Digest] != 0:
			return fmt.Errorf("invoice %d: %w", m.ID, errPlace)
		case ch == nil || ch.Driver != schema.Provider || asset == nil || c.accounts.Get(m.Account) == nil || c.invoices.open[m.Account] >= mostInvoices:
			return fmt.Errorf("invoice %d: %w", m.ID, errPlace)
		case m.Status != schema.InvoiceOpen && m.Status != schema.InvoiceSuspended || !validInvoice(m.Unique, m.Digest, m.Success, m.Failure, m.Return):
			return fmt.Errorf("invoice %d: %w", m.ID, errInvoice)
		case m.Amount.Sign() <= 0 || m.Amount.Decimals() > int(asset.Scale) || m.Fee.Sign() < 0 || m.Fee.Cmp(m.Amount) >= 0 || m.Fee.Decimals() > int(asset.Scale):
			return fmt.Errorf("invoice %d: %w", m.ID, errInvoice)
		case m.Expires <= m.Created || m.Expires-m.Created > schema.MaxLifetime || m.Status == schema.InvoiceSuspended && !m.Fee.IsZero():
			return fmt.Errorf("invoice %d: %w", m.ID, errInvoice)
		}
		last = m.ID
		c.invoices.add(m)
	}
	return nil
}

var errInvoice = errors.New("what it says cannot be")

// verifyInvoices holds the lists of invoices together, and adds what lies in Suspense of them.
func (c *Chains) verifyInvoices(suspended []fixed.Decimal) error {
	v := &c.invoices
	open := map[schema.AccountID]int{} // only ever asked
	var last schema.DepositID
	count, ends := 0, 0
	for place, m := range v.all() {
		count++
		if m.ID <= last || m.ID > c.last || v.byID[m.ID] != place || v.byDigest[m.Digest] != place || !v.names.Has(m.Account, m.Unique) {
			return fmt.Errorf("chains: invoice %d is not where it should be", m.ID)
		}
		last = m.ID
		spot := v.due.Find(&v.nodes, due{m.Expires, m.ID})
		switch m.Status {
		case schema.InvoiceOpen:
			open[m.Account]++
			ends++
			if !spot.Found() || spot.Item() != place {
				return fmt.Errorf("chains: invoice %d never ends", m.ID)
			}
		case schema.InvoiceSuspended:
			suspended[m.Asset] = suspended[m.Asset].Add(m.Amount)
			if spot.Found() {
				return fmt.Errorf("chains: invoice %d is paid and ends", m.ID)
			}
		default:
			return fmt.Errorf("chains: invoice %d is %s", m.ID, m.Status)
		}
	}
	known := 0
	for range v.due.Down(&v.nodes) {
		known++
	}
	if count != len(v.byID) || count != len(v.byDigest) || ends != known || len(open) != len(v.open) {
		return fmt.Errorf("chains: %d invoices are in order, %d and %d known; %d are open, %d end", count, len(v.byID), len(v.byDigest), ends, known)
	}
	for _, m := range v.all() {
		if open[m.Account] != v.open[m.Account] {
			return fmt.Errorf("chains: account %d has %d open invoices, and %d are known", m.Account, open[m.Account], v.open[m.Account])
		}
	}
	return nil
}
