package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk is a file system of some megabytes in a mount namespace of its own, and a shell in it.
type smallDisk struct {
	t     *testing.T
	place string // where it is, inside of the namespace
	shell *exec.Cmd
	stdin io.Writer
	said  *bufio.Reader
	data  string // the data directory
}

func newSmallDisk(t *testing.T, megabytes int) *smallDisk {
	t.Helper()
	d := &smallDisk{t: t, place: t.TempDir()}
	d.data = d.place + "/data"
	d.shell = exec.Command("sh", "-c", fmt.Sprintf("mount -t tmpfs -o size=%dm tmpfs %s && echo mounted && exec sh", megabytes, d.place))
	d.shell.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	stdin, err := d.shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	d.stdin, d.said, d.shell.Stderr = stdin, bufio.NewReader(out), os.Stderr
	if err := d.shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = d.shell.Wait()
	})
	d.expect("mounted")
	return d
}

// path is a file on the disk, seen from outside.
func (d *smallDisk) path(name string) string {
	return filepath.Join("/proc", strconv.Itoa(d.shell.Process.Pid), "root", d.place, name)
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
func (d *smallDisk) log() string { return d.place + ".log" }

// serve starts an exchange and returns the id of its process and the address for operators.
func (d *smallDisk) serve() (pid int, operators string) {
	d.t.Helper()
	pid = d.start()
	d.expect("listening on ")
	return pid, d.expect("operators on ")
}

func (d *smallDisk) start() int {
	d.t.Helper()
	fmt.Fprintf(d.stdin, "%s serve --data %s --listen 127.0.0.1:0 --operator 127.0.0.1:0 2>%s & echo pid $!; wait $!; echo exit $?\n",
		binary, d.data, d.log())
	pid, err := strconv.Atoi(d.expect("pid "))
	if err != nil {
		d.t.Fatal(err)
	}
	return pid
}

// fill leaves no room at all.
func (d *smallDisk) fill(name string) {
	d.t.Helper()
	f, err := os.Create(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			d.t.Fatal(err)
		}
	}
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
	_, operators := d.serve()
	account := func(method, name string) (int, string) {
		token, err := os.ReadFile(d.path("data/operators/operator.token"))
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
	d.fill("fill")
	// What is left of the last block of a file still takes some.
	acknowledged := "alice"
	for i := 0; ; i++ {
		name := fmt.Sprint("trader", i)
		if status, _ := account("POST", name); status >= 500 {
			break
		}
		acknowledged = name
	}
	if code := d.expect("exit "); code != strconv.Itoa(exitStorage) {
		t.Errorf("the exit code is %s", code)
	}
	d.says(`level=ERROR msg="the node stops"`)
	d.says("\nthe journal did not answer")
	d.start()
	if code := d.expect("exit "); code != strconv.Itoa(exitStorage) {
		t.Errorf("started on a full disk the exit code is %s", code)
	}
	if log, err := os.ReadFile(d.log()); err != nil || strings.Contains(string(log), "panic") || strings.Contains(string(log), "goroutine ") {
		t.Errorf("%v\n%s", err, log)
	}
	if err := os.Remove(d.path("fill")); err != nil {
		t.Fatal(err)
	}
	pid, operators2 := d.serve()
	operators = operators2
	if status, body := account("GET", acknowledged); status != 200 || !strings.Contains(body, acknowledged) {
		t.Errorf("what was acknowledged is gone: %d %s", status, body)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := d.expect("exit "); code != "0" {
		t.Errorf("with room the exit code is %s", code)
	}
}

// TestFullHistoryIsSaidAndHeals: where only the history has no room, the exchange runs, says that it is
// not ready and why, and is ready when there is room.
func TestFullHistoryIsSaidAndHeals(t *testing.T) {
	d := newSmallDisk(t, 8)
	d.data = t.TempDir()
	if err := os.Chmod(d.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(d.path("history"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(d.place, "history"), filepath.Join(d.data, "history")); err != nil {
		t.Fatal(err)
	}
	d.fill("fill")
	pid, operators := d.serve()
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
	if err := os.Remove(d.path("fill")); err != nil {
		t.Fatal(err)
	}
	for {
		if status, _ := look("/readyz"); status == 200 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	d.says("the history can be written again")
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := d.expect("exit "); code != "0" {
		t.Errorf("the exit code is %s", code)
	}
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
