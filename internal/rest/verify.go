package rest

import (
	"context"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/kyc"
	"bourse/internal/schema"
)

// verify answers with the page on which the person who uses a sub-account is verified. On an exchange for play the person says there what a
// provider would find; elsewhere operators say it of accounts.
func (s *Server) verify(ctx *fasthttp.RequestCtx, token string) {
	s.plain(ctx, func(outcome string) ([]byte, *api.Error) {
		sub := s.verifiable(token)
		page := &kyc.Page{Play: s.options.Play}
		if sub == nil {
			ctx.SetStatusCode(fasthttp.StatusNotFound)
			return page.HTML(), nil
		}
		page.Status, page.Alias = kyc.Waiting, sub.Alias
		if sub.Verified {
			page.Status = kyc.Passed
		}
		switch {
		case outcome == "" || !page.Open():
		case outcome == "failed":
			page.Status = kyc.Failed
		case outcome == "passed":
			r, err := s.api.VerifySub(context.Background(), sub.ID)
			switch {
			case err != nil:
				return nil, api.Unavailable()
			case r.Refused(): // it was blocked meanwhile
				*page = kyc.Page{Play: page.Play}
			default:
				page.Status = kyc.Passed
			}
		default:
			return nil, errRequest
		}
		return page.HTML(), nil
	})
}

// verifiable is the sub-account that a token is for, if it can be verified; nil: it cannot.
func (s *Server) verifiable(token string) *schema.Account {
	sub := s.api.Directory().Account(kyc.Open(s.api.Key(), token, s.api.Now()))
	if sub == nil || sub.Status != schema.SubActive || sub.Blocked || sub.ShareKYC {
		return nil
	}
	return sub
}
