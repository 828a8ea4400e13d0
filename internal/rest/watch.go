package rest

import (
	"context"
	"net/netip"
	"time"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/limit"
	"bourse/internal/plain"
)

// watchLimit is how often an address may look at links by which others see mining accounts: a page costs more than most answers, and nobody is to
// try many links.
var watchLimit = api.Limit{Count: 60, Window: 10 * time.Second}

// mayWatch counts a look against the limit of an address.
func (s *Server) mayWatch(address netip.Addr) bool {
	return s.options.Unlimited || among(s.options.Trusted, address) || s.limiter.Allow(address, s.options.Now(), []*limit.Rule{s.watching})
}

// watch answers with what a link shows of mining accounts.
func (s *Server) watch(ctx *fasthttp.RequestCtx) {
	header := &ctx.Response.Header
	if !ctx.IsGet() && !ctx.IsHead() {
		header.Set("Allow", "GET, HEAD")
		s.refuse(ctx, api.Private, errMethod)
		return
	}
	body, contentType, found, err := s.options.Watch(context.Background(), string(ctx.URI().PathOriginal()))
	if err != nil {
		s.refuse(ctx, api.Private, api.Unavailable())
		return
	}
	header.Set("Content-Security-Policy", plain.Policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.SetContentType(contentType)
	if !found && contentType == "application/json" {
		s.refuse(ctx, api.Private, errNotFound)
		return
	}
	if !found {
		ctx.SetStatusCode(fasthttp.StatusNotFound)
	}
	ctx.Response.SetBody(body)
}
