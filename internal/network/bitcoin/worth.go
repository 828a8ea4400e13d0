package bitcoin

import (
	"context"
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/btcutil/v2"

	"bourse/internal/network/driver"
)

// feeBlocks is of how many blocks the fees count: about a day of them.
const feeBlocks = 144

// firstSubsidy is what a block created before the first halving, in satoshi.
const firstSubsidy = 50_0000_0000

// Worth is what the next block is worth, in satoshi: what it creates, and the mean of the fees of the last blocks. The fees of a block count
// for three times their median at most, so that one that somebody mistyped is not paid to miners for a day.
func (c *Chain) Worth(ctx context.Context) (uint64, error) { return c.worth(ctx, feeBlocks) }

func (c *Chain) worth(ctx context.Context, blocks int) (uint64, error) {
	at, err := c.Tip(ctx)
	if err != nil {
		return 0, err
	}
	next := at.Height + 1
	var fees []uint64
	for len(fees) < blocks && at.Height > 0 {
		fee, parent, err := c.fees(ctx, at)
		if err != nil {
			return 0, err
		}
		fees = append(fees, fee)
		at = parent
	}
	return c.subsidy(next) + meanFee(fees), nil
}

// fees are those that a block took, and the block before it. One that took less than it might took none.
func (c *Chain) fees(ctx context.Context, at driver.Point) (fees uint64, parent driver.Point, err error) {
	raw, err := c.raw(ctx, at)
	if err != nil {
		return 0, parent, err
	}
	b, err := c.checked(at, raw)
	if err != nil {
		return 0, parent, err
	}
	took := uint64(0)
	for _, out := range b.first.TxOut {
		if out.Value < 0 || out.Value > btcutil.MaxSatoshi || took > btcutil.MaxSatoshi {
			return 0, parent, fmt.Errorf("block %d %x: its coinbase creates more than there is", at.Height, at.Hash)
		}
		took += uint64(out.Value)
	}
	return took - min(took, c.subsidy(at.Height)), driver.Point{Height: at.Height - 1, Hash: digest(b.header.PrevBlock)}, nil
}

// subsidy is what a block of a height creates.
func (c *Chain) subsidy(height uint64) uint64 {
	return firstSubsidy >> (height / uint64(c.params.SubsidyReductionInterval)) // of 64 and more it is 0
}

// meanFee is the mean of fees, each three times the lower median at most, rounded down.
func meanFee(fees []uint64) uint64 {
	if len(fees) == 0 {
		return 0
	}
	fees = slices.Sorted(slices.Values(fees))
	most, sum := 3*fees[(len(fees)-1)/2], uint64(0)
	for _, fee := range fees {
		sum += min(fee, most)
	}
	return sum / uint64(len(fees))
}
