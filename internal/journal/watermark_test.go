package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWatermarkIsRemembered(t *testing.T) {
	d := mustDir(t, t.TempDir())
	w, mark, err := d.OpenWatermark()
	if err != nil || mark != (Mark{}) {
		t.Fatalf("a new one: %v, %v", mark, err)
	}
	for seq := range uint64(5) {
		if err := w.Set(Mark{Seq: seq + 1, Hash: Hash{byte(seq)}}); err != nil {
			t.Fatal(err)
		}
		// It is there at once, for the one that comes after a crash.
		again, mark, err := d.OpenWatermark()
		if err != nil || mark != (Mark{Seq: seq + 1, Hash: Hash{byte(seq)}}) {
			t.Fatalf("%v, %v", mark, err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestEveryFlippedBitOfAWatermarkIsFound(t *testing.T) {
	d := mustDir(t, t.TempDir())
	w, _, err := d.OpenWatermark()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Set(Mark{Seq: 1000, Hash: Hash{1, 2, 3}}), w.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(d.Path(), "watermark")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := func(what string, data []byte) {
		mustWrite(t, path, data)
		_, _, err := d.OpenWatermark()
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove the file") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			broken("a flipped bit", data)
			data[i] ^= 1 << bit
		}
	}
	for size := 1; size < len(data); size++ {
		broken("cut off", data[:size])
	}
}
