package peer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"
)

// record is a command in the 32-byte format in which the peer's own stream was
// written down; the pinned digests are those of that stream.
func record(c Command) [32]byte {
	var r [32]byte
	r[0], r[1] = byte(c.Kind), byte(c.Type)
	if c.Bid {
		r[2] = 1
	}
	binary.LittleEndian.PutUint32(r[4:], uint32(c.User))
	binary.LittleEndian.PutUint64(r[8:], uint64(c.Order))
	binary.LittleEndian.PutUint64(r[16:], uint64(c.Price))
	binary.LittleEndian.PutUint64(r[24:], uint64(c.Size))
	return r
}

func digest(commands []Command) string {
	h := sha256.New()
	for _, c := range commands {
		r := record(c)
		h.Write(r[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestStreamIsThePeers(t *testing.T) {
	commands, totals := Stream(0, 101572685, 1000, 1000, 3_001_000)
	t.Run("totals", func(t *testing.T) {
		want := Totals{
			Trading:  63_878,
			Trades:   122_704,
			Volume:   1_062_983,
			Notional: 32_732_421_108,
			Asks:     Side{Orders: 500, Levels: 241, Volume: 8_543, Best: 30_755},
			Bids:     Side{Orders: 521, Levels: 261, Volume: 8_056, Best: 30_753},
		}
		if totals != want {
			t.Errorf("got %+v, want %+v", totals, want)
		}
	})
	t.Run("first commands", func(t *testing.T) {
		if got, want := digest(commands[:100_000]), "23777e507f54824bb9322efc0c8bca1c40bf4aedd67d4bbb1db12733ef3e0b18"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("all commands", func(t *testing.T) {
		if got, want := digest(commands), "f7da6eb56995fc7efa86988b80dd945871ec6735572099d2a3f9166c6550447d"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("mix", func(t *testing.T) {
		type class struct {
			kind Kind
			typ  Type
		}
		steps := commands[1000:]
		counts := make(map[class]int)
		for _, c := range steps {
			counts[class{c.Kind, c.Type}]++
		}
		for _, tt := range []struct {
			of      class
			percent float64
			within  float64
		}{
			{class{Move, GTC}, 70.9, 0.05},
			{class{Place, GTC}, 12.8, 0.05},
			{class{Cancel, GTC}, 7.3, 0.05},
			{class{Reduce, GTC}, 7.3, 0.05},
			{class{Place, IOC}, 1.75, 0.005},
			{class{Place, Budget}, 0.06, 0.005},
		} {
			got := 100 * float64(counts[tt.of]) / float64(len(steps))
			if math.Abs(got-tt.percent) > tt.within {
				t.Errorf("kind %d type %d: %.3f %%, want %v %%", tt.of.kind, tt.of.typ, got, tt.percent)
			}
			delete(counts, tt.of)
		}
		if len(counts) > 0 {
			t.Errorf("commands of other classes: %v", counts)
		}
	})
}

func TestStreamLengthDoesNotChangeCommands(t *testing.T) {
	long, _ := Stream(3, 7, 50, 20, 5_000)
	short, _ := Stream(3, 7, 50, 20, 700)
	if digest(short) != digest(long[:700]) {
		t.Error("a shorter stream is not the beginning of a longer one")
	}
}

func BenchmarkStream(b *testing.B) {
	const count = 100_000
	for b.Loop() {
		Stream(0, 101572685, 1000, 1000, count)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/command")
}
