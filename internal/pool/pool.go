// Package pool is where miners come in: Stratum over TCP and TLS. It hands out work on templates of a chain, judges the shares that come
// back, gives blocks to the chain, and reports what each mining account brought. docs/pool.md says what it speaks and refuses.
//
// What must hold: no two connections, jobs, listeners and starts hand out the same work (the first transaction of each block carries the
// lease, the number of the job and that of the connection); a header counts once; a share counts as much as the job that it is of was sent
// with; a report counts once, whatever becomes of its answer.
package pool

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"bourse/internal/limit"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Source is the chain.
type Source interface {
	// Template is a block to be mined now.
	Template(context.Context) (*driver.Template, error)
	// Submit gives a block to the chain. ErrBlock: it does not take it; any other error: nobody knows.
	Submit(ctx context.Context, block []byte) error
}

// Book is the mining accounts.
type Book interface {
	// Terms are the unit of work, and why there is none to be handed out; empty: there is.
	Terms() (unit uint8, closed string)
	// Find is the mining account with a name, if it may mine.
	Find(name string) (schema.MiningID, bool)
}

// Reporter is the log.
type Reporter interface {
	// Lease takes a lease.
	Lease(context.Context) (schema.LeaseID, error)
	// Report and Found end with the rejection of the command, or with an error: then nobody knows whether it happened.
	Report(context.Context, *schema.ReportShares) (schema.Rejection, error)
	Found(context.Context, *schema.FoundBlock) (schema.Rejection, error)
}

// Clock is the time of day.
type Clock interface {
	Now() time.Time
	// Timer fires once after so long; stop ends it.
	Timer(time.Duration) (fired <-chan time.Time, stop func() bool)
}

type machineClock struct{}

func (machineClock) Now() time.Time { return time.Now() }

func (machineClock) Timer(d time.Duration) (<-chan time.Time, func() bool) {
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// Bounds are what the listener puts up with.
type Bounds struct {
	Connections int           // in all
	PerAddress  int           // of an address; an IPv6 address counts by its /64
	Authorize   time.Duration // until a connection has to have authorized a worker
	Idle        time.Duration // until one has to have brought a share since its last
	Queue       int           // bytes that wait for a connection to take them
	PerSecond   int           // messages of a connection, as a mean; three seconds of them at once
	Rejected    int           // of the last Judged shares: the connection is closed
	Judged      int
	Pause       time.Duration // until the worker may come back from that address
	Start       int           // the exponent of the difficulty that a worker begins with
}

// NewBounds are those that fit a public pool.
func NewBounds() Bounds {
	return Bounds{
		Connections: 16384, PerAddress: 1024, Authorize: 10 * time.Second, Idle: time.Hour, Queue: 64 << 10, PerSecond: 20, Rejected: 100, Judged: 200, Pause: time.Minute, Start: 14,
	}
}

// Options of a pool.
type Options struct {
	Source   Source
	Book     Book
	Reporter Reporter
	Script   []byte // that blocks pay to
	Bounds   Bounds
	Clock    Clock // nil: the machine's
	Log      *slog.Logger
}

// Pool serves miners.
type Pool struct {
	o      Options
	places *limit.Connections
	stop   context.CancelFunc
	life   context.Context
	loops  sync.WaitGroup

	jobs    jobs
	tally   tally
	reports reports
	workers workers

	mu        sync.Mutex
	listeners []net.Listener
	conns     map[*conn]struct{}
	extra     uint32 // the last that was given
	extras    map[uint32]struct{}
	closed    bool
	serving   sync.WaitGroup // connections
	finding   sync.WaitGroup // blocks on their way to the chain
}

// New makes a pool. It asks for a lease and for templates at once.
func New(o Options) *Pool {
	if o.Clock == nil {
		o.Clock = machineClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pool{o: o, places: limit.NewConnections(o.Bounds.Connections, o.Bounds.PerAddress), conns: map[*conn]struct{}{}, extras: map[uint32]struct{}{}}
	p.tally.begin()
	p.workers.begin()
	p.jobs.begin()
	p.life, p.stop = context.WithCancel(context.Background())
	p.reports.begin(p)
	p.loops.Go(p.watch)
	p.loops.Go(p.reports.run)
	p.loops.Go(p.sweep)
	return p
}

// Serve takes connections of a listener until Close. It may be called for several.
func (p *Pool) Serve(ln net.Listener) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ln.Close()
	}
	p.listeners = append(p.listeners, ln)
	p.mu.Unlock()
	for wait := time.Duration(0); ; {
		nc, err := ln.Accept()
		switch {
		case err == nil:
			wait = 0
			p.enter(nc)
		case p.life.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default: // such as too many open files
			wait = min(max(2*wait, 5*time.Millisecond), time.Second)
			p.o.Log.Warn("the pool cannot take a connection", "problem", err)
			select {
			case <-time.After(wait):
			case <-p.life.Done():
				return nil
			}
		}
	}
}

// enter lets a connection in, if there is a place for it.
func (p *Pool) enter(nc net.Conn) {
	from := addressOf(nc)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !p.places.Enter(from) {
		_ = nc.Close()
		return
	}
	p.extra++
	for _, live := p.extras[p.extra]; live; _, live = p.extras[p.extra] {
		p.extra++
	}
	p.extras[p.extra] = struct{}{}
	c := newConn(p, nc, from, p.extra)
	p.conns[c] = struct{}{}
	written := make(chan struct{})
	p.serving.Go(func() {
		c.write()
		close(written)
	})
	p.serving.Go(func() {
		c.read()
		<-written // until then it has its place
		p.leave(c)
	})
}

func (p *Pool) leave(c *conn) {
	p.workers.left(c.workers, p.o.Clock.Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	delete(p.extras, c.number)
	p.places.Leave(c.from)
}

// addressOf is where a connection comes from.
func addressOf(nc net.Conn) netip.Addr {
	if tcp, is := nc.RemoteAddr().(*net.TCPAddr); is {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// all are the connections at this moment.
func (p *Pool) all() []*conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*conn, 0, len(p.conns))
	for c := range p.conns {
		list = append(list, c)
	}
	return list
}

// sweep looks after connections each second: those that do not authorize, that bring too little, or that were barred.
func (p *Pool) sweep() {
	for p.wait(time.Second, nil) {
		now := p.o.Clock.Now()
		p.workers.sweep(now)
		for _, c := range p.all() {
			c.look(now)
		}
	}
}

// wait waits for a time or for a wake-up. False if the pool is being closed.
func (p *Pool) wait(d time.Duration, wake <-chan struct{}) bool {
	timer, stop := p.o.Clock.Timer(d)
	defer stop()
	select {
	case <-timer:
	case <-wake:
	case <-p.life.Done():
	}
	return p.life.Err() == nil
}

// Close ends all connections and reports what is not reported yet: first what is to be paid, then the blocks that the chain took meanwhile. If the
// context ends before the log took it, it is lost.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	listeners, conns := p.listeners, p.conns
	p.stop()
	for _, ln := range listeners {
		_ = ln.Close()
	}
	for c := range conns {
		c.close()
	}
	p.mu.Unlock()
	p.loops.Wait()
	p.serving.Wait()
	if err := p.reports.last(ctx); err != nil {
		return err
	}
	found := make(chan struct{})
	go func() {
		p.finding.Wait()
		close(found)
	}()
	select {
	case <-found:
		return p.reports.last(ctx)
	case <-ctx.Done():
		return fmt.Errorf("the chain did not say whether it took a block of the pool: %w", ctx.Err())
	}
}

// TLS makes a listener speak TLS, with a certificate that is asked for at each connection.
func TLS(ln net.Listener, certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) net.Listener {
	return tls.NewListener(ln, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate})
}
