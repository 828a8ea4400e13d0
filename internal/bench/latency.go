package bench

import (
	"math/bits"
	"time"
)

// Latency counts durations in buckets that are 1/16 of a power of two wide: close enough for
// percentiles, and counting costs no memory.
type Latency struct {
	counts [64 * 16]int
	total  int
	max    time.Duration
}

// Add counts a duration.
func (l *Latency) Add(d time.Duration) {
	l.counts[bucket(uint64(d))]++
	l.total++
	l.max = max(l.max, d)
}

func (l *Latency) merge(other *Latency) {
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

// Percentile is the duration that a part of all stays below, in microseconds.
func (l *Latency) Percentile(part float64) float64 {
	rank := int(part * float64(l.total))
	for i, count := range l.counts {
		if rank -= count; rank < 0 {
			return float64(floor(i+1)) / 1000
		}
	}
	return float64(l.max) / 1000
}

// Count is how many durations were counted.
func (l *Latency) Count() int { return l.total }

// Max is the longest duration.
func (l *Latency) Max() time.Duration { return l.max }

// fill puts the percentiles into a figure.
func (l *Latency) fill(r *Result) {
	r.P50, r.P99, r.P999 = l.Percentile(0.50), l.Percentile(0.99), l.Percentile(0.999)
	r.Max = float64(l.max) / 1000
}
