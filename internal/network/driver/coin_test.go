package driver_test

import (
	"slices"
	"testing"

	"bourse/internal/network/driver"
)

func TestCoinID(t *testing.T) {
	key := make([]byte, 36)
	for i := range 32 {
		key[i] = byte(i)
	}
	const hash = "1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100"
	for last, want := range map[[4]byte]string{
		{}:                       hash + ":0",
		{2, 1}:                   hash + ":258",
		{0xff, 0xff, 0xff, 0xff}: hash + ":4294967295",
	} {
		coin := append(slices.Clone(key[:32]), last[:]...)
		if id, ok := driver.CoinID(coin); !ok || id != want {
			t.Errorf("%x: %s %v, want %s", coin, id, ok, want)
		}
	}
	for _, no := range [][]byte{nil, key[:35], append(slices.Clone(key), 0)} {
		if id, ok := driver.CoinID(no); ok {
			t.Errorf("%x is %s", no, id)
		}
	}
}
