package demo

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"bourse/internal/auth"
	"bourse/internal/fixed"
)

// requestTimeout is how long an answer is waited for.
const requestTimeout = 10 * time.Second

// answerBytesMax is more than any answer that the bots ask for.
const answerBytesMax = 1 << 20

// gate is where the API is reached. It follows no redirects and knows no proxy: the bots talk to
// the exchange that they were given and to nobody else.
type gate struct {
	url  string
	http http.Client
}

func newGate(url string) *gate {
	return &gate{strings.TrimRight(url, "/"), http.Client{
		Timeout:       requestTimeout,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// refused is an answer that says no.
type refused struct {
	path   string
	status int
	body   string
}

func (e *refused) Error() string { return fmt.Sprintf("%s answered %d: %s", e.path, e.status, e.body) }

// unsure reports whether what failed may have happened all the same.
func unsure(err error) bool {
	var no *refused
	return err != nil && !(errors.As(err, &no) && no.status < http.StatusInternalServerError)
}

// codeOf is the code of an answer that says no, 0 of anything else.
func codeOf(err error) int {
	var no *refused
	var body struct {
		Code int `json:"code"`
	}
	if !errors.As(err, &no) || json.Unmarshal([]byte(no.body), &body) != nil {
		return 0
	}
	return body.Code
}

// do sends a request and reads the answer.
func (g *gate) do(r *http.Request, into any) error {
	response, err := g.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax))
	if err != nil {
		return fmt.Errorf("%s: %w", r.URL.Path, err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return &refused{r.URL.Path, response.StatusCode, string(body)}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s: %w", r.URL.Path, err)
	}
	return nil
}

// get asks for something public.
func (g *gate) get(ctx context.Context, path string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+path, nil)
	if err != nil {
		return err
	}
	return g.do(r, into)
}

// client sends the signed requests of one key, one after the other. Their nonces only grow and the
// exchange takes each once, so nothing happens twice; and once a later write was answered, an
// earlier one has happened or never will.
type client struct {
	name   string
	gate   *gate
	key    string
	secret *auth.Secret

	mu    sync.Mutex
	nonce int64
}

func newClient(g *gate, id identity) *client {
	return &client{name: id.Name, gate: g, key: id.Key, secret: auth.NewSecret([]byte(id.Secret))}
}

// fields are the members of a request.
type fields map[string]any

func (c *client) post(ctx context.Context, path string, f fields, into any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nonce = max(c.nonce+1, time.Now().UnixMicro())
	all := fields{"request": path, "nonce": c.nonce}
	for name, value := range f {
		all[name] = value
	}
	body, err := json.Marshal(all)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.gate.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	payload := base64.StdEncoding.EncodeToString(body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-TXC-APIKEY", c.key)
	r.Header.Set("X-TXC-PAYLOAD", payload)
	r.Header.Set("X-TXC-SIGNATURE", c.secret.Sign([]byte(payload)))
	return c.gate.do(r, into)
}

// decimal is a number as the API writes it.
type decimal struct{ fixed.Decimal }

func (d *decimal) UnmarshalText(b []byte) (err error) {
	if len(b) == 0 { // a tick or step that is not available
		return nil
	}
	d.Decimal, err = fixed.ParseBytes(b)
	return err
}

// purse is money by its ticker.
type purse map[string]fixed.Decimal
