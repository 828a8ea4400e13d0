package evm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Bounds of what is asked of a node and heard from it.
const (
	answerBytesMax = 64 << 20
	batchMax       = 100
	patience       = 30 * time.Second
)

// call is a question to the node and its answer.
type call struct {
	method string
	params []any
	result any    // where the answer goes
	absent bool   // the node answered with null
	fault  *fault // the node did not answer the question, but said why
}

func ask(method string, result any, params ...any) *call {
	return &call{method: method, params: params, result: result}
}

// err is what a call came to, if nothing but an answer will do.
func (c *call) err() error {
	switch {
	case c.fault != nil:
		return fmt.Errorf("%s: %w", c.method, c.fault)
	case c.absent:
		return fmt.Errorf("%s: the node has no answer", c.method)
	}
	return nil
}

// fault is what a node says instead of an answer.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *fault) Error() string { return fmt.Sprintf("the node says %.300q (%d)", f.Message, f.Code) }

// Codes of faults that are about the question or the node, not about what was asked for.
const (
	codeNoMethod = -32601
	codeLimit    = -32005
	codeInternal = -32603
	codeRequest  = -32600
	codeParse    = -32700
	codeReverted = 3
)

type question struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

type answer struct {
	ID     *int   `json:"id"`
	Result any    `json:"result"`
	Error  *fault `json:"error"`
}

// errTooLong means that a node had more to say than is taken.
var errTooLong = errors.New("the answer is longer")

// client asks a node by JSON-RPC over HTTP.
type client struct {
	url      string
	http     *http.Client
	patience time.Duration // for an answer
}

func newClient(at string) (*client, error) {
	u, err := url.Parse(at)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("the address of a node begins with http:// or https://")
	}
	return &client{url: at, patience: patience, http: &http.Client{
		// A node does not send its askers elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// one asks a question that must be answered.
func (c *client) one(ctx context.Context, q *call) error {
	if err := c.single(ctx, q); err != nil {
		return err
	}
	return q.err()
}

// single asks a question; what the node says about it is in the call.
func (c *client) single(ctx context.Context, q *call) error {
	body, err := c.post(ctx, question{Version: "2.0", ID: 0, Method: q.method, Params: params(q)})
	if err != nil {
		return fmt.Errorf("%s: %w", q.method, err)
	}
	a := answer{Result: q.result}
	if err := json.Unmarshal(body, &a); err != nil {
		return fmt.Errorf("%s: the answer is not what it should be: %w", q.method, err)
	}
	q.fault, q.absent = a.Error, a.Error == nil && a.Result == nil
	return nil
}

// many asks several questions at once; what the node says about each is in the calls.
func (c *client) many(ctx context.Context, calls []*call) error {
	for len(calls) > 0 {
		n := min(len(calls), batchMax)
		if err := c.batch(ctx, calls[:n]); err != nil {
			return err
		}
		calls = calls[n:]
	}
	return nil
}

func (c *client) batch(ctx context.Context, calls []*call) error {
	name := fmt.Sprintf("%d calls, the first %s", len(calls), calls[0].method)
	questions := make([]question, len(calls))
	for i, q := range calls {
		questions[i] = question{Version: "2.0", ID: i, Method: q.method, Params: params(q)}
	}
	body, err := c.post(ctx, questions)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var answers []struct {
		answer
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(body, &answers); err != nil {
		var whole answer // a node may refuse all of them with one answer
		if json.Unmarshal(body, &whole) == nil && whole.Error != nil {
			err = whole.Error
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	seen := make([]bool, len(calls))
	for _, a := range answers {
		if a.ID == nil || *a.ID < 0 || *a.ID >= len(calls) || seen[*a.ID] {
			return fmt.Errorf("%s: there is an answer to no question", name)
		}
		q := calls[*a.ID]
		seen[*a.ID] = true
		q.fault = a.Error
		if q.absent = a.Error == nil && (len(a.Result) == 0 || string(a.Result) == "null"); q.fault != nil || q.absent {
			continue
		}
		if err := json.Unmarshal(a.Result, q.result); err != nil {
			return fmt.Errorf("%s: the answer is not what it should be: %w", q.method, err)
		}
	}
	if len(answers) != len(calls) {
		return fmt.Errorf("%s: there are %d answers", name, len(answers))
	}
	return nil
}

func params(q *call) []any {
	if q.params == nil {
		return []any{}
	}
	return q.params
}

func (c *client) post(ctx context.Context, message any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(text))
	if err != nil {
		return nil, bare(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(r)
	if err != nil {
		return nil, bare(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > answerBytesMax:
		return nil, fmt.Errorf("%w than %d bytes", errTooLong, answerBytesMax)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the node answers %s: %.300q", response.Status, body)
	}
	return body, nil
}

// bare leaves the address of the node out of an error: who sells access to nodes often has the key to it there.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
