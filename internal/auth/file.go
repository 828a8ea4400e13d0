package auth

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"bourse/internal/disk"
)

// minRewrite is the size below which a file is not worth being rewritten.
const minRewrite = 1 << 20

// file is appended to, synced now and then, and rewritten when most of it is outdated. Its
// methods are safe for concurrent use, but sync, rewrite and close have one caller.
type file struct {
	path string

	mu      sync.Mutex
	open    *os.File
	size    int64 // what comes after it was written in part and is written over
	fresh   int64 // the size after it was last rewritten
	dirty   bool  // something was written since the last sync
	lost    bool  // a sync failed: nobody knows what the file holds
	trouble error // why sync or rewrite failed, until they succeed
	buffer  [recordSize]byte
}

// append writes a record and does not sync it.
func (f *file) append(r record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.open.WriteAt(r.append(f.buffer[:0]), f.size); err != nil {
		return fmt.Errorf("keeping a used nonce: %w", err)
	}
	f.size += recordSize
	f.dirty = true
	return f.trouble
}

// due reports whether the file is to be rewritten.
func (f *file) due() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost || f.size >= max(minRewrite, 2*f.fresh)
}

// sync makes durable what was written, if anything was.
func (f *file) sync() error {
	f.mu.Lock()
	open, dirty := f.open, f.dirty
	f.dirty = false
	f.mu.Unlock()
	if !dirty {
		return nil
	}
	if err := open.Sync(); err != nil {
		// A second sync would succeed without having written what the first one lost.
		f.mu.Lock()
		f.lost = true
		f.mu.Unlock()
		return fmt.Errorf("syncing %s: %w", f.path, err)
	}
	return nil
}

// rewrite replaces what the file holds by a summary of it, which is made after the call and
// before the return. Appending goes on meanwhile: what was appended before the summary was begun
// is in the summary, and what comes later is copied behind it.
func (f *file) rewrite(summary func() []byte) (err error) {
	f.mu.Lock()
	start := f.size
	f.mu.Unlock()
	data := summary()

	aside := f.path + ".new"
	next, err := os.OpenFile(aside, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = next.Write(data)
		err = errors.Join(err, next.Sync())
	}
	if err == nil {
		err = f.become(next, start, int64(len(data)))
	}
	if err != nil {
		next.Close()
		os.Remove(aside)
		return fmt.Errorf("rewriting %s: %w", f.path, err)
	}
	if err := disk.SyncDir(filepath.Dir(f.path)); err != nil {
		f.mu.Lock()
		f.lost = true
		f.mu.Unlock()
		return fmt.Errorf("rewriting %s: %w", f.path, err)
	}
	return nil
}

// become lets a new file of a size take the place of the old one, of which it lacks what is
// behind start.
func (f *file) become(next *os.File, start, size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	rest := f.size - start
	if rest > 0 {
		if _, err := io.Copy(io.NewOffsetWriter(next, size), io.NewSectionReader(f.open, start, rest)); err != nil {
			return err
		}
	}
	// From here on what is appended goes to the new file, so it has to be the one that is found
	// after a crash.
	if err := os.Rename(next.Name(), f.path); err != nil {
		return err
	}
	old := f.open
	f.open, f.size, f.fresh, f.dirty, f.lost = next, size+rest, size+rest, rest > 0, false
	if old != nil {
		old.Close() // nothing of it is needed any more, whatever it says
	}
	return nil
}

// tell makes appending say what went wrong in the background, or that nothing does any more.
func (f *file) tell(err error) {
	f.mu.Lock()
	f.trouble = err
	f.mu.Unlock()
}

func (f *file) close() error {
	err := f.sync()
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(err, f.open.Close())
}
