package rest

import (
	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/plain"
)

// plain answers with a page without scripts whose address is a secret. On an exchange for play its form says what became of what the page is
// about, in a field with the name outcome; show hears that, or "" if nothing was said.
func (s *Server) plain(ctx *fasthttp.RequestCtx, show func(outcome string) ([]byte, *api.Error)) {
	header := &ctx.Response.Header
	says := ctx.IsPost() && s.options.Play
	if !ctx.IsGet() && !ctx.IsHead() && !says {
		allow := "GET, HEAD"
		if s.options.Play {
			allow += ", POST"
		}
		header.Set("Allow", allow)
		s.refuse(ctx, api.Private, errMethod)
		return
	}
	header.Set("Content-Security-Policy", plain.Policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	outcome := ""
	if says {
		if outcome = string(ctx.PostArgs().Peek("outcome")); outcome == "" {
			s.refuse(ctx, api.Private, errRequest)
			return
		}
	}
	page, err := show(outcome)
	if err != nil {
		s.refuse(ctx, api.Private, err)
		return
	}
	header.SetContentType("text/html; charset=utf-8")
	ctx.Response.SetBody(page)
}
