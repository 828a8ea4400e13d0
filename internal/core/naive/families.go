package naive

import "bourse/internal/schema"

// families is what masters do to sub-accounts that concerns all they have.
type families struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	trading  *trading
	margins  *margins
	codes    *codes
	chains   *chains
	credits  *credits
	checks   *addressChecks
	express  *express
	webhooks *webhooks
	users    *users
	convert  *conversions
	earn     *earn
	mining   *mining
}

func (f *families) apply(cmd schema.Command) *schema.Result {
	var r schema.Rejection
	switch c := cmd.(type) {
	case *schema.BlockSub:
		r = f.block(c)
	case *schema.DeleteSub:
		r = f.delete(c)
	default:
		return nil
	}
	return &schema.Result{Rejection: r}
}

func (f *families) block(c *schema.BlockSub) schema.Rejection {
	sub, r := f.accounts.asMaster(c.Master, c.Sub)
	switch {
	case refused(r):
		return r
	case c.Blocked && sub.Status == schema.SubBlocked:
		return because(schema.SubBlockedBefore)
	case c.Blocked && sub.Status == schema.SubPending:
		return because(schema.SubNotConfirmed)
	case !c.Blocked && sub.Status != schema.SubBlocked:
		return because(schema.SubNotBlocked)
	}
	sub.Status = schema.SubActive
	if c.Blocked {
		sub.Status = schema.SubBlocked
	}
	f.call.record(&schema.AccountChanged{Account: *sub})
	if c.Blocked {
		f.stop(sub.ID)
	}
	return accepted
}

// stop ends what a sub-account has asked for: withdrawals that nobody confirmed, and all orders but those that only reduce positions.
func (f *families) stop(sub schema.AccountID) {
	for _, w := range f.chains.withdrawals {
		if w.Account == sub && w.Status == schema.WithdrawalUnconfirmed {
			f.chains.cancel(w)
		}
	}
	for _, m := range f.trading.all() {
		f.trading.endAll(m, schema.Canceled, schema.ByBlock, func(o *order) bool {
			return o.account == sub && !o.reduceOnly && !protects(o.role)
		})
		f.trading.comeToRest(m)
	}
}

func (f *families) delete(c *schema.DeleteSub) schema.Rejection {
	sub, r := f.accounts.asMaster(c.Master, c.Sub)
	switch {
	case refused(r):
		return r
	case sub.Blocked, !f.hasNothing(sub.ID):
		return because(schema.SubNotEmpty)
	}
	sub.Status = schema.SubDeleted
	if w := f.webhooks.of(sub.ID); w != nil && w.URL != "" {
		f.webhooks.keep(schema.Webhook{Account: sub.ID, Count: w.Count})
	}
	f.users.remove(sub.ID)
	for _, k := range f.accounts.keysOf(sub.ID) {
		f.accounts.endKey(k)
	}
	f.call.record(&schema.AccountChanged{Account: *sub})
	return accepted
}

// keysOf are the keys of an account, by id.
func (a *accounts) keysOf(id schema.AccountID) (list []*key) {
	for _, k := range a.keys {
		if k.Account == id {
			list = append(list, k)
		}
	}
	return list
}

// hasNothing looks for anything that an account has or waits for.
func (f *families) hasNothing(a schema.AccountID) bool {
	for _, asset := range f.listing.assets {
		for _, w := range []schema.Wallet{schema.Main, schema.Trade, schema.Collateral, schema.Earn, schema.Debt, schema.Owed} {
			if b := f.ledger.balance(a, w, asset.ID); b.available.sign() != 0 || b.frozen.sign() != 0 {
				return false
			}
		}
		if f.margins.debts[debtor{a, asset.ID}] != nil {
			return false
		}
	}
	for _, m := range f.trading.all() {
		for _, o := range m.orders {
			if o.account == a {
				return false
			}
		}
	}
	for _, h := range f.margins.open {
		if h.account == a {
			return false
		}
	}
	return f.awaitsNothing(a) && f.codes.count(a) == 0 && f.credits.find(a) == nil &&
		len(f.checks.of(a)) == 0 && len(f.express.waiting(a, f.call.at)) == 0 && len(f.convert.ofAccount(a)) == 0 && !f.earn.binds(a) &&
		len(f.mining.ofAccount(a)) == 0
}

// awaitsNothing looks for money of an account that is on its way by a chain or a provider.
func (f *families) awaitsNothing(a schema.AccountID) bool {
	for _, d := range f.chains.deposits {
		if d.Account == a && !d.forgotten && !d.settled() {
			return false
		}
	}
	for _, w := range f.chains.withdrawals {
		if w.Account == a && w.open() {
			return false
		}
	}
	return f.chains.openInvoices(a) == 0
}

// settled reports whether a deposit is the account's, lost, or was sent back: nobody waits for it or decides about it any more.
func (d *chainDeposit) settled() bool {
	switch d.Status {
	case schema.DepositCredited, schema.DepositLost:
		return true
	}
	return d.refund != nil && d.refund.left()
}
