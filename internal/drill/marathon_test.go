package drill

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/disk"
	"bourse/internal/journal"
	"bourse/internal/node"
)

// binary is the real program, built once for all tests, as releases are made: what `make build` compiled is not
// compiled a second time.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "drill")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "bourse")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, "bourse/cmd/bourse")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// runsPerDirectory bounds the log that is replayed after every kill.
const runsPerDirectory = 25

// TestMarathon kills the program again and again. BOURSE_KILLS says how often, BOURSE_SEED how.
func TestMarathon(t *testing.T) {
	kills, seed := number(t, "BOURSE_KILLS", 12), uint64(number(t, "BOURSE_SEED", 1))
	t.Logf("%d kills, BOURSE_SEED=%d", kills, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	began, acks, batches := time.Now(), 0, uint64(0)
	for done := 0; done < kills; {
		dir := filepath.Join(t.TempDir(), "data")
		var runs []*told
		for range min(runsPerDirectory, kills-done) {
			runs = append(runs, crash(t, dir, random))
			check(t, dir, runs)
			if done++; done%10 == 0 && kills > 100 {
				fmt.Printf("%d kills, %d acknowledged commands in %d batches so far, %s\n", done, acks, batches, time.Since(began).Round(time.Second))
			}
		}
		runs = append(runs, end(t, dir, random))
		h := check(t, dir, runs)
		if want := fmt.Sprintf("state %d %x", h.mark.Seq, h.machine.Hash()); runs[len(runs)-1].state != want {
			t.Fatalf("after an orderly end: %q, want %q", runs[len(runs)-1].state, want)
		}
		acks, batches = acks+h.total, batches+h.mark.Seq
		os.RemoveAll(dir)
	}
	t.Logf("%d acknowledged commands in %d batches, all there once", acks, batches)
}

func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// command is a drill with settings by chance: some write snapshots all the time, so that kills
// hit the writing of one.
func command(dir string, random *rand.Rand, more ...string) *exec.Cmd {
	args := []string{
		"drill", "--data", dir, "--seed", fmt.Sprint(random.Uint32()), "--clients", fmt.Sprint(1 + random.IntN(12)),
		"--snapshot", []string{"1", "20", "300", "1000000"}[random.IntN(4)],
		"--sync", []string{"always", "interval"}[random.IntN(2)],
	}
	return exec.Command(binary, append(args, more...)...)
}

// crash starts the program and kills it when it has printed so many lines. Among the first ones
// it has just recovered, sets up, and cancels what the run before left in the books.
func crash(t *testing.T, dir string, random *rand.Rand) *told {
	after := random.IntN(1500)
	if random.IntN(4) == 0 {
		after = random.IntN(60)
	}
	cmd := command(dir, random)
	run, errs := listen(t, cmd, func(line int) {
		if line == after+1 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Fatalf("%v ended by itself: %s\n%s", cmd.Args, cmd.ProcessState, errs)
	}
	return run
}

// end lets the program run for a while and asks it to end, or lets it come to its end.
func end(t *testing.T, dir string, random *rand.Rand) *told {
	var more []string
	asked := random.IntN(2) == 0
	if !asked {
		more = []string{"--commands", "200"}
	}
	cmd := command(dir, random, more...)
	run, errs := listen(t, cmd, func(line int) {
		if asked && line == 200 {
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	})
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("%v: exit code %d\n%s", cmd.Args, code, errs)
	}
	for client, sent := range run.sent {
		if got := len(run.acks[client]); got != sent {
			t.Fatalf("client %d sent %d commands and was answered %d", client, sent, got)
		}
	}
	return run
}

// listen starts the program and reads what it prints until it is over.
func listen(t *testing.T, cmd *exec.Cmd, each func(line int)) (*told, string) {
	t.Helper()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	run := &told{sent: map[int]int{}, acks: map[int][]string{}}
	if err := run.read(out, each); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, errs.String())
	}
	// How it ended is the caller's to judge.
	_ = cmd.Wait()
	if run.clients == 0 {
		t.Fatalf("%v: it did not come up\n%s", cmd.Args, errs.String())
	}
	return run, errs.String()
}

// read takes in the lines of a run; counters of a client count without gaps.
func (r *told) read(out io.Reader, each func(line int)) error {
	lines := bufio.NewScanner(out)
	for n := 1; lines.Scan(); n++ {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		var client, counter int
		var err error
		switch word {
		case "run":
			_, err = fmt.Sscan(rest, &r.began, &r.clients, &r.seed)
		case "sent":
			if _, err = fmt.Sscan(rest, &client, &counter); err == nil {
				r.sent[client]++
			}
			if r.sent[client] != counter {
				err = fmt.Errorf("%d commands were sent before", r.sent[client])
			}
		case "ack":
			var kind, result string
			if _, err = fmt.Sscan(rest, &client, &counter, &kind, &result); err == nil {
				r.acks[client] = append(r.acks[client], kind+" "+result)
			}
			if len(r.acks[client]) != counter {
				err = fmt.Errorf("%d commands were acknowledged before", len(r.acks[client]))
			}
		case "state":
			r.state = lines.Text()
		default:
			err = fmt.Errorf("a line of another kind")
		}
		if err != nil {
			return fmt.Errorf("line %d, %q: %w", n, lines.Text(), err)
		}
		each(n)
	}
	return lines.Err()
}

// check holds a directory as a crash left it against what was acknowledged. It looks at copies:
// the next run is to find what this one left, not what a check made of it.
func check(t *testing.T, dir string, runs []*told) *history {
	t.Helper()
	first, second := clone(t, dir), clone(t, dir)
	defer os.RemoveAll(first)
	defer os.RemoveAll(second)
	h, err := replay(t.Context(), first, runs)
	if err != nil {
		t.Fatalf("after %d runs: %v", len(runs), err)
	}
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: second}})
	if err != nil {
		t.Fatalf("after %d runs: %v", len(runs), err)
	}
	n.Read(func(m core.View) {
		if m.Hash() != h.machine.Hash() {
			t.Errorf("after %d runs: a node that starts has another state than a replay from zero", len(runs))
		}
	})
	if n.Mark() != h.mark {
		t.Errorf("after %d runs: the node is at batch %d, the log at %d", len(runs), n.Mark().Seq, h.mark.Seq)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
	return h
}

// clone copies a data directory.
func clone(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "clone")
	if err := disk.CopyTree(to, dir); err != nil {
		t.Fatal(err)
	}
	return to
}
