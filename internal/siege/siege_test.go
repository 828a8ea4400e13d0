package siege

import (
	"flag"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bourse/internal/conform"
)

func TestMain(m *testing.M) {
	// Attacks wait more than they work: for deaths, timers and elections.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	code := m.Run()
	conform.Clean()
	os.Exit(code)
}

// TestSiege does all attacks. BOURSE_SIEGE asks for the long form, and names the file that gets the
// report as well. Attacks of the short form share the machine; those of the long form, whose
// latency is judged, have it for themselves.
func TestSiege(t *testing.T) {
	file, attacks := os.Getenv("BOURSE_SIEGE"), Attacks()
	var mu sync.Mutex
	rows := make([]Row, len(attacks))
	t.Run("attack", func(t *testing.T) {
		for i, a := range attacks {
			t.Run(a.Name, func(t *testing.T) {
				s := &Siege{TB: t, Long: file != "", row: Row{Name: a.Name, Holds: a.Holds}}
				if !s.Long {
					t.Parallel()
				}
				began := time.Now()
				defer func() {
					s.row.Requests, s.row.Took, s.row.Held = s.sent.Load(), time.Since(began), !t.Failed()
					mu.Lock()
					defer mu.Unlock()
					rows[i] = s.row
				}()
				a.Run(s)
				if err := s.row.judge(); err != nil && s.Long {
					t.Error(err)
				}
			})
		}
	})
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Name == "" }) // those that -run left out
	var text strings.Builder
	if err := Report(&text, rows); err != nil {
		t.Fatal(err)
	}
	t.Logf("times in milliseconds\n%s", text.String())
	if file != "" {
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
