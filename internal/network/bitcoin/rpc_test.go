package bitcoin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// fake is a node that answers by a table of methods. What is not there it does not know.
func fake(t testing.TB, answers map[string]string) *Chain {
	t.Helper()
	return chainOf(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Method string `json:"method"`
			Params []any  `json:"params"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Params == nil {
			t.Errorf("%+v %v", asked, err)
		}
		answer, ok := answers[asked.Method]
		switch {
		case !ok:
			w.WriteHeader(http.StatusNotFound)
			answer = `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":1}`
		case strings.HasPrefix(answer, "{\"code\""):
			w.WriteHeader(http.StatusInternalServerError)
			answer = `{"result":null,"error":` + answer + `,"id":1}`
		default:
			answer = `{"result":` + answer + `,"error":null,"id":1}`
		}
		fmt.Fprint(w, answer)
	}), schema.Regtest)
}

func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func TestWhatCannotBeDialed(t *testing.T) {
	bitcoin := schema.Chain{Name: "btc", Family: schema.Bitcoin, Net: schema.Mainnet}
	for _, at := range []string{"", "127.0.0.1:8332", "ftp://127.0.0.1", "http://", "http://user:secret@127.0.0.1:port"} {
		if _, err := Dial(at, bitcoin); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", at, err)
		}
	}
	for _, c := range []schema.Chain{{Family: schema.EVM, Net: schema.Mainnet}, {Family: schema.Bitcoin}, {Family: schema.Bitcoin, Net: schema.Simnet + 1}} {
		if _, err := Dial("http://127.0.0.1", c); err == nil {
			t.Errorf("dialed %v of %v", c.Net, c.Family)
		}
	}
}

func TestUserAndPasswordAreSentAndNeverShown(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "alice" || password != "sec:ret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"result":{"blocks":7,"bestblockhash":"`+testnet926485+`"},"error":null}`)
	})
	with, _ := url.Parse(at)
	with.User = url.UserPassword("alice", "sec:ret")
	if tip, err := chainOf(t, with.String(), schema.Testnet).Tip(t.Context()); err != nil || tip.Height != 7 || fmt.Sprintf("%x", tip.Hash) != testnet926485 {
		t.Errorf("%v %v", tip, err)
	}
	with.User = url.UserPassword("alice", "wrong")
	_, err := chainOf(t, with.String(), schema.Testnet).Tip(t.Context())
	if err == nil || err.Error() != "bitcoin node: getblockchaininfo: the answer is no JSON-RPC: HTTP status 401 Unauthorized" {
		t.Error(err)
	}
	with.Host = "127.0.0.1:1"
	if _, err := chainOf(t, with.String(), schema.Testnet).Tip(t.Context()); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Error(err)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for answer, want := range map[string]string{
		``:                                  "no JSON-RPC",
		`<html>`:                            "no JSON-RPC",
		`{}`:                                "no JSON-RPC",
		`{"result":{"blocks":-1}}`:          "cannot unmarshal",
		`{"result":{"bestblockhash":"00"}}`: "is no hash",
		`{"result":{"bestblockhash":"` + strings.Repeat("x", 64) + `"}}`: "is no hash",
		`{"error":{"code":-28,"message":"Loading block index…"}}`:        "Loading block index… (code -28)",
	} {
		at := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) })
		if tip, err := chainOf(t, at, schema.Regtest).Tip(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v, want %q", answer, tip, err, want)
		}
	}
	endless := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for _, err := io.WriteString(w, `{"result":"`); err == nil; {
			_, err = w.Write(make([]byte, 1<<20))
		}
	})
	if _, err := chainOf(t, endless, schema.Regtest).Tip(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 67108864 bytes") {
		t.Error(err)
	}
	moved := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, endless, http.StatusTemporaryRedirect)
	})
	if _, err := chainOf(t, moved, schema.Regtest).Tip(t.Context()); err == nil || !strings.Contains(err.Error(), "307") {
		t.Error(err)
	}
	asked := make(chan struct{})
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server sees only then that its client is gone
		close(asked)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := chainOf(t, silent, schema.Regtest).Tip(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFeeRates(t *testing.T) {
	const unknown = `{"code":-32603,"message":"not enough blocks have been observed"}`
	for _, v := range []struct {
		answers map[string]string
		want    uint64
	}{
		{map[string]string{"estimatesmartfee": `{"errors":["Insufficient data or no feerate found"],"blocks":3}`}, 1},
		{map[string]string{"estimatesmartfee": `{"feerate":0.00001000,"blocks":3}`}, 1},
		{map[string]string{"estimatesmartfee": `{"feerate":0.00001001,"blocks":3}`}, 2},
		{map[string]string{"estimatesmartfee": `{"feerate":0.00012000,"blocks":3}`}, 12},
		{map[string]string{"estimatesmartfee": `{"feerate":0.00000100,"blocks":3}`}, 1},
		{map[string]string{"estimatesmartfee": `{"feerate":0,"blocks":3}`}, 1},
		{map[string]string{"estimatesmartfee": `{"feerate":1,"blocks":3}`}, 100_000},
		{map[string]string{"estimatefee": unknown}, 1},
		{map[string]string{"estimatefee": `0.00025050000000000003`}, 26},
		{map[string]string{"estimatefee": `2.5e-7`}, 1},
		{map[string]string{"estimatefee": `-1`}, 1},
		{map[string]string{"estimatesmartfee": unknown}, 0},
		{map[string]string{"estimatesmartfee": `{"feerate":1e21}`}, 0},
		{map[string]string{"estimatesmartfee": `{"feerate":1e999999999}`}, 0},
		{map[string]string{"estimatefee": `true`}, 0},
	} {
		rate, err := fake(t, v.answers).FeeRate(t.Context())
		if rate != v.want || (err == nil) != (v.want > 0) {
			t.Errorf("%v: %d %v, want %d", v.answers, rate, err, v.want)
		}
	}
}

func TestFates(t *testing.T) {
	var raw []byte
	{
		_, _, tx := plan(t)
		var b strings.Builder
		if err := tx.Serialize(&b); err != nil {
			t.Fatal(err)
		}
		raw = []byte(b.String())
	}
	// As Core 29 and btcd 0.26 say it.
	for _, v := range []struct {
		code    int
		message string
		want    driver.Fate // 0: nobody knows
	}{
		{-27, "Transaction outputs already in utxo set", driver.Mined},
		{-27, "TX rejected: transaction already exists in blockchain", driver.Mined},
		{-26, "txn-already-in-mempool", driver.Accepted},
		{-26, "txn-same-nonwitness-data-in-mempool", driver.Accepted},
		{-26, "TX rejected: already have transaction in mempool 00", driver.Accepted},
		{-26, "insufficient fee, rejecting replacement 00; new feerate 0.00001000 BTC/kvB <= old feerate 0.00002000 BTC/kvB", driver.Cheap},
		{-26, "min relay fee not met, 100 < 141", driver.Cheap},
		{-26, "mempool min fee not met, 100 < 141", driver.Cheap},
		{-26, "mempool full", driver.Cheap},
		{-26, "TX rejected: 00: replacement transaction has an insufficient fee rate: needs more than 2, has 1", driver.Cheap},
		{-26, "TX rejected: 00: replacement transaction has an insufficient absolute fee: needs 2, has 1", driver.Cheap},
		{-26, "TX rejected: transaction 00 has 1 fees which is under the required amount of 2", driver.Cheap},
		{-26, "TX rejected: transaction 00 has insufficient priority (1 <= 2)", driver.Cheap},
		{-26, "TX rejected: transaction 00 has been rejected by the rate limiter due to low fees", driver.Cheap},
		{-26, "txn-mempool-conflict", driver.Conflict},
		{-26, "too many potential replacements, rejecting replacement 00", driver.Conflict},
		{-26, "replacement-adds-unconfirmed, replacement 00 contains unconfirmed input, idx 0", driver.Conflict},
		{-26, "TX rejected: output already spent in mempool: output=00:0, tx=00", driver.Conflict},
		{-25, "bad-txns-inputs-missingorspent", driver.Conflict},
		{-25, "TX rejected: orphan transaction 00 references outputs of unknown or fully-spent transaction 00", driver.Conflict},
		{-25, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)", driver.Refused},
		{-26, "dust", driver.Refused},
		{-26, "too-long-mempool-chain", driver.Refused},
		{-26, "mandatory-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)", driver.Refused},
		{-22, "TX decode failed. Make sure the tx has at least one input.", driver.Refused},
		{-28, "Loading block index…", 0},
		{-32603, "the disk is full", 0},
	} {
		answer, err := json.Marshal(struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		}{v.code, v.message})
		if err != nil {
			t.Fatal(err)
		}
		c := fake(t, map[string]string{"sendrawtransaction": string(answer), "getrawtransaction": `{"code":-5,"message":"No such mempool or blockchain transaction."}`})
		if fate, err := c.Send(t.Context(), raw); fate != v.want || (err == nil) != (v.want != 0) {
			t.Errorf("%d %s: %v %v, want %v", v.code, v.message, fate, err, v.want)
		}
	}
	// What seems to be in conflict, and is asked for by its name.
	for there, want := range map[string]driver.Fate{
		`{"confirmations":3,"blockhash":"00"}`: driver.Mined,
		`{"confirmations":0,"blockhash":"00"}`: driver.Conflict,
		`{}`:                                   driver.Accepted,
		`{"code":-5,"message":"No such mempool transaction. Use -txindex"}`: driver.Conflict,
		`{"code":-28,"message":"Loading block index…"}`:                     0,
	} {
		c := fake(t, map[string]string{"sendrawtransaction": `{"code":-25,"message":"bad-txns-inputs-missingorspent"}`, "getrawtransaction": there})
		if fate, err := c.Send(t.Context(), raw); fate != want || (err == nil) != (want != 0) {
			t.Errorf("%s: %v %v, want %v", there, fate, err, want)
		}
	}
}

func TestWhatACoinIsWorth(t *testing.T) {
	const id = testnet926485 + ":1"
	at := driver.Point{Height: 926485, Hash: hashOf(t, testnet926485)}
	for _, v := range []struct {
		at      driver.Point
		answers map[string]string
		want    string // "": an error
	}{
		{driver.Point{}, map[string]string{"gettxout": `null`}, "0"},
		{driver.Point{}, map[string]string{"gettxout": `{"value":0.10000000}`}, "0.1"}, // a node that does not know the other question
		{driver.Point{}, map[string]string{"gettxout": `{"value":1e-8}`, "gettxspendingprevout": `[{}]`}, "0.00000001"},
		{driver.Point{}, map[string]string{"gettxout": `{"value":20999999.97690000}`, "gettxspendingprevout": `[{"txid":"00","vout":1}]`}, "20999999.9769"},
		{driver.Point{}, map[string]string{"gettxout": `{"value":0.1}`, "gettxspendingprevout": `[{"spendingtxid":"00"}]`}, "0"},
		{driver.Point{}, map[string]string{"gettxout": `{"value":0.1}`, "gettxspendingprevout": `{"code":-28,"message":"…"}`}, ""},
		{driver.Point{}, map[string]string{"gettxout": `{"value":0.123456789}`, "gettxspendingprevout": `[{}]`}, ""},
		{driver.Point{}, map[string]string{"gettxout": `{"code":-28,"message":"…"}`}, ""},
		{at, map[string]string{"gettxout": `{"value":0.1}`, "getbestblockhash": `"` + testnet926485 + `"`}, "0.1"},
		{at, map[string]string{"gettxout": `null`, "getbestblockhash": `"` + testnet926485 + `"`}, "0"},
		{at, map[string]string{"gettxout": `null`, "getbestblockhash": `"00"`}, ""},
	} {
		got, err := fake(t, v.answers).Holds(t.Context(), v.at, driver.Holding{ID: id})
		if (err == nil) != (v.want != "") || err == nil && got != fixed.MustParse(v.want) {
			t.Errorf("%v: %s %v, want %s", v.answers, got, err, v.want)
		}
	}
	if _, err := fake(t, nil).Holds(t.Context(), at, driver.Holding{Address: alice.bech32}); err == nil {
		t.Error("addresses have no balance here")
	}
}
