package main

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bourse/internal/custody"
)

func TestAnOperatorsKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "olga.key")
	made := good(t, "", "operator", "key", "create", file)
	public := strings.TrimSpace(field(made, "public"))
	if raw, err := hex.DecodeString(public); err != nil || len(raw) != ed25519.PublicKeySize {
		t.Fatal(made)
	}
	if shown := good(t, "", "operator", "key", "show", file); shown != made {
		t.Errorf("%s\n%s", shown, made)
	}
	var row struct{ File, Public string }
	if err := json.Unmarshal([]byte(good(t, "", "operator", "--json", "key", "show", file)), &row); err != nil || row.File != file || row.Public != public {
		t.Error(row, err)
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{file + " is there already: a key is never replaced", []string{"create", file}},
		{"no such file", []string{"show", file + "s"}},
	} {
		if _, errs, code := run(t, "", append([]string{"operator", "key"}, c.args...)...); code != exitFailed || !strings.Contains(errs, c.says) {
			t.Errorf("%v: %d %s", c.args, code, errs)
		}
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := run(t, "", "operator", "key", "show", file); code != exitFailed || !strings.Contains(errs, "can be read by others") {
		t.Errorf("%d %s", code, errs)
	}
}

// TestOperatorsSignWhatTheySee: the exchange shows what it would pay; what is sent back is the signature of exactly that, and only after a yes.
func TestOperatorsSignWhatTheySee(t *testing.T) {
	file := filepath.Join(t.TempDir(), "olga.key")
	good(t, "", "operator", "key", "create", file)
	key, err := custody.ReadOperatorKey(file)
	if err != nil {
		t.Fatal(err)
	}
	shown := custody.Approval{
		Withdrawal: 7, Chain: "BTC", Family: "bitcoin", Net: "mainnet", Keys: strings.Repeat("0a", 32), Asset: "BTC", Address: "bc1qcustomer", Amount: "0.5",
	}
	asked := make(chan string, 2)
	args := stage(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- strings.TrimSpace(r.Method + " " + r.URL.String() + " " + string(body))
		if r.Method == "GET" {
			text, _ := json.Marshal(shown)
			w.Write(text)
			return
		}
		fmt.Fprintln(w, `{"id":7,"decision":"approve","account":"alice","asset":"BTC","amount":"0.5","needed":0}`)
	})
	for _, decision := range []string{"approve", "sign"} {
		out, errs, code := run(t, "yes\n", append(args, "withdrawal", "7", decision, "--key", file)...)
		if want := "Withdrawal 7: 0.5 BTC to bc1qcustomer\non BTC (bitcoin mainnet)\nby the exchange whose keys have the fingerprint 0a0a0a0a0a0a0a0a\n\n" +
			"Type 'yes' to sign this: "; code != 0 || errs != want || !strings.Contains(out, "alice") {
			t.Errorf("%d %q %q", code, errs, out)
		}
		if got := <-asked; got != "GET /v1/withdrawals/7/approval" {
			t.Errorf("asked %s", got)
		}
		if got, want := <-asked, `POST /v1/withdrawals/7/decision {"decision":"`+decision+`","signature":"`+hex.EncodeToString(shown.Sign(key))+`"}`; got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
	}
	for _, said := range []string{"", "no\n", "y\n", "YES\n"} {
		if _, errs, code := run(t, said, append(args, "withdrawal", "7", "approve", "--key", file)...); code != exitFailed || !strings.Contains(errs, "nothing was signed or decided") {
			t.Errorf("%q: %d %s", said, code, errs)
		}
		<-asked
	}
	shown.Withdrawal = 8
	if _, errs, code := run(t, "yes\n", append(args, "withdrawal", "7", "sign", "--key", file)...); code != exitFailed || !strings.Contains(errs, "the exchange shows withdrawal 8 instead of 7") {
		t.Errorf("%d %s", code, errs)
	}
	<-asked
	for says, more := range map[string][]string{
		"sign needs --key FILE": {"sign"}, "cancel brings no signature: leave out --key": {"cancel", "--key", file},
	} {
		if _, errs, code := run(t, "", append(append(args, "withdrawal", "7"), more...)...); code != exitUsage || !strings.Contains(errs, says) {
			t.Errorf("%v: %d %s", more, code, errs)
		}
	}
	if _, errs, code := run(t, "yes\n", append(args, "withdrawal", "7", "approve", "--key", file+"s")...); code != exitFailed || !strings.Contains(errs, "no such file") {
		t.Errorf("%d %s", code, errs)
	}
	if len(asked) != 0 {
		t.Errorf("asked %s", <-asked)
	}
}
