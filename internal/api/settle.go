package api

import (
	"context"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// InvoiceByDigest is the invoice whose page has a secret with a digest, if it is open or suspended, and InvoiceNow how one of those is now.
func (a *API) InvoiceByDigest(digest schema.Digest) (v schema.Invoice, known bool) {
	a.node.Read(func(m core.View) { v, known = m.Chains().InvoiceByDigest(digest) })
	return v, known
}

func (a *API) InvoiceNow(id schema.DepositID) (v schema.Invoice, known bool) {
	a.node.Read(func(m core.View) { v, known = m.Chains().Invoice(id) })
	return v, known
}

// VerifySub says that the person who uses a sub-account was verified, for the page on which the person says so in a sandbox.
func (a *API) VerifySub(ctx context.Context, sub schema.AccountID) (schema.Rejection, error) {
	ctx, cancel := a.limited(ctx)
	defer cancel()
	var result schema.Result
	err := a.node.SubmitFrom(ctx, schema.Origin{}, &schema.VerifySub{Sub: sub}, &result)
	return result.Rejection, err
}

// Settle says what became of an invoice, for the page on which the customer of a sandbox says so.
func (a *API) Settle(ctx context.Context, id schema.DepositID, paid bool) (schema.Rejection, error) {
	ctx, cancel := a.limited(ctx)
	defer cancel()
	var result schema.Result
	err := a.node.SubmitFrom(ctx, schema.Origin{}, &schema.SettleInvoice{Invoice: id, Paid: paid}, &result)
	return result.Rejection, err
}
