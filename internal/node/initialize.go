package node

import (
	"context"
	"fmt"

	"bourse/internal/schema"
)

// Initialize gives a log that is empty its first commands: the features of a new exchange, and others that it is to begin with. A log
// that has begun keeps the features that it has.
func (n *Node) Initialize(ctx context.Context, others ...schema.SetFeature) error {
	if n.Mark().Seq != 0 {
		return nil
	}
	for _, f := range append(schema.BirthFeatures(), others...) {
		var result schema.Result
		if err := n.Submit(ctx, &f, &result); err != nil {
			return fmt.Errorf("beginning the log: %w", err)
		}
	}
	return nil
}
