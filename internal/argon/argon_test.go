package argon

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// What the test program does instead of its tests, see TestMain.
const (
	asHang = "hang"
	asEnd  = "end"
)

// TestMain lets the test program be the process that hashes, and one that is broken.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case Command:
			if len(os.Environ()) > 0 {
				os.Exit(3)
			}
			if err := Serve(os.Stdin, os.Stdout); err != nil {
				os.Exit(1)
			}
			return
		case asHang:
			time.Sleep(time.Hour) // until it is killed
		case asEnd:
			return
		}
	}
	os.Exit(m.Run())
}

func self(t *testing.T, command string) *Worker {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := NewWorker(program, command)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// vector is an input of which the reference program of argon2 prints the hash: argon2 somesalt -id -t 2 -k 64 -p 1 -l 24.
func vector() (*Input, string) {
	return &Input{Password: []byte("password"), Salt: []byte("somesalt"), Passes: 2, MemoryKiB: 64, Threads: 1, Bytes: 24},
		"068d62b26455936aa6ebe60060b0a65870dbfa3ddf8d41f7"
}

func TestHashIsThatOfTheReference(t *testing.T) {
	i, want := vector()
	w := self(t, Command)
	for name, hash := range map[string]Hasher{"here": Here, "elsewhere": w.Hash} {
		got, err := hash(context.Background(), i)
		if err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, %v", name, got, err)
		}
	}
}

func small(password string) *Input {
	return &Input{Password: []byte(password), Salt: []byte("somesalt"), Passes: 1, MemoryKiB: 64, Threads: 1, Bytes: 32}
}

func TestProcessThatDiedIsStartedAgain(t *testing.T) {
	w := self(t, Command)
	want := small("x").hash()
	for range 3 {
		got, err := w.Hash(context.Background(), small("x"))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%x, %v", got, err)
		}
		if err := w.process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := w.process.Process.Wait(); err != nil {
			t.Fatal(err)
		}
		if got, err := w.Hash(context.Background(), small("x")); err == nil {
			t.Fatalf("a dead process answers %x", got)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if got, err := w.Hash(context.Background(), small("x")); !errors.Is(err, context.Canceled) || w.process != nil {
		t.Errorf("after Close: %x, %v", got, err)
	}
}

func TestCloseWaitsForNoProcess(t *testing.T) {
	w := self(t, asHang)
	ended := make(chan error)
	go func() {
		_, err := w.Hash(context.Background(), small("x"))
		ended <- err
	}()
	for running := false; !running; runtime.Gosched() {
		if !w.mu.TryLock() {
			running = true // it hashes
		} else {
			w.mu.Unlock()
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestEveryoneHasTheHashOfTheirOwnPassword(t *testing.T) {
	w := self(t, Command)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			i := small(fmt.Sprint(n))
			if got, err := w.Hash(context.Background(), i); err != nil || !bytes.Equal(got, i.hash()) {
				t.Errorf("%d: %x, %v", n, got, err)
			}
		})
	}
	all.Wait()
}

func TestWaitForProcessThatHangsHasAnEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := self(t, asHang).Hash(ctx, small("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestProcessThatCannotHash(t *testing.T) {
	if hash, err := self(t, asEnd).Hash(context.Background(), small("x")); err == nil {
		t.Errorf("%x", hash)
	}
	_, err := NewWorker("/nowhere/bourse").Hash(context.Background(), small("x"))
	if err == nil || !strings.HasPrefix(err.Error(), "starting the process that hashes passwords: ") {
		t.Error(err)
	}
}

func TestServeEndsWithItsInput(t *testing.T) {
	var out bytes.Buffer
	if err := Serve(strings.NewReader(""), &out); err != nil || out.Len() > 0 {
		t.Errorf("%q, %v", &out, err)
	}
	if err := Serve(strings.NewReader("{"), &out); err == nil || err.Error() != "reading what to hash: unexpected EOF" {
		t.Error(err)
	}
}

func TestSelfIsAProgram(t *testing.T) {
	command := Self()
	if _, err := exec.LookPath(command[0]); err != nil || len(command) != 2 || command[1] != Command {
		t.Errorf("%q: %v", command, err)
	}
}
