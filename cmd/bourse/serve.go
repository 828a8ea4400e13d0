package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"bourse/internal/exchange"
	"bourse/internal/node"
	"bourse/internal/rest"
	"bourse/internal/schema"
	"bourse/internal/setup"
)

// serveCmd runs an exchange.
type serveCmd struct {
	Data        string         `default:"data" placeholder:"DIR" help:"Where the exchange lives: log, snapshots, history, keys; by default ./data."`
	Listen      string         `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where the API is served, by default 127.0.0.1:8080; port 0 picks a free one."`
	Setup       string         `placeholder:"FILE" type:"existingfile" help:"Assets, markets and accounts to begin with (JSON). What is there already stays as it is."`
	Region      string         `enum:"global,eu" default:"global" help:"Region of this deployment, global or eu: what it lists, and which order types it takes."`
	Database    string         `placeholder:"URL" help:"A PostgreSQL database for the history (postgres://…), instead of the store in the data directory."`
	HistoryKeep time.Duration  `placeholder:"DURATION" help:"Remove records of the past that are older than this, such as 8760h; by default nothing is removed."`
	TLSCert     string         `name:"tls-cert" placeholder:"FILE" type:"existingfile" help:"Serve HTTPS with this certificate; --tls-key holds its key."`
	TLSKey      string         `name:"tls-key" placeholder:"FILE" type:"existingfile" help:"The key of --tls-cert."`
	Proxy       []netip.Prefix `placeholder:"PREFIX" help:"Proxies in front of the API, such as 10.0.0.0/8, whose X-Forwarded-For is believed."`
	Trusted     []netip.Prefix `placeholder:"PREFIX" help:"Addresses without rate limits, such as 127.0.0.0/8."`
	LimitFactor int            `default:"1" help:"Multiply all rate limits by this."`
	NoLimits    bool           `help:"No rate limits at all."`
	Metrics     string         `placeholder:"ADDRESS" help:"Serve figures for Prometheus at http://ADDRESS/metrics; by default nowhere."`
	Tick        time.Duration  `default:"100ms" help:"How often timers run: kill switches, maintenance, delisting."`
	LogJSON     bool           `name:"log-json" help:"Write the log as JSON."`
	Journal     journalFlags   `embed:""`
}

func (c *serveCmd) Run(out stdout, errs stderr) error {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key go together")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, registry := c.options(c.logger(errs)), prometheus.NewRegistry()
	o.REST.Metrics = registry
	x, err := exchange.Open(ctx, o)
	if err != nil {
		return err
	}
	err = c.serve(ctx, x, registry, out)
	return errors.Join(err, x.Close())
}

// serveMetrics answers Prometheus on an address of its own: figures are nobody's business who
// only trades.
func serveMetrics(address string, registry *prometheus.Registry, out io.Writer) (stop func(), err error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --metrics", err)
	}
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(ln) }()
	fmt.Fprintf(out, "figures at http://%s/metrics\n", ln.Addr())
	return func() { _ = server.Close() }, nil
}

func (c *serveCmd) logger(w io.Writer) *slog.Logger {
	if c.LogJSON {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

func (c *serveCmd) options(log *slog.Logger) exchange.Options {
	o := exchange.Options{
		Node:     node.Options{Journal: c.Journal.options(c.Data), TickInterval: c.Tick},
		Database: c.Database, HistoryKeep: c.HistoryKeep, Region: schema.Global,
		REST: rest.Options{
			Trusted: c.Trusted, Proxies: c.Proxy, Factor: c.LimitFactor, Unlimited: c.NoLimits,
			Certificate: c.TLSCert, Key: c.TLSKey,
		},
		Log: log,
	}
	if c.Region == schema.EU.String() {
		o.Region = schema.EU
	}
	return o
}

// serve answers until it is told to stop or cannot go on.
func (c *serveCmd) serve(ctx context.Context, x *exchange.Exchange, registry *prometheus.Registry, out io.Writer) error {
	if c.Setup != "" {
		if err := c.setUp(ctx, x.Node); err != nil {
			return err
		}
	}
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --listen", err)
	}
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	fmt.Fprintf(out, "listening on %s://%s\n", scheme, ln.Addr())
	if c.Metrics != "" {
		stop, err := serveMetrics(c.Metrics, registry, out)
		if err != nil {
			return errors.Join(err, ln.Close())
		}
		defer stop()
	}
	served := make(chan error, 1)
	go func() { served <- x.Serve(ln) }()
	select {
	case <-ctx.Done():
		return nil
	case <-x.Node.Done():
		return errors.New("the exchange stopped by itself; the log says why")
	case err := <-served:
		return err
	}
}

func (c *serveCmd) setUp(ctx context.Context, n *node.Node) error {
	f, err := os.Open(c.Setup)
	if err != nil {
		return err
	}
	defer f.Close()
	file, err := setup.Read(f)
	if err != nil {
		return err
	}
	return file.Apply(ctx, n)
}
