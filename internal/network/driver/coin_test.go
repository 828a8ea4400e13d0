package driver_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
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
		if prefix, ok := driver.CoinPrefix(no); ok {
			t.Errorf("%x has the prefix %x", no, prefix)
		}
	}
}

// TestPrefixesOfKeysAreThoseOfNames: a coin that the log has by its name is looked for by its key. If they said something different of one, a
// theft of it would not be seen.
func TestPrefixesOfKeysAreThoseOfNames(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	key := make([]byte, 36)
	for range 1000 {
		for i := range key {
			key[i] = byte(random.Uint32())
		}
		for bits := range 4 { // also where the first or the last digits are zeros
			coin := slices.Clone(key)
			if bits&1 != 0 {
				clear(coin[28:32])
			}
			if bits&2 != 0 {
				clear(coin[24:28])
			}
			id, _ := driver.CoinID(coin)
			prefix, ok := driver.CoinPrefix(coin)
			if want := schema.CoinPrefix(id); !ok || prefix != want {
				t.Fatalf("%s: %016x of its key %t, %016x of its name", id, prefix, ok, want)
			}
		}
	}
	const hash = "1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100"
	for id, want := range map[string]uint64{
		hash + ":0": 0x1f1e1d1c1b1a1918, hash + ":1": 0x1f1e1d1c1b1a1918, "ffffffffffffffff0": 1<<64 - 1,
		"": 0, "a": 10, "a:0": 0, schema.BalanceID(7, 0): 0, schema.BalanceID(0, schema.Hot): 0,
	} {
		if prefix := schema.CoinPrefix(id); prefix != want {
			t.Errorf("%q: %016x, want %016x", id, prefix, want)
		}
	}
}
