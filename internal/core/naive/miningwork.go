package naive

import (
	"math/big"
	"slices"

	"bourse/internal/schema"
)

// Bounds of what listeners report.
const (
	shareRowsMost  = 1000
	workerNameMost = 64
	bucketLength   = 5 * minute
	bucketsATick   = 1000
)

var (
	uint64Most = wholeBig(new(big.Int).Sub(twoTo64, big.NewInt(1)))
	twoTo256   = wholeBig(new(big.Int).Lsh(big.NewInt(1), 256))
	// firstTarget is the target of difficulty 1.
	firstTarget = wholeBig(new(big.Int).Lsh(big.NewInt(0xffff), 208))
)

// wholeBig is a whole number of any size.
func wholeBig(n *big.Int) num { return num{new(big.Rat).SetInt(n)} }

// power is 256^n; n may be negative.
func power256(n int64) num {
	power := wholeBig(new(big.Int).Exp(big.NewInt(256), big.NewInt(max(n, -n)), nil))
	if n < 0 {
		return one.over(power)
	}
	return power
}

// target is what bits of a header stand for, and whether they are any.
func target(bits uint32) (num, bool) {
	m, e := int64(bits%(1<<24)), int64(bits>>24)
	t := whole(m).times(power256(e - 3)).floor(one)
	return t, m <= 0x7fffff && t.sign() > 0 && t.less(twoTo256)
}

// living finds a lease that lives, or nil.
func (s *mining) living(id schema.LeaseID) *lease {
	for _, l := range s.leases[max(0, len(s.leases)-leasesLive):] {
		if l.id == id {
			return l
		}
	}
	return nil
}

func (s *mining) report(c *schema.ReportShares) schema.Rejection {
	l := s.living(c.Lease)
	switch {
	case l == nil:
		return because(schema.PoolLeaseUnknown)
	case c.Seq != l.seq+1:
		return because(schema.PoolReportOutOfOrder)
	case !s.set, s.rate.sign() == 0:
		return because(schema.PoolOff)
	case !s.validShares(c.Shares), !s.validWorkers(c.Workers):
		return because(schema.PoolReportInvalid)
	}
	l.seq++
	for _, row := range c.Shares {
		if m := s.miner(row.Mining); !m.Barred {
			s.measure(m, row)
			s.work(m, row)
		}
	}
	s.call.record(&schema.SharesReported{Shares: slices.Clone(c.Shares), Workers: slices.Clone(c.Workers)})
	return accepted
}

// validShares looks at rows, and adds them up as if all of them counted.
func (s *mining) validShares(rows []schema.Shares) bool {
	sums := map[schema.MiningID]num{}
	for _, d := range s.days {
		if d.begin == midnightOf(s.call.at) {
			sums[d.miner.ID] = d.sum
		}
	}
	for _, row := range rows {
		_, is := target(row.Bits)
		if s.miner(row.Mining) == nil || !is {
			return false
		}
		sums[row.Mining] = sums[row.Mining].plus(s.earns(row))
		if s.gross(sums[row.Mining]).more(blockWorthMost) {
			return false
		}
	}
	return len(rows) <= shareRowsMost
}

func (s *mining) validWorkers(rows []schema.WorkerShares) bool {
	for _, row := range rows {
		if s.miner(row.Mining) == nil || !isName(row.Worker, workerNameMost, "-") || row.Time < 0 || row.Time%bucketLength != 0 {
			return false
		}
	}
	return len(rows) <= shareRowsMost
}

// earns is what a row adds to the sum of a day.
func (s *mining) earns(row schema.Shares) num {
	t, _ := target(row.Bits)
	return s.rate.over(s.smallest()).times(wholeUint64(row.Work)).times(t)
}

// smallest is the least of what the pool pays.
func (s *mining) smallest() num { return unit(s.listing.asset(s.terms.Asset).Scale) }

// gross is what the sum of a day is worth.
func (s *mining) gross(sum num) num {
	units := wholeBig(new(big.Int).Lsh(big.NewInt(1), uint(s.terms.Unit)))
	return sum.over(firstTarget).over(units).floor(one).times(s.smallest())
}

// measure counts a row for its five minutes.
func (s *mining) measure(m *miner, row schema.Shares) {
	begin := s.call.at - s.call.at%bucketLength
	at := slices.IndexFunc(s.buckets, func(b *bucket) bool { return b.miner == m })
	if at >= 0 && s.buckets[at].begin != begin {
		s.emit(s.buckets[at])
		at = -1
	}
	if at < 0 {
		s.buckets = append(s.buckets, &bucket{miner: m, begin: begin})
		at = len(s.buckets) - 1
	}
	b := s.buckets[at]
	b.work = least(uint64Most, b.work.plus(wholeUint64(row.Work)))
	b.accepted = least(uint64Most, b.accepted.plus(whole(int64(row.Accepted))))
	b.rejected = least(uint64Most, b.rejected.plus(whole(int64(row.Rejected))))
}

// emit tells of five minutes that are over.
func (s *mining) emit(b *bucket) {
	s.buckets = slices.DeleteFunc(s.buckets, func(other *bucket) bool { return other == b })
	s.call.record(&schema.MiningMeasured{
		Mining: b.miner.ID, Account: b.miner.Account, Time: b.begin,
		Work: b.work.uint64(), Accepted: b.accepted.uint64(), Rejected: b.rejected.uint64(),
	})
}

// uint64 is a whole number that is in these bounds.
func (a num) uint64() uint64 { return a.rat().Num().Uint64() }

// measureAll tells of the five minutes that are over, so many with a tick.
func (s *mining) measureAll() {
	for _, b := range firstOf(s.buckets, bucketsATick, func(b *bucket) bool { return b.begin+bucketLength <= s.call.at }) {
		s.emit(b)
	}
}

// firstOf are so many of those in a list of which something is true.
func firstOf[T any](list []T, most int, is func(T) bool) (first []T) {
	for _, v := range list {
		if len(first) < most && is(v) {
			first = append(first, v)
		}
	}
	return first
}

// work counts a row for its day. One without work is none of it.
func (s *mining) work(m *miner, row schema.Shares) {
	if row.Work == 0 {
		return
	}
	s.worked = true
	begin := midnightOf(s.call.at)
	at := slices.IndexFunc(s.days, func(d *minedDay) bool { return d.miner == m })
	if at >= 0 && s.days[at].begin != begin {
		s.closeDay(s.days[at])
		at = -1
	}
	if at < 0 {
		s.days = append(s.days, &minedDay{miner: m, begin: begin})
		at = len(s.days) - 1
	}
	d := s.days[at]
	d.sum = d.sum.plus(s.earns(row))
	d.work = least(uint64Most, d.work.plus(wholeUint64(row.Work)))
}

// found keeps a block that the pool found.
func (s *mining) found(c *schema.FoundBlock) schema.Rejection {
	known := s.blocks[max(0, len(s.blocks)-blocksKept):]
	switch {
	case s.living(c.Lease) == nil:
		return because(schema.PoolLeaseUnknown)
	case s.miner(c.Block.Mining) == nil, !isName(c.Block.Worker, workerNameMost, "-"):
		return because(schema.PoolReportInvalid)
	case slices.ContainsFunc(known, func(b schema.PoolBlock) bool { return b.Hash == c.Block.Hash }):
		return because(schema.BlockKnown)
	}
	b := c.Block
	b.Time = s.call.at
	s.blocks = append(s.blocks, b)
	m := s.miner(b.Mining)
	m.found = least(uint32Most, m.found.plus(one))
	s.call.record(&schema.BlockFound{Block: b})
	return accepted
}
