package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// healthCmd asks a running exchange how it is. Containers without a shell and scripts watch an
// exchange by its exit code.
type healthCmd struct {
	URL     string        `name:"url" env:"BOURSE_OPERATOR_URL" default:"http://127.0.0.1:8081" placeholder:"URL" help:"Where operators are served, by default http://127.0.0.1:8081; or the port for monitoring of a 'bourse nats'."`
	Ready   bool          `help:"Ask whether clients are answered, and not only whether the exchange lives: in maintenance they are not."`
	Timeout time.Duration `default:"5s" help:"How long to wait for an answer."`
}

func (healthCmd) Help() string {
	return `Prints what the exchange says and ends with 0 if it is well, and with 1 if it is not or does not
answer.`
}

func (c *healthCmd) Run(out stdout) error {
	where, err := url.Parse(c.URL)
	if err != nil || where.Scheme != "http" && where.Scheme != "https" || where.Host == "" {
		return fmt.Errorf("--url is an address such as http://127.0.0.1:8081, not %q", c.URL)
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	status, err := c.ask(ctx, where)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, status)
	return nil
}

// ask is what the exchange says of itself when it is well.
func (c *healthCmd) ask(ctx context.Context, where *url.URL) (string, error) {
	page := "healthz"
	if c.Ready {
		page = "readyz"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, where.JoinPath(page).String(), nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return "", fmt.Errorf("the exchange at %s did not answer within %s", where, c.Timeout)
	}
	if err != nil {
		return "", fmt.Errorf("asking the exchange: %w; is it running, with --operator %s?", err, where.Host)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if err != nil {
		return "", fmt.Errorf("reading what the exchange at %s says: %w", where, err)
	}
	var said struct{ Status string }
	if json.Unmarshal(body, &said) != nil || said.Status == "" {
		return "", fmt.Errorf("%s is not where operators of an exchange are served; it answers %s", where, response.Status)
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the exchange at %s is not well: %s", where, strings.TrimSpace(string(body)))
	}
	return said.Status, nil
}
