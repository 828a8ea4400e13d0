package archive

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// fresh makes a data directory. It grows beside its place and is moved there when it is whole;
// after an error nothing is left of it.
func fresh(path string, grow func(aside string) error) error {
	if err := vacant(path); err != nil {
		return err
	}
	path = filepath.Clean(path)
	aside := path + ".new"
	if _, err := os.Lstat(aside); err == nil {
		return fmt.Errorf("%s is left of an import or a restore that did not end: remove it", aside)
	}
	err := grow(aside)
	if err == nil {
		err = settle(aside, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(aside))
	}
	return nil
}

// vacant checks that nothing stands where the directory will be.
func vacant(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking at the data directory: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: a fresh data directory is made; name one that is not there yet", path)
	}
	return nil
}

// settle makes what was written durable and moves it to its place.
func settle(aside, path string) error {
	err := filepath.WalkDir(aside, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncPath(name)
	})
	if err != nil {
		return fmt.Errorf("making the new data directory durable: %w", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replacing the empty directory: %w", err)
	}
	if err := os.Rename(aside, path); err != nil {
		return fmt.Errorf("moving the new data directory to its place: %w", err)
	}
	return syncPath(filepath.Dir(path))
}

func syncPath(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func importTo(ctx context.Context, path string, r io.Reader, progress Progress) (p *Past, err error) {
	dir, err := journal.OpenDir(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	// Nothing is acknowledged before the end, so one sync there is enough.
	log, err := journal.Open(ctx, journal.Options{Dir: path, SyncInterval: time.Hour})
	if err != nil {
		return nil, err
	}
	defer log.Close()
	i := &importer{ctx: ctx, log: log, past: NewPast(), progress: progress}
	if err := i.read(r); err != nil {
		return nil, err
	}
	watermark, _, err := dir.OpenWatermark()
	if err != nil {
		return nil, err
	}
	return i.past, errors.Join(watermark.Set(i.past.Mark), watermark.Close())
}

// importer gathers the lines of a batch and stores them when the next one begins.
type importer struct {
	ctx      context.Context
	log      *journal.Journal
	past     *Past
	progress Progress
	commands []byte
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
	if err := i.past.apply(&replay.Batch{Mark: journal.Mark{Seq: b.Seq, Hash: b.Hash()}, Commands: commands}, 0, nil); err != nil {
		return err
	}
	i.commands = i.commands[:0]
	i.progress(b.Seq, 0)
	return nil
}
