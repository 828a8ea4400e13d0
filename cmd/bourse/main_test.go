package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// binary is the real program, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "bourse")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "bourse")
	if err := build(binary); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// build makes the program as releases are made.
func build(path string, flags ...string) error {
	command := exec.Command("go", append(append([]string{"build", "-trimpath", "-o", path}, flags...), ".")...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// run calls the program and returns what it printed and its exit code.
func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return runProgram(t, binary, stdin, args...)
}

func runProgram(t *testing.T, program, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestVersion(t *testing.T) {
	out, _, code := run(t, "", "version")
	if code != 0 || !strings.HasPrefix(out, "bourse ") || !strings.Contains(out, "go1.") {
		t.Errorf("%d %q", code, out)
	}
}

func TestHelpNamesEveryCommand(t *testing.T) {
	out, _, code := run(t, "", "--help")
	for _, command := range []string{"serve", "play", "drill", "replay", "verify", "snapshot", "export", "import", "backup", "restore", "bench", "version"} {
		if code != 0 || !strings.Contains(out, "\n  "+command) {
			t.Errorf("%d: %q is not in\n%s", code, command, out)
		}
		if help, _, code := run(t, "", command, "--help"); code != 0 || !strings.Contains(help, "Usage: bourse "+command) {
			t.Errorf("%s --help: %d\n%s", command, code, help)
		}
	}
}

func TestUnknownCommandSaysWhatThereIs(t *testing.T) {
	_, errs, code := run(t, "", "nonsense")
	if code == 0 || !strings.Contains(errs, "nonsense") || !strings.Contains(errs, "play") {
		t.Errorf("%d %q", code, errs)
	}
}

func TestPlayTellsTheTour(t *testing.T) {
	out, _, code := run(t, "", "play")
	again, _, _ := run(t, "", "play")
	if code != 0 || !strings.Contains(out, "deal 1: 0.5 @ 101") || out != again {
		t.Errorf("%d\n%s", code, out)
	}
}

func TestPlayReadsFilesAndStandardInput(t *testing.T) {
	text := "asset BTC\naccount alice\ngive alice 2 BTC\nshow money alice\n"
	want := text + "    BTC trade: available 2, frozen 0\n"
	file := filepath.Join(t.TempDir(), "story.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"play", file}, {"play", "-"}} {
		if out, errs, code := run(t, text, args...); code != 0 || out != want {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
}

func TestPlayNamesTheLineItDoesNotUnderstand(t *testing.T) {
	_, errs, code := run(t, "asset BTC\nzelda dances\n", "play", "-")
	if code == 0 || !strings.Contains(errs, "standard input:2") || !strings.Contains(errs, "zelda") {
		t.Errorf("%d %q", code, errs)
	}
	if _, errs, code := run(t, "", "play", "no-such-file"); code == 0 || !strings.Contains(errs, "no-such-file") {
		t.Errorf("%d %q", code, errs)
	}
}

func TestBenchWritesJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bench.json")
	out, errs, code := run(t, "", "bench", "--only", "core.allocs", "--json", file)
	if code != 0 || !strings.Contains(out, "core.allocs") {
		t.Fatalf("%d %q %q", code, out, errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var results []struct{ Name, Unit string }
	if err := json.Unmarshal(data, &results); err != nil || len(results) != 1 || results[0].Name != "core.allocs" {
		t.Errorf("%v %s", err, data)
	}
	if _, errs, code := run(t, "", "bench", "--only", "nonsense"); code == 0 || !strings.Contains(errs, "core.mixed") {
		t.Errorf("%d %q", code, errs)
	}
}
