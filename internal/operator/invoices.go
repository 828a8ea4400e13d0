package operator

import (
	"iter"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// invoice is an invoice as operators see it. The address of its page is the customer's.
type invoice struct {
	ID      schema.DepositID `json:"id"` // that it has as a deposit
	Chain   string           `json:"chain"`
	Account string           `json:"account"`
	Asset   string           `json:"asset"`
	Amount  sheet.Number     `json:"amount"`
	Fee     sheet.Number     `json:"fee"`
	Status  string           `json:"status"` // open, or suspended: it is paid and waits for a decision
	Created time.Time        `json:"created"`
	Changed time.Time        `json:"changed"`
	Expires time.Time        `json:"expires"`
	Unique  string           `json:"unique"` // what the client calls it
}

func invoiceOf(m core.View, v *schema.Invoice) invoice {
	return invoice{
		ID: v.ID, Chain: m.Chains().Get(v.Chain).Name, Account: nameOf(m, v.Account), Asset: m.Listing().Asset(v.Asset).Ticker,
		Amount: sheet.Number{Decimal: v.Amount}, Fee: sheet.Number{Decimal: v.Fee}, Status: v.Status.String(),
		Created: moment(v.Created), Changed: moment(v.Changed), Expires: moment(v.Expires), Unique: v.Unique,
	}
}

// invoices are those that are open or suspended. The others are in the history of their account.
var invoices = traffic[schema.Invoice, schema.InvoiceStatus, invoice]{
	status: sheet.ParseInvoiceStatus,
	all:    func(m core.View, on schema.ChainID) iter.Seq[*schema.Invoice] { return m.Chains().Invoices(on) },
	about: func(v *schema.Invoice) (uint64, schema.AccountID, schema.InvoiceStatus) {
		return uint64(v.ID), v.Account, v.Status
	},
	show: invoiceOf,
}

func (s *Server) listInvoices(c *call) (any, error) { return invoices.list(s, c) }

// settlement is what a provider says: of an invoice paid or failed, of a withdrawal all, none or an amount.
type settlement struct {
	Outcome string `json:"outcome"`
}

// settleInvoice says what became of the invoice in the path.
func (s *Server) settleInvoice(c *call) (any, error) {
	v, err := numbered(s, c, "invoice", func(m core.View, id uint64) (schema.Invoice, bool) {
		return m.Chains().Invoice(schema.DepositID(id))
	})
	var said settlement
	if err == nil {
		err = c.read(&said)
	}
	if err != nil {
		return nil, err
	}
	if said.Outcome != "paid" && said.Outcome != "failed" {
		return nil, &Error{Status: 422, Field: "outcome", Message: "an invoice is paid or failed"}
	}
	if _, err := s.do(c, &schema.SettleInvoice{Invoice: v.ID, Paid: said.Outcome == "paid"}); err != nil {
		return nil, err
	}
	return s.decided(uint64(v.ID), said.Outcome, v.Account, v.Asset, v.Amount), nil
}

// settleDeparture says what the receiver got of the withdrawal in the path.
func (s *Server) settleDeparture(c *call) (any, error) {
	w, err := numbered(s, c, "withdrawal", func(m core.View, id uint64) (schema.Withdrawal, bool) {
		return m.Chains().Withdrawal(schema.WithdrawalID(id))
	})
	var said settlement
	if err == nil {
		err = c.read(&said)
	}
	if err != nil {
		return nil, err
	}
	amount := fixed.Zero
	switch said.Outcome {
	case "all":
		amount = w.Amount
	case "none":
	default:
		if amount, err = fixed.Parse(said.Outcome); err != nil {
			return nil, &Error{Status: 422, Field: "outcome", Message: "the receiver got all, none or an amount"}
		}
	}
	if _, err := s.do(c, &schema.SettleWithdrawal{Withdrawal: w.ID, Amount: amount}); err != nil {
		return nil, err
	}
	return s.decided(uint64(w.ID), said.Outcome, w.Account, w.Asset, amount), nil
}
