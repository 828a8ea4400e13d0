package rest

import (
	"context"
	"time"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/checkout"
	"bourse/internal/schema"
)

// checkout answers with the page of an invoice. On an exchange for play the customer says there what a provider would say; elsewhere
// only operators do.
func (s *Server) checkout(ctx *fasthttp.RequestCtx, secret string) {
	s.plain(ctx, func(outcome string) ([]byte, *api.Error) {
		v, page := s.invoice(secret)
		if outcome != "" && page.Open() {
			if outcome != "paid" && outcome != "failed" {
				return nil, errRequest
			}
			r, err := s.api.Settle(context.Background(), v.ID, outcome == "paid")
			if err != nil {
				return nil, api.Unavailable()
			}
			page.Status = s.outcome(v.ID, outcome, r)
		}
		if page.Status == 0 {
			ctx.SetStatusCode(fasthttp.StatusNotFound)
		}
		return page.HTML(), nil
	})
}

// invoice is the one whose page has a secret, and what the page shows.
func (s *Server) invoice(secret string) (v schema.Invoice, page *checkout.Page) {
	page = &checkout.Page{Play: s.options.Play}
	v, known := s.api.InvoiceByDigest(checkout.Digest(s.api.Key(), secret))
	if !known {
		return v, page
	}
	asset, chain := s.api.Directory().AssetByID(v.Asset), s.api.Directory().Chain(v.Chain)
	*page = checkout.Page{
		Status: v.Status, Amount: v.Amount.String(), Ticker: asset.Ticker, Provider: chain.Name, Reference: v.Unique, Expires: time.UnixMicro(int64(v.Expires)).UTC(),
		Success: v.Success, Failure: v.Failure, Return: v.Return, Play: page.Play,
	}
	if n := asset.NetworkOn(v.Chain); n != nil {
		page.Provider = n.Name
	}
	if page.Open() && v.Expires <= s.api.Now() { // the core says so with its next tick
		page.Status = schema.InvoiceExpired
	}
	return v, page
}

// outcome is how an invoice stands after somebody said what became of it. What another one said before counts.
func (s *Server) outcome(id schema.DepositID, said string, r schema.Rejection) schema.InvoiceStatus {
	now, known := s.api.InvoiceNow(id)
	switch {
	case known: // it is suspended, or open because there is no room for so much
		return now.Status
	case r.Refused():
		return 0
	case said == "paid":
		return schema.InvoicePaid
	}
	return schema.InvoiceFailed
}
