package api

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

// row is the operation with a path.
func row(t *testing.T, path string) *Operation {
	t.Helper()
	i := slices.IndexFunc(operations, func(o Operation) bool { return o.Path == path })
	if i < 0 {
		t.Fatalf("there is no %s", path)
	}
	return &operations[i]
}

// TestBlanks looks at what some requests say of themselves.
func TestBlanks(t *testing.T) {
	names := func(b *Blank, which func(*Field) bool) (all string) {
		for _, f := range b.Fields {
			if which(f) {
				all = strings.TrimSpace(all + " " + f.Name)
			}
		}
		return all
	}
	every := func(*Field) bool { return true }
	required := func(f *Field) bool { return f.Required }
	for path, want := range map[string]struct {
		fields, required string
		either           [][][]string
	}{
		"/api/v4/order/new": {
			"market side amount clientOrderId stp bboRole price postOnly ioc rpi retail", "market side amount", [][][]string{{{"price"}, {"bboRole"}}},
		},
		"/api/v4/order/cancel": {"market orderId clientOrderId", "market", [][][]string{{{"orderId"}, {"clientOrderId"}}}},
		"/api/v4/order/modify": {
			"market orderId clientOrderId amount price total activationPrice activation_price stp", "market",
			[][][]string{{{"orderId"}, {"clientOrderId"}}, {{"amount"}, {"total"}, {"price"}, {"activationPrice"}, {"activation_price"}}},
		},
		"/api/v4/order/kill-switch":     {"market types timeout", "market timeout", nil},
		"/api/v4/main-account/transfer": {"ticker amount from to method", "ticker amount", [][][]string{{{"from", "to"}, {"method"}}}},
		"/api/v1/public/history":        {"market lastId limit", "market lastId", nil},
		"/api/v4/public/ping":           {},
	} {
		b := row(t, path).Blank()
		if got := names(b, every); got != want.fields {
			t.Errorf("%s has the fields %s, should have %s", path, got, want.fields)
		}
		if got := names(b, required); got != want.required {
			t.Errorf("%s needs %s, should need %s", path, got, want.required)
		}
		if !reflect.DeepEqual(b.Either, want.either) {
			t.Errorf("%s has the choices %v, should have %v", path, b.Either, want.either)
		}
	}

	page := row(t, "/api/v4/orders").Blank()
	if f := page.field("limit"); f.Kind != WholeField || *f.Default != 50 || *f.Least != 1 || *f.Most != 100 {
		t.Errorf("limit is %+v", f)
	}
	many := row(t, "/api/v4/order/bulk").Blank().field("orders")
	if one := row(t, "/api/v4/order/new").Blank(); many.Fewest != 1 || many.Longest != 20 || names(many.Items, every) != names(one, every) {
		t.Errorf("orders are %+v", many)
	}
	if f := row(t, "/api/v4/order/kill-switch").Blank().field("timeout"); !f.Null || f.Kind != WholeField || *f.Least != 5 || *f.Most != 600 {
		t.Errorf("timeout is %+v", f)
	}
	if f := row(t, "/api/v4/order/cancel/all").Blank().field("type"); f.Kind != TextsField || !slices.Equal(f.Words, productWords) {
		t.Errorf("type is %+v", f)
	}
	if b := SignedBlank(); names(b, every) != "request nonce nonceWindow" || names(b, required) != "request nonce" {
		t.Errorf("signed requests have %s", names(b, every))
	}
}

// TestFieldsAreExplained: every field is of some kind and means something, and nothing is explained
// that is not there.
func TestFieldsAreExplained(t *testing.T) {
	used := map[string]bool{}
	var look func(where string, b *Blank, here map[string]string)
	look = func(where string, b *Blank, here map[string]string) {
		own := 0
		for _, f := range b.Fields {
			if f.Kind == 0 || f.Text == "" {
				t.Errorf("%s: nothing is known about %s", where, f.Name)
			}
			if _, special := here[f.Name]; special {
				own++
			} else {
				used[f.Name] = true
			}
			if f.Items != nil {
				look(where+" "+f.Name, f.Items, nil)
			}
		}
		if own != len(here) {
			t.Errorf("%s explains fields that it does not have", where)
		}
	}
	look("signed requests", SignedBlank(), nil)
	for i := range operations {
		look(operations[i].Path, operations[i].Blank(), operations[i].About.Fields)
	}
	for name := range meanings {
		if !used[name] {
			t.Errorf("the common meaning of %s is used nowhere", name)
		}
	}
}

// TestPatternsAreWhatIsRead: patterns are published and functions read; they must agree.
func TestPatternsAreWhatIsRead(t *testing.T) {
	market, client, timeout := regexp.MustCompile(marketPattern), regexp.MustCompile(clientPattern), regexp.MustCompile(timeoutPattern)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[A-Z0-9_a]{0,8}`).Draw(t, "market")
		if got := market.MatchString(name); got != marketName(name) {
			t.Errorf("market %q: the pattern says %v", name, got)
		}
		id := rapid.StringMatching(`[A-Za-z0-9._ +-]{0,3}([a-z]{58,64})?`).Draw(t, "client order id")
		if _, err := schema.ParseClientID(id); client.MatchString(id) != (err == nil) {
			t.Errorf("client order id %q: the pattern says %v", id, client.MatchString(id))
		}
		word := rapid.OneOf(rapid.StringMatching(`[+-]?[0-9 ]{0,4}`), rapid.Just("null")).Draw(t, "timeout")
		f := Form{entries: []entry{{[]byte("market"), []byte("A_B"), text}, {[]byte("timeout"), []byte(word), text}}}
		new(killSwitch).read(&f)
		if f.Err() == nil && !timeout.MatchString(word) {
			t.Errorf("timeout %q is read, but the pattern does not take it", word)
		}
	})
	for _, word := range stpWords {
		if _, known := schema.ParseSTP(word); !known {
			t.Errorf("stp %q is documented, but not read", word)
		}
	}
}

// TestNamedShapes: two shapes with one name are one shape, and all members are explained.
func TestNamedShapes(t *testing.T) {
	named := map[string]Shape{}
	var look func(where string, s *Shape)
	look = func(where string, s *Shape) {
		if s.Name != "" {
			where = s.Name
			plain := *s
			plain.Null = false
			if other, there := named[s.Name]; there {
				if !reflect.DeepEqual(other, plain) {
					t.Errorf("there are two shapes %s", s.Name)
				}
				return
			}
			named[s.Name] = plain
			if s.Text == "" {
				t.Errorf("%s is not explained", where)
			}
		}
		for _, m := range s.Members {
			if m.Text == "" {
				t.Errorf("%s of %s is not explained", m.Name, where)
			}
			look(where+"."+m.Name, m.Shape)
		}
		for _, p := range s.Parts {
			look(where, p)
		}
		if s.Of != nil {
			look(where, s.Of)
		}
	}
	for i := range operations {
		look(operations[i].Path, operations[i].About.Answer)
		look(operations[i].Path, operations[i].ErrorFormat.Shape())
	}
}

// TestErrorsAreFoundByTrying looks at what is known of the errors of a row without anybody having
// listed them.
func TestErrorsAreFoundByTrying(t *testing.T) {
	want := []problem{
		{422, 30, "limit", "The limit must be an integer.", false},
		{422, 30, "limit", "The limit must be at least 1.", false},
		{422, 30, "limit", "The limit may not be greater than 100.", false},
		{422, 31, "market", "Market field format is invalid.", false},
		{422, 30, "orderId", "OrderId field should be an integer.", false},
	}
	got := row(t, "/api/v4/orders").problems()
	for _, p := range want {
		if !slices.Contains(got, p) {
			t.Errorf("%v was not found in %v", p, got)
		}
	}
}
