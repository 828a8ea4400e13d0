package journal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bourse/internal/schema"
)

func TestPassesAreKept(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if all, err := d.Passes(); len(all) != 0 || err != nil {
		t.Errorf("at the beginning: %v, %v", all, err)
	}
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	m := Mark{Seq: 7, Hash: Hash{1, 2}}
	for _, command := range []int{5, 2} {
		if err := d.AddPass(NewPass(m, command, &schema.Tick{}, "because", at)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := d.Passes()
	if err != nil || len(all) != 2 || all[0].Kind != "Tick" || all[0].Reason != "because" || !all[0].Time.Equal(at) {
		t.Fatalf("%+v, %v", all, err)
	}
	if got, err := all.Of(m); err != nil || !slices.Equal(got, []int{2, 5}) {
		t.Errorf("of that batch: %v, %v", got, err)
	}
	if got, err := all.Of(Mark{Seq: 8}); err != nil || got != nil {
		t.Errorf("of another: %v, %v", got, err)
	}
	if _, err := all.Of(Mark{Seq: 7}); err == nil || !strings.Contains(err.Error(), "about another log") {
		t.Errorf("of another log: %v", err)
	}
	if err := os.WriteFile(filepath.Join(path, PassesFile), []byte("{\"batch\":1}\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Passes(); err == nil || !strings.Contains(err.Error(), "line 2 of ") {
		t.Errorf("a file that cannot be read: %v", err)
	}
}
