package siege

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"bourse/internal/conform"
	"bourse/internal/port"
)

var clusters = []Attack{
	{"cluster.leader", "three servers, three nodes, the leader killed under orders: all that was acknowledged is on every node once, in one state", killedLeader},
	{"cluster.cut", "one server, then one node, stands still and comes back: nothing is lost, and all agree", cutMember},
}

// members is how many servers of the log there are, and how many nodes.
const members = 3

// member is a server of the log: the program with a configuration.
type member struct {
	name        string
	port, peers int    // where clients and where other servers come
	file        string // the configuration
	process     *exec.Cmd
}

// cluster is the servers, and nodes that share their log.
type cluster struct {
	s       *Siege
	servers []*member
	nodes   []*conform.Venue
	stream  jetstream.JetStream
}

func (s *Siege) cluster() *cluster {
	s.Helper()
	c := &cluster{s: s}
	var routes, urls []string
	for i := range members {
		m := &member{name: fmt.Sprint("server", i), port: s.freePort(), peers: s.freePort()}
		c.servers = append(c.servers, m)
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", m.peers))
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", m.port))
	}
	for _, m := range c.servers {
		dir := s.TempDir()
		m.file = filepath.Join(dir, "nats.conf")
		s.must(os.WriteFile(m.file, fmt.Appendf(nil, `
			listen: 127.0.0.1:%d, max_payload: 8MB
			jetstream { store_dir: %q, sync_interval: always }
			cluster { name: siege, listen: 127.0.0.1:%d, routes: [%s] }
		`, m.port, dir, m.peers, strings.Join(routes, ", ")), 0o600))
		s.Cleanup(m.kill)
		c.start(m)
	}
	all := strings.Join(urls, ",")
	var conn *nats.Conn
	s.await("the servers take clients", func() (there bool) {
		var err error
		conn, err = nats.Connect(all, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
		return err == nil
	})
	s.Cleanup(conn.Close)
	var err error
	c.stream, err = jetstream.New(conn)
	s.must(err)
	s.await("the servers have a leader", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := c.stream.AccountInfo(ctx)
		return err == nil
	})
	flags := []string{"--no-limits", "--nats", all, "--replicas", fmt.Sprint(members)}
	c.nodes = append(c.nodes, conform.Start(s.TB, s.world(nil), flags...))
	for len(c.nodes) < members {
		other := c.nodes[0].Join(flags...)
		other.Restart()
		c.nodes = append(c.nodes, other)
	}
	return c
}

func (s *Siege) freePort() int {
	s.Helper()
	p, err := port.Free()
	s.must(err)
	return p
}

func (c *cluster) start(m *member) {
	c.s.Helper()
	m.process = conform.Command(c.s.TB, "nats", "--config", m.file, "--name", m.name)
	c.s.must(m.process.Start())
}

func (m *member) kill() {
	if m.process != nil {
		_ = m.process.Process.Kill()
		_ = m.process.Wait()
		m.process = nil
	}
}

// leader is the server that leads the log.
func (c *cluster) leader() (leads *member) {
	c.s.Helper()
	c.s.await("the log has a leader", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		stream, err := c.stream.Stream(ctx, "bourse")
		if err != nil || stream.CachedInfo().Cluster == nil {
			return false
		}
		i := slices.IndexFunc(c.servers, func(m *member) bool { return m.name == stream.CachedInfo().Cluster.Leader })
		if i >= 0 {
			leads = c.servers[i]
		}
		return i >= 0
	})
	return leads
}

// written is how long it takes until a node acknowledges an order.
func (c *cluster) written(v *conform.Venue) time.Duration {
	c.s.Helper()
	began, trader, said := time.Now(), c.s.client(v, trader(traders-1)), ""
	c.s.await("a node takes orders", func() bool {
		c.s.sent.Add(1)
		_, err := trader.limit(attacked, "buy", "1", "1", "")
		said = fmt.Sprint(err)
		return err == nil
	}, &said)
	return since(began)
}

// agree holds all nodes to what was acknowledged, and to one state, which their snapshots show.
func (c *cluster) agree(l *load) {
	c.s.Helper()
	l.finish()
	for _, v := range c.nodes {
		c.written(v) // what a node answers to it, it knows
		l.check(v)
	}
	for _, v := range c.nodes {
		v.Stop()
	}
	c.s.await("all nodes have written a snapshot of one batch", func() bool {
		states := map[string]int{}
		for _, v := range c.nodes {
			all := names(c.s, v)
			last := all[len(all)-1].Name()
			text, err := os.ReadFile(filepath.Join(v.Data(), "snapshots", last))
			c.s.must(err)
			states[last+string(text)]++
		}
		if len(states) == 1 {
			return true
		}
		batches := map[string]bool{}
		for state := range states {
			name, _, _ := strings.Cut(state, ".state")
			batches[name] = true
		}
		if len(batches) == 1 {
			c.s.Fatalf("the nodes have %d states of one batch", len(states))
		}
		// One of them wrote a last tick: all read it when they are started again.
		for _, v := range c.nodes {
			v.Restart()
			c.s.ready(v)
		}
		for _, v := range c.nodes {
			v.Stop()
		}
		return false
	})
}

func killedLeader(s *Siege) {
	c, l := s.cluster(), s.newLoad(hands)
	l.faulty = true
	var longest time.Duration
	for range s.size(1, 5) {
		l.begin(c.nodes...)
		l.until(s.size(200, 2000))
		m := c.leader()
		m.kill()
		longest = max(longest, c.written(c.nodes[0]))
		l.finish()
		c.start(m)
		for _, v := range c.nodes {
			c.written(v)
		}
	}
	// A node dies as well, and comes back.
	l.begin(c.nodes...)
	l.until(100)
	c.nodes[2].Kill()
	l.until(100)
	l.finish()
	c.nodes[2].Restart()
	c.agree(l)
	s.note("%d acknowledged; writes were back %v after the death of a leader at the latest", l.acks.Load(), longest)
}

func cutMember(s *Siege) {
	c, l := s.cluster(), s.newLoad(hands)
	l.faulty = true
	l.begin(c.nodes...)
	l.until(s.size(100, 2000))
	// Not the leader: the others go on without it.
	leads := c.leader()
	follows := c.servers[slices.IndexFunc(c.servers, func(m *member) bool { return m != leads })]
	s.must(follows.process.Process.Signal(syscall.SIGSTOP))
	l.until(s.size(100, 2000))
	s.must(follows.process.Process.Signal(syscall.SIGCONT))
	// The leader, which others must replace.
	s.must(leads.process.Process.Signal(syscall.SIGSTOP))
	away := c.written(c.nodes[1])
	s.must(leads.process.Process.Signal(syscall.SIGCONT))
	l.finish()
	l.begin(c.nodes...)
	// A node: the others are not held up by it.
	c.nodes[2].Signal(syscall.SIGSTOP)
	l.until(s.size(100, 2000))
	c.nodes[2].Signal(syscall.SIGCONT)
	l.until(s.size(100, 2000))
	c.agree(l)
	s.note("%d acknowledged; writes were back %v after a leader stood still", l.acks.Load(), away)
}
