package history

import (
	"errors"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Pauses between attempts to write to a disk that does not take it.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// patientDisk is a file system whose writes wait while there is no room. Pebble ends the process
// when it cannot write its manifest, and tries again without a pause when it cannot write a table;
// on this disk it only finds that writing takes long, and goes on when there is room again. Other
// errors are passed on, after a pause.
//
// A failed sync is never repeated: the kernel may have dropped what it could not write, and a
// second sync would succeed without it.
type patientDisk struct {
	vfs.FS
	log *slog.Logger

	mu      sync.Mutex
	trouble error         // why something waits, or why the last write failed
	waiting int           // writes that wait for room
	stuck   chan struct{} // closed while there are any
}

func newPatientDisk(disk vfs.FS, log *slog.Logger) *patientDisk {
	return &patientDisk{FS: disk, log: log, stuck: make(chan struct{})}
}

// full reports whether an error goes away when somebody makes room.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// problem is why something waits, or why the last write failed.
func (d *patientDisk) problem() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.trouble
}

// waits is closed once something waits for room.
func (d *patientDisk) waits() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stuck
}

// insist tries until there is room.
func (d *patientDisk) insist(try func() error) error {
	err := try()
	if !full(err) {
		return err
	}
	d.suffer(err, 1)
	for pause := firstPause; full(err); pause = min(2*pause, lastPause) {
		time.Sleep(pause)
		err = try()
	}
	d.recover(1)
	return err
}

// report notes how a write or a sync went, and slows down those that fail: Pebble does not.
func (d *patientDisk) report(err error) error {
	if err == nil {
		d.recover(0)
		return nil
	}
	d.suffer(err, 0)
	time.Sleep(lastPause)
	return err
}

// suffer notes a problem, and that some more writes wait.
func (d *patientDisk) suffer(err error, more int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trouble == nil {
		d.log.Error("the history cannot be written; trading goes on, and the history does when its disk takes it again", "problem", err)
	}
	d.trouble = err
	if d.waiting == 0 && more > 0 {
		close(d.stuck)
	}
	d.waiting += more
}

// recover notes a success, after which some fewer writes wait.
func (d *patientDisk) recover(fewer int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trouble == nil {
		return
	}
	d.waiting -= fewer
	if d.waiting > 0 {
		return
	}
	if fewer > 0 {
		d.stuck = make(chan struct{})
	}
	d.trouble = nil
	d.log.Info("the history can be written again")
}

func (d *patientDisk) Unwrap() vfs.FS { return d.FS }

func (d *patientDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.file(func() (vfs.File, error) { return d.FS.Create(name, c) })
}

func (d *patientDisk) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return d.file(func() (vfs.File, error) { return d.FS.OpenReadWrite(name, c, o...) })
}

func (d *patientDisk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.file(func() (vfs.File, error) { return d.FS.ReuseForWrite(from, to, c) })
}

func (d *patientDisk) Link(from, to string) error {
	return d.insist(func() error { return d.FS.Link(from, to) })
}

func (d *patientDisk) Rename(from, to string) error {
	return d.insist(func() error { return d.FS.Rename(from, to) })
}

func (d *patientDisk) MkdirAll(dir string, perm os.FileMode) error {
	return d.insist(func() error { return d.FS.MkdirAll(dir, perm) })
}

// file opens a file that is written.
func (d *patientDisk) file(open func() (vfs.File, error)) (f vfs.File, err error) {
	err = d.insist(func() error {
		f, err = open()
		return err
	})
	if err != nil {
		return nil, err
	}
	return &patientFile{f, d}, nil
}

type patientFile struct {
	vfs.File
	disk *patientDisk
}

func (f *patientFile) Write(b []byte) (written int, err error) {
	err = f.disk.insist(func() error {
		n, err := f.File.Write(b[written:])
		written += n
		return err
	})
	return written, f.disk.report(err)
}

func (f *patientFile) WriteAt(b []byte, at int64) (written int, err error) {
	err = f.disk.insist(func() error {
		n, err := f.File.WriteAt(b[written:], at+int64(written))
		written += n
		return err
	})
	return written, f.disk.report(err)
}

func (f *patientFile) Preallocate(offset, length int64) error {
	return f.disk.insist(func() error { return f.File.Preallocate(offset, length) })
}

func (f *patientFile) Sync() error { return f.disk.report(f.File.Sync()) }

func (f *patientFile) SyncData() error { return f.disk.report(f.File.SyncData()) }

func (f *patientFile) SyncTo(length int64) (bool, error) {
	whole, err := f.File.SyncTo(length)
	return whole, f.disk.report(err)
}
