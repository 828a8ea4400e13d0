package operator_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// row is a line of a statement.
type row struct {
	Batch                   uint64
	Time                    string
	Wallet, Asset, Cause    string
	Change                  string
	Order, Deal             uint64
	Available, Frozen, Held string
}

// rows reads a statement.
func (s *site) rows(path string) (all []row) {
	s.t.Helper()
	r := s.ask("GET", path, "")
	if kind := r.header.Get("Content-Type"); r.status != 200 || kind != "application/jsonl" {
		s.t.Fatalf("%s: %d %s %s", path, r.status, kind, r.body)
	}
	for line := range strings.Lines(r.body) {
		var l row
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			s.t.Fatalf("%q: %v", line, err)
		}
		all = append(all, l)
	}
	return all
}

// live lets alice do everything that moves money: deposit, transfer, place, trade as maker and
// taker, pay fees, cancel, withdraw.
func (s *site) live() {
	s.t.Helper()
	s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"USDT","amount":"123.4567890123","held":true}`)
	s.must("POST", "/v1/accounts/alice/confirmations", `{"asset":"USDT","amount":"100"}`)
	s.call("alice", "/api/v4/main-account/transfer", map[string]any{"ticker": "USDT", "amount": "1000", "from": "main", "to": "spot"}).is(200)
	s.call("alice", "/api/v4/main-account/transfer", map[string]any{"ticker": "BTC", "amount": "0.5", "from": "spot", "to": "main"}).is(200)
	s.trade("alice", "buy", "0.333333", "123.45") // rests
	s.trade("bob", "sell", "0.2", "123.45")       // eats of it
	s.trade("bob", "sell", "0.1", "124.01")       // rests
	s.trade("alice", "buy", "0.111111", "125")    // takes it, and rests with what is left
	s.trade("alice", "sell", "1", "200")          // rests
	s.call("alice", "/api/v4/order/cancel/all", map[string]any{"market": "BTC_USDT"}).is(200)
	s.trade("alice", "sell", "1", "300") // stays
	s.must("POST", "/v1/accounts/alice/withdrawals", `{"asset":"BTC","amount":"0.25"}`)
}

func decimal(t testing.TB, s string) fixed.Decimal {
	t.Helper()
	d, err := fixed.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// addsUp holds the lines of an account to its balances, to the last digit.
func (s *site) addsUp(name string, id schema.AccountID, rows []row) {
	s.t.Helper()
	type purse struct{ wallet, asset string }
	sums, last := map[purse]fixed.Decimal{}, map[purse]row{}
	for i, l := range rows {
		in := purse{l.Wallet, l.Asset}
		sums[in] = sums[in].Add(decimal(s.t, l.Change))
		if total := decimal(s.t, l.Available).Add(decimal(s.t, l.Frozen)); sums[in] != total {
			s.t.Errorf("%s: the lines add up to %s, line %d says %s", name, sums[in], i, total)
		}
		last[in] = l
	}
	s.look(func(m core.View) {
		for w := schema.Main; schema.Valid(w); w++ {
			for _, a := range m.Listing().Assets() {
				in := purse{w.String(), a.Ticker}
				available, frozen, held := m.Balance(id, w, a.ID)
				if sums[in] != available.Add(frozen) {
					s.t.Errorf("%s: %v adds up to %s, there is %s", name, in, sums[in], available.Add(frozen))
				}
				if l, there := last[in]; there && (l.Available != available.String() || l.Frozen != frozen.String() || l.Held != held.String()) {
					s.t.Errorf("%s: the last line of %v is %+v, there is %s, %s frozen, %s held", name, in, l, available, frozen, held)
				}
			}
		}
	})
}

func TestAStatementAddsUp(t *testing.T) {
	s := found(t)
	s.live()
	alice := s.rows("/v1/accounts/alice/statement")
	s.addsUp("alice", 101, alice)
	s.addsUp("bob", 102, s.rows("/v1/accounts/bob/statement"))
	fees := s.rows("/v1/accounts/fees/statement")
	s.addsUp("fees", schema.Fees, fees)
	s.addsUp("outside", schema.Outside, s.rows("/v1/accounts/outside/statement"))
	if len(s.rows("/v1/accounts/house/statement")) != 0 {
		t.Error("the house had no business here")
	}
	// Two deals with a fee on either side.
	if len(fees) != 4 {
		t.Errorf("the fees are %+v", fees)
	}
	for _, l := range fees {
		if l.Cause != "fee" || l.Deal == 0 {
			t.Errorf("a fee line is %+v", l)
		}
	}
	causes := map[string]bool{}
	for i, l := range alice {
		causes[l.Cause] = true
		if i > 0 && l.Batch < alice[i-1].Batch {
			t.Errorf("line %d goes back in time: %+v", i, l)
		}
		if l.Time != "2026-09-21T14:13:20Z" {
			t.Errorf("line %d is of %s", i, l.Time)
		}
	}
	for _, cause := range []string{"deposit", "withdrawal", "transfer", "trade", "fee"} {
		if !causes[cause] {
			t.Errorf("nothing was caused by a %s: %v", cause, causes)
		}
	}

	t.Run("of an asset, of a wallet, of both", func(t *testing.T) {
		count := func(asset, wallet string) (n int) {
			for _, l := range alice {
				if (asset == "" || l.Asset == asset) && (wallet == "" || l.Wallet == wallet) {
					n++
				}
			}
			return n
		}
		for _, asset := range []string{"", "BTC", "USDT", "XXX"} {
			for _, wallet := range []string{"", "main", "trade", "earn"} {
				got := s.rows("/v1/accounts/alice/statement?asset=" + asset + "&wallet=" + wallet)
				if len(got) != count(asset, wallet) {
					t.Errorf("%s in %s: %d lines instead of %d", asset, wallet, len(got), count(asset, wallet))
				}
				for _, l := range got {
					if asset != "" && l.Asset != asset || wallet != "" && l.Wallet != wallet {
						t.Errorf("%s in %s: %+v", asset, wallet, l)
					}
				}
			}
		}
	})

	t.Run("after a restart it is made from the log alone", func(t *testing.T) {
		s.close()
		s.open(nil)
		again := s.rows("/v1/accounts/alice/statement")
		if fmt.Sprint(again) != fmt.Sprint(alice) {
			t.Errorf("the statement became %+v from %+v", again, alice)
		}
	})
}

// gate is a listener whose connections can be stopped from taking anything: readers that do not
// read, without buffers that would have to be filled first.
type gate struct {
	net.Listener
	accepted chan *slow
}

// slow is a connection that takes so many writes and then none, until it fails.
type slow struct {
	net.Conn
	shut   chan struct{} // closed: nothing more is taken than what is left of takes
	takes  int
	stuck  chan struct{} // closed when a write waits
	fail   chan error    // what becomes of it
	closed chan struct{}
	wait   sync.Once
	end    sync.Once

	mu          sync.Mutex
	read, write time.Time // deadlines
}

func (g *gate) Accept() (net.Conn, error) {
	c, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	s := &slow{Conn: c, shut: make(chan struct{}), stuck: make(chan struct{}), fail: make(chan error, 1), closed: make(chan struct{})}
	g.accepted <- s
	return s, nil
}

func (s *slow) Write(p []byte) (int, error) {
	select {
	case <-s.shut:
	default:
		return s.Conn.Write(p)
	}
	if s.takes--; s.takes >= 0 {
		return s.Conn.Write(p)
	}
	s.wait.Do(func() { close(s.stuck) })
	select {
	case err := <-s.fail:
		return 0, err
	case <-s.closed:
		return 0, net.ErrClosed
	}
}

func (s *slow) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	s.read = t
	s.mu.Unlock()
	return s.Conn.SetReadDeadline(t)
}

func (s *slow) SetWriteDeadline(t time.Time) error {
	s.mu.Lock()
	s.write = t
	s.mu.Unlock()
	return s.Conn.SetWriteDeadline(t)
}

func (s *slow) Close() error {
	s.end.Do(func() { close(s.closed) })
	return s.Conn.Close()
}

// stall begins an answer that is stuck after so many writes.
func (s *site) stall(g *gate, path string, takes int) (client net.Conn, at *slow) {
	s.t.Helper()
	client, err := net.Dial("tcp", g.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { client.Close() })
	for at == nil || at.RemoteAddr().String() != client.LocalAddr().String() { // others come by too
		at = <-g.accepted
	}
	at.takes = takes
	close(at.shut)
	if _, err := fmt.Fprintf(client, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, s.token); err != nil {
		s.t.Fatal(err)
	}
	<-at.stuck
	return client, at
}

// foundBehind makes an exchange behind a gate, with a statement that is larger than what the
// server gathers before it writes.
func foundBehind(t *testing.T) (*site, *gate) {
	t.Helper()
	s := found(t)
	for range 100 {
		s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"USDT","amount":"1"}`)
	}
	s.close()
	g := &gate{s.listen(), make(chan *slow, 100)}
	s.open(g)
	return s, g
}

// One statement is made at a time, and one that nobody reads any more, because its time is over
// or its client is gone, makes room for the next.
func TestOneStatementAtATime(t *testing.T) {
	s, g := foundBehind(t)
	for _, end := range []error{os.ErrDeadlineExceeded, syscall.ECONNRESET} {
		_, first := s.stall(g, "/v1/accounts/alice/statement", 0)
		s.ask("GET", "/v1/accounts/bob/statement", "").is(http.StatusServiceUnavailable).
			has(`{"message":"another statement is being made; try again when it is done"}`)
		s.ask("GET", "/v1/accounts/nobody/statement", "").is(http.StatusNotFound)

		// Nothing else waits for a reader who does not read.
		s.must("PATCH", "/v1/accounts/alice", `{"retail":true}`)
		s.must("GET", "/v1/audit", "")
		s.trade("bob", "buy", "1", "10")
		s.submit(&schema.Tick{})

		first.mu.Lock()
		read, write := first.read, first.write
		first.mu.Unlock()
		if write.IsZero() {
			t.Error("the answer may take for ever")
		}
		if !read.IsZero() {
			t.Errorf("the work will be ended at %s, when the time for reading the request is over", read)
		}

		first.fail <- end
		<-first.closed
		for s.ask("GET", "/v1/accounts/house/statement", "").status == http.StatusServiceUnavailable {
			runtime.Gosched() // the server ends the connection before the work
		}
		if n := len(s.rows("/v1/accounts/alice/statement")); n != 106 {
			t.Errorf("%d lines", n)
		}
		if said := s.log.String(); !strings.Contains(said, "a statement was cut off") || !strings.Contains(said, end.Error()) {
			t.Errorf("the log does not name %v", end)
		}
	}
}

// A statement that is cut off does not look whole.
func TestACutOffStatementLooksCutOff(t *testing.T) {
	s, g := foundBehind(t)
	client, at := s.stall(g, "/v1/accounts/alice/statement", 1)
	at.fail <- syscall.EPIPE
	response, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		t.Fatal(err)
	}
	part, err := io.ReadAll(response.Body)
	if response.StatusCode != 200 || len(part) == 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d, %d bytes, then %v", response.StatusCode, len(part), err)
	}
}
