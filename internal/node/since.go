package node

import (
	"context"

	"bourse/internal/schema"
)

// Since is the last place of the log before which nothing happened at a moment or later: who reads from there on misses nothing of what
// happened since. It looks at a few batches only.
func (n *Node) Since(ctx context.Context, moment schema.Time) (uint64, error) {
	low, high := uint64(0), n.Applied() // all up to low are earlier, all after high are not
	for low < high {
		middle := low + (high-low+1)/2
		b, there, err := n.log.Get(ctx, middle)
		if err != nil {
			return 0, err
		}
		earlier := false
		if there {
			e, _, err := schema.NextEnvelope(b.Commands)
			if err != nil {
				return 0, err
			}
			earlier = e.Time < moment
		}
		if earlier {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return max(low, 1) - 1, nil
}
