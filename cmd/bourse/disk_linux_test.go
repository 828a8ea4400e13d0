package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bourse/internal/conform"
)

// smallDisk is an exchange that sees a disk of some megabytes.
type smallDisk struct {
	*conform.Disk
	t       *testing.T
	data    string // the data directory
	process *exec.Cmd
	said    *bufio.Reader
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
		log, _ := os.ReadFile(d.log())
		d.t.Fatalf("%q instead of %q, %v\n%s", line, prefix, err, log)
	}
	return rest
}

// log is the file with what the program said last; it is not on the disk.
func (d *smallDisk) log() string { return d.Place + ".log" }

// serve starts an exchange and returns the address for operators.
func (d *smallDisk) serve() (operators string) {
	d.t.Helper()
	d.start()
	d.expect("listening on ")
	return d.expect("operators on ")
}

func (d *smallDisk) start() {
	d.t.Helper()
	log, err := os.Create(d.log())
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	d.process = d.Command(binary, "serve", "--data", d.data, "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0")
	d.process.Stderr = log
	out, err := d.process.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.process.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.said = bufio.NewReader(out)
}

// ends holds the exchange to an exit code.
func (d *smallDisk) ends(code int, when string) {
	d.t.Helper()
	_ = d.process.Wait() // the exit code says it
	if got := d.process.ProcessState.ExitCode(); got != code {
		d.t.Errorf("%s the exit code is %d, want %d", when, got, code)
	}
}

// stop asks the exchange to stop, which ends it well.
func (d *smallDisk) stop() {
	d.t.Helper()
	if err := d.process.Process.Signal(syscall.SIGTERM); err != nil {
		d.t.Fatal(err)
	}
	d.ends(0, "after SIGTERM")
}

func (d *smallDisk) says(text string) {
	d.t.Helper()
	log, err := os.ReadFile(d.log())
	if err != nil || strings.Count(string(log), text) != 1 {
		d.t.Errorf("%q is not said once, %v:\n%s", text, err, log)
	}
}

// TestFullDiskEndsTheProgramAndRoomBringsItBack: no hang, no panic, an exit code of its own; what was
// acknowledged is there when there is room again.
func TestFullDiskEndsTheProgramAndRoomBringsItBack(t *testing.T) {
	d := newSmallDisk(t, 24)
	operators := d.serve()
	account := func(method, name string) (int, string) {
		token, err := os.ReadFile(d.Path("data/operators/operator.token"))
		if err != nil {
			t.Fatal(err)
		}
		address := operators + "/v1/accounts"
		if method == "GET" {
			address += "/" + name
		}
		request, err := http.NewRequest(method, address, strings.NewReader(fmt.Sprintf(`{"name":%q}`, name)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		request.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
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
	d.ends(exitStorage, "with a full disk")
	d.says(`level=ERROR msg="the node stops"`)
	d.says("\nthe journal did not answer")
	d.start()
	d.ends(exitStorage, "started on a full disk")
	if log, err := os.ReadFile(d.log()); err != nil || strings.Contains(string(log), "panic") || strings.Contains(string(log), "goroutine ") {
		t.Errorf("%v\n%s", err, log)
	}
	d.Free("fill")
	operators = d.serve()
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
	operators := d.serve()
	look := func(page string) (int, string) {
		answer, err := http.Get(operators + page)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	if status, body := look("/readyz"); status != 503 || !strings.Contains(body, `"status":"stuck"`) || !strings.Contains(body, "no space left on device") {
		t.Errorf("%d %s", status, body)
	}
	if _, body := look("/metrics"); !strings.Contains(body, "\nbourse_history_stuck 1\n") {
		t.Error("the metrics do not tell")
	}
	if status, body := look("/healthz"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	d.Free("fill")
	for {
		if status, _ := look("/readyz"); status == 200 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	d.says("the history can be written again")
	d.stop()
}

// TestSecondSignalEndsAtOnce: the first one waits for requests that are being answered.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	process := exec.Command(binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0")
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	if _, err := said.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	line, err := said.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	operators := strings.TrimSpace(strings.TrimPrefix(line, "operators on "))
	token, err := os.ReadFile(filepath.Join(data, "operators", "operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	// A profile that takes longer than anything here keeps the operators' door busy.
	request, err := http.NewRequest("GET", operators+"/debug/pprof/trace?seconds=20", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := http.Get(operators + "/healthz"); err != nil {
			break // the door is closed: it is on its way down
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	if status := process.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", process.ProcessState)
	}
}
