// Package drill puts a load on a real node in a real data directory and says aloud what it does:
// a line before each command is sent and a line when it is acknowledged. A reader of the lines
// can kill the process at any moment and hold the log against them afterwards.
//
// What it promises: what every client sends follows from the seed, the place of the log where
// the run began, and the answers the client got. So a log can be checked command by command
// against what must have been sent, and a line is printed only after its command was acknowledged.
package drill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"bourse/internal/core"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// Options of a drill.
type Options struct {
	Node     node.Options
	Clients  int
	Commands int // how many the clients send together; 0: until the context ends
	Seed     uint64
	Lines    io.Writer // what was sent and acknowledged
	Progress io.Writer // for people
}

// Run drives a node until the commands are sent or the context ends, drains it and prints the
// state that it leaves behind.
func Run(ctx context.Context, o Options) error {
	n, err := node.Open(ctx, o.Node)
	if err != nil {
		return err
	}
	if err := n.Initialize(ctx); err != nil {
		return errors.Join(err, n.Close())
	}
	d := &drill{options: o, node: n, lines: &lines{to: o.Lines}}
	var giveUp context.CancelFunc
	d.grace, giveUp = context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	context.AfterFunc(ctx, func() { time.AfterFunc(drainTime, giveUp) })
	err = d.work(ctx)
	// The state is read after Close: until then a timer may still change it.
	if err := errors.Join(err, n.Close()); err != nil {
		return err
	}
	n.Read(func(m core.View) { d.lines.print("state %d %x\n", n.Mark().Seq, m.Hash()) })
	return d.lines.err
}

// drainTime is how long what was accepted is waited for after the drill was asked to end.
const drainTime = 10 * time.Second

// drill is one run.
type drill struct {
	options Options
	node    *node.Node
	lines   *lines
	// grace ends some time after the drill was asked to end: a node whose disk is full answers
	// nobody.
	grace context.Context
	taken atomic.Int64 // commands that clients have begun
	done  atomic.Int64 // commands that were acknowledged
}

func (d *drill) work(ctx context.Context) error {
	run := d.node.Mark().Seq
	d.lines.print("run %d %d %d\n", run, d.options.Clients, d.options.Seed)
	if err := d.prepare(); err != nil {
		return err
	}
	var clients []*client
	d.node.Read(func(m core.View) { clients = newClients(m, d.options.Clients, run, d.options.Seed) })

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	times := make([]timings, len(clients))
	began := time.Now()
	stopped := make(chan struct{})
	go d.progress(began, stopped)
	var wait sync.WaitGroup
	for i, c := range clients {
		wait.Go(func() {
			if err := d.drive(ctx, c, &times[i]); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	close(stopped)
	d.summary(times, time.Since(began))
	if err := context.Cause(ctx); ctx.Err() != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// drive lets one client send one command after the other.
func (d *drill) drive(ctx context.Context, c *client, t *timings) error {
	for ctx.Err() == nil {
		if limit := d.options.Commands; d.taken.Add(1) > int64(limit) && limit > 0 {
			return nil
		}
		command := c.next()
		began := time.Now()
		if err := d.submit(c.number, c.counter, command, c.answered); err != nil {
			return err
		}
		t.add(time.Since(began))
		d.done.Add(1)
	}
	return nil
}

// submit sends a command and prints both lines. What was accepted is waited for, also when the
// drill was asked to end.
func (d *drill) submit(client, counter int, command schema.Command, answered func(*schema.Result)) error {
	d.lines.print("sent %d %d\n", client, counter)
	var result schema.Result
	if err := d.node.Submit(d.grace, command, &result); err != nil {
		return fmt.Errorf("command %d of client %d: %w", counter, client, err)
	}
	d.lines.print("ack %d %d %s\n", client, counter, answer(command, &result))
	answered(&result)
	return d.lines.failed()
}

// prepare lists and opens what the drill needs and is not there yet. It goes by the state and
// not by memory, because an earlier run may have died anywhere.
func (d *drill) prepare() error {
	var err error
	d.node.Read(func(m core.View) { err = checkOwner(m) })
	for counter := 1; err == nil; counter++ {
		var command schema.Command
		d.node.Read(func(m core.View) { command = missing(m, d.options.Clients) })
		if command == nil {
			return nil
		}
		var refused error
		err = d.submit(0, counter, command, func(r *schema.Result) {
			if r.Rejection.Refused() {
				refused = fmt.Errorf("preparing the drill: %T: %s", command, r.Rejection.Text())
			}
		})
		err = errors.Join(err, refused)
	}
	return err
}
