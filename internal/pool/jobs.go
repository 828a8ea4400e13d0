package pool

import (
	"context"
	"errors"
	"sync"
	"time"

	"bourse/internal/network/driver"
	"bourse/internal/pool/work"
	"bourse/internal/schema"
)

const (
	templateEvery = time.Second
	templateTime  = 10 * time.Second // until the chain has to have answered
	jobEvery      = 30 * time.Second
	// staleAfter is for how long miners work on without a word of the chain, or while the log takes nothing. Then they are sent away: their work may
	// be worth nothing, or would be lost with this program.
	staleAfter = 2 * time.Minute
)

// jobs makes jobs of the template that counts. Each has a number that no other of the lease has.
type jobs struct {
	wake chan struct{} // look at the chain now

	mu     sync.Mutex
	body   *work.Body
	lease  schema.LeaseID
	number uint32
	unit   uint8
}

func (j *jobs) begin() { j.wake = make(chan struct{}, 1) }

// make makes a job; nil if there is nothing to do.
func (j *jobs) make(clean bool) (*work.Job, uint8) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.body == nil || j.lease == 0 {
		return nil, 0
	}
	j.number++
	return j.body.Job(j.lease, j.number, clean), j.unit
}

// current is the template that counts; nil: there is none.
func (j *jobs) current() (*work.Body, schema.LeaseID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.body, j.lease
}

// least is the exponent of the lowest difficulty: one unit of work.
func (j *jobs) least() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return -int(j.unit)
}

// set lets another template count; nil: none does.
func (j *jobs) set(b *work.Body, unit uint8) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.body, j.unit = b, unit
}

// leased begins a lease: numbers begin again.
func (j *jobs) leased(id schema.LeaseID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lease, j.number = id, 0
}

func poke(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

var errCoarse = errors.New("the chain is easier than a unit of work; set the pool's unit higher")

// watch asks the chain for templates until the pool is closed, and hands out jobs.
func (p *Pool) watch() {
	w := watcher{p: p, heard: p.o.Clock.Now()}
	for {
		w.look()
		if !p.wait(templateEvery, p.jobs.wake) {
			return
		}
	}
}

// watcher is what the last look saw.
type watcher struct {
	p       *Pool
	parent  [32]byte
	unit    uint8
	lease   schema.LeaseID
	working bool
	sent    time.Time
	heard   time.Time // of the chain
	failing bool
}

// look asks for a template once, and sends jobs if it is time.
func (w *watcher) look() {
	p, now := w.p, w.p.o.Clock.Now()
	unit, closed := p.o.Book.Terms()
	if closed != "" {
		w.rest(closed)
		return
	}
	if p.reports.silent(now) {
		w.rest("the log takes nothing")
		return
	}
	body, err := p.template(unit)
	if err != nil {
		if !w.failing {
			p.o.Log.Warn("the pool has no new template", "problem", err)
		}
		w.failing = true
		if now.Sub(w.heard) >= staleAfter {
			w.rest("the chain does not answer")
		}
		return
	}
	w.failing, w.heard = false, now
	_, lease := p.jobs.current()
	clean := !w.working || body.Parent != w.parent || unit != w.unit || lease != w.lease
	if lease == 0 || !clean && now.Sub(w.sent) < jobEvery {
		return
	}
	p.jobs.set(body, unit)
	w.working, w.parent, w.unit, w.lease, w.sent = true, body.Parent, unit, lease, now
	job, unit := p.jobs.make(clean)
	if job.Lease != w.lease { // it ended meanwhile: the next look sends another
		w.lease = 0
	}
	for _, c := range p.all() {
		c.offer(job, unit, now)
	}
}

// rest lets nobody work.
func (w *watcher) rest(why string) {
	if !w.working {
		return
	}
	w.working = false
	w.p.jobs.set(nil, 0)
	w.p.o.Log.Warn("the pool sends its miners away", "problem", why)
	for _, c := range w.p.all() {
		c.close()
	}
}

// template asks the chain.
func (p *Pool) template(unit uint8) (*work.Body, error) {
	ctx, cancel := context.WithTimeout(p.life, templateTime)
	defer cancel()
	t, err := p.o.Source.Template(ctx)
	if err != nil {
		return nil, err
	}
	body, err := work.NewBody(t, p.o.Script)
	if err == nil && body.Most < -int(unit) {
		err = errCoarse
	}
	return body, err
}

// blockTries is how often a block is given to a chain that does not answer.
const blockTries = 10

// found gives a block to the chain, and tells of it.
func (p *Pool) found(w *worker, job *work.Job, s *work.Share, hash [32]byte) {
	block := job.Block(s)
	p.o.Log.Info("the pool found a block", "height", job.Height, "account", w.account, "worker", w.name)
	for n := 1; ; n++ {
		err := p.give(block)
		if err == nil {
			break
		}
		p.o.Log.Warn("the chain does not take a block of the pool", "height", job.Height, "try", n, "problem", err)
		if errors.Is(err, driver.ErrBlock) || n == blockTries {
			return
		}
		if p.life.Err() == nil {
			p.wait(time.Second, nil)
		}
	}
	poke(p.jobs.wake)
	p.reports.found(schema.PoolBlock{Mining: w.account, Worker: w.name, Height: job.Height, Hash: hash})
}

func (p *Pool) give(block []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), templateTime)
	defer cancel()
	return p.o.Source.Submit(ctx, block)
}
