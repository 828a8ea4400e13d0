package node

import (
	"context"

	"bourse/internal/archive"
	"bourse/internal/journal"
)

// Backup is the exchange as it is now, as the source of a backup: it holds everything that was
// acknowledged before the call. It is read from the log while the exchange goes on.
func (n *Node) Backup() (*archive.Source, error) {
	end := n.Mark()
	snapshot, err := n.dir.NewestSnapshot(end.Seq)
	if err != nil {
		return nil, err
	}
	return &archive.Source{
		Dir: n.dir.Path(), End: end, Snapshot: snapshot,
		Read: func(ctx context.Context, each func(*journal.Batch) error) error {
			return n.log.Read(ctx, 0, end.Seq, each)
		},
	}, nil
}
