package ws

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-faster/jx"
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
	right  string // see rights

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

// openPrivate makes a channel with its methods. Read makes a scope of a request; replaced, if it is
// there, lets a scope take over what the one before had not pushed yet; first, if it is there, is
// what to push at once.
func openPrivate[S any](s *Server, name string, read func(*call) (S, *Error), replaced func(old, scope *S), first func(*S) []byte) *private[S] {
	p := &private[S]{
		pushes: s.meters.pushes.WithLabelValues(name), right: rights[name+"_subscribe"],
		conns: map[*conn]*subscription[S]{}, accounts: map[schema.AccountID][]*subscription[S]{},
	}
	s.channels = append(s.channels, p)
	s.answers(name+"_subscribe", method{private: true, do: func(q *call) ([]byte, func(), *Error) {
		scope, err := read(q)
		if err != nil {
			return nil, nil, err
		}
		sub := &subscription[S]{conn: q.conn, account: q.account.ID, since: s.options.Node.Applied(), scope: scope}
		p.join(sub, replaced)
		// Looked at once more: rights that are lost from here on are seen to end the subscription,
		// but of an earlier loss the channel may have heard already.
		if q.conn.may(p.right) == nil {
			p.leave(q.conn)
			return nil, nil, errAnonymous
		}
		return success, func() { p.begin(sub, first) }, nil
	}})
	s.answers(name+"_unsubscribe", method{private: true, do: func(q *call) ([]byte, func(), *Error) {
		p.leave(q.conn)
		return success, nil, nil
	}})
	return p
}

// join puts a subscription in the place of the one that its connection had.
func (p *private[S]) join(sub *subscription[S], replaced func(old, scope *S)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sub.since = max(sub.since, p.seen)
	if old := p.conns[sub.conn]; old != nil {
		sub.since = old.since
		if replaced != nil {
			replaced(&old.scope, &sub.scope)
		}
		p.remove(old)
	}
	p.conns[sub.conn] = sub
	p.accounts[sub.account] = append(p.accounts[sub.account], sub)
}

// begin lets frames through: the client knows of them.
func (p *private[S]) begin(sub *subscription[S], first func(*S) []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sub.begun = true
	if first != nil {
		p.push(sub, first(&sub.scope))
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

// each goes through those who listen to an account and began before a batch.
func (p *private[S]) each(account schema.AccountID, seq uint64, do func(*subscription[S])) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.among(account, seq, do)
}

// among is each under the lock.
func (p *private[S]) among(account schema.AccountID, seq uint64, do func(*subscription[S])) {
	for _, sub := range p.accounts[account] {
		if seq > sub.since {
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

// end ends what listens to an account without the right to it, as of a batch. The rights may come
// back, but what happened in between would be missing.
func (p *private[S]) end(account schema.AccountID, seq uint64, lost func(c *conn, right string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, sub := range slices.Clone(p.accounts[account]) {
		if seq > sub.since && lost(sub.conn, p.right) {
			p.remove(sub)
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
// orders, then orders that are over, then balances.
type personal struct {
	deals    *deals
	pending  *pendingOrders
	executed *executedOrders
	spot     *balances
	margin   *balances
	ranks    *ranks
}

// openPersonal makes the channels of accounts.
func (s *Server) openPersonal(ctx context.Context) *personal {
	s.openMargin()
	return &personal{
		deals: s.openDeals(ctx), pending: s.openPending(), executed: s.openExecuted(ctx),
		spot: s.openBalances(ctx, spotBalances), margin: s.openBalances(ctx, marginBalances), ranks: s.openRanks(ctx),
	}
}

// happened implements listener.
func (p *personal) happened(step *node.Step) {
	for i := range step.Commands {
		h := &step.Commands[i]
		p.deals.happened(step, h)
		p.pending.happened(step, h)
		p.executed.happened(step, h)
		p.spot.happened(step, h)
		p.margin.happened(step, h)
		for event := range step.Events(h) {
			switch e := event.(type) {
			case *schema.KeyChanged:
				p.end(e.Key.Account, step.Seq, lostBy(e))
			case *schema.AccountChanged:
				if e.Account.Blocked {
					p.end(e.Account.ID, step.Seq, func(*conn, string) bool { return true })
				}
			}
		}
	}
}

// tell implements listener. What an account hears of itself was pushed at once, or waits for its tick.
func (p *personal) tell() {}

func (p *personal) end(account schema.AccountID, seq uint64, lost func(c *conn, right string) bool) {
	p.deals.private.end(account, seq, lost)
	p.pending.private.end(account, seq, lost)
	p.executed.private.end(account, seq, lost)
	p.spot.private.end(account, seq, lost)
	p.margin.private.end(account, seq, lost)
	p.ranks.private.end(account, seq, lost)
}

// markets is a choice of markets; none means all.
type markets []schema.MarketID

func (m markets) include(id schema.MarketID) bool { return len(m) == 0 || slices.Contains(m, id) }

// markets reads names. What somebody has on a market stays visible when it is not offered any more.
func (s *Server) markets(params []param) (markets, *Error) {
	names, err := textsOf(params)
	if err != nil {
		return nil, err
	}
	list := make(markets, 0, len(names))
	for _, name := range names {
		m := s.options.API.Directory().Market(name)
		if m == nil {
			return nil, noMarket(name)
		}
		list = append(list, m.ID)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// page is a part of a list that a client asks for.
type page struct{ offset, limit int }

// maxLimit is the most records of a page, and maxOffset how far it may begin behind the newest record:
// what comes before it is walked through, and that of open orders while the exchange waits.
const (
	maxLimit  = 100
	maxOffset = 10_000
)

// marketPage reads requests of the form market, offset, limit.
func (s *Server) marketPage(q *call) (id schema.MarketID, p page, err *Error) {
	if len(q.params) != 3 {
		return 0, p, errArgument
	}
	if p, err = q.page(); err != nil {
		return 0, p, err
	}
	chosen, err := s.markets(q.params[:1])
	if err != nil {
		return 0, p, err
	}
	return chosen[0], p, nil
}

// page reads an offset and a limit: the second and the third parameter.
func (q *call) page() (page, *Error) {
	offset, err := q.whole(1)
	if err != nil || offset < 0 || offset > maxOffset {
		return page{}, errArgument
	}
	limit, err := q.whole(2)
	if err != nil || limit < 1 || limit > maxLimit {
		return page{}, errArgument
	}
	return page{int(offset), int(limit)}, nil
}

// isArray reports whether a parameter is a list.
func isArray(p param) bool { return p.kind == jx.Array }

// pastTimeout is how long a page may wait for a history that is behind.
const pastTimeout = 5 * time.Second

// past is a page of the past.
func (s *Server) past(ctx context.Context, q *history.Query) ([]history.Record, *Error) {
	records, err := s.options.History.Page(ctx, q)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errTimeout
	case err != nil:
		s.options.Log.Warn("reading the history", "error", err)
		return nil, errUnavailable
	}
	return records, nil
}
