package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

func full() *sample {
	return &sample{
		Small: 200, Number: 1<<64 - 1, Signed: -1 << 63, Narrow: -5, Flag: true, Name: "a\"\\\n\x7fé😀", Names: []string{"", "\xff"}, Numbers: []uint32{0, 4294967295},
		Raw: []byte{0, 255}, Code: code{2, [4]byte{'o', 'k'}}, Amount: fixed.MustParse("-12.5"), HasLimit: true,
		Inner: inner{7, "seven"}, List: []inner{{}, {9, "nine"}}, Key: [4]byte{0, 0, 0, 1}, Choice: &right{"r"},
	}
}

const fullJSON = `{"small":200,"number":18446744073709551615,"signed":-9223372036854775808,"narrow":-5,"flag":true,` +
	`"name":"a\"\\\u000a\u007fé😀","names":["",{"base64":"/w=="}],"raw":"AP8=","code":"ok","amount":"-12.5","limit":"0",` +
	`"inner":{"number":7,"text":"seven"},"list":[{},{"number":9,"text":"nine"}],"key":"AAAAAQ==","numbers":[0,4294967295],"right":{"b":"r"}}`

func TestJSONIsWhatItShouldBe(t *testing.T) {
	if got := string(wire.AppendJSON([]byte("x"), full())); got != "x"+fullJSON {
		t.Errorf("got\n%s\nwant\nx%s", got, fullJSON)
	}
	if got := string(wire.AppendJSON(nil, &sample{Name: "a\x00"})); got != `{"name":{"base64":"YQA="},"inner":{}}` {
		t.Errorf("a text with a NUL is %s", got)
	}
	if got := string(wire.AppendJSON(nil, &sample{})); got != `{"inner":{}}` {
		t.Errorf("the zero message is %s", got)
	}
}

func TestJSONIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySample(t)
		data := wire.AppendJSON(nil, s)
		if !json.Valid(data) || bytes.ContainsRune(data, '\n') {
			t.Fatalf("this is not a line of JSON: %s", data)
		}
		var back sample
		if err := wire.DecodeJSON(data, &back); err != nil {
			t.Fatalf("%s does not come back: %v", data, err)
		}
		if !same(&back, s) {
			t.Fatalf("got %+v, want %+v", back, s)
		}
	})
}

func TestJSONMayBeWrittenOtherwise(t *testing.T) {
	for text, want := range map[string]sample{
		` { "number" : 5 , "small" : 1 } ` + "\r\n": {Small: 1, Number: 5},
		`{}`:                                {},
		`{"flag":false,"number":0}`:         {},
		`{"name":"\u00e9\ud83d\ude00\/\t"}`: {Name: "é😀/\t"},
		`{"names":[],"list":[]}`:            {},
		`{"limit":"1.50"}`:                  {HasLimit: true, Limit: fixed.MustParse("1.5")},
		`{"left":{}}`:                       {Choice: &left{}},
	} {
		var s sample
		if err := wire.DecodeJSON([]byte(text), &s); err != nil || !same(&s, &want) {
			t.Errorf("%s: got %+v %v", text, s, err)
		}
	}
}

func TestJSONIsStrict(t *testing.T) {
	for text, says := range map[string]string{
		``:                                  "a value is missing",
		`[]`:                                "it must be an object",
		`null`:                              "it must be an object",
		`{`:                                 "the name of a field is missing",
		`{"small":1}x`:                      "behind the end",
		"{\"small\":1}\x00":                 "behind the end",
		`{"small" 1}`:                       "a colon is missing",
		`{"small":1 "flag":true}`:           "a comma or the end of the object",
		`{"small":1,}`:                      "the name of a field is missing",
		`{"names":["a" "b"]}`:               "a comma or the end of the list",
		`{"small":1,"small":1}`:             `"small" is there twice`,
		`{"colour":1}`:                      `"colour" is not a field here`,
		`{"Small":1}`:                       `"Small" is not a field here`,
		`{"inner":{"colour":1}}`:            `"colour" is not a field here`,
		`{"list":[{"colour":1}]}`:           `"colour" is not a field here`,
		`{"left":{},"right":{}}`:            `"right" is not a field here, or one too many`,
		`{"left":{"b":"x"}}`:                `"b" is not a field here`,
		`{"small":"1"}`:                     `"small" is a string, it must be a number`,
		`{"small":null}`:                    `"small" is null, it must be a number`,
		`{"small":256}`:                     "256 is not a whole number from 0 to 255",
		`{"small":-1}`:                      "-1 is not a whole number from 0 to 255",
		`{"number":18446744073709551616}`:   "not a whole number",
		`{"narrow":2147483648}`:             "too large",
		`{"small":1.5}`:                     "numbers are whole",
		`{"small":1e2}`:                     "numbers are whole",
		`{"small":01}`:                      "not a number",
		`{"small":-}`:                       "not a number",
		`{"flag":1}`:                        "it must be true or false",
		`{"flag":yes}`:                      "a value is missing",
		`{"name":1}`:                        "it must be an object or a string",
		`{"name":{"base64":"!"}}`:           "not base64",
		`{"name":{"base32":"x"}}`:           "must be a string, or",
		`{"numbers":[4294967296]}`:          "4294967296 is not a whole number from 0 to 4294967295",
		`{"numbers":["1"]}`:                 "is not a whole number",
		`{"names":"a"}`:                     "it must be a list",
		`{"names":[1]}`:                     "must be a string, or",
		`{"raw":"a"}`:                       "not base64",
		`{"code":"12345"}`:                  errCode.Error(),
		`{"amount":1}`:                      "it must be a string",
		`{"amount":"1e5"}`:                  "not a decimal number",
		`{"limit":"0.0000000000000000001"}`: "too many decimals",
		`{"inner":[]}`:                      "it must be an object",
		`{"list":{}}`:                       "it must be a list",
		`{"list":[1]}`:                      "must be an object",
		`{"name":"x`:                        "does not end",
		"{\"name\":\"\n\"}":                 "control character",
		"{\"name\":\"\xff\"}":               "not UTF-8",
		`{"name":"\x"}`:                     "not begin an escape",
		`{"name":"\u12"}`:                   "not begin an escape",
		`{"name":"\ud800"}`:                 "not begin an escape",
		`{"name":"\ud800\u0041"}`:           "not begin an escape",
		strings.Repeat("[", 1000):           "nested too deeply",
	} {
		var s sample
		err := wire.DecodeJSON([]byte(text), &s)
		if !errors.Is(err, wire.ErrMalformed) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", text, err, says)
		}
	}
}

// FuzzDecodeJSON reads arbitrary text. Whatever can be read is JSON for others too, and means the
// same after it was printed and read again.
func FuzzDecodeJSON(f *testing.F) {
	f.Add([]byte(fullJSON))
	f.Add([]byte(`{"left":{"a":1},"names":["\ud83d\ude00"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second sample
		if wire.DecodeJSON(data, &first) != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q was read and is not JSON", data)
		}
		printed := wire.AppendJSON(nil, &first)
		if err := wire.DecodeJSON(printed, &second); err != nil {
			t.Fatalf("%s was printed and does not come back: %v", printed, err)
		}
		if !same(&first, &second) {
			t.Fatalf("read %+v, and after printing it %+v", first, second)
		}
	})
}
