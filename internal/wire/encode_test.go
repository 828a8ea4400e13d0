package wire_test

import (
	"bytes"
	"math"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// embeddedNothing is what every sample ends with in these tables: an embedded message is written
// even when it is empty.
var embeddedNothing = []byte{12<<3 | 2, 0}

// TestEveryKindOfFieldHasTheBytesOfProtobuf holds the encoding against bytes written by hand
// from the definition of Protocol Buffers.
func TestEveryKindOfFieldHasTheBytesOfProtobuf(t *testing.T) {
	d := fixed.MustParse
	for name, tt := range map[string]struct {
		value sample
		bytes []byte // before or, with after, behind the empty embedded message
		after bool
	}{
		"nothing":                             {},
		"number 1":                            {value: sample{Small: 1}, bytes: []byte{0x08, 0x01}},
		"number of one byte":                  {value: sample{Small: 127}, bytes: []byte{0x08, 0x7f}},
		"number of two bytes":                 {value: sample{Small: 128}, bytes: []byte{0x08, 0x80, 0x01}},
		"number 150":                          {value: sample{Number: 150}, bytes: []byte{0x10, 0x96, 0x01}},
		"largest number":                      {value: sample{Number: math.MaxUint64}, bytes: []byte{0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
		"signed 1":                            {value: sample{Signed: 1}, bytes: []byte{0x18, 0x02}},
		"signed -1":                           {value: sample{Signed: -1}, bytes: []byte{0x18, 0x01}},
		"signed -2":                           {value: sample{Signed: -2}, bytes: []byte{0x18, 0x03}},
		"smallest signed":                     {value: sample{Signed: math.MinInt64}, bytes: []byte{0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
		"largest signed":                      {value: sample{Signed: math.MaxInt64}, bytes: []byte{0x18, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
		"smallest narrow":                     {value: sample{Narrow: math.MinInt32}, bytes: []byte{0x20, 0xff, 0xff, 0xff, 0xff, 0x0f}},
		"flag":                                {value: sample{Flag: true}, bytes: []byte{0x28, 0x01}},
		"text":                                {value: sample{Name: "testing"}, bytes: []byte{0x32, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g'}},
		"text that is not ASCII":              {value: sample{Name: "é"}, bytes: []byte{0x32, 0x02, 0xc3, 0xa9}},
		"numbers, one of them zero":           {value: sample{Numbers: []uint32{1, 0, 300}}, bytes: []byte{0x78, 0x01, 0x78, 0x00, 0x78, 0xac, 0x02}, after: true},
		"texts, one of them empty":            {value: sample{Names: []string{"a", "", "bc"}}, bytes: []byte{0x3a, 0x01, 'a', 0x3a, 0x00, 0x3a, 0x02, 'b', 'c'}},
		"bytes":                               {value: sample{Raw: []byte{0, 0xff}}, bytes: []byte{0x42, 0x02, 0x00, 0xff}},
		"bounded bytes":                       {value: sample{Code: code{2, [4]byte{'x', 'y'}}}, bytes: []byte{0x4a, 0x02, 'x', 'y'}},
		"decimal of one unit":                 {value: sample{Amount: d("0.000000000000000001")}, bytes: []byte{0x52, 0x01, 0x01}},
		"decimal of 127 units":                {value: sample{Amount: d("0.000000000000000127")}, bytes: []byte{0x52, 0x01, 0x7f}},
		"decimal that needs a sign byte":      {value: sample{Amount: d("0.000000000000000128")}, bytes: []byte{0x52, 0x02, 0x80, 0x00}},
		"decimal of minus one unit":           {value: sample{Amount: d("-0.000000000000000001")}, bytes: []byte{0x52, 0x01, 0xff}},
		"decimal of -128 units":               {value: sample{Amount: d("-0.000000000000000128")}, bytes: []byte{0x52, 0x01, 0x80}},
		"decimal of -129 units":               {value: sample{Amount: d("-0.000000000000000129")}, bytes: []byte{0x52, 0x02, 0x7f, 0xff}},
		"decimal 1":                           {value: sample{Amount: d("1")}, bytes: []byte{0x52, 0x08, 0x00, 0x00, 0x64, 0xa7, 0xb3, 0xb6, 0xe0, 0x0d}},
		"decimal whose low word looks signed": {value: sample{Amount: fixed.FromBits(0, 1<<63)}, bytes: []byte{0x52, 0x09, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x00}},
		"decimal of a whole low word":         {value: sample{Amount: fixed.FromBits(-1, 1<<63)}, bytes: []byte{0x52, 0x08, 0, 0, 0, 0, 0, 0, 0, 0x80}},
		"decimal just below that":             {value: sample{Amount: fixed.FromBits(-1, 1<<63-1)}, bytes: []byte{0x52, 0x09, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff}},
		"largest decimal":                     {value: sample{Amount: fixed.Max}, bytes: append([]byte{0x52, 0x10}, append(bytes.Repeat([]byte{0xff}, 15), 0x7f)...)},
		"smallest decimal":                    {value: sample{Amount: fixed.Min}, bytes: append([]byte{0x52, 0x10}, append(make([]byte, 15), 0x80)...)},
		"a limit of zero is there":            {value: sample{HasLimit: true}, bytes: []byte{0x5a, 0x00}},
		"a limit":                             {value: sample{HasLimit: true, Limit: fixed.FromBits(0, 5)}, bytes: []byte{0x5a, 0x01, 0x05}},
		"list of two, one of them empty":      {value: sample{List: []inner{{}, {Number: 3}}}, bytes: []byte{0x6a, 0x00, 0x6a, 0x02, 0x08, 0x03}, after: true},
		"bytes of one length":                 {value: sample{Key: [4]byte{0, 0, 0, 7}}, bytes: []byte{0x72, 0x04, 0, 0, 0, 7}, after: true},
		"first choice, field number 16":       {value: sample{Choice: &left{A: 1}}, bytes: []byte{0x82, 0x01, 0x02, 0x08, 0x01}, after: true},
		"second choice, empty":                {value: sample{Choice: &right{}}, bytes: []byte{0x92, 0x01, 0x00}, after: true},
	} {
		t.Run(name, func(t *testing.T) {
			want := append(bytes.Clone(tt.bytes), embeddedNothing...)
			if tt.after {
				want = append(bytes.Clone(embeddedNothing), tt.bytes...)
			}
			if got := wire.Append(nil, &tt.value); !bytes.Equal(got, want) {
				t.Errorf("wrote % x, want % x", got, want)
			}
			var back sample
			if err := wire.Decode(want, &back); err != nil || !same(&back, &tt.value) {
				t.Errorf("read %+v (%v), want %+v", back, err, tt.value)
			}
		})
	}
}

func TestEmbeddedMessageIsWrittenAfterItsLength(t *testing.T) {
	s := sample{Inner: inner{Number: 300, Text: "ab"}}
	want := []byte{0x62, 0x07, 0x08, 0xac, 0x02, 0x12, 0x02, 'a', 'b'}
	if got := wire.Append(nil, &s); !bytes.Equal(got, want) {
		t.Errorf("wrote % x, want % x", got, want)
	}
}

func TestAppendWritesBehindWhatIsThere(t *testing.T) {
	before := []byte("before")
	want := append([]byte("before"), 0x08, 0x07, 0x62, 0x00)
	if got := wire.Append(before, &sample{Small: 7}); !bytes.Equal(got, want) {
		t.Errorf("wrote % x, want % x", got, want)
	}
	var c wire.Coder
	for range 2 { // a kept coder starts afresh every time
		if got := c.AppendTo([]byte("before"), &sample{Small: 7}); !bytes.Equal(got, want) {
			t.Errorf("a kept coder wrote % x, want % x", got, want)
		}
	}
}

func TestKeptCoderAllocatesNothing(t *testing.T) {
	s := sample{Small: 1, Name: "name", Amount: fixed.One, Inner: inner{Text: string(make([]byte, 300))}, Choice: &left{A: 9}}
	buf := make([]byte, 0, 1024)
	var c wire.Coder
	if n := testing.AllocsPerRun(100, func() { buf = c.AppendTo(buf[:0], &s) }); n != 0 {
		t.Errorf("%v allocations for a message", n)
	}
}

func TestDecodedMessageOwnsItsMemory(t *testing.T) {
	in := wire.Append(nil, &sample{Name: "name", Names: []string{"x"}, Raw: []byte("raw"), Choice: &right{B: "b"}})
	var got, want sample
	if err := wire.Decode(in, &got); err != nil {
		t.Fatal(err)
	}
	if err := wire.Decode(bytes.Clone(in), &want); err != nil {
		t.Fatal(err)
	}
	clear(in)
	if !same(&got, &want) {
		t.Errorf("%+v changed with the bytes that it was read from", got)
	}
}
