package ledger

import (
	"errors"
	"iter"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Record is a balance as snapshots keep it.
type Record struct {
	Account   schema.AccountID
	Wallet    schema.Wallet
	Asset     schema.AssetID
	Available fixed.Decimal
	Frozen    fixed.Decimal
	Held      fixed.Decimal
}

func (r *Record) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &r.Account)
	wire.Uint(c, 2, "wallet", &r.Wallet)
	wire.Uint(c, 3, "asset", &r.Asset)
	c.Decimal(4, "available", &r.Available)
	c.Decimal(5, "frozen", &r.Frozen)
	c.Decimal(6, "held", &r.Held)
}

// Records goes through all balances in the order in which they were first touched.
func (l *Ledger) Records() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for c := uint32(1); c < l.cells.End(); c++ {
			b := l.cells.At(c)
			if !yield(Record{b.account, b.wallet, b.asset, b.available, b.frozen, b.held}) {
				return
			}
		}
	}
}

// Restore adds a balance; they must come in the order of Records.
func (l *Ledger) Restore(r *Record) error {
	if r.Account == 0 || r.Asset == 0 || !schema.Valid(r.Wallet) {
		return errors.New("a balance names no account, asset or wallet")
	}
	if l.Find(r.Account, r.Wallet, r.Asset) != 0 {
		return errors.New("a balance stands there twice")
	}
	b := l.cells.At(l.Open(r.Account, r.Wallet, r.Asset))
	b.available, b.frozen, b.held = r.Available, r.Frozen, r.Held
	return nil
}
