package drill

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// inside runs a drill within the test.
func inside(t *testing.T, dir string, clients, commands int) (*told, string) {
	t.Helper()
	var lines, progress bytes.Buffer
	err := Run(t.Context(), Options{
		Node:    node.Options{Journal: journal.Options{Dir: dir}, SnapshotCommands: 100, TickInterval: time.Millisecond},
		Clients: clients, Commands: commands, Seed: 5, Lines: &lines, Progress: &progress,
	})
	if err != nil {
		t.Fatal(err)
	}
	run := &told{sent: map[int]int{}, acks: map[int][]string{}}
	if err := run.read(&lines, func(int) {}); err != nil {
		t.Fatal(err)
	}
	return run, progress.String()
}

func TestDrillSaysWhatItDoes(t *testing.T) {
	dir := t.TempDir()
	first, progress := inside(t, dir, 3, 300)
	if !strings.Contains(progress, "300 commands of 3 clients in ") || !strings.Contains(progress, "99 of 100 within") {
		t.Errorf("the summary is %q", progress)
	}
	// Accounts that came later are given what they lack, and the others are left as they are.
	second, _ := inside(t, dir, 5, 200)
	total := func(run *told) (n int) {
		for client := 1; client <= run.clients; client++ {
			n += len(run.acks[client])
		}
		return n
	}
	if total(first) != 300 || total(second) != 200 || second.began == 0 {
		t.Errorf("%d and %d commands, the second run begins at %d", total(first), total(second), second.began)
	}
	// Three accounts, three assets, two markets, and money of each asset in two wallets.
	if len(first.acks[0]) != 3+3+2+3*3*2 || len(second.acks[0]) < 2+2*3*2 {
		t.Errorf("%d and %d commands to prepare", len(first.acks[0]), len(second.acks[0]))
	}
	if _, err := replay(t.Context(), dir, []*told{first, second}); err != nil {
		t.Error(err)
	}
}

// TestHistoryFindsWhatIsWrong: a check that sees nothing proves nothing.
func TestHistoryFindsWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	good, _ := inside(t, dir, 3, 300)
	for want, change := range map[string]func(*told){
		"command 7: \"place 999999\" was acknowledged": func(r *told) { r.acks[2][6] = "place 999999" },
		"client 3: ":           func(r *told) { r.acks[3] = append(r.acks[3], "place 1"); r.sent[3]++ }, // acknowledged and lost
		"client 1: ":           func(r *told) { r.acks[1] = r.acks[1][:len(r.acks[1])-2] },              // done and never acknowledged
		"client 2: 1 commands": func(r *told) { r.sent[2] = 1 },
		"sent was":             func(r *told) { r.seed++ }, // not what the clients have sent
		"that no run has sent": func(r *told) { r.began = 1_000_000 },
	} {
		bad := *good
		bad.sent, bad.acks = maps.Clone(good.sent), map[int][]string{}
		for client, acks := range good.acks {
			bad.acks[client] = slices.Clone(acks)
		}
		change(&bad)
		if _, err := replay(t.Context(), dir, []*told{&bad}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestDrillLeavesARealExchangeAlone(t *testing.T) {
	dir := t.TempDir()
	o := node.Options{Journal: journal.Options{Dir: dir}}
	n, err := node.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var result schema.Result
	if err := n.Submit(t.Context(), &schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}}, &result); err != nil {
		t.Fatal(err)
	}
	want := n.Mark()
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	err = Run(t.Context(), Options{Node: o, Clients: 1, Commands: 1, Lines: io.Discard, Progress: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "no drill has made") {
		t.Errorf("got %v", err)
	}
	if n, err = node.Open(t.Context(), o); err != nil || n.Mark() != want {
		t.Fatalf("%v", err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}
