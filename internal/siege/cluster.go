package siege

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"bourse/internal/conform"
)

var clusters = []Attack{
	{"cluster.leader", "three servers, three nodes, the leader killed under orders: all that was acknowledged is on every node once, in one state", killedLeader},
	{"cluster.cut", "one server, then one node, stands still and comes back: nothing is lost, and all agree", cutMember},
}

// members is how many NATS servers there are, and how many nodes.
const members = 3

// member is a NATS server: a process of its own, which is this program with a variable.
type member struct {
	Name        string
	Port, Peers int // where clients and where other servers come
	Routes      []string
	Dir         string
	process     *exec.Cmd
}

// serverVariable is what makes this program a server, and says which.
const serverVariable = "BOURSE_SIEGE_SERVER"

// Server runs the NATS server that the variable of this process describes, until somebody ends it; for
// TestMain.
func Server() {
	var m member
	if err := json.Unmarshal([]byte(os.Getenv(serverVariable)), &m); err != nil {
		panic(err)
	}
	o := &server.Options{
		ServerName: m.Name, Host: "127.0.0.1", Port: m.Port, NoLog: true, NoSigs: true, JetStream: true, StoreDir: m.Dir, SyncAlways: true,
		MaxPayload: 8 << 20, Cluster: server.ClusterOpts{Name: "siege", Host: "127.0.0.1", Port: m.Peers},
	}
	for _, r := range m.Routes {
		route, err := url.Parse(r)
		if err != nil {
			panic(err)
		}
		o.Routes = append(o.Routes, route)
	}
	s, err := server.NewServer(o)
	if err != nil {
		panic(err)
	}
	s.Start()
	s.WaitForShutdown()
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
		m := &member{Name: fmt.Sprint("server", i), Port: s.freePort(), Peers: s.freePort(), Dir: s.TempDir()}
		c.servers = append(c.servers, m)
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", m.Peers))
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", m.Port))
	}
	for _, m := range c.servers {
		m.Routes = routes
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (c *cluster) start(m *member) {
	c.s.Helper()
	text, err := json.Marshal(m)
	c.s.must(err)
	program, err := os.Executable()
	c.s.must(err)
	m.process = exec.Command(program)
	m.process.Env = append(os.Environ(), serverVariable+"="+string(text))
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
		i := slices.IndexFunc(c.servers, func(m *member) bool { return m.Name == stream.CachedInfo().Cluster.Leader })
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
