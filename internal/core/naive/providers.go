package naive

import (
	"strings"

	"bourse/internal/schema"
)

// validBIC takes what names a bank, or nothing.
func validBIC(s string) bool {
	return s == "" || (len(s) == 8 || len(s) == 11) && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// settleWithdrawal does what a provider says of a withdrawal: it paid all of it, a part, or nothing.
func (s *chains) settleWithdrawal(c *schema.SettleWithdrawal) schema.Rejection {
	w := s.withdrawal(c.Withdrawal)
	if w == nil {
		return because(schema.WithdrawalUnknown)
	}
	asset, paid := s.listing.asset(w.Asset), of(c.Amount)
	isPart := paid.sign() > 0 && paid.less(of(w.Amount))
	switch {
	case s.chain(w.Chain).Driver != schema.Provider, w.Status != schema.WithdrawalQueued,
		paid.sign() < 0, isPart && !paid.multipleOf(unit(asset.Precision)), paid.more(of(w.Amount)), isPart && !w.Partial:
		return because(schema.SettlementInvalid)
	case paid.sign() == 0:
		s.cancel(w)
		return accepted
	}
	status, all := schema.WithdrawalDone, w.gross()
	if isPart {
		status = schema.WithdrawalPartial
		w.Asked = w.Amount
		w.Fee = of(w.Fee).times(paid).over(of(w.Amount)).truncate(unit(asset.Scale)).decimal()
		w.Amount = c.Amount
	}
	s.ledger.spend(in(w.Account), w.Asset, of(w.Amount), byWithdrawal)
	s.ledger.receive(custody, schema.Main, w.Asset, of(w.Amount), byWithdrawal)
	s.ledger.spend(in(w.Account), w.Asset, of(w.Fee), byWithdrawal)
	s.ledger.receive(schema.Fees, schema.Main, w.Asset, of(w.Fee), byWithdrawal)
	s.ledger.freeze(in(w.Account), w.Asset, w.gross().minus(all), byWithdrawal)
	s.turnTo(w, status)
	w.forgotten = true
	s.noted(w)
	return accepted
}
