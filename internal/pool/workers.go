package pool

import (
	"net/netip"
	"sync"
	"time"

	"bourse/internal/schema"
)

const (
	mostWorkers = 1000      // of an account
	forgetAfter = time.Hour // a worker that is not there makes room for another
	roomEvery   = time.Minute
)

// worker is one of the machines that mine for an account. Anybody can sign in by any name, so that one has a place in the list of the account only
// since its first share; what others bring counts for the account alone.
type worker struct {
	account  schema.MiningID
	name     string
	listed   bool // it never changes back, and is set before other connections see the worker
	exponent int  // of its last difficulty
	known    bool
	online   int // connections
	seen     time.Time
}

// workers are all that were there lately, and those that have to wait before they come back.
type workers struct {
	mu     sync.Mutex
	of     map[schema.MiningID]map[string]*worker
	paused map[paused]time.Time // until when
	// looked is when room was last looked for in a list that is full: those who find none bring share after share.
	looked map[schema.MiningID]time.Time
}

type paused struct {
	from    netip.Addr
	account schema.MiningID
	name    string
}

func (l *workers) begin() {
	l.of, l.paused, l.looked = map[schema.MiningID]map[string]*worker{}, map[paused]time.Time{}, map[schema.MiningID]time.Time{}
}

// come is a worker that comes. False if it has to wait.
func (l *workers) come(account schema.MiningID, name string, from netip.Addr, now time.Time) (*worker, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until, is := l.paused[paused{from, account, name}]; is && now.Before(until) {
		return nil, false
	}
	w := l.of[account][name]
	if w == nil {
		w = &worker{account: account, name: name}
	}
	w.online++
	return w, true
}

// list gives a worker a place in the list of its account, and is the one that has it: another connection may have been first. Where there is no
// room the worker stays as it is.
func (l *workers) list(w *worker, now time.Time) *worker {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.of[w.account]
	if all == nil {
		all = map[string]*worker{}
		l.of[w.account] = all
	}
	if first := all[w.name]; first != nil {
		first.online++
		return first
	}
	if len(all) >= mostWorkers && now.Sub(l.looked[w.account]) >= roomEvery {
		l.looked[w.account] = now
		for old, w := range all {
			if w.online == 0 && now.Sub(w.seen) >= forgetAfter {
				delete(all, old)
			}
		}
	}
	if len(all) < mostWorkers {
		w.listed, all[w.name] = true, w
	}
	return w
}

// left says that workers are not there any more.
func (l *workers) left(list []*worker, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range list {
		w.online--
		w.seen = now
	}
}

// last is the exponent that a worker had last.
func (l *workers) last(w *worker) (int, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return w.exponent, w.known
}

func (l *workers) remember(list []*worker, exponent int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range list {
		w.exponent, w.known = exponent, true
	}
}

// pause lets workers wait before they come back from an address.
func (l *workers) pause(list []*worker, from netip.Addr, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range list {
		l.paused[paused{from, w.account, w.name}] = until
	}
}

// sweep forgets pauses that are over.
func (l *workers) sweep(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for who, until := range l.paused {
		if !now.Before(until) {
			delete(l.paused, who)
		}
	}
}

// validWorker reports whether a worker may be called so.
func validWorker(name string) bool {
	if name == "" || len(name) > schema.MaxWorkerName {
		return false
	}
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
