package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
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
	story, rest, played := strings.Cut(rest, "$ bin/bourse play story.txt\n…\n")
	want, _, ended := strings.Cut(rest, "```")
	if !found || !played || !ended {
		t.Fatal("the README does not hold its story any more")
	}
	out, errs, code := run(t, story, "play", "-")
	if code != 0 || !strings.HasSuffix(out, want) {
		t.Errorf("%d %s\ngot\n%s\nwant the end to be\n%s", code, errs, out, want)
	}
}

// TestReadmeTourIsAsItSays serves the demo of `make run` and types what the tour of the README types,
// in a directory that has the same things as the repository.
func TestReadmeTourIsAsItSays(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "## The five-minute tour\n")
	tour, _, ended := strings.Cut(rest, "\n## ")
	if !found || !ended {
		t.Fatal("the README has no tour any more")
	}
	dir := t.TempDir()
	clients, operators := serve(t, nil, "--demo", "--data", filepath.Join(dir, "data"))
	for name, target := range map[string]string{"bin/bourse": binary, "examples": "../../examples"} {
		target, err := filepath.Abs(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	awaitQuotes(t, clients, "BTC_USDT", "ETH_USDT")
	addresses := strings.NewReplacer("http://127.0.0.1:8080", clients, "http://127.0.0.1:8081", operators)
	typed := 0
	for _, session := range strings.Split(tour, "\n```\n$ ")[1:] {
		session, _, _ = strings.Cut(session, "\n```")
		for _, part := range strings.Split(session, "\n$ ") {
			command, printed, _ := strings.Cut(part, "\n")
			shell := exec.Command("bash", "-c", addresses.Replace(command))
			shell.Dir, shell.Env = dir, append(os.Environ(), "BOURSE_OPERATOR_URL="+operators)
			got, err := shell.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", command, err, got)
			}
			if !said(printed).MatchString(strings.TrimRight(string(got), "\n") + "\n") {
				t.Errorf("$ %s\ngot\n%s\nwant\n%s", command, got, printed)
			}
			typed++
		}
	}
	if typed < 15 {
		t.Errorf("only %d commands were found in the tour", typed)
	}
}

// awaitQuotes waits until there is something to trade with.
func awaitQuotes(t *testing.T, url string, markets ...string) {
	t.Helper()
	for _, market := range markets {
		for {
			response, err := http.Get(url + "/api/v4/public/orderbook/" + market)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(body, []byte(`"asks":[[`)) && bytes.Contains(body, []byte(`"bids":[[`)) {
				break
			}
		}
	}
}

// said is what a text of the README stands for: an ellipsis is something in a line, and alone in a
// line any number of lines.
func said(printed string) *regexp.Regexp {
	form := "^"
	for line := range strings.SplitSeq(printed, "\n") {
		if line == "…" {
			form += `(?:.*\n)*`
		} else {
			form += strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + `\n`
		}
	}
	return regexp.MustCompile(form + "$")
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
	p := start(t, variables, flags...)
	return p.clients, p.operators
}

// served is an exchange that runs.
type served struct {
	process            *exec.Cmd
	errs               bytes.Buffer
	clients, operators string
}

// start runs an exchange that the test may kill or stop before it is over.
func start(t *testing.T, variables []string, flags ...string) *served {
	t.Helper()
	return startProgram(t, binary, variables, flags...)
}

func startProgram(t *testing.T, program string, variables []string, flags ...string) *served {
	t.Helper()
	p := &served{process: exec.Command(program, append(append([]string{"serve"}, flags...), "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0")...)}
	p.process.Env = append(os.Environ(), variables...)
	p.process.Stderr = &p.errs
	out, err := p.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.process.ProcessState == nil {
			p.stop(t)
		}
	})
	said := bufio.NewReader(out)
	for _, at := range []struct {
		place  *string
		prefix string
	}{{&p.clients, "listening on "}, {&p.operators, "operators on "}} {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatalf("the program did not come up: %v", err)
		}
		*at.place = strings.TrimSpace(strings.TrimPrefix(line, at.prefix))
	}
	return p
}

// stop ends the exchange in order.
func (p *served) stop(t *testing.T) {
	t.Helper()
	_ = p.process.Process.Signal(syscall.SIGTERM)
	if err := p.process.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.errs.String())
	}
}

// kill ends it as a crash does.
func (p *served) kill() {
	_ = p.process.Process.Kill()
	_ = p.process.Wait()
}
