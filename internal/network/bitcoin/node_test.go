package bitcoin

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	btc "github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/fixed"
	"bourse/internal/network/bitcoin/nodetest"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

var (
	now  driver.Point
	zero fixed.Decimal
)

func TestTheNodeIsAskedWhereItStands(t *testing.T) {
	onNodes(t, func(w *world, _ func() *nodetest.Node) {
		if err := w.chain.Check(w.ctx); err != nil {
			t.Fatal(err)
		}
		for net := schema.Mainnet; net <= schema.Simnet; net++ {
			err := chainOf(t, w.node.URL, net).Check(w.ctx)
			if (err == nil) != (net == w.node.Net) {
				w.Fatalf("a node of %v for %v: %v", w.node.Net, net, err)
			}
		}
		tip := w.tip()
		if tip.Height != uint64(w.node.Ripe) {
			w.Fatalf("the tip is %v", tip)
		}
		if at, ok, err := w.chain.At(w.ctx, tip.Height); err != nil || !ok || at != tip {
			w.Fatalf("%v %v %v, want %v", at, ok, err, tip)
		}
		for _, height := range []uint64{tip.Height + 1, 1 << 31, 1 << 63} {
			if at, ok, err := w.chain.At(w.ctx, height); err != nil || ok {
				w.Fatalf("%d: %v %v %v", height, at, ok, err)
			}
		}
		last := w.block(tip.Height)
		if before := w.block(tip.Height - 1); last.Parent != before.Hash {
			w.Fatalf("parent %x, want %x", last.Parent, before.Hash)
		}
		coinbase := last.Receipts[0]
		if len(last.Receipts) != 1 || !coinbase.Coinbase || coinbase.Place != (driver.Place{Own: schema.Hot, Type: schema.Bech32}) ||
			coinbase.Text != w.miner.bech32 || coinbase.Units.Cmp(big.NewInt(5_000_000_000)) != 0 || coinbase.ID != coinbase.Tx+":0" {
			w.Fatalf("%+v", last.Receipts)
		}
		if rate, err := w.chain.FeeRate(w.ctx); err != nil || rate != 1 {
			w.Fatalf("a node that saw nothing estimates %d, %v", rate, err)
		}
		if n, err := w.chain.Nonce(w.ctx, w.miner.bech32); n != 0 || err != nil {
			w.Fatal(n, err)
		}
		// What the node does not have, or not there.
		if _, err := w.chain.Block(w.ctx, driver.Point{Height: 5, Hash: schema.Digest{1}}, w.ours); err == nil || !strings.Contains(err.Error(), "getblock") {
			w.Fatal(err)
		}
		if _, err := w.chain.Block(w.ctx, driver.Point{Height: tip.Height - 1, Hash: tip.Hash}, w.ours); err == nil || !strings.Contains(err.Error(), "height") {
			w.Fatal(err)
		}
		gone, cancel := context.WithCancel(w.ctx)
		cancel()
		if _, err := w.chain.Tip(gone); !errors.Is(err, context.Canceled) {
			w.Fatal(err)
		}
	})
}

// strangers have addresses of all standard forms.
func strangers(t testing.TB, c *Chain) []string {
	t.Helper()
	hash, script := bytes.Repeat([]byte{7}, 20), bytes.Repeat([]byte{8}, 32)
	point := ownerOf(c.space.Net, "stranger").public[1:]
	var texts []string
	add := func(a btc.Address, err error) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, a.EncodeAddress())
	}
	a, err := btc.NewAddressPubKeyHash(hash, c.params)
	add(a, err)
	b, err := btc.NewAddressScriptHashFromHash(hash, c.params)
	add(b, err)
	d, err := btc.NewAddressWitnessPubKeyHash(hash, c.params)
	add(d, err)
	e, err := btc.NewAddressWitnessScriptHash(script, c.params)
	add(e, err)
	f, err := btc.NewAddressTaproot(point, c.params)
	add(f, err)
	return texts
}

// TestMoneyComesAndGoes: a customer pays to both forms of addresses, and a batch pays it out again.
func TestMoneyComesAndGoes(t *testing.T) {
	onNodes(t, func(w *world, _ func() *nodetest.Node) {
		alice := w.owner(w.node.Net, "alice", driver.Place{Index: 1})
		bob := w.owner(w.node.Net, "bob", driver.Place{Index: 2})
		change := w.owner(w.node.Net, "change", driver.Place{Own: 2})

		in := w.coinbase()
		deposit, raw := w.signed(w.order(3, w.miner.bech32, []driver.Input{in}, pay(alice.bech32, "1.5"), pay(bob.nested, "0.25"), pay(bob.bech32, "0.00000546")))
		w.holds(now, in.ID, in.Amount)
		w.sends("the deposit", raw, driver.Accepted)
		w.sends("the deposit again", raw, driver.Accepted)
		w.holds(now, in.ID, zero)
		w.holds(w.tip(), in.ID, in.Amount)
		w.holds(now, deposit.Tx+":0", fixed.MustParse("1.5"))
		w.holds(now, deposit.Tx+":2", fixed.MustParse("0.00000546"))
		w.holds(now, deposit.Tx+":9", zero)
		w.holds(w.tip(), deposit.Tx+":0", zero)

		before := w.tip()
		b := w.mined()
		receipts := slices.DeleteFunc(b.Receipts, func(r driver.Receipt) bool { return r.Coinbase })
		want := []driver.Receipt{
			{ID: deposit.Tx + ":0", Tx: deposit.Tx, Place: driver.Place{Index: 1, Type: schema.Bech32}, Text: alice.bech32, Units: big.NewInt(150_000_000)},
			{ID: deposit.Tx + ":1", Tx: deposit.Tx, Place: driver.Place{Index: 2, Type: schema.P2SHSegwit}, Text: bob.nested, Units: big.NewInt(25_000_000)},
			{ID: deposit.Tx + ":2", Tx: deposit.Tx, Place: driver.Place{Index: 2, Type: schema.Bech32}, Text: bob.bech32, Units: big.NewInt(546)},
		}
		if len(receipts) != 4 || !reflect.DeepEqual(receipts[:3], want) {
			w.Fatalf("%+v", receipts)
		}
		if !reflect.DeepEqual(b.Spends, []driver.Spend{{Tx: deposit.Tx, Coins: []string{in.ID}}}) {
			w.Fatalf("%+v", b.Spends)
		}
		w.sends("the deposit that is mined", raw, driver.Mined)
		w.holds(w.tip(), deposit.Tx+":0", fixed.MustParse("1.5"))
		if _, err := w.chain.Holds(w.ctx, before, driver.Holding{ID: deposit.Tx + ":0"}); !errors.Is(err, driver.ErrMoved) {
			w.Fatal(err)
		}

		// The batch. The third coin costs more than it is worth.
		coins := []driver.Input{w.input(receipts[0]), w.input(receipts[2]), w.input(receipts[1])}
		order := &driver.Order{Rate: 9, Coins: coins, Must: 1, Change: change.bech32, Others: others()}
		for _, text := range strangers(w, w.chain) {
			order.Pays = append(order.Pays, pay(text, "0.31000001"))
		}
		payout, raw := w.signed(order)
		if !slices.Equal(payout.Inputs, []string{coins[0].ID, coins[2].ID}) {
			w.Fatalf("%v", payout.Inputs)
		}
		var tx wire.MsgTx
		if err := tx.Deserialize(bytes.NewReader(raw)); err != nil {
			w.Fatal(err)
		}
		// The estimate takes signatures of 72 bytes; these have 71 or 72, and seldom less.
		size := virtual(int64(3*tx.SerializeSizeStripped() + tx.SerializeSize()))
		if fee, _ := payout.Fee.Units(decimals); fee < 9*size || fee > 9*(size+1) {
			w.Fatalf("a fee of %d for %d virtual bytes", fee, size)
		}
		w.sends("the payout", raw, driver.Accepted)
		b = w.mined()
		if !reflect.DeepEqual(b.Spends, []driver.Spend{{Tx: payout.Tx, Coins: payout.Inputs}}) {
			w.Fatalf("%+v", b.Spends)
		}
		sum := fixed.MustParse("1.55000005").Add(payout.Fee)
		for i, part := range payout.Change {
			rest := b.Receipts[len(b.Receipts)-len(payout.Change)+i]
			if rest.ID != schema.OutputID(payout.Tx, 5+i) || rest.Text != change.bech32 || rest.Place.Own != 2 {
				w.Fatalf("%+v", rest)
			}
			w.holds(w.tip(), rest.ID, part)
			sum = sum.Add(part)
		}
		if len(payout.Change) != schema.MaxChange {
			w.Fatalf("its change is %v", payout.Change)
		}
		w.holds(w.tip(), coins[0].ID, zero)
		if sum != fixed.MustParse("1.75") {
			w.Fatalf("%s of 1.75", sum)
		}
	})
}

// TestAnotherVariantWithAHigherFee: all variants spend the first coin, and one is mined.
func TestAnotherVariantWithAHigherFee(t *testing.T) {
	onNodes(t, func(w *world, _ func() *nodetest.Node) {
		alice := w.owner(w.node.Net, "alice", driver.Place{Index: 1})
		coins := []driver.Input{w.coinbase()}
		first, firstRaw := w.signed(w.order(5, w.miner.bech32, coins, pay(alice.bech32, "2")))
		_, sameRaw := w.signed(w.order(5, w.miner.nested, coins, pay(alice.bech32, "2")))
		second, secondRaw := w.signed(w.order(10, w.miner.bech32, coins, pay(alice.bech32, "2")))
		w.sends("the first", firstRaw, driver.Accepted)
		w.sends("another that bids no more", sameRaw, driver.Cheap)
		w.sends("one that bids more", secondRaw, driver.Accepted)
		w.sends("the first, which was replaced", firstRaw, driver.Cheap)
		w.holds(now, first.Tx+":0", zero)
		w.holds(now, second.Tx+":0", fixed.MustParse("2"))
		b := w.mined()
		if !reflect.DeepEqual(b.Spends, []driver.Spend{{Tx: second.Tx, Coins: []string{coins[0].ID}}}) {
			w.Fatalf("%+v", b.Spends)
		}
		w.sends("the first, after the second was mined", firstRaw, driver.Conflict)
		w.sends("the second", secondRaw, driver.Mined)

		// A payout that is given up pays only ourselves. When what it paid is spent too, it still is mined.
		coins = []driver.Input{w.coinbase()}
		all, allRaw := w.signed(w.order(2, w.miner.nested, coins))
		w.sends("giving up", allRaw, driver.Accepted)
		b = w.mined()
		if !reflect.DeepEqual(b.Spends, []driver.Spend{{Tx: all.Tx, Coins: all.Inputs}}) {
			w.Fatalf("%+v", b.Spends)
		}
		coins = []driver.Input{w.input(b.Receipts[len(b.Receipts)-1])}
		_, raw := w.signed(w.order(2, w.miner.bech32, coins))
		w.sends("what is left", raw, driver.Accepted)
		w.mined()
		w.sends("giving up, of which nothing is left", allRaw, driver.Mined)
	})
}

// TestTheChainGoesAnotherWay: two branches, of which the longer wins. A deposit that only the shorter has comes back with the same
// name; one whose coin the longer spends otherwise does not.
func TestTheChainGoesAnotherWay(t *testing.T) {
	onNodes(t, func(w *world, other func() *nodetest.Node) {
		alice := w.owner(w.node.Net, "alice", driver.Place{Index: 1})
		kept, keptRaw := w.signed(w.order(5, w.miner.bech32, []driver.Input{w.coinbase()}, pay(alice.bech32, "1")))
		coin := w.coinbase()
		lost, lostRaw := w.signed(w.order(5, w.miner.bech32, []driver.Input{coin}, pay(alice.bech32, "2")))
		_, theftRaw := w.signed(w.order(5, w.miner.bech32, []driver.Input{coin}, pay(w.miner.nested, "2")))

		rival := other()
		w.node.Give(rival, 1)
		fork := w.tip()
		w.sends("a deposit", keptRaw, driver.Accepted)
		w.sends("another one", lostRaw, driver.Accepted)
		w.node.Mine(2)
		old := w.block(fork.Height + 1)
		names := func(b *driver.Block) (list []string) {
			for _, r := range b.Receipts {
				if r.Text == alice.bech32 {
					list = append(list, r.ID)
				}
			}
			slices.Sort(list)
			return list
		}
		both := []string{kept.Tx + ":0", lost.Tx + ":0"}
		slices.Sort(both)
		if got := names(old); !slices.Equal(got, both) {
			w.Fatalf("%v, want %v", got, both)
		}

		there := *w
		there.node, there.chain = rival, chainOf(w, rival.URL, rival.Net)
		there.sends("the coin of the second deposit is spent otherwise", theftRaw, driver.Accepted)
		rival.Mine(3)
		rival.Give(w.node, int(fork.Height)+1)

		if tip := w.tip(); tip.Height != fork.Height+3 || tip != there.tip() {
			w.Fatalf("the tip is %v", tip)
		}
		if at, ok, err := w.chain.At(w.ctx, fork.Height); err != nil || !ok || at != fork {
			w.Fatalf("%v %v %v, want %v", at, ok, err, fork)
		}
		b := w.block(fork.Height + 1)
		if b.Hash == old.Hash || b.Parent != old.Parent || b.Parent != fork.Hash || names(b) != nil {
			w.Fatalf("%+v", b)
		}
		if _, err := w.chain.Holds(w.ctx, old.Point, driver.Holding{ID: both[0]}); !errors.Is(err, driver.ErrMoved) {
			w.Fatal(err)
		}
		w.holds(now, lost.Tx+":0", zero)
		w.sends("the deposit that is lost", lostRaw, driver.Conflict)
		w.sends("the deposit that waits again", keptRaw, driver.Accepted)
		w.holds(now, kept.Tx+":0", fixed.MustParse("1"))
		if got := names(w.mined()); !slices.Equal(got, []string{kept.Tx + ":0"}) {
			w.Fatalf("%v", got)
		}
		w.sends("the deposit that is back", keptRaw, driver.Mined)
		// The block that lost is still there to be read.
		stale, err := w.chain.Block(w.ctx, old.Point, w.ours)
		if err != nil || !reflect.DeepEqual(stale, old) {
			w.Fatalf("%+v %v", stale, err)
		}
	})
}

func TestWhatNodesDoNotTake(t *testing.T) {
	onNodes(t, func(w *world, _ func() *nodetest.Node) {
		coin := w.coinbase()
		_, raw := w.signed(w.order(5, w.miner.bech32, []driver.Input{coin}, pay(w.miner.nested, "2")))
		w.sends("no transaction", []byte("hello"), driver.Refused)
		var tx wire.MsgTx
		if err := tx.Deserialize(bytes.NewReader(raw)); err != nil {
			w.Fatal(err)
		}
		written := func() []byte {
			var b bytes.Buffer
			if err := tx.Serialize(&b); err != nil {
				w.Fatal(err)
			}
			return b.Bytes()
		}
		tx.TxOut[0].Value++
		w.sends("another amount than was signed", written(), driver.Refused)
		tx.TxOut[0].Value--
		from := tx.TxIn[0].PreviousOutPoint
		tx.TxIn[0].PreviousOutPoint.Hash[0] ^= 1
		w.sends("a coin that there is not", written(), driver.Conflict)
		tx.TxIn[0].PreviousOutPoint = from
		w.sends("the one that was signed", written(), driver.Accepted)

		young := w.input(w.mined().Receipts[0])
		_, raw = w.signed(w.order(5, w.miner.bech32, []driver.Input{young}))
		w.sends("a coinbase that is not ripe", raw, driver.Refused)
		silent := chainOf(w, "http://127.0.0.1:1", w.node.Net)
		if fate, err := silent.Send(w.ctx, raw); err == nil || fate != 0 {
			w.Fatalf("nobody was asked, and the fate is %v", fate)
		}
	})
}
