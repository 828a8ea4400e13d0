package node

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/replay"
	"bourse/internal/schema"
)

// join starts a node on servers that run elsewhere.
func join(t *testing.T, s *servers, dir string, change ...func(*Options)) *Node {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o := Options{Journal: journal.Options{Dir: dir, URL: s.url(), Replicas: len(s.options)}, CompareBatches: 50}
	for _, c := range change {
		c(&o)
	}
	n, err := Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.abort(nil); _ = n.Close() })
	return n
}

// load is callers who open accounts with names of their own, at any node, and remember what they
// were told.
type load struct {
	nodes   []atomic.Pointer[Node]
	stop    atomic.Bool
	callers sync.WaitGroup

	mu      sync.Mutex
	done    map[string]uint64 // acknowledged, with the account
	unknown map[string]bool
}

func startLoad(nodes []*Node) *load {
	l := &load{nodes: make([]atomic.Pointer[Node], len(nodes)), done: map[string]uint64{}, unknown: map[string]bool{}}
	for i, n := range nodes {
		l.nodes[i].Store(n)
	}
	for caller := range 6 {
		l.callers.Go(func() {
			for i := 0; !l.stop.Load(); i++ {
				l.call(caller, fmt.Sprintf("caller%d-%d", caller, i))
			}
		})
	}
	return l
}

// call asks one node after the other as long as nothing was done.
func (l *load) call(caller int, name string) {
	for try := caller; !l.stop.Load(); try++ {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		var r schema.Result
		err := l.nodes[try%len(l.nodes)].Load().Submit(ctx, account(name), &r)
		cancel()
		l.mu.Lock()
		switch {
		case err == nil:
			l.done[name] = r.ID
		case errors.Is(err, ErrUnknown):
			l.unknown[name] = true
		}
		l.mu.Unlock()
		if err == nil || errors.Is(err, ErrUnknown) {
			return
		}
	}
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.done)
}

// more waits until so many more commands were acknowledged.
func (l *load) more(t *testing.T, commands int, during string) {
	t.Helper()
	enough := l.count() + commands
	await(t, "commands are acknowledged "+during, func() bool { return l.count() >= enough })
}

// TestNodeWaitsForServers: a node that comes while a cluster is not complete waits until its log can be made.
func TestNodeWaitsForServers(t *testing.T) {
	t.Parallel()
	s := startServers(t, 3)
	s.stop(2)
	type opened struct {
		node *Node
		err  error
	}
	done := make(chan opened, 1)
	o := Options{Journal: journal.Options{Dir: t.TempDir(), URL: s.url(), Replicas: 3}}
	go func() {
		n, err := Open(t.Context(), o)
		done <- opened{n, err}
	}()
	s.start(2)
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	if err := got.node.Close(); err != nil {
		t.Error(err)
	}
}

func TestClusterSurvivesNodesAndServers(t *testing.T) {
	t.Parallel() // most of it is waiting for elections
	s := startServers(t, 3)
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	var nodes []*Node
	for _, dir := range dirs {
		nodes = append(nodes, join(t, s, dir))
	}
	l := startLoad(nodes)
	defer func() { l.stop.Store(true); l.callers.Wait() }()
	l.more(t, 200, "in peace")

	nodes[0].abort(errors.New("killed by the test"))
	if err := nodes[0].Close(); err == nil {
		t.Error("a node that was killed says nothing")
	}
	l.more(t, 200, "while a node is away")
	nodes[0] = join(t, s, dirs[0])
	l.nodes[0].Store(nodes[0])
	l.more(t, 200, "after it came back")

	leader := s.leader()
	s.stop(leader)
	l.more(t, 200, "while the leading server is away")
	s.start(leader)
	s.ready()
	l.more(t, 200, "after it came back")

	leader = s.leader()
	s.cut(leader, true)
	l.more(t, 200, "while the leading server is cut off")
	s.cut(leader, false)
	s.ready()
	l.more(t, 200, "after it was joined again")

	l.stop.Store(true)
	l.callers.Wait()
	converge(t, nodes)
	l.check(t, nodes[0])
	for _, n := range nodes {
		mustClose(t, n)
	}
}

// stand is a place of the log and the state there, seen at one moment.
type stand struct {
	mark journal.Mark
	hash [32]byte
}

func standOf(n *Node) stand {
	n.state.RLock()
	defer n.state.RUnlock()
	return stand{n.seq.mark, n.seq.machine.Hash()}
}

// converge waits until all nodes stand at the same place, and compares their states. A batch whose
// callers went away may still be on its way, so place and state of a node are taken together.
func converge(t *testing.T, nodes []*Node) {
	t.Helper()
	stands := make([]stand, len(nodes))
	await(t, "all nodes stand at the end of the log", func() bool {
		last, err := nodes[0].log.Last(t.Context())
		for i, n := range nodes {
			stands[i] = standOf(n)
			if err != nil || stands[i].mark.Seq != last {
				return false
			}
		}
		return true
	})
	for i := range stands[1:] {
		if stands[i+1] != stands[0] {
			t.Errorf("node %d stands at %x with state %x, the first at %x with state %x",
				i+1, stands[i+1].mark, stands[i+1].hash, stands[0].mark, stands[0].hash)
		}
	}
}

// check holds what callers were told against the log.
func (l *load) check(t *testing.T, n *Node) {
	t.Helper()
	times := map[string]int{}
	err := n.log.Read(t.Context(), 0, n.Mark().Seq, func(b *journal.Batch) error {
		commands, err := replay.Decode(b)
		for _, c := range commands {
			times[name(c.Command)]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]uint64{}
	n.Read(func(m core.View) {
		for _, a := range m.Accounts().All() {
			ids[a.Name] = uint64(a.ID)
		}
	})
	for name, id := range l.done {
		if times[name] != 1 || ids[name] != id {
			t.Errorf("%s was acknowledged as account %d; it is in the log %d times, as account %d", name, id, times[name], ids[name])
		}
	}
	for name, n := range times {
		if _, done := l.done[name]; n > 1 || (!done && !l.unknown[name]) {
			t.Errorf("%s is in the log %d times, and nobody was told", name, n)
		}
	}
	t.Logf("%d acknowledged, %d unknown, %d batches", len(l.done), len(l.unknown), n.Mark().Seq)
}

// Whoever reads the log goes on when its servers come back.
func TestReadersOutliveServers(t *testing.T) {
	t.Parallel() // most of it is waiting for elections
	s := startServers(t, 3)
	n := join(t, s, t.TempDir())
	for i := range 20 {
		submit(t, n, account(fmt.Sprint("trader", i)))
	}
	last := n.Mark().Seq
	s.stopAll()
	await(t, "the servers are away", func() bool { _, err := n.log.Last(t.Context()); return err != nil })
	var seen []uint64
	read := make(chan error, 1)
	go func() {
		read <- n.log.Read(t.Context(), 5, last, func(b *journal.Batch) error {
			seen = append(seen, b.Seq)
			return nil
		})
	}()
	for i := range 3 {
		s.start(i)
	}
	s.ready()
	if err := <-read; err != nil {
		t.Fatal(err)
	}
	for i, seq := range seen {
		if seq != uint64(i)+6 {
			t.Fatalf("read %d", seen)
		}
	}
	if len(seen) != int(last)-5 {
		t.Errorf("read %d of %d", len(seen), last-5)
	}
}

func TestNodeWithAnotherStateStops(t *testing.T) {
	s := startServers(t, 1)
	var nodes []*Node
	for i := range 3 {
		nodes = append(nodes, join(t, s, t.TempDir(), func(o *Options) { o.CompareBatches, o.Name = 5, fmt.Sprint("node", i) }))
	}
	submit(t, nodes[0], account("alice"))
	converge(t, nodes)
	wrong := nodes[2]
	wrong.state.Lock()
	wrong.seq.machine.Apply(1, account("ghost"))
	ghost := journal.Snapshot{Mark: wrong.seq.mark, State: wrong.seq.machine.Snapshot()}
	wrong.state.Unlock()
	if err := wrong.shared.SaveSnapshot(t.Context(), &ghost); err != nil {
		t.Fatal(err)
	}
	// The hash that is compared is that of the state built from the node's own newest snapshot.
	if err := wrong.dir.SaveSnapshot(&ghost, func(*journal.Snapshot) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		submit(t, nodes[0], account(fmt.Sprint("trader", i)))
	}
	select {
	case <-wrong.Done():
	case <-time.After(time.Minute):
		t.Fatal("the node with another state goes on")
	}
	var r schema.Result
	err := wrong.Submit(t.Context(), account("late"), &r)
	if !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "after batch 5 it differs") {
		t.Errorf("got %v", err)
	}
	await(t, "the snapshot with the ghost is taken back", func() bool {
		all, err := nodes[0].shared.Snapshots(t.Context())
		return err == nil && len(all) == 0
	})
	for range 10 { // past another comparison
		submit(t, nodes[1], &schema.Tick{})
	}
	converge(t, nodes[:2])
}

func TestEmptyDirectoryJoinsFromSharedSnapshot(t *testing.T) {
	s := startServers(t, 1)
	first := join(t, s, t.TempDir(), func(o *Options) { o.SnapshotCommands = 40 })
	for i := range 210 {
		submit(t, first, account(fmt.Sprint("trader", i)))
	}
	const newest = 160 // or later: there is one every 40 commands
	await(t, "the newest snapshot is shared", func() bool {
		all, err := first.shared.Snapshots(t.Context())
		return err == nil && len(all) > 0 && all[len(all)-1] >= newest
	})
	submit(t, first, account("the last one"))
	last := first.Mark().Seq
	damage(t, s, last)
	second := join(t, s, t.TempDir())
	if second.replayed == 0 || second.replayed > last-newest {
		t.Errorf("%d of %d batches were replayed", second.replayed, last)
	}
	converge(t, []*Node{first, second})
}

// damage puts something that is no snapshot where one of a batch would be.
func damage(t *testing.T, s *servers, seq uint64) {
	t.Helper()
	conn, err := nats.Connect(s.url())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	store, err := js.ObjectStore(t.Context(), "bourse-snapshots")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.PutBytes(t.Context(), fmt.Sprintf("%020d.state", seq), []byte("bourse state 1\nnot whole")); err != nil {
		t.Fatal(err)
	}
}

func TestCallersAreNotKeptWhenTheServerIsGone(t *testing.T) {
	s := startServers(t, 1)
	n := join(t, s, t.TempDir())
	submit(t, n, account("alice"))
	s.stop(0)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var r schema.Result
	if err := n.Submit(ctx, account("bob"), &r); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v", err)
	}
	s.start(0)
	submit(t, n, account("carol"))
	l := load{done: map[string]uint64{"alice": 100}, unknown: map[string]bool{"bob": true}}
	n.Read(func(m core.View) {
		for _, a := range m.Accounts().All() {
			l.done[a.Name] = uint64(a.ID)
		}
	})
	l.check(t, n)
	mustClose(t, n)
}

func TestBatchesFitTheServer(t *testing.T) {
	s := startServers(t, 1) // takes messages of up to a megabyte
	n := join(t, s, t.TempDir())
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			var r schema.Result
			if err := n.Submit(context.Background(), account(strings.Repeat("x", 400_000)), &r); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	var r schema.Result
	if err := n.Submit(t.Context(), account(strings.Repeat("x", 1<<20)), &r); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	submit(t, n, account("alice"))
	mustClose(t, n)
}

func TestJury(t *testing.T) {
	node := func(b byte) journal.ID { return journal.ID{b} }
	report := func(seq uint64, who, hash byte) *journal.Report {
		return &journal.Report{Seq: seq, Node: node(who), Name: fmt.Sprint("node", who), Hash: journal.Hash{hash}}
	}
	for _, c := range []struct {
		what  string
		heard []*journal.Report
		stops bool
	}{
		{"all agree", []*journal.Report{report(5, 1, 7), report(5, 2, 7), report(5, 3, 7)}, false},
		{"another is wrong", []*journal.Report{report(5, 1, 7), report(5, 2, 8), report(5, 3, 7)}, false},
		{"this one is wrong", []*journal.Report{report(5, 1, 7), report(5, 2, 8), report(5, 3, 8)}, true},
		{"this one speaks last", []*journal.Report{report(5, 2, 8), report(5, 3, 8), report(5, 1, 7)}, true},
		{"a tie may be settled by a third", []*journal.Report{report(5, 1, 7), report(5, 2, 8)}, false},
		{"a tie that lasts", []*journal.Report{report(5, 1, 7), report(5, 2, 8), report(10, 1, 7), report(10, 2, 8)}, true},
		{"silence is no vote", []*journal.Report{report(5, 2, 8), report(5, 3, 8)}, false},
		{"places are apart", []*journal.Report{report(5, 1, 7), report(10, 2, 8), report(15, 3, 8)}, false},
	} {
		j := jury{me: node(1)}
		var err error
		for _, r := range c.heard {
			err = errors.Join(err, j.hear(r))
		}
		if errors.Is(err, ErrDiffers) != c.stops {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
