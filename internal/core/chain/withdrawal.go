package chain

import (
	"iter"
	"slices"

	"bourse/internal/core/ledger"
	"bourse/internal/core/slab"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// withdrawal is money on its way out. What it costs the account is frozen in its main wallet until it is final or canceled, unless it is
// a refund.
//
// What must hold: it is paid once. It is in one list of one lane. A block takes it out of the lists of those that wait for one, and puts
// it among those that are paid; a rewind moves it back. There is no other way into a block, and no copy that could go a second time.
type withdrawal struct {
	schema.Withdrawal
	slab.Links
	counted    fixed.Decimal // what it counts with for the tier of its account, since it was created
	travel     []byte        // who receives it, sealed
	signatures []schema.Signature
}

// gross is what a withdrawal costs the account.
func (w *withdrawal) gross() fixed.Decimal { return w.Amount.Add(w.Fee) }

// over reports whether nothing is kept for it any more.
func (w *withdrawal) over() bool {
	return w.Status == schema.WithdrawalDone || w.Status == schema.WithdrawalCanceled || w.Status == schema.WithdrawalPartial
}

// waits reports whether nothing was done yet to pay it.
func (w *withdrawal) waits() bool {
	return w.Status <= schema.WithdrawalQueued || w.Status == schema.WithdrawalUnconfirmed
}

var byWithdrawal = ledger.Note{Cause: schema.ByWithdrawal}

// request lets an account send money to an address.
func (c *Chains) request(m *schema.RequestWithdrawal) schema.Rejection {
	w, r := c.withdraw(m, true)
	if !r.Refused() {
		c.out.Result.Withdrawal = w
	}
	return r
}

// Send sends money of an account to an address as if it had asked for it, but nothing is charged. Withdrew hears of the withdrawal before
// its number is known here, and also of its end if the address is one of ours.
func (c *Chains) Send(m *schema.RequestWithdrawal) (*schema.Withdrawal, schema.Rejection) {
	return c.withdraw(m, false)
}

// withdraw makes a withdrawal, and returns what is true of it then.
func (c *Chains) withdraw(m *schema.RequestWithdrawal, charged bool) (*schema.Withdrawal, schema.Rejection) {
	asset := c.listing.Asset(m.Asset)
	account, r := c.accounts.Customer(m.Account)
	if r.Refused() {
		return nil, r
	}
	if asset == nil {
		return nil, schema.Refuse(schema.AssetUnknown)
	}
	if !c.accounts.Offers(asset, account) {
		return nil, schema.Refuse(schema.AssetNotOffered)
	}
	ch := c.find(m.Chain)
	var n *schema.Network
	if ch != nil {
		n = c.network(ch, m.Asset)
	}
	if n == nil || !asset.CanWithdraw || !n.CanWithdraw || ch.Driver == schema.Provider && ch.Paused {
		return nil, schema.Refuse(schema.WithdrawDisabled)
	}
	w := &withdrawal{Withdrawal: schema.Withdrawal{
		Account: m.Account, Chain: m.Chain, Asset: m.Asset, Created: c.out.Time, Changed: c.out.Time, Address: m.Address, Memo: m.Memo, Unique: m.Unique,
	}}
	if r := c.addressed(ch, m, w); r.Refused() {
		return nil, r
	}
	if r := provided(ch, m, w); r.Refused() {
		return nil, r
	}
	unknown, r := c.received(ch, account, m, w)
	if r.Refused() {
		return nil, r
	}
	if r := c.priced(asset, n, m, w, charged); r.Refused() {
		return nil, r
	}
	if len(c.open[m.Account]) >= mostOpen {
		return nil, schema.Rejection{Reason: schema.WithdrawalsTooMany, Value: fixed.FromInt(mostOpen)}
	}
	approval, r := c.tiers.MayWithdraw(m.Account, m.Asset, w.gross())
	if r.Refused() {
		return nil, r
	}
	c.ledger.Freeze(c.ledger.Find(m.Account, schema.Main, m.Asset), w.gross(), byWithdrawal)
	c.uniques.Add(m.Account, m.Unique)
	c.lastWithdrawal++
	w.ID, w.Status = c.lastWithdrawal, schema.WithdrawalReview
	w.counted = c.tiers.Count(m.Account, m.Asset, w.gross())
	if c.accounts.Confirms(account) {
		await(w, approval || unknown)
	} else {
		c.admit(ch, n, w, approval || unknown)
	}
	place, at := c.withdrawals.Take()
	*at = *w
	c.byNumber[w.ID] = place
	c.open[m.Account] = append(c.open[m.Account], place)
	c.awaits(place)
	c.out.Events.Add(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
	c.Withdrew(&w.Withdrawal, 0)
	if w.Status == schema.WithdrawalQueued {
		w.Status = c.queue(ch, place)
	} else {
		c.withdrawals.Push(&ch.lane(w.Asset).judged, place)
	}
	c.schedule(ch)
	return &w.Withdrawal, schema.Rejection{}
}

// admit lets a withdrawal go, or wait for as many operators as must approve it.
func (c *Chains) admit(ch *chain, n *schema.Network, w *withdrawal, approval bool) {
	w.Status = schema.WithdrawalReview
	if w.Needed = c.needed(ch, n, w, approval); w.Needed == 0 {
		c.recent.add(c.accounts.Root(w.Account).ID, w, n, c.out.Time)
		w.Status = schema.WithdrawalQueued
	}
}

// needed is how many operators must approve a withdrawal. One that nobody must approve counts for the cap of the hour.
func (c *Chains) needed(ch *chain, n *schema.Network, w *withdrawal, approval bool) uint8 {
	if needed := c.recent.needed(c.accounts.Root(w.Account).ID, w, n); needed > 0 {
		return needed
	}
	if approval {
		return 1
	}
	if n.HourCap.IsZero() {
		return 0
	}
	l := ch.lane(w.Asset)
	next, below := l.hourly.next(w, n.HourCap, c.out.Time)
	if !below {
		return 1
	}
	l.hourly = next
	return 0
}

// addressed checks where a withdrawal goes and what the client calls it.
func (c *Chains) addressed(ch *chain, m *schema.RequestWithdrawal, w *withdrawal) schema.Rejection {
	var addresses []address // a provider has none
	if s := c.space(ch.Space()); s != nil {
		addresses = s.addresses
	}
	switch {
	case m.Unique == "" || len(m.Unique) > schema.MaxUniqueID || c.uniques.Has(m.Account, m.Unique):
		return schema.Refuse(schema.UniqueTaken)
	case !validTarget(m.Address, m.Memo) || int(m.Index) > len(addresses):
		return schema.Refuse(schema.WithdrawAddressInvalid)
	case m.Index == 0:
		return schema.Rejection{}
	}
	if w.To = addresses[m.Index-1].account; w.To == m.Account {
		return schema.Refuse(schema.WithdrawOwnAddress)
	}
	if c.accounts.Living(w.To) == nil {
		return schema.Refuse(schema.WithdrawAddressInvalid)
	}
	return schema.Rejection{}
}

// validTarget reports whether a withdrawal can be sent there.
func validTarget(address, memo string) bool {
	return address != "" && len(address) <= schema.MaxAddressText && len(memo) <= schema.MaxMemo
}

// priced checks the amount of a withdrawal and divides it into what arrives and what it costs.
func (c *Chains) priced(asset *schema.Asset, n *schema.Network, m *schema.RequestWithdrawal, w *withdrawal, charged bool) schema.Rejection {
	places := asset.Precision
	if n.Decimals != 0 { // of a chain of others
		places = min(places, n.Decimals)
	}
	switch r := wallet.CheckAmount(m.Amount, places); r.Reason {
	case schema.OK:
	case schema.MoveTooPrecise:
		return schema.Rejection{Reason: schema.WithdrawTooPrecise, Value: r.Value}
	default:
		return r
	}
	switch least, most := asset.WithdrawBounds(n); {
	case m.Amount.Less(least):
		return schema.Rejection{Reason: schema.WithdrawBelowMin, Value: least}
	case !most.IsZero() && m.Amount.Cmp(most) > 0:
		return schema.Rejection{Reason: schema.WithdrawAboveMax, Value: most}
	}
	fits := true
	if w.To == 0 && charged {
		w.Fee, fits = sendingFee(m.Amount, asset, n)
	}
	if m.Pay {
		if fits {
			_, fits = m.Amount.AddChecked(w.Fee)
		}
		if !fits {
			return schema.Rejection{Reason: schema.WithdrawNotCovered, Value: c.ledger.Available(c.ledger.Find(m.Account, schema.Main, m.Asset))}
		}
		w.Amount = m.Amount
		return schema.Rejection{}
	}
	if !fits || m.Amount.Cmp(w.Fee) <= 0 {
		return schema.Rejection{Reason: schema.WithdrawBelowFee, Value: w.Fee}
	}
	w.Amount = m.Amount.Sub(w.Fee)
	return schema.Rejection{}
}

// turn changes the status of a withdrawal.
func (c *Chains) turn(w *withdrawal, status schema.WithdrawalStatus) {
	was := w.Status
	w.Status, w.Changed = status, c.out.Time
	c.out.Events.Add(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
	c.Withdrew(&w.Withdrawal, was)
}

// queue lets a withdrawal go that nothing keeps: to the next block, or to a customer at once. It returns what is true of it then.
func (c *Chains) queue(ch *chain, place uint32) schema.WithdrawalStatus {
	w := c.withdrawals.At(place)
	if w.To == 0 {
		c.withdrawals.Push(&ch.lane(w.Asset).queued, place)
		return schema.WithdrawalQueued
	}
	to := c.ledger.Open(w.To, schema.Main, w.Asset)
	c.ledger.MoveFrozen(c.ledger.Find(w.Account, schema.Main, w.Asset), to, w.Amount, byWithdrawal)
	c.turn(w, schema.WithdrawalDone)
	c.last++
	inside := &schema.ChainDepositChanged{Deposit: schema.ChainDeposit{
		ID: c.last, Account: w.To, Chain: w.Chain, Asset: w.Asset, Amount: w.Amount, Status: schema.DepositCredited,
		Created: c.out.Time, Changed: c.out.Time, Address: w.Address, Memo: w.Memo, From: w.Account,
	}}
	c.out.Events.Add(inside)
	c.Deposited(&inside.Deposit, 0)
	c.wallets.Repay(w.To, w.Asset)
	c.close(place)
	c.drop(place)
	return schema.WithdrawalDone
}

// close ends what a withdrawal is to its account.
func (c *Chains) close(place uint32) {
	account := c.withdrawals.At(place).Account
	open := c.open[account]
	at := slices.Index(open, place)
	if open = slices.Delete(open, at, at+1); len(open) == 0 {
		delete(c.open, account)
	} else {
		c.open[account] = open
	}
}

// drop forgets a withdrawal that is in no list.
func (c *Chains) drop(place uint32) {
	delete(c.byNumber, c.withdrawals.At(place).ID)
	c.withdrawals.Give(place)
}

// cancel gives the money of a withdrawal back that is not sent, to the account or to the deposit that it was a refund of.
func (c *Chains) cancel(place uint32) {
	w := c.withdrawals.At(place)
	c.withdrawals.Pull(place)
	c.awaitsNoMore(w)
	if w.Refund != 0 {
		c.returned(c.deposits.At(c.places[w.Refund]))
	} else {
		c.ledger.Freeze(c.ledger.Find(w.Account, schema.Main, w.Asset), w.gross().Neg(), byWithdrawal)
		c.tiers.GiveBack(w.Account, w.Created, w.counted)
		c.close(place)
	}
	c.turn(w, schema.WithdrawalCanceled)
	c.drop(place)
}

// stop cancels withdrawals of an account, the newest first, while a deposit that its chain took back is not covered. It returns what is
// still missing.
func (c *Chains) stop(d *deposit, main, custody ledger.Cell, rest fixed.Decimal) fixed.Decimal {
	for _, place := range slices.Backward(slices.Clone(c.open[d.Account])) {
		if rest.IsZero() {
			break
		}
		if w := c.withdrawals.At(place); w.Asset != d.Asset || !w.waits() {
			continue
		}
		c.cancel(place)
		part := fixed.MinOf(rest, c.ledger.Available(main))
		c.move(main, custody, part, byReversal)
		rest = rest.Sub(part)
	}
	return rest
}

// judge does what an operator decided about a withdrawal.
func (c *Chains) judge(m *schema.DecideWithdrawal) schema.Rejection {
	if c.out.Operator == "" {
		return schema.Refuse(schema.OperatorMissing)
	}
	if !validSignature(m) {
		return schema.Refuse(schema.SignatureInvalid)
	}
	place, known := c.byNumber[m.Withdrawal]
	if !known {
		return schema.Refuse(schema.WithdrawalUnknown)
	}
	w := c.withdrawals.At(place)
	ch := c.find(w.Chain)
	judged := &ch.lane(w.Asset).judged
	switch {
	case m.Decision == schema.ApproveWithdrawal && w.Status == schema.WithdrawalReview:
		switch {
		case w.Approver == c.out.Operator:
			return schema.Refuse(schema.ApprovedBefore)
		case w.To != 0 && c.accounts.Living(w.To) == nil:
			return schema.Refuse(schema.SubUnknown)
		}
		w.sign(c.out.Operator, m.Signature)
		if w.Needed--; w.Needed > 0 {
			w.Approver = c.out.Operator
			c.out.Events.Add(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
			break
		}
		c.withdrawals.Pull(place)
		c.turn(w, schema.WithdrawalQueued)
		c.queue(ch, place)
	case m.Decision == schema.CancelWithdrawal && w.waits():
		c.cancel(place)
	case m.Decision == schema.FreezeWithdrawal && (w.Status == schema.WithdrawalReview || w.Status == schema.WithdrawalQueued):
		c.withdrawals.Pull(place)
		c.withdrawals.Push(judged, place)
		c.turn(w, schema.WithdrawalFrozen)
	case m.Decision == schema.ReleaseWithdrawal && w.Status == schema.WithdrawalFrozen:
		w.Needed = max(w.Needed, 1) // who approved it before still counts as the first of two
		c.turn(w, schema.WithdrawalReview)
	case m.Decision == schema.SignWithdrawal && w.signable():
		w.sign(c.out.Operator, m.Signature)
	default:
		return schema.Refuse(schema.WithdrawalDecided)
	}
	c.schedule(ch)
	return schema.Rejection{}
}

// payOut puts withdrawals into a block of a sandbox, some at most, and returns how many: first those whose block was rewound. What an
// account asked for that is blocked now waits for operators. A sandbox that is stuck pays nothing.
func (c *Chains) payOut(ch *chain, height uint64) (count int) {
	if ch.Stuck {
		return 0
	}
	for _, l := range ch.lanes {
		for _, from := range []*slab.List{&l.sent, &l.queued} {
			for place := from.First; place != 0 && count < mostPayouts; place = from.First {
				w := c.withdrawals.At(place)
				if w.Status == schema.WithdrawalQueued && c.accounts.Barred(w.Account) {
					c.withdrawals.Pull(place)
					c.withdrawals.Push(&l.judged, place)
					w.Needed, w.Approver = 1, ""
					c.turn(w, schema.WithdrawalReview)
					count++
					continue
				}
				coins, fits := l.coins.SubChecked(w.Amount)
				if !fits || coins.Less(ledger.Limit.Neg()) {
					break
				}
				count++
				l.coins = coins
				c.withdrawals.Pull(place)
				c.withdrawals.Push(&l.paid, place)
				if l.final == 0 {
					l.final = place
				}
				w.Tx, w.Height = schema.SandboxPayout(ch.Name, w.ID), height
				if w.Status != schema.WithdrawalDone {
					w.Status, w.Changed = schema.WithdrawalMined, c.out.Time
				}
				c.out.Events.Add(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
			}
		}
	}
	return count
}

// recallLast takes the last withdrawal of a lane out of a block that is no part of the chain any more.
func (c *Chains) recallLast(ch *chain, l *lane, try bool) bool {
	place := l.paid.Last
	if place == 0 || c.withdrawals.At(place).Height <= ch.cursor.height {
		return false
	}
	if try {
		return true
	}
	w := c.withdrawals.At(place)
	c.withdrawals.Pull(place)
	c.withdrawals.Push(&l.sent, place)
	if l.final == place {
		l.final = 0
	}
	l.coins = l.coins.Add(w.Amount)
	w.Height = 0
	if w.Status == schema.WithdrawalMined {
		w.Status, w.Changed = schema.WithdrawalSent, c.out.Time
	}
	c.out.Events.Add(&schema.WithdrawalChanged{Withdrawal: w.Withdrawal})
	return true
}

// review lets operators decide about a withdrawal again that was bound to a payout which will not pay it.
func (c *Chains) review(l *lane, place uint32) {
	w := c.withdrawals.At(place)
	c.withdrawals.Pull(place)
	c.withdrawals.Push(&l.judged, place)
	w.Needed, w.Approver, w.Payout, w.Tx = 1, "", 0, ""
	c.turn(w, schema.WithdrawalReview)
}

// finish looks at the next withdrawal that is deep enough to be final: what was kept for it is gone.
func (c *Chains) finish(ch *chain, l *lane, try bool) bool {
	depth, _ := c.depths(ch, l.asset)
	if l.final == 0 || ch.depth(c.withdrawals.At(l.final).Height) < depth {
		return false
	}
	if try {
		return true
	}
	place := l.final
	w := c.withdrawals.At(place)
	l.final = w.After
	if w.Status == schema.WithdrawalDone {
		return true
	}
	from, move := c.ledger.Find(w.Account, schema.Main, w.Asset), c.ledger.MoveFrozen
	if w.Refund != 0 {
		from, move = c.ledger.Find(schema.Suspense, schema.Main, w.Asset), c.ledger.Move
	}
	move(from, c.ledger.Open(schema.Custody, schema.Main, w.Asset), w.Amount, byWithdrawal)
	if !w.Fee.IsZero() {
		move(from, c.ledger.Open(schema.Fees, schema.Main, w.Asset), w.Fee, byWithdrawal)
	}
	l.booked = l.booked.Sub(w.Amount)
	c.turn(w, schema.WithdrawalDone)
	if w.Refund == 0 {
		c.close(place)
	}
	return true
}

// forgetPaid forgets a withdrawal whose block cannot be rewound any more.
func (c *Chains) forgetPaid(ch *chain, l *lane, try bool) bool {
	place := l.paid.First
	if place == 0 || place == l.final || c.withdrawals.At(place).Height > ch.points[0].height {
		return false
	}
	if !try {
		c.withdrawals.Pull(place)
		c.drop(place)
	}
	return true
}

// leaving are the withdrawals of a lane and their places, in all lists.
func (c *Chains) leaving(l *lane) iter.Seq2[uint32, *withdrawal] {
	return func(yield func(uint32, *withdrawal) bool) {
		for _, in := range []*slab.List{&l.judged, &l.queued, &l.planned, &l.sent, &l.paid} {
			for place := in.First; place != 0; {
				w := c.withdrawals.At(place)
				if !yield(place, w) {
					return
				}
				place = w.After
			}
		}
	}
}
