package naive

import (
	"slices"

	"bourse/internal/schema"
)

// risk looks at what accounts have of their maintenance margins, and liquidates those that have too little.
type risk struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	trading  *trading
	prices   *prices
	margins  *margins

	states map[schema.AccountID]schema.RiskState

	units *int // of a run, the exchange's
	left  int  // of them
	spent bool // the last run was over before its work was

	resumes schema.AccountID // the account that pays its excess first in the next tick; 0 is none
}

// run looks at all accounts and then liquidates, the worst first. A tick then lets accounts pay what they owe too much. Stops that it
// woke up wait for its end, and so do orders that lost their positions.
func (r *risk) run(tick, newMinute bool) {
	r.left, r.spent = *r.units, false
	for _, a := range r.scan(newMinute) {
		if r.spent {
			break
		}
		r.liquidate(a)
	}
	if tick {
		r.payExcess()
	}
	for _, m := range r.trading.all() {
		r.trading.comeToRest(m)
	}
}

// scan says how accounts are, by id, and returns those to liquidate, the worst first. A margin call is taken back
// by the first tick of a minute only.
func (r *risk) scan(newMinute bool) (unsafe []schema.AccountID) {
	var all []*portfolio
	for _, account := range r.accounts.all {
		p := r.margins.atRisk(account.ID)
		state := p.liquidationState()
		if r.states[account.ID] == marginCall && state == riskNone && !newMinute {
			state = marginCall
		}
		r.become(account.ID, state, p)
		all = append(all, p)
	}
	for _, p := range worstFirst(all) {
		unsafe = append(unsafe, schema.AccountID(p.id))
	}
	return unsafe
}

// become gives an account a state, and says so if it is another. Sums beyond what can be counted stay at its end.
func (r *risk) become(a schema.AccountID, state schema.RiskState, p *portfolio) {
	if r.states[a] == state {
		return
	}
	r.states[a] = state
	r.call.record(&schema.RiskChanged{
		Account: a, State: state, Total: p.total().within(lowest, largest).decimal(), Maintenance: p.maintenance().within(lowest, largest).decimal(),
	})
}

// liquidate does for an account what can be done, until it is safe.
func (r *risk) liquidate(a schema.AccountID) {
	for _, step := range []func(schema.AccountID){
		r.closePairs, r.buyLoans, r.sellAssets, r.closeFutures, r.buyLoans, r.sellAssets, r.writeOff,
	} {
		if r.unsafe(a) {
			step(a)
		}
	}
	if p := r.margins.atRisk(a); p.covers(one) {
		r.become(a, p.liquidationState(), p)
	}
}

// unsafe reports whether the run goes on and an account still has less than its maintenance margin.
func (r *risk) unsafe(a schema.AccountID) bool { return !r.spent && !r.margins.atRisk(a).covers(one) }

// unit takes one of the units of the run. Without any left the run is over.
func (r *risk) unit() bool {
	if r.left <= 0 {
		r.spent = true
		return false
	}
	r.left--
	return true
}

// cancel ends all orders of an account on a market that are paid from collateral, the oldest first, and reports whether there were units for all. One
// that ends with another takes none.
func (r *risk) cancel(a schema.AccountID, m *market, cause schema.Cause, status func(*order) schema.Status) bool {
	for _, o := range slices.Clone(m.orders) {
		if o.account != a || !o.collateral || !isOpen(o) {
			continue
		}
		if !r.unit() {
			return false
		}
		r.trading.end(o, status(o), cause)
	}
	return true
}

// takerRate is what an account pays as a taker on a market, as a fraction.
func (r *risk) takerRate(a schema.AccountID, m *market) num {
	return r.trading.rate(&order{account: a, market: m}, false)
}

// tradable reports whether orders can be matched on a market.
func tradable(m *market) bool { return m.Enabled && !m.Delisted && !m.InMaintenance }
