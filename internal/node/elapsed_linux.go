package node

import (
	"golang.org/x/sys/unix"

	"bourse/internal/schema"
)

// Elapsed counts on while the machine sleeps, which Go's monotonic clock does not: a laptop that was
// closed for an hour has not had its clock moved.
func Elapsed() schema.Time {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		panic("node: there is no CLOCK_BOOTTIME: " + err.Error()) // every kernel that Go runs on has it
	}
	return schema.Time(t.Nano() / 1000)
}
