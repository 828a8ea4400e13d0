// Package nodetest starts nodes of Bitcoin for tests: real ones, each a process of its own on chains where blocks cost nothing, on free
// ports of loopback, with its data in a directory of the test. They know no other node, and stop with the test.
package nodetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bourse/internal/port"
	"bourse/internal/schema"
)

const (
	user, password = "test", "secret"
	patience       = time.Minute // until a node answers, and until it stopped
)

// Node is a node that runs.
type Node struct {
	URL string // with user and password
	Net schema.Net
	// Ripe is how many blocks a chain has to have before coins of its first blocks can be spent by witness.
	Ripe int

	t    testing.TB
	mine func(blocks int) error
}

// Btcd starts btcd on a simnet. Its blocks pay to an address.
func Btcd(t testing.TB, miner string) *Node {
	t.Helper()
	program := tool(t, "btcd")
	home := t.TempDir()
	rpc, peers := free(t), free(t)
	node := start(t, home, rpc, program, "--simnet", "--notls", "--rpcuser="+user, "--rpcpass="+password, "--rpclisten="+rpc, "--listen="+peers,
		"--miningaddr="+miner, "--txindex", "--datadir="+filepath.Join(home, "data"), "--logdir="+filepath.Join(home, "log"), "--nodnsseed", "--nobanning")
	node.Net, node.Ripe = schema.Simnet, 310 // witnesses count from block 300 on
	node.mine = func(blocks int) error { return node.Ask(nil, "generate", blocks) }
	return node
}

// Bitcoind starts bitcoind on a regtest chain. Its blocks pay to an address. The test is left out if bitcoind cannot be had here, which
// `make bitcoind` has found.
func Bitcoind(t testing.TB, miner string) *Node {
	t.Helper()
	node := core(t, "-regtest", "-txindex", "-acceptnonstdtxn=0")
	node.Net, node.Ripe = schema.Regtest, 110
	node.mine = func(blocks int) error { return node.Ask(nil, "generatetoaddress", blocks, miner) }
	return node
}

// Signet starts bitcoind on a signet of its own whose blocks need no signature, but work: about five million hashes each. Nobody mines it.
// The test is left out if bitcoind cannot be had here.
func Signet(t testing.TB) *Node {
	t.Helper()
	node := core(t, "-signet", "-signetchallenge=51", "-connect=0")
	node.Net = schema.Signet
	return node
}

// core starts bitcoind.
func core(t testing.TB, args ...string) *Node {
	t.Helper()
	if why, err := os.ReadFile(filepath.Join(tools(t), "bitcoind.absent")); err == nil {
		t.Skip(string(bytes.TrimSpace(why)))
	}
	program := tool(t, "bitcoind")
	home := t.TempDir()
	rpc, peers := free(t), free(t)
	_, rpcPort, _ := strings.Cut(rpc, ":")
	return start(t, home, rpc, program, append(args, "-server", "-datadir="+home, "-rpcuser="+user, "-rpcpassword="+password, "-rpcport="+rpcPort,
		"-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1", "-bind="+peers, "-listenonion=0", "-dnsseed=0", "-fixedseeds=0", "-disablewallet", "-dbcache=16",
		"-printtoconsole=0")...)
}

// tools is the directory of programs for tests, in the root of the repository.
func tools(t testing.TB) string {
	at, err := os.Getwd()
	for ; err == nil; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return filepath.Join(at, "bin", "tools")
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	t.Fatalf("no go.mod above the test: %v", err)
	return ""
}

func tool(t testing.TB, name string) string {
	program := filepath.Join(tools(t), name)
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%s is not in bin/tools: run 'make %s'", name, name)
	}
	return program
}

func free(t testing.TB) string {
	p, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	return "127.0.0.1:" + strconv.Itoa(p)
}

// start starts a node and waits until it answers.
func start(t testing.TB, home, rpc, program string, args ...string) *Node {
	t.Helper()
	process := exec.Command(program, args...)
	process.Env = append(os.Environ(), "HOME="+home)
	var output bytes.Buffer
	process.Stdout, process.Stderr = &output, &output
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait() // it was stopped, or its output says why not
		close(ended)
	}()
	t.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-ended:
		case <-time.After(patience):
			t.Errorf("%s did not stop", program)
			_ = process.Process.Kill()
			<-ended
		}
	})
	at := url.URL{Scheme: "http", User: url.UserPassword(user, password), Host: rpc}
	node := &Node{URL: at.String(), t: t}
	deadline := time.After(patience)
	for {
		err := node.Ask(nil, "getblockchaininfo")
		if err == nil {
			return node
		}
		select {
		case <-ended:
			t.Fatalf("%s ended: %s", program, &output)
		case <-deadline:
			t.Fatalf("%s does not answer: %v", program, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Ask asks the node by its RPC.
func (n *Node) Ask(result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "1.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer := struct {
		Result any             `json:"result"`
		Error  json.RawMessage `json:"error"`
	}{Result: result}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %s: %w", method, response.Status, err)
	}
	if len(answer.Error) > 0 && string(answer.Error) != "null" {
		return fmt.Errorf("%s: %s", method, answer.Error)
	}
	return nil
}

// Mine makes blocks of what waits.
func (n *Node) Mine(blocks int) {
	n.t.Helper()
	if err := n.mine(blocks); err != nil {
		n.t.Fatal(err)
	}
}

// Height of the chain of the node.
func (n *Node) Height() int {
	n.t.Helper()
	var height int
	if err := n.Ask(&height, "getblockcount"); err != nil {
		n.t.Fatal(err)
	}
	return height
}

// Give shows the blocks of this node from a height on to another one, as the net would. If that is the longer chain, the other node
// reorganises itself.
func (n *Node) Give(to *Node, from int) {
	n.t.Helper()
	for height := from; height <= n.Height(); height++ {
		var hash, raw string
		err := n.Ask(&hash, "getblockhash", height)
		if err == nil {
			err = n.Ask(&raw, "getblock", hash, 0)
		}
		var no any // why it is not taken, or not yet
		if err == nil {
			err = to.Ask(&no, "submitblock", raw)
		}
		if err != nil || no != nil && no != "inconclusive" {
			n.t.Fatalf("block %d: %v %v", height, no, err)
		}
	}
}
