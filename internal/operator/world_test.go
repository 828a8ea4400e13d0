package operator_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bourse/internal/auth"
	"bourse/internal/conform"
	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/exchange"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/network/driver"
	"bourse/internal/network/sandbox"
	"bourse/internal/operator"
	"bourse/internal/schema"
	"bourse/internal/setup"
)

// The tests run a whole exchange behind real listeners. Its clock stands still unless a test
// moves it, and no timer runs unless a test lets one.

// noon is when the clock begins: 2026-09-21.
const noon = schema.Time(1_790_000_000) * schema.Second

// world is what the exchange begins with.
const world = `{
	"chains": [{"name":"ETH","driver":"sandbox","family":"evm","net":"testnet"}],
	"assets": [
		{"ticker":"BTC","name":"Bitcoin","class":"crypto","scale":18,"precision":8,"can_deposit":true,"can_withdraw":true},
		{"ticker":"USDT","name":"Tether","class":"crypto","scale":18,"precision":6,"can_deposit":true,"can_withdraw":true,"providers":["CARD"],
			"networks":[{"name":"ERC20","default":true,"can_deposit":true,"can_withdraw":true,"min_deposit":"5","confirmations":32,"confirmations_for_trading":6,"chain":"ETH"}]}
	],
	"markets": [
		{"name":"BTC_USDT","type":"spot","stock_prec":6,"money_prec":2,"fee_prec":8,"tick_size":"0.01","step_size":"0.000001",
			"min_amount":"0.001","min_total":"5","max_total":"1000000","maker_fee":"0.1","taker_fee":"0.2","taker_band":"10","enabled":true}
	],
	"accounts": [
		{"name":"alice","region":"global","deposits":{"BTC":"10","USDT":"100000"},"trade":{"BTC":"4","USDT":"60000"},
			"keys":[{"key":"alice-key","secret":"alice-secret","title":"bot","enabled":true}]},
		{"name":"bob","region":"global","deposits":{"BTC":"10","USDT":"100000"},"trade":{"BTC":"4","USDT":"60000"},
			"keys":[{"key":"bob-key","secret":"bob-secret","enabled":true}]}
	]
}`

// site is a running exchange and an operator who uses it.
type site struct {
	t     testing.TB
	dir   string
	x     *exchange.Exchange
	now   atomic.Int64
	log   transcript
	token string
	// operators and clients are where they are answered.
	operators, clients string
	client             http.Client
	nonce              int64
}

// transcript is what the exchange says.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
	// hear, if it is set, is called with every line; who says it waits.
	hear func(line string)
}

func (l *transcript) Write(p []byte) (int, error) {
	if l.hear != nil {
		l.hear(string(p))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *transcript) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// found makes a new exchange with the world in it.
func found(t testing.TB) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	s.now.Store(int64(noon))
	conform.Keys(t, s.dir)
	s.open(nil)
	t.Cleanup(s.close)
	file, err := setup.Read(strings.NewReader(world))
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Apply(context.Background(), s.x.Node); err != nil {
		t.Fatal(err)
	}
	return s
}

// open brings the exchange to life. Operators come by a listener of the test's choice, or a
// common one.
func (s *site) open(operators net.Listener) {
	s.t.Helper()
	o := exchange.Options{Region: schema.Global, Log: slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	o.Node.Journal = journal.Options{Dir: s.dir, SyncInterval: time.Minute} // nobody cuts its power
	o.Node.Clock = func() schema.Time { return schema.Time(s.now.Load()) }
	o.REST.Unlimited = true
	o.OperatorHosts = []string{"desk.example"}
	o.Webhooks.Loopback, o.Webhooks.Clock = true, stillClock{}
	var err error
	if s.x, err = exchange.Open(context.Background(), o); err != nil {
		s.t.Fatal(err)
	}
	if s.token, err = s.x.Tokens.Read(operator.First); err != nil {
		s.t.Fatal(err)
	}
	if operators == nil {
		operators = s.listen()
	}
	clients, x := s.listen(), s.x
	go func() { _ = x.ServeOperators(operators) }()
	go func() { _ = x.Serve(clients) }()
	s.operators, s.clients = "http://"+operators.Addr().String(), "http://"+clients.Addr().String()
}

func (s *site) listen() net.Listener {
	s.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	return ln
}

func (s *site) close() {
	if s.x == nil {
		return
	}
	s.client.CloseIdleConnections()
	if err := s.x.Close(); err != nil {
		s.t.Error(err)
	}
	s.x = nil
}

// hire makes another operator and returns the token.
func (s *site) hire(name string) string {
	s.t.Helper()
	token, err := s.x.Tokens.Make(name)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

func (s *site) tokenFile(name string) string {
	return filepath.Join(s.dir, "operators", name+".token")
}

// pass lets time pass, and what is due happen.
func (s *site) pass(by schema.Time) {
	s.t.Helper()
	s.now.Add(int64(by))
	s.submit(&schema.Tick{})
}

// submit lets a command happen that no operator gave.
func (s *site) submit(c schema.Command) {
	s.t.Helper()
	var result schema.Result
	if err := s.x.Node.Submit(context.Background(), c, &result); err != nil {
		s.t.Fatal(err)
	}
	if result.Rejection.Refused() {
		s.t.Fatalf("%T: %s", c, result.Rejection.Text())
	}
}

// clock is the time of day.
func (s *site) clock() time.Time { return time.UnixMicro(s.now.Load()).UTC() }

// seconds is the time of day as operators write it.
func (s *site) seconds() int64 { return s.now.Load() / int64(schema.Second) }

// reply is what came back.
type reply struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   string
}

// send sends a request as it is. What comes back must follow the document.
func (s *site) send(method, path, body string, header http.Header) reply {
	s.t.Helper()
	r, err := s.try(method, path, body, header)
	if err != nil {
		s.t.Fatal(err)
	}
	if strings.HasPrefix(path, "/") && method != "HEAD" {
		if err := follows(method, path, r.status, r.body); err != nil {
			s.t.Errorf("%s %s: %d %s does not follow the document: %v", method, path, r.status, r.body, err)
		}
	}
	return r
}

// try is send for what may be cut off.
func (s *site) try(method, path, body string, header http.Header) (reply, error) {
	url := path
	if strings.HasPrefix(path, "/") {
		url = s.operators + path
	}
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := s.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{s.t, method + " " + path + " " + body, response.StatusCode, response.Header, string(text)}, err
}

func bearer(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}}
}

// ask asks as the first operator.
func (s *site) ask(method, path, body string) reply {
	s.t.Helper()
	return s.send(method, path, body, bearer(s.token))
}

// must asks for something that is done.
func (s *site) must(method, path, body string) reply {
	s.t.Helper()
	return s.ask(method, path, body).is(http.StatusOK)
}

// is holds an answer to a status, and to being JSON.
func (r reply) is(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: %d %s instead of %d", r.what, r.status, r.body, status)
	}
	if kind := r.header.Get("Content-Type"); kind != "application/json" {
		r.t.Errorf("%s: the answer is %s", r.what, kind)
	}
	if !json.Valid([]byte(r.body)) {
		r.t.Fatalf("%s: not JSON: %q", r.what, r.body)
	}
	return r
}

// at is a part of an answer, as JSON: names lead into objects, numbers into lists.
func (r reply) at(way ...any) string {
	r.t.Helper()
	d := json.NewDecoder(strings.NewReader(r.body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		r.t.Fatalf("%s: %v", r.what, err)
	}
	for _, step := range way {
		switch key := step.(type) {
		case int:
			list, is := v.([]any)
			if !is || key >= len(list) {
				r.t.Fatalf("%s: nothing at %v of %s", r.what, way, r.body)
			}
			v = list[key]
		case string:
			object, is := v.(map[string]any)
			member, there := object[key]
			if !is || !there {
				r.t.Fatalf("%s: nothing at %v of %s", r.what, way, r.body)
			}
			v = member
		}
	}
	return text(v)
}

// has holds a part of an answer to a value, both as JSON.
func (r reply) has(want string, way ...any) reply {
	r.t.Helper()
	if got := r.at(way...); got != want {
		r.t.Errorf("%s: %v is %s instead of %s", r.what, way, got, want)
	}
	return r
}

// every is one member of all elements of a list, joined.
func (r reply) every(member string) string {
	r.t.Helper()
	var list []map[string]any
	if err := json.Unmarshal([]byte(r.body), &list); err != nil {
		r.t.Fatalf("%s: %v in %s", r.what, err, r.body)
	}
	var all []string
	for _, object := range list {
		all = append(all, fmt.Sprint(object[member]))
	}
	return strings.Join(all, " ")
}

// list is an answer that is a list.
func (r reply) list() (all []any) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.body), &all); err != nil {
		r.t.Fatalf("%s: %v in %s", r.what, err, r.body)
	}
	return all
}

func text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// mark is everything that a request might have changed: the state, and the log.
type mark struct {
	hash  [32]byte
	batch uint64
}

// mark waits for the claims of who sends webhooks, if there are any: the exchange makes them by itself.
func (s *site) mark() (m mark) {
	for claimed := false; !claimed; runtime.Gosched() {
		s.look(func(x core.View) {
			claimed = !x.Webhooks().Any() || !slices.ContainsFunc(x.Webhooks().Shards(), func(s schema.Shard) bool { return s.Owner == 0 })
		})
	}
	m.batch = s.x.Node.Applied()
	s.look(func(x core.View) { m.hash = x.Hash() })
	return m
}

// stillClock is a clock by which no lease of webhooks comes to its next beat: nothing happens in the exchange but what a test does.
type stillClock struct{}

func (stillClock) Now() schema.Time       { return noon }
func (stillClock) Elapsed() time.Duration { return 0 }

func (stillClock) Timer(d time.Duration) (<-chan time.Time, func() bool) {
	t := time.NewTimer(d)
	return t.C, t.Stop
}

func (s *site) look(look func(core.View)) { s.x.Node.Read(look) }

// account is an account as the exchange has it.
func (s *site) account(name string) (a schema.Account) {
	s.t.Helper()
	s.look(func(m core.View) {
		if found := m.Accounts().ByName(name); found != nil {
			a = *found
		}
	})
	return a
}

// key is a key as the exchange has it, nil if it has none.
func (s *site) key(public string) (k *schema.Key) {
	s.look(func(m core.View) {
		if found := m.Accounts().Key(public); found != nil {
			copied := *found
			k = &copied
		}
	})
	return k
}

// asset is an asset as the exchange has it.
func (s *site) asset(ticker string) (a schema.Asset) {
	s.look(func(m core.View) {
		if found := m.Listing().AssetByTicker(ticker); found != nil {
			a = *found
		}
	})
	return a
}

// market is a market as the exchange has it.
func (s *site) market(name string) (i schema.MarketInfo) {
	s.look(func(m core.View) {
		if found := m.Listing().MarketByName(name); found != nil {
			i = *found
		}
	})
	return i
}

// chain is a chain as the exchange has it.
func (s *site) chain(name string) (c schema.Chain) {
	s.look(func(m core.View) {
		if found := m.Chains().ByName(name); found != nil {
			c = *found
		}
	})
	return c
}

// balance is what an account has in a wallet: available, frozen and held.
func (s *site) balance(account string, w schema.Wallet, ticker string) string {
	s.t.Helper()
	id, asset := s.account(account).ID, s.asset(ticker).ID
	var text string
	s.look(func(m core.View) {
		available, frozen, held := m.Balance(id, w, asset)
		text = fmt.Sprint(available, " ", frozen, " ", held)
	})
	return text
}

// call is a signed request of a customer whose key is named after it.
func (s *site) call(name, path string, fields map[string]any) reply {
	s.t.Helper()
	s.nonce++
	all := map[string]any{"request": path, "nonce": s.now.Load() + s.nonce}
	for member, value := range fields {
		all[member] = value
	}
	body := text(all)
	payload := base64.StdEncoding.EncodeToString([]byte(body))
	return s.send("POST", s.clients+path, body, http.Header{
		"X-Txc-Apikey": {name + "-key"}, "X-Txc-Payload": {payload},
		"X-Txc-Signature": {auth.NewSecret([]byte(name + "-secret")).Sign([]byte(payload))},
	})
}

// trade lets a customer place a limit order.
func (s *site) trade(name, side, amount, price string) {
	s.t.Helper()
	s.call(name, "/api/v4/order/new", map[string]any{"market": "BTC_USDT", "side": side, "amount": amount, "price": price}).is(200)
}

// bet lists a future on an asset, at 100, on which alice is long 0.1 and bob short.
func (s *site) bet(ticker string) {
	s.t.Helper()
	info := schema.MarketInfo{
		Name: ticker + "_PERP", Base: s.asset(ticker).ID, Quote: s.asset("USDT").ID, Type: schema.Futures, StockPrec: 4, MoneyPrec: 2, FeePrec: 6, Enabled: true,
		Margin: schema.Margin{
			MaxLeverage: 100, PriceBand: fixed.FromInt(10), MarkBand: fixed.One, ImpactNotional: fixed.FromInt(10_000), FundingMinutes: 480,
			LiquidationFee: fixed.FromUnits(2, 1), LiquidationBand: fixed.FromInt(2),
		},
	}
	s.submit(&schema.SetMarket{Market: info})
	market := s.market(info.Name).ID
	s.submit(&schema.SetIndex{Market: market, Price: fixed.FromInt(100)})
	for _, of := range []struct {
		name string
		side schema.Side
	}{{"alice", schema.Buy}, {"bob", schema.Sell}} {
		account := s.account(of.name).ID
		s.submit(&schema.Deposit{Account: account, Asset: info.Quote, Amount: fixed.FromInt(20_000)})
		s.submit(&schema.Transfer{Account: account, Asset: info.Quote, Amount: fixed.FromInt(20_000), From: schema.Main, To: schema.Collateral})
		s.submit(&schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
			Market: market, Type: schema.Limit, Side: of.side, Amount: fixed.MustParse("0.1"), Price: fixed.FromInt(100), Collateral: true,
		}})
	}
}

// ethereum is how an address on the chain ETH is written.
func ethereum(index schema.AddressIndex) string {
	text, _ := sandbox.Derive(&schema.Address{Family: schema.EVM, Net: schema.Testnet, Index: index})
	return text
}

// owe brings bob to owe 1000 USDT: he spends a deposit before it is confirmed, with all he has, and the chain takes it back.
func (s *site) owe() {
	s.t.Helper()
	bob, usdt, market := s.account("bob").ID, s.asset("USDT").ID, s.market("BTC_USDT").ID
	s.must("POST", "/v1/chains/ETH/payments", `{"asset":"USDT","amount":"1000","account":"bob"}`)
	s.submit(&schema.MineSandbox{Chain: 1, Blocks: 6})
	var main, trade fixed.Decimal
	s.look(func(m core.View) {
		main, _, _ = m.Balance(bob, schema.Main, usdt)
		trade, _, _ = m.Balance(bob, schema.Trade, usdt)
	})
	s.submit(&schema.Transfer{Account: bob, Asset: usdt, Amount: main, From: schema.Main, To: schema.Trade})
	for _, of := range []struct {
		account schema.AccountID
		side    schema.Side
	}{{s.account("alice").ID, schema.Sell}, {bob, schema.Buy}} {
		s.submit(&schema.PlaceOrder{Account: of.account, Order: schema.OrderRequest{
			Market: market, Type: schema.Limit, Side: of.side, Amount: fixed.One, Price: main.Add(trade),
		}})
	}
	s.holds("bob", schema.Trade, "USDT", "0 0 0")
	s.submit(&schema.ReorgSandbox{Chain: 1, Depth: 6, DropAll: true})
	s.submit(&schema.MineSandbox{Chain: 1, Blocks: 40})
	s.holds("bob", schema.Owed, "USDT", "1000 0 0")
}

// trust opens an account with a credit line and 1000 USDT, erin's.
func (s *site) trust() {
	s.t.Helper()
	s.must("POST", "/v1/accounts", `{"name":"erin","credit_line":true}`)
	s.must("POST", "/v1/accounts/erin/deposits", `{"asset":"USDT","amount":"1000"}`)
}

// outside is an address on ETH that nobody here has.
const outside = "0x00000000000000000000000000000000000000aa"

// leave lets alice withdraw three times, for a fee of 1: 5 USDT that nobody has to approve, 10 that one operator must, and 21 that two
// must.
func (s *site) leave() {
	s.t.Helper()
	s.must("PATCH", "/v1/assets/USDT/networks/ERC20", `{"withdraw_fixed":"1","approve_above":"10","approve2_above":"20"}`)
	s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"USDT","amount":"60"}`)
	s.withdraw("5", "one", 0)
	s.withdraw("10", "two", 0)
	s.withdraw("21", "three", 0)
}

// bill lets alice have 20 EUR, of which she withdraws 10 by a provider that may pay a part, and an invoice of 30 there.
func (s *site) bill() {
	s.t.Helper()
	s.must("PUT", "/v1/chains/SEPA", `{"driver":"provider"}`).has(`"provider"`, "driver").has(`""`, "family").has(`""`, "net")
	s.must("PUT", "/v1/assets/EUR", `{"class":"fiat","scale":2,"precision":2,"can_deposit":true,"can_withdraw":true,"networks":[{"name":"SEPA","chain":"SEPA","can_deposit":true,"can_withdraw":true}]}`)
	s.must("POST", "/v1/accounts/alice/deposits", `{"asset":"EUR","amount":"20"}`)
	alice, euro, sepa := s.account("alice").ID, s.asset("EUR").ID, s.chain("SEPA").ID
	s.submit(&schema.RequestWithdrawal{Account: alice, Asset: euro, Chain: sepa, Amount: fixed.FromInt(10), Address: "DE1", Unique: "salary", Partial: true})
	s.submit(&schema.RequestInvoice{Account: alice, Asset: euro, Chain: sepa, Amount: fixed.FromInt(30), Unique: "order", Digest: schema.Digest{1}})
}

// sweep plans a payout on a chain that others live on: money goes from the exchange's own address to one of alice.
func (s *site) sweep() {
	s.t.Helper()
	s.submit(&schema.SetChain{Chain: schema.Chain{Name: "NODE", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 1}})
	node := s.chain("NODE").ID
	s.submit(&schema.SetAsset{Asset: schema.Asset{Ticker: "GAS", Name: "Gas", Class: schema.Crypto, Scale: 18, Precision: 18, CanDeposit: true, Networks: []schema.Network{
		{Name: "GAS", Chain: node, CanDeposit: true, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 18},
	}}})
	gas := s.asset("GAS").ID
	s.submit(&schema.OpenAddress{Account: s.account("alice").ID, Chain: node})
	for _, keys := range []schema.Keys{{Print: schema.Digest{1}}, {Print: schema.Digest{2}, Cold: true}} {
		keys.Family, keys.Net, keys.Sealed = schema.EVM, schema.Mainnet, []byte("sealed")
		s.submit(&schema.SetKeys{Keys: keys})
	}
	s.submit(&schema.ChainBlock{Chain: node, Height: 1, Hash: schema.Digest{1}, Receipts: []schema.Receipt{
		{ID: "top-up", Asset: gas, Amount: fixed.FromInt(5), Own: schema.Hot}, {ID: "stored", Asset: gas, Amount: fixed.FromInt(7), Own: schema.Cold},
	}})
	s.submit(&schema.PlanPayout{
		Chain: node, Payout: 1, Asset: gas, Own: schema.Hot, Outputs: []schema.OwnOutput{{Index: 1, Amount: fixed.FromInt(1)}}, Fee: fixed.MustParse("0.01"), Unsigned: []byte("plan"),
	})
}

// halt lets something be spent on the chain of sweep that nobody planned.
func (s *site) halt() {
	s.t.Helper()
	s.submit(&schema.ChainBlock{Chain: s.chain("NODE").ID, Height: 2, Hash: schema.Digest{2}, Parent: schema.Digest{1}, Foreign: "theft"})
}

// coinKeys are public keys of a chain of coins whose private half nobody looks for, topUp the first address of an exchange that has them.
var coinKeys, topUp = func() (custody.Public, string) {
	point, err := hex.DecodeString("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
	if err != nil {
		panic(err)
	}
	account := append(point, make([]byte, 32)...)
	keys, err := custody.Parse(slices.Concat([]byte{1, byte(schema.Bitcoin), byte(schema.Regtest)}, account, account))
	if err != nil {
		panic(err)
	}
	text, _, err := keys.Address(driver.Place{Own: schema.Hot, Type: schema.Bech32})
	if err != nil {
		panic(err)
	}
	return keys, text
}()

// output is a coin that blocks did not show.
const output = "a000000000000000000000000000000000000000000000000000000000000000:7"

// dig opens a chain of coins with real keys, which stands at its first block and on which there is nothing.
func (s *site) dig() {
	s.t.Helper()
	s.submit(&schema.SetChain{Chain: schema.Chain{Name: "COINS", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}})
	on := s.chain("COINS").ID
	s.submit(&schema.SetAsset{Asset: schema.Asset{Ticker: "COIN", Name: "Coin", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, Networks: []schema.Network{
		{Name: "COIN", Chain: on, CanDeposit: true, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8, ApproveAbove: fixed.FromInt(10)},
	}}})
	s.submit(&schema.SetKeys{Keys: coinKeys.Seal(s.x.Node.Key())})
	s.submit(&schema.ChainBlock{Chain: on, Height: 1, Hash: schema.Digest{1}})
}

// suspend lets the invoice of bill be paid while deposits are off, and alice have another one.
func (s *site) suspend() {
	s.t.Helper()
	s.must("PATCH", "/v1/assets/EUR", `{"can_deposit":false}`)
	s.must("POST", "/v1/invoices/"+s.must("GET", "/v1/invoices", "").at(0, "id")+"/settlement", `{"outcome":"paid"}`)
	s.must("PATCH", "/v1/assets/EUR", `{"can_deposit":true}`)
	s.submit(&schema.RequestInvoice{Account: s.account("alice").ID, Asset: s.asset("EUR").ID, Chain: s.chain("SEPA").ID, Amount: fixed.FromInt(7), Unique: "second", Digest: schema.Digest{2}})
}

// withdraw lets alice ask for a withdrawal of USDT on ETH, to an address of an account if it has an index.
func (s *site) withdraw(amount, unique string, index schema.AddressIndex) {
	s.t.Helper()
	to := outside
	if index != 0 {
		to = ethereum(index)
	}
	s.submit(&schema.RequestWithdrawal{
		Account: s.account("alice").ID, Asset: s.asset("USDT").ID, Chain: s.chain("ETH").ID, Amount: fixed.MustParse(amount), Address: to, Index: index, Unique: unique,
	})
}
