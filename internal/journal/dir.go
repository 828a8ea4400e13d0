package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"bourse/internal/disk"
)

// format is the version of the layout of a data directory, and FormatFile where it stands. A
// directory without that file holds no exchange.
const (
	format     = 1
	FormatFile = "format"
)

// ErrInUse means that another process has the data directory open.
var ErrInUse = errors.New("the data directory is in use by another process")

// Dir is a data directory that this process alone may write to. It holds:
//
//	format       the version of this layout
//	lock         held while a process has the directory open
//	journal/     the log, when the server is embedded
//	watermark    the last acknowledged place of the log and its hash
//	snapshots/   states of the machine
//	passes       commands that operators decided to pass over, if any
//	master.*     the key that seals secrets, unless it is kept elsewhere, and what it is checked by (package seal)
//
// Beside them stand what can be made again from the log, history/ and marketdata.snapshot, what the
// doors of the exchange keep, nonces and jwt.key, and in a demo its synthetic past, marketdata.seed,
// and demo.json.
type Dir struct {
	path string
	lock *os.File
}

// OpenDir takes a data directory into possession and makes it if it is not there.
func OpenDir(path string) (*Dir, error) {
	if err := os.MkdirAll(filepath.Join(path, snapshotDir), 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	if err := private(path); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the data directory: %w", err)
	}
	return open(path, lock, func(file string) error {
		return disk.Replace(file, []byte(strconv.Itoa(format)+"\n"))
	})
}

// LookAt takes a data directory that is there into possession and changes nothing in it. One
// without a lock, such as a copy, is in use by nobody.
func LookAt(path string) (*Dir, error) {
	lock, err := os.Open(filepath.Join(path, "lock"))
	if errors.Is(err, fs.ErrNotExist) {
		lock, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the data directory: %w", err)
	}
	return open(path, lock, func(string) error {
		return fmt.Errorf("%s is not the data directory of a Bourse: it has no file 'format'", path)
	})
}

// open locks a directory and checks its format; without is what to do when it has none.
func open(path string, lock *os.File, without func(file string) error) (*Dir, error) {
	d := &Dir{path: path, lock: lock}
	err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		err = fmt.Errorf("%w: %s; stop that process or use another directory", ErrInUse, path)
	} else {
		err = d.checkFormat(without)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// private refuses a directory that others may write to, who could put anything into the place of what
// is there, and closes what is in it to others: not everything there was made by this program alone.
func private(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("opening the data directory: %w", err)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others may write to the data directory %s (mode %04o): run 'chmod go-w %s', and make sure that nobody has changed anything in it", path, info.Mode().Perm(), path)
	}
	for _, name := range []string{"journal", "history", "webhooks", snapshotDir} {
		inner := filepath.Join(path, name)
		info, err := os.Stat(inner)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(inner, 0o700)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("closing the data directory to others: %w", err)
		}
	}
	return nil
}

// Path of the directory.
func (d *Dir) Path() string { return d.path }

// Close gives the directory free. A process that is being started has copies of all open files for a moment, and closing ours would leave
// it the lock: so it is given up first.
func (d *Dir) Close() error {
	return errors.Join(syscall.Flock(int(d.lock.Fd()), syscall.LOCK_UN), d.lock.Close())
}

func (d *Dir) checkFormat(without func(file string) error) error {
	file := filepath.Join(d.path, FormatFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return without(file)
	}
	if err != nil {
		return fmt.Errorf("reading the format of the data directory: %w", err)
	}
	version, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return fmt.Errorf("%s holds %q instead of a version; is %s the data directory of a Bourse?", file, data, d.path)
	}
	if version > format {
		return fmt.Errorf("%s was written by a newer Bourse (format %d, this program knows %d): use that one", d.path, version, format)
	}
	return nil
}
