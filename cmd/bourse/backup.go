package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"bourse/internal/archive"
	"bourse/internal/console"
	"bourse/internal/custody"
	"bourse/internal/journal"
)

// backupCmd copies an exchange: through the operators' API while it runs, out of its directory
// while it does not.
type backupCmd struct {
	Out       string `required:"" placeholder:"FILE" type:"path" help:"The file to write. It is there only when it is whole."`
	Data      string `default:"data" placeholder:"DIR" type:"path" help:"The data directory of the exchange; by default ./data."`
	URL       string `name:"url" env:"BOURSE_OPERATOR_URL" placeholder:"URL" help:"Where operators of the running exchange are served; by default http://127.0.0.1:8081 if the data directory is in use."`
	TokenFile string `placeholder:"FILE" type:"path" help:"The file with your token; by default that of the data directory."`
	keyFlag   `embed:""`
	WithKeys  bool `help:"Also copy the master key, the seed of custody, the key for a remote signer and the operators' tokens out of the data directory."`
}

func (backupCmd) Help() string {
	return `The backup holds everything that was acknowledged before it began: the log and the newest snapshot, in one
tar file. History and market data are made from the log again. Every batch is checked on the way, so a
backup that was written is whole; a failure leaves no file.

An exchange that runs is asked through its operators' API and goes on meanwhile; one that does not run is
read in its directory. A log on NATS servers is read by a node that runs. API secrets in the log are sealed. The master key that opens them is not in the
backup: keep a copy of DIR/master.key, or of what --master-key names, apart, once, and of DIR/custody.seed where there is one. With --with-keys they are, with the
operators' tokens, and who has the file has the exchange and its coins: encrypt it before it leaves the machine. The API never hands out keys;
they are read from the data directory and, if the exchange has it elsewhere, from --master-key, which must be on this machine.

'bourse restore' makes a data directory from the file.`
}

func (c *backupCmd) Run(out stdout, errs stderr) error {
	ctx, stop := interruptible()
	defer stop()
	var keys archive.Keys
	if c.WithKeys {
		if _, err := c.read(c.Data); err != nil {
			return fmt.Errorf("--with-keys reads the keys of the data directory, which --data names: %w", err)
		}
		keys = archive.Keys{Dir: c.Data, Master: c.MasterKey}
	}
	backup, err := c.open(ctx)
	if err != nil {
		return err
	}
	bar := newProgress(errs)
	var manifest *archive.Manifest
	err = toFile(c.Out, func(file io.Writer) (err error) {
		manifest, err = archive.Keep(file, backup, keys, bar.show)
		return err
	})
	bar.clear()
	if err = errors.Join(err, backup.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "backed up %d batches to %s\n", manifest.Batches, c.Out)
	if !c.WithKeys {
		fmt.Fprintf(out, "the master key is not in it: keep a copy of %s apart\n", c.path(c.Data))
		if seed := filepath.Join(c.Data, custody.SeedFile); exists(seed) {
			fmt.Fprintf(out, "the seed of custody is not in it: keep a copy of %s apart\n", seed)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// open is the backup as it comes, from the process that has the log.
func (c *backupCmd) open(ctx context.Context) (io.ReadCloser, error) {
	if c.URL == "" && !c.elsewhere() {
		a, err := archive.Open(c.Data)
		if err == nil {
			return stream(ctx, a)
		}
		if !errors.Is(err, journal.ErrInUse) {
			return nil, err
		}
	}
	at := operatorCmd{URL: c.URL, TokenFile: c.TokenFile, Data: c.Data}
	if at.URL == "" {
		at.URL = "http://127.0.0.1:8081"
	}
	to, err := at.console()
	if err != nil {
		return nil, err
	}
	return to.Stream(ctx, console.Request{Method: "GET", Path: console.Path("backup")})
}

// elsewhere reports whether the log of the directory is on NATS servers: then only a running node
// can read it.
func (c *backupCmd) elsewhere() bool {
	_, ours := os.Stat(filepath.Join(c.Data, "format"))
	_, log := os.Stat(filepath.Join(c.Data, "journal"))
	return ours == nil && errors.Is(log, fs.ErrNotExist)
}

// offline is the backup of a directory whose exchange does not run.
type offline struct {
	*io.PipeReader
	archive *archive.Archive
	written chan struct{}
}

func stream(ctx context.Context, a *archive.Archive) (io.ReadCloser, error) {
	source, err := a.Backup(ctx)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	r, w := io.Pipe()
	o := &offline{PipeReader: r, archive: a, written: make(chan struct{})}
	go func() {
		defer close(o.written)
		w.CloseWithError(source.Write(ctx, w))
	}()
	return o, nil
}

// Close ends the writer before the directory is given free.
func (o *offline) Close() error {
	o.PipeReader.Close()
	<-o.written
	return o.archive.Close()
}

// restoreCmd makes a data directory from a backup.
type restoreCmd struct {
	Data    string `required:"" placeholder:"DIR" type:"path" help:"The data directory to make. It must not be there yet, or be empty."`
	In      string `required:"" placeholder:"FILE" type:"path" help:"The backup."`
	keyFlag `embed:""`
}

func (restoreCmd) Help() string {
	return `Reads what 'bourse backup' wrote and makes a fresh data directory with the same log, checking every batch.
Then 'bourse verify --data DIR' lives through it and checks every invariant, and 'bourse serve --data DIR'
goes on from there. The log is in the directory, also if the original's was on NATS servers. The directory grows as DIR.new and gets its name when it is whole; after an error
nothing is left.

A backup without keys needs the master key of the exchange: put it into DIR/master.key before you serve, and DIR/custody.seed where
there was one. With --master-key the key of a backup that has it comes into that file instead, where no other one may be.
Operators get a new token then. What was acknowledged after the backup began is not in it: customers must
be asked to look at their orders. Give a restored exchange an empty PostgreSQL database, or none: one that
knows more than the log does not fit it any more.`
}

func (c *restoreCmd) Run(out stdout, errs stderr) error {
	ctx, stop := interruptible()
	defer stop()
	file, err := os.Open(c.In)
	if err != nil {
		return fmt.Errorf("reading the backup: %w", err)
	}
	defer file.Close()
	bar := newProgress(errs)
	r, err := archive.Restore(ctx, c.Data, c.MasterKey, file, bar.show)
	bar.clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "restored %d batches of %s to %s\n", r.Batches, r.Made.Format("2006-01-02T15:04:05Z"), c.Data)
	if r.BadSnapshot != nil {
		fmt.Fprintf(out, "without the snapshot, which cannot be used (%v): the first start reads the whole log\n", r.BadSnapshot)
	}
	if _, err := c.read(c.Data); !r.Keys && err != nil {
		fmt.Fprintf(out, "the keys are not in the backup: put the exchange's master key into %s before you serve\n", c.path(c.Data))
	}
	return nil
}
