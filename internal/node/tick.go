package node

import (
	"context"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// heartbeat is after how much silence a tick is written though no timer is due: the log shows that
// the exchange lived, and its time does not stay far behind.
const heartbeat = 10 * schema.Second

// tick runs the timers of the exchange when they are due. Every node does; a tick that finds nothing
// to do does nothing.
func (n *Node) tick(ctx context.Context) {
	ticker := time.NewTicker(n.options.TickInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			due, busy := n.due()
			if busy {
				n.poke() // another node may have left work unfinished
			}
			if !due {
				continue
			}
			var result schema.Result
			// A tick that is refused because the node is busy or stopping is not missed: the
			// next one does the same.
			_ = n.Submit(ctx, &schema.Tick{}, &result)
		case <-ctx.Done():
			return
		}
	}
}

// due reports whether a timer is due by the time that a batch would get now, or nothing happened
// for long; and whether there is unfinished work.
func (n *Node) due() (due, busy bool) {
	now := n.options.Clock() - schema.Time(n.times.offset.Load())
	n.Read(func(m core.View) {
		next, running := m.NextTimer()
		due = running && next <= now || now-m.Time() >= heartbeat
		busy = m.Busy()
	})
	return due, busy
}
