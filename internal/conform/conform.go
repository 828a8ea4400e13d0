// Package conform holds the exchange to the spec, statement by statement, over real HTTP. Its
// tests drive the real program; what only an operator can bring about (a maintenance, a blocked
// account, another time of day) is done on an exchange inside the test, behind a real listener.
package conform

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/auth"
	"bourse/internal/exchange"
	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/setup"
)

// Venue is a running exchange.
type Venue struct {
	URL string
	// Operators is where operators are answered, and Token what lets one in.
	Operators, Token string
	// Exchange is there only if it runs inside the test.
	Exchange *exchange.Exchange
	ending   sync.Once

	t      testing.TB
	dir    string // of this venue, with the set-up
	data   string // the data directory, as the program sees it
	flags  []string
	client http.Client
	log    logWriter
	// Disk, if there is one, is what the program sees beside the disks of the test.
	Disk    *Disk
	process *exec.Cmd
	out     *bufio.Reader
}

// Start runs the real program on a new data directory. Rate limits are lifted for loopback
// unless a flag says otherwise.
func Start(t testing.TB, world string, flags ...string) *Venue {
	t.Helper()
	v := New(t, world, flags...)
	if err := os.Mkdir(v.data, 0o700); err != nil {
		t.Fatal(err)
	}
	Keys(t, v.data)
	v.Restart()
	return v
}

// New is a venue of the real program that does not run yet.
func New(t testing.TB, world string, flags ...string) *Venue {
	t.Helper()
	v := &Venue{t: t, dir: t.TempDir(), flags: flags, log: logWriter{t: t}}
	v.data = filepath.Join(v.dir, "data")
	if err := os.WriteFile(filepath.Join(v.dir, "setup.json"), []byte(world), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.client.CloseIdleConnections)
	t.Cleanup(v.Kill)
	return v
}

// Join is a venue of the same set-up and master key that does not run yet: another node of a cluster.
func (v *Venue) Join(flags ...string) *Venue {
	v.t.Helper()
	world, err := os.ReadFile(filepath.Join(v.dir, "setup.json"))
	if err != nil {
		v.t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(v.Data(), "master.key"))
	if err != nil {
		v.t.Fatal(err)
	}
	other := New(v.t, string(world), flags...)
	if err := os.Mkdir(other.data, 0o700); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other.data, "master.key"), key, 0o600); err != nil {
		v.t.Fatal(err)
	}
	return other
}

// Address is where the venue listens.
func (v *Venue) Address() string {
	return strings.TrimPrefix(strings.TrimPrefix(v.URL, "http://"), "https://")
}

// logWriter keeps what the program says, also for tests that fail.
type logWriter struct {
	t    testing.TB
	mu   sync.Mutex
	text strings.Builder
}

func (w *logWriter) Write(p []byte) (int, error) {
	w.t.Helper()
	w.t.Log(strings.TrimSpace(string(p)))
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// Log is what the program has said so far.
func (v *Venue) Log() string {
	v.log.mu.Lock()
	defer v.log.mu.Unlock()
	return v.log.text.String()
}

// Inside runs an exchange inside the test, where the test is its operator.
func Inside(t testing.TB, world string, change func(*exchange.Options)) *Venue {
	t.Helper()
	o := exchange.Options{Region: schema.Global}
	o.Node.Journal = journal.Options{Dir: t.TempDir(), SyncInterval: time.Minute} // nobody cuts its power
	o.REST.Unlimited = true
	if change != nil {
		change(&o)
	}
	Keys(t, o.Node.Journal.Dir)
	x, err := exchange.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	v := &Venue{Exchange: x, t: t}
	t.Cleanup(v.Close)
	file, err := setup.Read(strings.NewReader(world))
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Apply(context.Background(), x.Node); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = x.Serve(ln) }()
	v.URL = "http://" + ln.Addr().String()
	return v
}

// Close ends an exchange inside the test, which tests do that look at what it left; otherwise it ends with the test.
func (v *Venue) Close() {
	v.ending.Do(func() {
		v.client.CloseIdleConnections()
		if err := v.Exchange.Close(); err != nil {
			v.t.Error(err)
		}
	})
}

// Do lets the operator of an exchange inside the test do something.
func (v *Venue) Do(c schema.Command) schema.Result {
	v.t.Helper()
	var result schema.Result
	if err := v.Exchange.Node.Submit(context.Background(), c, &result); err != nil {
		v.t.Fatal(err)
	}
	if result.Rejection.Refused() {
		v.t.Fatalf("%T: %s", c, result.Rejection.Text())
	}
	return result
}

// Reply is what came back.
type Reply struct {
	Status int
	Header http.Header
	Body   string
}

// Read reads the body as JSON.
func (r Reply) Read(t testing.TB, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(r.Body))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%d %s: %v", r.Status, r.Body, err)
	}
}

// Send sends a request as it is. What comes back must follow the OpenAPI document.
func (v *Venue) Send(method, path string, header map[string]string, body []byte) Reply {
	v.t.Helper()
	request, err := http.NewRequest(method, v.URL+path, bytes.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := v.client.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	reply := Reply{response.StatusCode, response.Header, string(text)}
	if err := described().holds(method, path, body, reply); err != nil {
		v.t.Errorf("%s %s %s: %d %s\ndoes not follow the document: %v", method, path, body, reply.Status, reply.Body, err)
	}
	return reply
}

// Get asks for something public.
func (v *Venue) Get(path string) Reply {
	v.t.Helper()
	return v.Send("GET", path, nil, nil)
}

// Client is somebody with an API key.
type Client struct {
	Key    string
	secret *auth.Secret
	venue  *Venue
}

// Client is the one with a key.
func (v *Venue) Client(key, secret string) *Client {
	return &Client{key, auth.NewSecret([]byte(secret)), v}
}

// nonces only grow, whatever test takes them.
var nonces atomic.Int64

func init() { nonces.Store(time.Now().UnixMilli() * 1000) }

// Nonce is one that was not used.
func Nonce() int64 { return nonces.Add(1) }

// Fields are the members of a request.
type Fields map[string]any

// Body is a request for a path with a nonce of its own.
func (c *Client) Body(path string, fields Fields) []byte {
	all := Fields{"request": path, "nonce": Nonce()}
	for name, value := range fields {
		all[name] = value
	}
	body, err := json.Marshal(all)
	if err != nil {
		c.venue.t.Fatal(err)
	}
	return body
}

// Sign is the headers for a body.
func (c *Client) Sign(body []byte) map[string]string {
	payload := base64.StdEncoding.EncodeToString(body)
	return map[string]string{
		"Content-Type": "application/json", "X-TXC-APIKEY": c.Key,
		"X-TXC-PAYLOAD": payload, "X-TXC-SIGNATURE": c.secret.Sign([]byte(payload)),
	}
}

// Post sends a signed request.
func (c *Client) Post(path string, fields Fields) Reply {
	c.venue.t.Helper()
	body := c.Body(path, fields)
	return c.venue.Send("POST", path, c.Sign(body), body)
}
