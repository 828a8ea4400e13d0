package pool

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"bourse/internal/schema"
)

// mostWorkerRows bounds what workers brought while the log takes no reports. What is beyond counts for the accounts, which are paid, and is not shown by worker.
const mostWorkerRows = 100_000

// tally is what was brought and is not reported yet: by account and target of the chain, and by worker and five minutes.
type tally struct {
	mu       sync.Mutex
	accounts map[accountRow]*counts
	workers  map[workerRow]*counts
}

type accountRow struct {
	mining schema.MiningID
	bits   uint32
}

type workerRow struct {
	mining schema.MiningID
	name   string
	time   schema.Time
}

type counts struct {
	work               uint64
	accepted, rejected uint32
}

func (c *counts) add(work uint64, accepted, rejected uint32) {
	c.work = saturate(c.work, work, math.MaxUint64)
	c.accepted = saturate(c.accepted, accepted, math.MaxUint32)
	c.rejected = saturate(c.rejected, rejected, math.MaxUint32)
}

func saturate[N uint32 | uint64](a, b, most N) N {
	if b > most-a {
		return most
	}
	return a + b
}

func (t *tally) begin() {
	t.accounts, t.workers = map[accountRow]*counts{}, map[workerRow]*counts{}
}

// add counts a share; work 0: it was rejected. It counts for the worker if that is in the list of its account.
func (t *tally) add(w *worker, bits uint32, work uint64, now time.Time) {
	accepted, rejected := uint32(1), uint32(0)
	if work == 0 {
		accepted, rejected = 0, 1
	}
	t.put(accountRow{w.account, bits}, work, accepted, rejected)
	if !w.listed {
		return
	}
	t.putWorker(workerRow{w.account, w.name, bucket(now)}, work, accepted, rejected)
}

// bucket is when the five minutes of a moment began.
func bucket(now time.Time) schema.Time {
	at := schema.Time(now.UnixMicro())
	return at - at%schema.WorkBucket
}

func (t *tally) put(row accountRow, work uint64, accepted, rejected uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.accounts[row]
	if c == nil {
		c = &counts{}
		t.accounts[row] = c
	}
	c.add(work, accepted, rejected)
}

func (t *tally) putWorker(row workerRow, work uint64, accepted, rejected uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.workers[row]
	if c == nil {
		if len(t.workers) >= mostWorkerRows {
			return
		}
		c = &counts{}
		t.workers[row] = c
	}
	c.add(work, accepted, rejected)
}

// take takes what there is of accounts, and of workers in the five minutes that began before a moment, in commands of at most 1,000 rows.
func (t *tally) take(before schema.Time) (list []*schema.ReportShares) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var shares []schema.Shares
	for row, c := range t.accounts {
		shares = append(shares, schema.Shares{Mining: row.mining, Bits: row.bits, Work: c.work, Accepted: c.accepted, Rejected: c.rejected})
	}
	t.accounts = map[accountRow]*counts{}
	var workers []schema.WorkerShares
	for row, c := range t.workers {
		if row.time < before {
			workers = append(workers, schema.WorkerShares{Mining: row.mining, Worker: row.name, Time: row.time, Work: c.work, Accepted: c.accepted, Rejected: c.rejected})
			delete(t.workers, row)
		}
	}
	slices.SortFunc(shares, func(a, b schema.Shares) int {
		return cmp.Or(cmp.Compare(a.Mining, b.Mining), cmp.Compare(a.Bits, b.Bits))
	})
	slices.SortFunc(workers, func(a, b schema.WorkerShares) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Mining, b.Mining), cmp.Compare(a.Worker, b.Worker))
	})
	for len(shares) > 0 || len(workers) > 0 {
		r := &schema.ReportShares{}
		r.Shares, shares = cut(shares)
		r.Workers, workers = cut(workers)
		list = append(list, r)
	}
	return list
}

func cut[Row any](rows []Row) (first, rest []Row) {
	n := min(len(rows), schema.MostShareRows)
	return rows[:n:n], rows[n:]
}
