package siege

import (
	"os"
	"strings"
	"testing"
	"time"

	"bourse/internal/conform"
)

func TestMain(m *testing.M) {
	code := m.Run()
	conform.Clean()
	os.Exit(code)
}

// TestSiege does all attacks. BOURSE_SIEGE asks for the long form, and names the file that gets the
// report as well.
func TestSiege(t *testing.T) {
	file := os.Getenv("BOURSE_SIEGE")
	var rows []Row
	for _, a := range Attacks() {
		t.Run(a.Name, func(t *testing.T) {
			s := &Siege{TB: t, Long: file != "", row: Row{Name: a.Name, Holds: a.Holds}}
			began := time.Now()
			defer func() {
				s.row.Requests, s.row.Took, s.row.Held = s.sent.Load(), time.Since(began), !t.Failed()
				rows = append(rows, s.row)
			}()
			a.Run(s)
			if err := s.row.judge(); err != nil && s.Long {
				t.Error(err)
			}
		})
	}
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
