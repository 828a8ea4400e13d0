package custody

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Remote asks a signer on another machine ('bourse signer'). It asks once: who wants to try again calls again, with the same request.
type Remote struct {
	url    string
	client *http.Client
}

const (
	remoteTimeout  = 30 * time.Second
	answerBytesMax = 1 << 20
)

// NewRemote makes a client of the signer at a URL; the file says who both are.
func NewRemote(at, file string) (*Remote, error) {
	parsed, err := url.Parse(at)
	if err != nil || parsed.Scheme != "https" || parsed.Host == "" || strings.Trim(parsed.Path, "/") != "" {
		return nil, fmt.Errorf("%q is not the URL of a signer, such as https://10.0.0.2:8455", at)
	}
	id, err := readIdentity(file)
	if err != nil {
		return nil, err
	}
	return &Remote{"https://" + parsed.Host, &http.Client{Timeout: remoteTimeout, Transport: &http.Transport{TLSClientConfig: id.config()}}}, nil
}

// Sign implements driver.Signer. ErrRefused if the signer looked at it and says no.
func (c *Remote) Sign(ctx context.Context, r *driver.Request) ([]byte, error) {
	return c.call(ctx, "POST", signPath, wire.AppendJSON(nil, r))
}

// Unapproved implements driver.Approver.
func (c *Remote) Unapproved(ctx context.Context, r *driver.Request) ([]driver.Unapproved, error) {
	data, err := c.call(ctx, "POST", unapprovedPath, wire.AppendJSON(nil, r))
	if errors.Is(err, errNoSuchQuestion) {
		return nil, nil // a signer of an older version, which wants no signatures
	}
	if err != nil {
		return nil, err
	}
	var is unapproved
	if err := wire.DecodeJSON(data, &is); err != nil {
		return nil, fmt.Errorf("the answer of the signer: %w", err)
	}
	return is.list, nil
}

// Public implements Signer.
func (c *Remote) Public(ctx context.Context, space schema.Space) (Public, error) {
	query := url.Values{"family": {space.Family.String()}, "net": {space.Net.String()}}
	data, err := c.call(ctx, "GET", publicPath+"?"+query.Encode(), nil)
	if err != nil {
		return Public{}, err
	}
	p, err := Parse(data)
	if err == nil && p.Space() != space {
		err = errPublic
	}
	return p, err
}

var errNoSuchQuestion = errors.New("the signer is of another version: it does not know the question")

func (c *Remote) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking the signer: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax))
	if err != nil {
		return nil, fmt.Errorf("the answer of the signer: %w", err)
	}
	text := strings.TrimSpace(string(answer))
	switch response.StatusCode {
	case http.StatusOK:
		return answer, nil
	case http.StatusNotFound:
		return nil, errNoSuchQuestion
	case http.StatusForbidden:
		return nil, fmt.Errorf("%w: %s", ErrRefused, strings.TrimPrefix(text, ErrRefused.Error()+": "))
	}
	return nil, errors.New("the signer says: " + text)
}
