// Package archive looks at the data directory of an exchange that does not run: it lives through
// the log again, prints what happened to an account, an order or a market, holds log, snapshots
// and watermark against each other, and carries the log to JSON lines and back.
//
// What it promises: everything comes from the log, batch by batch, with checksum and chain
// checked; a damaged log is an error that names the place. It takes the directory's lock, so it
// never looks at an exchange that runs. The log is read from its files and never changed. Snapshot
// writes a snapshot and Import a new directory; nothing else writes anything.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"bourse/internal/core"
	"bourse/internal/journal"
)

// Progress hears how many of how many batches are done; total is 0 when it is not known.
type Progress func(done, total uint64)

// Archive is an open data directory.
type Archive struct {
	Progress Progress

	dir  *journal.Dir
	log  *journal.Files
	last uint64 // the place of the last batch
	// acknowledged is the watermark; badMark says why it cannot be read.
	acknowledged journal.Mark
	badMark      error
	passes       journal.Passes
}

// Open opens a data directory that is there and holds a log. A log that is shorter than what was
// acknowledged is noticed when it is used, not here.
func Open(path string) (*Archive, error) {
	if err := present(path); err != nil {
		return nil, err
	}
	dir, err := journal.LookAt(path)
	if err != nil {
		return nil, err
	}
	a := &Archive{Progress: func(uint64, uint64) {}, dir: dir, log: journal.OpenFiles(path)}
	a.acknowledged, a.badMark = dir.Watermark()
	if a.passes, err = dir.Passes(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.last, err = a.log.Last(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// present checks that there is a data directory, and says which one is wanted if there is none.
func present(path string) error {
	for _, part := range []struct{ name, without string }{
		{"", "there is no directory %s; say with --data where the exchange keeps its data"},
		{journal.FormatFile, "%s is not the data directory of a Bourse: it has no file 'format'"},
		{"journal", "%s holds no log; with a NATS server elsewhere the log is there, and its data directory is the one to look at"},
	} {
		_, err := os.Stat(filepath.Join(path, part.name))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf(part.without, path)
		}
		if err != nil {
			return fmt.Errorf("opening the data directory: %w", err)
		}
	}
	return nil
}

// Close gives the directory free.
func (a *Archive) Close() error { return a.dir.Close() }

// Last is the place of the last batch.
func (a *Archive) Last() uint64 { return a.last }

// whole fails when the log is known to have been longer: what it says is not the whole truth.
func (a *Archive) whole() error {
	if a.badMark != nil {
		return a.badMark
	}
	known, err := a.known()
	if err != nil {
		return err
	}
	if a.last < known {
		return fmt.Errorf("%w: it ends at batch %d, but batch %d was acknowledged: restore the journal from a backup or a replica; "+
			"'bourse verify' says more, and 'bourse replay --to %d' shows what is left", journal.ErrDamaged, a.last, known, a.last)
	}
	return nil
}

// known is the last batch that the watermark or a snapshot knows of.
func (a *Archive) known() (uint64, error) {
	all, err := a.dir.Snapshots()
	if err != nil {
		return 0, err
	}
	known := a.acknowledged.Seq
	if n := len(all); n > 0 {
		known = max(known, all[n-1])
	}
	return known, nil
}

// Snapshot writes a snapshot of the end of the log and returns the state it is of.
func (a *Archive) Snapshot(ctx context.Context) (*Past, error) {
	if err := a.whole(); err != nil {
		return nil, err
	}
	if a.last == 0 {
		return nil, errors.New("the log is empty: there is nothing to write a snapshot of")
	}
	p, err := a.nearest(ctx, Limit{})
	if err != nil {
		return nil, err
	}
	if err := a.Replay(ctx, p, Limit{}, nil); err != nil {
		return nil, err
	}
	return p, a.dir.SaveSnapshot(&journal.Snapshot{Mark: p.Mark, State: p.Machine.Snapshot()}, restorable)
}

// restorable checks that a machine can be made from a snapshot.
func restorable(s *journal.Snapshot) error {
	_, err := core.Restore(s.State)
	return err
}

// nearest is the newest good snapshot that is not beyond a limit, or the beginning. A snapshot
// that is damaged is passed over: the log has everything.
func (a *Archive) nearest(ctx context.Context, limit Limit) (*Past, error) {
	all, err := a.dir.Snapshots()
	if err != nil {
		return nil, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] > a.last || limit.Seq != 0 && all[i] > limit.Seq {
			continue
		}
		s, err := a.dir.LoadSnapshot(all[i])
		if err != nil {
			continue
		}
		m, err := core.Restore(s.State)
		if err != nil || limit.Time != 0 && m.Time() > limit.Time {
			continue
		}
		var hash journal.Hash
		err = a.log.Read(ctx, s.Mark.Seq-1, s.Mark.Seq, func(b *journal.Batch) error {
			hash = b.Hash()
			return nil
		})
		if err != nil {
			return nil, err
		}
		if hash != s.Mark.Hash {
			return nil, fmt.Errorf("%w: batch %d is not the one that the snapshot knows; 'bourse verify' says more", journal.ErrDamaged, s.Mark.Seq)
		}
		return &Past{Machine: m, Mark: s.Mark}, nil
	}
	return NewPast(), nil
}
