package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// moved moves a file to a place of its own, as an operator does.
func moved(t *testing.T, from string) (to string) {
	t.Helper()
	to = filepath.Join(t.TempDir(), "exchange.key")
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	return to
}

// refuses wants an exchange not to start.
func refuses(t *testing.T, code int, says string, flags ...string) {
	t.Helper()
	args := append([]string{"serve", "--listen=127.0.0.1:0", "--operator=127.0.0.1:0"}, flags...)
	if _, errs, got := run(t, "", args...); got != code || !strings.Contains(errs, says) {
		t.Errorf("%v: %d %s, want %d %s", flags, got, errs, code, says)
	}
}

// TestTheMasterKeyIsApartFromTheData goes the way of a key: made elsewhere, named by a flag, a variable and a file, and never made a second time.
func TestTheMasterKeyIsApartFromTheData(t *testing.T) {
	data, key := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "exchange.key")
	beside := filepath.Join(data, "master.key")
	start(t, nil, "--setup", "../../examples/venue.json", "--data", data, "--master-key", key).stop(t)
	if _, err := os.Stat(beside); !os.IsNotExist(err) {
		t.Errorf("there is a key in the data directory, or %v", err)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	// What the log has sealed is opened with it, however it is named.
	signs := func(variables []string, flags ...string) {
		t.Helper()
		p := start(t, variables, append([]string{"--data", data}, flags...)...)
		as := []string{"BOURSE_URL=" + p.clients, "BOURSE_API_KEY=alice-key", "BOURSE_API_SECRET=alice-secret"}
		if said, errs, _ := try(t, "", as, "../../examples/order.sh", "BTC_USDT", "buy", "0.01", "50000"); !strings.Contains(said, `"orderId"`) {
			t.Errorf("%s %s", said, errs)
		}
		p.stop(t)
	}
	signs([]string{"BOURSE_MASTER_KEY=" + key})
	signs(nil, "--config", written(t, "bourse.yaml", "master-key: "+key+"\n"))
	refuses(t, exitFailed, "the master key is missing: put the key that this exchange was started with into "+beside+", or name the file that has it with --master-key", "--data", data)

	other := filepath.Join(t.TempDir(), "data")
	good(t, "", "custody", "create", "--data", other)
	refuses(t, exitUsage, "the master key is the wrong one", "--data", data, "--master-key", filepath.Join(other, "master.key"))
	if err := os.Rename(key, beside); err != nil {
		t.Fatal(err)
	}
	signs(nil)
	refuses(t, exitUsage, "move it with 'mv "+beside+" "+key+"'", "--data", data, "--master-key", key)
	if _, err := os.Stat(key); !os.IsNotExist(err) {
		t.Errorf("a second key was made, or %v", err)
	}
}

// TestABackupTakesTheKeyFromWhereItIs, and a restore puts it where it is said.
func TestABackupTakesTheKeyFromWhereItIs(t *testing.T) {
	dir := t.TempDir()
	data, key := filepath.Join(dir, "data"), filepath.Join(dir, "exchange.key")
	plain, kept := filepath.Join(dir, "plain.tar"), filepath.Join(dir, "kept.tar")
	start(t, nil, "--setup", "../../examples/venue.json", "--data", data, "--master-key", key).stop(t)
	text, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if said := good(t, "", "backup", "--data", data, "--master-key", key, "--out", plain); !strings.Contains(said, "the master key is not in it: keep a copy of "+key+" apart") {
		t.Error(said)
	}
	_, errs, code := run(t, "", "backup", "--data", data, "--out", kept, "--with-keys")
	if code != exitFailed || !strings.Contains(errs, "--with-keys reads the keys of the data directory") || !strings.Contains(errs, "name the file that has it with --master-key") {
		t.Errorf("%d %s", code, errs)
	}
	if said := good(t, "", "backup", "--data", data, "--master-key", key, "--out", kept, "--with-keys"); strings.Contains(said, "master key") {
		t.Error(said)
	}

	for _, c := range []struct{ from, to, says string }{
		{kept, "", ""},
		{kept, filepath.Join(t.TempDir(), "k"), ""},
		{kept, key, ""}, // which is there, and the same
		{plain, key, ""},
		{plain, filepath.Join(t.TempDir(), "k"), "put the exchange's master key into "},
	} {
		restored := filepath.Join(t.TempDir(), "restored")
		at, flags := filepath.Join(restored, "master.key"), []string{"--data", restored}
		if c.to != "" {
			at, flags = c.to, append(flags, "--master-key", c.to)
		}
		said := good(t, "", append([]string{"restore", "--in", c.from}, flags...)...)
		if c.says != "" {
			if !strings.Contains(said, c.says+at) {
				t.Error(said)
			}
			refuses(t, exitUsage, "the master key is missing", flags...)
			continue
		}
		if got, err := os.ReadFile(at); strings.Contains(said, "master key") || err != nil || string(got) != string(text) {
			t.Errorf("%s: %v\n%s", at, err, said)
		}
		if _, err := os.Stat(filepath.Join(restored, "master.key")); (err == nil) != (c.to == "") {
			t.Errorf("%+v: %v", c, err)
		}
		if names := accountsOf(t, start(t, nil, flags...).operators, restored); !names["alice"] {
			t.Error(names)
		}
	}

	another, restored := written(t, "another.key", strings.Repeat("ab", 32)), filepath.Join(t.TempDir(), "restored")
	for _, c := range []struct{ at, says string }{
		{another, "there is another master key already: " + another},
		{filepath.Join(dir, "none", "k"), "looking at the directory of the master key"},
	} {
		_, errs, code := run(t, "", "restore", "--in", kept, "--data", restored, "--master-key", c.at)
		if code != exitFailed || !strings.Contains(errs, c.says) {
			t.Errorf("%d %s, want %s", code, errs, c.says)
		}
		if left, err := filepath.Glob(restored + "*"); len(left) > 0 || err != nil {
			t.Errorf("%v %v", left, err)
		}
	}
}

// ethers is a venue on the chain of Ether.
const ethers = `{"chains": [{"name": "ETH", "driver": "evm", "family": "evm", "net": "mainnet", "number": 1}]}`

// TestRealCoinsAreNotSignedForBesideTheirKey: an exchange whose data directory would be enough for a thief does not start.
func TestRealCoinsAreNotSignedForBesideTheirKey(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	beside, setup := filepath.Join(data, "master.key"), written(t, "venue.json", ethers)
	says := "chain ETH: the seed and the master key that opens it are in one place: who copies " + data + " has the coins; stop, run 'mv " + beside +
		" /another/place/master.key', and start with --master-key /another/place/master.key"
	good(t, "", "custody", "create", "--data", data)
	refuses(t, exitUsage, says, "--data", data, "--setup", setup) // which brings the chain
	refuses(t, exitUsage, says, "--data", data)
	if _, errs, _ := run(t, "", "config", "--data", data); errs != "" {
		t.Error(errs)
	}
	// Who signs elsewhere, or not at all, is only warned: the seed can be taken away.
	p := start(t, nil, "--data", data, "--signer", "none")
	p.stop(t)
	if said := p.errs.String(); !strings.Contains(said, "a seed is left that nobody signs with here") {
		t.Error(said)
	}
	// Nothing but what an exchange signs with is refused.
	good(t, "", "custody", "public", "--data", data)
	start(t, nil, "--data", data, "--master-key", moved(t, beside)).stop(t)
}

// TestAChainOfRealCoinsIsNamedWhileTheExchangeRuns: it is not followed, which /readyz and the log say, and the next start is refused.
func TestAChainOfRealCoinsIsNamedWhileTheExchangeRuns(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	good(t, "", "custody", "create", "--data", data)
	flags := []string{"--data", data, "--chain-node", "ETH=http://127.0.0.1:1", "--chain-node", "TRY=http://127.0.0.1:1"}
	p := start(t, nil, flags...)
	create := func(name, net, number string) {
		t.Helper()
		good(t, "", "operator", "--url", p.operators, "--data", data, "chain", "create", name, "--driver", "evm", "--family", "evm", "--net", net, "--number", number)
	}
	says := func(text string) {
		t.Helper()
		await(t, "/readyz says "+text, func() bool {
			response, err := http.Get(p.operators + "/readyz")
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			return err == nil && strings.Contains(string(body), text)
		})
	}
	create("ETH", "mainnet", "1")
	create("TRY", "testnet", "11155111")
	says("chain ETH: the seed and the master key that opens it are in one place")
	says("chain TRY: eth_chainId: ") // its node is asked, and does not answer
	p.stop(t)
	if said := p.errs.String(); !strings.Contains(said, "a chain is not followed yet") || !strings.Contains(said, "are in one place") {
		t.Error(said)
	}
	refuses(t, exitUsage, "run 'mv ", flags...)
	p = start(t, nil, append(flags, "--master-key", moved(t, filepath.Join(data, "master.key")))...)
	says("chain ETH: eth_chainId: ")
}

// TestASignerOfRealCoinsDoesNotStartBesideItsKey: its directory is a place as good as a data directory to steal from.
func TestASignerOfRealCoinsDoesNotStartBesideItsKey(t *testing.T) {
	dir := t.TempDir()
	vault, at, key := filepath.Join(dir, "vault"), filepath.Join(dir, "signer"), filepath.Join(dir, "vault.key")
	good(t, "", "custody", "create", "--data", vault, "--master-key", key)
	if _, errs, code := run(t, "", "signer", "init", at, "--from", vault); code != exitFailed || !strings.Contains(errs, "the master key is missing") {
		t.Errorf("%d %s", code, errs)
	}
	if _, errs, code := run(t, "", "signer", "init", at, "--from-master-key", key); code != exitUsage || !strings.Contains(errs, "name that with --from") {
		t.Errorf("%d %s", code, errs)
	}
	good(t, "", "signer", "init", at, "--from", vault, "--from-master-key", key)
	if before, after := good(t, "", "custody", "public", "--data", vault, "--master-key", key), good(t, "", "custody", "public", "--data", at); before != after {
		t.Errorf("%s\n%s", before, after)
	}
	limits := func(net string) {
		t.Helper()
		text := `{"chains": {"BTC": {"family": "bitcoin", "net": "` + net + `", "fee": "1", "feeDay": "1", "assets": {}}}}`
		if err := os.WriteFile(filepath.Join(at, "limits.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	limits("signet")
	good(t, "", "signer", "serve", at, "--check")
	limits("mainnet")
	for _, args := range [][]string{{"signer", "serve", at}, {"signer", "release", at, "7"}} {
		if _, errs, code := run(t, "", args...); code != exitUsage || !strings.Contains(errs, "chain BTC of limits.json: the seed and the master key that opens it are in one place") {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	good(t, "", "signer", "serve", at, "--check", "--master-key", moved(t, filepath.Join(at, "master.key")))
}
