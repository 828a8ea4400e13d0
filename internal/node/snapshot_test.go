package node

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/core"
	"bourse/internal/journal"
)

// TestSnapshotIsBuiltBesideTheWork: while a snapshot is being made the exchange takes and answers
// commands, and the snapshot is of the place where it was asked for.
func TestSnapshotIsBuiltBesideTheWork(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir, func(o *Options) { o.SnapshotCommands = 10 })
	building, goOn := make(chan struct{}), make(chan struct{})
	n.builder.restore = func(state []byte) (*core.Machine, error) {
		building <- struct{}{}
		<-goOn
		return core.Restore(state)
	}
	for i := range 10 {
		submit(t, n, account(fmt.Sprint("trader", i)))
	}
	at := stand{n.Mark(), hash(n)}
	<-building
	for i := range 5 {
		submit(t, n, account(fmt.Sprint("later", i)))
	}
	n.builder.restore = core.Restore
	close(goOn)
	await(t, "the snapshot is there", func() bool { return n.builder.saved.Load() == 10 })
	s, err := n.dir.LoadSnapshot(10)
	if err != nil {
		t.Fatal(err)
	}
	m, err := core.Restore(s.State)
	if err != nil || s.Mark != at.mark || m.Hash() != at.hash {
		t.Errorf("the snapshot is of batch %d with state %x: %v", s.Mark.Seq, m.Hash(), err)
	}
	mustClose(t, n)
	// The one at the end is of the end.
	n = open(t, dir)
	defer n.Close()
	if n.replayed != 0 || n.Mark().Seq != 15 {
		t.Errorf("%d batches were replayed up to %d", n.replayed, n.Mark().Seq)
	}
}

// TestSnapshotThatCannotBeRestoredIsNotKept: it is said, counted and gone; older ones stay, the
// exchange goes on, and the next good one ends the matter.
func TestSnapshotThatCannotBeRestoredIsNotKept(t *testing.T) {
	dir := t.TempDir()
	var text safeText
	figures := prometheus.NewRegistry()
	n := open(t, dir, func(o *Options) {
		o.SnapshotCommands, o.Log, o.Metrics = 10, slog.New(slog.NewTextHandler(&text, nil)), figures
	})
	var broken atomic.Bool
	n.builder.restore = func(state []byte) (*core.Machine, error) {
		if broken.Load() {
			return nil, errors.New("an order is too large")
		}
		return core.Restore(state)
	}
	ten := func(name string) {
		for i := range 10 {
			submit(t, n, account(fmt.Sprint(name, i)))
		}
	}
	ten("first")
	await(t, "the first snapshot is there", func() bool { return n.builder.saved.Load() == 10 })
	broken.Store(true)
	ten("second")
	await(t, "the failure is known", func() bool { return n.SnapshotProblem() != nil })
	if err := n.SnapshotProblem(); !errors.Is(err, journal.ErrSnapshot) || !strings.Contains(err.Error(), "batch 20: ") || !strings.Contains(err.Error(), "an order is too large") {
		t.Errorf("the problem is %v", err)
	}
	if all, err := n.dir.Snapshots(); err != nil || !slices.Equal(all, []uint64{10}) {
		t.Errorf("%v are left, %v", all, err)
	}
	if got := figure(t, figures, "bourse_snapshot_failures_total"); got != 1 {
		t.Errorf("%v failures are counted", got)
	}
	if !strings.Contains(text.String(), "level=ERROR msg=\"there is no new snapshot") {
		t.Errorf("the log says\n%s", text.String())
	}
	broken.Store(false)
	ten("third")
	await(t, "the next snapshot is there", func() bool { return n.builder.saved.Load() == 30 })
	if err := n.SnapshotProblem(); err != nil {
		t.Errorf("the problem is still %v", err)
	}
	mustClose(t, n)
}

// figure is the value of a counter.
func figure(t *testing.T, r *prometheus.Registry, name string) float64 {
	t.Helper()
	all, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range all {
		if family.GetName() == name {
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("there is no figure %s", name)
	return 0
}
