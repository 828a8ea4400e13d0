package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"bourse/internal/api"
	"bourse/internal/api/agree"
	"bourse/internal/api/table"
	"bourse/internal/checkout"
	"bourse/internal/kyc"
	"bourse/internal/openapi"
	"bourse/internal/watch"
)

// document is what the exchange says about itself. Every answer that a test sees is held to it,
// and so is every request that was done: the document allows what is taken.
type document struct {
	root     any
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

// described is the document, made once for all tests.
var described = sync.OnceValue(func() *document {
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.Document("test", table.Sandbox())))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", root); err != nil {
		panic(err)
	}
	return &document{root: root, compiler: c, schemas: map[string]*jsonschema.Schema{}}
})

// at is what stands at a place of the document, with references followed, and the place where it
// was found; nil if there is nothing.
func (d *document) at(place ...string) (any, []string) {
	value := d.root
	for _, name := range place {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	if members, ok := value.(map[string]any); ok {
		if ref, ok := members["$ref"].(string); ok {
			return d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
	}
	return value, place
}

// schema is the schema at a place of the document.
func (d *document) schema(place ...string) (*jsonschema.Schema, error) {
	pointer := "openapi.json#"
	for _, name := range place {
		pointer += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[pointer]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile(pointer)
	if err == nil {
		d.schemas[pointer] = s
	}
	return s, err
}

// follows holds a JSON text to the schema at a place.
func (d *document) follows(text []byte, place ...string) error {
	s, err := d.schema(place...)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// operation is the row of the table for a path, or nil.
func operation(path string) *api.Operation {
	parts := strings.Split(path, "/")
	for i := range operations {
		o := &operations[i]
		if slices.EqualFunc(strings.Split(o.Path, "/"), parts, func(part, sent string) bool {
			_, any := api.PathParameter(part)
			return part == sent || any && sent != ""
		}) {
			return o
		}
	}
	return nil
}

// operations is the table.
var operations = table.Sandbox()

// format is the form that errors about a path have.
func format(path string, o *api.Operation) api.ErrorFormat {
	switch {
	case o != nil:
		return o.ErrorFormat
	case strings.HasPrefix(path, "/api/v1/"):
		return api.V1
	case strings.HasPrefix(path, "/api/v4/public/"):
		return api.Public
	default:
		return api.Private
	}
}

// holds holds an answer, and the request if it was done, to the document.
func (d *document) holds(method, target string, request []byte, r Reply) error {
	path, query, _ := strings.Cut(target, "?")
	o := operation(path)
	switch {
	case method == "HEAD", r.Status == 204, !strings.HasPrefix(path, "/api/") && r.Status < 400:
		return nil // there is no body, or it is a page for people
	case (checkout.Secret(path) != "" || kyc.Token(path) != "" || strings.HasPrefix(path, watch.Prefix) && !strings.HasSuffix(path, ".json")) && r.Status == 404:
		return nil // a page that says that there is no such invoice or link
	case path == "/ws": // not an operation, with errors of its own
		return d.follows([]byte(r.Body), "components", "schemas", api.Private.Schema().Name)
	case o == nil || method != o.Method:
		return d.isError(r, format(path, o))
	}
	status := strconv.Itoa(r.Status)
	place := []string{"paths", o.Path, strings.ToLower(o.Method), "responses", status}
	response, place := d.at(place...)
	switch {
	case response == nil && r.Status == 403 && o.Auth == api.AuthSigned: // a gate that a test put up
		return d.follows([]byte(r.Body), "components", "schemas", o.ErrorFormat.Schema().Name)
	case response == nil:
		return d.isError(r, o.ErrorFormat)
	}
	if err := d.follows([]byte(r.Body), append(place, "content", "application/json", "schema")...); err != nil {
		return fmt.Errorf("the answer: %w", err)
	}
	if r.Status == 200 && !strings.HasPrefix(r.Body, `{"success":false`) {
		if err := agree.Check(o.About.Response, []byte(r.Body)); err != nil {
			return fmt.Errorf("the answer and its schema: %w", err)
		}
	}
	if r.Status != 200 || strings.HasPrefix(r.Body, `{"success":false`) || strings.Contains(r.Body, `{"result":null,"error":{`) {
		return nil // it was not done, or not all of it
	}
	if o.Auth == api.AuthPublic {
		return d.parameters(o, query)
	}
	if o.Auth == api.AuthBearer && len(request) == 0 {
		return nil // which it may be
	}
	if err := d.follows(request, "paths", o.Path, "post", "requestBody", "content", "application/json", "schema"); err != nil {
		return fmt.Errorf("the request, which was done: %w", err)
	}
	return nil
}

// isError holds an answer to being an error of the door.
func (d *document) isError(r Reply, s api.ErrorFormat) error {
	if !slices.Contains(openapi.DoorStatuses, r.Status) && r.Status != 429 && r.Status < 500 {
		return fmt.Errorf("status %d is not described", r.Status)
	}
	return d.follows([]byte(r.Body), "components", "schemas", s.Schema().Name)
}

// parameters holds the parameters of a query that was answered to the document.
func (d *document) parameters(o *api.Operation, query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil // what cannot be read was ignored
	}
	list, _ := d.at("paths", o.Path, "get", "parameters")
	parameters, _ := list.([]any)
	for i, p := range parameters {
		p := p.(map[string]any)
		name := p["name"].(string)
		if p["in"] != "query" || !values.Has(name) {
			continue
		}
		last := values[name][len(values[name])-1]
		text, _ := json.Marshal(last)
		if n, ok := new(big.Int).SetString(last, 10); ok && p["schema"].(map[string]any)["type"] == "integer" {
			text = n.Append(nil, 10)
		}
		if err := d.follows(text, "paths", o.Path, "get", "parameters", strconv.Itoa(i), "schema"); err != nil {
			return fmt.Errorf("the parameter %s of a request that was answered: %w", name, err)
		}
	}
	return nil
}
