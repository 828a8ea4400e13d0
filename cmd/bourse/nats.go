package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/nats-io/nats-server/v2/server"

	"bourse/internal/journal"
)

// natsCmd runs a server of the cluster that keeps the log. Its settings are those of NATS, in a file of
// NATS.
type natsCmd struct {
	Config string   `required:"" placeholder:"FILE" type:"existingfile" help:"The configuration, in the format of nats-server."`
	Name   string   `placeholder:"NAME" help:"The name of the server in the cluster, instead of server_name in the file."`
	Check  bool     `help:"Only check the configuration."`
	Log    logFlags `embed:""`

	server *server.Server
}

func (natsCmd) Help() string {
	return `A cluster of such servers keeps one log for several nodes, which find it by --nats and --replicas 3 of
'bourse serve'. It is the server of NATS with JetStream, and takes the same file: TLS, accounts and limits
are set as the documentation of NATS says. What differs is how soon another server leads when the leader
of the log is gone: after 1.5 to 3 s instead of 4 to 9. A cluster of plain NATS servers works as well, and
so does one with both, while it is upgraded one server after the other.

The file must say jetstream { sync_interval: always } and max_payload: 8MB, or more; deploy/nats.conf is an
example. It is read at the start only. With a port for monitoring (http: 8222) 'bourse health --url
http://127.0.0.1:8222' says whether the server is well.

Runs until SIGTERM or Ctrl-C, and then ends with 0. A configuration that is wrong ends it with 2.`
}

// AfterApply is called by kong: a wrong configuration is wrong usage, found before anything is opened.
func (c *natsCmd) AfterApply() (err error) {
	if c.server, err = c.make(); err != nil {
		return fmt.Errorf("--config: %s: %w", c.Config, err)
	}
	return nil
}

func (c *natsCmd) make() (*server.Server, error) {
	o, err := server.ProcessConfigFile(c.Config)
	if err != nil {
		return nil, err
	}
	if o.LogFile != "" || o.Syslog || o.Debug || o.Trace {
		return nil, errors.New("the log goes to standard error, as --log-level and --log-json say; leave out log_file, syslog, debug and trace")
	}
	if err := journal.CheckMember(o); err != nil {
		return nil, err
	}
	if c.Name != "" {
		o.ServerName = c.Name
	}
	o.NoSigs = true // signals are ours
	return journal.NewMember(o)
}

func (c *natsCmd) Run(errs stderr) error {
	if c.Check {
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// From the first signal on the next one ends the program at once, as with serve.
	context.AfterFunc(ctx, stop)
	return journal.RunMember(ctx, c.server, c.Log.logger(errs))
}
