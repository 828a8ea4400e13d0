package bench

import (
	"reflect"
	"testing"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// TestBothScansFindTheSame: what is compared is the same work, and the exchange's part of it is the real one: it refuses a block that
// was changed, and finds a coin of the log in an input.
func TestBothScansFindTheSame(t *testing.T) {
	w, err := openScan(scanTransactions)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	for name, scan := range map[string]func() (int, error){"bare": w.bare, "whole": w.whole} {
		if _, err := scanOnce(scan); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, err := w.chain.Scan(w.at, w.raw, w.ours)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range b.Receipts {
		if want := (driver.Place{Index: schema.AddressIndex(i*scanOurs + 1), Type: schema.Bech32}); r.Place != want {
			t.Errorf("receipt %d is at %+v, want %+v", i, r.Place, want)
		}
	}
	var none []driver.Spend
	if !reflect.DeepEqual(b.Spends, none) {
		t.Errorf("%+v", b.Spends)
	}
	if !w.ours.Coin(coinOf(0)) || !w.ours.Coin(coinOf(scanCoins*schema.MaxReceipts-1)) || w.ours.Coin(coinOf(scanCoins*schema.MaxReceipts)) {
		t.Error("the coins are not those of the log")
	}
	w.raw[len(w.raw)/2]++
	if _, err := w.whole(); err == nil {
		t.Error("a block is taken that was changed")
	}
}

// coinOf is the key of a coin of the exchange.
func coinOf(i int) []byte {
	hash := depositOf(i)
	key := make([]byte, 36)
	for at := range hash {
		key[at] = hash[len(hash)-1-at]
	}
	return key
}
