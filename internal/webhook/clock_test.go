package webhook

import (
	"testing"
	"time"

	"bourse/internal/node"
)

// TestLeasesAreCountedAsTheNodeCounts: by the clock that goes on while the machine sleeps.
func TestLeasesAreCountedAsTheNodeCounts(t *testing.T) {
	c := newMachineClock(nil)
	before := time.Duration(node.Elapsed()) * time.Microsecond
	at := c.Elapsed()
	after := time.Duration(node.Elapsed()) * time.Microsecond
	if at < before || at > after {
		t.Errorf("it counts %v between %v and %v", at, before, after)
	}
}
