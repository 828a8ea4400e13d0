package bitcoin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// sizeBytesMax is above every answer: a block of 4 MB is 8 MB of hexadecimal digits.
const sizeBytesMax = 64 << 20

// refusal is an error that the node answers with.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *refusal) Error() string { return fmt.Sprintf("%.200s (code %d)", e.Message, e.Code) }

// Codes that nodes refuse with.
const (
	codeNotFound = -5     // no such block or transaction
	codeDecode   = -22    // it cannot be read
	codeVerify   = -25    // what it spends is not there
	codeRejected = -26    // the rules, or those of the node
	codeInChain  = -27    // it is in a block
	codeNoMethod = -32601 // the node does not know the question
)

// call asks the node, and reads its answer into result. All questions may be repeated.
func (c *Chain) call(ctx context.Context, result any, method string, params ...any) error {
	if err := c.ask(ctx, result, method, params); err != nil {
		return fmt.Errorf("bitcoin node: %s: %w", method, err)
	}
	return nil
}

func (c *Chain) ask(ctx context.Context, result any, method string, params []any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "1.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.SetBasicAuth(c.user, c.password)
	request.Header.Set("Content-Type", "application/json")
	request.Header["Idempotency-Key"] = nil // net/http asks again if the node hung up meanwhile; the header is not sent
	response, err := c.client.Do(request)
	if err != nil {
		var where *url.Error
		if errors.As(err, &where) { // it names the URL, which says no more than that it is the node's
			err = where.Err
		}
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, sizeBytesMax+1))
	switch {
	case err != nil:
		return err
	case len(text) > sizeBytesMax:
		return fmt.Errorf("the answer has more than %d bytes", sizeBytesMax)
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *refusal        `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Result == nil && answer.Error == nil {
		return fmt.Errorf("the answer is no JSON-RPC: HTTP status %s", response.Status)
	}
	if answer.Error != nil {
		return answer.Error
	}
	return json.Unmarshal(answer.Result, result)
}
