package pool

import (
	"context"
	"fmt"
	"sync"
	"time"

	"bourse/internal/schema"
)

const (
	reportEvery = 30 * time.Second
	retryEvery  = time.Second
	answerTime  = 10 * time.Second
	endTime     = schema.Time(1<<63 - 1)
)

// reports brings what was counted into the log, in order and once. A command that it is not known of whether it happened is sent again
// as it is: if it happened, it is out of order now, for nobody else reports with this lease.
type reports struct {
	p    *Pool
	wake chan struct{}

	// Of the goroutine that reports.
	lease  schema.LeaseID
	seq    uint64 // of the last that counted
	unsure bool   // whether the first of out counted
	out    []*schema.ReportShares
	taken  time.Time // when the tally was taken last

	mu     sync.Mutex
	blocks []schema.PoolBlock
	heard  time.Time // when nothing was left to report last
}

func (r *reports) begin(p *Pool) {
	r.p, r.wake, r.taken = p, make(chan struct{}, 1), p.o.Clock.Now()
	r.heard = r.taken
}

// found tells of a block that the chain took.
func (r *reports) found(b schema.PoolBlock) {
	r.mu.Lock()
	r.blocks = append(r.blocks, b)
	r.mu.Unlock()
	poke(r.wake)
}

// silent reports whether the log has taken nothing for too long.
func (r *reports) silent(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now.Sub(r.heard) >= staleAfter
}

// run reports until the pool is closed.
func (r *reports) run() {
	for {
		now := r.p.o.Clock.Now()
		if len(r.out) == 0 && now.Sub(r.taken) >= reportEvery {
			r.taken = now
			r.out = r.p.tally.take(bucket(now))
		}
		switch err := r.flush(r.p.life); {
		case err == nil:
			r.mu.Lock()
			r.heard = r.p.o.Clock.Now()
			r.mu.Unlock()
		case r.p.life.Err() == nil:
			r.p.o.Log.Warn("the log does not take what the pool counted; trying again", "problem", err)
		}
		if !r.p.wait(retryEvery, r.wake) {
			return
		}
	}
}

// last reports everything that there is, until the context ends.
func (r *reports) last(ctx context.Context) error {
	for took := false; ; {
		err := r.flush(ctx)
		switch {
		case err == nil && took:
			return nil
		case err == nil:
			r.out, took = append(r.out, r.p.tally.take(endTime)...), true
			continue
		}
		timer, stop := r.p.o.Clock.Timer(retryEvery)
		select {
		case <-timer:
		case <-ctx.Done():
			stop()
			return fmt.Errorf("what the pool counted last is not in the log: %w", err)
		}
		stop()
	}
}

// flush sends what waits. An error means that it is to be tried again.
func (r *reports) flush(ctx context.Context) error {
	if r.lease == 0 {
		if err := r.renew(ctx); err != nil {
			return err
		}
	}
	for len(r.out) > 0 {
		if err := r.send(ctx); err != nil {
			return err
		}
	}
	for {
		r.mu.Lock()
		if len(r.blocks) == 0 {
			r.mu.Unlock()
			return nil
		}
		b := r.blocks[0]
		r.mu.Unlock()
		if err := r.tell(ctx, b); err != nil {
			return err
		}
		r.mu.Lock()
		r.blocks = r.blocks[1:]
		r.mu.Unlock()
	}
}

// renew takes a lease, and sends all miners new work: what they work on carries it.
func (r *reports) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	lease, err := r.p.o.Reporter.Lease(ctx)
	if err != nil {
		return fmt.Errorf("taking a lease: %w", err)
	}
	r.lease, r.seq, r.unsure = lease, 0, false
	r.p.jobs.leased(lease)
	poke(r.p.jobs.wake)
	return nil
}

// send sends the first that waits.
func (r *reports) send(ctx context.Context) error {
	c := *r.out[0]
	c.Lease, c.Seq = r.lease, r.seq+1
	within, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	refused, err := r.p.o.Reporter.Report(within, &c)
	if err != nil {
		r.unsure = true
		return err
	}
	switch {
	case !refused.Refused(), refused.Reason == schema.PoolReportOutOfOrder && r.unsure:
		r.seq++
	case refused.Reason == schema.PoolLeaseUnknown && r.unsure:
		r.p.o.Log.Error("it is not known whether the log has a report of the pool, and its lease is over: what it says may be lost",
			"lease", r.lease, "report", c.Seq, "accounts", len(c.Shares))
		r.out = r.out[1:]
		return r.renew(ctx)
	case refused.Reason == schema.PoolReportOutOfOrder, refused.Reason == schema.PoolLeaseUnknown:
		return r.renew(ctx)
	case refused.Reason == schema.PoolReportInvalid:
		r.divide()
		return nil
	default: // the pool has no terms: operators are about to set them
		return fmt.Errorf("the report was refused: %s", refused.Text())
	}
	r.unsure, r.out = false, r.out[1:]
	return nil
}

// divide makes two of a report that was refused, so that one row which cannot be counted costs no other; a row alone is given up.
func (r *reports) divide() {
	c := r.out[0]
	rest := r.out[1:]
	r.unsure = false
	if len(c.Shares)+len(c.Workers) <= 1 {
		r.p.o.Log.Error("the log does not take what the pool counted of an account", "shares", fmt.Sprint(c.Shares), "workers", fmt.Sprint(c.Workers))
		r.out = rest
		return
	}
	var a, b schema.ReportShares
	if len(c.Shares) > 0 && len(c.Workers) > 0 {
		a.Shares, b.Workers = c.Shares, c.Workers
	} else {
		a.Shares, b.Shares = halves(c.Shares)
		a.Workers, b.Workers = halves(c.Workers)
	}
	r.out = append([]*schema.ReportShares{&a, &b}, rest...)
}

func halves[Row any](rows []Row) (a, b []Row) {
	n := len(rows) / 2
	return rows[:n:n], rows[n:]
}

// tell tells of a block.
func (r *reports) tell(ctx context.Context, b schema.PoolBlock) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	refused, err := r.p.o.Reporter.Found(ctx, &schema.FoundBlock{Lease: r.lease, Block: b})
	switch {
	case err != nil:
		return fmt.Errorf("telling of a block: %w", err)
	case refused.Reason == schema.PoolLeaseUnknown:
		if err := r.renew(ctx); err != nil {
			return err
		}
		return r.tell(ctx, b)
	case refused.Refused() && refused.Reason != schema.BlockKnown:
		r.p.o.Log.Error("the log does not take a block that the pool found", "height", b.Height, "why", refused.Text())
	}
	return nil
}
