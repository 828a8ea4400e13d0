// Package anviltest runs anvil, a node of an Ethereum-like chain of its own that makes blocks on demand, for tests.
package anviltest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/sha3"

	"bourse/internal/port"
)

// Number is what the chain calls itself.
const Number = 31337

// Accounts are the first of those that have 10,000 of the chain's own asset and whose keys the node has.
var Accounts = [...]string{
	"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
}

//go:embed testdata/token.hex
var token string

// Node is a running anvil. It makes no block by itself, and puts transactions into one in the order they came.
type Node struct {
	URL string
	t   testing.TB
}

// Start runs a node until the test ends.
func Start(t testing.TB) *Node {
	t.Helper()
	p, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary(t), "--silent", "--no-mining", "--order", "fifo", "--host", "127.0.0.1",
		"--port", strconv.Itoa(p), "--chain-id", strconv.Itoa(Number))
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	n := &Node{URL: fmt.Sprintf("http://127.0.0.1:%d", p), t: t}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for n.try(ctx, "eth_chainId", nil) != nil {
		select {
		case <-ctx.Done():
			t.Fatalf("anvil does not answer: %s", &said)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return n
}

// binary is where npm puts the program. It is installed from the package for the machine: that for all machines has a script there
// that starts the program, and would not take it along when it is killed.
func binary(t testing.TB) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("this is not in the repository")
		}
		root = filepath.Dir(root)
	}
	at := filepath.Join(root, "e2e", "node_modules", ".bin", "anvil")
	if _, err := os.Stat(at); err != nil {
		t.Fatalf("anvil is not there: run 'make anvil' (%v)", err)
	}
	return at
}

// Call asks the node something that it must answer.
func (n *Node) Call(method string, result any, params ...any) {
	n.t.Helper()
	if err := n.try(n.t.Context(), method, result, params...); err != nil {
		n.t.Fatal(err)
	}
}

func (n *Node) try(ctx context.Context, method string, result any, params ...any) error {
	if params == nil {
		params = []any{}
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer := struct {
		Result any             `json:"result"`
		Error  json.RawMessage `json:"error"`
	}{Result: result}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: %s", method, answer.Error)
	}
	return nil
}

// Mine makes blocks.
func (n *Node) Mine(blocks int) {
	n.t.Helper()
	n.Call("anvil_mine", nil, hexInt(big.NewInt(int64(blocks))))
}

// Reorg replaces the last blocks by others that have none of their transactions.
func (n *Node) Reorg(depth int) {
	n.t.Helper()
	n.Call("anvil_reorg", nil, depth, []any{})
}

// Fund gives an address a balance of the chain's own asset out of nothing.
func (n *Node) Fund(address string, wei *big.Int) {
	n.t.Helper()
	n.Call("anvil_setBalance", nil, address, hexInt(wei))
}

// Pay has one of the accounts, or an address that is impersonated, send a transaction: it waits for a block. Gas is given by hand, so
// that what fails is sent too.
func (n *Node) Pay(from, to string, wei *big.Int, data []byte) (tx string) {
	n.t.Helper()
	request := map[string]string{"from": from, "value": hexInt(wei), "data": "0x" + hex.EncodeToString(data), "gas": "0x1e8480"}
	if to != "" {
		request["to"] = to
	}
	n.Call("eth_sendTransaction", &tx, request)
	return tx
}

// Impersonate lets the node send transactions of an address whose key it does not have.
func (n *Node) Impersonate(address string) {
	n.t.Helper()
	n.Call("anvil_impersonateAccount", nil, address)
}

// Token deploys a token (testdata/Token.sol) whose whole supply the first account has, and that burns a part of every transfer.
func (n *Node) Token(supply *big.Int, feePercent int64) (contract string) {
	n.t.Helper()
	code, err := hex.DecodeString(strings.TrimSpace(token))
	if err != nil {
		n.t.Fatal(err)
	}
	return n.deploy(append(append(code, word(supply)...), word(big.NewInt(feePercent))...))
}

// Contract deploys one that has some code, of at most 255 bytes.
func (n *Node) Contract(code []byte) (address string) {
	n.t.Helper()
	size := byte(len(code))
	// The code that follows is copied to memory and returned.
	return n.deploy(append([]byte{0x60, size, 0x60, 12, 0x60, 0, 0x39, 0x60, size, 0x60, 0, 0xf3}, code...))
}

func (n *Node) deploy(code []byte) (contract string) {
	n.t.Helper()
	tx := n.Pay(Accounts[0], "", new(big.Int), code)
	n.Mine(1)
	var receipt struct {
		Status, ContractAddress string
	}
	n.Call("eth_getTransactionReceipt", &receipt, tx)
	if receipt.Status != "0x1" {
		n.t.Fatalf("the contract was not deployed: %+v", receipt)
	}
	return receipt.ContractAddress
}

// Invoke is the data that calls a function of a contract, such as transfer(address,uint256). Arguments are addresses and numbers.
func Invoke(function string, arguments ...any) []byte {
	hash := sha3.NewLegacyKeccak256()
	hash.Write([]byte(function))
	data := hash.Sum(nil)[:4]
	for _, a := range arguments {
		switch a := a.(type) {
		case string:
			n, ok := new(big.Int).SetString(strings.TrimPrefix(a, "0x"), 16)
			if !ok {
				panic("not an address: " + a)
			}
			data = append(data, word(n)...)
		case *big.Int:
			data = append(data, word(a)...)
		default:
			panic(fmt.Sprintf("%T is neither an address nor a number", a))
		}
	}
	return data
}

func word(n *big.Int) []byte { return n.FillBytes(make([]byte, 32)) }

func hexInt(n *big.Int) string { return "0x" + n.Text(16) }
