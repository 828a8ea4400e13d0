package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bourse/internal/custody"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/schema"
)

// ether is a request to pay 1 ETH to an address; any seed can sign it.
func ether(payout schema.PayoutID, withdrawal schema.WithdrawalID) *driver.Request {
	tx := &evm.Transaction{Chain: 1, Nonce: uint64(payout), Tip: 1, Cap: 1_000_000_000, Gas: 21_000, To: [20]byte{19: 1}, Value: big.NewInt(1e18)}
	return &driver.Request{
		Chain: schema.Chain{Name: "ETH", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 1}, Payout: payout, Unsigned: tx.Unsigned(),
		Places: []driver.Place{{Own: schema.Hot}}, Asset: "ETH", Decimals: 18, Fee: fixed.MustParse("0.000021"), Anchor: "the hot address and its nonce",
		Withdrawals: []driver.Paid{{ID: withdrawal, Address: "0x0000000000000000000000000000000000000001", Amount: fixed.MustParse("1")}},
	}
}

// TestASeedIsMadeAndSignsWithoutANetwork goes the way of an operator whose people sign by hand.
func TestASeedIsMadeAndSignsWithoutANetwork(t *testing.T) {
	dir := t.TempDir()
	vault, files := filepath.Join(dir, "vault"), filepath.Join(dir, "to-sign")
	if said := good(t, "", "custody", "create", "--data", vault); !strings.HasPrefix(said, "made the seed in "+vault+"\ncopy it") {
		t.Error(said)
	}
	for _, name := range []string{"custody.seed", "master.key"} {
		if info, err := os.Stat(filepath.Join(vault, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(info, err)
		}
	}
	if _, errs, code := run(t, "", "custody", "create", "--data", vault); code != exitFailed || !strings.Contains(errs, "there is a seed already") {
		t.Errorf("%d %s", code, errs)
	}
	out := filepath.Join(files, custody.PublicFile)
	manual, err := custody.NewManual(files)
	if err != nil {
		t.Fatal(err)
	}
	table := squeezed(good(t, "", "custody", "public", "--data", vault, "--out", out))
	if len(table) != 11 || table[0] != "family net fingerprint first address hot address" {
		t.Errorf("%q", table)
	}
	for i, want := range []string{"bitcoin mainnet", "bitcoin testnet", "bitcoin signet", "bitcoin regtest", "bitcoin simnet", "evm mainnet"} {
		family, net, _ := strings.Cut(want, " ")
		space, err := custody.ParseSpace(family, net)
		if err != nil {
			t.Fatal(err)
		}
		p, err := manual.Public(t.Context(), space)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := p.Address(driver.Place{Index: 1})
		hot, _, _ := p.Address(driver.Place{Own: schema.Hot})
		if want += " " + p.Fingerprint() + " " + first + " " + hot; table[i+1] != want {
			t.Errorf("%s, want %s", table[i+1], want)
		}
	}
	var row struct{ Family, Net, Fingerprint string }
	if err := json.Unmarshal([]byte(strings.SplitN(good(t, "", "custody", "public", "--data", vault, "--json"), "\n", 2)[0]), &row); err != nil || row.Family != "bitcoin" || len(row.Fingerprint) != 16 {
		t.Error(row, err)
	}

	r := ether(7, 3)
	if _, err := manual.Sign(t.Context(), r); !errors.Is(err, driver.ErrWaiting) {
		t.Fatal(err)
	}
	file := filepath.Join(files, "payout-7-0.json")
	if said := good(t, "", "custody", "sign", "--data", vault, file, "--show"); said != custody.Describe(r) {
		t.Error(said)
	}
	if _, err := manual.Sign(t.Context(), r); !errors.Is(err, driver.ErrWaiting) {
		t.Error(err)
	}
	if said := good(t, "", "custody", "sign", "--data", vault, file); said != custody.Describe(r)+"\nsigned: "+filepath.Join(files, "payout-7-0.signed")+"\n" {
		t.Error(said)
	}
	if raw, err := manual.Sign(t.Context(), r); err != nil || len(raw) == 0 {
		t.Error(err)
	}
}

func TestCustodySaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	empty, note := filepath.Join(dir, "empty"), filepath.Join(dir, "note.json")
	if err := errors.Join(os.Mkdir(empty, 0o700), os.WriteFile(note, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	good(t, "", "custody", "create", "--data", filepath.Join(dir, "vault"))
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitFailed, "no such file", []string{"custody", "public", "--data", filepath.Join(dir, "none")}},
		{exitFailed, "there is no seed in " + empty, []string{"custody", "public", "--data", empty}},
		{exitFailed, "there are no keys for", []string{"custody", "sign", "--data", filepath.Join(dir, "vault"), note}},
		{exitUsage, "missing flags: --data=DIR", []string{"custody", "create"}},
		{exitFailed, "is not empty", []string{"signer", "init", filepath.Join(dir, "vault")}},
		{exitFailed, "there is no seed", []string{"signer", "serve", empty}},
		{exitFailed, "there is no seed", []string{"signer", "init", filepath.Join(dir, "new"), "--from", empty}},
	} {
		if _, errs, code := run(t, "", c.args...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%v: %d %s", c.args, code, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Error("a directory was made")
	}
}

// TestASignerOnItsOwn: with the seed of an exchange that had it before, it signs what it may, and remembers that over a restart.
func TestASignerOnItsOwn(t *testing.T) {
	dir := t.TempDir()
	vault, at, data := filepath.Join(dir, "vault"), filepath.Join(dir, "signer"), filepath.Join(dir, "data")
	key := filepath.Join(dir, "signer.key") // apart, since it signs for a mainnet
	good(t, "", "custody", "create", "--data", vault)
	if said := good(t, "", "signer", "init", at, "--from", vault, "--master-key", key); !strings.Contains(said, "move "+filepath.Join(at, "exchange.pem")) {
		t.Error(said)
	}
	if before, after := good(t, "", "custody", "public", "--data", vault), good(t, "", "custody", "public", "--data", at, "--master-key", key); before != after {
		t.Errorf("%s\n%s", before, after)
	}
	if err := errors.Join(os.Mkdir(data, 0o700), os.Rename(filepath.Join(at, "exchange.pem"), filepath.Join(data, "exchange.pem"))); err != nil {
		t.Fatal(err)
	}
	limits := `{"chains": {"ETH": {"family": "evm", "net": "mainnet", "number": 1, "fee": "0.01", "feeDay": "1",
		"assets": {"ETH": {"decimals": 18, "payout": "1", "hour": "2", "day": "3"}}}}}`
	if err := os.WriteFile(filepath.Join(at, "limits.json"), []byte(limits), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := func() (custody.Signer, func()) {
		process := exec.Command(binary, "signer", "serve", at, "--master-key", key, "--listen", "127.0.0.1:0")
		var errs bytes.Buffer
		process.Stderr = &errs
		out, err := process.StdoutPipe()
		if err == nil {
			err = process.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "signing at ")
		if err != nil || !ok {
			process.Wait()
			t.Fatalf("%q %v %s", line, err, errs.String())
		}
		signer, err := custody.ParseSigner("remote:"+url, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		return signer, func() {
			process.Process.Signal(syscall.SIGTERM)
			if err := process.Wait(); err != nil {
				t.Errorf("%v %s", err, errs.String())
			}
		}
	}
	signer, stop := serve()
	raw, err := signer.Sign(t.Context(), ether(7, 3))
	if err != nil {
		t.Fatal(err)
	}
	if _, errs, code := run(t, "", "signer", "release", at, "7", "--master-key", key); code != exitFailed || !strings.Contains(errs, "in use") {
		t.Errorf("%d %s", code, errs)
	}
	stop()
	signer, stop = serve()
	if again, err := signer.Sign(t.Context(), ether(7, 3)); err != nil || !bytes.Equal(again, raw) {
		t.Errorf("%x, %v", again, err)
	}
	if _, err := signer.Sign(t.Context(), ether(8, 3)); !errors.Is(err, custody.ErrRefused) {
		t.Error(err)
	}
	stop()
	if said := good(t, "", "signer", "release", at, "7", "--master-key", key); said != "payout 7 pays nobody any more; another one may pay withdrawals [3]\n" {
		t.Error(said)
	}
	signer, stop = serve()
	if _, err := signer.Sign(t.Context(), ether(8, 3)); err != nil {
		t.Error(err)
	}
	if _, err := signer.Sign(t.Context(), ether(9, 4)); !errors.Is(err, custody.ErrRefused) || !strings.Contains(err.Error(), "in this hour") {
		t.Error(err)
	}
	stop()
}
