package wire_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		data := wire.Append(nil, s)
		var back sample
		if err := wire.Decode(data, &back); err != nil {
			t.Fatalf("%+v does not come back: %v", s, err)
		}
		if !same(&back, s) {
			t.Fatalf("got %+v, want %+v", back, s)
		}
		if again := wire.Append(nil, &back); !bytes.Equal(again, data) {
			t.Fatalf("the same message was written as % x and % x", data, again)
		}
	})
}

func TestDecimalsAreWrittenInTheFewestBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDecimal(t)
		data := wire.Append(nil, &sample{HasLimit: true, Limit: d})
		size := int(data[1])
		// One byte less would be a decimal of another value, or no decimal at all.
		if size > 0 {
			var back sample
			short := append([]byte{0x5a, byte(size - 1)}, data[2:1+size]...)
			if err := wire.Decode(short, &back); err == nil && back.Limit == d {
				t.Fatalf("%s fits %d bytes and was written in %d", d, size-1, size)
			}
		}
		if (size == 0) != (d == fixed.Zero) {
			t.Fatalf("%s was written in %d bytes", d, size)
		}
	})
}

// FuzzDecode reads arbitrary bytes. Whatever can be read means the same after it was written
// and read again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add(wire.Append(nil, &sample{
		Small: 200, Number: 1 << 40, Signed: -1 << 40, Narrow: -5, Flag: true, Name: "name", Names: []string{"a", ""}, Numbers: []uint32{7, 0},
		Raw: []byte("raw"), Code: code{3, [4]byte{1, 2, 3}}, Amount: fixed.Min, HasLimit: true, Limit: fixed.Max,
		Inner: inner{7, "seven"}, List: []inner{{}, {9, "nine"}}, Choice: &left{1},
	}))
	f.Add(wire.Append(nil, &sample{Choice: &right{"right"}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second sample
		if wire.Decode(data, &first) != nil {
			return
		}
		if err := wire.Decode(wire.Append(nil, &first), &second); err != nil {
			t.Fatalf("%+v was read and does not come back: %v", first, err)
		}
		if !same(&first, &second) {
			t.Fatalf("read %+v, and after writing it %+v", first, second)
		}
	})
}
