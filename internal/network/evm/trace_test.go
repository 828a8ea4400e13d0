package evm_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/crypto/sha3"

	"bourse/internal/network/evm"
	"bourse/internal/network/evm/anviltest"
)

// Contracts, by what they do with the ether of a call. Their arguments are words: an address, and what the second is for.
const (
	// forwards pays it to the address.
	forwards = "6000600060006000" + "34" + "600035" + "5af100"
	// undoes does that, and reverts.
	undoes = "6000600060006000" + "34" + "600035" + "5af1" + "60006000fd"
	// tries lets the contract in the second word have it, with the address, and then pays all that it has itself to the address.
	tries = "602060006000" + "37" + "6000600060206000" + "34" + "602035" + "5af150" + "6000600060006000" + "47" + "600035" + "5af100"
	// delegates lets the code at the second word run as its own.
	delegates = "602060006000" + "37" + "6000600060206000" + "602035" + "5af400"
	// ends is over, and the address inherits.
	ends = "600035ff"
	// recurses calls itself as often as the second word says, and then pays the address.
	recurses = "602035" + "8015" + "602257" + "600035600052" + "60019003" + "602052" + "6000600060406000" + "34305af100" + "5b50" + "6000600060006000" + "34" + "600035" + "5af100"
)

func contract(t *testing.T, w *world, code string) string {
	t.Helper()
	b, err := hex.DecodeString(code)
	if err != nil {
		t.Fatal(err)
	}
	return w.Node.Contract(b)
}

// words are arguments: addresses and numbers.
func words(arguments ...any) []byte {
	return anviltest.Invoke("", arguments...)[4:]
}

func TestContractsPay(t *testing.T) {
	w := newWorld(t)
	a, b := w.open(alice), w.open(bob)
	forward, undo, try, delegate, end, recurse := contract(t, w, forwards), contract(t, w, undoes), contract(t, w, tries), contract(t, w, delegates), contract(t, w, ends), contract(t, w, recurses)
	pay := func(to, ether_ string, arguments ...any) string {
		return w.Pay(stranger, to, ether(ether_), words(arguments...))
	}
	one := pay(forward, "1", a)
	both := pay(try, "2", b, forward)                 // the contract pays it, and nothing is left
	again := pay(try, "3", a, undo)                   // what was paid first is taken back
	pay(undo, "4", a)                                 // it fails as a whole
	pay(delegate, "5", b, a)                          // a delegated call pays nobody, whatever it sends along
	proxy := pay(delegate, "6", b, forward)           // but what it calls does
	last := pay(end, "7", a)                          // what a contract had at its end
	deep := pay(recurse, "0.5", a, big.NewInt(3))     // the fourth call pays
	deeper := pay(recurse, "0.25", b, big.NewInt(20)) // its name would be too long
	pay(forward, "0", a)                              // nothing
	pay(forward, "1", anviltest.Accounts[2])          // somebody else
	direct := w.Pay(stranger, a, ether("0.125"), nil) // without a contract
	found := w.mined()
	w.expect(found,
		one+":t0 address 7 "+a+" native 1000000000000000000",
		both+":t0.0 address 8 "+b+" native 2000000000000000000",
		again+":t1 address 7 "+a+" native 3000000000000000000",
		proxy+":t0.0 address 8 "+b+" native 6000000000000000000",
		last+":t0 address 7 "+a+" native 7000000000000000000",
		deep+":t0.0.0.0 address 7 "+a+" native 500000000000000000",
		deeper+":t"+digestOf(strings.Repeat("0.", 20)+"0")+" address 8 "+b+" native 250000000000000000",
		direct+":v address 7 "+a+" native 125000000000000000")
	if len(found.Spends) != 0 {
		t.Errorf("spends: %+v", found.Spends)
	}
	w.holds(found.Point, a, "", "11.625")
	w.holds(found.Point, b, "", "8.25")
}

// digestOf is the name of a step whose own is too long.
func digestOf(step string) string {
	hash := sha3.NewLegacyKeccak256()
	hash.Write([]byte(step))
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// amended is a node in front of another one, whose answers to questions with a word are others.
func amended(t *testing.T, w *world, word string, amend func(answer []byte) []byte) *evm.Chain {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		question, _ := io.ReadAll(r.Body)
		response, err := http.Post(w.URL, "application/json", bytes.NewReader(question))
		if err != nil {
			http.Error(to, err.Error(), http.StatusBadGateway)
			return
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		if bytes.Contains(question, []byte(word)) {
			text = amend(text)
		}
		_, _ = to.Write(text)
	}))
	t.Cleanup(server.Close)
	c, err := evm.Dial(server.URL, w.schema)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNodesWithoutTraces(t *testing.T) {
	w := newWorld(t)
	a := w.open(alice)
	forward := contract(t, w, forwards)
	w.Pay(stranger, forward, ether("1"), words(a))
	direct := w.Pay(stranger, a, ether("2"), nil)
	w.Mine(1)
	tip, err := w.Tip(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	geth := amended(t, w, "trace_block", func([]byte) []byte {
		return []byte(`{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"the method trace_block does not exist/is not available"}}`)
	})
	found, err := geth.Block(w.ctx, tip, w)
	if err != nil {
		t.Fatal(err)
	}
	w.expect(found, direct+":v address 7 "+a+" native 2000000000000000000")

	// A block is not kept back by traces that are too many to be made or heard.
	for name, answer := range map[string][]byte{
		"too long": append(bytes.Repeat([]byte(" "), 64<<20), `{"jsonrpc":"2.0","id":0,"result":[]}`...),
		"late":     []byte(`{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"Execution Timeout"}}`),
		"too late": []byte(`{"jsonrpc":"2.0","id":0,"error":{"code":-32016,"message":"trace_block timed out after 20s"}}`),
	} {
		found, err := amended(t, w, "trace_block", func([]byte) []byte { return answer }).Block(w.ctx, tip, w)
		if err != nil {
			t.Fatal(name, err)
		}
		w.expect(found, direct+":v address 7 "+a+" native 2000000000000000000")
	}

	hash := hex.EncodeToString(tip.Hash[:])
	for name, c := range map[string]struct {
		amend func([]byte) []byte
		want  string
	}{
		"it has none yet": {func([]byte) []byte { return []byte(`{"jsonrpc":"2.0","id":0,"result":[]}`) }, "trace_block: transaction 0x"},
		"pruned": {func([]byte) []byte {
			return []byte(`{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"missing trie node"}}`)
		}, "missing trie node"},
		"of another block": {func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte(hash), bytes.Repeat([]byte("ab"), 32))
		}, "trace_block: the node gave block 0xabab"},
		"in another order": {func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"traceAddress":[]`), []byte(`"traceAddress":[1]`), 1)
		}, "trace_block: step [0] comes after [1]"},
		"not a number": {func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte(`"value":"0xde0b6b3a7640000"`), []byte(`"value":"much"`))
		}, `"much" is not a number`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := amended(t, w, "trace_block", c.amend).Block(w.ctx, tip, w); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
