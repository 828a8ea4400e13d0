package convert

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	bucketLength = 10 * schema.Second
	mostBuckets  = 30 // before that of now, in which a change counts
)

// bucket is the least and the greatest of an index in ten seconds of the clock in which it changed.
type bucket struct {
	n         int64
	low, high fixed.Decimal
}

func bucketOf(at schema.Time) int64 { return int64(at / bucketLength) }

// Moved takes notice of an index that changed.
func (c *Conversions) Moved(asset schema.AssetID, before, now fixed.Decimal) {
	if !c.everSet() || before.IsZero() || now.IsZero() {
		return
	}
	list := live(c.buckets(asset), c.out.Time)
	low, high := fixed.MinOf(before, now), fixed.MaxOf(before, now)
	if last := len(list) - 1; last >= 0 && list[last].n == bucketOf(c.out.Time) {
		b := &list[last]
		b.low, b.high = fixed.MinOf(b.low, low), fixed.MaxOf(b.high, high)
		return
	}
	c.keepBuckets(asset, append(list, bucket{bucketOf(c.out.Time), low, high}))
}

// buckets are those of an asset, also such as count no more.
func (c *Conversions) buckets(asset schema.AssetID) []bucket {
	if int(asset) > len(c.moves) {
		return nil
	}
	return c.moves[asset-1]
}

func (c *Conversions) keepBuckets(asset schema.AssetID, list []bucket) {
	for int(asset) > len(c.moves) {
		c.moves = append(c.moves, nil)
	}
	c.moves[asset-1] = list
}

// live are the buckets that count at a moment.
func live(list []bucket, now schema.Time) []bucket {
	over := 0
	for over < len(list) && list[over].n < bucketOf(now)-mostBuckets {
		over++
	}
	return list[over:]
}

// move is the largest change of an index within about ten seconds, as a part of the lower price.
func (c *Conversions) move(asset schema.AssetID) (largest fixed.Decimal) {
	list := live(c.buckets(asset), c.out.Time)
	for i, b := range list {
		low, high := b.low, b.high
		if i > 0 && list[i-1].n == b.n-1 {
			low, high = fixed.MinOf(low, list[i-1].low), fixed.MaxOf(high, list[i-1].high)
		}
		change, fits := fixed.Div(high.Sub(low), low, fixed.Places, fixed.Ceil)
		if !fits {
			return fixed.Max
		}
		largest = fixed.MaxOf(largest, change)
	}
	return largest
}
