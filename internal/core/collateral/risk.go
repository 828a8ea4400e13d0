package collateral

import (
	"cmp"
	"math"
	"slices"

	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// risk is who has to be looked at when prices change, and who is being liquidated.
//
// Going through all accounts at every price would take too long. So an account that was looked at gets, for each price
// that it depends on, a range in which it is certainly safe (watch.go), and is looked at again when a price
// leaves its range, or when something else changed: a fill, a transfer, its leverage, more funding than its reserve (touched);
// settings, an hour's interest (sweeping). All of it happens where prices change, in SetIndex and Tick, and not where
// accounts change, because nothing can be lost in between: an account that trades ten thousand times between two prices is
// looked at once.
//
// What must hold: with nothing left over, the accounts whose total is below their maintenance margin are exactly those
// in the state of liquidation, as a scan of all accounts would find. A run is bounded; what does not fit is left over for
// the next one, and the timer asks for that at once.
type risk struct {
	watches slab.Slab[watch]
	marks   []watched
	indexes []watched

	touched  []schema.AccountID // in the order in which they were
	sweeping reach
	from     schema.AccountID // where the sweep goes on
	queue    []schema.AccountID
	turn     schema.AccountID // from which the queue is looked at, if it is too long for one run

	overdrawn []schema.AccountID // that were made to owe more than they may, by id
	overdraft schema.AccountID   // from which the next tick goes through them
	overdue   bool               // the units of the last tick did not last for them
	paying    []schema.AccountID // that this tick goes through

	forced     bool    // what is paid now is paid by liquidation
	unfinished bool    // the last run was not through
	looks      int     // accounts that may still be looked at in this run
	units      int     // what liquidation may still do in this run
	spent      bool    // they did not last
	ranks      int     // positions that may still be rated in this run for deleveraging
	stakes     []stake // of the account that is looked at
	news       []news
	falling    []news
	sales      []sale
	closings   []closing
	rankings   []ranking          // of this run
	spared     []winner           // that the account which is being closed passed over
	stirred    []schema.AccountID // that traded or paid since this run made its first ranking
	postponed  schema.MarketID    // the lowest on which this run could rank no more, the highest id there is: none
	rankFrom   schema.MarketID    // markets before it were ranked by the last run, and are not by this one
	paired     bool               // this run deleveraged somebody
}

// reach is which accounts a sweep looks at.
type reach uint8

const (
	everybody reach = 1 << iota
	indebted        // those with loans
	called          // those with a margin call
)

// news is what a look at an account found.
type news struct {
	account            schema.AccountID
	total, maintenance fixed.Decimal
}

// Bounds are how much a run may do. They decide what happens, so they never change in a running exchange.
type Bounds struct {
	Looks int // at accounts whose margin may have changed
	Units int // of liquidation; see trading.Forced
	Ranks int // of positions that may be deleveraged
}

// DefaultBounds are those of all exchanges. A look takes about a microsecond, a unit up to ten, so that no run takes much
// longer than a few milliseconds.
var DefaultBounds = Bounds{Looks: 2500, Units: 300, Ranks: 1000}

// skipsPerLook is how many accounts that need no look may be passed over for what a look costs.
const skipsPerLook = 64

// touch says that something changed for an account that has, had or owes something.
func (e *Engine) touch(account schema.AccountID, m *member) {
	m.headroom = headroom{}
	e.note(account, m)
}

// note is touch for what the account's headroom keeps up with.
func (e *Engine) note(account schema.AccountID, m *member) {
	if !m.touched {
		m.touched = true
		e.touched = append(e.touched, account)
	}
	if n := len(e.stirred); len(e.rankings) != 0 && (n == 0 || e.stirred[n-1] != account) {
		e.stirred = append(e.stirred, account)
	}
}

// lose says that an account paid something else than for a deal. As long as its reserve lasts it need not be looked at.
func (e *Engine) lose(account schema.AccountID, amount fixed.Decimal) {
	m := e.member(account)
	m.headroom = headroom{}
	if amount.Sign() > 0 && !m.touched {
		if m.reserve = m.reserve.Sub(amount); m.reserve.Sign() < 0 {
			m.reserve = fixed.Zero
			e.touch(account, m)
		}
	}
}

// sweep says that something changed for all accounts that a reach includes. It begins again where one is under way.
func (e *Engine) sweep(r reach) {
	if e.last != 0 {
		e.sweeping, e.from = e.sweeping|r, schema.FirstCustomer
	}
}

// Reassess says that settings changed.
func (e *Engine) Reassess() {
	e.reprice()
	e.sweep(everybody)
}

// Assess looks for accounts whose margin is at its end and liquidates them, the worst first.
func (e *Engine) Assess() {
	e.assess()
	e.wake()
}

// wake lets stops come that the deals of the risk engine reached, and orders end that lost their positions. Nothing that it does may be
// sold into by the same command: it comes last.
func (e *Engine) wake() {
	e.Markets.Settle()
	e.reprice()
}

func (e *Engine) assess() {
	e.reprice()
	defer e.reprice() // liquidation moves what it moves
	if e.last == 0 {
		return // nobody ever had a position
	}
	e.looks, e.units, e.ranks = e.Bounds.Looks, e.Bounds.Units, e.Bounds.Ranks
	e.news, e.falling = e.news[:0], e.falling[:0]
	e.lookAtQueue()
	through := e.lookAtTouched()
	through = e.goOnSweeping() && through
	through = e.lookAtCrossed() && through
	e.announce()
	e.postponed, e.paired = math.MaxUint32, false
	lasted := e.liquidateFallen()
	clear(e.rankings)
	e.rankings, e.stirred = e.rankings[:0], e.stirred[:0]
	e.rankFrom = 0
	if e.postponed != math.MaxUint32 {
		e.rankFrom = e.postponed
	}
	// What only waits for a ranking is worth a tick at once as long as rankings lead to something.
	e.spent = !lasted
	e.unfinished = !lasted || !through || e.rankFrom != 0 && e.paired
}

// lookAtQueue looks again at those who are being liquidated. More than half of a run is never spent on them, so that
// many who wait for a price do not hide the others; those that are passed over come first the next time.
func (e *Engine) lookAtQueue() {
	e.queue = slices.DeleteFunc(e.queue, func(a schema.AccountID) bool { return e.member(a).state != schema.Liquidation })
	slices.Sort(e.queue)
	most := e.looks / 2
	first, _ := slices.BinarySearch(e.queue, e.turn)
	for i := range min(most, len(e.queue)) {
		e.look(e.queue[(first+i)%len(e.queue)], false)
	}
	if e.turn = 0; len(e.queue) > most {
		e.turn = e.queue[(first+most)%len(e.queue)]
	}
}

func (e *Engine) lookAtTouched() bool {
	n := 0
	for _, account := range e.touched {
		if e.looks <= 0 {
			break
		}
		n++
		e.member(account).touched = false
		e.look(account, false)
	}
	e.touched = slices.Delete(e.touched, 0, n)
	return len(e.touched) == 0
}

func (e *Engine) goOnSweeping() bool {
	skipped := 0
	for e.sweeping != 0 {
		if e.accounts.Get(e.from) == nil {
			e.sweeping, e.from = 0, 0
			break
		}
		if e.looks <= 0 {
			return false
		}
		if m := e.looked(e.from); e.includes(&m) {
			e.look(e.from, e.sweeping&called != 0)
		} else if skipped++; skipped%skipsPerLook == 0 {
			e.looks--
		}
		e.from++
	}
	return true
}

// includes reports whether the sweep under way looks at an account.
func (e *Engine) includes(m *member) bool {
	switch {
	case e.sweeping&everybody != 0:
		return e.atStake(m)
	case e.sweeping&called != 0 && m.state == schema.MarginCall:
		return true
	default:
		return e.sweeping&indebted != 0 && e.owes(m)
	}
}

// atStake reports whether an account has or owes something that margin is asked for, or did when it was last looked at.
func (e *Engine) atStake(m *member) bool {
	if m.state != schema.RiskNone || m.watches != 0 || e.owes(m) {
		return true
	}
	for at := m.seats; at != 0; at = e.seats.At(at).next {
		if s := e.seats.At(at); s.long != 0 || s.short != 0 {
			return true
		}
	}
	return false
}

// owes reports whether an account has a loan.
func (e *Engine) owes(m *member) bool {
	for at := m.holdings; at != 0; at = e.holdings.At(at).next {
		if !e.holdings.At(at).owed().IsZero() {
			return true
		}
	}
	return false
}

// look finds out how near an account is to the end of its margin. A margin call is taken back only where that is asked
// for, once a minute, so that a price that trembles does not call again and again.
func (e *Engine) look(account schema.AccountID, clears bool) {
	e.looks--
	m := e.member(account)
	s := e.atRisk(m, 0)
	found := news{account, s.total(), s.maintenance}
	state := m.state
	switch safe := plus(found.total, found.total).Cmp(plus(found.maintenance, plus(found.maintenance, found.maintenance))) >= 0; {
	case found.total.Less(found.maintenance):
		state = schema.Liquidation
	case !safe:
		state = schema.MarginCall
	case clears || state == schema.Liquidation:
		state = schema.RiskNone
	}
	if state == schema.Liquidation {
		if m.state != state {
			e.queue = append(e.queue, account)
		}
		e.falling = append(e.falling, found)
	}
	if m.state != state {
		m.state = state
		e.news = append(e.news, found)
	}
	e.watch(account, m, &s)
}

// announce records whose state changed, by account.
func (e *Engine) announce() {
	slices.SortFunc(e.news, func(a, b news) int { return cmp.Compare(a.account, b.account) })
	for _, n := range e.news {
		e.out.Events.Add(&schema.RiskChanged{Account: n.account, State: e.member(n.account).state, Total: n.total, Maintenance: n.maintenance})
	}
	e.news = e.news[:0]
}

// worse orders accounts by how much of its maintenance margin each has.
func worse(a, b news) int {
	if c := fixed.CmpProducts(a.total, b.maintenance, b.total, a.maintenance); c != 0 {
		return c
	}
	return cmp.Compare(a.account, b.account)
}

// pending reports whether accounts have to be looked at before their states can be relied on.
func (e *Engine) pending() bool { return len(e.touched) != 0 || e.sweeping != 0 || e.unfinished }

// Risk is how near an account was to the end of its margin when it was last looked at.
func (e *Engine) Risk(account schema.AccountID) schema.RiskState {
	m := e.looked(account)
	return m.state
}

// Liquidating is how many accounts are in liquidation.
func (e *Engine) Liquidating() (n int) {
	for _, account := range e.queue {
		if e.Risk(account) == schema.Liquidation {
			n++
		}
	}
	return n
}
