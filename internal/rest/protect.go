package rest

import (
	"errors"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
)

// allowed counts a request against the limits of its address.
func (s *Server) allowed(address netip.Addr, path []byte, r *route) bool {
	if s.options.Unlimited || among(s.options.Trusted, address) {
		return true
	}
	rules := s.routes.unknown
	if r != nil {
		rules = r.rules
	}
	return s.limiter.Allow(address, time.Now(), rules)
}

// survive makes an answer of a panic. The number in it leads to the stack in the log.
func (s *Server) survive(ctx *fasthttp.RequestCtx, surface api.Surface) {
	reason := recover()
	if reason == nil {
		return
	}
	s.options.Log.Error("a request panicked", "request", ctx.ID(), "path", string(ctx.Path()), "panic", reason, "stack", string(debug.Stack()))
	s.refuse(ctx, surface, &api.Error{Status: fasthttp.StatusInternalServerError, Message: "Internal server error."})
}

// unreadable answers what is not an HTTP request, or one beyond the bounds.
func (s *Server) unreadable(ctx *fasthttp.RequestCtx, err error) {
	e := &api.Error{Status: fasthttp.StatusBadRequest, Message: "Bad Request"}
	var small *fasthttp.ErrSmallBuffer
	var late interface{ Timeout() bool }
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		e.Status, e.Message = fasthttp.StatusRequestEntityTooLarge, "Payload Too Large"
	case errors.As(err, &small):
		e.Status, e.Message = fasthttp.StatusRequestHeaderFieldsTooLarge, "Request Header Fields Too Large"
	case errors.As(err, &late) && late.Timeout():
		e.Status, e.Message = fasthttp.StatusRequestTimeout, "Request Timeout"
	}
	s.refuse(ctx, surfaceOf(ctx.Path(), nil), e)
}
