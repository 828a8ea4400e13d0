package node

import (
	"testing"

	"bourse/internal/journal"
	"bourse/internal/schema"
)

// TestSinceFindsTheFirstBatchOfAMoment: who reads from there misses nothing, and does not begin with the first batch.
func TestSinceFindsTheFirstBatchOfAMoment(t *testing.T) {
	now := schema.Time(1_800_000_000) * schema.Second
	n, err := Open(t.Context(), Options{Journal: journal.Options{Dir: t.TempDir()}, Clock: func() schema.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}()
	began, before := now, n.Applied()
	for range 20 {
		now += schema.Second
		var r schema.Result
		if err := n.Submit(t.Context(), &schema.Tick{}, &r); err != nil {
			t.Fatal(err)
		}
	}
	for seconds, want := range map[schema.Time]uint64{-100: 0, 10: before + 8, 20: before + 18, 21: before + 19} {
		got, err := n.Since(t.Context(), began+seconds*schema.Second)
		if err != nil || seconds > 0 && got != want || seconds < 0 && got != 0 {
			t.Errorf("%d seconds after the beginning: %d, %v, want %d", seconds, got, err, want)
		}
	}
}
