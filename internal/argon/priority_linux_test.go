package argon

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

func TestEveryThreadOfTheProcessGivesWay(t *testing.T) {
	w := self(t, Command)
	if _, err := w.Hash(context.Background(), small("x")); err != nil {
		t.Fatal(err)
	}
	threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(w.process.Process.Pid), "task", "*"))
	if err != nil || len(threads) == 0 {
		t.Fatalf("%d threads, %v", len(threads), err)
	}
	for _, path := range threads {
		thread, _ := strconv.Atoi(filepath.Base(path))
		if got, err := unix.SchedGetAttr(thread, 0); err != nil || got.Policy != unix.SCHED_IDLE {
			t.Errorf("thread %d: %+v, %v", thread, got, err)
		}
	}
}
