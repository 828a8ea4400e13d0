package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestReadmeTellsTheTruth plays the story of the README: what the program prints is what stands
// there.
func TestReadmeTellsTheTruth(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "$ cat > story.txt\n")
	story, rest, told := strings.Cut(rest, "$ bin/bourse play story.txt\n…\n")
	want, _, ended := strings.Cut(rest, "```")
	if !found || !told || !ended {
		t.Fatal("the README does not tell its story any more")
	}
	out, errs, code := run(t, story, "play", "-")
	if code != 0 || !strings.HasSuffix(out, want) {
		t.Errorf("%d %s\ngot\n%s\nwant the end to be\n%s", code, errs, out, want)
	}
}

// TestReadmeTradesAsItSays serves the exchange of `make run` and types what the README types. What
// it leaves out is written as an ellipsis there.
func TestReadmeTradesAsItSays(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "In another terminal:\n\n```\n")
	session, _, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatal("the README does not trade any more")
	}
	const home = "http://127.0.0.1:8080"
	url := serveVenue(t)
	for _, part := range strings.Split("\n"+strings.TrimSpace(session), "\n$ ")[1:] {
		command, told, _ := strings.Cut(part, "\n")
		shell := exec.Command("bash", "-c", strings.ReplaceAll(command, home, url))
		shell.Dir, shell.Env = "../..", append(os.Environ(), "BOURSE_URL="+url)
		got, err := shell.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, got)
		}
		form := "^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(told)), "…", ".*") + "$"
		if !regexp.MustCompile(form).MatchString(strings.TrimSpace(string(got))) {
			t.Errorf("$ %s\ngot\n%s\nwant\n%s", command, got, told)
		}
	}
}

// serveVenue runs the exchange of examples/venue.json and returns its address.
func serveVenue(t *testing.T) string {
	t.Helper()
	clients, _, _ := startVenue(t)
	return clients
}

// startVenue runs it and returns the addresses for clients and for operators, and its data
// directory.
func startVenue(t *testing.T) (clients, operators, data string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	clients, operators = serve(t, nil, "--setup", "../../examples/venue.json", "--data", data)
	return clients, operators, data
}

// serve runs an exchange with variables and flags, on free ports, until the test is over. It returns
// the addresses for clients and for operators.
func serve(t *testing.T, variables []string, flags ...string) (clients, operators string) {
	t.Helper()
	process := exec.Command(binary, append(append([]string{"serve"}, flags...), "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0")...)
	process.Env = append(os.Environ(), variables...)
	var errs bytes.Buffer
	process.Stderr = &errs
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		if err := process.Wait(); err != nil {
			t.Errorf("%v: %s", err, errs.String())
		}
	})
	said := bufio.NewReader(out)
	for _, at := range []struct {
		place  *string
		prefix string
	}{{&clients, "listening on "}, {&operators, "operators on "}} {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatalf("the program did not come up: %v", err)
		}
		*at.place = strings.TrimSpace(strings.TrimPrefix(line, at.prefix))
	}
	return clients, operators
}
