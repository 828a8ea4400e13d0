package bench

import (
	"io"
	"slices"
	"testing"
)

// TestRestartFiguresInSmall kills a small exchange and makes every figure of coming back.
func TestRestartFiguresInSmall(t *testing.T) {
	r := &report{progress: io.Discard}
	if err := r.restart(5 * mixedAccounts); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, result := range r.results {
		names = append(names, result.Name)
		if result.Value <= 0 {
			t.Errorf("%+v", result)
		}
	}
	if want := []string{"node.restart.killed", "node.restart.whole", "node.restart", "node.recovery"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}
