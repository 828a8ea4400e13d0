package mining

import (
	"math/big"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// lease is one that lives.
type lease struct {
	id  schema.LeaseID
	seq uint64 // of the last report
}

func (p *Pool) leasePool(*schema.LeasePool) schema.Rejection {
	next := lease{id: 1}
	if n := len(p.leases); n > 0 {
		next.id = p.leases[n-1].id + 1
		if n == mostLeases {
			p.leases = slices.Delete(p.leases, 0, 1)
		}
	}
	p.leases = append(p.leases, next)
	p.out.Result.ID = uint64(next.id)
	return schema.Rejection{}
}

// living is the lease with a number, or nil.
func (p *Pool) living(id schema.LeaseID) *lease {
	if len(p.leases) == 0 || id < p.leases[0].id || id-p.leases[0].id >= schema.LeaseID(len(p.leases)) {
		return nil
	}
	return &p.leases[id-p.leases[0].id]
}

func (p *Pool) report(m *schema.ReportShares) schema.Rejection {
	l := p.living(m.Lease)
	switch {
	case l == nil:
		return schema.Refuse(schema.PoolLeaseUnknown)
	case m.Seq != l.seq+1:
		return schema.Refuse(schema.PoolReportOutOfOrder)
	case p.terms.Asset == 0 || p.rate.IsZero():
		return schema.Refuse(schema.PoolOff)
	}
	worth := &price{rate: units(p.rate, p.scale())}
	if !p.believable(m, worth) {
		return schema.Refuse(schema.PoolReportInvalid)
	}
	l.seq = m.Seq
	for i := range m.Shares {
		if row := &m.Shares[i]; !p.at(row.Mining).Barred {
			p.measure(row)
			p.credit(row, worth)
		}
	}
	p.out.Events.Add(&schema.SharesReported{Shares: slices.Clone(m.Shares), Workers: slices.Clone(m.Workers)})
	return schema.Rejection{}
}

// believable reports whether all of a report can be.
func (p *Pool) believable(m *schema.ReportShares, worth *price) bool {
	if len(m.Shares) > schema.MostShareRows || len(m.Workers) > schema.MostShareRows {
		return false
	}
	for i := range m.Workers {
		w := &m.Workers[i]
		if p.find(w.Mining) == nil || !validWorker(w.Worker) || w.Time < 0 || w.Time%schema.WorkBucket != 0 {
			return false
		}
	}
	for i := range m.Shares {
		if row := &m.Shares[i]; p.find(row.Mining) == nil || !worth.knows(row.Bits) {
			return false
		}
	}
	return p.affordable(m.Shares, worth)
}

// trial is what the sum of a mining account's day would be.
type trial struct {
	id  schema.MiningID
	sum big.Int
}

// affordable reports whether no day would be worth too much. What barred accounts brought is looked at as if it counted.
func (p *Pool) affordable(rows []schema.Shares, worth *price) bool {
	used, fits := 0, true
	least := p.tooMuch()
	for i := range rows {
		row := &rows[i]
		a := p.at(row.Mining)
		if a.trial == 0 {
			if used == len(p.trials) {
				p.trials = append(p.trials, trial{})
			}
			next := &p.trials[used]
			next.id = row.Mining
			next.sum.SetUint64(0)
			if a.day != 0 && p.works.At(a.day).day == p.today() {
				next.sum.Set(&p.works.At(a.day).sum)
			}
			used++
			a.trial = used
		}
		sum := &p.trials[a.trial-1].sum
		if sum.Add(sum, worth.of(row)); sum.Cmp(least) >= 0 {
			fits = false
			break
		}
	}
	for i := range used {
		p.at(p.trials[i].id).trial = 0
	}
	return fits
}

// price is what rows add to the sum of a day, at a rate. Those of a report are mostly for one target.
type price struct {
	rate *big.Int
	bits uint32  // of the last row; 0: there was none
	unit big.Int // what a unit of work is worth at these
	row  big.Int
}

// knows reports whether bits are any, and is at them then.
func (q *price) knows(bits uint32) bool {
	if bits != q.bits || bits == 0 {
		t := target(bits)
		if t == nil {
			return false
		}
		q.bits = bits
		q.unit.Mul(q.rate, t)
	}
	return true
}

// of is what a row adds, whose bits are some. It is good until another is asked for.
func (q *price) of(row *schema.Shares) *big.Int {
	q.knows(row.Bits)
	q.row.SetUint64(row.Work)
	return q.row.Mul(&q.row, &q.unit)
}

// target is what bits stand for, nil if they are none.
func target(bits uint32) *big.Int {
	exponent, mantissa := uint(bits>>24), bits&0xffffff
	if mantissa > 0x7fffff {
		return nil
	}
	t := big.NewInt(int64(mantissa))
	if exponent < 3 {
		t.Rsh(t, 8*(3-exponent))
	} else {
		t.Lsh(t, 8*(exponent-3))
	}
	if t.Sign() == 0 || t.BitLen() > 256 {
		return nil
	}
	return t
}

// found keeps a block that the pool found.
func (p *Pool) found(m *schema.FoundBlock) schema.Rejection {
	block := m.Block
	switch {
	case p.living(m.Lease) == nil:
		return schema.Refuse(schema.PoolLeaseUnknown)
	case p.find(block.Mining) == nil || !validWorker(block.Worker):
		return schema.Refuse(schema.PoolReportInvalid)
	case p.knows(block.Hash):
		return schema.Refuse(schema.BlockKnown)
	}
	block.Time = p.out.Time
	if len(p.blocks) == mostBlocks {
		p.blocks = slices.Delete(p.blocks, 0, 1)
	}
	p.blocks = append(p.blocks, block)
	p.brought(p.at(block.Mining))
	p.out.Events.Add(&schema.BlockFound{Block: block})
	return schema.Rejection{}
}

func (p *Pool) knows(hash schema.Digest) bool {
	return slices.ContainsFunc(p.blocks, func(b schema.PoolBlock) bool { return b.Hash == hash })
}

// units is how many units with so many decimals an amount is, which is not negative and has no more of them.
func units(amount fixed.Decimal, places int) *big.Int {
	hi, lo := amount.Bits()
	n := big.NewInt(hi)
	n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(lo))
	return n.Quo(n, power(fixed.Places-places))
}

// amountOf is the reverse of units, for what fits.
func amountOf(n *big.Int, places int) fixed.Decimal {
	n = new(big.Int).Mul(n, power(fixed.Places-places))
	low := new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1)).Uint64()
	return fixed.FromBits(n.Rsh(n, 64).Int64(), low)
}

// power is 10^n.
func power(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
