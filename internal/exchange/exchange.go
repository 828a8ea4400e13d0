// Package exchange joins the parts of a running exchange: the node, what follows it (market data
// and history), the API over them, and the doors for clients and for operators. It only opens,
// joins and closes.
package exchange

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/valyala/fasthttp"

	"bourse/internal/api"
	"bourse/internal/api/account"
	"bourse/internal/api/mining"
	"bourse/internal/api/table"
	"bourse/internal/argon"
	"bourse/internal/asyncapi"
	"bourse/internal/auth"
	"bourse/internal/core"
	"bourse/internal/disk"
	"bourse/internal/docs"
	"bourse/internal/history"
	"bourse/internal/marketdata"
	"bourse/internal/node"
	"bourse/internal/oauth"
	"bourse/internal/openapi"
	"bourse/internal/operator"
	people "bourse/internal/pages"
	"bourse/internal/pool"
	"bourse/internal/rest"
	"bourse/internal/schema"
	"bourse/internal/web"
	"bourse/internal/webhook"
	"bourse/internal/ws"
)

// Options of an exchange.
type Options struct {
	Node node.Options
	// Prepare fills the exchange before anything follows it; nil: it is as the log left it.
	Prepare func(context.Context, *node.Node) error
	// Sandbox says that the exchange is for play: its API has a faucet, and customers say themselves that they paid an invoice.
	Sandbox bool
	// Guests, if it is set, are the accounts that the docs page offers on this machine, as JSON; it is
	// called after Prepare.
	Guests func() []byte
	// Database is the address of a PostgreSQL database for the history; empty: a store inside the
	// data directory.
	Database string
	// HistoryKeep is how long records of the past are kept; 0: for ever.
	HistoryKeep time.Duration
	Region      schema.Region
	// PublicURL is where the exchange is for people who are sent to it.
	PublicURL string
	// Retire says from when on older forms of requests are taken no more.
	Retire api.Retire
	// Stratum is where miners connect to the mining pool, and PoolLocation where that is, as they read it.
	Stratum      []string
	PoolLocation string
	// WebURL is where browsers reach it, "": only those on this machine do. People can sign in there.
	WebURL string
	// Version of the program, for people who read the description of the API.
	Version string
	REST    rest.Options
	// SocketIdle is how long a client may say nothing over a WebSocket; 0: a minute.
	SocketIdle time.Duration
	// OperatorHosts are names by which operators ask, see operator.Options.
	OperatorHosts []string
	// Chains are the nodes of chains that others live on, Signer is who signs what is paid there: hot, manual:DIR, remote:URL or none.
	// Cold is the directory in which people sign what comes back from cold storage; "": none here.
	Chains []ChainNodes
	Signer string
	Cold   string
	// Webhooks say where events may be sent. Those of a sandbox may be on this machine.
	Webhooks webhook.Options
	// HashCommand is the command of a process that hashes passwords, see argon.Worker; nil: this one does.
	HashCommand []string
	Log         *slog.Logger
}

// Exchange is a running exchange.
type Exchange struct {
	Node    *node.Node
	Data    *marketdata.Data
	History *history.History
	API     *api.API
	// Webhooks sends events to servers of customers.
	Webhooks *webhook.Webhooks

	Tokens *operator.Tokens

	figures  *prometheus.Registry
	register *auth.Register
	server   *rest.Server
	sockets  *ws.Server
	operator *operator.Server
	links    *links
	keys     keys
	hasher   *argon.Worker // nil: passwords are hashed here
	log      *slog.Logger
	now      func() schema.Time

	chainNodes      []ChainNodes
	pool            *pool.Pool // nil: there is none here
	rater           *rater     // nil: the pool has no chain that says what a block is worth
	poolCertificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
}

// commandTimeout is how long a command may be on its way to a journal elsewhere.
const commandTimeout = 10 * time.Second

// Open brings an exchange to life. It answers nobody before Serve.
func Open(ctx context.Context, o Options) (*Exchange, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	x := &Exchange{log: o.Log, chainNodes: o.Chains, figures: prometheus.NewRegistry()}
	x.figures.MustRegister(buildInfo(o.Version))
	o.Node.Log, o.REST.Log = o.Log, o.Log
	o.Node.Metrics, o.REST.Metrics = x.figures, x.figures
	if err := x.open(ctx, &o); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

func (x *Exchange) open(ctx context.Context, o *Options) (err error) {
	if x.Node, err = node.Open(ctx, o.Node); err != nil {
		return err
	}
	var others []schema.SetFeature
	if !o.Sandbox {
		others = append(others, schema.SetFeature{Feature: schema.IdleKeys, On: true})
	}
	if err := x.Node.Initialize(ctx, others...); err != nil {
		return err
	}
	if o.Prepare != nil {
		if err := o.Prepare(ctx, x.Node); err != nil {
			return err
		}
	}
	x.keys = keys{dir: o.Node.Journal.Dir, masterKey: o.Node.MasterKey, signer: o.Signer, cold: o.Cold}
	if err := x.Apart(); err != nil {
		return err
	}
	o.REST.Pages, o.REST.Play = pages(o), o.Sandbox
	dir := o.Node.Journal.Dir
	store, err := openStore(ctx, dir, o.Database, o.Log)
	if err != nil {
		return err
	}
	// After a kill both replay the log. Orders do not wait for them; those who read do.
	if x.Data, err = marketdata.Follow(x.Node, dir, marketdata.Options{Log: o.Log}); err != nil {
		return errors.Join(err, store.Close())
	}
	x.History = history.Follow(x.Node, store, history.Options{Log: o.Log, Keep: o.HistoryKeep})
	now := o.Node.Clock
	if now == nil {
		now = func() schema.Time { return schema.Time(time.Now().UnixMicro()) }
	}
	x.now = now
	if x.register, err = auth.OpenRegister(filepath.Join(dir, "nonces"), now); err != nil {
		return err
	}
	x.Node.Read(func(m core.View) {
		for _, k := range m.Accounts().Keys() {
			x.register.Learn(k.Key.ID, k.Nonces)
		}
	})
	signer, err := account.LoadSigner(filepath.Join(dir, "jwt.key"), x.Node.Key())
	if err != nil {
		return err
	}
	options := api.Options{Operations: operations(o.Sandbox), Region: o.Region, PublicURL: o.PublicURL, Stratum: o.Stratum, PoolLocation: o.PoolLocation, Retire: o.Retire, Signer: signer, Now: now, Forget: x.register.Forget, Log: o.Log}
	if !o.Node.Journal.Embedded() {
		options.Timeout = commandTimeout
	}
	x.API = api.New(x.Node, x.Data, x.History, options)
	x.sockets = ws.New(ws.Options{
		API: x.API, Node: x.Node, Data: x.Data, History: x.History, Timeout: options.Timeout, Idle: o.SocketIdle,
		Factor: o.REST.Factor, Unlimited: o.REST.Unlimited, Trusted: o.REST.Trusted, Now: o.REST.Now, Metrics: x.figures, Log: o.Log,
	})
	o.REST.Sockets = map[string]func(*fasthttp.RequestCtx, netip.Addr){asyncapi.Address: x.sockets.Open}
	sends := o.Webhooks
	sends.Loopback, sends.PublicURL, sends.Metrics, sends.Log, sends.Now = sends.Loopback || o.Sandbox, o.PublicURL, x.figures, o.Log, now
	x.Webhooks = webhook.Open(x.Node, filepath.Join(dir, "webhooks"), sends)
	door := web.Options{API: x.API, Webhooks: x.Webhooks, PublicURL: o.WebURL, Demo: buttons(o), Now: o.REST.Now, Log: o.Log}
	if o.HashCommand != nil {
		x.hasher = argon.NewWorker(o.HashCommand...)
		door.Hash = x.hasher.Hash
	}
	o.REST.Web = web.New(door).Serve
	o.REST.OAuth = oauth.New(oauth.Options{
		API: x.API, Factor: o.REST.Factor, Unlimited: o.REST.Unlimited, Trusted: o.REST.Trusted, Now: o.REST.Now,
	}).Serve
	o.REST.Watch = mining.NewWatcher(x.API).Page
	x.server = rest.New(x.API, x.register, o.REST)
	x.links = openLinks(x.Node, x.keys, o.Chains, o.Log)
	x.measure()
	if x.Tokens, err = operator.OpenTokens(filepath.Join(dir, "operators")); err != nil {
		return err
	}
	x.operator = operator.New(operator.Options{
		Node: x.Node, History: x.History, Book: x.API.Book(), Tokens: x.Tokens, Webhooks: x.Webhooks, Version: o.Version, Hosts: o.OperatorHosts, PublicURL: o.PublicURL, Sandbox: o.Sandbox,
		Figures: x.figures, Lags: x.lags, Problems: x.problems, Lacks: x.links.lacks, Audited: x.links.audited, Log: o.Log,
	})
	return nil
}

// pages are what the door for HTTP serves beside the operations.
func pages(o *Options) map[string]rest.Page {
	var guests []byte
	if o.Guests != nil {
		guests = o.Guests()
	}
	all := docs.Pages(guests)
	people.Add(all)
	all["/openapi.json"] = rest.Page{Type: "application/json", Body: func() []byte {
		return openapi.Document(o.Version, operations(o.Sandbox))
	}}
	all["/asyncapi.json"] = rest.Page{Type: "application/json", Body: func() []byte { return asyncapi.Document(o.Version) }}
	return all
}

// buttons are the accounts of a demo that everyone on this machine may sign in to. Behind a proxy nobody knows who is on this machine.
func buttons(o *Options) (names []string) {
	if o.Guests == nil || len(o.REST.Proxies) > 0 {
		return nil
	}
	var guests []struct{ Name string }
	if err := json.Unmarshal(o.Guests(), &guests); err != nil {
		panic(err) // it is our own
	}
	for _, g := range guests {
		names = append(names, g.Name)
	}
	return names
}

// operations are what clients may ask.
func operations(sandbox bool) []api.Operation {
	if sandbox {
		return table.Sandbox()
	}
	return table.Operations()
}

// lags are how far behind the log the parts are, in batches.
func (x *Exchange) lags() map[string]uint64 {
	return map[string]uint64{"history": x.History.Lag(), "marketdata": x.Data.Lag()}
}

// errRebuilding means that orders are taken, but public data are not there yet.
var errRebuilding = errors.New("being rebuilt from the log")

// problems are what is wrong with the parts.
func (x *Exchange) problems() (all []operator.Problem) {
	if err := x.Node.Trouble(); err != nil {
		all = append(all, operator.Problem{Part: "clock", Reason: err, Status: operator.Stuck})
	}
	if err := x.History.Stuck(); err != nil {
		all = append(all, operator.Problem{Part: "history", Reason: err, Status: operator.Stuck})
	}
	if err := x.Data.Stuck(); err != nil {
		all = append(all, operator.Problem{Part: "marketdata", Reason: err, Status: operator.Stuck})
	} else if x.Data.Rebuilding() {
		all = append(all, operator.Problem{Part: "marketdata", Reason: errRebuilding, Status: operator.Starting})
	}
	if err := deficit(x.Node); err != nil {
		all = append(all, operator.Problem{Part: "insurance", Reason: err})
	}
	for _, l := range x.links.list {
		if _, err := l.state(); err != nil {
			all = append(all, operator.Problem{Part: "chains", Reason: err})
		}
	}
	if err := x.Webhooks.Stuck(); err != nil {
		all = append(all, operator.Problem{Part: "webhooks", Reason: err})
	}
	if err := x.Node.SnapshotProblem(); err != nil {
		all = append(all, operator.Problem{Part: "snapshots", Reason: err})
	}
	return all
}

// measure makes known how far the parts are, and how the program is.
func (x *Exchange) measure() {
	gauge := func(name, help string, value func() uint64) {
		x.figures.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
	}
	x.figures.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge("bourse_batches_applied", "Batches of the log that are applied.", x.Node.Applied)
	gauge("bourse_history_lag_batches", "Batches that are not in the history yet.", x.History.Lag)
	gauge("bourse_history_stuck", "1 while the history cannot be written; the log and /readyz say why.", func() uint64 {
		if x.History.Stuck() != nil {
			return 1
		}
		return 0
	})
	gauge("bourse_marketdata_lag_batches", "Batches that are not in the market data yet.", x.Data.Lag)
	gauge("bourse_accounts_in_liquidation", "Accounts whose margin is at its end and that still have something to close or to pay.", func() (n uint64) {
		x.Node.Read(func(m core.View) { n = uint64(m.Collateral().Liquidating()) })
		return n
	})
	x.figures.MustRegister(&funds{x.Node}, &holdings{x}, &poolFigures{poolDesk{x.Node, x.now}})
}

func openStore(ctx context.Context, dir, database string, log *slog.Logger) (history.Store, error) {
	if database != "" {
		return history.OpenPostgres(ctx, database)
	}
	return history.OpenPebble(filepath.Join(dir, "history"), log)
}

// Serve answers clients on a listener until Close.
func (x *Exchange) Serve(ln net.Listener) error { return x.server.Serve(ln) }

// ServeOperators answers operators on a listener until Close.
func (x *Exchange) ServeOperators(ln net.Listener) error { return x.operator.Serve(ln) }

// How long parts may take to stop. A disk that hangs must not keep the program from ending: what
// was acknowledged is in the log already, and everything else is made again from it.
const (
	stopTime     = 10 * time.Second // requests that are being answered
	followerTime = 20 * time.Second // history and market data
	nodeTime     = 45 * time.Second // draining, and the last snapshot
)

// Close answers what was asked, and stops everything in the order in which it depends on each
// other. Parts that take too long are left behind.
func (x *Exchange) Close() error {
	var err error
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if x.rater != nil {
		x.rater.close()
	}
	if x.pool != nil { // while the log still takes what it counted
		err = x.pool.Close(ctx)
	}
	if x.links != nil {
		x.links.close()
	}
	if x.sockets != nil {
		x.sockets.Stop(ctx)
	}
	if x.server != nil {
		err = errors.Join(err, x.server.Stop(ctx))
	}
	if x.operator != nil {
		err = errors.Join(err, x.operator.Close(ctx))
	}
	if x.hasher != nil {
		err = errors.Join(err, x.hasher.Close())
	}
	if x.Webhooks != nil {
		err = errors.Join(err, within(followerTime, "the webhooks", x.Webhooks.Close))
	}
	if x.History != nil {
		err = errors.Join(err, within(followerTime, "the history", x.History.Close))
	}
	if x.Data != nil {
		err = errors.Join(err, within(followerTime, "the market data", x.Data.Close))
	}
	if x.Node != nil {
		err = errors.Join(err, within(nodeTime, "the node", x.Node.Close))
	}
	if x.register != nil {
		err = errors.Join(err, within(stopTime, "the nonces", x.register.Close))
	}
	return err
}

// within closes a part, and leaves it behind when that takes too long.
func within(limit time.Duration, part string, closePart func() error) error {
	done := make(chan error, 1)
	go func() { done <- closePart() }()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return fmt.Errorf("closing %s takes longer than %v: %w", part, limit, disk.ErrFailed)
	}
}
