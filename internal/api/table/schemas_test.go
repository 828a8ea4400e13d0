package table

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bourse/internal/api"
)

var operations = Operations()

// parameter is the parameter of a request with a name.
func parameter(s *api.RequestSchema, name string) *api.Parameter {
	return s.Parameters[slices.IndexFunc(s.Parameters, func(p *api.Parameter) bool { return p.Name == name })]
}

// row is the operation with a path.
func row(t *testing.T, path string) *api.Operation {
	t.Helper()
	i := slices.IndexFunc(operations, func(o api.Operation) bool { return o.Path == path })
	if i < 0 {
		t.Fatalf("there is no %s", path)
	}
	return &operations[i]
}

// TestRequestSchemas looks at what some requests say of themselves.
func TestRequestSchemas(t *testing.T) {
	names := func(s *api.RequestSchema, which func(*api.Parameter) bool) (all string) {
		for _, f := range s.Parameters {
			if which(f) {
				all = strings.TrimSpace(all + " " + f.Name)
			}
		}
		return all
	}
	every := func(*api.Parameter) bool { return true }
	required := func(f *api.Parameter) bool { return f.Required }
	for path, want := range map[string]struct {
		fields, required string
		anyOf            [][][]string
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
		b := row(t, path).RequestSchema()
		if got := names(b, every); got != want.fields {
			t.Errorf("%s has the fields %s, should have %s", path, got, want.fields)
		}
		if got := names(b, required); got != want.required {
			t.Errorf("%s needs %s, should need %s", path, got, want.required)
		}
		if !reflect.DeepEqual(b.AnyOf, want.anyOf) {
			t.Errorf("%s has the choices %v, should have %v", path, b.AnyOf, want.anyOf)
		}
	}

	page := row(t, "/api/v4/orders").RequestSchema()
	if f := parameter(page, "limit"); f.Type != api.IntegerParameter || *f.Default != 50 || *f.Minimum != 1 || *f.Maximum != 100 {
		t.Errorf("limit is %+v", f)
	}
	many := parameter(row(t, "/api/v4/order/bulk").RequestSchema(), "orders")
	if one := row(t, "/api/v4/order/new").RequestSchema(); many.MinItems != 1 || many.MaxItems != 20 || names(many.Items, every) != names(one, every) {
		t.Errorf("orders are %+v", many)
	}
	if f := parameter(row(t, "/api/v4/order/kill-switch").RequestSchema(), "timeout"); !f.Nullable || f.Type != api.IntegerParameter || *f.Minimum != 5 || *f.Maximum != 600 {
		t.Errorf("timeout is %+v", f)
	}
	if f := parameter(row(t, "/api/v4/order/cancel/all").RequestSchema(), "type"); f.Type != api.StringsParameter || !slices.Equal(f.Enum, []string{"spot", "margin", "futures"}) {
		t.Errorf("type is %+v", f)
	}
	if b := api.SignedRequest(); names(b, every) != "request nonce nonceWindow" || names(b, required) != "request nonce" {
		t.Errorf("signed requests have %s", names(b, every))
	}
}

// TestFieldsAreExplained: every field is of some kind and means something, and nothing is explained
// that is not there.
func TestFieldsAreExplained(t *testing.T) {
	used := map[string]bool{}
	var look func(where, path string, b *api.RequestSchema, here map[string]string) (own int)
	look = func(where, path string, b *api.RequestSchema, here map[string]string) (own int) {
		for _, f := range b.Parameters {
			if f.Type == 0 || f.Description == "" {
				t.Errorf("%s: nothing is known about %s", where, f.Name)
			}
			if _, special := here[path+f.Name]; special {
				own++
			} else {
				used[f.Name] = true
			}
			if f.Items != nil {
				own += look(where+" "+f.Name, path+f.Name+".", f.Items, here)
			}
		}
		return own
	}
	look("signed requests", "", api.SignedRequest(), nil)
	for i := range operations {
		o := &operations[i]
		if look(o.Path, "", o.RequestSchema(), o.About.Parameters) != len(o.About.Parameters) {
			t.Errorf("%s explains fields that it does not have", o.Path)
		}
	}
	for name := range api.Descriptions {
		if !used[name] {
			t.Errorf("the common meaning of %s is used nowhere", name)
		}
	}
}

// TestNamedSchemas: two schemas with one name are one schema, and all properties are explained.
func TestNamedSchemas(t *testing.T) {
	named := map[string]api.ResponseSchema{}
	var look func(where string, s *api.ResponseSchema)
	look = func(where string, s *api.ResponseSchema) {
		if s.Name != "" {
			where = s.Name
			plain := *s
			plain.Nullable = false
			if other, there := named[s.Name]; there {
				if !reflect.DeepEqual(other, plain) {
					t.Errorf("there are two schemas %s", s.Name)
				}
				return
			}
			named[s.Name] = plain
			if s.Description == "" {
				t.Errorf("%s is not explained", where)
			}
		}
		for _, m := range s.Properties {
			if m.Description == "" {
				t.Errorf("%s of %s is not explained", m.Name, where)
			}
			look(where+"."+m.Name, m.Schema)
		}
		for _, p := range s.Parts {
			look(where, p)
		}
		if s.Of != nil {
			look(where, s.Of)
		}
	}
	for i := range operations {
		look(operations[i].Path, operations[i].About.Response)
		look(operations[i].Path, operations[i].ErrorFormat.Schema())
	}
}

// TestErrorsAreFoundByTrying looks at what is known of the errors of a row without anybody having
// listed them.
func TestErrorsAreFoundByTrying(t *testing.T) {
	all := row(t, "/api/v4/orders").Errors()
	for _, want := range []*api.Error{
		api.NewError(422, 30, api.ValidationFailed, "limit", "The limit must be an integer."),
		api.NewError(422, 30, api.ValidationFailed, "limit", "The limit must be at least 1."),
		api.NewError(422, 30, api.ValidationFailed, "limit", "The limit may not be greater than 100."),
		api.NewError(422, 31, api.ValidationFailed, "market", "Market field format is invalid."),
		api.NewError(422, 30, api.ValidationFailed, "orderId", "OrderId field should be an integer."),
	} {
		if !slices.ContainsFunc(all, func(e *api.Error) bool { return reflect.DeepEqual(e, want) }) {
			t.Errorf("%v was not found in %v", want, all)
		}
	}
}

// FuzzRequests lets every operation read what anybody may send: no request may be brought to panic, and
// what is wrong with one is JSON.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"market":"BTC_USDT","side":"buy","amount":"0.1","price":1e-3,"clientOrderId":"a-1","stp":"cb","bboRole":1,"nonceWindow":true}`,
		`{"\u0061mount":"\u0031","amount":null,"orders":[{"market":"A_B","orderId":"1"},7,{"amount":{}}],"types":["spot","x",1],"timeout":"5"}`,
		`{"amount":1e999999999999,"price":"1e-61","total":-0.0,"limit":"010","offset":-0,"orderId":1.0,"startDate":99999999999999999999}`,
		`{"ticker":"BTC","from":"main","to":"spot","method":[],"interval":"","lastId":{},"level":-99999999999999999999,"timeout":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var form api.Form
		if form.ReadJSON(data) != nil {
			return
		}
		for i := range operations {
			if err := operations[i].Check(&form); err != nil {
				body, _ := api.AppendError(nil, operations[i].ErrorFormat, api.ErrorOf(err))
				if !json.Valid(body) {
					t.Errorf("%s: an error is not JSON: %s", operations[i].Path, body)
				}
			}
		}
	})
}
