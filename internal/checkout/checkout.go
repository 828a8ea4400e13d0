// Package checkout is the page on which a customer pays an invoice: what is asked for, by which provider, and what became of it. Its
// address has a secret, by whose digest the exchange knows the invoice.
//
// What must hold: nothing that a client said is anything but text on the page, or an address of http or https behind a link.
package checkout

import (
	_ "embed"
	"strings"
	"time"

	"bourse/internal/plain"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Path is where pages are; the secret follows.
const Path = "/pay/"

// maxSecret is the longest secret, in bytes.
const maxSecret = 64

// purpose of the digest of a secret.
const purpose = "invoice"

// Digest is what an invoice is known by whose page has the secret.
func Digest(key *seal.Key, secret string) schema.Digest { return key.Digest(purpose, secret) }

// Secret is the secret in the path of a page, "" if it is none.
func Secret(path string) string {
	secret, is := strings.CutPrefix(path, Path)
	if !is || len(secret) > maxSecret || strings.ContainsRune(secret, '/') {
		return ""
	}
	return secret
}

//go:embed page.html
var source string

var page = plain.New(source)

// Page is what is shown of an invoice.
type Page struct {
	Status    schema.InvoiceStatus // 0: no invoice that is known
	Amount    string
	Ticker    string
	Provider  string
	Reference string
	Expires   time.Time
	// Links that the page leads to.
	Success, Failure, Return string
	// Play lets the customer say what the provider would.
	Play bool
}

// texts are what a page says about an invoice.
var texts = [...]struct{ title, text string }{
	0:                       {"Invoice not found", "This invoice is settled, has expired, or was never made."},
	schema.InvoiceOpen:      {"Payment", "The provider tells the exchange when the payment has arrived."},
	schema.InvoicePaid:      {"Payment received", "The amount, less the fee, has been credited to your main balance."},
	schema.InvoiceSuspended: {"Payment received", "The payment has arrived and is being looked at. It has not been credited yet."},
	schema.InvoiceFailed:    {"Payment failed", "Nothing has been paid. A new payment needs a new invoice."},
	schema.InvoiceExpired:   {"Invoice expired", "This invoice can no longer be paid. A new payment needs a new invoice."},
}

// Title of the page.
func (p *Page) Title() string { return texts[p.Status].title }

// Text says how things stand.
func (p *Page) Text() string { return texts[p.Status].text }

// Open reports whether the invoice can be paid.
func (p *Page) Open() bool { return p.Status == schema.InvoiceOpen }

// Next is where the customer goes on, "" if that is nowhere.
func (p *Page) Next() string {
	switch p.Status {
	case schema.InvoicePaid, schema.InvoiceSuspended:
		return p.Success
	case schema.InvoiceFailed, schema.InvoiceExpired:
		return p.Failure
	}
	return ""
}

// HTML is the page as it is sent.
func (p *Page) HTML() []byte { return page.HTML(p) }
