package history

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestStuckIsToldFromIdleAndSlow: what has nothing to do, and what goes on however slowly, is not
// stuck.
func TestStuckIsToldFromIdleAndSlow(t *testing.T) {
	p := progress{changed: make(chan struct{}), hurry: make(chan struct{}, 1)}
	now := time.Unix(1_790_000_000, 0)
	ask := func(after time.Duration, applied uint64) error {
		now = now.Add(after)
		return p.stuck(applied, now)
	}
	p.begin(5, 5)
	for _, err := range []error{ask(0, 5), ask(time.Hour, 5), ask(time.Hour, 6), ask(stuckAfter, 7)} {
		if err != nil {
			t.Errorf("nothing to do, or not for long: %v", err)
		}
	}
	if err := ask(time.Second, 7); err == nil || !strings.Contains(err.Error(), "the history is at batch 5 of 7") {
		t.Errorf("nothing is written for long: %v", err)
	}
	p.reach(6)
	if err := ask(time.Hour, 100); err != nil {
		t.Errorf("it goes on: %v", err)
	}
	full := errors.New("the disk is full")
	p.suffer(full)
	if err := ask(0, 6); !errors.Is(err, full) {
		t.Errorf("while it cannot be written: %v", err)
	}
	p.suffer(nil)
	if err := ask(0, 6); err != nil {
		t.Errorf("after it could be written again: %v", err)
	}
	p.end(full)
	if err := ask(0, 6); !errors.Is(err, full) {
		t.Errorf("after it ended: %v", err)
	}
}
