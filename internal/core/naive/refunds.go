package naive

import "bourse/internal/schema"

// giveBack sends a deposit that was not accepted to an address outside, for what a withdrawal of it costs. Nothing bounds a refund, and
// nobody must approve it.
func (s *chains) giveBack(c *schema.RefundDeposit) schema.Result {
	if _, r := s.accounts.trader(c.Account); refused(r) {
		return reject(r)
	}
	if s.accounts.approved(c.Account) {
		return refuse(schema.SubNotPermitted)
	}
	if v := s.invoice(c.Deposit); v != nil && v.Account == c.Account {
		return refuse(schema.NotRefundable)
	}
	d := s.deposit(c.Deposit)
	switch {
	case d == nil, d.Account != c.Account:
		return refuse(schema.DepositUnknown)
	case d.Status != schema.DepositCanceled, !d.posted, d.Height == 0, d.refund != nil, d.carried.sign() > 0, s.network(d.Chain, d.Asset) == nil:
		return refuse(schema.NotRefundable)
	case len(c.Address) < 1, len(c.Address) > addressTextMost, len(c.Memo) > memoMost, c.Index != 0:
		return refuse(schema.WithdrawAddressInvalid)
	}
	fee := withdrawalFee(of(d.Amount), s.listing.asset(d.Asset), s.network(d.Chain, d.Asset))
	if !fee.less(of(d.Amount)) {
		return refuse(schema.NotRefundable)
	}
	d.refund = &withdrawal{Withdrawal: schema.Withdrawal{
		ID: schema.WithdrawalID(len(s.withdrawals) + 1), Account: c.Account, Chain: d.Chain, Asset: d.Asset,
		Amount: of(d.Amount).minus(fee).decimal(), Fee: fee.decimal(), Created: s.call.at,
		Address: c.Address, Memo: c.Memo, Refund: d.ID, Deposited: d.Created,
	}}
	s.withdrawals = append(s.withdrawals, d.refund)
	s.enqueue(d.refund)
	s.armSandbox(s.chain(d.Chain))
	answer := d.refund.Withdrawal
	return schema.Result{Withdrawal: &answer}
}

// refunded is the deposit that a refund gives back.
func (s *chains) refunded(w *withdrawal) *chainDeposit {
	for _, d := range s.deposits {
		if d.ID == w.Refund {
			return d
		}
	}
	return nil
}
