package priority

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func policy(t *testing.T, thread int) uint32 {
	t.Helper()
	got, err := unix.SchedGetAttr(thread, 0)
	if err != nil {
		t.Fatal(err)
	}
	return got.Policy
}

func TestLoweredThreadsEndAndTheFirstStays(t *testing.T) {
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			Lowered(func() {
				if got := policy(t, 0); got != unix.SCHED_IDLE {
					t.Errorf("a lowered thread: %d", got)
				}
			})
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if got := policy(t, 0); got != unix.SCHED_NORMAL {
				t.Errorf("a thread of others: %d", got)
			}
		})
	}
	all.Wait()
	if got := policy(t, os.Getpid()); got != unix.SCHED_NORMAL {
		t.Errorf("the first thread: %d", got)
	}
}

func TestProcessInheritsThePriority(t *testing.T) {
	c := exec.Command("cat")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if Lowered(func() { err = c.Start() }); err != nil {
		t.Fatal(err)
	}
	if got := policy(t, c.Process.Pid); got != unix.SCHED_IDLE {
		t.Errorf("%d", got)
	}
	_ = in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
