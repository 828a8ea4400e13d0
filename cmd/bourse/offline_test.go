package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bourse/internal/disk"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// dayStart is 2026-10-01T00:00:00Z; command n of the day happens n seconds later.
const dayStart = 1_790_812_800 * schema.Second

// tradingDay makes the data directory of a short day: alice sells half of what bob wants.
func tradingDay(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	now := dayStart
	n, err := node.Open(t.Context(), node.Options{
		Journal: journal.Options{Dir: dir},
		Clock:   func() schema.Time { now += schema.Second; return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	order := func(account schema.AccountID, side schema.Side, amount int64) schema.Command {
		return &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
			Market: 1, Type: schema.Limit, Side: side, Amount: fixed.FromInt(amount), Price: fixed.FromInt(100),
		}}
	}
	for _, c := range []schema.Command{
		&schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}},
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "BTC_USDT", Base: 1, Quote: 2, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 6,
			MakerFee: fixed.MustParse("0.1"), TakerFee: fixed.MustParse("0.2"), Enabled: true,
		}},
		&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}},
		&schema.SetAccount{Account: schema.Account{Name: "bob", Region: schema.Global}},
		&schema.Deposit{Account: 101, Asset: 1, Amount: fixed.FromInt(5)},
		&schema.Transfer{Account: 101, Asset: 1, Amount: fixed.FromInt(5), From: schema.Main, To: schema.Trade},
		&schema.Deposit{Account: 102, Asset: 2, Amount: fixed.FromInt(1000)},
		&schema.Transfer{Account: 102, Asset: 2, Amount: fixed.FromInt(1000), From: schema.Main, To: schema.Trade},
		order(102, schema.Buy, 4),
		order(101, schema.Sell, 2),
	} {
		var r schema.Result
		if err := n.Submit(t.Context(), c, &r); err != nil || r.Rejection.Refused() {
			t.Fatalf("%T: %v %s", c, err, r.Rejection.Text())
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// good runs the program and wants it to end well.
func good(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, errs, code := run(t, stdin, args...)
	if code != 0 {
		t.Fatalf("%v: %d %q %q", args, code, out, errs)
	}
	return out
}

// hashIn is the hash that a text names.
func hashIn(t *testing.T, text string) string {
	t.Helper()
	hash := regexp.MustCompile(`\b[0-9a-f]{64}\b`).FindString(text)
	if hash == "" {
		t.Fatalf("there is no hash in %q", text)
	}
	return hash
}

// squeezed is a table with one space between its columns.
func squeezed(text string) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return lines
}

func wantLines(t *testing.T, out string, want ...string) {
	t.Helper()
	if got := strings.Join(squeezed(out), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestReplayPrintsAStatement(t *testing.T) {
	dir := tradingDay(t)
	wantLines(t, good(t, "", "replay", "--data", dir, "account", "alice"),
		"batch time wallet asset change cause order deal available frozen held",
		"6 2026-10-01T00:00:06.000000Z main BTC 5 deposit - - 5 0 0",
		"7 2026-10-01T00:00:07.000000Z main BTC -5 transfer - - 0 0 0",
		"7 2026-10-01T00:00:07.000000Z trade BTC 5 transfer - - 5 0 0",
		"11 2026-10-01T00:00:11.000000Z trade USDT 200 trade - 1 200 0 0",
		"11 2026-10-01T00:00:11.000000Z trade BTC -2 trade - 1 3 0 0",
		"11 2026-10-01T00:00:11.000000Z trade USDT -0.4 fee - 1 199.6 0 0",
	)
	out := good(t, "", "replay", "--json", "--data", dir, "--until", "2026-10-01T00:00:10Z", "account", "bob")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	want := `{"batch":10,"time":"2026-10-01T00:00:10.000000Z","wallet":"trade","asset":"USDT","change":"0","cause":"request",` +
		`"order":1,"available":"600","frozen":"400","held":"0"}`
	if len(lines) != 4 || lines[3] != want {
		t.Errorf("got\n%s", out)
	}
}

func TestReplayPrintsOrdersBooksAndTrades(t *testing.T) {
	dir := tradingDay(t)
	wantLines(t, good(t, "", "replay", "--data", dir, "order", "1"),
		"batch time market event cause side type price amount left money fee status deal",
		"10 2026-10-01T00:00:10.000000Z BTC_USDT opened request buy limit 100 4 4 0 0 OPEN -",
		"11 2026-10-01T00:00:11.000000Z BTC_USDT deal maker buy - 100 2 - 200 0.002 - 1",
		"11 2026-10-01T00:00:11.000000Z BTC_USDT updated trade buy limit 100 4 2 200 0.002 PARTIALLY_FILLED -",
	)
	wantLines(t, good(t, "", "replay", "--data", dir, "book", "BTC_USDT"), "side price amount", "bid 100 2")
	wantLines(t, good(t, "", "replay", "--data", dir, "--to", "9", "book", "BTC_USDT"), "the book is empty")
	wantLines(t, good(t, "", "replay", "--data", dir, "trades", "BTC_USDT"),
		"batch time deal taker price amount money maker order taker order",
		"11 2026-10-01T00:00:11.000000Z 1 sell 100 2 200 1 2")
}

func TestReplaySumsUp(t *testing.T) {
	dir := tradingDay(t)
	var s struct {
		Batch, Commands, Refused, Accounts, Assets, Markets int
		OpenOrders                                          int `json:"open_orders"`
		Time, Hash                                          string
	}
	if err := json.Unmarshal([]byte(good(t, "", "replay", "--json", "--data", dir)), &s); err != nil {
		t.Fatal(err)
	}
	if s.Batch != 11 || s.Commands != 11 || s.Refused != 0 || s.Accounts != 2 || s.Assets != 2 || s.Markets != 1 || s.OpenOrders != 1 {
		t.Errorf("%+v", s)
	}
	text := good(t, "", "replay", "--data", dir)
	if hashIn(t, text) != s.Hash || !strings.Contains(text, "open orders  1\n") {
		t.Error(text)
	}
}

func TestReplaySaysWhatIsWrong(t *testing.T) {
	dir := tradingDay(t)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"there are BTC_USDT", []string{"--data", dir, "book", "XYZ"}},
		{"there are alice, bob", []string{"--data", dir, "account", "zelda"}},
		{"ends at batch 11", []string{"--data", dir, "--to", "12"}},
		{"there is no order 9", []string{"--data", dir, "order", "9"}},
		{"there is no directory", []string{"--data", dir + "x"}},
		{"--data", nil},
		{"--until", []string{"--data", dir, "--to", "3", "--until", "2026-10-01T00:00:10Z"}},
	} {
		if _, errs, code := run(t, "", append([]string{"replay"}, c.args...)...); code == 0 || !strings.Contains(errs, c.says) {
			t.Errorf("%v: %d %q", c.args, code, errs)
		}
	}
	if _, err := os.Stat(dir + "x"); err == nil {
		t.Error("looking for a directory made it")
	}
}

func TestExportAndImportKeepTheState(t *testing.T) {
	dir := tradingDay(t)
	file := filepath.Join(t.TempDir(), "log.jsonl")
	hash := hashIn(t, good(t, "", "export", "--data", dir, "--out", file))
	if want := hashIn(t, good(t, "", "replay", "--data", dir)); hash != want {
		t.Errorf("exported %s, the log has %s", hash, want)
	}
	lines, errs, code := run(t, "", "export", "--data", dir)
	written, err := os.ReadFile(file)
	if err != nil || code != 0 || string(written) != lines || hashIn(t, errs) != hash {
		t.Errorf("standard output differs from the file: %v %q", err, errs)
	}
	second := filepath.Join(t.TempDir(), "second")
	if got := hashIn(t, good(t, lines, "import", "--data", second)); got != hash {
		t.Errorf("imported %s, exported %s", got, hash)
	}
	third := filepath.Join(t.TempDir(), "third")
	if got := hashIn(t, good(t, "", "import", "--data", third, "--in", file)); got != hash {
		t.Errorf("imported %s, exported %s", got, hash)
	}
	if got := hashIn(t, good(t, "", "verify", "--data", third)); got != hash {
		t.Errorf("verified %s, exported %s", got, hash)
	}
	if _, errs, code := run(t, lines, "import", "--data", dir); code != 1 || !strings.Contains(errs, "is not empty") {
		t.Errorf("%d %q", code, errs)
	}
	bad := strings.Replace(lines, `"amount":"5"`, `"amount":5`, 1)
	if _, errs, code := run(t, bad, "import", "--data", dir+"2"); code != 1 || !strings.Contains(errs, `line 7: malformed message: "amount"`) {
		t.Errorf("%d %q", code, errs)
	}
}

// damaged is a copy of a directory with something done to a file of it.
func damaged(t *testing.T, dir, pattern string, change func([]byte) []byte) string {
	t.Helper()
	to := t.TempDir()
	if err := disk.CopyTree(to, dir); err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(to, pattern))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v %v", all, err)
	}
	data, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(all[0], change(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestVerifyTellsGoodFromBad(t *testing.T) {
	dir := tradingDay(t)
	if out := good(t, "", "verify", "--data", dir); !strings.HasPrefix(out, "all is well: batches 11, commands 11, snapshots 1\n") {
		t.Error(out)
	}
	flipped := damaged(t, dir, "snapshots/*.state", func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	out, errs, code := run(t, "", "verify", "--data", flipped)
	if code != 1 || strings.Count(out, "finding: ") != 1 || !strings.Contains(out, "00000000000000000011.state") ||
		!strings.Contains(out, "remove the file") || !strings.Contains(errs, "1 finding") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	truncated := damaged(t, dir, "journal/jetstream/*/streams/*/msgs/*.blk", func(b []byte) []byte { return b[:len(b)/2] })
	out, errs, code = run(t, "", "verify", "--data", truncated)
	if code != 1 || !strings.Contains(out, "but batch 11 was acknowledged") || !strings.Contains(errs, "findings") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// TestVerifyAsksChainsOnlyForWhatThereIs: chains that are none, or that no node lives on, are refused, and a directory without its key is left so.
func TestVerifyAsksChainsOnlyForWhatThereIs(t *testing.T) {
	dir := tradingDay(t)
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []schema.Chain{{Name: "TRY", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}, {Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}} {
		var r schema.Result
		if err := n.Submit(t.Context(), &schema.SetChain{Chain: c}, &r); err != nil || r.Rejection.Refused() {
			t.Fatal(err, r.Rejection.Text())
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	key, away := filepath.Join(dir, "master.key"), filepath.Join(t.TempDir(), "exchange.key")
	for _, c := range []struct {
		at, want string
		code     int
		flags    []string
	}{
		{"BTC", "--chain-node: the name of a chain and the URL of a node of it", 2, nil},
		{"ETH=http://127.0.0.1:1", "chain ETH: there is none of this name", 1, nil},
		{"TRY=http://127.0.0.1:1", "chain TRY: it is a sandbox, which has no node", 1, nil},
		{"BTC=http://127.0.0.1:1", "connection refused", 1, nil},
		{"BTC=http://127.0.0.1:1", "put the key that this exchange was started with into " + key, 1, nil},
		{"BTC=http://127.0.0.1:1", "connection refused", 1, []string{"--master-key", away}},
	} {
		if strings.HasPrefix(c.want, "put the key") {
			if err := os.Rename(key, away); err != nil {
				t.Fatal(err)
			}
		}
		if out, errs, code := run(t, "", append([]string{"verify", "--data", dir, "--chain-node", c.at}, c.flags...)...); code != c.code || !strings.Contains(errs, c.want) || strings.Contains(out, "all is well") {
			t.Errorf("%s: %d %q %q, want %q", c.at, code, out, errs, c.want)
		}
	}
	if _, err := os.Stat(key); !os.IsNotExist(err) {
		t.Errorf("the key is there again: %v", err)
	}
}

func TestSnapshotIsWrittenForTheNextStart(t *testing.T) {
	dir := tradingDay(t)
	file := filepath.Join(dir, "snapshots", "00000000000000000011.state")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	out := good(t, "", "snapshot", "--data", dir)
	if !strings.HasPrefix(out, "snapshot of batch 11, 2026-10-01T00:00:11.000000Z\n") {
		t.Error(out)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if verified := good(t, "", "verify", "--data", dir); hashIn(t, verified) != hashIn(t, out) || !strings.Contains(verified, "snapshots 1") {
		t.Error(verified)
	}
}

func TestHelpOfTheOfflineCommands(t *testing.T) {
	for _, args := range [][]string{
		{"replay"}, {"replay", "account"}, {"replay", "order"}, {"replay", "book"}, {"replay", "trades"}, {"replay", "risk"}, {"verify"}, {"snapshot"}, {"export"}, {"import"},
	} {
		help := good(t, "", append(args, "--help")...)
		if !strings.Contains(help, "Usage: bourse "+strings.Join(args, " ")) || !strings.Contains(help, "--data=DIR") {
			t.Errorf("%v\n%s", args, help)
		}
	}
}
