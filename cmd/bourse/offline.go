package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"bourse/internal/archive"
)

// dataFlag is where the commands find the exchange that they look at while it does not run.
type dataFlag struct {
	Data string `required:"" placeholder:"DIR" type:"path" help:"The data directory of the exchange, which must not be running."`
}

// look opens the archive of the data directory, lets work look at it and closes it. Control-C
// ends it in order.
func (f *dataFlag) look(errs io.Writer, work func(context.Context, *archive.Archive) error) error {
	ctx, stop := interruptible()
	defer stop()
	a, err := archive.Open(f.Data)
	if err != nil {
		return err
	}
	bar := newProgress(errs)
	a.Progress = bar.show
	err = work(ctx, a)
	bar.clear()
	return errors.Join(err, a.Close())
}

// interruptible ends with the first signal; a second one kills the process as usual, for work
// that waits for input and cannot see the first.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// progress shows a person how far long work is: with a bar on a terminal, otherwise with a line
// now and then.
type progress struct {
	out      io.Writer
	of       string // what is counted if nobody knows how much there is
	terminal bool
	every    time.Duration
	next     time.Time
	shown    bool
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, of: "batches", terminal: isTerminal(out), every: 10 * time.Second}
	if p.terminal {
		p.every = 100 * time.Millisecond
	}
	p.next = time.Now().Add(p.every)
	return p
}

func isTerminal(out io.Writer) bool {
	file, is := out.(*os.File)
	if !is {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// barWidth is that of the bar without the numbers beside it.
const barWidth = 40

func (p *progress) show(done, total uint64) {
	// The clock is asked now and then: looking at it costs as much as a small batch.
	if done%64 != 0 && done != total || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(p.every)
	text := fmt.Sprintf("%d %s", done, p.of)
	if total > 0 {
		text = fmt.Sprintf("batch %d of %d, %d %%", done, total, done*100/total)
	}
	if !p.terminal {
		fmt.Fprintln(p.out, text)
		return
	}
	if total > 0 {
		full := int(done * barWidth / total)
		text = strings.Repeat("█", full) + strings.Repeat("░", barWidth-full) + " " + text
	}
	fmt.Fprintf(p.out, "\r%s\x1b[K", text)
	p.shown = true
}

// clear takes the bar away.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
