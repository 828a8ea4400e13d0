package node

import (
	"time"

	"bourse/internal/journal"
)

// snapshotWhenDue writes a snapshot after enough commands or enough time. The exchange stands
// still meanwhile: for about half a second per million open orders, and for as long as the disk
// takes.
func (n *Node) snapshotWhenDue() error {
	late := n.since > 0 && time.Since(n.last) >= n.options.SnapshotInterval
	if n.since < n.options.SnapshotCommands && !late {
		return nil
	}
	return n.snapshot()
}

func (n *Node) snapshot() error {
	began := time.Now()
	s := &journal.Snapshot{Mark: n.seq.mark, State: n.seq.machine.Snapshot()}
	if err := n.dir.SaveSnapshot(s); err != nil {
		return err
	}
	n.since, n.last = 0, time.Now()
	n.share(s)
	n.options.Log.Info("a snapshot was written", "batch", s.Mark.Seq, "bytes", len(s.State), "took", time.Since(began))
	return nil
}
