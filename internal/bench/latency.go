package bench

import (
	"math/bits"
	"time"
)

// latency counts durations in buckets that are 1/16 of a power of two wide: close enough for
// percentiles, and counting costs no memory.
type latency struct {
	counts [64 * 16]int
	total  int
	max    time.Duration
}

func (l *latency) add(d time.Duration) {
	l.counts[bucket(uint64(d))]++
	l.total++
	l.max = max(l.max, d)
}

func (l *latency) merge(other *latency) {
	for i, n := range other.counts {
		l.counts[i] += n
	}
	l.total += other.total
	l.max = max(l.max, other.max)
}

func bucket(ns uint64) int {
	if ns < 16 {
		return int(ns)
	}
	n := bits.Len64(ns)
	return (n-4)*16 + int(ns>>(n-5)&15)
}

// floor is the shortest duration of a bucket.
func floor(bucket int) uint64 {
	if bucket < 16 {
		return uint64(bucket)
	}
	return uint64(16+bucket%16) << (bucket/16 - 1)
}

// percentile is the duration that a part of all stays below, in microseconds.
func (l *latency) percentile(part float64) float64 {
	rank := int(part * float64(l.total))
	for i, count := range l.counts {
		if rank -= count; rank < 0 {
			return float64(floor(i+1)) / 1000
		}
	}
	return float64(l.max) / 1000
}

// fill puts the percentiles into a figure.
func (l *latency) fill(r *Result) {
	r.P50, r.P99, r.P999 = l.percentile(0.50), l.percentile(0.99), l.percentile(0.999)
	r.Max = float64(l.max) / 1000
}
