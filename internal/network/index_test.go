package network_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/network"
	"bourse/internal/schema"
)

// TestCoinsAreFoundWhileOthersCome: a coin is one of ours from the moment in which the log has it, also for those who are looking others up
// then. Another output of its transaction is none, and after the block went it is none either.
func TestCoinsAreFoundWhileOthersCome(t *testing.T) {
	t.Parallel()
	h, chain := stopped(t)
	const blocks = 60
	chain.grow(blocks)
	coins := network.Coins{Node: h.node, Chain: h.chain.ID}
	another := func(n byte) []byte {
		key := keyOf(n)
		key[32]++
		return key
	}
	var last atomic.Uint32 // of the coins that the log has
	last.Store(2)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for n := byte(0); n < 2+blocks; {
				n = byte(last.Load())
				for _, own := range []byte{0, n} {
					if !coins.Coin(keyOf(own)) || coins.Coin(another(own)) {
						t.Errorf("coin %d is overlooked, or another output is taken for it", own)
						return
					}
				}
				if coins.Coin(keyOf(n + 100)) {
					t.Errorf("coin %d is a stranger's", n+100)
					return
				}
			}
		})
	}
	for n := range byte(blocks) {
		at, parent := chain.points[n+1], chain.points[n]
		h.do(&schema.ChainBlock{Chain: h.chain.ID, Height: at.Height, Hash: at.Hash, Parent: parent.Hash, Receipts: []schema.Receipt{
			{ID: coinOf(n + 3), Asset: h.native, Amount: fixed.FromInt(1), Own: schema.Hot},
		}})
		last.Store(uint32(n) + 3)
	}
	readers.Wait()
	if wrong := slices.Concat(keyOf(0), []byte{0}); coins.Coin(wrong) || coins.Coin(nil) {
		t.Error("what is no key of a coin is one of ours")
	}
	h.do(&schema.ChainRewind{Chain: h.chain.ID, Height: blocks, Hash: chain.points[blocks-1].Hash})
	if coins.Coin(keyOf(blocks+2)) || !coins.Coin(keyOf(blocks+1)) {
		t.Error("the coin of a block that went is one still, or that of the one below is none")
	}
}

// TestNoNameIsWrittenForCoinsOfStrangers: blocks spend thousands of them.
func TestNoNameIsWrittenForCoinsOfStrangers(t *testing.T) {
	h, _ := stopped(t)
	coins, key := network.Coins{Node: h.node, Chain: h.chain.ID}, keyOf(100)
	if n := testing.AllocsPerRun(1000, func() {
		if coins.Coin(key) {
			t.Error("it is one of ours")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
