package bitcoin

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	btc "github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"

	"bourse/internal/fixed"
	"bourse/internal/network/address"
	"bourse/internal/network/bitcoin/nodetest"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// owner has a key and both of its addresses.
type owner struct {
	key            *btcec.PrivateKey
	public         []byte
	bech32, nested string
}

func ownerOf(net schema.Net, name string) *owner {
	seed := sha256.Sum256([]byte(name))
	o := &owner{}
	o.key, _ = btcec.PrivKeyFromBytes(seed[:])
	o.public = o.key.PubKey().SerializeCompressed()
	space := schema.Space{Family: schema.Bitcoin, Net: net}
	o.bech32 = address.Write(space, schema.Bech32, receiver(btc.Hash160(o.public)))
	o.nested = address.Write(space, schema.P2SHSegwit, receiver(btc.Hash160(program(o.public))))
	return o
}

func receiver(hash []byte) (r [32]byte) {
	copy(r[:], hash)
	return r
}

// ledger is a Lookup that remembers.
type ledger struct {
	places map[string]driver.Place
	coins  map[string]bool
}

func (l *ledger) Place(key []byte) (driver.Place, bool) { p, ok := l.places[string(key)]; return p, ok }
func (l *ledger) Coin(key []byte) bool                  { return l.coins[string(key)] }
func (l *ledger) Contract([]byte) bool                  { return false }

func newLedger() *ledger {
	return &ledger{places: map[string]driver.Place{}, coins: map[string]bool{}}
}

func chainOf(t testing.TB, url string, net schema.Net) *Chain {
	t.Helper()
	c, err := Dial(url, schema.Chain{Name: "btc", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: net})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// world is a node, the exchange that watches it, and a miner who has all the money.
type world struct {
	*testing.T
	ctx    context.Context
	node   *nodetest.Node
	chain  *Chain
	ours   *ledger
	owners map[string]*owner // by address
	miner  *owner
	ripe   []driver.Input // coins of the miner that can be spent
}

var kinds = []struct {
	name  string
	net   schema.Net
	start func(testing.TB, string) *nodetest.Node
}{
	{"btcd", schema.Simnet, nodetest.Btcd},
	{"bitcoind", schema.Regtest, nodetest.Bitcoind},
}

// onNodes runs a test on nodes of all kinds, with the chain so long that there is money.
func onNodes(t *testing.T, test func(w *world, other func() *nodetest.Node)) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			w := &world{T: t, ctx: ctx, ours: newLedger(), owners: map[string]*owner{}}
			w.miner = w.owner(kind.net, "miner", driver.Place{Own: schema.Hot})
			w.node = kind.start(t, w.miner.bech32)
			w.node.Mine(w.node.Ripe)
			w.chain = chainOf(t, w.node.URL, kind.net)
			for height := uint64(1); height <= 10; height++ {
				for _, r := range w.block(height).Receipts {
					w.ripe = append(w.ripe, w.input(r))
				}
			}
			test(w, func() *nodetest.Node { return kind.start(t, ownerOf(kind.net, "rival").bech32) })
		})
	}
}

// owner is one whose addresses are ours.
func (w *world) owner(net schema.Net, name string, place driver.Place) *owner {
	o := ownerOf(net, name)
	c := chainOf(w, "http://127.0.0.1", net)
	for t, text := range map[schema.AddressType]string{schema.Bech32: o.bech32, schema.P2SHSegwit: o.nested} {
		key, err := c.Key(text)
		if err != nil {
			w.Fatal(err)
		}
		place.Type = t
		w.ours.places[string(key)] = place
		w.owners[text] = o
	}
	return o
}

// block reads the block of a height.
func (w *world) block(height uint64) *driver.Block {
	w.Helper()
	at, ok, err := w.chain.At(w.ctx, height)
	if err != nil || !ok || at.Height != height {
		w.Fatalf("block %d: %v %v %v", height, at, ok, err)
	}
	b, err := w.chain.Block(w.ctx, at, w.ours)
	if err != nil {
		w.Fatal(err)
	}
	if b.Point != at {
		w.Fatalf("asked for %v, got %v", at, b.Point)
	}
	return b
}

func (w *world) tip() driver.Point {
	w.Helper()
	at, err := w.chain.Tip(w.ctx)
	if err != nil {
		w.Fatal(err)
	}
	return at
}

// mined makes a block and reads it.
func (w *world) mined() *driver.Block {
	w.Helper()
	w.node.Mine(1)
	return w.block(w.tip().Height)
}

// input is a coin that can be spent, and from now on one that is watched.
func (w *world) input(r driver.Receipt) driver.Input {
	w.Helper()
	key, err := coinKey(r.ID)
	if err != nil {
		w.Fatal(err)
	}
	w.ours.coins[string(key)] = true
	amount, ok := driver.Amount(r.Units, decimals)
	if !ok {
		w.Fatalf("%v satoshi", r.Units)
	}
	return driver.Input{ID: r.ID, Amount: amount, Address: r.Text, Place: r.Place, Public: w.owners[r.Text].public}
}

// coinbase is a coin of the miner that nobody spent.
func (w *world) coinbase() driver.Input {
	w.Helper()
	if len(w.ripe) == 0 {
		w.Fatal("the miner has no coins left")
	}
	in := w.ripe[0]
	w.ripe = w.ripe[1:]
	return in
}

// order pays from coins that must all be spent.
func (w *world) order(rate uint64, change string, coins []driver.Input, pays ...driver.Payment) *driver.Order {
	return &driver.Order{Pays: pays, Rate: rate, Coins: coins, Must: len(coins), Change: change, Decimals: decimals}
}

// signed makes and signs a transaction.
func (w *world) signed(o *driver.Order) (*driver.Draft, []byte) {
	w.Helper()
	d, err := w.chain.Compose(w.ctx, o)
	if err != nil {
		w.Fatal(err)
	}
	return d, sign(w, w.chain, w.owners, o, d)
}

// sign signs a draft of an order with the keys of those whose coins it spends.
func sign(t testing.TB, c *Chain, owners map[string]*owner, o *driver.Order, d *driver.Draft) []byte {
	t.Helper()
	raw, err := Sign(d.Unsigned, func(i int) (*btcec.PrivateKey, error) {
		for _, in := range o.Coins {
			if in.ID == d.Inputs[i] {
				return owners[in.Address].key, nil
			}
		}
		return nil, fmt.Errorf("nobody has coin %s", d.Inputs[i])
	})
	if err != nil {
		t.Fatal(err)
	}
	if tx, err := c.Signed(d.Unsigned, raw, ""); err != nil || tx != d.Tx {
		t.Fatalf("planned %s, signed %s, %v", d.Tx, tx, err)
	}
	return raw
}

// sends gives a transaction to the node, which must answer so.
func (w *world) sends(what string, raw []byte, want driver.Fate) {
	w.Helper()
	if fate, err := w.chain.Send(w.ctx, raw); err != nil || fate != want {
		w.Fatalf("%s: %v %v, want %v", what, fate, err, want)
	}
}

// holds is what a coin is worth in a block, or now.
func (w *world) holds(at driver.Point, id string, want fixed.Decimal) {
	w.Helper()
	if got, err := w.chain.Holds(w.ctx, at, driver.Holding{ID: id}); err != nil || got != want {
		w.Fatalf("%s in %v: %s %v, want %s", id, at, got, err, want)
	}
}

func pay(address, amount string) driver.Payment {
	return driver.Payment{Address: address, Amount: fixed.MustParse(amount)}
}
