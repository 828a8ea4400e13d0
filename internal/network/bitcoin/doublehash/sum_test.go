package doublehash

import (
	"bytes"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
)

// text is some bytes that repeat at no power of two.
func text(size, seed int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*i>>3 + i%251 + seed)
	}
	return b
}

// everyLength are messages of all lengths around the ends of blocks.
func everyLength() (messages [][]byte) {
	for size := range 400 {
		messages = append(messages, text(size, 0), text(size*7%400, size))
	}
	for _, size := range []int{4095, 4096, 4097, 100_000} {
		messages = append(messages, text(size, 1), text(1, size))
	}
	return messages
}

// TestEveryLength hashes few and many of them beside each other.
func TestEveryLength(t *testing.T) {
	messages := everyLength()
	for n := range 40 {
		same(t, messages[:n])
		same(t, messages[len(messages)-n:])
	}
	same(t, messages)
}

func same(t testing.TB, messages [][]byte) {
	t.Helper()
	got, each := make([]chainhash.Hash, len(messages)), make([]chainhash.Hash, len(messages))
	Sum(got, messages)
	sumEach(each, messages)
	for i, message := range messages {
		if want := chainhash.DoubleHashH(message); got[i] != want || each[i] != want {
			t.Fatalf("message %d of %d with %d bytes: %v, one after the other %v, want %v", i, len(messages), len(message), got[i], each[i], want)
		}
	}
}

// TestNothingIsChanged: messages are slices of a block.
func TestNothingIsChanged(t *testing.T) {
	raw := text(10_000, 3)
	var messages [][]byte
	for i := range 100 {
		messages = append(messages, raw[i*100:i*100+i])
	}
	same(t, messages)
	if !bytes.Equal(raw, text(10_000, 3)) {
		t.Error("the messages were written to")
	}
}

// FuzzSum cuts the bytes into messages.
func FuzzSum(f *testing.F) {
	f.Add(text(1000, 0), uint16(64), uint16(3))
	f.Add(text(5000, 1), uint16(4096), uint16(0))
	f.Fuzz(func(t *testing.T, raw []byte, size, more uint16) {
		var messages [][]byte
		for len(raw) > 0 && len(messages) < 100 {
			n := min(int(size), len(raw))
			messages = append(messages, raw[:n])
			raw = raw[n:]
			size += more
		}
		same(t, messages)
	})
}

// BenchmarkSum hashes pairs of hashes, transactions with two outputs without and with their witness, and transactions of all kinds.
func BenchmarkSum(b *testing.B) {
	for name, size := range map[string]func(int) int{
		"64": func(int) int { return 64 }, "113": func(int) int { return 113 }, "223": func(int) int { return 223 },
		"all": func(i int) int { return 100 + i*i%977*(i*i%31)/10 },
	} {
		messages, bytes := make([][]byte, 5000), int64(0)
		for i := range messages {
			messages[i] = text(size(i), i)
			bytes += int64(len(messages[i]))
		}
		dst := make([]chainhash.Hash, len(messages))
		b.Run("Sum/"+name, func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				Sum(dst, messages)
			}
		})
		b.Run("sumEach/"+name, func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				sumEach(dst, messages)
			}
		})
	}
}
