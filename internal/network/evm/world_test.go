package evm_test

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/network/evm/anviltest"
	"bourse/internal/schema"
)

// world is a node, the driver of its chain, and what is ours there.
type world struct {
	*anviltest.Node
	*evm.Chain
	t      *testing.T
	ctx    context.Context
	schema schema.Chain
	keys   map[string]*btcec.PrivateKey // by address
	places map[string]driver.Place      // by key
	tokens map[string]bool
}

// stranger is one of those who have money and are not ours.
var stranger = anviltest.Accounts[1]

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	w := &world{
		Node: anviltest.Start(t), t: t, ctx: ctx, keys: map[string]*btcec.PrivateKey{}, places: map[string]driver.Place{}, tokens: map[string]bool{},
		schema: schema.Chain{Name: "anvil", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Regtest, Number: anviltest.Number},
	}
	var err error
	if w.Chain, err = evm.Dial(w.URL, w.schema); err != nil {
		t.Fatal(err)
	}
	if err := w.Check(ctx); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) Place(key []byte) (driver.Place, bool) { p, ok := w.places[string(key)]; return p, ok }
func (w *world) Contract(key []byte) bool              { return w.tokens[string(key)] }
func (*world) Coin([]byte) bool                        { return false }

func (w *world) key(address string) string {
	w.t.Helper()
	key, err := w.Key(address)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(key)
}

// open makes an address of ours.
func (w *world) open(place driver.Place) string {
	w.t.Helper()
	var seed [32]byte
	copy(seed[:], "our address number")
	seed[31] = byte(len(w.keys) + 1)
	key, public := btcec.PrivKeyFromBytes(seed[:])
	address := evm.Address(public)
	w.keys[address] = key
	w.places[w.key(address)] = place
	return address
}

// list makes a token known.
func (w *world) list(contract string) { w.tokens[w.key(contract)] = true }

// mined makes a block and reads it.
func (w *world) mined() *driver.Block {
	w.t.Helper()
	w.Mine(1)
	return w.last()
}

func (w *world) last() *driver.Block {
	w.t.Helper()
	tip, err := w.Tip(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	b, err := w.Block(w.ctx, tip, w)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// order pays somebody from an address of ours, with the next nonce.
func (w *world) order(from, to, amount string) *driver.Order {
	w.t.Helper()
	nonce, err := w.Nonce(w.ctx, from)
	if err != nil {
		w.t.Fatal(err)
	}
	rate, err := w.FeeRate(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return &driver.Order{
		Chain: &w.schema, From: from, Nonce: nonce, Rate: rate, Decimals: 18, Pays: []driver.Payment{{Address: to, Amount: fixed.MustParse(amount)}},
	}
}

// sign composes an order and signs it.
func (w *world) sign(o *driver.Order) (raw []byte, tx string, d *driver.Draft) {
	w.t.Helper()
	d, err := w.Compose(w.ctx, o)
	if err != nil {
		w.t.Fatal(err)
	}
	if raw, err = evm.Sign(d.Unsigned, w.keys[o.From]); err != nil {
		w.t.Fatal(err)
	}
	if tx, err = w.Signed(d.Unsigned, raw, o.From); err != nil {
		w.t.Fatal(err)
	}
	return raw, tx, d
}

func (w *world) send(raw []byte, want driver.Fate) {
	w.t.Helper()
	if fate, err := w.Send(w.ctx, raw); err != nil || fate != want {
		w.t.Fatalf("sent: %s (%v), want %s", fate, err, want)
	}
}

func (w *world) holds(at driver.Point, address, contract string, want string) {
	w.t.Helper()
	got, err := w.Holds(w.ctx, at, driver.Holding{Address: address, Contract: contract, Decimals: 6})
	if err != nil || got != fixed.MustParse(want) {
		w.t.Errorf("%s holds %s (%v), want %s", address, got, err, want)
	}
}

// ether is so many of the chain's own asset, in wei.
func ether(amount string) *big.Int { return units(amount, 18) }

func units(amount string, decimals uint8) *big.Int {
	u, ok := driver.UnitsOf(fixed.MustParse(amount), decimals)
	if !ok {
		panic(amount)
	}
	return u
}

// receipts as a text to be compared: id, place, contract, amount.
func receipts(b *driver.Block) string {
	var lines []string
	for _, r := range b.Receipts {
		contract := r.Contract
		if contract == "" {
			contract = "native"
		}
		lines = append(lines, strings.Join([]string{r.ID, place(r.Place), r.Text, contract, r.Units.String()}, " "))
	}
	return strings.Join(lines, "\n")
}

func place(p driver.Place) string { return schema.BalanceID(p.Index, p.Own) }

func (w *world) expect(b *driver.Block, want ...string) {
	w.t.Helper()
	if got := receipts(b); got != strings.Join(want, "\n") {
		w.t.Errorf("receipts of block %d:\n%s\nwant\n%s", b.Height, got, strings.Join(want, "\n"))
	}
}
