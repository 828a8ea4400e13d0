package node

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"bourse/internal/journal"
	"bourse/internal/port"
	"bourse/internal/relay"
)

// servers is a cluster of NATS servers in this process. Each route between two of them goes
// through a relay of its own, so that a server can be cut off from the others while its clients
// stay connected.
type servers struct {
	t       *testing.T
	options []*server.Options
	running []*server.Server
	relays  [][]*relay.Relay // from one server to another
}

// startServers starts a cluster, or a single server.
func startServers(t *testing.T, count int, change ...func(*server.Options)) *servers {
	t.Helper()
	s := &servers{t: t, running: make([]*server.Server, count), relays: make([][]*relay.Relay, count)}
	for i := range count {
		s.options = append(s.options, &server.Options{
			ServerName: fmt.Sprint("s", i), Host: "127.0.0.1", Port: freePort(t), NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: filepath.Join(t.TempDir(), fmt.Sprint(i)), SyncAlways: true,
			JetStreamMaxStore: 1 << 30, JetStreamMaxMemory: 1 << 28,
		})
		for _, c := range change {
			c(s.options[i])
		}
	}
	if count > 1 {
		s.connect()
	}
	t.Cleanup(s.stopAll)
	for i := range count {
		s.start(i)
	}
	s.ready()
	return s
}

// connect gives every server a relay to each of the others. The address that servers tell each
// other is one where nobody listens: only the relays lead anywhere.
func (s *servers) connect() {
	for _, o := range s.options {
		o.Cluster = server.ClusterOpts{
			Name: "bourse", Host: "127.0.0.1", Port: freePort(s.t), PoolSize: -1,
			Advertise: fmt.Sprintf("127.0.0.1:%d", freePort(s.t)),
		}
	}
	for i, from := range s.options {
		for j, to := range s.options {
			r, err := relay.Start(fmt.Sprintf("127.0.0.1:%d", to.Cluster.Port))
			if err != nil {
				s.t.Fatal(err)
			}
			s.t.Cleanup(r.Close)
			s.relays[i] = append(s.relays[i], r)
			if i != j {
				from.Routes = append(from.Routes, &url.URL{Scheme: "nats-route", Host: r.Address()})
			}
		}
	}
}

func (s *servers) start(i int) {
	s.t.Helper()
	// The server keeps and changes its options.
	running, err := journal.NewMember(s.options[i].Clone())
	if err != nil {
		s.t.Fatal(err)
	}
	running.Start()
	s.running[i] = running
}

func (s *servers) stop(i int) {
	s.running[i].Shutdown()
	s.running[i].WaitForShutdown()
	s.running[i] = nil
}

func (s *servers) stopAll() {
	for i, running := range s.running {
		if running != nil {
			s.stop(i)
		}
	}
}

// ready waits until all servers can store.
func (s *servers) ready() {
	s.t.Helper()
	for _, r := range s.running {
		await(s.t, r.Name()+" listens", func() bool { return r.ReadyForConnections(time.Millisecond) })
		await(s.t, r.Name()+" stores", r.JetStreamEnabled)
		await(s.t, r.Name()+" knows what the others know", r.JetStreamIsCurrent)
	}
}

// leader is the server that leads the stream.
func (s *servers) leader() int {
	s.t.Helper()
	found := -1
	await(s.t, "the stream has a leader", func() bool {
		for i, r := range s.running {
			if r.JetStreamIsStreamLeader("$G", "bourse") {
				found = i
			}
		}
		return found >= 0
	})
	return found
}

// cut parts a server from the others, or joins it again.
func (s *servers) cut(i int, off bool) {
	for j := range s.running {
		s.relays[i][j].Cut(off)
		s.relays[j][i].Cut(off)
	}
}

func (s *servers) url() string {
	var all []string
	for _, o := range s.options {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	}
	return strings.Join(all, ",")
}

func freePort(t *testing.T) int {
	t.Helper()
	p, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// await waits until something holds, and fails if that takes too long.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(60 * time.Second)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("waited too long until %s", what)
		}
	}
}

// safeText gathers what several goroutines write.
type safeText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *safeText) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *safeText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
