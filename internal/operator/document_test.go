package operator_test

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"bourse/internal/api/table"
	"bourse/internal/operator"
)

// described is the document, and its schemas as a validator knows them.
var described = sync.OnceValues(func() (map[string]any, func(place string) (*jsonschema.Schema, error)) {
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(operator.Document("1.2.3")))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("operators.json", root); err != nil {
		panic(err)
	}
	var mu sync.Mutex
	return root.(map[string]any), func(place string) (*jsonschema.Schema, error) {
		mu.Lock()
		defer mu.Unlock()
		return compiler.Compile("operators.json#" + place)
	}
})

var escapes = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")

// follows holds an answer to the document: that of an act, or an error.
func follows(method, path string, status int, body string) error {
	path, _, _ = strings.Cut(path, "?")
	_, schemas := described()
	place := "/components/schemas/Error"
	if status == http.StatusOK || status == http.StatusAccepted {
		if place = ""; strings.HasSuffix(path, "/statement") {
			return nil // lines, each of them JSON
		}
		for _, a := range operator.Acts() {
			form := "^" + regexp.MustCompile(`{\w+}`).ReplaceAllString(a.Path, `[^/]+`) + "$"
			if a.Method == method && regexp.MustCompile(form).MatchString(path) {
				place = "/paths/" + escapes.Replace(a.Path) + "/" + strings.ToLower(method) + fmt.Sprintf("/responses/%d/content/application~1json/schema", status)
			}
		}
		if place == "" {
			return nil // none of the acts
		}
	} else if !strings.HasPrefix(path, "/v1/") {
		return nil
	}
	schema, err := schemas(place)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// TestDocumentDescribesEveryAct: all acts and nothing else, each with words of its own and schemas that a
// validator can read.
func TestDocumentDescribesEveryAct(t *testing.T) {
	root, schemas := described()
	paths, ids, operations := root["paths"].(map[string]any), map[any]bool{}, 0
	for _, a := range append(operator.Acts(), operator.Act{Method: "GET", Path: statementPath}, operator.Act{Method: "GET", Path: backupPath}) {
		o, is := paths[a.Path].(map[string]any)[strings.ToLower(a.Method)].(map[string]any)
		if !is || o["summary"] == "" || ids[o["operationId"]] {
			t.Errorf("%s %s: %v", a.Method, a.Path, o)
			continue
		}
		ids[o["operationId"]] = true
		_, takes := o["requestBody"]
		if want := a.Changes && a.Method != "DELETE" && a.Path != "/v1/plans/{plan}/accounts/{account}" && a.Path != "/v1/pool/accounts/{mining}/bar"; takes != want {
			t.Errorf("%s %s takes a body: %v", a.Method, a.Path, takes)
		}
		at := "/paths/" + escapes.Replace(a.Path) + "/" + strings.ToLower(a.Method)
		places := []string{at + "/responses/200/content/" + kindOf(a) + "/schema"}
		if a.Path == backupPath {
			content := o["responses"].(map[string]any)["200"].(map[string]any)["content"].(map[string]any)
			if _, is := content["application/x-tar"]; !is || len(content) != 1 {
				t.Errorf("a backup is %v", content)
			}
			places = nil // it is no JSON
		}
		if takes {
			places = append(places, at+"/requestBody/content/application~1json/schema")
		}
		for _, place := range places {
			if _, err := schemas(place); err != nil {
				t.Errorf("%s: %v", place, err)
			}
		}
	}
	for _, p := range paths {
		operations += len(p.(map[string]any))
	}
	if operations != len(ids) {
		t.Errorf("%d operations are described, there are %d", operations, len(ids))
	}
	keys := paths["/v1/accounts/{account}/keys"].(map[string]any)["post"].(map[string]any)
	if groups := strings.Join(table.GroupNames(), ", "); !strings.Contains(keys["summary"].(string), "("+groups+")") {
		t.Errorf("%s does not name the groups %s", keys["summary"], groups)
	}
	if info := fmt.Sprint(root["info"]); !strings.Contains(info, "1.2.3") || root["openapi"] != "3.1.0" {
		t.Errorf("it is %v %s", root["openapi"], info)
	}
}

// Paths that stream and are no acts.
const (
	statementPath = "/v1/accounts/{account}/statement"
	backupPath    = "/v1/backup"
)

func kindOf(a operator.Act) string {
	if a.Path == statementPath {
		return "application~1jsonl"
	}
	return "application~1json"
}

// TestDocumentIsServed: without a token, since it says nothing about this exchange.
func TestDocumentIsServed(t *testing.T) {
	s := found(t)
	s.send("GET", "/openapi.json", "", nil).is(200).has(`"3.1.0"`, "openapi")
}
