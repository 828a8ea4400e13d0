package core

import (
	"bytes"
	"os"
	"testing"

	"bourse/internal/schema"
)

// TestOldLogsAndSnapshots: what an earlier version wrote is read for ever, byte by byte. The logs
// were written without any feature beyond the step rule; activation.log has stop orders whose
// activation price is the greatest there is, which some versions took and could not restore.
func TestOldLogsAndSnapshots(t *testing.T) {
	for _, name := range []string{"golden", "activation"} {
		t.Run(name, func(t *testing.T) {
			old := fixture(t, name+".snapshot")
			restored, err := Restore(old)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(restored.Snapshot(), old) {
				t.Error("the restored machine has another snapshot")
			}
			replayed := New()
			for log := fixture(t, name+".log"); len(log) > 0; {
				e, rest, err := schema.NextEnvelope(log)
				if err != nil {
					t.Fatal(err)
				}
				log = rest
				replayed.ApplyFrom(e.Time, e.Origin, e.Command)
			}
			if !bytes.Equal(replayed.Snapshot(), old) {
				t.Error("the log gives another state")
			}
		})
	}
}

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
