package mining

import (
	"math"
	"math/big"

	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// work is what a mining account brought on a day that is not closed.
type work struct {
	slab.Links
	mining schema.MiningID
	day    schema.Time // its begin
	sum    big.Int     // of rate, work and target of all rows
	work   uint64
}

// bucket is what a mining account brought in five minutes.
type bucket struct {
	slab.Links
	mining                   schema.MiningID
	time                     schema.Time // their begin
	work, accepted, rejected uint64
}

// today is the begin of the day of the command.
func (p *Pool) today() schema.Time { return p.out.Time - p.out.Time%day }

// capped is a sum, or the greatest number where it is more.
func capped(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// measure counts a row in the bucket of the moment.
func (p *Pool) measure(row *schema.Shares) {
	a, begin := p.at(row.Mining), p.out.Time-p.out.Time%schema.WorkBucket
	if a.bucket != 0 && p.buckets.At(a.bucket).time < begin {
		p.endBucket(a.bucket)
	}
	if a.bucket == 0 {
		p.addBucket(bucket{mining: row.Mining, time: begin})
	}
	b := p.buckets.At(a.bucket)
	b.work, b.accepted, b.rejected = capped(b.work, row.Work), capped(b.accepted, uint64(row.Accepted)), capped(b.rejected, uint64(row.Rejected))
}

func (p *Pool) addBucket(b bucket) {
	place, at := p.buckets.Take()
	*at = b
	p.buckets.Push(&p.bins, place)
	p.at(b.mining).bucket = place
}

func (p *Pool) endBucket(place uint32) {
	b := p.buckets.At(place)
	a := p.at(b.mining)
	p.out.Events.Add(&schema.MiningMeasured{
		Mining: b.mining, Account: a.Account, Time: b.time, Work: b.work, Accepted: b.accepted, Rejected: b.rejected,
	})
	a.bucket = 0
	p.buckets.Pull(place)
	p.buckets.Give(place)
}

// measureSome ends buckets, some at once; the timer stays due for the others.
func (p *Pool) measureSome() {
	for range bucketSlice {
		place := p.bins.First
		if place == 0 || p.buckets.At(place).time+schema.WorkBucket > p.out.Time {
			return
		}
		p.endBucket(place)
	}
}

// credit adds the work of a row to the day. A row without any is none to the day.
func (p *Pool) credit(row *schema.Shares, worth *price) {
	if row.Work == 0 {
		return
	}
	a := p.at(row.Mining)
	if a.day != 0 && p.works.At(a.day).day < p.today() {
		p.closeDay(a.day)
	}
	if a.day == 0 {
		p.addWork(row.Mining, p.today())
	}
	w := p.works.At(a.day)
	w.sum.Add(&w.sum, worth.of(row))
	w.work = capped(w.work, row.Work)
	p.used = true
}

// addWork begins a day of a mining account.
func (p *Pool) addWork(id schema.MiningID, begin schema.Time) *work {
	place, w := p.works.Take()
	w.mining, w.day = id, begin
	p.works.Push(&p.days, place)
	p.at(id).day = place
	return w
}

// closeDays closes days that are over, some at once; the timer stays due for the others.
func (p *Pool) closeDays() {
	for range daySlice {
		place := p.days.First
		if place == 0 || p.works.At(place).day >= p.today() {
			return
		}
		p.closeDay(place)
	}
}

// perUnit is the sum for which one unit of the asset is paid: 2^k units of work at a target of difficulty 1.
func (p *Pool) perUnit() *big.Int {
	n := big.NewInt(0xffff)
	return n.Lsh(n, 208+uint(p.terms.Unit))
}

// tooMuch is the least sum that is worth more than a day may be.
func (p *Pool) tooMuch() *big.Int {
	n := units(fixed.FromInt(mostWorth), p.scale())
	return n.Add(n, big.NewInt(1)).Mul(n, p.perUnit())
}

// closeDay makes a reward of a day. It is rounded down here, once.
func (p *Pool) closeDay(place uint32) {
	w := p.works.At(place)
	a := p.at(w.mining)
	gross := new(big.Int).Quo(&w.sum, p.perUnit())
	total := amountOf(gross, p.scale())
	fee, _ := fixed.Mul(total, p.terms.Fee, p.scale(), fixed.Down) // less than total, so that it fits
	reward := schema.Reward{
		Mining: a.ID, Account: a.Account, Asset: p.terms.Asset, Day: w.day, Work: w.work, Unit: p.terms.Unit, Rate: p.rate,
		Total: total, Fee: fee, Amount: total.Sub(fee), Status: schema.RewardPending,
	}
	a.day = 0
	p.works.Pull(place)
	p.works.Give(place)
	p.expect(a, gross)
	if reward.Amount.IsZero() {
		return
	}
	p.lastReward++
	reward.ID = p.lastReward
	p.rewardChanged(&reward)
	p.costs(&reward)
	p.owe(a, reward)
}
