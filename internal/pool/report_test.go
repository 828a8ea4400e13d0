package pool

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"bourse/internal/network/driver"
	"bourse/internal/pool/work"
	"bourse/internal/schema"
)

// brings submits so many good shares.
func (c *client) brings(worker string, extra2 string, shares int) {
	c.Helper()
	target := work.OfExponent(-32)
	n := c.jobs[len(c.jobs)-1]
	for i := range shares {
		s := c.search(n, target, true, extra2+strings.Repeat("0", 15-len(extra2))+string(rune('0'+i)))
		if got := c.submit(worker, n, s); got != "true" {
			c.Fatal(got)
		}
	}
}

// TestReports: each 30 seconds what accounts brought, after each five minutes of UTC what workers brought, numbered in order.
func TestReports(t *testing.T) {
	w := newWorld(t, hard, 32)
	anna, ben := w.mine("anna.rig"), w.mine("ben.box")
	anna.brings("anna.rig", "1", 3)
	ben.brings("ben.box", "1", 2)
	if got := ben.ask("mining.submit", `["ben.box","x","0","0","0","0"]`); got != `[21,"stale job",null]` {
		t.Fatal(got)
	}
	w.pass(31 * time.Second)
	w.until("accounts are reported", func() bool { return w.journal.sum(1).Work == 3 && w.journal.sum(2).Work == 2 })
	w.journal.change(func(j *journal) {
		r := j.reports[0]
		want := []schema.Shares{{Mining: 1, Bits: hard, Work: 3, Accepted: 3}, {Mining: 2, Bits: hard, Work: 2, Accepted: 2, Rejected: 1}}
		if r.Lease != 1 || r.Seq != 1 || !slices.Equal(r.Shares, want) || len(r.Workers) != 0 {
			t.Errorf("%+v", r)
		}
	})
	w.pass(5 * time.Minute)
	w.until("workers are reported", func() bool {
		w.journal.mu.Lock()
		defer w.journal.mu.Unlock()
		return len(w.journal.reports) == 2
	})
	w.journal.change(func(j *journal) {
		r, at := j.reports[1], schema.Time(start.UnixMicro())-30*schema.Second
		want := []schema.WorkerShares{{Mining: 1, Worker: "rig", Time: at, Work: 3, Accepted: 3}, {Mining: 2, Worker: "box", Time: at, Work: 2, Accepted: 2, Rejected: 1}}
		if r.Lease != 1 || r.Seq != 2 || len(r.Shares) != 0 || !slices.Equal(r.Workers, want) {
			t.Errorf("%+v", r)
		}
	})
}

// TestReportsCountOnce: whatever becomes of an answer, and of the lease.
func TestReportsCountOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		what  func(*journal)
		lease schema.LeaseID // that the report counted with
	}{
		{"it never arrived", func(j *journal) { j.lose = []bool{false, false} }, 1},
		{"it arrived and the answer was lost", func(j *journal) { j.lose = []bool{true} }, 1},
		{"it arrived and two answers were lost", func(j *journal) { j.lose = []bool{true, true} }, 1},
		{"it arrived late", func(j *journal) { j.lose = []bool{false, true} }, 1},
		{"the lease is over", func(j *journal) { clear(j.leases) }, 2},
		{"somebody else reported with the lease", func(j *journal) { j.leases[1] = 7 }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, hard, 32)
			anna := w.mine("anna.rig")
			anna.brings("anna.rig", "1", 3)
			w.journal.change(c.what)
			w.pass(40 * time.Second)
			anna.ask("mining.pigeon", `[]`) // whose answer comes after all jobs
			anna.brings("anna.rig", "2", 2)
			w.pass(40 * time.Second)
			w.until("all is reported", func() bool { return w.journal.sum(1).Work >= 5 })
			w.journal.change(func(j *journal) {
				if len(j.reports) < 2 || j.reports[0].Lease != c.lease || j.reports[0].Seq != 1 && c.lease == 1 {
					t.Errorf("%+v", j.reports)
				}
			})
			if got := w.journal.sum(1); got.Work != 5 || got.Accepted != 5 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestARowThatCannotBeCountedCostsNoOther: it alone is given up.
func TestARowThatCannotBeCountedCostsNoOther(t *testing.T) {
	w := newWorld(t, hard, 32)
	anna, ben := w.mine("anna.rig"), w.mine("ben.box")
	anna.brings("anna.rig", "1", 1)
	ben.brings("ben.box", "1", 2)
	w.journal.change(func(j *journal) {
		j.refuse = func(r *schema.ReportShares) schema.Reason {
			if slices.ContainsFunc(r.Shares, func(s schema.Shares) bool { return s.Mining == 1 }) {
				return schema.PoolReportInvalid
			}
			return schema.OK
		}
	})
	w.pass(40 * time.Second)
	w.until("ben's are reported", func() bool { return w.journal.sum(2).Work == 2 })
	if got := w.journal.sum(1); got.Work != 0 {
		t.Errorf("%+v", got)
	}
}

// TestAPoolWithoutTermsWaits: what was brought is kept until operators set them.
func TestAPoolWithoutTermsWaits(t *testing.T) {
	w := newWorld(t, hard, 32)
	anna := w.mine("anna.rig")
	anna.brings("anna.rig", "1", 2)
	w.journal.change(func(j *journal) { j.refuse = func(*schema.ReportShares) schema.Reason { return schema.PoolOff } })
	w.pass(40 * time.Second)
	w.until("it was tried", func() bool {
		w.journal.mu.Lock()
		defer w.journal.mu.Unlock()
		return w.journal.tries > 1
	})
	w.journal.change(func(j *journal) { j.refuse = nil })
	w.pass(5 * time.Second)
	w.until("it is reported", func() bool { return w.journal.sum(1).Work == 2 })
}

// TestClosingLosesNothing: not what was counted since the last report, nor the five minutes that run; not even if answers are lost.
func TestClosingLosesNothing(t *testing.T) {
	w := newWorld(t, hard, 32)
	anna := w.mine("anna.rig")
	anna.brings("anna.rig", "1", 4)
	w.journal.change(func(j *journal) { j.lose = []bool{true} })
	closed := make(chan error, 1)
	go func() { closed <- w.pool.Close(context.Background()) }()
	for done := false; !done; {
		select {
		case err := <-closed:
			if err != nil {
				t.Error(err)
			}
			done = true
		default:
			w.clock.advance(time.Second)
		}
	}
	anna.ended()
	if got := w.journal.sum(1); got.Work != 4 || got.Accepted != 4 {
		t.Errorf("%+v", got)
	}
	last := w.journal.reports[len(w.journal.reports)-1]
	if want := (schema.WorkerShares{Mining: 1, Worker: "rig", Time: bucket(start), Work: 4, Accepted: 4}); !slices.Equal(last.Workers, []schema.WorkerShares{want}) {
		t.Errorf("%+v", last)
	}
	w.journal.change(func(j *journal) { j.lose = nil })
}

// TestCommandsHaveAThousandRows: and each row is in one of them.
func TestCommandsHaveAThousandRows(t *testing.T) {
	var c tally
	c.begin()
	for i := range 2500 {
		c.add(&worker{account: schema.MiningID(i + 1), name: "w", listed: true}, hard, 1, start)
	}
	list := c.take(endTime)
	if len(list) != 3 || len(list[0].Shares) != 1000 || len(list[1].Workers) != 1000 || len(list[2].Shares) != 500 || len(list[2].Workers) != 500 || list[2].Shares[499].Mining != 2500 {
		t.Errorf("%d commands", len(list))
	}
	if list := c.take(endTime); len(list) != 0 {
		t.Errorf("%d more", len(list))
	}
}

// TestBlocks: a hash that the chain wants goes to it as a whole block, once it is taken the log hears of it, and new work is asked for at once.
func TestBlocks(t *testing.T) {
	w := newWorld(t, easy, 32)
	c := w.mine("anna.rig")
	n := c.job(0)
	network, _ := work.OfBits(easy)
	found := c.search(n, network, true, "0000000000000001")
	w.source.change(func(s *source) { s.answers = []error{errLost} })
	if got := c.submit("anna.rig", n, found); got != "true" {
		t.Fatal(got)
	}
	w.until("the block is given once", func() bool {
		w.source.mu.Lock()
		defer w.source.mu.Unlock()
		return len(w.source.blocks) == 1
	})
	w.pass(3 * time.Second)
	w.until("the log knows", func() bool {
		w.journal.mu.Lock()
		defer w.journal.mu.Unlock()
		return len(w.journal.blocks) == 1
	})
	hash, header := c.hash(n, found)
	w.journal.change(func(j *journal) {
		if b := j.blocks[0]; b != (schema.PoolBlock{Mining: 1, Worker: "rig", Height: 500, Hash: hash}) {
			t.Errorf("%+v", b)
		}
	})
	w.source.change(func(s *source) {
		block := s.blocks[0]
		if len(s.blocks) != 2 || string(block) != string(s.blocks[1]) || string(block[:80]) != string(header) || block[80] != 3 || !strings.HasSuffix(string(block), "onetwo") {
			t.Errorf("%x", s.blocks)
		}
		s.answers = []error{driver.ErrBlock}
	})
	other := c.search(n, network, true, "0000000000000002")
	if got := c.submit("anna.rig", n, other); got != "true" {
		t.Fatal(got)
	}
	w.until("the block is given", func() bool {
		w.source.mu.Lock()
		defer w.source.mu.Unlock()
		return len(w.source.blocks) == 3
	})
	w.pass(3 * time.Second)
	w.journal.change(func(j *journal) {
		if len(j.blocks) != 1 {
			t.Errorf("the log heard of one that the chain did not take: %+v", j.blocks)
		}
	})
}
