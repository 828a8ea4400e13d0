package rest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"bourse/internal/api"
)

func TestSame(t *testing.T) {
	for _, c := range []struct {
		payload, body string
		want          bool
	}{
		{`{"a":1}`, `{"a":1}`, true},
		{`{"a":1}`, ` { "a" : 1 } `, true},
		{`{"a":1,"b":[1,{"c":null}]}`, `{"b":[1,{"c":null}],"a":1}`, true},
		{`{"a":"\u0061"}`, `{"a":"a"}`, true},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{``, ``, true}, // no JSON, which is found later
		{`{"a":1}`, `{"a":1.0}`, false},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":1}`, `{"A":1}`, false},
		{`{"a":null}`, `{}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":1}`, ``, false},
		{`{"a":1}`, `{"a":1}{}`, false},
		{`{"a":1}`, `{"a":1}]`, false},
		{`{"a":1} x`, `{"a":1}`, false},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567891}`, false},
		{`{"a":[]}`, `{"a":{}}`, false},
		{`{"a":[]}`, `{"a":null}`, false},
		{`{"a":null}`, `{"a":[]}`, false},
		{`[1,2]`, `[1,2,3]`, false},
		{strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 64) + " " + strings.Repeat("]", 64), true},
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), strings.Repeat("[", 65) + " " + strings.Repeat("]", 65), false},
		{strings.Repeat("[", 20_000), strings.Repeat("[", 20_001), false},
	} {
		if got := same([]byte(c.payload), []byte(c.body)); got != c.want {
			t.Errorf("%.40s and %.40s: %v", c.payload, c.body, got)
		}
	}
}

// TestSameIsLinear: what is sent twice as long takes at most about twice as much.
func TestSameIsLinear(t *testing.T) {
	for _, item := range []string{`[]`, `{}`, `[[]]`, `{"a":{}}`, `"x"`, `1`, `{"a":1,"a":2}`} {
		cost := func(n int) float64 {
			payload := []byte(`{"a":[` + strings.Repeat(item+",", n) + item + `]}`)
			body := append([]byte(" "), payload...)
			return testing.AllocsPerRun(3, func() {
				if !same(payload, body) {
					t.Errorf("%s are not the same", item)
				}
			})
		}
		if one, four := cost(500), cost(2000); four > 5*one {
			t.Errorf("%s: %.0f allocations for 500, %.0f for 2000", item, one, four)
		}
	}
}

func FuzzSame(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"a":1,"a":[2]}`, `{"a":"\u0061"}`, "{\"a\":\"\xff\"}", `[]`, `1e9`, `"x`, `{"a":1} `, `{}{}`} {
		f.Add([]byte(seed), []byte(strings.ReplaceAll(seed, ":", ": ")))
	}
	f.Fuzz(func(t *testing.T, payload, body []byte) {
		got := same(payload, body)
		if got != same(body, payload) {
			t.Error("it depends on the order")
		}
		if !same(payload, payload) {
			t.Error("it is not the same as itself")
		}
		if got && !bytes.Equal(payload, body) && (!json.Valid(payload) || !json.Valid(body)) {
			t.Error("what is not JSON is the same only if the bytes are")
		}
		var compact bytes.Buffer
		if json.Compact(&compact, payload) == nil && !api.TooDeep(payload) && !same(payload, compact.Bytes()) {
			t.Error("spaces make a difference")
		}
	})
}
