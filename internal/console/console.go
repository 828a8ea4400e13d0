// Package console asks the operator's API of a running exchange, for a command line: what it
// returns is what the API answered, and its errors tell a person what to do.
//
// What must hold: an answer is passed on as it came, byte for byte; a token is sent to the address
// that was named and nowhere else.
package console

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Console asks one exchange in the name of one operator.
type Console struct {
	// URL is where operators are served.
	URL string
	// Token is the operator's, and Source says in an error where it is from.
	Token, Source string
}

// answerTimeout is how long an answer may take that is not a stream.
const answerTimeout = time.Minute

// Request is something to be asked.
type Request struct {
	Method string
	Path   string     // see Path
	Query  url.Values // may be nil
	Body   any        // as JSON; nil: none
	// OnlyNew makes a PUT refuse to replace what is there.
	OnlyNew bool
}

// Path is a path from its parts, which may have any characters in them.
func Path(parts ...string) string {
	var b strings.Builder
	b.WriteString("/v1")
	for _, part := range parts {
		b.WriteString("/" + url.PathEscape(part))
	}
	return b.String()
}

// Ask returns the answer.
func (c *Console) Ask(ctx context.Context, r Request) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	body, err := c.Stream(ctx, r)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	answer, err := io.ReadAll(body)
	if err == nil && !json.Valid(answer) {
		err = errors.New("it is not JSON")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the answer to %s %s: %w", r.Method, r.Path, err)
	}
	return bytes.TrimSpace(answer), nil
}

// Lines hands each line of the answer to a function, as they come, and says whether more have come
// already.
func (c *Console) Lines(ctx context.Context, r Request, each func(line json.RawMessage, more bool) error) error {
	body, err := c.Stream(ctx, r)
	if err != nil {
		return err
	}
	defer body.Close()
	in := bufio.NewReaderSize(body, 1<<16)
	for count := 0; ; count++ {
		line, err := in.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("the answer was cut off after %d lines (%w); the log of the exchange says why", count, err)
		}
		if err := each(bytes.TrimSpace(line), in.Buffered() > 0); err != nil {
			return err
		}
	}
}

// client follows no redirection: it would take the token along.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Stream returns the body of an answer that is not an error, as it comes. Who reads it closes it,
// and takes a cut-off one for a failure.
func (c *Console) Stream(ctx context.Context, r Request) (io.ReadCloser, error) {
	request, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusAccepted {
		return nil, waiting(response)
	}
	return nil, c.refused(response)
}

// Waiting is an answer that is no refusal, and an error for who thinks that it was done: it waits for another operator.
type Waiting struct {
	Answer   json.RawMessage `json:"-"` // as it came
	Proposal uint64          // its number
	Message  string
}

func (w *Waiting) Error() string { return w.Message }

func waiting(response *http.Response) error {
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	w := &Waiting{Answer: bytes.TrimSpace(answer)}
	if err == nil {
		err = json.Unmarshal(answer, w)
	}
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return w
}

func (c *Console) request(ctx context.Context, r Request) (*http.Request, error) {
	var body io.Reader
	if r.Body != nil {
		text, err := json.Marshal(r.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	at, err := url.Parse(c.URL)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, fmt.Errorf("%q is not the address of an exchange; --url wants one such as http://127.0.0.1:8081", c.URL)
	}
	address := strings.TrimSuffix(c.URL, "/") + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, address, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.OnlyNew {
		request.Header.Set("If-None-Match", "*")
	}
	return request, nil
}

// unreachable says what to do when nobody answers.
func (c *Console) unreachable(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("nobody answers at %s: is 'bourse serve' running, and are its operators served there? --url names another address", c.URL)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer within %s; look whether it was done before trying again", c.URL, answerTimeout)
	default:
		return fmt.Errorf("asking the exchange (--url %s): %w", c.URL, err)
	}
}

// refused is the error in an answer.
func (c *Console) refused(response *http.Response) error {
	if response.StatusCode == http.StatusUnauthorized {
		return fmt.Errorf("the exchange at %s knows no operator with the token of %s; "+
			"it takes those of NAME.token in the directory 'operators' of its data that only their owner can read", c.URL, c.Source)
	}
	var problem struct {
		Message string `json:"message"`
		Field   string `json:"field"`
	}
	// Other servers, such as the clients' API, have more to tell: it would mislead.
	d := json.NewDecoder(io.LimitReader(response.Body, 1<<16))
	d.DisallowUnknownFields()
	switch err := d.Decode(&problem); {
	case err != nil || problem.Message == "":
		return fmt.Errorf("%s answers %s: are operators served there? --url names another address", c.URL, response.Status)
	case problem.Field != "":
		return fmt.Errorf("%s (%s)", problem.Message, problem.Field)
	default:
		return errors.New(problem.Message)
	}
}
