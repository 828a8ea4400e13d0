package bitcoin

import (
	"testing"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// FuzzBlock: whatever a node gives for a block, it is read as the library reads it, and none is taken for another.
func FuzzBlock(f *testing.F) {
	raw, known := testnetBlock(f)
	f.Add(raw)
	f.Add(blockOf(f))
	f.Add(blockOf(f, manyKinds()[:3]...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, taken := sameAsLibrary(t, raw)
		if !taken {
			return
		}
		at := driver.Point{Height: 926485, Hash: digest(b.header.BlockHash())}
		if err := b.check(at, nets[schema.Testnet]); err == nil && at.Hash != known.Hash {
			t.Fatalf("a block was forged: %x", raw)
		}
		chainOfRegtest.find(driver.Point{}, b, newLedger())
	})
}

// FuzzSigned: nothing but what was signed is taken for it.
func FuzzSigned(f *testing.F) {
	o, d, _ := plan(f)
	raw := sign(f, chainOfRegtest, owners, o, d)
	f.Add(d.Unsigned, raw)
	f.Fuzz(func(t *testing.T, unsigned, signed []byte) {
		tx, err := chainOfRegtest.Signed(unsigned, signed, "")
		if err == nil && string(unsigned) == string(d.Unsigned) && string(signed) != string(raw) {
			t.Fatalf("%x is taken for %s", signed, tx)
		}
	})
}
