package archive

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"bourse/internal/journal"
	"bourse/internal/replay"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// maxLine bounds a line. A command fits a batch, and JSON makes it longer by less than this.
const maxLine = 16 * journal.MaxBatch

// Import makes a data directory from the lines of an export and returns the state at their end.
func Import(ctx context.Context, path string, r io.Reader, progress Progress) (p *Past, err error) {
	err = fresh(path, func(aside string) (err error) {
		p, err = importTo(ctx, aside, r, progress)
		return err
	})
	return p, err
}

func importTo(ctx context.Context, path string, r io.Reader, progress Progress) (*Past, error) {
	i := &importer{ctx: ctx, past: NewPast(), progress: progress}
	return i.past, found(ctx, path, func(dir *journal.Dir, log *journal.Journal) (journal.Mark, error) {
		i.dir, i.log = dir, log
		err := i.read(r)
		return i.past.Mark, err
	})
}

// passing is a command of the batch being gathered that is passed over.
type passing struct {
	place    int // in the batch, from 1
	command  schema.Command
	decision decision
}

// importer gathers the lines of a batch and stores them when the next one begins.
type importer struct {
	ctx      context.Context
	dir      *journal.Dir
	log      *journal.Journal
	past     *Past
	progress Progress
	commands []byte
	count    int       // of them
	passed   []passing // those of them that are passed over
	memory   []byte
}

// read goes through the lines; an error names the line.
func (i *importer) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	n, ended := 0, false
	for lines.Scan() {
		n++
		var err error
		switch {
		case n == 1:
			err = i.head(lines.Bytes())
		case ended:
			err = errors.New("it stands behind the last one")
		default:
			ended, err = i.line(lines.Bytes())
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading line %d: %w", n+1, err)
	}
	if !ended {
		return fmt.Errorf("the lines end after line %d without a last line {\"end\":true,…}: the file was cut off; export again", n)
	}
	return nil
}

func (i *importer) head(data []byte) error {
	var h head
	if err := wire.DecodeJSON(data, &h); err != nil {
		return errors.Join((&head{}).check(), err)
	}
	return h.check()
}

// line takes a command, or the end.
func (i *importer) line(data []byte) (end bool, err error) {
	var l line
	if err := wire.DecodeJSON(data, &l); err != nil {
		return false, err
	}
	if err := l.check(); err != nil {
		return false, err
	}
	// The batch that is being gathered is the one behind the mark.
	next := i.past.Mark.Seq + 1
	if len(i.commands) > 0 && l.Batch != next {
		if err := i.store(); err != nil {
			return false, err
		}
		next++
	}
	if l.Foot.End {
		return true, l.Foot.holds(i.past)
	}
	if l.Batch != next {
		return false, fmt.Errorf("batch %d comes where batch %d should be: batches stand in a row from 1, without gaps", l.Batch, next)
	}
	i.commands = schema.AppendEnvelope(i.commands, &l.Command)
	i.count++
	if l.Decision.Passed {
		i.passed = append(i.passed, passing{i.count, l.Command.Command, l.Decision})
	}
	return false, nil
}

// store puts the batch that was gathered into the log and lets it happen.
func (i *importer) store() error {
	b := journal.Batch{Seq: i.past.Mark.Seq + 1, Prev: i.past.Mark.Hash, Commands: i.commands}
	// Ids tell batches of running nodes apart. One that follows from the batch makes the same
	// lines give the same log.
	sum := sha256.Sum256(append(append([]byte(nil), b.Prev[:]...), b.Commands...))
	copy(b.ID[:], sum[:])
	i.memory = b.Append(i.memory[:0])
	if len(i.memory) > journal.MaxBatch {
		return fmt.Errorf("batch %d has %d bytes, the most is %d: give its last commands to the next batch", b.Seq, len(i.memory), journal.MaxBatch)
	}
	if err := i.log.Store(i.ctx, i.memory, i.past.Mark.Seq); err != nil {
		return fmt.Errorf("storing batch %d: %w", b.Seq, err)
	}
	commands, err := replay.Decode(&b)
	if err != nil {
		return err
	}
	mark := journal.Mark{Seq: b.Seq, Hash: b.Hash()}
	if err := i.pass(mark); err != nil {
		return err
	}
	if err := i.past.apply(&replay.Batch{Mark: mark, Commands: commands}, 0, nil); err != nil {
		return err
	}
	i.commands, i.count, i.passed = i.commands[:0], 0, i.passed[:0]
	i.progress(b.Seq, 0)
	return nil
}

// pass decides about the batch in the new log as was decided about it in the old one, whose hashes
// were others.
func (i *importer) pass(mark journal.Mark) error {
	for _, p := range i.passed {
		decided := journal.NewPass(mark, p.place, p.command, p.decision.Reason, time.UnixMicro(int64(p.decision.Decided)))
		if err := i.dir.AddPass(decided); err != nil {
			return err
		}
		i.past.passes = append(i.past.passes, decided)
	}
	return nil
}
