package node

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/journal"
	"bourse/internal/schema"
)

// TestNodesThatWriteAtOnceTakeTurns: of two nodes with the same load, one at the server that leads the
// stream and one at another, which would lose nearly every race, none gets more than twice what the
// other gets.
func TestNodesThatWriteAtOnceTakeTurns(t *testing.T) {
	const enough = 2000
	s := startServers(t, 3)
	mustClose(t, join(t, s, t.TempDir())) // makes the stream
	leader := s.leader()
	at := func(i int) func(*Options) {
		return func(o *Options) { o.Journal.URL = fmt.Sprintf("nats://127.0.0.1:%d", s.options[i%3].Port) }
	}
	nodes := []*Node{join(t, s, t.TempDir(), at(leader)), join(t, s, t.TempDir(), at(leader+1))}
	var done [2]atomic.Int64
	var longest [2]atomic.Int64 // between two answers
	var callers sync.WaitGroup
	for i, n := range nodes {
		var last atomic.Int64
		last.Store(time.Now().UnixNano())
		for caller := range 4 {
			callers.Go(func() {
				for k := 0; done[0].Load()+done[1].Load() < enough; k++ {
					var r schema.Result
					if err := n.Submit(context.Background(), account(fmt.Sprintf("n%d-%d-%d", i, caller, k)), &r); err != nil {
						t.Error(err)
						return
					}
					done[i].Add(1)
					now := time.Now().UnixNano()
					if gap := now - last.Swap(now); gap > longest[i].Load() {
						longest[i].Store(gap)
					}
				}
			})
		}
	}
	callers.Wait()
	a, b := done[0].Load(), done[1].Load()
	t.Logf("%d and %d acknowledged, longest gaps %v and %v", a, b, time.Duration(longest[0].Load()), time.Duration(longest[1].Load()))
	if min(a, b)*2 < max(a, b) {
		t.Errorf("%d acknowledged at one node and %d at the other", a, b)
	}
}

func TestTurnsForgetWhatIsOver(t *testing.T) {
	var q turns
	mine, theirs, late := journal.ID{1}, journal.ID{2}, journal.ID{3}
	q.over(mine) // ours
	q.ask(mine)
	if q.any() {
		t.Error("a node gives way to itself")
	}
	q.ask(theirs)
	q.ask(theirs)
	if !q.any() {
		t.Error("nobody waits")
	}
	q.over(theirs)
	q.over(late)
	q.ask(late) // the news came after the batch
	if q.any() {
		t.Error("somebody waits whose batch was met")
	}
	for i := range 3 * turnsKept {
		q.ask(journal.ID{9, byte(i)})
		q.over(journal.ID{8, byte(i)})
	}
	if len(q.waiting) != turnsKept || len(q.past) != turnsKept {
		t.Errorf("%d wait and %d are remembered", len(q.waiting), len(q.past))
	}
	q.giveUp()
	if q.any() {
		t.Error("somebody still waits")
	}
}
