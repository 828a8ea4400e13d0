package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bourse/internal/conform"
)

// smallDisk is an exchange that sees a disk of some megabytes.
type smallDisk struct {
	*conform.Disk
	t       *testing.T
	data    string // the data directory
	process *exec.Cmd
	said    *bufio.Reader
	log     *transcript // of the program that was started last
}

func newSmallDisk(t *testing.T, megabytes int) *smallDisk {
	t.Helper()
	d := &smallDisk{Disk: conform.NewDisk(t, megabytes), t: t}
	d.data = d.Place + "/data"
	return d
}

// expect is the rest of the next line, which begins with a text.
func (d *smallDisk) expect(prefix string) string {
	d.t.Helper()
	line, err := d.said.ReadString('\n')
	rest, found := strings.CutPrefix(strings.TrimSpace(line), prefix)
	if err != nil || !found {
		d.t.Fatalf("%q instead of %q, %v\n%s", line, prefix, err, d.log.all())
	}
	return rest
}

// serve starts an exchange and returns the addresses for clients and operators.
func (d *smallDisk) serve(flags ...string) (clients, operators string) {
	d.t.Helper()
	d.start(flags...)
	return d.expect("listening on "), d.expect("operators on ")
}

func (d *smallDisk) start(flags ...string) {
	d.t.Helper()
	d.process = d.Command(binary, append([]string{"serve", "--data", d.data, "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0"}, flags...)...)
	out, err := d.process.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	errs, err := d.process.StderrPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.process.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.said, d.log = bufio.NewReader(out), transcribe(errs)
}

// ends waits until the program ends and its log is whole, and checks the exit code.
func (d *smallDisk) ends(code int) {
	d.t.Helper()
	d.log.whole()
	_ = d.process.Wait() // the exit code says it
	if got := d.process.ProcessState.ExitCode(); got != code {
		d.t.Errorf("the exit code is %d, want %d\n%s", got, code, d.log.all())
	}
}

// stop asks the program to stop, which ends it well.
func (d *smallDisk) stop() {
	d.t.Helper()
	if err := d.process.Process.Signal(syscall.SIGTERM); err != nil {
		d.t.Fatal(err)
	}
	d.ends(0)
}

// says checks that the log of the program has a text once.
func (d *smallDisk) says(text string) {
	d.t.Helper()
	if log := d.log.all(); strings.Count(log, text) != 1 {
		d.t.Errorf("%q is not said once:\n%s", text, log)
	}
}

// TestFullDiskEndsTheProgramAndRoomBringsItBack: no hang, no panic, an exit code of its own; what was
// acknowledged is there when there is room again.
func TestFullDiskEndsTheProgramAndRoomBringsItBack(t *testing.T) {
	d := newSmallDisk(t, 24)
	_, operators := d.serve()
	account := func(method, name string) (int, string) {
		path := "/v1/accounts"
		if method == "GET" {
			path += "/" + name
		}
		return asOperator(t, d.Path("data"), method, operators+path, fmt.Sprintf(`{"name":%q}`, name))
	}
	if status, body := account("POST", "alice"); status >= 300 {
		t.Fatalf("%d %s", status, body)
	}
	d.Fill("fill")
	// What is left of the last block of a file still takes some.
	acknowledged := "alice"
	for i := 0; ; i++ {
		name := fmt.Sprint("trader", i)
		if status, _ := account("POST", name); status >= 500 {
			break
		}
		acknowledged = name
	}
	d.ends(exitStorage)
	d.says(`level=ERROR msg="the node stops"`)
	d.says("\nthe journal did not answer")
	d.start()
	d.ends(exitStorage)
	if log := d.log.all(); strings.Contains(log, "panic") || strings.Contains(log, "goroutine ") {
		t.Error(log)
	}
	d.Free("fill")
	_, operators = d.serve()
	if status, body := account("GET", acknowledged); status != 200 || !strings.Contains(body, acknowledged) {
		t.Errorf("what was acknowledged is gone: %d %s", status, body)
	}
	d.stop()
}

// TestFullHistoryIsSaidAndHeals: where only the history has no room, the exchange runs, says that it is
// not ready and why, and is ready when there is room.
func TestFullHistoryIsSaidAndHeals(t *testing.T) {
	d := newSmallDisk(t, 8)
	d.data = t.TempDir()
	if err := os.Chmod(d.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(d.Path("history"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(d.Place, "history"), filepath.Join(d.data, "history")); err != nil {
		t.Fatal(err)
	}
	d.Fill("fill")
	venue, err := filepath.Abs("../../examples/venue.json")
	if err != nil {
		t.Fatal(err)
	}
	clients, operators := d.serve("--setup", venue)
	look := func(page string) (int, string) { return asOperator(t, d.data, "GET", operators+page, "") }
	if status, body := look("/readyz"); status != 503 || !strings.Contains(body, `"status":"stuck"`) || !strings.Contains(body, "no space left on device") {
		t.Errorf("%d %s", status, body)
	}
	if _, body := look("/metrics"); !strings.Contains(body, "\nbourse_history_stuck 1\n") {
		t.Error("the metrics do not show it")
	}
	if status, body := look("/healthz"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if status, body := look("/v1/audit"); status != 503 || !strings.Contains(body, "no space left on device") {
		t.Errorf("operators read the past: %d %s", status, body)
	}
	const deals = "/api/v4/trade-account/executed-history"
	if status, body := asClient(t, clients, "alice", deals); status != 503 || !strings.Contains(body, "unavailable") {
		t.Errorf("clients read the past: %d %s", status, body)
	}
	d.Free("fill")
	d.log.await(t, "the history can be written again")
	for _, page := range []string{"/v1/audit", "/readyz"} {
		if status, body := look(page); status != 200 {
			t.Errorf("%s: %d %s", page, status, body)
		}
	}
	if status, body := asClient(t, clients, "alice", deals); status != 200 || body != "{}" {
		t.Errorf("%d %s", status, body)
	}
	d.stop()
}

// TestSecondSignalEndsAtOnce: the first one waits for requests that are being answered.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, nil, "--data", data)
	token, err := os.ReadFile(filepath.Join(data, "operators", "operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	// A profile that takes longer than anything here keeps the operators' door busy.
	request, err := http.NewRequest("GET", p.operators+"/debug/pprof/trace?seconds=20", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	idle := idleConnection(t, p.operators)
	if err := p.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if n, err := idle.Read(make([]byte, 1)); !errors.Is(err, io.EOF) { // on its way down it closes what is idle
		t.Errorf("an idle connection gets %d bytes, %v", n, err)
	}
	if err := p.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = p.process.Wait()
	if status := p.process.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", p.process.ProcessState)
	}
}

// idleConnection is a connection over which something was asked and answered.
func idleConnection(t *testing.T, address string) *bufio.Reader {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(conn)
	answer, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	return answers
}
