package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// Bounds of withdrawals.
const (
	uniqueMost      = 1020 // bytes
	withdrawalsMost = 1000 // of an account that are under way
	exitsCount      = 24 * 60 * minute
	exitsATick      = 1000 // that do not count any more
	signatureBytes  = 64
	signaturesMost  = 3 // of different operators
)

// withdrawal is a withdrawal with what nobody is shown of it.
type withdrawal struct {
	schema.Withdrawal
	queue     int     // the turn at which it was queued, while it is
	seat      int     // the turn at which it came into its block; 0: it is in none, or so deep that it stays
	line      int     // the turn at which it left its block, while it is to be paid again
	final     bool    // since it came into its block, it was looked at with all confirmations
	forgotten bool    // nobody can ask for it any more
	counted   outflow // what it added to what left its account
	travel    []byte  // who gets it, sealed
	signed    []schema.Signature
}

// recentExit is what a family withdrew without approval by a network that asks for it from some amount on.
type recentExit struct {
	at      schema.Time
	account schema.AccountID // the master
	asset   schema.AssetID
	gross   num
}

// hourlyExit is what left without approval by a network that bounds an hour.
type hourlyExit struct {
	hour  schema.Time
	chain schema.ChainID
	asset schema.AssetID
	gross num
}

// gross is what a withdrawal takes from its account, or a refund from Suspense.
func (w *withdrawal) gross() num { return of(w.Amount).plus(of(w.Fee)) }

// open reports whether the money of a withdrawal is still in the account.
func (w *withdrawal) open() bool {
	return w.Status != schema.WithdrawalCanceled && !w.left()
}

// left reports whether the money of a withdrawal is gone.
func (w *withdrawal) left() bool {
	return w.Status == schema.WithdrawalDone || w.Status == schema.WithdrawalPartial
}

// stoppable reports whether a withdrawal was never sent, so that it can be canceled.
func (w *withdrawal) stoppable() bool {
	return w.Status == schema.WithdrawalReview || w.Status == schema.WithdrawalFrozen || w.Status == schema.WithdrawalQueued ||
		w.Status == schema.WithdrawalUnconfirmed
}

// noted records a withdrawal as it is now.
func (s *chains) noted(w *withdrawal) {
	s.call.record(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
}

// turnTo gives a withdrawal another status. It is queued while that is its status.
func (s *chains) turnTo(w *withdrawal, status schema.WithdrawalStatus) {
	w.Status, w.Changed, w.queue = status, s.call.at, 0
	if status == schema.WithdrawalQueued {
		s.turns++
		w.queue = s.turns
	}
}

func (s *chains) request(c *schema.RequestWithdrawal) schema.Result { return s.requested(c, false) }

// requestFree asks for a withdrawal that costs nothing.
func (s *chains) requestFree(c *schema.RequestWithdrawal) schema.Result { return s.requested(c, true) }

func (s *chains) requested(c *schema.RequestWithdrawal, free bool) schema.Result {
	account, r := s.accounts.trader(c.Account)
	if refused(r) {
		return reject(r)
	}
	asset, on := s.listing.asset(c.Asset), s.chain(c.Chain)
	switch {
	case asset == nil:
		return refuse(schema.AssetUnknown)
	case s.accounts.barsAsset(account, asset):
		return refuse(schema.AssetNotOffered)
	case !asset.CanWithdraw, on == nil, s.network(c.Chain, c.Asset) == nil, !s.network(c.Chain, c.Asset).CanWithdraw,
		on.Driver == schema.Provider && on.Paused:
		return refuse(schema.WithdrawDisabled)
	}
	network := s.network(c.Chain, c.Asset)
	if r := s.checkTarget(c, on); refused(r) {
		return reject(r)
	}
	if r := s.checkTravel(c); refused(r) {
		return reject(r)
	}
	if r := checkWithdrawal(of(c.Amount), asset, network); refused(r) {
		return reject(r)
	}
	net, fee, r := s.split(c, asset, network, free)
	if refused(r) {
		return reject(r)
	}
	gross := net.plus(fee)
	if s.underWay(c.Account) >= withdrawalsMost {
		return reject(about(schema.WithdrawalsTooMany, whole(withdrawalsMost)))
	}
	if r := s.wallet.checkWithdrawn(c.Account, c.Asset, gross); refused(r) {
		return reject(r)
	}
	value, unpriced, r := s.limits.checkWithdrawal(c.Account, c.Asset, gross)
	if refused(r) {
		return reject(r)
	}

	made := &withdrawal{Withdrawal: schema.Withdrawal{
		ID: schema.WithdrawalID(len(s.withdrawals) + 1), Account: c.Account, Chain: c.Chain, Asset: c.Asset,
		Amount: net.decimal(), Fee: fee.decimal(), Created: s.call.at, Address: c.Address, Memo: c.Memo, Unique: c.Unique,
	}}
	if on.Driver == schema.Provider {
		made.BIC, made.Partial = c.BIC, c.Partial
	}
	if c.Index != 0 {
		made.To = s.owner(on, c.Index)
	}
	s.withdrawals = append(s.withdrawals, made)
	s.ledger.freeze(in(c.Account), c.Asset, gross, byWithdrawal)
	made.counted = s.limits.count(c.Account, value)
	if unpriced {
		made.Needed = 1
	}
	if s.asksReceiver(c) {
		made.travel = slices.Clone(c.Travel)
		if !s.knowsVASP(c.VASP) {
			made.Needed = 1
		}
	}
	if s.accounts.approved(c.Account) {
		s.turnTo(made, schema.WithdrawalUnconfirmed)
		s.noted(made)
	} else {
		s.begin(made)
	}
	s.armSandbox(on)
	answer := made.Withdrawal
	return schema.Result{Withdrawal: &answer}
}

// checkTarget looks at what the client calls a withdrawal, and at where it goes.
func (s *chains) checkTarget(c *schema.RequestWithdrawal, on *chain) schema.Rejection {
	used := slices.ContainsFunc(s.withdrawals, func(w *withdrawal) bool { return w.Account == c.Account && w.Unique == c.Unique })
	switch {
	case len(c.Unique) < 1, len(c.Unique) > uniqueMost, used:
		return because(schema.UniqueTaken)
	case len(c.Address) < 1, len(c.Address) > addressTextMost, len(c.Memo) > memoMost, c.Index > s.lastIndex(on),
		c.Index != 0 && s.owner(on, c.Index) == 0:
		return because(schema.WithdrawAddressInvalid)
	case c.Index != 0 && s.owner(on, c.Index) == c.Account:
		return because(schema.WithdrawOwnAddress)
	case on.Driver == schema.Provider && !validBIC(c.BIC):
		return because(schema.BICInvalid)
	}
	return accepted
}

// checkWithdrawal looks at how much is asked for. A chain of others may keep fewer decimals. The closer of the bounds of the asset and of the network counts.
func checkWithdrawal(amount num, asset *schema.Asset, n *schema.Network) schema.Rejection {
	low := greatest(of(asset.MinWithdraw), of(n.MinWithdraw))
	high := of(asset.MaxWithdraw)
	if other := of(n.MaxWithdraw); high.sign() == 0 || other.sign() != 0 && other.less(high) {
		high = other
	}
	places := asset.Precision
	if n.Decimals != 0 {
		places = min(places, n.Decimals)
	}
	switch {
	case amount.sign() <= 0:
		return about(schema.MoveNotPositive, unit(places))
	case !amount.multipleOf(unit(places)):
		return about(schema.WithdrawTooPrecise, whole(int64(places)))
	case amount.less(low):
		return about(schema.WithdrawBelowMin, low)
	case high.sign() != 0 && amount.more(high):
		return about(schema.WithdrawAboveMax, high)
	}
	return accepted
}

// split is what the receiver gets of a withdrawal, and what it costs. Between accounts it is free.
func (s *chains) split(c *schema.RequestWithdrawal, asset *schema.Asset, n *schema.Network, free bool) (net, fee num, r schema.Rejection) {
	amount := of(c.Amount)
	if c.Index == 0 && !free {
		fee = withdrawalFee(amount, asset, n)
	}
	switch {
	case c.Pay && amount.plus(fee).more(largest):
		return num{}, num{}, about(schema.WithdrawNotCovered, s.ledger.balance(c.Account, schema.Main, c.Asset).available)
	case c.Pay:
		return amount, fee, accepted
	case fee.more(largest):
		return num{}, num{}, about(schema.WithdrawBelowFee, num{})
	case !amount.more(fee):
		return num{}, num{}, about(schema.WithdrawBelowFee, fee)
	}
	return amount.minus(fee), fee, accepted
}

// withdrawalFee is what it costs to send an amount to somebody outside, with no more decimals than a chain of others keeps.
func withdrawalFee(amount num, asset *schema.Asset, n *schema.Network) num {
	fee := chargeFor(amount, asset.Scale, n.WithdrawFixed, n.WithdrawPercent, n.WithdrawMinFee, n.WithdrawMaxFee)
	if n.Decimals != 0 {
		fee = fee.truncate(unit(n.Decimals))
	}
	return fee
}

// underWay is how many withdrawals of an account are open; refunds are none of them.
func (s *chains) underWay(a schema.AccountID) int {
	n := 0
	for _, w := range s.withdrawals {
		if w.Account == a && w.open() && w.Refund == 0 {
			n++
		}
	}
	return n
}

// approvals is how many operators must approve a withdrawal, with all that left the family lately, and all accounts in this hour,
// without them.
func (s *chains) approvals(w *withdrawal, n *schema.Network) uint8 {
	all := w.gross()
	for _, e := range s.recent {
		if e.account == s.root(w) && e.asset == w.Asset {
			all = all.plus(e.gross)
		}
	}
	above := func(bound num) bool { return bound.sign() > 0 && all.more(bound) }
	switch {
	case above(of(n.Approve2Above)):
		return 2
	case above(of(n.ApproveAbove)):
		return 1
	}
	inHour := w.gross()
	for _, e := range s.hourly {
		if e.hour == hourOf(s.call.at) && e.chain == w.Chain && e.asset == w.Asset {
			inHour = inHour.plus(e.gross)
		}
	}
	if bound := of(n.HourCap); bound.sign() > 0 && inHour.more(bound) {
		return 1
	}
	return 0
}

// forgetExits lets exits not count any more that were long ago.
func (s *chains) forgetExits() {
	for range exitsATick {
		if len(s.recent) > 0 && s.recent[0].at+exitsCount <= s.call.at {
			s.recent = s.recent[1:]
		}
	}
}

// armSandbox sets when a chain makes the next block by itself, if it makes any.
func (s *chains) armSandbox(c *chain) {
	if c.Driver == schema.Sandbox {
		s.arm(c)
	}
}

// enqueue lets a withdrawal be sent. One to another account is there at once.
func (s *chains) enqueue(w *withdrawal) {
	s.turnTo(w, schema.WithdrawalQueued)
	s.noted(w)
	if w.To != 0 {
		s.deliver(w)
	}
}

// deliver gives a withdrawal to the account that it is for, where it is a deposit of which nobody knows but by its event.
func (s *chains) deliver(w *withdrawal) {
	s.ledger.spend(in(w.Account), w.Asset, w.gross(), byWithdrawal)
	s.ledger.receive(w.To, schema.Main, w.Asset, of(w.Amount), byWithdrawal)
	s.turnTo(w, schema.WithdrawalDone)
	w.forgotten = true
	s.noted(w)
	s.lastDeposit++
	s.call.record(&schema.ChainDepositChanged{Deposit: schema.ChainDeposit{
		ID: s.lastDeposit, Account: w.To, Chain: w.Chain, Asset: w.Asset, Amount: w.Amount, Status: schema.DepositCredited,
		Created: s.call.at, Changed: s.call.at, Address: w.Address, Memo: w.Memo, From: w.Account,
	}})
	s.ledger.repay(w.To, w.Asset)
}

// withdrawal finds a withdrawal that can be asked for, or nil.
func (s *chains) withdrawal(id schema.WithdrawalID) *withdrawal {
	for _, w := range s.withdrawals {
		if w.ID == id && !w.forgotten {
			return w
		}
	}
	return nil
}

func (s *chains) judge(c *schema.DecideWithdrawal) schema.Rejection {
	if s.call.operator == "" {
		return because(schema.OperatorMissing)
	}
	w := s.withdrawal(c.Withdrawal)
	switch {
	case !signedAsItMay(c):
		return because(schema.SignatureInvalid)
	case w == nil:
		return because(schema.WithdrawalUnknown)
	case !w.judgeable(c.Decision):
		return because(schema.WithdrawalDecided)
	case c.Decision == schema.ApproveWithdrawal && w.Approver == s.call.operator:
		return because(schema.ApprovedBefore)
	case c.Decision == schema.ApproveWithdrawal && !s.arrives(w):
		return because(schema.SubUnknown)
	}
	if len(c.Signature) > 0 {
		s.keepSignature(w, c.Signature)
	}
	switch c.Decision {
	case schema.ApproveWithdrawal:
		s.approve(w)
	case schema.CancelWithdrawal:
		s.cancel(w)
	case schema.FreezeWithdrawal:
		s.turnTo(w, schema.WithdrawalFrozen)
		s.noted(w)
	case schema.ReleaseWithdrawal:
		s.review(w, max(w.Needed, 1), w.Approver)
	}
	s.armSandbox(s.chain(w.Chain))
	return accepted
}

// judgeable reports whether a decision can be made about a withdrawal as it is.
func (w *withdrawal) judgeable(v schema.Verdict) bool {
	switch v {
	case schema.ApproveWithdrawal:
		return w.Status == schema.WithdrawalReview
	case schema.CancelWithdrawal:
		return w.stoppable()
	case schema.FreezeWithdrawal:
		return w.Status == schema.WithdrawalReview || w.Status == schema.WithdrawalQueued
	case schema.ReleaseWithdrawal:
		return w.Status == schema.WithdrawalFrozen
	case schema.SignWithdrawal:
		switch w.Status {
		case schema.WithdrawalReview, schema.WithdrawalQueued, schema.WithdrawalPlanned, schema.WithdrawalSent:
			return true
		}
	}
	return false
}

// signedAsItMay reports whether a decision has a signature if it needs one, and has none if it may not.
func signedAsItMay(c *schema.DecideWithdrawal) bool {
	bytes := len(c.Signature)
	switch c.Decision {
	case schema.SignWithdrawal:
		return bytes == signatureBytes
	case schema.ApproveWithdrawal:
		return bytes == 0 || bytes == signatureBytes
	}
	return bytes == 0
}

// keepSignature keeps the signature of the operator who gives the command as the last, and the last of all.
func (s *chains) keepSignature(w *withdrawal, signature []byte) {
	var kept []schema.Signature
	for _, before := range w.signed {
		if before.Operator != s.call.operator {
			kept = append(kept, before)
		}
	}
	kept = append(kept, schema.Signature{Operator: s.call.operator, Bytes: slices.Clone(signature)})
	w.signed = kept[max(0, len(kept)-signaturesMost):]
}

// approve counts the operator who gives the command. The last who is needed is not noted.
func (s *chains) approve(w *withdrawal) {
	w.Needed--
	if w.Needed > 0 {
		w.Approver = s.call.operator
		s.noted(w)
		return
	}
	s.enqueue(w)
}

// review lets a withdrawal wait for operators, other ones than who approved it already.
func (s *chains) review(w *withdrawal, needed uint8, approved string) {
	w.Needed, w.Approver = needed, approved
	s.turnTo(w, schema.WithdrawalReview)
	s.noted(w)
}

// cancel gives an account back what a withdrawal set aside, and what that counted. A refund set nothing aside, and its deposit can be
// refunded again.
func (s *chains) cancel(w *withdrawal) {
	if w.Refund != 0 {
		s.refunded(w).refund = nil
	} else {
		s.ledger.freeze(in(w.Account), w.Asset, w.gross().neg(), byWithdrawal)
		s.limits.uncount(w.counted)
	}
	s.turnTo(w, schema.WithdrawalCanceled)
	w.forgotten = true
	s.noted(w)
}

// stoppable are the withdrawals of an account's money that can be canceled, the newest first.
func (s *chains) stoppable(a schema.AccountID, asset schema.AssetID) (list []*withdrawal) {
	for _, w := range s.withdrawals {
		if w.Account == a && w.Asset == asset && w.stoppable() && w.Refund == 0 {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *withdrawal) int { return cmp.Compare(b.ID, a.ID) })
	return list
}
