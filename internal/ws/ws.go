package ws

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/history"
	"bourse/internal/limit"
	"bourse/internal/marketdata"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// Options of a server.
type Options struct {
	API     *api.API
	Node    *node.Node
	Data    *marketdata.Data
	History *history.History
	// Timeout is how long a command may be on its way; 0: as long as the node lives.
	Timeout time.Duration
	// Idle is how long a client may say nothing; 0: a minute.
	Idle time.Duration
	// Factor multiplies all limits, 0 means 1; Unlimited lifts them.
	Factor    int
	Unlimited bool
	// Trusted addresses have no limits.
	Trusted []netip.Prefix
	// Now is the clock of the limits; nil: the machine's.
	Now     func() time.Time
	Metrics prometheus.Registerer
	Log     *slog.Logger
}

// Limits of a connection and of an address, unless the options multiply them.
const (
	window     = 10 * time.Second
	placements = 10_000 // in a window
	requests   = 12_000 // others in a window
	openings   = 1000   // of an address in a minute
)

const idleTime = time.Minute

// addressesKept bounds what is remembered for limits.
const addressesKept = 1 << 14

// Server is all connections and what they subscribed to.
type Server struct {
	options Options
	limiter *limit.Limiter
	opening []*limit.Rule
	methods map[string]*served
	// channels hear when a connection is gone.
	channels []leaver
	streams
	meters  meters
	writers writers
	closed  func() bool // the platform is in maintenance

	mu    sync.Mutex
	conns map[*conn]struct{}

	stopping atomic.Bool
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// streams are the channels.
type streams struct {
	outlook  outlook
	candles  *candles
	prices   *prices
	day      *stats
	today    *stats
	premium  *premium
	depth    *depth
	tops     *tops
	trades   *trades
	personal personal
	past     past
}

// New makes a server and lets its channels live.
func New(o Options) *Server {
	s := bare(o)
	s.closed = o.API.Directory().Closed
	s.register(table...)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.openChannels(ctx)
	return s
}

// bare is a server without methods and channels.
func bare(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Idle = cmp.Or(o.Idle, idleTime)
	o.Factor = max(o.Factor, 1)
	s := &Server{options: o, limiter: limit.New(addressesKept), methods: map[string]*served{}, conns: map[*conn]struct{}{}}
	s.opening = []*limit.Rule{s.limiter.Rule(openings*o.Factor, time.Minute)}
	s.meters = newMeters(o.Metrics, s.count)
	s.writers.start()
	return s
}

// count is how many connections there are.
func (s *Server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// trusted reports whether an address has no limits.
func (s *Server) trusted(address netip.Addr) bool {
	if s.options.Unlimited {
		return true
	}
	for _, p := range s.options.Trusted {
		if p.Contains(address) {
			return true
		}
	}
	return false
}

// errOpenings is the answer to an address that opens too many connections.
var errOpenings = &api.Error{Status: fasthttp.StatusTooManyRequests, Message: "Too Many Requests"}

// Open takes over the connection of a request that asks for a WebSocket. It answers the request
// itself if that is none.
func (s *Server) Open(ctx *fasthttp.RequestCtx, address netip.Addr) {
	accept, refused := handshake(&ctx.Request.Header)
	switch {
	case !s.trusted(address) && !s.limiter.Allow(address, s.options.Now(), s.opening):
		refused = errOpenings
	case s.stopping.Load():
		refused = api.Unavailable()
	case s.closed():
		refused = api.Maintenance()
	}
	if refused != nil {
		switch refused.Status {
		case fasthttp.StatusUpgradeRequired:
			ctx.Response.Header.Set("Sec-WebSocket-Version", "13")
			ctx.Response.Header.Set("Upgrade", "websocket")
			ctx.Response.Header.Set("Connection", "Upgrade")
		case fasthttp.StatusMethodNotAllowed:
			ctx.Response.Header.Set("Allow", "GET")
		}
		refuse(ctx, refused)
		return
	}
	ctx.SetStatusCode(fasthttp.StatusSwitchingProtocols) // for those who count answers
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(s.hijacked(accept, address))
}

// Stop replies to what was begun, closes all connections and waits until they are gone. When the
// context ends, it cuts those that are still there.
func (s *Server) Stop(ctx context.Context) {
	defer s.writers.end()
	s.stopping.Store(true)
	s.each((*conn).end)
	s.stop()
	gone := make(chan struct{})
	go func() {
		s.running.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
		s.each(func(c *conn) { _ = c.net.Close() })
	}
}

func (s *Server) each(do func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		do(c)
	}
}

// now is the time of day.
func (s *Server) now() schema.Time { return s.options.API.Now() }
