package bitcoin

import (
	"slices"
	"testing"

	"bourse/internal/network/bitcoin/nodetest"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// TestSubsidies halve.
func TestSubsidies(t *testing.T) {
	for _, tt := range []struct {
		net    schema.Net
		height uint64
		want   uint64
	}{
		{schema.Mainnet, 1, 50_0000_0000},
		{schema.Mainnet, 209_999, 50_0000_0000},
		{schema.Mainnet, 210_000, 25_0000_0000},
		{schema.Mainnet, 840_000, 3_1250_0000},
		{schema.Mainnet, 32*210_000 + 1, 1},
		{schema.Mainnet, 33 * 210_000, 0},
		{schema.Mainnet, 1 << 62, 0},
		{schema.Regtest, 149, 50_0000_0000},
		{schema.Regtest, 150, 25_0000_0000},
	} {
		if got := chainOf(t, "http://127.0.0.1", tt.net).subsidy(tt.height); got != tt.want {
			t.Errorf("%v, block %d: %d, want %d", tt.net, tt.height, got, tt.want)
		}
	}
}

// TestMeanFee: each counts for three times the lower median at most.
func TestMeanFee(t *testing.T) {
	for _, tt := range []struct {
		fees []uint64
		want uint64
	}{
		{nil, 0},
		{[]uint64{7}, 7},
		{[]uint64{3, 4}, 3},
		{[]uint64{10, 1}, 2},
		{[]uint64{0, 0, 9}, 0},
		{[]uint64{100, 2, 1, 9}, 3},
		{append(slices.Repeat([]uint64{1_000_000}, 143), 300_0000_0000), 1_013_888},
	} {
		given := slices.Clone(tt.fees)
		if got := meanFee(tt.fees); got != tt.want || !slices.Equal(given, tt.fees) {
			t.Errorf("%v: %d, want %d", tt.fees, got, tt.want)
		}
	}
}

// TestWorth: the fees of the last blocks of a node, and what its next creates.
func TestWorth(t *testing.T) {
	onNodes(t, func(w *world, _ func() *nodetest.Node) {
		if got, err := w.chain.Worth(w.ctx); err != nil || got != w.chain.subsidy(w.tip().Height+1) {
			w.Fatalf("without fees: %d %v", got, err)
		}
		var fees []uint64
		for _, rate := range []uint64{3, 5} {
			tx, raw := w.signed(w.order(rate, w.miner.bech32, []driver.Input{w.coinbase()}, pay(w.miner.bech32, "1.5")))
			w.sends("a payment", raw, driver.Accepted)
			w.mined()
			fee, ok := tx.Fee.Units(decimals)
			if !ok || fee <= 0 {
				w.Fatalf("the fee is %s", tx.Fee)
			}
			fees = append(fees, uint64(fee))
		}
		next := w.chain.subsidy(w.tip().Height + 1)
		for blocks, want := range map[int]uint64{1: fees[1], 2: (fees[0] + fees[1]) / 2, 3: (fees[0] + fees[1]) / 3, feeBlocks: 0} {
			if got, err := w.chain.worth(w.ctx, blocks); err != nil || got != next+want {
				w.Errorf("of %d blocks: %d %v, want %d and %d", blocks, got, err, next, want)
			}
		}
	})
}
