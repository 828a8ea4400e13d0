package node

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/schema"
)

// allergic makes the core panic at accounts of a name, in the middle of its work for all that is
// known.
func allergic(name string) func(*Options) {
	return func(o *Options) {
		o.before = func(c schema.Command) {
			if a, ok := c.(*schema.SetAccount); ok && a.Account.Name == name {
				panic("an account named " + name)
			}
		}
	}
}

func names(n *Node) (list []string) {
	n.Read(func(m core.View) {
		for _, a := range m.Accounts().All() {
			list = append(list, a.Name)
		}
	})
	return list
}

// TestPanicOfTheCoreIsContained: the node stops, names the command and acknowledges nothing; it says
// the same when it is started again, until somebody passes over that command, and only that one.
func TestPanicOfTheCoreIsContained(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	n := open(t, dir, allergic("mallory"), func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&text, nil)) })
	submit(t, n, account("alice"))
	var pending []Pending
	// They travel together: nothing of the loop runs while the queue is locked.
	n.queue.Lock()
	for _, name := range []string{"bob", "mallory", "carol"} {
		w := tickets.Get().(*ticket)
		w.command, w.origin = account(name), schema.Origin{}
		n.queue.tickets = append(n.queue.tickets, w)
		pending = append(pending, Pending{w})
	}
	n.poke()
	n.queue.Unlock()
	for i, p := range pending {
		var r schema.Result
		if err := p.Wait(t.Context(), &r); !errors.Is(err, ErrUnknown) || !errors.Is(err, journal.ErrStuck) {
			t.Errorf("caller %d hears %v", i, err)
		}
	}
	const place = "command 2 of batch 2 (SetAccount): an account named mallory"
	if err := n.Close(); !errors.Is(err, journal.ErrStuck) || !strings.Contains(err.Error(), place) {
		t.Errorf("the node ends with %v", err)
	}
	if !strings.Contains(text.String(), place) || !strings.Contains(text.String(), "stack=") {
		t.Errorf("the log says\n%s", text.String())
	}
	o := Options{Journal: journal.Options{Dir: dir}}
	allergic("mallory")(&o)
	for range 2 {
		if _, err := Open(t.Context(), o); !errors.Is(err, journal.ErrStuck) || !strings.Contains(err.Error(), place) {
			t.Fatalf("started again: %v", err)
		}
	}
	if _, err := Pass(t.Context(), o, 2, 1, "no"); err == nil || !strings.Contains(err.Error(), "the core panics at command 2 of batch 2") {
		t.Errorf("another command: %v", err)
	}
	p, err := Pass(t.Context(), o, 2, 2, "nobody may be called so")
	if err != nil || p.Kind != "SetAccount" || p.Reason != "nobody may be called so" {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := Pass(t.Context(), o, 2, 2, "again"); err == nil || !strings.Contains(err.Error(), "nothing to pass over") {
		t.Errorf("a second time: %v", err)
	}
	for range 2 { // from the log, then from a snapshot
		n = open(t, dir, allergic("mallory"))
		if got := fmt.Sprint(names(n)); got != "[alice bob carol]" {
			t.Errorf("there are %s", got)
		}
		mustClose(t, n)
	}
	// The decision is about this log and no other.
	other := t.TempDir()
	n = open(t, other)
	for _, name := range []string{"x", "y"} {
		submit(t, n, account(name))
	}
	mustClose(t, n)
	remove(t, snapshotFile(other, 2))
	d, err := journal.OpenDir(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.AddPass(p), d.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Journal: journal.Options{Dir: other}}); err == nil || !strings.Contains(err.Error(), "about another log") {
		t.Errorf("in another directory: %v", err)
	}
}
