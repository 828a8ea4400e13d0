package main

import (
	"context"
	"fmt"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"bourse/internal/drill"
	"bourse/internal/node"
)

type drillCmd struct {
	Data     string `required:"" placeholder:"DIR" type:"path" help:"The data directory: an empty one, or one of an earlier drill."`
	Clients  int    `default:"8" help:"How many clients send commands at the same time."`
	Seconds  int    `xor:"end" placeholder:"N" help:"Stop after so many seconds."`
	Commands int    `xor:"end" placeholder:"N" help:"Stop after so many commands."`
	Seed     uint64 `default:"1" help:"What the clients do follows from it."`
	Snapshot int    `default:"100000" placeholder:"N" help:"Write a snapshot after so many commands."`

	Journal journalFlags `embed:""`
}

func (drillCmd) Help() string {
	return `A load on a real exchange in a real directory, to see what the disk does and whether a
crash loses anything. Each command is a line "sent CLIENT COUNTER" before it is sent and a line
"ack CLIENT COUNTER KIND RESULT" when it is durable and applied. Kill the process whenever you
like and start it again on the same directory. SIGTERM or Ctrl-C ends it in order: everything
accepted is answered, a snapshot is written, and the line "state SEQ HASH" shows the state.`
}

// Validate is called by kong.
func (c *drillCmd) Validate() error {
	if c.Clients < 1 || c.Clients > 10_000 || c.Seconds < 0 || c.Commands < 0 || c.Snapshot < 1 {
		return fmt.Errorf("clients must be 1 to 10000, seconds and commands not negative, snapshot at least 1")
	}
	return nil
}

func (c *drillCmd) Run(out stdout, progress stderr) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if c.Seconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(c.Seconds)*time.Second)
		defer cancel()
	}
	options := node.Options{
		Journal: c.Journal.options(c.Data), SnapshotCommands: c.Snapshot, TickInterval: 100 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(progress, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	return drill.Run(ctx, drill.Options{
		Node: options, Clients: c.Clients, Commands: c.Commands, Seed: c.Seed, Lines: out, Progress: progress,
	})
}
