package asyncapi

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"bourse/internal/ws"
)

// parsed is the document as a reader gets it.
func parsed(t *testing.T) map[string]any {
	t.Helper()
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(Document("1.2.3")))
	if err != nil {
		t.Fatal(err)
	}
	return root.(map[string]any)
}

// at is what stands at a place of the document; nil if nothing does.
func at(root any, place string) any {
	for _, name := range strings.Split(strings.TrimPrefix(place, "#/"), "/") {
		members, _ := root.(map[string]any)
		root = members[name]
	}
	return root
}

func TestDocumentIsTheSameEveryTime(t *testing.T) {
	first := Document("1.2.3")
	for range 3 {
		if !bytes.Equal(first, Document("1.2.3")) {
			t.Fatal("two documents of one version differ")
		}
	}
	if !bytes.Contains(first, []byte(`"version":"1.2.3"`)) {
		t.Error("the version is missing")
	}
}

// objects are what the AsyncAPI 3.0 specification allows in each of its objects; what must be there is
// marked. Members that begin with x- may stand everywhere.
var objects = map[string]string{
	"document":   "asyncapi! id info! servers defaultContentType channels operations components",
	"info":       "title! version! description termsOfService contact license tags externalDocs",
	"tag":        "name! description externalDocs",
	"server":     "host! protocol! protocolVersion pathname description title summary variables security tags externalDocs bindings",
	"variable":   "enum default description examples",
	"channel":    "address messages title summary description servers parameters tags externalDocs bindings",
	"operation":  "action! channel! title summary description security tags externalDocs bindings traits messages reply",
	"reply":      "address channel messages",
	"message":    "headers payload correlationId contentType name title summary description tags externalDocs bindings examples traits",
	"example":    "headers payload name summary",
	"components": "schemas servers channels operations messages securitySchemes serverVariables parameters correlationIds replies replyAddresses externalDocs tags operationTraits messageTraits",
	"place":      "description location!",
	"scheme":     "type! description name in scheme bearerFormat flows openIdConnectUrl scopes",
	"reference":  "$ref!",
}

// is holds a value to be an object of a kind.
func is(t *testing.T, kind, place string, value any) map[string]any {
	t.Helper()
	o, isObject := value.(map[string]any)
	if !isObject {
		t.Fatalf("%s is no %s: %v", place, kind, value)
	}
	allowed := strings.Fields(objects[kind])
	for name := range o {
		if !strings.HasPrefix(name, "x-") && !slices.Contains(allowed, name) && !slices.Contains(allowed, name+"!") {
			t.Errorf("%s: a %s has no %s", place, kind, name)
		}
	}
	for _, name := range allowed {
		if required, must := strings.CutSuffix(name, "!"); must && o[required] == nil {
			t.Errorf("%s: a %s must have %s", place, kind, required)
		}
	}
	return o
}

// key is what the names of components look like.
var key = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)

// each holds the members of an object to be objects of a kind.
func each(t *testing.T, kind, place string, value any, visit func(place string, o map[string]any)) {
	t.Helper()
	members, _ := value.(map[string]any)
	if len(members) == 0 {
		t.Errorf("%s is empty", place)
	}
	for name, m := range members {
		if !key.MatchString(name) {
			t.Errorf("%s: %q is no name", place, name)
		}
		visit(place+"/"+name, is(t, kind, place+"/"+name, m))
	}
}

// refer holds a value to be a reference to something that is there, below a place.
func refer(t *testing.T, root any, place, below string, value any) string {
	t.Helper()
	to, _ := is(t, "reference", place, value)["$ref"].(string)
	if !strings.HasPrefix(to, below) || at(root, to) == nil {
		t.Errorf("%s refers to %s, which should be something in %s", place, to, below)
	}
	return to
}

// TestDocumentHasTheStructure holds the document to the specification of AsyncAPI 3.0: objects, their
// members, and what may refer to what.
func TestDocumentHasTheStructure(t *testing.T) {
	root := parsed(t)
	is(t, "document", "#", root)
	if root["asyncapi"] != "3.0.0" || root["defaultContentType"] != "application/json" {
		t.Errorf("%v %v", root["asyncapi"], root["defaultContentType"])
	}
	titles := map[any]bool{}
	for i, tag := range is(t, "info", "#/info", root["info"])["tags"].([]any) {
		titles[is(t, "tag", fmt.Sprintf("#/info/tags/%d", i), tag)["name"]] = true
	}
	each(t, "server", "#/servers", root["servers"], func(place string, s map[string]any) {
		each(t, "variable", place+"/variables", s["variables"], func(place string, _ map[string]any) {
			if name := place[strings.LastIndexByte(place, '/')+1:]; !strings.Contains(s["host"].(string), "{"+name+"}") {
				t.Errorf("%s is not in the host", place)
			}
		})
	})
	each(t, "channel", "#/channels", root["channels"], func(place string, c map[string]any) {
		if c["address"] != Address {
			t.Errorf("%s is at %v", place, c["address"])
		}
		for name, m := range c["messages"].(map[string]any) {
			refer(t, root, place+"/messages/"+name, "#/components/messages/", m)
		}
	})
	used := map[string]bool{}
	each(t, "operation", "#/operations", root["operations"], func(place string, o map[string]any) {
		if o["action"] != "send" && o["action"] != "receive" {
			t.Errorf("%s: action %v", place, o["action"])
		}
		channel := refer(t, root, place+"/channel", "#/channels/", o["channel"])
		sent := o["messages"].([]any)
		if o["reply"] != nil {
			r := is(t, "reply", place+"/reply", o["reply"])
			if to := refer(t, root, place+"/reply/channel", "#/channels/", r["channel"]); to != channel {
				t.Errorf("%s is replied to in %s", place, to)
			}
			sent = append(sent, r["messages"].([]any)...)
		}
		if (o["reply"] == nil) != (o["action"] == "send") || len(sent) != map[any]int{"send": 1, "receive": 3}[o["action"]] {
			t.Errorf("%s: %v with %d messages", place, o["action"], len(sent))
		}
		for i, m := range sent {
			used[refer(t, root, fmt.Sprintf("%s/messages/%d", place, i), channel+"/messages/", m)] = true
		}
		for i, s := range listed(o["security"]) {
			refer(t, root, fmt.Sprintf("%s/security/%d", place, i), "#/components/securitySchemes/", s)
		}
		for _, tag := range o["tags"].([]any) {
			if !titles[tag.(map[string]any)["name"]] {
				t.Errorf("%s: the tag %v is not explained", place, tag)
			}
		}
	})
	components := is(t, "components", "#/components", root["components"])
	each(t, "message", "#/components/messages", components["messages"], func(place string, m map[string]any) {
		name := place[strings.LastIndexByte(place, '/')+1:]
		if m["name"] != name || m["payload"] == nil {
			t.Errorf("%s: %v", place, m["name"])
		}
		if m["correlationId"] != nil {
			refer(t, root, place+"/correlationId", "#/components/correlationIds/", m["correlationId"])
		}
		for i, e := range listed(m["examples"]) {
			is(t, "example", fmt.Sprintf("%s/examples/%d", place, i), e)
		}
	})
	if messages := components["messages"].(map[string]any); len(messages) != len(used) {
		t.Errorf("%d messages, and operations use %d", len(messages), len(used))
	}
	each(t, "place", "#/components/correlationIds", components["correlationIds"], func(string, map[string]any) {})
	each(t, "scheme", "#/components/securitySchemes", components["securitySchemes"], func(string, map[string]any) {})
}

// listed is a list that may be absent.
func listed(value any) []any {
	all, _ := value.([]any)
	return all
}

// TestTableIsDescribed: every row is an operation, and nothing else is.
func TestTableIsDescribed(t *testing.T) {
	root := parsed(t)
	operations := root["operations"].(map[string]any)
	methods := ws.Methods()
	for _, m := range methods {
		o, there := operations[m.Name].(map[string]any)
		if !there {
			t.Errorf("%s is not described", m.Name)
			continue
		}
		if private := o["security"] != nil; private != m.Private {
			t.Errorf("%s: private %v", m.Name, private)
		}
		if right, _ := o["x-bourse-right"].(string); right != m.Right {
			t.Errorf("%s needs the right to %s", m.Name, right)
		}
	}
	if len(operations) != len(methods) {
		t.Errorf("%d operations for %d methods", len(operations), len(methods))
	}
}

// compiler reads the schemas of the document, as AsyncAPI has them: those of draft 07.
func compiler(t *testing.T, root any) *jsonschema.Compiler {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	if err := c.AddResource("asyncapi.json", root); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSchemasAreGood lets a validator of JSON Schema read every schema, and holds the examples to theirs.
func TestSchemasAreGood(t *testing.T) {
	root := parsed(t)
	c := compiler(t, root)
	examples := 0
	for name, m := range at(root, "#/components/messages").(map[string]any) {
		schema, err := c.Compile("asyncapi.json#/components/messages/" + name + "/payload")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, e := range listed(m.(map[string]any)["examples"]) {
			examples++
			if err := schema.Validate(e.(map[string]any)["payload"]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for name := range at(root, "#/components/schemas").(map[string]any) {
		if _, err := c.Compile("asyncapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Every request, reply and push has one.
	if want := 72 + 72 + 19; examples != want {
		t.Errorf("%d examples, want %d", examples, want)
	}
}

// TestSchemasBite: what is not described is found.
func TestSchemasBite(t *testing.T) {
	root := parsed(t)
	c := compiler(t, root)
	for _, k := range []struct {
		message, frame string
		good           bool
	}{
		{"lastprice_update", `{"method":"lastprice_update","params":["A_B","1"],"id":null}`, true},
		{"lastprice_update", `{"method":"lastprice_update","params":["A_B",1],"id":null}`, false},
		{"lastprice_update", `{"method":"lastprice_update","params":["A_B","1","2"],"id":null}`, false},
		{"lastprice_update", `{"method":"lastprice_update","params":["A_B"],"id":null}`, false},
		{"lastprice_update", `{"method":"lastprice_update","params":["A_B","1"],"id":1}`, false},
		{"lastprice_update", `{"method":"lastprice_update","params":["A_B","1"],"id":null,"result":null}`, false},
		{"lastprice_update", `{"method":"market_update","params":["A_B","1"],"id":null}`, false},
		{"ping_reply", `{"error":null,"result":"pong","id":[1]}`, true},
		{"ping_reply", `{"error":null,"result":"pang","id":1}`, false},
		{"ping_error", `{"error":{"code":7,"message":"too many requests"},"result":null,"id":1}`, true},
		{"ping_error", `{"error":{"code":9,"message":"x"},"result":null,"id":1}`, false},
		{"depth_subscribe", `{"id":1,"method":"depth_subscribe","params":["A_B",5,"0",true]}`, true},
		{"depth_subscribe", `{"id":1,"method":"depth_subscribe","params":["A_B",6,"0",true]}`, false},
		{"depth_subscribe", `{"id":1,"method":"depth_subscribe","params":["A_B",5]}`, false},
		{"order_cancel", `{"method":"order_cancel","params":[{"market":"A_B","order_id":"7"}]}`, true},
		{"order_cancel", `{"method":"order_cancel","params":[{"market":"A_B","client_order_id":"a","order_id":null,"more":1}]}`, true},
		{"order_cancel", `{"method":"order_cancel","params":[{"market":"A_B"}]}`, false},
		{"order_limit_place", `{"method":"order_limit_place","params":[{"market":"A_B","side":"buy","amount":1,"price":"2"}]}`, true},
		{"order_limit_place", `{"method":"order_limit_place","params":[{"market":"A_B","side":"both","amount":1,"price":"2"}]}`, false},
		{"order_limit_place", `{"method":"order_limit_place","params":[{"market":"A_B","side":"buy","amount":1}]}`, false},
	} {
		schema, err := c.Compile("asyncapi.json#/components/messages/" + k.message + "/payload")
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(k.frame))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != k.good {
			t.Errorf("%s: %s: %v", k.message, k.frame, err)
		}
	}
}

// TestEverythingIsExplained: members of frames, parameters, operations.
func TestEverythingIsExplained(t *testing.T) {
	var walk func(place string, value any)
	walk = func(place string, value any) {
		switch v := value.(type) {
		case map[string]any:
			if properties, ok := v["properties"].(map[string]any); ok {
				for name, p := range properties {
					o := p.(map[string]any)
					if o["description"] == nil && o["$ref"] == nil && o["properties"] == nil && name != "params" && name != "result" {
						t.Errorf("%s: %s is not explained", place, name)
					}
				}
			}
			for name, part := range v {
				if name != "examples" {
					walk(place+"/"+name, part)
				}
			}
		case []any:
			for i, part := range v {
				walk(fmt.Sprintf("%s/%d", place, i), part)
			}
		}
	}
	walk("#", parsed(t))
}
