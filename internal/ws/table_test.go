package ws

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"bourse/internal/api"
)

func TestTableIsWhole(t *testing.T) {
	names, counts := map[string]bool{}, map[Kind]int{}
	for _, m := range Methods() {
		if names[m.Name] {
			t.Errorf("two methods are called %s", m.Name)
		}
		names[m.Name] = true
		counts[m.Kind]++
		if m.Group == nil || m.Group.Name == "" || m.Group.Title == "" || m.Group.Text == "" || m.Summary == "" || m.Text == "" || m.Result == nil {
			t.Errorf("%s is not explained", m.Name)
		}
		if m.Private != (m.Right != "") && m.Name != "authorize" {
			t.Errorf("%s: private %v, right %q", m.Name, m.Private, m.Right)
		}
		if (m.Kind == Push) != (m.do == nil) || (m.do == nil) != (m.read == nil) {
			t.Errorf("%s does not do what a %s does", m.Name, m.Kind)
		}
		if (m.Budget == Placements) != strings.HasSuffix(m.Name, "_place") {
			t.Errorf("%s counts against budget %d", m.Name, m.Budget)
		}
		if m.Open != (m.Name == "ping" || m.Name == "time") {
			t.Errorf("%s: open during maintenance %v", m.Name, m.Open)
		}
		m.Params().all(func(p *Param) {
			if p.Kind != AnyParam && (p.Name == "" || p.Text == "" && p.Name != "fields") {
				t.Errorf("%s: the parameter %q is not explained", m.Name, p.Name)
			}
		})
	}
	if want := map[Kind]int{Request: 36, Subscribe: 18, Unsubscribe: 18, Push: 19}; !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
}

// reads lets a method read params as it would those of a client.
func (m *Method) reads(t *testing.T, c *conn, params string) *Error {
	t.Helper()
	q := &call{conn: c}
	if isJSON, err := q.read([]byte(`{"id":1,"method":"` + m.Name + `","params":` + params + `}`)); !isJSON || err != nil {
		t.Fatalf("%s: %s", m.Name, params)
	}
	a := arguments{call: q}
	m.read(&a)
	return a.err
}

// bad are params that break one rule each of a description, by what is broken.
func (p *Params) bad() map[string]string {
	all := map[string]string{}
	good := make([]string, len(p.List))
	for i, part := range p.List {
		good[i] = part.example()
	}
	with := func(i int, text string) string {
		changed := slices.Clone(good)
		changed[i] = text
		return "[" + strings.Join(changed, ",") + "]"
	}
	if p.Fewest > 0 {
		all["too few"] = "[" + strings.Join(good[:min(p.Fewest-1, len(good))], ",") + "]"
	}
	if p.Most >= 0 {
		all["too many"] = "[" + strings.Join(slices.Concat(good, slices.Repeat([]string{"null"}, p.Most+1-len(good))), ",") + "]"
	}
	for i, part := range p.List {
		switch part.Kind {
		case TextParam:
			all["no text"] = with(i, "7")
		case WholeParam:
			all["no number"] = with(i, `"7"`)
			all["a fraction"] = with(i, `7.5`)
			if part.Least != nil {
				all["too low"] = with(i, string(api.AppendInt(nil, *part.Least-1)))
			}
			if part.Most != nil && *part.Most < 1<<60 {
				all["too high"] = with(i, string(api.AppendInt(nil, *part.Most+1)))
			}
			if len(part.Numbers) > 0 {
				all["another number"] = with(i, string(api.AppendInt(nil, slices.Max(part.Numbers)+1)))
			}
		case FlagParam:
			all["no flag"] = with(i, "1")
		case ListParam:
			all["no list"] = with(i, "{}")
			all["another element"] = with(i, "[7]")
		}
	}
	if p.Rest != nil && p.Rest.Kind == TextParam {
		all["no text in the rest"] = "[7]"
	}
	return all
}

// example is a value that the description allows.
func (p *Param) example() string {
	switch p.Kind {
	case TextParam:
		return `"BTC_USDT"`
	case WholeParam:
		if len(p.Numbers) > 0 {
			return string(api.AppendInt(nil, p.Numbers[0]))
		}
		if p.Least != nil {
			return string(api.AppendInt(nil, *p.Least))
		}
		return "60"
	case DecimalParam:
		return `"0"`
	case FlagParam:
		return "true"
	case ListParam:
		return "[]"
	case ObjectParam:
		return `{}`
	}
	return "null"
}

// What is described is what is read: params that break the description are refused as that, before anything
// is looked up, and the examples are read.
func TestParamsAreReadAsDescribed(t *testing.T) {
	_, c, _ := aServer(t)
	tried := 0
	for i := range table {
		m := &table[i]
		if m.Kind == Push {
			continue
		}
		if e := m.reads(t, c, m.Example.Params); e != nil && !strings.Contains(e.Message, "ETH_USDT") {
			t.Errorf("%s does not read its example: %v", m.Name, e)
		}
		if m.Group == ordersGroup || m.Group == collateralGroup {
			continue // they answer about the region first; the tests of fields hold them
		}
		for what, params := range m.Params().bad() {
			tried++
			if e := m.reads(t, c, params); e == nil || e.Code != errArgument.Code {
				t.Errorf("%s with %s %s: %v", m.Name, what, params, e)
			}
		}
	}
	if tried < 80 {
		t.Errorf("only %d wrong params were tried", tried)
	}
}

// wrong are values that a member of an object does not take; nil: it is absent.
func (p *Param) wrong() (all []any) {
	if p.Required {
		all = append(all, nil)
	}
	if len(p.Words) > 0 {
		all = append(all, "?")
	}
	switch p.Kind {
	case TextParam:
		return append(all, 7, true, []any{})
	case DecimalParam:
		return append(all, "x", true, []any{})
	case FlagParam:
		return append(all, 1, "true")
	case IDParam:
		return append(all, "x", 1.5, true)
	case WholeParam:
		return append(all, "1", *p.Least-1, *p.Most+1)
	case ListParam:
		return append(all, "spot", []any{}, []any{"?"}, []any{7})
	}
	return all
}

// Members of the object of an order are described as they are read: each is refused when it is another
// than the description, with an error that the method lists.
func TestFieldsAreReadAsDescribed(t *testing.T) {
	s, c, _ := aServer(t)
	tried := 0
	for i := range table {
		m := &table[i]
		if m.Group != ordersGroup && m.Group != collateralGroup {
			continue
		}
		var example []map[string]any
		if err := json.Unmarshal([]byte(m.Example.Params), &example); err != nil {
			t.Fatal(err)
		}
		errors := m.Errors()
		for _, p := range m.Params().List[0].Members {
			for _, wrong := range p.wrong() {
				fields := maps.Clone(example[0])
				if fields[p.Name] = wrong; wrong == nil {
					delete(fields, p.Name)
				}
				text, _ := json.Marshal([]any{fields})
				q := &call{conn: c, account: c.may(""), method: s.methods[m.Name]}
				q.read([]byte(`{"method":"x","params":` + string(text) + `}`))
				tried++
				_, _, e := m.do(q)
				if e == nil || e.Code != errArgument.Code && e != errTrigger && e != errCondition || !slices.ContainsFunc(errors, func(known *Error) bool { return *known == *e }) {
					t.Errorf("%s with %s %v: %v", m.Name, p.Name, wrong, e)
				} else if !strings.Contains(e.Message, strings.ReplaceAll(p.Name, "_role", "")) && p.Name != "type" && e.Message != noReference && e.Code == errArgument.Code {
					t.Errorf("%s with %s %v: %v", m.Name, p.Name, wrong, e)
				}
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d wrong fields were tried", tried)
	}
}

// An example is a whole frame, and its ids and names are those of the table.
func TestExamplesAreJSON(t *testing.T) {
	for _, m := range Methods() {
		texts := []string{m.Example.Params}
		if m.Kind != Push && (m.Example.Result != "" || m.Group != collateralGroup) {
			texts = append(texts, m.Example.Result)
		}
		for _, text := range texts {
			var compact bytes.Buffer
			if err := json.Compact(&compact, []byte(text)); err != nil || compact.String() != text {
				t.Errorf("%s: %q: %v", m.Name, text, err)
			}
		}
	}
}

// A server answers the methods of the table and no others.
func TestServerAnswersTheTable(t *testing.T) {
	s, _, _ := aServer(t)
	for _, m := range Methods() {
		if found := s.methods[m.Name] != nil; found != (m.Kind != Push) {
			t.Errorf("%s: answered %v", m.Name, found)
		}
	}
	if len(s.methods) != 72 {
		t.Errorf("%d methods are answered", len(s.methods))
	}
}
