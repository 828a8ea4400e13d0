package node

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// TestANonceIsUsedUpForEver restarts from the snapshot, and from the log alone.
func TestANonceIsUsedUpForEver(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir)
	id := schema.AccountID(submit(t, n, account("alice")).ID)
	submit(t, n, &schema.SetKey{Key: schema.Key{Key: "k", Account: id, Sealed: []byte("sealed"), Enabled: true}})
	from := schema.Origin{Key: 1, Nonce: 42}
	use := func() schema.Reason {
		var r schema.Result
		if err := n.SubmitFrom(t.Context(), from, &schema.CancelAll{Account: id}, &r); err != nil {
			t.Fatal(err)
		}
		return r.Rejection.Reason
	}
	if got := use(); got != schema.OK {
		t.Fatalf("the first use: %v", got)
	}
	if got := use(); got != schema.NonceUsed {
		t.Errorf("the second use: %v", got)
	}
	mustClose(t, n)
	n = open(t, dir)
	if got := use(); got != schema.NonceUsed {
		t.Errorf("after a restart from the snapshot: %v", got)
	}
	mustClose(t, n)
	all, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil || len(all) == 0 {
		t.Fatal("there is no snapshot to remove")
	}
	for _, path := range all {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	n = open(t, dir)
	if got := use(); got != schema.NonceUsed {
		t.Errorf("after a restart from the log: %v", got)
	}
	mustClose(t, n)
}

// TestWatchersKnowBeforeTheCaller opens accounts from many goroutines, each of which looks for its
// own right after it was told.
func TestWatchersKnowBeforeTheCaller(t *testing.T) {
	n := open(t, t.TempDir())
	submit(t, n, account("first"))
	var mu sync.Mutex
	known := map[string]bool{}
	n.Watch(func(m core.View) {
		for _, a := range m.Accounts().All() {
			known[a.Name] = true
		}
	}, func(e schema.Setting) {
		mu.Lock()
		defer mu.Unlock()
		known[e.(*schema.AccountChanged).Account.Name] = true
	})
	if !known["first"] {
		t.Error("what was there before is not known")
	}
	var wait sync.WaitGroup
	for i := range 200 {
		wait.Go(func() {
			name := fmt.Sprint("trader", i)
			submit(t, n, account(name))
			mu.Lock()
			defer mu.Unlock()
			if !known[name] {
				t.Errorf("%s was told before the watcher", name)
			}
		})
	}
	wait.Wait()
	mustClose(t, n)
}

// TestAppliedNeverLagsBehindAnAnswer reads up to what is applied when an answer has come, and
// finds what the answer was about.
func TestAppliedNeverLagsBehindAnAnswer(t *testing.T) {
	n := open(t, t.TempDir())
	reader := n.Reader(0)
	for i := range 100 {
		id := schema.AccountID(submit(t, n, account(fmt.Sprint("trader", i))).ID)
		applied, found := n.Applied(), false
		for reader.at < applied {
			step, err := reader.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for h := range step.Commands {
				for _, e := range step.Events(&step.Commands[h]) {
					found = found || e.(*schema.AccountChanged).Account.ID == id
				}
			}
			if step.Seq > applied {
				t.Fatalf("step %d was there before it was applied (%d)", step.Seq, applied)
			}
		}
		if !found {
			t.Fatalf("account %d was acknowledged, and readers cannot see it", id)
		}
	}
	mustClose(t, n)
}
