package naive

import "bourse/internal/schema"

// ledger is all the money. Each movement is an event: what is there after it, why it moved, and
// which order or deal it moved for.
type ledger struct {
	call     *call
	balances map[balanceKey]*balance
	held     map[heldKey]num // unconfirmed money
}

// balance is what an account has of an asset in a wallet.
type balance struct {
	available num
	frozen    num
}

type balanceKey struct {
	account schema.AccountID
	wallet  schema.Wallet
	asset   schema.AssetID
}

type heldKey struct {
	account schema.AccountID
	asset   schema.AssetID
}

// why is the cause of a movement, and the order or deal that it is about.
type why struct {
	cause schema.Cause
	ref   uint64
}

func (l *ledger) balance(a schema.AccountID, w schema.Wallet, s schema.AssetID) *balance {
	key := balanceKey{a, w, s}
	if l.balances[key] == nil {
		l.balances[key] = &balance{}
	}
	return l.balances[key]
}

// canHold reports whether the world outside and the chains together may owe the exchange n more of an asset. What sandboxes paid out
// makes room, but what the world outside owes must stay a number.
func (l *ledger) canHold(s schema.AssetID, n num) bool {
	outside := l.balance(schema.Outside, schema.Main, s).available.neg().plus(n)
	return !outside.more(largest) && !outside.minus(l.balance(custody, schema.Main, s).available).more(owedMost)
}

// receive adds to what is available; n may be negative.
func (l *ledger) receive(a schema.AccountID, w schema.Wallet, s schema.AssetID, n num, y why) {
	b := l.balance(a, w, s)
	b.available = b.available.plus(n)
	l.moved(a, w, s, n, y)
}

// holder is a wallet of an account.
type holder struct {
	account schema.AccountID
	wallet  schema.Wallet
}

// move takes from one and gives to another.
func (l *ledger) move(from, to holder, s schema.AssetID, n num, y why) {
	l.receive(from.account, from.wallet, s, n.neg(), y)
	l.receive(to.account, to.wallet, s, n, y)
}

// freeze sets money of a wallet aside; a negative n gives it back.
func (l *ledger) freeze(h holder, s schema.AssetID, n num, y why) {
	b := l.balance(h.account, h.wallet, s)
	b.available = b.available.minus(n)
	b.frozen = b.frozen.plus(n)
	l.moved(h.account, h.wallet, s, n, y)
}

// spend takes away what was set aside.
func (l *ledger) spend(h holder, s schema.AssetID, n num, y why) {
	b := l.balance(h.account, h.wallet, s)
	b.frozen = b.frozen.minus(n)
	l.moved(h.account, h.wallet, s, n, y)
}

// hold adds to what is unconfirmed; n may be negative.
func (l *ledger) hold(a schema.AccountID, s schema.AssetID, n num, y why) {
	key := heldKey{a, s}
	l.held[key] = l.held[key].plus(n)
	l.moved(a, schema.Main, s, n, y)
}

// moved records a balance after n of it moved. Held money is shown with main only.
func (l *ledger) moved(a schema.AccountID, w schema.Wallet, s schema.AssetID, n num, y why) {
	if n.sign() == 0 {
		return
	}
	b := l.balance(a, w, s)
	e := &schema.BalanceChanged{
		Account: a, Wallet: w, Asset: s, Cause: y.cause, Ref: y.ref,
		Available: b.available.decimal(), Frozen: b.frozen.decimal(),
	}
	if w == schema.Main {
		e.Held = l.held[heldKey{a, s}].decimal()
	}
	l.call.record(e)
}
