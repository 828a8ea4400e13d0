package rest

import (
	"bytes"
	"errors"
	"net/netip"
	"runtime/debug"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
)

// What the door itself says.
var (
	errTooMany  = &api.Error{Status: fasthttp.StatusTooManyRequests, Message: "Too Many Requests"}
	errNotFound = &api.Error{Status: fasthttp.StatusNotFound, Message: "Not Found"}
	errMethod   = &api.Error{Status: fasthttp.StatusMethodNotAllowed, Message: "Method Not Allowed"}
	errPanic    = &api.Error{Status: fasthttp.StatusInternalServerError, Message: "Internal server error."}
	errRequest  = &api.Error{Status: fasthttp.StatusBadRequest, Message: "Bad Request"}
	errBody     = &api.Error{Status: fasthttp.StatusRequestEntityTooLarge, Message: "Payload Too Large"}
	errHeader   = &api.Error{Status: fasthttp.StatusRequestHeaderFieldsTooLarge, Message: "Request Header Fields Too Large"}
	errVersion  = &api.Error{Status: fasthttp.StatusHTTPVersionNotSupported, Message: "HTTP Version Not Supported"}
	errSlow     = &api.Error{Status: fasthttp.StatusRequestTimeout, Message: "Request Timeout"}
)

// allowed counts a request against the limits of its address.
func (s *Server) allowed(address netip.Addr, r *route) bool {
	if s.options.Unlimited || among(s.options.Trusted, address) {
		return true
	}
	rules := s.routes.unknown
	if r != nil {
		rules = r.rules
	}
	return s.limiter.Allow(address, s.options.Now(), rules)
}

// survive makes an answer of a panic. The number in it leads to the stack in the log.
func (s *Server) survive(ctx *fasthttp.RequestCtx, surface api.Surface) {
	reason := recover()
	if reason == nil {
		return
	}
	s.options.Log.Error("a request panicked", "request", requestID(ctx.ID()), "path", string(ctx.URI().PathOriginal()),
		"panic", reason, "stack", string(debug.Stack()))
	s.refuse(ctx, surface, errPanic)
}

// framed makes the connection end with a request that says in two ways where its body ends
// (RFC 9112, 6.3): a proxy that went by the other one would take the rest for a request of
// somebody else.
func framed(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	const chunked = -1
	if h.ContentLength() == chunked && bytes.Contains(bytes.ToLower(h.RawHeaders()), []byte("content-length:")) {
		h.SetConnectionClose()
	}
	return fasthttp.RequestConfig{}
}

// unreadable answers what is not an HTTP request, or one beyond the bounds.
func (s *Server) unreadable(ctx *fasthttp.RequestCtx, err error) {
	e := errRequest
	var small *fasthttp.ErrSmallBuffer
	var late interface{ Timeout() bool }
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		e = errBody
	case errors.As(err, &small):
		e = errHeader
	case errors.As(err, &late) && late.Timeout():
		e = errSlow
	}
	if e != errSlow {
		linger(ctx.Conn())
	}
	s.refuse(ctx, surfaceOf(ctx.URI().PathOriginal(), nil), e)
}
