package archive

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"

	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Export writes the log as JSON lines and returns the state at its end.
func (a *Archive) Export(ctx context.Context, w io.Writer) (*Past, error) {
	out := bufio.NewWriterSize(w, 1<<20)
	var memory []byte
	write := func(m wire.Message) error {
		memory = append(wire.AppendJSON(memory[:0], m), '\n')
		if _, err := out.Write(memory); err != nil {
			return fmt.Errorf("writing the export: %w", err)
		}
		return nil
	}
	if err := write(&head{linesFormat, linesVersion}); err != nil {
		return nil, err
	}
	p := NewPast()
	p.passed = func(batch uint64, c *schema.Envelope, pass *journal.Pass) error {
		return write(&line{Batch: batch, Command: *c, Decision: decision{true, pass.Reason, schema.Time(pass.Time.UnixMicro())}})
	}
	err := a.Replay(ctx, p, Limit{}, func(h *CommandEvents) error {
		return write(&line{Batch: h.Batch, Command: *h.Envelope})
	})
	if err != nil {
		return nil, err
	}
	hash := p.Machine.Hash()
	err = write(&foot{End: true, Batches: p.Mark.Seq, Commands: p.Commands, Hash: hex.EncodeToString(hash[:])})
	if err != nil {
		return nil, err
	}
	if err := out.Flush(); err != nil {
		return nil, fmt.Errorf("writing the export: %w", err)
	}
	return p, nil
}
