package network_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/network/bitcoin"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/network/quorum"
	"bourse/internal/schema"
)

// nobody answers there.
const nobody = "http://127.0.0.1:1"

// several makes a quorum of nodes.
func several(dial func(url string, c schema.Chain) (driver.Chain, error), urls ...string) func(schema.Chain) (driver.Chain, error) {
	return func(c schema.Chain) (driver.Chain, error) {
		var nodes []quorum.Node
		for _, url := range urls {
			d, err := dial(url, c)
			if err != nil {
				return nil, err
			}
			nodes = append(nodes, quorum.Node{Name: url, Chain: d})
		}
		return quorum.New(nodes, slog.New(slog.DiscardHandler)), nil
	}
}

func dialBitcoin(url string, c schema.Chain) (driver.Chain, error) { return bitcoin.Dial(url, c) }
func dialEVM(url string, c schema.Chain) (driver.Chain, error)     { return evm.Dial(url, c) }

func (h *house) height() (height uint64) {
	h.node.Read(func(m core.View) { height, _ = m.Chains().Cursor(h.chain.ID) })
	return height
}

// Of three nodes one is down: the two others must have a block before it is taken, or left.
func TestBitcoinByMoreThanOneNode(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.open = several(dialBitcoin, p.node.URL, nobody, p.second.URL)
		p.join()
		p.world.pay(p.address(), "1.5")
		p.node.Mine(1)
		p.step()
		if got := p.height(); got != uint64(p.common) {
			t.Fatalf("the exchange stands at %d; block %d is known to one node", got, p.common+1)
		}
		p.wants(p.native, "0", "0", "0")
		p.share()
		p.step()
		p.wants(p.native, "1.5", "0", "1.5")

		// The nodes part: what is common stays, until one of them follows the other.
		p.world.pay(p.address(), "0.25")
		p.node.Mine(1)
		p.second.Mine(2)
		p.step()
		if got := p.height(); got != uint64(p.common) {
			t.Fatalf("the exchange stands at %d; the nodes parted after %d", got, p.common)
		}
		p.wants(p.native, "1.5", "0", "1.5")
		p.second.Give(p.node, p.common+1)
		p.common = p.second.Height()
		p.step()
		if got := p.height(); got != uint64(p.common) {
			t.Fatalf("the exchange stands at %d, the nodes at %d", got, p.common)
		}
		p.wants(p.native, "1.5", "0", "0")
		p.audit()

		// A payout is sent to both: the node that mines it was not the first.
		id := p.withdraw(p.native, p.world.other(1), "0.5")
		p.step()
		p.is(schema.WithdrawalSent, id)
		p.second.Mine(1)
		p.second.Give(p.node, p.common+1)
		p.common = p.second.Height()
		p.step()
		p.is(schema.WithdrawalMined, id)
		p.audit()
	})
}

// forger is a node of an EVM chain that says more was paid than was.
func forger(t *testing.T, honest string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := http.Post(honest, r.Header.Get("Content-Type"), r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_, _ = w.Write(bytes.ReplaceAll(text, []byte(`"0xde0b6b3a7640000"`), []byte(`"0x56bc75e2d63100000"`))) // 1 ether, 100 ether
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// What a node of an EVM chain says about a block is its word alone. One that lies is believed where there is no other, stops the chain where
// there are two, and is outvoted by two.
func TestANodeThatLies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		urls  func(honest, forged string) []string
		has   string // by alice; "": it is not decided
		error string
	}{
		{"alone", func(_, forged string) []string { return []string{forged} }, "100", ""},
		{"of two", func(honest, forged string) []string { return []string{forged, honest} }, "", "2 of 2 nodes must say the same, and do not"},
		{"of three", func(honest, forged string) []string {
			return []string{forged, honest, strings.Replace(honest, "127.0.0.1", "localhost", 1)}
		}, "1", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newEVM(t)
			h.open = several(dialEVM, tt.urls(h.anvil.URL, forger(t, h.anvil.URL))...)
			h.join()
			h.ether(h.address(), "1")
			h.anvil.Mine(1)
			if err := h.try(); tt.error == "" && err != nil || tt.error != "" && (err == nil || !strings.Contains(err.Error(), tt.error)) {
				t.Fatalf("%v, want %q", err, tt.error)
			}
			if tt.has == "" {
				h.wants(h.native, "0", "0", "0")
			} else {
				h.wants(h.native, tt.has, "0", tt.has)
			}
		})
	}
}
