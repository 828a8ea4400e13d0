package naive

import "bourse/internal/schema"

// Bounds of withdrawals that wait for the master of their account.
const (
	confirmedWithin  = 24 * 60 * minute
	unconfirmedATick = 300 // that are canceled
)

// begin lets a withdrawal go its way: to the operators who must approve it, or into the queue. Some need one however little they are.
func (s *chains) begin(w *withdrawal) {
	network := s.network(w.Chain, w.Asset)
	if network == nil { // it was taken away meanwhile
		w.Needed = 1
	} else {
		w.Needed = max(s.approvals(w, network), w.Needed)
	}
	if w.Needed > 0 {
		s.turnTo(w, schema.WithdrawalReview)
		s.noted(w)
		return
	}
	if of(network.ApproveAbove).sign() > 0 || of(network.Approve2Above).sign() > 0 {
		s.recent = append(s.recent, recentExit{s.call.at, s.root(w), w.Asset, w.gross()})
	}
	if of(network.HourCap).sign() > 0 {
		s.hourly = append(s.hourly, hourlyExit{hourOf(s.call.at), w.Chain, w.Asset, w.gross()})
	}
	s.enqueue(w)
}

// root is the master of the account of a withdrawal, or that account.
func (s *chains) root(w *withdrawal) schema.AccountID {
	account, _ := s.accounts.customer(w.Account)
	return s.accounts.master(account).ID
}

// arrives reports whether who gets a withdrawal has not ended, as far as it is a customer.
func (s *chains) arrives(w *withdrawal) bool {
	_, r := s.accounts.living(w.To)
	return w.To == 0 || !refused(r)
}

// confirmWithdrawal lets a withdrawal begin that waits for the master of its account.
func (s *chains) confirmWithdrawal(c *schema.ConfirmWithdrawal) schema.Result {
	master, r := s.accounts.trader(c.Master)
	if refused(r) {
		return reject(r)
	}
	if caller := s.accounts.key(s.call.key); caller != nil && !caller.has("/api/v4/main-account/withdraw") {
		return refuse(schema.KeyNotAllowed)
	}
	if !master.Approvals {
		return refuse(schema.NoPermission)
	}
	w := s.withdrawal(c.Withdrawal)
	if w == nil {
		return refuse(schema.WithdrawalUnknown)
	}
	account, _ := s.accounts.customer(w.Account)
	if account.Parent != c.Master {
		return refuse(schema.WithdrawalUnknown)
	}
	if w.Status != schema.WithdrawalUnconfirmed {
		return refuse(schema.WithdrawalConfirmed)
	}
	if _, r := s.accounts.trader(w.Account); refused(r) {
		return reject(r)
	}
	if r := s.limits.checkRestricted(account); refused(r) {
		return reject(r)
	}
	if !s.arrives(w) {
		return refuse(schema.SubUnknown)
	}
	s.begin(w)
	s.armSandbox(s.chain(w.Chain))
	answer := w.Withdrawal
	return schema.Result{Withdrawal: &answer}
}

// unconfirmed are the withdrawals that wait for masters, the oldest first.
func (s *chains) unconfirmed() (list []*withdrawal) {
	for _, w := range s.withdrawals {
		if w.Status == schema.WithdrawalUnconfirmed {
			list = append(list, w)
		}
	}
	return list
}

// dropUnconfirmed cancels withdrawals that no master confirmed in time.
func (s *chains) dropUnconfirmed() {
	for i, w := range s.unconfirmed() {
		if i < unconfirmedATick && w.Created+confirmedWithin <= s.call.at {
			s.cancel(w)
		}
	}
}
