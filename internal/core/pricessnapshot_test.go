package core

import (
	"bytes"
	"testing"

	"bourse/internal/core/price"
	"bourse/internal/core/product"
	"bourse/internal/schema"
)

// priced is an exchange that has something of all that snapshots keep of prices.
func priced(t *testing.T) *floor {
	t.Helper()
	f := newFloor(t)
	f.at(dawn, asCollateral(eth))
	f.at(dawn, asCollateral(usdt))
	f.bid, f.ask = d("50055"), d("50065")
	f.at(dawn+1, says(btcUSDT, 0, "50000"))
	f.at(dawn+2, says(btcUSDT, 7, "50010"))
	f.at(dawn+3, &schema.Tick{})
	f.at(dawn+31*schema.Second, says(ethUSDT, 1, "2000"))
	f.at(dawn+31*schema.Second, &schema.Tick{})
	f.at(dawn+32*schema.Second, says(btcUSDT, 7, "50010"))
	return f
}

func TestPricesComeBack(t *testing.T) {
	f := priced(t)
	back, err := Restore(f.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	want, _ := f.Prices().Future(btcPerp)
	if got, is := back.Prices().Future(btcPerp); !is || got != want || got.Mark.IsZero() {
		t.Errorf("the future came back with %+v, want %+v", got, want)
	}
	for _, id := range []schema.AssetID{btc, usdt, eth, eur} {
		price1, fresh1 := f.Prices().Index(id)
		price2, fresh2 := back.Prices().Index(id)
		set1, is1 := f.Prices().Collateral(id)
		set2, is2 := back.Prices().Collateral(id)
		if price1 != price2 || fresh1 != fresh2 || set1 != set2 || is1 != is2 {
			t.Errorf("asset %d came back with %s, %t, %+v", id, price2, fresh2, set2)
		}
	}
	if said, counts, known := back.Prices().Source(btc, 0); !known || counts || said != (price.Quote{Price: d("50000"), At: dawn + 1}) {
		t.Errorf("an old source came back as %+v, %t", said, counts)
	}
	if _, counts, _ := back.Prices().Source(btc, 7); !counts {
		t.Error("a young source does not count any more")
	}
}

// TestNothingPricedIsNothingInASnapshot: an exchange without futures and collateral has the snapshot that it had before
// there were any.
func TestNothingPricedIsNothingInASnapshot(t *testing.T) {
	m := lively(t)
	w := &product.Writer{}
	for _, s := range m.prices.Sections() {
		w.Section(&s)
	}
	if len(w.Bytes) != 0 {
		t.Errorf("sections of %d bytes", len(w.Bytes))
	}
}

// TestWrongPricesUnderARightChecksum changes every byte of the sections and puts the checksum right: nothing may panic,
// and nothing may be taken that is not sound.
func TestWrongPricesUnderARightChecksum(t *testing.T) {
	f := priced(t)
	w := &product.Writer{}
	for _, s := range f.prices.Sections() {
		w.Section(&s)
	}
	body := unseal(f.Snapshot())
	if !bytes.HasSuffix(body, w.Bytes) {
		t.Fatal("the prices are not at the end of the snapshot")
	}
	for i := len(body) - len(w.Bytes); i < len(body); i++ {
		for _, mask := range []byte{0x01, 0x02, 0x80} {
			body[i] ^= mask
			if err := sound(seal(body)); err != nil {
				t.Fatalf("byte %d of %d flipped by %#x: %v", i, len(body), mask, err)
			}
			body[i] ^= mask
		}
		if _, err := Restore(seal(body[:i])); err == nil {
			t.Fatalf("content cut to %d of %d bytes is taken", i, len(body))
		}
	}
}
