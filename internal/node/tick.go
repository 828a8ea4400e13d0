package node

import (
	"context"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// After so much silence a tick is written though no timer is due: the log shows that the exchange lived, and its time does not stay far
// behind. Nodes that share a log learn by it that they still hear of it; one that hears nothing for so long is deaf.
const (
	heartbeat       = 10 * schema.Second
	sharedHeartbeat = 2 * schema.Second
	deafAfter       = 5 * schema.Second
)

// Deaf reports whether the node shares its log with others and hears nothing of it. Its state may be old by any time then: a key that it
// knows may have been deleted at another node.
func (n *Node) Deaf() bool {
	return n.shared != nil && n.options.Elapsed != nil && n.options.Elapsed()-schema.Time(n.heard.Load()) >= deafAfter
}

// hear notes that the log was heard of.
func (n *Node) hear() {
	if n.options.Elapsed != nil {
		n.heard.Store(int64(n.options.Elapsed()))
	}
}

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
	now, silence := n.options.Clock()-schema.Time(n.times.offset.Load()), heartbeat
	if n.shared != nil {
		silence = sharedHeartbeat
	}
	n.Read(func(m core.View) {
		next, running := m.NextTimer()
		due = running && next <= now || now-m.Time() >= silence
		busy = m.Busy()
	})
	return due, busy
}
