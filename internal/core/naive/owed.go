package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// collectMost is how many orders are canceled at once to collect what an account owes.
const collectMost = 100

// owing is an account of which an asset is collected.
type owing struct {
	account schema.AccountID
	asset   schema.AssetID
	since   schema.Time
}

// owed is what an account owes of an asset because a chain took back what it had spent.
func (l *ledger) owed(a schema.AccountID, s schema.AssetID) num {
	return l.balance(a, schema.Owed, s).available
}

// repay gives the house what an account owes and has free in main.
func (l *ledger) repay(a schema.AccountID, s schema.AssetID) {
	free := l.balance(a, schema.Main, s).available.minus(l.held[heldKey{a, s}])
	l.giveBack(holder{a, schema.Main}, s, free)
}

// giveBack gives the house as much of what an account owes as there is in a wallet.
func (l *ledger) giveBack(from holder, s schema.AssetID, there num) {
	n := least(there, l.owed(from.account, s))
	if n.sign() > 0 {
		l.move(from, in(house), s, n, byReversal)
		l.move(holder{from.account, schema.Owed}, holder{house, schema.Owed}, s, n, byReversal)
	}
}

// collectFrom lets what an account owes be collected, when those before it are through.
func (s *chains) collectFrom(a schema.AccountID, asset schema.AssetID) {
	for _, o := range s.debtors {
		if o.account == a && o.asset == asset {
			return
		}
	}
	s.debtors = append(s.debtors, owing{a, asset, s.call.at})
}

// collect cancels orders of the first who owes, the newest first, and takes what that sets free.
func (s *chains) collect() {
	if len(s.debtors) == 0 {
		return
	}
	first := s.debtors[0]
	canceled := 0
	if s.ledger.owed(first.account, first.asset).sign() > 0 {
		orders := s.ordersThatPay(first.account, first.asset)
		canceled = min(len(orders), collectMost)
		for _, o := range orders[:canceled] {
			s.trading.end(o, schema.Canceled, schema.ByReversal)
		}
		trade := s.ledger.balance(first.account, schema.Trade, first.asset)
		s.ledger.giveBack(holder{first.account, schema.Trade}, first.asset, trade.available)
	}
	if canceled < collectMost || s.ledger.owed(first.account, first.asset).sign() == 0 {
		s.debtors = s.debtors[1:]
	}
}

// ordersThatPay are the open orders of an account that are paid with an asset from its trade wallet, the newest first.
func (s *chains) ordersThatPay(a schema.AccountID, asset schema.AssetID) (list []*order) {
	for _, m := range s.trading.all() {
		for _, o := range m.orders {
			if o.account == a && m.Type == schema.Spot && !o.collateral && o.paysWith() == asset {
				list = append(list, o)
			}
		}
	}
	slices.SortFunc(list, func(a, b *order) int { return cmp.Compare(b.id, a.id) })
	return list
}

// checkForgiven looks at what an account should owe no more.
func (s *chains) checkForgiven(c *schema.ForgiveOwed) schema.Rejection {
	if _, r := s.accounts.customer(c.Account); refused(r) {
		return r
	}
	asset := s.listing.asset(c.Asset)
	if asset == nil {
		return because(schema.AssetUnknown)
	}
	if r := checkMove(of(c.Amount), asset.Scale); refused(r) {
		return r
	}
	if owed := s.ledger.owed(c.Account, c.Asset); of(c.Amount).more(owed) {
		return about(schema.OwedLess, owed)
	}
	return accepted
}

func (s *chains) forgive(c *schema.ForgiveOwed) schema.Rejection {
	if r := s.checkForgiven(c); refused(r) {
		return r
	}
	s.ledger.move(holder{c.Account, schema.Owed}, holder{house, schema.Owed}, c.Asset, of(c.Amount), byReversal)
	return accepted
}
