package main

import (
	"errors"
	"fmt"
	"strings"

	"bourse/internal/node"
)

// passCmd lets an exchange go on without a command.
type passCmd struct {
	Data    string       `required:"" placeholder:"DIR" type:"path" help:"The data directory of the exchange, which must not be running."`
	Batch   uint64       `required:"" help:"The batch of the command, as the error of 'bourse serve' names it."`
	Command int          `required:"" placeholder:"N" help:"The place of the command in the batch, from 1."`
	Reason  string       `required:"" placeholder:"TEXT" help:"Why; it is kept with the decision."`
	Journal journalFlags `embed:""`
}

func (passCmd) Help() string {
	return `When the core panics at a command that is in the log, the exchange stops, and stops there again whenever it
is started: 'bourse serve' names the command and ends with the exit code 6. Report it, and try another
version first. This passes over exactly that command: it changes nothing, as if it had been refused. Any
other command is left alone, and so is one that can be applied.

The decision is written to the file 'passes' in the data directory, with its time, its reason and the hash of
the batch; the log is not changed. It is part of the exchange from then on: keep it with the log, and copy it
to the data directory of every node on the same log, or their states differ.`
}

func (c *passCmd) Run(out stdout) error {
	if strings.TrimSpace(c.Reason) == "" {
		return errors.New("--reason must say why")
	}
	ctx, stop := interruptible()
	defer stop()
	p, err := node.Pass(ctx, node.Options{Journal: c.Journal.options(c.Data)}, c.Batch, c.Command, c.Reason)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "command %d of batch %d (%s) is passed over from now on\n", p.Command, p.Batch, p.Kind)
	return nil
}
