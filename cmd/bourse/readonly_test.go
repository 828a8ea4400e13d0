package main

import (
	coding "encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bourse/internal/disk"
)

// contents are the bytes of all files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			all[path] = "a directory"
			return nil
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// recordAt is where the record of a batch begins in a file of the log.
func recordAt(data []byte, batch int) (at int) {
	for range batch - 1 {
		at += int(coding.LittleEndian.Uint32(data[at:]) &^ (1 << 31))
	}
	return at
}

// TestReadToolsChangeNothing: whatever a bit of the log was flipped, and however the exchange was
// stopped before, a command that looks at the directory leaves every byte as it is, and verify
// names the batch.
func TestReadToolsChangeNothing(t *testing.T) {
	const bad = 6
	day := tradingDay(t)
	block := filepath.Join("journal", "jetstream", "$G", "streams", "bourse", "msgs", "1.blk")
	for _, stop := range []string{"in order", "killed"} {
		for part, offset := range map[string]int{"length": 1, "place": 5, "payload": 120} {
			dir := filepath.Join(t.TempDir(), "data")
			if err := disk.CopyTree(dir, day); err != nil {
				t.Fatal(err)
			}
			if stop == "killed" {
				if err := os.Remove(filepath.Join(dir, filepath.Dir(block), "index.db")); err != nil {
					t.Fatal(err)
				}
			}
			flip := func() {
				data, err := os.ReadFile(filepath.Join(dir, block))
				if err != nil {
					t.Fatal(err)
				}
				data[recordAt(data, bad)+offset] ^= 4
				if err := os.WriteFile(filepath.Join(dir, block), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			original, err := os.ReadFile(filepath.Join(dir, block))
			if err != nil {
				t.Fatal(err)
			}
			flip()
			before := contents(t, dir)
			for _, command := range []string{"replay", "replay --to 5", "replay book BTC_USDT", "replay account alice", "verify", "export", "snapshot"} {
				args := strings.Fields(command)
				out, errs, code := run(t, "", append(args, "--data", dir)...)
				// The snapshot of the end lies behind the damage: 'snapshot' begins there and writes it again,
				// unless it cannot find its way to the end.
				if whole := command == "replay --to 5"; command != "snapshot" && (code == 0) != whole {
					t.Errorf("%s, %s, %s: exit code %d, %s %s", stop, part, command, code, out, errs)
				}
				if command == "verify" && !strings.Contains(out, fmt.Sprint("batch ", bad)) && !strings.Contains(out, fmt.Sprint("where ", bad, " should be")) {
					t.Errorf("%s, %s: the batch is not named: %s", stop, part, out)
				}
				if !maps.Equal(contents(t, dir), before) {
					t.Fatalf("%s, %s: %s changed the directory", stop, part, command)
				}
			}
			// The good batches behind it are still there.
			if err := os.WriteFile(filepath.Join(dir, block), original, 0o600); err != nil {
				t.Fatal(err)
			}
			if out := good(t, "", "verify", "--data", dir); !strings.Contains(out, "all is well: batches 11") {
				t.Errorf("%s, %s: %s", stop, part, out)
			}
		}
	}
}
