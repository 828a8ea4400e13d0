package main

import (
	"crypto/sha512"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"bourse/internal/network/bitcoin/nodetest"
	"bourse/internal/port"
)

// signetPool is a venue whose pool mines a signet. What a block is worth there the chain says: 50.
const signetPool = `{
	"chains": [{"name": "BTC", "driver": "bitcoin", "family": "bitcoin", "net": "signet"}],
	"assets": [{"ticker": "BTC", "name": "Bitcoin", "class": "crypto", "scale": 8, "precision": 8, "can_deposit": true, "can_withdraw": true, "networks": [
		{"name": "BTC", "default": true, "can_deposit": true, "can_withdraw": true, "confirmations": 2, "confirmations_for_trading": 1, "chain": "BTC", "decimals": 8}]}],
	"accounts": [{"name": "anna", "region": "global", "verified": true, "mining": true, "keys": [{"key": "anna-key", "secret": "anna-secret", "enabled": true}]}],
	"pool": {"open": true, "unit": 16, "rate": "40"}
}`

// TestAPoolOnASignet: miners come over TCP and TLS, over TLS also after the certificate was replaced; the blocks that they find are on the chain of a
// Bitcoin node that nobody here wrote, which says what they are worth, and pay to the exchange; and a pool that is killed loses none of them and goes on.
func TestAPoolOnASignet(t *testing.T) {
	chain := nodetest.Signet(t)
	data, certificate, key := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "served.pem"), filepath.Join(t.TempDir(), "served.key")
	replace := func() (roots string) {
		roots, private := keyPair(t)
		for from, to := range map[string]string{roots: certificate, private: key} {
			text, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to+".new", text, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(to+".new", to); err != nil {
				t.Fatal(err)
			}
		}
		return roots
	}
	roots := replace()
	doors := [2]string{}
	for i := range doors {
		free, err := port.Free()
		if err != nil {
			t.Fatal(err)
		}
		doors[i] = fmt.Sprint("127.0.0.1:", free)
	}
	flags := []string{
		"--data", data, "--setup", written(t, "venue.json", signetPool), "--chain-node", "BTC=" + chain.URL,
		"--pool-chain", "BTC", "--pool-difficulty", "0.00006103515625",
		"--pool-listen", doors[0], "--pool-tls-listen", doors[1], "--pool-cert", certificate, "--pool-key", key,
	}
	good(t, "", "custody", "create", "--data", data)
	exchange := start(t, nil, flags...)
	d := &desk{t, exchange.operators, exchange.clients, data}
	open(t, exchange.clients)
	mine := func(worker string, args ...string) *exec.Cmd {
		t.Helper()
		m := exec.Command(binary, append([]string{"mine", "--user", "rigs." + worker, "--every", "100ms"}, args...)...)
		out, err := m.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = m.Process.Kill() // it may have ended
			_ = m.Wait()
		})
		transcribe(out).await(t, "H/s  accepted 1")
		return m
	}
	for range 2 {
		m := mine("tls", "stratum+tls://"+doors[1], "--ca", roots)
		if err := m.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		roots = replace()
	}
	mine("tcp", "stratum+tcp://"+doors[0])
	blocks := func(more int) []any {
		t.Helper()
		for {
			list := d.get("pool").(map[string]any)["blocks"].([]any)
			if len(list) >= more {
				return list
			}
			if t.Context().Err() != nil {
				t.Fatalf("%d blocks", len(list))
			}
			runtime.Gosched() // they are only to be seen by looking
		}
	}
	found := blocks(1)
	d.has(d.get("pool"), `{"rate":"50","asset":"BTC"}`)
	exchange.kill()
	exchange = start(t, nil, flags...)
	d = &desk{t, exchange.operators, exchange.clients, data}
	after := blocks(len(found) + 1) // the miner came back by itself
	for i, b := range found {
		was := b.(map[string]any)
		if is := after[len(after)-len(found)+i].(map[string]any); is["hash"] != was["hash"] {
			t.Errorf("before the kill a block was %v, then %v", was, is)
		}
	}
	to := ""
	for _, b := range after {
		b := b.(map[string]any)
		var is struct {
			Height        float64
			Confirmations int
			Tx            []struct {
				Vout []struct {
					ScriptPubKey struct{ Address string }
				}
			}
		}
		if err := chain.Ask(&is, "getblock", b["hash"], 2); err != nil || is.Height != b["height"] || is.Confirmations < 1 || b["account"] != "rigs" {
			t.Errorf("%v: on the chain it is %+v, %v", b, is, err)
		}
		to = is.Tx[0].Vout[0].ScriptPubKey.Address
	}
	accounts := d.get("pool/accounts").([]any)
	if n := accounts[0].(map[string]any)["found"].(float64); n < float64(len(after)) {
		t.Errorf("the account found %v blocks, and %d are listed", n, len(after))
	}
	exchange.stop(t)
	if log := exchange.errs.String(); !strings.HasPrefix(to, "tb1q") || !strings.Contains(log, "chain=BTC address="+to+"\n") {
		t.Errorf("blocks pay to %s, and the log says\n%s", to, log)
	}
	// None of the blocks can be spent yet: the books have nothing of them. The chain is that of the node all the same.
	if said := good(t, "", "verify", "--data", data, "--chain-node", "BTC="+chain.URL); !strings.Contains(said, ": BTC 0 in the books, 0 on the chain\nall is well: ") {
		t.Errorf("it is verified by %q", said)
	}
}

// open opens anna's mining account.
func open(t *testing.T, url string) {
	t.Helper()
	const path = "/api/v4/mining/accounts/create"
	body := fmt.Sprintf(`{"name":"rigs","request":%q,"nonce":%d}`, path, time.Now().UnixMilli())
	request, err := http.NewRequest("POST", url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	payload := based(body)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "X-TXC-APIKEY": "anna-key", "X-TXC-PAYLOAD": payload, "X-TXC-SIGNATURE": hexed(mac(sha512.New, "anna-secret", payload)),
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		t.Fatal(response.Status)
	}
}
