package api

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// names that some request reads.
var formNames = []string{
	"request", "nonce", "nonceWindow", "market", "side", "amount", "price", "activation_price", "activationPrice", "total", "orderId",
	"clientOrderId", "stp", "bboRole", "postOnly", "ioc", "rpi", "retail", "orders", "stopOnFail", "types", "type", "timeout", "limit", "offset",
	"ticker", "from", "to", "method", "startDate", "endDate", "status", "lastId", "interval", "start", "end", "depth", "level",
}

// oracle reads a body as encoding/json does; the last of members with one name counts there too.
func oracle(data []byte) (members map[string]json.RawMessage, ok bool) {
	if !utf8.Valid(data) {
		return nil, false
	}
	err := json.Unmarshal(data, &members)
	return members, err == nil && members != nil && nesting(data) <= 64
}

// nesting is how deep a JSON text is nested.
func nesting(data []byte) (deepest int) {
	d, depth := json.NewDecoder(bytes.NewReader(data)), 0
	for {
		token, err := d.Token()
		switch {
		case err != nil:
			return deepest
		case token == json.Delim('[') || token == json.Delim('{'):
			depth++
			deepest = max(deepest, depth)
		case token == json.Delim(']') || token == json.Delim('}'):
			depth--
		}
	}
}

// FuzzForm holds the form to encoding/json: both take the same bodies and read the same from
// them. What requests make of it is fuzzed with the table.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { } `, `[]`, `null`, `7`, `"x"`, ``, `{`, `{}x`, `{}]`, `{}{}`, `{"a":1,}`, `{"a":01}`, `{"a":1e}`, `{"a":"\q"}`, `{"a":"\ud800"}`,
		"{\"a\":\"\xff\"}", "{\"a\":\"\n\"}", "\uFEFF{}", `{"a":tru}`, `{"a":-}`, `{"a":+1}`, `{"a":.5}`, `{"a":NaN}`, `{"a" 1}`, `{"a":1 "b":2}`, `{a:1}`,
		`{"request":"/api/v4/order/new","nonce":1594297865000,"nonceWindow":true,"market":"BTC_USDT","side":"buy","amount":"0.1","price":1e-3,"clientOrderId":"a-1","stp":"cb","bboRole":1}`,
		`{"\u0061mount":"\u0031","amount":null,"orders":[{"market":"A_B","orderId":"1"},7,{"amount":{}}],"types":["spot","x",1],"timeout":"5"}`,
		`{"amount":1e999999999999,"price":"1e-61","total":-0.0,"limit":"010","offset":-0,"orderId":1.0,"startDate":99999999999999999999}`,
		`{"deep":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`,
		`{"deep":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var form Form
		err := form.ReadJSON(data)
		members, ok := oracle(data)
		if (err == nil) != ok {
			t.Fatalf("%q: %v, but encoding/json says %v", data, err, ok)
		}
		if err != nil {
			return
		}
		for name, raw := range members {
			sameField(t, &form, name, raw)
		}
		for _, name := range formNames {
			if _, there := members[name]; !there && form.find(name).kind != absent {
				t.Errorf("%s is not in %q", name, data)
			}
			form.List(name, func(item *Form) error { return nil })
			form.Texts(name)
		}
		_, _ = form.Origin([]byte("/api/v4/order/new"))
	})
}

// sameField holds the readers of one field to what encoding/json reads.
func sameField(t *testing.T, f *Form, name string, raw json.RawMessage) {
	if !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError) {
		return // lone surrogates: each reader replaces them in its own way
	}
	var value any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatal(err)
	}
	text, textState := f.Text(name)
	yes, boolState := f.Bool(name)
	n, intState := f.Int(name)
	number := f.Number(name)
	switch v := value.(type) {
	case nil:
		if textState != Missing || boolState != Missing || intState != Missing || number.State != Missing || f.Has(name) {
			t.Errorf("%q: null is there", name)
		}
	case string:
		if textState != Good || text != v && !strings.ContainsRune(v, utf8.RuneError) {
			t.Errorf("%q: %q, want %q", name, text, v)
		}
		sameNumber(t, v, n, intState, number)
	case json.Number:
		if textState != Malformed || boolState != Malformed {
			t.Errorf("%q: a number is taken for something else", name)
		}
		sameNumber(t, v.String(), n, intState, number)
	case bool:
		if boolState != Good || yes != v || textState != Malformed || intState != Malformed || number.State != Malformed {
			t.Errorf("%q: %v", name, v)
		}
	default:
		if textState != Malformed || boolState != Malformed || intState != Malformed || number.State != Malformed {
			t.Errorf("%q: something is read from %s", name, raw)
		}
	}
}

// sameNumber holds what was read from a text to the same text read with all digits.
func sameNumber(t *testing.T, text string, n int64, intState State, number Number) {
	if len(text) > 50 {
		return // math/big would take its time for exponents of that length
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 && len(text)-at > 5 {
		return
	}
	want, ok := new(big.Rat).SetString(text)
	if strings.ContainsAny(text, "_/xXoObBpP") {
		ok = false // forms of Go
	}
	if intState == Good && (!ok || !want.IsInt() || want.Num().Int64() != n) {
		t.Errorf("the whole number %d was read from %q", n, text)
	}
	if number.State == Good {
		got, _ := new(big.Rat).SetString(number.Value.String())
		if !ok || got.Cmp(want) != 0 {
			t.Errorf("the number %s was read from %q", number.Value, text)
		}
	}
}

// A body that is too deep costs an error and no stack.
func TestABodyOfManyLevels(t *testing.T) {
	for _, levels := range []int{1, 63, 64, 9000, 100_000} {
		for _, pair := range []string{"[]", "{}"} {
			open, end := pair[:1], pair[1:]
			if open == "{" {
				open = `{"a":`
			}
			deep := `{"x":` + strings.Repeat(open, levels) + "1" + strings.Repeat(end, levels) + `}`
			var f Form
			if err := f.ReadJSON([]byte(deep)); (err == nil) != (levels < 64) {
				t.Errorf("%d levels of %s: %v", levels, pair, err)
			}
		}
	}
}

// Values are views of the body: nothing that is read later changes them.
func TestReadingAFormTwice(t *testing.T) {
	var f Form
	for _, c := range []struct{ body, want string }{
		{`{"a":"first","b\u0062":"\u0041"}`, "first A"},
		{`{"a":"2","bb":"x"}`, "2 x"},
		{`{"bb":"\n"}`, " \n"},
	} {
		if err := f.ReadJSON([]byte(c.body)); err != nil {
			t.Fatal(err)
		}
		a, _ := f.Text("a")
		b, _ := f.Text("bb")
		if a+" "+b != c.want {
			t.Errorf("%s: %q", c.body, a+" "+b)
		}
	}
}

// TestObjectWithinAForm: what is wrong with the fields of an object is said under their paths, and in words that have all of them.
func TestObjectWithinAForm(t *testing.T) {
	read := func(f *Form) (s State, city string) {
		s = f.Object("travelRule", func(f *Form) {
			f.Demand("walletType")
			f.Object("address", func(f *Form) {
				f.Demand("city")
				city = f.String("city")
			})
		})
		return s, city
	}
	for body, want := range map[string]struct {
		state  State
		city   string
		fields []FieldError
	}{
		`{}`:                                {Missing, "", nil},
		`{"travelRule":null}`:               {Missing, "", nil},
		`{"travelRule":"x"}`:                {Malformed, "", nil},
		`{"travelRule":[]}`:                 {Malformed, "", nil},
		`{"travelRule":{"walletType":"x"}}`: {Good, "", nil},
		`{"travelRule":{"walletType":"x","address":{"city":"\u004cinz"}}}`: {Good, "Linz", nil},
		`{"travelRule":{"address":{}}}`: {Good, "", []FieldError{
			{"travelRule.walletType", []string{"The travel rule wallet type field is required."}},
			{"travelRule.address.city", []string{"The travel rule address city field is required."}},
		}},
		`{"travelRule":{"walletType":"x","address":{"city":7}}}`: {Good, "", []FieldError{
			{"travelRule.address.city", []string{"The travel rule address city must be a string."}},
		}},
	} {
		var f Form
		if err := f.ReadJSON([]byte(body)); err != nil {
			t.Fatal(err)
		}
		state, city := read(&f)
		var fields []FieldError
		if e, is := f.Err().(*Error); is {
			fields = e.Fields
		}
		if state != want.state || city != want.city || !reflect.DeepEqual(fields, want.fields) {
			t.Errorf("%s: %d, %q, %v", body, state, city, fields)
		}
	}
	s := describe(func(f *Form) { read(f) })
	rule := s.parameter("travelRule")
	if rule.Type != ObjectParameter || rule.Required || !rule.Items.parameter("walletType").Required || !rule.Items.parameter("address").Items.parameter("city").Required {
		t.Errorf("%+v", rule)
	}
}

// TestCutNumbers: what is beyond some places does not count, however it is written, and what is no number stays none.
func TestCutNumbers(t *testing.T) {
	for text, want := range map[string]string{
		`"0.123456789"`: "0.12345678", `0.123456789`: "0.12345678", `"-0.129999999"`: "-0.12999999", `"1"`: "1", `"1.5"`: "1.5", `"1.00000000"`: "1", `"0.` + strings.Repeat("9", 60) + `"`: "0.99999999",
		`"1.234567899e-3"`: "0.00123456", `"1.5E2"`: "150", `"1e-9"`: "0",
		`""`: "", `"x"`: "", `"."`: "", `"1.23456789x"`: "", `"1.2345678.9"`: "", `"1,5"`: "", `"1.123456789e"`: "", `true`: "", `[]`: "", `"- 1"`: "",
	} {
		var f Form
		if err := f.ReadJSON([]byte(`{"n":` + text + `}`)); err != nil {
			t.Fatal(err)
		}
		n := f.CutNumber("n", 8)
		if got := n.Value.String(); want == "" && n.State != Malformed || want != "" && (n.State != Good || got != want) {
			t.Errorf("%s: %s, state %d; want %q", text, got, n.State, want)
		}
	}
	for text, sign := range map[string]int{`"1e40"`: 1, `"-1e40"`: -1} {
		var f Form
		if err := f.ReadJSON([]byte(`{"n":` + text + `}`)); err != nil {
			t.Fatal(err)
		}
		if n := f.CutNumber("n", 8); n.State != TooLarge || n.Value.Sign() != sign {
			t.Errorf("%s: %s, state %d", text, n.Value, n.State)
		}
	}
}
