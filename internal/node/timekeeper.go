package node

import (
	"context"
	"fmt"
	"sync/atomic"

	"bourse/internal/schema"
)

// timekeeper is the clock of a node and what is to be known of it from outside.
type timekeeper struct {
	clock   clock // used by the goroutine that writes
	offset  atomic.Int64
	refused atomic.Pointer[error]
	off     bool // whether the offset was worth a warning
}

// startClock sets the clock by the log, and holds the time of day against that of a journal
// elsewhere.
func (n *Node) startClock(ctx context.Context) error {
	if n.options.Elapsed == nil {
		return nil
	}
	c := &n.times.clock
	c.bound = schema.Time(n.options.ClockBound.Microseconds())
	log := n.seq.machine.Time()
	if err := c.start(n.options.Clock(), n.options.Elapsed(), log, n.options.AcceptClock); err != nil {
		return err
	}
	if n.shared == nil {
		return nil
	}
	server, err := n.log.Clock(ctx)
	if err != nil {
		return err
	}
	theirs := schema.Time(server.UnixMicro())
	if away := n.options.Clock() - theirs; max(away, -away) > c.bound && !n.options.AcceptClock {
		return fmt.Errorf("%w: this machine says %s, and the journal's server is %v away from that; set the clock that is wrong",
			ErrClock, n.options.Clock(), lasting(max(away, -away)))
	}
	return nil
}

// now is the time for the next batch.
func (n *Node) now() (schema.Time, error) {
	if n.options.Elapsed == nil {
		return n.options.Clock(), nil
	}
	t := &n.times
	before := t.refused.Load()
	at, err := t.clock.read(n.options.Clock(), n.options.Elapsed(), n.seq.machine.Time())
	t.offset.Store(int64(t.clock.offset))
	if err != nil {
		t.refused.Store(&err)
		if before == nil {
			n.options.Log.Error("commands are refused", "reason", err)
		}
		return 0, err
	}
	if before != nil {
		t.refused.Store(nil)
		n.options.Log.Info("the clock is right again; commands are taken")
	}
	off := max(t.clock.offset, -t.clock.offset) > schema.Second
	if off && !t.off {
		n.options.Log.Warn("the clock of this machine is away from the time of the exchange, which follows it slowly", "ahead", lasting(t.clock.offset))
	}
	t.off = off
	return at, nil
}

// Trouble is why the node takes no commands for the moment; nil when it does.
func (n *Node) Trouble() error {
	if why := n.times.refused.Load(); why != nil {
		return *why
	}
	return nil
}
