package collateral

import (
	"fmt"

	"bourse/internal/schema"
)

// verifyRisk holds the states of accounts against a scan of all of them, and what is watched against itself. Accounts that
// are to be looked at again, and all if more is left over, may be in another state than they should.
func (e *Engine) verifyRisk() error {
	if err := e.verifyOverdrafts(); err != nil {
		return err
	}
	for i := range e.members {
		m, account := &e.members[i], schema.FirstCustomer+schema.AccountID(i)
		if s := e.standing(m, 0, 0); m.headroom.epoch == e.epoch && plus(s.total(), s.margin.Neg()).Less(m.headroom.least) {
			return fmt.Errorf("account %d has %s above a margin of %s, and should have %s", account, s.total(), s.margin, m.headroom.least)
		}
		crossed := false
		for at := m.watches; at != 0; at = e.watches.At(at).next {
			w := e.watches.At(at)
			heaps, price := e.watched(w.price), e.valued(w.price)
			if w.account != account || w.lowAt == 0 && w.highAt == 0 ||
				w.lowAt != 0 && heaps.lows.at[w.lowAt-1] != at || w.highAt != 0 && heaps.highs.at[w.highAt-1] != at {
				return fmt.Errorf("account %d watches price %d in the wrong place", account, w.price)
			}
			crossed = crossed || w.lowAt != 0 && price.Less(w.low) || w.highAt != 0 && w.high.Less(price)
		}
		if crossed || m.touched || e.pending() {
			continue
		}
		s := e.atRisk(m, 0)
		total, asked := s.total(), s.maintenance
		if fallen := total.Less(asked); fallen != (m.state == schema.Liquidation) {
			return fmt.Errorf("account %d has %s of %s and is in state %s", account, total, asked, m.state)
		}
		if m.state == schema.RiskNone && plus(total, total).Less(plus(asked, plus(asked, asked))) {
			return fmt.Errorf("account %d has %s of %s and was not called", account, total, asked)
		}
	}
	for i := range e.marks {
		if err := e.verifyHeaps(priceID(i + 1)); err != nil {
			return err
		}
	}
	for i := range e.indexes {
		if err := e.verifyHeaps(-priceID(i + 1)); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) verifyHeaps(p priceID) error {
	w := e.watched(p)
	for _, h := range []*heap{&w.lows, &w.highs} {
		for i := 1; i < len(h.at); i++ {
			if h.first(e.watches.At(h.at[i]), e.watches.At(h.at[(i-1)/ways])) {
				return fmt.Errorf("the heap of price %d is out of order at %d", p, i)
			}
		}
	}
	return nil
}

// verifyOverdrafts holds the list of overdrawn accounts against what is noted with each.
func (e *Engine) verifyOverdrafts() error {
	noted := 0
	for i := range e.members {
		if account := schema.FirstCustomer + schema.AccountID(i); e.members[i].overdrawn {
			if noted >= len(e.overdrawn) || e.overdrawn[noted] != account {
				return fmt.Errorf("account %d is overdrawn and not in its place among %v", account, e.overdrawn)
			}
			noted++
		}
	}
	if noted != len(e.overdrawn) {
		return fmt.Errorf("%d accounts are overdrawn of %d on the list", noted, len(e.overdrawn))
	}
	return nil
}
