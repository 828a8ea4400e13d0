package priority

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lowered calls a function on a thread that has what others leave of the cores, which threads and processes that it starts inherit, and
// returns after it. Where the system does not allow that, the thread is as the others are.
func Lowered(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// Never unlocked: the thread ends with this goroutine, so that no other ever runs on it.
		runtime.LockOSThread()
		if syscall.Gettid() == syscall.Getpid() {
			// The first thread cannot end, and its priority is what people see as that of the program. Locked to this goroutine it is
			// not the one that the next call has.
			defer runtime.UnlockOSThread()
			Lowered(f)
			return
		}
		// A nice thread keeps its core for some milliseconds when another wakes up; an idle one gives it away at once.
		_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
		f()
	}()
	<-done
}
