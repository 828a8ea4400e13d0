package node

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"bourse/internal/journal"
	"bourse/internal/schema"
)

// crowd are names of accounts for one batch and one command more.
func crowd() (names []string) {
	for i := range maxBatch + 1 {
		names = append(names, fmt.Sprint("trader", i))
	}
	return names
}

// whenApplied calls something before the first command of the crowd happens.
func whenApplied(do func()) func(*Options) {
	return func(o *Options) {
		o.before = func(c schema.Command) {
			if a, ok := c.(*schema.SetAccount); ok && a.Account.Name == "trader0" {
				do()
			}
		}
	}
}

// ends waits until the log ends at a batch.
func ends(t *testing.T, n *Node, at uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for last := uint64(0); last != at; {
		var err error
		if last, err = n.log.Last(ctx); err != nil {
			t.Errorf("the log ends at batch %d, not at %d: %v", last, at, err)
			return
		}
	}
}

// TestNextBatchIsStoredBeforeThisOneIsApplied: the disk works while the core does. Everything happens once and in order.
func TestNextBatchIsStoredBeforeThisOneIsApplied(t *testing.T) {
	dir := t.TempDir()
	var n *Node
	stored := make(chan struct{})
	n = open(t, dir, whenApplied(func() {
		ends(t, n, 2)
		close(stored)
	}))
	all := crowd()
	for i, p := range together(n, all...) {
		var r schema.Result
		if err := p.Wait(t.Context(), &r); err != nil || r.ID != uint64(schema.FirstCustomer)+uint64(i) {
			t.Fatalf("%s: %d %v", all[i], r.ID, err)
		}
	}
	<-stored
	want := hash(n)
	mustClose(t, n)
	n = open(t, dir)
	defer mustClose(t, n)
	if hash(n) != want || n.Mark().Seq != 2 {
		t.Errorf("another state after a restart, at batch %d", n.Mark().Seq)
	}
}

// TestBatchSentAheadIsNotLostWhenTheCorePanics: its callers learn that it is not known what became of it, and it happens
// at the next start.
func TestBatchSentAheadIsNotLostWhenTheCorePanics(t *testing.T) {
	dir := t.TempDir()
	var n *Node
	n = open(t, dir, whenApplied(func() {
		ends(t, n, 2)
		panic("the core fails")
	}))
	all := crowd()
	for i, p := range together(n, all...) {
		var r schema.Result
		if err := p.Wait(t.Context(), &r); !errors.Is(err, ErrUnknown) || errors.Is(err, ErrStopped) {
			t.Fatalf("%s hears %v", all[i], err)
		}
	}
	if err := n.Close(); !errors.Is(err, journal.ErrStuck) {
		t.Errorf("the node ends with %v", err)
	}
	n = open(t, dir)
	defer mustClose(t, n)
	if got := names(n); len(got) != len(all) || got[0] != all[0] || got[len(got)-1] != all[len(all)-1] {
		t.Errorf("%d accounts of %d", len(got), len(all))
	}
}
