// Package rest is the door by which clients come over HTTP: it finds the operation, counts the
// request against the limits of its address, checks who signed it, lets api do it, and writes
// the answer or the error. It knows nothing of what an operation does.
//
// What must hold: every answer is JSON, whatever came; the server acts on the signed payload
// alone; a nonce is used up, durably, before the answer to its request is sent; a panic costs
// one answer and no connection; nothing that a stranger sends makes memory grow without bound.
package rest

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/auth"
	"bourse/internal/limit"
)

// Options of a server.
type Options struct {
	// Trusted addresses have no limits.
	Trusted []netip.Prefix
	// Factor multiplies all limits, 0 means 1; Unlimited lifts them.
	Factor    int
	Unlimited bool
	// Proxies are believed when they say whom they forward for.
	Proxies []netip.Prefix
	// TLS certificate and key; empty: plain HTTP.
	Certificate, Key string
	// Connections is how many may be open at once; 0: 16,384.
	Connections int
	Log         *slog.Logger
}

// Bounds of a request. The payload header is the body in base64, so the bound of the body
// follows from that of the headers; the largest request of the API, 100 cancels by client id,
// is about 14 KB.
const (
	maxHeaderBytes = 40 << 10
	maxBodyBytes   = 28 << 10
)

// Time that a client may take.
const (
	readTimeout  = 10 * time.Second // for a whole request, from its first byte
	writeTimeout = 10 * time.Second
	idleTimeout  = 2 * time.Minute
)

// addressesKept bounds what is remembered for limits.
const addressesKept = 1 << 16

// Server serves the operations of an API.
type Server struct {
	api      *api.API
	register *auth.Register
	options  Options
	routes   routes
	limiter  *limit.Limiter
	server   *fasthttp.Server
	calls    sync.Pool
}

// New makes a server. Nonces that the log does not keep are kept in the register.
func New(a *api.API, register *auth.Register, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{api: a, register: register, options: o, limiter: limit.New(addressesKept)}
	s.calls.New = func() any { return &call{Call: api.Call{API: a}} }
	s.routes = makeRoutes(s.limiter, max(o.Factor, 1))
	s.server = Bare(s.handle)
	s.server.ErrorHandler = s.unreadable
	if o.Connections > 0 {
		s.server.Concurrency = o.Connections
	}
	return s
}

// Bare is an HTTP server with our settings and nothing behind it.
func Bare(handler fasthttp.RequestHandler) *fasthttp.Server {
	return &fasthttp.Server{
		Handler:            handler,
		Name:               "bourse",
		ReadBufferSize:     maxHeaderBytes,
		MaxRequestBodySize: maxBodyBytes,
		ReadTimeout:        readTimeout,
		WriteTimeout:       writeTimeout,
		IdleTimeout:        idleTimeout,
		Concurrency:        1 << 14,
		CloseOnShutdown:    true,
		// Bodies are JSON and nothing else; a form would be parsed for nobody.
		DisablePreParseMultipartForm: true,
		Logger:                       silent{},
	}
}

// silent drops what fasthttp says about clients that go away.
type silent struct{}

func (silent) Printf(string, ...any) {}

// Serve answers on a listener until Stop.
func (s *Server) Serve(ln net.Listener) error {
	if s.options.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(s.options.Certificate, s.options.Key)
		if err != nil {
			return fmt.Errorf("reading the certificate: %w", err)
		}
		ln = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	}
	return s.server.Serve(ln)
}

// Stop takes no more requests and waits, as long as the context lives, for those that are being
// answered.
func (s *Server) Stop(ctx context.Context) error { return s.server.ShutdownWithContext(ctx) }

// call is a request on its way.
type call struct {
	api.Call
	payload []byte // decoded
	address netip.Addr
}

func (c *call) reset() {
	c.Call.Reset()
	c.payload = c.payload[:0]
}

func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	path := ctx.Path()
	route, parameter := s.routes.find(path)
	defer s.survive(ctx, surfaceOf(path, route))
	address := s.address(ctx)
	if !s.allowed(address, path, route) {
		s.refuse(ctx, surfaceOf(path, route), &api.Error{Status: fasthttp.StatusTooManyRequests, Message: "Too Many Requests"})
		return
	}
	switch {
	case route == nil:
		s.refuse(ctx, surfaceOf(path, nil), &api.Error{Status: fasthttp.StatusNotFound, Message: "Not Found"})
		return
	case string(ctx.Method()) != route.operation.Method:
		ctx.Response.Header.Set("Allow", route.operation.Method)
		s.refuse(ctx, route.operation.Surface, &api.Error{Status: fasthttp.StatusMethodNotAllowed, Message: "Method Not Allowed"})
		return
	}
	c := s.calls.Get().(*call)
	defer s.calls.Put(c)
	c.reset()
	c.Context, c.Operation, c.address = context.Background(), route.operation, address
	if route.operation.Group == "" {
		s.public(ctx, c, route, parameter)
	} else {
		s.private(ctx, c)
	}
}

func (s *Server) public(ctx *fasthttp.RequestCtx, c *call, r *route, parameter []byte) {
	for name, value := range ctx.QueryArgs().All() {
		c.Form.Add(name, value)
	}
	if r.parameter != "" {
		c.Form.Add([]byte(r.parameter), parameter)
	}
	if err := c.Do(); err != nil {
		s.refuse(ctx, c.Operation.Surface, err)
		return
	}
	answer(ctx, c)
}

func (s *Server) private(ctx *fasthttp.RequestCtx, c *call) {
	nonceUsed, err := s.authenticate(ctx, c)
	switch {
	case err == nil:
		err = s.run(c)
	case nonceUsed:
		err = s.keep(c, err)
	}
	if err != nil {
		s.refuse(ctx, api.Private, c.Operation.Error(err))
		return
	}
	answer(ctx, c)
}

// run does what was asked. The nonce of a read is kept before it is done, that of a write only
// if the log does not have it.
func (s *Server) run(c *call) error {
	if !c.Operation.Writes {
		if err := s.keep(c, nil); err != nil {
			return err
		}
	}
	var err error
	if e := c.Do(); e != nil {
		err = e
	}
	if c.Operation.Writes && !c.Journaled {
		return s.keep(c, err)
	}
	return err
}

// keep makes the nonce of a request durable that does not reach the log. A request whose nonce
// cannot be kept is not done.
func (s *Server) keep(c *call, result error) error {
	if err := s.register.Keep(c.Origin.Key, c.Origin.Nonce, c.Origin.Window); err != nil {
		s.options.Log.Error("keeping a nonce", "error", err)
		return api.Unavailable()
	}
	return result
}

func answer(ctx *fasthttp.RequestCtx, c *call) {
	ctx.Response.Header.SetContentTypeBytes(contentType)
	ctx.Response.SetBody(c.Body)
}

var contentType = []byte("application/json")

// refuse writes an error.
func (s *Server) refuse(ctx *fasthttp.RequestCtx, surface api.Surface, e *api.Error) {
	body, status := api.AppendError(ctx.Response.Body()[:0], surface, e)
	ctx.Response.Header.SetContentTypeBytes(contentType)
	ctx.Response.SetStatusCode(status)
	ctx.Response.SetBody(body)
}

// surfaceOf is the form that errors about a path have.
func surfaceOf(path []byte, r *route) api.Surface {
	switch {
	case r != nil:
		return r.operation.Surface
	case strings.HasPrefix(string(path), "/api/v1/"):
		return api.First
	case strings.HasPrefix(string(path), "/api/v4/public/"):
		return api.Public
	default:
		return api.Private
	}
}
