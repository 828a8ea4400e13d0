package evm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/schema"
)

// The node here is made up: it answers what no node at hand would say.

type ask struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

// said is a fault.
type said struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// fake is a node that answers with what the function gives: a fault, or a result. It notes how large batches are.
func fake(t testing.TB, answer func(ask) any, batches ...*[]int) *evm.Chain {
	t.Helper()
	one := func(a ask) map[string]any {
		reply := map[string]any{"jsonrpc": "2.0", "id": a.ID}
		switch result := answer(a).(type) {
		case said:
			reply["error"] = result
		default:
			reply["result"] = result
		}
		return reply
	}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var list []ask
		if json.Unmarshal(body, &list) == nil {
			for _, b := range batches {
				*b = append(*b, len(list))
			}
			var replies []any
			for i := range list { // nobody promises an order
				replies = append(replies, one(list[len(list)-1-i]))
			}
			json.NewEncoder(out).Encode(replies)
			return
		}
		var single ask
		if err := json.Unmarshal(body, &single); err != nil {
			t.Error(err)
		}
		json.NewEncoder(out).Encode(one(single))
	}))
	t.Cleanup(server.Close)
	return dial(t, server.URL)
}

func dial(t testing.TB, url string) *evm.Chain {
	t.Helper()
	c, err := evm.Dial(url, schema.Chain{Name: "made up", Family: schema.EVM, Net: schema.Mainnet, Number: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func someRaw(t *testing.T) []byte {
	t.Helper()
	r := random{rand.New(rand.NewPCG(21, 0))}
	raw, err := evm.Sign(r.transaction().Unsigned(), r.key())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestFates: the words of geth, erigon, nethermind and anvil.
func TestFates(t *testing.T) {
	raw := someRaw(t)
	for _, tt := range []struct {
		says string
		code int
		want driver.Fate // 0: an error
	}{
		{"already known", -32000, driver.Accepted},
		{"transaction already imported", -32003, driver.Accepted},
		{"AlreadyKnown", -32010, driver.Accepted},
		{"nonce too low: next nonce 5, tx nonce 4", -32000, driver.Conflict},
		{"OldNonce", -32010, driver.Conflict},
		{"replacement transaction underpriced", -32000, driver.Cheap},
		{"transaction underpriced: gas tip cap 1, minimum needed 25000000000", -32000, driver.Cheap},
		{"transaction gas price below minimum: gas tip cap 0, minimum needed 1", -32000, driver.Cheap},
		{"max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7", -32000, driver.Cheap},
		{"txpool is full", -32000, driver.Cheap},
		{"insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1", -32000, driver.Refused},
		{"Insufficient funds for gas * price + value", -32003, driver.Refused},
		{"intrinsic gas too low: gas 1, minimum needed 21000", -32000, driver.Refused},
		{"tx fee (2.10 ether) exceeds the configured cap (1.00 ether)", -32000, driver.Refused},
		{"invalid sender", -32000, driver.Refused},
		{"daily request count exceeded", -32005, 0},
		{"internal error", -32603, 0},
		{"the method eth_sendRawTransaction does not exist/is not available", -32601, 0},
	} {
		c := fake(t, func(a ask) any {
			if a.Method == "eth_getTransactionReceipt" {
				return nil
			}
			return said{tt.code, tt.says}
		})
		fate, err := c.Send(t.Context(), raw)
		if fate != tt.want || (err == nil) != (tt.want != 0) {
			t.Errorf("%q: %s (%v), want %s", tt.says, fate, err, tt.want)
		}
	}
	if fate, err := fake(t, func(ask) any { return schemaHash(9) }).Send(t.Context(), raw); err == nil {
		t.Errorf("the node took something else, and it is %s", fate)
	}
}

func schemaHash(n int) string { return fmt.Sprintf("0x%064x", n) }

// made is a block with transactions of somebody to somebody, a log of a token in each.
func made(n int) (at driver.Point, block map[string]any, receipts []any) {
	at = driver.Point{Height: 5, Hash: schema.Digest{31: 77}}
	var txs []any
	for i := range n {
		from, to := fmt.Sprintf("0x%040x", 1000+i), fmt.Sprintf("0x%040x", 5000+i)
		txs = append(txs, map[string]any{
			"hash": schemaHash(i), "from": from, "to": to, "value": "0x1", "nonce": "0x2", "gas": "0x5208", "gasPrice": "0x1", "type": "0x2",
			"input": "0x" + strings.Repeat("ab", 68), "blockHash": schemaHash(77), "blockNumber": "0x5", "transactionIndex": "0x1",
		})
		receipts = append(receipts, map[string]any{
			"transactionHash": schemaHash(i), "blockHash": schemaHash(77), "blockNumber": "0x5", "status": "0x1", "gasUsed": "0x5208",
			"effectiveGasPrice": "0x3", "logsBloom": "0x" + strings.Repeat("00", 256), "logs": []any{map[string]any{
				"address": tokenAt, "data": schemaHash(8), "blockHash": schemaHash(77), "logIndex": "0x0",
				"topics": []string{transferTopic, schemaHash(1000 + i), schemaHash(9000 + i)},
			}},
		})
	}
	block = map[string]any{"hash": schemaHash(77), "parentHash": schemaHash(76), "number": "0x5", "transactions": txs}
	return at, block, receipts
}

const (
	tokenAt       = "0x00000000000000000000000000000000000000cc"
	transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
)

// few are the addresses up to a number.
type few struct{ from, to int64 }

func (f few) Place(key []byte) (driver.Place, bool) {
	n := new(big.Int).SetBytes(key).Int64()
	return driver.Place{Index: schema.AddressIndex(n)}, n >= f.from && n < f.to
}
func (few) Coin([]byte) bool          { return false }
func (few) Contract(key []byte) bool  { return key[19] == 0xcc && key[18] == 0 }
func one(n int64) few                 { return few{n, n + 1} }
func edit(of any, key string, to any) { of.(map[string]any)[key] = to }
func logOf(receipt any) map[string]any {
	return receipt.(map[string]any)["logs"].([]any)[0].(map[string]any)
}

func TestReceiptsOneByOne(t *testing.T) {
	at, block, receipts := made(250)
	var sizes []int
	c := fake(t, func(a ask) any {
		switch a.Method {
		case "eth_getBlockByHash":
			return block
		case "eth_getTransactionReceipt":
			var hash string
			json.Unmarshal(a.Params[0], &hash)
			n, _ := new(big.Int).SetString(hash[2:], 16)
			return receipts[n.Int64()]
		}
		return said{-32601, "the method does not exist"}
	}, &sizes)
	b, err := c.Block(t.Context(), at, one(5249))
	if err != nil || len(b.Receipts) != 1 || b.Receipts[0].ID != schemaHash(249)+":v" || b.Parent != (schema.Digest{31: 76}) {
		t.Errorf("found %+v (%v)", b, err)
	}
	if fmt.Sprint(sizes) != "[100 100 50]" {
		t.Errorf("asked in batches of %v", sizes)
	}
}

func TestFeeOfTheChainBelow(t *testing.T) {
	at, block, receipts := made(1)
	edit(receipts[0], "l1Fee", "0x7")
	b, err := served(t, block, receipts).Block(t.Context(), at, one(1000))
	if err != nil || len(b.Spends) != 1 || b.Spends[0].Fee.Int64() != 21_000*3+7 || b.Spends[0].Nonce != 2 {
		t.Errorf("found %+v (%v)", b, err)
	}
}

func served(t testing.TB, block any, receipts []any) *evm.Chain {
	return fake(t, func(a ask) any {
		if a.Method == "eth_getBlockByHash" {
			return block
		}
		return receipts
	})
}

// TestLogsThatAreNoTransfers: what is not exactly one is none.
func TestLogsThatAreNoTransfers(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(receipt any)
		want   int
	}{
		"as it should be":  {func(any) {}, 1},
		"another contract": {func(r any) { edit(logOf(r), "address", "0x00000000000000000000000000000000000000dd") }, 0},
		"two topics":       {func(r any) { edit(logOf(r), "topics", []string{transferTopic, schemaHash(1)}) }, 0},
		"four topics (an NFT)": {func(r any) {
			edit(logOf(r), "topics", []string{transferTopic, schemaHash(1), schemaHash(9000), schemaHash(1)})
		}, 0},
		"another event": {func(r any) { edit(logOf(r), "topics", []string{schemaHash(3), schemaHash(1), schemaHash(9000)}) }, 0},
		"no topics":     {func(r any) { edit(logOf(r), "topics", []string{}) }, 0},
		"no data":       {func(r any) { edit(logOf(r), "data", "0x") }, 0},
		"33 bytes":      {func(r any) { edit(logOf(r), "data", schemaHash(1)+"00") }, 0},
		"of nothing":    {func(r any) { edit(logOf(r), "data", schemaHash(0)) }, 0},
		"not an address": {func(r any) {
			edit(logOf(r), "topics", []string{transferTopic, schemaHash(1), "0x01" + schemaHash(9000)[4:]})
		}, 0},
		"failed": {func(r any) { edit(r, "status", "0x0") }, 0},
	} {
		at, block, receipts := made(1)
		tt.change(receipts[0])
		b, err := served(t, block, receipts).Block(t.Context(), at, one(9000))
		if err != nil || len(b.Receipts) != tt.want {
			t.Errorf("%s: found %+v (%v), want %d", name, b, err, tt.want)
		}
		if tt.want == 1 && (b.Receipts[0].ID != schemaHash(0)+":0" || b.Receipts[0].Units.Int64() != 8) {
			t.Errorf("%s: %+v", name, b.Receipts[0])
		}
	}
}

func TestBlocksThatDoNotFit(t *testing.T) {
	for name, change := range map[string]func(block map[string]any, receipts *[]any){
		"another hash":        func(b map[string]any, _ *[]any) { edit(b, "hash", schemaHash(78)) },
		"another height":      func(b map[string]any, _ *[]any) { edit(b, "number", "0x6") },
		"a receipt is absent": func(_ map[string]any, r *[]any) { *r = (*r)[1:] },
		"of another block":    func(_ map[string]any, r *[]any) { edit((*r)[1], "blockHash", schemaHash(78)) },
		"in another order":    func(_ map[string]any, r *[]any) { (*r)[0], (*r)[1] = (*r)[1], (*r)[0] },
		"no status":           func(_ map[string]any, r *[]any) { delete((*r)[0].(map[string]any), "status") },
		"no price":            func(_ map[string]any, r *[]any) { delete((*r)[0].(map[string]any), "effectiveGasPrice") },
		"a broken hash":       func(b map[string]any, _ *[]any) { edit(b, "parentHash", "0x12") },
		"a broken nonce":      func(b map[string]any, _ *[]any) { edit(b["transactions"].([]any)[0], "nonce", "0xzz") },
		"no receipts":         func(_ map[string]any, r *[]any) { *r = nil },
	} {
		at, block, receipts := made(2)
		change(block, &receipts)
		if b, err := served(t, block, receipts).Block(t.Context(), at, one(1000)); err == nil {
			t.Errorf("%s: found %+v", name, b)
		}
	}
}

func TestFeeRate(t *testing.T) {
	for _, tt := range []struct {
		base string
		tip  any
		want uint64
	}{
		{"0x64", "0x7", 207},
		{"0x64", said{-32601, "no such method"}, 1_000_000_200},
		{"0x64", said{-32603, "broken"}, 0},
		{"0xffffffffffffffff", "0x1", 0},
		{"0x7fffffffffffffff", "0x2", 0},
		{"", "0x1", 0},
	} {
		c := fake(t, func(a ask) any {
			if a.Method == "eth_maxPriorityFeePerGas" {
				return tt.tip
			}
			_, block, _ := made(0)
			edit(block, "baseFeePerGas", tt.base)
			return block
		})
		if got, err := c.FeeRate(t.Context()); got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("%s and %v: %d (%v), want %d", tt.base, tt.tip, got, err, tt.want)
		}
	}
}

// TestNodesWithoutAPendingState are asked for the last block.
func TestNodesWithoutAPendingState(t *testing.T) {
	c := fake(t, func(a ask) any {
		if string(a.Params[1]) == `"pending"` {
			return said{-32000, "pending state is not available"}
		}
		return "0x16345785d8a0000"
	})
	got, err := c.Holds(t.Context(), driver.Point{}, driver.Holding{Address: tokenAt})
	if err != nil || got != fixed.MustParse("0.1") {
		t.Errorf("it holds %s (%v)", got, err)
	}
}

func TestNodesThatFail(t *testing.T) {
	status, body := http.StatusOK, ""
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(status)
		io.WriteString(out, body)
	}))
	defer server.Close()
	c := dial(t, server.URL+"/secret")
	for _, tt := range []struct {
		status     int
		body, says string
	}{
		{200, "", "unexpected end"},
		{200, "[]", "eth_chainId"},
		{200, `{"id":0,"result":null}`, "no answer"},
		{200, `{"id":0,"result":"twelve"}`, "not a number"},
		{200, `{"id":0,"error":{"code":-5,"message":"go away"}}`, `"go away" (-5)`},
		{429, "slower", "429"},
		{302, "", "302"},
		{200, strings.Repeat(" ", 64<<20+1), "longer than"},
	} {
		status, body = tt.status, tt.body
		if err := c.Check(t.Context()); err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "eth_chainId") {
			t.Errorf("%d %.40q: %v, want %q", tt.status, tt.body, err, tt.says)
		}
	}
	for _, text := range []string{`{"error":{"code":-5,"message":"no batches"}}`, `[]`, `[{"id":7,"result":"0x1"},{"id":0,"result":"0x1"}]`, `[{"id":0,"result":"0x1"},{"id":0,"result":"0x1"}]`} {
		status, body = 200, text
		if rate, err := c.FeeRate(t.Context()); err == nil || errors.Is(err, driver.ErrMoved) {
			t.Errorf("%s: %d (%v)", text, rate, err)
		}
	}
	server.Close()
	if err := c.Check(t.Context()); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a node that is away: %v, want no address in it", err)
	}
	for _, url := range []string{"", "127.0.0.1:8545", "ws://127.0.0.1:8545", "http://"} {
		if _, err := evm.Dial(url, schema.Chain{Family: schema.EVM}); err == nil {
			t.Errorf("%q is the address of a node", url)
		}
	}
}

// rich is a node on which everybody has 2^100 wei and tokens; it proposes a tip and estimates gas.
func rich(t *testing.T, tip, gas any) *evm.Chain {
	t.Helper()
	return fake(t, func(a ask) any {
		switch a.Method {
		case "eth_maxPriorityFeePerGas":
			return tip
		case "eth_estimateGas":
			return gas
		}
		return "0x1" + strings.Repeat("0", 25)
	})
}

// TestReplacementsAreHighEnough: whatever tips were proposed, a replacement has both fees a tenth above, as geth asks for.
func TestReplacementsAreHighEnough(t *testing.T) {
	const seed = 22
	r := random{rand.New(rand.NewPCG(seed, 0))}
	compose := func(tip uint64, o *driver.Order) *evm.Transaction {
		d, err := rich(t, fmt.Sprintf("0x%x", tip), "0x5208").Compose(t.Context(), o)
		if err != nil {
			t.Fatalf("seed %d: a tip of %d and %+v: %v", seed, tip, o, err)
		}
		plain, err := evm.ReadUnsigned(d.Unsigned)
		if err != nil {
			t.Fatal(err)
		}
		return plain
	}
	for range 100 {
		o := &driver.Order{Chain: &schema.Chain{}, From: tokenAt, Pays: []driver.Payment{{Address: tokenAt}}, Rate: 1 + r.uint()>>20}
		old := compose(r.uint()>>20, o)
		if old.Cap != o.Rate || old.Tip > old.Cap {
			t.Errorf("seed %d: %+v at a rate of %d", seed, old, o.Rate)
		}
		o.Least, o.Rate = old.Cap, r.uint()>>20
		higher := compose(r.uint()>>20, o)
		if higher.Cap < o.Rate || higher.Tip > higher.Cap || higher.Cap*100 < old.Cap*110 || higher.Tip*100 < old.Tip*110 {
			t.Errorf("seed %d: %+v replaces %+v at a rate of %d", seed, higher, old, o.Rate)
		}
	}
}

func TestGas(t *testing.T) {
	for _, tt := range []struct {
		says any
		want uint64 // 0: none
		err  error
	}{
		{"0x5208", 21_000, nil},
		{"0xc350", 70_000, nil}, // with something to spare
		{"0x30d40", 200_000, nil},
		{"0x30d41", 0, driver.ErrCannot},
		{said{3, "execution reverted: TRANSFER_FAILED"}, 0, driver.ErrCannot},
		{said{-32000, "gas required exceeds allowance (200000)"}, 0, driver.ErrCannot},
		{said{-32000, "header not found"}, 0, nil},
		{nil, 0, nil},
	} {
		o := &driver.Order{
			Chain: &schema.Chain{}, From: tokenAt, Contract: tokenAt, Decimals: 6, Rate: 100, Pays: []driver.Payment{{Address: tokenAt, Amount: fixed.MustParse("1")}},
		}
		d, err := rich(t, "0x1", tt.says).Compose(t.Context(), o)
		if tt.want == 0 {
			if err == nil || errors.Is(err, driver.ErrCannot) != (tt.err != nil) {
				t.Errorf("%v: composed %+v, %v, want %v", tt.says, d, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", tt.says, err)
			continue
		}
		if plain, err := evm.ReadUnsigned(d.Unsigned); err != nil || plain.Gas != tt.want {
			t.Errorf("%v: %+v (%v), want gas %d", tt.says, plain, err, tt.want)
		}
	}
}

// BenchmarkScan reads a block of 1,000 transactions, each with a log of a listed token, and finds 100 deposits; from HTTP to the end.
func BenchmarkScan(b *testing.B) {
	at, block, receipts := made(1000)
	var texts [2][]byte
	for i, v := range []any{block, receipts} {
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 0, "result": v})
		if err != nil {
			b.Fatal(err)
		}
		texts[i] = text
	}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "eth_getBlockByHash") {
			out.Write(texts[0])
			return
		}
		out.Write(texts[1])
	}))
	defer server.Close()
	c := dial(b, server.URL)
	b.SetBytes(int64(len(texts[0]) + len(texts[1])))
	b.ReportAllocs()
	for b.Loop() {
		found, err := c.Block(b.Context(), at, few{9000, 9100})
		if err != nil || len(found.Receipts) != 100 {
			b.Fatal(err)
		}
	}
}
