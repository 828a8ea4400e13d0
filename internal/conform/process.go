package conform

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"bourse/internal/operator"
)

// built is where binary put the program; empty as long as nobody wanted it.
var built string

// binary builds the program once, as releases are made: what `make build` compiled is not compiled a second time.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "bourse-conform")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "bourse")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "bourse/cmd/bourse")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// Clean removes what was built, if anything was; for TestMain.
func Clean() {
	if built != "" {
		os.RemoveAll(built)
	}
}

// Run runs the program to its end.
func Run(t testing.TB, args ...string) (code int, said string) {
	t.Helper()
	return finish(t, Command(t, args...))
}

// Command is the program with arguments, to be started.
func Command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return command(t, nil, args...)
}

// command is the program with arguments, on a disk of its own if there is one. Variables that would be
// settings are those of the test, not of the program.
func command(t testing.TB, d *Disk, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, args...)
	if d != nil {
		c = d.Command(path, args...)
	}
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "BOURSE_") })
	return c
}

func finish(t testing.TB, c *exec.Cmd) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String()
}

// Restart starts the program on the data of the venue and waits until it listens.
func (v *Venue) Restart() {
	v.t.Helper()
	v.Launch()
	if err := v.Listens(); err != nil {
		v.t.Fatal(err)
	}
}

// Launch starts the program and waits for nothing.
func (v *Venue) Launch() {
	v.t.Helper()
	args := append([]string{
		"serve", "--data", v.data, "--setup", filepath.Join(v.dir, "setup.json"), "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0",
	}, v.flags...)
	v.process = command(v.t, v.Disk, args...)
	v.process.Stderr = &v.log
	out, err := v.process.StdoutPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	if err := v.process.Start(); err != nil {
		v.t.Fatal(err)
	}
	v.out = bufio.NewReader(out)
}

// Listens waits until a program that was launched says where it listens; that it ended before is an
// error.
func (v *Venue) Listens() error {
	for _, at := range []struct {
		place  *string
		prefix string
	}{{&v.URL, "listening on "}, {&v.Operators, "operators on "}} {
		line, err := v.out.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the program did not come up: %w", err)
		}
		*at.place = strings.TrimSpace(strings.TrimPrefix(line, at.prefix))
	}
	token, err := os.ReadFile(filepath.Join(v.Data(), "operators", operator.First+".token"))
	if err != nil {
		return err
	}
	v.Token = strings.TrimSpace(string(token))
	return nil
}

// Data is the data directory, as the test sees it.
func (v *Venue) Data() string {
	if v.Disk != nil {
		if name, on := strings.CutPrefix(v.data, v.Disk.Place+"/"); on {
			return v.Disk.Path(name)
		}
	}
	return v.data
}

// Flags changes how the program is started the next time.
func (v *Venue) Flags(flags ...string) { v.flags = flags }

// On puts the data of a venue that did not run yet on a disk of its own.
func (v *Venue) On(d *Disk) { v.Disk, v.data = d, filepath.Join(d.Place, "data") }

// Tool runs a command of the program on the data of the venue to its end.
func (v *Venue) Tool(args ...string) (code int, said string) {
	v.t.Helper()
	return finish(v.t, command(v.t, v.Disk, append(args, "--data", v.data)...))
}

// Kill ends the program as a power cut of the process would: without a word.
func (v *Venue) Kill() {
	v.client.CloseIdleConnections()
	if v.process != nil {
		_ = v.process.Process.Kill()
		_ = v.process.Wait()
		v.process = nil
	}
}

// Signal sends the program a signal.
func (v *Venue) Signal(s syscall.Signal) {
	v.t.Helper()
	if err := v.process.Process.Signal(s); err != nil {
		v.t.Fatal(err)
	}
}

// Wait waits until the program ends and returns its exit code; -1: a signal ended it.
func (v *Venue) Wait() (code int) {
	v.client.CloseIdleConnections()
	_ = v.process.Wait() // the exit code says it
	code = v.process.ProcessState.ExitCode()
	v.process = nil
	return code
}

// Stop asks the program to stop and waits until it has.
func (v *Venue) Stop() {
	v.t.Helper()
	v.Signal(syscall.SIGTERM)
	if code := v.Wait(); code != 0 {
		v.t.Errorf("the program stopped with exit code %d", code)
	}
}

// Memory is how many bytes of memory the program has in use.
func (v *Venue) Memory() int {
	v.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", v.process.Process.Pid))
	if err != nil {
		v.t.Fatal(err)
	}
	var all, resident int
	if _, err := fmt.Sscan(string(text), &all, &resident); err != nil {
		v.t.Fatal(err)
	}
	return resident * os.Getpagesize()
}
