package node

import (
	"context"
	"fmt"

	"bourse/internal/schema"
)

// Initialize gives a log that is empty its first commands: the features of a new exchange. A log
// that has begun keeps the features that it has.
func (n *Node) Initialize(ctx context.Context) error {
	if n.Mark().Seq != 0 {
		return nil
	}
	for _, f := range schema.BirthFeatures() {
		var result schema.Result
		if err := n.Submit(ctx, &f, &result); err != nil {
			return fmt.Errorf("beginning the log: %w", err)
		}
	}
	return nil
}
