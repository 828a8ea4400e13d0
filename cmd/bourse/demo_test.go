package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// demoRun is a demo that can be killed.
type demoRun struct {
	process  *exec.Cmd
	REST     string
	Operator struct{ URL, Token string }
	Accounts []struct{ Name, APIKey, Secret string }
	miners   string // where they come in
}

func runDemo(t *testing.T, data string) *demoRun {
	t.Helper()
	d := &demoRun{process: exec.Command(binary, "serve", "--demo", "--data", data, "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0")}
	out, err := d.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.kill)
	// The banner comes after demo.json.
	for lines := bufio.NewScanner(out); ; {
		if !lines.Scan() {
			t.Fatal("the demo did not come up")
		}
		if at, is := strings.CutPrefix(lines.Text(), "miners on "); is {
			d.miners = at
		}
		if strings.Contains(lines.Text(), "/docs") {
			break
		}
	}
	text, err := os.ReadFile(filepath.Join(data, "demo.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *demoRun) kill() {
	if d.process.ProcessState == nil {
		_ = d.process.Process.Kill()
		_ = d.process.Wait()
	}
}

// asked is what the operator's API says.
func (d *demoRun) asked(t *testing.T, path string) string {
	t.Helper()
	request, err := http.NewRequest("GET", d.Operator.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+d.Operator.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", path, response.StatusCode, body, err)
	}
	return string(body)
}

// order places an order of a visitor, signed by the program itself.
func (d *demoRun) order(t *testing.T, visitor int, body string) {
	t.Helper()
	a := d.Accounts[visitor]
	line := good(t, "", "sign", "/api/v4/order/new", body, "--key", a.APIKey, "--secret", a.Secret, "--curl", "--url", d.REST)
	got, err := exec.Command("bash", "-c", line).CombinedOutput()
	if err != nil || !strings.Contains(string(got), `"status":"OPEN"`) {
		t.Fatalf("%s: %v\n%s", line, err, got)
	}
}

func TestDemoSurvivesAKill(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	d := runDemo(t, data)
	markets := []string{"BTC_USDT", "ETH_USDT", "ETH_BTC", "PEPE_USDT", "XRP_USDT", "BTC_PERP", "ETH_PERP"}
	awaitQuotes(t, d.REST, markets...)
	d.order(t, 0, `{"market":"BTC_USDT","side":"buy","amount":"0.01","price":"50000"}`)
	before := d.asked(t, "/v1/accounts/alice/balances")
	d.kill()

	again := runDemo(t, data)
	if len(again.Accounts) != 3 || again.Accounts[0] != d.Accounts[0] || again.Operator.Token != d.Operator.Token {
		t.Errorf("the second start has other keys: %+v and %+v", d, again)
	}
	if after := again.asked(t, "/v1/accounts/alice/balances"); after != before || !strings.Contains(after, `"frozen":"500"`) {
		t.Errorf("alice had\n%s and has\n%s", before, after)
	}
	awaitQuotes(t, again.REST, markets...)
	again.order(t, 1, `{"market":"ETH_USDT","side":"buy","amount":"0.01","price":"1000"}`)
}

func TestDemoIsForThisMachine(t *testing.T) {
	for args, says := range map[string]string{
		"--listen 0.0.0.0:0":                        "--listen 0.0.0.0:0 can be reached from other machines",
		"--listen :8080":                            "--listen :8080 can be reached from other machines",
		"--listen [::]:8080":                        "--listen [::]:8080 can be reached from other machines",
		"--listen bourse.example:8080":              "can be reached from other machines, and a demo hands out its keys; listen on 127.0.0.1, or add --force",
		"--operator 10.0.0.1:8081":                  "--operator 10.0.0.1:8081 can be reached from other machines",
		"--setup ../../examples/venue.json":         "--demo brings a world of its own",
		"--region eu":                               "--demo is a global exchange",
		"--tls-cert demo_test.go --tls-key demo.go": "--demo is for this machine and speaks plain HTTP",
	} {
		data := filepath.Join(t.TempDir(), "data")
		_, errs, code := run(t, "", append([]string{"serve", "--demo", "--data", data}, strings.Fields(args)...)...)
		if _, err := os.Stat(data); code != exitUsage || !strings.Contains(errs, says) || err == nil {
			t.Errorf("%s: %d %s (%v)", args, code, errs, err)
		}
	}
	if _, errs, code := run(t, "", "serve", "--force", "--data", t.TempDir()); code != exitUsage || !strings.Contains(errs, "--force goes with --demo") {
		t.Errorf("%d %s", code, errs)
	}
	for address, want := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "localhost:1": true, "127.3.2.1:1": true,
		"0.0.0.0:1": false, ":1": false, "[::]:1": false, "192.168.0.1:1": false, "example.com:1": false,
	} {
		if loopback(address) != want {
			t.Errorf("%s is loopback: %v", address, !want)
		}
	}
}
