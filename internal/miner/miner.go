// Package miner is a small miner on processors, to try pools with: it speaks Stratum, over TCP and TLS. What it brings is worth nothing
// on chains that others mine on with machines made for it.
package miner

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"bourse/internal/priority"
)

// Options of a miner.
type Options struct {
	URL      string // stratum+tcp://HOST:PORT or stratum+tls://HOST:PORT
	User     string // account.worker
	Password string
	Threads  int
	// Rate is how many hashes a thread tries a second at most, Low lets the threads have what others leave of the processor.
	Rate int
	Low  bool
	// Roots are who certificates are believed from; nil: those of the machine.
	Roots *x509.CertPool
	Log   *slog.Logger
}

// Miner mines.
type Miner struct {
	o       Options
	address string
	secure  bool
	pause   func(tries int) time.Duration // before it connects again

	task             atomic.Pointer[task]
	changed          *sync.Cond // another task
	stopped          bool
	hashes           atomic.Uint64
	accepted, denied atomic.Uint64
}

// Stats are what a miner did.
type Stats struct{ Hashes, Accepted, Rejected uint64 }

// New makes a miner.
func New(o Options) (*Miner, error) {
	at, err := url.Parse(o.URL)
	if err != nil || at.Host == "" || at.Port() == "" || at.Scheme != "stratum+tcp" && at.Scheme != "stratum+tls" {
		return nil, fmt.Errorf("%q is no pool; it must look like stratum+tcp://HOST:PORT or stratum+tls://HOST:PORT", o.URL)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Threads = min(max(o.Threads, 1), mostThreads)
	return &Miner{o: o, address: at.Host, secure: at.Scheme == "stratum+tls", pause: pause, changed: sync.NewCond(&sync.Mutex{})}, nil
}

// Stats are what it did so far.
func (m *Miner) Stats() Stats {
	return Stats{m.hashes.Load(), m.accepted.Load(), m.denied.Load()}
}

const (
	mostThreads = 256 // their numbers fit a byte
	pauseLeast  = time.Second
	pauseMost   = time.Minute
	goodAfter   = time.Minute // a connection that lasts so long was none in vain
)

// pause is how long to wait after some tries in vain: twice as long each time, and not with all others at once.
func pause(tries int) time.Duration {
	d := min(pauseLeast<<min(tries, 10), pauseMost)
	return d/2 + rand.N(d/2+1)
}

// Run mines until the context ends. A connection that is lost is made again.
func (m *Miner) Run(ctx context.Context) {
	var threads sync.WaitGroup
	found := make(chan result, 64)
	for i := range m.o.Threads {
		search := func() { m.search(ctx, byte(i), found) }
		threads.Go(func() {
			if m.o.Low {
				priority.Lowered(search)
			} else {
				search()
			}
		})
	}
	defer threads.Wait()
	defer context.AfterFunc(ctx, m.end)()
	for tries := 0; ctx.Err() == nil; tries++ {
		began := time.Now()
		err := m.session(ctx, found)
		m.work(nil)
		if ctx.Err() != nil {
			break
		}
		if time.Since(began) >= goodAfter {
			tries = 0
		}
		wait := m.pause(tries)
		m.o.Log.Warn("the pool is gone; connecting again", "after", wait.Round(time.Millisecond), "problem", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	m.end()
}

// work gives the threads another task; nil: none.
func (m *Miner) work(t *task) {
	m.changed.L.Lock()
	m.task.Store(t)
	m.changed.L.Unlock()
	m.changed.Broadcast()
}

// end lets the threads end.
func (m *Miner) end() {
	m.changed.L.Lock()
	m.stopped = true
	m.task.Store(nil)
	m.changed.L.Unlock()
	m.changed.Broadcast()
}

// wait waits for a task. Nil: the miner ends.
func (m *Miner) wait() *task {
	m.changed.L.Lock()
	defer m.changed.L.Unlock()
	for m.task.Load() == nil && !m.stopped {
		m.changed.Wait()
	}
	return m.task.Load()
}

// dial connects to the pool.
func (m *Miner) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if !m.secure {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", m.address)
	}
	d := tls.Dialer{Config: &tls.Config{RootCAs: m.o.Roots, MinVersion: tls.VersionTLS12}}
	return d.DialContext(ctx, "tcp", m.address)
}
