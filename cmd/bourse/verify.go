package main

import (
	"context"
	"fmt"

	"bourse/internal/archive"
)

type verifyCmd struct {
	dataFlag
}

func (verifyCmd) Help() string {
	return `Reads every batch of the log, checks its checksum and that it continues the batch before it,
lives through all commands from the beginning, checks every invariant (that the money adds up, that
books and orders agree), restores every snapshot, and holds the watermark and the snapshots against
the log. Nothing in the directory is changed.

Each finding stands on a line of its own and says what to do. The exit code is 0 when all is well
and 1 otherwise.`
}

func (c *verifyCmd) Run(out stdout, errs stderr) error {
	return c.look(errs, func(ctx context.Context, a *archive.Archive) error {
		report, err := a.Verify(ctx)
		if err != nil {
			return err
		}
		for _, finding := range report.Findings {
			fmt.Fprintf(out, "finding: %s\n", finding)
		}
		if err := report.Err(); err != nil {
			return fmt.Errorf("%s is not in order: %w", c.Data, err)
		}
		fmt.Fprintf(out, "all is well: batches %d, commands %d, snapshots %d\nhash %x\n",
			report.Batches, report.Commands, report.Snapshots, report.Hash)
		return nil
	})
}
