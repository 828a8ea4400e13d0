package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tradePrograms are the examples that trade, and how each is run. The one for ccxt is run by the tests
// in e2e, where ccxt is.
func tradePrograms(t *testing.T) map[string]string {
	t.Helper()
	compiled := filepath.Join(t.TempDir(), "trade")
	if out, err := exec.Command("go", "build", "-o", compiled, "../../examples/trade").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	programs := map[string]string{"Go": compiled}
	for language, name := range map[string]string{"shell": "trade.sh", "Python": "trade.py"} {
		path, err := filepath.Abs(filepath.Join("../../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		programs[language] = path
	}
	return programs
}

// try runs an example in a directory.
func try(t *testing.T, dir string, variables []string, program string, args ...string) (said, errs string, code int) {
	t.Helper()
	c := exec.Command(program, args...)
	var out, complaints bytes.Buffer
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), variables...), &out, &complaints
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), complaints.String(), c.ProcessState.ExitCode()
}

func TestExamplesTrade(t *testing.T) {
	url := serveVenue(t)
	programs := tradePrograms(t)
	alice := []string{"BOURSE_URL=" + url, "BOURSE_API_KEY=alice-key", "BOURSE_API_SECRET=alice-secret"}
	for language, program := range programs {
		if _, errs, code := try(t, "", alice, program, "ETH_USDT"); code != 1 || !strings.Contains(errs, "book of ETH_USDT needs a bid and an ask") {
			t.Errorf("%s: %d %q", language, code, errs)
		}
	}
	bob := []string{"BOURSE_URL=" + url, "BOURSE_API_KEY=bob-key", "BOURSE_API_SECRET=bob-secret"}
	for _, order := range []string{
		"BTC_USDT buy 0.5 59000", "BTC_USDT sell 0.5 60000", "USDT_EUR buy 100 0.9", "USDT_EUR sell 100 0.95",
		"ETH_BTC buy 1 0.03", "ETH_BTC sell 1 0.030001", // no tick in between
	} {
		if said, errs, code := try(t, "", bob, "../../examples/order.sh", strings.Fields(order)...); code != 0 || !strings.Contains(said, `"status":"OPEN"`) {
			t.Fatalf("%s: %d %s %s", order, code, said, errs)
		}
	}
	for market, want := range map[string]string{
		"BTC_USDT": "Balance: 1 BTC, 100000 USDT\nBook of BTC_USDT: best bid 59000, best ask 60000\nPlaced order #: buy 0.005 BTC at 59000.5 USDT\n",
		"USDT_EUR": "Balance: 100000 USDT, 10000 EUR\nBook of USDT_EUR: best bid 0.9, best ask 0.95\nPlaced order #: buy 5.56 USDT at 0.9001 EUR\n",
		"ETH_BTC":  "Balance: 10 ETH, 1 BTC\nBook of ETH_BTC: best bid 0.03, best ask 0.030001\nPlaced order #: buy 0.004 ETH at 0.03 BTC\n",
	} {
		_, amount, _ := strings.Cut(want, ": buy ")
		amount, _, _ = strings.Cut(amount, " at ")
		want += "Order # is open\nCanceled order #: " + amount + " left\n"
		for language, program := range programs {
			said, errs, code := try(t, "", alice, program, market)
			number := regexp.MustCompile(`order (\d+):`).FindStringSubmatch(said)
			if code != 0 || errs != "" || number == nil || said != strings.ReplaceAll(want, "#", number[1]) {
				t.Errorf("%s: %d\n%s%s\nwant\n%s", language, code, said, errs, want)
			}
		}
	}
	for language, program := range programs {
		for _, c := range []struct {
			variables []string
			market    string
			says      string
		}{
			{[]string{"BOURSE_URL=" + url, "BOURSE_API_KEY=alice-key", "BOURSE_API_SECRET=wrong"}, "BTC_USDT", `"message":"Unauthorized request."`},
			{alice, "BTC_GOLD", "no market BTC_GOLD"},
			{[]string{"BOURSE_URL=http://127.0.0.1:1", "BOURSE_API_KEY=k", "BOURSE_API_SECRET=s"}, "BTC_USDT", "127.0.0.1"},
		} {
			if _, errs, code := try(t, "", c.variables, program, c.market); code != 1 || !strings.Contains(errs, c.says) || strings.Contains(errs, "Traceback") {
				t.Errorf("%s: %d %q, want %q", language, code, errs, c.says)
			}
		}
	}
}

// TestExamplesReadTheDemo runs the examples as a newcomer does: without variables, where a demo wrote its
// address and keys.
func TestExamplesReadTheDemo(t *testing.T) {
	url, dir := serveVenue(t), t.TempDir()
	programs, none := tradePrograms(t), []string{"BOURSE_URL=", "BOURSE_API_KEY=", "BOURSE_API_SECRET="}
	for language, program := range programs {
		if _, errs, code := try(t, dir, none, program); code != 1 || !strings.Contains(errs, "set BOURSE_URL") || strings.Contains(errs, "Traceback") {
			t.Errorf("%s: %d %q", language, code, errs)
		}
	}
	order, err := filepath.Abs("../../examples/order.sh")
	if err != nil {
		t.Fatal(err)
	}
	compact := fmt.Sprintf(`{"rest":%q,"ws":"ws://x","operator":{"url":"http://x","token":"t"},`+
		`"accounts":[{"name":"alice","apiKey":"alice-key","secret":"alice-secret"},{"name":"bob","apiKey":"bob-key","secret":"bob-secret"}]}`, url)
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, demo := range []string{compact, strings.NewReplacer(`":`, `": `, `,"`, ",\n  \"", `{"`, "{\n  \"").Replace(compact)} {
		if err := os.WriteFile(filepath.Join(dir, "data", "demo.json"), []byte(demo), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"BTC_USDT sell 0.005 60000", "BTC_USDT buy 0.005 59000 bob-key bob-secret"} {
			if said, errs, code := try(t, dir, none, order, strings.Fields(line)...); code != 0 || !strings.Contains(said, `"status":"OPEN"`) {
				t.Fatalf("%s: %d %s %s", line, code, said, errs)
			}
		}
		for language, program := range programs {
			if said, errs, code := try(t, dir, none, program); code != 0 || !strings.Contains(said, "\nCanceled order ") {
				t.Errorf("%s: %d %s %s", language, code, said, errs)
			}
		}
	}
}
