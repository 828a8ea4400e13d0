package bench

import (
	"io"
	"testing"
)

// TestHistoryFiguresInSmall makes the figures of the history with few rows.
func TestHistoryFiguresInSmall(t *testing.T) {
	small := storeSize{rows: 5000, deep: 100}
	r := &report{progress: io.Discard}
	for _, figures := range []func() error{
		func() error { return small.pebble(r) },
		func() error { return small.postgres(r) },
		func() error { return slowSize{4, 1, 0.05}.figure(r) },
	} {
		if err := figures(); err != nil {
			t.Fatal(err)
		}
	}
	for _, got := range r.results {
		if got.Value <= 0 {
			t.Errorf("%+v", got)
		}
	}
	if n := len(r.results); n != 7 && n != 4 { // without PostgreSQL three are left out
		t.Errorf("%d figures", n)
	}
}
