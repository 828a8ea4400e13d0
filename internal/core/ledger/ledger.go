// Package ledger keeps the money of every account. It is double entry: money moves from one
// balance to another, or between the available and the frozen part of one; there is no other
// way to change a balance, so the sum of every asset over all accounts is always zero.
//
// What must hold: no customer has a negative available or frozen amount. System accounts may:
// the outside world owes what the customers own. Callers check that money is there before they
// move it; the ledger asserts it.
//
// Every change is recorded: one event for each balance that a command changed, or one for each
// movement where events are itemized, which in order are the statement of the balance.
package ledger

import (
	"math"

	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Limit is half of what a number can hold. The outside world and the fee account owe at most so
// much each; together they owe what the customers own, so no customer's balance can overflow.
var Limit = fixed.FromBits(math.MaxInt64>>1, math.MaxUint64)

// Cell is the place of one balance: one account, one wallet, one asset. Cell 0 means "none".
// Cells are never given back.
type Cell = uint32

// Ledger is the set of all balances.
type Ledger struct {
	cells  slab.Slab[balance]
	keys   slab.Index
	events *schema.Events
}

type balance struct {
	available fixed.Decimal
	frozen    fixed.Decimal
	held      fixed.Decimal // of main wallets: unconfirmed deposits of the account
	account   schema.AccountID
	asset     schema.AssetID
	wallet    schema.Wallet
	event     uint32 // where the last event about it is, for schema.Events; not part of the state
}

// New makes an empty ledger that records its changes in events.
func New(events *schema.Events) *Ledger { return &Ledger{events: events} }

// Note says why money moves: for the statement.
type Note struct {
	Cause schema.Cause
	Ref   uint64 // the order or deal, 0 where there is none
}

func key(account schema.AccountID, wallet schema.Wallet, asset schema.AssetID) uint32 {
	return slab.Hash(uint64(account)<<32 | uint64(asset)<<3 | uint64(wallet))
}

// Find is the cell of a balance, or 0 if it was never touched.
func (l *Ledger) Find(account schema.AccountID, wallet schema.Wallet, asset schema.AssetID) Cell {
	probe := l.keys.Find(key(account, wallet, asset))
	for {
		c := probe.Next()
		if c == 0 {
			return 0
		}
		if b := l.cells.At(c); b.account == account && b.asset == asset && b.wallet == wallet {
			return c
		}
	}
}

// Open is the cell of a balance, made if it was never touched.
func (l *Ledger) Open(account schema.AccountID, wallet schema.Wallet, asset schema.AssetID) Cell {
	if c := l.Find(account, wallet, asset); c != 0 {
		return c
	}
	c, b := l.cells.Take()
	b.account, b.wallet, b.asset = account, wallet, asset
	l.keys.Add(key(account, wallet, asset), c)
	return c
}

// Prefetch asks for a cell, if it is not 0 (slab.Prefetch).
func (l *Ledger) Prefetch(c Cell) { l.cells.Prefetch(c) }

// Len is the number of cells; they count from 1.
func (l *Ledger) Len() int { return int(l.cells.End()) - 1 }

// Available is what can be used of a balance.
func (l *Ledger) Available(c Cell) fixed.Decimal {
	if c == 0 {
		return fixed.Zero
	}
	return l.cells.At(c).available
}

// Balance is the state of a balance.
func (l *Ledger) Balance(c Cell) (available, frozen, held fixed.Decimal) {
	if c == 0 {
		return
	}
	b := l.cells.At(c)
	return b.available, b.frozen, b.held
}

// Free is what may leave the exchange or become collateral: held money is looked for in the
// main wallet first.
func (l *Ledger) Free(c Cell) fixed.Decimal {
	available, _, held := l.Balance(c)
	return available.Sub(fixed.MinOf(held, available))
}

// Move takes an amount, which is not negative, from what one balance has available and gives
// it to another.
func (l *Ledger) Move(from, to Cell, amount fixed.Decimal, note Note) {
	b := l.cells.At(from)
	b.available = b.available.Sub(amount)
	l.changed(b, note)
	l.give(to, amount, note)
}

// MoveFrozen takes an amount from what one balance has frozen and gives it to another.
func (l *Ledger) MoveFrozen(from, to Cell, amount fixed.Decimal, note Note) {
	b := l.cells.At(from)
	b.frozen = b.frozen.Sub(amount)
	l.changed(b, note)
	l.give(to, amount, note)
}

func (l *Ledger) give(to Cell, amount fixed.Decimal, note Note) {
	b := l.cells.At(to)
	b.available = b.available.Add(amount)
	l.changed(b, note)
}

// Freeze sets an amount of a balance aside; a negative amount becomes available again.
func (l *Ledger) Freeze(c Cell, amount fixed.Decimal, note Note) {
	b := l.cells.At(c)
	b.available = b.available.Sub(amount)
	b.frozen = b.frozen.Add(amount)
	l.changed(b, note)
}

// Hold marks an amount of a main wallet as unconfirmed; a negative amount confirms.
func (l *Ledger) Hold(c Cell, amount fixed.Decimal, note Note) {
	b := l.cells.At(c)
	b.held = b.held.Add(amount)
	l.changed(b, note)
}

// changed asserts that a customer's balance is sound and records it.
func (l *Ledger) changed(b *balance, note Note) {
	if (b.available.Sign() < 0 || b.frozen.Sign() < 0) && b.account >= schema.FirstCustomer {
		panic("ledger: a customer's balance would be negative; money must be checked before it moves")
	}
	ev := l.events.SetBalance(&b.event, b.account, b.wallet, b.asset)
	ev.Cause, ev.Ref = note.Cause, note.Ref
	ev.Available, ev.Frozen, ev.Held = b.available, b.frozen, b.held
}
