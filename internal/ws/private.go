package ws

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/history"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// private is a channel on which an account hears of itself: who listens, by account, and to which
// part of it. An account that nobody listens to costs a look into a map.
//
// What must hold: a subscription begins with the first batch after it was asked for, and goes on
// without a gap until it is ended, replaced or not; nothing of it is queued before the reply to the
// one who asked. Rights are looked at for every frame.
type private[S any] struct {
	pushes prometheus.Counter
	right  string // the path of REST whose right it needs
	// replaced, if it is there, lets a scope take over what the one before had not pushed yet.
	replaced func(old, scope *S)
	// joined, if it is there, completes a subscription that takes the place of none, before it hears of anything.
	joined func(*subscription[S])
	// first, if it is there, is what to push at once.
	first func(*S) []byte

	mu       sync.Mutex
	seen     uint64 // the batch that is or was pushed last
	conns    map[*conn]*subscription[S]
	accounts map[schema.AccountID][]*subscription[S]
}

// subscription is what one connection listens to. It is guarded by the lock of its channel.
type subscription[S any] struct {
	conn    *conn
	account schema.AccountID
	since   uint64   // the last batch that is none of its business
	begun   bool     // the client knows that it listens
	held    [][]byte // what happened before that
	scope   S
}

// openPrivate makes a channel.
func openPrivate[S any](s *Server, channel, right string) *private[S] {
	p := &private[S]{
		pushes: s.pushes(channel), right: right,
		conns: map[*conn]*subscription[S]{}, accounts: map[schema.AccountID][]*subscription[S]{},
	}
	s.channels = append(s.channels, p)
	return p
}

// subscribe begins a subscription in the place of the one that there was.
func (p *private[S]) subscribe(q *call, scope S) ([]byte, func(), *Error) {
	sub := &subscription[S]{conn: q.conn, account: q.account.ID, since: q.conn.server.options.Node.Applied(), scope: scope}
	p.join(sub)
	// Looked at once more: rights that are lost from here on are seen to end the subscription,
	// but of an earlier loss the channel may have heard already.
	if q.conn.may(p.right) == nil {
		p.leave(q.conn)
		return nil, nil, errAnonymous
	}
	return success, func() { p.begin(sub) }, nil
}

// join puts a subscription in the place of the one that its connection had.
func (p *private[S]) join(sub *subscription[S]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sub.since = max(sub.since, p.seen)
	if old := p.conns[sub.conn]; old != nil {
		sub.since = old.since
		if p.replaced != nil {
			p.replaced(&old.scope, &sub.scope)
		}
		p.remove(old)
	} else if p.joined != nil {
		p.joined(sub)
	}
	p.conns[sub.conn] = sub
	p.accounts[sub.account] = append(p.accounts[sub.account], sub)
}

// begin lets frames through: the client knows of them.
func (p *private[S]) begin(sub *subscription[S]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sub.begun = true
	if p.first != nil {
		p.push(sub, p.first(&sub.scope))
	}
	for _, f := range sub.held {
		p.push(sub, f)
	}
	sub.held = nil
}

func (p *private[S]) leave(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sub := p.conns[c]; sub != nil {
		p.remove(sub)
	}
}

func (p *private[S]) remove(sub *subscription[S]) {
	delete(p.conns, sub.conn)
	rest := slices.DeleteFunc(p.accounts[sub.account], func(other *subscription[S]) bool { return other == sub })
	if p.accounts[sub.account] = rest; len(rest) == 0 {
		delete(p.accounts, sub.account)
	}
}

// idle reports whether nobody listens to a batch that is to be pushed.
func (p *private[S]) idle(seq uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = seq
	return len(p.conns) == 0
}

// each goes through those who listen to an account and began before the batch of an event.
func (p *private[S]) each(account schema.AccountID, id schema.EventID, do func(*subscription[S])) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.among(account, id, do)
}

// among is each under the lock.
func (p *private[S]) among(account schema.AccountID, id schema.EventID, do func(*subscription[S])) {
	for _, sub := range p.accounts[account] {
		if id.Batch > sub.since {
			do(sub)
		}
	}
}

// all goes through all who listen.
func (p *private[S]) all(do func(*subscription[S])) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, sub := range p.conns {
		do(sub)
	}
}

// push queues a frame for one who listens, if it still may.
func (p *private[S]) push(sub *subscription[S], f []byte) {
	switch {
	case sub.conn.may(p.right) == nil:
	case !sub.begun:
		sub.held = append(sub.held, f)
	default:
		p.pushes.Inc()
		sub.conn.sendAfter(f)
	}
}

// end ends what listens to an account without the right to it, as of an event. The rights may come
// back, but what happened in between would be missing.
func (p *private[S]) end(account schema.AccountID, id schema.EventID, lost func(c *conn, right string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, sub := range slices.Clone(p.accounts[account]) {
		if id.Batch > sub.since && lost(sub.conn, p.right) {
			p.remove(sub)
		}
	}
}

// endLost ends all that listens without the right to it, as of an event that is about many keys.
func (p *private[S]) endLost(id schema.EventID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, subs := range p.accounts {
		for _, sub := range slices.Clone(subs) {
			if id.Batch > sub.since && sub.conn.may(p.right) == nil {
				p.remove(sub)
			}
		}
	}
}

// review implements reviewer.
func (p *private[S]) review(c *conn) {
	if c.may(p.right) == nil {
		p.leave(c)
	}
}

// personal pushes to accounts what happens to them. What one command did is pushed as deals, then open
// orders, then orders that are over, then balances. Alerts come before, because liquidation is why there are such deals.
type personal struct {
	deals    *deals
	pending  *pendingOrders
	executed *executedOrders
	spot     *balances
	margin   *balances
	ranks    *ranks

	positions      *list
	borrows        *list
	positionAlerts *alerts[schema.Position]
	borrowAlerts   *alerts[schema.LoanChanged]
}

// openPersonal makes the channels of accounts.
func (s *Server) openPersonal(ctx context.Context) *personal {
	s.past, s.personal = past{s, ctx}, personal{
		deals: s.openDeals(), pending: s.openPending(), executed: s.openExecuted(),
		spot: s.openBalances(ctx, spotBalances), margin: s.openBalances(ctx, marginBalances), ranks: s.openRanks(ctx),
		positions: s.openList(ctx, positionList), borrows: s.openList(ctx, borrowList),
		positionAlerts: openAlerts(s, positionAlerts), borrowAlerts: openAlerts(s, borrowAlerts),
	}
	return &s.personal
}

// happened implements listener.
func (p *personal) happened(step *node.Step) {
	for i := range step.Commands {
		h := &step.Commands[i]
		p.positionAlerts.happened(step, h)
		p.borrowAlerts.happened(step, h)
		p.deals.happened(step, h)
		p.pending.happened(step, h)
		p.executed.happened(step, h)
		p.spot.happened(step, h)
		p.margin.happened(step, h)
		for id, event := range step.Events(h) {
			switch e := event.(type) {
			case *schema.KeyChanged:
				p.end(e.Key.Account, id, lostBy(p.deals.server.options.API, e))
			case *schema.AccountChanged:
				p.barred(&e.Account, id)
			case *schema.PartnerChanged:
				p.endLost(id)
			}
		}
	}
}

// barred ends the subscriptions of an account that may not act any more, and with a master those of its sub-accounts.
func (p *personal) barred(a *schema.Account, id schema.EventID) {
	all := func(*conn, string) bool { return true }
	if a.Blocked || a.IsSub() && a.Status != schema.SubActive {
		p.end(a.ID, id, all)
	}
	if a.Blocked {
		for _, sub := range p.deals.server.options.API.Directory().Subs(a.ID) {
			p.end(sub.ID, id, all)
		}
	}
}

// tell implements listener. What an account hears of itself was pushed at once, or waits for its tick.
func (p *personal) tell() {}

func (p *personal) end(account schema.AccountID, id schema.EventID, lost func(c *conn, right string) bool) {
	p.deals.private.end(account, id, lost)
	p.pending.private.end(account, id, lost)
	p.executed.private.end(account, id, lost)
	p.spot.private.end(account, id, lost)
	p.margin.private.end(account, id, lost)
	p.ranks.private.end(account, id, lost)
	p.positions.private.end(account, id, lost)
	p.borrows.private.end(account, id, lost)
	p.positionAlerts.private.end(account, id, lost)
	p.borrowAlerts.private.end(account, id, lost)
}

func (p *personal) endLost(id schema.EventID) {
	p.deals.private.endLost(id)
	p.pending.private.endLost(id)
	p.executed.private.endLost(id)
	p.spot.private.endLost(id)
	p.margin.private.endLost(id)
	p.ranks.private.endLost(id)
	p.positions.private.endLost(id)
	p.borrows.private.endLost(id)
	p.positionAlerts.private.endLost(id)
	p.borrowAlerts.private.endLost(id)
}

// markets is a choice of markets; none means all.
type markets []schema.MarketID

func (m markets) include(id schema.MarketID) bool { return len(m) == 0 || slices.Contains(m, id) }

// pastTimeout is how long a page may wait for a history that is behind.
const pastTimeout = 5 * time.Second

// past is how pages of the past are read, until the server stops.
type past struct {
	server *Server
	ctx    context.Context
}

// page is a page of the past.
func (p past) page(q *history.Query) ([]history.Record, *Error) {
	ctx, cancel := context.WithTimeout(p.ctx, pastTimeout)
	defer cancel()
	return p.read(ctx, q)
}

func (p past) read(ctx context.Context, q *history.Query) ([]history.Record, *Error) {
	records, err := p.server.options.History.Page(ctx, q)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errTimeout
	case err != nil:
		p.server.options.Log.Warn("reading the history", "error", err)
		return nil, errUnavailable
	}
	return records, nil
}
