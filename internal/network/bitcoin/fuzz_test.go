package bitcoin

import (
	"testing"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// FuzzBlock: whatever a node gives for a block, transactions are called what the library calls them.
func FuzzBlock(f *testing.F) {
	raw, known := testnetBlock(f)
	f.Add(raw)
	f.Add(blockOf(f))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := parse(raw)
		if err != nil {
			return
		}
		for i, tx := range b.Transactions {
			if want := tx.TxHash(); b.ids[i] != want {
				t.Fatalf("transaction %d is %v, want %v", i, b.ids[i], want)
			}
		}
		at := driver.Point{Height: 926485, Hash: digest(b.BlockHash())}
		if err := b.check(at, nets[schema.Testnet]); err == nil && at.Hash != known.Hash {
			t.Fatalf("a block was forged: %x", raw)
		}
		chainOfRegtest.scan(driver.Point{}, b, newLedger())
	})
}

// FuzzSigned: nothing but what was signed is taken for it.
func FuzzSigned(f *testing.F) {
	o, d, _ := plan(f)
	raw := sign(f, chainOfRegtest, owners, o, d)
	f.Add(d.Unsigned, raw)
	f.Fuzz(func(t *testing.T, unsigned, signed []byte) {
		tx, err := chainOfRegtest.Signed(unsigned, signed)
		if err == nil && string(unsigned) == string(d.Unsigned) && string(signed) != string(raw) {
			t.Fatalf("%x is taken for %s", signed, tx)
		}
	})
}
