package chain

import (
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// A provider moves fiat money. It has no blocks and no addresses: it says once of an invoice that it was paid, and once of a withdrawal
// how much of it the receiver got. What it says is a fact, so it is taken whether or not the provider is paused or the account blocked.
//
// What must hold: what is booked with a provider is what it has, at any time. Withdrawals by it wait for operators or are queued, and are
// forgotten with what it says of them.

// validProvider reports whether a chain can be a provider.
func validProvider(m *schema.Chain) bool {
	return listing.ValidTicker(m.Name) && *m == schema.Chain{ID: m.ID, Name: m.Name, Driver: schema.Provider, Paused: m.Paused}
}

// provided checks what is asked of a provider for a withdrawal. Elsewhere it is not kept.
func provided(ch *chain, m *schema.RequestWithdrawal, w *withdrawal) schema.Rejection {
	if ch.Driver != schema.Provider {
		return schema.Rejection{}
	}
	if !validBIC(m.BIC) {
		return schema.Refuse(schema.BICInvalid)
	}
	w.BIC, w.Partial = m.BIC, m.Partial
	return schema.Rejection{}
}

// validBIC reports whether this can be the name of a bank, or none.
func validBIC(bic string) bool {
	for i := range len(bic) {
		if c := bic[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(bic) == 0 || len(bic) == 8 || len(bic) == schema.MaxBIC
}

// settlePayment does what a provider says of a withdrawal.
func (c *Chains) settlePayment(m *schema.SettleWithdrawal) schema.Rejection {
	place, known := c.byNumber[m.Withdrawal]
	if !known {
		return schema.Refuse(schema.WithdrawalUnknown)
	}
	w := c.withdrawals.At(place)
	ch, asset := c.find(w.Chain), c.listing.Asset(w.Asset)
	whole := m.Amount.Cmp(w.Amount)
	switch {
	case ch.Driver != schema.Provider || w.Status != schema.WithdrawalQueued:
		return schema.Refuse(schema.SettlementInvalid)
	case m.Amount.Sign() < 0 || whole != 0 && m.Amount.Decimals() > int(asset.Precision) || whole > 0 || !m.Amount.IsZero() && whole < 0 && !w.Partial:
		return schema.Refuse(schema.SettlementInvalid)
	case m.Amount.IsZero():
		c.cancel(place)
		return schema.Rejection{}
	}
	l := ch.lane(w.Asset)
	coins, fits := l.coins.SubChecked(m.Amount)
	if !fits || coins.Less(ledger.Limit.Neg()) {
		return schema.Refuse(schema.MoveTooLarge)
	}
	fee, status := w.Fee, schema.WithdrawalDone
	if whole < 0 {
		fee, _ = fixed.MulDiv(w.Fee, m.Amount, w.Amount, int(asset.Scale), fixed.Down)
		status = schema.WithdrawalPartial
	}
	main := c.ledger.Find(w.Account, schema.Main, w.Asset)
	rest := w.gross().Sub(m.Amount).Sub(fee)
	c.ledger.MoveFrozen(main, c.ledger.Open(schema.Custody, schema.Main, w.Asset), m.Amount, byWithdrawal)
	if !fee.IsZero() {
		c.ledger.MoveFrozen(main, c.ledger.Open(schema.Fees, schema.Main, w.Asset), fee, byWithdrawal)
	}
	if status == schema.WithdrawalPartial {
		c.ledger.Freeze(main, rest.Neg(), byWithdrawal)
		w.Asked, w.Amount, w.Fee = w.Amount, m.Amount, fee
	}
	l.coins, l.booked = coins, l.booked.Sub(m.Amount)
	c.withdrawals.Pull(place)
	c.close(place)
	c.turn(w, status)
	c.drop(place)
	return schema.Rejection{}
}

// validProvided reports whether a withdrawal that is kept can be what was asked of a provider, and elsewhere that nothing was.
func validProvided(ch *chain, m *withdrawalRecord) bool {
	if ch.Driver != schema.Provider {
		return m.BIC == "" && !m.Partial && m.Asked.IsZero()
	}
	return validBIC(m.BIC) && m.Asked.IsZero() && m.in <= inQueued && m.To == 0 && m.Refund == 0 && len(m.travel) == 0 && m.Payout == 0
}
