package bitcoin

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// hashed is one of many scripts of outputs.
func hashed(name string, i int) []byte {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte(name), uint64(i)))
	return append([]byte{0, 20}, sum[:20]...)
}

// BenchmarkScan reads a block of 10,000 outputs in 5,000 transactions with witnesses and hashes it, and looks everything up among a
// million addresses, to which a hundredth of the outputs pay.
func BenchmarkScan(b *testing.B) {
	c := chainOf(b, "http://127.0.0.1", schema.Regtest)
	ours := newLedger()
	for i := range 1_000_000 {
		ours.places[string(hashed("ours", i))] = driver.Place{Index: schema.AddressIndex(i + 1), Type: schema.Bech32}
	}
	var txs []*wire.MsgTx
	for i := range 5000 {
		tx := wire.NewMsgTx(2)
		in := wire.NewTxIn(&wire.OutPoint{Hash: sha256.Sum256(hashed("coin", i))}, nil, [][]byte{make([]byte, 72), make([]byte, 33)})
		tx.AddTxIn(in)
		tx.AddTxOut(wire.NewTxOut(100_000, hashed("strangers", i)))
		if i%50 == 0 {
			tx.AddTxOut(wire.NewTxOut(100_000, hashed("ours", i)))
		} else {
			tx.AddTxOut(wire.NewTxOut(100_000, hashed("others", i)))
		}
		txs = append(txs, tx)
	}
	raw := blockOf(b, txs...)
	block, err := parse(raw)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("check", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			block, err := parse(raw)
			if err != nil {
				b.Fatal(err)
			}
			if _, ok := merkle(block.ids); !ok {
				b.Fatal("no root")
			}
			if _, ok := merkle(block.full); !ok {
				b.Fatal("no root")
			}
		}
	})
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			if found := c.find(driver.Point{}, block, ours); len(found.Receipts) != 100 {
				b.Fatalf("%d receipts", len(found.Receipts))
			}
		}
	})
}

// BenchmarkCompose plans a payout to 100 receivers from 20 coins.
func BenchmarkCompose(b *testing.B) {
	c := chainOf(b, "http://127.0.0.1", schema.Regtest)
	alice := ownerOf(schema.Regtest, "alice")
	o := &driver.Order{Rate: 10, Must: 1, Change: alice.bech32}
	for range 100 {
		o.Pays = append(o.Pays, driver.Payment{Address: alice.bech32, Amount: fixed.MustParse("0.1")})
	}
	for i := range 20 {
		o.Coins = append(o.Coins, driver.Input{ID: fmt.Sprintf("%064x:0", i), Amount: fixed.MustParse("0.51"), Address: alice.bech32})
	}
	for b.Loop() {
		if d, err := c.Compose(b.Context(), o); err != nil || len(d.Inputs) != 20 {
			b.Fatal(d, err)
		}
	}
}
