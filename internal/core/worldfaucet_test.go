package core

import (
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const aDay = 24 * 3600 * schema.Second

// midnight is the end of the day of a moment.
func midnight(at schema.Time) schema.Time { return at - at%aDay + aDay }

// faucet takes money from a faucet, and sometimes sets one again.
func (w *world) faucet(t *dice, account schema.AccountID, asset schema.AssetID) schema.Command {
	if chance(t, 4) == 0 {
		return w.setFaucet(t, asset)
	}
	w.mark(midnight(w.now))
	if w.chains != nil && chance(t, 4) != 0 {
		return w.payFaucet(t, account)
	}
	return &schema.TakeFaucet{Account: account, Asset: asset, Amount: w.taken(t, asset)}
}

// payFaucet takes money from a faucet on a sandbox, mostly at the account's own address.
func (w *world) payFaucet(t *dice, account schema.AccountID) *schema.PayFaucet {
	sandbox := w.chains.all[w.often(t, 0, 3)]
	c := &schema.PayFaucet{Account: account, Payment: schema.PaySandbox{Chain: w.chain(t, sandbox), Receipt: w.payment(t, sandbox)}}
	r := &c.Payment.Receipt
	if chance(t, 8) != 0 {
		r.Amount = w.taken(t, r.Asset)
	}
	if w.bank != nil && chance(t, 8) != 0 {
		if own, has := w.bank.Chains().First(account, sandbox.Space(), 0); has {
			r.Index = own.Index
		}
	}
	return c
}

// takenBy is what a command takes from a faucet, if it does.
func takenBy(c schema.Command) (taken schema.TakeFaucet, takes bool) {
	switch c := c.(type) {
	case *schema.TakeFaucet:
		return *c, true
	case *schema.PayFaucet:
		return c.Taken(), true
	}
	return schema.TakeFaucet{}, false
}

// taking is a command that takes another amount.
func taking(c schema.Command, amount fixed.Decimal) schema.Command {
	if c, pays := c.(*schema.PayFaucet); pays {
		again := *c
		again.Payment.Receipt.Amount = amount
		return &again
	}
	again := *c.(*schema.TakeFaucet)
	again.Amount = amount
	return &again
}

// setFaucet draws a limit. Those of an asset are close to each other, so that one is often lowered
// below what somebody took.
func (w *world) setFaucet(t *dice, asset schema.AssetID) schema.Command {
	limit := pick(t, fixed.FromInt(1000), fixed.FromInt(600), fixed.FromInt(100), fixed.FromUnits(100001, 2), fixed.Zero)
	if w.edges != nil {
		limit = w.edges.money(t, asset)
	}
	if chance(t, 6) == 0 {
		limit = pick(t, fixed.Zero, fixed.Max, smallest, fixed.FromInt(1000).Add(smallest), ledger.Limit, smallest.Neg(), fixed.FromInt(-1))
	}
	return &schema.SetFaucet{Asset: asset, Limit: limit}
}

// taken draws how much somebody wants from a faucet.
func (w *world) taken(t *dice, asset schema.AssetID) fixed.Decimal {
	amount := pick(t, fixed.FromInt(100), fixed.FromInt(int64(chance(t, 700))), fixed.FromUnits(int64(chance(t, 70000)), 2), fixed.FromUnits(1, 2))
	if w.edges != nil {
		amount = w.edges.money(t, asset)
	}
	if rarely(t) {
		amount = pick(t, fixed.Zero, fixed.Max, smallest, fixed.FromInt(-1), ledger.Limit)
	}
	return amount
}

// learnFaucet lets those who know what is left of a faucet ask for all of it, for the least more or for
// as much as before, at once or around midnight; or the limit becomes what was just taken, or less.
func (w *world) learnFaucet(t *dice, c schema.Command, answer schema.Result) {
	left := answer.Left
	switch answer.Rejection.Reason {
	case schema.OK:
	case schema.FaucetSpent:
		left = answer.Rejection.Value
	default:
		return
	}
	taken, _ := takenBy(c)
	w.taker = c
	switch chance(t, 6) {
	case 0, 1:
		return
	case 2:
		w.retry = &schema.SetFaucet{Asset: taken.Asset, Limit: pick(t, taken.Amount, fixed.One, fixed.FromUnits(1, 2))}
		return
	}
	more, fits := left.AddChecked(pick(t, smallest, fixed.FromUnits(1, 2), fixed.One))
	if !fits {
		more = fixed.Max
	}
	w.retry = taking(c, pick(t, left, left, more, more, taken.Amount))
	w.due = pick(t, 0, 0, midnight(w.now)-1, midnight(w.now), midnight(w.now))
}

// learnLimit lets the last who took from a faucet come again when its limit is another.
func (w *world) learnLimit(c *schema.SetFaucet) {
	if taken, took := takenBy(w.taker); took && taken.Asset == c.Asset {
		w.retry = taking(w.taker, taken.Amount)
	}
}
