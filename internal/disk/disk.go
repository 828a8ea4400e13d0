// Package disk writes files that are whole or not there.
package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Replace writes a file of some parts aside, syncs it and renames it, for its owner's eyes only:
// after a crash there is the old one or the new one, and nothing in between.
func Replace(path string, parts ...[]byte) error {
	aside := path + ".new"
	f, err := os.OpenFile(aside, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	for _, part := range parts {
		if err == nil {
			_, err = f.Write(part)
		}
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(aside, path)
	}
	if err == nil {
		err = SyncDir(filepath.Dir(path))
	}
	if err != nil {
		os.Remove(aside)
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// Create writes a file that is not there yet: whole, durable, and for its owner's eyes only. fs.ErrExist if it is there: nothing is replaced.
func Create(path string, data []byte) error {
	aside, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer os.Remove(aside.Name())
	_, err = aside.Write(data)
	err = errors.Join(err, aside.Sync(), aside.Close())
	if err == nil {
		err = os.Link(aside.Name(), path) // unlike a renaming it replaces nothing
	}
	if err == nil {
		err = SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// SyncDir makes a renaming durable.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
