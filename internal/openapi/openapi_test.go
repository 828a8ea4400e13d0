package openapi

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"bourse/internal/api/table"
)

// parsed is the document as a reader gets it.
func parsed(t *testing.T) map[string]any {
	t.Helper()
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(Document("1.2.3", table.Sandbox())))
	if err != nil {
		t.Fatal(err)
	}
	return root.(map[string]any)
}

func TestDocumentIsTheSameEveryTime(t *testing.T) {
	first := Document("1.2.3", table.Sandbox())
	for range 3 {
		if !bytes.Equal(first, Document("1.2.3", table.Sandbox())) {
			t.Fatal("two documents of one version differ")
		}
	}
	if !bytes.Contains(first, []byte(`"version":"1.2.3"`)) {
		t.Error("the version is not told")
	}
}

// walk visits every object of the document with its place.
func walk(place string, value any, visit func(place string, o map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(place, v)
		for name, part := range v {
			if name == "examples" || name == "example" {
				continue // anything may stand there
			}
			walk(place+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), part, visit)
		}
	case []any:
		for i, part := range v {
			walk(fmt.Sprintf("%s/%d", place, i), part, visit)
		}
	}
}

// TestSchemasAreGood lets a validator of JSON Schema 2020-12 read every schema: it knows all words
// and finds all references.
func TestSchemasAreGood(t *testing.T) {
	root := parsed(t)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", root); err != nil {
		t.Fatal(err)
	}
	schemas := 0
	try := func(place string) {
		schemas++
		if _, err := compiler.Compile("openapi.json#" + escaped.Replace(place)); err != nil {
			t.Errorf("%s: %v", place, err)
		}
	}
	walk("", root, func(place string, o map[string]any) {
		if _, there := o["schema"]; there {
			try(place + "/schema")
		}
		if place == "/components/schemas" {
			for name := range o {
				try(place + "/" + name)
			}
		}
	})
	if schemas < 2*len(table.Sandbox()) {
		t.Errorf("only %d schemas were found", schemas)
	}
}

// TestExamplesFollowTheirSchemas: of requests and of answers.
func TestExamplesFollowTheirSchemas(t *testing.T) {
	root := parsed(t)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", root); err != nil {
		t.Fatal(err)
	}
	tried := 0
	walk("", root, func(place string, o map[string]any) {
		examples, ok := o["examples"].(map[string]any)
		if !ok {
			return
		}
		schema, err := compiler.Compile("openapi.json#" + escaped.Replace(place) + "/schema")
		if err != nil {
			t.Fatal(err)
		}
		for name, e := range examples {
			tried++
			if err := schema.Validate(e.(map[string]any)["value"]); err != nil {
				t.Errorf("%s: %s: %v", place, name, err)
			}
		}
	})
	if tried < len(Examples()) {
		t.Errorf("only %d examples were found", tried)
	}
}

// escaped writes a place as the fragment of an address.
var escaped = strings.NewReplacer("{", "%7B", "}", "%7D")

// TestReferencesLeadSomewhere: also those that are none of JSON Schema.
func TestReferencesLeadSomewhere(t *testing.T) {
	root := parsed(t)
	walk("", root, func(place string, o map[string]any) {
		ref, ok := o["$ref"].(string)
		if !ok {
			return
		}
		var value any = root
		for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			members, _ := value.(map[string]any)
			value = members[name]
		}
		if value == nil {
			t.Errorf("%s refers to %s, which is not there", place, ref)
		}
	})
}

// TestEverythingIsExplained: members of answers, fields of requests, parameters, operations.
func TestEverythingIsExplained(t *testing.T) {
	root := parsed(t)
	names := map[any]bool{}
	walk("", root, func(place string, o map[string]any) {
		if properties, ok := o["properties"].(map[string]any); ok && o["type"] != nil {
			for name, p := range properties {
				if p.(map[string]any)["description"] == nil {
					t.Errorf("%s: %s is not explained", place, name)
				}
			}
		}
		if o["in"] != nil && o["description"] == nil {
			t.Errorf("%s: %s is not explained", place, o["name"])
		}
		if id := o["operationId"]; id != nil {
			if names[id] {
				t.Errorf("%s: another operation is called %s", place, id)
			}
			names[id] = true
			if o["summary"] == "" || o["description"] == "" {
				t.Errorf("%s is not explained", place)
			}
		}
	})
	if len(names) != len(table.Sandbox()) {
		t.Errorf("%d operations, the table has %d", len(names), len(table.Sandbox()))
	}
}

// TestObjectsOfAnswersAreClosed: every object says what else may stand in it, so that a member that
// nobody described is found.
func TestObjectsOfAnswersAreClosed(t *testing.T) {
	root := parsed(t)
	walk("", root, func(place string, o map[string]any) {
		if strings.Contains(place, "/requestBody/") || strings.Contains(place, "SignedRequest") {
			return // of requests what nobody reads is ignored
		}
		kind := fmt.Sprint(o["type"])
		if _, closed := o["additionalProperties"]; strings.Contains(kind, "object") && !closed {
			t.Errorf("%s takes any members", place)
		}
	})
}

// Operations by access token say which scope they need, and nothing of signatures.
func TestOperationsByToken(t *testing.T) {
	root := parsed(t)
	found := 0
	for path, methods := range root["paths"].(map[string]any) {
		if !strings.HasPrefix(path, "/api/v4/accounts/") {
			continue
		}
		found++
		o := methods.(map[string]any)["post"].(map[string]any)
		text := fmt.Sprint(o["requestBody"])
		scopes, ok := o["security"].([]any)[0].(map[string]any)["token"].([]any)
		if !ok || len(scopes) != 1 || !strings.Contains(o["description"].(string), fmt.Sprintf("`%v`", scopes[0])) || o["deprecated"] != true ||
			strings.Contains(text, "nonce") || strings.Contains(text, "SignedRequest") {
			t.Errorf("%s is %v", path, o)
		}
		refused := o["responses"].(map[string]any)["401"]
		if fmt.Sprint(refused) != "map[$ref:#/components/responses/TokenError401]" {
			t.Errorf("%s answers 401 with %v", path, refused)
		}
	}
	if found != 6 {
		t.Errorf("%d operations", found)
	}
}
