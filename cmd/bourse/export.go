package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"bourse/internal/archive"
)

type exportCmd struct {
	dataFlag
	Out string `placeholder:"FILE" type:"path" help:"Write to a file instead of standard output. It is there only when it is whole."`
}

func (exportCmd) Help() string {
	return `The first line says what the text is, the last one how many batches and commands there were and the
hash of the state they lead to. Between them each line is a command, with the batch it was stored in
and its time in microseconds since 1970:

  {"batch":7,"time_us":1790000000000000,"deposit":{"account":101,"asset":1,"amount":"2.5"}}

Fields are those of internal/schema/bourse.proto, which also lists the numbers of enumerations.
Decimals are strings, bytes are base64, and what is zero is absent. API secrets stay sealed. A command
that 'bourse pass' decided about has "passed":true and does not happen, after an import neither.
'bourse import' makes a data directory from it again.`
}

func (c *exportCmd) Run(out stdout, errs stderr) error {
	return c.look(errs, func(ctx context.Context, a *archive.Archive) error {
		if c.Out == "" {
			return c.export(ctx, a, out, errs)
		}
		return toFile(c.Out, func(file io.Writer) error { return c.export(ctx, a, file, out) })
	})
}

func (c *exportCmd) export(ctx context.Context, a *archive.Archive, to, said io.Writer) error {
	p, err := a.Export(ctx, to)
	if err != nil {
		return err
	}
	fmt.Fprintf(said, "exported %d batches, %d commands\nhash %x\n", p.Mark.Seq, p.Commands, p.Machine.Hash())
	return nil
}

// toFile writes aside and renames: the file is there only when it is whole.
func toFile(path string, write func(io.Writer) error) error {
	aside := path + ".new"
	file, err := os.OpenFile(aside, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	err = write(file)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	return nil
}
