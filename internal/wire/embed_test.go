package wire_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"bourse/internal/wire"
)

// TestEmbeddedMessagesAtTheEdgesOfTheirLength covers the places where the length of an embedded
// message grows by a byte: its fields were written before it was known and have to move.
func TestEmbeddedMessagesAtTheEdgesOfTheirLength(t *testing.T) {
	for _, size := range []int{0, 3, 126, 127, 128, 129, 16_382, 16_383, 16_384, 16_385, 2_097_151, 2_097_152} {
		text := textForBody(size)
		body := bodyOf(text)
		if len(body) != size {
			t.Fatalf("the text for %d bytes makes a body of %d", size, len(body))
		}
		s := sample{Inner: inner{Text: text}, List: []inner{{Text: text}, {Number: 1}}, Choice: &right{}}
		want := binary.AppendUvarint([]byte{0x62}, uint64(size))
		want = append(want, body...)
		want = binary.AppendUvarint(append(want, 0x6a), uint64(size))
		want = append(want, body...)
		want = append(want, 0x6a, 0x02, 0x08, 0x01, 0x92, 0x01, 0x00)
		if got := wire.Append(nil, &s); !bytes.Equal(got, want) {
			t.Errorf("a message of %d bytes is not written as its length and its fields", size)
		}
		var back sample
		if err := wire.Decode(want, &back); err != nil || !same(&back, &s) {
			t.Errorf("a message of %d bytes does not come back: %v", size, err)
		}
	}
}

// nest is a message in a message in a message: moving an inner one up moves it within the outer.
type nest struct {
	Text string
	Deep *nest
}

func (n *nest) Fields(c *wire.Coder) {
	wire.Text(c, 1, "text", &n.Text)
	if n.Deep != nil {
		wire.Embed(c, 2, "deep", n.Deep)
	}
}

func TestLongMessagesWithinLongMessages(t *testing.T) {
	for _, size := range []int{1, 120, 127, 128, 5_000, 16_380, 20_000} {
		m := nest{Text: "a", Deep: &nest{Text: "b", Deep: &nest{Text: strings.Repeat("c", size)}}}
		got := wire.Append(nil, &m)

		deepest := appendSized([]byte(nil), 0x0a, []byte(strings.Repeat("c", size)))
		middle := appendSized([]byte{0x0a, 1, 'b'}, 0x12, deepest)
		want := appendSized([]byte{0x0a, 1, 'a'}, 0x12, middle)
		if !bytes.Equal(got, want) {
			t.Errorf("with %d bytes in the middle: wrote %d bytes, want %d", size, len(got), len(want))
		}
		back := nest{Deep: &nest{Deep: &nest{}}}
		if err := wire.Decode(got, &back); err != nil || back.Deep.Deep.Text != m.Deep.Deep.Text {
			t.Errorf("with %d bytes in the middle: %v", size, err)
		}
	}
}

// textForBody is a text whose field takes size bytes. Sizes for which there is none (two, and
// those where the length of the text itself grows) are not asked for.
func textForBody(size int) string {
	if size == 0 {
		return ""
	}
	for extra := 1; ; extra++ {
		n := size - 1 - extra
		if len(binary.AppendUvarint(nil, uint64(n))) == extra {
			return strings.Repeat("x", n)
		}
	}
}

func bodyOf(text string) []byte {
	if text == "" {
		return nil
	}
	return appendSized(nil, 0x12, []byte(text))
}

func appendSized(dst []byte, key byte, body []byte) []byte {
	dst = binary.AppendUvarint(append(dst, key), uint64(len(body)))
	return append(dst, body...)
}
