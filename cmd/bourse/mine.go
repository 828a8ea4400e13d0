package main

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"os"
	"time"

	"bourse/internal/miner"
)

// mineCmd is a miner.
type mineCmd struct {
	URL      string        `arg:"" name:"url" help:"The pool: stratum+tcp://HOST:PORT or stratum+tls://HOST:PORT."`
	User     string        `required:"" placeholder:"NAME" help:"Who mines: the name of a mining account, a dot, and a name for the worker."`
	Password string        `default:"x" placeholder:"TEXT" help:"A password for the pool, by default x; few pools look at it."`
	Threads  int           `default:"1" placeholder:"COUNT" help:"How many threads search, by default 1."`
	Time     time.Duration `placeholder:"DURATION" help:"Stop after so long, such as 10m; by default it goes on until it is stopped."`
	Rate     int           `placeholder:"HASHES" help:"How many hashes a thread tries in a second at most; by default as many as it can."`
	CA       string        `name:"ca" placeholder:"FILE" type:"existingfile" help:"Certificates (PEM) that are believed, instead of those of the machine."`
	Every    time.Duration `default:"10s" placeholder:"DURATION" help:"How often it prints how it goes, by default each 10s."`
	Log      logFlags      `embed:""`
}

func (mineCmd) Help() string {
	return `A small miner on processors, to try a mining pool with. It speaks Stratum v1, chooses bits of the version if the
pool lets it, and connects again when the pool is gone. What it finds is worth something on chains for tests and in
sandboxes only.

It prints a line now and then: hashes in a second since the line before, and the shares that the pool accepted and
rejected since it began; at the end, hashes in a second of all the time. Where every hash is a share, as on
regtest, --rate 10 keeps the pool from closing the door.`
}

func (c *mineCmd) Run(out stdout, errs stderr) error {
	ctx, stop := interruptible()
	defer stop()
	if c.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Time)
		defer cancel()
	}
	o := miner.Options{URL: c.URL, User: c.User, Password: c.Password, Threads: c.Threads, Rate: c.Rate, Log: c.Log.logger(errs)}
	if c.CA != "" {
		text, err := os.ReadFile(c.CA)
		if err != nil {
			return err
		}
		o.Roots = x509.NewCertPool()
		o.Roots.AppendCertsFromPEM(text)
	}
	m, err := miner.New(o)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		m.Run(ctx)
		close(done)
	}()
	line := time.NewTicker(max(c.Every, 10*time.Millisecond))
	defer line.Stop()
	var last miner.Stats
	began := time.Now()
	for since := began; ; {
		select {
		case <-line.C:
		case <-done:
			return printMining(out, miner.Stats{}, m.Stats(), time.Since(began)) // of all the time
		}
		now := time.Now()
		s := m.Stats()
		if err := printMining(out, last, s, now.Sub(since)); err != nil {
			return err
		}
		last, since = s, now
	}
}

// printMining prints how it goes.
func printMining(out io.Writer, last, now miner.Stats, took time.Duration) error {
	rate := float64(now.Hashes-last.Hashes) / took.Seconds()
	_, err := fmt.Fprintf(out, "%s  accepted %d  rejected %d\n", hashrate(rate), now.Accepted, now.Rejected)
	return err
}

// hashrate writes hashes in a second for people.
func hashrate(rate float64) string {
	unit := 0
	units := []string{"H/s", "kH/s", "MH/s", "GH/s"}
	for rate >= 1000 && unit < len(units)-1 {
		rate /= 1000
		unit++
	}
	return fmt.Sprintf("%.2f %s", rate, units[unit])
}
