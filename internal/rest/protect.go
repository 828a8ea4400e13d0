package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime/debug"
	"time"

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
	errCrowded  = &api.Error{Status: fasthttp.StatusServiceUnavailable, Message: "Too many connections from this address."}
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

// exempt reports whether an address may have as many connections as it likes. Of proxies it is not
// known how many clients they are for.
func (s *Server) exempt(address netip.Addr) bool {
	return s.options.Unlimited || among(s.options.Trusted, address) || among(s.options.Proxies, address)
}

// turning is how many connections are turned away with an answer at once. More are just closed: an
// answer takes a goroutine until its client has read it.
const turning = 64

// turnTime is how long a client that is turned away may take to send its request and to read why.
const turnTime = time.Second

// turnAway answers a connection that is one too many of its address, as far as that is cheap, and
// closes it. Over TLS there is no answer without a handshake.
func (s *Server) turnAway(c net.Conn) {
	s.meters.turnedAway.Inc()
	if s.options.Certificate != "" {
		_ = c.Close()
		return
	}
	select {
	case s.turning <- struct{}{}:
	default:
		_ = c.Close()
		return
	}
	go func() {
		defer func() {
			_ = c.Close()
			<-s.turning
		}()
		_ = c.SetDeadline(time.Now().Add(turnTime))
		// Clients do not expect an answer before they have asked.
		if _, err := c.Read(make([]byte, 1)); err != nil {
			return
		}
		if _, err := c.Write(crowded); err != nil {
			return
		}
		if half, is := c.(interface{ CloseWrite() error }); is && half.CloseWrite() == nil {
			_, _ = io.CopyN(io.Discard, c, lingerBytes) // what is unread would reset the connection
		}
	}()
}

// crowded is the whole answer to a connection that is turned away.
var crowded = func() []byte {
	body, status := api.AppendError(nil, api.Private, errCrowded)
	return fmt.Appendf(nil, "HTTP/1.1 %d Service Unavailable\r\nServer: bourse\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, len(body), body)
}()

// survive makes an answer of a panic. The number in it leads to the stack in the log.
func (s *Server) survive(ctx *fasthttp.RequestCtx, format api.ErrorFormat) {
	reason := recover()
	if reason == nil {
		return
	}
	s.options.Log.Error("a request panicked", "request", requestID(ctx.ID()), "path", string(ctx.URI().PathOriginal()),
		"panic", reason, "stack", string(debug.Stack()))
	s.refuse(ctx, format, errPanic)
}

// encoded reports whether a request has a body in an encoding other than chunked, whose end nobody
// knows then (RFC 9112, 6.3): fasthttp takes "identity" for no body at all.
func encoded(h *fasthttp.RequestHeader) bool {
	const name = "transfer-encoding:"
	for rest := h.RawHeaders(); len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if len(line) >= len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			return !bytes.EqualFold(bytes.TrimSpace(line[len(name):]), []byte("chunked"))
		}
	}
	return false
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
	s.refuse(ctx, errorFormatOf(ctx.URI().PathOriginal(), nil), e)
}
