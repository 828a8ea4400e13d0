package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bourse/internal/disk"
	"bourse/internal/journal"
	"bourse/internal/seal"
)

// Restored is what a restore made.
type Restored struct {
	Manifest
	// Keys reports whether the master key was in the backup; without it the exchange does not
	// start until it is put there.
	Keys bool
	// Snapshot is the place of the snapshot, 0 if there is none. BadSnapshot says why the one in
	// the backup was left out: the log has everything, the first start only takes longer.
	Snapshot    uint64
	BadSnapshot error
}

// Restore makes a data directory from a backup. It grows beside its place and is moved there when
// it is whole. The master key comes into the file that is named, where no other one may be, or, if that is "", into the directory.
func Restore(ctx context.Context, path, masterKey string, r io.Reader, progress Progress) (*Restored, error) {
	if masterKey == filepath.Join(path, seal.KeyFile) {
		masterKey = ""
	}
	t := &restorer{ctx: ctx, in: newUnpacker(r), apart: masterKey != "", progress: progress, restored: &Restored{}}
	made := false
	err := fresh(path, func(aside string) (err error) {
		if t.apart {
			err = seal.Check(path, masterKey) // before all the work
		}
		if err == nil {
			err = t.to(aside)
		}
		if err == nil && t.key != nil {
			made, err = seal.Put(masterKey, t.key)
		}
		return err
	})
	if err != nil && made {
		err = errors.Join(err, os.Remove(masterKey))
	}
	return t.restored, err
}

func (t *restorer) to(path string) error {
	return found(t.ctx, path, func(dir *journal.Dir, log *journal.Journal) (journal.Mark, error) {
		t.dir, t.log = dir, log
		err := t.read()
		return t.in.at, err
	})
}

// restorer puts the entries of a backup to their places.
type restorer struct {
	ctx      context.Context
	dir      *journal.Dir
	log      *journal.Journal
	in       *unpacker
	apart    bool   // the master key does not come into the directory
	key      []byte // which it is, then
	progress Progress
	snapshot *journal.Snapshot // to be held against the batch at its place
	restored *Restored
}

func (t *restorer) read() error {
	for {
		e, err := t.in.next()
		if errors.Is(err, io.EOF) {
			t.restored.Manifest = *t.in.manifest
			return t.settleSnapshot()
		}
		if err == nil {
			err = t.take(e)
		}
		if err != nil {
			return err
		}
	}
}

func (t *restorer) take(e entry) error {
	switch e.under {
	case filesDir, keysDir:
		if e.under == keysDir && e.name == seal.KeyFile {
			t.restored.Keys = true
			if t.apart {
				t.key = bytes.Clone(e.data)
				return nil
			}
		}
		path := filepath.Join(t.dir.Path(), filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return disk.Replace(path, e.data)
	case snapshotsDir:
		s, err := journal.DecodeSnapshot(append([]byte(nil), e.data...))
		t.snapshot, t.restored.BadSnapshot = &s, err
		return nil
	case logDir:
		return t.in.batches(e.data, t.store)
	default:
		return nil
	}
}

func (t *restorer) store(b *journal.Batch, stored []byte) error {
	if err := t.log.Store(t.ctx, stored, b.Seq-1); err != nil {
		return fmt.Errorf("storing batch %d: %w", b.Seq, err)
	}
	if t.snapshot != nil && t.snapshot.Mark.Seq == b.Seq && t.snapshot.Mark.Hash != t.in.at.Hash {
		t.restored.BadSnapshot = fmt.Errorf("%w: it knows another batch %d", journal.ErrSnapshot, b.Seq)
	}
	t.progress(b.Seq, t.in.manifest.Batches)
	return nil
}

// settleSnapshot writes the snapshot if a machine can be restored from it.
func (t *restorer) settleSnapshot() error {
	s := t.snapshot
	switch {
	case s == nil:
		return nil
	case t.restored.BadSnapshot == nil && s.Mark.Seq > t.in.at.Seq:
		t.restored.BadSnapshot = fmt.Errorf("%w: it is of batch %d, behind the end of the log", journal.ErrSnapshot, s.Mark.Seq)
	case t.restored.BadSnapshot == nil:
		t.restored.BadSnapshot = restorable(s)
	}
	if t.restored.BadSnapshot != nil {
		return nil
	}
	t.restored.Snapshot = s.Mark.Seq
	return t.dir.SaveSnapshot(s, restorable)
}
