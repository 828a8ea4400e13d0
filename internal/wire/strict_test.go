package wire_test

import (
	"errors"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// TestDecodingIsStrict lists bytes that must not be read: what they say would be lost or is not
// what any version of ours wrote.
func TestDecodingIsStrict(t *testing.T) {
	for name, tt := range map[string]struct {
		bytes []byte
		says  string
	}{
		"field of a newer version":              {[]byte{0xf8, 0x07, 0x01}, "field 127 is not known"},
		"field of a newer version in a message": {[]byte{0x62, 0x02, 0x48, 0x01}, "field 9 is not known"},
		"field of a newer version in a choice":  {[]byte{0x82, 0x01, 0x02, 0x10, 0x01}, "field 2 is not known"},
		"a field between the alternatives":      {[]byte{0x8a, 0x01, 0x00}, "field 17 is not known"},
		"field number 0":                        {[]byte{0x00}, "field number 0"},
		"field number 0 with a type":            {[]byte{0x02, 0x00}, "field number 0"},
		"field number 0 in a message":           {[]byte{0x62, 0x02, 0x00, 0x01}, "field number 0"},
		"fields out of order":                   {[]byte{0x10, 0x01, 0x08, 0x01}, "field 1 is not known"},
		"a field twice":                         {[]byte{0x08, 0x01, 0x08, 0x02}, "field 1 is not known"},
		"a message twice":                       {[]byte{0x62, 0x00, 0x62, 0x00}, "field 12 is not known"},
		"the same alternative twice":            {[]byte{0x82, 0x01, 0x00, 0x82, 0x01, 0x00}, "field 16 is not known"},
		"two alternatives":                      {[]byte{0x82, 0x01, 0x00, 0x92, 0x01, 0x00}, "field 18 is not known"},
		"two alternatives, the last one first":  {[]byte{0x92, 0x01, 0x00, 0x82, 0x01, 0x00}, "field 16 is not known"},

		"number as bytes":              {[]byte{0x0a, 0x01, 0x01}, "wire type 2 instead of 0"},
		"number in 64 bits":            {[]byte{0x11, 1, 0, 0, 0, 0, 0, 0, 0}, "wire type 1 instead of 0"},
		"signed in 32 bits":            {[]byte{0x1d, 1, 0, 0, 0}, "wire type 5 instead of 0"},
		"flag as bytes":                {[]byte{0x2a, 0x01, 0x01}, "wire type 2 instead of 0"},
		"text as a number":             {[]byte{0x30, 0x01}, "wire type 0 instead of 2"},
		"numbers as texts":             {[]byte{0x7a, 0x01, 0x01}, "wire type 2 instead of 0"},
		"a number of a list too large": {[]byte{0x78, 0x80, 0x80, 0x80, 0x80, 0x10}, "4294967296 is too large"},
		"texts as numbers":             {[]byte{0x38, 0x01}, "wire type 0 instead of 2"},
		"bytes as a number":            {[]byte{0x40, 0x01}, "wire type 0 instead of 2"},
		"bounded bytes as a number":    {[]byte{0x48, 0x01}, "wire type 0 instead of 2"},
		"decimal as a number":          {[]byte{0x50, 0x01}, "wire type 0 instead of 2"},
		"optional decimal as a number": {[]byte{0x58, 0x01}, "wire type 0 instead of 2"},
		"message as a number":          {[]byte{0x60, 0x01}, "wire type 0 instead of 2"},
		"list as a number":             {[]byte{0x68, 0x01}, "wire type 0 instead of 2"},
		"alternative as a number":      {[]byte{0x80, 0x01, 0x01}, "wire type 0 instead of 2"},

		"number too large for 8 bits":     {[]byte{0x08, 0x80, 0x02}, "256 is too large"},
		"number too large for 32 bits":    {[]byte{0x62, 0x06, 0x08, 0x80, 0x80, 0x80, 0x80, 0x10}, "4294967296 is too large"},
		"number too large for 64 bits":    {[]byte{0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, "cut off or too long"},
		"signed too large for 32 bits":    {[]byte{0x20, 0x80, 0x80, 0x80, 0x80, 0x10}, "2147483648 is too large"},
		"signed too small for 32 bits":    {[]byte{0x20, 0x81, 0x80, 0x80, 0x80, 0x10}, "-2147483649 is too large"},
		"flag 2":                          {[]byte{0x28, 0x02}, "2 is not a flag"},
		"bytes of another length":         {[]byte{0x72, 0x03, 1, 2, 3}, "key are 4 bytes that are not all zero, not 010203"},
		"bytes of one length, all zero":   {[]byte{0x72, 0x04, 0, 0, 0, 0}, "not 00000000"},
		"bounded bytes beyond the bound":  {[]byte{0x4a, 0x05, 1, 2, 3, 4, 5}, errCode.Error()},
		"key of eleven bytes":             {[]byte{0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x01}, "cut off or too long"},
		"zero that is a byte long":        {[]byte{0x52, 0x01, 0x00}, "not in its shortest form"},
		"one with a byte too many":        {[]byte{0x52, 0x02, 0x01, 0x00}, "not in its shortest form"},
		"minus one with a byte too many":  {[]byte{0x52, 0x02, 0xff, 0xff}, "not in its shortest form"},
		"decimal of 16 bytes, too long":   {append([]byte{0x52, 0x10, 0x01}, make([]byte, 15)...), "not in its shortest form"},
		"decimal of 17 bytes":             {append([]byte{0x52, 0x11}, make([]byte, 17)...), "a decimal of 17 bytes"},
		"optional, one byte too many":     {[]byte{0x5a, 0x02, 0x01, 0x00}, "not in its shortest form"},
		"length beyond what can be":       {[]byte{0x32, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'x'}, "is cut off after 1"},
		"length of a message beyond ours": {[]byte{0x62, 0x03, 0x12, 0x02, 'a', 'b'}, "is cut off after 1"},
	} {
		t.Run(name, func(t *testing.T) {
			var s sample
			err := wire.Decode(tt.bytes, &s)
			if !errors.Is(err, wire.ErrMalformed) {
				t.Fatalf("got %v, want ErrMalformed", err)
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("the error %q does not say %q", err, tt.says)
			}
		})
	}
}

// TestEveryCutIsNoticedOrIsAWholeMessage cuts a message everywhere. Protocol Buffers carry no
// length of their own, so a cut between fields is another message, which is why journal and
// snapshot put a length in front; a cut within a field must be an error.
func TestEveryCutIsNoticedOrIsAWholeMessage(t *testing.T) {
	s := sample{
		Small: 200, Number: 1 << 40, Signed: -1 << 40, Narrow: -5, Flag: true, Name: "name", Names: []string{"a", "b"}, Numbers: []uint32{7, 300},
		Raw: []byte("raw"), Code: code{3, [4]byte{1, 2, 3}}, Amount: fixed.MustParse("-12345.678"), HasLimit: true,
		Limit: fixed.One, Inner: inner{7, "seven"}, List: []inner{{8, "eight"}, {9, "nine"}}, Choice: &right{"right"},
	}
	whole := wire.Append(nil, &s)
	boundaries := 0
	for cut := range whole {
		var part sample
		err := wire.Decode(whole[:cut], &part)
		if err != nil {
			if !errors.Is(err, wire.ErrMalformed) {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		}
		boundaries++
		if same(&part, &s) {
			t.Errorf("the message cut at %d of %d is read as the whole one", cut, len(whole))
		}
	}
	// The message has 18 fields, the items of lists counted one by one: a cut before each.
	if boundaries != 18 {
		t.Errorf("%d cuts pass as whole messages, want the 18 before a field", boundaries)
	}
}

func TestFailedMessageInAListEndsTheWalk(t *testing.T) {
	var s sample
	err := wire.Decode([]byte{0x6a, 0x02, 0x08, 0x01, 0x6a, 0x02, 0x48, 0x01, 0x6a, 0x00, 0x82, 0x01, 0x00}, &s)
	if !errors.Is(err, wire.ErrMalformed) || s.Choice != nil {
		t.Errorf("got %v and went on to the choice %v", err, s.Choice)
	}
}
