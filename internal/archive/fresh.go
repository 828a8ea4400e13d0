package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bourse/internal/journal"
)

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

// found makes the directory of an exchange whose log somebody else fills. Fill returns the last batch,
// which counts as acknowledged.
func found(ctx context.Context, path string, fill func(*journal.Dir, *journal.Journal) (journal.Mark, error)) (err error) {
	dir, err := journal.OpenDir(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	// Nothing is acknowledged before the end, so one sync there is enough.
	log, err := journal.Open(ctx, journal.Options{Dir: path, SyncInterval: time.Hour})
	if err != nil {
		return err
	}
	defer log.Close()
	end, err := fill(dir, log)
	if err != nil {
		return err
	}
	watermark, _, err := dir.OpenWatermark()
	if err != nil {
		return err
	}
	return errors.Join(watermark.Set(end), watermark.Close())
}
