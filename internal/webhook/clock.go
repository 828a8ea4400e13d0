package webhook

import (
	"time"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// Clock is the time of day, by which events grow old and retries are due, and a clock that only counts, by which leases are held.
type Clock interface {
	Now() schema.Time
	Elapsed() time.Duration
	// Timer fires once when so much was counted; stop ends it.
	Timer(time.Duration) (fired <-chan time.Time, stop func() bool)
}

// machineClock is that of the machine, with the time of day that the exchange goes by. Leases are counted as the node counts: also while the
// machine sleeps, or one that wakes up would still think that its shards are its own.
type machineClock struct{ now func() schema.Time }

func newMachineClock(now func() schema.Time) *machineClock {
	if now == nil {
		now = func() schema.Time { return schema.Time(time.Now().UnixMicro()) }
	}
	return &machineClock{now}
}

func (c *machineClock) Now() schema.Time { return c.now() }

func (*machineClock) Elapsed() time.Duration { return time.Duration(node.Elapsed()) * time.Microsecond }

func (*machineClock) Timer(d time.Duration) (<-chan time.Time, func() bool) {
	t := time.NewTimer(d)
	return t.C, t.Stop
}
