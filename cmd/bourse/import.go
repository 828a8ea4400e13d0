package main

import (
	"fmt"
	"io"
	"os"

	"bourse/internal/archive"
)

type importCmd struct {
	Data string `required:"" placeholder:"DIR" type:"path" help:"The data directory to make. It must not be there yet, or be empty."`
	In   string `placeholder:"FILE" type:"path" help:"Read from a file instead of standard input."`
}

func (importCmd) Help() string {
	return `Reads what 'bourse export' wrote and makes a fresh data directory with the same batches. The state at
the end must have the hash that the last line says; without "hash" in it that is not checked, for
lines that were changed on purpose. A line that cannot be read is an error that names it. The
directory grows as DIR.new and gets its name when it is whole; after an error nothing is left.`
}

func (c *importCmd) Run(out stdout, errs stderr) error {
	ctx, stop := interruptible()
	defer stop()
	var in io.Reader = os.Stdin
	if c.In != "" {
		file, err := os.Open(c.In)
		if err != nil {
			return fmt.Errorf("reading the lines: %w", err)
		}
		defer file.Close()
		in = file
	}
	bar := newProgress(errs)
	p, err := archive.Import(ctx, c.Data, in, bar.show)
	bar.clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "imported %d batches, %d commands\nhash %x\n", p.Mark.Seq, p.Commands, p.Machine.Hash())
	return nil
}
