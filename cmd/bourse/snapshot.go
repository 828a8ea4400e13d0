package main

import (
	"context"
	"fmt"

	"bourse/internal/archive"
)

type snapshotCmd struct {
	dataFlag
}

func (snapshotCmd) Help() string {
	return `Rebuilds the state at the end of the log and writes it to the data directory, so that the exchange
starts from there. The exchange does so by itself, too; this is for a directory whose snapshots were
lost or removed. What was written is read back and restored before older ones go. The three newest ones
are kept.`
}

func (c *snapshotCmd) Run(out stdout, errs stderr) error {
	return c.look(errs, func(ctx context.Context, a *archive.Archive) error {
		p, err := a.Snapshot(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "snapshot of batch %d, %s\nhash %x\n", p.Mark.Seq, p.Machine.Time(), p.Machine.Hash())
		return nil
	})
}
