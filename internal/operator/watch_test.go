package operator_test

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/marketdata"
	"bourse/internal/schema"
)

// figure is a number of /metrics.
func (s *site) figure(name string) float64 {
	s.t.Helper()
	r := s.send("GET", "/metrics", "", nil)
	if r.status != 200 {
		s.t.Fatalf("/metrics: %d %s", r.status, r.body)
	}
	lines := bufio.NewScanner(strings.NewReader(r.body))
	for lines.Scan() {
		if value, is := strings.CutPrefix(lines.Text(), name+" "); is {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return n
		}
	}
	s.t.Fatalf("there is no figure %s", name)
	return 0
}

// grows holds figures to growing by so much while something is done.
func (s *site) grows(by map[string]float64, do func()) {
	s.t.Helper()
	before := map[string]float64{}
	for name := range by {
		before[name] = s.figure(name)
	}
	do()
	for name, want := range by {
		if got := s.figure(name) - before[name]; got != want {
			s.t.Errorf("%s grew by %v instead of %v", name, got, want)
		}
	}
}

func TestFigures(t *testing.T) {
	s := found(t)
	const deposits, accounts = `bourse_commands_total{command="Deposit"}`, `bourse_commands_total{command="SetAccount"}`
	const taken, low = `bourse_refusals_total{reason="NameTaken"}`, `bourse_refusals_total{reason="MoveNotPositive"}`
	const batches, stored, bytes = "bourse_batches_applied", "bourse_journal_store_seconds_count", "bourse_journal_bytes_total"
	const size, sum = "bourse_journal_batch_commands_count", "bourse_journal_batch_commands_sum"
	s.grows(map[string]float64{deposits: 3, accounts: 0, batches: 3, stored: 3, size: 3, sum: 3, low: 0}, func() {
		for range 3 {
			s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1"}`)
		}
	})
	s.grows(map[string]float64{deposits: 1, low: 1, batches: 1}, func() {
		s.ask("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"0"}`).is(422)
	})
	s.grows(map[string]float64{accounts: 2, taken: 1, batches: 2}, func() {
		s.must("POST", "/v1/accounts", `{"name":"carol"}`)
		s.ask("POST", "/v1/accounts", `{"name":"carol"}`).is(409)
	})
	s.grows(map[string]float64{deposits: 0, accounts: 0, batches: 0, bytes: 0, stored: 0, low: 0}, func() {
		s.must("GET", "/v1/accounts", "")
		s.send("POST", "/v1/accounts", `{"name":"dora"}`, nil).is(401)
		s.ask("POST", "/v1/accounts", `{"nmae":"dora"}`).is(400)
		s.call("alice", "/api/v4/orders", map[string]any{"market": "BTC_USDT"}).is(200)
	})
	s.grows(map[string]float64{`bourse_commands_total{command="PlaceOrder"}`: 1, batches: 1}, func() { s.trade("alice", "buy", "1", "10") })
	s.caughtUp()
	for _, name := range []string{"bourse_commands_waiting", "bourse_history_lag_batches", "bourse_marketdata_lag_batches"} {
		if got := s.figure(name); got != 0 {
			t.Errorf("%s is %v", name, got)
		}
	}
	if s.figure("bourse_batches_applied") != float64(s.x.Node.Applied()) || s.figure("go_goroutines") < 1 || s.figure("process_open_fds") < 1 {
		t.Error("the figures of the program are not there")
	}
}

// TestReadyOnlyWhileTheHistoryFollows: a history that cannot be made, because a batch of the log is
// damaged, is said, although the exchange itself comes up from its snapshot.
func TestReadyOnlyWhileTheHistoryFollows(t *testing.T) {
	s := found(t)
	s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1"}`)
	s.caughtUp()
	s.send("GET", "/readyz", "", nil).is(200).has(`{"lags":{"history":0,"marketdata":0},"status":"ready"}`)
	s.close()
	s.damageFirstBatch()
	if err := os.RemoveAll(filepath.Join(s.dir, "history")); err != nil {
		t.Fatal(err)
	}
	s.open(nil)
	// A page waits until the history has everything or cannot go on.
	s.ask("GET", "/v1/audit", "").is(503)
	r := s.send("GET", "/readyz", "", nil).is(503)
	r.has(text("stuck"), "status")
	if !strings.Contains(r.body, "history: ") || !strings.Contains(r.body, "batch 1 ") {
		t.Errorf("the reason is not said: %s", r.body)
	}
	s.send("GET", "/healthz", "", nil).is(200)
	s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1"}`)
}

// damageFirstBatch flips a bit of the log that the node, which has a snapshot, does not read again.
func (s *site) damageFirstBatch() {
	s.t.Helper()
	block := filepath.Join(s.dir, "journal", "jetstream", "$G", "streams", "bourse", "msgs", "1.blk")
	data, err := os.ReadFile(block)
	if err != nil {
		s.t.Fatal(err)
	}
	data[120] ^= 1
	if err := os.WriteFile(block, data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// TestOrdersDoNotWaitForMarketData: market data that cannot be made from the log are said, and the exchange takes
// commands all the same.
func TestOrdersDoNotWaitForMarketData(t *testing.T) {
	s := found(t)
	s.close()
	s.damageFirstBatch()
	if err := os.Remove(filepath.Join(s.dir, "marketdata.snapshot")); err != nil {
		t.Fatal(err)
	}
	s.open(nil)
	s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1"}`)
	answer, err := s.client.Get(s.clients + "/api/v4/public/orderbook/BTC_USDT")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != 503 {
		t.Errorf("a book without market data: %d", answer.StatusCode)
	}
	r := s.send("GET", "/readyz", "", nil).is(503)
	r.has(text("stuck"), "status")
	if !strings.Contains(r.body, "marketdata: ") || !strings.Contains(r.body, "batch 1 ") {
		t.Errorf("the reason is not said: %s", r.body)
	}
	s.client.CloseIdleConnections()
	if err := s.x.Close(); !errors.Is(err, marketdata.ErrEnded) {
		t.Errorf("closing says %v", err)
	}
	s.x = nil
}

// TestNotReadyWhileMarketDataAreRebuilt: commands are accepted meanwhile. The rebuilding begins with a snapshot that the
// node, which has a newer one, does not read; it is damaged, and the rebuilding is held where it says so.
func TestNotReadyWhileMarketDataAreRebuilt(t *testing.T) {
	s := found(t)
	s.caughtUp()
	s.close()
	file := filepath.Join(s.dir, "marketdata.snapshot")
	older, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	snapshots, err := filepath.Glob(filepath.Join(s.dir, "snapshots", "*"))
	if err != nil || len(snapshots) != 1 {
		t.Fatalf("snapshots %v, %v", snapshots, err)
	}
	s.open(nil)
	s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1"}`)
	s.caughtUp()
	s.close()
	for name, data := range map[string][]byte{file: older, snapshots[0]: []byte("damaged")} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	goOn := make(chan struct{})
	s.log.hear = func(line string) {
		if strings.Contains(line, "a snapshot is passed over") {
			<-goOn
		}
	}
	s.open(nil)
	s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"BTC","amount":"1"}`)
	r := s.send("GET", "/readyz", "", nil).is(503)
	r.has(text("starting"), "status")
	r.has(`["marketdata: being rebuilt from the log"]`, "problems")
	close(goOn)
	s.caughtUp()
	s.send("GET", "/readyz", "", nil).is(200).has(`{"lags":{"history":0,"marketdata":0},"status":"ready"}`)
}

func TestHealth(t *testing.T) {
	s := found(t)
	const well, stopped = `{"status":"well"}`, `{"status":"stopped"}`
	state := func(health int, is string, ready int, status string) {
		t.Helper()
		s.send("GET", "/healthz", "", nil).is(health).has(is)
		s.send("GET", "/readyz", "", nil).is(ready).has(text(status), "status")
	}
	state(200, well, 200, "ready")
	s.must("PATCH", "/v1/platform", `{"maintenance":true}`)
	state(200, well, 503, "maintenance") // it lives, and takes nobody
	s.caughtUp()
	s.send("GET", "/readyz", "", nil).is(503).has(`{"lags":{"history":0,"marketdata":0},"status":"maintenance"}`)

	// Maintenance is kept over a restart.
	s.close()
	s.open(nil)
	state(200, well, 503, "maintenance")
	s.must("PATCH", "/v1/platform", `{"maintenance":false}`)
	state(200, well, 200, "ready")

	// A node that ended takes no commands; what only looks is answered from what it knew.
	if err := s.x.Node.Close(); err != nil {
		t.Fatal(err)
	}
	state(503, stopped, 503, "stopped")
	s.ask("POST", "/v1/accounts", `{"name":"carol"}`).is(503).has(`{"message":"the exchange is stopping"}`)
	s.must("GET", "/v1/accounts/alice", "").has("101", "id")
	if a := s.account("carol"); a.ID != 0 {
		t.Errorf("carol is %+v", a)
	}
	s.client.CloseIdleConnections()
	_ = s.x.Close() // says that the node was closed before
	s.x = nil
	s.open(nil)
	state(200, well, 200, "ready")
	s.holds("alice", schema.Main, "BTC", "6 0 0")
}

// TestFiguresOfTheInsuranceFund: bob is short 10 from 60, alice long 10 from 100 with 101. At 50 bob, who is the only one on the
// other side, is closed at his entry: of alice's loss of 400 the fund pays 299.
func TestFiguresOfTheInsuranceFund(t *testing.T) {
	s := found(t)
	s.bet("BTC") // lists it, and gives both 20,000
	market, usdt := s.market("BTC_PERP").ID, s.asset("USDT").ID
	s.submit(&schema.SetAccount{Account: schema.Account{Name: "erin", Region: schema.Global}})
	alice, bob, erin := s.account("alice").ID, s.account("bob").ID, s.account("erin").ID
	const fund, paid = `bourse_insurance_fund{asset="USDT"}`, "bourse_shortfalls_total"
	number := fixed.MustParse
	order := func(account schema.AccountID, side schema.Side, amount, price string) {
		s.submit(&schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
			Market: market, Type: schema.Limit, Side: side, Amount: number(amount), Price: number(price), Collateral: true,
		}})
	}
	index := func(price string) { s.submit(&schema.SetIndex{Market: market, Price: number(price)}) }
	order(bob, schema.Buy, "0.1", "100") // what both had comes to its end
	order(alice, schema.Sell, "0.1", "100")
	s.submit(&schema.Deposit{Account: erin, Asset: usdt, Amount: number("10000")})
	s.submit(&schema.Transfer{Account: erin, Asset: usdt, Amount: number("10000"), From: schema.Main, To: schema.Collateral})
	index("60")
	order(bob, schema.Sell, "10", "60")
	order(erin, schema.Buy, "10", "60")
	index("100")
	order(erin, schema.Sell, "10", "100")
	order(alice, schema.Buy, "10", "100")
	s.submit(&schema.Transfer{Account: alice, Asset: usdt, Amount: number("19899"), From: schema.Collateral, To: schema.Main})
	s.grows(map[string]float64{fund: 0, paid: 0}, func() { index("99.9") })
	s.grows(map[string]float64{fund: -299, paid: 1}, func() { index("50") })
	if got := s.figure(fund); got != -299 {
		t.Errorf("the fund has %v", got)
	}
	s.grows(map[string]float64{fund: 300, paid: 0}, func() {
		s.submit(&schema.FundSystem{Account: schema.Insurance, Asset: usdt, Amount: number("300")})
	})
}
