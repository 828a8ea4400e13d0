package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"bourse/internal/api"
	"bourse/internal/api/agree"
	"bourse/internal/asyncapi"
	"bourse/internal/ws"
)

// frames is what the exchange says about its socket. Every frame that a test gets is held to it, and so
// is every request that was done: the document allows what is taken.
type frames struct {
	results  map[string]*api.ResponseSchema // of methods and pushes
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

// framed is the document, made once for all tests.
var framed = sync.OnceValue(func() *frames {
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(asyncapi.Document("test")))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	if err := c.AddResource("asyncapi.json", root); err != nil {
		panic(err)
	}
	f := &frames{results: map[string]*api.ResponseSchema{}, compiler: c, schemas: map[string]*jsonschema.Schema{}}
	for _, m := range ws.Methods() {
		f.results[m.Name] = m.Result
	}
	return f
})

// follows holds a frame to the schema of a message.
func (f *frames) follows(text, message string) error {
	f.mu.Lock()
	s := f.schemas[message]
	if s == nil {
		var err error
		if s, err = f.compiler.Compile("asyncapi.json#/components/messages/" + message + "/payload"); err != nil {
			f.mu.Unlock()
			return err
		}
		f.schemas[message] = s
	}
	f.mu.Unlock()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// agrees holds what a method answered or pushed to its schema, exactly.
func (f *frames) agrees(method string, text []byte) error {
	if err := agree.Check(f.results[method], text); err != nil {
		return fmt.Errorf("%s and its schema: %w", method, err)
	}
	return nil
}

// asked is requests on their way, by id. Several may have one id, and some are sent while others are
// answered.
type asked struct {
	mu   sync.Mutex
	byID map[string][]question
}

type question struct{ method, text string }

// note remembers a request, if it is one of a method that there is.
func (a *asked) note(text string) {
	var q struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal([]byte(text), &q) != nil || framed().results[q.Method] == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byID == nil {
		a.byID = map[string][]question{}
	}
	a.byID[string(q.ID)] = append(a.byID[string(q.ID)], question{q.Method, text})
}

// noMethod is the code of the error that there is no such method.
const noMethod = 4

// holds holds a frame of the server to the document, and the request if it was done. What answers no
// request that was noted is an error of the door, or the pong to a ping that a test sent by hand.
func (a *asked) holds(text string) error {
	var f struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		ID     json.RawMessage `json:"id"`
		Error  *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return err
	}
	if f.Method != "" {
		if err := framed().follows(text, f.Method); err != nil {
			return err
		}
		return framed().agrees(f.Method, f.Params)
	}
	kind := "_reply"
	if f.Error != nil {
		kind = "_error"
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.byID[string(f.ID)]
	switch {
	case f.Error != nil && f.Error.Code == noMethod:
		return nil // it is no answer of any method
	case len(list) == 0 && f.Error != nil:
		return framed().follows(text, "authorize_error") // which has those of the door
	case len(list) == 0:
		return framed().follows(text, "ping_reply")
	}
	var problem error
	for i, q := range list {
		if problem = framed().follows(text, q.method+kind); problem == nil && kind == "_reply" {
			if problem = framed().follows(q.text, q.method); problem != nil {
				problem = fmt.Errorf("the request, which was done: %s: %w", q.text, problem)
			} else {
				problem = framed().agrees(q.method, f.Result)
			}
		}
		if problem == nil {
			if a.byID[string(f.ID)] = slices.Delete(list, i, i+1); len(list) == 1 {
				delete(a.byID, string(f.ID))
			}
			return nil
		}
	}
	return problem
}
