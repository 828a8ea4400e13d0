package conform

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bourse/internal/exchange"
	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/setup"
	"bourse/internal/webhook"
)

// Webhooks of a cluster, sent by processes of their own that are killed and stand still. `bourse serve` sends to this machine only as a demo,
// whose traders would be in the way: so the program of the tests is the node, opened as `serve` opens it.

// asSender is the first argument of the program when it is a node. The others are its data directory, the server of the log, and, for the node that
// makes the world, the set-up and the URL of the webhook.
const asSender = "node-that-sends"

// runSender is a node until it is killed.
func runSender(args []string) error {
	ctx := context.Background()
	o := exchange.Options{Region: schema.Global}
	o.Node.Journal = journal.Options{Dir: args[0], URL: args[1], SyncInterval: time.Minute}
	o.REST.Unlimited, o.Webhooks.Loopback = true, true
	x, err := exchange.Open(ctx, o)
	if err != nil {
		return err
	}
	if len(args) > 2 {
		if err := makeHooked(ctx, x, args[2], args[3]); err != nil {
			return err
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", ln.Addr())
	return x.Serve(ln)
}

// makeHooked makes a world in which alice has a webhook for codes.
func makeHooked(ctx context.Context, x *exchange.Exchange, world, url string) error {
	file, err := os.Open(world)
	if err != nil {
		return err
	}
	defer file.Close()
	s, err := setup.Read(file)
	if err != nil {
		return err
	}
	if err := s.Apply(ctx, x.Node); err != nil {
		return err
	}
	id := x.API.AccountByName("alice").ID
	for _, c := range []schema.Command{
		&schema.SetWebhook{Account: id, URL: url, Events: schema.AllWebhookEvents, On: true, Key: "hook-key", Sealed: x.Node.Key().Seal([]byte("hook-secret"), webhook.Purpose)},
		&schema.VerifyWebhook{Account: id, Host: schema.WebhookHost(url), Key: "hook-key"},
	} {
		var r schema.Result
		if err := x.Node.Submit(ctx, c, &r); err != nil {
			return err
		}
		if r.Rejection.Refused() {
			return errors.New(r.Rejection.Text())
		}
	}
	return nil
}

// sends starts the node of a venue in a process and waits until it listens.
func (v *Venue) sends(args ...string) {
	v.t.Helper()
	v.process = exec.Command(os.Args[0], append([]string{asSender, v.data}, args...)...)
	v.process.Stderr = &v.log
	out, err := v.process.StdoutPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	if err := v.process.Start(); err != nil {
		v.t.Fatal(err)
	}
	var line [64]byte
	n, err := out.Read(line[:])
	if err != nil {
		v.t.Fatal(err)
	}
	v.URL = strings.TrimSpace(strings.TrimPrefix(string(line[:n]), "listening on "))
}

// arrival is a request that came to the server of a customer.
type arrival struct {
	event, nonce uint64
	id, code     string
	good         bool // it is signed as it should be
}

// epoch is that of the owner who sent it.
func (a arrival) epoch() uint64 { return a.nonce >> 20 }

// customer is a server that notes what comes, and keeps one event waiting for its answer.
type customer struct {
	*httptest.Server
	mu   sync.Mutex
	got  []arrival
	hold uint64        // the event that waits when it comes first
	held chan struct{} // closed when it does
	free chan struct{} // closed when it is answered
}

func newCustomer(t *testing.T, hold uint64) *customer {
	t.Helper()
	c := &customer{hold: hold, held: make(chan struct{}), free: make(chan struct{})}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, err := read(r)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		first := a.event == c.hold && !slices.ContainsFunc(c.got, func(other arrival) bool { return other.event == a.event })
		c.got = append(c.got, a)
		c.mu.Unlock()
		if first {
			close(c.held)
			<-c.free
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// read is what a request says.
func read(r *http.Request) (a arrival, err error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return a, err
	}
	var said struct {
		Method string
		ID     string
		Params struct {
			Code  string
			Nonce uint64
		}
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return a, err
	}
	if _, err := fmt.Sscan(r.Header.Get("X-Bourse-Event"), &a.event); err != nil {
		return a, err
	}
	payload := base64.StdEncoding.EncodeToString(body)
	mac := hmac.New(sha512.New, []byte("hook-secret"))
	mac.Write([]byte(payload))
	a.nonce, a.id, a.code = said.Params.Nonce, said.ID, said.Params.Code
	a.good = said.Method == "code.apply" && r.Header.Get("X-TXC-APIKEY") == "hook-key" && r.Header.Get("X-TXC-PAYLOAD") == payload &&
		r.Header.Get("X-TXC-SIGNATURE") == hex.EncodeToString(mac.Sum(nil))
	return a, nil
}

// arrived is what came so far.
func (c *customer) arrived() []arrival {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.got)
}

// hooked is a cluster of two nodes: the first sends the events, the second takes the requests.
type hooked struct {
	t        *testing.T
	log      string
	one, two *Venue
	customer *customer
	codes    []string // that were applied, and whose events must arrive, in this order
}

func newHooked(t *testing.T, hold uint64) *hooked {
	t.Helper()
	h := &hooked{t: t, log: LogServer(t), customer: newCustomer(t, hold)}
	t.Cleanup(func() { // before the server ends, which waits for its requests
		select {
		case <-h.customer.free:
		default:
			close(h.customer.free)
		}
	})
	h.one = New(t, gateWorld(gateAccount("alice", "", gateKey("alice", "")), gateAccount("bob", "", gateKey("bob", ""))))
	if err := os.Mkdir(h.one.data, 0o700); err != nil {
		t.Fatal(err)
	}
	Keys(t, h.one.data)
	h.one.sends(h.log, filepath.Join(h.one.dir, "setup.json"), h.customer.URL+"/hook")
	h.two = h.one
	h.happen(1)
	h.all() // so that it is the first who sends
	h.two = h.one.Join()
	h.two.sends(h.log)
	return h
}

// happen lets events happen, by way of the second node once there is one.
func (h *hooked) happen(n int) {
	h.t.Helper()
	alice, bob := h.two.gateClient("alice"), h.two.gateClient("bob")
	for range n {
		var made struct{ Code string }
		r := alice.Post("/api/v4/main-account/codes", Fields{"ticker": "USDT", "amount": "1"})
		r.ok(h.t)
		r.Read(h.t, &made)
		bob.Post("/api/v4/main-account/codes/apply", Fields{"code": made.Code}).ok(h.t)
		h.codes = append(h.codes, made.Code)
	}
}

// await waits for something that the customer must see.
func (h *hooked) await(what string, is func([]arrival) bool) {
	h.t.Helper()
	limit := time.After(2 * time.Minute)
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !is(h.customer.arrived()) {
		select {
		case <-look.C:
		case <-limit:
			h.t.Fatalf("not in two minutes: %s; %+v arrived", what, h.customer.arrived())
		}
	}
}

// all waits until every event has arrived.
func (h *hooked) all() {
	h.t.Helper()
	h.await("every event arrives", func(got []arrival) bool {
		seen := map[uint64]bool{}
		for _, a := range got {
			seen[a.event] = true
		}
		return len(seen) >= len(h.codes)
	})
}

// holds waits until the customer keeps a request waiting.
func (h *hooked) holds() {
	h.t.Helper()
	select {
	case <-h.customer.held:
	case <-time.After(2 * time.Minute):
		h.t.Fatal("the event does not come")
	}
}

// verify holds what arrived against what happened: each event, and no other; first attempts in order; ids of their own; and nonces that grow, but
// for at most so many requests of the first owner that came late.
func (h *hooked) verify(late int) {
	h.t.Helper()
	got := h.customer.arrived()
	ids, highest, next := map[string]bool{}, uint64(0), uint64(1)
	for i, a := range got {
		if !a.good || ids[a.id] || a.event == 0 || a.event > uint64(len(h.codes)) || a.code != h.codes[a.event-1] {
			h.t.Errorf("request %d is %+v", i, a)
		}
		ids[a.id] = true
		if a.event > next {
			h.t.Errorf("event %d was first tried when %d was due", a.event, next)
		}
		next = max(next, a.event+1)
		switch {
		case a.nonce > highest:
			highest = a.nonce
		case a.epoch() == got[0].epoch() && late > 0:
			late--
		default:
			h.t.Errorf("request %d has nonce %d after %d", i, a.nonce, highest)
		}
	}
	if next != uint64(len(h.codes))+1 {
		h.t.Errorf("%d events of %d arrived", next-1, len(h.codes))
	}
}

// TestASenderIsKilled while a request of it is under way, and starts again: another takes its place, and nothing is lost.
func TestASenderIsKilled(t *testing.T) {
	t.Parallel()
	h := newHooked(t, 5)
	h.happen(8)
	h.holds()
	h.one.Kill()
	close(h.customer.free)
	h.one.sends(h.log)
	h.happen(8)
	h.all()
	h.happen(4)
	h.all()
	h.verify(0)
	got := h.customer.arrived()
	if first, last := got[0], got[len(got)-1]; last.epoch() <= first.epoch() {
		t.Errorf("what was sent first has epoch %d, what was sent last %d", first.epoch(), last.epoch())
	}
	if n := len(slices.DeleteFunc(got, func(a arrival) bool { return a.event != 5 })); n < 2 {
		t.Errorf("the event under way was sent %d times: nobody knows whether it arrived", n)
	}
}

// TestASenderStandsStill while a request of it is under way, until another has taken its place and sent the rest. When it goes on, it starts nothing.
func TestASenderStandsStill(t *testing.T) {
	t.Parallel()
	h := newHooked(t, 5)
	h.happen(8)
	h.holds()
	h.one.Signal(syscall.SIGSTOP)
	close(h.customer.free)
	h.happen(8)
	h.all()
	h.one.Signal(syscall.SIGCONT)
	h.happen(8)
	h.all()
	if r := h.one.gateClient("alice").Post(pathBalance, nil); r.Status != 200 && r.Status != 503 {
		t.Errorf("the first node answers %d %s", r.Status, r.Body)
	}
	h.verify(1)
	got := h.customer.arrived()
	if first, last := got[0], got[len(got)-1]; last.epoch() <= first.epoch() {
		t.Errorf("what was sent first has epoch %d, what was sent last %d", first.epoch(), last.epoch())
	}
}
