// Package webhook sends the events that the core announced (schema.Notified) to the servers of customers. It follows the log of a node and
// keeps a queue beside it; what became of an event goes back into the log, so that another node can go on where one ended.
//
// What it promises: every announced event is sent at least once, unless it is dropped after a day or because too many wait; what was settled is
// not sent again. The first attempts of a webhook are made in the order of the log, one request at a time, and each request has an id of its
// own and a nonce that is higher than those before. Only a request of a node that hung, and went on when another had taken its place, may be
// late. Nothing here slows the exchange: it reads at its own speed, within bounds of memory, disk and connections.
//
// What must hold: the queue is made from the log and nothing else, the place of the last batch is written with what the batch changed, and a
// node sends only for shards whose lease it holds by its own monotonic clock.
package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/core"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Purpose is what secrets of webhooks are sealed for.
const Purpose = "webhook secret"

// codePurpose is what texts of codes are sealed for.
const codePurpose = "code"

// Options of webhooks.
type Options struct {
	// Loopback lets webhooks be on this machine, over plain http and at any port: for a demo.
	Loopback bool
	// Denied are addresses that are not connected to, beside those that are not public and this machine's own.
	Denied []netip.Prefix
	// PublicURL is where the exchange is: its addresses are not connected to.
	PublicURL string
	// Now is the time of day; nil: the machine's clock.
	Now func() schema.Time
	// Clock is by what events grow old and leases are counted; nil: the machine's, with the time of day above.
	Clock Clock
	// Metrics, if it is set, is where the figures are registered.
	Metrics prometheus.Registerer
	Log     *slog.Logger

	// For tests.
	fs       vfs.FS
	resolver *net.Resolver
	owner    uint64
	hooks    hooks
	bounds   bounds
	roots    func(*sender)
}

// hooks let tests stop the pipeline at its joints.
type hooks struct {
	written func(seq uint64)      // after the queue was written, before anything is sent
	sending func(schema.Delivery) // before a request is written
	sent    func(schema.Delivery) // after it was answered, before it is settled
}

func (o *Options) setDefaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = newMachineClock(o.Now)
	}
	if o.fs == nil {
		o.fs = vfs.Default
	}
	if o.resolver == nil {
		o.resolver = net.DefaultResolver
	}
	for o.owner == 0 {
		var b [8]byte
		rand.Read(b[:])
		o.owner = binary.LittleEndian.Uint64(b[:])
	}
	if o.hooks.written == nil {
		o.hooks.written = func(uint64) {}
	}
	if o.hooks.sending == nil {
		o.hooks.sending = func(schema.Delivery) {}
	}
	if o.hooks.sent == nil {
		o.hooks.sent = func(schema.Delivery) {}
	}
	o.bounds.backlog = cmp.Or(o.bounds.backlog, usualBounds.backlog)
	o.bounds.bytes = cmp.Or(o.bounds.bytes, usualBounds.bytes)
	o.bounds.kept = cmp.Or(o.bounds.kept, usualBounds.kept)
	o.bounds.keptAll = cmp.Or(o.bounds.keptAll, usualBounds.keptAll)
	o.bounds.checks = cmp.Or(o.bounds.checks, usualBounds.checks)
	o.bounds.nonces = cmp.Or(o.bounds.nonces, usualBounds.nonces)
}

// exchange is what this package needs of a node.
type exchange interface {
	Submit(context.Context, schema.Command, *schema.Result) error
	SubmitFrom(context.Context, schema.Origin, schema.Command, *schema.Result) error
	Read(func(core.View))
	Key() *seal.Key
	Applied() uint64
	Since(context.Context, schema.Time) (uint64, error)
	Steps(after uint64) steps
}

// steps are what happened, batch by batch.
type steps interface {
	// Next is the next batch; it waits until there is one.
	Next(context.Context) (step, error)
	// More is closed when there is another one.
	More() <-chan struct{}
	Close()
}

// step is what a batch made happen, as far as it is about webhooks.
type step struct {
	seq    uint64
	events []happened
}

type happened struct {
	at    schema.Time
	event schema.Event
}

// Webhooks sends for a node.
type Webhooks struct {
	exchange exchange
	options  Options
	store    *store
	sender   *sender
	checks   checks
	meters   *meters
	key      *seal.Key

	engine engine
	lease  lease
	settle settler

	stop       context.CancelFunc
	tasks      sync.WaitGroup
	settled    context.CancelFunc
	settlement sync.WaitGroup

	mu       sync.Mutex
	followed uint64 // the last batch that is in the queue
	reached  chan struct{}
	// following says that there is a queue: before the first webhook there is none, and nothing to be behind with.
	following bool
	problem   error
}

// Open follows a node, with a queue in a directory of its own. The queue is made again from the log of the last two days if it is not there.
func Open(n *node.Node, dir string, o Options) *Webhooks {
	return open(&nodeExchange{n}, dir, o)
}

func open(x exchange, dir string, o Options) *Webhooks {
	o.setDefaults()
	h := &Webhooks{exchange: x, options: o, store: newStore(dir, &o), key: x.Key(), reached: make(chan struct{})}
	h.sender = newSender(&h.options)
	h.engine.begin(h)
	h.lease.begin(h)
	h.settle.begin(h)
	h.checks.begin(h)
	h.meters = newMeters(h)
	if o.Metrics != nil {
		o.Metrics.MustRegister(h.meters)
	}
	ctx, stop := context.WithCancel(context.Background())
	settling, settled := context.WithCancel(ctx)
	h.stop, h.settled = stop, settled
	names := func(ctx context.Context) { h.sender.named.run(ctx, h.engine.poke) }
	for _, task := range []func(context.Context){h.follow, h.lease.run, h.engine.run, h.checks.run, names} {
		h.tasks.Go(func() { task(ctx) })
	}
	h.settlement.Go(func() { h.settle.run(settling) })
	return h
}

// Close ends sending. Requests under way may end, and what became of them is settled, for a moment each; what is left then is sent again by who
// comes next.
func (h *Webhooks) Close() error {
	h.engine.leave()
	late := time.AfterFunc(leaveTime, h.stop)
	defer late.Stop()
	h.engine.requests.Wait()
	h.settled()
	h.settlement.Wait()
	h.stop()
	h.tasks.Wait()
	h.sender.close()
	return h.store.close()
}

// Lag is how many batches are not in the queue yet.
func (h *Webhooks) Lag() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.following {
		return 0
	}
	return max(h.exchange.Applied(), h.followed) - h.followed
}

// Stuck is why the queue does not go on or cannot be read, nil if all is well.
func (h *Webhooks) Stuck() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if why := h.store.broken.Load(); why != nil {
		return *why
	}
	if h.problem != nil {
		return h.problem
	}
	return h.lease.problem()
}

// any reports whether there is a webhook at all.
func (h *Webhooks) any() (is bool) {
	h.exchange.Read(func(m core.View) { is = m.Webhooks().Any() })
	return is
}

// look reads the webhook of an account as it is now.
func (h *Webhooks) look(account schema.AccountID) (w schema.Webhook, there bool) {
	h.exchange.Read(func(m core.View) { w, there = m.Webhooks().Get(account) })
	return w, there
}

// nodeExchange is a node as this package sees it.
type nodeExchange struct{ *node.Node }

func (n *nodeExchange) Steps(after uint64) steps { return &nodeSteps{n.Reader(after)} }

type nodeSteps struct{ *node.Reader }

func (s *nodeSteps) Next(ctx context.Context) (next step, err error) {
	read, err := s.Reader.Next(ctx)
	if err != nil {
		return next, err
	}
	next.seq = read.Seq
	for i := range read.Commands {
		command := &read.Commands[i]
		for _, e := range read.Events(command) {
			if concerns(e) {
				next.events = append(next.events, happened{command.Time, e})
			}
		}
	}
	return next, nil
}

// concerns reports whether an event is about webhooks.
func concerns(e schema.Event) bool {
	switch e.(type) {
	case *schema.Notified, *schema.WebhookChanged, *schema.WebhooksSettled, *schema.ShardsClaimed, *schema.WebhookResent:
		return true
	}
	return false
}

// pause waits for a while, and is false when the context ended before.
func pause(ctx context.Context, c Clock, d time.Duration) bool {
	timer, stop := c.Timer(d)
	defer stop()
	select {
	case <-timer:
		return true
	case <-ctx.Done():
		return false
	}
}
