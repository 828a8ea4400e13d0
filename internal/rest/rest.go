// Package rest is the door by which clients come over HTTP: it finds the operation, counts the
// request against the limits of its address, checks who signed it, lets api do it, and writes
// the answer or the error. It knows nothing of what an operation does.
//
// What must hold: every answer but a page is JSON, whatever came; the server acts on the signed
// payload alone; a nonce is used up, durably, before the answer to its request is sent; a panic
// costs one answer and no connection; nothing that a stranger sends makes memory grow without
// bound.
package rest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/auth"
	"bourse/internal/checkout"
	"bourse/internal/kyc"
	"bourse/internal/limit"
	"bourse/internal/watch"
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
	// TLS certificate and key; empty: plain HTTP. They are read again when they change.
	Certificate, Key string
	// Origins of pages that may read the answers to public operations (CORS), "*" for all.
	Origins []string
	// Pages are served beside the operations, by their exact paths.
	Pages map[string]Page
	// Play lets customers say on the pages of their invoices what a payment provider would say: it is for exchanges without real money.
	Play bool
	// Connections is how many may be open at once; 0: 16,384. More wait until one is closed.
	Connections int
	// PerAddress is how many of them one address may have, an IPv6 address by its /64; 0: a quarter.
	// Trusted addresses and proxies have as many as they like; a WebSocket that comes through a proxy
	// counts for the client behind it.
	PerAddress int
	// ReadTimeout is the time for a whole request from its first byte, WriteTimeout that for an
	// answer, IdleTimeout that between two requests; 0: the defaults.
	ReadTimeout, WriteTimeout, IdleTimeout time.Duration
	// Sockets take over connections, by the exact paths of the requests. They answer themselves.
	Sockets map[string]func(*fasthttp.RequestCtx, netip.Addr)
	// Web, if it is set, answers what begins with webPrefix. What stands there for an operation counts against the limits of that one.
	Web func(*fasthttp.RequestCtx, netip.Addr)
	// OAuth, if it is set, answers what begins with oauthPrefix, and oauthLogin.
	OAuth func(*fasthttp.RequestCtx, netip.Addr)
	// Watch, if it is set, answers what begins with the prefix of links by which others see mining accounts: what is at a path, its type, and whether
	// there is such a link.
	Watch func(ctx context.Context, path string) (body []byte, contentType string, found bool, err error)
	// Now is the clock of the limits; nil: the machine's.
	Now func() time.Time
	// Metrics, if it is set, is where the figures of this door are registered.
	Metrics prometheus.Registerer
	Log     *slog.Logger
}

// Bounds of a request. The payload header is the body in base64, so the bound of the body
// follows from that of the headers; the largest request of the API, 100 cancels by client id,
// is about 14 KB.
const (
	maxHeaderBytes = 40 << 10
	maxBodyBytes   = 28 << 10
)

// Time that a client may take, unless the options say otherwise.
const (
	readTimeout  = 10 * time.Second
	writeTimeout = 10 * time.Second
	idleTimeout  = 2 * time.Minute
)

// connectionsOpen is how many there may be, unless the options say otherwise.
const connectionsOpen = 1 << 14

// grace is how long a stopping server still takes requests on connections that are open: what
// was sent before its client could know is answered.
const grace = 200 * time.Millisecond

// addressesKept bounds what is remembered for limits.
const addressesKept = 1 << 16

// Server serves the operations of an API.
type Server struct {
	api      *api.API
	register *auth.Register
	options  Options
	routes   routes
	pages    pages
	limiter  *limit.Limiter
	watching *limit.Rule // of links by which others see mining accounts
	meters   *meters
	web      meter
	oauth    meter
	server   *fasthttp.Server
	calls    sync.Pool
	chatty   bool          // every request is logged
	turning  chan struct{} // holds one for each connection that is being turned away

	mu       sync.Mutex
	listener *connections
	stopping atomic.Bool // changed under mu
}

// New makes a server. Nonces that the log does not keep are kept in the register.
func New(a *api.API, register *auth.Register, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{api: a, register: register, options: o, limiter: limit.New(addressesKept), turning: make(chan struct{}, turning)}
	s.meters = newMeters(o.Metrics, s.connections)
	s.calls.New = func() any { return &call{Call: api.Call{API: a}} }
	s.routes = makeRoutes(a.Operations(), s.limiter, s.meters, max(o.Factor, 1))
	s.watching = s.limiter.Rule(watchLimit.Count*max(o.Factor, 1), watchLimit.Window)
	s.pages = makePages(o.Pages, s.meters)
	s.web, s.oauth = s.meters.of("web"), s.meters.of("oauth")
	s.chatty = o.Log.Enabled(context.Background(), slog.LevelDebug)
	s.server = Bare(s.handle)
	s.server.ErrorHandler = s.unreadable
	s.server.KeepHijackedConns = true    // sockets close them
	s.server.Concurrency = math.MaxInt32 // the listener counts
	s.server.ReadTimeout = cmp.Or(o.ReadTimeout, readTimeout)
	s.server.WriteTimeout = cmp.Or(o.WriteTimeout, writeTimeout)
	s.server.IdleTimeout = cmp.Or(o.IdleTimeout, idleTimeout)
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
		Concurrency:        connectionsOpen,
		CloseOnShutdown:    true,
		HeaderReceived:     framed,
		// Otherwise all that came is quoted in errors that nobody reads.
		SecureErrorLogMessage: true,
		// Bodies are JSON and nothing else; a form would be parsed for nobody.
		DisablePreParseMultipartForm: true,
		Logger:                       silent{},
	}
}

// silent drops what fasthttp says about clients that go away.
type silent struct{}

func (silent) Printf(string, ...any) {}

// Serve answers on a listener until Stop. It is called once.
func (s *Server) Serve(ln net.Listener) error {
	most := cmp.Or(s.options.Connections, connectionsOpen)
	open := listen(ln, most, cmp.Or(s.options.PerAddress, max(most/4, 1)), s.exempt, s.turnAway)
	s.mu.Lock()
	if s.stopping.Load() {
		s.mu.Unlock()
		return ln.Close()
	}
	s.listener = open
	s.mu.Unlock()
	ln = open
	if s.options.Certificate != "" {
		pair, err := openCertificate(s.options.Certificate, s.options.Key, s.options.Log)
		if err != nil {
			return err
		}
		ln = tls.NewListener(ln, &tls.Config{GetCertificate: pair.get, MinVersion: tls.VersionTLS12})
	}
	return s.server.Serve(ln)
}

// connections are how many are open.
func (s *Server) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return 0
	}
	return s.listener.count()
}

// Stop takes no more connections, answers what was sent on those that are open, and waits for
// that as long as the context lives. Then it cuts them.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	listener, again := s.listener, s.stopping.Swap(true)
	s.mu.Unlock()
	if listener == nil || again {
		return nil
	}
	err := listener.drain(time.Now().Add(grace))
	select {
	case <-listener.gone:
	case <-ctx.Done():
	case <-time.After(grace): // what is idle now is closed
	}
	if s.server.ShutdownWithContext(ctx) != nil {
		s.options.Log.Warn("clients did not take their answers in time and were cut off", "connections", listener.cut())
	}
	return err
}

// call is a request on its way.
type call struct {
	api.Call
	payload []byte // decoded
	address netip.Addr
	id      uint64 // of the request, in this process
}

func (c *call) reset() {
	c.Call.Reset()
	c.payload = c.payload[:0]
}

func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	began := time.Now()
	// As it was sent: a path that only means the same as another is not signed for.
	path := ctx.URI().PathOriginal()
	route, values := s.routes.find(path)
	format, meter := errorFormatOf(path, route), &s.routes.nowhere
	var page *page
	watched := s.options.Watch != nil && bytes.HasPrefix(path, []byte(watch.Prefix))
	secret, token := checkout.Secret(string(path)), kyc.Token(string(path))
	counted, web := route, s.options.Web != nil && bytes.HasPrefix(path, []byte(webPrefix))
	oauth := s.options.OAuth != nil && (bytes.HasPrefix(path, []byte(oauthPrefix)) || string(path) == oauthLogin)
	if oauth {
		meter = &s.oauth
	} else if web {
		meter, counted = &s.web, s.routes.behind(path)
	} else if route != nil {
		meter = &route.meter
	} else if secret != "" {
		meter, path = &s.pages.meter, []byte(checkout.Path) // what follows is nothing for logs
	} else if token != "" {
		meter, path = &s.pages.meter, []byte(kyc.Path)
	} else if watched {
		meter, path = &s.pages.meter, []byte(watch.Prefix)
	} else if page = s.pages.at[string(path)]; page != nil {
		meter = &s.pages.meter
	}
	defer func() {
		s.meters.answered(meter, ctx.Response.StatusCode(), began)
		if s.chatty {
			s.log(ctx, path, began)
		}
	}()
	defer s.survive(ctx, format)
	if s.stopping.Load() {
		ctx.SetConnectionClose()
	}
	address := s.address(ctx)
	switch {
	case !s.allowed(address, counted), watched && !s.mayWatch(address):
		s.refuse(ctx, format, errTooMany)
		return
	case !ctx.Request.Header.IsHTTP11() && string(ctx.Request.Header.Protocol()) != "HTTP/1.0":
		ctx.SetConnectionClose()
		s.refuse(ctx, format, errVersion)
		return
	case encoded(&ctx.Request.Header):
		ctx.SetConnectionClose()
		linger(ctx.Conn())
		s.refuse(ctx, format, errRequest)
		return
	case web:
		s.options.Web(ctx, address)
		return
	case oauth:
		s.options.OAuth(ctx, address)
		return
	case route == nil && secret != "":
		s.checkout(ctx, secret)
		return
	case route == nil && token != "":
		s.verify(ctx, token)
		return
	case watched:
		s.watch(ctx)
		return
	case page != nil:
		s.page(ctx, format, page)
		return
	case route == nil && s.options.Sockets[string(path)] != nil:
		if !forwards(ctx.Conn(), address) {
			s.meters.turnedAway.Inc()
			s.refuse(ctx, format, errCrowded)
			return
		}
		s.options.Sockets[string(path)](ctx, address)
		if !ctx.Hijacked() {
			forwards(ctx.Conn(), remote(ctx.Conn())) // no WebSocket came of it: the proxy has it again
		}
		return
	case route == nil:
		s.refuse(ctx, format, errNotFound)
		return
	case s.shares(ctx, route.operation):
		return
	case string(ctx.Method()) != route.operation.Method && !(ctx.IsHead() && route.operation.Method == fasthttp.MethodGet):
		ctx.Response.Header.Set("Allow", allow(route.operation))
		s.refuse(ctx, format, errMethod)
		return
	case !route.operation.Open && s.api.Directory().Closed():
		s.refuse(ctx, format, api.Maintenance())
		return
	}
	c := s.calls.Get().(*call)
	defer s.calls.Put(c)
	c.reset()
	c.Context, c.Operation, c.address, c.id = context.Background(), route.operation, address, ctx.ID()
	switch route.operation.Auth {
	case api.AuthPublic:
		s.public(ctx, c, route, &values)
	case api.AuthBearer:
		s.bearer(ctx, c, route)
	default:
		s.private(ctx, c, route, &values)
	}
}

// allow is the methods of an operation: what can be got can be asked for its headers alone.
func allow(o *api.Operation) string {
	if o.Method == fasthttp.MethodGet {
		return "GET, HEAD"
	}
	return o.Method
}

func (s *Server) public(ctx *fasthttp.RequestCtx, c *call, r *route, values *parameters) {
	for name, value := range ctx.QueryArgs().All() {
		c.Form.Add(name, value)
	}
	c.add(r, values)
	err := api.Allow(&api.Caller{Address: c.address, Region: s.api.Region()}, c.Operation)
	if err == nil {
		err = c.Do()
	}
	if err != nil {
		s.refuse(ctx, c.Operation.ErrorFormat, err)
		return
	}
	answer(ctx, c)
}

// add puts the parameters of the path into the form, where they count before all others.
func (c *call) add(r *route, values *parameters) {
	for i, name := range r.names {
		c.Form.Add([]byte(name), unescaped(values[i]))
	}
}

// log records a request: what was asked and how it ended, never what was in it.
func (s *Server) log(ctx *fasthttp.RequestCtx, path []byte, began time.Time) {
	s.options.Log.Debug("request", "request", requestID(ctx.ID()), "address", s.address(ctx).String(), "method", string(ctx.Method()),
		"path", string(path), "status", ctx.Response.StatusCode(), "took", time.Since(began))
}

// unescaped is a part of a path as a name. Routes are found before: an escaped slash is no slash.
func unescaped(part []byte) []byte {
	if bytes.IndexByte(part, '%') < 0 {
		return part
	}
	name, err := url.PathUnescape(string(part))
	if err != nil {
		return part
	}
	return []byte(name)
}

func (s *Server) private(ctx *fasthttp.RequestCtx, c *call, r *route, values *parameters) {
	nonceUsed, err := s.authenticate(ctx, c)
	switch {
	case err == nil:
		c.add(r, values)
		err = s.run(c)
	case nonceUsed:
		err = s.keep(c, err)
	}
	if err != nil {
		e := c.Operation.Error(err)
		s.meters.refused(&r.meter, e)
		s.refuse(ctx, api.Private, e)
		return
	}
	answer(ctx, c)
}

// run does what was asked. The nonce of a read is kept before it is done, that of a write only
// if the log does not have it.
func (s *Server) run(c *call) (err error) {
	if !c.Operation.Writes() {
		if err := s.keep(c, nil); err != nil {
			return err
		}
	} else {
		// Deferred, so that a panic does not give the nonce back.
		defer func() {
			if !c.Journaled {
				err = s.keep(c, err)
			}
		}()
	}
	if e := c.Do(); e != nil {
		return e
	}
	return nil
}

// keep makes the nonce of a request durable that does not reach the log. A request whose nonce
// cannot be kept is not done.
func (s *Server) keep(c *call, result error) error {
	if err := s.register.Keep(c.Origin.Key, c.Origin.Nonce, c.Origin.Window); err != nil {
		s.options.Log.Error("keeping a nonce", "request", requestID(c.id), "error", err)
		return api.Unavailable()
	}
	return result
}

func answer(ctx *fasthttp.RequestCtx, c *call) {
	ctx.Response.Header.SetContentTypeBytes(contentType)
	ctx.Response.SetBody(c.Body)
}

var contentType = []byte("application/json")

// refuse writes an error. One that is not the client's fault carries the number of the request,
// under which the log has what it knows.
func (s *Server) refuse(ctx *fasthttp.RequestCtx, format api.ErrorFormat, e *api.Error) {
	body, status := api.AppendError(ctx.Response.Body()[:0], format, e)
	ctx.Response.Header.SetContentTypeBytes(contentType)
	ctx.Response.SetStatusCode(status)
	ctx.Response.SetBody(body)
	if status >= fasthttp.StatusInternalServerError {
		ctx.Response.Header.Set("X-Request-Id", requestID(ctx.ID()))
	}
}

// requestID is how the log and answers write the number of a request.
func requestID(id uint64) string { return fmt.Sprintf("%016x", id) }

// errorFormatOf is the form that errors about a path have.
func errorFormatOf(path []byte, r *route) api.ErrorFormat {
	switch {
	case r != nil:
		return r.operation.ErrorFormat
	case bytes.HasPrefix(path, []byte("/api/v1/")):
		return api.V1
	case bytes.HasPrefix(path, []byte("/api/v4/public/")):
		return api.Public
	default:
		return api.Private
	}
}
