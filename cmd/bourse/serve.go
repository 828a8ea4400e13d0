package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"bourse/internal/argon"
	"bourse/internal/demo"
	"bourse/internal/exchange"
	"bourse/internal/node"
	"bourse/internal/notify"
	"bourse/internal/rest"
	"bourse/internal/schema"
	"bourse/internal/setup"
	"bourse/internal/webhook"
)

// serveCmd runs an exchange.
type serveCmd struct {
	Config      string `placeholder:"FILE" help:"Read settings from this YAML file; 'bourse config --example' prints one."`
	Data        string `default:"data" placeholder:"DIR" help:"Where the exchange lives: log, snapshots, history, keys; by default ./data."`
	keyFlag     `embed:""`
	Listen      string         `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where the API is served, by default 127.0.0.1:8080; port 0 picks a free one."`
	PublicURL   string         `name:"public-url" placeholder:"URL" help:"Where people reach the exchange, such as https://example.com, for the links that it gives; by default the address of --listen."`
	Demo        bool           `help:"A living exchange to try things on: assets, markets and perpetual futures with a synthetic past, three accounts with keys and money, and bots that trade."`
	Force       bool           `help:"Let a demo listen where other machines can reach it."`
	Setup       string         `placeholder:"FILE" type:"existingfile" help:"Assets, markets and accounts to begin with (JSON). What is there already stays as it is."`
	Region      string         `enum:"global,eu" default:"global" help:"Region of this deployment, global or eu: what it lists, and which order types it takes."`
	Database    string         `placeholder:"URL" secret:"url" help:"A PostgreSQL database for the history (postgres://…), instead of the store in the data directory."`
	HistoryKeep time.Duration  `placeholder:"DURATION" help:"Remove records of the past that are older than this, such as 8760h; by default nothing is removed."`
	TLSCert     string         `name:"tls-cert" placeholder:"FILE" type:"existingfile" help:"Serve HTTPS with this certificate; --tls-key holds its key. Both are read again when they change."`
	TLSKey      string         `name:"tls-key" placeholder:"FILE" type:"existingfile" help:"The key of --tls-cert."`
	CORSOrigin  []string       `name:"cors-origin" placeholder:"ORIGIN" help:"Origins whose pages may read the public API, such as https://example.com, or '*' for all; by default none. Signed requests are never shared."`
	Proxy       []netip.Prefix `placeholder:"PREFIX" help:"Proxies in front of the API, such as 10.0.0.0/8, whose X-Forwarded-For is believed."`
	Trusted     []netip.Prefix `placeholder:"PREFIX" help:"Addresses without rate limits and with any number of connections, such as 127.0.0.0/8."`
	LimitFactor int            `default:"1" help:"Multiply all rate limits by this."`
	NoLimits    bool           `help:"No rate limits at all, and no limit of connections per address."`
	PerAddress  int            `name:"connections-per-address" default:"4096" placeholder:"COUNT" help:"How many connections an address may have open, by default 4096 of 16384; an IPv6 address counts by its /64."`
	Operator    string         `default:"127.0.0.1:8081" placeholder:"ADDRESS" help:"Where operators are served, by default 127.0.0.1:8081, with /metrics, /healthz and /readyz; port 0 picks a free one."`
	Hosts       []string       `name:"operator-host" placeholder:"NAME" help:"Names by which operators reach --operator, beside addresses, localhost and the name of the machine; others are refused."`
	Tick        time.Duration  `default:"100ms" help:"How often it is looked whether a timer is due: kill switches, maintenance, delisting."`
	ClockBound  time.Duration  `default:"1m" help:"How far the machine's clock may jump, or be behind the log, before commands are refused."`
	AcceptClock bool           `help:"Start even if the machine's clock is further behind the log than that; the exchange goes on from the log's time."`
	ChainNode   []string       `name:"chain-node" placeholder:"NAME=URL" secret:"url" help:"A node of a chain that others live on, such as BTC=http://user:password@127.0.0.1:8332, by the name of the chain here; can be given several times. Of several nodes of a chain more than half must say the same."`
	Signer      string         `default:"hot" placeholder:"SIGNER" help:"Who signs what is paid on these chains: hot (the seed in the data directory), manual:DIR (files that are signed elsewhere), remote:URL ('bourse signer' on a machine of its own) or none; by default hot."`
	Cold        string         `placeholder:"DIR" type:"path" help:"The directory of cold storage: it has the public keys of a seed that is online nowhere (custody.public), and what comes back from there is signed in it as with manual:DIR. What is above a network's hot_cap goes to cold storage."`
	WebhookDeny []netip.Prefix `name:"webhook-deny" placeholder:"PREFIX" help:"Addresses that events are never sent to, beside those that are not public and the exchange's own, such as 203.0.113.0/24; can be given several times."`
	Retire      []string       `placeholder:"FORM=DATE" help:"From the beginning of this day (UTC) on refuse an older form of requests, such as long-stp=2027-03-01: long-stp (cancel_both, cancel_new, cancel_old) or flat-travel-rule; can be given several times, by default none is refused."`
	Pool        poolFlags      `embed:"" prefix:"pool-"`
	Log         logFlags       `embed:""`
	Journal     journalFlags   `embed:""`
}

func (c *serveCmd) Run(out stdout, errs stderr) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// From the first signal on the next one does what it does to every program: end it at once.
	context.AfterFunc(ctx, stop)
	log := c.Log.logger(errs)
	if c.Demo {
		c.Pool.play()
	}
	// Before anything is made: an address that cannot be had leaves no directory behind.
	d, err := c.listen()
	if err != nil {
		return err
	}
	defer d.close()
	o := c.options(log)
	if o.PublicURL == "" {
		o.PublicURL = c.publicURL(d.clients.Addr())
	}
	if len(o.Stratum) == 0 {
		o.Stratum = d.stratum()
	}
	var world *demo.World
	if c.Demo {
		o.Prepare = func(ctx context.Context, n *node.Node) (err error) {
			world, err = demo.Prepare(ctx, n, c.Data)
			return err
		}
		o.Sandbox, o.Guests = true, func() []byte { return world.Guests() }
	}
	x, err := exchange.Open(ctx, o)
	if err != nil {
		return err
	}
	err = c.serve(ctx, x, world, d, out, log)
	stop() // for certain before anything is closed, so that a second signal is never taken for the first
	return errors.Join(err, x.Close())
}

func (c *serveCmd) options(log *slog.Logger) exchange.Options {
	o := exchange.Options{
		Node:     node.Options{Journal: c.Journal.options(c.Data), MasterKey: c.MasterKey, TickInterval: c.Tick, ClockBound: c.ClockBound, AcceptClock: c.AcceptClock},
		Database: c.Database, HistoryKeep: c.HistoryKeep, Region: schema.Global, Version: version, OperatorHosts: c.Hosts, Signer: c.Signer, Cold: c.Cold,
		REST: rest.Options{
			Trusted: c.Trusted, Proxies: c.Proxy, Factor: c.LimitFactor, Unlimited: c.NoLimits, PerAddress: c.PerAddress,
			Origins: c.CORSOrigin, Certificate: c.TLSCert, Key: c.TLSKey,
		},
		Webhooks:    webhook.Options{Denied: c.WebhookDeny},
		HashCommand: argon.Self(),
		Log:         log,
	}
	o.Chains = chainNodes(c.ChainNode)
	o.Retire = c.retire()
	if c.Region == schema.EU.String() {
		o.Region = schema.EU
	}
	o.WebURL, o.PublicURL = c.PublicURL, c.PublicURL
	o.Stratum, o.PoolLocation = c.Pool.URL, c.Pool.Location
	return o
}

// publicURL is where people on this machine reach the listener for clients: by the name that --listen has, if it has one, since a
// certificate is for that.
func (c *serveCmd) publicURL(clients net.Addr) string {
	at := reachable(clients)
	host, _, _ := net.SplitHostPort(c.Listen)
	if _, err := netip.ParseAddr(host); host != "" && err != nil {
		_, port, _ := net.SplitHostPort(at)
		at = net.JoinHostPort(host, port)
	}
	return c.scheme() + "://" + at
}

// scheme is how the API is served.
func (c *serveCmd) scheme() string {
	if c.TLSCert != "" {
		return "https"
	}
	return "http"
}

// serve answers until it is asked to stop or cannot go on; with the bots of a world, if there is one.
func (c *serveCmd) serve(ctx context.Context, x *exchange.Exchange, world *demo.World, d *doors, out io.Writer, log *slog.Logger) error {
	if c.Setup != "" {
		if err := c.setUp(ctx, x); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "listening on %s://%s\n", c.scheme(), d.clients.Addr())
	fmt.Fprintf(out, "operators on http://%s\n", d.operators.Addr())
	served := make(chan error, 4)
	if world == nil || world.Mines() {
		if err := c.Pool.serve(x, d, out, served); err != nil {
			return err
		}
	}
	go func() { served <- x.Serve(d.clients) }()
	go func() { served <- x.ServeOperators(d.operators) }()
	if world != nil {
		living, end := context.WithCancel(ctx)
		wait, err := live(living, world, x, d, out, log)
		if err != nil {
			end()
			return err
		}
		defer wait()
		defer end()
	}
	announce(notify.Ready, log)
	defer announce(notify.Stopping, log)
	select {
	case <-ctx.Done():
		return nil
	case <-x.Node.Done():
		return nil // closing the exchange says why
	case err := <-served:
		return err
	}
}

// announce notifies the service manager, if there is one. The exchange goes on if it does not listen.
func announce(state string, log *slog.Logger) {
	if err := notify.Send(state); err != nil {
		log.Warn("the service manager did not hear the state", "error", err)
	}
}

// doors are where clients and operators come in.
type doors struct {
	clients, operators net.Listener
	miners, minersTLS  net.Listener // nil: the pool is not served here
}

func (c *serveCmd) listen() (*doors, error) {
	clients, err := listen(c.Listen, "--listen")
	if err != nil {
		return nil, err
	}
	operators, err := listen(c.Operator, "--operator")
	if err != nil {
		return nil, errors.Join(err, clients.Close())
	}
	d := &doors{clients: clients, operators: operators}
	if err := c.Pool.listen(d); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// close ends what was not served; a listener that was is closed already.
func (d *doors) close() {
	_ = d.clients.Close()
	_ = d.operators.Close()
	for _, ln := range []net.Listener{d.miners, d.minersTLS} {
		if ln != nil {
			_ = ln.Close()
		}
	}
}

func listen(address, flag string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with %s", err, flag)
	}
	return ln, nil
}

// setUp applies the set-up file.
func (c *serveCmd) setUp(ctx context.Context, x *exchange.Exchange) error {
	file, err := readSetup(c.Setup)
	if err != nil {
		return err
	}
	err = file.Apply(ctx, x.Node)
	if errors.Is(err, setup.ErrRefused) {
		err = fmt.Errorf("%s: %w. What stands before it was applied; correct the file and start again, that goes on from there", c.Setup, err)
	}
	if err == nil {
		err = x.Apart() // it may have brought a chain
	}
	return err
}

func readSetup(path string) (*setup.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return setup.Read(file)
}
