package node

import (
	"errors"
	"fmt"
	"time"

	"bourse/internal/schema"
)

// ErrClock means that the time of day cannot be relied on, and that nothing is written with it.
// Nothing was done.
var ErrClock = errors.New("the clock cannot be relied on")

const (
	// clockStep is the difference up to which the time of day is followed at once.
	clockStep = schema.Second / 4
	// slew is how much faster or slower than real time the exchange goes to make up for a larger
	// one: a part in so many.
	slew = 20
)

// clock gives batches their time. What goes into the log stays there, and timers, nonces and
// candles live by it, so that neither a jump of the time of day nor a log that is ahead may move it
// by much, or stop it.
//
// Its time goes on with the monotonic clock of the machine. Small differences from the time of day
// are followed at once, larger ones slowly; with one beyond the bound nothing is stamped until the
// difference is gone, or the node was started again: only a person can tell which clock is right. A
// log that is ahead, because another node wrote with a faster clock, is followed within the bound
// and never beyond it.
type clock struct {
	bound   schema.Time
	at      schema.Time // the time of the exchange at the last reading
	elapsed schema.Time // the monotonic clock then
	offset  schema.Time // how far the time of day was ahead then
	late    schema.Time // how far it may be behind by more than the bound, because somebody accepted that
}

// start sets the clock when the last command of the log happened at a time; 0: there is none.
// accept lets the exchange go on from the log's time however late the time of day is.
func (c *clock) start(wall, elapsed, log schema.Time, accept bool) error {
	behind := max(0, log-wall)
	c.at, c.elapsed, c.offset, c.late = max(wall, log), elapsed, -behind, behind
	if behind > c.bound && !accept {
		return fmt.Errorf("%w: this machine says %s, %v before the last command of the log (%s). Set the clock of this machine; "+
			"if it is right and the log was written with a wrong one, start with --accept-clock: "+
			"the exchange then goes on from the log's time, a little slower until the time of day has caught up",
			ErrClock, wall, lasting(behind), log)
	}
	return nil
}

// read is the time for a batch, from the time of day, the monotonic clock and the time of the last
// command in the log.
func (c *clock) read(wall, elapsed, log schema.Time) (schema.Time, error) {
	passed := max(0, elapsed-c.elapsed)
	own := c.at + passed
	if ahead := log - own; ahead > c.bound {
		c.at, c.elapsed, c.offset = own, elapsed, wall-own
		return 0, fmt.Errorf("%w: the log is %v ahead of this machine. Find the node whose clock is wrong; "+
			"if this one is behind, set its clock and start it again", ErrClock, lasting(ahead))
	}
	own = max(own, log)
	drift := wall - own
	c.at, c.elapsed, c.offset = own, elapsed, drift
	if drift > c.bound || -drift > c.bound+c.late {
		return 0, fmt.Errorf("%w: the clock of this machine has jumped to %s, %v away from %s, which it had reached by counting. "+
			"Set it right, or start again to accept it", ErrClock, wall, lasting(max(drift, -drift)), own)
	}
	c.late = max(0, min(c.late, -drift))
	if max(drift, -drift) <= clockStep {
		c.at = wall
	} else {
		c.at += max(-passed/slew, min(passed/slew, drift))
	}
	return c.at, nil
}

func lasting(t schema.Time) time.Duration { return time.Duration(t) * time.Microsecond }
