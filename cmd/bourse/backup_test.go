package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// crowd opens accounts through the operators' API, several at the same time, and knows which were
// acknowledged.
type crowd struct {
	url, token string

	mu      sync.Mutex
	opened  []string
	count   atomic.Int64
	refused error
}

// open opens accounts until the context ends or the exchange is gone.
func (c *crowd) open(ctx context.Context, prefix string) {
	for i := 0; ctx.Err() == nil; i++ {
		name := fmt.Sprintf("%s-%d", prefix, i)
		if err := c.account(name); err != nil {
			c.mu.Lock()
			c.refused = err
			c.mu.Unlock()
			return
		}
		c.mu.Lock()
		c.opened = append(c.opened, name)
		c.mu.Unlock()
		c.count.Add(1)
	}
}

func (c *crowd) account(name string) error {
	request, err := http.NewRequest("POST", c.url+"/v1/accounts", strings.NewReader(`{"name":"`+name+`"}`))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %w", response.Status, body, err)
	}
	return nil
}

// acknowledged are the accounts that were opened so far.
func (c *crowd) acknowledged() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.opened...)
}

// await waits until so many accounts were opened.
func (c *crowd) await(t *testing.T, count int64) {
	t.Helper()
	for c.count.Load() < count {
		c.mu.Lock()
		err := c.refused
		c.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// accountsOf are the names of all accounts of a running exchange.
func accountsOf(t *testing.T, url, data string) map[string]bool {
	t.Helper()
	var list []struct{ Name string }
	answer := good(t, "", "operator", "accounts", "list", "--json", "--url", url, "--data", data)
	if err := json.Unmarshal([]byte(answer), &list); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	names := map[string]bool{}
	for _, a := range list {
		names[a.Name] = true
	}
	return names
}

func token(t *testing.T, data string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "operators", "operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(text))
}

// TestBackupOfARunningExchange takes a backup of the real program under load, kills it, restores
// the backup elsewhere and goes on there: whatever was acknowledged before the backup began is
// there.
func TestBackupOfARunningExchange(t *testing.T) {
	data, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "exchange.tar")
	p := start(t, nil, "--setup", "../../examples/venue.json", "--data", data)
	load := &crowd{url: p.operators, token: token(t, data)}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var visitors sync.WaitGroup
	for i := range 4 {
		visitors.Go(func() { load.open(ctx, fmt.Sprint("visitor", i)) })
	}
	load.await(t, 100)
	before := load.acknowledged()
	said := good(t, "", "backup", "--data", data, "--url", p.operators, "--out", file, "--with-keys")
	load.await(t, int64(len(load.acknowledged())+10)) // the exchange goes on
	p.kill()
	stop()
	visitors.Wait()
	if !strings.HasPrefix(said, "backed up ") || strings.Contains(said, "master key") {
		t.Error(said)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}

	restored := filepath.Join(t.TempDir(), "restored")
	if said := good(t, "", "restore", "--data", restored, "--in", file); strings.Contains(said, "master key") {
		t.Error(said)
	}
	if said := good(t, "", "verify", "--data", restored); !strings.HasPrefix(said, "all is well: ") {
		t.Error(said)
	}
	again := start(t, nil, "--data", restored)
	if token(t, restored) != load.token {
		t.Error("the operator has another token")
	}
	there := accountsOf(t, again.operators, restored)
	for _, name := range before {
		if !there[name] {
			t.Errorf("%s was acknowledged before the backup and is lost", name)
		}
	}
	for _, name := range []string{"alice", "bob"} {
		if !there[name] {
			t.Errorf("%s is lost", name)
		}
	}
	if err := (&crowd{url: again.operators, token: load.token}).account("late"); err != nil {
		t.Error(err)
	}
	// Secrets that the log holds sealed can be opened: a signed request is answered.
	variables := []string{"BOURSE_URL=" + again.clients, "BOURSE_API_KEY=alice-key", "BOURSE_API_SECRET=alice-secret"}
	if said, errs, _ := try(t, "", variables, "../../examples/order.sh", "BTC_USDT", "buy", "0.01", "50000"); !strings.Contains(said, `"orderId"`) {
		t.Errorf("%s %s", said, errs)
	}
}

// TestBackupOfAStoppedDirectory: without keys a restored exchange waits for its master key, and
// never makes another one.
func TestBackupOfAStoppedDirectory(t *testing.T) {
	data, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "exchange.tar")
	start(t, nil, "--setup", "../../examples/venue.json", "--data", data).stop(t)
	hash := hashIn(t, good(t, "", "replay", "--data", data))
	if said := good(t, "", "backup", "--data", data, "--out", file); !strings.Contains(said, "the master key is not in it") {
		t.Error(said)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"master.key", "operators/operator.token"} {
		secret, err := os.ReadFile(filepath.Join(data, name))
		if err != nil || bytes.Contains(text, bytes.TrimSpace(secret)) {
			t.Errorf("%s is in the backup, or %v", name, err)
		}
	}

	restored := filepath.Join(t.TempDir(), "restored")
	if said := good(t, "", "restore", "--data", restored, "--in", file); !strings.Contains(said, "put the exchange's master key into "+restored) {
		t.Error(said)
	}
	if got := hashIn(t, good(t, "", "verify", "--data", restored)); got != hash {
		t.Errorf("restored %s, backed up %s", got, hash)
	}
	_, errs, code := run(t, "", "serve", "--data", restored, "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0")
	if code == 0 || !strings.Contains(errs, "the master key is missing") {
		t.Errorf("%d %s", code, errs)
	}
	key, err := os.ReadFile(filepath.Join(data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(restored, "master.key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	if names := accountsOf(t, start(t, nil, "--data", restored).operators, restored); !names["alice"] {
		t.Error(names)
	}
}

func TestBackupSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "exchange.tar")
	for _, c := range []struct {
		says string
		args []string
	}{
		{"there is no directory", []string{"--data", filepath.Join(dir, "none")}},
		{"--with-keys reads the keys of the data directory", []string{"--data", filepath.Join(dir, "none"), "--with-keys"}},
		{"reading your token", []string{"--data", dir, "--url", "http://127.0.0.1:1"}},
	} {
		_, errs, code := run(t, "", append([]string{"backup", "--out", out}, c.args...)...)
		if code != exitFailed || !strings.Contains(errs, c.says) {
			t.Errorf("%v: %d %s", c.args, code, errs)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}
