package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/disk"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// open starts a node on a data directory and stops it with the test.
func open(t *testing.T, dir string, change ...func(*Options)) *Node {
	t.Helper()
	o := Options{Journal: journal.Options{Dir: dir}}
	for _, c := range change {
		c(&o)
	}
	n, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mustClose(t *testing.T, n *Node) {
	t.Helper()
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
}

func submit(t *testing.T, n *Node, c schema.Command) schema.Result {
	t.Helper()
	var r schema.Result
	if err := n.Submit(t.Context(), c, &r); err != nil {
		t.Fatalf("%T: %v", c, err)
	}
	return r
}

func hash(n *Node) (h [32]byte) {
	n.Read(func(m core.View) { h = m.Hash() })
	return h
}

// account opens an account with a name.
func account(name string) schema.Command {
	return &schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}}
}

func TestWhatWasAcknowledgedIsThereAfterARestart(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir)
	submit(t, n, &schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}})
	id := schema.AccountID(submit(t, n, account("alice")).ID)
	submit(t, n, &schema.Deposit{Account: id, Asset: 1, Amount: fixed.FromInt(5)})
	want := hash(n)
	mustClose(t, n)

	n = open(t, dir)
	if hash(n) != want {
		t.Error("the state is another one after a restart from the snapshot")
	}
	submit(t, n, &schema.Deposit{Account: id, Asset: 1, Amount: fixed.FromInt(2)})
	n.Read(func(m core.View) {
		if have, _, _ := m.Balance(id, schema.Main, 1); have != fixed.FromInt(7) {
			t.Errorf("alice has %s", have)
		}
	})
	mustClose(t, n)
}

func TestManyCallersAtOnce(t *testing.T) {
	n := open(t, t.TempDir())
	var wait sync.WaitGroup
	ids := make([]uint64, 2000)
	for i := range ids {
		wait.Go(func() {
			var r schema.Result
			if err := n.Submit(context.Background(), account(fmt.Sprint("trader", i)), &r); err != nil {
				t.Error(err)
			}
			ids[i] = r.ID
		})
	}
	wait.Wait()
	seen := map[uint64]bool{}
	for _, id := range ids {
		if id == 0 || seen[id] {
			t.Fatalf("account %d was given twice or not at all", id)
		}
		seen[id] = true
	}
	if batches := n.Mark().Seq; batches >= 2000 {
		t.Errorf("%d batches: commands that wait do not travel together", batches)
	}
	mustClose(t, n)
}

func TestBusyIsSaidWhenTheQueueIsFull(t *testing.T) {
	n := open(t, t.TempDir(), func(o *Options) { o.Queue = 1 })
	var wait sync.WaitGroup
	var busy, done int
	var mu sync.Mutex
	for i := range 500 {
		wait.Go(func() {
			var r schema.Result
			err := n.Submit(context.Background(), account(fmt.Sprint("trader", i)), &r)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				done++
			case errors.Is(err, ErrBusy):
				busy++
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	n.Read(func(m core.View) {
		if len(m.Accounts().All()) != done || done+busy != 500 {
			t.Errorf("%d accounts, %d done, %d busy", len(m.Accounts().All()), done, busy)
		}
	})
	mustClose(t, n)
}

func TestStoppedNodeTakesNothing(t *testing.T) {
	n := open(t, t.TempDir())
	mustClose(t, n)
	var r schema.Result
	if err := n.Submit(t.Context(), account("late"), &r); !errors.Is(err, ErrStopped) {
		t.Errorf("got %v", err)
	}
}

func TestDataDirectoryIsForOne(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir)
	defer n.Close()
	if _, err := Open(t.Context(), Options{Journal: journal.Options{Dir: dir}}); !errors.Is(err, journal.ErrInUse) {
		t.Errorf("got %v", err)
	}
}

func TestReaderSeesEverythingOnceInOrder(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir)
	for i := range 50 {
		submit(t, n, account(fmt.Sprint("early", i)))
	}
	mustClose(t, n)
	n = open(t, dir)
	defer n.Close()
	r := n.Reader(0)
	for i := range 50 {
		submit(t, n, account(fmt.Sprint("late", i)))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var names []string
	for seq := uint64(1); len(names) < 100; seq++ {
		step, err := r.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if step.Seq != seq {
			t.Fatalf("step %d comes where %d should be", step.Seq, seq)
		}
		for i := range step.Commands {
			for _, e := range step.Events(&step.Commands[i]) {
				names = append(names, e.(*schema.AccountChanged).Account.Name)
			}
		}
	}
	if names[0] != "early0" || names[49] != "early49" || names[50] != "late0" || names[99] != "late49" {
		t.Errorf("got %v", names)
	}
}

func TestTimeDoesNotGoBack(t *testing.T) {
	times := []schema.Time{1000, 500, 2000}
	i := 0
	n := open(t, t.TempDir(), func(o *Options) {
		o.Clock = func() schema.Time { i++; return times[min(i, len(times))-1] }
	})
	defer n.Close()
	for j, want := range []schema.Time{1000, 1000, 2000} {
		submit(t, n, account(fmt.Sprint("a", j)))
		n.Read(func(m core.View) {
			if m.Time() != want {
				t.Errorf("command %d happened at %d instead of %d", j, m.Time(), want)
			}
		})
	}
}

// TestSilentDiskIsGivenUp: an embedded journal that never answers ends the node with an error
// that says what to do, and callers are told that the outcome is not known.
func TestSilentDiskIsGivenUp(t *testing.T) {
	s := &sequencer{machine: core.New(), applied: func(*schema.Outcome) {}, stepped: func(uint64) {}, maxUnanswered: 2}
	caller := &ticket{command: account("alice"), done: make(chan error, 1)}
	s.depart([]*ticket{caller}, journal.ID{1}, 1, journal.MaxBatch)
	var err error
	tries := 0
	for next := send; err == nil; tries++ {
		if next == send {
			next, err = s.answered(journal.ErrUnknown)
		} else {
			next, err = s.looked(nil, false, nil)
		}
	}
	if !errors.Is(err, journal.ErrUnknown) || !disk.Failed(err) || !strings.Contains(err.Error(), "make room") || tries != 5 {
		t.Errorf("after %d moves: %v", tries, err)
	}
	s.abandon(ErrUnknown)
	if got := <-caller.done; !errors.Is(got, ErrUnknown) {
		t.Errorf("the caller hears %v", got)
	}
}

// TestBatchIsSentAgainBehindThoseOfOthers: when another batch stands where ours was sent to without an
// answer, ours is sent again behind it at once. A node that looked for the end of the log first would
// never write while others write all the time.
func TestBatchIsSentAgainBehindThoseOfOthers(t *testing.T) {
	fresh := func(name string, id byte) *sequencer {
		s := &sequencer{machine: core.New(), applied: func(*schema.Outcome) {}, stepped: func(uint64) {}}
		s.depart([]*ticket{{command: account(name), done: make(chan error, 1)}}, journal.ID{id}, 1, journal.MaxBatch)
		return s
	}
	ours, theirs := fresh("alice", 1), fresh("bob", 2)
	if next, err := ours.answered(journal.ErrUnknown); next != look || err != nil {
		t.Fatalf("without an answer: %v %v", next, err)
	}
	for range 3 {
		b := theirs.batch()
		if next, err := ours.looked(&b, true, nil); next != send || err != nil {
			t.Fatalf("with a batch of another in its place: %v %v", next, err)
		}
		if _, err := theirs.answered(nil); err != nil {
			t.Fatal(err)
		}
		theirs.depart([]*ticket{{command: account(fmt.Sprint("bob", theirs.mark.Seq)), done: make(chan error, 1)}}, journal.ID{2, byte(theirs.mark.Seq)}, 1, journal.MaxBatch)
	}
	if ours.flight == nil || ours.mark != theirs.mark {
		t.Errorf("in flight %v, at %v, the log at %v", ours.flight, ours.mark, theirs.mark)
	}
}

// TestSecretsStaySealedInTheState: what the log and the state hold of a secret opens with the
// key of the data directory, and an exchange without that key does not start.
func TestSecretsStaySealedInTheState(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir)
	id := schema.AccountID(submit(t, n, account("alice")).ID)
	submit(t, n, &schema.SetKey{Key: schema.Key{Key: "k1", Account: id, Sealed: n.Key().Seal([]byte("secret"), "k1"), Enabled: true}})
	mustClose(t, n)
	n = open(t, dir)
	var sealed []byte
	n.Read(func(m core.View) { sealed = m.Accounts().Key("k1").Sealed })
	if got, err := n.Key().Open(sealed, "k1"); err != nil || string(got) != "secret" {
		t.Errorf("got %q, %v", got, err)
	}
	mustClose(t, n)
	if err := os.Remove(filepath.Join(dir, "master.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Journal: journal.Options{Dir: dir}}); !errors.Is(err, seal.ErrMissing) {
		t.Errorf("without its key: %v", err)
	}
}
