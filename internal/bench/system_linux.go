package bench

import (
	"os"
	"syscall"
	"time"
)

// syncData makes what was written to a file durable, and not its times: what a log needs.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// pause waits by the kernel's clock: timers of the runtime may be late by a millisecond when a
// process is idle. It needs a thread of its own. One that is cut short makes a request early.
func pause(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}
