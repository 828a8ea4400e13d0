package bitcoin

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

const testnet926485 = "000000000000015d6077a411a8f5cc95caf775ccf11c54e27df75ce58d187313"

// testnetBlock is one of the blocks of BIP 158, with witnesses and without: five transactions.
func testnetBlock(t testing.TB) (raw []byte, at driver.Point) {
	t.Helper()
	text, err := os.ReadFile("testdata/testnet-926485.hex")
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = hex.DecodeString(strings.TrimSpace(string(text))); err != nil {
		t.Fatal(err)
	}
	return raw, driver.Point{Height: 926485, Hash: hashOf(t, testnet926485)}
}

func hashOf(t testing.TB, text string) schema.Digest {
	t.Helper()
	h, err := readHash(text)
	if err != nil {
		t.Fatal(err)
	}
	return digest(h)
}

func TestABlockOfTheTestnet(t *testing.T) {
	raw, at := testnetBlock(t)
	c := chainOf(t, "http://127.0.0.1", schema.Testnet)
	b, err := parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.check(at, c.params); err != nil {
		t.Fatal(err)
	}
	sameAsLibrary(t, raw)

	// Ours are the last payment to a script, and the coin that the transaction with a witness spends.
	ours := newLedger()
	script, _ := hex.DecodeString("8fc37ad460fdfbd2b44fe446f6e3071a4f64faa6")
	text := address.Write(schema.Space{Family: schema.Bitcoin, Net: schema.Testnet}, schema.P2SHSegwit, receiver(script))
	key, err := c.Key(text)
	if err != nil {
		t.Fatal(err)
	}
	place := driver.Place{Index: 7, Type: schema.P2SHSegwit}
	ours.places[string(key)] = place
	coin, err := coinKey("0a510f49749aaaa2638048132eafea959dd8e47e79332dbcb2a14189870e3145:1")
	if err != nil {
		t.Fatal(err)
	}
	ours.coins[string(coin)] = true
	got := c.find(at, b, ours)
	want := &driver.Block{
		Point:  at,
		Parent: hashOf(t, "00000000000000d1e2952098e3b773c475fdf826e38e60498aeff3db0eabbb60"),
		Receipts: []driver.Receipt{{
			ID: b.ids[4].String() + ":0", Tx: b.ids[4].String(), Place: place, Text: text, Units: big.NewInt(100_000_000),
		}},
		Spends: []driver.Spend{{Tx: b.ids[1].String(), Coins: []string{"0a510f49749aaaa2638048132eafea959dd8e47e79332dbcb2a14189870e3145:1"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// TestABlockThatIsNotWhatItSays changes the block, or what is asked for.
func TestABlockThatIsNotWhatItSays(t *testing.T) {
	c := chainOf(t, "http://127.0.0.1", schema.Testnet)
	// rehash asks for the header as it is.
	rehash := func(raw []byte, at *driver.Point) {
		var h wire.BlockHeader
		if err := h.Deserialize(bytes.NewReader(raw)); err != nil {
			t.Fatal(err)
		}
		at.Hash = digest(h.BlockHash())
	}
	for want, change := range map[string]func(raw []byte, at *driver.Point) []byte{
		"the node gave block": func(raw []byte, _ *driver.Point) []byte { raw[76]++; return raw },
		"its work is less":    func(raw []byte, at *driver.Point) []byte { raw[76]++; rehash(raw, at); return raw },
		"its target 207fffff is beyond": func(raw []byte, at *driver.Point) []byte {
			copy(raw[72:], []byte{0xff, 0xff, 0x7f, 0x20})
			rehash(raw, at)
			return raw
		},
		"not those of its header": func(raw []byte, _ *driver.Point) []byte { raw[len(raw)-10]++; return raw },
		"does not stand at":       func(raw []byte, at *driver.Point) []byte { at.Height++; return raw },
		"the witnesses are not": func(raw []byte, _ *driver.Point) []byte {
			return bytes.Replace(raw, hexed(t, "01dd489a5d4e2fbd8a3ade27177f6b49"), hexed(t, "01dd489a5d4e2fbd8a3ade27177f6b48"), 1)
		},
		"bytes behind it": func(raw []byte, _ *driver.Point) []byte { return append(raw, 0) },
		"EOF":             func(raw []byte, _ *driver.Point) []byte { return raw[:len(raw)-1] },
		"no transactions": func(raw []byte, _ *driver.Point) []byte { return append(raw[:80], 0) },
	} {
		raw, at := testnetBlock(t)
		raw = change(raw, &at)
		b, err := parse(raw)
		if err == nil {
			err = b.check(at, c.params)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func hexed(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestNoOtherListHasTheSameRoot: [a b c] and [a b c c] do.
func TestNoOtherListHasTheSameRoot(t *testing.T) {
	a, b, c := chainhash.Hash{1}, chainhash.Hash{2}, chainhash.Hash{3}
	root, ok := merkle([]chainhash.Hash{a, b, c})
	if !ok {
		t.Fatal("three are a list")
	}
	if same, ok := merkle([]chainhash.Hash{a, b, c, c}); ok {
		t.Fatalf("%v and %v", same, root)
	}
	if one, ok := merkle([]chainhash.Hash{a}); !ok || one != a {
		t.Fatal(one, ok)
	}
}

func TestTargets(t *testing.T) {
	for bits, want := range map[uint32]string{
		0x1d00ffff: "ffff0000000000000000000000000000000000000000000000000000",
		0x207fffff: "7fffff0000000000000000000000000000000000000000000000000000000000",
		0x1b0404cb: "404cb000000000000000000000000000000000000000000000000",
		0x01123456: "12",
		0x04923456: "-12345600",
		0x01003456: "0",
	} {
		if got := compact(bits).Text(16); got != want {
			t.Errorf("%08x: %s, want %s", bits, got, want)
		}
	}
}

// blockOf is a block that nobody mined.
func blockOf(t testing.TB, txs ...*wire.MsgTx) []byte {
	t.Helper()
	first := wire.NewMsgTx(1)
	first.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: wire.MaxPrevOutIndex}, []byte{0x51, 0x51}, nil))
	first.AddTxOut(wire.NewTxOut(5_000_000_000, []byte{0x51}))
	b := wire.MsgBlock{Header: wire.BlockHeader{Version: 4, Bits: 0x207fffff}, Transactions: append([]*wire.MsgTx{first}, txs...)}
	var raw bytes.Buffer
	if err := b.Serialize(&raw); err != nil {
		t.Fatal(err)
	}
	return raw.Bytes()
}

// TestWhatIsTooLittleAndWhatIsSpentAtOnce: dust leaves no trace, and a coin may be spent in the block that made it.
func TestWhatIsTooLittleAndWhatIsSpentAtOnce(t *testing.T) {
	c := chainOf(t, "http://127.0.0.1", schema.Regtest)
	alice := ownerOf(schema.Regtest, "alice")
	script, err := c.Key(alice.bech32)
	if err != nil {
		t.Fatal(err)
	}
	ours := newLedger()
	ours.places[string(script)] = driver.Place{Index: 1, Type: schema.Bech32}
	deposit := wire.NewMsgTx(2)
	deposit.AddTxIn(wire.NewTxIn(&wire.OutPoint{Hash: chainhash.Hash{9}}, nil, nil))
	deposit.AddTxOut(wire.NewTxOut(545, script))
	deposit.AddTxOut(wire.NewTxOut(546, script))
	spendsDust, spendsCoin := wire.NewMsgTx(2), wire.NewMsgTx(2)
	spendsDust.AddTxIn(wire.NewTxIn(&wire.OutPoint{Hash: deposit.TxHash(), Index: 0}, nil, nil))
	spendsDust.AddTxOut(wire.NewTxOut(1000, []byte{0x51}))
	spendsCoin.AddTxIn(wire.NewTxIn(&wire.OutPoint{Hash: deposit.TxHash(), Index: 1}, nil, nil))
	spendsCoin.AddTxOut(wire.NewTxOut(1000, []byte{0x51}))
	b, err := parse(blockOf(t, deposit, spendsDust, spendsCoin))
	if err != nil {
		t.Fatal(err)
	}
	got := c.find(driver.Point{Height: 1}, b, ours)
	if len(got.Receipts) != 1 || got.Receipts[0].ID != deposit.TxID()+":1" || got.Receipts[0].Text != alice.bech32 {
		t.Errorf("%+v", got.Receipts)
	}
	if !reflect.DeepEqual(got.Spends, []driver.Spend{{Tx: spendsCoin.TxID(), Coins: []string{deposit.TxID() + ":1"}}}) {
		t.Errorf("%+v", got.Spends)
	}
}

func TestKeys(t *testing.T) {
	c := chainOf(t, "http://127.0.0.1", schema.Mainnet)
	for text, want := range map[string]string{
		"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4":                     "0014751e76e8199196d454941c45d1b3a323f1433bd6",
		"BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4":                     "0014751e76e8199196d454941c45d1b3a323f1433bd6",
		"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa":                             "76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac",
		"3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX":                             "a9148f55563b9a19f321c211e9b9f38cdf686ea0784587",
		"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0": "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
	} {
		if key, err := c.Key(text); err != nil || hex.EncodeToString(key) != want {
			t.Errorf("%s: %x %v, want %s", text, key, err, want)
		}
	}
	if key, err := c.Key("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"); err != address.WrongNet(schema.Testnet) {
		t.Errorf("%x %v", key, err)
	}
	const id = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
	for _, text := range []string{id + ":258", strings.ToUpper(id) + ":0258"} {
		if key, err := coinKey(text); err != nil || hex.EncodeToString(key) != "3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a02010000" {
			t.Errorf("%x %v", key, err)
		}
	}
	for _, text := range []string{"", ":", id, id + ":", id + ":-1", id + ":4294967296", id[1:] + ":0", "0" + id + ":0", "x" + id[1:] + ":0", id + ":0:0", "own 1"} {
		if key, err := coinKey(text); err == nil {
			t.Errorf("%q: %x", text, key)
		}
	}
}

// coinKey is the key by which a block's inputs are looked up.
func coinKey(id string) ([]byte, error) {
	out, err := outpoint(id)
	if err != nil {
		return nil, err
	}
	return appendKey(nil, &out), nil
}
