package conform

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"bourse/internal/api"
)

// raw is a connection on which anything can be written.
type raw struct {
	net.Conn
	t      testing.TB
	reader *bufio.Reader
}

// dial opens a connection. Nothing is waited for longer than a minute.
func (v *Venue) dial(t testing.TB) *raw {
	t.Helper()
	c, err := net.Dial("tcp", v.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return &raw{c, t, bufio.NewReader(c)}
}

func (c *raw) write(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// read reads an answer to a method. Errors have one of the forms that the document describes.
func (c *raw) read(method string) Reply {
	c.t.Helper()
	response, err := http.ReadResponse(c.reader, &http.Request{Method: method})
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if response.Close {
		response.Header.Set("Connection", "close") // where the parser takes it from
	}
	reply := Reply{response.StatusCode, response.Header, string(body)}
	if reply.Status >= 400 && method != "HEAD" {
		var errs []error
		for _, s := range []api.ErrorFormat{api.Private, api.PublicWithFields, api.V1} {
			errs = append(errs, described().follows(body, "components", "schemas", s.Schema().Name))
		}
		if !slices.Contains(errs, nil) {
			c.t.Errorf("%d %s has none of the forms of errors: %v", reply.Status, reply.Body, errors.Join(errs...))
		}
	}
	return reply
}

// ended holds a connection to being closed by the other side, with nothing left to read.
func (c *raw) ended() {
	c.t.Helper()
	rest, err := io.ReadAll(c.reader)
	if len(rest) > 0 {
		c.t.Errorf("more was sent: %q", rest)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || err != nil && !errors.Is(err, syscall.ECONNRESET) {
		c.t.Errorf("the connection was not closed: %v", err)
	}
}
