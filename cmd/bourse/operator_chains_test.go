package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestOperatorChains(t *testing.T) {
	d := openDesk(t)
	for _, name := range []string{"BTC", "ETH", "TRON"} { // no block may come by itself
		d.do("chain", "interval", name, "0")
	}
	d.do("chain", "create", "XRP", "--family", "xrp", "--net", "testnet", "--interval", "1m30s", "--paused")
	d.has(d.get("chains/XRP"), `{"driver":"sandbox","family":"xrp","net":"testnet","interval":"90","paused":true}`)
	d.do("chain", "resume", "XRP")
	d.do("chain", "interval", "XRP", "250ms")
	d.has(d.get("chains/XRP"), `{"interval":"0.25","paused":false}`)
	d.do("chain", "pause", "XRP")
	d.prints(field(d.do("chain", "stick", "ETH", "on"), "stuck"), "yes")
	d.has(d.get("chains/ETH"), `{"stuck":true,"paused":false,"interval":"0"}`)
	d.prints(d.do("chain", "list"), `
name  driver   family   net      interval  paused  stuck  height  busy  halted  waiting
BTC   sandbox  bitcoin  regtest         0  no      no          0  no    no            0
ETH   sandbox  evm      testnet         0  no      yes         0  no    no            0
TRON  sandbox  tron     testnet         0  no      no          0  no    no            0
XRP   sandbox  xrp      testnet      0.25  yes     no          0  no    no            0
`)
	d.do("chain", "stick", "ETH", "off")
	d.has(d.get("chains/ETH"), `{"stuck":false}`)
	d.refuses(2, `<state> must be one of "on","off" but got "maybe"`, "chain", "stick", "ETH", "maybe")
	d.refuses(1, `there is no chain "BSC"`, "chain", "stick", "BSC", "on")
	d.same(d.json("chain", "list"), d.get("chains"))
	d.refuses(1, `chain "BTC" is there already`, "chain", "create", "BTC", "--family", "bitcoin", "--net", "regtest")
	d.refuses(1, "chain NODE: an evm chain has a number, its chain id, such as 1", "chain", "create", "NODE", "--driver", "evm", "--family", "evm", "--net", "mainnet")
	d.refuses(2, `<interval>: "soon" is not a time: write it like 5s, 250ms or 1m30s`, "chain", "interval", "BTC", "soon")

	sent := d.json("chain", "faucet", "alice", "BTC", "0.5").(map[string]any)
	d.has(sent, `{"account":"alice","amount":"0.5","asset":"BTC","chain":"BTC","memo":""}`)
	d.has(d.json("chain", "send", "BTC", sent["address"].(string), "0.00001", "--asset", "BTC"), `{"account":"alice"}`)
	d.has(d.json("chain", "send", "BTC", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "0.25", "--asset", "BTC"), `{"account":""}`)
	d.do("chain", "mine", "BTC")
	d.same(d.json("chain", "mine", "BTC", "2"), d.get("chains/BTC"))
	d.same(d.json("chain", "show", "BTC"), d.get("chains/BTC"))
	shown := squeezed(d.do("chain", "show", "BTC"))
	if len(shown) != 21 || shown[6] != "stuck no" || shown[9] != "height 3" || shown[19] != "asset coins cold wanted booked difference" || shown[20] != "BTC 0.75001 0 0 0.75001 0" {
		t.Errorf("got %s", strings.Join(shown, "\n"))
	}

	waiting := squeezed(d.do("deposits", "--chain", "BTC", "--status", "uncredited"))
	if len(waiting) != 3 || waiting[0] != "id created chain account asset amount fee status reversed height confirmations memo receipt" ||
		!strings.Contains(waiting[1], " BTC - BTC 0.25 0 uncredited no 1 3 - ") || !strings.Contains(waiting[2], " BTC alice BTC 0.00001 0 uncredited no 1 3 - ") {
		t.Errorf("got %s", strings.Join(waiting, "\n"))
	}
	d.same(d.json("deposits", "--account", "alice"), d.get("deposits?account=alice"))
	d.prints(d.do("decide", "3", "credit", "--account", "bob"), "id        3\ndecision  credit\naccount   bob\nasset     BTC\namount    0.25\n")
	d.has(d.json("decide", "2", "freeze"), `{"decision":"freeze","account":"alice"}`)
	d.refuses(2, `<decision> must be one of "credit","cancel","freeze" but got "keep"`, "decide", "2", "keep")

	d.has(d.json("chain", "reorg", "BTC", "1"), `{"height":4}`)
	d.has(d.json("chain", "reorg", "BTC", "4", "--drop", sent["receipt"].(string)), `{"height":5}`)
	d.do("chain", "mine", "BTC", "10")
	d.same(d.json("deposits", "--account", "alice", "--status", "credited").([]any)[0].(map[string]any)["reversed"], true)
	d.has(d.json("chain", "reorg", "BTC", "15", "--drop", "all"), `{"height":16}`)
	d.prints(d.do("owed"), "nothing is owed\n")
	d.refuses(1, "The account owes 0. (amount)", "forgive", "alice", "BTC", "1")
}

func TestOperatorWithdrawals(t *testing.T) {
	asked := make(chan string, 1)
	args := stage(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- strings.TrimSpace(r.Method + " " + r.URL.String() + " " + string(body))
		if r.Method == "GET" {
			fmt.Fprintln(w, `[{"id":7,"chain":"BTC","account":"alice","asset":"BTC","amount":"0.5","fee":"0.0002","status":"review","needed":1,"approver":"otto","height":0,`+
				`"confirmations":0,"created":null,"changed":null,"to":"","address":"bc1q","memo":"","unique":"u","tx":"","refund":4,"signed":["olga","otto"],"lacks":"a signature"}]`)
			return
		}
		fmt.Fprintln(w, `{"id":7,"decision":"approve","account":"alice","asset":"BTC","amount":"0.5","needed":0}`)
	})
	wantLines(t, good(t, "", append(args, "withdrawals", "--chain", "BTC", "--account", "alice", "--status", "review")...),
		"id created chain account asset amount fee status needed approver signed refund to address memo height confirmations tx lacks",
		"7 - BTC alice BTC 0.5 0.0002 review 1 otto olga, otto 4 - bc1q - 0 0 - a signature")
	if got := <-asked; got != `GET /v1/withdrawals?account=alice&chain=BTC&limit=100&status=review` {
		t.Errorf("asked %s", got)
	}
	for _, decision := range []string{"approve", "cancel", "freeze", "release"} {
		wantLines(t, good(t, "", append(args, "withdrawal", "7", decision)...), "id 7", "decision approve", "account alice", "asset BTC", "amount 0.5", "needed 0")
		if got := <-asked; got != `POST /v1/withdrawals/7/decision {"decision":"`+decision+`"}` {
			t.Errorf("asked %s", got)
		}
	}
	d := openDesk(t)
	d.prints(d.do("withdrawals"), "no withdrawals\n")
	d.refuses(1, `there is no withdrawal "1"`, "withdrawal", "1", "approve")
	d.refuses(2, `<decision> must be one of "approve","cancel","freeze","release","sign" but got "keep"`, "withdrawal", "1", "keep")
}

// TestOperatorColdStorage: what the desk asks for arrives; what may come of it is tested where it is decided.
func TestOperatorColdStorage(t *testing.T) {
	d := openDesk(t)
	d.do("chain", "create", "NODE", "--driver", "evm", "--family", "evm", "--net", "mainnet", "--number", "1")
	d.refuses(1, "Cold storage has less of this asset on this chain, or the amount has more decimals than the chain keeps. (amount)", "chain", "refill", "NODE", "ETH", "1")
	d.refuses(1, "The chain is not halted. (chain)", "chain", "resume", "NODE", "--at", "12:"+strings.Repeat("0a", 32))
	d.refuses(1, "The chain is not halted. (chain)", "chain", "adopt", "NODE", "0xfe")
	d.refuses(1, "it is no address of the exchange, or of one of its accounts, on this chain (address)", "chain", "surplus", "NODE", "ETH", "1", "0x52908400098527886E0F7030069857D2E4169EE7")
	d.refuses(1, "the hash of a block has 64 hexadecimal digits (hash)", "chain", "resume", "NODE", "--at", "12:0a")
	d.refuses(1, `--at: "twelve" is not HEIGHT:HASH, as 'bourse operator chain show NODE' prints them`, "chain", "resume", "NODE", "--at", "twelve")
}

func TestOperatorChainAudit(t *testing.T) {
	answers := make(chan string, 1)
	args := stage(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method+" "+r.URL.String() != "GET /v1/chains/ETH/audit" {
			t.Errorf("asked %s %s", r.Method, r.URL)
		}
		fmt.Fprintln(w, <-answers)
	})
	for _, tt := range []struct{ answer, want string }{
		{`{"height":0,"hash":"","assets":[]}`, "no audit yet: chains that others live on are held against their nodes where they are followed ('bourse serve --chain-node')\n"},
		{
			`{"height":12,"hash":"ab","assets":[{"asset":"ETH","books":"3","chain":"3","less":"0","surplus":"0","differences":[]}]}`,
			"block  asset  books  chain  less  surplus\n   12  ETH        3      3     0        0\nno differences\n",
		},
		{
			`{"height":12,"hash":"ab","assets":[{"asset":"ETH","books":"3","chain":"5.5","less":"0","surplus":"2.5","differences":[{"address":"0xb0b","coin":"","books":"1","chain":"3.5"}]},` +
				`{"asset":"USDT","books":"9","chain":"8","less":"1","surplus":"0","differences":[{"address":"0xa11ce","coin":"","books":"9","chain":"8"}]}]}`,
			"block  asset  books  chain  less  surplus\n   12  ETH        3    5.5     0      2.5\n   12  USDT       9      8     1        0\n" +
				"asset  books  chain  address  coin\nETH        1    3.5  0xb0b    -\nUSDT       9      8  0xa11ce  -\n",
		},
	} {
		answers <- tt.answer
		if got := good(t, "", append(args, "chain", "audit", "ETH")...); got != tt.want {
			t.Errorf("got\n%swant\n%s", got, tt.want)
		}
	}
}
