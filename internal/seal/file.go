package seal

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bourse/internal/disk"
)

// Files of a data directory: the key, unless it is kept elsewhere, and what it is checked by.
const (
	KeyFile   = "master.key"
	CheckFile = "master.check"
)

const keySize = 32

// checkText is sealed in CheckFile, so that a wrong key is noticed.
const checkText = "bourse master key"

var (
	// ErrMissing means that there is sealed data but no key.
	ErrMissing = errors.New("the master key is missing")
	// ErrAnother means that a key would take the place of another one.
	ErrAnother = errors.New("there is another master key already")
)

// KeyPath is where the master key of a data directory is: in the file that a setting names, and in the directory if it is "".
func KeyPath(dir, file string) string {
	if file != "" {
		return file
	}
	return filepath.Join(dir, KeyFile)
}

// Load reads the master key of a data directory, which is where KeyPath says, and makes one for a directory that never had
// one. Several directories may have one key.
func Load(dir, file string) (*Key, error) {
	k, checked, err := read(dir, file)
	switch {
	case err != nil:
		return nil, err
	case k == nil:
		return create(dir, file)
	case !checked: // the process died between the two files
		return k, k.writeCheck(dir)
	}
	return k, nil
}

// Read reads the master key of a data directory and changes nothing there.
func Read(dir, file string) (*Key, error) {
	k, _, err := read(dir, file)
	if err == nil && k == nil {
		return nil, missing(dir, file)
	}
	return k, err
}

// Check finds out what would keep Load from a key, and makes nothing.
func Check(dir, file string) error {
	k, _, err := read(dir, file)
	if err == nil && k == nil {
		return private(filepath.Dir(KeyPath(dir, file)))
	}
	return err
}

// Put lays a key, as it stands in a file, into a file that is not there, and reports whether it did: one that is there may only be the same.
func Put(file string, text []byte) (made bool, err error) {
	raw, err := parse(file, text)
	if err != nil {
		return false, err
	}
	if err := private(filepath.Dir(file)); err != nil {
		return false, err
	}
	err = disk.Create(file, text)
	if !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	there, err := readFile(file)
	if err == nil && !bytes.Equal(there, raw) {
		err = fmt.Errorf("%w: %s", ErrAnother, file)
	}
	return false, err
}

func missing(dir, file string) error {
	err := fmt.Errorf("%w: put the key that this exchange was started with into %s", ErrMissing, KeyPath(dir, file))
	if file == "" {
		err = fmt.Errorf("%w, or name the file that has it with --master-key", err)
	}
	return err
}

// read is the key of a directory, and whether it was checked; nil: the directory never had one.
func read(dir, file string) (k *Key, checked bool, err error) {
	raw, err := readFile(KeyPath(dir, file))
	check, checkErr := os.ReadFile(filepath.Join(dir, CheckFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, absent(dir, file, errors.Is(checkErr, fs.ErrNotExist))
	case err != nil:
		return nil, false, err
	case checkErr != nil && !errors.Is(checkErr, fs.ErrNotExist):
		return nil, false, fmt.Errorf("reading the check of the master key: %w", checkErr)
	}
	if k, err = newKey(raw); err != nil || checkErr != nil {
		return k, false, err
	}
	if opened, err := k.Open(check, CheckFile); err != nil || string(opened) != checkText {
		return nil, false, fmt.Errorf("%w: put the key that this exchange was started with into %s", ErrWrong, KeyPath(dir, file))
	}
	return k, true, nil
}

// absent says why no key may be made where there is none; nil: it may. A second key would open nothing of what the first one sealed.
func absent(dir, file string, never bool) error {
	path, beside := KeyPath(dir, file), filepath.Join(dir, KeyFile)
	if _, err := os.Stat(beside); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: it is not %s, but there is %s: stop what uses that one, and move it with 'mv %s %s'", ErrMissing, path, beside, beside, path)
	}
	if !never {
		return missing(dir, file)
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%w: the link %s leads to nothing", ErrMissing, path)
	}
	return nil
}

// readFile reads a key. One that others can read or change is none, and neither is one in whose place others can put theirs. The group may
// read it: so do service managers and containers hand out secrets.
func readFile(path string) ([]byte, error) {
	at, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("reading the master key: %w", err)
	}
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the master key: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory; the master key is a file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file that a master key can be read from", path)
	case info.Mode().Perm()&0o027 != 0:
		return nil, fmt.Errorf("others can read or change the master key %s (mode %04o): run 'chmod 600 %s'; who has read it can open whatever was sealed with it",
			path, info.Mode().Perm(), path)
	}
	if err := private(filepath.Dir(at)); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(at)
	if err != nil {
		return nil, fmt.Errorf("reading the master key: %w", err)
	}
	return parse(path, text)
}

func parse(path string, text []byte) ([]byte, error) {
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(raw) != keySize {
		return nil, fmt.Errorf("%s does not hold a key of %d hexadecimal digits", path, 2*keySize)
	}
	return raw, nil
}

// private refuses a directory of a key that others may write to. It is never made: what should be mounted there may only be late.
func private(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("looking at the directory of the master key: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s, where the master key should be, is no directory", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write to %s, where the master key is (mode %04o): run 'chmod go-w %s', and make sure that nobody has changed anything in it",
			dir, info.Mode().Perm(), dir)
	}
	return nil
}

func create(dir, file string) (*Key, error) {
	path := KeyPath(dir, file)
	if err := private(filepath.Dir(path)); err != nil {
		return nil, err
	}
	raw := make([]byte, keySize)
	rand.Read(raw) // never fails
	// Another node of the same log may have made it just now: what is in the file counts.
	if err := disk.Create(path, []byte(hex.EncodeToString(raw)+"\n")); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	k, err := Read(dir, file)
	if err != nil {
		return nil, err
	}
	return k, k.writeCheck(dir)
}

func (k *Key) writeCheck(dir string) error {
	return disk.Replace(filepath.Join(dir, CheckFile), k.Seal([]byte(checkText), CheckFile))
}
