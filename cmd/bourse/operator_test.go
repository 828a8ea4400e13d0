package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	operations "bourse/internal/api/table"
)

// desk is where an operator sits: a real exchange, and the program that asks it.
type desk struct {
	*testing.T
	url, clients, data string
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	clients, url, data := startVenue(t)
	return &desk{t, url, clients, data}
}

// try types a command and returns all that comes of it.
func (d *desk) try(stdin string, args ...string) (out, errs string, code int) {
	d.Helper()
	return run(d.T, stdin, append([]string{"operator", "--url", d.url, "--data", d.data}, args...)...)
}

// do types a command, which must be done.
func (d *desk) do(args ...string) string {
	d.Helper()
	out, errs, code := d.try("", args...)
	if code != 0 {
		d.Fatalf("%v: %d %q %q", args, code, out, errs)
	}
	return out
}

// json types a command with --json and reads what it prints.
func (d *desk) json(args ...string) any {
	d.Helper()
	return parsed(d.T, d.do(append(args, "--json")...))
}

func parsed(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// get asks the API itself.
func (d *desk) get(path string) any {
	d.Helper()
	_, text := asOperator(d.T, d.data, "GET", d.url+"/v1/"+path, "")
	return parsed(d.T, text)
}

// has checks that an object has members with these values, as JSON.
func (d *desk) has(got any, want string) {
	d.Helper()
	o, _ := got.(map[string]any)
	for name, value := range parsed(d.T, want).(map[string]any) {
		if !reflect.DeepEqual(o[name], value) {
			d.Errorf("%s is %v, not %v, in %v", name, o[name], value, got)
		}
	}
}

// same checks that two JSON values are the same.
func (d *desk) same(got, want any) {
	d.Helper()
	if !reflect.DeepEqual(got, want) {
		d.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

// prints checks what is printed, letter by letter.
func (d *desk) prints(got, want string) {
	d.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		d.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// refuses types a command that must fail, and says how.
func (d *desk) refuses(code int, want string, args ...string) {
	d.Helper()
	out, errs, got := d.try("", args...)
	if first, _, _ := strings.Cut(errs, "\n"); got != code || first != "bourse: "+want || out != "" {
		d.Errorf("%v: %d %q\n%s\nwant %d\nbourse: %s", args, got, out, errs, code, want)
	}
}

func TestOperatorAccounts(t *testing.T) {
	d := openDesk(t)
	d.do("accounts", "create", "dave", "--region", "eu", "--retail", "--rpi", "--partner", "--mining", "--tradfi", "--maker-fee=-0.01", "--taker-fee", "0.05")
	d.has(d.get("accounts/dave"), `{"name":"dave","region":"eu","blocked":false,"retail":true,"rpi":true,"partner":true,"mining":true,"tradfi":true,"maker_fee":"-0.01","taker_fee":"0.05"}`)

	d.do("accounts", "set", "dave", "--no-retail", "--no-rpi", "--no-tradfi", "--region", "global", "--maker-fee", "none", "--rename", "d/v d")
	changed := d.get("accounts/d%2Fv%20d")
	d.has(changed, `{"id":104,"name":"d/v d","region":"global","retail":false,"rpi":false,"partner":true,"mining":true,"tradfi":false,"maker_fee":null,"taker_fee":"0.05"}`)
	d.same(d.json("accounts", "show", "d/v d"), changed)
	d.do("accounts", "block", "d/v d")
	d.has(d.get("accounts/d%2Fv%20d"), `{"blocked":true,"partner":true}`)
	d.do("accounts", "unblock", "d/v d")
	d.has(d.get("accounts/d%2Fv%20d"), `{"blocked":false,"partner":true}`)
	d.same(d.json("accounts", "list"), d.get("accounts"))

	created := func(account string) string {
		t.Helper()
		at, err := time.Parse(time.RFC3339, d.get("accounts/" + account).(map[string]any)["created"].(string))
		if err != nil {
			t.Fatal(err)
		}
		return at.Local().Format(time.RFC3339)
	}
	d.prints(d.do("accounts", "show", "d/v d"), `
id                104
name              d/v d
region            global
blocked           no
retail            no
rpi               no
partner           yes
mining            yes
tradfi            no
maker fee         -
taker fee         0.05
max leverage      0
tier              0
verified          no
restricted until  -
new addresses     no
checker           no
credit line       no
invoices          no
deposits          no
approvals         no
kyc links         no
multi invest      no
created           `+created("d%2Fv%20d")+"\n")
	wantLines(t, d.do("accounts", "list"),
		"id name region blocked retail rpi partner mining tradfi verified tier maker fee taker fee created",
		"101 alice global no no no no no no yes 0 - - "+created("alice"), "102 bob global no no no no no no yes 0 - - "+created("bob"),
		"103 carol global no yes yes yes yes yes yes 0 - - "+created("carol"), "104 d/v d global no no no yes yes no no 0 - 0.05 "+created("d%2Fv%20d"))

	d.refuses(1, `there is no account "nobody"`, "accounts", "show", "nobody")
	d.refuses(1, `The name is taken. (name)`, "accounts", "create", "alice")
	d.refuses(1, `account zoe: a region is global or eu, not "mars"`, "accounts", "create", "zoe", "--region", "mars")
	d.refuses(2, "operator accounts set: there is nothing to change: give at least one setting", "accounts", "set", "alice")
}

func TestOperatorKeys(t *testing.T) {
	d := openDesk(t)
	d.do("accounts", "create", "dave")
	d.prints(d.do("keys", "list", "dave"), "no keys\n")

	made := d.json("keys", "create", "dave", "--title", "bot", "--path", "/api/v4/order/new", "--path", "/api/v4/order/cancel", "--address", "10.0.0.1", "--disabled")
	d.has(made, `{"title":"bot","enabled":false,"urls":["/api/v4/order/new","/api/v4/order/cancel"],"addresses":["10.0.0.1"],"account":"dave"}`)
	name := made.(map[string]any)["key"].(string)
	if secret := made.(map[string]any)["secret"].(string); len(name) != 32 || len(secret) != 64 {
		t.Errorf("key %q, secret %q", name, secret)
	}
	key := func() any { return d.get("accounts/dave/keys").([]any)[0] }

	d.do("keys", "enable", name)
	d.has(key(), `{"enabled":true,"title":"bot","addresses":["10.0.0.1"]}`)
	d.do("keys", "disable", name)
	d.has(key(), `{"enabled":false,"title":"bot"}`)
	d.do("keys", "restrict", name, "--path", "/api/v4/trade-account/balance", "--any-address")
	d.has(key(), `{"urls":["/api/v4/trade-account/balance"],"addresses":[],"enabled":false}`)
	d.do("keys", "restrict", name, "--all-paths", "--address", "10.0.0.2", "--address", "::1")
	d.has(key(), `{"urls":["*"],"addresses":["10.0.0.2","::1"]}`)
	d.same(d.json("keys", "list", "dave"), d.get("accounts/dave/keys"))
	if lines := squeezed(d.do("keys", "list", "dave")); len(lines) != 2 || lines[0] != "key title enabled urls addresses created" ||
		!strings.HasPrefix(lines[1], name+" bot no * 10.0.0.2, ::1 20") {
		t.Errorf("got %q", lines)
	}
	d.prints(d.do("keys", "delete", name), "deleted  "+name+"\n")
	d.same(d.get("accounts/dave/keys"), []any{})

	out, errs, code := d.try("from my vault\n", "keys", "create", "dave", "--key", "mine", "--secret-file", "-")
	if code != 0 || !strings.HasSuffix(out, "\nsecret     from my vault\n") || errs != "Keep the secret: it is not shown again.\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	d.has(key(), `{"key":"mine","enabled":true,"urls":["*"],"addresses":[]}`)

	d.refuses(1, `there is a key "mine" already (key)`, "keys", "create", "alice", "--key", "mine")
	d.refuses(1, `there is no key "theirs"`, "keys", "enable", "theirs")
	_, err := operations.URLs([]string{"/x"})
	d.refuses(1, err.Error()+" (urls)", "keys", "restrict", "mine", "--path", "/x")
	d.do("keys", "restrict", "mine", "--path", "wallet", "--path", "/api/v4/jwt")
	d.has(key(), `{"urls":["/api/v4/main-account/balance","/api/v4/main-account/fee","/api/v4/main-account/history","/api/v4/main-account/withdrawable-balance",
		"/api/v4/main-account/refund-history","/api/v4/credit-line/loans/info","/api/v4/travel-rule/vasps","/api/v4/jwt"]}`)
	for _, words := range []string{"create", "restrict"} {
		help := good(t, "", "operator", "keys", words, "--help")
		for _, group := range operations.GroupNames() {
			if !strings.Contains(help, " "+group+",") && !strings.Contains(help, " "+group+";") {
				t.Errorf("keys %s does not name the group %s:\n%s", words, group, help)
			}
		}
	}
	d.refuses(2, "--path and --all-paths can't be used together", "keys", "restrict", "mine", "--path", "/x", "--all-paths")
	d.refuses(2, "operator keys restrict: there is nothing to change: give at least one setting", "keys", "restrict", "mine")
	if _, errs, code := d.try("", "keys", "delete", ".."); code != 1 || !strings.Contains(errs, "307") {
		t.Errorf("a path that is not itself: %d %q", code, errs)
	}
}

func TestOperatorFeesAndMoney(t *testing.T) {
	d := openDesk(t)
	d.do("accounts", "create", "dave")
	d.prints(d.do("fees", "list", "dave"), "no fees of its own\n")
	d.do("fees", "set", "dave", "BTC_USDT", "--maker=-0.01", "--taker", "0.02")
	d.do("fees", "set", "dave", "ETH_USDT", "--taker", "0")
	d.same(d.get("accounts/dave/fees"), parsed(t, `[{"market":"BTC_USDT","maker":"-0.01","taker":"0.02"},{"market":"ETH_USDT","maker":null,"taker":"0"}]`))
	d.same(d.json("fees", "list", "dave"), d.get("accounts/dave/fees"))
	d.prints(d.do("fees", "list", "dave"), `
market    maker  taker
BTC_USDT  -0.01   0.02
ETH_USDT      -      0
`)
	d.do("fees", "clear", "dave", "BTC_USDT")
	d.same(d.get("accounts/dave/fees"), parsed(t, `[{"market":"ETH_USDT","maker":null,"taker":"0"}]`))
	d.refuses(1, `there is no market "BTC_GOLD"`, "fees", "set", "dave", "BTC_GOLD", "--taker", "1")
	d.refuses(2, "operator fees set: there is nothing to change: give at least one setting", "fees", "set", "dave", "BTC_USDT")

	d.prints(d.do("balances", "dave"), "no money\n")
	d.prints(d.do("statement", "dave"), "no changes\n")
	d.prints(d.do("statement", "dave", "--json"), "")
	d.do("deposit", "dave", "BTC", "2.000000000000000001")
	d.do("deposit", "dave", "BTC", "0.5", "--held")
	d.do("confirm", "dave", "BTC", "0.2")
	d.prints(d.do("withdraw", "dave", "BTC", "1"), `
wallet  asset             available  frozen  held
main    BTC    1.500000000000000001       0   0.3
`)
	d.same(d.json("deposit", "dave", "EUR", "10"), d.get("accounts/dave/balances"))
	d.same(d.get("accounts/dave/balances"), parsed(t, `[
		{"wallet":"main","asset":"BTC","available":"1.500000000000000001","frozen":"0","held":"0.3"},
		{"wallet":"main","asset":"EUR","available":"10","frozen":"0","held":"0"}]`))
	d.same(d.json("balances", "dave"), d.get("accounts/dave/balances"))
	d.same(d.json("balances", "house"), []any{})
	d.prints(d.do("deposit", "dave", "USDT", "25", "--wallet", "trade"), `
wallet  asset             available  frozen  held
main    BTC    1.500000000000000001       0   0.3
main    EUR                      10       0     0
trade   USDT                     25       0     0
`)
	d.refuses(1, "The amount may not have more decimals than 6. (amount)", "deposit", "dave", "USDT", "0.0000001", "--wallet", "trade")
	d.refuses(2, `--wallet must be one of "main","trade" but got "earn"`, "deposit", "dave", "USDT", "1", "--wallet", "earn")

	lines := strings.Split(strings.TrimSpace(d.do("statement", "dave", "--asset", "BTC", "--wallet", "main", "--json")), "\n")
	var changes []string
	for _, line := range lines {
		changes = append(changes, parsed(t, line).(map[string]any)["change"].(string))
	}
	if got := strings.Join(changes, " "); got != "2.000000000000000001 0.5 0 0 -1" {
		t.Errorf("got %s", got)
	}
	rows := squeezed(d.do("statement", "dave"))
	if len(rows) != 10 || rows[0] != "batch time wallet asset change cause order deal available frozen held" ||
		!strings.HasSuffix(rows[5], " main BTC -1 withdrawal - - 1.500000000000000001 0 0.3") || !strings.HasSuffix(rows[6], " main EUR 10 deposit - - 10 0 0") {
		t.Errorf("got %s", strings.Join(rows, "\n"))
	}
	if trade := squeezed(d.do("statement", "dave", "--wallet", "trade")); len(trade) != 2 || !strings.HasSuffix(trade[1], " trade USDT 25 transfer - - 25 0 0") {
		t.Errorf("got %s", strings.Join(trade, "\n"))
	}

	d.refuses(1, `there is no asset "GOLD" (asset)`, "deposit", "dave", "GOLD", "1")
	d.refuses(1, `there is no account "nobody"`, "deposit", "nobody", "BTC", "1")
	d.refuses(1, `there is no account "nobody" at that place of the log; there are alice, bob, carol, clearing, codes, convert, custody, dave, fees, house, insurance, interest, lending, outside, pool, suspense`, "statement", "nobody")
}

func TestOperatorPlatformAndAudit(t *testing.T) {
	d := openDesk(t)
	d.prints(d.do("platform"), "maintenance    no\nstep rule      yes\nbounded work   yes\nexact money    yes\nexact nonces   yes\njudged keys    yes\ntwo operators  yes\nidle keys      yes\n")
	d.prints(d.do("platform", "maintenance", "on"), "maintenance    yes\nstep rule      yes\nbounded work   yes\nexact money    yes\nexact nonces   yes\njudged keys    yes\ntwo operators  yes\nidle keys      yes\n")
	d.same(d.get("platform"), parsed(t, `{"maintenance":true,"step_rule":true,"bounded_work":true,"exact_money":true,"exact_nonces":true,"judged_keys":true,"two_operators":true,"idle_keys":true}`))
	d.prints(d.do("platform", "step-rule", "off"), "maintenance    yes\nstep rule      no\nbounded work   yes\nexact money    yes\nexact nonces   yes\njudged keys    yes\ntwo operators  yes\nidle keys      yes\n")
	d.do("platform", "maintenance", "off")
	d.prints(d.do("platform", "status", "--json"), "{\n  \"maintenance\": false,\n  \"step_rule\": false,\n  \"bounded_work\": true,\n  \"exact_money\": true,\n  \"exact_nonces\": true,\n  \"judged_keys\": true,\n  \"two_operators\": true,\n  \"idle_keys\": true\n}\n")

	file := filepath.Join(d.data, "operators", "olga.token")
	d.prints(d.do("token", "olga"), "operator  olga\nfile      "+file+"\n")
	d.refuses(1, "olga has a token already; remove "+file+" first", "token", "olga")
	d.has(d.json("token", "otto"), `{"operator":"otto"}`)
	d.do("--token-file", file, "deposit", "alice", "BTC", "1")
	d.refuses(1, "Not enough money, balance = 6 (amount)", "--token-file", file, "withdraw", "alice", "BTC", "1000")
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("BOURSE_OPERATOR_TOKEN", strings.TrimSpace(string(token)))
	d.do("index", "set", "BTC_USDT", "100")
	t.Setenv("BOURSE_OPERATOR_TOKEN", "")

	d.same(d.json("audit"), d.get("audit"))
	acts := d.json("audit", "--operator", "olga").([]any)
	if len(acts) != 3 {
		t.Fatalf("got %v", acts)
	}
	d.has(acts[0], `{"operator":"olga","refusal":"","command":{"set_index":{"market":1,"price":"100"}}}`)
	d.has(acts[1], `{"operator":"olga","refusal":"Not enough money, balance = 6","command":{"withdraw":{"account":101,"asset":1,"amount":"1000"}}}`)
	d.has(acts[2], `{"operator":"olga","refusal":"","command":{"deposit":{"account":101,"asset":1,"amount":"1"}}}`)
	d.has(d.json("audit", "--operator", "operator").([]any)[0], `{"operator":"operator","command":{"set_feature":{"feature":2}}}`)
	if out := d.do("audit", "--operator", "olga", "--limit", "1"); !strings.Contains(out, `olga      -        BTC_USDT  set_index  {"market":1,"price":"100"}`) {
		t.Errorf("got\n%s", out)
	}
	d.prints(d.do("audit", "--to=-1h"), "no acts\n")
	d.prints(d.do("audit", "--from", "+1h"), "no acts\n")
	d.same(d.json("audit", "--from=-1h", "--to", "+1h"), d.get("audit"))
	d.refuses(2, `<state> must be one of "on","off" but got "maybe"`, "platform", "maintenance", "maybe")
	d.refuses(1, `limit is a whole number from 1 to 1000, not "5000" (limit)`, "audit", "--limit", "5000")
}

func TestOperatorSaysWhatIsWrongWithTheWay(t *testing.T) {
	d := openDesk(t)
	stranger := filepath.Join(t.TempDir(), "stranger")
	if err := os.WriteFile(stranger, []byte(strings.Repeat("ab", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.refuses(1, "the exchange at "+d.url+" knows no operator with the token of "+stranger+
		"; it takes those of NAME.token in the directory 'operators' of its data that only their owner can read", "--token-file", stranger, "platform")
	t.Setenv("BOURSE_OPERATOR_TOKEN", strings.Repeat("cd", 32))
	d.refuses(1, "the exchange at "+d.url+" knows no operator with the token of BOURSE_OPERATOR_TOKEN"+
		"; it takes those of NAME.token in the directory 'operators' of its data that only their owner can read", "platform")
	t.Setenv("BOURSE_OPERATOR_TOKEN", "two\nlines")
	d.refuses(1, "BOURSE_OPERATOR_TOKEN does not hold an operator's token", "platform")
	t.Setenv("BOURSE_OPERATOR_TOKEN", "")

	if err := os.WriteFile(stranger, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.refuses(1, stranger+" does not hold an operator's token", "--token-file", stranger, "platform")
	const advice = "; say where it is with --token-file or --data, or put it into BOURSE_OPERATOR_TOKEN"
	d.refuses(1, "reading your token: open /no-such-file: no such file or directory"+advice, "--token-file", "/no-such-file", "platform")
	d.refuses(1, "reading your token: open /no-such-dir/operators/operator.token: no such file or directory"+advice, "--data", "/no-such-dir", "platform")
	d.refuses(1, "stat /no-such-dir/operators: no such file or directory; --data names the data directory of an exchange that was served at least once",
		"--data", "/no-such-dir", "token", "olga")
	d.refuses(1, `"a b" cannot be the name of an operator: use up to 64 letters, digits, dots, dashes and underscores`, "token", "a b")

	d.refuses(1, "nobody answers at http://127.0.0.1:1: is 'bourse serve' running, and are its operators served there? --url names another address",
		"--url", "http://127.0.0.1:1", "platform")
	d.refuses(1, d.clients+" answers 404 Not Found: are operators served there? --url names another address", "--url", d.clients, "platform")
	d.refuses(1, `"127.0.0.1:8081" is not the address of an exchange; --url wants one such as http://127.0.0.1:8081`, "--url", "127.0.0.1:8081", "platform")
	t.Setenv("BOURSE_OPERATOR_URL", d.url)
	if out, errs, code := run(t, "", "operator", "platform", "--data", d.data); code != 0 || out != "maintenance    no\nstep rule      yes\nbounded work   yes\nexact money    yes\nexact nonces   yes\njudged keys    yes\ntwo operators  yes\nidle keys      yes\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if _, errs, code := d.try("", "accounts", "dance"); code != 2 || !strings.Contains(errs, "dance") {
		t.Errorf("%d %q", code, errs)
	}
}

// stage is an exchange that answers what a test wants; its operator's token is in a file.
func stage(t *testing.T, answer http.HandlerFunc) (args []string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(strings.Repeat("ab", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"operator", "--url", server.URL + "/", "--token-file", token}
}

// TestOperatorStatementComesAsItIsMade has an exchange that sends a line only when the one before
// was printed.
func TestOperatorStatementComesAsItIsMade(t *testing.T) {
	printed := make(chan struct{})
	args := stage(t, func(w http.ResponseWriter, r *http.Request) {
		for i := 1; i <= 3; i++ {
			fmt.Fprintf(w, `{"batch":%d,"time":"2026-10-01T00:00:00Z","wallet":"main","asset":"BTC","change":"1","cause":"deposit","available":"%d","frozen":"0","held":"0"}`+"\n", i, i)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-printed:
			case <-r.Context().Done():
			}
		}
		panic(http.ErrAbortHandler)
	})
	cmd := exec.Command(binary, append(args, "statement", "alice")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // the names of the columns
	for i := 1; i <= 3; i++ {
		if !lines.Scan() || !strings.HasPrefix(strings.TrimSpace(lines.Text()), fmt.Sprint(i)) {
			t.Fatalf("line %d is %q", i, lines.Text())
		}
		printed <- struct{}{}
	}
	if lines.Scan() {
		t.Errorf("there is %q", lines.Text())
	}
	if err := cmd.Wait(); err == nil || errs.String() != "bourse: the answer was cut off after 3 lines (unexpected EOF); the log of the exchange says why\n" {
		t.Errorf("%v %q", err, errs.String())
	}
}

func TestOperatorListsAllAccounts(t *testing.T) {
	args := stage(t, func(w http.ResponseWriter, r *http.Request) {
		var list []map[string]string
		for i := range 2300 {
			list = append(list, map[string]string{"name": fmt.Sprintf("a<%d>", i)})
		}
		var limit, offset int
		if _, err := fmt.Sscan(r.FormValue("limit")+" "+r.FormValue("offset"), &limit, &offset); err != nil {
			t.Error(err)
		}
		_ = json.NewEncoder(w).Encode(list[offset:min(offset+limit, len(list))])
	})
	list := parsed(t, good(t, "", append(args, "accounts", "list", "--json")...)).([]any)
	if len(list) != 2300 || list[2299].(map[string]any)["name"] != "a<2299>" {
		t.Errorf("got %d: %v", len(list), list[len(list)-1])
	}
	if lines := squeezed(good(t, "", append(args, "accounts", "list")...)); len(lines) != 2301 || !strings.HasPrefix(lines[2300], "- a<2299> -") {
		t.Errorf("got %d: %s", len(lines), lines[len(lines)-1])
	}
}

func TestOperatorSaysSoWhenThereIsNothing(t *testing.T) {
	args := stage(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "[]") })
	for words, want := range map[string]string{
		"accounts list": "no accounts\n", "assets list": "no assets\n", "markets list": "no markets\n", "audit": "no acts\n", "keys list a": "no keys\n",
		"chain list": "no chains\n", "deposits": "no deposits\n", "withdrawals": "no withdrawals\n", "owed": "nothing is owed\n",
		"credit list": "no credits\n", "verdicts list": "no verdicts\n",
	} {
		if out := good(t, "", append(args, strings.Fields(words)...)...); out != want {
			t.Errorf("%s: %q", words, out)
		}
	}
}

func TestTimesAreThoseOfTheReader(t *testing.T) {
	zone := time.Local
	t.Cleanup(func() { time.Local = zone })
	time.Local = time.FixedZone("", 9*60*60)
	for value, want := range map[string]any{
		`"2026-10-01T20:00:00.123456Z"`: "2026-10-02T05:00:00+09:00", "1790884800": "2026-10-02T05:00:00+09:00", "0": nil, "null": nil, "": nil,
	} {
		if got := readable("opens_at", json.RawMessage(value)); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}
