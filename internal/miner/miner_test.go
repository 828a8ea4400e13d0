package miner

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bourse/internal/network/driver"
	"bourse/internal/pool"
	"bourse/internal/pool/work"
	"bourse/internal/schema"
)

const patience = time.Minute

// chain is a chain of which every second hash is a block. It takes all of them.
type chain struct {
	mu     sync.Mutex
	blocks int
}

func (c *chain) Template(context.Context) (*driver.Template, error) {
	return &driver.Template{
		Height: 7, Version: 0x20000000, Bits: 0x1f7fffff, Time: uint32(time.Now().Unix()), Value: 50,
		Txs: []driver.TemplateTx{{ID: [32]byte{1}, Raw: []byte{1}}, {ID: [32]byte{2}, Raw: []byte{2}}},
	}, nil
}

func (c *chain) Submit(context.Context, []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocks++
	return nil
}

type book struct{}

func (book) Terms() (uint8, string) { return 32, "" }

func (book) Find(name string) (schema.MiningID, bool) { return 1, name == "anna" }

// journal counts what is reported.
type journal struct {
	mu     sync.Mutex
	work   uint64
	blocks int
}

func (*journal) Lease(context.Context) (schema.LeaseID, error) { return 1, nil }

func (j *journal) Report(_ context.Context, r *schema.ReportShares) (schema.Rejection, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range r.Shares {
		j.work += s.Work
	}
	return schema.Rejection{}, nil
}

func (j *journal) Found(context.Context, *schema.FoundBlock) (schema.Rejection, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.blocks++
	return schema.Rejection{}, nil
}

// until waits for something that is only to be seen by looking.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("it never came about that %s", what)
		}
	}
}

// run lets a miner mine until the test is over, or what is returned is called.
func run(t *testing.T, o Options) (m *Miner, end func()) {
	t.Helper()
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	m.pause = func(int) time.Duration { return time.Millisecond }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		m.Run(ctx)
		close(done)
	}()
	end = func() {
		cancel()
		<-done
	}
	t.Cleanup(end)
	return m, end
}

// TestMining: what a miner finds over TCP and TLS is accepted, is reported with its work when the pool closes, and its blocks go to the chain.
func TestMining(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	certificate, roots := server.TLS.Certificates[0], x509.NewCertPool()
	roots.AddCert(server.Certificate())
	server.Close()
	for _, scheme := range []string{"stratum+tcp", "stratum+tls"} {
		t.Run(scheme, func(t *testing.T) {
			c, j := &chain{}, &journal{}
			bounds := pool.NewBounds()
			bounds.PerSecond = 1 << 20
			p := pool.New(pool.Options{Source: c, Book: book{}, Reporter: j, Script: []byte{0x51}, Bounds: bounds})
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			at := ln.Addr().String()
			if scheme == "stratum+tls" {
				ln = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{certificate}})
			}
			served := make(chan error, 1)
			go func() { served <- p.Serve(ln) }()
			m, end := run(t, Options{URL: scheme + "://" + at, User: "anna.rig", Threads: 2, Rate: 1 << 18, Roots: roots})
			until(t, "shares are accepted", func() bool { return m.Stats().Accepted >= 50 })
			end()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := p.Close(ctx); err != nil {
				t.Fatal(err)
			}
			if err := <-served; err != nil {
				t.Fatal(err)
			}
			s := m.Stats()
			if s.Rejected != 0 || s.Hashes == 0 || j.work < s.Accepted || c.blocks == 0 || j.blocks != c.blocks {
				t.Errorf("%+v, %d units of work and %d blocks reported, %d at the chain", s, j.work, j.blocks, c.blocks)
			}
		})
	}
}

// TestAMinerComesBack: a pool that hangs up, says nonsense or refuses it is called again.
func TestAMinerComesBack(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	m, _ := run(t, Options{URL: "stratum+tcp://" + ln.Addr().String(), User: "anna.rig", Threads: 1, Rate: 1 << 12})
	for _, say := range []string{
		"", "nonsense\n", `{"id":2,"result":[[],"zz",8],"error":null}` + "\n", `{"id":4,"result":null,"error":[24,"no",null]}` + "\n",
		`{"id":null,"method":"mining.set_difficulty","params":[0]}` + "\n", `{"id":null,"method":"mining.notify","params":["1"]}` + "\n",
	} {
		nc, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(nc)
		for _, want := range []string{"mining.configure", "mining.subscribe", "mining.suggest_difficulty", "mining.authorize"} {
			var q struct{ Method string }
			if !lines.Scan() || json.Unmarshal(lines.Bytes(), &q) != nil || q.Method != want {
				t.Fatalf("%s, want %s", lines.Text(), want)
			}
		}
		if _, err := nc.Write([]byte(say)); err != nil {
			t.Fatal(err)
		}
		if say == "" {
			_ = nc.Close()
			continue
		}
		if lines.Scan() {
			t.Fatalf("after %q it says %s", say, lines.Text())
		}
		_ = nc.Close()
	}
	if s := m.Stats(); s != (Stats{}) {
		t.Errorf("%+v", s)
	}
}

func TestOnlyPoolsAreMinedFor(t *testing.T) {
	for _, url := range []string{"", "localhost:3333", "http://localhost:3333", "stratum+tcp://localhost", "stratum+tcp://:", "%"} {
		if _, err := New(Options{URL: url}); err == nil || !strings.Contains(err.Error(), "must look like") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// TestPausesGrow: from half a second to a minute.
func TestPausesGrow(t *testing.T) {
	for tries, want := range map[int]time.Duration{0: time.Second, 1: 2 * time.Second, 5: 32 * time.Second, 6: time.Minute, 1000: time.Minute} {
		if d := pause(tries); d < want/2 || d > want {
			t.Errorf("after %d: %v, want %v", tries, d, want)
		}
	}
}

func TestVersionsAreSpreadOverTheMask(t *testing.T) {
	for n, want := range map[uint32]uint32{0: 0, 1: 0x2000, 2: 0x4000, 0xffff: work.VersionMask} {
		if got := spread(n, work.VersionMask); got != want {
			t.Errorf("%d: %08x, want %08x", n, got, want)
		}
	}
}
